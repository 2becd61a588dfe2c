/* Output of haul bench: tables of ratios and times, a chart, the stamp. */
#ifndef HAUL_CLI_BENCH_REPORT_H
#define HAUL_CLI_BENCH_REPORT_H

#include "cli/bench/bench.h"
#include "report/document.h"

/* Fills the document from the results. `chart` gets the chart that the document owns. Errors: HAUL_ERROR_OUT_OF_MEMORY.
 */
haul_status bench_report(const bench *b, report_document *d, report_chart **chart);

/* Adds facts to the document: the device, the peers, the date, and the command line. */
void bench_stamp(const bench *b, report_document *d, int argc, char **argv);

#endif
