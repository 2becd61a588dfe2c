/* Misuse of tensor memory. The factors of products are the first 256 bytes of `s`, d has eight columns. %r6 is the
 * address of 32 columns, %r7 that of the warp's lanes there. */
#include "kernel.h"

#undef HEAD
#define HEAD ".version 8.7\n.target sm_100a\n.address_size 64\n"
#define PAIR_DEVICE "sim:b200"
#include "pairs.h"

#define FENCE "fence.proxy.async.shared::cta;\n"
#define MEET "bar.sync 0;\n"
#define FIRST_WARP(instruction, label) "@!%p3 bra " label ";\n" instruction label ": "
#define ALLOCATE(columns)                                                                              \
    LEAD "not.pred %p3, %p3;\n" FIRST_WARP(                                                            \
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3+512], " columns ";\n", "A") MEET \
        "ld.shared.u32 %r6, [%r3+512];\nand.b32 %r7, %r0, 0x60;\nshl.b32 %r7, %r7, 16;\nadd.u32 %r7, %r7, %r6;\n"
#define ALLOCATE_ALONE                                                                                                 \
    LEAD "not.pred %p3, %p3;\n" FIRST_WARP("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3+512], 32;\n", \
                                           "A")
#define FREE MEET FIRST_WARP("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, 32;\n", "F")
#define MULTIPLY                                                                             \
    "shr.u32 %r8, %r3, 4;\ncvt.u64.u32 %rd4, %r8;\nor.b64 %rd4, %rd4, 0x0000400000080000;\n" \
    "@!%p1 tcgen05.mma.cta_group::1.kind::f16 [%r6], %rd4, %rd4, 0x08020010, 0;\n"
/* Copies 32 rows of 16 bytes, the first 512 bytes of `s`. */
#define COPY                                                                                 \
    "shr.u32 %r8, %r3, 4;\ncvt.u64.u32 %rd4, %r8;\nor.b64 %rd4, %rd4, 0x0000400800080000;\n" \
    "@!%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r6], %rd4;\n"
#define COMMIT "@!%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];\n"
#define LOAD "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r9}, [%r7];\n"
#define LOADED "tcgen05.wait::ld.sync.aligned;\n"
#define KEEP "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r7], {%r0};\n"
#define KEPT "tcgen05.wait::st.sync.aligned;\n"
#define STORE_ONE "@!%p1 st.shared.u32 [%r3], %r0;\n"
#define WAIT_AGAIN "X: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 1;\n@!%p2 bra X;\n"
/* The first four warps store, the other four load the same columns. */
#define HAND_OVER(before, after)                                        \
    ALLOCATE("32")                                                      \
    "setp.lt.u32 %p4, %r0, 128;\n@!%p4 bra S;\n" KEEP before "S: " MEET \
    "@%p4 bra T;\n" LOAD LOADED OUT("%r9") "T: " after FREE
#define READY STORE FENCE INIT("1") ALLOCATE("32")
/* Stores to two columns of 16 of the warp's 32 lanes: the lower ones, or those of %r8. */
#define KEEP_HALF(address) "tcgen05.st.sync.aligned.16x32bx2.x1.b32 [" address "], 1, {%r0};\n"
#define UPPER_HALF "add.u32 %r8, %r7, 0x100000;\n"
#define HALF_OF_LAST_WARPS "and.b32 %r8, %r0, 0x80;\nshl.b32 %r8, %r8, 13;\nadd.u32 %r8, %r8, %r7;\n"
/* A product of 64 rows, whose sums are in the lower half of each warp's lanes. */
#define MULTIPLY_HALF                                                                        \
    "shr.u32 %r8, %r3, 4;\ncvt.u64.u32 %rd4, %r8;\nor.b64 %rd4, %rd4, 0x0000400000080000;\n" \
    "@!%p1 tcgen05.mma.cta_group::1.kind::f16 [%r6], %rd4, %rd4, 0x04020010, 0;\n"

static const pair pairs[] = {
    PAIR("sums loaded without a wait for the product", TENSOR_MEMORY_BEFORE_WAIT, 1, 128,
         READY MULTIPLY COMMIT LOAD LOADED OUT("%r9") WAIT FREE,
         READY MULTIPLY COMMIT WAIT LOAD LOADED OUT("%r9") FREE),
    PAIR("registers used before their load is over", MATRIX_BEFORE_WAIT, 1, 128,
         READY KEEP KEPT LOAD OUT("%r9") LOADED FREE, READY KEEP KEPT LOAD LOADED OUT("%r9") FREE),
    PAIR("a loaded register written before the wait, not the address", MATRIX_BEFORE_WAIT, 1, 128,
         READY KEEP KEPT LOAD "add.u32 %r9, %r0, %r0;\n" LOADED OUT("%r9") FREE,
         READY KEEP KEPT LOAD "add.u32 %r7, %r7, 1;\n" LOADED OUT("%r9") FREE),
    PAIR("columns loaded before the store to them is over", TENSOR_MEMORY_BEFORE_WAIT, 1, 128,
         READY KEEP LOAD LOADED OUT("%r9") KEPT FREE, READY KEEP KEPT LOAD LOADED OUT("%r9") FREE),
    PAIR("a product over columns that are still stored to", TENSOR_MEMORY_BEFORE_WAIT, 1, 128,
         READY KEEP MEET MULTIPLY COMMIT WAIT KEPT FREE, READY KEEP KEPT MEET MULTIPLY COMMIT WAIT FREE),
    PAIR("columns given back under a product", TENSOR_MEMORY_BEFORE_WAIT, 1, 128, READY MULTIPLY COMMIT FREE MEET WAIT,
         READY MULTIPLY COMMIT WAIT FREE),
    PAIR("columns given back by a warp that has not waited, though others have", TENSOR_MEMORY_BEFORE_WAIT, 1, 128,
         READY MULTIPLY COMMIT FREE WAIT, READY MULTIPLY COMMIT WAIT FREE),
    PAIR("columns stored to for other warps, which load them before the wait", TENSOR_MEMORY_BEFORE_WAIT, 1, 256,
         HAND_OVER("", KEPT), HAND_OVER(KEPT, "")),
    PAIR("the next product over sums that other warps may still load", TENSOR_MEMORY_BEFORE_WAIT, 1, 128,
         READY MULTIPLY COMMIT WAIT LOAD LOADED OUT("%r9") MULTIPLY COMMIT WAIT_AGAIN FREE,
         READY MULTIPLY COMMIT WAIT LOAD LOADED OUT("%r9") MEET MULTIPLY COMMIT WAIT_AGAIN FREE),
    PAIR("a copy over columns of a product that another warp issued", TENSOR_MEMORY_BEFORE_WAIT, 1, 128,
         READY MULTIPLY COMMIT MEET "setp.ne.u32 %p1, %r0, 64;\n" COPY WAIT FREE,
         READY MULTIPLY COMMIT WAIT MEET "setp.ne.u32 %p1, %r0, 64;\n" COPY COMMIT WAIT_AGAIN FREE),
    PAIR("two warps store to the same half of their lanes", TENSOR_MEMORY_BEFORE_WAIT, 1, 256,
         READY KEEP_HALF("%r7") KEPT FREE, READY HALF_OF_LAST_WARPS KEEP_HALF("%r8") KEPT FREE),
    PAIR("a store to the half of the lanes that a product uses", TENSOR_MEMORY_BEFORE_WAIT, 1, 128,
         READY MULTIPLY_HALF COMMIT KEEP_HALF("%r7") KEPT WAIT FREE,
         READY MULTIPLY_HALF COMMIT UPPER_HALF KEEP_HALF("%r8") KEPT WAIT FREE),
    PAIR_WITH("an address that another warp reads without a barrier, not the warp's own lanes", RACE_SHARED, 1, 64,
              ALLOCATE_ALONE "ld.shared.u32 %r6, [%r3+512];\n" FREE,
              ALLOCATE_ALONE "@%p3 ld.shared.u32 %r6, [%r3+512];\n" FREE, .or_kind = HAUL_FINDING_UNINITIALISED_READ),
    PAIR("columns kept to the end", TENSOR_MEMORY_KEPT, 1, 128, READY KEEP KEPT, READY KEEP KEPT FREE),
    PAIR("factors overwritten before the wait", ASYNC_SOURCE_OVERWRITTEN, 1, 128,
         READY MULTIPLY COMMIT MEET STORE_ONE MEET WAIT FREE, READY MULTIPLY COMMIT WAIT MEET STORE_ONE FREE),
    PAIR("no proxy fence after the stores", MISSING_PROXY_FENCE, 1, 128,
         STORE INIT("1") ALLOCATE("32") MULTIPLY COMMIT WAIT FREE, READY MULTIPLY COMMIT WAIT FREE),
    PAIR("a copy's source overwritten before the wait", ASYNC_SOURCE_OVERWRITTEN, 1, 128,
         READY COPY COMMIT MEET STORE_ONE MEET WAIT FREE, READY COPY COMMIT WAIT MEET STORE_ONE FREE),
    PAIR("a copy of data with no proxy fence", MISSING_PROXY_FENCE, 1, 128,
         STORE INIT("1") ALLOCATE("32") COPY COMMIT WAIT FREE, READY COPY COMMIT WAIT FREE),
    PAIR("more columns than there are", DEADLOCK, 1, 128,
         ALLOCATE("32") "@!%p3 bra B;\n"
                        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3+512], 512;\nB:" FREE,
         ALLOCATE("32") FREE),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
