/* Pairs of events around launches, kept by context in launch order. Each launch collects the pairs that are done. Only
 * the end of a context or of the program waits.
 *
 * Two events around a launch, in its stream, tell its time; they are never waited for during the program. Pairs are
 * kept in two lists for each context: unused ones, and pending ones in launch order. A pair moves to the unused list
 * when its second event is done. Events belong to their context, so a context's end must collect its pairs before.
 * The lists are protected by the lock of kernels.c; calls of the real driver that may block are made without it.
 *
 * A program that captures a stream forbids some calls to its threads. gpu_relax() lifts that for haul's own. */
#include "base/clock.h"
#include "base/memory.h"
#include "standin/gpu/gpu.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

/* Looks at pending pairs after each launch; looks at a pair before the next one is tried; pause while waiting for
 * all; measurements of the cost, after those that warm up. */
enum { LOOKS = 4, PATIENCE = 256, PAUSE_NS = 200000, SAMPLES = 16, WARM_UP = 4 };
enum { RELAXED = 2 }; /* CU_STREAM_CAPTURE_MODE_RELAXED */
enum { NO_EVENT_WAITS = 0 };

/* `next`: in the list of unused or of pending pairs. */
struct gpu_pair {
    CUevent before, behind;
    gpu_launch launch;
    struct context *context;
    gpu_pair *next;
};

typedef struct context {
    CUcontext handle;
    gpu_pair *unused, *pending, **last;
    unsigned refusals; /* how often the first pending pair was not done */
    struct context *next;
} context;

static context *contexts; /* records outlive their contexts: a launch may be in flight */
static gpu_overhead cost = {-1, -1};

/* ---- thread modes during captures ---- */

int gpu_relax(void) {
    int mode = RELAXED;
    if (gpu_real()->cuThreadExchangeStreamCaptureMode(&mode) != CUDA_SUCCESS) return RELAXED;
    return mode;
}

void gpu_restore(int mode) {
    if (mode != RELAXED) (void)gpu_real()->cuThreadExchangeStreamCaptureMode(&mode);
}

/* The default stream returns an error if another stream is captured. */
bool gpu_is_captured(CUstream stream) {
    int status = 0;
    const CUresult result = gpu_real()->cuStreamIsCapturing(stream, &status);
    return status != 0 || (result != CUDA_SUCCESS && result != CUDA_NOT_FOUND);
}

/* ---- pairs ---- */

/* Finds the record of the thread's current context, or makes it. NULL if there is no context or no memory. */
static context *current_context(void) {
    CUcontext handle = NULL;
    if (gpu_real()->cuCtxGetCurrent(&handle) != CUDA_SUCCESS || !handle) return NULL;
    for (context *c = contexts; c; c = c->next)
        if (c->handle == handle) return c;
    context *c = memory_zeroed(1, sizeof *c);
    if (!c) return NULL;
    *c = (context){.handle = handle, .last = &c->pending, .next = contexts};
    return contexts = c;
}

static bool make_events(gpu_pair *p) {
    const gpu_driver *d = gpu_real();
    if (d->cuEventCreate(&p->before, NO_EVENT_WAITS) != CUDA_SUCCESS) return false;
    if (d->cuEventCreate(&p->behind, NO_EVENT_WAITS) == CUDA_SUCCESS) return true;
    (void)d->cuEventDestroy_v2(p->before);
    return false;
}

static gpu_pair *make_pair(context *c) {
    gpu_pair *p = memory_zeroed(1, sizeof *p);
    if (!p) return NULL;
    p->context = c;
    const int mode = gpu_relax();
    const bool made = make_events(p);
    gpu_restore(mode);
    if (made) return p;
    memory_free(p);
    return NULL;
}

/* Takes an unused pair, or makes one. */
static gpu_pair *take_pair(context *c) {
    gpu_pair *p = c->unused;
    if (!p) return make_pair(c);
    c->unused = p->next;
    return p;
}

static void put_back(gpu_pair *p) {
    p->next = p->context->unused;
    p->context->unused = p;
}

static void append(gpu_pair *p) {
    context *c = p->context;
    p->next = NULL;
    *c->last = p;
    c->last = &p->next;
}

/* Removes the first. */
static gpu_pair *take_pending(context *c) {
    gpu_pair *p = c->pending;
    c->pending = p->next;
    if (!c->pending) c->last = &c->pending;
    c->refusals = 0;
    return p;
}

/* Returns whether the context's first launch was done. A failed one has no time. */
static bool collect_first(context *c) {
    float ms;
    const gpu_driver *d = gpu_real();
    const CUresult result = d->cuEventQuery(c->pending->behind);
    if (result == CUDA_NOT_READY) return false;
    gpu_pair *p = take_pending(c);
    if (result == CUDA_SUCCESS && d->cuEventElapsedTime(&ms, p->before, p->behind) == CUDA_SUCCESS)
        gpu_add_time(&p->launch, rint((double)ms * 1e6) / 1e3); /* to the nanosecond */
    put_back(p);
    return true;
}

/* A kernel that does not end, on one stream, does not hold up later pairs. After many refusals, the pair goes to the
 * end of the list. */
static void collect_some(context *c) {
    const int mode = gpu_relax();
    for (unsigned i = 0; i < LOOKS && c->pending; i++) {
        if (collect_first(c)) continue;
        if (++c->refusals < PATIENCE) break;
        append(take_pending(c));
    }
    gpu_restore(mode);
}

static void destroy_pair(gpu_pair *p) {
    (void)gpu_real()->cuEventDestroy_v2(p->before);
    (void)gpu_real()->cuEventDestroy_v2(p->behind);
    memory_free(p);
}

/* ---- around a launch ---- */

static gpu_pair *take(void) {
    context *c = current_context();
    return c ? take_pair(c) : NULL;
}

/* If a stream's queue is full, the thread waits without holding the lock. */
gpu_pair *gpu_begin(CUstream stream) {
    gpu_lock();
    gpu_pair *p = take();
    gpu_unlock();
    if (!p || gpu_real()->cuEventRecord(p->before, stream) == CUDA_SUCCESS) return p;
    destroy_pair(p);
    return NULL;
}

void gpu_end(gpu_pair *p, CUstream stream, const gpu_launch *launch, CUresult result) {
    const bool timed = p && result == CUDA_SUCCESS && gpu_real()->cuEventRecord(p->behind, stream) == CUDA_SUCCESS;
    gpu_lock();
    if (result == CUDA_SUCCESS) gpu_count(launch);
    if (p && !timed) put_back(p);
    if (timed) {
        p->launch = *launch;
        append(p);
        collect_some(p->context);
    }
    gpu_unlock();
}

/* ---- waiting ---- */

/* Waits for all pending pairs, at most until that time. */
static void collect_all(context *c, double until) {
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    while (c->pending)
        if (!collect_first(c)) {
            if (clock_seconds() > until) return;
            nanosleep(&pause, NULL);
        }
}

/* ---- cost of events ---- */

/* For an old architecture: drivers compile its PTX for newer GPUs. */
static const char empty_kernel[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry haul_empty() {\n  ret;\n}\n";

static bool time_once(CUstream stream, const gpu_pair *p, CUfunction kernel, float *ms) {
    const gpu_driver *d = gpu_real();
    return d->cuEventRecord(p->before, stream) == CUDA_SUCCESS &&
           (!kernel || d->cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL) == CUDA_SUCCESS) &&
           d->cuEventRecord(p->behind, stream) == CUDA_SUCCESS && d->cuStreamSynchronize(stream) == CUDA_SUCCESS &&
           d->cuEventElapsedTime(ms, p->before, p->behind) == CUDA_SUCCESS;
}

/* Mean microseconds; negative if it failed. `kernel` may be NULL. */
static double time_many(CUstream stream, const gpu_pair *p, CUfunction kernel) {
    double sum = 0;
    for (int i = 0; i < WARM_UP + SAMPLES; i++) {
        float ms = 0;
        if (!time_once(stream, p, kernel, &ms)) return -1;
        if (i >= WARM_UP) sum += (double)ms;
    }
    return rint(sum / SAMPLES * 1e6) / 1e3;
}

/* Sets `cost`, which the report prints beside the times, so that short ones can be judged. */
static void measure_with(const gpu_pair *p, CUstream stream) {
    CUmodule module;
    CUfunction kernel;
    const gpu_driver *d = gpu_real();
    cost.nothing = time_many(stream, p, NULL);
    if (d->cuModuleLoadData(&module, empty_kernel) != CUDA_SUCCESS) return;
    if (d->cuModuleGetFunction(&kernel, module, "haul_empty") == CUDA_SUCCESS)
        cost.kernel = time_many(stream, p, kernel);
    (void)d->cuModuleUnload(module);
}

static void measure_cost(context *c) {
    CUstream stream;
    gpu_pair *p = take_pair(c);
    if (!p) return;
    if (gpu_real()->cuStreamCreate(&stream, DRIVER_STREAM_NON_BLOCKING) == CUDA_SUCCESS) {
        measure_with(p, stream);
        (void)gpu_real()->cuStreamDestroy_v2(stream);
    }
    put_back(p);
}

gpu_overhead gpu_cost(void) {
    return cost;
}

/* ---- the end of a context ---- */

/* Destroys all events. Pairs that are still pending get no time. */
static void give_up(context *c) {
    while (c->pending) put_back(take_pending(c));
    while (c->unused) {
        gpu_pair *p = c->unused;
        c->unused = p->next;
        destroy_pair(p);
    }
}

/* Work that hangs is not waited for, and no stream is created in a context with such work. The context is made
 * current, as events are destroyed there; if that fails, it no longer exists. */
static void finish(context *c, double until) {
    CUcontext popped;
    if (!c->pending && !c->unused) return;
    if (gpu_real()->cuCtxPushCurrent_v2(c->handle) != CUDA_SUCCESS) return;
    const int mode = gpu_relax();
    collect_all(c, until);
    if (cost.nothing < 0 && !c->pending) measure_cost(c);
    give_up(c);
    gpu_restore(mode);
    (void)gpu_real()->cuCtxPopCurrent_v2(&popped);
}

void gpu_finish(CUcontext which) {
    const double until = clock_seconds() + GPU_MOST_SECONDS;
    for (context *c = contexts; c; c = c->next)
        if (!which || c->handle == which) finish(c, until);
}
