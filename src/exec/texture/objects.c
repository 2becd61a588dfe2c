/* The table of a context's texture and surface objects, and the queries on an object.
 *
 * A handle consists of an entry's place and of the number of objects that the entry has held. So a handle of a
 * destroyed object never finds the next one in its place. Objects are allocated one by one, so pointers to them stay
 * valid while the table grows. */
#include "base/memory.h"
#include "exec/texture/texture.h"
#include "ptx/ir.h"

/* ---- handles ---- */

enum { USES_SHIFT = 20 }; /* a handle: index + 1, and above it the number of objects in the entry */

/* Handles are never 0, which programs use for none. */
static unsigned long long handle_of(size_t place, const sim_texture *t) {
    return (unsigned long long)t->uses << USES_SHIFT | (place + 1);
}

static bool make_room(sim_textures *table) {
    sim_texture **items = memory_grow(table->items, table->count, &table->capacity, sizeof *items);
    if (items) table->items = items;
    return items != NULL;
}

/* Returns a free entry, a new one if necessary; NULL if the host has no memory or the table is full. */
static sim_texture *free_place(sim_textures *table, size_t *place) {
    for (*place = 0; *place < table->count; ++*place)
        if (table->items[*place]->state == SIM_OBJECT_FREE) return table->items[*place];
    if (table->count >= (1u << USES_SHIFT) - 1 || !make_room(table)) return NULL;
    sim_texture *t = memory_zeroed(1, sizeof *t);
    if (t) table->items[table->count++] = t;
    return t;
}

/* The entry keeps its number of objects, which is part of the new handle. */
sim_texture *sim_textures_add(sim_textures *table, unsigned long long *handle) {
    size_t place;
    sim_texture *t = free_place(table, &place);
    if (!t) return NULL;
    *t = (sim_texture){.state = SIM_OBJECT_LIVE, .uses = t->uses};
    *handle = handle_of(place, t);
    return t;
}

sim_texture *sim_textures_find(const sim_textures *table, unsigned long long handle) {
    const size_t place = (size_t)(handle & ((1u << USES_SHIFT) - 1)) - 1;
    if (place >= table->count || table->items[place]->state == SIM_OBJECT_FREE) return NULL;
    return handle_of(place, table->items[place]) == handle ? table->items[place] : NULL;
}

void sim_textures_remove(sim_textures *table, sim_texture *t) {
    (void)table;
    t->state = SIM_OBJECT_FREE;
    t->uses++;
}

void sim_textures_free(sim_textures *table) {
    for (size_t i = 0; i < table->count; i++) memory_free(table->items[i]);
    memory_free(table->items);
}

/* ---- geometry checks ---- */

const char *sim_texture_misfit(const sim_texture *t, sim_geometry geometry) {
    static const struct {
        uint8_t dimensions;
        bool layered, cube;
        const char *name;
    } wants[] = {
        [SIM_GEOMETRY_1D] = {1, false, false, "one dimension"},
        [SIM_GEOMETRY_2D] = {2, false, false, "two dimensions"},
        [SIM_GEOMETRY_3D] = {3, false, false, "three dimensions"},
        [SIM_GEOMETRY_A1D] = {1, true, false, "layers of one dimension"},
        [SIM_GEOMETRY_A2D] = {2, true, false, "layers of two dimensions"},
        [SIM_GEOMETRY_CUBE] = {2, false, true, "a cube"},
        [SIM_GEOMETRY_ACUBE] = {2, true, true, "layers of cubes"},
    };
    const bool layered = t->flags & DRIVER_ARRAY_LAYERED, cube = t->flags & DRIVER_ARRAY_CUBE;
    /* As a surface, a cube's faces are written as layers. */
    const bool faces = t->is_surface && cube && geometry == SIM_GEOMETRY_A2D;
    const bool fits = t->dimensions == wants[geometry].dimensions && layered == wants[geometry].layered &&
                      cube == wants[geometry].cube;
    return fits || faces ? NULL : wants[geometry].name;
}

bool sim_texture_gives_integers(const sim_texture *t) {
    const bool floating = t->format == DRIVER_FORMAT_F16 || t->format == DRIVER_FORMAT_F32;
    const bool wide = t->format == DRIVER_FORMAT_U32 || t->format == DRIVER_FORMAT_S32;
    return !floating && (wide || t->sampler.integers);
}

/* ---- queries ---- */

/* Returns an extent of a level. */
static uint32_t level_query(const sim_level *l, unsigned query) {
    switch (query) {
    case PTX_MOD_QUERY_WIDTH: return l->extent[0];
    case PTX_MOD_QUERY_HEIGHT: return l->extent[1];
    default: return l->extent[2];
    }
}

uint32_t sim_texture_query(const sim_texture *t, unsigned query, uint32_t level) {
    const bool layered = t->flags & (DRIVER_ARRAY_LAYERED | DRIVER_ARRAY_CUBE);
    const sim_level *l = &t->levels[level];
    if (level >= t->level_count) return 0;
    switch (query) {
    case PTX_MOD_QUERY_WIDTH: return level_query(l, query);
    case PTX_MOD_QUERY_HEIGHT: return t->dimensions > 1 ? level_query(l, query) : 0;
    case PTX_MOD_QUERY_DEPTH: return t->dimensions > 2 ? level_query(l, query) : 0;
    case PTX_MOD_QUERY_LAYERS: return layered ? l->extent[2] : 0;
    case PTX_MOD_QUERY_TYPE: return t->format;
    case PTX_MOD_QUERY_ORDER: return t->channels;
    case PTX_MOD_QUERY_NORMALIZED: return t->sampler.normalized;
    case PTX_MOD_QUERY_LEVELS: return t->level_count;
    case PTX_MOD_QUERY_FILTER: return t->sampler.linear;
    case PTX_MOD_QUERY_ADDRESS_0: return t->sampler.address[0];
    case PTX_MOD_QUERY_ADDRESS_1: return t->sampler.address[1];
    case PTX_MOD_QUERY_ADDRESS_2: return t->sampler.address[2];
    default: return 0;
    }
}
