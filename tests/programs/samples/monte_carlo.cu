// Pi by random points: each thread has a generator of its own, which the host repeats; points are whole numbers.
#include "sample.h"

enum { THREADS = 256, BLOCKS = 8, POINTS = 64 };

struct generator {
    unsigned long long state, increment;
};

__host__ __device__ static generator seed(unsigned stream) {
    return {0x853c49e6748fea9bull + stream, 2ull * stream + 1};
}

__host__ __device__ static unsigned next(generator *g) {
    const unsigned long long old = g->state;
    g->state = old * 6364136223846793005ull + g->increment;
    const unsigned mixed = (unsigned)((old >> 18 ^ old) >> 27), turn = (unsigned)(old >> 59);
    return mixed >> turn | mixed << (-turn & 31);
}

__host__ __device__ static unsigned hits_of(unsigned stream) {
    generator g = seed(stream);
    unsigned hits = 0;
    for (int i = 0; i < POINTS; i++) {
        const unsigned long long x = next(&g) >> 1, y = next(&g) >> 1;
        hits += x * x + y * y < 1ull << 62;
    }
    return hits;
}

__global__ void throw_points(unsigned *hits) {
    const unsigned mine = hits_of(blockIdx.x * blockDim.x + threadIdx.x);
    const unsigned of_warp = __reduce_add_sync(~0u, mine);
    if (threadIdx.x % 32 == 0) atomicAdd(hits, of_warp);
}

int main() {
    unsigned got = 0, want = 0, *hits = on_device(1, &got);
    throw_points<<<BLOCKS, THREADS>>>(hits);
    to_host(&got, hits, 1);
    for (unsigned t = 0; t < THREADS * BLOCKS; t++) want += hits_of(t);
    printf("%u of %d points, pi is about %.4f\n", got, THREADS * BLOCKS * POINTS,
           4. * got / (THREADS * BLOCKS * POINTS));
    expect("hits", got == want && got > 102000 && got < 104000);
    CHECK(cudaFree(hits));
    return finish();
}
