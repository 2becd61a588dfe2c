/* Memory traffic by source line: the sum over the instructions of one line and one class. */
#ifndef HAUL_REPORT_PROFILE_HOTSPOTS_H
#define HAUL_REPORT_PROFILE_HOTSPOTS_H

#include "base/arena.h"
#include "machine/machine.h"
#include "report/source.h"

#include <haul/run.h>
#include <haul/status.h>

enum { REPORT_MOST_ALIKE = 16 };

typedef struct report_hotspot {
    const char *file;   /* as the compiler wrote it, or NULL: no line information */
    const char *name;   /* its last part, or "PTX" */
    uint32_t line;      /* line of the file, or of the PTX */
    const char *source; /* its text, or the PTX instruction, or NULL */
    haul_memory_class class;
    haul_traffic traffic; /* of all its instructions */
    haul_traffic worst;   /* of the instruction that wastes the most */
    size_t alike;         /* instructions whose traffic is the same as that one's */
    const haul_instruction_record *instructions[REPORT_MOST_ALIKE]; /* these instructions, up to the limit */
    double moved; /* bytes through L1 (32 a sector), shared memory (128 a wavefront), constant cache (32 a request) */
    double share; /* share of all bytes that the launch moved, in percent */
} report_hotspot;

typedef struct report_hotspots {
    report_hotspot *items; /* the line with the most bytes comes first */
    size_t count;
    const haul_launch_record *record;
    const sim_machine *machine; /* that ran it; NULL: no advice on the launch as a whole */
} report_hotspots;

/* Bytes that the traffic moves: `moved` of a line. */
double report_moved_bytes(haul_memory_class class, const haul_traffic *traffic);

/* Finds the lines, for no machine. The result lives in `memory`; its strings point into the record and into `sources`
 * (which may be NULL). A place inside a header of the toolchain counts for the line that it was inlined into. */
haul_status report_find_hotspots(const haul_launch_record *record, report_sources *sources, arena *memory,
                                 report_hotspots *lines);

#endif
