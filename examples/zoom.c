/* Textures and surfaces: an image is inverted in place, and enlarged four times through a texture and by loads. The
 * program shows the memory traffic of both.
 *
 *     zoom zoom.ptx [DEVICE]
 *
 * The texture's weights have eight bits, so the two results differ in the third decimal. */
#include <haul/texture.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 96, ROWS = 64, ZOOM = 4, WIDTH = ZOOM * COLUMNS, HEIGHT = ZOOM * ROWS };

static const float most_error = 0.005f;

static void must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "zoom: %s\n", haul_message());
    exit(1);
}

/* ---- on the host ---- */

static float image[ROWS][COLUMNS], inverted[ROWS][COLUMNS], enlarged[HEIGHT][WIDTH];

static int inside(int at, int size) {
    return at < 0 ? 0 : at < size ? at : size - 1;
}

static float between(float x, float y) {
    const int column = (int)floorf(x), row = (int)floorf(y);
    const float across = x - (float)column, down = y - (float)row;
    const float *upper = inverted[inside(row, ROWS)], *lower = inverted[inside(row + 1, ROWS)];
    const int left = inside(column, COLUMNS), right = inside(column + 1, COLUMNS);
    const float above = upper[left] + across * (upper[right] - upper[left]);
    const float below = lower[left] + across * (lower[right] - lower[left]);
    return above + down * (below - above);
}

static void make_images(void) {
    for (int y = 0; y < ROWS; y++) {
        for (int x = 0; x < COLUMNS; x++) {
            image[y][x] = 0.5f + 0.5f * sinf((float)(x * y) / 256);
            inverted[y][x] = 1 - image[y][x];
        }
    }
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            enlarged[y][x] = between(((float)x + 0.5f) / ZOOM - 0.5f, ((float)y + 0.5f) / ZOOM - 0.5f);
}

static float farthest(const float *got, const float *wanted, size_t count) {
    float most = 0;
    for (size_t i = 0; i < count; i++) most = fmaxf(most, fabsf(got[i] - wanted[i]));
    return most;
}

/* ---- on the device ---- */

/* An array stores the image in blocks, in which neighbours above and below are as near as those left and right. */
static haul_array *array_of_image(haul_device *device) {
    const haul_array_shape shape = {
        .width = COLUMNS, .height = ROWS, .format = HAUL_FORMAT_F32, .channels = 1, .surface = true};
    haul_array *array;
    must(haul_array_create(device, &shape, &array));
    must(haul_array_write(array, 0, image));
    return array;
}

static void launch(haul_module *module, const char *kernel, int width, int height, const haul_argument *arguments,
                   size_t count, haul_run *run) {
    const haul_launch l = {.kernel = kernel,
                           .grid = {((uint32_t)width + 31) / 32, ((uint32_t)height + 7) / 8, 1},
                           .block = {32, 8, 1},
                           .arguments = arguments,
                           .argument_count = count};
    must(haul_launch_run(module, &l, run));
}

/* Leaves the inverted image in the array; returns whether it is right. */
static int invert(haul_module *module, haul_array *array) {
    static float got[ROWS][COLUMNS];
    haul_texture *surface;
    must(haul_surface_create(array, &surface));
    const haul_argument arguments[] = {haul_texture_argument(surface),
                                       {.kind = HAUL_ARGUMENT_I32, .integer = COLUMNS},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = ROWS}};
    launch(module, "invert", COLUMNS, ROWS, arguments, 3, NULL);
    must(haul_array_read(array, 0, got));
    return farthest(got[0], inverted[0], ROWS * COLUMNS) == 0;
}

/* Runs a kernel whose first argument is the image, in any form; returns whether the result is right. */
static int zoom(haul_module *module, const char *kernel, haul_argument from, haul_buffer *out, haul_memory_class class,
                haul_run *run) {
    static float got[HEIGHT][WIDTH];
    const haul_argument arguments[] = {from,
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = WIDTH},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = HEIGHT},
                                       {.kind = HAUL_ARGUMENT_F32, .real = 1.0 / ZOOM},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = COLUMNS},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = ROWS}};
    launch(module, kernel, WIDTH, HEIGHT, arguments, class == HAUL_CLASS_TEXTURE ? 5 : 7, run);
    must(haul_buffer_read(out, 0, got, sizeof got));
    const float error = farthest(got[0], enlarged[0], WIDTH * HEIGHT);
    const haul_launch_record *l = &run->launches[run->launch_count - 1];
    const haul_traffic *t = &l->classes[class];
    printf("%-13s %7.4f %13.0f %9llu %9llu %8llu\n", kernel, (double)error, l->counters[HAUL_COUNTER_INST_EXECUTED],
           (unsigned long long)t->requests, (unsigned long long)t->sectors, (unsigned long long)t->l2_sectors);
    return error <= most_error;
}

int main(int count, char **words) {
    if (count < 2) {
        fprintf(stderr, "usage: zoom FILE.ptx [DEVICE]\n");
        return 2;
    }
    haul_device *device;
    haul_module *module;
    haul_buffer *rows, *out;
    haul_texture *texture;
    haul_run *run;
    make_images();
    must(haul_device_open(count > 2 ? words[2] : "sim:h100", NULL, &device));
    must(haul_module_load_file(device, words[1], &module));
    must(haul_run_create(device, &run));
    must(haul_buffer_create(device, sizeof enlarged, &out));
    must(haul_buffer_create(device, sizeof inverted, &rows));
    must(haul_buffer_write(rows, 0, inverted, sizeof inverted));

    haul_array *array = array_of_image(device);
    const haul_sampler sampler = {.linear = true, .address = {HAUL_ADDRESS_CLAMP, HAUL_ADDRESS_CLAMP}};
    must(haul_texture_create(device, &(haul_texture_source){.array = array}, &sampler, &texture));

    const int is_inverted = invert(module, array);
    printf("the surface's image is %s\n", is_inverted ? "inverted" : "WRONG");
    printf("%-13s %7s %13s %9s %9s %8s\n", "Kernel", "Error", "Instructions", "Requests", "Sectors", "From L2");
    int right = zoom(module, "zoom_texture", haul_texture_argument(texture), out, HAUL_CLASS_TEXTURE, run);
    right &= zoom(module, "zoom_loads", (haul_argument){.kind = HAUL_ARGUMENT_BUFFER, .buffer = rows}, out,
                  HAUL_CLASS_GLOBAL_LOAD, run);

    haul_run_free(run);
    haul_device_close(device); /* frees the rest too */
    return right && is_inverted ? 0 : 1;
}
