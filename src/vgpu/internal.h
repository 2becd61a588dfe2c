/* Contexts, modules, streams and the like: what the files of the virtual GPU's driver share.
 *
 * Each function of src/driver/driver.def is sim_call_<name>(), in the file of its subject: module.c, link.c, launch.c,
 * tensor_map.c, stream.c, copy.c, host.c, pool.c, virtual.c, graph.c, capture.c, nodes.c, executable.c, share.c,
 * array.c, box.c, texture.c, and context.c for devices and contexts. */
#ifndef HAUL_VGPU_INTERNAL_H
#define HAUL_VGPU_INTERNAL_H

#include "base/machine_code.h"
#include "exec/grid.h"
#include "exec/spare_sms.h"
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

/* Data persists in L2 on an A100 and later: at most this many bytes of a window, and 5/8 of L2. */
enum { SIM_MOST_WINDOW = 128 << 20, SIM_FIRST_SM_THAT_PERSISTS = 80 };

static inline uint64_t sim_most_persisting(const sim_machine *m) {
    return m->sm < SIM_FIRST_SM_THAT_PERSISTS ? 0 : m->l2_bytes * 5 / 8;
}

static inline uint64_t sim_most_window(const sim_machine *m) {
    return m->sm < SIM_FIRST_SM_THAT_PERSISTS ? 0 : SIM_MOST_WINDOW;
}

/* A context is a device in use. A module holds its PTX, its variables' memory and the programs of its launched kernels.
 * They end with the module, and modules end with their context. */
struct CUfunc_st {
    CUmodule module;
    ptx_function *entry;
    sim_program *program;                             /* one of the next two; NULL until first needed */
    sim_program *programs[2];                         /* without checks, and with */
    uint32_t heap_user;                               /* its number in the context; 0: none yet */
    int settings[DRIVER_FUNCTION_CLUSTER_POLICY + 1]; /* values of attributes that were set */
    unsigned set;                                     /* bit k: attribute k was set */
    struct sim_launch_times *times[SIM_TIMES_ROWS];   /* launch_times.h, by hash of the shape */
    size_t times_count;
    struct CUfunc_st *next;
    bool has_told_occupancy; /* the program knows an occupancy and may rely on it */
};

struct CUmod_st {
    CUcontext context;
    ptx_module *ptx;
    arena memory;
    uint64_t *addresses;    /* of module variables, by index */
    CUmodule twin;          /* on another device, with the managed variables; NULL: none */
    machine_code assembled; /* of the program itself */
    CUfunction functions;
    CUmodule next;
};

/* The nodes that the next node of a capture depends on. */
typedef struct sim_tips {
    CUgraphNode *nodes;
    size_t count, capacity;
} sim_tips;

/* A queue of work (work.h); marks of other streams and the clock connect them. */
struct CUstream_st {
    CUcontext context;
    unsigned flags;
    int priority;
    sim_work *first, **last; /* pending */
    bool is_calling;         /* a thread is in the host function that is its first operation */
    bool is_running;         /* a thread is in the kernel that is its first operation */
    bool is_held_up;         /* its first operation was tried, and waits for something else */
    bool is_gone;            /* destroyed as soon as its work is done */
    double end;              /* when its finished work ends, on the clock */
    CUgraph capture;         /* the graph that captures it; NULL: it executes */
    sim_tips tips;           /* of the capture */
    bool per_thread;         /* the thread's default stream */
    pthread_t thread;
    CUaccessPolicyWindow window;
    CUstreamAttrValue synchronization, domain_map, domain; /* attributes without an effect */
    uint64_t number;
    unsigned line;       /* in the order of operations (order.h); 0: none yet */
    CUfunction in_front; /* the kernel that was launched last, if nothing has been issued since; may be unloaded */
    uint64_t open;       /* launches that may still run when that one has ended: sim_ordered.open (order.c) */
    CUstream next;
};

/* Recorded at most once at a time: a new record replaces the mark. */
struct CUevent_st {
    CUcontext context;
    unsigned flags;
    sim_mark *mark;  /* of the last record; NULL: none */
    sim_slot *slot;  /* if other processes may know the event; NULL otherwise */
    CUgraph capture; /* the capture that recorded it, after the nodes of `tips` */
    sim_tips tips;
    CUevent next;
};

/* Host memory that the device knows: pinned, and accessible to kernels at `address`. */
typedef struct sim_pinned {
    unsigned char *host;
    uint64_t bytes, address;
    unsigned flags;
    bool owned;      /* allocated here, not registered */
    CUdevice device; /* the device that was current */
    uint64_t effect; /* number of the last device effect that wrote here */
    struct sim_pinned *next;
} sim_pinned;

/* An account of stream-ordered memory (pool.c). Sizes are in bytes. */
struct CUmemPool_st {
    CUcontext context;
    bool is_default, is_of_host; /* is_of_host: the host uses its memory at the same addresses */
    uint64_t visible;            /* bit p: the device at place p has access to its allocations */
    uint64_t used, used_high, reserved, reserved_high, limit, threshold; /* limit 0: none */
    int handles;     /* by which other processes may get it: DRIVER_HANDLE_FILE or 0 */
    int reuse[3];    /* settings from DRIVER_POOL_REUSE on */
    uint64_t number; /* unique in the context */
    uint64_t origin; /* the pool of another process that it stands for; 0: none */
    CUmemoryPool next;
};

/* An array, or one level of a mipmap. */
struct CUarray_st {
    CUcontext context;
    sim_array_shape shape;
    sim_level level;
    CUmipmappedArray mipmap; /* NULL: a stand-alone array */
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
    sim_machine machine; /* a copy, since limits may change it */
    CUdevice device;
    sim_memory *memory;
    struct sim_family *family; /* all devices of the program; NULL: only this one */
    pthread_mutex_t lock;      /* recursive; that of the family's first member counts for all */
    unsigned place;            /* in the family */
    CUmodule modules;
    uint32_t threads;
    uint64_t instruction_limit;
    bool check, strict;
    haul_counting counting;
    uint64_t sample;         /* blocks counted of a larger launch; 0: all */
    uint32_t most_registers; /* of a thread of kernels without launch bounds; 0: no limit */
    sim_schedule schedule;
    sim_print_sink print;
    haul_run *run; /* gets the record of the next launch as element run_launch; NULL: no record */
    size_t run_launch;
    arena *record_memory;
    haul_status last;
    sim_clock clock;
    uint64_t turns; /* counts work that was issued */
    /* Counts effects of work on host memory. `anywhere` is the last one with an unknown place: a host function, or a
     * kernel that wrote mapped memory. */
    uint64_t effects, anywhere;
    struct CUstream_st legacy; /* the default stream */
    CUstream streams;
    uint64_t stream_numbers; /* the last number given; the default stream has 0 */
    CUevent events;
    CUgraph graphs;
    uint64_t graph_numbers; /* the last number given to a graph or node */
    struct sim_condition_value *conditions;
    sim_begin_node_launch *begin_node_launch;
    CUgraphExec executables;
    CUlinkState linkers;
    sim_pinned *pinned;
    CUmemoryPool pools, used_pool; /* used_pool NULL: the default pool */
    uint64_t pool_numbers;         /* the last number given */
    struct sim_pooled *pooled;     /* their allocations */
    CUarray arrays;
    CUmipmappedArray mipmaps;
    sim_textures textures;
    sim_spares spares;
    struct sim_shadow_memory *shadow; /* that an earlier launch has left, or NULL */
    sim_follower *follower;           /* of an earlier launch (launch.c), or NULL */
    bool is_running;                  /* a kernel, while other threads may call: there is one at a time */
    uint64_t persisting_l2;
    bool keeps_l2;                 /* between launches */
    bool launched_unchecked;       /* since checks were last on: nobody followed what these launches wrote */
    struct sim_l2 *l2;             /* as the last counted launch has left it, or NULL */
    uint64_t stack_bytes;          /* per thread; 0: the default */
    uint64_t heap_bytes;           /* of the device; 0: the default */
    uint64_t print_bytes;          /* the printf() buffer's size, as the program sees it */
    uint64_t pending_launches;     /* of kernels, as the program sees it */
    struct sim_heap *heap;         /* NULL until a kernel needs it */
    struct CUfunc_st **heap_users; /* see sim_heap_origin(); NULL: unloaded */
    uint32_t heap_user_count;
    haul_status failed; /* what ended a stream's operation; streams are unusable from then on */
    char why[1024];
    sim_cause cause; /* of the last launch's failure */
    sim_note_overrun *note_overrun;
    struct sim_order *order; /* of the program's operations; the first context has it; NULL: not watched */
};

/* The contexts of one program's devices. Each knows the others' handles and addresses. They live until the program
 * ends, and only one thread at a time is in any of them. */
typedef struct sim_family {
    unsigned count;
    CUcontext members[SIM_MOST_DEVICES];
    sim_memory *memories[SIM_MOST_DEVICES];
} sim_family;

static inline unsigned sim_member_count(CUcontext c) {
    return c->family ? c->family->count : 1;
}

/* The i-th context of the program. The first one owns the list of pinned memory and counts effects on it. */
static inline CUcontext sim_member_of(CUcontext c, unsigned i) {
    return c->family ? c->family->members[i] : c;
}

/* Returns the context whose memory contains the address; c if none does. */
CUcontext sim_owner_of(CUcontext c, CUdeviceptr address);
/* Returns the program's context of the device; c if there is none. */
CUcontext sim_context_of(CUcontext c, CUdevice device);
/* Does all work of all devices of the program. */
void sim_finish_everything(CUcontext c);

/* The functions of the driver table. */
#define DRIVER(name, symbol, parameters) CUresult sim_call_##name parameters;
#include "driver/driver.def"
#undef DRIVER

/* Returns the calling thread's context; NULL if it has none. */
CUcontext sim_current(void);
/* Gets the calling thread's context, or fails with the reason why there is none. Each driver function that may fail
 * calls it first. */
CUresult sim_enter(CUcontext *context);
#define SIM_ENTER(context)                                                                       \
    __attribute__((cleanup(sim_unlock), unused)) pthread_mutex_t *const locked_by_ = sim_lock(); \
    CUcontext context;                                                                           \
    do {                                                                                         \
        const CUresult entered_ = sim_enter(&(context));                                         \
        if (entered_ != CUDA_SUCCESS) return entered_;                                           \
    } while (0)
/* From SIM_ENTER() to the function's end no other thread is in a function of the program's contexts. Programs that
 * share the driver have a lock of their own instead (sim_driver_share()): NULL. */
pthread_mutex_t *sim_lock(void);
void sim_unlock(pthread_mutex_t *const *lock);

/* A linker's result, as an image for cuModuleLoadDataEx(): sim_is_linked() recognizes one, sim_link_load() reads its
 * PTX. */
haul_status sim_link_load(const char *image, ptx_module **module);
bool sim_is_linked(const char *image);
/* Frees linkers that were not destroyed. */
void sim_free_linkers(CUcontext context);

/* Stores the status as the context's last one and returns the CUresult for it. */
CUresult sim_result_of(haul_status status);
/* Fails for want of host memory, as haul_no_memory() does. */
CUresult sim_no_memory(const char *what);
/* Returns CUDA_INVALID_VALUE, with a message. */
CUresult sim_wrong(const char *what);
/* Returns the nearest priority that streams and launches can have. */
int sim_clamp_priority(int priority);
/* Returns CUDA_INVALID_VALUE, with a message that begins with `who`, if no launch may have the window. */
CUresult sim_check_access_policy(const char *who, const CUaccessPolicyWindow *window);
/* Returns the failure that a stream's operation left behind; CUDA_SUCCESS if there is none. */
CUresult sim_sticky(CUcontext context);

/* Return the host memory behind device memory; the second marks it as written. NULL, with a message, if it is in no
 * allocation. */
void *sim_at(CUcontext context, CUdeviceptr address, size_t bytes);
void *sim_at_to_write(CUcontext context, CUdeviceptr address, size_t bytes);

/* Finds the pinned memory that contains all of the bytes; NULL if there is none, so that they are pageable. */
sim_pinned *sim_find_pinned(CUcontext context, const void *host, uint64_t bytes);
/* Finds pinned memory by the address that kernels use. */
sim_pinned *sim_pinned_at(CUcontext context, uint64_t address);
/* Notes that work wrote there. */
void sim_note_written(CUcontext context, const void *host, uint64_t bytes);
/* Notes that work may have written any pinned memory. */
void sim_note_effects(CUcontext context);
void sim_free_pinned(CUcontext context);

/* Finds the stream that a handle stands for; returns CUDA_INVALID_HANDLE if it is not alive. */
CUresult sim_stream_of(CUcontext context, CUstream handle, CUstream *stream);
/* Gives work to a stream: to the graph that captures it, or to its queue. Work of the legacy default stream is done at
 * once, after all other streams' work, unless a kernel waits for the host. The stream owns what `work` points to, also
 * after a failure. */
CUresult sim_issue(CUstream stream, const sim_work *work);
/* Issues work, and the program waits for its end. */
CUresult sim_issue_and_wait(CUstream stream, const sim_work *work);
void sim_free_streams(CUcontext context);

/* Runs a launch, or resumes it. `us` gets its estimated time, `load` its use of the machine. If the launch has paused
 * (exec/grid.h), work->running is not NULL. */
haul_status sim_run_launch(CUstream stream, sim_work *work, bool may_pause, double *us, sim_kernel_load *load);
/* Lowers a kernel when it is first needed. */
haul_status sim_prepare(CUfunction function);
/* Drops the kernel's launch times (launch_times.c). */
void sim_forget_launch_times(CUfunction function);
/* Drops the kernel's lowered form. */
void sim_forget_program(CUfunction function);
/* Makes the heap before the first launch of a kernel that allocates. */
haul_status sim_prepare_heap(CUfunction function);

/* Allocates memory of a graph. It stays until the context ends, whoever frees it, since the graph may be launched
 * again. */
CUresult sim_pool_allocate_for_graph(CUcontext context, CUdeviceptr *address, size_t bytes);
bool sim_pool_is_for_graph(CUcontext context, CUdeviceptr address);
/* Whether a pool gave the allocation out. */
bool sim_pool_has(CUcontext context, CUdeviceptr address);
void sim_pool_return(CUcontext context, CUdeviceptr address);
void sim_free_pools(CUcontext context);

/* Return NULL, with a message, unless the handle is that of a live array or mipmap of the context, or of a mipmap's
 * level. */
CUarray sim_array_of(CUcontext context, CUarray handle);
CUmipmappedArray sim_mipmap_of(CUcontext context, CUmipmappedArray handle);
/* Detaches texture and surface objects from an array or mipmap that ends. */
void sim_orphan_objects(CUcontext context, CUarray array, CUmipmappedArray mipmap);
void sim_free_arrays(CUcontext context);

/* Make work to be issued later, which the caller owns: a launch with its parameters, or a copy of a box. */
CUresult sim_make_launch(CUcontext context, const CUlaunchConfig *config, CUfunction function, void **parameters,
                         sim_work *work);
CUresult sim_make_copy(CUcontext context, const CUDA_MEMCPY3D *copy, sim_work *work);

/* Adds a node with the work to the graph that captures the stream. */
CUresult sim_capture(CUstream stream, const sim_work *work);
/* Makes the node the only one that the stream's next node depends on. */
CUresult sim_capture_go_on(CUstream stream, CUgraphNode node);
/* Allocates in the graph that captures the stream. */
CUresult sim_capture_values(CUstream stream, const sim_value_op *ops, unsigned count);
CUresult sim_capture_allocation(CUstream stream, CUdeviceptr *address, size_t bytes);
void sim_tips_free(sim_tips *tips);
/* Draws the stream into a capture if it waits for an event that the capture recorded. */
CUresult sim_capture_wait(CUstream stream, CUevent event);
CUresult sim_capture_record(CUstream stream, CUevent event);
void sim_free_graphs(CUcontext context);
void sim_free_conditions(CUcontext context);
/* Replaces the condition at the head of the stream by the work that it selects. */
haul_status sim_condition_do(CUstream stream);

/* ---- order.c, for work.c; order.h has the rest ---- */

struct sim_ordered;
/* The work has had its effect. A launch is done by sim_order_launched(). */
void sim_order_work(CUstream s, sim_work *work);
/* The program has used the memory of the operation, which was reported. NULL is allowed. */
bool sim_order_is_touched(const struct sim_ordered *ordered);
/* The stream's first operation, a host function, has been called: the program may know so from it. */
void sim_order_called(CUstream s);
/* The work was dropped, or has failed. */
void sim_order_drop(sim_work *work);

#endif
