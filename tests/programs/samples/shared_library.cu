// Kernels in a shared library beside the program's own: the library launches them, and the program passes it memory.
#include "sample.h"
#include "shared_library.h"

__global__ void increase(float *x, int count) { // the library has one of the same name
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] += 1;
}

int main() {
    const int count = 500;
    float values[count], got[count];
    cudaStream_t stream;
    for (int i = 0; i < count; i++) values[i] = (float)i;
    CHECK(cudaStreamCreate(&stream));
    float *x = on_device(count, values);
    increase<<<4, 128, 0, stream>>>(x, count);
    library_scale(x, count, 3, stream);
    CHECK(cudaStreamSynchronize(stream));
    to_host(got, x, count);
    printf("scaled: %g to %g; the library counts %d launches\n", got[0], got[count - 1], library_launches());
    for (int i = 0; i < count; i++) expect("a scaled value", got[i] == 3 * (values[i] + 1) + 100);
    expect("launches", library_launches() == 2);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    return finish();
}
