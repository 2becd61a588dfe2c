/* 16-byte asynchronous copies around L1: the cost of skew between source and destination. Figures are per warp, as an
 * H100 counted them for the kernels async16* of tests/data/truth. */
#include "access.h"

#include "count/bypass.h"

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

/* Rows of eight units; each unit's position is XORed with the row's number. */
static void swizzled_rows_move_a_line_at_a_time(void **state) {
    (void)state;
    uint64_t source[SIM_LANES];
    uint32_t destination[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) {
        source[l] = 0x10000 + l * 16;
        destination[l] = 1024 + l / 8 * 128 + ((l % 8) ^ (l / 8)) * 16;
    }
    sim_bypass b;
    sim_bypass_groups(source, destination, SIM_ALL_LANES, 0, &b);
    assert_int_equal(b.wavefronts, 4);
    assert_int_equal(b.sectors, 16);
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

/* Source and destination in units of 16 bytes, and an H100's tag wavefronts: 17 of 468 patterns, all of which agree. */
static void a_round_looks_up_one_line_a_bank_and_writes_one_line_of_four(void **state) {
    (void)state;
    static const struct {
        unsigned lanes, tags;
        uint16_t unit[SIM_LANES][2];
    } measured[] = {
        {2, 1, {{0, 0}, {0, 1}}},
        {2, 2, {{0, 0}, {0, 32}}},
        {3, 3, {{0, 0}, {40, 1}, {80, 2}}},
        {3, 1, {{0, 0}, {8, 8}, {16, 16}}},
        {3, 2, {{0, 0}, {8, 16}, {16, 32}}},
        {4, 4, {{0, 0}, {40, 1}, {80, 2}, {120, 3}}},
        {4, 1, {{0, 0}, {8, 8}, {16, 16}, {24, 24}}},
        {4, 2, {{0, 0}, {8, 16}, {16, 32}, {24, 48}}},
        {6, 6, {{0, 0}, {40, 1}, {80, 2}, {120, 3}, {152, 4}, {176, 5}}},
        {6, 2, {{0, 0}, {8, 8}, {16, 16}, {24, 24}, {40, 32}, {32, 40}}},
        {6, 3, {{0, 0}, {8, 16}, {16, 32}, {24, 48}, {40, 64}, {32, 80}}},
        {6, 1, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}},
        {6, 4, {{0, 0}, {40, 8}, {0, 16}, {40, 24}, {0, 32}, {40, 40}}},
        {32, 4, {{399, 361}, {397, 365}, {397, 362}, {398, 109}, {392, 363}, {398, 452}, {396, 228}, {60, 454},
                 {62, 107},  {395, 111}, {61, 360},  {395, 104}, {395, 451}, {392, 367}, {56, 225},  {399, 226},
                 {396, 230}, {398, 106}, {399, 449}, {392, 448}, {399, 224}, {57, 105},  {57, 231},  {397, 366},
                 {394, 455}, {62, 110},  {398, 108}, {397, 229}, {58, 227},  {397, 453}, {393, 364}, {394, 450}}},
        {32, 8, {{506, 402}, {177, 310}, {510, 406}, {457, 101}, {280, 262}, {508, 311}, {508, 99},  {285, 403},
                 {458, 258}, {285, 407}, {461, 102}, {458, 96},  {507, 260}, {284, 103}, {176, 401}, {283, 309},
                 {286, 259}, {459, 405}, {180, 404}, {504, 100}, {510, 257}, {459, 308}, {456, 305}, {183, 97},
                 {177, 256}, {511, 306}, {177, 261}, {177, 307}, {183, 98},  {283, 263}, {183, 304}, {505, 400}}},
        {32, 10, {{210, 116}, {25, 486},  {482, 364}, {214, 118}, {360, 113}, {415, 505}, {91, 365},  {262, 484},
                  {95, 112},  {24, 483},  {42, 482},  {23, 485},  {94, 114},  {111, 363}, {198, 117}, {67, 361},
                  {119, 509}, {193, 487}, {157, 362}, {215, 366}, {46, 510},  {110, 119}, {408, 504}, {211, 360},
                  {41, 507},  {153, 508}, {195, 481}, {90, 480},  {70, 115},  {213, 506}, {262, 367}, {42, 511}}},
        {32, 19, {{80, 331},  {269, 254}, {220, 480}, {470, 494}, {338, 104}, {280, 457}, {164, 199}, {127, 195},
                  {221, 196}, {301, 253}, {154, 2},   {218, 239}, {305, 481}, {204, 236}, {479, 458}, {339, 329},
                  {470, 3},   {202, 115}, {407, 459}, {502, 234}, {396, 15},  {136, 299}, {124, 103}, {397, 462},
                  {300, 495}, {465, 7},   {33, 251},  {50, 302},  {304, 4},   {42, 423},  {216, 492}, {384, 252}}},
    };
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        uint64_t source[SIM_LANES] = {0};
        uint32_t destination[SIM_LANES] = {0};
        for (unsigned l = 0; l < measured[i].lanes; l++) {
            source[l] = 0x10000000ull + measured[i].unit[l][0] * 16u;
            destination[l] = 1024 + measured[i].unit[l][1] * 16u;
        }
        sim_bypass b;
        sim_bypass_groups(source, destination, (uint32_t)((1ull << measured[i].lanes) - 1), 0, &b);
        assert_int_equal(b.tag_wavefronts, measured[i].tags);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_copies_move_a_line_at_a_time),
        cmocka_unit_test(half_a_sector_of_skew_fetches_sectors_twice),
        cmocka_unit_test(whole_sectors_of_skew_split_lines_only),
        cmocka_unit_test(swizzled_rows_move_a_line_at_a_time),
        cmocka_unit_test(scattered_destinations_move_lane_by_lane),
        cmocka_unit_test(a_round_looks_up_one_line_a_bank_and_writes_one_line_of_four),
        cmocka_unit_test(zero_filled_lanes_write_but_read_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
