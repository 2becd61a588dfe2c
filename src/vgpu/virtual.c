/* The driver's virtual memory and multicast objects. Before a mapping changes, all earlier work is done, since it
 * may need the old mapping.
 *
 * machine/virtual.h has the memory itself: one address space for all devices of the process. The functions here
 * check what a call may pass, name the call in messages, and finish work. Devices are the virtual driver's numbers;
 * standin/cuda/virtual.c translates those of programs. */
#include "base/status.h"
#include "machine/virtual.h"
#include "vgpu/internal.h"

/* CUDA_INVALID_DEVICE, with a message. */
static CUresult unknown_device(const char *call, int device) {
    (void)sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT, "virtual GPU: %s: there is no device %d", call, device));
    return CUDA_INVALID_DEVICE;
}

/* Further devices of a machine are known only to the program that has them. */
static bool is_device(int device) {
    const CUcontext c = sim_current();
    if (device < 0 || device >= SIM_VIRTUAL_DEVICES) return false;
    return (size_t)device < sim_machine_count || (c && sim_context_of(c, device)->device == device);
}

/* `call` begins the message. */
static CUresult check_location(const char *call, const CUmemLocation *l) {
    if (l->type != DRIVER_LOCATION_DEVICE)
        return sim_result_of(haul_fail(HAUL_ERROR_UNSUPPORTED,
                                       "virtual GPU: %s: only memory of a device (location 1) is supported, not %d",
                                       call, l->type));
    return is_device(l->id) ? CUDA_SUCCESS : unknown_device(call, l->id);
}

/* Only memory of a device; other processes may get it as a file descriptor. */
static CUresult check_memory(const char *call, const CUmemAllocationProp *p) {
    if (!p || p->type != DRIVER_MEMORY_PINNED)
        return sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT, "virtual GPU: %s: the type must be pinned (1)", call));
    if (p->handles & ~DRIVER_HANDLE_FILE)
        return sim_result_of(
            haul_fail(HAUL_ERROR_UNSUPPORTED,
                      "virtual GPU: %s: memory is shared with other processes by file descriptors only", call));
    return check_location(call, &p->location);
}

/* ---- addresses and memory ---- */

/* Minimum and recommended granularity (options 0 and 1) are both a page. */
CUresult sim_call_virtual_granularity(size_t *bytes, const CUmemAllocationProp *memory, int option) {
    const CUresult checked = check_memory("cuMemGetAllocationGranularity", memory);
    if (checked != CUDA_SUCCESS) return checked;
    if (!bytes || option < 0 || option > 1) return sim_wrong("cuMemGetAllocationGranularity: no such option");
    *bytes = SIM_VIRTUAL_PAGE;
    return CUDA_SUCCESS;
}

/* Reserves addresses only; nothing can be pending there. */
CUresult sim_call_virtual_reserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted,
                                  unsigned long long flags) {
    uint64_t at = 0;
    SIM_ENTER(c);
    (void)c;
    if (!address || flags) return sim_wrong("cuMemAddressReserve: flags must be 0");
    const haul_status status = sim_virtual_reserve(bytes, alignment, wanted, &at);
    *address = at;
    return sim_result_of(status);
}

/* The whole reservation, without mappings. */
CUresult sim_call_virtual_unreserve(CUdeviceptr address, size_t bytes) {
    SIM_ENTER(c);
    sim_finish_everything(c);
    return sim_result_of(sim_virtual_unreserve(address, bytes));
}

/* An open device reports its free memory; of others, only virtual memory counts. */
static haul_status check_room(CUcontext c, unsigned device, uint64_t bytes) {
    uint64_t left = sim_driver_machine((CUdevice)device)->memory_bytes - sim_virtual_used(device), all;
    const CUcontext of = sim_context_of(c, (CUdevice)device);
    if (device == (unsigned)of->device) sim_memory_usage(of->memory, &left, &all);
    if (bytes <= left) return HAUL_OK;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device memory: %llu bytes requested, %llu are left",
                     (unsigned long long)bytes, (unsigned long long)left);
}

/* *handle is 0 after a failure. */
CUresult sim_call_virtual_create(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *memory,
                                 unsigned long long flags) {
    uint64_t made = 0;
    SIM_ENTER(c);
    const CUresult checked = check_memory("cuMemCreate", memory);
    if (checked != CUDA_SUCCESS) return checked;
    if (!handle || flags) return sim_wrong("cuMemCreate: flags must be 0");
    const unsigned device = (unsigned)memory->location.id;
    haul_status status = check_room(c, device, bytes);
    if (status == HAUL_OK) status = sim_virtual_create(device, bytes, &made);
    *handle = made;
    return sim_result_of(status);
}

/* Without a mapping the memory ends here, and earlier work may still use it. */
CUresult sim_call_virtual_release(CUmemGenericAllocationHandle handle) {
    SIM_ENTER(c);
    sim_finish_everything(c);
    return sim_result_of(sim_virtual_release(handle));
}

/* One more reference, to be released. */
CUresult sim_call_virtual_retain(CUmemGenericAllocationHandle *handle, void *address) {
    uint64_t found = 0;
    SIM_ENTER(c);
    (void)c;
    const haul_status status = sim_virtual_retain((uint64_t)(uintptr_t)address, &found);
    *handle = found;
    return sim_result_of(status);
}

/* Says what sim_call_virtual_create() was given. */
CUresult sim_call_virtual_properties(CUmemAllocationProp *memory, CUmemGenericAllocationHandle handle) {
    unsigned device;
    uint64_t bytes;
    bool multicast;
    SIM_ENTER(c);
    (void)c;
    const haul_status status = sim_virtual_describe(handle, &device, &bytes, &multicast);
    if (status != HAUL_OK) return sim_result_of(status);
    if (multicast)
        return sim_wrong("cuMemGetAllocationPropertiesFromHandle: a multicast object has no such properties");
    *memory = (CUmemAllocationProp){.type = DRIVER_MEMORY_PINNED, .location = {DRIVER_LOCATION_DEVICE, (int)device}};
    return CUDA_SUCCESS;
}

CUresult sim_driver_export_memory(CUmemGenericAllocationHandle memory, int *file) {
    SIM_ENTER(c);
    (void)c;
    return sim_result_of(sim_virtual_export(memory, file));
}

CUresult sim_driver_import_memory(CUmemGenericAllocationHandle *memory, int file) {
    uint64_t made = 0;
    SIM_ENTER(c);
    const haul_status status = sim_virtual_import(file, (unsigned)c->device, &made);
    *memory = made;
    return sim_result_of(status);
}

/* ---- mappings ---- */

/* Access is still none, until it is set. */
CUresult sim_call_virtual_map(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                              unsigned long long flags) {
    SIM_ENTER(c);
    if (flags) return sim_wrong("cuMemMap: flags must be 0");
    sim_finish_everything(c);
    return sim_result_of(sim_virtual_map(address, bytes, offset, handle));
}

/* Work that uses the mapping is done first. */
CUresult sim_call_virtual_unmap(CUdeviceptr address, size_t bytes) {
    SIM_ENTER(c);
    sim_finish_everything(c);
    return sim_result_of(sim_virtual_unmap(address, bytes));
}

/* CUDA's enumeration has no write access alone. */
static CUresult check_access(const CUmemAccessDesc *a) {
    const CUresult checked = check_location("cuMemSetAccess", &a->location);
    if (checked != CUDA_SUCCESS) return checked;
    if (a->flags == DRIVER_ACCESS_NONE || a->flags == DRIVER_ACCESS_READ || a->flags == DRIVER_ACCESS_READ_WRITE)
        return CUDA_SUCCESS;
    return sim_wrong("cuMemSetAccess: access must be none, read, or read and write (0, 1, 3)");
}

/* Indexed by sim_virtual_access. */
static const int access_flags[] = {DRIVER_ACCESS_NONE, DRIVER_ACCESS_READ, DRIVER_ACCESS_READ_WRITE};

static sim_virtual_access access_of(int flag) {
    return flag == DRIVER_ACCESS_NONE   ? SIM_VIRTUAL_NONE
           : flag == DRIVER_ACCESS_READ ? SIM_VIRTUAL_READ
                                        : SIM_VIRTUAL_WRITE;
}

/* Checks all entries before it changes any. */
CUresult sim_call_virtual_set_access(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count) {
    SIM_ENTER(c);
    sim_finish_everything(c);
    if (!access || count == 0) return sim_wrong("cuMemSetAccess: an argument is missing");
    for (size_t i = 0; i < count; i++) {
        const CUresult checked = check_access(&access[i]);
        if (checked != CUDA_SUCCESS) return checked;
    }
    haul_status status = HAUL_OK;
    for (size_t i = 0; i < count && status == HAUL_OK; i++)
        status = sim_virtual_allow(address, bytes, (unsigned)access[i].location.id, access_of(access[i].flags));
    return sim_result_of(status);
}

/* *access is none for memory that is not virtual. */
CUresult sim_call_virtual_get_access(unsigned long long *access, const CUmemLocation *location, CUdeviceptr address) {
    sim_virtual_access found;
    SIM_ENTER(c);
    const CUresult checked = check_location("cuMemGetAccess", location);
    if (checked != CUDA_SUCCESS) return checked;
    *access = DRIVER_ACCESS_NONE;
    if (!sim_is_virtual(address) && sim_at(c, address, 1)) return CUDA_SUCCESS; /* as an H100's driver */
    const haul_status status = sim_virtual_access_of(address, (unsigned)location->id, &found);
    if (status == HAUL_OK) *access = (unsigned long long)access_flags[found];
    return sim_result_of(status);
}

/* ---- multicast objects ---- */

/* Multicast objects are for this process only, too. */
static CUresult check_object(const CUmulticastObjectProp *o) {
    if (!o) return sim_wrong("multicast object: an argument is missing");
    if (!o->handles && !o->flags) return CUDA_SUCCESS;
    return sim_result_of(
        haul_fail(HAUL_ERROR_UNSUPPORTED, "virtual GPU: multicast objects cannot be shared with other processes"));
}

CUresult sim_call_multicast_granularity(size_t *bytes, const CUmulticastObjectProp *object, int option) {
    const CUresult checked = check_object(object);
    if (checked != CUDA_SUCCESS) return checked;
    if (!bytes || option < 0 || option > 1) return sim_wrong("cuMulticastGetGranularity: no such option");
    *bytes = SIM_VIRTUAL_PAGE;
    return CUDA_SUCCESS;
}

CUresult sim_call_multicast_create(CUmemGenericAllocationHandle *handle, const CUmulticastObjectProp *object) {
    uint64_t made = 0;
    SIM_ENTER(c);
    (void)c;
    const CUresult checked = check_object(object);
    if (checked != CUDA_SUCCESS) return checked;
    const haul_status status = sim_virtual_create_multicast(object->devices, object->bytes, &made);
    *handle = made;
    return sim_result_of(status);
}

/* The machine must have multicast. */
CUresult sim_call_multicast_add_device(CUmemGenericAllocationHandle handle, CUdevice device) {
    SIM_ENTER(c);
    (void)c;
    if (!is_device(device)) return unknown_device("cuMulticastAddDevice", device);
    const sim_machine *m = sim_driver_machine(device);
    if (m->sm < 90)
        return sim_result_of(haul_fail(HAUL_ERROR_UNSUPPORTED,
                                       "virtual GPU: cuMulticastAddDevice: %s is sm_%u, and "
                                       "multicast needs sm_90 or later",
                                       m->name, m->sm));
    return sim_result_of(sim_virtual_add_device(handle, (unsigned)device));
}

CUresult sim_call_multicast_bind(CUmemGenericAllocationHandle handle, size_t offset,
                                 CUmemGenericAllocationHandle memory, size_t memory_offset, size_t bytes,
                                 unsigned long long flags) {
    SIM_ENTER(c);
    (void)c;
    if (flags) return sim_wrong("cuMulticastBindMem: flags must be 0");
    return sim_result_of(sim_virtual_bind(handle, offset, memory, memory_offset, bytes));
}

CUresult sim_call_multicast_bind_address(CUmemGenericAllocationHandle handle, size_t offset, CUdeviceptr address,
                                         size_t bytes, unsigned long long flags) {
    SIM_ENTER(c);
    (void)c;
    if (flags) return sim_wrong("cuMulticastBindAddr: flags must be 0");
    return sim_result_of(sim_virtual_bind_address(handle, offset, address, bytes));
}

CUresult sim_call_multicast_unbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t offset, size_t bytes) {
    SIM_ENTER(c);
    sim_finish_everything(c);
    if (!is_device(device)) return unknown_device("cuMulticastUnbind", device);
    return sim_result_of(sim_virtual_unbind(handle, (unsigned)device, offset, bytes));
}
