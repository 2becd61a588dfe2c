/* The virtual GPU behind the CUDA driver API.
 *
 * Its devices are the machines of machines.def, in their order. Functions that fail leave a message (haul_message())
 * beside the CUresult. Beyond the API, the functions below say how a device runs, and what a launch counted. */
#ifndef HAUL_VGPU_DRIVER_H
#define HAUL_VGPU_DRIVER_H

#include "base/arena.h"
#include "driver/driver.h"
#include "machine/machine.h"
#include "machine/memory.h"
#include "ptx/ir.h"
#include "state/print_log.h"

#include <haul/haul.h>
#include <stdint.h>

const driver_table *sim_driver(void);

/* Bytes of device memory of the context that the calling thread makes next; 0: the machine's. */
void sim_driver_set_memory(uint64_t bytes);

/* Devices that one program may have. */
enum { SIM_MOST_DEVICES = 8 };
/* Several equal devices: numbers of devices from cuDeviceGetCount()'s on are further ones of the same machines. */
CUdevice sim_driver_further_device(CUdevice device, unsigned number);
unsigned sim_driver_device_number(CUdevice device);
const sim_machine *sim_driver_machine(CUdevice device);
/* The contexts, of different devices, are those of one program from now on, one thread of which calls the driver at a
 * time: handles and addresses of each are known in all, and pinned and managed memory is for all. None may be released.
 * Errors: HAUL_ERROR_ARGUMENT: more than SIM_MOST_DEVICES; HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_driver_join(const CUcontext *contexts, unsigned count);
/* Whether kernels of the current context reach the memory of another one. Returns false, with no effect, if that was so
 * already. */
bool sim_driver_set_peer(CUcontext of, bool reaches);
/* The same of what is allocated from a pool, for the kernels of a device, which is none of its own; and whether it is
 * so. */
CUresult sim_driver_set_pool_access(CUmemoryPool pool, CUdevice device, bool reaches);
bool sim_driver_pool_access(CUmemoryPool pool, CUdevice device);
/* The device whose work gave the calling thread its last failure of a kernel or a copy; -1: there was none. */
CUdevice sim_driver_failed_device(void);
/* The device that a stream belongs to. */
CUresult sim_driver_stream_device(CUstream stream, CUdevice *device);
/* Memory and events for other processes of the program: files of this process, and places in them. The memory is that
 * of the allocation which the address lies in, and may be opened by its place and size on that device or, if the
 * program has not got it, on the current one; releasing it ends the use. An opened event's records and waits are those
 * of all processes. */
CUresult sim_driver_share_memory(CUdeviceptr address, int *file, uint64_t *place, uint64_t *bytes, CUdevice *device);
CUresult sim_driver_open_memory(int file, uint64_t place, uint64_t bytes, CUdevice device, CUdeviceptr *address);
CUresult sim_driver_share_event(CUevent event, int *file, uint64_t *place);
CUresult sim_driver_open_event(int file, uint64_t place, CUevent *event);
/* The next module that the calling thread loads has the managed variables of this one, which was made of the same PTX
 * for another device; NULL: its own. */
void sim_driver_share_managed(CUmodule twin);

/* For the calling thread's current context. */
void sim_driver_set_threads(uint32_t threads);         /* 0: all cores */
void sim_driver_set_limit(uint64_t instruction_limit); /* 0: the default */
/* Whether launches are checked (records get findings, those of launches that end with a fault too), and the order in
 * which warps and blocks take turns. */
void sim_driver_set_checks(bool check, haul_schedule schedule, uint64_t seed);
/* Which launches are counted. */
void sim_driver_set_counting(haul_counting counting);
/* Blocks that are counted of a larger launch; 0: all. */
void sim_driver_set_sample(uint64_t blocks);
/* From now on kernels reach what is mapped behind allocations, as on hardware (machine/memory.h): gets what a launch of
 * the kernel did there, when it has ended. */
typedef void sim_note_overrun(const char *kernel, const sim_overrun *overrun);
void sim_driver_map_pages(sim_note_overrun *note);
/* Whether counted launches find in L2 what earlier ones left; else it is empty before each. */
void sim_driver_keep_l2(bool keeps);
/* Where the text goes that kernels print; the sink's context must outlive the launches. */
void sim_driver_set_print(sim_print_sink sink);
/* For a program whose threads call the driver one at a time: how a thread that is about to call a host function, or to
 * wait, lets the others have the driver meanwhile; and whether it waits in vain, as no other thread of the program will
 * do anything, so many that wait likewise aside. NULL: nobody else is there. */
typedef struct sim_sharing {
    void (*let_go)(void), (*take_back)(void);
    bool (*is_alone)(unsigned waiting);
} sim_sharing;
void sim_driver_share(const sim_sharing *how);
/* Whether a stream has something to do that no call waits for; and does all of that which is the current context's, and
 * which waits for nobody else. */
bool sim_driver_has_work(void);
CUresult sim_driver_do_work(void);
/* Grows with whatever work is done, or changes anything. */
uint64_t sim_driver_news(void);
/* The name of a kernel that has begun and waits for others, on any device of the program; NULL: none does. */
const char *sim_driver_waiting_kernel(void);
/* Whether a device of the program has memory at the address. */
bool sim_driver_is_device_address(CUdeviceptr address);
/* The simulated clock: microseconds since the device was opened, as the host program sees them; and time that the
 * program spends with something else, up to then. */
double sim_driver_now(void);
void sim_driver_wait_until(double us);
/* For tests: of the calling thread's calls into the driver, the n-th from now (1 = the next) fails; 0: none. */
void sim_driver_fail_call(uint64_t n);
/* The next launches fill that element of the run, with what they allocate in `memory`, when they are done; NULL: none.
 */
void sim_driver_record(haul_run *run, size_t launch, arena *memory);
/* Conditional nodes. A handle stands for a value that kernels set by cudaGraphSetConditional(), and which is `value` at
 * first, or whenever the graph is launched. A node gets `count` graphs, to be filled: *bodies, which live as long as
 * it. */
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
/* What the stream gets from now on becomes nodes of the graph, behind those of the list. */
CUresult sim_driver_capture_to(CUstream stream, CUgraph graph, const CUgraphNode *behind, size_t count);
/* Whether the calling thread is doing a stream's work. */
bool sim_driver_is_working(void);
/* Called before each launch of a graph's kernel: it may ask for the launch's record by sim_driver_record(). What it
 * returns, if it is a failure, ends the launch of the graph. NULL: nobody. */
typedef CUresult sim_begin_node_launch(CUfunction function, const CUlaunchConfig *config);
void sim_driver_on_node_launch(sim_begin_node_launch *begin);
/* What nobody has freed of the device's heap, of devices with checks: the record of the first kernel behind number
 * *user whose blocks there are, with a finding for each of its instructions that allocated some, and *user becomes its
 * number; UINT32_MAX: there is none. Starts with 0. `memory` has a jump point. */
haul_status sim_driver_leaks(uint32_t *user, arena *memory, haul_launch_record *record);
/* Status of the context's last call (of the thread's, where it has no context), where it said more than a CUresult
 * does; else HAUL_OK. */
haul_status sim_driver_last_status(void);

/* What messages about the next module that the calling thread loads call it. `name` must outlive the load. */
void sim_driver_name_image(const char *name);

/* Whether the handle is that of a module, or of a function. */
bool sim_driver_has_module(CUmodule module);
bool sim_driver_has_function(CUfunction function);

/* Blocks that an SM may hold at once for all that is certain: as cuOccupancyMaxActiveBlocksPerMultiprocessor(), but the
 * estimate of registers does not count, unless somebody was told an occupancy of the function that it is in. */
CUresult sim_driver_most_blocks(int *blocks, CUfunction function, int threads, size_t dynamic_shared_bytes);

const char *sim_driver_function_name(CUfunction function);
CUdevice sim_driver_function_device(CUfunction function);

/* What the module was parsed to; lives as long as it. */
const ptx_module *sim_driver_module_ptx(CUmodule module);
/* The same of a kernel's module, and which of its functions the kernel is. */
const ptx_module *sim_driver_kernel_ptx(CUfunction kernel, const ptx_function **entry, CUmodule *module);
/* What is known of the memory that an address lies in. */
typedef enum sim_allocation_kind { SIM_DEVICE_MEMORY, SIM_PINNED_MEMORY, SIM_MANAGED_MEMORY } sim_allocation_kind;
typedef struct sim_allocation {
    sim_allocation_kind kind;
    CUdeviceptr first; /* for kernels */
    uint64_t bytes;
    unsigned char *host; /* where the host has its first byte; NULL: it has not */
    unsigned flags;      /* that pinned memory was made with */
    uint64_t number;     /* no other allocation has it, not even later */
    CUdevice device;     /* that has it, or, of pinned memory, that was current */
} sim_allocation;

/* The allocation that the address lies in, or, of pinned memory, the host's pointer; false:
 * there is none. */
bool sim_driver_allocation(CUdeviceptr address, sim_allocation *allocation);

/* The functions of extras.def as a table, for those who have a real GPU's driver or the virtual one's. */
typedef struct vgpu_extras {
#define EXTRA(result, name, parameters) result(*name) parameters;
#include "vgpu/extras.def"
#undef EXTRA
} vgpu_extras;
const vgpu_extras *sim_driver_extras(void);

#endif
