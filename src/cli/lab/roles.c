/* The experiment `roles`: of a block's threads half copy tiles and half compute with them. If the roles alternate by
 * lane, every warp has both, diverges, and issues the instructions of both sides; if they alternate by warp, no warp
 * diverges. The work and the result are the same (kernels/roles.cu). */
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <math.h>

enum { TILE = 128, THREADS = 2 * TILE, TILES = 2112, BLOCKS = 264, ROUNDS = 32, FLOATS = TILES * TILE };

static const struct { /* the two kernels */
    const char *kernel, *title;
} forms[] = {{"roles_by_lane", "even and odd lanes"}, {"roles_by_warp", "even and odd warps"}};

static const report_column columns[] = {
    {"roles", "Roles", REPORT_TEXT, NULL},
    {"instructions", "Warp instructions", REPORT_COUNT, "each is issued once for all lanes of a warp that take part"},
    {"lanes", "Lanes active", REPORT_RATIO, "in an instruction, of 32"},
    {"loads", "Loads", REPORT_COUNT, "requests to global memory"},
    {"sectors", "Sectors/Load", REPORT_RATIO, NULL},
    {"read", "Read", REPORT_BYTES, "from device memory"},
    {"us", "Estimated", REPORT_MICROSECONDS, NULL},
};

/* Active lanes: thread instructions for each warp instruction. */
static void add_row(report_table *t, const char *title, const haul_launch_record *r) {
    const haul_traffic *loads = &r->classes[HAUL_CLASS_GLOBAL_LOAD];
    const double instructions = r->counters[HAUL_COUNTER_INST_EXECUTED];
    report_add_row(t);
    report_add_text(t, "%s", title);
    report_add_number(t, instructions);
    report_add_number(t, report_ratio(r->counters[HAUL_COUNTER_THREAD_INST_EXECUTED], instructions));
    report_add_number(t, (double)loads->requests);
    report_add_number(t, report_ratio((double)loads->sectors, (double)loads->requests));
    report_add_number(t, 32 * r->counters[HAUL_COUNTER_DRAM_READ_SECTORS]);
    report_add_number(t, r->estimate_us);
}

/* ROUNDS multiply-adds, each rounded once as on the device. */
static float computed(float v) {
    for (int r = 0; r < ROUNDS; r++) v = fmaf(v, 0.5f, 0.25f);
    return v;
}

/* The result is the same for both, so the host computes it once. */
haul_status lab_run_roles(lab_workbench *b) {
    const float *in = lab_floats(b, FLOATS, 3);
    float *out = lab_untouched(b, FLOATS);
    report_table *t = report_add_table(b->section, "forms", "2,112 tiles of 128 floats, 32 multiply-adds each", columns,
                                       sizeof columns / sizeof columns[0]);
    report_chart *c = report_add_chart(b->section, "instructions", "Warp instructions for the same work", REPORT_BARS,
                                       (report_axis){"roles", REPORT_LINEAR, REPORT_TEXT},
                                       (report_axis){"instructions", REPORT_LINEAR, REPORT_COUNT});
    report_series *s = report_add_series(c, "instructions", REPORT_SOLID);
    for (size_t i = 0; in && out && i < FLOATS; i++) out[i] = computed(in[i]);
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        haul_launch_record record;
        const lab_launch launch = {
            .module = "roles",
            .kernel = forms[k].kernel,
            .grid = {BLOCKS},
            .block = {THREADS},
            .arguments = {lab_input(in, FLOATS), lab_result(NULL, out, FLOATS), lab_u32(TILES), lab_u32(ROUNDS)}};
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_row(t, forms[k].title, &record);
        report_add_category(c, "%s", forms[k].title);
        report_add_point(s, (double)k, record.counters[HAUL_COUNTER_INST_EXECUTED]);
    }
    return HAUL_OK;
}
