/* Run records while they grow. */
#ifndef HAUL_LIB_RUN_H
#define HAUL_LIB_RUN_H

#include "base/arena.h"

#include <haul/run.h>

/* Room for one more launch, all zero; `run->launch_count` counts it. */
haul_status run_add_launch(haul_run *run, haul_launch_record **record);
/* The arena that everything in the run lives in. */
arena *run_memory(haul_run *run);

#endif
