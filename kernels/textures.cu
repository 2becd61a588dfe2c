/* Textures: an image in rows, or in blocks in which neighbours above and below are near.
 *
 * A sector of a row-major image holds eight floats of one row; a sector of an array holds four by two, a line eight by
 * four. The sectors that a warp touches depend on how its lanes are placed on the image: side by side, one below the
 * other, in a tile, or in Z order. */
#include <cuda_runtime.h>

/* The placement of 32 lanes: bits of the lane that go to x and to y. */
__device__ static void place_lane(unsigned walk, unsigned lane, unsigned *x, unsigned *y) {
    switch (walk) {
    case 0: *x = lane, *y = 0; break;            /* a row */
    case 1: *x = 0, *y = lane; break;            /* a column */
    case 2: *x = lane % 8, *y = lane / 8; break; /* a tile */
    case 3: *x = lane, *y = lane; break;         /* a diagonal */
    default:                                     /* Z order: every other bit */
        *x = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4);
        *y = (lane >> 1 & 1) | (lane >> 2 & 2);
    }
}

/* Steps between warps of one kind, so that together they cover the image once. */
__device__ static void place(unsigned walk, unsigned size, unsigned *x, unsigned *y) {
    unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, wide, high;
    place_lane(walk, threadIdx.x % 32, x, y);
    wide = walk == 0 ? 32 : walk == 1 || walk == 3 ? 1 : 8;
    high = 32 / wide;
    *x = (*x + warp % (size / wide) * wide) % size;
    *y = (*y + warp / (size / wide) * high) % size;
}

/* out[y][x] = the sum of the 3 x 3 pixels around, with pixels at the edge repeated. The image is `size` squared, a
 * power of two of at least 32. */
extern "C" __global__ void around_texture(cudaTextureObject_t image, float *out, unsigned size, unsigned walk) {
    unsigned x, y;
    float sum = 0;
    place(walk, size, &x, &y);
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += tex2D<float>(image, (float)((int)x + i) + 0.5f, (float)((int)y + j) + 0.5f);
    out[y * size + x] = sum;
}

__device__ static unsigned inside(int at, unsigned size) {
    return at < 0 ? 0 : at < (int)size ? (unsigned)at : size - 1;
}

extern "C" __global__ void around_plain(const float *image, float *out, unsigned size, unsigned walk) {
    unsigned x, y;
    float sum = 0;
    place(walk, size, &x, &y);
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) sum += image[inside((int)y + j, size) * size + inside((int)x + i, size)];
    out[y * size + x] = sum;
}

extern "C" __global__ void around_ldg(const float *image, float *out, unsigned size, unsigned walk) {
    unsigned x, y;
    float sum = 0;
    place(walk, size, &x, &y);
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) sum += __ldg(&image[inside((int)y + j, size) * size + inside((int)x + i, size)]);
    out[y * size + x] = sum;
}
