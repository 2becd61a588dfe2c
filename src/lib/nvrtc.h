/* Compiles CUDA source with NVRTC, NVIDIA's compiler as a library, where it is installed. */
#ifndef HAUL_LIB_NVRTC_H
#define HAUL_LIB_NVRTC_H

#include "base/text.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct nvrtc_request {
    const char *compiler;     /* nvrtc, or the library's path */
    const char *path;         /* the source */
    const char *architecture; /* sm_90 */
    const char *const *flags; /* as cu2ptx takes them */
    size_t flag_count;
    text_list include; /* folders of haul's own headers */
    bool separate;
} nvrtc_request;

/* True if the compiler's name means NVRTC: nvrtc, or a path of libnvrtc. NULL does not. */
bool nvrtc_is_named(const char *compiler);

/* Appends the PTX, and the compiler's warnings and errors. The library stays loaded. Errors: HAUL_ERROR_COMPILER if
 * there is no NVRTC, or the source does not compile; HAUL_ERROR_FILE. */
haul_status nvrtc_compile(const nvrtc_request *request, text *ptx, text *messages);

/* Appends "nvrtc 13.0 /path/libnvrtc.so.13". Errors: HAUL_ERROR_COMPILER. */
haul_status nvrtc_find(const char *compiler, text *line);

#endif
