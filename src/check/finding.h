/* Findings while a launch runs: each SM has its own list; they are merged in the SMs' order when it has ended. */
#ifndef HAUL_CHECK_FINDING_H
#define HAUL_CHECK_FINDING_H

#include "base/arena.h"
#include "check/threads.h"
#include "state/block.h"

#include <haul/run.h>

typedef struct sim_finding {
    haul_finding finding; /* its counts are filled in at the end */
    sim_threads threads;  /* that it concerns, of warps numbered cluster by cluster */
    char object[128], what[800];
} sim_finding;

typedef struct sim_findings {
    const uint64_t *places; /* sim_finding_places() */
    sim_finding *items;
    size_t count, capacity;
    size_t last;                        /* the one that was added to last; `count`: none */
    uint32_t kinds[HAUL_FINDING_COUNT]; /* findings of each */
    bool failed;                        /* the host had no memory for one */
} sim_findings;

/* By instruction: a number for the line that a user sees it at. The caller frees the table. */
haul_status sim_finding_places(const sim_program *p, uint64_t **by_instruction);

/* What is told apart: the same kind and grade at the same pair of places is one finding. `grade` may be other than the
 * kind's usual one. Returns the new finding, to be described further (what, object), or NULL when it was folded into
 * one that is there. */
sim_finding *sim_findings_add(sim_findings *f, const haul_finding *found);
/* What was added last concerns these threads. */
void sim_findings_concern(sim_findings *f, uint64_t warp, uint32_t lanes);
void sim_findings_free(sim_findings *f);

/* An access by thread number `thread` of the block. */
haul_finding_access sim_finding_access(haul_action action, uint32_t instruction, const sim_block *b, uint32_t thread);
/* Says which variable or allocation the finding's address lies in, and where. */
void sim_finding_locate(const sim_grid *g, sim_finding *f);

/* Appends the findings of `count` lists, at least one, folded and in order, to the record; strings are copied into
 * `memory`. `warps`: of a block. False when there is no memory. */
bool sim_findings_record(const sim_findings *const *lists, size_t count, uint32_t warps, arena *memory,
                         haul_launch_record *record);

#endif
