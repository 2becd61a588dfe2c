/* haul_stream_map() over several devices, against the rate that their links and the host's memory have in the same run.
 *
 *     bench_devices [DEVICES [MIB [CHUNK]]]   default: gpu:all, 1024 MiB for each device, chunks as planned (MiB)
 *
 * The limit: each device copies its share of pinned memory in pieces of 16 MiB, queued at once, all devices at the same
 * time; to the devices alone, and both ways. The map does the same with its chunks, events and dealing. Prints medians
 * of seven rounds, taken in turns. Also prints the rates of peer copies between the first two devices. */
#include "base/clock.h"
#include "base/number.h"
#include "lib/device.h"
#include "vgpu/driver.h"

#include <haul/map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7, PIECE = 16 << 20, WAYS = 2 };

static haul_device *devices[HAUL_MOST_DEVICES];
static size_t count;
static uint64_t each, chunk_bytes; /* each: a device's share */
static unsigned char *in, *out;

typedef struct side {
    haul_stream *to, *from;
    haul_buffer *input, *output;
} side;

static side sides[HAUL_MOST_DEVICES];

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "bench_devices: %s\n", haul_message());
    exit(2);
}

/* Seconds, of the simulated clock on virtual GPUs. */
static double now(void) {
    return devices[0]->extras ? devices[0]->extras->now() / 1e6 : clock_seconds();
}

static void wait_for_all(void) {
    for (size_t d = 0; d < count; d++) must(haul_device_wait(devices[d]));
}

static void queue(size_t d, bool both) {
    for (uint64_t at = 0; at < each; at += PIECE) {
        const uint64_t bytes = each - at < PIECE ? each - at : PIECE;
        must(haul_stream_write(sides[d].to, sides[d].input, at, in + d * each + at, bytes));
        if (both) must(haul_stream_read(sides[d].from, sides[d].output, at, out + d * each + at, bytes));
    }
}

/* Bytes a second over all links. */
static double copy(bool both) {
    wait_for_all();
    const double start = now();
    for (size_t d = 0; d < count; d++) queue(d, both);
    wait_for_all();
    return (double)(count * each) * (both ? 2 : 1) / (now() - start);
}

/* The kernels of a map that moves only. */
static haul_status nothing(void *context, const haul_chunk *chunk) {
    (void)context, (void)chunk;
    return HAUL_OK;
}

static haul_mapper *make_map(bool both) {
    haul_map map = {.devices = devices,
                    .device_count = count,
                    .items = count * each / 4,
                    .inputs = {{.kind = HAUL_MAP_MEMORY, .item_bytes = 4, .memory = in}},
                    .input_count = 1,
                    .chunk_items = chunk_bytes / 4,
                    .run = nothing};
    if (both) map.output = (haul_map_end){.kind = HAUL_MAP_MEMORY, .item_bytes = 4, .memory = out};
    map.in_place = both;
    haul_mapper *mapper;
    must(haul_mapper_create(&map, &mapper));
    return mapper;
}

static double stream(haul_mapper *mapper, bool both) {
    haul_map_report report;
    must(haul_mapper_run(mapper, &report));
    const double seconds = report.timeline.elapsed_us / 1e6;
    haul_map_report_free(&report);
    return (double)(count * each) * (both ? 2 : 1) / seconds;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values) {
    qsort(values, ROUNDS, sizeof *values, by_size);
    return values[ROUNDS / 2];
}

static void compare(bool both) {
    double limit[ROUNDS], map[ROUNDS], ratio[ROUNDS];
    haul_mapper *mapper = make_map(both);
    (void)copy(both), (void)stream(mapper, both);
    for (int i = 0; i < ROUNDS; i++) {
        limit[i] = copy(both);
        map[i] = stream(mapper, both);
        ratio[i] = map[i] / limit[i];
    }
    haul_mapper_free(mapper);
    printf("%-10s  copies %7.2f GB/s  haul_stream_map %7.2f GB/s  ratio %.3f\n", both ? "both ways" : "to devices",
           median(limit) / 1e9, median(map) / 1e9, median(ratio));
}

/* Copies between the buffers of the first two devices, in one direction or both at once. */
static double copy_peers(bool both) {
    wait_for_all();
    const double start = now();
    must(haul_stream_copy(sides[1].to, sides[1].input, 0, sides[0].output, 0, each));
    if (both) must(haul_stream_copy(sides[0].to, sides[0].input, 0, sides[1].output, 0, each));
    wait_for_all();
    return (double)each * (both ? 2 : 1) / (now() - start);
}

static void measure_peers(void) {
    double one[ROUNDS], both[ROUNDS];
    if (count < 2) return;
    const bool are_peers = haul_device_can_reach(devices[0], devices[1]);
    if (are_peers) must(haul_device_reach(devices[0], devices[1], true));
    if (are_peers) must(haul_device_reach(devices[1], devices[0], true));
    (void)copy_peers(true);
    for (int i = 0; i < ROUNDS; i++) one[i] = copy_peers(false), both[i] = copy_peers(true);
    printf("%-10s  one way %.2f GB/s  both ways %.2f GB/s\n", are_peers ? "peers" : "no peers", median(one) / 1e9,
           median(both) / 1e9);
}

int main(int words, char **word) {
    uint64_t mib = 1024;
    haul_host *host[WAYS];
    must(haul_devices_open(words > 1 ? word[1] : "gpu:all", NULL, devices, &count));
    if (words > 2 && (!number_u64(word[2], &mib) || mib == 0)) {
        fprintf(stderr, "bench_devices: %s: MiB for each device, above 0\n", word[2]);
        return 2;
    }
    each = mib << 20;
    if (words > 3 && !number_u64(word[3], &chunk_bytes)) {
        fprintf(stderr, "bench_devices: %s: MiB of a chunk, or 0\n", word[3]);
        return 2;
    }
    chunk_bytes <<= 20;
    for (int i = 0; i < WAYS; i++) must(haul_host_create(devices[0], count * each, HAUL_HOST_PINNED, &host[i]));
    in = haul_host_memory(host[0]);
    out = haul_host_memory(host[1]);
    memset(in, 1, count * each);
    memset(out, 0, count * each);
    for (size_t d = 0; d < count; d++) {
        must(haul_stream_create(devices[d], 0, &sides[d].to));
        must(haul_stream_create(devices[d], 0, &sides[d].from));
        must(haul_buffer_create(devices[d], each, &sides[d].input));
        must(haul_buffer_create(devices[d], each, &sides[d].output));
    }
    printf("%zu devices: %s, ..., %llu MiB for each\n", count, haul_device_product(devices[0]),
           (unsigned long long)mib);
    compare(false);
    compare(true);
    measure_peers();
    for (size_t d = 0; d < count; d++) haul_stream_free(sides[d].to), haul_stream_free(sides[d].from);
    for (size_t d = 0; d < count; d++) haul_device_close(devices[d]);
    return 0;
}
