#include "count/coalesce.h"

#include "count/vectors.h"

#include <string.h>

/* ---- tag banks ---- */

unsigned sim_tag_bank(uint64_t line) {
    return (unsigned)__builtin_parityll(line & SIM_TAG_BANK_BIT_0) |
           (unsigned)__builtin_parityll(line & SIM_TAG_BANK_BIT_1) << 1;
}

/* Returns the largest of four counters, one byte each in a word. */
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
    if (lines->count >= SIM_MANY_LINES) return sim_vectors_best()->tag_wavefronts(lines);
    for (uint32_t i = 0; i < lines->count; i++) counts += 1u << (8 * sim_tag_bank(lines->line[i]));
    return busiest(counts);
}

uint32_t sim_tag_wavefronts_of_run(uint64_t first, uint32_t count) {
    uint32_t counts = 0;
    if (count <= 1) return count;
    for (uint32_t i = 0; i < count; i++) counts += 1u << (8 * sim_tag_bank(first + i));
    return busiest(counts);
}

/* ---- the data stage ---- */

/* Adds up eight bytes, whose sum is below 256. */
static uint32_t sum_of_bytes(uint64_t bytes) {
    return (uint32_t)(bytes * 0x0101010101010101 >> 56);
}

uint32_t sim_data_wavefronts(const sim_lines *lines) {
    enum { WORDS = SIM_LANES / 8 };
    const uint64_t ones = 0x0101010101010101;
    uint64_t masks[WORDS] = {0};
    uint32_t most = 0;
    if (lines->count <= 1) return lines->count;
    memcpy(masks, lines->mask, lines->count);
    for (unsigned place = 0; place < SIM_LINE_SECTORS; place++) {
        uint64_t sums = 0;
        for (unsigned k = 0; k < WORDS; k++) sums += masks[k] >> place & ones;
        const uint32_t sectors = sum_of_bytes(sums);
        if (sectors > most) most = sectors;
    }
    return most;
}

/* ---- lines and sectors ---- */

/* True if all lanes have the same distance from the next: address[1] - address[0]. */
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

/* Lists the sector of a single active lane. */
static void add_lane(uint64_t address, sim_lines *lines) {
    lines->count = lines->sectors = 1;
    lines->line[0] = address >> SIM_LINE_SHIFT;
    lines->mask[0] = (uint8_t)(1u << (address >> SIM_SECTOR_SHIFT & (SIM_LINE_SECTORS - 1)));
}

void sim_coalesce(const uint64_t address[SIM_LANES], uint32_t active, unsigned bytes, sim_lines *lines) {
    const bool may_span = active == SIM_ALL_LANES && address[1] - address[0] <= 1u << SIM_SECTOR_SHIFT;
    lines->count = lines->sectors = 0;
    if (active && !(active & (active - 1)))
        add_lane(address[__builtin_ctz(active)], lines);
    else if (may_span && is_progression(address))
        sim_add_span(address[0], address[SIM_LANES - 1] + bytes - 1, lines);
    else if (active)
        sim_vectors_best()->coalesce(address, active, lines);
}
