/* From the lanes' addresses to lines and sectors: the first thing that happens to a warp's access to global memory. */
#ifndef HAUL_COUNT_COALESCE_H
#define HAUL_COUNT_COALESCE_H

#include "state/op.h"

enum {
    SIM_LINE_SHIFT = 7,   /* a cache line (an L1 tag) is 128 bytes ... */
    SIM_SECTOR_SHIFT = 5, /* ... of four sectors of 32 bytes, the unit that moves */
    SIM_LINE_SECTORS = 4,
    SIM_MANY_LINES = 6, /* from so many on they are looked at side by side */
};

/* A line's bank is the XOR of a value for each bit set in its number: 1 2 1 2 3 1 2 3 2 1 2 1 3 1 3 2 1 3 1 3 2 3 1 3 1
 * 2 3 2 1 3 for bits 0 to 29, each measured on an H100 by a warp that reads two lines (docs/memory-model.md). So each
 * of the bank's two bits is the parity of some of the number's. */
enum { SIM_TAG_BANK_BIT_0 = 0x35ef7ab5, SIM_TAG_BANK_BIT_1 = 0x2ebad5da };

/* The distinct lines of one access, in the order in which lanes first touch them. */
typedef struct sim_lines {
    uint32_t count;
    uint32_t sectors;         /* of all lines together */
    uint64_t line[SIM_LANES]; /* address >> SIM_LINE_SHIFT */
    uint8_t mask[SIM_LANES];  /* which of its sectors are touched */
} sim_lines;

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
