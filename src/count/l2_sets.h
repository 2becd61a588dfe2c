/* Internal structures of the L2 model, shared by l2_play.c, which creates it, and vector_l2.c, which replays
 * requests. */
#ifndef HAUL_COUNT_L2_SETS_H
#define HAUL_COUNT_L2_SETS_H

#include "count/l2.h"
#include "count/tag_match.h"

enum {
    SIM_L2_WAYS = 16,
    SIM_L2_LINE_BYTES = 128,
    SIM_L2_PARTITIONS = 2,
    SIM_L2_SECTOR_BYTES = 32,
    SIM_L2_LINE_SECTORS = 4,
    SIM_L2_SET_BYTES = 128
};

_Static_assert(SIM_L2_WAYS == (int)SIM_MATCH_ROW, "a set's tags are compared at once");

/* The state of a way's line: shifts of four fields, with a bit for each of its sectors. */
enum {
    SIM_L2_VALID = 0,
    SIM_L2_DIRTY = 4,
    SIM_L2_WHOLE = 8,  /* the whole sector is valid: it was read from memory, or is completely written */
    SIM_L2_PARTLY = 12 /* some bytes were written: sim_l2_cover says how many */
};

/* By way, the number of other ways used since: a permutation of 0 to 15, XORed with SIM_L2_FIRST_AGES. */
typedef int8_t sim_l2_ages __attribute__((vector_size(SIM_L2_WAYS)));
#define SIM_L2_FIRST_AGES ((sim_l2_ages){15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0})

/* All zero is an empty set. */
typedef struct sim_l2_set {
    uint32_t tag[SIM_L2_WAYS];   /* low part of the line's number in its slice, plus 1; 0 = free */
    uint16_t state[SIM_L2_WAYS]; /* see SIM_L2_VALID */
    sim_l2_ages ages;
    uint16_t last;  /* ways that persist */
    uint16_t first; /* ways to be evicted first */
} __attribute__((aligned(SIM_L2_SET_BYTES))) sim_l2_set;

/* Both partitions' sets for the same lines. */
typedef struct sim_l2_sets {
    sim_l2_set of[SIM_L2_PARTITIONS];
} sim_l2_sets;

/* Bytes written of sectors that are not whole. Meaningless for ways without a SIM_L2_PARTLY bit. */
typedef struct sim_l2_cover {
    uint8_t bytes[SIM_L2_PARTITIONS][SIM_L2_WAYS][SIM_L2_LINE_SECTORS];
} sim_l2_cover;

/* Memory written by all SMs needs a set of sectors for each SM. Beyond this many chunks no bound is given for it. */
enum { SIM_L2_MOST_SHARED_CHUNKS = 1 << 15 };

/* Recent requests of a group of SMs: an equal request that follows soon shares the answer. */
enum { SIM_L2_RECENT = 64, SIM_L2_GROUPS = 32, SIM_L2_GROUP_SMS = 6, SIM_L2_RECENT_ROUNDS = 1 };
typedef struct sim_l2_recent {
    sim_log_entry entry;
    uint32_t round, sm;
} sim_l2_recent;

/* Sets lie too far apart for the host's nearest caches. So each part of the sets has a queue of requests. A queue is
 * replayed when it is long enough to pay for fetching that part; queues are short enough to stay cached. An entry has
 * bit SIM_L2_OTHER_PARTITION set if its SM reads through partition 1. */
enum { SIM_L2_PARTS = 16, SIM_L2_PART_ENTRIES = 512, SIM_L2_OTHER_PARTITION = 1 << 15 };
typedef struct sim_l2_waiting {
    uint32_t count[SIM_L2_PARTS];
    sim_log_entry entries[SIM_L2_PARTS][SIM_L2_PART_ENTRIES];
    uint16_t set[SIM_L2_PARTS][SIM_L2_PART_ENTRIES]; /* by entry */
} sim_l2_waiting;

/* The unread rest of an SM's log for the slice. */
typedef struct sim_l2_stream {
    const sim_log_entry *next, *end;
    sim_l2_recent *group; /* the SM's */
    uint32_t sm;
    uint32_t partition; /* through which the SM reads: 0 or SIM_L2_OTHER_PARTITION */
} sim_l2_stream;

/* L2 has two partitions. A line belongs to one of them: it is written there and fetched from memory there. SMs read
 * through their own partition, which keeps copies of lines that belong to the other. */
typedef struct sim_l2_slice {
    void *memory; /* holds the sets */
    sim_l2_sets *sets;
    sim_l2_cover *covers; /* by set */
    uint32_t set_count;   /* per partition */
    unsigned part_shift;  /* a set's part is its number shifted right by this */
    uint32_t used_parts;  /* a bit for each part that has had a request; the others are empty */
    uint32_t round;       /* number of the round of requests being replayed */
    uint64_t reciprocal;  /* of set_count, times 2^64 */
    unsigned persisting;  /* ways of a set that may persist */
    sim_l2_counts counts;
    sim_l2_dirty dirty, dirty_before; /* dirty_before: at the beginning of the launch */
    sim_sector_set read;
    sim_sector_set written, written_by_more; /* writes: of lines that only one SM writes, and of the others, by SM */
    sim_l2_recent recent[SIM_L2_GROUPS][SIM_L2_RECENT];
    sim_l2_stream *streams; /* one per SM of the machine */
} sim_l2_slice;

struct sim_l2 {
    const sim_machine *machine;
    unsigned copies;                           /* 1: a partition keeps copies of the other's lines; 0: there is one */
    bool warm;                                 /* it holds data of an earlier launch */
    uint8_t fetched[1 << SIM_L2_LINE_SECTORS]; /* by sectors requested from device memory: the sectors it delivers */
    sim_l2_slice slices[SIM_SLICES];
};

#endif
