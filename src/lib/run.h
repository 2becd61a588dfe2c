/* Run records under construction. */
#ifndef HAUL_LIB_RUN_H
#define HAUL_LIB_RUN_H

#include "base/arena.h"

#include <haul/run.h>

/* Makes room for one more launch, all zero, counted by `run->launch_count`. */
haul_status run_add_launch(haul_run *run, haul_launch_record **record);
/* The arena that everything in the run lives in. */
arena *run_memory(haul_run *run);

#endif
