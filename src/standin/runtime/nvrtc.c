/* NVRTC, NVIDIA's compiler as a library, in programs that are linked with it. When asked for machine code it makes PTX,
 * which the program gets as its cubin.
 *
 * The functions here have the names of NVRTC's, and come first in the loader's order. They change the options, or
 * return another function's result, and call the real library for the rest, which must be loaded by the program. PTX
 * is for a virtual architecture (compute_90), machine code for a real one (sm_90): that is what changes in the
 * options. */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_OF_MEMORY = 1, INTERNAL_ERROR = 11 }; /* of nvrtcResult */

/* ---- the real library ---- */

/* The library may have been opened with local symbols. */
static int find_library(struct dl_phdr_info *info, size_t bytes, void *found) {
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    (void)bytes;
    if (strncmp(name, "libnvrtc.so", strlen("libnvrtc.so")) != 0) return 0;
    *(void **)found = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return 1;
}

/* Fills in the function's pointer. */
static int find_real(const char *name, void *pointer) {
    void *function = dlsym(RTLD_NEXT, name), *library = NULL;
    if (!function && dl_iterate_phdr(find_library, &library) && library) function = dlsym(library, name);
    if (!function) fprintf(stderr, "haul: %s() was called, but no libnvrtc is loaded\n", name);
    memcpy(pointer, &function, sizeof function);
    return function ? 0 : INTERNAL_ERROR;
}

/* ---- replaced functions ---- */

/* Finds `sm_90` in `-arch=sm_90`, `--gpu-architecture=sm_90`, or in the argument after such an option; NULL if there is
 * none. */
static const char *real_architecture(const char *option, const char *before) {
    const bool names_one = strncmp(option, "-arch", 5) == 0 || strncmp(option, "--gpu-architecture", 18) == 0 ||
                           (before && (strcmp(before, "-arch") == 0 || strcmp(before, "--gpu-architecture") == 0));
    return names_one ? strstr(option, "sm_") : NULL;
}

/* The same option with `compute_90`, allocated. */
static char *virtual_architecture(const char *option, const char *sm) {
    char *changed;
    const int length = asprintf(&changed, "%.*scompute_%s", (int)(sm - option), option, sm + strlen("sm_"));
    return length < 0 ? NULL : changed;
}

/* Compiles with the changed options; the caller's own are not touched. */
extern int nvrtcCompileProgram(void *program, int count, const char *const *options);
int nvrtcCompileProgram(void *program, int count, const char *const *options) {
    int (*compile)(void *, int, const char *const *);
    const size_t room = count > 0 ? (size_t)count : 0;
    const char **changed = calloc(room + 1, sizeof *changed);
    char **owned = calloc(room + 1, sizeof *owned);
    int result = changed && owned ? find_real(__func__, &compile) : OUT_OF_MEMORY;
    for (size_t i = 0; i < room && result == 0; i++) {
        changed[i] = options[i];
        const char *sm = real_architecture(options[i], i ? options[i - 1] : NULL);
        if (!sm) continue;
        changed[i] = owned[i] = virtual_architecture(options[i], sm);
        if (!owned[i]) result = OUT_OF_MEMORY;
    }
    if (result == 0) result = compile(program, count, changed);
    for (size_t i = 0; owned && i < room; i++) free(owned[i]);
    free(owned);
    free((void *)changed);
    return result;
}

/* The size of the PTX, and the PTX itself, in place of the cubin's. */
extern int nvrtcGetCUBINSize(void *program, size_t *bytes);
int nvrtcGetCUBINSize(void *program, size_t *bytes) {
    int (*get)(void *, size_t *);
    const int found = find_real("nvrtcGetPTXSize", &get);
    return found == 0 ? get(program, bytes) : found;
}

extern int nvrtcGetCUBIN(void *program, char *cubin);
int nvrtcGetCUBIN(void *program, char *cubin) {
    int (*get)(void *, char *);
    const int found = find_real("nvrtcGetPTX", &get);
    return found == 0 ? get(program, cubin) : found;
}
