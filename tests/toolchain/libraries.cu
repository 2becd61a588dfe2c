/* A file that calls NVIDIA's libraries beside a kernel of its own. */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>

/* 3 + 4i and 1 + 2i: product, quotient and a sum in hundredths, then absolute values. */
extern "C" __global__ void complex_numbers(int *out) {
    const cuComplex a = make_cuComplex(3, 4), b = make_cuComplex(1, 2);
    const cuComplex product = cuCmulf(a, b), quotient = cuCdivf(a, b), sum = cuCaddf(a, cuConjf(b));
    out[0] = (int)(100 * cuCrealf(product) + cuCimagf(product));
    out[1] = (int)(100 * cuCrealf(quotient) + 0.5f);
    out[2] = (int)(100 * cuCimagf(quotient) - 0.5f);
    out[3] = (int)(100 * cuCrealf(sum) + cuCimagf(sum));
    out[4] = (int)(cuCabs(make_cuDoubleComplex(-3e200, 4e200)) / 1e200 + 0.5);
    out[5] = (int)cuCabsf(make_cuComplex(0, 0));
}

cublasStatus_t multiply(cublasHandle_t handle, const float *a, const float *b, float *c, int n) {
    const float one = 1, zero = 0;
    int largest;
    cublasIsamax(handle, n, a, 1, &largest);
    cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
    cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_32F, n, b, CUDA_R_32F, n, &zero, c,
                 CUDA_R_32F, n, CUDA_R_32F, CUBLAS_GEMM_DEFAULT);
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}

cublasStatus_t describe(cublasLtMatmulDesc_t *description) {
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    cublasLtMatmulDescCreate(description, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    return cublasLtMatmulDescSetAttribute(*description, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
}

cufftResult transform(cufftComplex *data, int n) {
    cufftHandle plan;
    const cufftResult made = cufftPlan1d(&plan, n, CUFFT_C2C, 1);
    return made == CUFFT_SUCCESS ? cufftExecC2C(plan, data, data, CUFFT_FORWARD) : made;
}

curandStatus_t draw(float *out, size_t count) {
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    return curandGenerateUniform(generator, out, count);
}
