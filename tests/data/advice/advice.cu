/* Kernels that get advice (bad_*), what they become when it is followed (good_*), and kernels that get none (fine_*).
 * Each launch has the same arguments: `in` and `out` of 65536 words, `index` with the numbers below 65536 in no order,
 * `sorted` with them in order, but for the order of groups of 32. See README.md. */
#include <cuda_pipeline_primitives.h>

#define KERNEL(name) \
    extern "C" __global__ void name(float *out, const float *__restrict__ in, const unsigned *__restrict__ index, const unsigned *__restrict__ sorted)
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define LANE (threadIdx.x % 32)
#define ALL 0xffffffffu

__device__ static float sum_of_warp(float v) {
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(ALL, v, d);
    return v;
}

__device__ static void copies_arrive(void) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* ---- local-memory ---- */

KERNEL(bad_local_memory) {
    float a[32] = {0};
#pragma unroll 1
    for (unsigned k = 0; k < 64; k++) a[index[I + k * 512] % 32] += 1;
    for (int k = 0; k < 32; k++) out[I + k * 1024] = a[k];
}

/* In shared memory, interleaved by thread. */
KERNEL(good_local_memory) {
    __shared__ float a[32 * 256];
    for (int k = 0; k < 32; k++) a[k * 256 + threadIdx.x] = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 64; k++) a[index[I + k * 512] % 32 * 256 + threadIdx.x] += 1;
    for (int k = 0; k < 32; k++) out[I + k * 1024] = a[k * 256 + threadIdx.x];
}

KERNEL(bad_local_memory_loop) {
    float a[32];
#pragma unroll 1
    for (unsigned k = 0; k < 32; k++) a[k] = in[I + k * 512];
    float best = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 32; k++) best = fmaxf(best, a[31 - k] - a[k]);
    out[I] = best;
}

KERNEL(good_local_memory_loop) {
    float a[32];
#pragma unroll
    for (unsigned k = 0; k < 32; k++) a[k] = in[I + k * 512];
    float best = 0;
#pragma unroll
    for (unsigned k = 0; k < 32; k++) best = fmaxf(best, a[31 - k] - a[k]);
    out[I] = best;
}

/* ---- constant-serialised ---- */

__constant__ float table[256];

KERNEL(bad_constant_serialised) {
    out[I] = table[index[I] % 256];
}

KERNEL(good_constant_serialised) {
    __shared__ float own[256];
    own[threadIdx.x] = table[0] + in[threadIdx.x];
    __syncthreads();
    out[I] = own[index[I] % 256];
}

/* ---- atomic-turns ---- */

KERNEL(bad_atomic_turns) {
    atomicAdd(out, in[I]);
}

KERNEL(good_atomic_turns) {
    const float sum = sum_of_warp(in[I]);
    if (LANE == 0) atomicAdd(out, sum);
}

KERNEL(bad_atomic_turns_words) {
    atomicAdd((unsigned *)out + index[I] % 4, 1u);
}

KERNEL(good_atomic_turns_words) {
    const unsigned bin = index[I] % 4, same = __match_any_sync(ALL, bin);
    if (LANE == __ffs(same) - 1) atomicAdd((unsigned *)out + bin, (unsigned)__popc(same));
}

KERNEL(bad_atomic_turns_shared) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[I]);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

KERNEL(good_atomic_turns_shared) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const float v = sum_of_warp(in[I]);
    if (LANE == 0) atomicAdd(&sum, v);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/* ---- partial-warps: the same kernel, launched with other blocks ---- */

KERNEL(bad_partial_warps) {
    float sum = 0;
#pragma unroll 1
    for (unsigned i = I; i < 16384; i += gridDim.x * blockDim.x) sum += in[i];
    out[I] = sum;
}

KERNEL(good_partial_warps) {
    float sum = 0;
#pragma unroll 1
    for (unsigned i = I; i < 16384; i += gridDim.x * blockDim.x) sum += in[i];
    out[I] = sum;
}

KERNEL(bad_partial_warps_odd) {
    out[I] = in[I];
}

KERNEL(good_partial_warps_odd) {
    out[I] = in[I];
}

/* ---- misaligned ---- */

KERNEL(bad_misaligned) {
    out[I] = in[I + 3];
}

KERNEL(good_misaligned) {
    out[I] = in[I + 32];
}

KERNEL(bad_misaligned_store) {
    out[I + 3] = in[I];
}

KERNEL(good_misaligned_store) {
    out[I] = in[I];
}

/* Rows of 16 words. */
KERNEL(bad_misaligned_rows) {
    out[I] = in[I / 16 * 19 + I % 16];
}

KERNEL(good_misaligned_rows) {
    out[I] = in[I / 16 * 32 + I % 16];
}

KERNEL(bad_misaligned_neighbours) {
    out[I] = in[I + 31] - 2 * in[I + 32] + in[I + 33];
}

KERNEL(good_misaligned_neighbours) {
    __shared__ float tile[256 + 64];
#pragma unroll 1
    for (unsigned k = threadIdx.x; k < blockDim.x + 64; k += blockDim.x) tile[k] = in[blockIdx.x * blockDim.x + k];
    __syncthreads();
    const float *t = tile + threadIdx.x;
    out[I] = t[31] - 2 * t[32] + t[33];
}

/* ---- few-lanes ---- */

KERNEL(bad_few_lanes) {
    if (I % 4 == 0) out[I] = in[I];
}

KERNEL(good_few_lanes) {
    if (I / 32 % 4 == 0) out[I] = in[I];
}

/* A wave over the lanes, of which few are in it. */
KERNEL(bad_few_lanes_idle) {
    float sum = 0;
    if (LANE < 8)
#pragma unroll 1
        for (unsigned k = 0; k < 32; k++) sum += in[I / 32 * 256 + k * 8 + LANE];
    out[I] = sum;
}

KERNEL(good_few_lanes_idle) {
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 8; k++) sum += in[I / 32 * 256 + k * 32 + LANE];
    out[I] = sum;
}

/* ---- scalar-batch ---- */

KERNEL(bad_scalar_batch) {
    const float *x = in + 4 * I;
    out[I] = x[0] * x[1] + x[2] * x[3];
}

KERNEL(good_scalar_batch) {
    const float4 x = ((const float4 *)in)[I];
    out[I] = x.x * x.y + x.z * x.w;
}

KERNEL(bad_scalar_batch_store) {
    out[2 * I] = in[I], out[2 * I + 1] = -in[I];
}

KERNEL(good_scalar_batch_store) {
    ((float2 *)out)[I] = make_float2(in[I], -in[I]);
}

/* ---- array-of-structures ---- */

KERNEL(bad_array_of_structures) {
    const float *x = in + 3 * I;
    out[I] = x[0] + x[1] * x[2];
}

KERNEL(good_array_of_structures) {
    out[I] = in[I] + in[I + 20480] * in[I + 40960];
}

/* ---- strided ---- */

KERNEL(bad_strided) {
    out[I] = in[8 * I];
}

KERNEL(good_strided) {
    out[I] = in[I];
}

/* Elements of two arrays in one line are no pair. */
KERNEL(bad_strided_arrays) {
    out[I] = in[2 * I] * in[2 * I + 32768];
}

KERNEL(good_strided_arrays) {
    out[I] = in[I] * in[I + 32768];
}

KERNEL(bad_strided_copy) {
    __shared__ float s[256];
    __pipeline_memcpy_async(s + threadIdx.x, in + 2 * I, 4);
    copies_arrive();
    out[I] = s[threadIdx.x];
}

KERNEL(good_strided_copy) {
    __shared__ float s[256];
    __pipeline_memcpy_async(s + threadIdx.x, in + I, 4);
    copies_arrive();
    out[I] = s[threadIdx.x];
}

KERNEL(bad_strided_atomic) {
    atomicAdd(out + 8 * I, in[I]);
}

KERNEL(good_strided_atomic) {
    atomicAdd(out + I, in[I]);
}

/* ---- short-rows ---- */

KERNEL(bad_short_rows) {
    out[I] = in[I / 4 * 32 % 65536 + I % 4];
}

KERNEL(good_short_rows) {
    out[I] = in[I / 8 * 32 % 65536 + I % 8];
}

/* ---- scattered ---- */

KERNEL(bad_scattered) {
    out[I] = in[index[I]];
}

KERNEL(good_scattered) {
    out[I] = in[sorted[I]];
}

KERNEL(bad_scattered_store) {
    out[index[I]] = in[I];
}

KERNEL(good_scattered_store) {
    out[sorted[I]] = in[I];
}

/* ---- atomic-scattered ---- */

KERNEL(bad_atomic_scattered) {
#pragma unroll 1
    for (unsigned k = 0; k < 16; k++) atomicAdd((unsigned *)out + index[I + 4096 * k] % 1024, 1u);
}

KERNEL(good_atomic_scattered) {
    __shared__ unsigned bins[1024];
#pragma unroll 1
    for (unsigned b = threadIdx.x; b < 1024; b += blockDim.x) bins[b] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < 16; k++) atomicAdd(bins + index[I + 4096 * k] % 1024, 1u);
    __syncthreads();
#pragma unroll 1
    for (unsigned b = threadIdx.x; b < 1024; b += blockDim.x) atomicAdd((unsigned *)out + b, bins[b]);
}

/* ---- bypass-misaligned ---- */

KERNEL(bad_bypass_misaligned) {
    __shared__ __align__(128) float4 s[256 + 1];
    __pipeline_memcpy_async(s + threadIdx.x + 1, (const float4 *)in + I, 16);
    copies_arrive();
    out[I] = s[threadIdx.x + 1].x;
}

KERNEL(good_bypass_misaligned) {
    __shared__ __align__(128) float4 s[256];
    __pipeline_memcpy_async(s + threadIdx.x, (const float4 *)in + I, 16);
    copies_arrive();
    out[I] = s[threadIdx.x].x;
}

/* ---- copy-lines ---- */

/* Rows of 64 bytes, 256 bytes apart. */
KERNEL(bad_copy_lines) {
    __shared__ __align__(128) float4 s[256];
    __pipeline_memcpy_async(s + threadIdx.x, (const float4 *)in + I / 4 * 16 + I % 4, 16);
    copies_arrive();
    out[I] = s[threadIdx.x].x;
}

/* ... of 128. */
KERNEL(good_copy_lines) {
    __shared__ __align__(128) float4 s[256];
    __pipeline_memcpy_async(s + threadIdx.x, (const float4 *)in + I / 8 * 16 + I % 8, 16);
    copies_arrive();
    out[I] = s[threadIdx.x].x;
}

/* The destination begins in the middle of a line. */
KERNEL(bad_copy_lines_halves) {
    __shared__ __align__(128) float4 s[256 + 4];
    __pipeline_memcpy_async(s + threadIdx.x + 4, (const float4 *)in + I, 16);
    copies_arrive();
    out[I] = s[threadIdx.x + 4].x;
}

KERNEL(good_copy_lines_halves) {
    __shared__ __align__(128) float4 s[256 + 8];
    __pipeline_memcpy_async(s + threadIdx.x + 8, (const float4 *)in + I, 16);
    copies_arrive();
    out[I] = s[threadIdx.x + 8].x;
}

__device__ static void copy_through_l1(void *to, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

KERNEL(bad_copy_lines_cached) {
    __shared__ __align__(128) float4 s[256];
    copy_through_l1(s + threadIdx.x, (const float4 *)in + I / 4 * 16 + I % 4);
    copies_arrive();
    out[I] = s[threadIdx.x].x;
}

KERNEL(good_copy_lines_cached) {
    __shared__ __align__(128) float4 s[256];
    copy_through_l1(s + threadIdx.x, (const float4 *)in + I / 8 * 16 + I % 8);
    copies_arrive();
    out[I] = s[threadIdx.x].x;
}

/* ---- atomic-conflicts ---- */

KERNEL(bad_atomic_conflicts) {
    __shared__ unsigned bins[8 * 256];
#pragma unroll 1
    for (unsigned b = threadIdx.x; b < 8 * 256; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    atomicAdd(bins + 8 * threadIdx.x, index[I]);
    __syncthreads();
    out[I] = bins[threadIdx.x];
}

/* Rows of 32 bytes become rows of 36. */
KERNEL(good_atomic_conflicts) {
    __shared__ unsigned bins[9 * 256];
#pragma unroll 1
    for (unsigned b = threadIdx.x; b < 9 * 256; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    atomicAdd(bins + 9 * threadIdx.x, index[I]);
    __syncthreads();
    out[I] = bins[threadIdx.x];
}

template <unsigned COPIES>
__device__ static void histogram(float *out, const unsigned *index) {
    __shared__ unsigned bins[256 * COPIES];
#pragma unroll 1
    for (unsigned b = threadIdx.x; b < 256 * COPIES; b += blockDim.x) bins[b] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < 16; k++) atomicAdd(bins + index[I + 4096 * k] % 256 * COPIES + LANE % COPIES, 1u);
    __syncthreads();
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned c = 0; c < COPIES; c++) sum += bins[threadIdx.x * COPIES + (c + threadIdx.x) % COPIES];
    atomicAdd((unsigned *)out + threadIdx.x, sum);
}

KERNEL(bad_atomic_conflicts_bins) {
    histogram<1>(out, index);
}

KERNEL(good_atomic_conflicts_bins) {
    histogram<32>(out, index);
}

/* ---- bank-conflicts ---- */

template <unsigned PITCH>
__device__ static void transpose(float *out, const float *in) {
    __shared__ float tile[32 * PITCH];
#pragma unroll 1
    for (unsigned r = threadIdx.x / 32; r < 32; r += 8) tile[r * PITCH + LANE] = in[blockIdx.x * 1024 + r * 32 + LANE];
    __syncthreads();
#pragma unroll 1
    for (unsigned r = threadIdx.x / 32; r < 32; r += 8) out[blockIdx.x * 1024 + r * 32 + LANE] = tile[LANE * PITCH + r];
}

KERNEL(bad_bank_conflicts) {
    transpose<32>(out, in);
}

KERNEL(good_bank_conflicts) {
    transpose<33>(out, in);
}

/* Columns of a tile that is written 16 bytes at a time, which padding has to keep aligned. */
template <unsigned PITCH>
__device__ static void transpose_vectors(float *out, const float *in) {
    __shared__ __align__(128) float tile[32 * PITCH];
    *(float4 *)(tile + threadIdx.x / 8 * PITCH + threadIdx.x % 8 * 4) = ((const float4 *)in)[I];
    __syncthreads();
#pragma unroll 1
    for (unsigned r = threadIdx.x / 32; r < 32; r += 8) out[blockIdx.x * 1024 + r * 32 + LANE] = tile[LANE * PITCH + r];
}

KERNEL(bad_bank_conflicts_vectors) {
    transpose_vectors<32>(out, in);
}

/* Rows of 128 bytes become rows of 144. */
KERNEL(good_bank_conflicts_vectors) {
    transpose_vectors<36>(out, in);
}

/* Columns of a tile that copies around L1 write: padding would split their lines. */
template <bool SWIZZLES>
__device__ static void transpose_copied(float *out, const float *in) {
    __shared__ __align__(128) float tile[32 * 32];
    const unsigned row = threadIdx.x / 8, unit = threadIdx.x % 8;
    __pipeline_memcpy_async(tile + row * 32 + 4 * (SWIZZLES ? unit ^ row % 8 : unit), in + blockIdx.x * 1024 + 4 * threadIdx.x, 16);
    copies_arrive();
#pragma unroll 1
    for (unsigned r = threadIdx.x / 32; r < 32; r += 8)
        out[blockIdx.x * 1024 + r * 32 + LANE] = tile[LANE * 32 + (SWIZZLES ? r ^ LANE % 8 * 4 : r)];
}

KERNEL(bad_bank_conflicts_swizzled) {
    transpose_copied<false>(out, in);
}

KERNEL(good_bank_conflicts_swizzled) {
    transpose_copied<true>(out, in);
}

/* Copies into a column. */
template <unsigned PITCH>
__device__ static void copy_to_column(float *out, const float *in) {
    __shared__ __align__(128) float tile[256 * PITCH];
    copy_through_l1(tile + threadIdx.x * PITCH, in + 4 * I);
    copies_arrive();
    out[I] = tile[threadIdx.x * PITCH];
}

KERNEL(bad_bank_conflicts_column) {
    copy_to_column<32>(out, in);
}

KERNEL(good_bank_conflicts_column) {
    copy_to_column<36>(out, in);
}

/* ---- table-conflicts ---- */

template <unsigned COPIES>
__device__ static void look_up(float *out, const float *in, const unsigned *index) {
    __shared__ float own[256 * COPIES];
#pragma unroll 1
    for (unsigned k = threadIdx.x; k < 256 * COPIES; k += blockDim.x) own[k] = in[k / COPIES];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 16; k++) sum += own[index[I + 4096 * k] % 256 * COPIES + LANE % COPIES];
    out[I] = sum;
}

KERNEL(bad_table_conflicts) {
    look_up<1>(out, in, index);
}

KERNEL(good_table_conflicts) {
    look_up<32>(out, in, index);
}

/* ---- narrow-async-copy ---- */

KERNEL(bad_narrow_async_copy) {
    __shared__ __align__(16) float s[1024];
#pragma unroll 1
    for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x) __pipeline_memcpy_async(s + k, in + blockIdx.x * 1024 + k, 4);
    copies_arrive();
    out[I] = s[threadIdx.x];
}

KERNEL(good_narrow_async_copy) {
    __shared__ __align__(128) float4 s[256];
    __pipeline_memcpy_async(s + threadIdx.x, (const float4 *)in + I, 16);
    copies_arrive();
    out[I] = s[threadIdx.x].x;
}

/* ---- one-lane ---- */

KERNEL(bad_one_lane) {
    if (threadIdx.x != 0) return;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 1024; k++) sum += in[blockIdx.x * 1024 + k];
    out[blockIdx.x] = sum;
}

KERNEL(good_one_lane) {
    float sum = 0;
#pragma unroll 1
    for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x) sum += in[blockIdx.x * 1024 + k];
    sum = sum_of_warp(sum);
    if (LANE == 0) atomicAdd(out + blockIdx.x, sum);
}

/* ---- scattered: a copy ---- */

KERNEL(bad_scattered_copy) {
    __shared__ float s[256];
    __pipeline_memcpy_async(s + threadIdx.x, in + index[I], 4);
    copies_arrive();
    out[I] = s[255 - threadIdx.x];
}

KERNEL(good_scattered_copy) {
    __shared__ float s[256];
    __pipeline_memcpy_async(s + threadIdx.x, in + sorted[I], 4);
    copies_arrive();
    out[I] = s[255 - threadIdx.x];
}

/* ---- narrow-access ---- */

KERNEL(bad_narrow_access) {
    const unsigned char *from = (const unsigned char *)in;
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = I; i < 65536; i += gridDim.x * blockDim.x) sum += from[i];
    ((unsigned *)out)[I] = sum;
}

KERNEL(good_narrow_access) {
    const uchar4 *from = (const uchar4 *)in;
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = I; i < 16384; i += gridDim.x * blockDim.x) {
        const uchar4 v = from[i];
        sum += v.x + v.y + v.z + v.w;
    }
    ((unsigned *)out)[I] = sum;
}

KERNEL(bad_narrow_access_store) {
#pragma unroll 1
    for (unsigned i = I; i < 65536; i += gridDim.x * blockDim.x) ((unsigned short *)out)[i] = (unsigned short)i;
}

KERNEL(good_narrow_access_store) {
#pragma unroll 1
    for (unsigned i = I; i < 32768; i += gridDim.x * blockDim.x)
        ((ushort2 *)out)[i] = make_ushort2((unsigned short)(2 * i), (unsigned short)(2 * i + 1));
}

/* ---- few-blocks: the same kernel, launched with more ---- */

enum { MANY = 1 << 20 };

KERNEL(bad_few_blocks) {
#pragma unroll 1
    for (unsigned i = I; i < MANY; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];
}

KERNEL(good_few_blocks) {
#pragma unroll 1
    for (unsigned i = I; i < MANY; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];
}

/* ---- tail: shared memory leaves room for 5 blocks an SM, 660 on 132 SMs ---- */

enum { TAIL = 661 * 64 * 8 };

__device__ static float work(float v) {
#pragma unroll 1
    for (int k = 0; k < 64; k++) v = v * v + 1;
    return v;
}

/* Each of 661 blocks has its 512 elements. */
KERNEL(bad_tail) {
    __shared__ float s[10240];
    s[threadIdx.x] = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 8; k++) {
        const unsigned i = blockIdx.x * 512 + k * 64 + threadIdx.x;
        out[i] = work((float)i) + in[i] + s[threadIdx.x];
    }
}

KERNEL(good_tail) {
    __shared__ float s[10240];
    s[threadIdx.x] = 0;
#pragma unroll 1
    for (unsigned i = I; i < TAIL; i += gridDim.x * blockDim.x) out[i] = work((float)i) + in[i] + s[threadIdx.x];
}

/* ---- few-bytes-in-flight ---- */

KERNEL(bad_few_bytes_in_flight) {
    float sum = 0;
#pragma unroll 1
    for (unsigned i = I; i < MANY; i += gridDim.x * blockDim.x) sum += in[i];
    out[I] = sum;
}

/* Four loads of 16 bytes before the first is used. */
KERNEL(good_few_bytes_in_flight) {
    const float4 *from = (const float4 *)in;
    const unsigned step = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (unsigned i = I; i + 3 * step < MANY / 4; i += 4 * step) {
        const float4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
        sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w + c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
    }
    out[I] = sum;
}

/* ---- kernels that get no advice ---- */

KERNEL(fine_copy_with_tail) {
#pragma unroll 1
    for (unsigned i = I; i < 10007; i += gridDim.x * blockDim.x) out[i] = in[i];
}

/* One word for all lanes, and one for half of them. */
KERNEL(fine_broadcast) {
    out[I] = in[0] + in[I / 16 * 16] + in[blockIdx.x];
}

KERNEL(fine_leader) {
    float weight = 0;
    if (LANE == 0) weight = in[I / 32];
    const float sum = sum_of_warp(in[I] * __shfl_sync(ALL, weight, 0));
    if (LANE == 0) out[I / 32] = sum;
}

KERNEL(fine_vectors_backwards) {
    ((float4 *)out)[I] = ((const float4 *)in)[4095 - I];
}

/* 16 bytes of constants are two requests, one for all lanes each. */
__constant__ float4 weights[64];

KERNEL(fine_constants) {
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 64; k++) sum += weights[k].x * weights[k].y + weights[k].z * weights[k].w;
    out[I] = sum;
}

/* A tile that begins 4 bytes before a sector cannot go by 16 bytes a lane. */
KERNEL(fine_halo_copy) {
    __shared__ __align__(16) float s[1024];
#pragma unroll 1
    for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) __pipeline_memcpy_async(s + k + 1, in + blockIdx.x * 256 + k, 4);
    copies_arrive();
    out[I] = s[threadIdx.x + 1];
}

KERNEL(fine_integer_sum_in_shared) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, index[I]);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

KERNEL(fine_swizzled_tile) {
    transpose_copied<true>(out, in);
}

/* Rows of a product: half a warp reads one word, the other half its own. */
KERNEL(fine_product) {
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 64; k++) sum += in[I / 32 * 64 + k] * in[k * 32 + LANE];
    out[I] = sum;
}

KERNEL(fine_tree) {
    __shared__ float s[256];
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 8; k++) sum += in[I + 4096 * k];
    s[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (unsigned half = 128; half; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
