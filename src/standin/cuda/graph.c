/* Graphs and captures: alternative forms of the driver's functions. Edges have no data.
 *
 * Newer forms report and accept data of edges, such as a kernel's early completion. All edges here wait for the
 * whole node, so data is ignored as input and zero as output. nodes.c has the functions for nodes of any kind. */
#include "standin/cuda/cuda.h"

/* Data of plain edges is all zero. */
static void clear(CUgraphEdgeData *data, const size_t *count) {
    for (size_t i = 0; data && count && i < *count; i++) data[i] = (CUgraphEdgeData){0};
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count) {
    clear(data, count);
    return cuGraphGetEdges(graph, from, to, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
    clear(data, count);
    return cuGraphNodeGetDependencies(node, nodes, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
    clear(data, count);
    return cuGraphNodeGetDependentNodes(node, nodes, count);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count) {
    (void)data;
    return cuGraphAddDependencies(graph, from, to, count);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *data, size_t count) {
    (void)data;
    return cuGraphRemoveDependencies(graph, from, to, count);
}

/* No upload is needed, so its stream is ignored. */
CUresult cuGraphInstantiateWithParams(CUgraphExec *executable, CUgraph graph, cuda_instantiate_params *params) {
    if (!params) return CUDA_INVALID_VALUE;
    const CUresult result = cuGraphInstantiateWithFlags(executable, graph, params->flags);
    params->failed = NULL;
    params->result = result != CUDA_SUCCESS;
    return result;
}

/* The first form tells neither graph nor nodes. */
CUresult cuStreamGetCaptureInfo(CUstream stream, int *status, unsigned long long *id) {
    return cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                   const CUgraphNode **nodes, const CUgraphEdgeData **data, size_t *count) {
    if (data) *data = NULL;
    return cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
}

/* haul does not enforce what a thread may not do while it captures. The mode is kept only to be returned. */
CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
    enum { RELAXED = 2 };
    static _Thread_local int current;
    if (!mode || *mode < 0 || *mode > RELAXED) return CUDA_INVALID_VALUE;
    const int before = current;
    current = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
