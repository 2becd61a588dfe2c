/* Compiles CUDA source to PTX at run time, with toolchain/cu2ptx, which calls nvcc or clang, or with NVRTC. */
#ifndef HAUL_LIB_COMPILE_H
#define HAUL_LIB_COMPILE_H

#include "base/text.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct compile_options {
    const char *compiler;     /* nvcc, clang, nvrtc or a path; NULL = nvcc if there is one, else clang */
    const char *architecture; /* "sm_90"; NULL = sm_90 */
    const char *const *flags; /* -I, -D and the like, passed to the compiler */
    size_t flag_count;
    bool separate; /* code may call functions of other files: nvcc -rdc=true, clang -fgpu-rdc */
} compile_options;

/* True if compile_source() takes the file: its name ends in .cu. */
bool compile_is_source(const char *path);

/* Appends the PTX of a CUDA source file to `ptx`, and the compiler's warnings and errors to `messages`. `options` may
 * be NULL. Errors: HAUL_ERROR_COMPILER (no compiler, source that does not compile), HAUL_ERROR_FILE. */
haul_status compile_source(const char *path, const compile_options *options, text *ptx, text *messages);

/* Appends one line about the compiler that would be used, "nvcc 13.0 /usr/local/cuda/bin/nvcc". `compiler` as in
 * compile_options. Errors: HAUL_ERROR_COMPILER if there is none. */
haul_status compile_find(const char *compiler, text *line);

/* Appends the path of a file of haul's own source ("kernels/saxpy.cu"), which is beside the toolchain in the source
 * tree and in an installation. Errors: HAUL_ERROR_COMPILER without a toolchain, HAUL_ERROR_FILE without the file. */
haul_status compile_find_own(const char *name, text *path);

#endif
