/* A device's global memory: its addresses, and which bytes were written.
 *
 * A device has a range of addresses of its own. Its memory lies elsewhere on the host, reserved as a whole and
 * committed by the system as it is written; an address is translated by the range that contains it. Only managed memory
 * is also at its own address on the host. Allocations are a sorted list. Under check they are kept apart: a gap follows
 * each, freed ones are remembered, and marks.h knows which bytes were written. */
#include "base/memory.h"
#include "base/status.h"
#include "machine/memory_lists.h"
#include "machine/regions.h"
#include "machine/virtual.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- addresses ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sim_memory *memories[SIM_MOST_MEMORIES]; /* indexed by range of addresses */

/* Reserves the device's range of host addresses. If the host uses it, or there are more devices than ranges, kernels
 * see the same addresses, but the host has no memory there. */
static void take_addresses(sim_memory *m) {
    size_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < SIM_MOST_MEMORIES && memories[i]) i++;
    m->base = SIM_GLOBAL_BASE + (i < SIM_MOST_MEMORIES ? i : 0) * SIM_GLOBAL_STRIDE;
    void *wanted = (void *)(uintptr_t)m->base;
    if (i < SIM_MOST_MEMORIES) {
        memories[i] = m;
        void *at = mmap(wanted, sim_memory_all_bytes(m), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        m->reserved = at == wanted;
        if (at != MAP_FAILED && !m->reserved)
            munmap(at, sim_memory_all_bytes(m)); /* this kernel does not know the flag */
    }
    pthread_mutex_unlock(&lock);
}

/* Gives the range back. */
static void give_addresses(sim_memory *m) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < SIM_MOST_MEMORIES; i++)
        if (memories[i] == m) memories[i] = NULL;
    if (m->reserved) munmap((void *)(uintptr_t)m->base, sim_memory_all_bytes(m));
    pthread_mutex_unlock(&lock);
}

const sim_memory *sim_memory_at_address(uint64_t address) {
    const uint64_t i = (address - SIM_GLOBAL_BASE) / SIM_GLOBAL_STRIDE;
    return address >= SIM_GLOBAL_BASE && i < SIM_MOST_MEMORIES ? memories[i] : NULL;
}

bool sim_memory_show_to_host(const sim_memory *m, uint64_t address, uint64_t bytes) {
    void *wanted = (void *)(uintptr_t)address;
    return m->reserved && mmap(wanted, sim_memory_host_pages(bytes), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == wanted;
}

void sim_memory_hide_from_host(uint64_t address, uint64_t bytes) {
    (void)mmap((void *)(uintptr_t)address, sim_memory_host_pages(bytes), PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* ---- a device's memory ---- */

haul_status sim_memory_create(uint64_t bytes, sim_memory **out) {
    *out = NULL;
    sim_memory *m = memory_zeroed(1, sizeof *m);
    if (!m) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device: no memory for its description");
    m->bytes = bytes;
    /* Reserved, not committed: pages are committed as they are written. */
    m->host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m->host == MAP_FAILED) {
        memory_free(m);
        char text[32];
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY,
                         "device memory: cannot reserve %s of address space: open the device with less",
                         number_format_bytes((double)bytes, text));
    }
    take_addresses(m);
    *out = m;
    return HAUL_OK;
}

void sim_memory_free(sim_memory *m) {
    if (!m) return;
    munmap(m->host, m->bytes);
    if (m->file) close(m->file);
    give_addresses(m);
    sim_marks_free(m->written);
    if (m->sees_virtual) sim_virtual_detach(m);
    sim_marks_free(m->virtual_written);
    memory_free(m->blocks);
    memory_free(m->mapped);
    sim_regions_free(m->regions);
    memory_free(m);
}

/* Called by virtual memory when bytes get or lose their contents. */
static void mark_virtual(void *memory, uint64_t address, uint64_t bytes, bool written) {
    (written ? sim_memory_mark_written : sim_memory_forget_written)(memory, address, bytes);
}

haul_status sim_memory_see_virtual(sim_memory *m, unsigned device) {
    HAUL_TRY(sim_virtual_attach((sim_virtual_user){m, mark_virtual}));
    m->sees_virtual = true;
    m->device = device;
    return HAUL_OK;
}

static uint64_t used_virtual(const sim_memory *m) {
    return m->sees_virtual ? sim_virtual_used(m->device) : 0;
}

void sim_memory_usage(const sim_memory *m, uint64_t *free, uint64_t *total) {
    const uint64_t used = m->used + used_virtual(m);
    *free = used < m->bytes ? m->bytes - used : 0;
    *total = m->bytes;
}

void sim_memory_carve(sim_memory *m, const sim_carving *carving) {
    m->carving = *carving;
}

sim_regions **sim_memory_regions(sim_memory *m) {
    return &m->regions;
}

/* ---- written bytes ---- */

void sim_memory_keep_apart(sim_memory *m) {
    m->apart = true;
    if (m->written) return;
    m->written = sim_marks_create(sim_memory_all_bytes(m));
    for (size_t i = 0; m->written && i < m->mapped_count; i++)
        sim_memory_mark_written(m, m->mapped[i].from, m->mapped[i].bytes);
    sim_memory_mark_all_written(m);
}

/* Without it, writes are not followed. */
static void follow_virtual(sim_memory *m) {
    if (m->apart && m->sees_virtual && !m->virtual_written && sim_virtual_is_used())
        m->virtual_written = sim_marks_create(SIM_VIRTUAL_BYTES);
}

void sim_memory_prepare_written(sim_memory *m) {
    follow_virtual(m);
    sim_memory_settle_written(m);
}

void sim_memory_settle_written(const sim_memory *m) {
    sim_marks_settle(m->written);
    sim_marks_settle(m->virtual_written);
}

sim_marks *sim_memory_written(const sim_memory *m, uint64_t address, uint64_t *at) {
    if (sim_is_virtual(address)) {
        *at = address - SIM_VIRTUAL_BASE;
        return m->virtual_written;
    }
    m = sim_memory_home_of(m, address);
    *at = address - m->base;
    return *at < sim_memory_all_bytes(m) ? m->written : NULL;
}

void sim_memory_mark_written(sim_memory *m, uint64_t address, uint64_t bytes) {
    uint64_t at;
    if (sim_is_virtual(address)) follow_virtual(m);
    sim_marks *written = sim_memory_written(m, address, &at);
    if (written) sim_marks_add(written, at, bytes);
}

void sim_memory_mark_all_written(sim_memory *m) {
    for (size_t i = 0; i < m->count; i++) sim_memory_mark_written(m, m->base + m->blocks[i].from, m->blocks[i].asked);
}

void sim_memory_forget_written(sim_memory *m, uint64_t address, uint64_t bytes) {
    uint64_t at;
    sim_marks *written = sim_memory_written(m, address, &at);
    if (written) sim_marks_remove(written, at, bytes);
}
