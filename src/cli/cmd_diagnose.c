/* haul diagnose: predicts how a transfer is carried, and what would make it faster.
 *
 * The command translates its options into the two structures that haul_diagnose() takes: haul_transfer, the descriptor
 * that a kernel would build with the same numbers, and haul_circumstances, which says where and how often the transfer
 * is made. Both are checked by haul_diagnose(); this file only checks that the numbers fit their fields. An option that
 * was not given is 0, and the library replaces 0 in the circumstances by its default. The counting and the advice are
 * in src/lib/diagnose, the text of the report in src/report/diagnosis.c. */
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/status.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "report/diagnosis.h"
#include "report/json.h"

#include <haul/diagnose.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* State of one run of the command. */
typedef struct diagnoser {
    const cli_values *values;
    haul_transfer transfer;
    haul_circumstances circumstances;
    int64_t *index; /* of --index, owned; circumstances.index points to it; NULL: not given */
    text out;       /* the output before it is printed */
} diagnoser;

/* ---- names ---- */

/* A word of the command line and the value that it stands for: an enumerator or a bit of haul_how. */
typedef struct named {
    const char *name;
    unsigned long long value;
} named;

static const named engines[] = {{"auto", HAUL_AUTO},
                                {"ldg", HAUL_BY_LDG},
                                {"ldgsts", HAUL_BY_LDGSTS},
                                {"bulk", HAUL_BY_BULK},
                                {"tensor", HAUL_BY_TENSOR}};
static const named teams[] = {
    {"thread", HAUL_TEAM_THREAD}, {"warp", HAUL_TEAM_WARP}, {"warps", HAUL_TEAM_WARPS}, {"block", HAUL_TEAM_BLOCK}};
static const named additions[] = {{"u32", HAUL_ADD_U32},  {"s32", HAUL_ADD_S32}, {"u64", HAUL_ADD_U64},
                                  {"f32", HAUL_ADD_F32},  {"f64", HAUL_ADD_F64}, {"f16", HAUL_ADD_F16},
                                  {"bf16", HAUL_ADD_BF16}};
/* Bits of haul_how that --how sets. `in-flight=BYTES` has a number and is read by parse_flag(). */
static const named flags[] = {{"congruent", HAUL_CONGRUENT},
                              {"through-l1", HAUL_THROUGH_L1},
                              {"bypass-l1", HAUL_BYPASS_L1},
                              {"cg", HAUL_LOAD_CG},
                              {"cs", HAUL_LOAD_CS},
                              {"lu", HAUL_LOAD_LU},
                              {"cv", HAUL_LOAD_CV},
                              {"nc", HAUL_LOAD_NC},
                              {"no-allocate", HAUL_LOAD_NC_NO_ALLOCATE},
                              {"index-64", HAUL_INDEX_64},
                              {"ring-only", HAUL_RING_ONLY},
                              {"no-corners", HAUL_NO_CORNERS},
                              {"unbounded", HAUL_UNBOUNDED}};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Sets `value` to that of `name`. `option` is for the message, which suggests the nearest name. A table has at most 16
 * rows. */
static haul_status find_name(const char *option, const named *table, size_t count, const char *name,
                             unsigned long long *value) {
    const char *names[16];
    for (size_t i = 0; i < count; i++) {
        names[i] = table[i].name;
        if (strcmp(table[i].name, name) != 0) continue;
        *value = table[i].value;
        return HAUL_OK;
    }
    const char *near = nearest_name(name, names, count);
    if (near) return haul_fail(HAUL_ERROR_ARGUMENT, "--%s: no `%s`: did you mean %s?", option, name, near);
    return haul_fail(HAUL_ERROR_ARGUMENT, "--%s: no `%s`: `haul diagnose --help` lists the names", option, name);
}

/* ---- numbers ---- */

/* Reads 1 to `most` whole numbers with `separator` between them, and sets `count` to how many there are. Values behind
 * the last one stay as they were, so that callers can preset defaults. */
static haul_status parse_list(const char *option, const char *s, char separator, long long *values, size_t most,
                              size_t *count) {
    for (*count = 0; *count < most;) {
        char *end;
        values[*count] = strtoll(s, &end, 10);
        if (end == s || (*end && *end != separator)) break;
        ++*count;
        if (*end == '\0') return HAUL_OK;
        s = end + 1;
    }
    return haul_fail(HAUL_ERROR_ARGUMENT, "--%s: `%s` is not a list of up to %zu numbers separated by `%c`", option, s,
                     most, separator);
}

/* Stores a number in a field of 32 bits, if it fits into the positive half. */
static haul_status small(const char *option, uint64_t value, uint32_t *to) {
    *to = (uint32_t)value;
    if (value <= INT32_MAX) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "--%s: %llu is too large", option, (unsigned long long)value);
}

/* ---- the transfer ---- */

/* Adds one word of --how to `how`. */
static haul_status parse_flag(const char *flag, haul_how *how) {
    static const char prefix[] = "in-flight=";
    unsigned long long value = 0;
    if (strncmp(flag, prefix, sizeof prefix - 1) == 0) {
        if (!number_u64(flag + sizeof prefix - 1, (uint64_t *)&value) || value > INT32_MAX)
            return haul_fail(HAUL_ERROR_ARGUMENT, "--how: `%s` gives no number of bytes", flag);
        *how |= HAUL_IN_FLIGHT(value);
        return HAUL_OK;
    }
    HAUL_TRY(find_name("how", flags, COUNT(flags), flag, &value));
    *how |= value;
    return HAUL_OK;
}

/* Joins --engine, --how and --add. haul_diagnose() refuses combinations that make no sense. */
static haul_status parse_how(const cli_values *v, haul_how *how) {
    unsigned long long value = HAUL_AUTO;
    if (v->engine) HAUL_TRY(find_name("engine", engines, COUNT(engines), v->engine, &value));
    *how = value;
    for (size_t i = 0; i < v->how.count; i++) HAUL_TRY(parse_flag(v->how.items[i], how));
    if (!v->add) return HAUL_OK;
    HAUL_TRY(find_name("add", additions, COUNT(additions), v->add, &value));
    *how |= value;
    return HAUL_OK;
}

/* The shapes below replace `t`, which on entry has only alignment, threads and `how` of the options. Pitches that are
 * not given leave no gaps between elements. */
static haul_status make_rows(const cli_values *v, haul_transfer *t, bool indirect) {
    uint32_t count, bytes, shared_pitch;
    const haul_transfer start = *t;
    if (!v->bytes) return haul_fail(HAUL_ERROR_ARGUMENT, "how long is an element? add --bytes N");
    HAUL_TRY(small("bytes", v->bytes, &bytes));
    HAUL_TRY(small("count", v->count ? v->count : 1, &count));
    HAUL_TRY(small("shared-pitch", v->shared_pitch ? v->shared_pitch : v->bytes, &shared_pitch));
    if (v->global_pitch > INT64_MAX) return haul_fail(HAUL_ERROR_ARGUMENT, "--global-pitch: too large");
    const long long global_pitch = v->global_pitch ? (long long)v->global_pitch : (long long)bytes;
    *t = (indirect ? haul_indirect : haul_strided)(count, bytes, shared_pitch, global_pitch, start.alignment,
                                                   start.threads, start.how);
    return HAUL_OK;
}

/* Refuses the options of strided transfers: they would be ignored, and the user probably meant another shape. */
static haul_status make_sequential(const cli_values *v, haul_transfer *t) {
    uint32_t bytes;
    if (v->count || v->shared_pitch || v->global_pitch)
        return haul_fail(HAUL_ERROR_ARGUMENT, "a sequential transfer is one run of --bytes: strided ones have --count "
                                              "and pitches");
    if (!v->bytes) return haul_fail(HAUL_ERROR_ARGUMENT, "how long is it? add --bytes N");
    HAUL_TRY(small("bytes", v->bytes, &bytes));
    *t = haul_sequential(bytes, t->alignment, t->threads, t->how);
    return HAUL_OK;
}

static haul_status make_strided(const cli_values *v, haul_transfer *t) {
    return make_rows(v, t, false);
}

static haul_status make_indirect(const cli_values *v, haul_transfer *t) {
    return make_rows(v, t, true);
}

/* Sets the distance of a box's rows in shared memory: --shared-pitch, or a row of `elements` rounded up to the
 * alignment, so that each row begins as aligned as the descriptor declares. */
static haul_status pitch_of_rows(const cli_values *v, uint32_t elements, unsigned alignment, uint32_t element,
                                 uint32_t *pitch) {
    const uint64_t row = (uint64_t)elements * element, unit = alignment ? alignment : 1;
    return small("shared-pitch", v->shared_pitch ? v->shared_pitch : (row + unit - 1) / unit * unit, pitch);
}

/* A row in shared memory holds the interior and the ring on both sides. */
static haul_status make_halo(const cli_values *v, haul_transfer *t) {
    uint32_t element, width, height, radius, pitch;
    const haul_transfer start = *t;
    if (!v->width || !v->height)
        return haul_fail(HAUL_ERROR_ARGUMENT, "how large is the tile inside? add --width N --height N");
    HAUL_TRY(small("element", v->element ? v->element : 4, &element));
    HAUL_TRY(small("width", v->width, &width));
    HAUL_TRY(small("height", v->height, &height));
    HAUL_TRY(small("radius", v->radius ? v->radius : 1, &radius));
    HAUL_TRY(pitch_of_rows(v, width + 2 * radius, start.alignment, element, &pitch));
    *t = haul_halo(element, width, height, radius, pitch, start.alignment, start.threads, start.how);
    return HAUL_OK;
}

/* haul_tile() sets the dimensions beyond `rank`, which --box leaves out, to 1. */
static haul_status make_tile(const cli_values *v, haul_transfer *t) {
    long long box[5] = {0};
    size_t rank;
    uint32_t element, pitch;
    const haul_transfer start = *t;
    if (!v->box) return haul_fail(HAUL_ERROR_ARGUMENT, "how large is the tile? add --box 64x32");
    HAUL_TRY(parse_list("box", v->box, 'x', box, 5, &rank));
    for (size_t d = 0; d < rank; d++)
        if (box[d] < 1 || box[d] > UINT16_MAX)
            return haul_fail(HAUL_ERROR_ARGUMENT, "--box: a box has 1 to 65535 elements in each dimension, not %lld",
                             box[d]);
    HAUL_TRY(small("element", v->element ? v->element : 4, &element));
    HAUL_TRY(pitch_of_rows(v, (uint32_t)box[0], start.alignment, element, &pitch));
    *t = haul_tile(element, (unsigned)rank, (unsigned)box[0], (unsigned)box[1], (unsigned)box[2], (unsigned)box[3],
                   (unsigned)box[4], pitch, start.alignment, start.threads, start.how);
    return HAUL_OK;
}

/* Builds the descriptor for the shape that the only operand names. */
static haul_status make_transfer(const cli_values *v, haul_transfer *t) {
    static const struct {
        const char *name;
        haul_status (*make)(const cli_values *v, haul_transfer *t);
    } shapes[] = {{"sequential", make_sequential},
                  {"strided", make_strided},
                  {"indirect", make_indirect},
                  {"halo", make_halo},
                  {"tile", make_tile}};
    const char *names[COUNT(shapes)];
    if (v->operands.count != 1)
        return haul_fail(HAUL_ERROR_ARGUMENT, "name one shape: sequential, strided, indirect, halo or tile");
    HAUL_TRY(small("align", v->align ? v->align : 16, &t->alignment));
    HAUL_TRY(small("dma-threads", v->dma_threads, &t->threads));
    HAUL_TRY(parse_how(v, &t->how));
    for (size_t i = 0; i < COUNT(shapes); i++) {
        names[i] = shapes[i].name;
        if (strcmp(v->operands.items[0], shapes[i].name) == 0) return shapes[i].make(v, t);
    }
    const char *near = nearest_name(v->operands.items[0], names, COUNT(shapes));
    return haul_fail(HAUL_ERROR_ARGUMENT, "no shape `%s`: %s%s", v->operands.items[0],
                     near ? "did you mean " : "choose sequential, strided, indirect, halo or tile", near ? near : "");
}

/* ---- the circumstances ---- */

/* Takes the machine's name out of --device. Only described machines are accepted, because the prediction needs figures
 * that no driver tells; `auto` and `sim` mean the H100. haul_diagnose() refuses names that are not described. */
static haul_status parse_machine(const cli_values *v, const char **machine) {
    static const char prefix[] = "sim:";
    const char *name = v->device ? v->device : "auto";
    const bool described = strncmp(name, prefix, sizeof prefix - 1) == 0;
    *machine = described ? name + sizeof prefix - 1 : "h100";
    if (described || strcmp(name, "auto") == 0 || strcmp(name, "sim") == 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "--device: `%s` is not the description of a machine: write sim:NAME", name);
}

/* Reads --offset G[,S]. The offsets serve as the addresses themselves: apart from tag wavefronts, counts depend only on
 * the distance from a 128-byte boundary (haul_circumstances). */
static haul_status parse_offsets(const cli_values *v, haul_circumstances *c) {
    long long offsets[2] = {0};
    size_t count;
    if (!v->offset) return HAUL_OK;
    HAUL_TRY(parse_list("offset", v->offset, ',', offsets, 2, &count));
    if (offsets[0] < 0 || offsets[1] < 0) return haul_fail(HAUL_ERROR_ARGUMENT, "--offset: offsets are not negative");
    c->global = (uint64_t)offsets[0];
    c->shared = (uint64_t)offsets[1];
    return HAUL_OK;
}

/* Reads the row of each element of an indirect transfer. Without --index the library uses random rows. */
static haul_status parse_index(diagnoser *g) {
    const char *list = g->values->index;
    const uint32_t count = g->transfer.count;
    long long values[1024]; /* the most that --index may list */
    size_t given;
    if (!list) return HAUL_OK;
    if (g->transfer.shape != HAUL_SHAPE_INDIRECT)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--index belongs to indirect transfers");
    if (count > COUNT(values)) return haul_fail(HAUL_ERROR_ARGUMENT, "--index lists at most %zu", COUNT(values));
    if (strcmp(list, "sequential") == 0)
        for (given = 0; given < count; given++) values[given] = (long long)given;
    else
        HAUL_TRY(parse_list("index", list, ',', values, COUNT(values), &given));
    if (given != count) return haul_fail(HAUL_ERROR_ARGUMENT, "--index has %zu numbers for %u elements", given, count);
    g->index = memory_zeroed(count, sizeof *g->index);
    if (!g->index) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the indices");
    for (size_t i = 0; i < count; i++) g->index[i] = values[i];
    g->circumstances.index = g->index;
    return HAUL_OK;
}

/* Places a box in its array. Without --extent, extent[0] stays 0, which means well inside a large array: no piece is
 * clipped. Pitches that are not given are those of an array without gaps. */
static haul_status parse_place(const cli_values *v, const haul_transfer *t, haul_place *place) {
    long long at[5] = {0}, extent[5] = {0};
    size_t given = 0;
    if (t->shape != HAUL_SHAPE_BOX) return HAUL_OK;
    if (v->global_pitch > INT64_MAX / 4) return haul_fail(HAUL_ERROR_ARGUMENT, "--global-pitch: too large");
    place->pitch[0] = (long long)v->global_pitch;
    if (!v->extent && !v->at) return HAUL_OK;
    if (!v->extent) return haul_fail(HAUL_ERROR_ARGUMENT, "--at needs the array's size: add --extent W,H");
    HAUL_TRY(parse_list("extent", v->extent, ',', extent, t->rank, &given));
    if (v->at) HAUL_TRY(parse_list("at", v->at, ',', at, t->rank, &given));
    for (unsigned d = 0; d < t->rank; d++) {
        /* haul_place has 32-bit fields. Half of the range is refused, so that adding the box's size to `at` cannot
         * overflow. */
        if (extent[d] < 1 || extent[d] > INT32_MAX || at[d] < INT32_MIN / 2 || at[d] > INT32_MAX / 2)
            return haul_fail(HAUL_ERROR_ARGUMENT, "--at and --extent: dimension %u is out of range", d);
        place->at[d] = (int)at[d];
        place->extent[d] = (unsigned)extent[d];
        if (d && !place->pitch[d - 1])
            place->pitch[d - 1] = (d > 1 ? place->pitch[d - 2] : (long long)t->element) * extent[d - 1];
    }
    return HAUL_OK;
}

/* Needs the transfer, since --at, --extent and --index depend on its shape. */
static haul_status parse_circumstances(diagnoser *g) {
    const cli_values *v = g->values;
    haul_circumstances *c = &g->circumstances;
    unsigned long long team = HAUL_TEAM_BLOCK;
    if (v->team) HAUL_TRY(find_name("team", teams, COUNT(teams), v->team, &team));
    if (v->store && v->add) return haul_fail(HAUL_ERROR_ARGUMENT, "--store or --add, not both");
    c->team = (haul_team_kind)team;
    c->direction = v->add ? HAUL_DIRECTION_ADD : v->store ? HAUL_DIRECTION_STORE : HAUL_DIRECTION_LOAD;
    c->blocks = v->blocks;
    c->rows = v->rows;
    c->hot_bytes = v->hot;
    c->between_bytes = v->between;
    c->set_aside = v->hot_aside;
    c->run_time = v->run_time;
    HAUL_TRY(parse_machine(v, &c->machine));
    HAUL_TRY(small("threads", v->block_threads, &c->block_threads));
    HAUL_TRY(small("teams", v->teams, &c->teams));
    HAUL_TRY(small("stages", v->stages, &c->stages));
    HAUL_TRY(small("registers", v->registers, &c->registers));
    HAUL_TRY(small("smem", v->other_smem, &c->shared_bytes));
    HAUL_TRY(parse_offsets(v, c));
    HAUL_TRY(parse_place(v, &g->transfer, &c->place));
    return parse_index(g);
}

/* ---- printing ---- */

static haul_status print_text(diagnoser *g, const haul_diagnosis *d) {
    report_document *document = report_document_new("diagnose", NULL);
    report_add_fact(document, "machine", "Machine", "%s", d->machine);
    report_add_diagnosis(document, "diagnosis", d);
    haul_status status = report_write_text(document, report_terminal_of(STDOUT_FILENO), &g->out);
    report_document_free(document);
    return status;
}

static haul_status print_json(diagnoser *g, const haul_diagnosis *d) {
    json_t *json;
    HAUL_TRY(report_diagnosis_json(d, &json));
    return report_json_put(json, JSON_INDENT(1), &g->out);
}

/* The whole command. A failure sets the message. */
static haul_status diagnose(diagnoser *g) {
    haul_diagnosis d;
    HAUL_TRY(make_transfer(g->values, &g->transfer));
    HAUL_TRY(parse_circumstances(g));
    HAUL_TRY(haul_diagnose(&g->transfer, &g->circumstances, &d));
    if (g->values->quiet) return HAUL_OK;
    HAUL_TRY(g->values->json ? print_json(g, &d) : print_text(g, &d));
    return cli_print(&g->out);
}

int cli_run_diagnose(const cli_values *v) {
    diagnoser g = {.values = v};
    haul_status status = diagnose(&g);
    memory_free(g.index);
    text_free(&g.out);
    return status == HAUL_OK ? CLI_FINE : cli_fail("diagnose");
}
