/* Implements lib/launch/orders.h with lib/launch/trials.h, which repeats a launch from one state. */
#include "lib/launch/orders.h"

#include "base/status.h"
#include "lib/device.h"
#include "lib/launch/trials.h"
#include "vgpu/driver.h"

#include <math.h>
#include <stdio.h>

bool launch_orders_move(const launch_orders *o, haul_counter c) {
    return o && o->counters[c].low < o->counters[c].high;
}

/* A reduction that goes to L2 sees nothing. */
static bool may_depend(const haul_launch_record *r) {
    for (size_t k = 0; k < r->instruction_count; k++) {
        const haul_instruction_record *i = &r->instructions[k];
        if (i->sees_others && i->traffic.instructions && i->memory_class != HAUL_CLASS_GLOBAL_REDUCTION) return true;
    }
    return false;
}

static void add(launch_orders *o, const haul_launch_record *r) {
    for (int c = 0; c < HAUL_COUNTER_COUNT; c++) {
        const double value = r->counters[c];
        haul_bounds *b = &o->counters[c];
        if (!o->runs)
            *b = (haul_bounds){value, value};
        else if (haul_counters[c].grade == HAUL_COUNTER_EXACT)
            *b = (haul_bounds){fmin(b->low, value), fmax(b->high, value)};
    }
    o->runs++;
}

/* The usual order, the reversed one, then random ones. */
static haul_status choose(size_t order, const haul_device_options *options, haul_device_options *chosen) {
    char name[32];
    *chosen = *options;
    if (!order) return HAUL_OK;
    snprintf(name, sizeof name, order == 1 ? "reversed" : "random:%zu", order - 1);
    return device_read_schedule(name, chosen);
}

/* A kernel that ends under the usual order should end under others soon. */
static uint64_t limit_of(const haul_launch_record *usual, uint64_t own) {
    static const double FACTOR = 64, LEAST = 1 << 22;
    const uint64_t limit = (uint64_t)(FACTOR * usual->counters[HAUL_COUNTER_INST_EXECUTED] + LEAST);
    return own && own < limit ? own : limit;
}

/* Orders after which a launch whose counters are still equal is not tried further. */
enum { ENOUGH = 3 };

static bool moves(const launch_orders *o) {
    for (int c = 0; c < HAUL_COUNTER_COUNT; c++)
        if (launch_orders_move(o, (haul_counter)c)) return true;
    return false;
}

static void discard(void *context, const char *bytes, size_t length) {
    (void)context, (void)bytes, (void)length;
}

/* Runs the orders after the usual one. */
static haul_status run_others(launch_trials *t, const haul_device_options *options, size_t most,
                              const haul_launch_record *usual, launch_orders *o) {
    haul_status status = device_enter(t->device);
    if (status == HAUL_OK) t->device->extras->set_print((sim_print_sink){discard, NULL});
    for (size_t i = 1; i < most && status == HAUL_OK && (i < ENOUGH || moves(o)); i++) {
        launch_trial trial = {0};
        haul_device_options chosen;
        status = choose(i, options, &chosen);
        chosen.instruction_limit = limit_of(usual, options->instruction_limit);
        if (status == HAUL_OK) status = launch_trials_run(t, &chosen, &trial);
        if (status == HAUL_OK && trial.status == HAUL_OK) add(o, trial.record);
        launch_trial_free(&trial);
    }
    device_set_schedule(t->device, options);
    return status;
}

static haul_status run_all(launch_trials *t, const haul_device_options *options, size_t most, launch_orders *o,
                           launch_trial *usual) {
    HAUL_TRY(launch_trials_run(t, options, usual));
    HAUL_TRY(usual->status);
    add(o, usual->record);
    return may_depend(usual->record) ? run_others(t, options, most, usual->record, o) : HAUL_OK;
}

haul_status launch_orders_run(haul_device *device, haul_module *module, launch_description *launch,
                              const haul_device_options *options, size_t most, launch_orders *o, haul_run **run,
                              const haul_launch_record **record) {
    launch_trials trials = {0};
    launch_trial usual = {0};
    *o = (launch_orders){0};
    haul_status status = launch_trials_begin(&trials, device, module, launch);
    if (status == HAUL_OK) status = run_all(&trials, options, most, o, &usual);
    const haul_status ended = launch_trials_end(&trials);
    *run = usual.run;
    *record = usual.record;
    usual.run = NULL;
    launch_trial_free(&usual);
    return status == HAUL_OK ? ended : status;
}
