/* The first error of a source, with its exact place and message. */
#include "ptx_test.h"

#define SYNTAX(source, message) assert_refused(source, HAUL_ERROR_SYNTAX, message)
#define UNSUPPORTED(source, message) assert_refused(source, HAUL_ERROR_UNSUPPORTED, message)

static void wants_a_version_and_a_target_first(void **state) {
    (void)state;
    SYNTAX("", "t.ptx:1:1: expected '.version', but the text ends");
    SYNTAX("hello", "t.ptx:1:1: expected '.version', found 'hello'");
    SYNTAX(".version 9", "t.ptx:1:10: expected a version such as 8.0, found '9'");
    SYNTAX(".version 8.80", "t.ptx:1:10: there is no PTX ISA 8.80, or it is newer than this program");
    SYNTAX(".version 9.5", "t.ptx:1:10: there is no PTX ISA 9.5, or it is newer than this program");
    SYNTAX(".version 9.0\n.visible", "t.ptx:2:1: expected '.target', found '.visible'");
    SYNTAX(".version 9.0 .target gfx90", "t.ptx:1:22: expected an architecture such as sm_90, found 'gfx90'");
    SYNTAX(".version 9.0 .target sm_90, quick", "t.ptx:1:29: expected debug or texmode_independent, found 'quick'");
    UNSUPPORTED(".version 9.0 .target sm_90 .address_size 32", "t.ptx:1:42: only 64-bit addresses are supported");
}

static void names_unsupported_instructions(void **state) {
    (void)state;
    UNSUPPORTED(KERNEL(" @%p1 ld.global.u33 %r1, [%d1];"), "t.ptx:4:7: unsupported instruction 'ld.global.u33'");
    UNSUPPORTED(KERNEL("ld .global .bad %r1, [%d1];"), "t.ptx:4:1: unsupported instruction 'ld.global.bad'");
    UNSUPPORTED(KERNEL("mul.lo.sat.u32 %r1, %r2, %r3;"), "t.ptx:4:1: unsupported instruction 'mul.lo.sat.u32'");
}

static void names_unsupported_directives(void **state) {
    (void)state;
    UNSUPPORTED(KERNEL("fabric.submit;"), "t.ptx:4:1: unsupported instruction 'fabric.submit': 'fabric' of PTX ISA "
                                          "9.3: a fabric of several machines is not "
                                          "simulated");
    UNSUPPORTED(KERNEL("cvt.rz.satfinite.ue5m3x2.f32 %h1, %f1, %f2;"),
                "t.ptx:4:1: unsupported instruction 'cvt.rz.satfinite.ue5m3x2.f32': '.ue5m3x2' of PTX ISA 9.4: only "
                "sm_107 has it, and no machine here is one");
    UNSUPPORTED(
        HEADER ".tex .u32 t;",
        "t.ptx:4:1: unsupported directive '.tex': '.tex' of PTX ISA 1.0: CUDA 12 removed texture references; use "
        "texture objects");
    UNSUPPORTED(HEADER ".texref t;",
                "t.ptx:4:1: unsupported directive '.texref': '.texref' of PTX ISA 1.5: CUDA 12 removed "
                "texture references; use texture objects");
    UNSUPPORTED(HEADER ".global .texref t;", "t.ptx:4:9: unsupported type '.texref': '.texref' of PTX ISA 1.5: CUDA 12 "
                                             "removed texture references; use texture objects");
    UNSUPPORTED(KERNEL(".tex .u32 t;"), "t.ptx:4:1: unsupported directive '.tex' in a function");
    UNSUPPORTED(HEADER ".global .attribute(.other) .u32 a;", "t.ptx:4:20: unsupported attribute '.other'");
}

static void names_what_is_not_declared(void **state) {
    (void)state;
    SYNTAX(KERNEL("mov.u32 %r1, %rx;"), "t.ptx:4:14: '%rx' is not declared");
    SYNTAX(KERNEL("mov.u32 %r9, 1;"), "t.ptx:4:9: '%r9' is not declared");
    SYNTAX(KERNEL("{ .reg .b32 t; }\nmov.u32 t, 1;"), "t.ptx:5:9: 't' is not declared");
    SYNTAX(KERNEL("@%p10 ret;"), "t.ptx:4:2: '%p10' is not declared");
    SYNTAX(HEADER ".global .u64 a = b;", "t.ptx:4:18: 'b' is not a variable or function declared before");
}

#define OLD(statement) \
    ".version 1.4\n.target sm_10, map_f64_to_f32\n.entry k { .reg .f32 %f<4>; .reg .f64 %g<4>;\n" statement "\n}\n"

static void takes_forms_that_only_the_first_machines_had(void **state) {
    (void)state;
    ptx_module *module = parse(OLD("mad.f32 %f0, %f1, %f2, %f3;"));
    assert_int_equal(module->functions[0]->instructions[0].op, PTX_OP_FMAD);
    ptx_module_free(module);
    UNSUPPORTED(KERNEL("mad.f32 %f0, %f1, %f2, %f3;"), "t.ptx:4:1: unsupported instruction 'mad.f32'");
    UNSUPPORTED(OLD("add.f64 %g0, %g1, %g2;"), "t.ptx:4:1: an instruction with .f64 in PTX of `.target ..., "
                                               "map_f64_to_f32`, where it means .f32, is not supported");
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
    SYNTAX(HEADER ".visible .func f;", "t.ptx:4:16: 'f' has no body; declare it .extern if another module has it");
    SYNTAX(HEADER ".extern .global .u32 a;\n.global .u64 a;",
           "t.ptx:5:14: 'a' was declared with a different type at 4:22");
    SYNTAX(HEADER ".func f() { ret; }\n.func f() { ret; }", "t.ptx:5:7: 'f' has two bodies");
    SYNTAX(HEADER ".func f(.param .u32 a);\n.func f() { ret; }",
           "t.ptx:5:7: 'f' was declared with different parameters at 4:7");
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
    SYNTAX(HEADER ".section .debug_str {\n { }", "t.ptx:4:1: this section is not closed");
}

static void checks_declarations(void **state) {
    (void)state;
    SYNTAX(HEADER ".global .align 3 .u32 a;", "t.ptx:4:16: an alignment must be a power of two, not 3");
    SYNTAX(HEADER ".global .pred a;", "t.ptx:4:9: a predicate cannot be in memory: declare it as .reg .pred");
    SYNTAX(HEADER ".global .u32 a[0];", "t.ptx:4:14: the size of 'a' is not known: write how many elements it has");
    SYNTAX(HEADER ".global .u32 a[];", "t.ptx:4:14: the size of 'a' is not known: write how many elements it has");
    SYNTAX(HEADER ".global .u32 a[2] = {1, 2, 3};", "t.ptx:4:28: too many values for 'a'");
    SYNTAX(HEADER ".global .u32 a[2] = 1;", "t.ptx:4:21: expected '{', found '1'");
    SYNTAX(HEADER ".global .u32 a[2][2] = {{1}, {2, 3}, {4}};", "t.ptx:4:38: too many values for 'a'");
    SYNTAX(HEADER ".global .u32 a = 1.5;", "t.ptx:4:18: a floating constant cannot initialise a .u32");
    SYNTAX(HEADER ".shared .u32 a = 1;", "t.ptx:4:14: a .shared variable has no initial value");
    SYNTAX(HEADER ".global .u64 a = a;", "t.ptx:4:18: 'a' cannot be part of its own initial value");
    SYNTAX(HEADER ".global .u16 b, a = b;", "t.ptx:4:21: an address cannot initialise a .u16: declare it .u64");
    SYNTAX(HEADER ".global .u8 b, a = 0xf0f0(b);",
           "t.ptx:4:20: a mask covers one byte: 0xff, 0xff00, 0xff0000 and so on");
    SYNTAX(HEADER ".param .u32 a;", "t.ptx:4:1: .param variables must be in functions");
    SYNTAX(HEADER ".visible .local .u32 a;",
           "t.ptx:4:10: since PTX ISA 3.0 a .local variable must be in a function: declare it in the kernel");
    SYNTAX(HEADER ".shared .u32 a; .global .u64 b = a;",
           "t.ptx:4:34: 'a' lies in .shared: an initial value is the address of .global or .const");
    SYNTAX(HEADER ".shared .u32 a; .global .u64 b[2] = {0, generic(a) + 4};",
           "t.ptx:4:49: 'a' lies in .shared: an initial value is the address of .global or .const");
    SYNTAX(HEADER ".func f();\n.alias f, f;",
           "t.ptx:5:11: an alias needs a function without a body and a target with one");
}

static void says_how_to_declare_what_only_instructions_have(void **state) {
    (void)state;
    SYNTAX(KERNEL(".reg .bf16 a;"), "t.ptx:4:6: '.bf16' is only a type of instructions: declare a .b16");
    SYNTAX(HEADER ".global .e4m3 a;", "t.ptx:4:9: '.e4m3' is only a type of instructions: declare a .b8");
    SYNTAX(HEADER ".func f(.param .tf32 a);", "t.ptx:4:16: '.tf32' is only a type of instructions: declare a .b32");
    SYNTAX(HEADER ".shared .v4 .f64 a;", "t.ptx:4:13: a vector has at most 128 bits, not 256: declare an array");
    SYNTAX(HEADER ".entry k(.param .v2 .f32 a) { ret; }",
           "t.ptx:4:26: 'a' cannot be a vector in .param: declare an array, .b8 a[8]");
    SYNTAX(HEADER ".entry k(.reg .b32 a) { ret; }", "t.ptx:4:10: a kernel's parameters are .param, not .reg");
}

static void says_which_directives_go_together(void **state) {
    (void)state;
    SYNTAX(HEADER ".entry k() .maxntid 64 .reqntid 64 { ret; }",
           "t.ptx:4:24: '.maxntid' and '.reqntid' cannot be combined: remove one");
    SYNTAX(HEADER ".entry k() .maxclusterrank 4 .reqnctapercluster 2 { ret; }",
           "t.ptx:4:30: '.maxclusterrank' and '.reqnctapercluster' cannot be combined: remove one");
    SYNTAX(HEADER ".entry k() .maxnreg 0 { ret; }",
           "t.ptx:4:21: the number after '.maxnreg' must be at least 1, not 0");
    SYNTAX(HEADER ".func f() .maxntid 32 { ret; }", "t.ptx:4:11: '.maxntid' is for kernels (.entry): remove it");
    SYNTAX(HEADER ".entry k() .noreturn { ret; }", "t.ptx:4:12: '.noreturn' is for functions (.func): remove it");
    SYNTAX(HEADER ".entry k() .maxntid 32;",
           "t.ptx:4:12: 'k' has no body here: directives of a kernel go before its body");
    SYNTAX(HEADER ".visible .weak .global .u32 a;",
           "t.ptx:4:1: a declaration has one of .visible, .extern, .weak and .common: remove one");
    SYNTAX(HEADER ".extern .func f();\n.func f() { ret; }",
           "t.ptx:5:7: 'f' was declared at 4:15: write the same one of .visible, .extern and .weak here, or none if "
           "there is none there");
    SYNTAX(HEADER ".pragma \"frequency 3\";", "t.ptx:4:9: the pragma \"frequency\" must be in a function's body");
}

/* So many bytes of shared memory in a kernel for that target. */
static const char *with_shared(const char *target, unsigned bytes) {
    static char source[200];
    snprintf(source, sizeof source, ".version 9.0\n.target %s\n.entry k() { .shared .b8 s[%u]; ret; }\n", target,
             bytes);
    return source;
}

static void knows_how_much_static_shared_memory_a_kernel_may_have(void **state) {
    (void)state;
    ptx_module_free(parse(with_shared("sm_90", 49152)));
    ptx_module_free(parse(with_shared("sm_90a", 232448)));
    ptx_module_free(parse(with_shared("sm_120a", 101376)));
    SYNTAX(with_shared("sm_90", 49153),
           "t.ptx:3:8: 'k' has 49153 bytes of static shared memory, a kernel may have 49152: use dynamic shared memory "
           "(extern __shared__, in PTX .extern .shared) and ask for its size at the launch");
    SYNTAX(
        with_shared("sm_90a", 232449),
        "t.ptx:3:8: 'k' has 232449 bytes of static shared memory, a kernel may have 232448: use dynamic shared memory "
        "(extern __shared__, in PTX .extern .shared) and ask for its size at the launch");
}

#define HALF ".shared .b8 a[30000];\n.shared .b8 b[30000];\n"
#define SECOND(at)                                                                                                   \
    "t.ptx:" at ": 'k' has 60000 bytes of static shared memory, a kernel may have 49152: use dynamic shared memory " \
    "(extern __shared__, in PTX .extern .shared) and ask for its size at the launch"

static void counts_shared_memory_by_what_a_kernel_reaches(void **state) {
    (void)state;
    ptx_module_free(parse(HEADER HALF ".entry j() { .reg .u32 r; mov.u32 r, a; ret; }\n"
                                      ".entry k() { .reg .u32 r; mov.u32 r, b; ret; }"));
    ptx_module_free(parse(HEADER ".func f() { .shared .b8 a[60000]; ret; }\n.entry k() { ret; }"));
    ptx_module_free(parse(HEADER ".extern .shared .b8 d[];\n"
                                 ".entry k() { .shared .b8 a[49152]; .reg .u32 r; mov.u32 r, d; ret; }"));
    SYNTAX(HEADER HALF ".entry k() { .reg .u32 r; mov.u32 r, a; mov.u32 r, b; ret; }", SECOND("6:8"));
    SYNTAX(HEADER HALF ".func f() { .reg .u32 r; mov.u32 r, a; ret; }\n"
                       ".entry k() { .reg .u32 r; mov.u32 r, b; call f; ret; }",
           SECOND("7:8"));
    SYNTAX(HEADER ".func f() { .shared .b8 a[60000]; ret; }\n.global .u64 t = f;\n"
                  ".entry k() { .reg .u64 d; ld.global.u64 d, [t]; P: .callprototype _ (); call d, P; ret; }",
           SECOND("6:8"));
    SYNTAX(HEADER ".func f() { .shared .b8 a[60000]; ret; }\n.func g();\n.alias g, f;\n.entry k() { call g; ret; }",
           SECOND("7:8"));
}

static void knows_how_large_parameters_and_constants_may_be(void **state) {
    (void)state;
    ptx_module_free(parse(HEADER ".entry k(.param .b8 a[32764]) { ret; }\n.const .b8 c[65536];"));
    SYNTAX(HEADER ".entry k(.param .b32 a, .param .b8 b[32761]) { ret; }",
           "t.ptx:4:36: parameters of 'k' end at byte 32765, past the 32764 that a kernel has here: pass a pointer to "
           "them");
    SYNTAX(
        ".version 8.0\n.target sm_90\n.entry k(.param .b8 a[4353]) { ret; }",
        "t.ptx:3:21: parameters of 'k' end at byte 4353, past the 4352 that a kernel has here: pass a pointer to them");
    SYNTAX(HEADER ".const .b8 c[65536];\n.const .b8 d;",
           "t.ptx:5:12: constant variables take more than 64 KiB from 'd' on: put some in global memory");
}

static void says_what_may_be_done_with_a_parameter(void **state) {
    (void)state;
    SYNTAX(KERNEL("st.param.u32 [n], %r1;"),
           "t.ptx:4:15: operand 1 of 'st': 'n' is a parameter, which can only be read: copy it first");
    SYNTAX(HEADER ".func (.param .b32 r) f() { .reg .b32 a; ld.param.b32 a, [r]; ret; }",
           "t.ptx:4:59: operand 2 of 'ld': 'r' is the function's result, which it can only store to");
    SYNTAX(KERNEL(".param .b32 a; @%p1 st.param.b32 [a], %r1;"),
           "t.ptx:4:35: operand 1 of 'st': 'a' is passed by a call, so the access can have no guard: branch around it");
    SYNTAX(KERNEL(".param .b32 a; mov.u64 %d1, a;"),
           "t.ptx:4:29: operand 2 of 'mov': cannot be the address of 'a', which calls pass: use .local memory");
    SYNTAX(KERNEL("ld.shared.u32 %r1, [%r2-4];"),
           "t.ptx:4:24: a negative offset needs a plus in front: write +-4 for -4");
    SYNTAX(KERNEL("ld.shared.u32 %r1, [16];"),
           "t.ptx:4:21: operand 2 of 'ld': can be a number in .local only: mov it into a register first");
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
    SYNTAX(repeated(HEADER ".global .u32 a[2] = ", "{", 100000, ""), "t.ptx:4:22: expected a constant, found '{'");
    SYNTAX(repeated(HEADER ".entry k() {", "{", 100000, ""), "t.ptx:4:75: scopes are nested too deeply");
    SYNTAX(repeated(HEADER ".entry k() { mov.b32 ", "{", 100000, ""), "t.ptx:4:25: this operand is nested too deeply");
}

static void survives_truncation_anywhere(void **state) {
    (void)state;
    text source = read_file(TEST_DATA "/ptx/features.ptx");
    for (size_t length = 0; length < source.length; length++) {
        ptx_module *module;
        char *cut = memory_alloc(length); /* exactly that length, so that sanitizers notice reads beyond it */
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
        cmocka_unit_test(takes_forms_that_only_the_first_machines_had),
        cmocka_unit_test(names_undefined_labels),
        cmocka_unit_test(refuses_second_declarations),
        cmocka_unit_test(counts_operands),
        cmocka_unit_test(points_at_what_stands_wrong),
        cmocka_unit_test(checks_declarations),
        cmocka_unit_test(says_how_to_declare_what_only_instructions_have),
        cmocka_unit_test(says_which_directives_go_together),
        cmocka_unit_test(knows_how_much_static_shared_memory_a_kernel_may_have),
        cmocka_unit_test(counts_shared_memory_by_what_a_kernel_reaches),
        cmocka_unit_test(knows_how_large_parameters_and_constants_may_be),
        cmocka_unit_test(says_what_may_be_done_with_a_parameter),
        cmocka_unit_test(bounds_what_text_may_ask_for),
        cmocka_unit_test(survives_deep_nesting),
        cmocka_unit_test(survives_truncation_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
