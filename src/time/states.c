/* The states of an average warp.
 *
 * First come the waits of a warp by itself: control codes, results of units that several warps share, cold caches of
 * code and constants. Then those for other warps, which are a queue: warps of an SM begin together, and data for many
 * arrive together, so more of them want the same unit at once than an even spread would give. What is left of a warp's
 * time is spent on memory, or on the bound of the launch.
 *
 * The constants are an H200's cycles. They were fitted to the profiler's states of 620 launches (those of
 * tests/data/blind, unseen and fresh whose kernels can be compiled again) as one set for all kernels. Fitted to the
 * kernels of one half of the names, they find the same three first causes in 47 and 59 % of the other half's launches.
 */
#include "time/states.h"

#include <math.h>

enum { LINE = 128, SECTORS_OF_WIDE_STORE = 16, XU_CYCLES = 8, MIO_CYCLES = 4, SCHEDULERS = 4 };

/* Wait: what machine code counts (assembler/schedule.h), and a warp's begin and end. The profiler has 1.1 times the sum
 * of the stall counts of a kernel without branches, in the median of 164 launches. ptxas has fewer registers than the
 * list, so fewer instructions to choose from: it stalls a cycle more with each fourth instruction. */
static const double WAIT_OF_A_WARP = 35, MORE_STALLS = 1.07, STALLS_OF_AN_INSTRUCTION = 0.26;

/* The instruction and constant caches of an SM are cold for the first round of blocks. Each line of code is fetched
 * once, and all warps of the round wait for it. A jump leaves the lines that were prefetched. */
static const struct { double round, line, branch, instruction; } code_miss = {111, 1.35, 1.85, 0.032};
static const struct { double round, line, branch, memory_wait; } constant_miss = {100, 2.3, 0.15, 0.69};

/* Branch Resolving: of the warp's exit, and of each branch. */
static const double EXIT_CYCLES = 11.5, BRANCH_CYCLES = 4.3;

/* Dispatch Stall: register ports and queues that other warps use, above all those of products, which read three
 * registers. */
static const double DISPATCH_ACCESS = 0.27, DISPATCH_WARP = 0.005, DISPATCH_PRODUCT = 0.07;

/* Short Scoreboard: the thread's number and parameters first, then results of the queue in front of the load/store
 * unit. Compilers hide a part of each latency. */
static const struct {
    double warp, of_path, shuffle, load, store, atomic, branch;
} near_wait = {56, 0.63, 5.9, 0.5, 0.5, 2, 1.4};

/* All warps begin with the same reads. What each further warp of a scheduler adds for them: if the warps of a round
 * begin together, which is so in the first one, and later, when blocks begin one by one. */
static const double BEGIN_SHORT = 2.1, LATER_SHORT = 0.48, BEGIN_QUEUE = 10.4;

/* Of the warps of a scheduler, a power of a warp's share of the time wants a unit at the same time as it does: with 1
 * they would be spread evenly, with 0 all come at once. Blocks that follow each other spread them. */
static const double TOGETHER = 0.32, TOGETHER_LATER = 0.11;
static const double TOGETHER_ACCESSES = 0.66, OF_ACCESSES = 0.65;

/* Behind the queue in front of the load/store unit, a cycle of shared memory or of special functions waits for itself,
 * and for the warps of a scheduler as often as the unit is busy. */
static const struct unit_queue { double own, others; } shared_queue = {0.95, 0.87}, special_queue = {0.078, 0.14};

/* The queue of shared memory is full if the square of a scheduler's warps exceeds this: MIO Throttle, instead of Short
 * Scoreboard. */
static const double FULL_QUEUE = 240;

static const double MOST_BUSY = 0.95; /* of a unit's time, since residences are averages */

/* The queue of accesses to global memory is full if the warps of a scheduler issue more than this between two waits or
 * branches: LG Throttle, instead of Long Scoreboard. With fewer, a warp waits for its data only. */
static const double FULL_ACCESSES = 58, FULL_ACCESSES_POWER = 3.1;

static const double LATE_AT_BARRIER = 0.14; /* share of waits for other warps that differ between warps of a block */
static const double LATER_ARRIVAL = 0.58;   /* what each further warp of a scheduler adds to a barrier */

/* Stores. Wide ones and atomics queue up if memory is full. */
static const double OF_WIDE_STORES = 0.04, FULL_POWER = 5.2, OF_ATOMICS = 0.195;
static const double ATOMIC_SECTOR_CYCLES = 0.0176; /* of L2 */
static const double DRAIN_CYCLES = 29;
static const double WIDE_STORES_THAT_FIT = 18;

/* Of the time that L1 and memory take beyond a warp's own waits, the share that loads of a full queue wait for room. A
 * full queue holds up what else goes through it: the first reads of warps that begin later. */
static const double OF_QUEUED_LOADS = 0.265, OF_QUEUED_MEMORY = 0.049;
static const double HELD_UP = 11.6;
/* And the share of the drain of earlier warps for which they wait, in scatters and updates on an H200. */
static const double OF_DRAIN = 0.52;

static const double OF_UNITS = 0.57, OF_FMA = 0.32; /* Math Pipe Throttle: of the turns; how much a product counts */

static const double OF_SPECIAL = 0.57; /* what a conversion takes of the time of a special function */

/* The launch, by warp. */
typedef struct average {
    const haul_launch_record *record;
    const sim_waits *waits;
    const sim_residence *residence;
    double instructions, loads, stores, branches, specials, shuffles, wavefronts;
    double accesses, access_wavefronts; /* of global and local memory */
    double ahead;                       /* share of accesses that a warp issues without a wait before */
    double near;                        /* cycles for shared memory, shuffles and functions without other warps */
    double crowded;                     /* cycles that other warps add */
    double unit;                        /* share of waits to issue that are for a unit */
    double full;                        /* share of waits for shared memory that are for room in its queue */
    double blocked;                     /* how full the queue of accesses is */
} average;

static double count_of(const average *a, haul_counter c) {
    return fmax(0, a->record->counters[c]) / a->residence->warps;
}

/* Cycles of the unit of a scheduler that takes instructions slowest. Products of floats have a unit that takes one in a
 * cycle, and special functions a queue before theirs. */
static double unit_cycles(const sim_waits *w) {
    const double slow = fmax(w->busy[SIM_PIPE_FP64], w->busy[SIM_PIPE_TENSOR]);
    return fmax(fmax(w->busy[SIM_PIPE_ALU], slow), OF_FMA * w->busy[SIM_PIPE_FMA]);
}

/* Of the turns of warps that want to issue, those that are for the unit. If it is busy for longer than the slots are, a
 * warp waits for another one to issue only while they are. */
static double share_of_unit(double units, double slots) {
    if (units <= slots) return units > 0 ? OF_UNITS * units / (units + slots) : 0;
    return 1 - (1 - OF_UNITS / 2) * pow(slots / units, 1.5);
}

/* From 0 to 1, by the accesses that the warps of a scheduler have in the queue at a time. */
static double fullness(double accesses) {
    return 1 - 1 / (1 + pow(accesses / FULL_ACCESSES, FULL_ACCESSES_POWER));
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
    const double updates = count_of(&a, HAUL_COUNTER_INST_GLOBAL_RED) + count_of(&a, HAUL_COUNTER_INST_GLOBAL_ATOM);
    a.accesses = a.loads + a.stores + updates;
    a.access_wavefronts = fmax(a.accesses, count_of(&a, HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS) + updates +
                                               count_of(&a, HAUL_COUNTER_L1_GLOBAL_ST_WAVEFRONTS));
    a.ahead = a.accesses > 0 ? fmax(0, 1 - w->memory / s->warps / a.accesses) : 0;
    a.unit = share_of_unit(unit_cycles(w), w->slots);
    a.full = pow(s->at_once, 2) / (pow(s->at_once, 2) + FULL_QUEUE);
    a.blocked = fullness(s->at_once * a.accesses / (1 + fmax(w->memory / s->warps, a.branches)));
    return a;
}

/* ---- a warp by itself ---- */

static double near_of(const average *a) {
    const sim_residence *s = a->residence;
    return near_wait.warp + near_wait.of_path * fmax(0, a->waits->path - a->waits->fixed) / s->warps +
           near_wait.shuffle * a->shuffles + near_wait.load * count_of(a, HAUL_COUNTER_INST_SHARED_LD) +
           near_wait.store * count_of(a, HAUL_COUNTER_INST_SHARED_ST) +
           near_wait.atomic * count_of(a, HAUL_COUNTER_INST_SHARED_ATOM) + near_wait.branch * a->branches +
           SIM_LOOP_NEAR_CYCLES * a->waits->loop_rounds / s->warps + s->constant;
}

static double begin(const sim_residence *s, double first, double later) {
    return s->at_once * (later + (first - later) / s->rounds);
}

static void add_own_waits(average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    const double waits = a->waits->memory / s->warps, lines = (double)a->record->code.bytes / LINE;
    a->near = near_of(a);
    states[HAUL_STALL_SELECTED] = a->instructions;
    states[HAUL_STALL_WAIT] = WAIT_OF_A_WARP + MORE_STALLS * fmax(0, a->waits->fixed - a->waits->issued) / s->warps +
                              STALLS_OF_AN_INSTRUCTION * a->instructions;
    states[HAUL_STALL_SHORT_SCOREBOARD] = a->near + begin(s, BEGIN_SHORT, LATER_SHORT);
    states[HAUL_STALL_MIO_THROTTLE] = begin(s, BEGIN_QUEUE, 0);
    states[HAUL_STALL_NO_INSTRUCTION] = (code_miss.round + code_miss.line * lines) / s->rounds +
                                        code_miss.branch * a->branches + code_miss.instruction * a->instructions;
    states[HAUL_STALL_IMC_MISS] = (constant_miss.round + constant_miss.line * lines) / s->rounds +
                                  constant_miss.branch * a->branches + constant_miss.memory_wait * waits;
    states[HAUL_STALL_BRANCH_RESOLVING] = EXIT_CYCLES + BRANCH_CYCLES * a->branches;
    states[HAUL_STALL_DISPATCH_STALL] =
        DISPATCH_ACCESS * (a->loads + a->stores) +
        s->at_once * (DISPATCH_WARP * a->instructions + DISPATCH_PRODUCT * a->waits->busy[SIM_PIPE_FMA] / s->warps);
    states[HAUL_STALL_DRAIN] = DRAIN_CYCLES;
    states[HAUL_STALL_MEMBAR] = s->releases;
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

/* Returns what a warp waits for its turns at a unit that it keeps busy for `cycles`, and all warps for `busy`. */
static double queued_cycles(const sim_residence *s, struct unit_queue queue, double cycles, double busy) {
    return cycles * (queue.own + queue.others * s->at_once * fmin(MOST_BUSY, busy / s->cycles));
}

/* Shared memory and shuffles are one pipe of the SM, special functions one of the scheduler behind the same queue. */
static void add_queues(average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    const double l1 = a->wavefronts + count_of(a, HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS) +
                      count_of(a, HAUL_COUNTER_L1_GLOBAL_ST_WAVEFRONTS);
    const double special = XU_CYCLES * a->specials;
    const double shared = queued_cycles(s, shared_queue, a->wavefronts, SCHEDULERS * s->at_once * l1);
    const double functions = queued_cycles(s, special_queue, special, s->at_once * special);
    states[HAUL_STALL_MIO_THROTTLE] += shared * a->full + functions;
    states[HAUL_STALL_SHORT_SCOREBOARD] += shared * (1 - a->full);
    a->crowded += shared + functions;
}

/* Accesses that a warp issues before it waits for the first fill the queue of global accesses. L1 takes a wavefront in
 * a cycle. */
static void add_accesses(const average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    if (a->accesses <= 0) return;
    const double others = crowd(s, SCHEDULERS * s->at_once, a->access_wavefronts, TOGETHER_ACCESSES) - 1;
    states[HAUL_STALL_LG_THROTTLE] = OF_ACCESSES * a->access_wavefronts * others * a->blocked;
}

/* Warps of a block that had to wait more than others are waited for. */
static void add_barriers(const average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    const double barriers = a->waits->barriers / s->warps;
    states[HAUL_STALL_BARRIER] =
        s->barriers + LATE_AT_BARRIER * a->crowded * fmin(1, barriers) + LATER_ARRIVAL * barriers * s->at_once;
}

/* ---- memory and the bound of the launch ---- */

/* Cycles of a bound, and the states that they are shared out to. */
typedef struct excess {
    double *states, cycles;
} excess;

static void add_share(const excess *e, haul_stall state, double part, double whole) {
    if (whole > 0) e->states[state] += e->cycles * part / whole;
}

/* Who loads through L1 waits for the data; if the queue of accesses is full, for room in it. */
static void add_l1(const excess *e, const average *a) {
    const double loads =
        count_of(a, HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS) + count_of(a, HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS);
    const double stores = count_of(a, HAUL_COUNTER_L1_GLOBAL_ST_WAVEFRONTS);
    const double shared = a->wavefronts - count_of(a, HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS);
    const double all = loads + stores + shared;
    const double queued = (stores + OF_QUEUED_LOADS * loads) * a->blocked;
    add_share(e, HAUL_STALL_LONG_SCOREBOARD, loads + stores - queued, all);
    add_share(e, HAUL_STALL_LG_THROTTLE, queued, all);
    add_share(e, HAUL_STALL_SHORT_SCOREBOARD, shared * (1 - a->full), all);
    add_share(e, HAUL_STALL_MIO_THROTTLE, shared * a->full, all);
}

/* A warp waits for room for its stores. Behind the last one before a load, the load waits instead; behind the last one
 * of all, the warp drains. */
static void add_stores(const excess *e, const average *a, double stores) {
    const double waits = (a->waits->memory + a->waits->staged) / a->residence->warps;
    const double last = fmax(fmin(stores, 1), fmin(stores, waits));
    const double before = stores - last, loads = fmax(0, last - 1), all = stores + 1;
    add_share(e, HAUL_STALL_LG_THROTTLE, before * a->blocked, all);
    add_share(e, HAUL_STALL_LONG_SCOREBOARD, loads + before * (1 - a->blocked), all);
    add_share(e, HAUL_STALL_DRAIN, all - before - loads, all);
}

/* A warp waits for its data, and a part of the time for room for its next access. */
static void add_loads(const excess *e, const average *a) {
    const double queued = OF_QUEUED_MEMORY * a->blocked * a->ahead;
    add_share(e, HAUL_STALL_LG_THROTTLE, queued, 1);
    add_share(e, HAUL_STALL_LONG_SCOREBOARD, 1 - queued, 1);
}

static void add_limit(sim_limit limit, const excess *e, const average *a) {
    switch (limit) {
    case SIM_LIMIT_MEMORY:
        if (a->waits->memory + a->waits->staged > 0)
            add_loads(e, a);
        else
            add_stores(e, a, a->stores);
        return;
    case SIM_LIMIT_STORES: add_stores(e, a, a->stores); return;
    case SIM_LIMIT_UPDATES: {
        const double updates = count_of(a, HAUL_COUNTER_INST_GLOBAL_RED);
        if (updates > 0)
            add_stores(e, a, updates);
        else
            add_share(e, HAUL_STALL_LONG_SCOREBOARD, 1, 1);
        return;
    }
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

/* Beyond a warp's own waits, the time is the limits'. */
static void add_rest(const average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    double rest = s->cycles;
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) rest -= states[k];
    states[HAUL_STALL_LONG_SCOREBOARD] = s->memory;
    for (unsigned k = 0; k < SIM_LIMITS && rest > s->memory; k++)
        add_limit((sim_limit)k, &(excess){states, (rest - s->memory) * s->limits[k]}, a);
}

/* Takes the cycles of a share of the waits for memory. */
static excess take(double states[HAUL_STALL_COUNT], double share) {
    const double cycles = states[HAUL_STALL_LONG_SCOREBOARD] * share;
    states[HAUL_STALL_LONG_SCOREBOARD] -= cycles;
    return (excess){states, cycles};
}

/* Fences wait for memory, too. Wide stores to memory that is full hold up the loads behind them and the warp's end,
 * as do atomics without a result. */
static void split_memory(const average *a, double states[HAUL_STALL_COUNT]) {
    const sim_residence *s = a->residence;
    const sim_waits *w = a->waits;
    const double written = count_of(a, HAUL_COUNTER_L2_WRITE_SECTORS), launch = s->launch_cycles / s->warps;
    const double width = a->stores > 0 ? written / a->stores / SECTORS_OF_WIDE_STORE : 0;
    const double wide = OF_WIDE_STORES * pow(fmin(1, s->dram_load), FULL_POWER) * width;
    const double reductions = count_of(a, HAUL_COUNTER_INST_GLOBAL_RED);
    const double busy = fmin(1, count_of(a, HAUL_COUNTER_L2_RED_SECTORS) * ATOMIC_SECTOR_CYCLES / launch);
    const double atomic = OF_ATOMICS * busy / fmax(1, reductions);
    const double all = states[HAUL_STALL_LONG_SCOREBOARD];
    const excess queued = {states, all * wide};
    add_share(&queued, HAUL_STALL_LG_THROTTLE, a->stores, a->stores + WIDE_STORES_THAT_FIT);
    add_share(&queued, HAUL_STALL_DRAIN, WIDE_STORES_THAT_FIT, a->stores + WIDE_STORES_THAT_FIT);
    states[HAUL_STALL_DRAIN] += all * atomic;
    states[HAUL_STALL_LONG_SCOREBOARD] -= all * (wide + atomic);
    const excess fences = take(states, w->memory > 0 ? fmin(1, w->fences / w->memory) : 0);
    add_share(&fences, HAUL_STALL_MEMBAR, 1, 1);
}

/* What waits behind queued accesses, beside these. */
static void hold_up(const average *a, double states[HAUL_STALL_COUNT]) {
    const double held = 1 - 1 / a->residence->rounds;
    if (a->accesses > 0)
        states[HAUL_STALL_MIO_THROTTLE] += HELD_UP * states[HAUL_STALL_LG_THROTTLE] / a->accesses * held;
    states[HAUL_STALL_SHORT_SCOREBOARD] += OF_DRAIN * (states[HAUL_STALL_DRAIN] - DRAIN_CYCLES) * held;
}

void sim_find_states(const haul_launch_record *r, const sim_waits *w, const sim_residence *s,
                     double states[HAUL_STALL_COUNT]) {
    average a = average_of(r, w, s);
    add_own_waits(&a, states);
    add_turns(&a, states);
    add_queues(&a, states);
    add_accesses(&a, states);
    add_barriers(&a, states);
    add_rest(&a, states);
    split_memory(&a, states);
    hold_up(&a, states);
}
