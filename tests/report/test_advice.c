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

static const char *kind_of(haul_memory_class class, haul_traffic traffic, const haul_access *sample) {
    haul_instruction_record i = synthetic_instruction("x", class, "a.cu", 1, traffic);
    i.samples = sample;
    i.sample_count = sample != NULL;
    return kind_for(&i, 1);
}

/* The active lanes' bytes lie `stride` bytes apart, in global memory from `first` on and in shared memory. */
static const haul_access *lanes_at(uint32_t active, uint64_t first, uint32_t stride, uint32_t bytes) {
    static haul_access kept[8];
    static size_t next;
    haul_access *a = &kept[next++ % 8];
    *a = (haul_access){.active = active, .bytes = bytes};
    for (uint32_t l = 0; l < 32; l++) {
        if (!(active >> l & 1)) continue;
        a->global[l] = 4096 + first + l * stride;
        a->shared[l] = 1024 + l * stride;
    }
    return a;
}

static const uint32_t FULL = UINT32_MAX; /* warp */

static void good_accesses_get_none(void **state) {
    (void)state;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, synthetic_global(100, 4), NULL), "none");
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, synthetic_global(100, 1), NULL), "none"); /* broadcast */
    assert_string_equal(kind_of(HAUL_CLASS_SHARED_LOAD, synthetic_shared(100, 1), NULL), "none");
}

static void what_no_sample_explains_gets_none(void **state) {
    (void)state;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, synthetic_global(100, 8), NULL), "none");
    assert_string_equal(kind_of(HAUL_CLASS_SHARED_LOAD, synthetic_shared(100, 8), NULL), "none");
}

static void one_sector_more_is_misalignment(void **state) {
    (void)state;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, synthetic_global(100, 5), lanes_at(FULL, 4, 4, 4)),
                        "misaligned");
    haul_traffic vectors = synthetic_global(100, 17);
    vectors.ideal_sectors = 1600, vectors.bytes = 51200;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, vectors, lanes_at(FULL, 16, 16, 16)), "misaligned");
}

static void a_stride_is_told_from_scattering(void **state) {
    (void)state;
    haul_access strewn = *lanes_at(FULL, 0, 512, 4);
    for (uint32_t l = 0; l < 32; l++) strewn.global[l] += l * l * 64;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, synthetic_global(100, 8), lanes_at(FULL, 0, 8, 4)), "strided");
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_STORE, synthetic_global(100, 32), lanes_at(FULL, 0, 4096, 4)),
                        "strided");
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_STORE, synthetic_global(100, 32), &strewn), "scattered");
}

/* `count` loads of one line, whose lanes lie `stride` bytes apart: the k-th `apart` bytes behind the one before. */
static const char *kind_of_members(size_t count, uint32_t stride, uint64_t first, uint64_t apart) {
    haul_instruction_record members[4];
    for (size_t k = 0; k < count; k++) {
        members[k] = synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 7, synthetic_global(100, stride));
        members[k].samples = lanes_at(FULL, first + k * apart, stride, 4);
        members[k].sample_count = 1;
    }
    return kind_for(members, count);
}

static void scalars_that_fill_an_aligned_vector_want_one(void **state) {
    (void)state;
    assert_string_equal(kind_of_members(4, 16, 0, 4), "scalar-batch");
    assert_string_equal(kind_of_members(2, 8, 0, 4), "scalar-batch");
    assert_string_equal(kind_of_members(4, 16, 4, 4), "array-of-structures"); /* no vector may begin there */
    assert_string_equal(kind_of_members(2, 16, 0, 4), "array-of-structures"); /* half of it is not read */
    assert_string_equal(kind_of_members(2, 8, 0, 65536), "strided");          /* two arrays */
}

static void three_members_are_a_structure(void **state) {
    (void)state;
    assert_string_equal(kind_of_members(3, 12, 0, 4), "array-of-structures");
}

static void banks_bypasses_and_local_memory_have_their_own(void **state) {
    (void)state;
    const haul_access *side_by_side = lanes_at(FULL, 0, 4, 4), *apart = lanes_at(FULL, 0, 128, 4);
    assert_string_equal(kind_of(HAUL_CLASS_SHARED_LOAD, synthetic_shared(100, 32), apart), "bank-conflicts");
    assert_string_equal(kind_of(HAUL_CLASS_LDGSTS_BYPASS, synthetic_global(100, 8), side_by_side), "bypass-misaligned");
    assert_string_equal(kind_of(HAUL_CLASS_LDGSTS_ACCESS, synthetic_global(100, 4), side_by_side), "narrow-async-copy");
    assert_string_equal(kind_of(HAUL_CLASS_LDGSTS_ACCESS, synthetic_global(100, 4), lanes_at(FULL, 4, 4, 4)),
                        "none"); /* 16 bytes a lane would not be aligned */
    assert_string_equal(kind_of(HAUL_CLASS_LOCAL_LOAD, synthetic_global(100, 4), NULL), "local-memory");
}

/* Twice the wavefronts for lines that are split are no bank conflicts, and no padding helps. */
static void a_copy_around_l1_has_no_bank_conflicts(void **state) {
    (void)state;
    haul_traffic t = synthetic_global(100, 16);
    t.ideal_sectors = 1600, t.bytes = 51200, t.shared_wavefronts = 800, t.ideal_shared_wavefronts = 400;
    assert_string_equal(kind_of(HAUL_CLASS_LDGSTS_BYPASS, t, lanes_at(FULL, 64, 16, 16)), "copy-lines");
}

static void constants_that_lanes_look_up_differently_take_turns(void **state) {
    (void)state;
    const haul_access *apart = lanes_at(FULL, 0, 4, 4);
    haul_traffic t = {.instructions = 100, .threads = 3200, .requests = 3200, .bytes = 12800};
    assert_string_equal(kind_of(HAUL_CLASS_CONSTANT_LOAD, t, apart), "constant-serialised");
    t.requests = 100;
    assert_string_equal(kind_of(HAUL_CLASS_CONSTANT_LOAD, t, NULL), "none");
    t.requests = 200; /* 16 bytes at one place */
    assert_string_equal(kind_of(HAUL_CLASS_CONSTANT_LOAD, t, NULL), "none");
}

static void idle_lanes_are_noticed(void **state) {
    (void)state;
    haul_traffic t = synthetic_global(2000, 1); /* 4 lanes side by side, in a loop of 512 warps */
    t.threads = 8000, t.bytes = 32000, t.ideal_sectors = 2000;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, t, NULL), "few-lanes");
    t = synthetic_global(500, 1);
    t.threads = 2000, t.bytes = 8000, t.ideal_sectors = 500;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, t, NULL), "none"); /* once a warp is no matter */
    t = synthetic_global(100, 4); /* every other lane: no stride, the lanes between are missing */
    t.threads = 1600, t.bytes = 6400, t.ideal_sectors = 200;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, t, lanes_at(0x55555555, 0, 4, 4)), "few-lanes");
}

/* Once for each warp it may be what the algorithm is; in a loop the others wait for it. */
static void one_lane_is_told_from_a_condition(void **state) {
    (void)state;
    haul_traffic t = synthetic_global(512, 1);
    t.threads = 512, t.bytes = 2048, t.ideal_sectors = 512;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, t, NULL), "none");
    t = synthetic_global(51200, 1);
    t.threads = 51200, t.bytes = 204800, t.ideal_sectors = 51200;
    assert_string_equal(kind_of(HAUL_CLASS_GLOBAL_LOAD, t, NULL), "one-lane");
}

static haul_instruction_record with_sample(haul_instruction_record r, const haul_access *sample) {
    r.samples = sample;
    r.sample_count = 1;
    return r;
}

/* An index that is read side by side and the column that it is for, on one line. */
static void the_worst_instruction_of_a_line_decides(void **state) {
    (void)state;
    haul_instruction_record two[] = {
        synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 7, synthetic_global(100, 4)),
        with_sample(synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 7, synthetic_global(100, 32)),
                    lanes_at(FULL, 0, 512, 4)),
    };
    assert_string_equal(kind_for(two, 2), "strided");
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
        cmocka_unit_test(what_no_sample_explains_gets_none),
        cmocka_unit_test(one_sector_more_is_misalignment),
        cmocka_unit_test(a_stride_is_told_from_scattering),
        cmocka_unit_test(scalars_that_fill_an_aligned_vector_want_one),
        cmocka_unit_test(three_members_are_a_structure),
        cmocka_unit_test(banks_bypasses_and_local_memory_have_their_own),
        cmocka_unit_test(a_copy_around_l1_has_no_bank_conflicts),
        cmocka_unit_test(constants_that_lanes_look_up_differently_take_turns),
        cmocka_unit_test(idle_lanes_are_noticed),
        cmocka_unit_test(one_lane_is_told_from_a_condition),
        cmocka_unit_test(the_worst_instruction_of_a_line_decides),
        cmocka_unit_test(a_lane_that_stores_for_its_warp_is_fine),
        cmocka_unit_test(lines_are_ordered_by_what_they_move),
        cmocka_unit_test(a_wrapper_counts_for_its_caller),
        cmocka_unit_test(without_line_information_the_ptx_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
