/* The first error of a source, with its exact place and words. */
#include "ptx_test.h"

#define SYNTAX(source, message) assert_refused(source, HAUL_ERROR_SYNTAX, message)
#define UNSUPPORTED(source, message) assert_refused(source, HAUL_ERROR_UNSUPPORTED, message)

static void wants_a_version_and_a_target_first(void **state) {
    (void)state;
    SYNTAX("", "t.ptx:1:1: expected '.version', but the text ends");
    SYNTAX("hello", "t.ptx:1:1: expected '.version', found 'hello'");
    SYNTAX(".version 9", "t.ptx:1:10: expected a version such as 8.0, found '9'");
    SYNTAX(".version 9.0\n.visible", "t.ptx:2:1: expected '.target', found '.visible'");
    SYNTAX(".version 9.0 .target gfx90", "t.ptx:1:22: expected an architecture such as sm_90, found 'gfx90'");
    SYNTAX(".version 9.0 .target sm_90, map_f64_to_f32",
           "t.ptx:1:29: expected debug or texmode_independent, found 'map_f64_to_f32'");
    UNSUPPORTED(".version 9.0 .target sm_90 .address_size 32", "t.ptx:1:42: only 64-bit addresses are supported");
}

static void names_unsupported_instructions(void **state) {
    (void)state;
    UNSUPPORTED(KERNEL(" @%p1 ld.global.u33 %r1, [%d1];"), "t.ptx:4:7: unsupported instruction 'ld.global.u33'");
    UNSUPPORTED(KERNEL("ld .global .bad %r1, [%d1];"), "t.ptx:4:1: unsupported instruction 'ld.global.bad'");
    UNSUPPORTED(KERNEL("add.sat.u32 %r1, %r2, %r3;"), "t.ptx:4:1: unsupported instruction 'add.sat.u32'");
}

static void names_unsupported_directives(void **state) {
    (void)state;
    UNSUPPORTED(HEADER ".texref t;", "t.ptx:4:1: unsupported directive '.texref'");
    UNSUPPORTED(KERNEL(".tex .u32 t;"), "t.ptx:4:1: unsupported directive '.tex' in a function");
    UNSUPPORTED(HEADER ".global .attribute(.other) .u32 a;", "t.ptx:4:19: unsupported attribute '.other'");
}

static void names_what_is_not_declared(void **state) {
    (void)state;
    SYNTAX(KERNEL("mov.u32 %r1, %rx;"), "t.ptx:4:14: '%rx' is not declared");
    SYNTAX(KERNEL("mov.u32 %r9, 1;"), "t.ptx:4:9: '%r9' is not declared");
    SYNTAX(KERNEL("{ .reg .b32 t; }\nmov.u32 t, 1;"), "t.ptx:5:9: 't' is not declared");
    SYNTAX(KERNEL("@%p10 ret;"), "t.ptx:4:2: '%p10' is not declared");
    SYNTAX(HEADER ".global .u64 a = b;", "t.ptx:4:18: 'b' is not a variable or function declared before");
}

static void names_undefined_labels(void **state) {
    (void)state;
    SYNTAX(KERNEL("bra A;\n{ bra B; }\nA:"), "t.ptx:5:7: undefined label 'B'");
    SYNTAX(KERNEL("{ L: }\nbra L;"), "t.ptx:5:5: undefined label 'L'");
    SYNTAX(KERNEL("T: .branchtargets A;\nbrx.idx %r1, T;"), "t.ptx:4:19: undefined label 'A'");
    SYNTAX(KERNEL("L: mov.u32 %r1, L;"), "t.ptx:4:17: the label 'L' cannot be used here");
}

static void refuses_second_declarations(void **state) {
    (void)state;
    SYNTAX(KERNEL(".reg .b32 a;\n.reg .b32 a;"), "t.ptx:5:11: 'a' is declared twice");
    SYNTAX(KERNEL(".reg .b32 %r3;"), "t.ptx:4:11: '%r3' is declared twice");
    SYNTAX(KERNEL("L: L:"), "t.ptx:4:4: 'L' is declared twice");
    SYNTAX(HEADER ".global .u32 a;\n.global .u32 a;", "t.ptx:5:14: 'a' is declared twice");
    SYNTAX(HEADER ".extern .global .u32 a;\n.global .u64 a;", "t.ptx:5:14: 'a' was declared as another type at 4:22");
    SYNTAX(HEADER ".func f() { ret; }\n.func f() { ret; }", "t.ptx:5:7: 'f' has two bodies");
    SYNTAX(HEADER ".func f(.param .u32 a);\n.func f() { ret; }",
           "t.ptx:5:7: 'f' was declared with other parameters at 4:7");
    SYNTAX(KERNEL(".reg .b32 %laneid;"), "t.ptx:4:11: '%laneid' is a special register");
}

static void counts_operands(void **state) {
    (void)state;
    SYNTAX(KERNEL("add.u32 %r1, %r2;"), "t.ptx:4:1: 'add' takes 3 operands here, not 2");
    SYNTAX(KERNEL("exit 1;"), "t.ptx:4:1: 'exit' takes 0 operands here, not 1");
    SYNTAX(KERNEL("exit {};"), "t.ptx:4:1: 'exit' takes 0 operands here, not 1");
    SYNTAX(KERNEL("bar.sync;"), "t.ptx:4:1: 'bar' takes 1 to 2 operands here, not 0");
    SYNTAX(KERNEL("ld.global.u32 %r1, [%d1], %d2;"), "t.ptx:4:1: 'ld' takes 2 operands here, not 3");
    SYNTAX(KERNEL("ld.global.L2::cache_hint.u32 %r1, [%d1];"), "t.ptx:4:1: 'ld' takes 3 operands here, not 2");
    SYNTAX(KERNEL("add.u32 1,1,1,1,1,1,1,1,1,1,1;"), "t.ptx:4:29: too many operands");
}

static void points_at_what_stands_wrong(void **state) {
    (void)state;
    SYNTAX(KERNEL("add.u32 %r1, %r2, %r3"), "t.ptx:5:1: expected ';', found '}'");
    SYNTAX(KERNEL("add.u32 %r1, , %r3;"), "t.ptx:4:14: expected an operand, found ','");
    SYNTAX(KERNEL("ld.global.u32 %r1, [%d1;"), "t.ptx:4:24: expected ']', found ';'");
    SYNTAX(KERNEL("mov.u32 %r1, 1 / 0;"), "t.ptx:4:16: division by zero");
    SYNTAX(KERNEL("@5 ret;"), "t.ptx:4:2: expected a predicate, found '5'");
    SYNTAX(KERNEL("@%r1 ret;"), "t.ptx:4:2: the guard must be a predicate register");
    SYNTAX(KERNEL("123;"), "t.ptx:4:1: expected a statement, found '123'");
    SYNTAX(HEADER "add.u32 %r1;", "t.ptx:4:1: expected a declaration, found 'add'");
    SYNTAX(HEADER ".entry k() { ret; ", "t.ptx:4:19: expected a statement, but the text ends");
    SYNTAX(HEADER ".section .debug_str {\n { }", "t.ptx:4:1: this section has no end");
}

static void checks_declarations(void **state) {
    (void)state;
    SYNTAX(HEADER ".global .align 3 .u32 a;", "t.ptx:4:16: an alignment must be a power of two, not 3");
    SYNTAX(HEADER ".global .pred a;", "t.ptx:4:9: a predicate cannot lie in memory");
    SYNTAX(HEADER ".global .u32 a[0];", "t.ptx:4:15: this array's extent must be an integer from 1 to 2^40");
    SYNTAX(HEADER ".global .u32 a[];", "t.ptx:4:14: the size of 'a' is not known");
    SYNTAX(HEADER ".global .u32 a[2] = {1, 2, 3};", "t.ptx:4:28: too many values for 'a'");
    SYNTAX(HEADER ".global .u32 a[2] = 1;", "t.ptx:4:21: expected '{', found '1'");
    SYNTAX(HEADER ".global .u32 a[2][2] = {1, {2, 3}, {4}};", "t.ptx:4:36: too many values for 'a'");
    SYNTAX(HEADER ".global .u32 a = 1.5;", "t.ptx:4:18: a floating constant cannot initialise a .u32");
    SYNTAX(HEADER ".shared .u32 a = 1;", "t.ptx:4:14: a .shared variable has no initial value");
    SYNTAX(HEADER ".global .u16 a = a;", "t.ptx:4:18: an address does not fit into a .u16");
    SYNTAX(HEADER ".global .u8 a = 0xf0f0(a);", "t.ptx:4:17: a mask must cover a whole .u8 at a byte's place");
    SYNTAX(HEADER ".param .u32 a;", "t.ptx:4:1: .param variables belong into functions");
    SYNTAX(HEADER ".visible .local .u32 a;",
           "t.ptx:4:10: from PTX ISA 3.0 on .local variables belong into functions: declare it in the kernel");
    SYNTAX(HEADER ".shared .u32 a; .global .u64 b = a;",
           "t.ptx:4:34: 'a' lies in .shared: an initial value is the address of .global or .const");
    SYNTAX(HEADER ".shared .u32 a; .global .u64 b[2] = {0, generic(a) + 4};",
           "t.ptx:4:49: 'a' lies in .shared: an initial value is the address of .global or .const");
    SYNTAX(HEADER ".func f();\n.alias f, f;", "t.ptx:5:11: an alias is for a function without a body, of one with");
}

static void bounds_what_text_may_ask_for(void **state) {
    (void)state;
    SYNTAX(HEADER ".global .b8 a[1048576][1048576][2];", "t.ptx:4:13: 'a' is larger than 2^40 bytes");
    assert_refused(HEADER ".global .b8 a[1073741825] = {1};", HAUL_ERROR_LIMIT,
                   "t.ptx:4:31: the module's initial values are larger than 1 GiB");
    SYNTAX(KERNEL(".reg .b32 x<16777217>;"),
           "t.ptx:4:13: the count of a register range may be at most 16777216, not 16777217");
    SYNTAX(HEADER ".file 65536 \"a\"", "t.ptx:4:7: a file's number may be at most 65535, not 65536");
}

static const char *repeated(const char *head, const char *unit, size_t count, const char *tail) {
    static char source[1 << 20];
    size_t used = (size_t)snprintf(source, sizeof source, "%s", head);
    for (size_t i = 0; i < count; i++) used += (size_t)snprintf(source + used, sizeof source - used, "%s", unit);
    snprintf(source + used, sizeof source - used, "%s", tail);
    return source;
}

static void survives_deep_nesting(void **state) {
    (void)state;
    SYNTAX(repeated(HEADER ".global .u32 a = ", "(", 100000, ""), "t.ptx:4:83: this expression is nested too deeply");
    SYNTAX(repeated(HEADER ".global .u32 a = ", "1 ? ", 100000, ""),
           "t.ptx:4:278: this expression is nested too deeply");
    SYNTAX(repeated(HEADER ".global .u32 a = ", "-", 100000, ""), "t.ptx:4:83: this expression is nested too deeply");
    SYNTAX(repeated(HEADER ".global .u32 a[2] = ", "{", 100000, ""), "t.ptx:4:23: expected a value, found '{'");
    SYNTAX(repeated(HEADER ".entry k() {", "{", 100000, ""), "t.ptx:4:75: scopes are nested too deeply");
    SYNTAX(repeated(HEADER ".entry k() { mov.b32 ", "{", 100000, ""), "t.ptx:4:25: this operand is nested too deeply");
}

static void survives_truncation_anywhere(void **state) {
    (void)state;
    text source = read_file(TEST_DATA "/ptx/features.ptx");
    for (size_t length = 0; length < source.length; length++) {
        ptx_module *module;
        char *cut = memory_alloc(length); /* exactly as long, so that reading beyond it is noticed */
        memcpy(cut, source.bytes, length);
        if (ptx_module_parse("t.ptx", cut, length, &module) == HAUL_OK) ptx_module_free(module);
        memory_free(cut);
    }
    text_free(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wants_a_version_and_a_target_first),
        cmocka_unit_test(names_unsupported_instructions),
        cmocka_unit_test(names_unsupported_directives),
        cmocka_unit_test(names_what_is_not_declared),
        cmocka_unit_test(names_undefined_labels),
        cmocka_unit_test(refuses_second_declarations),
        cmocka_unit_test(counts_operands),
        cmocka_unit_test(points_at_what_stands_wrong),
        cmocka_unit_test(checks_declarations),
        cmocka_unit_test(bounds_what_text_may_ask_for),
        cmocka_unit_test(survives_deep_nesting),
        cmocka_unit_test(survives_truncation_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
