/* The source line at which a user sees an instruction: unrolled or inlined lines have several copies, which are one
 * place. */
#include "base/memory.h"
#include "base/status.h"
#include "check/finding.h"
#include "ptx/users_place.h"
#include "state/program.h"

#include <string.h>

/* Finds for each file of the module the first one of the same name. */
static void find_files(const ptx_module *m, uint32_t *first) {
    for (uint32_t i = 0; i < m->file_count; i++) {
        if (!m->files[i]) continue;
        while (!m->files[first[i]] || strcmp(m->files[first[i]], m->files[i]) != 0) first[i]++;
    }
}

/* Returns file and line of the instruction, or its PTX line without line information. */
static uint64_t key_of(const ptx_module *m, const uint32_t *first_file, const ptx_instruction *i) {
    const uint32_t place = ptx_users_place(m, i->place);
    if (!place) return i->position.line;
    const ptx_place *p = &m->places[place - 1];
    return (uint64_t)(first_file[p->file] + 1) << 32 | p->line;
}

haul_status sim_finding_places(const sim_program *p, uint64_t **by_instruction) {
    const ptx_module *m = p->module;
    const ptx_function *f = p->function;
    uint32_t *first_file = memory_zeroed(m->file_count + 1, sizeof *first_file);
    uint64_t *places = memory_zeroed(f->instruction_count + 1, sizeof *places);
    if (!first_file || !places) {
        memory_free(first_file);
        memory_free(places);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for checks");
    }
    find_files(m, first_file);
    for (size_t i = 0; i < f->instruction_count; i++) places[i] = key_of(m, first_file, &f->instructions[i]);
    memory_free(first_file);
    *by_instruction = places;
    return HAUL_OK;
}
