/* Graphs: nodes and edges.
 *
 * A graph is a list of nodes; a node has the list of nodes that it depends on (`behind`). Dependents are found by a
 * search, as only queries need them. Numbers identify nodes across copies: a copy keeps its original's numbers, so
 * that executable graphs and clones find the node that a handle of the original means. Handles are addresses, which
 * are looked up in all graphs of the program before use.
 *
 * capture.c makes graphs of what streams get, nodes.c has the work of nodes, executable.c turns graphs into work of
 * streams, condition.c has conditional nodes. */
#include "vgpu/graph.h"

#include "base/memory.h"
#include "vgpu/work.h"

#include <stdio.h>
#include <string.h>

/* ---- graphs ---- */

CUgraph sim_graph_new(CUcontext c) {
    CUgraph g = memory_zeroed(1, sizeof *g);
    if (!g) {
        (void)sim_no_memory("a graph");
        return NULL;
    }
    *g = (struct CUgraph_st){.context = c, .number = ++c->graph_numbers, .next = c->graphs};
    c->graphs = g;
    return g;
}

/* Also frees what the node owns: its work, and graphs within it. */
static void free_node(CUgraphNode n) {
    sim_node_free_works(n);
    if (n->type == DRIVER_NODE_GRAPH && n->of.child) sim_graph_free(n->of.child);
    if (n->type == DRIVER_NODE_CONDITION) sim_condition_free(n);
    memory_free(n->behind);
    memory_free(n->pointers);
    memory_free(n->hints);
    memory_free(n);
}

/* The graph need not be in the list any more. */
void sim_graph_free(CUgraph g) {
    for (CUgraph *link = &g->context->graphs; *link; link = &(*link)->next) {
        if (*link != g) continue;
        *link = g->next;
        break;
    }
    for (size_t i = 0; i < g->count; i++) free_node(g->nodes[i]);
    memory_free(g->nodes);
    memory_free(g);
}

CUgraph sim_graph_of(CUcontext c, CUgraph handle) {
    for (unsigned i = 0; i < sim_member_count(c); i++)
        for (CUgraph g = sim_member_of(c, i)->graphs; g; g = g->next)
            if (g == handle) return g;
    (void)sim_wrong("there is no such graph");
    return NULL;
}

/* The handle may be any value: it is only compared. */
static bool has_node(CUcontext c, const struct CUgraphNode_st *handle) {
    for (CUgraph g = c->graphs; g; g = g->next)
        for (size_t i = 0; i < g->count; i++)
            if (g->nodes[i] == handle) return true;
    return false;
}

CUgraphNode sim_node_of(CUcontext c, CUgraphNode handle) {
    for (unsigned i = 0; i < sim_member_count(c); i++)
        if (handle && has_node(sim_member_of(c, i), handle)) return handle;
    (void)sim_wrong("there is no such node in a graph");
    return NULL;
}

CUgraphNode sim_graph_find(CUgraph g, uint64_t number) {
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->number == number) return g->nodes[i];
    return NULL;
}

static const CUgraphEdgeData plain_edge; /* waits for the whole node */

static bool is_same_data(const CUgraphEdgeData *a, const CUgraphEdgeData *b) {
    return a->from_port == b->from_port && a->to_port == b->to_port && a->type == b->type;
}

/* The index of a dependency of `n`, or the number of all if there is none. */
static size_t find_edge(const struct CUgraphNode_st *n, const struct CUgraphNode_st *other,
                        const CUgraphEdgeData *data) {
    size_t i = 0;
    while (i < n->behind_count && (n->behind[i].from != other || !is_same_data(&n->behind[i].data, data))) i++;
    return i;
}

/* A dependency that exists already is not added again. */
static bool put_behind(CUgraphNode n, CUgraphNode other, const CUgraphEdgeData *data) {
    if (find_edge(n, other, data) < n->behind_count) return true;
    sim_edge *behind = memory_grow(n->behind, n->behind_count, &n->behind_capacity, sizeof *behind);
    if (!behind) return false;
    n->behind = behind;
    n->behind[n->behind_count++] = (sim_edge){other, *data};
    return true;
}

bool sim_node_is_programmatic(const struct CUgraphNode_st *n) {
    bool all = n->behind_count > 0;
    for (size_t i = 0; i < n->behind_count; i++) all &= n->behind[i].data.type == DRIVER_EDGE_PROGRAMMATIC;
    return all;
}

/* Makes the node the graph's last one; false without memory. */
static bool append(CUgraph g, CUgraphNode n) {
    CUgraphNode *nodes = memory_grow(g->nodes, g->count, &g->capacity, sizeof(CUgraphNode));
    if (!nodes) return false;
    g->nodes = nodes;
    n->graph = g;
    n->at = g->count;
    g->nodes[g->count++] = n;
    return true;
}

/* The node's number is new; copies overwrite it. */
CUgraphNode sim_graph_add(CUgraph g, CUgraphNodeType type, const CUgraphNode *behind, size_t count) {
    CUgraphNode n = memory_zeroed(1, sizeof *n);
    bool added = n != NULL;
    if (n) *n = (struct CUgraphNode_st){.type = type, .number = ++g->context->graph_numbers};
    for (size_t i = 0; i < count && added; i++) added = put_behind(n, behind[i], &plain_edge);
    if (added && append(g, n)) return n;
    if (n) free_node(n);
    (void)sim_no_memory("a graph");
    return NULL;
}

/* ---- copies ---- */

/* The node owns the works copied so far, also after a failure. */
static bool copy_works(CUgraphNode to, const struct CUgraphNode_st *from) {
    to->works = memory_zeroed(from->work_count + 1, sizeof *to->works);
    if (!to->works) return false;
    for (; to->work_count < from->work_count; to->work_count++)
        if (!sim_work_copy(&to->works[to->work_count], &from->works[to->work_count])) return false;
    return true;
}

/* Copies a node; copy_edges() adds its dependencies. After a failure the node is in the graph, which the caller
 * frees. */
static bool copy_node(CUgraph g, const struct CUgraphNode_st *from) {
    CUgraphNode n = sim_graph_add(g, from->type, NULL, 0);
    if (!n) return false;
    n->number = from->number;
    n->is_off = from->is_off;
    n->of = from->of;
    if (n->type == DRIVER_NODE_CONDITION) return sim_condition_copy(n, from);
    if (n->type == DRIVER_NODE_GRAPH && !(n->of.child = sim_graph_copy(from->of.child))) return false;
    if (n->type == DRIVER_NODE_GRAPH) n->of.child->is_owned = true;
    return sim_node_copy_hints(n, from) && copy_works(n, from);
}

static bool copy_edge(CUgraph to, size_t at, const sim_edge *edge) {
    return put_behind(to->nodes[at], to->nodes[edge->from->at], &edge->data);
}

/* Copies have the same indices as their originals. */
static bool copy_edges(CUgraph to, const struct CUgraph_st *from) {
    for (size_t i = 0; i < from->count; i++)
        for (size_t k = 0; k < from->nodes[i]->behind_count; k++)
            if (!copy_edge(to, i, &from->nodes[i]->behind[k])) return false;
    return true;
}

/* Nodes come first, then the edges between them. */
CUgraph sim_graph_copy(CUgraph from) {
    CUgraph g = sim_graph_new(from->context);
    bool whole = g != NULL;
    for (size_t i = 0; i < from->count && whole; i++) whole = copy_node(g, from->nodes[i]);
    if (whole && copy_edges(g, from)) {
        g->copy_of = from;
        return g;
    }
    if (g) sim_graph_free(g);
    (void)sim_no_memory("a graph");
    return NULL;
}

CUresult sim_call_graph_create(CUgraph *graph, unsigned flags) {
    SIM_ENTER(c);
    if (flags) return sim_wrong("cuGraphCreate: flags must be 0");
    *graph = sim_graph_new(c);
    return *graph ? CUDA_SUCCESS : CUDA_OUT_OF_MEMORY;
}

/* The clone is a graph of the program's, which it must destroy. */
CUresult sim_call_graph_clone(CUgraph *clone, CUgraph original) {
    SIM_ENTER(c);
    CUgraph g = sim_graph_of(c, original);
    if (!g) return CUDA_INVALID_VALUE;
    *clone = sim_graph_copy(g);
    return *clone ? CUDA_SUCCESS : CUDA_OUT_OF_MEMORY;
}

/* Clones stay, and forget their original. */
CUresult sim_call_graph_destroy(CUgraph handle) {
    SIM_ENTER(c);
    CUgraph g = sim_graph_of(c, handle);
    if (!g) return CUDA_INVALID_VALUE;
    if (g->is_owned) return sim_wrong("cuGraphDestroy: the graph belongs to a node");
    for (CUgraph each = g->context->graphs; each; each = each->next)
        if (each->copy_of == g) each->copy_of = NULL;
    sim_graph_free(g);
    return CUDA_SUCCESS;
}

/* ---- edges ---- */

/* `seen` has a flag for each node, so that none is visited twice. */
static bool reach(const struct CUgraphNode_st *n, const struct CUgraphNode_st *other, bool *seen) {
    if (n == other) return true;
    if (seen[n->at]) return false;
    seen[n->at] = true;
    for (size_t i = 0; i < n->behind_count; i++)
        if (reach(n->behind[i].from, other, seen)) return true;
    return false;
}

/* Returns whether a node is, or depends on, directly or not, another one. Without memory to find out, returns true. */
static bool comes_behind(const struct CUgraphNode_st *n, const struct CUgraphNode_st *other) {
    bool *seen = memory_zeroed(n->graph->count, sizeof *seen);
    const bool reached = !seen || reach(n, other, seen);
    memory_free(seen);
    return reached;
}

/* Two nodes have one edge at most, whatever its data. */
static bool is_directly_behind(const struct CUgraphNode_st *n, const struct CUgraphNode_st *other) {
    for (size_t i = 0; i < n->behind_count; i++)
        if (n->behind[i].from == other) return true;
    return false;
}

/* Whether both are nodes of this graph. */
static bool is_edge(CUgraph g, CUgraphNode from, CUgraphNode to) {
    return sim_node_of(g->context, from) && sim_node_of(g->context, to) && from->graph == g && to->graph == g;
}

/* Whether CUDA has edges with such data: programmatic ones between kernels, from two further ports of the first. */
static CUresult check_data(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to,
                           const CUgraphEdgeData *data) {
    bool is_reserved = false;
    for (size_t i = 0; i < sizeof data->reserved; i++) is_reserved |= data->reserved[i] != 0;
    const bool is_plain = !data->type && (!data->from_port || data->from_port == DRIVER_PORT_LAUNCH_ORDER);
    const bool is_programmatic =
        data->type == DRIVER_EDGE_PROGRAMMATIC && to->type == DRIVER_NODE_KERNEL &&
        (data->from_port == DRIVER_PORT_PROGRAMMATIC || data->from_port == DRIVER_PORT_LAUNCH_ORDER);
    const bool has_port = !data->from_port || from->type == DRIVER_NODE_KERNEL;
    if (!is_reserved && !data->to_port && has_port && (is_plain || is_programmatic)) return CUDA_SUCCESS;
    return sim_wrong("an edge has a port or type that its nodes do not have");
}

/* Adds dependencies in order and stops at the first that is wrong; those before stay. CUDA takes an edge that closes a
 * cycle, and refuses the graph later; it is refused here at once. */
CUresult sim_driver_graph_connect(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                                  const CUgraphEdgeData *data, size_t count) {
    SIM_ENTER(c);
    CUgraph g = sim_graph_of(c, handle);
    if (!g || (count && (!from || !to))) return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const CUgraphEdgeData *const d = data ? &data[i] : &plain_edge;
        if (!is_edge(g, from[i], to[i])) return CUDA_INVALID_VALUE;
        if (comes_behind(from[i], to[i]))
            return sim_wrong("cuGraphAddDependencies: the dependency would close a cycle");
        if (is_directly_behind(to[i], from[i]))
            return sim_wrong("cuGraphAddDependencies: the dependency exists already");
        const CUresult allowed = check_data(from[i], to[i], d);
        if (allowed != CUDA_SUCCESS) return allowed;
        if (!put_behind(to[i], from[i], d)) return sim_no_memory("a graph");
    }
    return CUDA_SUCCESS;
}

CUresult sim_call_graph_connect(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    return sim_driver_graph_connect(graph, from, to, NULL, count);
}

/* Gives a new node's edges their data, in the order of `behind`. */
CUresult sim_driver_node_set_edges(CUgraphNode node, const CUgraphNode *behind, const CUgraphEdgeData *data,
                                   size_t count) {
    SIM_ENTER(c);
    CUgraphNode n = sim_node_of(c, node);
    CUresult result = n ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) result = check_data(behind[i], n, &data[i]);
    if (result != CUDA_SUCCESS) return result;
    n->behind_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!put_behind(n, behind[i], &data[i])) return sim_no_memory("a graph");
    return CUDA_SUCCESS;
}

static void remove_edge(CUgraphNode n, size_t at) {
    memmove(n->behind + at, n->behind + at + 1, (--n->behind_count - at) * sizeof *n->behind);
}

/* Like sim_driver_graph_connect(), but removes. */
CUresult sim_driver_graph_disconnect(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                                     const CUgraphEdgeData *data, size_t count) {
    SIM_ENTER(c);
    CUgraph g = sim_graph_of(c, handle);
    if (!g || (count && (!from || !to))) return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (!is_edge(g, from[i], to[i])) return CUDA_INVALID_VALUE;
        const size_t at = find_edge(to[i], from[i], data ? &data[i] : &plain_edge);
        if (at == to[i]->behind_count) return sim_wrong("there is no such dependency");
        remove_edge(to[i], at);
    }
    return CUDA_SUCCESS;
}

CUresult sim_call_graph_disconnect(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    return sim_driver_graph_disconnect(graph, from, to, NULL, count);
}

/* Later nodes move up, so their indices change. */
CUresult sim_call_node_destroy(CUgraphNode handle) {
    SIM_ENTER(c);
    CUgraphNode n = sim_node_of(c, handle);
    if (!n) return CUDA_INVALID_VALUE;
    CUgraph g = n->graph;
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = g->nodes[i]->behind_count; k--;)
            if (g->nodes[i]->behind[k].from == n) remove_edge(g->nodes[i], k);
    memmove(g->nodes + n->at, g->nodes + n->at + 1, (--g->count - n->at) * sizeof(CUgraphNode));
    for (size_t i = n->at; i < g->count; i++) g->nodes[i]->at = i;
    free_node(n);
    return CUDA_SUCCESS;
}

/* ---- queries ---- */

/* An output list: filled as far as there is room, the rest becomes NULL. Without a list, only the count is returned. */
typedef struct list {
    CUgraphNode *nodes, *partners; /* partners, data: NULL, or as many again */
    CUgraphEdgeData *data;
    size_t room, count;
    bool is_lossy; /* an edge has data that the caller does not ask for */
} list;

/* Counts also what there is no room for. */
static void put(list *l, CUgraphNode node, CUgraphNode partner, const CUgraphEdgeData *data) {
    const bool fits = l->count < l->room;
    if (l->nodes && fits) l->nodes[l->count] = node;
    if (l->partners && fits) l->partners[l->count] = partner;
    if (l->data && fits) l->data[l->count] = *data;
    l->is_lossy |= l->nodes && !l->data && !is_same_data(data, &plain_edge);
    l->count++;
}

/* *count becomes the number of nodes if there is no list or the list has room for all; else it stays. */
static CUresult end_list(const list *l, size_t *count) {
    for (size_t i = l->count; l->nodes && i < l->room; i++) l->nodes[i] = NULL;
    for (size_t i = l->count; l->partners && i < l->room; i++) l->partners[i] = NULL;
    for (size_t i = l->count; l->data && i < l->room; i++) l->data[i] = plain_edge;
    if (!l->nodes || l->count < *count) *count = l->count;
    if (!l->is_lossy) return CUDA_SUCCESS;
    (void)sim_wrong("edges have data, which this form of the query cannot return");
    return CUDA_LOSSY_QUERY;
}

CUresult sim_driver_node_place(CUgraphNode handle, CUgraph *graph, unsigned long long *number) {
    SIM_ENTER(c);
    const struct CUgraphNode_st *n = sim_node_of(c, handle);
    if (!n) return CUDA_INVALID_VALUE;
    *graph = n->graph;
    *number = n->number;
    return CUDA_SUCCESS;
}

CUresult sim_driver_graph_id(CUgraph handle, unsigned *id) {
    SIM_ENTER(c);
    const struct CUgraph_st *g = sim_graph_of(c, handle);
    if (g) *id = (unsigned)g->number;
    return g ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* In the order in which they were added. */
CUresult sim_call_graph_nodes(CUgraph handle, CUgraphNode *nodes, size_t *count) {
    SIM_ENTER(c);
    const struct CUgraph_st *g = sim_graph_of(c, handle);
    if (!g || !count) return CUDA_INVALID_VALUE;
    list l = {.nodes = nodes, .room = *count};
    for (size_t i = 0; i < g->count; i++) put(&l, g->nodes[i], NULL, &plain_edge);
    return end_list(&l, count);
}

/* Nodes without dependencies. */
CUresult sim_call_graph_roots(CUgraph handle, CUgraphNode *nodes, size_t *count) {
    SIM_ENTER(c);
    const struct CUgraph_st *g = sim_graph_of(c, handle);
    if (!g || !count) return CUDA_INVALID_VALUE;
    list l = {.nodes = nodes, .room = *count};
    for (size_t i = 0; i < g->count; i++)
        if (!g->nodes[i]->behind_count) put(&l, g->nodes[i], NULL, &plain_edge);
    return end_list(&l, count);
}

/* Both lists, or neither, must be there. */
CUresult sim_driver_graph_edges(CUgraph handle, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                                size_t *count) {
    SIM_ENTER(c);
    const struct CUgraph_st *g = sim_graph_of(c, handle);
    if (!g || !count || !from != !to) return CUDA_INVALID_VALUE;
    list l = {.nodes = from, .partners = to, .data = data, .room = *count};
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->behind_count; k++)
            put(&l, g->nodes[i]->behind[k].from, g->nodes[i], &g->nodes[i]->behind[k].data);
    return end_list(&l, count);
}

CUresult sim_call_graph_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
    return sim_driver_graph_edges(graph, from, to, NULL, count);
}

CUresult sim_driver_node_dependencies(CUgraphNode handle, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
    SIM_ENTER(c);
    const struct CUgraphNode_st *n = sim_node_of(c, handle);
    if (!n || !count) return CUDA_INVALID_VALUE;
    list l = {.nodes = nodes, .data = data, .room = *count};
    for (size_t i = 0; i < n->behind_count; i++) put(&l, n->behind[i].from, NULL, &n->behind[i].data);
    return end_list(&l, count);
}

CUresult sim_call_node_dependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
    return sim_driver_node_dependencies(node, nodes, NULL, count);
}

/* Searches all nodes of the graph. */
CUresult sim_driver_node_dependents(CUgraphNode handle, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
    SIM_ENTER(c);
    const struct CUgraphNode_st *n = sim_node_of(c, handle);
    if (!n || !count) return CUDA_INVALID_VALUE;
    list l = {.nodes = nodes, .data = data, .room = *count};
    for (size_t i = 0; i < n->graph->count; i++) {
        const CUgraphNode each = n->graph->nodes[i];
        for (size_t k = 0; k < each->behind_count; k++)
            if (each->behind[k].from == n) put(&l, each, NULL, &each->behind[k].data);
    }
    return end_list(&l, count);
}

CUresult sim_call_node_dependents(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
    return sim_driver_node_dependents(node, nodes, NULL, count);
}

/* A clone's node has its original's number. */
CUresult sim_call_node_find(CUgraphNode *node, CUgraphNode original, CUgraph clone) {
    SIM_ENTER(c);
    const struct CUgraphNode_st *n = sim_node_of(c, original);
    CUgraph g = n ? sim_graph_of(c, clone) : NULL;
    if (!g) return CUDA_INVALID_VALUE;
    *node = sim_graph_find(g, n->number);
    return *node ? CUDA_SUCCESS : sim_wrong("the clone has no such node");
}

/* Writes the graph in the language of Graphviz. The flags, which ask for more details, have no effect. */
CUresult sim_call_graph_print(CUgraph handle, const char *path, unsigned flags) {
    static const char *const types[] = {
        [DRIVER_NODE_KERNEL] = "kernel",         [DRIVER_NODE_COPY] = "memcpy",
        [DRIVER_NODE_FILL] = "memset",           [DRIVER_NODE_HOST] = "host",
        [DRIVER_NODE_GRAPH] = "graph",           [DRIVER_NODE_EMPTY] = "empty",
        [DRIVER_NODE_EVENT_WAIT] = "event wait", [DRIVER_NODE_EVENT_RECORD] = "event record",
        [DRIVER_NODE_ALLOCATE] = "alloc",        [DRIVER_NODE_FREE] = "free",
        [DRIVER_NODE_VALUES] = "mem op",         [DRIVER_NODE_CONDITION] = "conditional"};
    SIM_ENTER(c);
    (void)flags;
    const struct CUgraph_st *g = sim_graph_of(c, handle);
    FILE *file = g && path ? fopen(path, "w") : NULL;
    if (!file) return g ? sim_wrong("cuGraphDebugDotPrint: the file cannot be written") : CUDA_INVALID_VALUE;
    fprintf(file, "digraph graph_%llu {\n", (unsigned long long)g->number);
    for (size_t i = 0; i < g->count; i++) {
        const struct CUgraphNode_st *n = g->nodes[i];
        const char *name = n->type == DRIVER_NODE_KERNEL ? n->of.kernel.function->entry->name : "";
        fprintf(file, "  n%zu [label=\"%zu: %s %s\"];\n", i, i, types[n->type], name);
        for (size_t k = 0; k < n->behind_count; k++) fprintf(file, "  n%zu -> n%zu;\n", n->behind[k].from->at, i);
    }
    fprintf(file, "}\n");
    return fclose(file) == 0 ? CUDA_SUCCESS : sim_wrong("cuGraphDebugDotPrint: the file cannot be written");
}
