/* The further places of a cause (causes.c), in words. */
#include "report/check/check.h"

#include <inttypes.h>
#include <string.h>

bool report_is_same_line(const report_finding_place *a, const report_finding_place *b) {
    return a->line == b->line && (a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0));
}

bool report_lacks_write(const report_finding *f) {
    return f->first->kind == HAUL_FINDING_UNINITIALISED_READ && f->first->other.action == HAUL_ACTION_NONE;
}

enum { MOST_LINES = 12 };

typedef const report_finding_place *(*place_in)(const report_finding *);

static const report_finding_place *later_in(const report_finding *f) {
    return &f->access;
}

static const report_finding_place *earlier_in(const report_finding *f) {
    return &f->other;
}

/* True if the pair that is shown, or an earlier one of the list, is at the same line. */
static bool is_listed(const report_finding *f, size_t at, place_in place) {
    for (size_t i = 0; i < at; i++)
        if (report_is_same_line(place(&f->also[i]), place(&f->also[at]))) return true;
    return report_is_same_line(place(f), place(&f->also[at]));
}

/* Lists further lines, "15, 17, b.cu:19", with the file where it is not the shown access's; nothing if there are none.
 */
static size_t put_lines(text *out, const report_finding *f, place_in place, const char *intro) {
    size_t count = 0;
    const char *file = f->access.file;
    for (size_t i = 0; i < f->also_count; i++) {
        const report_finding_place *p = place(&f->also[i]);
        if (!p->line || is_listed(f, i, place) || count++ >= MOST_LINES) continue;
        text_put(out, count == 1 ? intro : ", ");
        if (p->file && (!file || strcmp(file, p->file) != 0)) text_printf(out, "%s:", file = p->file);
        text_printf(out, "%" PRIu32, p->line);
    }
    if (count > MOST_LINES) text_printf(out, " and %zu more", count - MOST_LINES);
    return count;
}

/* One cause's reads of bytes that nobody has written, or its pairs of accesses. */
static void put_reads(text *out, const report_finding *f) {
    const bool several = f->also_count > 1;
    text_printf(out, "%zu more place%s read%s bytes that the same write should set", f->also_count, several ? "s" : "",
                several ? "" : "s");
    put_lines(out, f, later_in, ": line ");
}

static void put_waits(text *out, const report_finding *f) {
    const bool several = f->also_count > 1;
    text_printf(out, "%zu more place%s wait%s in vain", f->also_count, several ? "s" : "", several ? "" : "s");
    put_lines(out, f, later_in, ": line ");
}

static void put_groups(text *out, const report_finding *f) {
    text_printf(out, "%zu more group%s of threads at the same barrier", f->also_count, f->also_count > 1 ? "s" : "");
}

static void put_pairs(text *out, const report_finding *f, size_t pairs) {
    text_printf(out, "%zu more pair%s of places lack%s this order", pairs, pairs > 1 ? "s" : "", pairs > 1 ? "" : "s");
    const size_t later = put_lines(out, f, later_in, ": also with the later access at line ");
    put_lines(out, f, earlier_in,
              later ? ", with the earlier one at line " : ": also with the earlier access at line ");
}

void report_put_also(text *out, const report_finding *f) {
    size_t pairs = 0;
    const report_finding *early = NULL;
    for (size_t i = 0; i < f->also_count; i++)
        if (!report_lacks_write(&f->also[i]) && !f->also[i].first->before_init)
            pairs++;
        else if (!early)
            early = &f->also[i];
    if (f->also_count && f->first->kind == HAUL_FINDING_DEADLOCK) {
        put_waits(out, f);
        return;
    }
    if (f->also_count && f->first->kind == HAUL_FINDING_BARRIER_DIVERGENCE) {
        put_groups(out, f);
        return;
    }
    if (f->also_count && report_lacks_write(f)) {
        put_reads(out, f);
        return;
    }
    if (pairs) put_pairs(out, f, pairs);
    if (early)
        text_printf(out, "%sin one order line %" PRIu32 " %s", pairs ? "; " : "", early->access.line,
                    early->first->before_init ? "uses the mbarrier before it is initialised"
                                              : "reads bytes before anything is written there");
}
