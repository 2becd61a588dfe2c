/* threadIdx, blockIdx, blockDim, gridDim and warpSize.
 *
 * Each is an object without storage whose members read a special register, so that only the components that a
 * kernel names are read. */
#ifndef HAUL_TOOLCHAIN_DEVICE_LAUNCH_PARAMETERS_H
#define HAUL_TOOLCHAIN_DEVICE_LAUNCH_PARAMETERS_H
#define __DEVICE_LAUNCH_PARAMETERS_H__ /* programs ask for it */

#include "vector_types.h"

#if defined(__CUDA__)

#define HAUL_COMPONENT(component, sreg)                                  \
    __declspec(property(get = read_##component)) unsigned int component; \
    static __device__ HAUL_TC_INLINE unsigned int read_##component() {   \
        return __nvvm_read_ptx_sreg_##sreg##_##component();              \
    }

#define HAUL_LAUNCH_VARIABLE(variable, type, sreg)        \
    struct haul_##variable {                              \
        HAUL_COMPONENT(x, sreg)                           \
        HAUL_COMPONENT(y, sreg)                           \
        HAUL_COMPONENT(z, sreg)                           \
        __device__ HAUL_TC_INLINE operator type() const { \
            return type{read_x(), read_y(), read_z()};    \
        }                                                 \
    };                                                    \
    extern const __device__ __attribute__((weak)) struct haul_##variable variable;

HAUL_LAUNCH_VARIABLE(threadIdx, uint3, tid)
HAUL_LAUNCH_VARIABLE(blockIdx, uint3, ctaid)
HAUL_LAUNCH_VARIABLE(blockDim, dim3, ntid)
HAUL_LAUNCH_VARIABLE(gridDim, dim3, nctaid)
#undef HAUL_LAUNCH_VARIABLE
#undef HAUL_COMPONENT

static __device__ __constant__ const int warpSize = 32;

#endif
#endif
