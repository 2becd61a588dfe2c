/* Compiled kernels do the same as interpreted ones: values, counters, faults. Each kernel runs a loop often enough for
 * its blocks to be compiled: once interpreted, once with blocks compiled at their first execution, and once at their
 * fourth, when the shapes of addresses are known. */
#include "kernel.h"

#include "jit/code.h"
#include "jit/compiled.h"

#include <math.h>

enum { THREADS = 96, WORDS = 4096, ROUNDS = 16 };

typedef struct outcome {
    haul_status status;
    char message[512];
    uint32_t out[WORDS];
    haul_launch_record record;
} outcome;

static uint32_t in[WORDS];

static void fill_in(void) {
    for (uint32_t i = 0; i < WORDS; i++) in[i] = i * 0x9e3779b1u + (i << 7 ^ i >> 3);
}

static void run_counting(const char *mode, const char *ptx, uint32_t threads, uint32_t host_threads, bool uncounted,
                         outcome *o) {
    memset(o, 0, sizeof *o);
    setenv("HAUL_COMPILE", mode, 1);
    o->status = try_kernel(&(kernel_run){.ptx = ptx,
                                         .blocks = 3,
                                         .threads = threads,
                                         .host_threads = host_threads,
                                         .uncounted = uncounted,
                                         FROM(in),
                                         INTO(o->out),
                                         .record = &o->record});
    if (o->status != HAUL_OK) snprintf(o->message, sizeof o->message, "%s", haul_message());
    unsetenv("HAUL_COMPILE");
}

static void run_as(const char *mode, const char *ptx, uint32_t threads, uint32_t host_threads, outcome *o) {
    run_counting(mode, ptx, threads, host_threads, false, o);
}

static void same_results(const char *mode, const outcome *got, const outcome *want) {
    if (got->status != want->status) fail_msg("HAUL_COMPILE=%s: %s", mode, got->message);
    assert_string_equal(got->message, want->message);
    for (unsigned i = 0; i < WORDS; i++)
        if (got->out[i] != want->out[i])
            fail_msg("HAUL_COMPILE=%s: word %u is 0x%x, not 0x%x", mode, i, got->out[i], want->out[i]);
}

static void same(const char *mode, const outcome *got, const outcome *want) {
    same_results(mode, got, want);
    for (unsigned c = 0; c < HAUL_COUNTER_COUNT; c++)
        if (got->record.counters[c] != want->record.counters[c])
            fail_msg("HAUL_COMPILE=%s: %s is %g, not %g", mode, haul_counters[c].key, got->record.counters[c],
                     want->record.counters[c]);
}

static void same_with(const char *ptx, uint32_t threads) {
    static outcome want, got;
    static const char *const modes[] = {"1", "4:more"};
    run_as("off", ptx, threads, 1, &want);
    for (unsigned m = 0; m < 2; m++) {
        run_as(modes[m], ptx, threads, 1, &got);
        same(modes[m], &got, &want);
        run_as(modes[m], ptx, threads, 4, &got);
        same(modes[m], &got, &want);
        run_counting(modes[m], ptx, threads, 1, true, &got);
        same_results(modes[m], &got, &want);
    }
}

/* Runs with a whole and with a partial last warp. */
static void same_in_all_forms(const char *ptx, uint32_t threads) {
    same_with(ptx, threads);
    same_with(ptx, threads - 13);
}

/* A loop around `body`: %r3 is the round; %r4 to %r7 and %f0 to %f3 come from `in` and go to `out`. */
#define LOOP_WITH(limit, body)                                                                            \
    KERNEL(".shared .align 16 .b8 buffer[8192];\n"                                                        \
           "mul.wide.u32 %rd3, %r1, 16;\nadd.u64 %rd3, %rd1, %rd3;\n"                                     \
           "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];\n"                                             \
           "mov.b32 %f0, %r4;\nmov.b32 %f1, %r5;\nmov.b32 %f2, %r6;\nmov.b32 %f3, %r7;\n"                 \
           "mov.u32 %r8, buffer;\nmov.u32 %r3, 0;\n"                                                      \
           "$loop:\n" body "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p15, %r3, " #limit ";\n@%p15 bra $loop;\n" \
           "mov.b32 %r10, %f0;\nmov.b32 %r11, %f1;\nxor.b32 %r4, %r4, %r10;\nxor.b32 %r5, %r5, %r11;\n"   \
           "mov.b32 %r10, %f2;\nmov.b32 %r11, %f3;\nxor.b32 %r6, %r6, %r10;\nxor.b32 %r7, %r7, %r11;\n"   \
           "mul.wide.u32 %rd3, %r1, 16;\nadd.u64 %rd3, %rd0, %rd3;\n"                                     \
           "st.global.v4.u32 [%rd3], {%r4, %r5, %r6, %r7};\n")
#define LOOP(body) LOOP_WITH(16, body)
/* The same, but all lanes execute the body only in one round of four, and some in the others. */
#define LOOP_OF_SOME(body)                                                             \
    LOOP("xor.b32 %r20, %r0, %r3;\nand.b32 %r20, %r20, %r3;\nand.b32 %r20, %r20, 3;\n" \
         "setp.ne.u32 %p14, %r20, 0;\n@%p14 bra $over;\n" body "$over:\nxor.b32 %r4, %r4, %r3;\n")
#define IN_ALL_FORMS(body)                              \
    do {                                                \
        same_in_all_forms(LOOP(body), THREADS);         \
        same_in_all_forms(LOOP_OF_SOME(body), THREADS); \
    } while (0)

static void integers_are_the_same(void **state) {
    (void)state;
    IN_ALL_FORMS("add.u32 %r4, %r4, %r5;\nsub.u32 %r5, %r5, %r6;\nmul.lo.u32 %r6, %r6, %r7;\n"
                 "mad.lo.s32 %r7, %r4, %r5, %r7;\nmul.hi.u32 %r10, %r4, %r5;\nxor.b32 %r7, %r7, %r10;\n"
                 "mul.hi.s32 %r10, %r4, %r5;\nxor.b32 %r7, %r7, %r10;\nmin.s32 %r10, %r4, %r5;\n"
                 "max.u32 %r11, %r4, %r5;\nadd.u32 %r4, %r10, %r11;\nneg.s32 %r5, %r5;\nabs.s32 %r6, %r6;\n"
                 "and.b32 %r10, %r4, 63;\nshl.b32 %r11, %r5, %r10;\nxor.b32 %r6, %r6, %r11;\n"
                 "shr.s32 %r11, %r5, %r10;\nxor.b32 %r6, %r6, %r11;\nshr.u32 %r11, %r4, 7;\n"
                 "lop3.b32 %r7, %r7, %r11, %r6, 0x96;\nlop3.b32 %r7, %r7, %r5, %r4, 0x1b;\nnot.b32 %r4, %r4;\n");
    IN_ALL_FORMS("mul.wide.u32 %rd4, %r4, %r5;\nmad.wide.s32 %rd5, %r5, %r6, %rd4;\n"
                 "shr.u64 %rd6, %rd5, %r3;\nshr.s64 %rd7, %rd5, 63;\nshl.b64 %rd8, %rd4, %r7;\n"
                 "add.u64 %rd6, %rd6, %rd7;\nxor.b64 %rd6, %rd6, %rd8;\ncvt.u32.u64 %r4, %rd6;\n"
                 "shr.u64 %rd6, %rd6, 32;\ncvt.u32.u64 %r5, %rd6;\ncvt.s64.s32 %rd9, %r5;\n"
                 "mul.lo.u64 %rd9, %rd9, %rd4;\ncvt.u32.u64 %r6, %rd9;\nmin.s64 %rd9, %rd9, %rd4;\n"
                 "cvt.u16.u32 %h0, %r4;\nadd.u16 %h1, %h0, 77;\nmul.wide.u16 %r7, %h0, %h1;\n"
                 "shr.s16 %h2, %h1, 3;\ncvt.s32.s16 %r10, %h2;\nadd.u32 %r7, %r7, %r10;\n");
}

static void predicates_are_the_same(void **state) {
    (void)state;
    IN_ALL_FORMS("setp.lt.s32 %p0, %r4, %r5;\nsetp.ge.u32 %p1, %r5, %r6;\nsetp.ne.and.u32 %p2|%p3, %r6, %r7, "
                 "%p0;\nxor.pred %p4, %p1, %p2;\nnot.pred %p5, %p3;\nor.pred %p6, %p4, !%p5;\n"
                 "selp.u32 %r10, %r4, %r5, %p6;\n@%p0 add.u32 %r4, %r4, 3;\n@!%p1 mov.u32 %r5, %r10;\n"
                 "@%p4 setp.eq.u32 %p1, %r4, %r5;\nselp.b32 %r11, 1, 2, %p1;\nadd.u32 %r6, %r6, %r11;\n"
                 "setp.gtu.f32 %p7, %f0, %f1;\nsetp.neu.f32 %p8, %f2, %f2;\n@%p7 add.u32 %r7, %r7, 5;\n"
                 "@%p8 xor.b32 %r7, %r7, %r4;\n");
}

/* LLVM took operands in the wrong order where the destination is one of them and another comes from memory. */
static void guarded_logic_is_the_same(void **state) {
    (void)state;
    IN_ALL_FORMS("setp.lt.u32 %p0, %r5, %r7;\n@%p0 copysign.f32 %f0, %f1, %f0;\n");
    IN_ALL_FORMS("setp.lt.u32 %p0, %r5, %r7;\n@!%p0 lop3.b32 %r4, %r4, %r5, %r6, 0xe2;\n");
    IN_ALL_FORMS("setp.lt.u32 %p0, %r6, %r7;\n@%p0 lop3.b32 %r5, %r4, %r5, 0x00ff0ff0, 0xd8;\n"
                 "@!%p0 lop3.b32 %r6, %r7, 0x12345678, %r6, 0xac;\n");
}

/* NaNs are loaded and moved unchanged; only arithmetic makes them canonical. */
static void floats_are_the_same(void **state) {
    (void)state;
    in[1] = 0xffc12345, in[6] = 0x7f812345, in[9] = 0x80000001, in[12] = 0x80000000, in[18] = 0x7f800000;
    IN_ALL_FORMS("fma.rn.f32 %f4, %f0, %f1, %f2;\nadd.f32 %f5, %f4, %f3;\nmul.f32 %f6, %f5, %f0;\n"
                 "sub.f32 %f7, %f6, %f6;\n"
                 "mov.f32 %f8, %f4;\nsetp.lt.f32 %p0, %f4, %f5;\n@%p0 mov.f32 %f0, %f8;\n"
                 "@!%p0 add.f32 %f1, %f1, %f6;\nmov.f32 %f2, %f3;\nmov.b32 %r10, %f7;\nadd.u32 %r4, %r4, %r10;\n"
                 "cvt.rn.f32.s32 %f9, %r5;\ncvt.rn.f32.u32 %f10, %r5;\ndiv.rn.f32 %f3, %f9, %f10;\n"
                 "sqrt.rn.f32 %f11, %f9;\nmov.b32 %r10, %f11;\nxor.b32 %r6, %r6, %r10;\n");
    IN_ALL_FORMS("fma.rn.ftz.f32 %f0, %f0, %f1, %f2;\nmul.ftz.f32 %f1, %f1, %f3;\nadd.ftz.f32 %f2, %f2, %f0;\n"
                 "mul.f32 %f3, %f3, 0f3f000000;\nadd.rz.f32 %f2, %f2, %f3;\nadd.sat.f32 %f3, %f3, %f1;\n");
    IN_ALL_FORMS("min.f32 %f4, %f0, %f1;\nmax.f32 %f5, %f2, %f3;\nneg.f32 %f6, %f4;\nabs.f32 %f7, %f5;\n"
                 "rcp.rn.f32 %f0, %f7;\nmax.f32 %f1, %f6, %f0;\nmin.f32 %f2, %f6, %f3;\n"
                 "mov.b64 %rd4, {%r4, %r5};\nadd.u64 %rd4, %rd4, %rd4;\nmov.b64 {%r5, %r4}, %rd4;\n"
                 "mov.b32 {%h0, %h1}, %r6;\nmov.b32 %r6, {%h1, %h0};\nmov.b32 %r10, %f2;\n"
                 "xor.b32 %r7, %r7, %r10;\nmov.u32 %r10, %clock;\n");
    fill_in();
}

/* %r9: the thread's address in shared memory, with `bytes` bytes per thread. */
#define PLACE(bytes) "mad.lo.u32 %r9, %r0, " #bytes ", %r8;\n"

static void shared_accesses_are_the_same(void **state) {
    (void)state;
    same_in_all_forms(LOOP(PLACE(4) "st.shared.u32 [%r9], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [%r9+4];\n"
                                    "and.b32 %r10, %r0, 16;\nadd.u32 %r10, %r10, %r8;\nld.shared.u32 %r6, [%r10];\n"
                                    "ld.shared.u32 %r7, [%r10+4];\nld.shared.f32 %f0, [%r8+8];\nbar.sync 0;\n"
                                    "add.u32 %r4, %r5, %r6;\nfma.rn.f32 %f1, %f0, %f0, %f1;\n"),
                      THREADS);
    same_in_all_forms(LOOP(PLACE(16) "st.shared.v4.u32 [%r9], {%r4, %r5, %r6, %r7};\nbar.sync 0;\n"
                                     "ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r9+16];\n"
                                     "ld.shared.v2.u32 {%r10, %r11}, [%r9+8];\nadd.u32 %r4, %r4, %r10;\nbar.sync 0;\n"
                                     "add.u32 %r5, %r5, %r11;\n"),
                      THREADS);
    same_in_all_forms(
        LOOP(PLACE(12) "st.shared.u32 [%r9], %r4;\nst.shared.u16 [%r9+6], %h0;\nbar.sync 0;\n"
                       "xor.b32 %r10, %r0, 21;\nmad.lo.u32 %r10, %r10, 12, %r8;\nld.shared.u32 %r5, [%r10];\n"
                       "ld.shared.u8 %r6, [%r10+1];\nld.shared.u64 %rd4, [%r8+8];\nbar.sync 0;\n"
                       "add.u32 %r4, %r4, %r5;\ncvt.u32.u64 %r7, %rd4;\n"),
        THREADS);
}

/* Several lanes store to one address: the last one's value stays. */
static void stores_that_collide_are_the_same(void **state) {
    (void)state;
    same_in_all_forms(LOOP("shr.u32 %r9, %r0, 3;\nmad.lo.u32 %r9, %r9, 4, %r8;\nst.shared.u32 [%r9], %r4;\n"
                           "st.shared.u32 [%r8+64], %r5;\nbar.warp.sync 0xffffffff;\nld.shared.u32 %r6, [%r9];\n"
                           "ld.shared.u32 %r7, [%r8+64];\nadd.u32 %r4, %r4, %r6;\nadd.u32 %r5, %r5, %r7;\n"),
                      32);
}

/* The shape of lanes changes from round to round, and a load overwrites its own address register. */
static void changing_shapes_are_the_same(void **state) {
    (void)state;
    same_in_all_forms(
        LOOP("shr.u32 %r10, %r3, 2;\nshl.b32 %r10, %r0, %r10;\nand.b32 %r10, %r10, 127;\n"
             "mad.lo.u32 %r9, %r10, 4, %r8;\nld.shared.u32 %r11, [%r9];\nld.shared.u32 %r12, [%r9+512];\n"
             "add.u32 %r11, %r11, %r4;\nst.shared.u32 [%r9+1024], %r11;\nadd.u32 %r5, %r5, %r12;\n"
             "mad.lo.u32 %r13, %r0, 4, %r8;\nst.shared.u32 [%r13+4096], %r13;\n"
             "ld.shared.u32 %r13, [%r13+4096];\nld.shared.u32 %r14, [%r13+512];\nadd.u32 %r4, %r4, %r14;\n"),
        32);
}

static void diverging_lanes_are_the_same(void **state) {
    (void)state;
    static const char body[] = LOOP(
        PLACE(4) "and.b32 %r10, %r3, 3;\nsetp.eq.u32 %p0, %r10, 0;\n@%p0 bra $all;\n"
                 "and.b32 %r11, %r4, 7;\nsetp.lt.u32 %p1, %r11, %r10;\n@%p1 bra $some;\nadd.u32 %r4, %r4, 9;\n"
                 "st.shared.u32 [%r9], %r4;\nbra $met;\n$some:\nxor.b32 %r4, %r4, %r5;\nld.shared.u32 %r6, [%r9];\n"
                 "$met:\nadd.u32 %r5, %r5, %r6;\n$all:\n@%p1 ld.shared.u32 %r7, [%r9];\n"
                 "@!%p1 atom.shared.add.u32 %r12, [%r8], 1;\nshfl.sync.idx.b32 %r10, %r4, 3, 31, 0xffffffff;\n"
                 "add.u32 %r4, %r4, %r10;\n");
    same_in_all_forms(body, 96);
    same_in_all_forms(body, 64);
}

/* Nested loops that each lane leaves at another time. */
static void uneven_loops_are_the_same(void **state) {
    (void)state;
    same_in_all_forms(LOOP("and.b32 %r20, %r0, 7;\n$outer:\nmov.u32 %r21, 0;\nxor.b32 %r22, %r20, %r3;\n$inner:\n"
                           "mad.lo.u32 %r4, %r4, 5, %r21;\nadd.f32 %f0, %f0, %f1;\nadd.u32 %r21, %r21, 1;\n"
                           "setp.lt.u32 %p0, %r21, %r22;\n@%p0 bra $inner;\nxor.b32 %r5, %r5, %r4;\n"
                           "setp.eq.u32 %p2, %r22, 5;\n@%p2 bra $next;\nadd.u32 %r6, %r6, %r5;\n"
                           "@!%p0 add.u32 %r7, %r7, 1;\n$next:\nsub.u32 %r20, %r20, 1;\n"
                           "setp.gt.s32 %p1, %r20, 0;\n@%p1 bra $outer;\nadd.u32 %r7, %r7, %r6;\n"),
                      THREADS);
    same_in_all_forms(
        LOOP(PLACE(4) "and.b32 %r20, %r0, 3;\n$again:\nst.shared.u32 [%r9], %r4;\n"
                      "ld.shared.u32 %r5, [%r9];\nadd.u32 %r4, %r4, %r5;\natom.shared.add.u32 %r6, [%r8], 1;\n"
                      "activemask.b32 %r7;\nsub.u32 %r20, %r20, 1;\n"
                      "setp.ge.s32 %p1, %r20, 0;\n@%p1 bra $again;\nselp.u32 %r20, 2, 0, %p1;\n"),
        THREADS);
}

static void global_accesses_are_the_same(void **state) {
    (void)state;
    same_in_all_forms(LOOP("shl.b32 %r10, %r3, 7;\nadd.u32 %r10, %r10, %r1;\nmul.wide.u32 %rd4, %r10, 4;\n"
                           "add.u64 %rd5, %rd1, %rd4;\nld.global.u32 %r11, [%rd5];\nadd.u32 %r4, %r4, %r11;\n"
                           "add.u64 %rd6, %rd0, %rd4;\n@%p15 st.global.u32 [%rd6+4096], %r4;\n"
                           "and.b32 %r12, %r11, 1023;\nmul.wide.u32 %rd7, %r12, 4;\nadd.u64 %rd8, %rd1, %rd7;\n"
                           "ld.global.u32 %r5, [%rd8];\nred.global.add.u32 [%rd6], 1;\n"),
                      32);
}

/* In the eighth or tenth round a lane is out of bounds: the message must have the same place, lanes and words. */
static void faults_are_the_same(void **state) {
    (void)state;
    same_in_all_forms(LOOP("setp.ge.u32 %p0, %r3, 8;\nselp.u32 %r10, 9000, 0, %p0;\nadd.u32 %r9, %r8, %r10;\n"
                           "mad.lo.u32 %r9, %r0, 4, %r9;\nst.shared.u32 [%r9], %r4;\nadd.u32 %r4, %r4, 1;\n"),
                      THREADS);
    same_in_all_forms(LOOP("setp.ge.u32 %p0, %r3, 10;\nselp.u32 %r10, 2, 0, %p0;\nadd.u32 %r9, %r8, %r10;\n"
                           "ld.shared.u32 %r5, [%r9+4];\nadd.u32 %r4, %r4, 1;\n"),
                      THREADS);
    same_in_all_forms(LOOP("setp.ge.u32 %p0, %r3, 9;\nselp.u32 %r10, 1000000, 0, %p0;\nmul.wide.u32 %rd4, %r10, 64;\n"
                           "add.u64 %rd4, %rd4, %rd1;\nld.global.u32 %r5, [%rd4];\nadd.u32 %r4, %r4, %r5;\n"),
                      THREADS);
}

/* A warp's turn ends inside compiled blocks. */
static void long_loops_are_the_same(void **state) {
    (void)state;
    same_in_all_forms(LOOP_WITH(3000, PLACE(4) "st.shared.u32 [%r9], %r4;\nld.shared.u32 %r10, [%r9+4];\n"
                                               "add.u32 %r4, %r4, %r10;\nadd.u32 %r5, %r5, %r4;\n"),
                      THREADS);
}

/* Lanes that disagree around a short block: without counting, compiled code runs the block under a mask. What they
 * store, lanes at one address, the clock, and the place of a lane out of bounds must be those of paths that diverge and
 * meet. */
static void skipped_blocks_are_the_same(void **state) {
    (void)state;
#define EXCHANGE(other)                                                                                    \
    "ld.shared.u32 %r10, [%r9];\nld.shared.u32 %r11, [%r9+" #other                                         \
    "];\nsetp.gt.u32 %p0, %r10, %r11;\n@%p0 bra $kept;\n"                                                  \
    "xor.b32 %r6, %r6, %r11;\nst.shared.u32 [%r9], %r11;\nst.shared.u32 [%r9+" #other "], %r10;\n$kept:\n" \
    "mov.u32 %r12, %clock;\nadd.u32 %r7, %r7, %r12;\nbar.sync 0;\nld.shared.u32 %r4, [%r9];\n"             \
    "mad.lo.u32 %r5, %r4, 77, %r3;\nbar.sync 0;\n"
    same_in_all_forms(LOOP(PLACE(8) "st.shared.v2.u32 [%r9], {%r4, %r5};\n" EXCHANGE(4)), THREADS);
    same_in_all_forms(LOOP(PLACE(4) "st.shared.u32 [%r9], %r4;\nst.shared.u32 [%r9+512], %r5;\n" EXCHANGE(512)),
                      THREADS);
    /* Four lanes share an address: the last of them in the order of stores wins. */
    same_in_all_forms(
        LOOP("shr.u32 %r9, %r0, 2;\nmad.lo.u32 %r9, %r9, 4, %r8;\nst.shared.u32 [%r9], %r4;\nbar.sync 0;\n"
             "add.u32 %r12, %r0, %r3;\nand.b32 %r12, %r12, 3;\nsetp.eq.u32 %p0, %r12, 0;\n@%p0 bra $kept;\n"
             "ld.shared.u32 %r10, [%r9];\nadd.u32 %r5, %r5, %r10;\nst.shared.u32 [%r9], %r5;\n$kept:\n"
             "bar.sync 0;\nld.shared.u32 %r4, [%r9];\nbar.sync 0;\n"),
        THREADS);
    /* Stores by two registers: such a block stays a path of its own. */
    same_in_all_forms(LOOP(PLACE(4) "add.u32 %r13, %r9, 1024;\nand.b32 %r12, %r0, 1;\nsetp.eq.u32 %p0, %r12, 0;\n"
                                    "@%p0 bra $kept;\nst.shared.u32 [%r9], %r4;\nst.shared.u32 [%r13], %r5;\n$kept:\n"
                                    "ld.shared.u32 %r4, [%r13];\nadd.u32 %r5, %r5, %r4;\n"),
                      THREADS);
    same_in_all_forms(LOOP("setp.ge.u32 %p0, %r3, 8;\nselp.u32 %r10, 9000, 0, %p0;\nadd.u32 %r9, %r8, %r10;\n"
                           "mad.lo.u32 %r9, %r0, 4, %r9;\nand.b32 %r12, %r0, 1;\nsetp.eq.u32 %p0, %r12, 0;\n"
                           "@%p0 bra $kept;\nst.shared.u32 [%r9], %r4;\n$kept:\nadd.u32 %r4, %r4, 1;\n"),
                      THREADS);
}

/* The last test. Without LLVM, everything was interpreted twice. */
static void the_compiler_took_every_block(void **state) {
    (void)state;
    if (!sim_compiler()) print_message("interpreted only: %s\n", sim_compiler_why_not());
    assert_int_equal(sim_compiler_refused(), 0);
}

static int set_up(void **state) {
    (void)state;
    fill_in();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_the_same),        cmocka_unit_test(predicates_are_the_same),
        cmocka_unit_test(guarded_logic_is_the_same),    cmocka_unit_test(floats_are_the_same),
        cmocka_unit_test(shared_accesses_are_the_same), cmocka_unit_test(stores_that_collide_are_the_same),
        cmocka_unit_test(changing_shapes_are_the_same), cmocka_unit_test(diverging_lanes_are_the_same),
        cmocka_unit_test(uneven_loops_are_the_same),    cmocka_unit_test(global_accesses_are_the_same),
        cmocka_unit_test(faults_are_the_same),          cmocka_unit_test(long_loops_are_the_same),
        cmocka_unit_test(skipped_blocks_are_the_same),  cmocka_unit_test(the_compiler_took_every_block),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
