/* Physical memory and multicast objects, by handle.
 *
 * All memory is one file without a name, in which each object has its place: a file can be mapped at several addresses,
 * which memory of the process cannot. An object lives while a handle, a mapping or a binding uses it. */
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "machine/host.h"
#include "machine/virtual_lists.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* All objects, the newest first. */
static sim_physical *first;
static uint64_t next_handle, next_place;
static const char FILE_NAME[] = "haul-device-memory";
static int file; /* 0: none yet */
static uint64_t used[SIM_VIRTUAL_DEVICES];

/* Fails if no held object has the handle. */
sim_physical *sim_physical_of(uint64_t handle) {
    for (sim_physical *p = first; p; p = p->next)
        if (p->handle == handle && p->held) return p;
    (void)sim_virtual_wrong("0x%llx is not a handle of memory", (unsigned long long)handle);
    return NULL;
}

/* The file is as large as all addresses together; only written pages take memory. */
static haul_status open_file(void) {
    const off_t most = (off_t)1 << 46; /* only written pages take memory */
    if (file) return HAUL_OK;
    const int made = memfd_create(FILE_NAME, MFD_CLOEXEC);
    if (made > 0 && ftruncate(made, most) == 0) {
        file = made;
        return HAUL_OK;
    }
    if (made > 0) close(made);
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host has no memory that can be mapped twice");
}

/* Makes an object from its description and returns the handle. */
static haul_status add_physical(const sim_physical *made, uint64_t *handle) {
    sim_physical *p = memory_zeroed(1, sizeof *p);
    if (!p) return sim_virtual_no_host_memory();
    *p = *made;
    p->handle = ++next_handle;
    p->held = 1;
    p->next = first;
    first = p;
    *handle = p->handle;
    return HAUL_OK;
}

haul_status sim_virtual_create(unsigned device, uint64_t bytes, uint64_t *handle) {
    SIM_VIRTUAL_CHANGES();
    char text[32];
    HAUL_TRY(sim_virtual_check_pages(0, bytes));
    HAUL_TRY(open_file());
    if (bytes > sim_host_available())
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host has no %s left",
                         number_format_bytes((double)bytes, text));
    HAUL_TRY(add_physical(&(sim_physical){.device = device, .bytes = bytes, .place = next_place}, handle));
    next_place += bytes;
    used[device] += bytes;
    return HAUL_OK;
}

haul_status sim_virtual_create_multicast(unsigned devices, uint64_t bytes, uint64_t *handle) {
    SIM_VIRTUAL_CHANGES();
    HAUL_TRY(sim_virtual_check_pages(0, bytes));
    if (devices == 0 || devices > SIM_VIRTUAL_DEVICES)
        return sim_virtual_wrong("multicast over %u devices: must be 1 to %d", devices, SIM_VIRTUAL_DEVICES);
    return add_physical(&(sim_physical){.bytes = bytes, .device_count = devices}, handle);
}

uint64_t sim_virtual_used(unsigned device) {
    return used[device];
}

static void end_physical(sim_physical *p);

/* One user less; the last one frees the object. */
void sim_physical_drop(sim_physical *p) {
    p->used--;
    if (!p->used && !p->held) end_physical(p);
}

void sim_physical_remove_binding(sim_physical *p, size_t at) {
    sim_physical_drop(p->bindings[at].memory);
    p->binding_count--;
    memmove(p->bindings + at, p->bindings + at + 1, (p->binding_count - at) * sizeof *p->bindings);
}

/* Gives the memory back to the system by a hole in the file. */
static void end_physical(sim_physical *p) {
    sim_physical **link = &first;
    while (*link != p) link = &(*link)->next;
    *link = p->next;
    while (p->binding_count) sim_physical_remove_binding(p, p->binding_count - 1);
    if (p->view) munmap(p->view, p->bytes);
    if (!sim_physical_is_multicast(p)) {
        if (!p->file && !p->is_exported)
            (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)p->place, (off_t)p->bytes);
        used[p->device] -= p->bytes;
    }
    if (p->file) close(p->file);
    memory_free(p->bindings);
    memory_free(p);
}

static int file_of(const sim_physical *p) {
    return p->file ? p->file : file;
}

/* ---- other processes ---- */

enum { LENGTH_BITS = 21 }; /* places are multiples of a page, 2^21, below which is room for the number of pages */

/* The descriptor's position tells where the memory is and how long: it travels with the descriptor. */
haul_status sim_virtual_export(uint64_t handle, int *descriptor) {
    SIM_VIRTUAL_CHANGES();
    char path[64];
    sim_physical *p = sim_physical_of(handle);
    if (!p) return HAUL_ERROR_ARGUMENT;
    if (sim_physical_is_multicast(p)) return sim_virtual_wrong("a multicast object cannot be exported");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file_of(p));
    *descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (*descriptor >= 0 && lseek(*descriptor, (off_t)(p->place | p->bytes >> LENGTH_BITS), SEEK_SET) >= 0) {
        p->is_exported = true;
        return HAUL_OK;
    }
    if (*descriptor >= 0) close(*descriptor);
    return haul_fail(HAUL_ERROR_FILE, "virtual memory: its file cannot be opened once more: %s", strerror(errno));
}

/* Whether it is a file of haul's, of this or another process. */
static bool is_ours(int descriptor) {
    char path[64], name[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(path, name, sizeof name - 1);
    if (length < 0) return false;
    name[length] = '\0';
    return strncmp(name, "/memfd:", 7) == 0 && strncmp(name + 7, FILE_NAME, sizeof FILE_NAME - 1) == 0;
}

haul_status sim_virtual_import(int descriptor, unsigned device, uint64_t *handle) {
    SIM_VIRTUAL_CHANGES();
    const off_t at = lseek(descriptor, 0, SEEK_CUR);
    if (at <= 0 || !is_ours(descriptor))
        return sim_virtual_wrong("descriptor %d is not one of exported memory", descriptor);
    const uint64_t pages = (uint64_t)at & ((1u << LENGTH_BITS) - 1);
    sim_physical made = {.device = device, .bytes = pages << LENGTH_BITS, .place = (uint64_t)at - pages};
    made.file = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (made.file < 0) return haul_fail(HAUL_ERROR_FILE, "virtual memory: %s", strerror(errno));
    const haul_status status = add_physical(&made, handle);
    if (status != HAUL_OK) close(made.file);
    if (status == HAUL_OK) used[device] += made.bytes;
    return status;
}

haul_status sim_virtual_release(uint64_t handle) {
    SIM_VIRTUAL_CHANGES();
    sim_physical *p = sim_physical_of(handle);
    if (p && --p->held == 0 && !p->used) end_physical(p);
    return p ? HAUL_OK : HAUL_ERROR_ARGUMENT;
}

haul_status sim_virtual_describe(uint64_t handle, unsigned *device, uint64_t *bytes, bool *multicast) {
    SIM_VIRTUAL_READS();
    const sim_physical *p = sim_physical_of(handle);
    if (!p) return HAUL_ERROR_ARGUMENT;
    *device = p->device;
    *bytes = p->bytes;
    *multicast = sim_physical_is_multicast(p);
    return HAUL_OK;
}

haul_status sim_physical_make_view(sim_physical *p) {
    if (p->view) return HAUL_OK;
    void *view = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_of(p), (off_t)p->place);
    if (view == MAP_FAILED)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host cannot map %llu bytes more",
                         (unsigned long long)p->bytes);
    p->view = view;
    return HAUL_OK;
}

haul_status sim_physical_show(const sim_physical *p, unsigned char *host, uint64_t offset, uint64_t bytes) {
    if (sim_physical_is_multicast(p)) return HAUL_OK;
    void *shown =
        mmap(host, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_of(p), (off_t)(p->place + offset));
    if (shown != MAP_FAILED) return HAUL_OK;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host cannot map %llu bytes more",
                     (unsigned long long)bytes);
}

void sim_physical_hide(const sim_physical *p, unsigned char *host, uint64_t bytes) {
    if (sim_physical_is_multicast(p)) return;
    (void)mmap(host, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void sim_physicals_end(void) {
    for (sim_physical *p = first; p; p = p->next) p->held = 1; /* so that no memory is freed with its binding */
    for (sim_physical *p = first; p; p = p->next)
        while (p->binding_count) sim_physical_remove_binding(p, p->binding_count - 1);
    while (first) end_physical(first);
    if (file) close(file);
    file = 0;
    next_place = 0;
}
