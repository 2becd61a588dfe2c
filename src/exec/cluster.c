/* Clusters: addresses of other blocks' shared memory, and the cluster's barrier (barrier.cluster).
 *
 * A block's place in memory follows from its rank: the blocks of a cluster are neighbours in the SM's array. A block
 * that has ended keeps its shared memory until the whole cluster has ended. Loads from it and atomic operations are
 * faults all the same, and writes without a result are lost, as on an H200.
 *
 * The barrier opens when all live lanes of all blocks have arrived. Arrival and wait are two instructions, so lanes
 * note that they have arrived (at_cluster); the wait asks whether that note is still there. */
#include "exec/cluster.h"

#include "check/hazard.h"
#include "exec/fault.h"
#include "exec/paths.h"

/* ---- addresses ---- */

#define WITHIN ((1u << SIM_CLUSTER_SHIFT) - 1)
#define NO_RANK (UINT32_MAX >> SIM_CLUSTER_SHIFT) /* all bits: higher than any block's */

uint32_t sim_cluster_map(uint32_t address, uint32_t rank) {
    return (address & WITHIN) | (rank < NO_RANK ? rank + 1 : NO_RANK) << SIM_CLUSTER_SHIFT;
}

uint32_t sim_cluster_rank(const sim_block *b, uint32_t address) {
    const uint32_t named = address >> SIM_CLUSTER_SHIFT;
    return named ? named - 1 : b->rank;
}

sim_block *sim_cluster_block(sim_block *b, uint32_t *address) {
    const uint32_t rank = sim_cluster_rank(b, *address);
    if (rank >= b->sm->grid->cluster_blocks) return NULL;
    sim_block *owner = &b->cluster[rank];
    *address &= WITHIN;
    return owner == b || owner->live_warps ? owner : NULL;
}

sim_step sim_cluster_fault(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address) {
    const uint32_t rank = sim_cluster_rank(w->block, address);
    if (rank < w->sm->grid->cluster_blocks)
        return sim_fault(w, op, HAUL_FINDING_USE_AFTER_FREE, lanes,
                         "shared address 0x%x: block %u of the cluster has ended", address, rank);
    return sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, lanes,
                     "access outside the shared memory of the block and its cluster: 0x%x", address);
}

uint32_t sim_cluster_lose(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES]) {
    uint32_t lost = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint32_t rank = sim_cluster_rank(w->block, address[lane]);
        if (rank >= w->sm->grid->cluster_blocks) continue;
        const sim_block *owner = &w->block->cluster[rank];
        if (owner == w->block || owner->live_warps) continue;
        lost |= 1u << lane;
        if (w->sm->hazards) sim_hazard_lost(w, op, 1u << lane, owner);
    }
    return active & ~lost;
}

uint32_t sim_cluster_split(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                           uint32_t local[SIM_LANES], sim_block **owner) {
    const unsigned first = (unsigned)__builtin_ctz(active);
    const uint32_t rank = sim_cluster_rank(w->block, address[first]);
    uint32_t within = address[first], lanes = 0;
    *owner = sim_cluster_block(w->block, &within);
    if (!*owner) {
        sim_cluster_fault(w, op, 1u << first, address[first]);
        return 0;
    }
    for (unsigned l = 0; l < SIM_LANES; l++) {
        lanes |= (uint32_t)(sim_cluster_rank(w->block, address[l]) == rank) << l;
        local[l] = address[l] & WITHIN;
    }
    return lanes & active;
}

/* ---- the time of accesses ---- */

/* A request to another SM of the cluster goes there in packets, one for each sector; lanes of an atomic that meet at a
 * word need one each. Cycles of a packet, measured on an H200 with 8 and 32 warps an SM: loads of rows and of strewn
 * words take 2.6, stores 1.6 to 3.3, atomics 3.1 to 3.4 with up to four lanes. Atomics on sectors that have just been
 * changed take 5.2 to 7.2. */
static const double PACKET_CYCLES[] = {[SIM_CLUSTER_LOAD] = 2.6, [SIM_CLUSTER_STORE] = 2, [SIM_CLUSTER_ATOMIC] = 3.4};
static const double AGAIN_CYCLES = 6;

enum { SECTOR = 32 };

/* Lanes with the same sector and turn share a packet. turn: of an atomic, the number of earlier lanes with that word.
 */
typedef struct packet {
    uint32_t sector, turn;
} packet;

static packet packet_of(uint32_t lanes, const uint32_t local[SIM_LANES], unsigned lane, bool atomic) {
    packet p = {.sector = local[lane] / SECTOR};
    for (uint32_t left = lanes & ((1u << lane) - 1); left && atomic; left &= left - 1)
        p.turn += local[__builtin_ctz(left)] == local[lane];
    return p;
}

static bool is_known(const packet *packets, unsigned count, packet p) {
    for (unsigned k = 0; k < count; k++)
        if (packets[k].sector == p.sector && packets[k].turn == p.turn) return true;
    return false;
}

static bool was_just_updated(sim_block *owner, uint32_t sector) {
    bool found = false;
    for (unsigned k = 0; k < SIM_UPDATED; k++) found |= owner->updated[k] == sector + 1;
    owner->updated[owner->update_count++ % SIM_UPDATED] = sector + 1;
    return found;
}

void sim_cluster_note_access(sim_warp *w, uint32_t lanes, const uint32_t local[SIM_LANES], sim_block *owner,
                             sim_cluster_access kind) {
    packet packets[SIM_LANES];
    unsigned count = 0;
    if (owner == w->block) return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const packet p = packet_of(lanes, local, (unsigned)__builtin_ctz(left), kind == SIM_CLUSTER_ATOMIC);
        if (is_known(packets, count, p)) continue;
        packets[count++] = p;
        const bool again = kind == SIM_CLUSTER_ATOMIC && was_just_updated(owner, p.sector);
        w->sm->waits.cluster_cycles += again ? AGAIN_CYCLES : PACKET_CYCLES[kind];
    }
}

/* ---- the barrier ---- */

/* Blocks without a live warp are not waited for. */
static bool all_have_arrived(const sim_block *cluster) {
    for (uint32_t r = 0; r < cluster->sm->grid->cluster_blocks; r++)
        for (uint32_t i = 0; cluster[r].live_warps && i < cluster[r].warp_count; i++) {
            const sim_warp *w = &cluster[r].warps[i];
            if ((w->at_cluster & w->live) != w->live) return false;
        }
    return true;
}

/* Lets the warp's waiting paths go on, as one where they are at one place. */
static void open_for(sim_warp *w) {
    w->at_cluster = 0;
    sim_warp_wake_all(w, SIM_PATH_AT_CLUSTER);
    sim_warp_merge(w);
}

/* Forgets the arrivals of all blocks and wakes their warps. */
static void open_barrier(sim_block *cluster) {
    cluster->sm->progress++;
    cluster->cluster_arrivals = 0;
    if (cluster->sm->hazards) sim_hazard_cluster_open(cluster);
    for (uint32_t r = 0; r < cluster->sm->grid->cluster_blocks; r++)
        for (uint32_t i = 0; cluster[r].live_warps && i < cluster[r].warp_count; i++) open_for(&cluster[r].warps[i]);
}

void sim_cluster_arrive(sim_warp *w, const sim_op *op, uint32_t lanes) {
    sim_block *cluster = w->block->cluster;
    w->at_cluster |= lanes;
    w->sm->changes++;
    cluster->cluster_arrivals++;
    if (w->sm->hazards) sim_hazard_cluster_arrive(w, op, lanes);
    if (all_have_arrived(cluster)) open_barrier(cluster);
}

bool sim_cluster_waits(const sim_warp *w, uint32_t lanes) {
    return (w->at_cluster & lanes) != 0;
}

/* Without an arrival since the barrier opened last, nobody waits for the lanes. */
void sim_cluster_lanes_ended(sim_warp *w) {
    sim_block *cluster = w->block->cluster;
    if (cluster->cluster_arrivals && all_have_arrived(cluster)) open_barrier(cluster);
}
