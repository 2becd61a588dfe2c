/* Parameters of graph nodes in the runtime's terms, with CUDA's layout.
 *
 * A kernel is a host function here, an address a pointer. graph.c converts both to the driver's terms; nodes.c uses
 * the same structures within a larger one. */
#ifndef HAUL_STANDIN_RUNTIME_GRAPH_H
#define HAUL_STANDIN_RUNTIME_GRAPH_H

#include "standin/standin.h"

typedef struct cudaKernelNodeParams {
    const void *kernel; /* a host function, or the driver's handle of a kernel without one */
    dim3 grid, block;
    unsigned shared_bytes;
    void **parameters, **extra; /* as for cuLaunchKernel() */
} cudaKernelNodeParams;

typedef struct cudaMemsetParams {
    void *to;
    size_t pitch;
    unsigned value, element; /* element: bytes of one: 1, 2 or 4 */
    size_t width, height;    /* width: in elements */
} cudaMemsetParams;

/* Converts them to the driver's terms; between standin_enter() and standin_leave(). */
CUresult standin_take_kernel(const driver_table *d, const cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *to);
CUDA_MEMSET_NODE_PARAMS standin_fill_of(const cudaMemsetParams *p);

#endif
