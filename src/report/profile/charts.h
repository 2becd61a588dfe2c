/* Charts of a launch, for pages: roofline, warp states, occupancy. */
#ifndef HAUL_REPORT_PROFILE_CHARTS_H
#define HAUL_REPORT_PROFILE_CHARTS_H

#include "machine/machine.h"
#include "report/document.h"

#include <haul/run.h>

/* Adds the launch's roofline: warp instructions a second over instructions for each sector that device memory, L2 and
 * L1 move, below the roofs of the machine. Adds nothing if the launch has no estimate. */
void report_add_roofline(report_section *s, const haul_launch_record *record, const sim_machine *machine);
/* Adds bars of the warp states. */
void report_add_state_chart(report_section *s, const haul_launch_record *record);
/* Adds the warps of an SM over threads of a block, registers of a thread and shared memory of a block; the launch's
 * other values stay as they are. */
void report_add_occupancy_curves(report_section *s, const haul_launch_record *record, const sim_machine *machine);

#endif
