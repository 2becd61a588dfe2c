/* Accesses beyond allocations that hardware does not detect. */
#ifndef HAUL_STANDIN_RUNTIME_BEYOND_H
#define HAUL_STANDIN_RUNTIME_BEYOND_H

#include "vgpu/driver.h"

/* For the current device: lets such kernels continue, unless the task is to check. */
void standin_allow_beyond(void);
/* At the program's end: prints a line for each such kernel. */
void standin_report_beyond(void);

#endif
