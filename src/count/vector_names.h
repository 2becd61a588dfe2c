/* Names of the functions of counting in this compilation's variant: see vectors.h. */
#ifndef HAUL_COUNT_VECTOR_NAMES_H
#define HAUL_COUNT_VECTOR_NAMES_H

#include "base/variant.h"
#include "count/vectors.h"

#define SIM_BANK_PASS SIM_PASTE(sim_bank_pass, SIM_VARIANT)
#define SIM_COALESCE SIM_PASTE(sim_coalesce, SIM_VARIANT)
#define SIM_TAG_WAVEFRONTS SIM_PASTE(sim_tag_wavefronts, SIM_VARIANT)
#define SIM_FIND_LOG_PLACES SIM_PASTE(sim_find_log_places, SIM_VARIANT)
#define SIM_L2_PLAY SIM_PASTE(sim_l2_play, SIM_VARIANT)

sim_bank_pass_fn SIM_BANK_PASS;
void SIM_COALESCE(const uint64_t address[SIM_LANES], uint32_t active, sim_lines *lines);
uint32_t SIM_TAG_WAVEFRONTS(const sim_lines *lines);
void SIM_FIND_LOG_PLACES(const sim_lines *lines, sim_log_places *places);
void SIM_L2_PLAY(struct sim_l2 *l2, unsigned slice, sim_log *const *logs, size_t count);

#endif
