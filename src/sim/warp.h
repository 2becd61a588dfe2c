/* A warp while it runs: its registers, the paths its lanes take, and where they meet again.
 *
 * Lanes that diverge become paths with a mask and a pc each. A join says at which operation (the branch's immediate
 * post-dominator) its lanes wait for each other; paths that reach it are merged. Paths take turns when they loop, so
 * that lanes which spin on others of their own warp get an end (independent thread scheduling).
 */
#ifndef HAUL_SIM_WARP_H
#define HAUL_SIM_WARP_H

#include "sim/op.h"

#include <stddef.h>

typedef struct sim_block sim_block;
typedef struct sim_sm sim_sm;

typedef enum sim_path_state {
    SIM_PATH_FREE,
    SIM_PATH_READY,
    SIM_PATH_AT_WARP_SYNC, /* waits at a warp-collective instruction for the lanes in `members` */
    SIM_PATH_AT_BARRIER,   /* waits at block barrier `barrier` */
    SIM_PATH_AT_MBARRIER,  /* waits in mbarrier.try_wait for a phase to complete */
    SIM_PATH_AT_ORDER,     /* its next operation touches other blocks' data: waits for the serial phase */
} sim_path_state;

enum { SIM_NO_JOIN = 0xffff };

typedef struct sim_path {
    uint32_t pc, mask;
    uint32_t members;
    uint16_t join;
    uint8_t state; /* sim_path_state */
    uint8_t barrier;
    uint8_t resumes; /* the barrier it stopped at has opened: the operation at pc completes */
} sim_path;

typedef struct sim_join {
    uint32_t pc;
    uint32_t expected, arrived;
    uint16_t parent;
    uint16_t used;
} sim_join;

/* At most 32 paths can exist; joins nest no deeper than lanes can split. */
enum { SIM_MAX_PATHS = 32, SIM_MAX_JOINS = 64 };

struct sim_warp {
    unsigned char *regs;
    const sim_op *ops;
    uint32_t active; /* lanes of the running path, = path->mask */
    uint32_t pc;     /* control handlers: the operation to go on with */
    sim_path *path;  /* the running one */
    sim_block *block;
    sim_sm *sm;
    uint32_t index;      /* in its block */
    uint32_t live;       /* lanes that have not exited */
    uint32_t initial;    /* lanes that exist: fewer than 32 in a block's last warp */
    uint32_t turns;      /* backward branches since paths last took turns */
    uint16_t path_count; /* not FREE */
    uint16_t ready_count;
    sim_path paths[SIM_MAX_PATHS];
    sim_join joins[SIM_MAX_JOINS];
};

static inline uint32_t sim_pc(const sim_warp *w, const sim_op *op) {
    return (uint32_t)(op - w->ops);
}

/* The lanes of a register. */
#define SIM_SLOT(w, type, slot) ((type *)(void *)((w)->regs + (slot)))
#define SIM_PREDICATE(w, slot) (*SIM_SLOT(w, uint32_t, slot))

/* Starts the warp at operation 0 with the lanes of `mask`. Registers are the caller's. */
void sim_warp_start(sim_warp *w, uint32_t mask);

/* Splits the running path: lanes in `taken` go to `target`, the others to `next`; they meet at `join` (an operation
 * index, or PTX_NO_BLOCK for never). Sets w->pc. */
sim_step sim_warp_diverge(sim_warp *w, uint32_t taken, uint32_t target, uint32_t next, uint32_t join);

/* The running path has come to operation `pc`, which is somebody's join: merges with those that are there, or makes
 * another path run. SIM_NEXT: go on (w->active may have grown). SIM_JUMP: another path runs at w->pc. SIM_STOP: none
 * can. */
sim_step sim_warp_arrive(sim_warp *w, uint32_t pc);

/* The lanes in `lanes` of the running path end. */
sim_step sim_warp_exit(sim_warp *w, uint32_t lanes);

/* Stops the running path at operation `pc` in the given state and makes another path run, if one can. */
sim_step sim_warp_park(sim_warp *w, uint32_t pc, sim_path_state state);

/* A parked path of this warp may run again. */
void sim_warp_wake(sim_warp *w, sim_path *path);

/* Called on a backward branch to operation `pc`: now and then lets another ready path run (SIM_JUMP). */
sim_step sim_warp_turn(sim_warp *w, uint32_t pc);

/* Makes the next ready path run; SIM_STOP when none is. */
sim_step sim_warp_switch(sim_warp *w);

/* A warp-collective instruction at operation `pc` needs all live lanes of `members`.
 * Returns the lanes to execute it for (those of all paths that have come to it), and moves the other paths behind it;
 * or 0 when some are missing: the path is parked and *step says how to go on. */
uint32_t sim_warp_gather(sim_warp *w, uint32_t pc, uint32_t active, uint32_t members, sim_step *step);

#endif
