/* The annotated source of a launch, for pages: the source files with their share of the traffic, and beside them the
 * PTX with the figures of each instruction, and the machine code. */
#ifndef HAUL_REPORT_PROFILE_LISTING_H
#define HAUL_REPORT_PROFILE_LISTING_H

#include "base/machine_code.h"
#include "report/document.h"
#include "report/source.h"

#include <haul/run.h>

/* Adds the listing. `sources` and `machine` may be NULL. Files that are not found are left out; so is the machine code
 * if no disassembler is installed. */
void report_add_listing(report_section *s, const haul_launch_record *record, report_sources *sources,
                        const machine_kernel *machine);

#endif
