/* The inside of L2's model, for those who make it (count/l2.c) and who play requests into it (vectors/l2.c). */
#ifndef HAUL_COUNT_L2_SETS_H
#define HAUL_COUNT_L2_SETS_H

#include "count/l2.h"
#include "count/match.h"

enum {
    SIM_L2_WAYS = 16,
    SIM_L2_LINE_BYTES = 128,
    SIM_L2_PARTITIONS = 2,
    SIM_L2_SECTOR_BYTES = 32,
    SIM_L2_LINE_SECTORS = 4,
    SIM_L2_SET_BYTES = 128
};

_Static_assert(SIM_L2_WAYS == (int)SIM_MATCH_ROW, "a set's tags are compared at once");

/* What a way's line has, four bits for its sectors each: shifts. */
enum {
    SIM_L2_VALID = 0,
    SIM_L2_DIRTY = 4,
    SIM_L2_WHOLE = 8,  /* nothing of the sector has to be read from memory any more: it was, or is all written */
    SIM_L2_PARTLY = 12 /* some bytes were written: sim_l2_cover says how many */
};

/* By way, how many others were used since: a permutation of 0 to 15. XOR SIM_L2_FIRST_AGES. */
typedef int8_t sim_l2_ages __attribute__((vector_size(SIM_L2_WAYS)));
#define SIM_L2_FIRST_AGES ((sim_l2_ages){15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0})

/* All zero is an empty set. */
typedef struct sim_l2_set {
    uint32_t tag[SIM_L2_WAYS];   /* low part of the line's number in its slice, plus 1; 0 = free */
    uint16_t state[SIM_L2_WAYS]; /* see SIM_L2_VALID */
    sim_l2_ages ages;
    uint16_t last;  /* ways that persist, */
    uint16_t first; /* that are given up first */
} __attribute__((aligned(SIM_L2_SET_BYTES))) sim_l2_set;

/* What both partitions have for the same lines. */
typedef struct sim_l2_sets {
    sim_l2_set of[SIM_L2_PARTITIONS];
} sim_l2_sets;

/* Bytes written of sectors that are not whole; of ways without a bit that says partly it says nothing. */
typedef struct sim_l2_cover {
    uint8_t bytes[SIM_L2_PARTITIONS][SIM_L2_WAYS][SIM_L2_LINE_SECTORS];
} sim_l2_cover;

/* Memory that all SMs write all over would need a set for each: beyond so many chunks nothing is
 * said about it. */
enum { SIM_L2_MOST_SHARED_CHUNKS = 1 << 15 };

/* Requests that were made lately by a group of SMs: an equal one that comes soon shares its answer. */
enum { SIM_L2_RECENT = 64, SIM_L2_GROUPS = 32, SIM_L2_GROUP_SMS = 6, SIM_L2_RECENT_ROUNDS = 1 };
typedef struct sim_l2_recent {
    sim_log_entry entry;
    uint32_t round, sm;
} sim_l2_recent;

/* Sets lie too far apart for the host's nearest caches: requests wait by the part of the sets that they are for, until
 * there are so many that playing them pays for fetching that part; few enough that they lie near themselves. An entry
 * has bit SIM_L2_OTHER_PARTITION set when its SM reads through partition 1. */
enum { SIM_L2_PARTS = 16, SIM_L2_PART_ENTRIES = 512, SIM_L2_OTHER_PARTITION = 1 << 15 };
typedef struct sim_l2_waiting {
    uint32_t count[SIM_L2_PARTS];
    sim_log_entry entries[SIM_L2_PARTS][SIM_L2_PART_ENTRIES];
    uint16_t set[SIM_L2_PARTS][SIM_L2_PART_ENTRIES]; /* by entry */
} sim_l2_waiting;

/* What is left of an SM's log for the slice. */
typedef struct sim_l2_stream {
    const sim_log_entry *next, *end;
    sim_l2_recent *group; /* the SM's */
    uint32_t sm;
    uint32_t partition; /* that the SM reads through: 0 or SIM_L2_OTHER_PARTITION */
} sim_l2_stream;

/* L2 is made of two partitions. A line belongs to one, where it is written and from where memory is asked; SMs read
 * through their own partition, which keeps a copy of what belongs to the other one. */
typedef struct sim_l2_slice {
    void *memory; /* that the sets lie in */
    sim_l2_sets *sets;
    sim_l2_cover *covers; /* likewise */
    uint32_t set_count;   /* of a partition */
    unsigned part_shift;  /* the part of a set is its number without so many bits */
    uint32_t round;       /* of requests played */
    uint64_t reciprocal;  /* of set_count, by 2^64 */
    unsigned persisting;  /* ways of a set that may */
    sim_l2_counts counts;
    sim_l2_dirty dirty, dirty_before; /* dirty_before: at the launch's beginning */
    sim_seen read;
    sim_seen written, written_by_more; /* each SM's writes, of lines that only one writes, and of others */
    sim_l2_recent recent[SIM_L2_GROUPS][SIM_L2_RECENT];
    sim_l2_stream *streams; /* as many as the machine has SMs */
} sim_l2_slice;

struct sim_l2 {
    const sim_machine *machine;
    bool warm;                                 /* it has what an earlier launch left */
    uint8_t fetched[1 << SIM_L2_LINE_SECTORS]; /* by sectors that are asked of device memory: what it brings */
    sim_l2_slice slices[SIM_SLICES];
};

#endif
