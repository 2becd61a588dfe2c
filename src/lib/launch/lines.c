/* Reads launch files: a JSON object on each line (lib/launch/launches.h defines them), and keeps the list of launches.
 *
 * All strings and arrays live in the list's arena. Each line is first checked against fields.def, so that a misspelt
 * member is an error and not a default; then one reader for each member fills in the description. Textures, tensor
 * maps, buffers and bytes, and scalars have their readers in texture.c, tensor.c, buffer.c and scalar_values.c. The
 * JSON object stays in the description, because the printed line repeats it (launch_to_json()). */
#include "base/file.h"
#include "base/status.h"
#include "base/text.h"
#include "lib/launch/launches.h"
#include "lib/launch/read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const launch_access_names[] = {
    [HAUL_L2_NORMAL] = "normal", [HAUL_L2_STREAMING] = "streaming", [HAUL_L2_PERSISTING] = "persisting"};

/* ---- reading one line ----
 * Every reader takes the member's name for its message; read_line() puts `where` before it. */

/* Fails for the member `what`. */
static haul_status wrong(const char *what, const char *must) {
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s: %s", what, must);
}

/* Reads a whole number from `low` to `high`. A missing value is an error; callers look first if a member is
 * optional. */
haul_status launch_read_integer(json_t *value, const char *what, int64_t low, int64_t high, int64_t *out) {
    if (!json_is_integer(value)) return wrong(what, value ? "must be a whole number" : "is missing");
    int64_t n = json_integer_value(value);
    if (n < low || n > high) {
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: %" PRId64 " is not between %" PRId64 " and %" PRId64, what, n, low,
                         high);
    }
    *out = n;
    return HAUL_OK;
}

/* Reads a grid or block of one to three extents; missing ones are 1. The device checks their limits. */
static haul_status read_extent(json_t *value, const char *what, uint32_t extent[3]) {
    size_t count = json_array_size(value);
    if (count < 1 || count > 3) return wrong(what, value ? "must be an array of one to three numbers" : "is missing");
    for (size_t i = 0; i < 3; i++) {
        int64_t n = 1;
        if (i < count) HAUL_TRY(launch_read_integer(json_array_get(value, i), what, 1, UINT32_MAX, &n));
        extent[i] = (uint32_t)n;
    }
    return HAUL_OK;
}

/* Copies the text into the list's memory; an empty one is an error. */
haul_status launch_read_string(launch_list *list, json_t *value, const char *what, const char **out) {
    if (!json_is_string(value) || !json_string_length(value))
        return wrong(what, value ? "must be a string" : "is missing");
    *out = arena_copy(&list->memory, json_string_value(value), json_string_length(value));
    return *out ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the launches");
}

/* Reads the recorded hash of the contents after the kernel, if there is one. */
static haul_status read_after(json_t *object, launch_argument *a) {
    const char *hex = json_string_value(json_object_get(object, "after"));
    if (!hex) return HAUL_OK;
    if (strlen(hex) != 16 || strspn(hex, "0123456789abcdefABCDEF") != 16)
        return wrong("after", "must be 16 hexadecimal digits");
    a->after = strtoull(hex, NULL, 16);
    a->recorded = true;
    return HAUL_OK;
}

/* A buffer of a launch file may also have a recorded hash. */
static haul_status read_buffer(launch_list *list, json_t *object, launch_argument *a) {
    HAUL_TRY(launch_read_buffer(list, object, a));
    return read_after(object, a);
}

/* Textures have no `after`, since kernels cannot write them; fields.def refuses it. */
static haul_status read_texture(launch_list *list, json_t *object, launch_object kind, launch_argument *a) {
    HAUL_TRY(launch_check_fields(object, kind));
    HAUL_TRY(launch_read_texture(list, object, a));
    return read_after(object, a);
}

/* The member that is there tells the kind of the argument. */
haul_status launch_read_argument(launch_list *list, json_t *object, launch_argument *a) {
    json_t *value;
    if (json_object_get(object, "buf")) return read_buffer(list, object, a);
    if (json_object_get(object, "bytes")) return launch_read_bytes(list, object, a);
    if (launch_is_structure(object)) return launch_read_structure(list, object, a);
    if (json_object_get(object, "tex")) return read_texture(list, object, LAUNCH_OBJECT_TEXTURE, a);
    if (json_object_get(object, "surf")) return read_texture(list, object, LAUNCH_OBJECT_SURFACE, a);
    if (json_object_get(object, "tensor")) {
        HAUL_TRY(launch_check_fields(object, LAUNCH_OBJECT_TENSOR));
        return launch_read_tensor(list, object, a);
    }
    const launch_scalar *scalar = launch_scalar_of(object, &value);
    if (!scalar) return launch_unknown_argument(object);
    HAUL_TRY(launch_check_scalar(object, scalar));
    return launch_scalar_read(scalar, value, a);
}

/* Follows the path from argument a->of. Returns NULL if it leads nowhere. */
static const launch_argument *find_shared(const launch_description *d, const launch_argument *a) {
    const launch_argument *at = a->of < d->argument_count ? &d->arguments[a->of] : NULL;
    for (size_t i = 0; at && i < a->steps; i++) {
        const launch_structure *s = at->structure;
        const launch_argument *next = NULL;
        for (size_t k = 0; s && k < s->count; k++) {
            const launch_argument *field = &d->arguments[s->first + k];
            const char *name = a->path[i].field;
            if (name ? field->field && strcmp(field->field, name) == 0 : k == a->path[i].number) next = field;
        }
        at = next;
    }
    return at;
}

/* Finds what `of` of tensor maps and shared buffers names: a buffer of its own, of an argument or a field. It may be a
 * later one, so this happens after all arguments are read. */
static haul_status find_shares(const launch_description *d) {
    for (size_t i = 0; i < d->argument_count + d->field_count; i++) {
        launch_argument *a = &d->arguments[i];
        if (!a->tensor && !a->shares) continue;
        const launch_argument *of = find_shared(d, a);
        if (!of || of->kind != HAUL_ARGUMENT_BUFFER || of->shares)
            return haul_fail(HAUL_ERROR_ARGUMENT, "%s[%zu]: of: %sargument %zu is not a buffer of its own",
                             a->is_field ? "field of args" : "args", a->is_field ? a->inside : i,
                             a->steps ? "that field of " : "", a->of);
        a->of = (size_t)(of - d->arguments);
    }
    return HAUL_OK;
}

/* Reads the values of `globals`, which follow the arguments in the same array. */
static haul_status read_variables(launch_list *list, json_t *object, launch_description *d) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        launch_argument *a = &d->arguments[d->argument_count + d->variable_count];
        const haul_status status = launch_read_argument(list, value, a);
        if (status != HAUL_OK) return haul_fail_in(status, "globals.%s", name);
        a->variable = arena_copy(&list->memory, name, strlen(name));
        if (!a->variable) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the launches");
        d->variable_count++;
    }
    return HAUL_OK;
}

/* Reads `args` and `globals` into one array: the variables' values follow the arguments. */
static haul_status read_arguments(launch_list *list, json_t *array, json_t *globals, launch_description *d) {
    if (!array) return wrong("args", "is missing");
    d->argument_count = json_array_size(array);
    d->arguments = ARENA_ARRAY(&list->memory, d->argument_count + json_object_size(globals), launch_argument);
    if (!d->arguments) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the launches");
    for (size_t i = 0; i < d->argument_count; i++) {
        haul_status status = launch_read_argument(list, json_array_get(array, i), &d->arguments[i]);
        if (status != HAUL_OK) return haul_fail_in(status, "args[%zu]", i);
    }
    HAUL_TRY(read_variables(list, globals, d));
    HAUL_TRY(launch_place_fields(list, d));
    return find_shares(d);
}

/* Reads a number or [lowest, highest]. An unknown counter is read for its errors, and dropped by the caller: recordings
 * may have counters that this version does not know. */
static haul_status read_counter(const char *key, json_t *value, launch_counter *c) {
    c->counter = haul_counter_find(key);
    bool range = json_array_size(value) == 2;
    json_t *low = range ? json_array_get(value, 0) : value, *high = range ? json_array_get(value, 1) : value;
    if (!json_is_number(low) || !json_is_number(high)) return wrong(key, "must be a number or [lowest, highest]");
    c->low = json_number_value(low);
    c->high = json_number_value(high);
    return c->low <= c->high ? HAUL_OK : wrong(key, "the lowest comes first");
}

/* Keeps the counters that haul knows. */
static haul_status read_counters(launch_list *list, json_t *object, launch_description *d) {
    if (!object) return HAUL_OK;
    d->counters = ARENA_ARRAY(&list->memory, json_object_size(object), launch_counter);
    if (!d->counters) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the launches");
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        launch_counter *c = &d->counters[d->counter_count];
        haul_status status = read_counter(key, value, c);
        if (status != HAUL_OK) return haul_fail_in(status, "counters");
        d->counter_count += c->counter != HAUL_COUNTER_COUNT;
    }
    return HAUL_OK;
}

/* Members that may be missing. Times and the like of earlier runs are accepted and ignored. */
static haul_status read_optional(launch_list *list, json_t *object, launch_description *d) {
    json_t *id = json_object_get(object, "id"), *shared = json_object_get(object, "smem");
    json_t *file = json_object_get(object, "file"), *us = json_object_get(object, "us");
    json_t *ptx = json_object_get(object, "ptx"), *cluster = json_object_get(object, "cluster");
    int64_t bytes = 0;
    if (id) HAUL_TRY(launch_read_integer(id, "id", INT64_MIN, INT64_MAX, &d->id));
    if (shared) HAUL_TRY(launch_read_integer(shared, "smem", 0, UINT32_MAX, &bytes));
    d->shared_bytes = (uint32_t)bytes;
    if (cluster) HAUL_TRY(read_extent(cluster, "cluster", d->cluster));
    if (file) HAUL_TRY(launch_read_string(list, file, "file", &d->file));
    if (ptx) HAUL_TRY(launch_read_path(list, ptx, "ptx", &d->ptx));
    if (us) d->us = json_number_value(us);
    return HAUL_OK;
}

/* Leaves *access as it is if the member is missing. */
static haul_status read_access(json_t *value, const char *what, haul_l2_access *access) {
    const char *name = json_string_value(value);
    for (unsigned k = 0; name && k <= HAUL_L2_PERSISTING; k++) {
        if (strcmp(name, launch_access_names[k]) != 0) continue;
        *access = (haul_l2_access)k;
        return HAUL_OK;
    }
    return value ? wrong(what, "must be normal, streaming or persisting") : HAUL_OK;
}

/* Needs the arguments, of which the window is one. Without `arg` there is no window. */
static haul_status read_window(json_t *object, const launch_description *d, launch_l2 *l2) {
    json_t *ratio = json_object_get(object, "ratio"), *at = json_object_get(object, "arg");
    int64_t argument = 0;
    if (!at) return HAUL_OK;
    HAUL_TRY(launch_read_integer(at, "l2.arg", 0, (int64_t)d->argument_count - 1, &argument));
    if (d->arguments[argument].kind != HAUL_ARGUMENT_BUFFER) return wrong("l2.arg", "is not a buffer");
    l2->has_window = true;
    l2->argument = (size_t)argument;
    l2->ratio = ratio ? json_number_value(ratio) : 1;
    l2->hit = HAUL_L2_PERSISTING;
    l2->miss = HAUL_L2_STREAMING;
    if (ratio && (!json_is_number(ratio) || !(l2->ratio >= 0 && l2->ratio <= 1)))
        return wrong("l2.ratio", "must be a number from 0 to 1");
    HAUL_TRY(read_access(json_object_get(object, "hit"), "l2.hit", &l2->hit));
    return read_access(json_object_get(object, "miss"), "l2.miss", &l2->miss);
}

/* An empty object means: nothing set aside, but the launch has a setting of its own. */
static haul_status read_l2(json_t *object, launch_description *d) {
    int64_t bytes = 0;
    json_t *aside = json_object_get(object, "set_aside");
    if (!object) return HAUL_OK;
    const haul_status known = launch_check_fields(object, LAUNCH_OBJECT_L2);
    if (known != HAUL_OK) return haul_fail_in(known, "l2");
    if (aside) HAUL_TRY(launch_read_integer(aside, "l2.set_aside", 0, INT64_C(1) << 40, &bytes));
    d->l2 = (launch_l2){.given = true, .set_aside = (uint64_t)bytes};
    return read_window(object, d, &d->l2);
}

/* The order matters where one member refers to another: l2 follows args. */
static haul_status read_launch(launch_list *list, json_t *object, launch_description *d) {
    if (!json_is_object(object)) return haul_fail(HAUL_ERROR_SYNTAX, "a launch must be a JSON object");
    HAUL_TRY(launch_check_fields(object, LAUNCH_OBJECT_LAUNCH));
    HAUL_TRY(launch_read_string(list, json_object_get(object, "kernel"), "kernel", &d->kernel));
    HAUL_TRY(read_extent(json_object_get(object, "grid"), "grid", d->grid));
    HAUL_TRY(read_extent(json_object_get(object, "block"), "block", d->block));
    HAUL_TRY(read_optional(list, object, d));
    HAUL_TRY(read_arguments(list, json_object_get(object, "args"), json_object_get(object, "globals"), d));
    HAUL_TRY(read_l2(json_object_get(object, "l2"), d));
    return read_counters(list, json_object_get(object, "counters"), d);
}

/* ---- the list ---- */

/* All but the JSON is in the arena. */
void launch_list_free(launch_list *list) {
    for (size_t i = 0; i < list->count; i++) json_decref(list->items[i].json);
    arena_free(&list->memory);
    *list = (launch_list){0};
}

/* Appends an item. The list's arena has no jump point for errors, so growing is checked here. */
static launch_description *push(launch_list *list) {
    if (list->count == list->capacity) {
        launch_description *items =
            arena_grow(&list->memory, list->items, list->count, &list->capacity, sizeof *list->items);
        if (!items) return NULL;
        list->items = items;
    }
    launch_description *d = &list->items[list->count++];
    *d = (launch_description){.us = -1};
    return d;
}

/* Arguments are copied, but not what they point to: that lives in the list already. */
launch_description *launch_append(launch_list *list, const launch_description *launch) {
    launch_description *d = push(list);
    if (!d) return NULL;
    *d = *launch;
    d->kernel = arena_copy(&list->memory, launch->kernel, strlen(launch->kernel));
    d->where = arena_copy(&list->memory, launch->where, strlen(launch->where));
    const size_t count = launch_value_count(launch);
    d->arguments = ARENA_ARRAY(&list->memory, count, launch_argument);
    if (!d->kernel || !d->where || !d->arguments) {
        list->count--;
        return NULL;
    }
    if (count) memcpy(d->arguments, launch->arguments, count * sizeof *launch->arguments);
    return d;
}

/* Reads line `number` of the file, counted from 1. The description's id is its place in the list unless the line has
 * one. */
static haul_status read_line(launch_list *list, const char *name, size_t number, const char *line, size_t length) {
    json_error_t error;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
    if (!object)
        return haul_fail(HAUL_ERROR_SYNTAX, "%s:%zu: not valid JSON, column %d: %s", name, number, error.column,
                         error.text);
    launch_description *d = push(list);
    if (!d || !(d->where = arena_printf(&list->memory, "%s:%zu", name, number))) {
        json_decref(object);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for the launches", name);
    }
    d->json = object;
    d->id = (int64_t)list->count - 1;
    haul_status status = read_launch(list, object, d);
    return status == HAUL_OK ? HAUL_OK : haul_fail_in(status, "%s:%zu", name, number);
}

/* Paths in a launch file are relative to its folder. */
static haul_status set_folder(launch_list *list, const char *name) {
    const char *slash = strrchr(name, '/');
    list->folder = slash ? arena_copy(&list->memory, name, (size_t)(slash - name)) : NULL;
    return list->folder || !slash ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the launches");
}

/* Lines may end in \r\n, and may be empty; the last one needs no end. */
haul_status launch_read_text(launch_list *list, const char *name, const char *bytes, size_t length) {
    size_t number = 0;
    HAUL_TRY(set_folder(list, name));
    for (const char *line = bytes, *end = bytes + length; line < end; line++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        number++;
        size_t blank = 0, size = (size_t)(stop - line);
        while (blank < size && strchr(" \t\r", line[blank]) && line[blank]) blank++;
        if (blank < size) HAUL_TRY(read_line(list, name, number, line, size));
        line = stop;
    }
    return HAUL_OK;
}

/* A file without launches is an error: it is probably the wrong file. */
haul_status launch_read_file(launch_list *list, const char *path) {
    text content = {0};
    size_t before = list->count;
    haul_status status = file_read(path, &content);
    if (status == HAUL_OK) status = launch_read_text(list, path, text_string(&content), content.length);
    text_free(&content);
    if (status == HAUL_OK && list->count == before) return haul_fail(HAUL_ERROR_ARGUMENT, "%s: has no launches", path);
    return status;
}
