#include "sim/estimate.h"

#include "sim/op.h"

#include <math.h>

enum { SECTOR = 32, SCHEDULERS = 4 };

const double sim_dram_sustained = 0.90;         /* of the peak rate, reads and writes mixed */
static const double L2_WRITE_COST = 1.6;        /* of a read's */
static const double LAUNCH_SECONDS = 2.0e-6;    /* an empty kernel */
static const double BLOCK_SECONDS = 0.4e-6;     /* to start a block and to let its stores go */
static const double CYCLES_PER_INSTRUCTION = 4; /* of one warp on its own: dependent instructions */
static const double BARRIER_CYCLES = 25;
static const double SHARED_CYCLES = 8; /* that a wavefront adds to a warp's own time */

static double counter(const haul_launch_record *r, haul_counter c) {
    return r->counters[c] > 0 ? r->counters[c] : 0;
}

static double dram_seconds(const sim_machine *m, const haul_launch_record *r) {
    /* What stays dirty in L2 at the end is on its way all the same. */
    double kept = fmin(r->bounds[HAUL_COUNTER_L2_WRITE_SECTORS].low, counter(r, HAUL_COUNTER_L2_WRITE_SECTORS));
    double written = fmax(counter(r, HAUL_COUNTER_DRAM_WRITE_SECTORS), kept);
    return (counter(r, HAUL_COUNTER_DRAM_READ_SECTORS) + written) * SECTOR /
           (m->memory_gbps * 1e9 * sim_dram_sustained);
}

static double l2_seconds(const sim_machine *m, const haul_launch_record *r) {
    double writes = counter(r, HAUL_COUNTER_L2_WRITE_SECTORS) + counter(r, HAUL_COUNTER_L2_RED_SECTORS) +
                    counter(r, HAUL_COUNTER_L2_ATOM_SECTORS);
    return (counter(r, HAUL_COUNTER_L2_READ_SECTORS) + L2_WRITE_COST * writes) * SECTOR / (m->l2_gbps * 1e9);
}

static double shared_wavefronts(const haul_launch_record *r) {
    return counter(r, HAUL_COUNTER_SHARED_LD_WAVEFRONTS) + counter(r, HAUL_COUNTER_SHARED_ST_WAVEFRONTS) +
           counter(r, HAUL_COUNTER_SHARED_ATOM_WAVEFRONTS) + counter(r, HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS);
}

/* L1 and shared memory are one pipe: a wavefront a cycle, and no more than a line's sectors. */
static double l1_cycles(const haul_launch_record *r) {
    double wavefronts =
        counter(r, HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS) + counter(r, HAUL_COUNTER_L1_GLOBAL_ST_WAVEFRONTS);
    double sectors = counter(r, HAUL_COUNTER_L1_GLOBAL_LD_SECTORS) + counter(r, HAUL_COUNTER_L1_GLOBAL_ST_SECTORS);
    return fmax(wavefronts, sectors / 4) + shared_wavefronts(r);
}

/* Of an SM's constant cache, which answers one address at a time. Measured on an H100: a cycle each, four where the
 * line has to come from behind it, and 11 that each further address of a load adds to its warp's own time. */
static const double CONSTANT_MISS_CYCLES = 3;
static const double CONSTANT_TURN_CYCLES = 11;

static double constant_cycles(const haul_launch_record *r) {
    const haul_traffic *t = &r->classes[HAUL_CLASS_CONSTANT_LOAD];
    return (double)t->requests + CONSTANT_MISS_CYCLES * (double)(t->requests - t->hits);
}

static double constant_turns(const haul_launch_record *r) {
    const haul_traffic *t = &r->classes[HAUL_CLASS_CONSTANT_LOAD];
    return (double)(t->requests - t->instructions);
}

/* The texture units take four lanes a cycle. */
static double texture_cycles(const haul_launch_record *r) {
    return counter(r, HAUL_COUNTER_L1_TEXTURE_WAVEFRONTS) + counter(r, HAUL_COUNTER_L1_SURFACE_LD_REQUESTS) +
           counter(r, HAUL_COUNTER_L1_SURFACE_ST_REQUESTS);
}

/* A kernel reads mapped memory at 49 of the 55 GB/s that a copy reaches on an H100. */
static double link_seconds(const sim_machine *m, const sim_waits *w) {
    static const double OF_A_COPY = 0.89;
    const double one_way = fmax(w->link_read, w->link_written) / m->host_link_gbps;
    const double both = (w->link_read + w->link_written) / m->host_link_both_gbps;
    return fmax(one_way, both) * SECTOR / (OF_A_COPY * 1e9);
}

static double share(double part, double rest) {
    return part + rest > 0 ? part / (part + rest) : 1;
}

/* A wait for memory, averaged over where the data was. */
static double wait_seconds(const sim_machine *m, const haul_launch_record *r, double clock) {
    double misses = counter(r, HAUL_COUNTER_L1_GLOBAL_LD_MISS) + counter(r, HAUL_COUNTER_TMA_LD_SECTORS) +
                    counter(r, HAUL_COUNTER_L1_TEXTURE_MISS);
    double hits = counter(r, HAUL_COUNTER_L1_GLOBAL_LD_HIT) + counter(r, HAUL_COUNTER_L1_TEXTURE_HIT);
    double beyond_l1 = share(misses, hits);
    double missed = counter(r, HAUL_COUNTER_L2_READ_MISS);
    double beyond_l2 = share(missed, fmax(0, counter(r, HAUL_COUNTER_L2_READ_SECTORS) - missed));
    return m->l1_latency_cycles / clock +
           beyond_l1 * 1e-9 * (m->l2_latency_ns + beyond_l2 * (m->dram_latency_ns - m->l2_latency_ns));
}

/* The blocks of one SM run in rounds of as many as fit; within a round their waits overlap. */
static double latency_seconds(const sim_machine *m, const haul_launch_record *r, const sim_waits *w, double clock) {
    double blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    double warps = blocks * ceil((double)r->block[0] * r->block[1] * r->block[2] / SIM_LANES);
    double each = ceil(blocks / m->sms), resident = fmin(each, fmax(1, r->occupancy.blocks_per_sm));
    double cycles = counter(r, HAUL_COUNTER_INST_EXECUTED) * CYCLES_PER_INSTRUCTION + w->barriers * BARRIER_CYCLES +
                    shared_wavefronts(r) * SHARED_CYCLES + constant_turns(r) * CONSTANT_TURN_CYCLES;
    double block = (w->memory * wait_seconds(m, r, clock) + cycles / clock) / warps + BLOCK_SECONDS;
    return block * each / resident;
}

double sim_loaded_clock(const sim_machine *m) {
    return m->sm_mhz * 1e6 * 0.886;
}

/* Seconds that a launch takes of each thing that it may be bound by: first what all SMs share, then what each has. */
enum { DRAM, L2, LINK, L1, CONSTANTS, TEXTURES, ISSUE, LATENCY, BOUNDS, OF_AN_SM = L1 };

static double blocks_of(const haul_launch_record *r) {
    return (double)r->grid[0] * r->grid[1] * r->grid[2];
}

static void find_bounds(const sim_machine *m, const haul_launch_record *r, const sim_waits *w, double bounds[BOUNDS]) {
    const double clock = sim_loaded_clock(m), sms = fmin(m->sms, blocks_of(r));
    bounds[DRAM] = dram_seconds(m, r);
    bounds[L2] = l2_seconds(m, r);
    bounds[LINK] = link_seconds(m, w);
    bounds[L1] = l1_cycles(r) / sms / clock;
    bounds[CONSTANTS] = constant_cycles(r) / sms / clock;
    bounds[TEXTURES] = texture_cycles(r) / sms / clock;
    bounds[ISSUE] = counter(r, HAUL_COUNTER_INST_EXECUTED) / sms / SCHEDULERS / clock;
    bounds[LATENCY] = latency_seconds(m, r, w, clock);
}

double sim_estimate_us(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    double bounds[BOUNDS], sum = 0;
    find_bounds(m, r, w, bounds);
    for (size_t i = 0; i < BOUNDS; i++) sum += bounds[i] * bounds[i] * bounds[i];
    return 1e6 * (LAUNCH_SECONDS + cbrt(sum));
}

sim_kernel_load sim_estimate_load(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    const double seconds = sim_estimate_us(m, r, w) * 1e-6, blocks = blocks_of(r);
    const double fit = fmax(1, r->occupancy.blocks_per_sm) * m->sms;
    double bounds[BOUNDS];
    sim_kernel_load load = {.slots = fmin(1, blocks / fit), .sms = fmin(1, blocks / m->sms), .waves = blocks > fit};
    find_bounds(m, r, w, bounds);
    for (size_t i = 0; i < OF_AN_SM; i++) load.memory = fmax(load.memory, bounds[i] / seconds);
    for (size_t i = OF_AN_SM; i < LATENCY; i++) load.issue = fmax(load.issue, bounds[i] / seconds);
    return load;
}
