/* Copies of boxes: rows of rows of bytes, between host memory, device memory and arrays. */
#ifndef HAUL_VGPU_BOX_COPY_H
#define HAUL_VGPU_BOX_COPY_H

#include "exec/texture/array.h"
#include "machine/memory.h"

typedef enum sim_box_kind { SIM_BOX_HOST, SIM_BOX_DEVICE, SIM_BOX_ARRAY } sim_box_kind;

/* One end. x in bytes. */
typedef struct sim_box_side {
    uint8_t kind;     /* sim_box_kind */
    uint64_t address; /* HOST: in this process; DEVICE: the device's */
    sim_level level;  /* ARRAY */
    uint64_t x, y, z;
    uint64_t pitch, height; /* not of arrays: bytes of a row, rows of a slice */
} sim_box_side;

typedef struct sim_box_copy {
    sim_box_side from, to;
    uint64_t width, height, depth; /* bytes, rows, slices */
} sim_box_copy;

/* HAUL_ERROR_ARGUMENT, with what is wrong: beyond an array, memory in no allocation, pitches that are too small. */
haul_status sim_box_check(sim_memory *memory, const sim_box_copy *copy);
/* Does it. What arrives on the device counts as written. Errors: as sim_box_check(), where memory went meanwhile. */
haul_status sim_box_run(sim_memory *memory, const sim_box_copy *copy);

/* Where the side, or its array, begins in device memory; 0: it is the host's. */
uint64_t sim_box_on_device(const sim_box_side *side);
/* Of a side that is no array: from the first byte that the copy touches to the last. */
uint64_t sim_box_first(const sim_box_side *side);
uint64_t sim_box_span(const sim_box_copy *copy, const sim_box_side *side);
/* Hash of what the copy reads from host memory. */
uint64_t sim_box_hash(const sim_box_copy *copy);

#endif
