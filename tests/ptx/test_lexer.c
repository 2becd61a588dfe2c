#include "ptx_test.h"

#include "ptx/lexer.h"

static char out[1024];

static void write_tokens(ptx_lexer *lexer) {
    static const char letters[] = " wdifs";
    size_t used = 0;
    for (out[0] = '\0'; lexer->token.kind != PTX_TOKEN_END; ptx_lexer_advance(lexer)) {
        char letter = lexer->token.kind <= PTX_TOKEN_STRING ? letters[lexer->token.kind] : 'p';
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%c:%.*s", used ? " " : "", letter,
                                 (int)lexer->token.length, lexer->token.text);
    }
}

/* The tokens of `length` bytes, each as its kind's letter and its text, or the error message. */
static const char *tokens_of(const char *source, size_t length) {
    ptx_diagnostics diagnostics = {.name = "t.ptx"};
    ptx_lexer lexer;
    if (setjmp(diagnostics.unwind)) return haul_message();
    ptx_lexer_start(&lexer, &diagnostics, source, length);
    write_tokens(&lexer);
    return out;
}

static const char *tokens(const char *source) {
    return tokens_of(source, strlen(source));
}

static ptx_token first(const char *source) {
    ptx_diagnostics diagnostics = {.name = "t.ptx"};
    ptx_lexer lexer;
    if (setjmp(diagnostics.unwind)) fail_msg("%s", haul_message());
    ptx_lexer_start(&lexer, &diagnostics, source, strlen(source));
    return lexer.token;
}

static void takes_dollars_and_percents_into_names(void **state) {
    (void)state;
    assert_string_equal(tokens("%r1 $L__BB0_2: _x %envreg3"), "w:%r1 w:$L__BB0_2 p:: w:_x w:%envreg3");
}

static void keeps_double_colons_inside_directives(void **state) {
    (void)state;
    assert_string_equal(tokens(".L2::128B .reg.b32 .shared::cta"), "d:.L2::128B d:.reg d:.b32 d:.shared::cta");
}

static void skips_both_kinds_of_comments(void **state) {
    (void)state;
    assert_string_equal(tokens("a // b\nc /* d\n e */ f //"), "w:a w:c w:f");
}

static void counts_lines_and_columns_from_one(void **state) {
    (void)state;
    ptx_token token = first("/* a\n\n*/ \t x");
    assert_int_equal(token.position.line, 3);
    assert_int_equal(token.position.column, 6);
}

static void tells_why_a_number_is_wrong(void **state) {
    (void)state;
    assert_string_equal(tokens("12ab"), "t.ptx:1:1: malformed number '12'");
    assert_string_equal(tokens("08"), "t.ptx:1:1: malformed number '0'");
    assert_string_equal(tokens("0x"), "t.ptx:1:1: malformed number '0x'");
    assert_string_equal(tokens(" 0f3f8"), "t.ptx:1:2: malformed number '0f3f8'");
    assert_string_equal(tokens("0d3FF00000000000000"), "t.ptx:1:1: malformed number '0d3FF00000000000000'");
    assert_string_equal(tokens("1e+"), "t.ptx:1:1: malformed number '1e+'");
    assert_string_equal(tokens("18446744073709551616"), "t.ptx:1:1: this number does not fit into 64 bits");
}

static void reads_integers_of_four_bases(void **state) {
    (void)state;
    assert_int_equal(first("0x1FU").bits, 31);
    assert_true(first("0x1FU").is_unsigned);
    assert_int_equal(first("0777").bits, 511);
    assert_int_equal(first("0b1101").bits, 13);
    assert_int_equal(first("0").bits, 0);
    assert_true(first("18446744073709551615").bits == UINT64_MAX);
}

static void reads_floats_by_bits_and_by_digits(void **state) {
    (void)state;
    assert_int_equal(first("0f3F800000").bits, 0x3f800000);
    assert_int_equal(first("0F3f800000").width, 32);
    assert_true(first("0d3FF0000000000000").bits == 0x3ff0000000000000);
    assert_true(first("1.0").bits == 0x3ff0000000000000);
    assert_true(first("1e0").bits == 0x3ff0000000000000);
    assert_true(first(".5").bits == 0x3fe0000000000000);
    assert_int_equal(first("1.").width, 64);
}

static void reads_operators_of_two_characters(void **state) {
    (void)state;
    assert_string_equal(tokens("<< >> <= >= == != && || < |"), "p:<< p:>> p:<= p:>= p:== p:!= p:&& p:|| p:< p:|");
}

static void refuses_what_has_no_end(void **state) {
    (void)state;
    assert_string_equal(tokens("a /* b"), "t.ptx:1:3: this comment is not closed");
    assert_string_equal(tokens("\"abc\n\""), "t.ptx:1:1: this string is not closed on its line");
    assert_string_equal(tokens("\"abc\\"), "t.ptx:1:1: this string is not closed on its line");
}

static void refuses_nul_bytes_in_strings(void **state) {
    (void)state;
    assert_string_equal(tokens_of("\"a\0b\"", 5), "t.ptx:1:1: this string contains a NUL byte");
    assert_string_equal(tokens_of("\"a\\\0\"", 5), "t.ptx:1:1: this string contains a NUL byte");
}

static void refuses_strange_characters(void **state) {
    (void)state;
    assert_string_equal(tokens("a\n `"), "t.ptx:2:2: unexpected character '`'");
    assert_string_equal(tokens("\xc3\xa4"), "t.ptx:1:1: unexpected byte 0xc3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_dollars_and_percents_into_names),
        cmocka_unit_test(keeps_double_colons_inside_directives),
        cmocka_unit_test(skips_both_kinds_of_comments),
        cmocka_unit_test(counts_lines_and_columns_from_one),
        cmocka_unit_test(reads_integers_of_four_bases),
        cmocka_unit_test(reads_floats_by_bits_and_by_digits),
        cmocka_unit_test(tells_why_a_number_is_wrong),
        cmocka_unit_test(reads_operators_of_two_characters),
        cmocka_unit_test(refuses_what_has_no_end),
        cmocka_unit_test(refuses_nul_bytes_in_strings),
        cmocka_unit_test(refuses_strange_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
