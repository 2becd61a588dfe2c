/* The interpreter's operations, for the host's best vector extension. */
#ifndef HAUL_EXEC_OPERATIONS_H
#define HAUL_EXEC_OPERATIONS_H

#include "lower/lower.h"

/* Returns them; the choice is the same for the whole process. */
sim_operations sim_operations_best(void);

#endif
