#include "ptx/edges.h"

/* Counts start two entries up; summed, they give each list's start one entry up. Filling a list moves this to the
 * list's end, where the next one starts. */
void ptx_predecessors_find(const ptx_function *f, arena *memory, ptx_predecessors *p) {
    const uint32_t blocks = (uint32_t)f->block_count;
    p->first = ARENA_ARRAY(memory, blocks + 2, uint32_t);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t k = 0; k < ptx_edge_count(&f->blocks[b]); k++) {
            const uint32_t to = ptx_edge(&f->blocks[b], k);
            if (to != PTX_NO_BLOCK) p->first[to + 2]++;
        }
    for (uint32_t b = 1; b < blocks + 2; b++) p->first[b] += p->first[b - 1];
    p->blocks = ARENA_ARRAY(memory, p->first[blocks + 1] + 1, uint32_t);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t k = 0; k < ptx_edge_count(&f->blocks[b]); k++) {
            const uint32_t to = ptx_edge(&f->blocks[b], k);
            if (to != PTX_NO_BLOCK) p->blocks[p->first[to + 1]++] = b;
        }
}
