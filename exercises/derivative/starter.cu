/* Exercise: a derivative along the slow dimension.
 *
 * in has n1 + 1 rows, out has n1 rows, of n0 floats each; a row begins `pitch` floats after the one before it, and
 * pitch is a multiple of 32 that is larger than n0. Compute
 *
 *   out[y][x] = in[y + 1][x] - in[y][x]      for 0 <= x < n0 and 0 <= y < n1
 *
 * The kernel below has the shape, but takes the difference along the fast dimension, from one column to the next. The
 * gaps between the rows of out must stay unchanged.
 *
 * The test allows at most 1.6 times the sectors that moving each byte once would need: adjacent lanes must go along a
 * row. Each element of in belongs to two differences; the score rewards a thread that loads it once.
 *
 * Keep: the function derivative(). n0 and n1 are any numbers from 1 on. */
#include <cuda_runtime.h>

enum { WIDTH = 32, HEIGHT = 8 };

__global__ void derivative_kernel(float *out, const float *in, int n0, int n1, int pitch) {
    const int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    if (x < n0 && y < n1) out[y * pitch + x] = in[y * pitch + x + 1] - in[y * pitch + x];
}

void derivative(float *out, const float *in, int n0, int n1, int pitch) {
    const dim3 blocks((n0 + WIDTH - 1) / WIDTH, (n1 + HEIGHT - 1) / HEIGHT);
    derivative_kernel<<<blocks, dim3(WIDTH, HEIGHT)>>>(out, in, n0, n1, pitch);
}
