/* Diagnosis of a transfer: which engine carries it, which traffic it causes, whether enough of it is in flight, and
 * what would make it faster.
 *
 * Counters come from walking the very pieces that haul/device.h moves (haul/transfer.h), warp by warp, with the virtual
 * GPU's counting rules: a kernel that makes the transfer has the same counts. Times are estimates. */
#ifndef HAUL_DIAGNOSE_H
#define HAUL_DIAGNOSE_H

#include <haul/run.h>
#include <haul/fields.h>
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
    uint32_t teams;          /* teams of each block that make such transfers at the same time; default 1 */
    uint64_t blocks;         /* blocks of the grid; default: at least as many as the machine holds at once */
    uint32_t stages;         /* transfers that a team has in flight or in use, 1 to 16; default 1 */
    uint32_t registers;      /* registers a thread that the rest of the kernel needs; default 24 */
    uint32_t shared_bytes;   /* shared memory a block that the rest of the kernel needs */
    bool run_time;           /* the descriptor's numbers are known at run time only: the compiler folds nothing */
    uint64_t shared, global; /* addresses of the transfer's first byte (boxes: of element `place.at`, where a halo's
                                interior begins). What matters is the distance from a 128-byte boundary; only tag
                                wavefronts also depend on higher bits of the global address */
    const int64_t *index;    /* INDIRECT: the row of each element; default: random rows of `rows` */
    uint64_t rows;           /* default 2^20 */
    bool index_in_shared;    /* the list of indices lies in shared memory, not in global memory */
    uint64_t index_at;       /* address of the list; likewise */
    uint64_t hot_bytes;      /* size of the array if all of it is read repeatedly; 0: each byte is read once */
    uint64_t between_bytes;  /* bytes of other data that are read between two such passes */
    uint64_t set_aside;      /* bytes of L2 set aside for a window over the hot bytes, with the best hit ratio */
    haul_place place;        /* boxes; extent[0] = 0: well inside an array with rows of 4096 elements */
} haul_circumstances;

typedef enum haul_advice_kind {
#define ADVICE(id, key, title) HAUL_ADVICE_##id,
#include <haul/advice.def>
#undef ADVICE
    HAUL_ADVICE_KINDS
} haul_advice_kind;

/* A change that would help: it makes the transfer faster, or, if something else limits it, leaves more of the SM to
 * other work. */
typedef struct haul_advice {
    haul_advice_kind kind;
    const char *key, *title;
    double gain;   /* estimated speed-up of the transfer alone, as a factor */
    double relief; /* factor by which it would take fewer of the SM's cycles */
    char text[256];
} haul_advice;

/* The resource that limits the transfer's rate. */
typedef enum haul_limit {
    HAUL_LIMIT_MEMORY,  /* bandwidth of device memory: the best case, if no sector is wasted */
    HAUL_LIMIT_LATENCY, /* too few bytes in flight */
    HAUL_LIMIT_L2,
    HAUL_LIMIT_L1,    /* L1 and shared memory: wavefronts */
    HAUL_LIMIT_ISSUE, /* instructions, or copies that the engine starts */
    HAUL_LIMITS
} haul_limit;

typedef struct haul_diagnosis {
    const char *machine, *engine, *team; /* "h100", "LDGSTS", "block" */
    unsigned engine_id;                  /* HAUL_BY_... */

    /* execution */
    uint32_t team_threads;
    uint32_t width, side_width;       /* bytes of an access, and at a halo's sides; bulk and tensor: bytes of a copy */
    uint32_t steps;                   /* steps of the busiest thread, without narrow accesses at element ends */
    uint32_t instructions_per_thread; /* memory instructions of the busiest thread */
    double instructions_around; /* other instructions for each of them (addresses, bounds, the loop); an estimate */
    uint64_t bytes;             /* moved between the memories */
    uint64_t pieces;            /* full-width accesses of single threads, or copies */
    uint64_t filled, clipped;   /* pieces that lie wholly and partly outside the array */
    uint64_t crumbs;            /* narrower accesses before and after the pieces of an element */

    /* traffic, by class as in a launch's record; L1 is cold at the beginning */
    haul_traffic classes[HAUL_CLASS_COUNT];
    haul_traffic index;                                        /* the part of it that reads indices */
    uint64_t requests, sectors, ideal_sectors, tag_wavefronts; /* of global accesses, or of bulk copies */
    uint64_t shared_wavefronts, bank_conflicts;                /* wavefronts include the conflicts */
    uint64_t fetched_sectors, distinct_sectors; /* sectors transferred between L1 or shared memory and L2 */
    uint64_t memory_bytes;                      /* traffic of device memory, which L2 reads in larger units */

    /* room */
    uint32_t shared_bytes;    /* memory of the stages of all teams of a block, barriers included */
    uint32_t registers;       /* registers a thread that the transfer holds while in flight: an estimate */
    haul_occupancy occupancy; /* of the whole kernel */
    const char
        *occupied_by; /* what limits the blocks of an SM: "shared memory", "registers", "warps", "blocks", "grid" */
    uint32_t resident_blocks; /* blocks on an SM; fewer than the occupancy if the grid is small */

    /* Little's law, on each SM */
    double in_flight_bytes, needed_bytes; /* needed: the latency under load times the SM's share of the bandwidth */

    /* estimate */
    haul_limit limit;
    double sm_cycles;        /* cycles that L1, shared memory or the schedulers are busy with the transfer */
    double ns;               /* an SM's time for one transfer while all SMs make such transfers */
    double bytes_per_second; /* useful bytes, of the whole machine */
    double share;            /* share of the sustained rate of device memory: 0 to 1 */

    bool optimal; /* none of the changes tried would gain 2 % */
    size_t advice_count;
    haul_advice advice[HAUL_ADVICE_KINDS]; /* sorted by gain, then by relief, largest first */
} haul_diagnosis;

extern const char *const haul_limit_names[HAUL_LIMITS]; /* "device memory", "bytes in flight", ... */

/* Diagnoses a transfer; does not block. Errors: HAUL_ERROR_ARGUMENT with the compiler's message about the descriptor,
 * or with the circumstance that is wrong; HAUL_ERROR_LIMIT if not even one block fits on an SM;
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_diagnose(const haul_transfer *transfer, const haul_circumstances *circumstances,
                          haul_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif
#endif
