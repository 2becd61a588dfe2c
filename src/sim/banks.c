#include "sim/banks.h"

enum { BANKS = 32, MOST_WORDS = SIM_LANES * 4 };

/* All in one row of the banks, which has each bank once: the common case, found without a branch for each lane. */
static bool is_in_one_row(const uint32_t address[SIM_LANES], uint32_t lanes) {
    const uint32_t first = address[__builtin_ctz(lanes)];
    uint32_t differs = 0;
    if (lanes == SIM_ALL_LANES) {
        for (unsigned l = 0; l < SIM_LANES; l++) differs |= address[l] ^ first;
        return differs < BANKS * 4;
    }
    for (; lanes && differs < BANKS * 4; lanes &= lanes - 1) differs |= address[__builtin_ctz(lanes)] ^ first;
    return differs < BANKS * 4;
}

/* How many of a whole warp's words the busiest bank has, when each lane is above the one before
 * it, so that no two are the same; 0 when not. */
static uint32_t rising_wavefronts(const uint32_t address[SIM_LANES]) {
    uint32_t falls = 0;
    uint8_t count[BANKS] = {0}, most = 0;
    for (unsigned l = 1; l < SIM_LANES; l++) falls |= (uint32_t)(address[l] / 4 <= address[l - 1] / 4);
    if (falls) return 0;
    for (unsigned l = 0; l < SIM_LANES; l++) count[address[l] / 4 % BANKS]++;
    for (unsigned b = 0; b < BANKS; b++) most = count[b] > most ? count[b] : most;
    return most;
}

/* The words that one pass touches; neighbours of which are different. */
static unsigned list_words(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned words, uint32_t *list) {
    uint32_t previous = ~(address[__builtin_ctz(lanes)] / 4);
    unsigned n = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t word = address[__builtin_ctz(lanes)] / 4;
        if (word == previous) continue;
        previous = word;
        for (unsigned k = 0; k < words; k++) list[n++] = word + k;
    }
    return n;
}

/* Each bank's count, a bit of it in each plane. */
enum { PLANES = 8, MOST_ROWS = 64 };

static void add_row(uint32_t planes[PLANES], uint32_t banks) {
    for (unsigned k = 0; k < PLANES && banks; k++) {
        const uint32_t carry = planes[k] & banks;
        planes[k] ^= banks;
        banks = carry;
    }
}

/* The greatest count: banks that lack a higher bit which some have are out. */
static uint32_t greatest(const uint32_t planes[PLANES]) {
    uint32_t most = 0, in = UINT32_MAX;
    for (unsigned k = PLANES; k-- > 0;) {
        if (!(planes[k] & in)) continue;
        in &= planes[k];
        most |= 1u << k;
    }
    return most;
}

/* Words in few rows of the banks: those that are the same fall together in the row's bits. 0: too far apart. */
static uint32_t count_in_rows(const uint32_t *list, unsigned n) {
    uint32_t lowest = UINT32_MAX, highest = 0, rows[MOST_ROWS], planes[PLANES] = {0};
    for (unsigned i = 0; i < n; i++) {
        lowest = list[i] < lowest ? list[i] : lowest;
        highest = list[i] > highest ? list[i] : highest;
    }
    const uint32_t first = lowest / BANKS, count = highest / BANKS - first + 1;
    if (count > MOST_ROWS) return 0;
    for (uint32_t r = 0; r < count; r++) rows[r] = 0;
    for (unsigned i = 0; i < n; i++) rows[list[i] / BANKS - first] |= 1u << list[i] % BANKS;
    for (uint32_t r = 0; r < count; r++) add_row(planes, rows[r]);
    return greatest(planes);
}

/* In each round, every bank serves the word that it was asked for last, to all who want it. */
static uint32_t count_rounds(uint32_t *list, unsigned n) {
    uint32_t last[BANKS], rounds = 0;
    for (; n; rounds++) {
        unsigned left = 0;
        for (unsigned i = 0; i < n; i++) last[list[i] % BANKS] = list[i];
        for (unsigned i = 0; i < n; i++) {
            const uint32_t word = list[i];
            list[left] = word;
            left += last[word % BANKS] != word;
        }
        n = left;
    }
    return rounds;
}

/* Wavefronts of one pass over the lanes in `lanes`, which is not 0. */
static uint32_t pass_wavefronts(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes) {
    const unsigned words = bytes <= 4 ? 1 : bytes / 4;
    uint32_t list[MOST_WORDS], found;
    if (is_in_one_row(address, lanes)) return 1;
    if (lanes == SIM_ALL_LANES && words == 1 && (found = rising_wavefronts(address))) return found;
    const unsigned n = list_words(address, lanes, words, list);
    return (found = count_in_rows(list, n)) ? found : count_rounds(list, n);
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

sim_wavefronts sim_bank_atomic(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes) {
    return (sim_wavefronts){pass_wavefronts(address, active, bytes), 1};
}
