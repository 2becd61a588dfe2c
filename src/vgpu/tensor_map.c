/* cuTensorMapEncodeTiled and its variants: they make tensor maps.
 *
 * A tensor map is an opaque structure in the program's memory, which kernels name in bulk tensor copies. It has a
 * layout of haul's own (sim_tensor_pack() in machine/tensor.h), so a map is valid on virtual GPUs only.
 * sim_tensor_check() has the rules; kernels unpack the map when they use it. The three functions differ in how a box
 * is found: as a tile of each dimension, or as a number of pixels (im2col). */
#include "base/status.h"
#include "machine/tensor.h"
#include "vgpu/internal.h"

#include <string.h>

/* Modes after that of 128 bytes are newer. */
static haul_status check_swizzle(const sim_tensor *t) {
    const CUcontext c = sim_current();
    if (!c || c->machine.sm >= 100 || t->swizzle <= SIM_TENSOR_SWIZZLE_128B) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "tensor map: swizzle %u needs sm_100 or later, but %s is sm_%u", t->swizzle,
                     c->machine.name, c->machine.sm);
}

/* Encodes a map. `walk` says how the box is traversed; the other arguments fill in the rest. Checks the map as a
 * kernel's copy will. */
static CUresult encode_map(CUtensorMap *map, const sim_tensor *walk, int type, unsigned rank, void *address,
                           const unsigned long long *extents, const unsigned long long *strides, const unsigned *box,
                           const unsigned *element_strides, int interleave, int swizzle, int promotion, int fill) {
    unsigned char packed[SIM_TENSOR_MAP_BYTES];
    if (!map || (uintptr_t)map % SIM_TENSOR_MAP_ALIGNMENT) return sim_wrong("tensor map: must be 64-byte aligned");
    if (!extents || !box || !element_strides || (rank > 1 && !strides))
        return sim_wrong("tensor map: an array is missing");
    sim_tensor t = *walk;
    t.type = (uint32_t)type;
    t.rank = rank;
    t.interleave = (uint32_t)interleave;
    t.swizzle = (uint32_t)swizzle;
    t.promotion = (uint32_t)promotion;
    t.fill = (uint32_t)fill;
    t.address = (uint64_t)(uintptr_t)address;
    for (uint32_t d = 0; d < rank && d < SIM_TENSOR_RANK; d++) {
        t.extent[d] = extents[d];
        if (d + 1 < rank && d + 1 < SIM_TENSOR_RANK) t.pitch[d] = strides[d];
        t.box[d] = box[d];
        t.step[d] = element_strides[d];
    }
    haul_status status = check_swizzle(&t);
    if (status == HAUL_OK) status = sim_tensor_check(&t);
    if (status != HAUL_OK) return sim_result_of(status);
    sim_tensor_pack(&t, packed);
    memcpy(map, packed, sizeof packed);
    return CUDA_SUCCESS;
}

/* The map is checked again, as the address must fit its other members. */
CUresult sim_driver_tensor_map_move(CUtensorMap *map, void *address) {
    unsigned char packed[SIM_TENSOR_MAP_BYTES];
    sim_tensor t;
    SIM_ENTER(c);
    (void)c;
    if (!map || (uintptr_t)map % SIM_TENSOR_MAP_ALIGNMENT) return sim_wrong("tensor map: must be 64-byte aligned");
    memcpy(packed, map, sizeof packed);
    haul_status status = sim_tensor_unpack(packed, &t);
    if (status != HAUL_OK) return sim_result_of(status);
    t.address = (uint64_t)(uintptr_t)address;
    status = sim_tensor_check(&t);
    if (status != HAUL_OK) return sim_result_of(status);
    sim_tensor_pack(&t, packed);
    memcpy(map, packed, sizeof packed);
    return CUDA_SUCCESS;
}

/* The box has a size in each dimension. */
CUresult sim_call_tensor_map(CUtensorMap *map, int type, unsigned rank, void *address,
                             const unsigned long long *extents, const unsigned long long *strides, const unsigned *box,
                             const unsigned *element_strides, int interleave, int swizzle, int promotion, int fill) {
    const sim_tensor tile = {.by_pixels = false};
    return encode_map(map, &tile, type, rank, address, extents, strides, box, element_strides, interleave, swizzle,
                      promotion, fill);
}

/* A box has channels and pixels; the corners limit the pixels of each dimension between. */
CUresult sim_call_tensor_map_im2col(CUtensorMap *map, int type, unsigned rank, void *address,
                                    const unsigned long long *extents, const unsigned long long *strides,
                                    const int *lower, const int *upper, unsigned channels, unsigned pixels,
                                    const unsigned *element_strides, int interleave, int swizzle, int promotion,
                                    int fill) {
    const unsigned box[SIM_TENSOR_RANK] = {channels};
    if (!lower || !upper) return sim_wrong("tensor map: an array is missing");
    sim_tensor t = {.by_pixels = true, .pixels = pixels};
    for (uint32_t d = 0; d + 2 < rank && d < SIM_TENSOR_PLACE; d++) {
        t.lower[d] = lower[d];
        t.upper[d] = upper[d];
    }
    return encode_map(map, &t, type, rank, address, extents, strides, box, element_strides, interleave, swizzle,
                      promotion, fill);
}

/* Only the innermost pixel dimension has corners. */
CUresult sim_call_tensor_map_im2col_wide(CUtensorMap *map, int type, unsigned rank, void *address,
                                         const unsigned long long *extents, const unsigned long long *strides,
                                         int lower, int upper, unsigned channels, unsigned pixels,
                                         const unsigned *element_strides, int interleave, int mode, int swizzle,
                                         int promotion, int fill) {
    const unsigned box[SIM_TENSOR_RANK] = {channels};
    SIM_ENTER(c);
    if (c->machine.sm < 100) return sim_wrong("cuTensorMapEncodeIm2colWide: needs sm_100 or later");
    if (mode < 0 || mode > 1) return sim_wrong("cuTensorMapEncodeIm2colWide: the mode must be W or W128 (0, 1)");
    const sim_tensor t = {.by_pixels = true,
                          .wide = mode ? SIM_TENSOR_WIDE_W128 : SIM_TENSOR_WIDE_W,
                          .pixels = pixels > UINT16_MAX ? 0 : pixels,
                          .lower = {lower},
                          .upper = {upper}};
    return encode_map(map, &t, type, rank, address, extents, strides, box, element_strides, interleave, swizzle,
                      promotion, fill);
}
