/* Tensor memory: the layout of its registers, the allocation of columns, the timing of asynchronous work, and the
 * errors. */
#include "kernel.h"

#include "base/text.h"

#undef HEAD
#define HEAD ".version 8.8\n.target sm_100a\n.address_size 64\n"

enum { WARP = 32, MOST_REGISTERS = 128 };

/* ---- shapes ---- */

typedef struct place {
    unsigned lane, column;
} place;

/* As the manual draws them: rows of four, eight or two columns for each thread of a row, followed by the upper eight
 * rows. */
static place place_16x64(unsigned r, unsigned thread) {
    return (place){thread / 4 + (thread & 1 ? 8 : 0), 2 * r + (thread & 2 ? 1 : 0)};
}

static place place_16x128(unsigned r, unsigned thread) {
    return (place){thread / 4 + (r & 1 ? 8 : 0), 4 * (r / 2) + thread % 4};
}

static place place_16x256(unsigned r, unsigned thread) {
    return (place){thread / 4 + (r & 2 ? 8 : 0), 8 * (r / 4) + 2 * (thread % 4) + (r & 1)};
}

static place place_32x32(unsigned r, unsigned thread) {
    return (place){thread, r};
}

enum { SECOND_HALF = 192 };

static place place_16x32x2(unsigned r, unsigned thread) {
    return (place){thread % 16, r + (thread < 16 ? 0 : SECOND_HALF)};
}

typedef struct shape {
    const char *name;
    place (*at)(unsigned r, unsigned thread);
    unsigned registers, most; /* registers of one repetition; most repetitions */
    bool split;
} shape;

static const shape shapes[] = {
    {"16x64b", place_16x64, 1, 128, false},    {"16x128b", place_16x128, 2, 64, false},
    {"16x256b", place_16x256, 4, 32, false},   {"32x32b", place_32x32, 1, 128, false},
    {"16x32bx2", place_16x32x2, 1, 128, true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, COLUMNS = 512, CHUNK = 64 };

static void put_registers(text *t, const char *name, unsigned count) {
    for (unsigned r = 0; r < count; r++) text_printf(t, "%s%%%s%u", r ? ", " : "{", name, r);
    text_put(t, "}");
}

static void put_begin(text *t) {
    text_put(t, HEAD BEGIN
             ".reg .b32 %v<128>;\n.shared .b32 at;\nmov.u32 %r4, at;\n"
             "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4], 512;\nld.shared.u32 %r3, [%r4];\n");
}

static void put_end(text *t) {
    text_put(t, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 512;\n" END);
}

/* Column c of the thread's lane holds 65536 c + lane: whole words, whose halves are c and lane. */
static void put_numbers(text *t) {
    for (unsigned first = 0; first < COLUMNS; first += CHUNK) {
        for (unsigned c = 0; c < CHUNK; c++) text_printf(t, "add.u32 %%v%u, %%r0, %u;\n", c, (first + c) << 16);
        text_printf(t, "tcgen05.st.sync.aligned.32x32b.x64.b32 [%%r3+%u], ", first);
        put_registers(t, "v", CHUNK);
        text_put(t, ";\n");
    }
    text_put(t, "tcgen05.wait::st.sync.aligned;\n");
}

static void put_half(text *t, const shape *s) {
    if (s->split) text_printf(t, ", %d", SECOND_HALF);
}

static void check_loads(const shape *s, unsigned repeats, bool packs) {
    static uint32_t out[MOST_REGISTERS][WARP];
    const unsigned count = s->registers * repeats;
    text t = {0};
    put_begin(&t);
    put_numbers(&t);
    text_printf(&t, "tcgen05.ld.sync.aligned.%s.x%u%s.b32 ", s->name, repeats, packs ? ".pack::16b" : "");
    put_registers(&t, "v", count);
    text_put(&t, ", [%r3]");
    put_half(&t, s);
    text_put(&t, ";\ntcgen05.wait::ld.sync.aligned;\n");
    for (unsigned r = 0; r < count; r++) text_printf(&t, "st.global.b32 [%%rd2+%u], %%v%u;\n", 128 * r, r);
    put_end(&t);
    run_kernel(&(kernel_run){.ptx = text_string(&t), .device = "sim:b200", INTO(out)});
    text_free(&t);
    for (unsigned r = 0; r < count; r++) {
        for (unsigned thread = 0; thread < WARP; thread++) {
            const place at = s->at(r, thread);
            const uint32_t whole = at.column << 16 | at.lane, packed = at.lane << 16 | at.lane;
            if (out[r][thread] != (packs ? packed : whole))
                fail_msg("%s.x%u%s: register %u of thread %u is 0x%x", s->name, repeats, packs ? " packed" : "", r,
                         thread, out[r][thread]);
        }
    }
}

static void each_shape_is_loaded(void **state) {
    (void)state;
    for (unsigned s = 0; s < SHAPES; s++) {
        for (unsigned repeats = 1; repeats <= shapes[s].most; repeats *= 2) {
            check_loads(&shapes[s], repeats, false);
            if (repeats <= shapes[s].most / 2) check_loads(&shapes[s], repeats, true);
        }
    }
}

/* Register r of a thread holds 65536 r + thread + 1; loading lane by lane shows where it went. */
static void check_stores(const shape *s, unsigned repeats, bool unpacks) {
    static uint32_t out[COLUMNS][WARP];
    const unsigned count = s->registers * repeats;
    text t = {0};
    put_begin(&t);
    for (unsigned r = 0; r < count; r++) text_printf(&t, "add.u32 %%v%u, %%r0, %u;\n", r, (r << 16) + 1);
    text_printf(&t, "tcgen05.st.sync.aligned.%s.x%u%s.b32 [%%r3]", s->name, repeats, unpacks ? ".unpack::16b" : "");
    put_half(&t, s);
    text_put(&t, ", "), put_registers(&t, "v", count);
    text_put(&t, ";\ntcgen05.wait::st.sync.aligned;\n");
    for (unsigned c = 0; c < COLUMNS; c++)
        text_printf(&t,
                    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%%v0}, [%%r3+%u];\ntcgen05.wait::ld.sync.aligned;\n"
                    "st.global.b32 [%%rd2+%u], %%v0;\n",
                    c, 128 * c);
    put_end(&t);
    run_kernel(&(kernel_run){.ptx = text_string(&t), .device = "sim:b200", INTO(out)});
    text_free(&t);
    for (unsigned r = 0; r < count; r++) {
        for (unsigned thread = 0; thread < WARP; thread++) {
            const place at = s->at(r, thread);
            const uint32_t value = (r << 16) + thread + 1;
            const uint32_t low = unpacks ? out[2 * at.column][at.lane] : out[at.column][at.lane] & 0xffff;
            const uint32_t high = unpacks ? out[2 * at.column + 1][at.lane] : out[at.column][at.lane] >> 16;
            if (low != (value & 0xffff) || high != value >> 16)
                fail_msg("%s.x%u%s: register %u of thread %u is not there", s->name, repeats,
                         unpacks ? " unpacked" : "", r, thread);
        }
    }
}

static void each_shape_is_stored(void **state) {
    (void)state;
    for (unsigned s = 0; s < SHAPES; s++) {
        for (unsigned repeats = 1; repeats <= shapes[s].most; repeats *= 4) {
            check_stores(&shapes[s], repeats, false);
            if (repeats <= shapes[s].most / 4) check_stores(&shapes[s], repeats, true);
        }
    }
}

/* ---- whole kernels of one warp ---- */

#define WARP_KERNEL(body)                                                                           \
    KERNEL_WITH(".shared .align 8 .b64 bar;\n.shared .b32 at;\n.shared .align 1024 .b8 s[1024];\n", \
                "mov.u32 %r4, at;\nmov.u32 %r5, bar;\nmov.u32 %r6, s;\n" body)
#define ALLOCATE(columns) \
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4], " columns ";\nld.shared.u32 %r3, [%r4];\n"
#define FREE(columns) "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, " columns ";\n"
#define STORE "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%r0};\n"
#define STORED "tcgen05.wait::st.sync.aligned;\n"
#define LOAD "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r8}, [%r3];\n"
#define LOADED "tcgen05.wait::ld.sync.aligned;\n"

static void run_on_b200(const char *ptx, uint32_t *out) {
    memset(out, 0, WARP * sizeof *out);
    run_kernel(&(kernel_run){.ptx = ptx, .device = "sim:b200", .out = out, .out_bytes = WARP * sizeof *out});
}

static void accesses_come_to_pass_at_the_wait(void **state) {
    (void)state;
    uint32_t out[WARP];
    run_on_b200(WARP_KERNEL(ALLOCATE("32") STORE LOAD LOADED STORED OUT("%r8") FREE("32")), out);
    expect_words(out, WARP, 0xffffffff);
    run_on_b200(WARP_KERNEL(ALLOCATE("32") STORE STORED
                            "mov.u32 %r8, 7;\nadd.u32 %r8, %r8, %r0;\n" LOAD "add.u32 %r9, %r8, 1;\n" LOADED
                            "shl.b32 %r9, %r9, 8;\nadd.u32 %r8, %r8, %r9;\n" OUT("%r8") FREE("32")),
                out);
    expect_words(out, WARP, i + ((i + 8) << 8));
    /* A compiler's copy takes the loaded value; the store's register may be reused at once. */
    run_on_b200(WARP_KERNEL(ALLOCATE("32") "mov.u32 %r9, %r0;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%r9};\n"
                                           "add.u32 %r9, %r9, 5;\n" STORED LOAD
                                           "mov.u32 %r10, %r8;\n" LOADED OUT("%r10") FREE("32")),
                out);
    expect_words(out, WARP, i);
}

/* %r9 is unused, but it is loaded all the same, when %r10 already has its value. */
static void what_nobody_needs_is_loaded_to_its_own_register(void **state) {
    (void)state;
    uint32_t out[WARP];
    run_on_b200(WARP_KERNEL(ALLOCATE("32") STORE STORED "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r8, %r9}, [%r3];\n"
                                                        "add.u32 %r10, %r0, 100;\n" LOADED
                                                        "add.u32 %r10, %r10, %r8;\n" OUT("%r10") FREE("32")),
                out);
    expect_words(out, WARP, 2 * i + 100);
}

#define MULTIPLY                                                                                               \
    "mad.lo.u32 %r7, %r0, 32, %r6;\nmov.u32 %r9, 0x3c003c00;\nst.shared.v4.u32 [%r7], {%r9, %r9, %r9, %r9};\n" \
    "st.shared.v4.u32 [%r7+16], {%r9, %r9, %r9, %r9};\nsetp.eq.u32 %p1, %r0, 0;\n"                             \
    "@%p1 mbarrier.init.shared::cta.b64 [%r5], 1;\nfence.proxy.async.shared::cta;\nbar.warp.sync -1;\n"        \
    "shr.u32 %r7, %r6, 4;\ncvt.u64.u32 %rd4, %r7;\nor.b64 %rd4, %rd4, 0x0000400000080000;\n"                   \
    "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r3], %rd4, %rd4, 0x08020010, 0;\n"                              \
    "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];\n"
#define WAIT "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n@!%p2 bra W;\n"

static void products_come_to_pass_at_the_wait(void **state) {
    (void)state;
    uint32_t out[WARP];
    run_on_b200(WARP_KERNEL(ALLOCATE("32") STORE STORED MULTIPLY LOAD LOADED OUT("%r8") WAIT FREE("32")), out);
    expect_words(out, WARP, i);
    run_on_b200(WARP_KERNEL(ALLOCATE("32") STORE STORED MULTIPLY WAIT LOAD LOADED OUT("%r8") FREE("32")), out);
    expect_words(out, WARP, 0x41800000);
}

/* ---- columns ---- */

/* Several blocks per SM, each of which wants all columns. */
static void blocks_wait_for_columns(void **state) {
    static uint32_t out[1000 * WARP];
    (void)state;
    memset(out, 0, sizeof out);
    run_kernel(&(kernel_run){.ptx = WARP_KERNEL(ALLOCATE("512") STORE STORED LOAD LOADED FREE("512") OUT("%r8")),
                             .device = "sim:b200",
                             .blocks = 1000,
                             .host_threads = 2,
                             INTO(out)});
    expect_words(out, 1000 * WARP, i % WARP);
}

static void columns_are_given_out_one_behind_the_other(void **state) {
    (void)state;
    uint32_t out[WARP];
    run_on_b200(WARP_KERNEL(ALLOCATE("128") "mov.u32 %r10, %r3;\n" ALLOCATE("64") "mov.u32 %r11, %r3;\n" ALLOCATE(
                    "32") "shl.b32 %r12, %r11, 10;\nadd.u32 %r12, %r12, %r10;\nshl.b32 %r13, %r3, 20;\n"
                          "add.u32 %r12, %r12, %r13;\n" FREE("32") "mov.u32 %r3, %r10;\n" FREE(
                              "128") "mov.u32 %r3, %r11;\n" FREE("64") OUT("%r12")),
                out);
    expect_words(out, WARP, 128u << 10 | 192u << 20);
}

/* ---- errors ---- */

static void expect_fault(const char *ptx, uint32_t threads, const char *why) {
    expect_failure(&(kernel_run){.ptx = ptx, .device = "sim:b200", .threads = threads}, HAUL_ERROR_FAULT, why);
}

static void what_hardware_cannot_do_is_a_fault(void **state) {
    (void)state;
    expect_fault(WARP_KERNEL(ALLOCATE("%r0")), 32, "0 columns of tensor memory: must be 32, 64, 128, 256 or 512");
    expect_fault(WARP_KERNEL("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" ALLOCATE("32")), 32,
                 "has given up the right to allocate");
    expect_fault(WARP_KERNEL(ALLOCATE("32") FREE("64")), 32,
                 "64 columns of tensor memory at 0x0: the block has not allocated these");
    expect_fault(WARP_KERNEL("mov.u32 %r3, 0;\n" LOAD), 32, "the block has not allocated all of them");
    expect_fault(WARP_KERNEL(ALLOCATE("32") "add.u32 %r3, %r3, 32;\n" LOAD), 32,
                 "the block has not allocated all of them");
    expect_fault(WARP_KERNEL(ALLOCATE("32") "add.u32 %r3, %r3, 0x100000;\n" LOAD), 32,
                 "warp 0 must begin at lane 0, not at lane 16");
}

static void descriptors_that_name_no_form_are_faults(void **state) {
    (void)state;
#define WITH(descriptor, kind, instruction)                                                          \
    WARP_KERNEL(ALLOCATE("32") "mov.u64 %rd4, " descriptor ";\ntcgen05.mma.cta_group::1.kind::" kind \
                               " [%r3], %rd4, %rd4, " instruction ", 0;\n")
    expect_fault(WITH("0x400000000000", "f16", "0x06020010"), 32, "rows of d: 64 or 128");
    expect_fault(WITH("0x400000000000", "f16", "0x08000010"), 32, "columns of d: no such number");
    expect_fault(WITH("0x400000000000", "f16", "0x08020014"), 32, "the bit for a sparse a");
    expect_fault(WITH("0x400000000000", "f16", "0x08020810"), 32, "no such type of a or b");
    expect_fault(WITH("0x400000000000", "tf32", "0x08020900"), 32, "no such type of d");
    expect_fault(WITH("0x400000000000", "i8", "0x08022020"), 32, "integers are not negated");
    expect_fault(WITH("0x400000000000", "f16", "0x08180010"), 32, "the block has not allocated all of them");
    expect_fault(WITH("0", "f16", "0x08020010"), 32, "bits 46 to 48 must be 1");
    expect_fault(WITH("0x6000400000000000", "f16", "0x08020010"), 32, "no such swizzle");
    expect_fault(WITH("0x400000003fff", "f16", "0x08020010"), 32, "matrix outside the block's shared memory");
#undef WITH
}

static void expect_refusal(const char *instruction, const char *why) {
    text ptx = {0};
    text_put(&ptx, HEAD BEGIN), text_put(&ptx, instruction), text_put(&ptx, "\n" END);
    expect_failure(&(kernel_run){.ptx = text_string(&ptx), .device = "sim:b200"}, HAUL_ERROR_SYNTAX, why);
    text_free(&ptx);
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    expect_refusal("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 48;", "takes a power of two");
    expect_refusal("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r3}, [%r4];", "must be 2 registers in braces");
    expect_refusal("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%rd4];", "must be a .b32");
    expect_refusal("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r4], 8;", "takes the offset of a second half");
    expect_refusal("tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r3}, [%r4];", "takes the offset of a second half");
    expect_refusal("tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r3}, [%r4];", "has at most 128 registers");
    expect_refusal("tcgen05.cp.cta_group::1.32x128b [%r3], %rd4;", "needs .warpx4");
    expect_refusal("tcgen05.shift.cta_group::1.down [%r3];\ntcgen05.shift.cta_group::2.down [%r3];",
                   "is for .cta_group::2, those before it for .cta_group::1");
    expect_refusal("tcgen05.mma.cta_group::1.kind::f8f6f4 [%r3], %rd4, %rd4, %r5, %p1, 1;", "scales d for");
    expect_refusal("tcgen05.mma.cta_group::1.kind::f16.ashift [%r3], %rd4, %rd4, %r5, %p1;",
                   "shifts a matrix a in tensor");
    expect_refusal("tcgen05.mma.cta_group::2.kind::f16 [%r3], %rd4, %rd4, %r5, {%r6, %r6, %r6, %r6}, %p1;",
                   "must be 8 registers in braces");
    expect_refusal("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [%r3], %rd4, %rd4, %r5, [%r6], [%r7], %p1;",
                   "needs a .scale_vec");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shape_is_loaded),
        cmocka_unit_test(each_shape_is_stored),
        cmocka_unit_test(accesses_come_to_pass_at_the_wait),
        cmocka_unit_test(what_nobody_needs_is_loaded_to_its_own_register),
        cmocka_unit_test(products_come_to_pass_at_the_wait),
        cmocka_unit_test(blocks_wait_for_columns),
        cmocka_unit_test(columns_are_given_out_one_behind_the_other),
        cmocka_unit_test(what_hardware_cannot_do_is_a_fault),
        cmocka_unit_test(descriptors_that_name_no_form_are_faults),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
