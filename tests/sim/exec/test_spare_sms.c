/* SMs are kept from launch to launch of a kernel, whatever the sizes of its grids, and whether they count and check. */
#include "base/arena.h"
#include "context.h"
#include "vgpu/internal.h"

/* Each thread adds 1 to the word of its block, by way of its shared memory. */
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry add(.param .u64 to) {\n"
                          "  .reg .b64 %rd<3>;\n  .reg .b32 %r<3>;\n  .shared .b32 mine;\n"
                          "  ld.param.u64 %rd1, [to];\n  mov.u32 %r1, %ctaid.x;\n"
                          "  st.shared.u32 [mine], 1;\n  bar.sync 0;\n  ld.shared.u32 %r2, [mine];\n"
                          "  mad.wide.u32 %rd2, %r1, 4, %rd1;\n  red.global.add.u32 [%rd2], %r2;\n  ret;\n}\n"
                          /* the same by way of each thread's own array, most of which is not used */
                          ".visible .entry add_large(.param .u64 to) {\n"
                          "  .reg .b64 %rd<3>;\n  .reg .b32 %r<3>;\n  .local .b32 own[128];\n"
                          "  ld.param.u64 %rd1, [to];\n  mov.u32 %r1, %ctaid.x;\n"
                          "  st.local.u32 [own], 1;\n  ld.local.u32 %r2, [own];\n"
                          "  mad.wide.u32 %rd2, %r1, 4, %rd1;\n  red.global.add.u32 [%rd2], %r2;\n  ret;\n}\n"
                          /* Threads read what the next one has stored; if `skips`, they do not wait for it. */
                          ".visible .entry turn(.param .u64 to, .param .u32 skips) {\n"
                          "  .reg .b64 %rd<3>;\n  .reg .b32 %r<6>;\n  .reg .pred %p;\n  .shared .b32 own[64];\n"
                          "  ld.param.u64 %rd1, [to];\n  ld.param.u32 %r1, [skips];\n  mov.u32 %r2, %tid.x;\n"
                          "  mov.u32 %r3, own;\n  mad.lo.u32 %r3, %r2, 4, %r3;\n  st.shared.u32 [%r3], %r2;\n"
                          "  setp.ne.u32 %p, %r1, 0;\n  @%p bra READ;\n  bar.sync 0;\n"
                          "READ:\n  xor.b32 %r4, %r2, 63;\n  mov.u32 %r3, own;\n  mad.lo.u32 %r3, %r4, 4, %r3;\n"
                          "  ld.shared.u32 %r5, [%r3];\n  mad.wide.u32 %rd2, %r2, 4, %rd1;\n"
                          "  red.global.add.u32 [%rd2], %r5;\n  ret;\n}\n";

enum { MOST_BLOCKS = 3000 };

static CUmodule module;
static CUdeviceptr words;

static int set_up(void **state) {
    if (open_context(state)) return 1;
    sim_driver_set_counting(HAUL_COUNT_NONE);
    return cu->module_load(&module, ptx, 0, NULL, NULL) || cu->allocate(&words, 4 * MOST_BLOCKS) ||
           cu->fill_words(words, 0, MOST_BLOCKS);
}

static int set_up_with_checks(void **state) {
    if (set_up(state)) return 1;
    sim_driver_set_counting(HAUL_COUNT_ALL);
    sim_driver_set_checks(true, false, &(sim_schedule){0});
    return 0;
}

static int close_with_checks(void **state) {
    sim_driver_set_checks(false, false, &(sim_schedule){0});
    return close_context(state);
}

static void run_blocks_of(const char *name, uint32_t blocks, uint32_t threads) {
    CUfunction kernel;
    void *parameters[] = {&words};
    OK(cu->module_function(&kernel, module, name));
    OK(cu->launch(kernel, blocks, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL));
}

static void run_blocks(uint32_t blocks, uint32_t threads) {
    run_blocks_of("add", blocks, threads);
}

/* As a program that goes along the diagonals of a matrix, or halves its data from launch to launch. The last grids need
 * more blocks on an SM than the ones before. */
static const uint32_t sizes[] = {1, 2, 131, 132, 133, 64, 7, 600, 3000, 1, 2999};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void grids_of_all_sizes_share_their_sms(void **state) {
    (void)state;
    for (unsigned k = 0; k < SIZES; k++) {
        run_blocks(sizes[k], 32);
        OK(cu->synchronize());
        assert_int_equal(context->spares.count, 1);
    }
    static uint32_t out[MOST_BLOCKS];
    OK(cu->copy_to_host(out, words, sizeof out));
    for (uint32_t b = 0; b < MOST_BLOCKS; b++) {
        uint32_t want = 0;
        for (unsigned k = 0; k < SIZES; k++) want += b < sizes[k] ? 32 : 0;
        if (out[b] != want) fail_msg("block %u: %u threads, not %u", b, out[b], want);
    }
    run_blocks(5, 64);
    OK(cu->synchronize());
    assert_int_equal(context->spares.count, 2); /* blocks of another shape need other SMs */
}

/* As a solver that updates its whole grid in each step: the launches are short, but fill the machine. */
static void sms_full_of_threads_are_kept(void **state) {
    (void)state;
    enum { BLOCKS = 132 * 8, THREADS = 256, LAUNCHES = 3 };
    static uint32_t out[BLOCKS];
    for (unsigned k = 0; k < LAUNCHES; k++) {
        run_blocks_of("add_large", BLOCKS, THREADS);
        OK(cu->synchronize());
        assert_int_equal(context->spares.count, 1);
    }
    OK(cu->copy_to_host(out, words, sizeof out));
    for (uint32_t b = 0; b < BLOCKS; b++) assert_int_equal(out[b], LAUNCHES * THREADS);
}

/* Launches a row of blocks of `turn` and records it. */
static void run_turn(uint32_t skips, haul_run *run, arena *memory) {
    CUfunction kernel;
    void *parameters[] = {&words, &skips};
    OK(cu->module_function(&kernel, module, "turn"));
    sim_driver_record(run, 0, memory);
    OK(cu->launch(kernel, 200, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
    OK(cu->synchronize());
}

/* A defect in one launch is found in that one, and counters are those of SMs and an L2 that nobody has used before. */
static void checked_and_counted_launches_are_as_the_first(void **state) {
    (void)state;
    enum { LAUNCHES = 5, SKIPPING = 2 };
    haul_launch_record records[LAUNCHES];
    jmp_buf out_of_memory;
    arena memory;
    if (setjmp(out_of_memory)) fail_msg("no memory");
    arena_init(&memory, &out_of_memory);
    for (unsigned k = 0; k < LAUNCHES; k++) {
        haul_run run = {.launches = &records[k], .launch_count = 1};
        run_turn(k == SKIPPING, &run, &memory);
        assert_int_equal(context->spares.count, 1);
        assert_int_equal(records[k].finding_count > 0, k == SKIPPING);
        if (k != SKIPPING) assert_memory_equal(records[k].counters, records[0].counters, sizeof records[0].counters);
    }
    sim_driver_set_checks(false, false, &(sim_schedule){0});
    run_turn(0, NULL, NULL);
    assert_int_equal(context->spares.count, 2); /* without checks it needs other SMs */
    arena_free(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(grids_of_all_sizes_share_their_sms, set_up, close_context),
        {"checked_grids_of_all_sizes_share_their_sms", grids_of_all_sizes_share_their_sms, set_up_with_checks,
         close_with_checks, NULL},
        cmocka_unit_test_setup_teardown(sms_full_of_threads_are_kept, set_up, close_context),
        cmocka_unit_test_setup_teardown(checked_and_counted_launches_are_as_the_first, set_up_with_checks,
                                        close_with_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
