/* The CUDA runtime for unmodified programs on a virtual GPU: haul's own libcudart. `haul run -- PROGRAM` loads it into
 * the program before all other libraries. The runtime's functions call the driver's table; their names and signatures
 * are CUDA's. Handles of streams, events and graphs are the driver's own. So are errors, since CUDA numbers both alike.
 *
 *     redirect.c  programs that are linked with the static runtime
 *     runtime.def the functions of the runtime, and which of them haul has
 *     errors.def  names of the runtime's errors
 *     missing.c   functions that haul lacks
 *     modules.c   fat binaries, kernels and variables that a program registers
 *     fatbin.c    PTX and machine code out of fat binaries
 *     library.c   libraries
 *     launch.c    launches
 *     kernel.c    queries of kernels
 *     memory.c    memory, copies, fills
 *     array.c     arrays, copies of boxes; array.h
 *     texture.c   textures and surfaces
 *     managed.c   managed memory, queries of addresses
 *     stream.c    streams, events
 *     pool.c      pools of memory
 *     ipc.c       memory and events of other processes
 *     graph.c     graphs; graph.h
 *     further.c   functions that are those of the driver API under other names
 *     nodes.c     nodes of all kinds by one call, conditional nodes
 *     execution.c execution contexts and resources
 *     device.c    queries of the device; errors
 *     properties.c  cudaDeviceProp; properties.def
 *     version.h   which version of CUDA the program was made for
 *     session.c   the devices, one call at a time
 *     ending.c    the end of the program
 *     settings.h  settings from the command line; settings.def, environment.h
 *     record.c    which launches are counted; report.h, their reports
 *     saved.c     the report of a program that is killed; saved.h
 *     nvtx.c      ranges that the program marks
 *     nvtx_memory.c  heaps and permissions of its memory that the program describes
 *     terminal.h  a line with the progress of a long launch
 *     beyond.h    kernels that access memory beyond allocations
 *     touch.c     host code that touches device memory
 *     caller.c    where in the program a call is made
 *     order.c     operations of the program that nothing orders; call_finding.h
 *     resources.c what the program makes and does not release; resources.def
 *     progress.h  work that no call waits for
 *     ptx_run.c   kernels on the host's memory, for mock drivers
 *     nvrtc.c     NVRTC and nvJitLink, which give PTX for machine code; nvjitlink.c
 *     nvml.c      NVML; nvml.def
 *     gpu/        a library of its own: times launches in front of a real driver
 *     cuda/       the driver API: see cuda/cuda.h
 *     names/      the libraries that programs ask the loader for
 *     audit/      the library that watches the loader
 *     shims/      scripts in place of nvcc and ptxas */
#ifndef HAUL_STANDIN_STANDIN_H
#define HAUL_STANDIN_STANDIN_H

#include "driver/driver.h"

#include <haul/haul.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- types of the runtime API ---- */

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

/* CUDA's layout; the runtime's attributes are the driver's. */
typedef struct cudaLaunchConfig_t {
    dim3 grid, block;
    size_t shared_bytes;
    CUstream stream;
    CUlaunchAttribute *attributes;
    unsigned attribute_count;
} cudaLaunchConfig_t;

/* cudaMemcpyKind: the direction that the program names. COPY_DEFAULT: the addresses tell. */
enum { COPY_ON_HOST, COPY_IN, COPY_OUT, COPY_ON_DEVICE, COPY_DEFAULT };

/* ---- calls ---- */

/* Each call of the program runs between these two: one at a time, with the device's context. The first call opens
 * the device. Failures are kept as the thread's last error. After a kernel's fault every call fails, because a CUDA
 * context is unusable then. standin_enter() returns the virtual GPU's table, and standin_leave() the result that the
 * program gets. Calls of these functions may be nested. */
const driver_table *standin_enter(void);
CUresult standin_leave(CUresult result);
/* The same for calls that may come while kernels of other threads run: they change neither memory, modules nor
 * settings. Once standin_be_alone() returns, no kernel runs until the call ends. */
const driver_table *standin_enter_beside(void);
const driver_table *standin_enter_driver_beside(void);
void standin_be_alone(void);
/* The same for calls of the driver API, whose failures are not errors of the runtime. */
const driver_table *standin_enter_driver(void);
CUresult standin_leave_driver(CUresult result);
/* The same after a launch. The virtual GPU runs kernels on the default stream within the call. In CUDA a launch does
 * not wait, so the kernel's fault is the next call's, unless CUDA_LAUNCH_BLOCKING is set. */
CUresult standin_leave_launch(CUresult result);
CUresult standin_leave_launch_of_driver(CUresult result);
/* Whether the thread has called the runtime, which makes a primary context current. */
bool standin_uses_runtime(void);
/* Whether any thread has, which initialises the driver for all. */
bool standin_has_runtime(void);
/* Between both: the call's failure is an answer that right programs ask for, so that nothing is said about it. */
CUresult standin_answer(CUresult result);
/* Reports a failure that no driver call returned. */
CUresult standin_fail(CUresult result);

#define STANDIN_CALL(call)                             \
    do {                                               \
        const driver_table *const d = standin_enter(); \
        return standin_leave(d->call);                 \
    } while (0)

#define STANDIN_CALL_BESIDE(call)                             \
    do {                                                      \
        const driver_table *const d = standin_enter_beside(); \
        return standin_leave(d->call);                        \
    } while (0)

/* The same for a runtime function that is one of the driver API: `call` is made as if by the program. */
#define STANDIN_FORWARD(call)      \
    do {                           \
        standin_use_runtime();     \
        return standin_fail(call); \
    } while (0)
void standin_use_runtime(void);

/* The text that programs print for an error. */
const char *standin_error_text(CUresult result);

/* The thread's last error; `clear`: resets it. */
CUresult standin_last_error(bool clear);
/* The call of the runtime that the thread has just ended was a launch. */
void standin_note_launch(void);

/* The meaning of a stream in code compiled with --default-stream per-thread. Stream 0 becomes the thread's own
 * default stream (2); other streams stay. */
static inline CUstream standin_own(CUstream stream) {
    return stream ? stream : (CUstream)2;
}

/* ---- between standin_enter() and standin_leave() ---- */

/* The device of the thread's current context. */
haul_device *standin_device(void);
/* The program's devices by number, and the number of the device with that driver handle (0 if unknown). */
unsigned standin_device_count(void); /* also between calls */
bool standin_is_device(int number);  /* also between calls */
haul_device *standin_device_at(unsigned number);
unsigned standin_number_of(CUdevice handle);
/* Makes it the device of the thread's calls; initially that is the first one. Returns the number of the one before.
 * Also allowed between calls. */
unsigned standin_select(unsigned number);
unsigned standin_selected(void);
/* Waits for all work of one device, or of all devices. */
CUresult standin_synchronize(unsigned number);
void standin_synchronize_all(void);

/* Finds the kernel of a host function, of a handle of __cudaGetKernel() or of a library, and a variable's address.
 * Loads the module on first use. */
CUresult standin_kernel(const driver_table *d, const void *host, CUfunction *kernel);
CUresult standin_variable(const driver_table *d, const void *host, CUdeviceptr *address, size_t *bytes);

/* The host function of a kernel that standin_kernel() has found; of another kernel, its handle. */
const void *standin_host_of(CUfunction kernel);

/* Whether standin_kernel() and a launch of the kernel change neither modules nor memory. */
bool standin_is_prepared(const void *host);

/* The kernel's symbol. */
const char *standin_kernel_name(const void *host);

/* Launches a kernel like cuLaunchKernelEx(); the launch is counted, checked or written to a file as the task requires.
 * `symbol` is the kernel's and stays valid. */
CUresult standin_launch(const driver_table *d, const CUlaunchConfig *config, CUfunction kernel, const char *symbol,
                        void **parameters, void **extra);

/* Loads a module of all objects of a fat binary. */
CUresult standin_load_fatbin(const driver_table *d, const void *fat, CUmodule *module);

/* Copies the launch attributes that the virtual GPU knows. Returns how many. */
enum { STANDIN_MOST_ATTRIBUTES = 8 };
unsigned standin_attributes(const CUlaunchAttribute *from, unsigned count, CUlaunchAttribute *to);
bool standin_is_cooperative(const CUlaunchAttribute *attributes, unsigned count);
/* Refuses attributes that the program could not do without; between enter and leave. */
CUresult standin_check_attributes(const CUlaunchAttribute *attributes, unsigned count);
/* Records the events that the attributes of a launch name, when it has ended: that is the latest they may be. */
CUresult standin_record_events(const CUlaunchAttribute *attributes, unsigned count, CUstream stream);

/* The memory kind (DRIVER_MEMORY_...) of a side of a copy, from its address and the program's direction. */
int standin_memory_kind(const void *address, bool is_source, int kind);

/* ---- other functions ---- */

/* Whether the image is a fat binary: a wrapper, as nvcc embeds it, or a container, as it writes files. */
bool standin_is_fatbin(const void *image);
/* Gets the PTX for the newest architecture of each object of a fat binary (one, or all linked ones), at most `most`;
 * the caller frees the texts. Returns how many. */
unsigned standin_fatbin_texts(const void *fat, char **texts, unsigned most);
/* Gets the machine code (a cubin) for exactly that architecture, which the caller frees; NULL if there is none, or if
 * the binary was linked from several objects: only the linker knows all registers that their kernels need. */
char *standin_fatbin_cubin(const void *fat, uint32_t sm, size_t *bytes);

/* Prints the reports at the program's end. Returns whether a finding makes a check fail. `interrupted`: some thread is
 * in a call and will not return; its work is left out. */
bool standin_report(bool interrupted);

/* Lists missing functions that the program called, one per line. */
void standin_report_missing(void);
void standin_report_missing_driver(void);

/* Calls that come later wait until standin_go_on(); work is done before. The end of the program does not wait. */
void standin_hold_up(void);
void standin_go_on(void);
void standin_end_hold_up(void);
/* Whether no thread is in a call. */
bool standin_is_free(void);
/* Whether this thread is in a call. */
bool standin_is_in_call(void);
/* Makes the report appear at the end of this process. */
void standin_prepare_end(void);

/* Whether the thread is in a range that the command line names, or it names none. */
bool standin_in_range(void);

#endif
