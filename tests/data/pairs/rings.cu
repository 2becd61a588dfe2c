/* Rings of stages, hand-overs between warps and blocks, and code for warps, as larger programs have them. */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include "pairs.cuh"
namespace cg = cooperative_groups;
#define LANE (T & 31)
#define WARP (T >> 5)
#define KERNEL template <bool OK> static __device__ __forceinline__ void

/* A ring of two stages, a mbarrier each way. */
struct ring {
    u64 full[2], empty[2];
};
static __device__ __forceinline__ void ring_init(ring &r, unsigned full, unsigned empty) {
    if (T == 0) {
        for (int k = 0; k < 2; k++) mb_init(&r.full[k], full), mb_init(&r.empty[k], empty);
        mb_fence();
    }
    __syncthreads();
}

static __device__ __forceinline__ bool mb_try(u64 *b, unsigned parity) {
    unsigned done;
    V("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(SMEM(b)), "r"(parity)
      : M);
    return done;
}

KERNEL commit_in_if(ARGS) {
    __shared__ float s[3][128];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], in + 128 * k + T, 4);
        __pipeline_commit();
    }
    for (int k = 0; k < 6; k++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        out[128 * k + T] = s[k % 3][127 - T];
        if (k + 2 < 6) {
            __pipeline_memcpy_async(&s[(k + 2) % 3][T], in + 128 * (k + 2) + T, 4);
            if (!OK) __pipeline_commit();
        }
        if (OK) __pipeline_commit();
    }
}

/* The phase flips each time instead of each time round. */
KERNEL phase_each_time(ARGS) {
    __shared__ alignas(128) float s[2][128];
    __shared__ ring r;
    ring_init(r, 1, 128);
    unsigned phase = 0;
    for (int k = 0; k < 4; k++) {
        const int stage = k & 1;
        if (T == 0) {
            if (k > 1) mb_wait(&r.empty[stage], (k / 2 - 1) & 1);
            mb_expect(&r.full[stage], 512);
            bulk_load(s[stage], in + 128 * k, 512, &r.full[stage]);
        }
        mb_wait(&r.full[stage], phase);
        out[128 * k + T] = s[stage][127 - T];
        mb_arrive(&r.empty[stage]);
        if (!OK || stage == 1) phase ^= 1;
    }
}

/* A producer that waits for the first stages to be emptied: nobody has filled them. */
KERNEL first_wait(ARGS) {
    __shared__ alignas(128) float s[2][96];
    __shared__ ring r;
    ring_init(r, 1, 96);
    if (WARP == 0) {
        unsigned phase = OK ? 1 : 0;
        for (int k = 0; k < 6; k++) {
            if (LANE == 0) {
                mb_wait(&r.empty[k & 1], phase);
                mb_expect(&r.full[k & 1], 384);
                bulk_load(s[k & 1], in + 96 * k, 384, &r.full[k & 1]);
            }
            if (k & 1) phase ^= 1;
        }
    } else {
        unsigned phase = 0;
        for (int k = 0; k < 6; k++) {
            mb_wait(&r.full[k & 1], phase);
            out[96 * k + T - 32] = s[k & 1][127 - T];
            mb_arrive(&r.empty[k & 1]);
            if (k & 1) phase ^= 1;
        }
    }
}

/* One lane gives the stage back while others of its warp still read. */
KERNEL release_by_lane(ARGS) {
    __shared__ alignas(128) float s[2][96];
    __shared__ ring r;
    ring_init(r, 1, 3);
    if (WARP == 0) {
        for (int k = 0; k < 6; k++)
            if (LANE == 0) {
                mb_wait(&r.empty[k & 1], k / 2 + 1 & 1);
                mb_expect(&r.full[k & 1], 384);
                bulk_load(s[k & 1], in + 96 * k, 384, &r.full[k & 1]);
            }
    } else {
        for (int k = 0; k < 6; k++) {
            mb_wait(&r.full[k & 1], k / 2 & 1);
            out[96 * k + T - 32] = s[k & 1][127 - T];
            if (OK) __syncwarp();
            if (LANE == 0) mb_arrive(&r.empty[k & 1]);
        }
    }
}

/* The last tile is smaller, but its bytes are expected as if it were whole. */
KERNEL last_tile_bytes(ARGS) {
    __shared__ alignas(128) float s[128];
    __shared__ u64 bar;
    START(1);
    const int total = 128 * 3 + 32;
    for (int k = 0; k < 4; k++) {
        const int count = total - 128 * k < 128 ? total - 128 * k : 128;
        if (T == 0) {
            mb_expect(&bar, OK ? 4 * count : 512);
            bulk_load(s, in + 128 * k, 4 * count, &bar);
        }
        mb_wait(&bar, k & 1);
        if (T < count) out[128 * k + T] = s[count - 1 - T];
        __syncthreads();
    }
}

/* A wait that is tried once. */
KERNEL tried_once(ARGS) {
    __shared__ alignas(128) float s[128];
    __shared__ u64 bar;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    if (OK)
        while (!mb_try(&bar, 0))
            ;
    else
        mb_try(&bar, 0);
    out[T] = s[127 - T];
}

/* Each warp's first lane expects and copies: four times too much. */
KERNEL elected_in_each_warp(ARGS) {
    __shared__ alignas(128) float s[128];
    __shared__ u64 bar;
    START(1);
    if (OK ? T == 0 : LANE == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
}

/* Two operands on one mbarrier; the second one's bytes are told behind its copy, in a phase that may be over. */
KERNEL bytes_told_late(ARGS) {
    __shared__ alignas(128) float a[128], b[128];
    __shared__ u64 bar;
    START(1);
    if (T == 0) {
        mb_expect(&bar, OK ? 1024 : 512);
        bulk_load(a, in, 512, &bar);
        bulk_load(b, in + 128, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = a[127 - T] * b[T];
}

/* Two staging buffers: one store may still be reading, which is one too many. */
KERNEL staging(ARGS) {
    __shared__ alignas(128) float s[2][128];
    for (int k = 0; k < 6; k++) {
        if (T == 0) {
            if (OK)
                bulk_wait_read(1);
            else
                bulk_wait_read(2);
        }
        __syncthreads();
        s[k & 1][T] = in[128 * k + T];
        proxy_fence();
        __syncthreads();
        if (T == 0) {
            bulk_store(out + 128 * k, s[k & 1], 512);
            bulk_commit();
        }
    }
    if (T == 0) bulk_wait(0);
}

/* The next iteration's tile overwrites the one that is being stored. */
KERNEL store_then_load(ARGS) {
    __shared__ alignas(128) float s[128];
    __shared__ u64 bar;
    START(1);
    for (int k = 0; k < 4; k++) {
        if (T == 0) {
            if (OK) bulk_wait_read(0);
            mb_expect(&bar, 512);
            bulk_load(s, in + 128 * k, 512, &bar);
        }
        mb_wait(&bar, k & 1);
        if (T == 0) {
            bulk_store(out + 128 * k, s, 512);
            bulk_commit();
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* A named barrier of three warps, counted as four. */
KERNEL consumers_counted(ARGS) {
    __shared__ float s[128];
    if (WARP > 0) {
        s[T] = in[T];
        if (OK)
            V("bar.sync 1, 96;" ::: M);
        else
            V("bar.sync 1, 128;" ::: M);
        out[T] = s[159 - T];
    }
}

/* Warps beyond the data have left, the barrier still counts them. */
KERNEL left_early(ARGS) {
    __shared__ float s[128];
    if (T >= 96) return;
    s[T] = in[T];
    if (OK)
        V("bar.sync 3, 96;" ::: M);
    else
        V("bar.sync 3, 128;" ::: M);
    out[T] = s[95 - T];
}

/* ... and so does an mbarrier. */
KERNEL left_mbarrier(ARGS) {
    __shared__ float s[128];
    __shared__ u64 bar;
    START(OK ? 96 : 128);
    if (T >= 96) return;
    s[T] = in[T];
    mb_arrive(&bar);
    mb_wait(&bar, 0);
    out[T] = s[95 - T];
}

KERNEL prefetched(ARGS) { /* registers hold the next tile; the buffer is written while others read it */
    __shared__ float s[128];
    float next = in[T];
    for (int k = 0; k < 5; k++) {
        if (OK) __syncthreads();
        s[T] = next;
        __syncthreads();
        if (k < 4) next = in[128 * (k + 1) + T];
        out[128 * k + T] = s[(T * 5 + 1) & 127];
    }
}

KERNEL private_bins(ARGS) {
    __shared__ int bins[4][32];
    bins[WARP][LANE] = 0;
    if (OK) __syncwarp();
    for (int k = 0; k < 4; k++) atomicAdd(&bins[WARP][(int)(in[128 * k + T] * 32) & 31], 1);
    __syncthreads();
    if (T < 32) out[T] = (float)(bins[0][T] + bins[1][T] + bins[2][T] + bins[3][T]);
}

KERNEL volatile_reduce(ARGS) {
    __shared__ volatile float s[128];
    s[T] = in[T];
    __syncthreads();
    if (T < 64) s[T] = s[T] + s[T + 64];
    __syncthreads();
    if (T < 32) {
        for (int d = 32; d; d /= 2) {
            float v = s[T + d];
            if (OK) __syncwarp();
            s[T] = s[T] + v;
            if (OK) __syncwarp();
        }
        if (T == 0) out[0] = s[0];
    }
}

KERNEL corners(ARGS) { /* a tile of 8 x 16 with a border of which the corners stay empty */
    __shared__ float s[10][18];
    const int x = T & 15, y = T >> 4;
    s[y + 1][x + 1] = in[64 * (y + 1) + x + 1];
    if (y == 0) s[0][x + 1] = in[x + 1], s[9][x + 1] = in[64 * 9 + x + 1];
    if (x == 0) s[y + 1][0] = in[64 * (y + 1)], s[y + 1][17] = in[64 * (y + 1) + 17];
    if (OK && T < 4) s[T & 1 ? 9 : 0][T & 2 ? 17 : 0] = in[64 * (T & 1 ? 9 : 0) + (T & 2 ? 17 : 0)];
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) sum += s[y + j][x + i];
    out[T] = sum;
}

KERNEL warp_sums(ARGS) { /* eight slots for the sums of four warps */
    __shared__ float sums[8];
    float v = in[T];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (LANE == 0) sums[WARP] = v;
    __syncthreads();
    if (T < 8) {
        v = OK && T >= 4 ? 0 : sums[T];
        for (int d = 4; d; d /= 2) v += __shfl_xor_sync(0xff, v, d);
        if (T == 0) out[0] = v;
    }
}

KERNEL row_pitch(ARGS) { /* rows of 100 floats are no multiple of 16 bytes apart when they begin at 1 */
    __shared__ alignas(128) float s[128];
    __shared__ u64 bar;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 400);
        bulk_load(s, in + (OK ? 100 : 101), 400, &bar);
    }
    mb_wait(&bar, 0);
    if (T < 100) out[T] = s[T];
}

KERNEL flag_reader(ARGS) {
    cuda::atomic_ref<float, cuda::thread_scope_device> flag(out[0]);
    if (blockIdx.x == 0) {
        out[128 + T] = in[T];
        __syncthreads();
        if (T == 0) flag.store(1, cuda::memory_order_release);
    } else {
        if (T == 0)
            while (flag.load(OK ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0)
                ;
        __syncthreads();
        out[256 + T] = out[128 + 127 - T];
    }
}

KERNEL flag_before_sync(ARGS) { /* the first thread tells that all have written before they have */
    cuda::atomic_ref<float, cuda::thread_scope_device> flag(out[0]);
    if (blockIdx.x == 0) {
        out[128 + T] = in[T];
        if (OK) __syncthreads();
        if (T == 0) flag.store(1, cuda::memory_order_release);
    } else {
        if (T == 0)
            while (flag.load(cuda::memory_order_acquire) == 0)
                ;
        __syncthreads();
        out[256 + T] = out[128 + 127 - T];
    }
}

KERNEL unlocked_plain(ARGS) { /* a lock that is given back by an ordinary store */
    if (T == 0) {
        unsigned *lock = (unsigned *)out;
        while (atomicCAS(lock, 0u, 1u)) {
        }
        __threadfence();
        out[1] += in[blockIdx.x];
        if (OK) {
            __threadfence();
            atomicExch(lock, 0u);
        } else
            *lock = 0;
    }
}

KERNEL ldmatrix_early(ARGS) {
    __shared__ alignas(16) unsigned short s[8][8];
    unsigned r;
    if (T < 64) s[T / 8][T % 8] = (unsigned short)T;
    if (OK) __syncthreads();
    if (T < 32) {
        V("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(SMEM(s[T & 7])) : M);
        out[T] = (float)r;
    }
}

KERNEL ragged_loop(ARGS) { /* lanes leave a loop of shuffles at different times */
    float v = in[T];
    const int count = OK ? 4 : 1 + (LANE & 3);
    for (int k = 0; k < count; k++) v += __shfl_down_sync(~0u, v, 1);
    out[T] = v;
}

KERNEL pipeline_tail(ARGS) {
    __shared__ float s[2][128];
    auto p = cuda::make_pipeline();
    for (int k = 0; k < 4; k++) {
        p.producer_acquire();
        cuda::memcpy_async(&s[k & 1][T], in + 128 * k + T, sizeof(float), p);
        p.producer_commit();
        if (k > 0) {
            cuda::pipeline_consumer_wait_prior<1>(p);
            out[128 * (k - 1) + T] = s[(k - 1) & 1][T];
            p.consumer_release();
        }
    }
    if (OK)
        cuda::pipeline_consumer_wait_prior<0>(p);
    else
        cuda::pipeline_consumer_wait_prior<1>(p);
    out[128 * 3 + T] = s[1][T];
}

KERNEL barrier_token(ARGS) { /* a token of the phase before */
    __shared__ float s[2][128];
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    if (T == 0) init(&b, 128);
    __syncthreads();
    cuda::memcpy_async(&s[0][T], in + T, sizeof(float), b);
    auto first = b.arrive();
    b.wait(OK ? std::move(first) : b.arrive());
    out[T] = s[0][127 - T];
}

KERNEL shared_pipe_release(ARGS) { /* a consumer that forgets to give stages back */
    __shared__ float s[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
    auto g = cg::this_thread_block();
    auto p = cuda::make_pipeline(g, &st);
    for (int k = 0; k < 4; k++) {
        p.producer_acquire();
        cuda::memcpy_async(g, s[k & 1], in + 128 * k, sizeof s[0], p);
        p.producer_commit();
        p.consumer_wait();
        out[128 * k + T] = s[k & 1][127 - T];
        if (OK || k != 1) p.consumer_release();
    }
}

KERNEL inval_reuse(ARGS) {
    __shared__ alignas(128) float s[128];
    __shared__ u64 bar;
    START(1);
    if (T == 0) {
        mb_expect(&bar, 512);
        bulk_load(s, in, 512, &bar);
    }
    mb_wait(&bar, 0);
    out[T] = s[127 - T];
    __syncthreads();
    if (T == 0) {
        mb_inval(&bar);
        if (OK) mb_init(&bar, 1), mb_fence();
        mb_expect(&bar, 512);
        bulk_load(s, in + 128, 512, &bar);
    }
    __syncthreads();
    mb_wait(&bar, 0);
    out[128 + T] = s[127 - T];
}

KERNEL peer_buffer_reused(ARGS) { /* overwrites what the other block may still read */
    __shared__ float s[128];
    auto c = cg::this_cluster();
    for (int k = 0; k < 3; k++) {
        s[T] = in[128 * k + T];
        c.sync();
        out[384 * blockIdx.x + 128 * k + T] = c.map_shared_rank(s, c.block_rank() ^ 1)[127 - T];
        if (OK)
            c.sync();
        else
            __syncthreads();
    }
    c.sync();
}

KERNEL arrive_no_wait(ARGS) { /* arrives at the cluster's barrier, and reads before it has waited */
    __shared__ float s[128];
    auto c = cg::this_cluster();
    s[T] = in[T];
    V("barrier.cluster.arrive.release.aligned;" ::: M);
    if (OK) V("barrier.cluster.wait.acquire.aligned;" ::: M);
    out[128 * blockIdx.x + T] = c.map_shared_rank(s, c.block_rank() ^ 1)[T];
    if (!OK) V("barrier.cluster.wait.acquire.aligned;" ::: M);
    c.sync();
}

KERNEL relaxed_cluster(ARGS) { /* a relaxed arrival hands nothing over */
    __shared__ float s[128];
    auto c = cg::this_cluster();
    s[T] = in[T];
    if (OK)
        V("barrier.cluster.arrive.release.aligned;" ::: M);
    else
        V("barrier.cluster.arrive.relaxed.aligned;" ::: M);
    V("barrier.cluster.wait.acquire.aligned;" ::: M);
    out[128 * blockIdx.x + T] = c.map_shared_rank(s, c.block_rank() ^ 1)[T];
    c.sync();
}

KERNEL sent_bytes(ARGS) { /* stores to the other block's memory, whose bytes nobody expects */
    __shared__ alignas(16) unsigned s[32];
    __shared__ u64 bar;
    auto c = cg::this_cluster();
    if (T == 0) {
        mb_init(&bar, 1);
        mb_fence();
    }
    c.sync();
    if (T == 0) {
        if (OK)
            mb_expect(&bar, 128);
        else
            mb_arrive(&bar);
    }
    if (T < 32) {
        unsigned to, at;
        V("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(SMEM(&s[T])), "r"(c.block_rank() ^ 1));
        V("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(SMEM(&bar)), "r"(c.block_rank() ^ 1));
        V("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(T), "r"(at) : M);
    }
    mb_wait(&bar, 0);
    if (T < 32) out[128 * blockIdx.x + T] = (float)s[31 - T];
    c.sync();
}

KERNEL dsm_bulk(ARGS) { /* sends its tile to the other block, and overwrites the tile before it has been sent */
    __shared__ alignas(128) float s[128], r[128];
    __shared__ u64 bar, sent;
    auto c = cg::this_cluster();
    if (T == 0) { mb_init(&bar, 1); mb_fence(); mb_expect(&bar, 512); }
    s[T] = in[128 * blockIdx.x + T];
    proxy_fence();
    c.sync();
    if (T == 0) {
        unsigned to, at;
        V("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(SMEM(r)), "r"(c.block_rank() ^ 1));
        V("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(SMEM(&bar)), "r"(c.block_rank() ^ 1));
        V("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(to), "r"(SMEM(s)), "r"(at) : M);
    }
    if (!OK) { __syncthreads(); s[T] = 0; }
    mb_wait(&bar, 0);
    out[128 * blockIdx.x + T] = r[127 - T];
    c.sync();
    if (OK) s[T] = 0;
}

KERNEL split_k(ARGS) { /* blocks add their parts in turn, by a semaphore that is handed on before all threads have stored */
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> turn(*(unsigned *)out);
    if (T == 0) while (turn.load(cuda::memory_order_acquire) != blockIdx.x);
    __syncthreads();
    out[128 + T] += in[128 * blockIdx.x + T];
    if (OK) __syncthreads();
    if (T == 0) turn.store(blockIdx.x + 1, cuda::memory_order_release);
}

extern "C" {
/* async-read-before-wait, race-shared */
__global__ void bad_commit_in_if(ARGS) {
    commit_in_if<false>(in, out, n);
}
__global__ void ok_commit_in_if(ARGS) {
    commit_in_if<true>(in, out, n);
}

/* async-read-before-wait, deadlock, mbarrier-misuse, race-shared */
__global__ void bad_phase_each_time(ARGS) {
    phase_each_time<false>(in, out, n);
}
__global__ void ok_phase_each_time(ARGS) {
    phase_each_time<true>(in, out, n);
}

/* deadlock */
__global__ void bad_first_wait(ARGS) {
    first_wait<false>(in, out, n);
}
__global__ void ok_first_wait(ARGS) {
    first_wait<true>(in, out, n);
}

/* race-shared */
__global__ void bad_release_by_lane(ARGS) {
    release_by_lane<false>(in, out, n);
}
__global__ void ok_release_by_lane(ARGS) {
    release_by_lane<true>(in, out, n);
}

/* deadlock */
__global__ void bad_last_tile_bytes(ARGS) {
    last_tile_bytes<false>(in, out, n);
}
__global__ void ok_last_tile_bytes(ARGS) {
    last_tile_bytes<true>(in, out, n);
}

/* async-read-before-wait */
__global__ void bad_tried_once(ARGS) {
    tried_once<false>(in, out, n);
}
__global__ void ok_tried_once(ARGS) {
    tried_once<true>(in, out, n);
}

/* mbarrier-misuse, async-read-before-wait, deadlock */
__global__ void bad_elected_in_each_warp(ARGS) {
    elected_in_each_warp<false>(in, out, n);
}
__global__ void ok_elected_in_each_warp(ARGS) {
    elected_in_each_warp<true>(in, out, n);
}

/* deadlock, async-read-before-wait */
__global__ void bad_bytes_told_late(ARGS) {
    bytes_told_late<false>(in, out, n);
}
__global__ void ok_bytes_told_late(ARGS) {
    bytes_told_late<true>(in, out, n);
}

/* async-source-overwritten */
__global__ void bad_staging(ARGS) {
    staging<false>(in, out, n);
}
__global__ void ok_staging(ARGS) {
    staging<true>(in, out, n);
}

/* async-source-overwritten */
__global__ void bad_store_then_load(ARGS) {
    store_then_load<false>(in, out, n);
}
__global__ void ok_store_then_load(ARGS) {
    store_then_load<true>(in, out, n);
}

/* deadlock, barrier-misuse, barrier-divergence */
__global__ void bad_consumers_counted(ARGS) {
    consumers_counted<false>(in, out, n);
}
__global__ void ok_consumers_counted(ARGS) {
    consumers_counted<true>(in, out, n);
}

/* deadlock, barrier-misuse, barrier-divergence */
__global__ void bad_left_early(ARGS) {
    left_early<false>(in, out, n);
}
__global__ void ok_left_early(ARGS) {
    left_early<true>(in, out, n);
}

/* deadlock */
__global__ void bad_left_mbarrier(ARGS) {
    left_mbarrier<false>(in, out, n);
}
__global__ void ok_left_mbarrier(ARGS) {
    left_mbarrier<true>(in, out, n);
}

/* race-shared */
__global__ void bad_prefetched(ARGS) {
    prefetched<false>(in, out, n);
}
__global__ void ok_prefetched(ARGS) {
    prefetched<true>(in, out, n);
}

/* race-shared */
__global__ void bad_private_bins(ARGS) {
    private_bins<false>(in, out, n);
}
__global__ void ok_private_bins(ARGS) {
    private_bins<true>(in, out, n);
}

/* race-shared */
__global__ void bad_volatile_reduce(ARGS) {
    volatile_reduce<false>(in, out, n);
}
__global__ void ok_volatile_reduce(ARGS) {
    volatile_reduce<true>(in, out, n);
}

/* uninitialised-read */
__global__ void bad_corners(ARGS) {
    corners<false>(in, out, n);
}
__global__ void ok_corners(ARGS) {
    corners<true>(in, out, n);
}

/* uninitialised-read */
__global__ void bad_warp_sums(ARGS) {
    warp_sums<false>(in, out, n);
}
__global__ void ok_warp_sums(ARGS) {
    warp_sums<true>(in, out, n);
}

/* misaligned */
__global__ void bad_row_pitch(ARGS) {
    row_pitch<false>(in, out, n);
}
__global__ void ok_row_pitch(ARGS) {
    row_pitch<true>(in, out, n);
}

/* 2 blocks: race-global */
__global__ void bad_flag_reader(ARGS) {
    flag_reader<false>(in, out, n);
}
__global__ void ok_flag_reader(ARGS) {
    flag_reader<true>(in, out, n);
}

/* 2 blocks: race-global */
__global__ void bad_flag_before_sync(ARGS) {
    flag_before_sync<false>(in, out, n);
}
__global__ void ok_flag_before_sync(ARGS) {
    flag_before_sync<true>(in, out, n);
}

/* 4 blocks: race-global */
__global__ void bad_unlocked_plain(ARGS) {
    unlocked_plain<false>(in, out, n);
}
__global__ void ok_unlocked_plain(ARGS) {
    unlocked_plain<true>(in, out, n);
}

/* race-shared, uninitialised-read */
__global__ void bad_ldmatrix_early(ARGS) {
    ldmatrix_early<false>(in, out, n);
}
__global__ void ok_ldmatrix_early(ARGS) {
    ldmatrix_early<true>(in, out, n);
}

/* shuffle-mask */
__global__ void bad_ragged_loop(ARGS) {
    ragged_loop<false>(in, out, n);
}
__global__ void ok_ragged_loop(ARGS) {
    ragged_loop<true>(in, out, n);
}

/* async-read-before-wait */
__global__ void bad_pipeline_tail(ARGS) {
    pipeline_tail<false>(in, out, n);
}
__global__ void ok_pipeline_tail(ARGS) {
    pipeline_tail<true>(in, out, n);
}

/* mbarrier-misuse, deadlock */
__global__ void bad_barrier_token(ARGS) {
    barrier_token<false>(in, out, n);
}
__global__ void ok_barrier_token(ARGS) {
    barrier_token<true>(in, out, n);
}

/* async-read-before-wait */
__global__ void bad_shared_pipe_release(ARGS) {
    shared_pipe_release<false>(in, out, n);
}
__global__ void ok_shared_pipe_release(ARGS) {
    shared_pipe_release<true>(in, out, n);
}

/* mbarrier-misuse */
__global__ void bad_inval_reuse(ARGS) {
    inval_reuse<false>(in, out, n);
}
__global__ void ok_inval_reuse(ARGS) {
    inval_reuse<true>(in, out, n);
}

/* 2 blocks: race-shared */
__global__ void __cluster_dims__(2, 1, 1) bad_peer_buffer_reused(ARGS) {
    peer_buffer_reused<false>(in, out, n);
}
__global__ void __cluster_dims__(2, 1, 1) ok_peer_buffer_reused(ARGS) {
    peer_buffer_reused<true>(in, out, n);
}

/* 2 blocks: race-shared */
__global__ void __cluster_dims__(2, 1, 1) bad_arrive_no_wait(ARGS) {
    arrive_no_wait<false>(in, out, n);
}
__global__ void __cluster_dims__(2, 1, 1) ok_arrive_no_wait(ARGS) {
    arrive_no_wait<true>(in, out, n);
}

/* 2 blocks: race-shared */
__global__ void __cluster_dims__(2, 1, 1) bad_relaxed_cluster(ARGS) {
    relaxed_cluster<false>(in, out, n);
}
__global__ void __cluster_dims__(2, 1, 1) ok_relaxed_cluster(ARGS) {
    relaxed_cluster<true>(in, out, n);
}

/* 2 blocks: async-read-before-wait, deadlock, mbarrier-misuse */
__global__ void __cluster_dims__(2, 1, 1) bad_sent_bytes(ARGS) {
    sent_bytes<false>(in, out, n);
}
__global__ void __cluster_dims__(2, 1, 1) ok_sent_bytes(ARGS) {
    sent_bytes<true>(in, out, n);
}
/* 2 blocks: async-source-overwritten */
__global__ void __cluster_dims__(2, 1, 1) bad_dsm_bulk(ARGS) { dsm_bulk<false>(in, out, n); }
__global__ void __cluster_dims__(2, 1, 1) ok_dsm_bulk(ARGS) { dsm_bulk<true>(in, out, n); }
/* 4 blocks: race-global */
__global__ void bad_split_k(ARGS) { split_k<false>(in, out, n); }
__global__ void ok_split_k(ARGS) { split_k<true>(in, out, n); }
}
