/* Timelines from recorded operations: no device is needed. */
#include "report/write/timeline.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static haul_operation operations[] = {
    {HAUL_ENGINE_TO_DEVICE, 0, 1000, 0, 10, 0},
    {HAUL_ENGINE_TO_DEVICE, 1, 1000, 10, 20, 0},
    {HAUL_ENGINE_KERNEL, 0, 0, 10, 12, 0},
    {HAUL_ENGINE_TO_HOST, 0, 1000, 12, 22, 0},
};

static haul_timeline timeline(void) {
    haul_timeline t = {.machine = "h100", .operations = operations, .count = 4, .elapsed_us = 40};
    t.busy_us[HAUL_ENGINE_TO_DEVICE] = 20;
    t.busy_us[HAUL_ENGINE_KERNEL] = 2;
    t.busy_us[HAUL_ENGINE_TO_HOST] = 10;
    return t;
}

static void the_busiest_engine_over_the_elapsed_time_is_the_efficiency(void **state) {
    (void)state;
    const haul_timeline t = timeline(), none = {0};
    assert_int_equal(haul_timeline_busiest(&t), HAUL_ENGINE_TO_DEVICE);
    assert_true(haul_timeline_efficiency(&t) == 0.5);
    assert_true(haul_timeline_efficiency(&none) == 0);
}

static void the_chart_shows_chunks_in_their_time(void **state) {
    (void)state;
    const haul_timeline t = timeline();
    text out = {0};
    report_put_timeline(&out, &t, 20);
    assert_string_equal(text_string(&out), "to device  0000011111..........\n"
                                           "kernel     .....0..............\n"
                                           "to host    ......00000.........\n"
                                           "           0           40.00 us\n");
    text_free(&out);
}

static void trace_events_are_json(void **state) {
    (void)state;
    const haul_timeline t = timeline();
    text out = {0};
    report_put_timeline_trace(&out, &t);
    json_t *all = json_loads(text_string(&out), 0, NULL), *events = json_object_get(all, "traceEvents");
    assert_int_equal(json_array_size(events), 1 + 2 * 3 + 4);
    json_t *last = json_array_get(events, json_array_size(events) - 1);
    assert_string_equal(json_string_value(json_object_get(last, "name")), "chunk 0");
    assert_true(json_number_value(json_object_get(last, "ts")) == 12);
    json_decref(all);
    text_free(&out);
}

static void the_picture_has_a_box_for_each_operation(void **state) {
    (void)state;
    const haul_timeline t = timeline();
    text out = {0};
    size_t boxes = 0;
    report_put_timeline_svg(&out, &t);
    for (const char *at = text_string(&out); (at = strstr(at, "<rect")); at++) boxes++;
    assert_int_equal(boxes, 4);
    assert_non_null(strstr(text_string(&out), "to host, chunk 0: 10.00 us from 12.00 us on"));
    text_free(&out);
}

static void an_empty_timeline_is_no_trouble(void **state) {
    (void)state;
    const haul_timeline t = {0};
    text out = {0};
    report_document *d = report_document_new("stream", "Stream");
    report_add_timeline(report_add_section(d, "s", "S"), &t);
    assert_int_equal(report_write_html(d, &out), HAUL_OK);
    report_document_free(d);
    text_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_engine_over_the_elapsed_time_is_the_efficiency),
        cmocka_unit_test(the_chart_shows_chunks_in_their_time),
        cmocka_unit_test(trace_events_are_json),
        cmocka_unit_test(the_picture_has_a_box_for_each_operation),
        cmocka_unit_test(an_empty_timeline_is_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
