/* Memory of arrays and textures: where a texel lies.
 *
 * An array lies in blocks, so that neighbours in two dimensions are neighbours in memory. A group of 512 bytes holds 64
 * bytes by 8 rows; in it a sector of 32 bytes holds 16 bytes by 2 rows, a line of 128 bytes 32 bytes by 4 rows
 * (docs/textures.md). Groups lie in blocks, up to 16 of them high. */
#ifndef HAUL_EXEC_TEXTURE_ARRAY_H
#define HAUL_EXEC_TEXTURE_ARRAY_H

#include "driver/driver.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum sim_layout { SIM_LAYOUT_LINEAR, SIM_LAYOUT_PITCH, SIM_LAYOUT_BLOCKS } sim_layout;

/* One level of a mipmap, or all there is. extent[2]: slices, or layers; six of them are a cube. */
typedef struct sim_level {
    uint64_t address; /* on the device */
    unsigned char *host;
    uint32_t extent[3];
    uint8_t layout;     /* sim_layout */
    uint8_t texel_bits; /* log2 of a texel's bytes */
    uint8_t block_rows; /* log2 of a block's height in groups */
    uint64_t pitch;     /* PITCH: bytes from row to row; BLOCKS: from one row of blocks to the next */
    uint64_t slice;     /* from one slice or layer to the next */
    uint64_t bytes;
} sim_level;

enum { SIM_GROUP_BYTES = 64, SIM_GROUP_ROWS = 8, SIM_GROUP_SHIFT = 9, SIM_MOST_LEVELS = 16 };

/* What textures of plain device memory must be multiples of: their address, and the pitch of their rows. */
enum { SIM_TEXTURE_ALIGNMENT = 512, SIM_TEXTURE_PITCH = 32 };

/* What all levels of an array have in common. */
typedef struct sim_array_shape {
    uint32_t extent[3]; /* as CUDA has them: 0 where there is no such dimension */
    uint8_t format;     /* CUarray_format */
    uint8_t channels;
    uint8_t flags;       /* DRIVER_ARRAY_... */
    uint8_t level_count; /* 1: no mipmap */
} sim_array_shape;

/* Where the byte offset of a texel is from its level's start. */
static inline uint64_t sim_level_offset(const sim_level *l, uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t byte = (uint64_t)x << l->texel_bits;
    if (l->layout != SIM_LAYOUT_BLOCKS) return y * l->pitch + byte;
    const uint64_t group_row = y / SIM_GROUP_ROWS, rows_mask = (UINT64_C(1) << l->block_rows) - 1;
    const uint64_t group = ((byte / SIM_GROUP_BYTES) << l->block_rows) + (group_row & rows_mask);
    const uint64_t within = (byte & 32) << 3 | (y & 6) << 5 | (byte & 16) << 1 | (y & 1) << 4 | (byte & 15);
    return z * l->slice + (group_row >> l->block_rows) * l->pitch + (group << SIM_GROUP_SHIFT) + within;
}

/* Channels times bytes; 0 for what is no format. */
unsigned sim_texel_bytes(unsigned format, unsigned channels);
const char *sim_format_name(unsigned format); /* "u8"; NULL for what is none */

/* Lays a level of that shape out, from byte `from` of its array on; *bytes gets moved behind it. */
void sim_level_lay_out(const sim_array_shape *shape, unsigned number, sim_level *level, uint64_t *bytes);

/* HAUL_ERROR_ARGUMENT or _UNSUPPORTED, with what is wrong with an array of that shape. `levels`: those asked for;
 * the shape's count is set to as many as there can be. */
haul_status sim_array_check(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels, sim_array_shape *shape);

#endif
