/* haul_stream_map: a kernel, or a chain of kernels, over more data than the device holds.
 *
 * Input is an array of items in host memory, in a file, or made by a function; output likewise. The array is cut into
 * chunks, which go through a bounded number of slots: while one chunk is read, the next ones are copied to the device,
 * computed and copied back, and the last is written. Pageable memory and files go through pinned memory by host
 * threads; pinned memory is copied from and to directly. Every item's result is what one launch over all of the array
 * would give, whatever the chunks: each chunk brings as many of its neighbours' items (the halo) as its results depend
 * on, and at the ends of the array there are none. */
#ifndef HAUL_MAP_H
#define HAUL_MAP_H

#include <haul/stream.h>
#include <haul/timeline.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HAUL_MAP_INPUTS = 4 };

typedef enum haul_map_kind { HAUL_MAP_MEMORY, HAUL_MAP_FILE, HAUL_MAP_FUNCTION } haul_map_kind;

/* Fills `items` items from `first` on into `bytes` (input), or takes them (output). Called by the thread that runs the
 * map, in the order of items; of an input with a halo the same items are asked for more than once. */
typedef haul_status haul_map_transfer(void *context, uint64_t first, uint64_t items, void *bytes);

/* Where items come from or go to: item_bytes each, one behind the other. */
typedef struct haul_map_end {
    haul_map_kind kind;
    uint64_t item_bytes;
    void *memory; /* MEMORY: pinned memory (haul_host_create(), haul_host_register()) is used as it is. Input is only
                     read */
    const char *path; /* FILE. Output goes to a file beside it, PATH.partial, and gets the name when it is complete; it
                         may not be a symbolic link, nor a file that is read */
    uint64_t offset;  /* FILE, input: bytes before the first item */
    haul_map_transfer *transfer; /* FUNCTION */
    void *context;
} haul_map_end;

/* One chunk on the device. Item i of the buffers is item `first - before + i` of the array. */
typedef struct haul_chunk {
    haul_device *device;
    haul_stream *stream; /* launches go there: haul_device_use_stream() has been called */
    uint64_t index;
    uint64_t first, items;  /* of the array: whose results are kept */
    uint64_t before, after; /* items of the halo that are there: fewer, or none, at the ends of the array */
    uint64_t total;         /* before + items + after: what the kernels have to go over */
    haul_buffer *in[HAUL_MAP_INPUTS];
    haul_buffer *out; /* `total` items, of which the halo's are not kept */
    haul_buffer *scratch;
} haul_chunk;

/* Queues a chunk's kernels in its stream; must not wait. Called by the thread that runs the map, in order of chunks. */
typedef haul_status haul_chunk_function(void *context, const haul_chunk *chunk);

typedef struct haul_map_progress {
    uint64_t chunks, complete; /* how many there are, and are done: their output is where it belongs */
    uint64_t items, complete_items;
    double elapsed_us;
} haul_map_progress;
/* Called after each chunk, by the thread that runs the map; false: stop here. */
typedef bool haul_map_report_progress(void *context, const haul_map_progress *progress);

typedef struct haul_map {
    haul_device *device;
    uint64_t items; /* 0: what the first input's file holds */
    haul_map_end inputs[HAUL_MAP_INPUTS];
    size_t input_count;
    haul_map_end output; /* item_bytes 0: none */
    bool in_place;       /* the kernels leave the results in in[in_place_input]; there is no buffer `out` */
    unsigned in_place_input;
    uint64_t before, after;   /* how many items before and behind it a result depends on */
    uint64_t scratch_bytes;   /* of memory on the device for each item, for chains of kernels */
    haul_chunk_function *run; /* NULL: no kernel: input and output need items of the same size and in_place */
    void *context;

    /* What is 0 is planned from the machine, the data and the budgets. */
    uint64_t chunk_items;
    unsigned depth;         /* chunks under way at once, at least 1 */
    unsigned threads;       /* that copy pageable memory, read and write; at most 1024 */
    uint64_t device_budget; /* bytes of device memory; 0: half of what is free */
    uint64_t host_budget;   /* bytes of pinned memory; 0: 1 GiB */

    haul_map_report_progress *progress; /* may be NULL */
    void *progress_context;
    bool keep_partial; /* after a failure PATH.partial stays: what of it is complete is reported */
} haul_map;

typedef struct haul_map_range {
    uint64_t first, items;
} haul_map_range;

/* What was done, also after a failure: exactly the items of `complete` are where they belong. */
typedef struct haul_map_report {
    uint64_t items, chunks, chunk_items;
    unsigned depth, threads;
    uint64_t device_bytes, host_bytes; /* of buffers: device memory, and pinned memory */
    uint64_t complete_chunks;
    haul_map_range *complete; /* sorted, apart from each other */
    size_t complete_count;
    haul_timeline timeline;
} haul_map_report;

void haul_map_report_free(haul_map_report *report);

/* Runs the map and waits for its end. `report` (may be NULL) is filled also after a failure; it ends with
 * haul_map_report_free(). Errors: HAUL_ERROR_ARGUMENT, HAUL_ERROR_FILE, HAUL_ERROR_OUT_OF_MEMORY (a budget is too
 * small for one item, or memory is short), HAUL_ERROR_CANCELLED (progress said so), those of kernels and of the
 * functions that were given. Nothing that is half done is left under an output file's name. */
haul_status haul_stream_map(const haul_map *map, haul_map_report *report);

/* The same in parts, for maps that are run again and again: buffers and threads are made once. */
typedef struct haul_mapper haul_mapper;
/* Checks and plans the map, which it copies; what it points to must live on. Errors as above. */
haul_status haul_mapper_create(const haul_map *map, haul_mapper **mapper);
/* As haul_stream_map(), by the thread that calls it. */
haul_status haul_mapper_run(haul_mapper *mapper, haul_map_report *report);
/* From any thread: the run ends with HAUL_ERROR_CANCELLED after the chunk under way. */
void haul_mapper_cancel(haul_mapper *mapper);
/* Not while it runs. NULL is allowed. */
void haul_mapper_free(haul_mapper *mapper);

#ifdef __cplusplus
}
#endif
#endif
