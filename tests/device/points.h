/* Random transfers, the memory that they work on, and what they must leave there. */
#ifndef HAUL_DEVICE_POINTS_H
#define HAUL_DEVICE_POINTS_H

#include "point.h"

#include <haul/haul.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { BATCH = 24, MARGIN = 64, CANARY = 0xa5, LIST_BYTES = 32 * 8 };

typedef enum verb {
    LOAD,
    GATHER,
    HALO_LOAD,
    TILE_LOAD,
    STORE,
    SCATTER,
    HALO_STORE,
    TILE_STORE,
    ADD,
    SCATTER_ADD,
    TILE_ADD,
    VERBS
} verb;

static const char *const verb_names[VERBS] = {"load",  "gather",      "halo_load",  "tile_load",
                                              "store", "scatter",     "halo_store", "tile_store",
                                              "add",   "scatter_add", "tile_add"};

/* A launch: some points of one verb. Arena: global memory that transfers read or write; images: what is in shared
 * memory, before a store or after a load. */
typedef struct batch {
    verb verb;
    unsigned arch, count;
    unsigned most_rounds, most_shared;
    unsigned block[3], block_threads;
    point points[BATCH];
    haul_tensor tensors[BATCH]; /* of tiles; rank 0: not for the tensor copy engine */
    haul_tensor_view views[BATCH];
    long long origin[BATCH]; /* of tiles and halos: where the array's first element lies in the arena */
    size_t part[BATCH];      /* where each point's part of the arena begins */
    uint8_t *arena, *images, lists[BATCH * LIST_BYTES];
    size_t arena_bytes, images_bytes;
} batch;

static inline void must(haul_status status) {
    if (status != HAUL_OK) fail_msg("%s", haul_message());
}

/* ---- chance ---- */

static uint64_t chance;

static inline uint32_t below(uint32_t n) {
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((chance >> 32) * n) >> 32);
}

static inline bool one_in(uint32_t n) {
    return below(n) == 0;
}

static inline uint32_t between(uint32_t low, uint32_t high) {
    return low + below(high - low + 1);
}

static inline uint32_t rounded_up(uint32_t n, uint32_t unit) {
    return (n + unit - 1) / unit * unit;
}

static inline haul_direction direction_of(verb v) {
    return v < STORE ? HAUL_DIRECTION_LOAD : v < ADD ? HAUL_DIRECTION_STORE : HAUL_DIRECTION_ADD;
}

static inline bool is_indirect(verb v) {
    return v == GATHER || v == SCATTER || v == SCATTER_ADD;
}

static inline bool is_halo(verb v) {
    return v == HALO_LOAD || v == HALO_STORE;
}

static inline bool is_tile(verb v) {
    return v == TILE_LOAD || v == TILE_STORE || v == TILE_ADD;
}

/* ---- additions ---- */

static inline unsigned added_bytes(haul_how how) {
    return HAUL_ADD_BYTES(how);
}

/* A whole number below 2048 as a half-precision float, and back. */
static inline uint16_t half_of(uint32_t number) {
    if (number == 0) return 0;
    const unsigned exponent = 31 - (unsigned)__builtin_clz(number);
    return (uint16_t)((exponent + 15) << 10 | ((number << (10 - exponent)) & 0x3ff));
}

static inline uint32_t whole_of(uint16_t half) {
    return half == 0 ? 0 : (0x400u | (half & 0x3ff)) >> (25 - (half >> 10));
}

/* Small whole numbers, whose sums are exact in every type. */
static inline void put_number(haul_how how, uint8_t *to, uint32_t number) {
    const float f = (float)number;
    const double d = number;
    const uint16_t h = half_of(number);
    const uint64_t wide = number;
    uint32_t bits;
    switch (how & HAUL_ADD_BITS) {
    case HAUL_ADD_F32: memcpy(to, &f, 4); break;
    case HAUL_ADD_F64: memcpy(to, &d, 8); break;
    case HAUL_ADD_F16: memcpy(to, &h, 2); break;
    case HAUL_ADD_BF16:
        memcpy(&bits, &f, 4);
        memcpy(to, (uint8_t *)&bits + 2, 2);
        break;
    default: memcpy(to, &wide, added_bytes(how));
    }
}

static inline uint32_t number_at(haul_how how, const uint8_t *from) {
    float f = 0;
    double d;
    uint16_t h;
    uint32_t bits = 0;
    switch (how & HAUL_ADD_BITS) {
    case HAUL_ADD_F32: memcpy(&f, from, 4); return (uint32_t)f;
    case HAUL_ADD_F64: memcpy(&d, from, 8); return (uint32_t)d;
    case HAUL_ADD_F16: memcpy(&h, from, 2); return whole_of(h);
    case HAUL_ADD_BF16:
        memcpy((uint8_t *)&bits + 2, from, 2);
        memcpy(&f, &bits, 4);
        return (uint32_t)f;
    default: memcpy(&bits, from, 4); return bits;
    }
}

static inline void fill_numbers(haul_how how, uint8_t *to, size_t bytes) {
    const unsigned unit = added_bytes(how);
    for (size_t i = 0; i + unit <= bytes; i += unit) put_number(how, to + i, below(8));
}

static inline void fill_bytes(uint8_t *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) to[i] = (uint8_t)below(256);
}

/* ---- teams ---- */

/* One thread, a warp, 1 to 16 warps (with others beside them or not), or the block. */
static inline void draw_team(const batch *b, point *p) {
    const unsigned warps = b->block_threads / 32;
    p->team_kind = (haul_team_kind)below(4);
    if (warps == 0) p->team_kind = one_in(3) ? HAUL_TEAM_THREAD : HAUL_TEAM_BLOCK;
    p->threads = b->block_threads;
    if (p->team_kind == HAUL_TEAM_THREAD) p->team = below(b->block_threads), p->threads = 1;
    if (p->team_kind == HAUL_TEAM_WARP) p->team = below(warps), p->threads = 32;
    if (p->team_kind == HAUL_TEAM_WARPS) {
        p->threads = 32 * between(1, warps < 16 ? warps : 16);
        p->team = below(warps - p->threads / 32 + 1);
        if (p->threads < b->block_threads && one_in(2)) p->flags |= POINT_SPECIALISED;
    }
    p->t.threads = one_in(2) ? p->threads : 0;
}

/* ---- how ---- */

static inline haul_how draw_eviction(void) {
    static const haul_how priorities[] = {0, HAUL_L2_EVICT_FIRST, HAUL_L2_EVICT_LAST, HAUL_L2_EVICT_UNCHANGED};
    return one_in(4) ? priorities[below(COUNT(priorities))] : 0;
}

static inline haul_how draw_load_qualifiers(haul_how how) {
    static const haul_how operators[] = {0,
                                         HAUL_LOAD_CA,
                                         HAUL_LOAD_NC,
                                         HAUL_LOAD_NC | HAUL_LOAD_CA,
                                         HAUL_LOAD_NC_NO_ALLOCATE,
                                         HAUL_LOAD_CG,
                                         HAUL_LOAD_CS,
                                         HAUL_LOAD_LU,
                                         HAUL_LOAD_CV,
                                         HAUL_LOAD_NC | HAUL_LOAD_CG,
                                         HAUL_LOAD_NC | HAUL_LOAD_CS};
    static const haul_how fetches[] = {HAUL_L2_FETCH_64, HAUL_L2_FETCH_128, HAUL_L2_FETCH_256};
    const haul_how engine = how & HAUL_ENGINE_BITS;
    const unsigned which = engine == HAUL_BY_LDG && one_in(2) ? below(COUNT(operators)) : 0;
    how |= operators[which];
    if (which <= 4) how |= draw_eviction();
    if (which <= 3 && (engine == HAUL_BY_LDG || engine == HAUL_BY_LDGSTS) && !(how & HAUL_L2_EVICT_BITS) && one_in(4))
        how |= fetches[below(3)];
    return how;
}

static inline haul_how draw_store_qualifiers(haul_how how) {
    static const haul_how operators[] = {0, HAUL_STORE_WB, HAUL_STORE_CG, HAUL_STORE_CS, HAUL_STORE_WT};
    const unsigned which = (how & HAUL_ENGINE_BITS) == HAUL_BY_LDG && one_in(2) ? below(COUNT(operators)) : 0;
    return how | operators[which] | (which <= 1 ? draw_eviction() : 0);
}

/* With the engine chosen: without the flags that it lacks. */
static inline haul_how draw_qualifiers(verb v, haul_how how) {
    const haul_how engine = how & HAUL_ENGINE_BITS ? how & HAUL_ENGINE_BITS : HAUL_NO_ENGINE;
#define LEAVE_OUT(how, flags, engines, shapes, text) \
    if (engine & ~(haul_how)(engines)) how &= ~(flags);
    HAUL_FLAG_TABLE(LEAVE_OUT, how)
#undef LEAVE_OUT
    return direction_of(v) == HAUL_DIRECTION_LOAD ? draw_load_qualifiers(how) : draw_store_qualifiers(how);
}

/* Everything but the engine's own conditions: `widest` is the widest access. */
static inline haul_how draw_how(verb v, unsigned widest) {
    haul_how how = 0;
    if (one_in(2)) how |= HAUL_IN_FLIGHT(widest * between(1, one_in(4) ? 256 / widest : 8));
    if (one_in(4)) how |= HAUL_DESTINATION_FREE;
    if (one_in(6))
        how |= HAUL_THROUGH_L1;
    else if (widest == 16 && one_in(4))
        how |= HAUL_BYPASS_L1;
    if (is_indirect(v) && one_in(2)) how |= HAUL_INDEX_64;
    return how;
}

static inline haul_how draw_addition(const batch *b) {
    if (direction_of(b->verb) != HAUL_DIRECTION_ADD) return 0;
    return HAUL_ADD_U32 << below(b->arch >= 90 ? 7 : 6);
}

/* ---- rows ---- */

/* Around a mean of 1 KiB, up to 32 KiB; every size modulo 16. */
static inline unsigned draw_element_bytes(void) {
    const uint32_t kind = below(16);
    if (kind < 4) return between(1, 64);
    if (kind < 10) return between(1, 1024);
    if (kind < 15) return between(512, 2560);
    return between(4096, 32768);
}

static inline void draw_rows_engine(const batch *b, haul_transfer *t) {
    const bool loads = direction_of(b->verb) == HAUL_DIRECTION_LOAD,
               wide = t->alignment == 16 || (t->how & HAUL_CONGRUENT);
    haul_how engines[4] = {HAUL_AUTO, HAUL_BY_LDG};
    unsigned count = 2;
    if (loads && (t->alignment >= 4 || wide)) engines[count++] = HAUL_BY_LDGSTS;
    if (b->arch >= 90 && wide) engines[count++] = HAUL_BY_BULK;
    t->how = draw_qualifiers(b->verb, t->how | engines[below(count)]);
}

/* From one element to the next in global memory. What is written must not overlap; what is read may, and may run
 * backwards. */
static inline long long draw_global_pitch(const batch *b, const haul_transfer *t, unsigned unit) {
    const long long apart = rounded_up(t->bytes, unit) + (long long)unit * below(5);
    if (b->verb == LOAD && one_in(8)) return (long long)unit * below(4);
    if ((b->verb == LOAD || b->verb == STORE || b->verb == ADD) && one_in(8)) return -apart;
    return apart;
}

static inline void draw_indices(batch *b, point *p, unsigned rows) {
    const bool apart = b->verb == SCATTER;
    const unsigned first = below(rows), step = apart ? 1 : between(0, 7);
    p->list = (unsigned long long)(p - b->points) * LIST_BYTES;
    for (unsigned i = 0; i < p->t.count; i++) {
        const uint64_t row = apart && i < 2 ? (first + 1 - i) % rows : (first + (uint64_t)i * step) % rows;
        const uint32_t narrow = (uint32_t)row;
        if (p->t.how & HAUL_INDEX_64)
            memcpy(b->lists + p->list + 8 * i, &row, 8);
        else
            memcpy(b->lists + p->list + 4 * i, &narrow, 4);
    }
    p->list_bytes = rounded_up(p->t.count * (p->t.how & HAUL_INDEX_64 ? 8 : 4), 4);
    if (one_in(2)) p->flags |= POINT_INDEX_IN_SHARED;
}

/* Takes `bytes` of the arena. */
static inline long long arena_take(batch *b, long long bytes) {
    const size_t at = b->arena_bytes;
    b->arena_bytes = (at + (size_t)bytes + 15) / 16 * 16;
    return (long long)at;
}

static inline void draw_rows(batch *b, point *p) {
    haul_transfer *t = &p->t;
    const haul_how addition = draw_addition(b);
    const unsigned least = direction_of(b->verb) == HAUL_DIRECTION_ADD ? added_bytes(addition) : 1;
    do t->alignment = 1u << below(5);
    while (t->alignment < least);
    const bool congruent = one_in(3);
    const unsigned unit = congruent ? 16 : t->alignment;
    t->how = draw_how(b->verb, unit) | addition | (congruent ? HAUL_CONGRUENT : 0);
    draw_rows_engine(b, t);
    t->shape = is_indirect(b->verb) ? HAUL_SHAPE_INDIRECT : HAUL_SHAPE_ROWS;
    t->bytes = rounded_up(draw_element_bytes(), least);
    t->count = one_in(4) && !is_indirect(b->verb) ? 1 : between(1, 32);
    t->shared_pitch = rounded_up(t->bytes, unit) + unit * below(5);
    while (t->count > 1 && t->count * t->shared_pitch > b->most_shared) t->count--;
    t->global_pitch = draw_global_pitch(b, t, unit);

    const unsigned offset = t->alignment * below(16 / t->alignment * 4);
    p->shared = MARGIN + offset;
    p->shared_bytes = rounded_up(p->shared + t->count * t->shared_pitch + MARGIN, 16);
    p->rounds = between(1, b->most_rounds);
    p->round_step = 16 * below(64);
    const unsigned rows = is_indirect(b->verb) ? t->count + below(t->count + 2) : t->count;
    const long long reach = t->global_pitch * (long long)(rows - 1), behind = reach < 0 ? 0 : reach;
    const unsigned place = congruent ? offset % 16 : t->alignment * below(16 / t->alignment);
    const long long before = reach < 0 ? (-reach + 15) / 16 * 16 : 0;
    p->global = before + place + 16 * below(8);
    p->global += arena_take(b, p->global + behind + t->bytes + (long long)(p->rounds - 1) * p->round_step);
    if (is_indirect(b->verb)) draw_indices(b, p, rows);
}

/* ---- boxes ---- */

static inline void draw_box_engine(const batch *b, haul_transfer *t) {
    haul_how engines[4] = {HAUL_AUTO, HAUL_BY_LDG};
    unsigned count = 2;
    const bool narrow = (t->alignment | t->box[0] * t->element | t->radius * t->element) % 4 != 0;
    if (direction_of(b->verb) == HAUL_DIRECTION_LOAD && !narrow) engines[count++] = HAUL_BY_LDGSTS;
    if (b->arch >= 90 && is_tile(b->verb) && haul_fits_tensor(t)) engines[count++] = HAUL_BY_TENSOR;
    t->how = draw_qualifiers(b->verb, t->how | engines[below(count)]);
}

/* A fill of elements of up to two bytes repeats them. */
static inline unsigned draw_fill(unsigned element) {
    const unsigned word = below(0xffffffff);
    if (element == 1) return (word & 0xff) * 0x01010101u;
    return element == 2 ? (word & 0xffff) * 0x00010001u : word;
}

/* An array's pitches, and a place in the arena for it. */
static inline void place_array(batch *b, point *p, unsigned rank, unsigned unit) {
    haul_place *place = &p->place;
    long long bytes = (long long)place->extent[0] * p->t.element;
    for (unsigned d = 1; d < rank; d++) {
        bytes = (bytes + unit - 1) / unit * unit + (long long)unit * below(3);
        place->pitch[d - 1] = bytes;
        bytes *= place->extent[d];
    }
    const long long start = unit * below(64 / unit);
    b->origin[p - b->points] = start + arena_take(b, start + bytes + (long long)(p->rounds - 1) * p->round_step);
    p->global = b->origin[p - b->points] + (long long)place->at[0] * p->t.element;
    for (unsigned d = 1; d < rank; d++) p->global += place->at[d] * place->pitch[d - 1];
}

/* Where along a dimension a box of `size` (with its ring) lies: inside, over an edge, beyond it. */
static inline int draw_position(unsigned extent, unsigned size, unsigned ring, bool inside) {
    if (inside) return (int)(ring + below(extent - size - 2 * ring + 1));
    return (int)below(extent + size + 4 * ring + 4) - (int)(size + 2 * ring + 2);
}

static inline void draw_halo(batch *b, point *p) {
    haul_transfer *t = &p->t;
    t->shape = HAUL_SHAPE_BOX;
    t->rank = 2;
    t->element = 1u << below(5);
    do t->alignment = 1u << below(5);
    while (t->alignment < t->element);
    t->radius = between(1, 8);
    t->box[0] = one_in(2) ? 8 * between(1, 8) : between(8, 64);
    t->box[1] = between(8, t->element > 4 ? 24 : 64);
    for (unsigned d = 2; d < 5; d++) t->box[d] = 1;
    t->shared_pitch = rounded_up((t->box[0] + 2 * t->radius) * t->element, t->alignment) + t->alignment * below(3);
    while (t->box[1] > 1 && (t->box[1] + 2 * t->radius) * t->shared_pitch > b->most_shared) t->box[1]--;
    t->how = draw_how(b->verb, t->alignment);
    if (one_in(3)) t->how |= HAUL_RING_ONLY;
    if (one_in(3)) t->how |= HAUL_NO_CORNERS;
    if (one_in(4)) t->how |= HAUL_UNBOUNDED;
    draw_box_engine(b, t);
    p->fill = draw_fill(t->element);
    const bool inside = (t->how & HAUL_UNBOUNDED) != 0;
    for (unsigned d = 0; d < 2; d++) {
        p->place.extent[d] = inside ? t->box[d] + 2 * t->radius + below(20) : between(1, 100);
        p->place.at[d] = draw_position(p->place.extent[d], t->box[d], t->radius, inside);
    }
    const int whole = (int)(t->alignment / t->element); /* the interior begins at a multiple of the alignment */
    if (inside) p->place.extent[0] += (unsigned)whole;
    p->place.at[0] = (p->place.at[0] + (inside ? whole - 1 : 0)) / whole * whole;
    p->rounds = between(1, b->most_rounds);
    p->round_step = 16 * below(64);
    const unsigned before = t->radius * (t->shared_pitch + t->element);
    p->shared = rounded_up(MARGIN + before, 16) + t->alignment * below(16 / t->alignment);
    p->shared_bytes = rounded_up(p->shared + (t->box[1] + t->radius) * t->shared_pitch + MARGIN, 16);
    place_array(b, p, 2, t->alignment);
}

static inline void draw_tile_box(const batch *b, haul_transfer *t, bool dense) {
    static const unsigned most[] = {256, 64, 12, 6, 4};
    const unsigned unit = dense ? 16 / t->element : 1;
    unsigned rows = 1;
    for (unsigned d = 0; d < 5; d++) {
        t->box[d] = d >= t->rank ? 1 : between(1, most[t->rank - 1] < 8 && d == 0 ? 24 : most[t->rank - 1]);
        if (d == 0) t->box[d] = rounded_up(t->box[d], unit);
        if (d == 0 && t->box[d] > 256) t->box[d] = 256;
    }
    t->shared_pitch =
        dense ? t->box[0] * t->element : rounded_up(t->box[0] * t->element, t->alignment) + t->alignment * below(3);
    for (unsigned d = 1; d < 5; d++) {
        while (t->box[d] > 1 && rows * t->box[d] * t->shared_pitch > b->most_shared) t->box[d]--;
        rows *= t->box[d];
    }
}

static const haul_tensor_type added_types[] = {HAUL_TENSOR_U32, HAUL_TENSOR_S32, HAUL_TENSOR_U64, HAUL_TENSOR_F32,
                                               HAUL_TENSOR_F64, HAUL_TENSOR_F16, HAUL_TENSOR_BF16};

/* The array's description for the tensor copy engine, once the place of the arena is known. */
static inline void describe_tensor(batch *b, const point *p) {
    static const haul_tensor_type types[] = {
        [1] = HAUL_TENSOR_U8, [2] = HAUL_TENSOR_U16, [4] = HAUL_TENSOR_F32, [8] = HAUL_TENSOR_U64};
    const haul_how addition = p->t.how & HAUL_ADD_BITS;
    haul_tensor *t = &b->tensors[p - b->points];
    t->rank = p->t.rank;
    t->type = addition ? added_types[__builtin_ctzll(addition / HAUL_ADD_U32)] : types[p->t.element];
    for (unsigned d = 0; d < 5; d++) {
        t->extent[d] = p->place.extent[d];
        t->box[d] = p->t.box[d];
        if (d < 4) t->pitch[d] = (uint64_t)p->place.pitch[d];
    }
}

static inline void draw_tile(batch *b, point *p) {
    haul_transfer *t = &p->t;
    const haul_how addition = draw_addition(b);
    const unsigned least = addition ? added_bytes(addition) : 1;
    const bool dense = one_in(2);
    t->shape = HAUL_SHAPE_BOX;
    t->rank = between(1, 5);
    do t->element = 1u << below(5);
    while (t->element < least || (dense && (t->element > 8 || (addition && t->element != least))));
    do t->alignment = dense ? 16 : 1u << below(5);
    while (t->alignment < t->element);
    draw_tile_box(b, t, dense);
    t->how = draw_how(b->verb, t->alignment) | addition;
    if (one_in(5)) t->how |= HAUL_UNBOUNDED;
    draw_box_engine(b, t);
    const bool tensor = haul_transfer_engine(t, direction_of(b->verb), b->arch) == HAUL_BY_TENSOR;
    const bool inside = (t->how & HAUL_UNBOUNDED) != 0;
    const int whole = (int)(t->alignment / t->element);
    p->fill = tensor ? 0 : draw_fill(t->element);
    for (unsigned d = 0; d < 5; d++) {
        const bool used = d < t->rank;
        p->place.extent[d] = !used ? 1 : inside ? t->box[d] + below(8) : between(1, t->box[d] + 12);
        p->place.at[d] = used ? draw_position(p->place.extent[d], t->box[d], 0, inside) : 0;
        if (d == 0 && inside) p->place.extent[d] += (unsigned)whole;
        if (d == 0) p->place.at[d] = (p->place.at[d] + (inside ? whole - 1 : 0)) / whole * whole;
        if (d == 0 && tensor) p->place.extent[d] = rounded_up(p->place.extent[d], (unsigned)whole);
        if (tensor && b->verb != TILE_LOAD && p->place.at[d] < 0) p->place.at[d] = 0;
    }
    p->rounds = between(1, b->most_rounds);
    p->shared = tensor ? 128 * between(1, 3) : MARGIN + t->alignment * below(64 / t->alignment);
    p->shared_bytes = rounded_up(p->shared + haul_box_rows(t) * t->shared_pitch + MARGIN, 16);
    place_array(b, p, t->rank, t->alignment);
    if (tensor) describe_tensor(b, p);
}

/* ---- a batch ---- */

static inline void draw_point(batch *b, point *p) {
    p->rounds = 1;
    if (is_halo(b->verb))
        draw_halo(b, p);
    else if (is_tile(b->verb))
        draw_tile(b, p);
    else
        draw_rows(b, p);
    draw_team(b, p);
    if (direction_of(b->verb) != HAUL_DIRECTION_LOAD) {
        p->flags &= ~(unsigned)POINT_SPECIALISED;
        if (one_in(2)) p->flags |= POINT_WAIT_READ;
    }
    p->image = b->images_bytes;
    b->images_bytes += (size_t)p->rounds * p->shared_bytes;
}

/* Numbers where numbers are added to, bytes elsewhere. Each point has its own part of the arena. */
static inline void fill_memory(batch *b) {
    fill_bytes(b->arena, b->arena_bytes);
    fill_bytes(b->images, b->images_bytes);
    if (direction_of(b->verb) != HAUL_DIRECTION_ADD) return;
    for (unsigned i = 0; i < b->count; i++) {
        const point *p = &b->points[i];
        const size_t begin = b->part[i];
        const size_t end = i + 1 == b->count ? b->arena_bytes : b->part[i + 1];
        fill_numbers(p->t.how, b->arena + begin, end - begin);
        fill_numbers(p->t.how, b->images + p->image, p->shared_bytes);
    }
}

/* Without points. */
static inline batch *batch_begin(uint64_t seed, unsigned arch, unsigned count) {
    static const unsigned blocks[][3] = {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {544, 1, 1},
                                         {32, 4, 2}, {20, 1, 1}, {16, 3, 4},  {8, 1, 24},  {640, 1, 1}};
    batch *b = calloc(1, sizeof *b);
    assert_non_null(b);
    chance = seed; /* neighbouring seeds are far apart after some steps */
    for (unsigned i = 0; i < 8; i++) chance ^= chance >> 29, below(2);
    b->verb = (verb)(below(VERBS));
    b->arch = arch;
    b->count = count;
    memcpy(b->block, blocks[below(COUNT(blocks))], sizeof b->block);
    b->block_threads = b->block[0] * b->block[1] * b->block[2];
    b->most_rounds = direction_of(b->verb) == HAUL_DIRECTION_LOAD ? 3 : 1;
    b->most_shared = 56 << 10;
    return b;
}

/* The last point's part ends where the arena ends: what is read behind it is a fault. */
static inline void batch_fill(batch *b) {
    b->arena = malloc(b->arena_bytes + 1);
    b->images = malloc(b->images_bytes);
    assert_true(b->arena && b->images);
    fill_memory(b);
}

static inline batch *batch_draw(uint64_t seed, unsigned arch, unsigned count) {
    batch *b = batch_begin(seed, arch, count);
    for (unsigned i = 0; i < count; i++) {
        b->part[i] = b->arena_bytes;
        draw_point(b, &b->points[i]);
    }
    batch_fill(b);
    return b;
}

static inline void batch_free(batch *b) {
    free(b->arena);
    free(b->images);
    free(b);
}

/* ---- what must come of it: plain loops over elements ---- */

/* One element: `bytes` at offset `shared` of the block's shared memory, and at `global` of the arena if it is inside
 * the array. */
typedef void visitor(void *context, const point *p, unsigned shared, long long global, unsigned bytes, bool inside);

static inline void visit_rows(const batch *b, const point *p, visitor *visit, void *context) {
    for (unsigned i = 0; i < p->t.count; i++) {
        uint64_t row = i;
        if (p->t.shape == HAUL_SHAPE_INDIRECT) {
            const unsigned wide = p->t.how & HAUL_INDEX_64 ? 8 : 4;
            row = 0;
            memcpy(&row, b->lists + p->list + (size_t)i * wide, wide);
        }
        visit(context, p, p->shared + i * p->t.shared_pitch, p->global + (long long)row * p->t.global_pitch, p->t.bytes,
              true);
    }
}

static inline bool in_halo(const haul_transfer *t, int x, int y) {
    const bool across = x < 0 || x >= (int)t->box[0], above = y < 0 || y >= (int)t->box[1];
    if (across && above) return !(t->how & HAUL_NO_CORNERS);
    return across || above || !(t->how & HAUL_RING_ONLY);
}

static inline void visit_halo(const point *p, visitor *visit, void *context) {
    const haul_transfer *t = &p->t;
    const int r = (int)t->radius, e = (int)t->element;
    for (int y = -r; y < (int)t->box[1] + r; y++) {
        for (int x = -r; x < (int)t->box[0] + r; x++) {
            if (!in_halo(t, x, y)) continue;
            const int column = p->place.at[0] + x, row = p->place.at[1] + y;
            const bool inside =
                column >= 0 && column < (int)p->place.extent[0] && row >= 0 && row < (int)p->place.extent[1];
            visit(context, p, (unsigned)((int)p->shared + y * (int)t->shared_pitch + x * e),
                  p->global + y * p->place.pitch[0] + x * e, t->element, inside);
        }
    }
}

static inline void visit_tile(const point *p, visitor *visit, void *context) {
    const haul_transfer *t = &p->t;
    const unsigned elements = haul_box_rows(t) * t->box[0];
    for (unsigned i = 0; i < elements; i++) {
        unsigned rest = i;
        bool inside = true;
        long long global = p->global;
        for (unsigned d = 0; d < t->rank; d++) {
            const unsigned at = rest % t->box[d];
            const int there = p->place.at[d] + (int)at;
            rest /= t->box[d];
            inside = inside && there >= 0 && there < (int)p->place.extent[d];
            global += (long long)at * (d ? p->place.pitch[d - 1] : (long long)t->element);
        }
        visit(context, p, p->shared + i / t->box[0] * t->shared_pitch + i % t->box[0] * t->element, global, t->element,
              inside);
    }
}

static inline void visit(const batch *b, const point *p, visitor *each, void *context) {
    if (is_halo(b->verb))
        visit_halo(p, each, context);
    else if (is_tile(b->verb))
        visit_tile(p, each, context);
    else
        visit_rows(b, p, each, context);
}

/* ---- carrying a transfer out on the host ---- */

typedef struct host_side {
    haul_direction direction;
    uint8_t *arena, *image; /* the image of this round; the arena as this round sees it */
} host_side;

static inline void carry(void *context, const point *p, unsigned shared, long long global, unsigned bytes,
                         bool inside) {
    const host_side *h = context;
    uint8_t *here = h->image + shared;
    if (h->direction == HAUL_DIRECTION_LOAD) {
        for (unsigned k = 0; k < bytes; k++)
            here[k] = inside ? h->arena[global + k] : ((const uint8_t *)&p->fill)[k % 4];
    } else if (inside && h->direction == HAUL_DIRECTION_STORE) {
        memcpy(h->arena + global, here, bytes);
    } else if (inside) {
        const unsigned unit = added_bytes(p->t.how);
        for (unsigned k = 0; k < bytes; k += unit)
            put_number(p->t.how, h->arena + global + k,
                       number_at(p->t.how, h->arena + global + k) + number_at(p->t.how, here + k));
    }
}

/* Makes arena and images what they must be after the launch. */
static inline void batch_carry_out(batch *b) {
    const haul_direction direction = direction_of(b->verb);
    for (unsigned i = 0; i < b->count; i++) {
        const point *p = &b->points[i];
        for (unsigned round = 0; round < p->rounds; round++) {
            uint8_t *image = b->images + p->image + (size_t)round * p->shared_bytes;
            const size_t step = is_tile(b->verb) ? 0 : (size_t)round * p->round_step;
            host_side h = {direction, b->arena + step, image};
            if (direction == HAUL_DIRECTION_LOAD) memset(image, CANARY, p->shared_bytes);
            visit(b, p, carry, &h);
        }
    }
}

/* ---- carrying it out on a device ---- */

typedef struct bench {
    haul_device *device;
    haul_buffer *points, *views, *arena, *images, *lists;
} bench;

static inline haul_buffer *upload(haul_device *device, const void *bytes, size_t count) {
    haul_buffer *buffer;
    must(haul_buffer_create(device, count, &buffer));
    must(haul_buffer_write(buffer, 0, bytes, count));
    return buffer;
}

static inline void make_views(batch *b, haul_buffer *arena) {
    for (unsigned i = 0; i < b->count; i++) {
        const point *p = &b->points[i];
        haul_tensor_view *v = &b->views[i];
        haul_tensor *t = &b->tensors[i];
        t->offset = (uint64_t)b->origin[i];
        t->buffer = arena;
        if (t->rank) must(haul_tensor_map_encode(t, &v->map));
        v->base = haul_buffer_address(arena) + (uint64_t)b->origin[i];
        memcpy(v->extent, p->place.extent, sizeof v->extent);
        memcpy(v->pitch, p->place.pitch, sizeof v->pitch);
        v->element = p->t.element;
        v->fill = p->fill;
    }
}

static inline bench bench_open(batch *b, haul_device *device) {
    bench m = {.device = device};
    m.arena = upload(device, b->arena, b->arena_bytes);
    make_views(b, m.arena);
    m.points = upload(device, b->points, sizeof b->points);
    m.views = upload(device, b->views, sizeof b->views);
    m.images = upload(device, b->images, b->images_bytes);
    m.lists = upload(device, b->lists, sizeof b->lists);
    return m;
}

static inline void bench_close(bench *m) {
    haul_buffer *all[] = {m->points, m->views, m->arena, m->images, m->lists};
    for (size_t i = 0; i < COUNT(all); i++) haul_buffer_free(all[i]);
}

/* Prints what `haul check` would report as an error or a warning; whether there was nothing. */
static inline bool run_is_clean(const haul_run *run) {
    bool clean = true;
    for (size_t i = 0; i < run->launch_count; i++) {
        const haul_launch_record *r = &run->launches[i];
        for (size_t k = 0; k < r->finding_count; k++) {
            const haul_finding *f = &r->findings[k];
            if (f->grade == HAUL_GRADE_ADVICE) continue;
            clean = false;
            const size_t mine = f->access.instruction, others = f->other.instruction;
            print_error("%s: %s: '%s' against '%s', block %u, threads %u and %u, %llu times: %s\n", r->kernel,
                        haul_finding_kinds[f->kind].key, mine < r->instruction_count ? r->instructions[mine].text : "",
                        others < r->instruction_count && f->other.action ? r->instructions[others].text : "",
                        f->access.block[0], f->access.thread[0], f->other.thread[0], (unsigned long long)f->count,
                        f->what ? f->what : "");
        }
    }
    return clean;
}

/* Runs a launch, and where its device checks launches holds that there is nothing to be found. */
static inline haul_status launch_cleanly(haul_device *device, haul_module *module, const haul_launch *launch) {
    haul_run *run;
    must(haul_module_allow_shared(module, launch->kernel, launch->shared_bytes));
    must(haul_run_create(device, &run));
    haul_status status = haul_launch_run(module, launch, run);
    if (status == HAUL_OK && run->launch_count && run->launches[0].ended_by != HAUL_OK)
        status = run->launches[0].ended_by;
    else if (status == HAUL_OK && !run_is_clean(run))
        status = HAUL_ERROR_FAULT;
    haul_run_free(run);
    return status;
}

/* Blocks `first` to `first` + `count` - 1 of the batch. */
static inline haul_status bench_launch(const batch *b, const bench *m, haul_module *module, const char *kernel,
                                       unsigned first, unsigned count) {
    haul_argument arguments[5] = {
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->points, .offset = first * sizeof(point)},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->views, .offset = first * sizeof(haul_tensor_view)},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->arena},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->images},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->lists}};
    uint32_t shared_bytes = 0;
    for (unsigned i = first; i < first + count; i++) {
        const uint32_t bytes = b->points[i].shared_bytes + LIST_BYTES;
        if (bytes > shared_bytes) shared_bytes = bytes;
    }
    const haul_launch launch = {.kernel = kernel,
                                .grid = {count, 1, 1},
                                .block = {b->block[0], b->block[1], b->block[2]},
                                .shared_bytes = shared_bytes,
                                .arguments = arguments,
                                .argument_count = 5};
    return launch_cleanly(m->device, module, &launch);
}

/* ---- comparing ---- */

static inline const char *point_text(const batch *b, const point *p) {
    static char text[512];
    const haul_transfer *t = &p->t;
    snprintf(
        text, sizeof text,
        "%s: how %#llx align %u bytes %u x %u pitches %u %lld; element %u rank %u box %u %u %u %u %u radius %u; at %d "
        "%d %d %d %d of %u %u %u %u %u; shared %u global %lld; team kind %d: %u of %u threads of %u (%u); rounds %u "
        "flags %#x",
        verb_names[b->verb], (unsigned long long)t->how, t->alignment, t->count, t->bytes, t->shared_pitch,
        t->global_pitch, t->element, t->rank, t->box[0], t->box[1], t->box[2], t->box[3], t->box[4], t->radius,
        p->place.at[0], p->place.at[1], p->place.at[2], p->place.at[3], p->place.at[4], p->place.extent[0],
        p->place.extent[1], p->place.extent[2], p->place.extent[3], p->place.extent[4], p->shared, p->global,
        (int)p->team_kind, p->team, p->threads, b->block_threads, t->threads, p->rounds, p->flags);
    return text;
}

/* The first byte that differs; `count` if none does. */
static inline size_t difference(const uint8_t *a, const uint8_t *b, size_t count) {
    if (memcmp(a, b, count) == 0) return count;
    size_t i = 0;
    while (a[i] == b[i]) i++;
    return i;
}

/* The point to whose part of the arena or of the images a byte belongs. */
static inline unsigned owner(const batch *b, bool in_image, size_t at) {
    unsigned i = b->count - 1;
    while (i > 0 && (in_image ? b->points[i].image : b->part[i]) > at) i--;
    return i;
}

/* Compares the device's results with the expectation; returns true if they are the same. Prints differences;
 * first: the first byte of that. */
static inline bool bench_agrees(const batch *b, const bench *m, const char *where, size_t *first) {
    const bool loads = direction_of(b->verb) == HAUL_DIRECTION_LOAD;
    const size_t bytes = loads ? b->images_bytes : b->arena_bytes;
    const uint8_t *expected = loads ? b->images : b->arena;
    uint8_t *got = malloc(bytes);
    assert_non_null(got);
    must(haul_buffer_read(loads ? m->images : m->arena, 0, got, bytes));
    const size_t at = *first = difference(got, expected, bytes);
    if (at < bytes) {
        const point *p = &b->points[owner(b, loads, at)];
        print_error("%s: byte %lld of %s is %02x, not %02x; point %d: %s\n", where,
                    (long long)at - (loads ? (long long)p->image : p->global), loads ? "shared" : "global memory",
                    got[at], expected[at], (int)(p - b->points), point_text(b, p));
    }
    free(got);
    return at == bytes;
}

#endif
