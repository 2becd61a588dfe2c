/* The slots of a lane: streams, events, and buffers for as many chunks as are in flight at once. All are made before
 * the run and are large enough for the largest chunk with its halo, so a run allocates nothing. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/map/map.h"

/* Events are timed: the timeline is made of them. */
static haul_status make_events(map_slot *s) {
    haul_event **events[] = {&s->begun, &s->copied, &s->computed, &s->done};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        HAUL_TRY(haul_event_create(s->lane->device, true, events[i]));
    return HAUL_OK;
}

/* `total`: items with halo. */
static haul_status make_inputs(map_slot *s, uint64_t total) {
    const haul_mapper *m = s->mapper;
    haul_device *device = s->lane->device;
    for (size_t i = 0; i < m->map.input_count; i++) {
        const map_end *e = &m->inputs[i];
        HAUL_TRY(haul_buffer_create(device, total * e->what.item_bytes, &s->in[i]));
        if (e->by_cufile) map_register_buffer(m, s->in[i]);
        if (e->staged) HAUL_TRY(haul_host_create(device, map_stage_bytes(e, total), HAUL_HOST_PINNED, &s->stage_in[i]));
    }
    return HAUL_OK;
}

/* In place the output needs no buffer of its own; its pinned memory has no halo. */
static haul_status make_slot(map_slot *s) {
    const haul_mapper *m = s->mapper;
    haul_device *device = s->lane->device;
    const uint64_t total = m->map.before + m->plan.chunk + m->map.after;
    HAUL_TRY(haul_stream_create(device, 0, &s->stream));
    HAUL_TRY(make_events(s));
    HAUL_TRY(make_inputs(s, total));
    if (m->map.scratch_bytes) HAUL_TRY(haul_buffer_create(device, total * m->map.scratch_bytes, &s->scratch));
    if (!m->map.in_place && m->output.what.item_bytes)
        HAUL_TRY(haul_buffer_create(device, total * m->output.what.item_bytes, &s->out));
    if (m->output.by_cufile && !m->map.in_place) map_register_buffer(m, s->out);
    if (!m->output.staged) return HAUL_OK;
    return haul_host_create(device, map_stage_bytes(&m->output, m->plan.chunk), HAUL_HOST_PINNED, &s->stage_out);
}

/* The caller frees the slots also after an error. */
haul_status map_make_slots(map_lane *lane, haul_mapper *m) {
    lane->slots = memory_zeroed(m->plan.depth, sizeof *lane->slots);
    if (!lane->slots) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "map: no memory for its slots");
    for (; lane->slot_count < m->plan.depth; lane->slot_count++) {
        map_slot *s = &lane->slots[lane->slot_count];
        s->mapper = m;
        s->lane = lane;
        const haul_status status = make_slot(s);
        if (status == HAUL_OK) continue;
        lane->slot_count++; /* a partial slot is freed with the others */
        return status;
    }
    return HAUL_OK;
}

/* Accepts a slot that was made in part. */
static void free_slot(map_slot *s) {
    const haul_mapper *m = s->mapper;
    for (size_t i = 0; i < m->map.input_count; i++)
        if (m->inputs[i].by_cufile) map_deregister_buffer(m, s->in[i]);
    if (m->output.by_cufile && !m->map.in_place) map_deregister_buffer(m, s->out);
    haul_stream_free(s->stream);
    haul_event_free(s->begun);
    haul_event_free(s->copied);
    haul_event_free(s->computed);
    haul_event_free(s->done);
    for (size_t i = 0; i < HAUL_MAP_INPUTS; i++) {
        haul_buffer_free(s->in[i]);
        haul_host_free(s->stage_in[i]);
    }
    haul_buffer_free(s->out);
    haul_buffer_free(s->scratch);
    haul_host_free(s->stage_out);
}

/* Safe to call again. */
void map_free_slots(map_lane *lane) {
    for (unsigned i = 0; i < lane->slot_count; i++) free_slot(&lane->slots[i]);
    memory_free(lane->slots);
    lane->slots = NULL;
    lane->slot_count = 0;
}
