/* What a block costs when it is alone: issue slots, its longest path, and how often a warp waits for memory.
 *
 * The clock multiplies these by how often blocks run. Registers carry the time at which their values are ready. A value
 * that comes from beyond the SM counts as a wait instead of a time, because its latency depends on the launch. Loops
 * see what their own earlier iteration loaded, so all blocks are scanned twice. */
#include "assembler/cost.h"

#include "assembler/alone.h"
#include "assembler/assembler.h"
#include "assembler/chain.h"
#include "assembler/combine.h"
#include "assembler/flight.h"
#include "assembler/issue.h"
#include "assembler/loop.h"
#include "assembler/rounds.h"
#include "assembler/values.h"
#include "assembler/window.h"
#include "ptx/edges.h"
#include "ptx/traits.h"

#include <math.h>
#include <string.h>

/* A loop of one block is unrolled by four, which leaves a quarter of its counting, comparing and branching. */
static const float LOOP_SAVES = 2.25F;
enum { ROUNDS = 4, MOST_UNROLLED = 49 };

/* A register's value: after how many waits of the block it is ready, and after how many if the iterations of an
 * unrolled loop do not wait for each other. */
typedef struct value {
    uint32_t chain; /* index + 1 of the first block of the chain that set it; 0: none yet */
    uint8_t depth, apart;
    bool copied; /* by MOV */
} value;

/* A store of the block to memory beyond the SM, and after how many waits it is issued. */
typedef struct store {
    uint32_t base; /* register; NO_BASE: the address is a constant or a variable's */
    int64_t from, to;
    uint8_t depth;
} store;

enum { MOST_STORES = 32 };
#define NO_BASE UINT32_MAX

typedef struct scan {
    value *values;
    sim_prices *prices;
    const sim_flight *flight;
    const sim_writers *writers;
    const sim_values *facts;
    uint32_t chain, block; /* the chain's first block, and the current one */
    sim_cost total;        /* of the chain so far, without its waits */
    uint8_t waits;
    bool copies; /* the instruction is a MOV */
    uint8_t depth, result_depth;
    uint8_t apart, result_apart, most_apart; /* the same and `waits` if iterations do not wait for each other */
    uint8_t round, before;                   /* waits of the block before this iteration */
    uint8_t ordered, called; /* waits before anything behind the last fence; apart, behind the last call */
    store stores[MOST_STORES];
    unsigned store_count;
    uint8_t crowded; /* waits before the last of those for which `stores` has no room */
    bool has_rounds; /* the chain has been unrolled */
    bool carried;    /* the instruction needs what an earlier iteration, or block, loaded */
    bool in_order;   /* the iterations of a loop cannot overlap: see notice_order() */
    bool meets;      /* warps meet at a barrier */
    bool diverges;   /* the chain is a loop that lanes may leave at different times */
    bool converged;  /* a collective of the chain has checked that they are together */
    float accesses;  /* loads, stores and atomics of machine code */
    float merging;   /* guarded loads whose results keep what a MOV left if the guard is false */
    sim_window *window;
    uint32_t last_branch; /* the end of the chain; branches before it are predicates in machine code */
    bool unrolled;        /* sim_unroll() has unrolled loops of the function: those left make few iterations */
    sim_rounds loops;     /* unrolled whole */
    float folded;         /* instructions of the chain that such a loop does not have */
    bool filled;          /* the fillers in front of copies are there already */
} scan;

/* The instruction starts when its operands are ready, and after as many waits as the most of them. */
static void take_source(void *context, uint32_t reg, bool writes) {
    scan *s = context;
    const value *v = &s->values[reg];
    if (writes) return;
    const bool own = v->chain == s->chain + 1;
    const bool comes = !own && sim_is_in_flight(s->flight, s->block, reg);
    const uint8_t depth = own ? v->depth : comes, apart = own ? v->apart : comes;
    if (depth > s->depth) s->depth = depth;
    if (apart > s->apart) s->apart = apart;
    s->carried |= comes;
}

static void set_result(void *context, uint32_t reg, bool writes) {
    scan *s = context;
    if (writes) s->values[reg] = (value){s->chain + 1, s->result_depth, s->result_apart, s->copies};
}

/* The number of registers in which a load leaves copied values where its guard is false. Their copies are instructions
 * of machine code. */
static unsigned merged_by(const scan *s, const ptx_instruction *i) {
    if (i->op != PTX_OP_LD || !i->guarded) return 0;
    const ptx_operand *d = &i->operands[0], *first = d->kind == PTX_VECTOR ? &d->parts[0] : d;
    if (first->kind != PTX_REGISTER || !s->values[first->reg].copied) return 0;
    return d->kind == PTX_VECTOR ? d->part_count : 1;
}

/* Iterations of an unrolled loop wait one after the other if something keeps their loads in order. */
static void begin_instruction(scan *s, const ptx_instruction *i, uint8_t waits) {
    if (i->round != s->round) s->before = waits;
    s->round = i->round;
    s->has_rounds |= i->round > 0;
    s->depth = s->before > s->ordered ? s->before : s->ordered;
    s->apart = s->called;
    s->carried = false;
}

/* ---- loads stay after stores that may alias them ---- */

/* Whether the access leaves the SM, generic ones included. */
static bool goes_beyond(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return space == PTX_MOD_GLOBAL || space == PTX_MOD_LOCAL || space == PTX_MOD_NONE;
}

static store place_of(const ptx_instruction *i, const ptx_operand *address) {
    const ptx_operand *base = address->kind == PTX_MEMORY ? &address->parts[0] : NULL;
    store place = {.base = NO_BASE, .from = address->offset};
    if (base && base->kind == PTX_REGISTER) place.base = base->reg;
    place.to = place.from + (int64_t)(sim_element_count(i) * sim_element_bytes(i));
    return place;
}

/* Places of one base alias if they overlap. Of different bases nothing is known. */
static bool may_be_same(const store *a, const store *b) {
    return a->base != b->base || (a->from < b->to && b->from < a->to);
}

/* A register that is written again is a new base. */
static void forget_base(void *context, uint32_t reg, bool writes) {
    scan *s = context;
    for (unsigned k = 0; writes && k < s->store_count; k++)
        if (s->stores[k].base == reg) s->stores[k].base = NO_BASE - 1;
}

/* Stores that find no room count as one that may alias anything. */
static void note_store(scan *s, const ptx_instruction *i) {
    if (i->op != PTX_OP_ST || !goes_beyond(i)) return;
    store made = place_of(i, &i->operands[0]);
    made.depth = s->depth;
    if (s->store_count < MOST_STORES)
        s->stores[s->store_count++] = made;
    else if (made.depth > s->crowded)
        s->crowded = made.depth;
}

/* In machine code the load follows the store, and a warp that waits for its store data issues nothing meanwhile.
 * Read-only loads go ahead (ld.global.nc, which compilers write for `const __restrict__`). */
static void stay_behind_stores(scan *s, const ptx_instruction *i) {
    if (i->op != PTX_OP_LD || !goes_beyond(i) || i->mods[PTX_SLOT_NC]) return;
    const store place = place_of(i, &i->operands[1]);
    if (s->crowded > s->depth) s->depth = s->crowded;
    for (unsigned k = 0; k < s->store_count; k++)
        if (may_be_same(&s->stores[k], &place) && s->stores[k].depth > s->depth) s->depth = s->stores[k].depth;
}

/* ---- fences ---- */

/* Whether other blocks must see what the warp did before: the order goes beyond the block. */
static bool goes_beyond_block(const ptx_instruction *i) {
    const unsigned scope = i->mods[PTX_SLOT_SCOPE];
    return scope == PTX_MOD_SCOPE_GPU || scope == PTX_MOD_SCOPE_SYS || scope == PTX_MOD_SCOPE_GL;
}

/* Whether the instruction waits until all accesses before it are done. ptxas makes a fence for
 * the GPU of one for the cluster, and an H200 takes as long for it. */
static bool is_behind_all(const ptx_instruction *i) {
    if (i->op == PTX_OP_FENCE && i->mods[PTX_SLOT_SCOPE] == PTX_MOD_SCOPE_CLUSTER) return true;
    return goes_beyond_block(i) && (i->op == PTX_OP_MEMBAR || i->op == PTX_OP_FENCE || ptx_releases(i));
}

/* A fence, and an access that releases, waits for all accesses before; machine code has MEMBAR there. What follows a
 * fence or an access that acquires waits for it, also if its result is not used. Measured on an H200: 0.14 to 0.45 us a
 * fence, 0.6 to 0.8 us an atomic that does both. */
static void keep_order(scan *s, const ptx_instruction *i, uint8_t waits) {
    if (is_behind_all(i) && waits + 1 > s->depth) s->depth = waits < UINT8_MAX ? (uint8_t)(waits + 1) : waits;
    if (is_behind_all(i)) s->ordered = s->depth;
    if (goes_beyond_block(i) && ptx_acquires(i) && !ptx_in_shared(i) && i->op != PTX_OP_FENCE && s->depth < UINT8_MAX)
        s->ordered = (uint8_t)(s->depth + 1);
}

/* Machine code of an exact division or root branches to a function for unusual operands, and nothing moves across the
 * branch. */
static void stay_behind_call(scan *s) {
    if (s->depth > s->ordered) s->ordered = s->depth;
    if (s->apart > s->called) s->called = s->apart;
}

/* If lanes may have left a loop, machine code checks that all are together before its first collective (BRA.DIV), and
 * nothing moves across the check. Read off machine code of attention and radix digits by nvcc 13.0. */
static void check_convergence(scan *s, const ptx_instruction *i) {
    if (!s->diverges || s->converged || !ptx_is(i->op, PTX_KIND_COLLECTIVE)) return;
    s->converged = true;
    s->in_order = true;
    if (s->depth > s->ordered) s->ordered = s->depth;
}

/* Machine code of an unrolled loop begins with the loads of all its iterations, unless something keeps them in order:
 * stores and atomics that may change what later loads read, copies, barriers, loads with a memory order, or an address
 * that an earlier iteration loaded. */
static void notice_order(scan *s, const ptx_instruction *i, const sim_price *p) {
    const bool changes = ptx_is(i->op, PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION);
    const bool in_background = ptx_is(i->op, PTX_KIND_COPY | PTX_KIND_ENGINE_LOAD | PTX_KIND_ENGINE_STORE);
    s->in_order |= (changes && goes_beyond(i)) || in_background || ptx_is(i->op, PTX_KIND_BARRIER);
    s->meets |= ptx_is(i->op, PTX_KIND_BARRIER);
    s->in_order |= p->waits && (s->carried || i->mods[PTX_SLOT_ORDER]);
}

/* Returns how often the code has the body of a loop. If the number of iterations is not constant, those that `rounds`
 * do not divide have copies of their own: of two iterations, and of one. */
static unsigned copies_of(const ptx_function *f, const sim_chain *c, const scan *s, unsigned rounds) {
    enum { OTHERS = 3 };
    if (rounds == 1 || sim_constant_trips(f, s->writers, c->begin, c->stop)) return rounds;
    return sim_chain_stays_rolled(f, c) ? 1 : rounds + OTHERS;
}

/* Returns the instructions that copies of a loop's body add to the code. One that is unrolled whole has no branch, and
 * nothing that is computed from its counter alone. */
static float added_by_copies(const ptx_function *f, const sim_chain *c, const scan *s, unsigned rounds, float issued) {
    enum { BRANCH = 1 };
    const unsigned trips = s->loops.whole[s->block] ? sim_constant_trips(f, s->writers, c->begin, c->stop) : 0;
    if (trips) return (float)trips * (s->total.issued - s->folded - BRANCH) - issued;
    return (float)(copies_of(f, c, s, rounds) - 1) * issued;
}

/* Waits of the chain so far, of which machine code has so many copies. */
static float waits_of(const scan *s, unsigned rounds) {
    const bool apart = s->has_rounds && !s->in_order;
    return sim_window_waits(s->window, apart ? s->most_apart : s->waits, rounds, apart);
}

/* Unrolling by `rounds` removes most of the counting of a loop. Its iterations wait together if nothing keeps their
 * loads in order. In others without barriers, ptxas 13.0 does not move guarded loads ahead that merge their results
 * with zeros, as Triton masks them: in its sums and Inductor's, 4 to 16 of them wait in 2 to 14 groups. */
static void unroll(sim_cost *cost, const scan *s, unsigned rounds) {
    enum { COUNTING = 3 };
    if (!s->in_order && rounds > 1)
        cost->waits = waits_of(s, rounds) / (float)rounds;
    else if (s->merging > 1 && !s->meets)
        cost->waits += sqrtf(s->merging) - 1;
    const float most = COUNTING * (1 - 1 / (float)(rounds > ROUNDS ? rounds : ROUNDS));
    const float saved = cost->slots > 2 * LOOP_SAVES ? most : 0;
    cost->slots -= saved;
    cost->issued -= saved < cost->issued ? saved : 0;
}

/* Returns by how many the loop of a chain is unrolled. */
static unsigned rounds_of(const ptx_function *f, const sim_chain *c, const scan *s) {
    if (f->keeps_loops || f->instructions[c->begin].keeps_loop || s->unrolled) return 1;
    const unsigned trips = sim_constant_trips(f, s->writers, c->begin, c->stop);
    const bool partly = s->merging <= 1 && s->block == s->chain;
    if (trips) return sim_unrolled_rounds(s->total.issued + s->accesses, trips, partly);
    return sim_chain_counts(f, c) && s->total.issued <= MOST_UNROLLED ? ROUNDS : 1;
}

static void begin_chain(scan *s, uint32_t block) {
    s->chain = block;
    s->total = (sim_cost){0};
    s->waits = s->round = s->before = s->crowded = s->ordered = s->called = s->most_apart = 0;
    s->in_order = s->meets = s->converged = s->filled = s->has_rounds = false;
    s->merging = s->accesses = s->folded = 0;
    s->store_count = 0;
}

/* Returns the fillers that a group of copies does without because it follows another one, with no barrier and no wait
 * in between. */
static float fillers_saved(scan *s, const ptx_instruction *i) {
    const bool commits = i->op == PTX_OP_CP_ASYNC_COMMIT, saved = commits && s->filled;
    if (commits) s->filled = true;
    if (ptx_is(i->op, PTX_KIND_BARRIER | PTX_KIND_COPY_WAIT)) s->filled = false;
    return saved ? SIM_COPY_FILLERS : 0;
}

static void scan_instruction(const ptx_function *f, uint32_t index, scan *s) {
    const ptx_instruction *i = &f->instructions[index];
    const bool another = sim_is_of_another(s->prices, index, i);
    sim_cost *t = &s->total;
    const sim_price p = sim_price_at(s->prices, index, i);
    begin_instruction(s, i, s->waits);
    ptx_visit_registers(i, take_source, s);
    stay_behind_stores(s, i);
    note_store(s, i);
    notice_order(s, i, &p);
    keep_order(s, i, s->waits);
    check_convergence(s, i);
    s->copies = i->op == PTX_OP_MOV;
    const unsigned merged = merged_by(s, i);
    s->merging += p.waits && merged;
    s->accesses += !another && sim_is_queued(i, &p);
    if (s->depth > s->waits) s->waits = s->depth;
    if (s->ordered > s->waits) s->waits = s->ordered;
    if (s->apart > s->most_apart) s->most_apart = s->apart;
    s->result_depth = (uint8_t)(s->depth + (p.waits && s->depth < UINT8_MAX));
    s->result_apart = (uint8_t)(s->apart + (p.waits && s->apart < UINT8_MAX));
    if (sim_is_call(i)) stay_behind_call(s);
    ptx_visit_registers(i, set_result, s);
    sim_window_add(s->window, f, index, p.waits ? s->result_depth : 0, s->result_apart);
    ptx_visit_registers(i, forget_base, s);
    if (i->op == PTX_OP_BRA && index + 1 != s->last_branch) return;
    t->slots += p.slots + (float)merged;
    t->busy[p.pipe] += p.busy;
    const float issued = (float)merged + (another ? 0 : sim_issued_by(i, &p)) - fillers_saved(s, i);
    t->issued += issued;
    if (s->loops.folded[index]) s->folded += issued;
    t->adu += sim_adu_of(i);
    t->lsu += sim_lsu_of(i);
    t->branches += i->op == PTX_OP_BRA;
    t->conversions += sim_converts(i);
    t->fences += is_behind_all(i);
}

static void find_last(void *context, uint32_t reg, bool writes) {
    scan *s = context;
    const value *v = &s->values[reg];
    if (writes && v->chain == s->chain + 1 && v->depth > s->depth) s->depth = v->depth;
}

/* The wait at the end of a block for what a loop behind it needs. */
static void wait_for_all(const ptx_function *f, uint32_t index, scan *s) {
    const ptx_block *b = &f->blocks[index];
    s->depth = 1;
    for (uint32_t i = b->first; i < b->end; i++)
        if (sim_price_of(s->prices, &f->instructions[i]).waits) ptx_visit_registers(&f->instructions[i], find_last, s);
    if (s->depth > s->waits) s->waits = s->depth;
}

/* The chain's cost up to the end of its current block. */
static sim_cost cost_so_far(const scan *s) {
    sim_cost cost = s->total;
    cost.waits = waits_of(s, 1);
    cost.busy[SIM_PIPE_NONE] = 0;
    return cost;
}

static sim_cost difference(const sim_cost *a, const sim_cost *b) {
    sim_cost d = {0};
    d.slots = a->slots - b->slots;
    d.waits = a->waits - b->waits;
    d.issued = a->issued - b->issued;
    d.adu = a->adu - b->adu;
    d.lsu = a->lsu - b->lsu;
    d.branches = a->branches - b->branches;
    d.conversions = a->conversions - b->conversions;
    d.fences = a->fences - b->fences;
    for (unsigned k = 0; k < SIM_PIPES; k++) d.busy[k] = a->busy[k] - b->busy[k];
    return d;
}

/* Costs of the blocks of a chain: each one's share is what it adds to those before it. If the chain is a loop, its last
 * block gets what unrolling changes, and the element behind those of all blocks what copies of its body add to the
 * code. Returns how many iterations of a loop follow each other. */
static unsigned cost_chain(const ptx_function *f, const sim_chain *c, scan *s, sim_cost *list) {
    sim_cost before = {0};
    unsigned rounds = 1;
    begin_chain(s, c->first);
    sim_window_begin(s->window, f, c->begin, c->stop);
    s->last_branch = c->stop;
    s->diverges = c->loops && sim_chain_diverges(f, c, s->writers, s->facts);
    for (uint32_t b = c->first; b < c->end; b++) {
        s->block = b;
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) scan_instruction(f, i, s);
        if (s->flight->owes && s->flight->owes[b]) wait_for_all(f, b, s);
        sim_cost now = cost_so_far(s);
        if (b == c->end - 1 && c->loops && !s->round) {
            unroll(&now, s, rounds = rounds_of(f, c, s));
            list[f->block_count].issued += added_by_copies(f, c, s, rounds, now.issued);
        }
        list[b] = difference(&now, &before);
        before = now;
    }
    return rounds;
}

static void set_times(const sim_chain *c, const sim_timing *times, sim_cost *list) {
    for (uint32_t b = c->first; b < c->end; b++, times++) {
        list[b].fixed = times->fixed;
        list[b].path = times->fixed + times->near;
    }
}

/* Finds loads whose results come from beyond the SM. */
static bool *find_loads(const ptx_function *f, scan *s, arena *memory) {
    bool *loads = ARENA_ARRAY(memory, f->instruction_count + 1, bool);
    for (uint32_t i = 0; i < f->instruction_count; i++)
        loads[i] = f->instructions[i].operand_count && sim_price_of(s->prices, &f->instructions[i]).waits;
    return loads;
}

/* The first scan finds which blocks wait for loads of their own; only the second one's result is kept. */
sim_cost *sim_block_costs(const ptx_function *f, const struct sim_assembled *assembled, arena *memory, arena *scratch) {
    sim_cost *list = ARENA_ARRAY(memory, f->block_count + 1, sim_cost);
    bool *waits = ARENA_ARRAY(scratch, f->block_count + 1, bool);
    sim_flight flight = {.column = ARENA_ARRAY(scratch, f->register_count + 1, uint32_t)};
    sim_values facts;
    sim_values_find(f, scratch, &facts);
    const sim_writers *writers = sim_find_writers(f, scratch);
    sim_prices *prices = sim_prices_new(f, writers, assembled, scratch);
    sim_alone *alone = sim_alone_new(f, prices, scratch);
    scan s = {.prices = prices,
              .flight = &flight,
              .facts = &facts,
              .writers = writers,
              .values = ARENA_ARRAY(scratch, f->register_count + 1, value),
              .loops = sim_find_rounds(f, scratch),
              .window = sim_window_new(f, scratch)};
    for (size_t i = 0; i < f->instruction_count; i++) s.unrolled |= f->instructions[i].round > 0;
    for (uint32_t b = 0; b < f->block_count; b++) {
        const sim_chain block = sim_chain_of(f, b, b + 1);
        cost_chain(f, &block, &s, list);
        waits[b] = list[b].waits > 0;
    }
    list[f->block_count] = (sim_cost){0};
    memset(s.values, 0, f->register_count * sizeof *s.values);
    sim_flight_find(f, waits, find_loads(f, &s, scratch), scratch, &flight);
    const bool *predicated = sim_predicated_blocks(f, scratch, scratch);
    ptx_predecessors above;
    ptx_predecessors_find(f, scratch, &above);
    for (uint32_t b = 0, end; b < f->block_count; b = end) {
        end = sim_end_of_chain(f, predicated, &above, b);
        const sim_chain chain = sim_chain_of(f, b, end);
        const unsigned rounds = cost_chain(f, &chain, &s, list);
        set_times(&chain, sim_time_chain(alone, &chain, rounds), list);
    }
    return list;
}
