/* The global side of asynchronous copies: sources that are overwritten, destinations that are used too early. */
#include "pairs.h"

#define COPY "cp.async.ca.shared.global [%r4], [%rd3], 4;\ncp.async.commit_group;\n"
#define WAIT_GROUPS "cp.async.wait_group 0;\n"
#define OVERWRITE "st.global.u32 [%rd3], %r0;\n"
#define FIRST "setp.ne.u32 %p1, %r0, 0;\n"
#define WAIT_READ "@!%p1 cp.async.bulk.wait_group.read 0;\n"
#define WAIT_ALL "@!%p1 cp.async.bulk.wait_group 0;\n"
#define ADD_AGAIN "@!%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r3], 256;\n"
#define ADD_BULK "fence.proxy.async.shared::cta;\nbar.sync 0;\n" FIRST ADD_AGAIN "@!%p1 cp.async.bulk.commit_group;\n"
#define SEND_AGAIN \
    "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 256;\n@!%p1 cp.async.bulk.commit_group;\n"
#define SEND_BEHIND \
    "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0+256], [%r3], 256;\n@!%p1 cp.async.bulk.commit_group;\n"
/* A whole warp stores, from an address that its lanes have in %r6. */
#define SEND_ALL(source)                                                                                   \
    source "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r6], 64;\ncp.async.bulk.commit_group;\n" \
           "cp.async.bulk.wait_group 0;\n"
#define TAKE "ld.global.u32 %r7, [%rd2];\nst.global.u32 [%rd2+512], %r7;\n"
#define ONE_TAKES "@!%p1 ld.global.u32 %r7, [%rd0+8];\n@!%p1 st.global.u32 [%rd0+512], %r7;\n"

/* The first thread of block 0 stores, waits as given, and sets a flag; the first of block 1 waits for the flag and
 * reads. */
#define HAND_OVER(wait)                                                                                             \
    "add.u64 %rd4, %rd0, 900;\nmov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p4, %r9, 0;\n" STORE                            \
    "fence.proxy.async;\nbar.sync 0;\n" FIRST "@%p1 bra D;\n@%p4 bra T;\n" SEND_AGAIN wait                          \
    "fence.proxy.async;\nmembar.gl;\nst.relaxed.gpu.global.u32 [%rd4], 1;\n@!%p1 cp.async.bulk.wait_group 0;\nbra " \
    "D;\n"                                                                                                          \
    "T: ld.relaxed.gpu.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\nmembar.gl;\n"                \
    "ld.global.u32 %r7, [%rd0+8];\nst.global.u32 [%rd0+512], %r7;\nD:\n"

static const pair pairs[] = {
    PAIR("bulk store waited for its reading only, handed over by a flag", RACE_GLOBAL, 2, 64, HAND_OVER(WAIT_READ),
         HAND_OVER(WAIT_ALL)),
    PAIR("bulk store handed over by a flag before any wait", RACE_GLOBAL, 2, 64, HAND_OVER(""), HAND_OVER(WAIT_ALL)),
    PAIR("cp.async's source overwritten by its own thread", ASYNC_SOURCE_OVERWRITTEN, 1, 64, COPY OVERWRITE WAIT_GROUPS,
         COPY WAIT_GROUPS OVERWRITE),
    PAIR("bulk load's source overwritten by its own thread", ASYNC_SOURCE_OVERWRITTEN, 1, 64,
         INIT("1") BULK "@!%p1 st.global.u32 [%rd1+16], %r0;\n" WAIT LOAD_OWN,
         INIT("1") BULK WAIT "@!%p1 st.global.u32 [%rd1+16], %r0;\n" LOAD_OWN),
    PAIR("bulk load's source overwritten after a barrier", ASYNC_SOURCE_OVERWRITTEN, 1, 64,
         INIT("1") BULK "bar.sync 0;\n" OVERWRITE WAIT LOAD_OWN, INIT("1") BULK WAIT OVERWRITE LOAD_OWN),
    PAIR("bulk load's source overwritten by a thread that another told", ASYNC_SOURCE_OVERWRITTEN, 1, 64,
         INIT("1") BULK "setp.ge.u32 %p3, %r0, 32;\n@%p3 bra D;\n" OVERWRITE WAIT "D:\nbar.sync 0;\n",
         INIT("1") BULK "setp.ge.u32 %p3, %r0, 32;\n@%p3 bra D;\n" WAIT "D:\nbar.sync 0;\n" OVERWRITE),
    PAIR("bulk store's destination read by its thread", ASYNC_READ_BEFORE_WAIT, 1, 64,
         STORE STORE_BULK ONE_TAKES WAIT_ALL, STORE STORE_BULK WAIT_ALL ONE_TAKES),
    PAIR("bulk store waited for its reading only", ASYNC_READ_BEFORE_WAIT, 1, 64,
         STORE STORE_BULK WAIT_READ "bar.sync 0;\n" TAKE, STORE STORE_BULK WAIT_ALL "bar.sync 0;\n" TAKE),
    PAIR("bulk store's destination written after a wait for its reading", ASYNC_READ_BEFORE_WAIT, 1, 64,
         STORE STORE_BULK WAIT_READ "bar.sync 0;\n" OUT("%r0"), STORE STORE_BULK WAIT_ALL "bar.sync 0;\n" OUT("%r0")),
    PAIR("bulk store waited for one group short", ASYNC_READ_BEFORE_WAIT, 1, 64,
         STORE STORE_BULK SEND_BEHIND "@!%p1 cp.async.bulk.wait_group 1;\nbar.sync 0;\nadd.u64 %rd2, %rd2, 256;\n" TAKE,
         STORE STORE_BULK SEND_BEHIND "@!%p1 cp.async.bulk.wait_group 1;\nbar.sync 0;\n" TAKE WAIT_ALL),
    PAIR("bulk store's destination read by others before a barrier", RACE_GLOBAL, 1, 64, STORE STORE_BULK WAIT_ALL TAKE,
         STORE STORE_BULK WAIT_ALL "bar.sync 0;\n" TAKE),
    PAIR("bulk addition's result read too early", ASYNC_READ_BEFORE_WAIT, 1, 64,
         STORE ADD_BULK WAIT_READ "bar.sync 0;\n" TAKE, STORE ADD_BULK WAIT_ALL "bar.sync 0;\n" TAKE),
    PAIR("two bulk stores to one place", RACE_GLOBAL, 1, 64, STORE STORE_BULK WAIT_READ SEND_AGAIN WAIT_ALL,
         STORE STORE_BULK WAIT_ALL SEND_AGAIN WAIT_ALL),
    PAIR("bulk addition to the destination of a bulk store", RACE_GLOBAL, 1, 64, STORE STORE_BULK ADD_BULK WAIT_ALL,
         STORE ADD_BULK ADD_AGAIN "@!%p1 cp.async.bulk.commit_group;\n" WAIT_ALL),
    PAIR("lanes store different bytes to one place", RACE_GLOBAL, 1, 32,
         STORE "fence.proxy.async.shared::cta;\nbar.sync 0;\nand.b32 %r6, %r0, 1;\n" SEND_ALL(
             "mad.lo.u32 %r6, %r6, 16, %r3;\n"),
         STORE "fence.proxy.async.shared::cta;\nbar.sync 0;\n" SEND_ALL("mov.u32 %r6, %r3;\n")),
    PAIR("cp.async from the destination of a bulk store", ASYNC_READ_BEFORE_WAIT, 1, 64,
         STORE STORE_BULK WAIT_READ "@!%p1 cp.async.ca.shared.global [%r3+256], [%rd0], 4;\n@!%p1 cp.async.wait_all;\n",
         STORE STORE_BULK WAIT_ALL "@!%p1 cp.async.ca.shared.global [%r3+256], [%rd0], 4;\n@!%p1 cp.async.wait_all;\n"),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
