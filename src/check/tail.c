/* Reads of the first few elements after the last one that was written. Searches and merges look beyond their tile
 * before they notice its end, and tiles are made larger for that (Thrust's set operations). The value read decides a
 * branch, and the result of either path is discarded. */
#include "check/internal.h"
#include "state/block.h"

/* True if both instructions are one place. Without line information, loads of the same type count as rounds of one
 * loop. */
static bool is_same_place(const sim_grid *g, uint32_t a, uint32_t b) {
    const ptx_instruction *one = &g->program->function->instructions[a],
                          *other = &g->program->function->instructions[b];
    if (one->place && other->place) return g->places[a] == g->places[b];
    return one->op == other->op && one->type == other->type;
}

/* Words that were stored in parts know the readers of each byte. */
static bool has_read_byte(const sim_warp *w, uint32_t actor, uint32_t address, uint32_t instruction) {
    const sim_shadow *s = sim_shadow_of(w->block);
    for (unsigned i = 0; s->bytes && i < 2; i++) {
        const sim_byte_read *r = &s->bytes[address].readers[i];
        if (r->actor == actor && r->read.time >= sim_domain_of(w->block)->start &&
            is_same_place(w->sm->grid, r->read.instruction, instruction))
            return true;
    }
    return false;
}

/* True if the actor has read the address at the instruction's place. */
static bool has_read(const sim_warp *w, uint32_t actor, uint32_t address, uint32_t instruction) {
    const sim_block *b = w->block;
    const sim_shadow *s = sim_shadow_of(b);
    const uint32_t start = sim_domain_of(b)->start;
    const bool has_rows = !sim_line_is_detailed(b, address);
    for (unsigned i = 0; has_rows && i < SIM_LINE_READERS; i++) {
        const sim_read_row *r = sim_read_row_of(&s->line_reads[actor], address / SIM_FOOTPRINT_LINE, i);
        if (r && r->time >= start && sim_bytes_has(r->bytes, address % SIM_FOOTPRINT_LINE) &&
            is_same_place(w->sm->grid, r->instruction, instruction))
            return true;
    }
    const sim_read *read = !has_rows && s->reads[actor] ? &s->reads[actor][address / 4] : NULL;
    if (read && read->time >= start && is_same_place(w->sm->grid, read->instruction, instruction)) return true;
    return !has_rows && has_read_byte(w, actor, address, instruction);
}

bool sim_shadow_is_tail(const sim_warp *w, uint32_t instruction, uint32_t address) {
    const sim_domain *d = sim_domain_of(w->block);
    uint32_t end = address;
    while (end && address - end < SIM_FOOTPRINT_LINE && !sim_line_is_written(w->block, end - 1)) end--;
    if (!end || address - end == SIM_FOOTPRINT_LINE) return false;
    sim_lines_record_late(w, end - 1);
    for (uint32_t a = 0; a < d->actors; a++)
        if (has_read(w, a, end - 1, instruction)) return true;
    return false;
}
