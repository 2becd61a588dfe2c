/* Measures the time until PTX can run: parsing of a module, and inlining and lowering of each kernel.
 *
 *     bench_loading [--each] [--repeat R] FILE.ptx...
 *
 * Prints a line a module: its kernels, milliseconds for parsing, for the slowest kernel and for a thousand
 * instructions; with --each a line a kernel too. Each figure is the best of R runs (default 3). */
#include "assembler/passes.h"
#include "exec/operations.h"
#include "base/arena.h"
#include "state/program.h"
#include "ptx/inline.h"
#include "lower/internal.h"
#include "lower/lower.h"

#include <haul/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options {
    bool each;
    unsigned repeat;
} options;

typedef struct loading {
    size_t kernels, instructions;
    double parsing, slowest, lowering; /* seconds; the last of all kernels together */
} loading;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "bench_loading: %s\n", haul_message());
    exit(1);
}

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t capacity = 0;
    if (!file) {
        fprintf(stderr, "bench_loading: %s: cannot be read\n", path);
        exit(2);
    }
    *length = 0;
    do {
        capacity += 1 << 20;
        text = realloc(text, capacity);
        if (!text) abort();
        *length += fread(text + *length, 1, capacity - *length, file);
    } while (*length == capacity);
    fclose(file);
    return text;
}

static uint64_t place(void *context, const ptx_variable *variable) {
    (void)context, (void)variable;
    return 0x1000;
}

/* Returns the seconds that it took. */
static double load_kernel(ptx_module *module, ptx_function *entry, size_t *instructions) {
    ptx_function *flat;
    sim_program *program;
    arena memory = {0};
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory)) abort();
    arena_init(&memory, &out_of_memory);
    const double start = now();
    must(ptx_inline_calls(module, entry, &flat));
    const sim_operations operations = sim_operations_best();
    must(sim_run_passes(module, flat, false, &flat));
    must(sim_lower(&operations, module, flat, &memory, place, NULL, &program));
    const double seconds = now() - start;
    *instructions = flat->instruction_count;
    arena_free(&memory);
    return seconds;
}

static void keep_least(double *best, double seconds, bool first) {
    if (first || seconds < *best) *best = seconds;
}

/* Kernels' own best times are in `best`, by function. */
static void load_once(const char *path, const char *text, size_t length, bool first, loading *l, double *best,
                      size_t *instructions) {
    ptx_module *module;
    const double start = now();
    must(ptx_module_parse(path, text, length, &module));
    keep_least(&l->parsing, now() - start, first);
    for (size_t f = 0; f < module->function_count; f++)
        if (module->functions[f]->is_entry)
            keep_least(&best[f], load_kernel(module, module->functions[f], &instructions[f]), first);
    ptx_module_free(module);
}

static void tell(const char *path, const char *text, size_t length, const options *o, loading *l, const double *best,
                 const size_t *instructions) {
    ptx_module *module;
    must(ptx_module_parse(path, text, length, &module));
    for (size_t f = 0; f < module->function_count; f++) {
        if (!module->functions[f]->is_entry) continue;
        l->kernels++;
        l->instructions += instructions[f];
        l->lowering += best[f];
        if (best[f] > l->slowest) l->slowest = best[f];
        if (o->each)
            printf("  %8.3f ms %8zu instructions  %s\n", 1e3 * best[f], instructions[f], module->functions[f]->name);
    }
    ptx_module_free(module);
    const double thousands = (double)(l->instructions ? l->instructions : 1) / 1000;
    printf("%7zu KB %5zu kernels  parsing %8.2f ms  slowest kernel %8.2f ms  a thousand instructions %6.3f ms  %s\n",
           length >> 10, l->kernels, 1e3 * l->parsing, 1e3 * l->slowest, 1e3 * l->lowering / thousands, path);
}

static void load_file(const char *path, const options *o) {
    enum { MOST_FUNCTIONS = 1 << 16 };
    size_t length, *instructions = calloc(MOST_FUNCTIONS, sizeof *instructions);
    double *best = calloc(MOST_FUNCTIONS, sizeof *best);
    char *text = read_file(path, &length);
    loading l = {0};
    if (!best || !instructions) abort();
    for (unsigned k = 0; k < o->repeat; k++) load_once(path, text, length, k == 0, &l, best, instructions);
    tell(path, text, length, o, &l, best, instructions);
    free(text);
    free(best);
    free(instructions);
}

int main(int count, char **words) {
    options o = {.repeat = 3};
    int first = 1;
    for (; first < count && words[first][0] == '-'; first++) {
        if (!strcmp(words[first], "--each"))
            o.each = true;
        else if (!strcmp(words[first], "--repeat") && first + 1 < count && atoi(words[first + 1]) > 0)
            o.repeat = (unsigned)atoi(words[++first]);
        else
            first = count;
    }
    if (first >= count) {
        fprintf(stderr, "usage: bench_loading [--each] [--repeat R] FILE.ptx...\n");
        return 2;
    }
    for (; first < count; first++) load_file(words[first], &o);
    return 0;
}
