/* Readers of a launch line's members, for the files that read lines. Each takes the member's name for its message. */
#ifndef HAUL_LIB_LAUNCH_READ_H
#define HAUL_LIB_LAUNCH_READ_H

#include "lib/launch/launches.h"

haul_status launch_read_integer(json_t *value, const char *what, int64_t low, int64_t high, int64_t *out);
haul_status launch_read_string(launch_list *list, json_t *value, const char *what, const char **out);

/* {"buf":...}; {"bytes":"0badc0de"}. */
haul_status launch_read_buffer(launch_list *list, json_t *object, launch_argument *argument);
haul_status launch_read_bytes(launch_list *list, json_t *object, launch_argument *argument);
/* A file's name that stands in a launch file, from where that lies. */
haul_status launch_read_path(launch_list *list, json_t *value, const char *what, const char **path);

/* {"tensor":TYPE,"of":ARGUMENT,...}: the tensor of the argument, without its buffer. */
haul_status launch_read_tensor(launch_list *list, json_t *object, launch_argument *argument);

/* What an object of a launch file is: the rows of fields.def. */
typedef enum launch_object {
    LAUNCH_OBJECT_LAUNCH,
    LAUNCH_OBJECT_L2,
    LAUNCH_OBJECT_BUFFER,
    LAUNCH_OBJECT_BYTES,
    LAUNCH_OBJECT_TEXTURE,
    LAUNCH_OBJECT_SURFACE,
    LAUNCH_OBJECT_TENSOR
} launch_object;

/* All fields are known for such an object, and of the right type. The message names the field, and the nearest known
 * one. */
haul_status launch_check_fields(json_t *json, launch_object object);
/* A scalar's object has one field. */
haul_status launch_check_scalar(json_t *json, const launch_scalar *scalar);
/* Says what an object needs that is no argument. */
haul_status launch_unknown_argument(json_t *json);

#endif
