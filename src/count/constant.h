/* One SM's cache of constant banks for loads with a computed address (LDC): the indexed constant cache, Nsight
 * Compute's IDC. It answers one address at a time, so that lanes that want different ones take turns. */
#ifndef HAUL_COUNT_CONSTANT_H
#define HAUL_COUNT_CONSTANT_H

#include "state/op.h"

#include <stdint.h>

enum { SIM_IDC_LINE_SHIFT = 6, SIM_IDC_SETS = 8, SIM_IDC_WAYS = 4 };

/* Warps of an SM go through a table side by side, and one fetch serves them all; here they run one after the other. So
 * a warp's n-th miss that was another warp's n-th miss before is taken for one that was answered along with it. */
enum { SIM_IDC_WARPS = 64, SIM_IDC_MISSES = 4096 };

/* All zero is an empty cache. */
typedef struct sim_idc {
    uint64_t line[SIM_IDC_SETS][SIM_IDC_WAYS]; /* line number + 1, the latest first; 0: free */
    uint64_t missed[SIM_IDC_MISSES];           /* by the miss' number: line number + 1 of the warp that had it first */
    uint32_t misses[SIM_IDC_WARPS];            /* of each warp */
} sim_idc;

/* What a load by the active lanes of a warp, by its place on the SM, comes to: a request for each distinct address,
 * however close they are, and those of them whose line was there. Lines that were not are fetched, in the order of the
 * lanes. */
typedef struct sim_constant_use {
    uint32_t requests, hits;
} sim_constant_use;

sim_constant_use sim_idc_load(sim_idc *idc, unsigned warp, uint32_t active, const uint64_t address[SIM_LANES]);

#endif
