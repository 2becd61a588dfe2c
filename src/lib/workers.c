/* Implements lib/workers.h: threads that take parts of the first job in a queue.
 *
 * A job stays at the head until all of its parts are taken, so a job of several parts occupies several threads, and
 * jobs are begun in the order of submission. The lock protects the queue and the counts of all jobs in it; the parts
 * themselves run without it. A job's memory belongs to the caller, who must wait for the job before reusing it. */
#include "lib/workers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"

#include <pthread.h>
#include <stdio.h>

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t work, done;  /* work: there is a job, or the pool ends; done: a job is done */
    workers_job *first, **last; /* with parts that no thread has taken */
    pthread_t *threads;
    unsigned count;
    bool ends; /* threads return once the queue is empty */
};

/* Takes a part of the first job, which leaves the queue with its last part. The caller holds the lock, and the queue is
 * not empty. */
static workers_job *take(workers *w, unsigned *part) {
    workers_job *job = w->first;
    *part = job->given++;
    if (*part == 0) job->start = clock_seconds();
    if (job->given == job->parts) {
        w->first = job->next;
        if (!w->first) w->last = &w->first;
    }
    return job;
}

/* Counts a finished part, and keeps the first failure. Messages belong to threads, so it is copied. The caller holds
 * the lock. */
static void finish(workers *w, workers_job *job, haul_status status) {
    if (status != HAUL_OK && job->status == HAUL_OK) {
        job->status = status;
        snprintf(job->message, sizeof job->message, "%s", haul_message());
    }
    if (++job->done < job->parts) return;
    job->end = clock_seconds();
    pthread_cond_broadcast(&w->done);
}

/* The loop of a thread. */
static void *work(void *context) {
    workers *w = context;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->first && !w->ends) pthread_cond_wait(&w->work, &w->lock);
        if (!w->first) break;
        unsigned part;
        workers_job *job = take(w, &part);
        pthread_mutex_unlock(&w->lock);
        const haul_status status = job->part(job->context, part, job->parts);
        pthread_mutex_lock(&w->lock);
        finish(w, job, status);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Fewer threads than asked for are enough, as long as there is one. 0 threads make a pool that must get no jobs. */
haul_status workers_create(unsigned threads, workers **pool) {
    *pool = NULL;
    workers *w = memory_zeroed(1, sizeof *w);
    pthread_t *list = memory_zeroed(threads, sizeof *list);
    if (!w || !list) {
        memory_free(w);
        memory_free(list);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "threads: no memory for %u of them", threads);
    }
    *w = (workers){.last = &w->first, .threads = list};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->work, NULL);
    pthread_cond_init(&w->done, NULL);
    while (w->count < threads && pthread_create(&w->threads[w->count], NULL, work, w) == 0) w->count++;
    if (w->count == 0 && threads > 0) {
        workers_free(w);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY,
                         "threads: the host starts no more threads: raise its limit (ulimit -u)");
    }
    *pool = w;
    return HAUL_OK;
}

void workers_free(workers *w) {
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    pthread_cond_broadcast(&w->work);
    pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->count; i++) pthread_join(w->threads[i], NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->work);
    pthread_cond_destroy(&w->done);
    memory_free(w->threads);
    memory_free(w);
}

void workers_submit(workers *w, workers_job *job) {
    job->given = job->done = 0;
    job->status = HAUL_OK;
    job->submitted = true;
    job->next = NULL;
    pthread_mutex_lock(&w->lock);
    *w->last = job;
    w->last = &job->next;
    pthread_cond_broadcast(&w->work);
    pthread_mutex_unlock(&w->lock);
}

bool workers_is_done(workers *w, const workers_job *job) {
    if (!job->submitted) return true;
    pthread_mutex_lock(&w->lock);
    const bool done = job->done == job->parts;
    pthread_mutex_unlock(&w->lock);
    return done;
}

/* The failure becomes this thread's message. Waiting again for the same job succeeds. */
haul_status workers_wait(workers *w, workers_job *job) {
    if (!job->submitted) return HAUL_OK;
    pthread_mutex_lock(&w->lock);
    while (job->done < job->parts) pthread_cond_wait(&w->done, &w->lock);
    pthread_mutex_unlock(&w->lock);
    job->submitted = false;
    return job->status == HAUL_OK ? HAUL_OK : haul_fail(job->status, "%s", job->message);
}
