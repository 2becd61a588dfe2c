/* The words of fill rules. Each is a function of its index, so that buffers can be filled in pieces. */
#include "base/status.h"
#include "lib/launch/launches.h"
#include "lib/launch/mix.h"

#include <string.h>

const char *const launch_fill_names[LAUNCH_FILL_COUNT] = {
#define FILL(id, name) [LAUNCH_FILL_##id] = name,
    LAUNCH_FILLS(FILL)
#undef FILL
};

launch_fill launch_fill_find(const char *name) {
    int i = 0;
    while (i < LAUNCH_FILL_COUNT && strcmp(name, launch_fill_names[i]) != 0) i++;
    return (launch_fill)i;
}

/* A seed of `perm` is a step; recorded launches have one. Without it a random permutation is more useful. */
haul_status launch_settle_fill(launch_argument *a, bool seed_given) {
    if (a->fill == LAUNCH_FILL_PERM && !seed_given) a->fill = LAUNCH_FILL_SHUFFLE;
    const bool bounded = a->fill == LAUNCH_FILL_SHUFFLE || (a->fill == LAUNCH_FILL_INDEX && !a->below);
    if (a->below && a->fill != LAUNCH_FILL_INDEX)
        return haul_fail(HAUL_ERROR_ARGUMENT, "only `index` has a bound, `%s` has none", launch_fill_names[a->fill]);
    if (bounded && a->words > LAUNCH_MOST_INDICES)
        return haul_fail(HAUL_ERROR_ARGUMENT, "`%s` gives 32-bit numbers, too few for more than 2^32 words",
                         launch_fill_names[a->fill]);
    return HAUL_OK;
}

/* Knuth's multiplicative hash, the h() of lib/launch/launches.h. */
static uint32_t spread(uint64_t x) {
    return (uint32_t)x * 2654435761u;
}

/* 24 bits of the hash, so that every value is exact; 0 does not occur. */
static void fill_f01(uint32_t *words, size_t count, uint64_t first, uint32_t seed) {
    float *values = (float *)words;
    for (size_t i = 0; i < count; i++) values[i] = (float)((spread(first + i + seed) >> 8) + 1) * (1.0f / 16777216.0f);
}

static void fill_u32(uint32_t *words, size_t count, uint64_t first, uint32_t seed) {
    for (size_t i = 0; i < count; i++) words[i] = spread(first + i + seed);
}

/* Numbers beyond 2^32 wrap. */
static void fill_iota(uint32_t *words, size_t count, uint64_t first, uint32_t seed) {
    for (size_t i = 0; i < count; i++) words[i] = (uint32_t)(first + i) + seed;
}

/* i * seed mod n by repeated addition of the seed's remainder. */
static void fill_perm(uint32_t *words, size_t count, uint64_t first, uint32_t seed, uint64_t n) {
    uint64_t value = first * seed % n, step = seed % n;
    for (size_t i = 0; i < count; i++) {
        words[i] = (uint32_t)value;
        value += step;
        if (value >= n) value -= n;
    }
}

/* ---- random numbers ---- */

/* Rounds of the permutation. */
enum { ROUNDS = 5 };

/* A permutation of the numbers of some bits: each step of a round is reversible. */
typedef struct permutation {
    uint64_t add[ROUNDS], times[ROUNDS], mask;
    unsigned shift;
} permutation;

/* For the smallest power of two that is at least n. */
static permutation permutation_for(uint64_t n, uint32_t seed) {
    permutation p = {0};
    unsigned bits = 0;
    while (UINT64_C(1) << bits < n) bits++;
    p.mask = (UINT64_C(1) << bits) - 1;
    p.shift = bits > 1 ? (bits + 1) / 2 : 1;
    uint64_t state = launch_mix(seed);
    for (int r = 0; r < ROUNDS; r++) {
        p.add[r] = state = launch_mix(state);
        p.times[r] = (state = launch_mix(state)) | 1;
    }
    return p;
}

static uint64_t permuted(const permutation *p, uint64_t x) {
    for (int r = 0; r < ROUNDS; r++) {
        x = (x + p->add[r]) * p->times[r] & p->mask;
        x ^= x >> p->shift;
    }
    return x;
}

/* Numbers that land at n or above are permuted again until they are below: a permutation of the numbers below n. */
static void fill_shuffle(uint32_t *words, size_t count, uint64_t first, uint32_t seed, uint64_t n) {
    const permutation p = permutation_for(n, seed);
    for (size_t i = 0; i < count; i++) {
        uint64_t x = first + i;
        do x = permuted(&p, x);
        while (x >= n);
        words[i] = (uint32_t)x;
    }
}

/* Multiplying a random 32-bit word by the bound and dropping the lower half maps it evenly to numbers below the bound.
 */
static void fill_index(uint32_t *words, size_t count, uint64_t first, uint32_t seed, uint64_t below) {
    const uint64_t key = launch_mix(seed);
    for (size_t i = 0; i < count; i++) words[i] = (uint32_t)((launch_mix(key ^ (first + i)) >> 32) * below >> 32);
}

static void fill_value(uint32_t *words, size_t count, uint32_t value) {
    for (size_t i = 0; i < count; i++) words[i] = value;
}

void launch_fill_words(const launch_argument *a, uint32_t *words, size_t count, uint64_t first) {
    switch (a->fill) {
    case LAUNCH_FILL_F01: fill_f01(words, count, first, a->seed); break;
    case LAUNCH_FILL_U32: fill_u32(words, count, first, a->seed); break;
    case LAUNCH_FILL_IOTA: fill_iota(words, count, first, a->seed); break;
    case LAUNCH_FILL_PERM: fill_perm(words, count, first, a->seed, a->words); break;
    case LAUNCH_FILL_SHUFFLE: fill_shuffle(words, count, first, a->seed, a->words); break;
    case LAUNCH_FILL_INDEX: fill_index(words, count, first, a->seed, a->below ? a->below : a->words); break;
    case LAUNCH_FILL_ELEMENTS: launch_fill_elements(a, words, count, first); break;
    case LAUNCH_FILL_POISON: fill_value(words, count, 0xdeadbeef); break;
    default: fill_value(words, count, 0);
    }
}
