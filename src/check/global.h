/* Race checks in global memory. Each SM logs its accesses. Between epochs the logs are replayed against one shadow of
 * global memory, in SM order, so that findings do not depend on host threads.
 *
 * Within a cluster, sim_view says what is ordered. Between clusters only strong accesses order anything. Writes that
 * publish, releases, are numbered. A thread that reads a word that was written after a fence knows what was published
 * up to that write by the clusters that wrote the word, at that word or another, and by those of which they knew. That
 * is more than the memory model promises: a race may be missed, none is invented.
 *
 * A strong write without a fence publishes reads only. Reads are over when a value that depends on them is written. A
 * thread that reads the word does not write before it has seen it. Decoupled look-back in place relies on that. */
#ifndef HAUL_CHECK_GLOBAL_H
#define HAUL_CHECK_GLOBAL_H

#include "check/finding.h"
#include "check/hazard.h"
#include "check/shadow_memory.h"
#include "state/block.h"

typedef struct sim_watch sim_watch;

/* Pages of 1 << SIM_WATCH_PAGE bytes are distributed over the slices, each of which one host thread replays at a time.
 * Their number does not depend on the host, or findings could. */
enum { SIM_WATCH_SLICES = 16, SIM_WATCH_PAGE = 12, SIM_PLACES = 1024 };

/* Returns the slice of a page. Rows of a matrix are mostly a power of two apart, and all slices get some of them. */
static inline unsigned sim_slice_of(uint64_t page) {
    return (unsigned)(page ^ page >> 4 ^ page >> 8) % SIM_WATCH_SLICES;
}

#define SIM_NEVER_FENCED UINT32_MAX

/* Which accesses of its own kind an access cannot race with: none; those in its cluster (limited by its scope); all. */
typedef enum sim_strength { SIM_WEAK, SIM_STRONG_HERE, SIM_STRONG } sim_strength;

/* Returns the strength of an access. A guess of a compare-and-swap loop counts as strong. */
uint8_t sim_strength_of(const sim_warp *w, const sim_op *op, haul_action action);

/* The releases up to which other clusters' accesses are known: all accesses (after a fence), or reads only. `told`: up
 * to which a flag that the thread waited for tells of them, fence or not. `flag`: that flag's word, or 0. */
typedef struct sim_floor {
    uint32_t all, reads, told, flag;
    uint32_t all_from, reads_from; /* whose releases those are: sim_source_bit() of each cluster */
} sim_floor;

/* Clusters share bits, and an order may be seen where there is none. */
static inline uint32_t sim_source_bit(uint64_t cluster) {
    return 1u << cluster % 32;
}

/* Returns the number of a word of global memory in sim_floor.flag: never 0. */
static inline uint32_t sim_flag_number(uint64_t address) {
    return (uint32_t)(address / 4) | 1u << 31;
}

static inline bool sim_floor_equals(sim_floor a, sim_floor b) {
    return a.all == b.all && a.reads == b.reads && a.told == b.told && a.flag == b.flag && a.all_from == b.all_from &&
           a.reads_from == b.reads_from;
}

static inline void sim_floor_raise(sim_floor *floor, sim_floor to) {
    if (to.all > floor->all) floor->all = to.all;
    if (to.reads > floor->reads) floor->reads = to.reads;
    if (to.told > floor->told) floor->told = to.told;
    if (to.flag) floor->flag = to.flag;
    floor->all_from |= to.all_from;
    floor->reads_from |= to.reads_from;
}

/* A warp's access (some or all of its lanes), one thread's copy of many bytes, or the same access of several warps: of
 * `warps` actors (at most 32) from `actor` on, each `pitch` bytes and `value_step` lists of values after the one
 * before. */
typedef struct sim_logged {
    uint64_t base; /* address of lane 0; lane l is at base + l * stride, or in the list */
    int64_t stride;
    uint64_t from, to; /* all its bytes are between them */
    uint64_t pitch;
    uint32_t value_step;
    uint16_t warps;
    uint16_t slices; /* that have an item for it, a bit each */
    bool has_list;   /* of addresses; otherwise use the stride */
    uint32_t list;   /* index + 1 of its addresses in sim_access_log.lists; 0: they are not kept there */
    uint32_t values; /* of stores: index + 1 of 32 hashes */
    uint32_t instruction, active, bytes;
    uint32_t cluster; /* number in the grid */
    uint32_t time;
    uint32_t age; /* number of the next release */
    sim_floor floor;
    uint32_t known;  /* index of the snapshot of the view */
    uint32_t by;     /* number of the accessor, if lanes are replayed one by one; 0: not known yet */
    uint32_t fenced; /* of the copy engine's accesses: index + 1 of what has passed a proxy fence; SIM_NEVER_FENCED */
    uint16_t actor;
    uint8_t action;
    uint8_t strong;      /* a sim_strength */
    uint8_t node;        /* SIM_NODE_... of a flag or fence, for one lane; 0: an access */
    bool is_first;       /* nothing names the accessor yet */
    bool incoherent;     /* a read that need not see what the launch has written */
    bool is_map : 1;     /* a tensor map is read, for a copy */
    bool has_fenced : 1; /* sim_domain.has_fenced, of the copy engine's accesses */
} sim_logged;

/* True if the entry's lanes are replayed one by one. Elements up to this size are aligned to it, so each lane of a list
 * is in one line. */
enum { SIM_LARGEST_ELEMENT = 32 };
static inline bool sim_is_scattered(const sim_logged *e) {
    return e->has_list && e->bytes <= SIM_LARGEST_ELEMENT;
}

/* An entry that touches a slice. lanes: those of its list that do or, if its lanes lie several to a line, the warps
 * that do, a bit each. What has to be known of the entry before it is replayed, so that it need not be fetched for
 * that. */
typedef struct sim_log_item {
    uint32_t entry : 28;
    uint32_t has_list : 1, is_scattered : 1; /* is_scattered: its lanes are replayed one by one */
    uint32_t stores : 1, reads : 1;          /* reads: and does nothing else */
    uint32_t lanes;
} sim_log_item;

/* `addresses`: of those entries that have lists, the addresses of the items' lanes, one after the other. Each slice has
 * its own, since the log is larger than the host's caches. */
typedef struct sim_log_share {
    sim_log_item *entries;
    size_t count, capacity;
    uint64_t *addresses;
    size_t address_count, address_capacity;
} sim_log_share;

typedef struct sim_access_log {
    sim_logged *entries;
    uint64_t *lists;  /* of 32 addresses; for the order between devices only (node.h) */
    uint32_t *values; /* hashes; those of at most four bytes differ if the values do */
    sim_known *known;
    size_t count, capacity, list_count, list_capacity, value_count, value_capacity, known_count, known_capacity;
    sim_log_share shares[SIM_WATCH_SLICES];
    uint32_t epoch; /* snapshots of other epochs are gone */
    bool failed;
} sim_access_log;

/* *kept: memory that an earlier launch has left, or NULL; sim_watch_free() leaves the watch's there. */
haul_status sim_watch_create(const sim_grid *g, sim_shadow_memory **kept, sim_watch **out);
void sim_watch_free(sim_watch *watch);
struct sim_accessors *sim_watch_accessors(sim_watch *watch);
/* Replays the SMs' logs, empties them and begins a new epoch. */
haul_status sim_watch_play(sim_watch *watch, sim_sm *sms, uint32_t count, int threads);
/* A strong write publishes to all blocks what some lanes know: reads only, or, after a fence, everything. */
typedef enum sim_publication { SIM_PUBLISHED_READS, SIM_PUBLISHED_ALL, SIM_PUBLICATIONS } sim_publication;
/* Adds what the cluster publishes by the next release. Returns false if the host runs out of memory. */
bool sim_watch_release(sim_watch *watch, uint64_t cluster, const sim_known *known, sim_publication kind);
/* The next release is by these words (SIM_PLACES), and with `serial` no others are by the same number. It passes on
 * what the clusters `from` have released. */
void sim_watch_publish(sim_watch *watch, size_t place, sim_publication kind, uint32_t from);
void sim_watch_next(sim_watch *watch, bool serial);
/* A parallel phase is over: releases in it have a number of their own. Without one, what comes next keeps the number,
 * so that it is one access with what a warp did in the same way before. */
void sim_watch_end_phase(sim_watch *watch);
/* The cluster executes a proxy fence for global memory, at its domain's time. */
void sim_watch_note_fence(sim_watch *watch, uint32_t cluster, uint32_t time);
/* Returns the last release by a write of the word; 0: none. */
uint32_t sim_watch_published(const sim_watch *watch, size_t place, sim_publication kind);
/* Returns whose releases the word has passed on. */
uint32_t sim_watch_sources(const sim_watch *watch, size_t place, sim_publication kind);
/* Returns the number of the next release. */
uint32_t sim_watch_age(const sim_watch *watch);
const sim_findings *sim_watch_findings(const sim_watch *watch, uint32_t slice);

void sim_access_log_free(sim_access_log *log);
/* Returns the log's size in bytes. */
size_t sim_access_log_bytes(const sim_access_log *log);
/* Returns the bytes of host memory that it holds. */
size_t sim_access_log_room(const sim_access_log *log);
void sim_access_log_empty(sim_access_log *log, uint32_t epoch);

/* Logs a lane's flag, or a fence, for the order between devices (node.h). */
void sim_hazard_log_event(sim_warp *w, uint32_t instruction, unsigned lane, uint64_t address, uint8_t node);

/* ---- hooks ---- */

void sim_hazard_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                       haul_action action);
/* The same for an ordinary access of a whole warp. In each half, lanes are adjacent, from `first` and `second` on. */
void sim_hazard_global_span(sim_warp *w, const sim_op *op, uint64_t first, uint64_t second);
/* A copy by the block's thread accesses `bytes` from `address` on. SIM_RANGE_WATCHED: flight.c checks what the
 * cluster's own threads do there later. SIM_RANGE_MAP: the same for a tensor map that the block has not acquired. */
typedef enum sim_range_kind { SIM_RANGE_PLAIN, SIM_RANGE_WATCHED, SIM_RANGE_MAP } sim_range_kind;
void sim_hazard_global_range(sim_block *b, uint32_t thread, uint32_t instruction, uint64_t address, uint32_t bytes,
                             haul_action action, sim_range_kind kind);
/* The lanes discard lines of 128 bytes, which are undefined until they are written again. */
void sim_hazard_discarded(sim_warp *w, uint32_t lanes, const uint64_t address[SIM_LANES]);
/* A memory fence of that scope (sim_scope_of). Strong writes after it publish what was written before it, and what
 * strong reads before it have acquired becomes known. */
void sim_hazard_fence(sim_warp *w, uint32_t active, uint8_t scope);
enum { SIM_SCOPE_NONE, SIM_SCOPE_BLOCK, SIM_SCOPE_CLUSTER, SIM_SCOPE_GPU, SIM_SCOPE_SYSTEM };
uint8_t sim_scope_of(const ptx_instruction *i);
/* True if the scope is the GPU or the system. */
bool sim_reaches_grid(const ptx_instruction *i);
/* A strong access to shared or global memory. Addresses in shared memory have their window's bits. What an operation
 * that reads and writes has read becomes known by sim_hazard_acquire(), behind the access. */
void sim_hazard_strong(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], bool reads,
                       bool writes);
void sim_hazard_acquire(sim_warp *w, const sim_op *op, uint32_t active);

#endif
