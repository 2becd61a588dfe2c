/* The values with which polling loops end. A loop that loads a word, compares it with a constant or with a register
 * that the loop does not change, perhaps behind a mask, and goes back is a wait with a condition. From it follows which
 * earlier values of the word would have ended the loop too (flag_words.c). */
#ifndef HAUL_CHECK_WAIT_CONDITION_H
#define HAUL_CHECK_WAIT_CONDITION_H

#include "check/loops.h"
#include "state/block.h"
#include "state/program.h"

/* By instruction, of strong loads. */
typedef struct sim_wait_condition {
    uint32_t test;        /* index + 1 of the comparison; 0: there is none */
    uint32_t masks;       /* index + 1 of what takes bits of the loaded value for the comparison; 0: nothing does */
    uint8_t part, bytes;  /* which of the loaded elements it compares, and the size of each */
    bool is_first;        /* as the comparison's first operand */
    bool is_masked_first; /* the loaded value is the mask's first operand */
    bool ends;            /* the loop ends if the comparison has this result */
    bool is_all;          /* nothing else depends on what is loaded */
    bool is_only;         /* the loop ends by no other word */
    bool takes;           /* the kernel also stores to that word */
} sim_wait_condition;

typedef struct sim_wait_conditions {
    bool in_shared, in_global; /* where the loops' words may be */
    sim_wait_condition of[];   /* by instruction */
} sim_wait_conditions;

/* The caller frees the table; it is NULL if the kernel has no such loops. */
haul_status sim_wait_conditions_find(const sim_loops *loops, sim_wait_conditions **out);
/* True if the lane's loop would end with that value. */
bool sim_wait_ends(const sim_warp *w, const sim_wait_condition *c, unsigned lane, uint64_t value);

/* Returns a lane's value of an operand, a number or a register of 32 or 64 bits. A number keeps all of its 64. */
uint64_t sim_integer_in(const sim_warp *w, const ptx_operand *o, unsigned bits, unsigned lane);
/* Returns what setp returns for integers; `relation`: its modifier. */
bool sim_compares(unsigned relation, bool is_signed, int64_t a, int64_t b);
/* Returns what shr returns; `value` has all 64 bits as its type extends it. */
uint64_t sim_shifted_right(unsigned type, uint64_t value, uint32_t by);

#endif
