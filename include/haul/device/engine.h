/* The engines: how the pieces of a transfer are moved, without waiting for anything but what the instructions wait for.
 * haul/device/transfers.h and pipeline.h add the waits. */
#ifndef HAUL_DEVICE_ENGINE_H
#define HAUL_DEVICE_ENGINE_H

#include <haul/device/memory.h>
#include <haul/device/team.h>
#include <haul/device/tensor.h>

/* What bulk and tensor loads of a team complete on. The memory holds the mbarrier; the rest is each thread's own. */
typedef unsigned long long haul_channel_memory;

typedef struct haul_channel {
    unsigned barrier;
    unsigned parity; /* of the phase that the next wait waits for */
    unsigned bytes;  /* asked for since the last wait */
} haul_channel;

/* A transfer under way, in the registers of each thread of the team. */
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
    unsigned fill;              /* what lies outside the array, as a word */
    uint4 *held;                /* LDG: what this thread has loaded and not yet stored */
} haul_flight;

/* Declares a flight. Its registers are a variable of their own: a compiler takes the flight apart, and folds a constant
 * descriptor, before it has unrolled the loops that index them. */
#define HAUL_FLIGHT(name)               \
    uint4 name##_held[HAUL_HELD_LIMIT]; \
    haul_flight name;                   \
    name.held = name##_held

/* ---- where pieces lie ---- */

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

/* ---- one piece ---- */

HAUL_DEVICE void haul_put_global(const haul_flight *f, unsigned long long to, const uint4 *v, unsigned width) {
    if (f->direction == HAUL_DIRECTION_ADD)
        haul_add_global(to, v, width, f->t.how);
    else
        haul_store_global(to, v, width, f->t.how);
}

/* A piece that is not wholly inside the array: element by element, outside ones filled (loads) or left out (stores). */
HAUL_DEVICE void haul_move_clipped(const haul_flight *f, const haul_piece *p, unsigned width) {
    const unsigned long long global = haul_piece_address(f, p);
    const unsigned shared = f->shared + (unsigned)p->shared, element = f->t.element;
    const uint4 fill = make_uint4(f->fill, f->fill, f->fill, f->fill);
    if (p->state == HAUL_PIECE_FILL) {
        if (f->direction == HAUL_DIRECTION_LOAD) haul_store_shared(shared, &fill, width);
        return;
    }
    for (unsigned at = 0; at < width; at += element) {
        const unsigned inside = at - p->skip < p->valid;
        uint4 v = fill;
        if (f->direction == HAUL_DIRECTION_LOAD) {
            if (inside) haul_load_ca(&v, global + at, element);
            haul_store_shared(shared + at, &v, element);
        } else if (inside) {
            haul_load_shared(&v, shared + at, element);
            haul_put_global(f, global + at, &v, element);
        }
    }
}

HAUL_DEVICE haul_piece haul_piece_of(const haul_flight *f, unsigned area, unsigned i) {
    return haul_piece_at(&f->t, &f->place, area, f->head, i);
}

/* The two halves of a piece's way through a register. */
HAUL_DEVICE void haul_fetch(const haul_flight *f, unsigned area, unsigned i, uint4 *v) {
    const haul_piece p = haul_piece_of(f, area, i);
    const unsigned width = haul_piece_width(&f->t, area);
    if (p.state != HAUL_PIECE_COPY) return;
    if (f->direction == HAUL_DIRECTION_LOAD)
        haul_load_global(v, haul_piece_address(f, &p), width, f->t.how);
    else
        haul_load_shared(v, f->shared + (unsigned)p.shared, width);
}

HAUL_DEVICE void haul_put(const haul_flight *f, unsigned area, unsigned i, const uint4 *v) {
    const haul_piece p = haul_piece_of(f, area, i);
    const unsigned width = haul_piece_width(&f->t, area);
    if (p.state != HAUL_PIECE_COPY)
        haul_move_clipped(f, &p, width);
    else if (f->direction == HAUL_DIRECTION_LOAD)
        haul_store_shared(f->shared + (unsigned)p.shared, v, width);
    else
        haul_put_global(f, haul_piece_address(f, &p), v, width);
}

/* ---- all pieces of this thread: numbers rank, rank + size, ... ---- */

/* How many steps the busiest thread of the team makes. */
HAUL_DEVICE unsigned haul_steps(const haul_flight *f, unsigned area) {
    return (haul_piece_count(&f->t, area, f->head) + f->team.size - 1) / f->team.size;
}

/* Whether this thread has a piece in step k; true for constants wherever the whole team has. */
HAUL_DEVICE int haul_has_step(const haul_flight *f, unsigned area, unsigned k) {
    const unsigned count = haul_piece_count(&f->t, area, f->head), size = f->team.size;
    return (k + 1) * size <= count || f->team.rank + k * size < count;
}

/* Loads the first pieces of area 0 into held registers. */
HAUL_DEVICE void haul_hold_first(haul_flight *f) {
    const unsigned held = haul_smaller(haul_held(&f->t), haul_steps(f, 0));
    HAUL_UNROLL
    for (unsigned k = 0; k < held; k++) {
        if (haul_has_step(f, 0, k)) haul_fetch(f, 0, f->team.rank + k * f->team.size, &f->held[k]);
    }
}

HAUL_DEVICE void haul_put_first(haul_flight *f) {
    const unsigned held = haul_smaller(haul_held(&f->t), haul_steps(f, 0));
    HAUL_UNROLL
    for (unsigned k = 0; k < held; k++) {
        if (haul_has_step(f, 0, k)) haul_put(f, 0, f->team.rank + k * f->team.size, &f->held[k]);
    }
}

/* Steps `from` and on through registers, as many at a time as may be in flight. */
HAUL_DEVICE void haul_move_steps(haul_flight *f, unsigned area, unsigned from) {
    const unsigned steps = haul_steps(f, area), held = haul_held(&f->t);
    uint4 v[HAUL_HELD_LIMIT];
    for (unsigned first = from; first < steps; first += held) {
        HAUL_UNROLL
        for (unsigned k = 0; k < held; k++) {
            if (first + k < steps && haul_has_step(f, area, first + k))
                haul_fetch(f, area, f->team.rank + (first + k) * f->team.size, &v[k]);
        }
        HAUL_UNROLL
        for (unsigned k = 0; k < held; k++) {
            if (first + k < steps && haul_has_step(f, area, first + k))
                haul_put(f, area, f->team.rank + (first + k) * f->team.size, &v[k]);
        }
    }
}

HAUL_DEVICE void haul_ldgsts_area(haul_flight *f, unsigned area) {
    const unsigned steps = haul_steps(f, area), width = haul_piece_width(&f->t, area);
#pragma unroll 8
    for (unsigned k = 0; k < steps; k++) {
        if (!haul_has_step(f, area, k)) continue;
        const haul_piece p = haul_piece_of(f, area, f->team.rank + k * f->team.size);
        if (p.state != HAUL_PIECE_COPY)
            haul_move_clipped(f, &p, width);
        else
            haul_ldgsts(f->shared + (unsigned)p.shared, haul_piece_address(f, &p), width, f->t.how);
    }
}

/* ---- crumbs: what is left of each element before and behind its full-width pieces ---- */

/* Bytes [offset, offset + width) of every element; by LDGSTS where it can. The team's thread number `turn` is the
 * first to have one, so that the crumbs of one element are under way at once. */
HAUL_DEVICE void haul_move_crumb(haul_flight *f, unsigned offset, unsigned width, unsigned turn) {
    const unsigned size = f->team.size, shift = size > 8 ? turn : 0;
    const unsigned first = f->team.rank >= shift ? f->team.rank - shift : f->team.rank + size - shift;
    for (unsigned e = first; e < f->t.count; e += size) {
        const unsigned shared = f->shared + e * f->t.shared_pitch + offset;
        const unsigned long long global = haul_element_address(f, e) + offset;
        uint4 v;
        if (f->direction != HAUL_DIRECTION_LOAD) {
            haul_load_shared(&v, shared, width);
            haul_put_global(f, global, &v, width);
        } else if (f->engine == HAUL_BY_LDGSTS && width >= 4) {
            haul_ldgsts(shared, global, width, f->t.how);
        } else {
            haul_load_ca(&v, global, width);
            haul_store_shared(shared, &v, width);
        }
    }
}

/* The bytes of an element that full-width pieces, or a bulk copy, take. */
HAUL_DEVICE unsigned haul_body_bytes(const haul_flight *f) {
    const unsigned width = f->engine == HAUL_BY_BULK ? 16 : haul_piece_width(&f->t, 0);
    return (f->t.bytes - f->head) / width * width;
}

HAUL_DEVICE int haul_has_crumbs(const haul_flight *f) {
    return f->t.shape != HAUL_SHAPE_BOX && haul_body_bytes(f) != f->t.bytes;
}

/* Crumb k of 8: in a head the narrowest first, towards the boundary; in a tail the widest first. */
HAUL_DEVICE void haul_move_crumb_number(haul_flight *f, unsigned k) {
    const unsigned head = f->head, body = haul_body_bytes(f), tail = f->t.bytes - head - body;
    const unsigned width = k < 4 ? 1u << k : 128u >> k;
    if (k < 4 && (head & width)) haul_move_crumb(f, head & (width - 1), width, k);
    if (k >= 4 && (tail & width)) haul_move_crumb(f, head + body + (tail & ~(2 * width - 1)), width, k);
}

HAUL_DEVICE void haul_move_crumbs(haul_flight *f) {
    const unsigned first = f->t.how & HAUL_CONGRUENT ? 0 : 4, end = haul_has_crumbs(f) ? 8 : first;
    HAUL_UNROLL
    for (unsigned k = first; k < end; k++) haul_move_crumb_number(f, k);
}

/* ---- bulk and tensor copies ---- */

/* The threads that ask for copies: up to a warp, an element each in turn. */
HAUL_DEVICE unsigned haul_askers(const haul_flight *f) {
    return haul_smaller(haul_smaller(f->team.size, 32), f->t.count);
}

#if HAUL_HAS_BULK
HAUL_DEVICE void haul_bulk_elements(haul_flight *f) {
    const unsigned bytes = haul_body_bytes(f), askers = haul_askers(f);
    if (f->direction == HAUL_DIRECTION_LOAD) f->channel->bytes += bytes * f->t.count;
    if (bytes == 0 || f->team.rank >= askers) return;
    for (unsigned e = f->team.rank; e < f->t.count; e += askers) {
        const unsigned shared = f->shared + e * f->t.shared_pitch + f->head;
        const unsigned long long global = haul_element_address(f, e) + f->head;
        if (f->direction == HAUL_DIRECTION_LOAD)
            haul_bulk_load(shared, global, bytes, f->channel->barrier, f->t.how);
        else if (f->direction == HAUL_DIRECTION_STORE)
            haul_bulk_store(global, shared, bytes, f->t.how);
        else
            haul_bulk_add(global, shared, bytes, f->t.how);
    }
}

/* One thread asks for the box. */
HAUL_DEVICE void haul_tensor_box(haul_flight *f) {
    const int hinted = (f->t.how & HAUL_L2_EVICT_BITS) != 0;
    const unsigned long long policy = haul_l2_policy(f->t.how);
    if (f->direction == HAUL_DIRECTION_LOAD) f->channel->bytes += haul_box_rows(&f->t) * haul_box_row(&f->t);
    if (f->team.rank != 0) return;
    if (f->direction == HAUL_DIRECTION_LOAD)
        haul_tensor_load(f->shared, f->map, f->t.rank, f->place.at, f->channel->barrier, hinted, policy);
    else if (f->direction == HAUL_DIRECTION_STORE)
        haul_tensor_store(f->shared, f->map, f->t.rank, f->place.at, hinted, policy);
    else
        haul_tensor_add(f->shared, f->map, f->t.rank, f->place.at);
}
#endif

/* ---- starting, whatever the engine: no waits, no barriers ---- */

/* Bytes to the next 16-byte boundary, if the transfer peels heads. */
HAUL_DEVICE unsigned haul_head_of(const haul_flight *f) {
    return f->t.how & HAUL_CONGRUENT ? haul_smaller((0u - f->shared) & 15u, f->t.bytes) : 0;
}

HAUL_DEVICE int haul_is_bulk(const haul_flight *f) {
    return HAUL_HAS_BULK && (f->engine == HAUL_BY_BULK || f->engine == HAUL_BY_TENSOR);
}

/* Issues everything that an asynchronous engine carries. */
HAUL_DEVICE void haul_issue(haul_flight *f) {
    if (f->engine == HAUL_BY_LDGSTS) {
        HAUL_UNROLL
        for (unsigned area = 0; area < haul_areas(&f->t); area++) haul_ldgsts_area(f, area);
    }
#if HAUL_HAS_BULK
    if (f->engine == HAUL_BY_BULK) haul_bulk_elements(f);
    if (f->engine == HAUL_BY_TENSOR) haul_tensor_box(f);
#endif
    haul_move_crumbs(f);
}

/* Moves everything through registers; `from`: the first step that is not done yet. */
HAUL_DEVICE void haul_move(haul_flight *f, unsigned from) {
    HAUL_UNROLL
    for (unsigned area = 0; area < haul_areas(&f->t); area++) haul_move_steps(f, area, area == 0 ? from : 0);
    haul_move_crumbs(f);
}

#endif
