/* The engines: how the pieces of a transfer are moved. Nothing here waits, except as the instructions themselves do.
 * haul/device/transfers.h and pipeline.h add the waits. */
#ifndef HAUL_DEVICE_ENGINE_H
#define HAUL_DEVICE_ENGINE_H

#include <haul/device/memory.h>
#include <haul/device/team.h>
#include <haul/device/tensor.h>

#ifdef __clang__ /* loops with bounds known only at run time are not unrolled: do not warn */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* The architecture whose engines need no channel. */
#define HAUL_OLDER_ARCH (HAUL_HAS_LDGSTS ? 80u : HAUL_ARCH + 0u)

/* The channel on which bulk and tensor loads of a team complete. The memory holds the mbarrier; the rest is per
 * thread. */
typedef unsigned long long haul_channel_memory;

typedef struct haul_channel {
    unsigned barrier;
    unsigned parity; /* of the phase that the next wait waits for */
    unsigned bytes;  /* requested since the last wait */
} haul_channel;

/* A transfer in flight, in the registers of each thread of the team. */
typedef struct haul_flight {
    haul_transfer t;
    haul_place place; /* boxes */
    haul_team team;
    haul_channel *channel; /* loads by bulk and tensor copies */
    haul_direction direction;
    unsigned engine;
    unsigned shared;
    unsigned long long global;
    const void *index;          /* INDIRECT */
    const haul_tensor_map *map; /* tensor copies */
    unsigned head;              /* bytes before the first full-width piece of each element */
    unsigned fill;              /* value of elements outside the array, as a word */
    uint4 *held;                /* LDG: data that this thread has loaded and not yet stored */
} haul_flight;

/* Declares a flight. Its registers are a separate variable: a compiler splits the flight into registers, and folds a
 * constant descriptor, before it has unrolled the loops that index them. */
#define HAUL_FLIGHT(name)               \
    uint4 name##_held[HAUL_HELD_LIMIT]; \
    haul_flight name;                   \
    name.held = name##_held

/* ---- addresses of pieces ---- */

HAUL_DEVICE long long haul_index_at(const haul_flight *f, unsigned element) {
    if (f->t.how & HAUL_INDEX_64) return ((const long long *)f->index)[element];
    return ((const unsigned *)f->index)[element];
}

/* The global address of an element's first byte. */
HAUL_DEVICE unsigned long long haul_element_address(const haul_flight *f, unsigned element) {
    const long long row = f->t.shape == HAUL_SHAPE_INDIRECT ? haul_index_at(f, element) : (long long)element;
    return f->global + (unsigned long long)(row * f->t.global_pitch);
}

HAUL_DEVICE unsigned long long haul_piece_address(const haul_flight *f, const haul_piece *p) {
    const unsigned long long base = f->t.shape == HAUL_SHAPE_INDIRECT ? haul_element_address(f, p->element) : f->global;
    return base + (unsigned long long)p->global;
}

/* ---- one piece: from its source into a register, and from there to its destination. Rows and boxes, loads and stores
 * each have their own functions, so that a compiler does not process the others' code. ---- */

HAUL_DEVICE void haul_put_global(const haul_flight *f, unsigned long long to, const uint4 *v, unsigned width) {
    if (f->direction == HAUL_DIRECTION_ADD)
        haul_add_global(to, v, width, f->t.how);
    else
        haul_store_global(to, v, width, f->t.how);
}

HAUL_DEVICE void haul_fetch_rows_load(const haul_flight *f, unsigned area, unsigned i, uint4 *v) {
    const haul_piece p = haul_row_piece(&f->t, f->head, i);
    haul_load_global(v, haul_piece_address(f, &p), haul_rows_width(&f->t, area), f->t.how);
}

HAUL_DEVICE void haul_put_rows_load(const haul_flight *f, unsigned area, unsigned i, const uint4 *v) {
    const haul_piece p = haul_row_piece(&f->t, f->head, i);
    haul_store_shared(f->shared + (unsigned)p.shared, v, haul_rows_width(&f->t, area));
}

HAUL_DEVICE void haul_fetch_rows_store(const haul_flight *f, unsigned area, unsigned i, uint4 *v) {
    const haul_piece p = haul_row_piece(&f->t, f->head, i);
    haul_load_shared(v, f->shared + (unsigned)p.shared, haul_rows_width(&f->t, area));
}

HAUL_DEVICE void haul_put_rows_store(const haul_flight *f, unsigned area, unsigned i, const uint4 *v) {
    const haul_piece p = haul_row_piece(&f->t, f->head, i);
    haul_put_global(f, haul_piece_address(f, &p), v, haul_rows_width(&f->t, area));
}

/* Loads a piece that is partly or wholly outside the array, element by element; outside elements are filled. */
HAUL_DEVICE void haul_load_clipped(const haul_flight *f, const haul_piece *p, unsigned width) {
    const unsigned element = f->t.element, shared = f->shared + (unsigned)p->shared;
    const uint4 fill = make_uint4(f->fill, f->fill, f->fill, f->fill);
    if (p->state == HAUL_PIECE_FILL) {
        haul_store_shared(shared, &fill, width);
        return;
    }
    for (unsigned at = 0; at < width; at += element) {
        uint4 v = fill;
        if (at - p->skip < p->valid) haul_load_ca(&v, f->global + (unsigned long long)p->global + at, element);
        haul_store_shared(shared + at, &v, element);
    }
}

/* The same for stores; outside elements are not stored. */
HAUL_DEVICE void haul_store_clipped(const haul_flight *f, const haul_piece *p, unsigned width) {
    const unsigned element = f->t.element;
    if (p->state == HAUL_PIECE_FILL) return;
    for (unsigned at = p->skip; at < p->skip + p->valid; at += element) {
        uint4 v;
        haul_load_shared(&v, f->shared + (unsigned)p->shared + at, element);
        haul_put_global(f, f->global + (unsigned long long)p->global + at, &v, element);
    }
}

HAUL_DEVICE void haul_fetch_box_load(const haul_flight *f, unsigned area, unsigned i, uint4 *v) {
    const haul_piece p = haul_box_piece(&f->t, &f->place, area, i);
    if (p.state != HAUL_PIECE_COPY) return;
    haul_load_global(v, f->global + (unsigned long long)p.global, haul_box_width(&f->t, area), f->t.how);
}

HAUL_DEVICE void haul_put_box_load(const haul_flight *f, unsigned area, unsigned i, const uint4 *v) {
    const haul_piece p = haul_box_piece(&f->t, &f->place, area, i);
    if (p.state == HAUL_PIECE_COPY)
        haul_store_shared(f->shared + (unsigned)p.shared, v, haul_box_width(&f->t, area));
    else
        haul_load_clipped(f, &p, haul_box_width(&f->t, area));
}

HAUL_DEVICE void haul_fetch_box_store(const haul_flight *f, unsigned area, unsigned i, uint4 *v) {
    const haul_piece p = haul_box_piece(&f->t, &f->place, area, i);
    haul_load_shared(v, f->shared + (unsigned)p.shared, haul_box_width(&f->t, area));
}

HAUL_DEVICE void haul_put_box_store(const haul_flight *f, unsigned area, unsigned i, const uint4 *v) {
    const haul_piece p = haul_box_piece(&f->t, &f->place, area, i);
    if (p.state == HAUL_PIECE_COPY)
        haul_put_global(f, f->global + (unsigned long long)p.global, v, haul_box_width(&f->t, area));
    else
        haul_store_clipped(f, &p, haul_box_width(&f->t, area));
}

/* ---- all pieces of this thread: numbers rank, rank + size, ... ---- */

/* Steps that the busiest thread of the team makes for `count` pieces. */
HAUL_DEVICE unsigned haul_steps(const haul_flight *f, unsigned count) {
    return (count + f->team.size - 1) / f->team.size;
}

/* Whether this thread has a piece in step k; constant if the whole team has one. */
HAUL_DEVICE int haul_has_step(const haul_flight *f, unsigned count, unsigned k) {
    const unsigned size = f->team.size;
    return (k + 1) * size <= count || f->team.rank + k * size < count;
}

/* Moves pieces through registers, as many at a time as may be in flight. hold_... loads the first ones into f->held,
 * release_... stores them, move_... does the steps of an area from `from` on. The loops' bounds are known only once a
 * constant descriptor has been folded; code for other descriptors stays small. */
#define HAUL_DEFINE_MOVES(kind, way)                                                                               \
    HAUL_DEVICE void haul_hold_##kind##_##way(haul_flight *f) {                                                    \
        const unsigned count = haul_##kind##_count(&f->t, 0, f->head), size = f->team.size;                        \
        const unsigned held = haul_smaller(haul_##kind##_held(f), haul_steps(f, count));                           \
        HAUL_UNROLL                                                                                                \
        for (unsigned k = 0; k < held; k++) {                                                                      \
            if (haul_has_step(f, count, k)) haul_fetch_##kind##_##way(f, 0, f->team.rank + k * size, &f->held[k]); \
        }                                                                                                          \
    }                                                                                                              \
    HAUL_DEVICE void haul_release_##kind##_##way(haul_flight *f) {                                                 \
        const unsigned count = haul_##kind##_count(&f->t, 0, f->head), size = f->team.size;                        \
        const unsigned held = haul_smaller(haul_##kind##_held(f), haul_steps(f, count));                           \
        HAUL_UNROLL                                                                                                \
        for (unsigned k = 0; k < held; k++) {                                                                      \
            if (haul_has_step(f, count, k)) haul_put_##kind##_##way(f, 0, f->team.rank + k * size, &f->held[k]);   \
        }                                                                                                          \
    }                                                                                                              \
    HAUL_DEVICE void haul_move_##kind##_##way(haul_flight *f, unsigned area, unsigned from) {                      \
        const unsigned count = haul_##kind##_count(&f->t, area, f->head), size = f->team.size;                     \
        const unsigned steps = haul_steps(f, count), held = haul_##kind##_held(f);                                 \
        uint4 v[HAUL_HELD_LIMIT];                                                                                  \
        for (unsigned first = from; first < steps; first += held) {                                                \
            HAUL_UNROLL                                                                                            \
            for (unsigned k = 0; k < held; k++) {                                                                  \
                if (first + k < steps && haul_has_step(f, count, first + k))                                       \
                    haul_fetch_##kind##_##way(f, area, f->team.rank + (first + k) * size, &v[k]);                  \
            }                                                                                                      \
            HAUL_UNROLL                                                                                            \
            for (unsigned k = 0; k < held; k++) {                                                                  \
                if (first + k < steps && haul_has_step(f, count, first + k))                                       \
                    haul_put_##kind##_##way(f, area, f->team.rank + (first + k) * size, &v[k]);                    \
            }                                                                                                      \
        }                                                                                                          \
    }

HAUL_DEVICE unsigned haul_rows_held(const haul_flight *f) {
    return haul_held_of(&f->t, haul_rows_width(&f->t, 0));
}

HAUL_DEVICE unsigned haul_box_held(const haul_flight *f) {
    return haul_held_of(&f->t, haul_box_width(&f->t, 0));
}

HAUL_DEFINE_MOVES(rows, load)
HAUL_DEFINE_MOVES(rows, store)
HAUL_DEFINE_MOVES(box, load)
HAUL_DEFINE_MOVES(box, store)

HAUL_DEVICE void haul_ldgsts_rows(haul_flight *f) {
    const unsigned count = haul_rows_count(&f->t, 0, f->head), steps = haul_steps(f, count);
    const unsigned width = haul_rows_width(&f->t, 0);
#pragma unroll 8
    for (unsigned k = 0; k < steps; k++) {
        if (!haul_has_step(f, count, k)) continue;
        const haul_piece p = haul_row_piece(&f->t, f->head, f->team.rank + k * f->team.size);
        haul_ldgsts(f->shared + (unsigned)p.shared, haul_piece_address(f, &p), width, f->t.how);
    }
}

HAUL_DEVICE void haul_ldgsts_box(haul_flight *f, unsigned area) {
    const unsigned count = haul_box_count(&f->t, area, 0), steps = haul_steps(f, count);
    const unsigned width = haul_box_width(&f->t, area);
#pragma unroll 8
    for (unsigned k = 0; k < steps; k++) {
        if (!haul_has_step(f, count, k)) continue;
        const haul_piece p = haul_box_piece(&f->t, &f->place, area, f->team.rank + k * f->team.size);
        if (p.state == HAUL_PIECE_COPY)
            haul_ldgsts(f->shared + (unsigned)p.shared, f->global + (unsigned long long)p.global, width, f->t.how);
        else
            haul_load_clipped(f, &p, width);
    }
}

/* ---- crumbs: the narrow accesses of each element before and after its full-width pieces ---- */

HAUL_DEVICE void haul_load_crumb(const haul_flight *f, unsigned shared, unsigned long long global, unsigned width) {
    uint4 v;
    if (f->engine == HAUL_CARRIED_BY_LDGSTS && width >= 4) {
        haul_ldgsts_short(shared, global, width, f->t.how);
    } else {
        haul_load_ca(&v, global, width);
        haul_store_shared(shared, &v, width);
    }
}

HAUL_DEVICE void haul_store_crumb(const haul_flight *f, unsigned shared, unsigned long long global, unsigned width) {
    uint4 v;
    haul_load_shared(&v, shared, width);
    haul_put_global(f, global, &v, width);
}

/* Bytes of an element that full-width pieces, or a bulk copy, move. */
HAUL_DEVICE unsigned haul_body_bytes(const haul_flight *f) {
    const unsigned width = f->engine == HAUL_CARRIED_BY_BULK ? 16 : haul_rows_width(&f->t, 0);
    return (f->t.bytes - f->head) / width * width;
}

HAUL_DEVICE int haul_has_crumbs(const haul_flight *f) {
    return f->t.shape != HAUL_SHAPE_BOX && haul_body_bytes(f) != f->t.bytes;
}

/* Crumb k of 8 of every element. A head's crumbs go from narrow to wide, towards the boundary; a tail's from wide to
 * narrow. Thread k of the team starts with crumb k, so that the crumbs of one element are in flight together. */
#define HAUL_DEFINE_CRUMBS(name)                                                                        \
    HAUL_DEVICE void haul_##name##_crumb_number(haul_flight *f, unsigned k) {                           \
        const unsigned head = f->head, body = haul_body_bytes(f), tail = f->t.bytes - head - body;      \
        const unsigned width = k < 4 ? 1u << k : 128u >> k;                                             \
        const unsigned offset = k < 4 ? head & (width - 1) : head + body + (tail & ~(2 * width - 1));   \
        const unsigned size = f->team.size, shift = size > 8 ? k : 0, rank = f->team.rank;              \
        if (!((k < 4 ? head : tail) & width)) return;                                                   \
        const unsigned turn = rank >= shift ? rank - shift : rank + size - shift;                       \
        for (unsigned first = 0; first < f->t.count;                                                    \
             first += size) { /* the same number of times for all threads: warps do not diverge */      \
            const unsigned e = first + turn;                                                            \
            if (e < f->t.count)                                                                         \
                haul_##name##_crumb(f, f->shared + e * f->t.shared_pitch + offset,                      \
                                    haul_element_address(f, e) + offset, width);                        \
        }                                                                                               \
    }                                                                                                   \
    HAUL_DEVICE void haul_##name##_crumbs(haul_flight *f) {                                             \
        const unsigned first = f->t.how & HAUL_CONGRUENT ? 0 : 4, end = haul_has_crumbs(f) ? 8 : first; \
        HAUL_UNROLL                                                                                     \
        for (unsigned k = first; k < end; k++) haul_##name##_crumb_number(f, k);                        \
    }

HAUL_DEFINE_CRUMBS(load)
HAUL_DEFINE_CRUMBS(store)

/* ---- bulk and tensor copies ---- */

/* Number of threads that issue copies: up to a warp, each for one element in turn. */
HAUL_DEVICE unsigned haul_askers(const haul_flight *f) {
    return haul_smaller(haul_smaller(f->team.size, 32), f->t.count);
}

/* ---- starting, for any engine: no waits, no barriers ---- */

HAUL_DEVICE int haul_is_bulk(const haul_flight *f) {
    return HAUL_HAS_BULK && (f->engine == HAUL_CARRIED_BY_BULK || f->engine == HAUL_CARRIED_BY_TENSOR);
}

#if HAUL_HAS_BULK
/* An element's place in both memories, after its head. */
HAUL_DEVICE unsigned haul_bulk_shared(const haul_flight *f, unsigned e) {
    return f->shared + e * f->t.shared_pitch + f->head;
}
HAUL_DEVICE unsigned long long haul_bulk_global(const haul_flight *f, unsigned e) {
    return haul_element_address(f, e) + f->head;
}

/* Adds to the bytes that the next wait on the flight's channel waits for. */
HAUL_DEVICE void haul_ask(haul_flight *f, unsigned bytes) {
    f->channel->bytes += bytes;
}

HAUL_DEVICE void haul_bulk_rows_load(haul_flight *f) {
    const unsigned bytes = haul_body_bytes(f), askers = haul_askers(f);
    haul_ask(f, bytes * f->t.count);
    if (bytes == 0 || f->team.rank >= askers) return;
    for (unsigned first = 0; first < f->t.count; first += askers) {
        const unsigned e = first + f->team.rank;
        if (e >= f->t.count) continue;
        haul_bulk_load(haul_bulk_shared(f, e), haul_bulk_global(f, e), bytes, f->channel->barrier, f->t.how);
    }
}

HAUL_DEVICE void haul_bulk_rows_store(haul_flight *f) {
    const unsigned bytes = haul_body_bytes(f), askers = haul_askers(f);
    if (bytes == 0 || f->team.rank >= askers) return;
    for (unsigned first = 0; first < f->t.count; first += askers) {
        const unsigned e = first + f->team.rank;
        if (e >= f->t.count) continue;
        if (f->direction == HAUL_DIRECTION_ADD)
            haul_bulk_add(haul_bulk_global(f, e), haul_bulk_shared(f, e), bytes, f->t.how);
        else
            haul_bulk_store(haul_bulk_global(f, e), haul_bulk_shared(f, e), bytes, f->t.how);
    }
}

/* One thread issues the copy of the box. */
HAUL_DEVICE void haul_tensor_box_load(haul_flight *f) {
    haul_ask(f, haul_box_rows(&f->t) * haul_box_row(&f->t));
    if (f->team.rank != 0) return;
    haul_tensor_load(f->shared, f->map, f->t.rank, f->place.at, f->channel->barrier,
                     (f->t.how & HAUL_L2_EVICT_BITS) != 0, haul_l2_policy(f->t.how));
}

HAUL_DEVICE void haul_tensor_box_store(haul_flight *f) {
    if (f->team.rank != 0) return;
    if (f->direction == HAUL_DIRECTION_ADD)
        haul_tensor_add(f->shared, f->map, f->t.rank, f->place.at);
    else
        haul_tensor_store(f->shared, f->map, f->t.rank, f->place.at, (f->t.how & HAUL_L2_EVICT_BITS) != 0,
                          haul_l2_policy(f->t.how));
}
#endif

/* issue_...: the part that asynchronous engines carry. move_...: the part that goes through registers; `from`: the
 * first step that is not done yet. */
HAUL_DEVICE void haul_issue_rows_bodies(haul_flight *f) {
    if (f->engine == HAUL_CARRIED_BY_LDGSTS) haul_ldgsts_rows(f);
#if HAUL_HAS_BULK
    if (f->engine == HAUL_CARRIED_BY_BULK) haul_bulk_rows_load(f);
#endif
}

HAUL_DEVICE void haul_issue_rows_load(haul_flight *f) {
    haul_issue_rows_bodies(f);
    haul_load_crumbs(f);
}

HAUL_DEVICE void haul_move_all_rows_load(haul_flight *f, unsigned from) {
    haul_move_rows_load(f, 0, from);
    haul_load_crumbs(f);
}

/* Does either, for any engine. */
HAUL_DEVICE void haul_carry_rows_load(haul_flight *f) {
    if (f->engine == HAUL_CARRIED_BY_LDG)
        haul_move_rows_load(f, 0, 0);
    else
        haul_issue_rows_bodies(f);
    haul_load_crumbs(f);
}

HAUL_DEVICE void haul_issue_rows_store(haul_flight *f) {
#if HAUL_HAS_BULK
    if (f->engine == HAUL_CARRIED_BY_BULK) haul_bulk_rows_store(f);
#endif
    haul_store_crumbs(f);
}

HAUL_DEVICE void haul_move_all_rows_store(haul_flight *f) {
    haul_move_rows_store(f, 0, 0);
    haul_store_crumbs(f);
}

HAUL_DEVICE void haul_issue_box_load(haul_flight *f) {
    if (f->engine == HAUL_CARRIED_BY_LDGSTS) {
        HAUL_UNROLL
        for (unsigned area = 0; area < haul_areas(&f->t); area++) haul_ldgsts_box(f, area);
    }
#if HAUL_HAS_BULK
    if (f->engine == HAUL_CARRIED_BY_TENSOR) haul_tensor_box_load(f);
#endif
}

HAUL_DEVICE void haul_move_all_box_load(haul_flight *f, unsigned from) {
    HAUL_UNROLL
    for (unsigned area = 0; area < haul_areas(&f->t); area++) haul_move_box_load(f, area, area == 0 ? from : 0);
}

HAUL_DEVICE void haul_issue_box_store(haul_flight *f) {
#if HAUL_HAS_BULK
    if (f->engine == HAUL_CARRIED_BY_TENSOR) haul_tensor_box_store(f);
#endif
}

HAUL_DEVICE void haul_move_all_box_store(haul_flight *f) {
    HAUL_UNROLL
    for (unsigned area = 0; area < haul_areas(&f->t); area++) haul_move_box_store(f, area, 0);
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif

#endif
