/* The capture of streams as graphs.
 *
 * A capture adds a node to the stream's graph for each piece of work that the stream gets (sim_capture()). A
 * stream's tips are the nodes that its next node depends on: after each node, this node alone. An event that is
 * recorded in a capture takes the tips with it, and a stream that waits for the event gets them, too; that is how
 * further streams join the capture. The capture ends in the stream where it began, which must depend on everything
 * captured. */
#include "vgpu/graph.h"

#include "base/memory.h"
#include "vgpu/work.h"

void sim_tips_free(sim_tips *tips) {
    memory_free(tips->nodes);
    *tips = (sim_tips){0};
}

/* Each node is a tip once. */
static bool add_tip(sim_tips *tips, CUgraphNode node) {
    for (size_t i = 0; i < tips->count; i++)
        if (tips->nodes[i] == node) return true;
    CUgraphNode *nodes = memory_grow(tips->nodes, tips->count, &tips->capacity, sizeof(CUgraphNode));
    if (!nodes) return false;
    tips->nodes = nodes;
    tips->nodes[tips->count++] = node;
    return true;
}

/* The kind of node for captured work. */
static CUgraphNodeType type_of(const sim_work *w) {
    switch (w->kind) {
    case SIM_WORK_LAUNCH: return DRIVER_NODE_KERNEL;
    case SIM_WORK_FILL: return DRIVER_NODE_FILL;
    case SIM_WORK_CALL: return DRIVER_NODE_HOST;
    case SIM_WORK_FREE: return DRIVER_NODE_FREE;
    default: return DRIVER_NODE_COPY;
    }
}

/* As streams are in order, later work depends on this node only. */
CUresult sim_capture_go_on(CUstream s, CUgraphNode node) {
    s->tips.count = 0;
    return add_tip(&s->tips, node) ? CUDA_SUCCESS : sim_no_memory("a graph");
}

/* A launch that may start before the kernel in front has ended depends on its triggers. */
static void make_programmatic(CUgraphNode n) {
    for (size_t i = 0; i < n->behind_count; i++)
        if (n->behind[i].from->type == DRIVER_NODE_KERNEL)
            n->behind[i].data =
                (CUgraphEdgeData){.from_port = DRIVER_PORT_PROGRAMMATIC, .type = DRIVER_EDGE_PROGRAMMATIC};
}

/* The work belongs to the node, or is released if there is no memory. */
CUresult sim_capture(CUstream s, const sim_work *work) {
    CUgraphNode n = sim_graph_add(s->capture, type_of(work), s->tips.nodes, s->tips.count);
    if (n && work->is_programmatic) make_programmatic(n);
    if (n && sim_node_take_work(n, work)) return sim_capture_go_on(s, n);
    sim_work lost = *work;
    sim_work_release(&lost);
    return sim_no_memory("a graph");
}

CUresult sim_capture_values(CUstream s, const sim_value_op *ops, unsigned count) {
    CUgraphNode n = sim_graph_add(s->capture, DRIVER_NODE_VALUES, s->tips.nodes, s->tips.count);
    const CUresult result = n ? sim_node_set_values(n, ops, count) : sim_no_memory("a graph");
    return result == CUDA_SUCCESS ? sim_capture_go_on(s, n) : result;
}

/* The memory exists from now on, as a capture must give its address. */
CUresult sim_capture_allocation(CUstream s, CUdeviceptr *address, size_t bytes) {
    CUgraphNode n;
    CUDA_MEM_ALLOC_NODE_PARAMS what = {.bytes = bytes};
    const CUresult result = sim_call_node_add_allocate(&n, s->capture, s->tips.nodes, s->tips.count, &what);
    *address = what.address;
    return result == CUDA_SUCCESS ? sim_capture_go_on(s, n) : result;
}

/* The event's earlier record stays, but waits now mean the capture. */
CUresult sim_capture_record(CUstream s, CUevent event) {
    event->capture = s->capture;
    event->tips.count = 0;
    for (size_t i = 0; i < s->tips.count; i++)
        if (!add_tip(&event->tips, s->tips.nodes[i])) return sim_no_memory("a graph");
    return CUDA_SUCCESS;
}

/* Whether any stream of the program still adds nodes to the graph. */
static bool is_capturing(CUcontext c, CUgraph graph) {
    for (unsigned i = 0; i < sim_member_count(c); i++)
        for (CUstream s = sim_member_of(c, i)->streams; s; s = s->next)
            if (s->capture == graph) return true;
    return false;
}

/* Errors are CUDA's: the event is of no or another capture, its capture has ended, or the default stream would join. */
CUresult sim_capture_wait(CUstream s, CUevent event) {
    if (!event->capture || (s->capture && s->capture != event->capture)) return CUDA_STREAM_CAPTURE_ISOLATION;
    if (!is_capturing(s->context, event->capture)) return CUDA_CAPTURED_EVENT;
    if (s == &s->context->legacy) return CUDA_STREAM_CAPTURE_IMPLICIT;
    if (!s->capture) s->tips.count = 0;
    s->capture = event->capture;
    for (size_t i = 0; i < event->tips.count; i++)
        if (!add_tip(&s->tips, event->tips.nodes[i])) return sim_no_memory("a graph");
    return CUDA_SUCCESS;
}

/* Nodes that the graph has already are not of this capture. */
static void begin_capture(CUstream s, CUgraph g) {
    g->origin = s;
    g->captured = g->count;
    s->capture = g;
    s->tips.count = 0;
}

/* The mode restricts what other threads may call during the capture; it is not enforced. */
CUresult sim_call_capture_begin(CUstream handle, int mode) {
    CUstream s;
    SIM_ENTER(c);
    (void)mode;
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (s == &c->legacy || s->capture) return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    CUgraph g = sim_graph_new(s->context);
    if (!g) return CUDA_OUT_OF_MEMORY;
    begin_capture(s, g);
    return CUDA_SUCCESS;
}

/* `behind` are the first tips. A graph can be the target of one capture at a time. */
CUresult sim_driver_capture_to(CUstream handle, CUgraph graph, const CUgraphNode *behind, size_t count) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (s == &c->legacy || s->capture) return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    if (!sim_graph_of(c, graph) || graph->origin) return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!sim_node_of(c, behind[i]) || behind[i]->graph != graph) return CUDA_INVALID_VALUE;
    begin_capture(s, graph);
    for (size_t i = 0; i < count; i++)
        if (!add_tip(&s->tips, behind[i])) return sim_no_memory("a graph");
    return CUDA_SUCCESS;
}

/* Returns whether the first stream depends on all captured nodes without dependents, so that all streams were joined to
 * it. */
static bool is_joined(const struct CUgraph_st *g, const sim_tips *tips) {
    bool *is_waited_for = memory_zeroed(g->count + 1, sizeof *is_waited_for), joined = is_waited_for != NULL;
    for (size_t t = 0; t < tips->count && joined; t++) is_waited_for[tips->nodes[t]->at] = true;
    for (size_t i = 0; i < g->count && joined; i++)
        for (size_t k = 0; k < g->nodes[i]->behind_count; k++) is_waited_for[g->nodes[i]->behind[k].from->at] = true;
    for (size_t i = g->captured; i < g->count && joined; i++) joined = is_waited_for[i];
    memory_free(is_waited_for);
    return joined;
}

/* All streams leave the capture, also if it fails. */
CUresult sim_call_capture_end(CUstream handle, CUgraph *graph) {
    CUstream s;
    SIM_ENTER(c);
    if (graph) *graph = NULL;
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    CUgraph g = s->capture;
    if (!g || g->origin != s) return CUDA_STREAM_CAPTURE_UNMATCHED;
    for (unsigned i = 0; i < sim_member_count(c); i++)
        for (CUstream each = sim_member_of(c, i)->streams; each; each = each->next)
            if (each->capture == g) each->capture = NULL;
    g->origin = NULL;
    if (!is_joined(g, &s->tips)) {
        (void)sim_call_graph_destroy(g);
        return CUDA_STREAM_CAPTURE_UNJOINED;
    }
    if (graph) *graph = g;
    return CUDA_SUCCESS;
}

/* A stream that does not exist is not captured. */
CUresult sim_call_capture_status(CUstream handle, int *status) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    *status = found == CUDA_SUCCESS && s->capture != NULL;
    return found;
}

/* Outputs other than the status may be NULL; they are set only during a capture. The list of nodes is the stream's
 * own, and valid until its next call. */
CUresult sim_call_capture_info(CUstream handle, int *status, unsigned long long *id, CUgraph *graph,
                               const CUgraphNode **nodes, size_t *count) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    *status = s->capture != NULL;
    if (!s->capture) return CUDA_SUCCESS;
    if (id) *id = s->capture->number;
    if (graph) *graph = s->capture;
    if (nodes) *nodes = s->tips.nodes;
    if (count) *count = s->tips.count;
    return CUDA_SUCCESS;
}

/* The nodes are checked before anything changes. */
CUresult sim_call_capture_depend(CUstream handle, CUgraphNode *nodes, size_t count, unsigned flags) {
    enum { ADD, SET };
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (!s->capture) return CUDA_ILLEGAL_STATE;
    if (flags != ADD && flags != SET) return sim_wrong("cuStreamUpdateCaptureDependencies: no such flag");
    for (size_t i = 0; i < count; i++)
        if (!sim_node_of(c, nodes[i]) || nodes[i]->graph != s->capture) return CUDA_INVALID_VALUE;
    if (flags == SET) s->tips.count = 0;
    for (size_t i = 0; i < count; i++)
        if (!add_tip(&s->tips, nodes[i])) return sim_no_memory("a graph");
    return CUDA_SUCCESS;
}
