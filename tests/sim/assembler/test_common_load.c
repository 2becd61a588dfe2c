/* Loads that both paths after a branch make run once before it, as in ptxas 13.0's machine code for sm_90. */
#include "kernel.h"

#include "assembler/common_load.h"
#include "ptx/inline.h"

/* Returns the loads of global memory (l), stores (s) and branches (b) of the kernel, in order. */
static const char *order(const char *body) {
    static char out[100], ptx[4000];
    ptx_module *module;
    ptx_function *flat, *made;
    size_t length = 0;
    snprintf(ptx, sizeof ptx, "%s%s%s%s", HEAD, BEGIN, body, END);
    assert_int_equal(ptx_module_parse("test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    assert_int_equal(sim_run_pass(sim_share_loads, module, flat, &made), HAUL_OK);
    for (size_t i = 0; i < made->instruction_count && length < sizeof out - 1; i++) {
        const ptx_instruction *at = &made->instructions[i];
        if (at->op == PTX_OP_LD && at->mods[PTX_SLOT_SPACE] == PTX_MOD_GLOBAL) out[length++] = 'l';
        if (at->op == PTX_OP_ST) out[length++] = 's';
        if (at->op == PTX_OP_BRA) out[length++] = 'b';
    }
    out[length] = 0;
    ptx_module_free(module);
    return out;
}

#define CHOOSE "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra LOW;\n"
#define HIGH(body) body "bra.uni DONE;\n"
#define LOW(body) "LOW:\n" body "DONE:\n"
#define LOAD(reg, at) "ld.global.u32 " reg ", [%rd1+" #at "];\n"

static void a_load_of_both_paths_runs_before_the_branch(void **state) {
    (void)state;
    assert_string_equal(order(CHOOSE HIGH(LOAD("%r5", 8)) LOW(LOAD("%r6", 8))), "lbb");
    assert_string_equal(order(CHOOSE HIGH("add.u32 %r7, %r0, 1;\n" LOAD("%r5", 8)) LOW(LOAD("%r5", 4) LOAD("%r5", 8))),
                        "lbbl");
}

static void a_jump_to_a_path_belongs_to_it(void **state) {
    (void)state;
    assert_string_equal(order("setp.lt.u32 %p1, %r0, 7;\n@%p1 bra LOW;\nbra.uni HIGH;\nLOW:\n" LOAD(
                            "%r6", 8) "bra.uni DONE;\nHIGH:\n" LOAD("%r5", 8) "DONE:\n" OUT("%r0")),
                        "lbbbs");
}

static void other_addresses_and_single_paths_stay(void **state) {
    (void)state;
    assert_string_equal(order(CHOOSE HIGH(LOAD("%r5", 8)) LOW(LOAD("%r6", 12))), "blbl");
    assert_string_equal(order(CHOOSE HIGH("add.u64 %rd1, %rd1, 4;\n" LOAD("%r5", 8)) LOW(LOAD("%r6", 8))), "blbl");
    assert_string_equal(order(CHOOSE LOAD("%r5", 8) LOW(LOAD("%r6", 8))), "bll");
    assert_string_equal(
        order(CHOOSE HIGH("ld.volatile.global.u32 %r5, [%rd1+8];\n") LOW("ld.volatile.global.u32 %r6, [%rd1+8];\n")),
        "blbl");
}

static void paths_that_machine_code_branches_to_keep_their_loads(void **state) {
    (void)state;
    assert_string_equal(order(CHOOSE HIGH(LOAD("%r5", 8) OUT("%r5")) LOW(LOAD("%r6", 8))), "blsbl");
#define THREE "mul.lo.u32 %r5, %r5, %r5;\nmul.lo.u32 %r5, %r5, %r5;\nmul.lo.u32 %r5, %r5, %r5;\n"
    assert_string_equal(order(CHOOSE HIGH(LOAD("%r5", 8) THREE) LOW(LOAD("%r6", 8))), "lbb");
    assert_string_equal(order(CHOOSE HIGH(LOAD("%r5", 8) THREE THREE THREE) LOW(LOAD("%r6", 8))), "blbl");
#undef THREE
    assert_string_equal(order(CHOOSE HIGH(OUT("%r0") LOAD("%r5", 8)) LOW(LOAD("%r6", 8))), "bslbl");
    assert_string_equal(order(CHOOSE HIGH("bar.sync 0;\n" LOAD("%r5", 8)) LOW(LOAD("%r6", 8))), "blbl");
}

static void results_are_the_same_and_a_warp_loads_once(void **state) {
    (void)state;
    static const char ptx[] = KERNEL(CHOOSE HIGH(LOAD("%r5", 8) "add.u32 %r5, %r5, 1;\n")
                                         LOW(LOAD("%r6", 8) "add.u32 %r5, %r6, 100;\n") OUT("%r5"));
    const uint32_t in[] = {1, 2, 3, 4};
    uint32_t out[32] = {0};
    haul_launch_record record = {0};
    run_kernel(&(kernel_run){.ptx = ptx, FROM(in), INTO(out), .record = &record});
    for (uint32_t k = 0; k < 32; k++) assert_int_equal(out[k], k < 7 ? 103 : 4);
    assert_int_equal(record.counters[HAUL_COUNTER_INST_GLOBAL_LD], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_of_both_paths_runs_before_the_branch),
        cmocka_unit_test(a_jump_to_a_path_belongs_to_it),
        cmocka_unit_test(other_addresses_and_single_paths_stay),
        cmocka_unit_test(paths_that_machine_code_branches_to_keep_their_loads),
        cmocka_unit_test(results_are_the_same_and_a_warp_loads_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
