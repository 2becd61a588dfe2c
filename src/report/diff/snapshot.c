/* Makes a snapshot from launch records, and writes it as a baseline. Reading is read.c's. */
#include "report/diff/snapshot.h"

#include "base/mangled.h"
#include "base/status.h"
#include "report/check/metrics.h"
#include "report/json.h"
#include "report/traffic.h"

#include <stdlib.h>
#include <string.h>

void report_snapshot_free(report_snapshot *s) {
    arena_free(&s->memory);
    *s = (report_snapshot){0};
}

const char *snapshot_copy(report_snapshot *s, const char *string) {
    return arena_copy(&s->memory, string, strlen(string));
}

/* ---- launches ---- */

report_snapshot_launch *snapshot_push(report_snapshot *s, const char *symbol) {
    size_t length;
    const char *plain = mangled_name(symbol, &length);
    const report_snapshot_launch launch = {.kernel = arena_copy(&s->memory, plain, length),
                                           .symbol = snapshot_copy(s, symbol)};
    ARENA_PUSH(&s->memory, s->launches, s->launch_count, s->launch_capacity, launch);
    return &s->launches[s->launch_count - 1];
}

void snapshot_add_value(report_snapshot *s, report_snapshot_launch *launch, const char *name, report_unit unit,
                        double number) {
    const report_value value = {snapshot_copy(s, name), unit, number, number, number};
    ARENA_PUSH(&s->memory, launch->values, launch->value_count, launch->value_capacity, value);
}

/* Counters that were not read are negative. */
static void add_counters(report_snapshot *s, report_snapshot_launch *launch, const haul_launch_record *r) {
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++)
        if (r->counters[i] >= 0) snapshot_add_value(s, launch, haul_counters[i].key, REPORT_COUNT, r->counters[i]);
}

static void add_values(report_snapshot *s, report_snapshot_launch *launch, const haul_launch_record *r,
                       const haul_launch_record *measured) {
    report_metric metric;
    double value;
    for (size_t i = 0; report_metric_at(i, &metric); i++)
        if (metric.of_launch && report_read_metric(&metric, NULL, NULL, r, &value) == REPORT_READ)
            snapshot_add_value(s, launch, metric.name, metric.unit, value);
    if (measured && measured->measured_us >= 0) {
        snapshot_add_value(s, launch, "us", REPORT_MICROSECONDS, measured->measured_us);
        launch->values[launch->value_count - 1].low = measured->measured_range_us.low;
        launch->values[launch->value_count - 1].high = measured->measured_range_us.high;
    }
    add_counters(s, launch, measured && measured->counters[0] >= 0 ? measured : r);
}

/* ---- lines ---- */

static const char *name_of_file(report_snapshot *s, report_sources *sources, const char *file) {
    const char *path = report_source_path(sources, file);
    const size_t length = s->root ? strlen(s->root) : 0;
    if (!path) path = file;
    if (length && strncmp(path, s->root, length) == 0 && path[length] == '/')
        path = arena_printf(&s->memory, "%s%s", s->stands_for, path + length);
    return report_local_name(path);
}

static report_snapshot_file *find_file(report_snapshot *s, report_sources *sources, const char *file) {
    const char *name = name_of_file(s, sources, file), *source = report_source_text(sources, file);
    for (report_snapshot_file *f = s->files; f; f = f->next)
        if (strcmp(f->name, name) == 0) return f;
    report_snapshot_file *f = ARENA_NEW(&s->memory, report_snapshot_file);
    *f = (report_snapshot_file){.next = s->files, .name = snapshot_copy(s, name)};
    if (source) f->code = report_code_of(&s->memory, source);
    return s->files = f;
}

/* Code and name of a line of a file; of PTX if there is no file. */
typedef struct place {
    const char *file, *code;
    uint32_t line;
} place;

static place place_of(report_snapshot *s, report_sources *sources, const char *file, uint32_t line) {
    const report_snapshot_file *f = find_file(s, sources, file);
    const bool known = line && line <= f->code.count;
    return (place){f->name, known ? f->code.lines[line - 1] : "", line};
}

static place place_of_instruction(report_snapshot *s, report_sources *sources, const haul_instruction_record *r) {
    const haul_source_place *user = report_user_place(&r->place);
    if (user->file && user->line) return place_of(s, sources, user->file, user->line);
    return (place){"PTX", report_code_of_ptx(&s->memory, r->text ? r->text : ""), r->ptx_line};
}

report_snapshot_line *snapshot_line(report_snapshot *s, report_snapshot_launch *launch, const char *file, uint32_t line,
                                    const char *code) {
    for (size_t i = launch->line_count; i-- > 0;) {
        report_snapshot_line *l = &launch->lines[i];
        if (line && l->line == line && strcmp(l->file, file) == 0) return l;
    }
    const report_snapshot_line added = {.file = file, .line = line, .code = code};
    ARENA_PUSH(&s->memory, launch->lines, launch->line_count, launch->line_capacity, added);
    return &launch->lines[launch->line_count - 1];
}

static int by_place(const void *a, const void *b) {
    const report_snapshot_line *x = a, *y = b;
    const int order = strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void add_lines(report_snapshot *s, report_snapshot_launch *launch, const haul_launch_record *r,
                      report_sources *sources) {
    launch->has_lines = r->instruction_count > 0;
    for (size_t i = 0; i < r->instruction_count; i++) {
        const haul_instruction_record *instruction = &r->instructions[i];
        if (instruction->memory_class == HAUL_CLASS_NONE || !instruction->traffic.instructions) continue;
        const place p = place_of_instruction(s, sources, instruction);
        report_snapshot_line *line = snapshot_line(s, launch, p.file, p.line, p.code);
        haul_traffic_add(&line->classes[instruction->memory_class], &instruction->traffic);
    }
    if (launch->line_count) qsort(launch->lines, launch->line_count, sizeof *launch->lines, by_place);
}

/* ---- findings and results ---- */

static void add_findings(report_snapshot *s, report_snapshot_launch *launch, const report_verdict *v,
                         report_sources *sources) {
    launch->checked = true;
    for (size_t i = 0; i < v->finding_count; i++) {
        const report_finding *f = &v->findings[i];
        if (f->ignored_by) continue;
        const haul_instruction_record *r = f->access.instruction;
        const place p = r ? place_of_instruction(s, sources, r) : (place){"", "", 0};
        const report_snapshot_finding added = {.kind = haul_finding_kinds[f->first->kind].key,
                                               .file = p.file,
                                               .code = p.code,
                                               .line = p.line,
                                               .count = f->first->count,
                                               .what = snapshot_copy(s, report_finding_message(f))};
        ARENA_PUSH(&s->memory, launch->findings, launch->finding_count, launch->finding_capacity, added);
    }
}

static void add_outputs(report_snapshot *s, report_snapshot_launch *launch, const report_snapshot_facts *facts) {
    for (size_t i = 0; i < facts->output_count; i++) {
        const char *hash = arena_printf(&s->memory, "%016llx", (unsigned long long)facts->outputs[i]);
        ARENA_PUSH(&s->memory, launch->outputs, launch->output_count, launch->output_capacity, hash);
    }
}

static void add(report_snapshot *s, const haul_launch_record *r, const report_snapshot_facts *facts) {
    report_snapshot_launch *launch = snapshot_push(s, r->kernel);
    memcpy(launch->grid, r->grid, sizeof launch->grid);
    memcpy(launch->block, r->block, sizeof launch->block);
    launch->shared_bytes = r->shared_bytes;
    add_values(s, launch, r, facts->measured);
    add_lines(s, launch, r, facts->sources);
    if (facts->verdict) add_findings(s, launch, facts->verdict, facts->sources);
    add_outputs(s, launch, facts);
}

haul_status report_snapshot_add(report_snapshot *s, const haul_launch_record *record,
                                const report_snapshot_facts *facts) {
    jmp_buf out_of_memory;
    s->memory.out_of_memory = &out_of_memory;
    const bool failed = setjmp(out_of_memory) != 0;
    if (!failed) add(s, record, facts);
    s->memory.out_of_memory = NULL;
    return failed ? haul_no_memory("the comparison") : HAUL_OK;
}

/* ---- the baseline ---- */

/* Six digits: fewer than two builds of haul might differ in, and enough for any change that matters. */
static void put_json(text *out, json_t *value) {
    char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    if (dump)
        text_put(out, dump);
    else
        out->failed = true;
    free(dump);
    json_decref(value);
}

static void put_string(text *out, const char *s) {
    put_json(out, report_json_string(s));
}

/* Begins a member's array or object, or goes to its next item. */
static void put_next(text *out, size_t index, const char *indent) {
    text_printf(out, "%s\n%s", index ? "," : "", indent);
}

/* Leaves out values that depend on the host, and zeros. */
static bool is_kept(const report_value *v) {
    return v->number != 0 && strcmp(v->name, "us") != 0;
}

static void put_values(text *out, const report_snapshot_launch *launch) {
    size_t count = 0;
    text_put(out, ",\n   \"values\": {");
    for (size_t i = 0; i < launch->value_count; i++) {
        const report_value *v = &launch->values[i];
        if (!is_kept(v)) continue;
        put_next(out, count++, "    ");
        put_string(out, v->name);
        text_put(out, ": ");
        put_json(out, report_json_number(v->number));
    }
    text_put(out, "}");
}

static void put_lines(text *out, const report_snapshot_launch *launch) {
    size_t count = 0;
    text_put(out, ",\n   \"lines\": [");
    for (size_t i = 0; i < launch->line_count; i++) {
        const report_snapshot_line *line = &launch->lines[i];
        for (int class = 1; class < HAUL_CLASS_COUNT; class ++) {
            if (!line->classes[class].instructions) continue;
            put_next(out, count++, "    {\"file\": ");
            put_string(out, line->file);
            text_put(out, ", \"code\": ");
            put_string(out, line->code);
            text_printf(out, ", \"class\": \"%s\",\n     \"traffic\": ", haul_class_names[class]);
            put_json(out, report_traffic_json(&line->classes[class]));
            text_put(out, "}");
        }
    }
    text_put(out, "]");
}

static void put_findings(text *out, const report_snapshot_launch *launch) {
    text_put(out, ",\n   \"findings\": [");
    for (size_t i = 0; i < launch->finding_count; i++) {
        const report_snapshot_finding *f = &launch->findings[i];
        put_next(out, i, "    {\"kind\": ");
        put_string(out, f->kind);
        text_put(out, ", \"file\": ");
        put_string(out, f->file);
        text_put(out, ", \"code\": ");
        put_string(out, f->code);
        text_printf(out, ", \"count\": %llu}", (unsigned long long)f->count);
    }
    text_put(out, "]");
}

static void put_outputs(text *out, const report_snapshot_launch *launch) {
    text_put(out, ",\n   \"outputs\": [");
    for (size_t i = 0; i < launch->output_count; i++) text_printf(out, "%s\"%s\"", i ? ", " : "", launch->outputs[i]);
    text_put(out, "]");
}

/* The plain name, unless instances of a template share it. */
static const char *name_of(const report_snapshot *s, const report_snapshot_launch *launch) {
    for (size_t i = 0; i < s->launch_count; i++) {
        const report_snapshot_launch *other = &s->launches[i];
        if (strcmp(other->kernel, launch->kernel) == 0 && strcmp(other->symbol, launch->symbol) != 0)
            return launch->symbol;
    }
    return launch->kernel;
}

static void put_launch(text *out, const report_snapshot *s, const report_snapshot_launch *launch) {
    const uint32_t *g = launch->grid, *b = launch->block;
    text_put(out, "  {\"kernel\": ");
    put_string(out, name_of(s, launch));
    text_printf(out, ", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"smem\": %u", g[0], g[1], g[2], b[0], b[1],
                b[2], launch->shared_bytes);
    put_values(out, launch);
    put_lines(out, launch);
    if (launch->checked) put_findings(out, launch);
    put_outputs(out, launch);
    text_put(out, "}");
}

/* Launches of one kernel keep their order. */
static void sort_launches(report_snapshot *s) {
    for (size_t i = 1; i < s->launch_count; i++) {
        const report_snapshot_launch launch = s->launches[i];
        size_t k = i;
        for (; k > 0 && strcmp(s->launches[k - 1].kernel, launch.kernel) > 0; k--) s->launches[k] = s->launches[k - 1];
        s->launches[k] = launch;
    }
}

haul_status report_snapshot_write(report_snapshot *s, text *out) {
    sort_launches(s);
    text_put(out, "{\"report\": \"baseline\",\n \"device\": ");
    put_json(out, s->device ? report_json_string(s->device) : json_null());
    text_put(out, ",\n \"launches\": [");
    for (size_t i = 0; i < s->launch_count; i++) {
        text_put(out, i ? ",\n" : "\n");
        put_launch(out, s, &s->launches[i]);
    }
    text_put(out, "\n ]\n}\n");
    return out->failed ? haul_no_memory("the baseline") : HAUL_OK;
}
