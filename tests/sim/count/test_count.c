/* Counters of whole kernels: how single accesses add up, through L1 to L2. */
#include "kernel.h"

static haul_launch_record counted(const char *ptx, uint32_t blocks, uint32_t threads) {
    static haul_launch_record record;
    static uint32_t out[4096], in[4096];
    run_kernel(&(kernel_run){.ptx = ptx, .blocks = blocks, .threads = threads, FROM(in), INTO(out), .record = &record});
    return record;
}

#define ASSERT_COUNT(record, id, expected) assert_int_equal((record).counters[HAUL_COUNTER_##id], (expected))

/* %rd3 is the thread's word of `in`. */
#define MINE "mad.wide.u32 %rd3, %r1, 4, %rd1;\n"

static void a_copy_costs_four_sectors_a_warp_each_way(void **state) {
    (void)state;
    haul_launch_record r = counted(KERNEL(MINE "ld.global.u32 %r3, [%rd3];\n" OUT("%r3")), 4, 128);
    ASSERT_COUNT(r, INST_GLOBAL_LD, 16);
    ASSERT_COUNT(r, L1_GLOBAL_LD_REQUESTS, 16);
    ASSERT_COUNT(r, L1_GLOBAL_LD_SECTORS, 64);
    ASSERT_COUNT(r, L1_GLOBAL_LD_MISS, 64);
    ASSERT_COUNT(r, L2_READ_REQUESTS, 16);
    ASSERT_COUNT(r, L2_READ_SECTORS, 64);
    ASSERT_COUNT(r, L2_READ_MISS, 64);
    ASSERT_COUNT(r, L2_WRITE_REQUESTS, 16);
    ASSERT_COUNT(r, L2_WRITE_SECTORS, 64);
    ASSERT_COUNT(r, DRAM_READ_SECTORS, 64);
}

static void an_instruction_with_no_lane_counts_nowhere(void **state) {
    (void)state;
    haul_launch_record r = counted(
        KERNEL("setp.gt.u32 %p0, %r0, 31;\n" MINE "@%p0 ld.global.u32 %r3, [%rd3];\n@%p0 st.global.u32 [%rd2], %r3;\n"),
        1, 96);
    ASSERT_COUNT(r, INST_GLOBAL_LD, 2);
    ASSERT_COUNT(r, INST_GLOBAL_ST, 2);
    ASSERT_COUNT(r, L1_GLOBAL_LD_SECTORS, 8);
}

/* The same kernel with a branch that no lane takes is one instruction longer. */
static void a_branch_counts_whether_it_is_taken_or_not(void **state) {
    (void)state;
    haul_launch_record plain = counted(KERNEL("setp.gt.u32 %p0, %r0, 999;\nend: " OUT("%r0")), 1, 32);
    haul_launch_record branching =
        counted(KERNEL("setp.gt.u32 %p0, %r0, 999;\n@%p0 bra end;\nend: " OUT("%r0")), 1, 32);
    ASSERT_COUNT(branching, INST_EXECUTED, plain.counters[HAUL_COUNTER_INST_EXECUTED] + 1);
    ASSERT_COUNT(branching, THREAD_INST_EXECUTED, plain.counters[HAUL_COUNTER_THREAD_INST_EXECUTED] + 32);
}

static void shifted_reads_of_neighbouring_warps_join_at_l2(void **state) {
    (void)state;
    haul_launch_record r = counted(KERNEL(MINE "ld.global.u32 %r3, [%rd3+4];\n" OUT("%r3")), 4, 128);
    ASSERT_COUNT(r, L1_GLOBAL_LD_SECTORS, 80);
    ASSERT_COUNT(r, L1_GLOBAL_LD_HIT, 12);
    ASSERT_COUNT(r, L1_GLOBAL_LD_MISS, 68);
    ASSERT_COUNT(r, L2_READ_REQUESTS, 20);
    ASSERT_COUNT(r, L2_READ_SECTORS, 68);
    ASSERT_COUNT(r, L2_READ_MISS, 66);
}

static void a_lone_sector_misses_twice_at_l2(void **state) {
    (void)state;
    haul_launch_record r =
        counted(KERNEL("mad.wide.u32 %rd3, %r1, 64, %rd1;\nld.global.u32 %r3, [%rd3];\n" OUT("%r3")), 1, 32);
    ASSERT_COUNT(r, L2_READ_SECTORS, 32);
    ASSERT_COUNT(r, L2_READ_MISS, 64);
}

#define TWO_STORES(between) \
    "mad.wide.u32 %rd4, %r1, 8, %rd0;\nst.global.u32 [%rd4], %r0;\n" between "st.global.u32 [%rd4+4], %r0;\n"

static void a_warps_stores_combine_until_something_could_see_them(void **state) {
    (void)state;
    ASSERT_COUNT(counted(KERNEL(TWO_STORES("")), 1, 32), L2_WRITE_REQUESTS, 2);
    ASSERT_COUNT(counted(KERNEL(TWO_STORES("bar.sync 0;\n")), 1, 32), L2_WRITE_REQUESTS, 4);
    ASSERT_COUNT(counted(KERNEL(TWO_STORES("membar.gl;\n")), 1, 32), L2_WRITE_REQUESTS, 4);
    ASSERT_COUNT(counted(KERNEL(MINE TWO_STORES("ld.volatile.global.u32 %r3, [%rd3];\n")), 1, 32), L2_WRITE_REQUESTS,
                 4);
    ASSERT_COUNT(counted(KERNEL(MINE TWO_STORES("ld.global.nc.u32 %r3, [%rd3];\n") OUT("%r3")), 1, 32),
                 L1_GLOBAL_ST_SECTORS, 20);
}

static void volatile_loads_miss_but_share_an_answer_in_flight(void **state) {
    (void)state;
    haul_launch_record r =
        counted(KERNEL(MINE "ld.volatile.global.u32 %r3, [%rd3];\nld.volatile.global.u32 %r4, [%rd3];\n"
                            "ld.volatile.global.u32 %r5, [%rd3];\n"),
                2, 256);
    ASSERT_COUNT(r, L1_GLOBAL_LD_SECTORS, 192);
    ASSERT_COUNT(r, L1_GLOBAL_LD_HIT, 0);
    ASSERT_COUNT(r, L1_GLOBAL_LD_MISS, 192);
    ASSERT_COUNT(r, L2_READ_SECTORS, 64);
}

static void an_answer_in_flight_is_for_four_volatile_loads(void **state) {
    (void)state;
#define VOLATILE "ld.volatile.global.u32 %r3, [%rd3];\n"
    haul_launch_record r = counted(KERNEL(MINE VOLATILE VOLATILE VOLATILE VOLATILE), 1, 32);
    ASSERT_COUNT(r, L2_READ_SECTORS, 4);
    r = counted(KERNEL(MINE VOLATILE VOLATILE VOLATILE VOLATILE VOLATILE), 1, 32);
    ASSERT_COUNT(r, L2_READ_SECTORS, 8);
}

static void a_store_ends_what_a_volatile_load_shares(void **state) {
    (void)state;
    haul_launch_record r =
        counted(KERNEL(MINE "ld.volatile.global.u32 %r3, [%rd3];\nst.volatile.global.u32 [%rd3], %r0;\n"
                            "ld.volatile.global.u32 %r4, [%rd3];\nst.global.u32 [%rd2], %r0;\n"
                            "ld.volatile.global.u32 %r5, [%rd3];\n"),
                1, 32);
    ASSERT_COUNT(r, L2_READ_SECTORS, 8);
}

static void a_spinning_volatile_load_asks_l2_each_time(void **state) {
    (void)state;
    haul_launch_record r =
        counted(KERNEL("mov.u32 %r4, 0;\nAGAIN: ld.volatile.global.u32 %r3, [%rd1];\nadd.u32 %r4, %r4, 1;\n"
                       "setp.lt.u32 %p0, %r4, 10;\n@%p0 bra AGAIN;\n"),
                1, 32);
    ASSERT_COUNT(r, L2_READ_SECTORS, 10);
}

static void loads_around_l1_do_not_hit(void **state) {
    (void)state;
    haul_launch_record r = counted(
        KERNEL(
            MINE
            "ld.global.cg.u32 %r3, [%rd3];\nbar.sync 0;\nld.global.cg.u32 %r4, [%rd3];\nadd.u32 %r3, %r3, %r4;\n" OUT(
                "%r3")),
        1, 32);
    ASSERT_COUNT(r, L1_GLOBAL_LD_HIT, 0);
    ASSERT_COUNT(r, L2_READ_SECTORS, 8);
}

static void whole_sectors_that_were_stored_are_in_l1(void **state) {
    (void)state;
    haul_launch_record whole =
        counted(KERNEL(OUT("%r0") "bar.sync 0;\nld.global.u32 %r3, [%rd2];\n" OUT("%r3")), 2, 64);
    ASSERT_COUNT(whole, L1_GLOBAL_LD_HIT, 16);
    ASSERT_COUNT(whole, L2_READ_SECTORS, 0);
}

#define LOCAL(bytes, type, value) \
    ".local .align 8 .b8 w[" bytes "];\nmov.u64 %rd4, w;\nst.local." type " [%rd4], " value ";\n"

static void local_stores_go_on_to_l2_and_are_found_in_l1(void **state) {
    (void)state;
    const char *ptx =
        KERNEL(LOCAL("8", "u64", "%rd2") "ld.volatile.local.u64 %rd5, [%rd4];\ncvt.u32.u64 %r5, %rd5;\n" OUT("%r5"));
    haul_launch_record whole = counted(ptx, 1, 32), part = counted(ptx, 1, 3);
    ASSERT_COUNT(whole, L1_LOCAL_ST_SECTORS, 8);
    ASSERT_COUNT(whole, L1_LOCAL_LD_HIT, 8);
    ASSERT_COUNT(whole, L1_GLOBAL_ST_HIT, 0);
    ASSERT_COUNT(whole, L1_GLOBAL_ST_MISS, 4);
    ASSERT_COUNT(whole, L2_READ_SECTORS, 0);
    ASSERT_COUNT(whole, L2_WRITE_SECTORS, 8 + 4);
    ASSERT_COUNT(part, L1_LOCAL_LD_HIT, 2);
    ASSERT_COUNT(part, L2_READ_SECTORS, 0);
}

/* Neighbouring words of a lane lie 128 bytes apart. */
static void a_local_access_makes_a_request_for_each_word(void **state) {
    (void)state;
    const char *words = KERNEL(".local .align 4 .b8 w[512];\nmov.u64 %rd4, w;\nst.local.u32 [%rd4], %r0;\n"
                               "st.local.u32 [%rd4+4], %r0;\nmad.wide.u32 %rd5, %r0, 4, %rd4;\n"
                               "ld.local.u32 %r5, [%rd5];\n" OUT("%r5"));
    const haul_launch_record r = counted(words, 1, 32);
    ASSERT_COUNT(r, INST_LOCAL_ST, 1);
    ASSERT_COUNT(r, L1_LOCAL_ST_REQUESTS, 2);
    ASSERT_COUNT(r, L1_LOCAL_ST_SECTORS, 8);
    ASSERT_COUNT(r, INST_LOCAL_LD, 1);
    ASSERT_COUNT(r, L1_LOCAL_LD_REQUESTS, 1);
}

static void small_arrays_of_words_stay_in_registers(void **state) {
    (void)state;
    const char *choose = "and.b32 %r4, %r0, 12;\ncvt.u64.u32 %rd5, %r4;\nadd.s64 %rd6, %rd4, %rd5;\n"
                         "ld.local.u32 %r5, [%rd6];\n";
    char small[2000], large[2000];
    snprintf(small, sizeof small, "%s%s%s", HEAD BEGIN LOCAL("16", "u32", "%r0"), choose, OUT("%r5") END);
    snprintf(large, sizeof large, "%s%s%s", HEAD BEGIN LOCAL("512", "u32", "%r0"), choose, OUT("%r5") END);
    ASSERT_COUNT(counted(small, 1, 32), INST_LOCAL_ST, 0);
    ASSERT_COUNT(counted(small, 1, 32), INST_LOCAL_LD, 0);
    ASSERT_COUNT(counted(large, 1, 32), INST_LOCAL_ST, 1);
    ASSERT_COUNT(counted(large, 1, 32), INST_LOCAL_LD, 1);
}

/* An access to an array in registers compares its index with each word: with four accesses, 12 words stay in registers,
 * 16 do not. */
static void the_more_words_are_chosen_the_smaller_is_an_array_in_registers(void **state) {
    (void)state;
#define CHOOSE "ld.local.u32 %r5, [%rd6];\nadd.u32 %r6, %r6, %r5;\nadd.s64 %rd6, %rd6, %rd5;\n"
    const char *choose =
        "and.b32 %r4, %r0, 4;\ncvt.u64.u32 %rd5, %r4;\nadd.s64 %rd6, %rd4, %rd5;\nmov.u32 %r6, 0;\n" CHOOSE CHOOSE
            CHOOSE CHOOSE;
    char small[2000], large[2000];
    snprintf(small, sizeof small, "%s%s%s", HEAD BEGIN LOCAL("48", "u32", "%r0"), choose, OUT("%r6") END);
    snprintf(large, sizeof large, "%s%s%s", HEAD BEGIN LOCAL("64", "u32", "%r0"), choose, OUT("%r6") END);
    ASSERT_COUNT(counted(small, 1, 32), INST_LOCAL_LD, 0);
    ASSERT_COUNT(counted(large, 1, 32), INST_LOCAL_LD, 4);
}

static void colliding_lanes_of_a_reduction_take_turns(void **state) {
    (void)state;
    haul_launch_record r = counted(
        KERNEL("and.b32 %r3, %r0, 3;\nmad.wide.u32 %rd4, %r3, 4, %rd0;\nred.global.add.u32 [%rd4], 1;\n"), 1, 32);
    ASSERT_COUNT(r, INST_GLOBAL_RED, 1);
    ASSERT_COUNT(r, L1_GLOBAL_RED_REQUESTS, 1);
    ASSERT_COUNT(r, L1_GLOBAL_RED_SECTORS, 8);
    ASSERT_COUNT(r, L2_RED_SECTORS, 8);
}

static void a_uniform_reduction_is_added_up_in_the_warp_first(void **state) {
    (void)state;
    haul_launch_record r = counted(KERNEL("red.global.add.u32 [%rd0], 1;\n"), 4, 128);
    ASSERT_COUNT(r, INST_GLOBAL_RED, 16);
    ASSERT_COUNT(r, L1_GLOBAL_RED_SECTORS, 16);
}

static void a_float_added_to_shared_memory_is_a_loop(void **state) {
    (void)state;
    haul_launch_record r = counted(KERNEL_WITH(".shared .align 4 .b8 s[256];\n",
                                               "mov.u32 %r3, s;\nand.b32 %r4, %r0, 15;\nmad.lo.u32 %r5, %r4, 4, %r3;\n"
                                               "red.shared.add.f32 [%r5], 0f3F800000;\n"),
                                   1, 32);
    ASSERT_COUNT(r, INST_SHARED_ATOM, 2); /* two lanes on each word */
    ASSERT_COUNT(r, INST_SHARED_LD, 2);
}

/* Lanes add to the words that %r4 numbers, warps side by side. */
#define ADDED(words, order)                                                             \
    KERNEL_WITH(".shared .align 4 .b8 s[1024];\n",                                      \
                "mov.u32 %r3, s;\nbar.sync 0;\n" words "mad.lo.u32 %r5, %r4, 4, %r3;\n" \
                "atom" order ".shared.add.f32 %f0, [%r5], 0f3F800000;\n")

/* As recorded on an H100: 100 lanes on eight words take 4 + 8 + 12 + 13 rounds. */
static void warps_that_meet_at_a_word_lose_rounds_to_earlier_ones(void **state) {
    (void)state;
    haul_launch_record r = counted(ADDED("and.b32 %r4, %r0, 7;\n", ""), 1, 100);
    ASSERT_COUNT(r, INST_SHARED_ATOM, 37);
    ASSERT_COUNT(r, INST_SHARED_LD, 37);
    r = counted(ADDED("mov.u32 %r4, %r0;\n", ""), 1, 100); /* each lane has a word of its own */
    ASSERT_COUNT(r, INST_SHARED_ATOM, 4);
    r = counted(ADDED("and.b32 %r4, %r0, 7;\nbar.sync 0;\n", ".release.cta"), 1, 100); /* after a fence each */
    ASSERT_COUNT(r, INST_SHARED_ATOM, 13);
}

static void warps_of_different_blocks_do_not_meet(void **state) {
    (void)state;
    haul_launch_record r = counted(ADDED("and.b32 %r4, %r0, 31;\n", ""), 300, 32);
    ASSERT_COUNT(r, INST_SHARED_ATOM, 300);
    r = counted(ADDED("and.b32 %r4, %r0, 31;\n", ""), 300, 64);
    ASSERT_COUNT(r, INST_SHARED_ATOM, 900);
}

/* An atomic of all 32 lanes; s[0..7] are in banks of their own, four lanes each. */
#define SHARED_ATOMIC(atomic)                                                                                 \
    counted(KERNEL_WITH(".shared .align 4 .b8 s[1024];\n",                                                    \
                        "mov.u32 %r3, s;\nand.b32 %r4, %r0, 7;\nmad.lo.u32 %r5, %r4, 4, %r3;\n" atomic "\n"), \
            1, 32)

static void a_bank_takes_atomics_lane_by_lane_but_counts_increments_at_once(void **state) {
    (void)state;
    haul_launch_record r = SHARED_ATOMIC("red.shared.add.u32 [%r5], 1;");
    ASSERT_COUNT(r, SHARED_ATOM_WAVEFRONTS, 1);
    ASSERT_COUNT(r, SHARED_ATOM_CONFLICTS, 0);
    r = SHARED_ATOMIC("red.shared.add.u32 [%r5], 2;");
    ASSERT_COUNT(r, SHARED_ATOM_WAVEFRONTS, 4);
    ASSERT_COUNT(r, SHARED_ATOM_CONFLICTS, 3);
    r = SHARED_ATOMIC("atom.shared.add.u32 %r6, [%r5], 1;\n" OUT("%r6"));
    ASSERT_COUNT(r, SHARED_ATOM_WAVEFRONTS, 4);
    r = SHARED_ATOMIC("red.shared.max.u32 [%r5], %r0;");
    ASSERT_COUNT(r, SHARED_ATOM_WAVEFRONTS, 4);
}

static void a_compare_and_swap_takes_each_wavefront_twice(void **state) {
    (void)state;
    haul_launch_record r = SHARED_ATOMIC("atom.shared.cas.b32 %r6, [%r5], 0, %r0;");
    ASSERT_COUNT(r, SHARED_ATOM_WAVEFRONTS, 8);
    ASSERT_COUNT(r, SHARED_ATOM_CONFLICTS, 3);
}

/* As recorded on an H100: each round takes two wavefronts, whatever its lanes' banks. */
static void rounds_of_a_loop_have_no_bank_conflicts(void **state) {
    (void)state;
    haul_launch_record r = counted(ADDED("mul.lo.u32 %r4, %r0, 32;\nand.b32 %r4, %r4, 255;\n", ""), 1, 100);
    ASSERT_COUNT(r, SHARED_ATOM_WAVEFRONTS, 2 * r.counters[HAUL_COUNTER_INST_SHARED_ATOM]);
    ASSERT_COUNT(r, SHARED_ATOM_CONFLICTS, 0);
}

static void an_atomic_at_a_generic_address_passes_shared_memory(void **state) {
    (void)state;
    haul_launch_record r = counted(KERNEL("atom.add.u32 %r3, [%rd2], 1;\n" OUT("%r3")), 1, 64);
    ASSERT_COUNT(r, SHARED_ATOM_WAVEFRONTS, 2);
    ASSERT_COUNT(r, INST_SHARED_ATOM, 0);
    r = counted(KERNEL("atom.cas.b32 %r3, [%rd2], 0, 1;\n" OUT("%r3")), 1, 64);
    ASSERT_COUNT(r, SHARED_ATOM_WAVEFRONTS, 4);
}

#define MAXIMUM(value)                                                                                            \
    KERNEL_WITH(".shared .align 8 .b8 s[8];\n", value "mov.u64 %rd4, 0;\nst.shared.u64 [s], %rd4;\nbar.sync 0;\n" \
                                                      "cvt.u64.u32 %rd5, %r3;\nred.shared.max.u64 [s], %rd5;\n")

static void lanes_leave_a_maximum_that_they_would_not_change(void **state) {
    (void)state;
    haul_launch_record r =
        counted(MAXIMUM("add.u32 %r3, %r0, 1;\n"), 1, 32); /* rising values: each lane wins in turn */
    ASSERT_COUNT(r, INST_SHARED_ATOM, 32);
    ASSERT_COUNT(r, INST_SHARED_LD, 32);
    r = counted(MAXIMUM("sub.u32 %r3, 32, %r0;\n"), 1,
                32); /* falling values: the first lane wins, and the others see that */
    ASSERT_COUNT(r, INST_SHARED_ATOM, 1);
    ASSERT_COUNT(r, INST_SHARED_LD, 2);
    r = counted(MAXIMUM("mov.u32 %r3, 0;\n"), 1, 32);
    ASSERT_COUNT(r, INST_SHARED_ATOM, 0);
    ASSERT_COUNT(r, INST_SHARED_LD, 1);
}

static void generic_accesses_count_where_they_lead(void **state) {
    (void)state;
    haul_launch_record r =
        counted(KERNEL_WITH(".shared .align 4 .b8 s[256];\n",
                            "mov.u64 %rd4, s;\ncvta.shared.u64 %rd5, %rd4;\n"
                            "mad.wide.u32 %rd6, %r0, 4, %rd5;\nst.u32 [%rd6], %r0;\nld.u32 %r3, [%rd6];\n"
                            "st.u32 [%rd2], %r3;\n"),
                1, 32);
    ASSERT_COUNT(r, INST_SHARED_ST, 1);
    ASSERT_COUNT(r, INST_SHARED_LD, 1);
    ASSERT_COUNT(r, INST_GLOBAL_ST, 1);
    ASSERT_COUNT(r, L1_GLOBAL_ST_SECTORS, 4);
}

/* Even lanes skip the middle of each round; odd lanes leave in the round of their number, or the tenth. */
static void lanes_that_stay_in_a_loop_run_each_round_together(void **state) {
    (void)state;
    haul_launch_record r =
        counted(KERNEL("mov.u32 %r4, 0;\nAGAIN: ld.volatile.global.u32 %r3, [%rd1];\nand.b32 %r5, %r0, 1;\n"
                       "setp.eq.u32 %p0, %r5, 0;\n@%p0 bra NEXT;\nsetp.eq.u32 %p1, %r4, %r0;\n@%p1 bra DONE;\n"
                       "NEXT: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 10;\n@%p2 bra AGAIN;\nDONE: " OUT("%r4")),
                1, 32);
    ASSERT_COUNT(r, INST_GLOBAL_LD, 10);
    ASSERT_COUNT(r, INST_GLOBAL_ST, 1);
}

static void a_last_use_leaves_nothing_in_l1(void **state) {
    (void)state;
    haul_launch_record r =
        counted(KERNEL(MINE "ld.global.lu.u32 %r3, [%rd3];\nbar.sync 0;\nld.global.u32 %r4, [%rd3];\n"
                            "add.u32 %r3, %r3, %r4;\n" OUT("%r3")),
                1, 32);
    ASSERT_COUNT(r, L1_GLOBAL_LD_SECTORS, 8);
    ASSERT_COUNT(r, L1_GLOBAL_LD_HIT, 0);
}

/* Two lanes share each word, and machine code swaps words. */
static void a_compare_and_swap_of_16_bits_is_a_loop_on_words(void **state) {
    (void)state;
    haul_launch_record r = counted(KERNEL("mad.wide.u32 %rd4, %r0, 2, %rd0;\nmov.u16 %h0, 0;\nmov.u16 %h1, 7;\n"
                                          "atom.global.cas.b16 %h2, [%rd4], %h0, %h1;\n"),
                                   1, 32);
    ASSERT_COUNT(r, INST_GLOBAL_LD, 1);
    ASSERT_COUNT(r, INST_GLOBAL_ATOM, 2);
    r = counted(KERNEL_WITH(".shared .align 4 .b8 s[64];\n",
                            "mov.u32 %r3, s;\nmad.lo.u32 %r5, %r0, 2, %r3;\nmov.u16 %h0, 0;\nmov.u16 %h1, 7;\n"
                            "atom.shared.cas.b16 %h2, [%r5], %h0, %h1;\n"),
                1, 32);
    ASSERT_COUNT(r, INST_SHARED_LD, 1);
    ASSERT_COUNT(r, INST_SHARED_ATOM, 2);
}

static void bulk_copies_count_their_sectors_and_lines(void **state) {
    (void)state;
    haul_launch_record r = counted(
        KERNEL_WITH(".shared .align 128 .b8 s[2048];\n.shared .align 8 .b64 bar;\n",
                    "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra DONE;\nmov.u32 %r3, s;\nmov.u32 %r4, bar;\n"
                    "mbarrier.init.shared::cta.b64 [%r4], 1;\n"
                    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 1024;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 1024, [%r4];\n"
                    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r4], 0;\n@!%p1 bra WAIT;\nDONE:\n"),
        1, 32);
    ASSERT_COUNT(r, INST_TMA_LD, 1);
    ASSERT_COUNT(r, TMA_LD_SECTORS, 32);
    ASSERT_COUNT(r, L2_READ_REQUESTS, 8);
    ASSERT_COUNT(r, L2_READ_SECTORS, 32);
}

/* Stores of the same bytes to the same place, by several lanes at once, are one; sums are not. */
static void lanes_with_the_same_bulk_store_count_once(void **state) {
    (void)state;
#define BY_ALL_LANES(copy)                                                                         \
    KERNEL_WITH(".shared .align 128 .b8 s[128];\n",                                                \
                "mov.u32 %r3, s;\nand.b32 %r5, %r0, 1;\nmad.wide.u32 %rd3, %r5, 128, %rd0;\n" copy \
                " [%rd3], [%r3], 128;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n")
    haul_launch_record stores = counted(BY_ALL_LANES("cp.async.bulk.global.shared::cta.bulk_group"), 1, 32);
    ASSERT_COUNT(stores, INST_TMA_ST, 2);
    ASSERT_COUNT(stores, TMA_ST_SECTORS, 8);
    haul_launch_record sums =
        counted(BY_ALL_LANES("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"), 1, 32);
    ASSERT_COUNT(sums, L2_RED_SECTORS, 128);
#undef BY_ALL_LANES
}

static void a_fence_beyond_the_block_empties_l1(void **state) {
    (void)state;
#define AGAIN(fence)                                    \
    KERNEL(MINE "ld.global.nc.u32 %r3, [%rd3];\n" fence \
                "ld.global.nc.u32 %r4, [%rd3];\nadd.u32 %r3, %r3, %r4;\n" OUT("%r3"))
    haul_launch_record block = counted(AGAIN("membar.cta;\n"), 1, 32);
    ASSERT_COUNT(block, L1_GLOBAL_LD_HIT, 4);
    haul_launch_record device = counted(AGAIN("membar.gl;\n"), 1, 32);
    ASSERT_COUNT(device, L1_GLOBAL_LD_HIT, 0);
    ASSERT_COUNT(device, L2_READ_SECTORS, 8);
#undef AGAIN
}

/* Half of each sector is written, in two steps that L1 does not cache. */
static void a_float_added_at_a_generic_address_is_a_loop_in_shared_memory(void **state) {
    (void)state;
    const char *ptx = KERNEL_WITH(".shared .align 4 .b8 s[64];\n",
                                  "mov.u64 %rd4, s;\nst.shared.u32 [%rd4], %r0;\ncvta.shared.u64 %rd5, %rd4;\n"
                                  "atom.add.f32 %f1, [%rd5], 0f3F800000;\n");
    haul_launch_record r = counted(ptx, 1, 4);
    ASSERT_COUNT(r, INST_SHARED_LD, 4);
    ASSERT_COUNT(r, INST_SHARED_ATOM, 4);
    ASSERT_COUNT(r, INST_GLOBAL_LD, 0);
}

static void a_sector_written_in_part_is_missed_by_a_read(void **state) {
    (void)state;
    haul_launch_record r = counted(KERNEL("mad.wide.u32 %rd2, %r1, 8, %rd0;\n" OUT(
                                       "%r1") "membar.gl;\n"
                                              "ld.global.u32 %r3, [%rd2+4];\nst.global.u32 [%rd2], %r3;\n"),
                                   1, 32);
    ASSERT_COUNT(r, L2_READ_SECTORS, 8);
    ASSERT_COUNT(r, L2_READ_MISS, 8);
}

/* ---- what the estimate of time gets from accesses ---- */

#define TIMES_256(body) \
    "mov.u32 %r9, 0;\nagain: " body "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p0, %r9, 256;\n@%p0 bra again;\n"

/* L1 reads rows that lie whole lines apart one after the other, though it finds their tags as fast as those of others.
 */
#define ROWS(stride)                                                                                        \
    KERNEL("and.b32 %r4, %r0, 31;\nmad.wide.u32 %rd3, %r4, " stride ", %rd1;\nmov.u32 %r5, 0;\n" TIMES_256( \
        "ld.global.u32 %r3, [%rd3];\nxor.b32 %r5, %r5, %r3;\nst.global.u32 [%rd2], %r5;\n"))

static void rows_whole_lines_apart_take_longer(void **state) {
    (void)state;
    const haul_launch_record lines = counted(ROWS("128"), 1, 1024), odd = counted(ROWS("160"), 1, 1024);
    assert_true(lines.counters[HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS] <=
                odd.counters[HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS]);
    assert_true(lines.estimate_us > 1.5 * odd.estimate_us);
}

/* Each lane walks over its row of 128 words, and waits for each before the next. All lanes come to new sectors
 * together, or one after the other, so that each load has some that miss. */
#define WALK(from)                                                                                      \
    KERNEL("mad.wide.u32 %rd3, %r0, 512, %rd1;\nand.b32 %r4, %r0, 7;\nmul.lo.u32 %r4, %r4, " from ";\n" \
           "mad.wide.u32 %rd3, %r4, 4, %rd3;\nmov.u32 %r9, 0;\nagain: ld.global.u32 %r3, [%rd3];\n"     \
           "st.global.u32 [%rd2], %r3;\nadd.s64 %rd3, %rd3, 4;\nadd.u32 %r9, %r9, 1;\n"                 \
           "setp.lt.u32 %p0, %r9, 120;\n@%p0 bra again;\n")

static void loads_that_miss_together_wait_less_often(void **state) {
    (void)state;
    const haul_launch_record together = counted(WALK("0"), 1, 32), apart = counted(WALK("1"), 1, 32);
    assert_true(together.counters[HAUL_COUNTER_L1_GLOBAL_LD_HIT] < 1.1 * apart.counters[HAUL_COUNTER_L1_GLOBAL_LD_HIT]);
    assert_true(together.estimate_us < 0.8 * apart.estimate_us);
}

/* A busy SM combines a warp's stores to the same sectors only if they follow each other; four instructions between
 * them, or an exact division, which is a function, let other warps' stores come between. */
#define WORDS(between)                                                                                   \
    KERNEL("mad.wide.u32 %rd3, %r0, 16, %rd0;\nmov.f32 %f0, 0f3F800000;\nmov.f32 %f1, %f0;\n" TIMES_256( \
        "st.global.u32 [%rd3], %r0;\n" between "st.global.f32 [%rd3+4], %f1;\nst.global.u32 [%rd3+8], %r9;\n"))

static void stores_that_follow_each_other_are_combined(void **state) {
    (void)state;
    const haul_launch_record next = counted(WORDS(""), 1, 1024),
                             apart = counted(WORDS("div.rn.f32 %f1, %f0, %f1;\n"), 1, 1024);
    assert_int_equal(next.counters[HAUL_COUNTER_L2_WRITE_SECTORS], apart.counters[HAUL_COUNTER_L2_WRITE_SECTORS]);
    assert_true(apart.estimate_us > 1.3 * next.estimate_us);
}

/* Pairs of lanes add to a word. Warps have words of their own in the first kernel, and the same ones in the other. */
#define ADD_TO(word)                               \
    KERNEL_WITH(".shared .align 4 .b8 s[1024];\n", \
                "mov.u32 %r4, s;\n" word           \
                "shl.b32 %r6, %r6, 2;\nadd.u32 %r5, %r4, %r6;\n" TIMES_256("red.shared.add.f32 [%r5], 0f3F800000;\n"))

static void loops_on_words_of_their_own_do_not_wait_for_each_other(void **state) {
    (void)state;
    const haul_launch_record own = counted(ADD_TO("shr.u32 %r6, %r0, 1;\n"), 1, 256),
                             same = counted(ADD_TO("and.b32 %r6, %r0, 15;\n"), 1, 256);
    assert_true(same.estimate_us > 2 * own.estimate_us);
}

/* 64 tiles through a ring of mbarriers: a tile is copied into the room of one that came STAGES before it. */
#define RING(copy, stages, log)                                                                           \
    KERNEL_WITH(".shared .align 128 .b8 s[4096];\n.shared .align 8 .b64 bar[4];\n",                       \
                "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra DONE;\nmov.u32 %r3, s;\nmov.u32 %r4, bar;\n"          \
                "mov.u32 %r5, 0;\nFILL: mad.lo.u32 %r6, %r5, 8, %r4;\nmad.lo.u32 %r7, %r5, 1024, %r3;\n"  \
                "mbarrier.init.shared::cta.b64 [%r6], 1;\n" copy                                          \
                "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, " #stages ";\n@%p1 bra FILL;\n"              \
                "mov.u32 %r5, 0;\nNEXT: and.b32 %r8, %r5, " #stages "-1;\nshr.u32 %r9, %r5, " #log ";\n"  \
                "and.b32 %r9, %r9, 1;\nmad.lo.u32 %r6, %r8, 8, %r4;\nmad.lo.u32 %r7, %r8, 1024, %r3;\n"   \
                "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r6], %r9;\n@!%p1 bra WAIT;\n" copy \
                "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 64;\n@%p1 bra NEXT;\nDONE:\n")
#define COPY_TILE                                                 \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 1024;\n" \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%rd1], 1024, [%r6];\n"
#define COPY_BY_THREADS \
    "cp.async.cg.shared.global [%r7], [%rd1], 16;\ncp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r6];\n"

static void a_wait_is_shorter_if_later_copies_are_on_their_way(void **state) {
    (void)state;
    const haul_launch_record one = counted(RING(COPY_TILE, 1, 0), 1, 32), four = counted(RING(COPY_TILE, 4, 2), 1, 32);
    assert_true(one.estimate_us > 2 * four.estimate_us);
}

/* cuda::pipeline of a block copies so. */
static void copies_by_threads_are_stages_of_the_mbarrier_at_which_they_arrive(void **state) {
    (void)state;
    const haul_launch_record one = counted(RING(COPY_BY_THREADS, 1, 0), 1, 32),
                             four = counted(RING(COPY_BY_THREADS, 4, 2), 1, 32);
    assert_true(one.estimate_us > 2 * four.estimate_us);
}

/* All threads of the block meet 64 times. */
#define MEET(with)                                                                                      \
    KERNEL_WITH(".shared .align 8 .b64 bar;\n",                                                         \
                "mov.u32 %r4, bar;\nsetp.ne.u32 %p0, %r0, 0;\n"                                         \
                "@!%p0 mbarrier.init.shared::cta.b64 [%r4], 128;\nbar.sync 0;\nmov.u32 %r5, 0;\n"       \
                "NEXT: and.b32 %r6, %r5, 1;\n" with "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 64;\n" \
                "@%p1 bra NEXT;\n")

static void an_mbarrier_without_copies_takes_no_longer_than_a_barrier(void **state) {
    (void)state;
    const haul_launch_record barrier = counted(MEET("bar.sync 0;\n"), 1, 128),
                             mbarrier = counted(MEET("mbarrier.arrive.shared::cta.b64 %rd3, [%r4];\n"
                                                     "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], %r6;\n"
                                                     "@!%p2 bra WAIT;\n"),
                                                1, 128);
    assert_true(mbarrier.estimate_us < 2 * barrier.estimate_us);
}

/* A cluster of two blocks: the threads of each run an instruction 256 times on the other's shared memory, whose words
 * lie `stride` bytes apart. */
#define ON_PEER(stride, access)                                                                              \
    HEAD ".visible .entry k(.param .u64 p_out, .param .u64 p_in) .reqnctapercluster 2, 1, 1 {\n"             \
         ".reg .b32 %r<16>;\n.reg .pred %p<4>;\n.shared .align 128 .b8 s[8192];\nmov.u32 %r0, %tid.x;\n"     \
         "mov.u32 %r4, s;\nmov.u32 %r5, %cluster_ctarank;\nxor.b32 %r5, %r5, 1;\n"                           \
         "mad.lo.u32 %r6, %r0, " stride ", %r4;\nmapa.shared::cluster.u32 %r6, %r6, %r5;\nmov.u32 %r7, 0;\n" \
         "NEXT: " access "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 256;\n@%p1 bra NEXT;\n" MEET_CLUSTER "ret;\n}\n"
#define MEET_CLUSTER "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"

/* Each sector goes to the other SM by itself. An H200 takes 27 cycles for an atomic on every second word, which lie in
 * 8 sectors, and 108 for one on words that are 32 bytes apart. */
static void words_of_more_sectors_take_longer_to_reach_a_block_of_the_cluster(void **state) {
    (void)state;
    const haul_launch_record near = counted(ON_PEER("4", "red.shared::cluster.add.u32 [%r6], 1;\n"), 2, 256),
                             far = counted(ON_PEER("32", "red.shared::cluster.add.u32 [%r6], 1;\n"), 2, 256);
    assert_true(far.estimate_us > 3 * near.estimate_us);
}

/* 0.2 us on an H200, most of it for the release of what was written. */
static void a_barrier_of_a_cluster_takes_longer_than_its_arrivals_alone(void **state) {
    (void)state;
    const haul_launch_record released = counted(ON_PEER("4", MEET_CLUSTER), 2, 32),
                             relaxed = counted(ON_PEER("4", "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n"),
                                               2, 32);
    assert_true(released.estimate_us > 30 && released.estimate_us < 70);
    assert_true(relaxed.estimate_us < released.estimate_us / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_costs_four_sectors_a_warp_each_way),
        cmocka_unit_test(an_instruction_with_no_lane_counts_nowhere),
        cmocka_unit_test(a_branch_counts_whether_it_is_taken_or_not),
        cmocka_unit_test(shifted_reads_of_neighbouring_warps_join_at_l2),
        cmocka_unit_test(a_lone_sector_misses_twice_at_l2),
        cmocka_unit_test(a_warps_stores_combine_until_something_could_see_them),
        cmocka_unit_test(volatile_loads_miss_but_share_an_answer_in_flight),
        cmocka_unit_test(an_answer_in_flight_is_for_four_volatile_loads),
        cmocka_unit_test(a_store_ends_what_a_volatile_load_shares),
        cmocka_unit_test(a_spinning_volatile_load_asks_l2_each_time),
        cmocka_unit_test(loads_around_l1_do_not_hit),
        cmocka_unit_test(whole_sectors_that_were_stored_are_in_l1),
        cmocka_unit_test(local_stores_go_on_to_l2_and_are_found_in_l1),
        cmocka_unit_test(a_local_access_makes_a_request_for_each_word),
        cmocka_unit_test(small_arrays_of_words_stay_in_registers),
        cmocka_unit_test(the_more_words_are_chosen_the_smaller_is_an_array_in_registers),
        cmocka_unit_test(colliding_lanes_of_a_reduction_take_turns),
        cmocka_unit_test(a_uniform_reduction_is_added_up_in_the_warp_first),
        cmocka_unit_test(a_float_added_to_shared_memory_is_a_loop),
        cmocka_unit_test(warps_that_meet_at_a_word_lose_rounds_to_earlier_ones),
        cmocka_unit_test(warps_of_different_blocks_do_not_meet),
        cmocka_unit_test(a_bank_takes_atomics_lane_by_lane_but_counts_increments_at_once),
        cmocka_unit_test(a_compare_and_swap_takes_each_wavefront_twice),
        cmocka_unit_test(rounds_of_a_loop_have_no_bank_conflicts),
        cmocka_unit_test(an_atomic_at_a_generic_address_passes_shared_memory),
        cmocka_unit_test(lanes_leave_a_maximum_that_they_would_not_change),
        cmocka_unit_test(generic_accesses_count_where_they_lead),
        cmocka_unit_test(lanes_that_stay_in_a_loop_run_each_round_together),
        cmocka_unit_test(a_last_use_leaves_nothing_in_l1),
        cmocka_unit_test(a_compare_and_swap_of_16_bits_is_a_loop_on_words),
        cmocka_unit_test(bulk_copies_count_their_sectors_and_lines),
        cmocka_unit_test(lanes_with_the_same_bulk_store_count_once),
        cmocka_unit_test(a_fence_beyond_the_block_empties_l1),
        cmocka_unit_test(a_float_added_at_a_generic_address_is_a_loop_in_shared_memory),
        cmocka_unit_test(a_sector_written_in_part_is_missed_by_a_read),
        cmocka_unit_test(rows_whole_lines_apart_take_longer),
        cmocka_unit_test(loads_that_miss_together_wait_less_often),
        cmocka_unit_test(stores_that_follow_each_other_are_combined),
        cmocka_unit_test(loops_on_words_of_their_own_do_not_wait_for_each_other),
        cmocka_unit_test(a_wait_is_shorter_if_later_copies_are_on_their_way),
        cmocka_unit_test(copies_by_threads_are_stages_of_the_mbarrier_at_which_they_arrive),
        cmocka_unit_test(an_mbarrier_without_copies_takes_no_longer_than_a_barrier),
        cmocka_unit_test(words_of_more_sectors_take_longer_to_reach_a_block_of_the_cluster),
        cmocka_unit_test(a_barrier_of_a_cluster_takes_longer_than_its_arrivals_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
