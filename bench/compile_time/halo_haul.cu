/* A cross of radius 2 over an array of floats, from a tile of 64 x 16 and the ring around it; outside counts as 0.
 * pitch: bytes, a multiple of 16. */
#include <cuda_runtime.h>
#include <haul/device.h>

#define RADIUS 2
#define WIDTH 64
#define HEIGHT 16
#define SIDE 4 /* floats on the left and on the right of a row */
#define PITCH (WIDTH + 2 * SIDE)
#define THREADS 256

extern "C" __global__ void cross(const float *in, float *out, unsigned width, unsigned height, unsigned pitch, float c0,
                                 float c1, float c2) {
    __shared__ __align__(128) float stage[(HEIGHT + 2 * RADIUS) * PITCH];
    HAUL_HALO_WITH(fetch, float, .width = WIDTH, .height = HEIGHT, .radius = RADIUS, .shared_pitch = PITCH, .vector = 4,
                   .threads = THREADS, .engine = HAUL_BY_LDGSTS, .no_corners = 1, .destination_free = 1);
    float *tile = stage + RADIUS * PITCH + SIDE;
    const int x = blockIdx.x * WIDTH, y = blockIdx.y * HEIGHT, rows = pitch / 4;
    haul_block_halo_load(fetch, tile, in + (long long)y * rows + x,
                         HAUL_AREA(float, .x = x, .y = y, .width = width, .height = height, .pitch = rows), 0);
    for (unsigned k = threadIdx.x; k < WIDTH * HEIGHT; k += THREADS) {
        const int i = k % WIDTH, j = k / WIDTH;
        const float *p = tile + j * PITCH + i;
        if (x + i >= width || y + j >= height) continue;
        out[(long long)(y + j) * rows + x + i] =
            c0 * p[0] + c1 * (p[-1] + p[1] + p[-PITCH] + p[PITCH]) + c2 * (p[-2] + p[2] + p[-2 * PITCH] + p[2 * PITCH]);
    }
}
