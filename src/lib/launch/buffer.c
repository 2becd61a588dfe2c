/* Buffers and plain bytes of launch files: the readers for {"buf":...} and {"bytes":...}. A buffer has its contents
 * from a rule, from a file, or is a pointer into the buffer of another argument ("same"). */
#include "base/status.h"
#include "lib/launch/read.h"

#include <stdio.h>
#include <string.h>

/* An absolute path stays; the command line's launches have no folder. */
haul_status launch_read_path(launch_list *list, json_t *value, const char *what, const char **path) {
    const char *given;
    HAUL_TRY(launch_read_string(list, value, what, &given));
    *path = *given == '/' || !list->folder ? given : arena_printf(&list->memory, "%s/%s", list->folder, given);
    return *path ? HAUL_OK : haul_no_memory("the launches");
}

/* Leaves *out as it is if the member is missing. */
static haul_status read_optional(json_t *object, const char *what, int64_t low, int64_t high, int64_t *out) {
    json_t *value = json_object_get(object, what);
    return value ? launch_read_integer(value, what, low, high, out) : HAUL_OK;
}

/* Whether `buf` is a pointer into another argument's buffer. */
static bool shares(json_t *object) {
    const char *name = json_string_value(json_object_get(object, "buf"));
    return name && strcmp(name, LAUNCH_SAME) == 0;
}

/* Reads `at`, the distance of the kernel's pointer from the first word. */
static haul_status read_place(json_t *object, launch_argument *a) {
    int64_t at = 0;
    HAUL_TRY(read_optional(object, "at", 0, INT64_C(1) << 42, &at));
    a->at = (uint64_t)at;
    return HAUL_OK;
}

static haul_status read_step(launch_list *list, json_t *value, launch_step *step) {
    int64_t number = 0;
    if (json_is_string(value)) return launch_read_string(list, value, "of", &step->field);
    HAUL_TRY(launch_read_integer(value, "of", 0, UINT32_MAX, &number));
    step->number = (size_t)number;
    return HAUL_OK;
}

haul_status launch_read_of(launch_list *list, json_t *object, launch_argument *a) {
    json_t *value = json_object_get(object, "of");
    json_t *first = json_is_array(value) ? json_array_get(value, 0) : value;
    int64_t of;
    HAUL_TRY(launch_read_integer(first, "of", 0, UINT32_MAX, &of));
    a->of = (size_t)of;
    if (json_array_size(value) < 2) return HAUL_OK;
    a->steps = json_array_size(value) - 1;
    a->path = ARENA_ARRAY(&list->memory, a->steps, launch_step);
    if (!a->path) return haul_no_memory("the launches");
    for (size_t i = 0; i < a->steps; i++) HAUL_TRY(read_step(list, json_array_get(value, i + 1), &a->path[i]));
    return HAUL_OK;
}

/* Whether `of` names a buffer is checked when all arguments are read (lines.c). */
static haul_status read_shared(launch_list *list, json_t *object, launch_argument *a) {
    HAUL_TRY(launch_read_of(list, object, a));
    a->kind = HAUL_ARGUMENT_BUFFER;
    a->shares = true;
    return read_place(object, a);
}

/* Reads the rule, and the path of a file. */
static haul_status read_fill(launch_list *list, json_t *object, launch_argument *a) {
    const char *name;
    HAUL_TRY(launch_read_string(list, json_object_get(object, "buf"), "buf", &name));
    a->fill = launch_fill_find(name);
    if (a->fill == LAUNCH_FILL_FILE) return launch_read_path(list, json_object_get(object, "path"), "path", &a->input);
    if (a->fill != LAUNCH_FILL_COUNT && a->fill != LAUNCH_FILL_ELEMENTS && !json_object_get(object, "count"))
        return HAUL_OK;
    a->elements.scalar = launch_scalar_find(name);
    a->fill = LAUNCH_FILL_ELEMENTS;
    if (a->elements.scalar) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT,
                     "buf: `%s` is not a fill rule: " LAUNCH_RULE_LIST ", file, " LAUNCH_SAME
                     ", and no type: " LAUNCH_SCALAR_LIST,
                     name);
}

static haul_status read_elements(json_t *object, launch_argument *a) {
    int64_t count, seed = 1;
    HAUL_TRY(launch_read_integer(json_object_get(object, "count"), "count", 0, INT64_C(1) << 40, &count));
    HAUL_TRY(read_optional(object, "seed", 0, UINT32_MAX, &seed));
    HAUL_TRY(launch_read_spread(object, &a->elements));
    a->elements.count = (uint64_t)count;
    a->seed = (uint32_t)seed;
    if (json_object_get(object, "words") || json_object_get(object, "below"))
        return haul_fail(HAUL_ERROR_ARGUMENT, "typed elements have a `count`, but no `words` and no `below`");
    return launch_settle_elements(a);
}

static haul_status read_words(json_t *object, launch_argument *a) {
    int64_t words = 0, seed = 1, below = 0;
    if (a->fill == LAUNCH_FILL_FILE) return HAUL_OK; /* as many words as the file has */
    HAUL_TRY(launch_read_integer(json_object_get(object, "words"), "words", 0, INT64_C(1) << 40, &words));
    HAUL_TRY(read_optional(object, "seed", 0, UINT32_MAX, &seed));
    HAUL_TRY(read_optional(object, "below", 1, LAUNCH_MOST_INDICES, &below));
    a->words = (uint64_t)words;
    a->seed = (uint32_t)seed;
    a->below = (uint64_t)below;
    return launch_settle_fill(a, json_object_get(object, "seed") != NULL);
}

/* The rule is read before the fields are checked, so that an unknown rule is named first. */
haul_status launch_read_buffer(launch_list *list, json_t *object, launch_argument *a) {
    int64_t offset = 0;
    if (shares(object)) {
        HAUL_TRY(launch_check_fields(object, LAUNCH_OBJECT_BUFFER));
        return read_shared(list, object, a);
    }
    HAUL_TRY(read_fill(list, object, a));
    HAUL_TRY(launch_check_fields(object, LAUNCH_OBJECT_BUFFER));
    HAUL_TRY(a->fill == LAUNCH_FILL_ELEMENTS ? read_elements(object, a) : read_words(object, a));
    HAUL_TRY(read_optional(object, "offset", 0, LAUNCH_SLACK, &offset));
    a->kind = HAUL_ARGUMENT_BUFFER;
    a->offset = (uint64_t)offset;
    return read_place(object, a);
}

/* ---- bytes ---- */

/* Every two digits are a byte, in memory's order. */
static haul_status read_digits(const char *hex, size_t size, unsigned char *bytes) {
    unsigned value;
    for (size_t i = 0; i < size; i++) {
        if (sscanf(hex + 2 * i, "%2x", &value) != 1) return HAUL_ERROR_ARGUMENT;
        bytes[i] = (unsigned char)value;
    }
    return HAUL_OK;
}

haul_status launch_read_bytes(launch_list *list, json_t *object, launch_argument *a) {
    const char *hex;
    HAUL_TRY(launch_check_fields(object, LAUNCH_OBJECT_BYTES));
    HAUL_TRY(launch_read_string(list, json_object_get(object, "bytes"), "bytes", &hex));
    return launch_parse_bytes(list, hex, a);
}

haul_status launch_parse_bytes(launch_list *list, const char *hex, launch_argument *a) {
    const size_t digits = strlen(hex);
    if (!digits || digits % 2 || strspn(hex, "0123456789abcdefABCDEF") != digits)
        return haul_fail(HAUL_ERROR_ARGUMENT, "bytes: must be hexadecimal digits, two a byte");
    unsigned char *bytes = ARENA_ARRAY(&list->memory, digits / 2, unsigned char);
    if (!bytes) return haul_no_memory("the launches");
    a->kind = HAUL_ARGUMENT_BYTES;
    a->bytes = bytes;
    a->byte_count = digits / 2;
    return read_digits(hex, digits / 2, bytes);
}
