// A graph built node by node: two kernels that may run side by side, one behind both, copies and a host function.
#include "sample.h"

enum { COUNT = 1000, BLOCK = 128, GRID = (COUNT + BLOCK - 1) / BLOCK };

__global__ void scale(int *x, int factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) x[i] *= factor;
}

__global__ void add(const int *x, const int *y, int *sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) sum[i] = x[i] + y[i];
}

static void CUDART_CB note(void *calls) {
    ++*(int *)calls;
}

static cudaKernelNodeParams kernel(void *function, void **arguments) {
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = dim3(GRID);
    params.blockDim = dim3(BLOCK);
    params.kernelParams = arguments;
    return params;
}

int main() {
    static int values[COUNT], got[COUNT];
    int *x = on_device<int>(COUNT), *y = on_device<int>(COUNT), *sum = on_device<int>(COUNT);
    int two = 2, three = 3, five = 5, calls = 0, wrong = 0;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaGraphNode_t in_x, fill_y, double_x, triple_y, both, out, told;
    for (int &v : values) v = (int)draw(1000);

    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&in_x, graph, nullptr, 0, x, values, sizeof values, cudaMemcpyHostToDevice));
    cudaMemsetParams fill = {};
    fill.dst = y;
    fill.value = 7;
    fill.elementSize = sizeof(int);
    fill.width = COUNT;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&fill_y, graph, nullptr, 0, &fill));
    void *of_double[] = {&x, &two}, *of_triple[] = {&y, &three}, *of_add[] = {&x, &y, &sum}, *of_five[] = {&x, &five};
    const cudaKernelNodeParams doubles = kernel((void *)scale, of_double), triples = kernel((void *)scale, of_triple),
                               adds = kernel((void *)add, of_add), fives = kernel((void *)scale, of_five);
    CHECK(cudaGraphAddKernelNode(&double_x, graph, &in_x, 1, &doubles));
    CHECK(cudaGraphAddKernelNode(&triple_y, graph, &fill_y, 1, &triples));
    const cudaGraphNode_t both_of[] = {double_x, triple_y};
    CHECK(cudaGraphAddKernelNode(&both, graph, both_of, 2, &adds));
    CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &both, 1, got, sum, sizeof got, cudaMemcpyDeviceToHost));
    const cudaHostNodeParams host = {note, &calls};
    CHECK(cudaGraphAddHostNode(&told, graph, &out, 1, &host));

    size_t nodes = 0, roots = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    printf("%zu nodes, %zu roots\n", nodes, roots);
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    for (int launch = 0; launch < 3; launch++) CHECK(cudaGraphLaunch(run, 0));
    CHECK(cudaStreamSynchronize(0));
    for (int i = 0; i < COUNT; i++) wrong += got[i] != 2 * values[i] + 21;
    printf("first sum %d, %d calls\n", got[0] - 2 * values[0], calls);
    expect("sums of the graph", wrong == 0 && calls == 3);

    cudaKernelNodeParams queried = {};
    CHECK(cudaGraphKernelNodeGetParams(double_x, &queried));
    expect("a query gives the host function", queried.func == (void *)scale);
    CHECK(cudaGraphExecKernelNodeSetParams(run, double_x, &fives));
    CHECK(cudaGraphLaunch(run, 0));
    CHECK(cudaStreamSynchronize(0));
    for (int i = 0; i < COUNT; i++) wrong += got[i] != 5 * values[i] + 21;
    printf("changed: %d, %d calls\n", got[0] - 5 * values[0], calls);
    expect("sums after a change", wrong == 0 && calls == 4);
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(sum));
    return finish();
}
