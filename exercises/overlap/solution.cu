/* Each chunk goes in, through the kernel and out on one stream; consecutive chunks have different streams. */
#include <cuda_runtime.h>

enum { BLOCK = 256, CHUNK = 1 << 18, STREAMS = 4 };

__global__ void change(float *x, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) x[i] = 2 * x[i] + 1;
}

void process(float *to, const float *from, float *device, int n) {
    cudaStream_t streams[STREAMS];
    for (cudaStream_t &s : streams) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (int begin = 0, k = 0; begin < n; begin += CHUNK, k++) {
        const int count = n - begin < CHUNK ? n - begin : CHUNK;
        const size_t bytes = count * sizeof *device;
        const cudaStream_t s = streams[k % STREAMS];
        cudaMemcpyAsync(device + begin, from + begin, bytes, cudaMemcpyHostToDevice, s);
        change<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, s>>>(device + begin, count);
        cudaMemcpyAsync(to + begin, device + begin, bytes, cudaMemcpyDeviceToHost, s);
    }
    cudaDeviceSynchronize();
    for (cudaStream_t s : streams) cudaStreamDestroy(s);
}
