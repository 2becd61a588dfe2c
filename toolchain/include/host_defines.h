/* Qualifiers of CUDA C: where code runs, where data lives, how a function is inlined.
 *
 * Part of haul's freestanding CUDA headers: our own work from the documented interfaces, for compiling CUDA
 * source with clang on a machine that has no CUDA toolkit. A host C compiler may include it too (the
 * qualifiers then vanish), so that type headers can be shared.
 */
#ifndef HAUL_TOOLCHAIN_HOST_DEFINES_H
#define HAUL_TOOLCHAIN_HOST_DEFINES_H
#define __HOST_DEFINES_H__ /* programs ask for it */

#if defined(__CUDA__) && !defined(__CUDACC__)
#define __CUDACC__ 1
#endif

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#endif

/* Only newer clangs know grid constants; elsewhere the parameter is an ordinary by-value parameter. */
#if defined(__has_attribute)
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#endif
#endif
#ifndef __grid_constant__
#define __grid_constant__
#endif

/* In whole programs the host's half asks for a managed variable's address at each access, and the device's half has it
 * with an alignment by which cu2ptx knows it. */
#if defined(HAUL_MANAGED) && defined(__CUDA_ARCH__)
#define __managed__ __device__ __attribute__((aligned(65536)))
#elif defined(HAUL_MANAGED)
#define __managed__ __device__ __thread
#else
#define __managed__ __device__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cudart_builtin__
#define __maxnreg__(n)
#define __cluster_dims__(...)
#define __nv_pure__ __attribute__((pure))
#ifndef __restrict__
#define __restrict__ __restrict
#endif

/* From version 15 on clang knows the bare word __noinline__ in CUDA source. Before that it has to be a macro,
 * and the C++ library headers that use it as an attribute are wrapped in bits/. */
#if !defined(__clang__) || __clang_major__ < 15 || !defined(__CUDA__)
#define __noinline__ __attribute__((noinline))
#endif

/* For the functions of these headers: without debug lines of their own, so that an inlined instruction belongs to the
 * line that called the function. */
#define HAUL_TC_INLINE __inline__ __attribute__((always_inline, nodebug))
#define HAUL_TC_DEVICE static __device__ HAUL_TC_INLINE
#define HAUL_TC_BOTH static __host__ __device__ HAUL_TC_INLINE

#define CUDARTAPI
#define CUDART_CB

#endif
