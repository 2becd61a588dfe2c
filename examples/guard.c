/* A test of memory behaviour for a CI without GPUs: fails when a kernel's loads touch more sectors than they need.
 *
 *     guard row_sums.ptx row_sums_by_warp      exit status 0
 *     guard row_sums.ptx row_sums              exit status 1, and the line at fault
 *
 * The kernel is one of row_sums.cu; adapt prepare() to your own kernels' arguments. */
#include <haul/haul.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1024, COLUMNS = 64 };

static const double most_sectors = 4.5; /* a request; four hold a warp's 128 bytes */

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "guard: %s\n", haul_message());
    exit(2);
}

/* Sets the launch's arguments; the counters that are tested here do not depend on the data. */
static void prepare(haul_device *device, haul_argument arguments[4]) {
    static const float zeros[ROWS * COLUMNS];
    memset(arguments, 0, 4 * sizeof arguments[0]);
    must(haul_buffer_create(device, sizeof zeros, &arguments[0].buffer));
    must(haul_buffer_write(arguments[0].buffer, 0, zeros, sizeof zeros));
    must(haul_buffer_create(device, ROWS * sizeof(float), &arguments[1].buffer));
    arguments[2] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = ROWS};
    arguments[3] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = COLUMNS};
}

/* Returns how many load instructions touch too many sectors, and names their lines. */
static int count_wasteful(const haul_launch_record *launch) {
    int wasteful = 0;
    for (size_t i = 0; i < launch->instruction_count; i++) {
        const haul_instruction_record *r = &launch->instructions[i];
        if (r->memory_class != HAUL_CLASS_GLOBAL_LOAD || r->traffic.requests == 0) continue;
        double sectors = (double)r->traffic.sectors / (double)r->traffic.requests;
        if (sectors <= most_sectors) continue;
        wasteful++;
        printf("%s:%u: %.2f sectors a request, at most %.2f are allowed: %s\n", r->place.file ? r->place.file : "PTX",
               r->place.line, sectors, most_sectors, r->mnemonic);
    }
    return wasteful;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: guard FILE.ptx KERNEL\n");
        return 2;
    }
    haul_device *device;
    haul_module *module;
    haul_run *run;
    haul_argument arguments[4];
    must(haul_device_open("sim:h100", NULL, &device));
    must(haul_module_load_file(device, words[1], &module));
    must(haul_run_create(device, &run));
    prepare(device, arguments);
    const haul_launch launch = {.kernel = words[2],
                                .grid = {ROWS * 32 / 256, 1, 1},
                                .block = {256, 1, 1},
                                .arguments = arguments,
                                .argument_count = 4};
    must(haul_launch_run(module, &launch, run));
    int wasteful = count_wasteful(&run->launches[0]);
    printf("%s: %d wasteful loads\n", words[2], wasteful);
    haul_run_free(run);
    haul_device_close(device);
    return wasteful != 0;
}
