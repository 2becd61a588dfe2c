#include "cli/program.h"

#include "base/arena.h"
#include "base/status.h"
#include "cli/parts.h"
#include "cli/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libhaul_standin.so"

static const char *const task_names[] = {
#define TASK(id, name) [STANDIN_##id] = name,
    STANDIN_TASKS(TASK)
#undef TASK
};

/* Keeps the value that the user has set, behind the new one. */
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
    const char *library = cli_find_part("standin/" NAME, memory);
    if (!library)
        return haul_fail(HAUL_ERROR_NOT_FOUND, NAME " is not there: build or install haul anew, without sanitizers");
    const char *folder = arena_copy(memory, library, strlen(library) - strlen("/" NAME));
    const char *launches = arena_printf(memory, "%llu", (unsigned long long)v->launches);
    if (!folder || !launches || setenv(STANDIN_TASK, task_names[task], 1) || setenv(STANDIN_DEVICE, device, 1) ||
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
