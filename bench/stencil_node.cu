/* A stencil of radius 4 on a plane, on one GPU and on two, four and eight with NVLink, as many as there are. Neighbours
 * exchange borders of four rows in each step, in two ways: inside the kernel, by signals (haul/device/peer.h), and
 * between kernels, by NCCL. Prints the time of a step, and how many times as fast several GPUs are as one. All kernels
 * start while the one before ends (programmatic dependent launch).
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 -Iinclude -o stencil_node bench/stencil_node.cu && ./stencil_node [ROWS [STEPS]]
 *
 * ROWS of 16384 floats, a multiple of 8 for each GPU: 16384 unless given. With -DWITH_NCCL and -lnccl it measures NCCL,
 * too. Runs on virtual GPUs: haul run --device sim:h200x4. */
#include <haul/device.h>

#include "node.h"

#include <vector>

enum {
    MOST_GPUS = 8,
    RADIUS = 4,
    VECTORS = 4096 /* of four floats, in a row */,
    THREADS = 256,
    TALL = 8 /* rows a thread */
};
enum { ROUNDS = 5, BORDER = TALL /* rows that are computed first */, BLOCKS_PER_SM = 3 };

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
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) tiles(float4 *out, const float4 *in, int first) {
    meet_neighbours();
    compute_tile(out, in, first, (int)blockIdx.x);
}

/* The first blocks have a neighbour's side each: such a block awaits the neighbour's border of the step before,
 * computes its own and gives it away. The others compute the interior. */
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    step(float4 *out, const float4 *in, int rows, haul_side above, haul_side below, unsigned number) {
    const int has_above = above.peer_halo != 0, has_below = below.peer_halo != 0, block = (int)blockIdx.x;
    meet_neighbours();
    if (block >= has_above + has_below) {
        compute_tile(out, in, has_above ? BORDER : 0, block - has_above - has_below);
        return;
    }
    const bool is_above = has_above && block == 0;
    const haul_side sides[2] = {is_above ? above : below, {}};
    if (number > 1) haul_block_halo_await(sides, number - 1);
    for (int x = (int)threadIdx.x; x < VECTORS; x += THREADS) compute(out, in, is_above ? 0 : rows - BORDER, x);
    __syncthreads();
    haul_block_halo_push(sides, (unsigned long long)RADIUS * VECTORS * sizeof(float4), number);
}

/* ---- a GPU's part ---- */

typedef struct part {
    float4 *arrays[2];    /* with the halos */
    haul_signal *signals; /* one a side */
    cudaStream_t stream, messages;
    cudaEvent_t begin, end, border_is_done, halo_is_there;
    int rows;
    bool has[2]; /* whether there is a neighbour above, and below */
} part;

enum { ABOVE, BELOW };

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
    CHECK(cudaMalloc(&p->signals, 2 * sizeof *p->signals));
    CHECK(cudaMemset(p->signals, 0, 2 * sizeof *p->signals));
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
    CHECK(cudaFree(p->signals));
    CHECK(cudaStreamDestroy(p->stream));
    CHECK(cudaStreamDestroy(p->messages));
    for (cudaEvent_t event : {p->begin, p->end, p->border_is_done, p->halo_is_there}) CHECK(cudaEventDestroy(event));
}

/* The first of the rows that a side sends, and of its halo. */
static int sent_row(const part *p, int side) {
    return side == BELOW ? p->rows - RADIUS : 0;
}
static int halo_row(const part *p, int side) {
    return side == BELOW ? p->rows : -RADIUS;
}
static int sides_of(const part *p) {
    return p->has[ABOVE] + p->has[BELOW];
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

/* The side of a part, if it has a neighbour there. */
static haul_side side_of(const part *p, int which, int side) {
    const part *peer = side == BELOW ? p + 1 : p - 1;
    const int facing = side == BELOW ? ABOVE : BELOW;
    haul_side s = {};
    if (!p->has[side]) return s;
    s.border = row_of(p, which, sent_row(p, side)), s.halo = row_of(p, which, halo_row(p, side));
    s.peer_border = row_of(peer, which, sent_row(peer, facing));
    s.peer_halo = row_of(peer, which, halo_row(peer, facing));
    s.signal = p->signals + side, s.peer_signal = peer->signals + facing;
    return s;
}

static void step_by_signals(const part *parts, int gpus, unsigned n) {
    for (int g = 0; g < gpus; g++) {
        const part *p = &parts[g];
        CHECK(cudaSetDevice(g));
        launch(step, sides_of(p) + tiles_of(p->rows - BORDER * sides_of(p)), p->stream, rows_of(p, n % 2),
               rows_of(p, 1 - n % 2), p->rows, side_of(p, n % 2, ABOVE), side_of(p, n % 2, BELOW), n);
    }
}

#ifdef WITH_NCCL
static const size_t HALO_BYTES = (size_t)RADIUS * VECTORS * sizeof(float4);

static ncclComm_t comms[MOST_GPUS];

static void exchange(const part *p, int g, unsigned n, int side) {
    const int peer = side == BELOW ? g + 1 : g - 1;
    if (!p->has[side]) return;
    CHECK_NCCL(ncclSend(row_of(p, n % 2, sent_row(p, side)), HALO_BYTES, ncclChar, peer, comms[g], p->messages));
    CHECK_NCCL(ncclRecv(row_of(p, n % 2, halo_row(p, side)), HALO_BYTES, ncclChar, peer, comms[g], p->messages));
}

/* The borders are computed first; their messages travel while the interior is computed. */
static void step_by_nccl(const part *parts, int gpus, unsigned n) {
    for (int g = 0; g < gpus; g++) {
        const part *p = &parts[g];
        CHECK(cudaSetDevice(g));
        CHECK(cudaStreamWaitEvent(p->stream, p->halo_is_there, 0));
        for (int side = ABOVE; side <= BELOW; side++)
            if (p->has[side])
                launch(tiles, tiles_of(BORDER), p->stream, rows_of(p, n % 2), rows_of(p, 1 - n % 2),
                       side == BELOW ? p->rows - BORDER : 0);
        CHECK(cudaEventRecord(p->border_is_done, p->stream));
        CHECK(cudaStreamWaitEvent(p->messages, p->border_is_done, 0));
        launch(tiles, tiles_of(p->rows - BORDER * sides_of(p)), p->stream, rows_of(p, n % 2), rows_of(p, 1 - n % 2),
               p->has[ABOVE] ? BORDER : 0);
    }
    CHECK_NCCL(ncclGroupStart());
    for (int g = 0; g < gpus; g++)
        for (int side = ABOVE; side <= BELOW; side++) exchange(&parts[g], g, n, side);
    CHECK_NCCL(ncclGroupEnd());
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaEventRecord(parts[g].halo_is_there, parts[g].messages));
    }
}
#endif

static void run_step(enum way way, const part *parts, int gpus, unsigned n) {
    if (way == ONE) {
        const part *p = parts;
        launch(tiles, tiles_of(p->rows), p->stream, rows_of(p, n % 2), rows_of(p, 1 - n % 2), 0);
    }
    if (way == SIGNALS) step_by_signals(parts, gpus, n);
#ifdef WITH_NCCL
    if (way == BY_NCCL) step_by_nccl(parts, gpus, n);
#endif
}

/* Microseconds of a step: the best round's, by the GPU that takes longer. The signals' numbers go on from round to
 * round. */
static double time_steps(enum way way, const part *parts, int gpus, unsigned steps) {
    double best = 1e30;
    unsigned n = 1;
    for (int r = 0; r < ROUNDS; r++) {
        float longest = 0;
        for (int g = 0; g < gpus; g++) {
            CHECK(cudaSetDevice(g));
            CHECK(cudaEventRecord(parts[g].begin, parts[g].stream));
        }
        for (unsigned k = 0; k < steps; k++) run_step(way, parts, gpus, n++);
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
static std::vector<float> measure(enum way way, int gpus, const std::vector<float> &start, int rows, unsigned steps,
                                  double *us) {
    std::vector<float> all;
    part parts[MOST_GPUS] = {};
    for (int g = 0; g < gpus; g++) {
        make_part(&parts[g], g, rows / gpus, start, (size_t)g * (rows / gpus));
        parts[g].has[ABOVE] = g > 0;
        parts[g].has[BELOW] = g + 1 < gpus;
    }
    *us = time_steps(way, parts, gpus, steps);
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

static void report(const char *how, enum way way, int gpus, const std::vector<float> &start, int rows, unsigned steps,
                   double one_us, const std::vector<float> &expected) {
    double us;
    char name[32];
    snprintf(name, sizeof name, "%d GPUs, %s", gpus, how);
    compare(name, measure(way, gpus, start, rows, steps, &us), expected);
    printf("%-24s %10.1f %8.3f\n", name, us, one_us / us);
}

/* Neighbours reach each other's memory. Returns the number of GPUs that take part. */
static int connect_gpus(void) {
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    if (count > MOST_GPUS) count = MOST_GPUS;
    for (int g = 0; g + 1 < count; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceEnablePeerAccess(g + 1, 0));
        CHECK(cudaSetDevice(g + 1));
        CHECK(cudaDeviceEnablePeerAccess(g, 0));
    }
    return count;
}

static void measure_nccl(int gpus, const std::vector<float> &start, int rows, unsigned steps, double one_us,
                         const std::vector<float> &expected) {
#ifdef WITH_NCCL
    int devices[MOST_GPUS];
    for (int g = 0; g < gpus; g++) devices[g] = g;
    CHECK_NCCL(ncclCommInitAll(comms, gpus, devices));
    report("NCCL", BY_NCCL, gpus, start, rows, steps, one_us, expected);
    for (int g = 0; g < gpus; g++) CHECK_NCCL(ncclCommDestroy(comms[g]));
#else
    (void)gpus, (void)start, (void)rows, (void)steps, (void)one_us, (void)expected;
#endif
}

int main(int argc, char **argv) {
    const int rows = argc > 1 ? atoi(argv[1]) : 16384, count = connect_gpus();
    const unsigned steps = argc > 2 ? (unsigned)atoi(argv[2]) : 50;
    int most = 2;
    while (2 * most <= count) most *= 2;
    if (count < 2 || rows < 2 * most * TALL || rows % (most * TALL) || !steps) {
        fprintf(stderr, "stencil_node: needs two GPUs, and ROWS that are a multiple of %d, from %d on\n", most * TALL,
                2 * most * TALL);
        return 2;
    }
    std::vector<float> start((rows + 2 * (size_t)RADIUS) * VECTORS * 4, 0);
    for (size_t i = (size_t)RADIUS * VECTORS * 4; i + (size_t)RADIUS * VECTORS * 4 < start.size(); i++)
        start[i] = (float)(i * 2654435761u >> 24 & 255);
    double one_us;
    const std::vector<float> expected = measure(ONE, 1, start, rows, steps, &one_us);
    printf("%-24s %10s %8s\n", "plane of 16384 columns", "step us", "times");
    printf("%-24s %10.1f %8.3f\n", "one GPU", one_us, 1.0);
    for (int gpus = 2; gpus <= most; gpus *= 2) {
        report("signals", SIGNALS, gpus, start, rows, steps, one_us, expected);
        measure_nccl(gpus, start, rows, steps, one_us, expected);
    }
    return 0;
}
