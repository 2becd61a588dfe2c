/* Which accesses are kept as samples, and which conflicts are counted. */
#include "kernel.h"

enum { LANES = 32 };

static const char ptx[] = HEAD
    ".visible .entry loads(.param .u64 p_out, .param .u64 p_stride) {\n"
    ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd0, [p_out];\nld.param.u64 %rd1, [p_stride];\n"
    "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 32, %r0;\n"
    "cvt.u64.u32 %rd2, %r1;\nmad.lo.u64 %rd3, %rd2, %rd1, %rd0;\n"
    "ld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd0], %r2;\nret;\n}\n"
    /* each lane reads a word of shared memory, a multiple of 32 bytes apart, repeatedly */
    ".visible .entry conflicts(.param .u64 p_out, .param .u64 p_stride) {\n"
    ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .pred %p0;\n.shared .align 16 .b8 s[8192];\n"
    "ld.param.u64 %rd0, [p_out];\nld.param.u64 %rd1, [p_stride];\ncvt.u32.u64 %r1, %rd1;\n"
    "mov.u32 %r0, %tid.x;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, %r1, %r2;\nmov.u32 %r4, 0;\nmov.u32 %r6, 0;\n"
    "again:\nst.shared.u32 [%r3], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [%r3];\nadd.u32 %r6, %r6, %r5;\nadd.u32 %r4, "
    "%r4, 1;\n"
    "setp.lt.u32 %p0, %r4, 5000;\n@%p0 bra again;\nst.global.u32 [%rd0], %r6;\nret;\n}\n"
    /* a warp's 512 bytes from rows of 64 bytes, 256 bytes apart */
    ".visible .entry copies(.param .u64 p_in, .param .u64 p_unused) {\n"
    ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.shared .align 128 .b8 t[512];\n"
    "ld.param.u64 %rd0, [p_in];\nmov.u32 %r0, %tid.x;\n"
    "shr.u32 %r1, %r0, 2;\nand.b32 %r2, %r0, 3;\nshl.b32 %r1, %r1, 8;\nshl.b32 %r2, %r2, 4;\nadd.u32 %r1, %r1, %r2;\n"
    "cvt.u64.u32 %rd1, %r1;\nadd.u64 %rd1, %rd1, %rd0;\n"
    "mov.u32 %r3, t;\nshl.b32 %r4, %r0, 4;\nadd.u32 %r3, %r3, %r4;\n"
    "cp.async.cg.shared.global [%r3], [%rd1], 16;\ncp.async.wait_all;\nret;\n}\n";

typedef struct launched {
    haul_device *device;
    haul_run *run;
    uint64_t buffer;
} launched;

static launched launch(const char *kernel, int64_t stride, uint32_t blocks, uint32_t host_threads) {
    const haul_device_options options = {.threads = host_threads};
    launched l;
    haul_module *module;
    haul_buffer *buffer;
    assert_int_equal(haul_device_open("sim:h100", &options, &l.device), HAUL_OK);
    assert_int_equal(haul_module_load(l.device, "test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(haul_buffer_create(l.device, 1 << 20, &buffer), HAUL_OK);
    assert_int_equal(haul_run_create(l.device, &l.run), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = buffer},
                                       {.kind = HAUL_ARGUMENT_I64, .integer = stride}};
    const haul_launch given = {
        .kernel = kernel, .grid = {blocks, 1, 1}, .block = {LANES, 1, 1}, .arguments = arguments, .argument_count = 2};
    if (haul_launch_run(module, &given, l.run) != HAUL_OK) fail_msg("%s: %s", kernel, haul_message());
    l.buffer = haul_buffer_address(buffer);
    return l;
}

static void end(launched *l) {
    haul_run_free(l->run);
    haul_device_close(l->device);
}

static const haul_instruction_record *find(const launched *l, haul_memory_class class) {
    const haul_launch_record *r = &l->run->launches[0];
    for (size_t i = 0; i < r->instruction_count; i++)
        if (r->instructions[i].memory_class == class) return &r->instructions[i];
    fail_msg("no instruction of class %s", haul_class_names[class]);
    return NULL;
}

static void accesses_that_waste_nothing_are_not_kept(void **state) {
    (void)state;
    launched l = launch("loads", 4, 4, 1);
    assert_int_equal(find(&l, HAUL_CLASS_GLOBAL_LOAD)->sample_count, 0);
    end(&l);
    l = launch("conflicts", 4, 1, 1);
    assert_int_equal(find(&l, HAUL_CLASS_SHARED_LOAD)->sample_count, 0);
    end(&l);
}

/* Strides of 8 bytes are counted as spans, of 64 bytes lane by lane. */
static void others_are_kept_with_their_lanes(void **state) {
    (void)state;
    for (uint64_t stride = 8; stride <= 64; stride *= 8) {
        launched l = launch("loads", (int64_t)stride, 1, 1);
        const haul_instruction_record *r = find(&l, HAUL_CLASS_GLOBAL_LOAD);
        assert_int_equal(r->sample_count, 1);
        assert_int_equal(r->samples[0].active, UINT32_MAX);
        assert_int_equal(r->samples[0].bytes, 4);
        for (uint64_t lane = 0; lane < LANES; lane++)
            assert_true(r->samples[0].global[lane] == l.buffer + lane * stride);
        end(&l);
    }
}

static void the_same_are_kept_by_any_number_of_host_threads(void **state) {
    (void)state;
    launched one = launch("loads", 64, 300, 1), three = launch("loads", 64, 300, 3);
    const haul_instruction_record *a = find(&one, HAUL_CLASS_GLOBAL_LOAD), *b = find(&three, HAUL_CLASS_GLOBAL_LOAD);
    assert_int_equal(a->sample_count, b->sample_count);
    assert_true(a->sample_count > 4);
    for (size_t i = 0; i < a->sample_count; i++)
        assert_true(a->samples[i].global[0] - one.buffer == b->samples[i].global[0] - three.buffer);
    end(&one);
    end(&three);
}

/* Interpreted first, then compiled. */
static void bank_conflicts_are_kept(void **state) {
    (void)state;
    launched l = launch("conflicts", 64, 1, 1);
    const haul_memory_class classes[] = {HAUL_CLASS_SHARED_STORE, HAUL_CLASS_SHARED_LOAD};
    for (size_t i = 0; i < 2; i++) {
        const haul_instruction_record *r = find(&l, classes[i]);
        assert_true(r->sample_count > 0);
        assert_int_equal(r->samples[0].shared[3] - r->samples[0].shared[0], 3 * 64);
        assert_int_equal(r->traffic.bank_conflicts, 15 * 5000);
    }
    end(&l);
}

/* Two lines are read for each line that is written. That doubles the wavefronts, but no bank is used twice, and Nsight
 * Compute counts no conflicts (async16 in tests/data/truth: 192 wavefronts, 128 of them excessive, no conflict). */
static void copies_around_l1_have_no_bank_conflicts(void **state) {
    (void)state;
    launched l = launch("copies", 0, 1, 1);
    const haul_launch_record *r = &l.run->launches[0];
    const haul_traffic *t = &r->classes[HAUL_CLASS_LDGSTS_BYPASS];
    assert_int_equal(t->shared_wavefronts, 8);
    assert_int_equal(t->ideal_shared_wavefronts, 4);
    assert_int_equal(t->bank_conflicts, 0);
    assert_true(r->counters[HAUL_COUNTER_SHARED_LDGSTS_CONFLICTS] == 0);
    assert_true(r->counters[HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS] == 8);
    assert_int_equal(find(&l, HAUL_CLASS_LDGSTS_BYPASS)->sample_count, 1);
    end(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_that_waste_nothing_are_not_kept),
        cmocka_unit_test(others_are_kept_with_their_lanes),
        cmocka_unit_test(the_same_are_kept_by_any_number_of_host_threads),
        cmocka_unit_test(bank_conflicts_are_kept),
        cmocka_unit_test(copies_around_l1_have_no_bank_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
