/* Collects events and tracks, and writes them as trace events: complete events (X) for work, blocks and parts, counter
 * events (C) for states of warps, metadata (M) for the names of tracks. A process is a device's streams, or a launch; a
 * thread of it is a stream, or a place for a block on an SM. */
#include "report/trace/trace.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "report/profile/profile.h"
#include "report/trace/parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 4096, MOST_EVENTS = 200000, FIRST_LAUNCH = 1000, SLOTS = 64 };

typedef struct event {
    char phase; /* 'X' or 'C' */
    unsigned process, thread;
    double from, to;
    const char *name, *arguments; /* arguments: members of a JSON object, or "" */
    size_t number;                /* in the order of adding */
} event;

/* A name of a process, or of one of its threads if `thread` is not 0. */
typedef struct track {
    unsigned process, thread;
    const char *name;
} track;

typedef struct track_list {
    track *items;
    size_t count, capacity;
} track_list;

struct report_trace {
    arena memory;
    jmp_buf no_memory;
    bool failed;
    event *events;
    size_t event_count, event_capacity;
    track_list streams, places;
    unsigned launches;       /* with tracks of their own */
    uint64_t omitted_blocks; /* beyond the limits */
};

report_trace *report_trace_new(void) {
    report_trace *t = memory_zeroed(1, sizeof *t);
    if (t) arena_init(&t->memory, &t->no_memory);
    return t;
}

void report_trace_free(report_trace *t) {
    if (!t) return;
    arena_free(&t->memory);
    memory_free(t);
}

/* ---- collecting; all of it may jump to no_memory ---- */

static void add_event(report_trace *t, event e) {
    e.number = t->event_count;
    ARENA_PUSH(&t->memory, t->events, t->event_count, t->event_capacity, e);
}

static void add_track(report_trace *t, track_list *list, unsigned process, unsigned thread, const char *name) {
    const track named = {process, thread, name};
    ARENA_PUSH(&t->memory, list->items, list->count, list->capacity, named);
}

static bool has_track(const track_list *list, unsigned process, unsigned thread) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].process == process && list->items[i].thread == thread) return true;
    return false;
}

static void add_to_stream(report_trace *t, const report_trace_span *s, const char *name, const char *arguments) {
    const unsigned process = s->device + 1, thread = (unsigned)s->stream + 1;
    if (!has_track(&t->streams, process, 0))
        add_track(t, &t->streams, process, 0, arena_printf(&t->memory, "Streams of device %u", s->device));
    if (!has_track(&t->streams, process, thread))
        add_track(t, &t->streams, process, thread,
                  s->stream ? arena_printf(&t->memory, "stream %llu", (unsigned long long)s->stream)
                            : "default stream");
    add_event(t, (event){'X', process, thread, s->from, s->to, name, arguments, 0});
}

/* A launch's places for blocks, and the time of a block. */
typedef struct waves {
    unsigned process;
    uint32_t sms, per_sm;
    double from, us;
} waves;

/* The kernel's own time is at the end of the span: before it, the launch has its overhead. */
static waves waves_of(const haul_launch_record *r, const sim_machine *m, const report_trace_span *s) {
    const uint32_t per_sm = r->occupancy.blocks_per_sm ? r->occupancy.blocks_per_sm : 1;
    const double own = fmin(s->to - s->from, r->estimate.cycles / r->estimate.sm_mhz);
    const uint64_t count = (report_blocks(r) + (uint64_t)per_sm * m->sms - 1) / ((uint64_t)per_sm * m->sms);
    return (waves){.sms = m->sms, .per_sm = per_sm, .from = s->to - own, .us = own / (double)count};
}

/* The parts fill the block's time in the order of the code. */
static void add_parts(report_trace *t, const waves *w, unsigned thread, double from, const report_part *parts,
                      size_t count) {
    double at = 0;
    for (size_t i = 0; i < count; i++) {
        const double to = at + parts[i].share;
        add_event(
            t,
            (event){
                .phase = 'X', w->process, thread, from + at * w->us, from + fmin(to, 1) * w->us, parts[i].name, "", 0});
        at = to;
    }
}

static void add_block(report_trace *t, const waves *w, const haul_launch_record *r, uint64_t block,
                      const report_part *parts, size_t count) {
    const uint32_t sm = (uint32_t)(block % w->sms), slot = (uint32_t)(block / w->sms % w->per_sm);
    const double from = w->from + w->us * (double)(block / ((uint64_t)w->sms * w->per_sm));
    const unsigned thread = sm * SLOTS + slot + 1;
    const uint64_t x = block % r->grid[0], y = block / r->grid[0] % r->grid[1], z = block / r->grid[0] / r->grid[1];
    if (block < (uint64_t)w->sms * w->per_sm)
        add_track(t, &t->places, w->process, thread, arena_printf(&t->memory, "SM %u, place %u", sm, slot));
    add_event(t, (event){'X', w->process, thread, from, from + w->us,
                         arena_printf(&t->memory, "block (%llu,%llu,%llu)", (unsigned long long)x,
                                      (unsigned long long)y, (unsigned long long)z),
                         "", 0});
    if (sm == 0) add_parts(t, w, thread, from, parts, count);
}

/* Members of an object: warps of an SM by state, or all of them 0. */
static const char *states_of(report_trace *t, const haul_estimate *e, double sum, bool none) {
    const char *all = "";
    for (int k = 0; k < HAUL_STALL_COUNT; k++) {
        const long thousandths = none ? 0 : lround(1e3 * e->warps_per_sm * e->stalls[k] / sum);
        all = arena_printf(&t->memory, "%s%s\"%s\":%ld.%03ld", all, k ? "," : "", haul_stalls[k].title,
                           thousandths / 1000, thousandths % 1000);
    }
    return all;
}

/* The states hold from the launch's beginning to its end. */
static void add_states(report_trace *t, const waves *w, const haul_estimate *e, double to) {
    static const char name[] = "warps an SM, by state";
    double sum = 0;
    for (int k = 0; k < HAUL_STALL_COUNT; k++) sum += e->stalls[k];
    if (sum <= 0) return;
    add_event(t, (event){'C', w->process, 0, w->from, w->from, name, states_of(t, e, sum, false), 0});
    add_event(t, (event){'C', w->process, 0, to, to, name, states_of(t, e, sum, true), 0});
}

static void add_blocks(report_trace *t, const report_trace_span *s, const char *name, const haul_launch_record *r,
                       const sim_machine *m) {
    const uint64_t blocks = report_blocks(r), shown = blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
    size_t count = 0;
    if (t->event_count >= MOST_EVENTS || !blocks) {
        t->omitted_blocks += blocks;
        return;
    }
    waves w = waves_of(r, m, s);
    w.process = FIRST_LAUNCH + t->launches;
    add_track(t, &t->places, w.process, 0, arena_printf(&t->memory, "Launch %u: %s", t->launches, name));
    t->launches++;
    const report_part *parts = report_find_parts(r, &t->memory, &count);
    add_states(t, &w, &r->estimate, s->to);
    for (uint64_t block = 0; block < shown; block++) add_block(t, &w, r, block, parts, count);
    t->omitted_blocks += blocks - shown;
}

/* ---- from outside ---- */

/* setjmp() is where a collecting function returns to if there is no memory. */
void report_trace_add_work(report_trace *t, const report_trace_span *s, const char *name, uint64_t bytes) {
    if (setjmp(t->no_memory)) {
        t->failed = true;
        return;
    }
    add_to_stream(t, s, arena_copy(&t->memory, name, strlen(name)),
                  bytes ? arena_printf(&t->memory, "\"bytes\":%llu", (unsigned long long)bytes) : "");
}

void report_trace_add_launch(report_trace *t, const report_trace_span *s, const char *name, const haul_launch_record *r,
                             const sim_machine *m) {
    if (setjmp(t->no_memory)) {
        t->failed = true;
        return;
    }
    const char *kept = arena_copy(&t->memory, name, strlen(name));
    add_to_stream(t, s, kept,
                  arena_printf(&t->memory,
                               "\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"blocks_per_sm\":%u,\"counted\":true",
                               r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2],
                               r->occupancy.blocks_per_sm));
    if (m && r->estimate.cycles > 0) add_blocks(t, s, kept, r, m);
}

/* ---- writing ---- */

static void put_string(text *out, const char *s) {
    text_put(out, "\"");
    for (; *s; s++) {
        if ((unsigned char)*s < ' ') continue;
        if (*s == '"' || *s == '\\') text_put(out, "\\");
        text_append(out, s, 1);
    }
    text_put(out, "\"");
}

/* Microseconds in nanoseconds, with a point in every locale. */
static void put_us(text *out, const char *key, double us) {
    const long long ns = llround(fmax(0, us) * 1e3);
    text_printf(out, ",\"%s\":%lld.%03lld", key, ns / 1000, ns % 1000);
}

/* If events begin together, the longest one comes first: it contains the others. */
static int by_time(const void *a, const void *b) {
    const event *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to > y->to ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static void put_track(const track *t, text *out) {
    const char *kind = t->thread ? "thread" : "process";
    text_printf(out, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_name\",\"args\":{\"name\":", t->process,
                t->thread, kind);
    put_string(out, t->name);
    text_printf(out,
                "}},\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%u}}",
                t->process, t->thread, kind, t->thread ? t->thread : t->process);
}

/* The end is rounded like a beginning, so that neighbours neither overlap nor leave a gap. */
static void put_event(text *out, const event *e) {
    text_printf(out, ",\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"name\":", e->phase, e->process, e->thread);
    put_string(out, e->name);
    put_us(out, "ts", e->from);
    if (e->phase == 'X') put_us(out, "dur", (double)(llround(e->to * 1e3) - llround(e->from * 1e3)) / 1e3);
    text_printf(out, ",\"args\":{%s}}", e->arguments);
}

haul_status report_trace_put(report_trace *t, text *out) {
    text_printf(out,
                "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"stamp\":\"simulated\",\"version\":\"haul %s\","
                "\"omitted_blocks\":%llu},\"traceEvents\":[",
                HAUL_VERSION, (unsigned long long)t->omitted_blocks);
    text_put(out, "\n{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"haul\"}}");
    for (size_t i = 0; i < t->streams.count; i++) put_track(&t->streams.items[i], out);
    for (size_t i = 0; i < t->places.count; i++) put_track(&t->places.items[i], out);
    if (t->event_count) qsort(t->events, t->event_count, sizeof *t->events, by_time);
    for (size_t i = 0; i < t->event_count; i++) put_event(out, &t->events[i]);
    text_put(out, "\n]}\n");
    return t->failed || out->failed ? haul_no_memory("the trace") : HAUL_OK;
}
