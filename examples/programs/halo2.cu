/* A stencil of radius 4 on two GPUs with NVLink. Each GPU keeps half of the array. In every step a kernel first
 * computes the elements at its border, gives them to the neighbour with a signal, and computes the interior meanwhile.
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 -Iinclude -o halo2 examples/programs/halo2.cu && ./halo2 [ELEMENTS [STEPS]]
 *   haul run --device sim:h200x2 -- ./halo2 */
#include <haul/device.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

enum { RADIUS = 4, GPUS = 2, THREADS = 256, MOST_STEPS = 1000 };
enum { BYTES = RADIUS * sizeof(float) };

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t error_ = (call);                                              \
        if (error_ != cudaSuccess) {                                                    \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            std::exit(1);                                                               \
        }                                                                               \
    } while (0)

__host__ __device__ static float weighted(const float *at) {
    float sum = 0.2f * at[0];
    for (int k = 1; k <= RADIUS; k++) sum += 0.1f * (at[k] + at[-k]);
    return sum;
}

/* `in` and `out` are this GPU's elements, with room for a halo on both sides. Block 0 works at the border with the
 * neighbour, on the side `at`; the others compute the rest. */
__global__ void step(float *out, const float *in, int count, int at, haul_side left, haul_side right, unsigned number) {
    if (blockIdx.x == 0) {
        const haul_side sides[2] = {left, right};
        if (number > 1) haul_block_halo_await(sides, number - 1);
        if (threadIdx.x < RADIUS) out[at + threadIdx.x] = weighted(in + at + threadIdx.x);
        __syncthreads();
        haul_block_halo_push(sides, BYTES, number);
        return;
    }
    const int border = at;
    for (int i = (int)((blockIdx.x - 1) * blockDim.x + threadIdx.x); i < count;
         i += (int)((gridDim.x - 1) * blockDim.x))
        if (i < border || i >= border + RADIUS) out[i] = weighted(in + i);
}

struct half {
    float *arrays[2]; /* of count + 2 RADIUS elements */
    haul_signal *signal;
};

/* The side of GPU g that faces the other one, for a step that writes array `to`. */
static haul_side facing(const half halves[GPUS], int g, int to, int count) {
    const half &own = halves[g], &peer = halves[1 - g];
    float *mine = own.arrays[to] + RADIUS, *theirs = peer.arrays[to] + RADIUS;
    haul_side side = {};
    side.border = g == 0 ? mine + count - RADIUS : mine;
    side.halo = g == 0 ? mine + count : mine - RADIUS;
    side.peer_border = g == 0 ? theirs : theirs + count - RADIUS;
    side.peer_halo = g == 0 ? theirs - RADIUS : theirs + count;
    side.signal = own.signal;
    side.peer_signal = peer.signal;
    return side;
}

/* Runs the steps on both GPUs and returns the array. */
static std::vector<float> on_two(const std::vector<float> &start, int count, int steps) {
    half halves[GPUS] = {};
    const size_t room = (count + 2 * RADIUS) * sizeof(float);
    for (int g = 0; g < GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceEnablePeerAccess(1 - g, 0));
        CHECK(cudaMalloc(&halves[g].signal, sizeof(haul_signal)));
        CHECK(cudaMemset(halves[g].signal, 0, sizeof(haul_signal)));
        for (float *&array : halves[g].arrays) {
            CHECK(cudaMalloc(&array, room));
            CHECK(cudaMemcpy(array, start.data() + g * count, room, cudaMemcpyHostToDevice));
        }
        CHECK(cudaDeviceSynchronize());
    }
    for (int n = 1; n <= steps; n++)
        for (int g = 0; g < GPUS; g++) {
            CHECK(cudaSetDevice(g));
            const haul_side side = facing(halves, g, n % 2, count), none = {};
            step<<<64, THREADS>>>(halves[g].arrays[n % 2] + RADIUS, halves[g].arrays[1 - n % 2] + RADIUS, count,
                                  g == 0 ? count - RADIUS : 0, g == 0 ? none : side, g == 0 ? side : none, (unsigned)n);
            CHECK(cudaGetLastError());
        }
    std::vector<float> end(start);
    for (int g = 0; g < GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(end.data() + g * count + RADIUS, halves[g].arrays[steps % 2] + RADIUS, count * sizeof(float),
                         cudaMemcpyDeviceToHost));
    }
    return end;
}

static std::vector<float> on_host(std::vector<float> now, int steps) {
    std::vector<float> next(now);
    for (int n = 0; n < steps; n++, std::swap(now, next))
        for (size_t i = RADIUS; i + RADIUS < now.size(); i++) next[i] = weighted(&now[i]);
    return now;
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 10000, steps = argc > 2 ? std::atoi(argv[2]) : 10;
    int gpus = 0;
    CHECK(cudaGetDeviceCount(&gpus));
    if (gpus < GPUS || count < 2 * RADIUS || steps < 1 || steps > MOST_STEPS) {
        std::printf("halo2: needs two GPUs, at least 8 elements each, and 1 to %d steps\n", MOST_STEPS);
        return 2;
    }
    std::vector<float> start(GPUS * count + 2 * RADIUS);
    for (size_t i = 0; i < start.size(); i++) start[i] = (float)(i * 7 % 100);
    const std::vector<float> expected = on_host(start, steps), found = on_two(start, count, steps);
    for (size_t i = 0; i < start.size(); i++)
        if (found[i] - expected[i] > 1e-2f || expected[i] - found[i] > 1e-2f) {
            std::printf("element %zu is %g, not %g\n", i, found[i], expected[i]);
            return 1;
        }
    std::printf("ok\n");
    return 0;
}
