/* Implements cli/measure.h. The command line of the haul that runs under ncu is made from this command's values
 * (cli_arguments()), not from its words: options that must differ are changed in a copy of the values. */
#include "cli/measure.h"

#include "base/status.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The path of this program. argv[0] may be relative, or a name in PATH. */
static haul_status find_self(char path[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 0) return haul_fail(HAUL_ERROR_FILE, "cannot find haul's own program: %s", strerror(errno));
    path[length] = '\0';
    return HAUL_OK;
}

/* Returns the values for the haul under ncu. Each launch happens once there: timed or repeated launches would be
 * counted as well. It prints nothing, writes no files and does not start ncu itself. */
static cli_values values_below(const cli_values *values, const haul_device *device) {
    cli_values below = *values;
    below.device = haul_device_name(device);
    below.once = below.quiet = true;
    below.counters = below.json = below.list = false;
    below.readings = below.timeout = 0;
    below.out = NULL;
    return below;
}

haul_status cli_measure(const char *command, const cli_values *values, const haul_device *device, unsigned readings,
                        ncu_report *report) {
    char self[PATH_MAX];
    HAUL_TRY(find_self(self));
    arena memory = {0};
    const cli_values below = values_below(values, device);
    const char **arguments = cli_arguments(self, cli_command_find(command), &below, &memory);
    const ncu_options options = {.readings = values->readings ? cli_u32(values->readings) : readings,
                                 .seconds = cli_u32(values->timeout)};
    haul_status status = arguments ? ncu_read(arguments, &options, report)
                                   : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory to start ncu");
    arena_free(&memory);
    return status;
}
