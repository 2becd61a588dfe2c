/* The run of a map: one loop that issues chunks, collects them, and retires them.
 *
 * Chunk k passes through four steps, each for another chunk at the same time. start_fill(): worker threads bring its
 * items to pinned memory. issue(): copy in, kernels and copy out are queued in the slot's stream, between events.
 * collect(): waits for the last event, and lets worker threads take the output. retire(): waits for them; the slot is
 * then free for chunk k + depth. run_chunks() does all this in a fixed order on one thread, so runs are repeatable, and
 * callers' functions need no lock.
 *
 * Times of the device come from events. Times of the host's part come from the wall clock, or on the virtual GPU from
 * the machine's figures: there each engine has a time until which it is busy (free_us), and waiting for host work
 * advances the virtual clock to its end. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "lib/map/map.h"
#include "vgpu/driver.h"

#include <stdio.h>
#include <string.h>

enum { MOST_OPERATIONS = 1 << 18 }; /* of a timeline that are kept; further ones are only counted */

static double later(double a, double b) {
    return a > b ? a : b;
}

static map_slot *slot_of(const haul_mapper *m, uint64_t chunk) {
    return &m->slots[chunk % m->plan.depth];
}

/* ---- the clock and the timeline ---- */

/* Microseconds since the run began. */
static double now_us(const haul_mapper *m) {
    if (m->device->extras) return m->device->extras->now() - m->base_us;
    return (clock_seconds() - m->base_seconds) * 1e6;
}

/* False if the timeline is full, or there is no memory: then the operation is counted as omitted. */
static bool make_room(haul_mapper *m) {
    if (m->timeline.count == MOST_OPERATIONS) return false;
    haul_operation *operations =
        memory_grow(m->timeline.operations, m->timeline.count, &m->operation_capacity, sizeof *operations);
    if (operations) m->timeline.operations = operations;
    return operations != NULL;
}

void map_note(haul_mapper *m, haul_engine engine, uint64_t chunk, uint64_t bytes, double start, double end) {
    m->timeline.busy_us[engine] += end - start;
    m->timeline.bytes[engine] += bytes;
    if (make_room(m))
        m->timeline.operations[m->timeline.count++] = (haul_operation){engine, chunk, bytes, start, end};
    else
        m->timeline.omitted++;
}

/* Adds an operation of the device to the timeline, between two events. The event before it gives the time when its
 * stream reached it; the engine may still have been busy with another chunk, so it begins no earlier than the engine's
 * last end. */
static haul_status note_between(haul_mapper *m, haul_engine engine, const map_slot *s, uint64_t bytes,
                                haul_event *before, haul_event *behind) {
    double start, end;
    HAUL_TRY(haul_event_elapsed(m->base, before, &start));
    HAUL_TRY(haul_event_elapsed(m->base, behind, &end));
    start = later(start, m->last_us[engine]);
    end = later(end, start);
    m->last_us[engine] = end;
    if (end > start) map_note(m, engine, s->chunk.index, bytes, start, end);
    return HAUL_OK;
}

/* Bytes of all inputs of a chunk, halo included. */
static uint64_t input_bytes(const haul_mapper *m, const haul_chunk *c) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->map.input_count; i++) bytes += c->total * m->inputs[i].what.item_bytes;
    return bytes;
}

/* Adds the three operations of a chunk that is back. */
static haul_status note_device(haul_mapper *m, const map_slot *s) {
    HAUL_TRY(note_between(m, HAUL_ENGINE_TO_DEVICE, s, input_bytes(m, &s->chunk), s->begun, s->copied));
    if (m->map.run) HAUL_TRY(note_between(m, HAUL_ENGINE_KERNEL, s, 0, s->copied, s->computed));
    return note_between(m, HAUL_ENGINE_TO_HOST, s, s->chunk.items * m->output.what.item_bytes, s->computed, s->done);
}

/* ---- the host's part ---- */

/* Time of the host's work by the machine's figures. Copies share the threads; files have one rate. */
static double simulated_us(const haul_mapper *m, haul_engine engine, uint64_t bytes) {
    const sim_machine *machine = m->device->extras->machine(m->device->handle);
    const bool file = engine == HAUL_ENGINE_READ || engine == HAUL_ENGINE_WRITE;
    return (double)bytes / (1e3 * (file ? machine->file_gbps : machine->host_copy_gbps * m->plan.threads));
}

/* Gives a job to the threads. A caller's function is called directly, on this thread and in the order of items; the job
 * then looks like one that the threads have done. */
static haul_status give_out(haul_mapper *m, workers_job *job, map_host_work *work, bool is_function) {
    if (m->device->extras) {
        /* the threads do copies of both directions, one job after the other */
        const haul_engine lane = work->engine == HAUL_ENGINE_UNSTAGE ? HAUL_ENGINE_STAGE : work->engine;
        work->start_us = later(now_us(m), m->free_us[lane]);
        work->end_us = work->start_us + simulated_us(m, work->engine, work->bytes);
        m->free_us[lane] = work->end_us;
    }
    if (!is_function) {
        workers_submit(m->workers, job);
        return HAUL_OK;
    }
    job->start = clock_seconds();
    job->status = job->part(job->context, 0, 1);
    if (job->status != HAUL_OK) snprintf(job->message, sizeof job->message, "%s", haul_message());
    job->end = clock_seconds();
    job->parts = job->done = 1;
    job->submitted = true;
    return job->status;
}

/* Waits for a job and adds it to the timeline. One that was not submitted is done. */
static haul_status wait_for_host(haul_mapper *m, workers_job *job, map_host_work *work, uint64_t chunk) {
    const bool submitted = job->submitted;
    const haul_status status = workers_wait(m->workers, job);
    if (!submitted || status != HAUL_OK) return status;
    if (m->device->extras) {
        m->device->extras->wait_until(m->base_us + work->end_us);
    } else {
        work->start_us = (job->start - m->base_seconds) * 1e6;
        work->end_us = (job->end - m->base_seconds) * 1e6;
    }
    map_note(m, work->engine, chunk, work->bytes, work->start_us, work->end_us);
    return HAUL_OK;
}

static bool any_function(const haul_mapper *m) {
    for (size_t i = 0; i < m->map.input_count; i++)
        if (m->inputs[i].what.kind == HAUL_MAP_FUNCTION) return true;
    return false;
}

/* Returns the work of filling a chunk's inputs. One engine represents all staged inputs: reading, if any is a file. */
static map_host_work fill_work(const haul_mapper *m, const haul_chunk *c) {
    map_host_work work = {.engine = HAUL_ENGINE_STAGE};
    for (size_t i = 0; i < m->map.input_count; i++) {
        if (!m->inputs[i].staged) continue;
        work.bytes += c->total * m->inputs[i].what.item_bytes;
        if (map_input_engine(&m->inputs[i]) == HAUL_ENGINE_READ) work.engine = HAUL_ENGINE_READ;
    }
    return work;
}

/* Describes chunk k: its items, and as much halo as the array has on either side. */
static void describe_chunk(const haul_mapper *m, const map_slot *s, uint64_t k, haul_chunk *c) {
    const uint64_t first = map_chunk_start(&m->plan, k), end = map_chunk_start(&m->plan, k + 1);
    *c = (haul_chunk){.device = m->device,
                      .stream = s->stream,
                      .index = k,
                      .first = first,
                      .items = end - first,
                      .before = first < m->map.before ? first : m->map.before,
                      .after = m->plan.items - end < m->map.after ? m->plan.items - end : m->map.after,
                      .out = s->out,
                      .scratch = s->scratch};
    c->total = c->before + c->items + c->after;
    memcpy(c->in, s->in, sizeof c->in);
}

/* Begins to fill chunk k's pinned memory, once the copy out of it for the chunk before is done. */
static haul_status start_fill(haul_mapper *m, uint64_t k) {
    map_slot *s = slot_of(m, k);
    if (k >= m->plan.depth) HAUL_TRY(haul_event_wait(s->copied));
    describe_chunk(m, s, k, &s->fill_chunk);
    s->filled = fill_work(m, &s->fill_chunk);
    s->fill = (workers_job){.part = map_fill_part, .context = s, .parts = m->plan.threads};
    return give_out(m, &s->fill, &s->filled, any_function(m));
}

/* ---- the steps of a chunk ---- */

/* Queues the copies to the device: from the slot's pinned memory, or directly from the caller's. */
static haul_status copy_in(haul_mapper *m, const map_slot *s) {
    const haul_chunk *c = &s->chunk;
    for (size_t i = 0; i < m->map.input_count; i++) {
        const map_end *e = &m->inputs[i];
        const uint64_t bytes = c->total * e->what.item_bytes;
        const unsigned char *from = e->staged
                                        ? (unsigned char *)haul_host_memory(s->stage_in[i]) + map_stage_offset(e, c)
                                        : (unsigned char *)e->what.memory + (c->first - c->before) * e->what.item_bytes;
        HAUL_TRY(haul_stream_write(s->stream, s->in[i], 0, from, bytes));
    }
    return HAUL_OK;
}

/* Queues the copy of the chunk's own items, without the halo. The place in pinned memory is as far from a page as in
 * the file. */
static haul_status copy_out(haul_mapper *m, const map_slot *s) {
    const haul_chunk *c = &s->chunk;
    const map_end *e = &m->output;
    if (!e->what.item_bytes) return HAUL_OK;
    haul_buffer *from = m->map.in_place ? s->in[m->map.in_place_input] : s->out;
    const uint64_t at = c->first * e->what.item_bytes, in_page = e->what.kind == HAUL_MAP_FILE ? at % DISK_PAGE : 0;
    unsigned char *to =
        e->staged ? (unsigned char *)haul_host_memory(s->stage_out) + in_page : (unsigned char *)e->what.memory + at;
    return haul_stream_read(s->stream, from, c->before * e->what.item_bytes, to, c->items * e->what.item_bytes);
}

/* Lets the caller queue the chunk's kernels in its stream. */
static haul_status compute(haul_mapper *m, map_slot *s) {
    if (!m->map.run) return HAUL_OK;
    haul_device_use_stream(m->device, s->stream);
    const haul_status status = m->map.run(m->map.context, &s->chunk);
    haul_device_use_stream(m->device, NULL);
    return status;
}

/* Tells the caller; its answer, or haul_mapper_cancel(), ends the run with HAUL_ERROR_CANCELLED. */
static haul_status report_progress(haul_mapper *m) {
    const haul_map_progress progress = {.chunks = m->plan.chunks,
                                        .complete = m->complete_chunks,
                                        .items = m->plan.items,
                                        .complete_items = m->complete_items,
                                        .elapsed_us = now_us(m)};
    const bool goes_on = !m->map.progress || m->map.progress(m->map.progress_context, &progress);
    if (goes_on && !m->cancelled) return HAUL_OK;
    return haul_fail(HAUL_ERROR_CANCELLED, "map: cancelled after %llu of %llu chunks",
                     (unsigned long long)m->complete_chunks, (unsigned long long)m->plan.chunks);
}

/* The output is in its place. */
static void mark_complete(haul_mapper *m, const map_slot *s) {
    m->complete[s->chunk.index] = 1;
    m->complete_chunks++;
    m->complete_items += s->chunk.items;
}

/* Waits until the threads have put chunk k's output in its place. Without host work at the output collect() has done
 * so. */
static haul_status retire(haul_mapper *m, uint64_t k) {
    map_slot *s = slot_of(m, k);
    if (!m->drains) return HAUL_OK;
    HAUL_TRY(wait_for_host(m, &s->drain, &s->drained, k));
    mark_complete(m, s);
    return report_progress(m);
}

/* Queues all of chunk k on the device, after its slot is free and its inputs are filled. */
static haul_status issue(haul_mapper *m, uint64_t k) {
    map_slot *s = slot_of(m, k);
    if (k >= m->plan.depth) HAUL_TRY(retire(m, k - m->plan.depth));
    HAUL_TRY(wait_for_host(m, &s->fill, &s->filled, k));
    describe_chunk(m, s, k, &s->chunk);
    HAUL_TRY(haul_event_record(s->begun, s->stream));
    HAUL_TRY(copy_in(m, s));
    HAUL_TRY(haul_event_record(s->copied, s->stream));
    HAUL_TRY(compute(m, s));
    HAUL_TRY(haul_event_record(s->computed, s->stream));
    HAUL_TRY(copy_out(m, s));
    return haul_event_record(s->done, s->stream);
}

/* Waits until chunk k is back from the device, and lets the threads take its output. */
static haul_status collect(haul_mapper *m, uint64_t k) {
    map_slot *s = slot_of(m, k);
    HAUL_TRY(haul_event_wait(s->done));
    HAUL_TRY(note_device(m, s));
    if (!m->drains) {
        mark_complete(m, s);
        return report_progress(m);
    }
    s->drained =
        (map_host_work){.engine = map_output_engine(&m->output), .bytes = s->chunk.items * m->output.what.item_bytes};
    s->drain = (workers_job){.part = map_drain_part, .context = s, .parts = m->plan.threads};
    return give_out(m, &s->drain, &s->drained, m->output.what.kind == HAUL_MAP_FUNCTION);
}

/* How many chunks later an issued chunk is collected. The more, the less the device waits for this thread; if the host
 * has work afterwards, two slots are reserved for it. */
static uint64_t lag_of(const haul_mapper *m) {
    const uint64_t depth = m->plan.depth;
    if (depth == 1) return 0;
    return m->drains && depth > 3 ? depth - 2 : depth - 1;
}

/* Fills run up to `ahead` chunks before they are issued, collects `lag` chunks after. */
static haul_status run_chunks(haul_mapper *m) {
    const uint64_t n = m->plan.chunks, depth = m->plan.depth, ahead = depth > 2 ? depth - 2 : 0, lag = lag_of(m);
    uint64_t filled = 0;
    for (uint64_t k = 0; k < n + lag; k++) {
        for (; m->fills && k < n && filled < n && filled <= k + ahead; filled++) HAUL_TRY(start_fill(m, filled));
        if (k < n) HAUL_TRY(issue(m, k));
        if (k >= lag) HAUL_TRY(collect(m, k - lag));
    }
    for (uint64_t k = n > depth ? n - depth : 0; k < n; k++) HAUL_TRY(retire(m, k));
    return HAUL_OK;
}

/* ---- start and end ---- */

/* Sets the zero of all clocks, when the device is idle. */
static haul_status begin(haul_mapper *m) {
    HAUL_TRY(device_enter(m->device));
    HAUL_TRY(haul_device_wait(m->device));
    HAUL_TRY(haul_event_record(m->base, m->slots[0].stream));
    HAUL_TRY(haul_event_wait(m->base));
    m->base_seconds = clock_seconds();
    if (m->device->extras) m->base_us = m->device->extras->now();
    return HAUL_OK;
}

/* After a failure: waits until nothing is in flight, so that buffers can be freed. Output that the threads had finished
 * counts as complete. */
static void settle(haul_mapper *m) {
    (void)haul_device_wait(m->device);
    for (unsigned i = 0; i < m->slot_count; i++) {
        map_slot *s = &m->slots[i];
        (void)workers_wait(m->workers, &s->fill);
        const bool drained = s->drain.submitted;
        if (workers_wait(m->workers, &s->drain) == HAUL_OK && drained) mark_complete(m, s);
    }
}

/* Resets what an earlier run of the mapper left. */
static void forget(haul_mapper *m) {
    memory_free(m->timeline.operations);
    m->timeline = (haul_timeline){.stamp = m->device->extras ? HAUL_SIMULATED : HAUL_MEASURED,
                                  .machine = m->device->extras ? m->device->extras->machine(m->device->handle)->name
                                                               : m->device->product};
    m->operation_capacity = 0;
    m->complete_chunks = m->complete_items = 0;
    memset(m->free_us, 0, sizeof m->free_us);
    memset(m->last_us, 0, sizeof m->last_us);
    memset(m->complete, 0, m->plan.chunks + 1);
    for (unsigned i = 0; i < m->slot_count; i++) m->slots[i].fill.submitted = m->slots[i].drain.submitted = false;
}

/* Lists the complete chunks as ranges of items; adjacent ones become one. */
static haul_status list_complete(const haul_mapper *m, haul_map_report *r) {
    size_t ranges = 0;
    for (uint64_t k = 0; k < m->plan.chunks; k++) ranges += m->complete[k] && (k == 0 || !m->complete[k - 1]);
    r->complete = memory_zeroed(ranges, sizeof *r->complete);
    if (!r->complete) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "map: no memory for its report");
    for (uint64_t k = 0; k < m->plan.chunks; k++) {
        if (!m->complete[k]) continue;
        const uint64_t first = map_chunk_start(&m->plan, k), end = map_chunk_start(&m->plan, k + 1);
        if (k == 0 || !m->complete[k - 1]) r->complete[r->complete_count++].first = first;
        r->complete[r->complete_count - 1].items += end - first;
    }
    return HAUL_OK;
}

/* Hands the timeline to the caller. */
static haul_status report(haul_mapper *m, haul_map_report *r) {
    if (!r) return HAUL_OK;
    *r = (haul_map_report){.items = m->plan.items,
                           .chunks = m->plan.chunks,
                           .chunk_items = m->plan.chunk,
                           .depth = m->plan.depth,
                           .threads = m->plan.threads,
                           .device_bytes = m->plan.device_bytes,
                           .host_bytes = m->plan.host_bytes,
                           .complete_chunks = m->complete_chunks,
                           .timeline = m->timeline};
    m->timeline.operations = NULL;
    return list_complete(m, r);
}

/* The first error is the one reported. */
static haul_status keep_message(haul_status status, const char *message) {
    return status == HAUL_OK ? HAUL_OK : haul_fail(status, "%s", message);
}

/* Between opening and closing the output. */
static haul_status run_between(haul_mapper *m) {
    char message[1024] = "";
    haul_status status = m->plan.chunks ? begin(m) : HAUL_OK;
    if (status == HAUL_OK) status = run_chunks(m);
    if (status != HAUL_OK) {
        snprintf(message, sizeof message, "%s", haul_message());
        settle(m);
    }
    m->timeline.elapsed_us = m->plan.chunks ? now_us(m) : 0;
    return keep_message(status, message);
}

/* The report is made also after a failure. The output is closed in any case; only a whole one gets its name. */
haul_status haul_mapper_run(haul_mapper *m, haul_map_report *r) {
    char message[1024];
    if (r) *r = (haul_map_report){0};
    forget(m);
    m->cancelled = false;
    haul_status status = map_open_output(m, &m->output);
    if (status == HAUL_OK) status = run_between(m);
    snprintf(message, sizeof message, "%s", haul_message());
    const haul_status closed = map_close_output(m, &m->output, status == HAUL_OK);
    if (status == HAUL_OK && closed != HAUL_OK) {
        status = closed;
        snprintf(message, sizeof message, "%s", haul_message());
    }
    const haul_status reported = report(m, r);
    return status == HAUL_OK ? reported : keep_message(status, message);
}
