/* Pinned host memory of the virtual GPU. Kernels access it at the host's address where possible.
 *
 * A list has all pinned memory of the program; the first device's context owns it, since all devices may use it. It
 * says whether a copy's host side is pinned, at which address kernels find host memory, and, for checks, which work
 * wrote there last (`effect`). Memory is looked up by any address in it. machine/memory.h makes host memory
 * accessible to kernels. */
#include "base/memory.h"
#include "base/status.h"
#include "machine/host.h"
#include "vgpu/internal.h"

#include <stdint.h>
#include <stdlib.h>

sim_pinned *sim_find_pinned(CUcontext c, const void *host, uint64_t bytes) {
    for (sim_pinned *p = sim_member_of(c, 0)->pinned; p; p = p->next) {
        const uintptr_t at = (uintptr_t)host, from = (uintptr_t)p->host;
        if (at >= from && at - from < p->bytes && bytes <= p->bytes - (at - from)) return p;
    }
    return NULL;
}

/* Kernels' addresses may differ from the host's. */
sim_pinned *sim_pinned_at(CUcontext c, uint64_t address) {
    for (sim_pinned *p = sim_member_of(c, 0)->pinned; p; p = p->next)
        if (address - p->address < p->bytes) return p;
    return NULL;
}

/* Other memory than pinned is not watched. */
void sim_note_written(CUcontext c, const void *host, uint64_t bytes) {
    sim_pinned *p = sim_find_pinned(c, host, bytes);
    if (p) p->effect = ++sim_member_of(c, 0)->effects;
}

/* The place is unknown, so all pinned memory counts as changed. */
void sim_note_effects(CUcontext c) {
    CUcontext first = sim_member_of(c, 0);
    first->anywhere = ++first->effects;
}

/* Pins the program's memory or, if `*host` is NULL, new memory. */
static haul_status pin(CUcontext current, void **host, uint64_t bytes, unsigned flags) {
    CUcontext c = sim_member_of(current, 0);
    sim_pinned *p = memory_zeroed(1, sizeof *p);
    if (!p) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory to pin memory");
    *p = (sim_pinned){.bytes = bytes, .owned = !*host, .flags = flags, .device = current->device};
    const haul_status status = *host ? sim_memory_map(c->memory, *host, bytes, &p->address)
                                     : sim_memory_map_new(c->memory, bytes, host, &p->address);
    if (status != HAUL_OK) {
        memory_free(p);
        return status;
    }
    p->host = *host;
    p->next = c->pinned;
    c->pinned = p;
    return HAUL_OK;
}

/* Frees memory that was allocated here and that unmapping does not free. */
static void unpin(CUcontext c, sim_pinned *pinned) {
    for (sim_pinned **link = &c->pinned; *link; link = &(*link)->next) {
        if (*link != pinned) continue;
        *link = pinned->next;
        break;
    }
    sim_memory_unmap(c->memory, pinned->address);
    if (pinned->owned && (uintptr_t)pinned->host != pinned->address) free(pinned->host);
    memory_free(pinned);
}

void sim_free_pinned(CUcontext c) {
    while (c->pinned) unpin(c, c->pinned);
}

/* Flags 1, 2 and 4 are accepted: all pinned memory is portable and mapped. */
CUresult sim_call_host_allocate(void **host, size_t bytes, unsigned flags) {
    SIM_ENTER(c);
    *host = NULL;
    if (flags & ~7u) return sim_wrong("cuMemHostAlloc: no such flag");
    if (bytes == 0) return sim_wrong("cuMemHostAlloc: the size must not be 0");
    if (bytes > sim_host_available())
        return sim_result_of(
            haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "pinned memory: the host has no %zu bytes left", bytes));
    return sim_result_of(pin(c, host, bytes, flags));
}

/* Waits for work that may use the memory, like the driver. */
CUresult sim_call_host_release(void *host) {
    SIM_ENTER(c);
    sim_pinned *p = sim_find_pinned(c, host, 1);
    if (!p || p->host != host || !p->owned) return sim_wrong("cuMemFreeHost: no such pinned memory");
    sim_finish_everything(c);
    unpin(sim_member_of(c, 0), p);
    return CUDA_SUCCESS;
}

/* Memory may be registered once at a time; parts of registered memory count, too. */
CUresult sim_call_host_register(void *host, size_t bytes, unsigned flags) {
    SIM_ENTER(c);
    if (!host || bytes == 0 || flags & ~15u)
        return sim_wrong("cuMemHostRegister: the memory is missing, or a flag is unknown");
    for (sim_pinned *p = sim_member_of(c, 0)->pinned; p; p = p->next)
        if ((unsigned char *)host < p->host + p->bytes && p->host < (unsigned char *)host + bytes)
            return CUDA_HOST_MEMORY_ALREADY_REGISTERED;
    return sim_result_of(pin(c, &host, bytes, flags));
}

/* Also waits, as cuMemFreeHost() does. */
CUresult sim_call_host_unregister(void *host) {
    SIM_ENTER(c);
    sim_pinned *p = sim_find_pinned(c, host, 1);
    if (!p || p->host != host || p->owned) return CUDA_HOST_MEMORY_NOT_REGISTERED;
    sim_finish_everything(c);
    unpin(sim_member_of(c, 0), p);
    return CUDA_SUCCESS;
}

/* Any address in pinned memory is translated. Flags must be 0. */
CUresult sim_call_host_address(CUdeviceptr *address, void *host, unsigned flags) {
    SIM_ENTER(c);
    const sim_pinned *p = sim_find_pinned(c, host, 1);
    *address = 0;
    if (!p || flags) return sim_wrong("cuMemHostGetDevicePointer: the address is not in pinned memory");
    *address = p->address + (uint64_t)((unsigned char *)host - p->host);
    return CUDA_SUCCESS;
}
