/* Memory and events of other processes in the runtime API, by the driver API's functions.
 *
 * Handles are the driver API's, passed by value. cuda/ipc.c has the functions and explains the handles. */
#include "standin/cuda/cuda.h"

CUresult cudaIpcGetMemHandle(void *handle, void *address) {
    STANDIN_FORWARD(cuIpcGetMemHandle(handle, (uintptr_t)address));
}

CUresult cudaIpcOpenMemHandle(void **address, cuda_ipc_handle handle, unsigned flags) {
    CUdeviceptr at = 0;
    standin_use_runtime();
    const CUresult result = address ? cuIpcOpenMemHandle_v2(&at, handle, flags) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *address = (void *)(uintptr_t)at;
    return standin_fail(result);
}

CUresult cudaIpcCloseMemHandle(void *address) {
    STANDIN_FORWARD(cuIpcCloseMemHandle((uintptr_t)address));
}

CUresult cudaIpcGetEventHandle(void *handle, CUevent event) {
    STANDIN_FORWARD(cuIpcGetEventHandle(handle, event));
}

CUresult cudaIpcOpenEventHandle(CUevent *event, cuda_ipc_handle handle) {
    STANDIN_FORWARD(cuIpcOpenEventHandle(event, handle));
}
