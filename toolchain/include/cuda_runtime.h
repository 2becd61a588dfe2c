/* The CUDA runtime for C++ source with kernels: types, launch variables, device functions, and the typed forms of
 * the runtime API. cu2ptx includes this first in every file, as nvcc does. */
#ifndef HAUL_TOOLCHAIN_CUDA_RUNTIME_H
#define HAUL_TOOLCHAIN_CUDA_RUNTIME_H

#include <stddef.h>
#if __has_include(<time.h>)
#include <time.h>
#else
typedef long clock_t;
#endif

#include "builtin_types.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__CUDA__)
#include "device_launch_parameters.h"
#include "haul_toolchain/device_functions.h"

/* What a launch with <<<...>>> compiles to on the host side. */
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                    struct CUstream_st *stream = 0);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = 0);
#endif

#if defined(__cplusplus)

template <class T> static inline cudaError_t cudaMalloc(T **memory, size_t bytes) {
    return ::cudaMalloc((void **)(void *)memory, bytes);
}
template <class T> static inline cudaError_t cudaMallocHost(T **memory, size_t bytes, unsigned int flags = 0) {
    return ::cudaHostAlloc((void **)(void *)memory, bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned int flags) {
    return ::cudaHostAlloc((void **)(void *)memory, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **memory, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged((void **)(void *)memory, bytes, flags);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height) {
    return ::cudaMallocPitch((void **)(void *)memory, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream) {
    return ::cudaMallocAsync((void **)(void *)memory, bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)(void *)memory, bytes, pool, stream);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
    return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0) {
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0) {
    return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **memory, const T &symbol) {
    return ::cudaGetSymbolAddress(memory, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
    return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

template <class T>
static inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0,
                                           cudaStream_t stream = 0) {
    return ::cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                                      size_t shared_bytes = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                             Arguments... arguments) {
    return [&](Parameters... converted) {
        void *pointers[] = {(void *)&converted..., nullptr};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
    }(arguments...);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel) {
    return ::cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value) {
    return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config) {
    return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int block_size,
                                                                        size_t shared_bytes) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size, shared_bytes);
}

#if defined(__CUDA__)
#include "haul_toolchain/alignas.h"
#endif

#endif
#endif
