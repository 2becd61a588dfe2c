/* Lookups of addresses in device memory while other memory is allocated. */
#include "machine/memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { THREADS = 2, ALLOCATIONS = 3000, LEAST_LOOKUPS = 10000 };

static sim_memory *memory;
static uint64_t known; /* the last allocation in the list: it moves with each one before it */
static atomic_bool ends;
static atomic_uint lookups, lost;

static void *look_up(void *unused) {
    (void)unused;
    sim_range range;
    while (!ends) {
        lookups++;
        if (!sim_memory_find(memory, known, &range) || range.from != known) lost++;
    }
    return NULL;
}

static void what_is_allocated_is_found_while_other_memory_is_allocated(void **state) {
    pthread_t threads[THREADS];
    uint64_t other;
    (void)state;
    assert_int_equal(sim_memory_create(UINT64_C(1) << 30, &memory), HAUL_OK);
    sim_memory_share_lists();
    assert_int_equal(sim_memory_allocate_last(memory, 4096, &known), HAUL_OK);
    for (unsigned i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, look_up, NULL), 0);
    for (unsigned n = 0; n < ALLOCATIONS || lookups < LEAST_LOOKUPS; n++) {
        assert_int_equal(sim_memory_allocate(memory, 512, &other), HAUL_OK);
        if (n >= ALLOCATIONS) assert_int_equal(sim_memory_release(memory, other), HAUL_OK);
    }
    ends = true;
    for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(lost, 0);
    sim_memory_free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_allocated_is_found_while_other_memory_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
