/* Cache lines and sectors, and the lines that a warp's access touches. */
#ifndef HAUL_COUNT_LINES_H
#define HAUL_COUNT_LINES_H

#include "state/op.h"

enum {
    SIM_LINE_SHIFT = 7,   /* a cache line (an L1 tag) has 128 bytes: */
    SIM_SECTOR_SHIFT = 5, /* four sectors of 32 bytes, the unit of transfer */
    SIM_LINE_SECTORS = 4,
    SIM_MANY_LINES = 6, /* from this number on, lines are handled by vector code */
};

/* A line's bank is the XOR of one value for each bit set in its number: 1 2 1 2 3 1 2 3 2 1 2 1 3 1 3 2 1 3 1 3 2 3 1 3
 * 1 2 3 2 1 3 for bits 0 to 29. Each was measured on an H100 by a warp that reads two lines (docs/memory-model.md). So
 * each of the bank's two bits is the parity of some bits of the number. */
enum { SIM_TAG_BANK_BIT_0 = 0x35ef7ab5, SIM_TAG_BANK_BIT_1 = 0x2ebad5da };

/* The distinct lines of one access, in the order in which lanes first touch them. */
typedef struct sim_lines {
    uint32_t count;
    uint32_t sectors;         /* of all lines together */
    uint64_t line[SIM_LANES]; /* address >> SIM_LINE_SHIFT */
    uint8_t mask[SIM_LANES];  /* sectors touched */
} sim_lines;

#endif
