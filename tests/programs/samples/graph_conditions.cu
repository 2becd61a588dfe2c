// A graph with a loop in it: Newton's iteration goes on until the root does not change any more, as its kernel says.
#include "sample.h"

enum { COUNT = 64 };

__global__ void improve(float *roots, unsigned *rounds, cudaGraphConditionalHandle again) {
    __shared__ int changes;
    const float square = (float)(threadIdx.x + 1), root = roots[threadIdx.x];
    const float better = 0.5f * (root + square / root);
    if (threadIdx.x == 0) changes = 0;
    __syncthreads();
    if (better < root) atomicAdd(&changes, 1);
    if (better < root) roots[threadIdx.x] = better;
    __syncthreads();
    if (threadIdx.x != 0) return;
    ++*rounds;
    cudaGraphSetConditional(again, changes > 0);
}

__global__ void start(float *roots, unsigned *rounds) {
    roots[threadIdx.x] = (float)(threadIdx.x + 1);
    if (threadIdx.x == 0) *rounds = 0;
}

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind, size_t count,
                       cudaGraphNodeParams *params) {
#if CUDART_VERSION >= 13000
    return cudaGraphAddNode(node, graph, behind, nullptr, count, params);
#else
    return cudaGraphAddNode(node, graph, behind, count, params);
#endif
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *behind, void *function, void **arguments) {
    cudaGraphNode_t node;
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = function;
    params.kernel.gridDim.x = params.kernel.gridDim.y = params.kernel.gridDim.z = 1;
    params.kernel.blockDim.x = COUNT;
    params.kernel.blockDim.y = params.kernel.blockDim.z = 1;
    params.kernel.kernelParams = arguments;
    CHECK(add(&node, graph, behind, behind != nullptr, &params));
    return node;
}

int main() {
    float *roots = on_device<float>(COUNT), got[COUNT];
    unsigned *rounds = on_device<unsigned>(1), count = 0;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaGraphConditionalHandle again;
    cudaGraphNode_t loop;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    void *of_start[] = {&roots, &rounds}, *of_improve[] = {&roots, &rounds, &again};
    const cudaGraphNode_t first = add_kernel(graph, nullptr, (void *)start, of_start);
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = again;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    CHECK(add(&loop, graph, &first, 1, &params));
    add_kernel(params.conditional.phGraph_out[0], nullptr, (void *)improve, of_improve);
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    for (int k = 0; k < 2; k++) {
        CHECK(cudaGraphLaunch(run, nullptr));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(got, roots, sizeof got, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&count, rounds, sizeof count, cudaMemcpyDeviceToHost));
        printf("launch %d: root of 9: %.6f, of 64: %.6f, more than 5 rounds: %d\n", k, got[8], got[63], count > 5);
        for (int i = 0; i < COUNT; i++) expect("a root is near", fabsf(got[i] * got[i] - (float)(i + 1)) < 1e-4f);
    }
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    if (!sample_failures) printf("ok\n");
    return sample_failures > 0;
}
