/* Races in global memory. SMs log their accesses; between epochs, the log is played against one shadow of the memory
 * that was touched, in the SMs' order, so that findings do not depend on host threads.
 *
 * Within a cluster, order is what sim_view knows. Between clusters there is none but through strong accesses: whoever
 * reads a word that was written behind a fence knows all that was done before and that its cluster has told of, there
 * or elsewhere (which is more than the model promises: races may be missed, none is made up). A strong write without a
 * fence tells of reads alone: they are over when what depends on them is written, and who reads the word does not write
 * before it has seen it. Decoupled look-back in place counts on that. */
#ifndef HAUL_CHECK_GLOBAL_H
#define HAUL_CHECK_GLOBAL_H

#include "check/finding.h"
#include "check/hazard.h"
#include "state/block.h"

typedef struct sim_watch sim_watch;

/* Memory is dealt to slices by pages of 1 << SIM_WATCH_PAGE bytes. */
enum { SIM_WATCH_SLICES = 8, SIM_WATCH_PAGE = 12, SIM_PLACES = 1024 };
#define SIM_NEVER_FENCED UINT32_MAX

/* No race with its own kind: at all; within its cluster, by its scope; anywhere. */
typedef enum sim_strength { SIM_WEAK, SIM_STRONG_HERE, SIM_STRONG } sim_strength;

/* Epochs up to which other clusters' accesses are known: all of them, behind a fence, or reads alone. */
typedef struct sim_floor {
    uint32_t all, reads;
} sim_floor;

static inline void sim_floor_raise(sim_floor *floor, sim_floor to) {
    if (to.all > floor->all) floor->all = to.all;
    if (to.reads > floor->reads) floor->reads = to.reads;
}

/* Lanes of one warp's access, or one thread's copy of many bytes. */
typedef struct sim_logged {
    uint64_t base; /* of lane 0; lane l is at base + l * stride, or in the list */
    int64_t stride;
    uint32_t list;   /* index + 1 of 32 addresses; 0: by stride */
    uint32_t values; /* stores: index + 1 of 32 hashes */
    uint32_t instruction, active, bytes;
    uint32_t cluster; /* number in the grid */
    uint32_t time;
    sim_floor floor;
    uint32_t known;  /* index of the view's snapshot */
    uint32_t fenced; /* reads by the copy engine: index + 1 of what has gone through a fence; SIM_NEVER_FENCED */
    uint16_t actor;
    uint8_t action;
    uint8_t strong;  /* sim_strength */
    bool by_texture; /* a read that does not see what the launch has written */
} sim_logged;

/* Indices of the entries that touch a slice. */
typedef struct sim_log_share {
    uint32_t *entries;
    size_t count, capacity;
} sim_log_share;

typedef struct sim_access_log {
    sim_logged *entries;
    uint64_t *lists;
    uint32_t *values;
    sim_known *known;
    size_t count, capacity, list_count, list_capacity, value_count, value_capacity, known_count, known_capacity;
    sim_log_share shares[SIM_WATCH_SLICES];
    uint32_t epoch; /* snapshots of other epochs are gone */
    bool failed;
} sim_access_log;

haul_status sim_watch_create(const sim_grid *g, sim_watch **out);
void sim_watch_free(sim_watch *watch);
/* Plays the SMs' logs and empties them; a new epoch begins. */
haul_status sim_watch_play(sim_watch *watch, sim_sm *sms, uint32_t count, int threads);
/* Places of addresses that were written for all blocks: SIM_TOLD_... */
_Atomic uint8_t *sim_watch_published(sim_watch *watch);
/* Some lanes of the warp tell all blocks what they know: by a strong write, behind a fence or not. */
enum { SIM_TOLD_READS = 1, SIM_TOLD_ALL = 2 };
void sim_watch_release(sim_watch *watch, const sim_warp *w, uint32_t lanes, uint8_t told);
const sim_findings *sim_watch_findings(const sim_watch *watch, uint32_t slice);

void sim_access_log_free(sim_access_log *log);
/* What it holds, in bytes. */
size_t sim_access_log_bytes(const sim_access_log *log);
void sim_access_log_empty(sim_access_log *log, uint32_t epoch);

/* ---- hooks ---- */

void sim_hazard_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                       haul_action action);
/* A copy's access to `bytes` from `address` on, by the block's thread. With `is_watched`, flight.c sees to what
 * the cluster's threads do there later. */
void sim_hazard_global_range(sim_block *b, uint32_t thread, uint32_t instruction, uint64_t address, uint32_t bytes,
                             haul_action action, bool is_watched);
/* A memory fence of that scope (sim_scope_of), which strong writes may follow that hand over what was written before,
 * and which takes what strong reads have seen handed over. */
void sim_hazard_fence(sim_warp *w, uint32_t active, uint8_t scope);
enum { SIM_SCOPE_NONE, SIM_SCOPE_BLOCK, SIM_SCOPE_CLUSTER, SIM_SCOPE_GPU };
uint8_t sim_scope_of(const ptx_instruction *i);
/* Its scope is the whole GPU, or more. */
bool sim_reaches_grid(const ptx_instruction *i);
/* A strong access to shared or global memory at `address` (shared: with its window's bits). */
void sim_hazard_strong(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], bool reads,
                       bool writes);
/* An ordinary store: what a strong write hands over needs another fence. */
void sim_hazard_stored(sim_warp *w);

#endif
