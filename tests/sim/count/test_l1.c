/* The model of one SM's L1. */
#include "access.h"

#include "base/memory.h"
#include "count/l1.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    assert_true(count_hits(l1, half, 1) < half / 10); /* lines that hit before may stay for long */
    sim_l1_free(l1);
}

static FILE *open_recorded(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/l1/%s", TEST_DATA, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

/* Five lines that an H100's L1 cannot hold together: read in turn, each has been evicted. One of the recorded lines is
 * in the wrong group of five. */
static void lines_that_push_one_another_out_on_an_h100_do_so_here(void **state) {
    (void)state;
    FILE *file = open_recorded("sets.txt");
    uint64_t line[5];
    unsigned sets = 0, wrong = 0;
    while (fscanf(file, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, line, line + 1, line + 2, line + 3,
                  line + 4) == 5) {
        sim_l1 *l1 = new_l1(248 * KIB);
        unsigned hits = 0;
        for (unsigned i = 0; i < 15; i++) hits += sim_l1_load(l1, line[i % 5], 15) != 0;
        wrong += hits != 0;
        sets++;
        sim_l1_free(l1);
    }
    fclose(file);
    assert_int_equal(sets, 495);
    assert_true(wrong <= 1);
}

/* Rereads on an H100 with several sizes of L1: on average the number of hits is right to 1 %. Where the sweep for data
 * memory begins is not known; it decides which lines hit and, for some sizes, how many. */
static void rereads_hit_as_often_as_on_an_h100(void **state) {
    (void)state;
    FILE *file = open_recorded("rereads.txt");
    uint64_t base;
    unsigned kib, lines;
    char how[8];
    double sum = 0;
    unsigned rows = 0;
    while (fscanf(file, "%" SCNx64 " %u %7s %u", &base, &kib, how, &lines) == 4) {
        const bool draws = strcmp(how, "draws") == 0;
        const unsigned count = draws ? 8192 : 10 * lines;
        sim_l1 *l1 = new_l1(kib * KIB);
        uint32_t s = 1;
        long difference = 0, recorded;
        for (unsigned i = 0; i < count; i++) {
            if (draws) s = s * 1664525u + 1013904223u;
            difference += sim_l1_load(l1, base + (draws ? (s >> 8) % lines : i % lines), 15) != 0;
        }
        for (unsigned r = 0; r < (draws ? 1 : 10); r++) {
            assert_int_equal(fscanf(file, "%ld", &recorded), 1);
            difference -= recorded;
        }
        const double share = (double)labs(difference) / count;
        assert_true(share < 0.13);
        sum += share;
        rows++;
        sim_l1_free(l1);
    }
    fclose(file);
    assert_int_equal(rows, 220);
    assert_true(sum / rows < 0.01);
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
        cmocka_unit_test(lines_that_push_one_another_out_on_an_h100_do_so_here),
        cmocka_unit_test(rereads_hit_as_often_as_on_an_h100),
        cmocka_unit_test(lines_at_a_power_of_two_spread_over_the_sets),
        cmocka_unit_test(an_sm_without_l1_never_hits),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
