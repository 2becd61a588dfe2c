/* Writes a changed copy of a function, instruction by instruction. Blocks and labels keep their order and move with the
 * instructions; passes that change the graph do not use this. */
#include "assembler/rewrite.h"

#include <string.h>

void sim_rewrite_begin(sim_rewrite *w, const ptx_function *from, arena *memory) {
    *w = (sim_rewrite){.from = from, .memory = memory, .to = ARENA_NEW(memory, ptx_function)};
    w->moved = ARENA_ARRAY(memory, from->instruction_count + 1, uint32_t);
    w->instructions = from->instruction_count + 1;
    *w->to = *from;
    w->to->instruction_count = 0;
    w->to->instructions = ARENA_ARRAY(memory, w->instructions, ptx_instruction);
    w->registers = from->register_count;
}

void sim_rewrite_at(sim_rewrite *w, uint32_t i) {
    w->moved[i] = (uint32_t)w->to->instruction_count;
}

void sim_rewrite_add(sim_rewrite *w, ptx_instruction i) {
    ptx_function *to = w->to;
    ARENA_PUSH(w->memory, to->instructions, to->instruction_count, w->instructions, i);
}

uint32_t sim_rewrite_register(sim_rewrite *w, ptx_type type, const char *name) {
    ptx_function *to = w->to;
    const ptx_register made = {.name = name, .type = type};
    if (to->registers == w->from->registers) { /* the registers are still the old function's: copy them */
        w->registers = to->register_count + 16;
        to->registers = ARENA_ARRAY(w->memory, w->registers, ptx_register);
        memcpy(to->registers, w->from->registers, w->from->register_count * sizeof *to->registers);
    }
    ARENA_PUSH(w->memory, to->registers, to->register_count, w->registers, made);
    return (uint32_t)to->register_count - 1;
}

void sim_rewrite_end(sim_rewrite *w) {
    const ptx_function *from = w->from;
    ptx_function *to = w->to;
    w->moved[from->instruction_count] = (uint32_t)to->instruction_count;
    to->labels = ARENA_ARRAY(w->memory, from->label_count + 1, ptx_label);
    to->blocks = ARENA_ARRAY(w->memory, from->block_count + 1, ptx_block);
    for (size_t k = 0; k < from->label_count; k++) {
        to->labels[k] = from->labels[k];
        to->labels[k].target = w->moved[from->labels[k].target];
    }
    for (size_t k = 0; k < from->block_count; k++) {
        to->blocks[k] = from->blocks[k];
        to->blocks[k].first = w->moved[from->blocks[k].first];
        to->blocks[k].end = w->moved[from->blocks[k].end];
    }
}
