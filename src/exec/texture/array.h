/* Memory layout of arrays and textures: where each texel is.
 *
 * An array is stored in blocks, so that neighbours in two dimensions are close in memory. A group of 512 bytes holds 64
 * bytes by 8 rows. Within it, a sector of 32 bytes holds 16 bytes by 2 rows, and a line of 128 bytes holds 32 bytes by
 * 4 rows (docs/textures.md). A block is up to 16 groups high. */
#ifndef HAUL_EXEC_TEXTURE_ARRAY_H
#define HAUL_EXEC_TEXTURE_ARRAY_H

#include "driver/driver.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum sim_layout { SIM_LAYOUT_LINEAR, SIM_LAYOUT_PITCH, SIM_LAYOUT_BLOCKS } sim_layout;

/* One level of a mipmap, or the whole array if it has no mipmap. extent[2]: slices, or layers; a cube has six. */
typedef struct sim_level {
    uint64_t address;    /* on the device */
    unsigned char *host; /* the same memory on the host */
    uint32_t extent[3];  /* in texels */
    uint8_t layout;      /* sim_layout */
    uint8_t texel_bits;  /* log2 of a texel's bytes */
    uint8_t block_rows;  /* log2 of a block's height in groups */
    uint64_t pitch;      /* PITCH: bytes from row to row; BLOCKS: from one row of blocks to the next */
    uint64_t slice;      /* from one slice or layer to the next */
    uint64_t bytes;
} sim_level;

enum { SIM_GROUP_BYTES = 64, SIM_GROUP_ROWS = 8, SIM_GROUP_SHIFT = 9, SIM_MOST_LEVELS = 16 };

/* Alignment of textures of plain device memory: of the address, and of the pitch of rows. */
enum { SIM_TEXTURE_ALIGNMENT = 512, SIM_TEXTURE_PITCH = 32 };

/* Properties that all levels of an array share. */
typedef struct sim_array_shape {
    uint32_t extent[3]; /* as in CUDA: 0 if there is no such dimension */
    uint8_t format;     /* CUarray_format */
    uint8_t channels;
    uint8_t flags;       /* DRIVER_ARRAY_... */
    uint8_t level_count; /* 1: no mipmap */
} sim_array_shape;

/* Returns the byte offset of a texel from the start of its level. */
static inline uint64_t sim_level_offset(const sim_level *l, uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t byte = (uint64_t)x << l->texel_bits;
    if (l->layout != SIM_LAYOUT_BLOCKS) return y * l->pitch + byte;
    const uint64_t group_row = y / SIM_GROUP_ROWS, rows_mask = (UINT64_C(1) << l->block_rows) - 1;
    const uint64_t group = ((byte / SIM_GROUP_BYTES) << l->block_rows) + (group_row & rows_mask);
    const uint64_t within = (byte & 32) << 3 | (y & 6) << 5 | (byte & 16) << 1 | (y & 1) << 4 | (byte & 15);
    return z * l->slice + (group_row >> l->block_rows) * l->pitch + (group << SIM_GROUP_SHIFT) + within;
}

/* Returns channels times bytes, or 0 for an invalid format. */
unsigned sim_texel_bytes(unsigned format, unsigned channels);
const char *sim_format_name(unsigned format); /* "u8"; NULL for an invalid format */

/* Lays out level `number` of that shape from byte *bytes of its array on; moves *bytes after it. */
void sim_level_lay_out(const sim_array_shape *shape, unsigned number, sim_level *level, uint64_t *bytes);

/* Returns HAUL_ERROR_ARGUMENT or _UNSUPPORTED, and says why, if an array cannot have that shape. `levels`: the
 * requested number; the shape gets at most as many as are possible. */
haul_status sim_array_check(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels, sim_array_shape *shape);

#endif
