/* Executable graphs: a graph's nodes as work for streams, launched any number of times.
 *
 * An executable keeps a copy of its graph, which may be changed afterwards. Before a launch the copy is compiled into
 * items: nodes in dependency order, each in a branch. A node continues the branch of one of its dependencies, if no
 * other node does so yet; otherwise it begins a new branch. A launch gives branch 0 to the launching stream and the
 * others to streams of the executable's own; marks connect them. */
#include "base/memory.h"
#include "base/status.h"
#include "vgpu/graph.h"
#include "vgpu/work.h"

#include <string.h>

/* The same items serve all launches: each launch copies the work and puts its own marks in. */
typedef struct item {
    sim_work work; /* for MARK and WAIT, `node` is the mark's index; owned by the node otherwise */
    CUevent event; /* recorded or waited for instead; NULL: neither */
    bool records;
} item;

struct CUgraphExec_st {
    CUcontext context;
    CUgraph graph;
    unsigned long long flags; /* as given; they have no effect */
    unsigned id;              /* unique among graphs and executables of the context */
    bool is_stale;            /* the items are older than the graph */
    item *items;
    size_t count, capacity, marks;
    size_t *branch_of; /* the branch of each mark */
    size_t mark_capacity;
    CUstream *streams; /* of branches 1 and up */
    unsigned branches, stream_count;
    sim_mark *last; /* reached at the end of the last launch */
    CUgraphExec next;
};

/* NULL, with a message, unless the handle is that of an executable of the program. */
static CUgraphExec executable_of(CUcontext c, CUgraphExec handle) {
    for (unsigned i = 0; i < sim_member_count(c); i++)
        for (CUgraphExec e = sim_member_of(c, i)->executables; e; e = e->next)
            if (e == handle) return e;
    (void)sim_wrong("there is no such executable graph");
    return NULL;
}

/* ---- order ---- */

static const size_t NO_MARK = SIZE_MAX;

/* A node in execution order. Nodes of inner graphs replace their graph's node. */
typedef struct step {
    CUgraphNode node; /* NULL: only joins other steps */
    size_t *behind, behind_count;
    size_t branch, mark;
    bool is_followed; /* another step continues its branch */
} step;

typedef struct plan {
    step *steps;
    size_t count, capacity, branches;
} plan;

/* The plan itself is the caller's. */
static void free_plan(plan *p) {
    for (size_t i = 0; i < p->count; i++) memory_free(p->steps[i].behind);
    memory_free(p->steps);
}

/* Adds a step and returns its number; SIZE_MAX without memory. `behind` is copied. */
static size_t add_step(plan *p, CUgraphNode node, const size_t *behind, size_t count) {
    step *steps = memory_grow(p->steps, p->count, &p->capacity, sizeof *steps);
    size_t *own = memory_alloc((count + 1) * sizeof *own);
    if (steps) p->steps = steps;
    if (!steps || !own) {
        memory_free(own);
        return SIZE_MAX;
    }
    for (size_t i = 0; i < count; i++) own[i] = behind[i];
    p->steps[p->count] = (step){.node = node, .behind = own, .behind_count = count, .mark = NO_MARK};
    return p->count++;
}

static size_t plan_graph(plan *p, const struct CUgraph_st *g, const size_t *behind, size_t count);

/* Plans a node whose dependencies have their steps. A node without dependencies comes after the outer steps: those
 * before its graph. */
static size_t plan_node(plan *p, CUgraphNode n, const size_t *step_of, const size_t *outer, size_t outer_count) {
    size_t *behind = memory_alloc((n->behind_count + 1) * sizeof *behind), made = SIZE_MAX;
    for (size_t i = 0; behind && i < n->behind_count; i++) behind[i] = step_of[n->behind[i].from->at];
    const size_t *const all = n->behind_count ? behind : outer, count = n->behind_count ? n->behind_count : outer_count;
    if (behind)
        made = n->type == DRIVER_NODE_GRAPH && !n->is_off ? plan_graph(p, n->of.child, all, count)
                                                          : add_step(p, n, all, count);
    memory_free(behind);
    return made;
}

enum { NEW, OPEN, DONE }; /* of a node: not seen, on the stack, planned */

/* Plans a node and its dependencies: depth first, but without recursion, since graphs may be long. Graphs have no
 * cycles, so an open node is never met again. */
static bool plan_from(plan *p, CUgraphNode first, CUgraphNode *stack, unsigned char *state, size_t *step_of,
                      const size_t *outer, size_t outer_count) {
    size_t depth = 0;
    if (state[first->at] == DONE) return true;
    for (stack[depth++] = first; depth;) {
        CUgraphNode n = stack[depth - 1], open = NULL;
        state[n->at] = OPEN;
        for (size_t i = 0; i < n->behind_count && !open; i++)
            if (state[n->behind[i].from->at] == NEW) open = n->behind[i].from;
        if (open) {
            stack[depth++] = open;
            continue;
        }
        if ((step_of[n->at] = plan_node(p, n, step_of, outer, outer_count)) == SIZE_MAX) return false;
        state[n->at] = DONE;
        depth--;
    }
    return true;
}

/* Adds a step that joins the steps of all nodes without dependents. An empty graph's join comes after the outer
 * steps. */
static size_t join_ends(plan *p, const struct CUgraph_st *g, const size_t *step_of, const size_t *outer,
                        size_t outer_count) {
    bool *is_followed = memory_zeroed(g->count + 1, sizeof *is_followed);
    size_t *ends = memory_alloc((g->count + 1) * sizeof *ends), count = 0, made = SIZE_MAX;
    for (size_t i = 0; is_followed && i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->behind_count; k++) is_followed[g->nodes[i]->behind[k].from->at] = true;
    for (size_t i = 0; is_followed && ends && i < g->count; i++)
        if (!is_followed[i]) ends[count++] = step_of[i];
    if (is_followed && ends) made = add_step(p, NULL, count ? ends : outer, count ? count : outer_count);
    memory_free(is_followed);
    memory_free(ends);
    return made;
}

/* Plans a graph after the outer steps; returns the step that joins it. */
static size_t plan_graph(plan *p, const struct CUgraph_st *g, const size_t *outer, size_t outer_count) {
    size_t *step_of = memory_zeroed(g->count + 1, sizeof *step_of), end = SIZE_MAX;
    unsigned char *state = memory_zeroed(g->count + 1, 1);
    CUgraphNode *stack = memory_zeroed(g->count + 1, sizeof(CUgraphNode));
    bool planned = step_of && state && stack;
    for (size_t i = 0; i < g->count && planned; i++)
        planned = plan_from(p, g->nodes[i], stack, state, step_of, outer, outer_count);
    if (planned) end = join_ends(p, g, step_of, outer, outer_count);
    memory_free(step_of);
    memory_free(state);
    memory_free(stack);
    return end;
}

/* Assigns branches. Step 0 and the last step are in branch 0, where the launching stream begins and ends. A step
 * takes over the first dependency whose branch nobody has continued. */
static void give_branches(plan *p) {
    p->branches = 1;
    for (size_t i = 1; i < p->count; i++) {
        step *s = &p->steps[i], *before = NULL;
        const bool is_end = i + 1 == p->count;
        for (size_t k = 0; k < s->behind_count && !before; k++) {
            step *b = &p->steps[s->behind[k]];
            if (!b->is_followed && (!is_end || b->branch == 0)) before = b;
        }
        if (before) before->is_followed = true;
        s->branch = before ? before->branch : is_end ? 0 : p->branches++;
    }
}

/* ---- items ---- */

/* Items are stored by value; the node owns what their work points to. */
static bool add_item(CUgraphExec e, const item *added) {
    item *items = memory_grow(e->items, e->count, &e->capacity, sizeof *items);
    if (!items) return false;
    e->items = items;
    e->items[e->count++] = *added;
    return true;
}

/* Gives the step a mark, which is reached at its end. */
static bool add_mark(CUgraphExec e, step *s) {
    size_t *branches = memory_grow(e->branch_of, e->marks, &e->mark_capacity, sizeof *branches);
    if (!branches) return false;
    e->branch_of = branches;
    e->branch_of[e->marks] = s->branch;
    s->mark = e->marks++;
    return true;
}

/* Dependencies in the same branch need no mark: a stream is in order. */
static bool add_waits(CUgraphExec e, const plan *p, const step *s) {
    for (size_t k = 0; k < s->behind_count; k++) {
        const step *b = &p->steps[s->behind[k]];
        const item wait = {.work = {.kind = SIM_WORK_WAIT, .node = b->mark, .branch = (unsigned)s->branch}};
        if (b->branch != s->branch && !add_item(e, &wait)) return false;
    }
    return true;
}

/* Events are recorded and waited for at the launch, by the calls that a program would make. */
static bool add_works(CUgraphExec e, const step *s) {
    const struct CUgraphNode_st *n = s->node;
    if (!n || n->is_off) return true;
    if (n->type == DRIVER_NODE_EVENT_RECORD || n->type == DRIVER_NODE_EVENT_WAIT) {
        const item event = {
            .work.branch = (unsigned)s->branch, .event = n->of.event, .records = n->type == DRIVER_NODE_EVENT_RECORD};
        return add_item(e, &event);
    }
    for (size_t i = 0; i < n->work_count; i++) {
        item added = {.work = n->works[i]};
        added.work.branch = (unsigned)s->branch;
        added.work.is_programmatic |= added.work.kind == SIM_WORK_LAUNCH && sim_node_is_programmatic(n);
        if (!add_item(e, &added)) return false;
    }
    return true;
}

/* A step has a mark only if another branch waits for it, so marks are found first. */
static bool add_items(CUgraphExec e, plan *p) {
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->steps[i].behind_count; k++) {
            step *b = &p->steps[p->steps[i].behind[k]];
            if (b->branch != p->steps[i].branch && b->mark == NO_MARK && !add_mark(e, b)) return false;
        }
    for (size_t i = 0; i < p->count; i++) {
        const step *s = &p->steps[i];
        const item mark = {.work = {.kind = SIM_WORK_MARK, .node = s->mark, .branch = (unsigned)s->branch}};
        if (!add_waits(e, p, s) || !add_works(e, s)) return false;
        if (s->mark != NO_MARK && !add_item(e, &mark)) return false;
    }
    return true;
}

/* Streams for all branches but the first. They do not synchronize with the legacy default stream; the launching
 * stream does. */
static bool make_streams(CUgraphExec e) {
    CUstream *streams = memory_zeroed(e->branches, sizeof(CUstream));
    if (!streams) return false;
    for (size_t i = 0; i < e->stream_count; i++) streams[i] = e->streams[i];
    memory_free(e->streams);
    e->streams = streams;
    for (; e->stream_count + 1 < e->branches; e->stream_count++)
        if (sim_call_stream_create(&e->streams[e->stream_count], DRIVER_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
            return false;
    return true;
}

/* Compiles the current graph into items. */
static bool compile(CUgraphExec e) {
    plan p = {0};
    const size_t begin = 0;
    e->count = e->marks = 0;
    bool made = add_step(&p, NULL, NULL, 0) == begin && plan_graph(&p, e->graph, &begin, 1) != SIZE_MAX;
    if (made) {
        give_branches(&p);
        if (p.branches > e->branches) e->branches = (unsigned)p.branches;
        made = add_items(e, &p) && (e->stream_count + 1 >= e->branches || make_streams(e));
    }
    free_plan(&p);
    e->is_stale = !made;
    return made;
}

/* ---- creation and destruction ---- */

/* Streams with pending work end when that is done. */
static void free_executable(CUgraphExec e) {
    for (unsigned b = 0; b < e->stream_count; b++) (void)sim_call_stream_destroy(e->streams[b]);
    if (e->graph) sim_graph_free(e->graph);
    sim_mark_drop(e->last);
    memory_free(e->items);
    memory_free(e->branch_of);
    memory_free(e->streams);
    memory_free(e);
}

/* Copies the graph and compiles it, so that errors show now. */
static bool take_graph(CUgraphExec e, CUgraph graph) {
    e->graph = sim_graph_copy(graph);
    if (e->graph) e->graph->is_owned = true;
    return e->graph && compile(e);
}

/* Flags are ignored: uploads and priorities have no meaning here. */
CUresult sim_call_graph_instantiate(CUgraphExec *executable, CUgraph handle, unsigned long long flags) {
    SIM_ENTER(c);
    *executable = NULL;
    CUgraph graph = sim_graph_of(c, handle);
    if (!graph) return CUDA_INVALID_VALUE;
    CUgraphExec e = memory_zeroed(1, sizeof *e);
    if (!e) return sim_no_memory("an executable graph");
    e->context = c;
    e->flags = flags;
    e->id = (unsigned)++c->graph_numbers;
    e->branches = 1;
    if (!take_graph(e, graph)) {
        free_executable(e);
        return sim_no_memory("an executable graph");
    }
    e->next = c->executables;
    c->executables = e;
    *executable = e;
    return CUDA_SUCCESS;
}

CUresult sim_driver_executable_flags(CUgraphExec handle, unsigned long long *flags) {
    SIM_ENTER(c);
    const struct CUgraphExec_st *e = executable_of(c, handle);
    if (e) *flags = e->flags;
    return e ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUresult sim_driver_executable_id(CUgraphExec handle, unsigned *id) {
    SIM_ENTER(c);
    const struct CUgraphExec_st *e = executable_of(c, handle);
    if (e) *id = e->id;
    return e ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* Waits for conditions that are pending in a stream, since they need the graph. */
static void finish_conditions(CUgraphExec e) {
    if (e->last && !e->last->reached && sim_graph_has_condition(e->graph)) (void)sim_work_until(e->context, e->last);
}

CUresult sim_call_executable_destroy(CUgraphExec handle) {
    SIM_ENTER(c);
    if (!executable_of(c, handle)) return CUDA_INVALID_VALUE;
    finish_conditions(handle);
    for (CUgraphExec *link = &handle->context->executables; *link; link = &(*link)->next) {
        CUgraphExec e = *link;
        if (e != handle) continue;
        *link = e->next;
        free_executable(e);
        return CUDA_SUCCESS;
    }
    return CUDA_INVALID_VALUE;
}

/* Executables first, since they own graphs of the list. */
void sim_free_graphs(CUcontext c) {
    while (c->executables) {
        CUgraphExec e = c->executables;
        c->executables = e->next;
        free_executable(e);
    }
    for (CUgraph g = c->graphs; g;) {
        CUgraph next = g->next;
        if (!g->is_owned) {
            sim_graph_free(g);
            next = c->graphs; /* inner graphs were freed with it */
        }
        g = next;
    }
}

/* ---- launching ---- */

/* Branch 0 is the launching stream's. */
static CUstream stream_of_branch(CUgraphExec e, CUstream launching, size_t branch) {
    return branch ? e->streams[branch - 1] : launching;
}

/* Moves a kernel's record, if one was requested, into its work. The callback asks for a record by
 * sim_driver_record(), which sets c->run. */
static CUresult take_record(CUcontext c, sim_work *w) {
    if (!c->begin_node_launch) return CUDA_SUCCESS;
    const CUresult result = c->begin_node_launch(w->function, &w->config);
    w->run = c->run;
    w->run_launch = c->run_launch;
    w->record_memory = c->record_memory;
    c->run = NULL;
    return result;
}

/* Issues a copy of the item's work, or records or waits for an event. */
static CUresult issue_item(const item *i, CUstream s, sim_mark **marks) {
    sim_work work;
    if (i->event && i->records) return sim_call_event_record(i->event, s);
    if (i->event) return sim_call_stream_wait(s, i->event, 0);
    if (!sim_work_copy(&work, &i->work)) return sim_no_memory("an executable graph");
    if (work.kind == SIM_WORK_MARK || work.kind == SIM_WORK_WAIT) work.mark = sim_mark_use(marks[work.node]);
    const CUresult result = work.kind == SIM_WORK_LAUNCH ? take_record(sim_current(), &work) : CUDA_SUCCESS;
    return result == CUDA_SUCCESS ? sim_issue(s, &work) : result;
}

/* Launches of one executable do not overlap: each waits for the end of the one before. */
static CUresult issue_all(CUgraphExec e, CUstream s, sim_mark **marks) {
    CUresult result = CUDA_SUCCESS;
    for (size_t m = 0; m < e->marks; m++)
        if (!(marks[m] = sim_mark_new(stream_of_branch(e, s, e->branch_of[m]))))
            return sim_no_memory("an executable graph");
    if (e->last) {
        const sim_work wait = {.kind = SIM_WORK_WAIT, .mark = sim_mark_use(e->last)};
        result = sim_issue(s, &wait);
    }
    if (result == CUDA_SUCCESS && sim_graph_has_condition(e->graph)) result = sim_conditions_begin(e->graph, s);
    for (size_t i = 0; result == CUDA_SUCCESS && i < e->count; i++)
        result = issue_item(&e->items[i], stream_of_branch(e, s, e->items[i].work.branch), marks);
    if (result != CUDA_SUCCESS) return result;
    sim_mark *last = sim_mark_new(s);
    if (!last) return sim_no_memory("an executable graph");
    sim_mark_drop(e->last);
    e->last = last;
    const sim_work end = {.kind = SIM_WORK_MARK, .mark = sim_mark_use(last)};
    return sim_issue(s, &end);
}

/* ---- launches within another launch ---- */

/* Adds a copy of the work to the list; false without memory, or if the callback fails. */
static bool append_work(const sim_work *from, sim_work ***last) {
    sim_work *w = memory_alloc(sizeof *w);
    if (!w || !sim_work_copy(w, from) ||
        (w->kind == SIM_WORK_LAUNCH && take_record(sim_current(), w) != CUDA_SUCCESS)) {
        if (w) sim_work_release(w);
        memory_free(w);
        return false;
    }
    w->next = NULL;
    **last = w;
    *last = &w->next;
    return true;
}

/* Steps are in dependency order. */
bool sim_graph_list_works(CUgraph g, sim_work ***last) {
    plan p = {0};
    const size_t begin = 0;
    bool made = add_step(&p, NULL, NULL, 0) == begin && plan_graph(&p, g, &begin, 1) != SIZE_MAX;
    for (size_t i = 0; i < p.count && made; i++) {
        const struct CUgraphNode_st *n = p.steps[i].node;
        for (size_t k = 0; n && !n->is_off && k < n->work_count && made; k++) made = append_work(&n->works[k], last);
    }
    free_plan(&p);
    return made;
}

/* A launch into a captured stream becomes a node that contains the graph. */
static CUresult capture_launch(CUgraphExec e, CUstream s) {
    CUgraphNode n = sim_graph_add(s->capture, DRIVER_NODE_GRAPH, s->tips.nodes, s->tips.count);
    if (n) n->of.child = sim_graph_copy(e->graph);
    if (!n || !n->of.child) return sim_no_memory("an executable graph");
    n->of.child->is_owned = true;
    return sim_capture_go_on(s, n);
}

/* The marks live as long as work refers to them. */
CUresult sim_call_graph_launch(CUgraphExec handle, CUstream stream) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, stream, &s);
    if (found != CUDA_SUCCESS) return found;
    CUgraphExec e = executable_of(c, handle);
    if (!e) return CUDA_INVALID_VALUE;
    if (s->capture) return capture_launch(e, s);
    if (e->is_stale && !compile(e)) return sim_no_memory("an executable graph");
    sim_mark **marks = memory_zeroed(e->marks + 1, sizeof *marks);
    if (!marks) return sim_no_memory("an executable graph");
    const CUresult result = issue_all(e, s, marks);
    for (size_t m = 0; m < e->marks; m++) sim_mark_drop(marks[m]);
    memory_free(marks);
    return result;
}

/* Does nothing: no data has to be moved before the launch. */
CUresult sim_call_executable_upload(CUgraphExec handle, CUstream stream) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, stream, &s);
    if (found != CUDA_SUCCESS) return found;
    return executable_of(c, handle) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* ---- updates ---- */

/* Finds the executable's node for a node of the original graph; NULL, with a message, if there is none. */
static CUgraphNode own_node(CUgraphExec handle, CUgraphNode node, int type) {
    CUcontext c = sim_current();
    CUgraphExec e = c ? executable_of(c, handle) : NULL;
    const struct CUgraphNode_st *given = e ? sim_node_of(c, node) : NULL;
    CUgraphNode own = given ? sim_graph_find(e->graph, given->number) : NULL;
    if (own && (type < 0 || own->type == (CUgraphNodeType)type)) {
        e->is_stale = true;
        return own;
    }
    if (given) (void)sim_wrong("the executable graph has no such node, or it is of another kind");
    return NULL;
}

/* Defines a function that changes a node of an executable. Its work changes with the next compilation, for later
 * launches. */
#define CHANGE_CALL(name, kind, params, set)              \
    CUresult sim_call_executable_set_##name params {      \
        SIM_ENTER(c);                                     \
        (void)c;                                          \
        CUgraphNode n = own_node(executable, node, kind); \
        return n && what ? set : CUDA_INVALID_VALUE;      \
    }
CHANGE_CALL(kernel, DRIVER_NODE_KERNEL, (CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *what),
            sim_node_set_kernel(n, what))
CHANGE_CALL(copy, DRIVER_NODE_COPY,
            (CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D *what, CUcontext context),
            ((void)context, sim_node_set_copy(n, what)))
CHANGE_CALL(fill, DRIVER_NODE_FILL,
            (CUgraphExec executable, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *what, CUcontext context),
            ((void)context, sim_node_set_fill(n, what)))
CHANGE_CALL(host, DRIVER_NODE_HOST, (CUgraphExec executable, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *what),
            sim_node_set_host(n, what))
CHANGE_CALL(record, DRIVER_NODE_EVENT_RECORD, (CUgraphExec executable, CUgraphNode node, CUevent what),
            (n->of.event = what, CUDA_SUCCESS))
CHANGE_CALL(wait, DRIVER_NODE_EVENT_WAIT, (CUgraphExec executable, CUgraphNode node, CUevent what),
            (n->of.event = what, CUDA_SUCCESS))

CUresult sim_driver_executable_set_values(CUgraphExec executable, CUgraphNode node, const sim_value_op *ops,
                                          unsigned count) {
    SIM_ENTER(c);
    (void)c;
    CUgraphNode n = own_node(executable, node, DRIVER_NODE_VALUES);
    return n ? sim_node_set_values(n, ops, count) : CUDA_INVALID_VALUE;
}

/* The kinds of nodes that CUDA lets be disabled. */
static bool can_be_off(CUgraphNodeType type) {
    return type == DRIVER_NODE_KERNEL || type == DRIVER_NODE_COPY || type == DRIVER_NODE_FILL;
}

CUresult sim_call_executable_set_enabled(CUgraphExec executable, CUgraphNode node, unsigned enabled) {
    SIM_ENTER(c);
    (void)c;
    CUgraphNode n = own_node(executable, node, -1);
    if (!n || !can_be_off(n->type)) return CUDA_INVALID_VALUE;
    n->is_off = !enabled;
    return CUDA_SUCCESS;
}

CUresult sim_call_executable_enabled(CUgraphExec executable, CUgraphNode node, unsigned *enabled) {
    SIM_ENTER(c);
    (void)c;
    const struct CUgraphNode_st *n = own_node(executable, node, -1);
    if (!n || !enabled) return CUDA_INVALID_VALUE;
    *enabled = !n->is_off;
    return CUDA_SUCCESS;
}

/* Where two graphs differ: nodes of the given one, or NULL. */
typedef struct difference {
    int kind; /* DRIVER_UPDATE_... */
    CUgraphNode node, from;
} difference;

static difference compare(const struct CUgraph_st *old, const struct CUgraph_st *given);

static difference compare_nodes(const struct CUgraphNode_st *old, CUgraphNode given) {
    if (old->type != given->type) return (difference){DRIVER_UPDATE_TYPE, given, NULL};
    if (old->behind_count != given->behind_count) return (difference){DRIVER_UPDATE_TOPOLOGY, given, NULL};
    for (size_t k = 0; k < old->behind_count; k++) {
        const sim_edge *a = &old->behind[k], *b = &given->behind[k];
        if (a->from->at != b->from->at || a->data.type != b->data.type)
            return (difference){DRIVER_UPDATE_TOPOLOGY, given, b->from};
    }
    return old->type == DRIVER_NODE_GRAPH ? compare(old->of.child, given->of.child) : (difference){0};
}

/* Nodes correspond by index, and must have the same dependencies. Finds the first that differs; without one the
 * executable can take the graph over. */
static difference compare(const struct CUgraph_st *old, const struct CUgraph_st *given) {
    difference found = {DRIVER_UPDATED, NULL, NULL};
    if (old->count != given->count) return (difference){DRIVER_UPDATE_TOPOLOGY, NULL, NULL};
    for (size_t i = 0; i < old->count && found.kind == DRIVER_UPDATED; i++)
        found = compare_nodes(old->nodes[i], given->nodes[i]);
    return found;
}

/* Replaces the executable's own graph by a copy of a like one. Its nodes get the numbers of those that they replace, so
 * that handles of the original stay valid. */
static bool take_over(CUgraph *own, CUgraph given) {
    CUgraph copy = sim_graph_copy(given);
    if (!copy) return false;
    for (size_t i = 0; i < copy->count; i++) copy->nodes[i]->number = (*own)->nodes[i]->number;
    copy->is_owned = true;
    sim_graph_free(*own);
    *own = copy;
    return true;
}

CUresult sim_driver_executable_set_child(CUgraphExec executable, CUgraphNode node, CUgraph child) {
    SIM_ENTER(c);
    CUgraph given = sim_graph_of(c, child);
    CUgraphNode n = given ? own_node(executable, node, DRIVER_NODE_GRAPH) : NULL;
    if (!n) return CUDA_INVALID_VALUE;
    if (compare(n->of.child, given).kind != DRIVER_UPDATED) return CUDA_GRAPH_EXEC_UPDATE_FAILURE;
    finish_conditions(executable);
    return take_over(&n->of.child, given) ? CUDA_SUCCESS : CUDA_OUT_OF_MEMORY;
}

CUresult sim_call_executable_update(CUgraphExec handle, CUgraph graph, CUgraphExecUpdateResultInfo *result) {
    SIM_ENTER(c);
    CUgraphExec e = executable_of(c, handle);
    CUgraph given = e ? sim_graph_of(c, graph) : NULL;
    if (!given || !result) return CUDA_INVALID_VALUE;
    const difference found = compare(e->graph, given);
    *result = (CUgraphExecUpdateResultInfo){found.kind, found.node, found.from};
    if (found.kind != DRIVER_UPDATED) return CUDA_GRAPH_EXEC_UPDATE_FAILURE;
    finish_conditions(e);
    e->is_stale = true;
    return take_over(&e->graph, given) ? CUDA_SUCCESS : CUDA_OUT_OF_MEMORY;
}
