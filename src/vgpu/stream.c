/* Streams and events of the virtual GPU.
 *
 * A stream is a queue of work (work.h). sim_issue() puts work there, with the host program's time on the clock;
 * nothing is done before a call waits. The legacy default stream is different: its work is done at once, after that
 * of all streams that synchronize with it, and these streams' later work begins after it on the clock. If a kernel
 * that waits for the host is in the way, its work is queued like that of other streams, with marks that keep the
 * order.
 *
 * An event is a mark: recording puts work into the stream that reaches it, waiting puts work into another stream
 * that needs it. Events that other processes know also have a slot in shared memory (share.h). Times come from the
 * clock only, so they do not depend on the host. */
#include "base/memory.h"
#include "base/status.h"
#include "vgpu/box_copy.h"
#include "vgpu/internal.h"
#include "vgpu/order.h"
#include "vgpu/share.h"
#include "vgpu/work.h"

#include <stdint.h>

static double later(double a, double b) {
    return a > b ? a : b;
}

/* ---- handles ---- */

/* Handles with a special meaning: CU_STREAM_LEGACY and CU_STREAM_PER_THREAD. */
enum { LEGACY = 1, PER_THREAD = 2 };

/* The range of priorities, and CUsynchronizationPolicy; an H200 says -1 where no policy was set. */
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };
enum { SYNCHRONIZE_UNSET = -1, SYNCHRONIZE_AUTO = 1, SYNCHRONIZE_BLOCKING = 4 };

int sim_clamp_priority(int priority) {
    return priority > LEAST_PRIORITY ? LEAST_PRIORITY : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
}

/* Adds a stream to the context's list. */
static CUresult make_stream(CUcontext c, unsigned flags, int priority, CUstream *stream) {
    CUstream s = memory_zeroed(1, sizeof *s);
    if (!s) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a stream"));
    s->context = c;
    s->flags = flags;
    s->priority = sim_clamp_priority(priority);
    s->domain_map.domain_map[1] = 1;
    s->number = ++c->stream_numbers;
    s->last = &s->first;
    s->next = c->streams;
    c->streams = s;
    *stream = s;
    return CUDA_SUCCESS;
}

/* Finds the calling thread's default stream, or makes it. It lives as long as the context. */
static CUresult per_thread_stream(CUcontext c, CUstream *stream) {
    for (CUstream s = c->streams; s; s = s->next) {
        if (!s->per_thread || !pthread_equal(s->thread, pthread_self())) continue;
        *stream = s;
        return CUDA_SUCCESS;
    }
    const CUresult made = make_stream(c, 0, 0, stream);
    if (made != CUDA_SUCCESS) return made;
    (*stream)->per_thread = true;
    (*stream)->thread = pthread_self();
    return CUDA_SUCCESS;
}

/* A thread's default stream is that of the current context; a stream's own context may be another one. */
CUresult sim_stream_of(CUcontext c, CUstream handle, CUstream *stream) {
    *stream = &c->legacy;
    if ((uintptr_t)handle <= LEGACY) return CUDA_SUCCESS;
    if ((uintptr_t)handle == PER_THREAD) return per_thread_stream(c, stream);
    for (unsigned i = 0; i < sim_member_count(c); i++)
        for (CUstream s = sim_member_of(c, i)->streams; s; s = s->next) {
            if (s != handle || s->is_gone) continue;
            *stream = s;
            return CUDA_SUCCESS;
        }
    return CUDA_INVALID_HANDLE;
}

/* The default streams are those of the current device. */
CUresult sim_driver_stream_device(CUstream handle, CUdevice *device) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found == CUDA_SUCCESS) *device = s->context->device;
    return found;
}

/* ---- issuing work ---- */

/* A copy between devices also waits for their other work. `c` is the context of the stream, whose work is in order
 * anyway. */
static void finish_sides(CUcontext c, const sim_work *w) {
    const bool box = w->kind == SIM_WORK_COPY_BOX;
    const CUdeviceptr sides[] = {box ? sim_box_on_device(&w->box->from) : w->from,
                                 box ? sim_box_on_device(&w->box->to) : w->to};
    for (unsigned i = 0; i < 2; i++) {
        const CUcontext of = sides[i] ? sim_owner_of(c, sides[i]) : c;
        if (of != c) (void)sim_work_finish_all(of, true);
    }
}

/* Makes the next work of `waiting` wait for all present work of `stream`. Each of the two owns a reference to the
 * mark. */
static CUresult wait_after(CUstream waiting, CUstream stream) {
    sim_mark *mark = sim_mark_new(stream);
    if (!mark) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a wait"));
    const uint64_t turn = stream->context->turns++;
    const sim_work reach = {.kind = SIM_WORK_MARK, .mark = mark, .turn = turn};
    const sim_work wait = {.kind = SIM_WORK_WAIT, .mark = sim_mark_use(mark), .turn = turn};
    const CUresult result = sim_work_add(stream, &reach);
    if (result == CUDA_SUCCESS) return sim_work_add(waiting, &wait);
    sim_mark_drop(mark);
    return result;
}

/* Makes the legacy default stream wait for all streams, one of which has a kernel that waits for the host. */
static CUresult queue_after_all(CUcontext c) {
    CUresult result = CUDA_SUCCESS;
    for (CUstream s = c->streams; s && result == CUDA_SUCCESS; s = s->next)
        if (s->first && !(s->flags & DRIVER_STREAM_NON_BLOCKING)) result = wait_after(&c->legacy, s);
    return result;
}

/* Work of the legacy default stream begins after all that has been done. */
static void note_end_of_all(CUcontext c) {
    for (CUstream s = c->streams; s; s = s->next)
        if (!(s->flags & DRIVER_STREAM_NON_BLOCKING)) c->legacy.end = later(c->legacy.end, s->end);
}

/* Does work of the legacy default stream at once, after that of all streams that it synchronizes with. Its failure is
 * the call's own: the context stays usable. Queues the work if a kernel that waits for the host delays it. */
static CUresult issue_legacy(CUcontext c, sim_work *work) {
    bool left;
    CUresult result = sim_work_try_all(c, true, &left);
    if (c->family) finish_sides(c, work);
    if (result == CUDA_SUCCESS && left) result = queue_after_all(c);
    if (result != CUDA_SUCCESS) {
        sim_work_release(work);
        return result;
    }
    note_end_of_all(c);
    result = sim_work_add(&c->legacy, work);
    while (result == CUDA_SUCCESS && c->legacy.first && sim_work_advance(&c->legacy)) continue;
    if (c->legacy.first) return result;
    if (result == CUDA_SUCCESS) result = sim_sticky(c);
    c->failed = HAUL_OK;
    return result;
}

/* Work of blocking streams comes after what the legacy default stream has pending. */
CUresult sim_issue(CUstream s, const sim_work *work) {
    CUcontext c = s->context;
    sim_work issued = *work;
    if (s->capture && !issued.site.address) issued.site = sim_order_site(c);
    if (s->capture) return sim_capture(s, &issued);
    sim_order_issue(s, &issued);
    issued.issued = c->clock.now;
    issued.turn = c->turns++;
    if (s == &c->legacy) return issue_legacy(c, &issued);
    const bool blocks = !(s->flags & DRIVER_STREAM_NON_BLOCKING);
    if (blocks) issued.issued = later(issued.issued, c->legacy.end);
    CUresult failed = sim_sticky(c);
    if (failed == CUDA_SUCCESS && blocks && c->legacy.first) failed = wait_after(s, &c->legacy);
    if (failed == CUDA_SUCCESS) return sim_work_add(s, &issued);
    sim_work_release(&issued);
    return failed;
}

/* Also lets the program's time pass, until the stream's work has ended. */
static CUresult wait_for(CUstream s) {
    const CUresult result = sim_work_finish(s);
    sim_order_host_waited(s);
    s->context->clock.now = later(s->context->clock.now, s->end);
    return result;
}

/* The stream's failure is the call's. */
CUresult sim_issue_and_wait(CUstream s, const sim_work *work) {
    const CUresult result = sim_issue(s, work);
    return result == CUDA_SUCCESS ? wait_for(s) : result;
}

/* ---- streams ---- */

CUresult sim_call_stream_create(CUstream *stream, unsigned flags, int priority) {
    SIM_ENTER(c);
    *stream = NULL;
    if (flags & ~(unsigned)DRIVER_STREAM_NON_BLOCKING) return sim_wrong("cuStreamCreate: no such flag");
    return make_stream(c, flags, priority, stream);
}

/* Priorities have no effect here. */
CUresult sim_call_stream_priorities(int *least, int *greatest) {
    SIM_ENTER(c);
    *least = LEAST_PRIORITY;
    *greatest = GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

CUresult sim_call_stream_flags(CUstream handle, unsigned *flags) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found == CUDA_SUCCESS) *flags = s->flags;
    return found;
}

CUresult sim_call_stream_priority(CUstream handle, int *priority) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found == CUDA_SUCCESS) *priority = s->priority;
    return found;
}

CUresult sim_call_stream_number(CUstream handle, unsigned long long *number) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found == CUDA_SUCCESS) *number = s->number;
    return found;
}

/* Releases pending work without doing it. */
static void drop_work(CUstream s) {
    while (s->first) {
        sim_work *work = s->first;
        s->first = work->next;
        sim_work_release(work);
        memory_free(work);
    }
}

/* Pending work is dropped. */
static void free_stream(CUstream s) {
    drop_work(s);
    sim_tips_free(&s->tips);
    memory_free(s);
}

/* Frees destroyed streams whose work is done. */
static void free_gone(CUcontext c) {
    for (CUstream *link = &c->streams; *link;) {
        CUstream s = *link;
        if (s->is_gone && !s->first) {
            *link = s->next;
            free_stream(s);
        } else {
            link = &s->next;
        }
    }
}

/* Pending work is still done: at once, unless a kernel waits for the host. A stream with work left is freed with a
 * later one that is destroyed, or with the context. */
CUresult sim_call_stream_destroy(CUstream handle) {
    CUstream found;
    SIM_ENTER(c);
    if ((uintptr_t)handle <= PER_THREAD || sim_stream_of(c, handle, &found) != CUDA_SUCCESS) return CUDA_INVALID_HANDLE;
    c = found->context;
    while (found->first && sim_work_advance(found)) continue; /* the context keeps a failure */
    found->is_gone = true;
    free_gone(c);
    return CUDA_SUCCESS;
}

/* Waits for the legacy default stream, hence for all streams that synchronize with it. Time passes until the last of
 * them has ended. */
static CUresult wait_for_legacy(CUcontext c) {
    const CUresult result = sim_work_finish_all(c, true);
    sim_order_host_waited(&c->legacy);
    for (CUstream s = c->streams; s; s = s->next)
        if (!(s->flags & DRIVER_STREAM_NON_BLOCKING)) c->clock.now = later(c->clock.now, s->end);
    c->clock.now = later(c->clock.now, c->legacy.end);
    return result;
}

CUresult sim_call_stream_synchronize(CUstream handle) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (s->capture) return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    return s == &c->legacy ? wait_for_legacy(c) : wait_for(s);
}

/* Each query does one operation; on the legacy default stream, all that need not wait for the host. */
CUresult sim_call_stream_query(CUstream handle) {
    bool left = false;
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (s == &c->legacy) (void)sim_work_try_all(c, true, &left);
    if (left) return CUDA_NOT_READY;
    if (s == &c->legacy || !s->first) return sim_call_stream_synchronize(handle);
    sim_mark mark = {.users = 1, .stream = s};
    const CUresult result = sim_work_step(c, &mark);
    return result == CUDA_SUCCESS ? CUDA_NOT_READY : result;
}

/* Waits for all streams, also those that do not synchronize with the default stream. */
CUresult sim_call_synchronize(void) {
    SIM_ENTER(c);
    const CUresult result = sim_work_finish_all(c, false);
    sim_order_host_waited_for_all(c);
    for (CUstream s = c->streams; s; s = s->next) c->clock.now = later(c->clock.now, s->end);
    c->clock.now = later(c->clock.now, c->legacy.end);
    return result;
}

/* Returns whether another process recorded the event last, and has not reached the record. *number is that record. */
static bool is_elsewhere(const struct CUevent_st *e, uint64_t *number) {
    if (!e->slot) return false;
    *number = atomic_load(&e->slot->recorded);
    return !(e->mark && e->mark->number == *number) && !sim_slot_is_reached(e->slot, *number);
}

/* Freed by the host function that waits. */
typedef struct slot_wait {
    sim_slot *slot;
    uint64_t number;
} slot_wait;

/* Called as a host function of the stream. */
static void wait_as_host(void *data) {
    const slot_wait w = *(slot_wait *)data;
    memory_free(data);
    sim_wait_for_slot(w.slot, w.number);
}

/* Lets a host function of the stream wait, so that this process continues meanwhile. */
static CUresult issue_wait_for_slot(CUstream s, sim_slot *slot, uint64_t number) {
    slot_wait *w = memory_alloc(sizeof *w);
    if (!w) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a wait"));
    *w = (slot_wait){slot, number};
    const sim_work work = {.kind = SIM_WORK_CALL, .call = wait_as_host, .data = w};
    return sim_issue(s, &work);
}

/* An event that was never recorded is not waited for. */
CUresult sim_call_stream_wait(CUstream handle, CUevent event, unsigned flags) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (flags & ~1u) return sim_wrong("cuStreamWaitEvent: no such flag");
    if (event->capture || s->capture) return sim_capture_wait(s, event);
    uint64_t number;
    if (is_elsewhere(event, &number)) return issue_wait_for_slot(s, event->slot, number);
    if (!event->mark) return CUDA_SUCCESS;
    const sim_work work = {.kind = SIM_WORK_WAIT, .mark = sim_mark_use(event->mark)};
    return sim_issue(s, &work);
}

/* The function is called when the stream's work is done, in whichever thread does it. */
CUresult sim_call_stream_host(CUstream handle, CUhostFn call, void *data) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (!call) return sim_wrong("cuLaunchHostFunc: no function");
    const sim_work work = {.kind = SIM_WORK_CALL, .call = call, .data = data};
    return sim_issue(s, &work);
}

/* The window and the priority hold for later launches in the stream that have none; others are only kept. */
CUresult sim_call_stream_set_attribute(CUstream handle, int attribute, const CUstreamAttrValue *value) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    CUresult allowed = CUDA_SUCCESS;
    switch (attribute) {
    case DRIVER_STREAM_ACCESS_POLICY_WINDOW:
        allowed = sim_check_access_policy("cuStreamSetAttribute", &value->window);
        if (allowed == CUDA_SUCCESS) s->window = value->window;
        return allowed;
    case DRIVER_LAUNCH_PRIORITY: s->priority = sim_clamp_priority(value->number); return CUDA_SUCCESS;
    case DRIVER_LAUNCH_SYNCHRONIZATION:
        if (value->number == 0 || value->number < SYNCHRONIZE_UNSET || value->number > SYNCHRONIZE_BLOCKING) break;
        s->synchronization = *value;
        return CUDA_SUCCESS;
    case DRIVER_LAUNCH_DOMAIN_MAP: s->domain_map = *value; return CUDA_SUCCESS;
    case DRIVER_LAUNCH_DOMAIN: s->domain = *value; return CUDA_SUCCESS;
    default: break;
    }
    return sim_wrong("cuStreamSetAttribute: no such attribute or value");
}

CUresult sim_call_stream_get_attribute(CUstream handle, int attribute, CUstreamAttrValue *value) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    switch (attribute) {
    case DRIVER_STREAM_ACCESS_POLICY_WINDOW: value->window = s->window; return CUDA_SUCCESS;
    case DRIVER_LAUNCH_PRIORITY: value->number = s->priority; return CUDA_SUCCESS;
    case DRIVER_LAUNCH_SYNCHRONIZATION:
        value->number = s->synchronization.number ? s->synchronization.number : SYNCHRONIZE_UNSET;
        return CUDA_SUCCESS;
    case DRIVER_LAUNCH_DOMAIN_MAP: *value = s->domain_map; return CUDA_SUCCESS;
    case DRIVER_LAUNCH_DOMAIN: value->number = s->domain.number; return CUDA_SUCCESS;
    default: return sim_wrong("cuStreamGetAttribute: no such attribute");
    }
}

/* ---- events ---- */

/* An event for several processes gets a slot now, as it cannot get one later. */
CUresult sim_call_event_create(CUevent *event, unsigned flags) {
    SIM_ENTER(c);
    *event = NULL;
    CUevent e = memory_zeroed(1, sizeof *e);
    if (!e) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for an event"));
    e->context = c;
    e->flags = flags;
    if (flags & DRIVER_EVENT_INTERPROCESS && !(e->slot = sim_slot_new())) {
        memory_free(e);
        return sim_result_of(HAUL_ERROR_OUT_OF_MEMORY);
    }
    e->next = c->events;
    c->events = e;
    *event = e;
    return CUDA_SUCCESS;
}

/* Work that has its mark keeps the mark. False if the context has no such event. */
static bool destroy_event(CUcontext c, CUevent event) {
    for (CUevent *link = &c->events; *link; link = &(*link)->next) {
        if (*link != event) continue;
        *link = event->next;
        sim_slot_close(event->slot);
        sim_mark_drop(event->mark);
        sim_tips_free(&event->tips);
        memory_free(event);
        return true;
    }
    return false;
}

static bool has_event(CUcontext c, const struct CUevent_st *event) {
    const struct CUevent_st *e = c->events;
    while (e && e != event) e = e->next;
    return e != NULL;
}

CUresult sim_driver_event_flags(CUevent event, unsigned *flags) {
    SIM_ENTER(c);
    for (unsigned i = 0; i < sim_member_count(c); i++) {
        if (!has_event(sim_member_of(c, i), event)) continue;
        *flags = event->flags;
        return CUDA_SUCCESS;
    }
    (void)sim_wrong("there is no such event");
    return CUDA_INVALID_HANDLE;
}

CUresult sim_call_event_destroy(CUevent event) {
    SIM_ENTER(c);
    for (unsigned i = 0; i < sim_member_count(c); i++)
        if (destroy_event(sim_member_of(c, i), event)) return CUDA_SUCCESS;
    return CUDA_INVALID_HANDLE;
}

/* CUDA_INVALID_HANDLE, with a message. */
static CUresult of_several_devices(const char *what) {
    (void)sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT, "virtual GPU: %s are on different devices", what));
    return CUDA_INVALID_HANDLE;
}

/* The event means this record from now on. If it cannot be issued, other processes must not wait for it. */
CUresult sim_call_event_record(CUevent event, CUstream handle) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (event->context != s->context) return of_several_devices("cuEventRecord: the event and the stream");
    if (s->capture) return sim_capture_record(s, event);
    sim_mark *mark = sim_mark_new(s);
    if (!mark) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for an event"));
    mark->slot = event->slot;
    if (mark->slot) mark->number = atomic_fetch_add(&mark->slot->recorded, 1) + 1;
    const sim_work work = {.kind = SIM_WORK_MARK, .mark = sim_mark_use(mark)};
    const CUresult result = sim_issue(s, &work);
    if (result != CUDA_SUCCESS) {
        if (mark->slot) sim_slot_reach(mark->slot, mark->number);
        sim_mark_drop(mark);
        return result;
    }
    sim_mark_drop(event->mark);
    event->mark = mark;
    event->capture = NULL;
    return CUDA_SUCCESS;
}

/* The program's time becomes that of the record. */
CUresult sim_call_event_synchronize(CUevent event) {
    SIM_ENTER(c);
    uint64_t number;
    if (event->capture) return CUDA_CAPTURED_EVENT;
    if (is_elsewhere(event, &number)) {
        sim_wait_for_slot(event->slot, number);
        return CUDA_SUCCESS;
    }
    if (!event->mark) return CUDA_SUCCESS;
    const CUresult result = sim_work_until(c, event->mark);
    sim_order_host_waited_for(c, event->mark);
    c->clock.now = later(c->clock.now, event->mark->when);
    return result;
}

/* An event that was never recorded has happened. */
haul_status sim_driver_event_time(CUevent event, double *us) {
    CUcontext c;
    *us = 0;
    if (sim_enter(&c) != CUDA_SUCCESS) return haul_fail(HAUL_ERROR_DRIVER, "virtual GPU: no context is current");
    if (!event->mark) return HAUL_OK;
    if (sim_work_until(c, event->mark) != CUDA_SUCCESS) return sim_driver_last_status();
    *us = event->mark->when;
    return HAUL_OK;
}

/* Does one operation on the way to the record. */
CUresult sim_call_event_query(CUevent event) {
    SIM_ENTER(c);
    uint64_t number;
    if (event->capture) return CUDA_CAPTURED_EVENT;
    if (is_elsewhere(event, &number)) return CUDA_NOT_READY;
    if (!event->mark || event->mark->reached) return sim_call_event_synchronize(event);
    const CUresult result = sim_work_step(c, event->mark);
    return result == CUDA_SUCCESS ? CUDA_NOT_READY : result;
}

/* Milliseconds of the simulated clock. */
CUresult sim_call_event_elapsed(float *milliseconds, CUevent start, CUevent end) {
    SIM_ENTER(c);
    if (!start->mark || !end->mark || ((start->flags | end->flags) & DRIVER_EVENT_DISABLE_TIMING))
        return CUDA_INVALID_HANDLE;
    if (start->context != end->context) return of_several_devices("cuEventElapsedTime: the events");
    if (!start->mark->reached || !end->mark->reached) return CUDA_NOT_READY;
    *milliseconds = (float)((end->mark->when - start->mark->when) / 1000);
    return sim_sticky(c);
}

/* At the context's end: nothing is waited for. */
void sim_free_streams(CUcontext c) {
    drop_work(&c->legacy);
    while (c->streams) {
        CUstream s = c->streams;
        c->streams = s->next;
        free_stream(s);
    }
    while (c->events) {
        CUevent e = c->events;
        c->events = e->next;
        sim_mark_drop(e->mark);
        sim_tips_free(&e->tips);
        memory_free(e);
    }
}
