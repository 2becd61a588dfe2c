/* Implements cli/session.h: which files hold kernels, how they are compiled and loaded, which kernel a launch means,
 * and running it.
 *
 * Operands are sorted by their names: PTX and CUDA source are kernels, every other operand is a file of launches.
 * Launches can also name their PTX themselves (`ptx` in a launch file). A kernel is found by name among all symbols of
 * all modules (lib/kernel_name.h), so that neither the user nor a launch file has to say which file it is in, unless
 * several files have it. Buffers and the launch itself are in lib/launch; this file keeps only the last launch's
 * record. */
#include "cli/session.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "cli/measure.h"
#include "cli/progress.h"
#include "lib/compile.h"
#include "lib/device.h"
#include "lib/kernel_name.h"
#include "vgpu/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_fail(const char *command) {
    progress_clear();
    fflush(stdout);
    if (!progress_is_late()) fprintf(stderr, "haul %s: %s\n", command, haul_message());
    return CLI_ERROR;
}

/* Options that were not given stay 0, which stands for the device's default. */
haul_device_options cli_device_options(const cli_values *v) {
    return (haul_device_options){.threads = cli_u32(v->threads),
                                 .instruction_limit = v->limit,
                                 .memory_bytes = v->memory,
                                 .heap_bytes = v->heap,
                                 .stack_bytes = v->stack,
                                 .sample_blocks = v->sample,
                                 .most_registers = cli_u32(v->most_registers)};
}

/* ---- kernels ---- */

static bool has_suffix(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

/* Whether an operand is a file of kernels, not of launches. */
static bool is_kernels(const char *path) {
    return has_suffix(path, ".ptx") || compile_is_source(path);
}

/* Returns the file's name without folder and extension, for the caller to free; NULL if there is no memory. A leading
 * dot begins no extension. */
static char *stem_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char *stem = memory_alloc(length + 1);
    if (stem) memcpy(stem, name, length), stem[length] = '\0';
    return stem;
}

/* Returns the architecture to compile for: --arch, or that of the device that will run the code, written to `buffer`.
 * NULL, the compiler's default, if the device does not tell. */
static const char *architecture_of(const haul_device *device, const cli_values *v, char buffer[32]) {
    if (v->arch) return v->arch;
    int major, minor;
    if (device->driver->device_attribute(&major, DRIVER_DEVICE_MAJOR, device->handle) != CUDA_SUCCESS ||
        device->driver->device_attribute(&minor, DRIVER_DEVICE_MINOR, device->handle) != CUDA_SUCCESS)
        return NULL;
    snprintf(buffer, 32, "sm_%d%d", major, minor);
    return buffer;
}

/* Shows the compiler's messages on standard error also if it succeeds: warnings matter to the user. */
static haul_status compile_with(const char *path, const compile_options *options, const cli_values *v, text *ptx) {
    text messages = {0};
    haul_status status = compile_source(path, options, ptx, &messages);
    if (messages.length && !v->quiet) fputs(text_string(&messages), stderr);
    text_free(&messages);
    return status;
}

/* Makes the compiler's flags from --include and --define. */
static haul_status compile(const haul_device *device, const cli_values *v, const char *path, text *ptx) {
    size_t count = 0;
    /* an option and its value are two words */
    const char **flags = memory_zeroed(2 * (v->include.count + v->define.count), sizeof *flags);
    if (!flags) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory to start the compiler");
    for (size_t i = 0; i < v->include.count; i++) flags[count++] = "-I", flags[count++] = v->include.items[i];
    for (size_t i = 0; i < v->define.count; i++) flags[count++] = "-D", flags[count++] = v->define.items[i];
    char buffer[32];
    compile_options options = {v->compiler, architecture_of(device, v, buffer), flags, count, v->link};
    haul_status status = compile_with(path, &options, v, ptx);
    memory_free((void *)flags);
    return status;
}

static haul_status read_ptx(cli_session *s, const cli_values *v, cli_module *m) {
    return compile_is_source(m->path) ? compile(s->device, v, m->path, &m->ptx) : file_read(m->path, &m->ptx);
}

static bool has_module(const cli_session *s, const char *path) {
    for (size_t i = 0; i < s->module_count; i++)
        if (strcmp(s->modules[i].path, path) == 0) return true;
    return false;
}

/* Lists all files of kernels, without reading them: those of --ptx, then operands, then those that launches name. A
 * file that several launches name is listed once. Fails if there is none. */
static haul_status name_modules(cli_session *s, const cli_values *v) {
    s->modules = memory_zeroed(v->ptx.count + v->operands.count + s->launches.count, sizeof *s->modules);
    if (!s->modules) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the kernels");
    for (size_t i = 0; i < v->ptx.count; i++) s->modules[s->module_count++].path = v->ptx.items[i];
    for (size_t i = 0; i < v->operands.count; i++)
        if (is_kernels(v->operands.items[i])) s->modules[s->module_count++].path = v->operands.items[i];
    for (size_t i = 0; i < s->launches.count; i++) {
        const char *path = s->launches.items[i].ptx;
        if (path && !has_module(s, path)) s->modules[s->module_count++].path = path;
    }
    for (size_t i = 0; i < s->module_count; i++) {
        s->modules[i].stem = stem_of(s->modules[i].path);
        if (!s->modules[i].stem)
            return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its kernels", s->modules[i].path);
    }
    if (s->module_count) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "no kernels given: add --ptx FILE, PTX or CUDA source");
}

/* Linked files share one module, the first one's. */
static bool has_own_module(const cli_session *s, size_t i) {
    return i == 0 || s->modules[i].module != s->modules[0].module;
}

static haul_status link_on(const cli_session *s, haul_device *device, haul_module **linked) {
    haul_ptx *parts = memory_zeroed(s->module_count, sizeof *parts);
    if (!parts) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the kernels");
    for (size_t i = 0; i < s->module_count; i++)
        parts[i] = (haul_ptx){s->modules[i].path, text_string(&s->modules[i].ptx), s->modules[i].ptx.length};
    const haul_status status = haul_module_link(device, "linked PTX", parts, s->module_count, linked);
    memory_free(parts);
    return status;
}

/* Links all files into one module, which stands for each of them. */
static haul_status link_modules(cli_session *s) {
    haul_module *linked;
    HAUL_TRY(link_on(s, s->device, &linked));
    for (size_t i = 0; i < s->module_count; i++) s->modules[i].module = linked;
    return HAUL_OK;
}

haul_status cli_session_load_on(const cli_session *s, haul_device *device, haul_module **module) {
    const cli_module *m = s->used;
    if (s->module_count > 1 && s->modules[0].module == s->modules[1].module) return link_on(s, device, module);
    return haul_module_load(device, m->path, text_string(&m->ptx), m->ptx.length, module);
}

static haul_status load_each(cli_session *s) {
    for (size_t i = 0; i < s->module_count; i++) {
        cli_module *m = &s->modules[i];
        HAUL_TRY(haul_module_load(s->device, m->path, text_string(&m->ptx), m->ptx.length, &m->module));
    }
    return HAUL_OK;
}

/* Compiles or reads all files before the first is loaded, because linking needs them all. */
static haul_status load_modules(cli_session *s, const cli_values *v) {
    haul_status status = name_modules(s, v);
    for (size_t i = 0; i < s->module_count && status == HAUL_OK; i++) status = read_ptx(s, v, &s->modules[i]);
    if (status == HAUL_OK) status = v->link && s->module_count > 1 ? link_modules(s) : load_each(s);
    return status;
}

/* ---- launches ---- */

/* Reads --window and --set-aside. The window must be one of the launch's buffers, since it is a range of addresses. */
static haul_status take_l2(const cli_values *v, launch_description *d) {
    if (v->window) HAUL_TRY(launch_parse_window(v->window, &d->l2));
    d->l2.given |= v->set_aside > 0;
    d->l2.set_aside = v->set_aside;
    const size_t at = d->l2.argument;
    if (!d->l2.has_window || (at < d->argument_count && d->arguments[at].kind == HAUL_ARGUMENT_BUFFER)) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "--window %s: argument %zu is not a buffer", v->window, at);
}

/* A launch that is smaller than it was meant to be gives a table, too. */
static const char *note_of(const cli_values *v) {
    if (!v->block && !v->grid) return "neither --grid nor --block is given: the launch has 1 block of 1 thread";
    if (!v->block) return "--block is not given: the launch has 1 thread a block";
    return v->grid ? NULL : "--grid is not given: the launch has 1 block";
}

/* Describes the launch of --kernel as a line of a launch file would. Its strings and arguments live in the list's
 * memory. us = -1: no time is recorded. */
static haul_status launch_of_options(cli_session *s, const cli_values *v) {
    launch_description d = {.where = "--kernel", .kernel = v->kernel, .us = -1, .argument_count = v->arg.count};
    if (v->smem > UINT32_MAX) return haul_fail(HAUL_ERROR_ARGUMENT, "--smem: no device has that much shared memory");
    d.shared_bytes = (uint32_t)v->smem;
    if (!v->quiet) s->note = note_of(v);
    HAUL_TRY(launch_parse_extent("--grid", v->grid ? v->grid : "1", d.grid));
    HAUL_TRY(launch_parse_extent("--block", v->block ? v->block : "1", d.block));
    if (v->cluster) HAUL_TRY(launch_parse_extent("--cluster", v->cluster, d.cluster));
    d.arguments = ARENA_ARRAY(&s->launches.memory, v->arg.count + v->global.count, launch_argument);
    if (!d.arguments) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the launch");
    for (size_t i = 0; i < v->arg.count; i++)
        HAUL_TRY(launch_parse_argument(&s->launches, v->arg.items[i], &d.arguments[i]));
    for (; d.variable_count < v->global.count; d.variable_count++)
        HAUL_TRY(launch_parse_variable(&s->launches, v->global.items[d.variable_count],
                                       &d.arguments[d.argument_count + d.variable_count]));
    HAUL_TRY(launch_place_fields(&s->launches, &d));
    HAUL_TRY(take_l2(v, &d));
    return launch_append(&s->launches, &d) ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the launch");
}

/* The launch of the options comes first, then those of the files in the order of the command line. */
static haul_status read_launches(cli_session *s, const cli_values *v) {
    const bool describes =
        v->grid || v->block || v->cluster || v->arg.count || v->global.count || v->smem || v->window || v->set_aside;
    if (!v->kernel && describes)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--grid, --block, --cluster, --smem, --arg, --global, --window and "
                                              "--set-aside describe a launch: add --kernel NAME");
    if (v->kernel) HAUL_TRY(launch_of_options(s, v));
    for (size_t i = 0; i < v->operands.count; i++) {
        if (!is_kernels(v->operands.items[i])) HAUL_TRY(launch_read_file(&s->launches, v->operands.items[i]));
    }
    if (s->launches.count) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT,
                     "no launches given: name a LAUNCHES.jsonl, or add --kernel NAME --grid N --block N");
}

/* The sink for what kernels print: standard error, after the line of progress is removed. */
static void print_aside(void *context, const char *bytes, size_t length) {
    (void)context;
    progress_clear();
    fwrite(bytes, 1, length, stderr);
}

static void discard(void *context, const char *bytes, size_t length) {
    (void)context, (void)bytes, (void)length;
}

static void show_prints(const haul_device *d, bool shown) {
    if (haul_device_is_virtual(d) && device_enter(d) == HAUL_OK)
        d->extras->set_print((sim_print_sink){shown ? print_aside : discard, NULL});
}

void cli_session_show_prints(const cli_session *s, bool shown) {
    for (size_t i = 1; i < s->device_count; i++) show_prints(s->devices[i], shown);
    show_prints(s->device, shown);
}

/* Kernels' printf() does not go to the command's output, which may be JSON. */
static haul_status open_device(cli_session *s, const char *name, const haul_device_options *options) {
    HAUL_TRY(haul_device_open(name, options, &s->device));
    cli_session_show_prints(s, true);
    return HAUL_OK;
}

/* Launches come first: reading them is quick, so errors in them show before anything is compiled. */
haul_status cli_session_open_on(cli_session *s, const cli_values *v, const char *device,
                                const haul_device_options *options) {
    *s = (cli_session){0};
    HAUL_TRY(read_launches(s, v));
    HAUL_TRY(open_device(s, device, options));
    return load_modules(s, v);
}

haul_status cli_session_open(cli_session *s, const cli_values *v) {
    haul_device_options options = cli_device_options(v);
    return cli_session_open_on(s, v, v->device ? v->device : "auto", &options);
}

/* Without launches every operand must be a file of kernels. */
haul_status cli_session_open_kernels(cli_session *s, const cli_values *v, const char *devices) {
    const haul_device_options options = cli_device_options(v);
    *s = (cli_session){0};
    for (size_t i = 0; i < v->operands.count; i++)
        if (!is_kernels(v->operands.items[i]))
            return haul_fail(HAUL_ERROR_ARGUMENT, "%s: neither PTX (.ptx) nor CUDA source (.cu)", v->operands.items[i]);
    HAUL_TRY(haul_devices_open(devices, &options, s->devices, &s->device_count));
    s->device = s->devices[0];
    cli_session_show_prints(s, true);
    return v->ptx.count || v->operands.count ? load_modules(s, v) : HAUL_OK;
}

/* Modules are unloaded before their device closes. A linked module is unloaded once, with the first file. */
void cli_session_close(cli_session *s) {
    haul_run_free(s->run);
    ncu_report_free(&s->counters);
    for (size_t i = 0; i < s->module_count; i++) {
        if (has_own_module(s, i)) haul_module_unload(s->modules[i].module);
        memory_free(s->modules[i].stem);
        text_free(&s->modules[i].ptx);
    }
    memory_free(s->modules);
    for (size_t i = 1; i < s->device_count; i++) haul_device_close(s->devices[i]);
    haul_device_close(s->device);
    launch_list_free(&s->launches);
    *s = (cli_session){0};
}

/* ---- finding a launch's kernel ---- */

/* Kernels of several modules, as kernel_name_find() takes them: parallel arrays. */
typedef struct kernel_list {
    const char **symbols;       /* of the modules */
    const cli_module **modules; /* of each symbol */
    size_t *found;              /* room for the indices of those that match */
    size_t count;
} kernel_list;

static void free_kernels(kernel_list *k) {
    memory_free((void *)k->symbols);
    memory_free((void *)k->modules);
    memory_free(k->found);
    *k = (kernel_list){0};
}

/* Whether kernels of the module are to be listed: those of files with that stem, or, if it is NULL, of all files.
 * Linked files share a module, which is then listed once. */
static bool lists(const cli_session *s, size_t module, const char *stem) {
    return stem ? strcmp(s->modules[module].stem, stem) == 0 : has_own_module(s, module);
}

/* Fills the list with the kernels of the files with that stem (NULL: all). Call free_kernels() also after an error. */
static haul_status list_kernels(const cli_session *s, const char *stem, kernel_list *k) {
    size_t most = 0;
    *k = (kernel_list){0};
    for (size_t i = 0; i < s->module_count; i++)
        if (lists(s, i, stem)) most += haul_module_kernel_count(s->modules[i].module);
    k->symbols = memory_zeroed(most, sizeof *k->symbols);
    k->modules = memory_zeroed(most, sizeof *k->modules);
    k->found = memory_zeroed(most, sizeof *k->found);
    if (!k->symbols || !k->modules || !k->found)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the kernels' names");
    for (size_t i = 0; i < s->module_count; i++) {
        const size_t count = lists(s, i, stem) ? haul_module_kernel_count(s->modules[i].module) : 0;
        for (size_t f = 0; f < count; f++) {
            k->modules[k->count] = &s->modules[i];
            k->symbols[k->count++] = haul_module_kernel_name(s->modules[i].module, f);
        }
    }
    return HAUL_OK;
}

static const char *where_looked(const cli_session *s) {
    return s->module_count == 1 ? s->modules[0].path : "the PTX files";
}

/* Fails for a name that matches several kernels. If their symbols differ, the user can write more of the declaration.
 * If several files have the same symbol, a launch's `file` selects one. */
static haul_status several(const kernel_list *k, const char *name, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (strcmp(k->symbols[k->found[i]], k->symbols[k->found[0]]) != 0)
            return kernel_name_ambiguous(name, k->symbols, k->found, count);
    return haul_fail(HAUL_ERROR_ARGUMENT,
                     "kernel `%s` is in %s and in %s: give one of them, or name it as `file` in a launch file", name,
                     k->modules[k->found[0]]->path, k->modules[k->found[1]]->path);
}

/* Sets d->entry and s->used if exactly one kernel in the files with that stem has the name. HAUL_OK without an entry
 * means that none has it; only a search in all files (`stem` NULL) makes an error of that, because a `file` is only a
 * hint. */
static haul_status look_up(cli_session *s, launch_description *d, const char *stem) {
    kernel_list k;
    haul_status status = list_kernels(s, stem, &k);
    const size_t count = status == HAUL_OK ? kernel_name_find(d->kernel, k.symbols, k.count, k.found) : 0;
    if (count > 1) status = several(&k, d->kernel, count);
    if (count == 1) {
        d->entry = k.symbols[k.found[0]];
        s->used = k.modules[k.found[0]];
    }
    if (status == HAUL_OK && !count && !stem)
        status = kernel_name_unknown(d->kernel, where_looked(s), k.symbols, k.count);
    free_kernels(&k);
    return status;
}

/* Looks in the modules of the launch's `file` or `ptx` first, then in all. */
haul_status cli_session_find(cli_session *s, launch_description *d) {
    char *stem = d->ptx && !d->file ? stem_of(d->ptx) : NULL;
    const char *file = d->file ? d->file : stem;
    d->entry = NULL;
    haul_status status = file ? look_up(s, d, file) : HAUL_OK;
    memory_free(stem);
    if (status == HAUL_OK && !d->entry) status = look_up(s, d, NULL);
    return status == HAUL_OK ? HAUL_OK : haul_fail_in(status, "%s", d->where);
}

haul_status cli_session_kernel(cli_session *s, const char *name, haul_module **module, const char **symbol) {
    launch_description d = {.where = "--kernel", .kernel = name};
    HAUL_TRY(cli_session_find(s, &d));
    *module = s->used->module;
    *symbol = d.entry;
    return HAUL_OK;
}

/* Once, though a command may have a session for each of two devices. */
static void say_note(const cli_session *s) {
    static bool said;
    if (!s->note || said) return;
    said = true;
    progress_clear();
    fprintf(stderr, "note: %s\n", s->note);
}

/* The index in the list, which progress and ncu's counters need, is that of the description: `d` must be an element of
 * s->launches. */
haul_status cli_session_run(cli_session *s, launch_description *d, const haul_launch_record **record) {
    *record = NULL;
    progress_launch((size_t)(d - s->launches.items) + 1, s->launches.count);
    HAUL_TRY(cli_session_find(s, d));
    haul_run_free(s->run);
    s->run = NULL;
    HAUL_TRY(haul_run_create(s->device, &s->run));
    haul_status status = launch_run(s->device, s->used->module, d, s->run);
    /* the launch never began */
    if (!s->run->launch_count) return status;
    haul_launch_record *last = &s->run->launches[s->run->launch_count - 1];
    last->opted_in = d->opted_in;
    if (status == HAUL_OK && s->counters.count) status = ncu_fill(&s->counters, (size_t)(d - s->launches.items), last);
    *record = last;
    if (status == HAUL_OK) say_note(s);
    return status;
}

haul_status cli_session_run_orders(cli_session *s, const cli_values *v, launch_description *d, launch_orders *orders,
                                   const haul_launch_record **record) {
    const haul_device_options options = cli_device_options(v);
    *orders = (launch_orders){0};
    if (v->schedules < 2 || !haul_device_is_virtual(s->device)) return cli_session_run(s, d, record);
    *record = NULL;
    progress_launch((size_t)(d - s->launches.items) + 1, s->launches.count);
    HAUL_TRY(cli_session_find(s, d));
    haul_run_free(s->run);
    s->run = NULL;
    const haul_status status =
        launch_orders_run(s->device, s->used->module, d, &options, v->schedules, orders, &s->run, record);
    cli_session_show_prints(s, true);
    if (status == HAUL_OK) say_note(s);
    return status;
}

/* A virtual GPU needs no timing: its record has an estimate. On a GPU the launch is repeated, after the run that
 * counted. */
haul_status cli_session_time(cli_session *s, const cli_values *v, launch_description *d) {
    if (haul_device_is_virtual(s->device)) return HAUL_OK;
    return launch_time(s->device, s->used->module, d, cli_u32(v->repeat), &s->run->launches[s->run->launch_count - 1]);
}

/* Repeats the launches without ncu, because ncu reports only that a kernel failed: the driver says how and which. */
static haul_status find_fault(cli_session *s, haul_status status) {
    char message[1024];
    const haul_launch_record *record;
    snprintf(message, sizeof message, "%s", haul_message());
    for (size_t i = 0; i < s->launches.count; i++) HAUL_TRY(cli_session_run(s, &s->launches.items[i], &record));
    return haul_fail(status, "%s; without ncu the launches do not fail", message);
}

static haul_status check_rereadable(const cli_values *v) {
    for (size_t i = 0; i < v->operands.count; i++) {
        if (strcmp(v->operands.items[i], "-") == 0)
            return haul_fail(HAUL_ERROR_ARGUMENT,
                             "launches from standard input cannot be read again under ncu: put them in a file");
    }
    return HAUL_OK;
}

/* haul starts `haul replay --once` under ncu, whatever the command is: it makes the same launches in the same order. */
haul_status cli_session_read_counters(cli_session *s, const cli_values *v, unsigned readings) {
    if (haul_device_is_virtual(s->device)) return HAUL_OK;
    HAUL_TRY(check_rereadable(v));
    haul_status status = cli_measure("replay", v, s->device, readings, &s->counters);
    if (status == HAUL_ERROR_FAULT) return find_fault(s, status);
    HAUL_TRY(status);
    if (s->counters.count == s->launches.count) return HAUL_OK;
    return haul_fail(HAUL_ERROR_SYNTAX,
                     "ncu: saw %zu of %zu launches: run it again, or let the virtual GPU count (--device sim:h100)",
                     s->counters.count, s->launches.count);
}
