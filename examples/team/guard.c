/* Compiles row_sums.cu, launches its kernel on the virtual GPU, and fails if the loads touch more sectors than they
 * need. */
#include <haul/compile.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1024, COLUMNS = 64 };

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "guard: %s\n", haul_message());
    exit(2);
}

int main(int count, char **words) {
    haul_device *device;
    haul_module *module;
    haul_run *run;
    haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER},
                                 {.kind = HAUL_ARGUMENT_BUFFER},
                                 {.kind = HAUL_ARGUMENT_I32, .integer = ROWS},
                                 {.kind = HAUL_ARGUMENT_I32, .integer = COLUMNS}};
    if (count != 2) return fprintf(stderr, "usage: guard row_sums.cu\n"), 2;
    must(haul_device_open("sim:h100", NULL, &device));
    must(haul_module_compile(device, words[1], NULL, NULL, &module));
    must(haul_buffer_create(device, ROWS * COLUMNS * sizeof(float), &arguments[0].buffer));
    must(haul_buffer_create(device, ROWS * sizeof(float), &arguments[1].buffer));
    must(haul_run_create(device, &run));
    const haul_launch launch = {.kernel = "row_sums",
                                .grid = {ROWS * 32 / 256, 1, 1},
                                .block = {256, 1, 1},
                                .arguments = arguments,
                                .argument_count = 4};
    must(haul_launch_run(module, &launch, run));
    const double *counters = run->launches[0].counters;
    const double sectors = counters[HAUL_COUNTER_L1_GLOBAL_LD_SECTORS];
    printf("row_sums: %.0f sectors loaded, %d are needed\n", sectors, ROWS * COLUMNS / 8);
    haul_run_free(run);
    haul_device_close(device);
    return sectors > ROWS * COLUMNS / 8;
}
