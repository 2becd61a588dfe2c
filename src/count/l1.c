#include "count/l1.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Tags: four banks of 128 sets of 4 ways. Data: each bank has a quarter of what shared memory leaves, less SPARE lines,
 * and its sets share it. All of this was measured on an H100, access by access (docs/memory-model.md). */
enum { BANKS = 4, SETS = 128, WAYS = 4, LINE_BYTES = 128, SPARE = 15 };

/* Up to this many lines of a set that were hit are protected from eviction. */
enum { PROTECTED_WAYS = 2 };

/* Distance from one set that gives up a line for lack of data memory to the next one. The order in hardware is not
 * known, except that it visits all sets and is not a plain count. */
enum { SWEEP_STEP = 45 };

/* A set's lines in the order in which they are kept: first the protected ones, each group most recent first. Tags are
 * the low half of the line number: lines 512 GiB apart look alike, but no device has them. */
typedef uint32_t l1_tags __attribute__((vector_size(WAYS * sizeof(uint32_t))));
typedef struct l1_set {
    l1_tags tag;
    uint32_t valid; /* sectors: a byte for each line */
    uint8_t count, protected;
} l1_set;

struct sim_l1 {
    uint32_t room; /* lines for which a bank has data memory */
    uint32_t held[BANKS];
    uint32_t sweep[BANKS]; /* the set that gave up a line last */
    l1_set set[SETS * BANKS];
};

/* Returns the lines that a bank has data memory for. */
static uint32_t room_of(uint32_t bytes) {
    const uint32_t lines = bytes / LINE_BYTES / BANKS;
    return lines > SPARE ? lines - SPARE : lines;
}

haul_status sim_l1_create(uint32_t bytes, sim_l1 **l1) {
    *l1 = memory_zeroed(1, sizeof **l1);
    if (!*l1)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a model of L1 (%zu bytes)", sizeof **l1);
    (*l1)->room = room_of(bytes);
    return HAUL_OK;
}

void sim_l1_free(sim_l1 *l1) {
    memory_free(l1);
}

void sim_l1_renew(sim_l1 *l1, uint32_t bytes) {
    *l1 = (sim_l1){.room = room_of(bytes)};
}

uint32_t sim_l1_size(void) {
    return sizeof(sim_l1);
}

/* Tables over all values of a byte: the XOR of one value for each bit that is set. */
#define XOR1(x, a) (x), (x) ^ (a)
#define XOR2(x, a, b) XOR1(x, a), XOR1((x) ^ (b), a)
#define XOR3(x, a, b, c) XOR2(x, a, b), XOR2((x) ^ (c), a, b)
#define XOR4(x, a, b, c, d) XOR3(x, a, b, c), XOR3((x) ^ (d), a, b, c)
#define XOR5(x, a, b, c, d, e) XOR4(x, a, b, c, d), XOR4((x) ^ (e), a, b, c, d)
#define XOR6(x, a, b, c, d, e, f) XOR5(x, a, b, c, d, e), XOR5((x) ^ (f), a, b, c, d, e)
#define XOR7(x, a, b, c, d, e, f, g) XOR6(x, a, b, c, d, e, f), XOR6((x) ^ (g), a, b, c, d, e, f)
#define XOR8(a, b, c, d, e, f, g, h) XOR7(0, a, b, c, d, e, f, g), XOR7(h, a, b, c, d, e, f, g)

/* Returns a line's set, over all banks; its low two bits are the bank (sim_tag_bank()). Each bit set in the line number
 * changes it by a value of its own, solved from about 2,500 lines that evict one another. For the last two bits only
 * the sum is known, for higher ones (256 GB and more) nothing. */
static uint32_t set_of(uint32_t line) {
    static const uint16_t low[256] = {XOR8(0x001, 0x002, 0x005, 0x00a, 0x013, 0x021, 0x042, 0x083)};
    static const uint16_t second[256] = {XOR8(0x102, 0x071, 0x01a, 0x175, 0x14b, 0x039, 0x1e3, 0x1de)};
    static const uint16_t third[256] = {XOR8(0x0ed, 0x197, 0x08d, 0x1af, 0x0f6, 0x12f, 0x081, 0x0f3)};
    static const uint16_t high[128] = {XOR7(0, 0x115, 0x1fe, 0x15f, 0x13e, 0x1e9, 0x003, 0x0fd)};
    return low[line & 255] ^ second[line >> 8 & 255] ^ third[line >> 16 & 255] ^ high[line >> 24 & 127];
}

/* Returns a bit for each tag that is equal. */
static inline uint32_t match_tags(l1_tags tags, uint32_t tag) {
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32((__m128i)tags, _mm_set1_epi32((int)tag))));
#else
    uint32_t equal = 0;
    for (unsigned k = 0; k < WAYS; k++) equal |= (uint32_t)(tags[k] == tag) << k;
    return equal;
#endif
}

/* Returns a bit for the line's place in its set; 0: it is not cached. */
static inline uint32_t find_way(const l1_set *set, uint32_t tag) {
    return match_tags(set->tag, tag) & ((1u << set->count) - 1);
}

/* Returns a mask of the lower `count` bytes. */
static inline uint64_t low_bytes(uint32_t count) {
    return (1ull << 8 * count) - 1;
}

/* Puts a line at `to` and moves those from there to `from` - 1 on by one; the line at `from` is overwritten. The place
 * is unpredictable, hence branch-free. */
static inline void put_way(l1_set *set, uint32_t to, uint32_t from, uint32_t tag, uint32_t sectors) {
    const l1_tags number = {0, 1, 2, 3}, kept = set->tag, before = {0, kept[0], kept[1], kept[2]};
    const l1_tags moves = (l1_tags)(number > to) & (l1_tags)(number <= from), here = (l1_tags)(number == to);
    set->tag = (kept & ~(moves | here)) | (before & moves) | (tag & here);
    const uint64_t touched = low_bytes(from + 1) & ~low_bytes(to), valid = set->valid;
    set->valid =
        (uint32_t)((valid & ~touched) | (valid << 8 & touched & ~low_bytes(to + 1)) | (uint64_t)sectors << 8 * to);
}

static inline uint32_t sectors_at(const l1_set *set, uint32_t way) {
    return set->valid >> 8 * way & 0xff;
}

/* Makes a line that was hit the first protected one. If there are too many, the last protected one becomes the first of
 * the others. */
static inline void use_again(l1_set *set, uint32_t way, uint32_t tag, uint32_t sectors) {
    if (way >= set->protected && set->protected < PROTECTED_WAYS) set->protected ++;
    put_way(set, 0, way, tag, sectors);
}

/* Evicts the set's last line. */
static inline void evict_line(l1_set *set) {
    set->count--;
    set->protected = set->protected < set->count ? set->protected : set->count;
}

/* Returns the next set in turn that has lines. */
static inline uint32_t next_to_evict(const sim_l1 *l1, uint32_t bank) {
    uint32_t at = l1->sweep[bank];
    do at = (at + SWEEP_STEP) % SETS;
    while (!l1->set[at * BANKS + bank].count);
    return at;
}

/* Makes room for one more line: a full set evicts its own last one; if the bank has no data memory left, the next set
 * in turn does. Which of the two applies is unpredictable, so both are computed. */
static inline void make_room(sim_l1 *l1, uint32_t number) {
    const uint32_t bank = number % BANKS;
    const bool is_full = l1->set[number].count == WAYS;
    if (l1->held[bank] < l1->room) {
        if (is_full)
            evict_line(&l1->set[number]);
        else
            l1->held[bank]++;
        return;
    }
    const uint32_t next = next_to_evict(l1, bank), own = 0u - (uint32_t)is_full, before = l1->sweep[bank];
    l1->sweep[bank] = (before & own) | (next & ~own);
    evict_line(&l1->set[(number & own) | ((next * BANKS + bank) & ~own)]);
}

/* Inserts a line after the protected ones. */
static inline void allocate_line(sim_l1 *l1, uint32_t number, uint32_t tag, uint32_t sectors) {
    l1_set *set = &l1->set[number];
    make_room(l1, number);
    put_way(set, set->protected, set->count, tag, sectors);
    set->count++;
}

/* Loads sectors of a line in the given set; allocates the line if it misses. */
static inline unsigned load(sim_l1 *l1, uint64_t line, uint32_t number, unsigned mask) {
    const uint32_t tag = (uint32_t)line;
    l1_set *set = &l1->set[number];
    const uint32_t there = find_way(set, tag);
    if (!there) {
        allocate_line(l1, number, tag, mask);
        return 0;
    }
    const uint32_t way = (uint32_t)__builtin_ctz(there), found = sectors_at(set, way);
    use_again(set, way, tag, found | mask);
    return found & mask;
}

unsigned sim_l1_load(sim_l1 *l1, uint64_t line, unsigned mask) {
    return l1->room ? load(l1, line, set_of((uint32_t)line), mask) : 0;
}

/* Finds the lines' sets and prefetches them. */
static void find_sets(const sim_l1 *l1, const sim_lines *lines, uint16_t sets[SIM_LANES]) {
    for (uint32_t i = 0; i < lines->count; i++) {
        sets[i] = (uint16_t)set_of((uint32_t)lines->line[i]);
        __builtin_prefetch(&l1->set[sets[i]], 1);
    }
}

uint32_t sim_l1_load_lines(sim_l1 *l1, const sim_lines *lines, uint8_t missing[SIM_LANES]) {
    uint16_t sets[SIM_LANES];
    uint32_t hits = 0;
    if (!l1->room) {
        memcpy(missing, lines->mask, lines->count);
        return 0;
    }
    find_sets(l1, lines, sets);
    for (uint32_t i = 0; i < lines->count; i++) {
        const unsigned mask = lines->mask[i], found = load(l1, lines->line[i], sets[i], mask);
        hits += (uint32_t)__builtin_popcount(found);
        missing[i] = (uint8_t)(mask & ~found);
    }
    return hits;
}

static l1_set *set_at(sim_l1 *l1, uint64_t line) {
    return &l1->set[set_of((uint32_t)line)];
}

/* Returns the first bit of the line's sectors in the set's; beyond all of them if the line is not cached. */
static unsigned first_sector(const l1_set *set, uint64_t line) {
    return 8 * (unsigned)__builtin_ctz(find_way(set, (uint32_t)line) | 1u << WAYS);
}

unsigned sim_l1_probe(sim_l1 *l1, uint64_t line, unsigned mask) {
    const l1_set *set = set_at(l1, line);
    return (unsigned)((uint64_t)set->valid >> first_sector(set, line)) & mask;
}

void sim_l1_drop(sim_l1 *l1, uint64_t line, unsigned mask) {
    l1_set *set = set_at(l1, line);
    set->valid &= (uint32_t) ~((uint64_t)mask << first_sector(set, line));
}

uint32_t sim_l1_probe_lines(sim_l1 *l1, const sim_lines *lines, uint8_t missing[SIM_LANES]) {
    uint32_t hits = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        const unsigned mask = lines->mask[i], found = sim_l1_probe(l1, lines->line[i], mask);
        hits += (uint32_t)__builtin_popcount(found);
        missing[i] = (uint8_t)(mask & ~found);
    }
    return hits;
}

void sim_l1_drop_lines(sim_l1 *l1, const sim_lines *lines) {
    for (uint32_t i = 0; i < lines->count; i++) sim_l1_drop(l1, lines->line[i], lines->mask[i]);
}

void sim_l1_clear(sim_l1 *l1) {
    memset(l1->held, 0, sizeof l1->held);
    memset(l1->set, 0, sizeof l1->set);
}
