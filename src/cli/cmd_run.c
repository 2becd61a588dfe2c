/* haul run: a CUDA program on a virtual GPU. */
#include "cli/program.h"

int cli_run_run(const cli_values *values) {
    return cli_become_program(values, STANDIN_RUN);
}
