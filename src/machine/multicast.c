/* Multicast objects: addresses at which multimem instructions access the copies of several devices.
 *
 * An object is made for a number of devices. Once all have been added, each binds memory of its own to parts of the
 * object, and an access at an offset means that offset in every device's memory. */
#include "base/memory.h"
#include "base/status.h"
#include "machine/virtual_lists.h"

/* Fails if the handle is one of ordinary memory. */
static sim_physical *multicast_of(uint64_t handle) {
    sim_physical *p = sim_physical_of(handle);
    if (!p || sim_physical_is_multicast(p)) return p;
    (void)sim_virtual_wrong("0x%llx is memory, not a multicast object", (unsigned long long)handle);
    return NULL;
}

/* The device's number in the object; -1 if it was not added. */
static int slot_of(const sim_physical *p, unsigned device) {
    for (unsigned i = 0; i < p->devices_added; i++)
        if (p->devices[i] == device) return (int)i;
    return -1;
}

haul_status sim_virtual_add_device(uint64_t handle, unsigned device) {
    SIM_VIRTUAL_CHANGES();
    sim_physical *p = multicast_of(handle);
    if (!p) return HAUL_ERROR_ARGUMENT;
    if (slot_of(p, device) >= 0)
        return sim_virtual_wrong("device %u has been added to the multicast object before", device);
    if (p->devices_added == p->device_count)
        return sim_virtual_wrong("the multicast object has all its %u devices", p->device_count);
    p->devices[p->devices_added++] = (unsigned char)device;
    return HAUL_OK;
}

/* Whether the device has bound memory to any of these bytes. */
static bool is_bound(const sim_physical *p, unsigned slot, const sim_binding *b) {
    for (size_t i = 0; i < p->binding_count; i++) {
        const sim_binding *other = &p->bindings[i];
        if (other->slot == slot && other->first < b->first + b->bytes && b->first < other->first + other->bytes)
            return true;
    }
    return false;
}

/* The rules of the driver, each with its own message. */
static haul_status check_binding(const sim_physical *p, const sim_physical *memory, const sim_binding *b) {
    const int slot = slot_of(p, memory->device);
    HAUL_TRY(sim_virtual_check_pages(b->first | b->memory_offset, b->bytes));
    if (sim_physical_is_multicast(memory)) return sim_virtual_wrong("a multicast object cannot be bound to another");
    if (p->devices_added < p->device_count)
        return sim_virtual_wrong("the multicast object has %u of its %u devices: add all before binding memory",
                                 p->devices_added, p->device_count);
    if (slot < 0)
        return sim_virtual_wrong("memory of device %u, which the multicast object does not have", memory->device);
    if (b->first > p->bytes || b->bytes > p->bytes - b->first || b->memory_offset > memory->bytes ||
        b->bytes > memory->bytes - b->memory_offset)
        return sim_virtual_wrong("%llu bytes exceed the memory or the multicast object", (unsigned long long)b->bytes);
    if (is_bound(p, (unsigned)slot, b)) return sim_virtual_wrong("device %u has memory bound there", memory->device);
    return HAUL_OK;
}

static haul_status bind(sim_physical *p, sim_physical *memory, sim_binding b) {
    HAUL_TRY(check_binding(p, memory, &b));
    HAUL_TRY(sim_physical_make_view(memory));
    sim_binding *grown = memory_grow(p->bindings, p->binding_count, &p->binding_capacity, sizeof *p->bindings);
    if (!grown) return sim_virtual_no_host_memory();
    p->bindings = grown;
    b.slot = (unsigned)slot_of(p, memory->device);
    b.memory = memory;
    p->bindings[p->binding_count++] = b;
    memory->used++;
    sim_mapping_stop_following(memory);
    return HAUL_OK;
}

haul_status sim_virtual_bind(uint64_t handle, uint64_t offset, uint64_t memory, uint64_t memory_offset,
                             uint64_t bytes) {
    SIM_VIRTUAL_CHANGES();
    sim_physical *p = multicast_of(handle), *m = p ? sim_physical_of(memory) : NULL;
    const sim_binding b = {.first = offset, .bytes = bytes, .memory_offset = memory_offset};
    return m ? bind(p, m, b) : HAUL_ERROR_ARGUMENT;
}

haul_status sim_virtual_bind_address(uint64_t handle, uint64_t offset, uint64_t address, uint64_t bytes) {
    SIM_VIRTUAL_CHANGES();
    sim_physical *p = multicast_of(handle);
    const sim_mapping *m = sim_mapping_at(address);
    if (!p) return HAUL_ERROR_ARGUMENT;
    if (!m || bytes > m->bytes - (address - m->from))
        return sim_virtual_wrong("0x%llx: %llu bytes from there on are not mapped memory", (unsigned long long)address,
                                 (unsigned long long)bytes);
    const sim_binding b = {.first = offset, .bytes = bytes, .memory_offset = m->offset + (address - m->from)};
    return bind(p, m->memory, b);
}

haul_status sim_virtual_unbind(uint64_t handle, unsigned device, uint64_t offset, uint64_t bytes) {
    SIM_VIRTUAL_CHANGES();
    sim_physical *p = multicast_of(handle);
    if (!p) return HAUL_ERROR_ARGUMENT;
    const int slot = slot_of(p, device);
    for (size_t i = 0; i < p->binding_count; i++) {
        if ((int)p->bindings[i].slot != slot || p->bindings[i].first != offset || p->bindings[i].bytes != bytes)
            continue;
        sim_physical_remove_binding(p, i);
        return HAUL_OK;
    }
    return sim_virtual_wrong("device %u has not bound %llu bytes from %llu on", device, (unsigned long long)bytes,
                             (unsigned long long)offset);
}

/* Returns a device's copy; NULL if it has bound no memory there. */
static unsigned char *copy_at(const sim_physical *p, unsigned slot, uint64_t offset, unsigned bytes) {
    for (size_t i = 0; i < p->binding_count; i++) {
        const sim_binding *b = &p->bindings[i];
        if (b->slot == slot && offset >= b->first && offset + bytes <= b->first + b->bytes)
            return b->memory->view + b->memory_offset + (offset - b->first);
    }
    return NULL;
}

unsigned sim_virtual_copies(unsigned device, uint64_t address, unsigned bytes,
                            unsigned char *copies[SIM_VIRTUAL_DEVICES], const char **why) {
    const sim_mapping *m = sim_is_virtual(address) ? sim_mapping_at(address) : NULL;
    *why = "multimem access to an address outside of multicast objects";
    if (!m || !sim_physical_is_multicast(m->memory)) return 0;
    *why = "multimem access to a multicast object without access rights of the device";
    if (device >= SIM_VIRTUAL_DEVICES || !(m->allowed >> device & 1)) return 0;
    const uint64_t offset = m->offset + (address - m->from);
    *why = "multimem access to a multicast object to which not all devices have bound memory there";
    for (unsigned slot = 0; slot < m->memory->device_count; slot++)
        if (!(copies[slot] = copy_at(m->memory, slot, offset, bytes))) return 0;
    return m->memory->device_count;
}

/* Finds the address at which the device itself sees its copy. */
bool sim_virtual_own_copy(unsigned device, uint64_t address, uint64_t *own) {
    const sim_mapping *m = sim_is_virtual(address) ? sim_mapping_at(address) : NULL;
    if (!m || !sim_physical_is_multicast(m->memory)) return false;
    const uint64_t offset = m->offset + (address - m->from);
    const int slot = slot_of(m->memory, device);
    for (size_t i = 0; i < m->memory->binding_count; i++) {
        const sim_binding *b = &m->memory->bindings[i];
        if ((int)b->slot == slot && offset >= b->first && offset - b->first < b->bytes)
            return sim_mapping_find(b->memory, b->memory_offset + (offset - b->first), device, own);
    }
    return false;
}
