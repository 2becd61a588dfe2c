/* The pipeline: the passes of passes.def in their order. When accesses are checked, those run that keep every
 * access of the program. */
#include "assembler/passes.h"

#include "assembler/branch.h"
#include "assembler/common_load.h"
#include "assembler/contract.h"
#include "assembler/early_exit.h"
#include "assembler/fold.h"
#include "assembler/hoist.h"
#include "assembler/masked_load.h"
#include "assembler/predicate.h"
#include "assembler/quotient.h"
#include "assembler/selected_load.h"
#include "assembler/sink.h"
#include "assembler/unroll.h"
#include "base/status.h"

const sim_pass_row sim_passes[] = {
#define PASS(function, when, changes, effect) {function, #function, effect, SIM_PASS_##when, SIM_PASS_##changes},
#include "assembler/passes.def"
#undef PASS
};
const size_t sim_pass_count = sizeof sim_passes / sizeof *sim_passes;

haul_status sim_run_passes(ptx_module *module, ptx_function *flat, bool checked, ptx_function **made) {
    *made = flat;
    for (size_t i = 0; i < sim_pass_count; i++)
        if (sim_passes[i].when != (checked ? SIM_PASS_UNCHECKED : SIM_PASS_CHECKED))
            HAUL_TRY(sim_run_pass(sim_passes[i].run, module, *made, made));
    return HAUL_OK;
}
