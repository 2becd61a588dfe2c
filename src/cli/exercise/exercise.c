/* Exercises, read from their files: the list, symptoms of any exercise, and one exercise's exercise.json.
 *
 * All files are checked when they are read, in full, so that the rest of the code can rely on them: names of metrics,
 * keys of symptoms, one limit for each need. A mistake gives HAUL_ERROR_SYNTAX with the file's name. The folder is
 * found beside the program or where an installation has it (compile_find_own()). Texts point into the JSON, which the
 * list or exercise owns. */
#include "cli/exercise/exercise.h"

#include "base/nearest.h"
#include "base/status.h"
#include "lib/compile.h"

#include <string.h>

enum { MOST_NAMES = 64 };

/* ---- files ---- */

/* The message for a file whose JSON is valid but not as described. */
static haul_status wrong(const char *path, const char *what) {
    return haul_fail(HAUL_ERROR_SYNTAX, "%s: %s (docs/exercises.md)", path, what);
}

/* Reads JSON. Errors name the line; jansson gives none if the file cannot be opened. */
static haul_status load(const char *path, json_t **json) {
    json_error_t error;
    *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (*json) return HAUL_OK;
    if (error.line < 1) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be read: %s", path, error.text);
    return haul_fail(HAUL_ERROR_SYNTAX, "%s:%d: %s", path, error.line, error.text);
}

/* An empty array counts as one. */
static bool is_text_array(const json_t *array) {
    size_t i;
    json_t *item;
    if (!json_is_array(array)) return false;
    json_array_foreach(array, i, item) if (!json_is_string(item)) return false;
    return true;
}

/* ---- checks ---- */

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* The functions wrong_...() return what is wrong, or NULL. */
static const char *wrong_need(const json_t *need) {
    static const char *const limits[] = {"at_least", "at_most", "at_most_ideal", "at_most_shipped"};
    size_t count = 0;
    if (!is_one_of(json_string_value(json_object_get(need, "metric")), exercise_metric_names, EXERCISE_METRICS))
        return "a need names no metric";
    for (size_t i = 0; i < 4; i++) count += json_is_number(json_object_get(need, limits[i]));
    if (count != 1) return "a need has one of at_least, at_most, at_most_ideal and at_most_shipped, a number";
    return json_is_string(json_object_get(need, "what")) ? NULL : "a need has no `what`";
}

/* Unknown keys are refused: a misspelt one would match everything. */
static const char *wrong_symptom(const json_t *symptom) {
    static const char *const keys[] = {"finding", "space", "action", "case",  "right_case", "shape", "written",
                                       "zeros",   "shift", "call",   "fault", "need",       "ended", "hint"};
    const char *key;
    json_t *value;
    if (!json_is_string(json_object_get(symptom, "hint"))) return "a symptom has no hint";
    json_object_foreach((json_t *)symptom, key, value) {
        if (!is_one_of(key, keys, sizeof keys / sizeof *keys)) return "a symptom has an unknown key";
    }
    return NULL;
}

/* Checks each item of an array, which may be missing. */
static const char *wrong_item(const json_t *array, const char *(*check)(const json_t *)) {
    size_t i;
    json_t *item;
    const char *what = NULL;
    json_array_foreach(array, i, item) if ((what = check(item))) return what;
    return array && !json_is_array(array) ? "needs and symptoms are arrays" : NULL;
}

/* Needs and symptoms may be missing; the rest is required. */
static const char *wrong_spec(const json_t *spec) {
    const char *what;
    if (!json_is_string(json_object_get(spec, "title"))) return "there is no title";
    if (!json_is_string(json_object_get(spec, "function"))) return "there is no function";
    const json_t *hints = json_object_get(spec, "hints");
    if (!is_text_array(hints) || !json_array_size(hints)) return "hints is not a list of texts";
    const json_t *scored = json_object_get(spec, "scored");
    if (scored && !is_one_of(json_string_value(scored), exercise_metric_names, EXERCISE_METRICS))
        return "scored names no metric";
    if ((what = wrong_item(json_object_get(spec, "needs"), wrong_need))) return what;
    return wrong_item(json_object_get(spec, "symptoms"), wrong_symptom);
}

/* ---- the list ---- */

/* Reads FOLDER/NAME; `path` has the file's path for messages. */
static haul_status load_in(const text *folder, const char *name, json_t **json, text *path) {
    text_clear(path);
    text_printf(path, "%s/%s", text_string(folder), name);
    return path->failed ? haul_no_memory("the exercise") : load(text_string(path), json);
}

static haul_status load_list(exercise_list *list, text *path) {
    HAUL_TRY(load_in(&list->folder, "exercises.json", &list->names, path));
    if (!is_text_array(list->names) || json_array_size(list->names) > MOST_NAMES)
        return wrong(text_string(path), "it has to be a list of at most 64 names");
    HAUL_TRY(load_in(&list->folder, "symptoms.json", &list->general, path));
    const char *what = wrong_item(list->general, wrong_symptom);
    return what ? wrong(text_string(path), what) : HAUL_OK;
}

/* The exercises' folder is that of exercises.json. */
haul_status exercise_list_open(exercise_list *list) {
    text path = {0};
    *list = (exercise_list){0};
    haul_status status = compile_find_own("exercises/exercises.json", &path);
    if (status == HAUL_OK)
        text_append(&list->folder, text_string(&path), (size_t)(strrchr(text_string(&path), '/') - text_string(&path)));
    if (list->folder.failed) status = haul_no_memory("the exercise");
    if (status == HAUL_OK) status = load_list(list, &path);
    text_free(&path);
    return status;
}

void exercise_list_free(exercise_list *list) {
    json_decref(list->names);
    json_decref(list->general);
    text_free(&list->folder);
    *list = (exercise_list){0};
}

/* ---- one exercise ---- */

/* Sets `found` to the list's own copy of the name, which lives as long as the list. */
static haul_status find_name(const exercise_list *list, const char *name, const char **found) {
    const char *names[MOST_NAMES];
    size_t i;
    json_t *item;
    json_array_foreach(list->names, i, item) {
        names[i] = json_string_value(item);
        if (strcmp(name, names[i]) == 0) *found = names[i];
    }
    if (*found) return HAUL_OK;
    const char *near = nearest_name(name, names, json_array_size(list->names));
    if (near) return haul_fail(HAUL_ERROR_NOT_FOUND, "unknown exercise %s: did you mean %s?", name, near);
    return haul_fail(HAUL_ERROR_NOT_FOUND, "unknown exercise %s: `haul exercise list` lists them", name);
}

haul_status exercise_open(exercise *e, const exercise_list *list, const char *name) {
    text path = {0};
    *e = (exercise){.general = list->general};
    HAUL_TRY(find_name(list, name, &e->name));
    text_printf(&e->folder, "%s/%s", text_string(&list->folder), e->name);
    haul_status status =
        e->folder.failed ? haul_no_memory("the exercise") : load_in(&e->folder, "exercise.json", &e->spec, &path);
    const char *what = status == HAUL_OK ? wrong_spec(e->spec) : NULL;
    if (what) status = wrong(text_string(&path), what);
    text_free(&path);
    return status;
}

void exercise_free(exercise *e) {
    json_decref(e->spec);
    text_free(&e->folder);
    *e = (exercise){0};
}

const char *exercise_title(const exercise *e) {
    return json_string_value(json_object_get(e->spec, "title"));
}

size_t exercise_hint_count(const exercise *e) {
    return json_array_size(json_object_get(e->spec, "hints"));
}

const char *exercise_hint(const exercise *e, size_t number) {
    return json_string_value(json_array_get(json_object_get(e->spec, "hints"), number - 1));
}
