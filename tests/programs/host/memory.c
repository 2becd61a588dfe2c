/* Memory, copies, fills, variables. Pinned memory is for copies: kernels do not find it at the host's addresses. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

static CUdeviceptr number_of(const void *address) {
    return (CUdeviceptr)(uintptr_t)address;
}

static void *pointer_of(CUdeviceptr address) {
    return (void *)(uintptr_t)address;
}

CUresult cudaMalloc(void **address, size_t bytes) {
    CUdeviceptr at = 0;
    const driver_table *d = host_enter();
    const CUresult result = bytes ? d->allocate(&at, bytes) : CUDA_SUCCESS;
    *address = pointer_of(at);
    return host_leave(result);
}

CUresult cudaFree(void *address) {
    if (!address) return CUDA_SUCCESS;
    HOST_CALL(release(number_of(address)));
}

CUresult cudaMallocHost(void **host, size_t bytes) {
    HOST_CALL(host_allocate(host, bytes, 0));
}

CUresult cudaFreeHost(void *host) {
    if (!host) return CUDA_SUCCESS;
    HOST_CALL(host_release(host));
}

static CUresult allocate_in(void **address, size_t bytes, CUstream stream) {
    CUdeviceptr at = 0;
    const driver_table *d = host_enter();
    const CUresult result = bytes ? d->allocate_async(&at, bytes, stream) : CUDA_SUCCESS;
    *address = pointer_of(at);
    return host_leave(result);
}

CUresult cudaMallocAsync(void **address, size_t bytes, CUstream stream) {
    return allocate_in(address, bytes, stream);
}

CUresult cudaMallocAsync_ptsz(void **address, size_t bytes, CUstream stream) {
    return allocate_in(address, bytes, host_own(stream));
}

CUresult cudaFreeAsync(void *address, CUstream stream) {
    if (!address) return CUDA_SUCCESS;
    HOST_CALL(release_async(number_of(address), stream));
}

CUresult cudaFreeAsync_ptsz(void *address, CUstream stream) {
    return cudaFreeAsync(address, host_own(stream));
}

/* ---- copies ---- */

typedef struct host_copy {
    void *to;
    const void *from;
    size_t bytes;
} host_copy;

static void copy_on_host(void *data) {
    host_copy *c = data;
    memcpy(c->to, c->from, c->bytes);
    free(c);
}

static CUresult queue_on_host(const driver_table *d, void *to, const void *from, size_t bytes, CUstream stream) {
    host_copy *c = malloc(sizeof *c);
    if (!c) return CUDA_OUT_OF_MEMORY;
    *c = (host_copy){to, from, bytes};
    return d->stream_host(stream, copy_on_host, c);
}

/* The direction has to be told: COPY_DEFAULT is not for these programs. */
static CUresult copy(const driver_table *d, void *to, const void *from, size_t bytes, int kind, CUstream stream) {
    if (!bytes) return CUDA_SUCCESS;
    switch (kind) {
    case COPY_ON_HOST: return queue_on_host(d, to, from, bytes, stream);
    case COPY_IN: return d->copy_to_device_async(number_of(to), from, bytes, stream);
    case COPY_OUT: return d->copy_to_host_async(to, number_of(from), bytes, stream);
    case COPY_ON_DEVICE: return d->copy_on_device_async(number_of(to), number_of(from), bytes, stream);
    default: return CUDA_INVALID_VALUE;
    }
}

static CUresult and_wait(const driver_table *d, CUresult result, CUstream stream) {
    return host_leave(result == CUDA_SUCCESS ? d->stream_synchronize(stream) : result);
}

CUresult cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
    const driver_table *d = host_enter();
    return and_wait(d, copy(d, to, from, bytes, kind, NULL), NULL);
}

CUresult cudaMemcpy_ptds(void *to, const void *from, size_t bytes, int kind) {
    const driver_table *d = host_enter();
    return and_wait(d, copy(d, to, from, bytes, kind, host_own(NULL)), host_own(NULL));
}

CUresult cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, CUstream stream) {
    const driver_table *d = host_enter();
    return host_leave(copy(d, to, from, bytes, kind, stream));
}

CUresult cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, int kind, CUstream stream) {
    return cudaMemcpyAsync(to, from, bytes, kind, host_own(stream));
}

CUresult cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind) {
    CUdeviceptr at = 0;
    const driver_table *d = host_enter();
    const CUresult result = host_variable(d, symbol, &at, NULL);
    if (result != CUDA_SUCCESS) return host_leave(result);
    return and_wait(d, copy(d, pointer_of(at + offset), from, bytes, kind, NULL), NULL);
}

CUresult cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
    CUdeviceptr at = 0;
    const driver_table *d = host_enter();
    const CUresult result = host_variable(d, symbol, &at, NULL);
    if (result != CUDA_SUCCESS) return host_leave(result);
    return and_wait(d, copy(d, to, pointer_of(at + offset), bytes, kind, NULL), NULL);
}

/* ---- fills ---- */

CUresult cudaMemset(void *to, int value, size_t bytes) {
    HOST_CALL(fill_bytes(number_of(to), (unsigned char)value, bytes));
}

CUresult cudaMemsetAsync(void *to, int value, size_t bytes, CUstream stream) {
    HOST_CALL(fill_bytes_async(number_of(to), (unsigned char)value, bytes, stream));
}

CUresult cudaMemsetAsync_ptsz(void *to, int value, size_t bytes, CUstream stream) {
    return cudaMemsetAsync(to, value, bytes, host_own(stream));
}
