/* Tables in the layout of ncu --csv: cells as Nsight Compute prints them, and what src/lib/ncu reads from them. */
#include "lib/ncu/ncu.h"
#include "report/ncu/metrics.h"
#include "report/ncu/ncu.h"
#include "synthetic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static haul_instruction_record instructions[2];

/* Two instructions of a kernel on an H100: each counter has another value. */
static haul_launch_record a_launch(void) {
    instructions[0] =
        synthetic_instruction("ld.global.f32", HAUL_CLASS_GLOBAL_LOAD, "k.cu", 3, synthetic_global(8, 16));
    instructions[1] = synthetic_instruction("fma.rn.f32", HAUL_CLASS_NONE, "k.cu", 4,
                                            (haul_traffic){.instructions = 10, .threads = 320});
    haul_launch_record r = synthetic_launch(instructions, 2);
    r.kernel = "_Z5saxpyifPKfPf";
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) r.counters[i] = (double)(1234567 + i);
    r.occupancy = (haul_occupancy){.blocks_per_sm = 8,
                                   .warps_per_sm = 64,
                                   .max_warps_per_sm = 64,
                                   .limit_blocks = 32,
                                   .limit_registers = 16,
                                   .limit_shared = 200,
                                   .limit_warps = 8,
                                   .registers_per_thread = 16,
                                   .shared_per_block = 1024,
                                   .shared_carveout = 32768};
    r.estimate = (haul_estimate){.cycles = 12000, .sm_mhz = 1500, .memory_share = 0.125, .instructions = 100};
    return r;
}

/* Numbers have separators, whatever locale the test runs in. */
static int separate(void **state) {
    (void)state;
    return setenv("LC_ALL", "en_US.UTF-8", 1);
}

static void put(const report_ncu_options *options, const haul_launch_record *r, size_t times, text *out) {
    report_ncu_table *t;
    const report_ncu_launch launch = {.record = r, .machine = sim_machine_find("h100")};
    assert_int_equal(report_ncu_open(options, &t), HAUL_OK);
    for (size_t i = 0; i < times; i++) assert_int_equal(report_ncu_put(t, &launch, out), HAUL_OK);
    report_ncu_close(t);
}

static void has(const text *out, const char *words) {
    if (!strstr(text_string(out), words)) fail_msg("no %s in\n%s", words, text_string(out));
}

static void metrics_that_were_asked_for_have_names_units_and_separated_thousands(void **state) {
    (void)state;
    const haul_launch_record r = a_launch();
    text out = {0};
    put(&(report_ncu_options){.metrics = "gpu__time_duration.sum,dram__sectors_read,launch__waves_per_multiprocessor"},
        &r, 1, &out);
    has(&out, "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n");
    has(&out, ",\"127.0.0.1\",\"saxpy(int, float, const float *, float *)\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 1, "
              "1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"gpu__time_duration.sum\",\"ns\",\"9,600\"\n");
    has(&out, "\"dram__sectors_read.sum\",\"sector\",\"1,234,6");
    has(&out, "\"launch__waves_per_multiprocessor\",\"\",\"0.06\"\n");
    text_free(&out);
}

static void thousands_are_not_separated_in_the_locale_c(void **state) {
    (void)state;
    const haul_launch_record r = a_launch();
    text out = {0};
    setenv("LC_ALL", "C.UTF-8", 1);
    put(&(report_ncu_options){.metrics = "gpu__time_duration.sum,launch__waves_per_multiprocessor"}, &r, 1, &out);
    has(&out, "\"ns\",\"9600\"\n");
    has(&out, "\"\",\"0.06\"\n");
    text_free(&out);
    separate(state);
}

static void declarations_have_const_first_and_a_blank_before_pointers(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"_Z1kPKPKf", "k(const float * const *)"},
        {"_Z2ldIfLi4EEvPT_PKS0_i", "void ld<float, 4>(float *, const float *, int)"},
        {"_Z1kRKSt4pairIiPKcE", "k(const std::pair<int, const char *> &)"},
        {"plain", "plain"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        haul_launch_record r = a_launch();
        char cell[256];
        text out = {0};
        r.kernel = names[i][0];
        put(&(report_ncu_options){.page = "raw"}, &r, 1, &out);
        snprintf(cell, sizeof cell, ",\"%s\",", names[i][1]);
        has(&out, cell);
        text_free(&out);
    }
}

static void sections_have_labels(void **state) {
    (void)state;
    const haul_launch_record r = a_launch();
    text out = {0};
    put(&(report_ncu_options){.kernel_base = "function"}, &r, 1, &out);
    has(&out,
        "\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated "
        "Speedup\"\n");
    has(&out, ",\"saxpy\",");
    has(&out, "\"GPU Speed Of Light Throughput\",\"DRAM Throughput\",\"%\",\"12.50\",\n");
    has(&out, "\"Occupancy\",\"Theoretical Occupancy\",\"%\",\"100\",\n");
    has(&out, "\"Occupancy\",\"Block Limit Shared Mem\",\"block\",\"32\",\n");
    text_free(&out);
}

static void a_metric_that_is_not_there_is_not_available(void **state) {
    (void)state;
    const haul_launch_record r = a_launch();
    const report_ncu_options options = {.metrics = "pcie__read_bytes.sum,dram__bytes.sum"};
    report_ncu_table *t;
    text out = {0}, missing = {0};
    put(&options, &r, 1, &out);
    has(&out, "\"pcie__read_bytes.sum\",\"\",\"n/a\"\n");
    assert_int_equal(report_ncu_open(&options, &t), HAUL_OK);
    report_ncu_put_missing(t, &missing);
    assert_string_equal(text_string(&missing), "pcie__read_bytes.sum");
    report_ncu_close(t);
    text_free(&out);
    text_free(&missing);
}

static double value_of(const haul_launch_record *r, const char *name) {
    double *values = calloc(report_ncu_metric_count, sizeof *values), value = -1;
    report_ncu_compute(r, sim_machine_find("h100"), values);
    for (size_t i = 0; i < report_ncu_metric_count; i++)
        if (strcmp(report_ncu_metrics[i].name, name) == 0) value = values[i];
    free(values);
    return value;
}

static void rooflines_find_arithmetic_and_bytes(void **state) {
    (void)state;
    const haul_launch_record r = a_launch();
    assert_float_equal(value_of(&r, "sm__sass_thread_inst_executed_op_ffma_pred_on.sum"), 320, 0);
    assert_float_equal(value_of(&r, "sm__sass_thread_inst_executed_op_dadd_pred_on.sum"), 0, 0);
    assert_float_equal(value_of(&r, "l1tex__t_bytes.sum"), 8 * 16 * 32, 0);
    assert_true(value_of(&r, "dram__bytes_read.sum") == 32 * r.counters[HAUL_COUNTER_DRAM_READ_SECTORS]);
    assert_float_equal(value_of(&r, "sm__cycles_elapsed.avg"), 14400, 0);
}

static void a_launch_without_an_estimate_has_no_estimated_metrics(void **state) {
    (void)state;
    haul_launch_record r = a_launch();
    r.estimate = (haul_estimate){0};
    assert_true(isnan(value_of(&r, "gpu__time_duration.sum")));
    assert_true(isnan(value_of(&r, "sm__throughput.avg.pct_of_peak_sustained_elapsed")));
    r.measured_us = 3;
    assert_float_equal(value_of(&r, "gpu__time_duration.sum"), 3000, 0);
}

/* Nsight Compute shows some metrics in two sections. */
static void no_metric_has_two_values(void **state) {
    (void)state;
    const haul_launch_record r = a_launch();
    double *values = calloc(report_ncu_metric_count, sizeof *values);
    report_ncu_compute(&r, sim_machine_find("h100"), values);
    for (size_t i = 0; i < report_ncu_metric_count; i++)
        for (size_t k = i + 1; k < report_ncu_metric_count; k++) {
            const report_ncu_metric *a = &report_ncu_metrics[i], *b = &report_ncu_metrics[k];
            if (strcmp(a->name, b->name) != 0) continue;
            if (!a->label || !b->label || a->section == b->section) fail_msg("%s is there twice", a->name);
            if (!(values[i] == values[k])) fail_msg("%s has two values", a->name);
            assert_string_equal(a->unit, b->unit);
        }
    free(values);
}

static void the_raw_page_is_read_by_the_reader_of_ncu(void **state) {
    (void)state;
    haul_launch_record r = a_launch(), read = {.kernel = r.kernel, .grid = {64, 1, 1}, .block = {256, 1, 1}};
    ncu_report report = {0};
    text out = {0};
    put(&(report_ncu_options){.page = "raw", .kernel_base = "mangled"}, &r, 2, &out);
    if (ncu_read_csv(&report, text_string(&out), out.length) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(report.count, 2);
    assert_int_equal(ncu_fill(&report, 1, &read), HAUL_OK);
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) assert_true(read.counters[i] == r.counters[i]);
    assert_int_equal(read.occupancy.registers_per_thread, 16);
    assert_int_equal(read.occupancy.blocks_per_sm, 8);
    assert_int_equal(read.occupancy.warps_per_sm, 64);
    assert_int_equal(read.occupancy.max_warps_per_sm, 64);
    assert_int_equal(read.occupancy.shared_carveout, 32768);
    ncu_report_free(&report);
    text_free(&out);
}

static void refuse(const report_ncu_options *options, const char *words) {
    report_ncu_table *t;
    assert_int_equal(report_ncu_open(options, &t), HAUL_ERROR_ARGUMENT);
    if (!strstr(haul_message(), words)) fail_msg("'%s' has no '%s'", haul_message(), words);
}

static void wrong_options_are_told(void **state) {
    (void)state;
    refuse(&(report_ncu_options){.page = "source"}, "--page: `source` is not a page");
    refuse(&(report_ncu_options){.kernel_base = "plain"}, "--print-kernel-base: `plain`");
    refuse(&(report_ncu_options){.metrics = "regex:("}, "--metrics: `(`");
    refuse(&(report_ncu_options){.metrics = ","}, "has no metric");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_that_were_asked_for_have_names_units_and_separated_thousands),
        cmocka_unit_test(thousands_are_not_separated_in_the_locale_c),
        cmocka_unit_test(declarations_have_const_first_and_a_blank_before_pointers),
        cmocka_unit_test(sections_have_labels),
        cmocka_unit_test(a_metric_that_is_not_there_is_not_available),
        cmocka_unit_test(rooflines_find_arithmetic_and_bytes),
        cmocka_unit_test(a_launch_without_an_estimate_has_no_estimated_metrics),
        cmocka_unit_test(no_metric_has_two_values),
        cmocka_unit_test(the_raw_page_is_read_by_the_reader_of_ncu),
        cmocka_unit_test(wrong_options_are_told),
    };
    return cmocka_run_group_tests(tests, separate, NULL);
}
