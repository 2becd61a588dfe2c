/* Declarations of cuBLAS, so that files which call it beside kernels of their own compile. The functions are in
 * NVIDIA's library, which a program has to be linked with. */
#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_
#define CUBLAS_API_H_ /* what others test for */

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "library_types.h"

typedef struct cublasContext *cublasHandle_t;
typedef cudaDataType cublasDataType_t;

typedef enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum cublasOperation_t {
    CUBLAS_OP_N,
    CUBLAS_OP_T,
    CUBLAS_OP_C,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG
} cublasOperation_t;
typedef enum cublasFillMode_t {
    CUBLAS_FILL_MODE_LOWER,
    CUBLAS_FILL_MODE_UPPER,
    CUBLAS_FILL_MODE_FULL
} cublasFillMode_t;
typedef enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT } cublasDiagType_t;
typedef enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT } cublasSideMode_t;
typedef enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE } cublasPointerMode_t;
typedef enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED } cublasAtomicsMode_t;
typedef enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum cublasGemmAlgo_t {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb);

/* Functions of real and complex numbers: L and l are the letter, T the type of elements. */
#define HAUL_CUBLAS(L, l, T)                                                                                           \
    cublasStatus_t cublas##L##axpy_v2(cublasHandle_t, int n, const T *alpha, const T *x, int incx, T *y, int incy);    \
    cublasStatus_t cublas##L##scal_v2(cublasHandle_t, int n, const T *alpha, T *x, int incx);                          \
    cublasStatus_t cublas##L##copy_v2(cublasHandle_t, int n, const T *x, int incx, T *y, int incy);                    \
    cublasStatus_t cublas##L##swap_v2(cublasHandle_t, int n, T *x, int incx, T *y, int incy);                          \
    cublasStatus_t cublasI##l##amax_v2(cublasHandle_t, int n, const T *x, int incx, int *result);                      \
    cublasStatus_t cublasI##l##amin_v2(cublasHandle_t, int n, const T *x, int incx, int *result);                      \
    cublasStatus_t cublas##L##gemv_v2(cublasHandle_t, cublasOperation_t, int m, int n, const T *alpha, const T *a,     \
                                      int lda, const T *x, int incx, const T *beta, T *y, int incy);                   \
    cublasStatus_t cublas##L##gemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,       \
                                      const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c,   \
                                      int ldc);                                                                        \
    cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,   \
                                                 int k, const T *alpha, const T *a, int lda, long long stride_a,       \
                                                 const T *b, int ldb, long long stride_b, const T *beta, T *c,         \
                                                 int ldc, long long stride_c, int count);                              \
    cublasStatus_t cublas##L##gemmBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,   \
                                          const T *alpha, const T *const a[], int lda, const T *const b[], int ldb,    \
                                          const T *beta, T *const c[], int ldc, int count);                            \
    cublasStatus_t cublas##L##geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, const T *alpha, \
                                   const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc);            \
    cublasStatus_t cublas##L##trsm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,           \
                                      cublasDiagType_t, int m, int n, const T *alpha, const T *a, int lda, T *b,       \
                                      int ldb);
HAUL_CUBLAS(S, s, float)
HAUL_CUBLAS(D, d, double)
HAUL_CUBLAS(C, c, cuComplex)
HAUL_CUBLAS(Z, z, cuDoubleComplex)
#undef HAUL_CUBLAS
#define HAUL_CUBLAS(L, T)                                                                                            \
    cublasStatus_t cublas##L##dot_v2(cublasHandle_t, int n, const T *x, int incx, const T *y, int incy, T *result);  \
    cublasStatus_t cublas##L##nrm2_v2(cublasHandle_t, int n, const T *x, int incx, T *result);                       \
    cublasStatus_t cublas##L##asum_v2(cublasHandle_t, int n, const T *x, int incx, T *result);                       \
    cublasStatus_t cublas##L##ger_v2(cublasHandle_t, int m, int n, const T *alpha, const T *x, int incx, const T *y, \
                                     int incy, T *a, int lda);                                                       \
    cublasStatus_t cublas##L##symv_v2(cublasHandle_t, cublasFillMode_t, int n, const T *alpha, const T *a, int lda,  \
                                      const T *x, int incx, const T *beta, T *y, int incy);
HAUL_CUBLAS(S, float)
HAUL_CUBLAS(D, double)
#undef HAUL_CUBLAS
cublasStatus_t cublasHgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                           const __half *alpha, const __half *a, int lda, const __half *b, int ldb, const __half *beta,
                           __half *c, int ldc);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                                         const __half *alpha, const __half *a, int lda, long long stride_a,
                                         const __half *b, int ldb, long long stride_b, const __half *beta, __half *c,
                                         int ldc, long long stride_c, int count);
cublasStatus_t cublasAxpyEx(cublasHandle_t, int n, const void *alpha, cudaDataType, const void *x, cudaDataType,
                            int incx, void *y, cudaDataType, int incy, cudaDataType executed);
cublasStatus_t cublasDotEx(cublasHandle_t, int n, const void *x, cudaDataType, int incx, const void *y, cudaDataType,
                           int incy, void *result, cudaDataType, cudaDataType executed);
cublasStatus_t cublasNrm2Ex(cublasHandle_t, int n, const void *x, cudaDataType, int incx, void *result, cudaDataType,
                            cudaDataType executed);
cublasStatus_t cublasScalEx(cublasHandle_t, int n, const void *alpha, cudaDataType, void *x, cudaDataType, int incx,
                            cudaDataType executed);
cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType, int lda, const void *b, cudaDataType,
                            int ldb, const void *beta, void *c, cudaDataType, int ldc, cublasComputeType_t,
                            cublasGemmAlgo_t);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType, int lda, long long stride_a,
                                          const void *b, cudaDataType, int ldb, long long stride_b, const void *beta,
                                          void *c, cudaDataType, int ldc, long long stride_c, int count,
                                          cublasComputeType_t, cublasGemmAlgo_t);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                                   const void *alpha, const void *const a[], cudaDataType, int lda,
                                   const void *const b[], cudaDataType, int ldb, const void *beta, void *const c[],
                                   cudaDataType, int ldc, int count, cublasComputeType_t, cublasGemmAlgo_t);

#ifdef __cplusplus
}

/* In C++ the type of the computation may be that of its elements. */
static inline cublasComputeType_t haul_cublas_compute(cudaDataType type) {
    switch (type) {
    case CUDA_R_16F: return CUBLAS_COMPUTE_16F;
    case CUDA_R_32I: return CUBLAS_COMPUTE_32I;
    case CUDA_R_64F:
    case CUDA_C_64F: return CUBLAS_COMPUTE_64F;
    default: return CUBLAS_COMPUTE_32F;
    }
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                          int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
                                          const void *b, cudaDataType type_b, int ldb, const void *beta, void *c,
                                          cudaDataType type_c, int ldc, cudaDataType computed,
                                          cublasGemmAlgo_t algorithm) {
    return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                        haul_cublas_compute(computed), algorithm);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                                        int m, int n, int k, const void *alpha, const void *a,
                                                        cudaDataType type_a, int lda, long long stride_a, const void *b,
                                                        cudaDataType type_b, int ldb, long long stride_b,
                                                        const void *beta, void *c, cudaDataType type_c, int ldc,
                                                        long long stride_c, int count, cudaDataType computed,
                                                        cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b,
                                      beta, c, type_c, ldc, stride_c, count, haul_cublas_compute(computed), algorithm);
}
#endif

/* The library has these under names of its second interface. */
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasScopy cublasScopy_v2
#define cublasSswap cublasSswap_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSgemm cublasSgemm_v2
#define cublasStrsm cublasStrsm_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasDscal cublasDscal_v2
#define cublasDcopy cublasDcopy_v2
#define cublasDswap cublasDswap_v2
#define cublasDgemv cublasDgemv_v2
#define cublasDgemm cublasDgemm_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasCaxpy cublasCaxpy_v2
#define cublasCscal cublasCscal_v2
#define cublasCcopy cublasCcopy_v2
#define cublasCswap cublasCswap_v2
#define cublasCgemv cublasCgemv_v2
#define cublasCgemm cublasCgemm_v2
#define cublasCtrsm cublasCtrsm_v2
#define cublasIcamax cublasIcamax_v2
#define cublasIcamin cublasIcamin_v2
#define cublasZaxpy cublasZaxpy_v2
#define cublasZscal cublasZscal_v2
#define cublasZcopy cublasZcopy_v2
#define cublasZswap cublasZswap_v2
#define cublasZgemv cublasZgemv_v2
#define cublasZgemm cublasZgemm_v2
#define cublasZtrsm cublasZtrsm_v2
#define cublasIzamax cublasIzamax_v2
#define cublasIzamin cublasIzamin_v2
#define cublasSdot cublasSdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasSger cublasSger_v2
#define cublasSsymv cublasSsymv_v2
#define cublasDdot cublasDdot_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDasum cublasDasum_v2
#define cublasDger cublasDger_v2
#define cublasDsymv cublasDsymv_v2

#endif
