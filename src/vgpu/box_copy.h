/* Copies of boxes (rows of bytes, in slices) between host memory, device memory and arrays. */
#ifndef HAUL_VGPU_BOX_COPY_H
#define HAUL_VGPU_BOX_COPY_H

#include "exec/texture/array.h"
#include "machine/memory.h"

typedef enum sim_box_kind { SIM_BOX_HOST, SIM_BOX_DEVICE, SIM_BOX_ARRAY } sim_box_kind;

/* One end of a copy. x is in bytes. */
typedef struct sim_box_side {
    uint8_t kind;           /* sim_box_kind */
    uint64_t address;       /* HOST: in this process; DEVICE: a device address */
    sim_level level;        /* ARRAY */
    uint64_t x, y, z;       /* y in rows, z in slices */
    uint64_t pitch, height; /* bytes of a row, rows of a slice; unused for arrays */
} sim_box_side;

typedef struct sim_box_copy {
    sim_box_side from, to;
    uint64_t width, height, depth; /* bytes, rows, slices */
} sim_box_copy;

/* Checks a copy. Returns HAUL_ERROR_ARGUMENT, with a message, if it reaches beyond an array, if memory is in no
 * allocation, or if a pitch is too small. */
haul_status sim_box_check(sim_memory *memory, const sim_box_copy *copy);
/* Copies the box. Bytes that arrive on the device count as written. Fails like sim_box_check() if memory was freed
 * meanwhile. */
haul_status sim_box_run(sim_memory *memory, const sim_box_copy *copy);

/* Returns the device address where the side or its array begins; 0 for host memory. */
uint64_t sim_box_on_device(const sim_box_side *side);
/* The first byte that the copy touches, and the bytes from there to the last one. The side is not an array. */
uint64_t sim_box_first(const sim_box_side *side);
uint64_t sim_box_span(const sim_box_copy *copy, const sim_box_side *side);
/* Returns the offset in its array of the side's byte x of row y of slice z, counted from the box's corner, and how many
 * bytes from there on lie side by side. */
enum { SIM_BOX_PIECE = 16 }; /* at most */
uint64_t sim_box_array_piece(const sim_box_side *side, uint64_t x, uint64_t y, uint64_t z, uint64_t *bytes);
/* Hashes what the copy reads from host memory. */
uint64_t sim_box_hash(const sim_box_copy *copy);

#endif
