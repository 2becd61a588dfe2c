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
    HAUL_HALO(fetch, 4, WIDTH, HEIGHT, RADIUS, PITCH * 4, 16, THREADS,
              HAUL_BY_LDGSTS | HAUL_NO_CORNERS | HAUL_DESTINATION_FREE);
    float *tile = stage + RADIUS * PITCH + SIDE;
    const int x = blockIdx.x * WIDTH, y = blockIdx.y * HEIGHT, rows = pitch / 4;
    haul_block_halo_load(fetch, tile, in + (long long)y * rows + x, haul_area(x, y, width, height, pitch), 0);
    for (unsigned k = threadIdx.x; k < WIDTH * HEIGHT; k += THREADS) {
        const int i = k % WIDTH, j = k / WIDTH;
        const float *p = tile + j * PITCH + i;
        if (x + i >= width || y + j >= height) continue;
        out[(long long)(y + j) * rows + x + i] =
            c0 * p[0] + c1 * (p[-1] + p[1] + p[-PITCH] + p[PITCH]) + c2 * (p[-2] + p[2] + p[-2 * PITCH] + p[2 * PITCH]);
    }
}
