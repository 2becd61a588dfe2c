/* haul replay --record FILE.jsonl -- PROGRAM: writes launches as a launch file (lib/launch/launches.h), with hashes
 * of the contents that they left in their buffers. Kernels, and earlier contents of buffers and variables, go to
 * FILE.files, each content once.
 *
 * A launch is written in two steps, around it. standin_begin_recording() waits for the device, describes the launch
 * as a JSON object in state.line, and saves what the kernel can read: its module as PTX, each allocation that an
 * argument points into, and variables that differ from their initial values. standin_take_recording() waits again,
 * adds a hash of each buffer, and writes the line. So recorded launches never overlap others. record.c decides which
 * launches are recorded, and at most one is being recorded.
 *
 * Launches that a replay could not repeat are left out, with a message: textures, clusters of the launch's own, packed
 * arguments, and pointers in buffers. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "lib/launch/launches.h"
#include "machine/tensor.h"
#include "ptx/print.h"
#include "report/json.h"
#include "standin/report.h"
#include "vgpu/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A buffer of the launch being recorded. */
typedef struct buffer {
    size_t argument;   /* number of the first argument that points into it */
    json_int_t field;  /* of that argument, which is a structure with the pointer in it; -1: it is the pointer */
    json_t *object;    /* describes it in the line */
    CUdeviceptr first; /* the allocation's address and size */
    uint64_t bytes;
} buffer;

static struct {
    int file;           /* the launch file; -1: not created yet */
    text folder, label; /* folder of its files; its name in the launch file */
    uint64_t written, left_out;
    json_t *line; /* of the current launch; NULL: none */
    buffer *buffers;
    size_t buffer_count;
} state = {.file = -1};

/* ---- files ---- */

/* Creates the launch file and its folder with the first launch. The file of a further process of the program has
 * another name, and so has its folder. */
static haul_status open_recording(void) {
    static const char ending[] = ".jsonl";
    text own = {0};
    if (state.file >= 0) return HAUL_OK;
    haul_status status = standin_make_output(standin_asked.record, &own, &state.file);
    const size_t tail = sizeof ending - 1;
    const bool ends = own.length > tail && strcmp(own.bytes + own.length - tail, ending) == 0;
    text_append(&state.folder, text_string(&own), own.length - (ends ? tail : 0));
    text_put(&state.folder, ".files");
    const char *slash = strrchr(text_string(&state.folder), '/');
    text_put(&state.label, slash ? slash + 1 : text_string(&state.folder));
    text_free(&own);
    if (status == HAUL_OK && mkdir(text_string(&state.folder), 0777) != 0 && errno != EEXIST)
        status = haul_fail(HAUL_ERROR_FILE, "%s: cannot be made: %s", text_string(&state.folder), strerror(errno));
    return status;
}

static haul_status write_bytes(int to, const char *path, const void *bytes, size_t count) {
    for (const char *next = bytes; count;) {
        const ssize_t written = write(to, next, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
        next += written;
        count -= (size_t)written;
    }
    return HAUL_OK;
}

static haul_status save_in(const char *path, const void *bytes, size_t count) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    const haul_status status = write_bytes(file, path, bytes, count);
    close(file);
    return status;
}

/* Writes a file named by the hash of its content, so that shared contents exist once; `name` gets its name for the
 * launch file. An existing file of that name has the same content. */
static haul_status save(const void *bytes, size_t count, const char *ending, text *name) {
    text path = {0};
    uint64_t hash[2];
    hash_both_start(hash);
    hash_both(hash, bytes, count);
    text_printf(&path, "%s/%016" PRIx64 "%s", text_string(&state.folder), hash[0] ^ hash[1], ending);
    text_printf(name, "%s/%016" PRIx64 "%s", text_string(&state.label), hash[0] ^ hash[1], ending);
    haul_status status = path.failed || name->failed ? haul_no_memory("the launch's record") : HAUL_OK;
    if (status == HAUL_OK && access(text_string(&path), F_OK) != 0) status = save_in(text_string(&path), bytes, count);
    text_free(&path);
    return status;
}

/* Saves the module as printed from the IR, as the program's own text may have been packed or linked. */
static haul_status save_module(const ptx_module *module, json_t *line) {
    text ptx = {0}, name = {0};
    ptx_print_module(module, &ptx);
    haul_status status =
        ptx.failed ? haul_no_memory("the launch's record") : save(text_string(&ptx), ptx.length, ".ptx", &name);
    if (status == HAUL_OK && json_object_set_new(line, "ptx", json_string(text_string(&name))) != 0)
        status = haul_no_memory("the launch's record");
    text_free(&ptx);
    text_free(&name);
    return status;
}

/* ---- inputs of launches ---- */

/* Allocates *content, which the caller frees; it is NULL after a failure. */
static haul_status read_device(const driver_table *d, CUdeviceptr from, uint64_t bytes, void **content) {
    *content = memory_alloc(bytes + 1);
    if (!*content) return haul_no_memory("the launch's record");
    if (!bytes || d->copy_to_host(*content, from, bytes) == CUDA_SUCCESS) return HAUL_OK;
    memory_free(*content);
    *content = NULL;
    return haul_fail(HAUL_ERROR_DRIVER, "device memory cannot be read");
}

/* Returns whether an 8-byte word is an address in an allocation: it would lead nowhere in a replay. */
static bool holds_pointer(const unsigned char *bytes, size_t count) {
    sim_allocation a;
    uint64_t word;
    for (size_t i = 0; i + sizeof word <= count; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        if (sim_driver_allocation(word, &a)) return true;
    }
    return false;
}

static haul_status save_memory(const driver_table *d, CUdeviceptr from, uint64_t bytes, size_t argument, text *name) {
    void *content;
    HAUL_TRY(read_device(d, from, bytes, &content));
    const haul_status status =
        holds_pointer(content, bytes)
            ? haul_fail(HAUL_ERROR_UNSUPPORTED, "the buffer of argument %zu has addresses of buffers in it", argument)
            : save(content, bytes, ".bin", name);
    memory_free(content);
    return status;
}

static const buffer *buffer_at(CUdeviceptr first) {
    for (size_t i = 0; i < state.buffer_count; i++)
        if (state.buffers[i].first == first) return &state.buffers[i];
    return NULL;
}

/* A pointer as another one into a buffer that the launch already has. */
static haul_status add_shared(const buffer *before, json_int_t at, json_t **object) {
    const json_int_t argument = (json_int_t)before->argument;
    json_t *of = before->field < 0 ? json_integer(argument) : json_pack("[I, I]", argument, before->field);
    *object = json_pack("{s:s, s:o, s:I}", "buf", LAUNCH_SAME, "of", of, "at", at);
    return *object ? HAUL_OK : haul_no_memory("the launch's record");
}

/* The whole allocation that the pointer belongs to; `field` is as in `buffer`. Arguments that point into the same
 * allocation refer to the first of them, so that a replay aliases them, too. */
static haul_status add_buffer(const driver_table *d, CUdeviceptr pointer, const sim_allocation *a, size_t argument,
                              json_int_t field, json_t **object) {
    text name = {0};
    const json_int_t at = (json_int_t)(pointer - a->first);
    const buffer *before = buffer_at(a->first);
    if (before) return add_shared(before, at, object);
    HAUL_TRY(save_memory(d, a->first, a->bytes, argument, &name));
    *object = json_pack("{s:s, s:s, s:I}", "buf", "file", "path", text_string(&name), "at", at);
    text_free(&name);
    if (!*object) return haul_no_memory("the launch's record");
    state.buffers[state.buffer_count++] = (buffer){argument, field, *object, a->first, a->bytes};
    return HAUL_OK;
}

/* Bytes as they are, for arguments of which no number can be made. */
static json_t *hex_of(const unsigned char *bytes, size_t count) {
    text hex = {0};
    for (size_t i = 0; i < count; i++) text_printf(&hex, "%02x", bytes[i]);
    json_t *object = json_pack("{s:s}", "bytes", text_string(&hex));
    text_free(&hex);
    return object;
}

/* A number where the launch file has a type for it. NaNs, infinities and halves have no number in JSON: bytes keep
 * them exactly. */
static json_t *scalar_of(const ptx_variable *p, const unsigned char *bytes) {
    int64_t whole = 0;
    float f32 = NAN;
    double real = NAN;
    memcpy(&whole, bytes, p->size);
    if (p->size == sizeof real) memcpy(&real, bytes, sizeof real);
    if (ptx_types[p->type].kind == 'F') {
        if (p->size == sizeof f32) {
            memcpy(&f32, bytes, sizeof f32);
            real = (double)f32;
        }
        if (!isfinite(real)) return hex_of(bytes, p->size);
        return json_pack("{s:f}", p->size == sizeof f32 ? "f32" : "f64", real);
    }
    static const char *const names[] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "i64"};
    return json_pack("{s:I}", names[p->size], (json_int_t)whole);
}

/* Neither an array nor a vector, and of a size that has an integer type. */
static bool is_scalar(const ptx_variable *p) {
    return !p->dimensions && p->vector <= 1 && (p->size == 1 || p->size == 2 || p->size == 4 || p->size == 8);
}

/* Appends the bytes between two pointers to the fields of a structure. */
static void add_plain_field(json_t *fields, const unsigned char *bytes, size_t count) {
    if (count) json_array_append_new(fields, hex_of(bytes, count));
}

/* A structure as a list of bytes and buffers. Pointers are at multiples of 8, where C puts them. */
static haul_status add_structure(const driver_table *d, const unsigned char *bytes, size_t count, size_t argument,
                                 json_t **object) {
    sim_allocation a;
    CUdeviceptr word;
    size_t plain = 0; /* where the bytes behind the last pointer begin */
    json_t *fields = json_array();
    *object = json_pack("{s:o}", "struct", fields);
    for (size_t i = 0; *object && i + sizeof word <= count; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        if (!sim_driver_allocation(word, &a)) continue;
        json_t *field = NULL;
        add_plain_field(fields, bytes + plain, i - plain);
        const haul_status status = add_buffer(d, word, &a, argument, (json_int_t)json_array_size(fields), &field);
        if (status != HAUL_OK) {
            json_decref(*object);
            return status;
        }
        json_array_append_new(fields, field);
        plain = i + sizeof word;
    }
    add_plain_field(fields, bytes + plain, count - plain);
    return HAUL_OK;
}

static bool is_tensor_map(const ptx_variable *p, const unsigned char *bytes) {
    sim_tensor map;
    return p->size == SIM_TENSOR_MAP_BYTES && sim_tensor_unpack(bytes, &map) == HAUL_OK;
}

/* The argument's value decides: an address within an allocation is a buffer, whatever the parameter's type. */
static haul_status add_argument(const driver_table *d, const ptx_variable *p, const unsigned char *bytes, size_t i,
                                json_t *arguments) {
    json_t *object = NULL;
    CUdeviceptr pointer = 0;
    sim_allocation a;
    if (p->size == sizeof pointer) memcpy(&pointer, bytes, sizeof pointer);
    if (pointer && sim_driver_allocation(pointer, &a))
        HAUL_TRY(add_buffer(d, pointer, &a, i, -1, &object));
    else if (is_scalar(p))
        object = scalar_of(p, bytes);
    else if (is_tensor_map(p, bytes))
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "argument %zu is a tensor map", i);
    else if (holds_pointer(bytes, p->size))
        HAUL_TRY(add_structure(d, bytes, p->size, i, &object));
    else
        object = hex_of(bytes, p->size);
    return json_array_append_new(arguments, object) == 0 ? HAUL_OK : haul_no_memory("the launch's record");
}

/* The most pointers that the arguments can hold. */
static size_t most_buffers(const ptx_function *entry) {
    size_t most = 1;
    for (size_t i = 0; i < entry->param_count; i++) most += (size_t)entry->params[i]->size / sizeof(CUdeviceptr);
    return most;
}

static haul_status add_arguments(const driver_table *d, const ptx_function *entry, void **parameters, json_t *line) {
    json_t *arguments = json_array();
    if (json_object_set_new(line, "args", arguments) != 0) return haul_no_memory("the launch's record");
    memory_free(state.buffers);
    state.buffer_count = 0;
    state.buffers = memory_zeroed(most_buffers(entry), sizeof *state.buffers);
    if (!state.buffers) return haul_no_memory("the launch's record");
    for (size_t i = 0; i < entry->param_count; i++)
        HAUL_TRY(add_argument(d, entry->params[i], parameters[i], i, arguments));
    return HAUL_OK;
}

/* ---- variables ---- */

/* A replay loads the module, so the variable need not be saved. */
static bool is_as_loaded(const ptx_variable *v, const unsigned char *now) {
    for (uint64_t i = 0; i < v->size; i++)
        if (now[i] != (v->initial ? v->initial[i] : 0)) return false;
    return true;
}

static haul_status add_variable(const driver_table *d, const ptx_variable *v, CUdeviceptr at, json_t *globals) {
    void *content;
    text name = {0};
    HAUL_TRY(read_device(d, at, v->size, &content));
    haul_status status = HAUL_OK;
    if (!is_as_loaded(v, content)) {
        status = save(content, v->size, ".bin", &name);
        if (status == HAUL_OK &&
            json_object_set_new(globals, v->name, json_pack("{s:s, s:s}", "buf", "file", "path", text_string(&name))) !=
                0)
            status = haul_no_memory("the launch's record");
    }
    text_free(&name);
    memory_free(content);
    return status;
}

/* Finds what the program has stored since the module was loaded. Addresses set by the linker are set again in a
 * replay. */
static haul_status add_variables(const driver_table *d, CUmodule handle, const ptx_module *module, json_t *line) {
    json_t *globals = json_object();
    if (json_object_set_new(line, "globals", globals) != 0) return haul_no_memory("the launch's record");
    for (size_t i = 0; i < module->variable_count; i++) {
        const ptx_variable *v = module->variables[i];
        CUdeviceptr at;
        size_t bytes;
        if ((v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST) || v->relocation_count || v->size % 4)
            continue;
        if (d->module_variable(&at, &bytes, handle, v->name) != CUDA_SUCCESS) continue;
        HAUL_TRY(add_variable(d, v, at, globals));
    }
    if (!json_object_size(globals)) json_object_del(line, "globals");
    return HAUL_OK;
}

/* ---- a launch ---- */

/* Texture and surface objects are numbers that only this process knows. */
static bool uses_textures(const ptx_function *entry) {
    static const char *const families[] = {"tex", "tld4", "txq", "suld", "sust", "sured", "suq"};
    for (size_t i = 0; i < entry->instruction_count; i++) {
        text name = {0};
        ptx_print_opcode(&entry->instructions[i], &name);
        bool uses = false;
        for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
            const size_t length = strlen(families[k]);
            uses |= strncmp(text_string(&name), families[k], length) == 0 &&
                    (text_string(&name)[length] == '.' || !text_string(&name)[length]);
        }
        text_free(&name);
        if (uses) return true;
    }
    return false;
}

/* HAUL_ERROR_UNSUPPORTED, with a message, if a launch file cannot describe the launch. */
static haul_status check_launch(const ptx_function *entry, void **parameters) {
    if (!parameters && entry->param_count)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "its arguments are packed in one buffer");
    if (uses_textures(entry))
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "it uses textures or surfaces, which are not recorded");
    return HAUL_OK;
}

/* The cluster that the launch gives itself; NULL: it has what the kernel declares. */
static json_t *cluster_of(const CUlaunchConfig *c) {
    for (unsigned i = 0; i < c->attribute_count; i++)
        if (c->attributes[i].id == DRIVER_LAUNCH_CLUSTER) return report_json_extent(c->attributes[i].value.cluster);
    return NULL;
}

/* Waits first, so that buffers have the contents that the kernel will find. */
static haul_status describe(const driver_table *d, const standin_kernel_record *k, const CUlaunchConfig *c,
                            void **parameters) {
    const ptx_function *entry;
    CUmodule handle;
    const ptx_module *module = sim_driver_kernel_ptx(k->handle, &entry, &handle);
    HAUL_TRY(check_launch(entry, parameters));
    HAUL_TRY(open_recording());
    if (d->synchronize() != CUDA_SUCCESS) return haul_fail(HAUL_ERROR_DRIVER, "the work before it failed");
    state.line = json_pack("{s:I, s:s, s:o, s:o, s:o*, s:i}", "id", (json_int_t)state.written, "kernel", k->symbol,
                           "grid", report_json_extent(c->grid), "block", report_json_extent(c->block), "cluster",
                           cluster_of(c), "smem", (int)c->shared_bytes);
    if (!state.line) return haul_no_memory("the launch's record");
    HAUL_TRY(save_module(module, state.line));
    HAUL_TRY(add_arguments(d, entry, parameters, state.line));
    return add_variables(d, handle, module, state.line);
}

/* The program continues as if nobody recorded. */
static void leave_out(const standin_kernel_record *k) {
    state.left_out++;
    fprintf(stderr, "haul: a launch of %s is not recorded: %s\n", k->symbol, haul_message());
    json_decref(state.line);
    state.line = NULL;
}

void standin_begin_recording(const driver_table *d, const standin_kernel_record *k, const CUlaunchConfig *c,
                             void **parameters) {
    if (describe(d, k, c, parameters) != HAUL_OK) leave_out(k);
}

/* ---- results ---- */

/* The buffer's content after the launch, as one hash in the argument's object. */
static haul_status add_hash(const driver_table *d, const buffer *b) {
    void *content;
    HAUL_TRY(read_device(d, b->first, b->bytes, &content));
    const uint64_t hash = hash_bytes(HASH_START, content, b->bytes);
    memory_free(content);
    const int failed = json_object_set_new(b->object, "after", json_sprintf("%016" PRIx64, hash));
    return failed ? haul_no_memory("the launch's record") : HAUL_OK;
}

/* Writes nothing if the launch has failed. */
static haul_status write_line(const driver_table *d) {
    text out = {0};
    if (d->synchronize() != CUDA_SUCCESS) return haul_fail(HAUL_ERROR_DRIVER, "it failed");
    for (size_t i = 0; i < state.buffer_count; i++) HAUL_TRY(add_hash(d, &state.buffers[i]));
    haul_status status = report_json_put(json_incref(state.line), JSON_COMPACT, &out);
    if (status == HAUL_OK) status = write_bytes(state.file, standin_asked.record, out.bytes, out.length);
    text_free(&out);
    return status;
}

void standin_take_recording(const driver_table *d, const standin_kernel_record *k) {
    if (!state.line) return;
    if (write_line(d) != HAUL_OK) {
        leave_out(k);
        return;
    }
    state.written++;
    json_decref(state.line);
    state.line = NULL;
}

void standin_end_recording(void) {
    text out = {0};
    if (standin_asked.quiet) return;
    text_printf(&out, "haul: %" PRIu64 " launch%s recorded", state.written, state.written == 1 ? "" : "es");
    if (state.left_out) text_printf(&out, ", %" PRIu64 " left out", state.left_out);
    text_put(&out, "\n");
    standin_print(&out);
    text_free(&out);
}
