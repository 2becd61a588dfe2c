/* Functions about which a virtual GPU has nothing to do: they check and store their arguments, and succeed.
 *
 * A virtual GPU writes no core dumps, has no events without a call (asynchronous notifications), and no other device
 * writes into its memory (GPUDirect). */
#include "base/memory.h"
#include "standin/cuda/cuda.h"

#include <string.h>

/* ---- core dumps ---- */

/* CUcoredumpSettings; the file and the pipe are texts, the flags one int, all others are bool. */
enum { FIRST_DUMP = 1, DUMP_FILE = 5, DUMP_PIPE = 6, DUMP_FLAGS = 7, MOST_DUMP = 7, DUMP_ROOM = 1024 };

/* Settings of all contexts together: no dump is ever written, so contexts need not differ. */
static char dump_settings[MOST_DUMP + 1][DUMP_ROOM];

static size_t dump_bytes(int attribute) {
    if (attribute == DUMP_FILE || attribute == DUMP_PIPE) return strlen(dump_settings[attribute]) + 1;
    return attribute == DUMP_FLAGS ? sizeof(int) : sizeof(bool);
}

/* With no place for the value, only its size is returned. */
CUresult cuCoredumpGetAttributeGlobal(int attribute, void *value, size_t *bytes) {
    if (attribute < FIRST_DUMP || attribute > MOST_DUMP || !bytes) return CUDA_INVALID_VALUE;
    (void)standin_enter_driver();
    const size_t needed = dump_bytes(attribute);
    const bool fits = !value || *bytes >= needed;
    if (value && fits) memcpy(value, dump_settings[attribute], needed);
    *bytes = needed;
    return standin_leave_driver(fits ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

CUresult cuCoredumpSetAttributeGlobal(int attribute, void *value, size_t *bytes) {
    const bool is_text = attribute == DUMP_FILE || attribute == DUMP_PIPE;
    if (attribute < FIRST_DUMP || attribute > MOST_DUMP || !value || !bytes || !*bytes || *bytes >= DUMP_ROOM)
        return CUDA_INVALID_VALUE;
    if (!is_text && *bytes < dump_bytes(attribute)) return CUDA_INVALID_VALUE;
    (void)standin_enter_driver();
    memcpy(dump_settings[attribute], value, *bytes);
    dump_settings[attribute][*bytes] = '\0';
    return standin_leave_driver(CUDA_SUCCESS);
}

CUresult cuCoredumpGetAttribute(int attribute, void *value, size_t *bytes) {
    const CUresult result = cuda_check_context(NULL);
    return result == CUDA_SUCCESS ? cuCoredumpGetAttributeGlobal(attribute, value, bytes) : result;
}

CUresult cuCoredumpSetAttribute(int attribute, void *value, size_t *bytes) {
    const CUresult result = cuda_check_context(NULL);
    return result == CUDA_SUCCESS ? cuCoredumpSetAttributeGlobal(attribute, value, bytes) : result;
}

/* ---- notifications ---- */

/* A registration, which is never called. */
struct CUasyncCallbackEntry_st {
    CUdevice device;
    CUasyncCallback next;
};

static CUasyncCallback registered;

CUresult cuDeviceRegisterAsyncNotification(CUdevice device, cuda_async_function call, void *data,
                                           CUasyncCallback *entry) {
    CUDA_ENTER_DEVICE(d);
    (void)d, (void)data;
    if (!standin_is_device(device)) return cuda_leave(CUDA_INVALID_DEVICE);
    if (!call || !entry) return cuda_leave(CUDA_INVALID_VALUE);
    CUasyncCallback made = memory_zeroed(1, sizeof *made);
    if (!made) return cuda_leave(CUDA_OUT_OF_MEMORY);
    *made = (struct CUasyncCallbackEntry_st){device, registered};
    *entry = registered = made;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallback entry) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    for (CUasyncCallback *link = &registered; *link; link = &(*link)->next) {
        if (*link != entry || (*link)->device != device) continue;
        *link = entry->next;
        memory_free(entry);
        return cuda_leave(CUDA_SUCCESS);
    }
    return cuda_leave(CUDA_INVALID_VALUE);
}

/* ---- writes of other devices ---- */

/* To the owner or to all devices (100, 200) of the current context (0). */
CUresult cuFlushGPUDirectRDMAWrites(int target, int scope) {
    CUDA_ENTER(d);
    (void)d;
    return cuda_leave(target == 0 && (scope == 100 || scope == 200) ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

/* ---- what atomics do between devices ---- */

/* No atomic of a kernel is native in the host's memory over PCI Express. */
CUresult cuDeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count,
                                           CUdevice device) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    if (!standin_is_device(device)) return cuda_leave(CUDA_INVALID_DEVICE);
    if (!capabilities || !operations || !count) return cuda_leave(CUDA_INVALID_VALUE);
    memset(capabilities, 0, count * sizeof *capabilities);
    return cuda_leave(CUDA_SUCCESS);
}
