/* Macros that make handlers from an expression for one lane, and helpers with which lowering functions name their
 * operands. */
#ifndef HAUL_EXEC_OPS_LANES_H
#define HAUL_EXEC_OPS_LANES_H

#include "base/status.h"
#include "lower/lower.h"
#include "state/lanes.h"

#include <string.h>

/* Defines handler `name`: d = expression of a (b, c), with lanes of type S and a result of type D. */
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

#define SIM_BINARY(name, D, S, expression) SIM_BINARY_OF(name, D, S, S, expression)
#define SIM_TERNARY(name, D, S, expression) SIM_TERNARY_OF(name, D, S, S, S, expression)

/* The same with a separate type for each source. */
#define SIM_BINARY_OF(name, D, A, B, expression)                           \
    static inline D name##_lane(A a, B b) {                                \
        return (D)(expression);                                            \
    }                                                                      \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) { \
        D *d = SIM_SLOT(w, D, op->d);                                      \
        const A *a = SIM_SLOT(w, A, op->a);                                \
        const B *b = SIM_SLOT(w, B, op->b);                                \
        SIM_STORE_LANES(d, active, name##_lane(a[l], b[l]));               \
        return SIM_NEXT;                                                   \
    }

#define SIM_TERNARY_OF(name, D, A, B, C, expression)                       \
    static inline D name##_lane(A a, B b, C c) {                           \
        return (D)(expression);                                            \
    }                                                                      \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) { \
        D *d = SIM_SLOT(w, D, op->d);                                      \
        const A *a = SIM_SLOT(w, A, op->a);                                \
        const B *b = SIM_SLOT(w, B, op->b);                                \
        const C *c = SIM_SLOT(w, C, op->c);                                \
        SIM_STORE_LANES(d, active, name##_lane(a[l], b[l], c[l]));         \
        return SIM_NEXT;                                                   \
    }

/* Entries of a handler table indexed by ptx_type: for `name`_16, _32, _64 (where the sign makes no difference), or for
 * `name`_u16 to _s64. */
#define SIM_BY_WIDTH(name)                                                                                             \
    [PTX_B16] = name##_16, [PTX_U16] = name##_16, [PTX_S16] = name##_16, [PTX_B32] = name##_32, [PTX_U32] = name##_32, \
    [PTX_S32] = name##_32, [PTX_B64] = name##_64, [PTX_U64] = name##_64, [PTX_S64] = name##_64
#define SIM_BY_SIGN(name)                                                                           \
    [PTX_U16] = name##_u16, [PTX_S16] = name##_s16, [PTX_U32] = name##_u32, [PTX_S32] = name##_s32, \
    [PTX_U64] = name##_u64, [PTX_S64] = name##_s64
#define SIM_BY_FLOAT(name) [PTX_F32] = name##_f32, [PTX_F64] = name##_f64
typedef const sim_handler sim_handlers[PTX_TYPE_COUNT];

/* Emits `run` with the instruction's first operand as destination and the next ones as sources. They are read as types
 * a, b and c, as far as these are not PTX_TYPE_NONE. Without a handler, records the error and returns NULL. */
static inline sim_op *sim_emit_with(sim_lowering *l, const ptx_instruction *i, sim_handler run, unsigned a, unsigned b,
                                    unsigned c) {
    if (!run) {
        (void)sim_lower_fail(l, "the virtual GPU does not support this combination of type and modifiers");
        return NULL;
    }
    const uint32_t d = sim_destination(l, &i->operands[0]);
    const uint32_t slot_a = sim_source(l, &i->operands[1], a);
    const uint32_t slot_b = b ? sim_source(l, &i->operands[2], b) : SIM_SLOT_ZERO;
    const uint32_t slot_c = c ? sim_source(l, &i->operands[3], c) : SIM_SLOT_ZERO;
    sim_op *op = sim_emit(l, run);
    op->d = d, op->a = slot_a, op->b = slot_b, op->c = slot_c;
    return op;
}

static inline haul_status sim_emitted(const sim_op *op) {
    return op ? HAUL_OK : HAUL_ERROR_UNSUPPORTED;
}

/* The usual cases: all sources have the instruction's type. */
static inline haul_status sim_lower_unary(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    return sim_emitted(sim_emit_with(l, i, run, i->type, 0, 0));
}
static inline haul_status sim_lower_binary(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    return sim_emitted(sim_emit_with(l, i, run, i->type, i->type, 0));
}

#endif
