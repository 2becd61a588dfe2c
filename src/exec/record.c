/* The parts of a launch record that need no counters: the kernel's shape, and its instructions with text, source places
 * and classes. All strings are copied, as a record outlives the module. */
#include "exec/record.h"

#include "ptx/components.h"
#include "ptx/traits.h"
#include "state/program.h"

#include <string.h>

/* Returns a source place with the chain of places that it was inlined into; NULL if there is none. Index 0: none. */
static const haul_source_place *outer_place(const ptx_module *m, uint32_t index, arena *memory) {
    if (index == 0 || index > m->place_count) return NULL;
    const ptx_place *p = &m->places[index - 1];
    haul_source_place *out = ARENA_NEW(memory, haul_source_place);
    const char *file = p->file < m->file_count ? m->files[p->file] : NULL;
    out->file = file ? arena_copy(memory, file, strlen(file)) : NULL;
    out->line = p->line;
    out->column = p->column;
    out->inlined_into = outer_place(m, p->inlined_at, memory);
    return out;
}

/* An instruction's class is that of most of its accesses. The lowering knows it for all except generic accesses. */
static void record_class(const sim_program *p, haul_instruction_record *records) {
    for (size_t i = 0; i < p->op_count; i++)
        if (p->ops[i].memory_class != HAUL_CLASS_NONE)
            records[p->ops[i].instruction].memory_class = (haul_memory_class)p->ops[i].memory_class;
}

static const char *copy_text(arena *memory, const char *string) {
    return arena_copy(memory, string, strlen(string));
}

static bool orders(const ptx_instruction *i) {
    return ptx_has(i->op, PTX_TRAIT_ORDERS) || ptx_acquires(i) || ptx_releases(i);
}

/* Machine code makes some reductions a loop of compare-and-swaps, so they count too. */
static bool sees_others(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    if (ptx_is(i->op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION | PTX_KIND_MBARRIER_WAIT)) return true;
    if (i->op == PTX_OP_LD && order != PTX_MOD_NONE && order != PTX_MOD_WEAK) return true;
    return ptx_reads_special(i, PTX_SPECIAL_CLOCK, PTX_SPECIAL_GLOBALTIMER_HI);
}

static void record_loops(const ptx_function *f, arena *memory, haul_instruction_record *records) {
    const uint32_t *components = ptx_components_find(f, memory);
    const bool *looping = ptx_find_looping(f, components, memory);
    for (size_t b = 0; b < f->block_count; b++)
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
            records[i].loop = looping[b] ? components[b] + 1 : 0;
}

/* One more than the number of instructions is allocated, so that a kernel without any has an array, too. */
void sim_record_instructions(const sim_program *p, const haul_traffic *traffic, arena *memory, haul_launch_record *r) {
    const ptx_function *f = p->function;
    r->instruction_count = f->instruction_count;
    r->instructions = ARENA_ARRAY(memory, f->instruction_count + 1, haul_instruction_record);
    for (size_t i = 0; i < f->instruction_count; i++) {
        haul_instruction_record *out = &r->instructions[i];
        out->text = copy_text(memory, p->texts[i].text);
        out->mnemonic = copy_text(memory, p->texts[i].mnemonic);
        out->orders = orders(&f->instructions[i]);
        out->sees_others = sees_others(&f->instructions[i]);
        out->ptx_line = f->instructions[i].position.line;
        const haul_source_place *place = outer_place(p->module, f->instructions[i].place, memory);
        if (place) out->place = *place;
        if (traffic) out->traffic = traffic[i];
    }
    record_class(p, r->instructions);
    record_loops(f, memory, r->instructions);
}

void sim_record_shape(const sim_launch *l, arena *memory, haul_launch_record *r) {
    const char *name = l->program->function->name;
    r->kernel = arena_copy(memory, name, strlen(name));
    memcpy(r->grid, l->grid, sizeof r->grid);
    memcpy(r->block, l->block, sizeof r->block);
    r->shared_bytes = l->dynamic_bytes;
    r->measured_us = -1;
}

/* Times that nobody knows are -1. */
haul_status sim_record_program(const sim_program *p, arena *memory, haul_launch_record *r) {
    const char *name = p->function->name;
    *r = (haul_launch_record){.estimate_us = -1, .measured_us = -1};
    r->kernel = arena_copy(memory, name, strlen(name));
    sim_record_instructions(p, NULL, memory, r);
    return HAUL_OK;
}
