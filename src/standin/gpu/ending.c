/* The end of the program, however it ends: the report is printed once. A forked process has nothing to report. */
#include "base/signals.h"
#include "standin/gpu/gpu.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t owner;          /* the process that uses the driver */
static atomic_bool reported; /* by any thread, and by a signal's handler */

/* Launches that nobody waited for are waited for now. */
static void report_once(void) {
    if (getpid() != owner || atomic_exchange(&reported, true)) return;
    fflush(stdout);
    gpu_lock();
    gpu_finish(NULL);
    gpu_report();
    gpu_unlock();
}

/* The driver registered its own end before, so that it comes after this. */
static void at_exit(int status, void *unused) {
    (void)status, (void)unused;
    report_once();
}

/* As the C library's _exit(), after the report. */
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

/* The signal may have interrupted a driver call, so nothing is waited for: the report has the launches timed so far. If
 * it fails, the program still ends. */
static void end_by_signal(int number, siginfo_t *about, void *context) {
    (void)about, (void)context;
    signal(SIGALRM, SIG_DFL);
    alarm(GPU_MOST_SECONDS);
    if (getpid() == owner && gpu_try_lock()) {
        if (!atomic_exchange(&reported, true)) gpu_report();
        gpu_unlock();
    }
    raise(number); /* the handler is reset */
}

static void prepare(void) {
    owner = getpid();
    gpu_prepare_report();
    on_exit(at_exit, NULL);
    signals_handle(SIGSEGV, end_by_signal);
    signals_handle_ends(end_by_signal);
}

/* Once, when cuInit() has succeeded for the first time. */
void gpu_prepare_end(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
}
