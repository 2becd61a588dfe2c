/* Which bytes were written: pages as a whole, and the bits of those that were written in part. */
#include "machine/marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE = 1 << SIM_MARK_PAGE, BYTES = 8 * PAGE, FEWEST = 64, MANY = FEWEST * PAGE };

static void nothing_is_written_at_first(void **state) {
    (void)state;
    sim_marks *m = sim_marks_create(BYTES);
    assert_false(sim_marks_has(m, 0, 1));
    assert_int_equal(sim_marks_word(m, PAGE), 0);
    sim_marks_free(m);
}

static void bytes_are_written_one_by_one_and_across_pages(void **state) {
    (void)state;
    sim_marks *m = sim_marks_create(BYTES);
    sim_marks_add(m, 5, 2);
    sim_marks_add(m, PAGE - 3, 8);
    assert_int_equal(sim_marks_word(m, 4), 6);
    assert_true(sim_marks_has(m, 5, 2));
    assert_false(sim_marks_has(m, 5, 3));
    assert_false(sim_marks_has(m, 4, 2));
    assert_true(sim_marks_has(m, PAGE - 3, 8));
    assert_false(sim_marks_has(m, PAGE - 4, 8));
    assert_false(sim_marks_has(m, PAGE - 3, 9));
    sim_marks_free(m);
}

static void whole_pages_need_no_bits_until_words_are_removed(void **state) {
    (void)state;
    sim_marks *m = sim_marks_create(BYTES);
    sim_marks_add(m, 0, 3 * PAGE + 4);
    assert_true(sim_marks_has_page(m, 2 * PAGE));
    assert_false(sim_marks_has_page(m, 3 * PAGE));
    assert_true(sim_marks_has(m, 0, 3 * PAGE + 4));
    sim_marks_remove(m, PAGE + 8, 4);
    assert_false(sim_marks_has_page(m, PAGE));
    assert_true(sim_marks_has(m, 0, PAGE + 8));
    assert_int_equal(sim_marks_word(m, PAGE + 8), 0);
    assert_true(sim_marks_has(m, PAGE + 12, 2 * PAGE - 12));
    sim_marks_remove(m, 0, BYTES);
    assert_int_equal(sim_marks_word(m, PAGE), 0);
    sim_marks_add(m, PAGE, 4);
    assert_int_equal(sim_marks_word(m, PAGE + 4), 0);
    sim_marks_free(m);
}

/* Runs end at the ends of pages, too. */
static void runs_of_bytes_are_written_or_not(void **state) {
    (void)state;
    bool is_written;
    sim_marks *m = sim_marks_create(BYTES);
    sim_marks_add(m, PAGE + 6, 16);
    sim_marks_add(m, 2 * PAGE, PAGE);
    assert_int_equal(sim_marks_run(m, 8, BYTES, &is_written), PAGE);
    assert_false(is_written);
    assert_int_equal(sim_marks_run(m, PAGE, BYTES, &is_written), PAGE + 6);
    assert_false(is_written);
    assert_int_equal(sim_marks_run(m, PAGE + 6, BYTES, &is_written), PAGE + 22);
    assert_true(is_written);
    assert_int_equal(sim_marks_run(m, PAGE + 6, PAGE + 9, &is_written), PAGE + 9);
    assert_int_equal(sim_marks_run(m, PAGE + 22, BYTES, &is_written), 2 * PAGE);
    assert_false(is_written);
    assert_int_equal(sim_marks_run(m, 2 * PAGE + 1, BYTES, &is_written), 3 * PAGE);
    assert_true(is_written);
    sim_marks_free(m);
}

static void all_marks_can_be_cleared(void **state) {
    (void)state;
    sim_marks *m = sim_marks_create(BYTES);
    sim_marks_add(m, PAGE - 4, 2 * PAGE);
    sim_marks_clear(m, PAGE - 4, 3 * PAGE - 4);
    assert_int_equal(sim_marks_word(m, PAGE - 4), 0);
    assert_false(sim_marks_has_page(m, PAGE));
    sim_marks_add(m, 2 * PAGE + 8, 4);
    assert_int_equal(sim_marks_word(m, 2 * PAGE), 0);
    assert_true(sim_marks_has(m, 2 * PAGE + 8, 4));
    sim_marks_free(m);
}

/* As kernels write: each page is complete only after the last write. */
static void pages_written_in_pieces_become_whole(void **state) {
    (void)state;
    sim_marks *m = sim_marks_create(MANY + PAGE);
    for (uint64_t at = 0; at < MANY; at += 128) sim_marks_add(m, at, 128);
    sim_marks_add(m, MANY, PAGE - 1);
    assert_false(sim_marks_has_page(m, 0));
    sim_marks_settle(m);
    assert_true(sim_marks_has_page(m, 0));
    assert_true(sim_marks_has_page(m, MANY - 1));
    assert_false(sim_marks_has_page(m, MANY));
    assert_true(sim_marks_has(m, 0, MANY + PAGE - 1));
    assert_false(sim_marks_has(m, MANY, PAGE));
    sim_marks_free(m);
}

static void copies_bring_back_what_was_written(void **state) {
    (void)state;
    static unsigned char bits[2 * PAGE / SIM_MARK_WORD];
    sim_marks *m = sim_marks_create(BYTES);
    sim_marks_add(m, 256, PAGE);
    sim_marks_add(m, PAGE + 513, 2);
    sim_marks_save(m, 0, 2 * PAGE, bits);
    sim_marks_add(m, 0, 2 * PAGE);
    sim_marks_restore(m, 0, 2 * PAGE, bits);
    assert_true(sim_marks_has(m, 256, PAGE));
    assert_false(sim_marks_has(m, 252, 4));
    assert_int_equal(sim_marks_word(m, PAGE + 512), 6);
    assert_int_equal(sim_marks_word(m, PAGE + 516), 0);
    sim_marks_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_written_at_first),
        cmocka_unit_test(bytes_are_written_one_by_one_and_across_pages),
        cmocka_unit_test(whole_pages_need_no_bits_until_words_are_removed),
        cmocka_unit_test(runs_of_bytes_are_written_or_not),
        cmocka_unit_test(all_marks_can_be_cleared),
        cmocka_unit_test(pages_written_in_pieces_become_whole),
        cmocka_unit_test(copies_bring_back_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
