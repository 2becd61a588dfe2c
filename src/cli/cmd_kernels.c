/* haul kernels: lists the kernels of files, and what a launch of each needs. */
#include "base/demangle.h"
#include "base/memory.h"
#include "base/status.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "lib/device.h"

#include <stdio.h>
#include <string.h>

static const report_column columns[] = {
    {"kernel", "Kernel", REPORT_TEXT, "what --kernel takes, with or without its parameters"},
    {"parameters", "Parameters", REPORT_TEXT, "as the PTX declares them; u64 is a pointer or a number"},
    {"registers", "Registers", REPORT_COUNT, "of a thread, by haul's model of the assembler"},
    {"shared_bytes", "Shared", REPORT_BYTES, "static shared memory of a block"},
    {"local_bytes", "Local", REPORT_BYTES, "local memory of a thread"},
    {"threads", "Threads", REPORT_TEXT, "of a block, by its launch bounds"},
    {"symbol", "Symbol", REPORT_TEXT, "its name in the PTX"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* "f32", or "24 bytes" of a structure. */
static void put_parameter(text *out, const ptx_variable *p) {
    if (p->size * 8 == ptx_bits(p->type))
        text_printf(out, "%s", ptx_types[p->type].name);
    else
        text_printf(out, "%llu bytes", (unsigned long long)p->size);
}

static void add_parameters(report_table *t, const ptx_function *f) {
    text list = {0};
    for (size_t i = 0; i < f->param_count; i++) {
        if (i) text_put(&list, ", ");
        put_parameter(&list, f->params[i]);
    }
    report_add_text(t, "%s", f->param_count ? text_string(&list) : "none");
    text_free(&list);
}

static void add_attribute(report_table *t, const haul_module *m, CUfunction f, int which) {
    int value = 0;
    if (f && m->device->driver->function_attribute(&value, which, f) == CUDA_SUCCESS && value >= 0)
        report_add_number(t, value);
    else
        report_add_empty(t);
}

static void add_threads(report_table *t, const ptx_function *f) {
    const bool is_exact = f->required_threads[0] > 0;
    const uint32_t *n = is_exact ? f->required_threads : f->max_threads;
    if (n[0])
        report_add_text(t, is_exact ? "%u x %u x %u" : "at most %u x %u x %u", n[0], n[1], n[2]);
    else
        report_add_text(t, "any");
}

static void add_kernel(report_table *t, const haul_module *m, const ptx_function *f, const char *declaration,
                       size_t length) {
    static const int attributes[] = {DRIVER_FUNCTION_REGISTERS, DRIVER_FUNCTION_SHARED_BYTES,
                                     DRIVER_FUNCTION_LOCAL_BYTES};
    CUfunction handle = NULL;
    if (m->device->driver->module_function(&handle, m->handle, f->name) != CUDA_SUCCESS) handle = NULL;
    const size_t result =
        strncmp(declaration, "void ", 5) == 0 ? 5 : 0; /* that of every kernel; only templates have it */
    report_add_row(t);
    if (length)
        report_add_text(t, "%.*s", (int)(length - result), declaration + result);
    else
        report_add_text(t, "%s", f->name);
    add_parameters(t, f);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) add_attribute(t, m, handle, attributes[i]);
    add_threads(t, f);
    report_add_text(t, "%s", f->name);
}

static haul_status add_kernels(report_document *d, const cli_module *file) {
    const haul_module *m = file->module;
    const size_t count = haul_module_kernel_count(m);
    report_section *s = report_add_section(d, file->stem, file->path);
    if (!m->ptx) return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: haul cannot parse its PTX", file->path);
    if (!count) report_add_paragraph(s, "There is no kernel.");
    if (!count) return HAUL_OK;
    const char **symbols = memory_zeroed(count, sizeof *symbols);
    if (!symbols) return haul_no_memory("the kernels");
    for (size_t i = 0; i < count; i++) symbols[i] = haul_module_kernel_name(m, i);
    text declarations = {0};
    demangle_all(symbols, count, &declarations);
    report_table *t = report_add_table(s, "kernels", NULL, columns, COLUMNS);
    const char *line = text_string(&declarations);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(line, "\n");
        add_kernel(t, m, ptx_find_entry(m->ptx, symbols[i]), line, length);
        line += length + (line[length] == '\n');
    }
    text_free(&declarations);
    memory_free((void *)symbols);
    return HAUL_OK;
}

static haul_status list(const cli_values *v, cli_session *s, report_document *d, text *out) {
    if (!v->operands.count && !v->ptx.count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "no file given: name PTX (.ptx) or CUDA source (.cu)");
    HAUL_TRY(cli_session_open_kernels(s, v, v->device ? v->device : "auto"));
    for (size_t i = 0; i < s->module_count; i++) HAUL_TRY(add_kernels(d, &s->modules[i]));
    HAUL_TRY(cli_put_document(d, v, out));
    return cli_print(out);
}

int cli_run_kernels(const cli_values *v) {
    cli_session s = {0};
    text out = {0};
    report_document *d = report_document_new("kernels", "Kernels");
    const haul_status status = list(v, &s, d, &out);
    const int result = status == HAUL_OK ? CLI_FINE : cli_fail("kernels");
    report_document_free(d);
    text_free(&out);
    cli_session_close(&s);
    return result;
}
