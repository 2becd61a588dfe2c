/* 16-byte asynchronous copies around L1: what skew between source and destination costs. Per warp, as an H100 counted
 * for the kernels async16* of tests/data/truth. */
#include "access.h"

#include "sim/bypass.h"

static sim_bypass copied(uint64_t source, uint32_t destination, uint32_t stride, uint32_t filled) {
    sim_bypass b;
    sim_bypass_groups(strided(source, 16), strided_shared(destination, stride), SIM_ALL_LANES, filled, &b);
    return b;
}

static void aligned_copies_move_a_line_at_a_time(void **state) {
    (void)state;
    sim_bypass b = copied(0x10000, 1024, 16, 0);
    assert_int_equal(b.wavefronts, 4);
    assert_int_equal(b.sectors, 16);
    assert_int_equal(b.requests.count, 4);
    assert_int_equal(b.tag_sectors, 16);
    assert_int_equal(b.tag_wavefronts, 1);
}

static void half_a_sector_of_skew_fetches_sectors_twice(void **state) {
    (void)state;
    sim_bypass source = copied(0x10010, 1024, 16, 0), destination = copied(0x10000, 1040, 16, 0);
    assert_int_equal(source.sectors, 32);
    assert_int_equal(source.wavefronts, 12);
    assert_int_equal(source.tag_sectors, 20);
    assert_int_equal(source.tag_wavefronts, 3);
    assert_int_equal(destination.sectors, 32);
    assert_int_equal(destination.wavefronts, 12);
    assert_int_equal(destination.tag_sectors, 20);
    assert_int_equal(destination.tag_wavefronts, 2);
}

static void whole_sectors_of_skew_split_lines_only(void **state) {
    (void)state;
    sim_bypass source = copied(0x10020, 1024, 16, 0), destination = copied(0x10000, 1056, 16, 0);
    assert_int_equal(source.sectors, 16);
    assert_int_equal(source.wavefronts, 8);
    assert_int_equal(source.tag_wavefronts, 3);
    assert_int_equal(destination.sectors, 16);
    assert_int_equal(destination.wavefronts, 8);
    assert_int_equal(destination.tag_wavefronts, 2);
}

static void scattered_destinations_move_lane_by_lane(void **state) {
    (void)state;
    static const unsigned stride[] = {2, 4, 5}, tags[] = {2, 4, 5};
    for (unsigned i = 0; i < 3; i++) {
        sim_bypass b = copied(0x10000, 1024, 16 * stride[i], 0);
        assert_int_equal(b.wavefronts, 32);
        assert_int_equal(b.sectors, 32);
        assert_int_equal(b.tag_wavefronts, tags[i]);
    }
}

static void zero_filled_lanes_write_but_read_nothing(void **state) {
    (void)state;
    sim_bypass b = copied(0x10000, 1024, 16, 0xffff0000);
    assert_int_equal(b.wavefronts, 4);
    assert_int_equal(b.requests.count, 2);
    assert_int_equal(b.requests.sectors, 8);
    b = copied(0x10000, 1024, 16, SIM_ALL_LANES);
    assert_int_equal(b.requests.count, 0);
    assert_int_equal(b.tag_sectors, 0);
    assert_int_equal(b.tag_wavefronts, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_copies_move_a_line_at_a_time),
        cmocka_unit_test(half_a_sector_of_skew_fetches_sectors_twice),
        cmocka_unit_test(whole_sectors_of_skew_split_lines_only),
        cmocka_unit_test(scattered_destinations_move_lane_by_lane),
        cmocka_unit_test(zero_filled_lanes_write_but_read_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
