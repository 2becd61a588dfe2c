/* How fast the virtual GPU runs, all counters on: PTX thread-instructions a second of a streaming kernel and of one
 * that computes, for 1 to N host threads; and how many times as long the same takes with all checks of `haul check` on.
 *
 *     bench_simulator [--json FILE] [--threads N] [--repeat R]
 *
 * Each figure is the best of R runs (default 3): the machine's, with the least of what else it does. */
#include <haul/haul.h>
#include <kernels/kernels.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAXPY_FLOATS = 1 << 24, SGEMM_SIDE = 512 };

typedef struct options {
    const char *json;
    unsigned threads, repeat;
} options;

typedef struct work {
    const char *name, *module, *kernel;
    uint32_t grid[3], block[3];
    size_t floats; /* of each buffer */
    size_t buffers;
} work;

static const work works[] = {
    {"saxpy 2^24", "saxpy", "saxpy_scalar", {SAXPY_FLOATS / 256, 1, 1}, {256, 1, 1}, SAXPY_FLOATS, 2},
    {"saxpy 2^24, float4", "saxpy", "saxpy_vector", {SAXPY_FLOATS / 1024, 1, 1}, {256, 1, 1}, SAXPY_FLOATS, 2},
    {"sgemm 512",
     "sgemm",
     "sgemm_tiled",
     {SGEMM_SIDE / 16, SGEMM_SIDE / 16, 1},
     {16, 16, 1},
     SGEMM_SIDE *SGEMM_SIDE,
     3},
};

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "bench_simulator: %s\n", haul_message());
    exit(1);
}

static haul_argument filled_buffer(haul_device *device, size_t floats) {
    haul_argument argument = {.kind = HAUL_ARGUMENT_BUFFER};
    float *contents = malloc(floats * sizeof *contents);
    if (!contents) abort();
    for (size_t i = 0; i < floats; i++) contents[i] = (float)(i % 1024) / 1024.0f;
    must(haul_buffer_create(device, floats * sizeof *contents, &argument.buffer));
    must(haul_buffer_write(argument.buffer, 0, contents, floats * sizeof *contents));
    free(contents);
    return argument;
}

static size_t make_arguments(haul_device *device, const work *w, haul_argument arguments[4]) {
    if (w->buffers == 3) {
        for (size_t k = 0; k < 3; k++) arguments[k] = filled_buffer(device, w->floats);
        arguments[3] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = SGEMM_SIDE};
        return 4;
    }
    arguments[0] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = SAXPY_FLOATS};
    arguments[1] = (haul_argument){.kind = HAUL_ARGUMENT_F32, .real = 1.5};
    for (size_t k = 2; k < 4; k++) arguments[k] = filled_buffer(device, w->floats);
    return 4;
}

typedef struct result {
    double instructions, seconds;
} result;

static result measure(const work *w, unsigned threads, unsigned repeat, bool check) {
    const haul_device_options device_options = {.threads = threads, .check = check};
    const haul_kernel_module *source = haul_kernel_module_find(w->module, 90);
    haul_device *device;
    haul_module *module;
    haul_run *run;
    must(haul_device_open("sim:h100", &device_options, &device));
    must(haul_module_load(device, w->module, source->ptx, (size_t)(source->end - source->ptx), &module));
    must(haul_run_create(device, &run));
    haul_argument arguments[4];
    haul_launch launch = {.kernel = w->kernel, .arguments = arguments};
    launch.argument_count = make_arguments(device, w, arguments);
    memcpy(launch.grid, w->grid, sizeof launch.grid);
    memcpy(launch.block, w->block, sizeof launch.block);
    result best = {0};
    for (unsigned k = 0; k < repeat; k++) {
        must(haul_launch_run(module, &launch, run));
        const haul_launch_record *r = &run->launches[run->launch_count - 1];
        best.instructions = r->counters[HAUL_COUNTER_THREAD_INST_EXECUTED];
        if (k == 0 || r->host_seconds < best.seconds) best.seconds = r->host_seconds;
    }
    haul_run_free(run);
    haul_device_close(device);
    return best;
}

static unsigned number(const char *text) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end || value == 0 || value > 1024) {
        fprintf(stderr, "bench_simulator: '%s' is not a number from 1 to 1024\n", text);
        exit(2);
    }
    return (unsigned)value;
}

static options parse(int count, char **words) {
    options o = {.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), .repeat = 3};
    for (int i = 1; i < count; i += 2) {
        const char *value = i + 1 < count ? words[i + 1] : NULL;
        if (value && strcmp(words[i], "--json") == 0) {
            o.json = value;
        } else if (value && strcmp(words[i], "--threads") == 0) {
            o.threads = number(value);
        } else if (value && strcmp(words[i], "--repeat") == 0) {
            o.repeat = number(value);
        } else {
            fprintf(stderr, "usage: bench_simulator [--json FILE] [--threads N] [--repeat R]\n");
            exit(2);
        }
    }
    return o;
}

static void report(const work *w, unsigned threads, unsigned repeat, json_t *rows) {
    const result r = measure(w, threads, repeat, false), checked = measure(w, threads, repeat, true);
    const double rate = r.instructions / r.seconds, times = checked.seconds / r.seconds;
    printf("%-20s %7u %16.0f %10.3f %10.2f %14.2f\n", w->name, threads, r.instructions, r.seconds, rate / 1e9, times);
    json_array_append_new(rows, json_pack("{s:s, s:i, s:f, s:f, s:f, s:f}", "work", w->name, "threads", (int)threads,
                                          "thread_instructions", r.instructions, "seconds", r.seconds,
                                          "thread_instructions_per_second", rate, "checked_times", times));
}

int main(int count, char **words) {
    const options o = parse(count, words);
    json_t *rows = json_array();
    printf("%-20s %7s %16s %10s %10s %14s\n", "work", "threads", "thread instr.", "seconds", "G/second",
           "checked, times");
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        for (unsigned threads = 1; threads < o.threads; threads *= 2) {
            report(&works[i], threads, o.repeat, rows);
        }
        report(&works[i], o.threads, o.repeat, rows);
    }
    int failed = o.json && json_dump_file(rows, o.json, JSON_INDENT(2)) != 0;
    if (failed) fprintf(stderr, "bench_simulator: %s cannot be written\n", o.json);
    json_decref(rows);
    return failed;
}
