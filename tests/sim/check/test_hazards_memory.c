/* Memory accesses: out of bounds, misaligned, stale, or to uninitialised memory. */
#include "pairs.h"

#define COPY_FROM(offset, bytes) "cp.async.ca.shared.global [%r3], [%rd1+" offset "], " bytes ";\ncp.async.wait_all;\n"
#define BRING(from, bytes)                                                                                   \
    "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], " bytes ";\n"                                      \
    "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1+" from "], " bytes \
    ", [%r5];\n"
#define LOCAL ".local .align 8 .b8 l[16];\nmov.u32 %r6, l;\n"
#define DYNAMIC "mov.u32 %r6, dynamic;\nmad.lo.u32 %r6, %r0, 4, %r6;\n"
#define RUN(last)                                                                                                    \
    "mov.u32 %r6, %r3;\nmov.u32 %r8, 0;\nL: st.shared.u32 [%r6], %r8;\nadd.u32 %r6, %r6, 4;\nadd.u32 %r8, %r8, 1;\n" \
    "setp.le.u32 %p1, %r8, " last ";\n@%p1 bra L;\n"
#define GENERIC "cvt.u64.u32 %rd4, %r3;\ncvta.shared.u64 %rd4, %rd4;\n"
#define TAKE OUT("%r7")
#define CLUSTER_SYNC "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
/* Block 0 reads block 1's shared memory. */
#define REMOTE                                                                                                     \
    STORE CLUSTER_SYNC "mov.u32 %r8, %cluster_ctarank;\nsetp.ne.u32 %p1, %r8, 0;\nmov.u32 %r8, 1;\n"               \
                       "mapa.shared::cluster.u32 %r9, %r4, %r8;\n@!%p1 ld.shared::cluster.u32 %r7, [%r9];\n@!%p1 " \
                       "st.global.u32 [%rd2], %r7;\n"

/* Replaces a part of a local word by its generic address, as compilers without optimisation do. */
#define FIELD(others, made)                                                                                         \
    "cvt.u64.u32 %rd4, %r6;\ncvta.local.u64 %rd4, %rd4;\nld.u32 %r7, [%rd4];\nand.b32 %r7, %r7, " others ";\n" made \
    "or.b32 %r7, %r7, %r8;\nst.u32 [%rd4], %r7;\n"
#define HALF_WORD ".shared .align 4 .b8 half[2];\nmov.u32 %r6, half;\n"
/* A byte of a shared word that is otherwise unwritten; a compare-and-swap of such a word or of another one. */
#define BYTE_IN_WORD "cvt.u16.u32 %h0, %r0;\nst.shared.u8 [%r4], %h0;\nld.shared.u32 %r7, [%r4];\n"
#define HALF(name) "cvt.u32.u16 %r7, " name ";\n" TAKE
#define COMPARED "ld.shared.u32 %r7, [%r4];\nsetp.eq.u32 %p0, %r7, 5;\nsetp.lt.u32 %p1, "
#define DECIDED "or.pred %p1, %p0, %p1;\n@!%p1 bra D;\n" OUT("%r0") "D:\n"

/* Each block stores to the other one's shared memory; block 1 arrives at block 0's mbarrier. */
#define TO_PEER                                                                                       \
    "mov.u32 %r8, %cluster_ctarank;\nxor.b32 %r8, %r8, 1;\nmapa.shared::cluster.u32 %r9, %r4, %r8;\n" \
    "st.shared::cluster.u32 [%r9], %r0;\n"
#define ARRIVE_AT_0                                                                                                    \
    INIT("1")                                                                                                          \
    CLUSTER_SYNC "mov.u32 %r8, %cluster_ctarank;\nsetp.eq.u32 %p3, %r8, 0;\nmov.u32 %r8, 0;\nor.pred %p4, %p1, %p3;\n" \
                 "mapa.shared::cluster.u32 %r9, %r5, %r8;\n@!%p4 mbarrier.arrive.shared::cluster.b64 _, [%r9];\n"

/* %r8 masks out one of eight fields of a word, that of the thread. */
#define FOUR_BITS \
    "and.b32 %r8, %r0, 7;\nshl.b32 %r8, %r8, 2;\nmov.u32 %r9, 15;\nshl.b32 %r8, %r9, %r8;\nnot.b32 %r8, %r8;\n"

/* A word that nobody has written decides which of two values a register gets. */
#define CHOOSE                                                                                                     \
    "ld.shared.u32 %r7, [%r4];\nsetp.eq.u32 %p1, %r7, 5;\nmov.u32 %r8, 0;\n@%p1 bra C;\nadd.u32 %r8, %r0, 1;\nC: " \
    "mov.u32 %r9, %r8;\n"
#define CHOOSE_OF_TWO                                                                                         \
    "ld.shared.u32 %r7, [%r4];\nsetp.eq.u32 %p1, %r7, 5;\n@%p1 bra E;\nadd.u32 %r9, %r0, 1;\nbra.uni C;\nE: " \
    "mov.u32 %r9, 3;\nC:\n"
/* Two conditions, of which the second one is tested only if the first holds. */
#define IF_BOTH(then)                                                                                               \
    "ld.shared.u32 %r7, [%r4];\nsetp.eq.u32 %p1, %r7, 5;\nmov.u32 %r9, 0;\n@%p1 bra C;\nsetp.eq.u32 %p2, %r7, 6;\n" \
    "@%p2 bra C;\n" then "C:\n"
#define CHOOSE_BY_BOTH IF_BOTH("add.u32 %r9, %r0, 1;\n")
/* A product of which rows 8 to 15 of a were never written. */
#define ROW_MISSING                                                                                              \
    "ld.shared.u32 %r7, [%r4];\nmov.u32 %r8, 0x3c003c00;\nmov.f32 %f0, 0f00000000;\n"                            \
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r8, %r7, %r8, %r7}, {%r8, %r8}, " \
    "{%f0, %f0, %f0, %f0};\n"
#define STORE_IN_BLOCK_1 "setp.ne.u32 %p2, %r1, %r0;\n@%p2 st.global.u32 [%rd2], %r9;\n"

#define FRAGMENT(stride)                                                                                              \
    "bar.sync 0;\n"                                                                                                   \
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14}, [%r3], " stride \
    ";\n"

/* An address that is loaded, so that nothing shows what it is of. */
#define THREE_FROM_IN                                                                                         \
    "setp.ne.u32 %p1, %r0, 0;\ncvta.const.u64 %rd4, three;\n@!%p1 st.global.u64 [%rd0], %rd4;\nbar.sync 0;\n" \
    "@!%p1 ld.global.u64 %rd4, [%rd0];\n"

static const pair pairs[] = {
    PAIR("a value stored that an unwritten one has chosen by a branch", UNINITIALISED_READ, 1, 32,
         CHOOSE "st.global.u32 [%rd2], %r9;\n", CHOOSE STORE_IN_BLOCK_1),
    PAIR("the same with a value on either side", UNINITIALISED_READ, 1, 32,
         CHOOSE_OF_TWO "st.global.u32 [%rd2], %r9;\n", CHOOSE_OF_TWO STORE_IN_BLOCK_1),
    PAIR("the same by two conditions", UNINITIALISED_READ, 1, 32, CHOOSE_BY_BOTH "st.global.u32 [%rd2], %r9;\n",
         CHOOSE_BY_BOTH STORE_IN_BLOCK_1),
    PAIR("an unwritten value of which two conditions decide whether to store", UNINITIALISED_READ, 1, 32,
         IF_BOTH("st.global.u32 [%rd2], %r0;\n"), CHOOSE_BY_BOTH),
    PAIR("a sum of a row that is not written", UNINITIALISED_READ, 1, 32, ROW_MISSING "st.global.f32 [%rd2], %f3;\n",
         ROW_MISSING "st.global.f32 [%rd2], %f1;\n"),
    PAIR("an unwritten value that decides whether to store", UNINITIALISED_READ, 1, 32,
         "ld.shared.u32 %r7, [%r4];\nsetp.eq.u32 %p1, %r7, 5;\n@%p1 bra C;\nst.global.u32 [%rd2], %r0;\nC:\n", CHOOSE),
    PAIR_WITH("a block's shared memory used before it has begun", USE_AFTER_FREE, 2, 32, TO_PEER CLUSTER_SYNC,
              CLUSTER_SYNC TO_PEER CLUSTER_SYNC, .cluster = 2),
    PAIR_WITH("an arrival at a block that may have ended", USE_AFTER_FREE, 2, 32, ARRIVE_AT_0,
              ARRIVE_AT_0 "@!%p3 bra D;\n" WAIT "D:\n", .cluster = 2),
    PAIR("one word past the buffer", OUT_OF_BOUNDS, 1, 32, "ld.global.u32 %r7, [%rd1+1024];\n" TAKE,
         "ld.global.u32 %r7, [%rd1+1020];\n" TAKE),
    PAIR("one word before the buffer", OUT_OF_BOUNDS, 1, 1, "st.global.u32 [%rd0+-4], %r0;\n",
         "st.global.u32 [%rd0], %r0;\n"),
    PAIR("no guard at the grid's end", OUT_OF_BOUNDS, 3, 96, OUT("%r1"),
         "setp.ge.u32 %p1, %r1, 256;\n@!%p1 st.global.u32 [%rd2], %r1;\n"),
    PAIR("atomic out of bounds", OUT_OF_BOUNDS, 1, 32, "red.global.add.u32 [%rd0+1024], 1;\n",
         "red.global.add.u32 [%rd0+1020], 1;\n"),
    PAIR("generic address out of bounds", OUT_OF_BOUNDS, 1, 32, "ld.u32 %r7, [%rd1+1024];\n" TAKE,
         "ld.u32 %r7, [%rd1+1020];\n" TAKE),
    PAIR("shared memory out of bounds", OUT_OF_BOUNDS, 1, 1, "st.shared.u32 [%r3+4096], %r0;\n",
         "st.shared.u32 [%r3+1020], %r0;\n"),
    PAIR_WITH("dynamic shared memory overrun", OUT_OF_BOUNDS, 1, 64, DYNAMIC "st.shared.u32 [%r6], %r0;\n",
              "setp.lt.u32 %p1, %r0, 32;\n" DYNAMIC "@%p1 st.shared.u32 [%r6], %r0;\n", .dynamic = 128),
    PAIR("dynamic shared memory not asked for", OUT_OF_BOUNDS, 1, 1, DYNAMIC "st.shared.u32 [%r6+16], %r0;\n", STORE),
    PAIR("shared atomic out of bounds", OUT_OF_BOUNDS, 1, 1, "red.shared.add.u32 [%r3+4096], 1;\n",
         "st.shared.u32 [%r3], 0;\nred.shared.add.u32 [%r3], 1;\n"),
    PAIR("past a shared variable, inside the next", OUT_OF_BOUNDS, 1, 1, "st.shared.u32 [%r3+1024], %r0;\n",
         "st.shared.u32 [%r3+1020], %r0;\n"),
    PAIR("before a shared variable, inside another", OUT_OF_BOUNDS, 1, 1, "st.shared.u32 [%r5+-4], %r0;\n",
         "st.shared.u32 [%r5+4], %r0;\n"),
    PAIR("a pointer that runs out of its shared variable", OUT_OF_BOUNDS, 1, 1, RUN("256"), RUN("255")),
    PAIR("a generic pointer past its shared variable", OUT_OF_BOUNDS, 1, 1, GENERIC "st.u32 [%rd4+1024], %r0;\n",
         GENERIC "st.u32 [%rd4+1020], %r0;\n"),
    PAIR("an address that may be of either variable", OUT_OF_BOUNDS, 1, 1, "st.shared.u32 [%r3+1024], %r0;\n",
         "setp.eq.u32 %p1, %r2, 1;\nselp.b32 %r6, %r5, %r3, %p1;\nst.shared.u32 [%r6], %r0;\n"),
    PAIR("the word that a shared variable of two bytes lies in", OUT_OF_BOUNDS, 1, 1,
         HALF_WORD "ld.shared.u32 %r7, [%r6];\n", HALF_WORD "atom.shared.cas.b32 %r7, [%r6], 0, 1;\n"),
    PAIR("cp.async past a shared variable", OUT_OF_BOUNDS, 1, 1,
         "cp.async.ca.shared.global [%r3+1024], [%rd1], 4;\ncp.async.wait_all;\n",
         "cp.async.ca.shared.global [%r3+1020], [%rd1], 4;\ncp.async.wait_all;\n"),
    PAIR_WITH("bulk load that runs over the next variable", OUT_OF_BOUNDS, 1, 1,
              "add.u32 %r3, %r3, 768;\n" INIT("1") BRING("0", "512") WAIT,
              "add.u32 %r3, %r3, 768;\n" INIT("1") BRING("0", "256") WAIT, .dynamic = 512),
    PAIR("local array overrun", STACK_OVERFLOW, 1, 32, LOCAL "st.local.u32 [%r6+16], %r0;\n",
         LOCAL "st.local.u32 [%r6+12], %r0;\n"),
    PAIR("constant memory stored to by an address from elsewhere", TEXTURE_STALE, 1, 32,
         THREE_FROM_IN "@!%p1 st.global.u32 [%rd4], 7;\nbar.sync 0;\nld.const.u32 %r7, [three];\n" OUT("%r7"),
         THREE_FROM_IN "@!%p1 ld.global.u32 %r8, [%rd4];\nbar.sync 0;\nld.const.u32 %r7, [three];\n" OUT("%r7")),
    PAIR("constant memory out of bounds", OUT_OF_BOUNDS, 1, 32, "ld.const.u32 %r7, [three+12];\n" TAKE,
         "ld.const.u32 %r7, [three+8];\n" TAKE),
    PAIR("cp.async from out of bounds", OUT_OF_BOUNDS, 1, 1, COPY_FROM("1024", "4"), COPY_FROM("1020", "4")),
    PAIR("bulk load from out of bounds", OUT_OF_BOUNDS, 1, 32, INIT("1") BRING("960", "128") WAIT,
         INIT("1") BRING("896", "128") WAIT),
    PAIR("bulk load beyond shared memory", OUT_OF_BOUNDS, 1, 32,
         "add.u32 %r3, %r3, 4096;\n" INIT("1") BRING("0", "128") WAIT, INIT("1") BRING("0", "128") WAIT),
    PAIR("bulk store out of bounds", OUT_OF_BOUNDS, 1, 64,
         STORE "add.u64 %rd0, %rd0, 896;\n" STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n",
         STORE "add.u64 %rd0, %rd0, 768;\n" STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n"),
    PAIR("misaligned in global memory", MISALIGNED, 1, 32, "ld.global.u32 %r7, [%rd1+2];\n" TAKE,
         "ld.global.u32 %r7, [%rd1+4];\n" TAKE),
    PAIR("misaligned vector", MISALIGNED, 1, 32, "ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%rd1+8];\n" TAKE,
         "ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%rd1+16];\n" TAKE),
    PAIR("misaligned in shared memory", MISALIGNED, 1, 1, "st.shared.u64 [%r3+4], %rd0;\n",
         "st.shared.u64 [%r3+8], %rd0;\n"),
    PAIR("misaligned in local memory", MISALIGNED, 1, 32, LOCAL "st.local.u64 [%r6+4], %rd0;\n",
         LOCAL "st.local.u64 [%r6+8], %rd0;\n"),
    PAIR("matrix whose rows are not aligned", MISALIGNED, 1, 32, FRAGMENT("20"), FRAGMENT("24")),
    PAIR("misaligned atomic", MISALIGNED, 1, 32, "red.global.add.u64 [%rd0+4], 1;\n",
         "red.global.add.u64 [%rd0+8], 1;\n"),
    PAIR("misaligned cp.async", MISALIGNED, 1, 1, COPY_FROM("4", "8"), COPY_FROM("8", "8")),
    PAIR("misaligned bulk load", MISALIGNED, 1, 32, INIT("1") BRING("8", "128") WAIT,
         INIT("1") BRING("16", "128") WAIT),
    PAIR("misaligned mbarrier", MBARRIER_MISUSE, 1, 1, "mbarrier.init.shared.b64 [%r5+4], 1;\n",
         "mbarrier.init.shared.b64 [%r5], 1;\n"),
    PAIR_WITH("freed before the launch", USE_AFTER_FREE, 1, 32, "ld.global.u32 %r7, [%rd3];\n" TAKE,
              "ld.global.u32 %r7, [%rd3];\n" TAKE, .in = IN_FREED),
    PAIR_WITH("copied from freed memory", USE_AFTER_FREE, 1, 1, COPY_FROM("0", "4"), COPY_FROM("0", "4"),
              .in = IN_FREED),
    PAIR_WITH("buffer that nobody wrote", UNINITIALISED_READ, 1, 32, "ld.global.u32 %r7, [%rd3];\n" TAKE,
              "ld.global.u32 %r7, [%rd3];\n" TAKE, .in = IN_UNWRITTEN),
    PAIR_WITH("count in a buffer that nobody wrote", UNINITIALISED_READ, 1, 32, "red.global.add.u32 [%rd3], 1;\n",
              "red.global.add.u32 [%rd3], 1;\n", .in = IN_UNWRITTEN),
    PAIR("count in shared memory that nobody wrote", UNINITIALISED_READ, 1, 32,
         "atom.shared.add.u32 %r7, [%r4], 1;\n" TAKE,
         "atom.shared.exch.b32 %r7, [%r4], 0;\nbar.warp.sync -1;\natom.shared.add.u32 %r7, [%r4], 1;\n" TAKE),
    PAIR("sum of what nobody wrote, instead of bits that are set", UNINITIALISED_READ, 1, 32,
         "red.shared.add.u32 [%r4], 7;\n", "red.shared.or.b32 [%r4], 7;\nred.shared.and.b32 [%r4], 7;\n"),
    PAIR_WITH("bits added to what nobody wrote", UNINITIALISED_READ, 1, 32,
              "ld.global.u32 %r7, [%rd3];\nor.b32 %r7, %r7, 1;\nst.global.u32 [%rd3], %r7;\n",
              FOUR_BITS "ld.global.u32 %r7, [%rd3];\nand.b32 %r7, %r7, %r8;\nor.b32 %r7, %r7, 1;\n"
                        "st.global.u32 [%rd3], %r7;\n",
              .in = BOTH_UNWRITTEN),
    PAIR_WITH("what nobody wrote decides whether it is swapped", UNINITIALISED_READ, 1, 32,
              "ld.relaxed.gpu.global.u32 %r7, [%rd3];\nsetp.ne.u32 %p2, %r7, 0;\n@%p2 bra D;\n"
              "atom.global.cas.b32 %r9, [%rd3], %r7, 1;\nD:\n",
              FOUR_BITS "ld.relaxed.gpu.global.u32 %r7, [%rd3];\nL: and.b32 %r10, %r7, %r8;\nor.b32 %r10, %r10, 1;\n"
                        "atom.global.cas.b32 %r9, [%rd3], %r7, %r10;\nsetp.ne.u32 %p2, %r9, %r7;\nmov.u32 %r7, %r9;\n"
                        "@%p2 bra L;\n",
              .in = BOTH_UNWRITTEN),
    PAIR_WITH("branch on an uninitialised value", UNINITIALISED_READ, 1, 32,
              "ld.global.u32 %r7, [%rd3];\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra D;\n" OUT("%r0") "D:\n",
              "ld.global.u32 %r7, [%rd3];\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra D;\n" OUT("%r0") "D:\n",
              .in = IN_UNWRITTEN),
    PAIR("what nobody wrote added to a vector", UNINITIALISED_READ, 1, 32,
         "ld.shared.f32 %f0, [%r4];\nred.global.add.v2.f32 [%rd0], {%f0, %f0};\n",
         STORE "ld.shared.f32 %f0, [%r4];\nred.global.add.v2.f32 [%rd0], {%f0, %f0};\n"),
    PAIR("border of a tile in shared memory", UNINITIALISED_READ, 1, 32,
         STORE "bar.sync 0;\nld.shared.u32 %r7, [%r4+4];\n" TAKE,
         STORE "st.shared.u32 [%r4+128], 0;\nbar.sync 0;\nld.shared.u32 %r7, [%r4+4];\n" TAKE),
    PAIR("local array read past the written part", UNINITIALISED_READ, 1, 32,
         LOCAL "st.local.u32 [%r6], %r0;\nld.local.u32 %r7, [%r6+4];\n" TAKE,
         LOCAL "st.local.v2.u32 [%r6], {%r0, %r0};\nld.local.u32 %r7, [%r6+4];\n" TAKE),
    PAIR("local array written by other threads", UNINITIALISED_READ, 1, 64,
         LOCAL "setp.eq.u32 %p1, %r0, 40;\n@!%p1 st.local.u32 [%r6], %r0;\nld.local.u32 %r7, [%r6];\n" TAKE,
         LOCAL "setp.eq.u32 %p1, %r0, 40;\n@!%p1 st.local.u32 [%r6], %r0;\n@%p1 st.local.u32 [%r6], %r2;\n"
               "ld.local.u32 %r7, [%r6];\n" TAKE),
    PAIR("byte of a local array", UNINITIALISED_READ, 1, 32,
         LOCAL "st.local.u8 [%r6+6], %h0;\nld.local.u8 %r7, [%r6+5];\n" TAKE,
         LOCAL "st.local.u8 [%r6+5], %h0;\nld.local.u8 %r7, [%r6+5];\n" TAKE),
    PAIR("local array through a generic address", UNINITIALISED_READ, 1, 32,
         LOCAL "cvt.u64.u32 %rd4, %r6;\ncvta.local.u64 %rd4, %rd4;\nst.u32 [%rd4], %r0;\nld.u32 %r7, [%rd4+8];\n" TAKE,
         LOCAL "cvt.u64.u32 %rd4, %r6;\ncvta.local.u64 %rd4, %rd4;\nst.u32 [%rd4], %r0;\nld.u32 %r7, [%rd4];\n" TAKE),
    PAIR("uninitialised value kept in a local array", UNINITIALISED_READ, 1, 32,
         LOCAL "ld.local.u32 %r8, [%r6+8];\nst.local.v2.u32 [%r6], {%r0, %r8};\nld.local.u32 %r7, [%r6+4];\n" TAKE,
         LOCAL "ld.local.u32 %r8, [%r6+8];\nst.local.v2.u32 [%r6], {%r0, %r8};\nld.local.u32 %r7, [%r6];\n" TAKE),
    PAIR("bit fields of a local word, filled one by one", UNINITIALISED_READ, 1, 32,
         LOCAL "ld.local.u32 %r7, [%r6];\n" TAKE,
         LOCAL FIELD("-16", "and.b32 %r8, %r0, 15;\n")
             FIELD("15", "shl.b32 %r8, %r0, 4;\n") "ld.local.u32 %r7, [%r6];\n" TAKE),
    PAIR("local array of the block before", UNINITIALISED_READ, 256, 1,
         LOCAL "setp.ge.u32 %p1, %r1, 8;\n@!%p1 st.local.u32 [%r6], %r0;\nld.local.u32 %r7, [%r6];\n" TAKE,
         LOCAL "st.local.u32 [%r6], %r0;\nld.local.u32 %r7, [%r6];\n" TAKE),
    PAIR("padding that went along in a word", UNINITIALISED_READ, 1, 32, BYTE_IN_WORD "shr.u32 %r7, %r7, 8;\n" TAKE,
         BYTE_IN_WORD "cvt.u32.u8 %r7, %r7;\n" TAKE),
    PAIR("padding in one half of a word", UNINITIALISED_READ, 1, 32,
         BYTE_IN_WORD "mov.b32 {%h0, %h1}, %r7;\n" HALF("%h0"),
         BYTE_IN_WORD "st.shared.u8 [%r4+1], %h0;\nld.shared.u32 %r7, [%r4];\nmov.b32 {%h0, %h1}, %r7;\n" HALF("%h0")),
    PAIR("a comparison that does not decide", UNINITIALISED_READ, 1, 32, COMPARED "%r0, 31;\n" DECIDED,
         COMPARED "%r0, 32;\n" DECIDED),
    PAIR("generic address where a shared one belongs", ILLEGAL_ACCESS, 1, 32,
         "cvt.u64.u32 %rd4, %r4;\ncvta.shared.u64 %rd4, %rd4;\nst.shared.u32 [%rd4], %r0;\n",
         "cvt.u64.u32 %rd4, %r4;\nst.shared.u32 [%rd4], %r0;\n"),
    PAIR("global address where a shared one belongs", ILLEGAL_ACCESS, 1, 32, "ld.shared.u32 %r7, [%rd3];\n" TAKE,
         "ld.global.u32 %r7, [%rd3];\n" TAKE),
    PAIR_WITH("another block's memory when that may have ended", USE_AFTER_FREE, 2, 32, REMOTE, REMOTE CLUSTER_SYNC,
              .cluster = 2),
    PAIR("trap", TRAP, 1, 32, "trap;\n", "setp.ne.u32 %p1, %r2, 32;\n@%p1 trap;\n"),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
