/* All warps of a block load the same words, as compilers lay out small tensors (Triton), and one warp updates them in
 * place. That is right only as long as the other warps do not use what they have loaded. sm_90. */
#include "asyncbugs.cuh"

/* The load stays where it is written. */
#define load_here(v, p) PTX("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p))

/* Another warp stores a value made of it elsewhere. */
KERNEL(replica_stored_elsewhere) {
    float v;
    load_here(v, out + LANE); /* BUG */
    v = v * 2 + in[LANE];
    if (WARP == 0) out[LANE] = v; /* BUG */
    if (WARP == (FIXED ? 0 : 3)) out[128 + LANE] = v + 1;
}

/* Two warps store, each to words of its own; both load the words of the first. */
KERNEL(replica_stored_by_two_warps) {
    float v;
    load_here(v, out + LANE);                      /* BUG */
    if (T < (FIXED ? 32 : 64)) out[T] = v + in[T]; /* BUG */
}

/* The other warps decide a branch by it. */
KERNEL(replica_decides_a_branch) {
    float v;
    load_here(v, out + LANE); /* BUG */
    const bool early = v > 0.5f;
    if (WARP == 0) out[LANE] = 1; /* BUG */
    if (FIXED ? WARP == 0 && early : early) out[1024 + T] = 2;
}

/* They hand it to other lanes. */
KERNEL(replica_shuffled) {
    float v;
    load_here(v, out + LANE); /* BUG */
    if (FIXED && WARP) return;
    const float w = __shfl_xor_sync(~0u, v, 1);
    if (WARP == 0) out[LANE] = v + in[LANE]; /* BUG */
    if (LANE == 0) out[1024 + WARP] = w;
}

/* They put it into shared memory. */
KERNEL(replica_passed_on) {
    __shared__ float s[128];
    float v;
    load_here(v, out + LANE); /* BUG */
    if (!FIXED || WARP == 0) s[T] = v;
    if (WARP == 0) out[LANE] = v + in[LANE]; /* BUG */
    __syncthreads();
    if (WARP == 1) out[1024 + LANE] = s[FIXED ? LANE : T];
}

/* It is part of an address. */
KERNEL(replica_is_an_index) {
    float v;
    load_here(v, out + LANE); /* BUG */
    const float w = in[(int)v + LANE];
    if (WARP == 0) out[LANE] = v + w; /* BUG */
    if (!FIXED && WARP == 2) out[1024 + LANE] = w;
}

/* One lane in four of a warp stores, as reductions along a row do; the others load the same word. */
KERNEL(replica_in_lanes) {
    float v;
    load_here(v, out + T / 4); /* BUG */
    v += in[T / 4];
    if (T % 4 == 0) out[T / 4] = v; /* BUG */
    if (!FIXED && T % 4 == 1) out[1024 + T] = v;
}

/* The thread that adds to a word of global memory is another than the one that updates it. */
KERNEL(replica_added_elsewhere) {
    float v;
    load_here(v, out + blockIdx.x);                   /* BUG */
    if (T == 0) out[blockIdx.x] = v + in[blockIdx.x]; /* BUG */
    if (T == (FIXED ? 0 : 96)) atomicAdd(out + 1024, rintf(v));
}
