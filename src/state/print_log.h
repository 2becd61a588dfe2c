/* Text that a kernel's threads print during a launch.
 *
 * Each SM keeps its own log. After the launch the logs are written block by block in grid order, and within a block in
 * the order of execution. So the text does not depend on which SM ran a block, or on host threads. */
#ifndef HAUL_STATE_PRINT_LOG_H
#define HAUL_STATE_PRINT_LOG_H

#include "base/text.h"

#include <haul/status.h>
#include <stdint.h>

/* Bytes that one SM may print in a launch. */
enum { SIM_PRINT_LIMIT = 16 << 20 };

/* The destination of a launch's text. The launching thread calls `write` any number of times. NULL: standard output. */
typedef struct sim_print_sink {
    void (*write)(void *context, const char *bytes, size_t length);
    void *context;
} sim_print_sink;

/* Text that one block printed without interruption by another. */
typedef struct sim_print_piece {
    uint64_t block;
    const char *bytes; /* set when the logs are written */
    size_t from, length;
} sim_print_piece;

/* Starts as zeros. Printing appends to `bytes`; sim_print_log_close() assigns the new text to a block. */
typedef struct sim_print_log {
    text bytes;
    sim_print_piece *pieces;
    size_t count, capacity;
    size_t closed; /* bytes that belong to a piece */
} sim_print_log;

/* Assigns the text since the last call to `block`. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_print_log_close(sim_print_log *log, uint64_t block);
void sim_print_log_free(sim_print_log *log);
/* Writes the logs' text. Errors: HAUL_ERROR_OUT_OF_MEMORY; then nothing was written. */
haul_status sim_print_logs_write(const sim_print_log *const *logs, size_t count, const sim_print_sink *sink);

#endif
