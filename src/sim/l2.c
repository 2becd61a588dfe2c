#include "sim/l2.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

/* ---- the cache ---- */

enum { WAYS = 16, LINE_BYTES = 128, PARTITIONS = 2, SECTOR_BYTES = 32, LINE_SECTORS = 4 };

typedef struct l2_set {
    uint32_t tag[WAYS];  /* low part of the line's number in its slice, plus 1; 0 = free */
    uint32_t used[WAYS]; /* when */
    uint8_t valid[WAYS], dirty[WAYS];
    uint8_t covered[WAYS][LINE_SECTORS]; /* bytes written of a sector that was not read from memory */
} l2_set;

/* Requests that were made lately by a group of SMs: an equal one that comes soon shares its answer. */
enum { RECENT = 64, GROUPS = 32, GROUP_SMS = 6, RECENT_ROUNDS = 1 };
typedef struct recent_request {
    sim_log_entry entry;
    uint64_t round;
    size_t sm;
} recent_request;

/* L2 is made of two partitions. A line belongs to one, where it is written and from where memory is asked; SMs read
 * through their own partition, which keeps a copy of what belongs to the other one. */
typedef struct l2_slice {
    l2_set *sets[PARTITIONS];
    uint32_t set_count; /* of a partition */
    uint32_t clock;
    uint64_t round; /* of requests played */
    sim_l2_counts counts;
    sim_seen read;
    recent_request recent[GROUPS][RECENT];
} l2_slice;

struct sim_l2 {
    const sim_machine *machine;
    unsigned fetch_sectors; /* what one read of device memory brings */
    l2_slice slices[SIM_SLICES];
};

haul_status sim_l2_create(const sim_machine *machine, sim_l2 **out) {
    uint32_t sets = (uint32_t)(machine->l2_bytes / SIM_SLICES / PARTITIONS / LINE_BYTES / WAYS);
    sim_l2 *l2 = memory_zeroed(1, sizeof *l2);
    *out = NULL;
    bool complete = l2 != NULL;
    for (unsigned s = 0; complete && s < SIM_SLICES; s++) {
        l2->slices[s].set_count = sets;
        for (unsigned p = 0; complete && p < PARTITIONS; p++) {
            l2->slices[s].sets[p] = memory_zeroed(sets, sizeof(l2_set));
            complete = l2->slices[s].sets[p] != NULL;
        }
    }
    if (!complete) {
        sim_l2_free(l2);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a model of L2 (%u sets)", sets);
    }
    l2->machine = machine;
    l2->fetch_sectors = machine->l2_fetch_bytes / SECTOR_BYTES;
    *out = l2;
    return HAUL_OK;
}

void sim_l2_free(sim_l2 *l2) {
    if (!l2) return;
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        for (unsigned p = 0; p < PARTITIONS; p++) memory_free(l2->slices[s].sets[p]);
        sim_seen_free(&l2->slices[s].read);
    }
    memory_free(l2);
}

static unsigned find_way(const l2_set *set, uint32_t tag) {
    unsigned way = 0;
    while (way < WAYS && set->tag[way] != tag) way++;
    return way;
}

static unsigned oldest_way(const l2_set *set) {
    unsigned oldest = 0;
    for (unsigned way = 1; way < WAYS; way++)
        if (set->used[way] < set->used[oldest]) oldest = way;
    return oldest;
}

/* Writes a line back. A sector that was only partly written is first filled from memory. */
static void evict(l2_slice *slice, l2_set *set, unsigned way) {
    for (unsigned s = 0; s < LINE_SECTORS; s++) {
        if (!(set->dirty[way] >> s & 1)) continue;
        slice->counts.dram_write_sectors++;
        if (set->covered[way][s] < SECTOR_BYTES) slice->counts.dram_read_sectors++;
    }
    set->valid[way] = set->dirty[way] = 0;
    memset(set->covered[way], 0, LINE_SECTORS);
}

/* The line's set and way in a partition, made if need be. */
static l2_set *use_line(l2_slice *slice, unsigned partition, uint64_t line, unsigned *way) {
    uint32_t tag = (uint32_t)line + 1;
    l2_set *set = &slice->sets[partition][(line ^ line >> 16) % slice->set_count];
    *way = find_way(set, tag);
    if (*way == WAYS) {
        *way = oldest_way(set);
        evict(slice, set, *way);
        set->tag[*way] = tag;
    }
    set->used[*way] = ++slice->clock;
    return set;
}

/* ---- requests ---- */

/* All sectors of the blocks that are fetched together and of which one is in `mask`. */
static unsigned widen(const sim_l2 *l2, unsigned mask) {
    if (l2->fetch_sectors >= LINE_SECTORS) return mask ? 15 : 0;
    if (l2->fetch_sectors == 2) return ((mask & 3) ? 3u : 0u) | ((mask & 12) ? 12u : 0u);
    return mask;
}

static unsigned count_bits(unsigned mask) {
    return (unsigned)__builtin_popcount(mask);
}

static void forget_copy(l2_slice *slice, unsigned partition, uint64_t line, unsigned mask) {
    l2_set *set = &slice->sets[partition][(line ^ line >> 16) % slice->set_count];
    unsigned way = find_way(set, (uint32_t)line + 1);
    if (way < WAYS) set->valid[way] = (uint8_t)(set->valid[way] & ~mask);
}

/* The partition that a line belongs to: chunks of 4 KiB in a mixed order. How hardware deals them is not known. */
static unsigned home_of(uint64_t line) {
    return (unsigned)__builtin_parityll(line >> 5 & 0x55d6b5) % PARTITIONS;
}

/* Makes sure that the line's own partition has the sectors, asking memory for those that it has not. */
static void fetch_home(l2_slice *slice, uint64_t line, unsigned mask) {
    unsigned way;
    l2_set *set = use_line(slice, home_of(line), line, &way);
    unsigned fetched = mask & ~set->valid[way];
    slice->counts.dram_read_sectors += count_bits(fetched);
    set->valid[way] = (uint8_t)(set->valid[way] | fetched);
    for (unsigned s = 0; s < LINE_SECTORS; s++)
        if (fetched >> s & 1) set->covered[way][s] = SECTOR_BYTES;
}

/* A read of an SM on one side: what its partition lacks counts as missed, wherever it then comes from. */
static void read_line(sim_l2 *l2, l2_slice *slice, uint64_t line, unsigned mask, unsigned partition) {
    unsigned way, home = home_of(line);
    l2_set *set = use_line(slice, partition, line, &way);
    unsigned present = set->valid[way], missing = widen(l2, mask & ~present) & ~present;
    slice->counts.read_hits += count_bits(mask & present);
    slice->counts.read_misses += count_bits(widen(l2, mask & ~present));
    if (!missing) return;
    if (partition != home) set->valid[way] = (uint8_t)(present | missing);
    fetch_home(slice, line, missing);
}

/* A write goes to the line's own partition; the other one forgets its copy. */
static void write_line(l2_slice *slice, uint64_t line, unsigned mask, unsigned bytes) {
    unsigned way, home = home_of(line);
    l2_set *set = use_line(slice, home, line, &way);
    set->valid[way] = (uint8_t)(set->valid[way] | mask);
    set->dirty[way] = (uint8_t)(set->dirty[way] | mask);
    for (unsigned s = 0; s < LINE_SECTORS; s++) {
        unsigned covered = set->covered[way][s] + ((mask >> s & 1) ? bytes : 0);
        set->covered[way][s] = (uint8_t)(covered < SECTOR_BYTES ? covered : SECTOR_BYTES);
    }
    forget_copy(slice, 1 - home, line, mask);
}

/* An atomic needs the old value: the sector is read if L2 has not got it, and is dirty afterwards. */
static void update_line(sim_l2 *l2, l2_slice *slice, uint64_t line, unsigned mask) {
    fetch_home(slice, line, widen(l2, mask));
    write_line(slice, line, mask, SECTOR_BYTES);
}

/* Requests that SMs of a group make for the same sectors at about the same time reach L2 as one: hardware has a
 * coalescer before L2. Groups of six SMs (three pairs), and "the same time" as the same place in the SMs' logs, give
 * what an H100 counted for a tiled matrix product; sharing over longer distances, which an H100 shows at the start of a
 * kernel, is left out. */
static bool shares_answer(l2_slice *slice, sim_log_entry entry, size_t sm) {
    recent_request *r = &slice->recent[sm / GROUP_SMS % GROUPS][(entry >> 12 ^ entry >> 18 ^ entry) % RECENT];
    bool recent = r->entry == entry && r->round != 0 && slice->round - r->round <= RECENT_ROUNDS;
    if (recent && r->sm != sm) return true;
    *r = (recent_request){entry, slice->round, sm};
    return false;
}

static void play_read(sim_l2 *l2, l2_slice *slice, sim_log_entry entry, size_t sm) {
    uint64_t line = entry >> 12;
    unsigned mask = entry & 15, sectors = count_bits(mask);
    slice->counts.issued_sectors += sectors;
    sim_seen_add(&slice->read, line, mask);
    if (shares_answer(slice, entry, sm)) return;
    slice->counts.read_requests++;
    slice->counts.read_sectors += sectors;
    /* neighbouring SMs sit on the same side of the L2; four runs of them, each other one on the other side, agree
     * with the misses that shared data cost on an H100 */
    read_line(l2, slice, line, mask, (unsigned)(sm * 4 / l2->machine->sms) % PARTITIONS);
}

static void play(sim_l2 *l2, l2_slice *slice, sim_log_entry entry, size_t sm) {
    uint64_t line = entry >> 12;
    unsigned mask = entry & 15, sectors = count_bits(mask);
    switch ((sim_log_kind)(entry >> 4 & 3)) {
    case SIM_LOG_READ: play_read(l2, slice, entry, sm); break;
    case SIM_LOG_WRITE:
        slice->counts.write_requests++;
        slice->counts.write_sectors += sectors;
        write_line(slice, line, mask, (unsigned)(entry >> 6 & 63));
        break;
    case SIM_LOG_REDUCTION:
        slice->counts.reduction_requests++;
        slice->counts.reduction_sectors += sectors;
        update_line(l2, slice, line, mask);
        break;
    case SIM_LOG_ATOMIC:
        slice->counts.atomic_requests++;
        slice->counts.atomic_sectors += sectors;
        update_line(l2, slice, line, mask);
        break;
    }
}

void sim_l2_play(sim_l2 *l2, unsigned s, sim_log *const *logs, size_t count) {
    l2_slice *slice = &l2->slices[s];
    slice->round += RECENT_ROUNDS + 1; /* requests of different drains do not meet */
    bool more = true;
    for (size_t at = 0; more; at++) {
        more = false;
        slice->round++;
        for (size_t sm = 0; sm < count; sm++) {
            if (!logs[sm] || logs[sm]->slices[s].count <= at) continue;
            play(l2, slice, logs[sm]->slices[s].entries[at], sm);
            more = true;
        }
    }
}

void sim_l2_sum(const sim_l2 *l2, sim_l2_counts *counts, sim_seen_size *read, bool *complete) {
    enum { FIELDS = sizeof *counts / sizeof(uint64_t) };
    memset(counts, 0, sizeof *counts);
    memset(read, 0, sizeof *read);
    *complete = true;
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        const l2_slice *slice = &l2->slices[s];
        for (unsigned f = 0; f < FIELDS; f++) ((uint64_t *)counts)[f] += ((const uint64_t *)&slice->counts)[f];
        sim_seen_size size = sim_seen_measure(&slice->read);
        read->sectors += size.sectors;
        read->lines += size.lines;
        read->pairs += size.pairs;
        if (slice->read.overflowed) *complete = false;
    }
}
