/* Prints the registers that haul estimates for the kernels of PTX files: FILE KERNEL SM:REGISTERS:SPILLED ..., a
 * line each, with tabs.
 * tools/registers/score.py compares them with an assembler's. */
#include "assembler/passes.h"
#include "assembler/registers.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "ptx/inline.h"
#include "ptx/ir.h"
#include "state/occupancy.h"

#include <haul/haul.h>
#include <setjmp.h>
#include <stdio.h>

/* One of each architecture. */
static const char *const machines[] = {"a100", "rtx4090", "h100", "b200"};

static int estimate(ptx_module *module, ptx_function *entry, const char *path) {
    arena memory;
    jmp_buf out_of_memory;
    ptx_function *flat;
    if (ptx_inline_calls(module, entry, &flat) != HAUL_OK || sim_run_passes(module, flat, false, &flat) != HAUL_OK)
        return fprintf(stderr, "%s\n", haul_message()), 1;
    arena_init(&memory, &out_of_memory);
    if (setjmp(out_of_memory)) return fprintf(stderr, "out of memory\n"), 1;
    const sim_program program = {.function = flat, .registers = sim_estimate_registers(flat, &memory)};
    printf("%s\t%s", path, entry->name);
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        const sim_machine *machine = sim_machine_find(machines[m]);
        printf("\t%u:%u:%u", machine->sm, sim_registers(machine, &program), sim_spilled_registers(machine, &program));
    }
    putchar('\n');
    arena_free(&memory);
    return 0;
}

static int estimate_file(const char *path) {
    text source = {0};
    ptx_module *module = NULL;
    int status = 0;
    if (file_read(path, &source) != HAUL_OK ||
        ptx_module_parse(path, text_string(&source), source.length, &module) != HAUL_OK) {
        fprintf(stderr, "%s\n", haul_message());
        status = 1;
    }
    for (size_t k = 0; module && k < module->function_count; k++)
        if (module->functions[k]->is_entry) status |= estimate(module, module->functions[k], path);
    ptx_module_free(module);
    text_free(&source);
    return status;
}

int main(int count, char **paths) {
    int status = 0;
    for (int k = 1; k < count; k++) status |= estimate_file(paths[k]);
    return status;
}
