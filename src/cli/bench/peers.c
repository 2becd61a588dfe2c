/* Finding and opening libraries of peers.
 *
 * A library of peers exports one function, haul_peers(), which returns a table of functions (<haul/peers.h>). haul
 * itself is built without nvcc, and the peers need it, so they are loaded when the command runs. They queue their work
 * in the device's primary context, as haul does. */
#include "base/status.h"
#include "cli/bench/bench.h"
#include "cli/parts.h"
#include "lib/device.h"

#include <dlfcn.h>
#include <string.h>

#define NAME "libhaul_peers.so"

/* Converts a pointer from dlsym to a function pointer, the way ISO C allows. */
static haul_peers_function *entry_of(void *library) {
    haul_peers_function *function = NULL;
    *(void **)(void *)&function = dlsym(library, "haul_peers");
    return function;
}

/* Checks the library's version before anything of its table is used, and lets it use the device. */
static haul_status open_table(bench_library *l, const haul_device *device) {
    haul_peers_function *entry = entry_of(l->handle);
    if (!entry)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: has no haul_peers(): it is not a library of peers", l->name);
    l->table = entry();
    if (l->table->version != HAUL_PEERS_VERSION)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: is for another version of haul: build it again", l->name);
    int error = l->table->open(device->handle);
    if (!error) return HAUL_OK;
    return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: cannot use the device: %s", l->name, l->table->explain(error));
}

/* Opens a library and adds it. A failed one is closed again and takes no place in the array. */
static haul_status load(bench_peers *p, const char *file, const haul_device *device, arena *memory) {
    const char *slash = strrchr(file, '/');
    if (p->count == BENCH_LIBRARIES) return haul_fail(HAUL_ERROR_LIMIT, "--peers: give at most %d", BENCH_LIBRARIES);
    bench_library *l = &p->libraries[p->count];
    *l = (bench_library){.name = slash ? slash + 1 : file};
    const char *path =
        slash ? file : arena_printf(memory, "./%s", file); /* otherwise the loader would search elsewhere */
    l->handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!l->handle) return haul_fail(HAUL_ERROR_NOT_FOUND, "%s", path ? dlerror() : "no memory for a path");
    haul_status status = open_table(l, device);
    if (status == HAUL_OK)
        p->count++;
    else
        dlclose(l->handle);
    return status;
}

/* Virtual GPUs have no peers, because a library for the CUDA runtime cannot run there. Without --peers a missing
 * library is no error, only a fact of the report. */
haul_status bench_peers_load(bench_peers *p, const char *const *files, size_t count, const haul_device *device,
                             arena *memory) {
    *p = (bench_peers){0};
    if (device->extras && count)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "--peers %s: peers need a GPU: add --device gpu:0", files[0]);
    if (device->extras) {
        p->missing = "they need a GPU";
        return HAUL_OK;
    }
    for (size_t i = 0; i < count; i++) HAUL_TRY(load(p, files[i], device, memory));
    if (count) return HAUL_OK;
    const char *found = cli_find_part(NAME, memory);
    if (!found)
        p->missing =
            "there is no " NAME " beside haul: its build makes one where nvcc is, --peers FILE names one that lies "
            "elsewhere";
    else if (load(p, found, device, memory) != HAUL_OK)
        p->missing = arena_printf(memory, "%s", haul_message());
    return HAUL_OK;
}

void bench_peers_free(bench_peers *p) {
    for (size_t i = 0; i < p->count; i++) dlclose(p->libraries[i].handle);
}
