/* haul/device/peer.h on four devices: each function between all of them, compared with the host. Prints ok.
 */
#include <haul/device.h>

#include <cstdio>
#include <cstdlib>

enum { DEVICES = 4, THREADS = 128, TILE = 1000, ROUNDS = 3, SIDE = 64 };

/* Each device has room for a tile of each rank, and the parts that it adds up. */
struct memory {
    float *gathered, *parts, *sum, *ring, *halo;
    haul_signal *signals, *ring_signal, *ring_taken, *halo_signals;
};

static __host__ __device__ float value_of(unsigned rank, unsigned round, unsigned i) {
    return (float)(rank * 10000 + round * 1000 + i % 97);
}

/* The tiles of all ranks, in every device's memory. */
__global__ void gather(haul_node node, float *tile) {
    for (unsigned i = threadIdx.x; i < TILE; i += THREADS) tile[i] = value_of(node.rank, 1, i);
    __syncthreads();
    haul_block_all_gather(&node, tile, node.rank * TILE * sizeof(float), TILE * sizeof(float), 1);
    haul_block_node_await(&node, 1);
}

/* The sum of all ranks' parts; each device adds up its own piece. */
__global__ void scatter(haul_node node, float *parts, float *sum) {
    for (unsigned i = threadIdx.x; i < DEVICES * TILE; i += THREADS) parts[i] = value_of(node.rank, 2, i);
    haul_block_node_signal(&node, 2);
    haul_block_reduce_scatter(&node, sum, node.rank * TILE * sizeof(float), TILE, 2);
}

/* Warps 1 to 3 compute tiles in shared memory; warp 0 pushes them to the next device meanwhile. */
__global__ void push(float *next, haul_signal *signal, const haul_signal *taken, unsigned rank) {
    __shared__ __align__(128) float stages[2][TILE + 24];
    for (unsigned r = 0; r < ROUNDS; r++) {
        if (threadIdx.x >= 32)
            for (unsigned i = threadIdx.x - 32; i < TILE; i += THREADS - 32) stages[r % 2][i] = value_of(rank, r, i);
        haul_proxy_fence();
        __syncthreads();
        if (threadIdx.x >= 32) continue;
        if (r) haul_warp_await(taken, r);
        haul_warp_send_signal(next, stages[r % 2], TILE * sizeof(float), signal, r + 1);
    }
}

__global__ void take(float *sum, const float *mine, const haul_signal *signal, haul_signal *taken) {
    for (unsigned r = 0; r < ROUNDS; r++) {
        haul_block_await(signal, r + 1);
        for (unsigned i = threadIdx.x; i < TILE; i += THREADS) sum[i] = (r ? sum[i] : 0) + mine[i];
        haul_block_signal(taken, r + 1);
    }
}

/* halo: the left halo, the left border, the right border, the right halo. */
__global__ void exchange(float *halo, haul_side left, haul_side right, unsigned rank, int pulls) {
    const haul_side sides[2] = {left, right};
    for (unsigned i = threadIdx.x; i < 2 * SIDE; i += THREADS) halo[SIDE + i] = value_of(rank, 3, i);
    __syncthreads();
    if (pulls) {
        haul_block_halo_pull(sides, SIDE * sizeof(float), 1);
    } else {
        haul_block_halo_push(sides, SIDE * sizeof(float), 1);
        haul_block_halo_await(sides, 1);
    }
}

/* ---- the host ---- */

static memory nodes[DEVICES];

static void fail(const char *what, unsigned device, unsigned i, float found, float expected) {
    std::printf("%s: device %u, element %u is %g, not %g\n", what, device, i, (double)found, (double)expected);
    std::exit(1);
}

template <class T> static void make(T *&memory, unsigned count) {
    cudaMalloc(&memory, count * sizeof(T));
    cudaMemset(memory, 0, count * sizeof(T));
}

static void prepare() {
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        for (int p = 0; p < DEVICES; p++)
            if (p != d) cudaDeviceEnablePeerAccess(p, 0);
        make(nodes[d].gathered, DEVICES * TILE);
        make(nodes[d].parts, DEVICES * TILE);
        make(nodes[d].sum, TILE);
        make(nodes[d].ring, TILE);
        make(nodes[d].halo, 4 * SIDE);
        make(nodes[d].signals, DEVICES);
        make(nodes[d].ring_signal, 1);
        make(nodes[d].ring_taken, 1);
        make(nodes[d].halo_signals, 2);
        cudaDeviceSynchronize();
    }
}

static void finish() {
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        if (cudaDeviceSynchronize() == cudaSuccess) continue;
        std::printf("device %d: %s\n", d, cudaGetErrorString(cudaGetLastError()));
        std::exit(1);
    }
}

static float *read(const float *from, unsigned count) {
    static float host[DEVICES * TILE];
    cudaMemcpy(host, from, count * sizeof(float), cudaMemcpyDeviceToHost);
    return host;
}

static haul_node node_of(unsigned rank, float *memory::*which) {
    haul_node node = {rank, DEVICES, {}, {}};
    for (unsigned d = 0; d < DEVICES; d++) {
        node.memory[d] = nodes[d].*which;
        node.signals[d] = nodes[d].signals;
    }
    return node;
}

static void try_tiles() {
    for (unsigned d = 0; d < DEVICES; d++) {
        cudaSetDevice((int)d);
        gather<<<1, THREADS>>>(node_of(d, &memory::gathered), nodes[d].gathered + d * TILE);
        scatter<<<1, THREADS>>>(node_of(d, &memory::parts), nodes[d].parts, nodes[d].sum);
    }
    finish();
    for (unsigned d = 0; d < DEVICES; d++) {
        const float *found = read(nodes[d].gathered, DEVICES * TILE);
        for (unsigned i = 0; i < DEVICES * TILE; i++)
            if (found[i] != value_of(i / TILE, 1, i % TILE))
                fail("gather", d, i, found[i], value_of(i / TILE, 1, i % TILE));
        found = read(nodes[d].sum, TILE);
        for (unsigned i = 0; i < TILE; i++) {
            float sum = 0;
            for (unsigned r = 0; r < DEVICES; r++) sum += value_of(r, 2, d * TILE + i);
            if (found[i] != sum) fail("scatter", d, i, found[i], sum);
        }
    }
}

static void try_ring() {
    cudaStream_t takers[DEVICES];
    for (unsigned d = 0; d < DEVICES; d++) {
        const memory &next = nodes[(d + 1) % DEVICES], &before = nodes[(d + DEVICES - 1) % DEVICES];
        cudaSetDevice((int)d);
        cudaStreamCreateWithFlags(&takers[d], cudaStreamNonBlocking);
        push<<<1, THREADS>>>(next.ring, next.ring_signal, nodes[d].ring_taken, d);
        take<<<1, THREADS, 0, takers[d]>>>(nodes[d].sum, nodes[d].ring, nodes[d].ring_signal, before.ring_taken);
    }
    finish();
    for (unsigned d = 0; d < DEVICES; d++) {
        const float *found = read(nodes[d].sum, TILE);
        for (unsigned i = 0; i < TILE; i++) {
            float sum = 0;
            for (unsigned r = 0; r < ROUNDS; r++) sum += value_of((d + DEVICES - 1) % DEVICES, r, i);
            if (found[i] != sum) fail("ring", d, i, found[i], sum);
        }
    }
}

/* Side k of a device faces side 1 - k of its neighbour. */
static haul_side side_of(int d, int k) {
    const int n = k ? d + 1 : d - 1;
    haul_side side = {};
    if (n < 0 || n >= DEVICES) return side;
    side.border = nodes[d].halo + (k ? 2 : 1) * SIDE;
    side.halo = nodes[d].halo + (k ? 3 : 0) * SIDE;
    side.peer_border = nodes[n].halo + (k ? 1 : 2) * SIDE;
    side.peer_halo = nodes[n].halo + (k ? 0 : 3) * SIDE;
    side.signal = nodes[d].halo_signals + k;
    side.peer_signal = nodes[n].halo_signals + (1 - k);
    return side;
}

static void try_halo(int pulls) {
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        cudaMemset(nodes[d].halo, 0, 4 * SIDE * sizeof(float));
        cudaMemset(nodes[d].halo_signals, 0, 2 * sizeof(haul_signal));
        cudaDeviceSynchronize();
    }
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        exchange<<<1, THREADS>>>(nodes[d].halo, side_of(d, 0), side_of(d, 1), (unsigned)d, pulls);
    }
    finish();
    for (unsigned d = 0; d < DEVICES; d++) {
        const float *found = read(nodes[d].halo, 4 * SIDE);
        for (unsigned i = 0; i < SIDE; i++) {
            const float left = d ? value_of(d - 1, 3, SIDE + i) : 0,
                        right = d + 1 < DEVICES ? value_of(d + 1, 3, i) : 0;
            if (found[i] != left) fail(pulls ? "pull" : "push", d, i, found[i], left);
            if (found[3 * SIDE + i] != right)
                fail(pulls ? "pull" : "push", d, 3 * SIDE + i, found[3 * SIDE + i], right);
        }
    }
}

int main() {
    prepare();
    try_tiles();
    try_ring();
    try_halo(0);
    try_halo(1);
    std::printf("ok\n");
    return 0;
}
