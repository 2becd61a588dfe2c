/* Shared by the tests of the kernels: devices, arrays with canaries behind them, launches of single kernels.
 */
#ifndef HAUL_KERNELS_FIXTURE_H
#define HAUL_KERNELS_FIXTURE_H

#include <haul/kernels.h>
#include <kernels/launch.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The machine that tests use, and the kernels on it. An H100 unless on_each_machine() says otherwise. HAUL_TEST_DEVICE
 * in the environment names another one for all of them: gpu:0. */
static haul_device *device;
static haul_kernels *kernels;

static const char *const machine_names[] = {"sim:a100", "sim:h100"};
static haul_device *devices[COUNT(machine_names)];
static haul_kernels *kernels_of[COUNT(machine_names)];

static inline void must(haul_status status) {
    if (status != HAUL_OK) fail_msg("%s", haul_message());
}

static inline void expect_failure(haul_status got, haul_status want, const char *text) {
    if (got != want) fail_msg("status %d, not %d: %s", (int)got, (int)want, haul_message());
    if (!strstr(haul_message(), text)) fail_msg("'%s' has no '%s'", haul_message(), text);
}

static inline void use_machine(size_t which) {
    device = devices[which];
    kernels = kernels_of[which];
}

static inline int open_machines(void **state) {
    (void)state;
    const char *other = getenv("HAUL_TEST_DEVICE");
    for (size_t i = 0; i < COUNT(machine_names); i++) {
        must(haul_device_open(other ? other : machine_names[i], NULL, &devices[i]));
        must(haul_kernels_open(devices[i], &kernels_of[i]));
    }
    use_machine(COUNT(machine_names) - 1);
    return 0;
}

static inline int close_machines(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(machine_names); i++) {
        haul_kernels_close(kernels_of[i]);
        haul_device_close(devices[i]);
    }
    return 0;
}

/* For what only virtual machines tell: counters, occupancy, what an older architecture refuses. */
static inline void skip_on_hardware(void) {
    if (!haul_device_is_virtual(device)) skip();
}

/* For kernels that carry their data in another way on each architecture. */
static inline void on_each_machine(void (*check)(void)) {
    for (size_t i = 0; i < COUNT(machine_names); i++) {
        use_machine(i);
        check();
    }
}

/* ---- arrays: `count` floats and a margin of canaries, which the device's copies have too ---- */

enum { MARGIN = 40 };

static inline float *canaries(size_t count) {
    float *floats = malloc((count + MARGIN) * sizeof *floats);
    assert_non_null(floats);
    for (size_t i = 0; i < count + MARGIN; i++) floats[i] = -1.0e30f;
    return floats;
}

/* From 0 to 1. */
static inline float *randoms(size_t count, uint32_t seed) {
    float *floats = canaries(count);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        floats[i] = (float)(seed >> 8) / 16777216.0f;
    }
    return floats;
}

static inline haul_buffer *upload(const float *floats, size_t count) {
    haul_buffer *buffer;
    must(haul_buffer_create(device, (count + MARGIN) * sizeof *floats, &buffer));
    must(haul_buffer_write(buffer, 0, floats, (count + MARGIN) * sizeof *floats));
    return buffer;
}

/* A buffer of canaries. */
static inline haul_buffer *upload_canaries(size_t count) {
    float *floats = canaries(count);
    haul_buffer *buffer = upload(floats, count);
    free(floats);
    return buffer;
}

/* Ends the buffer. `what` names the kernel or form. */
static inline void assert_holds(const char *what, haul_buffer *buffer, const float *expected, size_t count) {
    float *got = canaries(count);
    must(haul_buffer_read(buffer, 0, got, (count + MARGIN) * sizeof *got));
    for (size_t i = 0; i < count + MARGIN; i++) {
        if (memcmp(&got[i], &expected[i], sizeof *got) == 0) continue;
        fail_msg("%s on %s: element %zu of %zu is %.9g, expected %.9g", what, haul_device_name(device), i, count,
                 (double)got[i], (double)expected[i]);
    }
    free(got);
    haul_buffer_free(buffer);
}

/* Sizes around every boundary that one-dimensional kernels have. */
static inline void for_each_size(void (*check)(uint32_t n)) {
    static const uint32_t sizes[] = {1,   2,   3,   4,    5,    7,    31,   32,   33,   100,  127,  255,
                                     256, 257, 999, 1023, 1024, 1025, 1027, 2049, 3333, 4096, 4999, 5000};
    for (size_t k = 0; k < COUNT(sizes); k++) check(sizes[k]);
}

/* ---- kernels that have no host function: the lab's ---- */

#define B(value) \
    { .kind = HAUL_ARGUMENT_BUFFER, .buffer = (value) }
#define U(value) \
    { .kind = HAUL_ARGUMENT_I32, .integer = (value) }

typedef struct shape {
    uint32_t grid[2], block[2], shared_bytes;
} shape;

static inline shape cover(size_t n, uint32_t block) {
    return (shape){.grid = {(uint32_t)((n + block - 1) / block), 1}, .block = {block, 1}};
}

static inline void launch(const char *module_name, const char *kernel, shape s, const haul_argument *arguments,
                          size_t count) {
    haul_module *module;
    const haul_launch l = {.kernel = kernel,
                           .grid = {s.grid[0], s.grid[1], 1},
                           .block = {s.block[0], s.block[1], 1},
                           .shared_bytes = s.shared_bytes,
                           .arguments = arguments,
                           .argument_count = count};
    must(kernels_module(kernels, module_name, &module));
    must(haul_launch_run(module, &l, NULL));
}

/* Launches kernel(in, out, n, parameters...) and compares `out`, `count` floats that were canaries, with `expected`. */
static inline void assert_maps(const char *module, const char *kernel, shape s, const float *in, size_t in_count,
                               const float *expected, size_t count, const uint32_t parameters[],
                               size_t parameter_count) {
    haul_buffer *from = upload(in, in_count), *to = upload_canaries(count);
    haul_argument arguments[8] = {B(from), B(to)};
    for (size_t k = 0; k < parameter_count; k++) arguments[2 + k] = (haul_argument)U(parameters[k]);
    launch(module, kernel, s, arguments, 2 + parameter_count);
    assert_holds(kernel, to, expected, count);
    haul_buffer_free(from);
}
#define PARAMETERS(...) (const uint32_t[]){__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__}))

#endif
