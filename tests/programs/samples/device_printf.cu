// printf in kernels: formats, and the order in which one thread prints.
#include "sample.h"

__global__ void greet(int count) {
    for (int i = 0; i < count; i++) printf("line %d of thread %u, block %u\n", i, threadIdx.x, blockIdx.x);
}

__global__ void formats(const char *unused, double d) {
    printf("int %d, padded %5d|%-5d|%05d, hex %x %X %#x, unsigned %u\n", -42, 42, 42, 42, 0xbeef, 0xbeef, 255,
           4000000000u);
    printf("long long %lld, unsigned long long %llu, char %c, string %s, percent %%\n", -1234567890123ll,
           18446744073709551615ull, 'x', "in the kernel");
    printf("float %f, short %.2f, scientific %.3e, shortest %g %g\n", 1.5f, d, d * 1e10, 0.0001, 1e20);
    printf("width by argument %*d, precision %.3f\n", 6, 17, d);
}

int main() {
    size_t bytes = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
    CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize));
    expect("the buffer's size", bytes >= 1 << 20);
    greet<<<1, 1>>>(3);
    CHECK(cudaDeviceSynchronize());
    formats<<<1, 1>>>(nullptr, 3.14159265358979);
    CHECK(cudaDeviceSynchronize());
    printf("the host prints again\n");
    return finish();
}
