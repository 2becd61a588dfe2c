/* Descriptors by named fields: the macros of haul/transfer.h without their order of arguments.
 *
 *     HAUL_HALO_WITH(fetch, float, .width = 64, .height = 16, .radius = 1, .vector = 4, .threads = 256);
 *
 * declares the constant `fetch`. All numbers count elements of the type, so that elements and bytes never meet in one
 * call. Each qualifier is a field of its own, which takes its own values only. The order of fields is free, and a field
 * left out is 0. The checks are those of haul/transfer.h. C++ (14 and later) makes them when it compiles; in C,
 * haul_diagnose() makes them.
 *
 * Fields of all shapes:
 *
 *   vector     elements of one access; both pointers and all pitches are multiples of it. 0: as the type is aligned
 *   threads    of the team; 0: known at run time only
 *   in_flight  accesses that each thread has in flight by LDG, up to 16; 0: 4
 *   engine     HAUL_AUTO or HAUL_BY_...
 *   load, store, evict, fetch, l1, add
 *              one of HAUL_LOAD_..., HAUL_STORE_..., HAUL_L2_EVICT_..., HAUL_L2_FETCH_..., HAUL_THROUGH_L1 and
 *              HAUL_BYPASS_L1, HAUL_ADD_...
 *   read_only  1: HAUL_LOAD_NC, alone or with a load operator
 *   destination_free, congruent, index_64, ring_only, no_corners, unbounded
 *              1: the flag of that name */
#ifndef HAUL_FIELDS_H
#define HAUL_FIELDS_H

#include <haul/transfer.h>

/* ---- the table of qualifiers ---- */

/* VALUE(x, field, bits, values): takes one of several flags. SWITCH(x, field, flag): 0 or 1. */
#define HAUL_COMMON_QUALIFIERS(VALUE, SWITCH, x)                                                    \
    VALUE(x, engine, HAUL_ENGINE_BITS, "HAUL_AUTO or one of HAUL_BY_...")                           \
    VALUE(x, load, HAUL_LOAD_BITS, "one of HAUL_LOAD_...")                                          \
    VALUE(x, store, HAUL_STORE_BITS, "one of HAUL_STORE_...")                                       \
    VALUE(x, evict, HAUL_L2_EVICT_BITS, "one of HAUL_L2_EVICT_...")                                 \
    VALUE(x, fetch, HAUL_L2_FETCH_BITS, "HAUL_L2_FETCH_64, HAUL_L2_FETCH_128 or HAUL_L2_FETCH_256") \
    VALUE(x, l1, HAUL_L1_BITS, "HAUL_THROUGH_L1 or HAUL_BYPASS_L1")                                 \
    SWITCH(x, read_only, HAUL_LOAD_NC)                                                              \
    SWITCH(x, destination_free, HAUL_DESTINATION_FREE)
#define HAUL_ADDED_QUALIFIERS(VALUE, SWITCH, x) \
    HAUL_COMMON_QUALIFIERS(VALUE, SWITCH, x)    \
    VALUE(x, add, HAUL_ADD_BITS, "one of HAUL_ADD_...")
#define HAUL_ROWS_QUALIFIERS(VALUE, SWITCH, x) \
    HAUL_ADDED_QUALIFIERS(VALUE, SWITCH, x)    \
    SWITCH(x, congruent, HAUL_CONGRUENT)
#define HAUL_INDIRECT_QUALIFIERS(VALUE, SWITCH, x) \
    HAUL_ROWS_QUALIFIERS(VALUE, SWITCH, x)         \
    SWITCH(x, index_64, HAUL_INDEX_64)
#define HAUL_HALO_QUALIFIERS(VALUE, SWITCH, x) \
    HAUL_COMMON_QUALIFIERS(VALUE, SWITCH, x)   \
    SWITCH(x, ring_only, HAUL_RING_ONLY)       \
    SWITCH(x, no_corners, HAUL_NO_CORNERS)     \
    SWITCH(x, unbounded, HAUL_UNBOUNDED)
#define HAUL_TILE_QUALIFIERS(VALUE, SWITCH, x) \
    HAUL_ADDED_QUALIFIERS(VALUE, SWITCH, x)    \
    SWITCH(x, unbounded, HAUL_UNBOUNDED)
#define HAUL_PIPELINE_QUALIFIERS(VALUE, SWITCH, x)                        \
    VALUE(x, engine, HAUL_ENGINE_BITS, "HAUL_AUTO or one of HAUL_BY_...") \
    SWITCH(x, stages_written, HAUL_STAGES_WRITTEN)

#define HAUL_VALUE_MEMBER(x, field, bits, values) haul_how field;
#define HAUL_SWITCH_MEMBER(x, field, flag) int field;
#define HAUL_VALUE_FLAG(f, field, bits, values) | (f).field
#define HAUL_SWITCH_FLAG(f, field, flag) | ((f).field ? flag : 0ull)
#define HAUL_MEMBERS(QUALIFIERS) QUALIFIERS(HAUL_VALUE_MEMBER, HAUL_SWITCH_MEMBER, )
/* The flags of fields f. */
#define HAUL_FLAGS(QUALIFIERS, f) (0ull QUALIFIERS(HAUL_VALUE_FLAG, HAUL_SWITCH_FLAG, f))

/* ---- the fields of each shape ---- */

/* `count` elements in one run. */
typedef struct haul_sequential_fields {
    unsigned count, vector, threads, in_flight;
    HAUL_MEMBERS(HAUL_ROWS_QUALIFIERS)
} haul_sequential_fields;

/* `rows` rows of `row` elements, `shared_pitch` (0: row) and `global_pitch` elements apart. pitched: haul_pitched()
 * gives the global pitch, which is known at run time only. */
typedef struct haul_strided_fields {
    unsigned rows, row, shared_pitch;
    long long global_pitch;
    unsigned vector, threads, in_flight;
    int pitched;
    HAUL_MEMBERS(HAUL_ROWS_QUALIFIERS)
} haul_strided_fields;

/* `rows` rows of `row` elements; row i comes from or goes to row index[i] of an array whose rows are `global_pitch`
 * (0: row) elements apart. */
typedef struct haul_indirect_fields {
    unsigned rows, row, shared_pitch;
    long long global_pitch;
    unsigned vector, threads, in_flight;
    HAUL_MEMBERS(HAUL_INDIRECT_QUALIFIERS)
} haul_indirect_fields;

/* width x height elements and a ring of `radius` elements around them; rows in shared memory are `shared_pitch`
 * elements apart (0: as many as a row with its ring has, up to a multiple of `vector`). */
typedef struct haul_halo_fields {
    unsigned width, height, radius, shared_pitch, vector, threads, in_flight;
    HAUL_MEMBERS(HAUL_HALO_QUALIFIERS)
} haul_halo_fields;

/* A box of box0 x box1 x ... elements; those left out at the end are no dimensions of it. shared_pitch 0: box0. */
typedef struct haul_tile_fields {
    unsigned box0, box1, box2, box3, box4, shared_pitch, vector, threads, in_flight;
    HAUL_MEMBERS(HAUL_TILE_QUALIFIERS)
} haul_tile_fields;

/* Pipelines (haul/device/pipeline.h). */
typedef struct haul_thread_pipeline_fields {
    unsigned stages;
    HAUL_MEMBERS(HAUL_PIPELINE_QUALIFIERS)
} haul_thread_pipeline_fields;

typedef struct haul_warp_pipeline_fields {
    unsigned stages, warps;
    HAUL_MEMBERS(HAUL_PIPELINE_QUALIFIERS)
} haul_warp_pipeline_fields;

typedef struct haul_block_pipeline_fields {
    unsigned stages, threads;
    HAUL_MEMBERS(HAUL_PIPELINE_QUALIFIERS)
} haul_block_pipeline_fields;

typedef struct haul_split_pipeline_fields {
    unsigned stages, first_producer_warp, producer_warps, first_consumer_warp, consumer_warps;
    HAUL_MEMBERS(HAUL_PIPELINE_QUALIFIERS)
} haul_split_pipeline_fields;

/* The place of a halo: element (x, y) of an array of width x height elements, whose rows are `pitch` elements apart. */
typedef struct haul_area_fields {
    int x, y;
    unsigned width, height;
    long long pitch;
} haul_area_fields;

/* ---- fields as descriptors. size, natural: bytes of an element, and its type's alignment ---- */

HAUL_CONSTANT unsigned haul_vector_bytes(unsigned size, unsigned natural, unsigned vector) {
    return vector ? vector * size : natural < 16 ? natural : 16;
}

/* HAUL_IN_FLIGHT of `accesses` of `width` bytes. */
HAUL_CONSTANT haul_how haul_in_flight_of(unsigned accesses, unsigned width) {
    return HAUL_IN_FLIGHT(accesses * width);
}

HAUL_CONSTANT haul_transfer haul_sequential_of(unsigned size, unsigned natural, haul_sequential_fields f) {
    const unsigned align = haul_vector_bytes(size, natural, f.vector);
    const haul_how how = HAUL_FLAGS(HAUL_ROWS_QUALIFIERS, f);
    return (haul_sequential)(f.count * size, align, f.threads,
                             how | haul_in_flight_of(f.in_flight, HAUL_ROWS_WIDTH(align, how)));
}

HAUL_CONSTANT haul_transfer haul_strided_of(unsigned size, unsigned natural, haul_strided_fields f) {
    const unsigned align = haul_vector_bytes(size, natural, f.vector);
    const haul_how how = HAUL_FLAGS(HAUL_ROWS_QUALIFIERS, f);
    return (haul_strided)(f.rows, f.row * size, (f.shared_pitch ? f.shared_pitch : f.row) * size,
                          f.global_pitch * (long long)size, align, f.threads,
                          how | haul_in_flight_of(f.in_flight, HAUL_ROWS_WIDTH(align, how)));
}

HAUL_CONSTANT haul_transfer haul_indirect_of(unsigned size, unsigned natural, haul_indirect_fields f) {
    const unsigned align = haul_vector_bytes(size, natural, f.vector);
    const haul_how how = HAUL_FLAGS(HAUL_INDIRECT_QUALIFIERS, f);
    const long long pitch = f.global_pitch ? f.global_pitch : (long long)f.row;
    return (haul_indirect)(f.rows, f.row * size, (f.shared_pitch ? f.shared_pitch : f.row) * size,
                           pitch * (long long)size, align, f.threads,
                           how | haul_in_flight_of(f.in_flight, HAUL_ROWS_WIDTH(align, how)));
}

/* A box of `row` bytes in `how`, with the bytes in flight that its rows make of f.in_flight. */
#define HAUL_BOX_HOW(how, f, align, row, halo_pitch) \
    ((how) | haul_in_flight_of((f).in_flight, HAUL_BOX_WIDTH(align, row, halo_pitch)))

HAUL_CONSTANT haul_transfer haul_halo_of(unsigned size, unsigned natural, haul_halo_fields f) {
    const unsigned align = haul_vector_bytes(size, natural, f.vector), with_ring = (f.width + 2 * f.radius) * size;
    const unsigned pitch = f.shared_pitch ? f.shared_pitch * size : (with_ring + align - 1) / align * align;
    return (haul_halo)(size, f.width, f.height, f.radius, pitch, align, f.threads,
                       HAUL_BOX_HOW(HAUL_FLAGS(HAUL_HALO_QUALIFIERS, f), f, align, f.width * size, pitch));
}

HAUL_CONSTANT haul_transfer haul_tile_of(unsigned size, unsigned natural, haul_tile_fields f) {
    const unsigned align = haul_vector_bytes(size, natural, f.vector), row = f.box0 * size;
    const unsigned rank = f.box4 ? 5 : f.box3 ? 4 : f.box2 ? 3 : f.box1 ? 2 : 1;
    return (haul_tile)(size, rank, f.box0, f.box1, f.box2, f.box3, f.box4, f.shared_pitch ? f.shared_pitch * size : row,
                       align, f.threads, HAUL_BOX_HOW(HAUL_FLAGS(HAUL_TILE_QUALIFIERS, f), f, align, row, 0));
}

/* ---- declarations ---- */

/* F(x, argument) for each of up to 24 arguments. */
#define HAUL_EACH_1(F, x, a) F(x, a)
#define HAUL_EACH_2(F, x, a, ...) F(x, a) HAUL_EACH_1(F, x, __VA_ARGS__)
#define HAUL_EACH_3(F, x, a, ...) F(x, a) HAUL_EACH_2(F, x, __VA_ARGS__)
#define HAUL_EACH_4(F, x, a, ...) F(x, a) HAUL_EACH_3(F, x, __VA_ARGS__)
#define HAUL_EACH_5(F, x, a, ...) F(x, a) HAUL_EACH_4(F, x, __VA_ARGS__)
#define HAUL_EACH_6(F, x, a, ...) F(x, a) HAUL_EACH_5(F, x, __VA_ARGS__)
#define HAUL_EACH_7(F, x, a, ...) F(x, a) HAUL_EACH_6(F, x, __VA_ARGS__)
#define HAUL_EACH_8(F, x, a, ...) F(x, a) HAUL_EACH_7(F, x, __VA_ARGS__)
#define HAUL_EACH_9(F, x, a, ...) F(x, a) HAUL_EACH_8(F, x, __VA_ARGS__)
#define HAUL_EACH_10(F, x, a, ...) F(x, a) HAUL_EACH_9(F, x, __VA_ARGS__)
#define HAUL_EACH_11(F, x, a, ...) F(x, a) HAUL_EACH_10(F, x, __VA_ARGS__)
#define HAUL_EACH_12(F, x, a, ...) F(x, a) HAUL_EACH_11(F, x, __VA_ARGS__)
#define HAUL_EACH_13(F, x, a, ...) F(x, a) HAUL_EACH_12(F, x, __VA_ARGS__)
#define HAUL_EACH_14(F, x, a, ...) F(x, a) HAUL_EACH_13(F, x, __VA_ARGS__)
#define HAUL_EACH_15(F, x, a, ...) F(x, a) HAUL_EACH_14(F, x, __VA_ARGS__)
#define HAUL_EACH_16(F, x, a, ...) F(x, a) HAUL_EACH_15(F, x, __VA_ARGS__)
#define HAUL_EACH_17(F, x, a, ...) F(x, a) HAUL_EACH_16(F, x, __VA_ARGS__)
#define HAUL_EACH_18(F, x, a, ...) F(x, a) HAUL_EACH_17(F, x, __VA_ARGS__)
#define HAUL_EACH_19(F, x, a, ...) F(x, a) HAUL_EACH_18(F, x, __VA_ARGS__)
#define HAUL_EACH_20(F, x, a, ...) F(x, a) HAUL_EACH_19(F, x, __VA_ARGS__)
#define HAUL_EACH_OF(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, EACH, \
                     ...)                                                                                             \
    EACH
#define HAUL_EACH(F, x, ...)                                                                                      \
    HAUL_EACH_OF(__VA_ARGS__, HAUL_EACH_20, HAUL_EACH_19, HAUL_EACH_18, HAUL_EACH_17, HAUL_EACH_16, HAUL_EACH_15, \
                 HAUL_EACH_14, HAUL_EACH_13, HAUL_EACH_12, HAUL_EACH_11, HAUL_EACH_10, HAUL_EACH_9, HAUL_EACH_8,  \
                 HAUL_EACH_7, HAUL_EACH_6, HAUL_EACH_5, HAUL_EACH_4, HAUL_EACH_3, HAUL_EACH_2, HAUL_EACH_1, )     \
    (F, x, __VA_ARGS__)

/* Fields: C++ before 20 has no designated initialisers, so each `.field = value` becomes an assignment. A function
 * makes them, because a constant of C++14 cannot hold statements. */
#define HAUL_SET_FIELD(x, assignment) x assignment;

#if defined(__cplusplus) && __cplusplus >= 201402L
#define HAUL_DECLARE_FIELDS(name, kind, ...)                   \
    struct name##_call {                                       \
        HAUL_CONSTANT haul_##kind##_fields fields() {          \
            haul_##kind##_fields haul_given = {};              \
            HAUL_EACH(HAUL_SET_FIELD, haul_given, __VA_ARGS__) \
            return haul_given;                                 \
        }                                                      \
    };                                                         \
    constexpr haul_##kind##_fields name##_fields = name##_call::fields()
/* Checks are silent if a field is not constant, or is none: the compiler has said so once. */
#ifdef __CUDACC_RTC__
#define HAUL_CONSTANT_HOLDS(condition) (condition)
#else
#define HAUL_CONSTANT_HOLDS(condition) (!__builtin_constant_p(condition) || (condition))
#endif
#define HAUL_FIELDS_0(name, condition, text) HAUL_ASSERT_0(name, HAUL_CONSTANT_HOLDS(condition), text)
#define HAUL_FIELDS_1(name, condition, text, a, rest) HAUL_ASSERT_1(name, HAUL_CONSTANT_HOLDS(condition), text, a, rest)
#define HAUL_FIELDS_2(name, condition, text, a, between, b) \
    HAUL_ASSERT_2(name, HAUL_CONSTANT_HOLDS(condition), text, a, between, b)
#define HAUL_ASSERT_VALUE(name, field, bits, values) \
    HAUL_FIELDS_0(name, !(name##_fields.field & ~(bits)), "." #field " takes " values);
#define HAUL_ASSERT_SWITCH(name, field, flag) \
    HAUL_FIELDS_0(name, name##_fields.field == 0 || name##_fields.field == 1, "." #field " is 0 or 1");
#define HAUL_ASSERT_FIELDS(name, QUALIFIERS) QUALIFIERS(HAUL_ASSERT_VALUE, HAUL_ASSERT_SWITCH, name)
#define HAUL_DECLARE_TRANSFER(name, type, kind, QUALIFIERS, ...)                                          \
    HAUL_DECLARE_FIELDS(name, kind, __VA_ARGS__);                                                         \
    HAUL_ASSERT_FIELDS(name, QUALIFIERS)                                                                  \
    HAUL_FIELDS_0(name, name##_fields.in_flight <= HAUL_HELD_LIMIT, ".in_flight is at most 16 accesses"); \
    constexpr haul_transfer name = haul_##kind##_of((unsigned)sizeof(type), (unsigned)__alignof__(type), name##_fields)
#elif defined(__cplusplus)
#define HAUL_DECLARE_TRANSFER(name, type, kind, QUALIFIERS, ...) \
    HAUL_ASSERT_0(name, 0, "named fields need C++14 or later")
#else
#define HAUL_DECLARE_TRANSFER(name, type, kind, QUALIFIERS, ...) \
    const haul_transfer name =                                   \
        haul_##kind##_of((unsigned)sizeof(type), (unsigned)__alignof__(type), (haul_##kind##_fields){__VA_ARGS__})
#endif

/* The checks of a constant descriptor, in C++. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define HAUL_CHECKS_OF(...) \
    ;                       \
    __VA_ARGS__
#else
#define HAUL_CHECKS_OF(...)
#endif

#define HAUL_SEQUENTIAL_WITH(name, type, ...)                                        \
    HAUL_DECLARE_TRANSFER(name, type, sequential, HAUL_ROWS_QUALIFIERS, __VA_ARGS__) \
    HAUL_CHECKS_OF(HAUL_CHECK_SEQUENTIAL(HAUL_FIELDS, name, name.bytes, name.alignment, name.threads, name.how))

#define HAUL_STRIDED_WITH(name, type, ...)                                                                      \
    HAUL_DECLARE_TRANSFER(name, type, strided, HAUL_ROWS_QUALIFIERS, __VA_ARGS__)                               \
    HAUL_CHECKS_OF(HAUL_FIELDS_0(name, (name##_fields.global_pitch != 0) != name##_fields.pitched,              \
                                 "give .global_pitch, or .pitched = 1 if haul_pitched() gives it at run time"); \
                   HAUL_CHECK_ELEMENTS(HAUL_FIELDS, name, name.count, name.bytes, name.shared_pitch,            \
                                       name.global_pitch, name.alignment, name.threads, name.how, HAUL_OF_ROWS))

#define HAUL_INDIRECT_WITH(name, type, ...)                                                          \
    HAUL_DECLARE_TRANSFER(name, type, indirect, HAUL_INDIRECT_QUALIFIERS, __VA_ARGS__)               \
    HAUL_CHECKS_OF(HAUL_CHECK_ELEMENTS(HAUL_FIELDS, name, name.count, name.bytes, name.shared_pitch, \
                                       name.global_pitch, name.alignment, name.threads, name.how, HAUL_OF_INDIRECT))

#define HAUL_HALO_WITH(name, type, ...)                                                                          \
    HAUL_DECLARE_TRANSFER(name, type, halo, HAUL_HALO_QUALIFIERS, __VA_ARGS__)                                   \
    HAUL_CHECKS_OF(HAUL_FIELDS_0(name, name.box[0] > 0 && name.box[1] > 0, "give .width and .height");           \
                   HAUL_CHECK_WHOLE_HALO(HAUL_FIELDS, name, name.element, name.box[0], name.box[1], name.radius, \
                                         name.shared_pitch, name.alignment, name.threads, name.how))

#define HAUL_TILE_WITH(name, type, ...)                                                                            \
    HAUL_DECLARE_TRANSFER(name, type, tile, HAUL_TILE_QUALIFIERS, __VA_ARGS__)                                     \
    HAUL_CHECKS_OF(HAUL_FIELDS_0(name, name.box[0] && name.box[1] && name.box[2] && name.box[3],                   \
                                 "give .box0, .box1, ... without a gap");                                          \
                   HAUL_CHECK_WHOLE_TILE(HAUL_FIELDS, name, name.element, name.rank, name.box[0], name.box[1],     \
                                         name.box[2], name.box[3], name.box[4], name.shared_pitch, name.alignment, \
                                         name.threads, name.how))

#endif
