/* Derivatives: first differences along the fast and along the slow dimension of an array of rows.
 *
 * Element (i0, i1) lies at lead + i1 * pitch + i0. Where rows start decides how many sectors a warp touches: a lead
 * of a cache line aligns the first row, a pitch that is a multiple of a line aligns all the others too.
 * i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 likewise in y; the grid covers n0 x n1. */
#include <cuda_runtime.h>

/* The baseline: what the same layout costs when nothing but the element itself is read. */
extern "C" __global__ void copy_rows(const float *in, float *out, unsigned n0, unsigned n1, unsigned pitch,
                                     unsigned lead) {
    unsigned i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 = blockIdx.y * blockDim.y + threadIdx.y;
    if (i0 < n0 && i1 < n1) {
        size_t i = lead + (size_t)i1 * pitch + i0;
        out[i] = in[i];
    }
}

/* out = scale * (in[i0] - in[i0 - 1]); lead >= 1, and each row has one element before its first. The second load is
 * one word off the first: the same sectors and one more, so L1 serves four of every nine. */
extern "C" __global__ void derivative_fast(const float *in, float *out, unsigned n0, unsigned n1, unsigned pitch,
                                           unsigned lead, float scale) {
    unsigned i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 = blockIdx.y * blockDim.y + threadIdx.y;
    if (i0 < n0 && i1 < n1) {
        size_t i = lead + (size_t)i1 * pitch + i0;
        out[i] = scale * (in[i] - in[i - 1]);
    }
}

/* out = scale * (in[i1] - in[i1 - 1]) for rows 1 to n1; row 0 is the halo. The second load is a row away: aligned as
 * well as the first, and in L1 only where a warp of the same SM has been on that row. */
extern "C" __global__ void derivative_slow(const float *in, float *out, unsigned n0, unsigned n1, unsigned pitch,
                                           unsigned lead, float scale) {
    unsigned i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 = blockIdx.y * blockDim.y + threadIdx.y;
    if (i0 < n0 && i1 < n1) {
        size_t i = lead + (size_t)(i1 + 1) * pitch + i0;
        out[i] = scale * (in[i] - in[i - pitch]);
    }
}
