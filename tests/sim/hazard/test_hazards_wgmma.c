/* What goes wrong with products of a warpgroup in the background. A is in registers, B of 8 columns and 16 rows is the
 * first 256 bytes of `s`. */
#include "kernel.h"

#undef HEAD
#define HEAD ".version 8.3\n.target sm_90a\n.address_size 64\n"
#include "pairs.h"

#define FENCE "fence.proxy.async.shared::cta;\n"
#define MEET "bar.sync 0;\n"
#define DESCRIBE                                                                             \
    "shr.u32 %r6, %r3, 4;\ncvt.u64.u32 %rd4, %r6;\nor.b64 %rd4, %rd4, 0x0000001000080000;\n" \
    "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n"
#define MULTIPLY                                                                                                   \
    DESCRIBE "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, " \
             "{%r10, %r11, %r12, %r13}, %rd4, 0, 1, 1, 0;\n"
#define CLOSE "wgmma.commit_group.sync.aligned;\n"
#define WAIT_FOR(keep) "wgmma.wait_group.sync.aligned " keep ";\n"
#define STORE_SUM "st.global.f32 [%rd2], %f3;\n"

static const pair pairs[] = {
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
    PAIR("no proxy fence behind the stores", MISSING_PROXY_FENCE, 1, 128,
         STORE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM, STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM),
    PAIR("no barrier behind the stores", RACE_SHARED, 1, 128, STORE FENCE MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE_SUM),
    PAIR("b overwritten before the wait", ASYNC_SOURCE_OVERWRITTEN, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE MEET STORE WAIT_FOR("0") STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") MEET STORE STORE_SUM),
    PAIR("b overwritten by others behind their own wait", RACE_SHARED, 1, 128,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") STORE STORE_SUM,
         STORE FENCE MEET MULTIPLY CLOSE WAIT_FOR("0") MEET STORE STORE_SUM),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
