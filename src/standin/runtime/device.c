/* Queries of devices and of the runtime; errors.
 *
 * Device numbers are the program's, from 0. Queries of a device go to the driver API's functions or to the driver's
 * table; properties.c has cudaGetDeviceProperties(). Errors are the driver's numbers, whose names and texts in the
 * runtime are in errors.def. cudaGetLastError() returns what session.c has kept for the thread. */
#include "lib/device.h"
#include "standin/cuda/cuda.h"
#include "standin/runtime/version.h"

#include <string.h>

/* Does not open the devices. */
CUresult cudaGetDeviceCount(int *count) {
    if (!count) return standin_fail(CUDA_INVALID_VALUE);
    *count = (int)standin_device_count();
    return CUDA_SUCCESS;
}

CUresult cudaGetDevice(int *number) {
    if (!number) return standin_fail(CUDA_INVALID_VALUE);
    *number = (int)standin_selected();
    return CUDA_SUCCESS;
}

/* If there is only one device, it is current without being opened. */
CUresult cudaSetDevice(int number) {
    if (!standin_is_device(number)) return standin_fail(CUDA_INVALID_DEVICE);
    if (standin_device_count() == 1) return CUDA_SUCCESS;
    STANDIN_FORWARD(cuda_set_device(number));
}

/* The way in which the host waits has no effect here. */
CUresult cudaSetDeviceFlags(unsigned flags) {
    STANDIN_FORWARD(cuDevicePrimaryCtxSetFlags_v2((CUdevice)standin_selected(), flags));
}

/* Host memory is always mapped. */
CUresult cudaGetDeviceFlags(unsigned *flags) {
    enum { MAPS_HOST = 8 };
    int active;
    standin_use_runtime();
    const CUresult result =
        flags ? cuDevicePrimaryCtxGetState((CUdevice)standin_selected(), flags, &active) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *flags |= MAPS_HOST;
    return standin_fail(result);
}

/* All devices are equal, so the first fits as well as any. */
CUresult cudaChooseDevice(int *number, const void *wanted) {
    if (!number || !wanted) return standin_fail(CUDA_INVALID_VALUE);
    *number = 0;
    return CUDA_SUCCESS;
}

/* The list has no effect: the first device is the default in any case. */
CUresult cudaSetValidDevices(const int *numbers, int count) {
    if (count < 0 || (count && !numbers)) return standin_fail(CUDA_INVALID_VALUE);
    for (int i = 0; i < count; i++)
        if (!standin_is_device(numbers[i])) return standin_fail(CUDA_INVALID_DEVICE);
    return CUDA_SUCCESS;
}

CUresult cudaDeviceGetPCIBusId(char *text, int length, int number) {
    STANDIN_FORWARD(cuDeviceGetPCIBusId(text, length, number));
}

CUresult cudaDeviceGetByPCIBusId(int *number, const char *text) {
    STANDIN_FORWARD(cuDeviceGetByPCIBusId(number, text));
}

CUresult cudaInitDevice(int number, unsigned flags, unsigned valid) {
    (void)flags, (void)valid;
    return cudaSetDevice(number);
}

CUresult cudaDriverGetVersion(int *version) {
    STANDIN_CALL_BESIDE(version(version));
}

/* Values of each version are those of its last release, or close to them. */
static const int latest[] = {[11] = 11080, [12] = 12040, [13] = 13000};

/* The version that the program was made for, not that of the driver. */
CUresult cudaRuntimeGetVersion(int *version) {
    if (!version) return standin_fail(CUDA_INVALID_VALUE);
    *version = latest[standin_cuda_version()];
    return CUDA_SUCCESS;
}

CUresult cudaDeviceGetAttribute(int *value, int attribute, int number) {
    if (!standin_is_device(number)) return standin_fail(CUDA_INVALID_DEVICE);
    const driver_table *d = standin_enter_beside();
    return standin_leave(d->device_attribute(value, attribute, standin_device_at((unsigned)number)->handle));
}

/* ---- device management ---- */

/* Waits for the current device only. */
CUresult cudaDeviceSynchronize(void) {
    STANDIN_CALL_BESIDE(synchronize());
}

/* The program's allocations stay until it ends. */
CUresult cudaDeviceReset(void) {
    return cudaDeviceSynchronize();
}

/* Limits of the device's one context. */
CUresult cudaDeviceSetLimit(int limit, size_t value) {
    STANDIN_CALL(limit_set(limit, value));
}

CUresult cudaDeviceGetLimit(size_t *value, int limit) {
    STANDIN_CALL_BESIDE(limit_get(value, limit));
}

CUresult cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    STANDIN_CALL_BESIDE(stream_priorities(least, greatest));
}

/* Sets *can to 0 after any failure but a missing pointer. */
CUresult cudaDeviceCanAccessPeer(int *can, int number, int peer) {
    if (!can) return standin_fail(CUDA_INVALID_VALUE);
    *can = 0;
    if (!standin_is_device(number) || !standin_is_device(peer)) return standin_fail(CUDA_INVALID_DEVICE);
    STANDIN_FORWARD(cuDeviceCanAccessPeer(can, number, peer));
}

CUresult cudaDeviceGetP2PAttribute(int *value, int attribute, int number, int peer) {
    if (!standin_is_device(number) || !standin_is_device(peer) || number == peer)
        return standin_fail(CUDA_INVALID_DEVICE);
    STANDIN_FORWARD(cuDeviceGetP2PAttribute(value, attribute, number, peer));
}

/* A device is not its own peer. */
static bool is_peer(int number) {
    return standin_is_device(number) && (unsigned)number != standin_selected();
}

CUresult cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    if (!is_peer(peer)) return standin_fail(CUDA_INVALID_DEVICE);
    STANDIN_FORWARD(cuCtxEnablePeerAccess(cuda_primary_context((unsigned)peer), flags));
}

CUresult cudaDeviceDisablePeerAccess(int peer) {
    if (!is_peer(peer)) return standin_fail(CUDA_INVALID_DEVICE);
    STANDIN_FORWARD(cuCtxDisablePeerAccess(cuda_primary_context((unsigned)peer)));
}

CUresult cudaDeviceGetCacheConfig(int *preference) {
    STANDIN_FORWARD(cuCtxGetCacheConfig(preference));
}

CUresult cudaDeviceSetCacheConfig(int preference) {
    STANDIN_FORWARD(cuCtxSetCacheConfig(preference));
}

CUresult cudaDeviceGetSharedMemConfig(int *preference) {
    STANDIN_FORWARD(cuCtxGetSharedMemConfig(preference));
}

CUresult cudaDeviceSetSharedMemConfig(int preference) {
    STANDIN_FORWARD(cuCtxSetSharedMemConfig(preference));
}

CUresult cudaCtxResetPersistingL2Cache(void) {
    STANDIN_CALL(persisting_reset());
}

/* The command line chooses what is counted, so these have no effect. */
CUresult cudaProfilerStart(void) {
    return CUDA_SUCCESS;
}

CUresult cudaProfilerStop(void) {
    return CUDA_SUCCESS;
}

/* ---- old names, from when each thread had its own context ---- */

CUresult cudaThreadSynchronize(void) {
    return cudaDeviceSynchronize();
}

CUresult cudaThreadExit(void) {
    return cudaDeviceReset();
}

CUresult cudaThreadSetLimit(int limit, size_t value) {
    return cudaDeviceSetLimit(limit, value);
}

CUresult cudaThreadGetLimit(size_t *value, int limit) {
    return cudaDeviceGetLimit(value, limit);
}

CUresult cudaThreadSetCacheConfig(int preference) {
    return cudaDeviceSetCacheConfig(preference);
}

CUresult cudaThreadGetCacheConfig(int *preference) {
    return cudaDeviceGetCacheConfig(preference);
}

/* ---- errors ---- */

/* Also resets it, unless a kernel's fault has ended the device's context. */
CUresult cudaGetLastError(void) {
    return standin_last_error(true);
}

CUresult cudaPeekAtLastError(void) {
    return standin_last_error(false);
}

const char *cudaGetErrorName(CUresult result) {
    switch ((int)result) {
#define ERROR(value, name, text) \
    case value:                  \
        return #name;
#include "standin/runtime/errors.def"
#undef ERROR
    default: return "unrecognized error code";
    }
}

/* CUDA's text for an unknown number, too. */
const char *standin_error_text(CUresult result) {
    switch ((int)result) {
#define ERROR(value, name, text) \
    case value:                  \
        return text;
#include "standin/runtime/errors.def"
#undef ERROR
    default: return "unrecognized error code";
    }
}

const char *cudaGetErrorString(CUresult result) {
    return standin_error_text(result);
}

/* ---- the driver's functions ---- */

/* Names come without their version: cuMemAlloc for cuMemAlloc_v2. If the caller asks for the outcome, there is no
 * error. */
static CUresult find_entry(const char *name, void **function, int version, unsigned long long flags, int *found) {
    const CUresult result = cuGetProcAddress_v2(name, function, version, flags, found);
    standin_use_runtime();
    return standin_fail(result == CUDA_NOT_FOUND && found ? CUDA_SUCCESS : result);
}

CUresult cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, unsigned long long flags,
                                          int *found) {
    return find_entry(name, function, (int)version, flags, found);
}

/* Names without flags mean the forms with a default stream for each thread. */
static unsigned long long by_thread(unsigned long long flags) {
    enum { BY_THREAD = 2 };
    return flags ? flags : BY_THREAD;
}

CUresult cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version,
                                               unsigned long long flags, int *found) {
    return cudaGetDriverEntryPointByVersion(name, function, version, by_thread(flags), found);
}

/* CUDA 11 has no argument for the outcome. */
CUresult cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *found) {
    const int version = standin_cuda_version();
    return find_entry(name, function, latest[version], flags, version > 11 ? found : NULL);
}

CUresult cudaGetDriverEntryPoint_ptsz(const char *name, void **function, unsigned long long flags, int *found) {
    return cudaGetDriverEntryPoint(name, function, by_thread(flags), found);
}
