/* The names that libcuda.so.1 exports; their functions are generated from the tables (generate-calls.c).
 *
 * standin_calls.inc has the definitions, standin_names.inc a row for each name, both in the order of names.def. The
 * rows form the table of cuGetProcAddress(). Functions that haul lacks count their calls, which
 * standin_report_missing_driver() prints at the program's end. */
#include "standin/cuda/cuda.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
    COUNT_NAMES = 0
#define NAME(name, version) +1
#include "standin/cuda/names.def"
#undef NAME
};

static atomic_ulong asked[COUNT_NAMES];

/* Generated functions call this with the number of their row. */
static CUresult cuda_refuse(size_t name) {
    asked[name]++;
    return CUDA_NOT_SUPPORTED;
}

#include <standin_calls.inc>

static const struct {
    const char *name;
    int version;
    bool is_here; /* haul has the function */
    void (*function)(void);
} calls[] = {
#define CALL(name, version, is_here) {#name, version, is_here, (void (*)(void))name},
#include <standin_names.inc>
#undef CALL
};

void standin_report_missing_driver(void) {
    for (size_t i = 0; i < COUNT_NAMES; i++)
        if (asked[i])
            fprintf(stderr, "haul: %s() is not supported; the program called it %lu time%s\n", calls[i].name,
                    (unsigned long)asked[i], asked[i] == 1 ? "" : "s");
}

/* The row of a name, by bisection; -1 if there is none. */
static int find(const char *name) {
    int low = 0, high = COUNT_NAMES - 1;
    while (low <= high) {
        const int middle = (low + high) / 2, order = strcmp(name, calls[middle].name);
        if (order == 0) return middle;
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return -1;
}

/* ---- cuGetProcAddress ---- */

enum { BY_THREAD = 2, KNOWN_FLAGS = 3 }; /* CU_GET_PROC_ADDRESS_... */
enum { FOUND = 0, NOT_FOUND = 1, TOO_OLD = 2 };

/* The function's form in the requested version of CUDA: NAME, NAME_v2, NAME_v3... Returns -1 if there is no such
 * name, or only newer forms; *status says which. */
static int find_form(const char *name, int version, int *status) {
    char form[128];
    int found = find(name);
    *status = found < 0 ? NOT_FOUND : FOUND;
    if (found >= 0 && calls[found].version > version) {
        *status = TOO_OLD;
        return -1;
    }
    for (int k = 2; found >= 0; k++) {
        snprintf(form, sizeof form, "%s_v%d", name, k);
        const int next = find(form);
        if (next < 0 || calls[next].version > version) break;
        found = next;
    }
    return found;
}

/* The form for a default stream for each thread, if the function has one. */
static int by_thread(int found) {
    static const char *const suffixes[] = {"_ptsz", "_ptds"};
    char form[128];
    for (size_t i = 0; i < 2; i++) {
        snprintf(form, sizeof form, "%s%s", calls[found].name, suffixes[i]);
        const int own = find(form);
        if (own >= 0) return own;
    }
    return found;
}

/* Functions that haul lacks are found, too: they return an error when called, and are named at the program's end. */
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status) {
    int what;
    if (!name || !function || flags & ~(unsigned long long)KNOWN_FLAGS) return CUDA_INVALID_VALUE;
    int found = find_form(name, version, &what);
    if (found >= 0 && flags & BY_THREAD) found = by_thread(found);
    *function = NULL;
    if (found >= 0) memcpy(function, &calls[found].function, sizeof *function);
    if (status) *status = what;
    return found >= 0 ? CUDA_SUCCESS : CUDA_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags) {
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* ---- NVIDIA's private interfaces ---- */

/* The calling library. A program that is linked with the static runtime was refused before. */
static const char *asking_library(const void *address) {
    Dl_info info;
    const char *slash = dladdr(address, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    return slash ? slash + 1 : "the program";
}

/* NVIDIA's libraries that ask for private tables of its driver but work without them. */
static bool does_without_tables(const char *library) {
    static const char *const names[] = {"libnvrtc", "libnvJitLink", "libnvidia-"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(library, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Finds no table. Only NVIDIA's runtime cannot work without these private tables of its driver. */
CUresult cuGetExportTable(const void **table, const void *uuid) {
    static atomic_bool told;
    const char *library = asking_library(__builtin_return_address(0));
    (void)uuid;
    if (table) *table = NULL;
    if (!does_without_tables(library) && !atomic_exchange(&told, true))
        fprintf(
            stderr,
            "haul: %s has NVIDIA's CUDA runtime in it and no symbols, so what it does with a GPU fails: set CUDA_HOME "
            "to a toolkit of its release, whose libcudart_static.a has them\n",
            library);
    return CUDA_NOT_FOUND;
}
