/* The thread that does work that no call waits for (progress.h).
 *
 * Streams of the virtual GPU do their work when a call waits for it, in the thread of that call. A program that
 * waits in another way would wait forever. So each call that leaves work behind wakes this thread
 * (standin_note_work()). The thread first waits for a pause in the program's calls, since most programs are about to
 * wait by a call. Then it does all work, and polls while a kernel waits for the host.
 *
 * Apart from the semaphore, `calls` and `has_work` are the only data that program threads and this one share without
 * the lock of session.c. */
#include "standin/runtime/progress.h"

#include "base/clock.h"
#include "base/own_threads.h"
#include "standin/report.h"
#include "standin/settings.h"
#include "standin/standin.h"
#include "vgpu/driver.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

/* Most programs never pause this long between two calls; for those that call constantly, this many pauses are waited
 * for. A check waits longer: host code that uses memory too early is found only while the work is not done, and the
 * program may not get a processor for a while. */
enum { PAUSE_NS = 2000000, PAUSE_OF_CHECKS_NS = 20000000, MOST_PAUSES = 5 };

enum { SHORTEST_RETRY_NS = 100000, LONGEST_RETRY_NS = 16000000 };
static const double PATIENCE = 10; /* seconds that a kernel waits for the host before a message says so */

static atomic_ullong calls;  /* by the program's threads, so far */
static atomic_bool has_work; /* the thread was woken, and has not begun */
static sem_t wake;
static _Thread_local bool is_own; /* set in the thread that does the work */

/* Returns after a pause without calls, or after MOST_PAUSES with some. */
static void wait_for_a_pause(void) {
    const bool checks = standin_asked.task == STANDIN_CHECK;
    const struct timespec pause = {.tv_nsec = checks ? PAUSE_OF_CHECKS_NS : PAUSE_NS};
    unsigned long long before;
    int pauses = 0;
    do {
        before = atomic_load(&calls);
        nanosleep(&pause, NULL);
    } while (atomic_load(&calls) != before && ++pauses < MOST_PAUSES);
}

/* On all devices. A failure is reported as that of any call (standin_leave_driver()). */
static void do_work(void) {
    for (unsigned i = 0; i < standin_device_count(); i++) {
        standin_select(i);
        standin_enter_driver();
        standin_leave_driver(sim_driver_do_work());
    }
}

/* The name of a kernel that has waited for the program for long. */
static void tell_waiting(double since) {
    static bool is_told;
    if (is_told || clock_seconds() - since < PATIENCE) return;
    standin_enter_driver();
    const char *kernel = sim_driver_waiting_kernel();
    if (kernel)
        fprintf(stderr,
                "haul: kernel %s has looped for %.0f seconds without any change: it waits for "
                "something that the program has not done\n",
                kernel, PATIENCE);
    is_told = kernel;
    standin_leave_driver(CUDA_SUCCESS);
}

/* Whether a kernel has begun and waits for others. */
static bool waits(void) {
    standin_enter_driver();
    const bool is = sim_driver_waiting_kernel();
    standin_leave_driver(CUDA_SUCCESS);
    return is;
}

/* Kernels that wait for the host poll again, less often the longer the host does nothing. */
static void keep_trying(void) {
    struct timespec pause = {.tv_nsec = SHORTEST_RETRY_NS};
    double since = clock_seconds();
    uint64_t news = sim_driver_news();
    while (waits()) {
        nanosleep(&pause, NULL);
        do_work();
        if (pause.tv_nsec < LONGEST_RETRY_NS) pause.tv_nsec *= 2;
        if (news != sim_driver_news()) {
            news = sim_driver_news();
            since = clock_seconds();
            pause.tv_nsec = SHORTEST_RETRY_NS;
        }
        tell_waiting(since);
    }
}

/* Never ends. The process's end does not wait for it. */
static void *work(void *unused) {
    (void)unused;
    is_own = true;
    own_threads_add();
    for (;;) {
        while (sem_wait(&wake) != 0) continue;
        wait_for_a_pause();
        atomic_store(&has_work, false);
        do_work();
        keep_trying();
    }
    return NULL;
}

/* Blocks signals meant for the program's threads, but not those that a thread's own code causes. */
static void start(void) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    pthread_t thread;
    sigset_t all, before;
    sem_init(&wake, 0, 0);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, work, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* While other threads use processor time or make calls, they may still do something. The figures of the last call
 * are kept in static variables: callers hold the lock. */
bool standin_is_alone(unsigned waiting) {
    static unsigned long long seen_time, seen_calls;
    static double since, asked;
    unsigned long long time;
    const unsigned others = own_threads_count_others(&time);
    const unsigned long long now_calls = atomic_load(&calls);
    const double now = clock_seconds();
    if (others && others <= waiting + 1) return true;
    if (time != seen_time || now_calls != seen_calls || now - asked > 1) since = now;
    seen_time = time;
    seen_calls = now_calls;
    asked = now;
    return now - since > PATIENCE;
}

/* Every call of the program ends here, so the common case is two relaxed atomic operations and a look at the
 * streams. */
void standin_note_work(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (is_own) return;
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    if (atomic_load_explicit(&has_work, memory_order_relaxed)) return;
    if (!sim_driver_has_work() && !standin_has_unsaved()) return;
    pthread_once(&once, start);
    atomic_store(&has_work, true);
    sem_post(&wake);
}
