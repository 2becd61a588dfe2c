/* The assembler's passes and their order. */
#ifndef HAUL_ASSEMBLER_PASSES_H
#define HAUL_ASSEMBLER_PASSES_H

#include "assembler/pass.h"

/* When a pass runs, and what it changes: see passes.def. */
typedef enum sim_pass_when { SIM_PASS_ALWAYS, SIM_PASS_UNCHECKED, SIM_PASS_CHECKED } sim_pass_when;
typedef enum sim_pass_change { SIM_PASS_COUNTERS, SIM_PASS_RESULTS } sim_pass_change;

typedef struct sim_pass_row {
    sim_pass_fn *run;
    const char *name, *effect;
    sim_pass_when when;
    sim_pass_change changes;
} sim_pass_row;

extern const sim_pass_row sim_passes[];
extern const size_t sim_pass_count;

/* Runs all passes over an analysed function, or, with `checked`, those that `haul check` leaves on. `*made` may be
 * `flat`. Errors: out of memory. */
haul_status sim_run_passes(ptx_module *module, ptx_function *flat, bool checked, ptx_function **made);

#endif
