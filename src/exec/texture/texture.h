/* Texture and surface objects, and what a fetch gives.
 *
 * Kernels name an object by a 64-bit handle: its place in the context's table and the number of objects that place has
 * had, so that a stale or made-up handle is told from a live one. */
#ifndef HAUL_EXEC_TEXTURE_TEXTURE_H
#define HAUL_EXEC_TEXTURE_TEXTURE_H

#include "exec/texture/array.h"
#include "machine/memory.h"
#include "state/texels.h"

/* What became of an object's memory. */
typedef enum sim_object_state { SIM_OBJECT_FREE, SIM_OBJECT_LIVE, SIM_OBJECT_ORPHAN } sim_object_state;

typedef struct sim_sampler {
    uint8_t address[3]; /* DRIVER_ADDRESS_... */
    bool linear, levels_linear, normalized, integers, srgb, seamless;
    float bias, least, most; /* of the level */
    float border[4];
} sim_sampler;

/* A texture, or a surface: then the sampler means nothing. */
typedef struct sim_texture {
    uint8_t state;                         /* sim_object_state */
    bool is_surface;                       /* else a texture */
    uint32_t uses;                         /* of its place in the table so far */
    uint8_t format, channels, flags, kind; /* CUarray_format; DRIVER_ARRAY_...; DRIVER_RESOURCE_... */
    uint8_t dimensions;                    /* 1 to 3, layers not counted */
    uint8_t level_count;
    sim_level levels[SIM_MOST_LEVELS];
    sim_sampler sampler;
    CUDA_RESOURCE_DESC resource; /* as the program gave them */
    CUDA_TEXTURE_DESC description;
} sim_texture;

typedef struct sim_textures {
    sim_texture **items;
    size_t count, capacity;
} sim_textures;

/* A new, live object; its handle in *handle. NULL when there is no memory. */
sim_texture *sim_textures_add(sim_textures *table, unsigned long long *handle);
/* NULL unless the handle is that of an object that has not been destroyed. */
sim_texture *sim_textures_find(const sim_textures *table, unsigned long long handle);
void sim_textures_remove(sim_textures *table, sim_texture *texture);
void sim_textures_free(sim_textures *table);

/* What an instruction asks for. */
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
    SIM_FETCH_GRADIENTS, /* at the level that the gradients ask for */
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
    float level;      /* LEVEL; of TEXELS: whole_level */
    uint32_t whole_level;
    bool names_level;  /* TEXELS: of a level */
    float along[2][3]; /* GRADIENTS: in x and y */
} sim_fetch;

/* Where texel or byte x of a row is, as in sim_level_offset(). */
sim_texel sim_texel_at(const sim_level *level, uint32_t x, uint32_t y, uint32_t z);

/* Four elements: the bits of floats, or of integers where the texture gives such. */
void sim_texture_fetch(const sim_texture *texture, const sim_fetch *fetch, uint32_t value[4],
                       sim_footprint_texels *texels);

/* Whether fetches give integers (as they lie there) and not floats. */
bool sim_texture_gives_integers(const sim_texture *texture);

/* Elements to memory and back: integers as they are, floats of 16 and 32 bits. */
void sim_texel_read(unsigned format, unsigned channels, const unsigned char *from, uint32_t raw[4]);

/* A channel as it is stored: from the bits of a float, or from an integer that has the format's sign. */
uint32_t sim_texel_channel(unsigned format, uint32_t value, bool is_float);

/* Whether instructions of that geometry fit the object: NULL, or what is wrong. */
const char *sim_texture_misfit(const sim_texture *texture, sim_geometry geometry);

/* What txq and suq tell, by PTX_MOD_QUERY_... */
uint32_t sim_texture_query(const sim_texture *texture, unsigned query, uint32_t level);

#endif
