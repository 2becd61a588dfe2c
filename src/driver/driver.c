#include "driver/driver.h"

#include "base/status.h"

#include <dlfcn.h>
#include <pthread.h>

static driver_table loaded;
static haul_status load_status;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct {
    size_t at;
    const char *symbol;
} symbols[] = {
#define DRIVER(name, symbol, parameters) {offsetof(driver_table, name), #symbol},
#include "driver/driver.def"
#undef DRIVER
};

/* A function pointer from dlsym, by the detour that ISO C needs. */
static void set_function(size_t at, void *function) {
    *(void **)(void *)((char *)&loaded + at) = function;
}

static haul_status resolve(void *library) {
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *function = dlsym(library, symbols[i].symbol);
        if (!function)
            return haul_fail(HAUL_ERROR_NO_DEVICE,
                             "libcuda.so.1: has no %s: the driver is too old; haul needs one for CUDA 12 or later",
                             symbols[i].symbol);
        set_function(symbols[i].at, function);
    }
    return HAUL_OK;
}

static void load(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        load_status = HAUL_ERROR_NO_DEVICE;
        return;
    }
    load_status = resolve(library);
    if (load_status != HAUL_OK) return;
    if (loaded.init(0) != CUDA_SUCCESS) load_status = HAUL_ERROR_NO_DEVICE;
}

haul_status driver_load(const driver_table **table) {
    pthread_once(&once, load);
    if (load_status != HAUL_OK)
        return haul_fail(load_status,
                         "gpu: no NVIDIA driver with a device (libcuda.so.1) on this machine: use --device sim:h100");
    *table = &loaded;
    return HAUL_OK;
}

const char *driver_result_name(CUresult result) {
    switch (result) {
#define RESULT(name, value, text) \
    case CUDA_##name:             \
        return (value) ? "CUDA_ERROR_" #name : "CUDA_SUCCESS";
#include "driver/results.def"
#undef RESULT
    }
    return "CUDA error";
}

const char *driver_result_text(CUresult result) {
    switch (result) {
#define RESULT(name, value, text) \
    case CUDA_##name:             \
        return text;
#include "driver/results.def"
#undef RESULT
    }
    return "an error that haul has no words for";
}

haul_status driver_result_status(CUresult result) {
    switch (result) {
    case CUDA_SUCCESS: return HAUL_OK;
    case CUDA_OUT_OF_MEMORY: return HAUL_ERROR_OUT_OF_MEMORY;
    case CUDA_INVALID_VALUE: return HAUL_ERROR_ARGUMENT;
    case CUDA_NO_DEVICE:
    case CUDA_INVALID_DEVICE: return HAUL_ERROR_NO_DEVICE;
    case CUDA_INVALID_IMAGE:
    case CUDA_INVALID_PTX: return HAUL_ERROR_SYNTAX;
    case CUDA_NO_BINARY_FOR_GPU:
    case CUDA_UNSUPPORTED_PTX_VERSION:
    case CUDA_NOT_SUPPORTED: return HAUL_ERROR_UNSUPPORTED;
    case CUDA_NOT_FOUND: return HAUL_ERROR_NOT_FOUND;
    case CUDA_LAUNCH_OUT_OF_RESOURCES: return HAUL_ERROR_LIMIT;
    case CUDA_ILLEGAL_ADDRESS:
    case CUDA_MISALIGNED_ADDRESS: return HAUL_ERROR_FAULT;
    case CUDA_LAUNCH_TIMEOUT: return HAUL_ERROR_TIMEOUT;
    case CUDA_ASSERT:
    case CUDA_LAUNCH_FAILED: return HAUL_ERROR_TRAP;
    default: return HAUL_ERROR_DRIVER;
    }
}
