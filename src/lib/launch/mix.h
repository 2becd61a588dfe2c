/* The generator behind random contents. */
#ifndef HAUL_LIB_LAUNCH_MIX_H
#define HAUL_LIB_LAUNCH_MIX_H

#include <stdint.h>

/* The 64-bit finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
static inline uint64_t launch_mix(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
