/* Runs the kernels of tiles.cu: how a program describes an array for tile transfers, and passes the view to a kernel.
 *
 *     tiles tiles.ptx sim:a100
 *     tiles tiles.sm_90.ptx sim:h100 */
#include <haul/haul.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 150, HEIGHT = 37, PITCH = 152 }; /* rows begin at multiples of 16 bytes */

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "tiles: %s\n", haul_message());
    exit(1);
}

static float at(const float *image, int x, int y) {
    return x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT ? 0 : image[y * PITCH + x];
}

static float mean(const float *image, int x, int y) {
    float sum = 0;
    for (int row = y - 1; row <= y + 1; row++)
        for (int column = x - 1; column <= x + 1; column++) sum += at(image, column, row);
    return sum * (1.0f / 9);
}

static unsigned count_wrong(haul_buffer *buffer, const float *image) {
    static float out[HEIGHT][WIDTH];
    unsigned wrong = 0;
    must(haul_buffer_read(buffer, 0, out, sizeof out));
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const float wanted = mean(image, x, y);
            wrong += memcmp(&wanted, &out[y][x], sizeof wanted) != 0;
        }
    }
    return wrong;
}

static bool has_kernel(haul_module *module, const char *name) {
    for (size_t k = 0; k < haul_module_kernel_count(module); k++)
        if (strcmp(haul_module_kernel_name(module, k), name) == 0) return true;
    return false;
}

static unsigned run_kernel(haul_module *module, const char *kernel, const haul_argument *arguments, size_t count,
                           const float *image) {
    const haul_launch launch = {.kernel = kernel,
                                .grid = {(WIDTH + 63) / 64, (HEIGHT + 15) / 16, 1},
                                .block = {256, 1, 1},
                                .arguments = arguments,
                                .argument_count = count};
    static float nothing[HEIGHT * WIDTH];
    must(haul_buffer_write(arguments[1].buffer, 0, nothing, sizeof nothing));
    must(haul_launch_run(module, &launch, NULL));
    const unsigned wrong = count_wrong(arguments[1].buffer, image);
    printf("%s: %u of %d wrong\n", kernel, wrong, WIDTH * HEIGHT);
    return wrong;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: tiles FILE.ptx DEVICE\n");
        return 2;
    }
    static float image[HEIGHT * PITCH];
    for (int i = 0; i < HEIGHT * PITCH; i++) image[i] = (float)(i * 7919 % 1000) / 1000;

    haul_device *device;
    haul_module *module;
    haul_buffer *in, *out, *views;
    must(haul_device_open(words[2], NULL, &device));
    must(haul_module_load_file(device, words[1], &module));
    must(haul_buffer_create(device, sizeof image, &in));
    must(haul_buffer_write(in, 0, image, sizeof image));
    must(haul_buffer_create(device, WIDTH * HEIGHT * sizeof(float), &out));

    /* The image, and the box of the kernels' HAUL_TILE. */
    const haul_tensor tensor = {.buffer = in,
                                .type = HAUL_TENSOR_F32,
                                .rank = 2,
                                .extent = {WIDTH, HEIGHT},
                                .pitch = {PITCH * sizeof(float)},
                                .box = {72, 18}};
    haul_tensor_view view;
    must(haul_tensor_view_encode(&tensor, &view));
    must(haul_buffer_create(device, sizeof view, &views));
    must(haul_buffer_write(views, 0, &view, sizeof view));

    const haul_argument result = {.kind = HAUL_ARGUMENT_BUFFER, .buffer = out};
    const haul_argument by_tile[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = views}, result};
    const haul_argument by_value[] = {{.kind = HAUL_ARGUMENT_BYTES, .bytes = &view, .size = sizeof view}, result};
    const haul_argument by_halo[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = in},
                                     result,
                                     {.kind = HAUL_ARGUMENT_I32, .integer = WIDTH},
                                     {.kind = HAUL_ARGUMENT_I32, .integer = HEIGHT},
                                     {.kind = HAUL_ARGUMENT_I32, .integer = PITCH * sizeof(float)}};
    unsigned wrong = run_kernel(module, "mean_tile", by_tile, 2, image);
    if (has_kernel(module, "mean_tile_by_value")) wrong += run_kernel(module, "mean_tile_by_value", by_value, 2, image);
    wrong += run_kernel(module, "mean_halo", by_halo, 5, image);

    haul_device_close(device);
    return wrong != 0;
}
