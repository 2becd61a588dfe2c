/* The run of a map: one loop that deals chunks to lanes, issues them, collects them, and retires them.
 *
 * A chunk passes through four steps, each for another chunk at the same time. FILL: worker threads bring its items to
 * pinned memory. ISSUE: copy in, kernels and copy out are queued in the slot's stream, between events. COLLECT: waits
 * for the last event, and lets worker threads take the output. RETIRE: waits for them; the slot is then free for a
 * later chunk. For each lane these steps come in one fixed order (next_step()). With several lanes run_chunks() always
 * takes the lane whose next step need not wait, or is the first that need not; a lane that is faster gets more chunks
 * so. All happens on one thread, so callers' functions need no lock.
 *
 * On the virtual GPU the time of each step is known before (timeline.c), so runs are repeatable. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "lib/map/map.h"
#include "vgpu/driver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* `k`: counts the lane's chunks. */
static map_slot *slot_of(const haul_mapper *m, const map_lane *lane, uint64_t k) {
    return &lane->slots[k % m->plan.depth];
}

static bool any_function(const haul_mapper *m) {
    for (size_t i = 0; i < m->map.input_count; i++)
        if (m->inputs[i].what.kind == HAUL_MAP_FUNCTION) return true;
    return false;
}

/* Returns the work of filling a chunk's inputs. One engine represents all staged inputs: reading, if any is a file. */
static map_host_work fill_work(const haul_mapper *m, const map_slot *s) {
    map_host_work work = {.engine = HAUL_ENGINE_STAGE};
    for (size_t i = 0; i < m->map.input_count; i++) {
        if (!map_end_has_host_work(&m->inputs[i])) continue;
        work.bytes += (s->fill_chunk.total - map_skip_of(s, i, s->fill_skip)) * m->inputs[i].what.item_bytes;
        if (map_input_engine(&m->inputs[i]) == HAUL_ENGINE_READ) work.engine = HAUL_ENGINE_READ;
    }
    return work;
}

static uint64_t cufile_bytes(const haul_mapper *m, const haul_chunk *c) {
    uint64_t bytes = m->output.by_cufile ? c->items * m->output.what.item_bytes : 0;
    for (size_t i = 0; i < m->map.input_count; i++)
        if (m->inputs[i].by_cufile) bytes += c->total * m->inputs[i].what.item_bytes;
    return bytes;
}

/* Describes chunk k: its items, and as much halo as the array has on either side. */
static void describe_chunk(const haul_mapper *m, const map_slot *s, uint64_t k, haul_chunk *c) {
    const uint64_t first = map_chunk_start(&m->plan, k), end = map_chunk_start(&m->plan, k + 1);
    *c = (haul_chunk){.device = s->lane->device,
                      .device_index = s->lane->index,
                      .stream = s->stream,
                      .index = k,
                      .first = first,
                      .items = end - first,
                      .before = first < m->map.before ? first : m->map.before,
                      .after = m->map.items - end < m->map.after ? m->map.items - end : m->map.after,
                      .out = s->out,
                      .scratch = s->scratch};
    c->total = c->before + c->items + c->after;
    memcpy(c->in, s->in, sizeof c->in);
}

/* Skips chunks that an earlier run has completed. False: all chunks are dealt. */
static bool has_next(haul_mapper *m) {
    for (; m->next < m->plan.chunks && m->complete[m->next]; m->next++) m->dealt = NULL;
    return m->next < m->plan.chunks;
}

/* Deals the next chunk to the lane, and begins to fill its pinned memory, once the copy out of it for the chunk before
 * is done. */
static haul_status fill(haul_mapper *m, map_lane *lane) {
    map_slot *s = slot_of(m, lane, lane->filled);
    if (lane->filled >= m->plan.depth) HAUL_TRY(haul_event_wait(s->copied));
    describe_chunk(m, s, m->next++, &s->fill_chunk);
    map_deal_halo(s, &s->fill_chunk);
    lane->filled++;
    s->filled = fill_work(m, s);
    s->fill = (workers_job){.part = map_fill_part, .context = s, .parts = m->plan.threads};
    return map_give_out(m, &s->fill, &s->filled, any_function(m));
}

/* ---- the steps of a chunk ---- */

/* Queues the copies to the device: from the slot's pinned memory, or directly from the caller's. */
static haul_status copy_in(haul_mapper *m, map_slot *s) {
    const haul_chunk *c = &s->chunk;
    HAUL_TRY(map_begin_halo(s));
    for (size_t i = 0; i < m->map.input_count; i++) {
        const map_end *e = &m->inputs[i];
        if (e->by_cufile) continue;
        const uint64_t item = e->what.item_bytes, skip = map_skip_of(s, i, s->skip) * item;
        const unsigned char *from = e->staged
                                        ? (unsigned char *)haul_host_memory(s->stage_in[i]) + map_stage_offset(e, c)
                                        : (unsigned char *)e->what.memory + (c->first - c->before) * item;
        HAUL_TRY(haul_stream_write(s->stream, s->in[i], skip, from + skip, c->total * item - skip));
    }
    for (size_t i = 0; i < m->map.input_count; i++) HAUL_TRY(map_copy_halo(s, i));
    return HAUL_OK;
}

/* Queues the copy of the chunk's own items, without the halo. The place in pinned memory is as far from a page as in
 * the file. */
static haul_status copy_out(haul_mapper *m, const map_slot *s) {
    const haul_chunk *c = &s->chunk;
    const map_end *e = &m->output;
    if (!e->what.item_bytes || e->by_cufile) return HAUL_OK;
    haul_buffer *from = map_output_buffer(s);
    const uint64_t at = c->first * e->what.item_bytes, in_page = e->what.kind == HAUL_MAP_FILE ? at % DISK_PAGE : 0;
    unsigned char *to =
        e->staged ? (unsigned char *)haul_host_memory(s->stage_out) + in_page : (unsigned char *)e->what.memory + at;
    return haul_stream_read(s->stream, from, c->before * e->what.item_bytes, to, c->items * e->what.item_bytes);
}

/* Lets the caller queue the chunk's kernels in its stream. */
static haul_status compute(haul_mapper *m, map_slot *s) {
    if (!m->map.run) return HAUL_OK;
    haul_device_use_stream(s->lane->device, s->stream);
    const haul_status status = m->map.run(m->map.context, &s->chunk);
    haul_device_use_stream(s->lane->device, NULL);
    return status;
}

/* Tells the caller; its answer, or haul_mapper_cancel(), ends the run with HAUL_ERROR_CANCELLED. */
static haul_status report_progress(haul_mapper *m) {
    const haul_map_progress progress = {.chunks = m->plan.chunks,
                                        .complete = m->complete_chunks,
                                        .items = m->plan.items,
                                        .complete_items = m->complete_items,
                                        .elapsed_us = map_now_us(m)};
    const bool goes_on = !m->map.progress || m->map.progress(m->map.progress_context, &progress);
    if (goes_on && !m->cancelled) return HAUL_OK;
    return haul_fail(HAUL_ERROR_CANCELLED, "map: cancelled after %llu of %llu chunks",
                     (unsigned long long)m->complete_chunks, (unsigned long long)m->plan.chunks);
}

/* The output is in its place. */
static haul_status mark_complete(haul_mapper *m, const map_slot *s) {
    m->complete[s->chunk.index] = 1;
    m->complete_chunks++;
    m->complete_items += s->chunk.items;
    m->cufile_bytes += cufile_bytes(m, &s->chunk);
    s->lane->done.chunks++;
    s->lane->done.items += s->chunk.items;
    return map_account_note(m, s->chunk.first, s->chunk.items);
}

/* Waits until the threads have put the output of the lane's oldest chunk in its place. Without host work at the output
 * collect() has done so. */
static haul_status retire(haul_mapper *m, map_lane *lane) {
    map_slot *s = slot_of(m, lane, lane->retired++);
    if (!m->drains) return HAUL_OK;
    HAUL_TRY(map_wait_for_host(m, &s->drain, &s->drained, s->chunk.index));
    HAUL_TRY(mark_complete(m, s));
    return report_progress(m);
}

/* Queues all of the lane's next chunk on the device, after its slot is free and its inputs are filled. Without host
 * work at the inputs the chunk is dealt now. */
static haul_status issue(haul_mapper *m, map_lane *lane) {
    map_slot *s = slot_of(m, lane, lane->issued);
    if (lane->retired + m->plan.depth <= lane->issued) HAUL_TRY(retire(m, lane));
    if (m->fills) HAUL_TRY(map_wait_for_host(m, &s->fill, &s->filled, s->fill_chunk.index));
    describe_chunk(m, s, m->fills ? s->fill_chunk.index : m->next++, &s->chunk);
    if (!m->fills) map_deal_halo(s, &s->chunk);
    lane->issued++;
    HAUL_TRY(haul_event_record(s->begun, s->stream));
    HAUL_TRY(copy_in(m, s));
    HAUL_TRY(haul_event_record(s->copied, s->stream));
    map_end_halo(s);
    HAUL_TRY(compute(m, s));
    HAUL_TRY(haul_event_record(s->computed, s->stream));
    HAUL_TRY(copy_out(m, s));
    return haul_event_record(s->done, s->stream);
}

static bool takes_in_order(const haul_mapper *m) {
    return m->drains && m->output.what.kind == HAUL_MAP_FUNCTION;
}

/* Waits until the lane's oldest chunk on the device is back, and lets the threads take its output. */
static haul_status collect(haul_mapper *m, map_lane *lane) {
    map_slot *s = slot_of(m, lane, lane->collected);
    HAUL_TRY(haul_event_wait(s->done));
    HAUL_TRY(map_note_device(m, s));
    lane->collected++;
    if (!m->drains) {
        HAUL_TRY(mark_complete(m, s));
        return report_progress(m);
    }
    s->drained =
        (map_host_work){.engine = map_output_engine(&m->output), .bytes = s->chunk.items * m->output.what.item_bytes};
    s->drain = (workers_job){.part = map_drain_part, .context = s, .parts = m->plan.threads};
    m->next_out = s->chunk.index + 1;
    return map_give_out(m, &s->drain, &s->drained, takes_in_order(m));
}

/* ---- the order of steps ---- */

typedef enum map_step { FILL, ISSUE, COLLECT, RETIRE, DONE } map_step;

/* Returns how many chunks are filled before they are issued. Fills that go to the device's buffers have half of the
 * slots. */
static uint64_t ahead_of(const haul_mapper *m) {
    const uint64_t depth = m->plan.depth;
    if (m->fills_device) return depth > 1 ? depth / 2 - 1 : 0;
    return depth > 2 ? depth - 2 : 0;
}

/* Returns how many chunks later an issued chunk is collected. The more, the less the device waits for this thread. If
 * the host has work afterwards, two slots are reserved for it. */
static uint64_t lag_of(const haul_mapper *m) {
    const uint64_t depth = m->plan.depth;
    if (depth == 1) return 0;
    if (m->fills_device) return 1;
    return m->drains && depth > 3 ? depth - 2 : depth - 1;
}

/* The step that a fill of the lane's next chunk has to come after: a fill that goes to the device's buffers waits until
 * the chunk that had the slot before is retired. FILL: none. */
static map_step before_fill(const haul_mapper *m, const map_lane *lane) {
    if (!m->fills_device || lane->filled < lane->retired + m->plan.depth) return FILL;
    return lane->retired < lane->collected ? RETIRE : COLLECT;
}

/* Fills run up to ahead_of() chunks before they are issued, collects lag_of() chunks after. */
static map_step next_step(haul_mapper *m, const map_lane *lane) {
    const bool more = has_next(m);
    if (lane->collected + lag_of(m) < lane->issued) return COLLECT;
    if (m->fills && more && lane->filled <= lane->issued + ahead_of(m)) return before_fill(m, lane);
    if (m->fills ? lane->issued < lane->filled : more) return ISSUE;
    if (lane->collected < lane->issued) return COLLECT;
    return lane->retired < lane->collected ? RETIRE : DONE;
}

static haul_status take_step(haul_mapper *m, map_lane *lane, map_step step) {
    switch (step) {
    case FILL: return fill(m, lane);
    case ISSUE: return issue(m, lane);
    case COLLECT: return collect(m, lane);
    case RETIRE: return retire(m, lane);
    case DONE: break;
    }
    return HAUL_OK;
}

/* ---- several lanes ---- */

/* The event that a step waits for; NULL: none. */
static haul_event *event_of(const haul_mapper *m, const map_lane *lane, map_step step) {
    if (step == COLLECT) return slot_of(m, lane, lane->collected)->done;
    return step == FILL && lane->filled >= m->plan.depth ? slot_of(m, lane, lane->filled)->copied : NULL;
}

/* Whether the step has to wait for a step of another lane: outputs are taken in order, and a chunk's halo may be in
 * another's buffers. */
static bool is_out_of_turn(haul_mapper *m, const map_lane *lane, map_step step) {
    if (step == ISSUE && m->fills) return !map_halo_is_ready(slot_of(m, lane, lane->issued));
    if (step != COLLECT || !takes_in_order(m)) return false;
    while (m->next_out < m->plan.chunks && m->complete[m->next_out]) m->next_out++;
    return slot_of(m, lane, lane->collected)->chunk.index != m->next_out;
}

/* When a step need not wait any more, on the virtual clock. */
static haul_status time_of(haul_mapper *m, const map_lane *lane, map_step step, double *us) {
    haul_event *event = event_of(m, lane, step);
    *us = 0;
    if (event) {
        HAUL_TRY(device_enter(lane->device));
        HAUL_TRY(lane->device->extras->event_time(event->handle, us));
        *us -= m->base_us;
    }
    if (step == ISSUE || step == RETIRE) {
        const map_slot *s = slot_of(m, lane, step == ISSUE ? lane->issued : lane->retired);
        if (step == ISSUE && s->fill.submitted) *us = s->filled.end_us;
        if (s->drain.submitted) *us = fmax(*us, s->drained.end_us);
    }
    return HAUL_OK;
}

/* Whether a step need not wait, on a GPU. */
static haul_status is_ready(const haul_mapper *m, const map_lane *lane, map_step step, bool *ready) {
    haul_event *event = event_of(m, lane, step);
    *ready = true;
    if (event) return haul_event_query(event, ready);
    if (step != ISSUE && step != RETIRE) return HAUL_OK;
    const map_slot *s = slot_of(m, lane, step == ISSUE ? lane->issued : lane->retired);
    *ready = workers_is_done(m->workers, &s->drain) && (step == RETIRE || workers_is_done(m->workers, &s->fill));
    return HAUL_OK;
}

/* Microseconds until a step may be taken: 0, on a GPU infinite if it is not yet known. */
static haul_status wait_of(haul_mapper *m, const map_lane *lane, map_step step, double *us) {
    bool ready;
    *us = INFINITY;
    if (step == DONE || is_out_of_turn(m, lane, step)) return HAUL_OK;
    if (lane->device->extras) {
        HAUL_TRY(time_of(m, lane, step, us));
        *us = fmax(*us - map_now_us(m), 0);
        return HAUL_OK;
    }
    HAUL_TRY(is_ready(m, lane, step, &ready));
    if (ready) *us = 0;
    return HAUL_OK;
}

static uint64_t in_flight(const haul_mapper *m, const map_lane *lane) {
    return (m->fills ? lane->filled : lane->issued) - lane->collected;
}

/* The failure of one of several devices says which. Others are not the device's. */
static haul_status name_lane(const haul_mapper *m, const map_lane *lane, haul_status status) {
    const bool is_devices = status == HAUL_ERROR_FAULT || status == HAUL_ERROR_TRAP || status == HAUL_ERROR_TIMEOUT ||
                            status == HAUL_ERROR_DEADLOCK || status == HAUL_ERROR_DRIVER;
    if (!is_devices || m->lane_count == 1) return status;
    return haul_fail_in(status, "device %u (%s)", lane->index, lane->device->name);
}

/* Finds the lane whose next step can be taken first; of equal ones that with the fewest chunks in flight. *wait:
 * infinite if nothing is known, so that the caller asks again. NULL: all are done. */
static haul_status choose_lane(haul_mapper *m, map_lane **chosen, double *wait) {
    *chosen = NULL;
    *wait = INFINITY;
    for (unsigned i = 0; i < m->lane_count; i++) {
        map_lane *lane = &m->lanes[i];
        double us = 0;
        const map_step step = next_step(m, lane);
        if (step == DONE) continue;
        const haul_status status = m->lane_count == 1 ? HAUL_OK : wait_of(m, lane, step, &us);
        if (status != HAUL_OK) return name_lane(m, lane, status);
        if (*chosen && (us > *wait || (us == *wait && in_flight(m, lane) >= in_flight(m, *chosen)))) continue;
        *chosen = lane;
        *wait = us;
    }
    return HAUL_OK;
}

/* On a GPU a lane that need not wait is looked for again and again, with short pauses: a chunk takes far longer. */
static haul_status run_chunks(haul_mapper *m) {
    static const struct timespec pause = {.tv_nsec = 5000};
    for (;;) {
        map_lane *lane;
        double wait;
        HAUL_TRY(choose_lane(m, &lane, &wait));
        if (!lane) return HAUL_OK;
        if (isinf(wait)) {
            nanosleep(&pause, NULL);
            continue;
        }
        const haul_status status = take_step(m, lane, next_step(m, lane));
        if (status != HAUL_OK) return name_lane(m, lane, status);
    }
}

/* ---- start and end ---- */

/* Sets the zero of all clocks, when the devices are idle. */
static haul_status begin(haul_mapper *m) {
    for (unsigned i = 0; i < m->lane_count; i++) HAUL_TRY(haul_device_wait(m->lanes[i].device));
    for (unsigned i = 0; i < m->lane_count; i++) {
        map_lane *lane = &m->lanes[i];
        HAUL_TRY(haul_event_record(lane->base, lane->slots[0].stream));
        HAUL_TRY(haul_event_wait(lane->base));
        if (i == 0) m->base_seconds = clock_seconds();
        if (i == 0 && m->device->extras) m->base_us = m->device->extras->now();
        lane->base_us = i ? map_now_us(m) : 0;
    }
    return device_enter(m->device);
}

/* After a failure: waits until nothing is in flight, so that buffers can be freed. Output that the threads had finished
 * counts as complete. */
static void settle(haul_mapper *m) {
    for (unsigned l = 0; l < m->lane_count; l++) {
        (void)haul_device_wait(m->lanes[l].device);
        for (unsigned i = 0; i < m->lanes[l].slot_count; i++) {
            map_slot *s = &m->lanes[l].slots[i];
            (void)workers_wait(m->workers, &s->fill);
            const bool drained = s->drain.submitted;
            if (workers_wait(m->workers, &s->drain) == HAUL_OK && drained) (void)mark_complete(m, s);
        }
    }
}

static void forget_lane(map_lane *lane) {
    lane->filled = lane->issued = lane->collected = lane->retired = 0;
    lane->done = (haul_map_device){0};
    memset(lane->last_us, 0, sizeof lane->last_us);
    for (unsigned i = 0; i < lane->slot_count; i++) {
        map_slot *s = &lane->slots[i];
        s->fill.submitted = s->drain.submitted = s->owes = false;
        s->from = s->fill_taker = s->taker = NULL;
        s->fill_skip = s->skip = s->issued = 0;
    }
}

/* Resets what an earlier run of the mapper left. */
static void forget(haul_mapper *m) {
    memory_free(m->timeline.operations);
    m->timeline = (haul_timeline){.stamp = m->device->extras ? HAUL_SIMULATED : HAUL_MEASURED,
                                  .machine = m->device->extras ? m->device->extras->machine(m->device->handle)->name
                                                               : m->device->product,
                                  .devices = m->lane_count};
    m->operation_capacity = 0;
    m->complete_chunks = m->complete_items = m->resumed_chunks = m->next = m->next_out = m->halo_bytes =
        m->cufile_bytes = 0;
    m->dealt = NULL;
    memset(m->free_us, 0, sizeof m->free_us);
    memset(m->complete, 0, m->plan.chunks + 1);
    for (unsigned i = 0; i < m->lane_count; i++) forget_lane(&m->lanes[i]);
}

/* Marks chunks that an earlier run has completed. */
static void take_account(haul_mapper *m) {
    for (uint64_t k = 0; m->account.count && k < m->plan.chunks; k++) {
        const uint64_t first = map_chunk_start(&m->plan, k), items = map_chunk_start(&m->plan, k + 1) - first;
        if (!map_account_has(&m->account, first, items)) continue;
        m->complete[k] = 1;
        m->complete_chunks++;
        m->complete_items += items;
    }
    m->resumed_chunks = m->complete_chunks;
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
                           .resumed_chunks = m->resumed_chunks,
                           .halo_bytes = m->halo_bytes,
                           .cufile_bytes = m->cufile_bytes,
                           .devices = m->lane_count,
                           .timeline = m->timeline};
    for (unsigned i = 0; i < m->lane_count; i++) r->device[i] = m->lanes[i].done;
    for (size_t i = 0; i < m->map.input_count; i++) r->inputs[i] = m->inputs[i].path;
    r->output = m->output.path;
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
    m->timeline.elapsed_us = m->plan.chunks ? map_now_us(m) : 0;
    return keep_message(status, message);
}

/* The report is made also after a failure. The output is closed in any case; only a whole one gets its name. */
haul_status haul_mapper_run(haul_mapper *m, haul_map_report *r) {
    char message[1024];
    if (r) *r = (haul_map_report){0};
    forget(m);
    m->cancelled = false;
    haul_status status = map_open_output(m, &m->output);
    if (status == HAUL_OK) take_account(m);
    if (status == HAUL_OK) status = run_between(m);
    status = map_close_output(m, &m->output, status);
    snprintf(message, sizeof message, "%s", haul_message());
    const haul_status reported = report(m, r);
    return status == HAUL_OK ? reported : keep_message(status, message);
}
