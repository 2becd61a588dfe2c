/* Reads of code and constants, as an H200 made them: launches of which nothing else reads memory. */
#include "access.h"

#include "machine/code_fetch.h"

#include <stdio.h>
#include <string.h>

typedef struct launch {
    char kernel[16];
    unsigned length, blocks, block, argument, bytes, parameters, requests, device;
} launch;

/* Reads the next recorded launch; false at the end. */
static bool next_launch(FILE *file, launch *l) {
    char line[256];
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%15s %u %u %u %u %u %u %u %u", l->kernel, &l->length, &l->blocks, &l->block, &l->argument,
                   &l->bytes, &l->parameters, &l->requests, &l->device) == 9)
            return true;
    return false;
}

/* With less code than a launch fetches ahead, the requests are exact, and the sectors from device memory within eight.
 * (One launch of 142 has more.) */
static void an_h200_reads_as_much(void **state) {
    (void)state;
    enum { SHORT = 48 << 10, SLACK = 8 };
    FILE *file = fopen(TEST_DATA "/code/h200.txt", "r");
    unsigned launches = 0, requests = 0, device = 0;
    launch l;
    assert_non_null(file);
    while (next_launch(file, &l)) {
        if (l.bytes > SHORT) continue;
        const haul_code_fetch f = sim_code_fetch_of(sim_machine_find("h200"), l.bytes, l.parameters, l.blocks);
        launches++;
        requests += f.requests == l.requests && f.sectors == 4 * f.requests;
        device += f.device_sectors + SLACK >= l.device && f.device_sectors <= l.device + SLACK;
    }
    fclose(file);
    assert_int_equal(launches, 142);
    assert_int_equal(requests, launches);
    assert_int_equal(device, launches - 1);
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
