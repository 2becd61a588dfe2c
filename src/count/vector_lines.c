/* From lanes' addresses to lines, and other work per line of an access: the cost of scattered accesses. */
#include "count/vector_names.h"
#include "state/lanes.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* ---- lines and sectors ---- */

static unsigned sector_bit(uint64_t address) {
    return 1u << (address >> SIM_SECTOR_SHIFT & (SIM_LINE_SECTORS - 1));
}

#if defined(__AVX512F__)

/* Stores whole vectors: the last one ends at the last entry if all lanes before it are active. */
static void pack_active(const uint64_t address[SIM_LANES], uint32_t active, uint64_t kept[SIM_LANES]) {
    enum { WIDE = 8 };
    for (unsigned l = 0; l < SIM_LANES; l += WIDE) {
        const __mmask8 in = (__mmask8)(active >> l);
        _mm512_storeu_si512(kept, _mm512_maskz_compress_epi64(in, _mm512_loadu_si512(address + l)));
        kept += __builtin_popcount(in);
    }
}

#else

static void pack_active(const uint64_t address[SIM_LANES], uint32_t active, uint64_t kept[SIM_LANES]) {
    for (uint32_t left = active; left; left &= left - 1) *kept++ = address[__builtin_ctz(left)];
}

#endif

/* Packs the active lanes' addresses; each entry after them lies a line after the previous one. */
static void pack_lanes(const uint64_t address[SIM_LANES], uint32_t active, uint64_t kept[SIM_LANES]) {
    const uint32_t count = (uint32_t)__builtin_popcount(active);
    pack_active(address, active, kept);
    for (uint32_t i = count; i < SIM_LANES; i++)
        kept[i] = kept[count - 1] + ((uint64_t)(i + 1 - count) << SIM_LINE_SHIFT);
}

static void split_addresses(const uint64_t address[SIM_LANES], sim_lines *lines) {
    for (uint32_t i = 0; i < SIM_LANES; i++) {
        lines->mask[i] = (uint8_t)sector_bit(address[i]);
        lines->line[i] = address[i] >> SIM_LINE_SHIFT;
    }
}

/* Merges adjacent entries of the same line. */
static void merge_neighbours(sim_lines *lines, uint32_t count) {
    uint32_t last = 0, sectors = 1;
    for (uint32_t i = 1; i < count; i++) {
        const bool is_new = lines->line[i] != lines->line[last];
        last += is_new;
        const unsigned bit = lines->mask[i], before = is_new ? 0 : lines->mask[last];
        lines->line[last] = lines->line[i];
        lines->mask[last] = (uint8_t)(before | bit);
        sectors += !(before & bit);
    }
    lines->count = last + 1;
    lines->sectors = sectors;
}

/* The same for lines in any order; finds them by a hash table of indices + 1. */
static void merge_any(sim_lines *lines, uint32_t count) {
    enum { PLACE_BITS = 8, PLACES = 1 << PLACE_BITS };
    uint8_t places[PLACES] = {0};
    uint32_t kept = 0, sectors = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t line = lines->line[i];
        const unsigned bit = lines->mask[i];
        unsigned at = (unsigned)(line * 0x9e3779b97f4a7c15ull >> (64 - PLACE_BITS));
        while (places[at] && lines->line[places[at] - 1] != line) at = (at + 1) % PLACES;
        const uint32_t own = places[at] ? places[at] - 1u : kept;
        const unsigned before = own == kept ? 0 : lines->mask[own];
        lines->line[own] = line;
        lines->mask[own] = (uint8_t)(before | bit);
        places[at] = (uint8_t)(own + 1);
        kept += own == kept;
        sectors += !(before & bit);
    }
    lines->count = kept;
    lines->sectors = sectors;
}

/* True if any two lines agree in their low 32 bits: compares each with the 1 to 16 after it, in a ring. */
static bool may_repeat(const sim_lines *lines) {
    uint32_t ring[SIM_LANES + SIM_LANES / 2], same = 0;
    for (uint32_t i = 0; i < SIM_LANES; i++) ring[i] = (uint32_t)lines->line[i];
    for (uint32_t i = 0; i < SIM_LANES / 2; i++) ring[SIM_LANES + i] = ring[i];
    for (uint32_t behind = 1; behind <= SIM_LANES / 2; behind++)
        for (uint32_t i = 0; i < SIM_LANES; i++) same |= (uint32_t)(ring[i] == ring[i + behind]);
    return same != 0;
}

void SIM_COALESCE(const uint64_t address[SIM_LANES], uint32_t active, sim_lines *lines) {
    uint64_t falls = 0, repeats = 0;
    const uint32_t count = (uint32_t)__builtin_popcount(active);
    if (active != SIM_ALL_LANES) {
        pack_lanes(address, active, lines->line);
        split_addresses(lines->line, lines);
    } else
        split_addresses(address, lines);
    for (uint32_t i = 1; i < SIM_LANES; i++) {
        const uint64_t line = lines->line[i], before = lines->line[i - 1];
        falls |= line < before;
        repeats |= line == before;
    }
    lines->count = lines->sectors = count;
    if (falls) {
        if (repeats || count < SIM_MANY_LINES || may_repeat(lines)) merge_any(lines, count);
    } else if (repeats)
        merge_neighbours(lines, count);
}

/* ---- tag banks ---- */

/* Returns the parities of the two halves in bits 0 and 16. */
static uint32_t fold_halves(uint32_t x) {
    x ^= x >> 8;
    x ^= x >> 4;
    x ^= x >> 2;
    return x ^ x >> 1;
}

static uint32_t greater(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Uses three sums of a byte each: lines with the bank's lower bit, with its upper bit, with both. */
uint32_t SIM_TAG_WAVEFRONTS(const sim_lines *lines) {
    uint32_t sums = 0;
    for (uint32_t i = 0; i < SIM_LANES; i++) {
        const uint32_t line = (uint32_t)lines->line[i], low = line & SIM_TAG_BANK_BIT_0,
                       high = line & SIM_TAG_BANK_BIT_1;
        const uint32_t bits = fold_halves(((low ^ low >> 16) & 0xffff) | (high ^ high >> 16) << 16);
        const uint32_t first = bits & 1, second = bits >> 16 & 1;
        sums += (first | second << 8 | (first & second) << 16) & (0u - (uint32_t)(i < lines->count));
    }
    const uint32_t first = sums & 0xff, second = sums >> 8 & 0xff, both = sums >> 16;
    return greater(greater(first - both, second - both), greater(both, lines->count + both - first - second));
}

/* ---- requests to L2 ---- */

void SIM_FIND_LOG_PLACES(const sim_lines *lines, sim_log_places *places) {
    for (uint32_t i = 0; i < SIM_LANES; i++) {
        const uint64_t line = lines->line[i];
        places->slice[i] = sim_log_slice_of(line);
        places->entry[i] = sim_log_local(line) << SIM_LOG_LINE_SHIFT;
    }
}
