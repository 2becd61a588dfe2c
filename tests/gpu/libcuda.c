/* A libcuda.so.1 for tests: its functions are those of the virtual GPU in the program that loads it, so that haul's way
 * to a real driver can be gone without one, and they fail on demand.
 *
 * FAKE_CUDA, words apart by blanks:
 *     cuMemAlloc_v2=2        cuMemAlloc_v2 fails with CUresult 2
 *     cuMemAlloc_v2=2@3      its third call does, and every later one
 *     devices=0              how many GPUs there are; 1 if not given. All are H100s
 *     version=11040          the driver's
 * Built with FAKE_WITHOUT=SYMBOL it lacks that function, as an old driver does. */
#include "driver/driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No function of the table has more arguments, and none takes one that is no whole number by value. */
typedef uintptr_t word;
#define WORDS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l
typedef CUresult function(WORDS);

/* ---- what the environment wants ---- */

/* The value behind `name=`, or NULL. */
static const char *setting(const char *name) {
    const char *s = getenv("FAKE_CUDA");
    size_t length = strlen(name);
    for (; s && *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        if (strncmp(s, name, length) == 0 && s[length] == '=') return s + length + 1;
    }
    return NULL;
}

static int number(const char *name, int otherwise) {
    const char *value = setting(name);
    return value ? (int)strtol(value, NULL, 10) : otherwise;
}

/* The error that this call is to give, or 0. */
static int failure(const char *symbol, atomic_uint *calls) {
    const char *value = setting(symbol);
    char *rest;
    const unsigned call = atomic_fetch_add(calls, 1) + 1;
    if (!value) return 0;
    int code = (int)strtol(value, &rest, 10);
    return *rest != '@' || call >= strtoul(rest + 1, NULL, 10) ? code : 0;
}

/* ---- what is not the virtual GPU's ---- */

static const driver_table *virtual_gpu(void) {
    const driver_table *(*get)(void);
    *(void **)(void *)&get = dlsym(RTLD_DEFAULT, "sim_driver");
    if (!get) {
        fputs("libcuda.so.1 of the tests: the program does not export sim_driver()\n", stderr);
        exit(99);
    }
    return get();
}

static CUdevice h100(void) {
    const driver_table *t = virtual_gpu();
    int count = 0;
    char name[128];
    t->device_count(&count);
    for (int i = 0; i < count; i++) {
        if (t->device_name(name, sizeof name, i) == CUDA_SUCCESS && strstr(name, "H100")) return i;
    }
    return 0;
}

/* cuDeviceGetName without what tells the virtual one. */
static CUresult give_name(char *name, int length) {
    CUresult result = virtual_gpu()->device_name(name, length, h100());
    char *end = strstr(name, " (virtual)");
    if (end) *end = '\0';
    return result;
}

/* Writes what the compiler of a real driver says into option 5, the error log. */
static void give_log(int count, const int *options, void **values) {
    for (int i = 0; i < count; i++) {
        if (options[i] != 5) continue;
        strcpy(values[i], "ptxas application ptx input, line 7; error   : Unknown symbol 'q'\n"
                          "ptxas fatal   : Ptx assembly aborted due to errors\n");
    }
}

enum { MUCH = 64 << 20 }; /* bytes: copies of so many keep a device busy while it is timed, and are not made here */

/* An ordinal is the handle. */
static bool is_own(const char *symbol, word a, word b, word c, CUresult *result) {
    *result = CUDA_SUCCESS;
    if (strcmp(symbol, "cuDriverGetVersion") == 0)
        *(int *)a = number("version", 13000);
    else if (strcmp(symbol, "cuDeviceGetCount") == 0)
        *(int *)a = number("devices", 1);
    else if (strcmp(symbol, "cuDeviceGet") == 0)
        *(int *)a = (int)b;
    else if (strcmp(symbol, "cuDeviceGetName") == 0)
        *result = give_name((char *)a, (int)b);
    else if (strcmp(symbol, "cuDeviceGetAttribute") == 0)
        *result = virtual_gpu()->device_attribute((int *)a, (int)b, h100());
    else if (strcmp(symbol, "cuDeviceTotalMem_v2") == 0)
        *result = virtual_gpu()->device_memory((size_t *)a, h100());
    else if (strcmp(symbol, "cuDevicePrimaryCtxRetain") == 0)
        *result = virtual_gpu()->context_retain((CUcontext *)a, h100());
    else
        return strcmp(symbol, "cuMemcpyDtoDAsync_v2") == 0 && c >= MUCH;
    return true;
}

/* ---- the functions ---- */

static CUresult call(const char *symbol, size_t at, atomic_uint *calls, WORDS) {
    CUresult result;
    int code = failure(symbol, calls);
    if (code == CUDA_INVALID_PTX && strcmp(symbol, "cuModuleLoadDataEx") == 0) give_log((int)c, (int *)d, (void **)e);
    if (code) return (CUresult)code;
    if (is_own(symbol, a, b, c, &result)) return result;
    function *of_table = *(function *const *)(const void *)((const char *)virtual_gpu() + at);
    return of_table(a, b, c, d, e, f, g, h, i, j, k, l);
}

#define DRIVER(name, symbol, parameters)                                                                \
    CUresult symbol(WORDS);                                                                             \
    CUresult symbol(WORDS) {                                                                            \
        static atomic_uint calls;                                                                       \
        return call(#symbol, offsetof(driver_table, name), &calls, a, b, c, d, e, f, g, h, i, j, k, l); \
    }
#ifdef FAKE_WITHOUT
#define cuLaunchKernelEx another_name /* what an old driver lacks has another name here */
#endif
#include "driver/driver.def"
#undef DRIVER
