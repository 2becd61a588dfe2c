/* Life cycle of the L2 model, its sums, and persisting lines. vector_l2.c replays the requests. */
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "count/l2_sets.h"
#include "count/vectors.h"

#include <stdatomic.h>
#include <string.h>

/* Allocates a slice; the sets are aligned to whole host cache lines. */
static bool create_slice(sim_l2_slice *slice, uint32_t sets, uint32_t sms) {
    slice->set_count = sets;
    while ((sets - 1) >> slice->part_shift >= SIM_L2_PARTS) slice->part_shift++;
    slice->reciprocal = UINT64_MAX / sets;
    slice->memory = memory_zeroed(sets * sizeof(sim_l2_sets) + SIM_L2_SET_BYTES, 1);
    slice->covers = memory_alloc(sets * sizeof *slice->covers);
    slice->written_by_more.most = SIM_L2_MOST_SHARED_CHUNKS;
    slice->streams = memory_alloc(sms * sizeof *slice->streams);
    if (!slice->memory || !slice->covers || !slice->streams) return false;
    slice->sets =
        (sim_l2_sets *)(((uintptr_t)slice->memory + SIM_L2_SET_BYTES - 1) / SIM_L2_SET_BYTES * SIM_L2_SET_BYTES);
    return true;
}

/* Returns all sectors of the blocks that are fetched as a whole and have a sector in `mask`. */
static uint8_t fetched_with(unsigned sectors, unsigned mask) {
    if (sectors >= SIM_L2_LINE_SECTORS) return mask ? 15 : 0;
    if (sectors == 2) return (uint8_t)(((mask & 3) ? 3u : 0u) | ((mask & 12) ? 12u : 0u));
    return (uint8_t)mask;
}

typedef struct slices_wanted {
    sim_l2 *l2;
    uint32_t sets, sms;
    atomic_bool failed;
} slices_wanted;

static void create_one_slice(void *context, size_t slice, unsigned worker) {
    slices_wanted *w = context;
    (void)worker;
    if (!create_slice(&w->l2->slices[slice], w->sets, w->sms)) atomic_store(&w->failed, true);
}

/* Allocates all slices. Host threads share the clearing of their memory. */
static bool create_slices(sim_l2 *l2, const sim_machine *machine, uint32_t sets, int threads) {
    slices_wanted w = {.l2 = l2, .sets = sets, .sms = machine->sms};
    pool_for(SIM_SLICES, (unsigned)threads, create_one_slice, &w);
    return !w.failed;
}

static void set_fetched(sim_l2 *l2) {
    for (unsigned mask = 0; mask < 1u << SIM_L2_LINE_SECTORS; mask++)
        l2->fetched[mask] = fetched_with(l2->machine->l2_fetch_bytes / SIM_L2_SECTOR_BYTES, mask);
}

haul_status sim_l2_create(const sim_machine *machine, int threads, sim_l2 **out) {
    uint32_t sets = (uint32_t)(machine->l2_bytes / SIM_SLICES / SIM_L2_PARTITIONS / SIM_L2_LINE_BYTES / SIM_L2_WAYS);
    sim_l2 *l2 = memory_zeroed(1, sizeof *l2);
    *out = NULL;
    if (sets > UINT16_MAX) {
        sim_l2_free(l2);
        return haul_fail(HAUL_ERROR_LIMIT, "virtual GPU: an L2 of %llu bytes is beyond the model",
                         (unsigned long long)machine->l2_bytes);
    }
    if (!l2 || !create_slices(l2, machine, sets, threads)) {
        sim_l2_free(l2);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a model of L2 (%u sets)", sets);
    }
    l2->machine = machine;
    l2->copies = machine->l2_partitions > 1;
    set_fetched(l2);
    *out = l2;
    return HAUL_OK;
}

const sim_machine *sim_l2_machine(const sim_l2 *l2) {
    return l2->machine;
}

/* Resets what is counted per launch; lines and their state stay. */
static void begin_slice(sim_l2_slice *slice) {
    slice->counts = (sim_l2_counts){0};
    slice->dirty_before = slice->dirty;
    sim_sector_set_free(&slice->read);
    sim_sector_set_free(&slice->written);
    sim_sector_set_free(&slice->written_by_more);
    slice->read = slice->written = (sim_sector_set){0};
    slice->written_by_more = (sim_sector_set){.most = SIM_L2_MOST_SHARED_CHUNKS};
    if (slice->round) memset(slice->recent, 0, sizeof slice->recent);
    slice->round = 0;
}

void sim_l2_begin_launch(sim_l2 *l2) {
    l2->warm = true;
    set_fetched(l2);
    for (unsigned s = 0; s < SIM_SLICES; s++) begin_slice(&l2->slices[s]);
}

/* Clears the parts of the sets that have been used, which are few after a small launch. */
static void empty_slice(sim_l2_slice *slice) {
    for (uint32_t left = slice->used_parts; left; left &= left - 1) {
        const uint32_t first = (uint32_t)__builtin_ctz(left) << slice->part_shift, size = 1u << slice->part_shift;
        const uint32_t behind = slice->set_count - first;
        memset(&slice->sets[first], 0, (size < behind ? size : behind) * sizeof *slice->sets);
    }
    slice->used_parts = 0;
    slice->persisting = 0;
    slice->dirty = (sim_l2_dirty){0};
    begin_slice(slice);
}

void sim_l2_empty(sim_l2 *l2) {
    l2->warm = false;
    set_fetched(l2);
    for (unsigned s = 0; s < SIM_SLICES; s++) empty_slice(&l2->slices[s]);
}

void sim_l2_reset_persisting(sim_l2 *l2) {
    for (unsigned s = 0; s < SIM_SLICES; s++)
        for (uint32_t set = 0; set < l2->slices[s].set_count; set++)
            for (unsigned p = 0; p < SIM_L2_PARTITIONS; p++) l2->slices[s].sets[set].of[p].last = 0;
}

/* Set-asides are whole ways: a set-aside of 16 MiB out of 50 keeps 16 MiB. */
void sim_l2_set_aside(sim_l2 *l2, uint64_t bytes) {
    const uint64_t way = l2->machine->l2_bytes / SIM_L2_WAYS;
    const unsigned ways = (unsigned)((bytes + way - 1) / way);
    if (ways < l2->slices[0].persisting) sim_l2_reset_persisting(l2);
    for (unsigned s = 0; s < SIM_SLICES; s++) l2->slices[s].persisting = ways;
}

void sim_l2_free(sim_l2 *l2) {
    if (!l2) return;
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        memory_free(l2->slices[s].memory);
        memory_free(l2->slices[s].covers);
        memory_free(l2->slices[s].streams);
        sim_sector_set_free(&l2->slices[s].read);
        sim_sector_set_free(&l2->slices[s].written);
        sim_sector_set_free(&l2->slices[s].written_by_more);
    }
    memory_free(l2);
}

void sim_l2_play(sim_l2 *l2, unsigned slice, sim_log *const *logs, size_t count) {
    sim_vectors_best()->l2_play(l2, slice, logs, count);
}

/* Returns whether the set was complete. */
static bool add_touched(sim_sector_set_size *sum, const sim_sector_set *seen) {
    const sim_sector_set_size size = sim_sector_set_measure(seen);
    sum->sectors += size.sectors;
    sum->lines += size.lines;
    sum->pairs += size.pairs;
    return !seen->overflowed;
}

/* Sums the sectors that the launch touched, over the slices. */
static void sum_touched(const sim_l2 *l2, sim_l2_touched *touched) {
    *touched = (sim_l2_touched){.read_known = true, .written_known = true, .warm = l2->warm};
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        const sim_l2_slice *slice = &l2->slices[s];
        touched->read_known &= add_touched(&touched->read, &slice->read);
        touched->written_known &= add_touched(&touched->written, &slice->written);
        touched->written_known &= add_touched(&touched->written, &slice->written_by_more);
    }
}

void sim_l2_sum(const sim_l2 *l2, sim_l2_counts *counts, sim_l2_touched *touched) {
    enum { FIELDS = sizeof *counts / sizeof(uint64_t) };
    memset(counts, 0, sizeof *counts);
    for (unsigned s = 0; s < SIM_SLICES; s++)
        for (unsigned f = 0; f < FIELDS; f++) ((uint64_t *)counts)[f] += ((const uint64_t *)&l2->slices[s].counts)[f];
    if (touched) sum_touched(l2, touched);
}

/* Lines that were dirty before may have been written back since; that is subtracted from the launch's own. */
static uint64_t since(uint64_t now, uint64_t before) {
    return now > before ? now - before : 0;
}

sim_l2_dirty sim_l2_measure_dirty(const sim_l2 *l2) {
    sim_l2_dirty sum = {0, 0};
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        sum.sectors += since(l2->slices[s].dirty.sectors, l2->slices[s].dirty_before.sectors);
        sum.partial += since(l2->slices[s].dirty.partial, l2->slices[s].dirty_before.partial);
    }
    return sum;
}
