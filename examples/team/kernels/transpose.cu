enum { TILE = 32, ROWS = 8, PADDING = 1 };

// haul: expect sectors/request <= 4, sector_use == 100%
extern "C" __global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE + PADDING];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row]; // haul: expect bank_conflicts == 0
}
