/* Findings while a launch runs. Each SM has its own list; the lists are merged in SM order when the launch has
 * ended. */
#ifndef HAUL_CHECK_FINDING_H
#define HAUL_CHECK_FINDING_H

#include "base/arena.h"
#include "check/threads.h"
#include "state/block.h"

#include <haul/run.h>

typedef struct sim_finding {
    haul_finding finding; /* its counts are filled in at the end */
    sim_threads threads;  /* threads it concerns; warps are numbered cluster by cluster */
    char object[128], what[800];
} sim_finding;

typedef struct sim_findings {
    const uint64_t *places; /* from sim_finding_places() */
    sim_finding *items;
    size_t count, capacity;
    size_t last;                        /* index of the finding added last; `count`: none */
    uint32_t kinds[HAUL_FINDING_COUNT]; /* number of findings by kind */
    bool failed;                        /* the host ran out of memory */
} sim_findings;

/* Gives each instruction a number for the source line that a user sees it at. The caller frees the table. */
haul_status sim_finding_places(const sim_program *p, uint64_t **by_instruction);

/* Adds a finding. Findings of the same kind and grade at the same pair of places are merged; `grade` may differ from
 * the kind's default. Returns the new finding, whose `what` and `object` the caller fills in, or NULL if it was
 * merged. */
sim_finding *sim_findings_add(sim_findings *f, const haul_finding *found);
/* Adds threads to the finding that was added last. */
void sim_findings_concern(sim_findings *f, uint64_t warp, uint32_t lanes);
void sim_findings_free(sim_findings *f);

/* True if the access only reads, itself or by a copy. */
static inline bool sim_only_reads(unsigned action) {
    return action == HAUL_ACTION_READ || action == HAUL_ACTION_ASYNC_READ;
}

/* Describes an access by thread number `thread` of the block. */
haul_finding_access sim_finding_access(haul_action action, uint32_t instruction, const sim_block *b, uint32_t thread);
/* Names the variable or allocation that holds the finding's address, and the offset in it. */
void sim_finding_locate(const sim_grid *g, sim_finding *f);

/* Merges `count` lists, at least one, sorts them and appends them to the record; copies strings into `memory`. `warps`:
 * warps per block. Returns false if the host runs out of memory. */
bool sim_findings_record(const sim_findings *const *lists, size_t count, uint32_t warps, arena *memory,
                         haul_launch_record *record);

#endif
