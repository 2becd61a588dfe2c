/* Computes metrics.def from a launch record.
 *
 * The helpers return NAN for what a record lacks: counters of a GPU without the estimate, an estimate without counts.
 * NAN passes through sums and ratios, so rows need no conditions of their own. */
#include "report/ncu/metrics.h"

#include "report/mnemonic.h"
#include "report/profile/profile.h"
#include "time/estimate.h"

#include <math.h>
#include <string.h>

enum { SECTOR = 32, LANES = 32, SCHEDULERS = 4 };
enum { SINGLE, DOUBLE, HALF, PRECISIONS };

const char *const report_ncu_section_titles[REPORT_NCU_SECTION_COUNT] = {[REPORT_NCU_NONE] =
                                                                             "Command line profiler metrics",
#define SECTION(id, title) [REPORT_NCU_##id] = title,
                                                                         REPORT_NCU_SECTIONS(SECTION)
#undef SECTION
};

/* A launch, and the sums over its traffic and instructions that several metrics need. */
typedef struct facts {
    const haul_launch_record *r;
    const haul_estimate *e;
    const haul_occupancy *o;
    const sim_machine *m;
    double l1_requests, l1_sectors, l1_hits;
    double sums[PRECISIONS], products[PRECISIONS], fused[PRECISIONS]; /* thread-level instructions */
    double tensor;                                                    /* warp-level products of matrices */
} facts;

/* ---- helpers of metrics.def ---- */

static double counted(const facts *f, haul_counter which) {
    return f->r->counters[which] < 0 ? NAN : f->r->counters[which];
}
#define count(f, id) counted(f, HAUL_COUNTER_##id)

/* NAN without an estimate. */
static double estimated(const facts *f, double value) {
    return f->e->cycles > 0 ? value : NAN;
}

static double ratio(double a, double b) {
    return b > 0 ? a / b : isnan(b) ? NAN : 0;
}

static double percent(double a, double b) {
    return 100 * ratio(a, b);
}

/* Cycles of the launch as the profiler takes them: from before its first block to after its last one. */
static double elapsed_cycles(const facts *f) {
    return estimated(f, f->e->cycles + sim_around_seconds * 1e6 * f->e->sm_mhz);
}

/* Measured, or else estimated. */
static double nanoseconds(const facts *f) {
    if (f->r->measured_us > 0) return 1e3 * f->r->measured_us;
    return 1e3 * elapsed_cycles(f) / f->e->sm_mhz;
}

static double per_second(const facts *f, double amount) {
    return ratio(amount * 1e9, nanoseconds(f));
}

static double busiest_memory(const facts *f) {
    return fmax(f->e->memory_share, fmax(f->e->l2_share, f->e->l1_share));
}

static double schedulers(const facts *f) {
    return (double)f->m->sms * SCHEDULERS;
}

static double threads(const facts *f) {
    return (double)f->r->block[0] * f->r->block[1] * f->r->block[2];
}

static double blocks(const facts *f) {
    return (double)report_blocks(f->r);
}

/* SMs that have work; blocks are spread over all. */
static double busy_sms(const facts *f) {
    return fmin(blocks(f), f->m->sms);
}

/* Instructions of an SM. */
static double instructions_per_cycle(const facts *f) {
    return ratio(f->e->instructions, elapsed_cycles(f) * f->m->sms);
}

static double cycles_per_instruction(const facts *f) {
    double sum = 0;
    for (int k = 0; k < HAUL_STALL_COUNT; k++) sum += f->e->stalls[k];
    return estimated(f, ratio(sum, f->e->instructions));
}

static double dram_bytes(const facts *f) {
    return SECTOR * (count(f, DRAM_READ_SECTORS) + count(f, DRAM_WRITE_SECTORS));
}

static double l2_sectors(const facts *f) {
    return count(f, L2_READ_SECTORS) + count(f, L2_WRITE_SECTORS) + count(f, L2_RED_SECTORS) +
           count(f, L2_ATOM_SECTORS);
}

/* L2 accepts all writes. Hits of reductions and atomics are not known. */
static double l2_hit_rate(const facts *f) {
    if (count(f, L2_RED_SECTORS) + count(f, L2_ATOM_SECTORS) > 0) return NAN;
    return percent(l2_sectors(f) - count(f, L2_READ_MISS), l2_sectors(f));
}

static double bytes_per_sector(const facts *f, haul_memory_class class) {
    const haul_traffic *t = &f->r->classes[class];
    return f->r->instruction_count ? ratio((double)t->bytes, (double)t->sectors) : NAN;
}

/* For busy SMs; the estimate is the mean of all. */
static double active_warps(const facts *f) {
    return estimated(f, fmin(f->e->warps_per_sm * ratio(f->m->sms, busy_sms(f)), f->o->warps_per_sm));
}

/* Cycles of an SM, the mean of all. */
static double active_cycles(const facts *f) {
    return estimated(f, f->e->cycles * ratio(busy_sms(f), f->m->sms));
}

/* Warps of a busy SM that issue, or could have issued. */
static double eligible_warps(const facts *f) {
    return estimated(f, ratio(f->e->stalls[HAUL_STALL_SELECTED] + f->e->stalls[HAUL_STALL_NOT_SELECTED],
                              f->e->cycles * busy_sms(f)));
}

/* Blocks for which the SM's part of shared memory in use has room, as Nsight Compute prints it. */
static double shared_limit(const facts *f) {
    return floor(ratio(f->o->shared_carveout, f->o->shared_per_block));
}

/* The profiler says 16 of kernels for which the assembler says fewer. */
static double registers(const facts *f) {
    enum { LEAST = 16 };
    return fmax(f->o->registers_per_thread, LEAST);
}

/* Up to the unit in which shared memory is allocated. */
static double static_shared(const facts *f) {
    return fmax(0, (double)f->o->shared_per_block - f->m->shared_reserved - f->r->shared_bytes);
}

/* ---- sums ---- */

/* "fma" of "fma.rn.f32". */
static bool has_operation(const char *mnemonic, const char *operation) {
    const size_t length = strlen(operation);
    return strncmp(mnemonic, operation, length) == 0 && mnemonic[length] == '.';
}

/* The precision of arithmetic in a floating-point type; PRECISIONS for other instructions. */
static int precision_of(const char *mnemonic) {
    const char *dot = strrchr(mnemonic, '.');
    if (!dot) return PRECISIONS;
    if (strcmp(dot, ".f32") == 0) return SINGLE;
    if (strcmp(dot, ".f64") == 0) return DOUBLE;
    return strncmp(dot, ".f16", 4) == 0 || strncmp(dot, ".bf16", 5) == 0 ? HALF : PRECISIONS;
}

static void add_arithmetic(facts *f, const haul_instruction_record *i) {
    const int p = precision_of(i->mnemonic);
    if (report_ptx_kind(i) & (PTX_KIND_PRODUCT | PTX_KIND_WARPGROUP_PRODUCT | PTX_KIND_TENSOR_PRODUCT))
        f->tensor += (double)i->traffic.instructions;
    if (p == PRECISIONS) return;
    if (has_operation(i->mnemonic, "add") || has_operation(i->mnemonic, "sub"))
        f->sums[p] += (double)i->traffic.threads;
    if (has_operation(i->mnemonic, "mul")) f->products[p] += (double)i->traffic.threads;
    if (has_operation(i->mnemonic, "fma") || has_operation(i->mnemonic, "mad"))
        f->fused[p] += (double)i->traffic.threads;
}

/* A GPU counts neither classes of traffic nor single instructions for haul. */
static facts facts_of(const haul_launch_record *r, const sim_machine *m) {
    facts f = {.r = r, .e = &r->estimate, .o = &r->occupancy, .m = m};
    for (int c = HAUL_CLASS_GLOBAL_LOAD; c < HAUL_CLASS_COUNT; c++) {
        if (c == HAUL_CLASS_CONSTANT_LOAD) continue;
        const haul_traffic *t = &r->classes[c];
        f.l1_sectors += (double)t->sectors;
        f.l1_hits += (double)t->hits;
        if (t->sectors) f.l1_requests += (double)t->requests;
    }
    for (size_t i = 0; i < r->instruction_count; i++)
        if (r->instructions[i].mnemonic) add_arithmetic(&f, &r->instructions[i]);
    if (r->instruction_count) return f;
    f.l1_requests = f.l1_sectors = f.l1_hits = f.tensor = NAN;
    for (int p = 0; p < PRECISIONS; p++) f.sums[p] = f.products[p] = f.fused[p] = NAN;
    return f;
}

/* ---- the table ---- */

const report_ncu_metric report_ncu_metrics[] = {
#define METRIC(section, label, name, unit, value) {name, unit, label, REPORT_NCU_##section},
#include "report/ncu/metrics.def"
#define COUNTER(id, key, ncu, unit, grade, text) {ncu ".sum", unit, NULL, REPORT_NCU_NONE},
#include <haul/counters.def>
#undef COUNTER
#define STALL(id, key, title, text) \
    {"smsp__average_warps_issue_stalled_" key "_per_issue_active.ratio", "inst", NULL, REPORT_NCU_NONE},
#include <haul/stalls.def>
#undef STALL
};
const size_t report_ncu_metric_count = sizeof report_ncu_metrics / sizeof *report_ncu_metrics;

void report_ncu_compute(const haul_launch_record *record, const sim_machine *machine, double *values) {
    const facts launch = facts_of(record, machine), *f = &launch;
    const double derived[] = {
#define METRIC(section, label, name, unit, value) value,
#include "report/ncu/metrics.def"
    };
    memcpy(values, derived, sizeof derived);
    values += sizeof derived / sizeof *derived;
    for (unsigned c = 0; c < HAUL_COUNTER_COUNT; c++) *values++ = counted(f, (haul_counter)c);
    for (int k = 0; k < HAUL_STALL_COUNT; k++) *values++ = estimated(f, ratio(f->e->stalls[k], f->e->instructions));
}

/* Nsight Compute prints neither wavefronts nor, except for L2's, requests. */
const char *report_ncu_unit(const report_ncu_metric *m) {
    const bool unnamed = strcmp(m->unit, "wavefront") == 0 ||
                         (strcmp(m->unit, "request") == 0 && strncmp(m->name, "lts__", strlen("lts__")) != 0);
    return unnamed ? "" : m->unit;
}

bool report_ncu_is_attribute(const report_ncu_metric *metric) {
    return strncmp(metric->name, "launch__", strlen("launch__")) == 0 ||
           strncmp(metric->name, "device__", strlen("device__")) == 0;
}
