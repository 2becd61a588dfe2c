/* How handlers loop over lanes. */
#ifndef HAUL_SIM_OPS_LANES_H
#define HAUL_SIM_OPS_LANES_H

#include "sim/lower.h"
#include "sim/warp.h"

#include <string.h>

#if defined(__clang__)
#define SIM_VECTORISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIM_VECTORISE _Pragma("GCC ivdep")
#endif

/* A destination may be one of the sources, lane for lane: that is what the pragma promises to be harmless. */
#define SIM_EACH_LANE(l) SIM_VECTORISE for (unsigned l = 0; l < SIM_LANES; l++)

/* Stores `expression` (of lane l) into d[l] of the active lanes. Evaluated for inactive lanes too: must not trap. */
#define SIM_STORE_LANES(d, active, expression)                                    \
    do {                                                                          \
        if ((active) == SIM_ALL_LANES) {                                          \
            SIM_EACH_LANE(l)(d)[l] = (expression);                                \
        } else {                                                                  \
            SIM_EACH_LANE(l)(d)[l] = ((active) >> l & 1) ? (expression) : (d)[l]; \
        }                                                                         \
    } while (0)

/* handler `name`: d = expression of a (b, c): lanes of type S, the result of type D. */
#define SIM_UNARY(name, D, S, expression)                                  \
    static inline D name##_lane(S a) {                                     \
        return (D)(expression);                                            \
    }                                                                      \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) { \
        D *d = SIM_SLOT(w, D, op->d);                                      \
        const S *a = SIM_SLOT(w, S, op->a);                                \
        SIM_STORE_LANES(d, active, name##_lane(a[l]));                     \
        return SIM_NEXT;                                                   \
    }

#define SIM_BINARY(name, D, S, expression)                                 \
    static inline D name##_lane(S a, S b) {                                \
        return (D)(expression);                                            \
    }                                                                      \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) { \
        D *d = SIM_SLOT(w, D, op->d);                                      \
        const S *a = SIM_SLOT(w, S, op->a), *b = SIM_SLOT(w, S, op->b);    \
        SIM_STORE_LANES(d, active, name##_lane(a[l], b[l]));               \
        return SIM_NEXT;                                                   \
    }

#define SIM_TERNARY(name, D, S, expression)                                                         \
    static inline D name##_lane(S a, S b, S c) {                                                    \
        return (D)(expression);                                                                     \
    }                                                                                               \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) {                          \
        D *d = SIM_SLOT(w, D, op->d);                                                               \
        const S *a = SIM_SLOT(w, S, op->a), *b = SIM_SLOT(w, S, op->b), *c = SIM_SLOT(w, S, op->c); \
        SIM_STORE_LANES(d, active, name##_lane(a[l], b[l], c[l]));                                  \
        return SIM_NEXT;                                                                            \
    }

#endif
