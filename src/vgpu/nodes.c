/* The work of graph nodes: creation, queries and changes.
 *
 * A node has its parameters in CUDA's form, for queries (`of`), and the work that streams execute, made from them.
 * Kernels are prepared and their parameters packed when the node is made, so the program may change its own
 * afterwards, as in CUDA. A launch copies the work. Nodes of a capture get the stream's work, and their parameters
 * are made from that.
 *
 * The functions sim_call_node_add_...(), ..._set_...() and the queries are written by macros, as they differ only in
 * kind and parameters. */
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "vgpu/box_copy.h"
#include "vgpu/graph.h"
#include "vgpu/order.h"
#include "vgpu/work.h"

#include <string.h>

/* ---- work ---- */

/* Copies bytes, if any; returns false without memory. */
static bool copy_bytes(void **to, const void *from, size_t bytes) {
    if (!from) return true;
    *to = memory_alloc(bytes);
    if (*to) memcpy(*to, from, bytes);
    return *to != NULL;
}

/* The work of nodes has no marks and has not begun, so only parameters and boxes have to be copied. */
bool sim_work_copy(sim_work *to, const sim_work *from) {
    void *parameters = NULL, *box = NULL;
    *to = *from;
    const size_t bytes = from->parameters ? from->function->program->param_bytes + 16 : 0;
    const bool whole =
        copy_bytes(&parameters, from->parameters, bytes) && copy_bytes(&box, from->box, sizeof *from->box);
    to->parameters = parameters;
    to->box = box;
    return whole;
}

/* The node has no work afterwards. */
void sim_node_free_works(CUgraphNode n) {
    for (size_t i = 0; i < n->work_count; i++) sim_work_release(&n->works[i]);
    memory_free(n->works);
    n->works = NULL;
    n->work_count = 0;
}

/* Replaces the node's work by room for `count` items. */
static bool make_works(CUgraphNode n, size_t count) {
    sim_node_free_works(n);
    n->works = memory_zeroed(count + 1, sizeof *n->works);
    return n->works != NULL;
}

/* ---- a stream's work as a node ---- */

/* A row of bytes, or the extent of a box. */
static CUDA_MEMCPY3D copy_of(const sim_work *w) {
    CUDA_MEMCPY3D c = {.from_kind = w->kind == SIM_WORK_COPY_IN ? DRIVER_MEMORY_HOST : DRIVER_MEMORY_DEVICE,
                       .to_kind = w->kind == SIM_WORK_COPY_OUT ? DRIVER_MEMORY_HOST : DRIVER_MEMORY_DEVICE,
                       .from_host = w->host,
                       .to_host = w->host,
                       .from_device = w->from,
                       .to_device = w->to,
                       .width = w->bytes,
                       .height = 1,
                       .depth = 1};
    if (!w->box) return c;
    c.width = w->box->width, c.height = w->box->height, c.depth = w->box->depth;
    return c;
}

/* Makes this the node's only work. Returns false without memory. */
static bool set_work(CUgraphNode n, const sim_work *w) {
    if (!make_works(n, 1)) return false;
    n->works[0] = *w;
    if (!w->site.address) n->works[0].site = sim_order_site(n->graph->context);
    n->work_count = 1;
    return true;
}

/* Memory that a graph allocates and frees belongs to the graph, and stays for its next launch, but what it holds is not
 * to be read before the one node and behind the other. */
static bool forget_contents(CUgraphNode n, CUdeviceptr address) {
    sim_range range;
    const CUcontext owner = sim_owner_of(n->graph->context, address);
    if (!sim_memory_find(owner->memory, address, &range)) return true;
    return set_work(n, &(sim_work){.kind = SIM_WORK_FORGET, .from = range.from, .bytes = range.to - range.from});
}

/* The record that was asked for at the capture is not the launch's. */
bool sim_node_take_work(CUgraphNode n, const sim_work *w) {
    const CUlaunchConfig *l = &w->config;
    switch (n->type) {
    case DRIVER_NODE_KERNEL:
        n->of.kernel = (CUDA_KERNEL_NODE_PARAMS){.function = w->function, .shared_bytes = l->shared_bytes};
        memcpy(n->of.kernel.grid, l->grid, sizeof l->grid);
        memcpy(n->of.kernel.block, l->block, sizeof l->block);
        break;
    case DRIVER_NODE_FILL:
        n->of.fill = (CUDA_MEMSET_NODE_PARAMS){
            .to = w->to, .value = (unsigned)w->value, .element = w->width, .width = w->bytes / w->width, .height = 1};
        break;
    case DRIVER_NODE_HOST: n->of.host = (CUDA_HOST_NODE_PARAMS){w->call, w->data}; break;
    case DRIVER_NODE_FREE: n->of.allocation.address = w->from; return forget_contents(n, w->from);
    default: n->of.copy = copy_of(w);
    }
    if (!set_work(n, w)) return false;
    n->works[0].run = NULL;
    n->works[0].ordered = NULL;
    return true;
}

/* ---- the work of nodes ---- */

/* The attributes that the node's kernel was given; at most MOST_GIVEN. */
enum { MOST_GIVEN = 5 };

static unsigned given_attributes(const struct CUgraphNode_st *n, CUlaunchAttribute *to) {
    unsigned count = 0;
    for (int id = 0; n->work_count && id < 32; id++) {
        if (!(n->works[0].given & 1u << id)) continue;
        to[count].id = id;
        sim_work_attribute(&n->works[0], &to[count++]);
    }
    return count;
}

/* Checks the kernel's launch as a call would. */
static CUresult make_kernel(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *what, CUlaunchAttribute *attributes,
                            unsigned count) {
    sim_work work;
    CUlaunchConfig config = {.shared_bytes = what->shared_bytes, .attributes = attributes, .attribute_count = count};
    memcpy(config.grid, what->grid, sizeof config.grid);
    memcpy(config.block, what->block, sizeof config.block);
    const CUresult result = sim_make_launch(n->graph->context, &config, what->function, what->parameters, &work);
    if (result != CUDA_SUCCESS) return result;
    work.config.attributes = NULL;
    work.config.attribute_count = 0;
    if (sim_node_take_work(n, &work)) return CUDA_SUCCESS;
    sim_work_release(&work);
    return sim_no_memory("a graph's node");
}

/* Attributes stay when parameters change. */
CUresult sim_node_set_kernel(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *what) {
    CUlaunchAttribute attributes[MOST_GIVEN];
    if (!what->function) return sim_wrong("a kernel node names no kernel");
    if (what->extra) return sim_wrong("launch: packed parameters are not supported");
    return make_kernel(n, what, attributes, given_attributes(n, attributes));
}

/* Queries return the program's own description. */
CUresult sim_node_set_copy(CUgraphNode n, const CUDA_MEMCPY3D *what) {
    sim_work work;
    const CUresult result = sim_make_copy(n->graph->context, what, &work);
    if (result != CUDA_SUCCESS) return result;
    if (!sim_node_take_work(n, &work)) {
        sim_work_release(&work);
        return sim_no_memory("a graph's node");
    }
    n->of.copy = *what;
    return CUDA_SUCCESS;
}

/* Fills row by row. Each row is one item of work. */
CUresult sim_node_set_fill(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *what) {
    const size_t rows = what->height ? what->height : 1, bytes = what->width * what->element;
    if (what->element != 1 && what->element != 2 && what->element != 4)
        return sim_wrong("a fill's elements must have 1, 2 or 4 bytes");
    if (what->width > SIZE_MAX / 4 || (rows > 1 && what->pitch < bytes)) return sim_wrong("a fill's rows overlap");
    if (!bytes) return sim_wrong("a fill has no elements");
    if (!sim_at(n->graph->context, what->to, (rows - 1) * what->pitch + bytes)) return CUDA_INVALID_VALUE;
    if (!make_works(n, rows)) return sim_no_memory("a graph's node");
    for (; n->work_count < rows; n->work_count++)
        n->works[n->work_count] = (sim_work){.kind = SIM_WORK_FILL,
                                             .to = what->to + n->work_count * what->pitch,
                                             .bytes = bytes,
                                             .value = what->value,
                                             .width = what->element,
                                             .site = sim_order_site(n->graph->context)};
    n->of.fill = *what;
    return CUDA_SUCCESS;
}

/* The data stays the program's. */
CUresult sim_node_set_host(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *what) {
    const sim_work work = {.kind = SIM_WORK_CALL, .call = what->call, .data = what->data};
    if (!what->call) return sim_wrong("a host node calls nothing");
    return sim_node_take_work(n, &work) ? CUDA_SUCCESS : sim_no_memory("a graph's node");
}

/* ---- creation ---- */

/* Adds a node; returns NULL, with a message, if an argument is wrong. */
static CUgraphNode add(CUcontext c, CUgraph handle, CUgraphNodeType type, const CUgraphNode *behind, size_t count) {
    CUgraph g = sim_graph_of(c, handle);
    for (size_t i = 0; i < count && g; i++) {
        if (behind && sim_node_of(c, behind[i]) && behind[i]->graph == g) continue;
        (void)sim_wrong("a node can depend only on nodes of its own graph");
        return NULL;
    }
    return g ? sim_graph_add(g, type, behind, count) : NULL;
}

/* Gives the node out, or removes it after a failure. */
static CUresult finish(CUgraphNode n, CUresult result, CUgraphNode *node) {
    if (result == CUDA_SUCCESS)
        *node = n;
    else
        (void)sim_call_node_destroy(n);
    return result;
}

/* Defines a function that adds a node. `set` is an expression that makes the work of `n` from `what`. */
#define ADD_CALL(name, kind, params, set)                                 \
    CUresult sim_call_node_add_##name params {                            \
        SIM_ENTER(c);                                                     \
        if (!what) return sim_wrong("the node's parameters are missing"); \
        CUgraphNode n = add(c, graph, kind, behind, count);               \
        return n ? finish(n, set, node) : CUDA_INVALID_VALUE;             \
    }
ADD_CALL(kernel, DRIVER_NODE_KERNEL,
         (CUgraphNode * node, CUgraph graph, const CUgraphNode *behind, size_t count,
          const CUDA_KERNEL_NODE_PARAMS *what),
         sim_node_set_kernel(n, what))
ADD_CALL(host, DRIVER_NODE_HOST,
         (CUgraphNode * node, CUgraph graph, const CUgraphNode *behind, size_t count,
          const CUDA_HOST_NODE_PARAMS *what),
         sim_node_set_host(n, what))
ADD_CALL(copy, DRIVER_NODE_COPY,
         (CUgraphNode * node, CUgraph graph, const CUgraphNode *behind, size_t count, const CUDA_MEMCPY3D *what,
          CUcontext context),
         ((void)context, sim_node_set_copy(n, what)))
ADD_CALL(fill, DRIVER_NODE_FILL,
         (CUgraphNode * node, CUgraph graph, const CUgraphNode *behind, size_t count,
          const CUDA_MEMSET_NODE_PARAMS *what, CUcontext context),
         ((void)context, sim_node_set_fill(n, what)))

CUresult sim_driver_node_add_values(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t behind_count,
                                    const sim_value_op *ops, unsigned count) {
    SIM_ENTER(c);
    CUgraphNode n = add(c, graph, DRIVER_NODE_VALUES, behind, behind_count);
    return n ? finish(n, sim_node_set_values(n, ops, count), node) : CUDA_INVALID_VALUE;
}

/* The node only joins its dependencies. */
CUresult sim_call_node_add_empty(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count) {
    SIM_ENTER(c);
    CUgraphNode n = add(c, graph, DRIVER_NODE_EMPTY, behind, count);
    return n ? finish(n, CUDA_SUCCESS, node) : CUDA_INVALID_VALUE;
}

/* The child is copied, so later changes of it do not matter. */
CUresult sim_call_node_add_graph(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                 CUgraph child) {
    SIM_ENTER(c);
    CUgraph inner = sim_graph_of(c, child);
    CUgraphNode n = inner ? add(c, graph, DRIVER_NODE_GRAPH, behind, count) : NULL;
    if (!n) return CUDA_INVALID_VALUE;
    n->of.child = sim_graph_copy(inner);
    if (n->of.child) n->of.child->is_owned = true;
    return finish(n, n->of.child ? CUDA_SUCCESS : CUDA_OUT_OF_MEMORY, node);
}

/* The event itself is recorded or waited for by the launch. */
static CUresult add_event(CUgraphNode *node, CUgraph graph, CUgraphNodeType type, const CUgraphNode *behind,
                          size_t count, CUevent event) {
    SIM_ENTER(c);
    CUgraphNode n = add(c, graph, type, behind, count);
    if (!n) return CUDA_INVALID_VALUE;
    n->of.event = event;
    return finish(n, event ? CUDA_SUCCESS : CUDA_INVALID_VALUE, node);
}

CUresult sim_call_node_add_record(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                  CUevent event) {
    return add_event(node, graph, DRIVER_NODE_EVENT_RECORD, behind, count, event);
}

CUresult sim_call_node_add_wait(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                CUevent event) {
    return add_event(node, graph, DRIVER_NODE_EVENT_WAIT, behind, count, event);
}

/* A graph's memory exists from its node on, at the same address in all launches. */
CUresult sim_call_node_add_allocate(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                    CUDA_MEM_ALLOC_NODE_PARAMS *what) {
    SIM_ENTER(c);
    CUgraphNode n = what ? add(c, graph, DRIVER_NODE_ALLOCATE, behind, count) : NULL;
    if (!n) return CUDA_INVALID_VALUE;
    CUresult result = sim_pool_allocate_for_graph(c, &what->address, what->bytes);
    n->of.allocation = *what;
    if (result == CUDA_SUCCESS && !forget_contents(n, what->address)) result = sim_no_memory("a graph's node");
    return finish(n, result, node);
}

CUresult sim_call_node_add_free(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                CUdeviceptr address) {
    SIM_ENTER(c);
    CUgraphNode n = add(c, graph, DRIVER_NODE_FREE, behind, count);
    if (!n) return CUDA_INVALID_VALUE;
    n->of.allocation.address = address;
    if (!sim_at(c, address, 1)) return finish(n, CUDA_INVALID_VALUE, node);
    return finish(n, forget_contents(n, address) ? CUDA_SUCCESS : sim_no_memory("a graph's node"), node);
}

/* ---- queries ---- */

/* NULL, with a message, unless the handle is that of a node of this kind. */
static CUgraphNode of_type(CUgraphNode handle, CUgraphNodeType type) {
    CUcontext c = sim_current();
    CUgraphNode n = c ? sim_node_of(c, handle) : NULL;
    if (!n || n->type == type) return n;
    (void)sim_wrong("the node is of another kind");
    return NULL;
}

/* For nodes of all kinds. */
CUresult sim_call_node_type(CUgraphNode handle, CUgraphNodeType *type) {
    SIM_ENTER(c);
    const struct CUgraphNode_st *n = sim_node_of(c, handle);
    if (!n) return CUDA_INVALID_VALUE;
    *type = n->type;
    return CUDA_SUCCESS;
}

/* Makes pointers to the node's own parameters, which live as long as its work. */
static bool point_to_parameters(CUgraphNode n) {
    const ptx_function *entry = n->works[0].function->entry;
    unsigned char *packed = n->works[0].parameters;
    void **pointers = memory_zeroed(entry->param_count + 1, sizeof *pointers);
    uint64_t at = 0;
    for (size_t i = 0; pointers && i < entry->param_count; i++) {
        at = number_align(at, entry->params[i]->alignment);
        pointers[i] = packed + at;
        at += entry->params[i]->size;
    }
    memory_free(n->pointers);
    n->pointers = pointers;
    return pointers != NULL;
}

/* The pointers are valid until the next query or change of the node. */
CUresult sim_call_node_kernel(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *what) {
    SIM_ENTER(c);
    (void)c;
    CUgraphNode n = of_type(handle, DRIVER_NODE_KERNEL);
    if (!n || !what) return CUDA_INVALID_VALUE;
    if (!point_to_parameters(n)) return sim_no_memory("a graph's node");
    *what = n->of.kernel;
    what->parameters = n->pointers;
    return CUDA_SUCCESS;
}

/* ---- attributes of kernels ---- */

/* The attributes of a launch that are only hints, or about which the virtual GPU has nothing to do. */
static bool is_hint(int id) {
    switch (id) {
    case DRIVER_LAUNCH_CLUSTER_POLICY:
    case DRIVER_LAUNCH_DOMAIN_MAP:
    case DRIVER_LAUNCH_DOMAIN:
    case DRIVER_LAUNCH_PREFERRED_CLUSTER:
    case DRIVER_LAUNCH_CARVEOUT:
    case DRIVER_LAUNCH_NVLINK_SCHEDULING: return true;
    default: return false;
    }
}

static bool has_effect(int id) {
    return id == DRIVER_LAUNCH_ACCESS_POLICY_WINDOW || id == DRIVER_LAUNCH_COOPERATIVE || id == DRIVER_LAUNCH_CLUSTER ||
           id == DRIVER_LAUNCH_PRIORITY;
}

static CUlaunchAttribute *hint_of(const struct CUgraphNode_st *n, int id) {
    for (size_t i = 0; i < n->hint_count; i++)
        if (n->hints[i].id == id) return &n->hints[i];
    return NULL;
}

static CUresult set_hint(CUgraphNode n, const CUlaunchAttribute *to) {
    CUlaunchAttribute *hint = hint_of(n, to->id);
    if (!hint) {
        CUlaunchAttribute *hints = memory_grow(n->hints, n->hint_count, &n->hint_capacity, sizeof *hints);
        if (!hints) return sim_no_memory("a graph's node");
        n->hints = hints;
        hint = &n->hints[n->hint_count++];
    }
    *hint = *to;
    return CUDA_SUCCESS;
}

bool sim_node_copy_hints(CUgraphNode to, const struct CUgraphNode_st *from) {
    for (size_t i = 0; i < from->hint_count; i++)
        if (set_hint(to, &from->hints[i]) != CUDA_SUCCESS) return false;
    return true;
}

/* The kernel's launch is checked anew; after a failure the node is what it was. */
static CUresult set_attributes(CUgraphNode n, CUlaunchAttribute *attributes, unsigned count) {
    CUDA_KERNEL_NODE_PARAMS what = n->of.kernel;
    if (!point_to_parameters(n)) return sim_no_memory("a graph's node");
    what.parameters = n->pointers;
    const bool was_programmatic = n->works[0].is_programmatic;
    const CUresult result = make_kernel(n, &what, attributes, count);
    if (result == CUDA_SUCCESS) n->works[0].is_programmatic = was_programmatic;
    return result == CUDA_LAUNCH_OUT_OF_RESOURCES ? CUDA_INVALID_VALUE : result;
}

CUresult sim_driver_node_set_attribute(CUgraphNode node, const CUlaunchAttribute *to) {
    CUlaunchAttribute attributes[MOST_GIVEN + 1];
    SIM_ENTER(c);
    (void)c;
    CUgraphNode n = of_type(node, DRIVER_NODE_KERNEL);
    if (!n) return CUDA_INVALID_VALUE;
    if (is_hint(to->id)) return set_hint(n, to);
    if (!has_effect(to->id)) return sim_wrong("a kernel's node has no such attribute");
    unsigned count = given_attributes(n, attributes), at = 0;
    while (at < count && attributes[at].id != to->id) at++;
    attributes[at] = *to;
    const CUresult result = set_attributes(n, attributes, at == count ? count + 1 : count);
    return result == CUDA_INVALID_VALUE && to->id == DRIVER_LAUNCH_CLUSTER ? CUDA_INVALID_CLUSTER_SIZE : result;
}

CUresult sim_driver_node_attribute(CUgraphNode node, CUlaunchAttribute *is) {
    SIM_ENTER(c);
    (void)c;
    const struct CUgraphNode_st *n = of_type(node, DRIVER_NODE_KERNEL);
    if (!n) return CUDA_INVALID_VALUE;
    if (!is_hint(is->id) && !has_effect(is->id)) return sim_wrong("a kernel's node has no such attribute");
    const CUlaunchAttribute *hint = hint_of(n, is->id);
    memset(&is->value, 0, sizeof is->value);
    if (is->id == DRIVER_LAUNCH_DOMAIN_MAP) is->value.domain_map[1] = 1;
    if (hint) is->value = hint->value;
    if (has_effect(is->id)) sim_work_attribute(&n->works[0], is);
    return CUDA_SUCCESS;
}

CUresult sim_driver_node_copy_attributes(CUgraphNode to, CUgraphNode from) {
    CUlaunchAttribute attributes[MOST_GIVEN];
    SIM_ENTER(c);
    (void)c;
    CUgraphNode n = of_type(to, DRIVER_NODE_KERNEL), source = of_type(from, DRIVER_NODE_KERNEL);
    if (!n || !source) return CUDA_INVALID_VALUE;
    if (n == source) return CUDA_SUCCESS;
    const CUresult result = set_attributes(n, attributes, given_attributes(source, attributes));
    if (result != CUDA_SUCCESS) return result;
    n->hint_count = 0;
    return sim_node_copy_hints(n, source) ? CUDA_SUCCESS : sim_no_memory("a graph's node");
}

/* ---- other queries ---- */

/* Defines a query of a node's parameters. */
#define GET_CALL(name, kind, field, type)                        \
    CUresult sim_call_node_##name(CUgraphNode node, type *out) { \
        SIM_ENTER(c);                                            \
        (void)c;                                                 \
        const struct CUgraphNode_st *n = of_type(node, kind);    \
        if (!n || !out) return CUDA_INVALID_VALUE;               \
        *out = n->of.field;                                      \
        return CUDA_SUCCESS;                                     \
    }
GET_CALL(copy, DRIVER_NODE_COPY, copy, CUDA_MEMCPY3D)
GET_CALL(fill, DRIVER_NODE_FILL, fill, CUDA_MEMSET_NODE_PARAMS)
GET_CALL(host, DRIVER_NODE_HOST, host, CUDA_HOST_NODE_PARAMS)
GET_CALL(child, DRIVER_NODE_GRAPH, child, CUgraph)
GET_CALL(record, DRIVER_NODE_EVENT_RECORD, event, CUevent)
GET_CALL(wait, DRIVER_NODE_EVENT_WAIT, event, CUevent)

CUresult sim_driver_node_allocation(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *out) {
    const struct CUgraphNode_st *n = of_type(node, DRIVER_NODE_ALLOCATE);
    if (n) *out = n->of.allocation;
    return n ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUresult sim_driver_node_freed(CUgraphNode node, CUdeviceptr *address) {
    const struct CUgraphNode_st *n = of_type(node, DRIVER_NODE_FREE);
    if (n) *address = n->of.allocation.address;
    return n ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* ---- changes ---- */

/* Defines a function that changes a node of a graph; executables made from it before stay as they are. */
#define SET_CALL(name, kind, type)                                        \
    CUresult sim_call_node_set_##name(CUgraphNode node, const type *to) { \
        SIM_ENTER(c);                                                     \
        (void)c;                                                          \
        CUgraphNode n = of_type(node, kind);                              \
        return n && to ? sim_node_set_##name(n, to) : CUDA_INVALID_VALUE; \
    }
SET_CALL(kernel, DRIVER_NODE_KERNEL, CUDA_KERNEL_NODE_PARAMS)
SET_CALL(copy, DRIVER_NODE_COPY, CUDA_MEMCPY3D)
SET_CALL(fill, DRIVER_NODE_FILL, CUDA_MEMSET_NODE_PARAMS)
SET_CALL(host, DRIVER_NODE_HOST, CUDA_HOST_NODE_PARAMS)

/* Executables made before keep the old event. */
static CUresult set_event(CUgraphNode handle, CUgraphNodeType type, CUevent event) {
    SIM_ENTER(c);
    (void)c;
    CUgraphNode n = of_type(handle, type);
    if (!n || !event) return CUDA_INVALID_VALUE;
    n->of.event = event;
    return CUDA_SUCCESS;
}

CUresult sim_call_node_set_record(CUgraphNode node, CUevent event) {
    return set_event(node, DRIVER_NODE_EVENT_RECORD, event);
}

CUresult sim_call_node_set_wait(CUgraphNode node, CUevent event) {
    return set_event(node, DRIVER_NODE_EVENT_WAIT, event);
}
