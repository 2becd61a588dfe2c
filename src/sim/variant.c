/* Which compilation of the instruction handlers this machine runs best. */
#include "sim/lower/lower.h"

#define DECLARE(variant) extern const sim_lower_fn sim_lower_table_##variant[PTX_OP_COUNT];

#if defined(SIM_HAVE_v2)
DECLARE(v2)
DECLARE(v3)
DECLARE(v4)

const sim_lower_fn *sim_lower_table(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        return sim_lower_table_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        return sim_lower_table_v3;
    return sim_lower_table_v2;
}
#else
DECLARE(native)

const sim_lower_fn *sim_lower_table(void) {
    return sim_lower_table_native;
}
#endif
