/* The columns `kind` and `traits` of isa.def against what else its rows say: a row whose kind is wrong, or left OTHER
 * where its relatives have one, shows here. */
#include "ptx/traits.h"

#include "ptx/pattern.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static ptx_role role_of(unsigned op, unsigned operand) {
    return ptx_pattern_of(op)->operands[operand].role;
}

static bool has_role(unsigned op, ptx_role role) {
    const ptx_pattern *p = ptx_pattern_of(op);
    for (unsigned o = 0; o < p->operand_count; o++)
        if (p->operands[o].role == role) return true;
    return false;
}

static void expect(unsigned op, bool fine, const char *what) {
    if (!fine) fail_msg("%s: %s", ptx_ops[op].id, what);
}

static void every_word_is_used_by_some_row(void **state) {
    (void)state;
    uint32_t kinds = 0, traits = 0;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        expect(op, __builtin_popcount(ptx_traits_of[op].kind) == 1, "is of one kind");
        kinds |= ptx_traits_of[op].kind;
        traits |= ptx_traits_of[op].traits;
    }
    assert_int_equal(kinds, (1u << PTX_KIND_COUNT) - 1);
    assert_int_equal(traits, (1u << PTX_TRAIT_COUNT) - 1);
}

static void pure_instructions_only_write_a_register(void **state) {
    (void)state;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        if (!ptx_is_pure(op)) continue;
        expect(op, role_of(op, 0) == PTX_ROLE_DESTINATION, "has a result");
        expect(op, !has_role(op, PTX_ROLE_MEMORY) && !has_role(op, PTX_ROLE_LABEL), "goes to memory, or elsewhere");
    }
}

static void accesses_have_their_address_where_the_kind_says(void **state) {
    (void)state;
    const unsigned second = PTX_KIND_LOAD | PTX_KIND_ATOMIC;
    const unsigned first = PTX_KIND_STORE | PTX_KIND_REDUCTION | PTX_KIND_COPY | PTX_KIND_PREFETCH;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        if (ptx_is(op, second)) expect(op, role_of(op, 0) == PTX_ROLE_DESTINATION, "has a result first");
        if (ptx_is(op, second)) expect(op, role_of(op, 1) == PTX_ROLE_MEMORY, "has its address second");
        if (ptx_is(op, first)) expect(op, role_of(op, 0) == PTX_ROLE_MEMORY, "has its address first");
    }
}

/* Expects that instructions that begin with the mnemonic, and no others, are of these kinds. */
static void expect_family(const char *mnemonic, unsigned kinds) {
    for (unsigned op = 0; op < PTX_OP_COUNT; op++)
        expect(op, ptx_is(op, kinds) == begins_with(ptx_ops[op].mnemonic, mnemonic), mnemonic);
}

static void families_are_of_one_kind(void **state) {
    (void)state;
    expect_family("wgmma.mma_async", PTX_KIND_WARPGROUP_PRODUCT);
    expect_family("tcgen05.mma", PTX_KIND_TENSOR_PRODUCT);
    expect_family("tcgen05.", PTX_KIND_TENSOR_PRODUCT | PTX_KIND_TENSOR_MEMORY);
    expect_family("mbarrier.arrive", PTX_KIND_MBARRIER_ARRIVAL);
    expect_family("suld.", PTX_KIND_SURFACE_LOAD);
    expect_family("sust.", PTX_KIND_SURFACE_STORE);
    expect_family("sured.", PTX_KIND_SURFACE_REDUCTION);
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        const char *m = ptx_ops[op].mnemonic;
        expect(op, ptx_has(op, PTX_TRAIT_WMMA) == begins_with(m, "wmma."), "wmma");
        expect(op, ptx_is(op, PTX_KIND_BARRIER) == (!strcmp(m, "bar") || !strcmp(m, "barrier")), "numbered barrier");
        expect(op, ptx_is(op, PTX_KIND_OTHER_BARRIER) == (!strcmp(m, "bar.warp") || begins_with(m, "barrier.cluster.")),
               "barrier of another kind");
        expect(op,
               ptx_is(op, PTX_KIND_COPY_WAIT) ==
                   (begins_with(m, "cp.async.wait_") || begins_with(m, "cp.async.bulk.wait_")),
               "wait for copies");
        expect(op, ptx_is(op, PTX_KIND_END) == (!strcmp(m, "ret") || !strcmp(m, "exit")), "end");
    }
}

static void only_arithmetic_becomes_a_call(void **state) {
    (void)state;
    const unsigned of_arithmetic = PTX_TRAIT_CALLED | PTX_TRAIT_CALLED_UNLESS_32 | PTX_TRAIT_DIVIDES |
                                   PTX_TRAIT_SCALES | PTX_TRAIT_EXTENDS_BY_TYPE | PTX_TRAIT_EXTENDS_EITHER |
                                   PTX_TRAIT_VIDEO | PTX_TRAIT_VIDEO_HALVES | PTX_TRAIT_VIDEO_BYTES;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++)
        if (ptx_has(op, of_arithmetic)) expect(op, ptx_is(op, PTX_KIND_ARITHMETIC), "is arithmetic");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_used_by_some_row),
        cmocka_unit_test(pure_instructions_only_write_a_register),
        cmocka_unit_test(accesses_have_their_address_where_the_kind_says),
        cmocka_unit_test(families_are_of_one_kind),
        cmocka_unit_test(only_arithmetic_becomes_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
