/* Conditional nodes: graphs that run, repeat, or are skipped, depending on a value that kernels set. The value is a
 * word of device memory; the handle is its address.
 *
 * A node has empty graphs of its own, which the program fills. In a stream the node is one operation
 * (SIM_WORK_CONDITION). When it is first in the stream, the value is read, and the operation is replaced by the work
 * of the graph that it selects; a loop puts itself after that work, to read the value again. Work of the selected
 * graph is in one stream, in an order that respects its dependencies.
 *
 * Real drivers have the same nodes in cuGraphAddNode(); here they are an extra of the virtual GPU (driver.h), called
 * by standin/cuda/nodes.c. */
#include "base/memory.h"
#include "base/status.h"
#include "vgpu/graph.h"
#include "vgpu/internal.h"
#include "vgpu/order.h"
#include "vgpu/work.h"

#include <string.h>

/* A handle, and its value when a graph that uses it is launched. */
typedef struct sim_condition_value {
    CUdeviceptr handle; /* address of the value */
    unsigned at_launch;
    bool is_set_at_launch;
    struct sim_condition_value *next;
} sim_condition_value;

static const sim_condition_value *value_of(CUcontext c, CUdeviceptr handle) {
    for (const sim_condition_value *v = c->conditions; v; v = v->next)
        if (v->handle == handle) return v;
    return NULL;
}

/* The word is at the end of memory, with those of modules, and lives as long as the context. */
CUresult sim_driver_condition_create(uint64_t *handle, CUgraph graph, unsigned value, bool sets_at_launch) {
    uint64_t address;
    SIM_ENTER(c);
    if (!handle || !sim_graph_of(c, graph)) return CUDA_INVALID_VALUE;
    c = graph->context;
    sim_condition_value *v = memory_zeroed(1, sizeof *v);
    const haul_status status = v ? sim_memory_allocate_last(c->memory, sizeof value, &address)
                                 : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a condition");
    if (status != HAUL_OK) {
        memory_free(v);
        return sim_result_of(status);
    }
    memcpy(sim_at_to_write(c, address, sizeof value), &value, sizeof value);
    *v = (sim_condition_value){address, value, sets_at_launch, c->conditions};
    c->conditions = v;
    *handle = address;
    return CUDA_SUCCESS;
}

void sim_free_conditions(CUcontext c) {
    while (c->conditions) {
        sim_condition_value *v = c->conditions;
        c->conditions = v->next;
        memory_free(v);
    }
}

/* ---- nodes ---- */

/* A `while` has one graph, an `if` one or two, a choice any number. */
static bool is_count_right(int kind, unsigned count) {
    return count && (kind == SIM_CONDITION_CHOICE || count <= (kind == SIM_CONDITION_IF ? 2u : 1u));
}

/* Adds the node's graphs; after a failure it has those made so far. */
static bool make_bodies(CUgraphNode n, unsigned count) {
    n->of.condition.bodies = memory_zeroed(count, sizeof(CUgraph));
    for (unsigned i = 0; n->of.condition.bodies && i < count; i++) {
        CUgraph body = sim_graph_new(n->graph->context);
        if (!body) return false;
        body->is_owned = true;
        n->of.condition.bodies[n->of.condition.count++] = body;
    }
    return n->of.condition.bodies != NULL;
}

/* Makes the node's work; its graphs exist. */
static bool make_work(CUgraphNode n) {
    const sim_work work = {.kind = SIM_WORK_CONDITION, .condition = n};
    n->works = memory_zeroed(1, sizeof *n->works);
    if (!n->works) return false;
    n->works[0] = work;
    n->work_count = 1;
    return true;
}

/* Checks the description, and makes graphs and work. */
static CUresult set_up(CUgraphNode n, const sim_condition *what) {
    if (!value_of(n->graph->context, what->handle)) return sim_wrong("a conditional node names no handle");
    if (what->kind < SIM_CONDITION_IF || what->kind > SIM_CONDITION_CHOICE || !is_count_right(what->kind, what->count))
        return sim_wrong("a conditional node of that kind cannot have that number of graphs");
    n->of.condition = (sim_condition){.handle = what->handle, .kind = what->kind};
    const bool made = make_bodies(n, what->count) && make_work(n);
    return made ? CUDA_SUCCESS : CUDA_OUT_OF_MEMORY;
}

/* Made as an empty node first; *bodies is the node's own list. */
CUresult sim_driver_node_add_condition(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                       const sim_condition *what, CUgraph **bodies) {
    SIM_ENTER(c);
    (void)c;
    const CUresult added = sim_call_node_add_empty(node, graph, behind, count);
    if (added != CUDA_SUCCESS) return added;
    (*node)->type = DRIVER_NODE_CONDITION;
    const CUresult result = set_up(*node, what);
    if (result != CUDA_SUCCESS)
        (void)sim_call_node_destroy(*node);
    else
        *bodies = (*node)->of.condition.bodies;
    return result;
}

/* The copy has graphs of its own, but the same handle. */
bool sim_condition_copy(CUgraphNode to, const struct CUgraphNode_st *from) {
    const unsigned count = from->of.condition.count;
    to->of.condition.count = 0;
    to->of.condition.bodies = memory_zeroed(count, sizeof(CUgraph));
    for (unsigned i = 0; to->of.condition.bodies && i < count; i++) {
        CUgraph body = sim_graph_copy(from->of.condition.bodies[i]);
        if (!body) return false;
        body->is_owned = true;
        to->of.condition.bodies[to->of.condition.count++] = body;
    }
    return to->of.condition.bodies && make_work(to);
}

/* Frees the node's graphs. */
void sim_condition_free(CUgraphNode n) {
    for (unsigned i = 0; i < n->of.condition.count; i++) sim_graph_free(n->of.condition.bodies[i]);
    memory_free(n->of.condition.bodies);
}

/* The number of graphs within the node. */
static unsigned inner_count(const struct CUgraphNode_st *n) {
    return n->type == DRIVER_NODE_GRAPH ? 1 : n->type == DRIVER_NODE_CONDITION ? n->of.condition.count : 0;
}

/* The i-th of them. */
static CUgraph inner(const struct CUgraphNode_st *n, unsigned i) {
    return n->type == DRIVER_NODE_GRAPH ? n->of.child : n->of.condition.bodies[i];
}

/* Looks into graphs within the graph, too. */
bool sim_graph_has_condition(const struct CUgraph_st *g) {
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->type == DRIVER_NODE_CONDITION) return true;
        if (g->nodes[i]->type == DRIVER_NODE_GRAPH && sim_graph_has_condition(g->nodes[i]->of.child)) return true;
    }
    return false;
}

/* Values that are set at the launch are filled in the launching stream, before the graph's work. */
CUresult sim_conditions_begin(const struct CUgraph_st *g, CUstream s) {
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < g->count && result == CUDA_SUCCESS; i++) {
        const struct CUgraphNode_st *n = g->nodes[i];
        const sim_condition_value *v =
            n->type == DRIVER_NODE_CONDITION ? value_of(g->context, n->of.condition.handle) : NULL;
        if (v && v->is_set_at_launch) {
            const sim_work set = {
                .kind = SIM_WORK_FILL, .to = v->handle, .bytes = 4, .value = v->at_launch, .width = 4};
            result = sim_issue(s, &set);
        }
        for (unsigned k = 0; k < inner_count(n) && result == CUDA_SUCCESS; k++)
            result = sim_conditions_begin(inner(n, k), s);
    }
    return result;
}

/* ---- execution ---- */

/* Returns the graph to run next; NULL if there is none. A loop ends with 0; a choice without such a graph runs none. */
static CUgraph choose(CUcontext c, const sim_condition *n) {
    uint32_t value = 0;
    const void *at = sim_at(c, n->handle, sizeof value);
    if (at) memcpy(&value, at, sizeof value);
    switch (n->kind) {
    case SIM_CONDITION_IF: return value ? n->bodies[0] : n->count > 1 ? n->bodies[1] : NULL;
    case SIM_CONDITION_WHILE: return value ? n->bodies[0] : NULL;
    default: return value < n->count ? n->bodies[value] : NULL;
    }
}

static void drop_list(sim_work *list) {
    while (list) {
        sim_work *w = list;
        list = w->next;
        sim_work_release(w);
        memory_free(w);
    }
}

/* New work takes the turn of the node, so that it keeps its place among other streams' work. */
haul_status sim_condition_do(CUstream s) {
    sim_work *own = s->first, *list = NULL, **last = &list;
    const sim_condition *n = &own->condition->of.condition;
    CUgraph body = choose(s->context, n);
    if (body && !sim_graph_list_works(body, &last)) {
        drop_list(list);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for the graph of a condition");
    }
    for (sim_work *w = list; w; w = w->next) {
        w->issued = own->issued;
        w->turn = own->turn;
        sim_order_replace(s, own, w);
    }
    const bool again = body && n->kind == SIM_CONDITION_WHILE;
    if (again && !list)
        return haul_fail(HAUL_ERROR_DEADLOCK, "a conditional node of a graph loops forever: its graph is empty");
    sim_work *rest = again ? own : own->next;
    if (!rest) s->last = last;
    *last = rest;
    s->first = list ? list : rest;
    if (!s->first) s->last = &s->first;
    if (again) return HAUL_OK;
    sim_order_drop(own);
    memory_free(own);
    return HAUL_OK;
}
