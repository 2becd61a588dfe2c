// A defect on purpose: the last block writes behind the array's end, into what the allocation is rounded up to.
#include "sample.h"

__global__ void fill(int *x, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count) x[i] = i; // found: out-of-bounds
}

int main() {
    const int count = 100;
    int got[count], wrong = 0, *x = on_device<int>(count);
    fill<<<2, 64>>>(x, count);
    CHECK(cudaDeviceSynchronize());
    to_host(got, x, count);
    for (int i = 0; i < count; i++) wrong += got[i] != i;
    printf("%d wrong\n", wrong);
    expect("what lies within", wrong == 0);
    CHECK(cudaFree(x));
    return finish();
}
