/* Launches: their parameters and attributes, and their execution when their stream comes to them.
 *
 * A call makes work (sim_make_launch()): it lowers the kernel, packs the parameters, and checks shape, shared memory
 * and attributes, so that the call itself reports what is wrong. sim_run_launch() executes the work later, as a
 * launch of exec/grid.h. The launch may pause while the kernel waits for the host or for another stream; then its
 * state stays with the work, and the next call continues it.
 *
 * The clock needs the time of every launch, also of those that nobody counts: launch_times.c keeps the times of
 * counted launches by shape. */
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "check/early_uses.h"
#include "check/follow.h"
#include "exec/grid.h"
#include "machine/heap.h"
#include "machine/virtual.h"
#include "vgpu/internal.h"
#include "vgpu/launch_times.h"
#include "vgpu/order.h"
#include "vgpu/work.h"

#include <math.h>
#include <string.h>

/* Packs values in the kernel's layout, with some zeros after them; the caller frees them. NULL without memory. */
static unsigned char *pack_parameters(CUfunction f, void **parameters) {
    const ptx_function *entry = f->program->function;
    unsigned char *packed = memory_zeroed(1, f->program->param_bytes + 16);
    uint64_t at = 0;
    for (size_t i = 0; packed && i < entry->param_count; i++) {
        const ptx_variable *v = entry->params[i];
        at = number_align(at, v->alignment);
        memcpy(packed + at, parameters[i], v->size);
        at += v->size;
    }
    return packed;
}

/* Multiplies a grid of clusters by the cluster size. */
static void count_in_blocks(const ptx_function *f, uint32_t grid[3]) {
    for (unsigned k = 0; k < 3; k++) {
        const uint64_t blocks = (uint64_t)grid[k] * (f->cluster[k] ? f->cluster[k] : 1);
        grid[k] = blocks > UINT32_MAX ? UINT32_MAX : (uint32_t)blocks;
    }
}

/* Streaming lines are evicted first, persisting ones last. */
static uint8_t priority_of_access(int property) {
    switch (property) {
    case DRIVER_ACCESS_STREAMING: return SIM_PRIORITY_FIRST;
    case DRIVER_ACCESS_PERSISTING: return SIM_PRIORITY_LAST;
    default: return SIM_PRIORITY_DEMOTE;
    }
}

/* A part of the window's addresses, in sixteenths, are hits; the others are misses. */
static sim_l2_window window_of(const CUaccessPolicyWindow *w) {
    return (sim_l2_window){.base = (uint64_t)(uintptr_t)w->base,
                           .bytes = w->bytes,
                           .sixteenths = (uint8_t)sim_policy_sixteenths((double)w->hit_ratio),
                           .hit = priority_of_access(w->hit),
                           .miss = priority_of_access(w->miss)};
}

/* With HAUL_COUNT_RECORDED, launches without a record are neither counted nor checked. */
static bool is_checked(const sim_work *w) {
    const CUcontext c = w->function->module->context;
    return c->check && (w->run || c->counting != HAUL_COUNT_RECORDED);
}

/* Checks need the counting engine. */
static bool is_uncounted(const sim_work *w) {
    const CUcontext c = w->function->module->context;
    if (is_checked(w)) return false;
    return c->counting == HAUL_COUNT_NONE || (c->counting == HAUL_COUNT_RECORDED && !w->run);
}

/* Uses the context's settings of this moment: they may have changed since the call. */
static sim_launch describe(const sim_work *w) {
    CUcontext c = w->function->module->context;
    sim_launch l = {.program = w->function->program,
                    .machine = &c->machine,
                    .memory = c->memory,
                    .heap = c->heap,
                    .heap_user = w->function->heap_user,
                    .textures = &c->textures,
                    .params = w->parameters,
                    .dynamic_bytes = w->config.shared_bytes,
                    .threads = c->threads,
                    .instruction_limit = c->instruction_limit,
                    .check = is_checked(w),
                    .strict = c->strict,
                    .uncounted = is_uncounted(w),
                    .sample = c->sample,
                    .schedule = c->schedule,
                    .print = c->print,
                    .window = window_of(&w->window),
                    .set_aside = c->persisting_l2,
                    .l2 = &c->l2,
                    .keeps_l2 = c->keeps_l2};
    memcpy(l.grid, w->config.grid, sizeof l.grid);
    memcpy(l.block, w->config.block, sizeof l.block);
    memcpy(l.cluster, w->cluster, sizeof l.cluster);
    if (l.program->function->blocks_are_clusters) count_in_blocks(l.program->function, l.grid);
    return l;
}

/* A launch in progress, and its results. */
struct sim_running {
    sim_run *run;
    haul_launch_record own; /* for the clock, if no other record was requested */
    haul_launch_record *record;
    arena memory;
    sim_launch_times *times; /* NULL: unknown */
    sim_rough_time rough;
    sim_kernel_load load;
    bool wrote_host, uncounted;
    uint64_t changes;   /* at its last pause */
    uint64_t handovers; /* pauses after which it went on, since another kernel or the host had done something */
    sim_overrun overrun;
    sim_use_list uses;
    sim_node_launch node;
    CUcontext context;
    sim_follower *follower; /* owned; NULL: the launch is not followed */
};

/* Launches that a checked program leaves out are followed. One of an earlier launch has its memory already. */
static haul_status take_follower(CUcontext c, struct sim_running *r) {
    r->context = c;
    r->follower = c->follower ? c->follower : sim_follower_create(c->memory);
    c->follower = NULL;
    return r->follower ? HAUL_OK : haul_no_memory("following what the launch writes");
}

static void leave_follower(struct sim_running *r) {
    if (!r->follower) return;
    sim_follower_free(r->context->follower); /* of a launch that has run meanwhile */
    sim_follower_clear(r->follower);
    r->context->follower = r->follower;
    r->follower = NULL;
}

/* Begins a launch. The clock needs the time of every launch. A counted launch takes its record's estimate; if no record
 * was requested, it fills its own. An uncounted launch takes the mean of counted ones of its shape. */
static haul_status begin(const sim_work *w, struct sim_running *r) {
    CUcontext c = w->function->module->context;
    haul_launch_record *const wanted = w->run ? &w->run->launches[w->run_launch] : NULL;
    sim_launch l = describe(w);
    r->times = sim_launch_times_of(w);
    r->uncounted = l.uncounted;
    r->record = wanted || l.uncounted ? wanted : &r->own;
    l.load = &r->load;
    l.spares = &c->spares;
    l.shadow = &c->shadow;
    l.rough = r->times ? &r->times->rough : &r->rough;
    l.wrote_host = &r->wrote_host;
    l.cause = &c->cause;
    if (c->note_overrun) l.overrun = &r->overrun;
    if (w->ordered) l.uses = &r->uses;
    if (l.check) sim_order_ask(w, &r->uses);
    if (l.check && sim_order_between_devices(c, w, &r->node)) l.node = &r->node;
    if (c->check && !l.check) HAUL_TRY(take_follower(c, r));
    l.follower = r->follower;
    if (l.heap) sim_heap_begin_launch(l.heap);
    c->launched_unchecked |= !c->check;
    return sim_launch_begin(&l, wanted ? w->record_memory : &r->memory, r->record, &r->run);
}

/* Also adds the time of a counted launch to those of its shape. A launch whose shape was never counted gets a rough
 * time. */
static double own_time(struct sim_running *r, haul_status status, sim_kernel_load *load) {
    const sim_rough_time *rough = r->times ? &r->times->rough : &r->rough;
    *load = r->load;
    if (!r->uncounted) {
        const double us = r->record->estimate_us;
        if (r->times && status == HAUL_OK) sim_launch_times_add(r->times, us, load);
        return us;
    }
    const bool is_known = r->times && r->times->counted;
    *load = is_known ? r->times->load : rough->load;
    return is_known ? r->times->us / (double)r->times->counted : rough->us;
}

/* Kernels of a node execute in turns. If one has waited for another and goes on, a flag has gone there and another has
 * come back, each in peer_flag_us. The blocks that wait do so beside the others: a kernel takes as long as its blocks
 * keep the machine busy, or as long as the waits and the blocks of one round. */
static double with_waits(CUcontext c, const struct sim_running *r, const sim_kernel_load *load, double own) {
    enum { WAYS = 2 };
    if (sim_member_count(c) < 2 || !r->handovers) return own;
    const double waited = WAYS * (double)r->handovers * c->machine.peer_flag_us;
    const double one_round = c->machine.launch_us + fmax(0, own - c->machine.launch_us) / fmax(1, load->rounds);
    return fmax(own, one_round + waited);
}

static double time_of(CUcontext c, struct sim_running *r, haul_status status, sim_kernel_load *load) {
    const double own = own_time(r, status, load), us = with_waits(c, r, load, own);
    if (r->record && !r->uncounted) r->record->estimate_us = us;
    return us;
}

/* The launch is over, with or without a failure: passes on its results and frees its state. */
static void end(CUstream s, sim_work *w, haul_status status, double *us, sim_kernel_load *load) {
    const CUcontext c = w->function->module->context;
    struct sim_running *r = w->running;
    haul_launch_record *wanted = w->run ? r->record : NULL;
    if (status != HAUL_OK && wanted && !wanted->checked) wanted->ended_by = status;
    *us = time_of(c, r, status, load);
    if (wanted && r->uncounted) wanted->estimate_us = *us;
    if (w->is_hidden && s->end >= w->issued) *us = fmax(0, *us - c->machine.launch_us);
    if (status == HAUL_OK) sim_order_launched(c, w, &r->uses);
    if (r->wrote_host) sim_note_effects(c);
    if (r->overrun.furthest.size) c->note_overrun(w->function->entry->name, &r->overrun);
    sim_running_drop(r);
    w->running = NULL;
}

/* Also for a launch that has not ended, whose stream is dropped. NULL is allowed. */
void sim_running_drop(struct sim_running *r) {
    if (!r) return;
    sim_launch_drop(r->run);
    sim_node_launch_end(&r->node);
    sim_early_uses_free(r->uses.early);
    sim_use_list_free(&r->uses);
    leave_follower(r);
    arena_free(&r->memory);
    memory_free(r);
}

/* Ends the hold of virtual memory. Other threads may call the driver meanwhile, unless the kernel is counted or
 * checked: records and checks belong to all launches. */
static haul_status go_on(CUstream s, const sim_work *w, bool may_pause) {
    const bool shared = w->running->uncounted && sim_work_begin_run(s);
    const haul_status status = sim_launch_go_on(&w->running->run, may_pause);
    sim_virtual_release_hold(); /* before other threads are waited for, which may want to change it */
    if (shared) sim_work_end_run(s);
    return status;
}

/* Virtual memory must not change while the kernel runs; during a pause it may. */
haul_status sim_run_launch(CUstream s, sim_work *w, bool may_pause, double *us, sim_kernel_load *load) {
    haul_status status = HAUL_OK;
    const bool begins = !w->running, waited = !begins && w->running->run && sim_launch_waits(w->running->run);
    if (begins) w->running = memory_zeroed(1, sizeof *w->running);
    if (!w->running) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has no memory for it");
    sim_memory_prepare_written(w->function->module->context->memory);
    sim_virtual_hold();
    if (begins) status = begin(w, w->running);
    if (status == HAUL_OK)
        status = go_on(s, w, may_pause);
    else
        sim_virtual_release_hold();
    struct sim_running *r = w->running;
    if (!r->run) {
        end(s, w, status, us, load);
    } else if (r->changes != sim_launch_changes(r->run)) {
        r->changes = sim_launch_changes(r->run);
        r->handovers += waited;
        sim_work_note_news();
    }
    return status;
}

/* More than 48 KiB of shared memory, static and dynamic together, needs the kernel's attribute to be set. */
static CUresult check_consent(CUfunction f, uint32_t bytes) {
    int most = 0, own = 0;
    if (!bytes) return CUDA_SUCCESS;
    CUresult result = sim_call_function_attribute(&most, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, f);
    if (result == CUDA_SUCCESS) result = sim_call_function_attribute(&own, DRIVER_FUNCTION_SHARED_BYTES, f);
    if (result != CUDA_SUCCESS || bytes <= (uint32_t)most) return result;
    (void)sim_result_of(haul_fail(HAUL_ERROR_LIMIT,
                                  "launch: kernel '%s': %u bytes of dynamic shared memory, but %d are allowed; "
                                  "raise the limit with cudaFuncSetAttribute()",
                                  f->entry->name, bytes, most));
    return CUDA_INVALID_VALUE;
}

/* Fills in the work's parameters. Errors are those of the call. */
static haul_status prepare_launch(sim_work *w, void **parameters) {
    haul_occupancy occupancy;
    HAUL_TRY(sim_prepare(w->function));
    HAUL_TRY(sim_prepare_heap(w->function));
    if (!parameters && w->function->program->function->param_count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "launch: '%s' has parameters, but no arguments are given",
                         w->function->entry->name);
    w->parameters = pack_parameters(w->function, parameters);
    if (!w->parameters)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: no memory for the parameters of '%s'",
                         w->function->entry->name);
    const sim_launch l = describe(w);
    return sim_launch_check(&l, &occupancy);
}

/* The cluster that was set for the kernel; attributes of the launch replace it. */
static void take_settings(sim_work *w) {
    const CUfunction f = w->function;
    for (unsigned k = 0; k < 3; k++)
        if (f->set & 1u << (DRIVER_FUNCTION_CLUSTER_X + k))
            w->cluster[k] = (uint32_t)f->settings[DRIVER_FUNCTION_CLUSTER_X + k];
}

/* The limit is that of an A100 and later GPUs. */
CUresult sim_check_access_policy(const char *who, const CUaccessPolicyWindow *w) {
    const haul_status ratio =
        w->hit_ratio >= 0 && w->hit_ratio <= 1
            ? HAUL_OK
            : haul_fail(HAUL_ERROR_ARGUMENT, "virtual GPU: %s: the window's hit ratio must be between 0 and 1", who);
    if (ratio != HAUL_OK) return sim_result_of(ratio);
    if (w->bytes <= SIM_MOST_WINDOW) return CUDA_SUCCESS;
    return sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT,
                                   "virtual GPU: %s: the window has %zu bytes, but may have at most %d", who, w->bytes,
                                   SIM_MOST_WINDOW));
}

/* An unknown attribute fails, since ignoring it could change results. */
static CUresult take_attributes(const CUlaunchConfig *config, sim_work *w) {
    for (unsigned a = 0; a < config->attribute_count; a++) {
        const CUlaunchAttribute *attribute = &config->attributes[a];
        if (attribute->id >= 0 && attribute->id < 32) w->given |= 1u << attribute->id;
        switch (attribute->id) {
        case DRIVER_LAUNCH_ACCESS_POLICY_WINDOW: w->window = attribute->value.window; break;
        case DRIVER_LAUNCH_CLUSTER: memcpy(w->cluster, attribute->value.cluster, sizeof w->cluster); break;
        case DRIVER_LAUNCH_PROGRAMMATIC: w->is_programmatic = attribute->value.is_programmatic; break;
        case DRIVER_LAUNCH_COOPERATIVE: w->is_cooperative = attribute->value.is_cooperative; break;
        case DRIVER_LAUNCH_PRIORITY: w->priority = sim_clamp_priority(attribute->value.priority); break;
        default:
            return sim_wrong("cuLaunchKernelEx: only the attributes cluster dimension, access policy window, priority, "
                             "cooperative and programmatic stream serialization are supported");
        }
    }
    return sim_check_access_policy("cuLaunchKernelEx", &w->window);
}

void sim_work_attribute(const sim_work *w, CUlaunchAttribute *to) {
    switch (to->id) {
    case DRIVER_LAUNCH_ACCESS_POLICY_WINDOW: to->value.window = w->window; break;
    case DRIVER_LAUNCH_CLUSTER: memcpy(to->value.cluster, w->cluster, sizeof w->cluster); break;
    case DRIVER_LAUNCH_PROGRAMMATIC: to->value.is_programmatic = w->is_programmatic; break;
    case DRIVER_LAUNCH_COOPERATIVE: to->value.is_cooperative = w->is_cooperative; break;
    case DRIVER_LAUNCH_PRIORITY: to->value.priority = w->priority; break;
    default: break;
    }
}

/* Without a window or a priority of its own, a launch has those of its stream. */
static void take_from_stream(const struct CUstream_st *s, sim_work *w) {
    if (!(w->given & 1u << DRIVER_LAUNCH_ACCESS_POLICY_WINDOW)) w->window = s->window;
    if (!(w->given & 1u << DRIVER_LAUNCH_PRIORITY)) w->priority = s->priority;
}

/* The record that was asked for goes to this work. */
CUresult sim_make_launch(CUcontext c, const CUlaunchConfig *config, CUfunction function, void **parameters,
                         sim_work *w) {
    *w = (sim_work){.kind = SIM_WORK_LAUNCH,
                    .function = function,
                    .config = *config,
                    .run = c->run,
                    .run_launch = c->run_launch,
                    .record_memory = c->record_memory};
    take_settings(w);
    CUresult taken = take_attributes(config, w);
    if (taken == CUDA_SUCCESS) taken = check_consent(function, config->shared_bytes);
    if (taken != CUDA_SUCCESS) return taken;
    const haul_status status = prepare_launch(w, parameters);
    if (status != HAUL_OK) sim_work_release(w);
    return sim_result_of(status);
}

/* CUDA_INVALID_HANDLE, with a message. */
static CUresult another_device(CUfunction f) {
    (void)sim_result_of(
        haul_fail(HAUL_ERROR_ARGUMENT, "launch: kernel '%s' and its stream are on different devices", f->entry->name));
    return CUDA_INVALID_HANDLE;
}

/* The launch itself fails later, when its work is done. */
CUresult sim_call_launch_ex(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra) {
    CUstream s;
    sim_work w;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, config->stream, &s);
    if (found != CUDA_SUCCESS) return found;
    if (s->context != function->module->context) return another_device(function);
    if (extra) return sim_wrong("launch: packed parameters are not supported");
    const CUresult made = sim_make_launch(c, config, function, parameters, &w);
    if (made != CUDA_SUCCESS) return made;
    take_from_stream(s, &w);
    return sim_issue(s, &w);
}

CUresult sim_call_launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,
                         void **extra) {
    const CUlaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                                   .block = {block_x, block_y, block_z},
                                   .shared_bytes = shared_bytes,
                                   .stream = stream};
    return sim_call_launch_ex(&config, function, parameters, extra);
}
