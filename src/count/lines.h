/* Cache lines and sectors, and the lines that a warp's access touches. */
#ifndef HAUL_COUNT_LINES_H
#define HAUL_COUNT_LINES_H

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

#endif
