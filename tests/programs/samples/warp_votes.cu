// What lanes of a warp tell each other: votes, matches, shuffles of all four kinds, and reductions of sm_80.
#include "sample.h"

enum { LANES = 32, EVERY = ~0 };

struct told {
    unsigned ballot, active, all, any, match, match_all;
    int up, down, crossed, broadcast, rotated, sum, least;
    unsigned both, packed;
};

__global__ void tell(const int *in, told *out) {
    const int lane = threadIdx.x, value = in[lane];
    told t = {};
    int same = 0;
    t.ballot = __ballot_sync(EVERY, value > 50);
    t.all = __all_sync(EVERY, value < 100);
    t.any = __any_sync(EVERY, value > 98);
    t.match = __match_any_sync(EVERY, value % 4);
    t.match_all = __match_all_sync(EVERY, value / 100, &same) & (same ? ~0u : 0u);
    t.up = __shfl_up_sync(EVERY, value, 3);
    t.down = __shfl_down_sync(EVERY, value, 1, 8); // within 8 lanes
    t.crossed = __shfl_xor_sync(EVERY, value, 5);
    t.broadcast = __shfl_sync(EVERY, value, 17);
    t.rotated = __shfl_sync(EVERY, value, (lane + 11) % LANES);
    t.sum = __reduce_add_sync(EVERY, value);
    t.least = __reduce_min_sync(EVERY, value);
    t.both = __reduce_and_sync(EVERY, value | 64);
    if (value > 50) {
        const unsigned mine = t.ballot & ((1u << lane) - 1);
        t.packed = __popc(mine); // where this value goes if those above 50 are packed
        t.active = __activemask() == t.ballot;
    }
    out[lane] = t;
}

int main() {
    int v[LANES], wrong = 0;
    told got[LANES];
    for (int &value : v) value = (int)draw(100);
    int *in = on_device(LANES, v);
    told *out = on_device<told>(LANES);
    tell<<<1, LANES>>>(in, out);
    to_host(got, out, LANES);

    told want = {};
    want.all = 1;
    want.least = 100;
    want.both = ~0u;
    for (int i = 0; i < LANES; i++) {
        want.ballot |= (unsigned)(v[i] > 50) << i;
        want.any |= v[i] > 98;
        want.sum += v[i];
        want.least = v[i] < want.least ? v[i] : want.least;
        want.both &= (unsigned)v[i] | 64;
    }
    for (int i = 0; i < LANES; i++) {
        const told &g = got[i];
        unsigned match = 0;
        for (int k = 0; k < LANES; k++) match |= (unsigned)(v[k] % 4 == v[i] % 4) << k;
        wrong += g.ballot != want.ballot || g.all != want.all || g.any != want.any || g.match != match;
        wrong += g.match_all != ~0u || g.sum != want.sum || g.least != want.least || g.both != want.both;
        wrong += g.up != v[i < 3 ? i : i - 3] || g.down != v[i % 8 == 7 ? i : i + 1] || g.crossed != v[i ^ 5];
        wrong += g.broadcast != v[17] || g.rotated != v[(i + 11) % LANES];
        wrong += v[i] > 50 && (g.packed != (unsigned)__builtin_popcount(want.ballot & ((1u << i) - 1)) || !g.active);
    }
    printf("ballot %08x, sum %d, least %d, %d wrong\n", got[0].ballot, got[5].sum, got[9].least, wrong);
    expect("what lanes tell", wrong == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return finish();
}
