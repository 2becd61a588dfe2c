/* Runs one described launch, and writes its line with the results.
 *
 * A workspace has everything that a launch needs on the device: buffers, arrays, textures, tensor maps and the argument
 * list. It is made in two passes, because tensor maps and shared buffers refer to buffers of other arguments, before or
 * behind them. Buffers are filled and read back in pieces that fit the host's cache. The workspace outlives the launch,
 * so that timing and trials can launch again with the same addresses (launch_workspace_refill()). */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "lib/argument.h"
#include "lib/launch/launches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_WORDS = 64 * 1024,
    MOST_PADDING = 128, /* more than any parameter's alignment asks for */
};

/* ---- one launch's buffers ---- */

typedef struct launch_workspace workspace;

/* Variables' buffers belong to their module and are not freed. */
void launch_workspace_end(workspace *w) {
    for (size_t i = 0; i < w->count; i++) {
        if (w->textures) haul_texture_free(w->textures[i]);
        if (w->arrays) haul_array_free(w->arrays[i]);
        if (w->buffers && i < w->own) haul_buffer_free(w->buffers[i]);
        if (w->contents) text_free(&w->contents[i]);
    }
    memory_free(w->chunk);
    memory_free(w->contents);
    memory_free(w->buffers);
    memory_free(w->arrays);
    memory_free(w->textures);
    memory_free(w->maps);
    for (size_t i = 0; w->structures && i < w->count; i++) memory_free(w->structures[i]);
    memory_free(w->structures);
    memory_free(w->arguments);
    *w = (workspace){0};
}

/* Allocates the arrays. launch_workspace_end() frees them, also after an error. */
static haul_status start_workspace(workspace *w, size_t count) {
    *w = (workspace){.count = count,
                     .chunk = memory_alloc(CHUNK_WORDS * sizeof(uint32_t)),
                     .contents = memory_zeroed(count, sizeof *w->contents),
                     .buffers = memory_zeroed(count, sizeof *w->buffers),
                     .arrays = memory_zeroed(count, sizeof *w->arrays),
                     .textures = memory_zeroed(count, sizeof *w->textures),
                     .maps = memory_zeroed(count, sizeof *w->maps),
                     .structures = memory_zeroed(count, sizeof *w->structures),
                     .arguments = memory_zeroed(count, sizeof *w->arguments)};
    const bool whole =
        w->chunk && w->contents && w->buffers && w->arrays && w->textures && w->maps && w->structures && w->arguments;
    return whole ? HAUL_OK : haul_no_memory("the launch");
}

/* Reads a buffer's file, and adds zeros up to a whole word. Sets the number of words. */
static haul_status read_input(launch_argument *a, text *content) {
    HAUL_TRY(file_read(a->input, content));
    static const char zeros[4];
    text_append(content, zeros, -content->length % 4);
    a->words = content->length / 4;
    return content->failed ? haul_no_memory("the launch") : HAUL_OK;
}

/* Fills a buffer from its start, by its rule or with the file's content. */
static haul_status fill_buffer(const launch_argument *a, haul_buffer *buffer, const text *content, uint32_t *chunk) {
    if (a->fill == LAUNCH_FILL_FILE) return haul_buffer_write(buffer, a->offset, text_string(content), content->length);
    for (uint64_t at = 0; at < a->words; at += CHUNK_WORDS) {
        size_t count = a->words - at < CHUNK_WORDS ? (size_t)(a->words - at) : CHUNK_WORDS;
        launch_fill_words(a, chunk, count, at);
        HAUL_TRY(haul_buffer_write(buffer, a->offset + at * 4, chunk, count * 4));
    }
    return HAUL_OK;
}

/* Sets a variable of the module, from its beginning on; the rest keeps its contents. Its buffer is the module's, so
 * that the results are taken from there. */
static haul_status set_variable(haul_module *module, launch_argument *a, workspace *w, size_t i) {
    haul_buffer *variable;
    HAUL_TRY(haul_module_variable(module, a->variable, &variable));
    if (a->scalar) {
        const haul_argument given = {.kind = a->kind, .integer = a->integer, .real = a->real};
        argument_value value;
        const uint64_t bytes = argument_value_of(&given, &value);
        HAUL_TRY(module_check_variable(module, a->variable, &given));
        return haul_buffer_write(variable, 0, &value, bytes);
    }
    if (a->kind == HAUL_ARGUMENT_BYTES)
        return haul_buffer_write(variable, 0, w->arguments[i].bytes, w->arguments[i].size);
    if (a->input) HAUL_TRY(read_input(a, &w->contents[i]));
    w->buffers[i] = variable;
    return fill_buffer(a, variable, &w->contents[i], w->chunk);
}

/* Makes argument `i` and fills it, in the first pass. On a device that checks launches the buffer ends with its words,
 * so that accesses behind them are found; elsewhere it has room for any offset. */
static haul_status make_argument(haul_device *device, launch_argument *a, workspace *w, size_t i) {
    haul_argument *out = &w->arguments[i];
    if (a->texture) return launch_texture_start(device, a, w, i);
    *out = (haul_argument){.kind = a->kind, .integer = a->integer, .real = a->real};
    if (a->bytes) *out = (haul_argument){.kind = a->kind, .bytes = a->bytes, .size = a->byte_count};
    if (a->kind != HAUL_ARGUMENT_BUFFER || a->shares) return HAUL_OK;
    if (a->input) HAUL_TRY(read_input(a, &w->contents[i]));
    uint64_t slack = device->checks ? a->offset : LAUNCH_SLACK;
    HAUL_TRY(haul_buffer_create(device, a->words * 4 + slack, &w->buffers[i]));
    out->buffer = w->buffers[i];
    out->offset = a->offset + a->at;
    return fill_buffer(a, w->buffers[i], &w->contents[i], w->chunk);
}

/* The second pass: a pointer into another argument's buffer. */
static void share(const launch_argument *a, workspace *w, size_t i) {
    w->arguments[i].buffer = w->buffers[a->of];
    w->arguments[i].offset = a->at;
}

/* The second pass: encodes a tensor map over another argument's buffer. Called once all buffers exist. */
static haul_status make_map(const launch_argument *a, workspace *w, size_t i) {
    haul_tensor tensor = *a->tensor;
    haul_tensor_map map;
    tensor.buffer = w->buffers[a->of];
    tensor.offset = w->arguments[a->of].offset;
    HAUL_TRY(haul_tensor_map_encode(&tensor, &map));
    memcpy(w->maps[i], &map, sizeof map);
    w->arguments[i] = (haul_argument){.kind = HAUL_ARGUMENT_BYTES, .bytes = w->maps[i], .size = sizeof map};
    return HAUL_OK;
}

/* Lays out a structure once its fields have their values. The zeros behind it pad it to its parameter's alignment. */
static haul_status make_structure(const launch_argument *arguments, workspace *w, size_t i) {
    const launch_structure *s = arguments[i].structure;
    unsigned char *bytes = w->structures[i] = memory_zeroed(s->size + MOST_PADDING, 1);
    if (!bytes) return haul_no_memory("the launch");
    for (size_t k = s->first; k < s->first + s->count; k++) {
        argument_value value;
        const uint64_t size = argument_value_of(&w->arguments[k], &value);
        const bool whole = w->arguments[k].kind == HAUL_ARGUMENT_BYTES;
        memcpy(bytes + arguments[k].place, whole ? w->arguments[k].bytes : (const void *)&value, size);
    }
    w->arguments[i] = (haul_argument){.kind = HAUL_ARGUMENT_BYTES, .bytes = bytes, .size = s->size};
    return HAUL_OK;
}

/* Fields come behind their structure, so that inner structures are made first. */
static haul_status make_structures(const launch_argument *arguments, workspace *w) {
    for (size_t i = w->count; i-- > 0;)
        if (arguments[i].structure) HAUL_TRY(make_structure(arguments, w, i));
    return HAUL_OK;
}

/* Hashes the contents after the kernel, and writes them to a file if the argument names one. */
static haul_status take_result(launch_argument *a, haul_buffer *buffer, uint32_t *chunk) {
    text kept = {0};
    haul_status status = HAUL_OK;
    a->hash = HASH_START;
    for (uint64_t at = 0; at < a->words && status == HAUL_OK; at += CHUNK_WORDS) {
        size_t count = a->words - at < CHUNK_WORDS ? (size_t)(a->words - at) : CHUNK_WORDS;
        status = haul_buffer_read(buffer, a->offset + at * 4, chunk, count * 4);
        if (status != HAUL_OK) break;
        a->hash = hash_bytes(a->hash, chunk, count * 4);
        if (a->output) text_append(&kept, (const char *)chunk, count * 4);
    }
    if (status == HAUL_OK && a->output) status = file_write(a->output, &kept);
    text_free(&kept);
    return status;
}

/* `own` becomes the number of leading arguments that are the kernel's; variables follow. */
haul_status launch_workspace_start(haul_device *device, haul_module *module, launch_argument *arguments, size_t count,
                                   workspace *w) {
    HAUL_TRY(start_workspace(w, count));
    while (w->own < count && !arguments[w->own].variable) w->own++;
    for (size_t i = 0; i < w->own; i++) {
        haul_status status = make_argument(device, &arguments[i], w, i);
        if (status != HAUL_OK) return haul_fail_in(status, "args[%zu]", i);
    }
    for (size_t i = 0; i < w->own; i++) {
        if (arguments[i].shares) share(&arguments[i], w, i);
        haul_status status = arguments[i].tensor ? make_map(&arguments[i], w, i) : HAUL_OK;
        if (status != HAUL_OK) return haul_fail_in(status, "args[%zu]", i);
    }
    HAUL_TRY(make_structures(arguments, w));
    for (size_t i = w->own; i < count; i++) {
        if (arguments[i].bytes)
            w->arguments[i] = (haul_argument){
                .kind = arguments[i].kind, .bytes = arguments[i].bytes, .size = arguments[i].byte_count};
        haul_status status = set_variable(module, &arguments[i], w, i);
        if (status != HAUL_OK) return haul_fail_in(status, "globals.%s", arguments[i].variable);
    }
    return HAUL_OK;
}

/* Arguments without a buffer of their own need nothing. */
haul_status launch_workspace_refill(workspace *w, const launch_argument *arguments) {
    for (size_t i = 0; i < w->count; i++)
        if (arguments[i].texture)
            HAUL_TRY(launch_texture_fill(&arguments[i], w, i));
        else if (w->buffers[i])
            HAUL_TRY(fill_buffer(&arguments[i], w->buffers[i], &w->contents[i], w->chunk));
    return HAUL_OK;
}

haul_status launch_workspace_take(workspace *w, launch_argument *arguments) {
    for (size_t i = 0; i < w->count; i++)
        if (arguments[i].texture)
            HAUL_TRY(launch_texture_take(&arguments[i], w, i));
        else if (w->buffers[i])
            HAUL_TRY(take_result(&arguments[i], w->buffers[i], w->chunk));
    return HAUL_OK;
}

/* A parameter may be declared with a greater alignment than its fields have. */
static void pad_structures(const workspace *w, const haul_module *module, const launch_description *d,
                           const char *kernel) {
    const ptx_function *f = module->ptx ? ptx_find_entry(module->ptx, kernel) : NULL;
    for (size_t i = 0; f && i < d->argument_count && i < f->param_count; i++) {
        const ptx_variable *p = f->params[i];
        haul_argument *a = &w->arguments[i];
        if (d->arguments[i].structure && p->alignment <= MOST_PADDING && number_align(a->size, p->alignment) == p->size)
            a->size = p->size;
    }
}

haul_launch launch_workspace_launch(const workspace *w, const haul_module *module, const launch_description *d) {
    haul_launch launch = {.kernel = d->entry ? d->entry : d->kernel,
                          .shared_bytes = d->shared_bytes,
                          .arguments = w->arguments,
                          .argument_count = d->argument_count};
    pad_structures(w, module, d, launch.kernel);
    memcpy(launch.grid, d->grid, sizeof launch.grid);
    memcpy(launch.block, d->block, sizeof launch.block);
    memcpy(launch.cluster, d->cluster, sizeof launch.cluster);
    if (d->l2.has_window) {
        const launch_argument *a = &d->arguments[d->l2.argument];
        launch.window = (haul_l2_window){.buffer = w->buffers[d->l2.argument],
                                         .offset = a->offset,
                                         .bytes = a->words * 4,
                                         .hit_ratio = (float)d->l2.ratio,
                                         .hit = d->l2.hit,
                                         .miss = d->l2.miss};
    }
    return launch;
}

/* Sets aside L2 as the launch says, or ends that: each launch has its own setting. Both reset what persists. */
haul_status launch_set_aside(haul_device *device, const launch_description *d, bool begins) {
    if (!d->l2.given) return HAUL_OK;
    HAUL_TRY(haul_l2_set_aside(device, begins ? d->l2.set_aside : 0, NULL));
    return haul_l2_reset(device);
}

haul_status launch_end_aside(haul_device *device, const launch_description *d, haul_status status) {
    char message[1024];
    if (!d->l2.given) return status;
    snprintf(message, sizeof message, "%s", haul_message());
    (void)launch_set_aside(device, d, false);
    return haul_fail(status, "%s", message);
}

/* The steps of launch_run(). */
static haul_status run_in(haul_device *device, haul_module *module, launch_description *d, haul_run *run,
                          workspace *w) {
    HAUL_TRY(launch_workspace_start(device, module, d->arguments, launch_value_count(d), w));
    const haul_launch launch = launch_workspace_launch(w, module, d);
    HAUL_TRY(module_opt_in(module, &launch, &d->opted_in));
    HAUL_TRY(launch_set_aside(device, d, true));
    const haul_status status = haul_launch_run(module, &launch, run);
    if (status != HAUL_OK) return launch_end_aside(device, d, status);
    HAUL_TRY(launch_set_aside(device, d, false));
    return launch_workspace_take(w, d->arguments);
}

/* Messages begin with the launch's place in its file. */
haul_status launch_run(haul_device *device, haul_module *module, launch_description *d, haul_run *run) {
    workspace w = {0};
    haul_status status = run_in(device, module, d, run, &w);
    launch_workspace_end(&w);
    return status == HAUL_OK ? HAUL_OK : haul_fail_in(status, "%s", d->where);
}

bool launch_outputs_match(const launch_description *d) {
    for (size_t i = 0; i < launch_value_count(d); i++) {
        const launch_argument *a = &d->arguments[i];
        if (a->recorded && a->hash != a->after) return false;
    }
    return true;
}

/* ---- writing the line ---- */

/* Whole numbers print without a decimal point, up to where doubles count exactly. */
static json_t *json_number(double value) {
    return value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value) : json_real(value);
}

/* Bounds of a simulated launch say what hardware may count, those of a measured one what it counted. */
static json_t *counter_to_json(haul_stamp stamp, double value, haul_bounds b) {
    if (stamp != HAUL_MEASURED || b.low >= b.high) return json_number(value);
    return json_pack("[o, o]", json_number(b.low), json_number(b.high));
}

json_t *launch_counters_to_json(haul_stamp stamp, const haul_launch_record *r) {
    json_t *object = json_object();
    for (int i = 0; i < HAUL_COUNTER_COUNT; i++) {
        if (r->counters[i] >= 0)
            json_object_set_new(object, haul_counters[i].key, counter_to_json(stamp, r->counters[i], r->bounds[i]));
    }
    return object;
}

static json_t *elements_to_json(const launch_argument *a) {
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:I}", "buf", a->elements.scalar->name, "count", (json_int_t)a->elements.count,
                  "seed", (json_int_t)a->seed, "offset", (json_int_t)a->offset);
    launch_spread_to_json(&a->elements, object);
    return object;
}

/* The members from which the buffer can be made again. */
static json_t *buffer_to_json(const launch_argument *a) {
    if (a->input) return json_pack("{s:s, s:s, s:I}", "buf", "file", "path", a->input, "words", (json_int_t)a->words);
    if (a->fill == LAUNCH_FILL_ELEMENTS) return elements_to_json(a);
    json_t *object = json_pack("{s:s, s:I, s:I, s:I}", "buf", launch_fill_names[a->fill], "words", (json_int_t)a->words,
                               "seed", (json_int_t)a->seed, "offset", (json_int_t)a->offset);
    if (a->below) json_object_set_new(object, "below", json_integer((json_int_t)a->below));
    return object;
}

/* In hexadecimal digits. */
static json_t *bytes_to_json(const launch_argument *a) {
    text hex = {0};
    for (size_t i = 0; i < a->byte_count; i++) text_printf(&hex, "%02x", a->bytes[i]);
    json_t *object = json_pack("{s:s}", "bytes", text_string(&hex));
    text_free(&hex);
    return object;
}

json_t *launch_argument_to_json(const launch_argument *a) {
    if (a->texture) return launch_texture_to_json(a);
    if (a->structure) return launch_structure_to_json(a);
    if (a->bytes) return bytes_to_json(a);
    return a->kind == HAUL_ARGUMENT_BUFFER ? buffer_to_json(a) : launch_scalar_to_json(a);
}

/* Always three numbers. */
static json_t *extent_to_json(const uint32_t extent[3]) {
    return json_pack("[I, I, I]", (json_int_t)extent[0], (json_int_t)extent[1], (json_int_t)extent[2]);
}

/* The member `l2`, with the window if there is one. */
static json_t *l2_to_json(const launch_l2 *l2) {
    json_t *object = json_pack("{s:I}", "set_aside", (json_int_t)l2->set_aside);
    if (!l2->has_window) return object;
    json_object_set_new(object, "arg", json_integer((json_int_t)l2->argument));
    json_object_set_new(object, "ratio", json_real(l2->ratio));
    json_object_set_new(object, "hit", json_string(launch_access_names[l2->hit]));
    json_object_set_new(object, "miss", json_string(launch_access_names[l2->miss]));
    return object;
}

/* The members that a line would have, for a launch from the command line. */
static json_t *line_of(const launch_description *d) {
    json_t *arguments = json_array(), *globals = d->variable_count ? json_object() : NULL;
    const launch_argument *variables = d->arguments + d->argument_count + d->field_count;
    for (size_t i = 0; i < d->argument_count; i++)
        json_array_append_new(arguments, launch_argument_to_json(&d->arguments[i]));
    for (size_t i = 0; i < d->variable_count; i++)
        json_object_set_new(globals, variables[i].variable, launch_argument_to_json(&variables[i]));
    return json_pack("{s:I, s:s, s:o, s:o, s:o*, s:I, s:o, s:o*, s:o*}", "id", (json_int_t)d->id, "kernel", d->kernel,
                     "grid", extent_to_json(d->grid), "block", extent_to_json(d->block), "cluster",
                     d->cluster[0] ? extent_to_json(d->cluster) : NULL, "smem", (json_int_t)d->shared_bytes, "args",
                     arguments, "globals", globals, "l2", d->l2.given ? l2_to_json(&d->l2) : NULL);
}

/* The member of a structure with this number; structures are objects or arrays. */
static json_t *member_of(json_t *structure, size_t number) {
    void *at = json_object_iter(structure);
    if (json_is_array(structure)) return json_array_get(structure, number);
    while (number--) at = json_object_iter_next(structure, at);
    return json_object_iter_value(at);
}

/* Returns the line's object of argument or variable `i`, borrowed. */
static json_t *object_of(json_t *line, const launch_description *d, size_t i) {
    const launch_argument *a = &d->arguments[i];
    if (a->is_field) return member_of(json_object_get(object_of(line, d, a->inside), "struct"), a->number);
    if (i < d->argument_count) return json_array_get(json_object_get(line, "args"), i);
    return json_object_get(json_object_get(line, "globals"), d->arguments[i].variable);
}

/* Events resolve half a microsecond; hundredths are finer than that. */
static json_t *json_microseconds(double us) {
    return json_real(round(us * 100) / 100);
}

/* Adds the results to the line as it was read; a launch from the command line gets the line that it would have had.
 * Buffers that the launch itself makes, and surfaces, have `after`. */
json_t *launch_to_json(const launch_description *d, haul_stamp stamp, const haul_launch_record *record) {
    json_t *line = d->json ? json_deep_copy(d->json) : line_of(d);
    for (size_t i = 0; i < launch_value_count(d); i++) {
        const launch_argument *a = &d->arguments[i];
        if (a->texture ? !a->texture->is_surface : a->kind != HAUL_ARGUMENT_BUFFER || a->shares) continue;
        json_object_set_new(object_of(line, d, i), "after",
                            json_sprintf("%016llx", (unsigned long long)d->arguments[i].hash));
    }
    if (d->file && !json_object_get(line, "file")) json_object_set_new(line, "file", json_string(d->file));
    json_object_set_new(line, "counters", launch_counters_to_json(stamp, record));
    if (d->opted_in) json_object_set_new(line, "opted_in", json_true());
    if (record->estimate_us >= 0) json_object_set_new(line, "estimate_us", json_real(record->estimate_us));
    if (record->measured_us < 0) return line;
    json_object_set_new(line, "us", json_microseconds(record->measured_us));
    json_object_set_new(line, "us_low", json_microseconds(record->measured_range_us.low));
    json_object_set_new(line, "us_high", json_microseconds(record->measured_range_us.high));
    return line;
}
