/* Memory of a peer GPU, over NVLink: copies, and signals that announce them.
 *
 * All transfers of haul/device/transfers.h take a peer's addresses, too: loads, stores, bulk copies and additions. They
 * do not order accesses between GPUs; this file does. A signal is a 32-bit number in global memory that only grows. It
 * starts as 0 and lies in the memory of the GPU that waits for it, so that polling costs the link nothing.
 *
 * Names: haul_block_..., haul_warp_... and haul_warps_... say who calls, as in haul/device/transfers.h; all threads of
 * the team call together. The verbs:
 *
 *   signal                     says that all earlier accesses of the team are done: its stores are visible to whoever
 *                              waits for the value, and what it has read may be overwritten
 *   await                      returns when the signal has that value or a later one; what came before it is visible to
 *                              all threads of the team
 *   put                        copies global memory, to or from a peer; 16-byte aligned
 *   put_signal                 put, then signal
 *   send_signal                the same from shared memory, by a bulk copy where there are such
 *   halo_push, halo_await      give both neighbours this GPU's borders; wait for theirs
 *   halo_pull                  takes the neighbours' borders
 *   all_gather                 gives a tile to all GPUs
 *   reduce_scatter             adds up a tile of all GPUs in the order of their ranks, so the bits do not depend on
 * time
 *
 * Scopes and fences. A signal is released, and awaited, at the scope of the system: a narrower one does not reach a
 * peer. The team's barrier and the release of one thread cover what all its threads have stored. Bulk copies are
 * complete before the signal. `haul check` finds what goes wrong by hand (docs/node.md). */
#ifndef HAUL_DEVICE_PEER_H
#define HAUL_DEVICE_PEER_H

#include <haul/device/transfers.h>

typedef unsigned haul_signal;

/* The most GPUs of one node. */
#define HAUL_MOST_PEERS 8

/* ---- one thread ---- */

/* Sets the signal; one GPU only may do so. */
HAUL_DEVICE void haul_signal_set(haul_signal *signal, unsigned value) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(haul_global_address(signal)), "r"(value) : "memory");
}

/* Adds to the signal; several threads or GPUs may. */
HAUL_DEVICE void haul_signal_add(haul_signal *signal, unsigned value) {
    asm volatile("red.release.sys.global.add.u32 [%0], %1;" ::"l"(haul_global_address(signal)), "r"(value) : "memory");
}

HAUL_DEVICE unsigned haul_signal_read(const haul_signal *signal) {
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(haul_global_address(signal)) : "memory");
    return value;
}

/* Values wrap around: they are compared as signed differences. */
HAUL_DEVICE void haul_signal_await(const haul_signal *signal, unsigned value) {
#ifdef HAUL_DEBUG
    for (unsigned spins = 0; (int)(haul_signal_read(signal) - value) < 0; spins++) {
        HAUL_EXPECT(spins < HAUL_DEBUG_SPINS, "signal", value, "waiting",
                    "haul: waited too long: the peer's kernel never gave the signal");
    }
#else
    while ((int)(haul_signal_read(signal) - value) < 0) {
    }
#endif
}

/* ---- a team ---- */

HAUL_DEVICE void haul_team_signal(const haul_team *team, haul_signal *signal, unsigned value) {
    haul_team_sync(team);
    if (team->rank == 0) haul_signal_set(signal, value);
}

HAUL_DEVICE void haul_team_await(const haul_team *team, const haul_signal *signal, unsigned value) {
    if (team->rank == 0) haul_signal_await(signal, value);
    haul_team_sync(team);
}

/* The pieces of 16 bytes that a thread has in flight. */
#define HAUL_PUT_PIECES 8

/* Copies full rounds of the team. Returns the pieces that are left to do by single ones. */
HAUL_DEVICE unsigned long long haul_put_rounds(const haul_team *team, unsigned long long to, unsigned long long from,
                                               unsigned long long pieces) {
    const unsigned long long round = (unsigned long long)team->size * HAUL_PUT_PIECES;
    const unsigned long long stride = 16ull * team->size;
    unsigned long long done = 0, at = 16ull * team->rank;
    uint4 v[HAUL_PUT_PIECES];
    for (; done + round <= pieces; done += round, at += stride * HAUL_PUT_PIECES) {
        HAUL_UNROLL
        for (unsigned k = 0; k < HAUL_PUT_PIECES; k++) haul_load_ca(&v[k], from + at + k * stride, 16);
        HAUL_UNROLL
        for (unsigned k = 0; k < HAUL_PUT_PIECES; k++) haul_store_wb(to + at + k * stride, &v[k], 16);
    }
    return done;
}

/* Both addresses are multiples of 16; the last bytes travel one by one. */
HAUL_DEVICE void haul_team_put(const haul_team *team, void *to, const void *from, unsigned long long bytes) {
    const unsigned long long target = haul_global_address(to), source = haul_global_address(from), pieces = bytes / 16;
    unsigned long long at = haul_put_rounds(team, target, source, pieces) + team->rank;
    uint4 v;
    HAUL_EXPECT((target | source) % 16 == 0, "put", 0, "global memory", "haul: both addresses must be multiples of 16");
    for (; at < pieces; at += team->size) {
        haul_load_ca(&v, source + 16 * at, 16);
        haul_store_wb(target + 16 * at, &v, 16);
    }
    for (at = 16 * pieces + team->rank; at < bytes; at += team->size) {
        haul_load_ca(&v, source + at, 1);
        haul_store_wb(target + at, &v, 1);
    }
}

HAUL_DEVICE void haul_team_put_signal(const haul_team *team, void *to, const void *from, unsigned long long bytes,
                                      haul_signal *signal, unsigned value) {
    haul_team_put(team, to, from, bytes);
    haul_team_signal(team, signal, value);
}

/* From shared memory that the team has written. One thread starts a bulk copy and waits until it is complete; before
 * sm_90 all threads store. Both addresses and `bytes` are multiples of 16. The source may be overwritten when all of
 * the team have returned and met. */
HAUL_DEVICE void haul_team_send_signal(const haul_team *team, void *to, const void *from, unsigned bytes,
                                       haul_signal *signal, unsigned value) {
    const unsigned long long target = haul_global_address(to);
    const unsigned source = haul_shared_address(from);
#if HAUL_HAS_BULK
    haul_proxy_fence();
    haul_team_sync(team);
    if (team->rank == 0) {
        haul_bulk_store(target, source, bytes, 0);
        haul_bulk_commit();
        haul_bulk_wait();
        haul_signal_set(signal, value);
    }
#else
    uint4 v;
    haul_team_sync(team);
    for (unsigned at = 16 * team->rank; at < bytes; at += 16 * team->size) {
        haul_load_shared(&v, source + at, 16);
        haul_store_wb(target + at, &v, 16);
    }
    haul_team_signal(team, signal, value);
#endif
}

/* ---- halos between neighbours ---- */

/* One side of a GPU's part of an array. `border`: its own elements that the neighbour needs; `halo`: room for the
 * neighbour's. The peer_ fields are the neighbour's, for its side that faces this one. */
typedef struct haul_side {
    void *border, *halo, *peer_border, *peer_halo; /* peer_halo 0: there is no neighbour */
    haul_signal *signal, *peer_signal;             /* a side's own signal is set by its neighbour */
} haul_side;

/* Gives the neighbours this GPU's borders as those of step `step`, 1 or more. The neighbours must be done with the halo
 * of the step before: give each step of two a halo of its own, or await theirs first. */
HAUL_DEVICE void haul_team_halo_push(const haul_team *team, const haul_side sides[2], unsigned long long bytes,
                                     unsigned step) {
    for (unsigned k = 0; k < 2; k++)
        if (sides[k].peer_halo) haul_team_put(team, sides[k].peer_halo, sides[k].border, bytes);
    haul_team_sync(team);
    for (unsigned k = 0; k < 2; k++)
        if (sides[k].peer_halo && team->rank == k % team->size) haul_signal_set(sides[k].peer_signal, step);
}

/* Returns when both neighbours' borders of the step are in the halos. */
HAUL_DEVICE void haul_team_halo_await(const haul_team *team, const haul_side sides[2], unsigned step) {
    for (unsigned k = 0; k < 2; k++)
        if (sides[k].peer_halo && team->rank == k % team->size) haul_signal_await(sides[k].signal, step);
    haul_team_sync(team);
}

/* Tells the neighbours that the borders of the step are ready, waits for theirs and copies them into the halos. */
HAUL_DEVICE void haul_team_halo_pull(const haul_team *team, const haul_side sides[2], unsigned long long bytes,
                                     unsigned step) {
    haul_team_sync(team);
    for (unsigned k = 0; k < 2; k++)
        if (sides[k].peer_halo && team->rank == k % team->size) haul_signal_set(sides[k].peer_signal, step);
    haul_team_halo_await(team, sides, step);
    for (unsigned k = 0; k < 2; k++)
        if (sides[k].peer_halo) haul_team_put(team, sides[k].halo, sides[k].peer_border, bytes);
    haul_team_sync(team);
}

/* ---- tiles of all GPUs ---- */

/* The GPUs of a node. Each array has an element for each rank, an address in that GPU's memory. */
typedef struct haul_node {
    unsigned rank, count;
    void *memory[HAUL_MOST_PEERS];
    haul_signal *signals[HAUL_MOST_PEERS]; /* `count` of them in each GPU's memory: element r is set by rank r */
} haul_node;

/* Each GPU starts with another peer, so that all links are busy from the start. */
HAUL_DEVICE unsigned haul_node_peer(const haul_node *node, unsigned k) {
    return (node->rank + 1 + k) % node->count;
}

/* Returns when all other GPUs have signalled the value. */
HAUL_DEVICE void haul_team_node_await(const haul_team *team, const haul_node *node, unsigned value) {
    for (unsigned r = team->rank; r < node->count; r += team->size)
        if (r != node->rank) haul_signal_await(node->signals[node->rank] + r, value);
    haul_team_sync(team);
}

HAUL_DEVICE void haul_team_node_signal(const haul_team *team, const haul_node *node, unsigned value) {
    haul_team_sync(team);
    for (unsigned r = team->rank; r < node->count; r += team->size)
        if (r != node->rank) haul_signal_set(node->signals[r] + node->rank, value);
}

/* Copies the tile to byte `offset` of every GPU's memory, this one's too if it is not there already, and signals
 * `value`. haul_..._node_await() returns when all tiles are in this GPU's memory. */
HAUL_DEVICE void haul_team_all_gather(const haul_team *team, const haul_node *node, const void *tile,
                                      unsigned long long offset, unsigned long long bytes, unsigned value) {
    for (unsigned k = 0; k < node->count; k++) {
        void *to = (unsigned char *)node->memory[haul_node_peer(node, k)] + offset;
        if (to != tile) haul_team_put(team, to, tile, bytes);
    }
    haul_team_node_signal(team, node, value);
}

/* Waits until all GPUs have signalled `value`, that is, have written their parts, and sets to[i] to the sum over all
 * ranks of their floats at byte `offset`. `to` may be this GPU's own part. */
HAUL_DEVICE void haul_team_reduce_scatter(const haul_team *team, const haul_node *node, float *to,
                                          unsigned long long offset, unsigned count, unsigned value) {
    haul_team_node_await(team, node, value);
    for (unsigned i = team->rank; i < count; i += team->size) {
        float part[HAUL_MOST_PEERS], sum = 0;
        HAUL_UNROLL
        for (unsigned r = 0; r < HAUL_MOST_PEERS; r++)
            if (r < node->count) part[r] = ((const float *)((const unsigned char *)node->memory[r] + offset))[i];
        HAUL_UNROLL
        for (unsigned r = 0; r < HAUL_MOST_PEERS; r++)
            if (r < node->count) sum += part[r];
        to[i] = sum;
    }
    haul_team_sync(team);
}

/* ---- by team ---- */

#define HAUL_DEFINE_PEER(kind, parameters, make)                                                                     \
    HAUL_DEVICE void haul_##kind##_signal(parameters haul_signal *signal, unsigned value) {                          \
        const haul_team team = make;                                                                                 \
        haul_team_signal(&team, signal, value);                                                                      \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_await(parameters const haul_signal *signal, unsigned value) {                     \
        const haul_team team = make;                                                                                 \
        haul_team_await(&team, signal, value);                                                                       \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_put(parameters void *to, const void *from, unsigned long long bytes) {            \
        const haul_team team = make;                                                                                 \
        haul_team_put(&team, to, from, bytes);                                                                       \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_put_signal(parameters void *to, const void *from, unsigned long long bytes,       \
                                              haul_signal *signal, unsigned value) {                                 \
        const haul_team team = make;                                                                                 \
        haul_team_put_signal(&team, to, from, bytes, signal, value);                                                 \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_send_signal(parameters void *to, const void *from, unsigned bytes,                \
                                               haul_signal *signal, unsigned value) {                                \
        const haul_team team = make;                                                                                 \
        haul_team_send_signal(&team, to, from, bytes, signal, value);                                                \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_halo_push(parameters const haul_side sides[2], unsigned long long bytes,          \
                                             unsigned step) {                                                        \
        const haul_team team = make;                                                                                 \
        haul_team_halo_push(&team, sides, bytes, step);                                                              \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_halo_await(parameters const haul_side sides[2], unsigned step) {                  \
        const haul_team team = make;                                                                                 \
        haul_team_halo_await(&team, sides, step);                                                                    \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_halo_pull(parameters const haul_side sides[2], unsigned long long bytes,          \
                                             unsigned step) {                                                        \
        const haul_team team = make;                                                                                 \
        haul_team_halo_pull(&team, sides, bytes, step);                                                              \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_node_signal(parameters const haul_node *node, unsigned value) {                   \
        const haul_team team = make;                                                                                 \
        haul_team_node_signal(&team, node, value);                                                                   \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_node_await(parameters const haul_node *node, unsigned value) {                    \
        const haul_team team = make;                                                                                 \
        haul_team_node_await(&team, node, value);                                                                    \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_all_gather(parameters const haul_node *node, const void *tile,                    \
                                              unsigned long long offset, unsigned long long bytes, unsigned value) { \
        const haul_team team = make;                                                                                 \
        haul_team_all_gather(&team, node, tile, offset, bytes, value);                                               \
    }                                                                                                                \
    HAUL_DEVICE void haul_##kind##_reduce_scatter(parameters const haul_node *node, float *to,                       \
                                                  unsigned long long offset, unsigned count, unsigned value) {       \
        const haul_team team = make;                                                                                 \
        haul_team_reduce_scatter(&team, node, to, offset, count, value);                                             \
    }
#define HAUL_NO_PARAMETER
#define HAUL_PARAMETER_TEAM haul_team of,
HAUL_DEFINE_PEER(block, HAUL_NO_PARAMETER, haul_this_block(0))
HAUL_DEFINE_PEER(warp, HAUL_NO_PARAMETER, haul_this_warp())
HAUL_DEFINE_PEER(warps, HAUL_PARAMETER_TEAM, of)
#undef HAUL_DEFINE_PEER
#undef HAUL_NO_PARAMETER
#undef HAUL_PARAMETER_TEAM

#endif
