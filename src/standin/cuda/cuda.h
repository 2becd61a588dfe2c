/* The driver API (libcuda.so.1) for unmodified programs, over the virtual GPU's driver. Generated code exports the
 * driver table's functions directly; the other functions are written by hand here. Contexts are names for the one state
 * of their device, which the runtime API shares.
 *
 *     names.def         all names that libcuda.so.1 exports
 *     functions.def     the functions written by hand
 *     generate-calls.c  writes the others
 *     calls.c           the generated functions, cuGetProcAddress()
 *     context.c         initialisation, contexts
 *     device.c          queries of devices; errors
 *     module.c          modules from all kinds of images
 *     library.c         libraries and kernels
 *     function.c        queries of functions, occupancy
 *     launch.c          launches
 *     link.c            linking
 *     memory.c          memory, copies, fills
 *     pool.c            pools of memory, also of other processes
 *     address.c         queries of addresses; managed memory
 *     stream.c          streams and events
 *     ipc.c             memory and events of other processes
 *     graph.c           graphs and captures
 *     nodes.c           nodes of all kinds by one call, conditional nodes
 *     values.c          values that streams write and wait for
 *     objects.c         user objects of graphs
 *     batches.c         batches of copies and prefetches
 *     checkpoint.c      checkpoints of the process
 *     layout.c          queries of arrays' layouts, tensor maps
 *     green.c           green contexts
 *     log.c             the log of failed calls; log.h
 *     accepted.c        functions about which a virtual GPU has nothing to do */
#ifndef HAUL_STANDIN_CUDA_CUDA_H
#define HAUL_STANDIN_CUDA_CUDA_H

#include "ptx/ir.h"
#include "standin/standin.h"

typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef void (*cuda_stream_callback)(CUstream stream, CUresult result, void *data);
typedef size_t (*cuda_shared_of_block)(int threads);

/* CUctxCreateParams: both are refused, since haul has neither affinities to SMs nor contexts for graphics. */
typedef struct cuda_context_options {
    void *affinities;
    int affinity_count;
    void *graphics;
} cuda_context_options;

/* CUDA passes handles by value and does not look into them. ipc.c has the content. */
typedef struct cuda_ipc_handle {
    char bytes[64];
} cuda_ipc_handle;

typedef struct cuda_instantiate_params {
    unsigned long long flags; /* of cuGraphInstantiateWithFlags() */
    CUstream upload;
    CUgraphNode failed; /* output; haul does not name a node */
    int result;         /* output: 0 for success, 1 for an error */
} cuda_instantiate_params;

typedef struct cuda_kernel_node_v1 {
    CUfunction function;
    unsigned grid[3], block[3], shared_bytes;
    void **parameters, **extra;
} cuda_kernel_node_v1;

typedef struct cuda_condition {
    unsigned long long handle;
    int kind; /* SIM_CONDITION_..., which has CUDA's numbers */
    unsigned count;
    CUgraph *bodies;   /* output */
    CUcontext context; /* not in the runtime's structure */
} cuda_condition;

/* CUstreamBatchMemOpParams: all kinds of operations have their value's fields. */
typedef union cuda_value_op {
    unsigned op;
    struct {
        unsigned op;
        CUdeviceptr address;
        unsigned long long value;
        unsigned flags;
        CUdeviceptr alias;
    } value;
    unsigned long long room[6];
} cuda_value_op;
typedef struct cuda_batch {
    CUcontext context;
    unsigned count;
    cuda_value_op *ops;
    unsigned flags;
} cuda_batch;

/* CUmemcpyAttributes; CUDA_MEMCPY3D_BATCH_OP and its operands. Sizes are in elements. */
typedef struct cuda_copy_attributes {
    int source_order;
    CUmemLocation from, to;
    unsigned flags;
} cuda_copy_attributes;
typedef struct cuda_copy_operand {
    int kind;
    union {
        struct {
            CUdeviceptr address;
            size_t row, layer;
            CUmemLocation hint;
        } memory;
        struct {
            CUarray array;
            size_t x, y, z;
        } array;
    } of;
} cuda_copy_operand;
typedef struct cuda_copy_box {
    cuda_copy_operand from, to;
    size_t width, height, depth;
    int source_order;
    unsigned flags;
} cuda_copy_box;
_Static_assert(sizeof(cuda_copy_box) == 112, "CUDA_MEMCPY3D_BATCH_OP has 112 bytes");

typedef struct CUuserObject_st *CUuserObject;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUasyncCallbackEntry_st *CUasyncCallback;
typedef struct CUlogsCallbackEntry_st *CUlogsCallback;
typedef void (*cuda_async_function)(void *what, void *data, CUasyncCallback entry);
typedef void (*cuda_log_function)(void *data, int level, char *message, size_t bytes);

/* CUdevResource: a number of SMs, the least that a part of them may have, and of what its size is a multiple. */
typedef struct cuda_resource {
    int type;
    unsigned char reserved[92];
    union {
        struct {
            unsigned count, least, unit;
        } sms;
        unsigned char room[48];
    } of;
} cuda_resource;
/* CU_DEV_SM_RESOURCE_GROUP_PARAMS; a count of 0 asks for as many as there are. */
typedef struct cuda_sm_group {
    unsigned count, unit, preferred_unit, flags;
    unsigned reserved[12];
} cuda_sm_group;
_Static_assert(sizeof(cuda_resource) == 144, "CUdevResource has 144 bytes");

/* CUDA's layout. The runtime's structure differs only within kernels, copies, fills and addresses (runtime/nodes.c). */
typedef struct cuda_node_params {
    int type; /* DRIVER_NODE_... */
    int reserved[3];
    union {
        long long room[29];
        CUDA_KERNEL_NODE_PARAMS kernel;
        struct {
            int flags, reserved;
            CUcontext context;
            CUDA_MEMCPY3D what;
        } copy;
        CUDA_MEMSET_NODE_PARAMS fill;
        CUDA_HOST_NODE_PARAMS host;
        CUgraph child;
        CUevent event;
        CUDA_MEM_ALLOC_NODE_PARAMS allocation;
        CUdeviceptr address;
        cuda_condition condition;
        cuda_batch batch;
    } of;
    long long reserved_behind;
} cuda_node_params;
_Static_assert(sizeof(cuda_node_params) == 256, "CUgraphNodeParams has 256 bytes");

/* Both tables declare functions that the program calls by these names, whether written by hand or generated. */
#define CUDA(symbol, parameters) CUresult symbol parameters;
#include "standin/cuda/functions.def"
#undef CUDA
#define DRIVER(name, symbol, parameters) CUresult symbol parameters;
#include "driver/driver.def"
#undef DRIVER

/* Each call of the program runs between these two, as calls of the runtime run between standin_enter() and
 * standin_leave(). Requires cuInit() and a current context, if the call needs one; otherwise nothing is entered. As on
 * an H200 (tests/programs/samples/without_context.cu), no context need be current for calls about devices, and for
 * calls that tell it by a handle: a stream that is not a default one, an event, module, function, graph or pool. */
CUresult cuda_enter(const driver_table **d);
CUresult cuda_enter_beside(const driver_table **d); /* standin_enter_driver_beside() */
CUresult cuda_enter_device(const driver_table **d);
CUresult cuda_enter_device_beside(const driver_table **d);
CUresult cuda_enter_handle(const driver_table **d);
CUresult cuda_enter_handle_beside(const driver_table **d);
CUresult cuda_enter_stream(const driver_table **d, CUstream stream);
CUresult cuda_enter_stream_beside(const driver_table **d, CUstream stream);
CUresult cuda_leave(CUresult result);
/* Declares `d`, and leaves the function if nothing was entered. */
#define CUDA_ENTER_BY(d, enter)                        \
    const driver_table *d;                             \
    do {                                               \
        const CUresult entered_ = enter;               \
        if (entered_ != CUDA_SUCCESS) return entered_; \
    } while (0)
#define CUDA_ENTER(d) CUDA_ENTER_BY(d, cuda_enter(&d))
#define CUDA_ENTER_BESIDE(d) CUDA_ENTER_BY(d, cuda_enter_beside(&d))
#define CUDA_ENTER_DEVICE(d) CUDA_ENTER_BY(d, cuda_enter_device(&d))
#define CUDA_ENTER_DEVICE_BESIDE(d) CUDA_ENTER_BY(d, cuda_enter_device_beside(&d))
#define CUDA_ENTER_HANDLE(d) CUDA_ENTER_BY(d, cuda_enter_handle(&d))
#define CUDA_ENTER_HANDLE_BESIDE(d) CUDA_ENTER_BY(d, cuda_enter_handle_beside(&d))
#define CUDA_ENTER_STREAM(d, stream) CUDA_ENTER_BY(d, cuda_enter_stream(&d, stream))
#define CUDA_ENTER_STREAM_BESIDE(d, stream) CUDA_ENTER_BY(d, cuda_enter_stream_beside(&d, stream))

/* ---- between them ---- */

/* Returns CUDA_INVALID_VALUE or the like, with a message. */
CUresult cuda_wrong(CUresult result, const char *what);

/* Translates the program's device number, from 0, to the virtual driver's; or CUDA_INVALID_DEVICE, with a message. */
CUresult cuda_device_of(CUdevice *device);
/* Writes 16 bytes; `device` is the virtual driver's. */
CUresult cuda_device_uuid(const driver_table *d, void *uuid, CUdevice device);
/* No kernel runs until the call ends, unless the driver's function is prepared, so that nothing of it changes. */
void cuda_prepare_alone(CUfunction function);
/* CUDA_INVALID_HANDLE, with a message, unless the module is loaded. */
CUresult cuda_check_module(CUmodule module);
/* The driver's function for a handle, which may be one of a library's kernel. */
CUresult cuda_function_of(CUfunction *handle);
/* Points each parameter into the buffer that `extra` describes, as a launch takes it. */
enum { CUDA_MOST_PARAMETERS = 4096 };
CUresult cuda_unpack_parameters(CUfunction function, void **extra, void *parameters[CUDA_MOST_PARAMETERS]);
/* Checks that the device supports grids and blocks of that shape. */
CUresult cuda_check_shape(const driver_table *d, const CUlaunchConfig *config);
/* Checks that all blocks of a cooperative grid fit on the machine at once. */
CUresult cuda_check_cooperative(const driver_table *d, CUfunction function, const CUlaunchConfig *config);
/* The primary context of the program's device with that number; it exists whether or not it was retained. */
CUcontext cuda_primary_context(unsigned number);
/* Makes a context of the device, which is not current yet. */
CUresult cuda_add_context(CUdevice device, CUcontext *context);
/* Add or change a node of a batch; `executable` NULL: of a graph. */
CUresult cuda_add_batch(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t behind_count,
                        const cuda_batch *batch);
CUresult cuda_set_batch(CUgraphExec executable, CUgraphNode node, const cuda_batch *batch);
/* A graph or executable gets references to the objects of `from`; all of a graph's are given back at its end. Called
 * without the lock. */
void cuda_copy_holdings(const void *from, const void *to);
void cuda_end_holdings(const void *graph);
/* Opens a file that another process has open, by its descriptor there; the caller closes it. */
CUresult cuda_open_file_of(int process, int descriptor, int *file);
/* The context of a green context; NULL if there is none. */
CUcontext cuda_context_of_green(const void *green);
/* As cudaSetDevice(). */
CUresult cuda_set_device(CUdevice device);
/* Checks that a context has not been destroyed; NULL: the current one. */
CUresult cuda_check_context(CUcontext context);

/* JIT options, given as arrays of numbers and values: buffers for messages. */
typedef struct cuda_log {
    char *text[2]; /* information and errors; may be NULL */
    size_t room[2];
    void **written[2]; /* gets the number of characters */
} cuda_log;
cuda_log cuda_read_log(unsigned count, const int *options, void **values);
void cuda_write_log(const cuda_log *log, CUresult result);

/* Loads PTX, linked PTX or the PTX of a fat binary; `name` is for messages. */
CUresult cuda_load_image(const driver_table *d, const char *name, const void *image, CUmodule *module);
CUresult cuda_load_file(const driver_table *d, const char *path, CUmodule *module);
/* Unloads a module. With a report it only waits for the device, since the report may need the module. */
CUresult cuda_unload(const driver_table *d, CUmodule module);
/* The names of a module's kernels, one for each call; NULL at the end. *at is 0 before the first. */
const char *cuda_next_kernel(CUmodule module, size_t *at);
/* The parsed form of a function. */
const ptx_function *cuda_entry(CUfunction function);
/* The offset of a parameter in packed parameters. */
uint64_t cuda_parameter_offset(const ptx_function *entry, size_t index);
/* PTX for the linker from an image; the caller frees it. NULL if there is none. */
char *cuda_text_of_image(const void *image);
/* Returns whether it is an archive, as libcudadevrt.a is. Linkers ignore those: what haul has of NVIDIA's archive comes
 * from the virtual GPU, and other archives' PTX is not looked for. */
bool cuda_is_archive(const void *image);

#endif
