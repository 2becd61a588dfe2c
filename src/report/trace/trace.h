/* Traces of launches and of streams' work, as trace events in JSON for Perfetto and Chrome. */
#ifndef HAUL_REPORT_TRACE_TRACE_H
#define HAUL_REPORT_TRACE_TRACE_H

#include "base/text.h"
#include "machine/machine.h"

#include <haul/run.h>

typedef struct report_trace report_trace;

/* NULL if there is no memory. */
report_trace *report_trace_new(void);
void report_trace_free(report_trace *trace);

/* When and where something ran: microseconds since the device was opened. */
typedef struct report_trace_span {
    double from, to;
    unsigned device; /* its number */
    uint64_t stream; /* its number, 0 for the default stream */
} report_trace_span;

/* Adds a copy, a fill, or a launch that was not counted, to the track of its stream. `bytes`: moved, or 0. */
void report_trace_add_work(report_trace *trace, const report_trace_span *span, const char *name, uint64_t bytes);

/* Adds a launch to the track of its stream; and, if it has an estimate, tracks of its own: the places of blocks on SMs,
 * with the parts of the kernel in each block of the first SM, and the states of warps.
 *
 * The time model has averages, not a history. So blocks of a wave begin and end together, a block is on the next SM
 * with room, in the order of the grid, and the parts of a kernel are in the order of its code, each once, with the time
 * of all iterations. A part is the code between two barriers or waits for copies; a barrier or a wait has the time that
 * the model says warps wait there. */
void report_trace_add_launch(report_trace *trace, const report_trace_span *span, const char *name,
                             const haul_launch_record *record, const sim_machine *machine);

/* Writes all, ordered by time. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status report_trace_put(report_trace *trace, text *out);

#endif
