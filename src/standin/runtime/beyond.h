/* Accesses behind allocations that hardware does not notice. */
#ifndef HAUL_STANDIN_RUNTIME_BEYOND_H
#define HAUL_STANDIN_RUNTIME_BEYOND_H

#include "vgpu/driver.h"

/* For the current device: kernels go on, unless the task is to check. */
void standin_allow_beyond(void);
/* At the program's end: a line for each such kernel. */
void standin_report_beyond(void);

#endif
