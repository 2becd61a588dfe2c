/* suld, sust, sured: access bytes of arrays through surface objects.
 *
 * Unlike a texture, a surface is not sampled: coordinates are integers, x in bytes or (formatted) in elements, and one
 * level is accessed. The instruction says what happens outside: a trap, nothing, or the nearest element. Addresses in
 * the array come from texture/array.h. Loads and stores are executed at once; reductions wait for the serial phase.
 *
 * a: the handles; x: the geometry; y: the handling of out-of-bounds accesses, PTX_MOD_BEYOND_...; d: bytes of a
 * register's lane; bytes: of an element; count: elements per lane; more: slots in the pool: four coordinates, then the
 * elements; imm2: the reduction; imm: the type. */
#include "check/texels.h"
#include "count/texels.h"
#include "exec/fault.h"
#include "exec/observe.h"
#include "exec/ops/lanes.h"
#include "exec/sm.h"
#include "exec/texture/access.h"
#include "state/texels.h"

enum { AT = 0, DATA = 4, SLOTS = 8 };

/* ---- positions ---- */

/* Result of find_place(); the last two are for positions outside. */
typedef enum place { PLACE_INSIDE, PLACE_NOWHERE, PLACE_FAULT } place;

/* Clamps a coordinate if the instruction asks for it. Returns false if it stays outside. */
static bool bring_inside(int64_t *at, int64_t most, unsigned beyond) {
    if (*at >= 0 && *at <= most) return true;
    if (beyond != PTX_MOD_BEYOND_CLAMP || most < 0) return false;
    *at = *at < 0 ? 0 : most;
    return true;
}

/* Reads x, y, z; a layer comes first in the instruction and takes the place of z. */
static void read_coordinates(const sim_warp *w, const sim_op *op, unsigned lane, int64_t at[3]) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    const bool layered = op->x == SIM_GEOMETRY_A1D || op->x == SIM_GEOMETRY_A2D;
    const unsigned dimensions = op->x == SIM_GEOMETRY_3D                                ? 3
                                : op->x == SIM_GEOMETRY_1D || op->x == SIM_GEOMETRY_A1D ? 1
                                                                                        : 2;
    at[0] = at[1] = at[2] = 0;
    for (unsigned d = 0; d < dimensions; d++) at[d] = SIM_SLOT(w, int32_t, slots[AT + d + layered])[lane];
    if (layered) at[2] = SIM_SLOT(w, uint32_t, slots[AT])[lane];
}

/* Records the fault of a trapping access. */
static place out_of_bounds(sim_warp *w, const sim_op *op, unsigned lane, int64_t bytes, const int64_t at[3],
                           const sim_level *l) {
    sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane,
              "surface: %lld bytes at byte %lld, row %lld, slice or layer %lld are outside %llu bytes x %u x %u",
              (long long)bytes, (long long)at[0], (long long)at[1], (long long)at[2],
              (unsigned long long)l->extent[0] << l->texel_bits, l->extent[1], l->extent[2]);
    return PLACE_FAULT;
}

/* Finds the lane's `bytes`. `formatted`: x counts elements, not bytes. */
static place find_place(sim_warp *w, const sim_op *op, unsigned lane, const sim_level *l, bool formatted, int64_t bytes,
                        sim_texel *texel) {
    int64_t at[3], asked[3];
    const int64_t row = (int64_t)l->extent[0] << l->texel_bits;
    read_coordinates(w, op, lane, at);
    at[0] *= INT64_C(1) << (formatted ? l->texel_bits : 0);
    memcpy(asked, at, sizeof asked);
    bool inside = bring_inside(&at[0], (row - bytes) / bytes * bytes, op->y); /* clamps all three */
    for (unsigned k = 1; k < 3; k++) inside &= bring_inside(&at[k], (int64_t)l->extent[k] - 1, op->y);
    if (!inside) return op->y == PTX_MOD_BEYOND_TRAP ? out_of_bounds(w, op, lane, bytes, asked, l) : PLACE_NOWHERE;
    if (at[0] % bytes) {
        sim_fault(w, op, HAUL_FINDING_MISALIGNED, 1u << lane,
                  "surface: misaligned access: byte %lld of a row is not a multiple of the access's %lld bytes",
                  (long long)at[0], (long long)bytes);
        return PLACE_FAULT;
    }
    sim_level in_bytes = *l;
    in_bytes.texel_bits = 0;
    *texel = sim_texel_at(&in_bytes, (uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
    return PLACE_INSIDE;
}

/* ---- elements ---- */

/* Returns the bytes of a lane of the element registers. */
static unsigned lane_bytes(const sim_op *op) {
    return (unsigned)op->d;
}

/* Read and write the lane's register of an element. */
static uint64_t get_element(const sim_warp *w, const sim_op *op, unsigned e, unsigned lane) {
    const uint32_t slot = w->sm->grid->program->pool[op->more + DATA + e];
    switch (lane_bytes(op)) {
    case 2: return SIM_SLOT(w, uint16_t, slot)[lane];
    case 4: return SIM_SLOT(w, uint32_t, slot)[lane];
    default: return SIM_SLOT(w, uint64_t, slot)[lane];
    }
}

static void set_element(sim_warp *w, const sim_op *op, unsigned e, unsigned lane, uint64_t value) {
    const uint32_t slot = w->sm->grid->program->pool[op->more + DATA + e];
    switch (lane_bytes(op)) {
    case 2: SIM_SLOT(w, uint16_t, slot)[lane] = (uint16_t)value; break;
    case 4: SIM_SLOT(w, uint32_t, slot)[lane] = (uint32_t)value; break;
    default: SIM_SLOT(w, uint64_t, slot)[lane] = value;
    }
}

/* ---- accesses ---- */

/* A lane's operation on its bytes, which are NULL outside the surface. */
typedef void lane_fn(sim_warp *w, const sim_op *op, unsigned lane, unsigned char *bytes, const sim_texture *t);

static haul_action action_of(const sim_op *op) {
    switch (op->memory_class) {
    case HAUL_CLASS_SURFACE_LOAD: return HAUL_ACTION_READ;
    case HAUL_CLASS_SURFACE_STORE: return HAUL_ACTION_WRITE;
    default: return HAUL_ACTION_ATOMIC;
    }
}

/* Accesses lane by lane: handles may differ. The bytes are reported after all lanes' places are known. */
static sim_step access(sim_warp *w, const sim_op *op, uint32_t active, lane_fn *run, bool formatted) {
    sim_texel_access touched;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t handle = SIM_SLOT(w, uint64_t, op->a)[lane];
        const sim_texture *t = sim_find_texture(w, op, lane, handle, (sim_geometry)op->x, true);
        sim_texel texel = {0};
        if (!t) return SIM_STOP;
        const sim_level *l = &t->levels[0];
        touched.bytes = formatted ? 1u << l->texel_bits : (unsigned)(op->bytes * op->count);
        const place found = find_place(w, op, lane, l, formatted, touched.bytes, &texel);
        if (found == PLACE_FAULT) return SIM_STOP;
        touched.lanes[lane].count = found == PLACE_INSIDE;
        touched.lanes[lane].texels[0] = texel;
        run(w, op, lane, found == PLACE_INSIDE ? l->host + (texel.address - l->address) : NULL, t);
    }
    touched.filtered = touched.linear = touched.volume = false;
    sim_observe_texels(w, op, active, &touched, action_of(op));
    return SIM_NEXT;
}

/* Outside the surface, a load gives zeros and a store does nothing. */
static void load_lane(sim_warp *w, const sim_op *op, unsigned lane, unsigned char *bytes, const sim_texture *t) {
    (void)t;
    for (unsigned e = 0; e < op->count; e++) {
        uint64_t value = 0;
        if (bytes) memcpy(&value, bytes + e * op->bytes, op->bytes);
        set_element(w, op, e, lane, value);
    }
}

static void store_lane(sim_warp *w, const sim_op *op, unsigned lane, unsigned char *bytes, const sim_texture *t) {
    (void)t;
    for (unsigned e = 0; bytes && e < op->count; e++) {
        const uint64_t value = get_element(w, op, e, lane);
        memcpy(bytes + e * op->bytes, &value, op->bytes);
    }
}

/* Bytes without conversion; suld has no formatted form. */
static sim_step load(sim_warp *w, const sim_op *op, uint32_t active) {
    return access(w, op, active, load_lane, false);
}

static sim_step store(sim_warp *w, const sim_op *op, uint32_t active) {
    w->sm->changes++;
    return access(w, op, active, store_lane, false);
}

/* Integers that the format cannot hold become the nearest that it can. */
static void store_formatted_lane(sim_warp *w, const sim_op *op, unsigned lane, unsigned char *bytes,
                                 const sim_texture *t) {
    const unsigned width = (1u << t->levels[0].texel_bits) / t->channels;
    for (unsigned e = 0; bytes && e < op->count && e < t->channels; e++) {
        const uint32_t value = sim_texel_channel(t->format, (uint32_t)get_element(w, op, e, lane), op->imm == PTX_F32);
        memcpy(bytes + e * width, &value, width);
    }
}

static sim_step store_formatted(sim_warp *w, const sim_op *op, uint32_t active) {
    w->sm->changes++;
    return access(w, op, active, store_formatted_lane, true);
}

/* ---- reductions ---- */

/* Returns the result of a reduction; `type` has the width and the sign. */
static uint64_t combined(unsigned operation, unsigned type, uint64_t a, uint64_t b) {
    const bool narrow = ptx_bits(type) == 32, is_signed = ptx_is_signed(type);
    const int64_t sa = narrow ? (int32_t)a : (int64_t)a, sb = narrow ? (int32_t)b : (int64_t)b;
    const bool less = is_signed ? sa < sb : a < b;
    switch (operation) {
    case PTX_MOD_ATOM_ADD: return a + b;
    case PTX_MOD_ATOM_AND: return a & b;
    case PTX_MOD_ATOM_OR: return a | b;
    case PTX_MOD_ATOM_MIN: return less ? a : b;
    default: return less ? b : a;
    }
}

/* Memory is read and written here: in the serial phase nobody else does. */
static void reduce_lane(sim_warp *w, const sim_op *op, unsigned lane, unsigned char *bytes, const sim_texture *t) {
    uint64_t value = 0;
    (void)t;
    if (!bytes) return;
    memcpy(&value, bytes, op->bytes);
    value = combined(op->imm2, (unsigned)op->imm, value, get_element(w, op, 0, lane));
    memcpy(bytes, &value, op->bytes);
}

static sim_step reduce(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (!sim_in_order(w, op, &step)) return step;
    w->sm->changes++;
    return access(w, op, active, reduce_lane, false);
}

/* x counts elements. */
static sim_step reduce_elements(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (!sim_in_order(w, op, &step)) return step;
    w->sm->changes++;
    return access(w, op, active, reduce_lane, true);
}

/* ---- lowering ---- */

/* Returns the bytes of the element registers' lanes; `least` if all elements are constants. */
static unsigned data_lane(const sim_lowering *l, const ptx_operand *parts, unsigned count, unsigned least) {
    for (unsigned e = 0; e < count; e++)
        if (parts[e].kind == PTX_REGISTER) return sim_register_bytes(l, &parts[e]);
    return least < 2 ? 2 : least;
}

/* Lowers any of them. `surface`: the position of the operand with handle and coordinates; the data are the other
 * one. */
static haul_status lower_access(sim_lowering *l, const ptx_instruction *i, sim_handler run, unsigned surface,
                                bool is_load, haul_memory_class class) {
    uint32_t slots[SLOTS];
    const ptx_operand *data = &i->operands[!surface], *at = &i->operands[surface].parts[1];
    const ptx_operand *parts = data->kind == PTX_VECTOR ? data->parts : data;
    const unsigned count = data->kind == PTX_VECTOR ? data->part_count : 1, bytes = ptx_bits(i->type) / 8;
    const unsigned lane = data_lane(l, parts, count, bytes);
    for (unsigned k = 0; k < SLOTS; k++) slots[k] = SIM_SLOT_ZERO;
    for (unsigned k = 0; k < at->part_count; k++) slots[AT + k] = sim_source(l, &at->parts[k], PTX_S32);
    for (unsigned e = 0; e < count; e++) {
        if (parts[e].kind == PTX_REGISTER && sim_register_bytes(l, &parts[e]) != lane)
            return sim_lower_fail(l, "all element registers must have the same width");
        slots[DATA + e] = is_load ? sim_destination(l, &parts[e]) : sim_source(l, &parts[e], i->type);
    }
    const uint32_t handle = sim_source(l, &i->operands[surface].parts[0], PTX_B64), more = sim_pool(l, slots, SLOTS);
    sim_op *op = sim_emit(l, run);
    op->a = handle;
    op->more = more;
    op->x = i->mods[PTX_SLOT_GEOMETRY] - (unsigned)PTX_MOD_GEOMETRY_1D + SIM_GEOMETRY_1D;
    op->y = i->mods[PTX_SLOT_BEYOND];
    op->bytes = (uint8_t)bytes;
    op->count = (uint8_t)count;
    op->d = lane;
    op->imm2 = i->mods[PTX_SLOT_ATOMIC];
    op->imm = i->type;
    op->memory_class = (uint8_t) class;
    return HAUL_OK;
}

haul_status LOWER(SULD)(sim_lowering *l, const ptx_instruction *i) {
    return lower_access(l, i, load, 1, true, HAUL_CLASS_SURFACE_LOAD);
}

haul_status LOWER(SUST)(sim_lowering *l, const ptx_instruction *i) {
    return lower_access(l, i, store, 0, false, HAUL_CLASS_SURFACE_STORE);
}

/* sust.p: converts to the surface's format; x counts elements. */
haul_status LOWER(SUST_FORMATTED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_access(l, i, store_formatted, 0, false, HAUL_CLASS_SURFACE_STORE);
}

haul_status LOWER(SURED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_access(l, i, reduce, 0, false, HAUL_CLASS_SURFACE_REDUCTION);
}

/* sured.p: x counts elements; their bits are reduced as the instruction's type. */
haul_status LOWER(SURED_FORMATTED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_access(l, i, reduce_elements, 0, false, HAUL_CLASS_SURFACE_REDUCTION);
}
