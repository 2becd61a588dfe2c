/* Findings while a launch runs: each SM has its own list; they are merged in the SMs' order when it has ended. */
#ifndef HAUL_SIM_HAZARD_FINDING_H
#define HAUL_SIM_HAZARD_FINDING_H

#include "base/arena.h"
#include "sim/block.h"

#include <haul/run.h>

typedef struct sim_finding {
    haul_finding finding;
    char object[128], what[800];
} sim_finding;

typedef struct sim_findings {
    sim_finding *items;
    size_t count, capacity;
    bool failed; /* the host had no memory for one */
} sim_findings;

/* What is told apart: the same kind at the same pair of instructions is one finding. `grade` may be other than the
 * kind's usual one. Returns the new finding, to be described further (what, object), or NULL when it was counted with
 * one that is there. */
sim_finding *sim_findings_add(sim_findings *f, const haul_finding *found);
void sim_findings_free(sim_findings *f);

/* An access by thread number `thread` of the block. */
haul_finding_access sim_finding_access(haul_action action, uint32_t instruction, const sim_block *b, uint32_t thread);
/* Says which variable or allocation the finding's address lies in, and where. */
void sim_finding_locate(const sim_grid *g, sim_finding *f);

/* Appends the findings of `count` lists, folded and in order, to the record; strings are copied into `memory`, whose
 * jump point the caller has set. */
void sim_findings_record(const sim_findings *const *lists, size_t count, arena *memory, haul_launch_record *record);

#endif
