/* Graphs and captures: alternative forms of the driver's functions, and edges with data.
 *
 * Data of edges says when a node may start: a kernel with programmatic edges may start before those in front have
 * ended. Captures make such edges of launches with programmatic stream serialization; what a program passes as the
 * data of a capture's dependencies is ignored. nodes.c has the functions for nodes of any kind. */
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

/* ---- edges ---- */

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(sim_driver_graph_edges(graph, from, to, data, count));
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(sim_driver_node_dependencies(node, nodes, data, count));
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(sim_driver_node_dependents(node, nodes, data, count));
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(sim_driver_graph_connect(graph, from, to, data, count));
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *data, size_t count) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(sim_driver_graph_disconnect(graph, from, to, data, count));
}

/* ---- executable graphs ---- */

/* The form of CUDA 10 and 11 has two outputs in place of a structure. */
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode *failed, int *what) {
    CUgraphExecUpdateResultInfo outcome = {0};
    if (!what) return CUDA_INVALID_VALUE;
    const CUresult result = cuGraphExecUpdate_v2(executable, graph, &outcome);
    if (failed) *failed = outcome.node;
    *what = outcome.result;
    return result;
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraph child) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(sim_driver_executable_set_child(executable, node, child));
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

/* ---- graphs with user objects (objects.c) ---- */

CUresult cuGraphDestroy(CUgraph graph) {
    CUDA_ENTER_HANDLE(d);
    const CUresult result = cuda_leave(d->graph_destroy(graph));
    if (result == CUDA_SUCCESS) cuda_end_holdings(graph);
    return result;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
    CUDA_ENTER_HANDLE(d);
    const CUresult result = cuda_leave(d->executable_destroy(executable));
    if (result == CUDA_SUCCESS) cuda_end_holdings(executable);
    return result;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
    CUDA_ENTER_HANDLE(d);
    const CUresult result = cuda_leave(clone ? d->graph_clone(clone, graph) : CUDA_INVALID_VALUE);
    if (result == CUDA_SUCCESS) cuda_copy_holdings(graph, *clone);
    return result;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
    CUDA_ENTER(d);
    const CUresult result =
        cuda_leave(executable ? d->graph_instantiate(executable, graph, flags) : CUDA_INVALID_VALUE);
    if (result == CUDA_SUCCESS) cuda_copy_holdings(graph, *executable);
    return result;
}

/* Earlier forms, which name a node that failed and say why. */
CUresult cuGraphInstantiate_v2(CUgraphExec *executable, CUgraph graph, CUgraphNode *failed, char *log, size_t room) {
    if (failed) *failed = NULL;
    if (log && room) *log = '\0';
    return cuGraphInstantiateWithFlags(executable, graph, 0);
}

CUresult cuGraphInstantiate(CUgraphExec *executable, CUgraph graph, CUgraphNode *failed, char *log, size_t room) {
    return cuGraphInstantiate_v2(executable, graph, failed, log, room);
}

/* ---- queries ---- */

CUresult cuGraphExecGetFlags(CUgraphExec executable, unsigned long long *flags) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(flags ? sim_driver_executable_flags(executable, flags) : CUDA_INVALID_VALUE);
}

CUresult cuGraphNodeGetContainingGraph(CUgraphNode node, CUgraph *graph) {
    unsigned long long number;
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(graph ? sim_driver_node_place(node, graph, &number) : CUDA_INVALID_VALUE);
}

/* Unique in the graph. */
CUresult cuGraphNodeGetLocalId(CUgraphNode node, unsigned *id) {
    CUgraph graph;
    unsigned long long number = 0;
    CUDA_ENTER_HANDLE(d);
    (void)d;
    const CUresult result = id ? sim_driver_node_place(node, &graph, &number) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *id = (unsigned)number;
    return cuda_leave(result);
}

CUresult cuGraphGetId(CUgraph graph, unsigned *id) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(id ? sim_driver_graph_id(graph, id) : CUDA_INVALID_VALUE);
}

/* Unique in the program. */
CUresult cuGraphNodeGetToolsId(CUgraphNode node, unsigned long long *id) {
    CUgraph graph;
    unsigned long long number = 0;
    unsigned graph_id = 0;
    CUDA_ENTER_HANDLE(d);
    (void)d;
    CUresult result = id ? sim_driver_node_place(node, &graph, &number) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = sim_driver_graph_id(graph, &graph_id);
    if (result == CUDA_SUCCESS) *id = (unsigned long long)graph_id << 32 | number;
    return cuda_leave(result);
}

CUresult cuGraphExecGetId(CUgraphExec executable, unsigned *id) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(id ? sim_driver_executable_id(executable, id) : CUDA_INVALID_VALUE);
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *what) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(what ? sim_driver_node_allocation(node, what) : CUDA_INVALID_VALUE);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(address ? sim_driver_node_freed(node, address) : CUDA_INVALID_VALUE);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *data,
                                              size_t count, unsigned flags) {
    (void)data;
    return cuStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}
