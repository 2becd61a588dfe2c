/* Traces of launches: parts of a kernel, and places of blocks. */
#include "report/trace/parts.h"
#include "report/trace/trace.h"
#include "synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* A load, a barrier and a sum; half of the time is spent at the barrier. */
static haul_launch_record a_launch(haul_instruction_record instructions[4]) {
    const haul_traffic once = {.instructions = 8, .threads = 256}, never = {0};
    instructions[0] = synthetic_instruction("mov.u32", HAUL_CLASS_NONE, "k.cu", 3, once);
    instructions[1] = synthetic_instruction("bar.sync", HAUL_CLASS_NONE, "k.cu", 4, once);
    instructions[2] = synthetic_instruction("add.f32", HAUL_CLASS_NONE, "k.cu", 6, once);
    instructions[3] = synthetic_instruction("bar.sync", HAUL_CLASS_NONE, "k.cu", 7, never);
    haul_launch_record r = synthetic_launch(instructions, 4);
    r.estimate = (haul_estimate){.cycles = 3000, .sm_mhz = 1000, .instructions = 24};
    r.estimate.stalls[HAUL_STALL_SELECTED] = 300;
    r.estimate.stalls[HAUL_STALL_BARRIER] = 300;
    r.occupancy.blocks_per_sm = 1;
    return r;
}

static void parts_end_at_barriers_which_have_the_time_that_warps_wait(void **state) {
    (void)state;
    haul_instruction_record instructions[4];
    const haul_launch_record r = a_launch(instructions);
    arena memory = {0};
    size_t count;
    const report_part *parts = report_find_parts(&r, &memory, &count);
    assert_int_equal(count, 3); /* what was not executed is left out */
    assert_string_equal(parts[0].name, "line 3");
    assert_string_equal(parts[1].name, "barrier, line 4");
    assert_string_equal(parts[2].name, "line 6");
    assert_float_equal(parts[0].share, 1.0 / 6, 1e-6);
    assert_float_equal(parts[1].share, 4.0 / 6, 1e-6);
    assert_float_equal(parts[2].share, 1.0 / 6, 1e-6);
    arena_free(&memory);
}

static void has(const text *out, const char *words) {
    if (!strstr(text_string(out), words)) fail_msg("no %s in\n%s", words, text_string(out));
}

static void a_kernel_runs_at_the_end_of_its_span(void **state) {
    (void)state;
    haul_instruction_record instructions[4];
    haul_launch_record r = a_launch(instructions);
    r.grid[0] = 2;
    report_trace *t = report_trace_new();
    text out = {0};
    report_trace_add_work(t, &(report_trace_span){0, 2, 0, 3}, "copy \"to\" device", 64);
    report_trace_add_launch(t, &(report_trace_span){2, 10, 0, 0}, "k", &r, sim_machine_find("h100"));
    assert_int_equal(report_trace_put(t, &out), HAUL_OK);
    has(&out, "\"tid\":4,\"name\":\"copy \\\"to\\\" device\",\"ts\":0.000,\"dur\":2.000,\"args\":{\"bytes\":64}");
    has(&out, "\"name\":\"stream 3\"");
    has(&out, "\"name\":\"k\",\"ts\":2.000,\"dur\":8.000");
    has(&out, "\"name\":\"block (1,0,0)\",\"ts\":7.000,\"dur\":3.000");
    has(&out, "\"name\":\"barrier, line 4\",\"ts\":7.500,\"dur\":2.000");
    has(&out, "\"name\":\"SM 1, place 0\"");
    report_trace_free(t);
    text_free(&out);
}

static void blocks_beyond_the_limit_are_counted(void **state) {
    (void)state;
    haul_instruction_record instructions[4];
    haul_launch_record r = a_launch(instructions);
    r.grid[0] = 5000;
    report_trace *t = report_trace_new();
    text out = {0};
    report_trace_add_launch(t, &(report_trace_span){0, 10, 0, 0}, "k", &r, sim_machine_find("h100"));
    assert_int_equal(report_trace_put(t, &out), HAUL_OK);
    has(&out, "\"omitted_blocks\":904");
    report_trace_free(t);
    text_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_end_at_barriers_which_have_the_time_that_warps_wait),
        cmocka_unit_test(a_kernel_runs_at_the_end_of_its_span),
        cmocka_unit_test(blocks_beyond_the_limit_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
