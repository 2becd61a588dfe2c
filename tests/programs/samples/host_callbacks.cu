// Functions of the host in streams: in order with kernels and copies, by both of CUDA's ways.
#include "sample.h"

struct stage {
    int number, *values, count;
    long long sum;
};

static int order[8], calls;

__global__ void increase(int *x, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i]++;
}

static void CUDART_CB add_up(void *data) {
    stage *s = (stage *)data;
    order[calls++] = s->number;
    s->sum = 0;
    for (int i = 0; i < s->count; i++) s->sum += s->values[i];
}

static void CUDART_CB add_up_too(cudaStream_t, cudaError_t status, void *data) {
    expect("the stream is well", status == cudaSuccess);
    add_up(data);
}

int main() {
    const int count = 777;
    int *host, *device;
    cudaStream_t stream;
    stage stages[4];
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost((void **)&host, count * sizeof *host));
    CHECK(cudaMalloc((void **)&device, count * sizeof *device));
    for (int i = 0; i < count; i++) host[i] = i;
    CHECK(cudaMemcpyAsync(device, host, count * sizeof *host, cudaMemcpyHostToDevice, stream));
    for (int k = 0; k < 4; k++) {
        stages[k] = {k, host, count, -1};
        increase<<<4, 256, 0, stream>>>(device, count);
        CHECK(cudaMemcpyAsync(host, device, count * sizeof *host, cudaMemcpyDeviceToHost, stream));
        if (k % 2)
            CHECK(cudaStreamAddCallback(stream, add_up_too, &stages[k], 0));
        else
            CHECK(cudaLaunchHostFunc(stream, add_up, &stages[k]));
    }
    CHECK(cudaStreamSynchronize(stream));
    for (int k = 0; k < 4; k++) {
        printf("call %d: stage %d, sum %lld\n", k, order[k], stages[k].sum);
        expect("the order", order[k] == k);
        expect("the sum", stages[k].sum == count * (count - 1) / 2 + count * (k + 1));
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return finish();
}
