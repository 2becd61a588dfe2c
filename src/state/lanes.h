/* Loops over a warp's lanes. */
#ifndef HAUL_STATE_LANES_H
#define HAUL_STATE_LANES_H

#include "state/warp.h"

/* The pragma promises that a destination may be one of the sources, lane for lane. Clang unrolls a loop this short
 * before its vectoriser sees it, unless told not to. */
#if defined(__clang__)
/* It does no harm to a loop that cannot be vectorised (64-bit division). */
#pragma clang diagnostic ignored "-Wpass-failed"
#define SIM_VECTORISE _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define SIM_VECTORISE _Pragma("GCC ivdep")
#endif

#define SIM_EACH_LANE(l) SIM_VECTORISE for (unsigned l = 0; l < SIM_LANES; l++)

/* The order in which lanes of one instruction store. Hardware takes groups of lanes in turn: all 32 if each stores up
 * to 4 bytes, 16 for 8 bytes, 8 for 16 bytes. If lanes share an address, the first lane of the last group stays. An
 * H200 stores so in global and shared memory. Hence the k-th lane to store is k ^ turn, and the last one stays. */
static inline unsigned sim_store_turn(unsigned bytes) {
    return bytes <= 4 ? SIM_LANES - 1 : 128 / bytes - 1;
}

/* Returns the lanes' bits in that order: bit k is that of lane k ^ turn. */
static inline uint32_t sim_turn_lanes(uint32_t lanes, unsigned turn) {
    if (turn & 16) lanes = lanes << 16 | lanes >> 16;
    if (turn & 8) lanes = (lanes & 0x00ff00ff) << 8 | (lanes >> 8 & 0x00ff00ff);
    if (turn & 4) lanes = (lanes & 0x0f0f0f0f) << 4 | (lanes >> 4 & 0x0f0f0f0f);
    lanes = (lanes & 0x33333333) << 2 | (lanes >> 2 & 0x33333333);
    return (lanes & 0x55555555) << 1 | (lanes >> 1 & 0x55555555);
}

/* Stores `expression` (of lane l) into d[l] of the active lanes. It is evaluated for inactive lanes too and must not
 * trap. */
#define SIM_STORE_LANES(d, active, expression)                        \
    do {                                                              \
        if ((active) == SIM_ALL_LANES) {                              \
            SIM_EACH_LANE(l)(d)[l] = (expression);                    \
        } else {                                                      \
            SIM_EACH_LANE(l) {                                        \
                const __typeof__(*(d)) made_ = (expression);          \
                const __typeof__(*(d)) kept_ = (d)[l];                \
                (d)[l] = ((active) & (1u << l)) != 0 ? made_ : kept_; \
            }                                                         \
        }                                                             \
    } while (0)

/* Gathers `condition` (of lane l) into bit l of `mask`. */
#define SIM_GATHER_LANES(mask, condition)                            \
    do {                                                             \
        uint32_t bits_ = 0;                                          \
        SIM_EACH_LANE(l) bits_ |= (uint32_t)((condition) != 0) << l; \
        (mask) = bits_;                                              \
    } while (0)

/* Writes the active lanes' bits of a predicate. */
static inline void sim_set_predicate(sim_warp *w, uint32_t slot, uint32_t bits, uint32_t active) {
    uint32_t *p = &SIM_PREDICATE(w, slot);
    *p = (*p & ~active) | (bits & active);
}

#endif
