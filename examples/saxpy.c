/* A whole program on the virtual GPU: load PTX, copy data in, launch, copy the result back, and read the counters.
 *
 *     saxpy saxpy.ptx
 *
 * Change the device to "sim:a100", or the kernel, and compare. */
#include <haul/haul.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "saxpy: %s\n", haul_message());
    exit(1);
}

static haul_buffer *buffer_of(haul_device *device, const float *values) {
    haul_buffer *buffer;
    must(haul_buffer_create(device, N * sizeof(float), &buffer));
    must(haul_buffer_write(buffer, 0, values, N * sizeof(float)));
    return buffer;
}

static void print_counters(const haul_launch_record *launch) {
    const haul_counter wanted[] = {HAUL_COUNTER_INST_EXECUTED,        HAUL_COUNTER_L1_GLOBAL_LD_REQUESTS,
                                   HAUL_COUNTER_L1_GLOBAL_LD_SECTORS, HAUL_COUNTER_L1_GLOBAL_ST_REQUESTS,
                                   HAUL_COUNTER_L1_GLOBAL_ST_SECTORS, HAUL_COUNTER_L2_READ_SECTORS};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        printf("%8.0f  %s\n", launch->counters[wanted[i]], haul_counters[wanted[i]].text);
    }
}

int main(int count, char **words) {
    if (count != 2) {
        fprintf(stderr, "usage: saxpy FILE.ptx\n");
        return 2;
    }
    haul_device *device;
    haul_module *module;
    haul_run *run;
    must(haul_device_open("sim:h100", NULL, &device));
    must(haul_module_load_file(device, words[1], &module));
    must(haul_run_create(device, &run));

    float x[N], y[N], result[N];
    for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1.0f;
    haul_buffer *device_x = buffer_of(device, x), *device_y = buffer_of(device, y);

    const haul_argument arguments[] = {
        {.kind = HAUL_ARGUMENT_I32, .integer = N},
        {.kind = HAUL_ARGUMENT_F32, .real = 2.0},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = device_x},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = device_y},
    };
    const haul_launch launch = {.kernel = "saxpy",
                                .grid = {(N + 255) / 256, 1, 1},
                                .block = {256, 1, 1},
                                .arguments = arguments,
                                .argument_count = 4};
    must(haul_launch_run(module, &launch, run));
    must(haul_buffer_read(device_y, 0, result, sizeof result));

    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += result[i] != 2.0f * x[i] + y[i];
    printf("saxpy of %d floats on %s: %d wrong\n", N, haul_device_product(device), wrong);
    print_counters(&run->launches[0]);

    haul_run_free(run);
    haul_device_close(device); /* frees the module and the buffers too */
    return wrong != 0;
}
