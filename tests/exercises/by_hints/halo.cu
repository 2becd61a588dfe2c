// The starter after each of the hints was followed, and nothing else was done.
#include <cuda_runtime.h>

enum { WIDTH = 32, HEIGHT = 16 };

static __device__ float at(const float *in, int x, int y, int width, int height) {
    return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0;
}

__global__ void smooth_kernel(float *out, const float *in, int width, int height) {
    __shared__ float tile[HEIGHT + 2][WIDTH + 2];
    const int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    const int column = threadIdx.x + 1, row = threadIdx.y + 1;
    tile[row][column] = at(in, x, y, width, height);
    if (threadIdx.x == 0) tile[row][0] = at(in, x - 1, y, width, height);
    if (threadIdx.x == WIDTH - 1) tile[row][WIDTH + 1] = at(in, x + 1, y, width, height);
    if (threadIdx.y == 0) tile[0][column] = at(in, x, y - 1, width, height);
    if (threadIdx.y == HEIGHT - 1) tile[HEIGHT + 1][column] = at(in, x, y + 1, width, height);
    __syncthreads();
    if (x < width && y < height)
        out[y * width + x] = tile[row][column] + tile[row][column - 1] + tile[row][column + 1] + tile[row - 1][column] +
                             tile[row + 1][column];
}

void smooth(float *out, const float *in, int width, int height) {
    const dim3 blocks((width + WIDTH - 1) / WIDTH, (height + HEIGHT - 1) / HEIGHT);
    smooth_kernel<<<blocks, dim3(WIDTH, HEIGHT)>>>(out, in, width, height);
}
