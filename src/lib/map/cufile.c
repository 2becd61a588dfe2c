/* Files by cuFile: between a file and a slot's buffers on the device, without pinned memory.
 *
 * A worker thread moves the whole pages of its part by one call of cuFile, and the bytes before the first page and
 * after the last one through a page of host memory: parts of a file's page must not be written by cuFile, which would
 * read and write the whole page while another thread writes the rest of it.
 *
 * If cuFile cannot reach a file's storage directly it reads into the host's memory and copies from there, which is
 * slower than O_DIRECT with haul's own copies, so HAUL_MAP_FILES_AUTO takes cuFile only where it is direct. */
#include "base/status.h"
#include "lib/map/map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof((haul_map_path){0}.reason) == CUFILE_REASON, "a path has room for cuFile's reason");

/* ---- the choice ---- */

/* Without cuFile: `direct` tells whether the file has direct transfers. */
static void settle_path(const haul_mapper *m, map_end *e, bool direct) {
    const bool wants_cache = m->map.files == HAUL_MAP_FILES_CACHED;
    e->path.files = wants_cache || !direct ? HAUL_MAP_FILES_CACHED : HAUL_MAP_FILES_DIRECT;
}

static haul_status register_descriptor(const haul_mapper *m, int fd, CUfileHandle_t *handle,
                                       char reason[CUFILE_REASON]) {
    char text[CUFILE_REASON];
    CUfileDescr_t about = {.type = CUFILE_HANDLE_FD, .handle.fd = fd};
    const CUfileError_t error = m->cufile->handle_register(handle, &about);
    if (error.err == 0) return HAUL_OK;
    snprintf(reason, CUFILE_REASON, "cuFileHandleRegister: %.100s", cufile_error_text(error, text));
    return HAUL_ERROR_FILE;
}

/* Whether the file behind a descriptor for direct transfers (-1: it has none) can and should be moved by cuFile; sets
 * the reason. A file that cuFile takes is registered, for the test. */
static bool is_for_cufile(haul_mapper *m, int fd, char reason[CUFILE_REASON]) {
    const CUfileDrvProps_t *properties;
    CUfileHandle_t handle;
    const bool asked = m->map.files == HAUL_MAP_FILES_CUFILE;
    if (!asked && m->map.files != HAUL_MAP_FILES_AUTO) {
        snprintf(reason, CUFILE_REASON, "as asked for");
        return false;
    }
    if (m->device->extras) {
        snprintf(reason, CUFILE_REASON, "cuFile does not reach a virtual GPU");
        return false;
    }
    if (fd < 0) {
        snprintf(reason, CUFILE_REASON, "its file system has no O_DIRECT");
        return false;
    }
    if ((!asked && !cufile_is_worth_opening(reason)) || device_enter(m->device) != HAUL_OK) return false;
    const cufile_table *table = cufile_load(&properties, reason);
    if (!table || (!cufile_is_direct(properties, fd, reason) && !asked)) return false;
    m->cufile = table;
    char refused[CUFILE_REASON];
    if (register_descriptor(m, fd, &handle, refused) != HAUL_OK) {
        memcpy(reason, refused, sizeof refused);
        return false;
    }
    table->handle_deregister(handle);
    return true;
}

static void choose(haul_mapper *m, map_end *e, int fd) {
    e->by_cufile = is_for_cufile(m, fd, e->path.reason);
    if (e->by_cufile)
        e->path.files = HAUL_MAP_FILES_CUFILE;
    else
        settle_path(m, e, fd >= 0);
}

void map_choose_input_path(haul_mapper *m, map_end *e) {
    choose(m, e, e->file.direct);
    if (m->map.files == HAUL_MAP_FILES_CACHED) disk_use_page_cache(&e->file);
}

/* cuFile opens a file once more by its name, so the probe keeps it until then. */
void map_choose_output_path(haul_mapper *m, map_end *e) {
    char name[DISK_NAME];
    const int probe = disk_open_probe(e->what.path, name);
    choose(m, e, probe);
    if (probe < 0) return;
    close(probe);
    disk_remove(name);
}

/* ---- files and buffers ---- */

haul_status map_register_file(const haul_mapper *m, map_end *e) {
    char reason[CUFILE_REASON] = "it has no O_DIRECT";
    if (m->map.files == HAUL_MAP_FILES_CACHED) disk_use_page_cache(&e->file);
    if (!e->by_cufile) return HAUL_OK;
    HAUL_TRY(device_enter(m->device));
    if (e->file.direct >= 0 && register_descriptor(m, e->file.direct, &e->handle, reason) == HAUL_OK) {
        e->is_registered = true;
        return HAUL_OK;
    }
    return haul_fail(HAUL_ERROR_FILE, "%s: cannot be moved by cuFile: %s; move it directly (--files direct)",
                     e->file.path, reason);
}

void map_deregister_file(const haul_mapper *m, map_end *e) {
    if (e->is_registered) m->cufile->handle_deregister(e->handle);
    e->is_registered = false;
}

static void *address_of(const haul_buffer *b) {
    return (void *)(uintptr_t)b->address;
}

/* A buffer that cuFile does not take is reached through cuFile's own buffers. */
void map_register_buffer(const haul_mapper *m, const haul_buffer *b) {
    if (b && b->bytes) (void)m->cufile->buffer_register(address_of(b), b->bytes, 0);
}

void map_deregister_buffer(const haul_mapper *m, const haul_buffer *b) {
    if (b && b->bytes && device_enter(b->device) == HAUL_OK) (void)m->cufile->buffer_deregister(address_of(b));
}

haul_buffer *map_output_buffer(const map_slot *s) {
    const haul_map *map = &s->mapper->map;
    return map->in_place ? s->in[map->in_place_input] : s->out;
}

/* ---- moving bytes ---- */

/* At most a page. The copy goes in the slot's stream, so that kernels come after it. */
static haul_status move_edge(const map_slot *s, const map_end *e, bool writes, haul_buffer *b, uint64_t at,
                             uint64_t offset, uint64_t count) {
    unsigned char page[DISK_PAGE];
    if (count == 0) return HAUL_OK;
    if (writes) {
        HAUL_TRY(haul_stream_read(s->stream, b, at, page, count));
        HAUL_TRY(haul_stream_wait(s->stream));
        return disk_write(&e->file, offset, page, count);
    }
    HAUL_TRY(disk_read(&e->file, offset, page, count));
    HAUL_TRY(haul_stream_write(s->stream, b, at, page, count));
    return haul_stream_wait(s->stream);
}

static haul_status fail(const map_end *e, bool writes, uint64_t offset, ssize_t moved, int error) {
    char text[CUFILE_REASON];
    const char *how = moved == -1 ? strerror(error) : cufile_error_text((CUfileError_t){.err = (int)-moved}, text);
    return haul_fail(HAUL_ERROR_FILE, "%s: cannot be %s by cuFile at byte %llu: %s; move it directly (--files direct)",
                     e->file.path, writes ? "written" : "read", (unsigned long long)offset, how);
}

static haul_status end_of_file(const map_end *e, bool writes, uint64_t offset) {
    if (writes) return haul_fail(HAUL_ERROR_FILE, "%s: nothing more can be written: is the disk full?", e->file.path);
    return haul_fail(HAUL_ERROR_FILE, "%s ends at byte %llu: it was truncated", e->file.path,
                     (unsigned long long)offset);
}

/* Repeats partial transfers until all bytes are moved. */
static haul_status move_pages(const map_slot *s, const map_end *e, bool writes, const haul_buffer *b, uint64_t at,
                              uint64_t offset, uint64_t count) {
    const cufile_table *cufile = s->mapper->cufile;
    const uint64_t most = UINT64_C(1) << 30;
    while (count > 0) {
        const size_t piece = (size_t)(count < most ? count : most);
        errno = 0;
        const ssize_t moved = writes ? cufile->write(e->handle, address_of(b), piece, (off_t)offset, (off_t)at)
                                     : cufile->read(e->handle, address_of(b), piece, (off_t)offset, (off_t)at);
        if (moved == -1 && errno == EINTR) continue;
        if (moved < 0) return fail(e, writes, offset, moved, errno);
        if (moved == 0 || (size_t)moved > piece) return end_of_file(e, writes, offset);
        at += (uint64_t)moved;
        offset += (uint64_t)moved;
        count -= (uint64_t)moved;
    }
    return HAUL_OK;
}

haul_status map_move_by_cufile(const map_slot *s, const map_end *e, bool writes, haul_buffer *b, uint64_t at,
                               uint64_t offset, uint64_t count) {
    uint64_t head = (DISK_PAGE - offset % DISK_PAGE) % DISK_PAGE;
    if (head > count) head = count;
    const uint64_t pages = (count - head) / DISK_PAGE * DISK_PAGE, moved = head + pages;
    if (count == 0) return HAUL_OK;
    HAUL_TRY(device_enter(s->lane->device));
    HAUL_TRY(move_edge(s, e, writes, b, at, offset, head));
    HAUL_TRY(move_pages(s, e, writes, b, at + head, offset + head, pages));
    return move_edge(s, e, writes, b, at + moved, offset + moved, count - moved);
}
