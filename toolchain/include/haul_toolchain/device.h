/* Included by every device-side part of these headers. */
#ifndef HAUL_TOOLCHAIN_DEVICE_H
#define HAUL_TOOLCHAIN_DEVICE_H

#include "../vector_functions.h"

/* Bits of one value as another type of the same size. */
template <class To, class From> HAUL_TC_BOTH To haul_tc_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "haul_tc_bits: sizes differ");
    To to;
    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}

#endif
