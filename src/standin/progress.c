#include "standin/progress.h"

#include "sim/driver/driver.h"
#include "standin/standin.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* A pause that most programs do not make between two calls; those that call all the time are waited for so often. */
enum { PAUSE_NS = 2000000, MOST_PAUSES = 5 };

static atomic_ullong calls;
static atomic_bool has_work;
static sem_t wake;

static void wait_for_a_pause(void) {
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    unsigned long long before;
    int pauses = 0;
    do {
        before = atomic_load(&calls);
        nanosleep(&pause, NULL);
    } while (atomic_load(&calls) != before && ++pauses < MOST_PAUSES);
}

static void *work(void *unused) {
    (void)unused;
    for (;;) {
        while (sem_wait(&wake) != 0) continue;
        wait_for_a_pause();
        atomic_store(&has_work, false);
        for (unsigned i = 0; i < standin_device_count(); i++) {
            standin_select(i);
            standin_enter_driver();
            standin_leave_driver(sim_driver_do_work());
        }
    }
    return NULL;
}

/* The program's signals are for its own threads; those that a thread's own code causes stay. */
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

void standin_note_work(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    if (atomic_load_explicit(&has_work, memory_order_relaxed) || !sim_driver_has_work()) return;
    pthread_once(&once, start);
    atomic_store(&has_work, true);
    sem_post(&wake);
}
