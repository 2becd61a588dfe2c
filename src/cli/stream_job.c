/* Builds the haul_map of haul stream (cli/stream_job.h) from the options: the function that launches a chunk's kernel,
 * and the ends, from which items come and to which they go.
 *
 * A kernel is one of those that ship, called through <haul/kernels.h>, or the user's, whose arguments --arg lists. For
 * the user's kernel the arguments decide the shape of the map: the highest inN is the number of inputs, and without
 * `out` the results replace the last input. Chunks, slots, threads and overlap belong to src/lib/map; the output of the
 * command to cmd_stream.c. */
#include "cli/stream_job.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/status.h"
#include "lib/launch/launches.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernels that ship ---- */

/* Functions of shipped kernels: haul_chunk_function. The NULL at the end of each call: no record of the launch is
 * wanted. */
static haul_status run_copy(void *context, const haul_chunk *c) {
    const stream_job *job = context;
    return haul_copy(job->kernels[c->device_index], HAUL_COPY_AUTO, (uint32_t)c->total, c->in[0], c->out, NULL);
}

static haul_status run_saxpy(void *context, const haul_chunk *c) {
    const stream_job *job = context;
    return haul_saxpy(job->kernels[c->device_index], HAUL_SAXPY_AUTO, (uint32_t)c->total, 2.0f, c->in[0], c->in[1],
                      NULL);
}

static haul_status run_maxpool15(void *context, const haul_chunk *c) {
    const stream_job *job = context;
    return haul_maxpool15(job->kernels[c->device_index], HAUL_MAXPOOL15_AUTO, (uint32_t)c->total, c->in[0], c->out,
                          NULL);
}

/* A kernel that ships, as a map. */
typedef struct shipped {
    const char *name;
    haul_chunk_function *run; /* NULL: no kernel */
    unsigned inputs;
    bool in_place; /* in the last input */
    uint64_t halo; /* items on either side */
} shipped;

static const shipped ships[] = {
    {"maxpool15", run_maxpool15, 1, false, 15},
    {"saxpy", run_saxpy, 2, true, 0},
    {"copy", run_copy, 1, false, 0},
    {"none", NULL, 1, true, 0},
};
enum { SHIPPED = sizeof ships / sizeof ships[0] };

static haul_status open_kernels(stream_job *job) {
    for (size_t i = 0; i < job->session.device_count; i++)
        HAUL_TRY(haul_kernels_open(job->session.devices[i], &job->kernels[i]));
    return HAUL_OK;
}

/* Fills the map for a shipped kernel, and loads nothing yet: haul_kernels loads a kernel's PTX at its first launch. */
static haul_status choose_shipped(stream_job *job, const char *name) {
    const char *names[SHIPPED];
    for (size_t i = 0; i < SHIPPED; i++) {
        names[i] = ships[i].name;
        if (strcmp(name, names[i]) != 0) continue;
        job->map.run = ships[i].run;
        job->map.input_count = ships[i].inputs;
        job->map.in_place = ships[i].in_place;
        job->map.in_place_input = ships[i].inputs - 1;
        job->map.before = job->map.after = ships[i].halo;
        return open_kernels(job);
    }
    const char *near = nearest_name(name, names, SHIPPED);
    if (near) return haul_fail(HAUL_ERROR_NOT_FOUND, "no kernel %s ships with haul: did you mean %s?", name, near);
    return haul_fail(
        HAUL_ERROR_NOT_FOUND,
        "no kernel %s ships with haul: maxpool15, saxpy, copy and none do; for your own, name its file too", name);
}

/* ---- the user's kernels ---- */

/* Returns the argument's value for one chunk: constants are ready, buffers and sizes change with the chunk. */
static haul_argument argument_of(const stream_argument *a, const haul_chunk *c) {
    haul_argument out = a->value;
    switch (a->kind) {
    case STREAM_CONSTANT: return out;
    case STREAM_N: out.integer = (int64_t)c->total; return out;
    case STREAM_IN: out.buffer = c->in[a->input]; break;
    case STREAM_OUT: out.buffer = c->out; break;
    case STREAM_SCRATCH: out.buffer = c->scratch; break;
    }
    out.kind = HAUL_ARGUMENT_BUFFER;
    return out;
}

/* Launches the user's kernel over a chunk (haul_chunk_function). The grid covers c->total items, halo included. */
static haul_status run_given(void *context, const haul_chunk *c) {
    const stream_job *job = context;
    haul_argument arguments[STREAM_ARGUMENTS];
    for (size_t i = 0; i < job->argument_count; i++) arguments[i] = argument_of(&job->arguments[i], c);
    const uint64_t blocks = (c->total + job->items_a_block - 1) / job->items_a_block;
    if (blocks > INT32_MAX)
        return haul_fail(HAUL_ERROR_ARGUMENT, "a chunk of %llu items takes too many blocks: give a smaller --chunk",
                         (unsigned long long)c->items);
    const haul_launch launch = {.kernel = job->symbol,
                                .grid = {(uint32_t)blocks, 1, 1},
                                .block = {job->block, 1, 1},
                                .shared_bytes = job->shared_bytes,
                                .arguments = arguments,
                                .argument_count = job->argument_count};
    haul_module *module = job->modules[c->device_index];
    HAUL_TRY(haul_module_allow_shared(module, job->symbol, job->shared_bytes));
    return haul_stream_launch(c->stream, module, &launch);
}

/* Reads a scalar argument in the notation of --arg of other commands. Buffers and textures are refused: a chunk's
 * buffers come from the map. */
static haul_status parse_constant(stream_job *job, const char *given, haul_argument *value) {
    launch_argument a;
    HAUL_TRY(launch_parse_argument(&job->session.launches, given, &a));
    if (!a.scalar)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--arg %s: must be in, in2, out, scratch, n, n64 or a number as i32:7",
                         given);
    *value = (haul_argument){.kind = a.kind, .integer = a.integer, .real = a.real};
    return HAUL_OK;
}

/* Reads one --arg: n, n64, in, in1 to in4, out, scratch or a constant. in and in1 are the same input. Raises the number
 * of inputs to the highest that is used. */
static haul_status parse_argument(stream_job *job, const char *given) {
    stream_argument *a = &job->arguments[job->argument_count++];
    const bool input =
        strncmp(given, "in", 2) == 0 && (given[2] == '\0' || (given[2] >= '1' && given[2] <= '4' && !given[3]));
    *a = (stream_argument){.kind = STREAM_N, .value = {.kind = HAUL_ARGUMENT_I32}};
    if (strcmp(given, "n") == 0) return HAUL_OK;
    a->value.kind = HAUL_ARGUMENT_I64;
    if (strcmp(given, "n64") == 0) return HAUL_OK;
    a->kind = input ? STREAM_IN : strcmp(given, "out") == 0 ? STREAM_OUT : STREAM_SCRATCH;
    a->input = input && given[2] ? (unsigned)(given[2] - '1') : 0;
    if (input && a->input >= job->map.input_count) job->map.input_count = a->input + 1;
    if (input || a->kind == STREAM_OUT || strcmp(given, "scratch") == 0) return HAUL_OK;
    a->kind = STREAM_CONSTANT;
    return parse_constant(job, given, &a->value);
}

/* Fills the map for the user's kernel. Scratch has one item for each item of the chunk. */
static haul_status choose_given(stream_job *job, const cli_values *v) {
    uint32_t extent[3];
    HAUL_TRY(cli_session_kernel(&job->session, v->kernel, &job->modules[0], &job->symbol));
    for (size_t i = 1; i < job->session.device_count; i++)
        HAUL_TRY(cli_session_load_on(&job->session, job->session.devices[i], &job->modules[i]));
    HAUL_TRY(launch_parse_extent("--block", v->block ? v->block : "256", extent));
    job->block = extent[0];
    job->items_a_block = v->stream_per_block ? cli_u32(v->stream_per_block) : job->block;
    job->shared_bytes = cli_u32(v->smem);
    job->map.run = run_given;
    job->map.input_count = 1;
    job->map.in_place = true;
    if (v->arg.count == 0 || v->arg.count > STREAM_ARGUMENTS)
        return haul_fail(
            HAUL_ERROR_ARGUMENT,
            "the kernel's arguments are missing, or too many: give them as --arg n --arg f32:2 --arg in --arg out");
    for (size_t i = 0; i < v->arg.count; i++) {
        HAUL_TRY(parse_argument(job, v->arg.items[i]));
        if (job->arguments[i].kind == STREAM_OUT) job->map.in_place = false;
        if (job->arguments[i].kind == STREAM_SCRATCH) job->map.scratch_bytes = job->map.output.item_bytes;
    }
    job->map.in_place_input = (unsigned)job->map.input_count - 1;
    return HAUL_OK;
}

/* ---- ends ---- */

/* Limit for generated inputs, and for results without a file, that are kept in host memory. */
static const uint64_t most_in_memory = UINT64_C(4) << 30;

/* Fills memory with floats in (0, 1] that depend only on the position, so that a chunk has the same values wherever it
 * is cut. `at`: bytes before it in the array. */
static void generate(uint64_t at, uint64_t bytes, unsigned char *to) {
    for (uint64_t i = 0; i + 4 <= bytes; i += 4) {
        const uint32_t hash = (uint32_t)((at + i) / 4) * 2654435761u;
        const float value = (float)((hash >> 8) + 1) * (1.0f / 16777216.0f);
        memcpy(to + i, &value, sizeof value);
    }
}

/* Inputs and outputs too large for memory: haul_map_transfer functions that make items, and drop them. */
static haul_status generate_items(void *context, uint64_t first, uint64_t items, void *bytes) {
    const haul_map_end *e = context;
    generate(first * e->item_bytes, items * e->item_bytes, bytes);
    return HAUL_OK;
}

static haul_status forget_items(void *context, uint64_t first, uint64_t items, void *bytes) {
    (void)context, (void)first, (void)items, (void)bytes;
    return HAUL_OK;
}

/* Allocates memory for end number `which`, which the job frees; HAUL_MAP_INPUTS is the output. */
static haul_status allocate(stream_job *job, size_t which, uint64_t bytes, bool pinned, void **memory) {
    if (pinned) {
        HAUL_TRY(haul_host_create(job->session.device, bytes ? bytes : 1, HAUL_HOST_PINNED, &job->pinned[which]));
        *memory = haul_host_memory(job->pinned[which]);
        return HAUL_OK;
    }
    job->pageable[which] = memory_alloc(bytes);
    if (!job->pageable[which]) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the data");
    *memory = job->pageable[which];
    return HAUL_OK;
}

/* Decides where input `i` comes from: its file, or generated data, kept in memory unless it is too large, or each rank
 * needs a part only. */
static haul_status make_input(stream_job *job, const cli_values *v, size_t i) {
    haul_map_end *e = &job->map.inputs[i];
    const uint64_t bytes = job->map.items * e->item_bytes;
    if (i < v->stream_in.count) {
        e->kind = HAUL_MAP_FILE;
        e->path = v->stream_in.items[i];
        return HAUL_OK;
    }
    if (bytes > most_in_memory || haul_ranks_count(job->ranks) > 1) {
        *e = (haul_map_end){HAUL_MAP_FUNCTION, e->item_bytes, .transfer = generate_items, .context = e};
        return HAUL_OK;
    }
    return allocate(job, i, bytes, v->pinned, &e->memory);
}

/* Results go to --out, into memory, or nowhere. Their size is unknown while items is 0, which means that a file's size
 * decides; they then go nowhere as well. */
static haul_status make_output(stream_job *job, const cli_values *v) {
    haul_map_end *e = &job->map.output;
    const uint64_t bytes = job->map.items * e->item_bytes;
    if (v->stream_out) {
        e->kind = HAUL_MAP_FILE;
        e->path = v->stream_out;
        return HAUL_OK;
    }
    if (job->map.items == 0 || bytes > most_in_memory || haul_ranks_count(job->ranks) > 1) {
        *e = (haul_map_end){HAUL_MAP_FUNCTION, e->item_bytes, .transfer = forget_items};
        return HAUL_OK;
    }
    return allocate(job, HAUL_MAP_INPUTS, bytes, v->pinned, &e->memory);
}

/* Writing the output's pages makes the system map them now and not during the run, whose time is shown. */
void stream_job_fill(stream_job *job) {
    const haul_map_end *out = &job->map.output;
    for (size_t i = 0; i < job->map.input_count; i++) {
        const haul_map_end *in = &job->map.inputs[i];
        if (in->kind == HAUL_MAP_MEMORY) generate(0, job->map.items * in->item_bytes, in->memory);
    }
    if (out->kind == HAUL_MAP_MEMORY) memset(out->memory, 0, job->map.items * out->item_bytes);
}

/* Refuses chunks smaller than the halo: they would read each item many times. A size that haul plans itself needs no
 * check. */
static haul_status check_halo(const stream_job *job, uint64_t item) {
    const uint64_t halo = job->map.before > job->map.after ? job->map.before : job->map.after;
    const uint64_t chunk = job->map.chunk_items;
    if (!chunk || chunk >= halo) return HAUL_OK;
    return haul_fail(
        HAUL_ERROR_ARGUMENT,
        "--chunk: %llu items a chunk are fewer than the %llu of the halo on either side: give at least %llu "
        "bytes, or a smaller --halo",
        (unsigned long long)chunk, (unsigned long long)halo, (unsigned long long)(halo * item));
}

/* Sets the number of items and all ends. With files for all inputs and no --bytes the files' size decides (items 0). */
static haul_status make_ends(stream_job *job, const cli_values *v) {
    static const uint64_t default_bytes = UINT64_C(64) << 20;
    const uint64_t item = v->stream_item ? v->stream_item : 4, bytes = v->stream_bytes;
    const bool all_files = v->stream_in.count >= job->map.input_count;
    if (v->stream_in.count > job->map.input_count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%zu inputs are given, the kernel takes %zu", v->stream_in.count,
                         job->map.input_count);
    if (v->stream_in.count && !all_files && !bytes)
        return haul_fail(HAUL_ERROR_ARGUMENT, "some inputs are files and some are generated: add --bytes");
    job->map.items = bytes ? bytes / item : all_files ? 0 : default_bytes / item;
    for (size_t i = 0; i < job->map.input_count; i++) job->map.inputs[i].item_bytes = item;
    for (size_t i = 0; i < job->map.input_count; i++) HAUL_TRY(make_input(job, v, i));
    return make_output(job, v);
}

/* Returns a number that identifies the computation: a run continues only one that computed the same. */
static uint64_t identity_of(const stream_job *job, const cli_values *v) {
    const char *kernel = v->kernel ? v->kernel : "maxpool15";
    uint64_t hash = hash_bytes(HASH_START, kernel, strlen(kernel) + 1);
    for (size_t i = 0; i < v->arg.count; i++) hash = hash_bytes(hash, v->arg.items[i], strlen(v->arg.items[i]) + 1);
    for (size_t i = 0; i < job->session.module_count; i++)
        hash = hash_bytes(hash, text_string(&job->session.modules[i].ptx), job->session.modules[i].ptx.length);
    const uint32_t shape[] = {job->block, job->items_a_block, job->shared_bytes};
    return hash_bytes(hash, shape, sizeof shape);
}

const char *const stream_files[] = {[HAUL_MAP_FILES_AUTO] = "auto",
                                    [HAUL_MAP_FILES_CACHED] = "cached",
                                    [HAUL_MAP_FILES_DIRECT] = "direct",
                                    [HAUL_MAP_FILES_CUFILE] = "cufile"};

static haul_status read_files(const cli_values *v, haul_map_files *files) {
    for (size_t i = 0; i < sizeof stream_files / sizeof *stream_files; i++) {
        *files = (haul_map_files)i;
        if (strcmp(v->files ? v->files : "auto", stream_files[i]) == 0) return HAUL_OK;
    }
    return haul_fail(HAUL_ERROR_ARGUMENT, "--files %s: must be auto, cached, direct or cufile", v->files);
}

/* All of stream_job_open() after the zeroing, so that the caller can close the job after any error. */
static haul_status open_job(stream_job *job, const cli_values *v) {
    const bool given = v->ptx.count || v->operands.count;
    const uint64_t item = v->stream_item ? v->stream_item : 4;
    if (given && !v->kernel) return haul_fail(HAUL_ERROR_ARGUMENT, "say which kernel of the file: add --kernel NAME");
    if (!given && v->stream_item && v->stream_item != 4)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--item: the kernels that ship take items of 4 bytes");
    char devices[256];
    HAUL_TRY(haul_ranks_choose_device(job->ranks, v->device ? v->device : "auto", devices));
    HAUL_TRY(cli_session_open_kernels(&job->session, v, devices));
    job->map = (haul_map){.devices = job->session.devices,
                          .device_count = job->session.device_count,
                          .ranks = job->ranks,
                          .output = {.item_bytes = item},
                          .context = job};
    HAUL_TRY(given ? choose_given(job, v) : choose_shipped(job, v->kernel ? v->kernel : "maxpool15"));
    if (v->halo) job->map.before = job->map.after = v->halo;
    if (v->chunk) job->map.chunk_items = v->chunk / item ? v->chunk / item : 1;
    HAUL_TRY(check_halo(job, item));
    job->map.depth = cli_u32(v->depth);
    job->map.threads = cli_u32(v->copy_threads);
    job->map.device_budget = v->budget;
    job->map.host_budget = v->host_budget;
    HAUL_TRY(read_files(v, &job->map.files));
    job->map.keep_partial = v->keep_partial;
    job->map.resume = v->resume;
    job->map.identity = identity_of(job, v);
    return make_ends(job, v);
}

haul_status stream_job_open(stream_job *job, const cli_values *v, haul_ranks *ranks) {
    *job = (stream_job){.ranks = ranks};
    return open_job(job, v);
}

/* Launches the kernel over one item in small buffers of its own. */
static haul_status launch_once(stream_job *job, unsigned index, haul_buffer **buffers) {
    haul_chunk c = {.device = job->session.devices[index], .device_index = index, .items = 1, .total = 1};
    for (size_t i = 0; i <= HAUL_MAP_INPUTS; i++)
        HAUL_TRY(haul_buffer_create(c.device, job->map.output.item_bytes, &buffers[i]));
    memcpy(c.in, buffers, sizeof c.in);
    c.out = buffers[HAUL_MAP_INPUTS];
    return job->map.run(job->map.context, &c);
}

/* The user's kernel is in a loaded module already, and a virtual GPU's time does not include loading. */
haul_status stream_job_warm_up(stream_job *job) {
    haul_status status = HAUL_OK;
    if (!job->kernels[0] || !job->map.run || haul_device_is_virtual(job->session.device)) return HAUL_OK;
    for (unsigned d = 0; d < job->session.device_count && status == HAUL_OK; d++) {
        haul_buffer *buffers[HAUL_MAP_INPUTS + 1] = {0};
        status = launch_once(job, d, buffers);
        for (size_t i = 0; i <= HAUL_MAP_INPUTS; i++) haul_buffer_free(buffers[i]);
    }
    return status;
}

void stream_job_close(stream_job *job) {
    for (size_t i = 0; i < HAUL_MOST_DEVICES; i++) haul_kernels_close(job->kernels[i]);
    for (size_t i = 0; i <= HAUL_MAP_INPUTS; i++) {
        haul_host_free(job->pinned[i]);
        memory_free(job->pageable[i]);
    }
    cli_session_close(&job->session);
}
