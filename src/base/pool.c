/* One pool of threads for all parallel loops of the process.
 *
 * Threads are started when the first loop wants them, and sleep between loops. Any number of loops may be running, also
 * within each other: the caller always works on its own loop, and workers join loops that want more threads, so nothing
 * waits for a free worker. Indices are handed out one by one, which balances bodies of unequal length; results must not
 * depend on who runs which. */
#include "base/pool.h"

#include "base/own_threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A loop lives on its caller's stack. It is in the list while it has indices to give out. */
typedef struct loop {
    pool_body *body;
    void *context;
    size_t count;
    unsigned threads;    /* at most */
    unsigned joined;     /* threads that have a number, the caller's 0 among them; with the lock */
    atomic_size_t next;  /* index to be given out */
    atomic_uint running; /* workers in it; the caller waits until there are none */
    struct loop *following;
} loop;

enum { MOST_WORKERS = 255 };

/* Loops of a launch follow each other closely, and waking a thread takes longer than many of them. So a worker, and a
 * caller that waits for workers, polls for a moment before it sleeps. */
enum { SPIN_NS = 20000, SPIN_STEPS = 64 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    loop *first;
    unsigned workers, asleep;
    atomic_uint news; /* counts loops, so that workers which spin see a new one */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

unsigned pool_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    const int count = CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}

/* ---- waiting ---- */

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Looks at `value` for a moment. Returns whether it has become something else than `old`. */
static bool spin_while_equal(const atomic_uint *value, unsigned old) {
    const uint64_t end = now_ns() + SPIN_NS;
    do {
        for (int i = 0; i < SPIN_STEPS; i++) {
            if (atomic_load_explicit(value, memory_order_acquire) != old) return true;
            relax();
        }
    } while (now_ns() < end);
    return false;
}

/* ---- loops ---- */

/* Runs bodies until there are no more indices. */
static void run(loop *l, unsigned worker) {
    for (;;) {
        const size_t index = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
        if (index >= l->count) return;
        l->body(l->context, index, worker);
    }
}

/* With the lock held: a loop that wants one more thread, which then has a number there; NULL if there is none. */
static loop *join(unsigned *worker) {
    for (loop *l = pool.first; l; l = l->following) {
        if (l->joined == l->threads || atomic_load_explicit(&l->next, memory_order_relaxed) >= l->count) continue;
        *worker = l->joined++;
        atomic_fetch_add_explicit(&l->running, 1, memory_order_relaxed);
        return l;
    }
    return NULL;
}

static void leave(loop *l) {
    /* The loop ends with its caller's stack frame as soon as nobody runs in it: so the count is the last access. */
    pthread_mutex_lock(&pool.lock);
    if (atomic_fetch_sub_explicit(&l->running, 1, memory_order_release) == 1) pthread_cond_broadcast(&pool.done);
    pthread_mutex_unlock(&pool.lock);
}

/* A worker: joins loops, polls for a moment, and sleeps. */
static void *work(void *unused) {
    (void)unused;
    own_threads_add();
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        unsigned worker;
        loop *l = join(&worker);
        const unsigned news = atomic_load_explicit(&pool.news, memory_order_relaxed);
        pthread_mutex_unlock(&pool.lock);
        if (l) {
            run(l, worker);
            leave(l);
        } else if (!spin_while_equal(&pool.news, news)) {
            pthread_mutex_lock(&pool.lock);
            pool.asleep++;
            while (atomic_load_explicit(&pool.news, memory_order_relaxed) == news)
                pthread_cond_wait(&pool.work, &pool.lock);
            pool.asleep--;
            continue;
        }
        pthread_mutex_lock(&pool.lock);
    }
    return NULL;
}

/* ---- workers ---- */

/* A child has its parent's memory, but none of its threads. */
static void forget_workers(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.workers = pool.asleep = 0;
    pool.first = NULL;
}

static void watch_forks(void) {
    (void)pthread_atfork(NULL, NULL, forget_workers);
}

/* With the lock held: starts workers until there are `wanted`, or the system gives no more. They leave signals to the
 * program's own threads. */
static void start_workers(unsigned wanted) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const int own[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                              SIGABRT, SIGTRAP, SIGSYS}; /* what a thread does itself */
    sigset_t all, before;
    if (pool.workers >= wanted) return;
    pthread_once(&once, watch_forks);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (pthread_t thread; pool.workers < wanted && pthread_create(&thread, NULL, work, NULL) == 0; pool.workers++)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Shows the loop to the workers and wakes as many as it wants. */
static void announce(loop *l) {
    const unsigned wanted = l->threads - 1;
    pthread_mutex_lock(&pool.lock);
    start_workers(wanted < MOST_WORKERS ? wanted : MOST_WORKERS);
    l->following = pool.first;
    pool.first = l;
    atomic_fetch_add_explicit(&pool.news, 1, memory_order_release);
    if (pool.asleep && wanted > 1)
        pthread_cond_broadcast(&pool.work);
    else if (pool.asleep)
        pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.lock);
}

/* Nobody joins the loop any more; waits for those who have. */
static void retire(loop *l) {
    pthread_mutex_lock(&pool.lock);
    loop **link = &pool.first;
    while (*link != l) link = &(*link)->following;
    *link = l->following;
    pthread_mutex_unlock(&pool.lock);
    unsigned running = atomic_load_explicit(&l->running, memory_order_acquire);
    while (running && spin_while_equal(&l->running, running))
        running = atomic_load_explicit(&l->running, memory_order_acquire);
    /* Takes the lock in any case: the last worker has it until its last access to the loop. */
    pthread_mutex_lock(&pool.lock);
    while (atomic_load_explicit(&l->running, memory_order_acquire)) pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

void pool_for(size_t count, unsigned threads, pool_body *body, void *context) {
    if (threads > count) threads = (unsigned)count;
    if (threads <= 1) {
        for (size_t i = 0; i < count; i++) body(context, i, 0);
        return;
    }
    loop l = {.body = body, .context = context, .count = count, .threads = threads, .joined = 1};
    announce(&l);
    run(&l, 0);
    retire(&l);
}
