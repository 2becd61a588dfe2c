#include "ptx_test.h"

#include "ptx/edges.h"

#define START HEADER ".entry k() { .reg .pred %p<9>; .reg .b32 %r<9>;\n"
#define WORK "add.u32 %r1, %r1, 1;\n"

/* 0: to the next or to 2; 1: by a table to 2, 3, 2; 2: to the next or to itself; 3: ends */
static const char source[] = START "T: .branchtargets B, C, B;\n"
                                   "@%p1 bra B;\n" WORK "brx.idx %r1, T;\n"
                                   "B: " WORK "@%p2 bra B;\n"
                                   "C: ret;\n}\n";

static void lists_edges_in_order(void **state) {
    (void)state;
    ptx_module *module = parse(source);
    const ptx_block *blocks = kernel_of(module)->blocks;
    assert_int_equal(ptx_edge_count(&blocks[0]), 2);
    assert_int_equal(ptx_edge(&blocks[0], 0), 1);
    assert_int_equal(ptx_edge(&blocks[0], 1), 2);
    assert_int_equal(ptx_edge_count(&blocks[1]), 5);
    assert_true(ptx_edge(&blocks[1], 0) == PTX_NO_BLOCK && ptx_edge(&blocks[1], 1) == PTX_NO_BLOCK);
    assert_int_equal(ptx_edge(&blocks[1], 2), 2);
    assert_int_equal(ptx_edge(&blocks[1], 3), 3);
    assert_int_equal(ptx_edge(&blocks[1], 4), 2);
    assert_true(ptx_edge(&blocks[3], 0) == PTX_NO_BLOCK);
    ptx_module_free(module);
}

static void knows_a_loop_of_one_block(void **state) {
    (void)state;
    ptx_module *module = parse(source);
    for (uint32_t b = 0; b < 4; b++) assert_int_equal(ptx_repeats(kernel_of(module), b), b == 2);
    ptx_module_free(module);
}

static void lists_predecessors_in_order_once_an_edge(void **state) {
    (void)state;
    static const uint32_t of_2[] = {0, 1, 1, 2}, of_3[] = {1, 2};
    ptx_module *module = parse(source);
    jmp_buf out_of_memory;
    arena memory;
    ptx_predecessors p;
    arena_init(&memory, &out_of_memory);
    assert_int_equal(setjmp(out_of_memory), 0);
    ptx_predecessors_find(kernel_of(module), &memory, &p);
    assert_int_equal(ptx_predecessor_count(&p, 0), 0);
    assert_int_equal(ptx_predecessor_count(&p, 1), 1);
    assert_int_equal(p.blocks[p.first[1]], 0);
    assert_int_equal(ptx_predecessor_count(&p, 2), 4);
    assert_memory_equal(p.blocks + p.first[2], of_2, sizeof of_2);
    assert_int_equal(ptx_predecessor_count(&p, 3), 2);
    assert_memory_equal(p.blocks + p.first[3], of_3, sizeof of_3);
    arena_free(&memory);
    ptx_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_edges_in_order),
        cmocka_unit_test(knows_a_loop_of_one_block),
        cmocka_unit_test(lists_predecessors_in_order_once_an_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
