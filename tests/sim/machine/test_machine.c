/* The machine descriptions are consistent. */
#include "access.h"

#include "machine/machine.h"

static void machines_are_found_by_name(void **state) {
    (void)state;
    static const char *const names[] = {"v100", "t4", "a100", "h100", "h200", "b200", "rtx4090", "rtx5090"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const sim_machine *m = sim_machine_find(names[i]);
        assert_non_null(m);
        assert_string_equal(m->name, names[i]);
    }
    assert_null(sim_machine_find("h1000"));
    assert_null(sim_machine_find(""));
}

static uint32_t largest_carveout(const sim_machine *m) {
    uint32_t largest = 0;
    for (unsigned i = 0; i < SIM_MAX_CARVEOUTS && (i == 0 || m->carveouts[i]); i++) {
        assert_true(i == 0 || m->carveouts[i] > largest);
        largest = m->carveouts[i];
    }
    return largest;
}

static void figures_of_each_machine_agree_with_each_other(void **state) {
    (void)state;
    for (size_t i = 0; i < sim_machine_count; i++) {
        const sim_machine *m = &sim_machines[i];
        assert_int_equal(largest_carveout(m), m->shared_per_sm);
        assert_true(m->shared_per_sm < m->unified_bytes);
        assert_int_equal(m->shared_per_block_optin + m->shared_reserved, m->shared_per_sm);
        assert_true(m->max_threads_per_block <= m->max_threads_per_sm);
        assert_int_equal(m->registers_per_sm % (4 * m->register_unit), 0);
        assert_true(m->l2_bytes < m->memory_bytes && m->l2_fetch_bytes >= 32 && m->l2_fetch_bytes <= 128);
        assert_true(m->loaded_latency_ns > m->dram_latency_ns && m->dram_latency_ns > m->l2_latency_ns);
        assert_true(m->memory_gbps > 0 && m->l2_gbps > m->memory_gbps && m->sm_mhz > 0 && m->host_link_gbps > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_are_found_by_name),
        cmocka_unit_test(figures_of_each_machine_agree_with_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
