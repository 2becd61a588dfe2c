#include "sim/count/banks.h"

#include <string.h>

/* A row has each bank's next word; no shared memory has more than MOST_ROWS. */
enum { BANKS = 32, ROW_SHIFT = 7, MOST_ROWS = 2048, FEW_ROWS = 64 };

/* The rows that the lanes' bytes lie in. */
typedef struct row_span {
    uint32_t first, count;
} row_span;

/* Without a branch for each lane. */
static row_span find_rows(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes) {
    static const uint32_t bit[SIM_LANES] = {
        1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
        1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
        1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
    uint32_t nearest = UINT32_MAX, furthest = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint32_t out = (lanes & bit[l]) ? 0 : UINT32_MAX, low = address[l] | out, high = address[l] & ~out;
        nearest = low < nearest ? low : nearest;
        furthest = high > furthest ? high : furthest;
    }
    const uint32_t first = nearest >> ROW_SHIFT;
    return (row_span){first, ((furthest + bytes - 1) >> ROW_SHIFT) - first + 1};
}

/* ---- few rows: what each bank was asked for, a bit for each row ---- */

static uint32_t busiest_of_few(const uint64_t asked[BANKS]) {
    enum { APART = BANKS / 4 };
    int most[4] = {0}; /* four at a time: none waits for the one before */
    for (unsigned b = 0; b < APART; b++)
        for (unsigned k = 0; k < 4; k++) {
            const int count = __builtin_popcountll(asked[b + k * APART]);
            most[k] = count > most[k] ? count : most[k];
        }
    const int low = most[0] > most[1] ? most[0] : most[1], high = most[2] > most[3] ? most[2] : most[3];
    return (uint32_t)(low > high ? low : high);
}

static inline void ask_for(uint64_t asked[BANKS], uint32_t word, uint32_t first_row) {
    asked[word % BANKS] |= 1ull << (word / BANKS - first_row);
}

static uint32_t count_in_few(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned words, uint32_t first_row) {
    uint64_t asked[BANKS] = {0};
    if (lanes == SIM_ALL_LANES && words == 1) {
        for (unsigned l = 0; l < SIM_LANES; l++) ask_for(asked, address[l] / 4, first_row);
        return busiest_of_few(asked);
    }
    for (; lanes; lanes &= lanes - 1)
        for (unsigned k = 0; k < words; k++) ask_for(asked, address[__builtin_ctz(lanes)] / 4 + k, first_row);
    return busiest_of_few(asked);
}

/* ---- many rows: a row's touched words, a bit for each bank ---- */

static uint32_t count_in_many(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned words, row_span span) {
    uint32_t touched[MOST_ROWS];
    uint8_t count[BANKS] = {0}, most = 0;
    /* lanes on both sides of address 0, as a register has them to which an offset is added, do not meet either */
    memset(touched, 0, (span.count < MOST_ROWS ? span.count : MOST_ROWS) * sizeof *touched);
    for (; lanes; lanes &= lanes - 1)
        for (unsigned k = 0; k < words; k++) {
            const uint32_t word = address[__builtin_ctz(lanes)] / 4 + k, bank = word % BANKS;
            uint32_t *row = &touched[(word / BANKS - span.first) % MOST_ROWS];
            count[bank] = (uint8_t)(count[bank] + (~*row >> bank & 1));
            *row |= 1u << bank;
        }
    for (unsigned b = 0; b < BANKS; b++) most = count[b] > most ? count[b] : most;
    return most;
}

/* Wavefronts of one pass over the lanes in `lanes`, which is not 0. */
static uint32_t pass_wavefronts(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes) {
    const unsigned words = bytes <= 4 ? 1 : bytes / 4;
    const row_span span = find_rows(address, lanes, bytes);
    if (span.count == 1) return 1; /* each bank once: the common case */
    return span.count <= FEW_ROWS ? count_in_few(address, lanes, words, span.first)
                                  : count_in_many(address, lanes, words, span);
}

/* Every active lane i of `lanes` finds lane i^step inactive or at its own address. */
static bool lanes_pair(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned step) {
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        if ((lanes >> (l ^ step) & 1) && address[l ^ step] != address[l]) return false;
    }
    return true;
}

static bool passes_merge(const uint32_t address[SIM_LANES], uint32_t lanes) {
    return lanes_pair(address, lanes, 1) || lanes_pair(address, lanes, 2);
}

static void add_pass(sim_wavefronts *sum, const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes) {
    if (!lanes) return;
    sum->total += pass_wavefronts(address, lanes, bytes);
    sum->ideal++;
}

/* Two neighbouring passes, made as one where a load allows. */
static void add_two_passes(sim_wavefronts *sum, const uint32_t address[SIM_LANES], uint32_t low, uint32_t high,
                           unsigned bytes, bool merge) {
    if (merge && low && high && passes_merge(address, low | high)) {
        add_pass(sum, address, low | high, bytes);
    } else {
        add_pass(sum, address, low, bytes);
        add_pass(sum, address, high, bytes);
    }
}

/* A whole warp of 4-byte words a constant, word-aligned distance apart; *stride in words. */
static bool is_word_progression(const uint32_t address[SIM_LANES], uint32_t *stride) {
    uint32_t s = address[1] - address[0], differs = s & 3;
    for (unsigned l = 1; l < SIM_LANES; l++) differs |= (address[l] - address[l - 1]) ^ s;
    *stride = s >> 2;
    return differs == 0;
}

static sim_wavefronts count_passes(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes, bool merge) {
    sim_wavefronts sum = {0, 0};
    uint32_t stride;
    if (bytes <= 4) {
        if (active == SIM_ALL_LANES && is_word_progression(address, &stride)) {
            /* 32 lanes visit 32 / gcd(stride, 32) banks; distance 0 is one word for all */
            uint32_t total = stride & 31 ? 1u << __builtin_ctz(stride) : stride ? BANKS : 1;
            return (sim_wavefronts){total, 1};
        }
        add_pass(&sum, address, active, bytes);
    } else if (bytes == 8) {
        add_two_passes(&sum, address, active & 0xffff, active & 0xffff0000, bytes, merge);
    } else {
        add_two_passes(&sum, address, active & 0xff, active & 0xff00, bytes, merge);
        add_two_passes(&sum, address, active & 0xff0000, active & 0xff000000, bytes, merge);
    }
    return sum;
}

sim_wavefronts sim_bank_load(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes) {
    return count_passes(address, active, bytes, true);
}

sim_wavefronts sim_bank_store(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes) {
    return count_passes(address, active, bytes, false);
}

sim_wavefronts sim_bank_copy(const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES], uint32_t active,
                             uint32_t filled, unsigned bytes) {
    const unsigned lanes = bytes <= 4 ? SIM_LANES : bytes == 8 ? SIM_LANES / 2 : SIM_LANES / 4;
    sim_wavefronts sum = {0, 0};
    uint32_t from[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) from[l] = (uint32_t)source[l];
    for (unsigned first = 0; first < SIM_LANES; first += lanes) {
        const uint32_t pass = active & (SIM_ALL_LANES >> (SIM_LANES - lanes)) << first;
        const sim_wavefronts to = sim_bank_store(destination, pass, bytes),
                             read = sim_bank_store(from, pass & ~filled, bytes);
        sum.total += read.total > to.total ? read.total : to.total;
        sum.ideal += to.ideal;
    }
    return sum;
}

sim_wavefronts sim_bank_atomic(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes) {
    return (sim_wavefronts){pass_wavefronts(address, active, bytes), 1};
}
