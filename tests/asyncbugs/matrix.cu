/* wgmma and setmaxnreg: one warpgroup, products of 64 x 8 x 16 whose a is in registers and b, 256 bytes, in shared
 * memory. sm_90a. */
#include "asyncbugs.cuh"

/* b as two core matrices of 128 bytes. */
static __device__ __forceinline__ uint64_t describe(const void *b) {
    return (uint64_t)(SHARED(b) >> 4) | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

#define FACTORS                                               \
    unsigned a[4] = {0x3c003c00, 0x40003c00, 0x3c00, 0x4000}; \
    float d[4] = {};                                          \
    out[1024 + T] = in[T]
/* Words of b: two halves near 1 each. */
#define fill(b, k) \
    if (T < 64) (b)[T] = 0x3c013c01 + T + 64 * (k)
#define multiply(b)                                                                                             \
    PTX("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;" \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                        \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(describe(b))                                          \
        : "memory")
#define product_fence() PTX("wgmma.fence.sync.aligned;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory")
#define product_commit() PTX("wgmma.commit_group.sync.aligned;" ::: "memory")
#define product_wait(n)                                                                                  \
    PTX("wgmma.wait_group.sync.aligned %8;"                                                              \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]) \
        : "n"(n)                                                                                         \
        : "memory")
#define store_sums(at) \
    for (int i = 0; i < 4; i++) out[(at) + 128 * i + T] = d[i]

/* ---- registers ---- */

/* The sums are stored while the product is in flight. */
KERNEL(sums_stored_before_wait) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    fill(b, 0);
    fence_async();
    __syncthreads();
    product_fence();
    multiply(b);
    product_commit();
    if (FIXED) product_wait(0);
    out[T] = d[0]; /* BUG */
    product_wait(0);
}

/* wait_group covers committed products only. */
KERNEL(product_not_committed) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    fill(b, 0);
    fence_async();
    __syncthreads();
    product_fence();
    multiply(b);
    if (FIXED) product_commit();
    product_wait(0);
    out[T] = d[0]; /* BUG */
    if (!FIXED) {
        product_commit();
        product_wait(0);
    }
}

/* The wait of the main loop leaves one group in flight; the epilogue needs all. */
KERNEL(last_product_left_in_flight) {
    __shared__ alignas(128) unsigned b[2][64];
    FACTORS;
    for (int k = 0; k < 2; k++) fill(b[k], k);
    fence_async();
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        product_fence();
        multiply(b[k]);
        product_commit();
        product_wait(1);
    }
    if (FIXED) product_wait(0);
    out[T] = d[0]; /* BUG */
    product_wait(0);
}

/* A sum is scaled while the product still adds to it. */
KERNEL(sum_changed_in_flight) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    fill(b, 0);
    fence_async();
    __syncthreads();
    product_fence();
    multiply(b);
    product_commit();
    if (FIXED) product_wait(0);
    d[1] *= 2; /* BUG */
    product_wait(0);
    store_sums(0);
}

/* The next fragment is loaded into the registers of a factor in flight. */
KERNEL(fragment_changed_in_flight) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    fill(b, 0);
    fence_async();
    __syncthreads();
    product_fence();
    multiply(b);
    product_commit();
    if (FIXED) product_wait(0);
    PTX("add.u32 %0, %0, 1;" : "+r"(a[2])::"memory"); /* BUG */
    product_wait(0);
    store_sums(0);
    out[512 + T] = (float)a[2];
}

/* Ordinary code has written the registers, and no wgmma.fence follows. */
KERNEL(registers_without_fence) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    fill(b, 0);
    fence_async();
    __syncthreads();
    d[0] = in[T];
    if (FIXED) product_fence();
    multiply(b); /* BUG */
    product_commit();
    product_wait(0);
    store_sums(0);
}

/* ---- shared memory ---- */

/* b is stored, and no proxy fence follows. */
KERNEL(factor_stored_without_fence) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    fill(b, 0);
    if (FIXED) fence_async();
    __syncthreads();
    product_fence();
    multiply(b); /* BUG */
    product_commit();
    product_wait(0);
    store_sums(0);
}

/* b comes by cp.async, which is no work of the async proxy either. */
KERNEL(factor_copied_without_fence) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    if (T < 16) copy16(&b[4 * T], in + 4 * T);
    copy_commit();
    copy_wait(0);
    if (FIXED) fence_async();
    __syncthreads();
    product_fence();
    multiply(b); /* BUG */
    product_commit();
    product_wait(0);
    out[T] = 1;
}

/* The next b is stored while the product still reads the last one. */
KERNEL(factor_overwritten_in_flight) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    for (int k = 0; k < 2; k++) {
        fill(b, k); /* BUG */
        fence_async();
        __syncthreads();
        product_fence();
        multiply(b);
        product_commit();
        if (FIXED) product_wait(0);
        __syncthreads();
    }
    product_wait(0);
    store_sums(0);
}

/* By PTX each warp waits for its own part of the product; another one may still read b. */
KERNEL(factor_overwritten_under_other_warps) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    for (int k = 0; k < 2; k++) {
        fill(b, k); /* BUG */
        fence_async();
        __syncthreads();
        product_fence();
        multiply(b);
        product_commit();
        product_wait(0);
        if (FIXED) __syncthreads();
    }
    store_sums(0);
}

/* The stage goes back to the producer after the commit, without a wait for the product. */
KERNEL(stage_released_before_wait) {
    __shared__ alignas(128) unsigned b[64];
    __shared__ mbarrier full, empty;
    START(&full, 1);
    START(&empty, 128);
    FACTORS;
    for (int k = 0; k < 2; k++) {
        if (T == 0) {
            if (k) barrier_wait(&empty, 0);
            barrier_expect(&full, 256);
            bulk_load(b, in + 64 * k, 256, &full); /* BUG */
        }
        __syncwarp();
        barrier_wait(&full, k);
        product_fence();
        multiply(b);
        product_commit();
        if (FIXED) product_wait(0);
        barrier_arrive(&empty);
    }
    product_wait(0);
    out[T] = 1;
}

/* A ring of two stages, and a wait that leaves two products in flight. */
KERNEL(product_wait_too_loose) {
    __shared__ alignas(128) unsigned b[2][64];
    FACTORS;
    for (int k = 0; k < 4; k++) {
        fill(b[k % 2], k); /* BUG */
        fence_async();
        __syncthreads();
        product_fence();
        multiply(b[k % 2]);
        product_commit();
        product_wait(FIXED ? 1 : 2);
        __syncthreads();
    }
    product_wait(0);
    store_sums(0);
}

/* ---- warpgroups ---- */

/* One warp of the group has no rows of its own, and leaves the product out. */
KERNEL(product_without_a_warp) {
    __shared__ alignas(128) unsigned b[64];
    FACTORS;
    fill(b, 0);
    fence_async();
    __syncthreads();
    if (FIXED || WARP != 3) {
        product_fence();
        multiply(b); /* BUG */
        product_commit();
        product_wait(0);
    }
    store_sums(0);
}

/* One warp changes the number of registers. */
KERNEL(registers_of_one_warp) {
    if (FIXED || WARP == 0) PTX("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory"); /* BUG */
    out[T] = in[T];
}

/* The number changes twice without a barrier of the warpgroup. */
KERNEL(registers_changed_twice) {
    PTX("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
    if (FIXED) __syncthreads();
    PTX("setmaxnreg.inc.sync.aligned.u32 80;" ::: "memory"); /* BUG */
    out[T] = in[T];
}
