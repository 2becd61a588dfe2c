/* Pools: stream-ordered memory from the driver's own pools, with a list of the buffers that are in use.
 *
 * The driver's pool does the work: it keeps released memory for later allocations and orders both with streams. The
 * list adds what the driver does not know, labels and the number of buffers, so that messages and leaks can name them.
 * A pool_buffer begins with the haul_buffer that callers get, so a pointer to one is a pointer to the other. Buffers of
 * a pool are not in the device's list of buffers. */
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "lib/stream.h"

struct haul_pool {
    haul_device *device;
    CUmemoryPool handle;
    uint64_t limit;           /* bytes; 0: none */
    struct pool_buffer *live; /* allocated and not released */
};

typedef struct pool_buffer {
    haul_buffer buffer; /* first: callers hold a pointer to it */
    haul_pool *pool;
    const char *label; /* for messages; the caller's, not copied; may be NULL */
    struct pool_buffer *next;
} pool_buffer;

/* Reads a number of the pool from the driver. */
static haul_status get(const haul_pool *p, int attribute, uint64_t *value) {
    return device_check(p->device, p->device->driver->pool_get(p->handle, attribute, value), "reading a pool's usage");
}

/* Makes released memory stay in the pool, instead of going back to the device at the next synchronisation. */
static haul_status keep_memory(const haul_pool *p) {
    uint64_t threshold = UINT64_MAX;
    return device_check(p->device, p->device->driver->pool_set(p->handle, DRIVER_POOL_RELEASE_THRESHOLD, &threshold),
                        "setting up a pool");
}

/* `limit` 0: none. Released memory stays in the pool (keep_memory()), so the pool grows to its highest use. */
haul_status haul_pool_create(haul_device *d, uint64_t limit, haul_pool **pool) {
    const CUmemPoolProps properties = {.allocation = 1, .location = {.type = 1, .id = d->handle}, .max_bytes = limit};
    *pool = NULL;
    HAUL_TRY(device_enter(d));
    haul_pool *p = memory_zeroed(1, sizeof *p);
    if (!p) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "pool: no memory for its description");
    p->device = d;
    p->limit = limit;
    haul_status status = device_check(d, d->driver->pool_create(&p->handle, &properties), "creating a pool");
    if (status == HAUL_OK) {
        status = keep_memory(p);
        if (status != HAUL_OK) d->driver->pool_destroy(p->handle);
    }
    if (status != HAUL_OK) {
        memory_free(p);
        return status;
    }
    *pool = p;
    return HAUL_OK;
}

/* Fails with how much is in use and how much is left, as far as the driver tells. */
static haul_status no_room(const haul_pool *p, uint64_t bytes) {
    uint64_t used = 0, left = 0, total = 0;
    char asked[32], in_use[32], limit[32], rest[32];
    (void)get(p, DRIVER_POOL_USED, &used);
    (void)haul_device_memory(p->device, &left, &total);
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY,
                     "pool: %s asked for; %s of its limit of %s are in use, and %s of the device's memory are left",
                     number_format_bytes((double)bytes, asked), number_format_bytes((double)used, in_use),
                     p->limit ? number_format_bytes((double)p->limit, limit) : "(none)",
                     number_format_bytes((double)left, rest));
}

/* Asks the driver; a buffer of 0 bytes gets memory for 1. */
static haul_status allocate(const haul_pool *p, const haul_stream *s, uint64_t bytes, CUdeviceptr *address) {
    HAUL_TRY(device_enter(p->device));
    uint64_t used = 0;
    HAUL_TRY(get(p, DRIVER_POOL_USED, &used));
    const CUresult result = p->device->driver->pool_allocate(address, bytes ? bytes : 1, p->handle, s->handle);
    return result == CUDA_OUT_OF_MEMORY ? no_room(p, bytes)
                                        : device_check(p->device, result, "allocating memory of a pool");
}

/* The memory can be used by the stream's later work, or by others after an event. */
haul_status haul_pool_allocate(haul_pool *p, haul_stream *s, uint64_t bytes, const char *label, haul_buffer **buffer) {
    *buffer = NULL;
    pool_buffer *b = memory_zeroed(1, sizeof *b);
    if (!b) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "pool: no memory for a buffer's description");
    haul_status status = allocate(p, s, bytes, &b->buffer.address);
    if (status != HAUL_OK) {
        memory_free(b);
        return status;
    }
    b->buffer.device = p->device;
    b->buffer.bytes = bytes;
    b->pool = p;
    b->label = label;
    b->next = p->live;
    p->live = b;
    *buffer = &b->buffer;
    return HAUL_OK;
}

/* The memory can be used again by work that the stream gets later. If the driver refuses, the buffer stays in the
 * list. */
haul_status haul_pool_release(haul_buffer *buffer, haul_stream *s) {
    pool_buffer *b = (pool_buffer *)buffer;
    haul_pool *p = b->pool;
    HAUL_TRY(device_enter(p->device));
    const haul_status status =
        device_check(p->device, p->device->driver->release_async(buffer->address, s->handle), "giving back memory");
    if (status != HAUL_OK) return status;
    for (pool_buffer **link = &p->live; *link; link = &(*link)->next) {
        if (*link != b) continue;
        *link = b->next;
        break;
    }
    memory_free(b);
    return HAUL_OK;
}

haul_status haul_pool_let(haul_pool *p, haul_device *peer, bool reaches) {
    const CUmemAccessDesc access = {.location = {.type = 1, .id = peer->handle},
                                    .flags = reaches ? DRIVER_ACCESS_READ_WRITE : DRIVER_ACCESS_NONE};
    if (peer != p->device && !haul_device_can_reach(peer, p->device))
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "pool: %s cannot access memory of %s", peer->name, p->device->name);
    HAUL_TRY(device_enter(p->device));
    return device_check(p->device, p->device->driver->pool_set_access(p->handle, &access, 1),
                        "setting who has access to a pool");
}

/* The driver counts bytes; buffers are counted in the list. */
haul_status haul_pool_usage_of(haul_pool *p, haul_pool_usage *usage) {
    *usage = (haul_pool_usage){.limit = p->limit};
    HAUL_TRY(device_enter(p->device));
    HAUL_TRY(get(p, DRIVER_POOL_USED, &usage->used));
    HAUL_TRY(get(p, DRIVER_POOL_USED_HIGH, &usage->used_high));
    HAUL_TRY(get(p, DRIVER_POOL_RESERVED, &usage->reserved));
    HAUL_TRY(get(p, DRIVER_POOL_RESERVED_HIGH, &usage->reserved_high));
    for (const pool_buffer *b = p->live; b; b = b->next) usage->buffers++;
    return HAUL_OK;
}

/* The driver allows only 0, which resets the mark. */
haul_status haul_pool_reset_high(haul_pool *p) {
    uint64_t zero = 0;
    HAUL_TRY(device_enter(p->device));
    HAUL_TRY(device_check(p->device, p->device->driver->pool_set(p->handle, DRIVER_POOL_USED_HIGH, &zero),
                          "resetting a pool's marks"));
    return device_check(p->device, p->device->driver->pool_set(p->handle, DRIVER_POOL_RESERVED_HIGH, &zero),
                        "resetting a pool's marks");
}

/* Fails if buffers were never released, and names the largest. It frees nothing. */
static haul_status report_leaks(haul_pool *p) {
    uint64_t bytes = 0;
    size_t count = 0;
    const pool_buffer *largest = p->live;
    char all[32], most[32];
    for (const pool_buffer *b = p->live; b; b = b->next) {
        count++;
        bytes += b->buffer.bytes;
        if (b->buffer.bytes > largest->buffer.bytes) largest = b;
    }
    if (count == 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "pool: %zu buffers, %s in all, were never released; the largest, %s of %s",
                     count, number_format_bytes((double)bytes, all), largest->label ? largest->label : "unnamed",
                     number_format_bytes((double)largest->buffer.bytes, most));
}

/* Waits for the device, frees what is left, and returns the error about leaks. NULL is allowed. */
haul_status haul_pool_free(haul_pool *p) {
    if (!p) return HAUL_OK;
    const driver_table *driver = p->device->driver;
    const haul_status status = report_leaks(p);
    const bool entered = device_enter(p->device) == HAUL_OK;
    if (entered) driver->synchronize();
    while (p->live) {
        pool_buffer *b = p->live;
        p->live = b->next;
        if (entered) driver->release_async(b->buffer.address, NULL);
        memory_free(b);
    }
    if (entered) {
        driver->synchronize();
        driver->pool_destroy(p->handle);
    }
    memory_free(p);
    return status == HAUL_OK ? HAUL_OK : status;
}

haul_status haul_device_memory(haul_device *d, uint64_t *free_bytes, uint64_t *total) {
    size_t left = 0, all = 0;
    HAUL_TRY(device_enter(d));
    HAUL_TRY(device_check(d, d->driver->memory_info(&left, &all), "reading how much memory is free"));
    *free_bytes = left;
    *total = all;
    return HAUL_OK;
}
