/* Recognises source files of compilers and of haul, so that findings name the user's lines instead. */
#include "base/toolchain.h"

#include <stddef.h>
#include <string.h>

bool is_toolchain_file(const char *path) {
    static const char *const parts[] = {"/haul_toolchain/", "/toolchain/include/", "/cuda/",
                                        "/usr/include/",    "/targets/",           "/include/haul/device"};
    static const char *const names[] = {"cuda_pipeline", "cuda_awbarrier", "sm_"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(path, parts[i])) return true;
    }
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    }
    return false;
}
