/* Kernels with random control flow, and properties of it computed from their definitions. */
#ifndef HAUL_TESTS_RANDOM_GRAPH_H
#define HAUL_TESTS_RANDOM_GRAPH_H

#include "base/text.h"
#include "ptx/edges.h"

#include <string.h>

enum { MOST_GRAPH_BLOCKS = 40 };

static inline uint32_t draw(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 12) % below;
}

/* Each block reads and writes some of %r0 to %r7, then falls through, jumps, branches or exits. */
static inline void write_random_graph(text *out, uint32_t *seed, uint32_t blocks) {
    text_put(out, ".version 8.5\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .pred %p<2>;\n.reg .b32 %r<8>;\n");
    for (uint32_t b = 0; b < blocks; b++) {
        text_printf(out, "L%u:\n", b);
        for (uint32_t k = draw(seed, 3); k > 0; k--)
            text_printf(out, "%sadd.u32 %%r%u, %%r%u, %%r%u;\n", draw(seed, 4) ? "" : "@%p1 ", draw(seed, 8),
                        draw(seed, 8), draw(seed, 8));
        const uint32_t kind = draw(seed, 8);
        if (kind < 4) text_printf(out, "@%%p1 bra L%u;\n", draw(seed, blocks));
        if (kind == 4) text_printf(out, "bra L%u;\n", draw(seed, blocks));
        if (kind == 5) text_put(out, "ret;\n");
    }
    text_put(out, "ret;\n}\n");
}

/* Marks the blocks reachable from `from` by edges that avoid `without`; `from` itself only if a path returns to it. */
static inline void reach(const ptx_function *f, uint32_t from, uint32_t without, bool *seen) {
    uint32_t stack[4 * MOST_GRAPH_BLOCKS + 4], depth = 0;
    memset(seen, 0, MOST_GRAPH_BLOCKS * sizeof *seen);
    stack[depth++] = from;
    while (depth) {
        const ptx_block *b = &f->blocks[stack[--depth]];
        for (uint32_t k = 0; k < ptx_edge_count(b); k++) {
            const uint32_t to = ptx_edge(b, k);
            if (to == PTX_NO_BLOCK || to == without || seen[to]) continue;
            seen[to] = true;
            stack[depth++] = to;
        }
    }
}

#endif
