/* Kernels of a hundred thousand instructions and more, of one shape each. Preparing them takes time and memory in
 * proportion to their length, not to its square. Each once took minutes, or all memory, because of a quadratic pass.
 * CTest's time limit is far below that (tests/CMakeLists.txt). Under sanitizers (HAUL_TEST_ONCE) they are shorter:
 * shorter ones run the same code. */
#include "exec/operations.h"
#include "base/text.h"
#include "state/program.h"
#include "ptx/inline.h"
#include "assembler/passes.h"
#include "check/internal.h"
#include "check/origin.h"
#include "check/scratch.h"
#include "check/volatile_use.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define HEAD ".version 8.5\n.target sm_90\n.address_size 64\n"
#define BEGIN                                                                                                       \
    ".visible .entry k(.param .u64 out) {\n.reg .u64 %d<9>;\n.reg .u32 %r<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<9>;" \
    "\nld.param.u64 %d1, [out];\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\n"
#define END "st.global.u32 [%d1], %r1;\nret;\n}\n"

enum { MOST_MEMORY = 1 << 30 };

/* A kernel of many equal parts, with a beginning and an end. */
typedef struct shape {
    const char *first, *part, *last;
    int parts;
} shape;

static int scaled(int count) {
    return getenv("HAUL_TEST_ONCE") ? count / 8 : count;
}

static uint64_t place(void *context, const ptx_variable *variable) {
    (void)context;
    return 4096 * (1 + (uint64_t)variable->index);
}

typedef struct prepared {
    ptx_module *module;
    sim_program *program;
    arena memory;
    jmp_buf out_of_memory;
} prepared;

static void prepare(prepared *p, const text *source) {
    ptx_function *flat;
    assert_false(source->failed);
    arena_init(&p->memory, &p->out_of_memory);
    if (setjmp(p->out_of_memory)) fail_msg("no memory");
    if (ptx_module_parse("t.ptx", source->bytes, source->length, &p->module)) fail_msg("%s", haul_message());
    assert_int_equal(ptx_inline_calls(p->module, ptx_find_entry(p->module, "k"), &flat), HAUL_OK);
    assert_int_equal(sim_run_passes(p->module, flat, false, &flat), HAUL_OK);
    const sim_operations operations = sim_operations_best();
    if (sim_lower(&operations, p->module, flat, &p->memory, place, NULL, &p->program)) fail_msg("%s", haul_message());
    assert_true(p->module->memory.total + p->memory.total < MOST_MEMORY);
}

static void release(prepared *p) {
    arena_free(&p->memory);
    ptx_module_free(p->module);
}

/* The text with # replaced by the number, ^ by the next one and ~ by the one before, or 0. */
static void put_numbered(text *source, const char *pattern, int number) {
    for (const char *p = pattern; *p; p++) {
        switch (*p) {
        case '#': text_printf(source, "%d", number); break;
        case '^': text_printf(source, "%d", number + 1); break;
        case '~': text_printf(source, "%d", number ? number - 1 : 0); break;
        default: text_append(source, p, 1);
        }
    }
}

static void write_shape(text *source, const shape *s) {
    text_put(source, HEAD BEGIN);
    put_numbered(source, s->first ? s->first : "", s->parts + 1);
    for (int k = 0; k < s->parts; k++) put_numbered(source, s->part, k);
    put_numbered(source, s->last ? s->last : "", s->parts);
    text_put(source, END);
}

static void expect_prepared(const shape *s) {
    text source = {0};
    prepared p;
    shape used = *s;
    used.parts = scaled(s->parts);
    write_shape(&source, &used);
    prepare(&p, &source);
    assert_true(p.program->op_count > (size_t)used.parts);
    release(&p);
    text_free(&source);
}

static void a_register_may_be_written_very_often(void **state) {
    (void)state;
    expect_prepared(&(shape){.part = "add.u32 %r1, %r1, %r2;\n", .parts = 400000});
}

static void a_row_of_branches_to_one_place_may_be_long(void **state) {
    (void)state;
    expect_prepared(&(shape){.part = "setp.eq.u32 %p1, %r1, #;\n@%p1 bra END;\n", .last = "END:\n", .parts = 100000});
}

static void loops_may_begin_at_every_instruction(void **state) {
    (void)state;
    expect_prepared(&(shape){.part = "L#: setp.eq.u32 %p1, %r1, #;\n@%p1 bra L~;\n", .parts = 100000});
}

static void loops_with_registers_of_their_own_may_be_many(void **state) {
    (void)state;
    expect_prepared(&(shape){.first = ".reg .u64 %q<#>;\n",
                             .part = "mov.u64 %q#, %d1;\nmov.u32 %r4, 0;\nL#: ld.global.u32 %r5, [%q#];\n"
                                     "add.u32 %r1, %r1, %r5;\nadd.u64 %q#, %q#, 4;\nadd.u32 %r4, %r4, 1;\n"
                                     "setp.lt.u32 %p1, %r4, %r2;\n@%p1 bra L#;\n",
                             .parts = 5000});
}

static void accesses_by_one_pointer_may_be_many(void **state) {
    (void)state;
    expect_prepared(&(shape){.part = "ld.global.u32 %r4, [%d1+#];\nadd.u32 %r1, %r1, %r4;\n"
                                     "setp.eq.u32 %p1, %r1, #;\n@%p1 bra L#;\nst.global.u32 [%d1+4096], %r4;\n"
                                     "add.u64 %d1, %d1, 16;\nL#:\n",
                             .parts = 40000});
}

static void copies_may_come_in_the_wrong_order(void **state) {
    (void)state;
    expect_prepared(&(shape){.first = ".reg .u64 %x<#>;\nmov.u64 %x0, %d1;\nbra L0;\n",
                             .part = "M#: add.u64 %x^, %x#, 4;\nbra L^;\nL#: bra M#;\n",
                             .last = "L#: ld.global.u32 %r1, [%x#];\n",
                             .parts = 60000});
}

static void barriers_may_be_many(void **state) {
    (void)state;
    expect_prepared(&(shape){.part = "bar.sync 0;\nsetp.eq.u32 %p1, %r1, #;\n@%p1 bra L#;\nadd.u32 %r1, %r1, 1;\nL#:\n",
                             .parts = 50000});
}

static void negatives_may_be_selected_much_later(void **state) {
    (void)state;
    text source = {0};
    prepared p;
    const int count = scaled(60000);
    text_printf(&source, "%s%s.reg .f32 %%x<%d>;\ncvt.rn.f32.u32 %%f1, %%r1;\n", HEAD, BEGIN, count);
    for (int k = 0; k < count; k++) text_printf(&source, "neg.f32 %%x%d, %%f1;\n", k);
    for (int k = 0; k < count; k++) text_printf(&source, "selp.f32 %%f2, %%x%d, %%f2, %%p1;\n", k);
    text_printf(&source, "cvt.rzi.u32.f32 %%r1, %%f2;\n%s", END);
    prepare(&p, &source);
    release(&p);
    text_free(&source);
}

static void variables_may_be_many(void **state) {
    (void)state;
    text source = {0};
    prepared p;
    sim_origin *origins;
    const int count = scaled(48000);
    text_put(&source, HEAD);
    for (int k = 0; k < count; k++) text_printf(&source, ".shared .u8 s%d;\n", k);
    text_put(&source, BEGIN);
    for (int k = 0; k < count; k++) text_printf(&source, "ld.shared.u8 %%r4, [s%d];\nadd.u32 %%r1, %%r1, %%r4;\n", k);
    text_put(&source, END);
    prepare(&p, &source);
    assert_int_equal(p.program->variable_count, count + 1);
    assert_int_equal(sim_origins_find(p.program, &origins), HAUL_OK);
    free(origins);
    release(&p);
    text_free(&source);
}

static void recursive_functions_may_be_many(void **state) {
    (void)state;
    text source = {0};
    prepared p;
    const int count = scaled(5000);
    text_put(&source, HEAD);
    for (int k = 0; k < count; k++)
        text_printf(&source,
                    ".func (.reg .u32 r) f%d(.reg .u32 a) {\n.reg .pred p;\nsetp.eq.u32 p, a, 0;\nmov.u32 r, 0;\n@p "
                    "ret;\ncall (r), f%d, (a);\nret;\n}\n",
                    k, k);
    text_put(&source, BEGIN);
    for (int k = 0; k < count; k++) text_printf(&source, "call (%%r1), f%d, (%%r1);\n", k);
    text_put(&source, END);
    prepare(&p, &source);
    assert_int_equal(p.program->function->callee_count, count);
    release(&p);
    text_free(&source);
}

typedef struct uses_search {
    const ptx_function *function;
    uint16_t *uses;
    sim_peeks *peeks;
} uses_search;

static void find_uses(void *context, arena *scratch) {
    uses_search *s = context;
    const sim_loops loops = sim_loops_find(s->function, scratch);
    assert_int_equal(sim_uses_find(&loops, scratch, &s->uses, &s->peeks), HAUL_OK);
}

static void volatile_loads_may_be_many(void **state) {
    (void)state;
    text source = {0};
    prepared p;
    uses_search s = {0};
    write_shape(&source, &(shape){.part = "ld.volatile.global.u32 %r4, [%d1];\nadd.u32 %r1, %r1, %r4;\n"
                                          "st.volatile.global.u32 [%d1], %r1;\n",
                                  .parts = scaled(60000)});
    prepare(&p, &source);
    s.function = p.program->function;
    assert_true(sim_uses_matter(s.function));
    assert_int_equal(sim_with_scratch(find_uses, &s), HAUL_OK);
    assert_non_null(s.uses);
    free(s.uses);
    free(s.peeks);
    release(&p);
    text_free(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_register_may_be_written_very_often),
        cmocka_unit_test(a_row_of_branches_to_one_place_may_be_long),
        cmocka_unit_test(loops_may_begin_at_every_instruction),
        cmocka_unit_test(loops_with_registers_of_their_own_may_be_many),
        cmocka_unit_test(accesses_by_one_pointer_may_be_many),
        cmocka_unit_test(copies_may_come_in_the_wrong_order),
        cmocka_unit_test(barriers_may_be_many),
        cmocka_unit_test(negatives_may_be_selected_much_later),
        cmocka_unit_test(variables_may_be_many),
        cmocka_unit_test(recursive_functions_may_be_many),
        cmocka_unit_test(volatile_loads_may_be_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
