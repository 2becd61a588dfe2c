/* The data that benchmarks run on and are verified with: what the kernels of verify.cu and their callers agree on. */
#ifndef HAUL_KERNELS_VERIFY_H
#define HAUL_KERNELS_VERIFY_H

/* Floats behind every array that nobody may write, nor let count. */
#define VERIFY_GUARD 1024

/* What results hold before a launch, and guards behind results for good: a NaN. */
#define VERIFY_POISON 0xffffffffu

/* Inputs are streams of values that a hash of the index makes: this added to the index is another stream. */
#define VERIFY_SECOND 0x40000000u

/* Of saxpy. */
#define VERIFY_ALPHA 0.25f

/* Taken off the values of vectors and small matrices, so that products have both signs. */
#define VERIFY_MIDDLE 1.25f

/* A stencil's coefficient at distance k. */
#define VERIFY_COEFFICIENT(k) (1.0f / (float)(1 + 2 * (k)))

/* How far sums may be off whose order is not given, in shares of the sum of what is added. */
#define VERIFY_TOLERANCE 1e-5f

#endif
