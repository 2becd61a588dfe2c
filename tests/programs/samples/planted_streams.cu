// A defect on purpose: one stream reads what another one writes, and no event stands between them.
#include "sample.h"

enum { COUNT = 4096 };

__global__ void write_all(int *x) {
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void sum_all(const int *x, int *sum) {
    atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]); // found: uninitialised-read
}

int main() {
    int zero = 0, *x = on_device<int>(COUNT), *sum = on_device(1, &zero);
    cudaStream_t writer, reader;
    CHECK(cudaStreamCreateWithFlags(&writer, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
    write_all<<<COUNT / 256, 256, 0, writer>>>(x);
    sum_all<<<COUNT / 256, 256, 0, reader>>>(x, sum); // the sum is anything
    CHECK(cudaStreamSynchronize(reader));
    CHECK(cudaStreamSynchronize(writer));
    printf("both are done\n");
    CHECK(cudaStreamDestroy(writer));
    CHECK(cudaStreamDestroy(reader));
    CHECK(cudaFree(x));
    CHECK(cudaFree(sum));
    return finish();
}
