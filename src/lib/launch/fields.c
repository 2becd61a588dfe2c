/* Checks fields of launch files against the one list of them, so that misspelt ones are not ignored. */
#include "base/nearest.h"
#include "base/status.h"
#include "lib/launch/read.h"

#include <string.h>

/* JSON's types, as fields.def names them. */
typedef enum field_type { ANY, INTEGER, NUMBER, STRING, BOOLEAN, ARRAY, OBJECT } field_type;

typedef struct field {
    launch_object object;
    const char *name;
    field_type type;
} field;

static const field fields[] = {
#define FIELD(object, name, type) {LAUNCH_OBJECT_##object, name, type},
#include "lib/launch/fields.def"
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* NULL if the object has no such field. */
static const field *find(launch_object object, const char *name) {
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].object == object && strcmp(fields[i].name, name) == 0) return &fields[i];
    return NULL;
}

/* Fails with the nearest known name, or with all of them. */
static haul_status unknown_field(const char *name, const char *const *names, size_t count) {
    const char *near = nearest_name(name, names, count);
    if (near) return haul_fail(HAUL_ERROR_ARGUMENT, "unknown field `%s`: did you mean `%s`?", name, near);
    char list[512] = "";
    for (size_t i = 0; i < count; i++) {
        if (i) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, names[i], sizeof list - strlen(list) - 1);
    }
    return haul_fail(HAUL_ERROR_ARGUMENT, "unknown field `%s`: there are %s", name, list);
}

/* Fails with the names of this kind of object. */
static haul_status unknown_of(launch_object object, const char *name) {
    const char *names[FIELDS];
    size_t count = 0;
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].object == object) names[count++] = fields[i].name;
    return unknown_field(name, names, count);
}

/* Ranges of numbers are the readers' business. */
static haul_status check_type(const field *f, const json_t *value) {
    static const char *const must[] = {[INTEGER] = "a whole number", [NUMBER] = "a number", [STRING] = "a string",
                                       [BOOLEAN] = "true or false",  [ARRAY] = "an array",  [OBJECT] = "an object"};
    const bool fits[] = {[ANY] = true,
                         [INTEGER] = json_is_integer(value),
                         [NUMBER] = json_is_number(value),
                         [STRING] = json_is_string(value),
                         [BOOLEAN] = json_is_boolean(value),
                         [ARRAY] = json_is_array(value),
                         [OBJECT] = json_is_object(value)};
    if (fits[f->type]) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s: must be %s", f->name, must[f->type]);
}

/* Required fields are the readers' business as well. */
haul_status launch_check_fields(json_t *json, launch_object object) {
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value) {
        const field *f = find(object, name);
        HAUL_TRY(f ? check_type(f, value) : unknown_of(object, name));
    }
    return HAUL_OK;
}

/* A second field would be ignored otherwise. */
haul_status launch_check_scalar(json_t *json, const launch_scalar *scalar) {
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value) if (strcmp(name, scalar->name) != 0) return unknown_field(name,
                                                                                                     &scalar->name, 1);
    return HAUL_OK;
}

/* The first field of the object is taken for a misspelt kind. */
haul_status launch_unknown_argument(json_t *json) {
    static const char *const kinds[] = {"buf", "bytes", "struct", "tensor", "tex", "surf"};
    const char *name = json_object_iter_key(json_object_iter(json));
    const char *near = name ? nearest_name(name, kinds, sizeof kinds / sizeof *kinds) : NULL;
    if (near) return haul_fail(HAUL_ERROR_ARGUMENT, "unknown field `%s`: did you mean `%s`?", name, near);
    return haul_fail(HAUL_ERROR_ARGUMENT, "needs one of buf, bytes, struct, tensor, tex, surf, " LAUNCH_SCALAR_LIST);
}
