/* haul info: what haul can run on and compile with, and what is missing. */
#include "base/cache.h"
#include "base/number.h"
#include "base/status.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "driver/driver.h"
#include "lib/compile.h"
#include "lib/ncu/ncu.h"
#include "lib/workers.h"
#include "report/document.h"
#include "sim/compiled/code.h"
#include "sim/compiled/compiled.h"
#include "sim/machine.h"

#include <stdio.h>
#include <string.h>

/* ---- what is asked of others, side by side, since each takes its time to start ---- */

typedef enum question_name { NVCC, CLANG, NCU, NATIVE, QUESTIONS } question_name;

typedef struct question {
    haul_status (*ask)(text *answer);
    text answer;
    workers_job job;
} question;

typedef struct questions {
    workers *pool;
    question of[QUESTIONS];
} questions;

/* cu2ptx answers "kind version path". */
static haul_status ask_nvcc(text *answer) {
    return compile_find("nvcc", answer);
}

static haul_status ask_clang(text *answer) {
    return compile_find("clang", answer);
}

static haul_status ask_ncu(text *answer) {
    text_put(answer, "ncu ");
    return ncu_describe(answer);
}

/* What it finds is kept where add_native() looks. */
static haul_status ask_native(text *answer) {
    (void)answer;
    if (sim_compiling().when != SIM_COMPILING_OFF) sim_compiler();
    return HAUL_OK;
}

static haul_status ask_one(void *context, unsigned part, unsigned parts) {
    (void)part, (void)parts;
    question *q = context;
    return q->ask(&q->answer);
}

static haul_status ask_all(questions *q) {
    static haul_status (*const ask[QUESTIONS])(text *) = {
        [NVCC] = ask_nvcc, [CLANG] = ask_clang, [NCU] = ask_ncu, [NATIVE] = ask_native};
    HAUL_TRY(workers_create(QUESTIONS, &q->pool));
    for (int i = 0; i < QUESTIONS; i++) {
        q->of[i].ask = ask[i];
        q->of[i].job = (workers_job){.part = ask_one, .context = &q->of[i], .parts = 1};
        workers_submit(q->pool, &q->of[i].job);
    }
    return HAUL_OK;
}

/* Waits for the answer; where there is none, NULL with the message. */
static const char *answer_of(questions *q, question_name which) {
    bool found = workers_wait(q->pool, &q->of[which].job) == HAUL_OK;
    return found ? text_string(&q->of[which].answer) : NULL;
}

static void end_questions(questions *q) {
    workers_free(q->pool);
    for (int i = 0; i < QUESTIONS; i++) text_free(&q->of[i].answer);
}

/* A row of the next `words` words of the line; the last one takes what is left. */
static void add_words(report_table *t, const char *line, int words) {
    report_add_row(t);
    for (int i = 1; i <= words; i++) {
        size_t length = i < words ? strcspn(line, " ") : strlen(line);
        report_add_text(t, "%.*s", (int)length, line);
        line += length + (line[length] == ' ');
    }
}

/* ---- devices ---- */

static const report_column device_columns[] = {
    {"device", "Device", REPORT_TEXT, "what --device takes"},
    {"product", "Product", REPORT_TEXT, NULL},
    {"architecture", "Arch", REPORT_TEXT, NULL},
    {"sms", "SMs", REPORT_COUNT, "streaming multiprocessors"},
    {"shared_per_sm", "Shared/SM", REPORT_BYTES, "the most shared memory that an SM can have"},
    {"l2", "L2", REPORT_BYTES, NULL},
    {"memory", "Memory", REPORT_BYTES, NULL},
    {"bandwidth", "Bandwidth", REPORT_RATE, "device memory's peak"},
};
enum { DEVICE_COLUMNS = sizeof device_columns / sizeof *device_columns };

static void add_machine(report_table *t, const sim_machine *m) {
    report_add_row(t);
    report_add_text(t, "sim:%s", m->name);
    report_add_text(t, "%s", m->product);
    report_add_text(t, "sm_%u", m->sm);
    report_add_number(t, m->sms);
    report_add_number(t, m->shared_per_sm);
    report_add_number(t, (double)m->l2_bytes);
    report_add_number(t, (double)m->memory_bytes);
    report_add_number(t, m->memory_gbps * 1e9);
}

static double attribute(const driver_table *driver, CUdevice device, int which) {
    int value = 0;
    return driver->device_attribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

/* The peak is two transfers a memory clock over the whole bus. */
static void add_gpu(report_table *t, const driver_table *driver, int ordinal) {
    CUdevice device;
    char name[128] = "";
    size_t bytes = 0;
    if (driver->device_get(&device, ordinal) != CUDA_SUCCESS) return;
    driver->device_name(name, sizeof name, device);
    driver->device_memory(&bytes, device);
    report_add_row(t);
    report_add_text(t, "gpu:%d", ordinal);
    report_add_text(t, "%s", name);
    report_add_text(t, "sm_%.0f%.0f", attribute(driver, device, DRIVER_DEVICE_MAJOR),
                    attribute(driver, device, DRIVER_DEVICE_MINOR));
    report_add_number(t, attribute(driver, device, DRIVER_DEVICE_SM_COUNT));
    report_add_number(t, attribute(driver, device, DRIVER_DEVICE_SHARED_PER_SM));
    report_add_number(t, attribute(driver, device, DRIVER_DEVICE_L2_BYTES));
    report_add_number(t, (double)bytes);
    report_add_number(t, 2e3 * attribute(driver, device, DRIVER_DEVICE_MEMORY_CLOCK_KHZ) *
                             attribute(driver, device, DRIVER_DEVICE_MEMORY_BUS_BITS) / 8);
}

static void add_gpus(report_section *s, report_table *t) {
    const driver_table *driver;
    int count = 0;
    bool loaded = driver_load(&driver) == HAUL_OK;
    if (!loaded)
        report_add_note(s, REPORT_MUTED, "No GPU, and the virtual ones need none: %s.", haul_message());
    else if (driver->device_count(&count) != CUDA_SUCCESS || count == 0)
        report_add_note(s, REPORT_MUTED, "No GPU: the driver finds none; the virtual ones need none.");
    for (int i = 0; i < count; i++) add_gpu(t, driver, i);
}

static void add_devices(report_document *d) {
    report_section *s = report_add_section(d, "devices", "Devices");
    report_table *t = report_add_table(s, "devices", NULL, device_columns, DEVICE_COLUMNS);
    for (size_t i = 0; i < sim_machine_count; i++) add_machine(t, &sim_machines[i]);
    add_gpus(s, t);
}

/* ---- compilers ---- */

static const report_column compiler_columns[] = {
    {"compiler", "Compiler", REPORT_TEXT, NULL},
    {"version", "Version", REPORT_TEXT, NULL},
    {"path", "Path", REPORT_TEXT, NULL},
};

static const report_column profiler_columns[] = {
    {"profiler", "Profiler", REPORT_TEXT, "reads a GPU's counters"},
    {"version", "Version", REPORT_TEXT, NULL},
    {"path", "Path", REPORT_TEXT, NULL},
};
#define COLUMNS_OF(columns) (sizeof(columns) / sizeof *(columns))

static void add_compilers(report_document *d, questions *q) {
    report_section *s = report_add_section(d, "compilers", "Kernel compilers");
    report_table *t = report_add_table(s, "compilers", NULL, compiler_columns, COLUMNS_OF(compiler_columns));
    const char *nvcc = answer_of(q, NVCC), *clang = answer_of(q, CLANG);
    if (nvcc) add_words(t, nvcc, 3);
    if (clang) add_words(t, clang, 3);
    if (!nvcc)
        report_add_note(s, REPORT_MUTED, "No nvcc: %s",
                        clang ? "clang compiles kernels instead." : "it is part of the CUDA toolkit.");
    if (!clang)
        report_add_note(s, nvcc ? REPORT_MUTED : REPORT_WARNING,
                        "No clang (14 or later): install it with `apt install clang`%s",
                        nvcc ? "; nvcc does as well." : ".");
    if (!nvcc && !clang)
        report_add_note(s, REPORT_WARNING,
                        "CUDA source cannot be compiled; PTX and haul's own kernels run all the same.");
}

/* ---- what compiles the virtual GPU's kernels for the host ---- */

static void add_cache(report_section *s) {
    char folder[512], amount[32];
    const cache_usage usage = cache_measure();
    if (!cache_folder(folder, sizeof folder))
        report_add_note(s, REPORT_MUTED, "Compiled code is not kept on disk.");
    else if (usage.refused)
        report_add_note(s, REPORT_WARNING, "Compiled code is not kept: %s is not yours alone to write in.", folder);
    else
        report_add_note(s, REPORT_MUTED, "Compiled code is kept in %s (%llu kernels, %s).", folder,
                        (unsigned long long)usage.files, number_format_bytes((double)usage.bytes, amount));
}

static void add_native(report_document *d, questions *q) {
    report_section *s = report_add_section(d, "native", "Virtual GPU's kernels");
    answer_of(q, NATIVE);
    if (sim_compiling().when == SIM_COMPILING_OFF) {
        report_add_note(s, REPORT_MUTED, "Interpreted: HAUL_COMPILE is off.");
        return;
    }
    const sim_compiler_info *c = sim_compiler();
    if (!c) {
        report_add_note(s, REPORT_WARNING, "Interpreted: %s; `apt install libllvm14` makes long kernels faster.",
                        sim_compiler_why_not());
        return;
    }
    report_add_note(s, REPORT_MUTED, "What runs often is compiled by %s.", c->name);
    add_cache(s);
}

/* ---- the profiler ---- */

/* It is wanted for a GPU's counters only; those of the virtual ones need nothing. */
static void add_profiler(report_document *d, questions *q) {
    report_section *s = report_add_section(d, "profiler", "Profiler");
    report_table *t = report_add_table(s, "profilers", NULL, profiler_columns, COLUMNS_OF(profiler_columns));
    const char *ncu = answer_of(q, NCU);
    if (ncu)
        add_words(t, ncu, 3);
    else
        report_add_note(s, REPORT_MUTED, "%s.", haul_message());
}

/* ---- printing ---- */

static haul_status print_info(const report_document *d, const cli_values *v, text *out) {
    HAUL_TRY(cli_put_document(d, v, out));
    return cli_print(out);
}

static haul_status run_info(const cli_values *v, report_document *d, questions *q, text *out) {
    if (v->operands.count) return haul_fail(HAUL_ERROR_ARGUMENT, "takes no names: %s", v->operands.items[0]);
    HAUL_TRY(ask_all(q));
    add_devices(d);
    add_compilers(d, q);
    add_native(d, q);
    add_profiler(d, q);
    return print_info(d, v, out);
}

int cli_run_info(const cli_values *v) {
    text out = {0};
    questions q = {0};
    report_document *d = report_document_new("info", "haul " HAUL_VERSION);
    haul_status status = run_info(v, d, &q, &out);
    end_questions(&q);
    report_document_free(d);
    text_free(&out);
    return status == HAUL_OK ? CLI_FINE : cli_fail("info");
}
