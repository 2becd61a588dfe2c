/* haul lab: runs experiments and reports them as text, JSON and a web page.
 *
 * The command opens the devices, runs the experiments of experiments.def one after the other, each in a section of one
 * document, and publishes it. An experiment is a function that launches kernels by means of a workbench
 * (cli/lab/workbench.h). Its numbers come from the virtual GPU. With --device gpu:0 the same launches also run there,
 * and ncu reads their counters beforehand: haul starts itself under ncu with --once, and both processes make the same
 * launches in the same order. */
#include "base/nearest.h"
#include "base/status.h"
#include "cli/lab/workbench.h"
#include "cli/measure.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "lib/device.h"

#include <stdio.h>
#include <string.h>

static void list_experiments(void) {
    for (size_t i = 0; i < lab_experiment_count; i++) {
        printf("%-12s %s\n", lab_experiments[i].name, lab_experiments[i].title);
    }
}

/* Finds an experiment by name. Fails with the nearest one. */
static haul_status find_experiment(const char *name, const lab_experiment **found) {
    const char *names[32]; /* more experiments than there are */
    size_t count = 0;
    for (; count < lab_experiment_count && count < sizeof names / sizeof names[0]; count++) {
        *found = &lab_experiments[count];
        names[count] = (*found)->name;
        if (strcmp(name, names[count]) == 0) return HAUL_OK;
    }
    const char *near = nearest_name(name, names, count);
    if (near) return haul_fail(HAUL_ERROR_NOT_FOUND, "unknown experiment %s: did you mean %s?", name, near);
    return haul_fail(HAUL_ERROR_NOT_FOUND, "unknown experiment %s: `haul lab --list` lists them", name);
}

/* Runs one experiment in its own section. One that cannot run is a failed check; the others continue. */
static void run_experiment(lab *l, const lab_experiment *e) {
    report_section *section = report_add_section(l->document, e->name, e->title);
    report_add_paragraph(section, "%s", e->text);
    lab_workbench b;
    haul_status status = lab_workbench_begin(&b, l, section);
    if (status == HAUL_OK) status = lab_workbench_end(&b, e->run(&b));
    if (status != HAUL_OK) report_check(section, false, "could not be run: %s", haul_message());
}

/* Runs the experiments in the order of the command line, or all. Names are checked first, before anything runs. */
static haul_status run_experiments(lab *l, const text_list *names) {
    const lab_experiment *e;
    for (size_t i = 0; i < names->count; i++) HAUL_TRY(find_experiment(names->items[i], &e));
    for (size_t i = 0; i < names->count; i++) {
        if (find_experiment(names->items[i], &e) == HAUL_OK) run_experiment(l, e);
    }
    for (size_t i = 0; names->count == 0 && i < lab_experiment_count; i++) run_experiment(l, &lab_experiments[i]);
    return HAUL_OK;
}

/* Files are also written if checks failed: they show what was wrong. */
static haul_status publish(const report_document *document, const cli_values *values) {
    text out = {0};
    haul_status status = values->out ? cli_save_document(values->out, document) : HAUL_OK;
    if (status == HAUL_OK) status = cli_put_document(document, values, &out);
    if (status == HAUL_OK) status = cli_print(&out);
    text_free(&out);
    return status;
}

/* The introduction and the facts at the top of the report. */
static void introduce(const lab *l) {
    report_set_introduction(l->document,
                            "Kernels that ship with haul, their memory traffic, and the resulting counters. "
                            "Every result is compared with the host's.");
    report_add_fact(l->document, "device", "Device", "%s", haul_device_product(l->device));
    report_add_fact(l->document, "name", "Opened as", "%s", haul_device_name(l->device));
    report_add_fact(l->document, "numbers", "Numbers", "%s",
                    haul_device_is_virtual(l->device) ? "simulated" : "measured");
    if (l->real)
        report_add_fact(l->document, "measured", "Measured on", "%s (%s)", haul_device_product(l->real),
                        haul_device_name(l->real));
    report_add_fact(l->document, "version", "haul", "%s", HAUL_VERSION);
}

/* Reads the counters of all launches on the GPU. Without ncu, or without permission to read counters, there are still
 * results and times, and a fact says why there are no counters. */
static haul_status read_counters(lab *l, const cli_values *values) {
    haul_status status = cli_measure("lab", values, l->real, 1, &l->counters);
    if (status != HAUL_ERROR_NOT_FOUND && status != HAUL_ERROR_DRIVER) return status;
    report_add_fact(l->document, "counters", "No counters", "%s", haul_message());
    return HAUL_OK;
}

/* Sets `device`, which the experiments' numbers come from, and `real`, a GPU to show beside it. For a GPU `device` is
 * its virtual twin. Under a profiler (--once) the experiments run on the GPU alone, as `device`. */
static haul_status open_devices(lab *l, const cli_values *values) {
    const haul_device_options options = cli_device_options(values);
    bool automatic = !values->device || strcmp(values->device, "auto") == 0;
    char twin[32];
    HAUL_TRY(haul_device_open(automatic ? "sim" : values->device, &options, &l->device));
    if (haul_device_is_virtual(l->device) || values->once) return HAUL_OK;
    l->real = l->device;
    l->device = NULL;
    device_name_twin(l->real, twin);
    return haul_device_open(twin, &options, &l->device);
}

static haul_status run_lab(lab *l, const cli_values *values) {
    l->once = values->once;
    l->rounds = cli_u32(values->repeat);
    if (values->out) HAUL_TRY(cli_make_folder(values->out));
    HAUL_TRY(open_devices(l, values));
    introduce(l);
    if (l->real) HAUL_TRY(read_counters(l, values));
    HAUL_TRY(run_experiments(l, &values->operands));
    return publish(l->document, values);
}

/* Under a profiler the checks do not matter. */
static int end_of(const lab *l, const cli_values *values) {
    return l->document && l->document->failed_checks && !values->once ? CLI_FINDINGS : CLI_FINE;
}

int cli_run_lab(const cli_values *values) {
    if (values->list) {
        list_experiments();
        return CLI_FINE;
    }
    lab l = {.document = report_document_new("lab", "The memory lab")};
    haul_status status = run_lab(&l, values);
    int code = status == HAUL_OK ? end_of(&l, values) : cli_fail("lab");
    haul_device_close(l.device);
    haul_device_close(l.real);
    ncu_report_free(&l.counters);
    report_document_free(l.document);
    return code;
}
