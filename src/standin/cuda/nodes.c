/* Nodes of all kinds by one call, conditional nodes, captures into existing graphs.
 *
 * cuGraphAddNode() takes a structure with a kind and a union (cuda_node_params in cuda.h); it is taken apart here,
 * and the driver's function for that kind does the work. Conditional nodes exist only this way: they are an extra of
 * the virtual GPU (sim_driver_node_add_condition()). Kinds that haul lacks give CUDA_NOT_SUPPORTED: external
 * semaphores. runtime/nodes.c converts the runtime's structure to this one. */
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <string.h>

typedef const CUgraphNode *nodes;

/* The context is not needed, as the graph belongs to the state of a device. */
CUresult cuGraphConditionalHandleCreate(unsigned long long *handle, CUgraph graph, CUcontext context, unsigned value,
                                        unsigned flags) {
    enum { AT_LAUNCH = 1 };
    uint64_t made = 0;
    CUDA_ENTER_HANDLE(d);
    (void)d, (void)context;
    if (!handle || flags & ~(unsigned)AT_LAUNCH) return cuda_leave(CUDA_INVALID_VALUE);
    const CUresult result = sim_driver_condition_create(&made, graph, value, flags & AT_LAUNCH);
    *handle = made;
    return cuda_leave(result);
}

/* ---- kernels ---- */

/* A kernel in the driver's terms. */
typedef struct taken_kernel {
    CUDA_KERNEL_NODE_PARAMS what;
    void *unpacked[CUDA_MOST_PARAMETERS];
} taken_kernel;

/* A kernel may also be a library's, and its parameters may be packed. */
static CUresult take_kernel(const CUDA_KERNEL_NODE_PARAMS *p, taken_kernel *to) {
    if (!p) return CUDA_INVALID_VALUE;
    to->what = *p;
    if (!p->function) to->what.function = p->kernel;
    CUresult result = cuda_function_of(&to->what.function);
    if (result != CUDA_SUCCESS || !p->extra) return result;
    result = cuda_unpack_parameters(to->what.function, p->extra, to->unpacked);
    to->what.parameters = to->unpacked;
    to->what.extra = NULL;
    return result;
}

static CUresult add_kernel(const driver_table *d, CUgraphNode *node, CUgraph graph, nodes behind, size_t count,
                           const CUDA_KERNEL_NODE_PARAMS *p) {
    taken_kernel k;
    const CUresult result = take_kernel(p, &k);
    return result == CUDA_SUCCESS ? d->node_add_kernel(node, graph, behind, count, &k.what) : result;
}

static CUresult set_kernel(const driver_table *d, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    taken_kernel k;
    const CUresult result = take_kernel(p, &k);
    return result == CUDA_SUCCESS ? d->node_set_kernel(node, &k.what) : result;
}

static CUresult set_kernel_in(const driver_table *d, CUgraphExec executable, CUgraphNode node,
                              const CUDA_KERNEL_NODE_PARAMS *p) {
    taken_kernel k;
    const CUresult result = take_kernel(p, &k);
    return result == CUDA_SUCCESS ? d->executable_set_kernel(executable, node, &k.what) : result;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS *what) {
    CUDA_ENTER_HANDLE(d);
    return cuda_leave(node ? add_kernel(d, node, graph, behind, count, what) : CUDA_INVALID_VALUE);
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *what) {
    CUDA_ENTER_HANDLE(d);
    return cuda_leave(set_kernel(d, node, what));
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *what) {
    CUDA_ENTER_HANDLE(d);
    return cuda_leave(set_kernel_in(d, executable, node, what));
}

/* The forms before CUDA 12, whose structure ends earlier: it has no kernel of a library and no context. */
static CUDA_KERNEL_NODE_PARAMS longer(const cuda_kernel_node_v1 *what) {
    CUDA_KERNEL_NODE_PARAMS to = {0};
    memcpy(&to, what, sizeof *what);
    return to;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                              const cuda_kernel_node_v1 *what) {
    if (!what) return CUDA_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS now = longer(what);
    return cuGraphAddKernelNode_v2(node, graph, behind, count, &now);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, cuda_kernel_node_v1 *what) {
    CUDA_KERNEL_NODE_PARAMS now = {0};
    const CUresult result = what ? cuGraphKernelNodeGetParams_v2(node, &now) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) memcpy(what, &now, sizeof *what);
    return result;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const cuda_kernel_node_v1 *what) {
    if (!what) return CUDA_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS now = longer(what);
    return cuGraphKernelNodeSetParams_v2(node, &now);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node, const cuda_kernel_node_v1 *what) {
    if (!what) return CUDA_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS now = longer(what);
    return cuGraphExecKernelNodeSetParams_v2(executable, node, &now);
}

/* ---- attributes of kernels ---- */

/* A cooperative kernel must fit on the machine, as if it were launched now. */
static CUresult check_grid(const driver_table *d, CUgraphNode node) {
    CUDA_KERNEL_NODE_PARAMS is = {0};
    const CUresult result = d->node_kernel(node, &is);
    CUlaunchConfig config = {.shared_bytes = is.shared_bytes};
    memcpy(config.grid, is.grid, sizeof is.grid);
    memcpy(config.block, is.block, sizeof is.block);
    return result == CUDA_SUCCESS ? cuda_check_cooperative(d, is.function, &config) : result;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, int attribute, const void *value) {
    CUlaunchAttribute to = {.id = attribute};
    CUDA_ENTER_HANDLE(d);
    if (!value) return cuda_leave(CUDA_INVALID_VALUE);
    memcpy(&to.value, value, sizeof to.value);
    CUresult result = CUDA_SUCCESS;
    if (attribute == DRIVER_LAUNCH_COOPERATIVE && to.value.is_cooperative) result = check_grid(d, node);
    return cuda_leave(result == CUDA_SUCCESS ? sim_driver_node_set_attribute(node, &to) : result);
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, int attribute, void *value) {
    CUlaunchAttribute is = {.id = attribute};
    CUDA_ENTER_HANDLE(d);
    (void)d;
    const CUresult result = value ? sim_driver_node_attribute(node, &is) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) memcpy(value, &is.value, sizeof is.value);
    return cuda_leave(result);
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(sim_driver_node_copy_attributes(to, from));
}

/* ---- nodes of all kinds ---- */

/* `bodies` is an output: the node's empty graphs, which the program fills. */
static CUresult add_condition(CUgraphNode *node, CUgraph graph, nodes behind, size_t count, cuda_condition *p) {
    const sim_condition what = {.handle = p->handle, .kind = p->kind, .count = p->count};
    return sim_driver_node_add_condition(node, graph, behind, count, &what, &p->bodies);
}

static CUresult add(const driver_table *d, CUgraphNode *node, CUgraph graph, nodes behind, size_t count,
                    cuda_node_params *p) {
    switch (p->type) {
    case DRIVER_NODE_KERNEL: return add_kernel(d, node, graph, behind, count, &p->of.kernel);
    case DRIVER_NODE_COPY: return d->node_add_copy(node, graph, behind, count, &p->of.copy.what, NULL);
    case DRIVER_NODE_FILL: return d->node_add_fill(node, graph, behind, count, &p->of.fill, NULL);
    case DRIVER_NODE_HOST: return d->node_add_host(node, graph, behind, count, &p->of.host);
    case DRIVER_NODE_GRAPH: return d->node_add_graph(node, graph, behind, count, p->of.child);
    case DRIVER_NODE_EMPTY: return d->node_add_empty(node, graph, behind, count);
    case DRIVER_NODE_EVENT_WAIT: return d->node_add_wait(node, graph, behind, count, p->of.event);
    case DRIVER_NODE_EVENT_RECORD: return d->node_add_record(node, graph, behind, count, p->of.event);
    case DRIVER_NODE_ALLOCATE: return d->node_add_allocate(node, graph, behind, count, &p->of.allocation);
    case DRIVER_NODE_FREE: return d->node_add_free(node, graph, behind, count, p->of.address);
    case DRIVER_NODE_VALUES: return cuda_add_batch(node, graph, behind, count, &p->of.batch);
    case DRIVER_NODE_CONDITION: return add_condition(node, graph, behind, count, &p->of.condition);
    default: return cuda_wrong(CUDA_NOT_SUPPORTED, "haul's graphs have no nodes of that kind");
    }
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                        cuda_node_params *what) {
    CUDA_ENTER_HANDLE(d);
    return cuda_leave(node && what ? add(d, node, graph, behind, count, what) : CUDA_INVALID_VALUE);
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, const CUgraphEdgeData *data,
                           size_t count, cuda_node_params *what) {
    CUDA_ENTER_HANDLE(d);
    CUresult result = node && what ? add(d, node, graph, behind, count, what) : CUDA_INVALID_VALUE;
    if (result != CUDA_SUCCESS || !data) return cuda_leave(result);
    result = sim_driver_node_set_edges(*node, behind, data, count);
    if (result != CUDA_SUCCESS) (void)d->node_destroy(*node);
    return cuda_leave(result);
}

/* Changes the node of a graph. Nodes of some kinds have nothing that CUDA lets change. */
static CUresult set(const driver_table *d, CUgraphNode node, const cuda_node_params *p) {
    switch (p->type) {
    case DRIVER_NODE_KERNEL: return set_kernel(d, node, &p->of.kernel);
    case DRIVER_NODE_COPY: return d->node_set_copy(node, &p->of.copy.what);
    case DRIVER_NODE_FILL: return d->node_set_fill(node, &p->of.fill);
    case DRIVER_NODE_HOST: return d->node_set_host(node, &p->of.host);
    case DRIVER_NODE_EVENT_WAIT: return d->node_set_wait(node, p->of.event);
    case DRIVER_NODE_EVENT_RECORD: return d->node_set_record(node, p->of.event);
    case DRIVER_NODE_VALUES: return cuda_set_batch(NULL, node, &p->of.batch);
    default: return cuda_wrong(CUDA_NOT_SUPPORTED, "nodes of that kind cannot be changed");
    }
}

CUresult cuGraphNodeSetParams(CUgraphNode node, cuda_node_params *what) {
    CUDA_ENTER_HANDLE(d);
    return cuda_leave(what ? set(d, node, what) : CUDA_INVALID_VALUE);
}

/* The same for a node of an executable graph; the node is the one of the graph that it was made from. */
static CUresult set_in(const driver_table *d, CUgraphExec executable, CUgraphNode node, const cuda_node_params *p) {
    switch (p->type) {
    case DRIVER_NODE_KERNEL: return set_kernel_in(d, executable, node, &p->of.kernel);
    case DRIVER_NODE_GRAPH: return sim_driver_executable_set_child(executable, node, p->of.child);
    case DRIVER_NODE_COPY: return d->executable_set_copy(executable, node, &p->of.copy.what, NULL);
    case DRIVER_NODE_FILL: return d->executable_set_fill(executable, node, &p->of.fill, NULL);
    case DRIVER_NODE_HOST: return d->executable_set_host(executable, node, &p->of.host);
    case DRIVER_NODE_EVENT_WAIT: return d->executable_set_wait(executable, node, p->of.event);
    case DRIVER_NODE_EVENT_RECORD: return d->executable_set_record(executable, node, p->of.event);
    case DRIVER_NODE_VALUES: return cuda_set_batch(executable, node, &p->of.batch);
    default: return cuda_wrong(CUDA_NOT_SUPPORTED, "nodes of that kind cannot be changed");
    }
}

/* Takes effect with the next launch of the executable. */
CUresult cuGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node, cuda_node_params *what) {
    CUDA_ENTER_HANDLE(d);
    return cuda_leave(what ? set_in(d, executable, node, what) : CUDA_INVALID_VALUE);
}

/* The mode restricts other threads during the capture; haul does not enforce it. */
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *behind,
                                     const CUgraphEdgeData *data, size_t count, int mode) {
    CUDA_ENTER_STREAM(d, stream);
    (void)d, (void)data, (void)mode;
    return cuda_leave(sim_driver_capture_to(stream, graph, behind, count));
}
