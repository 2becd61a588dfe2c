/* The paths of a warp: how lanes diverge, wait, reconverge and take turns. state/warp.h describes the data.
 *
 * Divergence. A branch whose lanes disagree splits the running path in two. Both get a join at the branch's immediate
 * post-dominator. A path that reaches its join ends: its lanes wait there until all that the join expects have arrived
 * or ended, then they go on as one path. Joins nest; each names its parent. A lane that comes to an outer join, or
 * leaves a function, no longer counts at the inner ones.
 *
 * Forward progress. The running path goes on until it waits. Where it branches backward, it may have to give way: to
 * another path after TURN branches, and to other warps if its iterations read the same values again and again. Such
 * loops wait for another thread. If that thread waits at a join, the join is dissolved after sm->patience iterations.
 * So lanes may spin on lanes of their own warp (independent thread scheduling).
 *
 * Collectives. An instruction that names lanes waits, path by path, until all of these are there, and is then executed
 * once for all of them. */
#include "exec/paths.h"

#include "base/hash.h"
#include "check/hazard.h"
#include "ptx/ir.h"
#include "state/block.h"
#include "state/warp.h"

#include <string.h>

/* TURN: backward branches before another path of the warp gets its turn. ENDLESS: backward branches, while lanes wait
 * at joins, after which a path counts as waiting for them. ENDLESS_AGAIN: the same for a path that reads what others
 * may write, once the kernel is known to need it. Locks that other warps take and give back as well look different in
 * each iteration. */
enum { TURN = 64, ENDLESS = 1 << 20, ENDLESS_AGAIN = 1 << 12 };
/* Iterations that read nothing new, after which another path, or other warps, get their turn. */
enum { FOR_ANOTHER_PATH = 4, FOR_OTHER_WARPS = 4 };

/* A warp starts as one path with all its lanes. */
void sim_warp_start(sim_warp *w, uint32_t mask) {
    w->initial = w->live = w->active = mask;
    w->pc = 0;
    w->at_cluster = w->turns = w->rounds = w->unchanged = w->at_joins = 0;
    w->polls = w->in_vain = false;
    w->executed = 0;
    w->seen = 0;
    w->split.join = SIM_NO_JOIN;
    w->paths[0] = (sim_path){.mask = mask, .join = SIM_NO_JOIN, .state = SIM_PATH_READY};
    w->path = &w->paths[0];
    w->used_paths = w->ready_paths = 1;
    w->used_joins = 0;
}

/* Returns the path's bit in used_paths and ready_paths. */
static uint32_t bit_of(const sim_warp *w, const sim_path *p) {
    return 1u << (p - w->paths);
}

/* Makes a ready path the running one. */
static sim_step run_path(sim_warp *w, sim_path *p) {
    w->path = p;
    w->active = p->mask;
    w->pc = p->pc;
    return SIM_JUMP;
}

/* Round robin from the path after the running one. */
sim_step sim_warp_switch(sim_warp *w) {
    const uint32_t running = bit_of(w, w->path), later = w->ready_paths & ~(running | (running - 1));
    if (!w->ready_paths) return SIM_STOP;
    return run_path(w, &w->paths[__builtin_ctz(later ? later : w->ready_paths)]);
}

/* Adds a ready path. */
static sim_path *new_path(sim_warp *w, uint32_t pc, uint32_t mask, uint16_t join, uint16_t depth) {
    if (!~w->used_paths) return NULL; /* cannot happen: every path has at least one lane */
    sim_path *p = &w->paths[__builtin_ctz(~w->used_paths)];
    *p = (sim_path){.pc = pc, .mask = mask, .join = join, .state = SIM_PATH_READY, .depth = depth};
    w->used_paths |= bit_of(w, p);
    w->ready_paths |= bit_of(w, p);
    return p;
}

static void free_path(sim_warp *w, sim_path *p) {
    w->used_paths &= ~bit_of(w, p);
    w->ready_paths &= ~bit_of(w, p);
    p->state = SIM_PATH_FREE;
}

/* Adds a join at operation pc for the path's lanes, inside the path's present join. */
static uint16_t new_join(sim_warp *w, uint32_t pc, const sim_path *p) {
    if (!~w->used_joins) return SIM_NO_JOIN; /* cannot happen: joins nest, each with fewer lanes than its parent */
    const uint16_t k = (uint16_t)__builtin_ctzll(~w->used_joins);
    w->joins[k] = (sim_join){.pc = pc, .expected = p->mask, .parent = p->join, .used = (uint16_t)(p->depth + 1)};
    w->used_joins |= 1ull << k;
    return k;
}

/* Joins that some lanes never reach are as many as nested loops. If there are too many, lanes reconverge later. */
enum { MOST_EXPECTED = SIM_MAX_JOINS / 2 };

void sim_warp_expect(sim_warp *w, uint32_t pc) {
    sim_path *p = w->path;
    if (pc == PTX_NO_BLOCK || sim_warp_reconverges_at(w, p, pc)) return;
    if (__builtin_popcountll(w->used_joins) < MOST_EXPECTED) p->join = new_join(w, pc, p);
}

/* The path is about to split; its lanes meet again at the join. */
static void keep_rounds(sim_warp *w, const sim_path *p, uint16_t join) {
    if (w->split.join != SIM_NO_JOIN) return;
    w->split = (sim_split){join, p->mask, w->rounds, w->unchanged, p->seen};
}

/* The join is complete. Its lanes go on as path p, as before their split if they are the same. */
static void recall_rounds(sim_warp *w, uint16_t join, sim_path *p) {
    const sim_split *before = &w->split;
    if (before->join != join) return;
    if (p && p->mask == before->mask) {
        w->rounds = before->rounds;
        w->unchanged = before->unchanged;
        p->seen = before->seen;
    }
    w->split.join = SIM_NO_JOIN;
}

/* Lanes that reconverge there anyway get no second join: in a loop there would be one for each iteration. */
sim_step sim_warp_diverge(sim_warp *w, uint32_t taken, uint32_t target, uint32_t next, uint32_t join_pc) {
    sim_path *p = w->path;
    uint16_t join = p->join;
    if (join_pc != PTX_NO_BLOCK && !sim_warp_reconverges_at(w, p, join_pc)) {
        join = new_join(w, join_pc, p);
        keep_rounds(w, p, join);
    }
    uint32_t rest = p->mask & ~taken;
    p->join = join;
    p->mask = taken;
    p->pc = target;
    /* The lanes that fall through run first. */
    sim_path *other = new_path(w, next, rest, join, p->depth);
    return other ? run_path(w, other) : SIM_STOP;
}

/* All lanes of a join have arrived or ended; they go on together after it. Returns their path; NULL if all have
 * ended. */
static sim_path *complete_join(sim_warp *w, uint16_t index) {
    sim_join *j = &w->joins[index];
    const uint16_t depth = (uint16_t)(j->used - 1);
    j->used = 0;
    w->used_joins &= ~(1ull << index);
    w->at_joins &= ~j->arrived;
    w->rounds = w->unchanged = 0;
    sim_path *p = j->arrived ? new_path(w, j->pc, j->arrived, j->parent, depth) : NULL;
    recall_rounds(w, index, p);
    return p;
}

/* The running path skips its next join. */
static void leave_join(sim_warp *w, sim_path *p) {
    const uint16_t index = p->join;
    sim_join *j = &w->joins[index];
    p->join = j->parent;
    j->expected &= ~p->mask;
    if (j->arrived == j->expected) complete_join(w, index);
}

/* A path may complete several joins at one operation, hence the loop: inner and outer regions often end together. */
sim_step sim_warp_arrive(sim_warp *w, uint32_t pc) {
    sim_path *p = w->path;
    while (sim_warp_reconverges_at(w, p, pc)) {
        while (w->joins[p->join].pc != pc) leave_join(w, p);
        uint16_t index = p->join;
        sim_join *j = &w->joins[index];
        j->arrived |= p->mask;
        w->at_joins |= p->mask;
        w->rounds = w->unchanged = 0;
        free_path(w, p);
        if (j->arrived != j->expected) return sim_warp_switch(w);
        p = complete_join(w, index);
        if (!p) return sim_warp_switch(w);
        run_path(w, p);
    }
    return SIM_NEXT;
}

/* Joins whose last missing lanes have ended are complete, too. */
static void drop_lanes_from_joins(sim_warp *w, uint16_t index, uint32_t lanes) {
    while (index != SIM_NO_JOIN) {
        sim_join *j = &w->joins[index];
        uint16_t parent = j->parent;
        j->expected &= ~lanes;
        if (j->arrived == j->expected) complete_join(w, index);
        index = parent;
    }
}

/* Joins of a call have its depth, so those of the left function are the ones with more than the caller's. */
void sim_warp_leave_call(sim_warp *w) {
    sim_path *p = w->path;
    while (p->join != SIM_NO_JOIN && w->joins[p->join].used > p->depth) leave_join(w, p);
    p->depth--;
}

/* The path must be free before its joins are looked at: they may complete and need a place for a path. */
bool sim_warp_drop_lanes(sim_warp *w, uint32_t lanes) {
    sim_path *p = w->path;
    uint16_t join = p->join;
    w->live &= ~lanes;
    p->mask &= ~lanes;
    const bool ended = p->mask == 0;
    if (ended) free_path(w, p);
    drop_lanes_from_joins(w, join, lanes);
    /* Warp-collective instructions need the live lanes only, so waiting paths check again which lanes are missing. */
    sim_warp_wake_all(w, SIM_PATH_AT_WARP_SYNC);
    return !ended;
}

sim_step sim_warp_park(sim_warp *w, uint32_t pc, sim_path_state state) {
    w->path->pc = pc;
    w->path->state = (uint8_t)state;
    w->ready_paths &= ~bit_of(w, w->path);
    return sim_warp_switch(w);
}

void sim_warp_wake(sim_warp *w, sim_path *p) {
    p->state = SIM_PATH_READY;
    w->ready_paths |= bit_of(w, p);
}

bool sim_warp_wake_all(sim_warp *w, sim_path_state state) {
    bool any = false;
    for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
        sim_path *p = &w->paths[__builtin_ctz(left)];
        if (p->state != state) continue;
        sim_warp_wake(w, p);
        any = true;
    }
    return any;
}

void sim_warp_split(sim_warp *w, uint32_t keep, uint32_t pc) {
    sim_path *p = w->path;
    uint32_t rest = p->mask & ~keep;
    if (!rest) return;
    p->mask = w->active = keep;
    new_path(w, pc, rest, p->join, p->depth);
}

/* A path that has to complete the operation at which it waited must stay whole until then. */
void sim_warp_scatter(sim_warp *w, bool last_lane_first) {
    sim_path *p = w->path;
    uint32_t left = p->mask;
    if (left != w->live || p->resumes) return;
    for (bool is_first = true; left; is_first = false) {
        const uint32_t lane = 1u << (last_lane_first ? 31 - __builtin_clz(left) : __builtin_ctz(left));
        left &= ~lane;
        if (is_first)
            p->mask = w->active = lane;
        else
            new_path(w, p->pc, lane, p->join, p->depth);
    }
}

sim_step sim_warp_wait(sim_warp *w, uint32_t pc, uint32_t active, sim_path_state state) {
    sim_warp_split(w, active, pc + 1);
    return sim_warp_park(w, pc, state);
}

/* Paths merge only if nothing tells them apart: same place, join, call depth, and kind of resumption. */
static void merge_into(sim_warp *w, sim_path *p, sim_path *other) {
    if (other->pc != p->pc || other->join != p->join) return;
    if (other->resumes != p->resumes || other->depth != p->depth) return;
    p->mask |= other->mask;
    if (w->path == other) w->path = p;
    free_path(w, other);
}

static bool are_several(uint32_t paths) {
    return (paths & (paths - 1)) != 0;
}

void sim_warp_merge(sim_warp *w) {
    for (uint32_t left = w->ready_paths; are_several(left); left &= (left - 1) & w->ready_paths)
        for (uint32_t others = left & (left - 1); others; others &= others - 1)
            merge_into(w, &w->paths[__builtin_ctz(left)], &w->paths[__builtin_ctz(others)]);
}

/* ---- forward progress ---- */

/* The released lanes go on as paths of their own with the outer join. The join stays for the lanes that are missing. */
bool sim_warp_release_joins(sim_warp *w) {
    if (!w->at_joins) return false;
    if (w->sm->hazards) sim_hazard_joins_released(w);
    for (size_t k = 0; k < SIM_MAX_JOINS; k++) {
        sim_join *j = &w->joins[k];
        if (!j->used || !j->arrived) continue;
        new_path(w, j->pc, j->arrived, j->parent, (uint16_t)(j->used - 1));
        j->expected &= ~j->arrived;
        j->arrived = 0;
    }
    w->at_joins = w->rounds = w->unchanged = 0;
    w->split.join = SIM_NO_JOIN;
    return true;
}

/* Returns whether some lanes have diverged; the other lanes may be waiting for them. */
static bool has_diverged(const sim_warp *w) {
    return w->at_joins || are_several(w->ready_paths);
}

/* Hashes a warp's words, with a different factor for each lane. Every atomic calls this. */
static uint64_t hash_words(const uint32_t words[SIM_LANES]) {
    uint64_t sum = 0;
    for (uint32_t l = 0; l < SIM_LANES; l++) sum += words[l] * (0x9e3779b97f4a7c15ull + 2 * l);
    return sum;
}

/* Adds the active lanes' values to the hash. A whole warp of words has a fast path. */
static uint64_t hash_lanes(uint64_t hash, uint32_t active, const void *lanes, unsigned bytes) {
    if (active == SIM_ALL_LANES && bytes == sizeof(uint32_t)) return (hash ^ hash_words(lanes)) * 0x9e3779b97f4a7c15ull;
    for (; active; active &= active - 1)
        hash = hash_bytes(hash, (const char *)lanes + (size_t)__builtin_ctz(active) * bytes, bytes);
    return hash;
}

/* The warp's hash of an iteration is never 0, which means that nothing was read. */
void sim_warp_observe(sim_warp *w, const sim_op *op, uint32_t active, const void *lanes, unsigned bytes) {
    /* Not the operation's address: generic accesses run a copy of the operation. */
    uint64_t hash = hash_bytes(w->seen ? w->seen : HASH_START, &op->instruction, sizeof op->instruction);
    hash = hash_lanes(hash, active, lanes, bytes);
    w->seen = hash ? hash : 1;
    w->path->read = op->instruction;
}

/* Ends an iteration of the running path and compares what it has read with the previous iteration. */
static void end_round(sim_warp *w) {
    w->rounds++;
    w->split.join = SIM_NO_JOIN;
    if (!w->seen) return;
    w->unchanged = w->seen == w->path->seen ? w->unchanged + 1 : 0;
    w->polls = w->unchanged > 0;
    w->path->seen = w->seen;
    w->seen = 0;
}

/* Returns whether all running paths wait for lanes at joins: their last iterations have read the same values. If paths
 * spin in different loops, one path's reads are not new to another. If all only spin, lanes at joins are therefore
 * released after enough iterations, whatever the order of turns, and each such wait ends. */
static bool is_spinning(const sim_warp *w) {
    const bool again = w->sm->patience == SIM_IMPATIENT && w->path->seen;
    return w->rounds >= (again ? ENDLESS_AGAIN : ENDLESS) || w->unchanged >= w->sm->patience;
}

/* Releases the lanes that spinning ones wait for and gives them their turn at once. */
static void release_waiting_lanes(sim_warp *w) {
    sim_warp_release_joins(w);
    w->sm->patience = SIM_IMPATIENT;
    w->turns = TURN;
}

/* Returns whether iterations have read nothing new for a multiple of `rounds`. */
static bool sees_nothing_new(const sim_warp *w, uint32_t rounds) {
    return w->unchanged && w->unchanged % rounds == 0;
}

/* Returns whether another path of the warp should have its turn. */
static bool is_next_due(sim_warp *w) {
    return are_several(w->ready_paths) && (++w->turns >= TURN || sees_nothing_new(w, FOR_ANOTHER_PATH));
}

/* The common case has to be fast: an undivided warp that reads nothing others may write goes on at once. */
sim_step sim_warp_turn(sim_warp *w, uint32_t pc) {
    if (!w->seen && !has_diverged(w)) return SIM_NEXT;
    end_round(w);
    if (w->at_joins && is_spinning(w)) release_waiting_lanes(w);
    const bool yields = sees_nothing_new(w, w->sm->hands_over ? 1 : FOR_OTHER_WARPS), switches = is_next_due(w);
    if (!yields && !switches) return SIM_NEXT;
    w->path->pc = pc;
    w->in_vain = yields;
    if (switches) w->turns = 0;
    if (!yields) return sim_warp_switch(w);
    if (switches) (void)sim_warp_switch(w);
    return SIM_STOP;
}

/* ---- warp-collective instructions ---- */

/* Returns whether the live ones of `members` are all among the lanes `there`. Lanes that have ended are not waited
 * for. */
static bool all_there(const sim_warp *w, uint32_t there, uint32_t members) {
    return (there & members & w->live) == (members & w->live);
}

/* Returns whether each set of members that the active lanes name is complete without lanes of other paths. */
static bool all_sets_there(const sim_warp *w, uint32_t active, const uint32_t members[SIM_LANES]) {
    while (active) {
        const uint32_t same = sim_warp_same_members(members, active);
        if (!all_there(w, same, members[__builtin_ctz(active)])) return false;
        active &= ~same;
    }
    return true;
}

/* Returns whether the path waits at this instruction for the same members. `anywhere`: or at another one of its
 * kind. */
static bool waits_at(const sim_warp *w, const sim_path *p, const sim_op *op, uint32_t members, bool anywhere) {
    if (p->state != SIM_PATH_AT_WARP_SYNC || p->members != members) return false;
    return p->pc == sim_pc(w, op) || (anywhere && w->ops[p->pc].run == op->run);
}

/* Other paths that wait at this instruction go on after it; those that can merge into the running path do. */
static void release_waiting(sim_warp *w, const sim_op *op, uint32_t members, bool anywhere) {
    for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
        sim_path *p = &w->paths[__builtin_ctz(left)];
        if (!waits_at(w, p, op, members, anywhere)) continue;
        if (p->pc == sim_pc(w, op) && p->join == w->path->join && p->depth == w->path->depth) {
            w->path->mask |= p->mask;
            free_path(w, p);
        } else {
            p->pc++;
            sim_warp_wake(w, p);
        }
    }
    w->active = w->path->mask;
}

/* True if the instruction orders memory accesses of the lanes. Shuffles and votes let lanes wait for each other, but
 * PTX gives "memory ordering among participating threads" to bar.warp.sync only. */
static bool orders_memory(const sim_warp *w, const sim_op *op) {
    const unsigned instruction = w->sm->grid->program->function->instructions[op->instruction].op;
    return instruction == PTX_OP_BAR_WARP || instruction == PTX_OP_ELECT;
}

/* Tells the checks of the synchronisation, and of lanes that the instruction does not name. */
static void check_set(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t members) {
    if (lanes & ~members) sim_hazard_mask(w, op, lanes, members);
    sim_hazard_warp_sync(w, lanes, orders_memory(w, op));
}

static void check_sets(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t members[SIM_LANES]) {
    while (active) {
        const uint32_t same = sim_warp_same_members(members, active);
        check_set(w, op, same, members[__builtin_ctz(active)]);
        active &= ~same;
    }
}

/* Usually all lanes come in one path, which needs no search. */
static uint32_t gather(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t members[SIM_LANES], bool anywhere,
                       sim_step *step) {
    *step = SIM_NEXT;
    if (all_sets_there(w, active, members)) {
        if (w->sm->hazards) check_sets(w, op, active, members);
        return active;
    }
    const uint32_t first = members[__builtin_ctz(active)], pc = sim_pc(w, op);
    const uint32_t same = sim_warp_same_members(members, active);
    if (same != active) { /* the other sets reach this point separately */
        sim_warp_split(w, active, pc + 1);
        sim_warp_split(w, same, pc);
    }
    uint32_t there = same;
    for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
        const sim_path *p = &w->paths[__builtin_ctz(left)];
        if (waits_at(w, p, op, first, anywhere)) there |= p->mask;
    }
    if (!all_there(w, there, first)) {
        w->path->members = first;
        *step = sim_warp_wait(w, pc, same, SIM_PATH_AT_WARP_SYNC);
        return 0;
    }
    if (w->sm->hazards) check_set(w, op, there, first);
    release_waiting(w, op, first, anywhere);
    return there;
}

uint32_t sim_warp_gather(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t members[SIM_LANES],
                         sim_step *step) {
    return gather(w, op, active, members, false, step);
}

uint32_t sim_warp_gather_anywhere(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t members[SIM_LANES],
                                  sim_step *step) {
    return gather(w, op, active, members, true, step);
}
