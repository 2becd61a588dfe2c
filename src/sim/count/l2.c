#include "sim/count/l2.h"

#include "base/memory.h"
#include "base/status.h"
#include "sim/count/match.h"

#include <string.h>

/* ---- the cache ---- */

enum { WAYS = 16, LINE_BYTES = 128, PARTITIONS = 2, SECTOR_BYTES = 32, LINE_SECTORS = 4, SET_BYTES = 128 };

_Static_assert(WAYS == (int)SIM_MATCH_ROW, "a set's tags are compared at once");

/* All zero is an empty set. Of each way there is a nibble, way 0's the lowest: of its sectors, or of its place in the
 * order. */
typedef struct l2_set {
    uint32_t tag[WAYS]; /* low part of the line's number in its slice, plus 1; 0 = free */
    uint64_t order;     /* the ways, the one used longest ago in the lowest nibble; as a difference from FIRST_ORDER */
    uint64_t valid, dirty;
    uint64_t whole;  /* nothing of the sector has to be read from memory any more: it was, or is all written */
    uint64_t partly; /* some bytes were written: l2_cover says how many */
    uint16_t last;   /* ways that persist, */
    uint16_t first;  /* that are given up first */
} __attribute__((aligned(SET_BYTES))) l2_set;

/* What both partitions have for the same lines. */
typedef struct l2_sets {
    l2_set of[PARTITIONS];
} l2_sets;

/* Bytes written of sectors that are not whole; of ways without a bit in `partly` it says nothing. */
typedef struct l2_cover {
    uint8_t bytes[PARTITIONS][WAYS][LINE_SECTORS];
} l2_cover;

/* Memory that all SMs write all over would need a set for each: beyond 2 MiB of them nothing is said about it. */
enum { MOST_SHARED_CHUNKS = 1 << 16 };

#define FIRST_ORDER 0xfedcba9876543210u

/* Requests that were made lately by a group of SMs: an equal one that comes soon shares its answer. */
enum { RECENT = 64, GROUPS = 32, GROUP_SMS = 6, RECENT_ROUNDS = 1 };
typedef struct recent_request {
    sim_log_entry entry;
    uint32_t round, sm;
} recent_request;

/* Sets lie too far apart for the host's nearest caches: requests wait by the part of the sets that they are for, until
 * there are so many that playing them pays for fetching that part. An entry has bit OTHER_PARTITION set when its SM
 * reads through partition 1. */
enum { PARTS = 16, PART_ENTRIES = 2048, OTHER_PARTITION = 1 << 15 };
typedef struct l2_waiting {
    uint32_t count[PARTS];
    sim_log_entry entries[PARTS][PART_ENTRIES];
} l2_waiting;

/* What is left of an SM's log for the slice. */
typedef struct l2_stream {
    const sim_log_entry *next, *end;
    uint32_t sm;
    uint32_t partition; /* that the SM reads through */
} l2_stream;

/* L2 is made of two partitions. A line belongs to one, where it is written and from where memory is asked; SMs read
 * through their own partition, which keeps a copy of what belongs to the other one. */
typedef struct l2_slice {
    void *memory; /* that the sets lie in */
    l2_sets *sets;
    l2_cover *covers;    /* likewise */
    uint32_t set_count;  /* of a partition */
    unsigned part_shift; /* the part of a set is its number without so many bits */
    uint32_t round;      /* of requests played */
    uint64_t reciprocal; /* of set_count, by 2^64 */
    unsigned persisting; /* ways of a set that may */
    sim_l2_counts counts;
    sim_l2_dirty dirty;
    sim_seen read;
    sim_seen written, written_by_more; /* each SM's writes, of lines that only one writes, and of others */
    recent_request recent[GROUPS][RECENT];
    l2_stream *streams; /* as many as the machine has SMs */
    l2_waiting *waiting;
} l2_slice;

struct sim_l2 {
    const sim_machine *machine;
    uint8_t fetched[1 << LINE_SECTORS]; /* by sectors that are asked of device memory: what it brings */
    l2_slice slices[SIM_SLICES];
};

static bool create_slice(l2_slice *slice, uint32_t sets, uint32_t sms) {
    slice->set_count = sets;
    while ((sets - 1) >> slice->part_shift >= PARTS) slice->part_shift++;
    slice->reciprocal = UINT64_MAX / sets;
    slice->memory = memory_zeroed(sets * sizeof(l2_sets) + SET_BYTES, 1);
    slice->covers = memory_alloc(sets * sizeof *slice->covers);
    slice->written_by_more.most = MOST_SHARED_CHUNKS;
    slice->streams = memory_alloc(sms * sizeof *slice->streams);
    slice->waiting = memory_alloc(sizeof *slice->waiting);
    if (!slice->memory || !slice->covers || !slice->streams || !slice->waiting) return false;
    memset(slice->waiting->count, 0, sizeof slice->waiting->count);
    slice->sets = (l2_sets *)(((uintptr_t)slice->memory + SET_BYTES - 1) / SET_BYTES * SET_BYTES);
    return true;
}

/* All sectors of the blocks that are fetched together and of which one is in `mask`. */
static uint8_t fetched_with(unsigned sectors, unsigned mask) {
    if (sectors >= LINE_SECTORS) return mask ? 15 : 0;
    if (sectors == 2) return (uint8_t)(((mask & 3) ? 3u : 0u) | ((mask & 12) ? 12u : 0u));
    return (uint8_t)mask;
}

static bool create_slices(sim_l2 *l2, const sim_machine *machine, uint32_t sets, int threads) {
    bool failed = false;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1) reduction(|| : failed)
    for (unsigned s = 0; s < SIM_SLICES; s++) failed = !create_slice(&l2->slices[s], sets, machine->sms) || failed;
    return !failed;
}

haul_status sim_l2_create(const sim_machine *machine, int threads, sim_l2 **out) {
    uint32_t sets = (uint32_t)(machine->l2_bytes / SIM_SLICES / PARTITIONS / LINE_BYTES / WAYS);
    sim_l2 *l2 = memory_zeroed(1, sizeof *l2);
    *out = NULL;
    if (!l2 || !create_slices(l2, machine, sets, threads)) {
        sim_l2_free(l2);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a model of L2 (%u sets)", sets);
    }
    l2->machine = machine;
    for (unsigned mask = 0; mask < 1u << LINE_SECTORS; mask++)
        l2->fetched[mask] = fetched_with(machine->l2_fetch_bytes / SECTOR_BYTES, mask);
    *out = l2;
    return HAUL_OK;
}

/* Set-asides are whole ways: one of 16 MiB out of 50 keeps 16 MiB. */
void sim_l2_set_aside(sim_l2 *l2, uint64_t bytes) {
    const uint64_t way = l2->machine->l2_bytes / WAYS;
    for (unsigned s = 0; s < SIM_SLICES; s++) l2->slices[s].persisting = (unsigned)((bytes + way - 1) / way);
}

void sim_l2_free(sim_l2 *l2) {
    if (!l2) return;
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        memory_free(l2->slices[s].memory);
        memory_free(l2->slices[s].covers);
        memory_free(l2->slices[s].streams);
        memory_free(l2->slices[s].waiting);
        sim_seen_free(&l2->slices[s].read);
        sim_seen_free(&l2->slices[s].written);
        sim_seen_free(&l2->slices[s].written_by_more);
    }
    memory_free(l2);
}

/* Quotient and remainder without a division: the quotient by the rounded reciprocal is right or one too small. */
static uint32_t set_of(const l2_slice *slice, uint64_t line) {
    __extension__ typedef unsigned __int128 product;
    const uint64_t home = line >> 6 << 5 | (line & 31), x = home ^ home >> 16;
    const uint64_t rest = x - (uint64_t)((product)x * slice->reciprocal >> 64) * slice->set_count;
    return (uint32_t)(rest >= slice->set_count ? rest - slice->set_count : rest);
}

static unsigned part_of(const l2_slice *slice, uint64_t line) {
    return set_of(slice, line) >> slice->part_shift;
}

/* A line's place in the slice. */
typedef struct l2_place {
    uint64_t line;
    l2_sets *sets;
    l2_cover *cover;
    sim_priority priority; /* of the access that it is for */
} l2_place;

static l2_place place_of(const l2_slice *slice, sim_log_entry entry) {
    const uint64_t line = sim_log_line(entry);
    const uint32_t set = set_of(slice, line);
    return (l2_place){line, &slice->sets[set], &slice->covers[set], sim_log_priority(entry)};
}

/* The partition that a line belongs to goes by chunks of 4 KiB: the parity of address bits 12, 13, 16, 17, 19 and 23.
 * So it was in all 4,096 chunks of 16 MiB of an H100, told by how long atomics take from either side; higher bits are
 * those of physical addresses. */
static unsigned home_of(uint64_t line) {
    return (unsigned)__builtin_parityll(line >> 5 & 0x8b3) % PARTITIONS;
}

/* The nibble of a way, and back in its place. */
static unsigned nibble(uint64_t nibbles, unsigned way) {
    return nibbles >> 4 * way & 15;
}

static uint64_t in_nibble(unsigned mask, unsigned way) {
    return (uint64_t)mask << 4 * way;
}

static unsigned count_bits(unsigned mask) {
    return (unsigned)__builtin_popcount(mask);
}

/* The line's way, or WAYS. */
static unsigned find_way(const l2_set *set, uint64_t line) {
    const uint32_t equal = sim_match(set->tag, (uint32_t)line + 1);
    return equal ? (unsigned)__builtin_ctz(equal) : WAYS;
}

/* The way becomes the latest used one: its nibble, the only one of its value, moves to the top. */
static void touch(l2_set *set, unsigned way) {
    const uint64_t ones = 0x1111111111111111u, order = set->order ^ FIRST_ORDER;
    const uint64_t other = order ^ ones * way;
    const unsigned at = (unsigned)__builtin_ctzll((other - ones) & ~other & 8 * ones) & ~3u;
    const uint64_t below = order & ((1ull << at) - 1), above = order >> at >> 4 << at;
    set->order = (below | above | (uint64_t)way << 60) ^ FIRST_ORDER;
}

static unsigned oldest_way(const l2_set *set) {
    return (unsigned)((set->order ^ FIRST_ORDER) & 15);
}

/* Of some ways, at least one. */
static unsigned oldest_of(const l2_set *set, unsigned ways) {
    uint64_t order = set->order ^ FIRST_ORDER;
    while (!(ways >> (order & 15) & 1)) order >>= 4;
    return (unsigned)(order & 15);
}

/* The way to give up: a free one, one that is to go first, one that does not persist. */
static unsigned choose_way(const l2_set *set) {
    if (!(set->first | set->last)) return oldest_way(set);
    const unsigned all = (1u << WAYS) - 1, free = sim_match(set->tag, 0), passing = all & ~(unsigned)set->last;
    if (free) return oldest_of(set, free);
    if (set->first) return oldest_of(set, set->first);
    return oldest_of(set, passing ? passing : all);
}

/* One more way persists: beyond what is set aside, the oldest of them no longer does. */
static void persist(const l2_slice *slice, l2_set *set, unsigned way) {
    if (!slice->persisting) return;
    set->first &= (uint16_t) ~(1u << way);
    if (set->last >> way & 1) return;
    if ((unsigned)__builtin_popcount(set->last) >= slice->persisting)
        set->last &= (uint16_t) ~(1u << oldest_of(set, set->last));
    set->last |= (uint16_t)(1u << way);
}

static void prioritise(const l2_slice *slice, l2_set *set, unsigned way, sim_priority priority) {
    const uint16_t kept = (uint16_t) ~(1u << way);
    switch (priority) {
    case SIM_PRIORITY_NORMAL: set->first &= kept; break;
    case SIM_PRIORITY_FIRST: set->last &= kept, set->first |= (uint16_t)~kept; break;
    case SIM_PRIORITY_LAST: persist(slice, set, way); break;
    case SIM_PRIORITY_DEMOTE: set->last &= kept, set->first &= kept; break;
    case SIM_PRIORITY_UNCHANGED: break;
    }
}

/* Writes a line back. A sector that was only partly written is first filled from memory. */
static void write_back(l2_slice *slice, const l2_place *at, unsigned partition, unsigned way) {
    const l2_set *set = &at->sets->of[partition];
    const unsigned dirty = nibble(set->dirty, way), whole = nibble(set->whole, way);
    slice->counts.dram_write_sectors += count_bits(dirty);
    slice->counts.dram_read_sectors += count_bits(dirty & ~whole);
    slice->counts.filled_sectors += count_bits(dirty & ~whole);
    slice->dirty.sectors -= count_bits(dirty);
    slice->dirty.partial -= count_bits(dirty & ~whole);
}

/* The oldest way becomes the latest. */
static unsigned take_oldest(l2_set *set) {
    const uint64_t order = set->order ^ FIRST_ORDER;
    set->order = (order >> 4 | order << 60) ^ FIRST_ORDER;
    return order & 15;
}

static unsigned take_chosen(l2_set *set) {
    const unsigned way = choose_way(set);
    touch(set, way);
    set->last &= (uint16_t) ~(1u << way), set->first &= (uint16_t) ~(1u << way);
    return way;
}

/* A way for a line that is not there: the latest one, with nothing in it. */
static unsigned replace_way(l2_slice *slice, const l2_place *at, unsigned partition) {
    l2_set *set = &at->sets->of[partition];
    const unsigned way = set->first | set->last ? take_chosen(set) : take_oldest(set);
    const uint64_t kept = ~in_nibble(15, way);
    if (set->dirty & ~kept) write_back(slice, at, partition, way);
    set->valid &= kept, set->dirty &= kept, set->whole &= kept, set->partly &= kept;
    set->tag[way] = (uint32_t)at->line + 1;
    return way;
}

/* The line's set and way in a partition, made if need be. What persists does so where it belongs; copies of it in the
 * other partition do not (measured: half of an H100's reads of a persisting range found it at once). */
static inline l2_set *use_line(l2_slice *slice, const l2_place *at, unsigned partition, unsigned *way) {
    l2_set *set = &at->sets->of[partition];
    *way = find_way(set, at->line);
    if (*way == WAYS)
        *way = replace_way(slice, at, partition);
    else
        touch(set, *way);
    if (at->priority != SIM_PRIORITY_NORMAL || set->first)
        prioritise(slice, set, *way,
                   at->priority == SIM_PRIORITY_LAST && partition != home_of(at->line) ? SIM_PRIORITY_NORMAL
                                                                                       : at->priority);
    return set;
}

/* ---- requests ---- */

static void forget_copy(const l2_place *at, unsigned partition, unsigned mask) {
    l2_set *set = &at->sets->of[partition];
    const unsigned way = find_way(set, at->line);
    if (way < WAYS) set->valid &= ~in_nibble(mask, way);
}

static sim_l2_dirty dirty_of(const l2_set *set, unsigned way) {
    const unsigned dirty = nibble(set->dirty, way);
    return (sim_l2_dirty){count_bits(dirty), count_bits(dirty & ~nibble(set->whole, way))};
}

/* Sectors that came from memory, to where some may have been written in part. */
static void fill_home(l2_slice *slice, l2_set *set, unsigned way, unsigned mask) {
    slice->dirty.partial -= count_bits(mask & nibble(set->dirty, way) & ~nibble(set->whole, way));
    slice->counts.dram_read_sectors += count_bits(mask);
    set->valid |= in_nibble(mask, way);
    set->whole |= in_nibble(mask, way);
}

/* Makes sure that the line's own partition has the sectors, asking memory for those that it has not. */
static void fetch_home(l2_slice *slice, const l2_place *at, unsigned mask) {
    unsigned way;
    l2_set *set = use_line(slice, at, home_of(at->line), &way);
    fill_home(slice, set, way, mask & ~nibble(set->whole, way));
}

/* A read of an SM on one side: what its partition lacks counts as missed, wherever it then comes from. So does a sector
 * of which only a part has been written. */
static void read_line(const sim_l2 *l2, l2_slice *slice, const l2_place *at, unsigned mask, unsigned partition) {
    unsigned way;
    l2_set *set = use_line(slice, at, partition, &way);
    const bool at_home = partition == home_of(at->line);
    const unsigned present = nibble(at_home ? set->valid & set->whole : set->valid, way),
                   fetched = l2->fetched[mask & ~present], missing = fetched & ~present;
    slice->counts.read_hits += count_bits(mask & present);
    slice->counts.read_misses += count_bits(fetched);
    if (!missing) return;
    if (at_home) {
        fill_home(slice, set, way, missing);
    } else {
        set->valid |= in_nibble(missing, way);
        fetch_home(slice, at, missing);
    }
}

/* Bytes of sectors of which not all are written. */
static void cover_partly(const l2_place *at, unsigned partition, unsigned way, unsigned mask, unsigned bytes) {
    l2_set *set = &at->sets->of[partition];
    uint8_t *covered = at->cover->bytes[partition][way];
    if (!nibble(set->partly, way)) memset(covered, 0, LINE_SECTORS);
    set->partly |= in_nibble(mask, way);
    for (unsigned s = 0; s < LINE_SECTORS; s++) {
        if (!(mask >> s & 1)) continue;
        const unsigned sum = covered[s] + bytes;
        covered[s] = (uint8_t)(sum < SECTOR_BYTES ? sum : SECTOR_BYTES);
        if (sum >= SECTOR_BYTES) set->whole |= in_nibble(1u << s, way);
    }
}

/* A write goes to the line's own partition; the other one forgets its copy. */
static void write_line(l2_slice *slice, const l2_place *at, unsigned mask, unsigned bytes) {
    unsigned way;
    const unsigned home = home_of(at->line);
    l2_set *set = use_line(slice, at, home, &way);
    const sim_l2_dirty before = dirty_of(set, way);
    set->valid |= in_nibble(mask, way);
    set->dirty |= in_nibble(mask, way);
    if (bytes >= SECTOR_BYTES)
        set->whole |= in_nibble(mask, way);
    else
        cover_partly(at, home, way, mask & ~nibble(set->whole, way), bytes);
    const sim_l2_dirty after = dirty_of(set, way);
    slice->dirty.sectors += after.sectors - before.sectors;
    slice->dirty.partial += after.partial - before.partial;
    forget_copy(at, 1 - home, mask);
}

/* An atomic needs the old value: the sector is read if L2 has not got it, and is dirty afterwards. */
static void update_line(const sim_l2 *l2, l2_slice *slice, const l2_place *at, unsigned mask) {
    fetch_home(slice, at, l2->fetched[mask]);
    write_line(slice, at, mask, SECTOR_BYTES);
}

/* Requests that SMs of a group make for the same sectors at about the same time reach L2 as one: hardware has a
 * coalescer before L2. Groups of six SMs (three pairs), and "the same time" as the same place in the SMs' logs, give
 * what an H100 counted for a tiled matrix product; sharing over longer distances, which an H100 shows at the start of a
 * kernel, is left out. */
static bool shares_answer(l2_slice *slice, sim_log_entry entry, uint32_t sm) {
    recent_request *r =
        &slice->recent[sm / GROUP_SMS % GROUPS][(sim_log_line(entry) ^ sim_log_line(entry) >> 6 ^ entry) % RECENT];
    bool recent = r->entry == entry && r->round != 0 && slice->round - r->round <= RECENT_ROUNDS;
    if (recent && r->sm != sm) return true;
    *r = (recent_request){entry, slice->round, sm};
    return false;
}

/* ---- playing ---- */

static void play_read(const sim_l2 *l2, l2_slice *slice, const l2_place *at, sim_log_entry entry) {
    const unsigned mask = sim_log_mask(entry);
    slice->counts.read_requests++;
    slice->counts.read_sectors += count_bits(mask);
    read_line(l2, slice, at, mask, entry & OTHER_PARTITION ? 1 : 0);
}

static void play(const sim_l2 *l2, l2_slice *slice, sim_log_entry entry) {
    const l2_place at = place_of(slice, entry);
    const unsigned mask = sim_log_mask(entry), sectors = count_bits(mask);
    switch (sim_log_kind_of(entry)) {
    case SIM_LOG_READ: play_read(l2, slice, &at, entry); break;
    case SIM_LOG_WRITE:
        slice->counts.write_requests++;
        slice->counts.write_sectors += sectors;
        write_line(slice, &at, mask, sim_log_bytes(entry));
        break;
    case SIM_LOG_REDUCTION:
        slice->counts.reduction_requests++;
        slice->counts.reduction_sectors += sectors;
        update_line(l2, slice, &at, mask);
        break;
    case SIM_LOG_ATOMIC:
        slice->counts.atomic_requests++;
        slice->counts.atomic_sectors += sectors;
        update_line(l2, slice, &at, mask);
        break;
    }
}

static void play_part(const sim_l2 *l2, l2_slice *slice, unsigned part) {
    l2_waiting *waiting = slice->waiting;
    for (uint32_t i = 0; i < waiting->count[part]; i++) play(l2, slice, waiting->entries[part][i]);
    waiting->count[part] = 0;
}

/* Requests for one set keep their order; what other sets are asked for makes no difference to it. */
static void put_aside(const sim_l2 *l2, l2_slice *slice, sim_log_entry entry) {
    const unsigned part = part_of(slice, sim_log_line(entry));
    uint32_t *count = &slice->waiting->count[part];
    slice->waiting->entries[part][*count] = entry;
    if (++*count == PART_ENTRIES) play_part(l2, slice, part);
}

/* The next request of an SM. */
static void take_request(const sim_l2 *l2, l2_slice *slice, l2_stream *stream) {
    enum { ENTRIES_AHEAD = 16 };
    const sim_log_entry entry = *stream->next++;
    __builtin_prefetch(stream->next + ENTRIES_AHEAD);
    if (sim_log_kind_of(entry) != SIM_LOG_READ) {
        put_aside(l2, slice, entry);
        return;
    }
    slice->counts.issued_sectors += count_bits(sim_log_mask(entry));
    if (!shares_answer(slice, entry, stream->sm))
        put_aside(l2, slice, entry | (stream->partition ? OTHER_PARTITION : 0));
}

/* The streams that go on, in the same order. */
static size_t drop_ended(l2_stream *streams, size_t count) {
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        if (streams[k].next < streams[k].end) streams[kept++] = streams[k];
    return kept;
}

/* Rounds in which every SM has a request. */
static size_t shortest(const l2_stream *streams, size_t count) {
    ptrdiff_t least = PTRDIFF_MAX;
    for (size_t k = 0; k < count; k++)
        if (streams[k].end - streams[k].next < least) least = streams[k].end - streams[k].next;
    return (size_t)least;
}

/* Neighbouring SMs sit on the same side of the L2; four runs of them, each other one on the other side, agree with the
 * misses that shared data cost on an H100. */
static size_t open_streams(const sim_l2 *l2, l2_slice *slice, unsigned s, sim_log *const *logs, size_t count) {
    size_t n = 0;
    for (uint32_t sm = 0; sm < count; sm++) {
        const sim_log_slice *log = logs[sm] ? &logs[sm]->slices[s] : NULL;
        if (!log || !log->count) continue;
        slice->streams[n++] =
            (l2_stream){log->entries, log->entries + log->count, sm, sm * 4 / l2->machine->sms % PARTITIONS};
    }
    return n;
}

/* What was read, and what each SM wrote, which counts for itself: only stores of one SM may be combined before they
 * come here. The order makes no difference, so that an SM's requests come in a row, which mostly are for neighbours. */
static void see_stream(l2_slice *slice, const l2_stream *stream) {
    for (const sim_log_entry *entry = stream->next; entry < stream->end; entry++) {
        const uint64_t line = sim_log_line(*entry);
        const unsigned mask = sim_log_mask(*entry);
        const sim_log_kind kind = sim_log_kind_of(*entry);
        if (kind == SIM_LOG_READ)
            sim_seen_add(&slice->read, line, mask);
        else if (kind == SIM_LOG_WRITE && !sim_seen_claim(&slice->written, line, mask, stream->sm + 1))
            sim_seen_add(&slice->written_by_more, line ^ (uint64_t)(stream->sm + 1) << 52, mask);
    }
}

void sim_l2_play(sim_l2 *l2, unsigned s, sim_log *const *logs, size_t count) {
    l2_slice *slice = &l2->slices[s];
    l2_stream *streams = slice->streams;
    size_t open = open_streams(l2, slice, s, logs, count);
    for (size_t k = 0; k < open; k++) see_stream(slice, &streams[k]);
    slice->round += RECENT_ROUNDS + 1; /* requests of different drains do not meet */
    for (; open; open = drop_ended(streams, open)) {
        for (size_t rounds = shortest(streams, open); rounds; rounds--) {
            slice->round++;
            for (size_t k = 0; k < open; k++) take_request(l2, slice, &streams[k]);
        }
    }
    for (unsigned part = 0; part < PARTS; part++) play_part(l2, slice, part);
}

/* Returns whether the set was complete. */
static bool add_touched(sim_seen_size *sum, const sim_seen *seen) {
    sum->sectors += seen->size.sectors;
    sum->lines += seen->size.lines;
    sum->pairs += seen->size.pairs;
    return !seen->overflowed;
}

void sim_l2_sum(const sim_l2 *l2, sim_l2_counts *counts, sim_l2_touched *touched) {
    enum { FIELDS = sizeof *counts / sizeof(uint64_t) };
    memset(counts, 0, sizeof *counts);
    *touched = (sim_l2_touched){.read_known = true, .written_known = true};
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        const l2_slice *slice = &l2->slices[s];
        for (unsigned f = 0; f < FIELDS; f++) ((uint64_t *)counts)[f] += ((const uint64_t *)&slice->counts)[f];
        touched->read_known &= add_touched(&touched->read, &slice->read);
        touched->written_known &= add_touched(&touched->written, &slice->written);
        touched->written_known &= add_touched(&touched->written, &slice->written_by_more);
    }
}

sim_l2_dirty sim_l2_measure_dirty(const sim_l2 *l2) {
    sim_l2_dirty sum = {0, 0};
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        sum.sectors += l2->slices[s].dirty.sectors;
        sum.partial += l2->slices[s].dirty.partial;
    }
    return sum;
}
