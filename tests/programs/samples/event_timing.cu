// Events around kernels and copies, as programs measure them: times that go forward, whatever they are.
#include "sample.h"

__global__ void spin(float *x, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    for (int r = 0; r < rounds; r++) value = value * 0.5f + 1;
    x[i] = value;
}

__global__ void count_clocks(long long *out) {
    const long long begin = clock64();
    const unsigned long long begin_ns = clock();
    __nanosleep(100);
    out[0] = clock64() - begin;
    out[1] = (long long)(clock() - begin_ns);
}

static cudaEvent_t begin, end;

template <class Work> float time_of(Work work) {
    float milliseconds = -1;
    CHECK(cudaEventRecord(begin));
    work();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds;
}

int main() {
    const int count = 1 << 14;
    float *x, *host, first = 0;
    long long clocks[2], *on = on_device<long long>(2);
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    CHECK(cudaMalloc((void **)&x, count * sizeof *x));
    CHECK(cudaMallocHost((void **)&host, count * sizeof *host));
    CHECK(cudaMemset(x, 0, count * sizeof *x));
    spin<<<count / 256, 256>>>(x, 1); // so that the first launch is not measured
    const float ten = time_of([=] {
        for (int k = 0; k < 10; k++) spin<<<count / 256, 256>>>(x, 20);
    });
    const float copies = time_of([=] {
        for (int k = 0; k < 10; k++) cudaMemcpyAsync(host, x, count * sizeof *x, cudaMemcpyDeviceToHost);
    });
    const float nothing = time_of([] {});
    expect("kernels take time", ten > 0 && ten < 60000);
    expect("copies take time", copies > 0 && copies < 60000);
    expect("nothing takes less", nothing >= 0 && nothing <= ten + copies);
    count_clocks<<<1, 1>>>(on);
    to_host(clocks, on, 2);
    expect("clocks go on", clocks[0] > 0 && clocks[1] > 0);
    to_host(&first, x, 1);
    printf("after all rounds: %g\n", first);
    expect("the limit", first > 1.999f && first <= 2);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(x));
    CHECK(cudaFree(on));
    return finish();
}
