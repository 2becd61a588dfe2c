/* Nodes of all kinds by one call, and conditional nodes, by the driver API's functions; node parameters are converted
 * to its terms.
 *
 * The runtime's structure for a node's parameters has the same numbers and size as the driver's, but names kernels,
 * copies and addresses in the runtime's terms. take() converts it, and the driver API's function does the rest. Two
 * kinds of nodes have outputs, which are copied back after the call. graph.c has the functions for one kind of node
 * each. */
#include "standin/cuda/cuda.h"
#include "standin/runtime/array.h"
#include "standin/runtime/graph.h"
#include "standin/runtime/version.h"

typedef const CUgraphNode *nodes;

/* CUDA's layout. */
typedef struct cudaGraphNodeParams {
    int type; /* DRIVER_NODE_..., which has the runtime's numbers */
    int reserved[3];
    union {
        long long room[29];
        cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            cudaMemcpy3DParms what;
        } copy;
        cudaMemsetParams fill;
        CUDA_HOST_NODE_PARAMS host;
        CUgraph child;
        CUevent event;
        CUDA_MEM_ALLOC_NODE_PARAMS allocation;
        void *address;
        cuda_condition condition;
    } of;
    long long reserved_behind;
} cudaGraphNodeParams;

/* Between its own standin_enter() and standin_leave(), as a kernel's module may have to be loaded; the functions of
 * the driver API that follow enter again. */
static CUresult take(const cudaGraphNodeParams *p, cuda_node_params *to) {
    CUresult result = CUDA_SUCCESS;
    const driver_table *d = standin_enter();
    *to = (cuda_node_params){.type = p ? p->type : 0};
    switch (p ? p->type : -1) {
    case DRIVER_NODE_KERNEL: result = standin_take_kernel(d, &p->of.kernel, &to->of.kernel); break;
    case DRIVER_NODE_COPY: result = standin_box(d, &p->of.copy.what, &to->of.copy.what); break;
    case DRIVER_NODE_FILL: to->of.fill = standin_fill_of(&p->of.fill); break;
    case DRIVER_NODE_HOST: to->of.host = p->of.host; break;
    case DRIVER_NODE_GRAPH: to->of.child = p->of.child; break;
    case DRIVER_NODE_EVENT_WAIT:
    case DRIVER_NODE_EVENT_RECORD: to->of.event = p->of.event; break;
    case DRIVER_NODE_ALLOCATE: to->of.allocation = p->of.allocation; break;
    case DRIVER_NODE_FREE: to->of.address = (uintptr_t)p->of.address; break;
    case DRIVER_NODE_CONDITION: to->of.condition = p->of.condition; break;
    case -1: result = CUDA_INVALID_VALUE; break;
    default: break; /* the driver's function refuses it, or it needs nothing */
    }
    return standin_leave(result);
}

/* An allocation's address and a condition's bodies are outputs. */
CUresult cudaGraphAddNode_v2(CUgraphNode *node, CUgraph graph, nodes behind, const CUgraphEdgeData *data, size_t count,
                             cudaGraphNodeParams *p) {
    cuda_node_params what;
    CUresult result = take(p, &what);
    if (result != CUDA_SUCCESS) return result;
    result = cuGraphAddNode_v2(node, graph, behind, data, count, &what);
    if (p->type == DRIVER_NODE_ALLOCATE) p->of.allocation.address = what.of.allocation.address;
    if (p->type == DRIVER_NODE_CONDITION) p->of.condition.bodies = what.of.condition.bodies;
    return standin_fail(result);
}

/* Before CUDA 13 the number is in the place of the data, and the parameters are in the place of the number. */
CUresult cudaGraphAddNode(CUgraphNode *node, CUgraph graph, nodes behind, void *data, void *count,
                          cudaGraphNodeParams *p) {
    if (standin_cuda_version() >= 13) return cudaGraphAddNode_v2(node, graph, behind, data, (uintptr_t)count, p);
    return cudaGraphAddNode_v2(node, graph, behind, NULL, (uintptr_t)data, count);
}

CUresult cudaGraphNodeSetParams(CUgraphNode node, cudaGraphNodeParams *p) {
    cuda_node_params what;
    const CUresult result = take(p, &what);
    return result == CUDA_SUCCESS ? standin_fail(cuGraphNodeSetParams(node, &what)) : result;
}

CUresult cudaGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node, cudaGraphNodeParams *p) {
    cuda_node_params what;
    const CUresult result = take(p, &what);
    return result == CUDA_SUCCESS ? standin_fail(cuGraphExecNodeSetParams(executable, node, &what)) : result;
}

CUresult cudaGraphConditionalHandleCreate(unsigned long long *handle, CUgraph graph, unsigned value, unsigned flags) {
    STANDIN_FORWARD(cuGraphConditionalHandleCreate(handle, graph, NULL, value, flags));
}

CUresult cudaStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, nodes behind, const CUgraphEdgeData *data,
                                       size_t count, int mode) {
    STANDIN_FORWARD(cuStreamBeginCaptureToGraph(stream, graph, behind, data, count, mode));
}

CUresult cudaStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph, nodes behind, const CUgraphEdgeData *data,
                                            size_t count, int mode) {
    return cudaStreamBeginCaptureToGraph(standin_own(stream), graph, behind, data, count, mode);
}
