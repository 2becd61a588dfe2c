/* Matches the source lines of a launch in three steps.
 *
 * Files are paired by their names. If both files are there, all of their code is aligned. Records and baselines have
 * only lines with traffic, so these are aligned instead. Then lines that are left and have the same code are matched
 * wherever they are, because a function may have moved. At last, lines that are left between the same two neighbours
 * are matched by how much they are alike: they were edited. */
#include "report/diff/lines.h"

#include "report/diff/align.h"

#include <string.h>

typedef struct matching {
    const report_snapshot *snapshots[2]; /* before, after */
    const report_snapshot_launch *before, *after;
    size_t *match;
    bool *taken; /* lines after that have a match */
    arena *scratch;
} matching;

/* Code of a file in order, with the launch's line of each, or ALIGN_NONE. */
typedef struct sequence {
    const char **codes;
    size_t *lines;
    size_t count;
} sequence;

static void pair(matching *m, size_t before, size_t after) {
    m->match[before] = after;
    m->taken[after] = true;
}

static bool is_free(const matching *m, size_t before, size_t after) {
    return m->match[before] == ALIGN_NONE && !m->taken[after];
}

static bool shares_class(const report_snapshot_line *a, const report_snapshot_line *b) {
    for (size_t i = 0; i < HAUL_CLASS_COUNT; i++)
        if (a->classes[i].instructions && b->classes[i].instructions) return true;
    return false;
}

/* ---- files ---- */

typedef struct file_list {
    const char **names;
    bool *paired;
    size_t count;
} file_list;

static file_list files_of(const report_snapshot_launch *launch, arena *scratch) {
    file_list files = {ARENA_ARRAY(scratch, launch->line_count, const char *),
                       ARENA_ARRAY(scratch, launch->line_count, bool), 0};
    for (size_t i = 0; i < launch->line_count; i++) {
        size_t k = 0;
        while (k < files.count && strcmp(files.names[k], launch->lines[i].file) != 0) k++;
        if (k == files.count) files.names[files.count++] = launch->lines[i].file;
    }
    return files;
}

static bool by_name(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

static bool by_last_part(const char *a, const char *b) {
    return strcmp(report_file_name(a), report_file_name(b)) == 0;
}

static bool by_order(const char *a, const char *b) {
    return strcmp(a, "PTX") != 0 && strcmp(b, "PTX") != 0;
}

static size_t find_partner(const file_list *after, const char *name, bool (*same)(const char *, const char *)) {
    for (size_t k = 0; k < after->count; k++)
        if (!after->paired[k] && same(name, after->names[k])) return k;
    return ALIGN_NONE;
}

/* ---- code in order ---- */

static size_t line_in(const report_snapshot_launch *launch, const char *file, uint32_t number) {
    for (size_t i = 0; i < launch->line_count; i++)
        if (launch->lines[i].line == number && strcmp(launch->lines[i].file, file) == 0) return i;
    return ALIGN_NONE;
}

static const report_code *code_of(const report_snapshot *s, const char *file) {
    for (const report_snapshot_file *f = s->files; f; f = f->next)
        if (f->code.count && strcmp(f->name, file) == 0) return &f->code;
    return NULL;
}

static sequence whole_file(const report_snapshot_launch *launch, const char *file, const report_code *code,
                           arena *scratch) {
    sequence s = {ARENA_ARRAY(scratch, code->count, const char *), ARENA_ARRAY(scratch, code->count, size_t), 0};
    for (size_t i = 0; i < code->count; i++) {
        if (!*code->lines[i]) continue;
        s.codes[s.count] = code->lines[i];
        s.lines[s.count++] = line_in(launch, file, (uint32_t)i + 1);
    }
    return s;
}

static sequence measured_lines(const report_snapshot_launch *launch, const char *file, arena *scratch) {
    sequence s = {ARENA_ARRAY(scratch, launch->line_count, const char *),
                  ARENA_ARRAY(scratch, launch->line_count, size_t), 0};
    for (size_t i = 0; i < launch->line_count; i++) {
        if (strcmp(launch->lines[i].file, file) != 0) continue;
        s.codes[s.count] = launch->lines[i].code;
        s.lines[s.count++] = i;
    }
    return s;
}

/* Two files, aligned: items[i] of `before` is items[match[i]] of `after`. */
typedef struct aligned {
    struct aligned *next;
    sequence before, after;
    size_t *match;
} aligned;

/* Two kernels of one file have their lines in two places, so that the file does not help. */
static aligned *align(const matching *m, const char *before, const char *after) {
    const report_code *a = code_of(m->snapshots[0], before), *b = code_of(m->snapshots[1], after);
    const bool whole = a && b && strcmp(m->before->kernel, m->after->kernel) == 0;
    aligned *files = ARENA_NEW(m->scratch, aligned);
    files->before =
        whole ? whole_file(m->before, before, a, m->scratch) : measured_lines(m->before, before, m->scratch);
    files->after = whole ? whole_file(m->after, after, b, m->scratch) : measured_lines(m->after, after, m->scratch);
    files->match = ARENA_ARRAY(m->scratch, files->before.count, size_t);
    align_equal(files->before.codes, files->before.count, files->after.codes, files->after.count, files->match,
                m->scratch);
    return files;
}

static aligned *align_files(const matching *m) {
    static bool (*const same[])(const char *, const char *) = {by_name, by_last_part, by_order};
    file_list before = files_of(m->before, m->scratch), after = files_of(m->after, m->scratch);
    aligned *all = NULL;
    for (size_t pass = 0; pass < sizeof same / sizeof *same; pass++) {
        for (size_t i = 0; i < before.count; i++) {
            const size_t k = before.paired[i] ? ALIGN_NONE : find_partner(&after, before.names[i], same[pass]);
            if (k == ALIGN_NONE) continue;
            before.paired[i] = after.paired[k] = true;
            aligned *files = align(m, before.names[i], after.names[k]);
            files->next = all;
            all = files;
        }
    }
    return all;
}

/* ---- the three steps ---- */

static void match_equal(matching *m, const aligned *files) {
    for (size_t i = 0; i < files->before.count; i++) {
        if (files->match[i] == ALIGN_NONE) continue;
        const size_t a = files->before.lines[i], b = files->after.lines[files->match[i]];
        if (a != ALIGN_NONE && b != ALIGN_NONE && is_free(m, a, b)) pair(m, a, b);
    }
}

static void match_moved(matching *m) {
    for (size_t i = 0; i < m->before->line_count; i++) {
        const report_snapshot_line *a = &m->before->lines[i];
        for (size_t k = 0; k < m->after->line_count && m->match[i] == ALIGN_NONE; k++) {
            const report_snapshot_line *b = &m->after->lines[k];
            if (!m->taken[k] && *a->code && report_code_equal(a->code, b->code) && shares_class(a, b)) pair(m, i, k);
        }
    }
}

/* The lines that are left between two neighbours. */
typedef struct gap {
    const matching *m;
    size_t *before, *after;
    size_t before_count, after_count;
} gap;

/* Lines that access other memory have to look very much alike. */
static double likeness(const void *context, size_t i, size_t k) {
    const gap *g = context;
    const report_snapshot_line *a = &g->m->before->lines[g->before[i]], *b = &g->m->after->lines[g->after[k]];
    const double alike = report_code_likeness(a->code, b->code);
    if (shares_class(a, b)) return 0.1 + alike;
    return alike > 0.6 ? alike : 0;
}

static void match_gap(matching *m, gap *g) {
    if (g->before_count && g->after_count) {
        size_t *match = ARENA_ARRAY(m->scratch, g->before_count, size_t);
        align_alike(g->before_count, g->after_count, likeness, g, match, m->scratch);
        for (size_t i = 0; i < g->before_count; i++)
            if (match[i] != ALIGN_NONE) pair(m, g->before[i], g->after[match[i]]);
    }
    g->before_count = g->after_count = 0;
}

/* Adds the free lines of after's items `from` to `to` to the gap. */
static void fill_after(const matching *m, const sequence *after, size_t from, size_t to, gap *g) {
    for (size_t k = from; k < to; k++)
        if (after->lines[k] != ALIGN_NONE && !m->taken[after->lines[k]]) g->after[g->after_count++] = after->lines[k];
}

static void match_edited(matching *m, const aligned *files) {
    gap g = {.m = m,
             .before = ARENA_ARRAY(m->scratch, files->before.count, size_t),
             .after = ARENA_ARRAY(m->scratch, files->after.count, size_t)};
    size_t next = 0;
    for (size_t i = 0; i < files->before.count; i++) {
        const size_t line = files->before.lines[i];
        if (files->match[i] == ALIGN_NONE) {
            if (line != ALIGN_NONE && m->match[line] == ALIGN_NONE) g.before[g.before_count++] = line;
            continue;
        }
        fill_after(m, &files->after, next, files->match[i], &g);
        match_gap(m, &g);
        next = files->match[i] + 1;
    }
    fill_after(m, &files->after, next, files->after.count, &g);
    match_gap(m, &g);
}

void diff_match_lines(diff_side before, diff_side after, size_t *match, arena *scratch) {
    matching m = {.snapshots = {before.snapshot, after.snapshot},
                  .before = before.launch,
                  .after = after.launch,
                  .match = match,
                  .taken = ARENA_ARRAY(scratch, after.launch->line_count, bool),
                  .scratch = scratch};
    for (size_t i = 0; i < before.launch->line_count; i++) match[i] = ALIGN_NONE;
    const aligned *files = align_files(&m);
    for (const aligned *f = files; f; f = f->next) match_equal(&m, f);
    match_moved(&m);
    for (const aligned *f = files; f; f = f->next) match_edited(&m, f);
}
