/* haul_diagnose() on transfers that every textbook has: engines, Little's law, what is refused, and the
 * advice that an expert would give. */
#include <haul/diagnose.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static haul_diagnosis diagnose(haul_transfer t, haul_circumstances c) {
    haul_diagnosis d;
    if (haul_diagnose(&t, &c, &d) != HAUL_OK) fail_msg("%s", haul_message());
    return d;
}

static void assert_refused(haul_transfer t, haul_circumstances c, haul_status status, const char *message) {
    haul_diagnosis d;
    assert_int_equal(haul_diagnose(&t, &c, &d), status);
    if (!strstr(haul_message(), message)) fail_msg("`%s` does not say `%s`", haul_message(), message);
}

static const haul_advice *advice_of(const haul_diagnosis *d, haul_advice_kind kind) {
    for (size_t i = 0; i < d->advice_count; i++)
        if (d->advice[i].kind == kind) return &d->advice[i];
    return NULL;
}

/* Its words; empty when it is not given. */
static const char *words_of(const haul_diagnosis *d, haul_advice_kind kind) {
    const haul_advice *a = advice_of(d, kind);
    return a ? a->text : "";
}

static double gain_of(const haul_diagnosis *d, haul_advice_kind kind) {
    const haul_advice *a = advice_of(d, kind);
    return a ? a->gain : 0;
}

static double relief_of(const haul_diagnosis *d, haul_advice_kind kind) {
    const haul_advice *a = advice_of(d, kind);
    return a ? a->relief : 0;
}

/* Block teams of 256 threads; all else as it comes. */
static const haul_circumstances plain = {.team = HAUL_TEAM_BLOCK, .block_threads = 256};

static haul_circumstances on(const char *machine) {
    haul_circumstances c = plain;
    c.machine = machine;
    return c;
}

/* ---- how it is carried ---- */

static void the_best_engine_that_a_machine_has_is_chosen(void **state) {
    (void)state;
    const haul_transfer run = haul_sequential(4096, 16, 0, HAUL_AUTO);
    assert_string_equal(diagnose(run, on("h100")).engine, "bulk copy");
    assert_string_equal(diagnose(run, on("a100")).engine, "LDGSTS");
    assert_string_equal(diagnose(haul_sequential(4096, 2, 0, HAUL_AUTO), plain).engine, "LDG");
    const haul_transfer tile = haul_tile(4, 2, 64, 32, 1, 1, 1, 256, 16, 0, HAUL_AUTO);
    assert_string_equal(diagnose(tile, on("h100")).engine, "tensor copy");
    assert_string_equal(diagnose(tile, on("a100")).engine, "LDGSTS");
}

static void steps_pieces_and_crumbs_are_those_of_the_team(void **state) {
    (void)state;
    const haul_diagnosis d = diagnose(haul_sequential(5003, 16, 0, HAUL_BY_LDG), plain);
    assert_int_equal(d.width, 16);
    assert_int_equal(d.pieces, 312); /* 4992 bytes; 8, 2 and 1 are left */
    assert_int_equal(d.crumbs, 3);
    assert_int_equal(d.steps, 2);
    assert_int_equal(d.bytes, 5003);
    /* two loads and two stores; thread 4 has the crumb of 8 bytes besides */
    assert_int_equal(d.instructions_per_thread, 6);
}

/* The same accesses, with more instructions around them: what CudaDMA's fully_templated told. */
static void a_descriptor_of_run_time_costs_instructions_and_registers(void **state) {
    (void)state;
    const haul_transfer run = haul_sequential(16384, 4, 0, HAUL_BY_LDG),
                        halo = haul_halo(4, 64, 64, 4, 288, 4, 0, HAUL_BY_LDG);
    haul_circumstances at_run_time = on("a100");
    at_run_time.run_time = true;
    const haul_diagnosis constant = diagnose(run, on("a100")), known_late = diagnose(run, at_run_time);
    assert_memory_equal(constant.classes, known_late.classes, sizeof constant.classes);
    assert_true(known_late.instructions_around > 2 * constant.instructions_around);
    assert_true(known_late.registers > constant.registers);
    assert_null(advice_of(&constant, HAUL_ADVICE_CONSTANT));
    assert_true(relief_of(&known_late, HAUL_ADVICE_CONSTANT) > 2);
    assert_non_null(strstr(words_of(&known_late, HAUL_ADVICE_CONSTANT), "HAUL_SEQUENTIAL"));
    /* a halo's pieces are found by two divisions */
    const haul_diagnosis sides = diagnose(halo, at_run_time);
    assert_true(sides.instructions_around > known_late.instructions_around);
    assert_true(gain_of(&sides, HAUL_ADVICE_CONSTANT) > 1.02);
}

/* One thread asks for a copy of all bytes. */
static void copies_of_the_engine_cost_no_more_at_run_time(void **state) {
    (void)state;
    haul_circumstances at_run_time = on("h100");
    at_run_time.run_time = true;
    const haul_diagnosis d = diagnose(haul_sequential(16384, 16, 0, HAUL_AUTO), at_run_time);
    assert_string_equal(d.engine, "bulk copy");
    assert_null(advice_of(&d, HAUL_ADVICE_CONSTANT));
}

static void sectors_of_aligned_rows_are_ideal(void **state) {
    (void)state;
    const haul_diagnosis d = diagnose(haul_strided(32, 128, 128, 4096, 16, 0, HAUL_BY_LDGSTS), plain);
    assert_int_equal(d.requests, 8);
    assert_int_equal(d.sectors, 128);
    assert_int_equal(d.ideal_sectors, 128);
    assert_int_equal(d.distinct_sectors, 128);
    assert_int_equal(d.bank_conflicts, 0);
}

/* Half a sector off on one side only, as in the recorded launch async16. */
static void a_skew_makes_ldgsts_fetch_sectors_twice(void **state) {
    (void)state;
    haul_circumstances c = plain;
    c.global = 16;
    const haul_transfer t = haul_sequential(2048, 16, 0, HAUL_BY_LDGSTS);
    const haul_diagnosis around = diagnose(t, c);
    assert_int_equal(around.fetched_sectors, 128);
    assert_int_equal(around.distinct_sectors, 65);
    assert_non_null(advice_of(&around, HAUL_ADVICE_THROUGH_L1));
    assert_non_null(advice_of(&around, HAUL_ADVICE_SAME_SKEW));
    c.shared = 16; /* what is left are the sectors that two warps share */
    assert_int_equal(diagnose(t, c).fetched_sectors, 68);
}

static void what_lies_outside_the_array_is_filled(void **state) {
    (void)state;
    haul_circumstances c = plain;
    c.place = (haul_place){.at = {0, 0}, .extent = {64, 64}, .pitch = {256}};
    const haul_diagnosis d = diagnose(haul_halo(4, 32, 16, 1, 144, 4, 0, HAUL_BY_LDG), c);
    assert_int_equal(d.pieces, 34 * 18);
    assert_int_equal(d.filled, 34 + 17); /* the row above, the column to the left */
    assert_int_equal(d.bytes, 4 * (34 * 18 - 34 - 17));
}

/* ---- enough in flight? ---- */

static void needed_bytes_are_latency_times_bandwidth(void **state) {
    (void)state;
    const haul_diagnosis d = diagnose(haul_sequential(4096, 16, 0, HAUL_AUTO), on("h100"));
    assert_true(d.needed_bytes > 31e3 && d.needed_bytes < 34e3);
    assert_true(d.in_flight_bytes == 4096.0 * d.resident_blocks);
    assert_true(d.limit == HAUL_LIMIT_MEMORY || d.limit == HAUL_LIMIT_LATENCY);
}

static void one_small_block_on_an_sm_lacks_bytes_in_flight(void **state) {
    (void)state;
    haul_circumstances c = plain;
    c.blocks = 132;
    const haul_diagnosis d = diagnose(haul_sequential(4096, 16, 0, HAUL_AUTO), c);
    assert_int_equal(d.resident_blocks, 1);
    assert_string_equal(d.occupied_by, "grid");
    assert_int_equal(d.limit, HAUL_LIMIT_LATENCY);
    assert_false(d.optimal);
    assert_non_null(advice_of(&d, HAUL_ADVICE_GRID));
    assert_non_null(strstr(words_of(&d, HAUL_ADVICE_STAGES), "Keep 8 stages in flight instead of 1"));
    assert_true(gain_of(&d, HAUL_ADVICE_STAGES) > 2);
}

/* bulk_copy and pipelined_scale of timing_h100.jsonl: a quarter of the rate with 4 KiB, two thirds with 16. */
static void the_rate_rises_with_the_bytes_in_flight_as_recorded(void **state) {
    (void)state;
    haul_circumstances c = plain;
    c.blocks = 132;
    const haul_diagnosis few = diagnose(haul_sequential(4096, 16, 0, HAUL_AUTO), c);
    assert_true(few.bytes_per_second > 0.7e12 && few.bytes_per_second < 0.9e12);
    c.stages = 4;
    const haul_diagnosis more = diagnose(haul_sequential(4096, 16, 0, HAUL_AUTO), c);
    assert_true(more.bytes_per_second > 2.0e12 && more.bytes_per_second < 2.6e12);
}

static void stages_take_shared_memory_and_that_takes_blocks(void **state) {
    (void)state;
    haul_circumstances c = plain;
    c.stages = 4;
    const haul_diagnosis d = diagnose(haul_sequential(16384, 16, 0, HAUL_AUTO), c);
    assert_int_equal(d.shared_bytes, 4 * 16384 + 4 * 16);
    assert_int_equal(d.resident_blocks, 3);
    assert_string_equal(d.occupied_by, "shared memory");
}

/* ---- advice ---- */

static void a_good_transfer_is_called_optimal(void **state) {
    (void)state;
    haul_circumstances c = plain;
    c.stages = 4;
    const haul_diagnosis d = diagnose(haul_sequential(4096, 16, 0, HAUL_AUTO), c);
    assert_true(d.optimal);
    assert_true(d.share > 0.99);
}

/* 20 MiB of a table between 60 MiB of other data: what fits persists, and the rest stays where it is. */
static void what_is_read_again_between_streams_should_persist(void **state) {
    (void)state;
    const haul_transfer run = haul_sequential(4096, 16, 0, HAUL_AUTO);
    haul_circumstances c = plain;
    c.block_threads = 128;
    c.stages = 4;
    c.hot_bytes = 20 << 20;
    c.between_bytes = 60 << 20;
    const haul_diagnosis all = diagnose(run, c);
    assert_non_null(
        strstr(words_of(&all, HAUL_ADVICE_WINDOW), "21.88 MiB of L2 aside, with a window of hit ratio 1.00"));
    assert_true(gain_of(&all, HAUL_ADVICE_WINDOW) > 1.2);
    c.hot_bytes = 60 << 20;
    const haul_diagnosis half = diagnose(run, c);
    assert_non_null(
        strstr(words_of(&half, HAUL_ADVICE_WINDOW), "31.25 MiB of L2 aside, with a window of hit ratio 0.47"));
    c.between_bytes = 0, c.hot_bytes = 8 << 20;
    const haul_diagnosis fits = diagnose(run, c);
    assert_null(advice_of(&fits, HAUL_ADVICE_WINDOW));
    c.hot_bytes = 0;
    const haul_diagnosis once = diagnose(run, c);
    assert_null(advice_of(&once, HAUL_ADVICE_WINDOW));
    c.set_aside = 40 << 20;
    assert_refused(run, c, HAUL_ERROR_ARGUMENT, "no more than 32768000 bytes of L2 can be set aside, not 41943040");
}

static void an_alignment_that_is_there_should_be_declared(void **state) {
    (void)state;
    const haul_diagnosis d = diagnose(haul_sequential(4096, 4, 0, HAUL_AUTO), plain);
    assert_non_null(strstr(words_of(&d, HAUL_ADVICE_DECLARE_ALIGNMENT), "16 bytes instead of 4"));
    assert_true(relief_of(&d, HAUL_ADVICE_DECLARE_ALIGNMENT) > 4);
    assert_null(advice_of(&d, HAUL_ADVICE_ALIGN));
}

static void pointers_that_are_off_alike_should_be_peeled(void **state) {
    (void)state;
    haul_circumstances c = plain;
    c.global = c.shared = 4;
    const haul_diagnosis d = diagnose(haul_sequential(8192, 1, 0, HAUL_AUTO), c);
    assert_non_null(advice_of(&d, HAUL_ADVICE_CONGRUENT));
    assert_non_null(advice_of(&d, HAUL_ADVICE_ALIGN));
    assert_non_null(advice_of(&d, HAUL_ADVICE_DECLARE_ALIGNMENT));
}

static void rows_that_meet_in_one_bank_should_be_padded(void **state) {
    (void)state;
    const haul_diagnosis d = diagnose(haul_strided(64, 16, 128, 512, 16, 0, HAUL_BY_LDG), plain);
    assert_int_equal(d.bank_conflicts, 56);
    assert_non_null(strstr(words_of(&d, HAUL_ADVICE_SHARED_PITCH), "to 144 bytes instead of 128"));
}

static void a_thread_alone_should_get_help(void **state) {
    (void)state;
    haul_circumstances c = plain;
    c.team = HAUL_TEAM_THREAD;
    const haul_diagnosis d = diagnose(haul_indirect(64, 64, 64, 64, 16, 0, HAUL_AUTO), c);
    assert_int_equal(d.advice[0].kind, HAUL_ADVICE_TEAM);
}

static void advice_comes_with_the_greatest_gain_first(void **state) {
    (void)state;
    haul_circumstances c = plain;
    c.blocks = 64;
    const haul_diagnosis d = diagnose(haul_strided(64, 16, 128, 512, 4, 0, HAUL_BY_LDG), c);
    assert_true(d.advice_count >= 3);
    for (size_t i = 1; i < d.advice_count; i++) {
        assert_non_null(d.advice[i].title);
        if (d.advice[i].gain >= 1.02) assert_true(d.advice[i - 1].gain >= d.advice[i].gain);
    }
}

/* ---- what is refused ---- */

static void descriptors_are_refused_as_the_compiler_would(void **state) {
    (void)state;
    const haul_status wrong = HAUL_ERROR_ARGUMENT;
    assert_refused(haul_sequential(64, 12, 0, HAUL_AUTO), plain, wrong,
                   "an alignment is 1, 2, 4, 8 or 16 bytes; this transfer asks for 12");
    assert_refused(haul_sequential(64, 2, 0, HAUL_BY_LDGSTS), plain, wrong,
                   "LDGSTS moves 4, 8 or 16 bytes; this transfer asks for 2");
    assert_refused(haul_sequential(64, 16, 0, HAUL_BY_BULK), on("a100"), wrong, "need sm_90 or later");
    assert_refused(haul_sequential(64, 8, 0, HAUL_BY_BULK), plain, wrong,
                   "multiples of 16 bytes; this transfer asks for 8");
    assert_refused(haul_sequential(0, 16, 0, HAUL_AUTO), plain, wrong, "an element has at least one byte");
    assert_refused(haul_strided(4, 64, 32, 64, 16, 0, HAUL_AUTO), plain, wrong,
                   "elements of 64 bytes overlap at a shared pitch of 32");
    assert_refused(haul_strided(4, 64, 64, 72, 16, 0, HAUL_AUTO), plain, wrong,
                   "the global pitch is a multiple of the alignment 16; it is 72");
    assert_refused(haul_halo(4, 32, 32, 0, 128, 4, 0, HAUL_BY_BULK), plain, wrong, "not by bulk copies");
    assert_refused(haul_halo(2, 32, 32, 1, 80, 4, 0, HAUL_BY_LDGSTS), plain, wrong,
                   "LDGSTS moves 4, 8 or 16 bytes; rows of this transfer have 2 bytes");
    assert_refused(haul_tile(4, 6, 8, 8, 8, 8, 8, 32, 16, 0, HAUL_AUTO), plain, wrong, "a tile has 1 to 5 dimensions");
}

static void flags_are_refused_as_the_compiler_would(void **state) {
    (void)state;
    const haul_status wrong = HAUL_ERROR_ARGUMENT;
    assert_refused(haul_sequential(4096, 16, 0, HAUL_BY_LDG | HAUL_BY_LDGSTS), plain, wrong,
                   "HAUL_BY_LDG and HAUL_BY_LDGSTS: choose one engine");
    assert_refused(haul_sequential(4096, 16, 0, HAUL_BY_LDG | HAUL_LOAD_CG | HAUL_LOAD_CS), plain, wrong,
                   "HAUL_LOAD_CG and HAUL_LOAD_CS: choose one load operator");
    assert_refused(haul_sequential(4096, 16, 0, HAUL_BY_BULK | HAUL_IN_FLIGHT(64)), plain, wrong,
                   "HAUL_IN_FLIGHT belongs to LDG");
    assert_refused(haul_sequential(4096, 16, 0, HAUL_BY_LDG | HAUL_THROUGH_L1), plain, wrong,
                   "HAUL_THROUGH_L1 and HAUL_BYPASS_L1 belong to LDGSTS");
    assert_refused(haul_sequential(4096, 16, 0, HAUL_RING_ONLY), plain, wrong, "HAUL_RING_ONLY belongs to halos");
    assert_refused(haul_sequential(4096, 16, 0, HAUL_INDEX_64), plain, wrong, "HAUL_INDEX_64 belongs to indirect");
    assert_refused(haul_sequential(4096, 4, 0, HAUL_BY_LDG | HAUL_IN_FLIGHT(10)), plain, wrong,
                   "HAUL_IN_FLIGHT is a multiple of the access width: of the alignment 4");
    assert_refused(haul_tile(4, 2, 8, 8, 1, 1, 1, 48, 16, 0, HAUL_BY_LDG | HAUL_IN_FLIGHT(8)), plain, wrong,
                   "HAUL_IN_FLIGHT is a multiple of the access width");
}

/* The compiler accepts what is advised. */
static void advised_flags_are_whole(void **state) {
    (void)state;
    const haul_transfer t = haul_sequential(2048, 16, 0, HAUL_AUTO);
    haul_circumstances skewed = on("a100");
    skewed.global = 16;
    const haul_diagnosis d = diagnose(t, skewed);
    const haul_advice *through = advice_of(&d, HAUL_ADVICE_THROUGH_L1);
    assert_non_null(through);
    assert_non_null(strstr(through->text, "Add HAUL_BY_LDGSTS | HAUL_THROUGH_L1"));
    /* a wider alignment takes the bytes in flight along */
    const haul_diagnosis narrow = diagnose(haul_sequential(8192, 4, 0, HAUL_BY_LDG | HAUL_IN_FLIGHT(20)), plain);
    assert_non_null(advice_of(&narrow, HAUL_ADVICE_DECLARE_ALIGNMENT));
}

static void circumstances_that_cannot_be_are_refused(void **state) {
    (void)state;
    const haul_transfer t = haul_sequential(4096, 16, 0, HAUL_AUTO);
    haul_circumstances c = plain;
    c.global = 4;
    assert_refused(t, c, HAUL_ERROR_ARGUMENT, "the global address is a multiple of the alignment 16; it is off by 4");
    c = plain, c.stages = 17;
    assert_refused(t, c, HAUL_ERROR_ARGUMENT, "a pipeline has 1 to 16 stages, not 17");
    c = plain, c.block_threads = 2048;
    assert_refused(t, c, HAUL_ERROR_ARGUMENT, "a block has 1 to 1024 threads, not 2048");
    c = plain, c.direction = HAUL_DIRECTION_ADD;
    assert_refused(t, c, HAUL_ERROR_ARGUMENT, "an addition needs the type of its elements");
    assert_refused(t, on("h1000"), HAUL_ERROR_NO_DEVICE, "no description of a machine `h1000`");
    assert_refused(haul_sequential(1 << 20, 16, 0, HAUL_AUTO), plain, HAUL_ERROR_LIMIT, "shared memory");
    assert_refused(haul_strided(UINT32_MAX, UINT32_MAX, UINT32_MAX, 1, 1, 0, HAUL_AUTO), plain, HAUL_ERROR_LIMIT,
                   "shared memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_engine_that_a_machine_has_is_chosen),
        cmocka_unit_test(steps_pieces_and_crumbs_are_those_of_the_team),
        cmocka_unit_test(a_descriptor_of_run_time_costs_instructions_and_registers),
        cmocka_unit_test(copies_of_the_engine_cost_no_more_at_run_time),
        cmocka_unit_test(sectors_of_aligned_rows_are_ideal),
        cmocka_unit_test(a_skew_makes_ldgsts_fetch_sectors_twice),
        cmocka_unit_test(what_lies_outside_the_array_is_filled),
        cmocka_unit_test(needed_bytes_are_latency_times_bandwidth),
        cmocka_unit_test(one_small_block_on_an_sm_lacks_bytes_in_flight),
        cmocka_unit_test(the_rate_rises_with_the_bytes_in_flight_as_recorded),
        cmocka_unit_test(stages_take_shared_memory_and_that_takes_blocks),
        cmocka_unit_test(a_good_transfer_is_called_optimal),
        cmocka_unit_test(what_is_read_again_between_streams_should_persist),
        cmocka_unit_test(an_alignment_that_is_there_should_be_declared),
        cmocka_unit_test(pointers_that_are_off_alike_should_be_peeled),
        cmocka_unit_test(rows_that_meet_in_one_bank_should_be_padded),
        cmocka_unit_test(a_thread_alone_should_get_help),
        cmocka_unit_test(advice_comes_with_the_greatest_gain_first),
        cmocka_unit_test(descriptors_are_refused_as_the_compiler_would),
        cmocka_unit_test(flags_are_refused_as_the_compiler_would),
        cmocka_unit_test(advised_flags_are_whole),
        cmocka_unit_test(circumstances_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
