/* tcgen05.cp and tcgen05.shift: which bytes of a matrix in shared memory go to which lane and column. The matrix has 16
 * bytes of each row together, in groups of eight rows; the next 16 bytes are 2048 bytes further on. */
#include "kernel.h"

#include "base/text.h"

#undef HEAD
#define HEAD ".version 8.8\n.target sm_100a\n.address_size 64\n"

enum { LANES = 128, COLUMNS = 8, GROUP_ROWS = 8, NEXT_CHUNK = 2048, IMAGE = 2 * NEXT_CHUNK, UNTOUCHED = 0x55555555 };

static unsigned char image[IMAGE];
static uint32_t out[COLUMNS][LANES];

static void make_image(void) {
    uint32_t state = 1;
    for (unsigned n = 0; n < IMAGE; n++) image[n] = (unsigned char)((state = state * 1664525 + 1013904223) >> 24);
}

static const unsigned char *chunk_of(unsigned row, unsigned chunk) {
    return image + chunk * NEXT_CHUNK + row / GROUP_ROWS * 128 + row % GROUP_ROWS * 16;
}

static uint32_t word_of(unsigned row, unsigned column) {
    uint32_t word;
    memcpy(&word, chunk_of(row, column / 4) + column % 4 * 4, sizeof word);
    return word;
}

/* Fills tensor memory with one value, executes the instruction, and reads the eight columns of each lane. */
static void run_copy(const char *instruction) {
    text t = {0};
    text_put(&t, HEAD ".shared .align 1024 .b8 s[4096];\n.shared .align 8 .b64 bar;\n.shared .b32 at;\n" BEGIN);
    text_printf(&t, "mov.u32 %%r5, s;\nmov.u32 %%r6, bar;\nmov.u32 %%r3, at;\nmul.wide.u32 %%rd3, %%r0, 4;\n"
                    "add.u64 %%rd3, %%rd3, %%rd1;\nmad.lo.u32 %%r7, %%r0, 4, %%r5;\n");
    for (unsigned at = 0; at < IMAGE; at += 512)
        text_printf(&t, "ld.global.u32 %%r8, [%%rd3+%u];\nst.shared.u32 [%%r7+%u], %%r8;\n", at, at);
    text_printf(
        &t,
        "setp.eq.u32 %%p1, %%r0, 0;\nsetp.lt.u32 %%p2, %%r0, 32;\n@%%p1 mbarrier.init.shared::cta.b64 [%%r6], 1;\n"
        "@!%%p2 bra READY;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%%r3], 32;\nREADY:\n"
        "fence.proxy.async.shared::cta;\nbar.sync 0;\nld.shared.u32 %%r3, [%%r3];\nand.b32 %%r4, %%r0, 0x60;\n"
        "shl.b32 %%r4, %%r4, 16;\nadd.u32 %%r4, %%r4, %%r3;\nmov.u32 %%r9, %d;\n"
        "tcgen05.st.sync.aligned.32x32b.x8.b32 [%%r4], {%%r9, %%r9, %%r9, %%r9, %%r9, %%r9, %%r9, %%r9};\n"
        "tcgen05.wait::st.sync.aligned;\nbar.sync 0;\nshr.u32 %%r8, %%r5, 4;\ncvt.u64.u32 %%rd4, %%r8;\n"
        "or.b64 %%rd4, %%rd4, %llu;\n",
        UNTOUCHED, (unsigned long long)((uint64_t)NEXT_CHUNK / 16 << 16 | UINT64_C(8) << 32 | UINT64_C(1) << 46));
    text_printf(
        &t,
        "@!%%p1 bra W;\n%s"
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%r6];\n"
        "W: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r6], 0;\n@!%%p3 bra W;\n"
        "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%%r10, %%r11, %%r12, %%r13, %%r14, %%r15, %%r16, %%r17}, [%%r4];\n"
        "tcgen05.wait::ld.sync.aligned;\nbar.sync 0;\n",
        instruction);
    for (unsigned c = 0; c < COLUMNS; c++) text_printf(&t, "st.global.u32 [%%rd2+%u], %%r%u;\n", c * LANES * 4, 10 + c);
    text_put(&t, "@!%p2 bra END;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;\nEND:\n" END);
    make_image();
    run_kernel(&(kernel_run){.ptx = text_string(&t), .device = "sim:b200", .threads = LANES, FROM(image), INTO(out)});
    text_free(&t);
}

static void expect(unsigned lane, unsigned column, uint32_t wanted) {
    if (out[column][lane] != wanted)
        fail_msg("lane %u, column %u is 0x%x, not 0x%x", lane, column, out[column][lane], wanted);
}

/* Checks the rows that a warp's lanes get, by shape. */
static void check_rows(const char *instruction, const unsigned first_row[4], unsigned columns) {
    run_copy(instruction);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned c = 0; c < COLUMNS; c++)
            expect(lane, c, c < columns ? word_of(first_row[lane / 32] + lane % 32, c) : UNTOUCHED);
}

static void rows_go_to_lanes(void **state) {
    (void)state;
    check_rows("tcgen05.cp.cta_group::1.128x256b [%r3], %rd4;\n", (const unsigned[]){0, 32, 64, 96}, 8);
    check_rows("tcgen05.cp.cta_group::1.128x128b [%r3], %rd4;\n", (const unsigned[]){0, 32, 64, 96}, 4);
    check_rows("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%r3], %rd4;\n", (const unsigned[]){0, 0, 32, 32}, 4);
    check_rows("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%r3], %rd4;\n", (const unsigned[]){0, 32, 0, 32}, 4);
    check_rows("tcgen05.cp.cta_group::1.32x128b.warpx4 [%r3], %rd4;\n", (const unsigned[]){0, 0, 0, 0}, 4);
}

static void four_rows_go_to_a_lane_of_each_warp(void **state) {
    (void)state;
    run_copy("tcgen05.cp.cta_group::1.4x256b [%r3+0x1f0000], %rd4;\n");
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned c = 0; c < COLUMNS; c++) expect(lane, c, lane % 32 == 31 ? word_of(lane / 32, c) : UNTOUCHED);
}

/* The first 8 or 12 of 16 bytes of shared memory are elements. */
static uint32_t widened(unsigned row, unsigned column, unsigned bits) {
    const unsigned char *chunk = chunk_of(row, 0);
    uint32_t word = 0;
    for (unsigned e = 0; e < 4; e++) {
        const unsigned at = (4 * column + e) * bits;
        const uint32_t element = (chunk[at / 8] | (uint32_t)chunk[at / 8 + 1] << 8) >> at % 8 & ((1u << bits) - 1);
        word |= (bits == 4 ? element << 2 : element) << 8 * e;
    }
    return word;
}

static void narrow_elements_become_bytes(void **state) {
    (void)state;
    run_copy("tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%r3], %rd4;\n");
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned c = 0; c < 4; c++) expect(lane, c, widened(lane, c, 4));
    run_copy("tcgen05.cp.cta_group::1.128x128b.b8x16.b6x16_p32 [%r3], %rd4;\n");
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned c = 0; c < 4; c++) expect(lane, c, widened(lane, c, 6));
}

static void a_warps_lanes_are_shifted(void **state) {
    (void)state;
    run_copy("tcgen05.cp.cta_group::1.128x256b [%r3], %rd4;\ntcgen05.shift.cta_group::1.down [%r3+0x400000];\n");
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned c = 0; c < COLUMNS; c++)
            expect(lane, c, word_of(lane / 32 == 2 && lane % 32 < 31 ? lane + 1 : lane, c));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_go_to_lanes),
        cmocka_unit_test(four_rows_go_to_a_lane_of_each_warp),
        cmocka_unit_test(narrow_elements_become_bytes),
        cmocka_unit_test(a_warps_lanes_are_shifted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
