/* The device benchmark: all candidates of all works in one run, checked, interleaved, as ratios.
 *
 * usage: bench_device [--rounds N] [--json FILE] [--check-large] [--quick] [WORK...]
 *
 * --check-large also checks maxpool at n = 2^31 - 1 (16 GiB); --quick leaves out the small odd sizes. */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "shipped.h"

static const bench_work *const works[] = {&bench_copy,   &bench_saxpy,   &bench_maxpool, &bench_transpose,
                                          &bench_gather, &bench_stencil, &bench_fused,   &bench_matvec};

typedef struct {
    unsigned rounds;
    int large;
    int quick;
    FILE *json;
    int written; /* a row is in the JSON file */
    char **names;
    int name_count;
} options;

static void check_sizes(const bench_work *w, int *fine) {
    const bench_case largest = {HARNESS_ODD_MOST, 0, 0, 0.0, 1, "", 0, 0, 0, 0};
    bench_buffers b;
    harness_open(&b, &largest);
    for (unsigned i = 0; i < w->count; i++) {
        const bench_candidate *k = &w->candidates[i];
        /* Peers are checked at the benchmark's sizes only. CUB keeps the tile size that it chose for the first call;
         * one with a handful of elements would slow all later ones. */
        if (fine[i] && (k->kernel != nullptr || k->form != 0)) fine[i] = harness_check_sizes(w, k, &b) == 0;
    }
    harness_close(&b);
}

static void check_large(const bench_work *w, int *fine) {
    bench_case c = {0x7fffffff, 0, 0, 0.0, 1, "the largest n", 0, 0, 0, 0};
    bench_buffers b;
    harness_open(&b, &c);
    for (unsigned i = 0; i < w->count; i++) {
        if (!w->candidates[i].unchecked && fine[i]) fine[i] = harness_check(w, &c, &w->candidates[i], &b) == 0;
    }
    harness_close(&b);
}

/* Sets enough that a launch finds nothing of its arrays in L2. */
static void run_case(const bench_work *w, const bench_case *c, const int *fine, options *o) {
    bench_buffers sets[4];
    unsigned set_count = c->n >= 1u << 27 ? 2 : 4;
    harness_result *results = (harness_result *)calloc(w->count, sizeof *results);
    for (unsigned s = 0; s < set_count; s++) {
        harness_open(&sets[s], c);
        w->prepare(c, &sets[s]);
    }
    for (unsigned i = 0; i < w->count; i++) {
        const bench_candidate *k = &w->candidates[i];
        results[i].valid = fine[i] && (k->unchecked || harness_check(w, c, k, &sets[0]) == 0);
    }
    timing_measure(w, c, sets, set_count, o->rounds, results);
    report_case(w, c, results, o->rounds, o->json, !o->written);
    o->written = 1;
    for (unsigned s = 0; s < set_count; s++) harness_close(&sets[s]);
    free(results);
}

/* Some need files or libraries that not every machine has. */
static int is_there(const bench_candidate *k) {
    if (strstr(k->name, "cublas") != nullptr) return peer_cublas_there();
    return k->form == 0 || shipped_there(k->shipped);
}

static void run_work(const bench_work *w, options *o) {
    int *fine = (int *)malloc(w->count * sizeof *fine);
    for (unsigned i = 0; i < w->count; i++) fine[i] = is_there(&w->candidates[i]);
    harness_allow_shared(w);
    if (w->odd_sizes != 0 && !o->quick) check_sizes(w, fine);
    if (o->large && w == &bench_maxpool) check_large(w, fine);
    for (unsigned i = 0; i < w->case_count; i++) run_case(w, &w->cases[i], fine, o);
    free(fine);
}

static int wanted(const bench_work *w, const options *o) {
    for (int i = 0; i < o->name_count; i++) {
        if (strcmp(o->names[i], w->name) == 0) return 1;
    }
    return o->name_count == 0;
}

/* Returns 0 when an argument is not understood. */
static int parse(int argc, char **argv, options *o) {
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--check-large") == 0) {
            o->large = 1;
        } else if (strcmp(argv[i], "--quick") == 0) {
            o->quick = 1;
        } else if (i + 1 < argc && strcmp(argv[i], "--rounds") == 0) {
            o->rounds = (unsigned)strtoul(argv[++i], nullptr, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--json") == 0) {
            o->json = fopen(argv[++i], "w");
            if (o->json == nullptr) return 0;
        } else {
            return 0;
        }
    }
    o->names = argv + i;
    o->name_count = argc - i;
    return o->rounds > 0;
}

static void print_machine(FILE *json) {
    cudaDeviceProp device;
    int driver = 0, runtime = 0;
    bench_cuda(cudaGetDeviceProperties(&device, 0), "device");
    bench_cuda(cudaDriverGetVersion(&driver), "driver");
    bench_cuda(cudaRuntimeGetVersion(&runtime), "runtime");
    printf("%s, %d multiprocessors, L2 %d MB, driver API %d, runtime %d\n", device.name, device.multiProcessorCount,
           device.l2CacheSize >> 20, driver, runtime);
    if (json != nullptr) fprintf(json, "{\"device\": \"%s\", \"driver\": %d, \"results\": [", device.name, driver);
}

int main(int argc, char **argv) {
    options o = {25, 0, 0, nullptr, 0, nullptr, 0};
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: bench_device [--rounds N] [--json FILE] [--check-large] [--quick] [WORK...]\n");
        return 2;
    }
    print_machine(o.json);
    shipped_open(argv[0]);
    for (unsigned i = 0; i < BENCH_COUNT(works); i++) {
        if (wanted(works[i], &o)) run_work(works[i], &o);
    }
    if (o.json != nullptr) {
        fprintf(o.json, "\n]}\n");
        fclose(o.json);
    }
    return 0;
}
