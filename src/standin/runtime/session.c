/* The devices, and the lock that admits one call at a time.
 *
 * The virtual driver serves one thread at a time, so every call of the program takes the lock when it begins
 * (standin_enter()) and releases it when it ends. The lock is recursive, since functions of the runtime call
 * functions of the driver API, which enter again. A call that waits for other threads of the program lets them in:
 * the driver calls let_others() and take_back() (sim_driver_share()).
 *
 * The first call opens all devices. The program numbers them from 0, after CUDA_VISIBLE_DEVICES; the virtual
 * driver's handles of devices never reach it.
 *
 * A kernel's fault ends its device's context, as in CUDA: faults[] has it, and every later call on that device
 * returns it. Other failures are kept for cudaGetLastError(), by thread. */
#include "base/hash.h"
#include "base/status.h"
#include "lib/device.h"
#include "standin/cuda/log.h"
#include "standin/report.h"
#include "standin/runtime/beyond.h"
#include "standin/runtime/caller.h"
#include "standin/runtime/guard.h"
#include "standin/runtime/progress.h"
#include "standin/runtime/terminal.h"
#include "vgpu/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static haul_device *devices[SIM_MOST_DEVICES]; /* by the program's number */
static bool checks_order;                      /* of operations, among each other and with host code */
static bool are_open;                          /* with the lock */
static CUresult faults[SIM_MOST_DEVICES];      /* faults that ended a kernel, and thus the device's contexts */
static _Thread_local unsigned selected;        /* the number of the thread's device */
static _Thread_local CUresult last;            /* for cudaGetLastError() */
static _Thread_local uint64_t calls, launch;   /* the number of calls, and of the latest one that launched a kernel */
static _Thread_local struct {
    standin_caller caller; /* the call whose error is the last one; with checks only */
    uint64_t call;         /* its number */
} failing;
/* Of the call in progress: its failure is an answer; it launches. */
static _Thread_local bool is_answer, is_launch;
static _Thread_local bool uses_runtime;
static atomic_bool some_thread_uses_runtime;

/* ---- one thread at a time ---- */

static _Thread_local unsigned held, let_go; /* how often the thread holds the lock, and had released it */
static _Thread_local bool is_beside;        /* its call may come while kernels run; the outermost one decides */
static _Thread_local bool is_in_run;        /* it runs a kernel, without the lock */
static unsigned runs;                       /* threads that do */
static unsigned waiting_alone;              /* threads that wait until there are none */
static pthread_cond_t run_has_ended = PTHREAD_COND_INITIALIZER;
static atomic_bool is_held_up; /* calls wait (standin_hold_up()) */
static pthread_cond_t goes_on = PTHREAD_COND_INITIALIZER;

/* Waits until a kernel's run has ended. The condition releases the lock only once. */
static void await_run(void) {
    const unsigned further = held - 1;
    for (unsigned i = 0; i < further; i++) pthread_mutex_unlock(&lock);
    pthread_cond_wait(&run_has_ended, &lock);
    for (unsigned i = 0; i < further; i++) pthread_mutex_lock(&lock);
}

/* From now on the thread's call has the devices for itself. */
static void be_alone(void) {
    is_beside = false;
    waiting_alone++;
    while (runs) await_run();
    waiting_alone--;
}

static void take(bool beside) {
    pthread_mutex_lock(&lock);
    while (is_held_up && !held) pthread_cond_wait(&goes_on, &lock);
    if (!held++) is_beside = beside;
    if (!is_beside || !beside) be_alone();
    if (held > 1 || !are_open || !checks_order) return;
    devices[selected]->driver->context_set(devices[selected]->context);
    standin_unguard();
}

static void leave(void) {
    if (!--held && are_open && checks_order) standin_guard(runs > 0);
    pthread_mutex_unlock(&lock);
}

/* Releases the lock as often as the thread holds it. */
static void let_others(void) {
    for (let_go = held; held;) leave();
}

static void take_back(void) {
    const bool beside = is_beside;
    while (held < let_go) take(beside);
}

/* A thread that waits to be alone gets its turn first: until then kernels run with the lock held. */
static bool begin_run(void) {
    if (waiting_alone) return false;
    is_in_run = true;
    runs++;
    let_others();
    return true;
}

static void end_run(void) {
    pthread_mutex_lock(&lock);
    for (held = 1; held < let_go; held++) pthread_mutex_lock(&lock);
    runs--;
    is_in_run = false;
    pthread_cond_broadcast(&run_has_ended);
    if (!is_beside) be_alone();
}

/* ---- the device ---- */

/* The devices that the program sees, in that order. */
static unsigned visible[SIM_MOST_DEVICES], visible_count;

static bool is_visible(unsigned long number) {
    for (unsigned i = 0; i < visible_count; i++)
        if (visible[i] == number) return true;
    return false;
}

/* Numbers up to the first that is invalid or repeated, as CUDA reads them. */
static void read_visible(const char *list, unsigned most) {
    for (char *end; list && visible_count < most; list = *end == ',' ? end + 1 : NULL) {
        const unsigned long number = strtoul(list, &end, 10);
        if (end == list || number >= most || is_visible(number)) return;
        visible[visible_count++] = (unsigned)number;
    }
}

/* A list that names none of them is meant for other devices, so it is ignored. */
static void choose_visible(void) {
    const unsigned all = standin_asked.gpus ? (unsigned)standin_asked.gpus : 1;
    if (all > 1) read_visible(getenv("CUDA_VISIBLE_DEVICES"), all);
    if (visible_count) return;
    for (; visible_count < all; visible_count++) visible[visible_count] = visible_count;
}

/* Only a report needs counters, and only launches that it is about are checked. Contents of L2 after a launch are known
 * only if it is counted. */
static haul_counting counting(void) {
    switch (standin_asked.task) {
    case STANDIN_CHECK: return HAUL_COUNT_RECORDED;
    case STANDIN_PROFILE: return standin_asked.keep_l2 ? HAUL_COUNT_ALL : HAUL_COUNT_RECORDED;
    default: return HAUL_COUNT_NONE;
    }
}

/* Makes several devices one program, so that each knows the others' addresses. */
static haul_status join_devices(unsigned number) {
    CUcontext contexts[SIM_MOST_DEVICES];
    for (unsigned i = 0; i < number; i++) contexts[i] = devices[i]->context;
    return number > 1 ? sim_driver_join(contexts, number) : HAUL_OK;
}

/* Each device is opened with its context current, since some settings are the current context's. */
static haul_status open_all(const haul_device_options *options, unsigned number) {
    for (unsigned i = 0; i < number; i++) {
        HAUL_TRY(device_open_further(standin_asked.device, visible[i], options, &devices[i]));
        devices[i]->driver->context_set(devices[i]->context);
        standin_allow_beyond();
    }
    return join_devices(number);
}

/* Reports know the launches in progress, so with them kernels run alone. */
static void share(void) {
    sim_sharing how = {.let_go = let_others, .take_back = take_back, .is_alone = standin_is_alone};
    if (standin_asked.task == STANDIN_RUN) {
        how.begin_run = begin_run;
        how.end_run = end_run;
        how.await_run = await_run;
    }
    sim_driver_share(&how);
}

/* Ends the program with status 2 if that fails: no call could return anything useful. */
static void open_devices(void) {
    haul_device_options options = {.threads = (uint32_t)standin_asked.threads,
                                   .instruction_limit = standin_asked.limit,
                                   .memory_bytes = standin_asked.memory,
                                   .heap_bytes = standin_asked.heap,
                                   .stack_bytes = standin_asked.stack,
                                   .check = standin_asked.task == STANDIN_CHECK,
                                   .strict = standin_asked.strict,
                                   .counting = counting(),
                                   .keep_l2 = standin_asked.keep_l2,
                                   .sample_blocks = standin_asked.sample,
                                   .most_registers = (uint32_t)standin_asked.most_registers};
    if ((standin_asked.schedule && device_read_schedule(standin_asked.schedule, &options) != HAUL_OK) ||
        open_all(&options, standin_device_count()) != HAUL_OK) {
        fprintf(stderr, "haul: %s\n", haul_message());
        _exit(2);
    }
    are_open = true;
    devices[0]->driver->context_set(devices[0]->context);
    if (standin_asked.task == STANDIN_CHECK && !(checks_order = standin_watch_order() == HAUL_OK))
        fprintf(stderr, "haul: no memory to check the order of the program's operations\n");
    share();
    standin_watch_graphs();
    standin_watch_placed();
    standin_show_launches();
    standin_open_saved();
    standin_prepare_end();
}

haul_device *standin_device(void) {
    return devices[selected];
}

/* May run in any thread before the first call, hence the once. */
unsigned standin_device_count(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose_visible);
    return visible_count;
}

bool standin_is_device(int number) {
    return number >= 0 && (unsigned)number < standin_device_count();
}

haul_device *standin_device_at(unsigned number) {
    return devices[number];
}

unsigned standin_number_of(CUdevice handle) {
    for (unsigned i = 0; i < standin_device_count(); i++)
        if (devices[i]->handle == handle) return i;
    return 0;
}

unsigned standin_selected(void) {
    return selected;
}

unsigned standin_select(unsigned number) {
    const unsigned before = selected;
    selected = number;
    if (are_open) devices[number]->driver->context_set(devices[number]->context);
    return before;
}

CUresult standin_synchronize(unsigned number) {
    const unsigned before = standin_select(number);
    const CUresult result = devices[number]->driver->synchronize();
    (void)standin_select(before);
    return result;
}

void standin_synchronize_all(void) {
    for (unsigned i = 0; i < standin_device_count(); i++) (void)standin_synchronize(i);
}

void standin_hold_up(void) {
    (void)standin_enter_driver();
    standin_synchronize_all();
    is_held_up = true;
    (void)standin_leave_driver(CUDA_SUCCESS);
}

void standin_go_on(void) {
    pthread_mutex_lock(&lock);
    is_held_up = false;
    pthread_cond_broadcast(&goes_on);
    pthread_mutex_unlock(&lock);
}

/* For signal handlers, too. */
void standin_end_hold_up(void) {
    is_held_up = false;
}

/* Waits for a moment, as another thread may be in a short call. False if the lock stays held. */
bool standin_is_free(void) {
    enum { PATIENCE_NS = 200000000 };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_mutex_timedlock(&lock, &until) != 0) return false;
    const bool is_free = !runs;
    pthread_mutex_unlock(&lock);
    return is_free;
}

bool standin_is_in_call(void) {
    return held > 0 || is_in_run;
}

/* ---- calls ---- */

void standin_use_runtime(void) {
    uses_runtime = true;
    some_thread_uses_runtime = true;
}

const driver_table *standin_enter(void) {
    standin_use_runtime();
    return standin_enter_driver();
}

bool standin_uses_runtime(void) {
    return uses_runtime;
}

bool standin_has_runtime(void) {
    return some_thread_uses_runtime;
}

/* The driver keeps its current context by thread of its own, so it is set for each call. */
static const driver_table *enter(bool beside) {
    take(beside);
    calls += held == 1;
    if (!are_open) open_devices();
    haul_fail(HAUL_OK, "%s", ""); /* clear the message of an earlier call */
    const driver_table *driver = devices[selected]->driver;
    driver->context_set(devices[selected]->context);
    return standin_asked.leaks ? standin_watch_resources(driver) : driver;
}

const driver_table *standin_enter_driver(void) {
    return enter(false);
}

const driver_table *standin_enter_driver_beside(void) {
    return enter(are_open);
}

const driver_table *standin_enter_beside(void) {
    standin_use_runtime();
    return standin_enter_driver_beside();
}

void standin_be_alone(void) {
    be_alone();
}

/* After a fault, success becomes that fault. CUDA_NOT_READY is an answer, not an error. */
CUresult standin_fail(CUresult result) {
    if (result == CUDA_SUCCESS) result = faults[selected];
    if (result == CUDA_SUCCESS || result == CUDA_NOT_READY) return result;
    last = result;
    failing.call = calls;
    if (standin_asked.task == STANDIN_CHECK) failing.caller = standin_caller_now();
    return result;
}

CUresult standin_answer(CUresult result) {
    is_answer = result != CUDA_SUCCESS;
    return result;
}

void standin_note_launch(void) {
    launch = calls;
}

/* Errors after which CUDA requires the process to end: contexts are unusable. */
static bool ends_context(CUresult result) {
    return result == CUDA_ILLEGAL_ADDRESS || result == CUDA_LAUNCH_TIMEOUT || result == CUDA_ASSERT ||
           (result >= CUDA_HARDWARE_STACK_ERROR && result <= CUDA_LAUNCH_FAILED);
}

/* A program that continues after a failure gets it again and again. Only the message before is remembered. */
static bool is_new(const char *message) {
    static uint64_t told;
    const uint64_t hash = hash_bytes(HASH_START, message, strlen(message));
    const bool is = hash != told;
    told = hash;
    return is;
}

/* A check reports a kernel's fault as a finding. */
static void tell(CUresult result) {
    if (standin_asked.task == STANDIN_CHECK && !(ends_context(result) && standin_has_fault()))
        standin_check_call(result, is_launch);
    else if (result != CUDA_NOT_READY && *haul_message() && is_new(haul_message()))
        fprintf(stderr, "haul: %s\n", haul_message());
}

/* The failed kernel's device may differ from the thread's. The device's first fault stays. */
static void note_fault(CUresult result) {
    const CUdevice failed = sim_driver_failed_device();
    CUresult *fault = &faults[failed < 0 ? selected : standin_number_of(failed)];
    if (!*fault) *fault = result;
}

/* The runtime's error tells the kind of failure, the driver's message the place. A launch's record is asked for
 * within one call only, so it is withdrawn here. */
CUresult standin_leave_driver(CUresult result) {
    if (result != CUDA_SUCCESS && result != CUDA_NOT_READY && *haul_message()) cuda_add_log(haul_message());
    if (result != CUDA_SUCCESS && !faults[selected] && !is_answer) tell(result);
    is_answer = is_launch = false;
    if (ends_context(result)) note_fault(result);
    sim_driver_record(NULL, 0, NULL);
    if (standin_asked.task != STANDIN_RUN && held == 1) standin_look_at_done();
    if (result == CUDA_SUCCESS) result = faults[selected];
    standin_note_work();
    leave();
    return result;
}

CUresult standin_leave(CUresult result) {
    return standin_fail(standin_leave_driver(result));
}

/* CUDA's own setting: each launch waits for its kernel. */
static bool launches_wait(void) {
    const char *asked = getenv("CUDA_LAUNCH_BLOCKING");
    return asked && atoi(asked);
}

/* The fault is noted, so the next call returns it. */
CUresult standin_leave_launch_of_driver(CUresult result) {
    const bool was_usable = !faults[selected];
    is_launch = true;
    result = standin_leave_driver(result);
    return was_usable && ends_context(result) && !launches_wait() ? CUDA_SUCCESS : result;
}

CUresult standin_leave_launch(CUresult result) {
    result = standin_leave_launch_of_driver(result);
    return result == CUDA_SUCCESS ? result : standin_fail(result);
}

/* A kernel's fault is reported by itself. */
static void check_last_error(void) {
    if (standin_asked.task != STANDIN_CHECK || last == CUDA_SUCCESS || faults[selected] || !failing.caller.address)
        return;
    take(false);
    standin_check_asked(&failing.caller, last, failing.call != calls, launch == calls);
    leave();
}

CUresult standin_last_error(bool clear) {
    const CUresult result = last;
    check_last_error();
    if (clear) last = faults[selected];
    return result;
}
