#include "sim/coalesce.h"

/* ---- tag banks ---- */

/* A line's bank is the XOR of these values over the bits set in its number: the only linear solution for bits 0 to 6 on
 * the recorded launches, 7 and 8 agree with more (docs/memory-model.md). Tabulated by four bits. */
enum { B0 = 1, B1 = 2, B2 = 1, B3 = 2, B4 = 3, B5 = 1, B6 = 2, B7 = 3, B8 = 2 };
#define XOR4(a, b, c, d)                                                                                     \
    {                                                                                                        \
        0, a, b, a ^ b, c, a ^ c, b ^ c, a ^ b ^ c, d, a ^ d, b ^ d, a ^ b ^ d, c ^ d, a ^ c ^ d, b ^ c ^ d, \
            a ^ b ^ c ^ d                                                                                    \
    }
static const uint8_t tag_bank_low[16] = XOR4(B0, B1, B2, B3);
static const uint8_t tag_bank_high[16] = XOR4(B4, B5, B6, B7);

unsigned sim_tag_bank(uint64_t line) {
    return tag_bank_low[line & 15] ^ tag_bank_high[line >> 4 & 15] ^ ((line >> 8 & 1) ? (unsigned)B8 : 0u);
}

uint32_t sim_tag_wavefronts(const sim_lines *lines) {
    if (lines->count <= 1) return lines->count;
    /* four counters of a byte each in one word; at most 32 lines */
    uint32_t counts = 0;
    for (uint32_t i = 0; i < lines->count; i++) counts += 1u << (8 * sim_tag_bank(lines->line[i]));
    uint32_t most = 0;
    for (unsigned bank = 0; bank < 4; bank++) {
        uint32_t n = counts >> (8 * bank) & 0xff;
        if (n > most) most = n;
    }
    return most;
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

/* Every sector between the first and the last byte is touched. */
static void cover_span(uint64_t first, uint64_t last, sim_lines *lines) {
    uint64_t first_line = first >> SIM_LINE_SHIFT, last_line = last >> SIM_LINE_SHIFT;
    uint32_t n = 0;
    for (uint64_t line = first_line; line <= last_line; line++, n++) {
        lines->line[n] = line;
        lines->mask[n] = 15;
    }
    unsigned head = first >> SIM_SECTOR_SHIFT & 3, tail = last >> SIM_SECTOR_SHIFT & 3;
    lines->mask[0] = (uint8_t)(lines->mask[0] & 15u << head);
    lines->mask[n - 1] = (uint8_t)(lines->mask[n - 1] & 15u >> (3 - tail));
    lines->count = n;
    lines->sectors = (uint32_t)((last >> SIM_SECTOR_SHIFT) - (first >> SIM_SECTOR_SHIFT) + 1);
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
            cover_span(address[0], address[SIM_LANES - 1] + bytes - 1, lines);
            return;
        }
    }
    if (!coalesce_rising(address, active, lines)) coalesce_hashed(address, active, lines);
    sum_sectors(lines);
}
