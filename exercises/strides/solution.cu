/* A block has BLOCK * EACH adjacent elements; its threads take them in rows of BLOCK. */
#include <cuda_runtime.h>

enum { BLOCK = 256, EACH = 8 };

__global__ void triple_kernel(float *out, const float *in, int n) {
    const int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
    for (int k = 0; k < EACH; k++) {
        const int i = first + k * BLOCK;
        if (i < n) out[i] = 3 * in[i] + 2;
    }
}

void triple(float *out, const float *in, int n) {
    triple_kernel<<<(n + BLOCK * EACH - 1) / (BLOCK * EACH), BLOCK>>>(out, in, n);
}
