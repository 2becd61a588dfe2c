/* The ends of a map: where its items come from and go to.
 *
 * Memory that is pinned is copied by the device directly. Files that cuFile moves go between the file and the device's
 * buffers (cufile.c). All else is staged: worker threads bring it to pinned memory,
 * or take it from there, in parts that begin at pages, so that files can be read and written directly, around the page
 * cache (base/disk.h). For that, a chunk's place in pinned memory is as far from a page as in its file. Output goes to
 * PATH.partial and gets its name when all of it is there. Several ranks write their parts of one file. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/map/map.h"

#include <stdio.h>
#include <string.h>

/* Whether an end is staged. */
static bool goes_through_pinned(const haul_mapper *m, const haul_map_end *what) {
    return what->kind != HAUL_MAP_MEMORY || !map_is_pinned(m, what->memory, m->map.items * what->item_bytes);
}

/* ---- input ---- */

/* Sets the number of items, if the caller gave none, to what the first file holds; checks that every file has as
 * many. */
static haul_status count_items(haul_mapper *m, const map_end *e) {
    const uint64_t bytes = e->file.bytes > e->what.offset ? e->file.bytes - e->what.offset : 0;
    if (m->map.items == 0 && bytes % e->what.item_bytes)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: its %llu bytes are not a whole number of items of %llu bytes",
                         e->file.path, (unsigned long long)bytes, (unsigned long long)e->what.item_bytes);
    if (m->map.items == 0) m->map.items = bytes / e->what.item_bytes;
    if (m->map.items <= bytes / e->what.item_bytes) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s: has %llu bytes, too few for %llu items of %llu bytes", e->file.path,
                     (unsigned long long)bytes, (unsigned long long)m->map.items,
                     (unsigned long long)e->what.item_bytes);
}

haul_status map_open_input(haul_mapper *m, map_end *e) {
    if (e->what.kind == HAUL_MAP_FILE) {
        HAUL_TRY(disk_open(e->what.path, &e->file));
        HAUL_TRY(count_items(m, e));
        map_choose_input_path(m, e);
        HAUL_TRY(map_register_file(m, e));
    }
    e->staged = !e->by_cufile && goes_through_pinned(m, &e->what);
    return HAUL_OK;
}

void map_close_input(const haul_mapper *m, map_end *e) {
    map_deregister_file(m, e);
    if (e->what.kind == HAUL_MAP_FILE) (void)disk_close(&e->file); /* it was only read, so nothing can be lost */
}

bool map_end_has_host_work(const map_end *e) {
    return e->staged || e->by_cufile;
}

haul_engine map_input_engine(const map_end *e) {
    return e->what.kind == HAUL_MAP_FILE ? HAUL_ENGINE_READ : HAUL_ENGINE_STAGE;
}

/* ---- output ---- */

/* The caller frees the name. */
static haul_status name_partial(map_end *e) {
    static const char suffix[] = ".partial";
    const size_t length = strlen(e->what.path);
    e->partial = memory_alloc(length + sizeof suffix);
    if (!e->partial) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its name", e->what.path);
    memcpy(e->partial, e->what.path, length);
    memcpy(e->partial + length, suffix, sizeof suffix);
    return HAUL_OK;
}

/* Fails if `path`, the output or its temporary file, is a file that is read. Names may differ for the same file, so
 * files are compared, not names. */
static haul_status check_apart(const haul_mapper *m, const map_end *e, const char *path) {
    for (size_t i = 0; i < m->map.input_count; i++) {
        const map_end *in = &m->inputs[i];
        if (in->what.kind != HAUL_MAP_FILE || !disk_is_called(&in->file, path)) continue;
        return haul_fail(
            HAUL_ERROR_ARGUMENT,
            path == e->what.path
                ? "%s: is the file of input %zu (%s) too, which the output would replace: give another name"
                : "%s: is the file of input %zu (%s) too, but the output is written there until it is "
                  "complete: give another name",
            path, i + 1, in->what.path);
    }
    return HAUL_OK;
}

haul_status map_check_output(const haul_mapper *m, map_end *e) {
    if (!e->what.item_bytes || e->what.kind != HAUL_MAP_FILE) return HAUL_OK;
    HAUL_TRY(check_apart(m, e, e->what.path));
    HAUL_TRY(disk_check_target(e->what.path));
    HAUL_TRY(name_partial(e));
    const haul_status status = check_apart(m, e, e->partial);
    memory_free(e->partial);
    e->partial = NULL;
    return status;
}

/* The file of an earlier run is continued, or a new one made. Only rank 0 makes it. */
static haul_status make_file(haul_mapper *m, map_end *e, bool resumes) {
    if (resumes) return disk_reopen(e->partial, &e->file);
    map_account_remove(e);
    return disk_create(e->partial, m->map.items * e->what.item_bytes, &e->file);
}

/* Between any two of these steps all ranks wait for each other: accounts are read before anybody writes one. */
static haul_status open_file(haul_mapper *m, map_end *e) {
    const bool is_first = haul_ranks_rank(m->map.ranks) == 0;
    bool resumes = false;
    haul_status status = map_check_output(m, e); /* again, since files may have been renamed since the last run */
    if (status == HAUL_OK) status = name_partial(e);
    if (status == HAUL_OK && m->map.resume) status = map_account_read(m, e, &resumes);
    HAUL_TRY(haul_ranks_agree(m->map.ranks, status));
    HAUL_TRY(haul_ranks_agree(m->map.ranks, is_first ? make_file(m, e, resumes) : HAUL_OK));
    if (!is_first) status = disk_reopen(e->partial, &e->file);
    if (status == HAUL_OK) status = map_register_file(m, e);
    if (status == HAUL_OK && m->map.keep_partial) status = map_account_open(m, e);
    return haul_ranks_agree(m->map.ranks, status);
}

void map_plan_output(haul_mapper *m, map_end *e) {
    if (!e->what.item_bytes) return;
    if (e->what.kind == HAUL_MAP_FILE) map_choose_output_path(m, e);
    e->staged = !e->by_cufile && goes_through_pinned(m, &e->what);
}

haul_status map_open_output(haul_mapper *m, map_end *e) {
    m->account.count = 0;
    return e->what.item_bytes && e->what.kind == HAUL_MAP_FILE ? open_file(m, e) : HAUL_OK;
}

/* Rank 0 gives a complete file its name. The partial file of a failed run is removed unless the caller wants to keep
 * it. */
static haul_status end_file(const haul_mapper *m, const map_end *e, haul_status status) {
    if (status == HAUL_OK) status = disk_rename(e->partial, e->what.path);
    if (status == HAUL_OK)
        map_account_remove(e);
    else if (!m->map.keep_partial)
        disk_remove(e->partial);
    return status;
}

/* A failure keeps its message. */
static haul_status close_file(const haul_mapper *m, map_end *e, haul_status status) {
    char message[1024];
    snprintf(message, sizeof message, "%s", haul_message());
    map_deregister_file(m, e);
    const haul_status closed = e->file.path ? disk_close(&e->file) : HAUL_OK;
    return status == HAUL_OK ? closed : haul_fail(status, "%s", message);
}

haul_status map_close_output(haul_mapper *m, map_end *e, haul_status status) {
    const bool made = e->file.path != NULL; /* by this run, so that a failed one may remove it */
    if (e->what.kind != HAUL_MAP_FILE || !e->what.item_bytes) return haul_ranks_agree(m->map.ranks, status);
    map_account_close(m);
    status = haul_ranks_agree(m->map.ranks, close_file(m, e, status));
    if (haul_ranks_rank(m->map.ranks) == 0 && made) status = end_file(m, e, status);
    if (e->partial) memory_free(e->partial);
    e->partial = NULL;
    return haul_ranks_agree(m->map.ranks, status);
}

haul_engine map_output_engine(const map_end *e) {
    return e->what.kind == HAUL_MAP_FILE ? HAUL_ENGINE_WRITE : HAUL_ENGINE_UNSTAGE;
}

/* ---- moving a part of a chunk ---- */

/* Files need a page more, for the distance from it. */
uint64_t map_stage_bytes(const map_end *e, uint64_t items) {
    return items * e->what.item_bytes + (e->what.kind == HAUL_MAP_FILE ? DISK_PAGE : 0);
}

/* Returns where the chunk's halo begins in the file. */
static uint64_t file_offset(const map_end *e, const haul_chunk *c) {
    return e->what.offset + (c->first - c->before) * e->what.item_bytes;
}

uint64_t map_stage_offset(const map_end *e, const haul_chunk *c) {
    return e->what.kind == HAUL_MAP_FILE ? file_offset(e, c) % DISK_PAGE : 0;
}

/* Sets the bytes that part number `part` of a transfer has. Parts begin at pages, with `offset` included; some may be
 * empty. */
static void part_of(uint64_t offset, uint64_t count, unsigned part, unsigned parts, uint64_t *from, uint64_t *to) {
    const uint64_t shift = offset % DISK_PAGE, pages = (shift + count + DISK_PAGE - 1) / DISK_PAGE;
    const uint64_t first = pages * part / parts * DISK_PAGE, last = pages * (part + 1) / parts * DISK_PAGE;
    *from = first > shift ? first - shift : 0;
    *to = last > shift ? last - shift : 0;
    if (*from > count) *from = count;
    if (*to > count) *to = count;
}

/* Brings a part of an input's items to pinned memory, or by cuFile to the device. A function makes all of them in one
 * part. */
static haul_status fill_input(const map_slot *s, size_t input, unsigned part, unsigned parts) {
    const map_end *e = &s->mapper->inputs[input];
    const haul_chunk *c = &s->fill_chunk;
    unsigned char *to = e->staged ? haul_host_memory(s->stage_in[input]) : NULL;
    const uint64_t skip = map_skip_of(s, input, s->fill_skip), first = c->first - c->before + skip;
    const uint64_t bytes = (c->total - skip) * e->what.item_bytes;
    uint64_t from, end;
    if (to) to += map_stage_offset(e, c) + skip * e->what.item_bytes;
    switch (e->what.kind) {
    case HAUL_MAP_FUNCTION: return e->what.transfer(e->what.context, first, c->total - skip, to);
    case HAUL_MAP_MEMORY:
        part_of(0, bytes, part, parts, &from, &end);
        memcpy(to + from, (const unsigned char *)e->what.memory + first * e->what.item_bytes + from, end - from);
        return HAUL_OK;
    case HAUL_MAP_FILE: break;
    }
    const uint64_t offset = e->what.offset + first * e->what.item_bytes;
    part_of(offset, bytes, part, parts, &from, &end);
    if (e->by_cufile)
        return map_move_by_cufile(s, e, false, s->in[input], skip * e->what.item_bytes + from, offset + from,
                                  end - from);
    return disk_read(&e->file, offset + from, to + from, end - from);
}

haul_status map_fill_part(void *context, unsigned part, unsigned parts) {
    const map_slot *s = context;
    for (size_t i = 0; i < s->mapper->map.input_count; i++)
        if (map_end_has_host_work(&s->mapper->inputs[i])) HAUL_TRY(fill_input(s, i, part, parts));
    return HAUL_OK;
}

/* Takes a part of the output from pinned memory, or by cuFile from the device, to its place. */
haul_status map_drain_part(void *context, unsigned part, unsigned parts) {
    const map_slot *s = context;
    const map_end *e = &s->mapper->output;
    const haul_chunk *c = &s->chunk;
    const unsigned char *from = e->staged ? haul_host_memory(s->stage_out) : NULL;
    const uint64_t at = c->first * e->what.item_bytes, bytes = c->items * e->what.item_bytes;
    uint64_t first, end;
    switch (e->what.kind) {
    case HAUL_MAP_FUNCTION: return e->what.transfer(e->what.context, c->first, c->items, (void *)(uintptr_t)from);
    case HAUL_MAP_MEMORY:
        part_of(0, bytes, part, parts, &first, &end);
        memcpy((unsigned char *)e->what.memory + at + first, from + first, end - first);
        return HAUL_OK;
    case HAUL_MAP_FILE: break;
    }
    part_of(at, bytes, part, parts, &first, &end);
    if (e->by_cufile)
        return map_move_by_cufile(s, e, true, map_output_buffer(s), c->before * e->what.item_bytes + first, at + first,
                                  end - first);
    return disk_write(&e->file, at + first, from + at % DISK_PAGE + first, end - first);
}
