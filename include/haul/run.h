/* Run records: what happened in a run, as plain data. Every report, comparison and expectation is made from run
 * records, whether they come from the virtual GPU, from hardware or from a file.
 *
 * Lifetime: a haul_run owns everything it points to; haul_run_free() frees all of it. */
#ifndef HAUL_RUN_H
#define HAUL_RUN_H

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum haul_counter {
#define COUNTER(id, key, ncu, unit, grade, text) HAUL_COUNTER_##id,
#include <haul/counters.def>
#undef COUNTER
    HAUL_COUNTER_COUNT
} haul_counter;

typedef enum haul_counter_grade { HAUL_COUNTER_EXACT, HAUL_COUNTER_CLOSE, HAUL_COUNTER_INFO } haul_counter_grade;

typedef struct haul_counter_info {
    const char *key, *ncu, *unit, *text;
    haul_counter_grade grade;
} haul_counter_info;
extern const haul_counter_info haul_counters[HAUL_COUNTER_COUNT];

/* Finds a counter by its key; HAUL_COUNTER_COUNT if there is none. */
haul_counter haul_counter_find(const char *key);

/* The kind of memory traffic that an instruction causes: the rows of Nsight Compute's memory tables. */
typedef enum haul_memory_class {
    HAUL_CLASS_NONE, /* arithmetic, control, parameters */
    HAUL_CLASS_GLOBAL_LOAD,
    HAUL_CLASS_GLOBAL_STORE,
    HAUL_CLASS_GLOBAL_ATOMIC,    /* with a result */
    HAUL_CLASS_GLOBAL_REDUCTION, /* without */
    HAUL_CLASS_LOCAL_LOAD,
    HAUL_CLASS_LOCAL_STORE,
    HAUL_CLASS_SHARED_LOAD,
    HAUL_CLASS_SHARED_STORE,
    HAUL_CLASS_SHARED_ATOMIC,
    HAUL_CLASS_LDGSTS_ACCESS,
    HAUL_CLASS_LDGSTS_BYPASS,
    HAUL_CLASS_BULK_LOAD,
    HAUL_CLASS_BULK_STORE,
    HAUL_CLASS_TEXTURE, /* fetches */
    HAUL_CLASS_SURFACE_LOAD,
    HAUL_CLASS_SURFACE_STORE,
    HAUL_CLASS_SURFACE_REDUCTION,
    HAUL_CLASS_CONSTANT_LOAD, /* of const variables, and of parameters at a computed address */
    HAUL_CLASS_COUNT
} haul_memory_class;
extern const char *const haul_class_names[HAUL_CLASS_COUNT]; /* "Global Load", ... */

/* Traffic of one instruction, a class of instructions, or a launch. Counts are of warp-level accesses. Fields that do
 * not apply to a class are zero. */
typedef struct haul_traffic {
    uint64_t instructions;            /* warp-level */
    uint64_t threads;                 /* sum of active lanes */
    uint64_t requests;                /* to L1 tags (global, local), or to the constant cache */
    uint64_t sectors;                 /* 32-byte sectors at L1 */
    uint64_t ideal_sectors;           /* the fewest that could hold the requested bytes */
    uint64_t hits;                    /* sectors found in L1; requests that hit in the constant cache */
    uint64_t wavefronts;              /* tag-stage output (global, local) */
    uint64_t l2_requests, l2_sectors; /* sent on to L2 */
    uint64_t bytes;                   /* requested by the active lanes */
    uint64_t shared_wavefronts;       /* data-stage wavefronts in shared memory */
    uint64_t ideal_shared_wavefronts; /* the fewest that could serve the lanes' bytes */
    uint64_t bank_conflicts;          /* wavefronts added by bank conflicts; copies that bypass L1 add none */
} haul_traffic;

/* Adds `more` to `sum`, field by field. */
void haul_traffic_add(haul_traffic *sum, const haul_traffic *more);

/* A place in the CUDA source; `inlined_into` is the call site that it was inlined into, NULL at the outermost. */
typedef struct haul_source_place {
    const char *file; /* as the compiler wrote it; NULL when unknown */
    uint32_t line, column;
    const struct haul_source_place *inlined_into;
} haul_source_place;

/* One access of a warp. Addresses of inactive lanes are 0. */
typedef struct haul_access {
    uint32_t active; /* lanes */
    uint32_t bytes;  /* of each */
    uint64_t global[32];
    uint32_t shared[32]; /* relative to a base that all lanes share */
} haul_access;

typedef struct haul_instruction_record {
    const char *text;     /* PTX, with shortened operands: "ld.global.f32 %f1, [%rd4]" */
    const char *mnemonic; /* "ld.global.f32" */
    uint32_t ptx_line;
    haul_source_place place;
    haul_memory_class memory_class;
    haul_traffic traffic; /* instructions and threads are filled for every instruction */
    /* Some of its accesses. LDGSTS: any of them; others: those that take more sectors, wavefronts or turns than they
     * need. */
    const haul_access *samples;
    size_t sample_count;
    bool orders;      /* it orders accesses of threads, or waits until some are done: a barrier, a fence, an acquire */
    bool sees_others; /* its result tells how far other threads are: at a common address, or by the time that passed */
    uint32_t loop;    /* a number of its outermost loop; 0: it is in none */
} haul_instruction_record;

typedef enum haul_argument_kind {
    HAUL_ARGUMENT_BUFFER,
    HAUL_ARGUMENT_I32,
    HAUL_ARGUMENT_I64,
    HAUL_ARGUMENT_F32,
    HAUL_ARGUMENT_F64,
    HAUL_ARGUMENT_BYTES,
    HAUL_ARGUMENT_I8,
    HAUL_ARGUMENT_I16
} haul_argument_kind;

typedef struct haul_occupancy {
    uint32_t blocks_per_sm;
    uint32_t warps_per_sm, max_warps_per_sm;
    uint32_t limit_blocks, limit_registers, limit_shared, limit_warps; /* blocks an SM that each resource allows */
    uint32_t registers_per_thread;
    bool registers_estimated;   /* estimated from PTX, and small enough for a block to fit; else measured */
    uint32_t registers_spilled; /* estimated registers beyond the kernel's bounds, which spill; 0 if measured */
    uint32_t shared_per_block;  /* static and dynamic, as allocated */
    uint32_t shared_carveout;   /* bytes of the SM's unified memory given to shared memory */
    uint32_t l1_bytes;          /* the rest, which is left for L1 */
} haul_occupancy;

/* The states of a resident warp in a cycle, listed in include/haul/stalls.def: it issues, or it waits. */
typedef enum haul_stall {
#define STALL(id, key, title, text) HAUL_STALL_##id,
#include <haul/stalls.def>
#undef STALL
    HAUL_STALL_COUNT
} haul_stall;

typedef struct haul_stall_info {
    const char *key, *title, *text;
} haul_stall_info;
extern const haul_stall_info haul_stalls[HAUL_STALL_COUNT];

/* How a simulated launch spends its time. It comes from the model that gives estimate_us, never from a GPU; all fields
 * are 0 if the launch was not counted. Shares are 0 to 1, of the kernel's own time, cycles / sm_mhz, without the time
 * to launch it. Those of L2, the SM and issue slots are of 1.6 us more, since Nsight Compute measures as much. */
typedef struct haul_estimate {
    double cycles, sm_mhz;                        /* cycles of the SM clock, and its frequency under load */
    double memory_gbps;                           /* peak rate of device memory */
    double memory_share;                          /* share of that rate used by reads and writes, as dram__throughput */
    double l2_share;                              /* share of time that L2 is busy, as lts__throughput */
    double nvlink_read_share, nvlink_write_share; /* share of time that accesses to peers keep the links busy */
    double sm_share;     /* busiest of issue slots, register writes by memory, constants and barriers */
    double issue_share;  /* share of the schedulers' issue slots */
    double l1_share;     /* busiest part of L1 and shared memory: wavefronts, atomics, textures, the path to L2 */
    double instructions; /* machine instructions that warps issue */
    double warps_per_sm; /* resident on average */
    double stalls[HAUL_STALL_COUNT]; /* cycles, summed over all warps */
} haul_estimate;

/* Simulated launches: the range a counter must fall in, whatever the hardware's timing; low = high if timing has no
 * influence. Measured launches: the lowest and the highest of the readings. */
typedef struct haul_bounds {
    double low, high;
} haul_bounds;

/* ---- findings: what `haul check` found wrong ---- */

typedef enum haul_finding_kind {
#define FINDING(id, key, grade, why, cure) HAUL_FINDING_##id,
#include <haul/findings.def>
#undef FINDING
    HAUL_FINDING_COUNT
} haul_finding_kind;

typedef enum haul_finding_grade { HAUL_GRADE_ERROR, HAUL_GRADE_WARNING, HAUL_GRADE_ADVICE } haul_finding_grade;

typedef struct haul_finding_info {
    const char *key, *why, *cure;
    haul_finding_grade grade;
} haul_finding_info;
extern const haul_finding_info haul_finding_kinds[HAUL_FINDING_COUNT];
extern const char *const haul_grade_names[3]; /* "error", "warning", "advice" */

/* Finds a kind by its key; HAUL_FINDING_COUNT if there is none. */
haul_finding_kind haul_finding_find(const char *key);

typedef enum haul_action {
    HAUL_ACTION_NONE, /* no such access */
    HAUL_ACTION_READ,
    HAUL_ACTION_WRITE,
    HAUL_ACTION_ATOMIC,
    HAUL_ACTION_ASYNC_READ, /* an asynchronous copy reads its source */
    HAUL_ACTION_ASYNC_WRITE,
    HAUL_ACTION_SYNC,     /* a barrier, a wait, a warp instruction */
    HAUL_ACTION_ALLOCATE, /* malloc() or new in a kernel */
    HAUL_ACTION_FREE,
    HAUL_ACTION_COUNT
} haul_action;
extern const char *const haul_action_names[HAUL_ACTION_COUNT]; /* "", "read", ..., "asynchronous read", ... */

typedef enum haul_space {
    HAUL_SPACE_NONE,
    HAUL_SPACE_GLOBAL,
    HAUL_SPACE_SHARED,
    HAUL_SPACE_LOCAL,
    HAUL_SPACE_PARAM,
    HAUL_SPACE_COUNT
} haul_space;
extern const char *const haul_space_names[HAUL_SPACE_COUNT]; /* "", "global", "shared", ... */

/* One thread's access, and its place. */
typedef struct haul_finding_access {
    haul_action action;
    size_t instruction; /* index into the launch's instructions, which have text, PTX line and source place */
    uint32_t block[3], thread[3];
    /* Of the whole access, of which the finding's may be a part; 0: it is no ordinary load, store or atomic. */
    uint32_t bytes;
} haul_finding_access;

/* One defect in one kernel launch. The same kind and grade at the same two places (lines of the user's own source, or
 * of the PTX if there is no line information) is one finding, described by its first occurrence in a fixed order. */
typedef struct haul_finding {
    haul_finding_kind kind;
    haul_finding_grade grade;
    uint64_t count;             /* threads involved, at either place */
    uint64_t blocks;            /* their thread blocks */
    haul_finding_access access; /* the later access, which completes the defect */
    haul_finding_access other;  /* the earlier one; action HAUL_ACTION_NONE if there is only one */
    haul_space space;           /* that holds the bytes */
    uint64_t address;           /* of the first byte; shared: relative to the block's shared memory */
    uint32_t bytes;
    const char *object; /* "s + 508, in 512 bytes of shared memory"; NULL if there is none */
    const char *what;   /* a sentence with the particulars: numbers, masks, who waits for what */
    bool between_lanes; /* a race of two lanes of one warp, which lack an order just as two warps would */
    bool before_init;   /* an mbarrier that nothing had initialised when it was used */
    bool beside_init;   /* an mbarrier whose use nothing orders after its initialisation, which is the earlier access */
} haul_finding;

/* Reads of a launch besides data: machine code and constant banks. The size of the code is an estimate. */
typedef struct haul_code_fetch {
    uint64_t bytes, parameter_bytes; /* of the kernel's code, and of its parameters */
    uint64_t requests, sectors;      /* at L2 */
    uint64_t misses;                 /* sectors that the reader's part of L2 did not have */
    uint64_t device_sectors;         /* read from device memory */
} haul_code_fetch;

typedef struct haul_launch_record {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;                  /* dynamic */
    bool opted_in;                          /* haul opted the kernel in to this size; a program must do that itself */
    double counters[HAUL_COUNTER_COUNT];    /* negative = not read */
    haul_bounds bounds[HAUL_COUNTER_COUNT]; /* valid if the counter was read */
    haul_traffic classes[HAUL_CLASS_COUNT];
    haul_instruction_record *instructions; /* in PTX order */
    size_t instruction_count;
    haul_finding *findings; /* by severity, then place; only if the launch was checked */
    size_t finding_count;
    bool checked;         /* findings were looked for */
    haul_status ended_by; /* HAUL_OK, or the fault, trap or deadlock that ended a checked launch */
    haul_occupancy occupancy;
    haul_code_fetch code;
    double estimate_us;            /* negative = none */
    haul_estimate estimate;        /* what estimate_us is made of */
    double measured_us;            /* negative = none; the median if measured several times */
    haul_bounds measured_range_us; /* the shortest and the longest */
    double host_seconds;           /* time that the simulation took */
    uint64_t sampled_blocks;       /* blocks that were counted before scaling to all; 0: nothing was scaled */
} haul_launch_record;

typedef enum haul_stamp { HAUL_SIMULATED, HAUL_MEASURED, HAUL_REPLAYED } haul_stamp;

typedef struct haul_run {
    haul_stamp stamp;
    const char *machine; /* "h100" */
    const char *device;  /* "NVIDIA H100 80GB HBM3 (virtual)" */
    const char *version; /* haul's */
    haul_launch_record *launches;
    size_t launch_count;
    void *owner; /* the run's memory */
} haul_run;

/* Frees the run and all that it owns. NULL is allowed. */
void haul_run_free(haul_run *run);

#ifdef __cplusplus
}
#endif
#endif
