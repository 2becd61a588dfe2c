/* The tile is wide, so that its sides, where each element costs a sector, matter little. */
#include <cuda_runtime.h>

enum { WIDTH = 128, HEIGHT = 16, ROWS = 4 };

static __device__ float at(const float *in, int x, int y, int width, int height) {
    return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0;
}

__global__ void smooth_kernel(float *out, const float *in, int width, int height) {
    __shared__ float tile[HEIGHT + 2][WIDTH + 2];
    const int left = blockIdx.x * WIDTH, top = blockIdx.y * HEIGHT, column = threadIdx.x + 1;
    for (int row = threadIdx.y; row < HEIGHT + 2; row += ROWS) {
        const int y = top + row - 1;
        tile[row][column] = at(in, left + threadIdx.x, y, width, height);
        if (threadIdx.x == 0) tile[row][0] = at(in, left - 1, y, width, height);
        if (threadIdx.x == WIDTH - 1) tile[row][WIDTH + 1] = at(in, left + WIDTH, y, width, height);
    }
    __syncthreads();
    const int x = left + threadIdx.x;
    for (int row = 1 + threadIdx.y; row <= HEIGHT; row += ROWS) {
        const int y = top + row - 1;
        if (x < width && y < height)
            out[y * width + x] = tile[row][column] + tile[row][column - 1] + tile[row][column + 1] +
                                 tile[row - 1][column] + tile[row + 1][column];
    }
}

void smooth(float *out, const float *in, int width, int height) {
    const dim3 blocks((width + WIDTH - 1) / WIDTH, (height + HEIGHT - 1) / HEIGHT);
    smooth_kernel<<<blocks, dim3(WIDTH, ROWS)>>>(out, in, width, height);
}
