/* The estimate of a launch's time, by the bound that determines it. */
#include "time/estimate.h"
#include "state/waits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const sim_waits no_waits;

/* 65,536 blocks of 256 threads, eight of which run on an SM at once. */
static haul_launch_record many_blocks(void) {
    return (haul_launch_record){.grid = {65536, 1, 1}, .block = {256, 1, 1}, .occupancy = {.blocks_per_sm = 8}};
}

static haul_launch_record copy_of_mebibytes(double mebibytes) {
    haul_launch_record r = many_blocks();
    double sectors = mebibytes * 1024 * 1024 / 32;
    r.counters[HAUL_COUNTER_DRAM_READ_SECTORS] = sectors;
    r.counters[HAUL_COUNTER_DRAM_WRITE_SECTORS] = sectors;
    r.counters[HAUL_COUNTER_L2_READ_SECTORS] = r.counters[HAUL_COUNTER_L2_READ_MISS] = sectors;
    r.counters[HAUL_COUNTER_L2_WRITE_SECTORS] = sectors;
    return r;
}

static void assert_within(double value, double low, double high) {
    assert_true(value >= low && value <= high);
}

static void an_empty_launch_costs_what_starting_it_costs(void **state) {
    (void)state;
    haul_launch_record r = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .occupancy = {.blocks_per_sm = 32}};
    assert_within(sim_estimate_us(sim_machine_find("h100"), &r, &no_waits), 3.0, 3.3);
}

static void a_large_copy_is_bound_by_device_memory(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    haul_launch_record r = copy_of_mebibytes(1024);
    double us = sim_estimate_us(m, &r, &no_waits), rate = 2 * 1024.0 * 1024 * 1024 / us * 1e6;
    assert_within(rate / (m->memory_gbps * 1e9), 0.80, 0.90);
}

static void twice_the_bytes_take_twice_as_long(void **state) {
    (void)state;
    haul_launch_record one = copy_of_mebibytes(512), two = copy_of_mebibytes(1024);
    const sim_machine *m = sim_machine_find("h100");
    assert_within(sim_estimate_us(m, &two, &no_waits) / sim_estimate_us(m, &one, &no_waits), 1.9, 2.0);
}

static void faster_memory_makes_a_copy_faster(void **state) {
    (void)state;
    haul_launch_record r = copy_of_mebibytes(1024);
    const sim_machine *h100 = sim_machine_find("h100"), *h200 = sim_machine_find("h200");
    assert_true(sim_estimate_us(h200, &r, &no_waits) < 0.8 * sim_estimate_us(h100, &r, &no_waits));
}

static void bank_conflicts_bind_a_kernel_that_moves_little(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    haul_launch_record r = copy_of_mebibytes(1);
    r.counters[HAUL_COUNTER_SHARED_LD_WAVEFRONTS] = 1e9;
    double cycles = 1e9 / m->sms, us = cycles / m->sm_mhz;
    assert_within(sim_estimate_us(m, &r, &no_waits) / us, 1.0, 1.4);
}

static void rows_lines_apart_keep_the_data_stage_busy(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    const double loads = 32e6;
    haul_launch_record r = copy_of_mebibytes(1);
    r.counters[HAUL_COUNTER_L1_GLOBAL_LD_SECTORS] = 32 * loads;
    r.counters[HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS] = 8 * loads; /* of 32 lines */
    const sim_waits apart = {.data_wavefronts = 32 * loads}, spread = {.data_wavefronts = 8 * loads};
    assert_within(sim_estimate_us(m, &r, &apart) / sim_estimate_us(m, &r, &spread), 3.9, 4.0);
}

/* On an H200, a warp needs 50 ns for each round of a loop that adds a float to shared memory, but other warps' rounds
 * go on beside it; only if all add to one word, they wait for each other: 16 warps took 23 ns for each addition. */
static void loops_on_shared_memory_take_turns_at_one_word_only(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    const double warps = 16, rounds = 3200;
    haul_launch_record r = {.grid = {1, 1, 1}, .block = {512, 1, 1}, .occupancy = {.blocks_per_sm = 4}};
    const sim_waits apart = {.loop_rounds = warps * rounds, .fixed = 26 * warps * rounds, .path = 26 * warps * rounds};
    sim_waits at_one = apart;
    at_one.most_looped = warps * rounds;
    assert_within(sim_estimate_us(m, &r, &apart), 145, 170);
    assert_within(sim_estimate_us(m, &r, &at_one), 1150, 1300);
}

static void waits_that_few_warps_cannot_hide_add_up(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    haul_launch_record r = many_blocks();
    double warps = 65536.0 * 8;
    sim_waits one = {.memory = warps}, ten = {.memory = 10 * warps};
    r.counters[HAUL_COUNTER_L1_GLOBAL_LD_MISS] = r.counters[HAUL_COUNTER_L2_READ_SECTORS] = 1;
    r.counters[HAUL_COUNTER_L2_READ_MISS] = 1;
    double rounds = ceil(65536.0 / m->sms) / 8, more = sim_estimate_us(m, &r, &ten) - sim_estimate_us(m, &r, &one);
    assert_within(more / (9 * rounds * 0.7 * m->dram_latency_ns * 1e-3), 0.85, 1.1);
}

/* A thread's array that its number of words keeps in L1, beside loads that miss. */
static void local_loads_that_hit_make_waits_shorter(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    const sim_waits w = {.memory = 16 * 4 * 1000, .path = 16 * 4 * 1000 * 20};
    haul_launch_record r = {.grid = {16, 1, 1}, .block = {128, 1, 1}, .occupancy = {.blocks_per_sm = 16}};
    r.counters[HAUL_COUNTER_L1_GLOBAL_LD_MISS] = r.counters[HAUL_COUNTER_L2_READ_SECTORS] = 16000;
    const double far = sim_estimate_us(m, &r, &w);
    r.classes[HAUL_CLASS_LOCAL_LOAD] = (haul_traffic){.sectors = 256000, .hits = 256000};
    const double near = sim_estimate_us(m, &r, &w);
    r.classes[HAUL_CLASS_LOCAL_LOAD].hits = 0;
    assert_true(near < far / 2);
    assert_true(sim_estimate_us(m, &r, &w) > 0.9 * far);
}

static void atomics_on_one_address_take_turns(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    haul_launch_record r = many_blocks();
    const sim_waits crowded = {.hottest = 1e6};
    r.counters[HAUL_COUNTER_L2_RED_SECTORS] = 1e6;
    assert_within(sim_estimate_us(m, &r, &crowded), 650, 750);
    assert_true(sim_estimate_us(m, &r, &no_waits) < 60);
}

/* Floats are added to one sector in 1.76 ns each, whatever else its slice does. */
static void additions_of_floats_to_one_place_take_longer(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    const haul_launch_record r = many_blocks();
    const sim_waits integers = {.hottest = 1e6}, floats = {.hottest = 1e6, .most_added = 1e6};
    assert_within(sim_estimate_us(m, &r, &floats) / sim_estimate_us(m, &r, &integers), 2.4, 2.7);
}

/* An H200 stores 384,000 lines in 60.7 us if they are to 16 places of 512 bytes, and in 13.2 us if they are to 4,096.
 */
static void stores_to_few_places_wait_for_each_other(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    haul_launch_record r = {.grid = {4000, 1, 1}, .block = {96, 1, 1}, .occupancy = {.blocks_per_sm = 21}};
    const double lines = 384000;
    r.counters[HAUL_COUNTER_L2_WRITE_REQUESTS] = lines;
    r.counters[HAUL_COUNTER_L2_WRITE_SECTORS] = 4 * lines;
    const sim_waits few = {.uneven_stores = lines / sqrt(16)}, many = {.uneven_stores = lines / sqrt(4096)};
    assert_within(sim_estimate_us(m, &r, &few), 50, 85);
    assert_within(sim_estimate_us(m, &r, &many), 10, 25);
}

/* One block works, and the others find that they have nothing to do. */
static void the_busiest_sm_decides(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    const haul_launch_record r = {.grid = {132, 1, 1}, .block = {128, 1, 1}, .occupancy = {.blocks_per_sm = 16}};
    const sim_waits even = {.path = 1e6, .fixed = 1e6, .slots = 5e5, .busiest = 1.0 / 132};
    sim_waits lone = even;
    lone.busiest = 1;
    const double started = m->launch_us;
    assert_within((sim_estimate_us(m, &r, &lone) - started) / (sim_estimate_us(m, &r, &even) - started), 100, 132);
}

/* A lone load takes 3.4 us on an H200 with cold caches, and a store that nobody waits for 3.1. */
static void a_launch_waits_for_its_first_load_and_its_last_store(void **state) {
    (void)state;
    haul_launch_record loads = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .occupancy = {.blocks_per_sm = 32}},
                       stores = loads;
    const sim_machine *m = sim_machine_find("h200");
    const sim_waits once = {.memory = 1};
    loads.counters[HAUL_COUNTER_L1_GLOBAL_LD_MISS] = loads.counters[HAUL_COUNTER_L2_READ_SECTORS] = 4;
    loads.counters[HAUL_COUNTER_L2_READ_MISS] = 4;
    stores.counters[HAUL_COUNTER_L2_WRITE_SECTORS] = 4;
    assert_within(sim_estimate_us(m, &loads, &once), 3.3, 3.6);
    assert_within(sim_estimate_us(m, &stores, &no_waits), 3.0, 3.15);
}

static void parts_of_sectors_cost_more_than_whole_ones(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    haul_launch_record r = many_blocks();
    r.counters[HAUL_COUNTER_L2_WRITE_SECTORS] = r.counters[HAUL_COUNTER_L2_WRITE_REQUESTS] = 4e6;
    r.counters[HAUL_COUNTER_DRAM_WRITE_SECTORS] = 4e6;
    const sim_waits parts = {.partly_dirty = 4e6, .partial_sectors = 4e6};
    const double more = sim_estimate_us(m, &r, &parts) / sim_estimate_us(m, &r, &no_waits);
    assert_within(more, 2.0, 5.0);
}

static void barriers_take_longer_the_more_warps_meet(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    haul_launch_record few = {.grid = {1, 1, 1}, .block = {64, 1, 1}, .occupancy = {.blocks_per_sm = 2}}, many = few;
    many.block[0] = 1024;
    const sim_waits of_two = {.barriers = 500 * 2}, of_all = {.barriers = 500 * 32};
    assert_within(sim_estimate_us(m, &few, &of_two), 6.0, 8.5);    /* an H100: 7.3 */
    assert_within(sim_estimate_us(m, &many, &of_all), 20.0, 28.0); /* 22.4 */
}

/* A block on each SM, whose warps wait that often for loads or for copies in stages. */
static haul_launch_record a_block_each(void) {
    haul_launch_record r = {.grid = {132, 1, 1}, .block = {256, 1, 1}, .occupancy.blocks_per_sm = 1};
    r.counters[HAUL_COUNTER_L1_GLOBAL_LD_MISS] = 1e5;
    return r;
}

static void copies_in_stages_arrive_while_a_warp_works(void **state) {
    (void)state;
    const sim_machine *h200 = sim_machine_find("h200");
    const haul_launch_record r = a_block_each();
    const double warps = 132 * 8, tiles = 100, work = 3000 * tiles * warps;
    const sim_waits idle = {.path = work, .fixed = work};
    sim_waits at_once = idle, staged = idle;
    at_once.memory = tiles * warps;
    staged.staged = staged.staged_groups = tiles * warps;
    const double alone = sim_estimate_us(h200, &r, &idle);
    assert_true(sim_estimate_us(h200, &r, &at_once) > 1.1 * alone);
    assert_true(sim_estimate_us(h200, &r, &staged) < 1.02 * alone);
}

static void warps_that_meet_wait_for_the_last_one(void **state) {
    (void)state;
    const sim_machine *h200 = sim_machine_find("h200");
    const haul_launch_record r = a_block_each();
    sim_waits apart = {.path = 1e6, .fixed = 1e6, .memory = 132 * 8 * 100};
    sim_waits together = apart;
    together.barriers = together.memory;
    const haul_estimate e = sim_estimate(h200, &r, &together);
    assert_true(sim_estimate_us(h200, &r, &together) > 1.1 * sim_estimate_us(h200, &r, &apart));
    assert_true(e.stalls[HAUL_STALL_BARRIER] > 0.1 * e.stalls[HAUL_STALL_LONG_SCOREBOARD]);
}

static void large_blocks_take_longer_to_follow_each_other(void **state) {
    (void)state;
    const sim_machine *h200 = sim_machine_find("h200");
    const haul_launch_record small = {.grid = {132 * 80, 1, 1}, .block = {256, 1, 1}, .occupancy.blocks_per_sm = 8};
    const haul_launch_record large = {.grid = {132 * 20, 1, 1}, .block = {1024, 1, 1}, .occupancy.blocks_per_sm = 2};
    const sim_waits w = {.path = 1e8, .fixed = 1e8, .slots = 1e6};
    assert_true(sim_estimate_us(h200, &large, &w) > 1.1 * sim_estimate_us(h200, &small, &w));
}

/* Four rounds of blocks, with the same warps in blocks of any size. */
static double us_in_blocks_of(double threads, double waits) {
    const double blocks = 132 * 4 * 2048 / threads, warps = blocks * threads / 32;
    const haul_launch_record r = {.grid = {(uint32_t)blocks, 1, 1},
                                  .block = {(uint32_t)threads, 1, 1},
                                  .occupancy.blocks_per_sm = (uint32_t)(2048 / threads)};
    const sim_waits w = {.path = 3e4 * warps, .fixed = 3e4 * warps, .memory = waits * warps};
    return sim_estimate_us(sim_machine_find("h200"), &r, &w);
}

/* The first wait is over for all at about the same time; of four, some warps' are over sooner. */
static void a_large_block_keeps_the_places_of_warps_that_end_early(void **state) {
    (void)state;
    const double small = us_in_blocks_of(64, 4) - us_in_blocks_of(64, 1);
    const double large = us_in_blocks_of(1024, 4) - us_in_blocks_of(1024, 1);
    assert_within(large / small, 1.03, 1.15);
}

/* 20 MB are read once and worked on for 400 instructions. In large blocks all warps read at first, and then all work;
 * small blocks begin up to 2.4 us after each other, but take hardly longer. */
static void blocks_that_begin_later_read_while_others_work(void **state) {
    (void)state;
    double us[2];
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t threads = k ? 1024 : 64;
        const double warps = 132 * 64, sectors = 20e6 / 32;
        haul_launch_record r = {
            .grid = {132 * 2048 / threads, 1, 1}, .block = {threads, 1, 1}, .occupancy.blocks_per_sm = 2048 / threads};
        r.counters[HAUL_COUNTER_DRAM_READ_SECTORS] = r.counters[HAUL_COUNTER_L2_READ_SECTORS] = sectors;
        r.counters[HAUL_COUNTER_L1_GLOBAL_LD_MISS] = r.counters[HAUL_COUNTER_L2_READ_MISS] = sectors;
        const sim_waits w = {
            .memory = warps, .path = 2000 * warps, .fixed = 2000 * warps, .slots = 400 * warps, .issued = 400 * warps};
        us[k] = sim_estimate_us(sim_machine_find("h200"), &r, &w);
    }
    assert_within(us[0] - us[1], 0, 0.5);
}

/* Waits and bytes that cost about the same add up to less than they do if memory is taken to be always busy. */
static void long_waits_make_the_load_of_memory_smaller(void **state) {
    (void)state;
    const sim_machine *h200 = sim_machine_find("h200");
    haul_launch_record r = copy_of_mebibytes(32);
    r.grid[0] = 132;
    r.block[0] = 1024;
    r.occupancy.blocks_per_sm = 1;
    const double waits = 20, warps = 132 * 32;
    const sim_waits w = {.memory = waits * warps};
    const double bytes_us = sim_estimate_us(h200, &r, &no_waits);
    const double busy_us = bytes_us + 1e-3 * waits * h200->loaded_latency_ns;
    assert_within(sim_estimate_us(h200, &r, &w), bytes_us, 0.8 * busy_us);
}

static void a_busy_unit_shows_as_such(void **state) {
    (void)state;
    const sim_machine *h200 = sim_machine_find("h200");
    const haul_launch_record r = many_blocks();
    sim_waits turns = {.path = 1e9, .fixed = 1e9, .slots = 1e9}, unit = turns;
    unit.busy[SIM_PIPE_FP64] = 4e9;
    const haul_estimate a = sim_estimate(h200, &r, &turns), b = sim_estimate(h200, &r, &unit);
    assert_true(a.stalls[HAUL_STALL_NOT_SELECTED] > 10 * a.stalls[HAUL_STALL_MATH_PIPE]);
    assert_true(b.stalls[HAUL_STALL_MATH_PIPE] > 10 * b.stalls[HAUL_STALL_NOT_SELECTED]);
}

static void a_copy_waits_for_memory_and_keeps_it_busy(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    const haul_launch_record r = copy_of_mebibytes(1024);
    const double warps = 65536.0 * 8;
    const sim_waits w = {
        .memory = warps, .path = 20 * warps, .fixed = 20 * warps, .slots = 10 * warps, .issued = 10 * warps};
    const haul_estimate e = sim_estimate(m, &r, &w);
    double sum = 0;
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) sum += e.stalls[k];
    assert_within(e.memory_share, 0.80, 0.95);
    assert_within(e.cycles / e.sm_mhz, sim_estimate_us(m, &r, &w) - 4, sim_estimate_us(m, &r, &w));
    assert_true(e.stalls[HAUL_STALL_LONG_SCOREBOARD] > 0.8 * sum);
    assert_within(sum / (e.cycles * m->sms * e.warps_per_sm), 0.99, 1.01);
    assert_within(e.warps_per_sm, 60, 64);
}

static void stores_alone_wait_for_room(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    haul_launch_record r = many_blocks();
    const double warps = 65536.0 * 8;
    const sim_waits w = {.path = 20 * warps, .fixed = 20 * warps, .slots = 10 * warps, .issued = 10 * warps};
    r.counters[HAUL_COUNTER_L2_WRITE_SECTORS] = r.counters[HAUL_COUNTER_DRAM_WRITE_SECTORS] = 3e7;
    r.counters[HAUL_COUNTER_INST_GLOBAL_ST] = 8 * warps;
    const haul_estimate many = sim_estimate(m, &r, &w);
    r.counters[HAUL_COUNTER_INST_GLOBAL_ST] = warps;
    const haul_estimate one = sim_estimate(m, &r, &w);
    assert_true(many.stalls[HAUL_STALL_LG_THROTTLE] > 10 * many.stalls[HAUL_STALL_LONG_SCOREBOARD]);
    assert_true(many.stalls[HAUL_STALL_LG_THROTTLE] > many.stalls[HAUL_STALL_DRAIN]);
    assert_true(one.stalls[HAUL_STALL_DRAIN] > 10 * one.stalls[HAUL_STALL_LG_THROTTLE]);
}

/* Accesses of few warps find room in the queue: what L1 takes longer for shows where the data are used. */
static void accesses_wait_for_room_only_if_many_warps_have_them(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    haul_launch_record r = {.grid = {132, 1, 1}, .block = {1024, 1, 1}, .occupancy = {.blocks_per_sm = 2}};
    haul_estimate e[2]; /* with two warps of a scheduler, and with eight */
    for (unsigned k = 0; k < 2; k++) {
        r.block[0] = k ? 1024 : 256;
        const double warps = 132.0 * r.block[0] / 32;
        const sim_waits w = {.memory = warps};
        r.counters[HAUL_COUNTER_INST_GLOBAL_LD] = 32 * warps;
        r.counters[HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS] = 2000 * warps;
        e[k] = sim_estimate(m, &r, &w);
    }
    const double few = e[0].stalls[HAUL_STALL_LG_THROTTLE] / e[0].stalls[HAUL_STALL_LONG_SCOREBOARD];
    const double many = e[1].stalls[HAUL_STALL_LG_THROTTLE] / e[1].stalls[HAUL_STALL_LONG_SCOREBOARD];
    assert_true(many > 5 * few);
}

/* Products read three registers, whose ports other warps use as well. */
static void products_of_many_warps_stall_dispatch(void **state) {
    (void)state;
    const haul_launch_record r = many_blocks();
    sim_waits sums = {.path = 1e9, .fixed = 1e9, .slots = 1e9, .issued = 1e9}, products = sums;
    sums.busy[SIM_PIPE_ALU] = products.busy[SIM_PIPE_FMA] = 1e9;
    const haul_estimate a = sim_estimate(sim_machine_find("h200"), &r, &sums);
    const haul_estimate b = sim_estimate(sim_machine_find("h200"), &r, &products);
    assert_true(b.stalls[HAUL_STALL_DISPATCH_STALL] > 5 * a.stalls[HAUL_STALL_DISPATCH_STALL]);
}

/* Stores of parts of sectors that follow each other wait for room; between loads, the loads wait instead. */
static void loads_wait_behind_stores_that_alternate_with_them(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    haul_launch_record r = many_blocks();
    const double warps = 65536.0 * 8;
    sim_waits once = {.memory = warps, .partial_requests = 8 * 32 * warps, .partial_writes = 8 * 32 * warps};
    sim_waits each = once;
    each.memory = 8 * warps;
    r.counters[HAUL_COUNTER_INST_GLOBAL_ST] = r.counters[HAUL_COUNTER_INST_GLOBAL_LD] = 8 * warps;
    const haul_estimate a = sim_estimate(m, &r, &once), b = sim_estimate(m, &r, &each);
    assert_true(a.stalls[HAUL_STALL_LG_THROTTLE] > 5 * a.stalls[HAUL_STALL_LONG_SCOREBOARD]);
    assert_true(b.stalls[HAUL_STALL_LONG_SCOREBOARD] > 5 * b.stalls[HAUL_STALL_LG_THROTTLE]);
}

/* A warp's first reads go through the queue that stores of earlier warps fill. */
static void first_reads_wait_behind_stores_that_drain(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    haul_launch_record r = many_blocks();
    const double warps = 65536.0 * 8;
    sim_waits fast = {.memory = warps}, slow = fast;
    slow.partial_requests = slow.partial_writes = 32 * warps;
    r.counters[HAUL_COUNTER_INST_GLOBAL_ST] = r.counters[HAUL_COUNTER_INST_GLOBAL_LD] = warps;
    const haul_estimate a = sim_estimate(m, &r, &fast), b = sim_estimate(m, &r, &slow);
    const double drained = b.stalls[HAUL_STALL_DRAIN] - a.stalls[HAUL_STALL_DRAIN];
    assert_true(b.stalls[HAUL_STALL_SHORT_SCOREBOARD] - a.stalls[HAUL_STALL_SHORT_SCOREBOARD] > 0.3 * drained);
}

/* A launch of one round waits for code and constants; in a launch of many rounds, only the first one does. */
static void only_the_first_blocks_find_cold_caches(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    haul_launch_record r = {.grid = {132, 1, 1}, .block = {128, 1, 1}, .occupancy = {.blocks_per_sm = 1}};
    r.code.bytes = 8000;
    const sim_waits once = {.path = 2e5, .fixed = 2e5, .slots = 5e4, .issued = 5e4};
    const sim_waits often = {.path = 2e7, .fixed = 2e7, .slots = 5e6, .issued = 5e6};
    const haul_estimate few = sim_estimate(m, &r, &once);
    r.grid[0] = 13200;
    const haul_estimate many = sim_estimate(m, &r, &often);
    static const haul_stall cold[] = {HAUL_STALL_NO_INSTRUCTION, HAUL_STALL_IMC_MISS};
    for (size_t k = 0; k < 2; k++)
        assert_true(few.stalls[cold[k]] / few.instructions > 5 * many.stalls[cold[k]] / many.instructions);
}

/* Half of the waits of releasing atomics are their fences'. */
static void fences_wait_for_memory_as_well(void **state) {
    (void)state;
    const haul_launch_record r = many_blocks();
    const double warps = 65536.0 * 8;
    const sim_waits w = {.memory = 2 * warps, .fences = warps, .path = 20 * warps, .slots = 10 * warps};
    const haul_estimate e = sim_estimate(sim_machine_find("h200"), &r, &w);
    assert_within(e.stalls[HAUL_STALL_MEMBAR] / e.stalls[HAUL_STALL_LONG_SCOREBOARD], 0.99, 1.01);
}

/* Warps whose data arrive together take turns, though schedulers are idle most of the time. */
static void more_warps_wait_longer_for_their_turn(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    const double warps = 132 * 64;
    haul_launch_record r = {.grid = {1056, 1, 1}, .block = {256, 1, 1}, .occupancy = {.blocks_per_sm = 8}};
    const sim_waits w = {
        .memory = warps, .path = 200 * warps, .fixed = 200 * warps, .slots = 50 * warps, .issued = 50 * warps};
    const haul_estimate many = sim_estimate(m, &r, &w);
    r.occupancy.blocks_per_sm = 1;
    const haul_estimate few = sim_estimate(m, &r, &w);
    assert_true(many.issue_share < 0.6);
    assert_true(many.stalls[HAUL_STALL_NOT_SELECTED] > 3 * few.stalls[HAUL_STALL_NOT_SELECTED]);
}

static void barriers_show_as_such(void **state) {
    (void)state;
    haul_launch_record r = {.grid = {132, 1, 1}, .block = {1024, 1, 1}, .occupancy = {.blocks_per_sm = 2}};
    const double warps = 132 * 32;
    const sim_waits w = {.barriers = 500 * warps,
                         .path = 600 * warps,
                         .fixed = 600 * warps,
                         .slots = 600 * warps,
                         .issued = 600 * warps};
    const haul_estimate e = sim_estimate(sim_machine_find("h100"), &r, &w);
    assert_true(e.stalls[HAUL_STALL_BARRIER] > 10 * e.stalls[HAUL_STALL_SELECTED]);
}

/* The time that Nsight Compute measures is 1.6 us longer than the kernel's own. */
static double profiled_cycles(const haul_estimate *e) {
    return e->cycles + 1.6 * e->sm_mhz;
}

/* Shared memory with conflicts takes 32 wavefronts for an instruction of the load/store unit. */
static void conflicts_keep_shared_memory_busy_but_not_the_sm(void **state) {
    (void)state;
    haul_launch_record r = many_blocks();
    r.counters[HAUL_COUNTER_SHARED_LD_WAVEFRONTS] = 32e6;
    r.counters[HAUL_COUNTER_INST_SHARED_LD] = 1e6;
    r.classes[HAUL_CLASS_SHARED_LOAD] = (haul_traffic){.instructions = 1000000, .bytes = 128000000};
    const haul_estimate e = sim_estimate(sim_machine_find("h100"), &r, &no_waits);
    assert_true(e.l1_share > 0.9);
    assert_within(e.l1_share * e.cycles / (e.sm_share * profiled_cycles(&e)), 31.9, 32.1);
}

/* An SM's path to L2 takes two cycles for a store's request, and 1.1 for each of its sectors. */
static void scattered_stores_keep_the_path_to_l2_busy(void **state) {
    (void)state;
    haul_launch_record lines = many_blocks(), scattered = lines;
    lines.counters[HAUL_COUNTER_L2_WRITE_SECTORS] = scattered.counters[HAUL_COUNTER_L2_WRITE_SECTORS] = 4e6;
    lines.counters[HAUL_COUNTER_L2_WRITE_REQUESTS] = 1e6;
    scattered.counters[HAUL_COUNTER_L2_WRITE_REQUESTS] = 4e6;
    const sim_machine *m = sim_machine_find("h100");
    const haul_estimate few = sim_estimate(m, &lines, &no_waits), many = sim_estimate(m, &scattered, &no_waits);
    assert_within(many.l1_share * many.cycles / (few.l1_share * few.cycles), 1.81, 1.83);
}

/* Sectors that are written keep L2 busy for longer than those that are read. */
static void writes_keep_l2_busy_for_longer_than_reads(void **state) {
    (void)state;
    haul_launch_record reads = many_blocks(), writes = reads;
    reads.counters[HAUL_COUNTER_L2_READ_SECTORS] = writes.counters[HAUL_COUNTER_L2_WRITE_SECTORS] = 4e6;
    reads.counters[HAUL_COUNTER_L2_READ_REQUESTS] = writes.counters[HAUL_COUNTER_L2_WRITE_REQUESTS] = 1e6;
    const sim_machine *m = sim_machine_find("h200");
    const haul_estimate r = sim_estimate(m, &reads, &no_waits), w = sim_estimate(m, &writes, &no_waits);
    assert_within(w.l2_share * profiled_cycles(&w) / (r.l2_share * profiled_cycles(&r)), 1.75 / 0.53, 1.75 / 0.51);
}

/* A 16-byte load of a warp writes four registers. */
static void wide_loads_keep_the_path_to_the_registers_busy(void **state) {
    (void)state;
    haul_launch_record narrow = copy_of_mebibytes(1024), wide = narrow;
    const uint64_t loads = 1 << 20;
    narrow.classes[HAUL_CLASS_GLOBAL_LOAD] = (haul_traffic){.instructions = loads, .bytes = 32 * loads};
    wide.classes[HAUL_CLASS_GLOBAL_LOAD] = (haul_traffic){.instructions = loads, .bytes = 16 * 32 * loads};
    const sim_machine *m = sim_machine_find("h100");
    const double share = sim_estimate(m, &narrow, &no_waits).sm_share;
    assert_true(share > 0);
    assert_within(sim_estimate(m, &wide, &no_waits).sm_share / share, 3.99, 4.01);
}

/* On an H200, SAXPY of a vector a thread has four loads of constants and a read of its block's number in each warp, and
 * takes ten cycles of the address divergence unit. */
static void loads_of_constants_keep_the_address_divergence_unit_busy(void **state) {
    (void)state;
    haul_launch_record r = copy_of_mebibytes(1024);
    const double warps = 1 << 20;
    r.counters[HAUL_COUNTER_INST_LDC] = 4 * warps;
    const sim_waits w = {.adu = warps};
    const sim_machine *m = sim_machine_find("h200");
    const haul_estimate e = sim_estimate(m, &r, &w);
    assert_within(e.sm_share * profiled_cycles(&e) * m->sms, 9.99 * warps, 10.01 * warps);
}

/* The same bytes, by blocks that follow each other, and by blocks that all stay. */
static void grids_that_stay_are_slower(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h100");
    haul_launch_record come = copy_of_mebibytes(1024), stay = come;
    stay.grid[0] = 132 * 8;
    const double ratio = sim_estimate_us(m, &stay, &no_waits) / sim_estimate_us(m, &come, &no_waits);
    assert_within(ratio, 1.03, 1.06);
}

static void counters_that_were_not_read_count_as_nothing(void **state) {
    (void)state;
    haul_launch_record r = many_blocks();
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) r.counters[i] = -1;
    assert_true(isfinite(sim_estimate_us(sim_machine_find("a100"), &r, &no_waits)));
}

/* Kernels of two H200 that read 1 GiB of the other one's memory reach 372 GB/s, those that write reach 369. */
static void a_copy_from_a_peer_is_bound_by_the_links(void **state) {
    (void)state;
    const sim_machine *m = sim_machine_find("h200");
    const double bytes = 1 << 30;
    haul_launch_record r = copy_of_mebibytes(1024);
    r.counters[HAUL_COUNTER_DRAM_READ_SECTORS] = 0;
    const sim_waits reads = {.peer_read = bytes / 32}, writes = {.peer_written = bytes / 32};
    assert_within(bytes / sim_estimate_us(m, &r, &reads) * 1e-3, 355, 372);
    assert_within(bytes / sim_estimate_us(m, &r, &writes) * 1e-3, 352, 369);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_from_a_peer_is_bound_by_the_links),
        cmocka_unit_test(an_empty_launch_costs_what_starting_it_costs),
        cmocka_unit_test(a_large_copy_is_bound_by_device_memory),
        cmocka_unit_test(twice_the_bytes_take_twice_as_long),
        cmocka_unit_test(faster_memory_makes_a_copy_faster),
        cmocka_unit_test(bank_conflicts_bind_a_kernel_that_moves_little),
        cmocka_unit_test(rows_lines_apart_keep_the_data_stage_busy),
        cmocka_unit_test(loops_on_shared_memory_take_turns_at_one_word_only),
        cmocka_unit_test(waits_that_few_warps_cannot_hide_add_up),
        cmocka_unit_test(local_loads_that_hit_make_waits_shorter),
        cmocka_unit_test(atomics_on_one_address_take_turns),
        cmocka_unit_test(additions_of_floats_to_one_place_take_longer),
        cmocka_unit_test(stores_to_few_places_wait_for_each_other),
        cmocka_unit_test(the_busiest_sm_decides),
        cmocka_unit_test(a_launch_waits_for_its_first_load_and_its_last_store),
        cmocka_unit_test(parts_of_sectors_cost_more_than_whole_ones),
        cmocka_unit_test(barriers_take_longer_the_more_warps_meet),
        cmocka_unit_test(copies_in_stages_arrive_while_a_warp_works),
        cmocka_unit_test(warps_that_meet_wait_for_the_last_one),
        cmocka_unit_test(large_blocks_take_longer_to_follow_each_other),
        cmocka_unit_test(a_large_block_keeps_the_places_of_warps_that_end_early),
        cmocka_unit_test(blocks_that_begin_later_read_while_others_work),
        cmocka_unit_test(long_waits_make_the_load_of_memory_smaller),
        cmocka_unit_test(a_busy_unit_shows_as_such),
        cmocka_unit_test(a_copy_waits_for_memory_and_keeps_it_busy),
        cmocka_unit_test(stores_alone_wait_for_room),
        cmocka_unit_test(accesses_wait_for_room_only_if_many_warps_have_them),
        cmocka_unit_test(products_of_many_warps_stall_dispatch),
        cmocka_unit_test(loads_wait_behind_stores_that_alternate_with_them),
        cmocka_unit_test(first_reads_wait_behind_stores_that_drain),
        cmocka_unit_test(only_the_first_blocks_find_cold_caches),
        cmocka_unit_test(fences_wait_for_memory_as_well),
        cmocka_unit_test(more_warps_wait_longer_for_their_turn),
        cmocka_unit_test(barriers_show_as_such),
        cmocka_unit_test(conflicts_keep_shared_memory_busy_but_not_the_sm),
        cmocka_unit_test(scattered_stores_keep_the_path_to_l2_busy),
        cmocka_unit_test(writes_keep_l2_busy_for_longer_than_reads),
        cmocka_unit_test(wide_loads_keep_the_path_to_the_registers_busy),
        cmocka_unit_test(loads_of_constants_keep_the_address_divergence_unit_busy),
        cmocka_unit_test(grids_that_stay_are_slower),
        cmocka_unit_test(counters_that_were_not_read_count_as_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
