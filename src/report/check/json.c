/* Writes a launch's findings as one JSON object.
 *
 * The fields are documented in docs/check.md, and programs rely on them: unknown values are null rather than left out.
 * If jansson runs out of memory inside an object, that object is NULL and so is the whole. */
#include "base/status.h"
#include "report/check/check.h"
#include "report/json.h"

static json_t *string_or_null(const char *s) {
    return s ? report_json_string(s) : json_null();
}

static json_t *line_or_null(uint32_t line) {
    return line ? json_integer(line) : json_null();
}

static json_t *triple(const uint32_t p[3]) {
    return json_pack("[I, I, I]", (json_int_t)p[0], (json_int_t)p[1], (json_int_t)p[2]);
}

/* The whole chain of inlined calls, the instruction's own place first. */
static json_t *chain_json(const haul_instruction_record *r) {
    json_t *chain = json_array();
    for (const haul_source_place *p = &r->place; p; p = p->inlined_into) {
        json_array_append_new(chain, json_pack("{s:o, s:I, s:I}", "file", string_or_null(p->file), "line",
                                               (json_int_t)p->line, "column", (json_int_t)p->column));
    }
    return chain;
}

static json_t *access_json(const haul_finding_access *access, const report_finding_place *end) {
    bool known = access->action != HAUL_ACTION_NONE;
    json_t *object =
        json_pack("{s:o, s:o, s:s?, s:o, s:o}", "file", string_or_null(end->file), "line", line_or_null(end->line),
                  "action", known ? haul_action_names[access->action] : NULL, "block",
                  known ? triple(access->block) : json_null(), "thread", known ? triple(access->thread) : json_null());
    if (!end->instruction || !object) return object;
    json_object_set_new(object, "instruction", report_json_string(end->instruction->text));
    json_object_set_new(object, "ptx_line", json_integer(end->instruction->ptx_line));
    if (end->place && end->instruction->place.inlined_into)
        json_object_set_new(object, "chain", chain_json(end->instruction));
    return object;
}

/* A difference between two schedules: the first word that differs, and how many do. */
static json_t *words_json(const report_difference *d) {
    json_t *words =
        json_pack("{s:I, s:I, s:o, s:o}", "word", (json_int_t)d->word, "differing", (json_int_t)d->words, "usual",
                  json_sprintf("0x%08x", d->values[0]), "value", json_sprintf("0x%08x", d->values[1]));
    if (d->variable)
        json_object_set_new(words, "variable", report_json_string(d->variable));
    else
        json_object_set_new(words, "argument", json_integer((json_int_t)d->argument));
    return words;
}

/* schedule: null if none of those tried changes the result */
static json_t *witness_json(const report_witness *w) {
    const report_difference *d = w->found;
    json_t *object = json_pack("{s:I, s:s?}", "tried", (json_int_t)w->tried, "schedule", d ? d->schedule : NULL);
    if (d && d->ending) json_object_set_new(object, "ending", json_string(d->ending));
    json_t *words = d && !d->ending ? words_json(d) : NULL;
    if (words) json_object_update(object, words);
    json_decref(words);
    return object;
}

/* Further pairs of places with the same cause. */
static json_t *also_json(const report_finding *f) {
    json_t *also = json_array();
    for (size_t i = 0; i < f->also_count; i++) {
        const report_finding *g = &f->also[i];
        json_t *pair = access_json(&g->first->access, &g->access);
        if (pair && g->first->other.action)
            json_object_set_new(pair, "other", access_json(&g->first->other, &g->other));
        json_array_append_new(also, pair);
    }
    return also;
}

/* The finding's own access is merged into the object; the other access is an object of its own. */
static json_t *finding_json(const report_finding *f) {
    const haul_finding *first = f->first;
    const haul_finding_info *kind = &haul_finding_kinds[first->kind];
    json_t *object = json_pack("{s:s, s:s}", "kind", kind->key, "grade", haul_grade_names[first->grade]);
    json_t *access = access_json(&first->access, &f->access);
    if (!access || json_object_update_missing(object, access) != 0) {
        json_decref(access);
        json_decref(object);
        return NULL;
    }
    json_decref(access);
    if (first->other.action) json_object_set_new(object, "other", access_json(&first->other, &f->other));
    if (f->also_count) json_object_set_new(object, "also", also_json(f));
    if (first->space) {
        json_object_set_new(object, "space", json_string(haul_space_names[first->space]));
        json_object_set_new(object, "address", json_sprintf("0x%llx", (unsigned long long)first->address));
        json_object_set_new(object, "bytes", json_integer(first->bytes));
    }
    if (first->object) json_object_set_new(object, "object", report_json_string(first->object));
    json_object_set_new(object, "count", json_integer((json_int_t)first->count));
    json_object_set_new(object, "blocks", json_integer((json_int_t)first->blocks));
    json_object_set_new(object, "what", report_json_string(report_finding_message(f)));
    json_object_set_new(object, "why", json_string(kind->why));
    json_object_set_new(object, "cure", json_string(kind->cure));
    if (f->witness && f->witness->tried) json_object_set_new(object, "witness", witness_json(f->witness));
    return object;
}

/* `value` is null if the metric could not be read; `measured` says why. */
static json_t *outcome_json(const report_outcome *o) {
    return json_pack("{s:o, s:I, s:o, s:b, s:o, s:s}", "file", report_json_string(o->rule->file), "line",
                     (json_int_t)o->rule->line, "expect", report_json_string(o->rule->text), "holds", o->holds, "value",
                     o->reading == REPORT_READ ? report_json_number(o->value) : json_null(), "measured", o->measured);
}

haul_status report_check_json(const report_verdict *v, json_t **json) {
    json_t *findings = json_array(), *expectations = json_array();
    for (size_t i = 0; i < v->finding_count; i++) {
        if (!v->findings[i].ignored_by) json_array_append_new(findings, finding_json(&v->findings[i]));
    }
    for (size_t i = 0; i < v->outcome_count; i++) json_array_append_new(expectations, outcome_json(&v->outcomes[i]));
    *json =
        json_pack("{s:I, s:o, s:o, s:o, s:I}", "id", (json_int_t)v->launch.id, "kernel", report_json_string(v->kernel),
                  "findings", findings, "expectations", expectations, "ignored", (json_int_t)v->ignored);
    if (*json && v->launch.schedules)
        (void)json_object_set_new(
            *json, "schedules",
            json_pack("{s:I, s:b}", "compared", (json_int_t)v->launch.schedules, "differ", v->launch.differs));
    if (*json && v->launch.has_device)
        (void)json_object_set_new(*json, "device", json_integer((json_int_t)v->launch.device));
    return *json ? HAUL_OK : haul_no_memory("the report");
}

haul_status report_unrun_json(const report_unrun *u, json_t **json) {
    *json = json_pack("{s:I, s:o, s:o}", "id", (json_int_t)u->id, "kernel", report_json_string(u->kernel), "error",
                      report_json_string(u->reason));
    return *json ? HAUL_OK : haul_no_memory("the report");
}
