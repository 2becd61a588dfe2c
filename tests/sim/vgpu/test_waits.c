/* Kernels that wait for the host, or for each other: their launches pause. */
#include "context.h"

/* raise: flag[0] = 1; answer: waits for that, then flag[1] = 2; patient: the same, but after 2^22 cycles flag[1] = 3;
 * agree: a warp of which two lanes read the flag, and that gives up after 2 * 10^11 cycles;
 * pass_on: stores what it reads to shared memory, and gives up after 2 * 10^11 cycles, too */
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry raise(.param .u64 flag) {\n  .reg .b64 %rd<2>;\n"
                          "  ld.param.u64 %rd1, [flag];\n  st.volatile.u32 [%rd1], 1;\n  ret;\n}\n"
                          ".visible .entry answer(.param .u64 flag) {\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n"
                          "  .reg .pred %p<2>;\n  ld.param.u64 %rd1, [flag];\nagain:\n"
                          "  ld.volatile.u32 %r1, [%rd1];\n  setp.ne.u32 %p1, %r1, 1;\n  @%p1 bra again;\n"
                          "  st.volatile.u32 [%rd1+4], 2;\n  ret;\n}\n"
                          ".visible .entry patient(.param .u64 flag) {\n  .reg .b64 %rd<5>;\n  .reg .b32 %r<2>;\n"
                          "  .reg .pred %p<3>;\n  ld.param.u64 %rd1, [flag];\n  mov.u64 %rd2, %clock64;\nagain:\n"
                          "  ld.volatile.u32 %r1, [%rd1];\n  setp.eq.u32 %p1, %r1, 1;\n  @%p1 bra answered;\n"
                          "  mov.u64 %rd3, %clock64;\n  sub.u64 %rd4, %rd3, %rd2;\n"
                          "  setp.lt.u64 %p2, %rd4, 4194304;\n  @%p2 bra again;\n"
                          "  st.volatile.u32 [%rd1+4], 3;\n  ret;\nanswered:\n"
                          "  st.volatile.u32 [%rd1+4], 2;\n  ret;\n}\n"
                          ".visible .entry agree(.param .u64 flag) {\n  .reg .b64 %rd<5>;\n  .reg .b32 %r<4>;\n"
                          "  .reg .pred %p<4>;\n  ld.param.u64 %rd1, [flag];\n  mov.u64 %rd2, %clock64;\n"
                          "  mov.u32 %r1, %laneid;\n  setp.gt.u32 %p1, %r1, 1;\nagain:\n  mov.u32 %r2, 1;\n"
                          "  @%p1 bra together;\n  ld.volatile.u32 %r2, [%rd1];\ntogether:\n"
                          "  setp.eq.u32 %p2, %r2, 1;\n  vote.sync.all.pred %p2, %p2, -1;\n  @%p2 bra answered;\n"
                          "  mov.u64 %rd3, %clock64;\n  sub.u64 %rd4, %rd3, %rd2;\n"
                          "  setp.lt.u64 %p3, %rd4, 200000000000;\n  @%p3 bra again;\n"
                          "  st.volatile.u32 [%rd1+4], 3;\n  ret;\nanswered:\n"
                          "  st.volatile.u32 [%rd1+4], 2;\n  ret;\n}\n"
                          ".visible .entry pass_on(.param .u64 flag) {\n  .reg .b64 %rd<5>;\n  .reg .b32 %r<2>;\n"
                          "  .reg .pred %p<3>;\n  .shared .align 4 .b32 copy;\n  ld.param.u64 %rd1, [flag];\n"
                          "  mov.u64 %rd2, %clock64;\nagain:\n  ld.acquire.sys.u32 %r1, [%rd1];\n"
                          "  st.volatile.shared.u32 [copy], %r1;\n  setp.eq.u32 %p1, %r1, 1;\n  @%p1 bra answered;\n"
                          "  mov.u64 %rd3, %clock64;\n  sub.u64 %rd4, %rd3, %rd2;\n"
                          "  setp.lt.u64 %p2, %rd4, 200000000000;\n  @%p2 bra again;\n"
                          "  st.volatile.u32 [%rd1+4], 3;\n  ret;\nanswered:\n"
                          "  st.volatile.u32 [%rd1+4], 2;\n  ret;\n}\n";

static CUmodule module;
static volatile uint32_t *flag; /* in pinned memory */

/* ---- the program's other thread ---- */

static unsigned turns, turn_of_flag; /* in which it sets the flag; 0: never */
static bool is_alone;

static void let_go(void) {
    if (++turns == turn_of_flag) flag[0] = 1;
}

static void take_back(void) {}

static bool ask_alone(unsigned waiting) {
    (void)waiting;
    return is_alone;
}

static int set_up(void **state) {
    void *host;
    if (open_context(state) || cu->module_load(&module, ptx, 0, NULL, NULL) || cu->host_allocate(&host, 8, 0)) return 1;
    flag = memset(host, 0, 8);
    turns = turn_of_flag = 0;
    is_alone = false;
    sim_driver_share(&(sim_sharing){.let_go = let_go, .take_back = take_back, .is_alone = ask_alone});
    return 0;
}

static int tear_down(void **state) {
    sim_driver_share(NULL);
    return close_context(state);
}

static CUresult launch_grid(const char *name, unsigned blocks, unsigned threads, CUstream stream) {
    CUfunction kernel;
    CUdeviceptr at;
    void *parameters[] = {&at};
    OK(cu->module_function(&kernel, module, name));
    OK(cu->host_address(&at, (void *)(uintptr_t)flag, 0));
    return cu->launch(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, NULL);
}

static CUresult launch(const char *name, CUstream stream) {
    return launch_grid(name, 1, 1, stream);
}

static void a_launch_returns_while_its_kernel_waits(void **state) {
    (void)state;
    OK(launch("answer", NULL));
    assert_int_equal(cu->stream_query(NULL), CUDA_NOT_READY);
    assert_string_equal(sim_driver_waiting_kernel(), "answer");
    flag[0] = 1;
    OK(cu->synchronize());
    assert_int_equal(flag[1], 2);
    assert_null(sim_driver_waiting_kernel());
}

static void whoever_waits_for_it_lets_others_go_on(void **state) {
    (void)state;
    turn_of_flag = 3;
    OK(launch("answer", NULL));
    OK(cu->synchronize());
    assert_int_equal(flag[1], 2);
    assert_int_equal(turns, 3);
}

static void kernels_of_other_streams_go_on(void **state) {
    (void)state;
    CUstream other;
    OK(cu->stream_create(&other, DRIVER_STREAM_NON_BLOCKING, 0));
    OK(launch("answer", NULL));
    OK(launch("raise", other));
    OK(cu->stream_synchronize(NULL));
    assert_int_equal(flag[1], 2);
    assert_int_equal(turns, 0);
}

/* A stream that waits for the default stream comes after the default stream's queued work, and vice versa. */
static void order_stays(void **state) {
    (void)state;
    CUstream blocking;
    CUdeviceptr word;
    uint32_t got = 0;
    OK(cu->allocate(&word, 4));
    OK(cu->stream_create(&blocking, 0, 0));
    OK(launch("answer", blocking));
    OK(cu->fill_words_async(word, 1, 1, NULL));
    OK(cu->fill_words_async(word, 2, 1, blocking));
    OK(cu->fill_words_async(word, 3, 1, NULL));
    assert_int_equal(cu->stream_query(NULL), CUDA_NOT_READY);
    flag[0] = 1;
    OK(cu->copy_to_host(&got, word, 4));
    assert_int_equal(got, 3);
    assert_int_equal(flag[1], 2);
}

static void a_kernel_may_wait_for_a_time(void **state) {
    (void)state;
    OK(launch("patient", NULL));
    flag[0] = 1;
    OK(cu->synchronize());
    assert_int_equal(flag[1], 2);
    flag[0] = 0;
    is_alone = true;
    OK(launch("patient", NULL));
    OK(cu->synchronize());
    assert_int_equal(flag[1], 3);
}

/* Launches a kernel that waits for the flag, which a kernel of another stream raises. */
static void waits_and_answers(const char *name, unsigned blocks, unsigned threads) {
    CUstream other;
    OK(cu->stream_create(&other, DRIVER_STREAM_NON_BLOCKING, 0));
    OK(launch_grid(name, blocks, threads, NULL));
    assert_string_equal(sim_driver_waiting_kernel(), name);
    OK(launch("raise", other));
    OK(cu->synchronize());
    assert_int_equal(flag[1], 2);
}

/* Lanes that split and meet again in each iteration wait like others: the launch pauses long before its time is up. */
static void a_warp_may_split_while_it_waits(void **state) {
    (void)state;
    waits_and_answers("agree", 1, 32);
}

/* A warp may tell its block what it polls. As long as that is nothing new, the launch pauses all the same. */
static void a_warp_may_pass_on_what_it_polls(void **state) {
    (void)state;
    waits_and_answers("pass_on", 1, 1);
}

/* The same in several blocks, where some steps of the loop are taken while all other SMs wait. */
static void warps_of_several_blocks_may_pass_on_what_they_poll(void **state) {
    (void)state;
    waits_and_answers("pass_on", 2, 1);
}

static void nobody_left_is_a_deadlock(void **state) {
    (void)state;
    is_alone = true;
    OK(launch("answer", NULL));
    assert_int_equal(cu->synchronize(), CUDA_LAUNCH_TIMEOUT);
    assert_non_null(strstr(haul_message(), "deadlock in kernel answer"));
}

static void a_device_may_end_meanwhile(void **state) {
    (void)state;
    CUstream stream;
    OK(cu->stream_create(&stream, 0, 0));
    OK(launch("answer", stream));
    OK(launch("answer", NULL));
    OK(cu->stream_destroy(stream));
    assert_string_equal(sim_driver_waiting_kernel(), "answer");
}

/* Without other threads, a kernel that waits never ends. */
static void without_sharing_a_launch_ends_at_once(void **state) {
    (void)state;
    sim_driver_share(NULL);
    assert_int_equal(launch("answer", NULL), CUDA_LAUNCH_TIMEOUT);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_launch_returns_while_its_kernel_waits),
        TEST(whoever_waits_for_it_lets_others_go_on),
        TEST(kernels_of_other_streams_go_on),
        TEST(order_stays),
        TEST(a_kernel_may_wait_for_a_time),
        TEST(a_warp_may_split_while_it_waits),
        TEST(a_warp_may_pass_on_what_it_polls),
        TEST(warps_of_several_blocks_may_pass_on_what_they_poll),
        TEST(nobody_left_is_a_deadlock),
        TEST(a_device_may_end_meanwhile),
        TEST(without_sharing_a_launch_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
