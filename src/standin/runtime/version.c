/* Finds the version of CUDA that the program was made for. A shared runtime tells it by its file name; a static one
 * by the names of its functions, which redirect.c passes on before main(). The answer is kept once it is known.
 * Structures and parameters that differ between versions depend on it. */
#include "standin/runtime/version.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

enum { NEWEST = 13 };

static atomic_int version; /* 0: not known yet */

/* Functions that exist in only one version. */
void standin_note_static(const char *name) {
    if (strcmp(name, "cudaGetDeviceProperties_v2") == 0) version = 12;
    if (strcmp(name, "cudaBindTexture") == 0) version = 11;
}

/* Returns whether to end the search. */
static int read_name(struct dl_phdr_info *info, size_t bytes, void *found) {
    static const struct {
        const char *name;
        int version;
    } names[] = {{"libcudart.so.11.0", 11}, {"libcudart.so.12", 12}, {"libcudart.so.13", 13}};
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    (void)bytes;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) *(int *)found = names[i].version;
    return *(int *)found != 0;
}

/* May be called by any thread: all find the same. */
int standin_cuda_version(void) {
    int found = version;
    if (!found) dl_iterate_phdr(read_name, &found);
    if (!found) return NEWEST; /* a library may still be opened */
    version = found;
    return found;
}
