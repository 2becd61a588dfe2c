/* Virtual memory and multicast objects: the driver's functions, with the program's device numbers.
 *
 * cuMemCreate(), cuMemMap() and their like: those that name no device are generated; these translate the number in a
 * location or of a device, and call the driver's table. The memory itself is in vgpu/virtual.c. */
#include "base/memory.h"
#include "lib/device.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

/* Locations of other kinds stay, for the driver to judge. */
static CUresult real_location(CUmemLocation *l) {
    return l->type == DRIVER_LOCATION_DEVICE ? cuda_device_of(&l->id) : CUDA_SUCCESS;
}

/* Copies the program's structure, which is not changed. */
static CUresult real_memory(const CUmemAllocationProp *given, CUmemAllocationProp *real) {
    if (!given) return CUDA_INVALID_VALUE;
    *real = *given;
    return real_location(&real->location);
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *memory, int option) {
    CUmemAllocationProp real;
    CUDA_ENTER_DEVICE(d);
    CUresult result = real_memory(memory, &real);
    if (result == CUDA_SUCCESS) result = d->virtual_granularity(bytes, &real, option);
    return cuda_leave(result);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *memory,
                     unsigned long long flags) {
    CUmemAllocationProp real;
    CUDA_ENTER_DEVICE(d);
    CUresult result = real_memory(memory, &real);
    if (result == CUDA_SUCCESS) result = d->virtual_create(handle, bytes, &real, flags);
    return cuda_leave(result);
}

/* Translates back. */
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *memory, CUmemGenericAllocationHandle handle) {
    CUDA_ENTER_DEVICE(d);
    const CUresult result = memory ? d->virtual_properties(memory, handle) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) memory->location.id = (int)standin_number_of(memory->location.id);
    return cuda_leave(result);
}

/* Translates a copy of the list. */
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count) {
    CUDA_ENTER_DEVICE(d);
    CUmemAccessDesc *real = access && count ? memory_zeroed(count, sizeof *real) : NULL;
    CUresult result = real ? CUDA_SUCCESS : access && count ? CUDA_OUT_OF_MEMORY : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        real[i] = access[i];
        result = real_location(&real[i].location);
    }
    if (result == CUDA_SUCCESS) result = d->virtual_set_access(address, bytes, real, count);
    memory_free(real);
    return cuda_leave(result);
}

CUresult cuMemGetAccess(unsigned long long *access, const CUmemLocation *location, CUdeviceptr address) {
    CUDA_ENTER_DEVICE(d);
    CUmemLocation real = location ? *location : (CUmemLocation){0};
    CUresult result = location ? real_location(&real) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = d->virtual_get_access(access, &real, address);
    return cuda_leave(result);
}

/* Translates the device's number only. */
CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device) {
    CUDA_ENTER_DEVICE(d);
    const CUresult result = cuda_device_of(&device);
    return cuda_leave(result == CUDA_SUCCESS ? d->multicast_add_device(handle, device) : result);
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t offset, size_t bytes) {
    CUDA_ENTER_DEVICE(d);
    const CUresult result = cuda_device_of(&device);
    return cuda_leave(result == CUDA_SUCCESS ? d->multicast_unbind(handle, device, offset, bytes) : result);
}

/* ---- other processes ---- */

CUresult cuMemExportToShareableHandle(void *handle, CUmemGenericAllocationHandle memory, int type,
                                      unsigned long long flags) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    if (!handle || flags) return cuda_leave(CUDA_INVALID_VALUE);
    if (type != DRIVER_HANDLE_FILE) return cuda_leave(CUDA_NOT_SUPPORTED);
    return cuda_leave(sim_driver_export_memory(memory, handle));
}

/* The descriptor itself is passed as the pointer. */
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *memory, void *handle, int type) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    if (!memory) return cuda_leave(CUDA_INVALID_VALUE);
    if (type != DRIVER_HANDLE_FILE) return cuda_leave(CUDA_NOT_SUPPORTED);
    return cuda_leave(sim_driver_import_memory(memory, (int)(intptr_t)handle));
}
