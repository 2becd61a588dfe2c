/* atom and red.
 *
 * On global memory, most atomics wait for the serial phase, in which blocks take turns in a fixed order. Only
 * reductions whose order cannot be seen are executed at once, atomically towards other host threads (reduce_lanes()).
 * On shared memory no other SM can interfere, so all are executed at once. Lanes of a warp take turns in lane order.
 *
 * exec/atomic.c has the arithmetic of all kinds. The loops here are for words, as these are frequent, and for 16 bytes,
 * which that file does not have. multimem.c has reductions at multicast addresses, red_async in cluster.c those that
 * signal. */
#include "check/global.h"
#include "check/hazard.h"
#include "check/wait_condition.h"
#include "exec/access.h"
#include "exec/atomic.h"
#include "exec/cluster.h"
#include "exec/observe.h"
#include "exec/ops/lanes.h"
#include "exec/paths.h"
#include "exec/sm.h"
#include "machine/memory.h"
#include "state/lanes.h"

/* x: sim_atomic_kind; y: 1 if the result is unused; b, c: operands; d: the result. A vector has its count, and the
 * slots of its operands and results in the pool. */

/* Read and write one lane of a register of 2, 4 or 8 bytes. */
static uint64_t operand_of(const sim_warp *w, uint32_t slot, unsigned bytes, unsigned lane) {
    switch (bytes) {
    case 2: return SIM_SLOT(w, uint16_t, slot)[lane];
    case 4: return SIM_SLOT(w, uint32_t, slot)[lane];
    default: return SIM_SLOT(w, uint64_t, slot)[lane];
    }
}

static void set_result(const sim_warp *w, uint32_t slot, unsigned bytes, unsigned lane, uint64_t value) {
    switch (bytes) {
    case 2: SIM_SLOT(w, uint16_t, slot)[lane] = (uint16_t)value; return;
    case 4: SIM_SLOT(w, uint32_t, slot)[lane] = (uint32_t)value; return;
    default: SIM_SLOT(w, uint64_t, slot)[lane] = value;
    }
}

/* The most common case: integer additions and comparisons of words. Computes `now` from `old` and operand `b`; returns
 * how many lanes changed memory. Each case ends with its own `break`. */
#define EACH_WORD(T, expression)                                      \
    for (uint32_t left = active; left; left &= left - 1) {            \
        const unsigned l = (unsigned)__builtin_ctz(left);             \
        T *at = (T *)(base + address[l]);                             \
        const T old = *at, b = (T)operands[l], now = (T)(expression); \
        *at = now;                                                    \
        d[l] = (uint32_t)old;                                         \
        changed += now != old;                                        \
    }                                                                 \
    break;

/* Returns false, with no effect, for kinds that are not in its list. */
static bool apply_words(sim_warp *w, const sim_op *op, sim_atomic_kind kind, uint32_t active, uintptr_t base,
                        const uint64_t address[SIM_LANES]) {
    const uint32_t *operands = SIM_SLOT(w, uint32_t, op->b), *swaps = SIM_SLOT(w, uint32_t, op->c);
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    uint64_t changed = 0;
    switch (kind) {
    case SIM_ATOMIC_ADD: EACH_WORD(uint32_t, old + b)
    case SIM_ATOMIC_AND: EACH_WORD(uint32_t, old & b)
    case SIM_ATOMIC_OR: EACH_WORD(uint32_t, old | b)
    case SIM_ATOMIC_XOR: EACH_WORD(uint32_t, old ^ b)
    case SIM_ATOMIC_EXCH: EACH_WORD(uint32_t, b)
    case SIM_ATOMIC_CAS: EACH_WORD(uint32_t, old == b ? swaps[l] : old)
    case SIM_ATOMIC_MIN_U: EACH_WORD(uint32_t, old < b ? old : b)
    case SIM_ATOMIC_MAX_U: EACH_WORD(uint32_t, old > b ? old : b)
    case SIM_ATOMIC_MIN_S: EACH_WORD(int32_t, old < b ? old : b)
    case SIM_ATOMIC_MAX_S: EACH_WORD(int32_t, old > b ? old : b)
    default: return false;
    }
    w->sm->changes += changed;
    return true;
}

__extension__ typedef unsigned __int128 wide128 __attribute__((aligned(16)));

/* Exchanges, or compares and swaps, 16 bytes. */
static void apply_wide(sim_warp *w, const sim_op *op, sim_atomic_kind kind, uint32_t active, uintptr_t base,
                       const uint64_t address[SIM_LANES]) {
    const wide128 *b = SIM_SLOT(w, wide128, op->b), *c = SIM_SLOT(w, wide128, op->c);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        wide128 *at = (wide128 *)(base + address[l]);
        const wide128 old = *at, now = kind == SIM_ATOMIC_EXCH ? b[l] : old == b[l] ? c[l] : old;
        *at = now;
        SIM_SLOT(w, wide128, op->d)[l] = old;
        w->sm->changes += now != old;
    }
}

/* All other kinds, of 2, 4 or 8 bytes. */
static void apply_any(sim_warp *w, const sim_op *op, sim_atomic_kind kind, uint32_t active, uintptr_t base,
                      const uint64_t address[SIM_LANES]) {
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        bool changed;
        uint64_t old =
            sim_atomic_apply(kind, op->bytes, (void *)(base + address[l]), operand_of(w, op->b, op->bytes, l),
                             operand_of(w, op->c, op->bytes, l), &changed);
        w->sm->changes += changed;
        set_result(w, op->d, op->bytes, l, old);
    }
}

/* Lanes take turns in lane order. A compare-and-swap that fails changes nothing. */
static void apply_lanes(sim_warp *w, const sim_op *op, sim_atomic_kind kind, uint32_t active, uintptr_t base,
                        const uint64_t address[SIM_LANES]) {
    if (op->bytes == sizeof(wide128))
        apply_wide(w, op, kind, active, base, address);
    else if (op->bytes != 4 || !apply_words(w, op, kind, active, base, address))
        apply_any(w, op, kind, active, base, address);
    if (!op->y) sim_warp_observe(w, op, active, SIM_SLOT(w, void, op->d), op->bytes);
}

enum { MOST_ELEMENTS = 8 };

/* Applies each element separately; a register may hold both a later element's value and an earlier one's result. */
static void apply_vectors(sim_warp *w, const sim_op *op, sim_atomic_kind kind, uint32_t active, uintptr_t base,
                          const uint64_t address[SIM_LANES]) {
    const uint32_t *operands = w->sm->grid->program->pool + op->more, *results = operands + op->count;
    const unsigned bytes = op->bytes / op->count;
    w->sm->changes++;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint64_t old[MOST_ELEMENTS];
        for (unsigned e = 0; e < op->count; e++) {
            void *at = (void *)(base + address[l] + e * bytes);
            bool changed;
            old[e] = sim_atomic_apply(kind, bytes, at, operand_of(w, operands[e], bytes, l), 0, &changed);
        }
        for (unsigned e = 0; e < op->count; e++) set_result(w, results[e], bytes, l, old[e]);
    }
}

/* Applies reductions whose order cannot be seen. Whether they change anything is not known here, so they count as a
 * change. */
static void reduce_lanes(sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                         const uint64_t address[SIM_LANES]) {
    w->sm->changes++;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        sim_atomic_reduce((sim_atomic_kind)op->x, op->bytes, (void *)(base + address[l]),
                          operand_of(w, op->b, op->bytes, l));
    }
}

/* True if checks want to know in what order the values of words come that loops wait for (check/flag_words.h). */
static bool is_waited_for(const sim_warp *w) {
    const sim_wait_conditions *waits = w->sm->grid->conditions;
    return waits && waits->in_global;
}

/* Atomics of several blocks on global memory give the same result in any order only if they commute and their old
 * values are unused. All others wait for the serial phase. */
static sim_step atomic_at_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]) {
    const unsigned whole = op->bytes, bytes = op->count > 1 ? whole / op->count : whole;
    const sim_atomic_kind kind = sim_atomic_at_global((sim_atomic_kind)op->x, bytes);
    bool commutes = op->y && op->bytes >= 4 && sim_atomic_commutes(kind) && !is_waited_for(w);
    uintptr_t base;
    sim_step step;
    if (!commutes && !sim_in_order(w, op, &step)) return step;
    if (!sim_check_global(w, op, active, address, op->bytes, op->bytes, &base)) return SIM_STOP;
    const uint64_t *places = sim_places(w, address, &base);
    sim_fetch_lanes(active, base, places);
    sim_observe_global(w, op, active, address, HAUL_ACTION_ATOMIC);
    if (commutes)
        reduce_lanes(w, op, active, base, places);
    else if (op->count > 1)
        apply_vectors(w, op, kind, active, base, places);
    else
        apply_lanes(w, op, kind, active, base, places);
    return SIM_NEXT;
}

/* Applies to shared memory of block `b`. The counters get the access from the caller. */
static sim_step atomic_at_block(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b,
                                const uint32_t address[SIM_LANES]) {
    uint64_t wide[SIM_LANES];
    if (!sim_check_shared(w, op, active, address, op->bytes, op->bytes)) return SIM_STOP;
    SIM_EACH_LANE(l) wide[l] = address[l];
    if (SIM_IS_CHECKED(w)) sim_observe_shared_checks(w, op, active, b, address, HAUL_ACTION_ATOMIC);
    apply_lanes(w, op, sim_atomic_at_shared((sim_atomic_kind)op->x, op->bytes), active, (uintptr_t)b->shared, wide);
    return SIM_NEXT;
}

/* Applies to each named block in turn. `places` gets the lanes' addresses there, `*own` whether some are in the warp's
 * block. */
static sim_step atomic_at_blocks(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                                 uint32_t places[SIM_LANES], bool *own) {
    *own = false;
    for (uint32_t left = active, lanes; left; left &= ~lanes) {
        sim_block *owner;
        uint32_t local[SIM_LANES];
        lanes = sim_cluster_split(w, op, left, address, local, &owner);
        if (!lanes || atomic_at_block(w, op, lanes, owner, local) != SIM_NEXT) return SIM_STOP;
        sim_cluster_note_access(w, lanes, local, owner, SIM_CLUSTER_ATOMIC);
        SIM_EACH_LANE(l) if (lanes >> l & 1) places[l] = local[l];
        *own |= owner == w->block;
    }
    return SIM_NEXT;
}

/* Returns whether it is a minimum or maximum of 8 bytes, for which shared memory has no instruction. */
static bool is_wide_extremum(const sim_op *op) {
    return op->bytes == 8 && op->x >= SIM_ATOMIC_MIN_U && op->x <= SIM_ATOMIC_MAX_S;
}

/* Returns whether the operation with that value would leave memory that holds `there` unchanged. */
static bool leaves_as_is(const sim_op *op, uint64_t there, uint64_t value) {
    bool changed;
    sim_atomic_apply((sim_atomic_kind)op->x, op->bytes, &there, value, 0, &changed);
    return !changed;
}

/* Machine code loops for these: a lane tries a compare-and-swap only while its value would change memory. Finds which
 * lanes need not try (`idle`), and which other lanes' values make a lane stop (`beaten`). */
static void find_contest(const sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                         sim_contest *contest) {
    const uint64_t *values = SIM_SLOT(w, uint64_t, op->b);
    *contest = (sim_contest){0};
    SIM_EACH_LANE(l) {
        if (!(active >> l & 1)) continue;
        const uint64_t there = *(const uint64_t *)(w->block->shared + address[l]);
        contest->idle |= (uint32_t)leaves_as_is(op, there, values[l]) << l;
        for (uint32_t left = active & ~(1u << l); left; left &= left - 1) {
            const unsigned other = (unsigned)__builtin_ctz(left);
            if (address[other] == address[l] && leaves_as_is(op, values[other], values[l]))
                contest->beaten[l] |= 1u << other;
        }
    }
}

/* The contest is found before the operation, since it depends on the old contents. */
static sim_step contest_at_block(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES]) {
    sim_contest contest;
    if (!sim_check_shared(w, op, active, address, op->bytes, op->bytes)) return SIM_STOP;
    find_contest(w, op, active, address, &contest);
    const sim_step step = atomic_at_block(w, op, active, w->block, address);
    if (step == SIM_NEXT) sim_count_contest(w->sm->counting, w, op, active, address, &contest);
    return step;
}

/* Lanes may name blocks of the cluster; all of them together are one access. */
static sim_step atomic_at_shared(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES]) {
    uint32_t places[SIM_LANES] = {0};
    const bool split = sim_cluster_names_block(address, active);
    bool own = true;
    if (!split && w->sm->counting && is_wide_extremum(op)) return contest_at_block(w, op, active, address);
    const sim_step step = split ? atomic_at_blocks(w, op, active, address, places, &own)
                                : atomic_at_block(w, op, active, w->block, address);
    if (step != SIM_NEXT) return step;
    sim_count_shared(w->sm->counting, w, op, active, split ? places : address);
    if (!own) sim_count_as_remote(w->sm->counting, op);
    return SIM_NEXT;
}

static sim_step atomic_global(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t address[SIM_LANES];
    sim_addresses(w, op, address);
    return atomic_at_global(w, op, active, address);
}

static sim_step atomic_shared(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t address[SIM_LANES];
    sim_shared_addresses(w, op->a, op->imm, op->flags & SIM_OP_WIDE, address);
    return atomic_at_shared(w, op, active, address);
}

/* Tells observers of an access to the threads' own memory. */
static void observe_local(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES],
                          haul_memory_class class, haul_action action) {
    sim_op copy = *op;
    copy.memory_class = (uint8_t) class;
    copy.x = (uint32_t)__builtin_ctz(op->bytes);
    copy.count = 1;
    sim_observe_local(w, &copy, active, offset, action);
}

/* Applies to the threads' own memory, as an H200 does. The ISA speaks of global and shared memory only, but compilers
 * make such code for atomic variables on the stack. It counts as a load and a store. */
static sim_step atomic_at_local(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]) {
    uint64_t offset[SIM_LANES], places[SIM_LANES];
    uintptr_t base;
    SIM_EACH_LANE(l) places[l] = offset[l] = address[l] - SIM_LOCAL_WINDOW;
    if (!sim_check_frame(w, op, active, places, op->bytes, op->bytes, &base)) return SIM_STOP;
    if (SIM_IS_CHECKED(w)) sim_hazard_atomic_at_local(w, op, active);
    observe_local(w, op, active, offset, HAUL_CLASS_LOCAL_LOAD, HAUL_ACTION_READ);
    apply_lanes(w, op, sim_atomic_at_shared((sim_atomic_kind)op->x, op->bytes), active, base, places);
    observe_local(w, op, active, offset, HAUL_CLASS_LOCAL_STORE, HAUL_ACTION_WRITE);
    return SIM_NEXT;
}

/* Global lanes first: if they have to wait for the serial phase, nothing has been done yet. */
static sim_step atomic_generic(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t address[SIM_LANES];
    uint32_t narrow[SIM_LANES];
    sim_step step = SIM_NEXT;
    sim_addresses(w, op, address);
    const uint32_t shared = sim_lanes_in_window(address, SIM_SHARED_WINDOW) & active;
    const uint32_t local = op->count > 1 ? 0 : sim_lanes_in_window(address, SIM_LOCAL_WINDOW) & active;
    const uint32_t global = active & ~(shared | local);
    SIM_EACH_LANE(l) narrow[l] = (uint32_t)address[l];
    if (global) step = atomic_at_global(w, op, global, address);
    if (local && step == SIM_NEXT) step = atomic_at_local(w, op, local, address);
    if (!shared || step != SIM_NEXT) return step;
    if (!sim_check_window(w, op, shared, address)) return SIM_STOP;
    sim_op copy = *op;
    copy.memory_class = HAUL_CLASS_SHARED_ATOMIC;
    return atomic_at_shared(w, &copy, shared, narrow);
}

/* ---- lowering ---- */

/* Without a space in the instruction, the address decides. */
static sim_handler handler_of(const ptx_instruction *i) {
    if (ptx_in_shared(i)) return atomic_shared;
    return i->mods[PTX_SLOT_SPACE] == PTX_MOD_GLOBAL ? atomic_global : atomic_generic;
}

/* operands[at] is the memory, then a, then (CAS) b. A result that nobody reads makes it a reduction, as in machine code
 * (`result_read`). */
static haul_status lower_atomic(sim_lowering *l, const ptx_instruction *i, unsigned at, bool result_read) {
    const bool swaps = i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_CAS;
    uint32_t b = sim_source(l, &i->operands[at + 1], i->type);
    uint32_t c = swaps ? sim_source(l, &i->operands[at + 2], i->type) : SIM_SLOT_ZERO;
    const uint32_t policy = sim_policy_slot(l, i);
    sim_op *op = sim_emit_at(l, handler_of(i), &i->operands[at]);
    op->policy = policy;
    op->b = b;
    op->c = c;
    op->d = at ? sim_destination(l, &i->operands[0]) : SIM_SLOT_SINK;
    op->bytes = (uint8_t)(ptx_bits(i->type) / 8);
    op->x = sim_atomic_kind_of(i);
    op->y = !result_read;
    op->memory_class = ptx_in_shared(i) ? HAUL_CLASS_SHARED_ATOMIC
                       : result_read    ? HAUL_CLASS_GLOBAL_ATOMIC
                                        : HAUL_CLASS_GLOBAL_REDUCTION;
    op->flags |= ptx_releases(i) ? SIM_OP_RELEASES : 0;
    return HAUL_OK;
}

/* Vectors are floating-point and in global memory. */
static haul_status lower_vector(sim_lowering *l, const ptx_instruction *i, unsigned at, bool result_read) {
    const ptx_operand *from = &i->operands[at + 1], *to = at ? &i->operands[0] : NULL;
    const unsigned count = from->part_count;
    uint32_t slots[2 * MOST_ELEMENTS];
    for (unsigned e = 0; e < count; e++) {
        slots[e] = sim_source(l, &from->parts[e], i->type);
        slots[count + e] = to ? sim_destination(l, &to->parts[e]) : SIM_SLOT_SINK;
    }
    const uint32_t pool = sim_pool(l, slots, 2 * (size_t)count), policy = sim_policy_slot(l, i);
    sim_op *op = sim_emit_at(l, atomic_global, &i->operands[at]);
    op->policy = policy;
    op->more = pool;
    op->count = (uint8_t)count;
    op->bytes = (uint8_t)(count * ptx_bits(i->type) / 8);
    op->x = sim_atomic_kind_of(i);
    op->y = !result_read;
    op->memory_class = result_read ? HAUL_CLASS_GLOBAL_ATOMIC : HAUL_CLASS_GLOBAL_REDUCTION;
    return HAUL_OK;
}

/* It is a reduction only if no element of the result is read. */
haul_status LOWER(ATOM_VECTOR)(sim_lowering *l, const ptx_instruction *i) {
    bool read = false;
    for (uint32_t e = 0; e < i->operands[0].part_count; e++) read |= sim_is_read(l, &i->operands[0].parts[e]);
    return lower_vector(l, i, 1, read);
}

haul_status LOWER(RED_VECTOR)(sim_lowering *l, const ptx_instruction *i) {
    return lower_vector(l, i, 0, false);
}

/* An atom whose result nobody reads is a red. */
haul_status LOWER(ATOM)(sim_lowering *l, const ptx_instruction *i) {
    return lower_atomic(l, i, 1, sim_is_read(l, &i->operands[0]));
}

/* Executed like an ordinary reduction. A sum has the same bits with and without a sign. */
haul_status LOWER(RED_ASYNC_MMIO)(sim_lowering *l, const ptx_instruction *i) {
    ptx_instruction sum = *i;
    sum.mods[PTX_SLOT_ORDER] = PTX_MOD_RELEASE;
    if (sum.type == PTX_S64) sum.type = PTX_U64;
    return lower_atomic(l, &sum, 0, false);
}

haul_status LOWER(RED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_atomic(l, i, 0, false);
}
