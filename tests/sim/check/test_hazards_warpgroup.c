/* Instructions that all four warps of a warpgroup must execute: setmaxnreg and products. B, with 8 columns and 16 rows,
 * is the first 256 bytes of `s`. */
#include "kernel.h"

#undef HEAD
#define HEAD ".version 8.3\n.target sm_90a\n.address_size 64\n"
#include "pairs.h"

#define GIVE_BACK "setmaxnreg.dec.sync.aligned.u32 40;\n"
#define ASK(count) "setmaxnreg.inc.sync.aligned.u32 " count ";\n"
/* %p3: in the second warpgroup; not in the first warp; not in the first half of its warp */
#define SECOND_GROUP "setp.ge.u32 %p3, %r0, 128;\n"
#define OTHER_WARPS "setp.ge.u32 %p3, %r0, 32;\n"
#define OTHER_LANES "and.b32 %r6, %r0, 31;\nsetp.ge.u32 %p3, %r6, 16;\n"
#define MEET "bar.sync 0;\n"
#define EITHER(first, second) "@%p3 bra T;\n" first "bra D;\nT:\n" second "D:\n"
#define MULTIPLY                                                                                               \
    "shr.u32 %r6, %r3, 4;\ncvt.u64.u32 %rd4, %r6;\nor.b64 %rd4, %rd4, 0x0000001000080000;\nmov.u32 %r10, 0;\n" \
    "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "      \
    "{%r10, %r10, %r10, %r10}, %rd4, 0, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\n"                          \
    "wgmma.wait_group.sync.aligned 0;\n"
#define FILL STORE "fence.proxy.async.shared::cta;\n" MEET

static const pair pairs[] = {
    PAIR("one warp gives registers back", WARPGROUP_DIVERGENCE, 1, 256, OTHER_WARPS EITHER(GIVE_BACK, ""),
         SECOND_GROUP EITHER(GIVE_BACK, "")),
    PAIR("roles within a warpgroup", WARPGROUP_DIVERGENCE, 1, 256, OTHER_WARPS EITHER(GIVE_BACK, ASK("160")),
         SECOND_GROUP EITHER(GIVE_BACK, ASK("160"))),
    PAIR("numbers that differ", WARPGROUP_DIVERGENCE, 1, 128, OTHER_WARPS EITHER(ASK("160"), ASK("168")),
         OTHER_WARPS EITHER(ASK("160"), ASK("160"))),
    PAIR("a part of each warp", WARPGROUP_DIVERGENCE, 1, 128, OTHER_LANES EITHER(ASK("160"), ""), ASK("160")),
    PAIR("twice without synchronisation", WARPGROUP_DIVERGENCE, 1, 128, GIVE_BACK ASK("160"),
         GIVE_BACK MEET ASK("160")),
    PAIR("one warp ends before", WARPGROUP_DIVERGENCE, 1, 128, OTHER_WARPS "@!%p3 exit;\n" GIVE_BACK,
         GIVE_BACK OTHER_WARPS "@!%p3 exit;\n"),
    PAIR("a product of three warps", WARPGROUP_DIVERGENCE, 1, 128, FILL OTHER_WARPS EITHER("", MULTIPLY),
         FILL MULTIPLY),
    PAIR("a product more of one warpgroup's warp", WARPGROUP_DIVERGENCE, 1, 256,
         FILL MULTIPLY OTHER_WARPS EITHER(MULTIPLY, ""), FILL MULTIPLY SECOND_GROUP EITHER(MULTIPLY, "")),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
