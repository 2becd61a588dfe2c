// Products of small matrices by a warp: wmma with operands in several types and shapes, and tiles that a pipeline
// brings.
#include "program.h"
#include <cuda/barrier>
#include <cuda/pipeline>
#include <mma.h>
#include <type_traits>
#if defined(__NVCC__)
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

namespace wmma = nvcuda::wmma;

template <class T, class Sum, class Memory, class Layout, int m, int n, int k>
__global__ void multiply(Sum *to, const Memory *x, const Memory *y) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, m, n, k, T, Layout> b;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> c;
    wmma::fill_fragment(c, Sum(0));
    wmma::load_matrix_sync(a, x, k);
    wmma::load_matrix_sync(b, y, std::is_same<Layout, wmma::row_major>::value ? n : k);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(to, c, n, wmma::mem_row_major);
}

template <class T, class Sum, class Memory, class Layout, int m, int n, int k> void product(const char *what) {
    std::vector<Memory> x(m * k), y(k * n);
    std::vector<Sum> want(m * n);
    for (Memory &v : x) v = Memory(float(draw(8)));
    for (Memory &v : y) v = Memory(float(draw(8)));
    for (int i = 0; i < m * n; i++) {
        float sum = 0;
        for (int j = 0; j < k; j++)
            sum += float(x[i / n * k + j]) *
                   float(y[std::is_same<Layout, wmma::row_major>::value ? j * n + i % n : i % n * k + j]);
        want[i] = Sum(sum);
    }
    buffer<Memory> on_device_x(x), on_device_y(y);
    buffer<Sum> to(m * n);
    multiply<T, Sum, Memory, Layout, m, n, k><<<1, 32>>>(to.data, on_device_x.data, on_device_y.data);
    CUDA(cudaGetLastError());
    expect_same(what, to.get(), want);
}

enum { THREADS = 128, TILES = 6, STAGES = 2 };

__global__ void sum_of_tiles(int *to, const int4 *from) {
    __shared__ int4 tiles[STAGES][THREADS];
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    for (int load = 0, use = 0; use < TILES; use++) {
        for (; load < TILES && load < use + STAGES; load++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tiles[load % STAGES][threadIdx.x], &from[load * THREADS + threadIdx.x],
                               cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        const int4 v = tiles[use % STAGES][THREADS - 1 - threadIdx.x];
        sum += v.x + v.y + v.z + v.w;
        __syncthreads();
        pipe.consumer_release();
    }
    to[THREADS - 1 - threadIdx.x] = sum;
}

__global__ void turn(int *to, const int *from) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int tile[THREADS];
    if (threadIdx.x == 0) init(&barrier, THREADS);
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(int), barrier);
    barrier.arrive_and_wait();
    to[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

static void copies() {
    const std::vector<int> x = draw_many<int>(TILES * THREADS * 4, 1000);
    std::vector<int> sums(THREADS), turned(x.begin(), x.begin() + THREADS);
    for (size_t i = 0; i < x.size(); i++) sums[i / 4 % THREADS] += x[i];
    std::reverse(turned.begin(), turned.end());
    buffer<int> from(x), to(THREADS);
    sum_of_tiles<<<1, THREADS>>>(to.data, (const int4 *)from.data);
    expect_same("tiles of a pipeline", to.get(), sums);
    turn<<<1, THREADS>>>(to.data, from.data);
    expect_same("a copy that a barrier waits for", to.get(), turned);
}

int main() {
    product<__half, float, __half, wmma::row_major, 16, 16, 16>("half, 16 x 16 x 16");
    product<__half, float, __half, wmma::col_major, 32, 8, 16>("half, 32 x 8 x 16");
    product<__half, __half, __half, wmma::col_major, 8, 32, 16>("half, sums too");
    product<__nv_bfloat16, float, __nv_bfloat16, wmma::col_major, 16, 16, 16>("bfloat16");
    product<signed char, int, signed char, wmma::col_major, 16, 16, 16>("8-bit integers");
    product<unsigned char, int, unsigned char, wmma::row_major, 32, 8, 16>("unsigned ones");
    product<wmma::precision::tf32, float, float, wmma::col_major, 16, 16, 8>("tf32");
    product<double, double, double, wmma::col_major, 8, 8, 4>("double");
    copies();
    return finish();
}
