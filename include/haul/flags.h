/* How a transfer is made: flags to be OR-ed together, and the rules for combining them.
 *
 * Host and device share this header, like haul/transfer.h, which includes it. One table says which flag goes with which
 * engine and shape; the compiler, haul_diagnose(), debug builds and docs/device.md follow it. It includes no other
 * header. */
#ifndef HAUL_FLAGS_H
#define HAUL_FLAGS_H

typedef unsigned long long haul_how;

/* Each value of a field is one bit, so that two values of one field are detected and refused if flags are constant. */

/* The engine; HAUL_AUTO takes the one that haul_transfer_engine() returns. Beside its bit each engine has a number, for
 * decisions at run time. */
#define HAUL_AUTO 0ull
#define HAUL_BY_LDG (1ull | 1ull << 3)    /* loads into registers, stores from there */
#define HAUL_BY_LDGSTS (2ull | 1ull << 4) /* cp.async: 4, 8 or 16 bytes from global to shared memory; loads only */
#define HAUL_BY_BULK (3ull | 1ull << 5)   /* cp.async.bulk: whole runs of multiples of 16 bytes; sm_90 */
#define HAUL_BY_TENSOR (4ull | 1ull << 6) /* cp.async.bulk.tensor: boxes, by a tensor map; sm_90 */
#define HAUL_ENGINE_BITS (127ull << 0)
#define HAUL_ENGINE_NUMBER(how) ((how)&7ull)

/* Load operators of LDG (PTX ld.global's cache operators). */
#define HAUL_LOAD_CA (1ull << 7)  /* all levels: the default */
#define HAUL_LOAD_CG (1ull << 8)  /* L2 only */
#define HAUL_LOAD_CS (1ull << 9)  /* streaming: likely used once */
#define HAUL_LOAD_LU (1ull << 10) /* last use */
#define HAUL_LOAD_CV (1ull << 11) /* volatile: fetch again */
/* Read-only for the kernel's whole life: alone, or with CA, CG or CS. */
#define HAUL_LOAD_NC (1ull << 13)
/* Read-only, without allocating a line in L1; replaces the operators above. */
#define HAUL_LOAD_NC_NO_ALLOCATE (1ull << 12 | HAUL_LOAD_NC)
#define HAUL_LOAD_BITS (127ull << 7)
#define HAUL_LOAD_OPERATOR(how) ((how) & (63ull << 7)) /* without NC */
#define HAUL_LOAD_NO_ALLOCATE (1ull << 12)             /* the operator of HAUL_LOAD_NC_NO_ALLOCATE */
/* Store operators of stores that go through registers. */
#define HAUL_STORE_WB (1ull << 14) /* write-back: the default */
#define HAUL_STORE_CG (1ull << 15) /* L2 only */
#define HAUL_STORE_CS (1ull << 16) /* streaming */
#define HAUL_STORE_WT (1ull << 17) /* write-through */
#define HAUL_STORE_BITS (15ull << 14)
/* Eviction priority in L2 of the lines of loads and stores. */
#define HAUL_L2_EVICT_FIRST (1ull << 18)
#define HAUL_L2_EVICT_LAST (1ull << 19)
#define HAUL_L2_EVICT_UNCHANGED (1ull << 20)
#define HAUL_L2_EVICT_BITS (7ull << 18)
/* Bytes that L2 fetches on a miss: for loads by LDG (operators CA and NC) and LDGSTS. */
#define HAUL_L2_FETCH_64 (1ull << 21)
#define HAUL_L2_FETCH_128 (1ull << 22)
#define HAUL_L2_FETCH_256 (1ull << 23)
#define HAUL_L2_FETCH_BITS (7ull << 21)
/* LDGSTS: accesses of 16 bytes bypass L1 unless this asks for L1; shorter ones always go through it. */
#define HAUL_THROUGH_L1 (1ull << 24)
#define HAUL_BYPASS_L1 (1ull << 25)
#define HAUL_L1_BITS (3ull << 24)

/* Both sides are equally far from a 16-byte boundary, and pitches are multiples of 16. Heads and tails are peeled and
 * the rest moves in accesses of 16 bytes, whatever the declared alignment is. */
#define HAUL_CONGRUENT (1ull << 26)
/* Indices are 64 bits wide, not 32. */
#define HAUL_INDEX_64 (1ull << 27)
/* Halo: without the tile inside; without the four corners. */
#define HAUL_RING_ONLY (1ull << 28)
#define HAUL_NO_CORNERS (1ull << 29)
/* Halo, tile: nothing reaches beyond the array, so nothing is compared or filled. */
#define HAUL_UNBOUNDED (1ull << 30)
/* The team no longer uses the destination in shared memory: a start need not wait for the team. */
#define HAUL_DESTINATION_FREE (1ull << 31)
/* Pipelines: users also write into the stages, so a release makes their stores visible to the copy engine. */
#define HAUL_STAGES_WRITTEN (1ull << 32)
/* Element type of reductions (haul_..._add). */
#define HAUL_ADD_U32 (1ull << 33)
#define HAUL_ADD_S32 (1ull << 34)
#define HAUL_ADD_U64 (1ull << 35)
#define HAUL_ADD_F32 (1ull << 36)
#define HAUL_ADD_F64 (1ull << 37)
#define HAUL_ADD_F16 (1ull << 38)
#define HAUL_ADD_BF16 (1ull << 39)
#define HAUL_ADD_BITS (127ull << 33)
/* Bytes of that type; 1 if nothing is added. */
#define HAUL_ADD_BYTES(how)                        \
    (((how)&HAUL_ADD_BITS) == 0               ? 1u \
     : (how) & (HAUL_ADD_U64 | HAUL_ADD_F64)  ? 8u \
     : (how) & (HAUL_ADD_F16 | HAUL_ADD_BF16) ? 2u \
                                              : 4u)

/* LDG: bytes that each thread has in flight, a multiple of the access width up to 256; at most 16 accesses are made at
 * once. Default, and 0: four accesses. The number is stored beside its complement, which reveals two numbers OR-ed
 * together. */
#define HAUL_IN_FLIGHT(bytes) HAUL_IN_FLIGHT_OF((haul_how)(bytes))
#define HAUL_IN_FLIGHT_OF(n) ((n) == 0 ? 0 : (511 * (512 - ((n) < 511 ? (n) : 511))) << 46)
#define HAUL_IN_FLIGHT_BYTES(how) ((unsigned)((how) >> 46) & 511u)
#define HAUL_IN_FLIGHT_BITS (0x3ffffull << 46)
#define HAUL_IN_FLIGHT_PAIR(how) (HAUL_IN_FLIGHT_BYTES(how) + ((unsigned)((how) >> 55) & 511u) == 511u)
#define HAUL_HELD_LIMIT 16 /* accesses */

#define HAUL_HOW_BITS ((1ull << 40) - 1 + HAUL_IN_FLIGHT_BITS)

/* ---- which flag goes with which engine and shape ---- */

#define HAUL_ENGINE_OF(how) ((how)&HAUL_ENGINE_BITS)
/* Sets of engines; HAUL_NO_ENGINE stands for HAUL_AUTO. A flag that not all engines have needs an explicit engine. */
#define HAUL_NO_ENGINE (1ull << 45)
#define HAUL_ANY_ENGINE (HAUL_ENGINE_BITS | HAUL_NO_ENGINE)

/* Shapes as sets. */
#define HAUL_OF_ROWS 1u /* sequential and strided transfers */
#define HAUL_OF_INDIRECT 2u
#define HAUL_OF_HALO 4u
#define HAUL_OF_TILE 8u
#define HAUL_OF_ANY 15u

/* ROW(..., flags, engines, shapes, text): the flags are allowed for transfers of these shapes by these engines; others
 * get the message `text`. A store or an addition of a transfer with LDGSTS goes by LDG. */
#define HAUL_FLAG_TABLE(ROW, ...)                                                                                     \
    ROW(__VA_ARGS__, HAUL_IN_FLIGHT_BITS, HAUL_BY_LDG, HAUL_OF_ANY,                                                   \
        "HAUL_IN_FLIGHT belongs to LDG: choose HAUL_BY_LDG")                                                          \
    ROW(__VA_ARGS__, HAUL_LOAD_BITS, HAUL_BY_LDG, HAUL_OF_ANY, "load operators belong to LDG: choose HAUL_BY_LDG")    \
    ROW(__VA_ARGS__, HAUL_STORE_BITS, HAUL_BY_LDG | HAUL_BY_LDGSTS, HAUL_OF_ANY,                                      \
        "store operators belong to stores by threads: choose HAUL_BY_LDG")                                            \
    ROW(__VA_ARGS__, HAUL_L1_BITS, HAUL_BY_LDGSTS, HAUL_OF_ANY,                                                       \
        "HAUL_THROUGH_L1 and HAUL_BYPASS_L1 belong to LDGSTS: choose HAUL_BY_LDGSTS")                                 \
    ROW(__VA_ARGS__, HAUL_L2_EVICT_BITS, HAUL_ANY_ENGINE, HAUL_OF_ANY, "")                                            \
    ROW(__VA_ARGS__, HAUL_L2_FETCH_BITS, HAUL_BY_LDG | HAUL_BY_LDGSTS, HAUL_OF_ANY,                                   \
        "fetch sizes belong to LDG and LDGSTS: choose HAUL_BY_LDG or HAUL_BY_LDGSTS")                                 \
    ROW(__VA_ARGS__, HAUL_CONGRUENT, HAUL_ANY_ENGINE, HAUL_OF_ROWS | HAUL_OF_INDIRECT,                                \
        "HAUL_CONGRUENT belongs to sequential, strided and indirect transfers")                                       \
    ROW(__VA_ARGS__, HAUL_INDEX_64, HAUL_ANY_ENGINE, HAUL_OF_INDIRECT, "HAUL_INDEX_64 belongs to indirect transfers") \
    ROW(__VA_ARGS__, HAUL_RING_ONLY, HAUL_ANY_ENGINE, HAUL_OF_HALO, "HAUL_RING_ONLY belongs to halos")                \
    ROW(__VA_ARGS__, HAUL_NO_CORNERS, HAUL_ANY_ENGINE, HAUL_OF_HALO, "HAUL_NO_CORNERS belongs to halos")              \
    ROW(__VA_ARGS__, HAUL_UNBOUNDED, HAUL_ANY_ENGINE, HAUL_OF_HALO | HAUL_OF_TILE,                                    \
        "HAUL_UNBOUNDED belongs to halos and tiles")                                                                  \
    ROW(__VA_ARGS__, HAUL_DESTINATION_FREE, HAUL_ANY_ENGINE, HAUL_OF_ANY, "")                                         \
    ROW(__VA_ARGS__, HAUL_ADD_BITS, HAUL_ANY_ENGINE, HAUL_OF_ANY & ~HAUL_OF_HALO,                                     \
        "halos are loaded and stored, not added")                                                                     \
    ROW(__VA_ARGS__, HAUL_STAGES_WRITTEN, HAUL_ANY_ENGINE, 0u, "HAUL_STAGES_WRITTEN belongs to pipelines")

/* ---- the rules as checks; CHECK_0(name, condition, text) carries out one ---- */

#define HAUL_CHECK_ROW(CHECK, name, how, shape, flags, engines, shapes, text)                                        \
    CHECK##_0(name,                                                                                                  \
              !((how) & (flags)) || (!((HAUL_ENGINE_OF(how) ? HAUL_ENGINE_OF(how) : HAUL_NO_ENGINE) & ~(engines)) && \
                                     ((shape) & (shapes)) != 0),                                                     \
              text);

#define HAUL_CHECK_PAIR(CHECK, name, how, text, a, b) \
    CHECK##_0(name, (~(how) & (HAUL_##a | HAUL_##b)) != 0, "HAUL_" #a " and HAUL_" #b ": " text);
/* All pairs of 3 to 7 values. */
#define HAUL_PAIRS_3(CHECK, name, how, text, a, b, c) \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, b)     \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, c)     \
    HAUL_CHECK_PAIR(CHECK, name, how, text, b, c)
#define HAUL_PAIRS_4(CHECK, name, how, text, a, b, ...) \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, b)       \
    HAUL_WITH_2(CHECK, name, how, text, a, __VA_ARGS__) \
    HAUL_PAIRS_3(CHECK, name, how, text, b, __VA_ARGS__)
#define HAUL_PAIRS_5(CHECK, name, how, text, a, b, ...) \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, b)       \
    HAUL_WITH_3(CHECK, name, how, text, a, __VA_ARGS__) \
    HAUL_PAIRS_4(CHECK, name, how, text, b, __VA_ARGS__)
#define HAUL_PAIRS_6(CHECK, name, how, text, a, b, ...) \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, b)       \
    HAUL_WITH_4(CHECK, name, how, text, a, __VA_ARGS__) \
    HAUL_PAIRS_5(CHECK, name, how, text, b, __VA_ARGS__)
#define HAUL_PAIRS_7(CHECK, name, how, text, a, b, ...) \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, b)       \
    HAUL_WITH_5(CHECK, name, how, text, a, __VA_ARGS__) \
    HAUL_PAIRS_6(CHECK, name, how, text, b, __VA_ARGS__)
#define HAUL_WITH_2(CHECK, name, how, text, a, b, c) \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, b)    \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, c)
#define HAUL_WITH_3(CHECK, name, how, text, a, b, ...) \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, b)      \
    HAUL_WITH_2(CHECK, name, how, text, a, __VA_ARGS__)
#define HAUL_WITH_4(CHECK, name, how, text, a, b, ...) \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, b)      \
    HAUL_WITH_3(CHECK, name, how, text, a, __VA_ARGS__)
#define HAUL_WITH_5(CHECK, name, how, text, a, b, ...) \
    HAUL_CHECK_PAIR(CHECK, name, how, text, a, b)      \
    HAUL_WITH_4(CHECK, name, how, text, a, __VA_ARGS__)

#define HAUL_CHECK_ONE_ENGINE(CHECK, name, how) \
    HAUL_PAIRS_4(CHECK, name, how, "choose one engine", BY_LDG, BY_LDGSTS, BY_BULK, BY_TENSOR)

/* No field has two values. */
#define HAUL_CHECK_ONE_OF_EACH(CHECK, name, how)                                                                      \
    HAUL_CHECK_ONE_ENGINE(CHECK, name, how)                                                                           \
    HAUL_PAIRS_6(CHECK, name, how, "choose one load operator", LOAD_CA, LOAD_CG, LOAD_CS, LOAD_LU, LOAD_CV,           \
                 LOAD_NC_NO_ALLOCATE)                                                                                 \
    HAUL_PAIRS_4(CHECK, name, how, "choose one store operator", STORE_WB, STORE_CG, STORE_CS, STORE_WT)               \
    HAUL_PAIRS_3(CHECK, name, how, "choose one eviction priority", L2_EVICT_FIRST, L2_EVICT_LAST, L2_EVICT_UNCHANGED) \
    HAUL_PAIRS_3(CHECK, name, how, "choose one fetch size", L2_FETCH_64, L2_FETCH_128, L2_FETCH_256)                  \
    HAUL_CHECK_PAIR(CHECK, name, how, "choose one path", THROUGH_L1, BYPASS_L1)                                       \
    HAUL_PAIRS_7(CHECK, name, how, "choose one type of elements to add", ADD_U32, ADD_S32, ADD_U64, ADD_F32, ADD_F64, \
                 ADD_F16, ADD_BF16)                                                                                   \
    CHECK##_0(name, !((how)&HAUL_IN_FLIGHT_BITS) || HAUL_IN_FLIGHT_PAIR(how),                                         \
              "HAUL_IN_FLIGHT has two numbers: choose one");

/* Fields whose values exclude each other, in PTX or in this library. */
#define HAUL_CHECK_FIELDS(CHECK, name, how)                                                                        \
    HAUL_CHECK_PAIR(CHECK, name, how, "read-only loads take CA, CG or CS", LOAD_NC, LOAD_LU)                       \
    HAUL_CHECK_PAIR(CHECK, name, how, "read-only loads take CA, CG or CS", LOAD_NC, LOAD_CV)                       \
    CHECK##_0(name, !((how)&HAUL_L2_FETCH_BITS) || !(HAUL_LOAD_OPERATOR(how) & ~HAUL_LOAD_CA),                     \
              "fetch sizes go with the load operators CA and NC");                                                 \
    CHECK##_0(name,                                                                                                \
              !((how)&HAUL_L2_EVICT_BITS) || !(HAUL_LOAD_OPERATOR(how) & ~(HAUL_LOAD_CA | HAUL_LOAD_NO_ALLOCATE)), \
              "eviction priorities go with the load operators CA, NC and NC_NO_ALLOCATE");                         \
    CHECK##_0(name, !((how)&HAUL_L2_EVICT_BITS) || !((how)&HAUL_STORE_BITS & ~HAUL_STORE_WB),                      \
              "eviction priorities go with the store operator WB");                                                \
    CHECK##_0(name, !((how)&HAUL_L2_EVICT_BITS) || !((how)&HAUL_L2_FETCH_BITS),                                    \
              "an eviction priority or a fetch size, not both");

/* Features that an architecture (70, 75, 80, 90, ...) lacks. */
#define HAUL_CHECK_ARCH(CHECK, name, how, arch)                                                                     \
    CHECK##_0(name, (HAUL_ENGINE_OF(how) != HAUL_BY_BULK && HAUL_ENGINE_OF(how) != HAUL_BY_TENSOR) || (arch) >= 90, \
              "bulk and tensor copies need sm_90 or later: choose HAUL_AUTO, which takes LDGSTS on older ones");    \
    CHECK##_0(name, HAUL_ENGINE_OF(how) != HAUL_BY_LDGSTS || (arch) >= 80,                                          \
              "LDGSTS needs sm_80 or later: choose HAUL_AUTO, which takes LDG on older ones");                      \
    CHECK##_0(name, !((how)&HAUL_L2_EVICT_BITS) || (arch) >= 80, "eviction priorities need sm_80 or later");        \
    CHECK##_0(name, !((how)&HAUL_L2_FETCH_BITS) || (arch) >= 80 || ((arch) >= 75 && !((how)&HAUL_L2_FETCH_256)),    \
              "fetch sizes need sm_75 or later, HAUL_L2_FETCH_256 sm_80");                                          \
    CHECK##_0(name, ((how)&HAUL_ADD_BITS) != HAUL_ADD_BF16 || (arch) >= 90, "additions of BF16 need sm_90 or later")

/* All rules that depend on flags, shape (HAUL_OF_...) and architecture alone. */
#define HAUL_CHECK_HOW(CHECK, name, how, shape, arch)           \
    CHECK##_0(name, !((how) & ~HAUL_HOW_BITS), "no such flag"); \
    HAUL_CHECK_ONE_OF_EACH(CHECK, name, how)                    \
    HAUL_CHECK_FIELDS(CHECK, name, how)                         \
    HAUL_FLAG_TABLE(HAUL_CHECK_ROW, CHECK, name, how, shape)    \
    HAUL_CHECK_ARCH(CHECK, name, how, arch);                    \
    CHECK##_0(name, HAUL_IN_FLIGHT_BYTES(how) <= 256, "at most 256 bytes a thread are in flight by LDG")

/* Rules for a pipeline's flags; of_threads: each thread has its own pipeline. */
#define HAUL_CHECK_PIPELINE(CHECK, name, how, of_threads, arch)                                                  \
    HAUL_CHECK_ONE_ENGINE(CHECK, name, how)                                                                      \
    CHECK##_0(name, !((how) & ~(HAUL_ENGINE_BITS | HAUL_STAGES_WRITTEN)),                                        \
              "a pipeline takes an engine and HAUL_STAGES_WRITTEN; other flags belong to its transfers");        \
    CHECK##_0(name,                                                                                              \
              (HAUL_ENGINE_OF(how) != HAUL_BY_BULK && HAUL_ENGINE_OF(how) != HAUL_BY_TENSOR) ||                  \
                  ((arch) >= 90 && !(of_threads)),                                                               \
              "bulk and tensor copies need sm_90 or later, and a pipeline of a warp or more: choose HAUL_AUTO"); \
    CHECK##_0(name, HAUL_ENGINE_OF(how) != HAUL_BY_LDGSTS || (arch) >= 80,                                       \
              "LDGSTS needs sm_80 or later: choose HAUL_AUTO, which takes LDG on older ones")

#endif
