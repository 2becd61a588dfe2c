/* The experiment `texture`: sums of 3 x 3 pixels by loads, by __ldg and through a texture, in five orders of a warp's
 * lanes over the image. A texture lies over an array, whose sectors cover blocks of pixels instead of parts of a row.
 * So a column of lanes touches fewer sectors, and a row touches more. `walks` are numbered as in
 * kernels/textures.cu. */
#include "cli/lab/workbench.h"

#include "base/status.h"

enum { SIZE = 512, PIXELS = SIZE * SIZE, THREADS = 256 };

static const char *const walks[] = {"a row of 32", "a column of 32", "a tile of 8 x 4", "a diagonal", "Z order"};
enum { WALKS = sizeof walks / sizeof *walks };

static const struct {
    const char *kernel, *label;
    haul_memory_class class; /* of the traffic to show */
} ways[] = {{"around_plain", "loads", HAUL_CLASS_GLOBAL_LOAD},
            {"around_ldg", "__ldg", HAUL_CLASS_GLOBAL_LOAD},
            {"around_texture", "texture", HAUL_CLASS_TEXTURE}};
enum { WAYS = sizeof ways / sizeof *ways };

static const report_column columns[] = {
    {"walk", "A warp's lanes", REPORT_TEXT, NULL},
    {"way", "By", REPORT_TEXT, NULL},
    {"instructions", "Loads", REPORT_COUNT, "warps' loads or fetches: nine a warp"},
    {"requests", "Requests", REPORT_COUNT, "one a load; eight a fetch, of four lanes each"},
    {"sectors", "Sectors", REPORT_COUNT, "that these touch"},
    {"sectors_per_warp", "a warp", REPORT_RATIO, "sectors of one load or fetch by 32 lanes"},
    {"hit_rate", "Hit rate", REPORT_PERCENT, "sectors found in L1"},
    {"l2", "From L2", REPORT_COUNT, "sectors"},
    {"estimate", "Estimate", REPORT_MICROSECONDS, "of the kernel's time"},
};

/* The sum in the kernels' order: row by row, pixels at the edge repeated. */
static float around(const float *image, int x, int y) {
    float sum = 0;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            const int u = x + i < 0 ? 0 : x + i < SIZE ? x + i : SIZE - 1;
            const int v = y + j < 0 ? 0 : y + j < SIZE ? y + j : SIZE - 1;
            sum += image[v * SIZE + u];
        }
    }
    return sum;
}

/* Nine loads or fetches a warp, so `instructions` is nine times the warps. */
static void add_row(report_table *t, unsigned walk, unsigned way, const haul_launch_record *r) {
    const haul_traffic *x = &r->classes[ways[way].class];
    report_add_row(t);
    report_add_text(t, "%s", walks[walk]);
    report_add_text(t, "%s", ways[way].label);
    report_add_number(t, (double)x->instructions);
    report_add_number(t, (double)x->requests);
    report_add_number(t, (double)x->sectors);
    report_add_number(t, (double)x->sectors / (double)x->instructions);
    report_add_number(t, report_percent((double)x->hits, (double)x->sectors));
    report_add_number(t, (double)x->l2_sectors);
    report_add_number(t, r->estimate_us);
}

/* All three kernels in one order. Sums do not depend on the order of the lanes. */
static haul_status run_walk(lab_workbench *b, report_table *t, unsigned walk, const float *image, const float *sums) {
    for (unsigned way = 0; way < WAYS; way++) {
        const bool texture = ways[way].class == HAUL_CLASS_TEXTURE;
        const lab_launch launch = {.module = "textures",
                                   .kernel = ways[way].kernel,
                                   .grid = {PIXELS / THREADS},
                                   .block = {THREADS},
                                   .arguments = {texture ? lab_image(image, SIZE, SIZE) : lab_input(image, PIXELS),
                                                 lab_result(NULL, sums, PIXELS), lab_u32(SIZE), lab_u32(walk)}};
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_row(t, walk, way, &record);
    }
    return HAUL_OK;
}

/* The image is read as a buffer by two kernels and as a texture by one. */
haul_status lab_run_texture(lab_workbench *b) {
    const float *image = lab_floats(b, PIXELS, 1);
    float *sums = lab_untouched(b, PIXELS);
    for (int i = 0; image && sums && i < PIXELS; i++) sums[i] = around(image, i % SIZE, i / SIZE);
    report_table *t = report_add_table(b->section, "walks", "3 x 3 neighbourhoods in an image of 512 x 512 floats",
                                       columns, sizeof columns / sizeof columns[0]);
    for (unsigned walk = 0; walk < WALKS; walk++) HAUL_TRY(run_walk(b, t, walk, image, sums));
    return HAUL_OK;
}
