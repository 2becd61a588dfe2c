#include "report/profile/advice.h"

#include "base/status.h"
#include "report/format.h"

#include <math.h>

/* The numbers that patterns are told apart by: averages over the line's worst instruction. */
typedef struct figures {
    const report_hotspot *line;
    arena *memory;
    double width;                        /* bytes a lane */
    double lanes;                        /* active lanes an instruction */
    double sectors, ideal;               /* a request */
    double ratio;                        /* sectors over ideal */
    double wavefronts, ideal_wavefronts; /* in shared memory, an instruction */
    double hit_rate;                     /* percent, of the whole line */
    double alike;                        /* instructions of the line with the same traffic */
} figures;

static figures figures_of(const report_hotspot *line, arena *memory) {
    const haul_traffic *t = &line->worst;
    double requests = (double)(t->requests ? t->requests : t->instructions);
    double instructions = (double)(t->instructions ? t->instructions : 1),
           threads = (double)(t->threads ? t->threads : 1);
    figures f = {.line = line, .memory = memory, .alike = (double)line->alike};
    f.width = (double)t->bytes / threads;
    f.lanes = (double)t->threads / instructions;
    f.sectors = (double)t->sectors / requests;
    f.ideal = (double)t->ideal_sectors / requests;
    f.ratio = t->ideal_sectors ? (double)t->sectors / (double)t->ideal_sectors : 0;
    f.wavefronts = (double)t->shared_wavefronts / instructions;
    f.ideal_wavefronts = (double)t->ideal_shared_wavefronts / instructions;
    f.hit_rate = line->traffic.sectors ? 100 * (double)line->traffic.hits / (double)line->traffic.sectors : 0;
    return f;
}

static bool near(double value, double goal) {
    return fabs(value - goal) <= 0.12 * goal;
}

static bool is_global(haul_memory_class class) {
    return class == HAUL_CLASS_GLOBAL_LOAD || class == HAUL_CLASS_GLOBAL_STORE ||
           class == HAUL_CLASS_GLOBAL_REDUCTION || class == HAUL_CLASS_GLOBAL_ATOMIC;
}

static bool is_load(haul_memory_class class) {
    return class == HAUL_CLASS_GLOBAL_LOAD;
}

/* ---- patterns: each says whether it fits ---- */

static bool wastes_sectors(const figures *f) {
    return f->ideal > 0 && f->sectors - f->ideal > 0.4 && f->ratio > 1.02;
}

/* One sector too many a request: the warp's bytes begin inside a sector. */
static bool is_misaligned(const figures *f) {
    haul_memory_class class = f->line->class;
    if (!is_global(class) && class != HAUL_CLASS_LDGSTS_ACCESS) return false;
    return wastes_sectors(f) && f->sectors - f->ideal <= 1.1 && f->lanes > 8;
}

/* What would serve a whole warp serves the few lanes that are active. */
static bool is_sparse(const figures *f) {
    return f->line->class < HAUL_CLASS_BULK_LOAD && wastes_sectors(f) && f->lanes < 28 && f->sectors <= f->width + 0.1;
}

/* 2 or 4 scalars side by side that one vector instruction could take. */
static bool is_scalar_batch(const figures *f) {
    if (!is_global(f->line->class) || !wastes_sectors(f)) return false;
    return (near(f->ratio, 2) || near(f->ratio, 4)) && fmod(f->alike, round(f->ratio)) == 0 &&
           f->width * f->ratio <= 16.5;
}

/* Once each lane has a sector to itself, nothing tells how far apart they are. */
static bool is_structures(const figures *f) {
    if (!is_global(f->line->class) || !wastes_sectors(f) || f->sectors >= 0.9 * f->lanes) return false;
    return f->alike > 1 && f->alike <= 16 && near(f->ratio, f->alike);
}

/* Each lane has a sector to itself. */
static bool is_scattered(const figures *f) {
    return is_global(f->line->class) && wastes_sectors(f) && f->sectors >= 0.9 * f->lanes && f->width <= 16.5;
}

static bool is_strided(const figures *f) {
    return is_global(f->line->class) && wastes_sectors(f);
}

static bool is_bypass_misaligned(const figures *f) {
    return f->line->class == HAUL_CLASS_LDGSTS_BYPASS && wastes_sectors(f);
}

static bool is_async_strided(const figures *f) {
    return f->line->class == HAUL_CLASS_LDGSTS_ACCESS && wastes_sectors(f);
}

static bool has_atomic_conflicts(const figures *f) {
    return f->line->class == HAUL_CLASS_SHARED_ATOMIC && f->wavefronts > 1.1 * f->ideal_wavefronts;
}

static bool has_bank_conflicts(const figures *f) {
    return f->ideal_wavefronts > 0 && f->wavefronts > 1.1 * f->ideal_wavefronts;
}

static bool is_narrow_async(const figures *f) {
    return f->line->class == HAUL_CLASS_LDGSTS_ACCESS && f->width > 0 && f->width < 15.5 && f->lanes > 16;
}

/* Lanes that look up different constants take turns. */
static bool is_serialised(const figures *f) {
    return f->line->class == HAUL_CLASS_CONSTANT_LOAD &&
           (double)f->line->worst.requests > 1.5 * (double)f->line->worst.instructions;
}

static bool is_local(const figures *f) {
    return f->line->class == HAUL_CLASS_LOCAL_LOAD || f->line->class == HAUL_CLASS_LOCAL_STORE;
}

/* One lane that stores for its warp is no waste. */
static bool is_leader(const figures *f) {
    return is_global(f->line->class) && !is_load(f->line->class) && f->lanes < 1.5;
}

/* Only lines that matter count. */
static bool has_few_lanes(const figures *f) {
    return !is_leader(f) && f->line->class < HAUL_CLASS_BULK_LOAD && f->lanes < 16.5 && f->line->share >= 20;
}

/* ---- sentences ---- */

static double wasted_sectors(const figures *f) {
    return 32 * ((double)f->line->traffic.sectors - (double)f->line->traffic.ideal_sectors);
}

static double wasted_wavefronts(const figures *f) {
    return 128 * ((double)f->line->traffic.shared_wavefronts - (double)f->line->traffic.ideal_shared_wavefronts);
}

static double wasted_requests(const figures *f) {
    return 32 * ((double)f->line->traffic.requests - (double)f->line->traffic.instructions);
}

static double wasted_nothing(const figures *f) {
    (void)f;
    return 0;
}

static double wasted_all(const figures *f) {
    return f->line->moved;
}

/* "32.00 sectors a request where 4.00 would do (87.5% of 1.00 MiB)" */
static const char *sectors_phrase(const figures *f) {
    char bytes[REPORT_NUMBER_SIZE];
    report_format(REPORT_BYTES, 32 * f->alike * (double)f->line->worst.sectors, bytes);
    return arena_printf(f->memory, "%.2f sectors a request where %.2f would do (%.1f%% of %s is not needed)",
                        f->sectors, f->ideal, 100 * (1 - 1 / f->ratio), bytes);
}

/* What L1 makes of the waste, where it is worth a word. */
static const char *back_phrase(const figures *f) {
    if (f->hit_rate < 40) return "";
    return arena_printf(f->memory, ", though L1 has %.0f%% of the line's sectors already", f->hit_rate);
}

static const char *say_misaligned(const figures *f) {
    return arena_printf(
        f->memory,
        "%s%s: a warp's bytes begin inside a 32-byte sector; begin them at a multiple of 32 bytes, better "
        "128: move the start of the array, or pad rows to a pitch of 128 bytes",
        sectors_phrase(f), back_phrase(f));
}

static const char *say_sparse(const figures *f) {
    return arena_printf(f->memory,
                        "%s: only %.1f of 32 lanes are active, and what is fetched would serve all of them; make the "
                        "condition the same for whole warps, or let all lanes load and some of them use it",
                        sectors_phrase(f), f->lanes);
}

static const char *say_scalar_batch(const figures *f) {
    double count = round(f->ratio);
    return arena_printf(
        f->memory,
        "%s: each thread %s %.0f neighbouring %.0f-byte elements one by one; one %.0f-byte vector access "
        "(such as float%.0f) does it with a %s of the requests",
        sectors_phrase(f), is_load(f->line->class) ? "reads" : "writes", count, f->width, count * f->width, count,
        count > 3 ? "quarter" : "half");
}

static const char *say_structures(const figures *f) {
    return arena_printf(
        f->memory,
        "%s: lanes lie %.0f bytes apart, as in an array of structures whose members are taken one by one; "
        "keep each member in an array of its own, or copy whole structures through shared memory",
        sectors_phrase(f), round(f->ratio) * f->width);
}

static const char *say_scattered(const figures *f) {
    return arena_printf(
        f->memory,
        "%s: nearly every lane has a sector to itself, by a stride of 32 bytes or more or by a gather; let "
        "neighbouring lanes take neighbouring elements, or move whole rows through shared memory",
        sectors_phrase(f));
}

static const char *say_strided(const figures *f) {
    if (!near(f->ratio, round(f->ratio)))
        return arena_printf(f->memory,
                            "%s%s: lanes do not lie side by side; let neighbouring lanes take neighbouring elements",
                            sectors_phrase(f), back_phrase(f));
    return arena_printf(
        f->memory,
        "%s%s: neighbouring lanes lie about %.0f bytes apart, a stride of %.0f; let neighbouring lanes take "
        "neighbouring elements, or move whole rows through shared memory",
        sectors_phrase(f), back_phrase(f), round(f->ratio) * f->width, round(f->ratio));
}

static const char *say_bypass(const figures *f) {
    return arena_printf(
        f->memory,
        "%s: source and destination do not lie alike in 32-byte sectors, and a copy around L1 then fetches "
        "sectors more than once; align both to 32 bytes, better 128, or copy through L1 (.ca)",
        sectors_phrase(f));
}

static const char *say_conflicts(const figures *f) {
    double ways = f->wavefronts / f->ideal_wavefronts;
    return arena_printf(f->memory,
                        "%.2f wavefronts an instruction where %.2f would do: lanes of a warp meet in the same banks, "
                        "%.*f ways on average; pad rows by one element ([rows][columns + 1]) or swizzle the columns",
                        f->wavefronts, f->ideal_wavefronts, near(ways, round(ways)) && ways > 1.5 ? 0 : 1, ways);
}

static const char *say_atomics(const figures *f) {
    return arena_printf(
        f->memory,
        "%.2f wavefronts an instruction where %.2f would do: lanes of a warp update different words of the "
        "same banks; spread them, for instance over a copy for each warp that is padded by one word",
        f->wavefronts, f->ideal_wavefronts);
}

static const char *say_narrow(const figures *f) {
    return arena_printf(f->memory,
                        "copies %.0f bytes a lane through L1: 16 bytes a lane take a %s of the instructions and can go "
                        "around L1",
                        f->width, f->width > 6 ? "half" : "quarter");
}

static const char *say_serialised(const figures *f) {
    const haul_traffic *t = &f->line->worst;
    return arena_printf(
        f->memory,
        "%.1f addresses a load: the constant cache answers one at a time; keep tables that lanes look up "
        "differently in shared memory, or read them with __ldg",
        (double)t->requests / (double)t->instructions);
}

static const char *say_local(const figures *f) {
    char bytes[REPORT_NUMBER_SIZE];
    report_format(REPORT_BYTES, f->line->moved, bytes);
    return arena_printf(
        f->memory,
        "%s of local memory traffic, which is as far away as global memory: an array is indexed by what "
        "the compiler does not know, or registers are spilled; make indices constants by unrolling, or "
        "use fewer registers",
        bytes);
}

static const char *say_few_lanes(const figures *f) {
    return arena_printf(f->memory,
                        "only %.1f of 32 lanes are active on average: the others wait; make the condition the same for "
                        "whole warps, or let idle lanes take other elements",
                        f->lanes);
}

/* The only list of patterns, the most telling first: a line gets the first that fits. */
static const struct {
    const char *kind;
    bool (*fits)(const figures *f);
    double (*wasted)(const figures *f);
    const char *(*say)(const figures *f);
} patterns[] = {
    {"local-memory", is_local, wasted_all, say_local},
    {"constant-serialised", is_serialised, wasted_requests, say_serialised},
    {"bypass-misaligned", is_bypass_misaligned, wasted_sectors, say_bypass},
    {"few-lanes", is_sparse, wasted_sectors, say_sparse},
    {"misaligned", is_misaligned, wasted_sectors, say_misaligned},
    {"scalar-batch", is_scalar_batch, wasted_sectors, say_scalar_batch},
    {"array-of-structures", is_structures, wasted_sectors, say_structures},
    {"scattered", is_scattered, wasted_sectors, say_scattered},
    {"strided", is_strided, wasted_sectors, say_strided},
    {"strided", is_async_strided, wasted_sectors, say_strided},
    {"atomic-conflicts", has_atomic_conflicts, wasted_wavefronts, say_atomics},
    {"bank-conflicts", has_bank_conflicts, wasted_wavefronts, say_conflicts},
    {"narrow-async-copy", is_narrow_async, wasted_nothing, say_narrow},
    {"few-lanes", has_few_lanes, wasted_nothing, say_few_lanes},
};

static bool advise_line(const report_hotspot *line, arena *memory, report_advice *advice) {
    figures f = figures_of(line, memory);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (!patterns[i].fits(&f)) continue;
        *advice = (report_advice){patterns[i].kind, line, patterns[i].wasted(&f), patterns[i].say(&f)};
        return true;
    }
    return false;
}

haul_status report_advise(const report_hotspots *lines, double share, arena *memory, report_advice **advice,
                          size_t *count) {
    *count = 0;
    *advice = ARENA_ARRAY(memory, lines->count, report_advice);
    if (!*advice) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->items[i].share < share || !advise_line(&lines->items[i], memory, &(*advice)[*count])) continue;
        if (!(*advice)[*count].text) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
        ++*count;
    }
    return HAUL_OK;
}
