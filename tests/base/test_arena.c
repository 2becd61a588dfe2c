#include "base/arena.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void gives_zeroed_memory_aligned_for_any_type(void **state) {
    (void)state;
    arena a = {0};
    static const char zeros[100];
    for (size_t size = 0; size < 100; size++) {
        char *p = arena_alloc(&a, size);
        assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
        assert_memory_equal(p, zeros, size);
        memset(p, 0xff, size);
    }
    arena_free(&a);
}

static void honours_larger_alignments(void **state) {
    (void)state;
    arena a = {0};
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        arena_alloc(&a, 1);
        assert_int_equal((uintptr_t)arena_alloc_aligned(&a, 3, alignment) % alignment, 0);
    }
    arena_free(&a);
}

static void keeps_what_was_given_while_it_grows(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    arena a = {0};
    uint32_t **given = ARENA_ARRAY(&a, COUNT, uint32_t *);
    for (uint32_t i = 0; i < COUNT; i++) {
        given[i] = ARENA_ARRAY(&a, i % 97 + 1, uint32_t);
        for (uint32_t j = 0; j <= i % 97; j++) given[i][j] = i;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t j = 0; j <= i % 97; j++) assert_int_equal(given[i][j], i);
    arena_free(&a);
}

static void takes_one_allocation_larger_than_a_block(void **state) {
    (void)state;
    arena a = {0};
    const size_t size = 9u << 20;
    char *p = arena_alloc(&a, size);
    p[size - 1] = 1;
    assert_true(a.total >= size);
    arena_free(&a);
    assert_int_equal(a.total, 0);
}

static void pushes_onto_a_growing_array(void **state) {
    (void)state;
    jmp_buf none;
    arena a;
    arena_init(&a, &none);
    int *items = NULL;
    size_t count = 0, capacity = 0;
    for (int i = 0; i < 1000; i++) ARENA_PUSH(&a, items, count, capacity, i * i);
    assert_int_equal(count, 1000);
    for (int i = 0; i < 1000; i++) assert_int_equal(items[i], i * i);
    arena_free(&a);
}

static void copies_and_formats_text(void **state) {
    (void)state;
    arena a = {0};
    assert_string_equal(arena_copy(&a, "ld.global", 2), "ld");
    assert_string_equal(arena_copy(&a, "", 0), "");
    assert_string_equal(arena_printf(&a, "%%r%d", 17), "%r17");
    arena_free(&a);
}

static void answers_null_when_memory_is_out_and_nobody_listens(void **state) {
    (void)state;
    arena a = {0};
    memory_fail_after(1);
    assert_null(arena_alloc(&a, 8));
    memory_fail_after(1);
    assert_null(arena_copy(&a, "text", 4));
    memory_fail_after(1);
    assert_null(arena_printf(&a, "text"));
    assert_non_null(arena_alloc(&a, 8));
    arena_free(&a);
}

static void treats_sizes_that_overflow_as_memory_that_is_out(void **state) {
    (void)state;
    arena a = {0};
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_null(arena_array(&a, SIZE_MAX / 2, 4));
    assert_null(arena_copy(&a, "", SIZE_MAX));
    arena_free(&a);
}

/* Allocates until the system allocation number `n` fails; returns the number of objects. */
static int objects_before_failure(size_t n) {
    jmp_buf out_of_memory;
    arena a;
    volatile int objects = 0;
    arena_init(&a, &out_of_memory);
    memory_fail_after(n);
    if (setjmp(out_of_memory) == 0)
        for (;;) {
            memset(arena_alloc(&a, 5000), 1, 5000);
            objects++;
        }
    arena_free(&a);
    return objects;
}

static void jumps_to_its_owner_at_whichever_allocation_fails(void **state) {
    (void)state;
    assert_int_equal(objects_before_failure(1), 0);
    int before = 0;
    for (size_t n = 2; n < 8; n++) {
        int objects = objects_before_failure(n);
        assert_true(objects > before);
        before = objects;
    }
}

static void cleared_it_gives_the_same_memory_again(void **state) {
    (void)state;
    enum { SIZE = 100000 };
    static const char zeros[SIZE];
    arena a = {0};
    arena_clear(&a);
    for (int k = 0; k < 20; k++) memset(arena_alloc(&a, SIZE), 0xff, SIZE);
    arena_clear(&a);
    const size_t kept = a.total;
    assert_true(kept >= SIZE);
    memory_fail_after(1);
    for (size_t used = 0; used + SIZE + 64 < kept; used += SIZE + 64)
        assert_memory_equal(arena_alloc(&a, SIZE), zeros, SIZE);
    memory_fail_after(0);
    arena_free(&a);
    assert_int_equal(a.total, 0);
}

typedef struct borrowing {
    arena *owner;
    int *made;
    size_t failing; /* number of the failing allocation, of the scratch arena or the owner's; 0: none */
    bool of_scratch;
} borrowing;

static void borrow(void *context, arena *scratch) {
    borrowing *b = context;
    int *numbers = ARENA_ARRAY(scratch, 1000, int);
    numbers[7] = 42;
    memory_fail_after(b->failing);
    if (b->failing) arena_alloc(b->of_scratch ? scratch : b->owner, 100000);
    memory_fail_after(0);
    b->made = ARENA_NEW(b->owner, int);
    *b->made = numbers[7];
}

/* Returns whether there was enough memory. */
static bool borrows(borrowing *b) {
    jmp_buf out_of_memory;
    arena a;
    volatile bool worked = false;
    arena_init(&a, &out_of_memory);
    b->owner = &a;
    if (setjmp(out_of_memory) == 0) {
        arena_with_scratch(&a, borrow, b);
        worked = true;
        assert_int_equal(*b->made, 42);
    }
    assert_ptr_equal(a.out_of_memory, &out_of_memory);
    arena_free(&a);
    return worked;
}

/* The sanitizers report leaks. */
static void scratch_memory_ends_with_the_work_however_it_ends(void **state) {
    (void)state;
    assert_true(borrows(&(borrowing){0}));
    assert_false(borrows(&(borrowing){.failing = 1, .of_scratch = true}));
    assert_false(borrows(&(borrowing){.failing = 1}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_zeroed_memory_aligned_for_any_type),
        cmocka_unit_test(honours_larger_alignments),
        cmocka_unit_test(keeps_what_was_given_while_it_grows),
        cmocka_unit_test(takes_one_allocation_larger_than_a_block),
        cmocka_unit_test(pushes_onto_a_growing_array),
        cmocka_unit_test(copies_and_formats_text),
        cmocka_unit_test(answers_null_when_memory_is_out_and_nobody_listens),
        cmocka_unit_test(treats_sizes_that_overflow_as_memory_that_is_out),
        cmocka_unit_test(jumps_to_its_owner_at_whichever_allocation_fails),
        cmocka_unit_test(cleared_it_gives_the_same_memory_again),
        cmocka_unit_test(scratch_memory_ends_with_the_work_however_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
