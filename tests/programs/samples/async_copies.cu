// cp.async: tiles come into shared memory while the tile before them is used, by cuda_pipeline.h and by instructions.
#include "sample.h"
#include <cuda_pipeline.h>

enum { THREADS = 64, TILE = THREADS * 4, STAGES = 3 };

__global__ void sum_tiles(const int *in, int tiles, int *out) {
    __shared__ __align__(16) int stage[STAGES][TILE];
    const int t = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < STAGES - 1; k++) {
        if (k < tiles) __pipeline_memcpy_async(&stage[k][4 * t], in + k * TILE + 4 * t, 16);
        __pipeline_commit();
    }
    for (int k = 0; k < tiles; k++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // the tile is there for all, and the stage before it is free
        const int next = k + STAGES - 1;
        if (next < tiles) __pipeline_memcpy_async(&stage[next % STAGES][4 * t], in + next * TILE + 4 * t, 16);
        __pipeline_commit();
        for (int i = 0; i < 4; i++) sum += stage[k % STAGES][(t + i * THREADS + 1) % TILE] * (k + 1);
    }
    atomicAdd(out, sum);
}

// The same copy by its instruction, with the bytes behind the array's end as zeros.
__global__ void reverse(const int *in, int count, int *out) {
    __shared__ __align__(16) int tile[TILE];
    const int first = blockIdx.x * TILE + 4 * threadIdx.x, left = count - first;
    const int bytes = left >= 4 ? 16 : left > 0 ? 4 * left : 0;
    const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[4 * threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(bytes ? in + first : in), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int i = threadIdx.x; i < TILE; i += THREADS) out[blockIdx.x * TILE + i] = tile[TILE - 1 - i];
}

int main() {
    const int tiles = 11, count = tiles * TILE - 54;
    static int values[tiles * TILE], got[tiles * TILE];
    int want = 0, sum = 0, wrong = 0;
    for (int i = 0; i < tiles * TILE; i++) want += (values[i] = (int)draw(100)) * (i / TILE + 1);
    int *in = on_device(tiles * TILE, values), *out = on_device<int>(tiles * TILE);
    CHECK(cudaMemset(out, 0, sizeof *out));
    sum_tiles<<<1, THREADS>>>(in, tiles, out);
    to_host(&sum, out, 1);
    printf("weighted sum %d\n", sum);
    expect("the sum of tiles", sum == want);
    reverse<<<tiles, THREADS>>>(in, count, out);
    to_host(got, out, tiles * TILE);
    for (int i = 0; i < tiles * TILE; i++) {
        const int from = i / TILE * TILE + TILE - 1 - i % TILE;
        wrong += got[i] != (from < count ? values[from] : 0);
    }
    printf("reversed: %d wrong\n", wrong);
    expect("the reversed tiles", wrong == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return finish();
}
