/* Read-only loads move ahead of stores, as in ptxas 13.0's machine code for sm_90. */
#include "kernel.h"

#include "ptx/inline.h"
#include "assembler/hoist.h"

#define LOAD(reg, at) "ld.global.f32 " reg ", [%rd1+" #at "];\n"
#define READ_ONLY(reg, at) "ld.global.nc.f32 " reg ", [%rd1+" #at "];\n"
#define STORE(reg, at) "st.global.f32 [%rd2+" #at "], " reg ";\n"

/* Returns the loads (l), read-only loads (n), stores (s) and barriers (|) of the kernel, in order. */
static const char *order(const char *body) {
    static char out[100], ptx[10000];
    ptx_module *module;
    ptx_function *flat, *hoisted;
    size_t length = 0;
    snprintf(ptx, sizeof ptx, "%s%s%s%s", HEAD, BEGIN, body, END);
    if (ptx_module_parse("test.ptx", ptx, strlen(ptx), &module) != HAUL_OK) return haul_message();
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    assert_int_equal(sim_run_pass(sim_hoist, module, flat, &hoisted), HAUL_OK);
    assert_int_equal(hoisted->instruction_count, flat->instruction_count);
    for (size_t i = 0; i < hoisted->instruction_count; i++) {
        const ptx_instruction *x = &hoisted->instructions[i];
        if (x->mods[PTX_SLOT_SPACE] == PTX_MOD_GLOBAL && x->op == PTX_OP_LD)
            out[length++] = x->mods[PTX_SLOT_NC] ? 'n' : 'l';
        if (x->op == PTX_OP_ST) out[length++] = 's';
        if (x->op == PTX_OP_BAR_SYNC) out[length++] = '|';
    }
    out[length] = 0;
    ptx_module_free(module);
    return out;
}

static void read_only_loads_go_ahead_of_stores(void **state) {
    (void)state;
    assert_string_equal(order(READ_ONLY("%f0", 0) STORE("%f0", 0) READ_ONLY("%f1", 4) STORE("%f1", 4)
                                  READ_ONLY("%f2", 8) STORE("%f2", 8)),
                        "nnnsss");
}

static void other_loads_stay_behind_stores(void **state) {
    (void)state;
    assert_string_equal(order(LOAD("%f0", 0) STORE("%f0", 0) LOAD("%f1", 4) STORE("%f1", 4)), "lsls");
    assert_string_equal(order(STORE("%f0", 0) LOAD("%f1", 4) READ_ONLY("%f2", 8) STORE("%f1", 4)), "slns");
}

static void barriers_are_not_crossed(void **state) {
    (void)state;
    assert_string_equal(order(STORE("%f0", 0) "bar.sync 0;\n" READ_ONLY("%f1", 4) STORE("%f1", 4)), "s|ns");
}

static void a_value_is_stored_before_its_register_is_written(void **state) {
    (void)state;
    assert_string_equal(order(READ_ONLY("%f0", 0) STORE("%f0", 0) READ_ONLY("%f0", 4) STORE("%f0", 4)), "nsns");
    assert_string_equal(order(STORE("%f0", 0) "add.s64 %rd2, %rd2, 4;\n" READ_ONLY("%f1", 4) STORE("%f1", 0)), "sns");
}

static void arithmetic_between_does_not_matter(void **state) {
    (void)state;
    assert_string_equal(order(READ_ONLY("%f0", 0) "add.f32 %f3, %f0, %f0;\n" STORE("%f3", 0)
                                  READ_ONLY("%f1", 4) "add.f32 %f4, %f1, %f1;\n" STORE("%f4", 4)),
                        "nnss");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_only_loads_go_ahead_of_stores),
        cmocka_unit_test(other_loads_stay_behind_stores),
        cmocka_unit_test(barriers_are_not_crossed),
        cmocka_unit_test(a_value_is_stored_before_its_register_is_written),
        cmocka_unit_test(arithmetic_between_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
