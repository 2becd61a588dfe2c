/* The stamp of haul bench: where and how the numbers were made. Device, driver, date and command are cli/stamp.h's;
 * this file adds the peers, with what they were built with. */
#include "cli/bench/report.h"
#include "cli/stamp.h"

/* Peers whose own libraries were not found. */
static void add_absent(const haul_peers_table *table, text *out) {
    for (size_t i = 0; i < table->count; i++) {
        const haul_peer *p = &table->peers[i];
        if (p->there && !p->there()) text_printf(out, "; not found: %s (%s)", p->text, p->work);
    }
}

/* One fact: the libraries, or why there are none. */
static void add_peers(const bench_peers *p, report_document *document) {
    text line = {0};
    if (p->missing) text_printf(&line, "none: %s", p->missing);
    for (size_t i = 0; i < p->count; i++) {
        const bench_library *l = &p->libraries[i];
        text_printf(&line, "%s%s (%s)", i ? ", " : "", l->name, l->table->built_with);
        add_absent(l->table, &line);
    }
    report_add_fact(document, "peers", "Peers", "%s", text_string(&line));
    text_free(&line);
}

void bench_stamp(const bench *b, report_document *d, int argc, char **argv) {
    cli_stamp(d, b->device, argc, argv);
    add_peers(&b->peers, d);
}
