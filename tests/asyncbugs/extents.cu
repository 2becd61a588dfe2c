/* Memory that nobody has written, that is not there, or not aligned. sm_90. */
#include "asyncbugs.cuh"

#define copy_up_to(s, g, bytes) \
    PTX("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(SHARED(s)), "l"(g), "r"(bytes) : "memory")
#define load_matrices(a, b, s) \
    PTX("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(SHARED(s)))
extern __shared__ float dynamic[];

/* The tail of the tile is not filled, and added all the same. */
KERNEL(tail_of_tile_added) {
    __shared__ float s[128];
    if (T < 100)
        s[T] = in[T];
    else if (FIXED)
        s[T] = 0;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (T < d) s[T] += s[T + d];
        __syncthreads();
    }
    if (T == 0) out[0] = s[0]; /* BUG */
}

/* A stencil: the right halo is not loaded. */
KERNEL(halo_not_loaded) {
    __shared__ float s[130];
    s[T + 1] = in[T + 1];
    if (T == 0) s[0] = in[0];
    if (FIXED && T == 127) s[129] = in[129];
    __syncthreads();
    out[T] = s[T] + s[T + 1] + s[T + 2]; /* BUG */
}

/* The last thread reads beyond the tile. */
KERNEL(one_beyond_the_tile) {
    __shared__ float s[128], other[128];
    s[T] = in[T];
    other[T] = in[T] * 2;
    __syncthreads();
    out[T] = (FIXED ? s[min(T + 1, 127u)] : s[T + 1]) + other[T]; /* BUG */
}

/* Four words at a time, and the count is no multiple of four. */
KERNEL(wide_load_at_the_end) {
    const int count = 4094;
    float4 v = {};
    const int i = 4000 + 4 * (int)T;
    if (FIXED ? i + 3 < count : i < count + 3) v = *(const float4 *)(in + i); /* BUG */
    out[T] = v.x;
}

/* Rows of 129 words are read 16 bytes at a time. */
KERNEL(wide_load_of_odd_rows) {
    const int row = T / 32;
    const float *p = in + (FIXED ? 132 : 129) * row + 4 * LANE;
    const float4 v = *(const float4 *)p; /* BUG */
    out[T] = v.x + v.y + v.z + v.w;
}

/* Only some elements of a thread's array are set. */
KERNEL(element_of_array_not_set) {
    float a[8];
#pragma unroll 1
    for (int i = 0; i < (FIXED ? 8 : 7); i++) a[(i * 3 + (int)in[i]) % 8] = in[T + i];
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < 8; i++) sum += a[(i + T) % 8]; /* BUG */
    out[T] = sum;
}

/* The element to the left of the first one. */
KERNEL(element_before_the_first) {
    const int i = (int)T - 1;
    out[T] = in[FIXED ? max(i, 0) : i]; /* BUG */
}

/* More dynamic shared memory is used than the launch gives. */
KERNEL(more_dynamic_memory_than_given) {
    dynamic[T] = in[T];
    if (!FIXED) dynamic[T + 128] = in[T + 128]; /* BUG */
    __syncthreads();
    out[T] = dynamic[127 - T];
}

/* Memory of the heap is freed while other threads use it. */
KERNEL(heap_block_freed_in_use) {
    __shared__ float *block;
    if (T == 0) block = (float *)malloc(128 * sizeof(float));
    __syncthreads();
    block[T] = in[T]; /* BUG */
    ORDERED;
    if (FIXED) __syncthreads();
    if (T == 0) free(block); /* BUG */
}

/* The sums of three warps are stored, and four are added. */
KERNEL(sum_of_a_warp_that_stored_none) {
    __shared__ float sums[4];
    float v = in[T];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (LANE == 0 && (FIXED || WARP < 3)) sums[WARP] = v;
    __syncthreads();
    if (T == 0) out[0] = sums[0] + sums[1] + sums[2] + sums[3]; /* BUG */
}

/* Half of the lanes' fragments are never loaded by ldmatrix: rows 8 to 15 are not filled. */
KERNEL(rows_not_filled_for_ldmatrix) {
    __shared__ __align__(16) unsigned rows[16 * 4];
    if (T < (FIXED ? 64 : 32)) rows[T] = __float_as_uint(in[T]);
    __syncthreads();
    if (T < 32) {
        unsigned a, b;
        load_matrices(a, b, rows + 4 * (T % 16)); /* BUG */
        out[T] = __uint_as_float(a);
        out[32 + T] = __uint_as_float(b); /* BUG */
    }
}

/* The copy zero-fills nothing: the source is longer than the row. */
KERNEL(copy_beyond_the_end) {
    __shared__ __align__(16) float s[512];
    const float *last = in + 4096 - 510;
    copy4(s + T, last + T);
    copy4(s + 128 + T, last + 128 + T);
    copy4(s + 256 + T, last + 256 + T);
    if (FIXED ? T < 126 : 1) copy4(s + 384 + T, last + 384 + T); /* BUG */
    copy_commit();
    copy_wait(0);
    __syncthreads();
    out[T] = s[(T * 3) % 510];
}

/* The bulk copy reaches beyond the end of the buffer. */
KERNEL(bulk_copy_beyond_the_end) {
    __shared__ __align__(16) float s[128];
    __shared__ mbarrier b;
    START(&b, 1);
    const int bytes = FIXED ? 256 : 512;
    if (T == 0) {
        barrier_expect(&b, bytes);
        bulk_load(s, in + 4096 - 64, bytes, &b); /* BUG */
    }
    barrier_wait(&b, 0);
    out[T] = s[T % 64];
}

/* The second array begins at a number of bytes, taken as a number of words by four. */
KERNEL(arrays_overlap_in_dynamic_memory) {
    float *first = dynamic, *second = dynamic + (FIXED ? 128 : 32);
    first[T] = in[T];
    second[T] = in[T + 1]; /* BUG */
    __syncthreads();
    out[T] = first[127 - T] + second[127 - T];
}

/* A table in constant memory has fewer entries than there are threads. */
__constant__ float weights[64] = {1, 2, 3};
KERNEL(index_beyond_constant_memory) {
    const int at = FIXED ? T % 64 : T;
    out[T] = weights[at + (int)(in[0] > 2)]; /* BUG */
}

/* Not all of a block of the heap is set. */
KERNEL(heap_block_not_set) {
    __shared__ float *block;
    if (T == 0) block = (float *)malloc(128 * sizeof(float));
    __syncthreads();
    if (FIXED || T < 100) block[T] = in[T];
    __syncthreads();
    out[T] = block[127 - T]; /* BUG */
    __syncthreads();
    if (T == 0) free(block);
}

/* Two threads free one block. */
KERNEL(heap_block_freed_twice) {
    __shared__ void *block;
    if (T == 0) block = malloc(64);
    __syncthreads();
    if (T == 0 || (!FIXED && T == 1)) free(block); /* BUG */
}

/* Behind the end of the row, the size of what is left is negative. */
KERNEL(size_of_what_is_left_negative) {
    __shared__ alignas(16) float s[512];
    const int left = 4 * (402 - 4 * (int)T), least = FIXED ? 0 : left;
    const int bytes = left > 16 ? 16 : left < least ? least : left;
    const float *from = left > 0 ? in + 4 * T : in;
    copy_up_to(s + 4 * T, from, bytes); /* BUG */
    PTX("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[T] = s[T];
}
