/* Exercise: a transpose without bank conflicts.
 *
 * `in` has `height` rows of `width` floats, `out` gets `width` rows of `height`: out[x][y] = in[y][x]. The kernel below
 * is correct, but each of its stores touches 32 sectors, because adjacent lanes store to places that are a row apart.
 *
 * Let each block load a tile of 32 x 32 into shared memory by rows, and read it by columns, so that both loads and
 * stores of global memory go along rows. Then make sure that the columns have no bank conflicts.
 *
 * The test requires the minimum of sectors for 1024 x 1024, and no bank conflicts.
 *
 * Keep: the function transpose(). width and height are any numbers from 1 on; they need not be equal, nor multiples of
 * 32. */
#include <cuda_runtime.h>

enum { TILE = 32, ROWS = 8 };

__global__ void transpose_kernel(float *out, const float *in, int width, int height) {
    const int x = blockIdx.x * TILE + threadIdx.x;
    for (int row = threadIdx.y; row < TILE; row += ROWS) {
        const int y = blockIdx.y * TILE + row;
        if (x < width && y < height) out[x * height + y] = in[y * width + x];
    }
}

void transpose(float *out, const float *in, int width, int height) {
    const dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transpose_kernel<<<blocks, dim3(TILE, ROWS)>>>(out, in, width, height);
}
