/* Writes findings as a SARIF 2.1.0 log, which code-scanning services read.
 *
 * A service recognises a finding of an earlier log by its fingerprint, so that depends on the kernel, the kind and the
 * lines, not on paths of this machine or on the launch. The same finding in several launches is one result that counts
 * its occurrences. Paths below the current folder are relative to it, so that a service finds them in the repository.
 * The failure of an expectation is a result of its own rule. A launch that could not run is no result, but a
 * notification of the tool, and makes its run unsuccessful. */
#include "base/hash.h"
#include "base/status.h"
#include "report/check/check.h"
#include "report/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char schema[] = "https://json.schemastore.org/sarif-2.1.0.json";
static const char expectation[] = "expectation";

haul_status report_sarif_init(report_sarif *s, report_sources *sources) {
    *s = (report_sarif){.results = json_array(), .keys = json_object(), .unrun = json_array(), .sources = sources};
    return s->results && s->keys && s->unrun ? HAUL_OK : haul_no_memory("the report");
}

void report_sarif_free(report_sarif *s) {
    json_decref(s->results);
    json_decref(s->keys);
    json_decref(s->unrun);
    *s = (report_sarif){0};
}

/* ---- places ---- */

/* Percent-encodes all bytes that a path of a URI may not contain. */
static void put_encoded(text *out, const char *path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    for (; *path; path++) {
        if (strchr(plain, *path))
            text_append(out, path, 1);
        else
            text_printf(out, "%%%02X", (unsigned char)*path);
    }
}

static void put_uri(text *out, report_sources *sources, const char *file) {
    const char *found = sources ? report_source_path(sources, file) : NULL;
    const char *path = report_local_name(found ? found : file);
    if (*path == '/') text_put(out, "file://");
    while (strncmp(path, "./", 2) == 0) path += 2;
    put_encoded(out, path);
}

/* A file, and the place in it if the line is known. */
static json_t *physical_json(report_sources *sources, const char *file, uint32_t line, uint32_t column) {
    text uri = {0};
    put_uri(&uri, sources, file);
    json_t *place = json_pack("{s:{s:s}}", "artifactLocation", "uri", text_string(&uri));
    text_free(&uri);
    if (!place || !line) return place;
    json_t *region = json_pack("{s:I}", "startLine", (json_int_t)line);
    if (column && region) json_object_set_new(region, "startColumn", json_integer(column));
    json_object_set_new(place, "region", region);
    return place;
}

/* A kernel by its name. */
static json_t *logical_json(const char *kernel) {
    return json_pack("[{s:o, s:s}]", "name", report_json_string(kernel), "kind", "function");
}

static json_t *end_json(report_sources *sources, const report_finding_place *end) {
    return physical_json(sources, end->file, end->line, end->place ? end->place->column : 0);
}

/* If only the kernel is known, there is no physical place. */
static json_t *locations_json(const report_sarif *s, const report_verdict *v, const report_finding *f) {
    json_t *location = json_pack("{s:o}", "logicalLocations", logical_json(v->kernel));
    if (location && f->access.file) json_object_set_new(location, "physicalLocation", end_json(s->sources, &f->access));
    return json_pack("[o]", location);
}

/* A further place of a result; services show the message beside it. */
static json_t *related_json(json_int_t id, json_t *place, const char *message) {
    return json_pack("{s:I, s:o, s:{s:s}}", "id", id, "physicalLocation", place, "message", "text", message);
}

/* Adds the calls that the access was inlined through, except the place that the result itself shows. */
static void add_chain(report_sources *sources, json_t *related, const report_finding_place *end) {
    if (!end->instruction) return;
    for (const haul_source_place *p = &end->instruction->place; p; p = p->inlined_into) {
        if (!p->file || p == end->place) continue;
        json_t *place = physical_json(sources, p->file, p->line, p->column);
        const char *message = p->inlined_into ? "inlined from here" : "called from here";
        json_array_append_new(related, related_json((json_int_t)json_array_size(related) + 1, place, message));
    }
}

static void add_access(report_sources *sources, json_t *related, const report_finding *f,
                       const haul_finding_access *access, const report_finding_place *end, const char *intro) {
    if (!end->file) return;
    text message = {0};
    text_put(&message, intro);
    report_put_access(&message, f->first, access);
    json_array_append_new(
        related, related_json((json_int_t)json_array_size(related) + 1, end_json(sources, end), text_string(&message)));
    text_free(&message);
}

static json_t *all_related_json(const report_sarif *s, const report_finding *f) {
    json_t *related = json_array();
    add_access(s->sources, related, f, &f->first->other, &f->other, "earlier ");
    add_chain(s->sources, related, &f->access);
    add_chain(s->sources, related, &f->other);
    for (size_t i = 0; i < f->also_count; i++) {
        const report_finding *pair = &f->also[i];
        add_access(s->sources, related, pair, &pair->first->access, &pair->access, "likewise ");
        add_access(s->sources, related, pair, &pair->first->other, &pair->other, "likewise earlier ");
    }
    return related;
}

/* ---- results ---- */

static const char *level_of(haul_finding_grade grade) {
    static const char *const levels[] = {"error", "warning", "note"};
    return levels[grade];
}

/* The identity of a finding, in this log and in later ones. Names may be any bytes, so they are hashed. */
typedef struct fingerprint {
    char digits[17];
} fingerprint;

/* Only the last part of a file's path counts, because builds happen in different folders. */
static fingerprint fingerprint_of(const char *rule, const char *kernel, const report_finding_place *a,
                                  const report_finding_place *b) {
    const char *parts[] = {rule, kernel, a->file ? report_file_name(a->file) : "",
                           b && b->file ? report_file_name(b->file) : ""};
    const uint32_t lines[] = {a->line, b ? b->line : 0};
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) hash = hash_bytes(hash, parts[i], strlen(parts[i]) + 1);
    hash = hash_bytes(hash, lines, sizeof lines);
    fingerprint f;
    snprintf(f.digits, sizeof f.digits, "%016llx", (unsigned long long)hash);
    return f;
}

static json_t *fingerprint_json(const fingerprint *key) {
    return json_pack("{s:s}", "haulFinding/v1", key->digits);
}

static json_t *suppressions_json(const report_rule *rule) {
    json_t *suppression = json_pack("{s:s}", "kind", rule->in_source ? "inSource" : "external");
    if (rule->reason && suppression)
        json_object_set_new(suppression, "justification", report_json_string(rule->reason));
    return json_pack("[o]", suppression);
}

static json_t *message_json(const report_finding *f) {
    text message = {0};
    const haul_finding *first = f->first;
    const haul_finding_info *kind = &haul_finding_kinds[first->kind];
    text_printf(&message, "%s: %s", kind->key, kind->why);
    if (first->what && *first->what) text_printf(&message, " Here: %s.", first->what);
    if (first->object) text_printf(&message, " Where: %s.", first->object);
    if (f->also_count) {
        text_put(&message, " Also: ");
        report_put_also(&message, f);
        text_put(&message, ".");
    }
    if (first->count > 1) text_put(&message, " Concerns ");
    report_put_concerned(&message, first);
    if (first->count > 1) text_put(&message, ".");
    if (f->witness && f->witness->tried) {
        text_put(&message, " Witness: ");
        report_put_witness(&message, f->witness);
        text_put(&message, ".");
    }
    text_printf(&message, " %s", kind->cure);
    json_t *object = json_pack("{s:o}", "text", report_json_string(text_string(&message)));
    text_free(&message);
    return object;
}

/* Threads involved, over all launches. */
static json_int_t occurrences_of(const report_finding *f) {
    return f->first->count ? (json_int_t)f->first->count : 1;
}

static json_t *result_json(const report_sarif *s, const report_verdict *v, const report_finding *f,
                           const fingerprint *key) {
    const haul_finding *first = f->first;
    json_t *result = json_pack("{s:s, s:I, s:s, s:o, s:o, s:o, s:I}", "ruleId", haul_finding_kinds[first->kind].key,
                               "ruleIndex", (json_int_t)first->kind, "level", level_of(first->grade), "message",
                               message_json(f), "locations", locations_json(s, v, f), "partialFingerprints",
                               fingerprint_json(key), "occurrenceCount", occurrences_of(f));
    json_t *related = all_related_json(s, f);
    if (json_array_size(related)) json_object_set(result, "relatedLocations", related);
    json_decref(related);
    if (f->ignored_by) json_object_set_new(result, "suppressions", suppressions_json(f->ignored_by));
    return result;
}

static json_t *failure_json(const report_sarif *s, const report_verdict *v, const report_outcome *o,
                            const fingerprint *key) {
    const report_rule *rule = o->rule;
    json_t *text_of = json_sprintf("Expected %s: %s in %s.", rule->text, o->measured, v->kernel);
    json_t *location = json_pack("{s:o, s:o}", "physicalLocation", physical_json(s->sources, rule->file, rule->line, 0),
                                 "logicalLocations", logical_json(v->kernel));
    return json_pack("{s:s, s:I, s:s, s:{s:o}, s:[o], s:o}", "ruleId", expectation, "ruleIndex",
                     (json_int_t)HAUL_FINDING_COUNT, "level", "error", "message", "text", text_of, "locations",
                     location, "partialFingerprints", fingerprint_json(key));
}

/* If the log has this finding already, adds the occurrences to it and returns true. */
static bool is_known(report_sarif *s, const fingerprint *key, json_int_t count) {
    json_t *index = json_object_get(s->keys, key->digits);
    if (!index) return false;
    json_t *result = json_array_get(s->results, (size_t)json_integer_value(index));
    json_t *occurrences = json_object_get(result, "occurrenceCount");
    if (occurrences) json_integer_set(occurrences, json_integer_value(occurrences) + count);
    return true;
}

/* Appends the result; `keys` maps its fingerprint to its index. */
static haul_status keep(report_sarif *s, const fingerprint *key, json_t *result) {
    json_int_t index = (json_int_t)json_array_size(s->results);
    bool kept = result && json_array_append_new(s->results, result) == 0 &&
                json_object_set_new(s->keys, key->digits, json_integer(index)) == 0;
    return kept ? HAUL_OK : haul_no_memory("the report");
}

static haul_status add_finding(report_sarif *s, const report_verdict *v, const report_finding *f) {
    const fingerprint key = fingerprint_of(haul_finding_kinds[f->first->kind].key, v->kernel, &f->access, &f->other);
    return is_known(s, &key, occurrences_of(f)) ? HAUL_OK : keep(s, &key, result_json(s, v, f, &key));
}

static haul_status add_failure(report_sarif *s, const report_verdict *v, const report_outcome *o) {
    const report_finding_place place = {.file = o->rule->file, .line = o->rule->line};
    const fingerprint key = fingerprint_of(o->rule->text, v->kernel, &place, NULL);
    return is_known(s, &key, 1) ? HAUL_OK : keep(s, &key, failure_json(s, v, o, &key));
}

haul_status report_sarif_add(report_sarif *s, const report_verdict *v) {
    for (size_t i = 0; i < v->finding_count; i++) HAUL_TRY(add_finding(s, v, &v->findings[i]));
    for (size_t i = 0; i < v->outcome_count; i++) {
        if (!v->outcomes[i].holds) HAUL_TRY(add_failure(s, v, &v->outcomes[i]));
    }
    return HAUL_OK;
}

haul_status report_sarif_add_unrun(report_sarif *s, const report_unrun *u) {
    json_t *location = json_pack("{s:o}", "logicalLocations", logical_json(u->kernel));
    json_t *notification = json_pack("{s:s, s:{s:o}, s:[o]}", "level", "error", "message", "text",
                                     report_json_string(u->reason), "locations", location);
    return json_array_append_new(s->unrun, notification) == 0 ? HAUL_OK : haul_no_memory("the report");
}

/* ---- the log ---- */

static json_t *rule_json(const char *id, const char *why, const char *cure, haul_finding_grade grade) {
    return json_pack("{s:s, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:[s]}}", "id", id, "shortDescription", "text", why,
                     "fullDescription", "text", why, "help", "text", cure, "defaultConfiguration", "level",
                     level_of(grade), "properties", "tags", "cuda");
}

/* All kinds of findings are listed as rules, in the order of their enumerators: results refer to them by index. The
 * rule of expectations comes last. */
static json_t *rules_json(void) {
    json_t *rules = json_array();
    for (int i = 0; i < HAUL_FINDING_COUNT; i++) {
        const haul_finding_info *kind = &haul_finding_kinds[i];
        json_array_append_new(rules, rule_json(kind->key, kind->why, kind->cure, kind->grade));
    }
    json_array_append_new(rules, rule_json(expectation, "The kernel's memory behaviour is not what was expected of it.",
                                           "Repair the kernel, or the expectation.", HAUL_GRADE_ERROR));
    return rules;
}

haul_status report_sarif_write(const report_sarif *s, text *out) {
    json_t *tool = json_pack("{s:{s:s, s:s, s:s, s:o}}", "driver", "name", "haul", "version", HAUL_VERSION,
                             "semanticVersion", HAUL_VERSION, "rules", rules_json());
    json_t *invocation = json_pack("{s:b, s:O}", "executionSuccessful", json_array_size(s->unrun) == 0,
                                   "toolExecutionNotifications", s->unrun);
    json_t *log =
        json_pack("{s:s, s:s, s:[{s:o, s:[o], s:s, s:O}]}", "$schema", schema, "version", "2.1.0", "runs", "tool", tool,
                  "invocations", invocation, "columnKind", "utf16CodeUnits", "results", s->results);
    return report_json_put(log, JSON_INDENT(1), out);
}
