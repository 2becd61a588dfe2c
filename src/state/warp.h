/* A warp while it runs: its registers, the paths its lanes take, and where they meet again.
 *
 * Lanes that diverge become paths with a mask and a pc each. A join says at which operation (the branch's immediate
 * post-dominator) its lanes wait for each other; paths that reach it are merged. Lanes which spin on others of their
 * own warp get an end (independent thread scheduling): paths take turns when they loop, and when a loop does nothing
 * but look at the same values again and again, lanes that wait at joins go on without the others.
 */
#ifndef HAUL_STATE_WARP_H
#define HAUL_STATE_WARP_H

#include "state/op.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sim_block sim_block;
typedef struct sim_sm sim_sm;

typedef enum sim_path_state {
    SIM_PATH_FREE,
    SIM_PATH_READY,
    SIM_PATH_AT_WARP_SYNC,     /* waits at a warp-collective instruction for the lanes in `members` */
    SIM_PATH_AT_BARRIER,       /* waits at block barrier `barrier` */
    SIM_PATH_AT_MBARRIER,      /* waits in mbarrier.try_wait for a phase to complete */
    SIM_PATH_AT_CLUSTER,       /* waits at the cluster's barrier */
    SIM_PATH_AT_TENSOR_MEMORY, /* waits for columns of tensor memory */
    SIM_PATH_AT_ORDER,         /* its next operation touches other blocks' data: waits for the serial phase */
} sim_path_state;

enum { SIM_NO_JOIN = 0xffff };

typedef struct sim_path {
    uint32_t pc, mask;
    uint32_t members; /* AT_WARP_SYNC: the lanes that the instruction names */
    uint16_t join;
    uint8_t state; /* sim_path_state */
    uint8_t barrier;
    uint8_t resumes; /* the barrier it stopped at has opened: the operation at pc completes */
    uint16_t depth;  /* calls that its lanes are in */
    uint64_t seen;   /* hash of what its last round saw */
} sim_path;

typedef struct sim_join {
    uint32_t pc;
    uint32_t expected, arrived;
    uint16_t parent;
    uint16_t used; /* 0: free; else the depth of the paths that meet, + 1 */
} sim_join;

/* At most 32 paths can exist; joins nest no deeper than lanes can split. */
enum { SIM_MAX_PATHS = 32, SIM_MAX_JOINS = 64 };

struct sim_warp {
    unsigned char *regs;
    const sim_op *ops;
    uint32_t active;               /* lanes of the running path, = path->mask */
    uint32_t pc;                   /* control handlers: the operation to go on with */
    struct sim_compiled *compiled; /* the program's; NULL: all is interpreted */
    uint8_t first_form;            /* sim_code_form of whole warps; that of parts follows */
    bool tainted;                  /* checks on: some register holds an uninitialised value (check/taint.c) */
    sim_path *path;                /* the running one */
    sim_block *block;
    sim_sm *sm;
    uint32_t index;      /* in its block */
    uint32_t live;       /* lanes that have not exited */
    uint32_t initial;    /* lanes that exist: fewer than 32 in a block's last warp */
    uint32_t at_joins;   /* lanes that wait at joins */
    uint32_t at_cluster; /* lanes that have come to the cluster's barrier since it opened last */
    uint32_t turns;      /* backward branches since paths last took turns */
    uint32_t rounds;     /* backward branches since lanes last came to a join, or left one */
    uint32_t unchanged;  /* rounds that have seen the same values as the one before */
    bool polls;          /* the last round was one of them, and it has not gone on since */
    bool in_vain;        /* it stopped last because of those */
    uint64_t seen;       /* hash of what this round has seen so far (sim_warp_observe()) */
    uint32_t used_paths; /* a bit for each that is not FREE */
    uint32_t ready_paths;
    uint64_t used_joins;
    sim_path paths[SIM_MAX_PATHS];
    sim_join joins[SIM_MAX_JOINS];
    struct sim_call_stack *calls; /* see exec/call.h; NULL: none was made yet */
};

/* Where `op` is among the program's operations; not for a copy of one. */
static inline uint32_t sim_pc(const sim_warp *w, const sim_op *op) {
    return (uint32_t)(op - w->ops);
}

/* The lanes of a register. */
#define SIM_SLOT(w, type, slot) ((type *)(void *)((w)->regs + (slot)))
#define SIM_PREDICATE(w, slot) (*SIM_SLOT(w, uint32_t, slot))

/* Whether lanes of the path meet others at operation `pc`: those that they parted from last, or earlier if that was in
 * a loop that they have left. With recursion, the same place in another call is another place. */
static inline bool sim_warp_meets_at(const sim_warp *w, const sim_path *p, uint32_t pc) {
    for (uint16_t k = p->join; k != SIM_NO_JOIN && w->joins[k].used == p->depth + 1; k = w->joins[k].parent)
        if (w->joins[k].pc == pc) return true;
    return false;
}

/* A bit for each path that waits for something. */
static inline uint32_t sim_warp_parked(const sim_warp *w) {
    return w->used_paths & ~w->ready_paths;
}

/* Those of `lanes` that name the same members as the first of them. */
static inline uint32_t sim_warp_same_members(const uint32_t members[SIM_LANES], uint32_t lanes) {
    const uint32_t first = members[__builtin_ctz(lanes)];
    uint32_t same = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(members[l] == first) << l;
    return same & lanes;
}

#endif
