/* Queries of addresses, and managed memory.
 *
 * All queries begin with sim_driver_allocation(), which finds the allocation that contains an address. Managed
 * memory has one place, which host and kernels access alike, so nothing ever migrates: advice is stored for later
 * queries, and prefetches do nothing but remember their target. Advice is kept by allocation, not by range: advice
 * for a part holds for the whole allocation.
 *
 * runtime/managed.c forwards to these functions. */
#include "base/memory.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <string.h>

enum { DEVICE_OF_HOST = -1, NO_DEVICE = -2 }; /* CU_DEVICE_CPU, CU_DEVICE_INVALID */

/* ---- attributes of addresses ---- */

/* CUDA's numbers: CUpointer_attribute. */
enum {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE,
    POINTER_DEVICE_ADDRESS,
    POINTER_HOST_ADDRESS,
    POINTER_SYNCHRONOUS = 6,
    POINTER_NUMBER,
    POINTER_MANAGED,
    POINTER_DEVICE,
    POINTER_LEGACY_IPC,
    POINTER_FIRST,
    POINTER_BYTES,
    POINTER_MAPPED,
    POINTER_HANDLE_TYPES,
    POINTER_REMOTE_ACCESS,
    POINTER_ACCESS,
    POINTER_MAPPING_BYTES = 18,
    POINTER_MAPPING_FIRST,
    POINTER_BLOCK,
};

/* Each attribute has a type of its own; the program's variable must be of that type. */
static CUresult put(void *to, const void *value, size_t bytes) {
    memcpy(to, value, bytes);
    return CUDA_SUCCESS;
}

static CUresult put_number(void *to, unsigned long long value) {
    return put(to, &value, sizeof value);
}

static CUresult put_int(void *to, int value) {
    return put(to, &value, sizeof value);
}

static CUresult put_bool(void *to, bool value) {
    return put(to, &value, sizeof value);
}

/* CUDA_INVALID_VALUE: the memory has no such attribute. `address` may be a device address in the allocation or, if
 * the host can access it, a host address. */
static CUresult get_attribute(void *value, int attribute, CUdeviceptr address, const sim_allocation *a) {
    const uint64_t offset = address - (a->host ? (uintptr_t)a->host : a->first);
    const int type = a->kind == SIM_PINNED_MEMORY ? DRIVER_MEMORY_HOST : DRIVER_MEMORY_DEVICE;
    switch (attribute) {
    case POINTER_CONTEXT: return put_number(value, (uintptr_t)cuda_primary_context(standin_number_of(a->device)));
    case POINTER_MEMORY_TYPE: return put_int(value, type);
    case POINTER_DEVICE_ADDRESS: return put_number(value, a->first + offset);
    case POINTER_HOST_ADDRESS:
        if (!a->host) return cuda_wrong(CUDA_INVALID_VALUE, "the host cannot access this memory");
        return put_number(value, (uintptr_t)a->host + offset);
    case POINTER_SYNCHRONOUS: return put_int(value, 1);
    case POINTER_NUMBER:
    case POINTER_BLOCK: return put_number(value, a->number);
    case POINTER_MANAGED: return put_bool(value, a->kind == SIM_MANAGED_MEMORY);
    case POINTER_DEVICE: return put_int(value, (int)standin_number_of(a->device));
    case POINTER_LEGACY_IPC:
    case POINTER_REMOTE_ACCESS: return put_bool(value, false);
    case POINTER_FIRST:
    case POINTER_MAPPING_FIRST: return put_number(value, a->first);
    case POINTER_BYTES:
    case POINTER_MAPPING_BYTES: return put_number(value, a->bytes);
    case POINTER_MAPPED: return put_bool(value, true);
    case POINTER_HANDLE_TYPES: return put_number(value, 0);
    case POINTER_ACCESS: return put_number(value, DRIVER_ACCESS_READ_WRITE);
    default: return cuda_wrong(CUDA_NOT_SUPPORTED, "no such attribute of a pointer");
    }
}

/* Attributes of memory that CUDA does not know. */
static CUresult get_unknown(void *value, int attribute) {
    switch (attribute) {
    case POINTER_MEMORY_TYPE:
    case POINTER_SYNCHRONOUS: return put_int(value, 0);
    case POINTER_DEVICE: return put_int(value, NO_DEVICE);
    case POINTER_MANAGED:
    case POINTER_LEGACY_IPC:
    case POINTER_REMOTE_ACCESS:
    case POINTER_MAPPED: return put_bool(value, false);
    default: return put_number(value, 0);
    }
}

/* CUDA_INVALID_VALUE if no allocation has the address. */
CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr address) {
    sim_allocation a;
    CUDA_ENTER_HANDLE_BESIDE(d);
    (void)d;
    if (!value) return cuda_leave(CUDA_INVALID_VALUE);
    if (!sim_driver_allocation(address, &a)) return cuda_leave(CUDA_INVALID_VALUE);
    return cuda_leave(get_attribute(value, attribute, address, &a));
}

/* Unlike the query of one attribute, this succeeds for any address: what does not apply is 0 or the like. */
CUresult cuPointerGetAttributes(unsigned count, int *attributes, void **values, CUdeviceptr address) {
    sim_allocation a;
    CUDA_ENTER_HANDLE_BESIDE(d);
    (void)d;
    const bool known = sim_driver_allocation(address, &a);
    if (count && (!attributes || !values)) return cuda_leave(CUDA_INVALID_VALUE);
    for (unsigned i = 0; i < count; i++)
        if (!known || get_attribute(values[i], attributes[i], address, &a) != CUDA_SUCCESS)
            (void)get_unknown(values[i], attributes[i]);
    return cuda_leave(CUDA_SUCCESS);
}

/* The program cannot tell that copies and fills are not over when their calls return, so the attribute has no
 * effect. */
CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address) {
    sim_allocation a;
    CUDA_ENTER_HANDLE(d);
    (void)d;
    const bool fits = value && attribute == POINTER_SYNCHRONOUS && sim_driver_allocation(address, &a);
    return cuda_leave(fits ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

/* Either output may be NULL. */
CUresult cuMemGetAddressRange_v2(CUdeviceptr *first, size_t *bytes, CUdeviceptr address) {
    sim_allocation a;
    CUDA_ENTER(d);
    (void)d;
    if (!sim_driver_allocation(address, &a)) return cuda_leave(cuda_wrong(CUDA_NOT_FOUND, "no allocation is there"));
    if (first) *first = a.first;
    if (bytes) *bytes = a.bytes;
    return cuda_leave(CUDA_SUCCESS);
}

/* The flags of cuMemHostAlloc(). */
CUresult cuMemHostGetFlags(unsigned *flags, void *host) {
    sim_allocation a;
    CUDA_ENTER(d);
    (void)d;
    const bool pinned = sim_driver_allocation((uintptr_t)host, &a) && a.kind == SIM_PINNED_MEMORY;
    if (!flags || !pinned) return cuda_leave(cuda_wrong(CUDA_INVALID_VALUE, "the memory is not pinned"));
    *flags = a.flags;
    return cuda_leave(CUDA_SUCCESS);
}

/* ---- managed memory: the program's advice ---- */

/* Type 0 means that the program has named no place. */
static const CUmemLocation nowhere;

typedef struct advice {
    uint64_t allocation; /* number of the allocation */
    bool mostly_read, used_by_host;
    uint32_t users; /* devices, one bit for each number */
    CUmemLocation preferred, prefetched;
    struct advice *next;
} advice;

static advice *advices;

/* NULL, with a message, if no managed memory has all the bytes. The advice of an allocation begins empty and is
 * never freed: numbers of allocations are not used again. */
static advice *advice_for(CUdeviceptr address, size_t bytes) {
    sim_allocation a;
    if (!bytes || !sim_driver_allocation(address, &a) || a.kind != SIM_MANAGED_MEMORY ||
        bytes > a.bytes - (address - a.first)) {
        (void)cuda_wrong(CUDA_INVALID_VALUE, "the memory is not managed, or not so large");
        return NULL;
    }
    for (advice *known = advices; known; known = known->next)
        if (known->allocation == a.number) return known;
    advice *added = memory_zeroed(1, sizeof *added);
    if (!added) return NULL;
    *added = (advice){.allocation = a.number, .preferred = nowhere, .prefetched = nowhere, .next = advices};
    advices = added;
    return added;
}

/* The location of a device number, as older functions pass it. */
static CUmemLocation location_of(CUdevice device) {
    if (device == DEVICE_OF_HOST) return (CUmemLocation){.type = DRIVER_LOCATION_HOST};
    return (CUmemLocation){.type = DRIVER_LOCATION_DEVICE, .id = device};
}

/* For older queries: NUMA nodes of the host count as the host. */
static CUdevice number_of(CUmemLocation l) {
    return l.type == DRIVER_LOCATION_DEVICE ? l.id : l.type == 0 ? NO_DEVICE : DEVICE_OF_HOST;
}

/* Whether the program has such a device, or the type is one of the host's. */
static bool is_there(CUmemLocation l) {
    CUdevice device = l.id;
    if (l.type == DRIVER_LOCATION_DEVICE) return cuda_device_of(&device) == CUDA_SUCCESS;
    return l.type >= DRIVER_LOCATION_HOST && l.type <= DRIVER_LOCATION_HOST_NUMA_CURRENT;
}

/* Devices have a bit each, the host is apart. */
static void note_user(advice *a, CUmemLocation l, bool uses) {
    if (l.type != DRIVER_LOCATION_DEVICE)
        a->used_by_host = uses;
    else
        a->users = uses ? a->users | 1u << l.id : a->users & ~(1u << l.id);
}

/* The advice that undoes another has the number behind it. READ_MOSTLY and NOT_PREFERRED ignore the location. */
static CUresult advise(advice *a, int what, CUmemLocation l) {
    enum { READ_MOSTLY = 1, NOT_READ_MOSTLY, PREFERRED, NOT_PREFERRED, USED_BY, NOT_USED_BY };
    switch (what) {
    case READ_MOSTLY:
    case NOT_READ_MOSTLY: a->mostly_read = what == READ_MOSTLY; return CUDA_SUCCESS;
    case NOT_PREFERRED: a->preferred = nowhere; return CUDA_SUCCESS;
    case PREFERRED:
        if (!is_there(l)) return CUDA_INVALID_DEVICE;
        a->preferred = l;
        return CUDA_SUCCESS;
    case USED_BY:
    case NOT_USED_BY:
        if (!is_there(l)) return CUDA_INVALID_DEVICE;
        note_user(a, l, what == USED_BY);
        return CUDA_SUCCESS;
    default: return cuda_wrong(CUDA_INVALID_VALUE, "no such advice");
    }
}

/* The advice has no effect on kernels. */
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, int what, CUmemLocation location) {
    CUDA_ENTER(d);
    (void)d;
    advice *a = advice_for(address, bytes);
    return cuda_leave(a ? advise(a, what, location) : CUDA_INVALID_VALUE);
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, int what, CUdevice device) {
    return cuMemAdvise_v2(address, bytes, what, location_of(device));
}

/* The stream must be valid. The prefetch is not queued, as nothing moves. */
CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                               CUstream stream) {
    int status;
    CUDA_ENTER_STREAM(d, stream);
    CUresult result = d->capture_status(stream, &status);
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    if (flags) return cuda_leave(cuda_wrong(CUDA_INVALID_VALUE, "cuMemPrefetchAsync: flags must be 0"));
    if (!is_there(location)) return cuda_leave(CUDA_INVALID_DEVICE);
    advice *a = advice_for(address, bytes);
    if (a) a->prefetched = location;
    return cuda_leave(a ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

/* The older form, with a device number. */
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
    return cuMemPrefetchAsync_v2(address, bytes, location_of(device), 0, stream);
}

/* Writes the devices that advice named, as many as the program has room for. The rest of the room is filled with
 * NO_DEVICE. */
static CUresult put_users(const advice *a, int *to, size_t room) {
    size_t count = 0;
    for (unsigned i = 0; i < standin_device_count(); i++)
        if ((a->users >> i & 1) && count < room) to[count++] = (int)i;
    if (a->used_by_host && count < room) to[count++] = DEVICE_OF_HOST;
    while (count < room) to[count++] = NO_DEVICE;
    return CUDA_SUCCESS;
}

/* Every attribute is one int, except USED_BY, which is an array of them. */
static CUresult get_range_attribute(void *data, size_t room, int attribute, const advice *a) {
    enum {
        READ_MOSTLY = 1,
        PREFERRED,
        USED_BY,
        PREFETCHED,
        PREFERRED_TYPE,
        PREFERRED_ID,
        PREFETCHED_TYPE,
        PREFETCHED_ID
    };
    if (!data || !room || room % sizeof(int) || (attribute != USED_BY && room != sizeof(int)))
        return cuda_wrong(CUDA_INVALID_VALUE, "an attribute of a range is an int");
    switch (attribute) {
    case READ_MOSTLY: return put_int(data, a->mostly_read);
    case PREFERRED: return put_int(data, number_of(a->preferred));
    case USED_BY: return put_users(a, data, room / sizeof(int));
    case PREFETCHED: return put_int(data, number_of(a->prefetched));
    case PREFERRED_TYPE: return put_int(data, a->preferred.type);
    case PREFERRED_ID: return put_int(data, a->preferred.id);
    case PREFETCHED_TYPE: return put_int(data, a->prefetched.type);
    case PREFETCHED_ID: return put_int(data, a->prefetched.id);
    default: return cuda_wrong(CUDA_INVALID_VALUE, "no such attribute of a range");
    }
}

CUresult cuMemRangeGetAttribute(void *data, size_t room, int attribute, CUdeviceptr address, size_t bytes) {
    return cuMemRangeGetAttributes(&data, &room, &attribute, 1, address, bytes);
}

/* Stops at the first attribute that is wrong. */
CUresult cuMemRangeGetAttributes(void **data, size_t *rooms, int *attributes, size_t count, CUdeviceptr address,
                                 size_t bytes) {
    CUDA_ENTER(d);
    (void)d;
    const advice *a = data && rooms && attributes && count ? advice_for(address, bytes) : NULL;
    CUresult result = a ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = get_range_attribute(data[i], rooms[i], attributes[i], a);
    return cuda_leave(result);
}

/* Restricts which stream may use the memory; haul does not enforce it for other streams. */
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags) {
    int status;
    sim_allocation a;
    CUDA_ENTER_STREAM(d, stream);
    const CUresult result = d->capture_status(stream, &status);
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    const bool known = sim_driver_allocation(address, &a) && a.kind == SIM_MANAGED_MEMORY;
    if (!known || (bytes && bytes != a.bytes))
        return cuda_leave(cuda_wrong(CUDA_INVALID_VALUE, "not the whole of managed memory is attached"));
    if (flags != DRIVER_ATTACH_GLOBAL && flags != DRIVER_ATTACH_HOST && flags != DRIVER_ATTACH_SINGLE)
        return cuda_leave(
            cuda_wrong(CUDA_INVALID_VALUE, "memory can be attached to all (1), the host (2) or a stream (4)"));
    return cuda_leave(CUDA_SUCCESS);
}
