/* Finding and opening the library of peers. */
#include "base/status.h"
#include "cli/bench/bench.h"
#include "lib/device.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define NAME "libhaul_peers.so"

/* The folder that this program lies in. */
static bool own_folder(char folder[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0) return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    return slash;
}

static bool exists(text *path) {
    return !path->failed && access(text_string(path), R_OK) == 0;
}

/* Beside the program, as a build leaves it; or where an installation has it. */
static bool find(text *path) {
    char folder[PATH_MAX];
    if (own_folder(folder)) {
        static const char *const places[] = {"%s/" NAME, "%s/../lib/haul/" NAME};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            text_clear(path);
            text_put(path, folder);
            text_put(path, places[i] + 2);
            if (exists(path)) return true;
        }
    }
    text_clear(path);
    text_put(path, HAUL_PEERS_INSTALLED "/" NAME);
    return exists(path);
}

/* A function pointer from dlsym, by the detour that ISO C needs. */
static haul_peers_function *entry_of(void *library) {
    haul_peers_function *function = NULL;
    *(void **)(void *)&function = dlsym(library, "haul_peers");
    return function;
}

static haul_status open_table(bench_peers *p, const haul_device *device) {
    haul_peers_function *entry = entry_of(p->library);
    const haul_peers_table *table = entry ? entry() : NULL;
    if (!table)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: has no haul_peers(): it is no library of peers",
                         text_string(&p->path));
    if (table->version != HAUL_PEERS_VERSION)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: is for another version of haul: build it anew",
                         text_string(&p->path));
    int error = table->open(device->handle);
    if (error)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: cannot use the device: %s", text_string(&p->path),
                         table->explain(error));
    p->table = table;
    return HAUL_OK;
}

static haul_status load(bench_peers *p, const haul_device *device) {
    p->library = dlopen(text_string(&p->path), RTLD_NOW | RTLD_LOCAL);
    if (!p->library) return haul_fail(HAUL_ERROR_NOT_FOUND, "%s", dlerror());
    return open_table(p, device);
}

haul_status bench_peers_load(bench_peers *p, const char *file, const haul_device *device) {
    *p = (bench_peers){0};
    if (device->is_virtual) {
        text_put(&p->missing, "peers need a GPU");
        return HAUL_OK;
    }
    if (file) {
        text_printf(&p->path, "%s%s", strchr(file, '/') ? "" : "./", file); /* or the loader would look elsewhere */
        return load(p, device);
    }
    if (!find(&p->path)) {
        text_put(&p->missing,
                 "there is no " NAME " beside haul: `make peers` builds it where nvcc is, --peers FILE names one "
                 "that lies elsewhere");
        return HAUL_OK;
    }
    if (load(p, device) != HAUL_OK) text_put(&p->missing, haul_message());
    return HAUL_OK;
}

void bench_peers_free(bench_peers *p) {
    if (p->library) dlclose(p->library);
    text_free(&p->path);
    text_free(&p->missing);
}
