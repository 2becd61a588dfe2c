/* What launches counted, and what was found in them. Records are looked at when their launches are done, and given up
 * unless the report at the program's end needs them. */
#include "standin/standin.h"

#include "base/mangled.h"
#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "lib/run.h"
#include "report/check/check.h"
#include "report/profile/profile.h"
#include "sim/driver/driver.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PENDING = 256, LINES = 10, MIX = 12 };
static const double ADVICE_SHARE = 1; /* percent of the traffic */

typedef struct shape {
    unsigned grid[3], block[3];
    uint64_t launches;
    struct shape *next;
} shape;

/* What is known of a kernel that is profiled. */
typedef struct kernel {
    CUfunction handle;
    const char *symbol;
    uint64_t launches, counted;
    double us;       /* estimated for those that were counted */
    haul_run *worst; /* the longest of them */
    shape *shapes;
    struct kernel *next;
} kernel;

typedef struct pending {
    haul_run *run;
    kernel *kernel;
} pending;

static kernel *kernels, **last_kernel = &kernels;
static pending waiting[MOST_PENDING];
static size_t waiting_count;
static int64_t checked_launches;
static report_sources sources;
static report_checker checker;
static text out;

/* ---- which launches are counted ---- */

static kernel *kernel_of(CUfunction handle, const char *symbol) {
    for (kernel *k = kernels; k; k = k->next)
        if (k->handle == handle) return k;
    kernel *k = memory_zeroed(1, sizeof *k);
    if (!k) return NULL;
    k->handle = handle;
    k->symbol = symbol;
    *last_kernel = k;
    last_kernel = &k->next;
    return k;
}

static shape *shape_of(kernel *k, const CUlaunchConfig *c) {
    for (shape *s = k->shapes; s; s = s->next)
        if (!memcmp(s->grid, c->grid, sizeof s->grid) && !memcmp(s->block, c->block, sizeof s->block)) return s;
    shape *s = memory_zeroed(1, sizeof *s);
    if (!s) return NULL;
    memcpy(s->grid, c->grid, sizeof s->grid);
    memcpy(s->block, c->block, sizeof s->block);
    s->next = k->shapes;
    return k->shapes = s;
}

/* ---- records of launches that are done ---- */

static void print(void) {
    fputs(text_string(&out), stderr);
    text_clear(&out);
}

static void judge(const haul_launch_record *r) {
    report_verdict verdict;
    const report_checked_launch launch = {.id = checked_launches++, .record = r};
    haul_status status = report_check_launch(&checker, &launch, &verdict);
    if (status == HAUL_OK) status = report_put_check_text(&verdict, &sources, report_terminal_of(STDERR_FILENO), &out);
    if (status != HAUL_OK) fprintf(stderr, "haul: %s\n", haul_message());
    report_verdict_free(&verdict);
    print();
}

static void add_up(kernel *k, haul_run *run) {
    const double us = run->launches[0].estimate_us;
    k->counted++;
    k->us += us > 0 ? us : 0;
    if (k->worst && k->worst->launches[0].estimate_us >= us) {
        haul_run_free(run);
        return;
    }
    haul_run_free(k->worst);
    k->worst = run;
}

/* A launch that was refused has no record. */
static void look_at(const pending *p) {
    const haul_launch_record *r = &p->run->launches[0];
    if (standin_asked.task == STANDIN_CHECK && r->kernel) judge(r);
    if (standin_asked.task == STANDIN_PROFILE && r->kernel && r->ended_by == HAUL_OK)
        add_up(p->kernel, p->run);
    else
        haul_run_free(p->run);
}

static void look_at_all(void) {
    standin_device()->driver->synchronize();
    for (size_t i = 0; i < waiting_count; i++) look_at(&waiting[i]);
    waiting_count = 0;
}

/* ---- launches ---- */

static CUresult begin_record(kernel *k) {
    haul_run *run;
    haul_launch_record *record;
    if (waiting_count == MOST_PENDING) look_at_all();
    if (haul_run_create(standin_device(), &run) != HAUL_OK) return CUDA_OUT_OF_MEMORY;
    if (run_add_launch(run, &record) != HAUL_OK) {
        haul_run_free(run);
        return CUDA_OUT_OF_MEMORY;
    }
    waiting[waiting_count++] = (pending){run, k};
    sim_driver_record(run, 0, run_memory(run));
    return CUDA_SUCCESS;
}

static CUresult record_first(CUfunction handle, const char *name, const CUlaunchConfig *config) {
    kernel *k = kernel_of(handle, name);
    shape *s = k ? shape_of(k, config) : NULL;
    if (!s) return CUDA_OUT_OF_MEMORY;
    k->launches++;
    s->launches++;
    return s->launches <= standin_asked.launches ? begin_record(k) : CUDA_SUCCESS;
}

/* All launches are checked: a defect may show in any of them. */
CUresult standin_record(CUfunction handle, const char *name, const CUlaunchConfig *config) {
    if (standin_asked.task == STANDIN_RUN) return CUDA_SUCCESS;
    if (!checker.sources) {
        report_sources_init(&sources, NULL, 0);
        report_checker_init(&checker, &sources, HAUL_GRADE_WARNING, HAUL_GRADE_WARNING);
    }
    return standin_asked.task == STANDIN_CHECK ? begin_record(NULL) : record_first(handle, name, config);
}

/* ---- the end ---- */

/* The name in the source. */
static const char *name_of(const kernel *k, char name[256]) {
    size_t length;
    const char *plain = mangled_name(k->symbol, &length);
    snprintf(name, 256, "%.*s", (int)(length < 256 ? length : 255), plain);
    return name;
}

static void add_kernels(report_document *d) {
    char name[256];
    static const report_column columns[] = {{"kernel", "Kernel", REPORT_TEXT, NULL},
                                            {"launches", "Launches", REPORT_COUNT, NULL},
                                            {"counted", "Counted", REPORT_COUNT, NULL},
                                            {"us", "Estimated, all", REPORT_MICROSECONDS, NULL}};
    report_section *s = report_add_section(d, "kernels", "Kernels of this program");
    report_table *t = report_add_table(s, "kernels", "Kernels", columns, 4);
    for (const kernel *k = kernels; k; k = k->next) {
        report_add_row(t);
        report_add_text(t, "%s", name_of(k, name));
        report_add_number(t, (double)k->launches);
        report_add_number(t, (double)k->counted);
        report_add_number(t, k->counted ? k->us * (double)k->launches / (double)k->counted : 0);
    }
}

static haul_status put_profile(void) {
    const report_profile_options options = {.lines = LINES, .mix = MIX, .share = ADVICE_SHARE, .sources = &sources};
    report_document *d = report_document_new("program", NULL);
    haul_status status = HAUL_OK;
    char name[256];
    add_kernels(d);
    for (const kernel *k = kernels; k && status == HAUL_OK; k = k->next)
        if (k->worst) status = report_add_profile(d, name_of(k, name), k->worst->launches, &options);
    if (status == HAUL_OK) status = report_write_text(d, report_terminal_of(STDERR_FILENO), &out);
    report_document_free(d);
    return status;
}

static haul_status judge_leaks(void) {
    haul_run *run;
    HAUL_TRY(haul_run_create(standin_device(), &run));
    const haul_status status = haul_device_leaks(standin_device(), run);
    for (size_t i = 0; i < run->launch_count && status == HAUL_OK; i++) judge(&run->launches[i]);
    haul_run_free(run);
    return status;
}

static haul_status put_check(void) {
    HAUL_TRY(judge_leaks());
    return report_put_check_totals(&checker, &out);
}

bool standin_report(void) {
    haul_status status = HAUL_OK;
    standin_enter();
    look_at_all();
    if (checker.sources) status = standin_asked.task == STANDIN_PROFILE ? put_profile() : put_check();
    standin_leave(CUDA_SUCCESS);
    if (status != HAUL_OK) fprintf(stderr, "haul: %s\n", haul_message());
    print();
    return checker.totals.failing > 0;
}
