/* Misuse of background products of a warpgroup. A is in registers; B, with 8 columns and 16 rows, is the first 256
 * bytes of `s`. */
#include "kernel.h"

#undef HEAD
#define HEAD ".version 8.3\n.target sm_90a\n.address_size 64\n"
#include "pairs.h"

#define FENCE "fence.proxy.async.shared::cta;\n"
#define MEET "bar.sync 0;\n"
/* Adjacent threads store halves of b. */
#define STORE_HALVES "mad.lo.u32 %r8, %r0, 2, %r3;\ncvt.u16.u32 %h2, %r0;\nst.shared.u16 [%r8], %h2;\n"
#define DESCRIBE                                                                             \
    "shr.u32 %r6, %r3, 4;\ncvt.u64.u32 %rd4, %r6;\nor.b64 %rd4, %rd4, 0x0000001000080000;\n" \
    "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n"
#define MULTIPLY                                                                                                   \
    DESCRIBE "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, " \
             "{%r10, %r11, %r12, %r13}, %rd4, 0, 1, 1, 0;\n"
#define CLOSE "wgmma.commit_group.sync.aligned;\n"
#define WAIT_FOR(keep) "wgmma.wait_group.sync.aligned " keep ";\n"
#define STORE_SUM "st.global.f32 [%rd2], %f3;\n"

/* The second warpgroup writes b again, when one thread of the first has handed it back for all four warps, as CUTLASS's
 * pipelines do. */
#define HAND_BACK(in_flight, behind_wait)                                                                         \
    STORE FENCE INIT("1") "setp.ge.u32 %p3, %r0, 128;\n@%p3 bra REFILL;\n" MULTIPLY CLOSE in_flight WAIT_FOR("0") \
        behind_wait STORE_SUM "bra DONE;\nREFILL: " WAIT "st.shared.u32 [%r4+-512], %r0;\nDONE:\n"
#define ARRIVE "@!%p1 mbarrier.arrive.shared.b64 _, [%r5];\n"

/* ---- a ring of stages as Triton writes it: cp.async copies the factors of a later round (a: 2048 bytes, b: 256), and
 * each round computes its descriptors in the registers of the last one, whose product is still in flight ---- */

#define DESCRIPTOR(reg, address)                                                                                  \
    "shr.u32 %r16, " address ", 4;\nand.b32 %r16, %r16, 16383;\ncvt.u64.u32 " reg ", %r16;\nor.b64 " reg ", " reg \
    ", 0x0000001000080000;\n"
#define BRING(stage)                                                                            \
    "mad.lo.u32 %r22, " stage ", 2304, %r21;\ncp.async.cg.shared.global [%r22], [%rd10], 16;\n" \
    "@%p5 cp.async.cg.shared.global [%r22+2048], [%rd10], 16;\ncp.async.commit_group;\n"
#define NEXT(stage) "add.u32 " stage ", " stage ", 1;\nsetp.eq.u32 %p7, " stage ", 3;\n@%p7 mov.u32 " stage ", 0;\n"
#define RING(behind_wait, behind_barrier, in_flight)                                                                   \
    "mov.u32 %r20, dynamic;\nshl.b32 %r22, %r0, 4;\nadd.u32 %r21, %r20, %r22;\nand.b32 %r22, %r0, 63;\n"               \
    "mad.wide.u32 %rd10, %r22, 16, %rd1;\nsetp.lt.u32 %p5, %r0, 16;\nsetp.ne.u32 %p6, %r0, %r0;\n"                     \
    "mov.u32 %r23, 0;\nmov.u32 %r24, 0;\nmov.u32 %r25, 2;\n" BRING("0") BRING(                                         \
        "1") "ROUND: cp.async.wait_group 1;\n" behind_wait "bar.sync 0;\n" behind_barrier                              \
             "mad.lo.u32 %r26, %r24, 2304, %r20;\nadd.u32 %r27, %r26, 2048;\n" DESCRIPTOR("%rd11", "%r26") DESCRIPTOR( \
                 "%rd12", "%r27") "wgmma.fence.sync.aligned;\n"                                                        \
                                  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd11, "    \
                                  "%rd12, %p6, 1, 1, 0, 0;\n" CLOSE                                                    \
                                  "setp.eq.u32 %p6, %r0, %r0;\n" in_flight WAIT_FOR("1") "bar.sync 0;\n" BRING("%r25") \
                                      NEXT("%r24")                                                                     \
                                          NEXT("%r25") "add.u32 %r23, %r23, 1;\nsetp.lt.u32 %p7, %r23, 7;\n@%p7 bra "  \
                                                       "ROUND;\n" WAIT_FOR("0") "cp.async.wait_group 0;\n" STORE_SUM
#define RING_PAIR(name, kind, wrong, right) PAIR_WITH(name, kind, 1, 128, wrong, right, .dynamic = 3 * 2304)

/* The same with sparse factors in registers: 32 rows of b, 512 bytes. */
#define MULTIPLY_SPARSE                                                                                              \
    DESCRIBE "mov.u32 %r14, 0x44444444;\nwgmma.fence.sync.aligned;\n"                                                \
             "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r10, %r11, %r12, %r13}, " \
             "%rd4, %r14, 0, 0, 1, 1, 0;\n"

/* A tile of 16 rows, and b behind room for 64: the product reads 48 rows that nobody has written, and that a fifth warp
 * overwrites. Their sums belong to warps 1 to 3. */
#define SHORT_TILE                                                                                                    \
    "mov.u32 %r20, dynamic;\nmad.lo.u32 %r21, %r0, 4, %r20;\nsetp.lt.u32 %p4, %r0, 128;\nsetp.lt.u32 %p5, %r0, 64;\n" \
    "@%p4 st.shared.u32 [%r21], %r0;\n@%p5 st.shared.u32 [%r21+2048], %r0;\n" FENCE MEET                              \
    "@!%p4 st.shared.u32 [%r21], %r0;\n@!%p4 bra D;\nadd.u32 %r27, %r20, 2048;\n" DESCRIPTOR("%rd11", "%r20")         \
        DESCRIPTOR("%rd12", "%r27") "wgmma.fence.sync.aligned;\n"                                                     \
                                    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "        \
                                    "%rd11, %rd12, 0, 1, 1, 0, 0;\n" CLOSE WAIT_FOR("0")
#define IN_WARP_0 \
    "shr.u32 %r8, %r0, 5;\nshfl.sync.idx.b32 %r9|%p6, %r8, 0, 31, -1;\nsetp.ne.u32 %p7, %r9, 0;\n@%p7 bra D;\n"

/* Of the warpgroup's first 16 rows of a only 8 are written, or of the 8 columns of b only 4. A lane's second two sums
 * are of the other rows, and the lanes 2 and 3 of every four have the other columns. */
#define PART_OF(rows_of_a, columns_of_b)                                                                              \
    "mov.u32 %r20, dynamic;\nmad.lo.u32 %r21, %r0, 4, %r20;\nand.b32 %r8, %r0, 31;\nsetp.lt.u32 %p4, %r0, " rows_of_a \
    ";\n@%p4 st.shared.u32 [%r21], %r0;\nsetp.lt.u32 %p5, %r8, " columns_of_b                                         \
    ";\n@%p5 setp.lt.u32 %p5, %r0, 64;\n@%p5 st.shared.u32 [%r21+2048], %r0;\n" FENCE MEET                            \
    "add.u32 %r27, %r20, 2048;\n" DESCRIPTOR("%rd11", "%r20") DESCRIPTOR(                                             \
        "%rd12", "%r27") "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, "   \
                         "%f2, %f3}, %rd11, "                                                                         \
                         "%rd12, 0, 1, 1, 0, 0;\n" CLOSE WAIT_FOR("0") "setp.ge.u32 %p7, %r0, 32;\n@%p7 bra D;\n"
#define ROUNDED(sum) "add.f32 %f4, " sum ", " sum ";\nst.global.f32 [%rd2], %f4;\nD:\n"
#define IN_COLUMNS(below) "and.b32 %r8, %r0, 3;\nsetp.ge.u32 %p7, %r8, " below ";\n@%p7 bra D;\n"

static const pair pairs[] = {
    PAIR_WITH("sums of rows that a warp's tile lacks", UNINITIALISED_READ, 1, 128, PART_OF("64", "32") ROUNDED("%f3"),
              PART_OF("64", "32") ROUNDED("%f0"), .dynamic = 2304),
    PAIR_WITH("sums of columns that b lacks", UNINITIALISED_READ, 1, 128,
              PART_OF("128", "16") IN_COLUMNS("3") ROUNDED("%f0"), PART_OF("128", "16") IN_COLUMNS("2") ROUNDED("%f0"),
              .dynamic = 2304),
    PAIR_WITH("rows that are not there, whose sums are stored", UNINITIALISED_READ, 1, 160, SHORT_TILE STORE_SUM "D:\n",
              SHORT_TILE IN_WARP_0 STORE_SUM "D:\n", .dynamic = 2304, .or_kind = HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN),
    PAIR("sums stored without a wait", MATRIX_BEFORE_WAIT, 1, 128, STORE FENCE MEET MULTIPLY CLOSE STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM),
    PAIR("a wait that leaves the group in flight", MATRIX_BEFORE_WAIT, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("1") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("1") WAIT_FOR("0") STORE_SUM),
    PAIR("group not closed", MATRIX_BEFORE_WAIT, 1, 128, STORE FENCE MEET MULTIPLY WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM),
    PAIR("a's registers written before the wait", MATRIX_BEFORE_WAIT, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE "add.u32 %r12, %r0, 1;\n" WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") "add.u32 %r12, %r0, 1;\n" STORE_SUM),
    PAIR("no proxy fence after the stores", MISSING_PROXY_FENCE, 1, 128,
         STORE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM, STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM),
    PAIR("no proxy fence after stores of halves", MISSING_PROXY_FENCE, 1, 128,
         STORE_HALVES MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM,
         STORE_HALVES FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM),
    PAIR("halves of b overwritten before the wait", ASYNC_SOURCE_OVERWRITTEN, 1, 128,
         STORE_HALVES FENCE MEET MULTIPLY CLOSE MEET STORE_HALVES WAIT_FOR("0") STORE_SUM,
         STORE_HALVES FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") MEET STORE_HALVES STORE_SUM),
    PAIR("halves of b overwritten by others after their own wait", RACE_SHARED, 1, 128,
         STORE_HALVES FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_HALVES STORE_SUM,
         STORE_HALVES FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") MEET STORE_HALVES STORE_SUM),
    PAIR("no barrier after the stores", RACE_SHARED, 1, 128, STORE FENCE MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM),
    PAIR_WITH("no barrier after the second stores of the warpgroup's own warps", RACE_SHARED, 1, 128,
              STORE MEET STORE FENCE MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM,
              STORE MEET STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM, .is_advice = true),
    PAIR("no barrier after the stores of another warpgroup", RACE_SHARED, 1, 256,
         "setp.lt.u32 %p3, %r0, 128;\n@%p3 bra USE;\nst.shared.u32 [%r4+-512], %r0;\n" FENCE
         "bra DONE;\nUSE: " MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM "DONE:\n",
         "setp.lt.u32 %p3, %r0, 128;\n@%p3 bra USE;\nst.shared.u32 [%r4+-512], %r0;\n" FENCE MEET
         "bra DONE;\nUSE: " MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM "DONE:\n"),
    PAIR("b overwritten before the wait", ASYNC_SOURCE_OVERWRITTEN, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE MEET STORE WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") MEET STORE STORE_SUM),
    PAIR("b overwritten by others after their own wait", RACE_SHARED, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") MEET STORE STORE_SUM),
    PAIR("b overwritten by a warp that knows its own part is over", RACE_SHARED, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") "bar.warp.sync 0xffffffff;\n" STORE STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") "bar.sync 1, 128;\n" STORE STORE_SUM),
    PAIR_WITH("b handed back by one thread before its wait", RACE_SHARED, 1, 256, HAND_BACK(ARRIVE, ""),
              HAND_BACK("", ARRIVE), .or_kind = HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN),
    PAIR("a's register set before the wait, not the descriptor", MATRIX_BEFORE_WAIT, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE "mov.u32 %r12, 7;\n" WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE "mov.u64 %rd4, 7;\n" WAIT_FOR("0") STORE_SUM),
    PAIR("a's register packed before the wait", MATRIX_BEFORE_WAIT, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE "mov.b32 %r12, {%h0, %h1};\n" WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE "mov.b32 {%h0, %h1}, %r12;\n" WAIT_FOR("0") STORE_SUM),
    PAIR("sums packed before the wait", MATRIX_BEFORE_WAIT, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE "mov.b64 %rd5, {%f2, %f3};\n" WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") "mov.b64 %rd5, {%f2, %f3};\n" STORE_SUM),
    PAIR("a of a sparse product written before the wait, not its metadata", MATRIX_BEFORE_WAIT, 1, 128,
         STORE FENCE MEET MULTIPLY_SPARSE CLOSE "add.u32 %r10, %r10, 1;\n" WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY_SPARSE CLOSE "ld.shared.u32 %r14, [%r4];\n" WAIT_FOR("0") STORE_SUM),
    RING_PAIR("a ring: sums read in flight", MATRIX_BEFORE_WAIT, RING("", FENCE, "add.f32 %f8, %f2, %f2;\n"),
              RING("", FENCE, "mov.u64 %rd11, 0;\n")),
    RING_PAIR("a ring: sums written in flight", MATRIX_BEFORE_WAIT, RING("", FENCE, "add.f32 %f2, %f9, %f9;\n"),
              RING("", FENCE, "xor.b64 %rd12, %rd12, %rd11;\n")),
    RING_PAIR("a ring: no proxy fence", MISSING_PROXY_FENCE, RING("", "", ""), RING(FENCE, "", "")),
    RING_PAIR("a ring: a proxy fence by the first thread only", MISSING_PROXY_FENCE,
              RING("setp.ne.u32 %p8, %r0, 0;\n@!%p8 " FENCE, "", ""), RING("", FENCE, "")),
    RING_PAIR("a ring: a proxy fence before the wait", MISSING_PROXY_FENCE, RING("", "", FENCE),
              RING(FENCE, FENCE, "")),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
