// A product of matrices on tensor cores by wmma: half precision with sums in float, and bytes with sums in int.
#include "sample.h"
#include <mma.h>

using namespace nvcuda;
enum { M = 32, N = 48, K = 64, TILE = 16 };

// A warp makes a tile of 16 x 16; b is stored by columns.
__global__ void multiply_halves(const half *a, const half *b, float *c) {
    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::col_major> of_b;
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    wmma::fill_fragment(sum, 0);
    for (int k = 0; k < K; k += TILE) {
        wmma::load_matrix_sync(of_a, a + row * K + k, K);
        wmma::load_matrix_sync(of_b, b + column * K + k, K);
        wmma::mma_sync(sum, of_a, of_b, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 0.5f;
    wmma::store_matrix_sync(c + row * N + column, sum, N, wmma::mem_row_major);
}

__global__ void multiply_bytes(const signed char *a, const signed char *b, int *c) {
    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, signed char, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, signed char, wmma::col_major> of_b;
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, int> sum;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    wmma::load_matrix_sync(sum, c + row * N + column, N, wmma::mem_row_major);
    for (int k = 0; k < K; k += TILE) {
        wmma::load_matrix_sync(of_a, a + row * K + k, K);
        wmma::load_matrix_sync(of_b, b + column * K + k, K);
        wmma::mma_sync(sum, of_a, of_b, sum);
    }
    wmma::store_matrix_sync(c + row * N + column, sum, N, wmma::mem_row_major);
}

int main() {
    static half a[M * K], b[N * K];
    static signed char bytes_a[M * K], bytes_b[N * K];
    static float c[M * N];
    static int sums[M * N];
    int wrong = 0;
    for (int i = 0; i < M * K; i++) a[i] = __float2half(bytes_a[i] = (signed char)(draw(17) - 8));
    for (int i = 0; i < N * K; i++) b[i] = __float2half(bytes_b[i] = (signed char)(draw(17) - 8));
    for (int &s : sums) s = 1000;
    half *on_a = on_device(M * K, a), *on_b = on_device(N * K, b);
    signed char *on_bytes_a = on_device(M * K, bytes_a), *on_bytes_b = on_device(N * K, bytes_b);
    float *on_c = on_device<float>(M * N);
    int *on_sums = on_device(M * N, sums);
    const dim3 grid(N / TILE, M / TILE);
    multiply_halves<<<grid, 32>>>(on_a, on_b, on_c);
    multiply_bytes<<<grid, 32>>>(on_bytes_a, on_bytes_b, on_sums);
    CHECK(cudaGetLastError());
    to_host(c, on_c, M * N);
    to_host(sums, on_sums, M * N);
    for (int i = 0; i < M * N; i++) {
        int want = 0;
        for (int k = 0; k < K; k++) want += bytes_a[i / N * K + k] * bytes_b[i % N * K + k];
        wrong += c[i] != 0.5f * want || sums[i] != want + 1000;
    }
    printf("corners %g and %d, %d wrong\n", c[M * N - 1], sums[M * N - 1], wrong);
    expect("products on tensor cores", wrong == 0);
    for (void *p : {(void *)on_a, (void *)on_b, (void *)on_bytes_a, (void *)on_bytes_b, (void *)on_c, (void *)on_sums})
        CHECK(cudaFree(p));
    return finish();
}
