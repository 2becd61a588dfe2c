/* Loading PTX. A real driver compiles it, and its compiler's errors go into the message.
 *
 * The driver's own words for a module that it cannot load are a number and a log. This file makes one line of them:
 * file, line and the compiler's first error; or, for the two usual reasons, which version or architecture the PTX needs
 * and what the driver has. The virtual GPU parses PTX itself and has its message ready. */
#include "base/status.h"
#include "lib/device.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cuModuleLoadDataEx's options. */
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6, LOG_BYTES = 4096 };

/* Returns the number after a directive such as ".version" or ".target sm_", times ten if it has a point: 9.0 is 90. 0
 * if there is no such directive. */
static int directive(const char *ptx, const char *name, bool has_point) {
    const char *s = strstr(ptx, name);
    if (!s) return 0;
    char *rest;
    long whole = strtol(s + strlen(name), &rest, 10);
    return (int)(has_point ? whole * 10 + (*rest == '.' ? rest[1] - '0' : 0) : whole);
}

/* Finds the compiler's first error, "ptxas application ptx input, line 7; error : Unknown symbol 'q'": its line, and
 * its text, which begins after the colon. */
static const char *first_error(const char *log, long *line) {
    const char *error = strstr(log, "error"), *place = strstr(log, "line ");
    *line = error && place && place < error ? strtol(place + strlen("line "), NULL, 10) : 0;
    const char *words = error ? strchr(error, ':') : NULL;
    words = words ? words + 1 : log;
    return words + strspn(words, " ");
}

/* Fails with the compiler's first error and its line. */
static haul_status say_log(const haul_device *d, CUresult result, const char *name, const char *log) {
    long line;
    char place[32] = "";
    const char *words = first_error(log, &line);
    if (line) snprintf(place, sizeof place, ":%ld", line);
    return haul_fail(driver_result_status(result), "%s%s: %.*s (%s's PTX compiler, %s)", name, place,
                     (int)strcspn(words, "\n"), words, d->name, driver_result_name(result));
}

/* The PTX is newer than the driver. */
static haul_status say_version(const haul_device *d, const char *name, const char *ptx) {
    int version = directive(ptx, ".version", true), cuda = 0;
    d->driver->version(&cuda);
    return haul_fail(
        HAUL_ERROR_UNSUPPORTED,
        "%s: is PTX %d.%d, which %s's driver (CUDA %d.%d) does not know: update the driver, or compile with "
        "an older toolkit",
        name, version / 10, version % 10, d->name, cuda / 1000, cuda % 1000 / 10);
}

/* The PTX is for another architecture. */
static haul_status say_target(const haul_device *d, const char *name, const char *ptx) {
    uint32_t has = haul_device_architecture(d);
    return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: is for sm_%d, but %s is sm_%u: compile it for that (--arch sm_%u)",
                     name, directive(ptx, ".target sm_", false), d->name, has, has);
}

/* Turns the driver's answer into a status; the log is empty if the compiler was not reached. */
static haul_status say(const haul_device *d, CUresult result, const char *name, const char *ptx, const char *log) {
    if (result == CUDA_SUCCESS) return HAUL_OK;
    if (d->extras) return device_check(d, result, name);
    if (result == CUDA_UNSUPPORTED_PTX_VERSION) return say_version(d, name, ptx);
    if (result == CUDA_NO_BINARY_FOR_GPU) return say_target(d, name, ptx);
    if (*log && driver_result_status(result) != HAUL_ERROR_OUT_OF_MEMORY) return say_log(d, result, name, log);
    haul_status status = device_check(d, result, "loading a module");
    return haul_fail_in(status, "%s", name);
}

haul_status device_load_ptx(const haul_device *d, const char *name, const char *ptx, CUmodule *module) {
    char log[LOG_BYTES] = "";
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    CUresult result = d->driver->module_load(module, ptx, 2, options, values);
    return say(d, result, name, ptx, log);
}

/* Adds and links the parts, and loads the result. *at becomes the index of the part that failed, or `count`. */
static CUresult link(const haul_device *d, CUlinkState state, const haul_ptx *parts, size_t count, size_t *at,
                     CUmodule *module) {
    void *image;
    size_t bytes;
    CUresult result = CUDA_SUCCESS;
    for (*at = 0; *at < count && result == CUDA_SUCCESS; ++*at)
        result = d->driver->link_add(state, DRIVER_LINK_PTX, (void *)(uintptr_t)parts[*at].text, parts[*at].length + 1,
                                     parts[*at].name, 0, NULL, NULL);
    if (result != CUDA_SUCCESS) return --*at, result;
    result = d->driver->link_complete(state, &image, &bytes);
    return result == CUDA_SUCCESS ? d->driver->module_load(module, image, 0, NULL, NULL) : result;
}

/* The driver may write to `log` until the linker is destroyed. */
haul_status device_link_ptx(const haul_device *d, const char *name, const haul_ptx *parts, size_t count,
                            CUmodule *module) {
    char log[LOG_BYTES] = "";
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    CUlinkState state;
    size_t at;
    HAUL_TRY(device_check(d, d->driver->link_create(2, options, values, &state), "a linker"));
    const CUresult result = link(d, state, parts, count, &at, module);
    const haul_status status =
        at < count ? say(d, result, parts[at].name, parts[at].text, log) : say(d, result, name, parts[0].text, log);
    (void)d->driver->link_destroy(state);
    return status;
}
