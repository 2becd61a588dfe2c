/* The parts of haul_stream_map(): a plan, ends, slots, and the run.
 *
 * A slot holds what one chunk in flight needs: a stream, buffers on the device, pinned staging memory, events. Chunk k
 * uses slot k % depth. The thread that runs the map queues work and waits, always in the same order, for work that it
 * queued some chunks before, so that every engine stays busy. Worker threads do the host's copying, reading and
 * writing. On the virtual GPU this makes runs repeatable, and the same code computes the simulated time of the host's
 * part from the machine's description. */
#ifndef HAUL_LIB_MAP_MAP_H
#define HAUL_LIB_MAP_MAP_H

#include "base/disk.h"
#include "lib/stream.h"
#include "lib/workers.h"

#include <haul/map.h>
#include <stdatomic.h>

/* ---- plans ---- */

typedef struct map_plan {
    uint64_t items, chunk, chunks;
    uint64_t ramp; /* items of the first and the last chunk; their neighbours have twice as many; 0: all chunks but the
                      last are equal */
    uint64_t middle; /* with a ramp: number of chunks of full size */
    unsigned depth, threads;
    uint64_t device_bytes, host_bytes; /* of all slots */
} map_plan;

/* Plans the chunks. Errors: HAUL_ERROR_ARGUMENT; HAUL_ERROR_OUT_OF_MEMORY if the budgets are too small. */
haul_status map_make_plan(const haul_mapper *mapper, map_plan *plan);
/* The first item of chunk k; of chunk `chunks`: the end. */
uint64_t map_chunk_start(const map_plan *plan, uint64_t k);

/* ---- ends ---- */

typedef struct map_end {
    haul_map_end what;
    bool staged;    /* goes through pinned memory */
    disk_file file; /* FILE, while it is open */
    char *partial;  /* FILE, output: the name until it is complete */
} map_end;

haul_status map_open_input(haul_mapper *mapper, map_end *end);
/* After the inputs are open: checks that the output replaces none of them, and only a regular file. */
haul_status map_check_output(const haul_mapper *mapper, map_end *end);
haul_status map_open_output(haul_mapper *mapper, map_end *end);
/* Closes the output; a complete file gets its name. */
haul_status map_close_output(haul_mapper *mapper, map_end *end, bool complete);
void map_close_input(map_end *end);
/* The engine that moves the end's data. */
haul_engine map_input_engine(const map_end *end);
haul_engine map_output_engine(const map_end *end);

/* ---- slots ---- */

/* Times on the virtual GPU. */
typedef struct map_host_work {
    haul_engine engine; /* that the work occupies */
    uint64_t bytes;
    double start_us, end_us;
} map_host_work;

typedef struct map_slot {
    haul_mapper *mapper;
    haul_stream *stream;
    haul_event *begun, *copied, *computed, *done; /* around the three steps of a chunk: copy in, compute, copy out */
    haul_buffer *in[HAUL_MAP_INPUTS], *out, *scratch;
    haul_host *stage_in[HAUL_MAP_INPUTS], *stage_out;
    workers_job fill, drain; /* from the input to pinned memory; from there to the output */
    map_host_work filled, drained;
    haul_chunk fill_chunk, chunk; /* the one being filled; the one on the device or later */
} map_slot;

struct haul_mapper {
    haul_map map;
    haul_device *device;
    map_end inputs[HAUL_MAP_INPUTS], output;
    map_plan plan;
    map_slot *slots;
    unsigned slot_count; /* slots that were begun: those to free */
    workers *workers;
    bool fills, drains;           /* whether the host has work at the input or the output */
    haul_event *base;             /* the time at which the run began */
    double base_seconds, base_us; /* clock values when the run began */
    double free_us[HAUL_ENGINE_COUNT], last_us[HAUL_ENGINE_COUNT];
    unsigned char *complete; /* one byte for each chunk */
    uint64_t complete_chunks, complete_items;
    haul_timeline timeline;
    size_t operation_capacity;
    atomic_bool cancelled;
};

/* The offset of a chunk's input in its pinned memory: as far from a page as in its file, so that reads are direct. */
uint64_t map_stage_offset(const map_end *input, const haul_chunk *chunk);
uint64_t map_stage_bytes(const map_end *end, uint64_t items);

haul_status map_make_slots(haul_mapper *mapper);
void map_free_slots(haul_mapper *mapper);

/* Parts of jobs. */
haul_status map_fill_part(void *slot, unsigned part, unsigned parts);
haul_status map_drain_part(void *slot, unsigned part, unsigned parts);

/* ---- the timeline ---- */

void map_note(haul_mapper *mapper, haul_engine engine, uint64_t chunk, uint64_t bytes, double start_us, double end_us);

#endif
