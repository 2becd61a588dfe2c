#include "report/profile/launch_advice.h"

#include "base/status.h"
#include "report/format.h"

#include <math.h>

/* The numbers that decide. All come from the launch, its estimate and the machine. */
typedef struct figures {
    const haul_launch_record *record;
    const report_hotspot *line; /* with the most traffic */
    arena *memory;
    double sms, blocks;
    double wave;              /* blocks that are resident at once */
    double waves;             /* of the grid */
    double seconds;           /* of the kernel alone */
    double in_flight, needed; /* bytes of device memory's reads in flight on an SM, and those that reach its rate */
} figures;

static figures figures_of(const report_hotspots *lines, arena *memory) {
    const haul_launch_record *r = lines->record;
    const sim_machine *m = lines->machine;
    const haul_estimate *e = &r->estimate;
    figures f = {.record = r, .line = &lines->items[0], .memory = memory, .sms = m->sms};
    f.blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    f.wave = f.sms * r->occupancy.blocks_per_sm;
    f.waves = f.wave > 0 ? f.blocks / f.wave : 0;
    f.seconds = e->cycles * 1e-6 / e->sm_mhz;
    /* Little's law: bytes in flight are the rate times the latency */
    f.needed = m->memory_gbps * m->loaded_latency_ns / f.sms;
    f.in_flight = e->memory_share * f.needed;
    return f;
}

/* Launches that end as soon as they have begun cannot gain much. */
static bool is_long(const figures *f) {
    static const double LEAST = 4e-6;
    return f->seconds > LEAST;
}

/* Whether SMs stay without a block although there is work for more: each warp executes many instructions. */
static bool has_few_blocks(const figures *f) {
    return is_long(f) && f->blocks <= 0.75 * f->sms && f->record->estimate.memory_share < 0.6;
}

/* Whether threads have several elements each, which may be shared out in another way. */
static bool has_loop(const figures *f) {
    const double threads = (double)f->record->block[0] * f->record->block[1] * f->record->block[2];
    return (double)f->line->traffic.instructions > 2 * f->blocks * ceil(threads / 32);
}

/* Whether the last of a few waves of blocks leaves most of the machine idle. */
static bool has_tail(const figures *f) {
    const double full = floor(f->waves), rest = f->waves - full;
    return is_long(f) && has_loop(f) && full >= 1 && full <= 4 && rest > 0 && rest < 0.5 / full &&
           f->record->estimate.memory_share < 0.6;
}

/* Whether warps wait for device memory, which is far from busy, and nothing else is. */
static bool has_few_bytes_in_flight(const figures *f) {
    static const double MUCH = 0.5, WAITS = 0.6;
    const haul_estimate *e = &f->record->estimate;
    double sum = 0;
    for (int k = 0; k < HAUL_STALL_COUNT; k++) sum += e->stalls[k];
    const double read = fmax(0, f->record->counters[HAUL_COUNTER_DRAM_READ_SECTORS]);
    const double all = fmax(0, f->record->counters[HAUL_COUNTER_L2_READ_SECTORS]);
    return is_long(f) && f->blocks > 0.75 * f->sms && e->memory_share < MUCH && e->l2_share < MUCH &&
           e->sm_share < MUCH && e->stalls[HAUL_STALL_LONG_SCOREBOARD] > WAITS * sum && read > 0.3 * all;
}

static const char *say_few_blocks(const figures *f) {
    return arena_printf(
        f->memory,
        "%.0f block%s leave %.0f of %.0f SMs without work; launch %.0f blocks or a multiple, each with its "
        "part of the elements",
        f->blocks, f->blocks > 1 ? "s" : "", f->sms - f->blocks, f->sms, f->sms);
}

static const char *say_tail(const figures *f) {
    const double last = f->blocks - floor(f->waves) * f->wave;
    return arena_printf(f->memory,
                        "%.0f blocks are resident at once, and after %.0f such wave%s the last one has only %.0f of "
                        "them; launch %.0f blocks that loop over the elements with the grid's stride, or make blocks "
                        "smaller",
                        f->wave, floor(f->waves), f->waves >= 2 ? "s" : "", last, f->wave);
}

static const char *say_few_bytes(const figures *f) {
    char have[REPORT_NUMBER_SIZE], want[REPORT_NUMBER_SIZE];
    return arena_printf(
        f->memory,
        "about %s of reads are in flight on an SM, and device memory's rate takes %s: warps wait for it, and it is "
        "busy for "
        "%.0f%%; have each thread issue several loads before it uses the first (unroll the loop, 16 bytes a load), "
        "run more warps an SM, or copy ahead with asynchronous copies",
        report_format(REPORT_BYTES, f->in_flight, have), report_format(REPORT_BYTES, f->needed, want),
        100 * f->record->estimate.memory_share);
}

/* The only list of kinds: a launch gets the first that applies. */
static const struct {
    const char *kind;
    bool (*fits)(const figures *f);
    const char *(*say)(const figures *f);
} kinds[] = {
    {"few-blocks", has_few_blocks, say_few_blocks},
    {"tail", has_tail, say_tail},
    {"few-bytes-in-flight", has_few_bytes_in_flight, say_few_bytes},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *report_launch_advice_kind(size_t index) {
    return index < KINDS ? kinds[index].kind : NULL;
}

haul_status report_advise_launch(const report_hotspots *lines, arena *memory, report_advice *advice, size_t *count) {
    if (!lines->machine || !lines->count || lines->record->estimate.cycles <= 0) return HAUL_OK;
    const figures f = figures_of(lines, memory);
    for (size_t i = 0; i < KINDS; i++) {
        if (!kinds[i].fits(&f)) continue;
        report_advice *a = &advice[(*count)++];
        *a = (report_advice){kinds[i].kind, &lines->items[0], true, 0, kinds[i].say(&f)};
        return a->text ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    }
    return HAUL_OK;
}
