/* Walks the pieces of a transfer as haul/device/engine.h moves them, warp by warp, and counts each access by the
 * virtual GPU's rules. The order of accesses follows engine.h.
 *
 * No data moves and no kernel runs. For each step the walk asks haul_piece_at() (haul/transfer.h), the same function
 * that the device library calls, for the piece of each lane, sorts the lanes by what happens to their pieces, and gives
 * the addresses to the functions of src/count that count a real launch's accesses. So a kernel with this transfer has
 * the same counts. The cache L1 is simulated, cold at first; L2 is not: src/lib/diagnose/rate.c estimates its hits.
 * `seen` collects the sectors that were touched, to compare with those that were fetched. */
#include "base/memory.h"
#include "base/status.h"
#include "count/l1.h"
#include "count/sector_set.h"
#include "count/traffic.h"
#include "lib/diagnose/diagnose.h"
#include "machine/tensor.h"
#include "state/occupancy.h"

#include <string.h>

typedef struct walk {
    const diagnose_case *k;
    const haul_transfer *t;
    haul_diagnosis *d;
    unsigned size;         /* threads of the team */
    unsigned head;         /* bytes before the first aligned address of each element (HAUL_CONGRUENT) */
    bool loads;            /* else it stores or adds */
    sim_l1 *l1;            /* of one SM */
    sim_sector_set seen;   /* the sectors of the data in global memory */
    uint32_t issued[1024]; /* memory instructions of each thread */
} walk;

/* One warp's access: its active lanes and their addresses. */
typedef struct access {
    unsigned warp, width; /* width: bytes of a lane */
    uint32_t active;      /* a bit for each lane */
    uint64_t global[SIM_LANES];
    uint32_t shared[SIM_LANES];
    unsigned element[SIM_LANES]; /* number of each lane's element, for its index */
} access;

/* Counts a memory instruction for each active lane. The busiest thread bounds the time to issue them. */
static void note_issue(walk *w, const access *a) {
    for (uint32_t left = a->active; left; left &= left - 1)
        w->issued[a->warp * SIM_LANES + (unsigned)__builtin_ctz(left)]++;
}

static void set_lane(access *a, unsigned lane, uint64_t global, uint32_t shared) {
    a->active |= 1u << lane;
    a->global[lane] = global;
    a->shared[lane] = shared;
}

/* ---- traffic to L2 ---- */

/* Counts a request to L2 for sectors of a line, `mask`. */
static void fetch(walk *w, haul_traffic *t, uint64_t line, unsigned mask) {
    t->l2_requests++;
    t->l2_sectors += (uint32_t)__builtin_popcount(mask);
    w->d->fetched_sectors += (uint32_t)__builtin_popcount(mask);
    sim_sector_set_add(&w->seen, line, mask);
}

/* How a load uses L1. */
typedef enum l1_use {
    PASSES_L1,
    FILLS_L1,
    READS_L1,  /* hits if the line is present; allocates nothing */
    CLEARS_L1, /* invalidates the line */
} l1_use;

/* Applies the access to L1 and returns the mask of sectors that hit. */
static unsigned use_l1(walk *w, l1_use use, uint64_t line, unsigned mask) {
    switch (use) {
    case FILLS_L1: return sim_l1_load(w->l1, line, mask);
    case READS_L1: return sim_l1_probe(w->l1, line, mask);
    case CLEARS_L1: sim_l1_drop(w->l1, line, mask); return 0;
    case PASSES_L1: break;
    }
    return 0;
}

/* Looks up each line of an access in L1 and requests the missing sectors from L2. `data` is false for lists of indices,
 * whose sectors are not the transfer's. */
static void look_up(walk *w, haul_traffic *t, const sim_lines *lines, l1_use use, bool data) {
    for (uint32_t i = 0; i < lines->count; i++) {
        unsigned hits = use_l1(w, use, lines->line[i], lines->mask[i]), missing = lines->mask[i] & ~hits;
        t->hits += (uint32_t)__builtin_popcount(hits);
        if (missing && data) fetch(w, t, lines->line[i], missing);
        if (missing && !data) t->l2_requests++, t->l2_sectors += (uint32_t)__builtin_popcount(missing);
    }
}

/* ---- accesses ---- */

/* Returns how a load of that width uses L1, by the cache operator of `how`. Loads of less than 4 bytes have no
 * operator. */
static l1_use l1_use_of(haul_how how, unsigned width) {
    const haul_how operation = HAUL_LOAD_OPERATOR(how);
    if (width < 4) return FILLS_L1;
    if (operation == HAUL_LOAD_NO_ALLOCATE) return READS_L1;
    if (operation == HAUL_LOAD_CV || operation == HAUL_LOAD_CG) return CLEARS_L1;
    return operation == HAUL_LOAD_LU ? READS_L1 : FILLS_L1;
}

/* Counts a load by a warp. Pieces are loaded with the operators of `how`; crumbs, and elements of pieces partly outside
 * the array, plainly. */
static void load_global(walk *w, const access *a, l1_use use) {
    haul_traffic *t = &w->d->classes[HAUL_CLASS_GLOBAL_LOAD];
    sim_lines lines;
    if (!a->active) return;
    note_issue(w, a);
    sim_coalesce(a->global, a->active, a->width, &lines);
    sim_traffic_tags(t, &lines, a->active, a->width);
    look_up(w, t, &lines, use, true);
}

/* Counts a warp's load from shared memory, or its store there, with its bank conflicts. */
static void use_shared(walk *w, const access *a, haul_memory_class class) {
    if (!a->active) return;
    note_issue(w, a);
    sim_wavefronts wavefronts = class == HAUL_CLASS_SHARED_LOAD ? sim_bank_load(a->shared, a->active, a->width)
                                                                : sim_bank_store(a->shared, a->active, a->width);
    sim_traffic_shared(&w->d->classes[class], wavefronts, a->active, a->width);
}

/* Stores go through L1 to L2, all of their sectors. */
static void store_global(walk *w, const access *a) {
    haul_traffic *t = &w->d->classes[HAUL_CLASS_GLOBAL_STORE];
    sim_lines lines;
    note_issue(w, a);
    sim_coalesce(a->global, a->active, a->width, &lines);
    sim_traffic_tags(t, &lines, a->active, a->width);
    for (uint32_t i = 0; i < lines.count; i++) fetch(w, t, lines.line[i], lines.mask[i]);
}

/* A reduction's lines: sent to L2, invalidated in L1. */
static void send_update(void *context, const sim_lines *lines) {
    walk *w = context;
    for (uint32_t i = 0; i < lines->count; i++) {
        use_l1(w, CLEARS_L1, lines->line[i], lines->mask[i]);
        fetch(w, &w->d->classes[HAUL_CLASS_GLOBAL_REDUCTION], lines->line[i], lines->mask[i]);
    }
}

/* Additions of single halves are loops of a load and a compare-and-swap; these two count their lines. */
static void load_half(void *context, const sim_lines *lines) {
    walk *w = context;
    look_up(w, &w->d->classes[HAUL_CLASS_GLOBAL_LOAD], lines, FILLS_L1, true);
}

static void swap_half(void *context, const sim_lines *lines) {
    walk *w = context;
    for (uint32_t i = 0; i < lines->count; i++)
        fetch(w, &w->d->classes[HAUL_CLASS_GLOBAL_ATOMIC], lines->line[i], lines->mask[i]);
}

static void add_halves(walk *w, const access *a) {
    haul_traffic *classes = w->d->classes;
    if (!a->active) return;
    note_issue(w, a);
    sim_traffic_half_update(&classes[HAUL_CLASS_GLOBAL_LOAD], &classes[HAUL_CLASS_GLOBAL_ATOMIC], a->global, a->active,
                            load_half, swap_half, w);
}

/* A reduction adds 4 bytes at a time, or 8 for 8-byte elements; single halves are not reductions. */
static void add_global(walk *w, const access *a) {
    const haul_how type = w->t->how & HAUL_ADD_BITS;
    unsigned unit = type == HAUL_ADD_U64 || type == HAUL_ADD_F64 ? 8 : 4;
    if (a->width < unit) {
        add_halves(w, a);
        return;
    }
    for (unsigned at = 0; at < a->width; at += unit) {
        access part = *a;
        for (unsigned l = 0; l < SIM_LANES; l++) part.global[l] += at;
        note_issue(w, &part);
        sim_traffic_update(&w->d->classes[HAUL_CLASS_GLOBAL_REDUCTION], part.global, part.active, unit, send_update, w);
    }
}

/* Counts the global side of a store or an addition. */
static void put_global(walk *w, const access *a) {
    if (!a->active) return;
    if (w->k->c.direction == HAUL_DIRECTION_ADD)
        add_global(w, a);
    else
        store_global(w, a);
}

/* Counts a warp's asynchronous copy. Only copies of 16 bytes can go around L1. */
static void copy_by_ldgsts(walk *w, const access *a) {
    const bool around = a->width == 16 && !(w->t->how & HAUL_THROUGH_L1);
    haul_traffic *t = &w->d->classes[around ? HAUL_CLASS_LDGSTS_BYPASS : HAUL_CLASS_LDGSTS_ACCESS];
    if (!a->active) return;
    note_issue(w, a);
    if (around) {
        sim_bypass b;
        sim_traffic_ldgsts_bypass(t, a->active, 0, false, a->global, a->shared, a->width, &b);
        look_up(w, t, &b.requests, PASSES_L1, true);
    } else {
        sim_lines lines;
        sim_traffic_ldgsts_access(t, a->active, 0, a->global, a->shared, a->width, &lines);
        look_up(w, t, &lines, FILLS_L1, true);
    }
}

/* Moves one piece of each lane from one memory to the other. */
static void move(walk *w, const access *a, l1_use use) {
    if (!w->loads) {
        use_shared(w, a, HAUL_CLASS_SHARED_LOAD);
        put_global(w, a);
    } else if (w->k->engine == HAUL_BY_LDGSTS && a->width >= 4) {
        copy_by_ldgsts(w, a);
    } else {
        load_global(w, a, use);
        use_shared(w, a, HAUL_CLASS_SHARED_STORE);
    }
}

/* ---- addresses of elements ---- */

/* A fixed hash, so that random rows are the same in every diagnosis. */
static uint64_t scatter(uint64_t x) {
    x = (x ^ x >> 31) * 0x7fb5d329728ea185ull;
    x = (x ^ x >> 27) * 0x81dadef4bc2dd44dull;
    return x ^ x >> 33;
}

/* Returns the row of an element: its number, the given index, or a random row. */
static int64_t row_of(const walk *w, unsigned element) {
    if (w->t->shape != HAUL_SHAPE_INDIRECT) return (int64_t)element;
    return w->k->c.index ? w->k->c.index[element] : (int64_t)(scatter(element + 1) % w->k->c.rows);
}

static uint64_t element_address(const walk *w, unsigned element) {
    return w->k->c.global + (uint64_t)row_of(w, element) * (uint64_t)w->t->global_pitch;
}

/* Counts the reading of the indices that the lanes of `a` need before they know their elements' addresses. Does nothing
 * for other shapes. Indices count as the transfer's traffic, and separately. */
static void read_index(walk *w, const access *a) {
    const haul_circumstances *c = &w->k->c;
    haul_traffic index = {0};
    access list = {.warp = a->warp, .width = w->t->how & HAUL_INDEX_64 ? 8 : 4};
    sim_lines lines;
    if (w->t->shape != HAUL_SHAPE_INDIRECT || !a->active) return;
    for (uint32_t left = a->active; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint64_t at = c->index_at + (uint64_t)a->element[l] * list.width;
        set_lane(&list, l, at, (uint32_t)at);
    }
    note_issue(w, &list);
    if (c->index_in_shared) {
        sim_traffic_shared(&index, sim_bank_load(list.shared, list.active, list.width), list.active, list.width);
    } else {
        sim_coalesce(list.global, list.active, list.width, &lines);
        sim_traffic_tags(&index, &lines, list.active, list.width);
        look_up(w, &index, &lines, FILLS_L1, false);
    }
    haul_traffic_add(&w->d->index, &index);
    haul_traffic_add(&w->d->classes[c->index_in_shared ? HAUL_CLASS_SHARED_LOAD : HAUL_CLASS_GLOBAL_LOAD], &index);
}

/* ---- pieces ---- */

/* The pieces of a warp's lanes in one step. */
typedef struct step {
    access whole, fill, part;     /* lanes whose pieces lie inside the array, outside, and partly */
    haul_piece pieces[SIM_LANES]; /* pieces of the lanes in `part` */
} step;

/* Adds a lane's piece to the access of its state. */
static void sort_piece(walk *w, step *s, unsigned lane, const haul_piece *p) {
    const bool indirect = w->t->shape == HAUL_SHAPE_INDIRECT;
    const uint64_t global = (indirect ? element_address(w, p->element) : w->k->c.global) + (uint64_t)p->global;
    const uint32_t shared = (uint32_t)w->k->c.shared + (uint32_t)p->shared;
    w->d->pieces++;
    w->d->filled += p->state == HAUL_PIECE_FILL;
    w->d->clipped += p->state == HAUL_PIECE_PARTIAL;
    s->whole.element[lane] = p->element;
    s->pieces[lane] = *p;
    set_lane(p->state == HAUL_PIECE_COPY   ? &s->whole
             : p->state == HAUL_PIECE_FILL ? &s->fill
                                           : &s->part,
             lane, global, shared);
}

/* Pieces partly outside the array are moved element by element. A load writes all of them in shared memory ... */
static void load_parts(walk *w, const step *s) {
    const unsigned element = w->t->element;
    for (unsigned at = 0; s->part.active && at < s->part.width; at += element) {
        access all = s->part, inside = s->part;
        all.width = inside.width = element;
        for (uint32_t left = s->part.active; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            all.shared[l] += at, inside.global[l] += at;
            if (at - s->pieces[l].skip >= s->pieces[l].valid) inside.active &= ~(1u << l);
        }
        w->d->bytes += (uint64_t)sim_lanes(inside.active) * element;
        load_global(w, &inside, FILLS_L1);
        use_shared(w, &all, HAUL_CLASS_SHARED_STORE);
    }
}

/* ... a store writes only those inside, each lane from its first one on. */
static void store_parts(walk *w, const step *s) {
    const unsigned element = w->t->element;
    access inside = s->part;
    for (unsigned at = 0; inside.active; at += element) {
        inside = s->part;
        inside.width = element;
        for (uint32_t left = s->part.active; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            inside.shared[l] += s->pieces[l].skip + at, inside.global[l] += s->pieces[l].skip + at;
            if (at >= s->pieces[l].valid) inside.active &= ~(1u << l);
        }
        w->d->bytes += (uint64_t)sim_lanes(inside.active) * element;
        use_shared(w, &inside, HAUL_CLASS_SHARED_LOAD);
        put_global(w, &inside);
    }
}

/* Sorts the pieces of a warp in step k; `area` is 1 for a halo's sides, else 0. */
static void sort_pieces(walk *w, step *s, unsigned area, unsigned k, unsigned count) {
    const unsigned first = s->whole.warp * SIM_LANES;
    for (unsigned lane = 0; lane < SIM_LANES && first + lane < w->size; lane++) {
        const uint64_t i = first + lane + (uint64_t)k * w->size;
        if (i >= count) break;
        const haul_piece p = haul_piece_at(w->t, &w->k->c.place, area, w->head, (unsigned)i);
        sort_piece(w, s, lane, &p);
    }
}

/* A store reads whole pieces of a box before it checks which elements are inside. */
static void store_step(walk *w, const step *s) {
    access all = s->whole;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        if (s->fill.active >> l & 1) set_lane(&all, l, 0, s->fill.shared[l]);
        if (s->part.active >> l & 1) set_lane(&all, l, 0, s->part.shared[l]);
    }
    use_shared(w, &all, HAUL_CLASS_SHARED_LOAD);
    put_global(w, &s->whole);
    store_parts(w, s);
}

/* Step k of one warp. Pieces outside the array are filled in shared memory, and touch no global memory. */
static void move_step(walk *w, unsigned area, unsigned k, unsigned warp, unsigned count) {
    step s = {.whole.warp = warp, .fill.warp = warp, .part.warp = warp};
    s.whole.width = s.fill.width = s.part.width = haul_piece_width(w->t, area);
    sort_pieces(w, &s, area, k, count);
    read_index(w, &s.whole);
    w->d->bytes += (uint64_t)sim_lanes(s.whole.active) * s.whole.width;
    if (!w->loads) {
        store_step(w, &s);
        return;
    }
    move(w, &s.whole, l1_use_of(w->t->how, s.whole.width));
    use_shared(w, &s.fill, HAUL_CLASS_SHARED_STORE);
    load_parts(w, &s);
}

/* Threads take pieces in turn: thread i of the team has pieces i, i + size, and so on. */
static void move_area(walk *w, unsigned area) {
    const unsigned count = haul_piece_count(w->t, area, w->head), steps = (count + w->size - 1) / w->size;
    w->d->steps += steps;
    for (unsigned k = 0; k < steps; k++)
        for (unsigned warp = 0; warp * SIM_LANES < w->size; warp++) move_step(w, area, k, warp, count);
}

/* ---- crumbs ---- */

/* Bytes of an element between head and tail, which whole pieces carry. */
static uint32_t body_bytes(const walk *w) {
    const unsigned width = w->k->engine == HAUL_BY_BULK ? 16 : haul_piece_width(w->t, 0);
    return (w->t->bytes - w->head) / width * width;
}

/* Moves bytes [offset, offset + width) of every element. Thread number `turn` has the first one if the team is larger
 * than 8, so that different crumbs of an element belong to different threads. */
static void move_crumb(walk *w, unsigned offset, unsigned width, unsigned turn) {
    const unsigned size = w->size, shift = size > 8 ? turn : 0;
    for (unsigned round = 0; (uint64_t)round * size < w->t->count; round++) {
        for (unsigned warp = 0; warp * SIM_LANES < size; warp++) {
            access a = {.warp = warp, .width = width};
            for (unsigned lane = 0; lane < SIM_LANES && warp * SIM_LANES + lane < size; lane++) {
                const uint64_t e = (warp * SIM_LANES + lane + size - shift) % size + (uint64_t)round * size;
                if (e >= w->t->count) continue;
                a.element[lane] = (unsigned)e;
                set_lane(&a, lane, element_address(w, (unsigned)e) + offset,
                         (uint32_t)(w->k->c.shared + e * w->t->shared_pitch + offset));
            }
            read_index(w, &a);
            move(w, &a, FILLS_L1);
        }
    }
    w->d->crumbs += w->t->count;
    w->d->bytes += (uint64_t)w->t->count * width;
}

/* The head in accesses of 1, 2, 4 and 8 bytes, as its bits say; the tail in the opposite order, so that each is
 * aligned. */
static void move_crumbs(walk *w) {
    const unsigned tail = w->t->bytes - w->head - body_bytes(w);
    unsigned at = 0;
    for (unsigned k = 0; k < 4; k++) {
        if (w->head & 1u << k) move_crumb(w, at, 1u << k, k);
        at += w->head & 1u << k;
    }
    at += body_bytes(w);
    for (unsigned k = 0; k < 4; k++) {
        if (tail & 8u >> k) move_crumb(w, at, 8u >> k, 4 + k);
        at += tail & 8u >> k;
    }
}

/* ---- bulk and tensor copies ---- */

typedef struct bulk_walk {
    walk *w;
    haul_traffic *traffic;
} bulk_walk;

/* Called for each request of a copy. A part of a tensor copy's box outside the array has no line: nothing is fetched.
 */
static void fetch_bulk(void *context, uint64_t line, unsigned mask) {
    const bulk_walk *b = context;
    if (line != SIM_NO_LINE) fetch(b->w, b->traffic, line, mask);
}

static haul_traffic *bulk_traffic(walk *w) {
    return &w->d->classes[w->loads ? HAUL_CLASS_BULK_LOAD : HAUL_CLASS_BULK_STORE];
}

/* One thread's instruction that starts a copy. */
static void ask_for_copy(walk *w, unsigned thread) {
    bulk_traffic(w)->instructions++;
    bulk_traffic(w)->requests++;
    w->d->pieces++;
    w->issued[thread]++;
}

/* Bulk copies of each element's body, started by up to a warp's threads in turn. */
static void copy_elements(walk *w) {
    bulk_walk b = {w, bulk_traffic(w)};
    const uint32_t bytes = body_bytes(w);
    uint32_t askers = w->size < SIM_LANES ? w->size : SIM_LANES;
    if (w->t->count < askers) askers = w->t->count;
    w->d->width = bytes;
    if (bytes == 0) return;
    w->d->steps = (w->t->count + askers - 1) / askers;
    for (unsigned round = 0; round < w->d->steps; round++) {
        access a = {.warp = 0};
        for (unsigned lane = 0; lane < askers && (uint64_t)round * askers + lane < w->t->count; lane++) {
            const unsigned e = round * askers + lane;
            a.element[lane] = e;
            set_lane(&a, lane, element_address(w, e) + w->head,
                     (uint32_t)(w->k->c.shared + e * w->t->shared_pitch + w->head));
        }
        read_index(w, &a);
        for (uint32_t left = a.active; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            ask_for_copy(w, lane);
            const sim_bulk_move move = {a.global[lane], a.shared[lane], bytes, w->loads, false};
            sim_traffic_bulk(b.traffic, &move, fetch_bulk, &b);
        }
    }
    w->d->bytes += (uint64_t)w->t->count * bytes;
}

/* Returns the map that the engine would get. Elements of 16 bytes count as two of 8, since no tensor type is larger. */
static sim_tensor tensor_of(const walk *w) {
    static const uint32_t types[] = {SIM_TENSOR_U8, SIM_TENSOR_U16, SIM_TENSOR_U32, SIM_TENSOR_U64, SIM_TENSOR_U64};
    const haul_place *place = &w->k->c.place;
    const uint32_t pair = w->t->element == 16 ? 2 : 1;
    sim_tensor map = {.type = types[__builtin_ctz(w->t->element)], .rank = w->t->rank, .address = w->k->c.global};
    for (unsigned d = 0; d < w->t->rank; d++) {
        map.extent[d] = (uint64_t)place->extent[d] * (d == 0 ? pair : 1);
        map.box[d] = w->t->box[d] * (d == 0 ? pair : 1);
        map.step[d] = 1;
        if (d > 0) map.pitch[d - 1] = (uint64_t)place->pitch[d - 1];
        map.address -= (uint64_t)((int64_t)place->at[d] * (d ? place->pitch[d - 1] : (int64_t)w->t->element));
    }
    return map;
}

/* A tensor copy, row by row, as the engine fetches it. Thread 0 starts it. */
static void copy_box(walk *w) {
    const sim_tensor map = tensor_of(w);
    int32_t at[SIM_TENSOR_RANK];
    bulk_walk b = {w, bulk_traffic(w)};
    sim_tensor_walk rows;
    sim_tensor_row row;
    memcpy(at, w->k->c.place.at, sizeof at);
    if (w->t->element == 16) at[0] *= 2;
    ask_for_copy(w, 0);
    w->d->steps = 1;
    w->d->width = haul_box_rows(w->t) * haul_box_row(w->t);
    sim_tensor_walk_start(&rows, &map, at, !w->loads);
    while (sim_tensor_walk_next(&rows, &row)) {
        sim_traffic_row(b.traffic, &row, (uint32_t)w->k->c.shared, w->loads, fetch_bulk, &b);
        w->d->bytes += row.to - row.from;
    }
}

/* ---- all counts ---- */

/* Boxes have no crumbs: their rows consist of whole elements. */
static void walk_transfer(walk *w) {
    w->d->width = haul_piece_width(w->t, 0);
    if (w->t->shape == HAUL_SHAPE_BOX && w->t->radius) w->d->side_width = haul_piece_width(w->t, 1);
    switch (w->k->engine) {
    case HAUL_BY_TENSOR: copy_box(w); return;
    case HAUL_BY_BULK: copy_elements(w); break;
    default: move_area(w, 0); move_area(w, 1);
    }
    if (w->t->shape != HAUL_SHAPE_BOX) move_crumbs(w);
}

/* Returns the bytes that device memory moves. If transfers are adjacent, the rest of a sector at the edge of one
 * belongs to the neighbour, which finds it in L2. Rows with gaps and indirect rows have no such neighbours; and a read
 * loads whole fetch units. */
static uint64_t memory_bytes(const walk *w, const sim_sector_set_size *seen) {
    const haul_transfer *t = w->t;
    const bool dense = t->shape == HAUL_SHAPE_ROWS && (t->count == 1 || t->global_pitch == t->bytes);
    if (t->shape == HAUL_SHAPE_BOX || dense) return w->d->bytes;
    const bool by_pairs = w->loads && w->k->machine->l2_fetch_bytes >= 64;
    return by_pairs ? 64 * seen->pairs : 32 * seen->sectors;
}

/* Sums over the classes of traffic. Indices are taken out of the requests and sectors, which are about the data. */
static void sum_up(walk *w) {
    haul_diagnosis *d = w->d;
    haul_traffic sum = {0};
    for (unsigned class = HAUL_CLASS_GLOBAL_LOAD; class < HAUL_CLASS_COUNT; class ++) {
        haul_traffic *t = &d->classes[class];
        t->bank_conflicts = sim_traffic_conflicts((haul_memory_class) class, t);
        haul_traffic_add(&sum, t);
    }
    d->requests = sum.requests - d->index.requests;
    d->sectors = sum.sectors - d->index.sectors;
    d->ideal_sectors = sum.ideal_sectors - d->index.ideal_sectors;
    d->tag_wavefronts = sum.wavefronts - d->index.wavefronts;
    d->shared_wavefronts = sum.shared_wavefronts - d->index.shared_wavefronts;
    d->bank_conflicts = sum.bank_conflicts;
    const sim_sector_set_size seen = sim_sector_set_measure(&w->seen);
    d->distinct_sectors = seen.sectors;
    d->memory_bytes = memory_bytes(w, &seen);
    for (unsigned i = 0; i < w->size; i++)
        if (w->issued[i] > d->instructions_per_thread) d->instructions_per_thread = w->issued[i];
}

haul_status diagnose_count(const diagnose_case *k, haul_diagnosis *d) {
    walk *w = memory_zeroed(1, sizeof *w);
    if (!w) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory to follow a transfer");
    *w = (walk){.k = k, .t = &k->t, .d = d, .size = k->team_threads};
    w->loads = k->c.direction == HAUL_DIRECTION_LOAD;
    w->head = haul_head_bytes(&k->t, (uint32_t)k->c.shared);
    haul_status status = sim_l1_create(d->occupancy.l1_bytes, &w->l1);
    if (status == HAUL_OK) walk_transfer(w), sum_up(w);
    if (w->seen.overflowed) status = haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory to follow a transfer");
    sim_l1_free(w->l1);
    sim_sector_set_free(&w->seen);
    memory_free(w);
    return status;
}
