/* Prints the machine accesses that haul predicts for the kernels of the PTX on standard input, a line each: KERNEL
 * NAME.BITS COUNT */
#include "base/arena.h"
#include "ptx/inline.h"
#include "ptx/ir.h"
#include "assembler/assembler.h"
#include "assembler/issue.h"

#include <haul/haul.h>
#include <setjmp.h>
#include <stdio.h>

enum { WIDTHS = 5 }; /* 1 to 16 bytes */

static const char *const names[] = {
    [HAUL_CLASS_GLOBAL_LOAD] = "LDG",      [HAUL_CLASS_GLOBAL_STORE] = "STG",     [HAUL_CLASS_GLOBAL_REDUCTION] = "RED",
    [HAUL_CLASS_GLOBAL_ATOMIC] = "ATOMG",  [HAUL_CLASS_LOCAL_LOAD] = "LDL",       [HAUL_CLASS_LOCAL_STORE] = "STL",
    [HAUL_CLASS_SHARED_LOAD] = "LDS",      [HAUL_CLASS_SHARED_STORE] = "STS",     [HAUL_CLASS_SHARED_ATOMIC] = "ATOMS",
    [HAUL_CLASS_LDGSTS_ACCESS] = "LDGSTS", [HAUL_CLASS_LDGSTS_BYPASS] = "BYPASS",
};
enum { NAMES = sizeof names / sizeof *names };

typedef struct tally {
    unsigned count[NAMES][WIDTHS];
    unsigned copies[2]; /* that always copy where they are issued; that are predicated */
} tally;

static void note(tally *t, const sim_assembled *a) {
    if (a->class >= NAMES || !names[a->class]) return;
    for (unsigned p = 0; p < a->part_count; p++)
        if (a->parts[p].width) t->count[a->class][__builtin_ctz(a->parts[p].width)]++;
}

static void note_copies(tally *t, const ptx_function *f, const uint32_t *issuing) {
    for (uint32_t b = 0; issuing && b < f->block_count; b++)
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
            if (f->instructions[i].op == PTX_OP_CP_ASYNC) t->copies[f->instructions[i].guarded || issuing[b] != b]++;
}

static void print(const char *kernel, const tally *t) {
    for (unsigned class = 0; class < NAMES; class ++)
        for (unsigned w = 0; w < WIDTHS; w++)
            if (t->count[class][w]) printf("%s %s.%u %u\n", kernel, names[class], 8u << w, t->count[class][w]);
    if (t->copies[0]) printf("%s PLAIN.LDGSTS %u\n", kernel, t->copies[0]);
    if (t->copies[1]) printf("%s PREDICATED.LDGSTS %u\n", kernel, t->copies[1]);
}

static int foresee(ptx_module *module, ptx_function *entry) {
    static tally t;
    arena memory;
    jmp_buf out_of_memory;
    ptx_function *flat;
    t = (tally){0};
    if (ptx_inline_calls(module, entry, &flat) != HAUL_OK) return fprintf(stderr, "%s\n", haul_message()), 1;
    arena_init(&memory, &out_of_memory);
    if (setjmp(out_of_memory)) return fprintf(stderr, "out of memory\n"), 1;
    const sim_assembled *a = sim_assemble(flat, &memory, &memory);
    for (size_t i = 0; i < flat->instruction_count; i++) note(&t, &a[i]);
    note_copies(&t, flat, sim_issuing_blocks(flat, &memory, &memory));
    print(entry->name, &t);
    arena_free(&memory);
    return 0;
}

static int foresee_source(const char *source, size_t length) {
    ptx_module *module;
    int status = 0;
    if (ptx_module_parse("standard input", source, length, &module) != HAUL_OK)
        return fprintf(stderr, "%s\n", haul_message()), 1;
    for (size_t k = 0; k < module->function_count; k++)
        if (module->functions[k]->is_entry) status |= foresee(module, module->functions[k]);
    ptx_module_free(module);
    return status;
}

int main(void) {
    static char source[1 << 26];
    const size_t length = fread(source, 1, sizeof source, stdin);
    return foresee_source(source, length);
}
