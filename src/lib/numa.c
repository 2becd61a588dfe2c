/* Implements lib/numa.h with the system's calls for memory policies and sysfs, which any Linux has: a library for NUMA
 * would add nothing here. Pinned memory is allocated in the calling thread, so that its policy decides. */
#include "lib/numa.h"

#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORD_BITS = 8 * sizeof(unsigned long), NODES = NUMA_WORDS * WORD_BITS };

int numa_node_of(const haul_device *d, const char *devices) {
    int domain = 0, bus = 0, slot = 0, node = -1;
    char path[512];
    if (d->driver->device_attribute(&domain, DRIVER_DEVICE_PCI_DOMAIN, d->handle) != CUDA_SUCCESS ||
        d->driver->device_attribute(&bus, DRIVER_DEVICE_PCI_BUS, d->handle) != CUDA_SUCCESS ||
        d->driver->device_attribute(&slot, DRIVER_DEVICE_PCI_DEVICE, d->handle) != CUDA_SUCCESS)
        return -1;
    snprintf(path, sizeof path, "%s/%04x:%02x:%02x.0/numa_node", devices ? devices : "/sys/bus/pci/devices",
             (unsigned)domain, (unsigned)bus, (unsigned)slot);
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    if (fscanf(f, "%d", &node) != 1 || node >= NODES) node = -1;
    fclose(f);
    return node;
}

void numa_begin(const haul_device *d, numa_policy *before) {
    *before = (numa_policy){0};
    const int node = d->extras ? -1 : numa_node_of(d, NULL);
    if (node < 0 || syscall(SYS_get_mempolicy, &before->mode, before->nodes, NODES, NULL, 0) != 0) return;
    unsigned long nodes[NUMA_WORDS] = {0};
    nodes[(unsigned)node / WORD_BITS] = 1ul << ((unsigned)node % WORD_BITS);
    before->is_changed = syscall(SYS_set_mempolicy, MPOL_PREFERRED, nodes, NODES) == 0;
}

void numa_end(const numa_policy *before) {
    if (before->is_changed) (void)syscall(SYS_set_mempolicy, before->mode, before->nodes, NODES);
}
