/* How fast the virtual GPU runs, all counters on: PTX thread-instructions a second of kernels that stream, compute,
 * copy asynchronously, exchange through shared memory and count with atomics, for 1 to N host threads; and how many
 * times as long the same takes with all checks of `haul check` on.
 *
 *     bench_simulator [--json FILE] [--threads N] [--repeat R] [--only TEXT] [--unchecked] [--compiled]
 *
 * Each figure is the best of R runs (default 3): the machine's, with the least of what else it does. The first column
 * of rates is of kernels whose hot blocks are compiled, the second of the same interpreted. --only: works whose name
 * has TEXT in it; --unchecked: without the runs with checks; --compiled: without the interpreted ones. */
#include <haul/haul.h>
#include <kernels/kernels.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WORDS = 1 << 24,
    PRODUCT_SIDE = 512,
    TRANSPOSE_SIDE = 4096,
    HISTOGRAM_BLOCKS = 1024,
    SORT_RUN = 1024,
    BODIES = 4096
};

typedef struct options {
    const char *json, *only;
    unsigned threads, repeat;
    bool unchecked, compiled;
} options;

/* A buffer's words: floats or doubles from 0 to 1, or scattered integers. */
typedef enum argument_kind { NO_ARGUMENT, INTEGER, REAL, DOUBLE, FLOATS, DOUBLES, KEYS } argument_kind;

typedef struct argument_shape {
    argument_kind kind;
    double value; /* or how many words */
} argument_shape;

enum { MOST_ARGUMENTS = 5 };

typedef struct work {
    const char *name, *module, *kernel; /* module NULL: simulator/kernels.cu */
    uint32_t grid[3], block[3];
    argument_shape arguments[MOST_ARGUMENTS];
} work;

/* clang-format off */
static const work works[] = {
    {"saxpy 2^24", "saxpy", "saxpy_scalar", {WORDS / 256, 1, 1}, {256, 1, 1},
     {{INTEGER, WORDS}, {REAL, 1.5}, {FLOATS, WORDS}, {FLOATS, WORDS}}},
    {"saxpy 2^24, float4", "saxpy", "saxpy_vector", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {{INTEGER, WORDS}, {REAL, 1.5}, {FLOATS, WORDS}, {FLOATS, WORDS}}},
    {"product 512", "sgemm", "sgemm_tiled", {PRODUCT_SIDE / 16, PRODUCT_SIDE / 16, 1}, {16, 16, 1},
     {{FLOATS, PRODUCT_SIDE * PRODUCT_SIDE}, {FLOATS, PRODUCT_SIDE * PRODUCT_SIDE},
      {FLOATS, PRODUCT_SIDE * PRODUCT_SIDE}, {INTEGER, PRODUCT_SIDE}}},
    {"product 512, LDGSTS", NULL, "product_staged", {PRODUCT_SIDE / 64, PRODUCT_SIDE / 64, 1}, {256, 1, 1},
     {{FLOATS, PRODUCT_SIDE * PRODUCT_SIDE}, {FLOATS, PRODUCT_SIDE * PRODUCT_SIDE},
      {FLOATS, PRODUCT_SIDE * PRODUCT_SIDE}, {INTEGER, PRODUCT_SIDE}}},
    {"transpose 4096", NULL, "transpose_padded", {TRANSPOSE_SIDE / 32, TRANSPOSE_SIDE / 32, 1}, {32, 8, 1},
     {{FLOATS, TRANSPOSE_SIDE * TRANSPOSE_SIDE}, {FLOATS, TRANSPOSE_SIDE * TRANSPOSE_SIDE}, {INTEGER, TRANSPOSE_SIDE}}},
    {"histogram 2^24", NULL, "histogram_shared", {HISTOGRAM_BLOCKS, 1, 1}, {256, 1, 1},
     {{KEYS, WORDS}, {KEYS, 256}, {INTEGER, WORDS}}},
    {"bitonic sort 2^20", NULL, "bitonic_sort", {WORDS / 16 / SORT_RUN, 1, 1}, {SORT_RUN / 2, 1, 1},
     {{KEYS, WORDS / 16}}},
    {"f64 axpy 2^22", NULL, "saxpy_double", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {{INTEGER, WORDS / 4}, {DOUBLE, 1.5}, {DOUBLES, WORDS / 2}, {DOUBLES, WORDS / 2}}},
    {"f64 product 256", NULL, "product_double", {16, 16, 1}, {16, 16, 1},
     {{DOUBLES, 2 * 256 * 256}, {DOUBLES, 2 * 256 * 256}, {DOUBLES, 2 * 256 * 256}, {INTEGER, 256}}},
    {"f16x2 polynomial 2^22", NULL, "polynomial_half2", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {{INTEGER, WORDS / 4}, {KEYS, WORDS / 4}, {KEYS, WORDS / 4}}},
    {"bytes 2^24", NULL, "brighten_bytes", {WORDS / 256, 1, 1}, {256, 1, 1},
     {{INTEGER, WORDS}, {KEYS, WORDS / 4}, {KEYS, WORDS / 4}}},
    {"sum by shuffles 2^24", NULL, "sum_shuffled", {WORDS / 2048, 1, 1}, {256, 1, 1},
     {{FLOATS, WORDS}, {FLOATS, WORDS / 2048}, {INTEGER, WORDS}}},
    {"bodies 4096", NULL, "pull_bodies", {BODIES / 256, 1, 1}, {256, 1, 1},
     {{FLOATS, 4 * BODIES}, {FLOATS, 4 * BODIES}, {INTEGER, BODIES}}},
    {"options 2^22", NULL, "price_options", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {{INTEGER, WORDS / 4}, {FLOATS, WORDS / 4}, {FLOATS, WORDS / 4}, {FLOATS, WORDS / 4}}},
    {"rows of weights 2^24", NULL, "weigh_rows", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {{INTEGER, WORDS / 128}, {FLOATS, WORDS}, {FLOATS, WORDS}}},
    {"turned pairs 2^22", NULL, "turn_pairs", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {{INTEGER, WORDS / 4}, {FLOATS, WORDS / 2}, {FLOATS, WORDS / 2}}},
};
/* clang-format on */

/* simulator/kernels.cu, embedded. */
extern const char bench_simulator_ptx[], bench_simulator_ptx_end[];

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "bench_simulator: %s\n", haul_message());
    exit(1);
}

static haul_argument filled_buffer(haul_device *device, argument_kind kind, size_t words) {
    haul_argument argument = {.kind = HAUL_ARGUMENT_BUFFER};
    uint32_t *contents = malloc(words * sizeof *contents);
    if (!contents) abort();
    for (size_t i = 0; i < words; i++) {
        const float real = (float)(i % 1024) / 1024.0f;
        contents[i] = (uint32_t)i * 0x9e3779b1u >> 7;
        const double wide = (double)real;
        if (kind == FLOATS) memcpy(&contents[i], &real, sizeof real);
        if (kind == DOUBLES && i % 2) memcpy(&contents[i - 1], &wide, sizeof wide);
    }
    must(haul_buffer_create(device, words * sizeof *contents, &argument.buffer));
    must(haul_buffer_write(argument.buffer, 0, contents, words * sizeof *contents));
    free(contents);
    return argument;
}

static haul_argument make_argument(haul_device *device, argument_shape shape) {
    switch (shape.kind) {
    case INTEGER: return (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = (int64_t)shape.value};
    case DOUBLE: return (haul_argument){.kind = HAUL_ARGUMENT_F64, .real = shape.value};
    case REAL: return (haul_argument){.kind = HAUL_ARGUMENT_F32, .real = shape.value};
    default: return filled_buffer(device, shape.kind, (size_t)shape.value);
    }
}

static haul_module *load_module(haul_device *device, const work *w) {
    haul_module *module;
    const haul_kernel_module *shipped = w->module ? haul_kernel_module_find(w->module, 90) : NULL;
    const char *ptx = shipped ? shipped->ptx : bench_simulator_ptx,
               *end = shipped ? shipped->end : bench_simulator_ptx_end;
    must(haul_module_load(device, w->module ? w->module : "kernels", ptx, (size_t)(end - ptx), &module));
    return module;
}

typedef struct result {
    double instructions, seconds;
} result;

/* A module keeps the form that the environment asks for when it is loaded. */
static void choose_form(bool interpreted) {
    static const char *asked;
    if (!asked) asked = getenv("HAUL_COMPILE") ? strdup(getenv("HAUL_COMPILE")) : "on";
    setenv("HAUL_COMPILE", interpreted ? "off" : asked, 1);
}

static result measure(const work *w, unsigned threads, unsigned repeat, bool check) {
    const haul_device_options device_options = {.threads = threads, .check = check};
    haul_device *device;
    haul_run *run;
    must(haul_device_open("sim:h100", &device_options, &device));
    haul_module *module = load_module(device, w);
    must(haul_run_create(device, &run));
    haul_argument arguments[MOST_ARGUMENTS];
    haul_launch launch = {.kernel = w->kernel, .arguments = arguments};
    for (; launch.argument_count < MOST_ARGUMENTS && w->arguments[launch.argument_count].kind; launch.argument_count++)
        arguments[launch.argument_count] = make_argument(device, w->arguments[launch.argument_count]);
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

static void usage(void) {
    fprintf(stderr, "usage: bench_simulator [--json FILE] [--threads N] [--repeat R] [--only TEXT] [--unchecked] "
                    "[--compiled]\n");
    exit(2);
}

static options parse(int count, char **words) {
    options o = {.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), .repeat = 3};
    for (int i = 1; i < count; i++) {
        o.unchecked |= strcmp(words[i], "--unchecked") == 0;
        o.compiled |= strcmp(words[i], "--compiled") == 0;
        if (strcmp(words[i], "--unchecked") == 0 || strcmp(words[i], "--compiled") == 0) continue;
        const char *option = words[i], *value = i + 1 < count ? words[++i] : NULL;
        if (!value) usage();
        if (strcmp(option, "--json") == 0)
            o.json = value;
        else if (strcmp(option, "--only") == 0)
            o.only = value;
        else if (strcmp(option, "--threads") == 0)
            o.threads = number(value);
        else if (strcmp(option, "--repeat") == 0)
            o.repeat = number(value);
        else
            usage();
    }
    return o;
}

static void report(const work *w, unsigned threads, const options *o, json_t *rows) {
    const result r = measure(w, threads, o->repeat, false);
    const double rate = r.instructions / r.seconds;
    json_t *row =
        json_pack("{s:s, s:i, s:f, s:f, s:f}", "work", w->name, "threads", (int)threads, "thread_instructions",
                  r.instructions, "seconds", r.seconds, "thread_instructions_per_second", rate);
    printf("%-21s %7u %16.0f %10.4f %10.2f", w->name, threads, r.instructions, r.seconds, rate / 1e9);
    if (!o->compiled) {
        choose_form(true);
        const double interpreted = r.instructions / measure(w, threads, o->repeat, false).seconds;
        choose_form(false);
        printf(" %12.2f", interpreted / 1e9);
        json_object_set_new(row, "interpreted_per_second", json_real(interpreted));
    }
    if (!o->unchecked) {
        const double times = measure(w, threads, o->repeat, true).seconds / r.seconds;
        printf(" %14.2f", times);
        json_object_set_new(row, "checked_times", json_real(times));
    }
    printf("\n");
    fflush(stdout);
    json_array_append_new(rows, row);
}

int main(int count, char **words) {
    const options o = parse(count, words);
    json_t *rows = json_array();
    choose_form(false);
    printf("%-21s %7s %16s %10s %10s%s%s\n", "work", "threads", "thread instr.", "seconds", "G/second",
           o.compiled ? "" : "  interpreted", o.unchecked ? "" : " checked, times");
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        if (o.only && !strstr(works[i].name, o.only)) continue;
        for (unsigned threads = 1; threads < o.threads; threads *= 2) report(&works[i], threads, &o, rows);
        report(&works[i], o.threads, &o, rows);
    }
    int failed = o.json && json_dump_file(rows, o.json, JSON_INDENT(2)) != 0;
    if (failed) fprintf(stderr, "bench_simulator: %s cannot be written\n", o.json);
    json_decref(rows);
    return failed;
}
