/* Which bytes of the threads' local memory have been written since their block began. */
#include "base/memory.h"
#include "check/internal.h"
#include "state/block.h"

#include <string.h>

/* Returns the marks, a byte for each word, one thread after the other. Four bits mark bytes that were written, four
 * mark bytes that were written with a tainted value. */
static unsigned char *written_of(const sim_block *b) {
    sim_domain *d = sim_domain_of(b);
    const sim_grid *g = b->sm->grid;
    sim_shadow *s = sim_shadow_of(b);
    if (!s->local) s->local = memory_zeroed(g->threads, g->program->frame_bytes / 4);
    if (!s->local) d->owner->failed = true;
    return s->local;
}

static void mark(unsigned char *words, uint64_t at, unsigned bytes, bool written) {
    for (const uint64_t end = at + bytes; at < end; at += 4) {
        const unsigned char bits = sim_bits_of_word(at, bytes);
        words[at / 4] &= (unsigned char)~(bits | bits << 4);
        words[at / 4] |= (unsigned char)(written ? bits : bits << 4);
    }
}

/* True if all bytes are known to hold tainted values. Parameters of calls are also written by code that is not seen
 * here, so missing marks do not count. */
static bool is_tainted(const unsigned char *words, uint64_t at, unsigned bytes) {
    for (const uint64_t end = at + bytes; at < end; at += 4)
        if (!(words[at / 4] & sim_bits_of_word(at, bytes) << 4)) return false;
    return true;
}

/* True if any byte was written: padding is copied along with its structure. */
static bool is_written(const unsigned char *words, uint64_t at, unsigned bytes) {
    for (const uint64_t end = at + bytes; at < end; at += 4)
        if (words[at / 4] & sim_bits_of_word(at, bytes)) return true;
    return false;
}

static void store(sim_warp *w, const sim_op *op, unsigned element, uint32_t active, const uint64_t offset[SIM_LANES]) {
    unsigned char *written = written_of(w->block);
    const uint64_t frame = w->sm->grid->program->frame_bytes;
    const unsigned bytes = 1u << op->x;
    const uint32_t tainted = w->tainted ? sim_hazard_taint_stored(w, op->instruction, element) : 0;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const uint64_t thread = w->index * SIM_LANES + l, end = offset[l] + op->bytes;
        if (end > sim_shadow_of(w->block)->local_used) sim_shadow_of(w->block)->local_used = end;
        mark(written + thread * frame / 4, offset[l] + element * bytes, bytes, !(tainted >> l & 1));
    }
}

static void load(sim_warp *w, const sim_op *op, unsigned element, uint32_t active, const uint64_t offset[SIM_LANES]) {
    const unsigned char *written = written_of(w->block);
    const uint64_t frame = w->sm->grid->program->frame_bytes;
    const unsigned bytes = 1u << op->x;
    const bool is_local = op->memory_class == HAUL_CLASS_LOCAL_LOAD;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const uint64_t thread = w->index * SIM_LANES + l, at = offset[l] + element * bytes;
        const unsigned char *words = written + thread * frame / 4;
        if (is_local ? !is_written(words, at, bytes) : is_tainted(words, at, bytes))
            sim_hazard_taint(w, op->instruction, element, 1u << l, UINT64_MAX, HAUL_SPACE_LOCAL, at, bytes);
    }
}

void sim_hazard_local(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES], bool is_store) {
    if (!written_of(w->block)) return;
    for (unsigned e = 0; e < op->count; e++) {
        if (is_store)
            store(w, op, e, active, offset);
        else
            load(w, op, e, active, offset);
    }
}

void sim_hazard_local_start(const sim_block *b) {
    sim_shadow *s = sim_shadow_of(b);
    const sim_grid *g = b->sm->grid;
    const uint64_t frame = g->program->frame_bytes;
    for (uint64_t t = 0; s->local && s->local_used && t < g->threads; t++)
        memset(s->local + t * frame / 4, 0, (s->local_used + 3) / 4);
    s->local_used = 0;
}
