// Dynamic shared memory: two arrays in one, more than 48 KiB of it by consent, and what a kernel may have.
// Calls that fail: 1
#include "sample.h"

// Reverses the doubles of a block, and rotates its bytes.
__global__ void rearrange(double *numbers, unsigned char *bytes) {
    extern __shared__ double shared[];
    unsigned char *shared_bytes = (unsigned char *)(shared + blockDim.x);
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    shared[t] = numbers[i];
    shared_bytes[t] = bytes[i];
    __syncthreads();
    numbers[i] = shared[blockDim.x - 1 - t];
    bytes[i] = shared_bytes[(t + 1) % blockDim.x];
}

// A permutation of a table that fills what the kernel asked for.
__global__ void permute(int *table, int count) {
    extern __shared__ int whole[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) whole[i] = table[i];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) table[i] = whole[(long long)i * 7919 % count];
}

static void small(void) {
    enum { THREADS = 96, COUNT = 3 * THREADS };
    double numbers[COUNT], got[COUNT];
    unsigned char bytes[COUNT], got_bytes[COUNT];
    for (int i = 0; i < COUNT; i++) bytes[i] = (unsigned char)(numbers[i] = i);
    double *n = on_device(COUNT, numbers);
    unsigned char *b = on_device(COUNT, bytes);
    rearrange<<<3, THREADS, THREADS *(sizeof *n + sizeof *b)>>>(n, b);
    to_host(got, n, COUNT);
    to_host(got_bytes, b, COUNT);
    printf("first of the second block: %g, %d\n", got[THREADS], got_bytes[THREADS]);
    for (int i = 0; i < COUNT; i++) {
        const int first = i / THREADS * THREADS, t = i % THREADS;
        expect("two arrays", got[i] == first + THREADS - 1 - t && got_bytes[i] == bytes[first + (t + 1) % THREADS]);
    }
    CHECK(cudaFree(n));
    CHECK(cudaFree(b));
}

int main() {
    const int count = 16000; // 62.5 KiB
    static int table[count], got[count];
    int wrong = 0, device, most = 0;
    small();
    for (int i = 0; i < count; i++) table[i] = 3 * i;
    int *on = on_device(count, table);
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    expect("a block may have so much", most >= (int)sizeof table);

    permute<<<1, 256, sizeof table>>>(on, count);
    const cudaError_t refused = cudaGetLastError();
    printf("without consent: %s\n", cudaGetErrorName(refused));
    expect("it is refused", refused == cudaErrorInvalidValue);
    CHECK(cudaFuncSetAttribute(permute, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof table));
    permute<<<1, 256, sizeof table>>>(on, count);
    CHECK(cudaGetLastError());
    to_host(got, on, count);
    for (int i = 0; i < count; i++) wrong += got[i] != table[(long long)i * 7919 % count];
    printf("with it: %d wrong\n", wrong);
    expect("the permutation", wrong == 0);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, permute));
    expect("the attribute is kept",
           attributes.maxDynamicSharedSizeBytes == (int)sizeof table && !attributes.sharedSizeBytes);
    CHECK(cudaFree(on));
    return finish();
}
