/* Concurrent kernels: what each uses of the SMs and of memory, and its rate beside others. */
#include "base/memory.h"
#include "base/search.h"
#include "base/status.h"
#include "time/clock.h"

#include <math.h>
#include <string.h>

/* A kernel slower than this counts as waiting. */
static const double LEAST_RATE = 0.02;
static const double NOTHING = 1e-6;

static size_t first_after(const sim_usage *u, double time) {
    size_t at;
    SEARCH_FIRST(at, u->count, k, u->spans[k].to <= time);
    return at;
}

/* The rate that the SMs allow. A kernel with several waves puts later blocks on any SM with room. A kernel that fits
 * all at once stays where it is; if it shares SMs, its slowest block decides. */
static double sm_rate(const sim_kernel_load *k, const sim_used *used) {
    if (k->waves) return fmax(0, 1 - used->busy) / fmax(NOTHING, k->sms * k->issue);
    if (k->sms + used->sms <= 1 + NOTHING) return 1;
    return fmax(0, 1 - used->issue) / fmax(NOTHING, k->issue);
}

/* A kernel's rate relative to running alone. Kernels placed earlier keep all that they use. */
static double rate_of(const sim_kernel_load *k, const sim_used *used) {
    const double slots = (1 - used->slots) / k->slots, memory = (1 - used->memory) / fmax(NOTHING, k->memory);
    if (1 - used->slots <= NOTHING) return 0;
    return fmax(0, fmin(fmin(1, slots), fmin(memory, sm_rate(k, used))));
}

static haul_status make_room(sim_usage *u, size_t more) {
    if (u->count + more <= u->capacity) return HAUL_OK;
    const size_t capacity = 2 * (u->count + more) + 64;
    sim_used *spans = memory_resize(u->spans, capacity * sizeof *spans);
    if (!spans) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for its clock");
    u->spans = spans;
    u->capacity = capacity;
    return HAUL_OK;
}

static void insert(sim_usage *u, size_t at, sim_used span) {
    memmove(u->spans + at + 1, u->spans + at, (u->count - at) * sizeof *u->spans);
    u->spans[at] = span;
    u->count++;
}

static bool is_full(const sim_used *used) {
    return used->slots >= 1 - NOTHING;
}

/* Merges adjacent full spans: no other kernel fits there, so their usage does not matter and the list stays short. */
static void join_full(sim_usage *u, size_t at) {
    if (at + 1 >= u->count || !is_full(&u->spans[at]) || !is_full(&u->spans[at + 1])) return;
    if (u->spans[at].to < u->spans[at + 1].from) return;
    u->spans[at].to = u->spans[at + 1].to;
    u->count--;
    memmove(u->spans + at + 1, u->spans + at + 2, (u->count - at - 1) * sizeof *u->spans);
}

/* Adds a kernel's usage to a span, which lies within an existing one or in a gap. */
static haul_status take(sim_usage *u, const sim_kernel_load *k, double from, double to, double rate) {
    HAUL_TRY(make_room(u, 2));
    size_t at = first_after(u, from);
    sim_used now = {.from = from, .to = to};
    if (at < u->count && u->spans[at].from <= from) {
        now = u->spans[at];
        if (now.from < from) {
            insert(u, at, now);
            u->spans[at++].to = from;
        }
        if (now.to > to) {
            insert(u, at + 1, now);
            u->spans[at + 1].from = to;
        }
        now.from = from;
        now.to = to;
    } else {
        insert(u, at, now);
    }
    now.slots += k->slots;
    now.sms += k->sms;
    now.issue += k->issue * rate;
    now.busy += k->sms * k->issue * rate;
    now.memory += k->memory * rate;
    u->spans[at] = now;
    join_full(u, at);
    if (at) join_full(u, at - 1);
    return HAUL_OK;
}

/* The usage at a time, and when it ends. */
static sim_used used_at(const sim_usage *u, double time) {
    const size_t at = first_after(u, time);
    if (at == u->count) return (sim_used){.from = time, .to = INFINITY};
    if (u->spans[at].from > time) return (sim_used){.from = time, .to = u->spans[at].from};
    return u->spans[at];
}

haul_status sim_clock_place_kernel(sim_clock *c, const sim_kernel_load *k, double ready, double us, sim_span *placed) {
    double at = ready, left = us;
    bool started = false;
    *placed = (sim_span){ready, ready};
    while (left > 0) {
        const sim_used used = used_at(&c->kernels, at);
        const double rate = rate_of(k, &used), end = fmin(used.to, rate > 0 ? at + left / rate : INFINITY);
        if (!started && rate < LEAST_RATE) {
            at = used.to;
            continue;
        }
        if (!started) placed->from = at;
        started = true;
        HAUL_TRY(take(&c->kernels, k, at, end, rate));
        left = end < used.to ? 0 : left - (end - at) * rate;
        at = end;
    }
    placed->to = at;
    return HAUL_OK;
}
