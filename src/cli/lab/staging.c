/* The experiment `staging`: ways into shared memory, 4 to 16 bytes a thread, through a register or by LDGSTS, aligned
 * or shifted by an element.
 *
 * LDGSTS of 16 bytes can bypass L1. Then each request fetches the sectors that it touches from L2; a shift by half a
 * sector makes neighbouring lanes share sectors, which are fetched twice. Through L1 the second request hits. The
 * result is the input, read from the shifted place. */
#include "cli/lab/workbench.h"

#include "base/status.h"

enum { ELEMENTS = 512, BLOCK = 128, PLACES = 3 };

static const struct {
    const char *kernel, *label;
    uint32_t words; /* of an element */
} ways[] = {
    {"stage4_sync", "4 B, register", 1},
    {"stage4_async", "4 B, LDGSTS", 1},
    {"stage8_sync", "8 B, register", 2},
    {"stage8_async", "8 B, LDGSTS", 2},
    {"stage16_sync", "16 B, register", 4},
    {"stage16_async_l1", "16 B, LDGSTS through L1", 4},
    {"stage16_async", "16 B, LDGSTS around L1", 4},
};

/* Where source and destination begin, in elements. */
static const struct {
    const char *label;
    uint32_t shift, skew; /* of the source; of the destination in shared memory */
} places[PLACES] = {{"aligned", 0, 0}, {"source + 1", 1, 0}, {"destination + 1", 0, 1}};

static const report_column columns[] = {
    {"way", "Way", REPORT_TEXT, "bytes a thread, and how they travel"},
    {"place", "Alignment", REPORT_TEXT, "in elements, from a well aligned base"},
    {"loads", "LDG", REPORT_COUNT, "warps' loads into registers"},
    {"ldgsts", "LDGSTS", REPORT_COUNT, "warps' asynchronous copies"},
    {"l1_sectors", "Through L1", REPORT_COUNT, "sectors of loads, and of copies through L1"},
    {"bypass_sectors", "Around L1", REPORT_COUNT, "sectors of copies around L1"},
    {"ideal", "Needed", REPORT_COUNT, "sectors that the source lies in"},
    {"wavefronts", "Wavefronts", REPORT_COUNT, "to write the elements to shared memory"},
    {"l2_sectors", "L2 sectors", REPORT_COUNT, "sectors read from L2"},
};

/* Sectors of loads count as `through`, since they pass L1 as well. */
static void add_row(report_table *t, size_t way, size_t place, const haul_launch_record *r) {
    const double *n = r->counters;
    double through = n[HAUL_COUNTER_LDGSTS_ACCESS_SECTORS] + (double)r->classes[HAUL_CLASS_GLOBAL_LOAD].sectors;
    double around = n[HAUL_COUNTER_LDGSTS_BYPASS_SECTORS], needed = ELEMENTS * ways[way].words / 8;
    report_add_row(t);
    report_add_text(t, "%s", ways[way].label);
    report_add_text(t, "%s", places[place].label);
    report_add_number(t, (double)r->classes[HAUL_CLASS_GLOBAL_LOAD].instructions);
    report_add_number(t, n[HAUL_COUNTER_INST_LDGSTS]);
    report_add_number(t, through);
    report_add_number(t, around);
    report_set_tone(t, around > needed * 1.5 ? REPORT_WARNING : REPORT_PLAIN);
    report_add_number(t, needed + (places[place].shift ? 1 : 0));
    report_add_number(t, n[HAUL_COUNTER_SHARED_ST_WAVEFRONTS] + n[HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS]);
    report_add_number(t, n[HAUL_COUNTER_L2_READ_SECTORS]);
}

/* One way at one place. `skew` takes a further element of shared memory. */
static haul_status measure(lab_workbench *b, size_t way, size_t place, haul_launch_record *record) {
    uint32_t words = ways[way].words;
    size_t count = (ELEMENTS + places[place].shift) * words;
    const float *in = lab_floats(b, count, 1);
    lab_launch launch = {.module = "staging",
                         .kernel = ways[way].kernel,
                         .grid = {ELEMENTS / BLOCK},
                         .block = {BLOCK},
                         .shared_bytes = (BLOCK + places[place].skew) * words * 4,
                         .arguments = {lab_input(in, count),
                                       lab_result(NULL, in ? in + places[place].shift * words : NULL, ELEMENTS * words),
                                       lab_u32(ELEMENTS), lab_u32(places[place].shift), lab_u32(places[place].skew)}};
    return lab_measure(b, &launch, record);
}

/* The chart has the ways of 16 bytes only, where shifts matter most. */
haul_status lab_run_staging(lab_workbench *b) {
    report_table *t = report_add_table(b->section, "ways",
                                       "512 elements in 4 blocks of 128 threads: instructions, sectors, wavefronts",
                                       columns, sizeof columns / sizeof columns[0]);
    report_chart *c = report_add_chart(b->section, "sectors", "Sectors fetched for 16 bytes a thread", REPORT_BARS,
                                       (report_axis){"alignment", REPORT_LINEAR, REPORT_TEXT},
                                       (report_axis){"sectors", REPORT_LINEAR, REPORT_COUNT});
    for (size_t place = 0; place < PLACES; place++) report_add_category(c, "%s", places[place].label);
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        report_series *s = ways[way].words == 4 ? report_add_series(c, ways[way].label, REPORT_SOLID) : NULL;
        for (size_t place = 0; place < PLACES; place++) {
            haul_launch_record record;
            HAUL_TRY(measure(b, way, place, &record));
            add_row(t, way, place, &record);
            report_add_point(s, (double)place,
                             (double)record.classes[HAUL_CLASS_GLOBAL_LOAD].sectors +
                                 record.counters[HAUL_COUNTER_LDGSTS_ACCESS_SECTORS] +
                                 record.counters[HAUL_COUNTER_LDGSTS_BYPASS_SECTORS]);
            if (place == 1 && way + 1 == sizeof ways / sizeof ways[0]) {
                lab_show_memory(b, "16 B around L1, source + 1", &record);
            }
        }
    }
    return HAUL_OK;
}
