/* The CUDA runtime for C++ source with kernels: types, launch variables, device functions, and the typed forms of
 * the runtime API. Included first in every file, as nvcc does. */
#ifndef HAUL_TOOLCHAIN_CUDA_RUNTIME_H
#define HAUL_TOOLCHAIN_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs ask for it */

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

/* The functions that a launch with <<<...>>> calls on the host. */
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

/* ---- occupancy ---- */

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int block_size,
                                                                        size_t shared_bytes) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size, shared_bytes);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel, int block_size,
                                                                                 size_t shared_bytes,
                                                                                 unsigned int flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, block_size,
                                                                    shared_bytes, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, T *kernel, int blocks,
                                                                    int block_size) {
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared_bytes, (const void *)kernel, blocks, block_size);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *kernel, const cudaLaunchConfig_t *config) {
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *kernel, const cudaLaunchConfig_t *config) {
    return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}

/* The largest block, in steps of a warp, of those that keep the most threads on an SM; and the blocks that fill the
 * device. `shared_of` says the dynamic shared memory of a block size. */
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, T kernel,
                                                                                  Shared shared_of, int limit,
                                                                                  unsigned int flags) {
    int device = 0, sms = 0, most_threads = 0;
    cudaFuncAttributes attributes;
    cudaError_t error = ::cudaGetDevice(&device);
    if (error == cudaSuccess) error = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess) error = ::cudaFuncGetAttributes(&attributes, (const void *)kernel);
    if (error != cudaSuccess) return error;
    const int most = attributes.maxThreadsPerBlock;
    const int first = limit <= 0 || limit > most ? most : limit;
    for (int size = first; size > 0; size = (size - 1) / 32 * 32) {
        int blocks = 0;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)kernel, size,
                                                                         shared_of(size), flags);
        if (error != cudaSuccess) return error;
        if (blocks * size > most_threads) {
            most_threads = blocks * size;
            *grid = blocks * sms;
            *block = size;
        }
    }
    return cudaSuccess;
}
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T kernel,
                                                                         Shared shared_of, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, shared_of, limit, 0);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T kernel,
                                                                      size_t shared_bytes = 0, int limit = 0,
                                                                      unsigned int flags = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        grid, block, kernel, [=](int) { return shared_bytes; }, limit, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T kernel, size_t shared_bytes = 0,
                                                             int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared_bytes, limit);
}

/* ---- graphs, streams, places of memory ---- */

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *node,
                                               char *log, size_t log_bytes) {
    (void)node;
    if (log && log_bytes) *log = 0;
    return ::cudaGraphInstantiate(executable, graph, 0);
}
/* CUDA 13 says of each edge what it is. */
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *data,
                                           size_t count, cudaGraphNodeParams *parameters) {
    return ::cudaGraphAddNode_v2(node, graph, dependencies, data, count, parameters);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *node,
                                              cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo all;
    const cudaError_t error = ::cudaGraphExecUpdate(executable, graph, &all);
    if (node) *node = all.errorNode;
    if (result) *result = all.result;
    return error;
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                         const cudaGraphNode_t *dependencies, size_t count,
                                                         const T &symbol, const void *from, size_t bytes, size_t offset,
                                                         cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, count, (const void *)&symbol, from, bytes,
                                            offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                           const cudaGraphNode_t *dependencies, size_t count, void *to,
                                                           const T &symbol, size_t bytes, size_t offset,
                                                           cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, count, to, (const void *)&symbol, bytes,
                                              offset, kind);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *memory, size_t bytes = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
    return ::cudaStreamAttachMemAsync(stream, (void *)memory, bytes, flags);
}
static inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, cudaMemLocation location,
                                               unsigned int flags, cudaStream_t stream = 0) {
    return ::cudaMemPrefetchAsync_v2(memory, bytes, location, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *memory, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation location) {
    return ::cudaMemAdvise_v2(memory, bytes, advice, location);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *kernel) {
    return ::cudaFuncGetName(name, (const void *)kernel);
}
template <class T> static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, T *kernel) {
    return ::cudaGetFuncBySymbol(function, (const void *)kernel);
}

/* ---- the format of an array's element type ---- */

template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    return ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define HAUL_CHANNELS(T, count, kind)                                                                                \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                                            \
        const int bits = (int)(8 * sizeof(T) / (count));                                                             \
        return ::cudaCreateChannelDesc(bits, (count) > 1 ? bits : 0, (count) > 2 ? bits : 0, (count) > 3 ? bits : 0, \
                                       cudaChannelFormatKind##kind);                                                 \
    }
#define HAUL_CHANNELS_OF(scalar, vector, kind) \
    HAUL_CHANNELS(scalar, 1, kind)             \
    HAUL_CHANNELS(vector##1, 1, kind)          \
    HAUL_CHANNELS(vector##2, 2, kind)          \
    HAUL_CHANNELS(vector##3, 3, kind)          \
    HAUL_CHANNELS(vector##4, 4, kind)
HAUL_CHANNELS(char, 1, Signed)
HAUL_CHANNELS_OF(signed char, char, Signed)
HAUL_CHANNELS_OF(unsigned char, uchar, Unsigned)
HAUL_CHANNELS_OF(short, short, Signed)
HAUL_CHANNELS_OF(unsigned short, ushort, Unsigned)
HAUL_CHANNELS_OF(int, int, Signed)
HAUL_CHANNELS_OF(unsigned int, uint, Unsigned)
HAUL_CHANNELS_OF(float, float, Float)
#undef HAUL_CHANNELS_OF
#undef HAUL_CHANNELS

#if defined(__CUDA__)
#include "haul_toolchain/alignas.h"
#endif

#endif
#endif
