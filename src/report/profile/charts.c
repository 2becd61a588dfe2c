#include "report/profile/charts.h"

#include "machine/occupancy.h"
#include "report/profile/memory_tables.h"

#include <math.h>

enum { SECTOR = 32, WAVEFRONT = 128, SCHEDULERS = 4 };

static report_chart *add_chart(report_section *s, const char *name, const char *title, report_chart_kind kind,
                               report_axis x, report_axis y) {
    report_chart *c = report_add_chart(s, name, title, kind, x, y);
    if (c) c->small = true;
    return c;
}

/* ---- roofline ---- */

/* A level of memory: its rate, and the sectors that the launch moves there. */
typedef struct level {
    const char *roof, *launch;
    double rate; /* billions of sectors a second */
    double sectors;
} level;
enum { LEVELS = 3 };

static double counted(const haul_launch_record *r, haul_counter which) {
    return fmax(0, r->counters[which]);
}

static double l2_sectors(const haul_launch_record *r) {
    return counted(r, HAUL_COUNTER_L2_READ_SECTORS) + counted(r, HAUL_COUNTER_L2_WRITE_SECTORS) +
           counted(r, HAUL_COUNTER_L2_RED_SECTORS) + counted(r, HAUL_COUNTER_L2_ATOM_SECTORS);
}

/* Sectors through L1 and, in units of a sector, wavefronts of shared memory. */
static double l1_sectors(const haul_launch_record *r) {
    double sum = 0;
    for (int class = HAUL_CLASS_GLOBAL_LOAD; class < HAUL_CLASS_COUNT; class ++)
        sum += (double)r->classes[class].sectors + (double)r->classes[class].shared_wavefronts * (WAVEFRONT / SECTOR);
    return sum;
}

static void find_levels(const haul_launch_record *r, const sim_machine *m, level levels[LEVELS]) {
    const haul_estimate *e = &r->estimate;
    levels[0] = (level){"Device memory", "this launch, device memory", e->memory_gbps / SECTOR,
                        counted(r, HAUL_COUNTER_DRAM_READ_SECTORS) + counted(r, HAUL_COUNTER_DRAM_WRITE_SECTORS)};
    levels[1] = (level){"L2", "this launch, L2", m->l2_gbps / SECTOR, l2_sectors(r)};
    levels[2] = (level){"L1 and shared memory", "this launch, L1 and shared memory",
                        m->sms * e->sm_mhz * 1e-3 * WAVEFRONT / SECTOR, l1_sectors(r)};
}

/* A roof: the level's rate, up to the issue rate of the schedulers. */
static void add_roof(report_chart *c, const level *l, double peak, double low, double high) {
    report_series *roof = report_add_series(c, l->roof, REPORT_DASHED);
    const double ridge = peak / l->rate;
    report_add_point(roof, low, fmin(peak, low * l->rate));
    if (ridge > low && ridge < high) report_add_point(roof, ridge, peak);
    report_add_point(roof, high, fmin(peak, high * l->rate));
}

void report_add_roofline(report_section *s, const haul_launch_record *r, const sim_machine *m) {
    const haul_estimate *e = &r->estimate;
    level levels[LEVELS];
    if (!m || e->cycles <= 0 || e->instructions <= 0) return;
    find_levels(r, m, levels);
    const double peak = m->sms * SCHEDULERS * e->sm_mhz * 1e-3,
                 reached = e->instructions * e->sm_mhz * 1e-3 / e->cycles;
    double low = peak / levels[2].rate, high = peak / levels[0].rate;
    for (int i = 0; i < LEVELS; i++) {
        if (levels[i].sectors <= 0) continue;
        low = fmin(low, e->instructions / levels[i].sectors);
        high = fmax(high, e->instructions / levels[i].sectors);
    }
    report_chart *c = add_chart(s, "roofline", "Roofline", REPORT_LINES,
                                (report_axis){"warp instructions a sector", REPORT_LOG2, REPORT_RATIO},
                                (report_axis){"billion warp instructions a second", REPORT_LOG2, REPORT_RATIO});
    for (int i = 0; i < LEVELS; i++) add_roof(c, &levels[i], peak, low / 2, high * 2);
    for (size_t i = 0; i < LEVELS; i++) {
        if (levels[i].sectors <= 0) continue;
        report_series *launch = report_add_series(c, levels[i].launch, REPORT_SOLID);
        if (launch) launch->colour = i;
        report_add_point(launch, e->instructions / levels[i].sectors, reached);
    }
}

/* ---- warp states ---- */

void report_add_state_chart(report_section *s, const haul_launch_record *r) {
    static const double LEAST = 0.005; /* smallest share that is shown */
    const haul_estimate *e = &r->estimate;
    haul_stall order[HAUL_STALL_COUNT];
    double sum = 0;
    for (int k = 0; k < HAUL_STALL_COUNT; k++) sum += e->stalls[k];
    if (e->cycles <= 0 || sum <= 0) return;
    report_chart *c =
        add_chart(s, "warp_states", "Warp states", REPORT_BARS, (report_axis){NULL, REPORT_LINEAR, REPORT_COUNT},
                  (report_axis){"of the cycles in which warps are resident", REPORT_LINEAR, REPORT_PERCENT});
    report_series *bars = report_add_series(c, "share", REPORT_SOLID);
    report_sort_stalls(e, order);
    for (int k = 0; k < HAUL_STALL_COUNT && e->stalls[order[k]] >= LEAST * sum; k++) {
        report_add_category(c, "%s", haul_stalls[order[k]].title);
        report_add_point(bars, k, 100 * e->stalls[order[k]] / sum);
    }
}

/* ---- occupancy ---- */

/* The values that decide occupancy; a curve changes one of them. */
typedef struct demand {
    uint32_t threads, registers;
    uint64_t shared; /* without the system's part */
} demand;

static double warps_of(const sim_machine *m, const demand *d) {
    haul_occupancy o;
    sim_occupancy_of(m, d->registers, d->threads, d->shared, &o);
    return o.warps_per_sm;
}

typedef struct curve {
    const char *name, *title;
    report_axis x;
    uint64_t first, last, step;
    size_t member; /* of demand, 0 to 2 */
} curve;

static void set_member(demand *d, size_t member, uint64_t value) {
    if (member == 0) d->threads = (uint32_t)value;
    if (member == 1) d->registers = (uint32_t)value;
    if (member == 2) d->shared = value;
}

static void add_curve(report_section *s, const sim_machine *m, const curve *k, const demand *now, uint64_t value) {
    report_chart *c =
        add_chart(s, k->name, k->title, REPORT_LINES, k->x, (report_axis){"warps an SM", REPORT_LINEAR, REPORT_COUNT});
    report_series *all = report_add_series(c, "warps an SM", REPORT_SOLID),
                  *here = report_add_series(c, "this launch", REPORT_SOLID);
    double before = -1;
    for (uint64_t x = k->first; x <= k->last; x += k->step) {
        demand d = *now;
        set_member(&d, k->member, x);
        const double warps = warps_of(m, &d);
        if (before >= 0 && warps != before && k->member) report_add_point(all, (double)(x - k->step), before);
        if (warps != before || x + k->step > k->last) report_add_point(all, (double)x, warps);
        before = warps;
    }
    report_add_point(here, (double)value, warps_of(m, now));
}

void report_add_occupancy_curves(report_section *s, const haul_launch_record *r, const sim_machine *m) {
    const haul_occupancy *o = &r->occupancy;
    if (!m || !o->max_warps_per_sm || o->shared_per_block < m->shared_reserved) return;
    const demand now = {.threads = r->block[0] * r->block[1] * r->block[2],
                        .registers = o->registers_per_thread,
                        .shared = o->shared_per_block - m->shared_reserved};
    const curve threads = {"occupancy_threads",
                           "Occupancy by threads a block",
                           {"threads a block", REPORT_LINEAR, REPORT_COUNT},
                           32,
                           m->max_threads_per_block,
                           32,
                           0};
    const curve registers = {"occupancy_registers",
                             "Occupancy by registers a thread",
                             {"registers a thread", REPORT_LINEAR, REPORT_COUNT},
                             8,
                             m->max_registers_per_thread,
                             1,
                             1};
    const curve shared = {"occupancy_shared",
                          "Occupancy by shared memory a block",
                          {"shared memory a block", REPORT_LINEAR, REPORT_BYTES},
                          0,
                          m->shared_per_block_optin,
                          1024,
                          2};
    add_curve(s, m, &threads, &now, now.threads);
    add_curve(s, m, &registers, &now, now.registers);
    add_curve(s, m, &shared, &now, now.shared);
}
