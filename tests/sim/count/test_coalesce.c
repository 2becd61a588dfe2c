/* Lanes' addresses to lines, sectors and tag-stage wavefronts. Figures are what an H100 counted (tests/data/truth,
 * tests/data/corpus) unless a test says otherwise. */
#include "access.h"

#include "count/coalesce.h"

static sim_lines coalesced(const uint64_t address[SIM_LANES], uint32_t active, unsigned bytes) {
    sim_lines lines;
    sim_coalesce(address, active, bytes, &lines);
    return lines;
}

static void neighbours_share_four_sectors_of_one_line(void **state) {
    (void)state;
    sim_lines lines = coalesced(strided(0x1000, 4), SIM_ALL_LANES, 4);
    assert_int_equal(lines.count, 1);
    assert_int_equal(lines.sectors, 4);
    assert_int_equal(lines.line[0], 0x1000 / 128);
    assert_int_equal(lines.mask[0], 15);
}

static void a_shift_by_one_element_costs_a_fifth_sector_in_a_second_line(void **state) {
    (void)state;
    sim_lines lines = coalesced(strided(0x1004, 4), SIM_ALL_LANES, 4);
    assert_int_equal(lines.count, 2);
    assert_int_equal(lines.sectors, 5);
    assert_int_equal(lines.mask[0], 15);
    assert_int_equal(lines.mask[1], 1);
}

static void strides_touch_more_sectors_up_to_one_a_lane(void **state) {
    (void)state;
    static const unsigned stride[] = {1, 2, 4, 5, 8, 16, 32, 64}, sectors[] = {4, 8, 16, 20, 32, 32, 32, 32},
                          lines[] = {1, 2, 4, 5, 8, 16, 32, 32}, wavefronts[] = {1, 1, 1, 2, 2, 4, 8, 8};
    for (unsigned i = 0; i < 8; i++) {
        sim_lines found = coalesced(strided(0, 4 * stride[i]), SIM_ALL_LANES, 4);
        assert_int_equal(found.sectors, sectors[i]);
        assert_int_equal(found.count, lines[i]);
        assert_int_equal(sim_tag_wavefronts(&found), wavefronts[i]);
    }
}

/* The data stage is as wide as a line, but reads each quarter of it from one line only. On an H200, loads of rows that
 * lie lines apart take a cycle for each lane (`matvec4__wide` and `window_scores__plain` in tests/data/unseen). */
static void sectors_at_one_place_of_their_lines_are_read_one_after_the_other(void **state) {
    (void)state;
    static const unsigned stride[] = {0, 4, 16, 32, 64, 96, 128, 160, 256}, cycles[] = {1, 1, 4, 8, 16, 8, 32, 8, 32};
    for (unsigned i = 0; i < sizeof stride / sizeof *stride; i++) {
        sim_lines rows = coalesced(strided(0, stride[i]), SIM_ALL_LANES, 4);
        assert_int_equal(sim_data_wavefronts(&rows), cycles[i]);
    }
    sim_lines shifted = coalesced(strided(4, 4), SIM_ALL_LANES, 4);
    assert_int_equal(sim_data_wavefronts(&shifted), 2); /* the fifth sector is the first of its line, too */
    assert_int_equal(sim_data_wavefronts_of_run(shifted.sectors), 2);
}

static void lanes_outside_the_mask_touch_nothing(void **state) {
    (void)state;
    sim_lines lines = coalesced(strided(0, 32), 0x00010100, 4); /* lanes 8 and 16: lines 2 and 4 */
    assert_int_equal(lines.count, 2);
    assert_int_equal(lines.sectors, 2);
    assert_int_equal(lines.line[1], 4);
}

static void a_broadcast_is_one_sector(void **state) {
    (void)state;
    sim_lines lines = coalesced(strided(0x2044, 0), SIM_ALL_LANES, 4);
    assert_int_equal(lines.count, 1);
    assert_int_equal(lines.sectors, 1);
    assert_int_equal(lines.mask[0], 4);
}

static void lines_are_listed_as_lanes_first_touch_them_in_any_order(void **state) {
    (void)state;
    uint64_t address[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = (l * 7 % 8) * 128 + (l % 4) * 32;
    sim_lines lines = coalesced(address, SIM_ALL_LANES, 4);
    assert_int_equal(lines.count, 8);
    assert_int_equal(lines.line[0], 0);
    assert_int_equal(lines.line[1], 7);
    assert_int_equal(lines.sectors, 8);
}

/* The fast paths must agree with looking at each lane. */
static void quick_ways_agree_with_looking_at_each_sector(void **state) {
    (void)state;
    uint32_t random = 1;
    for (unsigned trial = 0; trial < 2000; trial++) {
        uint64_t address[SIM_LANES], sectors[SIM_LANES];
        unsigned bytes = 1u << trial % 5, distinct = 0;
        random = random * 1664525 + 1013904223;
        uint64_t base = random % 4096 * bytes, stride = (random >> 12) % 40 * bytes, noise = trial % 3 ? 0 : 64;
        for (unsigned l = 0; l < SIM_LANES; l++) address[l] = base + l * stride + (l * random % 7) * noise;
        uint32_t active = trial % 2 ? SIM_ALL_LANES : random | 1;
        for (unsigned l = 0; l < SIM_LANES; l++) {
            if (!(active >> l & 1)) continue;
            unsigned k = 0;
            while (k < distinct && sectors[k] != address[l] / 32) k++;
            sectors[k] = address[l] / 32;
            distinct += k == distinct;
        }
        assert_int_equal(coalesced(address, active, bytes).sectors, distinct);
    }
}

static void four_neighbouring_lines_lie_in_four_banks(void **state) {
    (void)state;
    for (uint64_t line = 0; line < 4096; line += 4) {
        unsigned banks = 0;
        for (unsigned k = 0; k < 4; k++) banks |= 1u << sim_tag_bank(line + k);
        assert_int_equal(banks, 15);
    }
}

/* Found on an H100 by warps that read two lines of 66 GB whose addresses differ in one bit. */
static void each_bit_of_a_line_number_turns_its_bank(void **state) {
    (void)state;
    static const uint8_t value[] = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1, 3,
                                    2, 1, 3, 1, 3, 2, 3, 1, 3, 1, 2, 3, 2, 1, 3};
    for (unsigned bit = 0; bit < sizeof value; bit++)
        assert_int_equal(sim_tag_bank(0x4d3) ^ sim_tag_bank(0x4d3 ^ 1ull << bit), value[bit]);
}

static void the_ideal_is_what_the_bytes_need(void **state) {
    (void)state;
    assert_int_equal(sim_ideal_sectors(SIM_ALL_LANES, 4), 4);
    assert_int_equal(sim_ideal_sectors(SIM_ALL_LANES, 16), 16);
    assert_int_equal(sim_ideal_sectors(1, 4), 1);
    assert_int_equal(sim_ideal_sectors(0x1ff, 4), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_share_four_sectors_of_one_line),
        cmocka_unit_test(a_shift_by_one_element_costs_a_fifth_sector_in_a_second_line),
        cmocka_unit_test(strides_touch_more_sectors_up_to_one_a_lane),
        cmocka_unit_test(sectors_at_one_place_of_their_lines_are_read_one_after_the_other),
        cmocka_unit_test(lanes_outside_the_mask_touch_nothing),
        cmocka_unit_test(a_broadcast_is_one_sector),
        cmocka_unit_test(lines_are_listed_as_lanes_first_touch_them_in_any_order),
        cmocka_unit_test(quick_ways_agree_with_looking_at_each_sector),
        cmocka_unit_test(four_neighbouring_lines_lie_in_four_banks),
        cmocka_unit_test(each_bit_of_a_line_number_turns_its_bank),
        cmocka_unit_test(the_ideal_is_what_the_bytes_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
