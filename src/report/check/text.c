/* Writes findings for the terminal: a line in compiler format, then each access with an excerpt of its source.
 *
 * Editors jump to the first line's place, so that has the form FILE:LINE: GRADE: KIND. A defect that was met in an
 * earlier launch is not shown again; the totals say how often it came. Text of sources and names is printed without
 * control characters. */
#include "base/status.h"
#include "report/check/check.h"

#include <inttypes.h>
#include <string.h>

enum { LONGEST_LINE = 160, TAB = 4, INDENT = 2, MARGIN = 6 };

static const report_tone grade_tones[] = {REPORT_BAD, REPORT_WARNING, REPORT_STRONG};

/* ---- excerpts ---- */

/* The line's start, and its length without the line end; NULL if there is none. */
static const char *find_line(const char *source, uint32_t line, size_t *length) {
    for (; source && line > 1; line--) {
        source = strchr(source, '\n');
        source += source != NULL;
    }
    if (!source || !line) return NULL;
    *length = strcspn(source, "\r\n");
    return *length || source[0] ? source : NULL;
}

/* Replaces tabs, and characters that could control the terminal, by blanks. */
static void put_source(text *out, const char *line, size_t length) {
    for (size_t i = 0; i < length && i < LONGEST_LINE; i++) {
        if (line[i] == '\t')
            text_printf(out, "%*s", TAB, "");
        else
            text_append(out, (unsigned char)line[i] < ' ' || line[i] == 0x7f ? " " : line + i, 1);
    }
    text_put(out, length > LONGEST_LINE ? "...\n" : "\n");
}

/* The accessed line is marked by an arrow and, on a terminal, set in bold. */
static void put_numbered(text *out, report_terminal terminal, uint32_t number, const char *line, size_t length,
                         bool marked) {
    text_put(out, marked ? "  > " : "    ");
    text_printf(out, "%*" PRIu32 " | ", MARGIN, number);
    size_t start = out->length;
    put_source(out, line, length);
    if (!marked || !terminal.colour || out->failed) return;
    text toned = {0};
    text_append(&toned, out->bytes + start, out->length - start);
    out->length = start;
    report_put_toned(out, terminal, REPORT_STRONG, text_string(&toned));
    text_free(&toned);
}

/* Marks the column, counted as compilers do: a tab is one. No mark is needed at the line's start. */
static void put_caret(text *out, const char *line, size_t length, uint32_t column) {
    size_t indent = 0;
    while (indent < length && (line[indent] == ' ' || line[indent] == '\t')) indent++;
    if (column <= indent + 1 || column > length || column > LONGEST_LINE) return;
    text_printf(out, "    %*s | ", MARGIN, "");
    for (uint32_t i = 0; i + 1 < column; i++) text_put(out, line[i] == '\t' ? "    " : " ");
    text_put(out, "^\n");
}

/* The line before shows the context. */
static void put_excerpt(text *out, report_sources *sources, report_terminal terminal, const haul_source_place *place) {
    const char *source = sources ? report_source_text(sources, place->file) : NULL;
    size_t length;
    const char *line = find_line(source, place->line, &length);
    if (!line) return;
    size_t before_length;
    const char *before = place->line > 1 ? find_line(source, place->line - 1, &before_length) : NULL;
    if (before) put_numbered(out, terminal, place->line - 1, before, before_length, false);
    put_numbered(out, terminal, place->line, line, length, true);
    put_caret(out, line, length, place->column);
}

/* Prints a chain of places on one wrapped line. `how` introduces the first one. */
static void put_places(text *out, report_terminal terminal, const haul_source_place *from,
                       const haul_source_place *until, const char *how) {
    text places = {0};
    for (const haul_source_place *p = from; p && p != until && p->file; p = p->inlined_into) {
        text_printf(&places, "%s %s:%" PRIu32, how, report_local_name(p->file), p->line);
        how = ", called from";
    }
    if (places.length) {
        text_put(out, "    ");
        report_put_wrapped(out, terminal, 6, text_string(&places));
    }
    text_free(&places);
}

/* The call chain from the instruction's own place to the shown line, and from there out to the kernel. */
static void put_chain(text *out, report_terminal terminal, const haul_instruction_record *r,
                      const haul_source_place *shown) {
    put_places(out, terminal, &r->place, shown, "in");
    put_places(out, terminal, shown->inlined_into, NULL, "called from");
}

/* ---- one finding ---- */

/* One of the finding's two accesses. The second one has no excerpt if it is the same line. */
static void put_end(text *out, report_sources *sources, report_terminal terminal, const haul_finding *finding,
                    const haul_finding_access *access, const report_finding_place *end, bool excerpt) {
    text line = {0};
    bool earlier = access == &finding->other;
    report_put_access(&line, finding, access);
    text_printf(out, "%*s%s%s", INDENT, "", earlier ? "earlier: " : "", text_string(&line));
    text_free(&line);
    if (end->instruction) text_printf(out, ", %s", end->instruction->mnemonic);
    if (end->file) text_printf(out, " at %s:%" PRIu32, end->file, end->line);
    text_put(out, "\n");
    if (!end->place || !excerpt) return;
    put_excerpt(out, sources, terminal, end->place);
    put_chain(out, terminal, end->instruction, end->place);
}

/* A sentence after its label, wrapped at the label's end. */
static void put_labelled(text *out, report_terminal terminal, const char *label, const char *sentence) {
    text_printf(out, "%*s%s: ", INDENT, "", label);
    report_put_wrapped(out, terminal, INDENT + strlen(label) + 2, sentence);
}

static void put_concerned(text *out, report_terminal terminal, const haul_finding *finding) {
    text concerned = {0};
    report_put_concerned(&concerned, finding);
    if (concerned.length) put_labelled(out, terminal, "concerns", text_string(&concerned));
    text_free(&concerned);
}

static void put_also(text *out, report_terminal terminal, const report_finding *f) {
    text also = {0};
    report_put_also(&also, f);
    if (also.length) put_labelled(out, terminal, "also", text_string(&also));
    text_free(&also);
}

static void put_witness(text *out, report_terminal terminal, const report_witness *w) {
    text line = {0};
    report_put_witness(&line, w);
    if (line.length) put_labelled(out, terminal, "witness", text_string(&line));
    text_free(&line);
}

/* Which launch it was, since a kernel may be launched often. */
static void put_launch(text *out, const report_verdict *v) {
    text_printf(out, " in %s", v->kernel);
    if (v->launch.id >= 0) text_printf(out, ", launch %" PRId64, v->launch.id);
    if (v->launch.has_device) text_printf(out, ", device %u", v->launch.device);
    text_put(out, "\n");
}

static void put_head(text *out, report_terminal terminal, const report_verdict *v, const report_finding *f) {
    const haul_finding *first = f->first;
    if (f->access.file) text_printf(out, "%s:%" PRIu32 ": ", f->access.file, f->access.line);
    report_put_toned(out, terminal, grade_tones[first->grade], haul_grade_names[first->grade]);
    text_printf(out, ": %s", haul_finding_kinds[first->kind].key);
    put_launch(out, v);
}

static void put_finding(text *out, report_sources *sources, report_terminal terminal, const report_verdict *v,
                        const report_finding *f) {
    const haul_finding *first = f->first;
    const haul_finding_info *kind = &haul_finding_kinds[first->kind];
    put_head(out, terminal, v, f);
    if (first->what && *first->what) {
        text_printf(out, "%*s", INDENT, "");
        report_put_wrapped(out, terminal, INDENT, first->what);
    }
    if (first->object) put_labelled(out, terminal, "where", first->object);
    if (first->access.action) put_end(out, sources, terminal, first, &first->access, &f->access, true);
    bool elsewhere = f->other.line != f->access.line || !f->other.file || !f->access.file ||
                     strcmp(f->other.file, f->access.file) != 0;
    if (first->other.action) put_end(out, sources, terminal, first, &first->other, &f->other, elsewhere);
    put_also(out, terminal, f);
    put_labelled(out, terminal, "why", kind->why);
    put_labelled(out, terminal, "cure", kind->cure);
    put_concerned(out, terminal, first);
    put_witness(out, terminal, f->witness);
    text_put(out, "\n");
}

/* An expectation that does not hold; a rule in a comment is shown with its line. */
static void put_failure(text *out, report_sources *sources, report_terminal terminal, const report_verdict *v,
                        const report_outcome *o) {
    const report_rule *rule = o->rule;
    text_printf(out, "%s:%" PRIu32 ": ", rule->file, rule->line);
    report_put_toned(out, terminal, REPORT_BAD, "failed");
    text_printf(out, ": expected %s: %s", rule->text, o->measured);
    put_launch(out, v);
    if (rule->scope.first && rule->scope.exact) {
        const haul_source_place place = {.file = rule->file, .line = rule->scope.first};
        put_excerpt(out, sources, terminal, &place);
    }
    text_put(out, "\n");
}

haul_status report_put_check_text(const report_verdict *v, report_sources *sources, report_terminal terminal,
                                  text *out) {
    for (size_t i = 0; i < v->finding_count; i++) {
        if (!v->findings[i].ignored_by && !v->findings[i].again)
            put_finding(out, sources, terminal, v, &v->findings[i]);
    }
    for (size_t i = 0; i < v->outcome_count; i++) {
        if (!v->outcomes[i].holds) put_failure(out, sources, terminal, v, &v->outcomes[i]);
    }
    return out->failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report") : HAUL_OK;
}

/* ---- totals ---- */

static void put_count(text *out, size_t count, const char *one, const char *many) {
    text_printf(out, "%zu %s", count, count == 1 ? one : many);
}

/* One line for each defect that later launches had as well. */
static void put_repeated(const report_checker *c, text *out) {
    for (size_t i = 0; i < c->defect_count; i++) {
        const report_defect *d = &c->defects[i];
        if (!d->name) continue;
        text_printf(out, "%s: ", d->name);
        if (d->last < 0) { /* a defect of the program belongs to no launch */
            put_count(out, d->launches - 1, "more is like it\n", "more are like it\n");
            continue;
        }
        put_count(out, d->launches - 1, "more launch has it", "more launches have it");
        text_printf(out, ", the last is launch %" PRId64 "\n", d->last);
    }
}

/* Rules that applied to nothing are probably misplaced. */
static void put_unused(const report_checker *c, text *out) {
    for (size_t i = 0; i < c->rules.count; i++) {
        const report_rule *rule = &c->rules.items[i];
        if (rule->used || (!rule->in_source && !rule->scope.kernel)) continue; /* a global --ignore need not apply */
        if (rule->kind == REPORT_RULE_EXPECT)
            text_printf(out, "%s:%" PRIu32 ": note: `expect %s` was not checked: nothing that was launched is there\n",
                        rule->file, rule->line, rule->text);
        else
            text_printf(out, "%s:%" PRIu32 ": note: `ignore %s` had nothing to ignore\n", rule->file, rule->line,
                        rule->text);
    }
}

/* What schedules showed, if any were tried. */
static void put_schedules(const report_totals *t, text *out) {
    if (t->compared && t->differing)
        text_printf(out, "; results of %zu of %zu launches differ between %zu schedules", t->differing, t->compared,
                    t->schedules);
    else if (t->compared)
        text_printf(out, "; no result differs between %zu schedules", t->schedules);
    if (t->looked) text_printf(out, "; %zu of %zu errors have a witness", t->witnessed, t->looked);
}

haul_status report_put_check_totals(const report_checker *c, text *out) {
    const report_totals *t = &c->totals;
    put_repeated(c, out);
    put_unused(c, out);
    put_count(out, t->launches, "launch", "launches");
    text_put(out, ": ");
    put_count(out, t->grades[HAUL_GRADE_ERROR], "error", "errors");
    text_put(out, ", ");
    put_count(out, t->grades[HAUL_GRADE_WARNING], "warning", "warnings");
    text_printf(out, ", %zu of advice", t->grades[HAUL_GRADE_ADVICE]);
    if (t->ignored) text_printf(out, "; %zu ignored", t->ignored);
    if (t->hidden) text_printf(out, "; %zu of lower grade not shown", t->hidden);
    if (t->expectations)
        text_printf(out, "; %zu of %zu expectations hold", t->expectations - t->failed, t->expectations);
    put_schedules(t, out);
    text_put(out, "\n");
    return out->failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report") : HAUL_OK;
}
