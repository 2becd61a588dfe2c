/* Running programs with haul's stand-in for the CUDA runtime. */
#ifndef HAUL_CLI_PROGRAM_H
#define HAUL_CLI_PROGRAM_H

#include "cli/options.h"
#include "standin/environment.h"

/* Becomes the program after `--` and does not return. If that fails, prints the error as `haul COMMAND` and returns
 * CLI_ERROR. */
int cli_become_program(const cli_values *values, standin_task task);

#endif
