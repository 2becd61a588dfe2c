/* Devices and modules of sweeps. HAUL_TEST_DEVICE: another device than the virtual GPUs. */
#ifndef HAUL_DEVICE_MACHINES_H
#define HAUL_DEVICE_MACHINES_H

#include "points.h"

typedef struct machine {
    haul_device *device;
    haul_module *module;
    unsigned arch;
} machine;

static inline unsigned long from_environment(const char *name, unsigned long otherwise) {
    const char *value = getenv(name);
    return value ? strtoul(value, NULL, 0) : otherwise;
}

static inline char *file_text(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is missing", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *length, file), *length);
    fclose(file);
    return text;
}

static inline haul_module *load_ptx(haul_device *device, const char *path) {
    haul_module *module;
    must(haul_module_load_file(device, path, &module));
    return module;
}

/* A device with one of this folder's .cu files, compiled for `arch`. */
static inline machine machine_open(const char *virtual_device, unsigned arch, const char *source) {
    const haul_device_options one_thread = {.threads = 1, .check = true}; /* tests run side by side */
    const char *other = getenv("HAUL_TEST_DEVICE");
    char path[512];
    machine m = {.arch = arch};
    must(haul_device_open(other ? other : virtual_device, &one_thread, &m.device));
    snprintf(path, sizeof path, "%s/tests/device_%s.sm_%u.ptx", TEST_BUILD, source, arch);
    m.module = load_ptx(m.device, path);
    return m;
}

#endif
