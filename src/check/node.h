/* Order between kernels on different devices of one program: a shadow of the memory that they share.
 *
 * Each device has a time, which advances when it publishes: by a fence or a release at the scope of the system. Each
 * access is stamped with it. A block knows another device up to the time that a flag told it, if it has read the flag
 * and acquired at the scope of the system; a launch knows what was before it in the order of streams. Within a device
 * more is taken as ordered than the memory model promises: a race may be missed, none is invented (global.h finds
 * those within a launch).
 *
 * SMs log flags and fences among their accesses. The log is played here in SM order, before that of other devices can
 * begin, since one launch runs at a time. */
#ifndef HAUL_CHECK_NODE_H
#define HAUL_CHECK_NODE_H

#include "check/global.h"

enum { SIM_NODE_DEVICES = 8 };

typedef struct sim_node sim_node;

/* Up to which times other devices are known. */
typedef struct sim_node_times {
    uint32_t of[SIM_NODE_DEVICES];
} sim_node_times;

/* A launch on one of the devices. */
typedef struct sim_node_launch {
    sim_node *node;
    uint32_t device;
    uint32_t number;              /* 0 until the first event */
    sim_node_times floor;         /* what the order of streams tells */
    struct sim_node_state *state; /* what its blocks know; owned; NULL until the first event */
} sim_node_launch;

/* NULL without memory. */
sim_node *sim_node_create(void);
void sim_node_free(sim_node *node);
/* Returns the device's time, and lets it advance, so that all before is up to that time. */
uint32_t sim_node_tick(sim_node *node, uint32_t device);
/* Returns how often kernels of the device have published. */
uint32_t sim_node_published(const sim_node *node, uint32_t device);
/* The range has a new owner: what was done there before does not concern it. */
void sim_node_forget(sim_node *node, uint64_t address, uint64_t bytes);

/* Effects of a logged flag or fence (sim_logged.node). */
enum {
    SIM_NODE_READS = 1,
    SIM_NODE_WRITES = 2,
    SIM_NODE_ACQUIRES = 4,
    SIM_NODE_RELEASES = 8,
    SIM_NODE_NARROW = 16, /* its scope does not reach other devices */
    SIM_NODE_FENCE = 32,  /* a fence at the scope of the system */
};

/* Frees what the launch owns. */
void sim_node_launch_end(sim_node_launch *launch);

/* Plays an SM's log of the watch's launch. Returns false without memory. */
bool sim_node_play(sim_watch *watch, const sim_access_log *log);

#endif
