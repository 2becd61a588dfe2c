/* Batches of copies and prefetches: each item is a call of its own. Attributes say when sources are read and where
 * memory lies; haul reads sources in stream order, which all of them allow. */
#include "standin/cuda/cuda.h"

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count, const void *attributes,
                               const size_t *attribute_of, size_t attribute_count, CUstream stream) {
    if (!to || !from || !bytes || !count || !stream) return CUDA_INVALID_VALUE;
    if (!attributes || !attribute_of || !attribute_count || attribute_count > count || *attribute_of)
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const CUresult result = cuMemcpyAsync(to[i], from[i], bytes[i], stream);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}

/* The form of CUDA 12 tells which copy failed, or SIZE_MAX if that is not known. */
CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count, const void *attributes,
                            const size_t *attribute_of, size_t attribute_count, size_t *failed, CUstream stream) {
    const CUresult result =
        cuMemcpyBatchAsync_v2(to, from, bytes, count, attributes, attribute_of, attribute_count, stream);
    if (failed && result != CUDA_SUCCESS) *failed = SIZE_MAX;
    return result;
}

/* ---- prefetches ---- */

/* locations[k] is for the items from first[k] on. */
CUresult cuMemPrefetchBatchAsync(CUdeviceptr *at, size_t *bytes, size_t count, const CUmemLocation *locations,
                                 const size_t *first, size_t location_count, unsigned long long flags,
                                 CUstream stream) {
    size_t k = 0;
    if (!at || !bytes || !count || !locations || !first || !location_count || location_count > count || *first || flags)
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        while (k + 1 < location_count && first[k + 1] <= i) k++;
        const CUresult result = cuMemPrefetchAsync_v2(at[i], bytes[i], locations[k], 0, stream);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}

/* Discarded contents are undefined, so they may as well stay. */
CUresult cuMemDiscardBatchAsync(CUdeviceptr *at, size_t *bytes, size_t count, unsigned long long flags,
                                CUstream stream) {
    int status;
    if (!at || !bytes || !count || flags) return CUDA_INVALID_VALUE;
    return cuStreamIsCapturing(stream, &status);
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *at, size_t *bytes, size_t count, const CUmemLocation *locations,
                                           const size_t *first, size_t location_count, unsigned long long flags,
                                           CUstream stream) {
    return cuMemPrefetchBatchAsync(at, bytes, count, locations, first, location_count, flags, stream);
}
