/* What the virtual GPU's driver functions share. Each function of src/driver/driver.def is sim_call_<name>(), in the
 * file of its subject: module.c, link.c, launch.c, tensor_map.c, stream.c, copy.c, host.c, pool.c, virtual.c, graph.c,
 * nodes.c, executable.c, share.c,
 * array.c, box.c, texture.c; those of devices and contexts in driver.c. */
#ifndef HAUL_VGPU_INTERNAL_H
#define HAUL_VGPU_INTERNAL_H

#include "exec/grid.h"
#include "exec/spare.h"
#include "exec/texture/texture.h"
#include "lower/lower.h"
#include "machine/memory.h"
#include "ptx/ir.h"
#include "state/program.h"
#include "time/clock.h"
#include "vgpu/driver.h"

#include <pthread.h>

typedef struct sim_mark sim_mark;
typedef struct sim_slot sim_slot;
typedef struct sim_work sim_work;

enum { SIM_TIMES_ROWS = 64 };

enum { SIM_MOST_WINDOW = 128 << 20 }; /* bytes of an access-policy window, as an A100 and later ones have it */

/* A context is a device in use. A module holds its PTX, its variables' memory and, once launched, its kernels'
 * programs; all end with the module, and modules with their context. */
struct CUfunc_st {
    CUmodule module;
    ptx_function *entry;
    sim_program *program;                             /* NULL until first needed */
    uint32_t heap_user;                               /* of the context's; 0: none yet */
    int settings[DRIVER_FUNCTION_CLUSTER_POLICY + 1]; /* what attributes were set to */
    unsigned set;                                     /* bit k: attribute k was */
    struct sim_launch_times *times[SIM_TIMES_ROWS];   /* launch_times.h, by hash of the shape */
    size_t times_count;
    struct CUfunc_st *next;
    bool has_told_occupancy; /* to the program, which may count on it */
};

struct CUmod_st {
    CUcontext context;
    ptx_module *ptx;
    arena memory;
    uint64_t *addresses; /* of module variables, by index */
    CUmodule twin;       /* on another device, which has the managed variables; NULL: none */
    CUfunction functions;
    CUmodule next;
};

/* Nodes of a graph that is captured: what comes next comes behind them. */
typedef struct sim_tips {
    CUgraphNode *nodes;
    size_t count, capacity;
} sim_tips;

struct CUstream_st {
    CUcontext context;
    unsigned flags;
    int priority;
    sim_work *first, **last; /* what is still to do */
    bool is_calling;         /* its first operation is a host function that some thread is in */
    bool is_held_up;         /* its first operation was tried, and waits for others */
    bool is_gone;            /* destroyed, once its work is done */
    double end;              /* of what was done, on the clock */
    CUgraph capture;         /* what it is recorded into, instead of done */
    sim_tips tips;           /* of the capture */
    bool per_thread;         /* the thread's default stream */
    pthread_t thread;
    CUaccessPolicyWindow window;
    uint64_t number;
    CUstream next;
};

struct CUevent_st {
    CUcontext context;
    unsigned flags;
    sim_mark *mark;  /* of the last record; NULL: none */
    sim_slot *slot;  /* of an event that other processes may know; NULL: they do not */
    CUgraph capture; /* recorded in it, behind these nodes */
    sim_tips tips;
    CUevent next;
};

/* Host memory that the device knows: pinned, and reachable for kernels at `address`. */
typedef struct sim_pinned {
    unsigned char *host;
    uint64_t bytes, address;
    unsigned flags;
    bool owned;      /* allocated here, not registered */
    CUdevice device; /* that was current */
    uint64_t effect; /* the last of the device's that wrote here */
    struct sim_pinned *next;
} sim_pinned;

struct CUmemPool_st {
    CUcontext context;
    bool is_default;
    uint64_t visible; /* other devices that reach what is allocated, a bit a place */
    uint64_t used, used_high, reserved_high, limit, threshold; /* limit 0: none */
    CUmemoryPool next;
};

/* An array, or one level of a mipmap. */
struct CUarray_st {
    CUcontext context;
    sim_array_shape shape;
    sim_level level;
    CUmipmappedArray mipmap; /* NULL: an array of its own */
    CUarray next;
};

struct CUmipmappedArray_st {
    CUcontext context;
    sim_array_shape shape;
    uint64_t address;
    struct CUarray_st levels[SIM_MOST_LEVELS];
    CUmipmappedArray next;
};

struct CUctx_st {
    sim_machine machine; /* a copy: limits may change it */
    CUdevice device;
    sim_memory *memory;
    struct sim_family *family; /* of all devices of the program; NULL: it has this one */
    unsigned place;            /* there */
    CUmodule modules;
    uint32_t threads;
    uint64_t instruction_limit;
    bool check;
    haul_counting counting;
    uint64_t sample; /* blocks to count of a larger launch; 0: all */
    haul_schedule schedule;
    uint64_t seed;
    sim_print_sink print;
    haul_run *run; /* that gets the record of a launch, in its element run_launch; NULL: nobody wants it */
    size_t run_launch;
    arena *record_memory;
    haul_status last;
    sim_clock clock;
    uint64_t turns; /* of work that was issued */
    /* What work did to host memory, counted; the last that may have been anywhere: host functions, and kernels that
     * wrote mapped memory. */
    uint64_t effects, anywhere;
    struct CUstream_st legacy; /* the default stream */
    CUstream streams;
    uint64_t stream_numbers; /* given so far; the default stream has 0 */
    CUevent events;
    CUgraph graphs;
    uint64_t graph_numbers; /* of graphs and nodes, given so far */
    struct sim_condition_value *conditions;
    sim_begin_node_launch *begin_node_launch;
    CUgraphExec executables;
    CUlinkState linkers;
    sim_pinned *pinned;
    CUmemoryPool pools, used_pool; /* used_pool: NULL: the default one */
    struct sim_pooled *pooled;     /* what is allocated from them */
    CUarray arrays;
    CUmipmappedArray mipmaps;
    sim_textures textures;
    sim_spares spares;
    uint64_t persisting_l2;
    bool keeps_l2;                 /* from launch to launch */
    struct sim_l2 *l2;             /* then: what launches left; NULL: none was counted yet */
    uint64_t stack_bytes;          /* of a thread; 0: the default */
    uint64_t heap_bytes;           /* likewise, of the device */
    uint64_t print_bytes;          /* what the program takes for the size of the buffer of printf() */
    struct sim_heap *heap;         /* NULL: no kernel has needed it yet */
    struct CUfunc_st **heap_users; /* see sim_heap_origin(); NULL: unloaded */
    uint32_t heap_user_count;
    haul_status failed; /* what ended an operation of a stream: the context is of no more use for streams */
    char why[1024];
    sim_cause cause; /* of the last launch's failure */
    sim_note_overrun *note_overrun;
};

/* The contexts of one program's devices. Handles and addresses of each are known in all. They live until the program
 * ends, and one thread at a time is in any of them. */
typedef struct sim_family {
    unsigned count;
    CUcontext members[SIM_MOST_DEVICES];
    sim_memory *memories[SIM_MOST_DEVICES];
} sim_family;

static inline unsigned sim_kin_count(CUcontext c) {
    return c->family ? c->family->count : 1;
}

/* The i-th context of the program. The first one has the list of pinned memory, and counts effects on it. */
static inline CUcontext sim_kin(CUcontext c, unsigned i) {
    return c->family ? c->family->members[i] : c;
}

/* The context whose memory has the address, c if none has it. */
CUcontext sim_owner_of(CUcontext c, CUdeviceptr address);
/* The context of a device of the program, c if it is of none. */
CUcontext sim_context_of(CUcontext c, CUdevice device);
/* Does all work of all devices of the program. */
void sim_finish_everything(CUcontext c);

/* The functions of the table. */
#define DRIVER(name, symbol, parameters) CUresult sim_call_##name parameters;
#include "driver/driver.def"
#undef DRIVER

/* The calling thread's context; NULL: none. */
CUcontext sim_current(void);
/* The same, or why there is none; each function of the table that may fail begins with it. */
CUresult sim_enter(CUcontext *context);
#define SIM_ENTER(context)                               \
    CUcontext context;                                   \
    do {                                                 \
        const CUresult entered_ = sim_enter(&(context)); \
        if (entered_ != CUDA_SUCCESS) return entered_;   \
    } while (0)

/* Attributes of devices that are the same for many, by attributes.def; false: there is no such attribute. */
bool sim_general_attribute(const sim_machine *machine, unsigned device, int attribute, int *value);

/* PTX texts that a linker put together, as an image for cuModuleLoadDataEx(); false: it is none. */
haul_status sim_link_load(const char *image, ptx_module **module);
bool sim_is_linked(const char *image);
/* Linkers that nobody destroyed. */
void sim_free_linkers(CUcontext context);

/* Remembers the status as the context's last and turns it into a CUresult. */
CUresult sim_result_of(haul_status status);
/* CUDA_INVALID_VALUE, with a message. */
CUresult sim_wrong(const char *what);
/* CUDA_INVALID_VALUE, with a message that begins with `who`, for a window that no launch may have. */
CUresult sim_check_access_policy(const char *who, const CUaccessPolicyWindow *window);
/* The failure that an operation of a stream left behind; CUDA_SUCCESS when there is none. */
CUresult sim_sticky(CUcontext context);

/* Host memory behind device memory, marked as written or not; NULL with a message when it is in no allocation. */
void *sim_at(CUcontext context, CUdeviceptr address, size_t bytes);
void *sim_at_to_write(CUcontext context, CUdeviceptr address, size_t bytes);

/* The pinned memory that holds all of the bytes; NULL when there is none: they are pageable. */
sim_pinned *sim_find_pinned(CUcontext context, const void *host, uint64_t bytes);
/* The same by the address that kernels use. */
sim_pinned *sim_pinned_at(CUcontext context, uint64_t address);
/* Remembers that work wrote there. */
void sim_note_written(CUcontext context, const void *host, uint64_t bytes);
/* Remembers that work may have written any pinned memory. */
void sim_note_effects(CUcontext context);
void sim_free_pinned(CUcontext context);

/* Which stream a handle stands for. CUDA_INVALID_HANDLE for none that lives. */
CUresult sim_stream_of(CUcontext context, CUstream handle, CUstream *stream);
/* Gives work to a stream: into the graph that captures it, or into its queue; work of the legacy default stream is done
 * at once, behind all other streams' work, unless a kernel waits for the host. What `work` points to becomes the
 * stream's. */
CUresult sim_issue(CUstream stream, const sim_work *work);
/* The same, and the program waits for its end. */
CUresult sim_issue_and_wait(CUstream stream, const sim_work *work);
void sim_free_streams(CUcontext context);

/* Runs a launch, or goes on with it; `us` gets its estimate, `load` what it takes of the machine meanwhile. If it has
 * paused (exec/grid.h), work->running is not NULL. */
haul_status sim_run_launch(sim_work *work, bool may_pause, double *us, sim_kernel_load *load);
/* Lowers a kernel when it is first needed. */
haul_status sim_prepare(CUfunction function);
/* The kernel's times, in launch_times.c, are of no use any more. */
void sim_forget_launch_times(CUfunction function);
/* The kernel's lowered form is of no use any more. */
void sim_forget_program(CUfunction function);
/* A kernel that allocates finds a heap, from its first launch on. */
haul_status sim_prepare_heap(CUfunction function);

/* Memory of a graph, which stays until the context ends: whoever frees it, the graph may be launched again. */
CUresult sim_pool_allocate_for_graph(CUcontext context, CUdeviceptr *address, size_t bytes);
bool sim_pool_is_for_graph(CUcontext context, CUdeviceptr address);
void sim_pool_return(CUcontext context, CUdeviceptr address);
void sim_free_pools(CUcontext context);

/* NULL, with a message, unless the handle is that of a live array of the context, or of a level of a live mipmap. */
CUarray sim_array_of(CUcontext context, CUarray handle);
CUmipmappedArray sim_mipmap_of(CUcontext context, CUmipmappedArray handle);
/* Objects that look at the array, or the mipmap, look at nothing any more. */
void sim_orphan_objects(CUcontext context, CUarray array, CUmipmappedArray mipmap);
void sim_free_arrays(CUcontext context);

/* Work for later, which becomes the caller's: a launch, with its parameters; a copy of a box. */
CUresult sim_make_launch(CUcontext context, const CUlaunchConfig *config, CUfunction function, void **parameters,
                         sim_work *work);
CUresult sim_make_copy(CUcontext context, const CUDA_MEMCPY3D *copy, sim_work *work);

/* Adds a node with the work to the graph that captures the stream. */
CUresult sim_capture(CUstream stream, const sim_work *work);
/* What the stream gets next comes behind the node alone. */
CUresult sim_capture_go_on(CUstream stream, CUgraphNode node);
/* Allocates in the graph that captures the stream. */
CUresult sim_capture_allocation(CUstream stream, CUdeviceptr *address, size_t bytes);
void sim_tips_free(sim_tips *tips);
/* A wait for an event that a capture recorded draws the stream into the capture. */
CUresult sim_capture_wait(CUstream stream, CUevent event);
CUresult sim_capture_record(CUstream stream, CUevent event);
void sim_free_graphs(CUcontext context);
void sim_free_conditions(CUcontext context);
/* The stream's first operation is a condition: the works that it stands for take its place. */
haul_status sim_condition_do(CUstream stream);

#endif
