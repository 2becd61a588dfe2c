/* Settings from the command line, read when the library is loaded.
 *
 * Read-only after that. A setting that is not given is 0, NULL or an empty list; `device` and `launches` have
 * defaults instead. Strings belong to the environment, and lists to settings.c; both live as long as the program. */
#ifndef HAUL_STANDIN_SETTINGS_H
#define HAUL_STANDIN_SETTINGS_H

#include "base/text.h"
#include "standin/environment.h"

#include <stdbool.h>
#include <stdint.h>

typedef bool standin_FLAG;
typedef uint64_t standin_NUMBER;
typedef const char *standin_STRING, *standin_PATH;
typedef text_list standin_LIST, standin_PATHS;
typedef struct standin_settings {
    standin_task task;
#define SETTING(kind, field, NAME) standin_##kind field;
#include "standin/settings.def"
} standin_settings;
extern standin_settings standin_asked;

/* --launch-skip and --launch-count: whether to take a launch, if `before` launches have passed the other filters. */
bool standin_takes_number(uint64_t before);

#endif
