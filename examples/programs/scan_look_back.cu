// Prefix sums in one pass: each block publishes its sum, then looks back at those of the blocks before it.
#include "sample.h"

enum { THREADS = 128, EACH = 4, TILE = THREADS * EACH };
enum { NOTHING, OF_TILE, OF_ALL }; // meaning of a state, whose upper half holds the value

struct scan_state {
    unsigned next; // the number of the next tile: blocks take tiles in the order in which they start
    unsigned long long tile[1];
};

__device__ void publish(scan_state *state, unsigned tile, unsigned kind, unsigned value) {
    __threadfence();
    atomicExch(&state->tile[tile], (unsigned long long)value << 32 | kind);
}

__device__ unsigned look_back(scan_state *state, unsigned tile) {
    unsigned before = 0;
    while (tile-- > 0) {
        unsigned long long seen;
        do seen = atomicAdd(&state->tile[tile], 0ull);
        while ((unsigned)seen == NOTHING);
        __threadfence();
        before += (unsigned)(seen >> 32);
        if ((unsigned)seen == OF_ALL) break;
    }
    return before;
}

// The inclusive sum over the block; the last thread has the sum of all.
__device__ unsigned scan_of_block(unsigned value, unsigned *of_warp) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffff, value, distance);
        if (lane >= distance) value += other;
    }
    if (lane == 31) of_warp[warp] = value;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) value += of_warp[w];
    return value;
}

__global__ void scan(const unsigned *in, unsigned *out, unsigned count, scan_state *state) {
    __shared__ unsigned tile, before, of_warp[THREADS / 32];
    if (threadIdx.x == 0) tile = atomicAdd(&state->next, 1);
    __syncthreads();
    const unsigned first = tile * TILE + threadIdx.x * EACH;
    unsigned value[EACH], sum = 0;
    for (unsigned k = 0; k < EACH; k++) value[k] = sum += first + k < count ? in[first + k] : 0;
    const unsigned upto = scan_of_block(sum, of_warp);
    if (threadIdx.x == THREADS - 1) {
        publish(state, tile, tile ? OF_TILE : OF_ALL, upto);
        before = look_back(state, tile);
        if (tile) publish(state, tile, OF_ALL, before + upto);
    }
    __syncthreads();
    for (unsigned k = 0; k < EACH; k++)
        if (first + k < count) out[first + k] = before + upto - sum + value[k];
}

int main() {
    const unsigned count = 30001, tiles = (count + TILE - 1) / TILE;
    static unsigned values[count], got[count];
    unsigned want = 0, wrong = 0;
    for (unsigned &v : values) v = draw(100);
    unsigned *in = on_device(count, values), *out = on_device<unsigned>(count);
    scan_state *state;
    const size_t bytes = sizeof(scan_state) + tiles * sizeof(unsigned long long);
    CHECK(cudaMalloc((void **)&state, bytes));
    CHECK(cudaMemset(state, 0, bytes));
    scan<<<tiles, THREADS>>>(in, out, count, state);
    to_host(got, out, count);
    for (unsigned i = 0; i < count; i++) wrong += got[i] != (want += values[i]);
    printf("%u tiles, sum %u, %u prefixes wrong\n", tiles, got[count - 1], wrong);
    expect("the prefix sums", wrong == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(state));
    return finish();
}
