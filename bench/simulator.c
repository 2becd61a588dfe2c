/* How fast the virtual GPU runs, all counters on: PTX thread-instructions a second of kernels that stream, compute,
 * copy asynchronously, exchange through shared memory, count with atomics and reach memory at scattered places, for 1
 * to N host threads; and how many times as long the same takes with all checks of `haul check` on.
 *
 *     bench_simulator [--json FILE] [--threads N] [--repeat R] [--only TEXT] [--unchecked] [--compiled] [--uncounted]
 *                     [--processor]
 *
 * Each figure is the best of R runs (default 3): the machine's, with the least of what else it does. The first column
 * of rates is of kernels whose hot blocks are compiled, the second of the same interpreted. --only: works whose name
 * has TEXT in it; --unchecked: without the runs with checks; --compiled: without the interpreted ones; --uncounted:
 * only how many times as fast each is when nothing is counted, both measured in turns; --processor: the process's time
 * on processors, which other programs change less, instead of the time that passes; for --threads 1. */
#include <haul/haul.h>
#include <kernels/kernels.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "simulator/works.h"

typedef struct options {
    const char *json, *only;
    unsigned threads, repeat;
    bool unchecked, compiled, uncounted, processor;
} options;

/* simulator/kernels.cu, embedded. */
extern const char bench_simulator_ptx[], bench_simulator_ptx_end[];

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "bench_simulator: %s\n", haul_message());
    exit(1);
}

static uint32_t *filled(const bench_argument *shape) {
    uint32_t *words = calloc(bench_words_of(shape), sizeof *words);
    if (!words) abort();
    bench_fill_words(shape, words);
    return words;
}

static void write_words(haul_buffer *buffer, const bench_argument *shape) {
    uint32_t *words = filled(shape);
    must(haul_buffer_write(buffer, 0, words, bench_words_of(shape) * sizeof *words));
    free(words);
}

static haul_argument make_argument(haul_device *device, const bench_argument *shape) {
    haul_argument argument = {.kind = HAUL_ARGUMENT_BUFFER};
    switch (shape->fill) {
    case BENCH_INTEGER: return (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = (int64_t)shape->value};
    case BENCH_DOUBLE: return (haul_argument){.kind = HAUL_ARGUMENT_F64, .real = shape->value};
    case BENCH_REAL: return (haul_argument){.kind = HAUL_ARGUMENT_F32, .real = shape->value};
    default: break;
    }
    must(haul_buffer_create(device, bench_words_of(shape) * sizeof(uint32_t), &argument.buffer));
    write_words(argument.buffer, shape);
    return argument;
}

static haul_module *load_module(haul_device *device, const bench_work *w) {
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

/* Clears the buffers in which launches count, so that each launch begins at zero. */
static void clear_words(const bench_work *w, const haul_launch *launch) {
    for (size_t i = 0; i < launch->argument_count; i++)
        if (w->arguments[i].fill == BENCH_ZEROS) write_words(launch->arguments[i].buffer, &w->arguments[i]);
}

static void check_words(const bench_work *w, const haul_launch *launch) {
    bench_words before[BENCH_MOST_ARGUMENTS] = {0}, after[BENCH_MOST_ARGUMENTS] = {0};
    for (size_t i = 0; i < launch->argument_count; i++) {
        const size_t count = before[i].count = after[i].count = bench_words_of(&w->arguments[i]);
        if (!count) continue;
        before[i].words = filled(&w->arguments[i]);
        after[i].words = filled(&w->arguments[i]);
        must(haul_buffer_read(launch->arguments[i].buffer, 0, after[i].words, count * sizeof(uint32_t)));
    }
    if (!w->check(before, after)) {
        fprintf(stderr, "bench_simulator: %s: the result is wrong\n", w->name);
        exit(1);
    }
    for (size_t i = 0; i < launch->argument_count; i++) {
        free(before[i].words);
        free(after[i].words);
    }
}

/* A work on a device of its own. */
typedef struct bench_run {
    const bench_work *work;
    haul_device *device;
    haul_module *module;
    haul_run *run;
    haul_argument arguments[BENCH_MOST_ARGUMENTS];
    haul_launch launch;
    bool processor; /* times are the process's time on processors */
    result best;    /* so far */
} bench_run;

static void open_run(const bench_work *w, const haul_device_options *how, bench_run *b) {
    *b = (bench_run){.work = w};
    must(haul_device_open("sim:h100", how, &b->device));
    b->module = load_module(b->device, w);
    must(haul_run_create(b->device, &b->run));
    haul_launch *l = &b->launch;
    *l = (haul_launch){.kernel = w->kernel, .arguments = b->arguments};
    for (; l->argument_count < BENCH_MOST_ARGUMENTS && w->arguments[l->argument_count].fill; l->argument_count++)
        b->arguments[l->argument_count] = make_argument(b->device, &w->arguments[l->argument_count]);
    memcpy(l->grid, w->grid, sizeof l->grid);
    memcpy(l->block, w->block, sizeof l->block);
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run_once(bench_run *b) {
    clear_words(b->work, &b->launch);
    const double before = processor_seconds();
    must(haul_launch_run(b->module, &b->launch, b->run));
    const double on_processors = processor_seconds() - before;
    const haul_launch_record *r = &b->run->launches[b->run->launch_count - 1];
    const double seconds = b->processor ? on_processors : r->host_seconds;
    b->best.instructions = r->counters[HAUL_COUNTER_THREAD_INST_EXECUTED];
    if (b->best.seconds <= 0 || seconds < b->best.seconds) b->best.seconds = seconds;
}

static result close_run(bench_run *b) {
    if (b->work->check) check_words(b->work, &b->launch);
    haul_run_free(b->run);
    haul_device_close(b->device);
    return b->best;
}

static result measure(const bench_work *w, unsigned threads, const options *o, bool check) {
    const haul_device_options how = {.threads = threads, .check = check};
    bench_run b;
    open_run(w, &how, &b);
    b.processor = o->processor;
    for (unsigned k = 0; k < o->repeat; k++) run_once(&b);
    return close_run(&b);
}

/* Counted and not, in turns, so that both have the same of the host. */
static void measure_both(const bench_work *w, unsigned threads, const options *o, result *counted, result *uncounted) {
    bench_run one, other;
    open_run(w, &(haul_device_options){.threads = threads}, &one);
    open_run(w, &(haul_device_options){.threads = threads, .counting = HAUL_COUNT_NONE}, &other);
    one.processor = other.processor = o->processor;
    for (unsigned k = 0; k < o->repeat; k++) {
        run_once(&one);
        run_once(&other);
    }
    *counted = close_run(&one);
    *uncounted = close_run(&other);
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
                    "[--compiled] [--uncounted] [--processor]\n");
    exit(2);
}

static options parse(int count, char **words) {
    options o = {.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), .repeat = 3};
    const struct {
        const char *name;
        bool *set;
    } flags[] = {{"--unchecked", &o.unchecked},
                 {"--compiled", &o.compiled},
                 {"--uncounted", &o.uncounted},
                 {"--processor", &o.processor}};
    for (int i = 1; i < count; i++) {
        bool *set = NULL;
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (strcmp(words[i], flags[k].name) == 0) set = flags[k].set;
        if (set) {
            *set = true;
            continue;
        }
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

static void report_uncounted(const bench_work *w, unsigned threads, const options *o, json_t *rows) {
    result counted, uncounted;
    measure_both(w, threads, o, &counted, &uncounted);
    const double rate = counted.instructions / counted.seconds, faster = counted.instructions / uncounted.seconds;
    printf("%-21s %7u %16.0f %10.2f %10.2f %10.2f\n", w->name, threads, counted.instructions, rate / 1e9, faster / 1e9,
           faster / rate);
    fflush(stdout);
    json_array_append_new(rows, json_pack("{s:s, s:i, s:f, s:f, s:f}", "work", w->name, "threads", (int)threads,
                                          "thread_instructions", counted.instructions, "thread_instructions_per_second",
                                          rate, "uncounted_per_second", faster));
}

static void report(const bench_work *w, unsigned threads, const options *o, json_t *rows) {
    if (o->uncounted) {
        report_uncounted(w, threads, o, rows);
        return;
    }
    const result r = measure(w, threads, o, false);
    const double rate = r.instructions / r.seconds;
    json_t *row =
        json_pack("{s:s, s:i, s:f, s:f, s:f}", "work", w->name, "threads", (int)threads, "thread_instructions",
                  r.instructions, "seconds", r.seconds, "thread_instructions_per_second", rate);
    printf("%-21s %7u %16.0f %10.4f %10.2f", w->name, threads, r.instructions, r.seconds, rate / 1e9);
    if (!o->compiled) {
        choose_form(true);
        const double interpreted = r.instructions / measure(w, threads, o, false).seconds;
        choose_form(false);
        printf(" %12.2f", interpreted / 1e9);
        json_object_set_new(row, "interpreted_per_second", json_real(interpreted));
    }
    if (!o->unchecked) {
        const double times = measure(w, threads, o, true).seconds / r.seconds;
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
    if (o.uncounted)
        printf("%-21s %7s %16s %10s %10s %10s\n", "work", "threads", "thread instr.", "G/second", "uncounted", "times");
    else
        printf("%-21s %7s %16s %10s %10s%s%s\n", "work", "threads", "thread instr.", "seconds", "G/second",
               o.compiled ? "" : "  interpreted", o.unchecked ? "" : " checked, times");
    for (const bench_work *w = bench_works; w < bench_works + bench_work_count; w++) {
        if (o.only && !strstr(w->name, o.only)) continue;
        for (unsigned threads = 1; threads < o.threads; threads *= 2) report(w, threads, &o, rows);
        report(w, o.threads, &o, rows);
    }
    int failed = o.json && json_dump_file(rows, o.json, JSON_INDENT(2)) != 0;
    if (failed) fprintf(stderr, "bench_simulator: %s cannot be written\n", o.json);
    json_decref(rows);
    return failed;
}
