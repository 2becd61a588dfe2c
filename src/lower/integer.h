/* The rows of integer.def as data, and their sets of types and shapes. */
#ifndef HAUL_LOWER_INTEGER_H
#define HAUL_LOWER_INTEGER_H

#include "ptx/ir.h"

/* sim_op.integer. An instruction's own entry precedes its rows, so 0 is no row. */
typedef enum sim_integer {
#define INSTRUCTION(id) SIM_INTEGERS_##id,
#define BY_HAND(id) SIM_INTEGERS_##id,
#define ROW(name, mode, flag, types, shape, meaning) SIM_INTEGER_##name,
#include "lower/integer.def"
#undef INSTRUCTION
#undef BY_HAND
#undef ROW
    SIM_INTEGERS
} sim_integer;

/* Lanes of an operand. */
typedef enum sim_role {
    SIM_ROLE__, /* there is none */
    SIM_ROLE_T, /* of the instruction's type */
    SIM_ROLE_W, /* twice as wide */
    SIM_ROLE_N, /* 32 bits without sign */
    SIM_ROLE_P, /* a predicate */
} sim_role;

typedef struct sim_integer_row {
    bool begins;                /* an instruction's own entry; the rest is 0 */
    uint16_t mode, flag;        /* ptx_modifier */
    uint8_t result, sources[4]; /* sim_role of d, and of a, b, c and e */
} sim_integer_row;
extern const sim_integer_row sim_integer_rows[SIM_INTEGERS];

#define SIM_SHAPE_T_T T, T, _, _, _
#define SIM_SHAPE_N_T N, T, _, _, _
#define SIM_SHAPE_T_TT T, T, T, _, _
#define SIM_SHAPE_W_TT W, T, T, _, _
#define SIM_SHAPE_T_TN T, T, N, _, _
#define SIM_SHAPE_T_NN T, N, N, _, _
#define SIM_SHAPE_T_TTT T, T, T, T, _
#define SIM_SHAPE_W_TTW W, T, T, W, _
#define SIM_SHAPE_T_TTN T, T, T, N, _
#define SIM_SHAPE_T_TNN T, T, N, N, _
#define SIM_SHAPE_T_TTP T, T, T, P, _
#define SIM_SHAPE_T_TTNN T, T, T, N, N

/* Calls EACH(kind, ...) for the kinds of lanes in a set of types. 16, 32, 64 and x2 (pairs of 16 bits) have no sign and
 * serve every type of that width. */
#define SIM_TYPES_N32(EACH, ...) EACH(32, __VA_ARGS__)
#define SIM_TYPES_S32(EACH, ...) EACH(s32, __VA_ARGS__)
#define SIM_TYPES_N64(EACH, ...) EACH(64, __VA_ARGS__)
#define SIM_TYPES_S64(EACH, ...) EACH(s64, __VA_ARGS__)
#define SIM_TYPES_N32_N64(EACH, ...) EACH(32, __VA_ARGS__) EACH(64, __VA_ARGS__)
#define SIM_TYPES_N64_S64(EACH, ...) EACH(64, __VA_ARGS__) EACH(s64, __VA_ARGS__)
#define SIM_TYPES_N32_S32(EACH, ...) EACH(32, __VA_ARGS__) EACH(s32, __VA_ARGS__)
#define SIM_TYPES_S32_PAIRS(EACH, ...) EACH(s32, __VA_ARGS__) EACH(sx2, __VA_ARGS__)
#define SIM_TYPES_WIDTHS(EACH, ...) EACH(16, __VA_ARGS__) SIM_TYPES_N32_N64(EACH, __VA_ARGS__)
#define SIM_TYPES_WIDTHS_PAIRS(EACH, ...) SIM_TYPES_WIDTHS(EACH, __VA_ARGS__) EACH(x2, __VA_ARGS__)
#define SIM_TYPES_WIDTHS_PREDICATES(EACH, ...) SIM_TYPES_WIDTHS(EACH, __VA_ARGS__) EACH(pred, __VA_ARGS__)
#define SIM_TYPES_SIGNED(EACH, ...) EACH(s16, __VA_ARGS__) EACH(s32, __VA_ARGS__) EACH(s64, __VA_ARGS__)
#define SIM_TYPES_SIGNS(EACH, ...) SIM_TYPES_WIDTHS(EACH, __VA_ARGS__) SIM_TYPES_SIGNED(EACH, __VA_ARGS__)
#define SIM_TYPES_SIGNS_PAIRS(EACH, ...) SIM_TYPES_SIGNS(EACH, __VA_ARGS__) EACH(x2, __VA_ARGS__) EACH(sx2, __VA_ARGS__)
#define SIM_TYPES_SIGNS_TO_32(EACH, ...) \
    EACH(16, __VA_ARGS__) EACH(s16, __VA_ARGS__) SIM_TYPES_N32_S32(EACH, __VA_ARGS__)
#define SIM_TYPES_SIGNS_FROM_32(EACH, ...) SIM_TYPES_N32_S32(EACH, __VA_ARGS__) SIM_TYPES_N64_S64(EACH, __VA_ARGS__)

#endif
