/* Shows a haul_diagnosis: as a section of a document, for people, and as JSON, for programs.
 *
 * Both come from the same rows of diagnosis.def. A row is a group's title, a word or a number with its unit; the text
 * leaves zeros out if the row says so, the JSON has all rows. */
#include "report/diagnosis.h"

#include "base/status.h"
#include "report/json.h"

/* A row of diagnosis.def with its value. */
typedef struct figure {
    const char *group; /* the group's title, in its first row */
    const char *key, *title, *word;
    report_unit unit;
    double value;
    bool wasteful;
} figure;

enum { MOST_FIGURES = 64 };

/* Evaluates all rows for this diagnosis and returns how many there are. */
static size_t list_figures(const haul_diagnosis *d, figure figures[MOST_FIGURES]) {
    const figure all[] = {
#define GROUP(key_, title_) {.group = title_, .key = #key_},
#define WORD(key_, title_, value_) {.key = #key_, .title = title_, .unit = REPORT_TEXT, .word = value_},
#define FIGURE(key_, title_, unit_, value_) WASTE(key_, title_, unit_, value_, false)
#define WASTE(key_, title_, unit_, value_, when) \
    {.key = #key_, .title = title_, .unit = unit_, .value = (double)(value_), .wasteful = when},
#include "report/diagnosis.def"
#undef GROUP
#undef WORD
#undef FIGURE
#undef WASTE
    };
    _Static_assert(sizeof all / sizeof *all <= MOST_FIGURES, "room for all figures");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) figures[i] = all[i];
    return sizeof all / sizeof *all;
}

/* ---- for people ---- */

static const report_column figure_columns[] = {
    {"figure", "Figure", REPORT_TEXT, NULL},
    {"value", "Value", REPORT_TEXT, NULL},
};
static const report_column advice_columns[] = {
    {"gain", "Faster", REPORT_TEXT, "times the transfer's rate, by estimate"},
    {"relief", "SM freer", REPORT_TEXT, "times fewer cycles of the SM's pipes"},
    {"change", "Change", REPORT_TEXT, NULL},
    {"text", "What to do", REPORT_TEXT, NULL},
};

/* A title that begins with a dot marks a figure that means nothing if it is zero. */
static bool is_shown(const figure *f) {
    return f->word || f->value > 0 || f->title[0] != '.';
}

static void add_figure(report_table *t, const figure *f) {
    char number[REPORT_NUMBER_SIZE];
    report_add_row(t);
    report_add_text(t, "%s", f->title);
    report_add_text(t, "%s", f->word ? f->word : report_format(f->unit, f->value, number));
    if (f->wasteful) report_set_tone(t, REPORT_WARNING);
}

/* The columns are the time that the change saves, and the resources of the SM that it frees. */
static void add_advice(report_section *s, const haul_diagnosis *d) {
    if (d->optimal) report_add_note(s, REPORT_GOOD, "Nothing that was tried would make it faster.");
    if (d->advice_count == 0) return;
    report_table *t = report_add_table(s, "advice", "What would help", advice_columns, 4);
    for (size_t i = 0; i < d->advice_count; i++) {
        const haul_advice *a = &d->advice[i];
        report_add_row(t);
        report_add_text(t, "%.2f x", a->gain);
        report_add_text(t, "%.2f x", a->relief);
        report_add_text(t, "%s", a->title);
        report_add_text(t, "%s", a->text);
    }
}

void report_add_diagnosis(report_document *document, const char *name, const haul_diagnosis *d) {
    figure figures[MOST_FIGURES];
    const size_t count = list_figures(d, figures);
    report_section *s = report_add_section(document, name, "A transfer's diagnosis");
    report_table *t = NULL;
    for (size_t i = 0; i < count; i++) {
        if (figures[i].group)
            t = report_add_table(s, figures[i].key, figures[i].group, figure_columns, 2);
        else if (is_shown(&figures[i]))
            add_figure(t, &figures[i]);
    }
    add_advice(s, d);
}

/* ---- for programs ---- */

/* The fields are those of haul_traffic under their own names. */
static json_t *traffic_json(const haul_traffic *t) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "instructions", (json_int_t)t->instructions,
                     "requests", (json_int_t)t->requests, "sectors", (json_int_t)t->sectors, "ideal_sectors",
                     (json_int_t)t->ideal_sectors, "hits", (json_int_t)t->hits, "wavefronts", (json_int_t)t->wavefronts,
                     "l2_sectors", (json_int_t)t->l2_sectors, "bytes", (json_int_t)t->bytes, "shared_wavefronts",
                     (json_int_t)t->shared_wavefronts, "ideal_shared_wavefronts",
                     (json_int_t)t->ideal_shared_wavefronts);
}

/* Only classes of instructions that the transfer executes. */
static json_t *classes_json(const haul_diagnosis *d) {
    json_t *classes = json_object();
    for (unsigned i = 0; i < HAUL_CLASS_COUNT; i++) {
        if (d->classes[i].instructions) json_object_set_new(classes, haul_class_names[i], traffic_json(&d->classes[i]));
    }
    return classes;
}

static json_t *advice_json(const haul_diagnosis *d) {
    json_t *advice = json_array();
    for (size_t i = 0; i < d->advice_count; i++)
        json_array_append_new(advice, json_pack("{s:s, s:f, s:s}", "change", d->advice[i].key, "gain",
                                                d->advice[i].gain, "text", d->advice[i].text));
    return advice;
}

/* Running out of memory shows as a NULL from json_pack() or as a failure of json_object_set_new(); both free what they
 * were given. */
haul_status report_diagnosis_json(const haul_diagnosis *d, json_t **json) {
    figure figures[MOST_FIGURES];
    const size_t count = list_figures(d, figures);
    *json = json_pack("{s:s, s:b}", "machine", d->machine, "optimal", d->optimal);
    bool complete = *json != NULL;
    for (size_t i = 0; i < count && complete; i++) {
        const figure *f = &figures[i];
        if (f->group) continue;
        json_t *value = f->word ? json_string(f->word) : report_json_number(f->value);
        complete = json_object_set_new(*json, f->key, value) == 0;
    }
    complete = complete && json_object_set_new(*json, "classes", classes_json(d)) == 0 &&
               json_object_set_new(*json, "advice", advice_json(d)) == 0;
    if (complete) return HAUL_OK;
    json_decref(*json);
    *json = NULL;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
}
