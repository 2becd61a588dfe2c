/* haul_stream_map(): checks the map and sets it up.
 *
 * A mapper is created in this order: inputs are opened, which tells the number of items if the caller did not; then the
 * chunks are planned (plan.c), and the slots of each device's lane made (slots.c). All checks that need no data are
 * made here. A run (run.c) creates the output, moves the data, and gives the output its name. haul_mapper_free()
 * accepts a mapper at any stage. */
#include "lib/map/map.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>

/* ---- checks ---- */

/* `which` is for the message. */
static haul_status check_end(const haul_map_end *e, const char *which) {
    if (e->item_bytes == 0) return haul_fail(HAUL_ERROR_ARGUMENT, "map: %s: items of 0 bytes", which);
    if ((e->kind == HAUL_MAP_MEMORY && !e->memory) || (e->kind == HAUL_MAP_FILE && !e->path) ||
        (e->kind == HAUL_MAP_FUNCTION && !e->transfer))
        return haul_fail(HAUL_ERROR_ARGUMENT, "map: %s: its memory, path or function is missing", which);
    return HAUL_OK;
}

/* Bounds all sizes, so that their sums and products do not overflow later. */
static haul_status check_sizes(const haul_map *m) {
    uint64_t widest = m->output.item_bytes > m->scratch_bytes ? m->output.item_bytes : m->scratch_bytes;
    const uint64_t most = UINT64_C(1) << 60;
    for (size_t i = 0; i < m->input_count; i++)
        if (m->inputs[i].item_bytes > widest) widest = m->inputs[i].item_bytes;
    if (m->before < most && m->after < most && m->items < most && m->chunk_items < most && widest < UINT32_MAX &&
        m->before + m->after + m->items < most / (widest ? widest : 1))
        return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "map: the number of items, or their size, is too large for any memory");
}

/* In place, the output is an input's buffer, so items must have one size. */
static haul_status check_in_place(const haul_map *m) {
    if (!m->run && !m->in_place)
        return haul_fail(HAUL_ERROR_ARGUMENT, "map: without a kernel the output is an input: set in_place");
    if (!m->in_place) return HAUL_OK;
    if (m->in_place_input >= m->input_count || m->inputs[m->in_place_input].item_bytes != m->output.item_bytes)
        return haul_fail(HAUL_ERROR_ARGUMENT, "map: in place: input %u must exist, with items as large as the output's",
                         m->in_place_input + 1);
    return HAUL_OK;
}

/* Refuses an output in memory that overwrites input which a later chunk still has to read. The same memory without a
 * halo is allowed: each item is read before it is written. */
static haul_status check_overlap(const haul_map *m) {
    const uintptr_t out = (uintptr_t)m->output.memory;
    const uint64_t out_bytes = m->items * m->output.item_bytes;
    if (m->output.kind != HAUL_MAP_MEMORY || !m->output.item_bytes) return HAUL_OK;
    for (size_t i = 0; i < m->input_count; i++) {
        const haul_map_end *e = &m->inputs[i];
        const uintptr_t in = (uintptr_t)e->memory;
        if (e->kind != HAUL_MAP_MEMORY || in >= out + out_bytes || out >= in + m->items * e->item_bytes) continue;
        if (in == out && e->item_bytes == m->output.item_bytes && !m->before && !m->after) continue;
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "map: the output lies over input %zu, which has a halo or other items: use other memory",
                         i + 1);
    }
    return HAUL_OK;
}

/* Virtual GPUs that were not opened together have clocks and pinned memory of their own. */
static haul_status check_devices(const haul_map *m) {
    if (!m->device && !m->device_count) return haul_fail(HAUL_ERROR_ARGUMENT, "map: no device given");
    if (m->device && m->device_count) return haul_fail(HAUL_ERROR_ARGUMENT, "map: both `device` and `devices` given");
    if (m->device_count > HAUL_MOST_DEVICES)
        return haul_fail(HAUL_ERROR_LIMIT, "map: %zu devices: at most %d", m->device_count, HAUL_MOST_DEVICES);
    for (size_t i = 1; i < m->device_count; i++) {
        const haul_device *a = m->devices[0], *b = m->devices[i];
        if (a->driver == b->driver && a->set == b->set && (!a->extras || a->set)) continue;
        return haul_fail(HAUL_ERROR_ARGUMENT, "map: %s and %s were not opened together: call haul_devices_open()",
                         a->name, b->name);
    }
    return HAUL_OK;
}

/* Only files outlive a failed process, and can be shared by several. */
static haul_status check_ranks(const haul_map *m) {
    const bool is_file = m->output.item_bytes && m->output.kind == HAUL_MAP_FILE;
    if (m->resume && !is_file)
        return haul_fail(HAUL_ERROR_ARGUMENT, "map: only an output file can be resumed: give one");
    return HAUL_OK;
}

/* Checks that need no file and no device. */
static haul_status check(const haul_map *m) {
    HAUL_TRY(check_devices(m));
    HAUL_TRY(check_ranks(m));
    if (m->input_count == 0 || m->input_count > HAUL_MAP_INPUTS)
        return haul_fail(HAUL_ERROR_ARGUMENT, "map: %zu inputs: give 1 to %d", m->input_count, HAUL_MAP_INPUTS);
    for (size_t i = 0; i < m->input_count; i++) HAUL_TRY(check_end(&m->inputs[i], "an input"));
    if (m->output.item_bytes || !m->run) HAUL_TRY(check_end(&m->output, "the output"));
    if (m->items == 0 && m->inputs[0].kind == HAUL_MAP_FILE && m->output.item_bytes &&
        m->output.kind == HAUL_MAP_MEMORY)
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "map: from a file into memory: set `items` to the number that the memory has room for");
    HAUL_TRY(check_sizes(m));
    HAUL_TRY(check_in_place(m));
    return check_overlap(m);
}

/* ---- creating and freeing ---- */

bool map_is_pinned(const haul_mapper *m, const void *memory, uint64_t bytes) {
    for (unsigned i = 0; i < m->lane_count; i++)
        if (haul_host_is_pinned(m->lanes[i].device, memory, bytes)) return true;
    return false;
}

static haul_status make_lanes(haul_mapper *m) {
    for (unsigned i = 0; i < m->lane_count; i++) {
        HAUL_TRY(haul_event_create(m->lanes[i].device, true, &m->lanes[i].base));
        HAUL_TRY(map_make_slots(&m->lanes[i], m));
    }
    return HAUL_OK;
}

/* Sets up a mapper; the caller frees it after an error. */
static haul_status prepare(haul_mapper *m) {
    for (size_t i = 0; i < m->map.input_count; i++) {
        m->inputs[i].file.descriptor = m->inputs[i].file.direct = -1;
        m->inputs[i].what = m->map.inputs[i];
    }
    m->output.what = m->map.output;
    for (size_t i = 0; i < m->map.input_count; i++) {
        HAUL_TRY(map_open_input(m, &m->inputs[i]));
        m->fills |= map_end_has_host_work(&m->inputs[i]);
        m->fills_device |= m->inputs[i].by_cufile;
    }
    HAUL_TRY(map_check_output(m, &m->output));
    /* The array's ends have no halo, so buffers never need room for more than all items. */
    if (m->map.before > m->map.items) m->map.before = m->map.items;
    if (m->map.after > m->map.items) m->map.after = m->map.items;
    map_plan_output(m, &m->output);
    m->drains = map_end_has_host_work(&m->output);
    HAUL_TRY(map_make_plan(m, &m->plan));
    map_plan_halo(m);
    m->complete = memory_zeroed(m->plan.chunks + 1, 1);
    if (!m->complete) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "map: no memory for an account of its chunks");
    if (m->plan.chunks == 0) return HAUL_OK;
    if (m->plan.threads) HAUL_TRY(workers_create(m->plan.threads, &m->workers));
    return make_lanes(m);
}

/* A copy of the map, with its devices as lanes. */
static haul_mapper *new_mapper(const haul_map *map) {
    haul_mapper *m = memory_zeroed(1, sizeof *m);
    if (!m) return NULL;
    m->map = *map;
    m->lane_count = map->device_count ? (unsigned)map->device_count : 1;
    for (unsigned i = 0; i < m->lane_count; i++)
        m->lanes[i] = (map_lane){.device = map->device_count ? map->devices[i] : map->device, .index = i};
    m->device = m->lanes[0].device;
    m->account.log.descriptor = m->account.log.direct = -1;
    m->map.keep_partial |= map->resume || haul_ranks_count(map->ranks) > 1;
    return m;
}

/* All ranks get here, whatever went wrong on one of them. */
haul_status haul_mapper_create(const haul_map *map, haul_mapper **mapper) {
    haul_mapper *m = NULL;
    *mapper = NULL;
    haul_status status = check(map);
    if (status == HAUL_OK && !(m = new_mapper(map)))
        status = haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "map: no memory for it");
    if (status == HAUL_OK) status = prepare(m);
    status = haul_ranks_agree(map->ranks, status);
    if (status != HAUL_OK) {
        haul_mapper_free(m);
        return status;
    }
    *mapper = m;
    return HAUL_OK;
}

/* The flag is atomic: the run looks at it after each chunk. */
void haul_mapper_cancel(haul_mapper *m) {
    m->cancelled = true;
}

/* After a device's failure its objects cannot be freed without a message, which must not replace that of the failure.
 */
void haul_mapper_free(haul_mapper *m) {
    char message[1024];
    if (!m) return;
    snprintf(message, sizeof message, "%s", haul_message());
    for (unsigned i = 0; i < m->lane_count; i++) {
        map_free_slots(&m->lanes[i]);
        haul_event_free(m->lanes[i].base);
    }
    workers_free(m->workers);
    for (size_t i = 0; i < m->map.input_count; i++) map_close_input(m, &m->inputs[i]);
    memory_free(m->timeline.operations);
    memory_free(m->complete);
    memory_free(m->account.ranges);
    memory_free(m);
    (void)haul_fail(HAUL_OK, "%s", message);
}

/* A mapper for one run. */
haul_status haul_stream_map(const haul_map *map, haul_map_report *report) {
    haul_mapper *mapper;
    if (report) *report = (haul_map_report){0};
    HAUL_TRY(haul_mapper_create(map, &mapper));
    const haul_status status = haul_mapper_run(mapper, report);
    haul_mapper_free(mapper);
    return status;
}

void haul_map_report_free(haul_map_report *r) {
    memory_free(r->complete);
    memory_free(r->timeline.operations);
    *r = (haul_map_report){0};
}
