/* The states of an average warp.
 *
 * First come the waits of a warp by itself: control codes, results of units that several warps share, cold caches of
 * code and constants. Then those for other warps, which are a queue: warps of an SM begin together, and data for many
 * arrive together, so more of them want the same unit at once than an even spread would give. What is left of a warp's
 * time is spent on memory, or on the bound of the launch.
 *
 * The constants are an H200's cycles. They were fitted to the profiler's states of 412 launches (tests/data/blind) as
 * one set for all kernels; each is of the size that stall counts and latencies of machine code suggest. */
#include "time/states.h"

#include <math.h>

enum { LINE = 128, SECTORS_OF_WIDE_STORE = 16, XU_CYCLES = 8, MIO_CYCLES = 4, SCHEDULERS = 4 };

/* Wait: a warp begins and ends with some 19 cycles. Branches, loads and special functions have stall counts of their
 * own, and about half of the longest chain of dependent instructions is not covered by independent ones. */
static const struct { double warp, branch, memory_wait, load, special, of_path; } fixed = {19, 5.5, 5.6, 2.3, 2, 0.55};

/* The instruction and constant caches of an SM are cold for the first round of blocks. Each line of code is fetched
 * once, and all warps of the round wait for it. A jump leaves the lines that were prefetched. */
static const struct { double round, line, branch, instruction; } code_miss = {125, 0.65, 1.4, 0.025};
static const struct { double round, line, branch, memory_wait; } constant_miss = {116, 1.4, 0.5, 1.5};

/* Branch Resolving: of the warp's exit, and of each branch. */
static const double EXIT_CYCLES = 8.7, BRANCH_CYCLES = 3.1;

/* Dispatch Stall: register ports and queues that other warps use. */
static const double DISPATCH_ACCESS = 0.13, DISPATCH_WARP = 0.0063;

/* Short Scoreboard: the thread's number and parameters first, then results of the queue in front of the load/store
 * unit. Compilers hide a part of each latency. */
static const struct {
    double warp, of_path, shuffle, load, store, atomic, special, branch;
} near_wait = {31, 0.25, 6, 1.2, 6, 7, 1, 1.2};

/* What each further warp of a scheduler adds for all warps that begin with the same reads. */
static const double BEGIN_SHORT = 1.85, BEGIN_QUEUE = 3.5;

/* Of the warps of a scheduler, a power of a warp's share of the time wants a unit at the same time as it does: with 1
 * they would be spread evenly, with 0 all come at once. Blocks that follow each other spread them. */
static const double TOGETHER = 0.29, TOGETHER_LATER = 0.36, TOGETHER_SHARED = 0.45, TOGETHER_SPECIAL = 0.2;
static const double OF_SHARED_QUEUE = 0.59, OF_SPECIAL_QUEUE = 0.42;

/* The queue of shared memory is full if the square of a scheduler's warps exceeds this: MIO Throttle, instead of Short
 * Scoreboard. */
static const double FULL_QUEUE = 280;

static const double LATE_AT_BARRIER = 0.16; /* share of waits for other warps that differ between warps of a block */
static const double LEAST_OF_MEMORY = 0.56; /* of a wait for memory that other states may hide the rest of */

/* Stores. Sectors that are written in parts take turns in L1. Wide stores and atomics queue up if memory is full. */
static const double PART_CYCLES = 1.6, MOST_OF_PARTS = 0.65;
static const double OF_WIDE_STORES = 0.13, FULL_POWER = 16, OF_ATOMICS = 0.1;
static const double ATOMIC_SECTOR_CYCLES = 0.022; /* of L2 */
static const double DRAIN_CYCLES = 10;
static const double WIDE_STORES_THAT_FIT = 8;

static const double OF_SPECIAL = 0.5; /* what a conversion takes of the time of a special function */

/* The launch, by warp. */
typedef struct average {
    const haul_launch_record *record;
    const sim_waits *waits;
    const sim_residence *residence;
    double instructions, loads, stores, branches, specials, shuffles, wavefronts;
    double near;    /* cycles for shared memory, shuffles and functions without other warps */
    double crowded; /* cycles that other warps add */
    double unit;    /* share of waits to issue that are for a unit */
    double full;    /* share of waits for shared memory that are for room in its queue */
} average;

static double count_of(const average *a, haul_counter c) {
    return fmax(0, a->record->counters[c]) / a->residence->warps;
}

static average average_of(const haul_launch_record *r, const sim_waits *w, const sim_residence *s) {
    average a = {.record = r, .waits = w, .residence = s};
    a.instructions = w->issued / s->warps;
    a.loads = count_of(&a, HAUL_COUNTER_INST_GLOBAL_LD) + count_of(&a, HAUL_COUNTER_INST_LOCAL_LD);
    a.stores = count_of(&a, HAUL_COUNTER_INST_GLOBAL_ST) + count_of(&a, HAUL_COUNTER_INST_LOCAL_ST);
    a.branches = w->branches / s->warps;
    a.specials = (w->busy[SIM_PIPE_XU] / XU_CYCLES + OF_SPECIAL * w->conversions) / s->warps;
    a.shuffles = w->busy[SIM_PIPE_MIO] / MIO_CYCLES / s->warps;
    a.wavefronts = count_of(&a, HAUL_COUNTER_SHARED_LD_WAVEFRONTS) + count_of(&a, HAUL_COUNTER_SHARED_ST_WAVEFRONTS) +
                   count_of(&a, HAUL_COUNTER_SHARED_ATOM_WAVEFRONTS) +
                   count_of(&a, HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS) + a.shuffles;
    const double units = pow(s->unit_cycles, 2), slots = pow(w->slots, 2);
    a.unit = units + slots > 0 ? units / (units + slots) : 0;
    a.full = pow(s->at_once, 2) / (pow(s->at_once, 2) + FULL_QUEUE);
    return a;
}

/* ---- a warp by itself ---- */

static double near_of(const average *a) {
    const sim_residence *s = a->residence;
    return near_wait.warp + near_wait.of_path * fmax(0, a->waits->path - a->waits->fixed) / s->warps +
           near_wait.shuffle * a->shuffles + near_wait.load * count_of(a, HAUL_COUNTER_INST_SHARED_LD) +
           near_wait.store * count_of(a, HAUL_COUNTER_INST_SHARED_ST) +
           near_wait.atomic * count_of(a, HAUL_COUNTER_INST_SHARED_ATOM) + near_wait.special * a->specials +
           near_wait.branch * a->branches + s->constant;
}

static void add_own_waits(average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    const double waits = a->waits->memory / s->warps, lines = (double)a->record->code.bytes / LINE;
    a->near = near_of(a);
    states[HAUL_STALL_SELECTED] = a->instructions;
    states[HAUL_STALL_WAIT] = fixed.warp + fixed.branch * a->branches + fixed.memory_wait * waits +
                              fixed.load * a->loads + fixed.special * a->specials +
                              fixed.of_path * a->waits->path / s->warps;
    states[HAUL_STALL_SHORT_SCOREBOARD] = a->near + BEGIN_SHORT * s->at_once;
    states[HAUL_STALL_MIO_THROTTLE] = BEGIN_QUEUE * s->at_once;
    states[HAUL_STALL_NO_INSTRUCTION] = (code_miss.round + code_miss.line * lines) / s->rounds +
                                        code_miss.branch * a->branches + code_miss.instruction * a->instructions;
    states[HAUL_STALL_IMC_MISS] = (constant_miss.round + constant_miss.line * lines) / s->rounds +
                                  constant_miss.branch * a->branches + constant_miss.memory_wait * waits;
    states[HAUL_STALL_BRANCH_RESOLVING] = EXIT_CYCLES + BRANCH_CYCLES * a->branches;
    states[HAUL_STALL_DISPATCH_STALL] =
        DISPATCH_ACCESS * (a->loads + a->stores) + DISPATCH_WARP * a->instructions * s->at_once;
    states[HAUL_STALL_DRAIN] = DRAIN_CYCLES;
}

/* ---- other warps ---- */

/* Returns how many of `all` warps want a unit at a time, if each spends `cycles` on it. */
static double crowd(const sim_residence *s, double all, double cycles, double power) {
    return fmax(1, all * pow(fmin(1, cycles / s->cycles), power));
}

/* Returns how long an instruction waits for its turn if this many warps issue one after the other and are busy for
 * `pause` cycles after each: the mean value analysis of a closed queue. */
static double turn_of(double warps, double pause) {
    double length = 0, before = 0;
    for (double k = 1;; k++) {
        const double now = length, rate = k / (pause + 1 + length);
        if (k >= warps) return before + (now - before) * (warps - (k - 1));
        length = rate * (1 + length);
        before = now;
    }
}

static void add_turns(average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    if (a->instructions <= 0) return;
    const double own = a->instructions + states[HAUL_STALL_WAIT] + a->near;
    const double warps = crowd(s, s->at_once, own, TOGETHER + TOGETHER_LATER * (1 - 1 / s->rounds));
    const double turns = a->instructions * turn_of(warps, own / a->instructions - 1);
    states[HAUL_STALL_MATH_PIPE] = turns * a->unit;
    states[HAUL_STALL_NOT_SELECTED] = turns * (1 - a->unit);
    a->crowded += turns;
}

/* Shared memory and shuffles are one pipe of the SM, special functions one of the scheduler behind the same queue. */
static void add_queues(average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    const double all = SCHEDULERS * s->at_once, special = XU_CYCLES * a->specials;
    const double shared = OF_SHARED_QUEUE * a->wavefronts * (crowd(s, all, a->wavefronts, TOGETHER_SHARED) - 1);
    const double functions = OF_SPECIAL_QUEUE * special * (crowd(s, s->at_once, special, TOGETHER_SPECIAL) - 1);
    states[HAUL_STALL_MIO_THROTTLE] += shared * a->full + functions;
    states[HAUL_STALL_SHORT_SCOREBOARD] += shared * (1 - a->full);
    a->crowded += shared + functions;
}

/* Loads that a warp issues before it waits for the first fill the queue of global accesses. */
static void add_loads(const average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    if (a->loads <= 0) return;
    const double ahead = fmax(0, 1 - a->waits->memory / s->warps / a->loads);
    const double others = crowd(s, SCHEDULERS * s->at_once, a->loads, TOGETHER_SHARED) - 1;
    states[HAUL_STALL_LG_THROTTLE] = a->loads * others * ahead;
}

/* Warps of a block that had to wait more than others are waited for. */
static void add_barriers(const average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    const double barriers = a->waits->barriers / s->warps;
    states[HAUL_STALL_BARRIER] = s->barriers + LATE_AT_BARRIER * a->crowded * fmin(1, barriers);
}

/* ---- memory and the bound of the launch ---- */

/* Cycles of a bound, and the states that they are shared out to. */
typedef struct excess {
    double *states, cycles;
} excess;

static void add_share(const excess *e, haul_stall state, double part, double whole) {
    if (whole > 0) e->states[state] += e->cycles * part / whole;
}

/* Who loads through L1 waits for the data, and who stores for room in a queue. */
static void add_l1(const excess *e, const average *a) {
    const double loads =
        count_of(a, HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS) + count_of(a, HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS);
    const double stores = count_of(a, HAUL_COUNTER_L1_GLOBAL_ST_WAVEFRONTS);
    const double shared = a->wavefronts - count_of(a, HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS);
    const double all = loads + stores + shared;
    add_share(e, HAUL_STALL_LONG_SCOREBOARD, loads, all);
    add_share(e, HAUL_STALL_LG_THROTTLE, stores, all);
    add_share(e, HAUL_STALL_SHORT_SCOREBOARD, shared * (1 - a->full), all);
    add_share(e, HAUL_STALL_MIO_THROTTLE, shared * a->full, all);
}

/* A warp waits for room for its stores, but drains after its last one. */
static void add_stores(const excess *e, double stores) {
    const double before = fmax(0, stores - 1);
    add_share(e, HAUL_STALL_LG_THROTTLE, before, stores + 1);
    add_share(e, HAUL_STALL_DRAIN, stores + 1 - before, stores + 1);
}

static void add_limit(sim_limit limit, const excess *e, const average *a) {
    switch (limit) {
    case SIM_LIMIT_MEMORY:
        if (a->waits->memory + a->waits->staged > 0)
            add_share(e, HAUL_STALL_LONG_SCOREBOARD, 1, 1);
        else
            add_stores(e, a->stores);
        return;
    case SIM_LIMIT_STORES: add_stores(e, a->stores); return;
    case SIM_LIMIT_L1: add_l1(e, a); return;
    case SIM_LIMIT_SHARED_ATOMICS:
    case SIM_LIMIT_CONSTANTS: add_share(e, HAUL_STALL_SHORT_SCOREBOARD, 1, 1); return;
    case SIM_LIMIT_TEXTURES: add_share(e, HAUL_STALL_TEX_THROTTLE, 1, 1); return;
    case SIM_LIMIT_ARRIVALS: add_share(e, HAUL_STALL_BARRIER, 1, 1); return;
    case SIM_LIMIT_ISSUE:
        add_share(e, HAUL_STALL_MATH_PIPE, a->unit, 1);
        add_share(e, HAUL_STALL_NOT_SELECTED, 1 - a->unit, 1);
        return;
    default: return;
    }
}

/* Memory gets what the other states leave. Beyond a warp's own wait for it, the time is the limits'. */
static void add_rest(const average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    double rest = s->cycles;
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) rest -= states[k];
    states[HAUL_STALL_LONG_SCOREBOARD] = fmax(fmin(rest, s->memory), LEAST_OF_MEMORY * s->memory);
    for (unsigned k = 0; k < SIM_LIMITS && rest > s->memory; k++)
        add_limit((sim_limit)k, &(excess){states, (rest - s->memory) * s->limits[k]}, a);
}

/* Takes the cycles of a share of the waits for memory. */
static excess take(double states[HAUL_STALL_COUNT], double share) {
    const double cycles = states[HAUL_STALL_LONG_SCOREBOARD] * share;
    states[HAUL_STALL_LONG_SCOREBOARD] -= cycles;
    return (excess){states, cycles};
}

/* Fences wait for memory, too. Stores that L1 passes on in parts, and wide ones to memory that is full, hold up the
 * loads behind them and the warp's end, as do atomics without a result. */
static void split_memory(const average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    const sim_waits *w = a->waits;
    const double written = count_of(a, HAUL_COUNTER_L2_WRITE_SECTORS), launch = s->launch_cycles / s->warps;
    const double parts = fmax(0, count_of(a, HAUL_COUNTER_L1_GLOBAL_ST_SECTORS) - written) * PART_CYCLES / s->sms;
    const double in_parts = a->stores > 0 ? fmin(MOST_OF_PARTS, parts / launch) : 0;
    const double width = a->stores > 0 ? written / a->stores / SECTORS_OF_WIDE_STORE : 0;
    const double wide = OF_WIDE_STORES * pow(fmin(1, s->dram_load), FULL_POWER) * width * (1 - in_parts);
    const double reductions = count_of(a, HAUL_COUNTER_INST_GLOBAL_RED);
    const double busy = fmin(1, count_of(a, HAUL_COUNTER_L2_RED_SECTORS) * ATOMIC_SECTOR_CYCLES / launch);
    const double atomic = OF_ATOMICS * busy / fmax(1, reductions);
    const double all = states[HAUL_STALL_LONG_SCOREBOARD];
    const excess e = {states, all * in_parts}, queued = {states, all * wide};
    add_stores(&e, a->stores);
    add_share(&queued, HAUL_STALL_LG_THROTTLE, a->stores, a->stores + WIDE_STORES_THAT_FIT);
    add_share(&queued, HAUL_STALL_DRAIN, WIDE_STORES_THAT_FIT, a->stores + WIDE_STORES_THAT_FIT);
    states[HAUL_STALL_DRAIN] += all * atomic;
    states[HAUL_STALL_LONG_SCOREBOARD] -= all * (in_parts + wide + atomic);
    const excess fences = take(states, w->memory > 0 ? fmin(1, w->fences / w->memory) : 0);
    add_share(&fences, HAUL_STALL_MEMBAR, 1, 1);
}

void sim_find_states(const haul_launch_record *r, const sim_waits *w, const sim_residence *s,
                     double states[HAUL_STALL_COUNT]) {
    average a = average_of(r, w, s);
    add_own_waits(&a, states);
    add_turns(&a, states);
    add_queues(&a, states);
    add_loads(&a, states);
    add_barriers(&a, states);
    add_rest(&a, states);
    split_memory(&a, states);
}
