/* Which compilation of the instruction handlers this machine runs best. */
#include "sim/count/vectors/vectors.h"
#include "sim/lower/lower.h"

#define DECLARE(variant)                                               \
    extern const sim_lower_fn sim_lower_table_##variant[PTX_OP_COUNT]; \
    extern const sim_vectors sim_vectors_##variant;

#if defined(SIM_HAVE_v2)
DECLARE(v2)
DECLARE(v3)
DECLARE(v4)

static bool has_v4(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}

static bool has_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}

#define RETURN_BEST(name)           \
    __builtin_cpu_init();           \
    if (has_v4()) return name##_v4; \
    return has_v3() ? name##_v3 : name##_v2
#else
DECLARE(native)

#define RETURN_BEST(name) return name##_native
#endif

const sim_lower_fn *sim_lower_table(void) {
    RETURN_BEST(sim_lower_table);
}

_Atomic(const sim_vectors *) sim_vectors_chosen;

static const sim_vectors *best_vectors(void) {
    RETURN_BEST(&sim_vectors);
}

const sim_vectors *sim_vectors_choose(void) {
    const sim_vectors *best = best_vectors();
    atomic_store_explicit(&sim_vectors_chosen, best, memory_order_relaxed);
    return best;
}
