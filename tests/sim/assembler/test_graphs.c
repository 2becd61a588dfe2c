/* Analyses of blocks and registers, compared with their definitions on random graphs. */
#include "ptx/components.h"
#include "ptx/liveness.h"
#include "ptx/users.h"
#include "assembler/comparable.h"
#include "assembler/dominance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "assembler/random_graph.h"

enum { GRAPHS = 400, REGISTERS = 8 };

typedef void check(const ptx_function *f, uint32_t *seed, arena *memory);

static void on_random_graphs(check *holds) {
    uint32_t seed = 1;
    for (uint32_t graph = 0; graph < GRAPHS; graph++) {
        text source = {0};
        ptx_module *module;
        jmp_buf out_of_memory;
        arena memory;
        arena_init(&memory, &out_of_memory);
        assert_int_equal(setjmp(out_of_memory), 0);
        write_random_graph(&source, &seed, 2 + draw(&seed, MOST_GRAPH_BLOCKS / 2));
        assert_int_equal(ptx_module_parse("t.ptx", source.bytes, source.length, &module), HAUL_OK);
        const ptx_function *f = ptx_find_entry(module, "k");
        assert_true(f->block_count <= MOST_GRAPH_BLOCKS);
        holds(f, &seed, &memory);
        arena_free(&memory);
        ptx_module_free(module);
        text_free(&source);
    }
}

/* ---- components ---- */

static void hold_components(const ptx_function *f, uint32_t *seed, arena *memory) {
    (void)seed;
    const uint32_t *component = ptx_components_find(f, memory);
    const bool *looping = ptx_find_looping(f, component, memory);
    bool from[MOST_GRAPH_BLOCKS], back[MOST_GRAPH_BLOCKS];
    for (uint32_t a = 0; a < f->block_count; a++) {
        reach(f, a, PTX_NO_BLOCK, from);
        assert_int_equal(looping[a], from[a]);
        for (uint32_t b = 0; b < f->block_count; b++) {
            reach(f, b, PTX_NO_BLOCK, back);
            assert_int_equal(component[a] == component[b], a == b || (from[b] && back[a]));
        }
    }
}

static void components_are_blocks_that_lead_to_each_other(void **state) {
    (void)state;
    on_random_graphs(hold_components);
}

/* ---- liveness ---- */

typedef struct touch {
    uint32_t reg;
    bool reads, writes;
} touch;

static void note_touch(void *context, uint32_t reg, bool writes) {
    touch *t = context;
    if (reg == t->reg) *(writes ? &t->writes : &t->reads) = true;
}

/* Returns whether some path from the block on reads the register before anything writes it for all lanes. */
static bool is_needed(const ptx_function *f, uint32_t block, uint32_t reg, bool *seen) {
    if (seen[block]) return false;
    seen[block] = true;
    for (uint32_t i = f->blocks[block].first; i < f->blocks[block].end; i++) {
        touch t = {.reg = reg};
        ptx_visit_registers(&f->instructions[i], note_touch, &t);
        if (t.reads || (t.writes && f->instructions[i].guarded)) return true;
        if (t.writes) return false;
    }
    for (uint32_t k = 0; k < ptx_edge_count(&f->blocks[block]); k++) {
        const uint32_t to = ptx_edge(&f->blocks[block], k);
        if (to != PTX_NO_BLOCK && is_needed(f, to, reg, seen)) return true;
    }
    return false;
}

static bool is_out(const ptx_liveness *l, uint32_t block, uint32_t reg) {
    for (const ptx_live_word *w = ptx_live_words(l, block); w < ptx_live_words(l, block + 1); w++)
        for (uint64_t bits = w->out; bits; bits &= bits - 1)
            if (ptx_live_register(l, w, bits) == reg) return true;
    return false;
}

static void hold_liveness(const ptx_function *f, uint32_t *seed, arena *memory) {
    (void)seed;
    ptx_liveness live;
    ptx_liveness_compute(f, memory, &live);
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (uint32_t r = 0; r < f->register_count; r++) {
            bool seen[MOST_GRAPH_BLOCKS] = {false}, out = false;
            assert_int_equal(ptx_is_live_in(&live, b, r), is_needed(f, b, r, seen));
            for (uint32_t k = 0; k < ptx_edge_count(&f->blocks[b]); k++) {
                const uint32_t to = ptx_edge(&f->blocks[b], k);
                out |= to != PTX_NO_BLOCK && ptx_is_live_in(&live, to, r);
            }
            assert_int_equal(is_out(&live, b, r), out);
        }
    }
}

static void registers_are_live_where_they_are_needed(void **state) {
    (void)state;
    on_random_graphs(hold_liveness);
}

/* ---- users ---- */

static void hold_users(const ptx_function *f, uint32_t *seed, arena *memory) {
    (void)seed;
    ptx_users readers, writers;
    ptx_users_find(f, memory, &readers, &writers);
    for (uint32_t r = 0; r < f->register_count; r++) {
        uint32_t read = readers.first[r], written = writers.first[r];
        for (uint32_t i = 0; i < f->instruction_count; i++) {
            touch t = {.reg = r};
            ptx_visit_registers(&f->instructions[i], note_touch, &t);
            assert_int_equal(t.reads, read < readers.first[r + 1] && readers.instructions[read] == i);
            assert_int_equal(t.writes, written < writers.first[r + 1] && writers.instructions[written] == i);
            while (read < readers.first[r + 1] && readers.instructions[read] == i) read++;
            while (written < writers.first[r + 1] && writers.instructions[written] == i) written++;
        }
        assert_true(read == readers.first[r + 1] && written == writers.first[r + 1]);
    }
}

static void users_come_in_order(void **state) {
    (void)state;
    on_random_graphs(hold_users);
}

/* ---- dominance ---- */

/* Finds the blocks reachable from the first one. */
static void find_reached(const ptx_function *f, bool *reached) {
    reach(f, 0, PTX_NO_BLOCK, reached);
    reached[0] = true;
}

static bool dominates(const ptx_function *f, uint32_t above, uint32_t below) {
    bool seen[MOST_GRAPH_BLOCKS];
    if (above == below || above == 0) return true;
    reach(f, 0, above, seen);
    return below != 0 && !seen[below];
}

/* Random graphs with unreachable blocks are skipped, since dominance is undefined there. */
static bool is_all_reached(const ptx_function *f) {
    bool reached[MOST_GRAPH_BLOCKS];
    find_reached(f, reached);
    for (uint32_t b = 0; b < f->block_count; b++)
        if (!reached[b]) return false;
    return true;
}

static void hold_dominance(const ptx_function *f, uint32_t *seed, arena *memory) {
    (void)seed;
    sim_dominance d;
    sim_dominance_find(f, memory, &d);
    assert_int_equal(d.order_count, f->block_count);
    for (uint32_t k = 0; k < d.order_count; k++) {
        const uint32_t parent = d.parent[d.order[k]];
        assert_int_equal(d.rank[d.order[k]], k);
        assert_true(parent == PTX_NO_BLOCK || d.rank[parent] < k);
    }
    for (uint32_t a = 0; a < f->block_count && is_all_reached(f); a++)
        for (uint32_t b = 0; b < f->block_count; b++) assert_int_equal(sim_dominates(&d, a, b), dominates(f, a, b));
}

static void a_block_dominates_those_that_are_not_reached_without_it(void **state) {
    (void)state;
    on_random_graphs(hold_dominance);
}

/* Returns whether a path from one of the blocks that write reaches `below` without passing the block's parent. */
static bool is_between(const ptx_function *f, const sim_dominance *d, uint32_t below, const bool *writes) {
    for (uint32_t b = 0; b < f->block_count; b++) {
        bool seen[MOST_GRAPH_BLOCKS];
        if (!writes[b] || b == d->parent[below]) continue;
        reach(f, b, d->parent[below], seen);
        if (seen[below]) return true;
    }
    return false;
}

static uint32_t top_by_definition(const ptx_function *f, const sim_dominance *d, uint32_t block, const bool *writes) {
    for (uint32_t at = block;; at = d->parent[at]) {
        if (d->parent[at] == PTX_NO_BLOCK || is_between(f, d, at, writes)) return at;
        if (writes[d->parent[at]]) return d->parent[at];
    }
}

static void hold_tops(const ptx_function *f, uint32_t *seed, arena *memory) {
    bool writes[MOST_GRAPH_BLOCKS];
    uint32_t top[MOST_GRAPH_BLOCKS];
    sim_dominance d;
    sim_dominance_find(f, memory, &d);
    for (uint32_t b = 0; b < f->block_count; b++) writes[b] = draw(seed, 5) == 0;
    sim_find_tops(&d, d.order, d.order_count, writes, top);
    for (uint32_t b = 0; b < f->block_count && is_all_reached(f); b++)
        assert_int_equal(top[b], top_by_definition(f, &d, b, writes));
}

static void values_come_from_where_ways_meet_or_the_last_block_that_writes(void **state) {
    (void)state;
    on_random_graphs(hold_tops);
}

/* ---- blocks above and below each other ---- */

static void hold_comparables(const ptx_function *f, uint32_t *seed, arena *memory) {
    enum { COUNT = 30 };
    uint32_t blocks[COUNT], root = 0;
    sim_dominance d;
    sim_comparables c = {.dominance = &d, .memory = memory};
    sim_dominance_find(f, memory, &d);
    for (uint32_t n = 0; n < COUNT; n++) {
        for (uint32_t b = 0; b < f->block_count; b++) {
            uint32_t last = 0;
            for (uint32_t k = 0; k < n; k++)
                if (sim_dominates(&d, blocks[k], b) || sim_dominates(&d, b, blocks[k])) last = k + 1;
            assert_int_equal(sim_comparables_last(&c, root, b), last);
        }
        blocks[n] = draw(seed, (uint32_t)f->block_count);
        sim_comparables_add(&c, &root, blocks[n], n);
    }
}

static void the_last_block_above_or_below_is_found(void **state) {
    (void)state;
    on_random_graphs(hold_comparables);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_blocks_that_lead_to_each_other),
        cmocka_unit_test(registers_are_live_where_they_are_needed),
        cmocka_unit_test(users_come_in_order),
        cmocka_unit_test(a_block_dominates_those_that_are_not_reached_without_it),
        cmocka_unit_test(values_come_from_where_ways_meet_or_the_last_block_that_writes),
        cmocka_unit_test(the_last_block_above_or_below_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
