/* Tensor maps: how the tensor copy engine finds a box of an array in global memory, and how it lays the box out in
 * shared memory.
 *
 * A kernel has a map as 128 opaque bytes of any origin. So each copy checks the map, and each address that follows from
 * it is checked against the allocations. */
#ifndef HAUL_MACHINE_TENSOR_H
#define HAUL_MACHINE_TENSOR_H

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_TENSOR_RANK = 5, SIM_TENSOR_MAP_BYTES = 128, SIM_TENSOR_MAP_ALIGNMENT = 64, SIM_TENSOR_ALIGNMENT = 128 };
enum { SIM_TENSOR_PLACE = SIM_TENSOR_RANK - 2, SIM_TENSOR_MOST_BOX = 256 };
enum { SIM_TENSOR_MOST_ROW = 32 * SIM_TENSOR_MOST_BOX }; /* bytes, for interleaved pixels */

typedef enum sim_tensor_type {
#define TENSOR_TYPE(id, name, bytes, floating, add, min, max) SIM_TENSOR_##id,
#include "driver/tensor_types.def"
#undef TENSOR_TYPE
    SIM_TENSOR_TYPES
} sim_tensor_type;

/* Swizzles, as the driver API numbers them. Those of 128 bytes keep 16, 32 or 64 bytes together; one also swaps the
 * 8-byte halves of each 16 bytes in every second line of shared memory. */
enum {
    SIM_TENSOR_SWIZZLE_NONE,
    SIM_TENSOR_SWIZZLE_32B,
    SIM_TENSOR_SWIZZLE_64B,
    SIM_TENSOR_SWIZZLE_128B,
    SIM_TENSOR_SWIZZLE_ATOM_32B,
    SIM_TENSOR_SWIZZLE_ATOM_32B_FLIP_8B,
    SIM_TENSOR_SWIZZLE_ATOM_64B,
    SIM_TENSOR_SWIZZLES
};

/* Interleaved channels, as the driver API numbers them. Dimension 0 counts pixels, of 16 or 32 bytes: one slice of
 * their channels, contiguous. The last dimension but one counts slices, of which a copy takes one. */
enum { SIM_TENSOR_INTERLEAVE_NONE, SIM_TENSOR_INTERLEAVE_16B, SIM_TENSOR_INTERLEAVE_32B };

/* Whether an im2col map moves along dimension 1 only (im2col::w and im2col::w::128). */
typedef enum sim_tensor_wide { SIM_TENSOR_WIDE_NONE, SIM_TENSOR_WIDE_W, SIM_TENSOR_WIDE_W128 } sim_tensor_wide;

/* A map's contents, with the numbers of cuTensorMapEncodeTiled. Dimension 0 is the innermost. */
typedef struct sim_tensor {
    uint32_t type, rank, interleave, swizzle, promotion, fill;
    uint64_t address;
    uint64_t extent[SIM_TENSOR_RANK];    /* elements of the array */
    uint64_t pitch[SIM_TENSOR_RANK - 1]; /* bytes between elements of dimension 1, 2 ... */
    uint32_t box[SIM_TENSOR_RANK];       /* elements that a copy spans */
    uint32_t step[SIM_TENSOR_RANK];      /* a copy takes each step-th element; not in dimension 0 */
    /* For im2col maps, walked pixel by pixel. Dimension 0 has box[0] channels, the last one counts images. The
     * dimensions between are a pixel's place: it moves within the corners and is read at `shift` from there. */
    bool by_pixels;
    uint32_t pixels;
    int32_t lower[SIM_TENSOR_PLACE], upper[SIM_TENSOR_PLACE]; /* relative to the array's first and last element */
    uint32_t shift[SIM_TENSOR_PLACE];                         /* of the copy, not of the map */
    /* For wide maps: only dimension 1 has corners, the other coordinates stay. halo (of the copy): extra pixels beyond
     * the map's, or beyond each 32 of the 128. */
    sim_tensor_wide wide;
    uint32_t halo;
} sim_tensor;

/* Checks a map. Errors: HAUL_ERROR_ARGUMENT, with the wrong field and its allowed values. */
haul_status sim_tensor_check(const sim_tensor *t);
void sim_tensor_pack(const sim_tensor *t, unsigned char map[SIM_TENSOR_MAP_BYTES]);
/* Unpacks and checks a map. Errors: HAUL_ERROR_ARGUMENT. */
haul_status sim_tensor_unpack(const unsigned char map[SIM_TENSOR_MAP_BYTES], sim_tensor *t);

/* The fields of a map that a kernel may change (tensormap.replace). */
typedef enum sim_tensor_field {
    SIM_TENSOR_FIELD_ADDRESS,
    SIM_TENSOR_FIELD_RANK, /* less one */
    SIM_TENSOR_FIELD_BOX,
    SIM_TENSOR_FIELD_EXTENT,
    SIM_TENSOR_FIELD_PITCH,
    SIM_TENSOR_FIELD_STEP,
    SIM_TENSOR_FIELD_TYPE, /* numbered as in PTX */
    SIM_TENSOR_FIELD_INTERLEAVE,
    SIM_TENSOR_FIELD_SWIZZLE,
    SIM_TENSOR_FIELD_FILL,
    SIM_TENSOR_FIELD_ATOMICITY, /* of a 128-byte swizzle: 16, 32, 32 with halves swapped, 64 (0 to 3) */
} sim_tensor_field;

/* Changes a field, in `dimension` if each has one. Zeros become a new map, all of whose fields must be set before use;
 * only then the map is checked as a whole. Errors: HAUL_ERROR_ARGUMENT if the bytes are no map, or if the value or
 * dimension does not exist. */
haul_status sim_tensor_replace(unsigned char map[SIM_TENSOR_MAP_BYTES], sim_tensor_field field, uint32_t dimension,
                               uint64_t value);

unsigned sim_tensor_element_bytes(const sim_tensor *t);
/* Returns the bytes of a box: what a copy moves, and counts on its mbarrier. */
uint64_t sim_tensor_box_bytes(const sim_tensor *t);
/* Returns the bytes from one row to the next in shared memory. */
uint32_t sim_tensor_row_pitch(const sim_tensor *t);
/* Returns the bytes of shared memory that a box takes; swizzled rows are as far apart as the swizzle is wide. */
uint64_t sim_tensor_shared_bytes(const sim_tensor *t);
/* Returns whether a box may begin at x: its byte offset along dimension 0 must be a multiple of 16. Otherwise an H100
 * reports an illegal instruction. */
bool sim_tensor_may_start_at(const sim_tensor *t, int32_t x);

/* One line of a box along dimension 0: `bytes` of shared memory at `offset` in the box. Bytes from .. to-1 of them lie
 * inside the array, at global address `global`. from = to: none does. */
typedef struct sim_tensor_row {
    uint32_t offset, bytes, from, to;
    uint64_t global;
} sim_tensor_row;

/* A walk over the rows of the box at coordinates `at`. */
typedef struct sim_tensor_walk {
    const sim_tensor *tensor;
    const int32_t *at;
    uint32_t index[SIM_TENSOR_RANK]; /* of the next row; im2col: only [0], the row's number */
    int64_t pixel[SIM_TENSOR_RANK];  /* im2col: the pixel's place */
    uint32_t offset;
    bool stores, ended;
} sim_tensor_walk;

/* Begins a walk. Stores and reductions write whole units of 16 bytes; at the end of a row some may lie beyond the
 * array's extent, as on an H100. */
void sim_tensor_walk_start(sim_tensor_walk *walk, const sim_tensor *t, const int32_t at[SIM_TENSOR_RANK], bool stores);
bool sim_tensor_walk_next(sim_tensor_walk *walk, sim_tensor_row *row);

/* Returns where the map's swizzle puts what would lie at shared `address`. It moves 16-byte chunks within aligned spans
 * of 256 bytes (32B), 512 (64B) or 1024 (128B). */
uint32_t sim_tensor_swizzle(const sim_tensor *t, uint32_t address);
/* Returns whether the halves of the chunk at shared `address` are swapped. */
bool sim_tensor_flips(const sim_tensor *t, uint32_t address);

/* Converts elements on their way to shared memory: tf32 is rounded. */
void sim_tensor_convert(const sim_tensor *t, unsigned char *elements, size_t bytes);

/* Writes `bytes` bytes (a multiple of 8) of the value that elements outside the array read as. The NaN is an H100's. */
void sim_tensor_fill(const sim_tensor *t, unsigned char *to, size_t bytes);

#endif
