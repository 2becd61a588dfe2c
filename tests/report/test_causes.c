/* Findings that have one cause are one finding. */
#include "checked.h"

/* Two reads of the ring behind a barrier that does not order them after its one copy. */
static void add_two_reads_of_one_copy(fixture *f) {
    f->instructions[1].orders = true;
    for (size_t read = 2; read < 4; read++) {
        haul_finding pair = race;
        pair.access.instruction = read;
        add(f, pair);
    }
}

static void pairs_of_one_cause_are_one_finding(void **state) {
    fixture *f = *state;
    add_two_reads_of_one_copy(f);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 1);
    assert_int_equal(v.counting, 1);
    assert_int_equal(v.findings[0].access.line, 5);
    assert_int_equal(v.findings[0].also_count, 1);
    assert_int_equal(v.findings[0].also[0].access.line, 6);
    text out = {0};
    report_put_also(&out, &v.findings[0]);
    assert_string_equal(text_string(&out),
                        "1 more pair of places lacks this order: also with the later access at line 6");
    text_free(&out);
    report_verdict_free(&v);
}

/* Lanes of one warp and threads of two lack the same barrier. The pair of warps is shown, as a warp's barrier would not
 * do for it. */
static void a_barrier_orders_lanes_and_warps(void **state) {
    fixture *f = *state;
    haul_finding lanes = race, warps = race;
    lanes.access = (haul_finding_access){HAUL_ACTION_READ, 1, {0, 0, 0}, {0, 0, 0}, 0};
    lanes.other = (haul_finding_access){HAUL_ACTION_WRITE, 0, {0, 0, 0}, {1, 0, 0}, 0};
    lanes.between_lanes = true;
    lanes.what = "lanes 1 and 0 of one warp: nothing orders them, and they need not run in lockstep";
    warps.access = (haul_finding_access){HAUL_ACTION_WRITE, 0, {0, 0, 0}, {32, 0, 0}, 0};
    warps.other = (haul_finding_access){HAUL_ACTION_READ, 1, {0, 0, 0}, {0, 0, 0}, 0};
    warps.what = NULL;
    add(f, lanes);
    add(f, warps);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 1);
    assert_int_equal(v.findings[0].access.line, 4);
    assert_int_equal(v.findings[0].also_count, 1);
    report_verdict_free(&v);
}

/* A counter that threads increase without atomics needs more than a barrier. */
static void a_lost_update_is_a_cause_of_its_own(void **state) {
    fixture *f = *state;
    haul_finding plain = race, update = race;
    plain.what = NULL;
    update.what = "the word is read and written by several threads: updates get lost";
    add(f, plain);
    add(f, update);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 2);
    report_verdict_free(&v);
}

/* The read races with the copy, and comes first in one order. */
static void a_race_explains_a_read_of_unwritten_bytes(void **state) {
    fixture *f = *state;
    haul_finding early = race;
    early.kind = HAUL_FINDING_UNINITIALISED_READ;
    early.other = (haul_finding_access){0};
    add(f, race);
    add(f, early);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 1);
    assert_int_equal(v.findings[0].first->kind, HAUL_FINDING_RACE_SHARED);
    text out = {0};
    report_put_also(&out, &v.findings[0]);
    assert_string_equal(text_string(&out), "in one order line 5 reads bytes before anything is written there");
    text_free(&out);
    report_verdict_free(&v);
}

/* The barrier is missing for two variables; the second is read before it is written. */
static void each_pair_explains_reads_of_its_own_variable(void **state) {
    fixture *f = *state;
    haul_finding second = race, early;
    second.access.instruction = 2;
    second.object = "t + 380, in 512 bytes of shared memory";
    early = second;
    early.kind = HAUL_FINDING_UNINITIALISED_READ;
    early.other = (haul_finding_access){0};
    add(f, race);
    add(f, second);
    add(f, early);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 1);
    assert_int_equal(v.findings[0].also_count, 2);
    report_verdict_free(&v);
}

/* Threads that add without atomics may store equal sums. That is no second defect. */
static void a_race_covers_equal_values_at_its_lines(void **state) {
    fixture *f = *state;
    haul_finding update = same_value, equal = same_value;
    update.access.instruction = update.other.instruction = 2;
    equal.access.instruction = equal.other.instruction = 2;
    update.kind = HAUL_FINDING_RACE_GLOBAL;
    update.grade = HAUL_GRADE_ERROR;
    update.other.action = HAUL_ACTION_READ;
    add(f, update);
    add(f, equal);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 1);
    assert_int_equal(v.findings[0].first->kind, HAUL_FINDING_RACE_GLOBAL);
    report_verdict_free(&v);
}

static void a_rule_ignores_one_pair_of_a_cause(void **state) {
    fixture *f = *state;
    add_two_reads_of_one_copy(f);
    add_rules(f, "ring at ring.cu:6: race-shared known\n", REPORT_RULE_IGNORE);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 2);
    assert_int_equal(v.ignored, 1);
    assert_int_equal(v.counting, 1);
    assert_int_equal(v.findings[0].also_count, 0);
    report_verdict_free(&v);
}

/* In a loop, one order is missing from the write to the read, another from the read to the next write. Otherwise there
 * is only the first, whichever comes first in the run. */
static void the_way_back_is_another_cause(void **state) {
    for (uint32_t loop = 0; loop < 2; loop++) {
        fixture *f = *state;
        f->record.finding_count = 0;
        f->instructions[1].orders = true;
        f->instructions[0].loop = f->instructions[2].loop = loop;
        haul_finding there = race, back = race;
        there.what = back.what = NULL;
        there.access = back.other = (haul_finding_access){HAUL_ACTION_READ, 2, {0, 0, 0}, {0, 0, 0}, 0};
        there.other = back.access = (haul_finding_access){HAUL_ACTION_WRITE, 0, {0, 0, 0}, {95, 0, 0}, 0};
        add(f, there);
        add(f, back);
        report_verdict v = judge(f);
        assert_int_equal(v.finding_count, loop ? 2 : 1);
        report_verdict_free(&v);
    }
}

/* Blocks run in any order, so either access may come first: the same order is missing. Within a block, and a loop, it
 * is another. */
static void a_pair_of_two_blocks_is_one_in_either_order(void **state) {
    for (uint32_t block = 0; block < 2; block++) {
        fixture *f = *state;
        f->record.finding_count = 0;
        f->instructions[1].orders = true;
        f->instructions[0].loop = f->instructions[2].loop = 1;
        haul_finding there = race, back = race;
        there.kind = back.kind = HAUL_FINDING_RACE_GLOBAL;
        there.space = back.space = HAUL_SPACE_GLOBAL;
        there.access = back.other = (haul_finding_access){HAUL_ACTION_READ, 2, {block, 0, 0}, {0, 0, 0}, 0};
        there.other = back.access = (haul_finding_access){HAUL_ACTION_WRITE, 0, {0, 0, 0}, {1, 0, 0}, 0};
        add(f, there);
        add(f, back);
        report_verdict v = judge(f);
        assert_int_equal(v.finding_count, block ? 1 : 2);
        report_verdict_free(&v);
    }
}

/* A source that is overwritten too early is written before it is read, or after. */
static void a_source_is_overwritten_in_either_order(void **state) {
    fixture *f = *state;
    f->instructions[1].orders = true;
    haul_finding late = race, early = race;
    late.kind = early.kind = HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN;
    early.what = NULL;
    late.access = early.other = (haul_finding_access){HAUL_ACTION_ASYNC_READ, 2, {0, 0, 0}, {0, 0, 0}, 0};
    late.other = early.access = (haul_finding_access){HAUL_ACTION_WRITE, 0, {0, 0, 0}, {95, 0, 0}, 0};
    add(f, late);
    add(f, early);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 1);
    assert_int_equal(v.findings[0].also_count, 1);
    report_verdict_free(&v);
}

/* A bulk store is used before a wait covers it. The wait would order the race, too, which says less; a race of the
 * store with another access is a defect of its own. */
static void an_early_use_explains_the_race_with_the_store(void **state) {
    fixture *f = *state;
    f->instructions[1].orders = f->instructions[2].orders = true;
    haul_finding early = race;
    early.kind = HAUL_FINDING_ASYNC_READ_BEFORE_WAIT;
    early.space = HAUL_SPACE_GLOBAL;
    early.what = "no wait of the thread that issued the copy has covered its writing yet";
    early.access = (haul_finding_access){HAUL_ACTION_READ, 2, {0, 0, 0}, {1, 0, 0}, 0};
    early.other = (haul_finding_access){HAUL_ACTION_ASYNC_WRITE, 0, {0, 0, 0}, {0, 0, 0}, 0};
    haul_finding same = early, elsewhere;
    same.kind = HAUL_FINDING_RACE_GLOBAL;
    same.what = "threads of one block, with no barrier between the two";
    same.access = early.other;
    same.other = early.access;
    elsewhere = same;
    elsewhere.other.instruction = 3;
    add(f, same);
    add(f, early);
    add(f, elsewhere);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 2);
    assert_int_equal(v.findings[0].first->kind, HAUL_FINDING_ASYNC_READ_BEFORE_WAIT);
    assert_int_equal(v.findings[0].also_count, 0);
    assert_int_equal(v.findings[1].first->other.instruction, 3);
    report_verdict_free(&v);
}

/* A load and the release of the columns both come too early for one wait; a load for another is a defect of its own. */
static void one_wait_covers_all_later_uses_of_tensor_memory(void **state) {
    fixture *f = *state;
    f->instructions[1].orders = f->instructions[2].orders = true;
    haul_finding load = race;
    load.kind = HAUL_FINDING_TENSOR_MEMORY_BEFORE_WAIT;
    load.space = HAUL_SPACE_NONE;
    load.object = NULL;
    load.what = "no tcgen05.wait::st of its warp has covered the store";
    load.access = (haul_finding_access){HAUL_ACTION_ASYNC_READ, 1, {0, 0, 0}, {0, 0, 0}, 0};
    haul_finding release = load, other = load;
    release.access = (haul_finding_access){HAUL_ACTION_WRITE, 2, {0, 0, 0}, {0, 0, 0}, 0};
    other.access.instruction = 3;
    other.what = "nobody has waited for a tcgen05.commit after the operation that writes columns 0 to 7";
    add(f, load);
    add(f, release);
    add(f, other);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 2);
    assert_int_equal(v.findings[0].also_count, 1);
    assert_int_equal(v.findings[0].also[0].first->access.instruction, 2);
    report_verdict_free(&v);
}

/* The mbarrier's use may come before its initialisation: in one order it does. Another use of it is another defect. */
static void an_unordered_initialisation_explains_an_early_use(void **state) {
    fixture *f = *state;
    haul_finding late = {.kind = HAUL_FINDING_MBARRIER_MISUSE,
                         .grade = HAUL_GRADE_ERROR,
                         .access = {HAUL_ACTION_SYNC, 1, {1, 0, 0}, {0, 0, 0}, 0},
                         .other = {HAUL_ACTION_SYNC, 0, {0, 0, 0}, {0, 0, 0}, 0},
                         .space = HAUL_SPACE_SHARED,
                         .bytes = 8,
                         .object = "full + 0 (8 bytes of shared memory)",
                         .what = "used without a barrier after its initialisation by another thread",
                         .beside_init = true};
    haul_finding early = late, elsewhere;
    early.other = (haul_finding_access){0};
    early.what = "used before it has been initialised";
    early.beside_init = false;
    early.before_init = true;
    elsewhere = early;
    elsewhere.access.instruction = 3;
    add(f, early);
    add(f, elsewhere);
    add(f, late);
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 2);
    assert_int_equal(v.findings[1].also_count, 1);
    text out = {0};
    report_put_also(&out, &v.findings[1]);
    assert_string_equal(text_string(&out), "in one order line 5 uses the mbarrier before it is initialised");
    text_free(&out);
    report_verdict_free(&v);
}

static void all_waits_at_a_skipped_barrier_are_one_finding(void **state) {
    fixture *f = *state;
    for (size_t group = 0; group < 3; group++) {
        haul_finding waits = {.kind = HAUL_FINDING_BARRIER_DIVERGENCE, .grade = HAUL_GRADE_ERROR, .what = "some wait"};
        waits.access = (haul_finding_access){HAUL_ACTION_SYNC, group / 2, {0, 0, 0}, {0, 0, 0}, 0};
        if (group == 1) waits.other = (haul_finding_access){HAUL_ACTION_SYNC, 3, {0, 0, 0}, {32, 0, 0}, 0};
        add(f, waits);
    }
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 2);
    assert_int_equal(v.counting, 2);
    text out = {0};
    report_put_also(&out, &v.findings[0]);
    assert_string_equal(text_string(&out), "1 more group of threads at the same barrier");
    text_free(&out);
    report_verdict_free(&v);
}

static void all_waits_of_a_deadlock_are_one_finding(void **state) {
    fixture *f = *state;
    for (size_t wait = 1; wait < 4; wait++) {
        haul_finding stuck = {.kind = HAUL_FINDING_DEADLOCK, .grade = HAUL_GRADE_ERROR, .what = "nobody is left"};
        stuck.access = (haul_finding_access){HAUL_ACTION_SYNC, wait, {0, 0, 0}, {0, 0, 0}, 0};
        add(f, stuck);
    }
    report_verdict v = judge(f);
    assert_int_equal(v.finding_count, 1);
    assert_int_equal(v.counting, 1);
    text out = {0};
    report_put_also(&out, &v.findings[0]);
    assert_string_equal(text_string(&out), "2 more places wait in vain: line 6");
    text_free(&out);
    report_verdict_free(&v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(pairs_of_one_cause_are_one_finding),
        TEST(a_barrier_orders_lanes_and_warps),
        TEST(a_lost_update_is_a_cause_of_its_own),
        TEST(a_race_explains_a_read_of_unwritten_bytes),
        TEST(each_pair_explains_reads_of_its_own_variable),
        TEST(a_race_covers_equal_values_at_its_lines),
        TEST(a_rule_ignores_one_pair_of_a_cause),
        TEST(the_way_back_is_another_cause),
        TEST(a_pair_of_two_blocks_is_one_in_either_order),
        TEST(a_source_is_overwritten_in_either_order),
        TEST(an_early_use_explains_the_race_with_the_store),
        TEST(one_wait_covers_all_later_uses_of_tensor_memory),
        TEST(an_unordered_initialisation_explains_an_early_use),
        TEST(all_waits_at_a_skipped_barrier_are_one_finding),
        TEST(all_waits_of_a_deadlock_are_one_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
