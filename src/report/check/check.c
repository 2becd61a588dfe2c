/* Judges a launch: which findings count, which are ignored, and which expectations hold.
 *
 * The verdict is data; text, JSON, SARIF and JUnit are written from it by the files beside this one. A checker lives
 * for the whole command: it keeps the rules, the comments that were read, the totals, and the defects that were met
 * before. A verdict lives for one launch. */
#include "report/check/check.h"

#include "base/hash.h"
#include "base/mangled.h"
#include "base/status.h"
#include "report/check/annotations.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void report_checker_init(report_checker *c, report_sources *sources, haul_finding_grade shown,
                         haul_finding_grade counted) {
    *c = (report_checker){.sources = sources, .shown = shown, .counted = counted};
}

void report_checker_free(report_checker *c) {
    report_rules_free(&c->rules);
    *c = (report_checker){0};
}

void report_verdict_free(report_verdict *v) {
    arena_free(&v->memory);
    *v = (report_verdict){0};
}

bool report_verdict_passed(const report_verdict *v) {
    return !v->counting && !v->failed;
}

/* ---- comments of the sources ---- */

/* Files are few, so a list is enough. */
static bool was_read(const report_checker *c, const char *path) {
    for (size_t i = 0; i < c->read_count; i++) {
        if (strcmp(c->read[i], path) == 0) return true;
    }
    return false;
}

/* Reads the rules in a source file's comments, once for each file by its real path. */
static haul_status read_comments(report_checker *c, const char *file) {
    const char *path = report_source_path(c->sources, file);
    if (!path || was_read(c, path)) return HAUL_OK;
    if (c->read_count == c->read_capacity) {
        const char **more =
            arena_grow(&c->rules.memory, (const void *)c->read, c->read_count, &c->read_capacity, sizeof *c->read);
        if (!more) return haul_no_memory("the findings");
        c->read = more;
    }
    c->read[c->read_count++] = path;
    return report_read_annotations(&c->rules, report_local_name(file), path, report_source_text(c->sources, file));
}

/* Consecutive instructions are mostly from one file; `last` avoids repeated lookups. */
static haul_status read_all_comments(report_checker *c, const haul_launch_record *r) {
    const char *last = NULL;
    for (size_t i = 0; i < r->instruction_count; i++) {
        for (const haul_source_place *p = &r->instructions[i].place; p; p = p->inlined_into) {
            if (!p->file || p->file == last) continue;
            last = p->file;
            HAUL_TRY(read_comments(c, p->file));
        }
    }
    return HAUL_OK;
}

/* ---- findings ---- */

/* The place that a report shows for an access: the user's line, or the line of the PTX if there are no line numbers. */
static report_finding_place place_of(const report_checked_launch *launch, const haul_finding_access *access) {
    report_finding_place found = {0};
    const haul_launch_record *r = launch->record;
    if (access->action == HAUL_ACTION_NONE || access->instruction >= r->instruction_count) return found;
    found.instruction = &r->instructions[access->instruction];
    const haul_source_place *place = report_user_place(&found.instruction->place);
    if (place->file) {
        found.place = place;
        found.file = report_local_name(place->file);
        found.line = place->line;
    } else {
        found.file = launch->module;
        found.line = found.instruction->ptx_line;
    }
    return found;
}

/* Whether any instruction of the kernel lies in the rule's scope. */
static bool in_record(const report_rule *rule, report_sources *sources, const haul_launch_record *r) {
    for (size_t i = 0; i < r->instruction_count; i++) {
        if (report_scope_has_place(&rule->scope, sources, &r->instructions[i].place)) return true;
    }
    return false;
}

/* A rule for a whole kernel in a source applies to the kernel of that source, not to others of the same name. */
static bool is_for_launch(const report_rule *rule, report_sources *sources, const haul_launch_record *r) {
    if (!report_scope_has_kernel(&rule->scope, r->kernel)) return false;
    if (rule->scope.first || !rule->scope.file || !r->instruction_count) return true;
    return in_record(rule, sources, r);
}

/* Whether an access of the finding lies in the rule's scope. A rule from a file may also name a line of the PTX. */
static bool has_end(const report_rule *rule, report_sources *sources, const report_finding_place *end) {
    if (end->instruction && report_scope_has_place(&rule->scope, sources, &end->instruction->place)) return true;
    if (end->place || !end->file || rule->scope.exact) return false;
    const haul_source_place in_ptx = {.file = end->file, .line = end->line};
    return report_scope_has_place(&rule->scope, sources, &in_ptx);
}

/* A rule for lines concerns a finding if either of its two accesses is there. */
static bool concerns(const report_rule *rule, report_sources *sources, const haul_launch_record *r,
                     const report_finding *f) {
    if (!is_for_launch(rule, sources, r)) return false;
    bool whole_launch = !rule->scope.first && (!rule->scope.file || rule->scope.exact);
    return whole_launch || has_end(rule, sources, &f->access) || has_end(rule, sources, &f->other);
}

/* The first rule that concerns the finding counts as used; the others may turn out to be unused. */
static void apply_ignores(report_checker *c, const haul_launch_record *r, report_finding *f) {
    for (size_t i = 0; i < c->rules.count && !f->ignored_by; i++) {
        report_rule *rule = &c->rules.items[i];
        if (rule->kind != REPORT_RULE_IGNORE || !report_kind_matches(rule->text, f->first->kind)) continue;
        if (!concerns(rule, c->sources, r, f)) continue;
        f->ignored_by = rule;
        rule->used++;
    }
}

/* Adds the finding to the verdict's counts. It makes the check fail if its grade is at least the one asked for. */
static void grade_finding(const report_checker *c, report_verdict *v, report_finding *f) {
    f->counts = !f->ignored_by && f->first->grade <= c->counted;
    if (f->ignored_by)
        v->ignored++;
    else
        v->grades[f->first->grade]++;
    v->counting += f->counts;
}

static uint64_t hash_text(uint64_t hash, const char *s) {
    return hash_bytes(hash, s ? s : "", s ? strlen(s) + 1 : 1);
}

static uint64_t hash_place(uint64_t hash, const report_finding_place *place) {
    return hash_bytes(hash_text(hash, place->file), &place->line, sizeof place->line);
}

/* The identity of a defect over launches: kind, grade, kernel, and the lines of both accesses. */
static uint64_t key_of(const report_verdict *v, const report_finding *f) {
    const int what[] = {(int)f->first->kind, (int)f->first->grade};
    const uint64_t hash = hash_bytes(hash_text(HASH_START, v->launch.record->kernel), what, sizeof what);
    return hash_place(hash_place(hash, &f->access), &f->other);
}

/* How notes refer to a defect that was reported before. */
static const char *name_of(arena *memory, const report_verdict *v, const report_finding *f) {
    const char *kind = haul_finding_kinds[f->first->kind].key;
    if (!f->access.file) return arena_printf(memory, "note: %s in %s", kind, v->kernel);
    return arena_printf(memory, "%s:%" PRIu32 ": note: %s in %s", f->access.file, f->access.line, kind, v->kernel);
}

/* Returns NULL without memory. */
static report_defect *add_defect(report_checker *c, uint64_t key) {
    if (c->defect_count == c->defect_capacity) {
        report_defect *more =
            arena_grow(&c->rules.memory, c->defects, c->defect_count, &c->defect_capacity, sizeof *c->defects);
        if (!more) return NULL;
        c->defects = more;
    }
    report_defect *new = &c->defects[c->defect_count++];
    *new = (report_defect){.key = key};
    return new;
}

/* Kernels are launched many times, and their defects appear each time. */
static haul_status meet_defect(report_checker *c, const report_verdict *v, report_finding *f) {
    const uint64_t key = key_of(v, f);
    report_defect *d = c->defects;
    while (d < c->defects + c->defect_count && d->key != key) d++;
    f->again = d < c->defects + c->defect_count;
    if (!f->again) d = add_defect(c, key);
    if (d && f->again && !d->name) d->name = name_of(&c->rules.memory, v, f);
    if (!d || (f->again && !d->name)) return haul_no_memory("the findings");
    d->launches++;
    d->last = v->launch.id;
    return HAUL_OK;
}

/* Places come first, since rules need them. A rule leaves out single pairs of places, so findings are joined after
 * that. Defects are met last, because ignored findings are none. */
static haul_status add_findings(report_checker *c, report_verdict *v) {
    const haul_launch_record *r = v->launch.record;
    v->findings = ARENA_ARRAY(&v->memory, r->finding_count, report_finding);
    if (!v->findings) return haul_no_memory("the findings");
    for (size_t i = 0; i < r->finding_count; i++) {
        const haul_finding *first = &r->findings[i];
        if (first->grade > c->shown) {
            v->hidden++;
            continue;
        }
        v->findings[v->finding_count++] =
            (report_finding){.first = first,
                             .access = place_of(&v->launch, &first->access),
                             .other = place_of(&v->launch, &first->other),
                             .witness = v->launch.witnesses ? &v->launch.witnesses[i] : NULL};
    }
    for (size_t i = 0; i < v->finding_count; i++) apply_ignores(c, r, &v->findings[i]);
    HAUL_TRY(report_join_causes(v));
    for (size_t i = 0; i < v->finding_count; i++) grade_finding(c, v, &v->findings[i]);
    for (size_t i = 0; i < v->finding_count; i++)
        if (!v->findings[i].ignored_by) HAUL_TRY(meet_defect(c, v, &v->findings[i]));
    return HAUL_OK;
}

/* ---- expectations ---- */

/* For `no findings`: how many counting findings the rule concerns. */
static size_t count_concerned(const report_checker *c, const report_verdict *v, const report_rule *rule) {
    size_t count = 0;
    for (size_t i = 0; i < v->finding_count; i++) {
        const report_finding *f = &v->findings[i];
        count += f->counts && concerns(rule, c->sources, v->launch.record, f);
    }
    return count;
}

static const char *format_measured(arena *memory, const report_rule *rule, double value) {
    if (rule->no_findings) return arena_printf(memory, "%.0f finding%s", value, value == 1 ? "" : "s");
    if (rule->metric.unit == REPORT_COUNT && value == floor(value)) return arena_printf(memory, "%.0f measured", value);
    return arena_printf(memory, "%.6g%s measured", value, rule->metric.unit == REPORT_PERCENT ? "%" : "");
}

/* The place of an expectation that fails for a kernel. */
static const char *add_worst(report_verdict *v, const report_rule *rule, const char *measured) {
    bool most = rule->comparison != REPORT_AT_LEAST && rule->comparison != REPORT_MORE;
    if (rule->no_findings || rule->metric.of_launch || rule->scope.first) return measured;
    const haul_instruction_record *worst = report_worst_instruction(&rule->metric, v->launch.record, most);
    const haul_source_place *place = worst ? report_user_place(&worst->place) : NULL;
    if (!place || !place->file) return measured;
    return arena_printf(&v->memory, "%s, %s at %s:%" PRIu32, measured, most ? "most" : "least",
                        report_file_name(place->file), place->line);
}

/* The measured value, or why there is none. */
static const char *describe(arena *memory, const report_rule *rule, const haul_launch_record *r,
                            const report_outcome *o) {
    switch (o->reading) {
    case REPORT_READ: return format_measured(memory, rule, o->value);
    case REPORT_NOTHING: return "not measured: no such access was executed there";
    default:
        return r->ended_by == HAUL_OK ? "not measured: this run does not have it"
                                      : "not measured: the launch did not end as it should";
    }
}

/* Evaluates an expectation. One that cannot be measured does not hold: a misplaced rule must not pass. */
static haul_status hold(const report_checker *c, report_verdict *v, report_rule *rule) {
    const haul_launch_record *r = v->launch.record;
    report_outcome *o = &v->outcomes[v->outcome_count++];
    *o = (report_outcome){.rule = rule};
    rule->used++;
    if (rule->no_findings)
        o->value = (double)count_concerned(c, v, rule);
    else if (r->ended_by != HAUL_OK)
        o->reading = REPORT_UNKNOWN;
    else
        o->reading = report_read_metric(&rule->metric, &rule->scope, c->sources, r, &o->value);
    o->holds = o->reading == REPORT_READ && (rule->no_findings ? o->value == 0 : report_rule_holds(rule, o->value));
    o->measured = describe(&v->memory, rule, r, o);
    if (!o->holds && o->measured && o->reading == REPORT_READ) o->measured = add_worst(v, rule, o->measured);
    v->failed += !o->holds;
    return o->measured ? HAUL_OK : haul_no_memory("the findings");
}

/* An expectation on lines applies to launches with instructions there, and to launches of the kernel whose text
 * contains it:
 * if its line has no instructions, that must not go unnoticed. */
static bool is_held(const report_checker *c, const report_rule *rule, const haul_launch_record *r) {
    if (rule->kind != REPORT_RULE_EXPECT || !is_for_launch(rule, c->sources, r)) return false;
    if (!rule->scope.file || (rule->scope.exact && !rule->scope.first)) return true;
    const report_scope within = {.kernel = rule->within, .exact = true};
    return (rule->within && report_scope_has_kernel(&within, r->kernel)) || in_record(rule, c->sources, r);
}

static haul_status hold_expectations(report_checker *c, report_verdict *v) {
    v->outcomes = ARENA_ARRAY(&v->memory, c->rules.count, report_outcome);
    if (!v->outcomes) return haul_no_memory("the findings");
    for (size_t i = 0; i < c->rules.count; i++) {
        report_rule *rule = &c->rules.items[i];
        if (is_held(c, rule, v->launch.record)) HAUL_TRY(hold(c, v, rule));
    }
    return HAUL_OK;
}

/* ---- a launch ---- */

/* Totals decide the exit status and the last line of the command. */
static void add_totals(report_totals *t, const report_verdict *v) {
    t->launches += v->launch.id >= 0;
    t->failing += !report_verdict_passed(v);
    for (int i = 0; i < 3; i++) t->grades[i] += v->grades[i];
    t->ignored += v->ignored;
    t->hidden += v->hidden;
    t->counting += v->counting;
    t->expectations += v->outcome_count;
    t->failed += v->failed;
    if (v->launch.schedules > t->schedules) t->schedules = v->launch.schedules;
    t->compared += v->launch.schedules > 1;
    t->differing += v->launch.differs;
    for (size_t i = 0; i < v->finding_count; i++) {
        const report_witness *w = v->findings[i].ignored_by ? NULL : v->findings[i].witness;
        t->looked += w && w->tried;
        t->witnessed += w && w->found;
    }
}

haul_status report_check_launch(report_checker *c, const report_checked_launch *launch, report_verdict *v) {
    size_t length;
    const char *plain = mangled_name(launch->record->kernel, &length);
    *v = (report_verdict){.launch = *launch};
    v->kernel = arena_copy(&v->memory, plain, length);
    if (!v->kernel) return haul_no_memory("the findings");
    HAUL_TRY(read_all_comments(c, launch->record));
    HAUL_TRY(add_findings(c, v));
    HAUL_TRY(hold_expectations(c, v));
    add_totals(&c->totals, v);
    return HAUL_OK;
}

/* ---- texts for the writers ---- */

const char *report_finding_message(const report_finding *f) {
    const haul_finding *first = f->first;
    return first->what && *first->what ? first->what : haul_finding_kinds[first->kind].why;
}

void report_put_concerned(text *out, const haul_finding *f) {
    if (f->count < 2) return;
    text_printf(out, "%" PRIu64 " threads of %" PRIu64 " thread block%s", f->count, f->blocks,
                f->blocks == 1 ? "" : "s");
}

static void put_position(text *out, const char *name, const uint32_t p[3]) {
    text_printf(out, "%s (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", name, p[0], p[1], p[2]);
}

void report_put_access(text *out, const haul_finding *finding, const haul_finding_access *access) {
    bool moves = access->action != HAUL_ACTION_SYNC;
    text_put(out, haul_action_names[access->action]);
    const uint32_t bytes = access->bytes ? access->bytes : finding->bytes;
    if (moves && bytes) text_printf(out, " of %" PRIu32 " byte%s", bytes, bytes == 1 ? "" : "s");
    if (!finding->count) return; /* no thread of a kernel */
    put_position(out, " by thread", access->thread);
    put_position(out, " of block", access->block);
}
