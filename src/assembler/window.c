/* Loads of one level are issued together if a warp has registers for all their results anyway, since the instructions
 * of the PTX keep these for as long. Otherwise ptxas puts sums between the loads, which free registers. */
#include "assembler/window.h"

#include "assembler/combine.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

#include <math.h>
#include <string.h>

enum { LEVELS = UINT8_MAX + 1 };

/* Registers for results that have not been read. Read off machine code by ptxas 13.0 of the loops and the straight code
 * with the most loads in 176 kernels of four recorded sets: waits of 600 cycles that their scoreboards give, against
 * registers loaded over this number. By halves of kernels' names the logarithm of the ratio has a mean size of 0.21 and
 * 0.31, and of 0.46 and 0.50 if all loads of a level wait together. */
static const float REGISTERS = 14;

/* A register with a load's result, or with what one instruction has made of this result alone. */
typedef struct held {
    uint32_t chain;
    uint8_t level, words; /* level 0: no result */
} held;

/* Loads that wait for the same number of others. */
typedef struct level {
    uint32_t loaded, live, most; /* words: in total, and in registers at once in the PTX */
    uint8_t apart;               /* the level if iterations do not wait for each other */
} level;

struct sim_window {
    held *held;          /* by register */
    uint32_t *last_read; /* by register: index + 1 of the chain's last instruction that reads it */
    uint32_t chain, index;
    level levels[LEVELS];
    unsigned level_end;
    unsigned reads;   /* registers that the instruction reads */
    held ends, added; /* what the last of them leaves, and what the instruction writes */
};

sim_window *sim_window_new(const ptx_function *f, arena *memory) {
    sim_window *w = ARENA_NEW(memory, sim_window);
    w->held = ARENA_ARRAY(memory, f->register_count + 1, held);
    w->last_read = ARENA_ARRAY(memory, f->register_count + 1, uint32_t);
    return w;
}

static void note_read(void *context, uint32_t reg, bool writes) {
    sim_window *w = context;
    if (!writes) w->last_read[reg] = w->index + 1;
}

void sim_window_begin(sim_window *w, const ptx_function *f, uint32_t first, uint32_t end) {
    w->chain++;
    memset(w->levels, 0, w->level_end * sizeof *w->levels);
    w->level_end = 0;
    for (w->index = first; w->index < end; w->index++) ptx_visit_registers(&f->instructions[w->index], note_read, w);
}

/* Returns the register's result of the chain, and forgets it. */
static held take(sim_window *w, uint32_t reg) {
    held *h = &w->held[reg], taken = *h;
    *h = (held){0};
    return taken.chain == w->chain ? taken : (held){0};
}

static void free_words(sim_window *w, held h) {
    if (h.level) w->levels[h.level].live -= h.words;
}

static void end_read(void *context, uint32_t reg, bool writes) {
    sim_window *w = context;
    if (writes) return;
    w->reads++;
    if (w->last_read[reg] != w->index + 1) return;
    free_words(w, w->ends);
    w->ends = take(w, reg);
}

static void write(void *context, uint32_t reg, bool writes) {
    sim_window *w = context;
    if (!writes) return;
    free_words(w, take(w, reg));
    w->held[reg] = w->added;
    if (!w->added.level) return;
    level *l = &w->levels[w->added.level];
    l->live += w->added.words;
    if (l->live > l->most) l->most = l->live;
}

static void count_loaded(void *context, uint32_t reg, bool writes) {
    sim_window *w = context;
    (void)reg;
    if (writes) w->levels[w->added.level].loaded += w->added.words;
}

void sim_window_add(sim_window *w, const ptx_function *f, uint32_t index, unsigned depth, unsigned apart) {
    const ptx_instruction *i = &f->instructions[index];
    const bool computes = !ptx_is(i->op, PTX_KIND_LOAD | PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION);
    w->index = index;
    w->reads = 0;
    w->ends = w->added = (held){0};
    ptx_visit_registers(i, end_read, w);
    free_words(w, w->ends);
    if (depth && depth < LEVELS) {
        w->added = (held){w->chain, (uint8_t)depth, sim_element_bytes(i) > 4 ? 2 : 1};
        if (depth >= w->level_end) w->level_end = depth + 1;
        w->levels[depth].apart = (uint8_t)apart;
        ptx_visit_registers(i, count_loaded, w);
    } else if (computes && w->reads == 1) {
        w->added = w->ends;
    }
    ptx_visit_registers(i, write, w);
}

/* Returns the waits of a level after its first one. */
static float waits_after_first(const level *l, unsigned rounds) {
    return fmaxf(1, (float)(l->loaded * rounds) / fmaxf(REGISTERS, (float)l->most)) - 1;
}

float sim_window_waits(const sim_window *w, unsigned levels, unsigned rounds, bool apart) {
    level sums[LEVELS] = {0};
    float waits = (float)levels;
    for (unsigned k = 1; k < w->level_end; k++) {
        level *sum = &sums[apart ? w->levels[k].apart : k];
        sum->loaded += w->levels[k].loaded;
        if (w->levels[k].most > sum->most) sum->most = w->levels[k].most;
    }
    for (unsigned k = 1; k < w->level_end; k++) waits += waits_after_first(&sums[k], rounds);
    return waits;
}
