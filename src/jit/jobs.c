/* The thread that compiles: a queue of jobs, the heaviest first.
 *
 * Only one job runs at a time, since LLVM's objects are shared. The thread sleeps when the queue is empty, blocks all
 * signals, and is stopped at exit before the library's destructors run. A job of a program that is freed is removed, or
 * waited for if it is running. */
#include "jit/jobs.h"

#include "base/memory.h"
#include "base/own_threads.h"
#include "jit/code.h"
#include "jit/code_cache.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

typedef struct item {
    sim_job job;
    struct item *next;
} item;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;   /* a job was added, removed or done, or the library has been loaded */
    item *first;              /* the heaviest */
    const sim_compiled *busy; /* whose job is being done */
    bool started, stopped, loading;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, false, false, false};

/* With the lock held. */
static bool has_job(const sim_compiled *c) {
    const item *i = queue.first;
    while (i && i->job.program != c) i = i->next;
    return i != NULL;
}

/* Installing cached code does not need LLVM. */
static bool needs_library(const sim_job *j) {
    return j->block != SIM_JOB_CACHED && !sim_compiler_is_loaded();
}

static bool has_job_for_library(void) {
    for (const item *i = queue.first; i; i = i->next)
        if (needs_library(&i->job)) return true;
    return false;
}

void sim_jobs_await_library(void) {
    if (sim_compiler_is_loaded()) return;
    pthread_mutex_lock(&queue.lock);
    while (queue.started && !queue.stopped && (queue.loading || has_job_for_library()))
        pthread_cond_wait(&queue.changed, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}

/* The lock is held before and after. */
static void load_library(void) {
    queue.loading = true;
    pthread_mutex_unlock(&queue.lock);
    (void)sim_compiler();
    pthread_mutex_lock(&queue.lock);
    queue.loading = false;
    pthread_cond_broadcast(&queue.changed);
}

/* The lock is held before and after. */
static void do_job(const sim_job *j) {
    queue.busy = j->program;
    const bool last = !has_job(j->program);
    if (needs_library(j)) load_library();
    pthread_mutex_unlock(&queue.lock);
    sim_compile(j);
    if (last) sim_code_cache_save(j->program->cache);
    pthread_mutex_lock(&queue.lock);
    queue.busy = NULL;
    pthread_cond_broadcast(&queue.changed);
}

/* With the lock held: takes the first job and does it. */
static void do_first(void) {
    item *i = queue.first;
    const sim_job j = i->job;
    queue.first = i->next;
    memory_free(i);
    do_job(&j);
}

/* The thread. */
static void *work(void *unused) {
    (void)unused;
    own_threads_add();
    pthread_mutex_lock(&queue.lock);
    while (!queue.stopped)
        if (queue.first && !queue.busy)
            do_first();
        else
            pthread_cond_wait(&queue.changed, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

/* Exit handler: the library must not end while the thread uses it. */
static void stop(void) {
    pthread_mutex_lock(&queue.lock);
    queue.stopped = true;
    pthread_cond_broadcast(&queue.changed);
    while (queue.busy) pthread_cond_wait(&queue.changed, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}

void sim_compiler_at_exit(void) {
    (void)atexit(stop);
}

/* A child process has no compiling thread, and the library in an unknown state: it only interprets. */
static void forget_thread(void) {
    pthread_mutex_init(&queue.lock, NULL);
    pthread_cond_init(&queue.changed, NULL);
    queue.busy = NULL;
    queue.stopped = true;
    sim_code_cache_after_fork();
}

/* Starts the thread, with all signals blocked. */
static void start(void) {
    pthread_t thread;
    sigset_t all, before;
    (void)pthread_atfork(NULL, NULL, forget_thread);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    queue.started = pthread_create(&thread, NULL, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (queue.started) pthread_detach(thread);
}

/* Inserts the job after those of the same weight. */
static void insert(item *i) {
    item **at = &queue.first;
    while (*at && (*at)->job.weight >= i->job.weight) at = &(*at)->next;
    i->next = *at;
    *at = i;
}

void sim_jobs_add(const sim_job *j) {
    item *i = memory_alloc(sizeof *i);
    if (!i) return;
    i->job = *j;
    pthread_mutex_lock(&queue.lock);
    insert(i);
    if (!queue.started && !queue.stopped) start();
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

/* Does a job at once, in the caller's thread. */
void sim_jobs_do(const sim_job *j) {
    pthread_mutex_lock(&queue.lock);
    while (queue.busy) pthread_cond_wait(&queue.changed, &queue.lock);
    if (!queue.stopped) do_job(j);
    pthread_mutex_unlock(&queue.lock);
}

void sim_jobs_drop(const sim_compiled *c) {
    pthread_mutex_lock(&queue.lock);
    for (item **at = &queue.first; *at;) {
        item *i = *at;
        if (i->job.program != c) {
            at = &i->next;
            continue;
        }
        *at = i->next;
        memory_free(i);
    }
    pthread_cond_broadcast(&queue.changed);
    while (queue.busy == c) pthread_cond_wait(&queue.changed, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}
