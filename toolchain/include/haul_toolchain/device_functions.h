/* The device side of the CUDA C language library, gathered. */
#ifndef HAUL_TOOLCHAIN_DEVICE_FUNCTIONS_GATHERED_H
#define HAUL_TOOLCHAIN_DEVICE_FUNCTIONS_GATHERED_H

#include "address.h"
#include "atomics.h"
#include "cache_hints.h"
#include "convert.h"
#include "integer.h"
#include "library.h"
#include "math_special.h"
#include "minmax.h"
#include "synchronise.h"
#include "textures.h"
#include "warp.h"

#undef HAUL_UNARY
#undef HAUL_BINARY
#undef HAUL_TERNARY

#endif
