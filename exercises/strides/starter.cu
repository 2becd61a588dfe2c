/* Exercise: strides.
 *
 * Each thread of the kernel below computes EACH results, out[i] = 3 * in[i] + 2, for adjacent elements. That looks
 * tidy, but a warp executes one load at a time: its 32 lanes then request places that are EACH floats apart, and each
 * request touches 32 sectors of which it uses an eighth.
 *
 * Change which elements a thread takes, so that adjacent lanes access adjacent elements, and each thread still computes
 * EACH of them. The test requires the minimum of sectors, for loads and stores.
 *
 * Keep: the function triple(). out and in are device memory of n floats, n is at least 1 and may be any number. */
#include <cuda_runtime.h>

enum { BLOCK = 256, EACH = 8 };

__global__ void triple_kernel(float *out, const float *in, int n) {
    const int first = (blockIdx.x * BLOCK + threadIdx.x) * EACH;
    for (int k = 0; k < EACH; k++) {
        const int i = first + k;
        if (i < n) out[i] = 3 * in[i] + 2;
    }
}

void triple(float *out, const float *in, int n) {
    triple_kernel<<<(n + BLOCK * EACH - 1) / (BLOCK * EACH), BLOCK>>>(out, in, n);
}
