/* Lanes of a warp that diverge, reconverge, and wait for each other. */
#include "kernel.h"
#include "exec/paths.h"

#include "state/block.h"

/* ---- paths ---- */

static void lanes_take_both_sides_of_a_branch_and_meet_again(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 10;\n"
                     "@%p0 bra THEN;\n"
                     "mov.u32 %r3, 200;\n"
                     "bra.uni JOIN;\n"
                     "THEN: mov.u32 %r3, 100;\n"
                     "JOIN: activemask.b32 %r4;\n"
                     "popc.b32 %r4, %r4;\n"
                     "add.u32 %r3, %r3, %r4;\n" OUT("%r3")),
              1, 32, out);
    expect_words(out, 32, i < 10 ? 132 : 232);
}

static void nested_branches_meet_at_each_level(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("and.b32 %r3, %r0, 1;\n"
                     "and.b32 %r4, %r0, 2;\n"
                     "setp.ne.u32 %p0, %r3, 0;\n"
                     "setp.ne.u32 %p1, %r4, 0;\n"
                     "mov.u32 %r5, 0;\n"
                     "@!%p0 bra EVEN;\n"
                     "@!%p1 bra ODD_LOW;\n"
                     "add.u32 %r5, %r5, 1;\n"
                     "ODD_LOW: activemask.b32 %r6;\n"
                     "bra.uni JOIN;\n"
                     "EVEN: mov.u32 %r6, 0;\n"
                     "JOIN: add.u32 %r6, %r6, %r5;\n" OUT("%r6")),
              1, 32, out);
    expect_words(out, 32, !(i & 1) ? 0 : 0xaaaaaaaa + (i >> 1 & 1));
}

static void lanes_that_leave_a_loop_wait_for_those_that_stay(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("mov.u32 %r3, 0;\n"
                     "LOOP: add.u32 %r3, %r3, 1;\n"
                     "setp.le.u32 %p0, %r3, %r0;\n"
                     "@%p0 bra LOOP;\n"
                     "activemask.b32 %r4;\n"
                     "setp.eq.u32 %p1, %r4, -1;\n"
                     "selp.u32 %r5, %r3, 0, %p1;\n" OUT("%r5")),
              1, 32, out);
    expect_words(out, 32, i + 1);
}

static void a_break_inside_a_branch_leaves_the_loop(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("mov.u32 %r3, 0;\n"
                     "mov.u32 %r4, 0;\n"
                     "LOOP: setp.ge.u32 %p0, %r3, 20;\n"
                     "@%p0 bra DONE;\n"
                     "setp.ne.u32 %p1, %r3, %r0;\n"
                     "@%p1 bra GO_ON;\n"
                     "add.u32 %r4, %r4, 1000;\n"
                     "bra DONE;\n" /* break */
                     "GO_ON: add.u32 %r4, %r4, 1;\n"
                     "add.u32 %r3, %r3, 1;\n"
                     "bra LOOP;\n"
                     "DONE: activemask.b32 %r5;\n"
                     "popc.b32 %r5, %r5;\n"
                     "mad.lo.u32 %r4, %r5, 10000, %r4;\n" OUT("%r4")),
              1, 32, out);
    expect_words(out, 32, 320000 + (i < 20 ? 1000 + i : 20));
}

static void lanes_may_return_early(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("setp.eq.u32 %p0, %r0, 5;\n"
                     "@%p0 ret;\n"
                     "setp.gt.u32 %p1, %r0, 20;\n"
                     "@!%p1 bra STAY;\n"
                     "exit;\n"
                     "STAY: activemask.b32 %r3;\n" OUT("%r3")),
              1, 32, out);
    expect_words(out, 32, i == 5 || i > 20 ? 0 : 0x001fffdf);
}

static void returns_inside_a_loop_let_the_others_go_on_together(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("mov.u32 %r3, 0;\n"
                     "LOOP: setp.eq.u32 %p0, %r3, %r0;\n"
                     "@!%p0 bra NEXT;\n"
                     "setp.lt.u32 %p1, %r0, 16;\n"
                     "@%p1 ret;\n"
                     "NEXT: add.u32 %r3, %r3, 1;\n"
                     "setp.lt.u32 %p2, %r3, 40;\n"
                     "@%p2 bra LOOP;\n"
                     "activemask.b32 %r4;\n" OUT("%r4")),
              1, 32, out);
    expect_words(out, 32, i < 16 ? 0 : 0xffff0000);
}

static void a_jump_table_splits_lanes_and_they_meet_behind_it(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("and.b32 %r3, %r0, 3;\n"
                     "TABLE: .branchtargets A, B, C, B;\n"
                     "brx.idx %r3, TABLE;\n"
                     "A: mov.u32 %r4, 10;\n"
                     "bra JOIN;\n"
                     "B: mov.u32 %r4, 20;\n"
                     "bra JOIN;\n"
                     "C: mov.u32 %r4, 30;\n"
                     "JOIN: activemask.b32 %r5;\n"
                     "popc.b32 %r5, %r5;\n"
                     "add.u32 %r4, %r4, %r5;\n" OUT("%r4")),
              1, 32, out);
    static const uint32_t made[4] = {10, 20, 30, 20};
    expect_words(out, 32, 32 + made[i & 3]);
}

static void a_guarded_jump_table_is_for_some_lanes(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("and.b32 %r3, %r0, 1;\n"
                     "mov.u32 %r4, 5;\n"
                     "setp.lt.u32 %p0, %r0, 8;\n"
                     "TABLE: .branchtargets A, B;\n"
                     "@%p0 brx.idx %r3, TABLE;\n"
                     "add.u32 %r4, %r4, 1;\n"
                     "A: add.u32 %r4, %r4, 10;\n"
                     "B: add.u32 %r4, %r4, 100;\n" OUT("%r4")),
              1, 32, out);
    expect_words(out, 32, i >= 8 ? 116 : i & 1 ? 105 : 115);
}

static void a_loop_through_a_jump_table_lets_other_lanes_run(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL_WITH(".shared .u32 flag;\n", "setp.eq.u32 %p0, %r0, 31;\n"
                                                  "@%p0 st.volatile.shared.u32 [flag], 0;\n"
                                                  "TABLE: .branchtargets WAIT, DONE;\n"
                                                  "@%p0 bra SET;\n"
                                                  "WAIT: ld.volatile.shared.u32 %r3, [flag];\n"
                                                  "brx.idx %r3, TABLE;\n"
                                                  "SET: st.volatile.shared.u32 [flag], 1;\n"
                                                  "DONE: mov.u32 %r4, 7;\n" OUT("%r4")),
              1, 32, out);
    expect_words(out, 32, 7);
}

/* No instruction follows the labels, and the last branch has nothing to fall through to. */
static void ways_may_lead_behind_the_last_instruction(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    run_kernel(&(kernel_run){.ptx = HEAD BEGIN "and.b32 %r3, %r0, 3;\n"
                                               "TABLE: .branchtargets OVER, ON, ON, ON;\n"
                                               "brx.idx %r3, TABLE;\n"
                                               "ON: setp.eq.u32 %p0, %r3, 1;\n"
                                               "@%p0 bra OVER;\n"
                                               "activemask.b32 %r4;\n" OUT("%r4") "setp.eq.u32 %p1, %r3, 2;\n"
                                                                                  "@!%p1 bra OVER;\n"
                                                                                  "st.global.u32 [%rd2], 7;\n"
                                                                                  "@%p1 bra OVER;\n"
                                                                                  "OVER: }\n",
                             INTO(out)});
    expect_words(out, 32, i % 4 < 2 ? 0 : i % 4 == 2 ? 7 : 0xcccccccc);
}

static void an_index_beyond_the_jump_table_is_an_error(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL("TABLE: .branchtargets A, A;\n"
                                               "brx.idx %r0, TABLE;\n"
                                               "A:\n")},
                   HAUL_ERROR_FAULT, "index 2, but the table has 2 targets");
}

/* ---- forward progress inside a warp ---- */

/* One lane holds the lock and waits, at the loop's end, for lanes that wait for the lock. */
static void a_spin_lock_among_the_lanes_of_a_warp_is_taken_by_each(void **state) {
    (void)state;
    uint32_t out[34] = {0}; /* the last two are the lock and the count */
    run_kernel(&(kernel_run){.ptx = KERNEL("add.u64 %rd3, %rd0, 128;\n"
                                           "TAKE: atom.global.cas.b32 %r3, [%rd3], 0, 1;\n"
                                           "setp.ne.u32 %p0, %r3, 0;\n"
                                           "@%p0 bra TAKE;\n"
                                           "ld.volatile.global.u32 %r4, [%rd3+4];\n"
                                           "add.u32 %r5, %r4, 1;\n"
                                           "st.volatile.global.u32 [%rd3+4], %r5;\n"
                                           "membar.gl;\n"
                                           "atom.global.exch.b32 %r6, [%rd3], 0;\n" OUT("%r4")),
                             INTO(out)});
    uint32_t seen = 0;
    for (unsigned l = 0; l < 32; l++) seen |= 1u << out[l];
    assert_int_equal(seen, 0xffffffff);
}

static const char lock_kernel[] = KERNEL("TAKE: atom.global.cas.b32 %r3, [%rd0], 0, 1;\n"
                                         "setp.ne.u32 %p0, %r3, 0;\n"
                                         "@%p0 bra TAKE;\n"
                                         "ld.volatile.global.u32 %r4, [%rd0+4];\n"
                                         "add.u32 %r4, %r4, 1;\n"
                                         "st.volatile.global.u32 [%rd0+4], %r4;\n"
                                         "membar.gl;\n"
                                         "atom.global.exch.b32 %r6, [%rd0], 0;\n");

static void a_spin_lock_among_blocks_counts_all_threads(void **state) {
    (void)state;
    uint32_t out[2] = {0, 0};
    run_kernel(&(kernel_run){.ptx = lock_kernel, .blocks = 4, .threads = 64, INTO(out)});
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 256);
}

/* The holder of the lock gets its turn soon: 256 times 1000 operations are enough. */
static void warps_that_spin_in_vain_let_the_one_with_the_lock_run(void **state) {
    (void)state;
    uint32_t out[1] = {0};
    const char *ptx = KERNEL_WITH(".shared .align 8 .b32 lock[2];\n", "st.volatile.shared.u32 [lock], 0;\n"
                                                                      "st.volatile.shared.u32 [lock+4], 0;\n"
                                                                      "bar.sync 0;\n"
                                                                      "TAKE: atom.shared.cas.b32 %r3, [lock], 0, 1;\n"
                                                                      "setp.ne.u32 %p0, %r3, 0;\n"
                                                                      "@%p0 bra TAKE;\n"
                                                                      "ld.volatile.shared.u32 %r4, [lock+4];\n"
                                                                      "add.u32 %r4, %r4, 1;\n"
                                                                      "st.volatile.shared.u32 [lock+4], %r4;\n"
                                                                      "membar.cta;\n"
                                                                      "atom.shared.exch.b32 %r6, [lock], 0;\n"
                                                                      "bar.sync 0;\n"
                                                                      "ld.shared.u32 %r4, [lock+4];\n"
                                                                      "st.global.u32 [%rd0], %r4;\n");
    run_kernel(&(kernel_run){.ptx = ptx, .threads = 256, .limit = 256000, INTO(out)});
    assert_int_equal(out[0], 256);
}

/* The lane that holds the lock left the loop by a taken branch, so the others run first: for a few iterations only, not
 * until all paths take turns. Each lane takes the lock eight times. */
static void paths_that_spin_in_vain_let_the_one_with_the_lock_run(void **state) {
    (void)state;
    uint32_t out[2] = {0, 0};
    const char *ptx = KERNEL("mov.u32 %r5, 0;\n"
                             "TAKE: atom.global.cas.b32 %r3, [%rd0], 0, 1;\n"
                             "setp.eq.u32 %p0, %r3, 0;\n"
                             "@%p0 bra HAS;\n"
                             "bra.uni TAKE;\n"
                             "HAS: ld.volatile.global.u32 %r4, [%rd0+4];\n"
                             "add.u32 %r4, %r4, 1;\n"
                             "st.volatile.global.u32 [%rd0+4], %r4;\n"
                             "membar.gl;\n"
                             "atom.global.exch.b32 %r6, [%rd0], 0;\n"
                             "add.u32 %r5, %r5, 1;\n"
                             "setp.lt.u32 %p1, %r5, 8;\n"
                             "@%p1 bra TAKE;\n");
    run_kernel(&(kernel_run){.ptx = ptx, .limit = 50000, INTO(out)});
    assert_int_equal(out[1], 256);
}

/* Each try reads another value, as it does if other warps take and give back locks meanwhile. Once the kernel is known
 * to have locks, that delays nobody long. */
static void lanes_that_wait_for_a_lock_may_read_other_values_meanwhile(void **state) {
    (void)state;
    uint32_t out[3] = {0, 0, 0};
#define TAKE(label, meanwhile)                                                                                      \
    label ":\n" meanwhile "atom.global.cas.b32 %r3, [%rd0], 0, 1;\nsetp.ne.u32 %p0, %r3, 0;\n@%p0 bra " label ";\n" \
          "ld.volatile.global.u32 %r4, [%rd0+4];\nadd.u32 %r4, %r4, 1;\nst.volatile.global.u32 [%rd0+4], %r4;\n"    \
          "membar.gl;\natom.global.exch.b32 %r6, [%rd0], 0;\n"
    const char *ptx = KERNEL(TAKE("KNOWN", "") "bar.warp.sync 0xffffffff;\n" TAKE(
        "CHANGING", "ld.volatile.global.u32 %r5, [%rd0+8];\nadd.u32 %r5, %r5, 1;\n"
                    "st.volatile.global.u32 [%rd0+8], %r5;\n"));
    run_kernel(&(kernel_run){.ptx = ptx, .limit = 2000000, INTO(out)});
    assert_int_equal(out[1], 64);
}

static void a_lane_may_wait_for_one_that_comes_later(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL_WITH(".shared .u32 flag;\n", "st.volatile.shared.u32 [flag], 0;\n"
                                                  "setp.ne.u32 %p0, %r0, 0;\n"
                                                  "@%p0 bra BEHIND;\n"
                                                  "WAIT: ld.volatile.shared.u32 %r3, [flag];\n"
                                                  "setp.eq.u32 %p1, %r3, 0;\n"
                                                  "@%p1 bra WAIT;\n"
                                                  "BEHIND: setp.eq.u32 %p2, %r0, 9;\n"
                                                  "@%p2 st.volatile.shared.u32 [flag], 1;\n"
                                                  "mov.u32 %r4, 3;\n" OUT("%r4")),
              1, 32, out);
    expect_words(out, 32, 3);
}

/* Plain loads are not known to wait for another thread: this takes a million iterations. */
static void even_plain_loads_may_wait_for_a_lane_that_comes_later(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL_WITH(".shared .u32 flag;\n", "st.shared.u32 [flag], 0;\n"
                                                  "setp.ne.u32 %p0, %r0, 0;\n"
                                                  "@%p0 bra BEHIND;\n"
                                                  "WAIT: ld.shared.u32 %r3, [flag];\n"
                                                  "setp.eq.u32 %p1, %r3, 0;\n"
                                                  "@%p1 bra WAIT;\n"
                                                  "BEHIND: setp.eq.u32 %p2, %r0, 9;\n"
                                                  "@%p2 st.shared.u32 [flag], 1;\n"
                                                  "mov.u32 %r4, 3;\n" OUT("%r4")),
              1, 32, out);
    expect_words(out, 32, 3);
}

/* A long loop of one lane does not release the others from the join. */
static void lanes_wait_at_the_join_for_a_long_loop(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("setp.ne.u32 %p0, %r0, 0;\n"
                     "@%p0 bra JOIN;\n"
                     "mov.u32 %r3, 0;\n"
                     "LOOP: atom.global.add.u32 %r5, [%rd0], 1;\n"
                     "add.u32 %r3, %r3, 1;\n"
                     "setp.lt.u32 %p1, %r3, 5000;\n"
                     "@%p1 bra LOOP;\n"
                     "JOIN: activemask.b32 %r4;\n" OUT("%r4")),
              1, 32, out);
    expect_words(out, 32, 0xffffffff);
}

/* Two loops spin separately while the lane that both wait for is at the join. */
static void loops_that_spin_in_different_places_let_lanes_leave_the_join_soon(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    const char *ptx = KERNEL_WITH(".shared .align 4 .b32 flag;\n", "st.volatile.shared.u32 [flag], 0;\n"
                                                                   "bar.sync 0;\n"
                                                                   "setp.eq.u32 %p0, %r0, 7;\n"
                                                                   "@%p0 bra JOIN;\n"
                                                                   "and.b32 %r3, %r0, 1;\n"
                                                                   "setp.eq.u32 %p1, %r3, 0;\n"
                                                                   "@%p1 bra EVEN;\n"
                                                                   "ODD: ld.volatile.shared.u32 %r4, [flag];\n"
                                                                   "setp.eq.u32 %p2, %r4, 0;\n"
                                                                   "@%p2 bra ODD;\n"
                                                                   "bra.uni JOIN;\n"
                                                                   "EVEN: ld.volatile.shared.u32 %r4, [flag];\n"
                                                                   "setp.eq.u32 %p2, %r4, 0;\n"
                                                                   "@%p2 bra EVEN;\n"
                                                                   "JOIN: st.volatile.shared.u32 [flag], 5;\n"
                                                                   "ld.volatile.shared.u32 %r5, [flag];\n" OUT("%r5"));
    run_kernel(&(kernel_run){.ptx = ptx, .limit = 100000, INTO(out)});
    expect_words(out, 32, 5);
}

/* Generic accesses run a copy of their operation; the copy's address must not matter. */
static void what_a_loop_sees_does_not_depend_on_where_the_host_keeps_its_operation(void **state) {
    (void)state;
    static sim_path path;
    static sim_warp w = {.path = &path};
    static const uint32_t lanes[SIM_LANES] = {3, 4, 5};
    const sim_op here = {.instruction = 9}, there[2] = {{.instruction = 8}, {.instruction = 9}};
    uint64_t seen[3];
    sim_warp_observe(&w, &here, 7, lanes, sizeof *lanes);
    seen[0] = w.seen;
    for (unsigned k = 0; k < 2; k++) {
        w.seen = 0;
        sim_warp_observe(&w, &there[k], 7, lanes, sizeof *lanes);
        seen[1 + k] = w.seen;
    }
    assert_true(seen[0] != seen[1]);
    assert_true(seen[0] == seen[2]);
}

/* ---- collectives ---- */

static void a_shuffle_gathers_lanes_that_come_by_different_ways(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("mov.u32 %r3, 0;\n"
                     "LOOP: setp.eq.u32 %p0, %r3, %r0;\n"
                     "@%p0 bra SHUFFLE;\n"
                     "add.u32 %r3, %r3, 1;\n"
                     "bra LOOP;\n"
                     "SHUFFLE: shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\n" OUT("%r4")),
              1, 32, out);
    expect_words(out, 32, i ^ 1);
}

static void lanes_that_end_need_not_come_to_a_shuffle(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 16;\n"
                     "@!%p0 bra LATER;\n"
                     "shfl.sync.idx.b32 %r4, %r0, 3, 31, -1;\n" OUT("%r4") "ret;\n"
                                                                           "LATER: nanosleep.u32 100;\n"),
              1, 32, out);
    expect_words(out, 32, i < 16 ? 3 : 0);
}

/* As in tiles of a cooperative group: one instruction, a mask for each half. */
static void sets_of_lanes_in_one_warp_have_results_of_their_own(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 16;\n"
                     "selp.b32 %r3, 0x0000ffff, 0xffff0000, %p0;\n"
                     "and.b32 %r4, %r0, 1;\n"
                     "setp.ne.u32 %p1, %r4, 0;\n"
                     "vote.sync.ballot.b32 %r5, %p1, %r3;\n"
                     "redux.sync.add.u32 %r6, %r0, %r3;\n"
                     "add.u32 %r5, %r5, %r6;\n" OUT("%r5")),
              1, 32, out);
    expect_words(out, 32, i < 16 ? 0x0000aaaa + 120 : 0xaaaa0000 + 376);
}

/* The lower half arrives as a whole, the upper one in two parts: neither waits for the other. */
static void a_set_that_is_complete_does_not_wait_for_another(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 16;\n"
                     "selp.b32 %r3, 0x0000ffff, 0xffff0000, %p0;\n"
                     "setp.ge.u32 %p1, %r0, 24;\n"
                     "mov.u32 %r4, 0;\n"
                     "@%p1 bra LATE;\n"
                     "TOGETHER: vote.sync.ballot.b32 %r5, %p0, %r3;\n"
                     "setp.eq.u32 %p2, %r0, %r0;\n"
                     "vote.sync.ballot.b32 %r6, %p2, %r3;\n"
                     "xor.b32 %r5, %r5, %r6;\n" OUT("%r5") "ret;\n"
                                                           "LATE: add.u32 %r4, %r4, 1;\n"
                                                           "setp.lt.u32 %p3, %r4, 100;\n"
                                                           "@%p3 bra LATE;\n"
                                                           "bra TOGETHER;\n"),
              1, 32, out);
    expect_words(out, 32, i < 16 ? 0 : 0xffff0000);
}

static void a_warp_barrier_joins_lanes_from_different_places(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL_WITH(".shared .u32 word;\n", "setp.lt.u32 %p0, %r0, 16;\n"
                                                  "@%p0 bra FIRST;\n"
                                                  "bar.warp.sync -1;\n"
                                                  "ld.shared.u32 %r3, [word];\n"
                                                  "bra DONE;\n"
                                                  "FIRST: st.shared.u32 [word], 42;\n"
                                                  "bar.warp.sync -1;\n"
                                                  "mov.u32 %r3, 1;\n"
                                                  "DONE:\n" OUT("%r3")),
              1, 32, out);
    expect_words(out, 32, i < 16 ? 1 : 42);
}

static void guarded_out_lanes_do_not_wait_at_a_warp_barrier(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 16;\n"
                     "@%p0 bar.warp.sync 0x3ffff;\n" /* lanes 16 and 17 arrive at the next instruction */
                     "@!%p0 bar.warp.sync 0x3ffff;\n"
                     "mov.u32 %r3, 5;\n" OUT("%r3")),
              1, 18, out);
    expect_words(out, 18, 5);
}

static void a_warp_barrier_makes_lanes_one_path_again(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("mov.u32 %r3, 0;\n"
                     "LOOP: add.u32 %r3, %r3, 1;\n"
                     "setp.le.u32 %p0, %r3, %r0;\n"
                     "@%p0 bra LOOP;\n"
                     "bar.warp.sync -1;\n"
                     "activemask.b32 %r4;\n" OUT("%r4")),
              1, 32, out);
    expect_words(out, 32, 0xffffffff);
}

static void a_shuffle_whose_lanes_never_come_is_a_deadlock(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL("setp.lt.u32 %p0, %r0, 16;\n"
                                               "@!%p0 bra OTHER;\n"
                                               "shfl.sync.idx.b32 %r4, %r0, 3, 31, -1;\n"
                                               "OTHER: bar.sync 0;\n")},
                   HAUL_ERROR_DEADLOCK,
                   "16 threads (warp 0, lanes 0x0000ffff) wait at PTX line 20 for lanes 0xffff0000 of its warp");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_take_both_sides_of_a_branch_and_meet_again),
        cmocka_unit_test(nested_branches_meet_at_each_level),
        cmocka_unit_test(lanes_that_leave_a_loop_wait_for_those_that_stay),
        cmocka_unit_test(a_break_inside_a_branch_leaves_the_loop),
        cmocka_unit_test(lanes_may_return_early),
        cmocka_unit_test(returns_inside_a_loop_let_the_others_go_on_together),
        cmocka_unit_test(a_jump_table_splits_lanes_and_they_meet_behind_it),
        cmocka_unit_test(a_guarded_jump_table_is_for_some_lanes),
        cmocka_unit_test(a_loop_through_a_jump_table_lets_other_lanes_run),
        cmocka_unit_test(ways_may_lead_behind_the_last_instruction),
        cmocka_unit_test(an_index_beyond_the_jump_table_is_an_error),
        cmocka_unit_test(a_spin_lock_among_the_lanes_of_a_warp_is_taken_by_each),
        cmocka_unit_test(a_spin_lock_among_blocks_counts_all_threads),
        cmocka_unit_test(warps_that_spin_in_vain_let_the_one_with_the_lock_run),
        cmocka_unit_test(paths_that_spin_in_vain_let_the_one_with_the_lock_run),
        cmocka_unit_test(lanes_that_wait_for_a_lock_may_read_other_values_meanwhile),
        cmocka_unit_test(a_lane_may_wait_for_one_that_comes_later),
        cmocka_unit_test(even_plain_loads_may_wait_for_a_lane_that_comes_later),
        cmocka_unit_test(lanes_wait_at_the_join_for_a_long_loop),
        cmocka_unit_test(loops_that_spin_in_different_places_let_lanes_leave_the_join_soon),
        cmocka_unit_test(what_a_loop_sees_does_not_depend_on_where_the_host_keeps_its_operation),
        cmocka_unit_test(a_shuffle_gathers_lanes_that_come_by_different_ways),
        cmocka_unit_test(lanes_that_end_need_not_come_to_a_shuffle),
        cmocka_unit_test(sets_of_lanes_in_one_warp_have_results_of_their_own),
        cmocka_unit_test(a_set_that_is_complete_does_not_wait_for_another),
        cmocka_unit_test(a_warp_barrier_joins_lanes_from_different_places),
        cmocka_unit_test(guarded_out_lanes_do_not_wait_at_a_warp_barrier),
        cmocka_unit_test(a_warp_barrier_makes_lanes_one_path_again),
        cmocka_unit_test(a_shuffle_whose_lanes_never_come_is_a_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
