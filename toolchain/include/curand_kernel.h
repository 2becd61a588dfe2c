/* Random numbers in kernels: the generators XORWOW (Marsaglia, "Xorshift RNGs", 2003) and Philox 4x32-10 (Salmon and
 * others, "Parallel random numbers: as easy as 1, 2, 3", 2011), uniform and normal numbers of them. */
#ifndef HAUL_TOOLCHAIN_CURAND_KERNEL_H
#define HAUL_TOOLCHAIN_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ /* programs ask for it */

#include "cuda_runtime.h"
#include "curand.h" /* as NVIDIA's file does */

#if defined(__CUDA__)

/* ---- XORWOW: five words of a shift register, to which a counter is added ---- */

typedef struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double; /* of what kind the kept second number of a pair is; 0: of none */
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateXORWOW_t, curandState_t, curandState;

HAUL_TC_DEVICE unsigned int haul_tc_xorwow_shift(unsigned int *v) {
    const unsigned int t = v[0] ^ (v[0] >> 2);
    for (int i = 0; i < 4; i++) v[i] = v[i + 1];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
    return v[4];
}
HAUL_TC_DEVICE unsigned int curand(curandStateXORWOW_t *state) {
    state->d += 362437;
    return haul_tc_xorwow_shift(state->v) + state->d;
}

static __device__ const unsigned int haul_tc_xorwow_jumps[][5] = {
#define ROW(a, b, c, d, e) {a, b, c, d, e},
#include "haul_toolchain/xorwow_jumps.def"
#undef ROW
};

/* Moves the register by steps * 2^power: each power of two is a polynomial in the step, summed over 160 steps. */
static __device__ inline __attribute__((noinline, unused)) void
haul_tc_xorwow_jump(unsigned int *v, unsigned long long steps, int power) {
    for (; steps; steps >>= 1, power++) {
        if (!(steps & 1)) continue;
        unsigned int sum[5] = {0, 0, 0, 0, 0};
        for (unsigned int term = 0; term < 160; term++) {
            const unsigned int taken = 0u - (haul_tc_xorwow_jumps[power][term / 32] >> term % 32 & 1);
            for (int i = 0; i < 5; i++) sum[i] ^= v[i] & taken;
            haul_tc_xorwow_shift(v);
        }
        for (int i = 0; i < 5; i++) v[i] = sum[i];
    }
}
HAUL_TC_DEVICE void skipahead(unsigned long long steps, curandStateXORWOW_t *state) {
    haul_tc_xorwow_jump(state->v, steps, 0);
    state->d += 362437 * (unsigned int)steps;
}
/* Subsequences lie 2^67 numbers apart, where the counter is again what it was. */
HAUL_TC_DEVICE void skipahead_sequence(unsigned long long sequences, curandStateXORWOW_t *state) {
    haul_tc_xorwow_jump(state->v, sequences, 67);
}
HAUL_TC_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                curandStateXORWOW_t *state) {
    const unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
    const unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}

/* ---- Philox: a counter of four words, enciphered in ten rounds ---- */

typedef struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; /* how many words of the output were given */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;

HAUL_TC_DEVICE uint4 curand_Philox4x32_10(uint4 c, uint2 key) {
    for (int round = 0; round < 10; round++) {
        const unsigned int high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
        const unsigned int high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
        c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}
HAUL_TC_DEVICE void haul_tc_add_words(unsigned int *low, unsigned int *high, unsigned long long *carry) {
    const unsigned long long old = (unsigned long long)*high << 32 | *low, sum = old + *carry;
    *low = (unsigned int)sum;
    *high = (unsigned int)(sum >> 32);
    *carry = sum < old;
}
HAUL_TC_DEVICE void haul_tc_philox_move(curandStatePhilox4_32_10_t *state, unsigned long long blocks) {
    haul_tc_add_words(&state->ctr.x, &state->ctr.y, &blocks);
    haul_tc_add_words(&state->ctr.z, &state->ctr.w, &blocks);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
HAUL_TC_DEVICE void skipahead(unsigned long long steps, curandStatePhilox4_32_10_t *state) {
    const unsigned int given = state->STATE + (unsigned int)(steps & 3);
    state->STATE = given & 3;
    haul_tc_philox_move(state, steps / 4 + given / 4);
}
HAUL_TC_DEVICE void skipahead_sequence(unsigned long long sequences, curandStatePhilox4_32_10_t *state) {
    haul_tc_add_words(&state->ctr.z, &state->ctr.w, &sequences);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
HAUL_TC_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                curandStatePhilox4_32_10_t *state) {
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}
HAUL_TC_DEVICE unsigned int curand(curandStatePhilox4_32_10_t *state) {
    const uint4 o = state->output;
    const unsigned int at = state->STATE, word = at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w;
    if (++state->STATE == 4) {
        state->STATE = 0;
        haul_tc_philox_move(state, 1);
    }
    return word;
}
HAUL_TC_DEVICE uint4 curand4(curandStatePhilox4_32_10_t *state) {
    const uint4 a = state->output;
    haul_tc_philox_move(state, 1);
    const uint4 b = state->output;
    switch (state->STATE) {
    case 0: return a;
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    default: return make_uint4(a.w, b.x, b.y, b.z);
    }
}

/* ---- uniform numbers, above 0 and up to 1 ---- */

HAUL_TC_DEVICE float haul_tc_uniform(unsigned int word) {
    return (float)word * 0x1p-32f + 0x1p-33f;
}
HAUL_TC_DEVICE double haul_tc_uniform(unsigned int low, unsigned int high) {
    return (double)((unsigned long long)low ^ (unsigned long long)high << 21) * 0x1p-53 + 0x1p-54;
}
template <class State> HAUL_TC_DEVICE float curand_uniform(State *state) {
    return haul_tc_uniform(curand(state));
}
HAUL_TC_DEVICE double curand_uniform_double(curandStateXORWOW_t *state) {
    const unsigned int low = curand(state);
    return haul_tc_uniform(low, curand(state));
}
/* From one word, as in the library. */
HAUL_TC_DEVICE double curand_uniform_double(curandStatePhilox4_32_10_t *state) {
    return (double)curand(state) * 0x1p-32 + 0x1p-32;
}
HAUL_TC_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
    const uint4 w = curand4(state);
    return make_float4(haul_tc_uniform(w.x), haul_tc_uniform(w.y), haul_tc_uniform(w.z), haul_tc_uniform(w.w));
}
HAUL_TC_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
    const uint4 w = curand4(state);
    return make_double2(haul_tc_uniform(w.x, w.y), haul_tc_uniform(w.z, w.w));
}

/* ---- normal numbers, in pairs by the method of Box and Muller ---- */

HAUL_TC_DEVICE float2 haul_tc_normal(unsigned int a, unsigned int b) {
    const float turn = 6.2831853071795865f, angle = (float)b * (0x1p-32f * turn) + 0x1p-33f * turn;
    const float radius = sqrtf(-2.0f * logf(haul_tc_uniform(a)));
    float sine, cosine;
    __sincosf(angle, &sine, &cosine);
    return make_float2(sine * radius, cosine * radius);
}
HAUL_TC_DEVICE double2 haul_tc_normal(uint4 w) {
    double sine, cosine;
    sincospi(2 * haul_tc_uniform(w.z, w.w), &sine, &cosine);
    const double radius = sqrt(-2.0 * log(haul_tc_uniform(w.x, w.y)));
    return make_double2(sine * radius, cosine * radius);
}
template <class State> HAUL_TC_DEVICE float2 curand_normal2(State *state) {
    const unsigned int first = curand(state);
    return haul_tc_normal(first, curand(state));
}
template <class State> HAUL_TC_DEVICE double2 curand_normal2_double(State *state) {
    uint4 w;
    w.x = curand(state), w.y = curand(state), w.z = curand(state), w.w = curand(state);
    return haul_tc_normal(w);
}
HAUL_TC_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
    const uint4 w = curand4(state);
    const float2 a = haul_tc_normal(w.x, w.y), b = haul_tc_normal(w.z, w.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
/* The second number of a pair is the next call's, if that wants the same kind: 1 normal, 2 its exponential. */
template <class State> HAUL_TC_DEVICE float haul_tc_next_normal(State *state, int kind) {
    const bool kept = state->boxmuller_flag == kind;
    state->boxmuller_flag = kept ? 0 : kind;
    if (kept) return state->boxmuller_extra;
    const float2 pair = curand_normal2(state);
    state->boxmuller_extra = pair.y;
    return pair.x;
}
template <class State> HAUL_TC_DEVICE double haul_tc_next_normal_double(State *state, int kind) {
    const bool kept = state->boxmuller_flag_double == kind;
    state->boxmuller_flag_double = kept ? 0 : kind;
    if (kept) return state->boxmuller_extra_double;
    const double2 pair = curand_normal2_double(state);
    state->boxmuller_extra_double = pair.y;
    return pair.x;
}
template <class State> HAUL_TC_DEVICE float curand_normal(State *state) {
    return haul_tc_next_normal(state, 1);
}
template <class State> HAUL_TC_DEVICE double curand_normal_double(State *state) {
    return haul_tc_next_normal_double(state, 1);
}
template <class State> HAUL_TC_DEVICE float curand_log_normal(State *state, float mean, float deviation) {
    return expf(mean + deviation * haul_tc_next_normal(state, 2));
}
template <class State> HAUL_TC_DEVICE double curand_log_normal_double(State *state, double mean, double deviation) {
    return exp(mean + deviation * haul_tc_next_normal_double(state, 2));
}

#endif
#endif
