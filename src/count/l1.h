/* The model of one SM's L1: set-associative, lines of 128 bytes with four sectors that are filled one by one. In a set,
 * lines that were never hit are evicted before those that were. L1 is write-through: it never holds the only copy. */
#ifndef HAUL_COUNT_L1_H
#define HAUL_COUNT_L1_H

#include "count/coalesce.h"

#include <haul/status.h>
#include <stdint.h>

typedef struct sim_l1 sim_l1;

/* Starts empty. `bytes` may be 0: then nothing ever hits. */
haul_status sim_l1_create(uint32_t bytes, sim_l1 **l1);
void sim_l1_free(sim_l1 *l1);
/* Makes it like one that has just been created with `bytes`. */
void sim_l1_renew(sim_l1 *l1, uint32_t bytes);
/* Returns the host memory that an L1 takes. */
uint32_t sim_l1_size(void);

/* Loads the sectors in `mask` of a line. Returns those that hit; afterwards all are cached. */
unsigned sim_l1_load(sim_l1 *l1, uint64_t line, unsigned mask);
/* Returns the sectors in `mask` that are cached, without loading any: for stores. */
unsigned sim_l1_probe(sim_l1 *l1, uint64_t line, unsigned mask);
/* Invalidates the sectors in `mask`: an atomic changed them in L2. */
void sim_l1_drop(sim_l1 *l1, uint64_t line, unsigned mask);
/* The same for an access's lines, one after the other. The first two return the number of sectors that hit; `missing`
 * gets the sectors of each line that missed. */
uint32_t sim_l1_load_lines(sim_l1 *l1, const sim_lines *lines, uint8_t missing[SIM_LANES]);
uint32_t sim_l1_probe_lines(sim_l1 *l1, const sim_lines *lines, uint8_t missing[SIM_LANES]);
void sim_l1_drop_lines(sim_l1 *l1, const sim_lines *lines);
/* Invalidates everything. */
void sim_l1_clear(sim_l1 *l1);

#endif
