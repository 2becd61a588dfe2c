#include "sim/virtual.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/search.h"
#include "base/status.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes first .. first + bytes - 1 of a multicast object are, on its device number `slot`, these of `memory`. */
typedef struct binding {
    unsigned slot;
    uint64_t first, bytes;
    struct physical *memory;
    uint64_t memory_offset;
} binding;

typedef struct physical {
    uint64_t handle;
    unsigned device;
    uint64_t bytes;
    uint64_t place;                       /* in the file */
    unsigned held;                        /* handles that were given out and not released */
    unsigned used;                        /* mappings and bindings */
    bool was_mapped;                      /* what it has been given since it was made, nobody follows */
    unsigned char *view;                  /* all of it, for multicast; NULL until needed */
    unsigned device_count, devices_added; /* multicast: 0: memory */
    unsigned char devices[SIM_VIRTUAL_DEVICES];
    binding *bindings;
    size_t binding_count, binding_capacity;
    struct physical *next;
} physical;

typedef struct reservation {
    uint64_t from, bytes;
    unsigned char *host;
} reservation;

typedef struct mapping {
    uint64_t from, bytes;
    const reservation *in;
    physical *memory;
    uint64_t offset;
    uint64_t allowed, read_only; /* a bit a device; read_only: of those allowed */
} mapping;

static struct {
    pthread_rwlock_t lock;
    int file; /* 0: none yet */
    uint64_t next_handle, next_place;
    physical *physicals;
    reservation **reservations;
    size_t reservation_count, reservation_capacity;
    mapping *mappings;
    size_t mapping_count, mapping_capacity;
    sim_memory **memories;
    size_t memory_count, memory_capacity;
    uint64_t used[SIM_VIRTUAL_DEVICES];
} v = {.lock = PTHREAD_RWLOCK_INITIALIZER};

void sim_virtual_hold(void) {
    pthread_rwlock_rdlock(&v.lock);
}

void sim_virtual_release_hold(void) {
    pthread_rwlock_unlock(&v.lock);
}

__attribute__((format(printf, 1, 2))) static haul_status wrong(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(HAUL_ERROR_ARGUMENT, format, arguments);
    va_end(arguments);
    return haul_fail_in(HAUL_ERROR_ARGUMENT, "virtual memory");
}

static haul_status no_host_memory(void) {
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host has no memory for its lists");
}

/* Room for one more element of an array. */
static haul_status make_room(void **array, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return HAUL_OK;
    const size_t more = *capacity ? *capacity * 2 : 16;
    void *grown = memory_resize(*array, more * size);
    if (!grown) return no_host_memory();
    *array = grown;
    *capacity = more;
    return HAUL_OK;
}

static haul_status check_pages(uint64_t address, uint64_t bytes) {
    if (bytes && !(address % SIM_VIRTUAL_PAGE) && !(bytes % SIM_VIRTUAL_PAGE)) return HAUL_OK;
    return wrong("%llu bytes at 0x%llx: must be multiples of 2 MiB", (unsigned long long)bytes,
                 (unsigned long long)address);
}

/* ---- addresses ---- */

/* How many reservations begin at or before the address. */
static size_t reservations_until(uint64_t address) {
    size_t until;
    SEARCH_FIRST(until, v.reservation_count, k, v.reservations[k]->from <= address);
    return until;
}

static const reservation *reservation_at(uint64_t address) {
    const size_t until = reservations_until(address);
    const reservation *r = until ? v.reservations[until - 1] : NULL;
    return r && address - r->from < r->bytes ? r : NULL;
}

static bool is_free(uint64_t from, uint64_t bytes) {
    if (from < SIM_VIRTUAL_BASE || bytes > SIM_VIRTUAL_BYTES) return false;
    if (from - SIM_VIRTUAL_BASE > SIM_VIRTUAL_BYTES - bytes) return false;
    const size_t until = reservations_until(from + bytes - 1);
    return until == 0 || v.reservations[until - 1]->from + v.reservations[until - 1]->bytes <= from;
}

/* The first place that is free; 0: none. */
static uint64_t find_place(uint64_t bytes, uint64_t alignment) {
    uint64_t from = SIM_VIRTUAL_BASE;
    for (size_t i = 0; i <= v.reservation_count; i++) {
        from = (from + alignment - 1) / alignment * alignment;
        if (is_free(from, bytes)) return from;
        if (i < v.reservation_count) from = v.reservations[i]->from + v.reservations[i]->bytes;
    }
    return 0;
}

static haul_status add_reservation(uint64_t from, uint64_t bytes) {
    char text[32];
    HAUL_TRY(make_room((void **)&v.reservations, v.reservation_count, &v.reservation_capacity, sizeof *v.reservations));
    reservation *r = memory_zeroed(1, sizeof *r);
    if (!r) return no_host_memory();
    void *host = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED) {
        memory_free(r);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host has no %s of address space",
                         number_format_bytes((double)bytes, text));
    }
    *r = (reservation){from, bytes, host};
    const size_t at = reservations_until(from);
    memmove(v.reservations + at + 1, v.reservations + at, (v.reservation_count++ - at) * sizeof *v.reservations);
    v.reservations[at] = r;
    return HAUL_OK;
}

static haul_status reserve(uint64_t bytes, uint64_t alignment, uint64_t wanted, uint64_t *address) {
    char text[32];
    HAUL_TRY(check_pages(0, bytes));
    if (alignment & (alignment - 1))
        return wrong("alignment %llu: must be a power of two", (unsigned long long)alignment);
    if (alignment < SIM_VIRTUAL_PAGE) alignment = SIM_VIRTUAL_PAGE;
    const bool fits = wanted % alignment == 0 && is_free(wanted, bytes);
    const uint64_t from = fits ? wanted : find_place(bytes, alignment);
    if (!from)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: %s of addresses are not left in one piece",
                         number_format_bytes((double)bytes, text));
    HAUL_TRY(add_reservation(from, bytes));
    *address = from;
    return HAUL_OK;
}

haul_status sim_virtual_reserve(uint64_t bytes, uint64_t alignment, uint64_t wanted, uint64_t *address) {
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status = reserve(bytes, alignment, wanted, address);
    pthread_rwlock_unlock(&v.lock);
    return status;
}

/* ---- mappings, found ---- */

/* How many mappings begin at or before the address. */
static size_t mappings_until(uint64_t address) {
    size_t until;
    SEARCH_FIRST(until, v.mapping_count, k, v.mappings[k].from <= address);
    return until;
}

static mapping *mapping_at(uint64_t address) {
    const size_t until = mappings_until(address);
    mapping *m = until ? &v.mappings[until - 1] : NULL;
    return m && address - m->from < m->bytes ? m : NULL;
}

static bool is_multicast(const physical *p) {
    return p->device_count > 0;
}

static bool is_usable(const mapping *m, unsigned device) {
    return (m->allowed >> device & 1) && !is_multicast(m->memory);
}

/* Whether a device sees b as a's continuation. */
static bool goes_on(const mapping *a, const mapping *b, unsigned device) {
    const bool differs = (a->read_only ^ b->read_only) >> device & 1;
    return a->in == b->in && a->from + a->bytes == b->from && is_usable(b, device) && is_usable(a, device) && !differs;
}

bool sim_virtual_find(unsigned device, uint64_t address, sim_range *range) {
    const mapping *m = mapping_at(address), *end = v.mappings + v.mapping_count;
    if (!m || !is_usable(m, device)) return false;
    const mapping *first = m, *last = m;
    while (first > v.mappings && goes_on(first - 1, first, device)) first--;
    while (last + 1 < end && goes_on(last, last + 1, device)) last++;
    *range = (sim_range){first->from, last->from + last->bytes, (uintptr_t)m->in->host - m->in->from};
    return true;
}

bool sim_virtual_before(unsigned device, uint64_t address, sim_range *range) {
    const reservation *r = reservation_at(address);
    for (size_t i = mappings_until(address); r && i-- > 0 && v.mappings[i].in == r;)
        if (sim_virtual_find(device, v.mappings[i].from, range)) return range->to <= address;
    return false;
}

const char *sim_virtual_reason(unsigned device, uint64_t address) {
    const mapping *m = mapping_at(address);
    if (!reservation_at(address)) return "access to addresses that nobody has reserved";
    if (!m) return "access to reserved addresses where nothing is mapped";
    if (!(m->allowed >> device & 1)) return "access to mapped memory that the device was given no access to";
    if (m->read_only >> device & 1) return "write to mapped memory that the device may only read";
    return is_multicast(m->memory) ? "access to a multicast address, which only multimem instructions may use"
                                   : "access beyond what is mapped";
}

/* ---- memory ---- */

static physical *physical_of(uint64_t handle) {
    for (physical *p = v.physicals; p; p = p->next)
        if (p->handle == handle && p->held) return p;
    (void)wrong("0x%llx is no handle of memory", (unsigned long long)handle);
    return NULL;
}

static haul_status open_file(void) {
    const off_t most = (off_t)1 << 46; /* only what is written takes memory */
    if (v.file) return HAUL_OK;
    const int file = memfd_create("haul-device-memory", MFD_CLOEXEC);
    if (file > 0 && ftruncate(file, most) == 0) {
        v.file = file;
        return HAUL_OK;
    }
    if (file > 0) close(file);
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host gives no memory that can be mapped twice");
}

static haul_status add_physical(const physical *made, uint64_t *handle) {
    physical *p = memory_zeroed(1, sizeof *p);
    if (!p) return no_host_memory();
    *p = *made;
    p->handle = ++v.next_handle;
    p->held = 1;
    p->next = v.physicals;
    v.physicals = p;
    *handle = p->handle;
    return HAUL_OK;
}

static haul_status create(unsigned device, uint64_t bytes, uint64_t *handle) {
    char text[32];
    HAUL_TRY(check_pages(0, bytes));
    HAUL_TRY(open_file());
    if (bytes > sim_host_available())
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host has no %s left",
                         number_format_bytes((double)bytes, text));
    HAUL_TRY(add_physical(&(physical){.device = device, .bytes = bytes, .place = v.next_place}, handle));
    v.next_place += bytes;
    v.used[device] += bytes;
    return HAUL_OK;
}

haul_status sim_virtual_create(unsigned device, uint64_t bytes, uint64_t *handle) {
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status = create(device, bytes, handle);
    pthread_rwlock_unlock(&v.lock);
    return status;
}

haul_status sim_virtual_create_multicast(unsigned devices, uint64_t bytes, uint64_t *handle) {
    HAUL_TRY(check_pages(0, bytes));
    if (devices == 0 || devices > SIM_VIRTUAL_DEVICES)
        return wrong("multicast over %u devices: must be 1 to %d", devices, SIM_VIRTUAL_DEVICES);
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status = add_physical(&(physical){.bytes = bytes, .device_count = devices}, handle);
    pthread_rwlock_unlock(&v.lock);
    return status;
}

bool sim_virtual_is_used(void) {
    return v.reservation_count > 0;
}

uint64_t sim_virtual_used(unsigned device) {
    return v.used[device];
}

static void end_physical(physical *p);

static void drop(physical *p) {
    p->used--;
    if (!p->used && !p->held) end_physical(p);
}

static void remove_binding(physical *p, size_t at) {
    drop(p->bindings[at].memory);
    p->binding_count--;
    memmove(p->bindings + at, p->bindings + at + 1, (p->binding_count - at) * sizeof *p->bindings);
}

static void end_physical(physical *p) {
    physical **link = &v.physicals;
    while (*link != p) link = &(*link)->next;
    *link = p->next;
    while (p->binding_count) remove_binding(p, p->binding_count - 1);
    if (p->view) munmap(p->view, p->bytes);
    if (!is_multicast(p)) {
        (void)fallocate(v.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)p->place, (off_t)p->bytes);
        v.used[p->device] -= p->bytes;
    }
    memory_free(p->bindings);
    memory_free(p);
}

haul_status sim_virtual_release(uint64_t handle) {
    pthread_rwlock_wrlock(&v.lock);
    physical *p = physical_of(handle);
    if (p && --p->held == 0 && !p->used) end_physical(p);
    pthread_rwlock_unlock(&v.lock);
    return p ? HAUL_OK : HAUL_ERROR_ARGUMENT;
}

static haul_status retain(uint64_t address, uint64_t *handle) {
    const mapping *m = mapping_at(address);
    if (!m) return wrong("0x%llx: nothing is mapped there", (unsigned long long)address);
    m->memory->held++;
    *handle = m->memory->handle;
    return HAUL_OK;
}

haul_status sim_virtual_retain(uint64_t address, uint64_t *handle) {
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status = retain(address, handle);
    pthread_rwlock_unlock(&v.lock);
    return status;
}

haul_status sim_virtual_describe(uint64_t handle, unsigned *device, uint64_t *bytes, bool *multicast) {
    pthread_rwlock_rdlock(&v.lock);
    const physical *p = physical_of(handle);
    if (p) {
        *device = p->device;
        *bytes = p->bytes;
        *multicast = is_multicast(p);
    }
    pthread_rwlock_unlock(&v.lock);
    return p ? HAUL_OK : HAUL_ERROR_ARGUMENT;
}

/* ---- mappings, changed ---- */

/* Nobody follows what is written to memory in several places: it counts as written wherever it is. */
static void follow(const physical *p, const mapping *m, bool fresh) {
    for (size_t i = 0; i < v.memory_count; i++) {
        if (fresh)
            sim_memory_forget_written(v.memories[i], m->from, m->bytes);
        else if (!is_multicast(p))
            sim_memory_mark_written(v.memories[i], m->from, m->bytes);
    }
}

static void stop_following(physical *p) {
    for (size_t i = 0; i < v.mapping_count; i++)
        if (v.mappings[i].memory == p) follow(p, &v.mappings[i], false);
    p->was_mapped = true;
}

static haul_status check_mapping(const physical *p, const reservation *r, uint64_t address, uint64_t bytes,
                                 uint64_t offset) {
    HAUL_TRY(check_pages(address, bytes));
    if (!is_multicast(p) && (offset || bytes != p->bytes))
        return haul_fail(HAUL_ERROR_UNSUPPORTED,
                         "virtual memory: %llu bytes from %llu on of memory that has %llu: it can only be mapped whole",
                         (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)p->bytes);
    if (offset % SIM_VIRTUAL_PAGE || offset > p->bytes || bytes > p->bytes - offset)
        return wrong("%llu bytes from %llu on of memory that has %llu", (unsigned long long)bytes,
                     (unsigned long long)offset, (unsigned long long)p->bytes);
    if (!r || bytes > r->bytes - (address - r->from))
        return wrong("0x%llx: %llu bytes from there on are not reserved", (unsigned long long)address,
                     (unsigned long long)bytes);
    const size_t until = mappings_until(address + bytes - 1);
    const mapping *last = until ? &v.mappings[until - 1] : NULL;
    if (last && last->from + last->bytes > address)
        return wrong("0x%llx: something is mapped there", (unsigned long long)last->from);
    return HAUL_OK;
}

/* Pages of the memory's take the place of those that nobody may touch. */
static haul_status show_pages(const physical *p, const reservation *r, uint64_t address, uint64_t bytes,
                              uint64_t offset) {
    if (is_multicast(p)) return HAUL_OK;
    void *host = mmap(r->host + (address - r->from), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, v.file,
                      (off_t)(p->place + offset));
    if (host != MAP_FAILED) return HAUL_OK;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host cannot map %llu bytes more",
                     (unsigned long long)bytes);
}

static void hide_pages(const reservation *r, uint64_t address, uint64_t bytes) {
    (void)mmap(r->host + (address - r->from), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
               -1, 0);
}

static haul_status map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle) {
    physical *p = physical_of(handle);
    const reservation *r = reservation_at(address);
    if (!p) return HAUL_ERROR_ARGUMENT;
    HAUL_TRY(check_mapping(p, r, address, bytes, offset));
    HAUL_TRY(make_room((void **)&v.mappings, v.mapping_count, &v.mapping_capacity, sizeof *v.mappings));
    HAUL_TRY(show_pages(p, r, address, bytes, offset));
    const size_t at = mappings_until(address);
    memmove(v.mappings + at + 1, v.mappings + at, (v.mapping_count++ - at) * sizeof *v.mappings);
    v.mappings[at] = (mapping){.from = address, .bytes = bytes, .in = r, .memory = p, .offset = offset};
    p->used++;
    follow(p, &v.mappings[at], true);
    if (p->was_mapped) stop_following(p);
    p->was_mapped = true;
    return HAUL_OK;
}

haul_status sim_virtual_map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle) {
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status = map(address, bytes, offset, handle);
    pthread_rwlock_unlock(&v.lock);
    return status;
}

/* The mappings among these bytes, side by side or not: *first, and how many. 0 with a message when there are none, or
 * one reaches beyond them. */
static size_t whole_mappings(uint64_t address, uint64_t bytes, size_t *first) {
    const uint64_t end = address + bytes;
    size_t at = mappings_until(address), count = 0;
    if (at && v.mappings[at - 1].from + v.mappings[at - 1].bytes > address) at--;
    *first = at;
    while (at + count < v.mapping_count && v.mappings[at + count].from < end) count++;
    const mapping *last = count ? &v.mappings[at + count - 1] : NULL;
    if (last && v.mappings[at].from >= address && last->from + last->bytes <= end) return count;
    (void)wrong("%llu bytes at 0x%llx: must be whole mappings", (unsigned long long)bytes, (unsigned long long)address);
    return 0;
}

/* Likewise, but with nothing between them. */
static size_t dense_mappings(uint64_t address, uint64_t bytes, size_t *first) {
    const size_t count = whole_mappings(address, bytes, first);
    uint64_t next = address;
    for (size_t i = *first; i < *first + count && v.mappings[i].from == next; i++) next += v.mappings[i].bytes;
    if (count && next == address + bytes) return count;
    if (count) (void)wrong("0x%llx: nothing is mapped there", (unsigned long long)next);
    return 0;
}

static bool has_mapping(uint64_t address, uint64_t bytes) {
    const size_t until = mappings_until(address + bytes - 1);
    return until && v.mappings[until - 1].from + v.mappings[until - 1].bytes > address;
}

static void remove_mappings(size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) {
        const mapping m = v.mappings[i];
        if (!is_multicast(m.memory)) hide_pages(m.in, m.from, m.bytes);
        drop(m.memory);
    }
    v.mapping_count -= count;
    memmove(v.mappings + first, v.mappings + first + count, (v.mapping_count - first) * sizeof *v.mappings);
}

/* As an H100's driver has it, there may be nothing to unmap. */
haul_status sim_virtual_unmap(uint64_t address, uint64_t bytes) {
    size_t first;
    pthread_rwlock_wrlock(&v.lock);
    const bool empty = bytes && reservation_at(address) && !has_mapping(address, bytes);
    const size_t count = empty ? 0 : whole_mappings(address, bytes, &first);
    if (count) remove_mappings(first, count);
    pthread_rwlock_unlock(&v.lock);
    return count || empty ? HAUL_OK : HAUL_ERROR_ARGUMENT;
}

static void set_access(mapping *m, unsigned device, sim_virtual_access access) {
    const uint64_t bit = UINT64_C(1) << device;
    if (access != SIM_VIRTUAL_NONE && (m->allowed & ~bit)) stop_following(m->memory);
    m->allowed = access != SIM_VIRTUAL_NONE ? m->allowed | bit : m->allowed & ~bit;
    m->read_only = access == SIM_VIRTUAL_READ ? m->read_only | bit : m->read_only & ~bit;
}

haul_status sim_virtual_allow(uint64_t address, uint64_t bytes, unsigned device, sim_virtual_access access) {
    size_t first;
    pthread_rwlock_wrlock(&v.lock);
    const size_t count = dense_mappings(address, bytes, &first);
    for (size_t i = first; i < first + count; i++) set_access(&v.mappings[i], device, access);
    pthread_rwlock_unlock(&v.lock);
    return count ? HAUL_OK : HAUL_ERROR_ARGUMENT;
}

haul_status sim_virtual_access_of(uint64_t address, unsigned device, sim_virtual_access *access) {
    pthread_rwlock_rdlock(&v.lock);
    const mapping *m = mapping_at(address);
    *access = !m || !(m->allowed >> device & 1) ? SIM_VIRTUAL_NONE
              : m->read_only >> device & 1      ? SIM_VIRTUAL_READ
                                                : SIM_VIRTUAL_WRITE;
    pthread_rwlock_unlock(&v.lock);
    return m ? HAUL_OK : wrong("0x%llx: nothing is mapped there", (unsigned long long)address);
}

bool sim_virtual_is_read_only(unsigned device, uint64_t address) {
    const mapping *m = mapping_at(address);
    return m && (m->read_only >> device & 1);
}

/* ---- reservations, ended ---- */

static haul_status unreserve(uint64_t address, uint64_t bytes) {
    const size_t at = reservations_until(address);
    reservation *r = at ? v.reservations[at - 1] : NULL;
    if (!r || r->from != address || r->bytes != bytes)
        return wrong("%llu bytes at 0x%llx were not reserved as one", (unsigned long long)bytes,
                     (unsigned long long)address);
    const size_t until = mappings_until(address + bytes - 1);
    if (until && v.mappings[until - 1].in == r)
        return wrong("0x%llx: something is still mapped there", (unsigned long long)v.mappings[until - 1].from);
    munmap(r->host, r->bytes);
    memory_free(r);
    v.reservation_count--;
    memmove(v.reservations + at - 1, v.reservations + at, (v.reservation_count - at + 1) * sizeof *v.reservations);
    return HAUL_OK;
}

haul_status sim_virtual_unreserve(uint64_t address, uint64_t bytes) {
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status = unreserve(address, bytes);
    pthread_rwlock_unlock(&v.lock);
    return status;
}

/* ---- multicast ---- */

static physical *multicast_of(uint64_t handle) {
    physical *p = physical_of(handle);
    if (!p || is_multicast(p)) return p;
    (void)wrong("0x%llx is memory, no multicast object", (unsigned long long)handle);
    return NULL;
}

static int slot_of(const physical *p, unsigned device) {
    for (unsigned i = 0; i < p->devices_added; i++)
        if (p->devices[i] == device) return (int)i;
    return -1;
}

static haul_status add_device(uint64_t handle, unsigned device) {
    physical *p = multicast_of(handle);
    if (!p) return HAUL_ERROR_ARGUMENT;
    if (slot_of(p, device) >= 0) return wrong("device %u has been added to the multicast object before", device);
    if (p->devices_added == p->device_count)
        return wrong("the multicast object has all its %u devices", p->device_count);
    p->devices[p->devices_added++] = (unsigned char)device;
    return HAUL_OK;
}

haul_status sim_virtual_add_device(uint64_t handle, unsigned device) {
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status = add_device(handle, device);
    pthread_rwlock_unlock(&v.lock);
    return status;
}

static haul_status make_view(physical *p) {
    if (p->view) return HAUL_OK;
    void *view = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, v.file, (off_t)p->place);
    if (view == MAP_FAILED)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host cannot map %llu bytes more",
                         (unsigned long long)p->bytes);
    p->view = view;
    return HAUL_OK;
}

static haul_status check_binding(const physical *p, const physical *memory, const binding *b) {
    const int slot = slot_of(p, memory->device);
    HAUL_TRY(check_pages(b->first | b->memory_offset, b->bytes));
    if (is_multicast(memory)) return wrong("a multicast object cannot be bound to another");
    if (p->devices_added < p->device_count)
        return wrong("the multicast object has %u of its %u devices: add all before memory is bound", p->devices_added,
                     p->device_count);
    if (slot < 0) return wrong("memory of device %u, which the multicast object has not", memory->device);
    if (b->first > p->bytes || b->bytes > p->bytes - b->first || b->memory_offset > memory->bytes ||
        b->bytes > memory->bytes - b->memory_offset)
        return wrong("%llu bytes: more than the memory or the multicast object has from there on",
                     (unsigned long long)b->bytes);
    for (size_t i = 0; i < p->binding_count; i++) {
        const binding *other = &p->bindings[i];
        if (other->slot == (unsigned)slot && other->first < b->first + b->bytes &&
            b->first < other->first + other->bytes)
            return wrong("device %u has memory bound there", memory->device);
    }
    return HAUL_OK;
}

static haul_status bind(physical *p, physical *memory, binding b) {
    HAUL_TRY(check_binding(p, memory, &b));
    HAUL_TRY(make_view(memory));
    HAUL_TRY(make_room((void **)&p->bindings, p->binding_count, &p->binding_capacity, sizeof *p->bindings));
    b.slot = (unsigned)slot_of(p, memory->device);
    b.memory = memory;
    p->bindings[p->binding_count++] = b;
    memory->used++;
    stop_following(memory);
    return HAUL_OK;
}

haul_status sim_virtual_bind(uint64_t handle, uint64_t offset, uint64_t memory, uint64_t memory_offset,
                             uint64_t bytes) {
    pthread_rwlock_wrlock(&v.lock);
    physical *p = multicast_of(handle), *m = p ? physical_of(memory) : NULL;
    const binding b = {.first = offset, .bytes = bytes, .memory_offset = memory_offset};
    const haul_status status = m ? bind(p, m, b) : HAUL_ERROR_ARGUMENT;
    pthread_rwlock_unlock(&v.lock);
    return status;
}

static haul_status bind_address(uint64_t handle, uint64_t offset, uint64_t address, uint64_t bytes) {
    physical *p = multicast_of(handle);
    const mapping *m = mapping_at(address);
    if (!p) return HAUL_ERROR_ARGUMENT;
    if (!m || bytes > m->bytes - (address - m->from))
        return wrong("0x%llx: %llu bytes from there on are no mapped memory", (unsigned long long)address,
                     (unsigned long long)bytes);
    const binding b = {.first = offset, .bytes = bytes, .memory_offset = m->offset + (address - m->from)};
    return bind(p, m->memory, b);
}

haul_status sim_virtual_bind_address(uint64_t handle, uint64_t offset, uint64_t address, uint64_t bytes) {
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status = bind_address(handle, offset, address, bytes);
    pthread_rwlock_unlock(&v.lock);
    return status;
}

static haul_status unbind(uint64_t handle, unsigned device, uint64_t offset, uint64_t bytes) {
    physical *p = multicast_of(handle);
    if (!p) return HAUL_ERROR_ARGUMENT;
    const int slot = slot_of(p, device);
    for (size_t i = 0; i < p->binding_count; i++) {
        if ((int)p->bindings[i].slot != slot || p->bindings[i].first != offset || p->bindings[i].bytes != bytes)
            continue;
        remove_binding(p, i);
        return HAUL_OK;
    }
    return wrong("device %u has not bound %llu bytes from %llu on", device, (unsigned long long)bytes,
                 (unsigned long long)offset);
}

haul_status sim_virtual_unbind(uint64_t handle, unsigned device, uint64_t offset, uint64_t bytes) {
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status = unbind(handle, device, offset, bytes);
    pthread_rwlock_unlock(&v.lock);
    return status;
}

/* A device's copy; NULL: it has bound nothing there. */
static unsigned char *copy_at(const physical *p, unsigned slot, uint64_t offset, unsigned bytes) {
    for (size_t i = 0; i < p->binding_count; i++) {
        const binding *b = &p->bindings[i];
        if (b->slot == slot && offset >= b->first && offset + bytes <= b->first + b->bytes)
            return b->memory->view + b->memory_offset + (offset - b->first);
    }
    return NULL;
}

unsigned sim_virtual_copies(unsigned device, uint64_t address, unsigned bytes,
                            unsigned char *copies[SIM_VIRTUAL_DEVICES], const char **why) {
    const mapping *m = sim_is_virtual(address) ? mapping_at(address) : NULL;
    *why = "multimem access to an address that is none of a multicast object";
    if (!m || !is_multicast(m->memory)) return 0;
    *why = "multimem access to a multicast object that the device was given no access to";
    if (device >= SIM_VIRTUAL_DEVICES || !(m->allowed >> device & 1)) return 0;
    const uint64_t offset = m->offset + (address - m->from);
    *why = "multimem access to a multicast object that not all devices have bound memory to there";
    for (unsigned slot = 0; slot < m->memory->device_count; slot++)
        if (!(copies[slot] = copy_at(m->memory, slot, offset, bytes))) return 0;
    return m->memory->device_count;
}

static bool find_own(const binding *b, unsigned device, uint64_t offset, uint64_t *own) {
    const uint64_t wanted = b->memory_offset + (offset - b->first);
    for (size_t i = 0; i < v.mapping_count; i++) {
        const mapping *m = &v.mappings[i];
        if (m->memory != b->memory || !is_usable(m, device)) continue;
        *own = m->from + (wanted - m->offset);
        if (wanted >= m->offset && wanted - m->offset < m->bytes) return true;
    }
    return false;
}

bool sim_virtual_own_copy(unsigned device, uint64_t address, uint64_t *own) {
    const mapping *m = sim_is_virtual(address) ? mapping_at(address) : NULL;
    if (!m || !is_multicast(m->memory)) return false;
    const uint64_t offset = m->offset + (address - m->from);
    const int slot = slot_of(m->memory, device);
    for (size_t i = 0; i < m->memory->binding_count; i++) {
        const binding *b = &m->memory->bindings[i];
        if ((int)b->slot == slot && offset >= b->first && offset - b->first < b->bytes)
            return find_own(b, device, offset, own);
    }
    return false;
}

/* ---- devices ---- */

haul_status sim_virtual_attach(sim_memory *memory) {
    pthread_rwlock_wrlock(&v.lock);
    const haul_status status =
        make_room((void **)&v.memories, v.memory_count, &v.memory_capacity, sizeof(sim_memory *));
    if (status == HAUL_OK) v.memories[v.memory_count++] = memory;
    pthread_rwlock_unlock(&v.lock);
    return status;
}

static void end_all(void) {
    if (v.mapping_count) remove_mappings(0, v.mapping_count);
    while (v.reservation_count) (void)unreserve(v.reservations[0]->from, v.reservations[0]->bytes);
    for (physical *p = v.physicals; p; p = p->next) p->held = 1; /* so that none ends with what had bound it */
    for (physical *p = v.physicals; p; p = p->next)
        while (p->binding_count) remove_binding(p, p->binding_count - 1);
    while (v.physicals) end_physical(v.physicals);
    if (v.file) close(v.file);
    v.file = 0;
    v.next_place = 0;
    memory_free(v.reservations);
    memory_free(v.mappings);
    memory_free(v.memories);
    v.reservations = NULL;
    v.mappings = NULL;
    v.memories = NULL;
    v.reservation_capacity = v.mapping_capacity = v.memory_capacity = 0;
}

void sim_virtual_detach(sim_memory *memory) {
    pthread_rwlock_wrlock(&v.lock);
    for (size_t i = 0; i < v.memory_count; i++)
        if (v.memories[i] == memory) v.memories[i--] = v.memories[--v.memory_count];
    if (v.memory_count == 0) end_all();
    pthread_rwlock_unlock(&v.lock);
}
