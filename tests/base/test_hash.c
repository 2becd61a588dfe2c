#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void starts_at_the_basis(void **state) {
    (void)state;
    assert_true(hash_bytes(HASH_START, "", 0) == HASH_START);
}

/* One step by hand: exclusive or with the byte, times the FNV prime. */
static void multiplies_after_each_byte(void **state) {
    (void)state;
    uint64_t expected = (HASH_START ^ 'a') * 0x100000001b3u;
    assert_true(hash_bytes(HASH_START, "a", 1) == expected);
    assert_true(hash_bytes(HASH_START, "ab", 2) == (expected ^ 'b') * 0x100000001b3u);
}

static void continues_from_an_earlier_part(void **state) {
    (void)state;
    uint64_t whole = hash_bytes(HASH_START, "sector", 6);
    assert_true(hash_bytes(hash_bytes(HASH_START, "sec", 3), "tor", 3) == whole);
}

static void takes_bytes_as_unsigned(void **state) {
    (void)state;
    const unsigned char byte = 0xff;
    assert_true(hash_bytes(HASH_START, &byte, 1) == (HASH_START ^ 0xff) * 0x100000001b3u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_at_the_basis),
        cmocka_unit_test(multiplies_after_each_byte),
        cmocka_unit_test(continues_from_an_earlier_part),
        cmocka_unit_test(takes_bytes_as_unsigned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
