/* A warp while it runs: its registers, the paths of its lanes, and the joins where they reconverge.
 *
 * Lanes that diverge become paths, each with a mask and a pc. A join is the operation (the branch's immediate
 * post-dominator) where its lanes wait for each other; paths that reach it are merged. Lanes that spin on others of
 * their own warp make progress (independent thread scheduling). Paths take turns when they loop. When a loop only reads
 * the same values again and again, lanes that wait at joins continue without the others. */
#ifndef HAUL_STATE_WARP_H
#define HAUL_STATE_WARP_H

#include "state/op.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sim_block sim_block;
typedef struct sim_sm sim_sm;
typedef struct sim_follower sim_follower;

typedef enum sim_path_state {
    SIM_PATH_FREE,
    SIM_PATH_READY,
    SIM_PATH_AT_WARP_SYNC,     /* waits at a warp-collective instruction for the lanes in `members` */
    SIM_PATH_AT_BARRIER,       /* waits at block barrier `barrier` */
    SIM_PATH_AT_MBARRIER,      /* waits in mbarrier.try_wait for a phase to complete */
    SIM_PATH_AT_CLUSTER,       /* waits at the cluster's barrier */
    SIM_PATH_AT_TENSOR_MEMORY, /* waits for columns of tensor memory */
    SIM_PATH_AT_PRODUCT,       /* waits for other warps of its warpgroup to issue their part of a product */
    SIM_PATH_AT_ORDER,         /* its next operation touches other blocks' data: waits for the serial phase */
} sim_path_state;

enum { SIM_NO_JOIN = 0xffff };

typedef struct sim_path {
    uint32_t pc, mask;
    uint32_t members; /* AT_WARP_SYNC: the lanes that the instruction names */
    uint16_t join;
    uint8_t state; /* sim_path_state */
    uint8_t barrier;
    uint8_t resumes; /* the barrier it waited at has opened: the operation at pc completes */
    uint16_t depth;  /* call depth of its lanes */
    uint64_t seen;   /* hash of the values that its last round read */
    uint32_t read;   /* the last instruction that read one of them */
} sim_path;

typedef struct sim_join {
    uint32_t pc;
    uint32_t expected, arrived;
    uint16_t parent;
    uint16_t used; /* 0: free; else 1 + the call depth of its paths */
} sim_join;

/* A path's count of rounds when its lanes split at a branch. If all of them meet again before any branches backward,
 * the split was within a round, and the count goes on. */
typedef struct sim_split {
    uint16_t join; /* where they meet; SIM_NO_JOIN: nothing is kept */
    uint32_t mask;
    uint32_t rounds, unchanged; /* as in sim_warp */
    uint64_t seen;              /* as in sim_path */
} sim_split;

/* At most 32 paths can exist; joins nest no deeper than lanes can split. */
enum { SIM_MAX_PATHS = 32, SIM_MAX_JOINS = 64 };

struct sim_warp {
    unsigned char *regs;
    const sim_op *ops;
    uint32_t active;               /* lanes of the running path, = path->mask */
    uint32_t pc;                   /* control handlers: the next operation */
    struct sim_compiled *compiled; /* the program's; NULL: everything is interpreted */
    uint8_t first_form;            /* sim_code_form for whole warps; the one for partial warps follows */
    bool tainted;                  /* checks on: some register holds an uninitialised value (check/taint.c) */
    sim_path *path;                /* the running one */
    sim_block *block;
    sim_sm *sm;
    uint32_t index;      /* in its block */
    uint32_t live;       /* lanes that have not exited */
    uint32_t initial;    /* lanes that exist: fewer than 32 in a block's last warp */
    uint32_t waited;     /* lanes that have executed griddepcontrol.wait */
    uint32_t at_joins;   /* lanes that wait at joins */
    uint32_t at_cluster; /* lanes that reached the cluster's barrier since it opened last */
    uint32_t turns;      /* backward branches since paths last took turns */
    uint32_t rounds;     /* backward branches since lanes last reached or left a join */
    uint32_t unchanged;  /* rounds that read the same values as the round before */
    bool polls;          /* the last round was such a round, and nothing else has happened since */
    bool in_vain;        /* it last stopped because it polled in vain */
    uint64_t executed;   /* operations since the warp began, but those that polled in vain */
    uint64_t seen;       /* hash of what this round has read so far (sim_warp_observe()) */
    sim_split split;     /* the first split since a backward branch */
    uint32_t used_paths; /* bit k: path k is not FREE */
    uint32_t ready_paths;
    uint64_t used_joins;
    sim_path paths[SIM_MAX_PATHS];
    sim_join joins[SIM_MAX_JOINS];
    struct sim_call_stack *calls; /* see exec/call.h; NULL: not made yet */
};

/* The index of `op` in the program's operations; not for copies of operations. */
static inline uint32_t sim_pc(const sim_warp *w, const sim_op *op) {
    return (uint32_t)(op - w->ops);
}

/* A register's lanes. */
#define SIM_SLOT(w, type, slot) ((type *)(void *)((w)->regs + (slot)))
#define SIM_PREDICATE(w, slot) (*SIM_SLOT(w, uint32_t, slot))

/* Returns whether lanes of the path reconverge with others at operation `pc`: those they diverged from last or, if that
 * was in a loop that they have left, earlier. Under recursion, a place in another call does not count. */
static inline bool sim_warp_reconverges_at(const sim_warp *w, const sim_path *p, uint32_t pc) {
    for (uint16_t k = p->join; k != SIM_NO_JOIN && w->joins[k].used == p->depth + 1; k = w->joins[k].parent)
        if (w->joins[k].pc == pc) return true;
    return false;
}

/* A bit for each path that waits. */
static inline uint32_t sim_warp_parked(const sim_warp *w) {
    return w->used_paths & ~w->ready_paths;
}

/* The lanes among `lanes` that name the same members as the first of them. */
static inline uint32_t sim_warp_same_members(const uint32_t members[SIM_LANES], uint32_t lanes) {
    const uint32_t first = members[__builtin_ctz(lanes)];
    uint32_t same = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(members[l] == first) << l;
    return same & lanes;
}

#endif
