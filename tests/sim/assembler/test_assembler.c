/* How PTX instructions count as machine instructions. Each case was read off ptxas 13.0's machine code for sm_90
 * (docs/memory-model.md). In the kernels %r10 is shared memory at tid * 16, %r11 at tid * 8, %r12 at tid * 4. */
#include "kernel.h"

#include "ptx/inline.h"
#include "assembler/assembler.h"

#define SHARED ".shared .align 4 .b8 s[8192];\n.shared .align 4 .b8 q[4096];\n"
#define BASES                                                                  \
    "mov.u32 %r9, s;\nshl.b32 %r8, %r0, 4;\nadd.u32 %r10, %r9, %r8;\n"         \
    "shl.b32 %r20, %r0, 3;\nadd.u32 %r11, %r9, %r20;\nshl.b32 %r21, %r0, 2;\n" \
    "add.u32 %r12, %r9, %r21;\nmov.u32 %r22, q;\nadd.u32 %r13, %r22, %r21;\n"
/* Loaded values that must count as used. */
#define USE(reg) "st.global.f32 [%rd2], " reg ";\n"
#define USE_R(reg) "st.global.u32 [%rd2], " reg ";\n"

static const char *name_of(uint8_t class) {
    switch (class) {
    case HAUL_CLASS_SHARED_LOAD: return "LDS";
    case HAUL_CLASS_SHARED_STORE: return "STS";
    case HAUL_CLASS_SHARED_ATOMIC: return "ATOMS";
    case HAUL_CLASS_GLOBAL_LOAD: return "LDG";
    case HAUL_CLASS_LOCAL_LOAD: return "LDL";
    case HAUL_CLASS_LOCAL_STORE: return "STL";
    case HAUL_CLASS_GLOBAL_REDUCTION: return "RED";
    case HAUL_CLASS_GLOBAL_ATOMIC: return "ATOMG";
    default: return NULL;
    }
}

static void describe(const sim_assembled *a, char *out, size_t size) {
    const char *name = name_of(a->class);
    for (unsigned p = 0; name && p < a->part_count; p++) {
        size_t at = strlen(out);
        snprintf(out + at, size - at, "%s%s.%u", at ? " " : "", name, a->parts[p].width * 8u);
        at = strlen(out);
        if (a->parts[p].start) snprintf(out + at, size - at, "%+d", a->parts[p].start);
        at = strlen(out);
        static const char *const suffixes[] = {"", "/warp", "/whole"}; /* by sim_aggregation */
        snprintf(out + at, size - at, "%s%s", a->loops ? "*" : "", suffixes[a->aggregated]);
    }
}

/* Returns the machine accesses of a kernel body in PTX order, with their start relative to their instruction's
 * address. */
static const char *assembled(const char *ptx) {
    static char out[1000];
    ptx_module *module;
    ptx_function *flat;
    arena memory;
    jmp_buf out_of_memory;
    out[0] = 0;
    if (ptx_module_parse("test.ptx", ptx, strlen(ptx), &module) != HAUL_OK) return haul_message();
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    arena_init(&memory, &out_of_memory);
    assert_int_equal(setjmp(out_of_memory), 0);
    const sim_assembled *a = sim_assemble(flat, &memory, &memory);
    for (size_t i = 0; i < flat->instruction_count; i++) describe(&a[i], out, sizeof out);
    arena_free(&memory);
    ptx_module_free(module);
    return out;
}

#define ASSERT_ASSEMBLED(body, expected) assert_string_equal(assembled(KERNEL_WITH(SHARED, BASES body)), expected)

static void loads_of_an_aligned_window_become_one(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r11];\nld.shared.f32 %f1, [%r11+4];\n" USE("%f0") USE("%f1"), "LDS.64");
    ASSERT_ASSEMBLED("ld.shared.f32 %f3, [%r10+12];\nld.shared.f32 %f2, [%r10+8];\nld.shared.f32 %f1, [%r10+4];\n"
                     "ld.shared.f32 %f0, [%r10];\n" USE("%f0") USE("%f1") USE("%f2") USE("%f3"),
                     "LDS.128-12");
}

static void three_of_four_words_are_worth_reading_all(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r10];\nld.shared.f32 %f1, [%r10+4];\nld.shared.f32 %f2, [%r10+8];\n" USE(
                         "%f0") USE("%f1") USE("%f2"),
                     "LDS.128");
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r10+4];\nld.shared.f32 %f1, [%r10+8];\nld.shared.f32 %f2, [%r10+12];\n" USE(
                         "%f0") USE("%f1") USE("%f2"),
                     "LDS.128-4");
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r10];\nld.shared.f32 %f1, [%r10+8];\n" USE("%f0") USE("%f1"),
                     "LDS.32 LDS.32");
}

static void windows_need_addresses_known_to_be_aligned(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r12];\nld.shared.f32 %f1, [%r12+4];\n" USE("%f0") USE("%f1"),
                     "LDS.32 LDS.32");
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r11];\nld.shared.f32 %f1, [%r11+4];\nld.shared.f32 %f2, [%r11+8];\n"
                     "ld.shared.f32 %f3, [%r11+12];\n" USE("%f0") USE("%f1") USE("%f2") USE("%f3"),
                     "LDS.64 LDS.64");
    ASSERT_ASSEMBLED("and.b32 %r30, %r0, -4;\nshl.b32 %r31, %r30, 2;\nadd.u32 %r4, %r9, %r31;\n"
                     "ld.shared.f32 %f0, [%r4];\nld.shared.f32 %f1, [%r4+4];\n" USE("%f0") USE("%f1"),
                     "LDS.64");
    ASSERT_ASSEMBLED("mad.lo.u32 %r4, %r0, 24, %r9;\n"
                     "ld.shared.f32 %f0, [%r4];\nld.shared.f32 %f1, [%r4+4];\n" USE("%f0") USE("%f1"),
                     "LDS.64");
}

static void variables_lie_in_the_order_of_declaration(void **state) {
    (void)state;
    const char *ptx =
        KERNEL_WITH("", ".shared .align 1 .b8 c[3];\n.shared .align 4 .b8 d[4000];\n"
                        "shl.b32 %r8, %r0, 4;\nmov.u32 %r9, d;\nadd.u32 %r10, %r9, %r8;\n"
                        "ld.shared.f32 %f0, [%r10];\nld.shared.f32 %f1, [%r10+4];\n" USE("%f0") USE("%f1"));
    assert_string_equal(assembled(ptx), "LDS.32 LDS.32"); /* d begins 4 bytes after a multiple of 16 */
}

static void constant_addresses_and_or_are_followed(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("add.u32 %r4, %r10, 4;\n"
                     "ld.shared.f32 %f0, [%r10];\nld.shared.f32 %f1, [%r4];\n" USE("%f0") USE("%f1"),
                     "LDS.64");
    ASSERT_ASSEMBLED(
        "or.b32 %r4, %r8, 4;\nld.shared.f32 %f0, [%r8];\nld.shared.f32 %f1, [%r4];\n" USE("%f0") USE("%f1"), "LDS.64");
}

static void other_widths_merge_alike(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.f64 %fd0, [%r10];\nld.shared.f64 %fd1, [%r10+8];\nadd.f64 %fd0, %fd0, %fd1;\n"
                     "st.global.f64 [%rd0], %fd0;\n",
                     "LDS.128");
    ASSERT_ASSEMBLED("ld.shared.v2.f32 {%f0, %f1}, [%r10];\nld.shared.v2.f32 {%f2, %f3}, [%r10+8];\n" USE("%f0")
                         USE("%f1") USE("%f2") USE("%f3"),
                     "LDS.128");
    ASSERT_ASSEMBLED(
        "ld.shared.f32 %f0, [%r11];\nld.shared.u16 %h0, [%r11+4];\nst.global.u16 [%rd0], %h0;\n" USE("%f0"),
        "LDS.32 LDS.16");
}

static void bytes_and_halves_merge_in_vectors_and_stores(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.u16 %h0, [%r12];\nld.shared.u16 %h1, [%r12+2];\nadd.u16 %h0, %h0, %h1;\n"
                     "st.global.u16 [%rd0], %h0;\n",
                     "LDS.16 LDS.16");
    ASSERT_ASSEMBLED("ld.shared.v2.u16 {%h0, %h1}, [%r11];\nld.shared.v2.u16 {%h2, %h3}, [%r11+4];\n"
                     "add.u16 %h0, %h0, %h1;\nadd.u16 %h2, %h2, %h3;\nadd.u16 %h0, %h0, %h2;\n"
                     "st.global.u16 [%rd0], %h0;\n",
                     "LDS.64");
    ASSERT_ASSEMBLED("ld.shared.v4.u16 {%h0, %h1, %h2, %h3}, [%r11];\nadd.u16 %h0, %h0, %h1;\n"
                     "add.u16 %h0, %h0, %h2;\nst.global.u16 [%rd0], %h0;\n",
                     "LDS.32 LDS.16+4");
    ASSERT_ASSEMBLED("st.shared.u16 [%r12], %h0;\nst.shared.u16 [%r12+2], %h1;\n", "STS.32");
}

static void vectors_shrink_to_what_is_used(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r10];\n" USE("%f1"), "LDS.32+4");
    ASSERT_ASSEMBLED("ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r10];\n" USE("%f0") USE("%f3"), "LDS.32 LDS.32+12");
    ASSERT_ASSEMBLED("ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r10];\n" USE("%f0") USE("%f1") USE("%f2"), "LDS.128");
    ASSERT_ASSEMBLED("ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];\n" USE("%f2") USE("%f3"), "LDG.64+8");
    ASSERT_ASSEMBLED("ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];\n" USE("%f0") USE("%f3"), "LDG.32 LDG.32+12");
}

static void loads_that_nobody_uses_are_removed(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r10];\nadd.f32 %f1, %f0, %f0;\n", "");
    ASSERT_ASSEMBLED("ld.global.f32 %f0, [%rd1];\n", "");
    ASSERT_ASSEMBLED("ld.volatile.shared.f32 %f0, [%r10];\n", "LDS.32");
}

/* Nor are those whose value only goes through shuffles, votes or products that nobody uses. But if a register says
 * which lanes take part, machine code waits for these. */
static void what_lanes_tell_each_other_in_vain_is_removed(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.b32 %r5, [%r10];\nshfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;\n", "");
    ASSERT_ASSEMBLED("ld.shared.b32 %r5, [%r10];\nredux.sync.add.u32 %r6, %r5, -1;\n", "");
    ASSERT_ASSEMBLED(
        "ld.shared.b32 %r5, [%r10];\nmma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r6, %r7}, {%r5}, {%r5}, "
        "{%r8, %r9};\n",
        "");
    ASSERT_ASSEMBLED("ld.shared.b32 %r5, [%r10];\nshfl.sync.bfly.b32 %r6, %r7, 1, 31, %r5;\n", "LDS.32");
}

static void global_accesses_are_not_merged(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.global.f32 %f0, [%rd1];\nld.global.f32 %f1, [%rd1+4];\n" USE("%f0") USE("%f1"),
                     "LDG.32 LDG.32");
}

static void stores_merge_without_holes(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("st.shared.f32 [%r10], %f0;\nst.shared.f32 [%r10+8], %f2;\nst.shared.f32 [%r10+12], %f3;\n"
                     "st.shared.f32 [%r10+4], %f1;\n",
                     "STS.128");
    ASSERT_ASSEMBLED("st.shared.f32 [%r10], %f0;\nst.shared.f32 [%r10+4], %f1;\nst.shared.f32 [%r10+8], %f2;\n",
                     "STS.64 STS.32");
    ASSERT_ASSEMBLED("st.shared.f32 [%r10+4], %f0;\nst.shared.f32 [%r10+8], %f1;\nst.shared.f32 [%r10+12], %f2;\n",
                     "STS.32 STS.64");
}

/* An array that is too large for registers, and an access to an element chosen at run time. */
#define ARRAY(declared) ".local " declared ";\nmov.u64 %rd4, w;\n"
#define CHOSEN "mad.wide.u32 %rd5, %r0, 4, %rd4;\nld.local.f32 %f9, [%rd5];\n" USE("%f9")
#define ASSERT_LOCAL(declared, body, expected) assert_string_equal(assembled(KERNEL(ARRAY(declared) body)), expected)

#define FOUR_STORES                                                                         \
    "st.local.f32 [%rd4], %f0;\nst.local.f32 [%rd4+4], %f1;\nst.local.f32 [%rd4+8], %f2;\n" \
    "st.local.f32 [%rd4+12], %f3;\n"

static void local_accesses_merge_as_the_frame_is_aligned(void **state) {
    (void)state;
    ASSERT_LOCAL(".align 4 .b8 w[512]", FOUR_STORES CHOSEN, "STL.64 STL.64 LDL.32");
    ASSERT_LOCAL(".align 16 .b8 w[512]", FOUR_STORES CHOSEN, "STL.128 LDL.32");
    ASSERT_LOCAL(".align 4 .b8 v[4];\n.local .align 4 .b8 w[512]", FOUR_STORES CHOSEN, "STL.32 STL.64 STL.32 LDL.32");
}

static void local_loads_merge_without_holes(void **state) {
    (void)state;
    ASSERT_LOCAL(".align 16 .b8 w[512]",
                 CHOSEN "st.local.f32 [%rd5], %f9;\nld.local.f32 %f0, [%rd4];\nld.local.f32 %f1, [%rd4+8];\n"
                        "ld.local.f32 %f2, [%rd4+12];\n" USE("%f0") USE("%f1") USE("%f2"),
                 "LDL.32 STL.32 LDL.32 LDL.64");
}

static void single_bytes_of_local_memory_do_not_merge(void **state) {
    (void)state;
    ASSERT_LOCAL(".align 8 .b8 w[512]", "st.local.u8 [%rd4], %h0;\nst.local.u8 [%rd4+1], %h0;\n" CHOSEN,
                 "STL.8 STL.8 LDL.32");
    ASSERT_LOCAL(".align 8 .b8 w[512]",
                 "st.local.v2.u8 [%rd4], {%h0, %h1};\nst.local.v2.u8 [%rd4+2], {%h0, %h1};\n" CHOSEN, "STL.32 LDL.32");
}

static void global_accesses_do_not_keep_local_ones_apart_but_generic_ones_do(void **state) {
    (void)state;
#define APART(store) "st.local.f32 [%rd4], %f0;\n" store "st.local.f32 [%rd4+4], %f1;\n" CHOSEN
    ASSERT_LOCAL(".align 4 .b8 w[512]", APART("st.global.f32 [%rd2], %f2;\n"), "STL.64 LDL.32");
    ASSERT_LOCAL(".align 4 .b8 w[512]", APART("st.f32 [%rd2], %f2;\n"), "STL.32 STL.32 LDL.32");
    ASSERT_LOCAL(".align 4 .b8 w[512]", APART("bar.sync 0;\n"), "STL.32 STL.32 LDL.32");
}

static void a_store_overwritten_at_once_is_removed(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("st.shared.f32 [%r12], %f0;\nst.shared.f32 [%r12], %f1;\n", "STS.32");
}

static void a_load_takes_what_was_just_stored_or_loaded(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("st.shared.f32 [%r12], %f0;\nld.shared.f32 %f1, [%r12];\n" USE("%f1"), "STS.32");
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r12];\nld.shared.f32 %f1, [%r12];\n" USE("%f0") USE("%f1"), "LDS.32");
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r12];\nbar.sync 0;\nld.shared.f32 %f1, [%r12];\n" USE("%f0") USE("%f1"),
                     "LDS.32 LDS.32");
}

/* Halves that are used as such share registers; operations on words have them extended by the load. */
#define FOUR_HALVES                                                                            \
    "ld.shared.u16 %h0, [%r10];\nld.shared.u16 %h1, [%r10+2];\nld.shared.u16 %h2, [%r10+4];\n" \
    "ld.shared.u16 %h3, [%r10+6];\n"
#define USE_HALVES                                                                               \
    "st.global.u16 [%rd0], %h0;\nst.global.u16 [%rd0+10], %h1;\nst.global.u16 [%rd0+20], %h2;\n" \
    "st.global.u16 [%rd0+30], %h3;\n"

static void halves_that_nothing_extends_are_loaded_together(void **state) {
    (void)state;
    ASSERT_ASSEMBLED(FOUR_HALVES USE_HALVES, "LDS.64");
    ASSERT_ASSEMBLED(FOUR_HALVES "cvt.u32.u16 %r1, %h2;\n" USE_R("%r1") USE_HALVES, "LDS.64 LDS.16");
    ASSERT_ASSEMBLED("ld.shared.u16 %h0, [%r10+2];\nld.shared.u16 %h1, [%r10+4];\n"
                     "st.global.u16 [%rd0], %h0;\nst.global.u16 [%rd0+10], %h1;\n",
                     "LDS.16 LDS.16");
    ASSERT_ASSEMBLED(
        "ld.shared.s16 %h0, [%r10];\nld.shared.s16 %h1, [%r10+2];\nmul.wide.u16 %r1, %h0, %h1;\n" USE_R("%r1"),
        "LDS.32");
    ASSERT_ASSEMBLED(
        "ld.shared.s16 %h0, [%r10];\nld.shared.s16 %h1, [%r10+2];\nmul.wide.s16 %r1, %h0, %h1;\n" USE_R("%r1"),
        "LDS.16 LDS.16");
    ASSERT_ASSEMBLED(
        "ld.shared.u16 %h0, [%r10];\nld.shared.u16 %h1, [%r10+2];\nmov.u16 %h2, %h1;\ncvt.u32.u16 %r1, %h2;\n"
        "st.global.u16 [%rd0], %h0;\n" USE_R("%r1"),
        "LDS.16 LDS.16");
}

/* Two words of an 8-byte window with something in between. */
#define SPLIT_BY(between) "ld.shared.f32 %f0, [%r11];\n" between "ld.shared.f32 %f1, [%r11+4];\n" USE("%f0") USE("%f1")

static void some_instructions_keep_accesses_apart(void **state) {
    (void)state;
    ASSERT_ASSEMBLED(SPLIT_BY("bar.sync 0;\n"), "LDS.32 LDS.32");
    ASSERT_ASSEMBLED(SPLIT_BY("bar.warp.sync -1;\n"), "LDS.32 LDS.32");
    ASSERT_ASSEMBLED(SPLIT_BY("membar.cta;\n"), "LDS.32 LDS.32");
    ASSERT_ASSEMBLED(SPLIT_BY("cp.async.wait_all;\n"), "LDS.32 LDS.32");
    ASSERT_ASSEMBLED(SPLIT_BY("cp.async.ca.shared.global [%r13], [%rd1], 4;\n"), "LDS.32 LDS.32");
    ASSERT_ASSEMBLED(SPLIT_BY("st.shared.f32 [%r13], %f2;\n"), "LDS.32 STS.32 LDS.32");
    ASSERT_ASSEMBLED(SPLIT_BY("red.shared.add.u32 [%r13], 1;\n"), "LDS.32 ATOMS.32 LDS.32");
    ASSERT_ASSEMBLED(SPLIT_BY("prefetch.L1 [%rd1];\n"), "LDS.32 LDS.32");
    ASSERT_ASSEMBLED(SPLIT_BY("prefetchu.L1 [%rd1];\n"), "LDS.32 LDS.32");
}

#define TWO_LOADS(between) \
    "ld.shared.f32 %f0, [%r10];\n" between "\nld.shared.f32 %f1, [%r10+4];\n" USE("%f0") USE("%f1") USE("%f2")
#define TWO_STORES(between) "st.shared.f32 [%r10], %f0;\n" between "\nst.shared.f32 [%r10+4], %f1;\n" USE("%f2")

static void divisions_and_roots_that_are_rounded_are_calls(void **state) {
    (void)state;
    ASSERT_ASSEMBLED(TWO_LOADS("div.rn.f32 %f2, %f3, %f3;"), "LDS.32 LDS.32");
    ASSERT_ASSEMBLED(TWO_LOADS("sqrt.rn.f32 %f2, %f3;"), "LDS.32 LDS.32");
    ASSERT_ASSEMBLED(TWO_STORES("rcp.rn.f32 %f2, %f3;"), "STS.32 STS.32");
    ASSERT_ASSEMBLED(TWO_LOADS("div.full.f32 %f2, %f3, %f3;"), "LDS.64");
    ASSERT_ASSEMBLED(TWO_STORES("div.full.f32 %f2, %f3, %f3;"), "STS.32 STS.32");
    ASSERT_ASSEMBLED(TWO_STORES("ex2.approx.f32 %f2, %f3;"), "STS.32 STS.32");
    ASSERT_ASSEMBLED(TWO_STORES("ex2.approx.ftz.f32 %f2, %f3;"), "STS.64");
}

static void others_do_not(void **state) {
    (void)state;
    ASSERT_ASSEMBLED(SPLIT_BY("shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;\n"), "LDS.64");
    ASSERT_ASSEMBLED(SPLIT_BY("vote.sync.any.pred %p0, %p1, -1;\n"), "LDS.64");
    ASSERT_ASSEMBLED(SPLIT_BY("st.global.f32 [%rd0], %f2;\n"), "LDS.64");
    ASSERT_ASSEMBLED(SPLIT_BY("cp.async.commit_group;\n"), "LDS.64");
    ASSERT_ASSEMBLED(SPLIT_BY("cp.async.bulk.commit_group;\n"), "LDS.64");
    ASSERT_ASSEMBLED(SPLIT_BY("prefetch.global.L2 [%rd1];\n"), "LDS.64");
    ASSERT_ASSEMBLED(SPLIT_BY("createpolicy.fractional.L2::evict_last.b64 %rd5, 0.5;\n"), "LDS.64");
    ASSERT_ASSEMBLED(SPLIT_BY("movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r0;\n"), "LDS.64");
    ASSERT_ASSEMBLED(SPLIT_BY("mbarrier.pending_count.b64 %r3, %rd1;\n"), "LDS.64");
    ASSERT_ASSEMBLED(SPLIT_BY("ld.volatile.shared.f32 %f3, [%r13];\n"), "LDS.64 LDS.32");
    ASSERT_ASSEMBLED(SPLIT_BY("red.global.add.u32 [%rd0], %r3;\n"), "LDS.64 RED.32/warp");
}

static void a_load_behind_a_branch_joins_those_before_it(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r11];\nsetp.gt.u32 %p0, %r0, 7;\n@%p0 bra DONE;\n"
                     "ld.shared.f32 %f1, [%r11+4];\nadd.f32 %f0, %f0, %f1;\nDONE:\n" USE("%f0"),
                     "LDS.64");
    ASSERT_ASSEMBLED(
        "ld.shared.f32 %f0, [%r11];\nsetp.gt.u32 %p0, %r0, 7;\n@%p0 bra DONE;\n"
        "st.global.f32 [%rd0], %f0;\nDONE:\nld.shared.f32 %f1, [%r11+4];\nadd.f32 %f0, %f0, %f1;\n" USE("%f0"),
        "LDS.64");
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r11];\nsetp.gt.u32 %p0, %r0, 7;\n@%p0 bra DONE;\n"
                     "bar.warp.sync -1;\nDONE:\nld.shared.f32 %f1, [%r11+4];\nadd.f32 %f0, %f0, %f1;\n" USE("%f0"),
                     "LDS.32 LDS.32");
}

static void a_pointer_keeps_its_alignment_through_a_loop(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("mov.u32 %r4, %r10;\nAGAIN:\nld.shared.f32 %f0, [%r4];\nld.shared.f32 %f1, [%r4+4];\n" USE("%f0")
                         USE("%f1") "add.u32 %r4, %r4, 8;\nsetp.lt.u32 %p0, %r4, 4096;\n@%p0 bra AGAIN;\n",
                     "LDS.64");
    ASSERT_ASSEMBLED("mov.u32 %r4, %r10;\nAGAIN:\nld.shared.f32 %f0, [%r4];\nld.shared.f32 %f1, [%r4+4];\n" USE("%f0")
                         USE("%f1") "add.u32 %r4, %r4, 4;\nsetp.lt.u32 %p0, %r4, 4096;\n@%p0 bra AGAIN;\n",
                     "LDS.32 LDS.32");
}

static void atomics_without_a_use_are_reductions(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("atom.global.add.u32 %r3, [%rd2], %r0;\n", "RED.32");
    ASSERT_ASSEMBLED("atom.global.add.u32 %r3, [%rd2], %r0;\n" USE_R("%r3"), "ATOMG.32");
    ASSERT_ASSEMBLED("atom.global.exch.b32 %r3, [%rd2], 1;\n", "ATOMG.32");
    ASSERT_ASSEMBLED("red.add.u32 [%rd2], %r0;\n", "ATOMG.32");
}

static void atomics_that_acquire_stay_atomics(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], %r0;\n", "ATOMG.32");
    ASSERT_ASSEMBLED("atom.acquire.gpu.global.add.u32 %r3, [%rd2], %r0;\n", "ATOMG.32");
    ASSERT_ASSEMBLED("atom.relaxed.gpu.global.add.u32 %r3, [%rd2], %r0;\n", "RED.32");
}

static void lone_halves_are_swapped_with_their_words(void **state) {
    (void)state;
    ASSERT_ASSEMBLED(".reg .b16 %h;\nmov.b16 %h, 1;\nred.global.add.noftz.f16 [%rd2], %h;\n", "ATOMG.16*");
    ASSERT_ASSEMBLED("red.global.add.noftz.f16x2 [%rd2], %r0;\n", "RED.32");
}

static void lanes_at_one_address_go_to_memory_as_one(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("red.global.min.u32 [%rd0], %r0;\n", "RED.32/warp");
    ASSERT_ASSEMBLED("red.global.min.u64 [%rd0], %rd2;\n", "RED.64");
    ASSERT_ASSEMBLED("red.global.add.u64 [%rd0], 1;\n", "RED.64/warp");
    ASSERT_ASSEMBLED("red.global.add.u64 [%rd0], %rd2;\n", "RED.64");
    ASSERT_ASSEMBLED("red.global.add.f32 [%rd0], 0f3F800000;\n", "RED.32");
    ASSERT_ASSEMBLED("atom.global.add.u32 %r3, [%rd0], 1;\n" USE_R("%r3"), "ATOMG.32/warp");
    ASSERT_ASSEMBLED("atom.global.add.u32 %r3, [%rd0], %r0;\n" USE_R("%r3"), "ATOMG.32/whole");
    ASSERT_ASSEMBLED("atom.global.max.u32 %r3, [%rd0], 1;\n" USE_R("%r3"), "ATOMG.32");
    ASSERT_ASSEMBLED("atom.shared.add.u64 %rd4, [%r9], 1;\n", "ATOMS.64*/warp");
}

static void shared_memory_knows_few_atomics(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("red.shared.add.u32 [%r13], 1;\n", "ATOMS.32");
    ASSERT_ASSEMBLED("atom.shared.exch.b64 %rd4, [%r11], %rd5;\n", "ATOMS.64");
    ASSERT_ASSEMBLED("red.shared.add.f32 [%r13], %f0;\n", "ATOMS.32*");
    ASSERT_ASSEMBLED("red.shared.add.u64 [%r11], %rd5;\n", "ATOMS.64*");
}

static void loads_join_one_that_every_way_goes_through(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r11];\nsetp.gt.u32 %p0, %r0, 3;\n@%p0 bra A;\n" USE(
                         "%f0") "bra B;\nA:\n" USE("%f0") "B:\nld.shared.f32 %f1, [%r11+4];\n" USE("%f1"),
                     "LDS.64");
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r11];\nsetp.gt.u32 %p0, %r0, 3;\n@%p0 bra A;\nbar.sync 0;\nA:\n"
                     "ld.shared.f32 %f1, [%r11+4];\n" USE("%f0") USE("%f1"),
                     "LDS.32 LDS.32");
    ASSERT_ASSEMBLED("setp.gt.u32 %p0, %r0, 3;\n@%p0 bra A;\nld.shared.f32 %f0, [%r11];\n" USE(
                         "%f0") "bra B;\nA:\nld.shared.f32 %f1, [%r11+4];\n" USE("%f1") "B:\n",
                     "LDS.32 LDS.32");
}

static void a_load_of_a_part_of_another_is_gone(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r10];\nld.shared.f32 %f4, [%r10+4];\n" USE("%f0")
                         USE("%f1") USE("%f2") USE("%f3") USE("%f4"),
                     "LDS.128");
}

static void global_loads_are_merged_where_an_access_shows_how_they_are_aligned(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.global.f32 %f2, [%rd1+8];\nld.global.f32 %f3, [%rd1+12];\nmov.f32 %f0, %f2;\n" USE("%f0")
                         USE("%f3"),
                     "LDG.32 LDG.32");
    ASSERT_ASSEMBLED(
        "ld.global.v2.f32 {%f0, %f1}, [%rd1];\nld.global.f32 %f2, [%rd1+8];\nld.global.f32 %f3, [%rd1+12];\n" USE("%f0")
            USE("%f1") USE("%f2") USE("%f3"),
        "LDG.64 LDG.64");
}

static void a_global_load_made_again_is_gone_unless_something_separates_the_two(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.global.f32 %f0, [%rd1];\nld.global.f32 %f1, [%rd1];\n" USE("%f0") USE("%f1"), "LDG.32");
    ASSERT_ASSEMBLED("ld.global.f32 %f0, [%rd1];\nbar.sync 0;\nld.global.f32 %f1, [%rd1];\n" USE("%f0") USE("%f1"),
                     "LDG.32 LDG.32");
}

static void loads_on_both_sides_of_a_product_are_combined(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.global.b32 %r5, [%rd1];\n"
                     "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r6, %r7}, {%r5}, {%r5}, {%r6, %r7};\n"
                     "ld.global.b32 %r8, [%rd1];\n" USE_R("%r6") USE_R("%r8"),
                     "LDG.32");
}

static void stores_are_merged_in_one_run_of_a_window(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("st.shared.f32 [%r10], %f0;\nst.shared.f32 [%r10+32], %f0;\nst.shared.f32 [%r10+4], %f0;\n",
                     "STS.32 STS.32 STS.32");
    ASSERT_ASSEMBLED("st.shared.f32 [%r10], %f0;\nst.shared.f32 [%r10+4], %f0;\nst.shared.f32 [%r10], %f1;\n",
                     "STS.64 STS.32");
}

static void a_pointer_that_moves_on_is_another_place(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("ld.shared.f32 %f0, [%r11];\nadd.u32 %r11, %r11, 8;\nld.shared.f32 %f1, [%r11];\n" USE("%f0")
                         USE("%f1"),
                     "LDS.32 LDS.32");
}

static void a_loop_that_nobody_enters_is_no_riddle(void **state) {
    (void)state;
    ASSERT_ASSEMBLED("add.u32 %r11, %r11, 8;\nbra E;\nL: ld.shared.f32 %f0, [%r11];\n" USE(
                         "%f0") "bra L;\nE: ld.shared.f32 %f1, [%r11];\n" USE("%f1") "add.u32 %r11, %r11, 8;\n",
                     "LDS.32 LDS.32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_an_aligned_window_become_one),
        cmocka_unit_test(three_of_four_words_are_worth_reading_all),
        cmocka_unit_test(windows_need_addresses_known_to_be_aligned),
        cmocka_unit_test(variables_lie_in_the_order_of_declaration),
        cmocka_unit_test(constant_addresses_and_or_are_followed),
        cmocka_unit_test(other_widths_merge_alike),
        cmocka_unit_test(bytes_and_halves_merge_in_vectors_and_stores),
        cmocka_unit_test(halves_that_nothing_extends_are_loaded_together),
        cmocka_unit_test(vectors_shrink_to_what_is_used),
        cmocka_unit_test(loads_that_nobody_uses_are_removed),
        cmocka_unit_test(what_lanes_tell_each_other_in_vain_is_removed),
        cmocka_unit_test(global_accesses_are_not_merged),
        cmocka_unit_test(stores_merge_without_holes),
        cmocka_unit_test(local_accesses_merge_as_the_frame_is_aligned),
        cmocka_unit_test(local_loads_merge_without_holes),
        cmocka_unit_test(single_bytes_of_local_memory_do_not_merge),
        cmocka_unit_test(global_accesses_do_not_keep_local_ones_apart_but_generic_ones_do),
        cmocka_unit_test(a_store_overwritten_at_once_is_removed),
        cmocka_unit_test(a_load_takes_what_was_just_stored_or_loaded),
        cmocka_unit_test(some_instructions_keep_accesses_apart),
        cmocka_unit_test(divisions_and_roots_that_are_rounded_are_calls),
        cmocka_unit_test(others_do_not),
        cmocka_unit_test(a_load_behind_a_branch_joins_those_before_it),
        cmocka_unit_test(a_pointer_keeps_its_alignment_through_a_loop),
        cmocka_unit_test(atomics_without_a_use_are_reductions),
        cmocka_unit_test(atomics_that_acquire_stay_atomics),
        cmocka_unit_test(lone_halves_are_swapped_with_their_words),
        cmocka_unit_test(lanes_at_one_address_go_to_memory_as_one),
        cmocka_unit_test(shared_memory_knows_few_atomics),
        cmocka_unit_test(loads_join_one_that_every_way_goes_through),
        cmocka_unit_test(a_load_of_a_part_of_another_is_gone),
        cmocka_unit_test(global_loads_are_merged_where_an_access_shows_how_they_are_aligned),
        cmocka_unit_test(a_global_load_made_again_is_gone_unless_something_separates_the_two),
        cmocka_unit_test(loads_on_both_sides_of_a_product_are_combined),
        cmocka_unit_test(stores_are_merged_in_one_run_of_a_window),
        cmocka_unit_test(a_pointer_that_moves_on_is_another_place),
        cmocka_unit_test(a_loop_that_nobody_enters_is_no_riddle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
