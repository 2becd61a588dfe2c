/* The common part of commands that run launches: the device, the kernels' modules and the launches, from the options.
 *
 * replay, compare, profile and check open a whole session; stream opens one with kernels but without launches, and
 * launches its kernel once for each chunk. A session has one device. profile on a GPU has two sessions, the second on
 * the virtual GPU of the same kind. Commands that compare with hardware read its counters through ncu, which runs haul
 * itself once more (cli/measure.h). */
#ifndef HAUL_CLI_SESSION_H
#define HAUL_CLI_SESSION_H

#include "cli/options.h"
#include "lib/launch/launches.h"
#include "lib/launch/orders.h"
#include "lib/ncu/ncu.h"

#include <haul/haul.h>

/* A file of kernels: PTX, or CUDA source that was compiled. With --link all files share one haul_module. */
typedef struct cli_module {
    const char *path; /* of the command line or of a launch's `ptx`; not owned */
    char *stem;       /* "saxpy" of "dir/saxpy.ptx": named by a launch's `file` */
    text ptx;         /* the file's, or the compiler's output */
    haul_module *module;
} cli_module;

typedef struct cli_session {
    haul_device *device;
    haul_device *devices[HAUL_MOST_DEVICES]; /* of cli_session_open_kernels(): `device` is the first */
    size_t device_count;
    cli_module *modules;
    size_t module_count;
    launch_list launches;
    const char *note;       /* about the launch's options, for standard error once it has run; or NULL */
    haul_run *run;          /* of the last launch */
    const cli_module *used; /* its kernel's module */
    ncu_report counters;    /* of the launches on a GPU, in order; empty if not read */
} cli_session;

/* Opens the device, compiles and loads the kernels, reads the launches. Call cli_session_close() also after an
 * error. */
haul_status cli_session_open(cli_session *s, const cli_values *values);
/* The same on a device that the caller chooses. */
haul_status cli_session_open_on(cli_session *s, const cli_values *values, const char *device,
                                const haul_device_options *options);
/* Devices and kernels alone; there may be no kernels, and several devices, of a list for haul_devices_open(). Kernels
 * are loaded on the first. */
haul_status cli_session_open_kernels(cli_session *s, const cli_values *values, const char *devices);
/* Loads the module of s->used on another of the devices; closing the device unloads it. */
haul_status cli_session_load_on(const cli_session *s, haul_device *device, haul_module **module);
/* Finds a kernel of the session by any of its names (lib/kernel_name.h). Errors: HAUL_ERROR_NOT_FOUND,
 * HAUL_ERROR_ARGUMENT if several have the name. */
haul_status cli_session_kernel(cli_session *s, const char *name, haul_module **module, const char **symbol);
void cli_session_close(cli_session *s);

/* Reads the counters of all launches with ncu, `readings` times; records of cli_session_run() have them from then on.
 * Does nothing on a virtual GPU. */
haul_status cli_session_read_counters(cli_session *s, const cli_values *values, unsigned readings);

/* Finds the launch's kernel: sets launch->entry and s->used. Errors: those of cli_session_kernel(). */
haul_status cli_session_find(cli_session *s, launch_description *launch);
/* Sets whether what kernels print is shown; it is at first. */
void cli_session_show_prints(const cli_session *s, bool shown);
/* Runs one of the session's launches; `record` is valid until the next. After a failure it is the record of a device
 * that checks launches, or NULL. */
haul_status cli_session_run(cli_session *s, launch_description *launch, const haul_launch_record **record);

/* The same under several orders, as --schedules asks; without it, and on a GPU, the launch runs once. `record` is the
 * usual order's. */
haul_status cli_session_run_orders(cli_session *s, const cli_values *values, launch_description *launch,
                                   launch_orders *orders, const haul_launch_record **record);

/* The device options set by the command line. */
haul_device_options cli_device_options(const cli_values *values);

/* Times the last launch, if it ran on a GPU; its record then has the time. */
haul_status cli_session_time(cli_session *s, const cli_values *values, launch_description *launch);

/* Prints "haul COMMAND: MESSAGE" on standard error and returns CLI_ERROR. */
int cli_fail(const char *command);

#endif
