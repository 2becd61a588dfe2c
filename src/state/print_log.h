/* What the kernel's threads print during a launch.
 *
 * Each SM keeps a log of its own; when the launch is done the logs are written out block by block in grid order, inside
 * a block in the order of execution. So the text does not depend on which SM ran a block, nor on host threads. */
#ifndef HAUL_STATE_PRINT_LOG_H
#define HAUL_STATE_PRINT_LOG_H

#include "base/text.h"

#include <haul/status.h>
#include <stdint.h>

/* Bytes that one SM may print in a launch. */
enum { SIM_PRINT_LIMIT = 16 << 20 };

/* Where a launch's text goes: `write` is called any number of times, by the thread that launches. NULL: to standard
 * output. */
typedef struct sim_print_sink {
    void (*write)(void *context, const char *bytes, size_t length);
    void *context;
} sim_print_sink;

/* Text that one block printed without another one in between. */
typedef struct sim_print_piece {
    uint64_t block;
    const char *bytes; /* set when the logs are written */
    size_t from, length;
} sim_print_piece;

/* Starts as zeros. Printing appends to `bytes`; sim_print_log_close() says whose the new text is. */
typedef struct sim_print_log {
    text bytes;
    sim_print_piece *pieces;
    size_t count, capacity;
    size_t closed; /* bytes that belong to a piece */
} sim_print_log;

/* What was appended since the last call is block `block`'s. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_print_log_close(sim_print_log *log, uint64_t block);
void sim_print_log_free(sim_print_log *log);
/* Errors: HAUL_ERROR_OUT_OF_MEMORY; then nothing was written. */
haul_status sim_print_logs_write(const sim_print_log *const *logs, size_t count, const sim_print_sink *sink);

#endif
