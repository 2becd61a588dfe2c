/* The CUDA runtime for unmodified programs on a virtual GPU: haul's own libcudart. `haul run -- PROGRAM` loads it into
 * the program in front of all other libraries. The functions of the runtime stand over the driver's table; their names
 * and signatures are CUDA's. Handles of streams, events and graphs are the driver's own; so are errors, as CUDA gives
 * both the same numbers.
 *
 *     redirect.c  programs that are linked with the static runtime
 *     runtime.def the functions of the runtime, and which of them are here
 *     errors.def  names of the runtime's errors
 *     missing.c   those that are not
 *     modules.c   fat binaries, kernels and variables that a program registers
 *     fatbin.c    PTX out of fat binaries
 *     library.c   libraries
 *     launch.c    launches
 *     kernel.c    what is asked of kernels
 *     memory.c    memory, copies, fills
 *     array.c     arrays, copies of boxes; array.h
 *     texture.c   textures and surfaces
 *     managed.c   managed memory, what is asked of addresses
 *     stream.c    streams, events
 *     pool.c      pools of memory
 *     ipc.c       memory and events of other processes
 *     graph.c     graphs; graph.h
 *     nodes.c     nodes of all kinds by one call, conditional nodes
 *     device.c    what is asked of the device; errors
 *     properties.c  cudaDeviceProp; properties.def
 *     version.h   which version of CUDA the program was made for
 *     session.c   the devices, one call at a time
 *     ending.c    the end of the program
 *     settings.h  what the command line asks for; settings.def, environment.h
 *     record.c    which launches are counted; report.h, what becomes of them
 *     nvtx.c      ranges that the program marks
 *     terminal.h  a line that shows how far a long launch has come
 *     beyond.h    kernels that access memory behind allocations
 *     touch.c     host code that touches device memory
 *     caller.c    where in the program a call is made
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

typedef struct cudaLaunchConfig_t {
    dim3 grid, block;
    size_t shared_bytes;
    CUstream stream;
    CUlaunchAttribute *attributes;
    unsigned attribute_count;
} cudaLaunchConfig_t;

enum { COPY_ON_HOST, COPY_IN, COPY_OUT, COPY_ON_DEVICE, COPY_DEFAULT };

/* ---- calls ---- */

/* Each call of the program's is between these two: one at a time, with the device's context. The device is opened by
 * the first. Failures are kept as the thread's last error, and those that end a kernel for everybody: a CUDA context is
 * of no more use then. */
const driver_table *standin_enter(void);
CUresult standin_leave(CUresult result);
/* The same for calls of the driver API, whose failures are no errors of the runtime's. */
const driver_table *standin_enter_driver(void);
CUresult standin_leave_driver(CUresult result);
/* Whether the thread has called the runtime: a primary context is current to it then. */
bool standin_uses_runtime(void);
/* A failure that no call of the driver's gave. */
CUresult standin_fail(CUresult result);

#define STANDIN_CALL(call)                             \
    do {                                               \
        const driver_table *const d = standin_enter(); \
        return standin_leave(d->call);                 \
    } while (0)

/* The same for a call that is one of the driver API's: `call` is made as if by the program. */
#define STANDIN_FORWARD(call)      \
    do {                           \
        standin_use_runtime();     \
        return standin_fail(call); \
    } while (0)
void standin_use_runtime(void);

/* What programs print of an error. */
const char *standin_error_text(CUresult result);

/* The thread's last error; `clear`: from now on there is none. */
CUresult standin_last_error(bool clear);

/* What code compiled with --default-stream per-thread means by a stream. */
static inline CUstream standin_own(CUstream stream) {
    return stream ? stream : (CUstream)2;
}

/* ---- between standin_enter() and standin_leave() ---- */

/* The device of the thread's current context. */
haul_device *standin_device(void);
/* All of the program's, by number; and the number of the one that the driver has a handle for (0: of none). */
unsigned standin_device_count(void); /* between calls, too */
bool standin_is_device(int number);  /* likewise */
haul_device *standin_device_at(unsigned number);
unsigned standin_number_of(CUdevice handle);
/* From now on it is the device of the thread's calls; until then it is the first one. Returns the number that was so
 * before. Between calls, too. */
unsigned standin_select(unsigned number);
unsigned standin_selected(void);
/* Waits for all work of a device; for that of all. */
CUresult standin_synchronize(unsigned number);
void standin_synchronize_all(void);

/* The kernel behind a host function, a handle of __cudaGetKernel() or of a library, and a variable's address: loads
 * their module when it is first needed. */
CUresult standin_kernel(const driver_table *d, const void *host, CUfunction *kernel);
CUresult standin_variable(const driver_table *d, const void *host, CUdeviceptr *address, size_t *bytes);

/* The kernel's symbol. */
const char *standin_kernel_name(const void *host);

/* Launches a kernel as cuLaunchKernelEx() does; the launch is counted, checked or written to a file, if the task wants
 * it to be. `symbol` is the kernel's and lives on. */
CUresult standin_launch(const driver_table *d, const CUlaunchConfig *config, CUfunction kernel, const char *symbol,
                        void **parameters, void **extra);

/* A module of all objects of a fat binary. */
CUresult standin_load_fatbin(const driver_table *d, const void *fat, CUmodule *module);

/* Of a launch's attributes those that the virtual GPU knows. Returns how many. */
enum { STANDIN_MOST_ATTRIBUTES = 8 };
unsigned standin_attributes(const CUlaunchAttribute *from, unsigned count, CUlaunchAttribute *to);
bool standin_is_cooperative(const CUlaunchAttribute *attributes, unsigned count);

/* What a side of a copy is (DRIVER_MEMORY_...) by its address and the direction that the program gives. */
int standin_memory_kind(const void *address, bool is_source, int kind);

/* ---- the rest ---- */

/* Whether that is a fat binary: a wrapper, as nvcc puts it into programs, or a container, as it writes files. */
bool standin_is_fatbin(const void *image);
/* The PTX for the newest architecture of each object of a fat binary (one, or what was linked), at most `most`; the
 * caller frees the texts. Returns how many. */
unsigned standin_fatbin_texts(const void *fat, char **texts, unsigned most);

/* What there is to say when the program ends: prints it. Returns whether something was found that makes a check fail.
 * `interrupted`: some thread is in a call, and will not come back: what it does is left out. */
bool standin_report(bool interrupted);

/* Functions that were asked for and are not there, a line each. */
void standin_report_missing(void);
void standin_report_missing_driver(void);

/* No call is under way in any thread. */
bool standin_is_free(void);
/* This thread is in one. */
bool standin_is_in_call(void);
/* The report comes at the end of this process. */
void standin_prepare_end(void);

/* The thread is in a range that the command line asks for, or it asks for none. */
bool standin_in_range(void);

#endif
