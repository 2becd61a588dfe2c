/* Tensor maps that kernels modify and publish: tensormap.replace, tensormap.cp_fenceproxy and the tensormap proxy's
 * fences.
 *
 * A kernel changes fields of a map, mostly of a copy in shared memory, writes the copy to global memory, and releases
 * it; threads that use the map acquire it first. All of it takes effect at once here, so the fences matter to the
 * checks only, which report a map that is used without them. machine/tensor.h knows the map's bits.
 *
 * a, imm, SIM_OP_WIDE: the map's address; b: the value; x: the field; y: the dimension; imm2: MAP_* */
#include "check/hazard.h"
#include "count/count.h"
#include "exec/access.h"
#include "exec/fault.h"
#include "exec/ops/lanes.h"
#include "exec/ops/matrix.h"
#include "machine/memory.h"
#include "machine/tensor.h"

enum { MAP_IN_SHARED = 1, MAP_VALUE_WIDE = 2 };

/* Returns the 128 bytes of the map at a generic address or, if `in_shared`, in the block's shared memory. Returns NULL,
 * with the fault recorded, if they are not there. */
static unsigned char *map_at(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, bool in_shared) {
    unsigned char *bytes = NULL;
    if (!in_shared && sim_is_shared_address(address)) in_shared = true, address -= SIM_SHARED_WINDOW;
    const uint64_t shared = (uint32_t)address, limit = w->sm->grid->shared_bytes;
    const bool aligned = address % SIM_TENSOR_MAP_ALIGNMENT == 0;
    if (aligned && in_shared && shared + SIM_TENSOR_MAP_BYTES <= limit) bytes = w->block->shared + shared;
    if (aligned && !in_shared) bytes = sim_memory_at_to_write(w->sm->grid->memory, address, SIM_TENSOR_MAP_BYTES);
    if (!bytes)
        sim_fault(w, op, aligned ? HAUL_FINDING_OUT_OF_BOUNDS : HAUL_FINDING_MISALIGNED, 1u << lane,
                  "tensor map at 0x%llx: must be 64-byte aligned, in global or shared memory",
                  (unsigned long long)address);
    return bytes;
}

/* Returns the lane's address from a register of either width. */
static uint64_t address_in(const sim_warp *w, uint32_t slot, bool wide, int64_t offset, unsigned lane) {
    const uint64_t base = wide ? SIM_SLOT(w, uint64_t, slot)[lane] : SIM_SLOT(w, uint32_t, slot)[lane];
    return base + (uint64_t)offset;
}

/* Machine code stores whole words. A field that shares its word with others is loaded first, and a pitch has its upper
 * bits in a second word. */
static void count_replace(const sim_warp *w, const sim_op *op) {
    const sim_tensor_field field = (sim_tensor_field)op->x;
    const bool is_own = field == SIM_TENSOR_FIELD_ADDRESS || field == SIM_TENSOR_FIELD_EXTENT;
    sim_count_words(w->sm->counting, op, is_own ? 0 : 1, field == SIM_TENSOR_FIELD_PITCH ? 2 : 1);
}

/* Changes a field of each active lane's map. A map that would become invalid is a fault. */
static sim_step replace(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const uint64_t address = address_in(w, op->a, op->flags & SIM_OP_WIDE, op->imm, l);
        const uint64_t value =
            op->imm2 & MAP_VALUE_WIDE ? SIM_SLOT(w, uint64_t, op->b)[l] : SIM_SLOT(w, uint32_t, op->b)[l];
        unsigned char *map = map_at(w, op, l, address, op->imm2 & MAP_IN_SHARED);
        if (!map) return SIM_STOP;
        if (sim_tensor_replace(map, (sim_tensor_field)op->x, op->y, value) != HAUL_OK)
            return sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << l, "%s", haul_message());
        if (w->sm->hazards && !(op->imm2 & MAP_IN_SHARED)) sim_hazard_map_changed(w, op, l, address, false);
    }
    w->sm->changes++;
    if (op->imm2 & MAP_IN_SHARED) count_replace(w, op);
    return SIM_NEXT;
}

static sim_tensor_field field_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_FIELD]) {
    case PTX_MOD_FIELD_ADDRESS: return SIM_TENSOR_FIELD_ADDRESS;
    case PTX_MOD_FIELD_RANK: return SIM_TENSOR_FIELD_RANK;
    case PTX_MOD_FIELD_BOX: return SIM_TENSOR_FIELD_BOX;
    case PTX_MOD_FIELD_EXTENT: return SIM_TENSOR_FIELD_EXTENT;
    case PTX_MOD_FIELD_PITCH: return SIM_TENSOR_FIELD_PITCH;
    case PTX_MOD_FIELD_STEP: return SIM_TENSOR_FIELD_STEP;
    case PTX_MOD_FIELD_TYPE: return SIM_TENSOR_FIELD_TYPE;
    case PTX_MOD_FIELD_INTERLEAVE: return SIM_TENSOR_FIELD_INTERLEAVE;
    case PTX_MOD_FIELD_SWIZZLE: return SIM_TENSOR_FIELD_SWIZZLE;
    case PTX_MOD_FIELD_FILL: return SIM_TENSOR_FIELD_FILL;
    default: return SIM_TENSOR_FIELD_ATOMICITY;
    }
}

/* `dimension`: which of the fields that exist once for each dimension. */
static haul_status lower_replace(sim_lowering *l, const ptx_instruction *i, unsigned value_at, uint32_t dimension) {
    const unsigned type = i->type;
    const uint32_t value = sim_source(l, &i->operands[value_at], type);
    sim_op *op = sim_emit_at(l, replace, &i->operands[0]);
    op->b = value;
    op->x = field_of(i);
    op->y = dimension;
    op->imm2 = (i->mods[PTX_SLOT_SPACE] == PTX_MOD_SHARED_CTA ? MAP_IN_SHARED : 0u) |
               (ptx_bits(type) == 64 ? MAP_VALUE_WIDE : 0u);
    return HAUL_OK;
}

haul_status LOWER(TENSORMAP_REPLACE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_replace(l, i, 1, 0);
}

haul_status LOWER(TENSORMAP_REPLACE_AT)(sim_lowering *l, const ptx_instruction *i) {
    return lower_replace(l, i, 2, (uint32_t)i->operands[1].bits);
}

haul_status LOWER(TENSORMAP_REPLACE_KIND)(sim_lowering *l, const ptx_instruction *i) {
    return lower_replace(l, i, 1, 0);
}

/* ---- tensormap.cp_fenceproxy: a, imm, SIM_OP_WIDE: the destination; b, x, imm2: the source ---- */

/* Copies the map from shared to global memory and releases it, for the whole warp. */
static sim_step publish(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step);
    if (!lanes) return step;
    const unsigned l = (unsigned)__builtin_ctz(lanes);
    const uint64_t to = address_in(w, op->a, op->flags & SIM_OP_WIDE, op->imm, l);
    const unsigned char *from = map_at(w, op, l, address_in(w, op->b, op->imm2 != 0, (int32_t)op->x, l), true);
    unsigned char *map = from ? map_at(w, op, l, to, false) : NULL;
    if (!map) return SIM_STOP;
    memcpy(map, from, SIM_TENSOR_MAP_BYTES);
    sim_count_words(w->sm->counting, op, 1, 0);
    if (w->sm->hazards) sim_hazard_map_changed(w, op, l, to, true);
    w->sm->changes++;
    return SIM_NEXT;
}

haul_status LOWER(TENSORMAP_COPY)(sim_lowering *l, const ptx_instruction *i) {
    bool shared_wide;
    int64_t shared_offset;
    if (i->operands[2].bits != SIM_TENSOR_MAP_BYTES) return sim_lower_fail(l, "the size of a tensor map must be 128");
    const uint32_t from = sim_address(l, &i->operands[1], &shared_wide, &shared_offset);
    sim_op *op = sim_emit_at(l, publish, &i->operands[0]);
    op->b = from;
    op->x = (uint32_t)shared_offset;
    op->imm2 = shared_wide;
    return HAUL_OK;
}

/* ---- fence.proxy.tensormap: a, imm, SIM_OP_WIDE: the map to acquire ---- */

static sim_step release(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)op;
    if (w->sm->hazards) sim_hazard_map_release(w, active);
    return SIM_NEXT;
}

haul_status LOWER(FENCE_TENSORMAP_RELEASE)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, release);
    return HAUL_OK;
}

static sim_step acquire(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = w->sm->hazards ? active : 0; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        sim_hazard_map_acquire(w, address_in(w, op->a, op->flags & SIM_OP_WIDE, op->imm, l));
    }
    return SIM_NEXT;
}

haul_status LOWER(FENCE_TENSORMAP_ACQUIRE)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit_at(l, acquire, &i->operands[0]);
    return HAUL_OK;
}
