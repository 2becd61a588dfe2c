/* For each memory that a launch uses (its device's, another device's, or virtual memory), the bytes are marked by kind
 * of use. Marks take a quarter of a page that is used in part, and a byte of any other. */
#include "check/follow.h"

#include "base/memory.h"
#include "check/internal.h"
#include "machine/marks.h"

#include <pthread.h>
#include <stdatomic.h>

enum { READS, WRITES, STRONG_READS, STRONG_WRITES, KINDS };
enum { MOST_MEMORIES = SIM_MOST_MEMORIES + 1 };

/* The bytes of one kind in one memory: no other is before `from` or behind `to`. */
typedef struct used_bytes {
    sim_marks *_Atomic marks; /* NULL until needed */
    _Atomic uint64_t from, to;
} used_bytes;

typedef struct used_memory {
    sim_marks *written; /* by anybody, ever; tells the memories apart */
    uint64_t base, bytes;
    used_bytes kinds[KINDS];
} used_memory;

struct sim_follower {
    const sim_memory *memory;
    pthread_mutex_t lock;
    used_memory memories[MOST_MEMORIES];
    _Atomic unsigned count;
    _Atomic bool failed;
};

sim_follower *sim_follower_create(const sim_memory *memory) {
    sim_follower *f = memory_zeroed(1, sizeof *f);
    if (!f) return NULL;
    f->memory = memory;
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

void sim_follower_free(sim_follower *f) {
    if (!f) return;
    for (unsigned i = 0; i < f->count; i++)
        for (unsigned k = 0; k < KINDS; k++) sim_marks_free(f->memories[i].kinds[k].marks);
    pthread_mutex_destroy(&f->lock);
    memory_free(f);
}

static void clear_bytes(used_bytes *k) {
    if (k->marks) sim_marks_clear(k->marks, k->from, k->to);
    k->from = UINT64_MAX;
    k->to = 0;
}

void sim_follower_clear(sim_follower *f) {
    for (unsigned i = 0; i < f->count; i++)
        for (unsigned k = 0; k < KINDS; k++) clear_bytes(&f->memories[i].kinds[k]);
    f->failed = false;
}

bool sim_follower_failed(const sim_follower *f) {
    return f->failed;
}

/* ---- marking ---- */

static used_memory *known_memory(sim_follower *f, const sim_marks *written, uint64_t base) {
    const unsigned count = f->count;
    for (unsigned i = 0; i < count; i++) {
        used_memory *m = &f->memories[i];
        if (m->written == written && m->base == base && m->bytes == written->bytes) return m;
    }
    return NULL;
}

/* Returns NULL if there is no room. */
static used_memory *memory_with(sim_follower *f, sim_marks *written, uint64_t base) {
    used_memory *m = known_memory(f, written, base);
    if (m) return m;
    pthread_mutex_lock(&f->lock);
    m = known_memory(f, written, base);
    if (!m && f->count < MOST_MEMORIES) {
        m = &f->memories[f->count];
        m->written = written;
        m->base = base;
        m->bytes = written->bytes;
        for (unsigned k = 0; k < KINDS; k++) m->kinds[k].from = UINT64_MAX;
        f->count++;
    }
    pthread_mutex_unlock(&f->lock);
    return m;
}

/* Returns NULL if the host has no memory. */
static sim_marks *marks_of(sim_follower *f, const used_memory *m, used_bytes *k) {
    sim_marks *marks = k->marks;
    if (marks) return marks;
    pthread_mutex_lock(&f->lock);
    marks = k->marks;
    if (!marks) k->marks = marks = sim_marks_create(m->bytes);
    pthread_mutex_unlock(&f->lock);
    return marks;
}

static void widen(used_bytes *k, uint64_t from, uint64_t to) {
    uint64_t first = k->from, end = k->to;
    while (from < first && !atomic_compare_exchange_weak(&k->from, &first, from)) {
    }
    while (to > end && !atomic_compare_exchange_weak(&k->to, &end, to)) {
    }
}

/* Most bytes are used again and again, and marked once. */
static void mark(sim_follower *f, uint64_t address, uint64_t bytes, unsigned kind) {
    uint64_t at;
    sim_marks *written = bytes ? sim_memory_written(f->memory, address, &at) : NULL;
    if (!written) return;
    used_memory *m = memory_with(f, written, address - at);
    sim_marks *marks = m ? marks_of(f, m, &m->kinds[kind]) : NULL;
    if (!marks) {
        f->failed = true;
        return;
    }
    if (sim_marks_has(marks, at, bytes)) return;
    widen(&m->kinds[kind], at, at + bytes);
    sim_marks_add(marks, at, bytes);
    if (kind == WRITES || kind == STRONG_WRITES) sim_marks_add(written, at, bytes);
}

static unsigned kind_of(haul_action action, bool strong) {
    const bool writes = !sim_only_reads(action);
    return strong ? (writes ? STRONG_WRITES : STRONG_READS) : writes ? WRITES : READS;
}

void sim_follow_copies(sim_follower *f, uint32_t lanes, const sim_copy *c) {
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        mark(f, c->source[lane], c->read[lane], READS);
    }
}

/* Reductions are atomic. */
void sim_follow_bulk(sim_follower *f, const sim_bulk *b) {
    const unsigned kind = b->kind == SIM_BULK_LOAD ? READS : b->kind == SIM_BULK_REDUCE ? STRONG_WRITES : WRITES;
    sim_tensor_walk walk;
    sim_tensor_row row;
    if (!b->tensor.rank) {
        mark(f, b->global + b->left, sim_bulk_read(b), kind);
        return;
    }
    sim_tensor_walk_start(&walk, &b->tensor, b->at, b->kind != SIM_BULK_LOAD);
    while (sim_tensor_walk_next(&walk, &row)) mark(f, row.global, row.to - row.from, kind);
}

/* Adjacent and equal lanes are marked at once. */
void sim_follow_lanes(const sim_warp *w, const sim_op *op, uint32_t lanes, const uint64_t address[SIM_LANES],
                      haul_action action) {
    sim_follower *f = w->sm->follower;
    const unsigned kind = kind_of(action, sim_strength_of(w, op, action) == SIM_STRONG);
    uint64_t from = 0, to = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint64_t at = address[__builtin_ctz(lanes)];
        if (at < from || at > to) {
            mark(f, from, to - from, kind);
            from = at;
            to = at;
        }
        if (at + op->bytes > to) to = at + op->bytes;
    }
    mark(f, from, to - from, kind);
}

void sim_follow_span(sim_follower *f, const sim_op *op, uint64_t first, uint64_t second) {
    enum { HALF = SIM_LANES / 2 };
    const unsigned kind = op->memory_class == HAUL_CLASS_GLOBAL_STORE ? WRITES : READS;
    const uint64_t bytes = (uint64_t)HALF * op->bytes;
    if (second == first + bytes) {
        mark(f, first, 2 * bytes, kind);
        return;
    }
    mark(f, first, bytes, kind);
    mark(f, second, bytes, kind);
}

/* ---- what was used ---- */

static void add_uses(sim_use_list *uses, const used_memory *m, unsigned kind) {
    const used_bytes *k = &m->kinds[kind];
    const uint64_t end = k->to;
    bool is_marked;
    if (k->marks) sim_marks_settle(k->marks);
    for (uint64_t at = k->from, next; at < end; at = next) {
        next = sim_marks_run(k->marks, at, end, &is_marked);
        const sim_use use = {.from = m->base + at,
                             .to = m->base + next,
                             .instruction = SIM_NO_INSTRUCTION,
                             .writes = kind == WRITES || kind == STRONG_WRITES,
                             .strong = kind >= STRONG_READS};
        if (is_marked) sim_use_list_add(uses, &use);
    }
}

void sim_follower_uses(sim_follower *f, sim_use_list *uses) {
    for (unsigned i = 0; i < f->count; i++)
        for (unsigned k = 0; k < KINDS; k++) add_uses(uses, &f->memories[i], k);
    sim_use_list_sort(uses);
}
