/* Chooses the vector extension of the host. Some folders are compiled once for each extension (src/CMakeLists.txt).
 * Each variant names its table TABLE_VARIANT; VARIANT_RETURN_BEST(TABLE) chooses the best one for this host. */
#ifndef HAUL_BASE_VARIANT_H
#define HAUL_BASE_VARIANT_H

#include <stdbool.h>

/* SIM_PASTE(name, SIM_VARIANT) is the name in the variant that is compiled. */
#define SIM_PASTE_(a, b) a##_##b
#define SIM_PASTE(a, b) SIM_PASTE_(a, b)

/* VARIANT_EACH(DECLARE) declares the tables of all variants. */
#if defined(SIM_HAVE_v2)
#define VARIANT_EACH(declare) \
    declare(v2);              \
    declare(v3);              \
    declare(v4)

static inline bool variant_has_v4(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}

static inline bool variant_has_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}

#define VARIANT_RETURN_BEST(name)           \
    __builtin_cpu_init();                   \
    if (variant_has_v4()) return name##_v4; \
    return variant_has_v3() ? name##_v3 : name##_v2
#else
#define VARIANT_EACH(declare) declare(native)
#define VARIANT_RETURN_BEST(name) return name##_native
#endif

#endif
