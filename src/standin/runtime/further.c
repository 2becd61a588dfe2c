/* Functions of the runtime that are those of the driver API under other names: user objects, batches, logs,
 * notifications, pools by location, queries of graphs. */
#include "standin/cuda/cuda.h"
#include "standin/runtime/version.h"

#include <string.h>

/* ---- user objects ---- */

CUresult cudaUserObjectCreate(CUuserObject *object, void *what, CUhostFn destroy, unsigned references, unsigned flags) {
    STANDIN_FORWARD(cuUserObjectCreate(object, what, destroy, references, flags));
}

CUresult cudaUserObjectRetain(CUuserObject object, unsigned count) {
    STANDIN_FORWARD(cuUserObjectRetain(object, count));
}

CUresult cudaUserObjectRelease(CUuserObject object, unsigned count) {
    STANDIN_FORWARD(cuUserObjectRelease(object, count));
}

CUresult cudaGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
    STANDIN_FORWARD(cuGraphRetainUserObject(graph, object, count, flags));
}

CUresult cudaGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
    STANDIN_FORWARD(cuGraphReleaseUserObject(graph, object, count));
}

/* ---- batches ---- */

/* In CUDA 12 the last but one argument is a place for the copy that failed; since CUDA 13 it is the stream. */
CUresult cudaMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                              const cuda_copy_attributes *attributes, const size_t *attribute_of,
                              size_t attribute_count, void *failed, CUstream stream) {
    const bool is_new = standin_cuda_version() >= 13;
    STANDIN_FORWARD(cuMemcpyBatchAsync(to, from, bytes, count, attributes, attribute_of, attribute_count,
                                       is_new ? NULL : failed, is_new ? failed : stream));
}

CUresult cudaMemcpyBatchAsync_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                   const cuda_copy_attributes *attributes, const size_t *attribute_of,
                                   size_t attribute_count, void *failed, CUstream stream) {
    const bool is_new = standin_cuda_version() >= 13;
    if (is_new) failed = standin_own(failed);
    return cudaMemcpyBatchAsync(to, from, bytes, count, attributes, attribute_of, attribute_count, failed,
                                is_new ? NULL : standin_own(stream));
}

/* In CUDA 12 a place for the copy that failed comes before the flags, so that the stream is one further. */
CUresult cudaMemcpy3DBatchAsync(size_t count, cuda_copy_box *boxes, uintptr_t third, uintptr_t fourth,
                                CUstream stream) {
    const bool is_new = standin_cuda_version() >= 13;
    STANDIN_FORWARD(cuMemcpy3DBatchAsync(count, boxes, is_new ? NULL : (size_t *)third, is_new ? third : fourth,
                                         is_new ? (CUstream)fourth : stream));
}

CUresult cudaMemcpy3DBatchAsync_ptsz(size_t count, cuda_copy_box *boxes, uintptr_t third, uintptr_t fourth,
                                     CUstream stream) {
    const bool is_new = standin_cuda_version() >= 13;
    if (is_new) fourth = (uintptr_t)standin_own((CUstream)fourth);
    return cudaMemcpy3DBatchAsync(count, boxes, third, fourth, is_new ? NULL : standin_own(stream));
}

CUresult cudaMemPrefetchBatchAsync(CUdeviceptr *at, size_t *bytes, size_t count, const CUmemLocation *locations,
                                   const size_t *first, size_t location_count, unsigned long long flags,
                                   CUstream stream) {
    STANDIN_FORWARD(cuMemPrefetchBatchAsync(at, bytes, count, locations, first, location_count, flags, stream));
}

CUresult cudaMemPrefetchBatchAsync_ptsz(CUdeviceptr *at, size_t *bytes, size_t count, const CUmemLocation *locations,
                                        const size_t *first, size_t location_count, unsigned long long flags,
                                        CUstream stream) {
    return cudaMemPrefetchBatchAsync(at, bytes, count, locations, first, location_count, flags, standin_own(stream));
}

CUresult cudaMemDiscardBatchAsync(CUdeviceptr *at, size_t *bytes, size_t count, unsigned long long flags,
                                  CUstream stream) {
    STANDIN_FORWARD(cuMemDiscardBatchAsync(at, bytes, count, flags, stream));
}

CUresult cudaMemDiscardAndPrefetchBatchAsync(CUdeviceptr *at, size_t *bytes, size_t count,
                                             const CUmemLocation *locations, const size_t *first, size_t location_count,
                                             unsigned long long flags, CUstream stream) {
    STANDIN_FORWARD(
        cuMemDiscardAndPrefetchBatchAsync(at, bytes, count, locations, first, location_count, flags, stream));
}

CUresult cudaMemDiscardBatchAsync_ptsz(CUdeviceptr *at, size_t *bytes, size_t count, unsigned long long flags,
                                       CUstream stream) {
    return cudaMemDiscardBatchAsync(at, bytes, count, flags, standin_own(stream));
}

CUresult cudaMemDiscardAndPrefetchBatchAsync_ptsz(CUdeviceptr *at, size_t *bytes, size_t count,
                                                  const CUmemLocation *locations, const size_t *first,
                                                  size_t location_count, unsigned long long flags, CUstream stream) {
    return cudaMemDiscardAndPrefetchBatchAsync(at, bytes, count, locations, first, location_count, flags,
                                               standin_own(stream));
}

CUresult cudaMemcpyWithAttributesAsync(void *to, const void *from, size_t bytes, const cuda_copy_attributes *attributes,
                                       CUstream stream) {
    STANDIN_FORWARD(cuMemcpyWithAttributesAsync((uintptr_t)to, (uintptr_t)from, bytes, attributes, stream));
}

CUresult cudaMemcpyWithAttributesAsync_ptsz(void *to, const void *from, size_t bytes,
                                            const cuda_copy_attributes *attributes, CUstream stream) {
    return cudaMemcpyWithAttributesAsync(to, from, bytes, attributes, standin_own(stream));
}

CUresult cudaMemcpy3DWithAttributesAsync(cuda_copy_box *box, unsigned long long flags, CUstream stream) {
    STANDIN_FORWARD(cuMemcpy3DWithAttributesAsync(box, flags, stream));
}

CUresult cudaMemcpy3DWithAttributesAsync_ptsz(cuda_copy_box *box, unsigned long long flags, CUstream stream) {
    return cudaMemcpy3DWithAttributesAsync(box, flags, standin_own(stream));
}

/* ---- logs and notifications ---- */

CUresult cudaLogsRegisterCallback(cuda_log_function call, void *data, CUlogsCallback *made) {
    STANDIN_FORWARD(cuLogsRegisterCallback(call, data, made));
}

CUresult cudaLogsUnregisterCallback(CUlogsCallback gone) {
    STANDIN_FORWARD(cuLogsUnregisterCallback(gone));
}

CUresult cudaLogsCurrent(unsigned *iterator, unsigned flags) {
    STANDIN_FORWARD(cuLogsCurrent(iterator, flags));
}

CUresult cudaLogsDumpToFile(unsigned *iterator, const char *path, unsigned flags) {
    STANDIN_FORWARD(cuLogsDumpToFile(iterator, path, flags));
}

CUresult cudaLogsDumpToMemory(unsigned *iterator, char *buffer, size_t *bytes, unsigned flags) {
    STANDIN_FORWARD(cuLogsDumpToMemory(iterator, buffer, bytes, flags));
}

CUresult cudaDeviceRegisterAsyncNotification(int device, cuda_async_function call, void *data, CUasyncCallback *entry) {
    STANDIN_FORWARD(cuDeviceRegisterAsyncNotification(device, call, data, entry));
}

CUresult cudaDeviceUnregisterAsyncNotification(int device, CUasyncCallback entry) {
    STANDIN_FORWARD(cuDeviceUnregisterAsyncNotification(device, entry));
}

CUresult cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope) {
    STANDIN_FORWARD(cuFlushGPUDirectRDMAWrites(target, scope));
}

CUresult cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count,
                                             int device) {
    STANDIN_FORWARD(cuDeviceGetHostAtomicCapabilities(capabilities, operations, count, device));
}

/* ---- pools by location, queries of graphs ---- */

CUresult cudaMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, int type) {
    STANDIN_FORWARD(cuMemGetDefaultMemPool(pool, location, type));
}

CUresult cudaMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, int type) {
    STANDIN_FORWARD(cuMemGetMemPool(pool, location, type));
}

CUresult cudaMemSetMemPool(CUmemLocation *location, int type, CUmemoryPool pool) {
    STANDIN_FORWARD(cuMemSetMemPool(location, type, pool));
}

CUresult cudaGraphExecGetFlags(CUgraphExec executable, unsigned long long *flags) {
    STANDIN_FORWARD(cuGraphExecGetFlags(executable, flags));
}

CUresult cudaGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *what) {
    STANDIN_FORWARD(cuGraphMemAllocNodeGetParams(node, what));
}

CUresult cudaGraphMemFreeNodeGetParams(CUgraphNode node, void *address) {
    STANDIN_FORWARD(cuGraphMemFreeNodeGetParams(node, address));
}

CUresult cudaGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraph child) {
    STANDIN_FORWARD(cuGraphExecChildGraphNodeSetParams(executable, node, child));
}

CUresult cudaGraphKernelNodeSetAttribute(CUgraphNode node, int attribute, const void *value) {
    STANDIN_FORWARD(cuGraphKernelNodeSetAttribute(node, attribute, value));
}

CUresult cudaGraphKernelNodeGetAttribute(CUgraphNode node, int attribute, void *value) {
    STANDIN_FORWARD(cuGraphKernelNodeGetAttribute(node, attribute, value));
}

/* Before CUDA 13 the source comes first, otherwise than in the driver API. */
CUresult cudaGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    const bool is_new = standin_cuda_version() >= 13;
    STANDIN_FORWARD(cuGraphKernelNodeCopyAttributes(is_new ? to : from, is_new ? from : to));
}

CUresult cudaGraphNodeGetContainingGraph(CUgraphNode node, CUgraph *graph) {
    STANDIN_FORWARD(cuGraphNodeGetContainingGraph(node, graph));
}

CUresult cudaGraphNodeGetLocalId(CUgraphNode node, unsigned *id) {
    STANDIN_FORWARD(cuGraphNodeGetLocalId(node, id));
}

CUresult cudaGraphNodeGetToolsId(CUgraphNode node, unsigned long long *id) {
    STANDIN_FORWARD(cuGraphNodeGetToolsId(node, id));
}

CUresult cudaGraphGetId(CUgraph graph, unsigned *id) {
    STANDIN_FORWARD(cuGraphGetId(graph, id));
}

CUresult cudaGraphExecGetId(CUgraphExec executable, unsigned *id) {
    STANDIN_FORWARD(cuGraphExecGetId(executable, id));
}

/* ---- layouts, libraries ---- */

CUresult cudaArrayGetPlane(CUarray *plane, CUarray array, unsigned number) {
    STANDIN_FORWARD(cuArrayGetPlane(plane, array, number));
}

CUresult cudaArrayGetSparseProperties(void *properties, CUarray array) {
    STANDIN_FORWARD(cuArrayGetSparseProperties(properties, array));
}

CUresult cudaArrayGetMemoryRequirements(void *requirements, CUarray array, int device) {
    STANDIN_FORWARD(cuArrayGetMemoryRequirements(requirements, array, device));
}

CUresult cudaMipmappedArrayGetSparseProperties(void *properties, CUmipmappedArray mipmap) {
    STANDIN_FORWARD(cuMipmappedArrayGetSparseProperties(properties, mipmap));
}

CUresult cudaMipmappedArrayGetMemoryRequirements(void *requirements, CUmipmappedArray mipmap, int device) {
    STANDIN_FORWARD(cuMipmappedArrayGetMemoryRequirements(requirements, mipmap, device));
}

/* Before CUDA 13 the structure has no reserved members. */
CUresult cudaGetTextureObjectResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject texture) {
    CUDA_RESOURCE_VIEW_DESC is = {0};
    standin_use_runtime();
    const CUresult result = view ? cuTexObjectGetResourceViewDesc(&is, texture) : CUDA_INVALID_VALUE;
    const size_t bytes = standin_cuda_version() >= 13 ? sizeof is : offsetof(CUDA_RESOURCE_VIEW_DESC, reserved);
    if (result == CUDA_SUCCESS) memcpy(view, &is, bytes);
    return standin_fail(result);
}

CUresult cudaLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name) {
    STANDIN_FORWARD(cuLibraryGetUnifiedFunction(function, library, name));
}

CUresult cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count, int device,
                                            int peer) {
    STANDIN_FORWARD(cuDeviceGetP2PAtomicCapabilities(capabilities, operations, count, device, peer));
}

CUresult cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements, const void *description, int device) {
    const struct { int bits[4], kind; } *const d = description;
    unsigned channels = 0;
    if (!elements || !d) return standin_fail(CUDA_INVALID_VALUE);
    while (channels < 4 && d->bits[channels]) channels++;
    static const int formats[] = {[1] = 1, [2] = 2, [4] = 3}; /* unsigned, by bytes of a channel */
    const int width = d->bits[0] / 8;
    if (!channels || (width != 1 && width != 2 && width != 4)) return standin_fail(CUDA_INVALID_VALUE);
    STANDIN_FORWARD(cuDeviceGetTexture1DLinearMaxWidth(elements, (CUarray_format)formats[width], channels, device));
}

/* ---- functions without an effect ---- */

CUresult cudaProfilerInitialize(const char *configuration, const char *output, int mode) {
    STANDIN_FORWARD(cuProfilerInitialize(configuration, output, mode));
}

/* For devices without double precision, of which CUDA has none any more. */
CUresult cudaSetDoubleForDevice(double *value) {
    (void)value;
    return CUDA_SUCCESS;
}

CUresult cudaSetDoubleForHost(double *value) {
    (void)value;
    return CUDA_SUCCESS;
}
