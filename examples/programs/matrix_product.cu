// A tiled product of matrices whose sides are not multiples of the tile, as a template of the tile's side.
#include "sample.h"

template <int SIDE> __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
    float sum = 0;
    for (int at = 0; at < k; at += SIDE) {
        tile_a[y][x] = row < m && at + x < k ? a[row * k + at + x] : 0;
        tile_b[y][x] = at + y < k && column < n ? b[(at + y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SIDE; i++) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

static const int M = 70, N = 50, K = 91;
static float a[M * K], b[K * N], c[M * N];

template <int SIDE> void try_side() {
    float *on_a = on_device(M * K, a), *on_b = on_device(K * N, b), *on_c = on_device<float>(M * N);
    const dim3 grid((N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE), block(SIDE, SIDE);
    multiply<SIDE><<<grid, block>>>(on_a, on_b, on_c, M, N, K);
    CHECK(cudaGetLastError());
    to_host(c, on_c, M * N);
    int wrong = 0;
    for (int i = 0; i < M * N; i++) {
        float want = 0; // sums of small whole numbers: exact in any order
        for (int j = 0; j < K; j++) want += a[i / N * K + j] * b[j * N + i % N];
        wrong += c[i] != want;
    }
    printf("tiles of %d: grid %u x %u, corner %g, %d wrong\n", SIDE, grid.x, grid.y, c[M * N - 1], wrong);
    expect("the product", wrong == 0);
    CHECK(cudaFree(on_a));
    CHECK(cudaFree(on_b));
    CHECK(cudaFree(on_c));
}

int main() {
    for (float &v : a) v = (float)draw(20) - 10;
    for (float &v : b) v = (float)draw(20) - 10;
    try_side<8>();
    try_side<16>();
    try_side<32>();
    return finish();
}
