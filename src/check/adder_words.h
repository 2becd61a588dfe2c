/* Words of global memory with earlier atomic operations, and the kernels that need them (adders.c). */
#ifndef HAUL_CHECK_ADDER_WORDS_H
#define HAUL_CHECK_ADDER_WORDS_H

#include "state/program.h"

#include <haul/status.h>

typedef struct sim_adder {
    uint32_t cluster, instruction, time, epoch; /* epoch 0: there is none */
    uint32_t lanes;
    uint16_t actor;
} sim_adder;

/* `before`: the last one by another cluster than that of the word's last (sim_kept_adder); by another warp if there is
 * none. */
typedef struct sim_adder_word {
    uint64_t address; /* 0: free */
    sim_adder before;
} sim_adder_word;

typedef struct sim_adders sim_adders;

/* Uses of an atomic operation's result. */
typedef enum sim_result_use {
    SIM_RESULT_DECIDES = 1, /* it decides a branch, or other threads get it: a ticket, say */
    SIM_RESULT_ADDRESSES = 2
} sim_result_use;

/* Returns the uses of the results of atomic operations (sim_result_use), by instruction; the caller frees them. NULL:
 * no ordinary access of the kernel may meet its atomic operations on global memory. */
haul_status sim_adders_find(const sim_program *p, uint8_t **uses);

/* Words that are followed in a slice; further ones are not. */
enum { SIM_MOST_ADDER_WORDS = 1 << 16 };

/* Returns the word. NULL: it is not in the table, and with `adds` the host has run out of memory, which sets `failed`.
 */
sim_adder_word *sim_adder_word_at(sim_adders **adders, uint64_t address, bool adds, bool *failed);
void sim_adders_free(sim_adders *adders);

#endif
