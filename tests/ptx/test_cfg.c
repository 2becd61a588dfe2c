#include "ptx_test.h"

/* The joins of a kernel's blocks as text: block 0's, block 1's, ...; `-` for none. */
static const char kernel_head[] = HEADER ".entry k() { .reg .pred %p<9>; .reg .b32 %r<9>;\n";

static const char *joins(const char *statements) {
    static char out[256];
    char source[2048];
    size_t used = 0;
    snprintf(source, sizeof source, "%s%s\n}\n", kernel_head, statements);
    ptx_module *module = parse(source);
    const ptx_function *k = kernel_of(module);
    for (size_t b = 0; b < k->block_count; b++) {
        const char *separator = b ? " " : "";
        used += k->blocks[b].join == PTX_NO_BLOCK
                    ? (size_t)snprintf(out + used, sizeof out - used, "%s-", separator)
                    : (size_t)snprintf(out + used, sizeof out - used, "%s%u", separator, k->blocks[b].join);
    }
    ptx_module_free(module);
    return out;
}

#define WORK "add.u32 %r1, %r1, 1;\n"

static void cuts_blocks_at_jumps_and_their_targets(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL(WORK "unused: " WORK "@%p1 bra L;\n" WORK "L: @%p2 ret;\n" WORK "bra L;"));
    const ptx_function *k = kernel_of(module);
    assert_int_equal(k->block_count, 4);
    assert_int_equal(k->blocks[0].first, 0);
    assert_int_equal(k->blocks[0].end, 3); /* a label without jumps ends no block */
    assert_int_equal(k->blocks[0].next, 1);
    assert_int_equal(k->blocks[0].taken, 2);
    assert_int_equal(k->blocks[2].next, 3);
    assert_true(k->blocks[2].taken == PTX_NO_BLOCK);
    assert_int_equal(k->blocks[3].next, 2);
    ptx_module_free(module);
}

static void joins_an_if_behind_it(void **state) {
    (void)state;
    assert_string_equal(joins("@%p1 bra L;\n" WORK "L: " WORK "ret;"), "2 2 -");
}

static void joins_both_arms_of_an_if_with_else(void **state) {
    (void)state;
    assert_string_equal(joins("@%p1 bra E;\n" WORK "bra J;\nE: " WORK "J: " WORK "ret;"), "3 3 3 -");
}

static void joins_a_loop_behind_it(void **state) {
    (void)state;
    /* 0: before, 1: the loop, 2: after it */
    assert_string_equal(joins(WORK "L: " WORK "@%p1 bra L;\n" WORK "ret;"), "1 2 -");
}

static void joins_inner_ifs_inside_the_outer(void **state) {
    (void)state;
    assert_string_equal(joins("@%p1 bra E;\n@%p2 bra I;\n" WORK "I: " WORK "E: " WORK "ret;"), "4 3 3 4 -");
}

static void joins_the_targets_of_a_branch_table(void **state) {
    (void)state;
    assert_string_equal(
        joins("T: .branchtargets A, B, J;\nbrx.idx %r1, T;\nA: " WORK "bra J;\nB: " WORK "J: " WORK "ret;"), "3 3 3 -");
}

static void has_no_join_where_ways_end_apart(void **state) {
    (void)state;
    assert_string_equal(joins("@%p1 bra E;\n" WORK "ret;\nE: " WORK "ret;"), "- - -");
}

static void does_not_wait_for_lanes_that_only_leave(void **state) {
    (void)state;
    /* if (a) { if (b) return; x } y: the outer if joins at y (3), as the lanes that returned are gone */
    assert_string_equal(joins("@%p1 bra Y;\n@%p2 bra R;\n" WORK "Y: " WORK "ret;\nR: ret;"), "3 2 3 - -");
    assert_string_equal(joins("@%p1 bra Y;\n@%p2 exit;\n" WORK "Y: " WORK "ret;"), "3 2 3 -");
    assert_string_equal(joins("@%p1 bra Y;\n@!%p2 bra X;\n" WORK "ret;\nX: " WORK "Y: " WORK "ret;"), "4 3 - 4 -");
}

/* A switch without a possible default in a loop, as clang 14 writes it: the exit is a block that only jumps to
 * `exit`. */
static void takes_a_lone_jump_to_an_exit_for_one(void **state) {
    (void)state;
    /* 0: the loop's head, 1: the jump out, 2: one case, 3: after the loop */
    assert_string_equal(joins("L: @%p1 bra C;\nbra X;\nC: " WORK "@%p2 bra L;\n" WORK "ret;\nX: exit;"), "2 4 3 - -");
}

static void gathers_lanes_that_leave_a_loop_one_by_one(void **state) {
    (void)state;
    /* 1: the loop's head leaves to 3, which does some work: all lanes reconverge there */
    assert_string_equal(joins(WORK "L: @%p1 bra X;\n" WORK "bra L;\nX: " WORK "ret;"), "1 3 1 -");
}

static void keeps_loops_that_end_only_by_returning(void **state) {
    (void)state;
    assert_string_equal(joins(WORK "L: @%p1 ret;\n" WORK "bra L;"), "1 - 1");
}

static void finds_joins_inside_endless_loops(void **state) {
    (void)state;
    /* 1: if, 2: then, 3: after it */
    assert_string_equal(joins(WORK "L: @%p1 bra J;\n" WORK "J: " WORK "bra L;"), "1 3 3 -");
}

/* The near joins of block `at`, the outermost first. */
static const char *near_joins(const char *statements, uint32_t at) {
    static char out[256];
    char source[2048];
    size_t used = 0;
    snprintf(source, sizeof source, "%s%s\n}\n", kernel_head, statements);
    ptx_module *module = parse(source);
    const ptx_block *b = &kernel_of(module)->blocks[at];
    out[0] = 0;
    for (uint32_t k = 0; k < b->near_count; k++)
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%u", k ? " " : "", b->near_joins[k]);
    ptx_module_free(module);
    return out;
}

static void lanes_that_stay_in_a_loop_meet_without_those_that_leave_it(void **state) {
    (void)state;
    /* 1: if (p1) continues at 3, 2: leaves to 4, 3: the end of the iteration */
    const char *loop = WORK "L: @%p1 bra C;\n@%p2 bra X;\nC: " WORK "@%p3 bra L;\nX: " WORK "ret;";
    assert_string_equal(joins(loop), "1 4 4 4 -");
    assert_string_equal(near_joins(loop, 1), "3");
    assert_string_equal(near_joins(loop, 2), ""); /* one path stays, so no lanes reconverge */
    assert_string_equal(near_joins(loop, 3), "");
}

static void each_loop_that_is_left_has_a_join(void **state) {
    (void)state;
    /* 1: the outer head; 2: the inner one, if (p1) continues at 5; 3: leaves both to 7; 4: leaves the inner one to 6;
     * 5: the inner end; 6: the outer end */
    const char *loops = WORK "O: " WORK "L: @%p1 bra C;\n@%p2 bra X;\n@%p5 bra I;\nC: " WORK "@%p3 bra L;\nI: " WORK
                             "@%p4 bra O;\nX: " WORK "ret;";
    assert_string_equal(near_joins(loops, 2), "6 5");
    assert_string_equal(near_joins(loops, 3), "");
    assert_string_equal(near_joins(loops, 4), "6");
    assert_string_equal(near_joins(loops, 5), "6");
}

static void passes_over_unreachable_code(void **state) {
    (void)state;
    assert_string_equal(joins("bra J;\nD: " WORK "bra D;\nJ: " WORK "ret;"), "2 - -");
}

static void takes_a_jump_behind_the_end_for_a_return(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL("@%p1 bra E;\n" WORK "E:"));
    const ptx_function *k = kernel_of(module);
    assert_int_equal(k->block_count, 2);
    assert_true(k->blocks[0].taken == PTX_NO_BLOCK);
    assert_true(k->blocks[1].next == PTX_NO_BLOCK);
    ptx_module_free(module);
}

static void accepts_an_empty_body(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".entry k() { L: }");
    assert_int_equal(kernel_of(module)->block_count, 0);
    ptx_module_free(module);
}

/* ---- random graphs, against the definition ---- */

enum { BLOCKS = 12 };

/* Marks the blocks reachable from `from` without passing `without`; returns whether the end is. */
static bool reach(const ptx_function *k, uint32_t from, uint32_t without, bool seen[BLOCKS]) {
    uint32_t stack[BLOCKS * 2 + 2], depth = 0;
    bool end = false;
    memset(seen, 0, BLOCKS * sizeof *seen);
    stack[depth++] = from;
    while (depth) {
        uint32_t b = stack[--depth];
        end = end || b == PTX_NO_BLOCK;
        if (b == PTX_NO_BLOCK || b == without || seen[b]) continue;
        const ptx_instruction *last = &k->instructions[k->blocks[b].end - 1];
        seen[b] = true;
        stack[depth++] = k->blocks[b].next;
        if (last->op == PTX_OP_BRA && last->guarded) stack[depth++] = k->blocks[b].taken;
    }
    return end;
}

static bool escapes(const ptx_function *k, uint32_t from, uint32_t without) {
    bool seen[BLOCKS];
    return reach(k, from, without, seen);
}

/* Returns the first block that all paths from `b` to the end pass. */
static uint32_t join_by_definition(const ptx_function *k, uint32_t b) {
    for (uint32_t j = 0; j < k->block_count; j++) {
        bool nearest = j != b && !escapes(k, b, j);
        for (uint32_t other = 0; nearest && other < k->block_count; other++)
            if (other != b && other != j && !escapes(k, b, other)) nearest = !escapes(k, j, other);
        if (nearest) return j;
    }
    return PTX_NO_BLOCK;
}

static void write_random_kernel(text *out, uint32_t *seed) {
    text_put(out, kernel_head);
    for (unsigned b = 0; b < BLOCKS; b++) {
        *seed = *seed * 1664525 + 1013904223;
        unsigned target = (*seed >> 16) % BLOCKS, kind = (*seed >> 28) % 4;
        text_printf(out, "L%u: %s", b, WORK);
        if (kind && b + 1 < BLOCKS) text_printf(out, "%sbra L%u;\n", kind == 1 ? "" : "@%p1 ", target);
    }
    text_put(out, "}\n");
}

static void agrees_with_the_definition_on_random_graphs(void **state) {
    (void)state;
    uint32_t seed = 1;
    unsigned compared = 0;
    for (int graph = 0; graph < 2000; graph++) {
        text source = {0};
        write_random_kernel(&source, &seed);
        ptx_module *module = parse(text_string(&source));
        const ptx_function *k = kernel_of(module);
        bool used[BLOCKS], ends = true;
        reach(k, 0, PTX_NO_BLOCK, used);
        for (uint32_t b = 0; b < k->block_count; b++) ends = ends && (!used[b] || escapes(k, b, PTX_NO_BLOCK));
        compared += ends;
        for (uint32_t b = 0; ends && b < k->block_count; b++)
            if (used[b]) assert_int_equal(k->blocks[b].join, join_by_definition(k, b));
        ptx_module_free(module);
        text_free(&source);
    }
    assert_true(compared > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_blocks_at_jumps_and_their_targets),
        cmocka_unit_test(joins_an_if_behind_it),
        cmocka_unit_test(joins_both_arms_of_an_if_with_else),
        cmocka_unit_test(joins_a_loop_behind_it),
        cmocka_unit_test(joins_inner_ifs_inside_the_outer),
        cmocka_unit_test(joins_the_targets_of_a_branch_table),
        cmocka_unit_test(has_no_join_where_ways_end_apart),
        cmocka_unit_test(does_not_wait_for_lanes_that_only_leave),
        cmocka_unit_test(takes_a_lone_jump_to_an_exit_for_one),
        cmocka_unit_test(gathers_lanes_that_leave_a_loop_one_by_one),
        cmocka_unit_test(keeps_loops_that_end_only_by_returning),
        cmocka_unit_test(finds_joins_inside_endless_loops),
        cmocka_unit_test(lanes_that_stay_in_a_loop_meet_without_those_that_leave_it),
        cmocka_unit_test(each_loop_that_is_left_has_a_join),
        cmocka_unit_test(passes_over_unreachable_code),
        cmocka_unit_test(takes_a_jump_behind_the_end_for_a_return),
        cmocka_unit_test(accepts_an_empty_body),
        cmocka_unit_test(agrees_with_the_definition_on_random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
