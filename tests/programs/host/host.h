/* Runs CUDA programs as nvcc makes them on the virtual GPU, for tests: a program is linked as a shared library without
 * libcudart, and finds here as much of it as the programs of this folder call, over the virtual GPU's driver table.
 * Handles of streams, events and graphs are the driver's own; errors are, too, as CUDA gives both the same numbers.
 *
 *     modules.c   fat binaries, kernels and variables that a program registers
 *     fatbin.c    PTX out of fat binaries
 *     launch.c    launches, and what is asked of kernels
 *     memory.c    memory and copies
 *     stream.c    streams, events, graphs
 *     device.c    what is asked of the device; errors
 *     main.c      the program's main(), what it launched, and what was found */
#ifndef HAUL_PROGRAMS_HOST_HOST_H
#define HAUL_PROGRAMS_HOST_HOST_H

#include "driver/driver.h"

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

typedef struct cudaFuncAttributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int most_threads, registers, ptx_version, binary_version, caches_globals, most_dynamic_shared, carveout;
    int cluster[8], reserved[16];
} cudaFuncAttributes;

enum { COPY_ON_HOST, COPY_IN, COPY_OUT, COPY_ON_DEVICE, COPY_DEFAULT };

/* ---- between the files ---- */

/* Each call of the program's is between these two: one at a time, with the device's context. Failures are kept as the
 * thread's last error, and those that end a kernel for everybody: a CUDA context is of no more use then. */
const driver_table *host_enter(void);
CUresult host_leave(CUresult result);
CUdevice host_device(void);
/* A failure that no call of the driver's gave. */
CUresult host_fail(CUresult result);

#define HOST_CALL(call)                             \
    do {                                            \
        const driver_table *const d = host_enter(); \
        return host_leave(d->call);                 \
    } while (0)

/* What code compiled with --default-stream per-thread means by a stream. */
static inline CUstream host_own(CUstream stream) {
    return stream ? stream : (CUstream)2;
}

/* The PTX for the newest architecture of each object of a fat binary (one, or what was linked), at most `most`; the
 * caller frees the texts. Returns how many. */
unsigned host_fatbin_texts(const void *fat, char **texts, unsigned most);

/* The kernel behind a host function or a handle of __cudaGetKernel(), and a variable's address: loads their module when
 * it is first needed. To be called between host_enter() and host_leave(). */
CUresult host_kernel(const driver_table *d, const void *host, CUfunction *kernel);
CUresult host_variable(const driver_table *d, const void *host, CUdeviceptr *address, size_t *bytes);

/* The launch that comes next has a record in the program's run. False when there is no memory. */
bool host_record(void);

#endif
