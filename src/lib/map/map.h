/* The parts of haul_stream_map(): a plan, ends, an account of what is complete, lanes with slots, and the run.
 *
 * A lane is a device's part in the run. It has slots: a slot holds what one chunk in flight needs, a stream, buffers on
 * the device, pinned staging memory, events. The k-th chunk of a lane uses its slot k % depth. Chunks are dealt to
 * lanes in their order, each to the lane that can take one first. The thread that runs the map queues work and waits
 * for work that it queued some chunks before, so that every engine stays busy; for each lane it does so in one fixed
 * order. Worker threads do the host's copying, reading and writing. On the virtual GPU this makes runs repeatable, and
 * the same code computes the simulated time of the host's part from the machine's description. */
#ifndef HAUL_LIB_MAP_MAP_H
#define HAUL_LIB_MAP_MAP_H

#include "base/disk.h"
#include "base/status.h"
#include "driver/cufile.h"
#include "lib/stream.h"
#include "lib/workers.h"

#include <haul/map.h>
#include <stdatomic.h>

/* ---- plans ---- */

typedef struct map_plan {
    uint64_t first, items; /* the part of the array that this rank computes */
    uint64_t chunk, chunks;
    unsigned lanes;
    uint64_t ramp;   /* items of the first and the last chunk of each lane; their neighbours have twice as many; 0: all
                        chunks but the last are equal */
    uint64_t middle; /* with a ramp: number of chunks of full size */
    unsigned depth, threads;           /* depth: of each lane */
    uint64_t device_bytes, host_bytes; /* of all slots of all lanes */
} map_plan;

/* Plans the chunks. Errors: HAUL_ERROR_ARGUMENT; HAUL_ERROR_OUT_OF_MEMORY if the budgets are too small. */
haul_status map_make_plan(const haul_mapper *mapper, map_plan *plan);
/* The first item of chunk k, in the whole array; of chunk `chunks`: the end. */
uint64_t map_chunk_start(const map_plan *plan, uint64_t k);

/* ---- ends ---- */

typedef struct map_slot map_slot;

typedef struct map_end {
    haul_map_end what;
    bool staged;        /* goes through pinned memory */
    disk_file file;     /* FILE, while it is open */
    char *partial;      /* FILE, output: the name until it is complete */
    haul_map_path path; /* FILE: how its bytes are moved */
    bool by_cufile;     /* they go between the file and the device's buffers; not staged then */
    bool is_registered; /* with cuFile: `handle` is valid */
    CUfileHandle_t handle;
} map_end;

haul_status map_open_input(haul_mapper *mapper, map_end *end);
/* After the inputs are open: checks that the output replaces none of them, and only a regular file. */
haul_status map_check_output(const haul_mapper *mapper, map_end *end);
/* Decides how the output will be moved. */
void map_plan_output(haul_mapper *mapper, map_end *end);
haul_status map_open_output(haul_mapper *mapper, map_end *end);
/* Closes the output; a complete file gets its name. `status`: of the run, which is returned, or what went wrong on
 * another rank or at the end. */
haul_status map_close_output(haul_mapper *mapper, map_end *end, haul_status status);
void map_close_input(const haul_mapper *mapper, map_end *end);
/* Whether the host has work at the end. */
bool map_end_has_host_work(const map_end *end);
/* The engine that moves the end's data. */
haul_engine map_input_engine(const map_end *end);
haul_engine map_output_engine(const map_end *end);

/* ---- files by cuFile (cufile.c) ---- */

/* Decides how an open input, or the output that is to be made, is moved (haul_map.files). Never fails: what cannot be
 * had is not used, and the end's path says why. */
void map_choose_input_path(haul_mapper *mapper, map_end *end);
void map_choose_output_path(haul_mapper *mapper, map_end *end);
/* Registers an open file with cuFile, if it is moved by it. Errors: HAUL_ERROR_FILE. */
haul_status map_register_file(const haul_mapper *mapper, map_end *end);
void map_deregister_file(const haul_mapper *mapper, map_end *end);
/* Tells cuFile of a buffer of the slot, or that it will be freed. cuFile works without that, too. */
void map_register_buffer(const haul_mapper *mapper, const haul_buffer *buffer);
void map_deregister_buffer(const haul_mapper *mapper, const haul_buffer *buffer);
/* Moves bytes between an end's file, at `offset`, and a buffer of the slot, at `at`. Called by worker threads. */
haul_status map_move_by_cufile(const map_slot *slot, const map_end *end, bool writes, haul_buffer *buffer, uint64_t at,
                               uint64_t offset, uint64_t count);
/* The buffer that has a chunk's output. */
haul_buffer *map_output_buffer(const map_slot *slot);

/* ---- the account of a partial output file (account.c) ---- */

/* Ranges of complete items, sorted and disjoint, and the file that the run appends to. */
typedef struct map_account {
    haul_map_range *ranges;
    size_t count, capacity;
    disk_file log; /* path NULL: none is kept */
} map_account;

/* Reads what all ranks of an earlier run have left beside the output. *found: there is a partial output to continue.
 * Errors: HAUL_ERROR_ARGUMENT if it is of another run. */
haul_status map_account_read(haul_mapper *mapper, const map_end *output, bool *found);
/* Removes the accounts of all ranks. */
void map_account_remove(const map_end *output);
/* Begins this rank's own account, or continues it. */
haul_status map_account_open(haul_mapper *mapper, const map_end *output);
haul_status map_account_note(haul_mapper *mapper, uint64_t first, uint64_t items);
void map_account_close(haul_mapper *mapper);
/* Whether an earlier run has completed all of these items. */
bool map_account_has(const map_account *account, uint64_t first, uint64_t items);

/* ---- slots ---- */

/* Times on the virtual GPU. */
typedef struct map_host_work {
    haul_engine engine; /* that the work occupies */
    uint64_t bytes;
    double start_us, end_us;
} map_host_work;

struct map_slot {
    haul_mapper *mapper;
    struct map_lane *lane;
    haul_stream *stream;
    haul_event *begun, *copied, *computed, *done; /* around the three steps of a chunk: copy in, compute, copy out */
    haul_buffer *in[HAUL_MAP_INPUTS], *out, *scratch;
    haul_host *stage_in[HAUL_MAP_INPUTS], *stage_out;
    workers_job fill, drain; /* from the input to pinned memory; from there to the output */
    map_host_work filled, drained;
    haul_chunk fill_chunk, chunk; /* the one being filled; the one on the device or later */
    /* Halo of the next chunk that is on a device already (halo.c). */
    struct map_slot *from;    /* the slot of the chunk before, whose buffers have it; NULL: all comes from the host */
    uint64_t fill_skip, skip; /* items at the beginning that come from there, of fill_chunk and of chunk */
    struct map_slot *fill_taker, *taker; /* the slots that copy from fill_chunk, and from chunk; NULL: none */
    bool owes;       /* the latter has not issued its copy, so this slot's buffers must stay as they are */
    uint64_t issued; /* 1 + the index of the chunk that was issued last */
};

/* Counts of a lane's chunks say how far it is. A chunk that is filled has been dealt to the lane. */
typedef struct map_lane {
    haul_device *device;
    unsigned index;
    map_slot *slots;
    unsigned slot_count; /* slots that were begun: those to free */
    haul_event *base;    /* the time at which the run began, on the device's clock */
    double base_us;      /* the same since the run began, on the host's clock */
    uint64_t filled, issued, collected, retired;
    double last_us[HAUL_ENGINE_COUNT];
    haul_map_device done;
} map_lane;

struct haul_mapper {
    haul_map map;
    haul_device *device; /* the first lane's */
    map_lane lanes[HAUL_MOST_DEVICES];
    unsigned lane_count;
    map_end inputs[HAUL_MAP_INPUTS], output;
    map_account account;
    map_plan plan;
    workers *workers;
    bool fills, drains;           /* whether the host has work at the input or the output */
    bool fills_device;            /* cuFile brings an input to the slots' buffers on the device */
    const cufile_table *cufile;   /* NULL: no end needs it */
    bool reuses[HAUL_MAP_INPUTS]; /* the input's halo is copied from chunk to chunk on the devices */
    bool reaches[HAUL_MOST_DEVICES][HAUL_MOST_DEVICES]; /* lane by lane: copies between devices are direct */
    map_slot *dealt; /* of the chunk that was dealt last, with the index `next` - 1; NULL: none, or it was skipped */
    uint64_t halo_bytes; /* so copied */
    uint64_t cufile_bytes;
    double base_seconds, base_us; /* clock values when the run began */
    double free_us[HAUL_ENGINE_COUNT];
    uint64_t next;           /* the next chunk to be dealt */
    uint64_t next_out;       /* the next chunk whose output a function takes */
    unsigned char *complete; /* one byte for each chunk */
    uint64_t complete_chunks, complete_items, resumed_chunks;
    haul_timeline timeline;
    size_t operation_capacity;
    atomic_bool cancelled;
};

/* The offset of a chunk's input in its pinned memory: as far from a page as in its file, so that reads are direct. */
uint64_t map_stage_offset(const map_end *input, const haul_chunk *chunk);
uint64_t map_stage_bytes(const map_end *end, uint64_t items);

haul_status map_make_slots(map_lane *lane, haul_mapper *mapper);
void map_free_slots(map_lane *lane);

/* Whether memory is pinned for the mapper's devices. */
bool map_is_pinned(const haul_mapper *mapper, const void *memory, uint64_t bytes);

/* ---- halo that is on a device already (halo.c) ---- */

/* Decides which inputs' halo is copied from the chunk before; lets devices reach each other for that. */
void map_plan_halo(haul_mapper *mapper);
/* Chunk `chunk` was dealt to the slot: notes which of its items the slot of the chunk before has. */
void map_deal_halo(map_slot *slot, const haul_chunk *chunk);
/* Whether a filled slot may be issued: the chunk before has been, and nobody needs what its buffers have now. */
bool map_halo_is_ready(const map_slot *slot);
/* Queues the copy of input `input`'s items, after those from the host. */
haul_status map_copy_halo(map_slot *slot, size_t input);
/* Before and after the copies to the device are queued. */
haul_status map_begin_halo(map_slot *slot);
void map_end_halo(map_slot *slot);
/* Returns how many items of an input do not come from the host. */
uint64_t map_skip_of(const map_slot *slot, size_t input, uint64_t skip);

/* Parts of jobs. */
haul_status map_fill_part(void *slot, unsigned part, unsigned parts);
haul_status map_drain_part(void *slot, unsigned part, unsigned parts);

/* ---- the clock and the timeline (timeline.c) ---- */

/* Microseconds since the run began. */
double map_now_us(const haul_mapper *mapper);
/* Adds the three operations of a chunk that is back from the device. */
haul_status map_note_device(haul_mapper *mapper, const map_slot *slot);
/* Gives a job to the threads. A caller's function is called directly, on this thread and in the order of items; the job
 * then looks like one that the threads have done. */
haul_status map_give_out(haul_mapper *mapper, workers_job *job, map_host_work *work, bool is_function);
/* Waits for a job and adds it to the timeline. One that was not submitted is done. */
haul_status map_wait_for_host(haul_mapper *mapper, workers_job *job, map_host_work *work, uint64_t chunk);

#endif
