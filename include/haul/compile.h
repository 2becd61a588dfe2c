/* CUDA source to PTX and modules, as the haul command compiles it: with nvcc or clang, which run as processes of their
 * own, or with NVRTC in this one. */
#ifndef HAUL_COMPILE_H
#define HAUL_COMPILE_H

#include <haul/haul.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haul_compile_options {
    /* nvcc, clang (the newest found) or a path of one; nvrtc or a path of libnvrtc; NULL: nvcc if there is one, else
     * clang. NVRTC compiles device code only: host functions and the C library's headers do not compile. */
    const char *compiler;
    const char *architecture; /* sm_80, sm_90a, ...; NULL: the device's, or sm_90 without a device */
    const char *const *flags; /* -I DIR, -D NAME[=VALUE], -U NAME, -include FILE, --no-lineinfo */
    size_t flag_count;
    bool separate; /* code may call functions of other texts; haul_module_link() joins them */
} haul_compile_options;

typedef struct haul_compilation {
    char *ptx; /* NUL-terminated; NULL after a failure */
    size_t ptx_length;
    char *messages; /* the compiler's warnings and errors; NULL if there are none */
} haul_compilation;

/* Compiles CUDA source to PTX. `source` is the text, or NULL for the file `name`. A text's `name` is for messages and
 * line information, and relative includes are looked for in its folder. `options` may be NULL. Blocks for as long as
 * the compiler runs; any thread may call it. Free the result also after a failure, when it has the compiler's messages.
 * Errors: HAUL_ERROR_COMPILER (no compiler; source that does not compile), HAUL_ERROR_FILE, HAUL_ERROR_OUT_OF_MEMORY.
 */
haul_status haul_compile(const char *name, const char *source, const haul_compile_options *options,
                         haul_compilation *result);
void haul_compilation_free(haul_compilation *result);

/* Compiles for the device, and loads the result. The compiler's warnings are not kept; its first error is in the
 * message. Errors as above, and those of haul_module_load(). */
haul_status haul_module_compile(haul_device *device, const char *name, const char *source,
                                const haul_compile_options *options, haul_module **module);

#ifdef __cplusplus
}
#endif

#endif
