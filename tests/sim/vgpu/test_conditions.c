/* Conditional nodes of graphs. */
#include "context.h"

/* Adds one to the word, and sets the condition if it is below 5. */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    ".visible .entry count(.param .u64 word, .param .u64 handle) {\n  .reg .b64 %rd<3>;\n  .reg .b32 %r<3>;\n"
    "  .reg .pred %p<2>;\n  ld.param.u64 %rd1, [word];\n  ld.param.u64 %rd2, [handle];\n"
    "  ld.global.u32 %r1, [%rd1];\n  add.u32 %r1, %r1, 1;\n  st.global.u32 [%rd1], %r1;\n"
    "  setp.lt.u32 %p1, %r1, 5;\n  selp.u32 %r2, 1, 0, %p1;\n"
    "  { .param .b64 h; .param .b32 v;\n  st.param.b64 [h], %rd2;\n  st.param.b32 [v], %r2;\n"
    "  call.uni cudaGraphSetConditional, (h, v);\n  }\n  ret;\n}\n";

static CUmodule module;
static CUgraph graph;
static CUdeviceptr word;
static uint64_t handle;

static int set_up(void **state) {
    return open_context(state) || cu->module_load(&module, ptx, 0, NULL, NULL) || cu->allocate(&word, 4) ||
           cu->fill_words(word, 0, 1) || cu->graph_create(&graph, 0);
}

static CUgraph *add_condition(CUgraph to, int kind, unsigned count) {
    const sim_condition what = {.handle = handle, .kind = kind, .count = count};
    CUgraphNode node;
    CUgraph *bodies = NULL;
    OK(sim_driver_node_add_condition(&node, to, NULL, 0, &what, &bodies));
    return bodies;
}

static void add_count(CUgraph to) {
    CUgraphNode node;
    void *parameters[] = {&word, &handle};
    CUDA_KERNEL_NODE_PARAMS what = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = parameters};
    OK(cu->module_function(&what.function, module, "count"));
    OK(cu->node_add_kernel(&node, to, NULL, 0, &what));
}

static uint32_t word_after(CUgraphExec executable) {
    uint32_t got;
    OK(cu->graph_launch(executable, NULL));
    OK(cu->copy_to_host(&got, word, 4));
    return got;
}

static void a_loop_goes_on_while_its_kernel_says_so(void **state) {
    (void)state;
    CUgraphExec executable;
    OK(sim_driver_condition_create(&handle, graph, 1, true));
    add_count(add_condition(graph, SIM_CONDITION_WHILE, 1)[0]);
    OK(cu->graph_instantiate(&executable, graph, 0));
    assert_int_equal(word_after(executable), 5);
    assert_int_equal(word_after(executable), 6); /* the value starts as 1 again */
}

static void without_a_value_at_launch_the_last_one_stays(void **state) {
    (void)state;
    CUgraphExec executable;
    OK(sim_driver_condition_create(&handle, graph, 1, false));
    add_count(add_condition(graph, SIM_CONDITION_WHILE, 1)[0]);
    OK(cu->graph_instantiate(&executable, graph, 0));
    assert_int_equal(word_after(executable), 5);
    assert_int_equal(word_after(executable), 5);
}

static void a_clone_has_graphs_of_its_own(void **state) {
    (void)state;
    CUgraphExec executable;
    CUgraph clone;
    OK(sim_driver_condition_create(&handle, graph, 0, true));
    CUgraph *bodies = add_condition(graph, SIM_CONDITION_IF, 2);
    add_count(bodies[1]);
    OK(cu->graph_clone(&clone, graph));
    add_count(bodies[1]);
    OK(cu->graph_destroy(graph));
    OK(cu->graph_instantiate(&executable, clone, 0));
    assert_int_equal(word_after(executable), 1);
}

static void an_executable_may_end_before_its_launch_is_done(void **state) {
    (void)state;
    CUgraphExec executable;
    CUstream stream;
    uint32_t got;
    OK(sim_driver_condition_create(&handle, graph, 1, true));
    add_count(add_condition(graph, SIM_CONDITION_WHILE, 1)[0]);
    OK(cu->graph_instantiate(&executable, graph, 0));
    OK(cu->stream_create(&stream, 0, 0));
    OK(cu->graph_launch(executable, stream));
    OK(cu->executable_destroy(executable));
    OK(cu->copy_to_host(&got, word, 4));
    assert_int_equal(got, 5);
}

static void a_loop_with_nothing_in_it_is_told(void **state) {
    (void)state;
    CUgraphExec executable;
    OK(sim_driver_condition_create(&handle, graph, 1, true));
    add_condition(graph, SIM_CONDITION_WHILE, 1);
    OK(cu->graph_instantiate(&executable, graph, 0));
    assert_int_equal(cu->graph_launch(executable, NULL), CUDA_LAUNCH_TIMEOUT);
    assert_non_null(strstr(haul_message(), "loops forever"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, close_context)
    const struct CMUnitTest tests[] = {
        TEST(a_loop_goes_on_while_its_kernel_says_so), TEST(without_a_value_at_launch_the_last_one_stays),
        TEST(a_clone_has_graphs_of_its_own),           TEST(an_executable_may_end_before_its_launch_is_done),
        TEST(a_loop_with_nothing_in_it_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
