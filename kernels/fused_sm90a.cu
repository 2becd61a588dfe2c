/* C = A * f(B) as in fused.cu, on Hopper's tensor cores, with single precision's accuracy.
 *
 * Tensor cores multiply numbers of 11 significant bits (tf32). Every element is therefore the sum of two such numbers,
 * x = high + low with |low| <= 2^-11 |x|, and a product is high high + high low + low high: what is left out and what
 * low loses is below 2^-22 of it. The products of low parts are added before those of high parts, so that only these,
 * eight k at a time, meet the tensor core's rounding towards zero at full size. Measured on an H200 for A of 128 x 64,
 * the largest error of 2.7e8 elements is 4.7e-7 of the sum of the products' sizes, where one fmaf for each k
 * makes 5.5e-7. Results are not bit for bit those of the other forms; infinities and numbers beyond 2^127 become NaN.
 *
 * The tensor cores compute C^T = f(B)^T A^T. A warp takes strips of 32 columns of B: a lane's fragment of f(B)^T is a
 * vector of a row of B, and its results are vectors of rows of C, so that all accesses are whole lines and nothing is
 * exchanged. A warpgroup multiplies 128 columns by A, whose parts lie in shared memory. Each warp's next strip arrives
 * by LDGSTS meanwhile, in a ring that belongs to the warp: no barrier is needed. */
#include <cuda_runtime.h>
#include <cuda_pipeline_primitives.h>

#define DEVICE static __device__ __forceinline__

#define WARPS 8  /* of a block: two warpgroups */
#define STRIP 32 /* columns of a warp */
#define STAGES 2 /* strips of a warp's ring */
#define WIDTH (WARPS * STRIP)

typedef struct problem {
    float *c;
    const float *a, *b;
    unsigned m, k, n;
    bool vectors; /* all rows of B and C begin at multiples of 16 bytes */
} problem;

DEVICE float f(float x) {
    return fmaf(x, fabsf(x), 0.5f * x);
}

/* ---- numbers as two of 11 bits ---- */

#define KEPT 0xffffe000u /* bits of a float that a tensor core reads */

DEVICE unsigned high_part(float x) {
    return (__float_as_uint(x) + 0x1000u) & KEPT;
}

/* The rest, to which half of the last bit is added that is read: the tensor core cuts off what is behind. */
DEVICE unsigned low_part(float x, unsigned high) {
    return __float_as_uint(x - __uint_as_float(high)) + 0x1000u;
}

/* ---- A in shared memory: matrices of 8 rows by 4 columns, those of the same columns next to each other ----
 *
 * A lane's words of a row of B are two rows apart in those of lower k, and so are the columns of A: column 2 i of eight
 * comes as i, column 2 i + 1 as 4 + i. The lanes of a quarter of a warp then find all banks. */

DEVICE unsigned place_in_a(unsigned rows, unsigned row, unsigned l) {
    const unsigned at = l % 2 * 4 + l % 8 / 2;
    return ((l / 8 * 2 + at / 4) * (rows / 8) + row / 8) * 32 + row % 8 * 4 + at % 4;
}

/* High parts, and behind them low parts, with zeros beyond m and k. */
DEVICE void keep_a(unsigned *kept, const problem *p, unsigned rows, unsigned depth) {
    for (unsigned i = threadIdx.x; i < rows * depth; i += blockDim.x) {
        const unsigned row = i / depth, l = i % depth, at = place_in_a(rows, row, l);
        const float x = row < p->m && l < p->k ? p->a[(size_t)row * p->k + l] : 0.0f;
        const unsigned high = high_part(x);
        kept[at] = high;
        kept[rows * depth + at] = low_part(x, high) & KEPT;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

/* Describes eight columns of A's high parts (0) or low parts (1) to the tensor cores. */
DEVICE unsigned long long describe_a(const unsigned *kept, unsigned rows, unsigned depth, unsigned part,
                                     unsigned step) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(kept + part * rows * depth + step * 8 * rows);
    return (at & 0x3ffffull) >> 4 | (unsigned long long)(rows * 16 >> 4) << 16 | 128ull >> 4 << 32;
}

/* ---- a strip of B in shared memory: rows of 128 bytes, whose vectors are exchanged by their row ---- */

#define STAGE(depth) ((depth)*STRIP) /* floats */

/* A strip that lies in B as a whole. */
DEVICE void fetch_whole(float *stage, const problem *p, unsigned depth, unsigned first) {
    const unsigned lane = threadIdx.x % 32, row = lane / 8, vector = lane % 8;
    const float *from = p->b + (size_t)row * p->n + first + vector * 4;
    float *to[2] = {stage + row * STRIP + (vector ^ row) * 4, stage + (4 + row) * STRIP + (vector ^ (4 + row)) * 4};
#pragma unroll
    for (unsigned i = 0; i < depth / 4; i++, from += (size_t)4 * p->n)
        __pipeline_memcpy_async(to[i % 2] + i / 2 * 8 * STRIP, from, 16);
}

/* Any other: what lies outside becomes zeros. */
DEVICE void fetch_part(float *stage, const problem *p, unsigned depth, unsigned first) {
    const unsigned lane = threadIdx.x % 32, column = first + lane % 8 * 4;
#pragma unroll 1
    for (unsigned i = 0; i < depth / 4; i++) {
        const unsigned row = i * 4 + lane / 8;
        float *to = stage + row * STRIP + (lane % 8 ^ row % 8) * 4;
        const float *from = p->b + (size_t)min(row, p->k - 1) * p->n;
        if (p->vectors) {
            __pipeline_memcpy_async(to, from + min(column, p->n - 4), 16, row < p->k && column < p->n ? 0 : 16);
            continue;
        }
#pragma unroll 1
        for (unsigned l = 0; l < 4; l++)
            __pipeline_memcpy_async(to + l, from + min(column + l, p->n - 1), 4,
                                    row < p->k && column + l < p->n ? 0 : 4);
    }
}

/* Starts the copies of the warp's strip of the block's piece, and commits the group, even if there is no such piece:
 * the waits count groups. All conditions are the whole block's: what the compiler takes for divergent keeps it from
 * overlapping the products. */
DEVICE void fetch_strip(float *stage, const problem *p, unsigned depth, unsigned piece) {
    const unsigned first = piece + threadIdx.x / 32 * STRIP;
    if (p->vectors && p->k == depth && piece + WIDTH <= p->n)
        fetch_whole(stage, p, depth, first);
    else if (piece < p->n)
        fetch_part(stage, p, depth, first);
    __pipeline_commit();
}

/* The lane's fragments of rows 8 `step` and on, for columns 4 i and 4 i + 1 of the strip, and 4 i + 2 and 4 i + 3. */
DEVICE void take_fragments(const float *stage, unsigned step, unsigned high[2][4], unsigned low[2][4]) {
    const unsigned lane = threadIdx.x % 32, row = lane % 4 * 2;
    const float *eight = stage + step * 8 * STRIP;
    const float4 even = *(const float4 *)(eight + row * STRIP + (lane / 4 ^ row) * 4);
    const float4 odd = *(const float4 *)(eight + (row + 1) * STRIP + (lane / 4 ^ (row + 1)) * 4);
    const float x[2][4] = {{even.x, even.y, odd.x, odd.y}, {even.z, even.w, odd.z, odd.w}};
#pragma unroll
    for (unsigned h = 0; h < 2; h++) {
#pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            const float value = f(x[h][i]);
            high[h][i] = high_part(value);
            low[h][i] = low_part(value, high[h][i]);
        }
    }
}

/* ---- products: 64 columns of B (16 of each warp) by all rows of A, eight k ---- */

#define SUMS8(d, i)                                                                                             \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
        "+f"(d[i + 7])
#define SUMS16(d, i) SUMS8(d, i), SUMS8(d, i + 8)
#define SUMS32(d, i) SUMS16(d, i), SUMS16(d, i + 16)
#define NAMES16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define NAMES32 NAMES16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define NAMES64                                                                                                 \
    NAMES32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55," \
            "%56,%57,%58,%59,%60,%61,%62,%63"
#define PRODUCT(rows, names, fragment, description)                                                                   \
    "wgmma.mma_async.sync.aligned.m64n" #rows "k8.f32.tf32.tf32 {" names "}, {" fragment "}, " description ", 1, 1, " \
    "1;"
#define FRAGMENT(x) "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])

DEVICE void multiply(unsigned rows, float *sums, const unsigned *fragment, unsigned long long a) {
    if (rows == 32)
        asm volatile(PRODUCT(32, NAMES16, "%16,%17,%18,%19", "%20") : SUMS16(sums, 0) : FRAGMENT(fragment), "l"(a));
    else if (rows == 64)
        asm volatile(PRODUCT(64, NAMES32, "%32,%33,%34,%35", "%36") : SUMS32(sums, 0) : FRAGMENT(fragment), "l"(a));
    else
        asm volatile(PRODUCT(128, NAMES64, "%64,%65,%66,%67", "%68")
                     : SUMS32(sums, 0), SUMS32(sums, 32)
                     : FRAGMENT(fragment), "l"(a));
}

/* Adds one part of eight columns of A, times both fragments of a strip. */
DEVICE void multiply_both(unsigned rows, float sums[2][64], const unsigned fragments[2][4], unsigned long long a) {
    multiply(rows, sums[0], fragments[0], a);
    multiply(rows, sums[1], fragments[1], a);
}

/* All products of low parts, and then those of high parts, whose fragments stay in registers until then. */
DEVICE void multiply_strip(unsigned rows, unsigned depth, float sums[2][64], const float *stage, const unsigned *kept) {
    unsigned high[8][2][4], low[2][2][4];
#pragma unroll
    for (unsigned s = 0; s < depth / 8; s++) {
        /* The products before the last ones have read their fragments. */
        if (s >= 2) asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        take_fragments(stage, s, high[s], low[s % 2]);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        multiply_both(rows, sums, low[s % 2], describe_a(kept, rows, depth, 0, s));
        multiply_both(rows, sums, high[s], describe_a(kept, rows, depth, 1, s));
        if (s + 1 == depth / 8) {
#pragma unroll
            for (unsigned i = 0; i < depth / 8; i++)
                multiply_both(rows, sums, high[i], describe_a(kept, rows, depth, 0, i));
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }
}

/* ---- results ---- */

/* Sum e + 2 j of a matrix of 8 rows of A belongs to its row 2 (lane % 4) + e and to the fragment's column j. */
DEVICE void store_strip(unsigned rows, const float sums[2][64], const problem *p, unsigned first) {
    const unsigned lane = threadIdx.x % 32, column = first + lane / 4 * 4;
#pragma unroll
    for (unsigned i = 0; i < rows / 8; i++) {
#pragma unroll
        for (unsigned e = 0; e < 2; e++) {
            const unsigned row = i * 8 + lane % 4 * 2 + e, s = i * 4 + e;
            const float v[4] = {sums[0][s], sums[0][s + 2], sums[1][s], sums[1][s + 2]};
            float *to = p->c + (size_t)row * p->n + column;
            if (row < p->m && p->vectors && column < p->n) __stcs((float4 *)to, make_float4(v[0], v[1], v[2], v[3]));
#pragma unroll
            for (unsigned l = 0; l < 4; l++) {
                if (row < p->m && !p->vectors && column + l < p->n) to[l] = v[l];
            }
        }
    }
}

/* Blocks stride through pieces of 32 columns for each of their warps. */
DEVICE void run(unsigned rows, unsigned depth, const problem *p) {
    extern __shared__ __align__(1024) unsigned shared[];
    const unsigned warp = threadIdx.x / 32, hop = gridDim.x * WIDTH;
    float *ring = (float *)(shared + 2 * rows * depth) + warp * STAGES * STAGE(depth);
    unsigned next = blockIdx.x * WIDTH, stage = 0;
#pragma unroll
    for (unsigned s = 0; s < STAGES; s++, next += hop) fetch_strip(ring + s * STAGE(depth), p, depth, next);
    keep_a(shared, p, rows, depth);
    for (unsigned first = blockIdx.x * WIDTH; first < p->n; first += hop, next += hop) {
        float sums[2][64];
#pragma unroll
        for (unsigned i = 0; i < rows / 2; i++) sums[0][i] = sums[1][i] = 0.0f;
        __pipeline_wait_prior(STAGES - 1);
        __syncwarp();
        multiply_strip(rows, depth, sums, ring + stage * STAGE(depth), shared);
        __syncwarp(); /* all lanes have read the stage */
        fetch_strip(ring + stage * STAGE(depth), p, depth, next);
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        store_strip(rows, sums, p, first + warp * STRIP);
    }
    __pipeline_wait_prior(0);
}

/* A of up to `rows` x `depth`; blocks of 32 * WARPS threads, any grid. Shared memory has 2 * rows * depth words for A,
 * and a ring of STAGES * depth * STRIP words for each warp. n is below 2^31, so that columns can be counted beyond it.
 */
#define KERNEL(rows, depth, blocks)                                                                                   \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, blocks)                                                  \
        fused_tensor_##rows##x##depth(float *c, const float *a, const float *b, unsigned m, unsigned k, unsigned n) { \
        const problem p = {c, a, b, m, k, n, (((size_t)b | (size_t)c) % 16 | n % 4) == 0};                            \
        run(rows, depth, &p);                                                                                         \
    }
KERNEL(32, 32, 2)
KERNEL(32, 64, 1)
KERNEL(64, 32, 1)
KERNEL(64, 64, 1)
KERNEL(128, 32, 1)
KERNEL(128, 64, 1)
