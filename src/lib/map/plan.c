/* Plans how a map is cut into chunks. */
#include "base/number.h"
#include "base/status.h"
#include "lib/map/map.h"

#include <math.h>
#include <unistd.h>

enum { UNIT = 4096, RAMP_PARTS = 4, RAMP_LEAST_CHUNKS = 8 };
/* Six chunks at once keep both copy engines of an H100 busy throughout: with four, 1 GiB takes 1.18 times as long. */
enum { DEPTH = 6, THREADS = 4, SPARE_CORES = 2, MOST_THREADS = 16, MOST_GIVEN_THREADS = 1024 };
static const uint64_t host_budget = UINT64_C(1) << 30; /* for each of several devices half as much again */
static const uint64_t most_chunks = UINT64_C(1) << 30;

/* Larger chunks lengthen the start and end of a run, where engines idle; smaller ones add their fixed cost. The sum is
 * least at sqrt(bytes * cost * rate / 2) bytes a chunk, within bounds. Measured on an H100 over PCIe 5: 1 GiB takes
 * least with chunks of 16 MiB; through pinned memory, chunks of 8 MiB stay in the host's caches. If only one direction
 * of the link has work, its engine idles at neither end, so chunks are ONE_WAY times as large (two H200: 0.99 of plain
 * copies instead of 0.95). Still larger ones leave one of several devices without work at the end: 0.94. */
static const double CHUNK_COST_US = 10, LINK_BYTES_A_US = 55e3;
enum { LEAST_CHUNK = 256 << 10, MOST_CHUNK = 64 << 20, MOST_STAGED = 8 << 20, MOST_FILE = 32 << 20, ONE_WAY = 2 };

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- cost of an item ---- */

static uint64_t widest_item(const haul_mapper *m) {
    uint64_t in = 0;
    for (size_t i = 0; i < m->map.input_count; i++) in += m->inputs[i].what.item_bytes;
    return in > m->output.what.item_bytes ? in : m->output.what.item_bytes;
}

/* Bytes of device memory for each item. */
static uint64_t device_item(const haul_mapper *m) {
    uint64_t bytes = m->map.scratch_bytes + (m->map.in_place ? 0 : m->output.what.item_bytes);
    for (size_t i = 0; i < m->map.input_count; i++) bytes += m->inputs[i].what.item_bytes;
    return bytes;
}

/* Bytes of pinned memory of a slot. */
static uint64_t host_slot(const haul_mapper *m, uint64_t chunk) {
    const uint64_t total = m->map.before + chunk + m->map.after;
    uint64_t bytes = m->output.staged ? map_stage_bytes(&m->output, chunk) : 0;
    for (size_t i = 0; i < m->map.input_count; i++)
        if (m->inputs[i].staged) bytes += map_stage_bytes(&m->inputs[i], total);
    return bytes;
}

static uint64_t device_slot(const haul_mapper *m, uint64_t chunk) {
    return device_item(m) * (m->map.before + chunk + m->map.after);
}

/* ---- sizes ---- */

static uint64_t planned_chunk(const haul_mapper *m, uint64_t items) {
    const double width = (double)widest_item(m), bytes = (double)items * width / m->lane_count;
    const bool is_one_way = !m->output.what.item_bytes;
    double wanted = sqrt(bytes * CHUNK_COST_US * LINK_BYTES_A_US / 2) * (is_one_way ? ONE_WAY : 1);
    bool files = m->output.what.kind == HAUL_MAP_FILE;
    for (size_t i = 0; i < m->map.input_count; i++) files |= m->inputs[i].what.kind == HAUL_MAP_FILE;
    const double most = files ? MOST_FILE : m->fills || m->drains ? MOST_STAGED : MOST_CHUNK;
    wanted = fmin(fmax(wanted, LEAST_CHUNK), most);
    uint64_t chunk = (uint64_t)(wanted / width);
    if (chunk > UNIT) chunk = chunk / UNIT * UNIT;
    return chunk ? chunk : 1;
}

/* Sets the limits of a lane: the caller's, or half of the free memory of the device that has least, and a share of the
 * pinned memory. */
static haul_status budgets(const haul_mapper *m, uint64_t *device, uint64_t *host) {
    const uint64_t planned = host_budget + (m->lane_count - 1) * host_budget / 2;
    *host = (m->map.host_budget ? m->map.host_budget : planned) / m->lane_count;
    *device = m->map.device_budget ? m->map.device_budget : UINT64_MAX;
    for (unsigned i = 0; i < m->lane_count && !m->map.device_budget; i++) {
        uint64_t left = 0, total = 0;
        HAUL_TRY(haul_device_memory(m->lanes[i].device, &left, &total));
        *device = smaller(*device, left / 2);
    }
    return HAUL_OK;
}

static bool fits(const haul_mapper *m, const map_plan *p, uint64_t device, uint64_t host) {
    return device_slot(m, p->chunk) <= device / p->depth && host_slot(m, p->chunk) <= host / p->depth;
}

/* Planned chunks are at least as large as their halo on one side, so that at most three times the computed items are
 * read. */
static uint64_t least_chunk(const haul_mapper *m) {
    const uint64_t halo = larger(m->map.before, m->map.after);
    return halo ? halo : 1;
}

/* Says what a chunk needs, what the budgets are, and what would help. */
static haul_status does_not_fit(const haul_mapper *m, const map_plan *p, uint64_t device, uint64_t host) {
    char text[4][32];
    const uint64_t halo = m->map.before + m->map.after;
    return haul_fail(
        HAUL_ERROR_OUT_OF_MEMORY,
        "map: a chunk of %llu items with its halo of %llu needs %s on the device, of a budget of %s, and "
        "%s of pinned memory, of %s: give more%s",
        (unsigned long long)p->chunk, (unsigned long long)halo,
        number_format_bytes((double)device_slot(m, p->chunk), text[0]), number_format_bytes((double)device, text[1]),
        number_format_bytes((double)host_slot(m, p->chunk), text[2]), number_format_bytes((double)host, text[3]),
        m->map.chunk_items ? ", or smaller chunks"
        : halo             ? ", or a smaller halo"
                           : "");
}

/* A chunk size or depth from the caller stays; planned values are reduced. */
static haul_status fit(const haul_mapper *m, map_plan *p) {
    const uint64_t least = least_chunk(m);
    uint64_t device, host;
    HAUL_TRY(budgets(m, &device, &host));
    while (!fits(m, p, device, host)) {
        if (!m->map.chunk_items && p->chunk > least)
            p->chunk = larger(p->chunk > 2 * UNIT ? p->chunk / 2 / UNIT * UNIT : p->chunk / 2, least);
        else if (!m->map.depth && p->depth > 1)
            p->depth--;
        else
            return does_not_fit(m, p, device, host);
    }
    p->device_bytes = device_slot(m, p->chunk) * p->depth * p->lanes;
    p->host_bytes = host_slot(m, p->chunk) * p->depth * p->lanes;
    return HAUL_OK;
}

/* The cores limit copies through pinned memory: use nearly all of them, within bounds. Simulated time must not depend
 * on the machine that simulates. */
static unsigned planned_threads(const haul_mapper *m) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), most = MOST_THREADS * (long)m->lane_count;
    if (haul_device_is_virtual(m->device)) return THREADS * m->lane_count;
    if (cores < 2 * THREADS) return THREADS;
    return (unsigned)(cores - SPARE_CORES < most ? cores - SPARE_CORES : most);
}

/* ---- chunks ---- */

/* A run begins and ends with small chunks for each lane, because only one direction of the link has work then. */
static void cut(const haul_mapper *m, map_plan *p) {
    const uint64_t ramp = p->chunk / RAMP_PARTS / UNIT * UNIT;
    p->chunks = p->items / p->chunk + (p->items % p->chunk != 0);
    if (m->map.chunk_items || ramp == 0 || p->chunks < (uint64_t)RAMP_LEAST_CHUNKS * p->lanes) return;
    const uint64_t rest = p->items - 6 * ramp * p->lanes;
    p->ramp = ramp;
    p->middle = rest / p->chunk;
    p->chunks = 4 * p->lanes + p->middle + (rest % p->chunk != 0);
}

/* Where the k-th chunk of a ramp begins that rises: first chunks of `ramp` items, one for each lane, then of twice as
 * many. */
static uint64_t up(const map_plan *p, uint64_t k) {
    return k <= p->lanes ? k * p->ramp : p->lanes * p->ramp + (k - p->lanes) * 2 * p->ramp;
}

static uint64_t start_in_part(const map_plan *p, uint64_t k) {
    const uint64_t n = 2 * p->lanes;
    if (k == p->chunks) return p->items;
    if (!p->ramp) return k * p->chunk;
    if (k <= n) return up(p, k);
    if (k <= n + p->middle) return up(p, n) + (k - n) * p->chunk;
    return p->items - up(p, p->chunks - k);
}

/* With a ramp the chunks of a single lane have ramp, 2 ramp, chunk ..., rest, 2 ramp, ramp items. */
uint64_t map_chunk_start(const map_plan *p, uint64_t k) {
    return p->first + start_in_part(p, k);
}

/* Ranks take adjacent parts of equal size, which begin at multiples of UNIT if there is enough for all. */
static void choose_part(const haul_mapper *m, map_plan *p) {
    const unsigned rank = haul_ranks_rank(m->map.ranks), ranks = haul_ranks_count(m->map.ranks);
    const uint64_t items = m->map.items, unit = items / ranks >= UNIT ? UNIT : 1;
    const uint64_t units = items / unit, each = units / ranks, more = units % ranks;
    const uint64_t first = (each * rank + smaller(rank, more)) * unit;
    const uint64_t end = rank + 1 == ranks ? items : (each * (rank + 1) + smaller(rank + 1, more)) * unit;
    p->first = first;
    p->items = end - first;
}

static haul_status check_chunks(const map_plan *p) {
    if (p->chunks <= most_chunks) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "map: %llu chunks of %llu items: give larger chunks",
                     (unsigned long long)p->chunks, (unsigned long long)p->chunk);
}

haul_status map_make_plan(const haul_mapper *m, map_plan *p) {
    const bool staged = m->fills || m->drains;
    if (m->map.threads > MOST_GIVEN_THREADS)
        return haul_fail(HAUL_ERROR_ARGUMENT, "map: %u threads to copy with: give at most %d", m->map.threads,
                         MOST_GIVEN_THREADS);
    *p = (map_plan){.lanes = m->lane_count};
    choose_part(m, p);
    p->chunk = m->map.chunk_items ? m->map.chunk_items : larger(planned_chunk(m, p->items), least_chunk(m));
    p->chunk = smaller(p->chunk, p->items ? p->items : 1);
    p->depth = m->map.depth ? m->map.depth : DEPTH;
    p->threads = !staged ? 0 : m->map.threads ? m->map.threads : planned_threads(m);
    if (p->items == 0) return HAUL_OK;
    const uint64_t chunks = p->items / p->chunk + (p->items % p->chunk != 0);
    p->depth = (unsigned)smaller(p->depth, (chunks + p->lanes - 1) / p->lanes);
    HAUL_TRY(fit(m, p));
    cut(m, p);
    return check_chunks(p);
}
