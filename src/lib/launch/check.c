/* Checks launches on hardware against its limits beforehand, because the driver's error says too little. The virtual
 * GPU checks by itself. */
#include "base/status.h"
#include "lib/device.h"

/* The message has the number, the limit, and who sets it. */
static haul_status over(const char *what, uint64_t asked, uint64_t most, const char *who) {
    return haul_fail(HAUL_ERROR_LIMIT, "launch: %s %llu, but %s allows %llu", what, (unsigned long long)asked, who,
                     (unsigned long long)most);
}

/* The driver's limit, or none if it does not tell. */
static uint64_t device_limit(const haul_device *d, int which) {
    int value = 0;
    return d->driver->device_attribute(&value, which, d->handle) == CUDA_SUCCESS && value > 0 ? (uint64_t)value
                                                                                              : UINT64_MAX;
}

/* An attribute of the kernel; `otherwise` if the driver does not tell. */
static uint64_t function_limit(const haul_device *d, CUfunction f, int which, uint64_t otherwise) {
    int value = 0;
    return d->driver->function_attribute(&value, which, f) == CUDA_SUCCESS && value > 0 ? (uint64_t)value : otherwise;
}

/* `first` is the driver's attribute for the first dimension; those of the others follow it. */
static haul_status check_extent(const haul_device *d, const uint32_t extent[3], const char *const names[3], int first) {
    for (int k = 0; k < 3; k++) {
        uint64_t most = device_limit(d, first + k);
        if (!extent[k]) return haul_fail(HAUL_ERROR_LIMIT, "launch: %s 0: there must be at least 1", names[k]);
        if (extent[k] > most) return over(names[k], extent[k], most, d->name);
    }
    return HAUL_OK;
}

/* A kernel's own limit may be lower than the device's. */
static haul_status check_threads(const haul_device *d, const haul_launch *l, CUfunction f) {
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t most = device_limit(d, DRIVER_DEVICE_MAX_THREADS_PER_BLOCK);
    uint64_t own = function_limit(d, f, DRIVER_FUNCTION_MAX_THREADS, most);
    if (threads > most) return over("threads per block", threads, most, d->name);
    return threads > own ? over("threads per block", threads, own, "the kernel (its launch bound, or its registers)")
                         : HAUL_OK;
}

static haul_status check_shared(const haul_device *d, const haul_launch *l, CUfunction f) {
    uint64_t shared = l->shared_bytes + function_limit(d, f, DRIVER_FUNCTION_SHARED_BYTES, 0);
    uint64_t most = device_limit(d, DRIVER_DEVICE_SHARED_OPTIN);
    return shared > most ? over("bytes of shared memory per block", shared, most, d->name) : HAUL_OK;
}

haul_status device_check_launch(const haul_device *d, const haul_launch *l, CUfunction f) {
    static const char *const blocks[] = {"block x", "block y", "block z"}, *const grids[] = {"grid x", "grid y",
                                                                                             "grid z"};
    if (d->extras) return HAUL_OK;
    HAUL_TRY(check_extent(d, l->block, blocks, DRIVER_DEVICE_MAX_BLOCK_X));
    HAUL_TRY(check_extent(d, l->grid, grids, DRIVER_DEVICE_MAX_GRID_X));
    HAUL_TRY(check_threads(d, l, f));
    return check_shared(d, l, f);
}
