/* Allocations come and go: the marks of the bytes that have been written, and what the host cannot give. */
#include "base/status.h"
#include "machine/host.h"
#include "machine/marks.h"
#include "machine/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

enum { COUNT = 64, BYTES = 5120, FEW_FAULTS = 1024 }; /* 8 GiB have 128 pages of states */

static sim_memory *start(uint64_t bytes) {
    sim_memory *memory;
    assert_int_equal(sim_memory_create(bytes, &memory), HAUL_OK);
    sim_memory_keep_apart(memory);
    return memory;
}

/* True if all words of an allocation have, or lack, the marks of four bytes. */
static bool has_only(const sim_memory *memory, uint64_t address, unsigned marks) {
    uint64_t first;
    const sim_marks *written = sim_memory_written(memory, address, &first);
    for (unsigned i = 0; i < BYTES; i += 4)
        if (sim_marks_word(written, first + i) != marks) return false;
    return true;
}

/* Several allocations have their marks in one page. */
static void only_what_is_freed_loses_its_marks(void **state) {
    (void)state;
    sim_memory *memory = start(UINT64_C(1) << 30);
    uint64_t at[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(sim_memory_allocate(memory, BYTES, &at[i]), HAUL_OK);
        sim_memory_mark_written(memory, at[i], BYTES);
    }
    for (unsigned i = 0; i < COUNT; i += 3) assert_int_equal(sim_memory_release(memory, at[i]), HAUL_OK);
    for (unsigned i = 0; i < COUNT; i++) assert_true(has_only(memory, at[i], i % 3 ? 15 : 0));
    sim_memory_free(memory);
}

static long faults(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_minflt;
}

/* Programs try how much memory there is. */
static void freeing_memory_that_nobody_has_written_costs_nothing(void **state) {
    (void)state;
    sim_memory *memory = start(UINT64_C(1) << 36);
    uint64_t address;
    const long before = faults();
    assert_int_equal(sim_memory_allocate(memory, UINT64_C(1) << 33, &address), HAUL_OK);
    assert_int_equal(sim_memory_release(memory, address), HAUL_OK);
    assert_in_range(faults() - before, 0, FEW_FAULTS);
    sim_memory_free(memory);
}

/* A program that asks for most of a GPU's memory learns how to make that less. */
static void memory_that_the_host_lacks_is_refused_with_what_it_has(void **state) {
    (void)state;
    const uint64_t bytes = (sim_host_available() >> 30 << 30) + (UINT64_C(2) << 30);
    sim_memory *memory = start(2 * bytes);
    uint64_t address;
    assert_int_equal(sim_memory_allocate(memory, bytes, &address), HAUL_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(haul_message(), "the host can give"));
    assert_non_null(strstr(haul_message(), "--memory"));
    sim_memory_free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_freed_loses_its_marks),
        cmocka_unit_test(freeing_memory_that_nobody_has_written_costs_nothing),
        cmocka_unit_test(memory_that_the_host_lacks_is_refused_with_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
