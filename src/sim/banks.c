#include "sim/banks.h"

enum { BANKS = 32, NO_NODE = 0xff };

/* The words that one pass touches, by bank: a list of distinct words for each bank. */
typedef struct bank_words {
    uint32_t seen;  /* banks with at least one word */
    uint32_t most;  /* length of the longest list */
    uint32_t count; /* nodes in use */
    uint8_t head[BANKS], length[BANKS];
    uint8_t next[SIM_LANES * 4];
    uint32_t word[SIM_LANES * 4];
} bank_words;

static void push_word(bank_words *w, unsigned bank, uint32_t word, uint8_t next) {
    w->word[w->count] = word;
    w->next[w->count] = next;
    w->head[bank] = (uint8_t)w->count++;
}

static void add_word(bank_words *w, uint32_t word) {
    unsigned bank = word % BANKS;
    if (!(w->seen >> bank & 1)) {
        w->seen |= 1u << bank;
        w->length[bank] = 1;
        push_word(w, bank, word, NO_NODE);
        return;
    }
    for (uint8_t n = w->head[bank]; n != NO_NODE; n = w->next[n])
        if (w->word[n] == word) return;
    push_word(w, bank, word, w->head[bank]);
    if (++w->length[bank] > w->most) w->most = w->length[bank];
}

/* Whether no bank serves more than one word: the common case, found without a branch for each lane. Each bank remembers
 * the last word that it was asked for; a lane that finds another there has a conflict. */
static bool is_free_of_conflicts(const uint32_t *address, unsigned lanes, unsigned words) {
    uint32_t last[BANKS], differs = 0;
    for (unsigned l = 0; l < lanes; l++) differs |= address[l] ^ address[0];
    if (differs < BANKS * 4) return true; /* all in one row of the banks, which has each bank once */
    differs = 0;
    for (unsigned l = 0; l < lanes; l++)
        for (unsigned k = 0; k < words; k++) last[(address[l] / 4 + k) % BANKS] = address[l] / 4 + k;
    for (unsigned l = 0; l < lanes; l++)
        for (unsigned k = 0; k < words; k++) differs |= last[(address[l] / 4 + k) % BANKS] ^ (address[l] / 4 + k);
    return differs == 0;
}

/* The lanes are neighbours, `*count` of them from `*first` on. */
static bool is_run(uint32_t lanes, unsigned *first, unsigned *count) {
    *first = (unsigned)__builtin_ctz(lanes);
    *count = (unsigned)__builtin_popcount(lanes);
    uint32_t run = lanes >> *first;
    return (run & (run + 1)) == 0;
}

/* Wavefronts of one pass over the lanes in `lanes`, which is not 0. */
static uint32_t pass_wavefronts(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes) {
    bank_words w;
    w.seen = 0, w.most = 1, w.count = 0;
    unsigned words = bytes <= 4 ? 1 : bytes / 4;
    unsigned first, count;
    if (is_run(lanes, &first, &count) && is_free_of_conflicts(address + first, count, words)) return 1;
    uint32_t previous = ~address[__builtin_ctz(lanes)];
    for (; lanes; lanes &= lanes - 1) {
        uint32_t a = address[__builtin_ctz(lanes)];
        if (a == previous) continue;
        previous = a;
        for (unsigned k = 0; k < words; k++) add_word(&w, a / 4 + k);
    }
    return w.most;
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
