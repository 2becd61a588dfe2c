#include "count/constant.h"

#include "count/traffic.h"

#include <string.h>

/* Makes the line its set's most recent. Returns true if it hit. */
static bool use_line(sim_idc *idc, uint64_t line) {
    uint64_t *ways = idc->line[line % SIM_IDC_SETS];
    unsigned way = 0;
    while (way < SIM_IDC_WAYS - 1 && ways[way] != line + 1) way++;
    const bool hit = ways[way] == line + 1;
    memmove(ways + 1, ways, way * sizeof *ways);
    ways[0] = line + 1;
    return hit;
}

/* Counts a miss of the warp. Returns true if another warp had the same miss. */
static bool shares_miss(sim_idc *idc, unsigned warp, uint64_t line) {
    uint64_t *missed = &idc->missed[idc->misses[warp % SIM_IDC_WARPS]++ % SIM_IDC_MISSES];
    const bool along = *missed == line + 1;
    *missed = line + 1;
    return along;
}

sim_constant_use sim_idc_load(sim_idc *idc, unsigned warp, uint32_t active, const uint64_t address[SIM_LANES]) {
    sim_constant_use use = {0};
    for (uint32_t left = sim_distinct_lanes(address, active); left; left &= left - 1) {
        const uint64_t line = address[__builtin_ctz(left)] >> SIM_IDC_LINE_SHIFT;
        use.requests++;
        use.hits += use_line(idc, line) || shares_miss(idc, warp, line);
    }
    return use;
}
