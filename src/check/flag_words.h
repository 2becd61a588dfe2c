/* The last values of words that threads synchronise by: who wrote each, and what a thread that reads it hears
 * (flag.c). A wait whose condition also holds for earlier values might have ended with them. Kept only for kernels that
 * have such waits. */
#ifndef HAUL_CHECK_FLAG_WORDS_H
#define HAUL_CHECK_FLAG_WORDS_H

#include "check/internal.h"

typedef struct sim_flag_words sim_flag_words;

/* Strong loads are about to read, or have been recorded as writes from `time` on. */
void sim_flag_words_read(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]);
void sim_flag_words_written(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                            uint32_t time, uint32_t age);
/* `heard` and `seen` are what the last value tells the lane. If its wait might have ended with an earlier value, sets
 * them to what that tells. */
void sim_flag_words_early(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, sim_heard *heard,
                          sim_floor *seen);
/* Returns the word that is at the address now. */
uint32_t sim_flag_value(const sim_warp *w, uint64_t address);

typedef enum sim_flag_match { SIM_FLAG_UNKNOWN, SIM_FLAG_SAME, SIM_FLAG_OTHER } sim_flag_match;

/* Compares what is at the address now with the value that the lane's compare and swap expects, or its exchange stores.
 * Unknown unless that value has 4 or 8 bytes and is a register or a number. */
sim_flag_match sim_flag_compare(const sim_warp *w, const sim_op *op, unsigned lane, uint64_t address);
/* The cluster starts again: its shared memory has no history. */
void sim_flag_words_clear(sim_flag_words *words);

/* flag.c. What a thread of the block hears that reads the word now. */
void sim_flag_hears(const sim_warp *w, uint64_t address, sim_heard *heard, sim_floor *seen);

#endif
