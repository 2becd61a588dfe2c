/* Execution contexts of the runtime, since CUDA 13.1: a device's primary context, or a green one, which has a part of
 * the SMs. The handle is that of the driver API; cuda/green.c has green contexts and resources. */
#include "standin/cuda/cuda.h"

typedef void *execution;

/* ---- resources ---- */

CUresult cudaDeviceGetDevResource(int device, cuda_resource *resource, int type) {
    STANDIN_FORWARD(cuDeviceGetDevResource(device, resource, type));
}

CUresult cudaDevSmResourceSplitByCount(cuda_resource *groups, unsigned *count, const cuda_resource *from,
                                       cuda_resource *rest, unsigned flags, unsigned least) {
    STANDIN_FORWARD(cuDevSmResourceSplitByCount(groups, count, from, rest, flags, least));
}

CUresult cudaDevSmResourceSplit(cuda_resource *groups, unsigned count, const cuda_resource *from, cuda_resource *rest,
                                unsigned flags, cuda_sm_group *asked) {
    STANDIN_FORWARD(cuDevSmResourceSplit(groups, count, from, rest, flags, asked));
}

CUresult cudaDevResourceGenerateDesc(CUdevResourceDesc *description, cuda_resource *resources, unsigned count) {
    STANDIN_FORWARD(cuDevResourceGenerateDesc(description, resources, count));
}

CUresult cudaStreamGetDevResource(CUstream stream, cuda_resource *resource, int type) {
    STANDIN_FORWARD(cuStreamGetDevResource(stream, resource, type));
}

CUresult cudaStreamGetDevResource_ptsz(CUstream stream, cuda_resource *resource, int type) {
    return cudaStreamGetDevResource(standin_own(stream), resource, type);
}

/* ---- contexts ---- */

CUresult cudaGreenCtxCreate(execution *context, CUdevResourceDesc description, int device, unsigned flags) {
    if (!context || flags) return standin_fail(CUDA_INVALID_VALUE);
    STANDIN_FORWARD(cuGreenCtxCreate((CUgreenCtx *)context, description, device, flags));
}

/* The program must not destroy it. */
CUresult cudaDeviceGetExecutionCtx(execution *context, int device) {
    if (!context || !standin_is_device(device)) return standin_fail(context ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    *context = cuda_primary_context((unsigned)device);
    return standin_fail(CUDA_SUCCESS);
}

CUresult cudaExecutionCtxDestroy(execution context) {
    if (!context) return standin_fail(CUDA_INVALID_VALUE);
    STANDIN_FORWARD(cuGreenCtxDestroy(context));
}

/* Handles of other kinds are checked by the functions that get them. */
static CUcontext context_of(execution context) {
    const CUcontext green = cuda_context_of_green(context);
    return green ? green : context;
}

/* Defines a function of a context. NULL is none, other than in the driver API. */
#define CONTEXT_CALL(name, parameters, call)                   \
    CUresult name parameters {                                 \
        if (!context) return standin_fail(CUDA_INVALID_VALUE); \
        const CUcontext own = context_of(context);             \
        STANDIN_FORWARD(call);                                 \
    }
CONTEXT_CALL(cudaExecutionCtxGetDevResource, (execution context, cuda_resource *resource, int type),
             cuCtxGetDevResource(own, resource, type))
CONTEXT_CALL(cudaExecutionCtxGetDevice, (int *device, execution context), cuCtxGetDevice_v2(device, own))
CONTEXT_CALL(cudaExecutionCtxGetId, (execution context, unsigned long long *id), cuCtxGetId(own, id))
CONTEXT_CALL(cudaExecutionCtxSynchronize, (execution context), cuCtxSynchronize_v2(own))
CONTEXT_CALL(cudaExecutionCtxRecordEvent, (execution context, CUevent event), cuCtxRecordEvent(own, event))
CONTEXT_CALL(cudaExecutionCtxWaitEvent, (execution context, CUevent event), cuCtxWaitEvent(own, event))

/* In a primary context, a stream is one of the device. */
CUresult cudaExecutionCtxStreamCreate(CUstream *stream, execution context, unsigned flags, int priority) {
    int device = 0;
    if (!context || !stream) return standin_fail(CUDA_INVALID_VALUE);
    if (cuda_context_of_green(context)) STANDIN_FORWARD(cuGreenCtxStreamCreate(stream, context, flags, priority));
    CUresult result = cudaExecutionCtxGetDevice(&device, context);
    if (result != CUDA_SUCCESS) return result;
    const unsigned before = standin_select((unsigned)device);
    const driver_table *d = standin_enter_beside();
    result = standin_leave(d->stream_create(stream, flags, priority));
    (void)standin_select(before);
    return result;
}
