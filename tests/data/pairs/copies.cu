/* Local memory, and asynchronous copies: sources, destinations, fences between proxies: bad_NAME has one defect, of one
 * of the kinds named above it, and ok_NAME is the same without. */
#include "pairs.cuh"

extern "C" {

/* uninitialised-read */
__global__ void bad_local_array(ARGS) {
    float a[8];
    for (int i = 1; i < 8; i++) a[(i + n) & 7] = in[i * 128 + T];
    out[T] = a[(int)in[0] + (n & 7)];
}
__global__ void ok_local_array(ARGS) {
    float a[8];
    for (int i = 0; i < 8; i++) a[(i + n) & 7] = in[i * 128 + T];
    out[T] = a[(int)in[0] + (n & 7)];
}

/* uninitialised-read */
__global__ void bad_local_bytes(ARGS) {
    unsigned char a[64];
    for (int i = 0; i < 63; i++) a[(i + n) & 63] = (unsigned char)i;
    out[T] = a[(63 + n + (int)in[T]) & 63];
}
__global__ void ok_local_bytes(ARGS) {
    unsigned char a[64];
    for (int i = 0; i < 64; i++) a[(i + n) & 63] = (unsigned char)i;
    out[T] = a[(63 + n + (int)in[T]) & 63];
}

/* uninitialised-read */
__global__ void bad_local_branch(ARGS) {
    float a[8];
    if (T < 64)
        for (int i = 0; i < 8; i++) a[(i + n) & 7] = in[i * 128 + T];
    out[T] = a[(int)in[0] + (n & 7)];
}
__global__ void ok_local_branch(ARGS) {
    float a[8];
    for (int i = 0; i < 8; i++) a[i] = 0;
    if (T < 64)
        for (int i = 0; i < 8; i++) a[(i + n) & 7] = in[i * 128 + T];
    out[T] = a[(int)in[0] + (n & 7)];
}

/* barrier-divergence */
__global__ void bad_warps_skip(ARGS) {
    __shared__ float a[128];
    a[T] = in[T];
    if (T < 64) __syncthreads();
    out[T] = a[T];
}
__global__ void ok_warps_skip(ARGS) {
    __shared__ float a[128];
    a[T] = in[T];
    __syncthreads();
    out[T] = a[T];
}

/* async-source-overwritten, race-global */
__global__ void bad_cp_async_source(float *in, float *out, int n) {
    __shared__ float a[128];
    __pipeline_memcpy_async(a + T, in + T, 4);
    __pipeline_commit();
    in[T] = 1.0f;
    __pipeline_wait_prior(0);
    out[T] = a[T];
}
__global__ void ok_cp_async_source(float *in, float *out, int n) {
    __shared__ float a[128];
    __pipeline_memcpy_async(a + T, in + T, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    in[T] = 1.0f;
    out[T] = a[T];
}

/* async-source-overwritten, race-global */
__global__ void bad_bulk_load_source(float *in, float *out, int n) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
        in[5] = 7;
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_bulk_load_source(float *in, float *out, int n) {
    TILE;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    if (T == 0) in[5] = 7;
    out[T] = s[T];
}

/* async-read-before-wait, race-global */
__global__ void bad_bulk_store_read(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        out[512] = out[3];
        bulk_wait(0);
    }
}
__global__ void ok_bulk_store_read(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
        proxy_fence_all();
        out[512] = out[3];
    }
}

/* async-read-before-wait, race-global */
__global__ void bad_bulk_store_wait_read(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait_read(0);
        out[512] = out[3];
        bulk_wait(0);
    }
}
__global__ void ok_bulk_store_wait_read(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
        out[512] = out[3];
    }
}

/* async-read-before-wait, race-global */
__global__ void bad_bulk_reduce_read(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_add(out, s, 512);
        bulk_commit();
        bulk_wait_read(0);
    }
    __syncthreads();
    out[512 + T] = out[T];
}
__global__ void ok_bulk_reduce_read(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_add(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
    __syncthreads();
    out[512 + T] = out[T];
}

/* race-global, async-read-before-wait */
__global__ void bad_bulk_store_overwrite(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait_read(0);
    }
    __syncthreads();
    out[T] += 1;
}
__global__ void ok_bulk_store_overwrite(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
    __syncthreads();
    out[T] += 1;
}

/* missing-proxy-fence */
__global__ void bad_global_proxy(ARGS) {
    TILE;
    START(1);
    out[T] = in[T];
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, out, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[512 + T] = s[T];
}
__global__ void ok_global_proxy(ARGS) {
    TILE;
    START(1);
    out[T] = in[T];
    proxy_fence_all();
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, out, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[512 + T] = s[T];
}

/* missing-proxy-fence */
__global__ void bad_global_proxy_space(ARGS) {
    TILE;
    START(1);
    out[T] = in[T];
    proxy_fence();
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, out, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[512 + T] = s[T];
}
__global__ void ok_global_proxy_space(ARGS) {
    TILE;
    START(1);
    out[T] = in[T];
    proxy_fence_global();
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, out, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[512 + T] = s[T];
}

/* missing-proxy-fence */
__global__ void bad_shared_proxy_space(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence_global();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}
__global__ void ok_shared_proxy_space(ARGS) {
    TILE;
    s[T] = in[T];
    proxy_fence_all();
    __syncthreads();
    if (T == 0) {
        bulk_store(out, s, 512);
        bulk_commit();
        bulk_wait(0);
    }
}

/* missing-proxy-fence, mbarrier-misuse */
__global__ void bad_init_fence(ARGS) {
    TILE;
    if (T == 0) mb_init(&bar, 1);
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_init_fence(ARGS) {
    TILE;
    if (T == 0) {
        mb_init(&bar, 1);
        proxy_fence();
    }
    __syncthreads();
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[T];
}

/* missing-proxy-fence, mbarrier-misuse */
__global__ void bad_init_fence_self(ARGS) {
    TILE;
    if (T == 0) {
        mb_init(&bar, 1);
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    __syncthreads();
    mb_wait(&bar, 0);
    out[T] = s[T];
}
__global__ void ok_init_fence_self(ARGS) {
    TILE;
    if (T == 0) {
        mb_init(&bar, 1);
        mb_fence();
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    __syncthreads();
    mb_wait(&bar, 0);
    out[T] = s[T];
}
}
