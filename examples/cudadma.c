/* Runs every kernel of cudadma.cu, compares its results with the host's, and shows its memory traffic and its estimated
 * time.
 *
 *     cudadma cudadma.ptx sim:a100
 *     cudadma cudadma.sm_90.ptx sim:h100 */
#include <haul/kernels.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "cudadma: %s\n", haul_message());
    exit(1);
}

static void *must_have(void *memory) {
    if (memory) return memory;
    fprintf(stderr, "cudadma: no memory\n");
    exit(1);
}

/* ---- the programs' results, computed in the kernels' order ---- */

typedef struct data {
    const float *a, *b;
    const int *index;
    float *out;
} data;

enum { SAXPY_BLOCKS = 132, SAXPY_ROUNDS = 8, SAXPY_N = SAXPY_BLOCKS * SAXPY_ROUNDS * 1024 };

static void saxpy(const data *d) {
    for (unsigned i = 0; i < SAXPY_N; i++) d->out[i] = fmaf(2, d->a[i], d->out[i]);
}

enum { PITCH = 288, ROWS = 136, RADIUS = 4, PLANES = 8, STENCIL_N = PITCH * ROWS * PLANES };

/* The margin is not computed. */
static int is_inside(unsigned i) {
    const unsigned x = i % PITCH, y = i / PITCH % ROWS;
    return x >= RADIUS && x < 256 + RADIUS && y >= RADIUS && y < ROWS - RADIUS;
}

static void stencil(const data *d) {
    for (unsigned i = 0; i < STENCIL_N; i++) {
        if (!is_inside(i)) continue;
        const float *m = d->a + i;
        float sum = m[0], scale = 1;
        for (int k = 1; k <= RADIUS; k++) {
            scale *= 0.5f;
            sum = fmaf(scale, (m[-k] + m[k]) + (m[-k * PITCH] + m[k * PITCH]), sum);
        }
        d->out[i] = sum;
    }
}

enum { GATHER_BLOCKS = 132, GATHER_ROUNDS = 8, GATHER_ROW = 128, TABLE_ROWS = 4096 };
enum { GATHER_ROWS = GATHER_BLOCKS * GATHER_ROUNDS * 16 };

static void gather(const data *d) {
    for (unsigned i = 0; i < GATHER_ROWS; i++)
        memcpy(d->out + (size_t)i * GATHER_ROW, d->a + (size_t)d->index[i] * GATHER_ROW, GATHER_ROW * sizeof(float));
}

enum { DENSE_BLOCKS = 64, DENSE_ROUNDS = 4, DENSE_ROWS = DENSE_BLOCKS * 128, DENSE_COLUMNS = DENSE_ROUNDS * 256 };

static void dense(const data *d) {
    for (unsigned row = 0; row < DENSE_ROWS; row++) {
        float sum = 0;
        for (unsigned k = 0; k < DENSE_COLUMNS; k++) sum = fmaf(d->a[(size_t)k * DENSE_ROWS + row], d->b[k], sum);
        d->out[row] = sum;
    }
}

enum { SPARSE_BLOCKS = 132, SPARSE_ROUNDS = 16, SPARSE_ROWS = SPARSE_BLOCKS * 128, SPARSE_EACH = SPARSE_ROUNDS * 4 };

static void sparse(const data *d) {
    for (unsigned row = 0; row < SPARSE_ROWS; row++) {
        float sum = 0;
        for (unsigned k = 0; k < SPARSE_EACH; k++) {
            const size_t i = (size_t)row / 128 * 128 * SPARSE_EACH + k * 128 + row % 128;
            sum = fmaf(d->a[i], d->b[d->index[i]], sum);
        }
        d->out[row] = sum;
    }
}

/* ---- the programs: floats of a, b and out, numbers of index and below what they are; grid and rounds ---- */

typedef struct program {
    const char *name;
    void (*compute)(const data *d);
    unsigned a, b, index, below, out;
    unsigned grid[2], rounds;
} program;

static const program programs[] = {
    {"saxpy", saxpy, SAXPY_N, 1, 1, 1, SAXPY_N, {SAXPY_BLOCKS, 1}, SAXPY_ROUNDS},
    {"stencil", stencil, STENCIL_N, 1, 1, 1, STENCIL_N, {8, 16}, PLANES},
    {"gather",
     gather,
     TABLE_ROWS *GATHER_ROW,
     1,
     GATHER_ROWS,
     TABLE_ROWS,
     GATHER_ROWS *GATHER_ROW,
     {GATHER_BLOCKS, 1},
     GATHER_ROUNDS},
    {"dense", dense, DENSE_ROWS *DENSE_COLUMNS, DENSE_COLUMNS, 1, 1, DENSE_ROWS, {DENSE_BLOCKS, 1}, DENSE_ROUNDS},
    {"sparse",
     sparse,
     SPARSE_ROWS *SPARSE_EACH,
     SPARSE_ROWS,
     SPARSE_ROWS *SPARSE_EACH,
     SPARSE_ROWS,
     SPARSE_ROWS,
     {SPARSE_BLOCKS, 1},
     SPARSE_ROUNDS},
};

static const struct {
    const char *kernel;
    unsigned threads;
} forms[] = {
    {"saxpy_plain", 256},
    {"saxpy_by_hand", 384},
    {"saxpy_objects", 384},
    {"saxpy_ldgsts", 384},
    {"saxpy_pipeline", 288},
    {"stencil_plain", 256},
    {"stencil_single_by_hand", 320},
    {"stencil_single_objects", 320},
    {"stencil_single_ldgsts", 320},
    {"stencil_double_by_hand", 384},
    {"stencil_double_objects", 384},
    {"stencil_double_ldgsts", 384},
    {"stencil_manual_by_hand", 320},
    {"stencil_manual_objects", 320},
    {"stencil_manual_ldgsts", 320},
    {"stencil_pipeline", 288},
    {"gather_plain", 256},
    {"gather_by_hand", 384},
    {"gather_objects", 384},
    {"gather_ldgsts", 384},
    {"gather_pipeline", 288},
    {"dense_plain", 128},
    {"dense_by_hand", 192},
    {"dense_objects", 192},
    {"dense_ldgsts", 192},
    {"dense_pipeline", 160},
    {"sparse_plain", 128},
    {"sparse_by_hand", 320},
    {"sparse_objects", 320},
    {"sparse_ldgsts", 320},
    {"sparse_pipeline", 160},
};

/* ---- data ---- */

static unsigned draw(void) {
    static unsigned state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static float *random_floats(unsigned n) {
    float *f = must_have(malloc(n * sizeof *f));
    for (unsigned i = 0; i < n; i++) f[i] = (float)draw() / (1 << 24);
    return f;
}

static int *random_indices(unsigned n, unsigned below) {
    int *f = must_have(malloc(n * sizeof *f));
    for (unsigned i = 0; i < n; i++) f[i] = (int)(draw() % below);
    return f;
}

static haul_buffer *on_device(haul_device *device, const void *from, unsigned words) {
    haul_buffer *buffer;
    must(haul_buffer_create(device, words * 4ull, &buffer));
    must(haul_buffer_write(buffer, 0, from, words * 4ull));
    return buffer;
}

/* ---- a program's kernels ---- */

static void print_row(const char *kernel, const haul_launch_record *l, unsigned wrong) {
    const haul_traffic *c = l->classes;
    haul_traffic loads = c[HAUL_CLASS_GLOBAL_LOAD], shared = c[HAUL_CLASS_SHARED_LOAD];
    haul_traffic_add(&loads, &c[HAUL_CLASS_LDGSTS_BYPASS]);
    haul_traffic_add(&loads, &c[HAUL_CLASS_LDGSTS_ACCESS]);
    haul_traffic_add(&loads, &c[HAUL_CLASS_BULK_LOAD]);
    haul_traffic_add(&shared, &c[HAUL_CLASS_SHARED_STORE]);
    haul_traffic_add(&shared, &c[HAUL_CLASS_LDGSTS_BYPASS]);
    haul_traffic_add(&shared, &c[HAUL_CLASS_LDGSTS_ACCESS]);
    printf("%-23s %11.0f %8.0f %8.0f %8.0f %9.0f %8.1f  %s\n", kernel, l->counters[HAUL_COUNTER_INST_EXECUTED],
           (double)loads.requests, (double)loads.sectors, (double)loads.l2_sectors, (double)shared.shared_wavefronts,
           l->estimate_us, wrong ? "WRONG" : "right");
}

typedef struct job {
    haul_device *device;
    haul_module *module;
    const program *p;
    haul_buffer *a, *b, *index;
    const float *before, *after; /* contents of out */
} job;

/* Counts wrong elements of out, among those that count. */
static unsigned count_wrong(const job *j, haul_buffer *out, int (*counts)(unsigned i)) {
    float *result = must_have(malloc(j->p->out * sizeof *result));
    unsigned wrong = 0;
    must(haul_buffer_read(out, 0, result, j->p->out * sizeof *result));
    for (unsigned i = 0; i < j->p->out; i++)
        wrong += (!counts || counts(i)) && memcmp(&result[i], &j->after[i], sizeof *result) != 0;
    free(result);
    return wrong;
}

static unsigned run_form(const job *j, const char *kernel, unsigned threads) {
    const program *p = j->p;
    haul_buffer *out = on_device(j->device, j->before, p->out);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = j->a},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = j->b},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = j->index},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = p->rounds}};
    const haul_launch launch = {.kernel = kernel,
                                .grid = {p->grid[0], p->grid[1], 1},
                                .block = {threads, 1, 1},
                                .arguments = arguments,
                                .argument_count = 5};
    haul_run *run;
    must(haul_run_create(j->device, &run));
    must(haul_launch_run(j->module, &launch, run));
    const unsigned wrong = count_wrong(j, out, NULL);
    print_row(kernel, &run->launches[0], wrong);
    haul_run_free(run);
    haul_buffer_free(out);
    return wrong;
}

/* ---- the shipped kernels, in their recommended form ---- */

typedef unsigned (*shipped)(const job *j, haul_kernels *kernels, haul_buffer *out, haul_run *run);

static unsigned ship_saxpy(const job *j, haul_kernels *kernels, haul_buffer *out, haul_run *run) {
    must(haul_saxpy(kernels, HAUL_SAXPY_AUTO, SAXPY_N, 2, j->a, out, run));
    return count_wrong(j, out, NULL);
}

/* The margin is part of its plane. */
static unsigned ship_stencil(const job *j, haul_kernels *kernels, haul_buffer *out, haul_run *run) {
    const haul_volume volume = {256 + 2 * RADIUS, ROWS, PLANES, PITCH};
    const float coefficients[] = {1, 0.5f, 0.25f, 0.125f, 0.0625f};
    must(haul_stencil(kernels, HAUL_STENCIL_AUTO, &volume, RADIUS, coefficients, j->a, out, run));
    return count_wrong(j, out, is_inside);
}

static unsigned ship_gather(const job *j, haul_kernels *kernels, haul_buffer *out, haul_run *run) {
    must(haul_gather(kernels, HAUL_GATHER_AUTO, GATHER_ROWS, GATHER_ROW * sizeof(float), 4, j->a, j->index, out, run));
    return count_wrong(j, out, NULL);
}

static const struct {
    const char *name;
    shipped ship;
} ships[] = {{"saxpy", ship_saxpy}, {"stencil", ship_stencil}, {"gather", ship_gather}};

static unsigned run_shipped(const job *j, haul_kernels *kernels, shipped ship) {
    char name[32];
    haul_buffer *out = on_device(j->device, j->before, j->p->out);
    haul_run *run;
    must(haul_run_create(j->device, &run));
    const unsigned wrong = ship(j, kernels, out, run);
    snprintf(name, sizeof name, "%s_shipped", j->p->name);
    print_row(name, &run->launches[0], wrong);
    haul_run_free(run);
    haul_buffer_free(out);
    return wrong;
}

static unsigned run_program(haul_device *device, haul_module *module, haul_kernels *kernels, const program *p) {
    float *a = random_floats(p->a), *b = random_floats(p->b), *before = random_floats(p->out);
    float *after = must_have(malloc(p->out * sizeof *after));
    int *index = random_indices(p->index, p->below);
    const job j = {
        device, module, p, on_device(device, a, p->a), on_device(device, b, p->b), on_device(device, index, p->index),
        before, after};
    const size_t length = strlen(p->name);
    unsigned wrong = 0;
    memcpy(after, before, p->out * sizeof *after);
    p->compute(&(data){a, b, index, after});
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strncmp(forms[i].kernel, p->name, length) == 0) wrong += run_form(&j, forms[i].kernel, forms[i].threads);
    for (size_t i = 0; i < sizeof ships / sizeof ships[0]; i++)
        if (strcmp(ships[i].name, p->name) == 0) wrong += run_shipped(&j, kernels, ships[i].ship);
    haul_buffer_free(j.a), haul_buffer_free(j.b), haul_buffer_free(j.index);
    free(a), free(b), free(before), free(after), free(index);
    return wrong;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: cudadma FILE.ptx DEVICE\n");
        return 2;
    }
    haul_device *device;
    haul_module *module;
    haul_kernels *kernels;
    must(haul_device_open(words[2], NULL, &device));
    must(haul_module_load_file(device, words[1], &module));
    must(haul_kernels_open(device, &kernels));
    printf("%-23s %11s %8s %8s %8s %9s %8s\n", "Kernel", "Instruct.", "Loads", "Sectors", "From L2", "Shared", "us");
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        wrong += run_program(device, module, kernels, &programs[i]);
    haul_kernels_close(kernels);
    haul_device_close(device);
    return wrong != 0;
}
