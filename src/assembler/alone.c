/* The time of a warp that runs alone: the chain's instructions in the order in which ptxas would list them.
 *
 * Each register carries the step that makes its value, so that the list (schedule.c) knows what waits for what. */
#include "assembler/alone.h"

#include "assembler/assembler.h"
#include "ptx/traits.h"

#include <math.h>
#include <string.h>

/* Stall counts of machine code that no table of latencies has: a predicate is late for a guard or a branch, but not for
 * a selection; operands of accesses and of the other unit are a cycle later. */
enum { PREDICATE_LATENCY = 4, GUARD_MORE = 9, OTHER_UNIT_MORE = 1, ACCESS_INTERVAL = 4, ALU_INTERVAL = 2 };
enum { JUMP_SERIAL = 4, BARRIER_SERIAL = 5 };  /* after a branch, and after a barrier */
enum { LEAST_SERIAL = 8, FUNCTION_NEAR = 18 }; /* instructions of a function; what it waits for a guess */
enum { MOST_STEPS = 1500 };                    /* of an unrolled loop */
/* Arithmetic waits at most this long for a pipe of its own. */
enum { FIXED_LATENCY = 14 };
/* Cycles from the last product of a warpgroup to the end of a wait for it, beyond the product's own. Measured on an
 * H200 with groups of 1, 4 and 16 products of 64 columns. */
enum { PRODUCT_LATENCY = 200 };

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

struct sim_alone {
    const ptx_function *function;
    sim_prices *prices;
    sim_schedule *schedule;
    sim_timing *timings; /* by block */
    maker *makers;       /* by register: the chain's last instruction that writes it */
    order orders[2];     /* of accesses to memory beyond the SM, and to shared memory */
    uint32_t epoch;      /* the chain's number */
    uint32_t block;
    float products; /* cycles of a warpgroup's products that nothing has waited for */
    /* Of the current instruction: */
    const ptx_instruction *current;
    uint32_t step;
    sim_port port;
    bool fixed_result;
};

sim_alone *sim_alone_new(const ptx_function *f, sim_prices *prices, arena *memory) {
    sim_alone *alone = arena_alloc(memory, sizeof *alone);
    alone->function = f;
    alone->prices = prices;
    alone->schedule = sim_schedule_new(memory);
    alone->timings = ARENA_ARRAY(memory, f->block_count + 1, sim_timing);
    alone->makers = ARENA_ARRAY(memory, f->register_count + 1, maker);
    return alone;
}

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
    return sim_converts(i) && !(i->type == PTX_F32 && ptx_types[i->type2].bits == 32);
}

static sim_port port_of(const ptx_instruction *i, const sim_price *p) {
    static const sim_port ports[SIM_PIPES] = {SIM_PORT_NONE, SIM_PORT_FMA,    SIM_PORT_ALU,   SIM_PORT_XU,
                                              SIM_PORT_FP64, SIM_PORT_TENSOR, SIM_PORT_MEMORY};
    return sim_is_queued(i, p) ? SIM_PORT_MEMORY : converts_slowly(i) ? SIM_PORT_XU : ports[p->pipe];
}

static sim_result result_of(const ptx_instruction *i, const sim_price *p) {
    if (p->waits) return SIM_RESULT_FAR;
    if (p->pipe == SIM_PIPE_TENSOR) return SIM_RESULT_FIXED;
    return p->latency > FIXED_LATENCY || p->pipe == SIM_PIPE_XU || converts_slowly(i) ? SIM_RESULT_NEAR
                                                                                      : SIM_RESULT_FIXED;
}

/* Returns how many special functions a function waits for, one after the other. */
static float guesses_of(const sim_price *p) {
    enum { FUNCTION_BUSY = 8 };
    return p->pipe == SIM_PIPE_XU ? p->busy / FUNCTION_BUSY : p->pipe != SIM_PIPE_FMA;
}

/* A product of a warpgroup runs in the background. */
static sim_step step_of(const sim_alone *s, const ptx_instruction *i, const sim_price *p, float issued) {
    const bool background = ptx_is(i->op, PTX_KIND_WARPGROUP_PRODUCT);
    sim_step step = {.block = s->block, .port = port_of(i, p), .result = result_of(i, p), .issued = issued};
    step.latency = i->op == PTX_OP_SETP && p->slots > 0 ? PREDICATE_LATENCY : p->latency;
    step.interval = step.port == SIM_PORT_MEMORY ? ACCESS_INTERVAL
                    : step.port == SIM_PORT_ALU  ? ALU_INTERVAL * fmaxf(1, issued)
                                                 : p->busy;
    if (issued <= 0 || background) step.port = SIM_PORT_NONE;
    if (background) step.latency = 0;
    if (issued >= LEAST_SERIAL && p->latency > issued) {
        step.near = fminf(p->latency - issued, FUNCTION_NEAR * guesses_of(p));
        step.serial = p->latency - issued - step.near;
        step.latency = 1;
        step.result = SIM_RESULT_FIXED;
    }
    return step;
}

static void need_sources(void *context, uint32_t reg, bool writes) {
    sim_alone *s = context;
    const maker *m = &s->makers[reg];
    if (writes || m->epoch != s->epoch) return;
    const bool guards = s->current->guarded && s->current->guard == reg;
    const bool other = m->port != s->port && m->fixed && s->port != SIM_PORT_NONE && m->port != SIM_PORT_NONE;
    const int more = (guards && m->fixed ? GUARD_MORE : 0) + (other ? OTHER_UNIT_MORE : 0);
    sim_schedule_need(s->schedule, m->step, (float)more);
}

static void make_results(void *context, uint32_t reg, bool writes) {
    sim_alone *s = context;
    if (writes) s->makers[reg] = (maker){s->epoch, s->step, s->port, s->fixed_result};
}

/* Accesses of a memory stay behind its last store, and a store behind the loads before it. */
static void keep_accesses(sim_alone *s, const ptx_instruction *i) {
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
static void add_step(sim_alone *s, uint32_t index, bool last, sim_timing *timings, uint32_t first) {
    const ptx_instruction *i = &s->function->instructions[index];
    const sim_price p = sim_price_at(s->prices, index, i);
    sim_step step = step_of(s, i, &p, sim_is_of_another(s->prices, index, i) ? 0 : sim_issued_by(i, &p));
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
static void add_round(sim_alone *s, const sim_chain *c, bool last, sim_timing *timings) {
    const ptx_function *f = s->function;
    for (uint32_t b = c->first; b < c->end; b++) {
        s->block = b;
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
            const bool jumps = f->instructions[i].op == PTX_OP_BRA;
            if (jumps && !(b == c->end - 1 && last) && !exits(f, &f->blocks[b])) continue;
            add_step(s, i, jumps, timings, c->first);
        }
    }
}

/* Loops are timed in their second round, for which the first has left results. */
const sim_timing *sim_time_chain(sim_alone *s, const sim_chain *c, unsigned rounds) {
    const uint32_t instructions = c->stop - c->begin;
    const unsigned most = instructions ? MOST_STEPS / instructions : 1;
    sim_timing *timings = s->timings + c->first;
    if (rounds > most) rounds = most > 0 ? most : 1;
    s->epoch++;
    s->products = 0;
    memset(s->orders, 0, sizeof s->orders);
    memset(timings, 0, (c->end - c->first) * sizeof *timings);
    sim_schedule_clear(s->schedule);
    for (unsigned turn = !c->loops; turn < 2; turn++) {
        for (unsigned k = 0; k < rounds; k++) add_round(s, c, k == rounds - 1, turn ? timings : NULL);
        sim_schedule_issue(s->schedule, turn ? timings : NULL, c->first);
    }
    for (uint32_t b = 0; b < c->end - c->first; b++) {
        timings[b].fixed /= (float)rounds;
        timings[b].near /= (float)rounds;
    }
    return timings;
}
