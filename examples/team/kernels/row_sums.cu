// Sums each row with a warp, whose lanes read adjacent elements.
extern "C" __global__ void row_sums(const float *in, float *out, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = lane; i < columns; i += 32) sum += in[row * columns + i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) out[row] = sum;
}
