/* Parallel loops on the process's worker threads. */
#include "base/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 1000, THREADS = 4 };

typedef struct tally {
    atomic_uint times[COUNT];
    atomic_uint workers; /* a bit for each that made an iteration */
    unsigned plain[COUNT];
} tally;

static void note(void *context, size_t index, unsigned worker) {
    tally *t = context;
    atomic_fetch_add(&t->times[index], 1);
    atomic_fetch_or(&t->workers, 1u << worker);
    t->plain[index]++;
}

static bool each_once(const tally *t) {
    for (size_t i = 0; i < COUNT; i++)
        if (t->times[i] != 1 || t->plain[i] != 1) return false;
    return true;
}

static void each_index_is_run_once(void **state) {
    (void)state;
    tally t = {0};
    pool_for(COUNT, THREADS, note, &t);
    assert_true(each_once(&t));
}

static void workers_have_numbers_below_the_threads(void **state) {
    (void)state;
    tally t = {0};
    pool_for(COUNT, THREADS, note, &t);
    assert_int_equal(t.workers >> THREADS, 0);
}

static void one_thread_is_the_caller(void **state) {
    (void)state;
    tally t = {0};
    pool_for(COUNT, 1, note, &t);
    assert_true(each_once(&t));
    assert_int_equal(t.workers, 1);
}

static void no_index_is_no_work(void **state) {
    (void)state;
    tally t = {0};
    pool_for(0, THREADS, note, &t);
    assert_int_equal(t.workers, 0);
}

/* A loop's writes are visible when it returns, however soon the next loop begins. */
static void loops_follow_each_other(void **state) {
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        tally t = {0};
        pool_for(round % 7 + 1, THREADS, note, &t);
        for (size_t i = 0; i < round % 7 + 1; i++) assert_int_equal(t.plain[i], 1);
    }
}

static void *run_loops(void *failed) {
    for (unsigned round = 0; round < 50; round++) {
        tally t = {0};
        pool_for(COUNT, THREADS, note, &t);
        if (!each_once(&t)) *(bool *)failed = true;
    }
    return NULL;
}

static void several_threads_run_loops(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    bool failed[THREADS] = {0};
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_loops, &failed[i]), 0);
    for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++) assert_false(failed[i]);
}

/* A child has none of its parent's threads. */
static void a_child_has_workers_of_its_own(void **state) {
    (void)state;
    tally t = {0};
    pool_for(COUNT, THREADS, note, &t);
    const pid_t child = fork();
    if (child == 0) {
        tally own = {0};
        pool_for(COUNT, THREADS, note, &own);
        _exit(each_once(&own) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_index_is_run_once),         cmocka_unit_test(workers_have_numbers_below_the_threads),
        cmocka_unit_test(one_thread_is_the_caller),       cmocka_unit_test(no_index_is_no_work),
        cmocka_unit_test(loops_follow_each_other),        cmocka_unit_test(several_threads_run_loops),
        cmocka_unit_test(a_child_has_workers_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
