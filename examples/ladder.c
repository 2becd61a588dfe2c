/* Runs every kernel of ladder.cu, compares its results with the host's, and shows its memory traffic.
 *
 *     ladder ladder.ptx sim:a100
 *     ladder ladder.sm_90.ptx sim:h100 */
#include <haul/haul.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20, TAPS = 17, TILE = 1024, ODD = 333 };

/* `outputs` of a block: 0 for kernels whose blocks stride from tile to tile, as many blocks as fit. */
typedef struct rung {
    const char *kernel;
    unsigned threads, outputs, n;
} rung;

static const rung rungs[] = {
    {"window_plain", 256, 256, N},    {"window_vectors", 256, TILE, N}, {"window_block", 256, TILE, N},
    {"window_two_phases", 256, 0, N}, {"window_pipeline", 256, 0, N},   {"window_roles", 288, 0, N},
    {"window_stored", 256, 0, N},     {"window_any", 256, 0, N - ODD},
};

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "ladder: %s\n", haul_message());
    exit(1);
}

static void *must_have(void *memory, const char *what) {
    if (memory) return memory;
    fprintf(stderr, "ladder: %s\n", what);
    exit(1);
}

static float *make_input(void) {
    float *in = must_have(malloc((N + TAPS - 1) * sizeof(float)), "no memory");
    unsigned state = 1;
    for (int i = 0; i < N + TAPS - 1; i++) {
        state = state * 1664525 + 1013904223;
        in[i] = (float)(state >> 8) / (1 << 24);
    }
    return in;
}

/* Elements with wrong contents: the outputs must be means, and elements after the n-th unchanged. */
static unsigned count_wrong(const float *in, const float *out, unsigned n, float before) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < N; i++) {
        float sum = 0;
        for (unsigned k = 0; k < TAPS; k++) sum += in[i + k];
        const float wanted = i < n ? sum * (1.0f / TAPS) : before;
        wrong += memcmp(&wanted, &out[i], sizeof wanted) != 0;
    }
    return wrong;
}

static unsigned grid_of(haul_device *device, haul_module *module, const rung *r) {
    if (r->outputs) return (r->n + r->outputs - 1) / r->outputs;
    unsigned blocks;
    must(haul_module_blocks_per_sm(module, r->kernel, r->threads, 0, &blocks));
    return haul_device_sm_count(device) * blocks;
}

static void print_row(const rung *r, const haul_launch_record *l, unsigned wrong) {
    const haul_traffic *c = l->classes;
    haul_traffic loads = c[HAUL_CLASS_GLOBAL_LOAD], shared = c[HAUL_CLASS_SHARED_LOAD];
    haul_traffic_add(&loads, &c[HAUL_CLASS_LDGSTS_BYPASS]);
    haul_traffic_add(&loads, &c[HAUL_CLASS_BULK_LOAD]);
    haul_traffic_add(&shared, &c[HAUL_CLASS_SHARED_STORE]);
    haul_traffic_add(&shared, &c[HAUL_CLASS_LDGSTS_BYPASS]);
    printf("%-18s %9.0f %11.2f %9.0f %9.0f %9.0f %9.0f %8.0f  %s\n", r->kernel, (double)loads.requests,
           (double)loads.sectors / (double)loads.requests, (double)loads.sectors, (double)loads.l2_sectors,
           (double)loads.wavefronts, (double)shared.shared_wavefronts, l->counters[HAUL_COUNTER_L1_GLOBAL_ST_REQUESTS],
           wrong ? "WRONG" : "right");
}

static unsigned run_rung(haul_device *device, haul_module *module, const rung *r, const float *in) {
    const float before = -1;
    float *out = must_have(malloc(N * sizeof(float)), "no memory");
    for (int i = 0; i < N; i++) out[i] = before;
    haul_buffer *from, *to;
    haul_run *run;
    must(haul_buffer_create(device, (r->n + TAPS - 1) * sizeof(float), &from));
    must(haul_buffer_create(device, N * sizeof(float), &to));
    must(haul_buffer_write(from, 0, in, (r->n + TAPS - 1) * sizeof(float)));
    must(haul_buffer_write(to, 0, out, N * sizeof(float)));
    must(haul_run_create(device, &run));

    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = from},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = to},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = r->n}};
    const haul_launch launch = {.kernel = r->kernel,
                                .grid = {grid_of(device, module, r), 1, 1},
                                .block = {r->threads, 1, 1},
                                .arguments = arguments,
                                .argument_count = 3};
    must(haul_launch_run(module, &launch, run));
    must(haul_buffer_read(to, 0, out, N * sizeof(float)));
    const unsigned wrong = count_wrong(in, out, r->n, before);
    print_row(r, &run->launches[0], wrong);

    haul_run_free(run);
    haul_buffer_free(from), haul_buffer_free(to);
    free(out);
    return wrong;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: ladder FILE.ptx DEVICE\n");
        return 2;
    }
    float *in = make_input();
    haul_device *device;
    haul_module *module;
    must(haul_device_open(words[2], NULL, &device));
    must(haul_module_load_file(device, words[1], &module));

    unsigned wrong = 0;
    printf("%-18s %9s %11s %9s %9s %9s %9s %8s\n", "Kernel", "Loads", "Sectors/Req", "Sectors", "From L2", "L1 waves",
           "Shared", "Stores");
    for (size_t i = 0; i < sizeof rungs / sizeof rungs[0]; i++) wrong += run_rung(device, module, &rungs[i], in);

    haul_device_close(device);
    free(in);
    return wrong != 0;
}
