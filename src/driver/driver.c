#include "driver/driver.h"

#include "base/status.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
static driver_table loaded;
static haul_status load_status;
static char load_message[512]; /* copied to each thread that asks */
static pthread_once_t once = PTHREAD_ONCE_INIT;

enum { OLDEST = 12000 }; /* CUDA 12.0, as cuDriverGetVersion() numbers it */

static const struct {
    size_t at;
    const char *symbol;
    bool may_be_missing;
} symbols[] = {
#define DRIVER(name, symbol, parameters) {offsetof(driver_table, name), #symbol, false},
#define DRIVER_SINCE(version, name, symbol, parameters) {offsetof(driver_table, name), #symbol, (version) > OLDEST},
#include "driver/driver.def"
#undef DRIVER
};

/* Stores a function pointer from dlsym, by the detour that ISO C needs. */
static void set_function(size_t at, void *function) {
    *(void **)(void *)((char *)&loaded + at) = function;
}

static haul_status too_old(const char *how) {
    return haul_fail(HAUL_ERROR_NO_DEVICE,
                     "gpu: the NVIDIA driver is too old: %s; haul needs one for CUDA 12.0 or later; update it, or use "
                     "--device sim:h100",
                     how);
}

static haul_status resolve(void) {
    char how[128];
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *function = dlsym(library, symbols[i].symbol);
        snprintf(how, sizeof how, "libcuda.so.1 has no %s", symbols[i].symbol);
        if (!function && !symbols[i].may_be_missing) return too_old(how);
        set_function(symbols[i].at, function);
    }
    return HAUL_OK;
}

static haul_status initialise(void) {
    char how[64];
    int version = 0;
    CUresult result = loaded.init(0);
    if (result != CUDA_SUCCESS)
        return haul_fail(HAUL_ERROR_NO_DEVICE, "gpu: %s (%s, %d); use --device sim:h100", driver_result_text(result),
                         driver_result_name(result), (int)result);
    if (loaded.version(&version) != CUDA_SUCCESS || version >= OLDEST) return HAUL_OK;
    snprintf(how, sizeof how, "it is for CUDA %d.%d", version / 1000, version % 1000 / 10);
    return too_old(how);
}

/* If the library exists but cannot be loaded, the message is dlopen's. */
static haul_status open_library(void) {
    const char *given = getenv(DRIVER_PATH);
    library = dlopen(given && *given ? given : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const char *error = library ? NULL : dlerror();
    if (error && !strstr(error, "No such file"))
        return haul_fail(HAUL_ERROR_NO_DEVICE, "gpu: %s; use --device sim:h100", error);
    if (!library)
        return haul_fail(HAUL_ERROR_NO_DEVICE, "gpu: no NVIDIA driver (libcuda.so.1) on this machine; install it, or "
                                               "use --device sim:h100");
    HAUL_TRY(resolve());
    return initialise();
}

static void load(void) {
    load_status = open_library();
    if (load_status != HAUL_OK) snprintf(load_message, sizeof load_message, "%s", haul_message());
}

haul_status driver_load(const driver_table **table) {
    pthread_once(&once, load);
    if (load_status != HAUL_OK) return haul_fail(load_status, "%s", load_message);
    *table = &loaded;
    return HAUL_OK;
}

const char *driver_path(void) {
    struct link_map *map = NULL;
    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return NULL;
    return map->l_name;
}

/* ---- results ---- */

static const struct {
    CUresult value;
    haul_status status;
    const char *name, *text;
} results[] = {
#define RESULT(name, value, status, text) \
    {CUDA_##name, HAUL_##status, (value) ? "CUDA_ERROR_" #name : "CUDA_SUCCESS", text},
#include "driver/results.def"
#undef RESULT
};

/* Finds the row of a code; -1 if haul does not know it. */
static int find_result(CUresult result) {
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        if (results[i].value == result) return (int)i;
    }
    return -1;
}

const char *driver_result_name(CUresult result) {
    int i = find_result(result);
    return i < 0 ? "CUDA error" : results[i].name;
}

const char *driver_result_text(CUresult result) {
    int i = find_result(result);
    return i < 0 ? "an error that haul does not know" : results[i].text;
}

bool driver_result_is_known(CUresult result) {
    return find_result(result) >= 0;
}

haul_status driver_result_status(CUresult result) {
    int i = find_result(result);
    return i < 0 ? HAUL_ERROR_DRIVER : results[i].status;
}
