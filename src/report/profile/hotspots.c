/* The source lines that move the most bytes, each with the instruction that wastes the most.
 *
 * Instructions of one line and class are added up: records are sorted by place and neighbours merged. Bytes are those
 * that L1 and shared memory handle, 32 a sector and 128 a wavefront, because that is what takes time. */
#include "report/profile/hotspots.h"

#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32, WAVEFRONT = 128 };

/* A request for constants takes its pipe as long as a sector. */
double report_moved_bytes(haul_memory_class class, const haul_traffic *t) {
    if (class == HAUL_CLASS_CONSTANT_LOAD) return (double)t->requests * SECTOR;
    return (double)t->sectors * SECTOR + (double)t->shared_wavefronts * WAVEFRONT;
}

/* A line with one instruction; without line numbers, the line of the PTX. */
static report_hotspot line_of(const haul_instruction_record *r) {
    const haul_source_place *place = report_user_place(&r->place);
    report_hotspot line = {
        .class = r->memory_class, .traffic = r->traffic, .worst = r->traffic, .alike = 1, .instructions = {r}};
    if (place->file && place->line) {
        line.file = place->file;
        line.name = report_file_name(place->file);
        line.line = place->line;
    } else {
        line.name = "PTX";
        line.line = r->ptx_line;
        line.source = r->text;
    }
    return line;
}

static int compare_names(const char *a, const char *b) {
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* Lines without a file come last; one line may have several classes. */
static int by_place(const void *a, const void *b) {
    const report_hotspot *x = a, *y = b;
    int order = compare_names(x->file, y->file);
    if (order) return order;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (int)x->class - (int)y->class;
}

static int by_traffic(const void *a, const void *b) {
    const report_hotspot *x = a, *y = b;
    if (x->moved != y->moved) return x->moved < y->moved ? 1 : -1;
    return by_place(a, b);
}

/* Bytes beyond the ideal, in global and shared memory. */
static double wasted_by(const haul_traffic *t) {
    double sectors = (double)t->sectors - (double)t->ideal_sectors;
    double wavefronts = (double)t->shared_wavefronts - (double)t->ideal_shared_wavefronts;
    return (sectors > 0 ? sectors * SECTOR : 0) + (wavefronts > 0 ? wavefronts * WAVEFRONT : 0);
}

/* Instructions with equal traffic are shown as one, with their number. */
static bool alike(const haul_traffic *a, const haul_traffic *b) {
    return a->instructions == b->instructions && a->threads == b->threads && a->bytes == b->bytes &&
           a->sectors == b->sectors && a->shared_wavefronts == b->shared_wavefronts;
}

/* Keeps the instruction that wastes most, or counts one that is like it. */
static void merge_worst(report_hotspot *into, const report_hotspot *from) {
    if (alike(&into->worst, &from->worst)) {
        if (into->alike < REPORT_MOST_ALIKE) into->instructions[into->alike] = from->instructions[0];
        into->alike++;
    } else if (wasted_by(&from->worst) > wasted_by(&into->worst)) {
        into->worst = from->worst;
        into->alike = 1;
        into->instructions[0] = from->instructions[0];
    }
}

static void merge(report_hotspot *into, const report_hotspot *from) {
    merge_worst(into, from);
    haul_traffic_add(&into->traffic, &from->traffic);
}

static size_t merge_sorted(report_hotspot *items, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && by_place(&items[kept - 1], &items[i]) == 0)
            merge(&items[kept - 1], &items[i]);
        else
            items[kept++] = items[i];
    }
    return kept;
}

haul_status report_find_hotspots(const haul_launch_record *record, report_sources *sources, arena *memory,
                                 report_hotspots *lines) {
    *lines =
        (report_hotspots){.items = ARENA_ARRAY(memory, record->instruction_count, report_hotspot), .record = record};
    if (!lines->items) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    for (size_t i = 0; i < record->instruction_count; i++) {
        const haul_instruction_record *r = &record->instructions[i];
        if (r->memory_class != HAUL_CLASS_NONE && r->traffic.instructions) lines->items[lines->count++] = line_of(r);
    }
    qsort(lines->items, lines->count, sizeof *lines->items, by_place);
    lines->count = merge_sorted(lines->items, lines->count);
    double total = 0;
    for (size_t i = 0; i < lines->count; i++)
        total += lines->items[i].moved = report_moved_bytes(lines->items[i].class, &lines->items[i].traffic);
    for (size_t i = 0; i < lines->count; i++) {
        report_hotspot *line = &lines->items[i];
        line->share = total > 0 ? 100 * line->moved / total : 0;
        if (line->file && sources) line->source = report_source_line(sources, line->file, line->line);
    }
    qsort(lines->items, lines->count, sizeof *lines->items, by_traffic);
    return HAUL_OK;
}
