/* Parts of haul in separate libraries. */
#ifndef HAUL_CLI_PARTS_H
#define HAUL_CLI_PARTS_H

#include "base/arena.h"

/* The path of a part, named relative to the library folder: beside this program in a build, or where an installation
 * has it. NULL if it is not there or there is no memory. */
const char *cli_find_part(const char *name, arena *memory);

/* The path of this program; NULL if the system does not tell, or there is no memory. */
const char *cli_own_path(arena *memory);

#endif
