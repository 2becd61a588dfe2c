/* The device, one call at a time. */
#include "standin/progress.h"
#include "standin/report.h"

#include "base/status.h"
#include "lib/device.h"
#include "sim/driver/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static haul_device *device;
static CUresult fault; /* what ended a kernel, and with it the context */
static _Thread_local CUresult last;
static _Thread_local bool uses_runtime;

/* ---- one thread at a time ---- */

static _Thread_local unsigned held, let_go; /* how often the thread has, and had, the lock */

static void take(void) {
    pthread_mutex_lock(&lock);
    held++;
}

static void leave(void) {
    held--;
    pthread_mutex_unlock(&lock);
}

static void let_others(void) {
    for (let_go = held; held;) leave();
}

static void take_back(void) {
    while (held < let_go) take();
}

/* ---- the device ---- */

/* Only a report needs counters; checks count by themselves. */
static haul_counting counting(void) {
    switch (standin_asked.task) {
    case STANDIN_CHECK: return HAUL_COUNT_ALL;
    case STANDIN_PROFILE: return HAUL_COUNT_RECORDED;
    default: return HAUL_COUNT_NONE;
    }
}

static void open_device(void) {
    haul_device_options options = {.threads = (uint32_t)standin_asked.threads,
                                   .instruction_limit = standin_asked.limit,
                                   .memory_bytes = standin_asked.memory,
                                   .heap_bytes = standin_asked.heap,
                                   .stack_bytes = standin_asked.stack,
                                   .check = standin_asked.task == STANDIN_CHECK,
                                   .counting = counting(),
                                   .sample_blocks = standin_asked.sample};
    if ((standin_asked.schedule && device_read_schedule(standin_asked.schedule, &options) != HAUL_OK) ||
        haul_device_open(standin_asked.device, &options, &device) != HAUL_OK) {
        fprintf(stderr, "haul: %s\n", haul_message());
        _exit(2);
    }
    device->driver->context_set(device->context);
    sim_driver_share(&(sim_sharing){let_others, take_back});
    standin_watch_graphs();
    standin_prepare_end();
}

haul_device *standin_device(void) {
    return device;
}

bool standin_is_free(void) {
    if (pthread_mutex_trylock(&lock) != 0) return false;
    pthread_mutex_unlock(&lock);
    return true;
}

/* ---- calls ---- */

void standin_use_runtime(void) {
    uses_runtime = true;
}

const driver_table *standin_enter(void) {
    standin_use_runtime();
    return standin_enter_driver();
}

bool standin_uses_runtime(void) {
    return uses_runtime;
}

const driver_table *standin_enter_driver(void) {
    take();
    if (!device) open_device();
    haul_fail(HAUL_OK, "%s", ""); /* what an earlier call said is not about this one */
    device->driver->context_set(device->context);
    return device->driver;
}

CUresult standin_fail(CUresult result) {
    if (result == CUDA_SUCCESS) result = fault;
    if (result != CUDA_SUCCESS && result != CUDA_NOT_READY) last = result;
    return result;
}

static bool ends_context(CUresult result) {
    return result == CUDA_ILLEGAL_ADDRESS || result == CUDA_LAUNCH_TIMEOUT ||
           (result >= CUDA_ASSERT && result <= CUDA_LAUNCH_FAILED);
}

/* Of a kernel's fault a check has findings. */
static void tell(CUresult result) {
    if (standin_asked.task == STANDIN_CHECK && !ends_context(result))
        standin_check_call(result);
    else if (result != CUDA_NOT_READY && *haul_message())
        fprintf(stderr, "haul: %s\n", haul_message());
}

/* The runtime's error says what kind of failure it was, the driver's message where. */
CUresult standin_leave_driver(CUresult result) {
    if (result != CUDA_SUCCESS && !fault) tell(result);
    if (ends_context(result) && !fault) fault = result;
    sim_driver_record(NULL, 0, NULL);
    if (result == CUDA_SUCCESS) result = fault;
    standin_note_work();
    leave();
    return result;
}

CUresult standin_leave(CUresult result) {
    return standin_fail(standin_leave_driver(result));
}

CUresult standin_last_error(bool clear) {
    const CUresult result = last;
    if (clear) last = fault;
    return result;
}
