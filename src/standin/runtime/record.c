/* Chooses the launches that are counted, checked or recorded. Records are read when their launches are done, and
 * discarded unless the report at the program's end needs them.
 *
 * choose() numbers each launch and finds its kernel and shape, with the filters of the command line. A chosen launch
 * gets a run of its own, into which the driver writes the launch's record when it is done (begin_record()). Launches
 * end later, in stream order; until then they are in `waiting`, in the order in which they were made. Records of
 * launches that are done go to profile.c or check.c; to recording (recorder.c) launches are passed before they
 * begin. All state is protected by the lock of session.c.
 *
 * Launches in graphs come by a callback of the driver, since the program launches only the graph. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "lib/name_filter.h"
#include "lib/run.h"
#include "standin/cuda/cuda.h"
#include "standin/report.h"
#include "standin/runtime/caller.h"
#include "vgpu/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PENDING = 256, KERNEL_ROWS = 256 };

typedef standin_shape shape;
typedef standin_kernel_record kernel;

/* A chosen launch. `kernel` is NULL for one that is not. */
typedef struct pending {
    haul_run *run; /* owned; holds the record */
    kernel *kernel;
    shape *shape;
    standin_launch_place launch;
    const void *place; /* of the call that launches; NULL: not known */
} pending;

static kernel *kernels, **last_kernel = &kernels, *kernel_rows[KERNEL_ROWS];
static pending waiting[MOST_PENDING];
static size_t waiting_count;
static uint64_t launches, chosen; /* launches of the program, and those that pass the filters */

/* ---- choosing launches ---- */

/* Finds the kernel, or adds it to the list, which is in the order of first launches. NULL without memory. */
static kernel *kernel_of(CUfunction handle, const char *symbol) {
    kernel **row = &kernel_rows[hash_bytes(HASH_START, &handle, sizeof handle) % KERNEL_ROWS];
    for (kernel *k = *row; k; k = k->next_in_row)
        if (k->handle == handle) return k;
    kernel *k = memory_zeroed(1, sizeof *k);
    if (!k) return NULL;
    *k = (kernel){.handle = handle, .symbol = symbol, .next_in_row = *row};
    k->device = standin_number_of(sim_driver_function_device(handle));
    k->wanted = name_filter_takes_kernel(&standin_asked.only_kernels, symbol);
    *last_kernel = k;
    last_kernel = &k->next;
    return *row = k;
}

static bool has_shape(const shape *s, const CUlaunchConfig *c) {
    return !memcmp(s->grid, c->grid, sizeof s->grid) && !memcmp(s->block, c->block, sizeof s->block) &&
           s->shared_bytes == c->shared_bytes;
}

static shape *shape_of(kernel *k, const CUlaunchConfig *c) {
    uint64_t hash = hash_bytes(HASH_START + c->shared_bytes, c->grid, sizeof c->grid);
    hash = hash_bytes(hash, c->block, sizeof c->block);
    shape **row = &k->shapes[hash % STANDIN_SHAPE_ROWS];
    for (shape *s = *row; s; s = s->next)
        if (has_shape(s, c)) return s;
    shape *s = memory_zeroed(1, sizeof *s);
    if (!s) return NULL;
    memcpy(s->grid, c->grid, sizeof s->grid);
    memcpy(s->block, c->block, sizeof s->block);
    s->shared_bytes = c->shared_bytes;
    s->next = *row;
    return *row = s;
}

/* Numbers were checked on the command line. All streams are meant if none is named. */
static bool is_in_stream(CUstream stream) {
    const text_list *wanted = &standin_asked.only_streams;
    unsigned long long number = 0;
    if (!wanted->count) return true;
    if (standin_device()->driver->stream_number(stream, &number) != CUDA_SUCCESS) return false;
    for (size_t i = 0; i < wanted->count; i++)
        if (strtoull(wanted->items[i], NULL, 10) == number) return true;
    return false;
}

/* `chosen` only counts launches that pass the filters before it. */
static bool is_chosen(const kernel *k, CUstream stream) {
    return k->wanted && standin_in_range() && is_in_stream(stream) && standin_takes_number(chosen++);
}

/* All launches are checked, since a defect may show in any of them. */
static bool is_among_the_first(shape *s) {
    return standin_asked.task == STANDIN_CHECK || s->chosen++ < standin_asked.launches;
}

/* ---- records of launches that are done ---- */

/* A launch that was refused has no record. profile.c takes the run over; otherwise it is freed. */
static void look_at(const pending *p) {
    const haul_launch_record *r = &p->run->launches[0];
    if (standin_asked.task == STANDIN_CHECK && r->kernel) standin_check_launch(p->kernel->device, r, p->place);
    if (standin_asked.task == STANDIN_PROFILE && r->kernel && r->ended_by == HAUL_OK)
        standin_profile_launch(p->kernel, p->shape, &p->launch, p->run);
    else
        haul_run_free(p->run);
}

static void look_at_these(void) {
    for (size_t i = 0; i < waiting_count; i++) look_at(&waiting[i]);
    waiting_count = 0;
}

static void look_at_all(void) {
    standin_synchronize_all();
    look_at_these();
}

void standin_look_at_done(void) {
    const bool is_new = waiting_count;
    if ((!is_new && !standin_has_unsaved()) || sim_driver_has_work()) return;
    look_at_these();
    standin_save_report(is_new);
}

bool standin_has_fault(void) {
    for (size_t i = 0; i < waiting_count; i++)
        if (waiting[i].run->launches[0].ended_by != HAUL_OK) return true;
    return false;
}

/* The driver sets the time when the launch has ended. */
static bool is_done(const pending *p) {
    return p->run->launches[0].host_seconds > 0;
}

/* A kernel of a conditional node begins while the streams' work is being done, so that work cannot be waited for. */
static void make_room(void) {
    size_t kept = 0;
    if (!sim_driver_is_working()) {
        look_at_all();
        return;
    }
    for (size_t i = 0; i < waiting_count; i++)
        if (is_done(&waiting[i]))
            look_at(&waiting[i]);
        else
            waiting[kept++] = waiting[i];
    waiting_count = kept;
}

/* The arena of the run is used by the driver too, which allocates the record's parts there. */
static CUresult begin_record(const pending *what) {
    haul_run *run;
    haul_launch_record *record;
    if (waiting_count == MOST_PENDING) make_room();
    if (waiting_count == MOST_PENDING) return CUDA_SUCCESS; /* the launch gets no record */
    if (haul_run_create(standin_device(), &run) != HAUL_OK) return CUDA_OUT_OF_MEMORY;
    if (run_add_launch(run, &record) != HAUL_OK) {
        haul_run_free(run);
        return CUDA_OUT_OF_MEMORY;
    }
    waiting[waiting_count] = *what;
    waiting[waiting_count++].run = run;
    sim_driver_record(run, 0, run_memory(run));
    return CUDA_SUCCESS;
}

/* 0 if it has no number. */
static uint64_t number_of(CUstream stream) {
    unsigned long long number = 0;
    return standin_device()->driver->stream_number(stream, &number) == CUDA_SUCCESS ? number : 0;
}

/* Numbers the launch; finds its kernel only if a report needs it. */
static CUresult choose(CUfunction handle, const char *symbol, const CUlaunchConfig *config, pending *out) {
    kernel *k = kernel_of(handle, symbol);
    shape *s = k ? shape_of(k, config) : NULL;
    if (!s) return CUDA_OUT_OF_MEMORY;
    *out = (pending){.shape = s, .launch.number = launches++};
    standin_count_saved(launches);
    k->launches++;
    s->launches++;
    if (is_chosen(k, config->stream) && is_among_the_first(s)) {
        out->kernel = k;
        if (standin_asked.csv) out->launch.stream = number_of(config->stream);
    }
    return CUDA_SUCCESS;
}

static bool is_captured(const driver_table *d, CUstream stream) {
    int status = 0;
    return d->capture_status(stream, &status) == CUDA_SUCCESS && status;
}

/* A kernel of a launched graph. Its parameters are not known here, so it is not recorded. */
static CUresult begin_node_launch(CUfunction handle, const CUlaunchConfig *config) {
    pending p = {0};
    const CUresult result = choose(handle, sim_driver_function_name(handle), config, &p);
    return p.kernel ? begin_record(&p) : result;
}

/* A captured launch does not run yet. */
CUresult standin_launch(const driver_table *d, const CUlaunchConfig *config, CUfunction handle, const char *symbol,
                        void **parameters, void **extra) {
    pending p = {0};
    const bool records = standin_asked.task == STANDIN_RECORD;
    CUresult result = CUDA_SUCCESS;
    if (standin_asked.task != STANDIN_RUN && !is_captured(d, config->stream))
        result = choose(handle, symbol, config, &p);
    if (p.kernel && standin_asked.task == STANDIN_CHECK) p.place = standin_caller_now().address;
    if (p.kernel && records) standin_begin_recording(d, p.kernel, config, parameters);
    if (p.kernel && !records) result = begin_record(&p);
    if (result == CUDA_SUCCESS) result = d->launch_ex(config, handle, parameters, extra);
    if (p.kernel && records) {
        standin_take_recording(d, p.kernel);
        standin_save_report(true);
    }
    return result;
}

void standin_watch_graphs(void) {
    const bool counts = standin_asked.task == STANDIN_PROFILE || standin_asked.task == STANDIN_CHECK;
    sim_driver_on_node_launch(counts ? begin_node_launch : NULL);
}

/* ---- the end ---- */

static haul_status put_report(bool interrupted, bool *failed) {
    switch (standin_asked.task) {
    case STANDIN_PROFILE: return standin_put_profile(kernels);
    case STANDIN_CHECK: return standin_put_check(interrupted, failed);
    case STANDIN_RECORD: standin_end_recording(); return HAUL_OK;
    default: return HAUL_OK;
    }
}

haul_status standin_put_report_so_far(void) {
    bool failed;
    return put_report(true, &failed);
}

/* The record of a launch that is not done has no time. */
static void leave_out_undone(void) {
    size_t kept = 0;
    for (size_t i = 0; i < waiting_count; i++)
        if (is_done(&waiting[i])) waiting[kept++] = waiting[i];
    if (kept < waiting_count && !standin_asked.quiet)
        fprintf(stderr, "haul: the program was ended in the middle of a launch, which the report leaves out\n");
    waiting_count = kept;
}

bool standin_report(bool interrupted) {
    bool failed = false;
    if (interrupted) {
        leave_out_undone();
        look_at_these();
    } else {
        standin_enter();
        look_at_all();
    }
    const haul_status status = put_report(interrupted, &failed);
    if (!interrupted) standin_leave(CUDA_SUCCESS);
    if (status != HAUL_OK) fprintf(stderr, "haul: %s\n", haul_message());
    return failed;
}
