/* What commands that run launches share: the device, the kernels' modules and the launches, from the options. */
#ifndef HAUL_CLI_SESSION_H
#define HAUL_CLI_SESSION_H

#include "cli/options.h"
#include "lib/launch/launches.h"
#include "lib/ncu/ncu.h"

#include <haul/haul.h>

typedef struct cli_module {
    const char *path;
    char *stem; /* "saxpy" of "dir/saxpy.ptx": what a launch's `file` says */
    text ptx;
    haul_module *module;
} cli_module;

typedef struct cli_session {
    haul_device *device;
    cli_module *modules;
    size_t module_count;
    launch_list launches;
    haul_run *run;          /* of the last launch */
    const cli_module *used; /* its kernel's module */
    ncu_report counters;    /* of the launches on a GPU, in their order; empty when they were not read */
} cli_session;

/* Opens the device, compiles and loads the kernels, reads the launches. End it with cli_session_close() after an
 * error too. */
haul_status cli_session_open(cli_session *s, const cli_values *values);
/* The same on a device of one's own choice. */
haul_status cli_session_open_on(cli_session *s, const cli_values *values, const char *device,
                                const haul_device_options *options);
/* The device and the kernels alone, which may be none. */
haul_status cli_session_open_kernels(cli_session *s, const cli_values *values);
/* A kernel of the session by any of its names (lib/kernel_name.h). Errors: HAUL_ERROR_NOT_FOUND, HAUL_ERROR_ARGUMENT
 * for a name that several have. */
haul_status cli_session_kernel(cli_session *s, const char *name, haul_module **module, const char **symbol);
void cli_session_close(cli_session *s);

/* Has ncu read the counters of all launches, `readings` times: records of cli_session_run() have them from then on. On
 * a virtual GPU there is nothing to do. */
haul_status cli_session_read_counters(cli_session *s, const cli_values *values, unsigned readings);

/* Runs one of the session's launches; `record` is valid until the next. After a failure it is what a device that checks
 * launches says of it, or NULL. */
haul_status cli_session_run(cli_session *s, launch_description *launch, const haul_launch_record **record);

/* The device's options that the command line sets. */
haul_device_options cli_device_options(const cli_values *values);

/* Times the launch that was run last, where it ran on a GPU; its record has the time from then on. */
haul_status cli_session_time(cli_session *s, const cli_values *values, launch_description *launch);

/* Prints "haul COMMAND: MESSAGE" on standard error and returns CLI_ERROR. */
int cli_fail(const char *command);

#endif
