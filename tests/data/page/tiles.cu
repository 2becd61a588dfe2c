__global__ void tiles(float *out, const float *in) {
    __shared__ float tile[32][32];
    for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = in[blockIdx.x * 1024 + r * 32 + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) out[blockIdx.x * 1024 + r * 32 + threadIdx.x] = tile[threadIdx.x][r];
}
