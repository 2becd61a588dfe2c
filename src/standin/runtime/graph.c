/* Graphs of the runtime: the driver's, with nodes described in the runtime's terms.
 *
 * Graphs, nodes and executable graphs are the driver's handles, so most functions pass their arguments on. Three
 * things differ. CUDA 13 gave several functions the arguments of their second forms under the old names; these ask
 * standin_cuda_version() which arguments the program has passed. Kernels are named by host functions and variables
 * by symbols, which are looked up here. The forms _ptsz replace the default stream.
 *
 * nodes.c has the functions that take nodes of any kind. The virtual GPU's graphs are in vgpu/graph.c, vgpu/nodes.c
 * and vgpu/executable.c. */
#include "standin/runtime/graph.h"

#include "standin/cuda/cuda.h"
#include "standin/runtime/array.h"
#include "standin/runtime/version.h"
#include "vgpu/driver.h"

typedef const CUgraphNode *nodes;

/* ---- graphs ---- */

CUresult cudaGraphCreate(CUgraph *graph, unsigned flags) {
    STANDIN_CALL(graph_create(graph, flags));
}

/* The clone's nodes are found by cudaGraphNodeFindInClone(), since they have handles of their own. */
CUresult cudaGraphClone(CUgraph *clone, CUgraph original) {
    STANDIN_FORWARD(cuGraphClone(clone, original));
}

CUresult cudaGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone) {
    STANDIN_CALL(node_find(node, original, clone));
}

/* Its dependencies go with it. Executable graphs made before keep their copy of it. */
CUresult cudaGraphDestroyNode(CUgraphNode node) {
    STANDIN_CALL(node_destroy(node));
}

/* As all lists of nodes: NULL asks for the number only, and a list that is too long ends with NULLs. */
CUresult cudaGraphGetNodes(CUgraph graph, CUgraphNode *list, size_t *count) {
    STANDIN_CALL(graph_nodes(graph, list, count));
}

CUresult cudaGraphGetRootNodes(CUgraph graph, CUgraphNode *list, size_t *count) {
    STANDIN_CALL(graph_roots(graph, list, count));
}

CUresult cudaGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
    STANDIN_CALL(node_type(node, type));
}

/* Writes a file for Graphviz. */
CUresult cudaGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
    STANDIN_CALL(graph_print(graph, path, flags));
}

/* Nothing has to be moved before a launch, so this only checks its arguments. */
CUresult cudaGraphUpload(CUgraphExec executable, CUstream stream) {
    STANDIN_CALL(executable_upload(executable, stream));
}

CUresult cudaGraphUpload_ptsz(CUgraphExec executable, CUstream stream) {
    return cudaGraphUpload(executable, standin_own(stream));
}

/* ---- edges: since CUDA 13, and in the second forms of 12, with data ---- */

CUresult cudaGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count) {
    STANDIN_FORWARD(cuGraphGetEdges_v2(graph, from, to, data, count));
}

/* Before CUDA 13 the number is in the place of the data. */
CUresult cudaGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, void *data, size_t *count) {
    if (standin_cuda_version() >= 13) return cudaGraphGetEdges_v2(graph, from, to, data, count);
    return cudaGraphGetEdges_v2(graph, from, to, NULL, data);
}

/* The data of all edges is zero (cuda/graph.c). */
CUresult cudaGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *list, CUgraphEdgeData *data, size_t *count) {
    STANDIN_FORWARD(cuGraphNodeGetDependencies_v2(node, list, data, count));
}

CUresult cudaGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *list, void *data, size_t *count) {
    if (standin_cuda_version() >= 13) return cudaGraphNodeGetDependencies_v2(node, list, data, count);
    return cudaGraphNodeGetDependencies_v2(node, list, NULL, data);
}

CUresult cudaGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *list, CUgraphEdgeData *data, size_t *count) {
    STANDIN_FORWARD(cuGraphNodeGetDependentNodes_v2(node, list, data, count));
}

CUresult cudaGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *list, void *data, size_t *count) {
    if (standin_cuda_version() >= 13) return cudaGraphNodeGetDependentNodes_v2(node, list, data, count);
    return cudaGraphNodeGetDependentNodes_v2(node, list, NULL, data);
}

CUresult cudaGraphAddDependencies_v2(CUgraph graph, nodes from, nodes to, const CUgraphEdgeData *data, size_t count) {
    STANDIN_FORWARD(cuGraphAddDependencies_v2(graph, from, to, data, count));
}

/* Before CUDA 13, the number is in the place of the data: the pointer's bits are the count. */
CUresult cudaGraphAddDependencies(CUgraph graph, nodes from, nodes to, const void *data, size_t count) {
    if (standin_cuda_version() >= 13) return cudaGraphAddDependencies_v2(graph, from, to, data, count);
    return cudaGraphAddDependencies_v2(graph, from, to, NULL, (uintptr_t)data);
}

CUresult cudaGraphRemoveDependencies_v2(CUgraph graph, nodes from, nodes to, const CUgraphEdgeData *data,
                                        size_t count) {
    STANDIN_FORWARD(cuGraphRemoveDependencies_v2(graph, from, to, data, count));
}

CUresult cudaGraphRemoveDependencies(CUgraph graph, nodes from, nodes to, const void *data, size_t count) {
    if (standin_cuda_version() >= 13) return cudaGraphRemoveDependencies_v2(graph, from, to, data, count);
    return cudaGraphRemoveDependencies_v2(graph, from, to, NULL, (uintptr_t)data);
}

/* ---- kernels ---- */

/* A program may pass on what it got from a query. A kernel of a module has no host function, so its handle is accepted
 * as well. */
CUresult standin_take_kernel(const driver_table *d, const cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *to) {
    if (!p) return CUDA_INVALID_VALUE;
    *to = (CUDA_KERNEL_NODE_PARAMS){.function = (CUfunction)(uintptr_t)p->kernel,
                                    .grid = {p->grid.x, p->grid.y, p->grid.z},
                                    .block = {p->block.x, p->block.y, p->block.z},
                                    .shared_bytes = p->shared_bytes,
                                    .parameters = p->parameters,
                                    .extra = p->extra};
    return sim_driver_has_function(to->function) ? CUDA_SUCCESS : standin_kernel(d, p->kernel, &to->function);
}

/* Loads the kernel's module if nothing has used it yet. */
CUresult cudaGraphAddKernelNode(CUgraphNode *node, CUgraph graph, nodes behind, size_t count,
                                const cudaKernelNodeParams *p) {
    CUDA_KERNEL_NODE_PARAMS what;
    const driver_table *d = standin_enter();
    const CUresult result = standin_take_kernel(d, p, &what);
    return standin_leave(result == CUDA_SUCCESS ? d->node_add_kernel(node, graph, behind, count, &what) : result);
}

/* Programs compare the kernel with host functions, to find the nodes that they want to change. The pointers to
 * parameters lead into the node, and are valid until it is changed or queried again. */
CUresult cudaGraphKernelNodeGetParams(CUgraphNode node, cudaKernelNodeParams *p) {
    CUDA_KERNEL_NODE_PARAMS is = {0};
    const driver_table *d = standin_enter();
    const CUresult result = d->node_kernel(node, &is);
    *p = (cudaKernelNodeParams){.kernel = standin_host_of(is.function),
                                .grid = {is.grid[0], is.grid[1], is.grid[2]},
                                .block = {is.block[0], is.block[1], is.block[2]},
                                .shared_bytes = is.shared_bytes,
                                .parameters = is.parameters};
    return standin_leave(result);
}

CUresult cudaGraphKernelNodeSetParams(CUgraphNode node, const cudaKernelNodeParams *p) {
    CUDA_KERNEL_NODE_PARAMS what;
    const driver_table *d = standin_enter();
    const CUresult result = standin_take_kernel(d, p, &what);
    return standin_leave(result == CUDA_SUCCESS ? d->node_set_kernel(node, &what) : result);
}

/* As all functions that change a node of an executable graph: `node` is the one of the graph that it was made from. */
CUresult cudaGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node, const cudaKernelNodeParams *p) {
    CUDA_KERNEL_NODE_PARAMS what;
    const driver_table *d = standin_enter();
    const CUresult result = standin_take_kernel(d, p, &what);
    return standin_leave(result == CUDA_SUCCESS ? d->executable_set_kernel(executable, node, &what) : result);
}

/* ---- copies ---- */

/* The arguments of the copies that runtime programs use most. */
typedef struct copy_1d {
    void *to;
    const void *from;
    size_t bytes;
    int kind;
} copy_1d;

/* A copy of consecutive bytes is a box of one row. */
static CUDA_MEMCPY3D row_of(const copy_1d *c) {
    return (CUDA_MEMCPY3D){.from_kind = standin_memory_kind(c->from, true, c->kind),
                           .from_host = c->from,
                           .from_device = (uintptr_t)c->from,
                           .from_pitch = c->bytes,
                           .from_height = 1,
                           .to_kind = standin_memory_kind(c->to, false, c->kind),
                           .to_host = c->to,
                           .to_device = (uintptr_t)c->to,
                           .to_pitch = c->bytes,
                           .to_height = 1,
                           .width = c->bytes,
                           .height = 1,
                           .depth = 1};
}

/* Finds a symbol's address. */
static CUresult place_of(const driver_table *d, const void *symbol, size_t offset, void **place) {
    CUdeviceptr at = 0;
    const CUresult result = standin_variable(d, symbol, &at, NULL);
    *place = (void *)(uintptr_t)(at + offset);
    return result;
}

/* Defines the three functions for nodes of one kind of copy: add a node, change it, and change it in an executable
 * graph. `suffix` ends CUDA's names. `given` has the parameters that describe the copy, in parentheses. `made` is an
 * expression that sets `what` from them and returns the result; it runs between standin_enter() and standin_leave()
 * with `d`. */
#define COPY_CALLS(suffix, given, made)                                                                                \
    CUresult cudaGraphAddMemcpyNode##suffix(CUgraphNode *node, CUgraph graph, nodes behind, size_t count,              \
                                            STANDIN_UNPACK given) {                                                    \
        CUDA_MEMCPY3D what;                                                                                            \
        const driver_table *d = standin_enter();                                                                       \
        const CUresult result = made;                                                                                  \
        return standin_leave(result == CUDA_SUCCESS ? d->node_add_copy(node, graph, behind, count, &what, NULL)        \
                                                    : result);                                                         \
    }                                                                                                                  \
    CUresult cudaGraphMemcpyNodeSetParams##suffix(CUgraphNode node, STANDIN_UNPACK given) {                            \
        CUDA_MEMCPY3D what;                                                                                            \
        const driver_table *d = standin_enter();                                                                       \
        const CUresult result = made;                                                                                  \
        return standin_leave(result == CUDA_SUCCESS ? d->node_set_copy(node, &what) : result);                         \
    }                                                                                                                  \
    CUresult cudaGraphExecMemcpyNodeSetParams##suffix(CUgraphExec executable, CUgraphNode node,                        \
                                                      STANDIN_UNPACK given) {                                          \
        CUDA_MEMCPY3D what;                                                                                            \
        const driver_table *d = standin_enter();                                                                       \
        const CUresult result = made;                                                                                  \
        return standin_leave(result == CUDA_SUCCESS ? d->executable_set_copy(executable, node, &what, NULL) : result); \
    }
#define STANDIN_UNPACK(...) __VA_ARGS__

/* Refuses copies of 0 bytes. */
static CUresult make_1d(const copy_1d *c, CUDA_MEMCPY3D *what) {
    *what = row_of(c);
    return c->bytes ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* The variable's address is found when the node is made, not at each launch. */
static CUresult make_to_symbol(const driver_table *d, const void *symbol, const void *from, size_t bytes, size_t offset,
                               int kind, CUDA_MEMCPY3D *what) {
    copy_1d c = {.from = from, .bytes = bytes, .kind = kind};
    const CUresult result = place_of(d, symbol, offset, &c.to);
    return result == CUDA_SUCCESS ? make_1d(&c, what) : result;
}

static CUresult make_from_symbol(const driver_table *d, void *to, const void *symbol, size_t bytes, size_t offset,
                                 int kind, CUDA_MEMCPY3D *what) {
    void *place;
    const CUresult result = place_of(d, symbol, offset, &place);
    const copy_1d c = {.to = to, .from = place, .bytes = bytes, .kind = kind};
    return result == CUDA_SUCCESS ? make_1d(&c, what) : result;
}

COPY_CALLS(, (const cudaMemcpy3DParms *p), standin_box(d, p, &what))
COPY_CALLS(1D, (void *to, const void *from, size_t bytes, int kind), make_1d(&(copy_1d){to, from, bytes, kind}, &what))
COPY_CALLS(ToSymbol, (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
           make_to_symbol(d, symbol, from, bytes, offset, kind, &what))
COPY_CALLS(FromSymbol, (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
           make_from_symbol(d, to, symbol, bytes, offset, kind, &what))

CUresult cudaGraphMemcpyNodeGetParams(CUgraphNode node, cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D is = {0};
    const driver_table *d = standin_enter();
    const CUresult result = p ? d->node_copy(node, &is) : CUDA_INVALID_VALUE;
    return standin_leave(result == CUDA_SUCCESS ? standin_unbox(d, &is, p) : result);
}

/* ---- fills ---- */

CUDA_MEMSET_NODE_PARAMS standin_fill_of(const cudaMemsetParams *p) {
    return (CUDA_MEMSET_NODE_PARAMS){(uintptr_t)p->to, p->pitch, p->value, p->element, p->width, p->height};
}

/* A rectangle; a height of 1 makes it a row. */
CUresult cudaGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, nodes behind, size_t count,
                                const cudaMemsetParams *p) {
    if (!p) return standin_fail(CUDA_INVALID_VALUE);
    const CUDA_MEMSET_NODE_PARAMS what = standin_fill_of(p);
    STANDIN_CALL(node_add_fill(node, graph, behind, count, &what, NULL));
}

/* Leaves *p alone if the node is no fill. */
CUresult cudaGraphMemsetNodeGetParams(CUgraphNode node, cudaMemsetParams *p) {
    CUDA_MEMSET_NODE_PARAMS is = {0};
    const driver_table *d = standin_enter();
    const CUresult result = p ? d->node_fill(node, &is) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *p = (cudaMemsetParams){(void *)(uintptr_t)is.to, is.pitch, is.value, is.element, is.width, is.height};
    return standin_leave(result);
}

CUresult cudaGraphMemsetNodeSetParams(CUgraphNode node, const cudaMemsetParams *p) {
    if (!p) return standin_fail(CUDA_INVALID_VALUE);
    const CUDA_MEMSET_NODE_PARAMS what = standin_fill_of(p);
    STANDIN_CALL(node_set_fill(node, &what));
}

CUresult cudaGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node, const cudaMemsetParams *p) {
    if (!p) return standin_fail(CUDA_INVALID_VALUE);
    const CUDA_MEMSET_NODE_PARAMS what = standin_fill_of(p);
    STANDIN_CALL(executable_set_fill(executable, node, &what, NULL));
}

/* ---- host functions, graphs, events, memory ---- */

CUresult cudaGraphAddHostNode(CUgraphNode *node, CUgraph graph, nodes behind, size_t count,
                              const CUDA_HOST_NODE_PARAMS *p) {
    STANDIN_CALL(node_add_host(node, graph, behind, count, p));
}

CUresult cudaGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *p) {
    STANDIN_CALL(node_host(node, p));
}

CUresult cudaGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
    STANDIN_CALL(node_set_host(node, p));
}

CUresult cudaGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
    STANDIN_CALL(executable_set_host(executable, node, p));
}

/* The node gets a copy of the child. */
CUresult cudaGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, nodes behind, size_t count, CUgraph child) {
    STANDIN_CALL(node_add_graph(node, graph, behind, count, child));
}

/* Gives out the node's own copy, which the program must not destroy. */
CUresult cudaGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child) {
    STANDIN_CALL(node_child(node, child));
}

CUresult cudaGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, nodes behind, size_t count) {
    STANDIN_CALL(node_add_empty(node, graph, behind, count));
}

CUresult cudaGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, nodes behind, size_t count, CUevent event) {
    STANDIN_CALL(node_add_record(node, graph, behind, count, event));
}

CUresult cudaGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
    STANDIN_CALL(node_record(node, event));
}

CUresult cudaGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
    STANDIN_CALL(node_set_record(node, event));
}

CUresult cudaGraphExecEventRecordNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event) {
    STANDIN_CALL(executable_set_record(executable, node, event));
}

CUresult cudaGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, nodes behind, size_t count, CUevent event) {
    STANDIN_CALL(node_add_wait(node, graph, behind, count, event));
}

CUresult cudaGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
    STANDIN_CALL(node_wait(node, event));
}

CUresult cudaGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
    STANDIN_CALL(node_set_wait(node, event));
}

CUresult cudaGraphExecEventWaitNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event) {
    STANDIN_CALL(executable_set_wait(executable, node, event));
}

/* The memory exists from now on; p->address is an output. */
CUresult cudaGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, nodes behind, size_t count,
                                  CUDA_MEM_ALLOC_NODE_PARAMS *p) {
    STANDIN_CALL(node_add_allocate(node, graph, behind, count, p));
}

CUresult cudaGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, nodes behind, size_t count, void *address) {
    STANDIN_CALL(node_add_free(node, graph, behind, count, (uintptr_t)address));
}

/* ---- executable graphs ---- */

/* Only kernels, copies and fills can be disabled. */
CUresult cudaGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned enabled) {
    STANDIN_CALL(executable_set_enabled(executable, node, enabled));
}

CUresult cudaGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned *enabled) {
    STANDIN_CALL(executable_enabled(executable, node, enabled));
}

/* In CUDA 11 the third argument is for a node, and a fourth for the result. */
CUresult cudaGraphExecUpdate(CUgraphExec executable, CUgraph graph, void *told, int *what) {
    CUgraphExecUpdateResultInfo outcome = {0};
    const bool is_old = standin_cuda_version() == 11;
    const driver_table *d = standin_enter();
    const CUresult result = d->executable_update(executable, graph, &outcome);
    if (is_old && told) *(CUgraphNode *)told = outcome.node;
    if (is_old && what) *what = outcome.result;
    if (!is_old && told) *(CUgraphExecUpdateResultInfo *)told = outcome;
    return standin_leave(result);
}

/* The executable keeps a copy, so the graph may be changed or destroyed. Flags have no effect. */
CUresult cudaGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
    STANDIN_FORWARD(cuGraphInstantiateWithFlags(executable, graph, flags));
}

/* In CUDA 11 the third argument and the next two are for a node and a text about the error. */
CUresult cudaGraphInstantiate(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(executable, graph, standin_cuda_version() == 11 ? 0 : flags);
}

CUresult cudaGraphInstantiateWithParams(CUgraphExec *executable, CUgraph graph, cuda_instantiate_params *p) {
    STANDIN_FORWARD(cuGraphInstantiateWithParams(executable, graph, p));
}

/* The stream for an upload is ignored, so this form is the same. */
CUresult cudaGraphInstantiateWithParams_ptsz(CUgraphExec *executable, CUgraph graph, cuda_instantiate_params *p) {
    return cudaGraphInstantiateWithParams(executable, graph, p);
}

CUresult cudaGraphLaunch(CUgraphExec executable, CUstream stream) {
    const driver_table *d = standin_enter();
    return standin_leave_launch(d->graph_launch(executable, stream));
}

CUresult cudaGraphLaunch_ptsz(CUgraphExec executable, CUstream stream) {
    return cudaGraphLaunch(executable, standin_own(stream));
}

CUresult cudaGraphExecDestroy(CUgraphExec executable) {
    STANDIN_FORWARD(cuGraphExecDestroy(executable));
}

CUresult cudaGraphDestroy(CUgraph graph) {
    STANDIN_FORWARD(cuGraphDestroy(graph));
}

/* ---- captures of streams ---- */

/* During a capture, *list has the nodes that the stream's next one will depend on. */
CUresult cudaStreamGetCaptureInfo_v2(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                     const CUgraphNode **list, size_t *count) {
    STANDIN_CALL_BESIDE(capture_info(stream, status, id, graph, list, count));
}

CUresult cudaStreamGetCaptureInfo_v2_ptsz(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                          const CUgraphNode **list, size_t *count) {
    return cudaStreamGetCaptureInfo_v2(standin_own(stream), status, id, graph, list, count);
}

CUresult cudaStreamGetCaptureInfo_v3(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                     const CUgraphNode **list, const CUgraphEdgeData **data, size_t *count) {
    STANDIN_FORWARD(cuStreamGetCaptureInfo_v3(stream, status, id, graph, list, data, count));
}

CUresult cudaStreamGetCaptureInfo_v3_ptsz(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                          const CUgraphNode **list, const CUgraphEdgeData **data, size_t *count) {
    return cudaStreamGetCaptureInfo_v3(standin_own(stream), status, id, graph, list, data, count);
}

/* Before CUDA 13 there are three arguments. */
CUresult cudaStreamGetCaptureInfo(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                  const CUgraphNode **list, const CUgraphEdgeData **data, size_t *count) {
    if (standin_cuda_version() >= 13) return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, list, data, count);
    return cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

CUresult cudaStreamGetCaptureInfo_ptsz(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                       const CUgraphNode **list, const CUgraphEdgeData **data, size_t *count) {
    return cudaStreamGetCaptureInfo(standin_own(stream), status, id, graph, list, data, count);
}

/* Replaces or adds the nodes that the stream's next work depends on, as `flags` say. */
static CUresult depend(CUstream stream, CUgraphNode *list, size_t count, unsigned flags) {
    STANDIN_CALL(capture_depend(stream, list, count, flags));
}

/* The driver's function takes no data of edges, so that of these edges is ignored. */
CUresult cudaStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *list, const CUgraphEdgeData *data,
                                                size_t count, unsigned flags) {
    (void)data;
    return depend(stream, list, count, flags);
}

CUresult cudaStreamUpdateCaptureDependencies_v2_ptsz(CUstream stream, CUgraphNode *list, const CUgraphEdgeData *data,
                                                     size_t count, unsigned flags) {
    return cudaStreamUpdateCaptureDependencies_v2(standin_own(stream), list, data, count, flags);
}

/* Before CUDA 13, the number is in the place of the data, and the flags are in the place of the number. */
CUresult cudaStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *list, const void *data, size_t count,
                                             unsigned flags) {
    if (standin_cuda_version() >= 13) return depend(stream, list, count, flags);
    return depend(stream, list, (uintptr_t)data, (unsigned)count);
}

CUresult cudaStreamUpdateCaptureDependencies_ptsz(CUstream stream, CUgraphNode *list, const void *data, size_t count,
                                                  unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(standin_own(stream), list, data, count, flags);
}

CUresult cudaThreadExchangeStreamCaptureMode(int *mode) {
    STANDIN_FORWARD(cuThreadExchangeStreamCaptureMode(mode));
}
