/* tex, tld4, txq: fetches through texture objects. Sampling is in texture/fetch.c, objects in texture/objects.c.
 *
 * Each lane describes its fetch, is sampled alone, and notes the texels that it touches. The warp's texels are then one
 * event for the checks and the counters. Fetches do not wait for the serial phase.
 *
 * a: the handles; x: the geometry; y: the kind of fetch; imm2: bit 0: integer coordinates, bit 1: names a level, bits 8
 * up: the component; count: the result's elements; bytes: of each element's register, which has imm's type; more: slots
 * in the pool, in the order below. */
#include "check/texels.h"
#include "count/texels.h"
#include "exec/half.h"
#include "exec/observe.h"
#include "exec/ops/lanes.h"
#include "exec/texture/access.h"
#include "state/texels.h"

enum { AT = 0, RESULT = 4, ALONG = 8, LEVEL = 8, SHIFT = 14, SLOTS = 17 };

/* ---- one lane ---- */

/* Reads coordinates and offsets; a layer comes before the coordinates. */
static void read_coordinates(const sim_warp *w, const sim_op *op, const uint32_t *slots, unsigned lane, sim_fetch *f) {
    const bool layered = op->x == SIM_GEOMETRY_A1D || op->x == SIM_GEOMETRY_A2D || op->x == SIM_GEOMETRY_ACUBE;
    if (layered) f->layer = SIM_SLOT(w, uint32_t, slots[AT])[lane];
    for (unsigned d = 0; d < 3; d++) {
        const unsigned k = AT + d + layered;
        if (op->imm2 & 1)
            f->whole[d] = SIM_SLOT(w, int32_t, slots[k])[lane];
        else
            f->at[d] = SIM_SLOT(w, float, slots[k])[lane];
        f->shift[d] = SIM_SLOT(w, int32_t, slots[SHIFT + d])[lane];
    }
}

/* Reads all operands of the lane. Slots that the instruction does not have are zero. */
static sim_fetch describe(const sim_warp *w, const sim_op *op, unsigned lane) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    sim_fetch f = {.kind = (uint8_t)op->y, .geometry = (uint8_t)op->x, .component = (uint8_t)(op->imm2 >> 8)};
    read_coordinates(w, op, slots, lane, &f);
    f.level = SIM_SLOT(w, float, slots[LEVEL])[lane];
    f.whole_level = SIM_SLOT(w, uint32_t, slots[LEVEL])[lane];
    f.names_level = op->imm2 & 2;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned d = 0; d < 3; d++) f.along[k][d] = SIM_SLOT(w, float, slots[ALONG + 3 * k + d])[lane];
    return f;
}

/* Results in half precision are rounded from single precision. */
static void write_result(sim_warp *w, const sim_op *op, unsigned lane, const uint32_t value[4]) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more + RESULT;
    for (unsigned e = 0; e < op->count; e++) {
        switch (op->imm) {
        case PTX_F16: SIM_SLOT(w, uint16_t, slots[e])[lane] = f16_of_f32(f32_of_bits(value[e])); break;
        case PTX_F16X2:
            SIM_SLOT(w, uint32_t, slots[e])
            [lane] = f16_of_f32(f32_of_bits(value[2 * e])) | (uint32_t)f16_of_f32(f32_of_bits(value[2 * e + 1])) << 16;
            break;
        default: SIM_SLOT(w, uint32_t, slots[e])[lane] = value[e];
        }
    }
}

/* ---- the warp ---- */

/* Reports lanes that fetch outside of linear memory, where hardware returns zeros without a word. */
static void check_range(sim_warp *w, const sim_op *op, uint32_t active, const sim_texture *t,
                        const sim_texel_access *a) {
    uint32_t outside = 0;
    for (unsigned l = 0; l < SIM_LANES && a->linear; l++) outside |= (uint32_t)(!a->lanes[l].count) << l;
    if (outside & active) sim_hazard_texture_range(w, op, outside & active, t->levels[0].extent[0]);
}

static bool have_one_handle(const uint64_t *handles, uint32_t active, uint64_t handle) {
    for (uint32_t left = active; left; left &= left - 1)
        if (handles[__builtin_ctz(left)] != handle) return false;
    return true;
}

static void observe(sim_warp *w, const sim_op *op, uint32_t active, const sim_texture *t, sim_texel_access *access) {
    access->bytes = 1u << t->levels[0].texel_bits;
    access->filtered = t->sampler.linear && op->y != SIM_FETCH_TEXELS;
    access->linear = t->kind == DRIVER_RESOURCE_LINEAR;
    access->volume = t->dimensions == 3;
    if (SIM_IS_CHECKED(w)) check_range(w, op, active, t, access);
    sim_observe_texels(w, op, active, access, HAUL_ACTION_READ);
}

/* The common fetch: floats of a plain texture. Returns false, with no effect, if it is another one. */
static bool fetch_plain(sim_warp *w, const sim_op *op, uint32_t active, const sim_texture *t,
                        sim_texel_access *access) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    sim_warp_fetch f = {.kind = (uint8_t)op->y, .geometry = (uint8_t)op->x, .count = op->count};
    if (op->imm == PTX_F16 || op->imm == PTX_F16X2 || !sim_texture_is_plain(t, &f)) return false;
    for (unsigned d = 0; d < 2; d++) {
        f.at[d] = SIM_SLOT(w, float, slots[AT + d]);
        f.shift[d] = SIM_SLOT(w, int32_t, slots[SHIFT + d]);
    }
    for (unsigned e = 0; e < op->count; e++) f.result[e] = SIM_SLOT(w, uint32_t, slots[RESULT + e]);
    sim_texture_fetch_plain(t, &f, active, w->sm->counting || SIM_IS_CHECKED(w) ? access : NULL);
    return true;
}

/* Any other fetch, lane by lane. Lanes mostly have one handle, which is then looked up once. Returns NULL after a
 * fault, else the last lane's texture. */
static const sim_texture *fetch_lanes(sim_warp *w, const sim_op *op, uint32_t active, const sim_texture *t,
                                      uint64_t last, sim_texel_access *access) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t handle = SIM_SLOT(w, uint64_t, op->a)[lane];
        if (handle != last) t = sim_find_texture(w, op, lane, handle, (sim_geometry)op->x, false);
        if (!t) return NULL;
        last = handle;
        const sim_fetch f = describe(w, op, lane);
        uint32_t value[4];
        sim_texture_fetch(t, &f, value, &access->lanes[lane]);
        write_result(w, op, lane, value);
    }
    return t;
}

static sim_step fetch(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_texel_access access;
    if (!active) return SIM_NEXT;
    const unsigned first = (unsigned)__builtin_ctz(active);
    const uint64_t *handles = SIM_SLOT(w, uint64_t, op->a), handle = handles[first];
    const sim_texture *t = sim_find_texture(w, op, first, handle, (sim_geometry)op->x, false);
    if (!t) return SIM_STOP;
    for (unsigned l = 0; l < SIM_LANES; l++) access.lanes[l].count = 0;
    if (!have_one_handle(handles, active, handle) || !fetch_plain(w, op, active, t, &access))
        t = fetch_lanes(w, op, active, t, handle, &access);
    if (!t) return SIM_STOP;
    observe(w, op, active, t, &access);
    return SIM_NEXT;
}

/* ---- lowering ---- */

static unsigned geometry_of(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_GEOMETRY] - (unsigned)PTX_MOD_GEOMETRY_1D + SIM_GEOMETRY_1D;
}

/* Takes up to `most` parts of an operand from part `first` on. */
static void take_vector(sim_lowering *l, const ptx_operand *from, unsigned first, unsigned type, uint32_t *slots,
                        unsigned most) {
    for (unsigned k = first; k < from->part_count && k - first < most; k++)
        slots[k - first] = sim_source(l, &from->parts[k], type);
}

/* operands: result, texture, then those of the kind of fetch, then offsets. */
static haul_status lower_fetch(sim_lowering *l, const ptx_instruction *i, sim_fetch_kind kind, unsigned component) {
    uint32_t slots[SLOTS];
    const ptx_operand *result = &i->operands[0], *at = &i->operands[1].parts[1];
    const unsigned type = i->type2, extra = kind == SIM_FETCH_GRADIENTS ? 2 : i->op == PTX_OP_TEX_LEVEL;
    for (unsigned k = 0; k < SLOTS; k++) slots[k] = SIM_SLOT_ZERO;
    if (ptx_is_layered(i)) slots[AT] = sim_source(l, &at->parts[0], PTX_U32);
    take_vector(l, at, ptx_is_layered(i), type, slots + AT + ptx_is_layered(i), 3);
    for (unsigned e = 0; e < result->part_count; e++) slots[RESULT + e] = sim_destination(l, &result->parts[e]);
    if (extra == 1) slots[LEVEL] = sim_source(l, &i->operands[2], type);
    for (unsigned k = 0; extra == 2 && k < 2; k++)
        take_vector(l, &i->operands[2 + k], 0, PTX_F32, slots + ALONG + 3 * k, 3);
    if (i->operand_count > 2 + extra) take_vector(l, &i->operands[2 + extra], 0, PTX_S32, slots + SHIFT, 3);
    const uint32_t handle = sim_source(l, &i->operands[1].parts[0], PTX_B64), more = sim_pool(l, slots, SLOTS);
    sim_op *op = sim_emit(l, fetch);
    op->a = handle;
    op->more = more;
    op->x = geometry_of(i);
    op->y = type == PTX_S32 ? SIM_FETCH_TEXELS : kind;
    op->imm2 = (uint32_t)(type == PTX_S32) | (uint32_t)(i->op == PTX_OP_TEX_LEVEL) << 1 | component << 8;
    op->imm = i->type;
    op->count = (uint8_t)result->part_count;
    op->memory_class = HAUL_CLASS_TEXTURE;
    return HAUL_OK;
}

haul_status LOWER(TEX)(sim_lowering *l, const ptx_instruction *i) {
    return lower_fetch(l, i, SIM_FETCH_BASE, 0);
}

haul_status LOWER(TEX_LEVEL)(sim_lowering *l, const ptx_instruction *i) {
    return lower_fetch(l, i, SIM_FETCH_LEVEL, 0);
}

/* The gradients say how the coordinates change from pixel to pixel; the level follows from them. */
haul_status LOWER(TEX_GRADIENTS)(sim_lowering *l, const ptx_instruction *i) {
    return lower_fetch(l, i, SIM_FETCH_GRADIENTS, 0);
}

/* Gathers one component of the four texels that linear filtering would weigh. */
haul_status LOWER(TLD4)(sim_lowering *l, const ptx_instruction *i) {
    return lower_fetch(l, i, SIM_FETCH_GATHER, i->mods[PTX_SLOT_COMPONENT] - (unsigned)PTX_MOD_COMPONENT_R);
}

/* ---- queries ---- */

/* x: the query; y: whether the object is a surface; b: the level */
static sim_step query(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t handle = SIM_SLOT(w, uint64_t, op->a)[lane];
        const sim_texture *t = sim_find_object(w, op, lane, handle, op->y);
        if (!t) return SIM_STOP;
        SIM_SLOT(w, uint32_t, op->d)[lane] = sim_texture_query(t, op->x, SIM_SLOT(w, uint32_t, op->b)[lane]);
    }
    return SIM_NEXT;
}

/* txq and suq. Handles are 64-bit registers here: module-scope textures (.texref) are not supported. */
static haul_status lower_query(sim_lowering *l, const ptx_instruction *i, bool surface) {
    const ptx_operand *memory = &i->operands[1];
    if (memory->offset || memory->parts[0].kind != PTX_REGISTER)
        return sim_lower_fail(l, "the handle of a texture or surface object must be in a register");
    const uint32_t handle = sim_source(l, &memory->parts[0], PTX_B64), d = sim_destination(l, &i->operands[0]);
    const uint32_t level = i->operand_count > 2 ? sim_source(l, &i->operands[2], PTX_U32) : SIM_SLOT_ZERO;
    sim_op *op = sim_emit(l, query);
    op->a = handle;
    op->d = d;
    op->b = level;
    op->x = i->mods[PTX_SLOT_QUERY];
    op->y = surface;
    return HAUL_OK;
}

haul_status LOWER(TXQ)(sim_lowering *l, const ptx_instruction *i) {
    return lower_query(l, i, false);
}

haul_status LOWER(TXQ_LEVEL)(sim_lowering *l, const ptx_instruction *i) {
    return lower_query(l, i, false);
}

haul_status LOWER(SUQ)(sim_lowering *l, const ptx_instruction *i) {
    return lower_query(l, i, true);
}
