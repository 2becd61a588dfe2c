/* The data for benchmarks and their verification, shared by verify.cu and its callers. */
#ifndef HAUL_KERNELS_VERIFY_H
#define HAUL_KERNELS_VERIFY_H

/* Floats after every array, which must neither be written nor affect results. */
#define VERIFY_GUARD 1024

/* Contents of results before a launch, and of guards after results: a NaN. */
#define VERIFY_POISON 0xffffffffu

/* Inputs are streams of values, made from a hash of the index; adding this to the index selects another stream. */
#define VERIFY_SECOND 0x40000000u

/* The factor of saxpy. */
#define VERIFY_ALPHA 0.25f

/* Subtracted from the values of vectors and small matrices, so that products have both signs. */
#define VERIFY_MIDDLE 1.25f

/* A stencil's coefficient at distance k. */
#define VERIFY_COEFFICIENT(k) (1.0f / (float)(1 + 2 * (k)))

/* Tolerance of sums in unspecified order, as a share of the sum of absolute values. */
#define VERIFY_TOLERANCE 1e-5f

#endif
