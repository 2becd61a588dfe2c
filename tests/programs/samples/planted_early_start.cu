// Defects on purpose: a launch that may start early overwrites what the one in front of it reads, and a copy overlaps
// itself.
#include "sample.h"

enum { COUNT = 4096 };

__global__ void add_one(const int *x, int *y) {
    asm volatile("griddepcontrol.launch_dependents;");
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + 1;
}

__global__ void clear_and_double(int *x, const int *y, int *z) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 0; // too early
    asm volatile("griddepcontrol.wait;" ::: "memory");
    z[i] = 2 * y[i];
}

int main() {
    int *x = on_device<int>(COUNT), *y = on_device<int>(COUNT), *z = on_device<int>(COUNT);
    CHECK(cudaMemset(x, 0, COUNT * sizeof *x));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceSynchronize());
    add_one<<<COUNT / 256, 256, 0, stream>>>(x, y);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = COUNT / 256;
    config.blockDim = 256;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, clear_and_double, x, (const int *)y, z)); // found: race-streams
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(z + 1, z, (COUNT - 1) * sizeof *z, cudaMemcpyDeviceToDevice)); // found: copy-overlaps
    int first;
    CHECK(cudaMemcpy(&first, z, sizeof first, cudaMemcpyDeviceToHost));
    printf("the first is %d\n", first);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(z));
    return finish();
}
