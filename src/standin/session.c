/* The device, one call at a time, and the end of the program. */
#include "standin/standin.h"

#include "base/number.h"
#include "base/status.h"
#include "lib/device.h"
#include "sim/driver/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_LAUNCHES = 3 };
standin_settings standin_asked = {.task = STANDIN_RUN, .device = "sim", .launches = DEFAULT_LAUNCHES};

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static haul_device *device;
static CUresult fault; /* what ended a kernel, and with it the context */
static _Thread_local CUresult last;
static int exit_status;
static bool found;
static pid_t owner; /* the process that opened the device: copies of it have nothing to report */

/* ---- the beginning and the end ---- */

__attribute__((constructor)) static void read_settings(void) {
    const char *task = getenv(STANDIN_TASK), *name = getenv(STANDIN_DEVICE), *launches = getenv(STANDIN_LAUNCHES);
    uint64_t number;
#define TASK(id, text) \
    if (task && strcmp(task, text) == 0) standin_asked.task = STANDIN_##id;
    STANDIN_TASKS(TASK)
#undef TASK
    if (name) standin_asked.device = name;
    if (launches && number_u64(launches, &number) && number) standin_asked.launches = number;
}

/* Work that nobody waited for is done now: what is wrong with it should show. Functions that the program registered
 * earlier, for its own end, run after this one. */
static void end(int status, void *unused) {
    (void)unused;
    if (getpid() != owner) return;
    exit_status = status;
    fflush(stdout);
    found = standin_report();
    standin_report_missing();
}

/* A program that succeeds fails if something was found. What else there is to do at its end has been done by now. */
__attribute__((destructor)) static void leave_with_findings(void) {
    if (!found || exit_status || getpid() != owner) return;
    fflush(NULL);
    _exit(1);
}

static void open_device(void) {
    const haul_device_options options = {.check = standin_asked.task == STANDIN_CHECK};
    if (haul_device_open(standin_asked.device, &options, &device) != HAUL_OK) {
        fprintf(stderr, "haul: %s\n", haul_message());
        _exit(2);
    }
    owner = getpid();
    on_exit(end, NULL);
}

haul_device *standin_device(void) {
    return device;
}

/* ---- calls ---- */

const driver_table *standin_enter(void) {
    pthread_mutex_lock(&lock);
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

/* The runtime's error says what kind of failure it was, the driver's message where. */
CUresult standin_leave(CUresult result) {
    if (result != CUDA_SUCCESS && result != CUDA_NOT_READY && !fault && *haul_message())
        fprintf(stderr, "haul: %s\n", haul_message());
    if (ends_context(result) && !fault) fault = result;
    sim_driver_record(NULL, 0, NULL);
    pthread_mutex_unlock(&lock);
    return standin_fail(result);
}

CUresult standin_last_error(bool clear) {
    const CUresult result = last;
    if (clear) last = fault;
    return result;
}
