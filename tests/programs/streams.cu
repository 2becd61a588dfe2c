// Streams, events, a captured graph, stream-ordered memory, host functions.
#include "program.h"

__global__ void scale(float *x, int count, float factor) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) x[i] *= factor;
}

__global__ void add(float *x, const float *y, int count) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) x[i] += y[i];
}

static const int count = 10000, blocks = (count + 127) / 128;

static void CUDART_CB note(void *calls) {
    ++*(int *)calls;
}

/* In by one stream, the kernel in another one, out by a third. */
static void three_streams(const std::vector<float> &values) {
    cudaStream_t streams[3];
    cudaEvent_t copied, scaled;
    float *pinned, *device, milliseconds = -1;
    int calls = 0;
    for (auto &s : streams) CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&copied));
    CUDA(cudaEventCreate(&scaled));
    CUDA(cudaMallocHost((void **)&pinned, count * sizeof *pinned));
    CUDA(cudaMallocAsync((void **)&device, count * sizeof *device, streams[0]));
    std::copy(values.begin(), values.end(), pinned);
    CUDA(cudaMemcpyAsync(device, pinned, count * sizeof *device, cudaMemcpyHostToDevice, streams[0]));
    CUDA(cudaEventRecord(copied, streams[0]));
    CUDA(cudaStreamWaitEvent(streams[1], copied, 0));
    scale<<<blocks, 128, 0, streams[1]>>>(device, count, 3);
    CUDA(cudaEventRecord(scaled, streams[1]));
    CUDA(cudaStreamWaitEvent(streams[2], scaled, 0));
    CUDA(cudaMemcpyAsync(pinned, device, count * sizeof *device, cudaMemcpyDeviceToHost, streams[2]));
    CUDA(cudaLaunchHostFunc(streams[2], note, &calls));
    CUDA(cudaFreeAsync(device, streams[2]));
    CUDA(cudaStreamSynchronize(streams[2]));
    CUDA(cudaEventElapsedTime(&milliseconds, copied, scaled));
    std::vector<float> want(values);
    for (float &w : want) w *= 3;
    expect_same("three streams", std::vector<float>(pinned, pinned + count), want);
    expect("the host function was called, and time went by", calls == 1 && milliseconds > 0);
    CUDA(cudaFreeHost(pinned));
    for (auto s : streams) CUDA(cudaStreamDestroy(s));
}

/* Two branches that meet, captured once and launched three times. */
static void graph(const std::vector<float> &values) {
    buffer<float> a(values), b(values);
    cudaStream_t stream, branch;
    cudaEvent_t parted, met;
    cudaGraph_t captured;
    cudaGraphExec_t executable;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamCreate(&branch));
    CUDA(cudaEventCreate(&parted));
    CUDA(cudaEventCreate(&met));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaEventRecord(parted, stream));
    CUDA(cudaStreamWaitEvent(branch, parted, 0));
    scale<<<blocks, 128, 0, stream>>>(a.data, count, 2);
    scale<<<blocks, 128, 0, branch>>>(b.data, count, 0.5f);
    CUDA(cudaEventRecord(met, branch));
    CUDA(cudaStreamWaitEvent(stream, met, 0));
    add<<<blocks, 128, 0, stream>>>(a.data, b.data, count);
    CUDA(cudaStreamEndCapture(stream, &captured));
    CUDA(cudaGraphInstantiate(&executable, captured, 0));
    std::vector<float> want(values), other(values);
    for (int launch = 0; launch < 3; launch++) {
        CUDA(cudaGraphLaunch(executable, stream));
        for (int i = 0; i < count; i++) want[i] = 2 * want[i] + (other[i] *= 0.5f);
    }
    CUDA(cudaStreamSynchronize(stream));
    expect_same("a graph, three times", a.get(), want);
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(captured));
}

int main() {
    const std::vector<float> values = draw_many<float>(count, 1000);
    three_streams(values);
    graph(values);
    return finish();
}
