/* Order between the operations of a program, whatever the hardware's timing.
 *
 * Each stream, and the host, is a line of operations that are in order. A stamp says, for each line, up to which
 * operation everything comes before. Operations take over the stamps of their stream, of the host at their call, of
 * events that they wait for and of the legacy default stream. The host takes over stamps when it waits. All of this
 * is known when an operation is issued.
 *
 * The memory that an operation uses is known when it is done. It is then compared with the other operations that
 * are neither before nor behind it. Operations that everything later comes behind are forgotten. */
#ifndef HAUL_VGPU_ORDER_H
#define HAUL_VGPU_ORDER_H

#include "check/node.h"
#include "check/use_list.h"
#include "vgpu/work.h"

/* One more stream than that shares a line with another: then a race may be missed, but none is invented. */
enum { SIM_ORDER_LINES = 256, SIM_ORDER_HOST_LINE = 0 };

typedef struct sim_stamp {
    uint32_t at[SIM_ORDER_LINES];
} sim_stamp;

typedef struct sim_order sim_order;
typedef struct sim_ordered sim_ordered;

void sim_order_free(CUcontext c);
/* Where the calling thread's call was made; empty if order is not watched. */
sim_site sim_order_site(CUcontext c);

/* The work is about to be added to its stream, or to be done at once; sets work->ordered. `s` may not capture. */
void sim_order_issue(CUstream s, sim_work *work);
/* The work belongs to a condition of the stream that has been reached, and takes its place. Works of one condition
 * count as ordered among themselves. */
void sim_order_replace(CUstream s, const sim_work *condition, sim_work *work);
/* Fills in what the launch's checks need to know of other devices. Returns false if there is nothing to check. */
bool sim_order_between_devices(CUcontext c, const sim_work *work, sim_node_launch *launch);
/* Before a launch: prepares its footprint to tell what only the launch knows. */
void sim_order_ask(const sim_work *work, sim_use_list *footprint);
void sim_order_launched(CUcontext c, sim_work *work, sim_use_list *footprint);

/* The host has waited for all that the stream got so far, for a mark, or for all streams of all devices. */
void sim_order_host_waited(CUstream s);
void sim_order_host_waited_for(CUcontext c, const sim_mark *mark);
void sim_order_host_waited_for_all(CUcontext c);
/* The host releases the allocation at once, without a wait: all uses must be over. Work that is not done yet is
 * compared when it is. */
void sim_order_host_freed(CUcontext c, uint64_t address);
/* The stream allocates the range: no other may use it before. */
void sim_order_allocated(CUstream s, uint64_t address, uint64_t bytes);
/* The range has a new owner: what was done there before does not concern it. */
void sim_order_forget(CUcontext c, uint64_t address, uint64_t bytes);

#endif
