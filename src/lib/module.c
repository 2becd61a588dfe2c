/* Modules and launches.
 *
 * A module is PTX that the driver has loaded. haul parses the same text (src/ptx) to know the kernels' names and
 * parameters, which a real driver does not tell, and checks arguments against them before a launch: a driver would read
 * whatever lies after a wrong pointer. On the virtual GPU the parsed module is the driver's own. If haul cannot parse
 * the PTX, launches are passed on unchecked.
 *
 * A launch goes through one function, launch(). Without a stream it waits for the kernel, unless the device queues
 * launches for lib/timing.h. On the virtual GPU the driver fills the launch's record itself; for a GPU this file fills
 * in what is known without a profiler. Loading PTX and its error messages are in jit.c, limits of hardware in
 * launch/check.c. */
#include "lib/argument.h"
#include "lib/run.h"

#include "base/file.h"
#include "base/mangled.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "vgpu/driver.h"

#include <string.h>

/* ---- modules ---- */

/* Copies of the texts, NUL-terminated, as the driver API takes them. */
static void free_parts(haul_ptx *parts, size_t count) {
    for (size_t i = 0; parts && i < count; i++) memory_free((void *)(uintptr_t)parts[i].text);
    memory_free(parts);
}

/* Copies a text and adds a NUL. A zero byte inside would end it early, so such a file is refused. */
static haul_status copy_part(const haul_ptx *part, haul_ptx *copy) {
    text bytes = {0};
    if (memchr(part->text, '\0', part->length))
        return haul_fail(HAUL_ERROR_SYNTAX, "%s: is not PTX: it has zero bytes", part->name);
    text_append(&bytes, part->text, part->length);
    text_append(&bytes, "", 1);
    if (bytes.failed) {
        text_free(&bytes);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to load it", part->name);
    }
    *copy = (haul_ptx){part->name, bytes.bytes, part->length};
    return HAUL_OK;
}

/* Finds the kernels' names and parameters: m->ptx points to the driver's module, or to one that the module owns. It
 * stays NULL if haul cannot parse the PTX; launches are then not checked. */
static void read_signatures(haul_module *m, const haul_ptx *parts, size_t count) {
    ptx_source *sources = memory_zeroed(count, sizeof *sources);
    for (size_t i = 0; sources && i < count; i++)
        sources[i] = (ptx_source){parts[i].name, parts[i].text, parts[i].length};
    if (m->device->extras)
        m->ptx = m->device->extras->module_ptx(m->handle);
    else if (sources && ptx_module_link(m->name, sources, count, &m->own_ptx) == HAUL_OK)
        m->ptx = m->own_ptx;
    memory_free(sources);
}

/* Loads one text, or links several. name_image() gives the virtual GPU the module's name for its messages. */
static haul_status load_parts(haul_module *m, const char *name, const haul_ptx *parts, size_t count) {
    m->name = memory_alloc(strlen(name) + 1);
    if (!m->name) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to load it", name);
    strcpy(m->name, name);
    if (m->device->extras) m->device->extras->name_image(m->name);
    if (count == 1)
        HAUL_TRY(device_load_ptx(m->device, name, parts[0].text, &m->handle));
    else
        HAUL_TRY(device_link_ptx(m->device, name, parts, count, &m->handle));
    read_signatures(m, parts, count);
    return HAUL_OK;
}

/* Loads the parts from copies, which are needed only while the driver reads them. */
static haul_status load(haul_module *m, const char *name, const haul_ptx *parts, size_t count) {
    haul_ptx *copies = memory_zeroed(count, sizeof *copies);
    haul_status status = copies ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to load it", name);
    for (size_t i = 0; i < count && status == HAUL_OK; i++) status = copy_part(&parts[i], &copies[i]);
    if (status == HAUL_OK) status = load_parts(m, name, copies, count);
    free_parts(copies, count);
    return status;
}

/* A module that could not be loaded leaves nothing after. */
haul_status haul_module_link(haul_device *d, const char *name, const haul_ptx *parts, size_t count,
                             haul_module **module) {
    *module = NULL;
    if (count == 0) return haul_fail(HAUL_ERROR_ARGUMENT, "%s: no PTX to make a module of", name);
    HAUL_TRY(device_enter(d));
    haul_module *m = memory_zeroed(1, sizeof *m);
    if (!m) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to load it", name);
    m->device = d;
    haul_status status = load(m, name, parts, count);
    if (status != HAUL_OK) {
        memory_free(m->name);
        memory_free(m);
        return status;
    }
    m->next = d->modules;
    d->modules = m;
    *module = m;
    return HAUL_OK;
}

haul_status haul_module_load(haul_device *d, const char *name, const char *ptx, size_t length, haul_module **module) {
    return haul_module_link(d, name, &(haul_ptx){name, ptx, length}, 1, module);
}

/* The path is the module's name in messages. */
haul_status haul_module_load_file(haul_device *d, const char *path, haul_module **module) {
    text ptx = {0};
    *module = NULL;
    haul_status status = file_read(path, &ptx);
    if (status == HAUL_OK) status = haul_module_load(d, path, text_string(&ptx), ptx.length, module);
    text_free(&ptx);
    return status;
}

static void free_variables(haul_module *m) {
    while (m->variables) {
        haul_buffer *b = m->variables;
        m->variables = b->next;
        memory_free(b);
    }
}

/* Views of the module's variables become invalid with it. */
void haul_module_unload(haul_module *m) {
    if (!m) return;
    for (haul_module **link = &m->device->modules; *link; link = &(*link)->next) {
        if (*link != m) continue;
        *link = m->next;
        break;
    }
    if (device_enter(m->device) == HAUL_OK) m->device->driver->module_unload(m->handle);
    free_variables(m);
    if (m->own_ptx) ptx_module_free(m->own_ptx);
    memory_free(m->name);
    memory_free(m);
}

/* Functions that kernels call are in the list, too, and are not counted. Without parsed PTX there are none. */
size_t haul_module_kernel_count(const haul_module *m) {
    size_t count = 0;
    for (size_t i = 0; m->ptx && i < m->ptx->function_count; i++) count += m->ptx->functions[i]->is_entry;
    return count;
}

const char *haul_module_kernel_name(const haul_module *m, size_t index) {
    for (size_t i = 0; m->ptx && i < m->ptx->function_count; i++)
        if (m->ptx->functions[i]->is_entry && index-- == 0) return m->ptx->functions[i]->name;
    return NULL;
}

void haul_kernel_name(const char *symbol, char *name, size_t size) {
    (void)mangled_copy(symbol, name, size);
}

/* An array of one scalar type is bytes, too. */
static haul_parameter describe_parameter(const ptx_variable *v) {
    const bool is_scalar = v->size == ptx_bits(v->type) / 8;
    return (haul_parameter){v->name, is_scalar ? argument_kind_of(v) : HAUL_PARAMETER_BYTES, v->size};
}

haul_status haul_module_parameters(const haul_module *m, const char *symbol, haul_parameter *parameters, size_t room,
                                   size_t *count) {
    *count = 0;
    if (!m->ptx) return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: haul cannot parse the PTX", m->name);
    const ptx_function *f = ptx_find_entry(m->ptx, symbol);
    if (!f) return haul_fail(HAUL_ERROR_NOT_FOUND, "%s: no kernel '%s'", m->name, symbol);
    *count = f->param_count;
    for (size_t i = 0; i < f->param_count && i < room; i++) parameters[i] = describe_parameter(f->params[i]);
    return HAUL_OK;
}

/* ---- variables ---- */

const ptx_variable *module_find_variable(const haul_module *m, const char *name) {
    for (size_t i = 0; m->ptx && i < m->ptx->variable_count; i++) {
        size_t length;
        const char *symbol = m->ptx->variables[i]->name, *plain = mangled_name(symbol, &length);
        if (strcmp(symbol, name) == 0 || (length == strlen(name) && strncmp(plain, name, length) == 0))
            return m->ptx->variables[i];
    }
    return NULL;
}

/* The symbol for a name in the source, which may be mangled; the name itself if haul knows no such variable. */
static const char *symbol_of(const haul_module *m, const char *name) {
    const ptx_variable *variable = module_find_variable(m, name);
    return variable ? variable->name : name;
}

/* Sets `variable` to a buffer over the variable's memory, the same one however often it is requested. The module owns
 * it. */
static haul_status view_variable(haul_module *m, CUdeviceptr address, uint64_t bytes, haul_buffer **variable) {
    for (haul_buffer *b = m->variables; b; b = b->next)
        if (b->address == address) *variable = b;
    if (*variable) return HAUL_OK;
    haul_buffer *b = memory_zeroed(1, sizeof *b);
    if (!b) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for a variable", m->name);
    *b = (haul_buffer){.device = m->device, .address = address, .bytes = bytes, .next = m->variables};
    *variable = m->variables = b;
    return HAUL_OK;
}

/* The driver knows variables in global and constant memory only. */
haul_status haul_module_variable(haul_module *m, const char *name, haul_buffer **variable) {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    *variable = NULL;
    HAUL_TRY(device_enter(m->device));
    CUresult found = m->device->driver->module_variable(&address, &bytes, m->handle, symbol_of(m, name));
    if (found == CUDA_NOT_FOUND)
        return haul_fail(HAUL_ERROR_NOT_FOUND, "%s: has no variable `%s` in global or constant memory", m->name, name);
    HAUL_TRY(device_check(m->device, found, name));
    return view_variable(m, address, bytes, variable);
}

/* ---- launches ---- */

static haul_status check_count(const haul_launch *l, const ptx_function *f) {
    if (f->param_count == l->argument_count) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "kernel %s: takes %zu arguments, %zu given", l->kernel, f->param_count,
                     l->argument_count);
}

/* Checks what does not need the kernel's signature: that there is a value, and on this device or one that can be its
 * peer; a kernel without access to it faults. */
static haul_status check_argument(const haul_module *m, const haul_launch *l, size_t i) {
    const haul_argument *a = &l->arguments[i];
    if (a->kind == HAUL_ARGUMENT_BYTES && !a->bytes && a->size)
        return haul_fail(HAUL_ERROR_ARGUMENT, "kernel %s: argument %zu has no bytes", l->kernel, i + 1);
    if (a->kind != HAUL_ARGUMENT_BUFFER) return HAUL_OK;
    if (!a->buffer) return haul_fail(HAUL_ERROR_ARGUMENT, "kernel %s: argument %zu is not a buffer", l->kernel, i + 1);
    if (a->buffer->device == m->device || haul_device_can_reach(m->device, a->buffer->device)) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "kernel %s: argument %zu is a buffer on %s, the kernel is on %s", l->kernel,
                     i + 1, a->buffer->device->name, m->device->name);
}

/* Checks the access-policy window. A window without a buffer means none. */
static haul_status check_window(const haul_launch *l) {
    const haul_l2_window *w = &l->window;
    if (!w->buffer) return HAUL_OK;
    HAUL_TRY(buffer_check_range(w->buffer, w->offset, w->bytes));
    HAUL_TRY(device_check_window(w->buffer->device, w->bytes));
    if (w->hit_ratio >= 0 && w->hit_ratio <= 1) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "kernel %s: a hit ratio of %g: it must lie between 0 and 1", l->kernel,
                     (double)w->hit_ratio);
}

/* Checks all arguments and sets `pointers` to their values, as the driver takes them: in `values`, or in the caller's
 * bytes. */
static haul_status gather(const haul_module *m, const haul_launch *l, argument_value *values, void **pointers) {
    const ptx_function *f = m->ptx ? ptx_find_entry(m->ptx, l->kernel) : NULL;
    if (f) HAUL_TRY(check_count(l, f));
    for (size_t i = 0; i < l->argument_count; i++) {
        HAUL_TRY(check_argument(m, l, i));
        if (f) HAUL_TRY(argument_check(l, i, f->params[i]));
        (void)argument_value_of(&l->arguments[i], &values[i]);
        pointers[i] =
            l->arguments[i].kind == HAUL_ARGUMENT_BYTES ? (void *)(uintptr_t)l->arguments[i].bytes : &values[i];
    }
    return HAUL_OK;
}

/* ---- dynamic shared memory: more than 48 KiB, static included, needs an opt-in ---- */

/* Negative attributes count as 0. */
static haul_status function_attribute(const haul_module *m, CUfunction f, int which, uint64_t *value) {
    int got = 0;
    HAUL_TRY(device_check(m->device, m->device->driver->function_attribute(&got, which, f), "a kernel's attribute"));
    *value = got > 0 ? (uint64_t)got : 0;
    return HAUL_OK;
}

/* Fails if the kernel's static and `bytes` of dynamic shared memory exceed the device's limit for kernels that opt
 * in. */
static haul_status check_shared_limit(const haul_module *m, CUfunction f, uint32_t bytes) {
    uint64_t own;
    const uint32_t most = device_shared_opt_in(m->device);
    HAUL_TRY(function_attribute(m, f, DRIVER_FUNCTION_SHARED_BYTES, &own));
    if (!most || own + bytes <= most) return HAUL_OK;
    return haul_fail(HAUL_ERROR_LIMIT, "launch: bytes of shared memory per block %llu, but %s allows %llu",
                     (unsigned long long)(own + bytes), m->device->name, (unsigned long long)most);
}

/* Fails if the kernel would need an opt-in for its dynamic shared memory that it does not have. The driver would say
 * only that a value is invalid. */
static haul_status check_opt_in(const haul_module *m, CUfunction f, const haul_launch *l) {
    uint64_t most;
    if (!l->shared_bytes) return HAUL_OK;
    HAUL_TRY(check_shared_limit(m, f, l->shared_bytes));
    HAUL_TRY(function_attribute(m, f, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, &most));
    if (l->shared_bytes <= most) return HAUL_OK;
    return haul_fail(
        HAUL_ERROR_LIMIT,
        "kernel %s: %u bytes of dynamic shared memory, but %llu are allowed until it opts in to more: call "
        "haul_module_allow_shared()",
        l->kernel, l->shared_bytes, (unsigned long long)most);
}

static haul_status set_most_shared(const haul_module *m, CUfunction f, uint64_t bytes) {
    CUresult result = m->device->driver->function_set(f, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, (int)bytes);
    return device_check(m->device, result, "opting in to dynamic shared memory");
}

/* Fills in the record of a launch on hardware: its shape is known, its times and counters are marked as not read
 * (-1). */
static haul_status describe_launch(const haul_launch *l, haul_run *run, haul_launch_record *r) {
    r->kernel = arena_copy(run_memory(run), l->kernel, strlen(l->kernel));
    if (!r->kernel) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "kernel %s: no memory for its record", l->kernel);
    memcpy(r->grid, l->grid, sizeof r->grid);
    memcpy(r->block, l->block, sizeof r->block);
    r->shared_bytes = l->shared_bytes;
    r->estimate_us = r->measured_us = -1;
    r->measured_range_us = (haul_bounds){-1, -1};
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) r->counters[i] = -1;
    return HAUL_OK;
}

/* Extents that are 0 mean 1. */
static CUlaunchAttribute cluster_attribute(const uint32_t blocks[3]) {
    CUlaunchAttribute a = {.id = DRIVER_LAUNCH_CLUSTER};
    for (unsigned k = 0; k < 3; k++) a.value.cluster[k] = blocks[k] ? blocks[k] : 1;
    return a;
}

static CUlaunchAttribute window_attribute(const haul_l2_window *w) {
    return (CUlaunchAttribute){.id = DRIVER_LAUNCH_ACCESS_POLICY_WINDOW,
                               .value.window = {.base = (void *)(uintptr_t)(w->buffer->address + w->offset),
                                                .bytes = w->bytes,
                                                .hit_ratio = w->hit_ratio,
                                                .hit = (int)w->hit,
                                                .miss = (int)w->miss}};
}

/* Queues the launch with its attributes. Clusters and windows need cuLaunchKernelEx(); the others could do without. */
static CUresult start(const driver_table *driver, const haul_launch *l, CUstream stream, CUfunction f,
                      void **pointers) {
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config = {.shared_bytes = l->shared_bytes, .stream = stream, .attributes = attributes};
    if (l->cluster[0] || l->cluster[1] || l->cluster[2])
        attributes[config.attribute_count++] = cluster_attribute(l->cluster);
    if (l->window.buffer) attributes[config.attribute_count++] = window_attribute(&l->window);
    memcpy(config.grid, l->grid, sizeof config.grid);
    memcpy(config.block, l->block, sizeof config.block);
    return driver->launch_ex(&config, f, pointers, NULL);
}

/* Fills in what is known before the launch has run. Without memory the record is taken out again. */
static haul_status describe_added(const haul_launch *l, haul_run *run, haul_launch_record *record) {
    const haul_status status = describe_launch(l, run, record);
    if (status != HAUL_OK) run->launch_count--;
    return status;
}

/* Checks, records and starts a launch. `run` may be NULL. A launch that fails leaves no record, unless it was checked:
 * its record has the findings. */
static haul_status launch(haul_module *m, const haul_launch *l, CUfunction f, haul_run *run, argument_value *values,
                          void **pointers) {
    const driver_table *driver = m->device->driver;
    haul_launch_record *record = NULL;
    HAUL_TRY(gather(m, l, values, pointers));
    HAUL_TRY(check_window(l));
    HAUL_TRY(device_check_launch(m->device, l, f));
    HAUL_TRY(check_opt_in(m, f, l));
    if (run) HAUL_TRY(run_add_launch(run, &record));
    if (record && (!m->device->extras || m->device->stream)) HAUL_TRY(describe_added(l, run, record));
    if (m->device->extras)
        m->device->extras->record(run, run ? run->launch_count - 1 : 0, run ? run_memory(run) : NULL);
    CUresult result = start(driver, l, m->device->stream, f, pointers);
    if (m->device->extras) m->device->extras->record(NULL, 0, NULL);
    haul_status status = device_check(m->device, result, "launching a kernel");
    if (status == HAUL_OK && !m->device->queues && !m->device->stream)
        status = device_check(m->device, driver->synchronize(), "waiting for a kernel");
    /* The record of a checked launch says what ended it. */
    if (status != HAUL_OK && run && !record->checked) run->launch_count--;
    return status;
}

static haul_status find_kernel(haul_module *m, const char *name, CUfunction *f) {
    HAUL_TRY(device_enter(m->device));
    return device_check(m->device, m->device->driver->module_function(f, m->handle, name), name);
}

/* The driver's calculation regards the opt-in, so it is set for the question and taken back. Too much shared memory is
 * 0 blocks, not an error. */
haul_status haul_module_blocks_per_sm(haul_module *m, const char *kernel, uint32_t threads, uint32_t shared_bytes,
                                      uint32_t *blocks) {
    CUfunction f;
    int count = 0;
    *blocks = 0;
    uint64_t most;
    HAUL_TRY(find_kernel(m, kernel, &f));
    HAUL_TRY(function_attribute(m, f, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, &most));
    if (shared_bytes > most && check_shared_limit(m, f, shared_bytes) != HAUL_OK) return HAUL_OK;
    if (shared_bytes > most) HAUL_TRY(set_most_shared(m, f, shared_bytes));
    const CUresult told = m->device->driver->occupancy(&count, f, (int)threads, shared_bytes);
    if (shared_bytes > most) HAUL_TRY(set_most_shared(m, f, most));
    HAUL_TRY(device_check(m->device, told, kernel));
    *blocks = (uint32_t)count;
    return HAUL_OK;
}

haul_status haul_module_allow_shared(haul_module *m, const char *kernel, uint32_t bytes) {
    CUfunction f;
    uint64_t most;
    HAUL_TRY(find_kernel(m, kernel, &f));
    HAUL_TRY(check_shared_limit(m, f, bytes));
    HAUL_TRY(function_attribute(m, f, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, &most));
    return bytes <= most ? HAUL_OK : set_most_shared(m, f, bytes);
}

haul_status module_opt_in(haul_module *m, const haul_launch *l, bool *opted_in) {
    CUfunction f;
    uint64_t most;
    *opted_in = false;
    if (!l->shared_bytes) return HAUL_OK;
    HAUL_TRY(find_kernel(m, l->kernel, &f));
    HAUL_TRY(function_attribute(m, f, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, &most));
    if (l->shared_bytes <= most) return HAUL_OK;
    HAUL_TRY(haul_module_allow_shared(m, l->kernel, l->shared_bytes));
    *opted_in = true;
    return HAUL_OK;
}

/* The driver takes an array of pointers to the arguments' values; both arrays live for the call only. */
haul_status haul_launch_run(haul_module *m, const haul_launch *l, haul_run *run) {
    CUfunction f;
    HAUL_TRY(find_kernel(m, l->kernel, &f));
    argument_value *values = memory_zeroed(l->argument_count, sizeof *values);
    void **pointers = memory_zeroed(l->argument_count, sizeof *pointers);
    haul_status status = values && pointers
                             ? launch(m, l, f, run, values, pointers)
                             : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "kernel %s: no memory for its arguments", l->kernel);
    memory_free(values);
    memory_free(pointers);
    return status;
}
