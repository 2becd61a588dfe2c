/* Reports the times of a program's kernels: sums by kernel, and single launches.
 *
 * kernels.c has the sums; times are those of launches that were timed, and totals are scaled to all launches. The
 * document is the same for text and HTML; with --json there is a line for each launch when it is done, and one for
 * the program at the end. All names are demangled at the end, by one process. The functions for the document are in
 * src/report. All are called with the lock of kernels.c. */
#include "base/demangle.h"
#include "base/memory.h"
#include "base/status.h"
#include "report/document.h"
#include "report/json.h"
#include "standin/gpu/gpu.h"
#include "standin/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kept until the end for the table of single launches. */
typedef struct timed_launch {
    gpu_launch launch;
    double us;
} timed_launch;

static char device[128] = "GPU";
static timed_launch *each; /* with --all */
static size_t each_count, each_room;
static text out; /* empty between calls */

/* The name of device 0 stands for all; the report says "GPU" if the driver does not tell. */
void gpu_prepare_report(void) {
    CUdevice first;
    if (gpu_real()->cuDeviceGet(&first, 0) == CUDA_SUCCESS)
        (void)gpu_real()->cuDeviceGetName(device, sizeof device, first);
}

/* ---- a launch ---- */

/* A line for one launch, at once. */
static void put_json(const gpu_launch *l, double us) {
    json_t *line =
        json_pack("{s:I, s:o, s:o, s:o, s:I, s:o}", "launch", (json_int_t)l->number, "kernel",
                  report_json_string(l->kernel->symbol), "grid", report_json_extent(l->grid), "block",
                  report_json_extent(l->block), "smem", (json_int_t)l->shared_bytes, "us", report_json_number(us));
    if (report_json_put(line, JSON_COMPACT, &out) != HAUL_OK) fprintf(stderr, "haul: %s\n", haul_message());
    standin_print(&out);
}

/* A launch is left out if there is no memory for it. */
static void keep(const gpu_launch *l, double us) {
    timed_launch *more = memory_grow(each, each_count, &each_room, sizeof *each);
    if (!more) return;
    each = more;
    each[each_count++] = (timed_launch){*l, us};
}

/* As JSON it is written now, as text with the report. */
void gpu_put_launch(const gpu_launch *l, double us) {
    if (standin_asked.json && !standin_asked.quiet) put_json(l, us);
    if (standin_asked.every_launch && !standin_asked.json) keep(l, us);
}

/* ---- the program ---- */

/* Over all kernels; `us` is scaled. */
typedef struct totals {
    uint64_t launches, timed;
    double us;
    size_t kernels;
} totals;

/* Launches that were not timed are estimated by the mean of those that were. */
static double total_of(const gpu_kernel *k) {
    return k->timed ? k->us * (double)k->launches / (double)k->timed : 0;
}

/* Counts only kernels that were launched. */
static totals totals_of(const gpu_kernel *kernels) {
    totals t = {0};
    for (const gpu_kernel *k = kernels; k; k = k->next) {
        t.launches += k->launches;
        t.timed += k->timed;
        t.us += total_of(k);
        t.kernels += k->launches > 0;
    }
    return t;
}

/* Longest first. */
static int by_time(const void *a, const void *b) {
    const double left = total_of(*(const gpu_kernel *const *)a), right = total_of(*(const gpu_kernel *const *)b);
    return (left < right) - (left > right);
}

/* Kernels that were launched, the one with the longest time first. The caller frees the list; NULL if there is no
 * memory. */
static const gpu_kernel **sort_kernels(size_t count) {
    const gpu_kernel **all = memory_zeroed(count + 1, sizeof *all);
    size_t i = 0;
    for (const gpu_kernel *k = gpu_kernels(); all && k; k = k->next)
        if (k->launches) all[i++] = k;
    if (all) qsort(all, count, sizeof *all, by_time);
    return all;
}

/* Turns "void scope::ld<float, 4>(float*, int)" into "scope::ld<float, 4>". */
static void shorten(char *declaration) {
    int depth = 0;
    char *start = declaration, *c = declaration;
    for (; *c; c++) {
        if (*c == '(' && strncmp(c, "(anonymous namespace)", 21) == 0) {
            c += 20;
            continue;
        }
        if (*c == '(' && depth == 0) break;
        depth += (*c == '<' || *c == '(') - (*c == '>' || *c == ')');
        if (*c == ' ' && depth == 0) start = c + 1;
    }
    *c = '\0';
    memmove(declaration, start, strlen(start) + 1);
}

/* One line for each kernel: its declaration, or nothing. */
static void demangle(const gpu_kernel *const *kernels, size_t count, text *lines) {
    const char **symbols = memory_zeroed(count + 1, sizeof *symbols);
    for (size_t i = 0; symbols && i < count; i++) symbols[i] = kernels[i]->symbol;
    if (symbols) demangle_all(symbols, count, lines);
    memory_free(symbols);
}

/* Launches of graphs have no grid; kernels whose launches differ have no single one. */
static void add_extent(report_table *t, bool varies, const unsigned e[3]) {
    if (!e[0])
        report_add_empty(t);
    else if (varies)
        report_add_text(t, "various");
    else if (e[1] == 1 && e[2] == 1)
        report_add_text(t, "%u", e[0]);
    else
        report_add_text(t, e[2] == 1 ? "%u x %u" : "%u x %u x %u", e[0], e[1], e[2]);
}

/* Empty if no launch was timed. */
static void add_time(report_table *t, const gpu_kernel *k, double us) {
    if (k->timed)
        report_add_number(t, us);
    else
        report_add_empty(t);
}

/* The table's columns are those of add_table(), in that order. */
static void add_kernel(report_table *t, const gpu_kernel *k, const char *name, double all_us) {
    report_add_row(t);
    report_add_text(t, "%s", name);
    if (standin_asked.json) report_add_text(t, "%s", k->symbol);
    report_add_number(t, (double)k->launches);
    report_add_number(t, (double)k->timed);
    add_extent(t, k->has_grids, k->grid);
    add_extent(t, k->has_blocks, k->block);
    add_time(t, k, total_of(k));
    add_time(t, k, k->us / (double)k->timed);
    add_time(t, k, k->shortest);
    add_time(t, k, k->longest);
    add_time(t, k, report_percent(total_of(k), all_us));
}

/* The mangled name is for programs that read JSON; people get the other. */
static report_table *add_table(report_section *s) {
    static const report_column columns[] = {
        {"kernel", "Kernel", REPORT_TEXT, NULL},
        {"symbol", "Symbol", REPORT_TEXT, NULL}, /* for programs only */
        {"launches", "Launches", REPORT_COUNT, NULL},
        {"counted", "Timed", REPORT_COUNT, NULL},
        {"grid", "Grid", REPORT_TEXT, NULL},
        {"block", "Block", REPORT_TEXT, NULL},
        {"us", "Total", REPORT_MICROSECONDS, "measured"},
        {"us_mean", "Mean", REPORT_MICROSECONDS, NULL},
        {"us_low", "Shortest", REPORT_MICROSECONDS, NULL},
        {"us_high", "Longest", REPORT_MICROSECONDS, NULL},
        {"share", "Share", REPORT_PERCENT, "of the time of all kernels"},
    };
    enum { COUNT = sizeof columns / sizeof *columns };
    report_column shown[COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++)
        if (standin_asked.json || strcmp(columns[i].key, "symbol") != 0) shown[count++] = columns[i];
    return report_add_table(s, "kernels", "Kernels", shown, count);
}

/* `names` has a line for each kernel in the same order. Without a demangler, symbols are shown. */
static void add_kernels(report_section *s, const totals *all) {
    text names = {0};
    const gpu_kernel **kernels = sort_kernels(all->kernels);
    report_table *t = add_table(s);
    if (kernels) demangle(kernels, all->kernels, &names);
    char *name = names.failed ? NULL : names.bytes;
    for (size_t i = 0; kernels && i < all->kernels; i++) {
        char *end = name ? strchr(name, '\n') : NULL;
        if (end) *end = '\0';
        if (end) shorten(name);
        add_kernel(t, kernels[i], end && *name ? name : kernels[i]->symbol, all->us);
        name = end ? end + 1 : NULL;
    }
    text_free(&names);
    memory_free(kernels);
}

/* Notes what was measured, what the events themselves cost, and what is missing. */
static void add_notes(report_section *s, const totals *all) {
    const gpu_overhead cost = gpu_cost();
    if (!all->launches)
        report_add_paragraph(s, "The program launched no kernels, or the filters excluded all of them.");
    report_add_paragraph(s, "Measured on %s: the time from an event before each launch to an event after it.", device);
    if (cost.nothing >= 0)
        report_add_paragraph(s,
                             "Two events with nothing between them were %.2f us apart on average; each time includes "
                             "that.",
                             cost.nothing);
    if (cost.kernel >= 0)
        report_add_paragraph(s, "An empty kernel launched into an idle stream took %.2f us, mostly launch latency.",
                             cost.kernel);
    if (all->launches && !all->timed)
        report_add_paragraph(s, "None of the launches has a time: they failed, or did not end.");
    if (all->timed && all->timed < all->launches)
        report_add_paragraph(s,
                             "%llu of %llu launches timed, the sums scaled: each of the others counts as much as the "
                             "mean of its kernel's.",
                             (unsigned long long)all->timed, (unsigned long long)all->launches);
    if (gpu_captured())
        report_add_paragraph(s, "%llu launch%s captured into graphs. A graph's launch is timed as a whole.",
                             (unsigned long long)gpu_captured(), gpu_captured() == 1 ? " was" : "es were");
}

/* Only with --all. Times are those of single launches. */
static void add_each(report_document *d) {
    static const report_column columns[] = {
        {"launch", "Launch", REPORT_COUNT, NULL},
        {"kernel", "Kernel", REPORT_TEXT, NULL},
        {"grid", "Grid", REPORT_TEXT, NULL},
        {"block", "Block", REPORT_TEXT, NULL},
        {"smem", "Shared memory", REPORT_BYTES, "dynamic"},
        {"us", "Time", REPORT_MICROSECONDS, "measured"},
    };
    if (!each_count) return;
    report_section *s = report_add_section(d, "launches", "Launches, in the order in which they were done");
    report_table *t = report_add_table(s, "launches", "Launches", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < each_count; i++) {
        const gpu_launch *l = &each[i].launch;
        report_add_row(t);
        report_add_number(t, (double)l->number);
        report_add_text(t, "%s", l->kernel->symbol);
        report_add_text(t, "%u x %u x %u", l->grid[0], l->grid[1], l->grid[2]);
        report_add_text(t, "%u x %u x %u", l->block[0], l->block[1], l->block[2]);
        report_add_number(t, l->shared_bytes);
        report_add_number(t, each[i].us);
    }
}

/* null if a time could not be measured. */
static json_t *known(double us) {
    return us < 0 ? json_null() : report_json_number(us);
}

/* The table as JSON rows, with what the notes say as fields. */
static haul_status put_kernels_json(report_document *d, const totals *all) {
    report_section *s = d ? d->sections : NULL;
    json_t *rows = s ? report_json_rows(s->blocks->table) : NULL;
    json_t *line = json_pack("{s:o, s:I, s:I, s:b, s:I, s:o, s:s, s:o, s:o}", "kernels", rows, "launches",
                             (json_int_t)all->launches, "counted", (json_int_t)all->timed, "scaled",
                             (int)(all->timed < all->launches), "captured", (json_int_t)gpu_captured(), "device",
                             report_json_string(device), "stamp", "measured", "empty_pair_us",
                             known(gpu_cost().nothing), "empty_kernel_us", known(gpu_cost().kernel));
    return report_json_put(line, JSON_COMPACT, &out);
}

/* HTML goes to its file, and text or JSON is left in `out`. */
static haul_status write_document(report_document *d, const totals *all) {
    haul_status status = HAUL_OK;
    if (standin_asked.html) status = report_write_html(d, &out);
    if (standin_asked.html && status == HAUL_OK) status = standin_write(standin_asked.html, &out);
    if (status == HAUL_OK && standin_asked.json) return put_kernels_json(d, all);
    if (status == HAUL_OK && !standin_asked.quiet)
        status = report_write_text(d, report_terminal_of(standin_report_descriptor()), &out);
    return status;
}

/* After a failure, prints the part that is complete. */
void gpu_report(void) {
    const totals all = totals_of(gpu_kernels());
    report_document *d = report_document_new("program", "Kernel times");
    report_section *s = report_add_section(d, "kernels", "Kernels of this program");
    add_kernels(s, &all);
    add_notes(s, &all);
    add_each(d);
    if (write_document(d, &all) != HAUL_OK) fprintf(stderr, "haul: %s\n", haul_message());
    report_document_free(d);
    standin_print(&out);
}
