/* A 3 x 3 mean over an image of floats, from tiles that reach one element beyond their outputs on every side; outside
 * the image counts as 0. tiles.c launches both kernels. Blocks of 256 threads compute 64 x 16 outputs each. */
#define HAUL_BLOCK_IS_1D
#include <cuda_runtime.h>
#include <haul/device.h>

#define WIDTH 64
#define HEIGHT 16
#define SIDE 4 /* floats of a row before its outputs and after them: 16 bytes */
#define PITCH (WIDTH + 2 * SIDE)
#define THREADS 256

/* `tile`: the first output's element, in rows of `pitch` floats. The sum goes along rows, from top left to bottom
 * right. */
static __device__ __forceinline__ void put_means(float *out, const float *tile, int pitch, unsigned width,
                                                 unsigned height) {
    for (unsigned k = threadIdx.x; k < WIDTH * HEIGHT; k += THREADS) {
        const unsigned i = k % WIDTH, j = k / WIDTH, x = blockIdx.x * WIDTH + i, y = blockIdx.y * HEIGHT + j;
        const float *p = tile + (int)j * pitch + (int)i;
        float sum = 0;
#pragma unroll
        for (int row = -1; row <= 1; row++) sum = ((sum + p[row * pitch - 1]) + p[row * pitch]) + p[row * pitch + 1];
        if (x < width && y < height) out[(size_t)y * width + x] = sum * (1.0f / 9);
    }
}

/* A box of 72 x 18 elements that begins before the outputs: one tensor copy on sm_90, rows of LDGSTS on sm_80. */
static __device__ __forceinline__ void mean_of_tile(const haul_tensor_view *image, float *out) {
    __shared__ __align__(128) float stage[(HEIGHT + 2) * PITCH];
    __shared__ haul_channel_memory memory;
    HAUL_TILE_WITH(fetch, float, .box0 = PITCH, .box1 = HEIGHT + 2, .vector = 4, .threads = THREADS,
                   .destination_free = 1);
    haul_channel channel = haul_block_channel(&memory);
    const int x = blockIdx.x * WIDTH, y = blockIdx.y * HEIGHT;
    haul_block_tile_load(fetch, &channel, stage, image, haul_at2(x - SIDE, y - 1));
    put_means(out, stage + PITCH + SIDE, PITCH, image->extent[0], image->extent[1]);
}

/* The view lies in global memory. */
extern "C" __global__ void mean_tile(const haul_tensor_view *image, float *out) {
    mean_of_tile(image, out);
}

/* The view is a parameter, which the copy engine reads in place: __grid_constant__ forbids the compiler to copy it.
 * Clang supports that from release 20 on. */
#if !defined(__clang__) || __clang_major__ >= 20
extern "C" __global__ void mean_tile_by_value(const __grid_constant__ haul_tensor_view image, float *out) {
    mean_of_tile(&image, out);
}
#endif

/* The outputs' elements and a ring of one around them. Rows are 66 floats apart, so that the 32 lanes that store the
 * left and the right sides of 16 rows find 32 banks; 72 would have four of them in each. Elements go by twos, through
 * registers: rows that asynchronous copies write without conflicts begin at multiples of 128 bytes, and then the sides
 * have conflicts. pitch: of the image's rows, in bytes; a multiple of 8. */
#define HALO_PITCH (WIDTH + 2)
extern "C" __global__ void mean_halo(const float *image, float *out, unsigned width, unsigned height, unsigned pitch) {
    __shared__ __align__(128) float stage[2 + (HEIGHT + 2) * HALO_PITCH];
    float *origin = stage + 2 + HALO_PITCH;
    HAUL_HALO_WITH(fetch, float, .width = WIDTH, .height = HEIGHT, .radius = 1, .shared_pitch = HALO_PITCH, .vector = 2,
                   .threads = THREADS, .engine = HAUL_BY_LDG, .destination_free = 1);
    const int x = blockIdx.x * WIDTH, y = blockIdx.y * HEIGHT;
    const haul_place place = HAUL_AREA(float, .x = x, .y = y, .width = width, .height = height, .pitch = pitch / 4);
    haul_block_halo_load(fetch, origin, image + (long long)y * (pitch / 4) + x, place, 0);
    put_means(out, origin, HALO_PITCH, width, height);
}
