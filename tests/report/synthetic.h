/* Launch records as the virtual GPU would make them, small enough to check by hand. */
#ifndef HAUL_TESTS_REPORT_SYNTHETIC_H
#define HAUL_TESTS_REPORT_SYNTHETIC_H

#include <haul/run.h>
#include <string.h>

/* `n` warps of 32 lanes, each moving 4 bytes with `sectors` sectors a request; all miss. */
static inline haul_traffic synthetic_global(uint64_t n, uint64_t sectors) {
    return (haul_traffic){.instructions = n,
                          .threads = 32 * n,
                          .requests = n,
                          .sectors = sectors * n,
                          .ideal_sectors = 4 * n,
                          .wavefronts = n,
                          .l2_requests = n,
                          .l2_sectors = sectors * n,
                          .bytes = 128 * n};
}

/* `n` warps of 32 lanes, each moving 4 bytes in `ways` wavefronts. */
static inline haul_traffic synthetic_shared(uint64_t n, uint64_t ways) {
    return (haul_traffic){.instructions = n,
                          .threads = 32 * n,
                          .bytes = 128 * n,
                          .shared_wavefronts = ways * n,
                          .ideal_shared_wavefronts = n,
                          .bank_conflicts = (ways - 1) * n};
}

static inline haul_instruction_record synthetic_instruction(const char *mnemonic, haul_memory_class class,
                                                            const char *file, uint32_t line, haul_traffic traffic) {
    return (haul_instruction_record){.text = mnemonic,
                                     .mnemonic = mnemonic,
                                     .ptx_line = line + 100,
                                     .place = {.file = file, .line = line},
                                     .memory_class = class,
                                     .traffic = traffic};
}

/* A launch of these instructions; classes are their sums, and no counter is read. */
static inline haul_launch_record synthetic_launch(haul_instruction_record *instructions, size_t count) {
    haul_launch_record r = {.kernel = "synthetic",
                            .grid = {64, 1, 1},
                            .block = {256, 1, 1},
                            .instructions = instructions,
                            .instruction_count = count,
                            .estimate_us = 10,
                            .measured_us = -1};
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) r.counters[i] = -1;
    for (size_t i = 0; i < count; i++)
        haul_traffic_add(&r.classes[instructions[i].memory_class], &instructions[i].traffic);
    return r;
}

#endif
