/* Tensor maps: how the tensor copy engine finds a box of an array in global memory, and how it lays it out in shared
 * memory.
 *
 * A kernel has a map as 128 opaque bytes, which it may have got from anywhere: they are checked whenever a copy uses
 * them, and every address that comes of them is checked against the allocations. */
#ifndef HAUL_MACHINE_TENSOR_H
#define HAUL_MACHINE_TENSOR_H

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_TENSOR_RANK = 5, SIM_TENSOR_MAP_BYTES = 128, SIM_TENSOR_MAP_ALIGNMENT = 64, SIM_TENSOR_ALIGNMENT = 128 };
enum { SIM_TENSOR_PLACE = SIM_TENSOR_RANK - 2, SIM_TENSOR_MOST_BOX = 256 };
enum { SIM_TENSOR_MOST_ROW = 32 * SIM_TENSOR_MOST_BOX }; /* bytes: of interleaved pixels */

typedef enum sim_tensor_type {
#define TENSOR_TYPE(id, name, bytes, floating, add, min, max) SIM_TENSOR_##id,
#include "driver/tensor_types.def"
#undef TENSOR_TYPE
    SIM_TENSOR_TYPES
} sim_tensor_type;

/* How the driver's API numbers swizzles. Those of 128 bytes keep 16, 32 or 64 bytes together; one also swaps the halves
 * of 16 bytes in every second line of shared memory. */
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

/* How the driver's API numbers interleaved channels: dimension 0 counts pixels of 16 or 32 bytes each, one slice of
 * their channels, side by side; the last dimension but one counts slices, of which a copy takes one. */
enum { SIM_TENSOR_INTERLEAVE_NONE, SIM_TENSOR_INTERLEAVE_16B, SIM_TENSOR_INTERLEAVE_32B };

/* Whether a map by pixels moves along dimension 1 only (im2col::w and im2col::w::128). */
typedef enum sim_tensor_wide { SIM_TENSOR_WIDE_NONE, SIM_TENSOR_WIDE_W, SIM_TENSOR_WIDE_W128 } sim_tensor_wide;

/* A map's contents; the fields' numbers are those of cuTensorMapEncodeTiled. Dimension 0 is the innermost one. */
typedef struct sim_tensor {
    uint32_t type, rank, interleave, swizzle, promotion, fill;
    uint64_t address;
    uint64_t extent[SIM_TENSOR_RANK];    /* elements of the array */
    uint64_t pitch[SIM_TENSOR_RANK - 1]; /* bytes between elements of dimension 1, 2 ... */
    uint32_t box[SIM_TENSOR_RANK];       /* elements that a copy spans */
    uint32_t step[SIM_TENSOR_RANK];      /* of which it takes each step-th; not in dimension 0 */
    /* Walked pixel by pixel (im2col): dimension 0 has box[0] channels, the last one images, those between are a pixel's
     * place, which moves within the corners and, when it is read, lies `shift` further on. */
    bool by_pixels;
    uint32_t pixels;
    int32_t lower[SIM_TENSOR_PLACE], upper[SIM_TENSOR_PLACE]; /* from the array's first and last element on */
    uint32_t shift[SIM_TENSOR_PLACE];                         /* of the copy, not of the map */
    /* Wide maps: only dimension 1 has corners, the places of the others stay; halo (of the copy): pixels that are
     * brought beyond the map's, or beyond each 32 of the 128. */
    sim_tensor_wide wide;
    uint32_t halo;
} sim_tensor;

/* Errors: HAUL_ERROR_ARGUMENT with the field that is wrong and what it may be. */
haul_status sim_tensor_check(const sim_tensor *t);
void sim_tensor_pack(const sim_tensor *t, unsigned char map[SIM_TENSOR_MAP_BYTES]);
/* The contents, checked. Errors: HAUL_ERROR_ARGUMENT. */
haul_status sim_tensor_unpack(const unsigned char map[SIM_TENSOR_MAP_BYTES], sim_tensor *t);

/* What a kernel may change of a map (tensormap.replace). */
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
    SIM_TENSOR_FIELD_ATOMICITY, /* of a swizzle of 128 bytes: 16, 32, 32 with halves swapped, 64 (0 to 3) */
} sim_tensor_field;

/* Changes a field, of `dimension` where there is one for each. Zeros become a map that the kernel makes, all of whose
 * fields have to be set before it is used. Whether the map makes sense is checked then. Errors: HAUL_ERROR_ARGUMENT
 * when these are no map, or there is no such value or dimension. */
haul_status sim_tensor_replace(unsigned char map[SIM_TENSOR_MAP_BYTES], sim_tensor_field field, uint32_t dimension,
                               uint64_t value);

unsigned sim_tensor_element_bytes(const sim_tensor *t);
/* Bytes of a box: what a copy moves, and counts on its mbarrier. */
uint64_t sim_tensor_box_bytes(const sim_tensor *t);
/* From one row to the next in shared memory. */
uint32_t sim_tensor_row_pitch(const sim_tensor *t);
/* Room that it takes in shared memory: swizzled rows are as far apart as the swizzle is wide. */
uint64_t sim_tensor_shared_bytes(const sim_tensor *t);
/* Along dimension 0 a box begins at a multiple of 16 bytes; what begins elsewhere is an illegal instruction on an H100.
 */
bool sim_tensor_may_start_at(const sim_tensor *t, int32_t x);

/* One line of a box along dimension 0: `bytes` of shared memory from `offset` of the box on; of these, from .. to-1 lie
 * inside the array, from global address `global` on. from = to: none does. */
typedef struct sim_tensor_row {
    uint32_t offset, bytes, from, to;
    uint64_t global;
} sim_tensor_row;

/* A walk over the rows of the box at `at`. */
typedef struct sim_tensor_walk {
    const sim_tensor *tensor;
    const int32_t *at;
    uint32_t index[SIM_TENSOR_RANK]; /* of the next row; by pixels: only 0, the row's number */
    int64_t pixel[SIM_TENSOR_RANK];  /* by pixels: its place */
    uint32_t offset;
    bool stores, ended;
} sim_tensor_walk;

/* Stores and reductions write whole units of 16 bytes, of which at the end of a row some may lie beyond the array's
 * extent: an H100 does. */
void sim_tensor_walk_start(sim_tensor_walk *walk, const sim_tensor *t, const int32_t at[SIM_TENSOR_RANK], bool stores);
bool sim_tensor_walk_next(sim_tensor_walk *walk, sim_tensor_row *row);

/* Where the map's swizzle puts what would lie at shared `address`. It moves 16-byte chunks, within spans of 256 bytes
 * (32B), 512 (64B) or 1024 (128B) that begin at multiples of their length. */
uint32_t sim_tensor_swizzle(const sim_tensor *t, uint32_t address);
/* Whether the halves of the chunk at shared `address` change places. */
bool sim_tensor_flips(const sim_tensor *t, uint32_t address);

/* What the elements become on their way to shared memory: tf32 is rounded. */
void sim_tensor_convert(const sim_tensor *t, unsigned char *elements, size_t bytes);

/* What elements outside the array read as, `bytes` of it, a multiple of 8. Its NaN is the H100's. */
void sim_tensor_fill(const sim_tensor *t, unsigned char *to, size_t bytes);

#endif
