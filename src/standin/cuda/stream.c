/* Streams and events: alternative forms of the driver's functions.
 *
 * Older and newer forms of functions that the driver's table has (src/driver/driver.def), and queries of what a
 * stream belongs to. Streams and events are the driver's handles; vgpu/stream.c has their work. */
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <stdlib.h>

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy(CUstream stream) {
    return cuStreamDestroy_v2(stream);
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
    CUdevice of;
    CUDA_ENTER_STREAM_BESIDE(d, stream);
    (void)d;
    const CUresult result = device ? sim_driver_stream_device(stream, &of) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *device = (CUdevice)standin_number_of(of);
    return cuda_leave(result);
}

/* A context is a name for the state that all streams of a device belong to. */
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    CUdevice device = 0;
    const CUresult result = cuStreamGetDevice(stream, &device);
    if (result != CUDA_SUCCESS) return result;
    if (!context) return CUDA_INVALID_VALUE;
    *context = NULL;
    if ((unsigned)device == standin_selected()) (void)cuCtxGetCurrent(context);
    if (!*context) *context = cuda_primary_context((unsigned)device);
    return CUDA_SUCCESS;
}

/* The strictest capture mode (0). */
CUresult cuStreamBeginCapture(CUstream stream) {
    return cuStreamBeginCapture_v2(stream, 0);
}

/* A callback that waits for its turn. */
typedef struct called {
    cuda_stream_callback call;
    CUstream stream;
    void *data;
} called;

static void call_back(void *data) {
    const called c = *(called *)data;
    free(data);
    c.call(c.stream, CUDA_SUCCESS, c.data);
}

/* A host function gets only one pointer, so the callback travels in memory that call_back() frees. CUDA reserves the
 * flags, which must be 0. */
CUresult cuStreamAddCallback(CUstream stream, cuda_stream_callback call, void *data, unsigned flags) {
    int captures = 0;
    if (!call || flags) return CUDA_INVALID_VALUE;
    (void)cuStreamIsCapturing(stream, &captures);
    if (captures) return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    called *c = malloc(sizeof *c);
    if (!c) return CUDA_OUT_OF_MEMORY;
    *c = (called){call, stream, data};
    const CUresult result = cuLaunchHostFunc(stream, call_back, c);
    if (result != CUDA_SUCCESS) free(c);
    return result;
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
    static const int attributes[] = {DRIVER_STREAM_ACCESS_POLICY_WINDOW, DRIVER_LAUNCH_SYNCHRONIZATION,
                                     DRIVER_LAUNCH_PRIORITY, DRIVER_LAUNCH_DOMAIN_MAP, DRIVER_LAUNCH_DOMAIN};
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes && result == CUDA_SUCCESS; i++) {
        CUstreamAttrValue value = {{0}};
        result = cuStreamGetAttribute(from, attributes[i], &value);
        if (result == CUDA_SUCCESS) result = cuStreamSetAttribute(to, attributes[i], &value);
    }
    return result;
}

CUresult cuEventDestroy(CUevent event) {
    return cuEventDestroy_v2(event);
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
    return cuEventElapsedTime(milliseconds, start, end);
}

/* External events (1) matter in captures, where haul treats every event as external. */
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    return flags & ~1u ? CUDA_INVALID_VALUE : cuEventRecord(event, stream);
}
