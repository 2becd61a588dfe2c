/* Banks of shared memory: wavefronts for each width, pattern and kind of access. */
#include "access.h"

#include "count/banks.h"

#define ASSERT_WAVEFRONTS(found, all, without_conflicts) \
    do {                                                 \
        sim_wavefronts w_ = (found);                     \
        assert_int_equal(w_.total, (all));               \
        assert_int_equal(w_.ideal, (without_conflicts)); \
    } while (0)

static void words_a_stride_apart_collide_as_often_as_it_divides_32(void **state) {
    (void)state;
    static const uint32_t stride[] = {0, 1, 2, 3, 4, 8, 16, 32, 33, 64},
                          wavefronts[] = {1, 1, 2, 1, 4, 8, 16, 32, 1, 32};
    for (unsigned i = 0; i < 10; i++) {
        ASSERT_WAVEFRONTS(sim_bank_load(strided_shared(1024, 4 * stride[i]), SIM_ALL_LANES, 4), wavefronts[i], 1);
        ASSERT_WAVEFRONTS(sim_bank_store(strided_shared(1024, 4 * stride[i]), SIM_ALL_LANES, 4), wavefronts[i], 1);
    }
}

static void bytes_of_one_word_do_not_collide(void **state) {
    (void)state;
    ASSERT_WAVEFRONTS(sim_bank_load(strided_shared(1024, 1), SIM_ALL_LANES, 1), 1, 1);
    ASSERT_WAVEFRONTS(sim_bank_store(strided_shared(1024, 2), SIM_ALL_LANES, 2), 1, 1);
    ASSERT_WAVEFRONTS(sim_bank_load(strided_shared(1024, 128), SIM_ALL_LANES, 1), 32, 1);
}

static void eight_bytes_take_a_pass_for_each_half_warp(void **state) {
    (void)state;
    static const uint32_t stride[] = {1, 2, 4, 16, 17}, wavefronts[] = {2, 4, 8, 32, 2};
    for (unsigned i = 0; i < 5; i++)
        ASSERT_WAVEFRONTS(sim_bank_store(strided_shared(1024, 8 * stride[i]), SIM_ALL_LANES, 8), wavefronts[i], 2);
    ASSERT_WAVEFRONTS(sim_bank_load(strided_shared(1024, 8), 0x0000ffff, 8), 1, 1);
}

static void sixteen_bytes_take_a_pass_for_each_quarter(void **state) {
    (void)state;
    static const uint32_t stride[] = {1, 2, 4, 8, 9}, wavefronts[] = {4, 8, 16, 32, 4};
    for (unsigned i = 0; i < 5; i++)
        ASSERT_WAVEFRONTS(sim_bank_load(strided_shared(1024, 16 * stride[i]), SIM_ALL_LANES, 16), wavefronts[i], 4);
    ASSERT_WAVEFRONTS(sim_bank_load(strided_shared(1024, 16), 0x00ff00ff, 16), 2, 2);
}

/* A warp of 16 x 2 threads reads one 16-byte row element per half: one wavefront for each half. */
static void wide_loads_of_shared_addresses_merge_their_passes(void **state) {
    (void)state;
    uint32_t address[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 1024 + l / 16 * 64;
    ASSERT_WAVEFRONTS(sim_bank_load(address, SIM_ALL_LANES, 16), 2, 2);
    ASSERT_WAVEFRONTS(sim_bank_store(address, SIM_ALL_LANES, 16), 4, 4);
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 1024 + l / 2 * 8;
    ASSERT_WAVEFRONTS(sim_bank_load(address, SIM_ALL_LANES, 8), 1, 1);
}

static void lanes_that_are_off_let_passes_merge(void **state) {
    (void)state;
    ASSERT_WAVEFRONTS(sim_bank_load(strided_shared(1024, 8), 0x55555555, 8), 2, 1);
    ASSERT_WAVEFRONTS(sim_bank_load(strided_shared(1024, 8), 0x33333333, 8), 2, 1);
    ASSERT_WAVEFRONTS(sim_bank_load(strided_shared(1024, 8), 0x77777777, 8), 2, 2);
}

static void different_words_of_a_bank_count_wherever_their_lanes_are(void **state) {
    (void)state;
    uint32_t address[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 1024 + l * 4;
    address[5] = address[9] + 128;
    address[6] = address[9] + 256;
    address[7] = address[9] + 256; /* the same word as lane 6 */
    ASSERT_WAVEFRONTS(sim_bank_load(address, SIM_ALL_LANES, 4), 3, 1);
    ASSERT_WAVEFRONTS(sim_bank_load(address, ~(1u << 9), 4), 2, 1);
}

#define ASSERT_USE(found, expected_wavefronts, expected_units)    \
    do {                                                          \
        sim_bank_use use_ = (found);                              \
        assert_int_equal(use_.wavefronts, (expected_wavefronts)); \
        assert_int_equal(use_.units, (expected_units));           \
    } while (0)

static void atomics_on_one_address_are_one_wavefront(void **state) {
    (void)state;
    ASSERT_USE(sim_bank_atomic(strided_shared(1024, 0), SIM_ALL_LANES, 4), 1, 1);
    ASSERT_USE(sim_bank_atomic(strided_shared(1024, 128), SIM_ALL_LANES, 4), 32, 32);
    ASSERT_USE(sim_bank_atomic(strided_shared(1024, 2), SIM_ALL_LANES, 2), 1, 16);
    ASSERT_USE(sim_bank_atomic(strided_shared(1024, 8), SIM_ALL_LANES, 8), 2, 32);
}

static void a_bank_takes_turns_for_the_lanes_of_an_atomic(void **state) {
    (void)state;
    ASSERT_WAVEFRONTS(sim_bank_turns(strided_shared(1024, 0), SIM_ALL_LANES, 4), 32, 1);
    ASSERT_WAVEFRONTS(sim_bank_turns(strided_shared(1024, 4), SIM_ALL_LANES, 4), 1, 1);
    ASSERT_WAVEFRONTS(sim_bank_turns(strided_shared(1024, 8), SIM_ALL_LANES, 8), 2, 2);
    ASSERT_WAVEFRONTS(sim_bank_turns(strided_shared(1024, 8), 0xffff, 8), 1, 1);
}

typedef struct word_list {
    uint32_t words[4 * SIM_LANES], count;
} word_list;

static word_list distinct_words(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes) {
    word_list list = {.count = 0};
    for (unsigned l = 0; l < SIM_LANES; l++) {
        for (unsigned k = 0; k < bytes / 4; k++) {
            const uint32_t word = address[l] / 4 + k;
            bool is_new = lanes >> l & 1;
            for (uint32_t i = 0; i < list.count; i++) is_new &= list.words[i] != word;
            if (is_new) list.words[list.count++] = word;
        }
    }
    return list;
}

/* The definition: the most distinct words that one bank serves. */
static uint32_t most_words_of_a_bank(const word_list *list) {
    uint32_t count[32] = {0}, most = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t now = ++count[list->words[i] % 32];
        most = now > most ? now : most;
    }
    return most;
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Few rows and many, whole warps and partial ones. */
static void scattered_words_count_as_the_definition_has_it(void **state) {
    (void)state;
    uint32_t seed = 1;
    for (unsigned round = 0; round < 12000; round++) {
        const uint32_t bytes = 4u << round % 3, reach = 4u << round / 3 % 15, rises = round / 45 % 2,
                       lanes = next_random(&seed) % 3 ? SIM_ALL_LANES : next_random(&seed) * 257 | 1;
        uint32_t address[SIM_LANES], at = 1024;
        for (unsigned l = 0; l < SIM_LANES; l++) {
            const uint32_t step = next_random(&seed) % reach;
            address[l] = (rises ? (at += 4 + step % 512) : 1024 + step) / bytes * bytes;
        }
        const word_list list = distinct_words(address, lanes, bytes);
        const uint32_t expected = most_words_of_a_bank(&list);
        ASSERT_USE(sim_bank_atomic(address, lanes, bytes), expected, list.count / (bytes / 4));
        if (bytes == 4) ASSERT_WAVEFRONTS(sim_bank_load(address, lanes, 4), expected, 1);
    }
}

/* stride_4, stride_8, stride_16 of tests/data/corpus. */
static void copies_take_as_long_as_their_worse_side(void **state) {
    (void)state;
    const uint32_t *side_by_side = strided_shared(1024, 4);
    ASSERT_WAVEFRONTS(sim_bank_copy(strided(0x10000, 4), side_by_side, SIM_ALL_LANES, 0, 4), 1, 1);
    ASSERT_WAVEFRONTS(sim_bank_copy(strided(0x10000, 8), side_by_side, SIM_ALL_LANES, 0, 4), 2, 1);
    ASSERT_WAVEFRONTS(sim_bank_copy(strided(0x10004, 12), side_by_side, SIM_ALL_LANES, 0, 4), 1, 1);
    ASSERT_WAVEFRONTS(sim_bank_copy(strided(0x10000, 8), side_by_side, SIM_ALL_LANES, SIM_ALL_LANES, 4), 1, 1);
    ASSERT_WAVEFRONTS(sim_bank_copy(strided(0x10000, 16), strided_shared(1024, 8), SIM_ALL_LANES, 0, 8), 4, 2);
    ASSERT_WAVEFRONTS(sim_bank_copy(strided(0x10000, 32), strided_shared(1024, 16), SIM_ALL_LANES, 0, 16), 8, 4);
    ASSERT_WAVEFRONTS(sim_bank_copy(strided(0x10000, 32), strided_shared(1024, 32), SIM_ALL_LANES, 0, 4), 8, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_a_stride_apart_collide_as_often_as_it_divides_32),
        cmocka_unit_test(bytes_of_one_word_do_not_collide),
        cmocka_unit_test(eight_bytes_take_a_pass_for_each_half_warp),
        cmocka_unit_test(sixteen_bytes_take_a_pass_for_each_quarter),
        cmocka_unit_test(wide_loads_of_shared_addresses_merge_their_passes),
        cmocka_unit_test(lanes_that_are_off_let_passes_merge),
        cmocka_unit_test(different_words_of_a_bank_count_wherever_their_lanes_are),
        cmocka_unit_test(scattered_words_count_as_the_definition_has_it),
        cmocka_unit_test(atomics_on_one_address_are_one_wavefront),
        cmocka_unit_test(a_bank_takes_turns_for_the_lanes_of_an_atomic),
        cmocka_unit_test(copies_take_as_long_as_their_worse_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
