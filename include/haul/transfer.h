/* Transfers as descriptors: what is moved between global and shared memory, by how many threads, and how.
 *
 * Host and device share this header, so that haul_diagnose() on the host describes exactly the accesses that a kernel
 * makes: this header alone decides which engine carries a transfer and which piece each thread moves. The functions
 * that carry out transfers are in haul/device.h.
 *
 * A descriptor is a plain value. The macros HAUL_SEQUENTIAL, HAUL_STRIDED, HAUL_INDIRECT, HAUL_HALO and HAUL_TILE make
 * constant descriptors, which the compiler checks. The functions of the same names in lower case take numbers that may
 * be known at run time only; in kernels their constant arguments are checked. A constant descriptor passed to the
 * inlined functions of device.h folds away.
 *
 * Units are bytes unless a name says otherwise. This header needs haul/flags.h only: NVRTC can compile it. */
#ifndef HAUL_TRANSFER_H
#define HAUL_TRANSFER_H

#include <haul/flags.h>

#if defined(__CUDACC__) || defined(__CUDA__) || defined(__CUDACC_RTC__)
#define HAUL_FOLDED static __host__ __device__ __forceinline__
#else
#define HAUL_FOLDED static inline
#endif
/* A function that makes constants of C++14 and later. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define HAUL_CONSTANT HAUL_FOLDED constexpr
#else
#define HAUL_CONSTANT HAUL_FOLDED
#endif
#if defined(__CUDACC__) && !defined(__clang__) && !defined(__CUDACC_RTC__)
/* nvcc quotes the line of an error with all macros expanded. A line of its own for each check keeps that short; the
 * pragma, which haul/device/config.h sets anyway, begins one. */
#define HAUL_STATIC_ASSERT(condition, message) _Pragma("nv_diag_error 1622") static_assert(condition, message)
#elif defined(__cplusplus)
#define HAUL_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define HAUL_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif

typedef enum haul_direction { HAUL_DIRECTION_LOAD, HAUL_DIRECTION_STORE, HAUL_DIRECTION_ADD } haul_direction;
/* Who carries out a transfer together: one thread, a warp, a set of DMA warps, the block. */
typedef enum haul_team_kind { HAUL_TEAM_THREAD, HAUL_TEAM_WARP, HAUL_TEAM_WARPS, HAUL_TEAM_BLOCK } haul_team_kind;

/* ---- descriptors ---- */

typedef enum haul_shape { HAUL_SHAPE_ROWS, HAUL_SHAPE_INDIRECT, HAUL_SHAPE_BOX } haul_shape;

typedef struct haul_transfer {
    haul_how how;
    haul_shape shape;
    unsigned threads;   /* threads of the team; 0: queried at run time */
    unsigned alignment; /* of every element's (box: row's) first byte, in both memories: 1, 2, 4, 8 or 16 */
    /* ROWS (sequential, strided) and INDIRECT: `count` elements of `bytes`. The pitches are the distances from one
     * element to the next in shared and in global memory (INDIRECT: from row 0 to row 1 of the indexed array) */
    unsigned bytes, count;
    unsigned shared_pitch;
    long long global_pitch;
    /* BOX (halo, tile): box[0] elements of `element` bytes are adjacent; rows of the box are shared_pitch apart */
    unsigned element, radius, rank;
    unsigned box[5];
} haul_transfer;

/* Where a box lies in its array. It starts at element `at` of an array of `extent` elements. pitch[d - 1] is the number
 * of bytes from one element of dimension d to the next. A halo's origin is its interior's first element. */
typedef struct haul_place {
    int at[5];
    unsigned extent[5];
    long long pitch[4];
} haul_place;

/* The map that the tensor copy engine takes: opaque, encoded by haul_tensor_map_encode(). Copies find it in constant or
 * global memory, or in a `const __grid_constant__` parameter of the kernel. */
typedef struct
#if defined(__CUDACC__) || defined(__CUDA__) || defined(__CUDACC_RTC__)
    __align__(64)
#endif
        haul_tensor_map {
    unsigned long long opaque[16];
}
#if !defined(__CUDACC__) && !defined(__CUDA__) && !defined(__CUDACC_RTC__)
__attribute__((aligned(64)))
#endif
haul_tensor_map;

/* An array from which tiles are cut, for every engine: the tensor copy engine uses the map, the others the numbers.
 * haul_tensor_view_encode() fills it in. pitch as in haul_place; extents up to 2^31 - 1. */
typedef struct haul_tensor_view {
    haul_tensor_map map;
    unsigned long long base; /* address of the first element */
    long long pitch[4];
    unsigned extent[5];
    unsigned element; /* bytes */
    unsigned fill;    /* value of loads outside the array, as a word */
    unsigned reserved;
} haul_tensor_view;

HAUL_CONSTANT haul_transfer haul_strided(unsigned count, unsigned bytes, unsigned shared_pitch, long long global_pitch,
                                         unsigned alignment, unsigned threads, haul_how how) {
    haul_transfer t = {how,          HAUL_SHAPE_ROWS, threads, alignment, bytes, count,
                       shared_pitch, global_pitch,    0,       0,         0,     {0}};
    return t;
}

HAUL_CONSTANT haul_transfer haul_sequential(unsigned bytes, unsigned alignment, unsigned threads, haul_how how) {
    return haul_strided(1, bytes, 0, 0, alignment, threads, how);
}

HAUL_CONSTANT haul_transfer haul_indirect(unsigned count, unsigned bytes, unsigned shared_pitch, long long global_pitch,
                                          unsigned alignment, unsigned threads, haul_how how) {
    haul_transfer t = haul_strided(count, bytes, shared_pitch, global_pitch, alignment, threads, how);
    t.shape = HAUL_SHAPE_INDIRECT;
    return t;
}

HAUL_CONSTANT haul_transfer haul_tile(unsigned element, unsigned rank, unsigned box0, unsigned box1, unsigned box2,
                                      unsigned box3, unsigned box4, unsigned shared_pitch, unsigned alignment,
                                      unsigned threads, haul_how how) {
    haul_transfer t = {how, HAUL_SHAPE_BOX, threads, alignment, 0, 0, shared_pitch, 0, element, 0, rank, {0}};
    t.box[0] = box0;
    t.box[1] = rank > 1 ? box1 : 1;
    t.box[2] = rank > 2 ? box2 : 1;
    t.box[3] = rank > 3 ? box3 : 1;
    t.box[4] = rank > 4 ? box4 : 1;
    return t;
}

HAUL_CONSTANT haul_transfer haul_halo(unsigned element, unsigned width, unsigned height, unsigned radius,
                                      unsigned shared_pitch, unsigned alignment, unsigned threads, haul_how how) {
    haul_transfer t = haul_tile(element, 2, width, height, 1, 1, 1, shared_pitch, alignment, threads, how);
    t.radius = radius;
    return t;
}

/* The same transfer with another global pitch, known at run time. */
HAUL_FOLDED haul_transfer haul_pitched(haul_transfer t, long long global_pitch) {
    t.global_pitch = global_pitch;
    return t;
}

/* The same transfer, of `bytes` in each element; of `count` elements. Known at run time: a short last tile, a short
 * list. */
HAUL_FOLDED haul_transfer haul_sized(haul_transfer t, unsigned bytes) {
    t.bytes = bytes;
    return t;
}

HAUL_FOLDED haul_transfer haul_counted(haul_transfer t, unsigned count) {
    t.count = count;
    return t;
}

/* ---- properties derived from a descriptor ---- */

#define HAUL_LOW_BIT(n) ((unsigned)(n) & (0u - (unsigned)(n)))

/* The shape, as a bit of HAUL_OF_ANY. */
HAUL_FOLDED unsigned haul_shape_of(const haul_transfer *t) {
    if (t->shape == HAUL_SHAPE_BOX) return t->radius ? HAUL_OF_HALO : HAUL_OF_TILE;
    return t->shape == HAUL_SHAPE_INDIRECT ? HAUL_OF_INDIRECT : HAUL_OF_ROWS;
}

/* Bytes of one row of a box, without a halo's sides. */
HAUL_FOLDED unsigned haul_box_row(const haul_transfer *t) {
    return t->box[0] * t->element;
}

/* Rows of a box's first area (haul_areas()). */
HAUL_FOLDED unsigned haul_box_rows(const haul_transfer *t) {
    if (t->radius) return (t->how & HAUL_RING_ONLY ? 0 : t->box[1]) + 2 * t->radius;
    return t->box[1] * t->box[2] * t->box[3] * t->box[4];
}

/* A tensor copy moves dense boxes of up to 256 elements in each dimension, whose rows are multiples of 16 bytes. It
 * adds whole elements, of up to 8 bytes each. */
HAUL_FOLDED int haul_fits_tensor(const haul_transfer *t) {
    return t->shape == HAUL_SHAPE_BOX && t->radius == 0 && haul_box_row(t) % 16 == 0 && t->alignment == 16 &&
           t->element <= 8 && (!(t->how & HAUL_ADD_BITS) || t->element == HAUL_ADD_BYTES(t->how)) &&
           t->shared_pitch == haul_box_row(t) && t->box[0] <= 256 && t->box[1] <= 256 && t->box[2] <= 256 &&
           t->box[3] <= 256 && t->box[4] <= 256;
}

HAUL_FOLDED int haul_fits_bulk(const haul_transfer *t) {
    return t->shape != HAUL_SHAPE_BOX && (t->alignment == 16 || (t->how & HAUL_CONGRUENT));
}

/* A halo has two areas: the rows' middle parts, and the sides. Other shapes have one. */
HAUL_FOLDED unsigned haul_areas(const haul_transfer *t) {
    return t->shape == HAUL_SHAPE_BOX && t->radius ? 2 : 1;
}

/* Bytes of each access: the widest that alignment and length allow. A box has rows of `row` bytes. A halo's vectors
 * start at the interior's origin and end `radius` elements before it or `width` after, so its pitch limits the width
 * too. */
#define HAUL_ROWS_WIDTH(align, how) ((how)&HAUL_CONGRUENT ? 16 : (align))
#define HAUL_BOX_WIDTH(align, row, halo_pitch) HAUL_LOW_BIT((align) | (row) | (halo_pitch))

/* Each shape has its functions, here and below, so that a compiler that knows the shape skips the other shapes'
 * code. */
HAUL_FOLDED unsigned haul_rows_width(const haul_transfer *t, unsigned area) {
    (void)area;
    return HAUL_ROWS_WIDTH(t->alignment, t->how);
}

/* area: a halo's middle part, or its sides. */
HAUL_FOLDED unsigned haul_box_width(const haul_transfer *t, unsigned area) {
    const unsigned sides = area ? t->radius * t->element : 0;
    return HAUL_BOX_WIDTH(t->alignment, haul_box_row(t) | sides, t->radius ? t->shared_pitch : 0);
}

HAUL_FOLDED unsigned haul_piece_width(const haul_transfer *t, unsigned area) {
    return t->shape == HAUL_SHAPE_BOX ? haul_box_width(t, area) : haul_rows_width(t, area);
}

/* Elements of at least this many bytes get a bulk copy each. For shorter ones a warp's own accesses are in flight
 * sooner than one thread can start the copies one by one. */
#define HAUL_BULK_WORTH 512

/* Engines as numbers. */
#define HAUL_CARRIED_BY_LDG HAUL_ENGINE_NUMBER(HAUL_BY_LDG)
#define HAUL_CARRIED_BY_LDGSTS HAUL_ENGINE_NUMBER(HAUL_BY_LDGSTS)
#define HAUL_CARRIED_BY_BULK HAUL_ENGINE_NUMBER(HAUL_BY_BULK)
#define HAUL_CARRIED_BY_TENSOR HAUL_ENGINE_NUMBER(HAUL_BY_TENSOR)

/* The engine that carries `t` on an architecture (80, 90, 100), as a number. It is the requested one (LDGSTS only where
 * possible), or else the best that can carry `t`. */
HAUL_FOLDED unsigned haul_rows_engine(const haul_transfer *t, haul_direction direction, unsigned arch) {
    const unsigned asked = (unsigned)HAUL_ENGINE_NUMBER(t->how);
    if (asked != HAUL_AUTO && asked != HAUL_CARRIED_BY_LDGSTS) return asked;
    if (asked == HAUL_AUTO && arch >= 90 && haul_fits_bulk(t) && t->bytes >= HAUL_BULK_WORTH)
        return HAUL_CARRIED_BY_BULK;
    return direction == HAUL_DIRECTION_LOAD && arch >= 80 && haul_rows_width(t, 0) >= 4 ? HAUL_CARRIED_BY_LDGSTS
                                                                                        : HAUL_CARRIED_BY_LDG;
}

HAUL_FOLDED unsigned haul_box_engine(const haul_transfer *t, haul_direction direction, unsigned arch) {
    const unsigned asked = (unsigned)HAUL_ENGINE_NUMBER(t->how);
    if (asked != HAUL_AUTO && asked != HAUL_CARRIED_BY_LDGSTS) return asked;
    if (asked == HAUL_AUTO && arch >= 90 && haul_fits_tensor(t) && direction == HAUL_DIRECTION_LOAD)
        return HAUL_CARRIED_BY_TENSOR; /* tensor stores take no negative coordinates and round rows up */
    /* a halo's sides have the narrower accesses */
    const unsigned narrowest = haul_box_width(t, t->radius != 0);
    return direction == HAUL_DIRECTION_LOAD && arch >= 80 && narrowest >= 4 ? HAUL_CARRIED_BY_LDGSTS
                                                                            : HAUL_CARRIED_BY_LDG;
}

/* HAUL_BY_... of a number. */
HAUL_FOLDED unsigned haul_flag_of(unsigned carrier) {
    return carrier | 4u << carrier;
}

/* The engine for any shape, as HAUL_BY_... */
HAUL_FOLDED unsigned haul_transfer_engine(const haul_transfer *t, haul_direction direction, unsigned arch) {
    return haul_flag_of(t->shape == HAUL_SHAPE_BOX ? haul_box_engine(t, direction, arch)
                                                   : haul_rows_engine(t, direction, arch));
}

/* ---- pieces: the single accesses of LDG and LDGSTS, distributed over a team's threads ---- */

/* Bytes before the first piece of each element if the first element begins at address `shared`: up to the next 16-byte
 * boundary, if the transfer peels heads. An element that ends before the boundary only has accesses of increasing
 * powers of two from its beginning; the rest is a tail of decreasing ones. */
HAUL_FOLDED unsigned haul_head_bytes(const haul_transfer *t, unsigned shared) {
    unsigned head = (0u - shared) & 15u;
    if (!(t->how & HAUL_CONGRUENT) || t->shape == HAUL_SHAPE_BOX) return 0;
    if (head > t->bytes) head &= 7u;
    if (head > t->bytes) head &= 3u;
    if (head > t->bytes) head &= 1u;
    return head;
}

/* Pieces of a row of `bytes` after a head of `head` bytes. */
HAUL_FOLDED unsigned haul_row_pieces(const haul_transfer *t, unsigned head) {
    return (t->bytes - head) / haul_rows_width(t, 0);
}

HAUL_FOLDED unsigned haul_side_rows(const haul_transfer *t) {
    return t->box[1] + (t->how & HAUL_NO_CORNERS ? 0 : 2 * t->radius);
}

/* Number of pieces of an area. `head`: bytes peeled off each element before the first piece (0 unless CONGRUENT). */
HAUL_FOLDED unsigned haul_rows_count(const haul_transfer *t, unsigned area, unsigned head) {
    return area == 0 ? t->count * haul_row_pieces(t, head) : 0;
}

HAUL_FOLDED unsigned haul_box_count(const haul_transfer *t, unsigned area, unsigned head) {
    (void)head;
    const unsigned rows = area == 0 ? haul_box_rows(t) : haul_side_rows(t) * 2;
    return rows * ((area == 0 ? haul_box_row(t) : t->radius * t->element) / haul_box_width(t, area));
}

HAUL_FOLDED unsigned haul_piece_count(const haul_transfer *t, unsigned area, unsigned head) {
    return t->shape == HAUL_SHAPE_BOX ? haul_box_count(t, area, head) : haul_rows_count(t, area, head);
}

typedef enum haul_piece_state { HAUL_PIECE_COPY, HAUL_PIECE_FILL, HAUL_PIECE_PARTIAL } haul_piece_state;

typedef struct haul_piece {
    int shared;       /* offset from the shared address that the transfer was given */
    long long global; /* offset from the global one; INDIRECT: from the element's first byte */
    unsigned element; /* number of the element (ROWS, INDIRECT) */
    haul_piece_state state;
    unsigned skip, valid; /* PARTIAL: bytes before, and of, the part inside the array */
} haul_piece;

HAUL_FOLDED haul_piece haul_row_piece(const haul_transfer *t, unsigned head, unsigned i) {
    const unsigned width = haul_rows_width(t, 0), each = haul_row_pieces(t, head);
    const unsigned e = t->count == 1 ? 0 : i / each;
    const unsigned offset = head + (i - e * each) * width;
    haul_piece p = {(int)(e * t->shared_pitch + offset), (long long)offset, e, HAUL_PIECE_COPY, 0, 0};
    if (t->shape == HAUL_SHAPE_ROWS) p.global += (long long)e * t->global_pitch;
    return p;
}

/* Sets which part of a piece of `width` bytes at column x lies inside the array's row. */
HAUL_FOLDED void haul_clip_row(const haul_transfer *t, const haul_place *place, int x, unsigned width, haul_piece *p) {
    const int first = place->at[0] + x, end = first + (int)(width / t->element), extent = (int)place->extent[0];
    if (first >= 0 && end <= extent) return;
    const int from = first < 0 ? 0 : first, to = end > extent ? extent : end;
    p->state = to > from ? HAUL_PIECE_PARTIAL : HAUL_PIECE_FILL;
    p->skip = (unsigned)(from - first) * t->element;
    p->valid = to > from ? (unsigned)(to - from) * t->element : 0;
}

/* Piece at column x of row y of a halo. */
HAUL_FOLDED haul_piece haul_halo_piece(const haul_transfer *t, const haul_place *place, int x, int y, unsigned width) {
    const int offset = x * (int)t->element;
    haul_piece p = {y * (int)t->shared_pitch + offset, y * place->pitch[0] + offset, 0, HAUL_PIECE_COPY, 0, 0};
    if (t->how & HAUL_UNBOUNDED) return p;
    haul_clip_row(t, place, x, width, &p);
    const int row = place->at[1] + y;
    if (row < 0 || row >= (int)place->extent[1]) p.state = HAUL_PIECE_FILL;
    return p;
}

HAUL_FOLDED haul_piece haul_halo_middle(const haul_transfer *t, const haul_place *place, unsigned i) {
    const unsigned width = haul_box_width(t, 0), each = haul_box_row(t) / width, row = i / each;
    int y = (int)row - (int)t->radius;
    if ((t->how & HAUL_RING_ONLY) && row >= t->radius) y += (int)t->box[1];
    return haul_halo_piece(t, place, (int)((i - row * each) * (width / t->element)), y, width);
}

HAUL_FOLDED haul_piece haul_halo_side(const haul_transfer *t, const haul_place *place, unsigned i) {
    const unsigned width = haul_box_width(t, 1), each = t->radius * t->element / width, row = i / (2 * each);
    const unsigned in_row = i - row * 2 * each, right = in_row >= each;
    const unsigned column = (in_row - (right ? each : 0)) * (width / t->element);
    const int x = right ? (int)(t->box[0] + column) : (int)column - (int)t->radius;
    return haul_halo_piece(t, place, x, (int)row - (t->how & HAUL_NO_CORNERS ? 0 : (int)t->radius), width);
}

/* Handles dimension d's part of a tile's row number and returns the rest, for the dimensions above. Arrays in
 * descriptors are indexed by constants only, never in a loop: compilers split a structure into registers before they
 * unroll. */
HAUL_FOLDED unsigned haul_tile_step(const haul_transfer *t, unsigned rest, unsigned extent, int first, unsigned outside,
                                    long long pitch, int last, haul_piece *p) {
    const unsigned next = last ? 0 : rest / extent, at = rest - next * extent;
    const int there = first + (int)at;
    if (!(t->how & HAUL_UNBOUNDED) && (there < 0 || there >= (int)outside)) p->state = HAUL_PIECE_FILL;
    p->global += (long long)at * pitch;
    return next;
}

HAUL_FOLDED haul_piece haul_tile_piece(const haul_transfer *t, const haul_place *place, unsigned i) {
    const unsigned width = haul_box_width(t, 0), each = haul_box_row(t) / width, row = i / each;
    const unsigned offset = (i - row * each) * width, rank = t->rank;
    haul_piece p = {(int)(row * t->shared_pitch + offset), (long long)offset, 0, HAUL_PIECE_COPY, 0, 0};
    if (!(t->how & HAUL_UNBOUNDED)) haul_clip_row(t, place, (int)(offset / t->element), width, &p);
    unsigned rest = row;
#define HAUL_TILE_STEP(d) \
    if (rank > d)         \
    rest = haul_tile_step(t, rest, t->box[d], place->at[d], place->extent[d], place->pitch[d - 1], rank == d + 1, &p)
    HAUL_TILE_STEP(1);
    HAUL_TILE_STEP(2);
    HAUL_TILE_STEP(3);
    HAUL_TILE_STEP(4);
#undef HAUL_TILE_STEP
    return p;
}

/* Piece i of an area: its place, and whether it is copied or filled. Thread `rank` of a team of `size` moves pieces
 * rank, rank + size, ... of area 0 and then of area 1. place: boxes only. */
HAUL_FOLDED haul_piece haul_box_piece(const haul_transfer *t, const haul_place *place, unsigned area, unsigned i) {
    if (t->radius == 0) return haul_tile_piece(t, place, i);
    return area == 0 ? haul_halo_middle(t, place, i) : haul_halo_side(t, place, i);
}

HAUL_FOLDED haul_piece haul_piece_at(const haul_transfer *t, const haul_place *place, unsigned area, unsigned head,
                                     unsigned i) {
    return t->shape == HAUL_SHAPE_BOX ? haul_box_piece(t, place, area, i) : haul_row_piece(t, head, i);
}

/* Accesses of `width` bytes that a thread has in flight by LDG. */
HAUL_FOLDED unsigned haul_held_of(const haul_transfer *t, unsigned width) {
    const unsigned asked = HAUL_IN_FLIGHT_BYTES(t->how) / width;
    return asked == 0 ? 4 : asked > HAUL_HELD_LIMIT ? HAUL_HELD_LIMIT : asked;
}

HAUL_FOLDED unsigned haul_held(const haul_transfer *t) {
    return haul_held_of(t, haul_piece_width(t, 0));
}

/* ---- constant descriptors, checked by the compiler ---- */

#define HAUL_TEXT_OF(x) #x
#define HAUL_TEXT(x) HAUL_TEXT_OF(x)

/* The target: 70, 80, 90. The host pass over a .cu file only parses device code, and takes all of it. */
#ifdef __CUDA_ARCH__
#define HAUL_ARCH (__CUDA_ARCH__ / 10)
#else
#define HAUL_ARCH 90
#endif
/* Whether it has bulk and tensor copies; and LDGSTS, mbarriers and eviction priorities. */
#define HAUL_HAS_BULK (HAUL_ARCH >= 90)
#define HAUL_HAS_LDGSTS (HAUL_ARCH >= 80)

/* Checks are written once, for the compiler, haul_diagnose() and debug builds. CHECK_0, CHECK_1 and CHECK_2 carry out a
 * check whose message is a text, a text with one number (text, number, text), or with two (text, number, text,
 * number). */
#define HAUL_ASSERT_0(name, condition, text) HAUL_STATIC_ASSERT(condition, "haul: " #name ": " text)
#define HAUL_ASSERT_1(name, condition, text, a, rest) \
    HAUL_STATIC_ASSERT(condition, "haul: " #name ": " text HAUL_TEXT(a) rest)
#define HAUL_ASSERT_2(name, condition, text, a, between, b) \
    HAUL_STATIC_ASSERT(condition, "haul: " #name ": " text HAUL_TEXT(a) between HAUL_TEXT(b))

#define HAUL_CHECK_COMMON(CHECK, name, align, team, how, shape, arch)                                              \
    HAUL_CHECK_HOW(CHECK, name, how, shape, arch);                                                                 \
    CHECK##_1(name, (align) == 1 || (align) == 2 || (align) == 4 || (align) == 8 || (align) == 16,                 \
              "an alignment is 1, 2, 4, 8 or 16 bytes; this transfer asks for ", align, "");                       \
    CHECK##_1(                                                                                                     \
        name, (team) <= 1024 && ((team) <= 32 || (team) % 32 == 0),                                                \
        "a team has up to 32 threads or whole warps, 1024 at most, or 0 when it is known at run time only; this "  \
        "transfer says ",                                                                                          \
        team, "");                                                                                                 \
    CHECK##_1(name, HAUL_ENGINE_OF(how) != HAUL_BY_LDGSTS || (align) >= 4 || ((how)&HAUL_CONGRUENT),               \
              "LDGSTS moves 4, 8 or 16 bytes; this transfer asks for ", align, "");                                \
    CHECK##_1(name, !((how)&HAUL_BYPASS_L1) || (align) == 16 || ((how)&HAUL_CONGRUENT),                            \
              "only accesses of 16 bytes go around L1; this transfer asks for ", align, "");                       \
    CHECK##_1(name, (align) >= HAUL_ADD_BYTES(how),                                                                \
              "additions are aligned to their type: 8 bytes of U64 and F64, 2 of F16 and BF16, 4 of others; this " \
              "transfer asks for ",                                                                                \
              align, "")

/* Whether HAUL_IN_FLIGHT is a whole number of accesses of `width` bytes. */
#define HAUL_IN_FLIGHT_FITS(how, width) (HAUL_IN_FLIGHT_BYTES(how) % (width) == 0)

#define HAUL_CHECK_ROWS(CHECK, name, size, shared, global, align, how)                                              \
    CHECK##_1(name, HAUL_IN_FLIGHT_FITS(how, HAUL_ROWS_WIDTH(align, how)),                                          \
              "HAUL_IN_FLIGHT is a multiple of the access width: of the alignment ", align,                         \
              ", with HAUL_CONGRUENT of 16");                                                                       \
    CHECK##_0(name, (size) > 0, "an element has at least one byte");                                                \
    CHECK##_0(name, (size) % HAUL_ADD_BYTES(how) == 0, "additions are of whole numbers of their type");             \
    CHECK##_2(name, (shared) % (align) == 0, "the shared pitch is a multiple of the alignment ", align, "; it is ", \
              shared);                                                                                              \
    CHECK##_2(name, (global) % (align) == 0, "the global pitch is a multiple of the alignment ", align, "; it is ", \
              global);                                                                                              \
    CHECK##_0(name, HAUL_ENGINE_OF(how) != HAUL_BY_TENSOR, "tensor copies move tiles");                             \
    CHECK##_1(name, HAUL_ENGINE_OF(how) != HAUL_BY_BULK || (align) == 16 || ((how)&HAUL_CONGRUENT),                 \
              "bulk copies move from and to multiples of 16 bytes; this transfer asks for ", align,                 \
              " (HAUL_CONGRUENT peels heads and tails where both sides are equally off)");                          \
    CHECK##_0(name, !((how)&HAUL_CONGRUENT) || ((shared) % 16 == 0 && (global) % 16 == 0),                          \
              "HAUL_CONGRUENT needs pitches that are multiples of 16")

/* Strided and indirect elements. */
#define HAUL_CHECK_APART(CHECK, name, number, size, shared)                                                            \
    CHECK##_2(name, (number) <= 1 || (shared) >= (size), "elements of ", size, " bytes overlap at a shared pitch of ", \
              shared)

#define HAUL_CHECK_SEQUENTIAL(CHECK, name, size, align, team, how)             \
    HAUL_CHECK_COMMON(CHECK, name, align, team, how, HAUL_OF_ROWS, HAUL_ARCH); \
    HAUL_CHECK_ROWS(CHECK, name, size, 0, 0, align, how)
/* shape: HAUL_OF_ROWS or HAUL_OF_INDIRECT. */
#define HAUL_CHECK_ELEMENTS(CHECK, name, number, size, shared, global, align, team, how, shape) \
    HAUL_CHECK_COMMON(CHECK, name, align, team, how, shape, HAUL_ARCH);                         \
    HAUL_CHECK_ROWS(CHECK, name, size, shared, global, align, how);                             \
    HAUL_CHECK_APART(CHECK, name, number, size, shared)

/* `size` bytes in one run, any number of them. */
#define HAUL_SEQUENTIAL(name, size, align, team, how)                 \
    HAUL_CHECK_SEQUENTIAL(HAUL_ASSERT, name, size, align, team, how); \
    const haul_transfer name = (haul_sequential)(size, align, team, how)

/* `number` elements of `size` bytes, `shared` and `global` bytes apart. If the global pitch is 0, haul_pitched() sets
 * it later. */
#define HAUL_STRIDED(name, number, size, shared, global, align, team, how)                                \
    HAUL_CHECK_ELEMENTS(HAUL_ASSERT, name, number, size, shared, global, align, team, how, HAUL_OF_ROWS); \
    const haul_transfer name = (haul_strided)(number, size, shared, global, align, team, how)

/* `number` elements of `size` bytes. Element i comes from or goes to row index[i] of global memory, whose rows are
 * `global` bytes apart. */
#define HAUL_INDIRECT(name, number, size, shared, global, align, team, how)                                   \
    HAUL_CHECK_ELEMENTS(HAUL_ASSERT, name, number, size, shared, global, align, team, how, HAUL_OF_INDIRECT); \
    const haul_transfer name = (haul_indirect)(number, size, shared, global, align, team, how)

#define HAUL_CHECK_BOX(CHECK, name, size, shared, align, how)                                                       \
    CHECK##_1(name, (size) == 1 || (size) == 2 || (size) == 4 || (size) == 8 || (size) == 16,                       \
              "an element has 1, 2, 4, 8 or 16 bytes; this one has ", size, "");                                    \
    CHECK##_2(name, (align) >= (size), "elements of ", size, " bytes are aligned to at least that, not ", align);   \
    CHECK##_2(name, (shared) % (align) == 0, "the shared pitch is a multiple of the alignment ", align, "; it is ", \
              shared);                                                                                              \
    CHECK##_0(name, HAUL_ENGINE_OF(how) != HAUL_BY_BULK, "boxes go by LDG, LDGSTS or tensor copies, not by bulk copies")

/* halo_pitch: of shared memory; of tiles 0. */
#define HAUL_CHECK_BOX_IN_FLIGHT(CHECK, name, align, row, halo_pitch, how)      \
    CHECK##_0(                                                                  \
        name, HAUL_IN_FLIGHT_FITS(how, HAUL_BOX_WIDTH(align, row, halo_pitch)), \
        "HAUL_IN_FLIGHT is a multiple of the access width: the widest that alignment, rows and a halo's pitch allow")

/* Rows of a box, and a halo's sides, are made up of accesses of equal width. */
#define HAUL_CHECK_LDGSTS(CHECK, name, bytes, how)                             \
    CHECK##_1(name, HAUL_ENGINE_OF(how) != HAUL_BY_LDGSTS || (bytes) % 4 == 0, \
              "LDGSTS moves 4, 8 or 16 bytes; rows of this transfer have ", bytes, " bytes")

#define HAUL_CHECK_HALO(CHECK, name, size, width, reach, shared, align, how)     \
    CHECK##_0(name, (reach) > 0, "a halo has a radius of at least 1");           \
    CHECK##_1(name, (shared) >= ((width) + 2 * (reach)) * (size),                \
              "rows with their halo overlap at a shared pitch of ", shared, ""); \
    HAUL_CHECK_BOX_IN_FLIGHT(CHECK, name, align, (width) * (size), shared, how); \
    HAUL_CHECK_LDGSTS(CHECK, name, (width) * (size), how);                       \
    HAUL_CHECK_LDGSTS(CHECK, name, (reach) * (size), how);                       \
    CHECK##_0(name, HAUL_ENGINE_OF(how) != HAUL_BY_TENSOR,                       \
              "a tensor copy of tile and ring is a HAUL_TILE that starts before the tile")

#define HAUL_CHECK_TILE(CHECK, name, size, dimensions, box0, box1, box2, box3, box4, shared, align, how)              \
    CHECK##_1(name, (dimensions) >= 1 && (dimensions) <= 5, "a tile has 1 to 5 dimensions, not ", dimensions, "");    \
    CHECK##_1(name, (shared) >= (box0) * (size), "rows of the tile overlap at a shared pitch of ", shared, "");       \
    HAUL_CHECK_BOX_IN_FLIGHT(CHECK, name, align, (box0) * (size), 0, how);                                            \
    HAUL_CHECK_LDGSTS(CHECK, name, (box0) * (size), how);                                                             \
    CHECK##_0(name,                                                                                                   \
              HAUL_ENGINE_OF(how) != HAUL_BY_TENSOR ||                                                                \
                  ((align) == 16 && ((box0) * (size)) % 16 == 0 && (shared) == (box0) * (size) && (box0) <= 256 &&    \
                   (box1) <= 256 && (box2) <= 256 && (box3) <= 256 && (box4) <= 256 && (size) <= 8 &&                 \
                   (!((how)&HAUL_ADD_BITS) || (size) == HAUL_ADD_BYTES(how))),                                        \
              "a tensor copy moves dense boxes of up to 256 elements a dimension, of up to 8 bytes each (additions: " \
              "of the added type), aligned to 16 bytes, with rows of multiples of 16 bytes")

#define HAUL_CHECK_WHOLE_HALO(CHECK, name, size, width, height, reach, shared, align, team, how) \
    HAUL_CHECK_COMMON(CHECK, name, align, team, how, HAUL_OF_HALO, HAUL_ARCH);                   \
    HAUL_CHECK_BOX(CHECK, name, size, shared, align, how);                                       \
    HAUL_CHECK_HALO(CHECK, name, size, width, reach, shared, align, how)
#define HAUL_CHECK_WHOLE_TILE(CHECK, name, size, dimensions, box0, box1, box2, box3, box4, shared, align, team, how) \
    HAUL_CHECK_COMMON(CHECK, name, align, team, how, HAUL_OF_TILE, HAUL_ARCH);                                       \
    HAUL_CHECK_BOX(CHECK, name, size, shared, align, how);                                                           \
    HAUL_CHECK_TILE(CHECK, name, size, dimensions, box0, box1, box2, box3, box4, shared, align, how)

/* width x height elements of `size` bytes and a ring of `reach` elements around them. */
#define HAUL_HALO(name, size, width, height, reach, shared, align, team, how)                       \
    HAUL_CHECK_WHOLE_HALO(HAUL_ASSERT, name, size, width, height, reach, shared, align, team, how); \
    const haul_transfer name = (haul_halo)(size, width, height, reach, shared, align, team, how)

/* A box of 1 to 5 dimensions; extents beyond `dimensions` are not looked at. */
#define HAUL_TILE(name, size, dimensions, box0, box1, box2, box3, box4, shared, align, team, how)                 \
    HAUL_CHECK_WHOLE_TILE(HAUL_ASSERT, name, size, dimensions, box0, box1, box2, box3, box4, shared, align, team, \
                          how);                                                                                   \
    const haul_transfer name = (haul_tile)(size, dimensions, box0, box1, box2, box3, box4, shared, align, team, how)

/* In kernels, what is constant of the functions' arguments is checked as well: flags most of all. NVRTC cannot tell
 * whether an argument is constant. */
#if defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
#define HAUL_KNOWN(condition) (!__builtin_constant_p(condition) || (condition))
#define HAUL_ASSERT_KNOWN_0(name, condition, text) HAUL_ASSERT_0(name, HAUL_KNOWN(condition), text)
#define HAUL_ASSERT_KNOWN_1(name, condition, text, a, rest) HAUL_ASSERT_1(name, HAUL_KNOWN(condition), text, a, rest)
#define HAUL_ASSERT_KNOWN_2(name, condition, text, a, between, b) \
    HAUL_ASSERT_2(name, HAUL_KNOWN(condition), text, a, between, b)
/* `how`; the checks are looked at and not run. */
#define HAUL_CHECKED(how, check) \
    (sizeof(__extension__({      \
        check;                   \
        0;                       \
    }))                          \
         ? (how)                 \
         : 0)

#define haul_sequential(size, align, team, how) \
    (haul_sequential)(                          \
        size, align, team,                      \
        HAUL_CHECKED(how, HAUL_CHECK_SEQUENTIAL(HAUL_ASSERT_KNOWN, haul_sequential, size, align, team, how)))
#define haul_strided(number, size, shared, global, align, team, how)                                            \
    (haul_strided)(number, size, shared, global, align, team,                                                   \
                   HAUL_CHECKED(how, HAUL_CHECK_ELEMENTS(HAUL_ASSERT_KNOWN, haul_strided, number, size, shared, \
                                                         global, align, team, how, HAUL_OF_ROWS)))
#define haul_indirect(number, size, shared, global, align, team, how)                                             \
    (haul_indirect)(number, size, shared, global, align, team,                                                    \
                    HAUL_CHECKED(how, HAUL_CHECK_ELEMENTS(HAUL_ASSERT_KNOWN, haul_indirect, number, size, shared, \
                                                          global, align, team, how, HAUL_OF_INDIRECT)))
#define haul_halo(size, width, height, reach, shared, align, team, how)                                           \
    (haul_halo)(size, width, height, reach, shared, align, team,                                                  \
                HAUL_CHECKED(how, HAUL_CHECK_WHOLE_HALO(HAUL_ASSERT_KNOWN, haul_halo, size, width, height, reach, \
                                                        shared, align, team, how)))
#define haul_tile(size, dimensions, box0, box1, box2, box3, box4, shared, align, team, how)                         \
    (haul_tile)(size, dimensions, box0, box1, box2, box3, box4, shared, align, team,                                \
                HAUL_CHECKED(how, HAUL_CHECK_WHOLE_TILE(HAUL_ASSERT_KNOWN, haul_tile, size, dimensions, box0, box1, \
                                                        box2, box3, box4, shared, align, team, how)))
#endif

#endif
