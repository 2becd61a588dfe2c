// A transpose through shared memory, of a matrix in pitched memory: rows begin where the device likes them to.
#include "sample.h"

enum { TILE = 32, ROWS = 8 };

__global__ void transpose(const int *in, size_t in_pitch, int *out, size_t out_pitch, int width, int height) {
    __shared__ int tile[TILE][TILE + 1]; // the column too many keeps lanes in different banks
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = ((const int *)((const char *)in + (y + j) * in_pitch))[x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            ((int *)((char *)out + (y + j) * out_pitch))[x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
    const int width = 150, height = 101;
    static int matrix[height][width], turned[width][height];
    int *in, *out, wrong = 0;
    size_t in_pitch, out_pitch;
    for (int i = 0; i < width * height; i++) matrix[i / width][i % width] = i;
    CHECK(cudaMallocPitch((void **)&in, &in_pitch, width * sizeof(int), height));
    CHECK(cudaMallocPitch((void **)&out, &out_pitch, height * sizeof(int), width));
    expect("pitches hold a row", in_pitch >= width * sizeof(int) && out_pitch >= height * sizeof(int));
    expect("rows are aligned", in_pitch % 128 == 0 && out_pitch % 128 == 0);
    CHECK(cudaMemcpy2D(in, in_pitch, matrix, sizeof matrix[0], sizeof matrix[0], height, cudaMemcpyHostToDevice));
    CHECK(cudaMemset2D(out, out_pitch, 0xff, height * sizeof(int), width));
    transpose<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>( //
        in, in_pitch, out, out_pitch, width, height);
    CHECK(cudaMemcpy2D(turned, sizeof turned[0], out, out_pitch, sizeof turned[0], width, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) wrong += turned[x][y] != matrix[y][x];
    printf("%d x %d, turned[7][3] is %d, %d wrong\n", width, height, turned[7][3], wrong);
    expect("the transpose", wrong == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return finish();
}
