/* Integer sums and comparisons of packed bytes, and the sums that clamp, new in PTX ISA 9.2.
 *
 * Each lane's parts are computed one after the other as int64_t, which holds all sums of 32 bits. */
#include "exec/ops/lanes.h"

#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define CLAMPED(x, least, most) GREATER(least, LESSER(x, most))

/* Defines handler `name`: each part of d, of type T, is `meaning` of the parts a and b. */
#define PARTS(name, T, meaning)                                                                  \
    static inline uint32_t name##_parts(uint32_t first, uint32_t second) {                       \
        uint32_t made = 0;                                                                       \
        for (unsigned n = 0; n < 32; n += 8 * (unsigned)sizeof(T)) {                             \
            const int64_t a = (T)(first >> n), b = (T)(second >> n);                             \
            (void)b;                                                                             \
            made |= (uint32_t)((uint64_t)(meaning) & (UINT64_MAX >> (64 - 8 * sizeof(T)))) << n; \
        }                                                                                        \
        return made;                                                                             \
    }                                                                                            \
    SIM_BINARY(name, uint32_t, uint32_t, name##_parts(a, b))

PARTS(add_sat_u32, uint32_t, LESSER(a + b, UINT32_MAX))
PARTS(add_sat_u16, uint16_t, LESSER(a + b, UINT16_MAX))
PARTS(add_sat_s16, int16_t, CLAMPED(a + b, INT16_MIN, INT16_MAX))
PARTS(add_8, uint8_t, a + b)
PARTS(add_sat_u8, uint8_t, LESSER(a + b, UINT8_MAX))
PARTS(add_sat_s8, int8_t, CLAMPED(a + b, INT8_MIN, INT8_MAX))
PARTS(sub_8, uint8_t, a - b)
PARTS(sub_sat_u8, uint8_t, GREATER(a - b, 0))
PARTS(sub_sat_s8, int8_t, CLAMPED(a - b, INT8_MIN, INT8_MAX))
PARTS(neg_8, uint8_t, -a)
PARTS(min_u8, uint8_t, LESSER(a, b))
PARTS(min_s8, int8_t, LESSER(a, b))
PARTS(min_relu_s8, int8_t, GREATER(LESSER(a, b), 0))
PARTS(max_u8, uint8_t, GREATER(a, b))
PARTS(max_s8, int8_t, GREATER(a, b))
PARTS(max_relu_s8, int8_t, GREATER(GREATER(a, b), 0))

haul_status LOWER(ADD_SATURATED)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers by_type = {[PTX_U32] = add_sat_u32, [PTX_U16X2] = add_sat_u16, [PTX_S16X2] = add_sat_s16};
    return sim_lower_binary(l, i, by_type[i->type]);
}

/* Returns the handler for bytes with or without sign, or, if the results clamp, another one. */
static sim_handler of_bytes(const ptx_instruction *i, sim_handler plain, sim_handler u8, sim_handler s8) {
    if (!i->mods[PTX_SLOT_SAT]) return plain;
    return i->type == PTX_S8X4 ? s8 : u8;
}

haul_status LOWER(ADD_BYTES)(sim_lowering *l, const ptx_instruction *i) {
    return sim_lower_binary(l, i, of_bytes(i, add_8, add_sat_u8, add_sat_s8));
}

haul_status LOWER(SUB_BYTES)(sim_lowering *l, const ptx_instruction *i) {
    return sim_lower_binary(l, i, of_bytes(i, sub_8, sub_sat_u8, sub_sat_s8));
}

haul_status LOWER(NEG_BYTES)(sim_lowering *l, const ptx_instruction *i) {
    return sim_lower_unary(l, i, neg_8);
}

haul_status LOWER(MIN_BYTES)(sim_lowering *l, const ptx_instruction *i) {
    if (i->type == PTX_U8X4) return sim_lower_binary(l, i, min_u8);
    return sim_lower_binary(l, i, i->mods[PTX_SLOT_RELU] ? min_relu_s8 : min_s8);
}

haul_status LOWER(MAX_BYTES)(sim_lowering *l, const ptx_instruction *i) {
    if (i->type == PTX_U8X4) return sim_lower_binary(l, i, max_u8);
    return sim_lower_binary(l, i, i->mods[PTX_SLOT_RELU] ? max_relu_s8 : max_s8);
}
