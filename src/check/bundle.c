#include "check/bundle.h"

#include "base/memory.h"
#include "check/internal.h"
#include "check/origin.h"

#include <string.h>

/* The cache keeps the parts of a bundle for several shapes and, with each, every place of lane 0 in its line: warps
 * that take their rows of a padded tile are at as many places. Loops tend to come back to both. */
enum { WAYS = SIM_FOOTPRINT_LINE / 4, SHAPES = 12, FIRST_PARTS = 4 };

typedef struct known_bundle {
    sim_part_list *list;    /* NULL: nothing yet */
    uint32_t shape;         /* sim_bundle_cache.shape when it was made; 0: none */
    uint32_t phase;         /* of lane 0 in its line */
    int64_t least, most;    /* lane 0's address must be between them; beyond, an access leaves its variable */
    bool is_store, is_slow; /* is_slow: rows cannot check it */
    bool is_early;          /* of the last list */
} known_bundle;

/* The distances of lanes. */
typedef struct known_shape {
    uint32_t apart[SIM_LANES];
    uint32_t number; /* 0: none */
} known_shape;

struct sim_bundle_cache {
    uint32_t shape, shapes; /* the number of the current shape, and of the last new one */
    uint32_t count;
    known_shape known[SHAPES];
    known_bundle ways[]; /* WAYS for each bundle */
};

sim_bundle_cache *sim_bundles_create(uint32_t bundles, const uint32_t apart[SIM_LANES]) {
    sim_bundle_cache *cache = memory_zeroed(1, sizeof *cache + (size_t)bundles * WAYS * sizeof(known_bundle));
    if (!cache) return NULL;
    cache->count = bundles;
    sim_bundles_reshape(cache, apart);
    return cache;
}

void sim_bundles_free(sim_bundle_cache *cache) {
    for (size_t i = 0; cache && i < (size_t)cache->count * WAYS; i++) sim_part_list_drop(cache->ways[i].list);
    memory_free(cache);
}

void sim_bundles_reshape(sim_bundle_cache *cache, const uint32_t apart[SIM_LANES]) {
    for (unsigned i = 0; i < SHAPES; i++) {
        const known_shape *k = &cache->known[i];
        if (!k->number || memcmp(k->apart, apart, sizeof k->apart) != 0) continue;
        cache->shape = k->number;
        return;
    }
    known_shape *k = &cache->known[cache->shapes++ % SHAPES];
    memcpy(k->apart, apart, sizeof k->apart);
    k->number = cache->shape = cache->shapes;
}

/* ---- making one ---- */

/* Empties the bundle's list of parts, or makes a new one if reads still need it. Where reads need rows at once, they
 * mostly do so wherever the bundle is. */
static void start_list(known_bundle *k) {
    if (!k->list) return;
    k->is_early = k->list->is_early;
    if (k->list->uses > 1) {
        sim_part_list_drop(k->list);
        k->list = NULL;
        return;
    }
    k->list->version = 0;
    k->list->count = 0;
}

/* Makes room for another part. */
static bool has_room(known_bundle *k) {
    if (k->list && k->list->count < k->list->capacity) return true;
    const uint32_t wanted = k->list ? 2 * k->list->capacity : FIRST_PARTS;
    sim_part_list *grown = memory_resize(k->list, sizeof *grown + wanted * sizeof grown->parts[0]);
    if (!grown) return false;
    if (!k->list) *grown = (sim_part_list){.uses = 1, .is_early = k->is_early};
    grown->capacity = wanted;
    k->list = grown;
    return true;
}

/* Adds a part, or joins it to one of the same line and owner, as rows do. */
static bool add_part(known_bundle *k, const sim_part *p, int32_t line, uint32_t instruction) {
    for (uint32_t i = 0; k->list && i < k->list->count; i++) {
        sim_line_part *known = &k->list->parts[i];
        if (known->part.line != line || known->part.owner.bits != p->owner.bits) continue;
        known->part.bytes = sim_bytes_or(known->part.bytes, p->bytes);
        known->part.lanes |= p->lanes;
        known->instruction = instruction;
        return true;
    }
    if (!has_room(k)) return false;
    sim_line_part *added = &k->list->parts[k->list->count++];
    *added = (sim_line_part){.part = *p, .instruction = instruction};
    added->part.line = line;
    if (k->list->count == 1 || line < k->list->low) k->list->low = line;
    if (k->list->count == 1 || line > k->list->high) k->list->high = line;
    return true;
}

static int64_t line_of(int64_t address) {
    return address / SIM_FOOTPRINT_LINE;
}

/* Narrows lane 0's bounds so that the access stays in the variable that its address was computed from. */
static void keep_inside(known_bundle *k, const sim_origin *o, const uint32_t address[SIM_LANES], uint32_t first,
                        uint32_t bytes) {
    int64_t low = address[0], high = address[0];
    for (unsigned l = 1; l < SIM_LANES; l++) {
        low = address[l] < low ? address[l] : low;
        high = address[l] > high ? address[l] : high;
    }
    const int64_t least = (int64_t)o->from + first - low, most = (int64_t)o->to - bytes + first - high;
    k->least = least > k->least ? least : k->least;
    k->most = most < k->most ? most : k->most;
}

/* Adds the parts of one access, whose lanes lie at the address register's plus a constant. */
static bool add_access(const sim_warp *w, known_bundle *k, const sim_op *op, const uint32_t apart[SIM_LANES],
                       uint32_t first) {
    const sim_grid *g = w->sm->grid;
    uint32_t address[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = first + apart[l] + (uint32_t)op->imm;
    const sim_origin *o = g->origins ? &g->origins[op->instruction] : NULL;
    if (o && o->variable) keep_inside(k, o, address, first, op->bytes);
    const sim_footprint *f =
        sim_footprint_of(&w->sm->hazards->footprints, op->instruction, op->bytes, SIM_ALL_LANES, address);
    if (!f) return false;
    for (unsigned i = 0; i < f->count; i++) {
        const int64_t line = line_of(address[0]) + f->parts[i].line - line_of(first);
        if (!add_part(k, &f->parts[i], (int32_t)line, op->instruction)) return false;
    }
    return true;
}

static bool is_ordinary(const sim_warp *w, const sim_op *op) {
    const uint16_t *uses = w->sm->grid->uses;
    return !(op->flags & (SIM_OP_STRONG | SIM_OP_OBSERVES)) && !(uses && uses[op->instruction]);
}

static void make(const sim_warp *w, known_bundle *k, const uint32_t *pcs, size_t count, const uint32_t apart[SIM_LANES],
                 uint32_t first) {
    start_list(k);
    k->phase = first % SIM_FOOTPRINT_LINE;
    k->least = INT64_MIN, k->most = INT64_MAX;
    k->is_slow = false;
    for (size_t i = 0; i < count && !k->is_slow; i++) {
        const sim_op *op = &w->ops[pcs[i]];
        k->is_store = op->memory_class == HAUL_CLASS_SHARED_STORE;
        k->is_slow = !is_ordinary(w, op) || !add_access(w, k, op, apart, first);
    }
}

/* ---- checking one ---- */

static known_bundle *find(const sim_warp *w, sim_bundle_cache *cache, uint32_t bundle, const uint32_t *pcs,
                          size_t count, const uint32_t apart[SIM_LANES], uint32_t first) {
    const uint32_t phase = first % SIM_FOOTPRINT_LINE;
    known_bundle *k = &cache->ways[bundle * WAYS + (phase / 4 ^ cache->shape) % WAYS];
    if (k->shape != cache->shape || k->phase != phase) {
        make(w, k, pcs, count, apart, first);
        k->shape = cache->shape;
    }
    return k;
}

bool sim_bundle_check(sim_warp *w, sim_bundle_cache *cache, uint32_t bundle, const uint32_t *pcs, size_t count,
                      const uint32_t apart[SIM_LANES], uint32_t first) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    sim_views *views = &d->views[actor];
    if (d->owner->failed) return true;
    if (views->count != 1) return false;
    const known_bundle *k = find(w, cache, bundle, pcs, count, apart, first);
    if (k->is_slow || first < k->least || first > k->most) return false;
    const uint32_t line = first / SIM_FOOTPRINT_LINE;
    sim_visit visit = {.w = w,
                       .d = d,
                       .s = sim_shadow_of(w->block),
                       .v = sim_view_at(views, 0),
                       .b = w->block,
                       .action = k->is_store ? HAUL_ACTION_WRITE : HAUL_ACTION_READ,
                       .actor = actor,
                       .active = SIM_ALL_LANES};
    return k->is_store ? sim_lines_write_parts(&visit, line, k->list) : sim_lines_read_parts(&visit, line, k->list);
}
