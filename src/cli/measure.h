/* Hardware counters for a command: haul starts ncu on itself. */
#ifndef HAUL_CLI_MEASURE_H
#define HAUL_CLI_MEASURE_H

#include "cli/options.h"
#include "lib/ncu/ncu.h"

#include <haul/haul.h>

/* Reads the counters of the launches of `haul COMMAND --once` with these values on the device, `readings` times or as
 * often as --readings says. Errors: those of ncu_read(). */
haul_status cli_measure(const char *command, const cli_values *values, const haul_device *device, unsigned readings,
                        ncu_report *report);

#endif
