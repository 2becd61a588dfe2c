/* Memory for shadows: what a launch has used is left to the next one. */
#include "check/shadow_memory.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHUNK = 1 << 17, REGION = 8 << 20 };

static void the_next_launch_gets_the_same_memory(void **state) {
    (void)state;
    sim_shadow_memory *m = sim_shadow_memory_create();
    char *first = sim_shadow_memory_take(m, CHUNK), *second = sim_shadow_memory_take(m, CHUNK);
    memset(first, 1, CHUNK);
    assert_ptr_equal(second, first + CHUNK);
    sim_shadow_memory_end_launch(m);
    assert_ptr_equal(sim_shadow_memory_take(m, CHUNK), first);
    sim_shadow_memory_free(m);
}

/* With memory_fail_after(1), memory can be had only from what is left. */
static bool can_take_without_host(sim_shadow_memory *m) {
    memory_fail_after(1);
    const bool can = sim_shadow_memory_take(m, REGION) != NULL;
    memory_fail_after(0);
    return can;
}

static void the_host_gets_back_what_the_last_launch_has_not_used(void **state) {
    (void)state;
    sim_shadow_memory *m = sim_shadow_memory_create();
    assert_non_null(sim_shadow_memory_take(m, REGION));
    assert_non_null(sim_shadow_memory_take(m, REGION));
    sim_shadow_memory_end_launch(m);
    assert_true(can_take_without_host(m));
    sim_shadow_memory_end_launch(m);
    assert_true(can_take_without_host(m));
    assert_false(can_take_without_host(m));
    assert_non_null(sim_shadow_memory_take(m, REGION));
    sim_shadow_memory_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_launch_gets_the_same_memory),
        cmocka_unit_test(the_host_gets_back_what_the_last_launch_has_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
