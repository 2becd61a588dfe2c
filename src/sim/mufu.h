/* The tables of the GPU's unit for approximate functions, one row for each slice of an interval: value, slope and bend
 * at its start, as integers. Made by tools/device/mufu/fit.c of what an H100 gives for every significand: one row alone
 * fits all that it gives in a slice. How they are used is in ops/mufu.h. */
#ifndef HAUL_SIM_MUFU_H
#define HAUL_SIM_MUFU_H

#include <stdint.h>

typedef struct sim_mufu_row {
    int32_t value, slope, bend;
} sim_mufu_row;

extern const sim_mufu_row sim_mufu_rcp[128], sim_mufu_rsq[128], sim_mufu_sqrt[128];
extern const sim_mufu_row sim_mufu_ex2[64], sim_mufu_lg2[64], sim_mufu_sin[64];
extern const sim_mufu_row sim_mufu_tanh[51];

/* Of each octave of tanh: its first slice, the binary logarithm of how many it has (from bit 8 on), the bits of the
 * sum's fraction (from bit 16 on). */
extern const uint32_t sim_mufu_octaves[11];

#endif
