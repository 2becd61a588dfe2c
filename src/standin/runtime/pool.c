/* Pools of stream-ordered memory, and the memory of graphs.
 *
 * All functions forward to those of the driver API, which have the same numbers and structures; addresses are
 * pointers here. The pools are in vgpu/pool.c. memory.c has allocations from the device's current pool. */
#include "standin/cuda/cuda.h"

CUresult cudaDeviceGetDefaultMemPool(CUmemoryPool *pool, int number) {
    STANDIN_FORWARD(cuDeviceGetDefaultMemPool(pool, number));
}

/* The pool that the device's allocations come from unless they name another. */
CUresult cudaDeviceGetMemPool(CUmemoryPool *pool, int number) {
    STANDIN_FORWARD(cuDeviceGetMemPool(pool, number));
}

CUresult cudaDeviceSetMemPool(int number, CUmemoryPool pool) {
    STANDIN_FORWARD(cuDeviceSetMemPool(number, pool));
}

CUresult cudaMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
    STANDIN_FORWARD(cuMemPoolCreate(pool, properties));
}

CUresult cudaMemPoolDestroy(CUmemoryPool pool) {
    STANDIN_FORWARD(cuMemPoolDestroy(pool));
}

/* Pools keep no unused memory. */
CUresult cudaMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
    STANDIN_FORWARD(cuMemPoolTrimTo(pool, keep));
}

CUresult cudaMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value) {
    STANDIN_FORWARD(cuMemPoolGetAttribute(pool, attribute, value));
}

CUresult cudaMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value) {
    STANDIN_FORWARD(cuMemPoolSetAttribute(pool, attribute, value));
}

CUresult cudaMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
    STANDIN_FORWARD(cuMemPoolSetAccess(pool, access, count));
}

CUresult cudaMemPoolGetAccess(int *flags, CUmemoryPool pool, CUmemLocation *location) {
    STANDIN_FORWARD(cuMemPoolGetAccess(flags, pool, location));
}

/* ---- pools of other processes ---- */

CUresult cudaMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, int type, unsigned flags) {
    STANDIN_FORWARD(cuMemPoolExportToShareableHandle(handle, pool, type, flags));
}

CUresult cudaMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, int type, unsigned flags) {
    STANDIN_FORWARD(cuMemPoolImportFromShareableHandle(pool, handle, type, flags));
}

CUresult cudaMemPoolExportPointer(cuda_ipc_handle *data, void *address) {
    STANDIN_FORWARD(cuMemPoolExportPointer(data, (uintptr_t)address));
}

CUresult cudaMemPoolImportPointer(void **address, CUmemoryPool pool, cuda_ipc_handle *data) {
    CUdeviceptr at = 0;
    standin_use_runtime();
    const CUresult result = address ? cuMemPoolImportPointer(&at, pool, data) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *address = (void *)(uintptr_t)at;
    return standin_fail(result);
}

/* ---- allocations ---- */

/* *address becomes NULL if it fails. */
CUresult cudaMallocFromPoolAsync(void **address, size_t bytes, CUmemoryPool pool, CUstream stream) {
    CUdeviceptr at = 0;
    standin_use_runtime();
    const CUresult result = address ? cuMemAllocFromPoolAsync(&at, bytes, pool, stream) : CUDA_INVALID_VALUE;
    if (address) *address = (void *)(uintptr_t)at;
    return standin_fail(result);
}

CUresult cudaMallocFromPoolAsync_ptsz(void **address, size_t bytes, CUmemoryPool pool, CUstream stream) {
    return cudaMallocFromPoolAsync(address, bytes, pool, standin_own(stream));
}

CUresult cudaDeviceGetGraphMemAttribute(int number, int attribute, void *value) {
    STANDIN_FORWARD(cuDeviceGetGraphMemAttribute(number, attribute, value));
}

CUresult cudaDeviceSetGraphMemAttribute(int number, int attribute, void *value) {
    STANDIN_FORWARD(cuDeviceSetGraphMemAttribute(number, attribute, value));
}

CUresult cudaDeviceGraphMemTrim(int number) {
    STANDIN_FORWARD(cuDeviceGraphMemTrim(number));
}
