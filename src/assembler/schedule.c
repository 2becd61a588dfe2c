/* List scheduling. Of the instructions that can be issued, the one with the longest path behind it goes first. If none
 * can, the warp waits for the one that is ready first.
 *
 * Intervals and latencies are read off the stall counts of 96,000 instructions that ptxas 13.0 made for sm_90: an
 * instruction that follows another one of the same port waits for the port, and one that needs a result for the
 * result. */
#include "assembler/schedule.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    WINDOW = 48, /* instructions that ptxas looks ahead, about: it would run out of registers */
    LEAST_AFTER_SCOREBOARD = 2,
    FAR_LATENCY = 300 /* that ptxas tries to hide */
};

typedef struct edge {
    uint32_t from;
    float more;
    bool order; /* not a result */
} edge;

/* An instruction and the edges that lead to it. */
typedef struct node {
    sim_step step;
    uint32_t first_edge, edge_count;
    uint32_t first_use, use_count; /* into `uses` */
    uint32_t open;                 /* producers that are not issued */
    float height;                  /* of the longest path behind it */
    float issue;                   /* when it was issued */
} node;

struct sim_schedule {
    arena *memory;
    node *nodes;
    size_t count, capacity, issued;
    edge *edges;
    size_t edge_count, edge_capacity;
    uint32_t *uses;
    size_t use_capacity;
    uint32_t *ready;
    size_t ready_count, ready_capacity;
    float clock, free[SIM_PORTS];
};

sim_schedule *sim_schedule_new(arena *memory) {
    sim_schedule *s = ARENA_NEW(memory, sim_schedule);
    s->memory = memory;
    return s;
}

void sim_schedule_clear(sim_schedule *s) {
    s->count = s->issued = s->edge_count = 0;
    s->clock = 0;
    memset(s->free, 0, sizeof s->free);
}

uint32_t sim_schedule_add(sim_schedule *s, const sim_step *step) {
    const node added = {.step = *step, .first_edge = (uint32_t)s->edge_count};
    ARENA_PUSH(s->memory, s->nodes, s->count, s->capacity, added);
    return (uint32_t)s->count - 1;
}

static void add_edge(sim_schedule *s, edge e) {
    ARENA_PUSH(s->memory, s->edges, s->edge_count, s->edge_capacity, e);
    s->nodes[s->count - 1].edge_count++;
}

void sim_schedule_need(sim_schedule *s, uint32_t producer, float more) {
    add_edge(s, (edge){producer, more, false});
}

void sim_schedule_follow(sim_schedule *s, uint32_t other) {
    add_edge(s, (edge){other, 1, true});
}

/* Cycles from the issue of the edge's producer to that of its user. */
static float length_of(const sim_schedule *s, const edge *e) {
    const sim_step *p = &s->nodes[e->from].step;
    return e->order ? e->more : (p->result == SIM_RESULT_FAR ? FAR_LATENCY : p->latency + e->more);
}

/* Lists the users of each instruction that is not issued, and finds the paths behind them. */
static void find_uses(sim_schedule *s) {
    size_t sum = 0;
    if (s->use_capacity < s->edge_count) {
        s->use_capacity = 2 * s->edge_count;
        s->uses = ARENA_ARRAY(s->memory, s->use_capacity, uint32_t);
    }
    for (size_t k = s->issued; k < s->count; k++)
        for (uint32_t i = 0; i < s->nodes[k].edge_count; i++) {
            const uint32_t from = s->edges[s->nodes[k].first_edge + i].from;
            s->nodes[from].use_count += from >= s->issued;
        }
    for (size_t k = s->issued; k < s->count; k++) {
        s->nodes[k].first_use = (uint32_t)sum;
        sum += s->nodes[k].use_count;
        s->nodes[k].use_count = 0;
    }
    for (size_t k = s->count; k-- > s->issued;)
        for (uint32_t i = 0; i < s->nodes[k].edge_count; i++) {
            const edge *e = &s->edges[s->nodes[k].first_edge + i];
            if (e->from < s->issued) continue;
            node *p = &s->nodes[e->from];
            s->uses[p->first_use + p->use_count++] = (uint32_t)k;
            s->nodes[k].open++;
            p->height = fmaxf(p->height, s->nodes[k].height + length_of(s, e));
        }
}

/* When an instruction can be issued: by stall counts alone, with units of the SM, and with memory. */
typedef struct moment {
    float fixed, near, all;
} moment;

static moment moment_of(const sim_schedule *s, const node *n) {
    moment m = {.fixed = fmaxf(s->clock, s->free[n->step.port])};
    m.near = m.all = m.fixed;
    for (uint32_t i = 0; i < n->edge_count; i++) {
        const edge *e = &s->edges[n->first_edge + i];
        const node *p = &s->nodes[e->from];
        const bool waits = !e->order && p->step.result != SIM_RESULT_FIXED;
        const float ready = p->issue + length_of(s, e);
        m.fixed = fmaxf(m.fixed, waits ? p->issue + LEAST_AFTER_SCOREBOARD : ready);
        if (p->step.result != SIM_RESULT_FAR || e->order) m.near = fmaxf(m.near, ready);
        m.all = fmaxf(m.all, ready);
    }
    m.near = fmaxf(m.near, m.fixed);
    m.all = fmaxf(m.all, m.near);
    return m;
}

static void open_users(sim_schedule *s, const node *n) {
    for (uint32_t i = 0; i < n->use_count; i++) {
        const uint32_t user = s->uses[n->first_use + i];
        if (--s->nodes[user].open == 0) ARENA_PUSH(s->memory, s->ready, s->ready_count, s->ready_capacity, user);
    }
}

/* Issues an instruction. What it waits for memory ends the waits of others for the SM's units as well. */
static void issue(sim_schedule *s, node *n, const moment *m, sim_timing *timing) {
    const sim_step *t = &n->step;
    const float width = fmaxf(t->issued, 0), end = m->all + width + t->serial + t->near;
    n->issue = m->all + fmaxf(0, width - 1) + t->serial + t->near;
    if (timing) {
        timing->fixed += m->fixed - s->clock + width + t->serial;
        timing->near += m->near - m->fixed + t->near;
    }
    s->clock = end;
    if (t->port != SIM_PORT_NONE) s->free[t->port] = fmaxf(end, m->all + t->interval);
    open_users(s, n);
}

/* Returns the place in the list of what goes next: the longest path of what can be issued now, else the first. */
static size_t choose(const sim_schedule *s, size_t oldest, moment *chosen) {
    size_t best = 0;
    float best_all = FLT_MAX, best_height = -1;
    for (size_t k = 0; k < s->ready_count; k++) {
        const node *n = &s->nodes[s->ready[k]];
        if (s->ready[k] > oldest + WINDOW) continue;
        const moment m = moment_of(s, n);
        const float all = fmaxf(m.all, s->clock);
        if (all > best_all || (all == best_all && n->height <= best_height)) continue;
        best = k;
        best_all = all;
        best_height = n->height;
        *chosen = m;
    }
    return best;
}

void sim_schedule_issue(sim_schedule *s, sim_timing *timings, uint32_t first) {
    find_uses(s);
    s->ready_count = 0;
    for (size_t k = s->issued; k < s->count; k++)
        if (s->nodes[k].open == 0) ARENA_PUSH(s->memory, s->ready, s->ready_count, s->ready_capacity, (uint32_t)k);
    for (size_t oldest = s->issued; s->ready_count > 0;) {
        moment m = {0};
        const size_t at = choose(s, oldest, &m);
        node *n = &s->nodes[s->ready[at]];
        s->ready[at] = s->ready[--s->ready_count];
        n->open = UINT32_MAX;
        issue(s, n, &m, timings ? &timings[n->step.block - first] : NULL);
        while (oldest < s->count && s->nodes[oldest].open == UINT32_MAX) oldest++;
    }
    s->issued = s->count;
}
