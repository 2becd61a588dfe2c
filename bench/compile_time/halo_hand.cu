/* The same as halo_haul.cu, written by hand. */
#include <cuda_runtime.h>

#define RADIUS 2
#define WIDTH 64
#define HEIGHT 16
#define SIDE 4
#define PITCH (WIDTH + 2 * SIDE)
#define THREADS 256

static __device__ __forceinline__ void fetch16(float *to, const float *from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void fetch8(float *to, const float *from, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
}

/* Bytes of `count` floats at (x, y) that lie inside the array. */
static __device__ __forceinline__ int inside(int x, int y, int count, int width, int height) {
    if (y < 0 || y >= height || x < 0) return 0;
    return 4 * max(0, min(count, width - x));
}

extern "C" __global__ void cross(const float *in, float *out, unsigned width, unsigned height, unsigned pitch, float c0,
                                 float c1, float c2) {
    __shared__ __align__(128) float stage[(HEIGHT + 2 * RADIUS) * PITCH];
    float *tile = stage + RADIUS * PITCH + SIDE;
    const int x = blockIdx.x * WIDTH, y = blockIdx.y * HEIGHT, rows = pitch / 4;
    for (unsigned k = threadIdx.x; k < (HEIGHT + 2 * RADIUS) * (WIDTH / 4); k += THREADS) {
        const int i = k % (WIDTH / 4) * 4, j = (int)(k / (WIDTH / 4)) - RADIUS;
        const int bytes = inside(x + i, y + j, 4, width, height);
        fetch16(tile + j * PITCH + i, bytes ? in + (long long)(y + j) * rows + x + i : in, bytes);
    }
    for (unsigned k = threadIdx.x; k < 2 * HEIGHT; k += THREADS) {
        const int i = k % 2 ? WIDTH : -RADIUS, j = k / 2;
        const int bytes = inside(x + i, y + j, 2, width, height);
        fetch8(tile + j * PITCH + i, bytes ? in + (long long)(y + j) * rows + x + i : in, bytes);
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (unsigned k = threadIdx.x; k < WIDTH * HEIGHT; k += THREADS) {
        const int i = k % WIDTH, j = k / WIDTH;
        const float *p = tile + j * PITCH + i;
        if (x + i >= width || y + j >= height) continue;
        out[(long long)(y + j) * rows + x + i] =
            c0 * p[0] + c1 * (p[-1] + p[1] + p[-PITCH] + p[PITCH]) + c2 * (p[-2] + p[2] + p[-2 * PITCH] + p[2 * PITCH]);
    }
}
