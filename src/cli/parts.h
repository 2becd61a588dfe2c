/* Parts of haul that are libraries of their own. */
#ifndef HAUL_CLI_PARTS_H
#define HAUL_CLI_PARTS_H

#include "base/arena.h"

/* The path of a part, by its place below the folder of libraries: beside this program, as a build leaves it, or where
 * an installation has it. NULL when it is not there or there is no memory. */
const char *cli_find_part(const char *name, arena *memory);

/* The path of this program; NULL when the system does not say, or there is no memory. */
const char *cli_own_path(arena *memory);

#endif
