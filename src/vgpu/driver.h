/* The virtual GPU behind the CUDA driver API.
 *
 * Its devices are the machines of machines.def, in their order. Functions that fail leave a message (haul_message())
 * beside the CUresult. The functions below go beyond the API: they configure a device and read what a launch
 * counted. */
#ifndef HAUL_VGPU_DRIVER_H
#define HAUL_VGPU_DRIVER_H

#include "base/arena.h"
#include "base/text.h"
#include "driver/driver.h"
#include "machine/heap.h"
#include "machine/machine.h"
#include "machine/memory.h"
#include "ptx/ir.h"
#include "state/print_log.h"
#include "state/schedule.h"

#include <haul/haul.h>
#include <stdint.h>

const driver_table *sim_driver(void);

/* Sets the bytes of device memory of the context that the calling thread makes next; 0: the machine's own. */
void sim_driver_set_memory(uint64_t bytes);

/* The most devices that one program may have. */
enum { SIM_MOST_DEVICES = 8 };
/* Several equal devices: numbers from cuDeviceGetCount() on stand for further devices of the same machines. */
CUdevice sim_driver_further_device(CUdevice device, unsigned number);
unsigned sim_driver_device_number(CUdevice device);
const sim_machine *sim_driver_machine(CUdevice device);
/* Joins contexts of different devices into one program, whose threads call the driver one at a time. Each context then
 * knows the others' handles and addresses, and they share pinned and managed memory. They are released in reverse
 * order. Errors: HAUL_ERROR_ARGUMENT for more than SIM_MOST_DEVICES; HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_driver_join(const CUcontext *contexts, unsigned count);
/* Sets whether kernels of the current context may access another context's memory. Returns false, with no effect, if it
 * was so already. */
bool sim_driver_set_peer(CUcontext of, bool reaches);
/* Sets, or returns, whether kernels of another device may access what is allocated from a pool. */
CUresult sim_driver_set_pool_access(CUmemoryPool pool, CUdevice device, bool reaches);
bool sim_driver_pool_access(CUmemoryPool pool, CUdevice device);
/* The default pool of pinned memory of the host. */
CUresult sim_driver_host_pool(CUmemoryPool *pool);
/* The device whose kernel or copy failed last for the calling thread; -1 if none did. */
CUdevice sim_driver_failed_device(void);
/* Gets the device that a stream belongs to. */
CUresult sim_driver_stream_device(CUstream stream, CUdevice *device);
/* Share memory and events with other processes of the program, as a file of this process and an offset in it. Memory
 * means the allocation that contains the address. It is opened by offset and size, on that device or, if the program
 * does not have it, on the current one; releasing it ends the use. All processes see an opened event's records and
 * waits. */
CUresult sim_driver_share_memory(CUdeviceptr address, int *file, uint64_t *place, uint64_t *bytes, CUdevice *device);
CUresult sim_driver_open_memory(int file, uint64_t place, uint64_t bytes, CUdevice device, CUdeviceptr *address);
/* Pools likewise. A pool has a number in its process and device, from which the caller makes an `origin`, not 0, that
 * no other pool of any process has. An opened pool stands for the pool of its origin; allocations of that one are
 * opened in it, and end by a release. An allocation is shared by its first address. One of another pool is not opened:
 * CUDA_INVALID_VALUE without a message. */
CUresult sim_driver_share_pool(CUmemoryPool pool, int handles, uint64_t *number, CUdevice *device);
CUresult sim_driver_open_pool(CUdevice device, uint64_t origin, CUmemoryPool *pool);
CUresult sim_driver_share_pooled(CUdeviceptr address, uint64_t *number, CUdevice *device, int *file, uint64_t *place,
                                 uint64_t *bytes);
CUresult sim_driver_open_pooled(CUmemoryPool pool, uint64_t origin, int file, uint64_t place, uint64_t bytes,
                                CUdeviceptr *address);
CUresult sim_driver_share_event(CUevent event, int *file, uint64_t *place);
CUresult sim_driver_open_event(int file, uint64_t place, CUevent *event);
/* The next module that the calling thread loads shares the managed variables of `twin`, which was made from the same
 * PTX for another device; NULL: it has its own. */
void sim_driver_share_managed(CUmodule twin);

/* The following settings hold for the calling thread's current context. */
void sim_driver_set_threads(uint32_t threads);         /* 0: all cores */
void sim_driver_set_limit(uint64_t instruction_limit); /* 0: the default */
/* Sets whether launches are checked, with `strict` for fences after reads too, and their schedule. Records of checked
 * launches carry findings, even if the launch ends with a fault. */
void sim_driver_set_checks(bool check, bool strict, const sim_schedule *schedule);
/* With checks: where the current context's next allocations lie. A launch that begins at one place, whatever was run
 * before it, has the same addresses in its findings. */
uint64_t sim_driver_memory_place(void);
void sim_driver_memory_go_back(uint64_t place);
/* Sets which launches are counted. */
void sim_driver_set_counting(haul_counting counting);
/* Sets how many blocks of a larger launch are counted; 0: all. */
void sim_driver_set_sample(uint64_t blocks);
/* Sets the registers that a thread of a kernel without launch bounds uses at most; 0: no limit. For kernels that are
 * prepared later. */
void sim_driver_set_most_registers(uint32_t registers);
/* From now on kernels may access memory mapped behind allocations, as on hardware (machine/memory.h). `note` is called
 * when a launch that did so has ended. */
typedef void sim_note_overrun(const char *kernel, const sim_overrun *overrun);
void sim_driver_map_pages(sim_note_overrun *note);
/* Sets whether L2 keeps its contents between counted launches; otherwise it is empty before each. */
void sim_driver_keep_l2(bool keeps);
/* Sets where the text that kernels print goes; the sink's context must outlive the launches. */
void sim_driver_set_print(sim_print_sink sink);
/* Without this, threads may call the driver, and wait for each other's calls, also for kernels. This is for a program
 * whose threads take turns by a lock of their own. A thread calls let_go() before it waits or calls a host
 * function, and take_back() afterwards. is_alone() returns whether the wait is in vain: apart from `waiting` threads
 * that wait too, no thread of the program will do anything. NULL: the program has no other thread.
 *
 * Around an uncounted kernel's run, a thread calls begin_run() and, if that returned true, end_run(). Calls of other
 * threads may come between the two if they change neither memory, modules nor settings; await_run() waits until a run
 * has ended. NULL: kernels run alone. */
typedef struct sim_sharing {
    void (*let_go)(void), (*take_back)(void);
    bool (*is_alone)(unsigned waiting);
    bool (*begin_run)(void);
    void (*end_run)(void), (*await_run)(void);
} sim_sharing;
void sim_driver_share(const sim_sharing *how);
/* Returns whether a launch of the kernel changes neither its module nor the device's memory: it is prepared. */
bool sim_driver_is_prepared(CUfunction function);
/* Returns whether a stream has work that no call waits for; does all such work of the current context, unless it waits
 * for something else. */
bool sim_driver_has_work(void);
CUresult sim_driver_do_work(void);
/* A number that grows with each piece of work done and with each change. */
uint64_t sim_driver_news(void);
/* The name of a kernel, on any device of the program, that has begun and waits for others; NULL if none does. */
const char *sim_driver_waiting_kernel(void);
/* Returns whether a device of the program has memory at the address. */
bool sim_driver_is_device_address(CUdeviceptr address);
/* Return the flags of an executable graph, the allocation of a node, and the address that a node frees. */
CUresult sim_driver_executable_flags(CUgraphExec executable, unsigned long long *flags);
CUresult sim_driver_node_allocation(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *out);
CUresult sim_driver_node_freed(CUgraphNode node, CUdeviceptr *address);
/* Shares memory of virtual addresses with other processes, as a file descriptor that the caller owns. Imported, it is
 * memory of the current device. */
CUresult sim_driver_export_memory(CUmemGenericAllocationHandle memory, int *file);
CUresult sim_driver_import_memory(CUmemGenericAllocationHandle *memory, int file);
/* Operations of a stream on a value of 4 or 8 bytes in memory: writes it, or waits until it compares as said. They
 * are nodes of graphs, too; `count` gets the number of a node's, at most `room` of which are filled in. */
enum { SIM_VALUE_AT_LEAST, SIM_VALUE_EQUAL, SIM_VALUE_AND, SIM_VALUE_NOR }; /* CUDA's numbers */
typedef struct sim_value_op {
    bool waits;
    int comparison; /* of a wait */
    unsigned width;
    CUdeviceptr address;
    uint64_t value;
} sim_value_op;
CUresult sim_driver_issue_values(CUstream stream, const sim_value_op *ops, unsigned count);
CUresult sim_driver_node_add_values(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t behind_count,
                                    const sim_value_op *ops, unsigned count);
CUresult sim_driver_node_set_values(CUgraphNode node, const sim_value_op *ops, unsigned count);
CUresult sim_driver_executable_set_values(CUgraphExec executable, CUgraphNode node, const sim_value_op *ops,
                                          unsigned count);
CUresult sim_driver_node_values(CUgraphNode node, sim_value_op *ops, unsigned room, unsigned *count);
/* Returns the flags of an event. */
CUresult sim_driver_event_flags(CUevent event, unsigned *flags);
/* The simulated clock: microseconds since the device was opened, as the host program sees them. sim_driver_wait_until()
 * lets time pass until `us`, which the program spends otherwise. */
double sim_driver_now(void);
void sim_driver_wait_until(double us);
/* Does the work before a recorded event and gets its time on the clock, which does not advance: the caller learns which
 * of several events comes first. Errors: those of the work. */
haul_status sim_driver_event_time(CUevent event, double *us);
/* Where the program made a call: the return address, and the name of the function that it called. NULL: unknown. */
typedef struct sim_site {
    const void *address;
    const char *function;
} sim_site;
/* Two operations of the program use the same bytes, at least one of them writes, and nothing orders the two
 * (vgpu/order.h). */
typedef enum sim_order_kind {
    SIM_ORDER_COPY,
    SIM_ORDER_FILL,
    SIM_ORDER_LAUNCH,
    SIM_ORDER_FREE,
    SIM_ORDER_HOST,      /* the program itself, at site.address */
    SIM_ORDER_HOST_FREE, /* a release that comes at once, and waits for nothing */
    SIM_ORDER_ALLOCATE,  /* an allocation in stream order */
} sim_order_kind;
typedef struct sim_order_end {
    sim_order_kind kind;
    sim_site site; /* of the call; for a node of a graph, of the call that made the node */
    unsigned long long stream;
    bool writes;
    CUfunction function; /* LAUNCH: the kernel, which may be unloaded by now, and its name */
    char kernel[128];
    uint32_t instruction; /* of the kernel, that accesses the bytes */
    bool is_before_site;  /* host code, somewhere before the call there */
} sim_order_end;
typedef enum sim_order_fault {
    SIM_ORDER_RACES,    /* nothing orders the two */
    SIM_ORDER_OVERLAPS, /* a copy reads what it writes itself; both ends are the same */
    SIM_ORDER_UNWRITTEN /* a copy to the host reads bytes that nobody has written; both ends are the same */
} sim_order_fault;
typedef struct sim_order_finding {
    sim_order_fault fault;
    sim_order_end later, earlier; /* in the order of calls */
    CUdeviceptr address;          /* of the first byte that both use */
    uint64_t bytes;
    uint64_t of;      /* UNWRITTEN: so many does it copy */
    bool overlaps;    /* the later launch may start before the earlier one has ended, and does not wait for it */
    bool is_next;     /* if it overlaps: nothing was launched between the two */
    bool is_at_start; /* the later launch does this before it waits for the earlier one */
} sim_order_finding;
typedef struct sim_order_watch {
    sim_site (*site)(void); /* returns where the calling thread is */
    void (*report)(const sim_order_finding *finding);
} sim_order_watch;
/* Watches the order of all operations of the current context's program, if launches are checked. */
haul_status sim_driver_watch_order(const sim_order_watch *watch);
/* Host memory that operations may still use, because the program has not waited for them. Fills in at most `room`
 * ranges and returns their number; none while a kernel may be giving signs to the program. */
typedef struct sim_host_use {
    unsigned char *from, *to;
    unsigned char *end; /* from `to` up to here nothing else lies on the host's pages */
    bool writes;
    bool is_owned; /* the driver's allocation, which only a call frees */
} sim_host_use;
size_t sim_driver_host_uses(sim_host_use *uses, size_t room);
/* The program's own code has read or written the byte at that address, at `code`; NULL: somewhere before the present
 * call. */
void sim_driver_host_touched(const unsigned char *at, bool writes, const void *code);
/* Finds the line of the user's source that an instruction of a kernel comes from. False if it is unknown, or if the
 * kernel was unloaded. */
bool sim_driver_kernel_place(CUfunction function, uint32_t instruction, const char **file, uint32_t *line);
/* For tests: makes the calling thread's n-th call into the driver from now (1 = the next) fail; 0: none. */
void sim_driver_fail_call(uint64_t n);
/* The next launches fill that element of the run when they are done, and allocate in `memory`; NULL: no record. */
void sim_driver_record(haul_run *run, size_t launch, arena *memory);
/* Work of a stream that took time on the clock. */
typedef struct sim_placed {
    CUdevice device;
    uint64_t stream;     /* its number */
    const char *name;    /* "copy to device", ..., or the kernel's symbol */
    const haul_run *run; /* the launch's record; NULL: none */
    uint64_t bytes;      /* 0 for kernels */
    double from, to;     /* microseconds since the device was opened */
} sim_placed;
/* Called with each such work when it has been done; NULL: no callback. */
typedef void sim_note_placed(const sim_placed *placed);
void sim_driver_on_placed(sim_note_placed *note);
/* Conditional nodes. A handle stands for a value that kernels set by cudaGraphSetConditional(). It starts as `value`,
 * once or at each launch of the graph. A node gets `count` empty graphs, *bodies, which live as long as the node. */
enum { SIM_CONDITION_IF, SIM_CONDITION_WHILE, SIM_CONDITION_CHOICE };
typedef struct sim_condition {
    uint64_t handle;
    int kind;
    unsigned count;
    CUgraph *bodies; /* the node's own */
} sim_condition;
CUresult sim_driver_condition_create(uint64_t *handle, CUgraph graph, unsigned value, bool sets_at_launch);
CUresult sim_driver_node_add_condition(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                       const sim_condition *what, CUgraph **bodies);
/* The functions of edges with their data; `data` may be NULL, and is then zero. A query that is not asked for data that
 * there is returns CUDA_LOSSY_QUERY. sim_driver_node_set_edges() is for a new node with that list of dependencies. */
CUresult sim_driver_graph_connect(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                  const CUgraphEdgeData *data, size_t count);
CUresult sim_driver_graph_disconnect(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                     const CUgraphEdgeData *data, size_t count);
CUresult sim_driver_graph_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                                size_t *count);
CUresult sim_driver_node_dependencies(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count);
CUresult sim_driver_node_dependents(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count);
CUresult sim_driver_node_set_edges(CUgraphNode node, const CUgraphNode *behind, const CUgraphEdgeData *data,
                                   size_t count);
/* Attributes of a kernel's node, by their id; the node keeps those that have no effect on a virtual GPU. */
CUresult sim_driver_node_attribute(CUgraphNode node, CUlaunchAttribute *is);
CUresult sim_driver_node_set_attribute(CUgraphNode node, const CUlaunchAttribute *to);
CUresult sim_driver_node_copy_attributes(CUgraphNode to, CUgraphNode from);
/* Gives a node that contains a graph the parameters of a like graph, for later launches of the executable. */
CUresult sim_driver_executable_set_child(CUgraphExec executable, CUgraphNode node, CUgraph child);
/* The graph that a node is in, and the node's number there; numbers of graphs and executables. */
CUresult sim_driver_node_place(CUgraphNode node, CUgraph *graph, unsigned long long *number);
CUresult sim_driver_graph_id(CUgraph graph, unsigned *id);
CUresult sim_driver_executable_id(CUgraphExec executable, unsigned *id);
/* The view that a texture was made with. */
CUresult sim_driver_texture_view(CUtexObject texture, CUDA_RESOURCE_VIEW_DESC *view);
/* Makes a tensor map one of another address. */
CUresult sim_driver_tensor_map_move(CUtensorMap *map, void *address);
/* Captures the stream's next work as nodes of the graph that depend on the nodes of the list. */
CUresult sim_driver_capture_to(CUstream stream, CUgraph graph, const CUgraphNode *behind, size_t count);
/* Returns whether the calling thread is executing a stream's work. */
bool sim_driver_is_working(void);
/* Called before each kernel launch of a graph; it may ask for the launch's record by sim_driver_record(). If it returns
 * a failure, the graph's launch ends with it. NULL: no callback. */
typedef CUresult sim_begin_node_launch(CUfunction function, const CUlaunchConfig *config);
void sim_driver_on_node_launch(sim_begin_node_launch *begin);
/* Copies the heap's state; *copy: NULL if there is no heap yet. The caller frees it. Errors: HAUL_ERROR_OUT_OF_MEMORY.
 */
haul_status sim_driver_heap_copy(sim_heap_copy **copy);
/* Makes the heap what it was; NULL: empty. No kernel may be running. */
void sim_driver_heap_restore(const sim_heap_copy *copy);
/* Reports what kernels left allocated on the device heap; needs checks. Fills the record of the first kernel after
 * number *user that left blocks, with one finding for each allocating instruction, and sets *user to the kernel's
 * number, or to UINT32_MAX if there is none. Start with 0. `memory` has a jump point. */
haul_status sim_driver_leaks(uint32_t *user, arena *memory, haul_launch_record *record);
/* The haul_status of the context's last call, or of the thread's if it has no context, if it says more than the
 * CUresult; otherwise HAUL_OK. */
haul_status sim_driver_last_status(void);

/* Names the next module that the calling thread loads in messages. `name` must outlive the load. */
void sim_driver_name_image(const char *name);

/* Returns whether the handle is that of a module, or of a function. */
bool sim_driver_has_module(CUmodule module);
bool sim_driver_has_function(CUfunction function);

/* The blocks that certainly fit on an SM at once. Like cuOccupancyMaxActiveBlocksPerMultiprocessor(), but ignores the
 * estimate of registers, unless the program was told an occupancy of the function that relies on it. */
CUresult sim_driver_most_blocks(int *blocks, CUfunction function, int threads, size_t dynamic_shared_bytes);

const char *sim_driver_function_name(CUfunction function);
CUdevice sim_driver_function_device(CUfunction function);

/* The machine that the module was loaded for. */
const sim_machine *sim_driver_module_machine(CUmodule module);
/* Reads a cubin of the module's kernels for that machine, once: registers and sizes of code are taken from there, not
 * estimated, in kernels that are prepared later. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_driver_read_machine_code(CUmodule module, const text *cubin);

/* The module's IR; it lives as long as the module. */
const ptx_module *sim_driver_module_ptx(CUmodule module);
/* The IR of a kernel's module; *entry is the kernel's function there. */
const ptx_module *sim_driver_kernel_ptx(CUfunction kernel, const ptx_function **entry, CUmodule *module);
/* A description of the allocation that contains an address. */
typedef enum sim_allocation_kind { SIM_DEVICE_MEMORY, SIM_PINNED_MEMORY, SIM_MANAGED_MEMORY } sim_allocation_kind;
typedef struct sim_allocation {
    sim_allocation_kind kind;
    CUdeviceptr first; /* the address that kernels use */
    uint64_t bytes;
    unsigned char *host; /* where the host has its first byte; NULL: the host cannot access it */
    unsigned flags;      /* pinned memory: the flags it was allocated with */
    uint64_t number;     /* unique: no later allocation gets it */
    CUdevice device;     /* where it lies; pinned memory: the device that was current */
} sim_allocation;

/* Finds the allocation that contains the device address or, for pinned memory, the host pointer. Returns false if there
 * is none. */
bool sim_driver_allocation(CUdeviceptr address, sim_allocation *allocation);
/* Gets the restrictions of the memory that the address belongs to, to add to them; no kernel may run. NULL if the host
 * has no memory. */
struct sim_regions *sim_driver_restrict(CUdeviceptr address);

/* The functions of extras.def as a table, for those who have a real GPU's driver or the virtual one's. */
typedef struct vgpu_extras {
#define EXTRA(result, name, parameters) result(*name) parameters;
#include "vgpu/extras.def"
#undef EXTRA
} vgpu_extras;
const vgpu_extras *sim_driver_extras(void);

#endif
