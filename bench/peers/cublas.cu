/* The peers of cuBLAS: products in single precision. Its library is looked for at run time, so that the others
 * are there without it. */
#include <dlfcn.h>

#include "peers.h"

enum { AS_IT_IS, TRANSPOSED }; /* cublasOperation_t */

typedef int product_function(void *handle, int a_op, int b_op, int m, int n, int k, const float *alpha, const float *a,
                             int a_pitch, const float *b, int b_pitch, const float *beta, float *c, int c_pitch);
typedef int matvec_function(void *handle, int op, int m, int n, const float *alpha, const float *a, int pitch,
                            const float *x, int x_step, const float *beta, float *y, int y_step);

typedef struct {
    void *handle;
    int (*set_stream)(void *handle, cudaStream_t stream);
    product_function *product;
    matvec_function *matvec;
} cublas_table;

static void *open_library(void) {
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    void *library = nullptr;
    for (unsigned i = 0; i < sizeof names / sizeof *names && library == nullptr; i++)
        library = dlopen(names[i], RTLD_NOW);
    return library;
}

static cublas_table open_cublas(void) {
    cublas_table t = {nullptr, nullptr, nullptr, nullptr};
    void *library = open_library();
    if (library == nullptr) return t;
    int (*create)(void **) = (int (*)(void **))dlsym(library, "cublasCreate_v2");
    t.set_stream = (int (*)(void *, cudaStream_t))dlsym(library, "cublasSetStream_v2");
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

static int result_of(int status) {
    return status == 0 ? 0 : -1;
}

static __device__ __forceinline__ float f(float x) {
    return fmaf(x, fabsf(x), 0.5f * x);
}

/* The first of the two kernels: memory-bound, four elements a thread. */
static __global__ void __launch_bounds__(256) apply(float4 *to, const float4 *from, size_t count) {
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= count) return;
    float4 v = from[i];
    to[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}

/* cuBLAS's matrices are column-major: C^T = B^T A^T. */
int peer_two_kernels(const haul_peer_job *job, const void *) {
    int m = (int)job->rows, k = (int)job->inner, n = (int)job->columns;
    size_t count = (size_t)k * job->columns / 4;
    apply<<<(unsigned)((count + 255) / 256), 256, 0, peer_stream(job)>>>((float4 *)job->temporary,
                                                                         (const float4 *)job->in, count);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    const cublas_table *t = cublas();
    t->set_stream(t->handle, peer_stream(job));
    return result_of(
        t->product(t->handle, AS_IT_IS, AS_IT_IS, n, m, k, &one, job->temporary, n, job->small, k, &zero, job->out, n));
}

int peer_matvec(const haul_peer_job *job, const void *) {
    const cublas_table *t = cublas();
    int rows = (int)job->rows, columns = (int)job->columns;
    t->set_stream(t->handle, peer_stream(job));
    return result_of(
        t->matvec(t->handle, TRANSPOSED, columns, rows, &one, job->in, columns, job->small, 1, &zero, job->out, 1));
}
