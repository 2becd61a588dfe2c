/* What a block costs when it is alone: issue slots, its longest path, and how often a warp waits for memory.
 *
 * The clock multiplies these by how often blocks run. Registers carry the time at which their values are ready. A value
 * that comes from beyond the SM counts as a wait instead of a time, because its latency depends on the launch. Loops
 * see what their own earlier iteration loaded, so all blocks are scanned twice. Latencies and slots are in cost.def. */
#include "assembler/cost.h"

#include "assembler/assembler.h"
#include "assembler/combine.h"
#include "assembler/flight.h"
#include "assembler/fuse.h"
#include "assembler/issue.h"
#include "assembler/loop.h"
#include "assembler/rounds.h"
#include "assembler/schedule.h"
#include "assembler/values.h"
#include "assembler/window.h"
#include "ptx/edges.h"
#include "ptx/liveness.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"

#include <math.h>
#include <string.h>

typedef enum cost_type { COST_ANY, COST_DOUBLE, COST_LONG, COST_WHOLE } cost_type;

static const struct {
    const char *mnemonic;
    cost_type of;
    uint8_t latency, slots, pipe;
    float busy;
} costs[] = {
#define COST(mnemonic, of, latency, issued, pipe, busy) {mnemonic, COST_##of, latency, issued, SIM_PIPE_##pipe, busy},
#include "assembler/cost.def"
#undef COST
};

enum { LATENCY = 4, SHARED_LATENCY = 26, SHARED_ATOMIC_LATENCY = 60 };
/* Arithmetic waits at most this long for a pipe of its own. */
enum { FIXED_LATENCY = 14 };
/* Instructions without effect that precede the copies of a group (@!PT LDS RZ, [RZ] in machine code). */
enum { COPY_FILLERS = 3 };
/* Cycles from the last product of a warpgroup to the end of a wait for it, beyond the product's own. Measured on an
 * H200 with groups of 1, 4 and 16 products of 64 columns. */
enum { PRODUCT_LATENCY = 200 };
enum { PRODUCT_OF_A_WARP = 33 }; /* of mma, 16 x 8 x 16; wmma makes two that do not depend on each other */
/* A loop of one block is unrolled by four, which leaves a quarter of its counting, comparing and branching. */
static const float LOOP_SAVES = 2.25F;
enum { ROUNDS = 4, MOST_UNROLLED = 49 };

/* By operation and type: the row of the table + 1, or NO_ROW; 0: not looked up yet. */
enum { NO_ROW = 255, TYPES = 4 };
typedef uint8_t cost_rows[PTX_OP_COUNT][TYPES];
_Static_assert(sizeof costs / sizeof *costs < NO_ROW, "a row's number fits a byte");

typedef struct price {
    float latency, slots;
    bool waits; /* its result comes from beyond the SM */
    sim_pipe pipe;
    float busy; /* cycles of the pipe */
} price;

/* Doubles, 64-bit integers and other integers have prices of their own. */
static cost_type type_of(const ptx_instruction *i) {
    if (i->type == PTX_F64) return COST_DOUBLE;
    if (i->type == PTX_U64 || i->type == PTX_S64 || i->type == PTX_B64) return COST_LONG;
    return i->type != PTX_TYPE_NONE && ptx_is_integer(i->type) ? COST_WHOLE : COST_ANY;
}

/* Parameters are read with the instruction that uses them, at no cost. */
static price price_of_access(const ptx_instruction *i, bool atomic) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    if (ptx_in_shared(i)) return (price){.latency = atomic ? SHARED_ATOMIC_LATENCY : SHARED_LATENCY, .slots = 1};
    const bool near = space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY || space == PTX_MOD_PARAM_FUNC;
    return near ? (price){0} : (price){.slots = 1, .waits = space != PTX_MOD_CONST};
}

/* The first row with the mnemonic and the type. */
static uint8_t find_row(const char *mnemonic, cost_type type) {
    for (size_t k = 0; k < sizeof costs / sizeof *costs; k++)
        if ((costs[k].of == COST_ANY || costs[k].of == type) && strcmp(costs[k].mnemonic, mnemonic) == 0)
            return (uint8_t)(k + 1);
    return NO_ROW;
}

/* A warpgroup's product keeps the tensor cores of all four schedulers busy for half as many cycles as it has columns,
 * whatever the type: its depth is 32 bytes. A narrow one takes as long as one of 32 columns. */
static price price_of_warpgroup(const ptx_instruction *i) {
    enum { LEAST = 16 };
    const float columns = (float)ptx_shape_of(i).n / 2, cycles = columns > LEAST ? columns : LEAST;
    return (price){cycles, 1, false, SIM_PIPE_TENSOR, cycles};
}

/* A warp's product by mma keeps the tensor core busy for 6 cycles if it has 2,048 products of 16 bits: two thirds of
 * what a warpgroup reaches. Doubles have units of their own, with 32 products a cycle. */
static price price_of_product(const ptx_instruction *i) {
    const ptx_shape s = ptx_shape_of(i);
    const ptx_type element = ptx_element_type(i, 'a');
    const float products = (float)s.m * s.n * s.k, bits = element == PTX_TF32 ? 32 : (float)ptx_types[element].bits;
    const float busy = bits > 32 ? products / 32 : products * bits / (16 * 2048) * 6;
    const float instructions = products > 2048 && ptx_has(i->op, PTX_TRAIT_WMMA) ? 2 : 1;
    return (price){PRODUCT_OF_A_WARP, instructions, false, SIM_PIPE_TENSOR, busy};
}

static price price_of(const ptx_instruction *i, cost_rows rows) {
    const cost_type type = type_of(i);
    uint8_t *row = &rows[i->op][type];
    if (ptx_is(i->op, PTX_KIND_WARPGROUP_PRODUCT)) return price_of_warpgroup(i);
    if (ptx_is(i->op, PTX_KIND_PRODUCT)) return price_of_product(i);
    if (ptx_is(i->op, PTX_KIND_LOAD)) return price_of_access(i, false);
    if (ptx_is(i->op, PTX_KIND_ATOMIC)) return price_of_access(i, true);
    if (ptx_is(i->op, PTX_KIND_TEXTURE | PTX_KIND_SURFACE_LOAD)) return (price){.slots = 1, .waits = true};
    if (*row == 0) *row = find_row(ptx_ops[i->op].mnemonic, type);
    const bool computes = type == COST_ANY && !ptx_is(i->op, PTX_KIND_STORE | PTX_KIND_REDUCTION);
    if (*row == NO_ROW) return (price){LATENCY, 1, false, computes ? SIM_PIPE_FMA : SIM_PIPE_NONE, 1};
    return (price){costs[*row - 1].latency, costs[*row - 1].slots, false, costs[*row - 1].pipe, costs[*row - 1].busy};
}

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

/* The step that writes a register. */
typedef struct maker {
    uint32_t epoch, step;
    sim_port port;
    bool fixed;
} maker;

enum { MOST_LOADS = 64 };

/* Accesses to a memory: the last store's step + 1, and the loads behind it. */
typedef struct order {
    uint32_t stored, loads[MOST_LOADS];
    unsigned load_count;
} order;

typedef struct scan {
    value *values;
    const sim_assembled *assembled; /* by instruction; NULL: not known */
    const sim_flight *flight;
    const sim_writers *writers;
    const sim_values *facts;
    uint8_t (*rows)[TYPES];
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
    uint8_t crowded;      /* waits before the last of those for which `stores` has no room */
    bool has_rounds;      /* the chain has been unrolled */
    bool carried;         /* the instruction needs what an earlier iteration, or block, loaded */
    bool in_order, meets; /* iterations of a loop cannot overlap, as notice_order() says; warps meet at a barrier */
    bool diverges;        /* the chain is a loop that lanes may leave at different times */
    bool converged;       /* a collective of the chain has checked that they are together */
    float accesses;       /* loads, stores and atomics of machine code */
    float merging;        /* guarded loads whose results keep what a MOV left if the guard is false */
    const uint8_t *fused; /* by instruction: sim_fuse() */
    sim_window *window;
    sim_schedule *schedule;
    sim_timing *timings; /* by block */
    maker *makers;       /* by register: the chain's last instruction that writes it */
    order orders[2];     /* of accesses to memory beyond the SM, and to shared memory */
    const ptx_instruction *current;
    uint32_t epoch, step;
    sim_port port;
    bool fixed_result;
    uint32_t last_branch; /* the end of the chain; branches before it are predicates in machine code */
    float products;       /* cycles of a warpgroup's products that nothing has waited for */
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

/* Whether the instruction waits until all accesses before it are done. */
static bool is_behind_all(const ptx_instruction *i) {
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
static void notice_order(scan *s, const ptx_instruction *i, const price *p) {
    const bool changes = ptx_is(i->op, PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION);
    const bool in_background = ptx_is(i->op, PTX_KIND_COPY | PTX_KIND_ENGINE_LOAD | PTX_KIND_ENGINE_STORE);
    s->in_order |= (changes && goes_beyond(i)) || in_background || ptx_is(i->op, PTX_KIND_BARRIER);
    s->meets |= ptx_is(i->op, PTX_KIND_BARRIER);
    s->in_order |= p->waits && (s->carried || i->mods[PTX_SLOT_ORDER]);
}

/* Returns the machine instructions. Copies between registers and address conversions are none, and the last product of
 * a group closes it. Reading a parameter or a special register is one, though a warp does not wait for it. */
static float issued_by(const ptx_instruction *i, const price *p) {
    if (i->op == PTX_OP_CVTA || i->op == PTX_OP_CVTA_TO || i->op == PTX_OP_WGMMA_COMMIT) return 0;
    if (i->op == PTX_OP_MOV) return i->operands[1].kind != PTX_REGISTER;
    if (i->op == PTX_OP_CP_ASYNC_COMMIT) return 1 + COPY_FILLERS;
    return p->slots > 1 ? p->slots : 1;
}

/* Measured on an H200: besides loads of constants and two instructions for each barrier, the address divergence unit
 * gets reads of the block's number and one instruction for each group of copies. */
static float adu_of(const ptx_instruction *i) {
    if (i->op == PTX_OP_CP_ASYNC_COMMIT) return 1;
    return ptx_reads_special(i, PTX_SPECIAL_CTAID_X, PTX_SPECIAL_CTAID_Z);
}

/* The load/store unit gets shuffles, reads of the thread's number and the fillers of copies as well. */
static float lsu_of(const ptx_instruction *i) {
    if (i->op == PTX_OP_CP_ASYNC_COMMIT) return COPY_FILLERS;
    return i->op == PTX_OP_SHFL || ptx_reads_special(i, PTX_SPECIAL_TID_X, PTX_SPECIAL_TID_Z);
}

/* True if the instruction enters the queue of memory accesses. */
static bool is_queued(const ptx_instruction *i, const price *p) {
    const unsigned accesses = PTX_KIND_STORE | PTX_KIND_REDUCTION | PTX_KIND_COPY | PTX_KIND_ATOMIC |
                              PTX_KIND_MATRIX_LOAD | PTX_KIND_MATRIX_STORE;
    if (p->pipe == SIM_PIPE_MIO || p->waits || ptx_is(i->op, accesses)) return true;
    return ptx_is(i->op, PTX_KIND_LOAD) && ptx_in_shared(i);
}

/* Returns whether the unit of special functions converts the number. */
static bool converts(const ptx_instruction *i) {
    if (i->op != PTX_OP_CVT) return false;
    return ptx_is_integer(i->type) != ptx_is_integer(i->type2) || i->type == PTX_F64 || i->type2 == PTX_F64;
}

/* A loop of one chain of blocks, which ends with its branch. */
typedef struct chain {
    uint32_t first, end; /* instructions */
} chain;

/* Whether some instruction of the chain adds a constant to the operand's register. */
static bool steps(const ptx_function *f, const chain *c, const ptx_operand *o) {
    for (uint32_t i = c->first; i < c->end && o->kind == PTX_REGISTER; i++)
        if (sim_step_of(&f->instructions[i], o->reg)) return true;
    return false;
}

/* Returns the comparison that decides whether a loop of one chain goes on; NULL: not found. */
static const ptx_instruction *test_of(const ptx_function *f, const chain *c) {
    const ptx_instruction *branch = &f->instructions[c->end - 1];
    for (uint32_t k = c->end; branch->guarded && k-- > c->first;) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->op == PTX_OP_SETP && i->operands[0].kind == PTX_REGISTER && i->operands[0].reg == branch->guard)
            return i;
    }
    return NULL;
}

/* Whether a loop of one chain ends by comparing a counter that has a constant step. ptxas unrolls no others. */
static bool counts(const ptx_function *f, const chain *c) {
    const ptx_instruction *test = test_of(f, c);
    return test && (steps(f, c, &test->operands[1]) || steps(f, c, &test->operands[2]));
}

/* Whether an operand of a loop's test is the same in all lanes when the loop begins. */
static bool begins_uniform(const ptx_function *f, const scan *s, const chain *c, const ptx_operand *o) {
    if (sim_is_uniform(s->facts, o)) return true;
    if (o->kind != PTX_REGISTER) return false;
    const sim_writers *w = &s->writers[o->reg];
    const uint32_t before = w->first >= c->first && w->first < c->end ? w->last : w->first;
    const ptx_instruction *i = &f->instructions[before];
    return w->count == 2 && i->op == PTX_OP_MOV && sim_is_uniform(s->facts, &i->operands[1]);
}

/* Whether lanes may leave a loop of one chain at different times. */
static bool may_diverge(const ptx_function *f, const scan *s, const chain *c) {
    const ptx_instruction *test = test_of(f, c);
    return test && !(begins_uniform(f, s, c, &test->operands[1]) && begins_uniform(f, s, c, &test->operands[2]));
}

/* Returns how many iterations of a loop of a constant number ptxas 13.0 puts one after the other: all, or as many as
 * fit if `partly`. Read off machine code of 248 loops with 4 to 90 products and 1 to 16 loads that run 8 to 64 times:
 * 224 have as many, or one more or less. Accesses to memory count twice in the size of an iteration. */
static unsigned constant_rounds(float size, unsigned trips, bool partly) {
    enum { FEW = 3, LONG = 80, SHORT = 40, ALL_OF_SHORT = 900, ALL_OF_OTHERS = 520, PART = 340, LEAST = 4 };
    const float all = size * (float)trips;
    if (trips <= FEW || all <= (size <= SHORT ? ALL_OF_SHORT : ALL_OF_OTHERS)) return trips;
    const float part = PART / fmaxf(size, 1);
    return size > LONG || !partly ? 1 : part < LEAST ? LEAST : (unsigned)part;
}

/* True if ptxas unrolls the loop only when its number of iterations is constant. */
static bool stays_rolled(const ptx_function *f, const chain *c) {
    for (uint32_t i = c->first; i < c->end; i++) {
        const ptx_instruction *x = &f->instructions[i];
        if (sim_is_call(x) || ptx_is(x->op, PTX_KIND_BARRIER | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION)) return true;
    }
    return false;
}

/* Returns how often the code has the body of a loop. If the number of iterations is not constant, those that `rounds`
 * do not divide have copies of their own: of two iterations, and of one. */
static unsigned copies_of(const ptx_function *f, const chain *c, const scan *s, unsigned rounds) {
    enum { OTHERS = 3 };
    if (rounds == 1 || sim_constant_trips(f, s->writers, c->first, c->end)) return rounds;
    return stays_rolled(f, c) ? 1 : rounds + OTHERS;
}

/* Returns the instructions that copies of a loop's body add to the code. One that is unrolled whole has no branch, and
 * nothing that is computed from its counter alone. */
static float added_by_copies(const ptx_function *f, const chain *c, const scan *s, unsigned rounds, float issued) {
    enum { BRANCH = 1 };
    const unsigned trips = s->loops.whole[s->block] ? sim_constant_trips(f, s->writers, c->first, c->end) : 0;
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
static unsigned rounds_of(const ptx_function *f, const chain *c, const scan *s) {
    if (f->keeps_loops || f->instructions[c->first].keeps_loop || s->unrolled) return 1;
    const unsigned trips = sim_constant_trips(f, s->writers, c->first, c->end);
    const bool partly = s->merging <= 1 && s->block == s->chain;
    if (trips) return constant_rounds(s->total.issued + s->accesses, trips, partly);
    return counts(f, c) && s->total.issued <= MOST_UNROLLED ? ROUNDS : 1;
}

/* True if the instruction has no machine instruction of its own: another one does its work, or its result is unused. */
static bool is_of_another(const scan *s, uint32_t index, const ptx_instruction *i) {
    if (s->fused[index] == 0) return true;
    return s->assembled && ptx_is(i->op, PTX_KIND_LOAD | PTX_KIND_STORE) && s->assembled[index].part_count == 0;
}

static void begin_chain(scan *s, uint32_t block) {
    s->chain = block;
    s->total = (sim_cost){0};
    s->waits = s->round = s->before = s->crowded = s->ordered = s->called = s->most_apart = 0;
    s->in_order = s->meets = s->converged = s->filled = s->has_rounds = false;
    s->store_count = 0, s->merging = s->accesses = s->folded = 0;
}

/* The price of what machine code has of the instruction. */
static price price_at(const scan *s, uint32_t index, const ptx_instruction *i) {
    enum { PRODUCT_CYCLES = 2, WIDE_LATENCY = LATENCY + 1 };
    price p = price_of(i, s->rows);
    const uint8_t left = s->fused[index];
    if (left == 0) return (price){0};
    if (left != SIM_NOT_FUSED) p = (price){WIDE_LATENCY, left, false, SIM_PIPE_FMA, PRODUCT_CYCLES * (float)left};
    if (is_of_another(s, index, i)) p.slots = 0;
    return p;
}

/* Returns the fillers that a group of copies does without because it follows another one, with no barrier and no wait
 * in between. */
static float fillers_saved(scan *s, const ptx_instruction *i) {
    const bool commits = i->op == PTX_OP_CP_ASYNC_COMMIT, saved = commits && s->filled;
    if (commits) s->filled = true;
    if (ptx_is(i->op, PTX_KIND_BARRIER | PTX_KIND_COPY_WAIT)) s->filled = false;
    return saved ? COPY_FILLERS : 0;
}

static void scan_instruction(const ptx_function *f, uint32_t index, scan *s) {
    const ptx_instruction *i = &f->instructions[index];
    const bool another = is_of_another(s, index, i);
    sim_cost *t = &s->total;
    const price p = price_at(s, index, i);
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
    s->accesses += !another && is_queued(i, &p);
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
    const float issued = (float)merged + (another ? 0 : issued_by(i, &p)) - fillers_saved(s, i);
    t->issued += issued;
    if (s->loops.folded[index]) s->folded += issued;
    t->adu += adu_of(i);
    t->lsu += lsu_of(i);
    t->branches += i->op == PTX_OP_BRA;
    t->conversions += converts(i);
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
        if (price_of(&f->instructions[i], s->rows).waits) ptx_visit_registers(&f->instructions[i], find_last, s);
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

/* ---- the time of a warp that runs alone ---- */

/* Chains are issued in the order that ptxas would list them (schedule.c). Stall counts of machine code that no table
 * of latencies has: a predicate is late for a guard or a branch, but not for a selection; operands of accesses and of
 * the other unit are a cycle later. */
enum { PREDICATE_LATENCY = 4, GUARD_MORE = 9, OTHER_UNIT_MORE = 1, ACCESS_INTERVAL = 4, ALU_INTERVAL = 2 };
enum { JUMP_SERIAL = 4, BARRIER_SERIAL = 5 };  /* after a branch, and after a barrier */
enum { LEAST_SERIAL = 8, FUNCTION_NEAR = 18 }; /* instructions of a function; what it waits for its first guess */
enum { MOST_STEPS = 1500 };                    /* of an unrolled loop */

/* Consecutive blocks that machine code issues as one. */
typedef struct span {
    uint32_t first, end; /* blocks */
    bool loops;
    unsigned rounds; /* iterations that follow each other */
} span;

static bool is_near_access(const ptx_instruction *i) {
    return ptx_in_shared(i) || ptx_is(i->op, PTX_KIND_MATRIX_LOAD | PTX_KIND_MATRIX_STORE);
}

static bool ends_order(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_BARRIER | PTX_KIND_OTHER_BARRIER | PTX_KIND_COPY_WAIT | PTX_KIND_MBARRIER_WAIT |
                             PTX_KIND_END) ||
           i->op == PTX_OP_MEMBAR || i->op == PTX_OP_FENCE || i->op == PTX_OP_WGMMA_WAIT || sim_is_call(i);
}

/* True if the special function unit does the conversion. The other units convert 32-bit integers to floats. */
static bool converts_slowly(const ptx_instruction *i) {
    return converts(i) && !(i->type == PTX_F32 && ptx_types[i->type2].bits == 32);
}

static sim_port port_of(const ptx_instruction *i, const price *p) {
    static const sim_port ports[SIM_PIPES] = {SIM_PORT_NONE, SIM_PORT_FMA,    SIM_PORT_ALU,   SIM_PORT_XU,
                                              SIM_PORT_FP64, SIM_PORT_TENSOR, SIM_PORT_MEMORY};
    return is_queued(i, p) ? SIM_PORT_MEMORY : converts_slowly(i) ? SIM_PORT_XU : ports[p->pipe];
}

static sim_result result_of(const ptx_instruction *i, const price *p) {
    if (p->waits) return SIM_RESULT_FAR;
    if (p->pipe == SIM_PIPE_TENSOR) return SIM_RESULT_FIXED;
    return p->latency > FIXED_LATENCY || p->pipe == SIM_PIPE_XU || converts_slowly(i) ? SIM_RESULT_NEAR
                                                                                      : SIM_RESULT_FIXED;
}

/* A product of a warpgroup runs in the background. */
static sim_step step_of(const scan *s, const ptx_instruction *i, const price *p, float issued) {
    const bool background = ptx_is(i->op, PTX_KIND_WARPGROUP_PRODUCT);
    sim_step step = {.block = s->block, .port = port_of(i, p), .result = result_of(i, p), .issued = issued};
    step.latency = i->op == PTX_OP_SETP && p->slots > 0 ? PREDICATE_LATENCY : p->latency;
    step.interval = step.port == SIM_PORT_MEMORY ? ACCESS_INTERVAL
                    : step.port == SIM_PORT_ALU  ? ALU_INTERVAL * fmaxf(1, issued)
                                                 : p->busy;
    if (issued <= 0 || background) step.port = SIM_PORT_NONE;
    if (background) step.latency = 0;
    if (issued >= LEAST_SERIAL && p->latency > issued) {
        step.near = fminf(p->latency - issued, FUNCTION_NEAR);
        step.serial = p->latency - issued - step.near;
        step.latency = 1;
        step.result = SIM_RESULT_FIXED;
    }
    return step;
}

static void need_sources(void *context, uint32_t reg, bool writes) {
    scan *s = context;
    const maker *m = &s->makers[reg];
    if (writes || m->epoch != s->epoch) return;
    const bool guards = s->current->guarded && s->current->guard == reg;
    const bool other = m->port != s->port && m->fixed && s->port != SIM_PORT_NONE && m->port != SIM_PORT_NONE;
    const int more = (guards && m->fixed ? GUARD_MORE : 0) + (other ? OTHER_UNIT_MORE : 0);
    sim_schedule_need(s->schedule, m->step, (float)more);
}

static void make_results(void *context, uint32_t reg, bool writes) {
    scan *s = context;
    if (writes) s->makers[reg] = (maker){s->epoch, s->step, s->port, s->fixed_result};
}

/* Accesses of a memory stay behind its last store, and a store behind the loads before it. */
static void keep_accesses(scan *s, const ptx_instruction *i) {
    order *o = &s->orders[is_near_access(i)];
    const bool loads = ptx_is(i->op, PTX_KIND_LOAD | PTX_KIND_MATRIX_LOAD);
    const bool changes =
        ptx_is(i->op, PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION | PTX_KIND_MATRIX_STORE | PTX_KIND_COPY);
    if ((!loads && !changes) || (loads && i->mods[PTX_SLOT_NC])) return;
    if (o->stored) sim_schedule_follow(s->schedule, o->stored - 1);
    if (loads && o->load_count < MOST_LOADS) o->loads[o->load_count++] = s->step;
    if (!changes) return;
    for (unsigned k = 0; k < o->load_count; k++) sim_schedule_follow(s->schedule, o->loads[k]);
    o->load_count = 0;
    o->stored = s->step + 1;
}

static float serial_of(const ptx_instruction *i, bool last) {
    if (ptx_is(i->op, PTX_KIND_BARRIER)) return BARRIER_SERIAL;
    return last || ptx_is(i->op, PTX_KIND_END) ? JUMP_SERIAL : 0;
}

/* `last`: the chain's last branch. */
static void add_step(const ptx_function *f, uint32_t index, scan *s, bool last, sim_timing *timings, uint32_t first) {
    const ptx_instruction *i = &f->instructions[index];
    const price p = price_at(s, index, i);
    sim_step step = step_of(s, i, &p, is_of_another(s, index, i) ? 0 : issued_by(i, &p));
    const bool fence = last || ends_order(i);
    step.serial += serial_of(i, last);
    if (ptx_is(i->op, PTX_KIND_WARPGROUP_PRODUCT)) s->products += p.busy;
    if (i->op == PTX_OP_WGMMA_WAIT && s->products > 0 && i->operands[0].kind == PTX_INTEGER && !i->operands[0].bits) {
        step.near = PRODUCT_LATENCY + s->products;
        s->products = 0;
    }
    if (fence) sim_schedule_issue(s->schedule, timings, first);
    s->step = sim_schedule_add(s->schedule, &step);
    s->current = i;
    s->port = step.port;
    s->fixed_result = step.result == SIM_RESULT_FIXED;
    ptx_visit_registers(i, need_sources, s);
    keep_accesses(s, i);
    ptx_visit_registers(i, make_results, s);
    if (fence) sim_schedule_issue(s->schedule, timings, first);
}

/* True if the block's branch leads to the kernel's end. In machine code the branch itself ends its lanes (@P0 EXIT),
 * however short the rest is, and nothing moves across it. */
static bool exits(const ptx_function *f, const ptx_block *b) {
    return b->taken != PTX_NO_BLOCK && !b->table_count && ptx_ends_at_once(f, b->taken);
}

/* One round of the chain; branches within it are predicates in machine code. */
static void add_round(const ptx_function *f, const span *c, scan *s, bool last, sim_timing *timings) {
    for (uint32_t b = c->first; b < c->end; b++) {
        s->block = b;
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
            const bool jumps = f->instructions[i].op == PTX_OP_BRA;
            if (jumps && !(b == c->end - 1 && last) && !exits(f, &f->blocks[b])) continue;
            add_step(f, i, s, jumps, timings, c->first);
        }
    }
}

/* Finds the cycles of a chain's blocks. Loops are timed in their second round, for which the first has left results. */
static void time_chain(const ptx_function *f, const span *c, scan *s, sim_cost *list) {
    const uint32_t instructions = f->blocks[c->end - 1].end - f->blocks[c->first].first;
    const unsigned most = instructions ? MOST_STEPS / instructions : 1;
    const unsigned rounds = c->rounds < most ? c->rounds : most > 0 ? most : 1;
    sim_timing *timings = s->timings + c->first;
    s->epoch++;
    s->products = 0;
    memset(s->orders, 0, sizeof s->orders);
    sim_schedule_clear(s->schedule);
    for (unsigned turn = !c->loops; turn < 2; turn++) {
        for (unsigned k = 0; k < rounds; k++) add_round(f, c, s, k == rounds - 1, turn ? timings : NULL);
        sim_schedule_issue(s->schedule, turn ? timings : NULL, c->first);
    }
    for (uint32_t b = c->first; b < c->end; b++) {
        list[b].fixed = s->timings[b].fixed / (float)rounds;
        list[b].path = list[b].fixed + s->timings[b].near / (float)rounds;
    }
}

/* Costs of the blocks of a chain: each one's share is what it adds to those before it. If the chain is a loop, its last
 * block gets what unrolling changes, and the element behind those of all blocks what copies of its body add to the
 * code. */
static void cost_chain(const ptx_function *f, uint32_t first, uint32_t end, scan *s, sim_cost *list) {
    sim_cost before = {0};
    const ptx_block *last = &f->blocks[end - 1];
    const bool loops = last->next == first || last->taken == first;
    const chain c = {f->blocks[first].first, last->end};
    unsigned rounds = 1;
    begin_chain(s, first);
    sim_window_begin(s->window, f, c.first, c.end);
    s->last_branch = last->end;
    s->diverges = loops && may_diverge(f, s, &c);
    for (uint32_t b = first; b < end; b++) {
        s->block = b;
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) scan_instruction(f, i, s);
        if (s->flight->owes && s->flight->owes[b]) wait_for_all(f, b, s);
        sim_cost now = cost_so_far(s);
        if (b == end - 1 && loops && !s->round) {
            unroll(&now, s, rounds = rounds_of(f, &c, s));
            list[f->block_count].issued += added_by_copies(f, &c, s, rounds, now.issued);
        }
        list[b] = difference(&now, &before);
        before = now;
    }
    time_chain(f, &(span){first, end, loops, rounds}, s, list);
}

/* ---- chains ---- */

/* Whether all of a block's edges lead to the next block, or around what is predicated. */
static bool falls_into(const ptx_function *f, const bool *predicated, uint32_t from, uint32_t to) {
    const ptx_block *b = &f->blocks[from];
    if (b->table_count) return false;
    if (predicated[from] || b->taken == PTX_NO_BLOCK || b->next == b->taken) return true;
    const uint32_t other = b->next == to ? b->taken : b->next;
    return predicated[to] || (other != PTX_NO_BLOCK && predicated[other]);
}

static bool has_barrier(const ptx_function *f, uint32_t block) {
    for (uint32_t i = f->blocks[block].first; i < f->blocks[block].end; i++)
        if (ptx_is(f->instructions[i].op, PTX_KIND_BARRIER)) return true;
    return false;
}

/* Returns the end of the chain that begins with the block: machine code has no branches within it, because the paths of
 * its ifs are predicated, and nothing jumps into it. Nothing moves across a barrier, so a chain ends with it. */
static uint32_t end_of_chain(const ptx_function *f, const bool *predicated, const ptx_predecessors *above,
                             uint32_t first) {
    uint32_t end = first + 1;
    for (; end < f->block_count; end++) {
        if (ptx_predecessor_count(above, end) == 0 || has_barrier(f, end - 1)) return end;
        for (uint32_t k = above->first[end]; k < above->first[end + 1]; k++) {
            const uint32_t from = above->blocks[k];
            if (from < first || from >= end || !falls_into(f, predicated, from, end)) return end;
        }
    }
    return end;
}

/* Finds loads whose results come from beyond the SM. */
static bool *find_loads(const ptx_function *f, scan *s, arena *memory) {
    bool *loads = ARENA_ARRAY(memory, f->instruction_count + 1, bool);
    for (uint32_t i = 0; i < f->instruction_count; i++)
        loads[i] = f->instructions[i].operand_count && price_of(&f->instructions[i], s->rows).waits;
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
    scan s = {.assembled = assembled,
              .flight = &flight,
              .facts = &facts,
              .writers = writers,
              .values = ARENA_ARRAY(scratch, f->register_count + 1, value),
              .fused = sim_fuse(f, writers, scratch),
              .loops = sim_find_rounds(f, scratch),
              .schedule = sim_schedule_new(scratch),
              .window = sim_window_new(f, scratch),
              .timings = ARENA_ARRAY(scratch, f->block_count + 1, sim_timing),
              .makers = ARENA_ARRAY(scratch, f->register_count + 1, maker),
              .rows = arena_alloc(scratch, sizeof(cost_rows))};
    for (size_t i = 0; i < f->instruction_count; i++) s.unrolled |= f->instructions[i].round > 0;
    for (uint32_t b = 0; b < f->block_count; b++) {
        cost_chain(f, b, b + 1, &s, list);
        waits[b] = list[b].waits > 0;
    }
    list[f->block_count] = (sim_cost){0};
    memset(s.values, 0, f->register_count * sizeof *s.values);
    memset(s.timings, 0, f->block_count * sizeof *s.timings);
    sim_flight_find(f, waits, find_loads(f, &s, scratch), scratch, &flight);
    const bool *predicated = sim_predicated_blocks(f, scratch, scratch);
    ptx_predecessors above;
    ptx_predecessors_find(f, scratch, &above);
    for (uint32_t b = 0, end; b < f->block_count; b = end) {
        end = end_of_chain(f, predicated, &above, b);
        cost_chain(f, b, end, &s, list);
    }
    return list;
}

/* A routine that machine code calls for operands that the fast path cannot handle. It stands once in a kernel's code,
 * in single and in double precision; instructions read off machine code by ptxas 13.0. */
typedef struct routine {
    ptx_op op;
    double single, in_double;
} routine;

static const routine routines[] = {{PTX_OP_FDIV, 102, 81}, {PTX_OP_RCP, 47, 34}, {PTX_OP_SQRT, 16, 23}};
enum { ROUTINES = sizeof routines / sizeof *routines };

static double routine_instructions(const ptx_function *f) {
    bool called[ROUTINES][2] = {0};
    double sum = 0;
    for (size_t i = 0; i < f->instruction_count; i++)
        for (size_t r = 0; r < ROUTINES; r++)
            if (f->instructions[i].op == routines[r].op) called[r][f->instructions[i].type == PTX_F64] = true;
    for (size_t r = 0; r < ROUTINES; r++)
        sum += called[r][0] * routines[r].single + called[r][1] * routines[r].in_double;
    return sum;
}

/* Returns the moves of constants that machine code does without, because something else overwrites them first. */
static double overwritten_moves(const ptx_function *f) {
    double sum = 0;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
            sum += sim_is_overwritten(f, i, f->blocks[b].end);
    return sum;
}

/* Returns what machine code has beside the one instruction of an atomic in shared memory that is a loop: a load,
 * arithmetic, a compare-and-swap, a test, and what brings the lanes together again. */
static double loop_instructions(const ptx_function *f, const sim_assembled *assembled) {
    enum { BESIDE = 7 };
    double sum = 0;
    for (size_t i = 0; i < f->instruction_count; i++) sum += assembled[i].loops ? BESIDE : 0;
    return sum;
}

/* Code ends with a branch to itself. */
double sim_code_instructions(const ptx_function *f, const sim_assembled *assembled, const sim_cost *blocks) {
    double sum = 1 + routine_instructions(f) + loop_instructions(f, assembled) - overwritten_moves(f);
    for (uint32_t b = 0; b <= f->block_count; b++) sum += (double)blocks[b].issued;
    return sum;
}
