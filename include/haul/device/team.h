/* Teams: the threads that carry out a transfer together. */
#ifndef HAUL_DEVICE_TEAM_H
#define HAUL_DEVICE_TEAM_H

#include <haul/device/barrier.h>

typedef struct haul_team {
    haul_team_kind kind;
    unsigned rank, size; /* this thread's number, and the number of threads */
    unsigned barrier;    /* WARPS: the team's named barrier */
} haul_team;

HAUL_DEVICE haul_team haul_this_thread(void) {
    haul_team team = {HAUL_TEAM_THREAD, 0, 1, 0};
    return team;
}

HAUL_DEVICE haul_team haul_this_warp(void) {
    haul_team team = {HAUL_TEAM_WARP, haul_lane(), 32, 0};
    return team;
}

/* The whole block as a team of `threads`; 0 queries the hardware. */
HAUL_DEVICE haul_team haul_this_block(unsigned threads) {
    haul_team team = {HAUL_TEAM_BLOCK, haul_thread_rank(), threads ? threads : haul_block_threads(), 0};
    HAUL_EXPECT(team.size == haul_block_threads(), "transfer", 0, "block",
                "haul: the block has another number of threads than the descriptor says");
    return team;
}

/* Warps first_warp, first_warp + 1, ... of the block, `threads` threads in all; only these may call it. They use named
 * barrier `barrier`, 1 to 15, exclusively; a single warp needs none. */
HAUL_DEVICE haul_team haul_these_warps(unsigned first_warp, unsigned threads, unsigned barrier) {
    haul_team team = {HAUL_TEAM_WARPS, haul_thread_rank() - 32 * first_warp, threads, barrier};
    HAUL_EXPECT(team.rank < threads, "team", first_warp, "DMA warp",
                "haul: a thread outside the team called a function of the team");
    return team;
}

/* Blocks until the whole team has arrived; orders its accesses to memory. */
HAUL_DEVICE void haul_team_sync(const haul_team *team) {
    if (team->kind == HAUL_TEAM_BLOCK)
        __syncthreads();
    else if (team->kind == HAUL_TEAM_WARPS && team->size > 32)
        haul_named_sync(team->barrier, team->size);
    else if (team->kind != HAUL_TEAM_THREAD)
        __syncwarp();
}

#endif
