/* One SM's L1. */
#include "access.h"

#include "base/memory.h"
#include "sim/count/l1.h"

enum { KIB = 1024, LINE = 128 };

static sim_l1 *new_l1(uint32_t bytes) {
    sim_l1 *l1;
    assert_int_equal(sim_l1_create(bytes, &l1), HAUL_OK);
    return l1;
}

static void a_load_brings_its_sectors_and_no_others(void **state) {
    (void)state;
    sim_l1 *l1 = new_l1(64 * KIB);
    assert_int_equal(sim_l1_load(l1, 7, 3), 0);
    assert_int_equal(sim_l1_load(l1, 7, 15), 3);
    assert_int_equal(sim_l1_load(l1, 7, 15), 15);
    assert_int_equal(sim_l1_load(l1, 8, 15), 0);
    sim_l1_free(l1);
}

static void a_store_finds_lines_but_brings_none(void **state) {
    (void)state;
    sim_l1 *l1 = new_l1(64 * KIB);
    assert_int_equal(sim_l1_probe(l1, 7, 15), 0);
    sim_l1_load(l1, 7, 6);
    assert_int_equal(sim_l1_probe(l1, 7, 15), 6);
    assert_int_equal(sim_l1_probe(l1, 9, 15), 0);
    sim_l1_free(l1);
}

static void an_atomic_leaves_nothing_to_be_found(void **state) {
    (void)state;
    sim_l1 *l1 = new_l1(64 * KIB);
    sim_l1_load(l1, 7, 15);
    sim_l1_drop(l1, 7, 2);
    assert_int_equal(sim_l1_load(l1, 7, 15), 13);
    sim_l1_free(l1);
}

static unsigned count_hits(sim_l1 *l1, unsigned lines, unsigned step) {
    unsigned hits = 0;
    for (unsigned i = 0; i < lines; i++) hits += sim_l1_load(l1, (uint64_t)i * step, 15) == 15;
    return hits;
}

static void what_fits_stays_and_what_does_not_goes(void **state) {
    (void)state;
    sim_l1 *l1 = new_l1(64 * KIB);
    const unsigned lines = 64 * KIB / LINE, half = lines / 2;
    assert_int_equal(count_hits(l1, half, 1), 0);
    assert_int_equal(count_hits(l1, half, 1), half);
    count_hits(l1, 8 * lines, 1);
    assert_int_equal(count_hits(l1, half, 1), 0);
    sim_l1_free(l1);
}

/* The share of a set of lines that misses when it is read over and over, as an H100 had it with 248 KiB. */
static void around_its_size_hits_fade(void **state) {
    (void)state;
    static const struct {
        unsigned lines;
        double least, most;
    } sizes[] = {{1600, 0, 0}, {1750, 0, 0.08}, {1938, 0.15, 0.45}, {2063, 0.5, 0.85}, {2188, 0.75, 1}, {2600, 1, 1}};
    for (unsigned i = 0; i < 6; i++) {
        sim_l1 *l1 = new_l1(248 * KIB);
        count_hits(l1, sizes[i].lines, 1);
        count_hits(l1, sizes[i].lines, 1);
        double missed = 1 - (double)count_hits(l1, sizes[i].lines, 1) / sizes[i].lines;
        assert_true(missed >= sizes[i].least && missed <= sizes[i].most);
        sim_l1_free(l1);
    }
}

/* Columns of a matrix whose rows are a power of two apart must not all fall into one set. */
static void lines_at_a_power_of_two_spread_over_the_sets(void **state) {
    (void)state;
    for (unsigned step = 2; step <= 1024; step *= 2) {
        sim_l1 *l1 = new_l1(248 * KIB);
        count_hits(l1, 64, step);
        assert_int_equal(count_hits(l1, 64, step), 64);
        sim_l1_free(l1);
    }
}

static void an_sm_without_l1_never_hits(void **state) {
    (void)state;
    sim_l1 *l1 = new_l1(0);
    assert_int_equal(sim_l1_load(l1, 1, 15), 0);
    assert_int_equal(sim_l1_load(l1, 1, 15), 0);
    assert_int_equal(sim_l1_probe(l1, 1, 15), 0);
    sim_l1_drop(l1, 1, 15);
    sim_l1_free(l1);
}

static void no_memory_is_an_error(void **state) {
    (void)state;
    sim_l1 *l1;
    memory_fail_after(1);
    assert_int_equal(sim_l1_create(64 * KIB, &l1), HAUL_ERROR_OUT_OF_MEMORY);
    assert_null(l1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_brings_its_sectors_and_no_others),
        cmocka_unit_test(a_store_finds_lines_but_brings_none),
        cmocka_unit_test(an_atomic_leaves_nothing_to_be_found),
        cmocka_unit_test(what_fits_stays_and_what_does_not_goes),
        cmocka_unit_test(around_its_size_hits_fade),
        cmocka_unit_test(lines_at_a_power_of_two_spread_over_the_sets),
        cmocka_unit_test(an_sm_without_l1_never_hits),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
