/* Instructions as text, for launch records; made once for each kernel. */
#include "base/status.h"
#include "base/text.h"
#include "lower/internal.h"
#include "ptx/print.h"
#include "state/program.h"

/* Copies the text into the arena; returns NULL without memory. */
static const char *keep(arena *memory, text *t) {
    const char *kept = t->failed ? NULL : arena_copy(memory, text_string(t), t->length);
    text_clear(t);
    return kept;
}

static bool describe(const sim_program *p, const ptx_instruction *i, arena *memory, text *t,
                     sim_instruction_text *out) {
    ptx_print_instruction(p->module, p->function, i, t);
    out->text = keep(memory, t);
    ptx_print_opcode(i, t);
    out->mnemonic = keep(memory, t);
    return out->text && out->mnemonic;
}

haul_status sim_describe_instructions(sim_program *p, arena *memory) {
    const size_t count = p->function->instruction_count;
    sim_instruction_text *texts = ARENA_ARRAY(memory, count + 1, sim_instruction_text);
    text t = {0};
    jmp_buf *const outer = memory->out_of_memory;
    bool complete = true;
    memory->out_of_memory = NULL; /* `t` must be freed */
    for (size_t i = 0; complete && i < count; i++)
        complete = describe(p, &p->function->instructions[i], memory, &t, &texts[i]);
    memory->out_of_memory = outer;
    text_free(&t);
    p->texts = texts;
    if (complete) return HAUL_OK;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for the instructions of kernel '%s'", p->module->name,
                     p->function->name);
}
