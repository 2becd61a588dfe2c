/* Integer division and remainder. The host would trap on a zero divisor; the functions of wide.h do not. */
#include "exec/ops/lanes.h"
#include "exec/ops/wide.h"

/* If b is 0, the result is all ones, as in NVIDIA's division routines. */
SIM_BINARY(div_u16, uint16_t, uint16_t, quotient_u32(a, b))
SIM_BINARY(div_s16, int16_t, int16_t, quotient_s32(a, b))
SIM_BINARY(div_u32, uint32_t, uint32_t, quotient_u32(a, b))
SIM_BINARY(div_s32, int32_t, int32_t, quotient_s32(a, b))
SIM_BINARY(div_u64, uint64_t, uint64_t, quotient_u64(a, b))
SIM_BINARY(div_s64, int64_t, int64_t, quotient_s64(a, b))
SIM_BINARY(rem_u16, uint16_t, uint16_t, remainder_u32(a, b))
SIM_BINARY(rem_s16, int16_t, int16_t, remainder_s32(a, b))
SIM_BINARY(rem_u32, uint32_t, uint32_t, remainder_u32(a, b))
SIM_BINARY(rem_s32, int32_t, int32_t, remainder_s32(a, b))
SIM_BINARY(rem_u64, uint64_t, uint64_t, remainder_u64(a, b))
SIM_BINARY(rem_s64, int64_t, int64_t, remainder_s64(a, b))

haul_status LOWER(DIV)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_SIGN(div)};
    return sim_lower_binary(l, i, handlers[i->type]);
}

haul_status LOWER(REM)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_SIGN(rem)};
    return sim_lower_binary(l, i, handlers[i->type]);
}
