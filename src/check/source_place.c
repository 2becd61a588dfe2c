/* The source line at which a user sees an instruction: unrolled or inlined lines have several copies, which are one
 * place. */
#include "base/memory.h"
#include "base/status.h"
#include "base/toolchain.h"
#include "check/finding.h"
#include "state/program.h"

#include <string.h>

/* Facts about a file of the module: the first file of the same name, and whether it belongs to the toolchain. */
typedef struct file_facts {
    uint32_t first;
    bool is_toolchain;
} file_facts;

static void find_files(const ptx_module *m, file_facts *facts) {
    for (uint32_t i = 0; i < m->file_count; i++) {
        if (!m->files[i]) continue;
        uint32_t first = 0;
        while (!m->files[first] || strcmp(m->files[first], m->files[i]) != 0) first++;
        facts[i] = (file_facts){first, is_toolchain_file(m->files[i])};
    }
}

static bool has_file(const ptx_module *m, uint32_t place) {
    const uint32_t file = place ? m->places[place - 1].file : 0;
    return place && file < m->file_count && m->files[file];
}

/* Returns the innermost place that is not the toolchain's, as report_user_place() does; 0: there is none. */
static uint32_t user_place(const ptx_module *m, const file_facts *facts, uint32_t place) {
    if (place > m->place_count || !has_file(m, place)) return 0;
    while (facts[m->places[place - 1].file].is_toolchain && has_file(m, m->places[place - 1].inlined_at))
        place = m->places[place - 1].inlined_at;
    return place;
}

/* Returns file and line of the instruction, or its PTX line without line information. */
static uint64_t key_of(const ptx_module *m, const file_facts *facts, const ptx_instruction *i) {
    const uint32_t place = user_place(m, facts, i->place);
    if (!place) return i->position.line;
    const ptx_place *p = &m->places[place - 1];
    return (uint64_t)(facts[p->file].first + 1) << 32 | p->line;
}

haul_status sim_finding_places(const sim_program *p, uint64_t **by_instruction) {
    const ptx_module *m = p->module;
    const ptx_function *f = p->function;
    file_facts *facts = memory_zeroed(m->file_count + 1, sizeof *facts);
    uint64_t *places = memory_zeroed(f->instruction_count + 1, sizeof *places);
    if (!facts || !places) {
        memory_free(facts);
        memory_free(places);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for checks");
    }
    find_files(m, facts);
    for (size_t i = 0; i < f->instruction_count; i++) places[i] = key_of(m, facts, &f->instructions[i]);
    memory_free(facts);
    *by_instruction = places;
    return HAUL_OK;
}
