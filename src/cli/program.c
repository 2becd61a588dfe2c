/* Starts a CUDA program with haul's libraries in it (cli/program.h).
 *
 * haul checks all options, sets environment variables and then becomes the program with execvp(). Nothing of haul's
 * command remains, so the program has its terminal, signals and exit status to itself, and options reach the stand-in
 * only through the environment (standin/environment.h, standin/settings.def). Mistakes should therefore be found here:
 * later their messages would stand between lines of the program.
 *
 * On the virtual GPU three variables of the loader lead the program to the stand-in. LD_PRELOAD takes the calls of
 * programs that link the runtime or the driver, LD_LIBRARY_PATH serves programs that open a library by name, and
 * LD_AUDIT those that open it by path. On a GPU only `profile` loads a library, which times launches in front of the
 * real driver. */
#include "cli/program.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/parts.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "cli/watch.h"
#include "driver/driver.h"
#include "lib/device.h"
#include "report/check/check.h"
#include "vgpu/driver.h"
#include "standin/audit/audit.h"
#include "standin/saved.h"
#include "lib/name_filter.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libhaul_standin.so"
#define TIMING "gpu/libcuda.so.1"

/* Values of STANDIN_TASK; also the commands' names, for messages. */
static const char *const task_names[] = {
#define TASK(id, name) [STANDIN_##id] = name,
    STANDIN_TASKS(TASK)
#undef TASK
};

/* ---- checks before the program runs ---- */

static bool is_gpu(const char *name) {
    return strcmp(name, "gpu") == 0 || strncmp(name, "gpu:", 4) == 0;
}

/* Refuses options and commands that the real driver cannot serve. HAUL_OK for virtual GPUs. */
static haul_status check_gpu(const char *name, const cli_values *v, standin_task task) {
    if (!is_gpu(name)) return HAUL_OK;
    if (v->only_streams.count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--stream is for virtual GPUs: on a GPU the driver has its own numbers");
    if (task == STANDIN_CHECK)
        return haul_fail(
            HAUL_ERROR_ARGUMENT,
            "--device %s: haul checks programs on the virtual GPU only: use --device sim:h100, or NVIDIA's "
            "compute-sanitizer on the GPU",
            name);
    if (task == STANDIN_RECORD)
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "--device %s: launches are recorded on the virtual GPU only: use --device sim:h100", name);
    return HAUL_OK;
}

/* Opens the device and closes it again, so that a wrong name or schedule fails before the program starts. */
static haul_status check_device(const cli_values *v, const char *name, standin_task task) {
    haul_device *device;
    haul_device_options options = cli_device_options(v);
    HAUL_TRY(check_gpu(name, v, task));
    if (v->schedule) HAUL_TRY(device_read_schedule(v->schedule, &options));
    HAUL_TRY(haul_device_open(name, &options, &device));
    haul_device_close(device);
    return HAUL_OK;
}

/* Reads the files of expectations and suppressions for their errors only. The stand-in reads them again. */
static haul_status check_rules(const cli_values *v) {
    report_sources sources = {0};
    report_checker checker = {0};
    const report_check_options options = {v->expect, v->suppress, v->ignore, v->grade};
    const haul_status status = report_checker_open(&checker, &sources, &options);
    report_checker_free(&checker);
    return status;
}

/* Streams are numbers, because a program's streams have no names. */
static haul_status check_streams(text_list streams) {
    for (size_t i = 0; i < streams.count; i++)
        if (!*streams.items[i] || streams.items[i][strspn(streams.items[i], "0123456789")])
            return haul_fail(HAUL_ERROR_ARGUMENT, "--stream %s: give a stream's number: 0 is the default stream",
                             streams.items[i]);
    return HAUL_OK;
}

static haul_status check_filter(const cli_values *v) {
    for (size_t i = 0; i < v->only_kernels.count; i++)
        HAUL_TRY(name_filter_check("--kernel", v->only_kernels.items[i]));
    for (size_t i = 0; i < v->only_ranges.count; i++) HAUL_TRY(name_filter_check("--range", v->only_ranges.items[i]));
    return check_streams(v->only_streams);
}

/* A report of an earlier run would be mistaken for one of this program's processes. */
static haul_status clear_output(const char *path) {
    if (!path) return HAUL_OK;
    HAUL_TRY(file_check_output(path));
    if (strncmp(path, "/dev/", 5) != 0) unlink(path);
    return HAUL_OK;
}

/* Checks everything that the stand-in will rely on, and removes reports of earlier runs. */
static haul_status check_values(const cli_values *v, standin_task task, const char *device) {
    if (!v->program || !*v->program)
        return haul_fail(HAUL_ERROR_ARGUMENT, "no program is given: haul %s -- PROGRAM ARG...", task_names[task]);
    if (v->operands.count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "`%s` comes before `--`: give files or a program, not both",
                         v->operands.items[0]);
    if (task == STANDIN_RECORD && !v->record)
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "a program's launches must be recorded: haul replay --record FILE.jsonl -- "
                         "PROGRAM ARG...");
    if (v->gpus > SIM_MOST_DEVICES)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--gpus %llu: a program has 1 to %d virtual GPUs",
                         (unsigned long long)v->gpus, SIM_MOST_DEVICES);
    HAUL_TRY(check_device(v, device, task));
    HAUL_TRY(check_rules(v));
    HAUL_TRY(check_filter(v));
    HAUL_TRY(cli_check_csv(v));
    if (v->csv && is_gpu(device))
        return haul_fail(HAUL_ERROR_ARGUMENT, "--csv: for a program on a GPU use Nsight Compute's ncu itself");
    HAUL_TRY(clear_output(v->report));
    if (v->trace && is_gpu(device))
        return haul_fail(HAUL_ERROR_ARGUMENT, "--timeline: is for the virtual GPU: use --device sim:h100");
    HAUL_TRY(clear_output(v->html));
    HAUL_TRY(clear_output(v->trace));
    HAUL_TRY(clear_output(v->sarif));
    HAUL_TRY(clear_output(v->junit));
    return clear_output(v->record);
}

/* ---- the environment ---- */

/* `value` is NULL if it could not be made: all callers pass the results of arena_printf() on. */
static haul_status put(const char *variable, const char *value) {
    if (value && setenv(variable, value, 1) == 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the program's environment");
}

/* Prepends the new value and keeps the one that the user has set. */
static haul_status put_in_front(const char *variable, const char *value, arena *memory) {
    const char *old = getenv(variable);
    return put(variable, old && *old ? arena_printf(memory, "%s:%s", value, old) : value);
}

/* put_<KIND> sets a variable from an option of that kind, for settings.def. Options that were not given are set to the
 * empty text, so that a haul inside a haul does not inherit the outer one's. */
static haul_status put_STRING(const char *variable, const char *value, arena *memory) {
    (void)memory;
    return put(variable, value ? value : "");
}

static haul_status put_FLAG(const char *variable, bool value, arena *memory) {
    (void)memory;
    return put(variable, value ? "1" : "");
}

static haul_status put_NUMBER(const char *variable, uint64_t value, arena *memory) {
    return put(variable, value ? arena_printf(memory, "%llu", (unsigned long long)value) : "");
}

static haul_status put_LIST(const char *variable, text_list list, arena *memory) {
    const char *all = "";
    for (size_t i = 0; i < list.count && all; i++)
        all = i ? arena_printf(memory, "%s%c%s", all, STANDIN_BETWEEN, list.items[i]) : list.items[i];
    return put(variable, all);
}

/* Returns the path from the root on, because the program may change its folder. The path itself if the folder is
 * unknown; NULL for NULL, or if there is no memory. */
static const char *absolute(const char *path, arena *memory) {
    char *folder = !path || *path == '/' ? NULL : getcwd(NULL, 0);
    const char *whole = folder ? arena_printf(memory, "%s/%s", folder, path) : path;
    free(folder);
    return whole;
}

static haul_status put_PATH(const char *variable, const char *path, arena *memory) {
    return put_STRING(variable, absolute(path, memory), memory);
}

static haul_status put_PATHS(const char *variable, text_list list, arena *memory) {
    const char **items = ARENA_ARRAY(memory, list.count, const char *);
    if (list.count && !items) return put(variable, NULL);
    for (size_t i = 0; i < list.count; i++) items[i] = absolute(list.items[i], memory);
    return put_LIST(variable, (text_list){items, list.count}, memory);
}

/* One line of settings.def for each option that the stand-in reads. */
static haul_status put_settings(const cli_values *v, arena *memory) {
#define SETTING(kind, field, NAME) HAUL_TRY(put_##kind(STANDIN_VARIABLE(NAME), v->field, memory));
#include "standin/settings.def"
    return HAUL_OK;
}

/* Sets the variables of frameworks.def that the user has not set, and puts shims in place of nvcc and ptxas. `folder`:
 * of the stand-in. */
static haul_status put_frameworks(const char *folder, arena *memory) {
    static const struct {
        const char *name, *part, *text;
    } variables[] = {
#define VARIABLE(name, part, text) {name, part, text},
#include "cli/frameworks.def"
#undef VARIABLE
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *part = variables[i].part, *set = getenv(variables[i].name);
        if (set && *set) continue;
        HAUL_TRY(put(variables[i].name, part ? arena_printf(memory, "%s%s", folder, part) : variables[i].text));
    }
    HAUL_TRY(put("HAUL_PROGRAM", cli_own_path(memory))); /* for shims/nvcc */
    return put_in_front("PATH", arena_printf(memory, "%s/shims", folder), memory);
}

/* For the virtual GPU. Frameworks that call nvcc find the shim, which asks HAUL_PROGRAM for haul. */
static haul_status set_environment(const cli_values *v, standin_task task, arena *memory) {
    const char *library = cli_find_part("standin/" NAME, memory);
    if (!library)
        return haul_fail(HAUL_ERROR_NOT_FOUND, NAME " is missing: build or install haul again, without sanitizers");
    HAUL_TRY(put(STANDIN_TASK, task_names[task]));
    HAUL_TRY(put(STANDIN_SAVED, ""));
    HAUL_TRY(put_settings(v, memory));
    HAUL_TRY(put_in_front("LD_PRELOAD", library, memory));
    /* NVTX, in programs that mark ranges, loads this library as its listener */
    HAUL_TRY(put("NVTX_INJECTION64_PATH", library));
    const char *folder = arena_copy(memory, library, strlen(library) - strlen("/" NAME));
    HAUL_TRY(put_frameworks(folder, memory));
    HAUL_TRY(put(AUDIT_FOLDER, folder));
    HAUL_TRY(put_in_front("LD_AUDIT", arena_printf(memory, "%s/libhaul_audit.so", folder), memory));
    return put_in_front("LD_LIBRARY_PATH", folder, memory);
}

/* ---- the environment on a GPU ---- */

/* Shows the program only one GPU: number `number` of those that it would see. */
static haul_status put_visible(uint64_t number, arena *memory) {
    static const char variable[] = "CUDA_VISIBLE_DEVICES";
    const char *list = getenv(variable), *next = list;
    if (!list) return put(variable, arena_printf(memory, "%llu", (unsigned long long)number));
    for (; number && *next; number--) next += strcspn(next, ",") + (next[strcspn(next, ",")] == ',');
    return put(variable, arena_copy(memory, next, strcspn(next, ",")));
}

/* LD_PRELOAD puts the library that times launches in front of the driver; LD_LIBRARY_PATH serves programs that search
 * for libcuda.so. */
static haul_status put_timing(const cli_values *given, arena *memory) {
    cli_values v = *given;
    const char *library = cli_find_part(TIMING, memory);
    if (!library)
        return haul_fail(HAUL_ERROR_NOT_FOUND, TIMING " is missing: build or install haul again, on x86-64 and "
                                                      "without sanitizers");
    const char *folder = arena_copy(memory, library, (size_t)(strrchr(library, '/') - library));
    v.device = NULL; /* the device that the program sees */
    if (!v.launches) v.launches = UINT64_MAX;
    HAUL_TRY(put_settings(&v, memory));
    HAUL_TRY(put(STANDIN_TASK, ""));
    HAUL_TRY(put_PATH(DRIVER_PATH, driver_path(), memory));
    HAUL_TRY(put("NVTX_INJECTION64_PATH", library));
    HAUL_TRY(put_in_front("LD_PRELOAD", library, memory));
    return put_in_front("LD_LIBRARY_PATH", folder, memory);
}

/* For a GPU: shows only the one that --device names, and loads the timing library for `profile`. */
static haul_status set_gpu_environment(const cli_values *v, standin_task task, arena *memory) {
    const char *colon = strchr(v->device, ':');
    HAUL_TRY(put_visible(colon ? strtoull(colon + 1, NULL, 10) : 0, memory));
    return task == STANDIN_PROFILE ? put_timing(v, memory) : HAUL_OK;
}

/* Makes "sim:h200x4" the settings `device` and `gpus`. */
static haul_status take_number(cli_values *v, arena *memory) {
    size_t length;
    unsigned number;
    HAUL_TRY(device_split_number(v->device, &length, &number));
    if (!v->device[length]) return HAUL_OK;
    if (v->gpus && v->gpus != number)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--device %s and --gpus %llu: give the number of GPUs once", v->device,
                         (unsigned long long)v->gpus);
    v->gpus = number;
    v->device = arena_copy(memory, v->device, length);
    return v->device ? HAUL_OK : haul_no_memory("the device's name");
}

static bool is_elf(const char *path) {
    char magic[SELFMAG] = "";
    FILE *file = fopen(path, "rb");
    const bool whole = file && fread(magic, 1, sizeof magic, file) == sizeof magic;
    if (file) fclose(file);
    return whole && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* Returns only with an error. execvp() would have a shell run a broken program as a script. */
static void execute(char **program) {
    if (strchr(*program, '/') && is_elf(*program))
        execv(*program, program);
    else
        execvp(*program, program);
}

/* Returns only with an error. `auto` is the virtual GPU here, also on machines with a GPU. */
static haul_status become(const cli_values *given, standin_task task, arena *memory) {
    cli_values v = *given;
    if (!v.device || strcmp(v.device, "auto") == 0) v.device = "sim";
    HAUL_TRY(take_number(&v, memory));
    HAUL_TRY(check_values(&v, task, v.device));
    HAUL_TRY(is_gpu(v.device) ? set_gpu_environment(&v, task, memory) : set_environment(&v, task, memory));
    if (task != STANDIN_RUN && !is_gpu(v.device)) cli_watch(v.quiet, memory);
    execute(v.program);
    const int error = errno;
    cli_unwatch();
    return haul_fail(HAUL_ERROR_FILE, "%s: cannot be run: %s", *v.program, strerror(error));
}

int cli_become_program(const cli_values *values, standin_task task) {
    arena memory = {0};
    const haul_status status = become(values, task, &memory);
    arena_free(&memory);
    return status == HAUL_OK ? CLI_FINE : cli_fail(task_names[task]);
}
