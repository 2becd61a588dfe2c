/* The real driver. HAUL_GPU_DRIVER has its path, which the command line finds as every program would.
 *
 * The library has the name libcuda.so.1 itself, so the real one cannot be opened by that name. It is loaded once, by
 * the first call of any exported function or of haul's own code, with local symbols: its names must not be found
 * before those exported here. Programs get the real functions in two ways, by name (trampolines.c) and by
 * cuGetProcAddress(), whose results are replaced here by haul's versions of wrapped functions. */
#include "standin/gpu/gpu.h"
#include "standin/gpu/trampolines.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static gpu_driver real; /* functions that the driver lacks return CUDA_NOT_FOUND */

static CUresult is_missing(void) {
    return CUDA_NOT_FOUND;
}

/* ---- loading ---- */

/* A trampoline to a missing function leads to is_missing(), whatever its parameters. */
static gpu_function find(const char *name) {
    gpu_function function = (gpu_function)is_missing;
    void *found = library ? dlsym(library, name) : NULL;
    if (found) memcpy(&function, &found, sizeof function);
    return function;
}

/* Prints a message if there is no driver; cuInit() then returns CUDA_NO_DEVICE. */
static void load(void) {
    const char *path = getenv(DRIVER_PATH);
    library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        fprintf(stderr, "haul: " DRIVER_PATH ": the driver cannot be loaded: %s\n",
                path && *path ? dlerror() : "it names no file");
#define USED(symbol, parameters)                            \
    do {                                                    \
        const gpu_function function_ = find(#symbol);       \
        memcpy(&real.symbol, &function_, sizeof function_); \
    } while (0);
#include "standin/gpu/used.def"
#undef USED
    gpu_set_trampolines(find);
}

void gpu_load(void) {
    pthread_once(&once, load);
}

const gpu_driver *gpu_real(void) {
    gpu_load();
    return &real;
}

/* ---- haul's own versions ---- */

#define USED(symbol, parameters) CUresult symbol parameters;
#include "standin/gpu/used.def"
#undef USED

static const struct {
    const char *name;
    gpu_function own;
    gpu_function *real;
} wrapped[] = {
#define WRAPPED(symbol) {#symbol, (gpu_function)symbol, (gpu_function *)(void *)&real.symbol},
#include "standin/gpu/wrapped.def"
#undef WRAPPED
};
enum { WRAPPED_COUNT = sizeof wrapped / sizeof *wrapped };

/* From here on the process has something to report. */
CUresult cuInit(unsigned flags) {
    const CUresult result = gpu_real()->cuInit(flags);
    if (!library) return CUDA_NO_DEVICE;
    if (result == CUDA_SUCCESS) gpu_prepare_end();
    return result;
}

/* ---- cuGetProcAddress ---- */

enum { BY_THREAD = 2, SECOND_FORM = 12000 }; /* SECOND_FORM: the version of CUDA that has cuGetProcAddress_v2() */

/* Replaces the address if the function of that name is wrapped. */
static bool set_to_own(const char *name, void **function) {
    for (size_t i = 0; i < WRAPPED_COUNT; i++) {
        if (strcmp(wrapped[i].name, name) != 0) continue;
        memcpy(function, &wrapped[i].own, sizeof *function);
        return true;
    }
    return false;
}

static bool set_form(const char *name, const char *form, void **function) {
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", name, form);
    return set_to_own(whole, function);
}

/* The driver returns the address of the form that it chose. A form that it exports under no name is chosen again by
 * name:
 * all forms of the wrapped functions take the same arguments, except those of cuGetProcAddress. */
static void wrap(const char *name, int version, unsigned long long flags, void **function) {
    for (size_t i = 0; i < WRAPPED_COUNT; i++) {
        if (memcmp(function, wrapped[i].real, sizeof *function) != 0) continue;
        memcpy(function, &wrapped[i].own, sizeof *function);
        return;
    }
    if (flags & BY_THREAD && set_form(name, "_ptsz", function)) return;
    const bool older = strcmp(name, "cuGetProcAddress") == 0 && version < SECOND_FORM;
    if (!older && set_form(name, "_v2", function)) return;
    set_to_own(name, function);
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status) {
    const CUresult result = gpu_real()->cuGetProcAddress_v2(name, function, version, flags, status);
    if (result == CUDA_SUCCESS && name && function && *function) wrap(name, version, flags, function);
    return result;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags) {
    const CUresult result = gpu_real()->cuGetProcAddress(name, function, version, flags);
    if (result == CUDA_SUCCESS && name && function && *function) wrap(name, version, flags, function);
    return result;
}
