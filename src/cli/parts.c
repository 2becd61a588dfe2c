/* Implements cli/parts.h. The folders are tried in this order: that of the program (a build), ../lib/haul beside it (an
 * installation that was moved), and the folder that the build was configured to install to. */
#include "cli/parts.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

const char *cli_own_path(arena *memory) {
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? arena_copy(memory, path, (size_t)length) : NULL;
}

/* With a slash at the end. */
static const char *own_folder(arena *memory) {
    const char *path = cli_own_path(memory), *slash = path ? strrchr(path, '/') : NULL;
    return slash ? arena_copy(memory, path, (size_t)(slash + 1 - path)) : NULL;
}

const char *cli_find_part(const char *name, arena *memory) {
    const char *folder = own_folder(memory);
    const char *places[] = {folder ? arena_printf(memory, "%s%s", folder, name) : NULL,
                            folder ? arena_printf(memory, "%s../lib/haul/%s", folder, name) : NULL,
                            arena_printf(memory, HAUL_PARTS_INSTALLED "/%s", name)};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i] && access(places[i], R_OK) == 0) return places[i];
    }
    return NULL;
}
