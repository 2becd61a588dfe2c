/* The profile of a synthetic launch: tables by their rows. */
#include "base/text.h"
#include "report/profile/memory_tables.h"
#include "report/profile/profile.h"
#include "synthetic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static haul_instruction_record instructions[4];
static haul_launch_record record;
static haul_access rows_of_four_words, every_other_word;

static int make_launch(void **state) {
    (void)state;
    instructions[0] =
        synthetic_instruction("ld.global.f32", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 3, synthetic_global(512, 8));
    instructions[1] =
        synthetic_instruction("st.shared.f32", HAUL_CLASS_SHARED_STORE, "a.cu", 3, synthetic_shared(512, 4));
    rows_of_four_words = (haul_access){.active = UINT32_MAX, .bytes = 4};
    for (uint32_t l = 0; l < 32; l++) rows_of_four_words.shared[l] = 16 * l;
    instructions[1].samples = &rows_of_four_words;
    instructions[1].sample_count = 1;
    every_other_word = (haul_access){.active = UINT32_MAX, .bytes = 4};
    for (uint32_t l = 0; l < 32; l++) every_other_word.global[l] = 4096 + 8 * l;
    instructions[0].samples = &every_other_word;
    instructions[0].sample_count = 1;
    instructions[2] =
        synthetic_instruction("st.global.f32", HAUL_CLASS_GLOBAL_STORE, "a.cu", 4, synthetic_global(512, 4));
    instructions[3] = synthetic_instruction("add.f32", HAUL_CLASS_NONE, "a.cu", 4,
                                            (haul_traffic){.instructions = 1024, .threads = 32768});
    record = synthetic_launch(instructions, 4);
    record.counters[HAUL_COUNTER_L2_READ_REQUESTS] = 1024;
    record.counters[HAUL_COUNTER_L2_READ_SECTORS] = 4096;
    record.counters[HAUL_COUNTER_L2_READ_MISS] = 1024;
    record.counters[HAUL_COUNTER_L2_WRITE_REQUESTS] = 512;
    record.counters[HAUL_COUNTER_L2_WRITE_SECTORS] = 2048;
    record.counters[HAUL_COUNTER_DRAM_READ_SECTORS] = 3072;
    record.counters[HAUL_COUNTER_DRAM_WRITE_SECTORS] = 1024;
    record.code = (haul_code_fetch){.bytes = 512, .requests = 200, .sectors = 800, .misses = 184, .device_sectors = 88};
    record.occupancy = (haul_occupancy){.blocks_per_sm = 8,
                                        .warps_per_sm = 64,
                                        .max_warps_per_sm = 64,
                                        .limit_blocks = 32,
                                        .limit_warps = 8,
                                        .limit_registers = 10,
                                        .limit_shared = 20,
                                        .registers_per_thread = 24,
                                        .registers_estimated = true,
                                        .l1_bytes = 200 << 10};
    return 0;
}

static json_t *profile_json(void) {
    const report_profile_options options = {.lines = 10, .mix = 10, .share = 1};
    json_t *json = NULL;
    assert_int_equal(report_profile_json(&record, &options, &json), HAUL_OK);
    return json;
}

static json_t *row_of(json_t *json, const char *table, size_t index) {
    return json_array_get(json_object_get(json_object_get(json, "tables"), table), index);
}

static double number(json_t *row, const char *key) {
    return json_number_value(json_object_get(row, key));
}

static bool shows_tables_with(const char *label) {
    text t = {0};
    report_document *d = report_document_new("tables", "Tables");
    report_add_memory_tables(report_add_section(d, "profile", "k"), &record, NULL);
    assert_int_equal(report_write_text(d, (report_terminal){0}, &t), HAUL_OK);
    const bool found = strstr(text_string(&t), label) != NULL;
    text_free(&t);
    report_document_free(d);
    return found;
}

static void copies_with_all_lanes_off_are_told(void **state) {
    (void)state;
    record.counters[HAUL_COUNTER_INST_LDGSTS] = 5664;
    record.counters[HAUL_COUNTER_INST_LDGSTS_BYPASS] = 5664;
    assert_false(shows_tables_with("all lanes off"));
    record.counters[HAUL_COUNTER_INST_LDGSTS_BYPASS] = 4096;
    assert_true(shows_tables_with("issue 1,568 more LDGSTS with all lanes off, 5,664 in all"));
    record.counters[HAUL_COUNTER_INST_LDGSTS] = record.counters[HAUL_COUNTER_INST_LDGSTS_BYPASS] = 0;
}

static bool shows_occupancy_with(const char *label) {
    text t = {0};
    report_document *d = report_document_new("occupancy", "Occupancy");
    report_add_occupancy(report_add_section(d, "profile", "k"), &record);
    assert_int_equal(report_write_text(d, (report_terminal){0}, &t), HAUL_OK);
    const bool found = strstr(text_string(&t), label) != NULL;
    text_free(&t);
    report_document_free(d);
    return found;
}

static void occupancy_says_whether_registers_are_estimated(void **state) {
    (void)state;
    for (unsigned estimated = 0; estimated < 2; estimated++) {
        record.occupancy.registers_estimated = estimated;
        json_t *json = profile_json();
        assert_int_equal(json_is_true(json_object_get(json_object_get(json, "occupancy"), "registers_estimated")),
                         estimated);
        assert_int_equal(shows_occupancy_with("Registers/Thread (estimate)"), estimated);
        assert_true(shows_occupancy_with("Registers/Thread"));
        json_decref(json);
    }
}

static void memory_tables_hold_the_traffic(void **state) {
    (void)state;
    json_t *json = profile_json(), *load = row_of(json, "l1tex", 0), *store = row_of(json, "shared", 0);
    assert_string_equal(json_string_value(json_object_get(load, "class")), "Global Load");
    assert_true(number(load, "sectors") == 4096);
    assert_true(number(load, "sectors_per_request") == 8);
    assert_true(number(load, "ideal_sectors_per_request") == 4);
    assert_true(number(load, "bytes") == 4096 * 32);
    assert_true(number(store, "bank_conflicts") == 3 * 512);
    assert_true(number(store, "wavefronts_per_ideal") == 4);
    assert_true(number(row_of(json, "l2", 0), "hit_rate") == 75);
    assert_true(number(row_of(json, "device", 3), "bytes") == (4096 + 88) * 32);
    json_decref(json);
}

static void l2_has_what_is_stored_and_a_total(void **state) {
    (void)state;
    json_t *json = profile_json(), *store = row_of(json, "l2", 1), *data = row_of(json, "l2", 2);
    assert_string_equal(json_string_value(json_object_get(store, "class")), "L1/TEX Store");
    assert_true(number(store, "hit_rate") == 100);
    assert_string_equal(json_string_value(json_object_get(data, "class")), "L1/TEX Total");
    assert_true(fabs(number(data, "hit_rate") - 100 * (3072 + 2048) / 6144.0) < 0.01);
    json_decref(json);
}

static void code_and_constants_count_in_the_gpus_total(void **state) {
    (void)state;
    json_t *json = profile_json(), *code = row_of(json, "l2", 3), *all = row_of(json, "l2", 4);
    assert_string_equal(json_string_value(json_object_get(code, "class")), "Code And Constants");
    assert_true(number(code, "hit_rate") == 77);
    assert_string_equal(json_string_value(json_object_get(all, "class")), "GPU Total");
    assert_true(number(all, "sectors") == 6144 + 800);
    assert_true(number(row_of(json, "device", 1), "sectors") == 88);
    assert_true(number(row_of(json, "device", 3), "sectors") == 4096 + 88);
    json_decref(json);
}

/* 100 us at 1 GHz and 2 MB/ms at most; warps wait three cycles of four for loads. */
static haul_estimate make_estimate(void) {
    haul_estimate e = {.cycles = 1e5, .sm_mhz = 1000, .memory_gbps = 2.62144, .memory_share = 0.5, .sm_share = 0.25};
    e.instructions = 1000;
    e.stalls[HAUL_STALL_SELECTED] = 1000;
    e.stalls[HAUL_STALL_LONG_SCOREBOARD] = 3000;
    return e;
}

static void speed_has_cycles_and_shares_of_peaks(void **state) {
    (void)state;
    record.estimate = make_estimate();
    json_t *json = profile_json(), *speed = row_of(json, "speed", 0);
    assert_true(number(speed, "cycles") == 1e5);
    assert_true(number(speed, "duration_us") == 100);
    assert_true(number(speed, "device_share") == 50);
    assert_true(number(speed, "sm_share") == 25);
    assert_true(fabs(number(row_of(json, "device", 3), "peak_share") - 50 * (4096 + 88) / 4096.0) < 0.01);
    json_decref(json);
    record.estimate = (haul_estimate){0};
}

static void a_gpu_s_time_stands_beside_the_estimate(void **state) {
    (void)state;
    haul_launch_record measured = synthetic_launch(NULL, 0);
    const report_profile_options options = {.lines = 10, .mix = 10, .share = 1, .measured = &measured};
    json_t *json = NULL;
    for (size_t c = 0; c < HAUL_COUNTER_COUNT; c++) measured.counters[c] = -1;
    measured.measured_us = 200;
    measured.counters[HAUL_COUNTER_INST_EXECUTED] = 1234;
    record.estimate = make_estimate();
    assert_int_equal(report_profile_json(&record, &options, &json), HAUL_OK);
    assert_true(number(row_of(json, "speed", 1), "duration_us") == 200);
    assert_true(number(row_of(json, "speed", 1), "machine_instructions") == 1234);
    assert_true(fabs(number(row_of(json, "speed", 1), "device_share") - 25) < 0.01);
    json_decref(json);
    record.estimate = (haul_estimate){0};
}

static void warp_states_are_ordered_and_add_up(void **state) {
    (void)state;
    record.estimate = make_estimate();
    json_t *json = profile_json(), *first = row_of(json, "warp_state", 0);
    assert_string_equal(json_string_value(json_object_get(first, "stall")), "Long Scoreboard");
    assert_true(number(first, "share") == 75);
    assert_true(number(first, "cycles_per_instruction") == 3);
    assert_true(number(row_of(json, "warp_state", 1), "share") == 25);
    assert_true(number(row_of(json, "warp_state", 2), "cycles_per_instruction") == 4);
    assert_null(row_of(json, "warp_state", 3));
    json_decref(json);
    record.estimate = (haul_estimate){0};
}

static void a_launch_without_an_estimate_has_no_speed(void **state) {
    (void)state;
    json_t *json = profile_json();
    assert_null(row_of(json, "speed", 0));
    assert_null(row_of(json, "warp_state", 0));
    json_decref(json);
}

static void accesses_of_one_line_are_told_apart(void **state) {
    (void)state;
    const haul_instruction_record kept = instructions[2];
    json_t *json = profile_json();
    assert_null(row_of(json, "accesses", 0)); /* one load, one store in a line */
    json_decref(json);
    instructions[2] =
        synthetic_instruction("ld.global.f32", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 3, synthetic_global(512, 5));
    json = profile_json();
    assert_true(number(row_of(json, "accesses", 0), "sectors_per_request") == 8);
    assert_true(number(row_of(json, "accesses", 1), "sectors_per_request") == 5);
    assert_null(row_of(json, "accesses", 2));
    json_decref(json);
    instructions[2] = kept;
}

static void the_mix_is_ordered_by_frequency(void **state) {
    (void)state;
    json_t *json = profile_json(), *first = row_of(json, "instructions", 0);
    assert_string_equal(json_string_value(json_object_get(first, "mnemonic")), "add.f32");
    assert_true(number(first, "share") == 40);
    assert_true(number(first, "lanes") == 32);
    json_decref(json);
}

static void advice_names_kind_place_and_waste(void **state) {
    (void)state;
    json_t *json = profile_json(), *advice = json_object_get(json, "advice");
    assert_int_equal(json_array_size(advice), 2);
    json_t *first = json_array_get(advice, 0);
    assert_string_equal(json_string_value(json_object_get(first, "kind")), "bank-conflicts");
    assert_int_equal(json_integer_value(json_object_get(first, "line")), 3);
    assert_true(number(first, "wasted_bytes") == 3 * 512 * 128);
    json_decref(json);
}

static void the_text_shows_every_table(void **state) {
    (void)state;
    const report_profile_options options = {.lines = 1, .mix = 2, .share = 1};
    report_document *d = report_document_new("profile", NULL);
    assert_int_equal(report_add_profile(d, "one", &record, &options), HAUL_OK);
    text out = {0};
    assert_int_equal(report_write_text(d, (report_terminal){0}, &out), HAUL_OK);
    static const char *const parts[] = {"64 blocks of 256 threads; about 10.00 us.",
                                        "Shared Memory",
                                        "L1/TEX Cache",
                                        "L2 Cache",
                                        "Device Memory",
                                        "Theoretical Occupancy",
                                        "PTX Instruction",
                                        "and 2 more",
                                        "others",
                                        "a.cu:3: Shared Store: 4.00 wavefronts"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(text_string(&out), parts[i])) fail_msg("no `%s` in:\n%s", parts[i], text_string(&out));
    }
    text_free(&out);
    report_document_free(d);
}

static void a_page_has_the_memory_chart(void **state) {
    (void)state;
    const report_profile_options options = {.lines = 1, .mix = 2, .share = 1};
    report_document *d = report_document_new("profile", "Profile");
    assert_int_equal(report_add_profile(d, "one", &record, &options), HAUL_OK);
    text out = {0};
    assert_int_equal(report_write_html(d, &out), HAUL_OK);
    static const char *const parts[] = {"<title>Memory chart</title>", ">512 inst<",   ">4,096 sectors<",
                                        ">2,048 wavefronts<",          ">75.0% hits<", ">96.00 KiB<"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(text_string(&out), parts[i])) fail_msg("no `%s` in the page", parts[i]);
    }
    text_free(&out);
    report_document_free(d);
}

static void a_launch_without_traffic_has_no_tables(void **state) {
    (void)state;
    haul_launch_record empty = synthetic_launch(NULL, 0);
    const report_profile_options options = {.lines = 10, .mix = 10, .share = 1};
    json_t *json = NULL;
    assert_int_equal(report_profile_json(&empty, &options, &json), HAUL_OK);
    assert_int_equal(json_object_size(json_object_get(json, "tables")), 0);
    json_decref(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy_says_whether_registers_are_estimated),
        cmocka_unit_test(memory_tables_hold_the_traffic),
        cmocka_unit_test(l2_has_what_is_stored_and_a_total),
        cmocka_unit_test(code_and_constants_count_in_the_gpus_total),
        cmocka_unit_test(copies_with_all_lanes_off_are_told),
        cmocka_unit_test(speed_has_cycles_and_shares_of_peaks),
        cmocka_unit_test(a_gpu_s_time_stands_beside_the_estimate),
        cmocka_unit_test(warp_states_are_ordered_and_add_up),
        cmocka_unit_test(a_launch_without_an_estimate_has_no_speed),
        cmocka_unit_test(accesses_of_one_line_are_told_apart),
        cmocka_unit_test(the_mix_is_ordered_by_frequency),
        cmocka_unit_test(advice_names_kind_place_and_waste),
        cmocka_unit_test(the_text_shows_every_table),
        cmocka_unit_test(a_page_has_the_memory_chart),
        cmocka_unit_test(a_launch_without_traffic_has_no_tables),
    };
    return cmocka_run_group_tests(tests, make_launch, NULL);
}
