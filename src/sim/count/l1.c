#include "sim/count/l1.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

/* Tags: four banks of 128 sets of 4 ways. Data: each bank has a quarter of what shared memory leaves, less SPARE lines,
 * which its sets share. All of it was read off an H100, access by access (docs/memory-model.md). */
enum { BANKS = 4, SETS = 128, WAYS = 4, LINE_BYTES = 128, SPARE = 15 };

/* Lines that were hit are held back from replacement, two of each set. */
enum { PROTECTED_WAYS = 2 };

/* From one set that gives up a line for want of data to the next one. The order in hardware is not known; what is known
 * is that it goes through all of them, and is no plain count. */
enum { SWEEP_STEP = 45 };

/* A set's lines in the order in which they are to stay: first the protected ones, of each kind the one used last first.
 * Tags are the low half of the line number: lines 512 GiB apart look alike, no device has them. */
typedef struct l1_set {
    uint32_t tag[WAYS];
    uint8_t valid[WAYS]; /* sectors */
    uint8_t count, protected;
} l1_set;

struct sim_l1 {
    uint32_t room; /* lines that a bank has data for */
    uint32_t held[BANKS];
    uint32_t sweep[BANKS]; /* the set that gave up a line last */
    l1_set set[SETS * BANKS];
};

haul_status sim_l1_create(uint32_t bytes, sim_l1 **l1) {
    const uint32_t lines = bytes / LINE_BYTES / BANKS;
    *l1 = memory_zeroed(1, sizeof **l1);
    if (!*l1)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a model of L1 (%zu bytes)", sizeof **l1);
    (*l1)->room = lines > SPARE ? lines - SPARE : lines;
    return HAUL_OK;
}

void sim_l1_free(sim_l1 *l1) {
    memory_free(l1);
}

/* The XOR of a value for each bit that is set, for all values of a byte. */
#define XOR1(x, a) (x), (x) ^ (a)
#define XOR2(x, a, b) XOR1(x, a), XOR1((x) ^ (b), a)
#define XOR3(x, a, b, c) XOR2(x, a, b), XOR2((x) ^ (c), a, b)
#define XOR4(x, a, b, c, d) XOR3(x, a, b, c), XOR3((x) ^ (d), a, b, c)
#define XOR5(x, a, b, c, d, e) XOR4(x, a, b, c, d), XOR4((x) ^ (e), a, b, c, d)
#define XOR6(x, a, b, c, d, e, f) XOR5(x, a, b, c, d, e), XOR5((x) ^ (f), a, b, c, d, e)
#define XOR7(x, a, b, c, d, e, f, g) XOR6(x, a, b, c, d, e, f), XOR6((x) ^ (g), a, b, c, d, e, f)
#define XOR8(a, b, c, d, e, f, g, h) XOR7(0, a, b, c, d, e, f, g), XOR7(h, a, b, c, d, e, f, g)

/* A line's set, of all banks; the bank (sim_tag_bank()) is its low two bits. Each bit of the line number that is set
 * changes it by a value of its own, solved for from some 2,500 lines that push one another out. Of the last two only
 * the sum is known, of higher ones (256 GB and more) nothing. */
static uint32_t set_of(uint32_t line) {
    static const uint16_t low[256] = {XOR8(0x001, 0x002, 0x005, 0x00a, 0x013, 0x021, 0x042, 0x083)};
    static const uint16_t second[256] = {XOR8(0x102, 0x071, 0x01a, 0x175, 0x14b, 0x039, 0x1e3, 0x1de)};
    static const uint16_t third[256] = {XOR8(0x0ed, 0x197, 0x08d, 0x1af, 0x0f6, 0x12f, 0x081, 0x0f3)};
    static const uint16_t high[128] = {XOR7(0, 0x115, 0x1fe, 0x15f, 0x13e, 0x1e9, 0x003, 0x0fd)};
    return low[line & 255] ^ second[line >> 8 & 255] ^ third[line >> 16 & 255] ^ high[line >> 24 & 127];
}

/* Where a line is in its set, or set->count. */
static uint32_t find_way(const l1_set *set, uint32_t tag) {
    uint32_t way = 0;
    while (way < set->count && set->tag[way] != tag) way++;
    return way;
}

/* Puts a line at `to`; those from there on to `from`, the last of which is overwritten, move on. */
static void put_way(l1_set *set, uint32_t to, uint32_t from, uint32_t tag, uint8_t sectors) {
    for (uint32_t way = from; way > to; way--) {
        set->tag[way] = set->tag[way - 1];
        set->valid[way] = set->valid[way - 1];
    }
    set->tag[to] = tag;
    set->valid[to] = sectors;
}

/* A line that is hit becomes the first of the protected ones; if they are too many, the last of them is the first of
 * the others. */
static void use_again(l1_set *set, uint32_t way) {
    if (way >= set->protected && set->protected < PROTECTED_WAYS) set->protected ++;
    if (way) put_way(set, 0, way, set->tag[way], set->valid[way]);
}

static void give_up_line(l1_set *set) {
    set->count--;
    if (set->protected > set->count) set->protected = set->count;
}

/* The bank has no data for one more line: the next set in turn that has lines gives up its last. */
static void make_room(sim_l1 *l1, uint32_t bank) {
    l1_set *set;
    do {
        l1->sweep[bank] = (l1->sweep[bank] + SWEEP_STEP) % SETS;
        set = &l1->set[l1->sweep[bank] * BANKS + bank];
    } while (!set->count);
    give_up_line(set);
    l1->held[bank]--;
}

/* Where the line is then: behind the protected ones. */
static uint32_t bring_in(sim_l1 *l1, l1_set *set, uint32_t bank, uint32_t tag) {
    if (set->count == WAYS) {
        give_up_line(set);
        l1->held[bank]--;
    }
    if (l1->held[bank] >= l1->room) make_room(l1, bank);
    put_way(set, set->protected, set->count, tag, 0);
    set->count++;
    l1->held[bank]++;
    return set->protected;
}

unsigned sim_l1_load(sim_l1 *l1, uint64_t line, unsigned mask) {
    if (!l1->room) return 0;
    const uint32_t tag = (uint32_t)line, number = set_of(tag);
    l1_set *set = &l1->set[number];
    uint32_t way = find_way(set, tag);
    if (way < set->count) {
        use_again(set, way);
        way = 0;
    } else {
        way = bring_in(l1, set, number % BANKS, tag);
    }
    const unsigned hits = set->valid[way] & mask;
    set->valid[way] = (uint8_t)(set->valid[way] | mask);
    return hits;
}

uint32_t sim_l1_load_lines(sim_l1 *l1, const sim_lines *lines, uint8_t missing[SIM_LANES]) {
    uint32_t hits = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        const unsigned mask = lines->mask[i], found = sim_l1_load(l1, lines->line[i], mask);
        hits += (uint32_t)__builtin_popcount(found);
        missing[i] = (uint8_t)(mask & ~found);
    }
    return hits;
}

/* The line's valid sectors, NULL when it is not there. */
static uint8_t *find_line(sim_l1 *l1, uint64_t line) {
    l1_set *set = &l1->set[set_of((uint32_t)line)];
    const uint32_t way = find_way(set, (uint32_t)line);
    return way == set->count ? NULL : set->valid + way;
}

unsigned sim_l1_probe(sim_l1 *l1, uint64_t line, unsigned mask) {
    const uint8_t *valid = find_line(l1, line);
    return valid ? *valid & mask : 0;
}

void sim_l1_drop(sim_l1 *l1, uint64_t line, unsigned mask) {
    uint8_t *valid = find_line(l1, line);
    if (valid) *valid = (uint8_t)(*valid & ~mask);
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
