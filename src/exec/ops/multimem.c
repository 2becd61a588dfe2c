/* multimem: accesses the memory of several devices through an address of a multicast object. The devices' copies are
 * accessed in the serial phase, in the order in which they were added to the object.
 *
 * All virtual GPUs of a process share one table of virtual memory (machine/virtual.h), which finds the copies of a
 * multicast address. A load combines the copies' values, a store writes all, a reduction is applied to each. Only the
 * device's own copy is checked for races.
 *
 * more, count: registers of the vector's elements in the pool and their number; bytes: of all elements; x, y: log2 of
 * the bytes of an element and of a register's lane; target: the type; imm2: the operation, see pack_operation(). */
#include "check/follow.h"
#include "check/global.h"
#include "check/hazard.h"
#include "exec/access.h"
#include "exec/atomic.h"
#include "exec/fault.h"
#include "exec/ops/lanes.h"
#include "exec/ops/product.h"
#include "exec/paths.h"
#include "exec/sm.h"
#include "machine/memory.h"
#include "machine/virtual.h"

/* `kind`: for whole elements; parts of other types (`part`) are reduced in `precision`. */
typedef struct operation {
    sim_atomic_kind kind;
    ptx_type part, precision; /* PTX_TYPE_NONE: whole elements */
    unsigned modifier;
} operation;

static uint32_t pack_operation(operation o) {
    return (uint32_t)o.kind | (uint32_t)o.part << 8 | (uint32_t)o.precision << 16 |
           (o.modifier - PTX_MOD_ATOM_AND) << 24;
}

static operation operation_of(const sim_op *op) {
    return (operation){(sim_atomic_kind)(op->imm2 & 255), (ptx_type)(op->imm2 >> 8 & 255),
                       (ptx_type)(op->imm2 >> 16 & 255), (op->imm2 >> 24) + PTX_MOD_ATOM_AND};
}

/* ---- reductions of several copies ---- */

/* Returns up to 8 bytes of memory. */
static uint64_t bits_at(const unsigned char *from, unsigned bytes) {
    uint64_t bits = 0;
    memcpy(&bits, from, bytes);
    return bits;
}

/* Rounds to nearest. Types of 8 bits clamp to their greatest number. */
static uint32_t encode_part(ptx_type type, double x) {
    switch (type) {
    case PTX_F16: return encode(sim_f16, x, SIM_ROUND_EVEN, false);
    case PTX_BF16: return encode(sim_bf16, x, SIM_ROUND_EVEN, false);
    case PTX_E4M3: return encode(sim_e4m3, x, SIM_ROUND_EVEN, true);
    default: return encode(sim_e5m2, x, SIM_ROUND_EVEN, true);
    }
}

/* Rounds a sum to the type that the instruction sums in. */
static double in_precision(ptx_type type, double x) {
    return type == PTX_F32 ? (double)(float)x : sim_decode_one(encode_part(type, x), type);
}

/* A number wins over NaN. */
static double reduce_two(unsigned modifier, double a, double b) {
    if (modifier == PTX_MOD_ATOM_ADD) return a + b;
    if (a != a) return b;
    if (b != b) return a;
    return (modifier == PTX_MOD_ATOM_MIN ? a < b : a > b) ? a : b;
}

/* Combines an element of all copies part by part, rounding after each step, and rounds to the element's type at the
 * end. */
static uint64_t reduce_parts(operation o, unsigned char *const *copies, unsigned count, unsigned at, unsigned bytes) {
    const unsigned size = ptx_bits(o.part) / 8;
    uint64_t result = 0;
    for (unsigned done = 0; done < bytes; done += size) {
        double sum = sim_decode_one((uint32_t)bits_at(copies[0] + at + done, size), o.part);
        for (unsigned k = 1; k < count; k++) {
            const double next = sim_decode_one((uint32_t)bits_at(copies[k] + at + done, size), o.part);
            sum = in_precision(o.precision, reduce_two(o.modifier, sum, next));
        }
        result |= (uint64_t)encode_part(o.part, sum) << 8 * done;
    }
    return result;
}

/* Combines an element of all copies in the order of the devices. */
static uint64_t reduce_element(operation o, unsigned char *const *copies, unsigned count, unsigned at, unsigned bytes) {
    uint64_t sum = bits_at(copies[0] + at, bytes);
    bool changed;
    if (o.part != PTX_TYPE_NONE) return reduce_parts(o, copies, count, at, bytes);
    for (unsigned k = 1; k < count; k++)
        (void)sim_atomic_apply(o.kind, bytes, &sum, bits_at(copies[k] + at, bytes), 0, &changed);
    return sum;
}

/* ---- a lane's access ---- */

/* Read and write one lane of the register of an element. */
static uint64_t register_of(const sim_warp *w, const sim_op *op, unsigned element, unsigned lane) {
    const uint32_t slot = w->sm->grid->program->pool[op->more + element];
    switch (op->y) {
    case 1: return SIM_SLOT(w, uint16_t, slot)[lane];
    case 2: return SIM_SLOT(w, uint32_t, slot)[lane];
    default: return SIM_SLOT(w, uint64_t, slot)[lane];
    }
}

static void set_register(const sim_warp *w, const sim_op *op, unsigned element, unsigned lane, uint64_t value) {
    const uint32_t slot = w->sm->grid->program->pool[op->more + element];
    switch (op->y) {
    case 1: SIM_SLOT(w, uint16_t, slot)[lane] = (uint16_t)value; return;
    case 2: SIM_SLOT(w, uint32_t, slot)[lane] = (uint32_t)value; return;
    default: SIM_SLOT(w, uint64_t, slot)[lane] = value;
    }
}

/* Accesses the lane's bytes in all copies. */
typedef void lane_fn(sim_warp *w, const sim_op *op, unsigned lane, unsigned char *const *copies, unsigned count);

/* multimem.ld_reduce, .st and .red of one lane, element by element. */
static void load_lane(sim_warp *w, const sim_op *op, unsigned lane, unsigned char *const *copies, unsigned count) {
    const unsigned bytes = 1u << op->x;
    for (unsigned e = 0; e < op->count; e++)
        set_register(w, op, e, lane, reduce_element(operation_of(op), copies, count, e * bytes, bytes));
}

static void store_lane(sim_warp *w, const sim_op *op, unsigned lane, unsigned char *const *copies, unsigned count) {
    const unsigned bytes = 1u << op->x;
    for (unsigned e = 0; e < op->count; e++) {
        const uint64_t value = register_of(w, op, e, lane);
        for (unsigned k = 0; k < count; k++) memcpy(copies[k] + e * bytes, &value, bytes);
    }
}

static void reduce_lane(sim_warp *w, const sim_op *op, unsigned lane, unsigned char *const *copies, unsigned count) {
    const unsigned bytes = 1u << op->x;
    bool changed;
    for (unsigned e = 0; e < op->count; e++) {
        const uint64_t value = register_of(w, op, e, lane);
        for (unsigned k = 0; k < count; k++)
            (void)sim_atomic_apply(operation_of(op).kind, bytes, copies[k] + e * bytes, value, 0, &changed);
    }
}

/* ---- a warp's access ---- */

/* Records the fault of a lane; returns false. */
static bool fault(sim_warp *w, const sim_op *op, unsigned lane, haul_finding_kind kind, const char *what,
                  uint64_t address) {
    sim_fault_concerns(w, HAUL_SPACE_GLOBAL, address, op->bytes);
    sim_fault(w, op, kind, 1u << lane, "%s: %u bytes at 0x%llx", what, op->bytes, (unsigned long long)address);
    return false;
}

/* Finds the lane's bytes in all copies and accesses them. Returns false, with the fault recorded, if there are none. */
static bool access_lane(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, lane_fn *act) {
    unsigned char *copies[SIM_VIRTUAL_DEVICES];
    const char *why;
    if (address % op->bytes) return fault(w, op, lane, HAUL_FINDING_MISALIGNED, "misaligned multimem access", address);
    const unsigned count = sim_memory_copies(w->sm->grid->memory, address, op->bytes, copies, &why);
    if (!count) return fault(w, op, lane, HAUL_FINDING_ILLEGAL_ACCESS, why, address);
    act(w, op, lane, copies, count);
    return true;
}

/* Checks the access to the device's own copy, at the address where it is mapped. */
static void check_own(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]) {
    const bool loads = op->memory_class == HAUL_CLASS_GLOBAL_LOAD;
    uint64_t own[SIM_LANES];
    uint32_t lanes = 0;
    for (unsigned l = 0; l < SIM_LANES; l++)
        lanes |= (uint32_t)((active >> l & 1) && sim_memory_own_copy(w->sm->grid->memory, address[l], &own[l])) << l;
    if (!lanes) return;
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (!(lanes >> l & 1)) own[l] = 0;
    const haul_action action = loads ? HAUL_ACTION_READ : HAUL_ACTION_ATOMIC;
    if (w->sm->follower) sim_follow_lanes(w, op, lanes, own, action);
    if (!w->sm->hazards) return;
    if (op->flags & SIM_OP_STRONG) sim_hazard_strong(w, op, lanes, own, loads, !loads);
    sim_hazard_global(w, op, lanes, own, action);
}

/* Counts as one access to global memory, at the multicast address. */
static sim_step access_all(sim_warp *w, const sim_op *op, uint32_t active, lane_fn *act) {
    uint64_t address[SIM_LANES];
    sim_step step;
    if (!sim_in_order(w, op, &step)) return step;
    sim_addresses(w, op, address);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (!access_lane(w, op, lane, address[lane], act)) return SIM_STOP;
    }
    if (w->sm->hazards || w->sm->follower) check_own(w, op, active, address);
    sim_count_global(w->sm->counting, w, op, active, address);
    return SIM_NEXT;
}

static sim_step load_reduced(sim_warp *w, const sim_op *op, uint32_t active) {
    const sim_step step = access_all(w, op, active, load_lane);
    const uint32_t slot = w->sm->grid->program->pool[op->more];
    if (step == SIM_NEXT) sim_warp_observe(w, op, active, SIM_SLOT(w, void, slot), 1u << op->y);
    return step;
}

static sim_step store_everywhere(sim_warp *w, const sim_op *op, uint32_t active) {
    w->sm->changes++;
    return access_all(w, op, active, store_lane);
}

static sim_step reduce_everywhere(sim_warp *w, const sim_op *op, uint32_t active) {
    w->sm->changes++;
    return access_all(w, op, active, reduce_lane);
}

/* ---- lowering ---- */

/* Returns the small floating type that an element consists of; PTX_TYPE_NONE for other types. */
static ptx_type part_of(unsigned type) {
    switch (type) {
    case PTX_F16:
    case PTX_F16X2: return PTX_F16;
    case PTX_BF16:
    case PTX_BF16X2: return PTX_BF16;
    case PTX_E5M2:
    case PTX_E5M2X2:
    case PTX_E5M2X4: return PTX_E5M2;
    case PTX_E4M3:
    case PTX_E4M3X2:
    case PTX_E4M3X4: return PTX_E4M3;
    default: return PTX_TYPE_NONE;
    }
}

/* Halves are summed in half precision, each step rounded, unless the instruction names another precision. */
static operation operation_for(const ptx_instruction *i) {
    const ptx_type part = part_of(i->type);
    const unsigned asked = i->mods[PTX_SLOT_ACC_PREC];
    const ptx_type precision = asked == PTX_MOD_ACC_F32 ? PTX_F32 : asked == PTX_MOD_ACC_F16 ? PTX_F16 : part;
    const bool whole = !asked && part != PTX_E4M3 && part != PTX_E5M2;
    return (operation){.kind = sim_atomic_kind_of(i),
                       .part = whole ? PTX_TYPE_NONE : part,
                       .precision = whole ? PTX_TYPE_NONE : precision,
                       .modifier = i->mods[PTX_SLOT_ATOMIC]};
}

static unsigned log2_of(unsigned n) {
    return (unsigned)__builtin_ctz(n);
}

/* Lowers any of the three. All registers of a vector have one width, which may exceed the element's. */
static haul_status lower(sim_lowering *l, const ptx_instruction *i, sim_handler run, haul_memory_class class) {
    const bool loads = class == HAUL_CLASS_GLOBAL_LOAD;
    const ptx_operand *data = &i->operands[loads ? 0 : 1], *memory = &i->operands[loads ? 1 : 0];
    const ptx_operand *parts = data->kind == PTX_VECTOR ? data->parts : data;
    const unsigned count = data->kind == PTX_VECTOR ? data->part_count : 1, bytes = ptx_bits(i->type) / 8;
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    unsigned lane = bytes < 2 ? 2 : bytes;
    uint32_t slots[8];
    for (unsigned e = 0; e < count; e++) {
        slots[e] = loads ? sim_destination(l, &parts[e]) : sim_source(l, &parts[e], i->type);
        if (parts[e].kind == PTX_REGISTER) lane = sim_register_bytes(l, &parts[e]);
    }
    const uint32_t pool = sim_pool(l, slots, count);
    sim_op *op = sim_emit_at(l, run, memory);
    op->more = pool;
    op->count = (uint8_t)count;
    op->bytes = (uint8_t)(bytes * count);
    op->x = log2_of(bytes);
    op->y = log2_of(lane);
    op->d = slots[0];
    op->imm2 = pack_operation(operation_for(i));
    op->memory_class = (uint8_t) class;
    op->flags |= (order == PTX_MOD_WEAK ? 0 : SIM_OP_STRONG) | (ptx_releases(i) ? SIM_OP_RELEASES : 0);
    return HAUL_OK;
}

haul_status LOWER(MULTIMEM_LD_REDUCE)(sim_lowering *l, const ptx_instruction *i) {
    return lower(l, i, load_reduced, HAUL_CLASS_GLOBAL_LOAD);
}

/* A store has no operation, but the field must have one that exists. */
haul_status LOWER(MULTIMEM_ST)(sim_lowering *l, const ptx_instruction *i) {
    ptx_instruction store = *i;
    store.mods[PTX_SLOT_ATOMIC] = PTX_MOD_ATOM_AND; /* unused */
    return lower(l, &store, store_everywhere, HAUL_CLASS_GLOBAL_STORE);
}

haul_status LOWER(MULTIMEM_RED)(sim_lowering *l, const ptx_instruction *i) {
    return lower(l, i, reduce_everywhere, HAUL_CLASS_GLOBAL_REDUCTION);
}

/* Asynchronous ones take effect at once, as they may. */
haul_status LOWER(MULTIMEM_ST_ASYNC)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(MULTIMEM_ST)(l, i);
}

haul_status LOWER(MULTIMEM_RED_ASYNC)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(MULTIMEM_RED)(l, i);
}
