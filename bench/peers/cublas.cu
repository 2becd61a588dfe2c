/* The peers of cuBLAS: products in single precision. Its library is looked for at run time, so that the benchmark
 * builds and runs without it. */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "../device/bench.h"

enum { AS_IT_IS, TRANSPOSED }; /* cublasOperation_t */

typedef int product_function(void *handle, int a_op, int b_op, int m, int n, int k, const float *alpha, const float *a,
                             int a_pitch, const float *b, int b_pitch, const float *beta, float *c, int c_pitch);
typedef int matvec_function(void *handle, int op, int m, int n, const float *alpha, const float *a, int pitch,
                            const float *x, int x_step, const float *beta, float *y, int y_step);

typedef struct {
    void *handle;
    product_function *product;
    matvec_function *matvec;
} cublas_table;

static void *open_library(void) {
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    void *library = nullptr;
    for (unsigned i = 0; i < BENCH_COUNT(names) && library == nullptr; i++) library = dlopen(names[i], RTLD_NOW);
    return library;
}

static cublas_table open_cublas(void) {
    cublas_table t = {nullptr, nullptr, nullptr};
    void *library = open_library();
    if (library == nullptr) return t;
    int (*create)(void **) = (int (*)(void **))dlsym(library, "cublasCreate_v2");
    t.product = (product_function *)dlsym(library, "cublasSgemm_v2");
    t.matvec = (matvec_function *)dlsym(library, "cublasSgemv_v2");
    if (create == nullptr || create(&t.handle) != 0) t.handle = nullptr;
    return t;
}

static const cublas_table *cublas(void) {
    static cublas_table table = open_cublas();
    return &table;
}

int peer_cublas_there(void) {
    return cublas()->handle != nullptr;
}

static const float one = 1.0f, zero = 0.0f;

/* Its matrices are column-major: C^T = B^T A^T. */
void peer_cublas_product(const bench_case *c, const bench_buffers *b) {
    int m = (int)c->rows, k = (int)c->row, n = (int)(c->n / c->rows);
    int status = cublas()->product(cublas()->handle, AS_IT_IS, AS_IT_IS, n, m, k, &one, b->temporary, n, b->small, k,
                                   &zero, b->out, n);
    bench_cuda(status == 0 ? cudaSuccess : cudaErrorUnknown, "cublasSgemm");
}

void peer_cublas_matvec(const bench_case *c, const bench_buffers *b) {
    int status = cublas()->matvec(cublas()->handle, TRANSPOSED, (int)c->row, (int)c->rows, &one, b->in, (int)c->row,
                                  b->small, 1, &zero, b->out, 1);
    bench_cuda(status == 0 ? cudaSuccess : cudaErrorUnknown, "cublasSgemv");
}
