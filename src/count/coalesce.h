/* From the lanes' addresses to lines and sectors: the first thing that happens to a warp's access to global memory. */
#ifndef HAUL_COUNT_COALESCE_H
#define HAUL_COUNT_COALESCE_H

#include "count/lines.h"

/* Each active lane touches `bytes` bytes at its address, which is a multiple of `bytes`; bytes <= 32. */
void sim_coalesce(const uint64_t address[SIM_LANES], uint32_t active, unsigned bytes, sim_lines *lines);

/* The same for lanes that touch every sector from the one of byte `first` to that of byte `last`: its lines are put
 * behind those that are there already, which must not be among them. At most SIM_LANES lines in all. */
void sim_add_span(uint64_t first, uint64_t last, sim_lines *lines);

/* Wavefronts that the tag stage puts out for the access: lines that fall into one of its four banks go one by one. */
uint32_t sim_tag_wavefronts(const sim_lines *lines);
/* The same for `count` lines side by side. */
uint32_t sim_tag_wavefronts_of_run(uint64_t first, uint32_t count);

/* The bank (0..3) of a line. */
unsigned sim_tag_bank(uint64_t line);

/* The fewest sectors that could carry `bytes` for each active lane. */
static inline uint32_t sim_ideal_sectors(uint32_t active, unsigned bytes) {
    uint32_t total = (uint32_t)__builtin_popcount(active) * bytes;
    return (total + 31) >> SIM_SECTOR_SHIFT;
}

#endif
