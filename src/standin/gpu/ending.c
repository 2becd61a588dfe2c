/* The end of the program, whichever it is: the report is printed once. A process that was forked off has nothing to
 * report. */
#include "base/signals.h"
#include "standin/gpu/gpu.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t owner; /* the process that uses the driver */
static atomic_bool reported;

/* Launches that nobody waited for are waited for now. */
static void report_once(void) {
    if (getpid() != owner || atomic_exchange(&reported, true)) return;
    fflush(stdout);
    gpu_lock();
    gpu_finish(NULL);
    gpu_report();
    gpu_unlock();
}

/* The driver's own end, which was registered before, comes after this. */
static void at_exit(int status, void *unused) {
    (void)status, (void)unused;
    report_once();
}

_Noreturn static void leave(int status) {
    report_once();
    for (;;) syscall(SYS_exit_group, status);
}

void _exit(int status) {
    leave(status);
}

void _Exit(int status) {
    leave(status);
}

/* ---- a program that a signal ends ---- */

/* The driver may have been hit in the middle of a call, so nothing is waited for: what has been timed is reported. If
 * that comes to nothing the program ends all the same. */
static void end_by_signal(int number, siginfo_t *about, void *context) {
    (void)about, (void)context;
    signal(SIGALRM, SIG_DFL);
    alarm(GPU_MOST_SECONDS);
    if (getpid() == owner && gpu_try_lock()) {
        if (!atomic_exchange(&reported, true)) gpu_report();
        gpu_unlock();
    }
    raise(number); /* the handler is gone */
}

static void prepare(void) {
    owner = getpid();
    gpu_prepare_report();
    on_exit(at_exit, NULL);
    signals_handle(SIGSEGV, end_by_signal);
    signals_handle_ends(end_by_signal);
}

void gpu_prepare_end(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
}
