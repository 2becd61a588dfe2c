#include "count/banks.h"

#include "count/vectors.h"

enum { BANKS = 32 }; /* each serves a word */

static sim_bank_use use_banks(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes, bool counts_units) {
    return sim_vectors_best()->bank_pass(address, lanes, bytes, counts_units);
}

/* True if each active lane i of `lanes` has the same address as lane i^step, or that lane is inactive. */
static bool lanes_pair(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned step) {
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        if ((lanes >> (l ^ step) & 1) && address[l ^ step] != address[l]) return false;
    }
    return true;
}

/* Two passes of a load become one if neighbouring lanes, or lanes two apart, read the same words. */
static bool passes_merge(const uint32_t address[SIM_LANES], uint32_t lanes) {
    return lanes_pair(address, lanes, 1) || lanes_pair(address, lanes, 2);
}

/* Adds the wavefronts of one pass; without bank conflicts it takes one. */
static void add_pass(sim_wavefronts *sum, const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes) {
    if (!lanes) return;
    sum->total += use_banks(address, lanes, bytes, false).wavefronts;
    sum->ideal++;
}

/* Counts two adjacent passes, merged if a load allows that. */
static void add_two_passes(sim_wavefronts *sum, const uint32_t address[SIM_LANES], uint32_t low, uint32_t high,
                           unsigned bytes, bool merge) {
    if (merge && low && high && passes_merge(address, low | high)) {
        add_pass(sum, address, low | high, bytes);
    } else {
        add_pass(sum, address, low, bytes);
        add_pass(sum, address, high, bytes);
    }
}

/* True if a whole warp's 4-byte words have a constant, word-aligned distance; `stride` in words. */
static bool is_word_progression(const uint32_t address[SIM_LANES], uint32_t *stride) {
    uint32_t s = address[1] - address[0], differs = s & 3;
    for (unsigned l = 1; l < SIM_LANES; l++) differs |= (address[l] - address[l - 1]) ^ s;
    *stride = s >> 2;
    return differs == 0;
}

/* Divides a warp's access into the passes of hardware: a whole warp for words, half a warp for 8 bytes, a quarter for
 * 16. */
static sim_wavefronts count_passes(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes, bool merge) {
    sim_wavefronts sum = {0, 0};
    uint32_t stride;
    if (bytes <= 4) {
        if (active == SIM_ALL_LANES && is_word_progression(address, &stride)) {
            /* 32 lanes visit 32 / gcd(stride, 32) banks; with stride 0 all read one word */
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

sim_bank_use sim_bank_atomic(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes) {
    return use_banks(address, active, bytes, true);
}

/* Returns the most lanes that name one bank, or one pair of banks at 8 bytes. */
static uint32_t most_lanes(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes) {
    uint32_t count[BANKS] = {0}, most = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t *bank = &count[address[__builtin_ctz(lanes)] / (bytes > 4 ? 8 : 4) % (bytes > 4 ? BANKS / 2 : BANKS)];
        if (++*bank > most) most = *bank;
    }
    return most;
}

sim_wavefronts sim_bank_turns(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes) {
    const uint32_t low = bytes > 4 ? active & 0xffff : active, high = active & ~low;
    return (sim_wavefronts){most_lanes(address, low, bytes) + most_lanes(address, high, bytes),
                            sim_half_passes(active, bytes)};
}
