/* Arrays: their layout in memory, and the checks of a shape that a program asks for. array.h describes the layout; an
 * array itself, with its memory, is src/vgpu/array.c's. The table of formats is driver/formats.def. */
#include "exec/texture/array.h"

#include "base/number.h"
#include "base/status.h"

/* Names and bytes of a channel, by CUarray_format. */
static const struct {
    const char *name;
    uint8_t bytes;
} formats[] = {
#define FORMAT(id, value, bytes, kind, name) [value] = {name, bytes},
#include "driver/formats.def"
#undef FORMAT
};

enum { FORMATS = sizeof formats / sizeof *formats };

const char *sim_format_name(unsigned format) {
    return format < FORMATS ? formats[format].name : NULL;
}

unsigned sim_texel_bytes(unsigned format, unsigned channels) {
    const bool counted = channels == 1 || channels == 2 || channels == 4;
    return counted && format < FORMATS ? formats[format].bytes * channels : 0;
}

/* ---- layout ---- */

/* Returns an extent of a level: half of the previous level's, at least 1. The number of layers stays. A missing
 * dimension counts as 1. */
static uint32_t level_extent(const sim_array_shape *s, unsigned number, unsigned d) {
    const bool layers = d == 2 && (s->flags & (DRIVER_ARRAY_LAYERED | DRIVER_ARRAY_CUBE));
    const uint32_t full = s->extent[d] ? s->extent[d] : 1, less = layers ? full : full >> number;
    return less ? less : 1;
}

enum { MOST_BLOCK_ROWS = 4 };

/* A block is as high as the level needs, up to 16 groups. */
static uint8_t block_rows_of(uint32_t height) {
    uint8_t rows = 0;
    while (rows < MOST_BLOCK_ROWS && (uint32_t)SIM_GROUP_ROWS << rows < height) rows++;
    return rows;
}

/* Rows of groups end at a whole group, slices at a whole block. The device's addresses are set when the array has
 * memory. */
void sim_level_lay_out(const sim_array_shape *s, unsigned number, sim_level *l, uint64_t *bytes) {
    *l = (sim_level){.layout = SIM_LAYOUT_BLOCKS};
    for (unsigned d = 0; d < 3; d++) l->extent[d] = level_extent(s, number, d);
    l->texel_bits = (uint8_t)__builtin_ctz(sim_texel_bytes(s->format, s->channels));
    l->block_rows = block_rows_of(l->extent[1]);
    const uint64_t row = number_align((uint64_t)l->extent[0] << l->texel_bits, SIM_GROUP_BYTES) / SIM_GROUP_BYTES;
    const uint64_t block_height = (uint64_t)SIM_GROUP_ROWS << l->block_rows;
    l->pitch = row << (SIM_GROUP_SHIFT + l->block_rows);
    l->slice = number_align(l->extent[1], block_height) / block_height * l->pitch;
    l->bytes = l->slice * l->extent[2];
    l->address = *bytes;
    *bytes += l->bytes;
}

/* ---- checks ---- */

/* An H100's limits for each kind of array. */
typedef struct limits {
    uint32_t extent[3];
} limits;

static const limits limits_1d = {{131072, 0, 0}}, limits_2d = {{131072, 65536, 0}}, limits_3d = {{16384, 16384, 16384}},
                    limits_layers_1d = {{32768, 0, 2048}}, limits_layers_2d = {{32768, 32768, 2048}},
                    limits_cube = {{32768, 32768, 6}}, limits_cubes = {{32768, 32768, 2046}};

/* A 0 among the limits means that this kind has no such dimension. */
static const limits *limits_of(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    const bool layered = d->flags & DRIVER_ARRAY_LAYERED;
    if (d->flags & DRIVER_ARRAY_CUBE) return layered ? &limits_cubes : &limits_cube;
    if (layered) return d->height ? &limits_layers_2d : &limits_layers_1d;
    return d->depth ? &limits_3d : d->height ? &limits_2d : &limits_1d;
}

/* Checks each extent against the limit of its dimension. */
static haul_status check_extents(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    const limits *most = limits_of(d);
    const size_t extent[3] = {d->width, d->height, d->depth};
    if (!d->width) return haul_fail(HAUL_ERROR_ARGUMENT, "array: the width must not be 0");
    if (d->depth && !d->height && !(d->flags & DRIVER_ARRAY_LAYERED))
        return haul_fail(HAUL_ERROR_ARGUMENT, "array: a depth without a height");
    for (unsigned k = 0; k < 3; k++) {
        if (extent[k] > most->extent[k])
            return haul_fail(HAUL_ERROR_ARGUMENT,
                             "array: extent %zu of dimension %u exceeds %u, the limit for this kind of array",
                             extent[k], k, most->extent[k]);
    }
    return HAUL_OK;
}

/* Checks the number of layers, and that a cube has square faces, six of them each. */
static haul_status check_layers(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    const bool layered = d->flags & DRIVER_ARRAY_LAYERED, cube = d->flags & DRIVER_ARRAY_CUBE;
    if (layered && !d->depth)
        return haul_fail(HAUL_ERROR_ARGUMENT, "array: a layered array needs its number of layers as depth");
    if (!cube) return HAUL_OK;
    if (d->width != d->height)
        return haul_fail(HAUL_ERROR_ARGUMENT, "array: the faces of a cube must be square, not %zu x %zu", d->width,
                         d->height);
    if (layered ? d->depth % 6 == 0 : d->depth == 6) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "array: the depth of a cube must be %s6, the number of its faces, not %zu",
                     layered ? "a multiple of " : "", d->depth);
}

enum { KNOWN_FLAGS = DRIVER_ARRAY_LAYERED | DRIVER_ARRAY_SURFACE | DRIVER_ARRAY_CUBE | DRIVER_ARRAY_GATHER };

/* Checks flags, format and channels. */
static haul_status check_kind(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    if (d->flags & ~(unsigned)KNOWN_FLAGS)
        return haul_fail(HAUL_ERROR_UNSUPPORTED,
                         "array: flags 0x%x: only layered, cubemap, surface and gather are supported", d->flags);
    if (!sim_format_name((unsigned)d->format))
        return haul_fail(HAUL_ERROR_UNSUPPORTED,
                         "array: format 0x%x: only integers of 8, 16 and 32 bits, f16 and f32 are supported",
                         (unsigned)d->format);
    if (!sim_texel_bytes((unsigned)d->format, d->channels))
        return haul_fail(HAUL_ERROR_ARGUMENT, "array: %u channels: must be 1, 2 or 4", d->channels);
    return HAUL_OK;
}

/* Returns the levels of a whole mipmap, down to one texel. Layers do not shrink. */
static uint32_t most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    const bool layers = d->flags & (DRIVER_ARRAY_LAYERED | DRIVER_ARRAY_CUBE);
    size_t largest = d->width > d->height ? d->width : d->height;
    if (!layers && d->depth > largest) largest = d->depth;
    uint32_t count = 1;
    while (largest >> count && count < SIM_MOST_LEVELS) count++;
    return count;
}

/* Limits the number of levels to those that the shape can have; 0 counts as 1. */
haul_status sim_array_check(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels, sim_array_shape *shape) {
    HAUL_TRY(check_kind(d));
    HAUL_TRY(check_extents(d));
    HAUL_TRY(check_layers(d));
    const uint32_t most = most_levels(d);
    *shape = (sim_array_shape){.extent = {(uint32_t)d->width, (uint32_t)d->height, (uint32_t)d->depth},
                               .format = (uint8_t)d->format,
                               .channels = (uint8_t)d->channels,
                               .flags = (uint8_t)d->flags,
                               .level_count = (uint8_t)(levels < 1      ? 1
                                                        : levels > most ? most
                                                                        : levels)};
    return HAUL_OK;
}
