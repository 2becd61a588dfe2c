/* Arrays, textures and surfaces: memory laid out for locality in two and three dimensions, and access to it.
 *
 * Arrays, textures and surfaces belong to their device; closing the device frees them. Kernels take the 64-bit handle
 * of a texture or surface, as a HAUL_ARGUMENT_I64. Everything works the same on virtual and real devices.
 *
 * docs/textures.md is the guide. */
#ifndef HAUL_TEXTURE_H
#define HAUL_TEXTURE_H

#include <haul/haul.h>
#include <haul/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haul_array haul_array;
typedef struct haul_texture haul_texture; /* also for surfaces */

/* Type of a channel of an element, with the driver API's numbers. */
typedef enum haul_format {
    HAUL_FORMAT_U8 = 1,
    HAUL_FORMAT_U16 = 2,
    HAUL_FORMAT_U32 = 3,
    HAUL_FORMAT_S8 = 8,
    HAUL_FORMAT_S16 = 9,
    HAUL_FORMAT_S32 = 10,
    HAUL_FORMAT_F16 = 16,
    HAUL_FORMAT_F32 = 32
} haul_format;

/* Extents are in elements; 0 for dimensions that the array lacks. */
typedef struct haul_array_shape {
    uint32_t width, height, depth; /* depth: layers of a layered array; 6, or 6 times the cubes, of a cube */
    haul_format format;
    uint32_t channels; /* channels of an element: 1, 2 or 4 */
    bool layered, cube;
    bool surface;    /* surfaces may be created over it */
    bool gather;     /* kernels fetch four texels at once (tex2Dgather) */
    uint32_t levels; /* levels of a mipmap, each half as large as the one before; 0 and 1: no mipmap */
} haul_array_shape;

/* Creates an array, contents undefined. Errors: HAUL_ERROR_ARGUMENT, HAUL_ERROR_UNSUPPORTED,
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_array_create(haul_device *device, const haul_array_shape *shape, haul_array **array);
/* Waits for the device. Textures over the array must not be used any more. NULL is allowed. */
void haul_array_free(haul_array *array);
/* Bytes of a level in host memory, where its rows and slices have no gaps; 0: no such level. */
uint64_t haul_array_bytes(const haul_array *array, uint32_t level);

/* Copies a whole level from or to host memory. Blocks. Errors: HAUL_ERROR_ARGUMENT (no such level). */
haul_status haul_array_write(haul_array *array, uint32_t level, const void *host);
haul_status haul_array_read(haul_array *array, uint32_t level, void *host);
/* The same in a stream, as haul_stream_write(): pinned memory is copied without blocking, and `host` must stay
 * unchanged until the copy is done. */
haul_status haul_array_write_in(haul_stream *stream, haul_array *array, uint32_t level, const void *host);
haul_status haul_array_read_in(haul_stream *stream, haul_array *array, uint32_t level, void *host);

/* Meaning of coordinates outside the texture. Wrap and mirror need normalized coordinates, and clamp without them. */
typedef enum haul_address_mode {
    HAUL_ADDRESS_WRAP,
    HAUL_ADDRESS_CLAMP,
    HAUL_ADDRESS_MIRROR,
    HAUL_ADDRESS_BORDER
} haul_address_mode;

/* How a texture is sampled. All zeros: no filter, wrap, coordinates in texels, integers as fractions of their range. */
typedef struct haul_sampler {
    haul_address_mode address[3];
    bool linear;        /* filter between neighbouring texels: floats, or integers of 8 and 16 bits read as floats */
    bool linear_levels; /* filter between levels of a mipmap */
    bool normalized;    /* coordinates from 0 to 1; cubes and mipmaps need them */
    bool integers;      /* integers of 8 and 16 bits stay integers; else they become 0 to 1, or -1 to 1 */
    bool srgb;          /* bytes are sRGB and become linear values */
    bool seamless;      /* cubes: filtered across edges */
    float level_bias, least_level, most_level; /* mipmaps; most_level 0: all levels */
    float border[4];
} haul_sampler;

/* Memory that a texture reads: an array, or elements in a buffer from byte `offset` on (a multiple of 512). In a
 * buffer, `width` elements are adjacent; with a height, rows are `pitch` bytes apart (a multiple of 32). */
typedef struct haul_texture_source {
    haul_array *array;
    haul_buffer *buffer;
    uint64_t offset;
    haul_format format;
    uint32_t channels;
    uint64_t width, height, pitch;
} haul_texture_source;

/* Creates a texture. Errors: HAUL_ERROR_ARGUMENT (the message says what does not go together),
 * HAUL_ERROR_UNSUPPORTED. */
haul_status haul_texture_create(haul_device *device, const haul_texture_source *source, const haul_sampler *sampler,
                                haul_texture **texture);
/* Creates a surface over an array made with `surface`; kernels load and store its bytes. Errors: HAUL_ERROR_ARGUMENT
 * for other arrays, HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_surface_create(haul_array *array, haul_texture **surface);
/* Does not wait: kernels that use the texture must be done. NULL is allowed. */
void haul_texture_free(haul_texture *texture);
/* The handle that kernels take. */
uint64_t haul_texture_handle(const haul_texture *texture);
/* The handle as the argument of a launch. */
haul_argument haul_texture_argument(const haul_texture *texture);

#ifdef __cplusplus
}
#endif
#endif
