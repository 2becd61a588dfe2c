/* From lanes' addresses to lines and sectors, the first step of a warp's access to global memory. */
#ifndef HAUL_COUNT_COALESCE_H
#define HAUL_COUNT_COALESCE_H

#include "count/lines.h"

/* Finds the lines that the active lanes touch, each `bytes` bytes (at most 32) at its address, a multiple of
 * `bytes`. */
void sim_coalesce(const uint64_t address[SIM_LANES], uint32_t active, unsigned bytes, sim_lines *lines);

/* Appends the lines of lanes that touch every sector from that of byte `first` to that of byte `last`. `lines` must not
 * contain them yet. At most SIM_LANES lines in total. */
void sim_add_span(uint64_t first, uint64_t last, sim_lines *lines);

/* Returns the access's wavefronts in the tag stage: lines of one of its four banks are handled one after the other. */
uint32_t sim_tag_wavefronts(const sim_lines *lines);
/* The same for `count` consecutive lines. */
uint32_t sim_tag_wavefronts_of_run(uint64_t first, uint32_t count);

/* Returns the cycles that the data stage takes: it reads the same quarter of one line only in a cycle, so it serves
 * sectors at one place of their lines one after the other. */
uint32_t sim_data_wavefronts(const sim_lines *lines);

/* The same for consecutive sectors. */
static inline uint32_t sim_data_wavefronts_of_run(uint32_t sectors) {
    return (sectors + SIM_LINE_SECTORS - 1) / SIM_LINE_SECTORS;
}

/* Returns the bank (0..3) of a line. */
unsigned sim_tag_bank(uint64_t line);

/* Returns the fewest sectors that could hold `bytes` per active lane. */
static inline uint32_t sim_ideal_sectors(uint32_t active, unsigned bytes) {
    uint32_t total = (uint32_t)__builtin_popcount(active) * bytes;
    return (total + 31) >> SIM_SECTOR_SHIFT;
}

#endif
