// Errors: calls that are refused, launches that cannot be, and what is remembered until somebody asks.
// Calls that fail: 5
#include "sample.h"

__global__ void nothing(int *x) {
    if (x) *x = 1;
}

static void refused(const char *what, cudaError_t got, cudaError_t want) {
    printf("%-28s%s\n", what, cudaGetErrorName(got));
    expect(what, got == want && cudaGetErrorString(got)[0]);
    expect("it is remembered", cudaPeekAtLastError() == want);
    expect("once", cudaGetLastError() == want && cudaGetLastError() == cudaSuccess);
}

static cudaError_t launch(dim3 grid, dim3 block, size_t shared) {
    nothing<<<grid, block, shared>>>(nullptr);
    return cudaPeekAtLastError();
}

int main() {
    int *x = on_device<int>(4), device = -1;
    void *much = x;
    refused("too many threads", launch(1, 1025, 0), cudaErrorInvalidValue);
    refused("no threads", launch(1, 0, 0), cudaErrorInvalidValue);
    refused("a grid that is too high", launch(dim3(1, 65536), 32, 0), cudaErrorInvalidValue);
    refused("too much memory", cudaMalloc(&much, (size_t)1 << 50), cudaErrorMemoryAllocation);
    refused("a device that is not there", cudaSetDevice(1000), cudaErrorInvalidDevice);
    refused("no place for a result", cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
    refused("an unknown direction", cudaMemcpy(x, &device, 4, (cudaMemcpyKind)77), cudaErrorInvalidMemcpyDirection);

    nothing<<<1, 1>>>(x); // all goes on
    CHECK(cudaGetLastError());
    int one = 0;
    to_host(&one, x, 1);
    printf("afterwards: %d\n", one);
    expect("the device works", one == 1);
    CHECK(cudaFree(nullptr));
    CHECK(cudaFree(x));
    return finish();
}
