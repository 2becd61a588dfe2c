/* Implements cli/stamp.h: facts about the machine and the command, for reports whose numbers are to be compared later
 * (haul bench, haul tune). */
#include "cli/stamp.h"

#include "base/file.h"
#include "lib/device.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* Returns a device attribute; 0 if the driver does not tell. */
static double attribute(const haul_device *d, int which) {
    int value = 0;
    return d->driver->device_attribute(&value, which, d->handle) == CUDA_SUCCESS ? value : 0;
}

/* Peak figures as the driver gives them: clocks under load may be lower. */
static void add_device(const haul_device *d, report_document *document) {
    report_add_fact(document, "device", "Device", "%s", haul_device_product(d));
    report_add_fact(document, "name", "Opened as", "%s", haul_device_name(d));
    report_add_fact(document, "numbers", "Numbers", "%s",
                    d->extras ? "simulated: estimates, nothing was measured" : "measured");
    report_add_fact(document, "hardware", "Hardware", "sm_%u, %u SMs at up to %.0f MHz, L2 of %.0f MB",
                    haul_device_architecture(d), haul_device_sm_count(d), attribute(d, DRIVER_DEVICE_CLOCK_KHZ) / 1e3,
                    attribute(d, DRIVER_DEVICE_L2_BYTES) / (1 << 20));
}

/* The kernel module's version, if the system tells it: "580.95.05". */
static void add_module_version(text *out) {
    text version = {0};
    if (access("/sys/module/nvidia/version", R_OK) == 0 && file_read("/sys/module/nvidia/version", &version) == HAUL_OK)
        text_printf(out, ", version %.*s", (int)strcspn(text_string(&version), " \n"), text_string(&version));
    text_free(&version);
}

/* A virtual GPU has no driver to name. */
static void add_driver(const haul_device *d, report_document *document) {
    text line = {0};
    int version = 0;
    if (d->extras || d->driver->version(&version) != CUDA_SUCCESS) return;
    text_printf(&line, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    add_module_version(&line);
    report_add_fact(document, "driver", "Driver", "%s", text_string(&line));
    text_free(&line);
}

/* In UTC, so that reports of different machines can be put in order. */
static void add_date(report_document *document) {
    char date[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts);
    report_add_fact(document, "date", "Date", "%s", date);
}

void cli_put_command(text *out, int argc, char **argv) {
    text_put(out, "haul");
    for (int i = 0; i < argc; i++) text_printf(out, " %s", argv[i]);
}

/* As typed, but without quotes. */
static void add_command(report_document *document, int argc, char **argv) {
    text line = {0};
    cli_put_command(&line, argc, argv);
    report_add_fact(document, "command", "Command", "%s", text_string(&line));
    text_free(&line);
}

void cli_stamp(report_document *d, const haul_device *device, int argc, char **argv) {
    add_device(device, d);
    add_driver(device, d);
    add_date(d);
    report_add_fact(d, "version", "haul", "%s", HAUL_VERSION);
    add_command(d, argc, argv);
}
