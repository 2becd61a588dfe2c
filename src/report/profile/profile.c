/* The profile of a launch, as a section of a document and as JSON.
 *
 * Both are made of the same tables. The section shows the lines that matter, the JSON has all of them. Other files make
 * the tables; this one orders them, and adds lines, single accesses and machine code. */
#include "report/profile/profile.h"

#include "base/mangled.h"
#include "base/status.h"
#include "machine/code_fetch.h"
#include "report/code.h"
#include "report/json.h"
#include "report/profile/charts.h"
#include "report/profile/listing.h"
#include "report/profile/measured.h"
#include "report/profile/memory_tables.h"
#include "report/traffic.h"

#include <string.h>

static const char *const stamp_names[] = {"simulated", "measured", "replayed"};

void report_add_run_facts(report_document *d, const haul_run *run) {
    report_add_fact(d, "device", "Device", "%s", run->device ? run->device : run->machine);
    report_add_fact(d, "numbers", "Numbers", "%s", stamp_names[run->stamp]);
    report_add_fact(d, "version", "haul", "%s", run->version ? run->version : HAUL_VERSION);
}

/* ---- the table of lines ---- */

/* The traffic of a source line, or of one instruction. */
/* clang-format off */
#define ACCESS_COLUMNS                                                                                                \
    {"executed", "Executed", REPORT_COUNT, "warp-level instructions"},                                                \
    {"sectors", "Sectors", REPORT_COUNT, NULL},                                                                       \
    {"sectors_per_request", "Sectors/Req", REPORT_RATIO, NULL},                                                       \
    {"ideal_sectors_per_request", "Ideal", REPORT_RATIO, "the fewest sectors a request that could carry the bytes"}, \
    {"hit_rate", "L1 Hit", REPORT_PERCENT, NULL},                                                                     \
    {"shared_wavefronts", "Wavefronts", REPORT_COUNT, "in shared memory"},                                            \
    {"wavefronts_per_ideal", "Ways", REPORT_RATIO, "shared wavefronts over the fewest that the bytes need"}
/* clang-format on */

static const report_column line_columns[] = {
    {"line", "Line", REPORT_TEXT, NULL},
    {"class", "Class", REPORT_TEXT, NULL},
    {"share", "Share", REPORT_PERCENT, "of the bytes through L1 (32 a sector) and shared memory (128 a wavefront)"},
    ACCESS_COLUMNS,
    {"source", "Source", REPORT_TEXT, NULL},
};

/* Four cells, empty ones if the access has no sectors. */
static void add_global_cells(report_table *t, const haul_traffic *x, bool cached) {
    double requests = (double)(x->requests ? x->requests : x->instructions), sectors = (double)x->sectors;
    if (!x->sectors) {
        for (int i = 0; i < 4; i++) report_add_empty(t);
        return;
    }
    report_add_number(t, sectors);
    report_add_number(t, sectors / requests);
    if (sectors > 1.05 * (double)x->ideal_sectors) report_set_tone(t, REPORT_WARNING);
    report_add_number(t, (double)x->ideal_sectors / requests);
    if (cached)
        report_add_number(t, report_percent((double)x->hits, sectors));
    else
        report_add_empty(t);
}

/* Two cells, empty ones if the access has no wavefronts. */
static void add_shared_cells(report_table *t, const haul_traffic *x) {
    if (!x->shared_wavefronts) {
        report_add_empty(t), report_add_empty(t);
        return;
    }
    double ways = report_ratio((double)x->shared_wavefronts, (double)x->ideal_shared_wavefronts);
    report_add_number(t, (double)x->shared_wavefronts);
    report_add_number(t, ways);
    if (ways > 1.05) report_set_tone(t, REPORT_WARNING);
}

/* A last row says how many lines are left out. */
static void add_lines(report_section *s, const report_hotspots *lines, size_t most) {
    if (!lines->count) return;
    report_table *t = report_add_table(s, "lines", NULL, line_columns, sizeof line_columns / sizeof *line_columns);
    for (size_t i = 0; i < lines->count && i < most; i++) {
        const report_hotspot *line = &lines->items[i];
        report_add_row(t);
        report_add_text(t, "%s:%u", line->name, line->line);
        report_add_text(t, "%s", haul_class_names[line->class]);
        report_add_number(t, line->share);
        report_add_number(t, (double)line->traffic.instructions);
        add_global_cells(t, &line->traffic, report_is_cached(line->class));
        add_shared_cells(t, &line->traffic);
        if (line->source) report_add_text(t, "%s", line->source);
    }
    if (lines->count > most) {
        report_add_row(t);
        report_add_text(t, "and %zu more", lines->count - most);
        report_set_row_tone(t, REPORT_MUTED);
    }
}

/* ---- the table of single accesses ---- */

static const report_column access_columns[] = {
    {"line", "Accesses Of A Line", REPORT_TEXT, NULL},
    {"ptx_line", "PTX Line", REPORT_COUNT, NULL},
    {"class", "Class", REPORT_TEXT, NULL},
    ACCESS_COLUMNS,
    {"instruction", "Instruction", REPORT_TEXT, NULL},
};

/* Whether the instruction belongs to the line and its class. */
static bool is_of(const haul_instruction_record *r, const report_hotspot *line) {
    const haul_source_place *place = report_user_place(&r->place);
    return r->memory_class == line->class && r->traffic.instructions && line->file && place->file &&
           place->line == line->line && strcmp(place->file, line->file) == 0;
}

static void add_access(report_table *t, const report_hotspot *line, const haul_instruction_record *r) {
    report_add_row(t);
    report_add_text(t, "%s:%u", line->name, line->line);
    report_add_number(t, r->ptx_line);
    report_add_text(t, "%s", haul_class_names[line->class]);
    report_add_number(t, (double)r->traffic.instructions);
    add_global_cells(t, &r->traffic, report_is_cached(line->class));
    add_shared_cells(t, &r->traffic);
    report_add_text(t, "%s", r->text ? r->text : "");
}

/* Lists lines with several instructions of a class, and each of these, since their traffic may differ. */
static void add_accesses(report_section *s, const haul_launch_record *r, const report_hotspots *lines, size_t most) {
    report_table *t = NULL;
    for (size_t i = 0; i < lines->count && i < most; i++) {
        const report_hotspot *line = &lines->items[i];
        size_t several = 0;
        for (size_t k = 0; k < r->instruction_count; k++) several += is_of(&r->instructions[k], line);
        if (several < 2) continue;
        if (!t)
            t = report_add_table(s, "accesses", NULL, access_columns, sizeof access_columns / sizeof *access_columns);
        for (size_t k = 0; k < r->instruction_count; k++)
            if (is_of(&r->instructions[k], line)) add_access(t, line, &r->instructions[k]);
    }
}

/* ---- machine code ---- */

static const report_column machine_columns[] = {
    {"what", "Machine Code", REPORT_TEXT, NULL},
    {"registers", "Registers/Thread", REPORT_COUNT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "in the code, padding left out"},
    {"stack_bytes", "Stack", REPORT_BYTES, "a thread"},
    {"spill_store_bytes", "Spill Stores", REPORT_BYTES, "a thread: registers that did not fit, stored to local memory"},
    {"spill_load_bytes", "Spill Loads", REPORT_BYTES, "a thread"},
};

static const report_column opcode_columns[] = {
    {"opcode", "SASS Instruction", REPORT_TEXT, NULL},
    {"count", "In Code", REPORT_COUNT, "not executed"},
};

/* Adds ptxas's figures, and its instructions if a disassembler was found. */
static void add_machine_code(report_section *s, const machine_kernel *k, size_t most) {
    if (!k) return;
    report_table *t =
        report_add_table(s, "machine_code", NULL, machine_columns, sizeof machine_columns / sizeof *machine_columns);
    report_add_row(t);
    report_add_text(t, "ptxas");
    report_add_number(t, k->registers);
    if (k->instructions)
        report_add_number(t, k->instructions);
    else
        report_add_empty(t);
    report_add_number(t, k->stack_bytes);
    report_add_number(t, k->spill_store_bytes);
    report_add_number(t, k->spill_load_bytes);
    if (!k->opcode_count) return;
    t = report_add_table(s, "sass", NULL, opcode_columns, sizeof opcode_columns / sizeof *opcode_columns);
    for (size_t i = 0; i < k->opcode_count && i < most; i++) {
        report_add_row(t);
        report_add_text(t, "%s", k->opcodes[i].name);
        report_add_number(t, k->opcodes[i].count);
    }
    if (k->opcode_count > most) {
        report_add_row(t);
        report_add_text(t, "and %zu more", k->opcode_count - most);
        report_set_row_tone(t, REPORT_MUTED);
    }
}

/* With the size of the code as ptxas made it, if it was there. */
static report_fetches code_of(const haul_launch_record *r, const sim_machine *machine, const machine_kernel *k) {
    const uint64_t blocks = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
    if (!k || !k->instructions || !machine || !r->code.sectors) return (report_fetches){.fetch = r->code};
    return (report_fetches){.fetch =
                                sim_code_fetch_of(machine, sim_code_bytes(k->instructions), r->code.parameter_bytes,
                                                  (uint32_t)(blocks < machine->sms ? blocks : machine->sms)),
                            .assembled = true};
}

/* ---- orders of blocks ---- */

static const report_column order_columns[] = {
    {"counter", "By The Order Of Blocks", REPORT_TEXT, NULL},
    {"here", "Here", REPORT_COUNT, "in the usual order"},
    {"least", "Least", REPORT_COUNT, "of all orders tried"},
    {"most", "Most", REPORT_COUNT, NULL},
    {"name", "Nsight Compute", REPORT_TEXT, NULL},
};

/* Lists the counters that differ with the order, or says that none does. */
static void add_orders(report_section *s, const haul_launch_record *r, const report_profile_options *o) {
    report_table *t = NULL;
    for (int c = 0; o->orders && c < HAUL_COUNTER_COUNT; c++) {
        if (!(o->orders[c].low < o->orders[c].high)) continue;
        if (!t) t = report_add_table(s, "orders", NULL, order_columns, sizeof order_columns / sizeof *order_columns);
        report_add_row(t);
        report_add_text(t, "%s", haul_counters[c].text);
        report_add_number(t, r->counters[c]);
        report_add_number(t, o->orders[c].low);
        report_add_number(t, o->orders[c].high);
        report_add_text(t, "%s", haul_counters[c].ncu);
    }
    if (o->orders && !t && o->order_count > 1)
        report_add_paragraph(s, "No exact counter differs between %zu orders of blocks.", o->order_count);
    if (o->orders && o->order_count == 1)
        report_add_paragraph(s, "The launch ran once: its counters cannot depend on the order of blocks.");
}

/* ---- the section ---- */

/* "512 x 4 blocks" */
static void put_shape(text *out, const uint32_t extent[3], const char *unit) {
    text_printf(out, "%u", extent[0]);
    if (extent[1] > 1 || extent[2] > 1) text_printf(out, " x %u", extent[1]);
    if (extent[2] > 1) text_printf(out, " x %u", extent[2]);
    bool one = extent[0] == 1 && extent[1] == 1 && extent[2] == 1;
    text_printf(out, " %s%s", unit, one ? "" : "s");
}

/* One sentence: blocks, threads, shared memory and time. */
static void add_shape(report_section *s, const haul_launch_record *r) {
    text shape = {0};
    char number[REPORT_NUMBER_SIZE];
    put_shape(&shape, r->grid, "block");
    text_put(&shape, " of ");
    put_shape(&shape, r->block, "thread");
    if (r->shared_bytes)
        text_printf(&shape, ", %s of dynamic shared memory", report_format(REPORT_BYTES, r->shared_bytes, number));
    if (r->opted_in) text_put(&shape, " (by opt-in: a program has to call cudaFuncSetAttribute())");
    if (r->estimate_us >= 0)
        text_printf(&shape, "; about %s", report_format(REPORT_MICROSECONDS, r->estimate_us, number));
    if (r->measured_us >= 0)
        text_printf(&shape, "; measured %s", report_format(REPORT_MICROSECONDS, r->measured_us, number));
    report_add_paragraph(s, "%s.", text_string(&shape));
    text_free(&shape);
}

uint64_t report_blocks(const haul_launch_record *r) {
    return (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
}

uint64_t report_counted_blocks(const haul_launch_record *r) {
    return r->sampled_blocks ? r->sampled_blocks : report_blocks(r);
}

/* Counts of sampled launches are scaled, which readers must know. */
static void add_sample(report_section *s, const haul_launch_record *r) {
    if (r->sampled_blocks)
        report_add_paragraph(s, "%llu of %llu blocks counted, scaled to the whole launch.",
                             (unsigned long long)r->sampled_blocks, (unsigned long long)report_blocks(r));
}

static void add_advice(report_section *s, const report_advice *advice, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const report_hotspot *line = advice[i].line;
        if (advice[i].of_launch)
            report_add_note(s, REPORT_WARNING, "The launch: %s.", advice[i].text);
        else
            report_add_note(s, REPORT_WARNING, "%s:%u: %s: %s.", line->name, line->line, haul_class_names[line->class],
                            advice[i].text);
    }
}

/* The order is from the whole to the details. */
static haul_status add_all(report_section *s, const haul_launch_record *r, const report_profile_options *o,
                           arena *memory) {
    report_hotspots lines;
    report_advice *advice;
    size_t count;
    const sim_machine *machine = o->simulated ? sim_machine_find(o->simulated) : NULL;
    HAUL_TRY(report_find_hotspots(r, o->sources, memory, &lines));
    lines.machine = machine;
    const report_fetches code = code_of(r, machine, o->machine);
    HAUL_TRY(report_advise(&lines, o->share, memory, &advice, &count));
    add_shape(s, r);
    add_sample(s, r);
    if (o->measured) report_add_measured(s, o->measured_on, r, o->measured);
    if (o->measured && o->outputs_differ)
        report_add_note(s, REPORT_BAD, "The kernel's results on the GPU differ from the virtual GPU's.");
    report_add_memory_chart(s, r);
    report_add_roofline(s, r, machine);
    report_add_state_chart(s, r);
    report_add_time(s, r, o->measured);
    report_add_memory_tables(s, r, &code);
    add_orders(s, r, o);
    add_lines(s, &lines, o->lines);
    add_accesses(s, r, &lines, o->lines);
    add_advice(s, advice, count);
    report_add_listing(s, r, o->sources, o->machine);
    report_add_occupancy(s, r);
    report_add_occupancy_curves(s, r, machine);
    add_machine_code(s, o->machine, o->mix);
    if (o->no_machine) report_add_note(s, REPORT_MUTED, "No machine code: %s", o->no_machine);
    report_add_instruction_mix(s, r, o->mix);
    return HAUL_OK;
}

haul_status report_add_profile(report_document *d, const char *name, const haul_launch_record *record,
                               const report_profile_options *options) {
    arena memory;
    arena_init(&memory, NULL);
    size_t length;
    const char *plain = mangled_name(record->kernel, &length);
    char *title = options->has_device ? arena_printf(&memory, "%.*s, device %u", (int)length, plain, options->device)
                                      : arena_copy(&memory, plain, length);
    report_section *s = report_add_section(d, name, title ? title : record->kernel);
    haul_status status = add_all(s, record, options, &memory);
    arena_free(&memory);
    return status;
}

/* ---- JSON ---- */

static json_t *tables_json(const report_section *s) {
    json_t *tables = json_object();
    for (const report_block *b = s->blocks; b; b = b->next) {
        if (b->kind == REPORT_BLOCK_TABLE) json_object_set_new(tables, b->table->name, report_json_rows(b->table));
    }
    return tables;
}

static json_t *string_or_null(const char *s) {
    return s ? report_json_string(s) : json_null();
}

static json_t *advice_json(const report_advice *advice, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const report_hotspot *line = advice[i].line;
        json_array_append_new(array,
                              json_pack("{s:s, s:o, s:I, s:s, s:o, s:o, s:s}", "kind", advice[i].kind, "file",
                                        string_or_null(line->file), "line", (json_int_t)line->line, "class",
                                        haul_class_names[line->class], "share", report_json_number(line->share),
                                        "wasted_bytes", report_json_number(advice[i].wasted), "text", advice[i].text));
    }
    return array;
}

static json_t *occupancy_json(const haul_occupancy *o) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:I}", "blocks_per_sm",
                     (json_int_t)o->blocks_per_sm, "warps_per_sm", (json_int_t)o->warps_per_sm, "max_warps_per_sm",
                     (json_int_t)o->max_warps_per_sm, "limit_blocks", (json_int_t)o->limit_blocks, "limit_registers",
                     (json_int_t)o->limit_registers, "limit_shared", (json_int_t)o->limit_shared, "limit_warps",
                     (json_int_t)o->limit_warps, "registers_per_thread", (json_int_t)o->registers_per_thread,
                     "registers_estimated", o->registers_estimated, "registers_spilled",
                     (json_int_t)o->registers_spilled, "shared_per_block", (json_int_t)o->shared_per_block,
                     "shared_carveout", (json_int_t)o->shared_carveout, "l1_bytes", (json_int_t)o->l1_bytes);
}

/* The lines with all that was counted for them, from which `haul diff` computes every metric. */
static json_t *lines_json(const report_hotspots *lines, arena *memory) {
    json_t *array = json_array();
    for (size_t i = 0; i < lines->count; i++) {
        const report_hotspot *line = &lines->items[i];
        const char *source = line->source ? line->source : "";
        const char *code = line->file ? report_code_of_line(memory, source) : report_code_of_ptx(memory, source);
        json_array_append_new(
            array, json_pack("{s:o, s:I, s:o, s:s, s:o}", "file", report_json_string(line->file ? line->file : "PTX"),
                             "line", (json_int_t)line->line, "code", report_json_string(code ? code : ""), "class",
                             haul_class_names[line->class], "traffic", report_traffic_json(&line->traffic)));
    }
    return array;
}

/* Uses a document of its own for the tables, which is thrown away. */
static haul_status make_json(report_document *d, const haul_launch_record *r, const report_profile_options *o,
                             arena *memory, json_t **json) {
    report_hotspots lines;
    report_advice *advice;
    size_t count;
    const sim_machine *machine = o->simulated ? sim_machine_find(o->simulated) : NULL;
    report_section *s = report_add_section(d, "profile", r->kernel);
    HAUL_TRY(report_find_hotspots(r, o->sources, memory, &lines));
    lines.machine = machine;
    const report_fetches code = code_of(r, machine, o->machine);
    HAUL_TRY(report_advise(&lines, o->share, memory, &advice, &count));
    report_add_time(s, r, o->measured);
    report_add_memory_tables(s, r, &code);
    add_orders(s, r, o);
    add_lines(s, &lines, lines.count);
    add_accesses(s, r, &lines, lines.count);
    add_machine_code(s, o->machine, SIZE_MAX);
    report_add_instruction_mix(s, r, SIZE_MAX);
    if (!s || d->failed) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    *json = json_pack("{s:o, s:o, s:o, s:o}", "tables", tables_json(s), "lines", lines_json(&lines, memory), "advice",
                      advice_json(advice, count), "occupancy", occupancy_json(&r->occupancy));
    if (*json && r->sampled_blocks)
        json_object_update_new(*json, json_pack("{s:I, s:I, s:b}", "blocks", (json_int_t)report_blocks(r),
                                                "counted_blocks", (json_int_t)r->sampled_blocks, "scaled", 1));
    return *json ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
}

haul_status report_profile_json(const haul_launch_record *record, const report_profile_options *options,
                                json_t **json) {
    arena memory;
    arena_init(&memory, NULL);
    report_document *d = report_document_new("profile", "profile");
    haul_status status = make_json(d, record, options, &memory, json);
    report_document_free(d);
    arena_free(&memory);
    return status;
}
