/* haul_stream_map: runs a kernel, or a chain of kernels, over more data than the device holds.
 *
 * Input is an array of items in host memory, in a file, or made by a function; output likewise. The array is cut into
 * chunks, which go through a bounded number of slots. While one chunk is read, earlier ones are copied to the device,
 * computed, copied back and written. Host threads move pageable memory and files through pinned memory; pinned memory
 * is copied directly. Every item's result is what one launch over the whole array would give, for any chunk size and
 * any number of devices: each chunk includes the neighbouring items (the halo) that its results depend on. The array's
 * ends have no halo.
 *
 * Several devices share one map: each gets a further chunk when it can take one. So do several processes
 * (haul/ranks.h): each takes a contiguous part of the array. */
#ifndef HAUL_MAP_H
#define HAUL_MAP_H

#include <haul/ranks.h>
#include <haul/stream.h>
#include <haul/timeline.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HAUL_MAP_INPUTS = 4 };

typedef enum haul_map_kind { HAUL_MAP_MEMORY, HAUL_MAP_FILE, HAUL_MAP_FUNCTION } haul_map_kind;

/* Fills `items` items from `first` on into `bytes` (input), or takes them (output). Called by the thread that runs the
 * map, in the order of items; an input with a halo requests the same items more than once. */
typedef haul_status haul_map_transfer(void *context, uint64_t first, uint64_t items, void *bytes);

/* How files are moved. Where cuFile is not possible, O_DIRECT is used; where that is not, the page cache. */
typedef enum haul_map_files {
    HAUL_MAP_FILES_AUTO,   /* by cuFile if it reaches the file's storage without a copy through the host, else direct */
    HAUL_MAP_FILES_CACHED, /* through the system's page cache, and pinned memory */
    HAUL_MAP_FILES_DIRECT, /* around the page cache (O_DIRECT), through pinned memory */
    HAUL_MAP_FILES_CUFILE  /* by cuFile (GPUDirect Storage) to and from device memory, on a GPU, even if cuFile itself
                              has to copy through the host */
} haul_map_files;

/* How a file was moved, and why so. */
typedef struct haul_map_path {
    haul_map_files files; /* AUTO: the end is no file */
    char reason[160];     /* why by cuFile, or why not */
} haul_map_path;

/* Where items come from or go to: item_bytes each, without gaps. */
typedef struct haul_map_end {
    haul_map_kind kind;
    uint64_t item_bytes;
    void *memory; /* MEMORY. Pinned memory (haul_host_create(), haul_host_register()) is copied directly. Input is only
                     read */
    const char *path; /* FILE. Output goes to PATH.partial beside it, which is renamed when complete. PATH must not be a
                         symbolic link, nor a file that is read */
    uint64_t offset;  /* FILE, input: bytes before the first item */
    haul_map_transfer *transfer; /* FUNCTION */
    void *context;
} haul_map_end;

/* One chunk on the device. Item i of the buffers is item `first - before + i` of the array. */
typedef struct haul_chunk {
    haul_device *device;
    unsigned device_index; /* its place in haul_map.devices; 0 for a single device */
    haul_stream *stream;   /* launches go there: haul_device_use_stream() has been called */
    uint64_t index;
    uint64_t first, items;            /* items of the array whose results are kept */
    uint64_t before, after;           /* items of the halo: fewer, or none, at the ends of the array */
    uint64_t total;                   /* before + items + after: items that the kernels must process */
    haul_buffer *in[HAUL_MAP_INPUTS]; /* kernels write to no other than in[in_place_input] of a map in place */
    haul_buffer *out;                 /* `total` items; the halo's are discarded */
    haul_buffer *scratch;
} haul_chunk;

/* Queues a chunk's kernels in its stream; must not wait. Called by the thread that runs the map, in chunk order. */
typedef haul_status haul_chunk_function(void *context, const haul_chunk *chunk);

typedef struct haul_map_progress {
    uint64_t chunks, complete; /* number of chunks, and of those whose output is in its place */
    uint64_t items, complete_items;
    double elapsed_us;
} haul_map_progress;
/* Called after each chunk, by the thread that runs the map. Return false to stop. */
typedef bool haul_map_report_progress(void *context, const haul_map_progress *progress);

typedef struct haul_map {
    haul_device *device;
    haul_device *const *devices; /* several instead of `device`; virtual ones from one haul_devices_open() */
    size_t device_count;
    haul_ranks *ranks; /* NULL: this process alone; otherwise all ranks run the same map together. Output files need to
                          be on a file system that all of them see */
    uint64_t items;    /* 0: as many as the first input's file holds */
    haul_map_end inputs[HAUL_MAP_INPUTS];
    size_t input_count;
    haul_map_end output; /* item_bytes 0: none */
    bool in_place;       /* the kernels leave the results in in[in_place_input]; there is no buffer `out` */
    unsigned in_place_input;
    uint64_t before, after;   /* items before and after it that a result depends on */
    uint64_t scratch_bytes;   /* device memory for each item, for chains of kernels */
    haul_chunk_function *run; /* NULL: no kernel; input and output then need items of one size, and in_place */
    void *context;

    /* Fields that are 0 are planned from the machine, the data and the budgets. */
    haul_map_files files;
    uint64_t chunk_items;
    unsigned depth;         /* chunks in flight at once, at least 1 */
    unsigned threads;       /* host threads that copy pageable memory, read and write; at most 1024 */
    uint64_t device_budget; /* bytes of each device's memory; 0: half of the free memory */
    uint64_t host_budget;   /* bytes of pinned memory of this process; 0: 1 GiB, or more for several devices */

    haul_map_report_progress *progress; /* may be NULL */
    void *progress_context;
    /* Output files only. After a failure, or when the process is killed, PATH.partial stays, with an account of its
     * complete items in PATH.partial.done-0 (and further numbers, of other ranks). Several ranks always keep both. */
    bool keep_partial;
    bool resume; /* keep_partial, and first continue what such a run has left: its complete items stay as they are */
    uint64_t identity; /* names what the kernels compute; a run continues one with the same number, shape and inputs */
} haul_map;

typedef struct haul_map_range {
    uint64_t first, items;
} haul_map_range;

/* The work done, also after a failure: exactly the items of `complete` are in their place. */
typedef struct haul_map_device {
    uint64_t chunks, items; /* whose results it computed */
} haul_map_device;

typedef struct haul_map_report {
    uint64_t items, chunks, chunk_items; /* `items`: of the part of this rank */
    unsigned depth, threads;
    uint64_t device_bytes, host_bytes; /* buffers in device memory, and in pinned memory */
    uint64_t complete_chunks;
    uint64_t resumed_chunks;  /* of these: an earlier run had completed them */
    uint64_t halo_bytes;      /* that came from the neighbouring chunk on a device, and not from the host again */
    uint64_t cufile_bytes;    /* that cuFile moved to the devices and from them */
    haul_map_range *complete; /* sorted, not adjacent */
    size_t complete_count;
    haul_map_device device[HAUL_MOST_DEVICES];
    unsigned devices;
    haul_map_path inputs[HAUL_MAP_INPUTS], output;
    haul_timeline timeline;
} haul_map_report;

void haul_map_report_free(haul_map_report *report);

/* Runs the map and waits for its end. `report` (may be NULL) is filled in also after a failure; free it with
 * haul_map_report_free(). Errors: HAUL_ERROR_ARGUMENT, HAUL_ERROR_FILE, HAUL_ERROR_OUT_OF_MEMORY (a budget is too small
 * for one item, or memory is short), HAUL_ERROR_CANCELLED (requested by progress), and those of the kernels and of the
 * functions passed in. A failed run leaves nothing incomplete under an output file's name. */
haul_status haul_stream_map(const haul_map *map, haul_map_report *report);

/* The same in parts, for maps that run repeatedly: buffers and threads are created once. */
typedef struct haul_mapper haul_mapper;
/* Checks, plans and copies the map; objects that it points to must live on. Errors as above. */
haul_status haul_mapper_create(const haul_map *map, haul_mapper **mapper);
/* As haul_stream_map(); the calling thread runs the map. */
haul_status haul_mapper_run(haul_mapper *mapper, haul_map_report *report);
/* May be called from any thread; the run ends with HAUL_ERROR_CANCELLED after the current chunk. */
void haul_mapper_cancel(haul_mapper *mapper);
/* Not allowed while the mapper runs. NULL is allowed. */
void haul_mapper_free(haul_mapper *mapper);

#ifdef __cplusplus
}
#endif
#endif
