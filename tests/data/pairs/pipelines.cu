/* Pipelines, reductions and grids that meet, as kernels have them. */
#include "pairs.cuh"

static __device__ __forceinline__ float tile_sum(const float *p, int n) {
    float a[4];
    for (int i = 0; i < 4; i++) a[i] = p[i * 32];
    float v = 0;
    for (int i = 0; i < 4; i++) v += a[(i + n) & 3];
    return v;
}
struct Pad {
    int x;
    char c;
};

extern "C" {

/* race-shared, async-read-before-wait, mbarrier-misuse */
__global__ void bad_ws_consumer_release(ARGS) {
    __shared__ alignas(128) float s[4][128];
    __shared__ alignas(8) u64 full[4], empty[4];
    if (T == 0) {
        for (int i = 0; i < 4; i++) {
            mb_init(&full[i], 1);
            mb_init(&empty[i], 3);
        }
        mb_fence();
    }
    __syncthreads();
    int w = T / 32;
    if (w == 0) {
        if (T == 0)
            for (int k = 0; k < 16; k++) {
                int st = k % 4;
                if (k >= 4) mb_wait(&empty[st], (k / 4 - 1) & 1);
                mb_expect(&full[st], 512);
                bulk_load(s[st], in + k * 128, 512, &full[st]);
            }
    } else {
        float v = 0;
        for (int k = 0; k < 16; k++) {
            int st = k % 4;
            mb_wait(&full[st], (k / 4) & 1);
            if ((T & 31) == 0) mb_arrive(&empty[st]);
            __syncwarp();
            v += s[st][T];
        }
        out[T] = v;
    }
}
__global__ void ok_ws_consumer_release(ARGS) {
    __shared__ alignas(128) float s[4][128];
    __shared__ alignas(8) u64 full[4], empty[4];
    if (T == 0) {
        for (int i = 0; i < 4; i++) {
            mb_init(&full[i], 1);
            mb_init(&empty[i], 3);
        }
        mb_fence();
    }
    __syncthreads();
    int w = T / 32;
    if (w == 0) {
        if (T == 0)
            for (int k = 0; k < 16; k++) {
                int st = k % 4;
                if (k >= 4) mb_wait(&empty[st], (k / 4 - 1) & 1);
                mb_expect(&full[st], 512);
                bulk_load(s[st], in + k * 128, 512, &full[st]);
            }
    } else {
        float v = 0;
        for (int k = 0; k < 16; k++) {
            int st = k % 4;
            mb_wait(&full[st], (k / 4) & 1);
            v += s[st][T];
            __syncwarp();
            if ((T & 31) == 0) mb_arrive(&empty[st]);
        }
        out[T] = v;
    }
}

/* deadlock, mbarrier-misuse */
__global__ void bad_ws_empty_count(ARGS) {
    __shared__ alignas(128) float s[4][128];
    __shared__ alignas(8) u64 full[4], empty[4];
    if (T == 0) {
        for (int i = 0; i < 4; i++) {
            mb_init(&full[i], 1);
            mb_init(&empty[i], 4);
        }
        mb_fence();
    }
    __syncthreads();
    int w = T / 32;
    if (w == 0) {
        if (T == 0)
            for (int k = 0; k < 16; k++) {
                int st = k % 4;
                if (k >= 4) mb_wait(&empty[st], (k / 4 - 1) & 1);
                mb_expect(&full[st], 512);
                bulk_load(s[st], in + k * 128, 512, &full[st]);
            }
    } else {
        float v = 0;
        for (int k = 0; k < 16; k++) {
            int st = k % 4;
            mb_wait(&full[st], (k / 4) & 1);
            v += s[st][T];
            __syncwarp();
            if ((T & 31) == 0) mb_arrive(&empty[st]);
        }
        out[T] = v;
    }
}
__global__ void ok_ws_empty_count(ARGS) {
    __shared__ alignas(128) float s[4][128];
    __shared__ alignas(8) u64 full[4], empty[4];
    if (T == 0) {
        for (int i = 0; i < 4; i++) {
            mb_init(&full[i], 1);
            mb_init(&empty[i], 96);
        }
        mb_fence();
    }
    __syncthreads();
    int w = T / 32;
    if (w == 0) {
        if (T == 0)
            for (int k = 0; k < 16; k++) {
                int st = k % 4;
                mb_wait(&empty[st], (k / 4 + 1) & 1);
                mb_expect(&full[st], 512);
                bulk_load(s[st], in + k * 128, 512, &full[st]);
            }
    } else {
        float v = 0;
        for (int k = 0; k < 16; k++) {
            int st = k % 4;
            mb_wait(&full[st], (k / 4) & 1);
            v += s[st][T];
            mb_arrive(&empty[st]);
        }
        out[T] = v;
    }
}

/* async-source-overwritten, race-shared, missing-proxy-fence */
__global__ void bad_load_compute_store(ARGS) {
    TILE;
    START(1);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            mb_expect(&bar, 512);
            bulk_load(s, in + k * 128, 512, &bar);
        }
        mb_wait(&bar, k & 1);
        s[T] = s[T] * 2;
        proxy_fence();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + k * 128, s, 512);
            bulk_commit();
        }
    }
    if (T == 0) bulk_wait(0);
}
__global__ void ok_load_compute_store(ARGS) {
    TILE;
    START(1);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            mb_expect(&bar, 512);
            bulk_load(s, in + k * 128, 512, &bar);
        }
        mb_wait(&bar, k & 1);
        s[T] = s[T] * 2;
        proxy_fence();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + k * 128, s, 512);
            bulk_commit();
            bulk_wait_read(0);
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* async-read-before-wait */
__global__ void bad_in_place_bulk(float *in, float *out, int n) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    s[T] = s[T] * 2;
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(in, s, 512);
        bulk_commit();
        bulk_wait_read(0);
        mb_expect(&bar, 512);
        bulk_load(s + 128, in, 512, &bar);
        bulk_wait(0);
    }
    mb_wait(&bar, 1);
    out[T] = s[128 + T];
}
__global__ void ok_in_place_bulk(float *in, float *out, int n) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    s[T] = s[T] * 2;
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(in, s, 512);
        bulk_commit();
        bulk_wait(0);
        mb_expect(&bar, 512);
        bulk_load(s + 128, in, 512, &bar);
    }
    mb_wait(&bar, 1);
    out[T] = s[128 + T];
}

/* uninitialised-read */
__global__ void bad_padded(ARGS) {
    Pad a[4];
    for (int i = 0; i < 3; i++) {
        a[(i + n) & 3].x = T;
        a[(i + n) & 3].c = 1;
    }
    Pad b = a[((int)in[T] + n + 3) & 3];
    out[T] = b.x + b.c;
}
__global__ void ok_padded(ARGS) {
    Pad a[4];
    for (int i = 0; i < 4; i++) {
        a[(i + n) & 3].x = T;
        a[(i + n) & 3].c = 1;
    }
    Pad b = a[((int)in[T] + n + 3) & 3];
    ((Pad *)out)[T] = b;
}

/* out-of-bounds */
__global__ void bad_tile(ARGS) {
    out[T] = tile_sum(in + 4000 + T, n);
}
__global__ void ok_tile(ARGS) {
    out[T] = tile_sum(in + T, n) + tile_sum(in + 256 + T, n);
}

/* race-shared */
__global__ void bad_warp_reduce_shared(ARGS) {
    __shared__ float s[4];
    float v = in[T];
    for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
    if ((T & 31) == 0) s[T / 32] = v;
    if (T == 0) out[0] = s[0] + s[1] + s[2] + s[3];
}
__global__ void ok_warp_reduce_shared(ARGS) {
    __shared__ float s[4];
    float v = in[T];
    for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
    if ((T & 31) == 0) s[T / 32] = v;
    __syncthreads();
    if (T < 32) {
        v = T < 4 ? s[T] : 0;
        for (int k = 2; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
        if (T == 0) out[0] = v;
    }
}

/* race-shared */
__global__ void bad_warp_reduce_four(ARGS) {
    __shared__ float s[4];
    float v = in[T];
    if ((T & 31) == 0) s[T / 32] = v;
    if (T < 4) {
        v = s[T];
        for (int k = 2; k; k >>= 1) v += __shfl_down_sync(0xf, v, k);
        if (T == 0) out[0] = v;
    }
}
__global__ void ok_warp_reduce_four(ARGS) {
    __shared__ float s[4];
    float v = in[T];
    if ((T & 31) == 0) s[T / 32] = v;
    __syncthreads();
    if (T < 4) {
        v = s[T];
        for (int k = 2; k; k >>= 1) v += __shfl_down_sync(0xf, v, k);
        if (T == 0) out[0] = v;
    }
}

/* race-shared */
__global__ void bad_early_exit(ARGS) {
    __shared__ float s[128];
    if (T >= 96) return;
    s[T] = in[T];
    if (T < 64) __syncwarp();
    out[T] = s[95 - T];
}
__global__ void ok_early_exit(ARGS) {
    __shared__ float s[128];
    if (T >= 96) return;
    s[T] = in[T];
    __syncthreads();
    out[T] = s[95 - T];
}

/* race-shared */
__global__ void bad_early_exit_lanes(ARGS) {
    __shared__ float s[128];
    if (T >= 100) return;
    s[T] = in[T];
    __syncwarp();
    out[T] = s[99 - T];
}
__global__ void ok_early_exit_lanes(ARGS) {
    __shared__ float s[128];
    if (T >= 100) return;
    s[T] = in[T];
    __syncthreads();
    out[T] = s[99 - T];
}

/* 4 blocks: race-global */
__global__ void bad_grid_barrier(ARGS) {
    unsigned *c = (unsigned *)(out + 2048);
    out[blockIdx.x * 128 + T] = in[T];
    __syncthreads();
    if (T == 0) {
        atomicAdd(c, 1);
        while (*(volatile unsigned *)c < 4)
            ;
    }
    __syncthreads();
    out[1024 + blockIdx.x * 128 + T] = out[(blockIdx.x ^ 1) * 128 + T];
}
__global__ void ok_grid_barrier(ARGS) {
    unsigned *c = (unsigned *)(out + 2048);
    out[blockIdx.x * 128 + T] = in[T];
    __threadfence();
    __syncthreads();
    if (T == 0) {
        atomicAdd(c, 1);
        while (*(volatile unsigned *)c < 4)
            ;
        __threadfence();
    }
    __syncthreads();
    out[1024 + blockIdx.x * 128 + T] = out[(blockIdx.x ^ 1) * 128 + T];
}

/* 4 blocks: race-global */
__global__ void bad_grid_barrier_late(ARGS) {
    unsigned *c = (unsigned *)(out + 2048);
    out[blockIdx.x * 128 + T] = in[T];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(c, 1);
        while (atomicAdd(c, 0) < 4)
            ;
        __threadfence();
    }
    out[1024 + blockIdx.x * 128 + T] = out[(blockIdx.x ^ 1) * 128 + T];
}
__global__ void ok_grid_barrier_late(ARGS) {
    unsigned *c = (unsigned *)(out + 2048);
    out[blockIdx.x * 128 + T] = in[T];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(c, 1);
        while (atomicAdd(c, 0) < 4)
            ;
        __threadfence();
    }
    __syncthreads();
    out[1024 + blockIdx.x * 128 + T] = out[(blockIdx.x ^ 1) * 128 + T];
}

/* 8 blocks: race-global */
__global__ void bad_chain(ARGS) {
    volatile int *f = (volatile int *)(out + 2048);
    if (T == 0) {
        int b = blockIdx.x;
        if (b) {
            while (!f[b - 1])
                ;
        }
        out[b] = (b ? out[b - 1] : 0) + in[b];
        __threadfence();
        f[b] = 1;
    }
}
__global__ void ok_chain(ARGS) {
    volatile int *f = (volatile int *)(out + 2048);
    if (T == 0) {
        int b = blockIdx.x;
        if (b) {
            while (!f[b - 1])
                ;
            __threadfence();
        }
        out[b] = (b ? out[b - 1] : 0) + in[b];
        __threadfence();
        f[b] = 1;
    }
}

/* barrier-misuse, deadlock, race-shared */
__global__ void bad_pingpong(ARGS) {
    __shared__ float s[2][64];
    int g = T / 64, t = T & 63;
    for (int k = 0; k < 4; k++) {
        if ((k & 1) == g) {
            s[k & 1][t] = in[k * 64 + t];
            V("bar.arrive 1, 128;" ::: M);
        } else {
            V("bar.sync 1, 128;" ::: M);
            out[k * 64 + t] = s[k & 1][63 - t];
        }
    }
}
__global__ void ok_pingpong(ARGS) {
    __shared__ float s[2][64];
    int g = T / 64, t = T & 63;
    for (int k = 0; k < 4; k++) {
        if ((k & 1) == g) {
            s[k & 1][t] = in[k * 64 + t];
            if (k & 1)
                V("bar.arrive 2, 128;" ::: M);
            else
                V("bar.arrive 1, 128;" ::: M);
        } else {
            if (k & 1)
                V("bar.sync 2, 128;" ::: M);
            else
                V("bar.sync 1, 128;" ::: M);
            out[k * 64 + t] = s[k & 1][63 - t];
        }
    }
}

/* async-read-before-wait, race-shared */
__global__ void bad_wait_then_no_sync_multi(ARGS) {
    __shared__ float s[4][128];
    for (int i = 0; i < 4; i++) {
        __pipeline_memcpy_async(&s[i][T], in + i * 128 + T, 4);
        __pipeline_commit();
    }
    for (int i = 0; i < 4; i++) {
        __pipeline_wait_prior(0);
        __syncwarp();
        out[i * 128 + T] = s[i][T ^ 32];
    }
}
__global__ void ok_wait_then_no_sync_multi(ARGS) {
    __shared__ float s[4][128];
    for (int i = 0; i < 4; i++) {
        __pipeline_memcpy_async(&s[i][T], in + i * 128 + T, 4);
        __pipeline_commit();
    }
    __pipeline_wait_prior(0);
    __syncwarp();
    for (int i = 0; i < 4; i++) out[i * 128 + T] = s[i][T ^ 16];
}

/* async-source-overwritten, race-global */
__global__ void bad_refill_source(float *in, float *out, int n) {
    __shared__ float s[128];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(s + T, in + T, 4);
        __pipeline_commit();
        __syncthreads();
        in[127 - T] = k;
        __pipeline_wait_prior(0);
        __syncthreads();
        out[k * 128 + T] = s[T];
        __syncthreads();
    }
}
__global__ void ok_refill_source(float *in, float *out, int n) {
    __shared__ float s[128];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(s + T, in + T, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        in[127 - T] = k;
        __syncthreads();
        out[k * 128 + T] = s[T];
        __syncthreads();
    }
}
}
