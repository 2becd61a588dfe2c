/* Replays requests into the model of L2. */
#include "count/l2_sets.h"
#include "count/vector_names.h"

#include <string.h>

/* Returns the line's set. Avoids a division: the quotient by the rounded reciprocal is right or one too small. */
static inline uint32_t set_of(const sim_l2_slice *slice, uint64_t line) {
    __extension__ typedef unsigned __int128 product;
    const uint64_t home = line >> 6 << 5 | (line & 31), x = home ^ home >> 16;
    const uint64_t rest = x - (uint64_t)((product)x * slice->reciprocal >> 64) * slice->set_count;
    return (uint32_t)(rest >= slice->set_count ? rest - slice->set_count : rest);
}

/* A line's place in the slice. */
typedef struct l2_place {
    uint64_t line;
    sim_l2_sets *sets;
    sim_priority priority; /* of the access */
} l2_place;

/* Returns the partition that a line belongs to. It changes by chunks of 4 KiB: the parity of address bits 12, 13, 16,
 * 17, 19 and 23. This held for all 4,096 chunks of 16 MiB of an H100, found by the time that atomics take from either
 * side. Higher bits are those of physical addresses. */
static inline unsigned home_of(uint64_t line) {
    return (unsigned)__builtin_parityll(line >> 5 & 0x8b3) % SIM_L2_PARTITIONS;
}

/* sectors(): the sectors of a way with one of its marks; marked(): the reverse. */
static inline unsigned sectors(unsigned state, unsigned mark) {
    return state >> mark & 15;
}

static inline uint16_t marked(unsigned mask, unsigned mark) {
    return (uint16_t)(mask << mark);
}

static inline unsigned count_bits(unsigned mask) {
    return (unsigned)__builtin_popcount(mask);
}

/* Returns a bit for the line's way, or 0. */
static inline uint32_t find_way(const sim_l2_set *set, uint64_t line) {
    return sim_match(set->tag, (uint32_t)line + 1);
}

static inline sim_l2_ages ages_of(const sim_l2_set *set) {
    return set->ages ^ SIM_L2_FIRST_AGES;
}

/* Makes the way the most recent one: those that were more recent become one older. */
static inline void touch(sim_l2_set *set, unsigned way) {
    const sim_l2_ages numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, ages = ages_of(set);
    const int8_t own = (int8_t)(((const int8_t *)&set->ages)[way] ^ (SIM_L2_WAYS - 1 - (int)way));
    const sim_l2_ages later = (sim_l2_ages)(ages < own), is_own = (sim_l2_ages)(numbers == (int8_t)way);
    set->ages = ((ages - later) & ~is_own) ^ SIM_L2_FIRST_AGES;
}

/* Returns a bit for the least recent way. */
static inline uint32_t oldest_way(const sim_l2_set *set) {
    const sim_l2_ages ages = ages_of(set);
    return sim_match_bytes((const int8_t *)&ages, SIM_L2_WAYS - 1);
}

/* Returns the least recent of `ways`, at least one. */
static unsigned oldest_of(const sim_l2_set *set, unsigned ways) {
    const sim_l2_ages ages = ages_of(set);
    unsigned oldest = (unsigned)__builtin_ctz(ways);
    for (unsigned left = ways; left; left &= left - 1)
        if (ages[__builtin_ctz(left)] > ages[oldest]) oldest = (unsigned)__builtin_ctz(left);
    return oldest;
}

/* Returns the way to evict: a free one, else one to be evicted first, else one that does not persist. */
static unsigned choose_victim(const sim_l2_set *set) {
    if (!(set->first | set->last)) return (unsigned)__builtin_ctz(oldest_way(set));
    const unsigned all = (1u << SIM_L2_WAYS) - 1, free = sim_match(set->tag, 0), passing = all & ~(unsigned)set->last;
    if (free) return oldest_of(set, free);
    if (set->first) return oldest_of(set, set->first);
    return oldest_of(set, passing ? passing : all);
}

/* Makes the way persist. If that exceeds the set-aside, the least recent persisting way becomes ordinary. */
static void persist(const sim_l2_slice *slice, sim_l2_set *set, unsigned way) {
    if (!slice->persisting) return;
    set->first &= (uint16_t) ~(1u << way);
    if (set->last >> way & 1) return;
    if ((unsigned)__builtin_popcount(set->last) >= slice->persisting)
        set->last &= (uint16_t) ~(1u << oldest_of(set, set->last));
    set->last |= (uint16_t)(1u << way);
}

/* Applies an access's priority to a way. */
static void prioritise(const sim_l2_slice *slice, sim_l2_set *set, unsigned way, sim_priority priority) {
    const uint16_t kept = (uint16_t) ~(1u << way);
    switch (priority) {
    case SIM_PRIORITY_NORMAL: set->first &= kept; break;
    case SIM_PRIORITY_FIRST: set->last &= kept, set->first |= (uint16_t)~kept; break;
    case SIM_PRIORITY_LAST: persist(slice, set, way); break;
    case SIM_PRIORITY_DEMOTE: set->last &= kept, set->first &= kept; break;
    case SIM_PRIORITY_UNCHANGED: break;
    }
}

/* Returns the sectors to be written back that must be filled from memory first. */
static inline unsigned filled_first(unsigned state) {
    return sectors(state, SIM_L2_DIRTY) & ~sectors(state, SIM_L2_WHOLE);
}

/* Writes a line back. Sectors that were written only in part are first filled from memory. */
static void write_back(sim_l2_slice *slice, unsigned state) {
    const unsigned dirty = count_bits(sectors(state, SIM_L2_DIRTY)), filled = count_bits(filled_first(state));
    slice->counts.dram_write_sectors += dirty;
    slice->counts.dram_read_sectors += filled;
    slice->counts.filled_sectors += filled;
    slice->dirty.sectors -= dirty;
    slice->dirty.partial -= filled;
}

/* A line persists only in the partition it belongs to, not as a copy in the other one. (Measured: half of an H100's
 * reads of a persisting range hit at once.) */
static void rank_way(const sim_l2_slice *slice, const l2_place *at, unsigned partition, unsigned way) {
    const bool passes = at->priority == SIM_PRIORITY_LAST && partition != home_of(at->line);
    prioritise(slice, &at->sets->of[partition], way, passes ? SIM_PRIORITY_NORMAL : at->priority);
}

static unsigned take_victim(sim_l2_set *set) {
    const unsigned way = choose_victim(set);
    set->last &= (uint16_t) ~(1u << way), set->first &= (uint16_t) ~(1u << way);
    return way;
}

/* Returns all bits of a state, or of ways, if `there` is 0; else none. */
static inline uint32_t if_not(uint32_t there) {
    return (there - 1) >> SIM_L2_WAYS;
}

/* As pick_way(), for sets whose lines differ in priority. */
static __attribute__((noinline)) unsigned pick_ranked_way(const sim_l2_slice *slice, const l2_place *at,
                                                          unsigned partition, uint32_t there) {
    sim_l2_set *set = &at->sets->of[partition];
    const unsigned way = there ? (unsigned)__builtin_ctz(there) : take_victim(set);
    touch(set, way);
    if (at->priority != SIM_PRIORITY_NORMAL || set->first) rank_way(slice, at, partition, way);
    return way;
}

/* Returns the line's way, or the way to evict for it, and makes it the most recent. */
static inline unsigned pick_way(const sim_l2_slice *slice, const l2_place *at, unsigned partition, uint32_t there) {
    sim_l2_set *set = &at->sets->of[partition];
    if (__builtin_expect(at->priority != SIM_PRIORITY_NORMAL || (set->first | set->last), 0))
        return pick_ranked_way(slice, at, partition, there);
    const unsigned way = (unsigned)__builtin_ctz(there | (oldest_way(set) & if_not(there)));
    touch(set, way);
    return way;
}

/* Returns the line's state in a partition; allocates the line if necessary. A hit is unpredictable, hence
 * branch-free. */
static inline uint16_t *use_line(sim_l2_slice *slice, const l2_place *at, unsigned partition) {
    sim_l2_set *set = &at->sets->of[partition];
    const uint32_t there = find_way(set, at->line);
    const unsigned way = pick_way(slice, at, partition, there);
    const unsigned before = set->state[way], given_up = before & if_not(there);
    if (given_up & marked(15, SIM_L2_DIRTY)) write_back(slice, given_up);
    set->state[way] = (uint16_t)(before ^ given_up);
    set->tag[way] = (uint32_t)at->line + 1;
    return &set->state[way];
}

/* ---- requests ---- */

/* Invalidates sectors in a partition's copy of the line. */
static inline void forget_copy(const l2_place *at, unsigned partition, unsigned mask) {
    sim_l2_set *set = &at->sets->of[partition];
    const uint32_t there = find_way(set, at->line);
    if (there) set->state[__builtin_ctz(there)] &= (uint16_t)~marked(mask, SIM_L2_VALID);
}

/* Adds sectors that came from memory; some may have been written in part. */
static inline void fill_home(sim_l2_slice *slice, uint16_t *state, unsigned mask) {
    slice->dirty.partial -= count_bits(mask & filled_first(*state));
    slice->counts.dram_read_sectors += count_bits(mask);
    *state |= marked(mask, SIM_L2_VALID) | marked(mask, SIM_L2_WHOLE);
}

/* Reads a line for an SM on one side. What the SM's partition lacks counts as a miss, wherever it is found then; so
 * does a partly written sector. What the line's own partition lacks too comes from memory. */
static inline void read_line(const sim_l2 *l2, sim_l2_slice *slice, const l2_place *at, unsigned mask,
                             unsigned partition) {
    const unsigned copied = 0u - (partition ^ home_of(at->line)); /* all bits if the SM reads through a copy */
    uint16_t *state = use_line(slice, at, partition);
    const unsigned present = sectors(*state, SIM_L2_VALID) & (sectors(*state, SIM_L2_WHOLE) | copied),
                   fetched = l2->fetched[mask & ~present];
    unsigned missing = fetched & ~present;
    slice->counts.read_hits += count_bits(mask & present);
    slice->counts.read_misses += count_bits(fetched);
    if (missing & copied) {
        *state |= marked(missing, SIM_L2_VALID);
        state = use_line(slice, at, 1 - partition);
        missing &= ~sectors(*state, SIM_L2_WHOLE);
    }
    fill_home(slice, state, missing);
}

/* Adds up the bytes of partly written sectors. */
static inline void cover_partly(uint16_t *state, uint8_t covered[SIM_L2_LINE_SECTORS], unsigned mask, unsigned bytes) {
    if (!sectors(*state, SIM_L2_PARTLY)) memset(covered, 0, SIM_L2_LINE_SECTORS);
    *state |= marked(mask, SIM_L2_PARTLY);
    for (; mask; mask &= mask - 1) {
        const unsigned s = (unsigned)__builtin_ctz(mask), sum = covered[s] + bytes;
        covered[s] = (uint8_t)(sum < SIM_L2_SECTOR_BYTES ? sum : SIM_L2_SECTOR_BYTES);
        *state |= marked((unsigned)(sum >= SIM_L2_SECTOR_BYTES) << s, SIM_L2_WHOLE);
    }
}

static inline uint8_t *cover_of(const sim_l2_slice *slice, const l2_place *at, unsigned partition,
                                const uint16_t *state) {
    return slice->covers[at->sets - slice->sets].bytes[partition][state - at->sets->of[partition].state];
}

/* Writes to `state`, the line's place in its own partition, and invalidates the copy in the other one. */
static inline void write_way(sim_l2_slice *slice, const l2_place *at, uint16_t *state, unsigned mask, unsigned bytes) {
    const unsigned home = home_of(at->line), before = *state, whole = sectors(before, SIM_L2_WHOLE);
    *state |= marked(mask, SIM_L2_VALID) | marked(mask, SIM_L2_DIRTY);
    if (bytes >= SIM_L2_SECTOR_BYTES)
        *state |= marked(mask, SIM_L2_WHOLE);
    else if (mask & ~whole)
        cover_partly(state, cover_of(slice, at, home, state), mask & ~whole, bytes);
    slice->dirty.sectors += count_bits(mask & ~sectors(before, SIM_L2_DIRTY));
    slice->dirty.partial += count_bits(filled_first(*state));
    slice->dirty.partial -= count_bits(filled_first(before));
    forget_copy(at, 1 - home, mask);
}

static inline void write_line(sim_l2_slice *slice, const l2_place *at, unsigned mask, unsigned bytes) {
    write_way(slice, at, use_line(slice, at, home_of(at->line)), mask, bytes);
}

/* An atomic needs the old value: reads the sector if L2 lacks it, and leaves it dirty. */
static inline void update_line(const sim_l2 *l2, sim_l2_slice *slice, const l2_place *at, unsigned mask) {
    uint16_t *state = use_line(slice, at, home_of(at->line));
    fill_home(slice, state, l2->fetched[mask] & ~sectors(*state, SIM_L2_WHOLE));
    write_way(slice, at, state, mask, SIM_L2_SECTOR_BYTES);
}

/* Equal requests of a group's SMs at about the same time reach L2 as one: hardware has a coalescer before L2. Groups of
 * six SMs (three pairs), and "the same time" as the same position in the SMs' logs, match an H100's counts for a tiled
 * matrix product. An H100 also shares over longer distances at the start of a kernel; the model leaves that out. */
static inline bool shares_answer(sim_l2_recent group[SIM_L2_RECENT], sim_log_entry entry, uint32_t sm, uint32_t round) {
    const uint64_t line = sim_log_line(entry);
    sim_l2_recent *r = &group[(line ^ line >> 6 ^ entry) % SIM_L2_RECENT];
    if (r->entry == entry && round - r->round <= SIM_L2_RECENT_ROUNDS && r->sm != sm) return true;
    *r = (sim_l2_recent){entry, round, sm};
    return false;
}

/* ---- replay ---- */

/* Returns the partition through which an entry's SM reads the line: always the line's own, if L2 has only one. (It is
 * then kept in two halves, and each line is in its half alone.) */
static inline unsigned side_of(const sim_l2 *l2, sim_log_entry entry, uint64_t line) {
    const unsigned home = home_of(line), side = entry / SIM_L2_OTHER_PARTITION % SIM_L2_PARTITIONS;
    return home ^ ((side ^ home) & l2->copies);
}

/* Replays one request. */
static inline void play(const sim_l2 *l2, sim_l2_slice *slice, sim_log_entry entry, uint32_t set) {
    const l2_place at = {sim_log_line(entry), &slice->sets[set], sim_log_priority(entry)};
    const unsigned mask = sim_log_mask(entry), asked = count_bits(mask);
    switch (sim_log_kind_of(entry)) {
    case SIM_LOG_READ:
        slice->counts.read_requests++;
        slice->counts.read_sectors += asked;
        read_line(l2, slice, &at, mask, side_of(l2, entry, at.line));
        break;
    case SIM_LOG_WRITE:
        slice->counts.write_requests++;
        slice->counts.write_sectors += asked;
        write_line(slice, &at, mask, sim_log_bytes(entry));
        break;
    case SIM_LOG_REDUCTION:
        slice->counts.reduction_requests++;
        slice->counts.reduction_sectors += asked;
        update_line(l2, slice, &at, mask);
        break;
    case SIM_LOG_ATOMIC:
        slice->counts.atomic_requests++;
        slice->counts.atomic_sectors += asked;
        update_line(l2, slice, &at, mask);
        break;
    }
}

/* Prefetches a set from the host's memory. */
static inline void fetch_set(const sim_l2_slice *slice, uint32_t set) {
    enum { HOST_LINE = 64 };
    const char *at = (const char *)&slice->sets[set];
    for (size_t k = 0; k < sizeof *slice->sets; k += HOST_LINE) __builtin_prefetch(at + k, 1);
}

/* Replays the queue of one part of the sets; prefetches a few sets ahead. */
static __attribute__((noinline)) void play_part(const sim_l2 *l2, sim_l2_slice *slice, sim_l2_waiting *waiting,
                                                unsigned part) {
    enum { SETS_AHEAD = 8 };
    const uint32_t count = waiting->count[part];
    if (count) slice->used_parts |= 1u << part;
    for (uint32_t i = 0; i < count; i++) {
        fetch_set(slice, waiting->set[part][i + SETS_AHEAD < count ? i + SETS_AHEAD : i]);
        play(l2, slice, waiting->entries[part][i], waiting->set[part][i]);
    }
    waiting->count[part] = 0;
}

/* Queues a request. Requests for one set keep their order; requests for other sets do not affect it. */
static inline void put_aside(const sim_l2 *l2, sim_l2_slice *slice, sim_l2_waiting *waiting, sim_log_entry entry) {
    const uint32_t set = set_of(slice, sim_log_line(entry)), part = set >> slice->part_shift;
    const uint32_t at = waiting->count[part]++;
    waiting->entries[part][at] = entry;
    waiting->set[part][at] = (uint16_t)set;
    if (at + 1 == SIM_L2_PART_ENTRIES) play_part(l2, slice, waiting, part);
}

/* Takes the next request of an SM. */
static inline void take_request(const sim_l2 *l2, sim_l2_slice *slice, sim_l2_waiting *waiting, sim_l2_stream *stream) {
    enum { ENTRIES_AHEAD = 16 };
    const sim_log_entry entry = *stream->next++;
    __builtin_prefetch(stream->next + ENTRIES_AHEAD);
    if (sim_log_kind_of(entry) != SIM_LOG_READ) {
        put_aside(l2, slice, waiting, entry);
        return;
    }
    slice->counts.issued_sectors += count_bits(sim_log_mask(entry));
    if (!shares_answer(stream->group, entry, stream->sm, slice->round))
        put_aside(l2, slice, waiting, entry | stream->partition);
}

/* Removes streams that have ended; keeps the order. */
static size_t drop_ended(sim_l2_stream *streams, size_t count) {
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        if (streams[k].next < streams[k].end) streams[kept++] = streams[k];
    return kept;
}

/* Returns the number of rounds in which every SM has a request. */
static size_t shortest(const sim_l2_stream *streams, size_t count) {
    ptrdiff_t least = PTRDIFF_MAX;
    for (size_t k = 0; k < count; k++)
        if (streams[k].end - streams[k].next < least) least = streams[k].end - streams[k].next;
    return (size_t)least;
}

/* Opens a stream for each SM. Adjacent SMs are on the same side of L2. Four runs of SMs, on alternating sides, match
 * the misses of shared data on an H100. */
static size_t open_streams(const sim_l2 *l2, sim_l2_slice *slice, unsigned s, sim_log *const *logs, size_t count) {
    size_t n = 0;
    for (uint32_t sm = 0; sm < count; sm++) {
        const sim_log_slice *log = logs[sm] ? &logs[sm]->slices[s] : NULL;
        if (!log || !log->count) continue;
        const uint32_t partition = sm * 4 / l2->machine->sms % SIM_L2_PARTITIONS;
        slice->streams[n++] = (sim_l2_stream){log->entries, log->entries + log->count,
                                              slice->recent[sm / SIM_L2_GROUP_SMS % SIM_L2_GROUPS], sm,
                                              partition * SIM_L2_OTHER_PARTITION};
    }
    return n;
}

/* Records what was read, and what each SM wrote: separately by SM, since only one SM's stores can be combined before
 * they get here. The order does not matter, so an SM's requests are taken in a row; most are for adjacent lines. */
static void record_stream(sim_l2_slice *slice, const sim_l2_stream *stream) {
    for (const sim_log_entry *entry = stream->next; entry < stream->end; entry++) {
        const uint64_t line = sim_log_line(*entry);
        const unsigned mask = sim_log_mask(*entry);
        const sim_log_kind kind = sim_log_kind_of(*entry);
        if (kind == SIM_LOG_READ)
            sim_sector_set_add(&slice->read, line, mask);
        else if (kind == SIM_LOG_WRITE && !sim_sector_set_claim(&slice->written, line, mask, stream->sm + 1))
            sim_sector_set_add(&slice->written_by_more, line ^ (uint64_t)(stream->sm + 1) << 52, mask);
    }
}

void SIM_L2_PLAY(sim_l2 *l2, unsigned s, sim_log *const *logs, size_t count) {
    sim_l2_slice *slice = &l2->slices[s];
    sim_l2_stream *streams = slice->streams;
    sim_l2_waiting waiting;
    memset(&waiting.count, 0, sizeof waiting.count);
    size_t open = open_streams(l2, slice, s, logs, count);
    for (size_t k = 0; k < open; k++) record_stream(slice, &streams[k]);
    slice->round += SIM_L2_RECENT_ROUNDS + 1; /* requests of different drains are not merged */
    for (; open; open = drop_ended(streams, open)) {
        for (size_t rounds = shortest(streams, open); rounds; rounds--) {
            slice->round++;
            for (size_t k = 0; k < open; k++) take_request(l2, slice, &waiting, &streams[k]);
        }
    }
    for (unsigned part = 0; part < SIM_L2_PARTS; part++) play_part(l2, slice, &waiting, part);
}
