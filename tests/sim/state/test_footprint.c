/* Footprints against their definition: exactly the lanes that touch a byte own it. */
#include "state/footprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t touching(uint32_t active, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t byte) {
    uint32_t lanes = 0;
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (active >> l & 1 && byte >= address[l] && byte < address[l] + bytes) lanes |= 1u << l;
    return lanes;
}

static void check_part(const sim_part *p, uint32_t first, uint32_t active, const uint32_t address[SIM_LANES],
                       unsigned bytes, uint32_t *seen) {
    const uint32_t line = (first / SIM_FOOTPRINT_LINE + (uint32_t)p->line) * SIM_FOOTPRINT_LINE;
    for (unsigned b = 0; b < SIM_FOOTPRINT_LINE; b++) {
        if (!sim_bytes_has(p->bytes, b)) continue;
        const uint32_t lanes = sim_owner_lanes(p->owner, b);
        assert_int_not_equal(lanes, 0);
        assert_int_equal(lanes & ~touching(active, address, bytes, line + b), 0);
        assert_int_equal(lanes & ~p->lanes, 0);
        *seen |= lanes;
    }
}

/* Returns the number of parts. */
static unsigned check(uint32_t active, const uint32_t address[SIM_LANES], unsigned bytes) {
    sim_footprints kept;
    uint32_t seen = 0;
    assert_true(sim_footprints_create(&kept, 1));
    const sim_footprint *f = sim_footprint_of(&kept, 0, bytes, active, address);
    assert_ptr_equal(f, sim_footprint_of(&kept, 0, bytes, active, address));
    for (unsigned i = 0; i < f->count; i++)
        check_part(&f->parts[i], address[__builtin_ctz(active)], active, address, bytes, &seen);
    assert_int_equal(seen, active);
    const unsigned count = f->count;
    sim_footprints_free(&kept);
    return count;
}

static void lanes_side_by_side_are_one_part_a_line(void **state) {
    uint32_t address[SIM_LANES];
    (void)state;
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 256 + 4 * l;
    assert_int_equal(check(SIM_ALL_LANES, address, 4), 1);
    assert_int_equal(check(0x0ff0f00f, address, 4), 1);
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 1024 + 16 * l;
    assert_int_equal(check(SIM_ALL_LANES, address, 16), 4);
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 1024 - 4 * l;
    assert_int_equal(check(SIM_ALL_LANES, address, 4), 2);
}

static void lanes_that_share_words_are_one_part(void **state) {
    uint32_t address[SIM_LANES];
    (void)state;
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 512;
    assert_int_equal(check(SIM_ALL_LANES, address, 4), 1);
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 512 + 4 * (l % 16);
    assert_int_equal(check(SIM_ALL_LANES, address, 4), 1);
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 512 + 64 * (l / 16);
    assert_int_equal(check(SIM_ALL_LANES, address, 4), 1);
}

/* The accesses of a bitonic sort: elements whose partners are `apart` further, and belong to other accesses. */
static void a_butterfly_is_one_part_a_line(void **state) {
    uint32_t address[SIM_LANES];
    (void)state;
    for (unsigned apart = 2; apart <= 8; apart *= 2)
        for (unsigned partner = 0; partner < 2; partner++) {
            for (unsigned l = 0; l < SIM_LANES; l++)
                address[l] = 1024 + 4 * (2 * l - (l & (apart - 1)) + partner * apart);
            assert_int_equal(check(SIM_ALL_LANES, address, 4), 2);
            assert_int_equal(check(0xa3b5c997, address, 4), 2);
        }
}

static void any_addresses_are_covered(void **state) {
    uint32_t address[SIM_LANES], random = 1;
    (void)state;
    for (unsigned k = 0; k < 20000; k++) {
        const unsigned bytes = 1u << k % 5, spread = 1u << (k / 5 % 8 + 5);
        for (unsigned l = 0; l < SIM_LANES; l++) {
            random = random * 1664525 + 1013904223;
            const bool follows = l && random >> 28 > 2;
            address[l] = follows ? address[l - 1] + bytes * (k / 40 % 4) : (random >> 8) % spread / bytes * bytes;
        }
        random = random * 1664525 + 1013904223;
        check(k % 3 ? SIM_ALL_LANES : random | 1, address, bytes);
    }
}

static void a_slot_takes_more_parts_than_it_had(void **state) {
    uint32_t together[SIM_LANES], scattered[SIM_LANES], seen = 0;
    sim_footprints kept;
    (void)state;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        together[l] = 512 + 4 * l;
        scattered[l] = 512 + 260 * l;
    }
    assert_true(sim_footprints_create(&kept, 1));
    assert_int_equal(sim_footprint_of(&kept, 0, 4, SIM_ALL_LANES, together)->count, 1);
    const sim_footprint *f = sim_footprint_of(&kept, 0, 4, SIM_ALL_LANES, scattered);
    assert_int_equal(f->count, SIM_LANES);
    for (unsigned i = 0; i < f->count; i++) check_part(&f->parts[i], 512, SIM_ALL_LANES, scattered, 4, &seen);
    assert_int_equal(seen, SIM_ALL_LANES);
    assert_int_equal(sim_footprint_of(&kept, 0, 4, SIM_ALL_LANES, together)->count, 1);
    sim_footprints_free(&kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_side_by_side_are_one_part_a_line), cmocka_unit_test(lanes_that_share_words_are_one_part),
        cmocka_unit_test(a_butterfly_is_one_part_a_line),         cmocka_unit_test(any_addresses_are_covered),
        cmocka_unit_test(a_slot_takes_more_parts_than_it_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
