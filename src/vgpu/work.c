/* Does the work of streams: marks, queues, and one operation at a time (work.h).
 *
 * sim_work_advance() is the core: it does the first operation of a stream, after those of other streams that it
 * waits for. An operation has an effect on memory (effect()) and a place on the clock: it begins when its stream's
 * earlier work has ended and an engine is free. After a failure the context is unusable, as in CUDA: effects stop,
 * but marks are still reached. wait.c decides which streams advance while somebody waits, and what happens when a
 * kernel cannot go on.
 *
 * Effects of work on host memory are counted (sim_note_written(), sim_note_effects()). With checks, a copy from
 * pinned memory compares its source with the one at the call; a change without such an effect is the program's. */
#include "vgpu/work.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "vgpu/box_copy.h"
#include "vgpu/internal.h"
#include "vgpu/share.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- marks ---- */

sim_mark *sim_mark_new(CUstream stream) {
    sim_mark *mark = memory_zeroed(1, sizeof *mark);
    if (mark) *mark = (sim_mark){.users = 1, .stream = stream};
    return mark;
}

sim_mark *sim_mark_use(sim_mark *mark) {
    if (mark) mark->users++;
    return mark;
}

void sim_mark_drop(sim_mark *mark) {
    if (!mark || --mark->users) return;
    memory_free(mark->stamp);
    memory_free(mark);
}

/* ---- queues ---- */

void sim_work_release(sim_work *work) {
    sim_order_drop(work);
    sim_running_drop(work->running);
    memory_free(work->parameters);
    memory_free(work->box);
    sim_mark_drop(work->mark);
}

/* The copy is freed when it is done. After a failure, what the work points to is released here. */
CUresult sim_work_add(CUstream stream, const sim_work *work) {
    sim_work *copy = memory_alloc(sizeof *copy);
    if (!copy) {
        sim_work lost = *work;
        sim_work_release(&lost);
        return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a stream's work"));
    }
    *copy = *work;
    copy->next = NULL;
    *stream->last = copy;
    stream->last = &copy->next;
    return CUDA_SUCCESS;
}

static atomic_uint_fast64_t news; /* compared by threads that wait */

void sim_work_note_news(void) {
    news++;
}

uint64_t sim_driver_news(void) {
    return news;
}

/* Frees the stream's first operation. */
static void remove_first(CUstream stream) {
    sim_work *work = stream->first;
    sim_work_note_news();
    stream->first = work->next;
    if (!stream->first) stream->last = &stream->first;
    sim_work_release(work);
    memory_free(work);
}

/* ---- operations ---- */

/* With checks, fails if anything but intermediate work has changed a copy's source since the call. */
static haul_status check_source(CUcontext c, const sim_work *w) {
    const sim_pinned *p = w->source ? sim_find_pinned(c, w->host, w->bytes) : NULL;
    if (sim_order_is_touched(w->ordered)) return HAUL_OK;
    if (!p || p->effect > w->effects || sim_member_of(c, 0)->anywhere > w->effects) return HAUL_OK;
    const uint64_t now = w->box ? sim_box_hash(w->box) : hash_bytes(HASH_START, w->host, w->bytes);
    if (now == w->source) return HAUL_OK;
    return haul_fail(
        HAUL_ERROR_FAULT,
        "copy to the device: its source, %llu bytes of pinned memory from byte %llu on, was changed before "
        "the copy was done; first wait for the stream, or for an event recorded after the copy",
        (unsigned long long)w->bytes, (unsigned long long)((unsigned char *)w->host - p->host));
}

/* Memory may have been freed since the call, so it is looked up again. */
static haul_status copy_in(CUcontext c, const sim_work *w) {
    HAUL_TRY(check_source(c, w));
    void *to = sim_at_to_write(c, w->to, w->bytes);
    if (!to) return HAUL_ERROR_ARGUMENT;
    memmove(to, w->host, w->bytes);
    return HAUL_OK;
}

static haul_status copy_out(CUcontext c, const sim_work *w) {
    const void *from = sim_at(c, w->from, w->bytes);
    if (!from) return HAUL_ERROR_ARGUMENT;
    memmove(w->host, from, w->bytes);
    sim_note_written(c, w->host, w->bytes);
    return HAUL_OK;
}

static haul_status copy_device(CUcontext c, const sim_work *w) {
    const void *from = sim_at(c, w->from, w->bytes);
    void *to = from ? sim_at_to_write(c, w->to, w->bytes) : NULL;
    if (!to) return HAUL_ERROR_ARGUMENT;
    memmove(to, from, w->bytes);
    return HAUL_OK;
}

/* Notes the whole span of rows as written, with the gaps between them. */
static haul_status copy_box(CUcontext c, const sim_work *w) {
    HAUL_TRY(check_source(c, w));
    HAUL_TRY(sim_box_run(c->memory, w->box));
    if (w->box->to.kind == SIM_BOX_HOST) sim_note_written(c, w->host, w->bytes);
    return HAUL_OK;
}

/* The engine that an operation uses, and its time. */
typedef struct work_cost {
    sim_engine engine;
    double us;
    CUcontext from, to;   /* of a copy between two devices, which needs the engines of both; NULL otherwise */
    sim_kernel_load load; /* of a launch */
} work_cost;

/* Sets the cost of a copy within a device or between two. */
static void cost_between(CUcontext c, CUdeviceptr from, CUdeviceptr to, uint64_t bytes, work_cost *cost) {
    const CUcontext source = sim_owner_of(c, from), target = sim_owner_of(c, to);
    cost->us = source == target ? sim_device_copy_us(&c->machine, bytes, bytes) : sim_peer_copy_us(&c->machine, bytes);
    if (source == target) return;
    cost->from = source;
    cost->to = target;
}

static void cost_of_box(CUcontext c, const sim_work *w, work_cost *cost) {
    const sim_machine *m = &c->machine;
    const sim_box_copy *b = w->box;
    const uint64_t bytes = b->width * b->height * b->depth;
    const bool in = b->from.kind == SIM_BOX_HOST, out = b->to.kind == SIM_BOX_HOST;
    if (!in && !out) {
        cost_between(c, sim_box_on_device(&b->from), sim_box_on_device(&b->to), bytes, cost);
        return;
    }
    cost->engine = in ? SIM_ENGINE_IN : SIM_ENGINE_OUT;
    cost->us = w->pageable ? sim_pageable_us(m, bytes) : sim_link_us(m, bytes);
}

/* Elements are little-endian, so their bytes are the first ones of `value`. */
static haul_status fill(CUcontext c, const sim_work *w) {
    unsigned char *to = sim_at_to_write(c, w->to, w->bytes);
    if (!to) return HAUL_ERROR_ARGUMENT;
    if (w->width == 1) {
        memset(to, (int)(w->value & 255), w->bytes);
        return HAUL_OK;
    }
    for (uint64_t at = 0; at < w->bytes; at += w->width) memcpy(to + at, &w->value, w->width);
    return HAUL_OK;
}

/* ---- host functions ---- */

static sim_sharing sharing;
static _Thread_local bool in_host_function; /* such a thread may not call the driver */

const sim_sharing *sim_work_sharing(void) {
    return &sharing;
}

void sim_driver_share(const sim_sharing *how) {
    sharing = how ? *how : (sim_sharing){0};
    if (sharing.begin_run) sim_memory_share_lists();
}

/* Calls a host function. It may wait for another thread that is about to call the driver, so others may enter it. */
static void call_host(CUcontext c, CUstream s) {
    const sim_work *w = s->first;
    s->is_calling = in_host_function = true;
    if (sharing.let_go) sharing.let_go();
    w->call(w->data);
    if (sharing.take_back) sharing.take_back();
    s->is_calling = in_host_function = false;
    sim_note_effects(c);
    sim_order_called(s);
}

CUresult sim_work_may_call(void) {
    if (!in_host_function || !sharing.let_go) return CUDA_SUCCESS;
    (void)haul_fail(HAUL_ERROR_DRIVER, "a host function that a stream calls may not call the driver");
    return CUDA_NOT_PERMITTED;
}

/* Polls, since another process reaches the record. In a host function the lock is released already. */
void sim_wait_for_slot(sim_slot *slot, uint64_t number) {
    while (!sim_slot_is_reached(slot, number)) {
        if (sharing.let_go && !in_host_function) sharing.let_go();
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        if (sharing.take_back && !in_host_function) sharing.take_back();
    }
}

/* Another thread is in the stream's host function; there is another only if threads share the driver. */
static void wait_for_call(CUstream s) {
    while (s->is_calling) {
        sharing.let_go();
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        sharing.take_back();
    }
}

/* ---- kernels beside calls of other threads ---- */

static unsigned runs; /* kernels that are running so, on all devices */

bool sim_work_begin_run(CUstream s) {
    s->is_running = s->context->is_running = true;
    runs++;
    if (sharing.begin_run && sharing.begin_run()) return true;
    runs--;
    s->is_running = s->context->is_running = false;
    return false;
}

void sim_work_end_run(CUstream s) {
    sharing.end_run();
    runs--;
    s->is_running = s->context->is_running = false;
}

/* Whether the stream's first operation has to wait for a kernel: the one that it is, another one of the device, or,
 * if it changes memory or modules, any. */
static bool waits_for_run(CUstream s) {
    if (!runs || !s->first) return false;
    switch (s->first->kind) {
    case SIM_WORK_LAUNCH: return s->context->is_running;
    case SIM_WORK_FREE:
    case SIM_WORK_CONDITION: return true;
    default: return s->is_running;
    }
}

/* ---- one operation ---- */

/* Finds the operation's span on the clock: kernels share the SMs, other work has an engine of its own. */
static haul_status place(sim_clock *clock, const work_cost *cost, double ready, sim_span *span) {
    if (cost->from) return sim_clock_place_between(&cost->from->clock, &cost->to->clock, ready, cost->us, span);
    if (cost->engine == SIM_ENGINE_SMS) return sim_clock_place_kernel(clock, &cost->load, ready, cost->us, span);
    return sim_clock_place(clock, cost->engine, ready, cost->us, span);
}

/* Performs a stream's first operation and sets its cost. A launch that pauses leaves w->running set, and no cost. */
static haul_status effect(CUcontext c, CUstream s, work_cost *cost) {
    sim_work *w = s->first;
    const bool may_pause = (sharing.let_go || sim_member_count(c) > 1) && !w->ends_now;
    const sim_machine *m = &c->machine;
    *cost = (work_cost){.engine = SIM_ENGINE_DEVICE};
    switch (w->kind) {
    case SIM_WORK_COPY_IN:
        cost->engine = SIM_ENGINE_IN;
        cost->us = w->pageable ? sim_pageable_us(m, w->bytes) : sim_link_us(m, w->bytes);
        return copy_in(c, w);
    case SIM_WORK_COPY_OUT:
        cost->engine = SIM_ENGINE_OUT;
        cost->us = w->pageable ? sim_pageable_us(m, w->bytes) : sim_link_us(m, w->bytes);
        return copy_out(c, w);
    case SIM_WORK_COPY_DEVICE: cost_between(c, w->from, w->to, w->bytes, cost); return copy_device(c, w);
    case SIM_WORK_COPY_BOX: cost_of_box(c, w, cost); return copy_box(c, w);
    case SIM_WORK_FILL: cost->us = sim_device_copy_us(m, 0, w->bytes); return fill(c, w);
    case SIM_WORK_LAUNCH: cost->engine = SIM_ENGINE_SMS; return sim_run_launch(s, w, may_pause, &cost->us, &cost->load);
    case SIM_WORK_CALL: call_host(c, s); return HAUL_OK;
    case SIM_WORK_FREE: sim_pool_return(c, w->from); return HAUL_OK;
    case SIM_WORK_WRITE: return sim_value_write(c, w);
    case SIM_WORK_FORGET: sim_memory_forget_written(c->memory, w->from, w->bytes); return HAUL_OK;
    default: return HAUL_OK;
    }
}

static _Thread_local CUcontext failed_last; /* for sim_driver_failed_device() */

CUdevice sim_driver_failed_device(void) {
    return failed_last ? failed_last->device : -1;
}

/* Keeps the failure and its message for all later calls. */
static void fail(CUcontext c, haul_status status) {
    c->failed = status;
    snprintf(c->why, sizeof c->why, "%s", haul_message());
}

static _Thread_local bool is_working; /* a condition is being evaluated, which may ask for records of its kernels */

bool sim_driver_is_working(void) {
    return is_working;
}

/* The node's work is replaced by that of the chosen graph; after a failure it is removed. */
static bool do_condition(CUstream s) {
    is_working = true;
    const haul_status status = sim_condition_do(s);
    is_working = false;
    sim_work_note_news();
    if (status == HAUL_OK) return true;
    fail(s->context, status);
    remove_first(s);
    return true;
}

/* Returns whether the stream can go on: the value is there, or the wait has failed. */
static bool do_await(CUstream s) {
    bool is_there;
    const haul_status status = sim_value_await(s->context, s->first, &is_there);
    if (status != HAUL_OK) fail(s->context, status);
    return is_there || status != HAUL_OK;
}

static sim_note_placed *note_placed;

void sim_driver_on_placed(sim_note_placed *note) {
    note_placed = note;
}

/* Tells when the operation was on its engine. */
static void tell_placed(CUstream s, const sim_work *w, const work_cost *cost, const sim_span *span) {
    static const char *const names[SIM_ENGINE_COUNT] = {
        [SIM_ENGINE_IN] = "copy to device", [SIM_ENGINE_OUT] = "copy to host", [SIM_ENGINE_DEVICE] = "copy on device"};
    const bool launch = w->kind == SIM_WORK_LAUNCH;
    note_placed(&(sim_placed){.device = s->context->device,
                              .stream = s->number,
                              .name = launch                     ? sim_driver_function_name(w->function)
                                      : w->kind == SIM_WORK_FILL ? "fill"
                                                                 : names[cost->engine],
                              .run = launch ? w->run : NULL,
                              .bytes = launch ? 0 : w->bytes,
                              .from = span->from,
                              .to = span->to});
}

/* Does the stream's first operation; returns false if it has paused. After a failure, other operations have no effect.
 * But marks are still reached, so that nobody waits forever, and memory is still freed. */
static bool do_first(CUstream s) {
    CUcontext c = s->context;
    const sim_work *w = s->first;
    if (w->kind == SIM_WORK_CONDITION && c->failed == HAUL_OK) return do_condition(s);
    const bool marks = w->kind == SIM_WORK_MARK || w->kind == SIM_WORK_WAIT || w->kind == SIM_WORK_FREE;
    if (w->kind == SIM_WORK_AWAIT && c->failed == HAUL_OK && !do_await(s)) return false;
    double ready = s->end > w->issued ? s->end : w->issued;
    if (w->kind == SIM_WORK_WAIT && w->mark->when > ready) ready = w->mark->when;
    if (c->failed == HAUL_OK || marks) {
        work_cost cost;
        haul_status status = effect(c, s, &cost);
        if (status == HAUL_OK) sim_order_work(s, s->first);
        if (w->running) return false;
        sim_span span = {ready, ready};
        if (status == HAUL_OK && cost.us > 0) status = place(&c->clock, &cost, ready, &span);
        if (status == HAUL_OK && span.to > span.from && note_placed) tell_placed(s, w, &cost, &span);
        if (status != HAUL_OK) fail(c, status);
        s->end = span.to;
    }
    if (w->kind == SIM_WORK_MARK) {
        w->mark->reached = true;
        w->mark->when = s->end;
        if (w->mark->slot) sim_slot_reach(w->mark->slot, w->mark->number);
    }
    remove_first(s);
    return true;
}

/* Recursion ends, since streams wait for marks that were issued before; it enters each stream at most once. Returns
 * false if a kernel has paused. */
bool sim_work_advance(CUstream s) {
    while (s->first && s->first->kind == SIM_WORK_WAIT && !s->first->mark->reached)
        if (!sim_work_advance(s->first->mark->stream)) return false;
    if (s->is_calling)
        wait_for_call(s);
    else if (waits_for_run(s))
        sharing.await_run();
    else if (s->first)
        return do_first(s);
    return true;
}

/* Returns whether a polling thread must leave the stream alone: it may be the one that the host function waits for. */
static bool is_left_to_others(CUstream s) {
    while (s->first && s->first->kind == SIM_WORK_WAIT && !s->first->mark->reached) s = s->first->mark->stream;
    return s->is_calling || waits_for_run(s) || (sharing.let_go && s->first && s->first->kind == SIM_WORK_CALL);
}

/* Polling calls (queries) do only this much, so that a program that polls sees intermediate states. */
CUresult sim_work_step(CUcontext c, sim_mark *mark) {
    if (mark->reached) return sim_sticky(c);
    c = mark->stream->context;
    if (!is_left_to_others(mark->stream)) (void)sim_work_advance(mark->stream);
    return sim_sticky(c);
}

/* Repeats the failure with its message, and makes it the thread's last one. */
CUresult sim_sticky(CUcontext c) {
    if (c->failed == HAUL_OK) return CUDA_SUCCESS;
    failed_last = c;
    if (sim_current()) sim_current()->cause = c->cause;
    return sim_result_of(haul_fail(c->failed, "%s", c->why));
}
