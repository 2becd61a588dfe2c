// assert in kernels: one that holds, and one that does not, which ends the context.
#include "sample.h"
#include <assert.h>

__global__ void check_order(const int *x, int count) {
    const int i = threadIdx.x + 1;
    if (i < count) assert(x[i - 1] <= x[i]); // found: trap
}

int main() {
    int values[] = {1, 2, 3, 5, 8, 13};
    int *x = on_device(6, values);
    check_order<<<1, 32>>>(x, 6);
    CHECK(cudaDeviceSynchronize());
    printf("in order\n");
    values[3] = 99;
    CHECK(cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice));
    check_order<<<1, 32>>>(x, 6);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("out of order: %s\n", cudaGetErrorName(error));
    expect("the assertion fails", error == cudaErrorAssert);
    if (!sample_failures) printf("ok\n");
    return sample_failures > 0;
}
