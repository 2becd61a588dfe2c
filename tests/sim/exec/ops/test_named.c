/* Accesses that name a variable but no state space use the variable's space. Each kernel runs as written and again with
 * its state spaces named; results and counters must be equal. */
#include "kernel.h"

#include "base/text.h"

#include <ctype.h>

enum { THREADS = 64 };

/* Writes the PTX with each `@shared`, `@local`, `@global` removed, or as `.shared` and so on. */
static void spell(const char *ptx, bool named, text *out) {
    for (; *ptx; ptx++) {
        if (*ptx != '@' || !islower((unsigned char)ptx[1])) {
            text_append(out, ptx, 1);
        } else if (named) {
            text_put(out, ".");
        } else {
            while (islower((unsigned char)ptx[1])) ptx++;
        }
    }
}

static void run_spelled(const char *ptx, bool named, const char *device, uint32_t out[THREADS],
                        haul_launch_record *record) {
    text t = {0};
    spell(ptx, named, &t);
    memset(out, 0, THREADS * sizeof *out);
    run_kernel(&(kernel_run){.ptx = text_string(&t),
                             .threads = THREADS,
                             .device = device,
                             .out = out,
                             .out_bytes = THREADS * sizeof *out,
                             .record = record});
    text_free(&t);
}

/* Both spellings leave `expected(thread)` in each thread's word, and count the same. */
static void expect_on(const char *device, const char *ptx, uint32_t (*expected)(uint32_t thread)) {
    uint32_t out[2][THREADS];
    static haul_launch_record records[2];
    for (unsigned named = 0; named < 2; named++) {
        run_spelled(ptx, named, device, out[named], &records[named]);
        expect_words(out[named], THREADS, expected(i));
    }
    for (unsigned k = 0; k < HAUL_COUNTER_COUNT; k++)
        if (records[0].counters[k] != records[1].counters[k])
            fail_msg("%s: %llu, but %llu with the state space named", haul_counters[k].key,
                     (unsigned long long)records[0].counters[k], (unsigned long long)records[1].counters[k]);
}

static void expect(const char *ptx, uint32_t (*expected)(uint32_t thread)) {
    expect_on(NULL, ptx, expected);
}

static uint32_t neighbour(uint32_t thread) {
    return 3 * (thread ^ 1) + 5;
}

/* ---- shared ---- */

#define SHARED ".shared .align 16 .b8 s[512];\n"

static void shared_variables_are_loaded_and_stored(void **state) {
    (void)state;
    expect(KERNEL_WITH(SHARED, "mov.u32 %r3, 3;\nmad.lo.u32 %r3, %r0, %r3, 5;\n"
                               "setp.eq.u32 %p0, %r0, 0;\n@%p0 st@shared.u32 [s+8], 17;\n"
                               "@%p0 st@shared.v2.u32 [s+16], {%r3, 4};\nbar.sync 0;\n"
                               "ld@shared.u32 %r4, [s+8];\nld@shared.v4.u32 {%r5, %r6, _, _}, [s+16];\n"
                               "ld@shared.u8 %r7, [s+20];\nld.volatile@shared.u32 %r8, [s + 4 + 12];\n"
                               "sub.u32 %r4, %r4, 17;\nsub.u32 %r5, %r5, 5;\nsub.u32 %r6, %r6, %r7;\n"
                               "sub.u32 %r8, %r8, 5;\nor.b32 %r4, %r4, %r5;\nor.b32 %r6, %r6, %r8;\n"
                               "or.b32 %r4, %r4, %r6;\nxor.b32 %r9, %r0, 1;\nmov.u32 %r10, 3;\n"
                               "mad.lo.u32 %r9, %r9, %r10, 5;\nadd.u32 %r4, %r4, %r9;\n" OUT("%r4")),
           neighbour);
}

static uint32_t threads_and_sevens(uint32_t thread) {
    (void)thread;
    return THREADS + 7 * THREADS;
}

static void shared_variables_take_atomics(void **state) {
    (void)state;
    expect(KERNEL_WITH(SHARED,
                       "atom@shared.add.u32 %r3, [s], 1;\nred@shared.add.u32 [s+4], 7;\n"
                       "atom@shared.cas.b32 %r4, [s+12], 0, 9;\natom.acq_rel.gpu@shared.exch.b32 %r5, [s+8], 2;\n"
                       "bar.sync 0;\nld.acquire.cta@shared.u32 %r3, [s];\nld@shared.u32 %r4, [s+4];\n"
                       "add.u32 %r3, %r3, %r4;\n" OUT("%r3")),
           threads_and_sevens);
}

static uint32_t thread_squared(uint32_t thread) {
    return thread * thread;
}

static void dynamic_shared_memory_is_named_too(void **state) {
    (void)state;
    const char *ptx =
        KERNEL_WITH(".extern .shared .align 16 .b8 d[];\n", "st.u32 [d+32], 6;\nld.u32 %r3, [d+32];\n" OUT("%r3"));
    uint32_t out[32] = {0};
    run_kernel(&(kernel_run){.ptx = ptx, .shared = 64, INTO(out)});
    expect_words(out, 32, 6);
}

/* ---- local ---- */

static void local_variables_are_each_thread_s_own(void **state) {
    (void)state;
    expect(KERNEL(".local .align 8 .b8 v[32];\nmov.u64 %rd3, v;\nadd.u64 %rd3, %rd3, 8;\nmul.lo.u32 %r3, %r0, %r0;\n"
                  "st@local.u32 [v+8], %r3;\nst@local.v2.u32 [v+16], {%r0, %r3};\nld.local.u32 %r4, [%rd3];\n"
                  "ld@local.v2.u32 {%r5, %r6}, [v+16];\nld.volatile@local.u32 %r7, [v+8];\n"
                  "sub.u32 %r5, %r5, %r0;\nsub.u32 %r6, %r6, %r3;\nsub.u32 %r7, %r7, %r3;\nor.b32 %r5, %r5, %r6;\n"
                  "or.b32 %r5, %r5, %r7;\nadd.u32 %r4, %r4, %r5;\n" OUT("%r4")),
           thread_squared);
}

/* As in PTX before 3.0: each thread has one, whatever function names it. */
static void local_variables_of_a_module_are_each_thread_s_own(void **state) {
    (void)state;
    const char *ptx =
        ".version 2.3\n.target sm_20\n.address_size 64\n.local .align 8 .b8 pad[8];\n.local .u32 v[4];\n"
        ".func keep(.reg .u32 %n) {\n.local .u32 own;\nst.local.u32 [own], 1;\nst.local.u32 [v+8], %n;\n"
        "ret; }\n" BEGIN
        ".local .u32 own;\nst.local.u32 [own], 77;\nst.local.u32 [pad+4], 78;\nmul.lo.u32 %r3, %r0, %r0;\n"
        "call keep, (%r3);\nmov.u64 %rd3, v;\nld.local.u32 %r4, [%rd3+8];\n" OUT("%r4") END;
    uint32_t out[2 * THREADS];
    run_words(ptx, 2, THREADS, out);
    expect_words(out, 2 * THREADS, thread_squared(i % THREADS));
}

/* ---- global ---- */

static void global_variables_are_named_too(void **state) {
    (void)state;
    expect(KERNEL_WITH(".global .align 4 .u32 g[2] = {3, 5};\n.global .align 4 .u32 count;\n",
                       "ld@global.u32 %r3, [g];\nld@global.u32 %r4, [g+4];\nred@global.add.u32 [count], 0;\n"
                       "xor.b32 %r5, %r0, 1;\nmad.lo.u32 %r3, %r5, %r3, %r4;\n" OUT("%r3")),
           neighbour);
}

/* ---- in functions ---- */

static uint32_t depth_sum(uint32_t thread) {
    uint32_t sum = 0;
    for (uint32_t n = thread % 4; n; n--) sum += n;
    return sum + 100;
}

/* The frame is on the stack: each level has its own `v`. */
#define RECURSIVE                                                                                                 \
    ".func (.param .b32 r) f(.param .b32 n) {\n.local .align 4 .b8 pad[12];\n.local .align 4 .b32 v;\n"           \
    ".reg .b32 %a, %b;\n.reg .pred %q;\nld.param.b32 %a, [n];\nst@local.u32 [v], %a;\nst@local.u32 [pad+8], 1;\n" \
    "mov.u32 %b, 0;\nsetp.eq.u32 %q, %a, 0;\n@%q bra E;\nsub.u32 %a, %a, 1;\n"                                    \
    "{ .param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %a;\ncall (y), f, (x);\nld.param.b32 %b, [y]; }\n"       \
    "E: ld@local.u32 %a, [v];\nprefetch.L1 [v];\nadd.u32 %b, %b, %a;\nst.param.b32 [r], %b;\nret; }\n"
#define INLINED                                                                                                      \
    ".func (.param .b32 r) g(.param .b32 n) {\n.local .align 4 .b32 v;\n.shared .align 4 .b32 s[64];\n"              \
    ".reg .b32 %a;\nld.param.b32 %a, [n];\nst@local.u32 [v], %a;\nst@shared.u32 [s+4], 50;\nld@local.u32 %a, [v];\n" \
    "st.param.b32 [r], %a;\nld@shared.u32 %a, [s+4];\nst.param.b32 [r], %a;\nret; }\n"
#define CALL(name, value, result)                                                                                    \
    "{ .param .b32 x;\n.param .b32 y;\nst.param.b32 [x], " value ";\ncall (y), " name ", (x);\nld.param.b32 " result \
    ", [y]; }\n"

static void variables_of_functions_are_found(void **state) {
    (void)state;
    expect(KERNEL_WITH(RECURSIVE INLINED,
                       "and.b32 %r3, %r0, 3;\n" CALL("f", "%r3", "%r4") CALL("g", "%r3", "%r5")
                           CALL("g", "%r4", "%r6") "add.u32 %r4, %r4, %r5;\nadd.u32 %r4, %r4, %r6;\n" OUT("%r4")),
           depth_sum);
}

/* ---- accesses that stay generic ---- */

/* ptxas 13.0 keeps these generic, though only global memory supports them. */
static void accesses_of_32_bytes_stay_generic(void **state) {
    (void)state;
#define WIDE(name)                                                                                     \
    ".version 8.8\n.target sm_100\n.address_size 64\n.shared .align 32 .b8 s[256];\n"                  \
    ".global .align 32 .b8 g[256];\n" BEGIN ".local .align 32 .b8 v[64];\n"                            \
    "st.v8.b32 [" name "+32], {5, 1, 2, 3, 4, 5, 6, 7};\nld.v8.b32 {_, _, %r3, _, _, _, _, _}, [" name \
    "+32];\n" OUT("%r3") END
    uint32_t out[32] = {0};
    run_kernel(&(kernel_run){.ptx = WIDE("g"), .device = "sim:b200", INTO(out)});
    expect_words(out, 32, 2);
    run_kernel(&(kernel_run){.ptx = WIDE("v"), .device = "sim:b200", INTO(out)});
    expect_words(out, 32, 2);
    expect_failure(&(kernel_run){.ptx = WIDE("s"), .device = "sim:b200"}, HAUL_ERROR_FAULT,
                   "32-byte accesses require global memory");
}

static uint32_t seven(uint32_t thread) {
    (void)thread;
    return 7;
}

static void mbarriers_and_matrices_are_in_shared_memory(void **state) {
    (void)state;
    expect(KERNEL_WITH(
               ".shared .align 8 .b64 bar;\n.shared .align 16 .b32 m[64];\n",
               "setp.eq.u32 %p0, %r0, 0;\n@%p0 mbarrier.init@shared.b64 [bar], 64;\nbar.sync 0;\n"
               "st@shared.u32 [m], 7;\nst@shared.u32 [m+16], 7;\nmbarrier.arrive@shared.b64 %rd3, [bar];\n"
               "W: mbarrier.try_wait@shared.b64 %p1, [bar], %rd3;\n@!%p1 bra W;\n"
               "ldmatrix.sync.aligned.m8n8.x1@shared.b16 {%r3}, [m];\nshfl.sync.idx.b32 %r3, %r3, 0, 31, -1;\n" OUT(
                   "%r3")),
           seven);
}

static uint32_t nine(uint32_t thread) {
    (void)thread;
    return 9;
}

static void stores_of_zeros_reach_shared_variables(void **state) {
    (void)state;
    expect_on("sim:b200",
              ".version 8.8\n.target sm_100\n.address_size 64\n.shared .align 16 .b32 s[64];\n" BEGIN
              "st@shared.u32 [s+12], 9;\nst@shared.u32 [s+16], 9;\nbar.sync 0;\nst.bulk [s], 16, 0;\nbar.sync 0;\n"
              "ld@shared.u32 %r3, [s+12];\nld@shared.u32 %r4, [s+16];\nmad.lo.u32 %r3, %r3, 100, %r4;\n" OUT("%r3") END,
              nine);
}

static uint32_t lane_in_matrix(uint32_t thread) {
    return thread % 32;
}

/* A lane's part of a matrix in shared memory, and one at an address that stays generic. */
static void matrices_of_products_are_found(void **state) {
    (void)state;
    expect(KERNEL_WITH(
               ".shared .align 32 .b32 m[256];\n",
               "and.b32 %r3, %r0, 31;\n"
               "wmma.store.d.sync.aligned.row.m16n16k16.s32 [m], {%r3, %r3, %r3, %r3, %r3, %r3, %r3, %r3}, 16;\n"
               "bar.sync 0;\n"
               "wmma.load.c.sync.aligned.row.m16n16k16.s32 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}, [m], 16;\n" OUT(
                   "%r4")),
           lane_in_matrix);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_variables_are_loaded_and_stored),
        cmocka_unit_test(shared_variables_take_atomics),
        cmocka_unit_test(dynamic_shared_memory_is_named_too),
        cmocka_unit_test(local_variables_are_each_thread_s_own),
        cmocka_unit_test(local_variables_of_a_module_are_each_thread_s_own),
        cmocka_unit_test(global_variables_are_named_too),
        cmocka_unit_test(variables_of_functions_are_found),
        cmocka_unit_test(accesses_of_32_bytes_stay_generic),
        cmocka_unit_test(mbarriers_and_matrices_are_in_shared_memory),
        cmocka_unit_test(stores_of_zeros_reach_shared_variables),
        cmocka_unit_test(matrices_of_products_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
