/* Compiles CUDA source with NVRTC, NVIDIA's compiler as a library, where it is installed. */
#ifndef HAUL_LIB_NVRTC_H
#define HAUL_LIB_NVRTC_H

#include "lib/compile.h"

/* True if the compiler's name means NVRTC: nvrtc, or a path of libnvrtc. */
bool nvrtc_is_named(const char *compiler);

/* As compile_source(), which calls it. `include` are folders of haul's own headers. The library stays loaded. Errors:
 * HAUL_ERROR_COMPILER if there is no NVRTC, or the source does not compile; HAUL_ERROR_FILE. */
haul_status nvrtc_compile(const char *path, const compile_options *options, const text_list *include, text *ptx,
                          text *messages);

/* Appends "nvrtc 13.0 /path/libnvrtc.so.13". Errors: HAUL_ERROR_COMPILER. */
haul_status nvrtc_find(const char *compiler, text *line);

#endif
