/* What becomes of a transfer: how it is carried, what it asks the memory for, whether enough of it is in flight, and
 * what would make it faster.
 *
 * The counters are found by walking the very pieces that haul/device.h moves (haul/transfer.h), warp by warp, with the
 * virtual GPU's own rules of counting: a kernel that makes the transfer counts the same. Times are estimates. */
#ifndef HAUL_DIAGNOSE_H
#define HAUL_DIAGNOSE_H

#include <haul/run.h>
#include <haul/transfer.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where and how often a transfer is made. Zero fields mean the default. */
typedef struct haul_circumstances {
    const char *machine; /* a name that `haul info` lists, without "sim:"; default h100 */
    haul_direction direction;
    haul_team_kind team;     /* WARPS: as many threads as the descriptor says */
    uint32_t block_threads;  /* default: the descriptor's, or 256 */
    uint32_t teams;          /* of each block that make such transfers at the same time; default 1 */
    uint64_t blocks;         /* of the grid; default: as many as the machine holds at once, or more */
    uint32_t stages;         /* transfers that a team has under way or in use, 1 to 16; default 1 */
    uint32_t registers;      /* a thread, of the rest of the kernel; default 24 */
    uint32_t shared_bytes;   /* a block, of the rest of the kernel */
    bool run_time;           /* the descriptor's numbers are known at run time only: the compiler folds nothing */
    uint64_t shared, global; /* addresses of the transfer's first byte (boxes: of element `place.at`, where the interior
                                of a halo begins). What counts is how far they are from a 128-byte boundary; only tag
                                wavefronts also depend on higher bits of the global one */
    const int64_t *index;    /* INDIRECT: the row of each element; default: random ones of `rows` */
    uint64_t rows;           /* default 2^20 */
    bool index_in_shared;    /* the list of indices lies in shared memory, not in global memory */
    uint64_t index_at;       /* address of the list; likewise */
    uint64_t hot_bytes;      /* of the array, where all of it is read over and over; 0: each byte once */
    uint64_t between_bytes;  /* of other data that pass between one time and the next */
    uint64_t set_aside;      /* of L2, for a window over the hot bytes with the best hit ratio */
    haul_place place;        /* boxes; extent[0] = 0: well inside an array with rows of 4096 elements */
} haul_circumstances;

typedef enum haul_advice_kind {
#define ADVICE(id, key, title) HAUL_ADVICE_##id,
#include <haul/advice.def>
#undef ADVICE
    HAUL_ADVICE_KINDS
} haul_advice_kind;

/* A change that would help: make the transfer faster, or, where something else bounds it, leave more of the SM to other
 * work. */
typedef struct haul_advice {
    haul_advice_kind kind;
    const char *key, *title;
    double gain;   /* how many times faster the transfer alone would be, by estimate */
    double relief; /* how many times fewer of the SM's cycles it would take */
    char text[256];
} haul_advice;

/* What the transfer's rate is bound by. */
typedef enum haul_limit {
    HAUL_LIMIT_MEMORY,  /* device memory's bandwidth: as good as it gets, if no sector is wasted */
    HAUL_LIMIT_LATENCY, /* too little in flight */
    HAUL_LIMIT_L2,
    HAUL_LIMIT_L1,    /* L1 and shared memory: wavefronts */
    HAUL_LIMIT_ISSUE, /* instructions, or copies that the engine starts */
    HAUL_LIMITS
} haul_limit;

typedef struct haul_diagnosis {
    const char *machine, *engine, *team; /* "h100", "LDGSTS", "block" */
    unsigned engine_id;                  /* HAUL_BY_... */

    /* how it is carried */
    uint32_t team_threads;
    uint32_t width, side_width;       /* bytes of an access, and at a halo's sides; bulk and tensor: of a copy */
    uint32_t steps;                   /* that the busiest thread makes, crumbs not counted */
    uint32_t instructions_per_thread; /* memory instructions of the busiest thread */
    double instructions_around;       /* that go with each of them: addresses, bounds, the loop; an estimate */
    uint64_t bytes;                   /* moved between the memories */
    uint64_t pieces;                  /* accesses of full width by one thread, or copies */
    uint64_t filled, clipped;         /* of these, wholly and partly outside the array */
    uint64_t crumbs;                  /* narrower accesses before and behind the pieces of an element */

    /* what it asks for: by class as in a launch's record; L1 is cold at the beginning */
    haul_traffic classes[HAUL_CLASS_COUNT];
    haul_traffic index;                                        /* of these, what reads indices */
    uint64_t requests, sectors, ideal_sectors, tag_wavefronts; /* of global accesses; bulk: of copies */
    uint64_t shared_wavefronts, bank_conflicts;                /* conflicts are among the wavefronts */
    uint64_t fetched_sectors, distinct_sectors;                /* that pass between L1 or shared memory and L2 */
    uint64_t memory_bytes;                                     /* of device memory: L2 reads it by larger units */

    /* room */
    uint32_t shared_bytes;    /* that the stages of all teams of a block take, barriers included */
    uint32_t registers;       /* a thread, that it takes while it is under way: an estimate */
    haul_occupancy occupancy; /* of the whole kernel */
    const char
        *occupied_by; /* what limits the blocks of an SM: "shared memory", "registers", "warps", "blocks", "grid" */
    uint32_t resident_blocks; /* on an SM; fewer than the occupancy allows where the grid is small */

    /* Little's law, on each SM */
    double in_flight_bytes, needed_bytes; /* needed: the latency under load times the SM's share of the bandwidth */

    /* estimate */
    haul_limit limit;
    double sm_cycles;        /* that L1, shared memory or the schedulers are busy with it: what other work lacks */
    double ns;               /* an SM's time for one transfer when all SMs make them all the time */
    double bytes_per_second; /* useful ones, of the whole machine */
    double share;            /* of what device memory sustains: 0 to 1 */

    bool optimal; /* no change that was tried would gain 2 % */
    size_t advice_count;
    haul_advice advice[HAUL_ADVICE_KINDS]; /* the greatest gain first, then the greatest relief */
} haul_diagnosis;

extern const char *const haul_limit_names[HAUL_LIMITS]; /* "device memory", "bytes in flight", ... */

/* Errors: HAUL_ERROR_ARGUMENT with what the compiler would say about the descriptor, or which circumstance is wrong;
 * HAUL_ERROR_LIMIT when not even one block fits on an SM; HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_diagnose(const haul_transfer *transfer, const haul_circumstances *circumstances,
                          haul_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif
#endif
