#include "time/estimate.h"

#include "state/op.h"
#include "state/waits.h"
#include "time/states.h"

#include <math.h>

enum { SECTOR = 32, LINE_SECTORS = 4, SCHEDULERS = 4, REGISTER_BYTES = 4 * SIM_LANES };

const double sim_dram_sustained = 0.90; /* of the peak rate, reads and writes mixed */

/* Measured on an H100 by launches with a single effect (tests/data/estimates): empty kernels of 1 to 16,384 blocks;
 * loops of barriers; atomics on one address in shared and in global memory. */
static const double DISPATCH_SECONDS = 0.57e-9; /* from one block of the grid to the next */
static const double BARRIER_CYCLES = 10;        /* from the last warp's arrival to the release */
static const double ARRIVAL_CYCLES = 2;         /* between two warps' arrivals at a barrier */
static const double TURN_CYCLES = 0.6;          /* per lane of an atomic on shared memory */
static const double LOOP_TURN_CYCLES = 42;      /* from one compare-and-swap of a word of shared memory to the next */
static const double HOT_SECONDS = 0.68e-9;      /* per sector of atomics in its slice of L2 */
static const double AGAIN_SECONDS = 1.76e-9;    /* from one addition of floats to a sector to the next */

/* A barrier of a cluster takes longer than a block's, and longer still if arrivals release what warps wrote, as those
 * of cluster.sync() do: machine code has a fence there. Measured on an H200 by loops of such barriers: 76 and 340
 * cycles with one warp a block, 91 and 370 with eight. */
static const double CLUSTER_CYCLES = 64, RELEASE_CYCLES = 264;

/* Warps of a block get their data at different times. Fitted to 142 launches on an H200, checked on 150 others. */
static const double SKEW = 0.2; /* standard deviation, as a share of a wait for memory */
/* The share of the spread of warps (SKEW) that they spend at barriers, not in the wait itself. */
static const double AHEAD = 0.5;

/* What each warp waits for before its first instructions: the thread's number and parameters. Warps of element-wise
 * kernels spend 40 to 110 cycles as Short Scoreboard on an H200, and do nothing else that counts as such. */
static const double FIRST_CYCLES = 60;

/* Of the waits for units of the SM that a list of instructions shows, ptxas hides a half: it knows more of what may
 * move. The warps' states say the same. */
static const double OF_NEAR = 0.5;

/* Stores to few places meet in few slices of L2. Measured on an H200 by stores of lines to 1 to 4,096 places of 512
 * bytes: their time grows with the root of the summed squares of the places' requests, as the load of the fullest of
 * many slices does if a hash spreads places over them. */
static const double UNEVEN_SECONDS = 0.8e-9;

/* The cost of accesses to L2, in seconds on an H100; on other machines it scales with the rate. Reading a line costs
 * what the rate says. Writes of full lines, of partial and of single sectors, and atomics, are measured. */
static const double H100_L2_GBPS = 5600;
static const struct {
    double read_request, read_sector, write_request, write_sector, partial_sector, atomic_sector;
} l2_cost = {4.0e-12, 4.7e-12, 4.0e-12, 8.5e-12, 2.5e-12, 12.5e-12};

/* An SM sends stores of parts of sectors one after the other. Found from launches on an H200 whose threads store rows
 * of 8 to 36 words, and from stores of strewn words on an H100 (tests/data/blind and estimates). */
static const double PARTIAL_REQUEST_CYCLES = 2.4;
static const double PARTIAL_SECTOR_CYCLES = 1.3;

/* Device memory works in units of 64 bytes, and a partly written sector must be read first. Measured by stores of one
 * word in 32, 64 and 128 bytes. */
static const double FEW_COST = 0.15;        /* share of the rate that requests of single sectors lose */
static const double PARTIAL_BYTES = 32;     /* extra bytes for a partly written sector */
static const double FEW_PARTIAL_BYTES = 80; /* extra bytes for a single one, on top */

/* Share of dram_latency_ns that a lone load takes. That latency is fitted to copies of a few kilobytes on an SM; a
 * chain of dependent loads takes 335 of 480 ns beyond L1. */
static const double OF_A_LONE_LOAD = 0.7;

/* From a block's end to its successor's first instruction. Found from launches with blocks of 64 to 1,024 threads. */
static const double BLOCK_CYCLES = 100;
static const double WARP_CYCLES = 20; /* for each of its warps */

/* What a short launch waits for besides its work. Measured on an H200 by kernels with one load, one store or neither,
 * of data in L2 and not: an SM's first load is late by what its address, a parameter, takes from the cold cache of
 * constants, and by a miss of the TLB if its data are in device memory; and a launch ends when its last store has
 * reached L2. */
static const double START_SECONDS = 0.15e-6;
static const double TLB_SECONDS = 0.1e-6;
static const double DRAIN_SECONDS = 0.19e-6;

/* The profiler's time of a launch begins before its first block and ends after its last one: it was 1.6 us more than
 * the time in which an SM had warps, in the median of 425 launches on an H200 (tests/data/shares), and between 1.46 and
 * 1.81 in half of them. Its shares of peaks are of that time, but L1's is of the time with warps. Device memory is busy
 * with more than the launch's data, which makes up for it. */
const double sim_around_seconds = 1.6e-6;

/* Half of L2 is dirty when a launch begins, since launches before it wrote. What it reads makes L2 write these
 * lines. Measured on an H200 by reads of 4 to 64 MiB, which took 1.43 times as long as device memory needs for them
 * alone. */
static const double DIRTY_BEFORE = 0.45;

/* How bounds combine: by a norm, whose exponent says how well they overlap. Bounds of the whole GPU overlap well. Those
 * of an SM do so if it has many warps that wait for nothing together: a single block whose warps meet at barriers
 * loads, waits and computes in turn, so its times add up nearly. If all blocks of a grid run at once and load once,
 * they load together and then compute together: the GPU's bounds overlap those of an SM the less, the fewer times that
 * happens. Fitted to all launches together. */
static const double NORM = 5;              /* exponent for bounds of the GPU */
static const double NORM_MOST = 3.5;       /* the largest one for those of an SM */
static const double NORM_ALONE = 1.5;      /* for those of an SM with one group of warps that go together */
static const double NORM_DOUBLED = 0.15;   /* added for twice as many groups */
static const double JOINT_ONCE = 2.2;      /* for those of the GPU and those of an SM, if warps load and compute once */
static const double JOINT_DOUBLED = 1;     /* added for twice as many times */
static const double LOADED_POWER = 2;      /* the latency of device memory grows with this power of its load */
static const double CONFLICT_CYCLES = 0.5; /* added to a warp's own time for each shared wavefront */

/* SMs get unequal shares of memory. Blocks that follow each other even that out; blocks that stay do not. Grids that
 * stay took 3 to 6 % longer than one piece a block on an H100 and an H200 (bench/results), although nothing keeps the
 * places of warps that end early there. */
static const double STAYING_LOSS = 0.06;

static double counter(const haul_launch_record *r, haul_counter c) {
    return r->counters[c] > 0 ? r->counters[c] : 0;
}

static double l2_requests(const haul_launch_record *r) {
    return counter(r, HAUL_COUNTER_L2_READ_REQUESTS) + counter(r, HAUL_COUNTER_L2_WRITE_REQUESTS);
}

/* Sectors that atomics and reductions update. */
static double updated_sectors(const haul_launch_record *r) {
    return counter(r, HAUL_COUNTER_L2_RED_SECTORS) + counter(r, HAUL_COUNTER_L2_ATOM_SECTORS);
}

static double changed_sectors(const haul_launch_record *r) {
    return counter(r, HAUL_COUNTER_L2_WRITE_SECTORS) + updated_sectors(r);
}

static double dram_sectors(const haul_launch_record *r) {
    return counter(r, HAUL_COUNTER_DRAM_READ_SECTORS) + counter(r, HAUL_COUNTER_DRAM_WRITE_SECTORS);
}

/* Returns 0 if requests are whole lines, 1 if they are single sectors. */
static double lack_of_sectors(const haul_launch_record *r) {
    const double requests = l2_requests(r);
    const double sectors = counter(r, HAUL_COUNTER_L2_READ_SECTORS) + counter(r, HAUL_COUNTER_L2_WRITE_SECTORS);
    return requests > 0 ? fmax(0, fmin(1, (4 - sectors / requests) / 3)) : 0;
}

/* Sectors of earlier launches that this one makes L2 write: at least as many as it leaves dirty itself. */
static double evicted_sectors(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    const double read = counter(r, HAUL_COUNTER_DRAM_READ_SECTORS);
    return fmax(w->dirty_sectors, DIRTY_BEFORE * fmin(read, (double)m->l2_bytes / SECTOR));
}

/* Partly written sectors have to be read when they are written back. L2 keeps few of them to the end if they fill it.
 */
static double dram_seconds(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    const double sectors = dram_sectors(r) + evicted_sectors(m, r, w);
    const double partly = w->partly_dirty * fmin(1, w->partly_dirty * SECTOR / (double)m->l2_bytes);
    const double few = lack_of_sectors(r), rate = m->memory_gbps * 1e9 * sim_dram_sustained * (1 - FEW_COST * few);
    return (sectors * SECTOR + partly * (PARTIAL_BYTES + FEW_PARTIAL_BYTES * few)) / rate;
}

static double l2_seconds(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    const double writes = counter(r, HAUL_COUNTER_L2_WRITE_SECTORS);
    const double seconds = counter(r, HAUL_COUNTER_L2_READ_REQUESTS) * l2_cost.read_request +
                           counter(r, HAUL_COUNTER_L2_READ_SECTORS) * l2_cost.read_sector +
                           counter(r, HAUL_COUNTER_L2_WRITE_REQUESTS) * l2_cost.write_request +
                           writes * l2_cost.write_sector + fmin(w->partial_sectors, writes) * l2_cost.partial_sector +
                           updated_sectors(r) * l2_cost.atomic_sector;
    return seconds * H100_L2_GBPS / m->l2_gbps;
}

static double shared_wavefronts(const haul_launch_record *r) {
    return counter(r, HAUL_COUNTER_SHARED_LD_WAVEFRONTS) + counter(r, HAUL_COUNTER_SHARED_ST_WAVEFRONTS) +
           counter(r, HAUL_COUNTER_SHARED_ATOM_WAVEFRONTS) + counter(r, HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS);
}

/* L1 and shared memory are one pipe: one wavefront a cycle in the stage of tags, and one in that of data, which reads
 * at most four sectors, each from another place of its line. Shuffles pass it as well. */
static double l1_cycles(const haul_launch_record *r, const sim_waits *w) {
    const double tags =
        counter(r, HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS) + counter(r, HAUL_COUNTER_L1_GLOBAL_ST_WAVEFRONTS);
    const double read = fmax(w->data_wavefronts, counter(r, HAUL_COUNTER_L1_GLOBAL_LD_SECTORS) / LINE_SECTORS);
    return fmax(tags, read + counter(r, HAUL_COUNTER_L1_GLOBAL_ST_SECTORS) / LINE_SECTORS) + shared_wavefronts(r) +
           w->busy[SIM_PIPE_MIO] / SCHEDULERS;
}

/* Cycles of the unit of a scheduler that is busy the longest; a scheduler issues one instruction a cycle. */
static double unit_cycles(const sim_waits *w) {
    double most = 0;
    for (unsigned k = 0; k < SIM_PIPES; k++)
        if (k != SIM_PIPE_MIO) most = fmax(most, w->busy[k]);
    return most;
}

static double scheduler_cycles(const sim_waits *w) {
    return fmax(w->slots, unit_cycles(w));
}

/* The constant cache of an SM answers one address at a time. Measured on an H100: one cycle each, four if the line
 * misses, and 11 that each further address of a load adds to its warp's own time. */
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

/* Texture units take four lanes a cycle. */
static double texture_cycles(const haul_launch_record *r) {
    return counter(r, HAUL_COUNTER_L1_TEXTURE_WAVEFRONTS) + counter(r, HAUL_COUNTER_L1_SURFACE_LD_REQUESTS) +
           counter(r, HAUL_COUNTER_L1_SURFACE_ST_REQUESTS);
}

/* A kernel reads mapped memory at 49 of the 55 GB/s of a copy on an H100. */
static double link_seconds(const sim_machine *m, const sim_waits *w) {
    static const double OF_A_COPY = 0.89;
    const double one_way = fmax(w->link_read, w->link_written) / m->host_link_gbps;
    const double both = (w->link_read + w->link_written) / m->host_link_both_gbps;
    return fmax(one_way, both) * SECTOR / (OF_A_COPY * 1e9);
}

/* Sectors from peers, or to them, at the rate of that direction. The directions of NVLink do not share anything. */
static double peer_seconds(const sim_machine *m, double sectors, double gbps) {
    return m->nvlinks == 0 ? 0 : sectors * SECTOR / (gbps * 1e9);
}

static double peer_read_seconds(const sim_machine *m, const sim_waits *w) {
    return peer_seconds(m, w->peer_read, m->peer_read_gbps);
}

static double peer_write_seconds(const sim_machine *m, const sim_waits *w) {
    return peer_seconds(m, w->peer_written, m->peer_write_gbps);
}

static double lone_load_ns(const sim_machine *m) {
    return m->dram_latency_ns * OF_A_LONE_LOAD;
}

static double all_waits(const sim_waits *w) {
    return w->memory + w->staged;
}

/* How the grid is spread over the SMs. */
typedef struct spread {
    double blocks, warps;    /* in total */
    double warps_of_block;   /* of one block */
    double each, resident;   /* blocks of the busiest SM: all, and at once */
    double busiest, seconds; /* the busiest SM's share of all work; a cycle */
    double schedulers;       /* of the busiest SM that have warps */
    double unevenness;       /* factor on memory time: 1, or more if blocks stay */
    double overlap;          /* exponent of the norm of an SM's bounds */
    double joint;            /* of these together and those of the GPU */
    double others;           /* share of a scheduler's work that is not of one warp, whose time has its own */
} spread;

/* From the first block of the first round to its last one. */
static double first_round_seconds(const sim_machine *m, const spread *s) {
    return fmin(s->blocks, s->resident * m->sms) * DISPATCH_SECONDS;
}

/* How many times the warps of an SM load and compute one after the other. Blocks that begin later are in other phases:
 * the average one of the first round begins half of that round's dispatch after the first. */
static double phases_of(const sim_machine *m, const sim_waits *w, const spread *s) {
    const double waits = fmax(1, all_waits(w) / s->warps);
    const double alone = s->seconds * w->path / s->warps + waits * 1e-9 * lone_load_ns(m);
    return waits * (fmax(1, s->each / s->resident) + first_round_seconds(m, s) / 2 / alone);
}

static spread spread_of(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    spread s = {.seconds = 1 / sim_loaded_clock(m)};
    s.blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    s.warps_of_block = ceil((double)r->block[0] * r->block[1] * r->block[2] / SIM_LANES);
    s.warps = s.blocks * s.warps_of_block;
    s.each = ceil(s.blocks / m->sms);
    s.resident = fmin(s.each, fmax(1, r->occupancy.blocks_per_sm));
    s.busiest = fmax(s.each / s.blocks, w->busiest);
    s.schedulers = fmin(SCHEDULERS, s.resident * s.warps_of_block);
    s.unevenness = 1 + STAYING_LOSS * fmin(1, s.resident / s.each);
    s.others = 1 - s.schedulers / (s.resident * s.warps_of_block);
    const bool together = s.warps_of_block > 1 && w->barriers - w->clusters >= 2 * s.warps;
    s.overlap =
        fmin(NORM_MOST, NORM_ALONE + NORM_DOUBLED * log2(together ? s.resident : s.resident * s.warps_of_block));
    s.joint = fmin(NORM, JOINT_ONCE + JOINT_DOUBLED * log2(phases_of(m, w, &s)));
    return s;
}

static double share(double part, double rest) {
    return part + rest > 0 ? part / (part + rest) : 1;
}

/* How much a block's waits depend on the hit rates of its own loads. The rest is the average of all loads: a hit may be
 * on a line that another load still waits for. Found from 550 launches, together with the other constants. */
static const double OWN_RATES = 0.5;

/* The share of waits that go beyond L1, and of these beyond L2. A wait for several loads is as long as the longest. */
typedef struct beyond {
    double l1, l2;
} beyond;

static beyond where_data_was(const haul_launch_record *r, const sim_waits *w) {
    const haul_traffic *local = &r->classes[HAUL_CLASS_LOCAL_LOAD];
    const double misses = counter(r, HAUL_COUNTER_L1_GLOBAL_LD_MISS) + counter(r, HAUL_COUNTER_TMA_LD_SECTORS) +
                          counter(r, HAUL_COUNTER_L1_TEXTURE_MISS) + (double)(local->sectors - local->hits);
    const double hits =
        counter(r, HAUL_COUNTER_L1_GLOBAL_LD_HIT) + counter(r, HAUL_COUNTER_L1_TEXTURE_HIT) + (double)local->hits;
    const double read = counter(r, HAUL_COUNTER_L2_READ_SECTORS);
    const double missed = fmin(counter(r, HAUL_COUNTER_L2_READ_MISS), read);
    const double waits = all_waits(w);
    const double wavefronts = counter(r, HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS) + (double)local->wavefronts;
    const double loads = waits > 0 ? wavefronts / waits : 1;
    const double together = fmax(1, fmin(loads, SIM_LANES));
    const double l1 = 1 - pow(1 - share(misses, hits), together);
    const double far = waits > 0 ? (w->far + fmax(0, waits - w->placed) * l1) / fmax(waits, w->placed) : l1;
    return (beyond){OWN_RATES * far + (1 - OWN_RATES) * l1, 1 - pow(1 - share(missed, read - missed), together)};
}

/* How far the last of a block's warps is behind the average, in standard deviations about. */
static double spread_of_warps(const spread *s) {
    return sqrt(log(s->warps_of_block));
}

/* Warps whose data come sooner than others' wait for them at the next barrier. Returns the sum of these waits, as a
 * multiple of a wait for memory: several waits between two barriers differ by the root of their number. */
static double skew(const sim_waits *w, const spread *s) {
    if (s->warps_of_block < 2) return 0;
    const double waits = all_waits(w);
    return SKEW * spread_of_warps(s) * sqrt(waits * fmin(waits, w->barriers));
}

/* Warps of a block begin together, and each wait after the first drives them apart. The places of those that end early
 * stay empty until the block's last one ends: a multiple of a wait for memory, as at a barrier. Only waits behind the
 * last barrier count. */
static double idle_at_end(const sim_waits *w, const spread *s) {
    if (s->warps_of_block < 2) return 0;
    const double waits = all_waits(w) / s->warps, barriers = w->barriers / s->warps;
    return s->warps * AHEAD * SKEW * spread_of_warps(s) * sqrt(fmax(0, waits - 1) / (1 + barriers));
}

/* A wait that leaves n groups of copies in flight is for one that began n such waits ago. The data have been on their
 * way while the warp worked, and while it waited these n times: a wait of x is what n * (work + x) leaves of the
 * latency. */
static double staged_waits(const sim_waits *w, double wait, const double stalls[HAUL_STALL_COUNT]) {
    double others = 0;
    if (w->staged <= 0) return 0;
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) others += stalls[k];
    const double groups = w->staged_groups / w->staged, work = others / w->staged;
    return w->staged * fmax(0, (wait - groups * work) / (1 + groups));
}

/* A wait for the farthest of some loads, in cycles. `load` is the load of device memory. */
static double wait_cycles(const sim_machine *m, const haul_launch_record *r, const sim_waits *w, const spread *s,
                          double load) {
    const beyond to = where_data_was(r, w);
    const double alone = lone_load_ns(m), dram = alone + (m->loaded_latency_ns - alone) * pow(load, LOADED_POWER);
    return m->l1_latency_cycles + to.l1 * 1e-9 * (m->l2_latency_ns + to.l2 * (dram - m->l2_latency_ns)) / s->seconds;
}

/* Cycles that warps wait on their own, whatever else runs: summed over all warps, by stall. `load` is the load of
 * device memory. */
static void find_waits(const sim_machine *m, const haul_launch_record *r, const sim_waits *w, const spread *s,
                       double load, double stalls[HAUL_STALL_COUNT]) {
    const double wait = wait_cycles(m, r, w, s, load);
    stalls[HAUL_STALL_SELECTED] = fmin(w->issued, w->fixed);
    stalls[HAUL_STALL_WAIT] = w->fixed - stalls[HAUL_STALL_SELECTED];
    stalls[HAUL_STALL_SHORT_SCOREBOARD] = OF_NEAR * (w->path - w->fixed) + shared_wavefronts(r) * CONFLICT_CYCLES;
    stalls[HAUL_STALL_SHORT_SCOREBOARD] += w->loop_rounds * SIM_LOOP_NEAR_CYCLES;
    if (w->path > 0) stalls[HAUL_STALL_SHORT_SCOREBOARD] += s->warps * FIRST_CYCLES;
    stalls[HAUL_STALL_LONG_SCOREBOARD] = w->memory * wait;
    stalls[HAUL_STALL_BARRIER] = w->barriers * (BARRIER_CYCLES + ARRIVAL_CYCLES * s->warps_of_block);
    stalls[HAUL_STALL_BARRIER] += w->clusters * CLUSTER_CYCLES;
    stalls[HAUL_STALL_MEMBAR] += w->releases * RELEASE_CYCLES;
    stalls[HAUL_STALL_BARRIER] += AHEAD * skew(w, s) * wait;
    stalls[HAUL_STALL_LONG_SCOREBOARD] += (1 - AHEAD) * skew(w, s) * wait;
    stalls[HAUL_STALL_IMC_MISS] = constant_turns(r) * CONSTANT_TURN_CYCLES;
    stalls[HAUL_STALL_LONG_SCOREBOARD] += staged_waits(w, wait, stalls);
}

/* Cycles of a warp, which finds data in L1, without waits for others. */
static double alone_cycles(const sim_machine *m, const sim_waits *w) {
    return w->path + w->memory * m->l1_latency_cycles;
}

/* The blocks of an SM run in rounds of as many as fit; within a round their waits overlap. The last block of the first
 * round begins when the others have been dispatched. If some warp does much more than the others, it may be among the
 * last that begin: then the launch takes longer by what it does more. It takes at least as long as this warp, whose
 * many loads may find their data in L1. */
static double latency_seconds(const sim_machine *m, const haul_launch_record *r, const sim_waits *w, const spread *s,
                              double load) {
    double stalls[HAUL_STALL_COUNT] = {0}, cycles = 0;
    find_waits(m, r, w, s, load, stalls);
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) cycles += stalls[k];
    const bool rounds = s->each > s->resident;
    if (rounds) {
        cycles += s->warps * (BLOCK_CYCLES + WARP_CYCLES * s->warps_of_block);
        cycles += idle_at_end(w, s) * wait_cycles(m, r, w, s, load);
    }
    const double even = cycles * s->busiest / (s->warps_of_block * s->resident);
    const double longest = w->operations > 0 ? w->longest / w->operations * alone_cycles(m, w) : 0;
    const double tail = rounds ? fmax(0, longest - alone_cycles(m, w) / s->warps) : 0;
    return first_round_seconds(m, s) + s->seconds * fmax(even + tail, longest);
}

/* What a launch waits for before its first data and after its last. */
static double edge_seconds(const haul_launch_record *r, const sim_waits *w) {
    const beyond to = where_data_was(r, w);
    const double start = all_waits(w) > 0 ? START_SECONDS + to.l1 * to.l2 * TLB_SECONDS : 0;
    return start + (changed_sectors(r) > 0 ? DRAIN_SECONDS : 0);
}

double sim_loaded_clock(const sim_machine *m) {
    return m->sm_mhz * 1e6 * 0.886;
}

/* The seconds of each bound of a launch: first resources that all SMs share, then those of each SM, then the rest. */
enum {
    DRAM,
    L2,
    PARTIAL, /* stores of parts of sectors, on the busiest SM: they keep its way to L2 busy */
    HOT,
    LINK,
    PEERS,
    L1,
    TURNS,
    CLUSTERS, /* the way between SMs of a cluster */
    CONSTANTS,
    TEXTURES,
    ISSUE,
    LATENCY,
    ARRIVALS, /* a warp's wait at a barrier contains those of its block */
    DISPATCH,
    BOUNDS,
    OF_AN_SM = L1
};

static double sum_of_powers(const double bounds[BOUNDS], unsigned first, unsigned end, double power) {
    double sum = 0;
    for (unsigned i = first; i < end; i++) sum += pow(bounds[i], power);
    return sum;
}

/* First the bounds of an SM, then these and those of the GPU, then the rest. */
static double norm_of(const double bounds[BOUNDS], const spread *s) {
    const double gpu = pow(sum_of_powers(bounds, 0, OF_AN_SM, NORM), s->joint / NORM);
    const double of_an_sm = pow(sum_of_powers(bounds, OF_AN_SM, LATENCY + 1, s->overlap), s->joint / s->overlap);
    const double rest = sum_of_powers(bounds, LATENCY + 1, BOUNDS, NORM);
    return pow(pow(gpu + of_an_sm, NORM / s->joint) + rest, 1 / NORM);
}

/* Finds the latency and the load of device memory, which depend on each other: a load makes waits longer, and longer
 * waits make the load smaller. */
static double settle_load(const sim_machine *m, const haul_launch_record *r, const sim_waits *w, const spread *s,
                          double bounds[BOUNDS]) {
    enum { STEPS = 12 };
    double low = 0, high = 1;
    for (unsigned k = 0; k < STEPS; k++) {
        const double load = (low + high) / 2;
        bounds[LATENCY] = latency_seconds(m, r, w, s, load);
        *(bounds[DRAM] > load * norm_of(bounds, s) ? &low : &high) = load;
    }
    bounds[LATENCY] = latency_seconds(m, r, w, s, low);
    return low;
}

/* Computes the bounds; returns the load of device memory. */
static double find_bounds(const sim_machine *m, const haul_launch_record *r, const sim_waits *w,
                          double bounds[BOUNDS]) {
    const spread s = spread_of(m, r, w);
    const double cycle = s.busiest * s.seconds;
    bounds[DRAM] = dram_seconds(m, r, w) * s.unevenness;
    bounds[L2] = l2_seconds(m, r, w) * s.unevenness;
    bounds[HOT] = fmax(w->hottest * HOT_SECONDS, w->most_added * AGAIN_SECONDS) + w->uneven_stores * UNEVEN_SECONDS;
    bounds[LINK] = link_seconds(m, w);
    bounds[PEERS] = fmax(peer_read_seconds(m, w), peer_write_seconds(m, w));
    bounds[L1] = l1_cycles(r, w) * cycle;
    bounds[TURNS] = w->shared_turns * TURN_CYCLES * cycle + w->most_looped / s.resident * LOOP_TURN_CYCLES * s.seconds;
    bounds[CLUSTERS] = w->cluster_cycles * cycle;
    bounds[PARTIAL] =
        (w->partial_requests * PARTIAL_REQUEST_CYCLES + w->partial_writes * PARTIAL_SECTOR_CYCLES) * cycle;
    bounds[CONSTANTS] = constant_cycles(r) * cycle;
    bounds[TEXTURES] = texture_cycles(r) * cycle;
    bounds[ISSUE] = scheduler_cycles(w) * cycle / s.schedulers * s.others;
    bounds[ARRIVALS] = w->barriers * ARRIVAL_CYCLES * cycle;
    bounds[DISPATCH] = s.blocks * DISPATCH_SECONDS;
    return settle_load(m, r, w, &s, bounds);
}

double sim_estimate_us(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    double bounds[BOUNDS];
    const spread s = spread_of(m, r, w);
    find_bounds(m, r, w, bounds);
    return m->launch_us + 1e6 * (edge_seconds(r, w) + norm_of(bounds, &s));
}

sim_kernel_load sim_estimate_load(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    const double seconds = sim_estimate_us(m, r, w) * 1e-6;
    const double blocks = spread_of(m, r, w).blocks;
    const double fit = fmax(1, r->occupancy.blocks_per_sm) * m->sms;
    double bounds[BOUNDS];
    sim_kernel_load load = {.slots = fmin(1, blocks / fit),
                            .sms = fmin(1, blocks / m->sms),
                            .waves = blocks > fit,
                            .rounds = fmax(1, blocks / fit)};
    find_bounds(m, r, w, bounds);
    for (size_t i = 0; i < OF_AN_SM; i++) load.memory = fmax(load.memory, bounds[i] / seconds);
    for (size_t i = OF_AN_SM; i < LATENCY; i++) load.issue = fmax(load.issue, bounds[i] / seconds);
    return load;
}

/* ---- shares and states ---- */

/* The parts of the bounds in what holds warps back: their powers in the norm, as shares of the sum. */
static void find_limits(const double bounds[BOUNDS], double limits[SIM_LIMITS]) {
    static const sim_limit of[BOUNDS] = {[PARTIAL] = SIM_LIMIT_STORES,
                                         [HOT] = SIM_LIMIT_UPDATES,
                                         [L1] = SIM_LIMIT_L1,
                                         [TURNS] = SIM_LIMIT_SHARED_ATOMICS,
                                         [CONSTANTS] = SIM_LIMIT_CONSTANTS,
                                         [TEXTURES] = SIM_LIMIT_TEXTURES,
                                         [ISSUE] = SIM_LIMIT_ISSUE,
                                         [ARRIVALS] = SIM_LIMIT_ARRIVALS,
                                         [DISPATCH] = SIM_LIMIT_DISPATCH}; /* the others are memory's, which is 0 */
    double sum = 0;
    for (unsigned i = 0; i < BOUNDS; i++) sum += i == LATENCY ? 0 : pow(bounds[i], NORM);
    for (unsigned i = 0; i < BOUNDS && sum > 0; i++)
        if (i != LATENCY) limits[of[i]] += pow(bounds[i], NORM) / sum;
}

/* Registers that warps get from memory, at least: a warp's 16-byte load writes four. */
static double registers_written(const haul_launch_record *r) {
    static const haul_memory_class classes[] = {
        HAUL_CLASS_GLOBAL_LOAD,   HAUL_CLASS_GLOBAL_ATOMIC, HAUL_CLASS_LOCAL_LOAD,   HAUL_CLASS_SHARED_LOAD,
        HAUL_CLASS_SHARED_ATOMIC, HAUL_CLASS_TEXTURE,       HAUL_CLASS_SURFACE_LOAD, HAUL_CLASS_CONSTANT_LOAD};
    double sum = 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const haul_traffic *t = &r->classes[classes[i]];
        sum += fmax((double)t->instructions, (double)t->bytes / REGISTER_BYTES);
    }
    return sum;
}

/* Instructions of the load/store unit. */
static double lsu_instructions(const haul_launch_record *r, const sim_waits *w) {
    static const haul_counter kinds[] = {HAUL_COUNTER_INST_GLOBAL_LD,   HAUL_COUNTER_INST_GLOBAL_ST,
                                         HAUL_COUNTER_INST_GLOBAL_RED,  HAUL_COUNTER_INST_LOCAL_LD,
                                         HAUL_COUNTER_INST_LOCAL_ST,    HAUL_COUNTER_INST_SHARED_LD,
                                         HAUL_COUNTER_INST_SHARED_ST,   HAUL_COUNTER_INST_GLOBAL_ATOM,
                                         HAUL_COUNTER_INST_SHARED_ATOM, HAUL_COUNTER_INST_LDGSTS};
    double sum = w->lsu;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) sum += counter(r, kinds[i]);
    return sum;
}

/* The busiest of an SM's units but L1 and shared memory, as Nsight Compute's Compute (SM) takes it: cycles, on the
 * average of all SMs. Measured on an H200: a load of a constant occupies its cache and the address divergence unit for
 * two cycles, as other instructions of the latter do. Each scheduler's part of the registers gets one register of a
 * warp in a cycle. */
static double sm_cycles(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    enum { CYCLES = 2, BARRIER = 2 };
    const double units[] = {w->issued / SCHEDULERS,
                            scheduler_cycles(w) / SCHEDULERS,
                            CYCLES * (counter(r, HAUL_COUNTER_INST_LDC) + w->adu + BARRIER * w->barriers),
                            CYCLES * counter(r, HAUL_COUNTER_CONSTANT_REQUESTS),
                            lsu_instructions(r, w),
                            registers_written(r) / SCHEDULERS};
    double most = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) most = fmax(most, units[i]);
    return most / m->sms;
}

/* Cycles in which an SM's path to L2 is busy, summed over all SMs. Requests of reads take one, those of stores two,
 * and sectors that are written or updated a little more than one. */
static double path_cycles(const haul_launch_record *r) {
    static const double READ_REQUEST = 1, WRITE_REQUEST = 2, SENT_SECTOR = 1.1;
    return fmax(READ_REQUEST * counter(r, HAUL_COUNTER_L2_READ_REQUESTS),
                fmax(WRITE_REQUEST * counter(r, HAUL_COUNTER_L2_WRITE_REQUESTS), SENT_SECTOR * changed_sectors(r)));
}

/* Seconds in which L2 is busy: the most of those for data that it reads, writes and fetches, for requests, and for
 * updates by atomics, each in times of a sector at the machine's rate. */
static double l2_busy_seconds(const sim_machine *m, const haul_launch_record *r) {
    static const double READ = 0.52, WRITTEN = 1.75, FETCHED = 1.4, REQUEST = 1.75, UPDATED = 2.9;
    const double data = READ * counter(r, HAUL_COUNTER_L2_READ_SECTORS) +
                        WRITTEN * counter(r, HAUL_COUNTER_L2_WRITE_SECTORS) +
                        FETCHED * counter(r, HAUL_COUNTER_DRAM_READ_SECTORS);
    return fmax(data, fmax(REQUEST * l2_requests(r), UPDATED * updated_sectors(r))) * SECTOR / (m->l2_gbps * 1e9);
}

/* Shares of what the profiler calls the peak. What keeps L1 and L2 busy was read off its shares of 425 launches on an
 * H200 (tests/data/shares). */
static void find_shares(const sim_machine *m, const haul_launch_record *r, const sim_waits *w,
                        const double bounds[BOUNDS], double seconds, haul_estimate *e) {
    const spread s = spread_of(m, r, w);
    const double profiled = seconds + sim_around_seconds, l1 = fmax(bounds[L1], path_cycles(r) * s.busiest * s.seconds);
    e->memory_share = dram_sectors(r) * SECTOR / (m->memory_gbps * 1e9) / seconds;
    e->l2_share = fmin(1, l2_busy_seconds(m, r) / profiled);
    e->nvlink_read_share = peer_read_seconds(m, w) / seconds;
    e->nvlink_write_share = peer_write_seconds(m, w) / seconds;
    e->issue_share = fmin(1, w->slots * s.busiest * s.seconds / s.schedulers / profiled);
    e->l1_share = fmin(1, fmax(l1, fmax(bounds[TURNS], bounds[TEXTURES])) / seconds);
    e->sm_share = fmin(1, sm_cycles(m, r, w) * s.seconds / profiled);
}

/* Sums the states of a launch over its warps. `waits` are what warps wait on their own. Blocks that are dispatched too
 * slowly are not resident. */
static void find_states(const sim_machine *m, const haul_launch_record *r, const sim_waits *w, const spread *s,
                        const double bounds[BOUNDS], double load, double states[HAUL_STALL_COUNT]) {
    const double cycles = norm_of(bounds, s) / s->seconds;
    double waits[HAUL_STALL_COUNT] = {0}, waited = 0, sum = 0;
    sim_residence residence = {.warps = s->warps,
                               .sms = m->sms,
                               .at_once = s->resident * s->warps_of_block / SCHEDULERS,
                               .rounds = s->each / s->resident,
                               .launch_cycles = cycles,
                               .cycles = cycles * s->resident / s->each,
                               .dram_load = bounds[DRAM] / (cycles * s->seconds),
                               .unit_cycles = unit_cycles(w)};
    find_limits(bounds, residence.limits);
    find_waits(m, r, w, s, load, waits);
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) waited += waits[k];
    residence.memory = waits[HAUL_STALL_LONG_SCOREBOARD] / s->warps;
    residence.constant = waits[HAUL_STALL_IMC_MISS] / s->warps;
    residence.barriers = waits[HAUL_STALL_BARRIER] / s->warps;
    residence.releases = waits[HAUL_STALL_MEMBAR] / s->warps;
    sim_find_states(r, w, &residence, states);
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) sum += states[k];
    const double excess = fmax(0, s->warps * residence.cycles - waited);
    const double all = waited + excess * (1 - residence.limits[SIM_LIMIT_DISPATCH]);
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) states[k] *= all / sum;
}

haul_estimate sim_estimate(const sim_machine *m, const haul_launch_record *r, const sim_waits *w) {
    double bounds[BOUNDS], waited = 0;
    const spread s = spread_of(m, r, w);
    haul_estimate e = {.sm_mhz = 1e-6 / s.seconds, .memory_gbps = m->memory_gbps, .instructions = w->issued};
    const double load = find_bounds(m, r, w, bounds),
                 worked = norm_of(bounds, &s) / s.seconds; /* cycles without edges */
    const double seconds = worked * s.seconds + edge_seconds(r, w);
    if (worked <= 0) return e;
    e.cycles = seconds / s.seconds;
    find_shares(m, r, w, bounds, seconds, &e);
    find_states(m, r, w, &s, bounds, load, e.stalls);
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) waited += e.stalls[k];
    e.warps_per_sm = waited / worked / m->sms;
    return e;
}
