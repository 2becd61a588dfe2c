// Cooperative groups within a block: tiles, tiles of tiles, coalesced threads, partitions, reductions and scans.
#include "sample.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;
enum { THREADS = 128 };

// A function that does not know how large its group is.
template <class Group> __device__ int sum_of(const Group &group, int value) {
    for (int distance = group.size() / 2; distance > 0; distance /= 2) value += group.shfl_down(value, distance);
    return group.shfl(value, 0);
}

struct results {
    int tile8[THREADS], tile32[THREADS], greatest[THREADS], before[THREADS], odd_rank[THREADS], same[THREADS],
        any[THREADS];
};

__global__ void use_groups(const int *in, results *out) {
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    const int i = (int)block.thread_rank(), value = in[i];
    out->tile8[i] = sum_of(tile, value);
    out->tile32[i] = cg::reduce(warp, value, cg::plus<int>());
    out->greatest[i] = cg::reduce(tile, value, cg::greater<int>());
    out->before[i] = cg::exclusive_scan(warp, value, cg::plus<int>());
    out->any[i] = tile.any(value > 90) + 2 * (int)__popc(tile.ballot(value % 2));
    out->same[i] = (int)cg::labeled_partition(warp, value % 3).size();
    out->odd_rank[i] = -1;
    if (value % 2) {
        const cg::coalesced_group odd = cg::coalesced_threads();
        out->odd_rank[i] = (int)odd.thread_rank();
    }
}

static int wrong;

static void check(const int *v, const results *r) {
    for (int i = 0; i < THREADS; i++) {
        const int warp = i / 32 * 32, tile = i / 8 * 8;
        int tile8 = 0, tile32 = 0, greatest = 0, before = 0, odds = 0, same = 0, above = 0, odd_of_tile = 0;
        for (int k = warp; k < warp + 32; k++) {
            tile32 += v[k];
            before += k < i ? v[k] : 0;
            odds += k < i && v[k] % 2;
            same += v[k] % 3 == v[i] % 3;
        }
        for (int k = tile; k < tile + 8; k++) {
            tile8 += v[k];
            greatest = v[k] > greatest ? v[k] : greatest;
            above |= v[k] > 90;
            odd_of_tile += v[k] % 2;
        }
        wrong += r->tile8[i] != tile8 || r->tile32[i] != tile32 || r->greatest[i] != greatest || r->before[i] != before;
        wrong += r->odd_rank[i] != (v[i] % 2 ? odds : -1) || r->same[i] != same || r->any[i] != above + 2 * odd_of_tile;
    }
}

int main() {
    int values[THREADS];
    static results got;
    for (int &v : values) v = (int)draw(100);
    int *in = on_device(THREADS, values);
    results *out = on_device<results>(1);
    use_groups<<<1, THREADS>>>(in, out);
    to_host(&got, out, 1);
    check(values, &got);
    printf("first tile %d, first warp %d, %d wrong\n", got.tile8[0], got.tile32[0], wrong);
    expect("groups", wrong == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return finish();
}
