#include "check/stuck.h"

#include "check/finding.h"
#include "check/internal.h"
#include "ptx/users_place.h"
#include "state/mbarrier.h"

#include <inttypes.h>
#include <string.h>

/* ---- places ---- */

/* Threads of a block that wait, or run, at the same operation for the same event. */
typedef struct place {
    const sim_warp *warp; /* the first one, with its path */
    const sim_path *path; /* NULL: threads that have ended, or wait at a join for others of their warp */
    bool has_ended;
    uint32_t lanes[SIM_MAX_WARPS];
} place;

/* More places than a message has room for. */
enum { MOST_PLACES = 12 };

typedef struct place_list {
    place items[MOST_PLACES];
    size_t count;
} place_list;

static bool is_same(const sim_warp *w, const sim_path *p, const sim_warp *v, const sim_path *q) {
    if (p->pc != q->pc || p->state != q->state) return false;
    switch (p->state) {
    case SIM_PATH_AT_BARRIER: return p->barrier == q->barrier;
    case SIM_PATH_AT_MBARRIER: return sim_stuck_mbarrier(w, p) == sim_stuck_mbarrier(v, q);
    case SIM_PATH_AT_WARP_SYNC: return w == v;
    default: return true;
    }
}

static void add(place_list *list, const place *at, uint32_t warp, uint32_t lanes) {
    size_t i = 0;
    if (!lanes) return;
    for (; i < list->count; i++) {
        const place *known = &list->items[i];
        if (!known->path != !at->path || known->has_ended != at->has_ended) continue;
        if (!at->path || is_same(known->warp, known->path, at->warp, at->path)) break;
    }
    if (i == MOST_PLACES) return;
    if (i == list->count) list->items[list->count++] = *at;
    list->items[i].lanes[warp] |= lanes;
}

static void list_places(const sim_block *b, place_list *list) {
    list->count = 0;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        const sim_warp *w = &b->warps[i];
        for (uint32_t left = w->used_paths; left; left &= left - 1) {
            const sim_path *p = &w->paths[__builtin_ctz(left)];
            add(list, &(place){.warp = w, .path = p}, i, p->mask);
        }
    }
    for (uint32_t i = 0; i < b->warp_count; i++) {
        const sim_warp *w = &b->warps[i];
        add(list, &(place){.warp = w}, i, w->at_joins & w->live);
        add(list, &(place){.warp = w, .has_ended = true}, i, w->initial & ~w->live);
    }
}

/* ---- who ---- */

static uint32_t count_threads(const place *at) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIM_MAX_WARPS; i++) count += (uint32_t)__builtin_popcount(at->lanes[i]);
    return count;
}

/* "warp 3", "warp 3, lanes 0x0000ffff", "warps 0-3, 6" */
static void put_warps(text *out, const place *at) {
    uint32_t warps = 0;
    for (uint32_t i = 0; i < SIM_MAX_WARPS; i++) warps |= (uint32_t)(at->lanes[i] != 0) << i;
    text_put(out, warps & (warps - 1) ? "warps" : "warp");
    for (uint32_t first = 0, put = 0; first < SIM_MAX_WARPS; first++) {
        uint32_t last = first;
        if (!(warps >> first & 1)) continue;
        while (last + 1 < SIM_MAX_WARPS && warps >> (last + 1) & 1) last++;
        text_printf(out, last > first ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, put++ ? ", " : " ", first, last);
        first = last;
    }
    const uint32_t lanes = warps && !(warps & (warps - 1)) ? at->lanes[__builtin_ctz(warps)] : SIM_ALL_LANES;
    if (lanes != SIM_ALL_LANES) text_printf(out, ", lanes 0x%08" PRIx32, lanes);
}

static void put_threads(text *out, const place *at) {
    const uint32_t count = count_threads(at);
    text_printf(out, "%" PRIu32 " thread%s (", count, count == 1 ? "" : "s");
    put_warps(out, at);
    text_put(out, ")");
}

/* ---- where ---- */

static void put_source_line(text *out, const ptx_module *m, uint32_t number) {
    const char *file = ptx_file_of(m, number), *slash = strrchr(file, '/');
    text_printf(out, "%s:%" PRIu32, slash ? slash + 1 : file, m->places[number - 1].line);
}

/* The user's line of the instruction and, if that was inlined, the kernel's line; without line information the line in
 * the PTX. */
static void put_line(text *out, const sim_warp *w, const sim_path *p) {
    const sim_program *program = w->sm->grid->program;
    const ptx_module *m = program->module;
    const ptx_instruction *i = &program->function->instructions[w->ops[p->pc].instruction];
    const uint32_t users = ptx_users_place(m, i->place);
    if (!users) {
        text_printf(out, "PTX line %" PRIu32, i->position.line);
        return;
    }
    uint32_t kernels = users;
    while (ptx_file_of(m, m->places[kernels - 1].inlined_at)) kernels = m->places[kernels - 1].inlined_at;
    put_source_line(out, m, users);
    if (kernels == users) return;
    text_put(out, ", called from ");
    put_source_line(out, m, kernels);
    text_put(out, ",");
}

/* ---- what for ---- */

static unsigned first_lane(const sim_path *p) {
    return (unsigned)__builtin_ctz(p->mask);
}

uint32_t sim_stuck_mbarrier(const sim_warp *w, const sim_path *p) {
    const sim_op *op = &w->ops[p->pc];
    const unsigned lane = first_lane(p);
    const uint64_t base =
        op->flags & SIM_OP_WIDE ? SIM_SLOT(w, uint64_t, op->a)[lane] : SIM_SLOT(w, uint32_t, op->a)[lane];
    return (uint32_t)(base + (uint64_t)op->imm) & ((1u << 24) - 1);
}

static void put_barrier(text *out, const sim_warp *w, const sim_path *p) {
    const sim_barrier *bar = &w->block->barriers[p->barrier];
    uint32_t live = 0;
    for (uint32_t i = 0; i < w->block->warp_count; i++) live += (uint32_t)__builtin_popcount(w->block->warps[i].live);
    text_printf(out, "barrier %u%s: %" PRIu32 " of %" PRIu32 " threads have arrived", p->barrier,
                bar->expected ? "" : " of the whole block", bar->threads,
                bar->expected ? bar->expected * SIM_LANES : live);
}

/* The mbarrier's variable and offset. */
static void put_object(text *out, const sim_grid *g, uint32_t address) {
    sim_finding named = {.finding = {.space = HAUL_SPACE_SHARED, .address = address, .bytes = 8}};
    sim_finding_locate(g, &named);
    if (*named.object)
        text_printf(out, " %.*s", (int)strcspn(named.object, "("), named.object);
    else
        text_printf(out, " at shared 0x%" PRIx32 " ", address);
}

static void put_bytes(text *out, const sim_watched_mbarrier *m, const sim_mbarrier *state) {
    if (m && m->expected_bytes) {
        text_printf(out, ", %" PRIu64 " of %" PRIu64 " bytes have arrived", m->arrived_bytes, m->expected_bytes);
        return;
    }
    if (m && m->arrived_bytes)
        text_printf(out, ", %" PRIu64 " bytes have arrived that nobody expected", m->arrived_bytes);
    else if (state->bytes)
        text_printf(out, ", %" PRId32 " bytes are missing", state->bytes);
    else
        text_put(out, m ? ", no bytes are expected" : ", no bytes are missing");
}

static void put_mbarrier(text *out, const sim_warp *w, const sim_path *p) {
    const uint32_t address = sim_stuck_mbarrier(w, p);
    const sim_block *b = w->block;
    uint64_t bits;
    if (address + sizeof bits > w->sm->grid->shared_bytes) return;
    memcpy(&bits, b->shared + address, sizeof bits);
    const sim_mbarrier state = sim_mbarrier_unpack(bits);
    const sim_watched_mbarrier *m = b->domain ? sim_mbarrier_watched(sim_domain_of(b), b, address) : NULL;
    const bool is_known = m && m->block == b && m->address == address;
    text_put(out, "the mbarrier");
    put_object(out, w->sm->grid, address);
    text_printf(out, "to end its phase of parity %" PRIu32 ", the present one", state.phase);
    if (is_known) text_printf(out, " (%" PRIu32 " have ended)", m->phases);
    if (state.pending > state.expected)
        text_printf(out, ": its count is out of order: %" PRIu32 " of %" PRIu32 " arrivals are missing", state.pending,
                    state.expected);
    else
        text_printf(out, ": %" PRIu32 " of %" PRIu32 " arrivals have come", state.expected - state.pending,
                    state.expected);
    put_bytes(out, is_known ? m : NULL, &state);
}

void sim_stuck_put_event(text *out, const sim_warp *w, const sim_path *p) {
    switch (p->state) {
    case SIM_PATH_AT_BARRIER: put_barrier(out, w, p); return;
    case SIM_PATH_AT_MBARRIER: put_mbarrier(out, w, p); return;
    case SIM_PATH_AT_WARP_SYNC:
        text_printf(out, "lanes 0x%08" PRIx32 " of its warp", p->members & w->live & ~p->mask);
        return;
    case SIM_PATH_AT_CLUSTER: text_put(out, "the cluster's barrier"); return;
    case SIM_PATH_AT_TENSOR_MEMORY: text_put(out, "columns of tensor memory"); return;
    case SIM_PATH_AT_PRODUCT: text_put(out, "the other warps of its warpgroup to issue the same product"); return;
    default: text_put(out, "a change that nobody makes"); return;
    }
}

/* ---- sentences ---- */

static void put_place(text *out, const place *at) {
    put_threads(out, at);
    if (!at->path) {
        text_put(out, at->has_ended ? " have ended" : " wait for other lanes of their warp to reconverge");
        return;
    }
    text_put(out, at->path->state == SIM_PATH_READY ? " run at " : " wait at ");
    put_line(out, at->warp, at->path);
    if (at->path->state == SIM_PATH_READY) return;
    text_put(out, " for ");
    sim_stuck_put_event(out, at->warp, at->path);
}

void sim_stuck_put_name(text *out, const sim_block *b) {
    text_printf(out, "block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", b->at[0], b->at[1], b->at[2]);
}

void sim_stuck_put_block(text *out, const sim_block *b) {
    place_list list;
    list_places(b, &list);
    for (size_t i = 0; i < list.count; i++) {
        text_put(out, i ? "; " : ": ");
        put_place(out, &list.items[i]);
    }
}

static void put_other_blocks(text *out, const sim_block *b) {
    for (uint32_t r = 0; r < b->sm->grid->cluster_blocks; r++) {
        const sim_block *other = &b->cluster[r];
        if (other == b) continue;
        text_put(out, "; ");
        sim_stuck_put_name(out, other);
        if (other->running)
            sim_stuck_put_block(out, other);
        else
            text_put(out, " has ended");
    }
}

void sim_stuck_put_others(text *out, const sim_warp *w, const sim_path *p) {
    place_list list;
    list_places(w->block, &list);
    for (size_t i = 0; i < list.count; i++) {
        const place *at = &list.items[i];
        if (!at->path || !is_same(at->warp, at->path, w, p)) continue;
        put_threads(out, at);
        text_put(out, p->state == SIM_PATH_READY ? " run here" : " wait here");
    }
    for (size_t i = 0; i < list.count; i++) {
        const place *at = &list.items[i];
        if (at->path && is_same(at->warp, at->path, w, p)) continue;
        text_put(out, "; ");
        put_place(out, at);
    }
    if (p->state == SIM_PATH_AT_CLUSTER) put_other_blocks(out, w->block);
}
