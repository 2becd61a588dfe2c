/* The experiment `readonly`: where a small table that all threads read should be. Four kernels do the same lookups, by
 * plain loads, by __ldg, from a constant bank and from a copy in shared memory, in patterns that differ in how many
 * elements the lanes of a warp want at once.
 *
 * The table is short (1 KiB), so caches hold it, and the cost is that of a warp's accesses: the constant bank serves
 * one address at a time, shared memory a word of each bank. */
#include "cli/lab/workbench.h"

#include "base/status.h"

/* ROUNDS: lookups of a thread */
enum { LANES = 32, TABLE = 256, BLOCKS = 264, THREADS = 256, OUTPUTS = BLOCKS * THREADS, ROUNDS = 64 };

/* The elements that the lanes of a warp read. */
static const struct {
    const char *title;
    uint32_t distinct, stride; /* stride 0: scattered */
} patterns[] = {
    {"all lanes one element", 1, 1}, {"2 elements", 2, 1},    {"4 elements", 4, 1}, {"8 elements", 8, 1},
    {"16 elements", 16, 1},          {"side by side", 32, 1}, {"8 apart", 32, 8},   {"scattered", 32, 0},
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

static const char *const kernels[] = {"lookup_plain", "lookup_ldg", "lookup_constant", "lookup_shared"};
enum { PLAIN, LDG, CONSTANT, SHARED, KERNELS };

static const report_column columns[] = {
    {"pattern", "Lanes want", REPORT_TEXT, "in each lookup of a warp"},
    {"sectors", "Sectors", REPORT_RATIO, "a plain load"},
    {"wavefronts", "Tag wavefronts", REPORT_RATIO, "a plain load"},
    {"requests", "Constant requests", REPORT_RATIO, "a constant load: one for each address"},
    {"shared", "Shared wavefronts", REPORT_RATIO, "a shared load"},
    {"plain_us", "Plain", REPORT_MICROSECONDS, "estimated time of all lookups"},
    {"ldg_us", "__ldg", REPORT_MICROSECONDS, NULL},
    {"constant_us", "Constant bank", REPORT_MICROSECONDS, NULL},
    {"shared_us", "Shared memory", REPORT_MICROSECONDS, "the copy into it included"},
};

/* The element that a thread reads in a round, as kernels/lookup.cu computes it. */
static uint32_t place_of(size_t pattern, uint32_t thread, uint32_t round) {
    const uint32_t lane = thread % LANES % patterns[pattern].distinct, stride = patterns[pattern].stride;
    return ((stride ? lane * stride : lane * 2654435761u >> 16) + round) % TABLE;
}

/* The host's results: each thread's sum, in the order of the rounds. NULL without memory. */
static const float *sums_of(lab_workbench *b, const float *table, size_t pattern) {
    float *out = lab_untouched(b, OUTPUTS);
    for (uint32_t t = 0; table && out && t < OUTPUTS; t++) {
        float sum = 0;
        for (uint32_t r = 0; r < ROUNDS; r++) sum += table[place_of(pattern, t, r)];
        out[t] = sum;
    }
    return out;
}

/* Runs one pattern through all kernels. Each gets the table both as a buffer and as the bank's contents, and reads
 * one. */
static haul_status measure(lab_workbench *b, const float *table, size_t pattern, haul_launch_record records[KERNELS]) {
    const float *out = sums_of(b, table, pattern);
    for (unsigned k = 0; k < KERNELS; k++) {
        lab_launch launch = {.module = "lookup",
                             .kernel = kernels[k],
                             .grid = {BLOCKS},
                             .block = {THREADS},
                             .arguments = {lab_input(table, TABLE), lab_result(NULL, out, OUTPUTS), lab_u32(ROUNDS),
                                           lab_u32(patterns[pattern].distinct), lab_u32(patterns[pattern].stride)},
                             .variable = "lookup_bank",
                             .contents = table,
                             .variable_count = TABLE};
        HAUL_TRY(lab_measure(b, &launch, &records[k]));
    }
    return HAUL_OK;
}

/* An amount per warp's load or, for constants, per warp's constant load. */
static double per_load(const haul_launch_record *r, haul_memory_class class, uint64_t amount) {
    return report_ratio((double)amount, (double)r->classes[class].instructions);
}

/* Requests of the constant bank above one a load are marked: the lanes disagree. */
static void add_row(report_table *t, size_t pattern, const haul_launch_record records[KERNELS]) {
    const haul_traffic *plain = &records[PLAIN].classes[HAUL_CLASS_GLOBAL_LOAD];
    const double turns = per_load(&records[CONSTANT], HAUL_CLASS_CONSTANT_LOAD,
                                  records[CONSTANT].classes[HAUL_CLASS_CONSTANT_LOAD].requests);
    report_add_row(t);
    report_add_text(t, "%s", patterns[pattern].title);
    report_add_number(t, per_load(&records[PLAIN], HAUL_CLASS_GLOBAL_LOAD, plain->sectors));
    report_add_number(t, per_load(&records[PLAIN], HAUL_CLASS_GLOBAL_LOAD, plain->wavefronts));
    report_add_number(t, turns);
    report_set_tone(t, turns > 1 ? REPORT_WARNING : REPORT_GOOD);
    report_add_number(t, per_load(&records[SHARED], HAUL_CLASS_SHARED_LOAD,
                                  records[SHARED].classes[HAUL_CLASS_SHARED_LOAD].shared_wavefronts));
    for (unsigned k = 0; k < KERNELS; k++) report_add_number(t, records[k].estimate_us);
}

haul_status lab_run_readonly(lab_workbench *b) {
    const float *table = lab_floats(b, TABLE, 1);
    report_table *t = report_add_table(b->section, "lookups", "64 lookups a thread in a table of 1 KiB", columns,
                                       sizeof columns / sizeof columns[0]);
    report_chart *c = report_add_chart(b->section, "requests_by_distinct", "Cost of a warp's lookup", REPORT_LINES,
                                       (report_axis){"elements that the lanes request", REPORT_LOG2, REPORT_COUNT},
                                       (report_axis){"requests or wavefronts", REPORT_LOG2, REPORT_COUNT});
    report_series *constant = report_add_series(c, "constant bank", REPORT_SOLID),
                  *plain = report_add_series(c, "plain load", REPORT_SOLID);
    for (size_t p = 0; p < PATTERNS; p++) {
        haul_launch_record records[KERNELS];
        HAUL_TRY(measure(b, table, p, records));
        add_row(t, p, records);
        if (patterns[p].stride != 1) continue;
        const haul_traffic *load = &records[PLAIN].classes[HAUL_CLASS_GLOBAL_LOAD],
                           *bank = &records[CONSTANT].classes[HAUL_CLASS_CONSTANT_LOAD];
        report_add_point(constant, patterns[p].distinct,
                         report_ratio((double)bank->requests, (double)bank->instructions));
        report_add_point(plain, patterns[p].distinct,
                         report_ratio((double)load->wavefronts, (double)load->instructions));
        if (patterns[p].distinct == LANES)
            lab_show_memory(b, "Side by side, from the constant bank", &records[CONSTANT]);
    }
    return HAUL_OK;
}
