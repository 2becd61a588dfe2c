/* Managed memory and queries of addresses in the runtime API, by the driver API's functions.
 *
 * Managed memory has one place that host and kernels access alike (cuda/address.c has the reasons and the advice).
 * In CUDA 13 the functions that take a place got a structure in place of a device number; programs made with older
 * versions call them with the number, so the version decides how to read the arguments. */
#include "standin/cuda/cuda.h"
#include "standin/runtime/version.h"
#include "vgpu/driver.h"

#include <stddef.h>
#include <string.h>

/* CUDA's layout. */
typedef struct cudaPointerAttributes {
    int type, device; /* type: as below */
    void *device_address, *host_address;
    long reserved[8]; /* since CUDA 13 */
} cudaPointerAttributes;
_Static_assert(sizeof(cudaPointerAttributes) == 88, "as CUDA 13.0 has it");
_Static_assert(offsetof(cudaPointerAttributes, reserved) == 24, "as CUDA 11.8 and 12.3 have it");

/* cudaMemoryType */
enum { UNREGISTERED, HOST, DEVICE, MANAGED };
enum { NO_DEVICE = -2 }; /* cudaInvalidDeviceId */

CUresult cudaMallocManaged(void **address, size_t bytes, unsigned flags) {
    CUdeviceptr at = 0;
    const driver_table *d = standin_enter();
    const CUresult result = address ? d->managed_allocate(&at, bytes, flags) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *address = (void *)(uintptr_t)at;
    return standin_leave(result);
}

/* `address` may be the host's or the device's address of the memory, or lie in it. */
static void describe(cudaPointerAttributes *p, const void *address, const sim_allocation *a) {
    static const int types[] = {
        [SIM_DEVICE_MEMORY] = DEVICE, [SIM_PINNED_MEMORY] = HOST, [SIM_MANAGED_MEMORY] = MANAGED};
    const uint64_t offset = (uintptr_t)address - (a->host ? (uintptr_t)a->host : a->first);
    p->type = types[a->kind];
    p->device_address = (void *)(uintptr_t)(a->first + offset);
    p->host_address = a->host ? a->host + offset : NULL;
}

/* Memory that CUDA does not know is host memory. */
CUresult cudaPointerGetAttributes(cudaPointerAttributes *to, const void *address) {
    sim_allocation a;
    cudaPointerAttributes p = {.type = UNREGISTERED, .device = NO_DEVICE, .host_address = (void *)(uintptr_t)address};
    const driver_table *d = standin_enter();
    (void)d;
    if (!to) return standin_leave(CUDA_INVALID_VALUE);
    if (sim_driver_allocation((uintptr_t)address, &a)) {
        p.device = (int)standin_number_of(a.device);
        describe(&p, address, &a);
    }
    memcpy(to, &p, standin_cuda_version() < 13 ? offsetof(cudaPointerAttributes, reserved) : sizeof p);
    return standin_leave(CUDA_SUCCESS);
}

CUresult cudaHostGetFlags(unsigned *flags, void *host) {
    STANDIN_FORWARD(cuMemHostGetFlags(flags, host));
}

CUresult cudaMemAdvise_v2(const void *address, size_t bytes, int what, CUmemLocation location) {
    STANDIN_FORWARD(cuMemAdvise_v2((uintptr_t)address, bytes, what, location));
}

CUresult cudaMemPrefetchAsync_v2(const void *address, size_t bytes, CUmemLocation location, unsigned flags,
                                 CUstream stream) {
    STANDIN_FORWARD(cuMemPrefetchAsync_v2((uintptr_t)address, bytes, location, flags, stream));
}

CUresult cudaMemPrefetchAsync_v2_ptsz(const void *address, size_t bytes, CUmemLocation location, unsigned flags,
                                      CUstream stream) {
    return cudaMemPrefetchAsync_v2(address, bytes, location, flags, standin_own(stream));
}

/* Before CUDA 13 the location is a device number, in the place of the first half. */
CUresult cudaMemAdvise(const void *address, size_t bytes, int what, CUmemLocation location) {
    if (standin_cuda_version() >= 13) return cudaMemAdvise_v2(address, bytes, what, location);
    STANDIN_FORWARD(cuMemAdvise((uintptr_t)address, bytes, what, location.type));
}

static CUresult prefetch(const void *address, size_t bytes, CUdevice device, CUstream stream) {
    STANDIN_FORWARD(cuMemPrefetchAsync((uintptr_t)address, bytes, device, stream));
}

/* Likewise, and the stream is in the place of the flags. */
CUresult cudaMemPrefetchAsync(const void *address, size_t bytes, CUmemLocation location, void *flags, CUstream stream) {
    if (standin_cuda_version() < 13) return prefetch(address, bytes, location.type, flags);
    return cudaMemPrefetchAsync_v2(address, bytes, location, (unsigned)(uintptr_t)flags, stream);
}

CUresult cudaMemPrefetchAsync_ptsz(const void *address, size_t bytes, CUmemLocation location, void *flags,
                                   CUstream stream) {
    if (standin_cuda_version() < 13) return prefetch(address, bytes, location.type, standin_own(flags));
    return cudaMemPrefetchAsync_v2_ptsz(address, bytes, location, (unsigned)(uintptr_t)flags, stream);
}

CUresult cudaMemRangeGetAttribute(void *data, size_t room, int attribute, const void *address, size_t bytes) {
    STANDIN_FORWARD(cuMemRangeGetAttribute(data, room, attribute, (uintptr_t)address, bytes));
}

CUresult cudaMemRangeGetAttributes(void **data, size_t *rooms, int *attributes, size_t count, const void *address,
                                   size_t bytes) {
    STANDIN_FORWARD(cuMemRangeGetAttributes(data, rooms, attributes, count, (uintptr_t)address, bytes));
}

CUresult cudaStreamAttachMemAsync(CUstream stream, void *address, size_t bytes, unsigned flags) {
    STANDIN_FORWARD(cuStreamAttachMemAsync(stream, (uintptr_t)address, bytes, flags));
}

CUresult cudaStreamAttachMemAsync_ptsz(CUstream stream, void *address, size_t bytes, unsigned flags) {
    return cudaStreamAttachMemAsync(standin_own(stream), address, bytes, flags);
}
