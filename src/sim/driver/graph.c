/* Graphs of the virtual GPU: what streams were given while they were captured, launched as often as wanted.
 *
 * A graph keeps the work in the order of capture, each with its branch: the stream that it was given to. A launch gives
 * branch 0 to the launching stream and the others to streams of the executable's own; marks take the place of the
 * events that connected the branches. */
#include "sim/driver/box_copy.h"
#include "sim/driver/internal.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

struct CUgraph_st {
    CUcontext context;
    sim_work *items;
    size_t count, capacity;
    size_t marks;
    unsigned branches;
    CUstream origin;
    CUgraph next;
};

struct CUgraphExec_st {
    CUcontext context;
    sim_work *items;
    size_t count, marks;
    unsigned branches;
    size_t *branch_of; /* each mark's */
    CUstream *streams; /* of branches 1 and up */
    sim_mark *last;    /* the end of the last launch */
    CUgraphExec next;
};

static CUresult no_memory(void) {
    return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a graph"));
}

static void free_items(sim_work *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memory_free(items[i].parameters);
        memory_free(items[i].box);
    }
    memory_free(items);
}

/* ---- capturing ---- */

CUresult sim_capture(CUstream s, const sim_work *work) {
    CUgraph g = s->capture;
    sim_work *items = memory_grow(g->items, g->count, &g->capacity, sizeof *items);
    if (!items) {
        sim_work lost = *work;
        sim_work_release(&lost);
        return no_memory();
    }
    g->items = items;
    g->items[g->count] = *work;
    g->items[g->count].run = NULL;
    g->items[g->count++].branch = s->branch;
    return CUDA_SUCCESS;
}

CUresult sim_capture_record(CUstream s, CUevent event) {
    const sim_work work = {.kind = SIM_WORK_MARK, .node = s->capture->marks};
    const CUresult result = sim_capture(s, &work);
    if (result != CUDA_SUCCESS) return result;
    event->capture = s->capture;
    event->node = s->capture->marks++;
    return CUDA_SUCCESS;
}

static bool is_capturing(CUcontext c, CUgraph graph) {
    for (CUstream s = c->streams; s; s = s->next)
        if (s->capture == graph) return true;
    return false;
}

CUresult sim_capture_wait(CUstream s, CUevent event) {
    if (!event->capture || (s->capture && s->capture != event->capture)) return CUDA_STREAM_CAPTURE_ISOLATION;
    if (!is_capturing(s->context, event->capture)) return CUDA_CAPTURED_EVENT;
    if (s == &s->context->legacy) return CUDA_STREAM_CAPTURE_IMPLICIT;
    if (!s->capture) {
        s->capture = event->capture;
        s->branch = event->capture->branches++;
    }
    const sim_work work = {.kind = SIM_WORK_WAIT, .node = event->node};
    return sim_capture(s, &work);
}

CUresult sim_call_capture_begin(CUstream handle, int mode) {
    CUstream s;
    SIM_ENTER(c);
    (void)mode;
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (s == &c->legacy || s->capture) return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    CUgraph g = memory_zeroed(1, sizeof *g);
    if (!g) return no_memory();
    *g = (struct CUgraph_st){.context = c, .branches = 1, .origin = s, .next = c->graphs};
    c->graphs = g;
    s->capture = g;
    s->branch = 0;
    return CUDA_SUCCESS;
}

/* Every branch but the first has to be waited for in the end: its last work is a mark. */
static bool is_joined(const struct CUgraph_st *g) {
    for (unsigned b = 1; b < g->branches; b++) {
        size_t last = g->count;
        while (last > 0 && g->items[last - 1].branch != b) last--;
        if (last == 0 || g->items[last - 1].kind != SIM_WORK_MARK) return false;
    }
    return true;
}

CUresult sim_call_capture_end(CUstream handle, CUgraph *graph) {
    CUstream s;
    SIM_ENTER(c);
    *graph = NULL;
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    CUgraph g = s->capture;
    if (!g || g->origin != s) return CUDA_STREAM_CAPTURE_UNMATCHED;
    for (CUstream each = c->streams; each; each = each->next)
        if (each->capture == g) each->capture = NULL;
    if (!is_joined(g)) {
        (void)sim_call_graph_destroy(g);
        return CUDA_STREAM_CAPTURE_UNJOINED;
    }
    *graph = g;
    return CUDA_SUCCESS;
}

CUresult sim_call_capture_status(CUstream handle, int *status) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    *status = found == CUDA_SUCCESS && s->capture != NULL;
    return found;
}

CUresult sim_call_graph_destroy(CUgraph graph) {
    SIM_ENTER(c);
    for (CUgraph *link = &c->graphs; *link; link = &(*link)->next) {
        if (*link != graph) continue;
        *link = graph->next;
        free_items(graph->items, graph->count);
        memory_free(graph);
        return CUDA_SUCCESS;
    }
    return CUDA_INVALID_VALUE;
}

/* ---- launching ---- */

static void free_executable(CUgraphExec e) {
    for (unsigned b = 1; e->streams && b < e->branches; b++)
        if (e->streams[b - 1]) (void)sim_call_stream_destroy(e->streams[b - 1]);
    sim_mark_drop(e->last);
    free_items(e->items, e->count);
    memory_free(e->branch_of);
    memory_free(e->streams);
    memory_free(e);
}

/* True where there is nothing to copy. */
static bool copy_bytes(void **to, const void *from, size_t bytes) {
    if (!from) return true;
    *to = memory_alloc(bytes);
    if (*to) memcpy(*to, from, bytes);
    return *to != NULL;
}

static bool copy_item(sim_work *to, const sim_work *from) {
    void *parameters = NULL, *box = NULL;
    *to = *from;
    const size_t bytes = from->parameters ? from->function->program->param_bytes + 16 : 0;
    const bool whole =
        copy_bytes(&parameters, from->parameters, bytes) && copy_bytes(&box, from->box, sizeof *from->box);
    to->parameters = parameters;
    to->box = box;
    return whole;
}

static bool copy_items(CUgraphExec e, const struct CUgraph_st *g) {
    e->items = memory_zeroed(g->count + 1, sizeof *e->items);
    e->branch_of = memory_zeroed(g->marks + 1, sizeof *e->branch_of);
    e->streams = memory_zeroed(g->branches, sizeof *e->streams);
    if (!e->items || !e->branch_of || !e->streams) return false;
    for (; e->count < g->count; e->count++) {
        if (!copy_item(&e->items[e->count], &g->items[e->count])) return false;
        if (g->items[e->count].kind == SIM_WORK_MARK) e->branch_of[g->items[e->count].node] = g->items[e->count].branch;
    }
    for (unsigned b = 1; b < g->branches; b++)
        if (sim_call_stream_create(&e->streams[b - 1], DRIVER_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) return false;
    return true;
}

CUresult sim_call_graph_instantiate(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
    SIM_ENTER(c);
    (void)flags;
    *executable = NULL;
    CUgraphExec e = memory_zeroed(1, sizeof *e);
    if (!e) return no_memory();
    e->context = c;
    e->marks = graph->marks;
    e->branches = graph->branches;
    if (!copy_items(e, graph)) {
        free_executable(e);
        return no_memory();
    }
    e->next = c->executables;
    c->executables = e;
    *executable = e;
    return CUDA_SUCCESS;
}

static CUstream stream_of_branch(CUgraphExec e, CUstream launching, size_t branch) {
    return branch ? e->streams[branch - 1] : launching;
}

static CUresult issue_items(CUgraphExec e, CUstream s, sim_mark **marks) {
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; result == CUDA_SUCCESS && i < e->count; i++) {
        sim_work work;
        if (!copy_item(&work, &e->items[i])) return no_memory();
        if (work.kind == SIM_WORK_MARK || work.kind == SIM_WORK_WAIT) work.mark = sim_mark_use(marks[work.node]);
        result = sim_issue(stream_of_branch(e, s, work.branch), &work);
    }
    return result;
}

static CUresult issue_all(CUgraphExec e, CUstream s, sim_mark **marks) {
    for (size_t m = 0; m < e->marks; m++)
        if (!(marks[m] = sim_mark_new(stream_of_branch(e, s, e->branch_of[m])))) return no_memory();
    if (e->last) {
        const sim_work wait = {.kind = SIM_WORK_WAIT, .mark = sim_mark_use(e->last)};
        const CUresult result = sim_issue(s, &wait);
        if (result != CUDA_SUCCESS) return result;
    }
    const CUresult issued = issue_items(e, s, marks);
    if (issued != CUDA_SUCCESS) return issued;
    sim_mark *last = sim_mark_new(s);
    if (!last) return no_memory();
    sim_mark_drop(e->last);
    e->last = last;
    const sim_work end = {.kind = SIM_WORK_MARK, .mark = sim_mark_use(last)};
    return sim_issue(s, &end);
}

CUresult sim_call_graph_launch(CUgraphExec executable, CUstream handle) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (s->capture) return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    sim_mark **marks = memory_zeroed(executable->marks + 1, sizeof *marks);
    if (!marks) return no_memory();
    const CUresult result = issue_all(executable, s, marks);
    for (size_t m = 0; m < executable->marks; m++) sim_mark_drop(marks[m]);
    memory_free(marks);
    return result;
}

CUresult sim_call_executable_destroy(CUgraphExec executable) {
    SIM_ENTER(c);
    for (CUgraphExec *link = &c->executables; *link; link = &(*link)->next) {
        if (*link != executable) continue;
        *link = executable->next;
        free_executable(executable);
        return CUDA_SUCCESS;
    }
    return CUDA_INVALID_VALUE;
}

void sim_free_graphs(CUcontext c) {
    while (c->executables) {
        CUgraphExec e = c->executables;
        c->executables = e->next;
        free_executable(e);
    }
    while (c->graphs) {
        CUgraph g = c->graphs;
        c->graphs = g->next;
        free_items(g->items, g->count);
        memory_free(g);
    }
}
