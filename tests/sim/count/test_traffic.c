/* Bulk copies whose two sides are aligned differently: sectors and requests, as an H100 counted them for 608 copies. */
#include "access.h"

#include "count/traffic.h"

typedef struct measured {
    bool loads;
    uint32_t from, to, bytes, sectors, requests;
} measured;

static void count_request(void *context, uint64_t line, unsigned mask) {
    (void)line;
    assert_int_not_equal(mask, 0);
    ++*(uint32_t *)context;
}

static void a_bulk_copy_is_taken_apart_where_a_line_ends_on_either_side(void **state) {
    (void)state;
    static const measured copies[] = {
        {true, 0, 16, 2048, 80, 48},    {true, 0, 32, 2048, 64, 32},   {true, 0, 48, 2048, 80, 64},
        {true, 16, 0, 2048, 80, 48},    {true, 16, 16, 2048, 65, 18},  {true, 16, 112, 2048, 65, 33},
        {true, 48, 80, 2048, 65, 35},   {true, 112, 32, 2048, 81, 65}, {true, 0, 0, 16, 1, 1},
        {true, 48, 16, 32, 2, 2},       {true, 32, 80, 64, 3, 3},      {true, 112, 48, 112, 4, 3},
        {true, 16, 48, 128, 5, 4},      {true, 0, 80, 144, 6, 5},      {true, 112, 112, 144, 5, 2},
        {true, 48, 48, 256, 9, 5},      {false, 0, 16, 2048, 80, 32},  {false, 0, 32, 2048, 64, 32},
        {false, 0, 48, 2048, 80, 32},   {false, 16, 0, 2048, 80, 32},  {false, 16, 16, 2048, 65, 17},
        {false, 16, 112, 2048, 65, 33}, {false, 48, 80, 2048, 65, 33}, {false, 112, 32, 2048, 80, 33},
        {false, 0, 0, 16, 1, 1},        {false, 48, 16, 32, 2, 1},     {false, 32, 80, 64, 3, 2},
        {false, 112, 48, 112, 4, 3},    {false, 16, 48, 128, 5, 3},    {false, 0, 80, 144, 6, 3},
        {false, 112, 112, 144, 5, 2},   {false, 48, 48, 256, 9, 3},
    };
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        const measured *m = &copies[i];
        const uint32_t global = m->loads ? m->from : m->to, shared = m->loads ? m->to : m->from;
        const sim_bulk_move move = {0x10000000 + global, 1024 + shared, m->bytes, m->loads, false};
        haul_traffic traffic = {0};
        uint32_t requests = 0;
        sim_traffic_bulk(&traffic, &move, count_request, &requests);
        assert_int_equal(traffic.sectors, m->sectors);
        assert_int_equal(requests, m->requests);
        assert_int_equal(traffic.bytes, m->bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bulk_copy_is_taken_apart_where_a_line_ends_on_either_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
