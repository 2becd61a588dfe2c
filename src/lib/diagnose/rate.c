/* Room on an SM, Little's law, and the rate of transfers made one after the other. */
#include "base/status.h"
#include "lib/diagnose/diagnose.h"
#include "machine/occupancy.h"
#include "state/occupancy.h"
#include "time/estimate.h"

#include <math.h>
#include <string.h>

enum { SECTOR = 32, SCHEDULERS = 4, BARRIER_BYTES = 16, STAGE_ALIGNMENT = 128 };

/* Estimates: instructions that accompany each one that moves data (addresses, bounds, the loop). With a constant
 * descriptor the shape hardly matters; with a run-time one, pieces are found by divisions. The figures are means of
 * nvcc 13 over both engines, for accesses of 16 bytes; clang 14 needs up to twice as many. */
static const double INSTRUCTIONS_AROUND = 5;
static const double AROUND_SEQUENTIAL = 14, AROUND_STRIDED = 21, AROUND_INDIRECT = 13, AROUND_BOX = 41;
static const double CYCLES_PER_INSTRUCTION = 4; /* for a single warp */
/* Cycles between two bulk copies that an SM's engine starts: with this value, copies of HAUL_BULK_WORTH bytes just keep
 * an H100's memory busy. */
static const double COPY_CYCLES = 36;

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ---- room ---- */

static bool by_copies(unsigned engine) {
    return engine == HAUL_BY_BULK || engine == HAUL_BY_TENSOR;
}

/* Registers that the engine takes for a thread in addition to the kernel's: data in flight, addresses and counts. A
 * compiler that does not know how many loads are in flight reserves the maximum. */
static uint32_t registers_of(const diagnose_case *k) {
    enum { ADDRESSES = 10, COPY_ADDRESSES = 6, UNKNOWN_HELD = 32 };
    if (by_copies(k->engine)) return COPY_ADDRESSES;
    if (k->c.run_time && k->engine == HAUL_BY_LDG) return ADDRESSES + UNKNOWN_HELD;
    const uint32_t width = haul_piece_width(&k->t, 0), words = width < 4 ? 1 : width / 4;
    const bool holds = k->engine == HAUL_BY_LDG;
    return ADDRESSES + (holds ? haul_held(&k->t) * words : 0);
}

/* Returns the resource that limits the number of blocks; if several do, the one that is hardest to change. */
static const char *limit_of(const haul_occupancy *o, uint32_t resident) {
    if (resident < o->blocks_per_sm) return "grid";
    if (o->blocks_per_sm == o->limit_warps) return "warps";
    if (o->blocks_per_sm == o->limit_blocks) return "blocks";
    return o->blocks_per_sm == o->limit_shared ? "shared memory" : "registers";
}

/* Sets shared memory, registers and occupancy. Stages of a pipeline begin at multiples of 128 bytes. */
static haul_status find_room(const diagnose_case *k, haul_diagnosis *d) {
    const haul_circumstances *c = &k->c;
    const sim_machine *m = k->machine;
    const uint64_t span = diagnose_shared_span(&k->t),
                   stage = (span + STAGE_ALIGNMENT - 1) / STAGE_ALIGNMENT * STAGE_ALIGNMENT;
    const uint64_t buffers = (c->stages > 1 ? stage : span) * c->stages * c->teams;
    d->shared_bytes = (uint32_t)(buffers + (uint64_t)BARRIER_BYTES * c->stages * c->teams);
    d->registers = registers_of(k);
    uint32_t registers = d->registers + c->registers;
    if (registers > m->max_registers_per_thread) registers = m->max_registers_per_thread;
    sim_occupancy_of(m, registers, c->block_threads, d->shared_bytes + c->shared_bytes, &d->occupancy);
    const uint64_t share = c->blocks ? (c->blocks + m->sms - 1) / m->sms : UINT32_MAX;
    d->resident_blocks = (uint32_t)smaller(d->occupancy.blocks_per_sm, share);
    d->occupied_by = limit_of(&d->occupancy, d->resident_blocks);
    if (d->occupancy.blocks_per_sm) return HAUL_OK;
    return haul_fail(HAUL_ERROR_LIMIT,
                     "not even one block fits on an SM of %s, for its %s: %u bytes of shared memory, "
                     "%u registers for each of %u threads",
                     m->name, d->occupied_by, d->shared_bytes + c->shared_bytes, registers, c->block_threads);
}

/* ---- hits in L2 ---- */

/* Sixteenths of the hot bytes that persist: the granularity of a window's ratio. */
unsigned diagnose_persisting(const diagnose_case *k) {
    const uint64_t hot = k->c.hot_bytes, room = k->c.set_aside;
    const uint64_t sixteenths = hot ? room / ((hot + 15) / 16) : 0;
    return (unsigned)(sixteenths < 16 ? sixteenths : 16);
}

/* Data that SMs of both sides read is in L2 one and a half times on average. */
bool diagnose_fits_l2(const diagnose_case *k) {
    return (k->c.hot_bytes + k->c.between_bytes) / 2 * 3 <= k->machine->l2_bytes;
}

static void leave_out_hits(const diagnose_case *k, haul_diagnosis *d) {
    if (k->c.hot_bytes == 0 || k->c.direction != HAUL_DIRECTION_LOAD) return;
    const unsigned hits = diagnose_fits_l2(k) ? 16 : diagnose_persisting(k);
    d->memory_bytes = d->memory_bytes / 16 * (16 - hits);
}

/* ---- bytes in flight ---- */

/* For one team: bytes requested from an asynchronous engine, or held in registers by LDG. */
static double team_in_flight(const diagnose_case *k, const haul_diagnosis *d) {
    if (k->engine != HAUL_BY_LDG) return (double)d->bytes * k->c.stages;
    const double held = (double)d->team_threads * haul_held(&k->t) * d->width;
    return fmin((double)d->bytes, held);
}

/* The share of the bandwidth that `bytes` of traffic in flight on each SM sustain. A read's latency rises linearly with
 * the load from dram_latency_ns to loaded_latency_ns. So the share s solves: s * (idle + s * (loaded - idle)) is the
 * time that the bytes take at full rate. */
static double share_kept_up(const sim_machine *m, double bytes) {
    const double idle = m->dram_latency_ns, rise = m->loaded_latency_ns - idle;
    const double time = bytes * m->sms / m->memory_gbps;
    return (sqrt(idle * idle + 4 * rise * time) - idle) / (2 * rise);
}

static void apply_little(const diagnose_case *k, haul_diagnosis *d) {
    d->in_flight_bytes = (double)d->resident_blocks * k->c.teams * team_in_flight(k, d);
    d->needed_bytes = k->machine->loaded_latency_ns * k->machine->memory_gbps / k->machine->sms;
}

/* ---- bounds, in nanoseconds of one SM for one transfer ---- */

static double memory_ns(const diagnose_case *k, const haul_diagnosis *d, double share) {
    return (double)d->memory_bytes * k->machine->sms / (k->machine->memory_gbps * share);
}

/* Nobody waits for stores. */
static double latency_ns(const diagnose_case *k, const haul_diagnosis *d) {
    if (k->c.direction != HAUL_DIRECTION_LOAD || d->bytes == 0 || d->memory_bytes == 0) return 0;
    const double traffic = d->in_flight_bytes * (double)d->memory_bytes / (double)d->bytes;
    return memory_ns(k, d, share_kept_up(k->machine, traffic));
}

static double l2_ns(const diagnose_case *k, const haul_diagnosis *d) {
    return (double)d->fetched_sectors * SECTOR * k->machine->sms / k->machine->l2_gbps;
}

/* L1 and shared memory are one pipe: one wavefront a cycle, and at most a line's sectors. Bulk copies bypass it. */
static double l1_cycles(const haul_diagnosis *d) {
    const double sectors = by_copies(d->engine_id) ? 0 : (double)d->sectors;
    return fmax((double)d->tag_wavefronts, sectors / 4) + (double)d->shared_wavefronts +
           (double)(d->index.wavefronts + d->index.shared_wavefronts);
}

/* Issuing one copy, whatever the way to compute its arguments. */
static double instructions_around(const diagnose_case *k) {
    if (!k->c.run_time || by_copies(k->engine)) return INSTRUCTIONS_AROUND;
    if (k->t.shape == HAUL_SHAPE_BOX) return AROUND_BOX;
    if (k->t.shape == HAUL_SHAPE_INDIRECT) return AROUND_INDIRECT;
    return k->t.count == 1 ? AROUND_SEQUENTIAL : AROUND_STRIDED;
}

/* All warps' instructions through the schedulers. */
static double scheduler_cycles(const haul_diagnosis *d) {
    double instructions = 0;
    for (unsigned class = 0; class < HAUL_CLASS_COUNT; class ++) instructions += (double)d->classes[class].instructions;
    return instructions * (1 + d->instructions_around) / SCHEDULERS;
}

/* The maximum of that, the engine's time to start copies, and one thread's sequential instructions beside those of
 * other teams. */
static double issue_cycles(const diagnose_case *k, const haul_diagnosis *d) {
    const double copies =
        (double)(d->classes[HAUL_CLASS_BULK_LOAD].instructions + d->classes[HAUL_CLASS_BULK_STORE].instructions);
    const double alone = d->instructions_per_thread * (1 + d->instructions_around) * CYCLES_PER_INSTRUCTION;
    return fmax(fmax(scheduler_cycles(d), copies * COPY_CYCLES), alone / ((double)d->resident_blocks * k->c.teams));
}

const char *const haul_limit_names[HAUL_LIMITS] = {
    [HAUL_LIMIT_MEMORY] = "device memory",    [HAUL_LIMIT_LATENCY] = "bytes in flight", [HAUL_LIMIT_L2] = "L2",
    [HAUL_LIMIT_L1] = "L1 and shared memory", [HAUL_LIMIT_ISSUE] = "instructions",
};

static void estimate(const diagnose_case *k, haul_diagnosis *d) {
    const sim_machine *m = k->machine;
    const double ns_per_cycle = 1e9 / sim_loaded_clock(m);
    const double bounds[HAUL_LIMITS] = {
        [HAUL_LIMIT_MEMORY] = memory_ns(k, d, sim_dram_sustained),
        [HAUL_LIMIT_LATENCY] = latency_ns(k, d),
        [HAUL_LIMIT_L2] = l2_ns(k, d),
        [HAUL_LIMIT_L1] = l1_cycles(d) * ns_per_cycle,
        [HAUL_LIMIT_ISSUE] = issue_cycles(k, d) * ns_per_cycle,
    };
    for (unsigned i = 0; i < HAUL_LIMITS; i++)
        if (bounds[i] > d->ns) d->ns = bounds[i], d->limit = (haul_limit)i;
    d->sm_cycles = fmax(l1_cycles(d), scheduler_cycles(d));
    const double sms = k->c.blocks ? (double)smaller(k->c.blocks, m->sms) : m->sms;
    if (d->ns > 0) d->bytes_per_second = (double)d->bytes / d->ns * 1e9 * sms;
    d->share = d->bytes_per_second / (m->memory_gbps * 1e9 * sim_dram_sustained);
}

/* ---- the whole estimate ---- */

static const char *const engine_names[] = {
    [HAUL_BY_LDG] = "LDG", [HAUL_BY_LDGSTS] = "LDGSTS", [HAUL_BY_BULK] = "bulk copy", [HAUL_BY_TENSOR] = "tensor copy"};
static const char *const team_names[] = {
    [HAUL_TEAM_THREAD] = "thread", [HAUL_TEAM_WARP] = "warp", [HAUL_TEAM_WARPS] = "warps", [HAUL_TEAM_BLOCK] = "block"};

/* Chooses the engine and the team's size. */
static void settle(diagnose_case *k) {
    k->engine = haul_transfer_engine(&k->t, k->c.direction, k->machine->sm);
    switch (k->c.team) {
    case HAUL_TEAM_THREAD: k->team_threads = 1; break;
    case HAUL_TEAM_WARP: k->team_threads = 32; break;
    case HAUL_TEAM_WARPS: k->team_threads = k->t.threads ? k->t.threads : k->c.block_threads; break;
    case HAUL_TEAM_BLOCK: k->team_threads = k->c.block_threads; break;
    }
}

haul_status diagnose_examine(diagnose_case *k, haul_diagnosis *d) {
    settle(k);
    HAUL_TRY(diagnose_check(k));
    memset(d, 0, sizeof *d);
    d->machine = k->machine->name;
    d->engine_id = k->engine;
    d->engine = engine_names[k->engine];
    d->team = team_names[k->c.team];
    d->team_threads = k->team_threads;
    d->instructions_around = instructions_around(k);
    HAUL_TRY(find_room(k, d));
    HAUL_TRY(diagnose_count(k, d));
    leave_out_hits(k, d);
    apply_little(k, d);
    estimate(k, d);
    return HAUL_OK;
}
