/* Where and how the numbers came about. */
#include "cli/bench/report.h"
#include "cli/stamp.h"

void bench_stamp(const bench *b, report_document *d, int argc, char **argv) {
    const bench_peers *peers = &b->peers;
    cli_stamp(d, b->device, argc, argv);
    if (peers->table)
        report_add_fact(d, "peers", "Peers", "%s (%s)", text_string(&peers->path), peers->table->built_with);
    else
        report_add_fact(d, "peers", "Peers", "none: %s", text_string(&peers->missing));
}
