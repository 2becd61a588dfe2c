/* Streams, events and graphs: thin layers over the driver's, with checked ranges and messages. <haul/stream.h> has the
 * contracts.
 *
 * Most functions check their arguments, make the device's context current, call the driver and turn its answer into a
 * status. A launch has no stream among its arguments: haul_device_use_stream() sets that of the device, in which all
 * launches and functions of shipped kernels go until it is set again. */
#include "lib/stream.h"

#include "base/memory.h"
#include "base/status.h"

/* "Not ready" is an answer, not an error. */
/* Evaluates the driver's answer to a query: sets *done, or returns the error. */
static haul_status read_answer(const haul_device *d, CUresult result, bool *done) {
    *done = result == CUDA_SUCCESS;
    return result == CUDA_NOT_READY ? HAUL_OK : device_check(d, result, "looking whether work is done");
}

/* ---- streams ---- */

/* flags 0: the stream is ordered with the default stream. */
static haul_status create(haul_device *d, unsigned flags, int priority, haul_stream **stream) {
    *stream = NULL;
    haul_stream *s = memory_zeroed(1, sizeof *s);
    if (!s) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "stream: no memory for it");
    s->device = d;
    haul_status status = device_enter(d);
    if (status == HAUL_OK)
        status = device_check(d, d->driver->stream_create(&s->handle, flags, priority), "creating a stream");
    if (status != HAUL_OK) {
        memory_free(s);
        return status;
    }
    *stream = s;
    return HAUL_OK;
}

/* Non-blocking: the stream and the default stream do not wait for each other. */
haul_status haul_stream_create(haul_device *d, int priority, haul_stream **stream) {
    return create(d, DRIVER_STREAM_NON_BLOCKING, priority, stream);
}

haul_status haul_stream_create_ordered(haul_device *d, int priority, haul_stream **stream) {
    return create(d, 0, priority, stream);
}

/* The device owns it; haul_stream_free() leaves it alone. */
haul_status haul_stream_default(haul_device *d, haul_stream **stream) {
    if (!d->default_stream) d->default_stream = memory_zeroed(1, sizeof *d->default_stream);
    *stream = d->default_stream;
    if (!*stream) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "stream: no memory for it");
    **stream = (haul_stream){.device = d, .handle = DRIVER_STREAM_LEGACY};
    return HAUL_OK;
}

/* A stream in use for launches is taken out of use, or the next launch would go to a stream that is gone. */
void haul_stream_free(haul_stream *s) {
    if (!s || s == s->device->default_stream) return;
    if (s->device->stream == s->handle) s->device->stream = NULL;
    if (device_enter(s->device) == HAUL_OK) s->device->driver->stream_destroy(s->handle);
    memory_free(s);
}

/* Copies of 0 bytes do nothing, also with pointers that are NULL. */
haul_status haul_stream_write(haul_stream *s, haul_buffer *b, uint64_t offset, const void *host, uint64_t bytes) {
    HAUL_TRY(buffer_check_range(b, offset, bytes));
    if (bytes == 0) return HAUL_OK;
    HAUL_TRY(device_enter(s->device));
    return device_check(s->device, s->device->driver->copy_to_device_async(b->address + offset, host, bytes, s->handle),
                        "copying to the device");
}

haul_status haul_stream_read(haul_stream *s, haul_buffer *b, uint64_t offset, void *host, uint64_t bytes) {
    HAUL_TRY(buffer_check_range(b, offset, bytes));
    if (bytes == 0) return HAUL_OK;
    HAUL_TRY(device_enter(s->device));
    return device_check(s->device, s->device->driver->copy_to_host_async(host, b->address + offset, bytes, s->handle),
                        "copying to the host");
}

haul_status haul_stream_copy(haul_stream *s, haul_buffer *to, uint64_t to_offset, haul_buffer *from,
                             uint64_t from_offset, uint64_t bytes) {
    HAUL_TRY(buffer_check_range(to, to_offset, bytes));
    HAUL_TRY(buffer_check_range(from, from_offset, bytes));
    if (bytes == 0) return HAUL_OK;
    const haul_device *d = s->device;
    const CUdeviceptr target = to->address + to_offset, source = from->address + from_offset;
    HAUL_TRY(device_enter(d));
    if (to->device == from->device)
        return device_check(d, d->driver->copy_on_device_async(target, source, bytes, s->handle),
                            "copying on the device");
    return device_check(
        d, d->driver->copy_peer_async(target, to->device->context, source, from->device->context, bytes, s->handle),
        "copying from device to device");
}

/* Every byte gets `value`. */
haul_status haul_stream_fill(haul_stream *s, haul_buffer *b, uint64_t offset, uint8_t value, uint64_t bytes) {
    HAUL_TRY(buffer_check_range(b, offset, bytes));
    if (bytes == 0) return HAUL_OK;
    HAUL_TRY(device_enter(s->device));
    return device_check(s->device, s->device->driver->fill_bytes_async(b->address + offset, value, bytes, s->handle),
                        "filling memory");
}

/* NULL: the default stream, where launches are waited for. */
void haul_device_use_stream(haul_device *d, haul_stream *s) {
    d->stream = s ? s->handle : NULL;
}

/* The device's own stream is the same afterwards. */
haul_status haul_stream_launch(haul_stream *s, haul_module *module, const haul_launch *launch) {
    haul_device *d = s->device;
    CUstream before = d->stream;
    d->stream = s->handle;
    haul_status status = haul_launch_run(module, launch, NULL);
    d->stream = before;
    return status;
}

/* The function must not call the driver: the driver forbids that. */
haul_status haul_stream_call(haul_stream *s, void (*function)(void *), void *data) {
    HAUL_TRY(device_enter(s->device));
    return device_check(s->device, s->device->driver->stream_host(s->handle, function, data), "queueing a call");
}

haul_status haul_stream_wait(haul_stream *s) {
    HAUL_TRY(device_enter(s->device));
    return device_check(s->device, s->device->driver->stream_synchronize(s->handle), "waiting for a stream");
}

haul_status haul_stream_query(haul_stream *s, bool *done) {
    *done = false;
    HAUL_TRY(device_enter(s->device));
    return read_answer(s->device, s->device->driver->stream_query(s->handle), done);
}

/* Waits for all streams of the context. */
haul_status haul_device_wait(haul_device *d) {
    HAUL_TRY(device_enter(d));
    return device_check(d, d->driver->synchronize(), "waiting for the device");
}

/* ---- events ---- */

/* An event that is not timed costs the driver less. */
haul_status haul_event_create(haul_device *d, bool timed, haul_event **event) {
    *event = NULL;
    haul_event *e = memory_zeroed(1, sizeof *e);
    if (!e) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "event: no memory for it");
    e->device = d;
    haul_status status = device_enter(d);
    if (status == HAUL_OK)
        status = device_check(d, d->driver->event_create(&e->handle, timed ? 0 : DRIVER_EVENT_DISABLE_TIMING),
                              "creating an event");
    if (status != HAUL_OK) {
        memory_free(e);
        return status;
    }
    *event = e;
    return HAUL_OK;
}

void haul_event_free(haul_event *e) {
    if (!e) return;
    if (device_enter(e->device) == HAUL_OK) e->device->driver->event_destroy(e->handle);
    memory_free(e);
}

/* The event happens when the stream has done what it got so far. */
haul_status haul_event_record(haul_event *e, haul_stream *s) {
    HAUL_TRY(device_enter(e->device));
    return device_check(e->device, e->device->driver->event_record(e->handle, s->handle), "recording an event");
}

/* Only the device waits; the call returns at once. */
haul_status haul_stream_wait_event(haul_stream *s, haul_event *e) {
    HAUL_TRY(device_enter(s->device));
    return device_check(s->device, s->device->driver->stream_wait(s->handle, e->handle, 0),
                        "making a stream wait for an event");
}

haul_status haul_event_wait(haul_event *e) {
    HAUL_TRY(device_enter(e->device));
    return device_check(e->device, e->device->driver->event_synchronize(e->handle), "waiting for an event");
}

haul_status haul_event_query(haul_event *e, bool *done) {
    *done = false;
    HAUL_TRY(device_enter(e->device));
    return read_answer(e->device, e->device->driver->event_query(e->handle), done);
}

/* The driver counts in milliseconds as a float. */
haul_status haul_event_elapsed(haul_event *start, haul_event *end, double *us) {
    float ms = 0;
    *us = 0;
    HAUL_TRY(device_enter(start->device));
    HAUL_TRY(device_check(start->device, start->device->driver->event_elapsed(&ms, start->handle, end->handle),
                          "reading the time between events"));
    *us = (double)ms * 1e3;
    return HAUL_OK;
}

/* ---- graphs ---- */

struct haul_graph {
    haul_device *device;
    CUgraphExec handle;
};

/* Thread-local: other threads may make any calls during the capture. */
haul_status haul_graph_capture_begin(haul_stream *s) {
    HAUL_TRY(device_enter(s->device));
    return device_check(s->device, s->device->driver->capture_begin(s->handle, DRIVER_CAPTURE_THREAD_LOCAL),
                        "beginning a capture");
}

/* The captured graph is only needed to make the executable one. */
haul_status haul_graph_capture_end(haul_stream *s, haul_graph **graph) {
    const driver_table *driver = s->device->driver;
    CUgraph captured = NULL;
    *graph = NULL;
    HAUL_TRY(device_enter(s->device));
    HAUL_TRY(device_check(s->device, driver->capture_end(s->handle, &captured), "ending a capture"));
    haul_graph *g = memory_zeroed(1, sizeof *g);
    haul_status status =
        g ? device_check(s->device, driver->graph_instantiate(&g->handle, captured, 0), "making a graph of a capture")
          : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "graph: no memory for it");
    driver->graph_destroy(captured);
    if (status != HAUL_OK) {
        memory_free(g);
        return status;
    }
    g->device = s->device;
    *graph = g;
    return HAUL_OK;
}

/* A graph can be launched any number of times. */
haul_status haul_graph_launch(haul_graph *g, haul_stream *s) {
    HAUL_TRY(device_enter(g->device));
    return device_check(g->device, g->device->driver->graph_launch(g->handle, s->handle), "launching a graph");
}

void haul_graph_free(haul_graph *g) {
    if (!g) return;
    if (device_enter(g->device) == HAUL_OK) g->device->driver->executable_destroy(g->handle);
    memory_free(g);
}
