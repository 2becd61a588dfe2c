/* haul tune: searches a kernel's constants for the device at hand.
 *
 * Operands are names of shipped kernels (kernels/tunables.def), families of them, `all`, or a CUDA file of the user.
 * Each becomes a tune_problem (problem.c), which src/lib/tune searches; report.c adds a section for it to the document
 * and its best constants to the header. Kernels are tuned one after the other, so each has the device for itself. The
 * output is published when all are done; an error in one ends the command. Ranks of an MPI program share the variants
 * of each search, one GPU for each; rank 0 publishes. */
#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/status.h"
#include "cli/publish.h"
#include "cli/ranks.h"
#include "cli/session.h"
#include "cli/stamp.h"
#include "cli/tune/tune.h"
#include "lib/compile.h"

#include <kernels/tunables.h>

#include <stdio.h>
#include <string.h>

typedef struct tuning {
    const cli_values *values;
    haul_device *device;
    report_document *document; /* a section for each problem */
    text header;               /* of all that was tuned */
    tune_options options;
    bool chosen[KERNELS_TUNABLES]; /* by index of kernels_tunables; each is tuned once, however often it was named */
} tuning;

/* ---- the kernels ---- */

static void list_kernels(void) {
    for (size_t i = 0; i < KERNELS_TUNABLES; i++)
        printf("%-20s %s\n", kernels_tunables[i].name, kernels_tunables[i].what);
}

/* "saxpy.paced" names one kernel, "saxpy" a family. */
static bool is_called(const kernels_tunable *k, const char *name) {
    const size_t length = strlen(name);
    if (strcmp(name, "all") == 0 || strcmp(name, k->name) == 0) return true;
    return strncmp(name, k->name, length) == 0 && k->name[length] == '.';
}

/* Suggests the nearest kernel or family. */
static haul_status unknown_kernel(const char *name) {
    const char *names[2 * KERNELS_TUNABLES];
    char families[KERNELS_TUNABLES][32];
    for (size_t i = 0; i < KERNELS_TUNABLES; i++) {
        names[2 * i] = kernels_tunables[i].name;
        snprintf(families[i], sizeof families[i], "%.*s", (int)strcspn(names[2 * i], "."), names[2 * i]);
        names[2 * i + 1] = families[i];
    }
    const char *near = nearest_name(name, names, 2 * KERNELS_TUNABLES);
    if (near) return haul_fail(HAUL_ERROR_NOT_FOUND, "no kernel %s: did you mean %s?", name, near);
    return haul_fail(HAUL_ERROR_NOT_FOUND, "no kernel %s: `haul tune --list` lists them; one of your own is a .cu file",
                     name);
}

/* Marks the kernels that the name stands for. Fails if there are none. */
static haul_status choose(tuning *t, const char *name) {
    bool found = false;
    for (size_t i = 0; i < KERNELS_TUNABLES; i++) {
        if (!is_called(&kernels_tunables[i], name)) continue;
        t->chosen[i] = found = true;
    }
    return found ? HAUL_OK : unknown_kernel(name);
}

/* Checks all names before the device is opened. Files are handled in tune_all(). */
static haul_status choose_all(tuning *t) {
    const text_list *names = &t->values->operands;
    if (!names->count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "what is to be tuned? name a kernel (`haul tune --list`) or a .cu file");
    for (size_t i = 0; i < names->count; i++)
        if (!compile_is_source(names->items[i])) HAUL_TRY(choose(t, names->items[i]));
    return HAUL_OK;
}

/* ---- tuning one ---- */

/* Searches a problem and adds the result to the report and the header. */
static haul_status tune(tuning *t, const tune_problem *p) {
    tune_result result;
    report_chart *chart = NULL;
    haul_status status = tune_search(t->device, p, &t->options, &result);
    if (status == HAUL_OK) {
        tune_report(t->document, p, &result, t->values->every, &chart);
        tune_put_header(&t->header, p, &result);
        if (chart && t->values->out && cli_ranks_speaks(t->options.ranks))
            status = cli_save_chart(t->values->out, p->name, chart);
    }
    tune_result_free(&result);
    return status;
}

/* Tunes shipped kernel `i`. Within a family, or `all`, kernels that need newer machines are skipped with a note; one
 * that was named alone (`alone`) is an error. */
static haul_status tune_shipped(tuning *t, size_t i, bool alone) {
    const kernels_tunable *k = &kernels_tunables[i];
    if (!alone && haul_device_architecture(t->device) < k->architecture) {
        report_add_note(report_add_section(t->document, k->name, k->name), REPORT_MUTED, "not on this machine: sm_%u",
                        k->architecture);
        return HAUL_OK;
    }
    tune_case c;
    haul_status status = tune_case_shipped(&c, k, t->values, t->device);
    if (status == HAUL_OK) status = tune(t, &c.problem);
    tune_case_free(&c);
    return status;
}

static haul_status tune_own(tuning *t, const char *path) {
    tune_case c;
    haul_status status = tune_case_own(&c, path, t->values);
    if (status == HAUL_OK) status = tune(t, &c.problem);
    tune_case_free(&c);
    return status;
}

/* Shipped kernels in the order of their table, then the user's files. */
static haul_status tune_all(tuning *t) {
    const text_list *names = &t->values->operands;
    size_t count = 0;
    for (size_t i = 0; i < KERNELS_TUNABLES; i++) count += t->chosen[i];
    for (size_t i = 0; i < KERNELS_TUNABLES; i++)
        if (t->chosen[i]) HAUL_TRY(tune_shipped(t, i, count == 1));
    for (size_t i = 0; i < names->count; i++)
        if (compile_is_source(names->items[i])) HAUL_TRY(tune_own(t, names->items[i]));
    return HAUL_OK;
}

/* ---- output ---- */

static haul_status save_all(const tuning *t) {
    const char *folder = t->values->out;
    if (t->values->header) HAUL_TRY(file_write(t->values->header, &t->header));
    if (!folder) return HAUL_OK;
    HAUL_TRY(cli_save(folder, "tuned.h", &t->header));
    return cli_save_document(folder, t->document);
}

/* Without a file for it the header is printed behind the text, to be copied from there. */
static haul_status publish(const tuning *t) {
    text out = {0};
    const cli_values *v = t->values;
    haul_status status = save_all(t);
    if (status == HAUL_OK) status = cli_put_document(t->document, v, &out);
    if (out.length && !v->json && !v->header && !v->out) text_printf(&out, "\n%s", text_string(&t->header));
    if (status == HAUL_OK) status = cli_print(&out);
    text_free(&out);
    return status;
}

/* Adds the facts of the report. Fails if there is no compiler, since the constants reach the kernels by -D. */
static haul_status find_compiler(tuning *t) {
    text line = {0};
    haul_status status = compile_find(t->values->compiler, &line);
    cli_stamp(t->document, t->device, t->values->argc, t->values->argv);
    report_add_fact(t->document, "compiler", "Compiler", "%s", text_string(&line));
    text_free(&line);
    return status == HAUL_OK ? HAUL_OK : haul_fail_in(status, "every variant has to be compiled");
}

/* `flags` has room for all flags; the search keeps a pointer to it. */
static haul_status prepare(tuning *t, const char **flags) {
    const cli_values *v = t->values;
    const haul_device_options options = cli_device_options(v);
    for (size_t i = 0; i < v->include.count; i++)
        flags[t->options.flag_count++] = "-I", flags[t->options.flag_count++] = v->include.items[i];
    for (size_t i = 0; i < v->define.count; i++)
        flags[t->options.flag_count++] = "-D", flags[t->options.flag_count++] = v->define.items[i];
    t->options.flags = flags;
    HAUL_TRY(choose_all(t));
    char device[256];
    HAUL_TRY(haul_ranks_choose_device(t->options.ranks, v->device ? v->device : "auto", device));
    HAUL_TRY(haul_device_open(device, &options, &t->device));
    HAUL_TRY(find_compiler(t));
    if (v->out) HAUL_TRY(cli_make_folder(v->out));
    if (v->header) HAUL_TRY(file_check_output(v->header));
    tune_start_header(&t->header, t->device, v->argc, v->argv);
    return HAUL_OK;
}

static haul_status run(tuning *t, const char **flags) {
    HAUL_TRY(haul_ranks_agree(t->options.ranks, prepare(t, flags)));
    HAUL_TRY(tune_all(t));
    return cli_ranks_speaks(t->options.ranks) ? publish(t) : HAUL_OK;
}

/* The ranks agree on failures, so that one line is enough. */
static int end(const tuning *t, haul_status status) {
    if (status == HAUL_OK) return CLI_FINE;
    return cli_ranks_speaks(t->options.ranks) ? cli_fail("tune") : CLI_ERROR;
}

int cli_run_tune(const cli_values *v) {
    if (v->list) {
        list_kernels();
        return CLI_FINE;
    }
    tuning t = {.values = v,
                .document = report_document_new("tune", "Tuning"),
                .options = {.compiler = v->compiler,
                            .architecture = v->arch,
                            .seconds = (double)v->seconds,
                            .exhaustive = v->exhaustive}};
    const char **flags = memory_zeroed(2 * (v->include.count + v->define.count), sizeof *flags);
    haul_status status = flags ? cli_ranks_open(&t.options.ranks) : haul_no_memory("the compiler's flags");
    if (status == HAUL_OK) status = run(&t, flags);
    const int code = end(&t, status);
    memory_free((void *)flags);
    haul_device_close(t.device);
    report_document_free(t.document);
    text_free(&t.header);
    haul_ranks_close(t.options.ranks);
    return code;
}
