/* The operations that atomics and reductions make on memory. */
#ifndef HAUL_STATE_ATOMIC_KIND_H
#define HAUL_STATE_ATOMIC_KIND_H

typedef enum sim_atomic_kind {
    SIM_ATOMIC_AND,
    SIM_ATOMIC_OR,
    SIM_ATOMIC_XOR,
    SIM_ATOMIC_EXCH,
    SIM_ATOMIC_CAS,
    SIM_ATOMIC_ADD,
    SIM_ATOMIC_INC,
    SIM_ATOMIC_DEC,
    SIM_ATOMIC_MIN_U,
    SIM_ATOMIC_MAX_U,
    SIM_ATOMIC_MIN_S,
    SIM_ATOMIC_MAX_S,
    SIM_ATOMIC_ADD_F,     /* f32, f64 by width */
    SIM_ATOMIC_ADD_FTZ,   /* f32 with subnormals, going in or coming out, as zeros of their sign */
    SIM_ATOMIC_ADD_QUIET, /* f64 whose NaNs become quiet */
    SIM_ATOMIC_ADD_F16,
    SIM_ATOMIC_ADD_F16X2,
    SIM_ATOMIC_ADD_BF16,
    SIM_ATOMIC_ADD_BF16X2,
    SIM_ATOMIC_MIN_F16,
    SIM_ATOMIC_MAX_F16,
    SIM_ATOMIC_MIN_BF16,
    SIM_ATOMIC_MAX_BF16,
    SIM_ATOMIC_MIN_F16X2,
    SIM_ATOMIC_MAX_F16X2,
    SIM_ATOMIC_MIN_BF16X2,
    SIM_ATOMIC_MAX_BF16X2,
    SIM_ATOMIC_KINDS
} sim_atomic_kind;

#endif
