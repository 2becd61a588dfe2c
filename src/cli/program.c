#include "cli/program.h"

#include "base/arena.h"
#include "base/status.h"
#include "cli/session.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libhaul_standin.so"

static const char *const task_names[] = {
#define TASK(id, name) [STANDIN_##id] = name,
    STANDIN_TASKS(TASK)
#undef TASK
};

/* The folder of the stand-in: beside this program, as a build leaves it, or where an installation has it. */
static const char *find_folder(arena *memory) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    while (length > 0 && path[length - 1] != '/') length--;
    const char *own = length > 0 ? arena_copy(memory, path, (size_t)length) : NULL;
    const char *places[] = {own ? arena_printf(memory, "%sstandin", own) : NULL,
                            own ? arena_printf(memory, "%s../lib/haul/standin", own) : NULL, HAUL_STANDIN_INSTALLED};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *library = places[i] ? arena_printf(memory, "%s/" NAME, places[i]) : NULL;
        if (library && access(library, R_OK) == 0) return places[i];
    }
    return NULL;
}

/* What the user has set there already comes behind. */
static haul_status put_in_front(const char *variable, const char *value, arena *memory) {
    const char *old = getenv(variable);
    const char *all = old && *old ? arena_printf(memory, "%s:%s", value, old) : value;
    if (all && setenv(variable, all, 1) == 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the program's environment");
}

/* A device that there is not should be told before the program runs. */
static haul_status check_device(const char *name) {
    haul_device *device;
    if (strncmp(name, "sim", 3) != 0)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--device %s: programs run on the virtual GPU: give a sim:MACHINE", name);
    HAUL_TRY(haul_device_open(name, NULL, &device));
    haul_device_close(device);
    return HAUL_OK;
}

static haul_status set_environment(const cli_values *v, standin_task task, arena *memory) {
    const char *device = v->device && strcmp(v->device, "auto") != 0 ? v->device : "sim";
    HAUL_TRY(check_device(device));
    const char *folder = find_folder(memory);
    if (!folder)
        return haul_fail(HAUL_ERROR_NOT_FOUND, NAME " is not there: build or install haul anew, without sanitizers");
    const char *library = arena_printf(memory, "%s/" NAME, folder);
    const char *launches = arena_printf(memory, "%llu", (unsigned long long)v->launches);
    if (!library || !launches || setenv(STANDIN_TASK, task_names[task], 1) || setenv(STANDIN_DEVICE, device, 1) ||
        setenv(STANDIN_LAUNCHES, launches, 1))
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the program's environment");
    HAUL_TRY(put_in_front("LD_PRELOAD", library, memory));
    return put_in_front("LD_LIBRARY_PATH", folder, memory);
}

static haul_status become(const cli_values *v, standin_task task, arena *memory) {
    if (!v->program || !*v->program)
        return haul_fail(HAUL_ERROR_ARGUMENT, "no program is given: haul %s -- PROGRAM ARG...", task_names[task]);
    if (v->operands.count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "`%s` stands in front of `--`: give files or a program, not both",
                         v->operands.items[0]);
    HAUL_TRY(set_environment(v, task, memory));
    execvp(*v->program, v->program);
    return haul_fail(HAUL_ERROR_FILE, "%s: cannot be run: %s", *v->program, strerror(errno));
}

int cli_become_program(const cli_values *values, standin_task task) {
    arena memory = {0};
    const haul_status status = become(values, task, &memory);
    arena_free(&memory);
    return status == HAUL_OK ? CLI_FINE : cli_fail(task_names[task]);
}
