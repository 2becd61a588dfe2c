/* Waits for mbarriers whose success only some branches depend on. CUTLASS tries the next stage's mbarrier early, and
 * waits for it later unless that has succeeded; behind the last stage nobody asks. What such a wait tells the thread is
 * known only where the program cannot get without its success. Such places are found once per kernel. At run time the
 * news is kept back until an instruction there needs it. */
#ifndef HAUL_CHECK_PEEKS_H
#define HAUL_CHECK_PEEKS_H

#include "state/block.h"

/* A kernel's waits of that kind; further ones count as no waits. */
enum { SIM_PEEKS = 8 };
typedef struct sim_peeks {
    uint32_t count, waits[SIM_PEEKS]; /* instructions */
    uint8_t behind[];                 /* by block: a bit for each wait that has succeeded if the program gets there */
} sim_peeks;

/* A successful wait of an actor's lanes that is kept back. */
typedef struct sim_peek {
    const sim_op *op;
    uint32_t lanes, address;
} sim_peek;

#endif
