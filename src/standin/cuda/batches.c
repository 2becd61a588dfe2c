/* Batches of copies and prefetches: each item is a call of its own, in the order of the stream.
 *
 * Attributes say when a source may be read. haul reads it in stream order, which all of them allow; if it must be read
 * during the call, the call waits. Hints where managed memory lies have no effect. */
#include "standin/cuda/cuda.h"

/* CUmemcpySrcAccessOrder, CUmemcpyFlags, CUmemcpy3DOperandType. */
enum { IN_STREAM = 1, DURING_CALL = 2, ANY_ORDER = 3, OVERLAP = 1, OF_MEMORY = 1, OF_ARRAY = 2 };

static bool is_valid(int source_order, unsigned flags) {
    return source_order >= IN_STREAM && source_order <= ANY_ORDER && !(flags & ~(unsigned)OVERLAP);
}

/* Reads the sources now, unless the copies are captured. */
static CUresult read_now(CUstream stream) {
    int captures = 0;
    const CUresult result = cuStreamIsCapturing(stream, &captures);
    return result == CUDA_SUCCESS && !captures ? cuStreamSynchronize(stream) : result;
}

/* attributes[k] is for the copies from first[k] on. */
static CUresult check_attributes(const cuda_copy_attributes *attributes, const size_t *first, size_t attribute_count,
                                 size_t count, bool *reads_now) {
    *reads_now = false;
    if (!attributes || !first || !attribute_count || attribute_count > count || *first) return CUDA_INVALID_VALUE;
    for (size_t k = 0; k < attribute_count; k++) {
        if (!is_valid(attributes[k].source_order, attributes[k].flags) || first[k] >= count) return CUDA_INVALID_VALUE;
        if (k && first[k] <= first[k - 1]) return CUDA_INVALID_VALUE;
        *reads_now |= attributes[k].source_order == DURING_CALL;
    }
    return CUDA_SUCCESS;
}

/* ---- copies of bytes ---- */

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                               const cuda_copy_attributes *attributes, const size_t *attribute_of,
                               size_t attribute_count, CUstream stream) {
    bool reads_now;
    if (!to || !from || !bytes || !count || !stream) return CUDA_INVALID_VALUE;
    CUresult result = check_attributes(attributes, attribute_of, attribute_count, count, &reads_now);
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = cuMemcpyAsync(to[i], from[i], bytes[i], stream);
    return result == CUDA_SUCCESS && reads_now ? read_now(stream) : result;
}

/* The form of CUDA 12 tells which copy failed, or SIZE_MAX if that is not known. */
CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                            const cuda_copy_attributes *attributes, const size_t *attribute_of, size_t attribute_count,
                            size_t *failed, CUstream stream) {
    const CUresult result =
        cuMemcpyBatchAsync_v2(to, from, bytes, count, attributes, attribute_of, attribute_count, stream);
    if (failed && result != CUDA_SUCCESS) *failed = SIZE_MAX;
    return result;
}

/* ---- copies of boxes ---- */

/* A side of a box in the driver's terms. */
typedef struct side {
    int kind;
    CUdeviceptr address;
    CUarray array;
    size_t x, y, z, pitch, height, element; /* x and pitch in bytes; element: of an array, 0 for memory */
} side;

/* Bytes of one channel. */
static size_t format_bytes(CUarray_format format) {
    switch (format) {
#define FORMAT(id, value, bytes, kind, name) \
    case DRIVER_FORMAT_##id:                 \
        return bytes;
#include "driver/formats.def"
#undef FORMAT
    default: return 0;
    }
}

static CUresult take_array(const cuda_copy_operand *o, side *to) {
    CUDA_ARRAY3D_DESCRIPTOR is = {0};
    const CUresult result = cuArray3DGetDescriptor_v2(&is, o->of.array.array);
    if (result != CUDA_SUCCESS) return result;
    to->kind = DRIVER_MEMORY_ARRAY;
    to->array = o->of.array.array;
    to->element = format_bytes(is.format) * is.channels;
    to->x = o->of.array.x * to->element;
    to->y = o->of.array.y;
    to->z = o->of.array.z;
    return CUDA_SUCCESS;
}

/* Rows and layers of 0 are as long as the box. `element` is that of the array on the other side. */
static CUresult take_memory(const cuda_copy_operand *o, const cuda_copy_box *box, size_t element, side *to) {
    const size_t row = o->of.memory.row, height = o->of.memory.layer;
    if (!o->of.memory.address || (row && row < box->width) || (height && height < box->height))
        return CUDA_INVALID_VALUE;
    to->kind = DRIVER_MEMORY_UNIFIED;
    to->address = o->of.memory.address;
    to->pitch = (row ? row : box->width) * element;
    to->height = height ? height : box->height;
    return CUDA_SUCCESS;
}

static CUresult take_box(const cuda_copy_box *box, CUDA_MEMCPY3D *to) {
    side from = {0}, at = {0};
    CUresult result = CUDA_SUCCESS;
    if (!box->width || !box->height || !box->depth || !is_valid(box->source_order, box->flags))
        return CUDA_INVALID_VALUE;
    if (box->from.kind == OF_ARRAY) result = take_array(&box->from, &from);
    if (result == CUDA_SUCCESS && box->to.kind == OF_ARRAY) result = take_array(&box->to, &at);
    if (result == CUDA_SUCCESS && from.element && at.element && from.element != at.element) return CUDA_INVALID_VALUE;
    const size_t element = from.element ? from.element : at.element ? at.element : 1;
    if (result == CUDA_SUCCESS && box->from.kind == OF_MEMORY) result = take_memory(&box->from, box, element, &from);
    if (result == CUDA_SUCCESS && box->to.kind == OF_MEMORY) result = take_memory(&box->to, box, element, &at);
    if (result != CUDA_SUCCESS || !from.kind || !at.kind) return result == CUDA_SUCCESS ? CUDA_INVALID_VALUE : result;
    *to = (CUDA_MEMCPY3D){.from_kind = from.kind,
                          .from_device = from.address,
                          .from_array = from.array,
                          .from_x = from.x,
                          .from_y = from.y,
                          .from_z = from.z,
                          .from_pitch = from.pitch,
                          .from_height = from.height,
                          .to_kind = at.kind,
                          .to_device = at.address,
                          .to_array = at.array,
                          .to_x = at.x,
                          .to_y = at.y,
                          .to_z = at.z,
                          .to_pitch = at.pitch,
                          .to_height = at.height,
                          .width = box->width * element,
                          .height = box->height,
                          .depth = box->depth};
    return CUDA_SUCCESS;
}

/* All boxes are checked before the first is copied. */
CUresult cuMemcpy3DBatchAsync_v2(size_t count, cuda_copy_box *boxes, unsigned long long flags, CUstream stream) {
    CUDA_MEMCPY3D copy;
    bool reads_now = false;
    if (!count || !boxes || flags || !stream) return CUDA_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = take_box(&boxes[i], &copy);
        reads_now |= boxes[i].source_order == DURING_CALL;
    }
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = take_box(&boxes[i], &copy);
        if (result == CUDA_SUCCESS) result = cuMemcpy3DAsync_v2(&copy, stream);
    }
    return result == CUDA_SUCCESS && reads_now ? read_now(stream) : result;
}

/* The form of CUDA 12, as that of cuMemcpyBatchAsync(). */
CUresult cuMemcpy3DBatchAsync(size_t count, cuda_copy_box *boxes, size_t *failed, unsigned long long flags,
                              CUstream stream) {
    const CUresult result = cuMemcpy3DBatchAsync_v2(count, boxes, flags, stream);
    if (failed && result != CUDA_SUCCESS) *failed = SIZE_MAX;
    return result;
}

/* ---- single copies with attributes ---- */

CUresult cuMemcpyWithAttributesAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                     const cuda_copy_attributes *attributes, CUstream stream) {
    if (!attributes || !is_valid(attributes->source_order, attributes->flags)) return CUDA_INVALID_VALUE;
    const CUresult result = cuMemcpyAsync(to, from, bytes, stream);
    return result == CUDA_SUCCESS && attributes->source_order == DURING_CALL ? read_now(stream) : result;
}

CUresult cuMemcpy3DWithAttributesAsync(cuda_copy_box *box, unsigned long long flags, CUstream stream) {
    CUDA_MEMCPY3D copy;
    CUresult result = box && !flags ? take_box(box, &copy) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = cuMemcpy3DAsync_v2(&copy, stream);
    return result == CUDA_SUCCESS && box->source_order == DURING_CALL ? read_now(stream) : result;
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
