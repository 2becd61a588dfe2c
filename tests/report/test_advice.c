/* Traffic patterns and the advice they get. */
#include "report/profile/advice.h"
#include "synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The kind of the advice for the busiest line of these instructions, or "none". */
static const char *kind_for(haul_instruction_record *instructions, size_t count) {
    static arena memory;
    arena_free(&memory);
    haul_launch_record r = synthetic_launch(instructions, count);
    report_hotspots lines;
    report_advice *advice;
    size_t found;
    assert_int_equal(report_find_hotspots(&r, NULL, &memory, &lines), HAUL_OK);
    assert_int_equal(report_advise(&lines, 1, &memory, &advice, &found), HAUL_OK);
    return found ? advice[0].kind : "none";
}

static const char *kind_of(haul_memory_class class, haul_traffic traffic) {
    haul_instruction_record i = synthetic_instruction("x", class, "a.cu", 1, traffic);
    return kind_for(&i, 1);
}

static void good_accesses_get_none(void **state) {
    (void)state;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, synthetic_global(100, 4)), "none");
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, synthetic_global(100, 1)), "none"); /* broadcast */
    assert_string_equal(kind_of(HAUL_CLASS_SHARED_LOAD, synthetic_shared(100, 1)), "none");
}

static void one_sector_more_is_misalignment(void **state) {
    (void)state;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, synthetic_global(100, 5)), "misaligned");
    haul_traffic vectors = synthetic_global(100, 17);
    vectors.ideal_sectors = 1600, vectors.bytes = 51200;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, vectors), "misaligned");
}

static void a_stride_is_told_from_scattering(void **state) {
    (void)state;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, synthetic_global(100, 8)), "strided");
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_STORE, synthetic_global(100, 32)), "scattered");
}

static void four_scalars_side_by_side_want_a_vector(void **state) {
    (void)state;
    haul_instruction_record four[4];
    for (int i = 0; i < 4; i++)
        four[i] = synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 7, synthetic_global(100, 16));
    assert_string_equal(kind_for(four, 4), "scalar-batch");
}

static void three_members_are_a_structure(void **state) {
    (void)state;
    haul_instruction_record three[3];
    for (int i = 0; i < 3; i++)
        three[i] = synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 7, synthetic_global(100, 12));
    assert_string_equal(kind_for(three, 3), "array-of-structures");
}

static void banks_bypasses_and_local_memory_have_their_own(void **state) {
    (void)state;
    assert_string_equal(kind_of(HAUL_CLASS_SHARED_LOAD, synthetic_shared(100, 32)), "bank-conflicts");
    assert_string_equal(kind_of(HAUL_CLASS_LDGSTS_BYPASS, synthetic_global(100, 8)), "bypass-misaligned");
    assert_string_equal(kind_of(HAUL_CLASS_LDGSTS_ACCESS, synthetic_global(100, 4)), "narrow-async-copy");
    assert_string_equal(kind_of(HAUL_CLASS_LOCAL_LOAD, synthetic_global(100, 4)), "local-memory");
}

static void constants_that_lanes_look_up_differently_take_turns(void **state) {
    (void)state;
    haul_traffic t = {.instructions = 100, .threads = 3200, .requests = 3200, .bytes = 12800};
    assert_string_equal(kind_of(HAUL_CLASS_CONSTANT_LOAD, t), "constant-serialised");
    t.requests = 100;
    assert_string_equal(kind_of(HAUL_CLASS_CONSTANT_LOAD, t), "none");
}

static void idle_lanes_are_noticed(void **state) {
    (void)state;
    haul_traffic t = synthetic_global(100, 1); /* 4 lanes side by side */
    t.threads = 400, t.bytes = 1600, t.ideal_sectors = 100;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, t), "few-lanes");
    t = synthetic_global(100, 4); /* every other lane: no stride, the lanes between are missing */
    t.threads = 1600, t.bytes = 6400, t.ideal_sectors = 200;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, t), "few-lanes");
}

/* An index that is read side by side and the gather that it is for, on one line. */
static void the_worst_instruction_of_a_line_decides(void **state) {
    (void)state;
    haul_instruction_record two[] = {
        synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 7, synthetic_global(100, 4)),
        synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 7, synthetic_global(100, 32)),
    };
    assert_string_equal(kind_for(two, 2), "scattered");
}

static void a_lane_that_stores_for_its_warp_is_fine(void **state) {
    (void)state;
    haul_traffic leader = synthetic_global(100, 1);
    leader.threads = 100, leader.bytes = 400, leader.ideal_sectors = 100;
    haul_instruction_record two[] = {
        synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 7, synthetic_global(800, 4)),
        synthetic_instruction("st", HAUL_CLASS_GLOBAL_STORE, "a.cu", 8, leader),
    };
    assert_string_equal(kind_for(two, 2), "none");
}

static void lines_are_ordered_by_what_they_move(void **state) {
    (void)state;
    arena memory = {0};
    haul_instruction_record i[] = {
        synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "dir/a.cu", 3, synthetic_global(10, 4)),
        synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "dir/a.cu", 5, synthetic_global(30, 4)),
        synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "dir/a.cu", 3, synthetic_global(10, 4)),
        synthetic_instruction("add", HAUL_CLASS_NONE, "dir/a.cu", 3, (haul_traffic){.instructions = 99}),
    };
    haul_launch_record r = synthetic_launch(i, 4);
    report_hotspots lines;
    assert_int_equal(report_find_hotspots(&r, NULL, &memory, &lines), HAUL_OK);
    assert_int_equal(lines.count, 2);
    assert_int_equal(lines.items[0].line, 5);
    assert_string_equal(lines.items[0].name, "a.cu");
    assert_int_equal(lines.items[1].alike, 2);
    assert_int_equal(lines.items[0].share, 60);
    arena_free(&memory);
}

static void a_wrapper_counts_for_its_caller(void **state) {
    (void)state;
    arena memory = {0};
    const haul_source_place caller = {.file = "user.cu", .line = 12};
    haul_instruction_record i =
        synthetic_instruction("cp.async", HAUL_CLASS_LDGSTS_ACCESS, "x/toolchain/include/cuda_pipeline_primitives.h",
                              40, synthetic_global(1, 4));
    i.place.inlined_into = &caller;
    haul_launch_record r = synthetic_launch(&i, 1);
    report_hotspots lines;
    assert_int_equal(report_find_hotspots(&r, NULL, &memory, &lines), HAUL_OK);
    assert_string_equal(lines.items[0].name, "user.cu");
    assert_int_equal(lines.items[0].line, 12);
    arena_free(&memory);
}

static void without_line_information_the_ptx_is_named(void **state) {
    (void)state;
    arena memory = {0};
    haul_instruction_record i =
        synthetic_instruction("ld.global.f32", HAUL_CLASS_GLOBAL_LOAD, NULL, 0, synthetic_global(1, 4));
    haul_launch_record r = synthetic_launch(&i, 1);
    report_hotspots lines;
    assert_int_equal(report_find_hotspots(&r, NULL, &memory, &lines), HAUL_OK);
    assert_string_equal(lines.items[0].name, "PTX");
    assert_int_equal(lines.items[0].line, 100);
    assert_string_equal(lines.items[0].source, "ld.global.f32");
    arena_free(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_accesses_get_none),
        cmocka_unit_test(one_sector_more_is_misalignment),
        cmocka_unit_test(a_stride_is_told_from_scattering),
        cmocka_unit_test(four_scalars_side_by_side_want_a_vector),
        cmocka_unit_test(three_members_are_a_structure),
        cmocka_unit_test(banks_bypasses_and_local_memory_have_their_own),
        cmocka_unit_test(constants_that_lanes_look_up_differently_take_turns),
        cmocka_unit_test(idle_lanes_are_noticed),
        cmocka_unit_test(the_worst_instruction_of_a_line_decides),
        cmocka_unit_test(a_lane_that_stores_for_its_warp_is_fine),
        cmocka_unit_test(lines_are_ordered_by_what_they_move),
        cmocka_unit_test(a_wrapper_counts_for_its_caller),
        cmocka_unit_test(without_line_information_the_ptx_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
