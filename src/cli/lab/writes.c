/* The experiment `writes`: L1 writes through, L2 writes back. A kernel stores to each of its words several times. Every
 * store passes L1 to L2, while device memory gets a sector only when L2 evicts it. The last launch stores to twice as
 * many bytes as L2 has, so that it must evict. */
#include "cli/lab/workbench.h"

#include "base/status.h"

enum { THREADS = 256, SMALL = 1 << 18, MIB = 1 << 20 };

static const report_column columns[] = {
    {"words", "Words", REPORT_COUNT, "that are stored to"},
    {"rounds", "Stores a word", REPORT_COUNT, NULL},
    {"l1", "L1 sectors", REPORT_COUNT, "of all stores"},
    {"l2", "L2 sectors", REPORT_COUNT, "what L1 hands on"},
    {"through", "L1 hands on", REPORT_PERCENT, "all of it: L1 is a write-through cache"},
    {"device", "Device sectors", REPORT_COUNT, "written to device memory until the kernel's end"},
    {"back", "L2 writes", REPORT_PERCENT, "of what it got; the rest it keeps: L2 is a write-back cache"},
};

/* Percentages relate each level to the one before it. */
static void add_row(report_table *t, uint32_t words, uint32_t rounds, const haul_launch_record *r) {
    const double l1 = (double)r->classes[HAUL_CLASS_GLOBAL_STORE].sectors,
                 l2 = r->counters[HAUL_COUNTER_L2_WRITE_SECTORS], device = r->counters[HAUL_COUNTER_DRAM_WRITE_SECTORS];
    report_add_row(t);
    report_add_number(t, words);
    report_add_number(t, rounds);
    report_add_number(t, l1);
    report_add_number(t, l2);
    report_add_number(t, report_percent(l2, l1));
    report_add_number(t, device);
    report_add_number(t, report_percent(device, l2));
}

/* A launch of kernels/reuse.cu: thread i stores the round's number to word i, round after round. */
static haul_status measure(lab_workbench *b, report_table *t, uint32_t words, uint32_t rounds) {
    haul_launch_record record;
    float *out = lab_untouched(b, words);
    for (uint32_t i = 0; out && i < words; i++) out[i] = (float)rounds;
    const lab_launch launch = {.module = "reuse",
                               .kernel = "reuse_store",
                               .grid = {lab_blocks(words, THREADS)},
                               .block = {THREADS},
                               .arguments = {lab_result(NULL, out, words), lab_u32(words), lab_u32(rounds)}};
    HAUL_TRY(lab_measure(b, &launch, &record));
    add_row(t, words, rounds, &record);
    return HAUL_OK;
}

haul_status lab_run_writes(lab_workbench *b) {
    haul_device_properties device;
    report_table *t = report_add_table(b->section, "stores", NULL, columns, sizeof columns / sizeof columns[0]);
    haul_device_properties_of(b->lab->device, &device);
    for (uint32_t rounds = 1; rounds <= 8; rounds *= 2) HAUL_TRY(measure(b, t, SMALL, rounds));
    /* more than L2 holds, so that it must evict */
    return measure(b, t, (uint32_t)(device.l2_bytes / MIB * 2 * MIB / sizeof(float)), 2);
}
