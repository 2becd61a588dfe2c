/* The lock of virtual memory, and the devices attached to it. */
#include "base/memory.h"
#include "base/status.h"
#include "machine/virtual.h"
#include "machine/virtual_lists.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static struct {
    sim_virtual_user *items;
    size_t count, capacity;
} users;

pthread_rwlock_t *sim_virtual_lock(void) {
    pthread_rwlock_wrlock(&lock);
    return &lock;
}

pthread_rwlock_t *sim_virtual_lock_to_read(void) {
    pthread_rwlock_rdlock(&lock);
    return &lock;
}

void sim_virtual_unlock(pthread_rwlock_t *const *held) {
    pthread_rwlock_unlock(*held);
}

void sim_virtual_hold(void) {
    pthread_rwlock_rdlock(&lock);
}

void sim_virtual_release_hold(void) {
    pthread_rwlock_unlock(&lock);
}

haul_status sim_virtual_wrong(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(HAUL_ERROR_ARGUMENT, format, arguments);
    va_end(arguments);
    return haul_fail_in(HAUL_ERROR_ARGUMENT, "virtual memory");
}

haul_status sim_virtual_no_host_memory(void) {
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host has no memory for its lists");
}

haul_status sim_virtual_check_pages(uint64_t address, uint64_t bytes) {
    if (bytes && !(address % SIM_VIRTUAL_PAGE) && !(bytes % SIM_VIRTUAL_PAGE)) return HAUL_OK;
    return sim_virtual_wrong("%llu bytes at 0x%llx: must be multiples of 2 MiB", (unsigned long long)bytes,
                             (unsigned long long)address);
}

void sim_virtual_mark(uint64_t address, uint64_t bytes, bool written) {
    for (size_t i = 0; i < users.count; i++) users.items[i].mark(users.items[i].context, address, bytes, written);
}

haul_status sim_virtual_attach(sim_virtual_user user) {
    SIM_VIRTUAL_CHANGES();
    sim_virtual_user *grown = memory_grow(users.items, users.count, &users.capacity, sizeof *users.items);
    if (!grown) return sim_virtual_no_host_memory();
    users.items = grown;
    users.items[users.count++] = user;
    return HAUL_OK;
}

static void end_all(void) {
    sim_mappings_end();
    sim_reservations_end();
    sim_physicals_end();
    memory_free(users.items);
    users.items = NULL;
    users.capacity = 0;
}

void sim_virtual_detach(const void *context) {
    SIM_VIRTUAL_CHANGES();
    for (size_t i = 0; i < users.count; i++)
        if (users.items[i].context == context) users.items[i--] = users.items[--users.count];
    if (users.count == 0) end_all();
}
