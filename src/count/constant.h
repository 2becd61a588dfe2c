/* One SM's cache for constant loads with a computed address (LDC): the indexed constant cache, IDC in Nsight Compute.
 * It serves one address at a time, so lanes with different addresses take turns. */
#ifndef HAUL_COUNT_CONSTANT_H
#define HAUL_COUNT_CONSTANT_H

#include "state/op.h"

#include <stdint.h>

enum { SIM_IDC_LINE_SHIFT = 6, SIM_IDC_SETS = 8, SIM_IDC_WAYS = 4 };

/* On hardware, warps of an SM read a table side by side, and one fetch serves them all; here they run one after the
 * other. So a warp's n-th miss counts as a hit if another warp's n-th miss was the same line. */
enum { SIM_IDC_WARPS = 64, SIM_IDC_MISSES = 4096 };

/* All zero is an empty cache. */
typedef struct sim_idc {
    uint64_t line[SIM_IDC_SETS][SIM_IDC_WAYS]; /* line number + 1, the most recent first; 0: free */
    uint64_t missed[SIM_IDC_MISSES]; /* by the miss's number: line number + 1 for the warp that had it first */
    uint32_t misses[SIM_IDC_WARPS];  /* of each warp */
} sim_idc;

/* A load by the active lanes of a warp, numbered by its place on the SM. There is a request for each distinct address,
 * however close they are, and a hit for each whose line is cached. Missing lines are fetched in lane order. */
typedef struct sim_constant_use {
    uint32_t requests, hits;
} sim_constant_use;

sim_constant_use sim_idc_load(sim_idc *idc, unsigned warp, uint32_t active, const uint64_t address[SIM_LANES]);

#endif
