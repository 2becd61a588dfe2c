/* haul info: lists devices and compilers, and what is missing.
 *
 * Everything is a table or a note of one report document. The columns of the limits come from <haul/properties.def>, so
 * a new property appears here by itself. Looking for nvcc, clang and ncu starts other programs, and loading NVRTC and
 * LLVM takes time too: the questions go to worker threads first, and the devices' tables are filled meanwhile. Missing
 * programs are notes, not errors: the exit status is 0 unless the output cannot be made. */
#include "base/cache.h"
#include "base/number.h"
#include "base/status.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "driver/driver.h"
#include "lib/compile.h"
#include "lib/device.h"
#include "lib/ncu/ncu.h"
#include "lib/workers.h"
#include "report/document.h"
#include "jit/code.h"
#include "jit/compiled.h"
#include "vgpu/driver.h"

#include <stdio.h>
#include <string.h>

/* ---- queries of other programs, in parallel, since each takes time to start ---- */

typedef enum question_name { NVCC, CLANG, NVRTC, NCU, NATIVE, QUESTIONS } question_name;

typedef struct question {
    haul_status (*ask)(text *answer); /* appends the answer, or fails with a message */
    text answer;
    workers_job job;
} question;

typedef struct questions {
    workers *pool; /* a thread for each question */
    question of[QUESTIONS];
} questions;

/* cu2ptx answers "kind version path", the row of the compilers' table. */
static haul_status ask_nvcc(text *answer) {
    return compile_find("nvcc", answer);
}

static haul_status ask_clang(text *answer) {
    return compile_find("clang", answer);
}

static haul_status ask_nvrtc(text *answer) {
    return compile_find("nvrtc", answer);
}

/* The name comes first, so that the answer has the words of a compiler's. */
static haul_status ask_ncu(text *answer) {
    text_put(answer, "ncu ");
    return ncu_describe(answer);
}

/* Loads LLVM, which takes time. The answer stays empty: sim_compiler() keeps the result, and add_native() asks it
 * again. */
static haul_status ask_native(text *answer) {
    (void)answer;
    if (sim_compiling().when != SIM_COMPILING_OFF) sim_compiler();
    return HAUL_OK;
}

/* A worker's job of one part. */
static haul_status ask_one(void *context, unsigned part, unsigned parts) {
    (void)part, (void)parts;
    question *q = context;
    return q->ask(&q->answer);
}

/* Starts all questions and does not wait. Call end_questions() also after an error. */
static haul_status ask_all(questions *q) {
    static haul_status (*const ask[QUESTIONS])(text *) = {
        [NVCC] = ask_nvcc, [CLANG] = ask_clang, [NVRTC] = ask_nvrtc, [NCU] = ask_ncu, [NATIVE] = ask_native};
    HAUL_TRY(workers_create(QUESTIONS, &q->pool));
    for (int i = 0; i < QUESTIONS; i++) {
        q->of[i].ask = ask[i];
        q->of[i].job = (workers_job){.part = ask_one, .context = &q->of[i], .parts = 1};
        workers_submit(q->pool, &q->of[i].job);
    }
    return HAUL_OK;
}

/* Waits for the answer; returns NULL, with the message, if there is none. */
static const char *answer_of(questions *q, question_name which) {
    bool found = workers_wait(q->pool, &q->of[which].job) == HAUL_OK;
    return found ? text_string(&q->of[which].answer) : NULL;
}

/* Freeing the pool ends its threads, so the answers must not be in use. */
static void end_questions(questions *q) {
    workers_free(q->pool);
    for (int i = 0; i < QUESTIONS; i++) text_free(&q->of[i].answer);
}

/* Adds a row of the next `words` words of the line; the last cell takes the rest. */
static void add_words(report_table *t, const char *line, int words) {
    report_add_row(t);
    for (int i = 1; i <= words; i++) {
        size_t length = i < words ? strcspn(line, " ") : strlen(line);
        report_add_text(t, "%.*s", (int)length, line);
        line += length + (line[length] == ' ');
    }
}

/* ---- devices ---- */

#define COLUMNS_OF(columns) (sizeof(columns) / sizeof *(columns))

static const report_column device_columns[] = {
    {"device", "Device", REPORT_TEXT, "what --device takes"},
    {"product", "Product", REPORT_TEXT, NULL},
    {"architecture", "Arch", REPORT_TEXT, NULL},
    {"memory", "Memory", REPORT_BYTES, NULL},
    {"bandwidth", "Bandwidth", REPORT_RATE, "device memory's peak"},
};

/* A table of limits: the properties of one group of properties.def. */
typedef enum property_group { SM, BLOCK, CACHE, HOST, PROPERTY_GROUPS } property_group;

/* All properties, each with the table that it belongs to. */
static const struct {
    const char *name, *title;
} group_tables[PROPERTY_GROUPS] = {
    [SM] = {"sms", "What an SM holds"},
    [BLOCK] = {"blocks", "What a thread block may have"},
    [CACHE] = {"caches", "Caches and memory"},
    [HOST] = {"host", "Copies and host memory; 1: yes, 0: no"},
};

static const struct {
    property_group group;
    report_column column;
} properties[] = {
#define PROPERTY(group, name, attribute, unit, title, text) {group, {#name, title, REPORT_##unit, text}},
#include <haul/properties.def>
};
enum { PROPERTIES = COLUMNS_OF(properties) };

typedef struct device_tables {
    report_table *devices, *groups[PROPERTY_GROUPS]; /* a row for each device in every table */
} device_tables;

/* Adds the tables, still empty. Every one begins with the device's name. */
static device_tables add_device_tables(report_section *s) {
    device_tables t = {.devices = report_add_table(s, "devices", NULL, device_columns, COLUMNS_OF(device_columns))};
    for (int g = 0; g < PROPERTY_GROUPS; g++) {
        report_column columns[PROPERTIES + 1] = {device_columns[0]};
        size_t count = 1;
        for (size_t i = 0; i < PROPERTIES; i++)
            if (properties[i].group == (property_group)g) columns[count++] = properties[i].column;
        t.groups[g] = report_add_table(s, group_tables[g].name, group_tables[g].title, columns, count);
    }
    return t;
}

/* Adds the device's row to each group's table. Values are appended in the order of properties.def, the order in which
 * the columns were made. */
static void add_limits(const device_tables *t, const char *name, const haul_device_properties *p) {
    const uint64_t values[] = {
#define PROPERTY(group, name, attribute, unit, title, text) p->name,
#include <haul/properties.def>
    };
    for (int g = 0; g < PROPERTY_GROUPS; g++) {
        report_add_row(t->groups[g]);
        report_add_text(t->groups[g], "%s", name);
    }
    for (size_t i = 0; i < PROPERTIES; i++) report_add_number(t->groups[properties[i].group], (double)values[i]);
}

/* Adds a device to all tables. `extras` is NULL for a GPU. */
static void add_device(const device_tables *t, const char *name, const char *product, const driver_table *driver,
                       const vgpu_extras *extras, CUdevice device) {
    haul_device_properties p;
    device_read_properties(driver, extras, device, &p);
    report_add_row(t->devices);
    report_add_text(t->devices, "%s", name);
    report_add_text(t->devices, "%s", product);
    report_add_text(t->devices, "sm_%u", p.architecture);
    report_add_number(t->devices, (double)p.memory_bytes);
    report_add_number(t->devices, p.memory_rate);
    add_limits(t, name, &p);
}

static void add_machine(const device_tables *t, CUdevice device) {
    const vgpu_extras *extras = sim_driver_extras();
    const sim_machine *m = extras->machine(device);
    char name[32];
    snprintf(name, sizeof name, "sim:%s", m->name);
    add_device(t, name, m->product, sim_driver(), extras, device);
}

static void add_gpu(const device_tables *t, const driver_table *driver, int ordinal) {
    CUdevice device;
    char name[32], product[128] = "";
    if (driver->device_get(&device, ordinal) != CUDA_SUCCESS) return;
    snprintf(name, sizeof name, "gpu:%d", ordinal);
    driver->device_name(product, sizeof product, device);
    add_device(t, name, product, driver, NULL, device);
}

/* A driver that cannot be loaded, or that has no device, is normal: virtual GPUs need none. */
static void add_gpus(report_section *s, const device_tables *t) {
    const driver_table *driver;
    int count = 0;
    bool loaded = driver_load(&driver) == HAUL_OK;
    if (!loaded)
        report_add_note(s, REPORT_MUTED, "No GPU, and the virtual ones need none: %s.", haul_message());
    else if (driver->device_count(&count) != CUDA_SUCCESS || count == 0)
        report_add_note(s, REPORT_MUTED, "No GPU: the driver finds none; virtual ones need none.");
    for (int i = 0; i < count; i++) add_gpu(t, driver, i);
}

static void add_devices(report_document *d) {
    report_section *s = report_add_section(d, "devices", "Devices");
    const device_tables t = add_device_tables(s);
    for (size_t i = 0; i < sim_machine_count; i++) add_machine(&t, (CUdevice)i);
    add_gpus(s, &t);
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

/* One of nvcc and clang is enough, so a missing one is a warning only if the other is missing, too. NVRTC compiles
 * device code alone, so no note misses it. */
static void add_compilers(report_document *d, questions *q) {
    report_section *s = report_add_section(d, "compilers", "Kernel compilers");
    report_table *t = report_add_table(s, "compilers", NULL, compiler_columns, COLUMNS_OF(compiler_columns));
    const char *nvcc = answer_of(q, NVCC), *clang = answer_of(q, CLANG), *nvrtc = answer_of(q, NVRTC);
    if (nvcc) add_words(t, nvcc, 3);
    if (clang) add_words(t, clang, 3);
    if (nvrtc) add_words(t, nvrtc, 3);
    if (!nvcc)
        report_add_note(s, REPORT_MUTED, "No nvcc: %s",
                        clang ? "clang compiles kernels instead." : "it is part of the CUDA toolkit.");
    if (!clang)
        report_add_note(s, nvcc ? REPORT_MUTED : REPORT_WARNING,
                        "No clang (14 or later): install it with `apt install clang`%s",
                        nvcc ? "; nvcc does as well." : ".");
    if (!nvcc && !clang)
        report_add_note(s, REPORT_WARNING, "CUDA source %s; PTX and haul's own kernels still run.",
                        nvrtc ? "is compiled with --compiler nvrtc only" : "cannot be compiled");
}

/* ---- the compiler of the virtual GPU's kernels for the host ---- */

/* Says where compiled code is kept. A folder that others can write to is refused, because haul runs the code in it. */
static void add_cache(report_section *s) {
    char folder[512], amount[32];
    const cache_usage usage = cache_measure();
    if (!cache_folder(folder, sizeof folder))
        report_add_note(s, REPORT_MUTED, "Compiled code is not kept on disk.");
    else if (usage.refused)
        report_add_note(s, REPORT_WARNING, "Compiled code is not cached: others can write to %s.", folder);
    else
        report_add_note(s, REPORT_MUTED, "Compiled code is cached in %s (%llu kernels, %s).", folder,
                        (unsigned long long)usage.files, number_format_bytes((double)usage.bytes, amount));
}

/* Says whether the virtual GPU compiles hot code, and if not, why. */
static void add_native(report_document *d, questions *q) {
    report_section *s = report_add_section(d, "native", "Virtual GPU's kernels");
    /* wait for LLVM */
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

/* Needed only for a GPU's counters, not for virtual ones. */
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
