/* Cooperative groups over the whole grid. */
#include <cooperative_groups.h>

/* Each block leaves its number, and takes over its neighbour's when all have: `rounds` times. */
extern "C" __global__ void rotate(unsigned *numbers, unsigned *next, int rounds)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const unsigned neighbour = (blockIdx.x + 1) % gridDim.x;
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x == 0) next[blockIdx.x] = numbers[neighbour];
        grid.sync();
        if (threadIdx.x == 0) numbers[blockIdx.x] = next[blockIdx.x];
        grid.sync();
    }
}
