#include "ptx_test.h"

#include "ptx/pattern.h"

static ptx_opcode resolved(const char *opcode_text) {
    ptx_opcode opcode;
    if (!ptx_resolve_opcode(opcode_text, strlen(opcode_text), &opcode)) fail_msg("'%s' is not known", opcode_text);
    return opcode;
}

static bool is_known(const char *opcode_text) {
    ptx_opcode opcode;
    return ptx_resolve_opcode(opcode_text, strlen(opcode_text), &opcode);
}

static void reads_every_row_of_isa_def(void **state) {
    (void)state;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++)
        if (ptx_pattern_of(op)->suffix_count == PTX_BAD_PATTERN) fail_msg("isa.def: %s cannot be read", ptx_ops[op].id);
}

static void puts_modifiers_below_their_slots(void **state) {
    (void)state;
    assert_int_equal(ptx_modifier_slots[PTX_MOD_LO], PTX_SLOT_MODE);
    assert_int_equal(ptx_modifier_slots[PTX_MOD_FTZ], PTX_SLOT_FTZ);
    assert_int_equal(ptx_modifier_slots[PTX_MOD_SHARED_CTA], PTX_SLOT_SPACE);
    assert_int_equal(ptx_modifier_slots[PTX_MOD_REDUCE_OR], PTX_SLOT_REDUCE);
}

static void finds_types_and_modifiers(void **state) {
    (void)state;
    ptx_opcode opcode = resolved("ld.global.nc.L1::no_allocate.L2::128B.v4.f32");
    assert_int_equal(opcode.op, PTX_OP_LD);
    assert_int_equal(opcode.types[0], PTX_F32);
    assert_int_equal(opcode.mods[PTX_SLOT_SPACE], PTX_MOD_GLOBAL);
    assert_int_equal(opcode.mods[PTX_SLOT_NC], PTX_MOD_NC);
    assert_int_equal(opcode.mods[PTX_SLOT_EVICT_L1], PTX_MOD_L1_NO_ALLOCATE);
    assert_int_equal(opcode.mods[PTX_SLOT_PREFETCH], PTX_MOD_L2_128B);
    assert_int_equal(opcode.mods[PTX_SLOT_VECTOR], PTX_MOD_V4);
}

static void takes_the_longest_mnemonic(void **state) {
    (void)state;
    assert_int_equal(resolved("bar.warp.sync").op, PTX_OP_BAR_WARP);
    assert_int_equal(resolved("cp.async.bulk.commit_group").op, PTX_OP_CP_BULK_COMMIT);
    assert_int_equal(resolved("mbarrier.arrive.expect_tx.shared::cta.b64").op, PTX_OP_MBARRIER_ARRIVE);
}

static void chooses_the_row_by_the_types(void **state) {
    (void)state;
    assert_int_equal(resolved("add.s32").op, PTX_OP_ADD);
    assert_int_equal(resolved("add.cc.u32").op, PTX_OP_ADD_CC);
    assert_int_equal(resolved("add.rn.ftz.f32").op, PTX_OP_FADD);
    assert_int_equal(resolved("add.f16x2").op, PTX_OP_HADD);
    assert_int_equal(resolved("setp.lt.and.s32").op, PTX_OP_SETP_COMBINE);
    assert_int_equal(resolved("fence.proxy.async.shared::cta").op, PTX_OP_FENCE_PROXY);
}

static void takes_modifiers_in_any_order(void **state) {
    (void)state;
    assert_int_equal(resolved("add.f32.ftz").op, PTX_OP_FADD);
    assert_int_equal(resolved("prmt.f4e.b32").mods[PTX_SLOT_MODE], PTX_MOD_F4E);
}

static void keeps_two_types_in_order(void **state) {
    (void)state;
    ptx_opcode opcode = resolved("cvt.rn.f32.u16");
    assert_int_equal(opcode.types[0], PTX_F32);
    assert_int_equal(opcode.types[1], PTX_U16);
}

static void refuses_what_does_not_fit(void **state) {
    (void)state;
    static const char *const wrong[] = {"add",      "add.",        "add.u33",       "add.s32.s32", "add.sat.u64",
                                        "ld.u32.x", "add.ftz.f64", "mul.lo.hi.s32", "nothing.b32", "ld.ld.u32"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (is_known(wrong[i])) fail_msg("'%s' was accepted", wrong[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_row_of_isa_def),   cmocka_unit_test(puts_modifiers_below_their_slots),
        cmocka_unit_test(finds_types_and_modifiers),    cmocka_unit_test(takes_the_longest_mnemonic),
        cmocka_unit_test(chooses_the_row_by_the_types), cmocka_unit_test(takes_modifiers_in_any_order),
        cmocka_unit_test(keeps_two_types_in_order),     cmocka_unit_test(refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
