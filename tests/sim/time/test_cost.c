/* The cost of a basic block for a warp and for the SM. */
#include "kernel.h"

#include "ptx/inline.h"
#include "assembler/assembler.h"
#include "assembler/code_size.h"
#include "assembler/cost.h"
#include "assembler/unroll.h"

typedef struct totals {
    float waits, first; /* of all blocks, and of the first one */
    double code;        /* instructions in the code */
} totals;

/* Returns the most expensive block of a kernel after a pass, and sums all; loops here have one block. NULL: no pass. */
static sim_cost find_costs(const char *ptx, sim_pass_fn *pass, totals *sum) {
    ptx_module *module;
    ptx_function *flat;
    arena memory;
    jmp_buf out_of_memory;
    sim_cost most = {0};
    assert_int_equal(ptx_module_parse("test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    if (pass) assert_int_equal(sim_run_pass(pass, module, flat, &flat), HAUL_OK);
    arena_init(&memory, &out_of_memory);
    assert_int_equal(setjmp(out_of_memory), 0);
    const sim_cost *costs = sim_block_costs(flat, NULL, &memory, &memory);
    *sum = (totals){.first = costs[0].waits,
                    .code = sim_code_instructions(flat, sim_assemble(flat, &memory, &memory), costs)};
    for (size_t b = 0; b < flat->block_count; b++) {
        sum->waits += costs[b].waits;
        if (costs[b].path + costs[b].waits > most.path + most.waits) most = costs[b];
    }
    arena_free(&memory);
    ptx_module_free(module);
    return most;
}

static sim_cost dearest(const char *ptx) {
    totals sum;
    return find_costs(ptx, NULL, &sum);
}

/* The waits of all blocks, as if each ran once. */
static float waits_of(const char *ptx) {
    totals sum;
    find_costs(ptx, NULL, &sum);
    return sum.waits;
}

static float first_waits(const char *ptx) {
    totals sum;
    find_costs(ptx, NULL, &sum);
    return sum.first;
}

static double code_of(const char *ptx) {
    totals sum;
    find_costs(ptx, NULL, &sum);
    return sum.code;
}

#define FMA "fma.rn.f32 %f1, %f1, %f2, %f3;\n"
#define STORE "st.global.f32 [%rd2], %f1;\n"

static void code_has_a_routine_once(void **state) {
    (void)state;
    const double none = code_of(KERNEL(STORE)), one = code_of(KERNEL("div.rn.f32 %f1, %f2, %f3;\n" STORE)),
                 two = code_of(KERNEL("div.rn.f32 %f1, %f2, %f3;\ndiv.rn.f32 %f1, %f1, %f3;\n" STORE));
    assert_true(one > none + 100);
    assert_true(two < one + 30);
}

#define COUNTED(trips)                                                                                           \
    KERNEL("mov.u32 %r3, 0;\nAGAIN: " FMA FMA FMA FMA "add.u32 %r3, %r3, 1;\nsetp.ne.u32 %p0, %r3, " trips ";\n" \
           "@%p0 bra AGAIN;\n" STORE)

static void code_has_a_copy_for_each_iteration_of_a_loop_that_is_unrolled_whole(void **state) {
    (void)state;
    assert_true(code_of(COUNTED("16")) > code_of(COUNTED("8")) + 30);
}

/* A loop whose iterations take turns at two places of a ring, as Triton writes pipelines. */
#define TURNS(trips)                                                                                          \
    KERNEL("mov.u32 %r3, 32;\nmov.u32 %r4, -1;\n"                                                             \
           "AGAIN: add.u32 %r5, %r4, 1;\nsetp.gt.s32 %p1, %r5, 1;\nselp.b32 %r4, 0, %r5, %p1;\n"              \
           "shl.b32 %r6, %r4, 11;\nadd.u32 %r7, %r6, 4096;\ncvt.rn.f32.u32 %f2, %r7;\nshl.b32 %r8, %r6, 1;\n" \
           "or.b32 %r9, %r8, 64;\ncvt.rn.f32.u32 %f3, %r9;\n" FMA FMA FMA FMA FMA FMA                         \
           "add.u32 %r3, %r3, 32;\nsetp.ne.u32 %p0, %r3, " trips ";\n@%p0 bra AGAIN;\n" STORE)

static void what_is_computed_from_constants_alone_has_no_code_in_a_loop_that_is_unrolled_whole(void **state) {
    (void)state;
    enum { MORE = 16, FMAS = 6 };
    const double more = code_of(TURNS("1536")) - code_of(TURNS("1024"));
    assert_float_equal(more, MORE * FMAS, 8);
}

#define ZEROS "mov.b32 %r3, 0;\nmov.b32 %r4, 0;\n"
#define LOAD_BOTH "ld.global.v2.b32 {%r3, %r4}, [%rd2];\n"
#define STORE_BOTH "st.global.v2.b32 [%rd2+8], {%r3, %r4};\n"

static void constants_that_a_load_overwrites_have_no_code(void **state) {
    (void)state;
    assert_float_equal(code_of(KERNEL(ZEROS LOAD_BOTH STORE_BOTH)), code_of(KERNEL(LOAD_BOTH STORE_BOTH)), 0);
    assert_true(code_of(KERNEL(ZEROS "@%p0 " LOAD_BOTH STORE_BOTH)) > code_of(KERNEL(ZEROS LOAD_BOTH STORE_BOTH)) + 1);
}

static void atomics_that_are_loops_have_the_code_of_loops(void **state) {
    (void)state;
    const double integer = code_of(KERNEL(".shared .b32 word;\nred.shared.add.u32 [word], %r0;\n" STORE));
    const double real = code_of(KERNEL(".shared .b32 word;\nred.shared.add.f32 [word], %f1;\n" STORE));
    assert_float_equal(real, integer + 7, 0);
}

static void dependent_arithmetic_is_as_long_as_its_chain(void **state) {
    (void)state;
    const float five = dearest(KERNEL(FMA FMA FMA FMA FMA STORE)).path;
    const float nine = dearest(KERNEL(FMA FMA FMA FMA FMA FMA FMA FMA FMA STORE)).path;
    assert_float_equal(nine - five, 4 * 4, 0.1);
}

static void independent_arithmetic_takes_its_slots_only(void **state) {
    (void)state;
#define FOUR "add.f32 %f1, %f8, %f9;\nadd.f32 %f2, %f8, %f9;\nadd.f32 %f3, %f8, %f9;\nadd.f32 %f4, %f8, %f9;\n"
    const sim_cost four = dearest(KERNEL(FOUR STORE));
    const sim_cost eight = dearest(KERNEL(
        FOUR
        "add.f32 %f5, %f8, %f9;\nadd.f32 %f6, %f8, %f9;\nadd.f32 %f7, %f8, %f9;\nadd.f32 %f10, %f8, %f9;\n" STORE));
    assert_float_equal(eight.slots - four.slots, 4, 0.01);
    assert_true(eight.path - four.path <= 4);
}

static void loads_that_do_not_depend_on_each_other_wait_together(void **state) {
    (void)state;
    const sim_cost together = dearest(KERNEL("ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\n"
                                             "add.f32 %f1, %f1, %f2;\n" STORE));
    const sim_cost chased = dearest(KERNEL("ld.global.u64 %rd3, [%rd1];\nld.global.u64 %rd4, [%rd3];\n"
                                           "ld.global.f32 %f1, [%rd4];\n" STORE));
    assert_float_equal(together.waits, 1, 0.01);
    assert_float_equal(chased.waits, 3, 0.01);
}

static void a_load_is_waited_for_where_it_is_used(void **state) {
    (void)state;
    const char *ptx = KERNEL("ld.global.f32 %f1, [%rd1];\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 bra L;\n"
                             "add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n"
                             "add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n"
                             "add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n"
                             "add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n"
                             "L: " STORE);
    assert_float_equal(dearest(ptx).waits, 1, 0.01);
}

#define LOAD(into, at) "ld.global.f32 " into ", [%rd1+" at "];\n"
#define READ_ONLY(into, at) "ld.global.nc.f32 " into ", [%rd1+" at "];\n"
#define STORE_AT(from, base, at) "st.global.f32 [" base "+" at "], " from ";\n"

static void a_load_waits_behind_a_store_that_may_be_to_its_place(void **state) {
    (void)state;
    const sim_cost aliased = dearest(KERNEL(LOAD("%f1", "0") STORE_AT("%f1", "%rd2", "0") LOAD("%f2", "4") STORE_AT(
        "%f2", "%rd2", "4") LOAD("%f3", "8") STORE_AT("%f3", "%rd2", "8")));
    const sim_cost restricted = dearest(KERNEL(READ_ONLY("%f1", "0") STORE_AT("%f1", "%rd2", "0") READ_ONLY(
        "%f2", "4") STORE_AT("%f2", "%rd2", "4") READ_ONLY("%f3", "8") STORE_AT("%f3", "%rd2", "8")));
    assert_float_equal(aliased.waits, 3, 0.01);
    assert_float_equal(restricted.waits, 1, 0.01);
}

static void stores_beside_a_load_through_the_same_register_do_not_hold_it(void **state) {
    (void)state;
    const sim_cost beside =
        dearest(KERNEL(LOAD("%f1", "0") STORE_AT("%f1", "%rd1", "0") LOAD("%f2", "4") STORE_AT("%f2", "%rd1", "4")));
    const sim_cost over =
        dearest(KERNEL(LOAD("%f1", "0") STORE_AT("%f1", "%rd1", "4") LOAD("%f2", "4") STORE_AT("%f2", "%rd1", "8")));
    assert_float_equal(beside.waits, 1, 0.01);
    assert_float_equal(over.waits, 2, 0.01);
}

/* A loop of one block that adds what it loads, or stores it. */
#define LOOP(body) KERNEL("L:\n" body "add.u64 %rd1, %rd1, 4;\nsetp.lt.u64 %p1, %rd1, %rd2;\n@%p1 bra L;\n" STORE)

#define MASKED(into, at) "mov.f32 " into ", 0f00000000;\n@%p2 ld.global.f32 " into ", [%rd1+" at "];\n"
#define FOUR_MASKED MASKED("%f1", "0") MASKED("%f2", "512") MASKED("%f3", "1024") MASKED("%f4", "1536")
#define ADDED "add.f32 %f5, %f5, %f1;\nadd.f32 %f5, %f5, %f2;\nadd.f32 %f5, %f5, %f3;\nadd.f32 %f5, %f5, %f4;\n"

/* Loads that merge with zeros wait in groups, as Triton's sums do, but not in a loop in which the block's warps meet.
 */
static void masked_loads_wait_in_groups_unless_warps_meet(void **state) {
    (void)state;
    const sim_cost summed = dearest(LOOP(FOUR_MASKED ADDED "st.global.f32 [%rd2], %f5;\n"));
    const sim_cost met = dearest(LOOP(FOUR_MASKED ADDED "bar.sync 0;\nst.global.f32 [%rd2], %f5;\n"));
    assert_float_equal(summed.waits, 2, 0.01);
    assert_float_equal(met.waits, 1, 0.01);
}

static void loads_of_unrolled_iterations_wait_together(void **state) {
    (void)state;
    const sim_cost summed = dearest(LOOP("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\n"));
    const sim_cost stored = dearest(LOOP("ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd1], %f1;\n"));
    const sim_cost synchronized = dearest(LOOP("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\nbar.sync 0;\n"));
    assert_float_equal(summed.waits, 0.25, 0.01);
    assert_float_equal(stored.waits, 1, 0.01);
    assert_float_equal(synchronized.waits, 1, 0.01);
}

/* A loop of that many iterations, with as many further instructions. */
#define TIMES(count, body)                                                                   \
    KERNEL("mov.u32 %r11, 0;\nL:\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\n" body \
           "add.u64 %rd1, %rd1, 4;\nadd.u32 %r11, %r11, 1;\nsetp.lt.u32 %p1, %r11, " count ";\n@%p1 bra L;\n" STORE)

#define SUM(at) LOAD("%f1", at) "add.f32 %f2, %f2, %f1;\n"
#define SUMS(at) SUM(at "0") SUM(at "4") SUM(at "8") SUM(at "12") SUM(at "16") SUM(at "20") SUM(at "24")
#define KEEP(n) "ld.global.u32 %r" n ", [%rd1+" n "];\n"
#define KEEPS(n) KEEP(n "0") KEEP(n "1") KEEP(n "2") KEEP(n "3") KEEP(n "4") KEEP(n "5") KEEP(n "6")

/* ptxas keeps no more in flight than it has registers for: sums free them, a store at the end does not. */
static void loads_wait_in_groups_if_sums_free_their_registers(void **state) {
    (void)state;
    assert_float_equal(dearest(KERNEL(SUMS("1") SUMS("2") STORE)).waits, 1, 0.01);
    assert_float_equal(dearest(KERNEL(SUMS("1") SUMS("2") SUMS("3") SUMS("4") STORE)).waits, 2, 0.01);
    assert_float_equal(
        dearest(KERNEL(KEEPS("1") KEEPS("2") KEEPS("3") KEEPS("4") "add.u32 %r5, %r10, %r11;\n" STORE)).waits, 1, 0.01);
    assert_float_equal(dearest(TIMES("28", "")).waits, 2.0 / 28, 0.001); /* those of a loop that is unrolled whole */
}

/* A loop of that many iterations, which may differ by lane. */
#define UP_TO(bound, body)                                                                  \
    KERNEL("mov.u32 %r11, 0;\nL:\n" body "add.u64 %rd1, %rd1, 4;\nadd.s32 %r11, %r11, 1;\n" \
           "setp.lt.s32 %p1, %r11, " bound ";\n@%p1 bra L;\n" STORE)

/* Four iterations that lanes make apart are one after the other in the list, but not in machine code. */
static void loads_of_iterations_that_lanes_make_apart_wait_together(void **state) {
    (void)state;
    totals sum;
    assert_float_equal(find_costs(UP_TO("%r0", SUM("0")), sim_unroll, &sum).waits, 1, 0.01);
    assert_float_equal(find_costs(UP_TO("%r0", "ld.global.u64 %rd1, [%rd1];\n"), sim_unroll, &sum).waits, 4, 0.01);
}

/* An `if` that adds what it loads. */
#define ADD_IF(test, skip, at)                                                          \
    "setp.lt.u32 %p1, %r0, " test ";\n@%p1 bra " skip ";\nld.global.f32 %f1, [%rd1+" at \
    "];\nadd.f32 %f2, %f2, %f1;\n" skip ":\n"

static void loads_under_short_branches_wait_together(void **state) {
    (void)state;
    assert_float_equal(waits_of(KERNEL(ADD_IF("1", "A", "0") ADD_IF("2", "B", "4") ADD_IF("3", "C", "8") STORE)), 1,
                       0.01);
}

static void loads_under_branches_around_a_division_do_not(void **state) {
    (void)state;
#define DIVIDE "div.u64 %rd3, %rd3, %rd4;\n"
    assert_float_equal(waits_of(KERNEL("setp.lt.u32 %p1, %r0, 1;\n@%p1 bra A;\n" DIVIDE "ld.global.f32 %f1, [%rd1];\n"
                                       "add.f32 %f2, %f2, %f1;\nA:\n" ADD_IF("2", "B", "4") STORE)),
                       2, 0.01);
}

static void a_load_before_a_loop_is_waited_for_before_it(void **state) {
    (void)state;
    const char *ptx = KERNEL("ld.global.f32 %f1, [%rd1];\nL:\nadd.f32 %f2, %f2, %f1;\nadd.u64 %rd1, %rd1, 4;\n"
                             "setp.lt.u64 %p1, %rd1, %rd2;\n@%p1 bra L;\n" STORE);
    assert_float_equal(first_waits(ptx), 1, 0.01);
    assert_float_equal(waits_of(ptx), 1, 0.01);
}

static void a_load_for_the_next_iteration_is_waited_for_in_each(void **state) {
    (void)state;
    const char *ptx = KERNEL("L:\nadd.f32 %f2, %f2, %f1;\nadd.u64 %rd1, %rd1, 4;\nld.global.f32 %f1, [%rd1];\n"
                             "bar.sync 0;\nsetp.lt.u64 %p1, %rd1, %rd2;\n@%p1 bra L;\n" STORE);
    assert_float_equal(dearest(ptx).waits, 1, 0.01);
}

static void a_value_that_several_blocks_read_is_waited_for_once(void **state) {
    (void)state;
    assert_float_equal(waits_of(KERNEL("ld.global.f32 %f1, [%rd1];\nbar.sync 0;\nbra A;\nA:\n"
                                       "add.f32 %f2, %f2, %f1;\nbar.sync 0;\nbra B;\nB:\n"
                                       "add.f32 %f3, %f3, %f1;\n" STORE)),
                       1, 0.01);
}

static void loads_stay_behind_an_exact_division(void **state) {
    (void)state;
    const char *exact = KERNEL("ld.global.f32 %f1, [%rd1];\ndiv.rn.f32 %f2, %f3, %f1;\nld.global.f32 %f4, [%rd1+4];\n"
                               "add.f32 %f1, %f2, %f4;\n" STORE);
    const char *near = KERNEL("ld.global.f32 %f1, [%rd1];\ndiv.full.f32 %f2, %f3, %f1;\nld.global.f32 %f4, [%rd1+4];\n"
                              "add.f32 %f1, %f2, %f4;\n" STORE);
    assert_float_equal(waits_of(exact), 2, 0.01);
    assert_float_equal(waits_of(near), 1, 0.01);
}

/* A loop whose counter starts there; each iteration loads before and after a shuffle. */
#define SHUFFLING(start)                                                                                  \
    KERNEL("mov.u32 %r3, " start ";\nL:\nld.global.f32 %f1, [%rd1];\nmov.b32 %r5, %f1;\n"                 \
           "shfl.sync.bfly.b32 %r4, %r5, 16, 31, -1;\nmov.b32 %f3, %r4;\nld.global.f32 %f4, [%rd1+64];\n" \
           "fma.rn.f32 %f2, %f3, %f4, %f2;\nadd.u64 %rd1, %rd1, 4;\nadd.u32 %r3, %r3, 32;\n"              \
           "setp.lt.u32 %p1, %r3, %r2;\n@%p1 bra L;\n" STORE)

static void loads_stay_behind_a_shuffle_if_lanes_may_have_left_the_loop(void **state) {
    (void)state;
    assert_float_equal(dearest(SHUFFLING("%r0")).waits, 2, 0.01);
    assert_float_equal(dearest(SHUFFLING("%ctaid.x")).waits, 0.25, 0.01);
}

#define TEN FMA FMA FMA FMA FMA FMA FMA FMA FMA FMA
#define SIXTY_FOUR TEN TEN TEN TEN TEN TEN FMA FMA FMA FMA

static void loops_of_a_constant_number_of_iterations_are_unrolled_as_ptxas_does(void **state) {
    (void)state;
    assert_float_equal(dearest(TIMES("8", TEN)).waits, 1.0 / 8, 0.001);      /* whole */
    assert_float_equal(dearest(TIMES("16", SIXTY_FOUR)).waits, 0.25, 0.001); /* in part */
    assert_float_equal(dearest(TIMES("16", SIXTY_FOUR LOAD("%f4", "4") LOAD("%f5", "8") LOAD("%f6", "12") LOAD(
                                               "%f7", "16") LOAD("%f8", "20") LOAD("%f9", "24") LOAD("%f10", "28")))
                           .waits,
                       1, 0.001); /* accesses count twice */
    assert_float_equal(dearest(TIMES("16", TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN)).waits, 1, 0.001);
}

static void loops_with_branches_are_unrolled_whole_or_not_at_all(void **state) {
    (void)state;
#define BRANCH "setp.lt.u32 %p2, %r11, %r0;\n@%p2 bra S;\nadd.f32 %f3, %f3, %f1;\nS:\n"
    assert_float_equal(waits_of(TIMES("8", TEN BRANCH)), 1.0 / 8, 0.001);
    assert_float_equal(waits_of(TIMES("64", TEN BRANCH)), 1, 0.001);
    assert_true(waits_of(TIMES("64", TEN)) < 0.1);
}

/* The sum of what is loaded is the counter's copy, as Triton and clang write it. */
static void a_counter_may_be_a_copy_of_its_sum(void **state) {
    (void)state;
    assert_float_equal(
        dearest(KERNEL("mov.u32 %r13, 0;\nmov.u32 %r11, %r13;\nL:\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\n"
                       "add.u64 %rd1, %rd1, 4;\nadd.u32 %r12, %r11, 512;\nsetp.lt.u32 %p1, %r11, 3584;\n"
                       "mov.u32 %r11, %r12;\n@%p1 bra L;\n" STORE))
            .waits,
        1.0 / 8, 0.001);
}

/* Each of them waits for what is before it, and is waited for, though the result is not used. */
static void atomics_that_release_and_acquire_wait_one_after_the_other(void **state) {
    (void)state;
    const sim_cost relaxed = dearest(KERNEL("atom.relaxed.gpu.global.add.f32 %f1, [%rd1], %f3;\n"
                                            "atom.relaxed.gpu.global.add.f32 %f2, [%rd1+4], %f3;\n"));
    const sim_cost ordered = dearest(KERNEL("atom.acq_rel.gpu.global.add.f32 %f1, [%rd1], %f3;\n"
                                            "atom.acq_rel.gpu.global.add.f32 %f2, [%rd1+4], %f3;\n"));
    assert_true(relaxed.waits <= 1);
    assert_float_equal(ordered.waits, 4, 0.01);
}

static void a_fence_of_the_gpu_is_a_wait_and_one_of_the_block_is_none(void **state) {
    (void)state;
    assert_float_equal(dearest(KERNEL(STORE "membar.gl;\n" STORE)).waits, 1, 0.01);
    assert_float_equal(dearest(KERNEL(STORE "membar.cta;\n" STORE)).waits, 0, 0.01);
}

static void shared_memory_takes_longer_than_arithmetic(void **state) {
    (void)state;
    const sim_cost near = dearest(KERNEL(FMA FMA STORE));
#define SHARED(body) \
    KERNEL_WITH(".shared .align 4 .b8 s[128];\n", "mov.u32 %r9, s;\n" body "ld.shared.f32 %f1, [%r9];\n" FMA STORE)
    const sim_cost shared = dearest(SHARED("")), twice = dearest(SHARED("ld.shared.u32 %r9, [%r9];\n"));
    const float wait = shared.path - shared.fixed;
    assert_float_equal(near.path, near.fixed, 0.01);
    assert_true(wait >= 15); /* of 26 cycles, since other instructions fill some; none fill those of an address */
    assert_true(twice.path - twice.fixed - wait >= 20);
}

static void machine_instructions_are_fewer_than_in_ptx(void **state) {
    (void)state;
    const float plain = dearest(KERNEL(FMA STORE)).issued;
    assert_float_equal(dearest(KERNEL("mov.f32 %f2, %f3;\n" FMA STORE)).issued, plain, 0.01);
    assert_float_equal(dearest(KERNEL(FMA FMA STORE)).issued, plain + 1, 0.01);
}

static void parameters_and_copies_are_free(void **state) {
    (void)state;
    const sim_cost plain = dearest(KERNEL(FMA STORE)), copied = dearest(KERNEL("mov.f32 %f2, %f3;\n" FMA STORE));
    assert_float_equal(plain.path, copied.path, 0.01);
    assert_float_equal(plain.slots, copied.slots, 0.01);
}

/* A number that is still needed when its register gets the next one moves to another register. */
static void copies_of_values_that_are_needed_later_are_not_free(void **state) {
    (void)state;
#define BEFORE_AND_AFTER(before, after)                                  \
    KERNEL("AGAIN: " FMA FMA FMA before "add.u32 %r1, %r1, %r2;\n" after \
           "xor.b32 %r5, %r3, 7;\nsetp.lt.u32 %p1, %r5, 100;\n"          \
           "@%p1 bra AGAIN;\n" OUT("%r1"))
    const float before = dearest(BEFORE_AND_AFTER("mov.u32 %r3, %r1;\n", "")).issued;
    assert_float_equal(before - dearest(BEFORE_AND_AFTER("", "mov.u32 %r3, %r1;\n")).issued, 1, 0.01);
}

#define QUOTIENT(to, from, by) "div.s32 " to ", " from ", " by ";\n"

/* Their reciprocal is one, and is computed before a loop that leaves the divisor alone. */
static void divisions_by_one_number_share_its_reciprocal(void **state) {
    (void)state;
#define KEPT_SUM "add.s32 %r1, %r1, %r2;\n" OUT("%r1")
    const float none = dearest(KERNEL(KEPT_SUM)).issued;
    const float one = dearest(KERNEL(QUOTIENT("%r1", "%r3", "%r5") KEPT_SUM)).issued;
    const float two = dearest(KERNEL(QUOTIENT("%r1", "%r3", "%r5") QUOTIENT("%r2", "%r4", "%r5") KEPT_SUM)).issued;
    const float apart = dearest(KERNEL(QUOTIENT("%r1", "%r3", "%r5") QUOTIENT("%r2", "%r4", "%r6") KEPT_SUM)).issued;
    assert_float_equal(one - none, 24, 0.01);
    assert_float_equal(two - one, 14, 0.01);
    assert_float_equal(apart - one, 24, 0.01);
#define DIVIDING(by)                                              \
    KERNEL("AGAIN: add.s32 %r2, %r2, 1;\n" QUOTIENT("%r1", "%r1", \
                                                    by) "setp.gt.s32 %p1, %r1, %r5;\n@%p1 bra AGAIN;\n" OUT("%r1"))
    assert_float_equal(dearest(DIVIDING("%r2")).issued - dearest(DIVIDING("%r3")).issued, 10, 0.01);
}

/* ---- the order of machine code, and its stall counts ---- */

static void accesses_follow_each_other_every_four_cycles(void **state) {
    (void)state;
#define STORES STORE_AT("%f1", "%rd2", "0") STORE_AT("%f1", "%rd2", "4") STORE_AT("%f1", "%rd2", "8")
    const float three = dearest(KERNEL(STORES)).fixed, six = dearest(KERNEL(STORES STORES)).fixed;
    assert_float_equal(six - three, 3 * 4, 0.1);
}

/* A warp keeps the ALU busy for two cycles, also with an instruction that could be an IMAD. */
static void instructions_of_the_alu_follow_each_other_every_two_cycles(void **state) {
    (void)state;
#define SHIFTS(a, b) "shr.u32 %r" a ", %r0, 1;\nxor.b32 %r" b ", %r0, 3;\nadd.s32 %r0, %r1, %r2;\n"
    const float three = dearest(KERNEL(SHIFTS("3", "4"))).fixed;
    const float six = dearest(KERNEL(SHIFTS("3", "4") SHIFTS("5", "6"))).fixed;
    assert_true(six - three >= 3 * 2);
}

/* @P0 EXIT: 13 cycles after its predicate, and 5 to what is behind it. */
static void lanes_that_leave_the_kernel_end_where_they_branch(void **state) {
    (void)state;
#define LEAVE(label) "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra " label ";\n"
    const char *skips = KERNEL(LEAVE("A") "st.global.u32 [%rd2], %r1;\nA:\nst.global.u32 [%rd2+4], %r1;\n");
    const char *exits = KERNEL(LEAVE("A") "st.global.u32 [%rd2], %r1;\nst.global.u32 [%rd2+4], %r1;\nA:\n");
    assert_true(dearest(exits).fixed >= dearest(skips).fixed + 12);
}

/* On the way there, and on the way back. */
static void a_result_is_used_a_cycle_later_by_the_other_unit(void **state) {
    (void)state;
#define THREE(middle) \
    KERNEL("xor.b32 %r1, %r2, %r3;\n" middle " %r4, %r1, %r1;\nxor.b32 %r5, %r4, %r4;\nst.global.u32 [%rd2], %r5;\n")
    assert_float_equal(dearest(THREE("mul.lo.s32")).fixed - dearest(THREE("xor.b32")).fixed, 2, 0.1);
}

/* 4 cycles for an operand, 13 for a guard. */
static void a_guard_waits_longer_for_its_predicate_than_a_selection(void **state) {
    (void)state;
    const float selected = dearest(KERNEL("setp.lt.s32 %p1, %r1, %r2;\nselp.b32 %r3, %r1, %r2, %p1;\n")).fixed;
    const float guarded = dearest(KERNEL("setp.lt.s32 %p1, %r1, %r2;\n@%p1 or.b32 %r3, %r1, %r2;\n")).fixed;
    assert_float_equal(guarded - selected, 9, 0.1);
}

static void independent_work_fills_the_waits_of_a_chain(void **state) {
    (void)state;
#define OTHERS "mul.f32 %f5, %f6, %f7;\nmul.f32 %f8, %f6, %f7;\nmul.f32 %f9, %f6, %f7;\n"
    const float chain = dearest(KERNEL(FMA FMA STORE)).fixed;
    assert_float_equal(dearest(KERNEL(FMA FMA OTHERS STORE)).fixed, chain, 0.1);
}

/* ---- instructions that machine code joins ---- */

static void an_address_is_multiplied_and_added_by_one_instruction(void **state) {
    (void)state;
    const char *joined = KERNEL("mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nst.global.u64 [%rd4], %rd1;\n");
    const char *apart = KERNEL("mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nst.global.u64 [%rd4], %rd3;\n");
    assert_float_equal(dearest(apart).issued - dearest(joined).issued, 2, 0.01);
}

static void three_inputs_of_logic_are_one_instruction(void **state) {
    (void)state;
    const float one = dearest(KERNEL("xor.b32 %r1, %r2, %r3;\nst.global.u32 [%rd2], %r1;\n")).issued;
    const float two =
        dearest(KERNEL("xor.b32 %r1, %r2, %r3;\nxor.b32 %r4, %r1, %r5;\nst.global.u32 [%rd2], %r4;\n")).issued;
    assert_float_equal(one, two, 0.01);
}

static void a_comparison_takes_over_the_logic_behind_it(void **state) {
    (void)state;
    const float one = dearest(KERNEL("setp.lt.s32 %p1, %r1, %r2;\n@%p1 st.global.u32 [%rd2], %r1;\n")).issued;
    const float both =
        dearest(KERNEL("setp.lt.s32 %p1, %r1, %r2;\nsetp.lt.s32 %p2, %r3, %r4;\nand.pred %p3, %p1, %p2;\n"
                       "@%p3 st.global.u32 [%rd2], %r1;\n"))
            .issued;
    assert_float_equal(both - one, 1, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_has_a_routine_once),
        cmocka_unit_test(code_has_a_copy_for_each_iteration_of_a_loop_that_is_unrolled_whole),
        cmocka_unit_test(what_is_computed_from_constants_alone_has_no_code_in_a_loop_that_is_unrolled_whole),
        cmocka_unit_test(constants_that_a_load_overwrites_have_no_code),
        cmocka_unit_test(atomics_that_are_loops_have_the_code_of_loops),
        cmocka_unit_test(dependent_arithmetic_is_as_long_as_its_chain),
        cmocka_unit_test(independent_arithmetic_takes_its_slots_only),
        cmocka_unit_test(loads_that_do_not_depend_on_each_other_wait_together),
        cmocka_unit_test(a_load_is_waited_for_where_it_is_used),
        cmocka_unit_test(a_load_waits_behind_a_store_that_may_be_to_its_place),
        cmocka_unit_test(stores_beside_a_load_through_the_same_register_do_not_hold_it),
        cmocka_unit_test(masked_loads_wait_in_groups_unless_warps_meet),
        cmocka_unit_test(loads_of_unrolled_iterations_wait_together),
        cmocka_unit_test(loads_wait_in_groups_if_sums_free_their_registers),
        cmocka_unit_test(loads_of_iterations_that_lanes_make_apart_wait_together),
        cmocka_unit_test(loads_under_short_branches_wait_together),
        cmocka_unit_test(loads_under_branches_around_a_division_do_not),
        cmocka_unit_test(a_load_before_a_loop_is_waited_for_before_it),
        cmocka_unit_test(a_load_for_the_next_iteration_is_waited_for_in_each),
        cmocka_unit_test(a_value_that_several_blocks_read_is_waited_for_once),
        cmocka_unit_test(loads_stay_behind_an_exact_division),
        cmocka_unit_test(loads_stay_behind_a_shuffle_if_lanes_may_have_left_the_loop),
        cmocka_unit_test(loops_of_a_constant_number_of_iterations_are_unrolled_as_ptxas_does),
        cmocka_unit_test(loops_with_branches_are_unrolled_whole_or_not_at_all),
        cmocka_unit_test(a_counter_may_be_a_copy_of_its_sum),
        cmocka_unit_test(atomics_that_release_and_acquire_wait_one_after_the_other),
        cmocka_unit_test(a_fence_of_the_gpu_is_a_wait_and_one_of_the_block_is_none),
        cmocka_unit_test(shared_memory_takes_longer_than_arithmetic),
        cmocka_unit_test(machine_instructions_are_fewer_than_in_ptx),
        cmocka_unit_test(parameters_and_copies_are_free),
        cmocka_unit_test(copies_of_values_that_are_needed_later_are_not_free),
        cmocka_unit_test(divisions_by_one_number_share_its_reciprocal),
        cmocka_unit_test(accesses_follow_each_other_every_four_cycles),
        cmocka_unit_test(instructions_of_the_alu_follow_each_other_every_two_cycles),
        cmocka_unit_test(lanes_that_leave_the_kernel_end_where_they_branch),
        cmocka_unit_test(a_result_is_used_a_cycle_later_by_the_other_unit),
        cmocka_unit_test(a_guard_waits_longer_for_its_predicate_than_a_selection),
        cmocka_unit_test(independent_work_fills_the_waits_of_a_chain),
        cmocka_unit_test(an_address_is_multiplied_and_added_by_one_instruction),
        cmocka_unit_test(three_inputs_of_logic_are_one_instruction),
        cmocka_unit_test(a_comparison_takes_over_the_logic_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
