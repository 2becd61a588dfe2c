/* A stencil of radius 4 on a plane, on one GPU and on two with NVLink. The two exchange borders of four rows in each
 * step, in two ways: inside the kernel, by signals (haul/device/peer.h), and between kernels, by NCCL. Prints the time
 * of a step, and how many times as fast two GPUs are as one. All kernels start while the one before ends (programmatic
 * dependent launch).
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 -Iinclude -o stencil_node bench/stencil_node.cu && ./stencil_node [ROWS [STEPS]]
 *
 * ROWS of 16384 floats, a multiple of 16: 16384 unless given. With -DWITH_NCCL and -lnccl it measures NCCL, too. Runs
 * on virtual GPUs: haul run --device sim:h200x2. */
#include <haul/device.h>

#include "node.h"

#include <vector>

enum {
    GPUS = 2,
    RADIUS = 4,
    VECTORS = 4096 /* of four floats, in a row */,
    THREADS = 256,
    TALL = 8 /* rows a thread */
};
enum { ROUNDS = 5, BORDER = TALL /* rows that are computed first */, BLOCKS_PER_SM = 3 };
static const size_t HALO_BYTES = (size_t)RADIUS * VECTORS * sizeof(float4);

/* ---- kernels: `in` and `out` point at the first row of this GPU's part, with RADIUS rows of halo on both sides ----
 */

__device__ static float4 load(const float4 *row, int x) {
    return x < 0 || x >= VECTORS ? make_float4(0, 0, 0, 0) : row[x];
}

/* 0.2 * a + 0.05 * (the 16 elements around it in both directions) */
__device__ static float4 weighted(const float4 *in, const float4 *column, int x) {
    const float4 left = load(in, x - 1), middle = column[RADIUS], right = load(in, x + 1);
    const float line[12] = {left.x,   left.y,   left.z,  left.w,  middle.x, middle.y,
                            middle.z, middle.w, right.x, right.y, right.z,  right.w};
    float sum[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        sum[i] = 0.15f * line[4 + i];
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; k++) sum[i] += 0.05f * line[4 + i + k];
    }
#pragma unroll
    for (int k = 1; k <= RADIUS; k++) {
        const float4 above = column[RADIUS - k], below = column[RADIUS + k];
        sum[0] += 0.05f * (above.x + below.x), sum[1] += 0.05f * (above.y + below.y);
        sum[2] += 0.05f * (above.z + below.z), sum[3] += 0.05f * (above.w + below.w);
    }
    return make_float4(sum[0], sum[1], sum[2], sum[3]);
}

/* TALL rows from `row` on, of one vector's width. */
__device__ static void compute(float4 *out, const float4 *in, int row, int x) {
    float4 column[TALL + 2 * RADIUS];
#pragma unroll
    for (int k = 0; k < TALL + 2 * RADIUS; k++) column[k] = in[(row + k - RADIUS) * (ptrdiff_t)VECTORS + x];
#pragma unroll
    for (int k = 0; k < TALL; k++) {
        const ptrdiff_t at = (row + k) * (ptrdiff_t)VECTORS;
        out[at + x] = weighted(in + at, column + k, x);
    }
}

/* Rows `first` .. `last`, a block a tile. */
__device__ static void compute_tile(float4 *out, const float4 *in, int first, int tile) {
    const int across = VECTORS / THREADS;
    compute(out, in, first + tile / across * TALL, tile % across * THREADS + (int)threadIdx.x);
}

/* The next kernel may start when all blocks have; this one goes on when the one before has ended. */
__device__ static void meet_neighbours(void) {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) tiles(float4 *out, const float4 *in, int first) {
    meet_neighbours();
    compute_tile(out, in, first, (int)blockIdx.x);
}

/* Block 0 awaits the neighbour's border of the step before, computes its own and gives it away; the others compute the
 * interior from row `first` on. */
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    step(float4 *out, const float4 *in, int border, int first, haul_side left, haul_side right, unsigned number) {
    meet_neighbours();
    if (blockIdx.x) {
        compute_tile(out, in, first, (int)blockIdx.x - 1);
        return;
    }
    const haul_side sides[2] = {left, right};
    if (number > 1) haul_block_halo_await(sides, number - 1);
    for (int x = (int)threadIdx.x; x < VECTORS; x += THREADS) compute(out, in, border, x);
    __syncthreads();
    haul_block_halo_push(sides, (unsigned long long)RADIUS * VECTORS * sizeof(float4), number);
}

/* ---- a GPU's part ---- */

typedef struct part {
    float4 *arrays[2]; /* with the halos */
    haul_signal *signal;
    cudaStream_t stream, messages;
    cudaEvent_t begin, end, border_is_done, halo_is_there;
    int rows;
} part;

static float4 *rows_of(const part *p, int which) {
    return p->arrays[which] + (size_t)RADIUS * VECTORS;
}

static void make_part(part *p, int gpu, int rows, const std::vector<float> &start, size_t from) {
    const size_t bytes = (rows + 2 * (size_t)RADIUS) * VECTORS * sizeof(float4);
    CHECK(cudaSetDevice(gpu));
    p->rows = rows;
    for (float4 *&array : p->arrays) {
        CHECK(cudaMalloc(&array, bytes));
        CHECK(cudaMemcpy(array, start.data() + from * VECTORS * 4, bytes, cudaMemcpyHostToDevice));
    }
    CHECK(cudaMalloc(&p->signal, sizeof *p->signal));
    CHECK(cudaMemset(p->signal, 0, sizeof *p->signal));
    CHECK(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&p->messages, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&p->begin));
    CHECK(cudaEventCreate(&p->end));
    CHECK(cudaEventCreateWithFlags(&p->border_is_done, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&p->halo_is_there, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
}

static void free_part(part *p, int gpu) {
    CHECK(cudaSetDevice(gpu));
    for (float4 *array : p->arrays) CHECK(cudaFree(array));
    CHECK(cudaFree(p->signal));
    CHECK(cudaStreamDestroy(p->stream));
    CHECK(cudaStreamDestroy(p->messages));
    for (cudaEvent_t event : {p->begin, p->end, p->border_is_done, p->halo_is_there}) CHECK(cudaEventDestroy(event));
}

/* The first of the border's rows, and of the halo's, of GPU g. */
static int border_row(const part *p, int g) {
    return g == 0 ? p->rows - BORDER : 0;
}
static int sent_row(const part *p, int g) {
    return g == 0 ? p->rows - RADIUS : 0;
}
static int halo_row(const part *p, int g) {
    return g == 0 ? p->rows : -RADIUS;
}
static float4 *row_of(const part *p, int which, int row) {
    return rows_of(p, which) + (ptrdiff_t)row * VECTORS;
}
static int tiles_of(int rows) {
    return rows / TALL * (VECTORS / THREADS);
}

/* ---- the ways ---- */

template <class... Parameters, class... Arguments>
static void launch(void (*kernel)(Parameters...), int blocks, cudaStream_t stream, Arguments... arguments) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(THREADS);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

enum way { ONE, SIGNALS, BY_NCCL };

static haul_side facing(const part *parts, int g, int which) {
    const part *own = &parts[g], *peer = &parts[1 - g];
    haul_side side = {};
    side.border = row_of(own, which, sent_row(own, g)), side.halo = row_of(own, which, halo_row(own, g));
    side.peer_border = row_of(peer, which, sent_row(peer, 1 - g)),
    side.peer_halo = row_of(peer, which, halo_row(peer, 1 - g));
    side.signal = own->signal, side.peer_signal = peer->signal;
    return side;
}

static void step_by_signals(const part *parts, unsigned n) {
    for (int g = 0; g < GPUS; g++) {
        const part *p = &parts[g];
        const haul_side side = facing(parts, g, n % 2), none = {};
        CHECK(cudaSetDevice(g));
        launch(step, 1 + tiles_of(p->rows - BORDER), p->stream, rows_of(p, n % 2), rows_of(p, 1 - n % 2),
               border_row(p, g), g == 0 ? 0 : BORDER, g == 0 ? none : side, g == 0 ? side : none, n);
    }
}

#ifdef WITH_NCCL
static ncclComm_t comms[GPUS];

/* The border is computed first; its messages travel while the interior is computed. */
static void step_by_nccl(const part *parts, unsigned n) {
    for (int g = 0; g < GPUS; g++) {
        const part *p = &parts[g];
        CHECK(cudaSetDevice(g));
        CHECK(cudaStreamWaitEvent(p->stream, p->halo_is_there, 0));
        launch(tiles, tiles_of(BORDER), p->stream, rows_of(p, n % 2), rows_of(p, 1 - n % 2), border_row(p, g));
        CHECK(cudaEventRecord(p->border_is_done, p->stream));
        CHECK(cudaStreamWaitEvent(p->messages, p->border_is_done, 0));
        launch(tiles, tiles_of(p->rows - BORDER), p->stream, rows_of(p, n % 2), rows_of(p, 1 - n % 2),
               g == 0 ? 0 : BORDER);
    }
    CHECK_NCCL(ncclGroupStart());
    for (int g = 0; g < GPUS; g++) {
        const part *p = &parts[g];
        CHECK_NCCL(ncclSend(row_of(p, n % 2, sent_row(p, g)), HALO_BYTES, ncclChar, 1 - g, comms[g], p->messages));
        CHECK_NCCL(ncclRecv(row_of(p, n % 2, halo_row(p, g)), HALO_BYTES, ncclChar, 1 - g, comms[g], p->messages));
    }
    CHECK_NCCL(ncclGroupEnd());
    for (int g = 0; g < GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaEventRecord(parts[g].halo_is_there, parts[g].messages));
    }
}
#endif

static void run_step(enum way way, const part *parts, unsigned n) {
    if (way == ONE) {
        const part *p = parts;
        launch(tiles, tiles_of(p->rows), p->stream, rows_of(p, n % 2), rows_of(p, 1 - n % 2), 0);
    }
    if (way == SIGNALS) step_by_signals(parts, n);
#ifdef WITH_NCCL
    if (way == BY_NCCL) step_by_nccl(parts, n);
#endif
}

/* Microseconds of a step: the best round's, by the GPU that takes longer. The signals' numbers go on from round to
 * round. */
static double time_steps(enum way way, const part *parts, unsigned steps) {
    const int gpus = way == ONE ? 1 : GPUS;
    double best = 1e30;
    unsigned n = 1;
    for (int r = 0; r < ROUNDS; r++) {
        float longest = 0;
        for (int g = 0; g < gpus; g++) {
            CHECK(cudaSetDevice(g));
            CHECK(cudaEventRecord(parts[g].begin, parts[g].stream));
        }
        for (unsigned k = 0; k < steps; k++) run_step(way, parts, n++);
        for (int g = 0; g < gpus; g++) {
            float ms = 0;
            CHECK(cudaSetDevice(g));
            CHECK(cudaEventRecord(parts[g].end, parts[g].stream));
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaEventElapsedTime(&ms, parts[g].begin, parts[g].end));
            if (ms > longest) longest = ms;
        }
        if (1e3 * longest / steps < best) best = 1e3 * longest / steps;
    }
    return best;
}

/* Adds the rows of a part behind `all`. */
static void append(std::vector<float> *all, const part *p, int gpu, unsigned which) {
    const size_t floats = (size_t)p->rows * VECTORS * 4, at = all->size();
    all->resize(at + floats);
    CHECK(cudaSetDevice(gpu));
    CHECK(cudaMemcpy(all->data() + at, rows_of(p, (int)which), floats * 4, cudaMemcpyDeviceToHost));
}

/* Returns the plane after all rounds; every way must give the same bits. */
static std::vector<float> measure(enum way way, const std::vector<float> &start, int rows, unsigned steps, double *us) {
    const int gpus = way == ONE ? 1 : GPUS;
    std::vector<float> all;
    part parts[GPUS];
    for (int g = 0; g < gpus; g++) make_part(&parts[g], g, rows / gpus, start, (size_t)g * (rows / gpus));
    *us = time_steps(way, parts, steps);
    for (int g = 0; g < gpus; g++) append(&all, &parts[g], g, ROUNDS * steps % 2);
    for (int g = 0; g < gpus; g++) free_part(&parts[g], g);
    return all;
}

static void compare(const char *what, const std::vector<float> &found, const std::vector<float> &expected) {
    for (size_t i = 0; i < expected.size(); i++)
        if (found[i] != expected[i]) {
            fprintf(stderr, "stencil_node: %s: element %zu is %g, not %g\n", what, i, found[i], expected[i]);
            exit(1);
        }
}

static void report(const char *name, enum way way, const std::vector<float> &start, int rows, unsigned steps,
                   double one_us, const std::vector<float> &expected) {
    double us;
    compare(name, measure(way, start, rows, steps, &us), expected);
    printf("%-24s %10.1f %8.3f\n", name, us, one_us / us);
}

int main(int argc, char **argv) {
    const int rows = argc > 1 ? atoi(argv[1]) : 16384;
    const unsigned steps = argc > 2 ? (unsigned)atoi(argv[2]) : 50;
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    if (count < GPUS || rows < 2 * GPUS * TALL || rows % (GPUS * TALL) || !steps) {
        fprintf(stderr, "stencil_node: needs two GPUs, and ROWS that are a multiple of %d, from %d on\n", GPUS * TALL,
                2 * GPUS * TALL);
        return 2;
    }
    for (int g = 0; g < GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceEnablePeerAccess(1 - g, 0));
    }
    std::vector<float> start((rows + 2 * (size_t)RADIUS) * VECTORS * 4, 0);
    for (size_t i = (size_t)RADIUS * VECTORS * 4; i + (size_t)RADIUS * VECTORS * 4 < start.size(); i++)
        start[i] = (float)(i * 2654435761u >> 24 & 255);
    double one_us;
    const std::vector<float> expected = measure(ONE, start, rows, steps, &one_us);
    printf("%-24s %10s %8s\n", "plane of 16384 columns", "step us", "times");
    printf("%-24s %10.1f %8.3f\n", "one GPU", one_us, 1.0);
    report("two GPUs, signals", SIGNALS, start, rows, steps, one_us, expected);
#ifdef WITH_NCCL
    const int devices[GPUS] = {0, 1};
    CHECK_NCCL(ncclCommInitAll(comms, GPUS, devices));
    report("two GPUs, NCCL", BY_NCCL, start, rows, steps, one_us, expected);
    for (ncclComm_t comm : comms) CHECK_NCCL(ncclCommDestroy(comm));
#endif
    return 0;
}
