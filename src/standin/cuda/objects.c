/* User objects: what a program frees when no graph needs it any more.
 *
 * An object counts references of the program and of graphs. A graph's references are its own; executables and clones
 * get as many as the graph has when they are made. Their destruction gives the references back (graphs and executables
 * are told apart by their handles), and the last reference calls the program's function, outside the lock. Objects of
 * a graph that becomes a child of another one stay the child's. */
#include "base/memory.h"
#include "standin/cuda/cuda.h"

#include <limits.h>

struct CUuserObject_st {
    void *what;
    CUhostFn destroy;
    unsigned references;
    struct CUuserObject_st *next;
};

typedef struct holding {
    const void *graph; /* or an executable */
    CUuserObject object;
    unsigned references;
    struct holding *next;
} holding;

static CUuserObject objects;
static holding *holdings;
enum { NO_SYNC = 1, MOVE = 1 }; /* flags of objects and of cuGraphRetainUserObject() */

static CUuserObject object_of(CUuserObject handle) {
    CUuserObject o = objects;
    while (o && o != handle) o = o->next;
    return o;
}

static holding *holding_of(const void *graph, CUuserObject object) {
    holding *h = holdings;
    while (h && (h->graph != graph || h->object != object)) h = h->next;
    return h;
}

/* The last reference moves the object to `gone`, a list that end() takes after the call. */
static CUresult drop(CUuserObject o, unsigned count, CUuserObject *gone) {
    if (!o || !count || count > o->references) return CUDA_INVALID_VALUE;
    o->references -= count;
    if (o->references) return CUDA_SUCCESS;
    CUuserObject *link = &objects;
    while (*link != o) link = &(*link)->next;
    *link = o->next;
    o->next = *gone;
    *gone = o;
    return CUDA_SUCCESS;
}

static void end(CUuserObject gone) {
    while (gone) {
        CUuserObject o = gone;
        gone = o->next;
        o->destroy(o->what);
        memory_free(o);
    }
}

/* ---- objects ---- */

CUresult cuUserObjectCreate(CUuserObject *object, void *what, CUhostFn destroy, unsigned references, unsigned flags) {
    if (!object || !destroy || !references || references > INT_MAX || flags != NO_SYNC) return CUDA_INVALID_VALUE;
    CUDA_ENTER_DEVICE(d);
    (void)d;
    CUuserObject o = memory_zeroed(1, sizeof *o);
    if (!o) return cuda_leave(CUDA_OUT_OF_MEMORY);
    *o = (struct CUuserObject_st){what, destroy, references, objects};
    *object = objects = o;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    CUuserObject o = object_of(object);
    if (!o || !count || count > INT_MAX - o->references) return cuda_leave(CUDA_INVALID_VALUE);
    o->references += count;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
    CUuserObject gone = NULL;
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUresult result = cuda_leave(drop(object_of(object), count, &gone));
    end(gone);
    return result;
}

/* ---- graphs ---- */

static CUresult hold(const void *graph, CUuserObject o, unsigned count, bool moves) {
    holding *h = holding_of(graph, o);
    if (!h) {
        h = memory_zeroed(1, sizeof *h);
        if (!h) return CUDA_OUT_OF_MEMORY;
        *h = (holding){graph, o, 0, holdings};
        holdings = h;
    }
    h->references += count;
    if (!moves) o->references += count;
    return CUDA_SUCCESS;
}

/* With MOVE the program's references become the graph's. */
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    CUuserObject o = object_of(object);
    if (!graph || !o || !count || flags & ~(unsigned)MOVE) return cuda_leave(CUDA_INVALID_VALUE);
    return cuda_leave(hold(graph, o, count, flags & MOVE));
}

static void free_holding(holding *h) {
    holding **link = &holdings;
    while (*link != h) link = &(*link)->next;
    *link = h->next;
    memory_free(h);
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
    CUuserObject gone = NULL;
    CUDA_ENTER_DEVICE(d);
    (void)d;
    holding *h = holding_of(graph, object);
    if (!h || !count || count > h->references) return cuda_leave(CUDA_INVALID_VALUE);
    h->references -= count;
    if (!h->references) free_holding(h);
    const CUresult result = cuda_leave(drop(object, count, &gone));
    end(gone);
    return result;
}

void cuda_copy_holdings(const void *from, const void *to) {
    if (!holdings) return;
    (void)standin_enter_driver();
    for (holding *h = holdings; h; h = h->next)
        if (h->graph == from) (void)hold(to, h->object, h->references, false);
    (void)standin_leave_driver(CUDA_SUCCESS);
}

void cuda_end_holdings(const void *graph) {
    CUuserObject gone = NULL;
    if (!holdings) return;
    (void)standin_enter_driver();
    for (holding *h = holdings, *next; h; h = next) {
        next = h->next;
        if (h->graph != graph) continue;
        (void)drop(h->object, h->references, &gone);
        free_holding(h);
    }
    (void)standin_leave_driver(CUDA_SUCCESS);
    end(gone);
}
