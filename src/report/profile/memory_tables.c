/* The memory tables of a launch, with the rows and names of Nsight Compute, so that both can be compared side by side.
 *
 * Tables of shared memory, constants and L1 are made of the traffic by class of instruction; those of L2 and device
 * memory of counters, because requests of all classes are one there. Tables without traffic are left out. */
#include "report/profile/memory_tables.h"

#include <math.h>

enum { SECTOR = 32 };
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static double counter(const haul_launch_record *r, haul_counter c) {
    return r->counters[c] > 0 ? r->counters[c] : 0;
}

typedef struct class_row {
    haul_memory_class class;
    const char *title; /* as in Nsight Compute */
} class_row;

/* ---- shared memory ---- */

static const class_row shared_rows[] = {
    {HAUL_CLASS_SHARED_LOAD, "Shared Load"},
    {HAUL_CLASS_SHARED_STORE, "Shared Store"},
    {HAUL_CLASS_LDGSTS_ACCESS, "Shared Store From Global Load (access)"},
    {HAUL_CLASS_LDGSTS_BYPASS, "Shared Store From Global Load (bypass)"},
    {HAUL_CLASS_SHARED_ATOMIC, "Shared Atomic"},
};

static const report_column shared_columns[] = {
    {"class", "Shared Memory", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "warp-level instructions executed"},
    {"wavefronts", "Wavefronts", REPORT_COUNT, "passes through the 32 banks that the instructions took"},
    {"ideal_wavefronts", "Ideal", REPORT_COUNT, "the fewest wavefronts that the bytes need"},
    {"wavefronts_per_ideal", "Wavefronts/Ideal", REPORT_RATIO,
     "n means n-way bank conflicts on average; of copies around L1, lines that are split"},
    {"bank_conflicts", "Bank Conflicts", REPORT_COUNT, "wavefronts that bank conflicts add"},
    {"bytes", "Bytes", REPORT_BYTES, "asked for by the active lanes"},
};

/* Conflicts are marked from five percent above the ideal on. */
static void add_shared_row(report_table *t, const char *title, const haul_traffic *x) {
    report_add_row(t);
    report_add_text(t, "%s", title);
    report_add_number(t, (double)x->instructions);
    report_add_number(t, (double)x->shared_wavefronts);
    report_add_number(t, (double)x->ideal_shared_wavefronts);
    double ways = report_ratio((double)x->shared_wavefronts, (double)x->ideal_shared_wavefronts);
    report_add_number(t, ways);
    if (ways > 1.05) report_set_tone(t, REPORT_WARNING);
    report_add_number(t, (double)x->bank_conflicts);
    report_add_number(t, (double)x->bytes);
}

static void add_shared(report_section *s, const haul_launch_record *r) {
    haul_traffic total = {0};
    for (size_t i = 0; i < COUNT_OF(shared_rows); i++) haul_traffic_add(&total, &r->classes[shared_rows[i].class]);
    if (!total.shared_wavefronts) return;
    report_table *t = report_add_table(s, "shared", NULL, shared_columns, COUNT_OF(shared_columns));
    for (size_t i = 0; i < COUNT_OF(shared_rows); i++) {
        const haul_traffic *x = &r->classes[shared_rows[i].class];
        if (x->instructions) add_shared_row(t, shared_rows[i].title, x);
    }
    add_shared_row(t, "Total", &total);
    report_set_row_tone(t, REPORT_STRONG);
}

/* ---- constant banks ---- */

static const report_column constant_columns[] = {
    {"class", "Constant Cache", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "warp-level loads executed"},
    {"requests", "Requests", REPORT_COUNT, "one for each address of a load"},
    {"requests_per_instruction", "Requests/Inst", REPORT_RATIO, "1 where all lanes want one address; lanes take turns"},
    {"hit_rate", "Hit Rate", REPORT_PERCENT, "requests whose line was there"},
    {"bytes", "Bytes", REPORT_BYTES, "asked for by the active lanes"},
};

static void add_constants(report_section *s, const haul_launch_record *r) {
    const haul_traffic *x = &r->classes[HAUL_CLASS_CONSTANT_LOAD];
    if (!x->instructions) return;
    const double turns = report_ratio((double)x->requests, (double)x->instructions);
    report_table *t = report_add_table(s, "constant", NULL, constant_columns, COUNT_OF(constant_columns));
    report_add_row(t);
    report_add_text(t, "Constant Load");
    report_add_number(t, (double)x->instructions);
    report_add_number(t, (double)x->requests);
    report_add_number(t, turns);
    if (turns > 1.05) report_set_tone(t, REPORT_WARNING);
    report_add_number(t, report_percent((double)x->hits, (double)x->requests));
    report_add_number(t, (double)x->bytes);
}

/* ---- L1/TEX ---- */

static const class_row l1_rows[] = {
    {HAUL_CLASS_LOCAL_LOAD, "Local Load"},
    {HAUL_CLASS_GLOBAL_LOAD, "Global Load"},
    {HAUL_CLASS_LDGSTS_ACCESS, "Global Load To Shared Store (access)"},
    {HAUL_CLASS_LDGSTS_BYPASS, "Global Load To Shared Store (bypass)"},
    {HAUL_CLASS_TEXTURE, "Texture"},
    {HAUL_CLASS_SURFACE_LOAD, "Surface Load"},
    {HAUL_CLASS_BULK_LOAD, "Bulk Load"},
    {HAUL_CLASS_LOCAL_STORE, "Local Store"},
    {HAUL_CLASS_GLOBAL_STORE, "Global Store"},
    {HAUL_CLASS_SURFACE_STORE, "Surface Store"},
    {HAUL_CLASS_SURFACE_REDUCTION, "Surface Reduction"},
    {HAUL_CLASS_BULK_STORE, "Bulk Store"},
    {HAUL_CLASS_GLOBAL_REDUCTION, "Global Reduction"},
    {HAUL_CLASS_GLOBAL_ATOMIC, "Global Atomic"},
};

static const report_column l1_columns[] = {
    {"class", "L1/TEX Cache", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "warp-level instructions executed"},
    {"requests", "Requests", REPORT_COUNT,
     "requests to the L1 tags; one for each instruction of a warp, or four lanes of a texture"},
    {"wavefronts", "Wavefronts", REPORT_COUNT, "packages that the tag stage puts out"},
    {"sectors", "Sectors", REPORT_COUNT, "32-byte sectors asked for"},
    {"sectors_per_request", "Sectors/Req", REPORT_RATIO, "4 for 32 lanes of 4 bytes side by side"},
    {"ideal_sectors_per_request", "Ideal", REPORT_RATIO, "the fewest sectors a request that could carry the bytes"},
    {"hit_rate", "Hit Rate", REPORT_PERCENT, "sectors found in L1"},
    {"bytes", "Bytes", REPORT_BYTES, "32 for each sector"},
    {"misses_to_l2", "Sector Misses to L2", REPORT_COUNT, "sectors that went on to L2"},
};

/* `cached`: L1 keeps these sectors, so a hit rate means something. */
static void add_l1_row(report_table *t, const char *title, const haul_traffic *x, bool cached) {
    double requests = (double)x->requests, sectors = (double)x->sectors;
    report_add_row(t);
    report_add_text(t, "%s", title);
    report_add_number(t, (double)x->instructions);
    report_add_number(t, requests);
    report_add_number(t, (double)x->wavefronts);
    report_add_number(t, sectors);
    report_add_number(t, report_ratio(sectors, requests));
    if (sectors > 1.05 * (double)x->ideal_sectors) report_set_tone(t, REPORT_WARNING);
    report_add_number(t, report_ratio((double)x->ideal_sectors, requests));
    report_add_number(t, cached ? report_percent((double)x->hits, sectors) : NAN);
    report_add_number(t, sectors * SECTOR);
    report_add_number(t, (double)x->l2_sectors);
}

bool report_is_cached(haul_memory_class class) {
    return class == HAUL_CLASS_GLOBAL_LOAD || class == HAUL_CLASS_LOCAL_LOAD || class == HAUL_CLASS_LOCAL_STORE ||
           class == HAUL_CLASS_LDGSTS_ACCESS || class == HAUL_CLASS_TEXTURE || class == HAUL_CLASS_SURFACE_LOAD;
}

/* Says how many asynchronous copies warps issue with all lanes off. */
static void add_idle_copies(report_section *s, const haul_launch_record *r) {
    const double all = counter(r, HAUL_COUNTER_INST_LDGSTS),
                 idle = all - counter(r, HAUL_COUNTER_INST_LDGSTS_ACCESS) - counter(r, HAUL_COUNTER_INST_LDGSTS_BYPASS);
    char more[REPORT_NUMBER_SIZE], sum[REPORT_NUMBER_SIZE];
    if (idle > 0)
        report_add_note(s, REPORT_MUTED,
                        "Warps issue %s more LDGSTS with all lanes off, %s in all: machine code predicates a copy that "
                        "the source makes under a condition. They move nothing, and the table leaves them out.",
                        report_format(REPORT_COUNT, idle, more), report_format(REPORT_COUNT, all, sum));
}

static void add_l1(report_section *s, const haul_launch_record *r) {
    haul_traffic total = {0};
    for (size_t i = 0; i < COUNT_OF(l1_rows); i++) haul_traffic_add(&total, &r->classes[l1_rows[i].class]);
    if (!total.sectors) return;
    report_table *t = report_add_table(s, "l1tex", NULL, l1_columns, COUNT_OF(l1_columns));
    for (size_t i = 0; i < COUNT_OF(l1_rows); i++) {
        const haul_traffic *x = &r->classes[l1_rows[i].class];
        if (x->instructions) add_l1_row(t, l1_rows[i].title, x, report_is_cached(l1_rows[i].class));
    }
    add_l1_row(t, "Total", &total, true);
    report_set_row_tone(t, REPORT_STRONG);
    add_idle_copies(s, r);
}

/* ---- L2 and device memory ---- */

typedef struct flow {
    double requests, sectors, hits, misses; /* negative hits: unknown */
} flow;

static const report_column l2_columns[] = {
    {"class", "L2 Cache", REPORT_TEXT, NULL},
    {"requests", "Requests", REPORT_COUNT, "one for each line of a request that L1 sends on"},
    {"sectors", "Sectors", REPORT_COUNT, "32-byte sectors"},
    {"sectors_per_request", "Sectors/Req", REPORT_RATIO, "at most the 4 of a line"},
    {"hit_rate", "Hit Rate", REPORT_PERCENT, "sectors found in L2"},
    {"bytes", "Bytes", REPORT_BYTES, "32 for each sector"},
    {"throughput", "Throughput", REPORT_RATE, "bytes over the launch's estimated or measured time"},
    {"misses_to_device", "Sector Misses to Device", REPORT_COUNT, "sectors read from device memory"},
};

/* Bytes a second over the measured or else the estimated time; NaN if there is neither. */
static double rate(const haul_launch_record *r, double sectors) {
    double us = r->measured_us > 0 ? r->measured_us : r->estimate_us;
    return us > 0 ? sectors * SECTOR / us * 1e6 : NAN;
}

static void add_l2_row(report_table *t, const haul_launch_record *r, const char *title, const flow *f) {
    report_add_row(t);
    report_add_text(t, "%s", title);
    report_add_number(t, f->requests);
    report_add_number(t, f->sectors);
    report_add_number(t, report_ratio(f->sectors, f->requests));
    report_add_number(t, f->hits < 0 ? NAN : report_percent(f->hits, f->sectors));
    report_add_number(t, f->sectors * SECTOR);
    report_add_number(t, rate(r, f->sectors));
    report_add_number(t, f->misses);
}

/* GCC caches read code and constants; what the launch itself and a profiler move is left out. */
static void add_code(report_section *s, report_table *t, const haul_launch_record *r, const report_fetches *code,
                     const flow *data) {
    const haul_code_fetch *f = &code->fetch;
    const flow own = {(double)f->requests, (double)f->sectors, (double)(f->sectors - f->misses),
                      (double)f->device_sectors};
    const flow all = {data->requests + own.requests, data->sectors + own.sectors,
                      data->hits < 0 ? -1 : data->hits + own.hits, data->misses + own.misses};
    add_l2_row(t, r, "Code And Constants", &own);
    add_l2_row(t, r, "GPU Total", &all);
    report_set_row_tone(t, REPORT_STRONG);
    report_add_note(
        s, REPORT_MUTED,
        "Code: %llu bytes%s, which the caches of all GPCs read. Nsight Compute's GPU Total has some hundred "
        "to thousand sectors more: what starts a launch, and what L2's partitions send each other.",
        (unsigned long long)f->bytes, code->assembled ? "" : " (estimate)");
}

/* Hits of reductions and atomics are unknown. */
static void add_l2(report_section *s, const haul_launch_record *r, const report_fetches *code) {
    const flow load = {counter(r, HAUL_COUNTER_L2_READ_REQUESTS), counter(r, HAUL_COUNTER_L2_READ_SECTORS),
                       fmax(0, counter(r, HAUL_COUNTER_L2_READ_SECTORS) - counter(r, HAUL_COUNTER_L2_READ_MISS)),
                       counter(r, HAUL_COUNTER_L2_READ_MISS)};
    const double written = counter(r, HAUL_COUNTER_L2_WRITE_SECTORS);
    const flow store = {counter(r, HAUL_COUNTER_L2_WRITE_REQUESTS), written, written, 0}; /* L2 accepts all writes */
    const flow reduction = {counter(r, HAUL_COUNTER_L2_RED_REQUESTS), counter(r, HAUL_COUNTER_L2_RED_SECTORS), -1, 0};
    const flow atomic = {0, counter(r, HAUL_COUNTER_L2_ATOM_SECTORS), -1, 0};
    const bool known = reduction.sectors + atomic.sectors <= 0;
    const flow total = {load.requests + store.requests + reduction.requests,
                        load.sectors + store.sectors + reduction.sectors + atomic.sectors,
                        known ? load.hits + store.hits : -1, load.misses};
    if (total.sectors <= 0) return;
    report_table *t = report_add_table(s, "l2", NULL, l2_columns, COUNT_OF(l2_columns));
    if (load.sectors > 0) add_l2_row(t, r, "L1/TEX Load", &load);
    if (store.sectors > 0) add_l2_row(t, r, "L1/TEX Store", &store);
    if (reduction.sectors > 0) add_l2_row(t, r, "L1/TEX Reduction", &reduction);
    if (atomic.sectors > 0) add_l2_row(t, r, "L1/TEX Atomic", &atomic);
    add_l2_row(t, r, "L1/TEX Total", &total);
    report_set_row_tone(t, REPORT_STRONG);
    if (code->fetch.sectors) add_code(s, t, r, code, &total);
}

static const report_column device_columns[] = {
    {"class", "Device Memory", REPORT_TEXT, NULL},
    {"sectors", "Sectors", REPORT_COUNT, "32-byte sectors"},
    {"share", "Share", REPORT_PERCENT, "of the traffic with device memory"},
    {"bytes", "Bytes", REPORT_BYTES, "32 for each sector"},
    {"throughput", "Throughput", REPORT_RATE, "bytes over the launch's estimated or measured time"},
    {"peak_share", "Of Peak", REPORT_PERCENT, "of the peak rate, over the kernel's estimated or measured time"},
};

/* Percent of the peak rate; NaN if unknown. */
static double share_of_peak(const haul_launch_record *r, double sectors) {
    const haul_estimate *e = &r->estimate;
    const double us = r->measured_us > 0 ? r->measured_us : e->sm_mhz > 0 ? e->cycles / e->sm_mhz : 0;
    return us > 0 && e->memory_gbps > 0 ? 100 * sectors * SECTOR / (us * e->memory_gbps * 1e3) : NAN;
}

static void add_device_row(report_table *t, const haul_launch_record *r, const char *title, double sectors,
                           double total) {
    report_add_row(t);
    report_add_text(t, "%s", title);
    report_add_number(t, sectors);
    report_add_number(t, report_percent(sectors, total));
    report_add_number(t, sectors * SECTOR);
    report_add_number(t, rate(r, sectors));
    report_add_number(t, share_of_peak(r, sectors));
}

static void add_device(report_section *s, const haul_launch_record *r, const report_fetches *code) {
    const double load = counter(r, HAUL_COUNTER_DRAM_READ_SECTORS), store = counter(r, HAUL_COUNTER_DRAM_WRITE_SECTORS);
    const double of_code = (double)code->fetch.device_sectors, total = load + store + of_code;
    if (load + store <= 0) return;
    report_table *t = report_add_table(s, "device", NULL, device_columns, COUNT_OF(device_columns));
    add_device_row(t, r, "Load", load, total);
    if (of_code > 0) add_device_row(t, r, "Code", of_code, total);
    add_device_row(t, r, "Store", store, total);
    add_device_row(t, r, "Total", total, total);
    report_set_row_tone(t, REPORT_STRONG);
}

static const report_column nvlink_columns[] = {
    {"class", "NVLink", REPORT_TEXT, NULL},
    {"bytes", "Bytes", REPORT_BYTES, "of the kernel's own accesses to peers, without the links' packets"},
    {"throughput", "Throughput", REPORT_RATE, "bytes over the launch's estimated or measured time"},
    {"busy", "Busy", REPORT_PERCENT, "of the kernel's time, at the rate of the links for such accesses (an estimate)"},
};

static void add_nvlink_row(report_table *t, const haul_launch_record *r, const char *title, double bytes,
                           double share) {
    report_add_row(t);
    report_add_text(t, "%s", title);
    report_add_number(t, bytes);
    report_add_number(t, rate(r, bytes / SECTOR));
    report_add_number(t, 100 * share);
}

static void add_nvlink(report_section *s, const haul_launch_record *r) {
    static const double LIMIT = 0.6; /* share of time from which on the links are named as the limit */
    const double received = counter(r, HAUL_COUNTER_NVLINK_READ_BYTES),
                 sent = counter(r, HAUL_COUNTER_NVLINK_WRITE_BYTES);
    if (received + sent <= 0) return;
    report_table *t = report_add_table(s, "nvlink", NULL, nvlink_columns, COUNT_OF(nvlink_columns));
    add_nvlink_row(t, r, "Received from peers", received, r->estimate.nvlink_read_share);
    add_nvlink_row(t, r, "Sent to peers", sent, r->estimate.nvlink_write_share);
    if (fmax(r->estimate.nvlink_read_share, r->estimate.nvlink_write_share) >= LIMIT)
        report_add_note(s, REPORT_STRONG, "NVLink limits this launch: its links are busy for most of the time.");
}

void report_add_memory_tables(report_section *s, const haul_launch_record *record, const report_fetches *code) {
    const report_fetches estimate = {.fetch = record->code};
    if (!code) code = &estimate;
    add_shared(s, record);
    add_constants(s, record);
    add_l1(s, record);
    add_l2(s, record, code);
    add_device(s, record, code);
    add_nvlink(s, record);
}

/* ---- occupancy ---- */

static const report_column occupancy_columns[] = {
    {"what", "Occupancy", REPORT_TEXT, NULL},
    {"value", "Value", REPORT_TEXT, NULL},
    {"blocks", "Blocks/SM Allowed", REPORT_COUNT, "blocks that this resource lets an SM hold"},
};

/* Marks the resource that limits the number of blocks. */
static void add_occupancy_row(report_table *t, const char *what, double value, report_unit unit, uint32_t blocks,
                              uint32_t fewest) {
    char number[REPORT_NUMBER_SIZE];
    report_add_row(t);
    report_add_text(t, "%s", what);
    report_add_text(t, "%s", report_format(unit, value, number));
    if (!blocks) return;
    report_add_number(t, blocks);
    if (blocks == fewest) report_set_tone(t, REPORT_STRONG);
}

void report_add_occupancy(report_section *s, const haul_launch_record *record) {
    const haul_occupancy *o = &record->occupancy;
    if (!o->max_warps_per_sm) return;
    double threads = (double)record->block[0] * record->block[1] * record->block[2];
    report_table *t = report_add_table(s, "occupancy", NULL, occupancy_columns, COUNT_OF(occupancy_columns));
    uint32_t fewest = o->blocks_per_sm;
    add_occupancy_row(t, "Threads/Block", threads, REPORT_COUNT, o->limit_warps, fewest);
    add_occupancy_row(t, o->registers_estimated ? "Registers/Thread (estimate)" : "Registers/Thread",
                      o->registers_per_thread, REPORT_COUNT, o->limit_registers, fewest);
    if (o->registers_spilled)
        add_occupancy_row(t, "Spilled Registers/Thread (estimate)", o->registers_spilled, REPORT_COUNT, 0, fewest);
    add_occupancy_row(t, "Shared Memory/Block", o->shared_per_block, REPORT_BYTES, o->limit_shared, fewest);
    add_occupancy_row(t, "Blocks/SM", o->blocks_per_sm, REPORT_COUNT, o->limit_blocks, fewest);
    add_occupancy_row(t, "Warps/SM", o->warps_per_sm, REPORT_COUNT, 0, fewest);
    add_occupancy_row(t, "Theoretical Occupancy", report_percent(o->warps_per_sm, o->max_warps_per_sm), REPORT_PERCENT,
                      0, fewest);
    add_occupancy_row(t, "Shared Memory Carve-out/SM", o->shared_carveout, REPORT_BYTES, 0, fewest);
    add_occupancy_row(t, "L1 Cache/SM", o->l1_bytes, REPORT_BYTES, 0, fewest);
}
