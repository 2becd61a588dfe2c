/* Reads of code and constants, as an H200 made them: launches of which nothing else reads memory. */
#include "access.h"

#include "machine/code_fetch.h"

typedef struct launch {
    uint64_t bytes, parameters; /* of machine code in the cubin; of the kernel */
    uint32_t sms;
    uint64_t requests, device; /* lts__t_requests_srcunit_gcc, dram__sectors_read */
} launch;

static void an_h200_reads_as_much(void **state) {
    (void)state;
    static const launch launches[] = {
        {0x100, 0, 1, 192, 80},          {0x100, 0, 132, 192, 80},       {0x180, 16, 1, 208, 88},
        {0x280, 16, 8, 224, 96},         {0x580, 16, 66, 272, 120},      {0x1180, 16, 132, 464, 216},
        {0x4180, 16, 2, 1232, 600},      {0x8180, 16, 1, 2256, 1112},    {0x100, 3608, 1, 416, 80},
        {0x180, 3608, 132, 432, 88},
    };
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const launch *l = &launches[i];
        const haul_code_fetch f = sim_code_fetch_of(sim_machine_find("h200"), l->bytes, l->parameters, l->sms);
        assert_int_equal(f.requests, l->requests);
        assert_int_equal(f.sectors, 4 * l->requests);
        assert_int_equal(f.device_sectors, l->device);
    }
}

/* Code beyond 64 KiB is read by those GPCs alone that execute it: 4,664 and 8,304 requests were recorded. */
static void long_code_is_read_where_it_runs(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    const uint64_t one = sim_code_fetch_of(m, 0x20180, 16, 8).requests;
    const uint64_t all = sim_code_fetch_of(m, 0x20180, 16, 132).requests;
    assert_in_range(one, 4664 * 99 / 100, 4664 * 102 / 100);
    assert_in_range(all, 8304 * 99 / 100, 8304 * 102 / 100);
}

static void code_is_padded(void **state) {
    (void)state;
    assert_int_equal(sim_code_bytes(5), 0x100);
    assert_int_equal(sim_code_bytes(21), 0x200);
    assert_int_equal(sim_code_bytes(24), 0x200);
    assert_int_equal(sim_code_bytes(25), 0x280);
    assert_int_equal(sim_code_bytes(624), 10112);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_h200_reads_as_much),
        cmocka_unit_test(long_code_is_read_where_it_runs),
        cmocka_unit_test(code_is_padded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
