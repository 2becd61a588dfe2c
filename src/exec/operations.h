/* The interpreter's operations, for the host's best vector extension. */
#ifndef HAUL_EXEC_OPERATIONS_H
#define HAUL_EXEC_OPERATIONS_H

#include "lower/lower.h"

sim_operations sim_operations_best(void);

#endif
