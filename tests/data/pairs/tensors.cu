/* Tensor copies, and what a warpgroup does together. The maps are of `in` and `out`, 64 rows of 64 floats, in boxes of 8
 * rows of 32. */
#include "pairs.cuh"

typedef struct alignas(64) map {
    char opaque[128];
} map;
#define MAPS ARGS, const __grid_constant__ map in_map, const __grid_constant__ map out_map
#define BOX 256 /* floats */

static __device__ __forceinline__ void tensor_load(void *s, const map *m, int x, int y, u64 *b) {
    V("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          SMEM(s)),
      "l"(m), "r"(x), "r"(y), "r"(SMEM(b))
      : M);
}
static __device__ __forceinline__ void tensor_store(const map *m, int x, int y, const void *s) {
    V("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m), "r"(x), "r"(y),
      "r"(SMEM(s))
      : M);
}
#define set_registers(how) V("setmaxnreg." how ";" ::: M)

extern "C" {

/* async-read-before-wait, mbarrier-misuse */
__global__ void bad_tensor_bytes_not_told(MAPS) {
    TILE;
    START(1);
    if (T == 0) {
        tensor_load(s, &in_map, 32, 8, &bar);
        mb_arrive(&bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_tensor_bytes_not_told(MAPS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 4 * BOX);
        tensor_load(s, &in_map, 32, 8, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* deadlock */
__global__ void bad_tensor_box_at_the_edge(MAPS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 4 * BOX / 2); /* what lies outside is filled with zeros, and counts */
        tensor_load(s, &in_map, 48, 0, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_tensor_box_at_the_edge(MAPS) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 4 * BOX);
        tensor_load(s, &in_map, 48, 0, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* async-read-before-wait */
__global__ void bad_tensor_second_box(MAPS) {
    TILE2;
    if (T == 0) {
        mb_init(&bar[0], 1);
        mb_init(&bar[1], 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0) {
        for (int k = 0; k < 2; k++) {
            mb_expect(&bar[k], 4 * BOX);
            tensor_load(s[k], &in_map, 32 * k, 0, &bar[k]);
        }
    }
    mb_wait(&bar[0], 0);
    out[T] = s[0][T] + s[1][T];
}
__global__ void ok_tensor_second_box(MAPS) {
    TILE2;
    if (T == 0) {
        mb_init(&bar[0], 1);
        mb_init(&bar[1], 1);
        mb_fence();
    }
    __syncthreads();
    if (T == 0) {
        for (int k = 0; k < 2; k++) {
            mb_expect(&bar[k], 4 * BOX);
            tensor_load(s[k], &in_map, 32 * k, 0, &bar[k]);
        }
    }
    mb_wait(&bar[0], 0);
    mb_wait(&bar[1], 0);
    out[T] = s[0][T] + s[1][T];
}

/* missing-proxy-fence */
__global__ void bad_tensor_store_fence(MAPS) {
    TILE;
    s[T] = in[T];
    s[T + 128] = in[T + 128];
    __syncthreads();
    if (T == 0) {
        tensor_store(&out_map, 0, 16, s);
        bulk_commit();
        bulk_wait(0);
    }
}
__global__ void ok_tensor_store_fence(MAPS) {
    TILE;
    s[T] = in[T];
    s[T + 128] = in[T + 128];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        tensor_store(&out_map, 0, 16, s);
        bulk_commit();
        bulk_wait(0);
    }
}

/* async-source-overwritten */
__global__ void bad_tensor_store_source(MAPS) {
    TILE;
    for (int k = 0; k < 4; k++) {
        s[T] = in[T + k];
        s[T + 128] = in[T + 128 + k];
        proxy_fence();
        __syncthreads();
        if (T == 0) {
            tensor_store(&out_map, 0, 8 * k, s);
            bulk_commit();
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}
__global__ void ok_tensor_store_source(MAPS) {
    TILE;
    for (int k = 0; k < 4; k++) {
        s[T] = in[T + k];
        s[T + 128] = in[T + 128 + k];
        proxy_fence();
        __syncthreads();
        if (T == 0) {
            tensor_store(&out_map, 0, 8 * k, s);
            bulk_commit();
            bulk_wait_read(0);
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* warpgroup-divergence */
__global__ void bad_registers_of_a_warp(MAPS) {
    if (T / 32 == 0)
        set_registers("dec.sync.aligned.u32 40");
    else
        set_registers("inc.sync.aligned.u32 160");
    out[T] = in[T];
}
__global__ void ok_registers_of_a_warp(MAPS) {
    if (T / 128 == 1)
        set_registers("dec.sync.aligned.u32 40");
    else
        set_registers("inc.sync.aligned.u32 160");
    out[T] = in[T];
}

/* missing-proxy-fence */
__global__ void bad_tensor_map_by_stores(MAPS) {
    TILE;
    map *mine = (map *)(out + 2048);
    if (T < 32) ((int *)mine)[T] = ((const int *)&in_map)[T];
    START(1);
    if (T == 0) {
        mb_expect(&bar, 4 * BOX);
        tensor_load(s, mine, 32, 8, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_tensor_map_by_stores(MAPS) {
    TILE;
    map *mine = (map *)(out + 2048);
    if (T < 32) ((int *)mine)[T] = ((const int *)&in_map)[T];
    V("fence.proxy.tensormap::generic.release.cta;" ::: M);
    START(1);
    if (T == 0) {
        V("fence.proxy.tensormap::generic.acquire.cta [%0], 128;" ::"l"(mine) : M);
        mb_expect(&bar, 4 * BOX);
        tensor_load(s, mine, 32, 8, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
}
