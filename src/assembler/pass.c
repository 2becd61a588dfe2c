/* Runs one pass with memory of its own. Lack of memory jumps back to here, so passes need not check for it. */
#include "assembler/pass.h"

#include "base/status.h"

haul_status sim_run_pass(sim_pass_fn *pass, ptx_module *module, ptx_function *flat, ptx_function **made) {
    arena scratch;
    jmp_buf out_of_memory;
    *made = flat;
    arena_init(&scratch, &out_of_memory);
    if (setjmp(out_of_memory) || setjmp(module->out_of_memory)) {
        arena_free(&scratch);
        module->memory.out_of_memory = NULL;
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to prepare kernel '%s'", module->name, flat->name);
    }
    module->memory.out_of_memory = &module->out_of_memory;
    *made = pass(module, flat, &scratch);
    module->memory.out_of_memory = NULL;
    arena_free(&scratch);
    return HAUL_OK;
}
