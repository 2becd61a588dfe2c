/* Structures by value, vectors and arrays as arguments.
 *
 * A structure's fields are arguments themselves, so that it may hold buffers, textures and other structures. They are
 * laid out as a C compiler does: each at the next multiple of its alignment, and the whole padded to the greatest one.
 * Reading makes a tree; launch_place_fields() turns it into a list, in which every field has a place behind the
 * kernel's arguments. Code that handles buffers need not know of structures then. */
#include "base/number.h"
#include "base/status.h"
#include "lib/launch/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_BYTES = 32764, /* of all parameters of a kernel, since PTX 8.1 */
    MOST_FIELDS = MOST_BYTES,
    MOST_DEPTH = 8, /* structures in structures */
    MAP_BYTES = sizeof(haul_tensor_map),
    MAP_ALIGNMENT = 64,
    ADDRESS_BYTES = 8,
};

/* ---- layout ---- */

static void measure(const launch_argument *a, uint64_t *size, uint64_t *alignment) {
    *size = *alignment = ADDRESS_BYTES;
    if (a->structure) {
        *size = a->structure->size;
        *alignment = a->structure->alignment;
    } else if (a->tensor) {
        *size = MAP_BYTES;
        *alignment = MAP_ALIGNMENT;
    } else if (a->scalar) {
        *size = *alignment = launch_scalar_bytes(a->scalar);
    } else if (a->kind == HAUL_ARGUMENT_BYTES) {
        *size = a->byte_count;
        *alignment = 1;
    }
}

/* Makes the argument a structure of these fields. `alignment` is the least that it has. */
static haul_status make(launch_list *list, launch_argument *a, launch_argument *fields, size_t count,
                        uint64_t alignment) {
    launch_structure *s = ARENA_NEW(&list->memory, launch_structure);
    if (!s) return haul_no_memory("the launches");
    *s = (launch_structure){.fields = fields, .count = count, .alignment = alignment};
    for (size_t i = 0; i < count; i++) {
        uint64_t size, own;
        measure(&fields[i], &size, &own);
        s->alignment = own > s->alignment ? own : s->alignment;
        fields[i].place = number_align(s->size, own);
        s->size = fields[i].place + size;
    }
    s->size = number_align(s->size, s->alignment);
    if (s->size > MOST_BYTES)
        return haul_fail(HAUL_ERROR_LIMIT, "the structure has %llu bytes; a kernel's parameters have at most %d",
                         (unsigned long long)s->size, MOST_BYTES);
    a->kind = HAUL_ARGUMENT_BYTES;
    a->structure = s;
    return HAUL_OK;
}

/* The same for a vector or an array of scalars; `kind` is as in a launch file: f32x4 for a vector, f32 for an array. */
static haul_status make_row(launch_list *list, launch_argument *a, const char *kind, launch_argument *elements,
                            size_t count, uint64_t alignment) {
    HAUL_TRY(make(list, a, elements, count, alignment));
    a->structure->row = arena_copy(&list->memory, kind, strcspn(kind, "["));
    return a->structure->row ? HAUL_OK : haul_no_memory("the launches");
}

/* ---- vectors and arrays: f32x4, i32[3] ---- */

typedef struct row {
    const launch_scalar *scalar;
    size_t count; /* 0: as many as there are */
    uint64_t alignment;
} row;

/* Splits a kind into its scalar and the number of elements. Vectors of two and four are aligned as a whole. */
static bool split_kind(const char *kind, row *r) {
    char name[16];
    const size_t length = strcspn(kind, "[") < strlen(kind) ? strcspn(kind, "[") : strcspn(kind, "x");
    uint64_t count;
    char digits[16];
    if (length >= sizeof name || !kind[length]) return false;
    snprintf(name, sizeof name, "%.*s", (int)length, kind);
    snprintf(digits, sizeof digits, "%s", kind + length + 1);
    const bool is_array = kind[length] == '[';
    char *const end = digits + strlen(digits) - 1;
    if (is_array && (end < digits || *end != ']')) return false;
    if (is_array) *end = '\0';
    r->scalar = launch_scalar_find(name);
    if (!r->scalar || !number_u64(digits, &count)) return false;
    r->count = (size_t)count;
    r->alignment = launch_scalar_bytes(r->scalar) * (is_array || count == 3 ? 1 : count);
    return is_array ? count >= 1 && count <= MOST_FIELDS : count >= 2 && count <= 4;
}

bool launch_is_vector(const char *kind) {
    row r;
    return split_kind(kind, &r);
}

static haul_status wrong_count(const char *kind, size_t wanted, size_t given) {
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s needs %zu numbers, and %zu are given", kind, wanted, given);
}

haul_status launch_parse_vector(launch_list *list, const char *kind, const char *numbers, launch_argument *a) {
    row r;
    size_t count = 0;
    if (!split_kind(kind, &r)) return haul_fail(HAUL_ERROR_ARGUMENT, "`%s` is not a kind of vector", kind);
    launch_argument *elements = ARENA_ARRAY(&list->memory, r.count, launch_argument);
    if (!elements) return haul_no_memory("the arguments");
    for (const char *at = numbers; at; count++) {
        char number[64];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof number) return haul_fail(HAUL_ERROR_ARGUMENT, "`%.40s...` is not a number", at);
        snprintf(number, sizeof number, "%.*s", (int)length, at);
        if (count < r.count) HAUL_TRY(launch_scalar_parse(r.scalar, number, &elements[count]));
        at = at[length] ? at + length + 1 : NULL;
    }
    if (count != r.count) return wrong_count(kind, r.count, count);
    return make_row(list, a, kind, elements, count, r.alignment);
}

static haul_status read_row(launch_list *list, const char *kind, json_t *values, launch_argument *a) {
    row r = {.scalar = launch_scalar_find(kind)};
    const size_t count = json_array_size(values);
    if (r.scalar)
        r = (row){r.scalar, count, launch_scalar_bytes(r.scalar)};
    else if (!split_kind(kind, &r))
        return haul_fail(HAUL_ERROR_ARGUMENT, "`%s` is not a kind of vector", kind);
    if (!json_is_array(values) || !count || count > MOST_FIELDS)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: must be an array of numbers", kind);
    if (count != r.count) return wrong_count(kind, r.count, count);
    launch_argument *elements = ARENA_ARRAY(&list->memory, count, launch_argument);
    if (!elements) return haul_no_memory("the launches");
    for (size_t i = 0; i < count; i++) HAUL_TRY(launch_scalar_read(r.scalar, json_array_get(values, i), &elements[i]));
    return make_row(list, a, kind, elements, count, r.alignment);
}

/* ---- launch files ---- */

bool launch_is_structure(json_t *object) {
    const char *kind = json_object_iter_key(json_object_iter(object));
    json_t *value = json_object_iter_value(json_object_iter(object));
    if (json_object_get(object, "struct")) return true;
    return kind && (launch_is_vector(kind) || (json_is_array(value) && launch_scalar_find(kind)));
}

static haul_status copy_name(launch_list *list, const char *name, launch_argument *field) {
    field->field = arena_copy(&list->memory, name, strlen(name));
    return field->field ? HAUL_OK : haul_no_memory("the launches");
}

static haul_status read_named(launch_list *list, json_t *members, launch_argument *fields) {
    const char *name;
    json_t *value;
    size_t i = 0;
    json_object_foreach(members, name, value) {
        const haul_status status = launch_read_argument(list, value, &fields[i]);
        if (status != HAUL_OK) return haul_fail_in(status, "struct.%s", name);
        HAUL_TRY(copy_name(list, name, &fields[i++]));
    }
    return HAUL_OK;
}

static haul_status read_listed(launch_list *list, json_t *members, launch_argument *fields) {
    for (size_t i = 0; i < json_array_size(members); i++) {
        const haul_status status = launch_read_argument(list, json_array_get(members, i), &fields[i]);
        if (status != HAUL_OK) return haul_fail_in(status, "struct[%zu]", i);
    }
    return HAUL_OK;
}

haul_status launch_read_structure(launch_list *list, json_t *object, launch_argument *a) {
    json_t *members = json_object_get(object, "struct");
    const bool is_named = json_is_object(members);
    const size_t count = is_named ? json_object_size(members) : json_array_size(members);
    if (!members) {
        void *only = json_object_iter(object);
        if (json_object_size(object) != 1) return launch_unknown_argument(object);
        return read_row(list, json_object_iter_key(only), json_object_iter_value(only), a);
    }
    HAUL_TRY(launch_check_fields(object, LAUNCH_OBJECT_STRUCTURE));
    if (!count || count > MOST_FIELDS)
        return haul_fail(HAUL_ERROR_ARGUMENT, "struct: must be an object or an array of fields");
    launch_argument *fields = ARENA_ARRAY(&list->memory, count, launch_argument);
    if (!fields) return haul_no_memory("the launches");
    HAUL_TRY(is_named ? read_named(list, members, fields) : read_listed(list, members, fields));
    return make(list, a, fields, count, 1);
}

/* ---- the command line ---- */

/* A name is letters, digits and underscores before a `=`, as in `n=i32:4`. Returns its length; 0: there is none. */
static size_t name_length(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
    return at[length] == '=' && !isdigit((unsigned char)*at) ? length : 0;
}

/* Whether a field begins here: a kind and a colon, perhaps with a name before them. Blanks end a field, too; a comma
 * that is followed by something else belongs to the field, as in `f32x2:1,2` and `buf:index:64,below=8`. */
static bool begins_field(const char *at) {
    char kind[32];
    while (isspace((unsigned char)*at)) at++;
    const size_t named = name_length(at);
    if (named) at += named + 1;
    const size_t length = strcspn(at, ":, {}");
    if (at[length] != ':' || !length || length >= sizeof kind) return false;
    snprintf(kind, sizeof kind, "%.*s", (int)length, at);
    static const char *const others[] = {"buf", "tex", "surf", "bytes", "struct"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(kind, others[i]) == 0) return true;
    return launch_scalar_find(kind) || launch_is_vector(kind);
}

/* Returns the end of the field that begins here; NULL if its braces do not match, or are too deep. */
static const char *end_of_field(const char *at) {
    unsigned depth = 0;
    for (; *at; at++) {
        if (*at == '{' && ++depth > MOST_DEPTH) return NULL;
        if (*at == '}' && depth-- == 0) return NULL;
        if (depth) continue;
        if (isspace((unsigned char)*at) || (*at == ',' && begins_field(at + 1))) return at;
    }
    return depth ? NULL : at;
}

/* All fields have names, or none has: a launch file's structure is an object or an array. */
static haul_status check_names(const launch_argument *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!fields[i].field != !fields[0].field)
            return haul_fail(HAUL_ERROR_ARGUMENT, "either all fields have names or none has");
        for (size_t k = 0; k < i && fields[i].field; k++)
            if (strcmp(fields[i].field, fields[k].field) == 0)
                return haul_fail(HAUL_ERROR_ARGUMENT, "two fields have the name `%s`", fields[i].field);
    }
    return HAUL_OK;
}

static haul_status parse_field(launch_list *list, const char *from, const char *to, launch_argument *field) {
    const size_t named = name_length(from);
    const char *begin = named ? from + named + 1 : from;
    const char *copy = arena_copy(&list->memory, begin, (size_t)(to - begin));
    if (!copy) return haul_no_memory("the arguments");
    HAUL_TRY(launch_parse_argument(list, copy, field));
    if (!named) return HAUL_OK;
    field->field = arena_copy(&list->memory, from, named);
    return field->field ? HAUL_OK : haul_no_memory("the arguments");
}

haul_status launch_parse_structure(launch_list *list, const char *string, launch_argument *a) {
    const size_t length = strlen(string);
    launch_argument *fields = NULL;
    size_t count = 0, capacity = 0;
    if (length < 2 || *string != '{' || string[length - 1] != '}')
        return haul_fail(HAUL_ERROR_ARGUMENT, "write a structure's fields in braces: struct:{n=i32:4,scale=f32:2}");
    const char *inner = arena_copy(&list->memory, string + 1, length - 2);
    if (!inner) return haul_no_memory("the arguments");
    for (const char *at = inner, *end; *at; at = *end ? end + 1 : end) {
        if (!(end = end_of_field(at)))
            return haul_fail(HAUL_ERROR_ARGUMENT, "the braces do not match, or structures are %d deep", MOST_DEPTH);
        if (end == at) continue;
        if (count == MOST_FIELDS) return haul_fail(HAUL_ERROR_LIMIT, "more than %d fields", MOST_FIELDS);
        if (count == capacity && !(fields = arena_grow(&list->memory, fields, count, &capacity, sizeof *fields)))
            return haul_no_memory("the arguments");
        HAUL_TRY(parse_field(list, at, end, &fields[count++]));
    }
    if (!count) return haul_fail(HAUL_ERROR_ARGUMENT, "the structure has no fields");
    HAUL_TRY(check_names(fields, count));
    return make(list, a, fields, count, 1);
}

/* ---- the list of a launch ---- */

static size_t count_fields(const launch_argument *arguments, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        if (arguments[i].structure)
            sum += arguments[i].structure->count +
                   count_fields(arguments[i].structure->fields, arguments[i].structure->count);
    return sum;
}

/* Appends the fields of argument i to the list, which has `*next` entries. */
static void place(launch_argument *arguments, size_t i, size_t *next) {
    launch_structure *s = arguments[i].structure;
    if (!s) return;
    s->first = *next;
    for (size_t k = 0; k < s->count; k++) {
        launch_argument *field = &arguments[(*next)++];
        *field = s->fields[k];
        field->is_field = true;
        field->inside = i;
        field->number = k;
    }
}

haul_status launch_place_fields(launch_list *list, launch_description *d) {
    const size_t own = d->argument_count, fields = count_fields(d->arguments, own + d->variable_count);
    size_t next = own;
    if (!fields) return HAUL_OK;
    launch_argument *all = ARENA_ARRAY(&list->memory, own + fields + d->variable_count, launch_argument);
    if (!all) return haul_no_memory("the launches");
    memcpy(all, d->arguments, own * sizeof *all);
    memcpy(all + own + fields, d->arguments + own, d->variable_count * sizeof *all);
    for (size_t i = 0; i < own; i++) place(all, i, &next);
    for (size_t i = own + fields; i < own + fields + d->variable_count; i++) place(all, i, &next);
    for (size_t i = own; i < next; i++) place(all, i, &next);
    d->arguments = all;
    d->field_count = fields;
    return HAUL_OK;
}

/* ---- writing ---- */

static json_t *row_to_json(const launch_structure *s) {
    json_t *values = json_array();
    for (size_t i = 0; i < s->count; i++) {
        json_t *scalar = launch_scalar_to_json(&s->fields[i]);
        json_array_append(values, json_object_iter_value(json_object_iter(scalar)));
        json_decref(scalar);
    }
    return json_pack("{s:o}", s->row, values);
}

static json_t *named_to_json(const launch_structure *s) {
    json_t *members = json_object();
    for (size_t i = 0; i < s->count; i++)
        json_object_set_new(members, s->fields[i].field, launch_argument_to_json(&s->fields[i]));
    return members;
}

static json_t *listed_to_json(const launch_structure *s) {
    json_t *members = json_array();
    for (size_t i = 0; i < s->count; i++) json_array_append_new(members, launch_argument_to_json(&s->fields[i]));
    return members;
}

json_t *launch_structure_to_json(const launch_argument *a) {
    const launch_structure *s = a->structure;
    if (s->row) return row_to_json(s);
    return json_pack("{s:o}", "struct", s->fields[0].field ? named_to_json(s) : listed_to_json(s));
}
