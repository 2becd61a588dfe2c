/* Draws a launch's data flow: from the kernel's instructions through L1 and shared memory, L2 and device memory, like
 * Nsight Compute's memory chart. The width of an arrow is its share of the traffic. */
#include "report/profile/memory_tables.h"
#include "report/write/markup.h"

#include <math.h>
#include <stdio.h>

enum {
    WIDTH = 940,
    ROW = 84, /* height of one kind of instruction */
    BOX = 62, /* its box */
    TOP = 8,
    KERNEL_X = 4,
    KERNEL_W = 84,
    SPACE_X = 206,
    SPACE_W = 122,
    NEAR_X = 446,
    NEAR_W = 116,
    L2_X = 660,
    L2_W = 92,
    DEVICE_X = 850,
    DEVICE_W = 86,
    SECTOR = 32,
    WAVEFRONT = 128
};

/* One kind of instruction: a row from the kernel to the first memory. */
typedef struct chart_row {
    const char *title;
    haul_memory_class load, store; /* HAUL_CLASS_NONE = has none */
    bool shared;
} chart_row;

static const chart_row rows[] = {
    {"Global", HAUL_CLASS_GLOBAL_LOAD, HAUL_CLASS_GLOBAL_STORE, false},
    {"Global Atomics", HAUL_CLASS_GLOBAL_ATOMIC, HAUL_CLASS_GLOBAL_REDUCTION, false},
    {"Local", HAUL_CLASS_LOCAL_LOAD, HAUL_CLASS_LOCAL_STORE, false},
    {"LDGSTS (L1)", HAUL_CLASS_LDGSTS_ACCESS, HAUL_CLASS_NONE, false},
    {"LDGSTS (bypass)", HAUL_CLASS_LDGSTS_BYPASS, HAUL_CLASS_NONE, false},
    {"Texture", HAUL_CLASS_TEXTURE, HAUL_CLASS_NONE, false},
    {"Surface", HAUL_CLASS_SURFACE_LOAD, HAUL_CLASS_SURFACE_STORE, false},
    {"Bulk", HAUL_CLASS_BULK_LOAD, HAUL_CLASS_BULK_STORE, false},
    {"Shared", HAUL_CLASS_SHARED_LOAD, HAUL_CLASS_SHARED_STORE, true},
    {"Shared Atomics", HAUL_CLASS_SHARED_ATOMIC, HAUL_CLASS_NONE, true},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct chart {
    text *out;
    const haul_launch_record *record;
    double most; /* bytes over the busiest arrow */
} chart;

static const haul_traffic *traffic(const chart *c, haul_memory_class class) {
    static const haul_traffic none;
    return class == HAUL_CLASS_NONE ? &none : &c->record->classes[class];
}

/* Rows without instructions are left out, so the picture's height varies. */
static bool used(const chart *c, const chart_row *row) {
    return traffic(c, row->load)->instructions || traffic(c, row->store)->instructions;
}

static double counter(const chart *c, haul_counter which) {
    return c->record->counters[which] > 0 ? c->record->counters[which] : 0;
}

/* The bytes of an arrow on the SM's side. */
static double near_bytes(const haul_traffic *t, bool shared) {
    return shared ? (double)t->shared_wavefronts * WAVEFRONT : (double)t->sectors * SECTOR;
}

/* ---- pieces ---- */

static void start_chart(chart *c, double width, double height) {
    text_printf(c->out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" class=\"chart wide\" "
                "font-family=\"system-ui,sans-serif\" font-size=\"12\"><title>Memory chart</title>\n",
                width, height);
}

static void put_words(chart *c, double x, double y, const char *style, const char *words) {
    text_printf(c->out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\" %s>", x, y, style);
    markup_put(c->out, words);
    text_put(c->out, "</text>\n");
}

typedef struct area {
    double x, y, width, height;
} area;

/* A box with its title and up to two more lines in the middle. `hue` is one of the page's colours. */
static void put_box(chart *c, area a, const char *hue, const char *title, const char *detail, const char *peak) {
    enum { LINE = 16 };
    static const char muted[] = "font-size=\"11\" style=\"fill:var(--muted,#64748b)\"";
    text_printf(c->out,
                "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"6\" style=\"fill:var(--%s,#2563eb);"
                "fill-opacity:.14;stroke:var(--%s,#2563eb)\"/>\n",
                a.x, a.y, a.width, a.height, hue, hue);
    const double middle = a.x + a.width / 2;
    double line = a.y + a.height / 2 + 5 - LINE / 2.0 * ((*detail != 0) + (*peak != 0));
    put_words(c, middle, line, "font-weight=\"600\" style=\"fill:var(--ink,#0f172a)\"", title);
    if (*detail) put_words(c, middle, line += LINE, muted, detail);
    if (*peak) put_words(c, middle, line + LINE, muted, peak);
}

/* "22.6% of peak"; nothing without an estimate of the launch's time. */
static void peak_of(const chart *c, double share, char *out, size_t size) {
    char number[REPORT_NUMBER_SIZE];
    *out = '\0';
    if (c->record->estimate.cycles > 0)
        snprintf(out, size, "%s of peak", report_format(REPORT_PERCENT, 100 * share, number));
}

/* An arrow between two boxes; `left` points to the kernel, for data that is read. */
typedef struct arrow {
    double x1, x2, y;
    bool left;
} arrow;

/* The label stands above. */
static void put_flow(chart *c, arrow a, double bytes, const char *label) {
    const double width = 1.2 + (c->most > 0 ? 6 * bytes / c->most : 0), tip = width / 2 + 4;
    const double from = a.left ? a.x2 - 3 : a.x1 + 3, to = a.left ? a.x1 + 3 + tip : a.x2 - 3 - tip;
    const double y = a.y, head = a.left ? -tip : tip;
    text_printf(c->out,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"%.1f\" "
                "style=\"stroke:var(--c7,#64748b)\"/>",
                from, y, to, y, width);
    text_printf(c->out, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\" style=\"fill:var(--c7,#64748b)\"/>", to, y - tip,
                to + head, y, to, y + tip);
    text_printf(
        c->out,
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"11\" style=\"fill:var(--ink,#0f172a)\">",
        (a.x1 + a.x2) / 2, y - tip - 3);
    markup_put(c->out, label);
    text_put(c->out, "</text>\n");
}

/* An arrow with a count at it. */
static void put_counted(chart *c, arrow a, double bytes, double count, const char *unit) {
    char number[REPORT_NUMBER_SIZE], label[REPORT_NUMBER_SIZE + 16];
    snprintf(label, sizeof label, "%s %s", report_format(REPORT_COUNT, count, number), unit);
    put_flow(c, a, bytes, label);
}

/* An arrow with bytes at it; none if nothing was moved. */
static void put_bytes(chart *c, arrow a, double sectors) {
    char number[REPORT_NUMBER_SIZE];
    if (sectors > 0) put_flow(c, a, sectors * SECTOR, report_format(REPORT_BYTES, sectors * SECTOR, number));
}

/* ---- the picture ---- */

/* One direction of a row: instructions from the kernel, requests or wavefronts to the nearest memory. */
static void put_direction(chart *c, const chart_row *row, haul_memory_class class, double y, bool left) {
    const haul_traffic *t = traffic(c, class);
    if (!t->instructions) return;
    double bytes = near_bytes(t, row->shared);
    const arrow near = {SPACE_X + SPACE_W, NEAR_X, y, left};
    put_counted(c, (arrow){KERNEL_X + KERNEL_W, SPACE_X, y, left}, bytes, (double)t->instructions, "inst");
    if (row->shared)
        put_counted(c, near, bytes, (double)t->shared_wavefronts, "wavefronts");
    else
        put_counted(c, near, bytes, (double)t->sectors, "sectors");
}

/* A row has an arrow for each direction that occurs. */
static void put_row(chart *c, const chart_row *row, double y) {
    bool both = traffic(c, row->load)->instructions && traffic(c, row->store)->instructions;
    double shift = both ? 15 : 0;
    put_box(c, (area){SPACE_X, y, SPACE_W, BOX}, "c2", row->title, "", "");
    put_direction(c, row, row->load, y + BOX / 2.0 - shift + 4, true);
    put_direction(c, row, row->store, y + BOX / 2.0 + shift + 4, false);
}

/* Formats the rate, or nothing if there were no requests. */
static void hit_rate(char *out, size_t size, double hits, double all) {
    char number[REPORT_NUMBER_SIZE];
    snprintf(out, size, "%s hits", report_format(REPORT_PERCENT, report_percent(hits, all), number));
    if (all <= 0) *out = '\0';
}

static double l1_hits(const chart *c, double *all) {
    double hits = 0;
    *all = 0;
    for (int class = 0; class < HAUL_CLASS_COUNT; class ++) {
        if (!report_is_cached((haul_memory_class) class)) continue;
        hits += (double)c->record->classes[class].hits;
        *all += (double)c->record->classes[class].sectors;
    }
    return hits;
}

/* Where the caches stand. `mirrored`: data that is read flows to the right. */
typedef struct places {
    double near_x, near_w, l2_x, l2_w, device_x, device_w;
    bool mirrored;
} places;

static void put_between(chart *c, const places *at, double left, double right, double y, bool read, double sectors) {
    put_bytes(c, (arrow){left, right, y, read != at->mirrored}, sectors);
}

/* L1 over `height` from `y`, L2 and device memory over `beyond_height` from `beyond`, and the traffic between them. */
static void put_caches(chart *c, const places *at, double y, double height, double beyond, double beyond_height) {
    char detail[REPORT_NUMBER_SIZE + 16], peak[REPORT_NUMBER_SIZE + 16];
    double all, hits = l1_hits(c, &all), middle = beyond + beyond_height / 2 + 4;
    const double l1_edge = at->mirrored ? at->l2_x + at->l2_w : at->near_x + at->near_w,
                 l2_near = at->mirrored ? at->near_x : at->l2_x,
                 l2_far = at->mirrored ? at->device_x + at->device_w : at->l2_x + at->l2_w,
                 device_edge = at->mirrored ? at->l2_x : at->device_x;
    hit_rate(detail, sizeof detail, hits, all);
    peak_of(c, c->record->estimate.l1_share, peak, sizeof peak);
    put_box(c, (area){at->near_x, y, at->near_w, height}, "c0", "L1/TEX", detail, peak);
    double read = counter(c, HAUL_COUNTER_L2_READ_SECTORS), miss = counter(c, HAUL_COUNTER_L2_READ_MISS);
    hit_rate(detail, sizeof detail, read - miss, read);
    peak_of(c, c->record->estimate.l2_share, peak, sizeof peak);
    put_box(c, (area){at->l2_x, beyond, at->l2_w, beyond_height}, "c0", "L2", detail, peak);
    peak_of(c, c->record->estimate.memory_share, peak, sizeof peak);
    put_box(c, (area){at->device_x, beyond, at->device_w, beyond_height}, "c0", "Device", "memory", peak);
    put_between(c, at, l1_edge, l2_near, middle - 15, true, read);
    put_between(c, at, l1_edge, l2_near, middle + 15, false,
                counter(c, HAUL_COUNTER_L2_WRITE_SECTORS) + counter(c, HAUL_COUNTER_L2_RED_SECTORS) +
                    counter(c, HAUL_COUNTER_L2_ATOM_SECTORS));
    put_between(c, at, l2_far, device_edge, middle - 15, true, counter(c, HAUL_COUNTER_DRAM_READ_SECTORS));
    put_between(c, at, l2_far, device_edge, middle + 15, false, counter(c, HAUL_COUNTER_DRAM_WRITE_SECTORS));
}

static void put_shared_memory(chart *c, area a) {
    double wavefronts = 0, ideal = 0;
    char detail[64] = "";
    for (int class = HAUL_CLASS_SHARED_LOAD; class <= HAUL_CLASS_SHARED_ATOMIC; class ++) {
        wavefronts += (double)c->record->classes[class].shared_wavefronts;
        ideal += (double)c->record->classes[class].ideal_shared_wavefronts;
    }
    if (ideal > 0) snprintf(detail, sizeof detail, "%.2f x ideal", wavefronts / ideal);
    put_box(c, a, "c4", "Shared", "memory", detail);
}

static size_t count_rows(const chart *c, bool shared) {
    size_t count = 0;
    for (int i = 0; i < ROWS; i++) count += rows[i].shared == shared && used(c, &rows[i]);
    return count;
}

/* Finds the busiest arrow, to which all others are scaled. */
static void measure(chart *c) {
    for (int i = 0; i < ROWS; i++) {
        c->most = fmax(c->most, near_bytes(traffic(c, rows[i].load), rows[i].shared));
        c->most = fmax(c->most, near_bytes(traffic(c, rows[i].store), rows[i].shared));
    }
}

/* ---- for narrow pages: rows of two boxes, then L1, L2 and device memory below the cached rows ---- */

enum {
    SLIM = 400,
    SLIM_SPACE = 104,
    SLIM_NEAR_X = 292,
    SLIM_NEAR_W = 104,
    SLIM_L2_X = 140,
    SLIM_L2_W = 90,
    SLIM_DEVICE_W = 80
};

static void put_slim_direction(chart *c, const chart_row *row, haul_memory_class class, double y, bool left) {
    char number[REPORT_NUMBER_SIZE], more[REPORT_NUMBER_SIZE], label[2 * REPORT_NUMBER_SIZE + 16];
    const haul_traffic *t = traffic(c, class);
    if (!t->instructions) return;
    snprintf(label, sizeof label, "%s inst, %s %s", report_format(REPORT_COUNT, (double)t->instructions, number),
             report_format(REPORT_COUNT, (double)(row->shared ? t->shared_wavefronts : t->sectors), more),
             row->shared ? "wavefr." : "sectors");
    put_flow(c, (arrow){SLIM_SPACE, SLIM_NEAR_X, y, left}, near_bytes(t, row->shared), label);
}

static void put_slim_row(chart *c, const chart_row *row, double y) {
    bool both = traffic(c, row->load)->instructions && traffic(c, row->store)->instructions;
    double shift = both ? 15 : 0;
    put_box(c, (area){2, y, SLIM_SPACE - 2, BOX}, "c2", row->title, "", "");
    put_slim_direction(c, row, row->load, y + BOX / 2.0 - shift + 4, true);
    put_slim_direction(c, row, row->store, y + BOX / 2.0 + shift + 4, false);
}

/* L1 from `y` on, as high as the cached rows and one more, in which L2 and device memory lie left of it. */
static void put_slim_caches(chart *c, double y, size_t cached) {
    const places at = {.near_x = SLIM_NEAR_X,
                       .near_w = SLIM_NEAR_W,
                       .l2_x = SLIM_L2_X,
                       .l2_w = SLIM_L2_W,
                       .device_x = 2,
                       .device_w = SLIM_DEVICE_W,
                       .mirrored = true};
    put_caches(c, &at, y, (double)(cached + 1) * ROW - (ROW - BOX), y + (double)cached * ROW, BOX);
}

static void put_slim(chart *c, size_t cached, size_t shared) {
    const size_t all = cached + shared + (cached > 0);
    double y = TOP;
    start_chart(c, SLIM, (double)all * ROW + TOP);
    if (cached) put_slim_caches(c, TOP, cached);
    for (int i = 0; i < ROWS; i++)
        if (!rows[i].shared && used(c, &rows[i])) put_slim_row(c, &rows[i], y), y += ROW;
    if (cached) y += ROW;
    if (shared) put_shared_memory(c, (area){SLIM_NEAR_X, y, SLIM_NEAR_W, (double)shared * ROW - (ROW - BOX)});
    for (int i = 0; i < ROWS; i++)
        if (rows[i].shared && used(c, &rows[i])) put_slim_row(c, &rows[i], y), y += ROW;
    text_put(c->out, "</svg>\n");
}

/* ---- both ---- */

static void put_wide(chart *c, size_t cached, size_t shared) {
    static const places at = {
        .near_x = NEAR_X, .near_w = NEAR_W, .l2_x = L2_X, .l2_w = L2_W, .device_x = DEVICE_X, .device_w = DEVICE_W};
    const double height = (double)(cached + shared) * ROW, cached_height = (double)cached * ROW - (ROW - BOX);
    double y = TOP;
    start_chart(c, WIDTH, height + TOP);
    put_box(c, (area){KERNEL_X, TOP, KERNEL_W, height - (ROW - BOX)}, "c1", "Kernel", "", "");
    if (cached) put_caches(c, &at, TOP, cached_height, TOP, cached_height);
    if (shared)
        put_shared_memory(c, (area){NEAR_X, TOP + (double)cached * ROW, NEAR_W, (double)shared * ROW - (ROW - BOX)});
    for (int i = 0; i < ROWS; i++)
        if (used(c, &rows[i])) put_row(c, &rows[i], y), y += ROW;
    text_put(c->out, "</svg>\n");
}

void report_add_memory_chart(report_section *s, const haul_launch_record *record) {
    text out = {0};
    chart c = {.out = &out, .record = record};
    size_t cached = count_rows(&c, false), shared = count_rows(&c, true);
    if (!cached && !shared) return;
    measure(&c);
    text_put(&out, "<div class=\"on-wide\">");
    put_wide(&c, cached, shared);
    text_put(&out, "</div><div class=\"on-narrow\">");
    put_slim(&c, cached, shared);
    text_put(&out, "</div>\n");
    report_add_figure(s, "Memory chart", &out);
    text_free(&out);
}
