/* Addresses of a warp's lanes for tests of the memory system. */
#ifndef HAUL_TESTS_SIM_ACCESS_H
#define HAUL_TESTS_SIM_ACCESS_H

#include "state/op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Lane l at base + l * stride. */
static inline const uint64_t *strided(uint64_t base, uint64_t stride) {
    static uint64_t address[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = base + l * stride;
    return address;
}

/* The same in shared memory. */
static inline const uint32_t *strided_shared(uint32_t base, uint32_t stride) {
    static uint32_t address[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = base + l * stride;
    return address;
}

#endif
