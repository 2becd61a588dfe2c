/* Overlapping host and device: streams, events, host memory, pools, graphs, and L2 residency.
 *
 * Functions do not block unless they say so. Work of one stream is done in the order in which it was queued. Events
 * order streams among each other, and some streams are ordered with the default stream. On the virtual GPU a copy reads
 * its source and writes its destination only when somebody waits for it, so that a missing wait shows on every run.
 *
 * A kernel's fault in a stream is reported by the next wait, and by all later calls for streams of that device. As on
 * hardware, the device must be opened again. Free objects before closing their device; only host memory is freed with
 * it. */
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
    HAUL_HOST_PINNED,         /* the device copies directly from and to it; kernels can access it too */
    HAUL_HOST_WRITE_COMBINED, /* pinned; the host should only write it, in order: reading it is very slow */
    HAUL_HOST_MANAGED /* not pinned: a GPU migrates its pages to the user. The host uses it only while no work does */
} haul_host_kind;

/* Allocates `bytes` > 0 that host and kernels reach at one address, see haul_host_view(); aligned to a page, contents
 * undefined. Blocks while pages are pinned (about 0.3 ms a MiB), so allocate once. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_host_create(haul_device *device, uint64_t bytes, haul_host_kind kind, haul_host **host);
/* Pins existing memory until haul_host_free(). Errors: HAUL_ERROR_ARGUMENT if it is already pinned. */
haul_status haul_host_register(haul_device *device, void *memory, uint64_t bytes, haul_host **host);
/* Waits for all of the device's work, then frees memory that haul allocated. NULL is allowed. */
void haul_host_free(haul_host *host);
void *haul_host_memory(const haul_host *host);
uint64_t haul_host_bytes(const haul_host *host);
/* Whether all bytes lie in pinned memory of the device. */
bool haul_host_is_pinned(const haul_device *device, const void *memory, uint64_t bytes);
/* Copies out of, or into, the memory from byte `offset` on, in the calling thread. A virtual GPU's clock advances by
 * the time that this takes on a typical host: reading write-combined memory takes fifty times as long as other memory.
 * Errors: HAUL_ERROR_ARGUMENT beyond the memory's end. */
haul_status haul_host_read(haul_host *host, uint64_t offset, void *to, uint64_t bytes);
haul_status haul_host_write(haul_host *host, uint64_t offset, const void *from, uint64_t bytes);
/* Computes on the host while the device works: calls `function` (NULL: none) in the calling thread, without waiting for
 * the device. A virtual GPU's clock advances by `us`, the microseconds that this is said to take. Errors:
 * HAUL_ERROR_ARGUMENT for a time below 0. */
haul_status haul_host_compute(haul_device *device, double us, void (*function)(void *), void *data);
/* The memory as an argument of kernels, which access it over the host link, uncached from launch to launch (zero-copy).
 * Its address is the host's if the device has haul_device_properties.unified_addresses, as all virtual ones have. The
 * view lives as long as `host` and is not freed. */
haul_buffer *haul_host_view(haul_host *host);

/* ---- streams ---- */

/* Creates a stream that is independent of all others. priority: 0, or negative for more urgent work (down to the
 * device's limit, -5). Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_stream_create(haul_device *device, int priority, haul_stream **stream);
/* Creates a stream that is ordered with the default stream, as CUDA's streams are unless created non-blocking: its work
 * waits for what was queued to the default stream before, and the default stream's work waits for this one's. */
haul_status haul_stream_create_ordered(haul_device *device, int priority, haul_stream **stream);
/* The default stream (CUDA's legacy one). It takes work that names no stream, such as haul_buffer_write(). Its work
 * waits for everything queued to ordered streams before; streams of haul_stream_create() are not affected. The device
 * owns it. A virtual GPU does its work in the call that queues it, but places it in order on its clock. */
haul_status haul_stream_default(haul_device *device, haul_stream **stream);
/* Work already queued is still done. NULL and the default stream are allowed; the latter stays. */
void haul_stream_free(haul_stream *stream);

/* Copy between host memory and a buffer. Pageable memory is copied before the call returns, which blocks until the
 * stream reaches the copy. Pinned memory must stay allocated and unchanged until the copy is done. Errors:
 * HAUL_ERROR_ARGUMENT beyond the buffer's end. */
haul_status haul_stream_write(haul_stream *stream, haul_buffer *buffer, uint64_t offset, const void *host,
                              uint64_t bytes);
haul_status haul_stream_read(haul_stream *stream, haul_buffer *buffer, uint64_t offset, void *host, uint64_t bytes);
/* Copy between buffers, of which one may be of another device (haul_devices_open()), and set each byte to `value`.
 * Copies between devices that are no peers go through the host. Errors as above. */
haul_status haul_stream_copy(haul_stream *stream, haul_buffer *to, uint64_t to_offset, haul_buffer *from,
                             uint64_t from_offset, uint64_t bytes);
haul_status haul_stream_fill(haul_stream *stream, haul_buffer *buffer, uint64_t offset, uint8_t value, uint64_t bytes);
/* Queues a launch. Errors: those of haul_launch_run() that are known at once; the wait reports faults. */
haul_status haul_stream_launch(haul_stream *stream, haul_module *module, const haul_launch *launch);
/* From now on haul_launch_run(), and functions that use it (the kernels of haul/kernels.h), queue launches in the
 * stream without waiting. A `run` that such a launch is given gets a record with the launch's shape at once, and the
 * rest when somebody has waited for the launch; it must live until then. NULL restores the initial state. */
void haul_device_use_stream(haul_device *device, haul_stream *stream);
/* Calls `function` on the host after everything queued before is done; the stream continues when it has returned. It
 * runs on a thread of the driver and must not call haul or CUDA; it is not called after a fault. */
haul_status haul_stream_call(haul_stream *stream, void (*function)(void *), void *data);

/* Blocks until the stream's work is done. Errors: those of the work (HAUL_ERROR_FAULT and the like). */
haul_status haul_stream_wait(haul_stream *stream);
/* Does not block; errors as above. */
haul_status haul_stream_query(haul_stream *stream, bool *done);
/* Blocks until all work of the device is done. */
haul_status haul_device_wait(haul_device *device);

/* ---- peers: devices that access each other's memory, over NVLink or PCIe ---- */

/* Whether kernels of `device` may be given access to memory of `peer`; false for one device, and for virtual GPUs that
 * were not opened together. Copies need no access, but are slow where it is impossible. */
bool haul_device_can_reach(const haul_device *device, const haul_device *peer);
/* Gives kernels of `device` access to all buffers of `peer`, or takes it back once their work is done. Pools have
 * access of their own (haul_pool_let()). Copies between the two then take the direct path. Repeating a call changes
 * nothing. Errors: HAUL_ERROR_UNSUPPORTED if it is impossible. */
haul_status haul_device_reach(haul_device *device, haul_device *peer, bool reaches);

/* ---- events ---- */

/* Creates an event. `timed` events measure the time between them; others cost less. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_event_create(haul_device *device, bool timed, haul_event **event);
/* Does not wait. NULL is allowed. */
void haul_event_free(haul_event *event);
/* Makes the event mark the end of all work queued to the stream so far, instead of its earlier mark. */
haul_status haul_event_record(haul_event *event, haul_stream *stream);
/* Makes work queued to the stream from now on wait for the event as last recorded. The host does not wait. */
haul_status haul_stream_wait_event(haul_stream *stream, haul_event *event);
/* Blocks until the event as last recorded has happened; an event that was never recorded has happened. Errors: those of
 * the work. */
haul_status haul_event_wait(haul_event *event);
haul_status haul_event_query(haul_event *event, bool *done);
/* Gets the microseconds between two timed events that have happened, on the virtual GPU by its simulated clock. Errors:
 * HAUL_ERROR_DRIVER if an event is not timed, was never recorded or has not happened yet. */
haul_status haul_event_elapsed(haul_event *start, haul_event *end, double *us);

/* ---- graphs: record a repeated pipeline once ---- */

/* Between begin and end, work queued to the stream is recorded, not done. A stream that waits for an event of the
 * capture joins it, and the first stream must wait for it before the end. Host waits for any of these streams fail
 * during the capture. */
haul_status haul_graph_capture_begin(haul_stream *stream);
haul_status haul_graph_capture_end(haul_stream *stream, haul_graph **graph);
/* Queues the graph's work; launches of one graph run one after the other. */
haul_status haul_graph_launch(haul_graph *graph, haul_stream *stream);
/* Not allowed while a launch of it runs. NULL is allowed. */
void haul_graph_free(haul_graph *graph);

/* ---- pools: device memory in stream order ---- */

typedef struct haul_pool_usage {
    uint64_t used, used_high;         /* bytes allocated, now and at most */
    uint64_t reserved, reserved_high; /* bytes of device memory that the pool holds, now and at most */
    uint64_t limit;                   /* 0: none */
    size_t buffers;                   /* allocated */
} haul_pool_usage;

/* Creates a pool that allocates at most `limit` bytes (0: no limit), and keeps released memory for reuse. */
haul_status haul_pool_create(haul_device *device, uint64_t limit, haul_pool **pool);
/* Allocates a buffer that work of `stream` may use from now on; other streams may after waiting for an event of
 * `stream`. `label` (may be NULL) names it in a leak report; the text must outlive the buffer. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY; the message says how much was requested and how much is left. */
haul_status haul_pool_allocate(haul_pool *pool, haul_stream *stream, uint64_t bytes, const char *label,
                               haul_buffer **buffer);
/* Releases the buffer after the work queued to the stream so far; the handle is invalid from now on. */
haul_status haul_pool_release(haul_buffer *buffer, haul_stream *stream);
/* Lets kernels and copies of `peer` access all buffers of the pool, those to come included, or not any more. Errors:
 * HAUL_ERROR_UNSUPPORTED if it is impossible. */
haul_status haul_pool_let(haul_pool *pool, haul_device *peer, bool reaches);
haul_status haul_pool_usage_of(haul_pool *pool, haul_pool_usage *usage);
/* Sets the high-water marks to the present use. */
haul_status haul_pool_reset_high(haul_pool *pool);
/* Frees the pool and the buffers that are still allocated: HAUL_ERROR_ARGUMENT then says how many buffers and bytes,
 * and names the largest. Waits for the device's work. NULL is allowed. */
haul_status haul_pool_free(haul_pool *pool);

/* Gets the free and the total bytes of device memory. */
haul_status haul_device_memory(haul_device *device, uint64_t *free_bytes, uint64_t *total);

/* ---- L2 ---- */

/* The unit that L2 fetches from device memory: 32, 64 or 128 bytes. It is a hint: read back what the device chose. */
haul_status haul_l2_set_fetch(haul_device *device, uint32_t bytes);
haul_status haul_l2_fetch(haul_device *device, uint32_t *bytes);
/* Sets a part of L2 aside for persisting data; `set_aside` (may be NULL) gets the size that the device chose. Errors:
 * HAUL_ERROR_ARGUMENT beyond what the device can set aside. */
haul_status haul_l2_set_aside(haul_device *device, uint64_t bytes, uint64_t *set_aside);
/* Sets the window of the stream's later kernels: a share `hit_ratio` (0 to 1, in sixteenths) of their accesses to these
 * bytes persists, the rest streams. A launch's own window takes precedence. If the window is larger than the set-aside,
 * a ratio of set-aside / window avoids thrashing. 0 bytes: no window. Errors: HAUL_ERROR_ARGUMENT beyond the buffer's
 * end, or for more bytes than haul_device_properties.window_bytes. */
haul_status haul_l2_keep(haul_stream *stream, haul_buffer *buffer, uint64_t offset, uint64_t bytes, float hit_ratio);
/* Makes persisting lines normal again, once all earlier launches are done. On virtual GPUs nothing persists from launch
 * to launch without haul_device_options.keep_l2. */
haul_status haul_l2_reset(haul_device *device);

#ifdef __cplusplus
}
#endif
#endif
