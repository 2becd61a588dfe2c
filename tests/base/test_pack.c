/* Data packed for another process: what comes out is what went in, and cut-off bytes are noticed. */
#include "base/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void everything_comes_back(void **state) {
    (void)state;
    text out = {0};
    arena memory = {0};
    const uint16_t array[] = {1, 2, 3};
    pack_number(&out, 7);
    pack_string(&out, "a text");
    pack_string(&out, NULL);
    pack_string(&out, "");
    pack_bytes(&out, array, sizeof array);
    pack_reader r = {.at = out.bytes, .end = out.bytes + out.length};
    assert_int_equal(unpack_number(&r), 7);
    assert_string_equal(unpack_string(&r, &memory), "a text");
    assert_null(unpack_string(&r, &memory));
    assert_string_equal(unpack_string(&r, &memory), "");
    assert_memory_equal(unpack_array(&r, &memory, 3, sizeof *array), array, sizeof array);
    assert_true(!r.failed && r.at == r.end);
    arena_free(&memory);
    text_free(&out);
}

static void bytes_that_are_cut_off_are_noticed(void **state) {
    (void)state;
    text out = {0};
    arena memory = {0};
    pack_string(&out, "twelve bytes");
    for (size_t length = 0; length < out.length; length++) {
        pack_reader r = {.at = out.bytes, .end = out.bytes + length};
        assert_null(unpack_string(&r, &memory));
        assert_true(r.failed);
        assert_int_equal(unpack_number(&r), 0);
    }
    pack_reader r = {.at = out.bytes, .end = out.bytes + out.length};
    assert_null(unpack_array(&r, &memory, SIZE_MAX, 8));
    assert_true(r.failed);
    arena_free(&memory);
    text_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(bytes_that_are_cut_off_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
