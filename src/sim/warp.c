#include "sim/warp.h"

#include "ptx/ir.h"
#include "sim/block.h"

#include <string.h>

/* Backward branches a path may take before another path of the warp gets its turn. */
enum { TURN = 64 };

void sim_warp_start(sim_warp *w, uint32_t mask) {
    w->initial = w->live = w->active = mask;
    w->pc = 0;
    w->turns = 0;
    memset(w->paths, 0, sizeof w->paths);
    memset(w->joins, 0, sizeof w->joins);
    w->paths[0] = (sim_path){.mask = mask, .join = SIM_NO_JOIN, .state = SIM_PATH_READY};
    w->path = &w->paths[0];
    w->path_count = w->ready_count = 1;
}

static sim_step run_path(sim_warp *w, sim_path *p) {
    w->path = p;
    w->active = p->mask;
    w->pc = p->pc;
    return SIM_JUMP;
}

sim_step sim_warp_switch(sim_warp *w) {
    if (w->ready_count == 0) return SIM_STOP;
    /* Round robin from the path after the running one. */
    size_t start = (size_t)(w->path - w->paths);
    for (size_t k = 1; k <= SIM_MAX_PATHS; k++) {
        sim_path *p = &w->paths[(start + k) % SIM_MAX_PATHS];
        if (p->state == SIM_PATH_READY) return run_path(w, p);
    }
    return SIM_STOP;
}

static sim_path *new_path(sim_warp *w, uint32_t pc, uint32_t mask, uint16_t join) {
    for (size_t k = 0; k < SIM_MAX_PATHS; k++) {
        sim_path *p = &w->paths[k];
        if (p->state != SIM_PATH_FREE) continue;
        *p = (sim_path){.pc = pc, .mask = mask, .join = join, .state = SIM_PATH_READY};
        w->path_count++;
        w->ready_count++;
        return p;
    }
    return NULL; /* cannot be: every path has a lane of its own */
}

static void free_path(sim_warp *w, sim_path *p) {
    if (p->state == SIM_PATH_READY) w->ready_count--;
    p->state = SIM_PATH_FREE;
    w->path_count--;
}

static uint16_t new_join(sim_warp *w, uint32_t pc, uint32_t expected, uint16_t parent) {
    for (uint16_t k = 0; k < SIM_MAX_JOINS; k++) {
        sim_join *j = &w->joins[k];
        if (j->used) continue;
        *j = (sim_join){.pc = pc, .expected = expected, .parent = parent, .used = 1};
        return k;
    }
    return SIM_NO_JOIN; /* cannot be: joins that are in use nest, each with fewer lanes than its parent */
}

sim_step sim_warp_diverge(sim_warp *w, uint32_t taken, uint32_t target, uint32_t next, uint32_t join_pc) {
    sim_path *p = w->path;
    uint16_t join = p->join;
    if (join_pc != PTX_NO_BLOCK && (join == SIM_NO_JOIN || w->joins[join].pc != join_pc))
        join = new_join(w, join_pc, p->mask, join);
    uint32_t rest = p->mask & ~taken;
    p->join = join;
    p->mask = taken;
    p->pc = target;
    /* The lanes that fall through go first. */
    sim_path *other = new_path(w, next, rest, join);
    return other ? run_path(w, other) : SIM_STOP;
}

/* All lanes of a join are there, or gone: they go on together behind it. */
static sim_path *complete_join(sim_warp *w, uint16_t index) {
    sim_join *j = &w->joins[index];
    j->used = 0;
    return j->arrived ? new_path(w, j->pc, j->arrived, j->parent) : NULL;
}

sim_step sim_warp_arrive(sim_warp *w, uint32_t pc) {
    sim_path *p = w->path;
    while (p->join != SIM_NO_JOIN && w->joins[p->join].pc == pc) {
        uint16_t index = p->join;
        sim_join *j = &w->joins[index];
        j->arrived |= p->mask;
        free_path(w, p);
        if (j->arrived != j->expected) return sim_warp_switch(w);
        p = complete_join(w, index);
        if (!p) return sim_warp_switch(w);
        run_path(w, p);
    }
    return SIM_NEXT;
}

/* Joins whose last missing lanes have ended are complete too. */
static void drop_lanes_from_joins(sim_warp *w, uint16_t index, uint32_t lanes) {
    while (index != SIM_NO_JOIN) {
        sim_join *j = &w->joins[index];
        uint16_t parent = j->parent;
        j->expected &= ~lanes;
        if (j->arrived == j->expected) complete_join(w, index);
        index = parent;
    }
}

sim_step sim_warp_exit(sim_warp *w, uint32_t lanes) {
    sim_path *p = w->path;
    uint16_t join = p->join;
    w->live &= ~lanes;
    p->mask &= ~lanes;
    bool ended = p->mask == 0;
    if (ended) free_path(w, p);
    drop_lanes_from_joins(w, join, lanes);
    sim_block_lanes_ended(w, lanes);
    if (!ended) {
        w->active = p->mask;
        return SIM_NEXT;
    }
    return sim_warp_switch(w);
}

sim_step sim_warp_park(sim_warp *w, uint32_t pc, sim_path_state state) {
    w->path->pc = pc;
    w->path->state = (uint8_t)state;
    w->ready_count--;
    return sim_warp_switch(w);
}

void sim_warp_wake(sim_warp *w, sim_path *p) {
    p->state = SIM_PATH_READY;
    w->ready_count++;
}

sim_step sim_warp_turn(sim_warp *w, uint32_t pc) {
    if (w->ready_count < 2 || ++w->turns < TURN) return SIM_NEXT;
    w->turns = 0;
    w->path->pc = pc;
    return sim_warp_switch(w);
}

uint32_t sim_warp_gather(sim_warp *w, uint32_t pc, uint32_t active, uint32_t members, sim_step *step) {
    uint32_t needed = members & w->live;
    if ((active & needed) == needed) return active;
    uint32_t there = active;
    for (size_t k = 0; k < SIM_MAX_PATHS; k++) {
        const sim_path *p = &w->paths[k];
        if (p->state == SIM_PATH_AT_WARP_SYNC && p->pc == pc) there |= p->members;
    }
    if ((there & needed) != needed) {
        w->path->members = active;
        *step = sim_warp_park(w, pc, SIM_PATH_AT_WARP_SYNC);
        return 0;
    }
    for (size_t k = 0; k < SIM_MAX_PATHS; k++) {
        sim_path *p = &w->paths[k];
        if (p->state != SIM_PATH_AT_WARP_SYNC || p->pc != pc) continue;
        p->pc = pc + 1;
        sim_warp_wake(w, p);
    }
    return there;
}
