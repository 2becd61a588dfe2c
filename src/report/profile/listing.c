/* Writes the panes of the annotated source. A row's attribute data-at, "FILE:LINE" with the file's number, says which
 * line of the source it belongs to; the page's script (report/write/page.def) links rows by it. */
#include "report/profile/listing.h"

#include "report/profile/hotspots.h"
#include "report/write/markup.h"

#include <string.h>

/* Files with more lines are shown around the lines that have instructions only. */
enum { MOST_LINES = 1000, AROUND = 12 };

typedef struct line_sums {
    uint64_t executed; /* warp-level instructions */
    double moved;      /* bytes, as in hotspots */
    bool near;         /* shown in a long file */
} line_sums;

typedef struct listed_file {
    const char *name; /* as the compiler wrote it */
    const char *text;
    line_sums *lines; /* from 1 on */
    uint32_t count;
} listed_file;

typedef struct listing {
    arena memory;
    text out;
    const haul_launch_record *record;
    const machine_kernel *machine;
    report_sources *sources;
    listed_file *files; /* those that were found */
    size_t file_count;
    double moved;   /* by all instructions */
    double hottest; /* by the line that moves the most */
} listing;

/* ---- sums ---- */

static const listed_file *find_file(const listing *l, const char *name) {
    for (size_t i = 0; name && i < l->file_count; i++)
        if (strcmp(l->files[i].name, name) == 0) return &l->files[i];
    return NULL;
}

static uint32_t count_lines(const char *all) {
    uint32_t count = 1;
    for (; *all; all++) count += *all == '\n' && all[1];
    return count;
}

/* Adds the file if its source is found; two names of one file are two files. */
static void add_file(listing *l, const char *name) {
    const char *all = name && l->sources && !find_file(l, name) ? report_source_text(l->sources, name) : NULL;
    if (!all) return;
    listed_file f = {.name = name, .text = all, .count = count_lines(all)};
    f.lines = ARENA_ARRAY(&l->memory, (size_t)f.count + 1, line_sums);
    if (f.lines) l->files[l->file_count++] = f;
}

/* The sums of a place's line; NULL if its source is not shown. */
static line_sums *sums_at(const listing *l, const haul_source_place *place) {
    const listed_file *f = find_file(l, place->file);
    return f && place->line && place->line <= f->count ? &f->lines[place->line] : NULL;
}

static void mark_near(const listing *l, const haul_source_place *place) {
    const listed_file *f = find_file(l, place->file);
    if (!f) return;
    const uint32_t first = place->line > AROUND ? place->line - AROUND : 1;
    for (uint32_t i = first; i <= f->count && i <= place->line + AROUND; i++) f->lines[i].near = true;
}

static void sum_lines(listing *l) {
    const haul_launch_record *r = l->record;
    for (size_t i = 0; i < r->instruction_count; i++) {
        const haul_instruction_record *x = &r->instructions[i];
        const haul_source_place *place = report_user_place(&x->place);
        const double moved = report_moved_bytes(x->memory_class, &x->traffic);
        l->moved += moved;
        add_file(l, place->file);
        line_sums *sums = sums_at(l, place);
        if (!sums) continue;
        if (!sums->near) mark_near(l, place);
        sums->executed += x->traffic.instructions;
        sums->moved += moved;
        if (sums->moved > l->hottest) l->hottest = sums->moved;
    }
}

/* ---- rows ---- */

/* The attribute that links rows; nothing for a place whose source is not shown. */
static void put_place(listing *l, const haul_source_place *place) {
    const listed_file *f = find_file(l, place->file);
    if (f && place->line) text_printf(&l->out, " data-at=\"%zu:%u\"", (size_t)(f - l->files), place->line);
}

/* A cell with a number, or an empty one for zero. */
static void put_number(listing *l, report_unit unit, double value) {
    char number[REPORT_NUMBER_SIZE];
    text_printf(&l->out, "<td>%s</td>", value > 0 ? report_format(unit, value, number) : "");
}

/* The share of the traffic, with its heat as the cell's colour. */
static void put_heat(listing *l, double moved) {
    char number[REPORT_NUMBER_SIZE];
    const double share = l->moved > 0 ? 100 * moved / l->moved : 0;
    if (share > 0)
        text_printf(&l->out, "<td class=\"h\" style=\"--w:%.0f%%\">%s</td>", share,
                    report_format(REPORT_PERCENT, share, number));
    else
        text_put(&l->out, "<td></td>");
}

static void put_code(listing *l, const char *code, size_t length) {
    char *copy = arena_copy(&l->memory, code, length);
    text_put(&l->out, "<td class=\"code\">");
    if (copy) markup_put(&l->out, copy);
    text_put(&l->out, "</td></tr>\n");
}

static void start_pane(listing *l, const char *class, const char *label, const char *headings) {
    text_printf(&l->out,
                "<div class=\"pane %s\" role=\"region\" aria-label=\"%s\"><table><thead><tr>%s<th "
                "class=\"t\">%s</th></tr></thead><tbody>\n",
                class, label, headings, label);
}

static void end_pane(listing *l) {
    text_put(&l->out, "</tbody></table></div>\n");
}

/* ---- the source ---- */

static void put_line(listing *l, size_t file, uint32_t number, const char *code, size_t length) {
    const line_sums *sums = &l->files[file].lines[number];
    text_put(&l->out, "<tr");
    if (sums->executed) text_printf(&l->out, " data-at=\"%zu:%u\"", file, number);
    if (sums->executed && sums->moved == l->hottest) text_put(&l->out, " data-hot=\"\"");
    text_printf(&l->out, "><td class=\"n\">%u</td>", number);
    put_heat(l, sums->moved);
    put_number(l, REPORT_COUNT, (double)sums->executed);
    put_code(l, code, length);
}

/* The lines of a file; runs of lines of a long file that are left out become one row. */
static void put_file(listing *l, size_t file) {
    const listed_file *f = &l->files[file];
    const char *code = f->text;
    uint32_t skipped = 0;
    if (l->file_count > 1) {
        text_put(&l->out, "<tr class=\"gap\"><td colspan=\"4\">");
        markup_put(&l->out, report_file_name(f->name));
        text_put(&l->out, "</td></tr>\n");
    }
    for (uint32_t n = 1; n <= f->count; n++) {
        const size_t length = strcspn(code, "\n");
        const bool shown = f->count <= MOST_LINES || f->lines[n].near;
        if (skipped && (shown || n == f->count))
            text_printf(&l->out, "<tr class=\"gap\"><td colspan=\"4\">%u lines</td></tr>\n", skipped);
        skipped = shown ? 0 : skipped + 1;
        if (shown) put_line(l, file, n, code, length);
        code += length + (code[length] == '\n');
    }
}

static void put_source(listing *l) {
    if (!l->file_count) return;
    start_pane(l, "source", "Source", "<th>Line</th><th>Traffic</th><th>Executed</th>");
    for (size_t i = 0; i < l->file_count; i++) put_file(l, i);
    end_pane(l);
}

/* ---- PTX and machine code ---- */

static void put_instruction(listing *l, const haul_instruction_record *x) {
    const haul_traffic *t = &x->traffic;
    const double requests = (double)(t->requests ? t->requests : t->instructions);
    text_put(&l->out, "<tr");
    put_place(l, report_user_place(&x->place));
    text_printf(&l->out, "><td class=\"n\">%u</td>", x->ptx_line);
    put_heat(l, report_moved_bytes(x->memory_class, t));
    put_number(l, REPORT_COUNT, (double)t->instructions);
    put_number(l, REPORT_RATIO, t->sectors ? (double)t->sectors / requests : 0);
    put_number(l, REPORT_RATIO,
               t->ideal_shared_wavefronts ? (double)t->shared_wavefronts / (double)t->ideal_shared_wavefronts : 0);
    put_code(l, x->text ? x->text : "", x->text ? strlen(x->text) : 0);
}

static void put_ptx(listing *l) {
    start_pane(l, "ptx", "PTX",
               "<th>Line</th><th>Traffic</th><th>Executed</th><th title=\"sectors a request\">Sect.</th><th "
               "title=\"shared wavefronts over the fewest that the bytes need\">Ways</th>");
    for (size_t i = 0; i < l->record->instruction_count; i++) put_instruction(l, &l->record->instructions[i]);
    end_pane(l);
}

static void put_machine(listing *l) {
    const machine_kernel *k = l->machine;
    if (!k || !k->line_count) return;
    start_pane(l, "sass", "Machine code", "<th>Address</th>");
    for (size_t i = 0; i < k->line_count; i++) {
        text_put(&l->out, "<tr");
        put_place(l, report_user_place(&k->lines[i].place));
        text_printf(&l->out, "><td class=\"n\">%04x</td>", k->lines[i].address);
        put_code(l, k->lines[i].text, strlen(k->lines[i].text));
    }
    end_pane(l);
}

void report_add_listing(report_section *s, const haul_launch_record *record, report_sources *sources,
                        const machine_kernel *machine) {
    listing l = {.record = record, .machine = machine, .sources = sources};
    if (!record->instruction_count) return;
    l.files = ARENA_ARRAY(&l.memory, record->instruction_count, listed_file);
    if (l.files) {
        sum_lines(&l);
        text_put(&l.out, "<div class=\"listing\">\n");
        put_source(&l);
        text_put(&l.out, "<div class=\"beside\">\n");
        put_ptx(&l);
        put_machine(&l);
        text_put(&l.out, "</div></div>\n");
        report_add_figure(s, l.file_count ? "Source, PTX and machine code" : "PTX and machine code", &l.out);
    }
    text_free(&l.out);
    arena_free(&l.memory);
}
