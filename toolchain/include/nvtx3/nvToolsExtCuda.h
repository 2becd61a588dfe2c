/* Names that a profiler shows for devices, contexts, streams and events of the driver API. */
#ifndef HAUL_TOOLCHAIN_NVTX_DRIVER_H
#define HAUL_TOOLCHAIN_NVTX_DRIVER_H

#include "../cuda.h"
#include "nvToolsExt.h"

static inline __attribute__((unused)) void nvtxNameCuDeviceA(CUdevice device, const char *name) {
    (void)device, (void)name;
}
static inline __attribute__((unused)) void nvtxNameCuContextA(CUcontext context, const char *name) {
    (void)context, (void)name;
}
static inline __attribute__((unused)) void nvtxNameCuStreamA(CUstream stream, const char *name) {
    (void)stream, (void)name;
}
static inline __attribute__((unused)) void nvtxNameCuEventA(CUevent event, const char *name) {
    (void)event, (void)name;
}
#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA

#endif
