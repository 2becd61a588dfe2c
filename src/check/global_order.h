/* Order between clusters: a thread that has read a flag comes after the accesses that the flag passes on. */
#ifndef HAUL_CHECK_GLOBAL_ORDER_H
#define HAUL_CHECK_GLOBAL_ORDER_H

#include "check/global_shadow.h"

/* Returns the last release of which the thread knows, of those that publish the cluster's accesses of this kind. 0: it
 * knows of none. */
static inline uint32_t sim_order_floor(const sim_logged *e, uint32_t cluster, unsigned action) {
    const sim_floor *floor = &e->floor;
    const bool is_read = action == HAUL_ACTION_READ;
    if (!((is_read ? floor->reads_from : floor->all_from) & sim_source_bit(cluster))) return 0;
    return is_read ? floor->reads : floor->all;
}
/* Returns the lanes of another cluster's actor whose accesses of this kind up to that time are published up to there.
 */
uint32_t sim_order_lanes(const sim_watch *watch, const sim_logged *e, uint32_t cluster, uint32_t actor, uint32_t time,
                         unsigned action);
/* Returns the lanes of another cluster's actor whose strong write of the word at the address, at that time, the thread
 * has seen when it waited for that word. What it does then comes after the write without any fence. */
uint32_t sim_order_seen_lanes(const sim_watch *watch, const sim_logged *e, uint64_t address, const sim_touch *t);
/* True if the thread has waited for a flag, and now loads data that the flag's thread stored before. If both data and
 * flag are volatile, the two accesses do not race, but without fences the data may be old. */
bool sim_order_was_told(const sim_watch *watch, const sim_logged *e, const sim_touch *t);
/* Another cluster's thread has written, and then an atomic or volatile word that this access's thread has read since:
 * the order lacks a fence of either. UNKNOWN: there was no such word. */
typedef enum sim_missing_fence { SIM_FENCE_UNKNOWN, SIM_FENCE_OF_WRITER, SIM_FENCE_OF_READER } sim_missing_fence;
sim_missing_fence sim_order_missing_fence(const sim_watch *watch, const sim_logged *e, const sim_touch *t);
/* True if the access is a thread's strong write of what it wrote by an ordinary one, and nothing before has published
 * that: other threads' strong accesses do not race with the later write, but they do with the earlier one. */
bool sim_order_hides(const sim_watch *watch, const sim_logged *e, const sim_touch *t);

#endif
