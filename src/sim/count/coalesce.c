#include "sim/count/coalesce.h"

/* ---- tag banks ---- */

/* A line's bank is the XOR of a value for each bit set in its number: 1 2 1 2 3 1 2 3 2 1 2 1 3 1 3 2 1 3 1 3 2 3 1 3 1
 * 2 3 2 1 3 for bits 0 to 29, each measured on an H100 by a warp that reads two lines (docs/memory-model.md). So each
 * of the bank's two bits is the parity of some of the number's. */
enum { BANK_BIT_0 = 0x35ef7ab5, BANK_BIT_1 = 0x2ebad5da };

unsigned sim_tag_bank(uint64_t line) {
    return (unsigned)__builtin_parityll(line & BANK_BIT_0) | (unsigned)__builtin_parityll(line & BANK_BIT_1) << 1;
}

/* The most that any bank has, of four counters of a byte each in one word. */
static uint32_t busiest(uint32_t counts) {
    uint32_t most = 0;
    for (unsigned bank = 0; bank < 4; bank++) {
        const uint32_t n = counts >> (8 * bank) & 0xff;
        if (n > most) most = n;
    }
    return most;
}

uint32_t sim_tag_wavefronts(const sim_lines *lines) {
    uint32_t counts = 0; /* of at most 32 lines */
    if (lines->count <= 1) return lines->count;
    for (uint32_t i = 0; i < lines->count; i++) counts += 1u << (8 * sim_tag_bank(lines->line[i]));
    return busiest(counts);
}

uint32_t sim_tag_wavefronts_of_run(uint64_t first, uint32_t count) {
    uint32_t counts = 0;
    if (count <= 1) return count;
    for (uint32_t i = 0; i < count; i++) counts += 1u << (8 * sim_tag_bank(first + i));
    return busiest(counts);
}

/* ---- lines and sectors ---- */

static const uint8_t sector_count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

static unsigned sector_bit(uint64_t address) {
    return 1u << (address >> SIM_SECTOR_SHIFT & (SIM_LINE_SECTORS - 1));
}

static void sum_sectors(sim_lines *lines) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < lines->count; i++) sum += sector_count[lines->mask[i] & 15];
    lines->sectors = sum;
}

/* Whether all lanes lie at a constant distance from their neighbours; it is address[1] - address[0]. */
static bool is_progression(const uint64_t address[SIM_LANES]) {
    uint64_t stride = address[1] - address[0], differs = 0;
    for (unsigned l = 1; l < SIM_LANES; l++) differs |= (address[l] - address[l - 1]) ^ stride;
    return differs == 0;
}

void sim_add_span(uint64_t first, uint64_t last, sim_lines *lines) {
    const uint64_t first_line = first >> SIM_LINE_SHIFT, last_line = last >> SIM_LINE_SHIFT;
    const uint32_t before = lines->count;
    uint32_t n = before;
    for (uint64_t line = first_line; line <= last_line; line++, n++) {
        lines->line[n] = line;
        lines->mask[n] = 15;
    }
    unsigned head = first >> SIM_SECTOR_SHIFT & 3, tail = last >> SIM_SECTOR_SHIFT & 3;
    lines->mask[before] = (uint8_t)(lines->mask[before] & 15u << head);
    lines->mask[n - 1] = (uint8_t)(lines->mask[n - 1] & 15u >> (3 - tail));
    lines->count = n;
    lines->sectors += (uint32_t)((last >> SIM_SECTOR_SHIFT) - (first >> SIM_SECTOR_SHIFT) + 1);
}

enum { HASH_SLOTS = 64, NO_ENTRY = 0xff };

static void add_hashed(sim_lines *lines, uint8_t slots[HASH_SLOTS], uint64_t line, unsigned bit) {
    unsigned slot = (unsigned)(line * 0x9e3779b97f4a7c15ull >> 58);
    while (slots[slot] != NO_ENTRY && lines->line[slots[slot]] != line) slot = (slot + 1) % HASH_SLOTS;
    if (slots[slot] == NO_ENTRY) {
        slots[slot] = (uint8_t)lines->count;
        lines->line[lines->count] = line;
        lines->mask[lines->count++] = 0;
    }
    lines->mask[slots[slot]] = (uint8_t)(lines->mask[slots[slot]] | bit);
}

static void coalesce_hashed(const uint64_t address[SIM_LANES], uint32_t active, sim_lines *lines) {
    uint8_t slots[HASH_SLOTS];
    __builtin_memset(slots, NO_ENTRY, sizeof slots);
    lines->count = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        add_hashed(lines, slots, address[l] >> SIM_LINE_SHIFT, sector_bit(address[l]));
    }
}

/* Lanes whose lines never go down, as most do, need no search. False when they do go down. */
static bool coalesce_rising(const uint64_t address[SIM_LANES], uint32_t active, sim_lines *lines) {
    uint64_t last = 0;
    uint32_t n = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        uint64_t a = address[__builtin_ctz(left)], line = a >> SIM_LINE_SHIFT;
        if (n == 0 || line > last) {
            lines->line[n] = last = line;
            lines->mask[n++] = 0;
        } else if (line < last) {
            return false;
        }
        lines->mask[n - 1] = (uint8_t)(lines->mask[n - 1] | sector_bit(a));
    }
    lines->count = n;
    return true;
}

void sim_coalesce(const uint64_t address[SIM_LANES], uint32_t active, unsigned bytes, sim_lines *lines) {
    if (active == SIM_ALL_LANES && is_progression(address)) {
        uint64_t stride = address[1] - address[0];
        if (stride <= 1u << SIM_SECTOR_SHIFT) {
            lines->count = lines->sectors = 0;
            sim_add_span(address[0], address[SIM_LANES - 1] + bytes - 1, lines);
            return;
        }
    }
    if (!coalesce_rising(address, active, lines)) coalesce_hashed(address, active, lines);
    sum_sectors(lines);
}
