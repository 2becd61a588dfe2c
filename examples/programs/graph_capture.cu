// A graph captured from two streams, launched often, cloned, and updated by another capture of the same shape.
#include "sample.h"

enum { COUNT = 2000, BLOCK = 128, GRID = (COUNT + BLOCK - 1) / BLOCK };

__global__ void multiply(int *x, int by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) x[i] *= by;
}

__global__ void add(int *x, const int *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) x[i] += y[i];
}

static cudaStream_t stream, branch;
static cudaEvent_t forked, joined;
static int *x, *y, *host;

// x = host * by + (y = y * 2), and back to the host.
static cudaGraph_t capture(int by) {
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemcpyAsync(x, host, COUNT * sizeof *x, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(forked, stream));
    CHECK(cudaStreamWaitEvent(branch, forked, 0));
    multiply<<<GRID, BLOCK, 0, stream>>>(x, by);
    multiply<<<GRID, BLOCK, 0, branch>>>(y, 2);
    CHECK(cudaEventRecord(joined, branch));
    CHECK(cudaStreamWaitEvent(stream, joined, 0));
    add<<<GRID, BLOCK, 0, stream>>>(x, y);
    CHECK(cudaMemcpyAsync(host, x, COUNT * sizeof *x, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamIsCapturing(branch, &status));
    expect("the branch is captured", status == cudaStreamCaptureStatusActive);
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

int main() {
    cudaGraphExec_t run, cloned_run;
    cudaGraph_t clone;
    cudaGraphExecUpdateResultInfo update = {};
    int want = 1, other = 1, wrong = 0;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&branch));
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    CHECK(cudaMallocHost((void **)&host, COUNT * sizeof *host));
    for (int i = 0; i < COUNT; i++) host[i] = 1;
    x = on_device<int>(COUNT);
    y = on_device(COUNT, host);

    cudaGraph_t graph = capture(3);
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    for (int launch = 0; launch < 5; launch++) {
        CHECK(cudaGraphLaunch(run, stream));
        want = 3 * want + (other *= 2);
    }
    CHECK(cudaStreamSynchronize(stream));
    printf("after 5 launches: %d\n", host[0]);
    expect("five launches", host[0] == want && host[COUNT - 1] == want);

    cudaGraph_t changed = capture(-1);
    CHECK(cudaGraphExecUpdate(run, changed, &update));
    expect("the update", update.result == cudaGraphExecUpdateSuccess);
    CHECK(cudaGraphLaunch(run, stream));
    CHECK(cudaStreamSynchronize(stream));
    want = -want + (other *= 2);
    printf("after the update: %d\n", host[0]);
    expect("the updated graph", host[0] == want);

    CHECK(cudaGraphClone(&clone, graph)); // still multiplies by 3
    CHECK(cudaGraphInstantiate(&cloned_run, clone, 0));
    CHECK(cudaGraphLaunch(cloned_run, stream));
    CHECK(cudaStreamSynchronize(stream));
    want = 3 * want + (other *= 2);
    for (int i = 0; i < COUNT; i++) wrong += host[i] != want;
    printf("the clone: %d, %d wrong\n", host[0], wrong);
    expect("the clone", wrong == 0);
    for (cudaGraph_t g : {graph, changed, clone}) CHECK(cudaGraphDestroy(g));
    for (cudaGraphExec_t r : {run, cloned_run}) CHECK(cudaGraphExecDestroy(r));
    for (cudaEvent_t e : {forked, joined}) CHECK(cudaEventDestroy(e));
    for (cudaStream_t s : {stream, branch}) CHECK(cudaStreamDestroy(s));
    for (int *p : {x, y}) CHECK(cudaFree(p));
    CHECK(cudaFreeHost(host));
    return finish();
}
