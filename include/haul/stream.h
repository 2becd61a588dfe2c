/* Host and device at once: streams, events, host memory, pools, graphs, and what of L2 is kept for whom.
 *
 * Nothing here blocks but what says so. Work of one stream is done in the order in which it was given; streams are
 * ordered by events, and some of them with the default stream. On the virtual GPU a copy reads its source and writes
 * its destination no sooner than somebody waits for it, so that a missing wait shows on every run.
 *
 * A fault of a kernel in a stream is told by the next wait, and by all calls for streams of that device from then on:
 * as on hardware, the device has to be opened anew. Objects end before their device is closed, except host memory,
 * which the device ends too. */
#ifndef HAUL_STREAM_H
#define HAUL_STREAM_H

#include <haul/haul.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haul_stream haul_stream;
typedef struct haul_event haul_event;
typedef struct haul_host haul_host;
typedef struct haul_pool haul_pool;
typedef struct haul_graph haul_graph;

/* ---- host memory ---- */

typedef enum haul_host_kind {
    HAUL_HOST_PINNED,         /* the device copies from and to it without a detour; kernels may reach it too */
    HAUL_HOST_WRITE_COMBINED, /* pinned, for what the host only writes, in order: reading it on the host is very slow */
    HAUL_HOST_MANAGED /* not pinned: a GPU moves its pages to who uses them. The host uses it when no work does */
} haul_host_kind;

/* Memory of `bytes` > 0 that host and kernels reach at one address, see haul_host_view(); aligned to a page, contents
 * undefined. Blocks for as long as pinning takes (about 0.3 ms for each MiB): allocate once. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_host_create(haul_device *device, uint64_t bytes, haul_host_kind kind, haul_host **host);
/* Pins memory that is there already, until haul_host_free(). Errors: HAUL_ERROR_ARGUMENT when it is pinned already. */
haul_status haul_host_register(haul_device *device, void *memory, uint64_t bytes, haul_host **host);
/* Waits for all of the device's work; memory that was allocated is freed. NULL is allowed. */
void haul_host_free(haul_host *host);
void *haul_host_memory(const haul_host *host);
uint64_t haul_host_bytes(const haul_host *host);
/* Whether all bytes lie in pinned memory of the device. */
bool haul_host_is_pinned(const haul_device *device, const void *memory, uint64_t bytes);
/* Copies out of, or into, the memory from byte `offset` on, in the calling thread. On a virtual GPU its clock goes on
 * by the time that this takes a usual host: reading write-combined memory takes fifty times as long as other memory.
 * Errors: HAUL_ERROR_ARGUMENT beyond the memory's end. */
haul_status haul_host_read(haul_host *host, uint64_t offset, void *to, uint64_t bytes);
haul_status haul_host_write(haul_host *host, uint64_t offset, const void *from, uint64_t bytes);
/* Computation of the host beside the device: calls `function` (NULL: none) in the calling thread, and does not wait for
 * the device. The clock of a virtual GPU goes on by `us`, the microseconds that it takes there. Errors:
 * HAUL_ERROR_ARGUMENT for a time below 0. */
haul_status haul_host_compute(haul_device *device, double us, void (*function)(void *), void *data);
/* The memory as an argument of kernels, which then read and write it over the host link, uncached from launch to launch
 * (zero-copy). Its address is the host's where the device has haul_device_properties.unified_addresses, as all virtual
 * ones have. The view lives as long as `host`; it is not freed. */
haul_buffer *haul_host_view(haul_host *host);

/* ---- streams ---- */

/* A stream that no other one waits for. priority: 0, or below for more urgent work (as far as the device goes, -5).
 * Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_stream_create(haul_device *device, int priority, haul_stream **stream);
/* The same, but ordered with the default stream, as CUDA's streams are unless they are made non-blocking: what it is
 * given waits for what the default stream was given before, and the other way round. */
haul_status haul_stream_create_ordered(haul_device *device, int priority, haul_stream **stream);
/* The default stream (CUDA's legacy one), to which work goes that names no stream, in haul_buffer_write() and the like.
 * Its work waits for all that ordered streams were given before; streams of haul_stream_create() take no part. The
 * device owns it. On a virtual GPU its work is done in the call that gives it; the clock has it in its place. */
haul_status haul_stream_default(haul_device *device, haul_stream **stream);
/* What it has been given is done all the same. NULL and the default stream are allowed, which stays. */
void haul_stream_free(haul_stream *stream);

/* Copies between host memory and a buffer. Pageable memory is copied before the call returns, which blocks until the
 * stream has come to it; pinned memory must stay, and stay as it is, until the copy is done. Errors:
 * HAUL_ERROR_ARGUMENT beyond the buffer's end. */
haul_status haul_stream_write(haul_stream *stream, haul_buffer *buffer, uint64_t offset, const void *host,
                              uint64_t bytes);
haul_status haul_stream_read(haul_stream *stream, haul_buffer *buffer, uint64_t offset, void *host, uint64_t bytes);
/* Copies between buffers of the stream's device, and fills each byte with `value`. Errors as above. */
haul_status haul_stream_copy(haul_stream *stream, haul_buffer *to, uint64_t to_offset, haul_buffer *from,
                             uint64_t from_offset, uint64_t bytes);
haul_status haul_stream_fill(haul_stream *stream, haul_buffer *buffer, uint64_t offset, uint8_t value, uint64_t bytes);
/* Queues a launch. Errors: those of haul_launch_run() for what can be told now; a fault is told by the wait. */
haul_status haul_stream_launch(haul_stream *stream, haul_module *module, const haul_launch *launch);
/* From now on haul_launch_run(), and what is made of it (the kernels of haul/kernels.h), queues launches in the stream
 * and does not wait for them. A `run` that such a launch is given gets a record with its shape at once, and the rest
 * when somebody has waited for the launch; it must live until then. NULL: as in the beginning. */
void haul_device_use_stream(haul_device *device, haul_stream *stream);
/* Calls `function` on the host when everything before it is done; the stream goes on when it has returned. It runs on
 * a thread of the driver's and must not call haul or CUDA; it is not called after a fault. */
haul_status haul_stream_call(haul_stream *stream, void (*function)(void *), void *data);

/* Blocks until the stream's work is done. Errors: those of the work (HAUL_ERROR_FAULT and the like). */
haul_status haul_stream_wait(haul_stream *stream);
/* Does not block; errors as above. */
haul_status haul_stream_query(haul_stream *stream, bool *done);
/* Blocks until all work of the device is done. */
haul_status haul_device_wait(haul_device *device);

/* ---- events ---- */

/* `timed` events can tell the time between them; others cost less. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_event_create(haul_device *device, bool timed, haul_event **event);
/* Waits for nothing. NULL is allowed. */
void haul_event_free(haul_event *event);
/* The event now stands for the end of what the stream has been given so far; what it stood for before is forgotten. */
haul_status haul_event_record(haul_event *event, haul_stream *stream);
/* What the stream is given from now on waits for the event as it was last recorded. The host does not wait. */
haul_status haul_stream_wait_event(haul_stream *stream, haul_event *event);
/* Blocks until the event as last recorded has happened; one that was never recorded has. Errors: those of the work. */
haul_status haul_event_wait(haul_event *event);
haul_status haul_event_query(haul_event *event, bool *done);
/* Microseconds between two timed events that have happened: on the virtual GPU by its simulated clock. Errors:
 * HAUL_ERROR_DRIVER for events that are not timed, were never recorded or have not happened yet. */
haul_status haul_event_elapsed(haul_event *start, haul_event *end, double *us);

/* ---- graphs: a repeated pipeline, recorded once ---- */

/* From here to haul_graph_capture_end() what the stream is given is recorded, not done; streams that wait for an event
 * of the capture are drawn into it, and have to be waited for by the first one before its end. Waits of the host for
 * any of them are errors meanwhile. */
haul_status haul_graph_capture_begin(haul_stream *stream);
haul_status haul_graph_capture_end(haul_stream *stream, haul_graph **graph);
/* Queues all of it; launches of one graph are done one behind the other. */
haul_status haul_graph_launch(haul_graph *graph, haul_stream *stream);
/* Not while a launch of it is under way. NULL is allowed. */
void haul_graph_free(haul_graph *graph);

/* ---- pools: device memory in stream order ---- */

typedef struct haul_pool_usage {
    uint64_t used, used_high;         /* bytes that are given out, and the most that ever were */
    uint64_t reserved, reserved_high; /* that the pool holds of the device's memory */
    uint64_t limit;                   /* 0: none */
    size_t buffers;                   /* that are given out */
} haul_pool_usage;

/* A pool that gives out at most `limit` bytes (0: as many as there are), and keeps what comes back for the next. */
haul_status haul_pool_create(haul_device *device, uint64_t limit, haul_pool **pool);
/* A buffer that work of `stream` may use from now on, other streams behind an event of it. `label` (may be NULL) is how
 * a leak report calls it; the text must outlive the buffer. Errors: HAUL_ERROR_OUT_OF_MEMORY with what was asked for
 * and what is left. */
haul_status haul_pool_allocate(haul_pool *pool, haul_stream *stream, uint64_t bytes, const char *label,
                               haul_buffer **buffer);
/* Gives it back behind what the stream has been given so far; the buffer ends here. */
haul_status haul_pool_release(haul_buffer *buffer, haul_stream *stream);
haul_status haul_pool_usage_of(haul_pool *pool, haul_pool_usage *usage);
/* Starts high-water marks anew from what is in use. */
haul_status haul_pool_reset_high(haul_pool *pool);
/* Ends the pool, and what it still had given out: HAUL_ERROR_ARGUMENT then says how many buffers and bytes, and names
 * the largest. The device's work is waited for. NULL is allowed. */
haul_status haul_pool_free(haul_pool *pool);

/* Free and all bytes of device memory. */
haul_status haul_device_memory(haul_device *device, uint64_t *free_bytes, uint64_t *total);

/* ---- L2 ---- */

/* What L2 fetches from device memory at once: 32, 64 or 128 bytes. A hint: what the device made of it is read back. */
haul_status haul_l2_set_fetch(haul_device *device, uint32_t bytes);
haul_status haul_l2_fetch(haul_device *device, uint32_t *bytes);
/* Sets a part of L2 aside for data that persists; `set_aside` (may be NULL) gets what the device made of it. Errors:
 * HAUL_ERROR_ARGUMENT beyond what the device can set aside. */
haul_status haul_l2_set_aside(haul_device *device, uint64_t bytes, uint64_t *set_aside);
/* Kernels of the stream from now on: of their accesses to these bytes, the share `hit_ratio` (0 to 1, in sixteenths)
 * persists, the rest streams; a launch's own window comes first. With a window larger than the set-aside, a ratio of
 * set-aside / window keeps it from thrashing. 0 bytes: no window. Errors: HAUL_ERROR_ARGUMENT beyond the buffer's end,
 * or for more bytes than haul_device_properties.window_bytes. */
haul_status haul_l2_keep(haul_stream *stream, haul_buffer *buffer, uint64_t offset, uint64_t bytes, float hit_ratio);
/* What persists becomes ordinary again, when all that was launched before is done. On virtual GPUs nothing persists
 * from launch to launch without haul_device_options.keep_l2. */
haul_status haul_l2_reset(haul_device *device);

#ifdef __cplusplus
}
#endif
#endif
