/* L2 and its requests to device memory, replayed from SMs' logs. */
#include "access.h"

#include "base/memory.h"
#include "count/l2.h"
#include "count/peer_lines.h"

typedef struct fixture {
    sim_l2 *l2;
    sim_log logs[132];
} fixture;

static int set_up(void **state) {
    static fixture f;
    f = (fixture){0};
    *state = &f;
    return sim_l2_create(sim_machine_find("h100"), 1, &f.l2) != HAUL_OK;
}

static int tear_down(void **state) {
    fixture *f = *state;
    for (unsigned sm = 0; sm < 132; sm++) sim_log_free(&f->logs[sm]);
    sim_l2_free(f->l2);
    return 0;
}

static void play(fixture *f) {
    sim_log *logs[132];
    for (unsigned sm = 0; sm < 132; sm++) logs[sm] = &f->logs[sm];
    for (unsigned s = 0; s < SIM_SLICES; s++) sim_l2_play(f->l2, s, logs, 132);
    for (unsigned sm = 0; sm < 132; sm++) sim_log_clear(&f->logs[sm]);
}

static void read_now(fixture *f, unsigned sm, uint64_t line, unsigned mask) {
    sim_log_add(&f->logs[sm], line, mask, SIM_LOG_READ, 0, SIM_PRIORITY_NORMAL);
    play(f);
}

static void read_with(fixture *f, unsigned sm, uint64_t line, sim_priority priority) {
    sim_log_add(&f->logs[sm], line, 15, SIM_LOG_READ, 0, priority);
    play(f);
}

static sim_l2_counts counts_of(const fixture *f) {
    sim_l2_counts counts;
    sim_l2_touched touched;
    sim_l2_sum(f->l2, &counts, &touched);
    assert_true(touched.read_known && touched.written_known);
    return counts;
}

/* On an H100, a stride of 64 bytes reads 64 sectors for 32 requested. */
static void a_miss_brings_sixty_four_bytes(void **state) {
    fixture *f = *state;
    read_now(f, 0, 100, 1);
    sim_l2_counts c = counts_of(f);
    assert_int_equal(c.read_requests, 1);
    assert_int_equal(c.read_sectors, 1);
    assert_int_equal(c.read_misses, 2);
    assert_int_equal(c.dram_read_sectors, 2);
    read_now(f, 0, 100, 3);
    assert_int_equal(counts_of(f).read_hits, 2);
    assert_int_equal(counts_of(f).dram_read_sectors, 2);
}

/* On an RTX 6000 Ada, the same stride reads 32 sectors. */
static void a_miss_of_ada_brings_one_sector(void **state) {
    (void)state;
    fixture f = {0};
    assert_int_equal(sim_l2_create(sim_machine_find("rtx4090"), 1, &f.l2), HAUL_OK);
    read_now(&f, 0, 100, 1);
    assert_int_equal(counts_of(&f).read_misses, 1);
    assert_int_equal(counts_of(&f).dram_read_sectors, 1);
    sim_log_free(&f.logs[0]);
    sim_l2_free(f.l2);
}

/* An SM on the other side misses once more, but device memory is not read again. */
static void each_side_of_l2_misses_for_itself(void **state) {
    fixture *f = *state;
    read_now(f, 0, 100, 15);
    read_now(f, 40, 100, 15);
    sim_l2_counts c = counts_of(f);
    assert_int_equal(c.read_misses, 8);
    assert_int_equal(c.dram_read_sectors, 4);
}

/* A V100's L2 has no partitions: where an SM lies does not matter. */
static void an_l2_without_partitions_misses_once(void **state) {
    (void)state;
    fixture f = {0};
    assert_int_equal(sim_l2_create(sim_machine_find("v100"), 1, &f.l2), HAUL_OK);
    for (uint64_t line = 100; line < 200; line++) {
        read_now(&f, 0, line, 15);
        read_now(&f, 60, line, 15);
    }
    assert_int_equal(counts_of(&f).read_misses, 400);
    assert_int_equal(counts_of(&f).read_hits, 400);
    for (unsigned sm = 0; sm < 132; sm++) sim_log_free(&f.logs[sm]);
    sim_l2_free(f.l2);
}

static void equal_reads_of_neighbouring_sms_become_one(void **state) {
    fixture *f = *state;
    for (unsigned sm = 0; sm < 6; sm++) sim_log_add(&f->logs[sm], 100, 15, SIM_LOG_READ, 0, SIM_PRIORITY_NORMAL);
    sim_log_add(&f->logs[60], 100, 15, SIM_LOG_READ, 0, SIM_PRIORITY_NORMAL);
    play(f);
    sim_l2_counts c = counts_of(f);
    assert_int_equal(c.read_requests, 2);
    assert_int_equal(c.read_sectors, 8);
    assert_int_equal(c.issued_sectors, 28);
}

static void stores_go_to_memory_when_their_line_is_given_up(void **state) {
    fixture *f = *state;
    const uint64_t lines = 2 * 50 * 1024 * 1024 / 128;
    for (uint64_t line = 0; line < lines; line++) {
        sim_log_add(&f->logs[0], line, 15, SIM_LOG_WRITE, 32, SIM_PRIORITY_NORMAL);
        if (line % 16384 == 0) play(f);
    }
    play(f);
    sim_l2_counts c = counts_of(f);
    assert_int_equal(c.write_requests, lines);
    assert_int_equal(c.write_sectors, 4 * lines);
    assert_true(c.dram_write_sectors >= 2 * lines && c.dram_write_sectors < 4 * lines);
    assert_int_equal(c.dram_read_sectors, 0);
}

/* Only every second word of a sector was written: the rest must be read before the sector is written back. */
static void partly_written_sectors_are_filled_from_memory(void **state) {
    fixture *f = *state;
    const uint64_t lines = 2 * 50 * 1024 * 1024 / 128;
    for (uint64_t line = 0; line < lines; line++) {
        sim_log_add(&f->logs[0], line, 15, SIM_LOG_WRITE, 16, SIM_PRIORITY_NORMAL);
        if (line % 16384 == 0) play(f);
    }
    play(f);
    sim_l2_counts c = counts_of(f);
    assert_int_equal(c.dram_read_sectors, c.dram_write_sectors);
}

static void atomics_read_the_old_value_once(void **state) {
    fixture *f = *state;
    for (unsigned i = 0; i < 3; i++)
        sim_log_add(&f->logs[i], 5, 1, i ? SIM_LOG_REDUCTION : SIM_LOG_ATOMIC, 0, SIM_PRIORITY_NORMAL);
    play(f);
    sim_l2_counts c = counts_of(f);
    assert_int_equal(c.atomic_requests, 1);
    assert_int_equal(c.reduction_requests, 2);
    assert_int_equal(c.reduction_sectors, 2);
    assert_int_equal(c.dram_read_sectors, 2);
}

static void bounds_come_from_what_was_read_at_all(void **state) {
    fixture *f = *state;
    for (unsigned sm = 0; sm < 132; sm++)
        for (uint64_t line = 0; line < 10; line++)
            sim_log_add(&f->logs[sm], line, line % 2 ? 1 : 15, SIM_LOG_READ, 0, SIM_PRIORITY_NORMAL);
    play(f);
    sim_l2_counts counts;
    sim_l2_touched touched;
    sim_l2_sum(f->l2, &counts, &touched);
    assert_int_equal(touched.read.lines, 10);
    assert_int_equal(touched.read.sectors, 25);
    assert_int_equal(touched.read.pairs, 15);
    assert_int_equal(counts.issued_sectors, 132 * 25);
}

static void what_two_sms_write_counts_twice(void **state) {
    fixture *f = *state;
    for (unsigned sm = 0; sm < 2; sm++)
        for (unsigned k = 0; k < 2; k++) sim_log_add(&f->logs[sm], 100, 3, SIM_LOG_WRITE, 32, SIM_PRIORITY_NORMAL);
    play(f);
    sim_l2_counts counts;
    sim_l2_touched touched;
    sim_l2_sum(f->l2, &counts, &touched);
    assert_int_equal(counts.write_sectors, 8);
    assert_int_equal(touched.written.lines, 2);
    assert_int_equal(touched.written.sectors, 4);
}

static void lines_of_a_slice_keep_apart(void **state) {
    (void)state;
    for (uint64_t line = 0; line < 4096; line++)
        for (uint64_t other = line + 1; other < line + 300; other++)
            if (sim_log_slice_of(line) == sim_log_slice_of(other))
                assert_int_not_equal(sim_log_local(line), sim_log_local(other));
}

/* ---- persisting lines ---- */

enum { MIB = 1 << 20, LINES_OF_MIB = MIB / 128 };

/* Reads `lines` lines from `first` on, all by the same SM with one priority. */
static void sweep(fixture *f, uint64_t first, uint64_t lines, sim_priority priority) {
    for (uint64_t line = first; line < first + lines; line++)
        sim_log_add(&f->logs[line % 132], line, 15, SIM_LOG_READ, 0, priority);
    play(f);
}

/* Reads 8 MiB between 60 MiB that nobody reads again. Returns the sectors that a second pass over the 8 MiB reads from
 * memory. */
static uint64_t sectors_read_again(fixture *f, uint64_t set_aside, sim_priority hot, sim_priority stream) {
    const uint64_t hot_lines = 8 * LINES_OF_MIB, stream_lines = 60 * LINES_OF_MIB;
    sim_l2_set_aside(f->l2, set_aside);
    sweep(f, 0, hot_lines, hot);
    sweep(f, 1 << 24, stream_lines, stream);
    const uint64_t before = counts_of(f).dram_read_sectors;
    sweep(f, 0, hot_lines, hot);
    return counts_of(f).dram_read_sectors - before;
}

static void a_stream_evicts_what_is_read_between(void **state) {
    assert_int_equal(sectors_read_again(*state, 0, SIM_PRIORITY_NORMAL, SIM_PRIORITY_NORMAL), 8 * LINES_OF_MIB * 4);
}

static void what_persists_outlives_a_stream(void **state) {
    assert_int_equal(sectors_read_again(*state, 16 * MIB, SIM_PRIORITY_LAST, SIM_PRIORITY_NORMAL), 0);
}

static void nothing_persists_without_a_set_aside(void **state) {
    assert_int_equal(sectors_read_again(*state, 0, SIM_PRIORITY_LAST, SIM_PRIORITY_NORMAL), 8 * LINES_OF_MIB * 4);
}

static void more_than_is_set_aside_does_not_all_persist(void **state) {
    assert_true(sectors_read_again(*state, 2 * MIB, SIM_PRIORITY_LAST, SIM_PRIORITY_NORMAL) > 6 * LINES_OF_MIB * 4);
}

static void a_stream_that_goes_first_evicts_only_itself(void **state) {
    assert_int_equal(sectors_read_again(*state, 0, SIM_PRIORITY_NORMAL, SIM_PRIORITY_FIRST), 0);
}

static void a_normal_access_makes_what_persisted_ordinary(void **state) {
    fixture *f = *state;
    sim_l2_set_aside(f->l2, 16 * MIB);
    sweep(f, 0, 100, SIM_PRIORITY_LAST);
    for (uint64_t line = 0; line < 50; line++) {
        read_with(f, 0, line, SIM_PRIORITY_DEMOTE);
        read_with(f, 40, line, SIM_PRIORITY_DEMOTE); /* on the other side */
    }
    sweep(f, 1 << 24, 60 * LINES_OF_MIB, SIM_PRIORITY_NORMAL);
    const uint64_t before = counts_of(f).dram_read_sectors;
    sweep(f, 0, 100, SIM_PRIORITY_NORMAL);
    assert_int_equal(counts_of(f).dram_read_sectors - before, 50 * 4);
}

/* Runs a launch, a streaming launch and the first one again. Returns the sectors that the last one reads from
 * memory. */
static uint64_t sectors_of_a_later_launch(fixture *f, sim_priority hot, bool reset) {
    sim_l2_set_aside(f->l2, 16 * MIB);
    sweep(f, 0, 8 * LINES_OF_MIB, hot);
    sim_l2_begin_launch(f->l2);
    assert_int_equal(counts_of(f).read_requests, 0); /* counts are per launch */
    if (reset) sim_l2_reset_persisting(f->l2);
    sweep(f, 1 << 24, 60 * LINES_OF_MIB, SIM_PRIORITY_NORMAL);
    sim_l2_begin_launch(f->l2);
    sweep(f, 0, 8 * LINES_OF_MIB, hot);
    return counts_of(f).dram_read_sectors;
}

static void lines_stay_from_launch_to_launch(void **state) {
    fixture *f = *state;
    sweep(f, 0, 100, SIM_PRIORITY_NORMAL);
    sim_l2_begin_launch(f->l2);
    sweep(f, 0, 100, SIM_PRIORITY_NORMAL);
    assert_int_equal(counts_of(f).dram_read_sectors, 0);
    assert_int_equal(counts_of(f).read_hits, 400);
}

static void what_persists_outlives_launches(void **state) {
    assert_int_equal(sectors_of_a_later_launch(*state, SIM_PRIORITY_LAST, false), 0);
}

static void what_does_not_persist_is_evicted_between_launches(void **state) {
    assert_int_equal(sectors_of_a_later_launch(*state, SIM_PRIORITY_NORMAL, false), 8 * LINES_OF_MIB * 4);
}

static void a_reset_makes_what_persisted_ordinary(void **state) {
    assert_int_equal(sectors_of_a_later_launch(*state, SIM_PRIORITY_LAST, true), 8 * LINES_OF_MIB * 4);
}

/* An SM on the other side reads a copy, which does not persist, but device memory is not read again. */
static void copies_on_the_other_side_do_not_persist(void **state) {
    fixture *f = *state;
    sim_l2_set_aside(f->l2, 16 * MIB);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint64_t line = 0; line < 512; line++) read_with(f, 0, line, SIM_PRIORITY_LAST);
        if (pass == 0) sweep(f, 1 << 24, 60 * LINES_OF_MIB, SIM_PRIORITY_NORMAL);
    }
    const sim_l2_counts c = counts_of(f);
    assert_int_equal(c.dram_read_sectors, (512 + 60 * LINES_OF_MIB) * 4);
    assert_int_equal(c.read_hits, 256 * 4);
}

static void no_memory_is_an_error(void **state) {
    (void)state;
    sim_l2 *l2;
    for (size_t n = 1; n <= 1 + SIM_SLICES; n++) {
        memory_fail_after(n);
        assert_int_equal(sim_l2_create(sim_machine_find("h100"), 1, &l2), HAUL_ERROR_OUT_OF_MEMORY);
        assert_null(l2);
    }
    memory_fail_after(0);
}

static void a_log_without_memory_says_so(void **state) {
    (void)state;
    sim_log log = {0};
    memory_fail_after(1);
    assert_null(sim_log_add(&log, 1, 15, SIM_LOG_READ, 0, SIM_PRIORITY_NORMAL));
    assert_true(log.failed);
    sim_log_free(&log);
}

static void a_set_without_memory_is_incomplete(void **state) {
    (void)state;
    sim_sector_set seen = {0};
    memory_fail_after(1);
    sim_sector_set_add(&seen, 1, 15);
    assert_true(seen.overflowed);
    sim_sector_set_free(&seen);
}

#define WITH_L2(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static void requests_to_a_peer_are_taken_out(void **state) {
    (void)state;
    sim_log log = {0};
    haul_launch_record r = {0};
    sim_peer_lines peers = {0};
    sim_peer_lines_add(&peers, 1 << 20, 2 << 20);
    const uint64_t theirs = (1 << 20) / 128, ours = theirs - 1, behind = (2 << 20) / 128;
    sim_log_add(&log, ours, 15, SIM_LOG_READ, 0, SIM_PRIORITY_NORMAL);
    sim_log_add(&log, theirs, 7, SIM_LOG_READ, 0, SIM_PRIORITY_NORMAL);
    sim_log_add(&log, behind - 1, 15, SIM_LOG_WRITE, 32, SIM_PRIORITY_NORMAL);
    sim_log_add(&log, theirs + 5, 1, SIM_LOG_ATOMIC, 4, SIM_PRIORITY_NORMAL);
    sim_log_add(&log, behind, 15, SIM_LOG_READ, 0, SIM_PRIORITY_NORMAL);
    sim_peer_lines_take(&peers, &log);
    sim_peer_lines_record(&peers, &r);
    size_t left = 0;
    for (unsigned s = 0; s < SIM_SLICES; s++) left += log.slices[s].count;
    assert_int_equal(left, 2);
    assert_true(r.counters[HAUL_COUNTER_NVLINK_READ_BYTES] == 32 * 4);
    assert_true(r.counters[HAUL_COUNTER_NVLINK_WRITE_BYTES] == 32 * 5);
    assert_true(r.counters[HAUL_COUNTER_L2_READ_SECTORS] == 3);
    sim_log_free(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_L2(a_miss_brings_sixty_four_bytes),
        WITH_L2(each_side_of_l2_misses_for_itself),
        cmocka_unit_test(an_l2_without_partitions_misses_once),
        WITH_L2(equal_reads_of_neighbouring_sms_become_one),
        WITH_L2(stores_go_to_memory_when_their_line_is_given_up),
        WITH_L2(partly_written_sectors_are_filled_from_memory),
        WITH_L2(atomics_read_the_old_value_once),
        WITH_L2(bounds_come_from_what_was_read_at_all),
        WITH_L2(what_two_sms_write_counts_twice),
        WITH_L2(a_stream_evicts_what_is_read_between),
        WITH_L2(what_persists_outlives_a_stream),
        WITH_L2(nothing_persists_without_a_set_aside),
        WITH_L2(more_than_is_set_aside_does_not_all_persist),
        WITH_L2(a_stream_that_goes_first_evicts_only_itself),
        WITH_L2(a_normal_access_makes_what_persisted_ordinary),
        WITH_L2(copies_on_the_other_side_do_not_persist),
        WITH_L2(lines_stay_from_launch_to_launch),
        WITH_L2(what_persists_outlives_launches),
        WITH_L2(what_does_not_persist_is_evicted_between_launches),
        WITH_L2(a_reset_makes_what_persisted_ordinary),
        cmocka_unit_test(requests_to_a_peer_are_taken_out),
        cmocka_unit_test(lines_of_a_slice_keep_apart),
        cmocka_unit_test(a_miss_of_ada_brings_one_sector),
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(a_log_without_memory_says_so),
        cmocka_unit_test(a_set_without_memory_is_incomplete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
