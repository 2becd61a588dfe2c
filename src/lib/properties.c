/* Reads a device's properties. Those of <haul/properties.def> are attributes of the driver API, which virtual GPUs
 * answer as well; a number that a driver does not tell is 0. A device need not be open. */
#include "lib/device.h"
#include "vgpu/driver.h"

static uint32_t attribute(const driver_table *driver, CUdevice handle, int which) {
    int value = 0;
    return driver->device_attribute(&value, which, handle) == CUDA_SUCCESS && value > 0 ? (uint32_t)value : 0;
}

static uint32_t architecture(const driver_table *driver, CUdevice handle) {
    return attribute(driver, handle, DRIVER_DEVICE_MAJOR) * 10 + attribute(driver, handle, DRIVER_DEVICE_MINOR);
}

/* Peak rate: two transfers a memory clock over the whole bus. Machine descriptions have a more exact one. */
static double memory_rate(const driver_table *driver, const vgpu_extras *extras, CUdevice handle) {
    if (extras) return extras->machine(handle)->memory_gbps * 1e9;
    return 2e3 * attribute(driver, handle, DRIVER_DEVICE_MEMORY_CLOCK_KHZ) *
           attribute(driver, handle, DRIVER_DEVICE_MEMORY_BUS_BITS) / 8;
}

void device_read_properties(const driver_table *driver, const vgpu_extras *extras, CUdevice handle,
                            haul_device_properties *p) {
    size_t bytes = 0;
    *p = (haul_device_properties){.architecture = architecture(driver, handle),
                                  .memory_rate = memory_rate(driver, extras, handle)};
    if (driver->device_memory(&bytes, handle) == CUDA_SUCCESS) p->memory_bytes = bytes;
#define PROPERTY(group, name, number, unit, title, text) p->name = attribute(driver, handle, number);
#include <haul/properties.def>
}

uint32_t device_shared_opt_in(const haul_device *d) {
    return attribute(d->driver, d->handle, DRIVER_DEVICE_SHARED_OPTIN);
}

void haul_device_properties_of(const haul_device *d, haul_device_properties *p) {
    device_read_properties(d->driver, d->extras, d->handle, p);
}

uint32_t haul_device_architecture(const haul_device *d) {
    return architecture(d->driver, d->handle);
}

uint32_t haul_device_sm_count(const haul_device *d) {
    return attribute(d->driver, d->handle, DRIVER_DEVICE_SM_COUNT);
}

double haul_device_memory_rate(const haul_device *d) {
    return memory_rate(d->driver, d->extras, d->handle);
}
