/* The experiment `banks`: shared memory's banks, by one warp's accesses at strides and widths, by lanes that share
 * words, and by tiles that are transposed with padded rows or a swizzle.
 *
 * Shared memory has 32 banks of 4 bytes, and a wavefront serves one word of each. Conflicts are the wavefronts beyond
 * those that the width needs anyway: half warps take turns at 8 bytes a lane, quarter warps at 16. The kernels are in
 * kernels/banks.cu. */
#include "cli/lab/workbench.h"

#include "base/status.h"

/* STRIDES: the largest; SIDE: of the matrix; TILE: of its tiles */
enum { LANES = 32, STRIDES = 33, SIDE = 128, TILE = 32, WIDEST_PITCH = 64 };

static const struct {
    const char *kernel;
    uint32_t words; /* words of an access */
} widths[] = {{"shared_stride", 1}, {"shared_stride2", 2}, {"shared_stride4", 4}};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

/* The counters are hardware's; `wavefronts` include the conflicts. */
static double load_conflicts(const haul_launch_record *r) {
    return r->counters[HAUL_COUNTER_SHARED_LD_CONFLICTS];
}
static double store_conflicts(const haul_launch_record *r) {
    return r->counters[HAUL_COUNTER_SHARED_ST_CONFLICTS];
}
static double load_wavefronts(const haul_launch_record *r) {
    return r->counters[HAUL_COUNTER_SHARED_LD_WAVEFRONTS];
}

/* Adds the number, marked if there are any conflicts. */
static void add_conflicts(report_table *t, double conflicts) {
    report_add_number(t, conflicts);
    report_set_tone(t, conflicts > 0 ? REPORT_WARNING : REPORT_GOOD);
}

/* ---- strides and widths ---- */

/* A pair of columns for each width, in the order of `widths`. */
static const report_column stride_columns[] = {
    {"stride", "Stride", REPORT_COUNT, "elements from one lane's to the next lane's"},
    {"wavefronts_4", "4 B: wavefronts", REPORT_COUNT, "passes to load a word a lane; 1 is the least"},
    {"conflicts_4", "conflicts", REPORT_COUNT, "wavefronts above the least"},
    {"wavefronts_8", "8 B: wavefronts", REPORT_COUNT, "by half warps; 2 is the least"},
    {"conflicts_8", "conflicts", REPORT_COUNT, "wavefronts above the least"},
    {"wavefronts_16", "16 B: wavefronts", REPORT_COUNT, "by quarter warps; 4 is the least"},
    {"conflicts_16", "conflicts", REPORT_COUNT, "wavefronts above the least"},
};

/* The table shows a selection of the strides; the chart shows all. */
static bool in_table(uint32_t stride) {
    return stride <= 5 || stride == 8 || stride == 9 || stride == 16 || stride == 17 || stride >= 32;
}

/* One warp stores its elements `stride` apart, loads them back and writes them out, so the result is the input. */
static haul_status measure_stride(lab_workbench *b, uint32_t stride, size_t width, haul_launch_record *record) {
    size_t words = LANES * widths[width].words;
    const float *in = lab_floats(b, words, stride);
    lab_launch launch = {
        .module = "banks",
        .kernel = widths[width].kernel,
        .block = {LANES},
        .shared_bytes = (uint32_t)words * stride * 4,
        .arguments = {lab_input(in, words), lab_result(NULL, in, words), lab_u32(LANES), lab_u32(stride)}};
    return lab_measure(b, &launch, record);
}

/* Conflicts by stride, for all widths; a series of the chart for each. */
static haul_status run_strides(lab_workbench *b) {
    report_table *t = report_add_table(b->section, "strides", "One warp's load from shared memory", stride_columns,
                                       sizeof stride_columns / sizeof stride_columns[0]);
    report_chart *c = report_add_chart(b->section, "conflicts_by_stride", "Bank conflicts of a load", REPORT_LINES,
                                       (report_axis){"stride, elements", REPORT_LINEAR, REPORT_COUNT},
                                       (report_axis){"conflicts", REPORT_LINEAR, REPORT_COUNT});
    report_series *series[WIDTHS] = {report_add_series(c, "4 bytes", REPORT_SOLID),
                                     report_add_series(c, "8 bytes", REPORT_SOLID),
                                     report_add_series(c, "16 bytes", REPORT_SOLID)};
    for (uint32_t stride = 1; stride <= STRIDES; stride++) {
        if (in_table(stride)) report_add_row(t), report_add_number(t, stride);
        for (size_t w = 0; w < WIDTHS; w++) {
            haul_launch_record record;
            HAUL_TRY(measure_stride(b, stride, w, &record));
            report_add_point(series[w], stride, load_conflicts(&record));
            if (!in_table(stride)) continue;
            report_add_number(t, load_wavefronts(&record));
            add_conflicts(t, load_conflicts(&record));
        }
    }
    return HAUL_OK;
}

/* ---- broadcast ---- */

static const report_column broadcast_columns[] = {
    {"group", "Lanes a word", REPORT_COUNT, "lanes that read the same word"},
    {"words", "Words", REPORT_COUNT, "distinct words of the warp"},
    {"wavefronts", "Wavefronts", REPORT_COUNT, NULL},
    {"conflicts", "Conflicts", REPORT_COUNT, NULL},
};

/* Lanes that read the same word need one wavefront together: a broadcast is no conflict. */
static haul_status run_broadcast(lab_workbench *b) {
    report_table *t = report_add_table(b->section, "broadcast", "Lanes that share words", broadcast_columns,
                                       sizeof broadcast_columns / sizeof broadcast_columns[0]);
    const float *in = lab_floats(b, LANES, 1);
    for (uint32_t group = 1; group <= LANES; group *= 2) {
        float *out = lab_untouched(b, LANES);
        for (uint32_t i = 0; in && out && i < LANES; i++) out[i] = in[i / group];
        lab_launch launch = {
            .module = "banks",
            .kernel = "shared_broadcast",
            .block = {LANES},
            .shared_bytes = LANES * 4,
            .arguments = {lab_input(in, LANES), lab_result(NULL, out, LANES), lab_u32(LANES), lab_u32(group)}};
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        report_add_row(t);
        report_add_number(t, group);
        report_add_number(t, LANES / group);
        report_add_number(t, load_wavefronts(&record));
        add_conflicts(t, load_conflicts(&record));
    }
    return HAUL_OK;
}

/* ---- padding and swizzle ---- */

static const report_column tile_columns[] = {
    {"tile", "Tile", REPORT_TEXT, "rows and words from one row to the next"},
    {"bytes", "Shared memory", REPORT_BYTES, "of a block"},
    {"load_wavefronts", "Load wavefronts", REPORT_COUNT, "of the columns read"},
    {"load_conflicts", "Load conflicts", REPORT_COUNT, NULL},
    {"per_load", "Conflicts/load", REPORT_RATIO, "additional wavefronts of one warp's load"},
    {"store_conflicts", "Store conflicts", REPORT_COUNT, "of the rows written"},
};

/* Fills a row up after its name. */
static void add_tile(report_table *t, uint32_t bytes, const haul_launch_record *record) {
    double loads = (double)record->classes[HAUL_CLASS_SHARED_LOAD].instructions;
    report_add_number(t, bytes);
    report_add_number(t, load_wavefronts(record));
    add_conflicts(t, load_conflicts(record));
    report_add_number(t, report_ratio(load_conflicts(record), loads));
    add_conflicts(t, store_conflicts(record));
}

/* Transposes the matrix through tiles with rows `pitch` words apart. pitch 0: the kernel that swizzles instead of
 * padding. */
static haul_status measure_transpose(lab_workbench *b, uint32_t pitch, const float *in, const float *out,
                                     haul_launch_record *record) {
    lab_launch launch = {
        .module = "banks",
        .kernel = pitch ? "transpose_pitched" : "transpose_swizzled",
        .grid = {SIDE / TILE, SIDE / TILE},
        .block = {TILE, 8},
        .shared_bytes = TILE * pitch * 4,
        .arguments = {lab_input(in, SIDE * SIDE), lab_result(NULL, out, SIDE * SIDE), lab_u32(SIDE), lab_u32(SIDE)}};
    if (pitch) launch.arguments[4] = lab_u32(pitch);
    return lab_measure(b, &launch, record);
}

/* All pitches from a tile's width on, of which the chart shows the conflicts. */
static haul_status run_pitches(lab_workbench *b, report_table *t, report_series *s, const float *in, const float *out) {
    for (uint32_t pitch = TILE; pitch <= WIDEST_PITCH; pitch++) {
        haul_launch_record record;
        HAUL_TRY(measure_transpose(b, pitch, in, out, &record));
        double loads = (double)record.classes[HAUL_CLASS_SHARED_LOAD].instructions;
        report_add_point(s, pitch, report_ratio(load_conflicts(&record), loads));
        if (pitch > 36 && pitch != 40 && pitch != 48) continue;
        report_add_row(t);
        report_add_text(t, "[32][%u]", pitch);
        add_tile(t, TILE * pitch * 4, &record);
        if (pitch == TILE) lab_show_memory(b, "Transpose through [32][32]", &record);
    }
    return HAUL_OK;
}

/* Padded tiles of all pitches, then the swizzled tile without padding, on the same matrix. */
static haul_status run_tiles(lab_workbench *b) {
    const float *in = lab_floats(b, SIDE * SIDE, 1);
    float *out = lab_untouched(b, SIDE * SIDE);
    for (size_t i = 0; in && out && i < SIDE * SIDE; i++) out[i % SIDE * SIDE + i / SIDE] = in[i];
    report_table *t = report_add_table(b->section, "tiles", "A tile written by rows and read by columns", tile_columns,
                                       sizeof tile_columns / sizeof tile_columns[0]);
    report_chart *c = report_add_chart(b->section, "conflicts_by_pitch", "Bank conflicts of a column's load",
                                       REPORT_LINES, (report_axis){"pitch, words", REPORT_LINEAR, REPORT_COUNT},
                                       (report_axis){"conflicts a load", REPORT_LINEAR, REPORT_COUNT});
    HAUL_TRY(run_pitches(b, t, report_add_series(c, "padded", REPORT_SOLID), in, out));
    haul_launch_record record;
    HAUL_TRY(measure_transpose(b, 0, in, out, &record));
    report_add_row(t);
    report_add_text(t, "[32][32] swizzled");
    add_tile(t, TILE * TILE * 4, &record);
    return HAUL_OK;
}

haul_status lab_run_banks(lab_workbench *b) {
    HAUL_TRY(run_strides(b));
    HAUL_TRY(run_broadcast(b));
    return run_tiles(b);
}
