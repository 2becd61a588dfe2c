#include "time/clock.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/status.h"
#include "time/estimate.h"

#include <math.h>
#include <string.h>

/* An estimate: the time that a copy engine takes before a transfer's first byte. Calls cost the program no time. */
static const double COPY_START_US = 1.5;

void sim_clock_free(sim_clock *clock) {
    for (int e = 0; e < SIM_ENGINE_COUNT; e++) memory_free(clock->busy[e].spans);
    memory_free(clock->kernels.spans);
}

/* The first span that ends after `time`. */
static size_t first_after(const sim_busy *b, double time) {
    size_t at;
    SEARCH_FIRST(at, b->count, k, b->spans[k].to <= time);
    return at;
}

/* The share of its rate that a transfer has while the other direction is busy. It is set so that back-to-back transfers
 * in both directions together reach the machine's rate for both. */
static double shared_rate(const sim_machine *m) {
    if (m->host_link_both_gbps >= 2 * m->host_link_gbps) return 1;
    return 2 * (m->host_link_both_gbps - m->host_link_gbps) / m->host_link_both_gbps;
}

/* The same beside a neighbouring device's transfers in the same direction. */
static double pair_rate(const sim_machine *m) {
    if (m->host_pair_gbps >= 2 * m->host_link_gbps) return 1;
    return 2 * (m->host_pair_gbps - m->host_link_gbps) / m->host_pair_gbps;
}

/* What slows a transfer down while it is busy, and the rate that it leaves. */
typedef struct rival {
    const sim_busy *busy;
    double rate;
} rival;

/* The rate at a time, and until when it lasts. */
static double rate_at(const rival *rivals, size_t count, double at, double *until) {
    double rate = 1;
    *until = INFINITY;
    for (size_t k = 0; k < count; k++) {
        const size_t next = first_after(rivals[k].busy, at);
        if (next == rivals[k].busy->count) continue;
        const sim_span span = rivals[k].busy->spans[next];
        if (span.from <= at) rate = fmin(rate, rivals[k].rate);
        *until = fmin(*until, span.from <= at ? span.to : span.from);
    }
    return rate;
}

/* Returns when a transfer that starts at `from` ends. */
static double end_of_transfer(const sim_clock *c, sim_engine engine, double from, double us) {
    const sim_engine opposite = engine == SIM_ENGINE_IN ? SIM_ENGINE_OUT : SIM_ENGINE_IN;
    rival rivals[2] = {{&c->busy[opposite], shared_rate(c->machine)}};
    double at = from, until;
    if (c->neighbour) rivals[1] = (rival){&c->neighbour->busy[engine], pair_rate(c->machine)};
    for (;;) {
        const double rate = rate_at(rivals, c->neighbour ? 2 : 1, at, &until);
        if (us <= (until - at) * rate) return at + us / rate;
        us -= (until - at) * rate;
        at = until;
    }
}

static double end_of(const sim_clock *c, sim_engine engine, double from, double us) {
    return engine == SIM_ENGINE_IN || engine == SIM_ENGINE_OUT ? end_of_transfer(c, engine, from, us) : from + us;
}

static haul_status make_room(sim_busy *b) {
    sim_span *spans = memory_grow(b->spans, b->count, &b->capacity, sizeof *spans);
    if (!spans) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for its clock");
    b->spans = spans;
    return HAUL_OK;
}

/* Merges spans that touch, so that a busy engine's list stays short. */
static haul_status insert(sim_busy *b, size_t at, sim_span span) {
    const bool before = at > 0 && b->spans[at - 1].to >= span.from;
    const bool behind = at < b->count && b->spans[at].from <= span.to;
    if (before && behind) {
        b->spans[at - 1].to = b->spans[at].to;
        b->count--;
        memmove(b->spans + at, b->spans + at + 1, (b->count - at) * sizeof *b->spans);
    } else if (before) {
        b->spans[at - 1].to = span.to;
    } else if (behind) {
        b->spans[at].from = span.from;
    } else {
        HAUL_TRY(make_room(b));
        memmove(b->spans + at + 1, b->spans + at, (b->count - at) * sizeof *b->spans);
        b->spans[at] = span;
        b->count++;
    }
    return HAUL_OK;
}

/* Finds the first gap at `ready` or later. Returns the index of the span after it. */
static size_t find_gap(const sim_clock *c, sim_engine engine, double ready, double us, sim_span *gap) {
    const sim_busy *b = &c->busy[engine];
    size_t at = first_after(b, ready);
    *gap = (sim_span){ready, end_of(c, engine, ready, us)};
    for (; at < b->count && gap->to > b->spans[at].from; at++) {
        gap->from = fmax(gap->from, b->spans[at].to);
        gap->to = end_of(c, engine, gap->from, us);
    }
    return at;
}

haul_status sim_clock_place(sim_clock *c, sim_engine engine, double ready, double us, sim_span *placed) {
    const size_t at = find_gap(c, engine, ready, us, placed);
    return placed->to > placed->from ? insert(&c->busy[engine], at, *placed) : HAUL_OK;
}

/* The slower of the two engines decides. */
haul_status sim_clock_place_between(sim_clock *from, sim_clock *to, double ready, double us, sim_span *placed) {
    const bool linked = from->machine->nvlinks && to->machine->nvlinks;
    const sim_engine out = linked ? SIM_ENGINE_LINKS_OUT : SIM_ENGINE_OUT;
    const sim_engine in = linked ? SIM_ENGINE_LINKS_IN : SIM_ENGINE_IN;
    sim_span sent = {ready, ready}, received = {ready - 1, ready};
    while (received.from != sent.from) {
        (void)find_gap(from, out, fmax(ready, received.from), us, &sent);
        (void)find_gap(to, in, sent.from, us, &received);
    }
    *placed = (sim_span){sent.from, fmax(sent.to, received.to)};
    HAUL_TRY(sim_clock_place(from, out, sent.from, us, &sent));
    return sim_clock_place(to, in, received.from, us, &received);
}

double sim_link_us(const sim_machine *m, uint64_t bytes) {
    return COPY_START_US + (double)bytes / (m->host_link_gbps * 1e3);
}

double sim_pageable_us(const sim_machine *m, uint64_t bytes) {
    return COPY_START_US + (double)bytes / (m->pageable_gbps * 1e3);
}

double sim_peer_copy_us(const sim_machine *m, uint64_t bytes) {
    const double gbps = m->peer_gbps > 0 ? m->peer_gbps : m->host_link_gbps;
    return COPY_START_US + (double)bytes / (gbps * 1e3);
}

double sim_device_copy_us(const sim_machine *m, uint64_t read, uint64_t written) {
    return COPY_START_US + (double)(read + written) / (m->memory_gbps * sim_dram_sustained * 1e3);
}
