/* Names that a profiler shows for devices, streams and events of the runtime. */
#ifndef HAUL_TOOLCHAIN_NVTX_CUDA_H
#define HAUL_TOOLCHAIN_NVTX_CUDA_H

#include "../cuda_runtime_api.h"
#include "nvToolsExt.h"

static inline __attribute__((unused)) void nvtxNameCudaDeviceA(int device, const char *name) {
    (void)device, (void)name;
}
static inline __attribute__((unused)) void nvtxNameCudaStreamA(cudaStream_t stream, const char *name) {
    (void)stream, (void)name;
}
static inline __attribute__((unused)) void nvtxNameCudaEventA(cudaEvent_t event, const char *name) {
    (void)event, (void)name;
}
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA

#endif
