/* The clock and the timeline of a map, and the time of the host's part.
 *
 * Times of the device come from events. Times of the host's part come from the wall clock, or on the virtual GPU from
 * the machine's figures: there each engine has a time until which it is busy (free_us), and waiting for host work
 * advances the virtual clock to its end. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "lib/map/map.h"
#include "vgpu/driver.h"

#include <math.h>
#include <stdio.h>

enum { MOST_OPERATIONS = 1 << 18 }; /* of a timeline that are kept; further ones are only counted */

/* ---- the clock and the timeline ---- */

/* Microseconds since the run began. */
double map_now_us(const haul_mapper *m) {
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

static void note(haul_mapper *m, const haul_operation *o) {
    m->timeline.busy_us[o->engine] += o->end_us - o->start_us;
    m->timeline.bytes[o->engine] += o->bytes;
    if (make_room(m))
        m->timeline.operations[m->timeline.count++] = *o;
    else
        m->timeline.omitted++;
}

/* Adds an operation of the device to the timeline, between two events. The event before it gives the time when its
 * stream reached it; the engine may still have been busy with another chunk, so it begins no earlier than the engine's
 * last end. */
static haul_status note_between(haul_mapper *m, haul_engine engine, const map_slot *s, uint64_t bytes,
                                haul_event *before, haul_event *behind) {
    map_lane *lane = s->lane;
    double start, end;
    HAUL_TRY(haul_event_elapsed(lane->base, before, &start));
    HAUL_TRY(haul_event_elapsed(lane->base, behind, &end));
    start = fmax(start + lane->base_us, lane->last_us[engine]);
    end = fmax(end + lane->base_us, start);
    lane->last_us[engine] = end;
    if (end > start) note(m, &(haul_operation){engine, s->chunk.index, bytes, start, end, lane->index});
    return HAUL_OK;
}

/* Bytes of all inputs of a chunk that the device copies from the host, halo included; `skip` items come from another
 * chunk. */
static uint64_t input_bytes(const map_slot *s, const haul_chunk *c, uint64_t skip) {
    const haul_mapper *m = s->mapper;
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->map.input_count; i++)
        if (!m->inputs[i].by_cufile) bytes += (c->total - map_skip_of(s, i, skip)) * m->inputs[i].what.item_bytes;
    return bytes;
}

/* Adds the three operations of a chunk that is back. Time in cuFile counts as the host's. */
haul_status map_note_device(haul_mapper *m, const map_slot *s) {
    const uint64_t copied = input_bytes(s, &s->chunk, s->skip);
    if (copied || !m->fills_device) HAUL_TRY(note_between(m, HAUL_ENGINE_TO_DEVICE, s, copied, s->begun, s->copied));
    if (m->map.run) HAUL_TRY(note_between(m, HAUL_ENGINE_KERNEL, s, 0, s->copied, s->computed));
    if (m->output.by_cufile) return HAUL_OK;
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
haul_status map_give_out(haul_mapper *m, workers_job *job, map_host_work *work, bool is_function) {
    if (m->device->extras) {
        /* the threads do copies of both directions, one job after the other */
        const haul_engine lane = work->engine == HAUL_ENGINE_UNSTAGE ? HAUL_ENGINE_STAGE : work->engine;
        work->start_us = fmax(map_now_us(m), m->free_us[lane]);
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
haul_status map_wait_for_host(haul_mapper *m, workers_job *job, map_host_work *work, uint64_t chunk) {
    const bool submitted = job->submitted;
    const haul_status status = workers_wait(m->workers, job);
    if (!submitted || status != HAUL_OK) return status;
    if (m->device->extras) {
        m->device->extras->wait_until(m->base_us + work->end_us);
    } else {
        /* jobs of several chunks overlap; an engine's time counts once */
        double *last = &m->free_us[work->engine];
        work->start_us = fmax((job->start - m->base_seconds) * 1e6, *last);
        work->end_us = *last = fmax((job->end - m->base_seconds) * 1e6, work->start_us);
    }
    note(m, &(haul_operation){work->engine, chunk, work->bytes, work->start_us, work->end_us, 0});
    return HAUL_OK;
}
