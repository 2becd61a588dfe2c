/* Timing of one described launch on a GPU.
 *
 * A kernel may write its own inputs, so each round must begin with the buffers' initial contents. Copies of all buffers
 * are kept on the device, and the timing plan's `prepare` restores them before each round, outside of the measured
 * time. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "lib/launch/launches.h"
#include "lib/timing.h"

#include <string.h>

enum { ROUNDS = 15 };

/* A repeated launch. Its buffers are restored each time, since a kernel may rely on their contents. */
typedef struct repeated {
    haul_device *device;
    haul_module *module;
    haul_launch launch;
    size_t count;
    haul_buffer **buffers, **copies;
} repeated;

/* There is one set of buffers: the copy that lib/timing.h makes before a round evicts them from L2. */
static haul_status queue_launch(void *context, unsigned set) {
    const repeated *r = context;
    (void)set;
    return haul_launch_run(r->module, &r->launch, NULL);
}

/* Copies each buffer that an argument has. Arrays of textures and surfaces are not restored. */
static haul_status copy_all(const repeated *r, haul_buffer *const *to, haul_buffer *const *from) {
    for (size_t i = 0; i < r->count; i++) {
        if (!to[i] || !to[i]->bytes) continue;
        CUresult result = r->device->driver->copy_on_device(to[i]->address, from[i]->address, to[i]->bytes);
        HAUL_TRY(device_check(r->device, result, "restoring a buffer"));
    }
    return HAUL_OK;
}

static haul_status restore(void *context) {
    const repeated *r = context;
    return copy_all(r, r->buffers, r->copies);
}

/* Doubles the memory that the launch needs. */
static haul_status keep_copies(repeated *r) {
    for (size_t i = 0; i < r->count; i++) {
        if (r->buffers[i]) HAUL_TRY(haul_buffer_create(r->device, r->buffers[i]->bytes, &r->copies[i]));
    }
    return copy_all(r, r->copies, r->buffers);
}

static haul_status time_repeated(repeated *r, unsigned rounds, haul_launch_record *record) {
    timing_plan plan = timing_plan_for(r->device, rounds ? rounds : ROUNDS);
    const timing_work work = {.queue = queue_launch, .context = r};
    timing_summary summary;
    plan.sets = 1;
    plan.prepare = restore;
    plan.context = r;
    double *samples = memory_zeroed(plan.rounds, sizeof *samples);
    if (!samples) return haul_no_memory("the times");
    haul_status status = keep_copies(r);
    if (status == HAUL_OK) status = timing_measure(r->device, &work, 1, &plan, samples);
    if (status == HAUL_OK) status = timing_summarise(samples, plan.rounds, &summary);
    memory_free(samples);
    if (status != HAUL_OK) return status;
    record->measured_us = summary.median;
    record->measured_range_us = (haul_bounds){summary.least, summary.most};
    return HAUL_OK;
}

/* L2 is set aside for all rounds, as the launch says. */
static haul_status time_in(haul_device *device, haul_module *module, launch_description *d, unsigned rounds,
                           haul_launch_record *record, launch_workspace *w) {
    HAUL_TRY(launch_workspace_start(device, module, d->arguments, launch_value_count(d), w));
    repeated r = {.device = device,
                  .module = module,
                  .launch = launch_workspace_launch(w, module, d),
                  .count = w->count,
                  .buffers = w->buffers,
                  .copies = memory_zeroed(w->count, sizeof *r.copies)};
    bool opted_in;
    haul_status status = r.copies ? module_opt_in(module, &r.launch, &opted_in) : haul_no_memory("the times");
    if (status == HAUL_OK) status = launch_set_aside(device, d, true);
    if (status == HAUL_OK) status = time_repeated(&r, rounds, record);
    if (status == HAUL_OK) status = launch_set_aside(device, d, false);
    for (size_t i = 0; r.copies && i < r.count; i++) haul_buffer_free(r.copies[i]);
    memory_free(r.copies);
    return status;
}

haul_status launch_time(haul_device *device, haul_module *module, launch_description *d, unsigned rounds,
                        haul_launch_record *record) {
    launch_workspace w = {0};
    haul_status status = time_in(device, module, d, rounds, record, &w);
    launch_workspace_end(&w);
    return status == HAUL_OK ? HAUL_OK : haul_fail_in(status, "%s: timing it", d->where);
}
