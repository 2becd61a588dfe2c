/* Sentences of findings that a report compares. */
#ifndef HAUL_CHECK_SENTENCES_H
#define HAUL_CHECK_SENTENCES_H

/* Begins the sentence of a race between two lanes of a warp that lack an order as two warps do. */
#define SIM_UNORDERED_LANES "lanes %u and %u of one warp: nothing orders them"

#endif
