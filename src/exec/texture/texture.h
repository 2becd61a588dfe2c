/* Texture and surface objects, and the values that fetches return.
 *
 * Kernels name an object by a 64-bit handle: its index in the context's table and the number of objects that this entry
 * has held. This distinguishes a live handle from a stale or invalid one. */
#ifndef HAUL_EXEC_TEXTURE_TEXTURE_H
#define HAUL_EXEC_TEXTURE_TEXTURE_H

#include "exec/texture/array.h"
#include "machine/memory.h"
#include "state/texels.h"

/* State of an object and its memory. */
typedef enum sim_object_state { SIM_OBJECT_FREE, SIM_OBJECT_LIVE, SIM_OBJECT_ORPHAN } sim_object_state;

typedef struct sim_sampler {
    uint8_t address[3];                                               /* DRIVER_ADDRESS_... */
    bool linear, levels_linear, normalized, integers, srgb, seamless; /* filters; forms of coordinates and results */
    float bias, least, most;                                          /* of the level */
    float border[4];
} sim_sampler;

/* A texture, or a surface; surfaces do not use the sampler. */
typedef struct sim_texture {
    uint8_t state;                         /* sim_object_state */
    bool is_surface;                       /* otherwise a texture */
    uint32_t uses;                         /* objects that its table entry has held so far */
    uint8_t format, channels, flags, kind; /* CUarray_format; DRIVER_ARRAY_...; DRIVER_RESOURCE_... */
    uint8_t dimensions;                    /* 1 to 3, without layers */
    uint8_t level_count;
    sim_level levels[SIM_MOST_LEVELS]; /* level_count of them */
    sim_sampler sampler;
    CUDA_RESOURCE_DESC resource; /* as passed by the program */
    CUDA_TEXTURE_DESC description;
    CUDA_RESOURCE_VIEW_DESC
    view; /* of a part of the resource, or as another format; levels and format are the view's; zeros: none */
} sim_texture;

/* A context's objects. Entries are reused, and freed only with the table. */
typedef struct sim_textures {
    sim_texture **items;
    size_t count, capacity;
} sim_textures;

/* Adds a new, live object and stores its handle in *handle. Returns NULL if there is no memory. */
sim_texture *sim_textures_add(sim_textures *table, unsigned long long *handle);
/* Returns the object, or NULL if the handle does not belong to a live object. */
sim_texture *sim_textures_find(const sim_textures *table, unsigned long long handle);
void sim_textures_remove(sim_textures *table, sim_texture *texture);
void sim_textures_free(sim_textures *table);

/* Geometry of an instruction. */
typedef enum sim_geometry {
    SIM_GEOMETRY_1D,
    SIM_GEOMETRY_2D,
    SIM_GEOMETRY_3D,
    SIM_GEOMETRY_A1D,
    SIM_GEOMETRY_A2D,
    SIM_GEOMETRY_CUBE,
    SIM_GEOMETRY_ACUBE
} sim_geometry;

typedef enum sim_fetch_kind {
    SIM_FETCH_TEXELS,    /* integer coordinates: no sampling */
    SIM_FETCH_BASE,      /* sampled, the first level */
    SIM_FETCH_LEVEL,     /* at `level` */
    SIM_FETCH_GRADIENTS, /* at the level that the gradients select */
    SIM_FETCH_GATHER     /* one channel of four texels */
} sim_fetch_kind;

/* One lane's fetch. */
typedef struct sim_fetch {
    uint8_t kind, geometry; /* sim_fetch_kind, sim_geometry */
    uint8_t component;      /* GATHER */
    int32_t whole[3];       /* TEXELS */
    float at[3];            /* the others */
    uint32_t layer;
    int32_t shift[3]; /* in texels */
    float level;      /* LEVEL; TEXELS uses whole_level */
    uint32_t whole_level;
    bool names_level;  /* TEXELS: names a level */
    float along[2][3]; /* GRADIENTS: in x and y */
} sim_fetch;

/* Returns the location of texel or byte x of a row, as in sim_level_offset(). */
sim_texel sim_texel_at(const sim_level *level, uint32_t x, uint32_t y, uint32_t z);

/* Fetches four elements: the bits of floats, or integers if sim_texture_gives_integers(). */
void sim_texture_fetch(const sim_texture *texture, const sim_fetch *fetch, uint32_t value[4],
                       sim_footprint_texels *texels);

/* A fetch of a warp's lanes: registers, with an element for each lane. */
typedef struct sim_warp_fetch {
    uint8_t kind, geometry, count; /* sim_fetch_kind, sim_geometry; elements of the result */
    const float *at[2];
    const int32_t *shift[2];
    uint32_t *result[4];
} sim_warp_fetch;
/* The same for all active lanes at once, if the fetch is one from a texture of one or two dimensions, without layers
 * or levels, in float coordinates. Texels are noted unless `access` is NULL. */
bool sim_texture_is_plain(const sim_texture *texture, const sim_warp_fetch *fetch);
void sim_texture_fetch_plain(const sim_texture *texture, const sim_warp_fetch *fetch, uint32_t active,
                             sim_texel_access *access);

/* Returns whether fetches return integers, as stored, and not floats. */
bool sim_texture_gives_integers(const sim_texture *texture);

/* Returns a channel as it is stored, from the bits of a float or from an integer with the format's sign. */
uint32_t sim_texel_channel(unsigned format, uint32_t value, bool is_float);

/* Returns NULL if instructions of that geometry fit the object, otherwise the mismatch. */
const char *sim_texture_misfit(const sim_texture *texture, sim_geometry geometry);

/* Returns the result of txq and suq for PTX_MOD_QUERY_... */
uint32_t sim_texture_query(const sim_texture *texture, unsigned query, uint32_t level);

#endif
