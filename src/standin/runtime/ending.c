/* The end of the program, however it ends: the report is printed once, and findings turn success into failure. A
 * forked process has nothing to report.
 *
 * There are three ways to end. exit() and a return from main() call at_exit(), then the library's destructor, which
 * can still change the status. _exit() and _Exit() are replaced by this library's. A signal calls its handler, with
 * an alarm in case the report does not end. The first of them to come prints the report; `reported` stops the
 * others. */
#include "base/signals.h"
#include "base/terminal_line.h"
#include "standin/runtime/beyond.h"
#include "standin/runtime/guard.h"
#include "standin/runtime/touch.h"
#include "standin/report.h"
#include "standin/settings.h"
#include "standin/standin.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_SECONDS = 20 }; /* time limit for the report of a program that a signal ends */

static pid_t owner;     /* the process that opened the device */
static int exit_status; /* as passed to exit() */
static bool found;      /* a finding makes a check fail */
static atomic_bool reported;

/* Does work that nobody waited for, so that its errors show. */
static void report_once(bool interrupted) {
    if (getpid() != owner || atomic_exchange(&reported, true)) return;
    standin_end_hold_up();
    fflush(stdout);
    found = standin_report(interrupted);
    standin_report_beyond();
    standin_report_missing();
    standin_report_missing_driver();
    standin_close_saved();
}

/* Functions that the program registered earlier, for its own end, run after this one. */
static void at_exit(int status, void *unused) {
    (void)unused;
    exit_status = status;
    report_once(false);
}

/* Findings make success a failure, but a failure keeps its status. */
static int status_with_findings(int status) {
    return found && status == 0 && getpid() == owner ? 1 : status;
}

/* By now everything else at the program's end is done. */
__attribute__((destructor)) static void leave_with_findings(void) {
    if (status_with_findings(exit_status) == exit_status) return;
    fflush(NULL);
    _exit(1);
}

/* ---- a program that ends at once ---- */

/* Does what the C library's _exit() does: the system call cannot fail, so the loop only satisfies the compiler. */
_Noreturn static void leave(int status) {
    report_once(false);
    for (;;) syscall(SYS_exit_group, status_with_findings(status));
}

void _exit(int status) {
    leave(status);
}

void _Exit(int status) {
    leave(status);
}

/* ---- a program that a signal ends ---- */

/* The report may use state that the program was changing when it was interrupted. If it fails, the program still ends,
 * by the alarm or by another signal. */
static void end_by_signal(int number, siginfo_t *about, void *context) {
    if (number == SIGSEGV && standin_take_guarded(about, context)) {
        signals_again(number, end_by_signal);
        return;
    }
    terminal_line_erase();
    signal(SIGALRM, SIG_DFL);
    alarm(MOST_SECONDS);
    if (number == SIGSEGV) standin_tell_touch(about, context);
    report_once(standin_is_in_call() || !standin_is_free());
    raise(number); /* the handler is reset */
}

signals_handler *standin_segv_handler(void) {
    return end_by_signal;
}

/* Called once, when the devices are opened. Only tasks with a report care about signals other than SIGSEGV. */
void standin_prepare_end(void) {
    owner = getpid();
    on_exit(at_exit, NULL);
    signals_handle(SIGSEGV, end_by_signal);
    if (standin_asked.task != STANDIN_RUN) signals_handle_ends(end_by_signal);
}
