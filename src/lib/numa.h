/* Memory of the host's node that is nearest to a GPU. */
#ifndef HAUL_LIB_NUMA_H
#define HAUL_LIB_NUMA_H

#include "lib/device.h"

enum { NUMA_WORDS = 16 }; /* of a mask of nodes */

/* The thread's policy before numa_begin(). */
typedef struct numa_policy {
    bool is_changed;
    int mode;
    unsigned long nodes[NUMA_WORDS];
} numa_policy;

/* Until numa_end() pages that the thread allocates come from the node nearest to the device, while it has room. Nothing
 * changes for virtual GPUs, where the system does not tell the node, or if it forbids the change. */
void numa_begin(const haul_device *device, numa_policy *before);
void numa_end(const numa_policy *before);
/* The node, by the device's place on the PCI bus, in the folder `devices` (NULL: the system's); -1 if it is unknown. */
int numa_node_of(const haul_device *device, const char *devices);

#endif
