/* Measures two GPUs with NVLink: copies by the engines, by kernels and by bulk copies, the round trip of a flag, and
 * messages with a signal (haul/device/peer.h). Prints rates, and ratios to the engines in the same run.
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 -Iinclude -o peers_node bench/peers_node.cu && ./peers_node [MIB]
 *
 * MIB: size of the large copies, 1024 unless given. With -DWITH_NCCL and -lnccl it times NCCL's send and receive, too.
 * Runs on virtual GPUs: haul run --device sim:h200x2. */
#include <haul/device.h>

#include "node.h"

enum { GPUS = 2, ROUNDS = 5, PINGS = 1000, MOST_BLOCKS = 32, THREADS = 512 };

/* ---- kernels ---- */

/* Each block copies pieces of PIECE bytes in turn. */
enum { PIECE = 64 << 10 };
__global__ void __launch_bounds__(THREADS) put(unsigned char *to, const unsigned char *from, size_t bytes) {
    for (size_t at = (size_t)blockIdx.x * PIECE; at < bytes; at += (size_t)gridDim.x * PIECE)
        haul_block_put(to + at, from + at, bytes - at < PIECE ? bytes - at : PIECE);
}

/* One thread moves tiles through STAGES of shared memory; at most AHEAD loads are ahead of the stores. */
enum { STAGES = 8, AHEAD = 4, TILE = 16 << 10 };
__global__ void put_bulk(unsigned char *to, const unsigned char *from, size_t bytes) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ __align__(8) unsigned long long barriers[STAGES];
    const size_t tiles = bytes / TILE, mine = (tiles + gridDim.x - 1 - blockIdx.x) / gridDim.x;
    const unsigned stages = haul_shared_address(memory), full = haul_shared_address(barriers);
    if (threadIdx.x) return;
    for (unsigned s = 0; s < STAGES; s++) haul_barrier_init(full + 8 * s, 1);
    haul_barrier_init_fence();
    for (size_t k = 0; k < mine + AHEAD; k++) {
        const unsigned s = (unsigned)(k % STAGES);
        if (k < mine) {
            asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(STAGES - AHEAD - 1) : "memory");
            haul_barrier_arrive_expecting(full + 8 * s, TILE);
            haul_bulk_load(stages + s * TILE, haul_global_address(from + (blockIdx.x + k * gridDim.x) * TILE), TILE,
                           full + 8 * s, 0);
        }
        if (k >= AHEAD) {
            const size_t j = k - AHEAD;
            const unsigned t = (unsigned)(j % STAGES);
            haul_barrier_wait(full + 8 * t, (unsigned)(j / STAGES) & 1, "tiles", t, "copy");
            haul_bulk_store(haul_global_address(to + (blockIdx.x + j * gridDim.x) * TILE), stages + t * TILE, TILE, 0);
            haul_bulk_commit();
        }
    }
    haul_bulk_wait();
#endif
}

/* GPU 0 begins; `mine` is in this GPU's memory. */
__global__ void flags(haul_signal *mine, haul_signal *theirs, unsigned rounds, int begins) {
    for (unsigned r = 1; r <= rounds; r++) {
        if (begins) haul_signal_set(theirs, r);
        haul_signal_await(mine, r);
        if (!begins) haul_signal_set(theirs, r);
    }
}

/* A message goes to and fro. All blocks of a GPU wait for the whole of it. */
__global__ void messages(unsigned char *to, const unsigned char *from, unsigned bytes, haul_signal *mine,
                         haul_signal *theirs, unsigned rounds, int begins) {
    const unsigned part = bytes / gridDim.x, at = blockIdx.x * part;
    for (unsigned r = 1; r <= rounds; r++) {
        if (!begins) haul_block_await(mine, r * gridDim.x);
        haul_block_put(to + at, from + at, part);
        __syncthreads();
        if (threadIdx.x == 0) haul_signal_add(theirs, 1);
        if (begins) haul_block_await(mine, r * gridDim.x);
    }
}

/* ---- measuring ---- */

static unsigned char *in[GPUS], *out[GPUS];
static haul_signal *signals[GPUS];
static cudaStream_t streams[GPUS];
static cudaEvent_t begin[GPUS], end[GPUS];
static int sms;

enum way { ENGINES, READ, WRITE, BULK_READ, BULK_WRITE, WAYS };
static const char *const names[WAYS] = {"engines", "kernel reads", "kernel writes", "bulk reads", "bulk writes"};

/* Starts the copy from `from` to GPU 1 - from. Readers run on the GPU that receives. */
static void start(enum way way, int from, size_t bytes) {
    const int to = 1 - from, runs = way == READ || way == BULK_READ ? to : from;
    CHECK(cudaSetDevice(runs));
    if (way == ENGINES) CHECK(cudaMemcpyPeerAsync(out[to], to, in[from], from, bytes, streams[runs]));
    if (way == READ || way == WRITE) put<<<2 * sms, THREADS, 0, streams[runs]>>>(out[to], in[from], bytes);
    if (way == BULK_READ || way == BULK_WRITE)
        put_bulk<<<sms, 32, STAGES * TILE, streams[runs]>>>(out[to], in[from], bytes);
    CHECK(cudaGetLastError());
}

static void record(const cudaEvent_t *events, int g) {
    CHECK(cudaSetDevice(g));
    CHECK(cudaEventRecord(events[g], streams[g]));
}

/* GB/s of the best round, one way or both together. */
static double rate(enum way way, int both, size_t bytes) {
    double best = 0;
    for (int r = 0; r < ROUNDS; r++) {
        float ms = 0, other = 0;
        for (int g = 0; g < GPUS; g++) record(begin, g);
        for (int g = 0; g <= both; g++) start(way, g, bytes);
        for (int g = 0; g < GPUS; g++) record(end, g);
        for (int g = 0; g < GPUS; g++) CHECK(cudaEventSynchronize(end[g]));
        CHECK(cudaEventElapsedTime(&ms, begin[0], end[0]));
        CHECK(cudaEventElapsedTime(&other, begin[1], end[1]));
        ms = ms > other ? ms : other;
        if (1e-6 * (double)bytes * (1 + both) / ms > best) best = 1e-6 * (double)bytes * (1 + both) / ms;
    }
    return best;
}

static void clear_signals(void) {
    for (int g = 0; g < GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemset(signals[g], 0, sizeof(haul_signal)));
        CHECK(cudaDeviceSynchronize());
    }
}

/* Microseconds of a round of a kernel that runs on both GPUs. */
template <class launch_on> static double round_us(unsigned rounds, launch_on launch) {
    double best = 1e30;
    for (int r = 0; r < ROUNDS; r++) {
        float ms = 0;
        clear_signals();
        for (int g = GPUS - 1; g >= 0; g--) {
            record(begin, g);
            launch(g);
            CHECK(cudaGetLastError());
            record(end, g);
        }
        for (int g = 0; g < GPUS; g++) CHECK(cudaEventSynchronize(end[g]));
        CHECK(cudaEventElapsedTime(&ms, begin[0], end[0]));
        if (1e3 * ms / rounds < best) best = 1e3 * ms / rounds;
    }
    return best;
}

static void prepare(size_t bytes) {
    int count = 0, can = 0;
    CHECK(cudaGetDeviceCount(&count));
    if (count < GPUS) {
        fprintf(stderr, "peers_node: two GPUs are needed, there are %d\n", count);
        exit(2);
    }
    for (int g = 0; g < GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceCanAccessPeer(&can, g, 1 - g));
        if (!can) {
            fprintf(stderr, "peers_node: GPU %d cannot access GPU %d\n", g, 1 - g);
            exit(2);
        }
        CHECK(cudaDeviceEnablePeerAccess(1 - g, 0));
        CHECK(cudaMalloc(&in[g], bytes));
        CHECK(cudaMalloc(&out[g], bytes));
        CHECK(cudaMalloc(&signals[g], sizeof(haul_signal)));
        CHECK(cudaMemset(in[g], 17 + g, bytes));
        CHECK(cudaStreamCreate(&streams[g]));
        CHECK(cudaEventCreate(&begin[g]));
        CHECK(cudaEventCreate(&end[g]));
        CHECK(cudaFuncSetAttribute(put_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * TILE));
        CHECK(cudaDeviceSynchronize());
    }
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    sms = p.multiProcessorCount;
    printf("%s, %d SMs, %zu MiB\n", p.name, sms, bytes >> 20);
}

/* Both GPUs must hold the other's bytes. */
static void check(const char *what, size_t bytes) {
    for (int g = 0; g < GPUS; g++) {
        unsigned char last[16];
        CHECK(cudaMemcpy(last, out[g] + bytes - sizeof last, sizeof last, cudaMemcpyDeviceToHost));
        for (unsigned char byte : last)
            if (byte != 17 + 1 - g) {
                fprintf(stderr, "peers_node: %s: wrong bytes on GPU %d\n", what, g);
                exit(1);
            }
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemset(out[g], 0, bytes));
    }
}

static void measure_copies(size_t bytes) {
    double one = 0, two = 0;
    printf("%-14s %10s %8s %10s %8s\n", "copy", "one way", "ratio", "both ways", "ratio");
    for (int w = 0; w < WAYS; w++) {
        const double way = rate((enum way)w, 0, bytes), both = rate((enum way)w, 1, bytes);
        check(names[w], bytes);
        if (w == ENGINES) one = way, two = both;
        printf("%-14s %10.1f %8.3f %10.1f %8.3f\n", names[w], way, way / one, both, both / two);
    }
}

#ifdef WITH_NCCL
static ncclComm_t comms[GPUS];

static void send(int from, size_t bytes) {
    CHECK_NCCL(ncclGroupStart());
    CHECK_NCCL(ncclSend(in[from], bytes, ncclChar, 1 - from, comms[from], streams[from]));
    CHECK_NCCL(ncclRecv(out[1 - from], bytes, ncclChar, from, comms[1 - from], streams[1 - from]));
    CHECK_NCCL(ncclGroupEnd());
}

/* Microseconds of a message that goes to and fro by send and receive, one way. */
static double nccl_us(size_t bytes) {
    enum { TURNS = 100 };
    double best = 1e30;
    for (int r = 0; r < ROUNDS; r++) {
        float ms = 0;
        record(begin, 0);
        for (int turn = 0; turn < TURNS; turn++)
            for (int from = 0; from < GPUS; from++) send(from, bytes);
        record(end, 0);
        CHECK(cudaEventSynchronize(end[0]));
        CHECK(cudaEventElapsedTime(&ms, begin[0], end[0]));
        if (1e3 * ms / (2 * TURNS) < best) best = 1e3 * ms / (2 * TURNS);
    }
    return best;
}
#endif

static void measure_messages(double flag_us, double gbps) {
    printf("%-14s %10s %10s %8s %8s %10s\n", "message", "one way us", "bound us", "ratio", "blocks", "NCCL us");
    for (unsigned bytes = 4 << 10; bytes <= 1 << 20; bytes *= 4) {
        double best = 1e30;
        int blocks = 1;
        for (int n = 1; n <= MOST_BLOCKS; n *= 2) {
            const double us = round_us(PINGS,
                                       [&](int g) {
                                           messages<<<n, THREADS, 0, streams[g]>>>(out[1 - g], in[g], bytes, signals[g],
                                                                                   signals[1 - g], PINGS, g == 0);
                                       }) /
                              2;
            if (us < best) best = us, blocks = n;
        }
        const double bound = flag_us / 2 + (double)bytes / (gbps * 1e3);
        printf("%10u KiB %10.2f %10.2f %8.2f %8d", bytes >> 10, best, bound, best / bound, blocks);
#ifdef WITH_NCCL
        printf(" %10.2f", nccl_us(bytes));
#endif
        printf("\n");
    }
}

int main(int argc, char **argv) {
    const size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 1024) << 20;
    prepare(bytes);
    measure_copies(bytes);
    const double flag_us =
        round_us(PINGS, [&](int g) { flags<<<1, 1, 0, streams[g]>>>(signals[g], signals[1 - g], PINGS, g == 0); });
    printf("flag round trip: %.2f us\n", flag_us);
#ifdef WITH_NCCL
    const int devices[GPUS] = {0, 1};
    CHECK_NCCL(ncclCommInitAll(comms, GPUS, devices));
#endif
    measure_messages(flag_us, rate(ENGINES, 0, bytes));
    return 0;
}
