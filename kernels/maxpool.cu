/* Max pooling of radius 15: out[i] is the largest of in[i - 15] to in[i + 15], clamped to the array.
 *
 * Each element is used 31 times. The plain form loads it from global memory each time and relies on L1. The staged form
 * loads it once, stores the block's part and a halo of 15 on either side in shared memory, and reads it from there. The
 * next one also stores the maximum of each four neighbours, so it reads 15 words of shared memory for four outputs. In
 * the last form warps work on their own: lanes exchange maxima by shuffles, and no barrier is needed. */
#include <cuda_runtime.h>
#include "tuned.cuh"

#define RADIUS 15
#define STAGED 256                  /* threads a block of the staged form */
#define BLOCK MAXPOOL_THREADS       /* of maxpool15 */
#define VECTORS MAXPOOL_VECTORS     /* vectors of four outputs that a thread of maxpool15 computes */
#define SPAN (BLOCK * VECTORS)      /* vectors of a block */
#define HALO 4                      /* vectors on either side, of which RADIUS words are used */
#define PIECES MAXPOOL_LINES_PIECES /* of a warp of maxpool15_lines */

extern "C" __global__ void maxpool15_plain(float *out, const float *in, int n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = i < RADIUS ? 0 : (int)i - RADIUS, to = i < n - RADIUS ? (int)i + RADIUS : n - 1;
    float largest = in[from];
    for (int k = from + 1; k <= to; k++) largest = fmaxf(largest, in[k]);
    out[i] = largest;
}

/* Elements beyond either end count as minus infinity: they never win. */
extern "C" __global__ void maxpool15_staged(float *out, const float *in, int n) {
    __shared__ float tile[STAGED + 2 * RADIUS];
    long long first = (long long)blockIdx.x * STAGED - RADIUS;
    for (int k = threadIdx.x; k < STAGED + 2 * RADIUS; k += STAGED) {
        tile[k] = first + k >= 0 && first + k < n ? in[first + k] : __int_as_float(0xff800000);
    }
    __syncthreads();
    float largest = tile[threadIdx.x];
#pragma unroll
    for (int k = 1; k <= 2 * RADIUS; k++) largest = fmaxf(largest, tile[threadIdx.x + k]);
    if (first + RADIUS + threadIdx.x < n) out[first + RADIUS + threadIdx.x] = largest;
}

/* Vector number `vector` of in; elements outside the array count as minus infinity. */
static __device__ __forceinline__ float4 load_vector(const float *in, int vector, int n) {
    const float least = __int_as_float(0xff800000);
    if (vector >= 0 && vector < n / 4) return ((const float4 *)in)[vector];
    if (vector < 0 || vector > n / 4) return make_float4(least, least, least, least);
    const float *tail = in + (size_t)vector * 4;
    int left = n % 4;
    return make_float4(left > 0 ? tail[0] : least, left > 1 ? tail[1] : least, left > 2 ? tail[2] : least, least);
}

static __device__ __forceinline__ void store_vector(float *out, int vector, float4 value, int n) {
    if (vector < n / 4) {
        ((float4 *)out)[vector] = value;
    } else if (vector == n / 4) {
        float *tail = out + (size_t)vector * 4;
        if (n % 4 > 0) tail[0] = value.x;
        if (n % 4 > 1) tail[1] = value.y;
        if (n % 4 > 2) tail[2] = value.z;
    }
}

/* Four outputs: all use the seven vectors around their own entirely; of the two beyond these the first output uses the
 * last three words of the one before, the last output the first three of the one after. */
static __device__ __forceinline__ float4 pool_vector(const float4 *vectors, const float *largest) {
    float4 before = vectors[-HALO], behind = vectors[HALO];
    float all = largest[-HALO + 1];
#pragma unroll
    for (int k = -HALO + 2; k < HALO; k++) all = fmaxf(all, largest[k]);
    float two_before = fmaxf(before.z, before.w), two_behind = fmaxf(behind.x, behind.y);
    return make_float4(fmaxf(all, fmaxf(before.y, two_before)), fmaxf(all, fmaxf(two_before, behind.x)),
                       fmaxf(all, fmaxf(before.w, two_behind)), fmaxf(all, fmaxf(two_behind, behind.z)));
}

static __device__ __forceinline__ void keep_vector(float4 *vector, float *largest, float4 v) {
    *vector = v;
    *largest = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

/* in and out: 16-byte aligned. Blocks of BLOCK threads; one covers 4 * SPAN elements. A warp's own vectors are whole
 * lines; beginning with the halo, each would touch one line more (1.2 % on an H100). */
extern "C" __global__ void maxpool15(float *out, const float *in, int n) {
    __shared__ float4 vectors[SPAN + 2 * HALO];
    __shared__ float largest[SPAN + 2 * HALO];
    int t = threadIdx.x, first = (int)blockIdx.x * SPAN - HALO;
    int edge = t < HALO ? t : SPAN + t; /* the place of a halo's vector, for threads that also load one */
    float4 loaded[VECTORS], halo;
#pragma unroll
    for (int k = 0; k < VECTORS; k++) loaded[k] = load_vector(in, first + HALO + k * BLOCK + t, n);
    if (t < 2 * HALO) halo = load_vector(in, first + edge, n);
    if (t < 2 * HALO) keep_vector(vectors + edge, largest + edge, halo);
#pragma unroll
    for (int k = 0; k < VECTORS; k++)
        keep_vector(vectors + HALO + k * BLOCK + t, largest + HALO + k * BLOCK + t, loaded[k]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        int place = HALO + k * BLOCK + t;
        store_vector(out, first + place, pool_vector(vectors + place, largest + place), n);
    }
}

/* ---- lines: a warp a piece of 32 vectors ----
 *
 * Loads and stores are whole lines; eight lanes also load the vectors beside them. Where memory is fast for the number
 * of SMs, blocks that meet at a barrier have too little in flight: on an H200 this form reaches 1.00 of a copy, the one
 * before 0.97. On an H100 it is the other way round. */

/* A value for each vector of the warp's piece, and for those beside it: lanes 0 to 3 hold the ones behind in `beside`,
 * the last four lanes the ones before. */
typedef struct piece {
    float own, beside;
} piece;

/* The value `distance` vectors further, for the warp's own vectors and, as far as there are any, for those beside. */
static __device__ __forceinline__ piece further(piece p, unsigned distance, unsigned lane) {
    const unsigned from = (lane + distance) % 32;
    return {__shfl_sync(~0u, lane < distance ? p.beside : p.own, from),
            __shfl_sync(~0u, lane < distance ? p.own : p.beside, from)};
}

/* The value `distance` vectors before each of the warp's own. */
static __device__ __forceinline__ float before(piece p, unsigned distance, unsigned lane) {
    return __shfl_sync(~0u, lane >= 32 - distance ? p.beside : p.own, (lane - distance) % 32);
}

static __device__ __forceinline__ piece largest_of(piece a, piece b) {
    return {fmaxf(a.own, b.own), fmaxf(a.beside, b.beside)};
}

/* The largest of the seven vectors around each of the warp's own: of two by two, then four by four, which overlap. */
static __device__ __forceinline__ float largest_of_seven(piece one, unsigned lane) {
    const piece two = largest_of(one, further(one, 1, lane)), four = largest_of(two, further(two, 2, lane));
    return fmaxf(four.own, before(four, 3, lane));
}

static __device__ __forceinline__ float largest_in(float4 v) {
    return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

/* The warp's outputs, out of its vectors and those beside them. */
static __device__ __forceinline__ float4 pool_piece(float4 own, float4 beside, unsigned lane) {
    const float all = largest_of_seven({largest_in(own), largest_in(beside)}, lane);
    const float two = fmaxf(own.z, own.w), two_beside = fmaxf(beside.z, beside.w);
    const float first = fmaxf(own.x, own.y), first_beside = fmaxf(beside.x, beside.y);
    const float last_three = before({fmaxf(own.y, two), fmaxf(beside.y, two_beside)}, HALO, lane);
    const float last_two = before({two, two_beside}, HALO, lane), last = before({own.w, beside.w}, HALO, lane);
    const float next = further({own.x, beside.x}, HALO, lane).own;
    const float next_two = further({first, first_beside}, HALO, lane).own;
    const float next_three = further({fmaxf(first, own.z), fmaxf(first_beside, beside.z)}, HALO, lane).own;
    return make_float4(fmaxf(all, last_three), fmaxf(all, fmaxf(last_two, next)), fmaxf(all, fmaxf(last, next_two)),
                       fmaxf(all, next_three));
}

/* in and out: 16-byte aligned. Blocks of MAXPOOL_LINES_THREADS threads; the grid covers n / 4, rounded up, in vectors
 * of which a thread computes PIECES. Their loads come before all else: with one piece for each warp, too little is in
 * flight while the others exchange maxima. */
extern "C" __global__ void __launch_bounds__(MAXPOOL_LINES_THREADS)
    maxpool15_lines(float *__restrict__ out, const float *__restrict__ in, int n) {
    const unsigned lane = threadIdx.x % 32;
    const int first = (int)(blockIdx.x * (MAXPOOL_LINES_THREADS * PIECES)),
              last = first + MAXPOOL_LINES_THREADS * PIECES;
    const int vector = first + (int)threadIdx.x, next = lane < HALO ? vector + 32 : vector - 32;
    const bool at_side = lane < HALO || lane >= 32 - HALO;
    if (first >= HALO && last + HALO <= n / 4) {
        float4 own[PIECES], beside[PIECES];
#pragma unroll
        for (int k = 0; k < PIECES; k++) own[k] = ((const float4 *)in)[vector + k * MAXPOOL_LINES_THREADS];
#pragma unroll
        for (int k = 0; k < PIECES; k++) {
            beside[k] = own[k];
            if (at_side) beside[k] = ((const float4 *)in)[next + k * MAXPOOL_LINES_THREADS];
        }
#pragma unroll
        for (int k = 0; k < PIECES; k++)
            ((float4 *)out)[vector + k * MAXPOOL_LINES_THREADS] = pool_piece(own[k], beside[k], lane);
    } else {
        for (int k = 0; k < PIECES * MAXPOOL_LINES_THREADS; k += MAXPOOL_LINES_THREADS) {
            float4 own = load_vector(in, vector + k, n), beside = own;
            if (at_side) beside = load_vector(in, next + k, n);
            store_vector(out, vector + k, pool_piece(own, beside, lane), n);
        }
    }
}
