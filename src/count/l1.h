/* One SM's L1: lines of 128 bytes with four sectors that are filled one by one, set-associative; of a set, lines that
 * were never hit go before those that were. Write-through: it never holds the only copy. */
#ifndef HAUL_COUNT_L1_H
#define HAUL_COUNT_L1_H

#include "count/coalesce.h"

#include <haul/status.h>
#include <stdint.h>

typedef struct sim_l1 sim_l1;

/* Starts empty. `bytes` may be 0: then nothing ever hits. */
haul_status sim_l1_create(uint32_t bytes, sim_l1 **l1);
void sim_l1_free(sim_l1 *l1);

/* A load of the sectors in `mask` of a line: returns those that were there. All are there afterwards. */
unsigned sim_l1_load(sim_l1 *l1, uint64_t line, unsigned mask);
/* The sectors of `mask` that are there, without bringing any in: what a store finds. */
unsigned sim_l1_probe(sim_l1 *l1, uint64_t line, unsigned mask);
/* The sectors of `mask` are no longer there: an atomic changed them in L2. */
void sim_l1_drop(sim_l1 *l1, uint64_t line, unsigned mask);
/* The same for an access's lines, one after the other. The first two return how many sectors were there; `missing`:
 * which of each line were not. */
uint32_t sim_l1_load_lines(sim_l1 *l1, const sim_lines *lines, uint8_t missing[SIM_LANES]);
uint32_t sim_l1_probe_lines(sim_l1 *l1, const sim_lines *lines, uint8_t missing[SIM_LANES]);
void sim_l1_drop_lines(sim_l1 *l1, const sim_lines *lines);
/* Nothing is there any longer. */
void sim_l1_clear(sim_l1 *l1);

#endif
