// Two files, linked on the device: virtual functions, new and delete, function pointers, variables of the other file.
#include "shapes.h"
#include "program.h"

using operation = int (*)(int, int);
__device__ int sum(int a, int b) {
    return a + b;
}
__device__ __noinline__ int product(int a, int b) {
    return a * b;
}
__device__ operation operations[2] = {sum, product};

__global__ void measure(int *out) {
    const int i = (int)threadIdx.x;
    shape *s = make_shape(i);
    out[i] = operations[i / 3 % 2](s->area(), weights[i % 4]);
    delete s;
}

int main() {
    const int count = 200, scales[4] = {2, 3, 5, 7};
    int total = 0;
    std::vector<int> want(count);
    buffer<int> out(count);
    CUDA(cudaMemcpyToSymbol(weights, scales, sizeof scales));
    measure<<<1, count>>>(out.data);
    for (int i = 0; i < count; i++) {
        const int area = i % 2 ? i * i : 2 * i;
        want[i] = i / 3 % 2 ? area * scales[i % 4] : area + scales[i % 4];
    }
    expect_same("areas of shapes", out.get(), want);
    CUDA(cudaMemcpyFromSymbol(&total, made, sizeof total));
    expect("all were made", total == count);
    return finish();
}
