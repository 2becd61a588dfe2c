/* Advice for source lines: recognises patterns in the lanes' addresses and says how to change them.
 *
 * Each line is judged by its worst instruction: by averages of its traffic, and by samples of its accesses, which show
 * strides, rows and conflicts (lanes.h). A pattern is a row of the table `kinds`: whether it applies, how much traffic
 * it wastes, and the sentence. Thresholds are such that random scatter is not taken for a pattern. Layouts are tried
 * out on the samples before they are advised, so that their effect can be stated. */
#include "report/profile/advice.h"

#include "base/status.h"
#include "report/format.h"
#include "report/mnemonic.h"
#include "report/profile/lanes.h"

#include <math.h>
#include <stdlib.h>

/* The numbers that distinguish patterns: averages over the line's worst instruction. */
typedef struct figures {
    const report_hotspot *line;
    const report_hotspots *lines;
    arena *memory;
    double width;                        /* bytes a lane */
    double lanes;                        /* active lanes an instruction */
    double warp;                         /* threads of the launch in a warp */
    double sectors, ideal;               /* a request */
    double ratio;                        /* sectors over ideal */
    double wavefronts, ideal_wavefronts; /* in shared memory, an instruction */
    double hit_rate;                     /* percent, of the whole line */
    const haul_access *samples;          /* samples of its accesses */
    size_t sample_count;
    report_places places; /* places of the samples */
} figures;

static double volume(const uint32_t extent[3]) {
    return (double)extent[0] * extent[1] * extent[2];
}

/* Whole warps; the last one may have fewer threads. */
static double warps_a_block(const haul_launch_record *r) {
    return ceil(volume(r->block) / 32);
}

/* Averages over the line's worst instruction; the hit rate is the whole line's. */
static figures figures_of(const report_hotspots *lines, const report_hotspot *line, arena *memory) {
    const haul_traffic *t = &line->worst;
    const haul_instruction_record *worst = line->instructions[0];
    double requests = (double)(t->requests ? t->requests : t->instructions);
    double instructions = (double)(t->instructions ? t->instructions : 1),
           threads = (double)(t->threads ? t->threads : 1);
    figures f = {.lines = lines, .line = line, .memory = memory};
    f.width = (double)t->bytes / threads;
    f.lanes = (double)t->threads / instructions;
    f.warp = volume(lines->record->block) / warps_a_block(lines->record);
    f.sectors = (double)t->sectors / requests;
    f.ideal = (double)t->ideal_sectors / requests;
    f.ratio = t->ideal_sectors ? (double)t->sectors / (double)t->ideal_sectors : 0;
    f.wavefronts = (double)t->shared_wavefronts / instructions;
    f.ideal_wavefronts = (double)t->ideal_shared_wavefronts / instructions;
    f.hit_rate = line->traffic.sectors ? 100 * (double)line->traffic.hits / (double)line->traffic.sectors : 0;
    f.samples = worst->samples;
    f.sample_count = worst->sample_count;
    f.places = report_places_of(f.samples, f.sample_count);
    return f;
}

/* ---- classes ---- */

static bool is_load(const figures *f) {
    return f->line->class == HAUL_CLASS_GLOBAL_LOAD;
}

static bool is_global_atomic(const figures *f) {
    return f->line->class == HAUL_CLASS_GLOBAL_ATOMIC || f->line->class == HAUL_CLASS_GLOBAL_REDUCTION;
}

static bool is_shared_atomic(const figures *f) {
    return f->line->class == HAUL_CLASS_SHARED_ATOMIC;
}

/* cp.async with .cg copies around L1. */
static bool is_around_l1(const figures *f) {
    return f->line->class == HAUL_CLASS_LDGSTS_BYPASS;
}

static bool is_copy(const figures *f) {
    return f->line->class == HAUL_CLASS_LDGSTS_ACCESS || is_around_l1(f);
}

static bool reaches_global(const figures *f) {
    return is_load(f) || f->line->class == HAUL_CLASS_GLOBAL_STORE || is_global_atomic(f) || is_copy(f);
}

/* How the banks serve the access. */
static report_banked banked_as(const figures *f) {
    if (is_shared_atomic(f)) return REPORT_BANKED_ATOMIC;
    return f->line->class == HAUL_CLASS_SHARED_LOAD ? REPORT_BANKED_LOAD : REPORT_BANKED_STORE;
}

/* ---- patterns: each returns whether it applies ---- */

/* Differences below half a sector a request are not worth a sentence. */
static bool wastes_sectors(const figures *f) {
    return f->ideal > 0 && f->sectors - f->ideal > 0.4 && f->ratio > 1.02;
}

static bool wastes_wavefronts(const figures *f) {
    return f->ideal_wavefronts > 0 && f->wavefronts > 1.1 * f->ideal_wavefronts;
}

/* Sectors of the lanes of a sample. */
static double touched(const figures *f) {
    return f->sample_count ? f->places.sectors / f->places.samples : 0;
}

/* Whether sectors are wasted by the lanes' places, rather than by a copy around L1 that fetches some twice. */
static bool wastes_by_places(const figures *f) {
    if (!reaches_global(f) || !wastes_sectors(f) || f->places.sectors <= 1.02 * f->places.ideal) return false;
    return !is_around_l1(f) || f->sectors - touched(f) < touched(f) - f->ideal;
}

/* Whether the waste disappears if each run of bytes begins at a sector. */
static bool is_misaligned(const figures *f) {
    const report_places *p = &f->places;
    return wastes_by_places(f) && p->sectors - p->aligned > p->aligned - p->ideal;
}

/* Whether few lanes are active, but the request could serve a whole warp. */
static bool has_gaps(const figures *f) {
    return wastes_by_places(f) && f->places.side_by_side && !is_global_atomic(f);
}

/* Lanes at a common distance other than their own width. */
static bool is_strided(const figures *f) {
    return wastes_by_places(f) && f->places.stride != 0 && llabs(f->places.stride) != (int64_t)f->samples[0].bytes;
}

/* Counts instructions that access other members of the same structures. */
static size_t members(const figures *f, bool *dense) {
    const size_t count = f->line->alike < REPORT_MOST_ALIKE ? f->line->alike : REPORT_MOST_ALIKE;
    return report_members_of(f->line->instructions, count, llabs(f->places.stride), dense);
}

/* Whether they fill 8 or 16 bytes that one vector instruction could move. */
static bool is_scalar_batch(const figures *f) {
    bool dense;
    if (!is_strided(f) || is_copy(f) || is_global_atomic(f)) return false;
    return (f->places.stride == 8 || f->places.stride == 16) && members(f, &dense) > 1 && dense;
}

enum { LARGEST_STRUCTURE = 64 };

/* Larger distances are rows rather than structures. */
static bool is_structures(const figures *f) {
    bool dense;
    return is_strided(f) && llabs(f->places.stride) <= LARGEST_STRUCTURE && members(f, &dense) > 1;
}

/* Whether several adjacent lanes are followed by a gap. */
static bool has_short_rows(const figures *f) {
    return wastes_by_places(f) && !f->places.side_by_side && f->places.rows_alike &&
           f->places.distinct > 1.5 * f->places.rows;
}

/* The last pattern of loads and stores that waste sectors: none of the others fits. */
static bool is_scattered(const figures *f) {
    return wastes_by_places(f) && !is_global_atomic(f);
}

/* Whether values may be combined before they are written: not for a lock or a hash table. */
static bool combines(const figures *f) {
    switch (report_ptx_modifier(f->line->instructions[0], PTX_SLOT_ATOMIC)) {
    case PTX_MOD_ATOM_ADD:
    case PTX_MOD_ATOM_MIN:
    case PTX_MOD_ATOM_MAX:
    case PTX_MOD_ATOM_AND:
    case PTX_MOD_ATOM_OR:
    case PTX_MOD_ATOM_XOR: return true;
    default: return false;
    }
}

static bool is_atomic_scattered(const figures *f) {
    return wastes_by_places(f) && is_global_atomic(f) && combines(f) && !f->places.side_by_side;
}

/* Whether lanes name the same words. In shared memory they take turns if the atomic is a loop of a load and a
 * compare-and-swap. */
static bool takes_turns(const figures *f) {
    const report_places *p = &f->places;
    if (!combines(f)) return false;
    if (is_shared_atomic(f)) return f->ideal_wavefronts > 2.2 && report_shares_words(f->samples, f->sample_count);
    return is_global_atomic(f) && p->distinct < 0.75 * p->lanes && f->sectors > 1.5 * touched(f);
}

static bool is_bypass_misaligned(const figures *f) {
    return is_around_l1(f) && wastes_sectors(f) && f->sample_count;
}

/* The widest accesses to shared memory, which a padding must keep aligned. */
static uint32_t widest_unit(const haul_launch_record *r) {
    double widest = 4;
    for (size_t i = 0; i < r->instruction_count; i++) {
        const haul_instruction_record *x = &r->instructions[i];
        const haul_memory_class class = x->memory_class;
        if (!x->traffic.threads || class < HAUL_CLASS_SHARED_LOAD || class > HAUL_CLASS_BULK_STORE) continue;
        const double width = (double)x->traffic.bytes / (double)x->traffic.threads;
        if (class != HAUL_CLASS_SHARED_ATOMIC && width > widest) widest = width;
    }
    return widest > 8 ? 16 : widest > 4 ? 8 : 4;
}

/* A bank has words of 4 bytes. */
static uint32_t own_unit(const figures *f) {
    return f->sample_count && f->samples[0].bytes > 4 ? f->samples[0].bytes : 4;
}

/* A padding must be a multiple of this, so that the widest accesses stay aligned. */
static uint32_t kept_unit(const figures *f) {
    const uint32_t own = own_unit(f), widest = widest_unit(f->lines->record);
    return own > widest ? own : widest;
}

/* Whether copies around L1 or bulk copies write whole lines, which padding would split. */
static bool has_line_copies(const haul_launch_record *r) {
    return r->classes[HAUL_CLASS_LDGSTS_BYPASS].instructions || r->classes[HAUL_CLASS_BULK_LOAD].instructions;
}

static bool finds_padding(const figures *f, uint32_t unit, report_layout *layout) {
    return report_find_padding(f->samples, f->sample_count, banked_as(f), unit, layout);
}

/* Finds a padding that keeps the launch's other accesses to shared memory as good as they are. */
static bool finds_layout(const figures *f, report_layout *layout) {
    if (has_line_copies(f->lines->record))
        return report_find_swizzle(f->samples, f->sample_count, banked_as(f), kept_unit(f), layout);
    return finds_padding(f, kept_unit(f), layout);
}

/* Whether reading the sources takes more wavefronts than writing the destinations. */
static bool is_source_limited(const figures *f) {
    return report_source_wavefronts_of(f->samples, f->sample_count) >
           report_wavefronts_of(f->samples, f->sample_count, REPORT_BANKED_STORE);
}

/* Whether copies do not fill the lines that they read or write. Lanes without a source also count, but are not the
 * cause. */
static bool splits_lines(const figures *f) {
    if (!is_copy(f) || !f->sample_count || !wastes_wavefronts(f)) return false;
    const double split = report_split_wavefronts_of(f->samples, f->sample_count);
    return is_around_l1(f) ? split > 1.1 * report_passes_of(f->samples, f->sample_count) : is_source_limited(f);
}

/* Only if a layout or copies of the table would help. */
static bool has_atomic_conflicts(const figures *f) {
    report_layout layout;
    if (!is_shared_atomic(f) || !wastes_wavefronts(f)) return false;
    return finds_layout(f, &layout) || report_find_copies(f->samples, f->sample_count, REPORT_BANKED_ATOMIC, &layout);
}

/* Only if a layout would help: conflicts of data-dependent addresses have no cure. */
static bool has_bank_conflicts(const figures *f) {
    report_layout layout;
    return wastes_wavefronts(f) && !is_around_l1(f) && !is_shared_atomic(f) && finds_layout(f, &layout);
}

/* Lookups in no order, for which copies of the table would help. */
static bool has_table_conflicts(const figures *f) {
    report_layout layout;
    return wastes_wavefronts(f) && f->line->class == HAUL_CLASS_SHARED_LOAD &&
           report_looks_up(f->samples, f->sample_count, REPORT_BANKED_LOAD) &&
           report_find_copies(f->samples, f->sample_count, REPORT_BANKED_LOAD, &layout);
}

static bool is_narrow_copy(const figures *f) {
    return f->line->class == HAUL_CLASS_LDGSTS_ACCESS && f->width > 0 && f->width < 15.5 && f->lanes > 16 &&
           report_could_be_wide(f->samples, f->sample_count);
}

/* Whether lanes look up different constants, so that they take turns. */
static bool is_serialised(const figures *f) {
    return f->line->class == HAUL_CLASS_CONSTANT_LOAD && f->places.distinct > 1.5 * f->places.samples &&
           (double)f->line->worst.requests > 1.5 * (double)f->line->worst.instructions;
}

static bool is_local(const figures *f) {
    return f->line->class == HAUL_CLASS_LOCAL_LOAD || f->line->class == HAUL_CLASS_LOCAL_STORE;
}

/* Only lines with many threads matter. With atomics one lane may act for others. */
static bool could_use_lanes(const figures *f) {
    return f->line->class < HAUL_CLASS_BULK_LOAD && !is_shared_atomic(f) && !is_global_atomic(f) &&
           f->line->share >= 20;
}

/* Whether the launch has no more threads in a warp. */
static bool has_partial_warps(const figures *f) {
    return could_use_lanes(f) && f->warp < 28 && f->lanes > 0.9 * f->warp && (!wastes_by_places(f) || is_misaligned(f));
}

/* Whether warps execute the line repeatedly; once each does not matter. */
static bool is_in_loop(const figures *f) {
    const haul_launch_record *r = f->lines->record;
    return (double)f->line->traffic.instructions > 2 * volume(r->grid) * warps_a_block(r);
}

/* Whether the access synchronises threads. */
static bool is_strong(const figures *f) {
    const unsigned order = report_ptx_modifier(f->line->instructions[0], PTX_SLOT_ORDER);
    return order != 0 && order != PTX_MOD_WEAK;
}

static bool is_one_lane(const figures *f) {
    return could_use_lanes(f) && f->lanes < 1.5 && is_in_loop(f) && !is_strong(f);
}

static bool has_few_lanes(const figures *f) {
    const bool idle = f->lanes >= 1.5 && f->lanes < 16.5 && f->lanes < 0.9 * f->warp;
    return has_gaps(f) || (could_use_lanes(f) && idle && is_in_loop(f));
}

/* Whether warps fill their sectors with 1 or 2 bytes a lane, so that wider accesses would need fewer requests. Lanes
 * that share places take as few sectors, but their sectors are found in L1. */
static bool is_narrow(const figures *f) {
    const haul_traffic *t = &f->line->traffic;
    const bool streams = is_load(f) ? 2 * t->hits < t->sectors : f->line->class == HAUL_CLASS_GLOBAL_STORE;
    return streams && could_use_lanes(f) && f->width > 0 && f->width < 2.5 && f->lanes > 28 && !wastes_sectors(f) &&
           f->sectors > 0.9 * f->width && is_in_loop(f) && !is_strong(f);
}

/* ---- waste ---- */

/* Wasted traffic is in bytes: 32 a sector, 128 a wavefront, and 32 a request. */
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

static double wasted_turns(const figures *f) {
    if (is_shared_atomic(f)) return f->line->moved * (1 - 2 / f->wavefronts);
    return f->line->moved * (1 - touched(f) / f->sectors);
}

/* ---- sentences ---- */

/* "32.00 sectors a request where 4.00 would do (87.5% of 1.00 MiB)" */
static const char *sectors_phrase(const figures *f) {
    char bytes[REPORT_NUMBER_SIZE];
    report_format(REPORT_BYTES, 32 * (double)f->line->alike * (double)f->line->worst.sectors, bytes);
    return arena_printf(f->memory, "%.2f sectors a request where %.2f would do (%.1f%% of %s is not needed)",
                        f->sectors, f->ideal, 100 * (1 - 1 / f->ratio), bytes);
}

/* Says how much of the waste L1 absorbs, if it matters. */
static const char *back_phrase(const figures *f) {
    if (f->hit_rate < 40) return "";
    return arena_printf(f->memory, ", though L1 has %.0f%% of the line's sectors already", f->hit_rate);
}

static const char *wavefronts_phrase(const figures *f) {
    return arena_printf(f->memory, "%.2f wavefronts an instruction where %.2f would do", f->wavefronts,
                        f->ideal_wavefronts);
}

static const char *say_misaligned(const figures *f) {
    const char *cure = f->places.runs > 1.5 * f->places.samples
                           ? "each row of a warp's bytes begins inside a 32-byte sector; pad rows to a pitch of a "
                             "multiple of 32 bytes, better 128"
                           : "a warp's bytes begin inside a 32-byte sector; start them at a multiple of 32 bytes, "
                             "better 128: move the start of the array, or pad rows to a pitch of 128 bytes";
    const char *neighbours = is_load(f) ? "; for elements next to a thread's own, load an aligned tile into shared "
                                          "memory once"
                                        : "";
    return arena_printf(f->memory, "%s%s: %s%s", sectors_phrase(f), back_phrase(f), cure, neighbours);
}

static const char *say_gaps(const figures *f) {
    return arena_printf(f->memory, "%s: only %.1f of 32 lanes are active, and the data %s would serve all of them; %s",
                        sectors_phrase(f), f->lanes, is_load(f) || is_copy(f) ? "fetched" : "sent",
                        is_load(f) || is_copy(f)
                            ? "make the condition the same for whole warps, or have all lanes load and some of them "
                              "use it"
                            : "make the condition the same for whole warps, or make the lanes' values adjacent");
}

static const char *say_few_lanes(const figures *f) {
    if (has_gaps(f)) return say_gaps(f);
    return arena_printf(f->memory,
                        "only %.1f of 32 lanes are active on average: the others wait at a branch or have left a "
                        "loop; make the condition the same for whole warps, or give idle lanes other elements",
                        f->lanes);
}

static const char *say_partial_warps(const figures *f) {
    const double threads = volume(f->lines->record->block);
    return arena_printf(
        f->memory,
        "blocks of %.0f thread%s leave %.0f of a warp's 32 lanes without a thread%s; launch blocks of a "
        "multiple of 32 threads, and give each thread its part of the elements",
        threads, threads > 1 ? "s" : "", 32 - f->warp, warps_a_block(f->lines->record) > 1 ? ", on average" : "");
}

static const char *say_one_lane(const figures *f) {
    return arena_printf(
        f->memory, "one lane goes through a loop while the 31 others of its warp wait; divide the iterations among "
                   "the lanes if they do not depend on each other");
}

static const char *say_scalar_batch(const figures *f) {
    const double cell = (double)f->places.stride, count = cell / f->width;
    return arena_printf(f->memory,
                        "%s: each thread %s %.0f adjacent %.0f-byte elements one by one; one %.0f-byte vector access "
                        "does it with a %s of the requests",
                        sectors_phrase(f), is_load(f) ? "reads" : "writes", count, f->width, cell,
                        count > 4   ? "fraction"
                        : count > 2 ? "quarter"
                                    : "half");
}

static const char *say_structures(const figures *f) {
    return arena_printf(
        f->memory,
        "%s: lanes lie %lld bytes apart, as in an array of structures whose members are taken one by one; "
        "keep each member in its own array, or copy whole structures through shared memory",
        sectors_phrase(f), llabs(f->places.stride));
}

static const char *say_strided(const figures *f) {
    return arena_printf(f->memory,
                        "%s%s: lanes lie %lld bytes apart; have adjacent lanes access adjacent elements, or move "
                        "whole rows through shared memory",
                        sectors_phrase(f), back_phrase(f), llabs(f->places.stride));
}

static const char *say_short_rows(const figures *f) {
    return arena_printf(
        f->memory,
        "%s%s: a warp's bytes lie in rows of about %.0f bytes; have more adjacent lanes access one row, "
        "whole sectors of 32 bytes each",
        sectors_phrase(f), back_phrase(f), f->places.distinct / f->places.rows * f->samples[0].bytes);
}

static const char *say_scattered(const figures *f) {
    return arena_printf(
        f->memory,
        "%s%s: lanes' addresses are scattered, with no common stride; have adjacent lanes access adjacent "
        "elements: if they come from indices, sort or group these",
        sectors_phrase(f), back_phrase(f));
}

static const char *say_atomic_scattered(const figures *f) {
    return arena_printf(f->memory,
                        "%s: lanes update scattered words; update a copy for each block in shared memory, if "
                        "the words fit, and add it to global memory at the end, adjacent lanes to adjacent "
                        "words",
                        sectors_phrase(f));
}

static const char *say_turns(const figures *f) {
    static const char cure[] = "sum up within the warp first (shuffles, or __match_any_sync if lanes name several "
                               "words), and have one lane update each word";
    if (is_shared_atomic(f))
        return arena_printf(
            f->memory,
            "%.2f wavefronts an instruction where 2.00 would do: this atomic is a loop of a load and a "
            "compare-and-swap in shared memory, and lanes of a warp that name the same word take turns; %s",
            f->wavefronts, cure);
    return arena_printf(
        f->memory,
        "%.2f sectors a request where %.2f would do: lanes of a warp that name the same word take turns, "
        "each an access of its own; %s",
        f->sectors, touched(f), cure);
}

static const char *say_bypass(const figures *f) {
    return arena_printf(
        f->memory,
        "%s: source and destination have different offsets in 32-byte sectors, so a copy around L1 fetches "
        "sectors more than once; align both to 32 bytes, better 128, or copy through L1 (.ca)",
        sectors_phrase(f));
}

/* The remaining conflicts, if any. */
static const char *left_phrase(const figures *f, const report_layout *layout) {
    const double passes = is_shared_atomic(f) ? (double)f->sample_count : report_passes_of(f->samples, f->sample_count);
    if (layout->wavefronts <= 1.05 * passes) return "";
    return arena_printf(f->memory, " (which leaves about %.1f)", layout->wavefronts / (double)f->sample_count);
}

/* "; or pad them by 4 bytes where no access of 16 bytes reaches them", if that is better. */
static const char *narrow_phrase(const figures *f, const report_layout *kept) {
    report_layout own;
    if (kept_unit(f) == own_unit(f) || !finds_padding(f, own_unit(f), &own) || own.wavefronts >= kept->wavefronts)
        return "";
    return arena_printf(f->memory, "; or pad them by %u bytes%s where no access of %u bytes reaches them", own.padding,
                        left_phrase(f, &own), kept_unit(f));
}

/* "pad rows of 128 bytes by 4 bytes" */
static const char *layout_phrase(const figures *f) {
    report_layout kept;
    const uint32_t unit = kept_unit(f);
    finds_layout(f, &kept);
    if (kept.units)
        return arena_printf(f->memory,
                            "swizzle rows of %u bytes in units of %u (unit ^ row %% %u)%s, so that asynchronous copies "
                            "still write whole lines%s",
                            kept.pitch, unit, kept.units, left_phrase(f, &kept), narrow_phrase(f, &kept));
    return arena_printf(f->memory, "pad rows of %u bytes by %u bytes%s%s%s", kept.pitch, kept.padding,
                        unit > 4 ? arena_printf(f->memory, ", so that accesses of %u bytes stay aligned", unit) : "",
                        left_phrase(f, &kept), narrow_phrase(f, &kept));
}

static const char *say_conflicts(const figures *f) {
    const double ways = f->wavefronts / f->ideal_wavefronts, whole = round(ways);
    return arena_printf(f->memory, "%s: lanes of a warp conflict in the same banks, %.*f-way on average; %s",
                        wavefronts_phrase(f), fabs(ways - whole) < 0.12 * whole && ways > 1.5 ? 0 : 1, ways,
                        layout_phrase(f));
}

/* "keep 32 copies, interleaved by lane (bins[i * 32 + lane % 32]; 16 copies leave about 2.0 wavefronts)" */
static const char *copies_phrase(const figures *f, const char *name) {
    const char *fewer = "";
    report_layout all, half;
    report_find_copies(f->samples, f->sample_count, banked_as(f), &all);
    half = report_try_copies(f->samples, f->sample_count, banked_as(f), all.copies / 2);
    const double left = half.wavefronts / (double)f->sample_count;
    if (left < 0.75 * f->wavefronts)
        fewer = arena_printf(f->memory, "; %u copies leave about %.1f wavefronts", half.copies, left);
    return arena_printf(f->memory, "keep %u copies, interleaved by lane (%s[i * %u + lane %% %u]%s)", all.copies, name,
                        all.copies, all.copies, fewer);
}

static const char *say_table(const figures *f) {
    return arena_printf(
        f->memory,
        "%s: lanes of a warp read different words of the same banks, in no order; if it is a table, %s; if "
        "each thread has its own array, interleave these by thread",
        wavefronts_phrase(f), copies_phrase(f, "table"));
}

static const char *say_atomics(const figures *f) {
    report_layout layout;
    if (finds_layout(f, &layout))
        return arena_printf(f->memory, "%s: lanes of a warp update different words of the same banks; %s",
                            wavefronts_phrase(f), layout_phrase(f));
    return arena_printf(f->memory,
                        "%s: lanes of a warp update different words of the same banks; %s, and add them up at the end",
                        wavefronts_phrase(f), copies_phrase(f, "bins"));
}

static const char *say_lines(const figures *f) {
    return arena_printf(f->memory,
                        "%s: %s; have adjacent lanes copy whole lines of 128 bytes that begin at a multiple of 128 "
                        "on both sides",
                        wavefronts_phrase(f),
                        is_around_l1(f)
                            ? "a copy around L1 takes a wavefront and a request to L2 for each pair of lines "
                              "that it moves bytes between"
                            : "sources in different lines conflict in the same banks of L1");
}

static const char *say_narrow(const figures *f) {
    return arena_printf(f->memory,
                        "copies %.0f bytes a lane through L1: 16 bytes a lane take a %s of the instructions and can go "
                        "around L1",
                        f->width, f->width > 6 ? "half" : "quarter");
}

static const char *say_narrow_access(const figures *f) {
    const double wide = f->width < 1.5 ? 4 : 2;
    return arena_printf(f->memory,
                        "%.0f byte%s a lane: a request of a warp %s %.0f bytes where 128 would do; have each thread %s "
                        "%.0f adjacent elements at once, as %s, for a %s of the requests",
                        f->width, f->width > 1.5 ? "s" : "", is_load(f) ? "fetches" : "sends", 32 * f->width,
                        is_load(f) ? "load" : "store", wide, f->width < 1.5 ? "uchar4" : "ushort2 or half2",
                        f->width < 1.5 ? "quarter" : "half");
}

static const char *say_serialised(const figures *f) {
    const haul_traffic *t = &f->line->worst;
    return arena_printf(
        f->memory,
        "%.1f requests a load: the constant cache answers one address at a time; keep tables that lanes look up "
        "differently in shared memory, or in global memory and read them with __ldg",
        (double)t->requests / (double)t->instructions);
}

static const char *say_local(const figures *f) {
    char bytes[REPORT_NUMBER_SIZE];
    report_format(REPORT_BYTES, f->line->moved, bytes);
    return arena_printf(f->memory,
                        "%s of local memory traffic, which goes through L1 and L2 like global memory: an array of "
                        "each thread is indexed by a value that the compiler does not know; make indices constants by "
                        "unrolling, or keep the array in shared memory",
                        bytes);
}

/* The only list of kinds, the most informative first: a line gets the first that applies. */
static const struct {
    const char *kind;
    bool (*fits)(const figures *f);
    double (*wasted)(const figures *f);
    const char *(*say)(const figures *f);
    bool of_launch; /* printed once, not for each line */
} kinds[] = {
    {"local-memory", is_local, wasted_all, say_local, false},
    {"constant-serialised", is_serialised, wasted_requests, say_serialised, false},
    {"atomic-turns", takes_turns, wasted_turns, say_turns, false},
    {"partial-warps", has_partial_warps, wasted_nothing, say_partial_warps, true},
    {"misaligned", is_misaligned, wasted_sectors, say_misaligned, false},
    {"few-lanes", has_few_lanes, wasted_sectors, say_few_lanes, false},
    {"scalar-batch", is_scalar_batch, wasted_sectors, say_scalar_batch, false},
    {"array-of-structures", is_structures, wasted_sectors, say_structures, false},
    {"strided", is_strided, wasted_sectors, say_strided, false},
    {"short-rows", has_short_rows, wasted_sectors, say_short_rows, false},
    {"scattered", is_scattered, wasted_sectors, say_scattered, false},
    {"atomic-scattered", is_atomic_scattered, wasted_sectors, say_atomic_scattered, false},
    {"bypass-misaligned", is_bypass_misaligned, wasted_sectors, say_bypass, false},
    {"copy-lines", splits_lines, wasted_wavefronts, say_lines, false},
    {"atomic-conflicts", has_atomic_conflicts, wasted_wavefronts, say_atomics, false},
    {"bank-conflicts", has_bank_conflicts, wasted_wavefronts, say_conflicts, false},
    {"table-conflicts", has_table_conflicts, wasted_wavefronts, say_table, false},
    {"narrow-async-copy", is_narrow_copy, wasted_nothing, say_narrow, false},
    {"narrow-access", is_narrow, wasted_nothing, say_narrow_access, false},
    {"one-lane", is_one_lane, wasted_nothing, say_one_lane, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *report_advice_kind(size_t index) {
    return index < KINDS ? kinds[index].kind : report_launch_advice_kind(index - KINDS);
}

/* Returns KINDS if no pattern applies. */
static size_t find_kind(const figures *f) {
    size_t kind = 0;
    while (kind < KINDS && !kinds[kind].fits(f)) kind++;
    return kind;
}

/* Lines below `share` percent of the traffic get no advice. */
haul_status report_advise(const report_hotspots *lines, double share, arena *memory, report_advice **advice,
                          size_t *count) {
    bool said[KINDS] = {false};
    *count = 0;
    *advice = ARENA_ARRAY(memory, lines->count + REPORT_LAUNCH_ADVICE, report_advice);
    if (!*advice) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    for (size_t i = 0; i < lines->count; i++) {
        const report_hotspot *line = &lines->items[i];
        if (line->share < share) continue;
        const figures f = figures_of(lines, line, memory);
        const size_t kind = find_kind(&f);
        if (kind == KINDS || (kinds[kind].of_launch && said[kind])) continue;
        said[kind] = true;
        report_advice *a = &(*advice)[(*count)++];
        *a = (report_advice){kinds[kind].kind, line, false, kinds[kind].wasted(&f), kinds[kind].say(&f)};
        if (!a->text) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    }
    return report_advise_launch(lines, memory, *advice, count);
}
