/* What haul_stream_map() is made of: a plan, ends, slots, and the run.
 *
 * A slot is what one chunk under way needs: a stream, buffers on the device, pinned memory to go through, events. Chunk
 * k has slot k % depth. The thread that runs the map gives out work and waits, always in the same order, for something
 * that was given out some chunks before, so that every engine has work meanwhile; worker threads do what the host has
 * to copy, read and write. On the virtual GPU that makes runs repeatable, and the same code tells the simulated time
 * of the host's part by the machine's description. */
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
    uint64_t ramp;   /* items of the first and the last chunk, which are followed and preceded by twice as many; 0: all
                        chunks but the last are alike */
    uint64_t middle; /* with a ramp: chunks of full size */
    unsigned depth, threads;
    uint64_t device_bytes, host_bytes; /* of all slots */
} map_plan;

/* Errors: HAUL_ERROR_ARGUMENT, HAUL_ERROR_OUT_OF_MEMORY when the budgets are too small. */
haul_status map_make_plan(const haul_mapper *mapper, map_plan *plan);
/* The first item of chunk k; of chunk `chunks`: the end. */
uint64_t map_chunk_start(const map_plan *plan, uint64_t k);

/* ---- ends ---- */

typedef struct map_end {
    haul_map_end what;
    bool staged;    /* goes through pinned memory */
    disk_file file; /* FILE */
    char *partial;  /* FILE, output: the name until it is complete */
} map_end;

haul_status map_open_input(haul_mapper *mapper, map_end *end);
/* Once the inputs are open: the output replaces none of them, nor anything but a file. */
haul_status map_check_output(const haul_mapper *mapper, map_end *end);
haul_status map_open_output(haul_mapper *mapper, map_end *end);
/* Closes; a complete output file gets its name. */
haul_status map_close_output(haul_mapper *mapper, map_end *end, bool complete);
void map_close_input(map_end *end);
/* Which engine moves its data. */
haul_engine map_input_engine(const map_end *end);
haul_engine map_output_engine(const map_end *end);

/* ---- slots ---- */

/* Times on the virtual GPU. */
typedef struct map_host_work {
    haul_engine engine;
    uint64_t bytes;
    double start_us, end_us;
} map_host_work;

typedef struct map_slot {
    haul_mapper *mapper;
    haul_stream *stream;
    haul_event *begun, *copied, *computed, *done;
    haul_buffer *in[HAUL_MAP_INPUTS], *out, *scratch;
    haul_host *stage_in[HAUL_MAP_INPUTS], *stage_out;
    workers_job fill, drain;
    map_host_work filled, drained;
    haul_chunk fill_chunk, chunk; /* that is being filled; that is on the device or behind it */
} map_slot;

struct haul_mapper {
    haul_map map;
    haul_device *device;
    map_end inputs[HAUL_MAP_INPUTS], output;
    map_plan plan;
    map_slot *slots;
    unsigned slot_count;
    workers *workers;
    bool fills, drains; /* whether there is anything to do for the host on either side */
    haul_event *base;
    double base_seconds, base_us; /* of the clock, when the run began */
    double free_us[HAUL_ENGINE_COUNT], last_us[HAUL_ENGINE_COUNT];
    unsigned char *complete; /* a byte a chunk */
    uint64_t complete_chunks, complete_items;
    haul_timeline timeline;
    size_t operation_capacity;
    atomic_bool cancelled;
};

/* Where a chunk's input lies in its pinned memory: as far behind a page as in its file, so that reads are direct. */
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
