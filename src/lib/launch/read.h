/* Readers of a launch line's members, for the files that read lines. Each takes the member's name for its message. */
#ifndef HAUL_LIB_LAUNCH_READ_H
#define HAUL_LIB_LAUNCH_READ_H

#include "lib/launch/launches.h"

haul_status launch_read_integer(json_t *value, const char *what, int64_t low, int64_t high, int64_t *out);
haul_status launch_read_string(launch_list *list, json_t *value, const char *what, const char **out);

/* {"tensor":TYPE,"of":ARGUMENT,...}: the tensor of the argument, without its buffer. */
haul_status launch_read_tensor(launch_list *list, json_t *object, launch_argument *argument);

#endif
