/* Host memory that kernels can access, host work beside the device, and L2 residency.
 *
 * Host memory is pinned (page-locked and mapped), write-combined, managed, or the caller's own that is pinned in place.
 * Each has a view: a haul_buffer with the address at which kernels see the memory. Host work is real work whose time
 * the virtual clock cannot see. haul_host_read(), haul_host_write() and haul_host_compute() advance that clock by what
 * the machine's host would take, so that simulated timelines include the host; on a GPU they take their real time. */
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "lib/numa.h"
#include "lib/stream.h"
#include "vgpu/driver.h"

#include <string.h>

/* ---- memory ---- */

/* Fills in the view and adds the memory to the device's list. Managed memory has one address for both sides. */
static haul_status link_host(haul_device *d, haul_host *h, haul_host **host) {
    if (h->kind == HAUL_HOST_MANAGED)
        h->view.address = (CUdeviceptr)(uintptr_t)h->memory;
    else
        HAUL_TRY(device_check(d, d->driver->host_address(&h->view.address, h->memory, 0), "mapping pinned memory"));
    h->device = h->view.device = d;
    h->view.bytes = h->bytes;
    h->next = d->hosts;
    d->hosts = h;
    *host = h;
    return HAUL_OK;
}

static haul_status allocate_managed(haul_device *d, haul_host *h) {
    CUdeviceptr address = 0;
    HAUL_TRY(device_check(d, d->driver->managed_allocate(&address, h->bytes, DRIVER_ATTACH_GLOBAL),
                          "allocating managed memory"));
    h->memory = (void *)(uintptr_t)address;
    return HAUL_OK;
}

/* All pinned memory is mapped, and portable to other contexts. It lies near the device. */
static haul_status allocate(haul_device *d, haul_host *h) {
    const unsigned flags =
        DRIVER_HOST_PORTABLE | DRIVER_HOST_MAPPED | (h->kind == HAUL_HOST_PINNED ? 0 : DRIVER_HOST_WRITE_COMBINED);
    HAUL_TRY(device_enter(d));
    if (h->kind == HAUL_HOST_MANAGED) return allocate_managed(d, h);
    numa_policy before;
    numa_begin(d, &before);
    const CUresult result = d->driver->host_allocate(&h->memory, h->bytes, flags);
    numa_end(&before);
    return device_check(d, result, "allocating pinned memory");
}

/* Managed memory is freed like the device's. */
static void release(const haul_device *d, const haul_host *h) {
    if (h->kind == HAUL_HOST_MANAGED)
        d->driver->release(h->view.address);
    else
        d->driver->host_release(h->memory);
}

/* A failure after the allocation frees the memory again. */
haul_status haul_host_create(haul_device *d, uint64_t bytes, haul_host_kind kind, haul_host **host) {
    *host = NULL;
    haul_host *h = memory_zeroed(1, sizeof *h);
    if (!h) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "pinned memory: no memory for its description");
    h->bytes = bytes;
    h->kind = kind;
    haul_status status = allocate(d, h);
    if (status == HAUL_OK) {
        status = link_host(d, h, host);
        if (status != HAUL_OK) release(d, h);
    }
    if (status != HAUL_OK) memory_free(h);
    return status;
}

/* The memory stays the caller's and must live on until haul_host_free(). */
haul_status haul_host_register(haul_device *d, void *memory, uint64_t bytes, haul_host **host) {
    *host = NULL;
    HAUL_TRY(device_enter(d));
    haul_host *h = memory_zeroed(1, sizeof *h);
    if (!h) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "pinned memory: no memory for its description");
    *h = (haul_host){.memory = memory, .bytes = bytes, .registered = true};
    haul_status status = device_check(
        d, d->driver->host_register(memory, bytes, DRIVER_HOST_PORTABLE | DRIVER_HOST_MAPPED), "pinning memory");
    if (status == HAUL_OK) {
        status = link_host(d, h, host);
        if (status != HAUL_OK) d->driver->host_unregister(memory);
    }
    if (status != HAUL_OK) memory_free(h);
    return status;
}

void haul_host_free(haul_host *h) {
    if (!h) return;
    haul_device *d = h->device;
    for (haul_host **link = &d->hosts; *link; link = &(*link)->next) {
        if (*link != h) continue;
        *link = h->next;
        break;
    }
    if (device_enter(d) == HAUL_OK) {
        d->driver->synchronize(); /* unregistering does not wait by itself */
        if (h->registered)
            d->driver->host_unregister(h->memory);
        else
            release(d, h);
    }
    memory_free(h);
}

void *haul_host_memory(const haul_host *h) {
    return h->memory;
}

uint64_t haul_host_bytes(const haul_host *h) {
    return h->bytes;
}

haul_buffer *haul_host_view(haul_host *h) {
    return &h->view;
}

/* Whether copies can go directly to or from the memory: all of it lies in one pinned piece. Managed memory does not
 * count. */
bool haul_host_is_pinned(const haul_device *d, const void *memory, uint64_t bytes) {
    for (const haul_host *h = d->hosts; h; h = h->next) {
        const uintptr_t at = (uintptr_t)memory, from = (uintptr_t)h->memory;
        if (at >= from && at - from <= h->bytes && bytes <= h->bytes - (at - from)) return h->kind != HAUL_HOST_MANAGED;
    }
    return false;
}

/* ---- host work ---- */

/* Advances the virtual clock by `us` microseconds of host work; the device continues meanwhile. Does nothing on a
 * GPU. */
static haul_status spend(const haul_device *d, double us) {
    HAUL_TRY(device_enter(d));
    if (d->extras) d->extras->wait_until(d->extras->now() + us);
    return HAUL_OK;
}

/* As buffer_check_range(), for host memory. */
static haul_status check_host_range(const haul_host *h, uint64_t offset, uint64_t bytes) {
    if (offset <= h->bytes && bytes <= h->bytes - offset) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "host memory of %llu bytes: %llu bytes from %llu on reach beyond its end",
                     (unsigned long long)h->bytes, (unsigned long long)bytes, (unsigned long long)offset);
}

/* Microseconds that the host takes to copy; reads of write-combined memory are uncached, and far slower. 0 on a GPU. */
static double time_of_copy(const haul_host *h, uint64_t bytes, bool reads) {
    if (!h->device->extras) return 0;
    const sim_machine *m = h->device->extras->machine(h->device->handle);
    const bool uncached = reads && h->kind == HAUL_HOST_WRITE_COMBINED;
    return (double)bytes / (1e3 * (uncached ? m->uncached_read_gbps : m->host_copy_gbps));
}

/* The copy is real; only its time is simulated. */
haul_status haul_host_read(haul_host *h, uint64_t offset, void *to, uint64_t bytes) {
    HAUL_TRY(check_host_range(h, offset, bytes));
    memcpy(to, (const unsigned char *)h->memory + offset, bytes);
    return spend(h->device, time_of_copy(h, bytes, true));
}

haul_status haul_host_write(haul_host *h, uint64_t offset, const void *from, uint64_t bytes) {
    HAUL_TRY(check_host_range(h, offset, bytes));
    memcpy((unsigned char *)h->memory + offset, from, bytes);
    return spend(h->device, time_of_copy(h, bytes, false));
}

/* Calls the function, which may be NULL, and charges `us` for it, however long it took. */
haul_status haul_host_compute(haul_device *d, double us, void (*function)(void *), void *data) {
    if (!(us >= 0)) return haul_fail(HAUL_ERROR_ARGUMENT, "host work of %g us: it must be 0 or more", us);
    if (function) function(data);
    return spend(d, us);
}

/* ---- L2 ---- */

haul_status haul_l2_set_fetch(haul_device *d, uint32_t bytes) {
    HAUL_TRY(device_enter(d));
    return device_check(d, d->driver->limit_set(DRIVER_LIMIT_L2_FETCH, bytes), "setting what L2 fetches at once");
}

haul_status haul_l2_fetch(haul_device *d, uint32_t *bytes) {
    size_t value = 0;
    HAUL_TRY(device_enter(d));
    HAUL_TRY(device_check(d, d->driver->limit_get(&value, DRIVER_LIMIT_L2_FETCH), "reading what L2 fetches at once"));
    *bytes = (uint32_t)value;
    return HAUL_OK;
}

/* Reads the amount back: the driver may round it. */
haul_status haul_l2_set_aside(haul_device *d, uint64_t bytes, uint64_t *set_aside) {
    int most = 0;
    size_t value = 0;
    char asked[32], limit[32];
    HAUL_TRY(device_enter(d));
    d->driver->device_attribute(&most, DRIVER_DEVICE_PERSISTING_L2_BYTES, d->handle);
    if (bytes > (uint64_t)most)
        return haul_fail(HAUL_ERROR_ARGUMENT, "L2: %s to be set aside, %s can set aside %s",
                         number_format_bytes((double)bytes, asked), d->name, number_format_bytes(most, limit));
    HAUL_TRY(device_check(d, d->driver->limit_set(DRIVER_LIMIT_PERSISTING_L2, bytes), "setting L2 aside"));
    HAUL_TRY(device_check(d, d->driver->limit_get(&value, DRIVER_LIMIT_PERSISTING_L2), "reading what is set aside"));
    if (set_aside) *set_aside = value;
    return HAUL_OK;
}

/* A limit of 0 means that the driver does not tell. */
haul_status device_check_window(const haul_device *d, uint64_t bytes) {
    haul_device_properties p;
    char asked[32], most[32];
    haul_device_properties_of(d, &p);
    if (!p.window_bytes || bytes <= p.window_bytes) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "L2: a window of %s, but %s allows %s: choose a part of the buffer",
                     number_format_bytes((double)bytes, asked), d->name,
                     number_format_bytes((double)p.window_bytes, most));
}

/* Sets the window of a stream; 0 bytes end it. */
haul_status haul_l2_keep(haul_stream *s, haul_buffer *b, uint64_t offset, uint64_t bytes, float hit_ratio) {
    HAUL_TRY(buffer_check_range(b, offset, bytes));
    if (!(hit_ratio >= 0 && hit_ratio <= 1))
        return haul_fail(HAUL_ERROR_ARGUMENT, "L2: a hit ratio of %g: it must lie between 0 and 1", (double)hit_ratio);
    HAUL_TRY(device_check_window(s->device, bytes));
    CUstreamAttrValue value = {.window = {.base = (void *)(uintptr_t)(b->address + offset),
                                          .bytes = bytes,
                                          .hit_ratio = hit_ratio,
                                          .hit = bytes ? DRIVER_ACCESS_PERSISTING : DRIVER_ACCESS_NORMAL,
                                          .miss = bytes ? DRIVER_ACCESS_STREAMING : DRIVER_ACCESS_NORMAL}};
    HAUL_TRY(device_enter(s->device));
    return device_check(s->device,
                        s->device->driver->stream_set_attribute(s->handle, DRIVER_STREAM_ACCESS_POLICY_WINDOW, &value),
                        "setting a window of L2");
}

haul_status haul_l2_reset(haul_device *d) {
    HAUL_TRY(device_enter(d));
    return device_check(d, d->driver->persisting_reset(), "resetting what persists in L2");
}
