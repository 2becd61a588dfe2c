/* Memory spaces: addresses, and accesses that must fail. */
#include "kernel.h"

/* ---- variables of modules ---- */

static void variables_are_initialised_and_refer_to_each_other(void **state) {
    (void)state;
    uint32_t out[8];
    run_words(KERNEL_WITH(".global .align 4 .u32 numbers[4] = {11, 22, 33, 44};\n"
                          ".global .align 8 .u64 pointers[2] = {numbers+8, generic(numbers)};\n"
                          ".const .align 8 .u64 to_pointers = pointers;\n"
                          ".const .f32 fraction = 0f3FC00000;\n"
                          ".global .align 4 .u8 bytes[8] = {1, 2, 3, 4, 0xff(numbers), 0xff00(numbers)};\n"
                          ".global .u32 empty[4];\n",
                          "ld.const.u64 %rd3, [to_pointers];\n"
                          "ld.global.u64 %rd4, [%rd3];\n"
                          "ld.global.u32 %r3, [%rd4];\n" /* 33 */
                          "ld.global.u64 %rd5, [%rd3+8];\n"
                          "ld.u32 %r4, [%rd5+4];\n" /* 22 */
                          "ld.const.f32 %f0, [fraction];\n"
                          "mov.b32 %r5, %f0;\n"
                          "ld.global.u32 %r6, [bytes];\n"
                          "ld.global.u16 %r7, [bytes+4];\n"
                          "mov.u64 %rd6, numbers;\n"
                          "cvt.u32.u64 %r8, %rd6;\n"
                          "and.b32 %r8, %r8, 0xffff;\n"
                          "sub.u32 %r7, %r7, %r8;\n" /* the two bytes are the address's */
                          "ld.global.u32 %r9, [empty+12];\n"
                          "setp.ne.u32 %p0, %r0, 0;\n"
                          "@%p0 ret;\n"
                          "st.global.v4.u32 [%rd0], {%r3, %r4, %r5, %r6};\n"
                          "st.global.v2.u32 [%rd0+16], {%r7, %r9};\n"),
              1, 8, out);
    static const uint32_t want[8] = {33, 22, 0x3fc00000, 0x04030201, 0, 0, 0, 0};
    expect_words(out, 8, want[i]);
}

static void variables_keep_their_values_between_launches_and_modules_have_their_own(void **state) {
    (void)state;
    const char *ptx = KERNEL_WITH(".global .u32 calls = 5;\n", "atom.global.add.u32 %r3, [calls], 1;\n" OUT("%r3"));
    haul_device *device;
    haul_module *modules[2];
    haul_buffer *out;
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    for (int m = 0; m < 2; m++)
        assert_int_equal(haul_module_load(device, "test.ptx", ptx, strlen(ptx), &modules[m]), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 4, &out), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = out}};
    const haul_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 2};
    static const uint32_t want[4] = {5, 6, 5, 7};
    for (int n = 0; n < 4; n++) {
        uint32_t got;
        assert_int_equal(haul_launch_run(modules[n == 2], &launch, NULL), HAUL_OK);
        assert_int_equal(haul_buffer_read(out, 0, &got, 4), HAUL_OK);
        assert_int_equal(got, want[n]);
    }
    haul_device_close(device);
}

/* ---- shared memory ---- */

static void static_and_dynamic_shared_memory_do_not_overlap(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    const char *ptx = KERNEL_WITH(".extern .shared .align 16 .b8 dynamic[];\n.shared .u32 module_scope[4];\n",
                                  ".shared .u8 one;\n"
                                  ".shared .align 8 .b64 own[3];\n"
                                  "st.shared.u8 [one], 1;\n"
                                  "st.shared.u64 [own+16], -1;\n"
                                  "st.shared.u32 [module_scope+12], -1;\n"
                                  "mov.u32 %r3, dynamic;\n"
                                  "mad.lo.u32 %r4, %r0, 4, %r3;\n"
                                  "st.shared.u32 [%r4], %r0;\n"
                                  "bar.sync 0;\n"
                                  "and.b32 %r5, %r3, 15;\n" /* aligned */
                                  "ld.shared.u32 %r6, [%r4];\n"
                                  "ld.shared.u8 %r7, [one];\n"
                                  "mad.lo.u32 %r6, %r7, 1000, %r6;\n"
                                  "mov.u32 %r8, %dynamic_smem_size;\n"
                                  "mad.lo.u32 %r6, %r8, 10000, %r6;\n"
                                  "mad.lo.u32 %r6, %r5, 7, %r6;\n" OUT("%r6"));
    run_kernel(&(kernel_run){.ptx = ptx, .shared = 128, INTO(out)});
    expect_words(out, 32, 1280000 + 1000 + i);
}

static void each_block_starts_with_shared_memory_of_its_own(void **state) {
    (void)state;
    uint32_t out[300];
    run_words(KERNEL_WITH(".shared .u32 word;\n", "ld.shared.u32 %r3, [word];\n"
                                                  "add.u32 %r3, %r3, 1;\n"
                                                  "st.shared.u32 [word], %r3;\n" OUT("%r3")),
              300, 1, out);
    expect_words(out, 300, 1);
}

/* ---- local memory ---- */

static void local_memory_is_each_threads_own(void **state) {
    (void)state;
    uint32_t out[192];
    run_words(KERNEL(".local .align 16 .b8 depot[64];\n"
                     "mov.u64 %rd3, depot;\n"
                     "cvta.local.u64 %rd4, %rd3;\n"
                     "and.b32 %r3, %r0, 15;\n"
                     "mad.wide.u32 %rd5, %r3, 4, %rd3;\n"
                     "mad.wide.u32 %rd6, %r3, 4, %rd4;\n"
                     "ld.local.u32 %r4, [%rd5];\n" /* zero, whatever earlier blocks wrote */
                     "mad.lo.u32 %r4, %r4, 1000000, %r1;\n"
                     "st.u32 [%rd6], %r4;\n"
                     "bar.sync 0;\n"
                     "ld.local.u32 %r5, [%rd5];\n" OUT("%r5")),
              2, 96, out);
    expect_words(out, 192, i);
}

/* 512 KiB a thread would be 132 GiB for all resident threads, but only touched memory takes host memory. */
static void large_frames_that_are_hardly_used_cost_little(void **state) {
    (void)state;
    uint32_t out[128];
    run_words(KERNEL(".local .align 16 .b8 depot[524288];\n"
                     "ld.local.u32 %r3, [depot+524284];\n"
                     "ld.local.u32 %r4, [depot];\n"
                     "add.u32 %r3, %r3, %r4;\n"
                     "st.local.u32 [depot], %r1;\n" OUT("%r3")),
              128, 1, out);
    expect_words(out, 128, 0);
    expect_failure(
        &(kernel_run){.ptx = KERNEL(".local .align 16 .b8 depot[1099511627776];\nst.local.u32 [depot], %r1;\n")},
        HAUL_ERROR_OUT_OF_MEMORY, "bytes of local memory per thread");
}

static void generic_addresses_lead_one_warp_into_all_spaces(void **state) {
    (void)state;
    uint32_t out[32], in[2] = {77, 88};
    memset(out, 0, sizeof out);
    const char *ptx =
        KERNEL_WITH(".shared .u32 word;\n.const .u32 constant = 55;\n", ".local .u32 own;\n"
                                                                        "st.local.u32 [own], %r0;\n"
                                                                        "st.shared.u32 [word], 66;\n"
                                                                        "mov.u64 %rd3, own;\n"
                                                                        "cvta.local.u64 %rd3, %rd3;\n"
                                                                        "mov.u64 %rd4, word;\n"
                                                                        "cvta.shared.u64 %rd4, %rd4;\n"
                                                                        "mov.u64 %rd5, constant;\n"
                                                                        "cvta.const.u64 %rd5, %rd5;\n"
                                                                        "mov.u64 %rd6, p_in;\n"
                                                                        "cvta.param.u64 %rd6, %rd6;\n"
                                                                        "ld.u64 %rd6, [%rd6];\n"
                                                                        "and.b32 %r3, %r0, 3;\n"
                                                                        "setp.eq.u32 %p0, %r3, 1;\n"
                                                                        "selp.b64 %rd7, %rd4, %rd3, %p0;\n"
                                                                        "setp.eq.u32 %p1, %r3, 2;\n"
                                                                        "selp.b64 %rd7, %rd5, %rd7, %p1;\n"
                                                                        "setp.eq.u32 %p2, %r3, 3;\n"
                                                                        "selp.b64 %rd7, %rd6, %rd7, %p2;\n"
                                                                        "ld.u32 %r4, [%rd7];\n" OUT("%r4"));
    run_kernel(&(kernel_run){.ptx = ptx, FROM(in), INTO(out)});
    static const uint32_t want[4] = {0, 66, 55, 77};
    expect_words(out, 32, i % 4 ? want[i % 4] : i);
}

/* ---- parameters ---- */

static void arrays_pass_through_calls_by_value(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(
        KERNEL_WITH(".func (.param .align 8 .b8 made[16]) turn(.param .align 8 .b8 four[16], .param .b32 first) {\n"
                    ".reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
                    "mov.b64 %rd1, four;\n" /* by register, with an index known only at run time */
                    "ld.param.u32 %r1, [first];\n"
                    "and.b32 %r1, %r1, 3;\n"
                    "mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
                    "ld.param.u32 %r2, [%rd2];\n"
                    "ld.param.v2.u32 {%r3, %r4}, [four+8];\n"
                    "st.param.u32 [made+0], %r2;\n"
                    "st.param.v2.b32 [made+8], {%r4, %r3};\n"
                    "ret;\n}\n",
                    "{\n.param .align 8 .b8 a[16];\n.param .b32 b;\n.param .align 8 .b8 c[16];\n"
                    "add.u32 %r3, %r0, 100;\nadd.u32 %r4, %r0, 200;\nadd.u32 %r5, %r0, 300;\nadd.u32 %r6, %r0, 400;\n"
                    "st.param.v4.b32 [a], {%r3, %r4, %r5, %r6};\n"
                    "st.param.b32 [b], %r0;\n"
                    "call (c), turn, (a, b);\n"
                    "ld.param.b32 %r7, [c];\n"
                    "ld.param.v2.b32 {%r8, %r9}, [c+8];\n}\n"
                    "sub.u32 %r8, %r8, %r9;\n" /* 100 */
                    "mad.lo.u32 %r7, %r8, 1000, %r7;\n" OUT("%r7")),
        1, 32, out);
    expect_words(out, 32, 100000 + 100 * (i % 4 + 1) + i);
}

static void parameters_of_all_sizes_lie_where_the_driver_packs_them(void **state) {
    (void)state;
    const char *ptx = HEAD ".visible .entry k(.param .u64 out, .param .u32 a, .param .f64 b, .param .f32 c) {\n"
                           ".reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f64 %fd<2>; .reg .f32 %f<2>;\n"
                           "ld.param.u64 %rd0, [out];\n"
                           "ld.param.u32 %r0, [a];\n"
                           "ld.param.f64 %fd0, [b];\n"
                           "ld.param.f32 %f0, [c];\n"
                           "mov.u64 %rd1, out;\n"
                           "ld.param.u16 %r1, [%rd1+8];\n"  /* a again */
                           "ld.param.u64 %rd2, [out+16];\n" /* b */
                           "st.global.v2.u32 [%rd0], {%r0, %r1};\n"
                           "st.global.f64 [%rd0+8], %fd0;\n"
                           "st.global.u64 [%rd0+16], %rd2;\n"
                           "st.global.f32 [%rd0+24], %f0;\n"
                           "ret;\n}\n";
    haul_device *device;
    haul_module *module;
    haul_buffer *out;
    struct {
        uint32_t a, again;
        double b, b_again;
        float c;
    } got;
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_module_load(device, "test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, sizeof got, &out), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = -7},
                                       {.kind = HAUL_ARGUMENT_F64, .real = 2.5},
                                       {.kind = HAUL_ARGUMENT_F32, .real = -0.5}};
    const haul_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 4};
    assert_int_equal(haul_launch_run(module, &launch, NULL), HAUL_OK);
    assert_int_equal(haul_buffer_read(out, 0, &got, 28), HAUL_OK);
    assert_true(got.a == (uint32_t)-7 && got.again == 0xfff9 && got.b == 2.5 && got.b_again == 2.5 && got.c == -0.5f);
    haul_device_close(device);
}

/* ---- faults ---- */

static void accesses_outside_an_allocation_are_found(void **state) {
    (void)state;
    uint32_t words[6] = {0};
    const kernel_run run = {INTO(words), .threads = 1};
    kernel_run r = run;
    r.ptx = KERNEL("ld.global.u32 %r3, [%rd0+20];\nld.global.u32 %r3, [%rd0+24];\n"); /* the byte behind the last */
    expect_failure(&r, HAUL_ERROR_FAULT, "access outside any allocation: 4 bytes at 0x200000000018");
    r.ptx = KERNEL("ld.global.v2.u64 {%rd3, %rd4}, [%rd0+16];\n"); /* only its first half is inside */
    expect_failure(&r, HAUL_ERROR_FAULT, "16 bytes at 0x200000000010");
    r.ptx = KERNEL("st.global.u32 [%rd0+-4], 1;\n");
    expect_failure(&r, HAUL_ERROR_FAULT, "access outside any allocation");
    r.ptx = KERNEL("mov.u64 %rd3, 0;\nst.global.u32 [%rd3], 1;\n");
    expect_failure(&r, HAUL_ERROR_FAULT, "at 0x0 ");
    r.ptx = KERNEL("mov.u64 %rd3, -4;\nld.u32 %r3, [%rd3];\n");
    expect_failure(&r, HAUL_ERROR_FAULT, "at 0xfffffffffffffffc");
    r.ptx = KERNEL("atom.global.add.u32 %r3, [%rd0+24], 1;\n");
    expect_failure(&r, HAUL_ERROR_FAULT, "access outside any allocation");
    r.ptx = KERNEL("red.global.add.u32 [%rd0+24], 1;\n");
    expect_failure(&r, HAUL_ERROR_FAULT, "access outside any allocation");
    r.ptx = KERNEL_WITH(".const .u32 three[3];\n", "ld.const.u32 %r3, [three+12];\n");
    expect_failure(&r, HAUL_ERROR_FAULT, "access outside any allocation");
}

static void the_message_names_place_kernel_block_and_thread(void **state) {
    (void)state;
    const char *ptx = KERNEL_WITH(".file 1 \"source.cu\"\n", "mad.wide.u32 %rd3, %r1, 4, %rd0;\n"
                                                             ".loc 1 42 0\n"
                                                             "st.global.u32 [%rd3], %r1;\n");
    uint32_t out[37];
    expect_failure(&(kernel_run){.ptx = ptx, .blocks = 3, .threads = 16, INTO(out)}, HAUL_ERROR_FAULT,
                   "source.cu:42: access outside any allocation: 4 bytes at 0x200000000094 (kernel k, "
                   "block 2,0,0, thread 5,0,0)");
}

static void misaligned_accesses_are_found_in_each_space(void **state) {
    (void)state;
    const char *const text = "misaligned access: ";
    expect_failure(&(kernel_run){.ptx = KERNEL("ld.global.u16 %h0, [%rd0+1];\n")}, HAUL_ERROR_FAULT, text);
    expect_failure(&(kernel_run){.ptx = KERNEL("ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd0+8];\n")}, HAUL_ERROR_FAULT,
                   text);
    expect_failure(&(kernel_run){.ptx = KERNEL("st.u64 [%rd0+4], %rd0;\n")}, HAUL_ERROR_FAULT, text);
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(".shared .align 8 .b64 s[4];\n", "st.shared.u64 [s+4], %rd0;\n")},
                   HAUL_ERROR_FAULT, text);
    expect_failure(&(kernel_run){.ptx = KERNEL(".local .align 8 .b64 l[4];\nst.local.u64 [l+4], %rd0;\n")},
                   HAUL_ERROR_FAULT, text);
    expect_failure(&(kernel_run){.ptx = KERNEL("ld.param.u64 %rd3, [p_out+4];\n")}, HAUL_ERROR_FAULT, text);
    expect_failure(&(kernel_run){.ptx = KERNEL("atom.global.add.u64 %rd3, [%rd0+4], 1;\n")}, HAUL_ERROR_FAULT, text);
    expect_failure(
        &(kernel_run){.ptx = KERNEL_WITH(".shared .align 8 .b64 s[4];\n", "atom.shared.add.u64 %rd3, [s+4], 1;\n")},
        HAUL_ERROR_FAULT, text);
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(".shared .align 16 .b64 s[4];\n",
                                                    "cp.async.ca.shared.global [s+8], [%rd0], 16;\n")},
                   HAUL_ERROR_FAULT, text);
}

static void accesses_outside_the_other_spaces_are_found(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(".shared .b64 s[4];\n", "st.shared.u64 [s+32], %rd0;\n")},
                   HAUL_ERROR_FAULT, "outside the block's shared memory: 8 bytes");
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(".shared .b64 s[4];\n", "mov.u64 %rd3, s;\n"
                                                                            "cvta.shared.u64 %rd3, %rd3;\n"
                                                                            "st.u64 [%rd3+32], %rd0;\n")},
                   HAUL_ERROR_FAULT, "outside the block's shared memory");
    /* So far beyond that a 32-bit address would wrap around into the block. */
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(".shared .b64 s[4];\n", "mov.u64 %rd3, s;\n"
                                                                            "cvta.shared.u64 %rd3, %rd3;\n"
                                                                            "add.u64 %rd3, %rd3, 0x100000000;\n"
                                                                            "ld.u64 %rd4, [%rd3];\n")},
                   HAUL_ERROR_FAULT, "outside the block's shared memory");
    expect_failure(&(kernel_run){.ptx = KERNEL("mov.u32 %r3, -8;\nld.shared.u64 %rd3, [%r3];\n")}, HAUL_ERROR_FAULT,
                   "outside the shared memory of the block");
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(".shared .b32 s[4];\n", "atom.shared.add.u32 %r3, [s+4096], 1;\n")},
                   HAUL_ERROR_FAULT, "outside the block's shared memory");
    expect_failure(&(kernel_run){.ptx = KERNEL(".local .b64 l[4];\nld.local.u64 %rd3, [l+32];\n")}, HAUL_ERROR_FAULT,
                   "outside the thread's local memory");
    expect_failure(&(kernel_run){.ptx = KERNEL(".local .b64 l[4];\nmov.u64 %rd3, l;\n"
                                               "cvta.local.u64 %rd3, %rd3;\nst.u64 [%rd3+-8], %rd0;\n")},
                   HAUL_ERROR_FAULT, "access outside");
    expect_failure(&(kernel_run){.ptx = KERNEL("mov.u64 %rd3, p_out;\nld.param.u64 %rd4, [%rd3+16];\n")},
                   HAUL_ERROR_FAULT, "outside the kernel's parameters");
}

static void freed_memory_cannot_be_used(void **state) {
    (void)state;
    const char *ptx = KERNEL("ld.global.u32 %r3, [%rd1];\n");
    haul_device *device;
    haul_module *module;
    haul_buffer *first, *second;
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_module_load(device, "test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 4096, &first), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 4096, &second), HAUL_OK);
    const int64_t address = (int64_t)haul_buffer_address(second);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = first},
                                       {.kind = HAUL_ARGUMENT_I64, .integer = address}};
    const haul_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 2};
    assert_int_equal(haul_launch_run(module, &launch, NULL), HAUL_OK);
    haul_buffer_free(second);
    assert_int_equal(haul_launch_run(module, &launch, NULL), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "access outside any allocation"));
    haul_device_close(device);
}

static void lanes_in_several_allocations_are_checked_one_by_one(void **state) {
    (void)state;
    uint32_t out[32] = {0}, in[16];
    for (unsigned k = 0; k < 16; k++) in[k] = k;
    const char *ptx = KERNEL("setp.lt.u32 %p0, %r0, 16;\n"
                             "mad.wide.u32 %rd3, %r0, 4, %rd1;\n"
                             "selp.b64 %rd3, %rd3, %rd2, %p0;\n"
                             "ld.global.u32 %r3, [%rd3];\n"
                             "st.global.u32 [%rd2], %r3;\n");
    run_kernel(&(kernel_run){.ptx = ptx, FROM(in), INTO(out)});
    expect_words(out, 32, i < 16 ? i : 0);
    expect_failure(&(kernel_run){.ptx = ptx, .in = in, .in_bytes = 60, INTO(out)}, HAUL_ERROR_FAULT, "thread 15,0,0");
}

/* ---- where allocations lie ---- */

static uint64_t address_of_new(haul_device *device, uint64_t bytes) {
    haul_buffer *buffer;
    assert_int_equal(haul_buffer_create(device, bytes, &buffer), HAUL_OK);
    return haul_buffer_address(buffer);
}

/* Pages have 2 MiB. The table is behind the small buffer, not in what the large ones leave of their last pages; the
 * next buffer would reach beyond the page and takes a new one. */
static void large_allocations_have_pages_of_their_own_and_small_ones_share_some(void **state) {
    enum { MIB = 1 << 20, PAGE = 2 * MIB };
    haul_device *device;
    (void)state;
    assert_int_equal(haul_device_open("sim:h200", NULL, &device), HAUL_OK);
    const uint64_t first = address_of_new(device, 8 * MIB + 256), second = address_of_new(device, 8 * MIB + 256),
                   small = address_of_new(device, MIB / 2 + 256), table = address_of_new(device, MIB + 256),
                   beyond = address_of_new(device, MIB / 2 + 256), third = address_of_new(device, PAGE),
                   last = address_of_new(device, 256);
    assert_int_equal(first % PAGE, 0);
    assert_int_equal(second, first + 10 * MIB);
    assert_int_equal(small, second + 10 * MIB);
    assert_int_equal(table, small + MIB / 2 + 512);
    assert_int_equal(beyond, small + PAGE);
    assert_int_equal(third, small + 2 * PAGE);
    assert_int_equal(last, table + MIB + 512);
    haul_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_allocations_have_pages_of_their_own_and_small_ones_share_some),
        cmocka_unit_test(variables_are_initialised_and_refer_to_each_other),
        cmocka_unit_test(variables_keep_their_values_between_launches_and_modules_have_their_own),
        cmocka_unit_test(static_and_dynamic_shared_memory_do_not_overlap),
        cmocka_unit_test(each_block_starts_with_shared_memory_of_its_own),
        cmocka_unit_test(local_memory_is_each_threads_own),
        cmocka_unit_test(large_frames_that_are_hardly_used_cost_little),
        cmocka_unit_test(generic_addresses_lead_one_warp_into_all_spaces),
        cmocka_unit_test(arrays_pass_through_calls_by_value),
        cmocka_unit_test(parameters_of_all_sizes_lie_where_the_driver_packs_them),
        cmocka_unit_test(accesses_outside_an_allocation_are_found),
        cmocka_unit_test(the_message_names_place_kernel_block_and_thread),
        cmocka_unit_test(misaligned_accesses_are_found_in_each_space),
        cmocka_unit_test(accesses_outside_the_other_spaces_are_found),
        cmocka_unit_test(freed_memory_cannot_be_used),
        cmocka_unit_test(lanes_in_several_allocations_are_checked_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
