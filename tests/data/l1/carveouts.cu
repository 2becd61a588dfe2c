/* Launches whose shared memory and blocks per SM differ, for Nsight Compute to say what the driver sets aside for shared memory.
 * Prints a line for each launch: threads, registers, bytes of shared memory of a block. See README.md. */
#include <cstdio>
#include <cstdlib>

extern __shared__ float dynamic[];

__global__ void without(const float *in, float *out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
    out[threadIdx.x] = sum;
}

__global__ void with(const float *in, float *out, int n) {
    dynamic[threadIdx.x & 7] = in[0];
    __syncthreads();
    out[threadIdx.x] = dynamic[n & 7];
}

__global__ void with_own(const float *in, float *out, int n) {
    __shared__ float own[1024];
    own[threadIdx.x] = in[0];
    __syncthreads();
    out[threadIdx.x] = own[n & 7];
}

__global__ void __launch_bounds__(512, 1) with_registers(const float *in, float *out, int n) {
    float v[90], sum = 0;
    for (int k = 0; k < 90; k++) v[k] = in[k * 32 + threadIdx.x];
    for (int r = 0; r < n; r++)
        for (int k = 0; k < 90; k++) v[k] = v[k] * v[(k + 7) % 90] + 1.0f;
    for (int k = 0; k < 90; k++) sum += v[k];
    out[threadIdx.x] = sum;
}

static float *in, *out;

static void launch(const void *kernel, int threads, int bytes) {
    int n = 4;
    void *args[] = {&in, &out, &n};
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, kernel);
    cudaLaunchKernel(kernel, dim3(1), dim3((unsigned)threads), args, (size_t)bytes, 0);
    if (cudaDeviceSynchronize()) exit(1);
    printf("launch %d %d %d\n", threads, a.numRegs, bytes + (int)a.sharedSizeBytes);
}

int main() {
    if (cudaMalloc(&in, 1 << 20) || cudaMalloc(&out, 1 << 20)) return 1;
    cudaFuncSetAttribute((const void *)with, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10);
    for (int threads : {32, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024})
        launch((const void *)without, threads, 0);
    for (int threads : {32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 896, 992, 1024})
        for (int bytes : {32, 512, 1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 98304})
            launch((const void *)with, threads, bytes);
    for (int threads : {64, 256, 512, 1024}) launch((const void *)with_own, threads, 0);
    for (int threads : {32, 64, 128, 192, 256, 320, 384, 512}) launch((const void *)with_registers, threads, 0);
    return 0;
}
