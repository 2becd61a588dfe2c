/* Declarations of cuFFT, so that files which call it beside kernels of their own compile. The functions are in NVIDIA's
 * library, which a program has to be linked with. */
#ifndef _CUFFT_H_
#define _CUFFT_H_

#include "cuComplex.h"
#include "cuda_runtime.h"
#include "library_types.h"

typedef enum cufftResult_t {
    CUFFT_SUCCESS,
    CUFFT_INVALID_PLAN,
    CUFFT_ALLOC_FAILED,
    CUFFT_INVALID_TYPE,
    CUFFT_INVALID_VALUE,
    CUFFT_INTERNAL_ERROR,
    CUFFT_EXEC_FAILED,
    CUFFT_SETUP_FAILED,
    CUFFT_INVALID_SIZE,
    CUFFT_UNALIGNED_DATA,
    CUFFT_INCOMPLETE_PARAMETER_LIST,
    CUFFT_INVALID_DEVICE,
    CUFFT_PARSE_ERROR,
    CUFFT_NO_WORKSPACE,
    CUFFT_NOT_IMPLEMENTED,
    CUFFT_LICENSE_ERROR,
    CUFFT_NOT_SUPPORTED,
    CUFFT_MISSING_DEPENDENCY,
    CUFFT_NVRTC_FAILURE,
    CUFFT_NVJITLINK_FAILURE,
    CUFFT_NVSHMEM_FAILURE
} cufftResult;
typedef enum cufftType_t {
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_C2C = 0x29,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
    CUFFT_Z2Z = 0x69
} cufftType;
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1

typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

#ifdef __cplusplus
extern "C" {
#endif

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch);
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type);
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type);
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                          int ostride, int odist, cufftType type, int batch);
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *bytes);
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *bytes);
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *bytes);
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *bytes);
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *bytes);
cufftResult cufftCreate(cufftHandle *plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftGetSize(cufftHandle plan, size_t *bytes);
cufftResult cufftSetWorkArea(cufftHandle plan, void *area);
cufftResult cufftSetAutoAllocation(cufftHandle plan, int automatic);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftGetVersion(int *version);
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out);
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction);
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out);
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out);

#ifdef __cplusplus
}
#endif
#endif
