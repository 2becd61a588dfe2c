/* Measures what memory gives for the rows that haul's kernels read and write, without their work: each kernel here
 * moves bytes in the order of one of them, and computes nothing. Where a kernel is slower than a copy of as many bytes,
 * this says how much of that is its order's. Prints times, and ratios to a copy by the driver in the same run.
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 -o roofs bench/roofs.cu && ./roofs [ROUNDS]
 *
 * ROUNDS: how often each is timed, 15 unless given; medians are printed. Needs 2 GiB of device memory. */
#include <algorithm>
#include <cstdint>
#include <vector>

#include "node.h"

static const size_t ARRAY = (size_t)1 << 30; /* bytes of an array */

/* ---- movements ---- */

/* Reads an array once and writes `Copies` as long, both from the first byte to the last; Copies 0 only reads. */
template <int Copies> __global__ void __launch_bounds__(512) along(float4 *out, const float4 *in) {
    const size_t i = (size_t)blockIdx.x * 512 + threadIdx.x;
    const float4 v = in[i];
    if (Copies == 0 && v.x == 1.5f) out[i] = v; /* never: the array holds zeros */
#pragma unroll
    for (int c = 0; c < Copies; c++) out[((size_t)blockIdx.x * Copies + c) * 512 + threadIdx.x] = v;
}

/* Max pooling: a warp's piece of 32 vectors, and four on either side. */
__global__ void __launch_bounds__(128) pieces(float4 *out, const float4 *in) {
    const unsigned i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32;
    float4 own = in[i];
    if (lane < 4 && i + 32 < gridDim.x * 128) own.x += in[i + 32].x;
    if (lane >= 28 && i >= 32) own.x += in[i - 32].x;
    out[i] = own;
}

/* C = A f(B): columns of B's `depth` rows go to C's `rows` rows, a vector a thread, 16 rows at a time. */
template <int Rows, int Depth>
__global__ void __launch_bounds__(128) columns(float4 *c, const float4 *b, size_t pitch) {
    const size_t column = (size_t)blockIdx.x * 128 + threadIdx.x;
    for (int row = 0; row < Depth; row += 16) {
        float4 v[16];
#pragma unroll
        for (int i = 0; i < 16; i++) v[i] = b[(row + i) * pitch + column];
#pragma unroll
        for (int copy = 0; copy < Rows; copy += Depth) {
#pragma unroll
            for (int i = 0; i < 16; i++) c[(copy + row + i) * pitch + column] = v[i];
        }
    }
}

/* Gather: rows of `Vectors` vectors, each read once, in a random order. */
template <int Vectors>
__global__ void __launch_bounds__(256) random_rows(float4 *out, const float4 *in, const uint32_t *index) {
    const size_t first = (size_t)blockIdx.x * 1024 + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const size_t i = first + 256 * k;
        v[k] = in[(size_t)index[i / Vectors] * Vectors + i % Vectors];
    }
    if (v[0].x + v[1].x + v[2].x + v[3].x == 1.5f) out[first] = v[0]; /* never */
}

/* ---- measuring ---- */

static float4 *in, *out;
static cudaEvent_t begin, end;
static int rounds = 15;

template <class Launch> static float microseconds(Launch launch) {
    float milliseconds;
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds * 1000.0f;
}

static float median(std::vector<float> &times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/* Times `launch` in turns with a copy of an array. */
template <class Launch> static void measure(const char *what, double bytes, Launch launch) {
    std::vector<float> copies, launches;
    for (int round = 0; round < rounds + 2; round++) {
        const float copy = microseconds([] { CHECK(cudaMemcpyAsync(out, in, ARRAY, cudaMemcpyDeviceToDevice)); });
        const float time = microseconds(launch);
        if (round < 2) continue; /* warm-up */
        copies.push_back(copy);
        launches.push_back(time);
    }
    const double time = median(launches), copied = 2.0 * ARRAY / median(copies);
    printf("%-52s %8.1f %8.0f %8.3f\n", what, time, bytes / time / 1e3, bytes / time / copied);
    fflush(stdout);
}

template <int Rows, int Depth> static void measure_columns(const char *what, unsigned width) {
    measure(what, 4.0 * (Rows + Depth) * width,
            [=] { columns<Rows, Depth><<<width / 512, 128>>>(out, in, width / 4); });
}

/* A permutation of `rows` numbers. */
static uint32_t *random_order(size_t rows) {
    std::vector<uint32_t> order(rows);
    for (size_t i = 0; i < rows; i++) order[i] = (uint32_t)i;
    uint64_t state = 1;
    for (size_t i = rows - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::swap(order[i], order[(state >> 33) % (i + 1)]);
    }
    uint32_t *index;
    CHECK(cudaMalloc(&index, rows * sizeof *index));
    CHECK(cudaMemcpy(index, order.data(), rows * sizeof *index, cudaMemcpyHostToDevice));
    return index;
}

template <int Vectors> static void measure_rows() {
    const size_t rows = ARRAY / (16 * Vectors), blocks = ARRAY / 16 / 1024;
    uint32_t *index = random_order(rows);
    char what[64];
    snprintf(what, sizeof what, "random rows of %d bytes, read", 16 * Vectors);
    measure(what, (double)ARRAY, [=] { random_rows<Vectors><<<(unsigned)blocks, 256>>>(out, in, index); });
    CHECK(cudaFree(index));
}

int main(int argc, char **argv) {
    if (argc > 2 || (argc == 2 && (rounds = atoi(argv[1])) < 1)) {
        fprintf(stderr, "usage: roofs [ROUNDS]: ROUNDS is at least 1\n");
        return 2;
    }
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaMalloc(&in, ARRAY));
    CHECK(cudaMalloc(&out, ARRAY));
    CHECK(cudaMemset(in, 0, ARRAY));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    printf("%s\n%-52s %8s %8s %8s\n", device.name, "moved", "us", "GB/s", "of copy");
    const unsigned vectors = ARRAY / 16, half = vectors / 2;
    measure("1 GiB read", (double)ARRAY, [=] { along<0><<<vectors / 512, 512>>>(out, in); });
    measure("1 GiB read, 1 written", 2.0 * ARRAY, [=] { along<1><<<vectors / 512, 512>>>(out, in); });
    measure("0.5 GiB read, 1 written", 1.5 * ARRAY, [=] { along<2><<<half / 512, 512>>>(out, in); });
    measure("1 GiB set", (double)ARRAY, [] { CHECK(cudaMemsetAsync(out, 0, ARRAY)); });
    measure("max pooling, 2^28", 2.0 * ARRAY, [=] { pieces<<<vectors / 128, 128>>>(out, in); });
    measure_columns<32, 32>("C = A f(B), A 32 x 32", 1 << 22);
    measure_columns<64, 32>("C = A f(B), A 64 x 32", 1 << 22);
    measure_columns<64, 64>("C = A f(B), A 64 x 64", 1 << 22);
    measure_columns<128, 64>("C = A f(B), A 128 x 64", 1 << 21);
    measure_rows<2>();
    measure_rows<4>();
    measure_rows<8>();
    measure_rows<32>();
    return 0;
}
