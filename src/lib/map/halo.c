/* Halo from device to device.
 *
 * A chunk and the one before it share the items of its halo before and of the other's halo after. They are in the
 * other's buffers, so a chunk can copy them from there instead of from the host again: on one device, or between peers.
 * Such a copy has a fixed cost, and the few items of a usual halo come along with a chunk at no cost. So only a halo
 * that takes the link to the host longer than that is copied between chunks, and never an input that kernels overwrite,
 * nor one that cuFile reads: it comes to the device before the chunk is issued.
 */
#include "lib/map/map.h"

/* The fixed cost of a copy times the rate of the link to the host: 10 us at 55 GB/s. */
enum { WORTH_BYTES = 550000 };

void map_plan_halo(haul_mapper *m) {
    const uint64_t items = m->map.before + m->map.after;
    bool any = false;
    for (size_t i = 0; i < m->map.input_count; i++) {
        const bool overwritten = m->map.in_place && i == m->map.in_place_input;
        m->reuses[i] = m->map.run && !overwritten && !m->inputs[i].by_cufile &&
                       items * m->inputs[i].what.item_bytes >= WORTH_BYTES;
        any |= m->reuses[i];
    }
    for (unsigned a = 0; any && a < m->lane_count; a++)
        for (unsigned b = 0; b < m->lane_count; b++)
            m->reaches[a][b] = a == b || haul_device_reach(m->lanes[a].device, m->lanes[b].device, true) == HAUL_OK;
}

static bool reuses_any(const haul_mapper *m) {
    for (size_t i = 0; i < m->map.input_count; i++)
        if (m->reuses[i]) return true;
    return false;
}

/* The chunk before ends where this one begins, and has as much halo after as the array allows. */
void map_deal_halo(map_slot *s, const haul_chunk *c) {
    haul_mapper *m = s->mapper;
    map_slot *from = m->dealt;
    s->from = NULL;
    s->fill_skip = 0;
    m->dealt = s;
    if (!from || from == s || !reuses_any(m) || !m->reaches[s->lane->index][from->lane->index]) return;
    const uint64_t left = m->map.items - c->first;
    s->from = from;
    s->fill_skip = c->before + (left < m->map.after ? left : m->map.after);
    if (from->issued == c->index) {
        from->taker = s;
        from->owes = true;
    } else {
        from->fill_taker = s;
    }
}

bool map_halo_is_ready(const map_slot *s) {
    return !s->owes && (!s->from || s->from->issued == s->fill_chunk.index);
}

uint64_t map_skip_of(const map_slot *s, size_t input, uint64_t skip) {
    return s->mapper->reuses[input] ? skip : 0;
}

/* The earlier contents of this slot's buffers were copied by another slot, in another stream. */
haul_status map_begin_halo(map_slot *s) {
    map_slot *taker = s->taker;
    s->taker = s->fill_taker;
    s->owes = s->taker != NULL;
    s->fill_taker = NULL;
    s->skip = s->fill_skip;
    return taker ? haul_stream_wait_event(s->stream, taker->copied) : HAUL_OK;
}

haul_status map_copy_halo(map_slot *s, size_t input) {
    haul_mapper *m = s->mapper;
    const uint64_t item = m->inputs[input].what.item_bytes, skip = map_skip_of(s, input, s->skip);
    if (!skip) return HAUL_OK;
    const haul_chunk *c = &s->chunk, *before = &s->from->chunk;
    const uint64_t at = (c->first - c->before) - (before->first - before->before);
    m->halo_bytes += skip * item;
    HAUL_TRY(haul_stream_wait_event(s->stream, s->from->copied));
    return haul_stream_copy(s->stream, s->in[input], 0, s->from->in[input], at * item, skip * item);
}

void map_end_halo(map_slot *s) {
    if (s->from) s->from->owes = false;
    s->from = NULL;
    s->issued = s->chunk.index + 1;
}
