/* Assigns slots of the register file to registers; registers that are never live at the same time share a slot. */
#include "lower/internal.h"
#include "ptx/liveness.h"
#include "ptx/matrix.h"
#include "state/program.h"

#include <stdlib.h>

typedef struct live_interval {
    uint32_t reg, from, to; /* instruction numbers, inclusive */
} live_interval;

typedef struct interval_scan {
    live_interval *intervals;
    uint32_t at;
} interval_scan;

static void extend(live_interval *v, uint32_t at) {
    if (at < v->from) v->from = at;
    if (at > v->to || v->to == UINT32_MAX) v->to = at;
}

static void extend_register(void *context, uint32_t reg, bool writes) {
    (void)writes;
    interval_scan *scan = context;
    extend(&scan->intervals[reg], scan->at);
}

/* The registers of a block's word that appear in a block for the first time. */
static uint64_t take_unseen(uint64_t *seen, const ptx_live_word *w) {
    const uint64_t fresh = (w->in | w->out) & ~seen[w->word];
    seen[w->word] |= fresh;
    return fresh;
}

/* Extends intervals to the first block boundary where the register is live. */
static void extend_up(live_interval *v, const ptx_function *f, const ptx_liveness *live, uint64_t *seen) {
    for (uint32_t b = 0; b < f->block_count; b++) {
        const ptx_block *block = &f->blocks[b];
        for (const ptx_live_word *w = ptx_live_words(live, b); w < ptx_live_words(live, b + 1); w++)
            for (uint64_t bits = take_unseen(seen, w); bits; bits &= bits - 1)
                extend(&v[ptx_live_register(live, w, bits)], w->in & bits & -bits ? block->first : block->end - 1);
    }
}

/* Extends intervals to the last such boundary. */
static void extend_down(live_interval *v, const ptx_function *f, const ptx_liveness *live, uint64_t *seen) {
    for (uint32_t b = (uint32_t)f->block_count; b-- > 0;) {
        const ptx_block *block = &f->blocks[b];
        for (const ptx_live_word *w = ptx_live_words(live, b); w < ptx_live_words(live, b + 1); w++)
            for (uint64_t bits = take_unseen(seen, w); bits; bits &= bits - 1)
                extend(&v[ptx_live_register(live, w, bits)], w->out & bits & -bits ? block->end - 1 : block->first);
    }
}

static void extend_to_all(void *context, uint32_t reg, bool writes) {
    (void)writes;
    interval_scan *scan = context;
    extend(&scan->intervals[reg], 0);
    extend(&scan->intervals[reg], scan->at);
}

/* The wait that follows a load from tensor memory in its block; the block's end if it is elsewhere. */
static uint32_t wait_after(const ptx_function *f, const ptx_block *b, uint32_t load) {
    uint32_t at = load;
    if (f->instructions[load].op != PTX_OP_TMEM_LD) return b->end;
    while (at < b->end && f->instructions[at].op != PTX_OP_TMEM_WAIT_LD) at++;
    return at;
}

/* Registers of operations in flight stay reserved until the wait, even if they are dead. */
static void extend_held(const ptx_function *f, const ptx_block *b, live_interval *intervals) {
    interval_scan scan = {.intervals = intervals};
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *at = &f->instructions[i];
        if (!ptx_is_warpgroup_product(at) && at->op != PTX_OP_TMEM_LD) continue;
        const uint32_t wait = wait_after(f, b, i);
        scan.at = wait < b->end ? wait : (uint32_t)f->instruction_count;
        ptx_visit_held_registers(at, wait < b->end ? extend_register : extend_to_all, &scan);
    }
}

static live_interval *find_intervals(sim_lowering *l, const ptx_liveness *live) {
    const ptx_function *f = l->function;
    live_interval *v = ARENA_ARRAY(l->scratch, f->register_count + 1, live_interval);
    for (uint32_t r = 0; r < f->register_count; r++)
        v[r] = (live_interval){.reg = r, .from = UINT32_MAX, .to = UINT32_MAX};
    interval_scan scan = {.intervals = v};
    for (uint32_t b = 0; b < f->block_count; b++) {
        const ptx_block *block = &f->blocks[b];
        for (scan.at = block->first; scan.at < block->end; scan.at++)
            ptx_visit_registers(&f->instructions[scan.at], extend_register, &scan);
    }
    extend_up(v, f, live, ARENA_ARRAY(l->scratch, live->columns / 64 + 1, uint64_t));
    extend_down(v, f, live, ARENA_ARRAY(l->scratch, live->columns / 64 + 1, uint64_t));
    for (uint32_t b = 0; b < f->block_count; b++) extend_held(f, &f->blocks[b], v);
    return v;
}

static int by_start(const void *a, const void *b) {
    const live_interval *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static void note_read(void *context, uint32_t reg, bool writes) {
    bool *read = context;
    if (!writes) read[reg] = true;
}

bool *sim_find_read_registers(sim_lowering *l) {
    const ptx_function *f = l->function;
    bool *read = ARENA_ARRAY(l->scratch, f->register_count + 1, bool);
    for (size_t i = 0; i < f->instruction_count; i++) ptx_visit_registers(&f->instructions[i], note_read, read);
    return read;
}

/* Free slots and active intervals of one lane width. */
typedef struct slot_class {
    uint32_t *free;
    size_t free_count, free_capacity;
    struct {
        uint32_t to, slot;
    } * active; /* a heap, the earliest end on top */
    size_t active_count, active_capacity;
} slot_class;

static void heap_push(slot_class *c, arena *memory, uint32_t to, uint32_t slot) {
    __typeof__(*c->active) item = {to, slot};
    ARENA_PUSH(memory, c->active, c->active_count, c->active_capacity, item);
    for (size_t i = c->active_count - 1; i && c->active[(i - 1) / 2].to > c->active[i].to; i = (i - 1) / 2) {
        item = c->active[i];
        c->active[i] = c->active[(i - 1) / 2];
        c->active[(i - 1) / 2] = item;
    }
}

static uint32_t heap_pop(slot_class *c) {
    uint32_t slot = c->active[0].slot;
    c->active[0] = c->active[--c->active_count];
    for (size_t i = 0;;) {
        size_t least = i, left = 2 * i + 1;
        for (size_t k = left; k < left + 2 && k < c->active_count; k++)
            if (c->active[k].to < c->active[least].to) least = k;
        if (least == i) return slot;
        __typeof__(*c->active) item = c->active[i];
        c->active[i] = c->active[least];
        c->active[least] = item;
        i = least;
    }
}

static unsigned slot_bytes(ptx_type type) {
    return type == PTX_PRED ? 4 : sim_lane_bytes(ptx_bits(type) / 8) * SIM_LANES;
}

/* Registers that a lane may read before it writes them must be zero when a warp starts. */
static void list_read_first(sim_lowering *l, const ptx_liveness *live, const uint32_t *slots) {
    const ptx_function *f = l->function;
    sim_program *p = l->program;
    if (!f->block_count) return;
    for (const ptx_live_word *w = ptx_live_words(live, 0); w < ptx_live_words(live, 1); w++)
        for (uint64_t bits = w->in; bits; bits &= bits - 1) {
            const uint32_t r = ptx_live_register(live, w, bits);
            const sim_zeroed_slot slot = {slots[r], slot_bytes(f->registers[r].type)};
            ARENA_PUSH(l->memory, p->zeroed, p->zeroed_count, p->zeroed_capacity, slot);
        }
}

uint32_t *sim_assign_slots(sim_lowering *l, uint32_t *end) {
    const ptx_function *f = l->function;
    ptx_liveness live;
    ptx_liveness_compute(f, l->scratch, &live);
    live_interval *v = find_intervals(l, &live);
    uint32_t *slots = ARENA_ARRAY(l->memory, f->register_count + 1, uint32_t);
    slot_class classes[5] = {0};
    static const unsigned widths[5] = {4, 64, 128, 256, 512};
    qsort(v, f->register_count, sizeof *v, by_start);
    for (size_t i = 0; i < f->register_count && v[i].from != UINT32_MAX; i++) {
        unsigned bytes = slot_bytes(f->registers[v[i].reg].type), k = 0;
        while (widths[k] != bytes) k++;
        slot_class *c = &classes[k];
        while (c->active_count && c->active[0].to < v[i].from) {
            uint32_t slot = heap_pop(c);
            ARENA_PUSH(l->scratch, c->free, c->free_count, c->free_capacity, slot);
        }
        if (c->free_count == 0) {
            if (bytes != 4) *end = (uint32_t)number_align(*end, 64);
            ARENA_PUSH(l->scratch, c->free, c->free_count, c->free_capacity, *end);
            *end += bytes;
        }
        slots[v[i].reg] = c->free[--c->free_count];
        heap_push(c, l->scratch, v[i].to, slots[v[i].reg]);
    }
    *end = (uint32_t)number_align(*end, 64);
    list_read_first(l, &live, slots);
    return slots;
}
