/* Recognises source files of compilers and of haul, so that findings name the user's lines instead. */
#include "base/toolchain.h"

#include <stddef.h>
#include <string.h>

/* libcu++ lies in a folder `cuda`, as many projects' own files do. Its public headers have no extension, its others lie
 * in folders of their own. */
static bool is_of_libcudacxx(const char *path, const char *name) {
    static const char folder[] = "/cuda/";
    const size_t length = sizeof folder - 1;
    if (strstr(path, "/cuda/std/") || strstr(path, "/cuda/__")) return true;
    const bool is_in_folder = (size_t)(name - path) >= length && strncmp(name - length, folder, length) == 0;
    return is_in_folder && !strchr(name, '.');
}

/* Headers that are named after an architecture, as sm_30_intrinsics.hpp. */
static bool is_of_architecture(const char *name) {
    return strncmp(name, "sm_", 3) == 0 && (strstr(name, "_intrinsics.") || strstr(name, "_atomic_functions."));
}

bool is_toolchain_file(const char *path) {
    static const char *const parts[] = {"/haul_toolchain/", "/toolchain/include/", "/usr/local/cuda",
                                        "/usr/include/",    "-linux/include/",     "/include/haul/device"};
    static const char *const names[] = {"cuda_pipeline", "cuda_awbarrier"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(path, parts[i])) return true;
    }
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    }
    return is_of_architecture(name) || is_of_libcudacxx(path, name);
}
