/* Each kind of advice is right: a kernel gets it, and loses it, with the counter that it names, once it is followed. */
#include "report/profile/advice.h"

#include <haul/haul.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WORDS = 65536, ALL_WORDS = 1 << 20 }; /* of random numbers and indices; of each buffer */

/* Figures that are compared with the kernel's twin: sums over all instructions of the classes. */
typedef enum figure { SECTORS, REQUESTS, WAVEFRONTS, CONFLICTS, COPIES, LANES, LOCAL, CYCLES } figure;
static const char *const figure_names[] = {"sectors", "requests", "wavefronts", "conflicts",
                                           "copies",  "lanes",    "local",      "cycles"};

typedef struct pair {
    const char *kind, *variant;
    figure figure;
    double least; /* how many times better the twin is, at least */
    uint32_t blocks, threads, twin_blocks, twin_threads;
} pair;

/* clang-format off */
static const pair pairs[] = {
    {"local-memory", "", LOCAL, 100, 16, 256, 16, 256},
    {"local-memory", "loop", LOCAL, 100, 16, 256, 16, 256},
    {"constant-serialised", "", REQUESTS, 4, 16, 256, 16, 256},
    {"atomic-turns", "", SECTORS, 7, 16, 256, 16, 256},
    {"atomic-turns", "words", SECTORS, 3, 16, 256, 16, 256},
    {"atomic-turns", "shared", WAVEFRONTS, 20, 16, 256, 16, 256},
    {"partial-warps", "", LANES, 30, 64, 1, 4, 128},
    {"partial-warps", "odd", LANES, 1.5, 64, 20, 40, 32},
    {"misaligned", "", SECTORS, 1.12, 16, 256, 16, 256},
    {"misaligned", "store", SECTORS, 1.12, 16, 256, 16, 256},
    {"misaligned", "rows", SECTORS, 1.15, 16, 256, 16, 256},
    {"misaligned", "neighbours", SECTORS, 1.9, 16, 256, 16, 256},
    {"few-lanes", "", SECTORS, 3.9, 16, 256, 16, 256},
    {"few-lanes", "idle", LANES, 3.9, 16, 256, 16, 256},
    {"scalar-batch", "", REQUESTS, 2.5, 16, 256, 16, 256},
    {"scalar-batch", "store", REQUESTS, 1.5, 16, 256, 16, 256},
    {"array-of-structures", "", SECTORS, 2.5, 16, 256, 16, 256},
    {"strided", "", SECTORS, 4.5, 16, 256, 16, 256},
    {"strided", "arrays", SECTORS, 1.6, 16, 256, 16, 256},
    {"strided", "copy", SECTORS, 1.5, 16, 256, 16, 256},
    {"strided", "atomic", SECTORS, 4.5, 16, 256, 16, 256},
    {"short-rows", "", SECTORS, 1.5, 16, 256, 16, 256},
    {"scattered", "", SECTORS, 3.3, 16, 256, 16, 256},
    {"scattered", "store", SECTORS, 3.3, 16, 256, 16, 256},
    {"atomic-scattered", "", SECTORS, 6.5, 16, 256, 16, 256},
    {"bypass-misaligned", "", SECTORS, 1.8, 16, 256, 16, 256},
    {"copy-lines", "", WAVEFRONTS, 1.5, 16, 256, 16, 256},
    {"copy-lines", "halves", WAVEFRONTS, 1.5, 16, 256, 16, 256},
    {"copy-lines", "cached", WAVEFRONTS, 1.5, 16, 256, 16, 256},
    {"atomic-conflicts", "", CONFLICTS, 100, 16, 256, 16, 256},
    {"atomic-conflicts", "bins", CONFLICTS, 100, 16, 256, 16, 256},
    {"bank-conflicts", "", CONFLICTS, 100, 16, 256, 16, 256},
    {"bank-conflicts", "vectors", CONFLICTS, 8, 16, 256, 16, 256},
    {"bank-conflicts", "swizzled", CONFLICTS, 8, 16, 256, 16, 256},
    {"bank-conflicts", "column", CONFLICTS, 15, 16, 256, 16, 256},
    {"table-conflicts", "", CONFLICTS, 100, 16, 256, 16, 256},
    {"narrow-async-copy", "", COPIES, 3.9, 16, 256, 16, 256},
    {"one-lane", "", LANES, 30, 16, 256, 16, 256},
    {"scattered", "copy", SECTORS, 3.3, 16, 256, 16, 256},
    {"narrow-access", "", REQUESTS, 3.3, 16, 256, 16, 256},
    {"narrow-access", "store", REQUESTS, 1.9, 16, 256, 16, 256},
    {"few-blocks", "", CYCLES, 4, 16, 256, 132, 256},
    {"tail", "", CYCLES, 1.15, 661, 64, 660, 64},
    {"few-bytes-in-flight", "", CYCLES, 2, 132, 64, 264, 256},
};
/* clang-format on */
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* ---- launches ---- */

static haul_device *device;
static haul_module *module;
static haul_argument arguments[4];

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* The numbers below `count` in no order. */
static void shuffle(uint32_t *numbers, uint32_t count) {
    uint32_t seed = 1;
    for (uint32_t i = 0; i < count; i++) numbers[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = next_random(&seed) % i, kept = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = kept;
    }
}

static void give(unsigned argument, const void *words) {
    haul_buffer **buffer = &arguments[argument].buffer;
    assert_int_equal(haul_buffer_create(device, ALL_WORDS * sizeof(uint32_t), buffer), HAUL_OK);
    assert_int_equal(haul_buffer_write(*buffer, 0, words, WORDS * sizeof(uint32_t)), HAUL_OK);
}

static int open_device(void **state) {
    (void)state;
    static uint32_t words[WORDS], groups[WORDS / 32];
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_module_load_file(device, TEST_DATA "/advice/advice.ptx", &module), HAUL_OK);
    give(0, words);
    give(1, words);
    shuffle(words, WORDS);
    give(2, words);
    shuffle(groups, WORDS / 32);
    for (uint32_t i = 0; i < WORDS; i++) words[i] = groups[i / 32] * 32 + i % 32;
    give(3, words);
    return 0;
}

static int close_device(void **state) {
    (void)state;
    haul_device_close(device);
    return 0;
}

/* The run that the launch's record belongs to: the caller's. */
static haul_run *launch(const char *kernel, uint32_t blocks, uint32_t threads) {
    const haul_launch l = {.kernel = kernel,
                           .grid = {blocks, 1, 1},
                           .block = {threads, 1, 1},
                           .arguments = arguments,
                           .argument_count = 4};
    haul_run *run;
    assert_int_equal(haul_run_create(device, &run), HAUL_OK);
    if (haul_launch_run(module, &l, run) != HAUL_OK) fail_msg("%s: %s", kernel, haul_message());
    return run;
}

/* ---- what is said of them ---- */

static double measure(figure of, const haul_launch_record *r) {
    double sum = 0, instructions = 0, threads = 0;
    for (int class = HAUL_CLASS_GLOBAL_LOAD; class < HAUL_CLASS_COUNT; class ++) {
        const haul_traffic *t = &r->classes[class];
        const bool global = class <= HAUL_CLASS_GLOBAL_REDUCTION || class == HAUL_CLASS_LDGSTS_ACCESS ||
                            class == HAUL_CLASS_LDGSTS_BYPASS;
        if (of == SECTORS && global) sum += (double)t->sectors;
        if (of == REQUESTS) sum += (double)t->requests;
        if (of == WAVEFRONTS) sum += (double)t->shared_wavefronts;
        if (of == CONFLICTS) sum += (double)t->bank_conflicts;
        if (of == LOCAL && (class == HAUL_CLASS_LOCAL_LOAD || class == HAUL_CLASS_LOCAL_STORE))
            sum += (double)t->sectors;
    }
    if (of == CYCLES) return r->estimate.cycles;
    if (of == COPIES) return r->counters[HAUL_COUNTER_INST_LDGSTS];
    for (size_t i = 0; of == LANES && i < r->instruction_count; i++) {
        if (r->instructions[i].memory_class != HAUL_CLASS_GLOBAL_LOAD) continue;
        instructions += (double)r->instructions[i].traffic.instructions;
        threads += (double)r->instructions[i].traffic.threads;
    }
    return of == LANES ? instructions / threads : sum;
}

typedef struct verdict {
    bool advised; /* of the kind that is asked about */
    char all[2048];
    double value;
} verdict;

/* `machine`: NULL leaves out advice on the launch as a whole. */
static verdict judge(const char *kernel, uint32_t blocks, uint32_t threads, const sim_machine *machine,
                     const char *kind, figure of) {
    verdict v = {.advised = false};
    arena memory = {0};
    report_hotspots lines;
    report_advice *advice;
    size_t count, used = 0;
    haul_run *run = launch(kernel, blocks, threads);
    assert_int_equal(report_find_hotspots(&run->launches[0], NULL, &memory, &lines), HAUL_OK);
    lines.machine = machine;
    assert_int_equal(report_advise(&lines, 1, &memory, &advice, &count), HAUL_OK);
    for (size_t i = 0; i < count && used < sizeof v.all; i++) {
        v.advised = v.advised || strcmp(advice[i].kind, kind) == 0;
        used += (size_t)snprintf(v.all + used, sizeof v.all - used, "\n    %s:%u: %s: %s", advice[i].line->name,
                                 advice[i].line->line, advice[i].kind, advice[i].text);
    }
    v.value = measure(of, &run->launches[0]);
    arena_free(&memory);
    haul_run_free(run);
    if (getenv("HAUL_TEST_VERBOSE")) printf("%s: %g%s\n", kernel, v.value, v.all);
    return v;
}

/* "bad", "few-lanes", "idle": bad_few_lanes_idle */
static const char *name_of(const char *side, const pair *p, char name[128]) {
    snprintf(name, 128, "%s_%s%s%s", side, p->kind, *p->variant ? "_" : "", p->variant);
    for (char *c = name; *c; c++)
        if (*c == '-') *c = '_';
    return name;
}

static bool is_right(const pair *p) {
    char bad_name[128], good_name[128];
    const sim_machine *machine = sim_machine_find("h100");
    const verdict bad = judge(name_of("bad", p, bad_name), p->blocks, p->threads, machine, p->kind, p->figure),
                  good = judge(name_of("good", p, good_name), p->twin_blocks, p->twin_threads, machine, p->kind,
                               p->figure);
    const bool better = bad.value > 0 && bad.value >= p->least * good.value;
    if (!bad.advised) print_error("%s gets no advice of kind %s:%s\n", bad_name, p->kind, bad.all);
    if (good.advised) print_error("%s, which follows the advice, gets it again:%s\n", good_name, good.all);
    if (!better)
        print_error("%s: %g %s where %g were, not %g times better\n", good_name, good.value, figure_names[p->figure],
                    bad.value, p->least);
    return bad.advised && !good.advised && better;
}

static void following_advice_helps(void **state) {
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < PAIRS; i++) wrong += !is_right(&pairs[i]);
    assert_int_equal(wrong, 0);
}

static void each_kind_has_its_pair(void **state) {
    (void)state;
    for (size_t k = 0; report_advice_kind(k); k++) {
        size_t i = 0;
        while (i < PAIRS && strcmp(pairs[i].kind, report_advice_kind(k)) != 0) i++;
        if (i == PAIRS) fail_msg("no pair of kernels shows that the advice %s helps", report_advice_kind(k));
    }
}

/* ---- kernels with nothing to change ---- */

static void good_kernels_get_none(void **state) {
    (void)state;
    static const char *const names[] = {"fine_copy_with_tail",
                                        "fine_broadcast",
                                        "fine_leader",
                                        "fine_vectors_backwards",
                                        "fine_constants",
                                        "fine_halo_copy",
                                        "fine_integer_sum_in_shared",
                                        "fine_swizzled_tile",
                                        "fine_product",
                                        "fine_tree"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const verdict v = judge(names[i], 16, 256, NULL, "", SECTORS);
        if (*v.all) fail_msg("%s gets advice:%s", names[i], v.all);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_pair),
        cmocka_unit_test(following_advice_helps),
        cmocka_unit_test(good_kernels_get_none),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
