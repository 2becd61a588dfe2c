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

/* Returns when a transfer that starts at `from` ends. */
static double end_of_transfer(const sim_clock *c, const sim_busy *other, double from, double us) {
    const double rate = shared_rate(c->machine);
    double at = from;
    for (size_t i = first_after(other, from); i < other->count && us > 0; i++) {
        const double alone = fmax(0, other->spans[i].from - at);
        if (us <= alone) break;
        us -= alone;
        at += alone;
        const double together = other->spans[i].to - at;
        if (us <= together * rate) return at + us / rate;
        us -= together * rate;
        at += together;
    }
    return at + us;
}

static double end_of(const sim_clock *c, sim_engine engine, double from, double us) {
    if (engine == SIM_ENGINE_IN) return end_of_transfer(c, &c->busy[SIM_ENGINE_OUT], from, us);
    if (engine == SIM_ENGINE_OUT) return end_of_transfer(c, &c->busy[SIM_ENGINE_IN], from, us);
    return from + us;
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

haul_status sim_clock_place(sim_clock *c, sim_engine engine, double ready, double us, sim_span *placed) {
    sim_busy *b = &c->busy[engine];
    size_t at = first_after(b, ready);
    double from = ready, to = end_of(c, engine, from, us);
    for (; at < b->count && to > b->spans[at].from; at++) {
        from = b->spans[at].to > from ? b->spans[at].to : from;
        to = end_of(c, engine, from, us);
    }
    *placed = (sim_span){from, to};
    return to > from ? insert(b, at, *placed) : HAUL_OK;
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
