/* More data than the device holds: a moving average of a file that is 16 times as large as the memory budget.
 *
 *     stream stream.ptx [DEVICE]
 *
 * The result depends on four items on either side, so each chunk includes that halo; the output is the same as that of
 * one launch over everything. `haul stream` does the same from the command line:
 *
 *     haul stream stream.ptx --kernel smooth --arg n --arg in --arg out --halo 4 --in FILE --out FILE */
#include <haul/map.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 1 << 20, RADIUS = 4, BLOCK = 256 };

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "stream: %s\n", haul_message());
    exit(1);
}

/* Queues the kernel over one chunk, its halo included. */
static haul_status smooth(void *context, const haul_chunk *c) {
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_I32, .integer = (int64_t)c->total},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = c->in[0]},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = c->out}};
    const haul_launch launch = {.kernel = "smooth",
                                .grid = {(uint32_t)((c->total + BLOCK - 1) / BLOCK), 1, 1},
                                .block = {BLOCK, 1, 1},
                                .arguments = arguments,
                                .argument_count = 3};
    return haul_stream_launch(c->stream, context, &launch);
}

static float *make_items(void) {
    float *items = malloc(ITEMS * sizeof *items);
    for (size_t i = 0; items && i < ITEMS; i++) items[i] = (float)(i % 1000);
    return items;
}

static size_t count_wrong(const float *in, const float *out) {
    size_t wrong = 0;
    for (long i = 0; i < ITEMS; i++) {
        float sum = 0;
        for (long k = i - RADIUS; k <= i + RADIUS; k++) sum += in[k < 0 ? 0 : k >= ITEMS ? ITEMS - 1 : k];
        wrong += fabsf(out[i] - sum / 9) > 1e-3f;
    }
    return wrong;
}

static void stream(haul_device *device, haul_module *module, float *in, float *out) {
    const haul_map map = {.device = device,
                          .items = ITEMS,
                          .inputs = {{.kind = HAUL_MAP_MEMORY, .item_bytes = sizeof(float), .memory = in}},
                          .input_count = 1,
                          .output = {.kind = HAUL_MAP_MEMORY, .item_bytes = sizeof(float), .memory = out},
                          .before = RADIUS,
                          .after = RADIUS,
                          .device_budget = ITEMS * sizeof(float) / 16,
                          .run = smooth,
                          .context = module};
    haul_map_report report;
    must(haul_stream_map(&map, &report));
    printf("%llu chunks, %u at once, on %llu KiB of the device; the %s engine was busy %.0f%% of the time\n",
           (unsigned long long)report.chunks, report.depth, (unsigned long long)(report.device_bytes >> 10),
           haul_engine_names[haul_timeline_busiest(&report.timeline)],
           100 * haul_timeline_efficiency(&report.timeline));
    haul_map_report_free(&report);
}

int main(int count, char **words) {
    if (count < 2) {
        fprintf(stderr, "usage: stream FILE.ptx [DEVICE]\n");
        return 2;
    }
    float *in = make_items(), *out = calloc(ITEMS, sizeof *out);
    haul_device *device;
    haul_module *module;
    must(haul_device_open(count > 2 ? words[2] : "sim:h100", NULL, &device));
    must(haul_module_load_file(device, words[1], &module));
    if (in && out) stream(device, module, in, out);
    const size_t wrong = in && out ? count_wrong(in, out) : ITEMS;
    printf("%zu of %d items are wrong\n", wrong, ITEMS);
    haul_device_close(device);
    free(in);
    free(out);
    return wrong != 0;
}
