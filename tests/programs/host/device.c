/* What programs ask of the device. There is one. */
#include "host.h"

#include <stddef.h>
#include <string.h>

CUresult cudaGetDeviceCount(int *count) {
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cudaGetDevice(int *number) {
    *number = 0;
    return CUDA_SUCCESS;
}

CUresult cudaSetDevice(int number) {
    return number ? host_fail(CUDA_INVALID_DEVICE) : CUDA_SUCCESS;
}

/* Attributes of an H100 that the driver's table does not have: nothing else in haul asks for them. */
static bool is_known(int attribute, int *value) {
    enum { SHARED_BYTES = 8, REGISTERS = 12, MOST_BLOCKS = 106, COOPERATIVE = 95 };
    switch (attribute) {
    case SHARED_BYTES: *value = 48 << 10; return true;
    case REGISTERS: *value = 65536; return true;
    case MOST_BLOCKS: *value = 32; return true;
    case COOPERATIVE: *value = 1; return true;
    default: return false;
    }
}

CUresult cudaDeviceGetAttribute(int *value, int attribute, int number) {
    (void)number;
    if (is_known(attribute, value)) return CUDA_SUCCESS;
    const driver_table *d = host_enter();
    return host_leave(d->device_attribute(value, attribute, host_device()));
}

CUresult cudaDeviceSynchronize(void) {
    HOST_CALL(synchronize());
}

CUresult cudaDeviceSetLimit(int limit, size_t value) {
    HOST_CALL(limit_set(limit, value));
}

static const struct {
    const char *name;
    size_t at;
} entries[] = {
#define DRIVER(field, symbol, parameters) {#symbol, offsetof(driver_table, field)},
#include "driver/driver.def"
#undef DRIVER
};

/* Names are asked for without their version: cuMemAlloc for cuMemAlloc_v2. */
CUresult cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, unsigned long long flags,
                                          int *found) {
    const size_t length = strlen(name);
    (void)version, (void)flags;
    *function = NULL;
    const driver_table *d = host_enter();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strncmp(entries[i].name, name, length) == 0 && (!entries[i].name[length] || entries[i].name[length] == '_'))
            memcpy(function, (const char *)d + entries[i].at, sizeof *function);
    if (found) *found = *function ? 0 : 1;
    return host_leave(*function ? CUDA_SUCCESS : CUDA_NOT_FOUND);
}
