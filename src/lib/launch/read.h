/* Readers of a launch line's members, for the files that read lines. Each takes the member's name for its message. */
#ifndef HAUL_LIB_LAUNCH_READ_H
#define HAUL_LIB_LAUNCH_READ_H

#include "lib/launch/launches.h"

haul_status launch_read_integer(json_t *value, const char *what, int64_t low, int64_t high, int64_t *out);
haul_status launch_read_string(launch_list *list, json_t *value, const char *what, const char **out);

/* Reads any argument. */
haul_status launch_read_argument(launch_list *list, json_t *object, launch_argument *argument);
/* Whether it is {"struct":...}, a vector or an array. */
bool launch_is_structure(json_t *object);

/* Reads {"buf":...} and {"bytes":"0badc0de"}. */
haul_status launch_read_buffer(launch_list *list, json_t *object, launch_argument *argument);
haul_status launch_read_bytes(launch_list *list, json_t *object, launch_argument *argument);
/* Reads a file name, relative to the launch file's folder. */
haul_status launch_read_path(launch_list *list, json_t *value, const char *what, const char **path);

/* Reads `of`: an argument's number, or the path to a field. */
haul_status launch_read_of(launch_list *list, json_t *object, launch_argument *argument);

/* Reads {"tensor":TYPE,"of":ARGUMENT,...}: the argument's tensor, without its buffer. */
haul_status launch_read_tensor(launch_list *list, json_t *object, launch_argument *argument);

/* Kinds of objects in a launch file: the first column of fields.def. */
typedef enum launch_object {
    LAUNCH_OBJECT_LAUNCH,
    LAUNCH_OBJECT_L2,
    LAUNCH_OBJECT_BUFFER,
    LAUNCH_OBJECT_BYTES,
    LAUNCH_OBJECT_STRUCTURE,
    LAUNCH_OBJECT_TEXTURE,
    LAUNCH_OBJECT_SURFACE,
    LAUNCH_OBJECT_TENSOR
} launch_object;

/* Checks that all fields are known for such an object, and have the right type. The message names the field, and the
 * most similar known one. */
haul_status launch_check_fields(json_t *json, launch_object object);
/* A scalar's object has one field. */
haul_status launch_check_scalar(json_t *json, const launch_scalar *scalar);
/* The error for an object that is not an argument; says what it needs. */
haul_status launch_unknown_argument(json_t *json);

#endif
