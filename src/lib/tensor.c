/* Tensor maps: checks the array against its buffer and lets the driver encode the descriptor.
 *
 * The driver checks everything that concerns the copy engine, and its encoding is opaque. It does not know the buffer,
 * so haul checks that the array lies within it: a map that is too large would let a kernel read other data without a
 * fault. A view (haul_tensor_view) is for the device library: the numbers that engines other than the tensor engine
 * need, and, from sm_90 on, the map. */
#include "base/status.h"
#include "lib/device.h"

#include <limits.h>
#include <string.h>

/* By haul_tensor_type. */
static const uint8_t element_bytes[] = {
#define TENSOR_TYPE(id, name, bytes, floating, add, min, max) [HAUL_TENSOR_##id] = (bytes),
#include "driver/tensor_types.def"
#undef TENSOR_TYPE
};

/* Returns the bytes that one step of dimension 0 stands for: an element, or with interleaved channels a group of 16 or
 * 32 bytes. */
static uint64_t unit_bytes(const haul_tensor *t) {
    return t->interleave == HAUL_TENSOR_INTERLEAVE_NONE ? element_bytes[t->type]
                                                        : UINT64_C(16) << (t->interleave - HAUL_TENSOR_INTERLEAVE_16B);
}

/* Sets the bytes from the array's first element to the end of its last. False if the description is out of range, or
 * they overflow. */
static bool array_bytes(const haul_tensor *t, uint64_t *bytes) {
    if ((size_t)t->type >= sizeof element_bytes || t->rank < 1 || t->rank > 5) return false;
    if ((unsigned)t->interleave > HAUL_TENSOR_INTERLEAVE_32B) return false;
    if (__builtin_mul_overflow(t->extent[0], unit_bytes(t), bytes)) return false;
    for (uint32_t d = 1; d < t->rank; d++) {
        uint64_t rest;
        if (t->extent[d] == 0 || __builtin_mul_overflow(t->extent[d] - 1, t->pitch[d - 1], &rest)) return false;
        if (__builtin_add_overflow(*bytes, rest, bytes)) return false;
    }
    return true;
}

/* The array must lie within its buffer. */
static haul_status check_buffer(const haul_tensor *t) {
    uint64_t bytes;
    if (!t->buffer) return haul_fail(HAUL_ERROR_ARGUMENT, "tensor map: it needs a buffer");
    if (!array_bytes(t, &bytes))
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "tensor map: type, rank, extents, pitches or interleave are out of range");
    if (t->offset <= t->buffer->bytes && bytes <= t->buffer->bytes - t->offset) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT,
                     "tensor map: an array of %llu bytes from byte %llu on reaches beyond its buffer of %llu",
                     (unsigned long long)bytes, (unsigned long long)t->offset, (unsigned long long)t->buffer->bytes);
}

/* Chooses the driver's function: tiles, pixels, or wide pixels, which older drivers lack. */
static CUresult encode(const haul_tensor *t, const driver_table *driver, CUtensorMap *map,
                       const unsigned long long *extents, const unsigned long long *pitches, const unsigned *box,
                       const unsigned *steps) {
    void *address = (void *)(uintptr_t)(t->buffer->address + t->offset);
    const int type = (int)t->type, interleave = (int)t->interleave, swizzle = (int)t->swizzle;
    const int promotion = (int)t->promotion;
    if (!t->by_pixels)
        return driver->tensor_map(map, type, t->rank, address, extents, pitches, box, steps, interleave, swizzle,
                                  promotion, t->fill_nan);
    if (t->wide == HAUL_TENSOR_WIDE_NONE)
        return driver->tensor_map_im2col(map, type, t->rank, address, extents, pitches, t->lower, t->upper, box[0],
                                         t->pixels, steps, interleave, swizzle, promotion, t->fill_nan);
    if (!driver->tensor_map_im2col_wide) return CUDA_NOT_SUPPORTED;
    return driver->tensor_map_im2col_wide(map, type, t->rank, address, extents, pitches, t->lower[0], t->upper[0],
                                          box[0], t->pixels, steps, interleave, (int)t->wide - 1, swizzle, promotion,
                                          t->fill_nan);
}

/* The driver's types differ from ours in width only; a step of 0 means 1. */
haul_status haul_tensor_map_encode(const haul_tensor *t, haul_tensor_map *map) {
    CUtensorMap encoded;
    unsigned long long extents[5], pitches[4];
    unsigned box[5], steps[5];
    HAUL_TRY(check_buffer(t));
    const haul_device *d = t->buffer->device;
    for (unsigned k = 0; k < 5; k++) {
        extents[k] = t->extent[k];
        box[k] = t->box[k];
        steps[k] = t->step[k] ? t->step[k] : 1;
        if (k < 4) pitches[k] = t->pitch[k];
    }
    HAUL_TRY(device_enter(d));
    const CUresult result = encode(t, d->driver, &encoded, extents, pitches, box, steps);
    HAUL_TRY(device_check(d, result, "a tensor map"));
    memcpy(map, &encoded, sizeof *map);
    return HAUL_OK;
}

/* The copy engine's fill value for NaN, as read from an H100. */
static const uint32_t nan_fill = 0x7ff77ff7;

/* Extents are ints in kernels, so larger ones are refused. */
haul_status haul_tensor_view_encode(const haul_tensor *t, haul_tensor_view *view) {
    HAUL_TRY(check_buffer(t));
    if (t->interleave)
        return haul_fail(HAUL_ERROR_ARGUMENT, "tensor view: tiles cannot have interleaved channels: use a tensor map");
    const haul_device *d = t->buffer->device;
    int major = 0;
    HAUL_TRY(device_enter(d));
    HAUL_TRY(
        device_check(d, d->driver->device_attribute(&major, DRIVER_DEVICE_MAJOR, d->handle), "a device attribute"));
    *view = (haul_tensor_view){
        .base = t->buffer->address + t->offset, .element = element_bytes[t->type], .fill = t->fill_nan ? nan_fill : 0};
    for (uint32_t k = 0; k < t->rank; k++) {
        if (t->extent[k] > INT_MAX)
            return haul_fail(HAUL_ERROR_ARGUMENT, "tensor view: extent %llu of dimension %u is above 2^31 - 1",
                             (unsigned long long)t->extent[k], k);
        view->extent[k] = (unsigned)t->extent[k];
        if (k > 0) view->pitch[k - 1] = (long long)t->pitch[k - 1];
    }
    return haul_device_architecture(d) >= 90 ? haul_tensor_map_encode(t, &view->map) : HAUL_OK;
}
