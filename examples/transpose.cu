/* A kernel with expectations on its memory traffic. `haul check` checks them, and also looks for races:
 *
 *     haul check transpose.cu --kernel transpose --grid 4,4 --block 32,8 \
 *         --arg buf:f01:16384 --arg buf:zero:16384 --arg i32:128
 *
 * With `-D PADDING=0` the columns of the tile are in one bank each, and the check fails with the line and the count.
 * With `-D BARRIER=` threads read elements before other threads have written them. */
#ifndef PADDING
#define PADDING 1
#endif
#ifndef BARRIER
#define BARRIER __syncthreads()
#endif

enum { TILE = 32, ROWS = 8 };

// haul: expect sectors/request <= 4, sector_use == 100%
// haul: expect no findings
extern "C" __global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE + PADDING];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    BARRIER;
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row]; // haul: expect bank_conflicts == 0
}
