/* Blocks per SM, what limits them, what remains for L1; and the estimate of registers. */
#include "kernel.h"
#include "state/program.h"
#include "assembler/registers.h"

#include "base/text.h"
#include "ptx/inline.h"
#include "state/occupancy.h"

#include <stdio.h>

static haul_occupancy fits(const char *machine, uint32_t threads, uint32_t registers, uint64_t shared) {
    static const ptx_function function;
    const sim_program program = {.function = &function,
                                 .registers = {{registers, registers, registers}, registers, registers}};
    haul_occupancy o;
    sim_occupancy(sim_machine_find(machine), &program, threads, (uint32_t)shared, 1, &o);
    return o;
}

static void threads_limit_small_kernels(void **state) {
    (void)state;
    haul_occupancy o = fits("h100", 256, 32, 0);
    assert_int_equal(o.blocks_per_sm, 8);
    assert_int_equal(o.warps_per_sm, 64);
    assert_int_equal(o.limit_warps, 8);
    assert_int_equal(o.limit_registers, 8);
    assert_int_equal(fits("rtx4090", 256, 32, 0).blocks_per_sm, 6);
}

static void the_number_of_blocks_limits_small_blocks(void **state) {
    (void)state;
    assert_int_equal(fits("h100", 32, 16, 0).blocks_per_sm, 32);
    assert_int_equal(fits("rtx4090", 32, 16, 0).blocks_per_sm, 24);
}

static void registers_are_given_to_whole_warps(void **state) {
    (void)state;
    assert_int_equal(fits("h100", 256, 40, 0).blocks_per_sm, 6); /* 1280 a warp: 12 in a quarter of the SM */
    assert_int_equal(fits("h100", 256, 33, 0).blocks_per_sm, 6); /* the same as 40 */
    assert_int_equal(fits("h100", 1024, 64, 0).blocks_per_sm, 1);
}

static void shared_memory_limits_blocks_and_takes_from_l1(void **state) {
    (void)state;
    haul_occupancy o = fits("h100", 128, 32, 48 * 1024);
    assert_int_equal(o.limit_shared, 4); /* with 49 KiB each */
    assert_int_equal(o.blocks_per_sm, 4);
    assert_int_equal(o.shared_per_block, 49 * 1024);
    assert_int_equal(o.shared_carveout, 196 * 1024);
    assert_int_equal(o.l1_bytes, 60 * 1024);
}

/* A T4 has half the warps of others, and no machine before the A100 takes a kilobyte of each block. */
static void volta_and_turing_have_their_own_limits(void **state) {
    (void)state;
    assert_int_equal(fits("v100", 256, 32, 0).blocks_per_sm, 8);
    assert_int_equal(fits("t4", 256, 32, 0).blocks_per_sm, 4);
    assert_int_equal(fits("t4", 32, 16, 0).blocks_per_sm, 16);
    assert_int_equal(fits("v100", 64, 32, 48 * 1024).blocks_per_sm, 2);
    assert_int_equal(fits("v100", 64, 32, 96 * 1024).blocks_per_sm, 1);
    assert_int_equal(fits("t4", 64, 32, 32 * 1024).blocks_per_sm, 2);
    assert_int_equal(fits("t4", 64, 32, 64 * 1024).l1_bytes, 32 * 1024);
    assert_int_equal(fits("a100", 64, 32, 48 * 1024).shared_per_block, 49 * 1024);
}

static void the_system_takes_a_kilobyte_of_each_block(void **state) {
    (void)state;
    haul_occupancy o = fits("h100", 1024, 16, 0);
    assert_int_equal(o.shared_per_block, 1024);
    assert_int_equal(o.shared_carveout, 8 * 1024);
    assert_int_equal(o.l1_bytes, 248 * 1024);
    assert_int_equal(fits("h100", 64, 16, 0).shared_carveout, 32 * 1024);
}

/* The carve-outs of an H100's driver for 219 launches. */
static void the_carveout_is_the_drivers(void **state) {
    (void)state;
    FILE *file = fopen(TEST_DATA "/l1/carveouts.txt", "r");
    unsigned threads, registers, bytes, carveout, launches = 0, right = 0;
    assert_non_null(file);
    while (fscanf(file, "%u %u %u %u", &threads, &registers, &bytes, &carveout) == 4) {
        haul_occupancy o = fits("h100", threads, registers, bytes);
        launches++;
        right += o.shared_carveout == carveout;
    }
    fclose(file);
    assert_int_equal(launches, 219);
    assert_int_equal(right, 218); /* all but 32 bytes in blocks of 128 threads */
}

static uint32_t registers_of(const char *ptx) {
    ptx_module *module;
    ptx_function *flat;
    arena memory;
    jmp_buf out_of_memory;
    assert_int_equal(ptx_module_parse("test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    arena_init(&memory, &out_of_memory);
    assert_int_equal(setjmp(out_of_memory), 0);
    const sim_program program = {.function = flat, .registers = sim_estimate_registers(flat, &memory)};
    uint32_t registers = sim_registers(sim_machine_find("h100"), &program);
    arena_free(&memory);
    ptx_module_free(module);
    return registers;
}

/* The same of a kernel that begins so, and stores words that it makes of so many bytes. */
static uint32_t registers_of_words(const char *begin, unsigned bytes) {
    text t = {0};
    text_printf(&t, "%s.reg .b32 %%x<%u>;\n", begin, bytes);
    for (unsigned k = 0; k < bytes; k++) text_printf(&t, "ld.global.u8 %%x%u, [%%rd2+%u];\n", k, k);
    for (unsigned k = 0; k < bytes; k++)
        if (k % 4)
            text_printf(&t, "shl.b32 %%x%u, %%x%u, %u;\nor.b32 %%x%u, %%x%u, %%x%u;\n", k, k, k % 4 * 8, k / 4 * 4,
                        k / 4 * 4, k);
    for (unsigned k = 0; k < bytes; k += 4) text_printf(&t, "st.global.u32 [%%rd1+%u], %%x%u;\n", 4 * k, k);
    text_put(&t, END);
    const uint32_t registers = registers_of(text_string(&t));
    text_free(&t);
    return registers;
}

/* ptxas gives 8 to 12. */
static void a_small_kernel_has_few_registers(void **state) {
    (void)state;
    const uint32_t registers = registers_of(KERNEL(OUT("%r0")));
    assert_true(registers >= 8 && registers <= 14);
}

/* 40 loads wait for a barrier. ptxas gives 48. */
static void registers_that_live_at_once_add_up(void **state) {
    (void)state;
    text t = {0};
    text_put(&t, HEAD BEGIN);
    for (unsigned r = 3; r < 43; r++) text_printf(&t, "ld.global.u32 %%r%u, [%%rd2+%u];\n", r, 4 * r);
    text_put(&t, "bar.sync 0;\n");
    for (unsigned r = 3; r < 43; r++) text_printf(&t, "st.global.u32 [%%rd2+%u], %%r%u;\n", 4 * (45 - r), r);
    text_put(&t, END);
    const uint32_t registers = registers_of(text_string(&t));
    assert_true(registers >= 42 && registers <= 50);
    text_free(&t);
}

/* Each of 16 loads goes ahead of the stores to other places. ptxas gives 29. */
static void loads_go_ahead_of_stores_elsewhere(void **state) {
    (void)state;
    text t = {0};
    text_put(&t, HEAD BEGIN);
    for (unsigned r = 3; r < 19; r++)
        text_printf(&t,
                    "ld.global.u32 %%r%u, [%%rd2+%u];\nadd.u32 %%r%u, %%r%u, 1;\nst.global.u32 [%%rd2+%u], %%r%u;\n", r,
                    4 * r, r, r, 4 * r, r);
    text_put(&t, END);
    const uint32_t registers = registers_of(text_string(&t));
    assert_true(registers >= 20 && registers <= 33);
    text_free(&t);
}

/* A store to shared memory need not wait for later loads from global memory, so that their values are not all live.
 * ptxas gives 30. */
static void stores_go_ahead_of_loads_of_another_space(void **state) {
    (void)state;
    text t = {0};
    text_put(&t, HEAD ".shared .b32 s[64];\n" BEGIN);
    for (unsigned r = 3; r < 43; r++) text_printf(&t, "ld.global.u32 %%r%u, [%%rd2+%u];\n", r, 4 * r);
    for (unsigned r = 3; r < 43; r++) text_printf(&t, "shfl.sync.bfly.b32 %%r%u, %%r%u, 1, 31, -1;\n", r, r);
    for (unsigned r = 3; r < 43; r++) text_printf(&t, "st.shared.u32 [s+%u], %%r%u;\n", 4 * r, r);
    text_put(&t, END);
    const uint32_t registers = registers_of(text_string(&t));
    assert_true(registers >= 28 && registers <= 36);
    text_free(&t);
}

/* Bytes become words before others are loaded, though all are loaded before the first store. ptxas gives 32. */
static void bytes_are_put_together_as_they_come(void **state) {
    (void)state;
    const uint32_t registers = registers_of_words(HEAD BEGIN, 96);
    assert_true(registers >= 28 && registers <= 36);
}

/* Blocks of one warp do not fill an SM, whatever the registers up to 64, so that more loads go ahead. ptxas gives 53.
 */
static void small_blocks_leave_more_registers(void **state) {
    (void)state;
    static const char begin[] = HEAD BEGIN;
    const char *const body = strchr(begin, '{');
    text t = {0};
    text_printf(&t, "%.*s.maxntid 32, 1, 1\n%s", (int)(body - begin), begin, body);
    const uint32_t registers = registers_of_words(text_string(&t), 48);
    assert_true(registers >= 47 && registers <= 57);
    text_free(&t);
}

/* ptxas gives 26; most are the routine's. */
static void a_quotient_in_double_precision_takes_registers(void **state) {
    (void)state;
    const uint32_t registers = registers_of(KERNEL("ld.global.f64 %fd0, [%rd2];\nld.global.f64 %fd1, [%rd2+8];\n"
                                                   "div.rn.f64 %fd2, %fd0, %fd1;\nst.global.f64 [%rd2], %fd2;\n"));
    assert_true(registers >= 22 && registers <= 30);
}

/* 40 constants that are stored take registers while the stores read them, not until then. ptxas gives 26. */
static void constants_take_registers_only_for_their_stores(void **state) {
    (void)state;
    static char ptx[20000];
    size_t at = (size_t)snprintf(ptx, sizeof ptx, "%s%s", HEAD, BEGIN);
    for (unsigned r = 3; r < 43; r++) at += (size_t)snprintf(ptx + at, sizeof ptx - at, "mov.u32 %%r%u, %u;\n", r, r);
    for (unsigned r = 3; r < 43; r++)
        at += (size_t)snprintf(ptx + at, sizeof ptx - at, "st.global.u32 [%%rd2+%u], %%r%u;\n", 4 * r, r);
    snprintf(ptx + at, sizeof ptx - at, "%s", END);
    const uint32_t registers = registers_of(ptx);
    assert_true(registers >= 22 && registers <= 32);
}

static void launch_bounds_cap_registers(void **state) {
    (void)state;
    const ptx_function function = {.max_threads = {256, 1, 1}, .min_blocks = 4};
    const sim_program program = {.function = &function, .registers = {{200, 200, 200}, 200, 200}};
    haul_occupancy o;
    sim_occupancy(sim_machine_find("h100"), &program, 256, 0, 1, &o);
    assert_int_equal(o.registers_per_thread, 64);
    assert_int_equal(o.blocks_per_sm, 4);
    const ptx_function capped = {.max_registers = 24};
    const sim_program small = {.function = &capped, .registers = {{200, 200, 200}, 200, 200}};
    sim_occupancy(sim_machine_find("h100"), &small, 256, 0, 1, &o);
    assert_int_equal(o.registers_per_thread, 24);
}

static void registers_beyond_the_bounds_spill(void **state) {
    (void)state;
    const ptx_function function = {.max_threads = {256, 1, 1}, .min_blocks = 4};
    const sim_program program = {.function = &function, .registers = {{32, 32, 32}, 120, 100}};
    const sim_machine *m = sim_machine_find("h100");
    assert_int_equal(sim_registers(m, &program), 64);
    assert_int_equal(sim_spilled_registers(m, &program), 100 - 64);
    const ptx_function unbounded = {.name = "k"};
    const sim_program other = {.function = &unbounded, .registers = {{32, 32, 32}, 120, 100}};
    assert_int_equal(sim_registers(m, &other), 32);
    assert_int_equal(sim_spilled_registers(m, &other), 0);
}

/* As nvcc -maxrregcount: launch bounds override it, and ptxas raises it to 24. */
static void a_limit_for_all_kernels_caps_those_without_bounds(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    const ptx_function unbounded = {.name = "k"}, bounded = {.name = "b", .max_threads = {128, 1, 1}};
    sim_program program = {.function = &unbounded, .registers = {{90, 90, 90}, 90, 80}, .most_registers = 40};
    assert_int_equal(sim_registers(m, &program), 40);
    assert_int_equal(sim_spilled_registers(m, &program), 80 - 40);
    program.most_registers = 8;
    assert_int_equal(sim_registers(m, &program), 24);
    program.function = &bounded;
    assert_int_equal(sim_registers(m, &program), 90);
    assert_int_equal(sim_spilled_registers(m, &program), 0);
}

/* An RTX 4090's SM holds 1,536 threads, and so do 40 registers. */
static void a_part_with_fewer_threads_leaves_more_registers(void **state) {
    (void)state;
    const ptx_function function = {.name = "k"};
    const sim_program program = {.function = &function, .registers = {{32, 40, 60}, 60, 30}};
    assert_int_equal(sim_registers(sim_machine_find("h100"), &program), 32);
    assert_int_equal(sim_registers(sim_machine_find("rtx4090"), &program), 40);
    assert_int_equal(sim_registers(sim_machine_find("t4"), &program), 60);
}

/* ---- an estimate never makes a launch fail ---- */

static void an_estimate_leaves_room_for_a_block(void **state) {
    (void)state;
    const haul_occupancy o = fits("h100", 1024, 96, 0);
    assert_int_equal(o.blocks_per_sm, 1);
    assert_int_equal(o.registers_per_thread, 64);
    assert_true(o.registers_estimated);
    for (size_t m = 0; m < sim_machine_count; m++)
        for (uint32_t threads = 1; threads <= sim_machines[m].max_threads_per_block; threads += 31)
            assert_true(fits(sim_machines[m].name, threads, 255, sim_machines[m].shared_per_block_optin).blocks_per_sm);
}

static void an_estimate_leaves_room_for_blocks_that_are_known_to_fit(void **state) {
    (void)state;
    static const ptx_function function;
    const sim_program program = {.function = &function, .registers = {{100, 100, 100}, 100, 100}};
    haul_occupancy o;
    sim_occupancy(sim_machine_find("h100"), &program, 512, 0, 3, &o);
    assert_int_equal(o.blocks_per_sm, 3);
    assert_int_equal(o.registers_per_thread, 40);
    sim_occupancy(sim_machine_find("h100"), &program, 512, 0, 9, &o); /* threads allow four */
    assert_int_equal(o.blocks_per_sm, 4);
    assert_int_equal(o.registers_per_thread, 32);
    sim_occupancy(sim_machine_find("h100"), &program, 512, 150 << 10, 9, &o); /* shared memory allows one */
    assert_int_equal(o.blocks_per_sm, 1);
    assert_int_equal(o.registers_per_thread, 100);
}

/* `count` words of shared memory, all live across a barrier; then %r3 is the thread's number times `count`. */
static void put_many_live(text *t, unsigned count) {
    text_printf(t, ".shared .align 4 .b32 words[%u];\n", count);
    for (unsigned r = 0; r < count; r++)
        text_printf(t, ".reg .b32 %%live%u;\nld.shared.u32 %%live%u, [words+%u];\n", r, r, 4 * r);
    text_put(t, "bar.sync 0;\n");
    for (unsigned r = 0; r < count; r++)
        text_printf(t, "st.shared.u32 [words+%u], %%live%u;\n", 4 * (count - 1 - r), r);
    text_printf(t, "mul.lo.u32 %%r3, %%r0, %u;\n", count);
}

/* ptxas gives 130. */
static void a_large_block_of_a_kernel_with_many_registers_is_launched(void **state) {
    (void)state;
    enum { THREADS = 1024, LIVE = 120 };
    static uint32_t out[THREADS];
    text t = {0};
    text_put(&t, HEAD BEGIN);
    put_many_live(&t, LIVE);
    text_put(&t, OUT("%r3") END);
    assert_true(registers_of(text_string(&t)) > 64);
    run_words(text_string(&t), 1, THREADS, out);
    expect_words(out, THREADS, LIVE * i);
    text_free(&t);
}

/* Each block waits until all have arrived. */
#define MEETING                                                                                     \
    "mov.u32 %r10, %envreg2;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra DONE;\nmov.u32 %r11, %nctaid.x;\n" \
    "red.release.gpu.global.add.u32 [%rd0], 1;\n"                                                   \
    "WAIT: ld.acquire.gpu.global.u32 %r12, [%rd0];\nsetp.lt.u32 %p1, %r12, %r11;\n@%p1 bra WAIT;\n" \
    "DONE:\n"

static void a_grid_that_meets_is_launched_as_far_as_threads_allow(void **state) {
    (void)state;
    enum { FIT = 2 * 132, THREADS = 1024 };
    uint32_t count = 0;
    text t = {0};
    text_put(&t, HEAD BEGIN);
    put_many_live(&t, 80);
    text_put(&t, MEETING END);
    kernel_run r = {.ptx = text_string(&t), .blocks = FIT, .threads = THREADS, .out = &count, .out_bytes = 4};
    run_kernel(&r);
    assert_int_equal(count, FIT);
    r.blocks++;
    expect_failure(&r, HAUL_ERROR_LIMIT, "blocks that wait for each other 265, but h100 allows");
    text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_limit_small_kernels),
        cmocka_unit_test(the_number_of_blocks_limits_small_blocks),
        cmocka_unit_test(registers_are_given_to_whole_warps),
        cmocka_unit_test(shared_memory_limits_blocks_and_takes_from_l1),
        cmocka_unit_test(volta_and_turing_have_their_own_limits),
        cmocka_unit_test(the_system_takes_a_kilobyte_of_each_block),
        cmocka_unit_test(the_carveout_is_the_drivers),
        cmocka_unit_test(a_small_kernel_has_few_registers),
        cmocka_unit_test(registers_that_live_at_once_add_up),
        cmocka_unit_test(loads_go_ahead_of_stores_elsewhere),
        cmocka_unit_test(stores_go_ahead_of_loads_of_another_space),
        cmocka_unit_test(bytes_are_put_together_as_they_come),
        cmocka_unit_test(small_blocks_leave_more_registers),
        cmocka_unit_test(a_quotient_in_double_precision_takes_registers),
        cmocka_unit_test(constants_take_registers_only_for_their_stores),
        cmocka_unit_test(launch_bounds_cap_registers),
        cmocka_unit_test(registers_beyond_the_bounds_spill),
        cmocka_unit_test(a_limit_for_all_kernels_caps_those_without_bounds),
        cmocka_unit_test(a_part_with_fewer_threads_leaves_more_registers),
        cmocka_unit_test(an_estimate_leaves_room_for_a_block),
        cmocka_unit_test(an_estimate_leaves_room_for_blocks_that_are_known_to_fit),
        cmocka_unit_test(a_large_block_of_a_kernel_with_many_registers_is_launched),
        cmocka_unit_test(a_grid_that_meets_is_launched_as_far_as_threads_allow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
