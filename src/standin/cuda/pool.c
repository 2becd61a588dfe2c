/* Pools of memory: with the program's device numbers, by location, and of other processes.
 *
 * A pool that other processes may get has a file descriptor, which the program sends to them. The file says which
 * pool it is; it stands for the right to open the pool. Its allocations are passed as 64 bytes of data each, with a
 * place in the file that holds the device's memory, as in handles of ipc.c. The pools are in vgpu/pool.c. */
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The program's device number is translated; the rest is the driver's. */
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
    CUDA_ENTER_DEVICE(d);
    if (!pool || !properties) return cuda_leave(CUDA_INVALID_VALUE);
    CUmemPoolProps real = *properties;
    if (real.allocation != DRIVER_MEMORY_PINNED)
        return cuda_leave(cuda_wrong(CUDA_INVALID_VALUE, "a pool's memory must be pinned (1)"));
    if (real.location.type == DRIVER_LOCATION_HOST) return cuda_leave(d->pool_create(pool, &real));
    if (real.location.type != DRIVER_LOCATION_DEVICE)
        return cuda_leave(cuda_wrong(CUDA_NOT_SUPPORTED, "a pool has memory of a device or the host (location 1, 2)"));
    const CUresult result = cuda_device_of(&real.location.id);
    return cuda_leave(result == CUDA_SUCCESS ? d->pool_create(pool, &real) : result);
}

/* A pool's allocations can be read and written by a device, or not accessed at all. */
static CUresult set_pool_access(CUmemoryPool pool, const CUmemAccessDesc *a) {
    CUdevice device = a->location.id;
    if (a->location.type != DRIVER_LOCATION_DEVICE || cuda_device_of(&device) != CUDA_SUCCESS ||
        (a->flags != DRIVER_ACCESS_READ_WRITE && a->flags != DRIVER_ACCESS_NONE))
        return cuda_wrong(CUDA_INVALID_VALUE, "access to a pool is that of a device: none, or read and write (0, 3)");
    return sim_driver_set_pool_access(pool, device, a->flags != DRIVER_ACCESS_NONE);
}

/* The pool's own device always has access. */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    CUresult result = pool && (access || !count) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) result = set_pool_access(pool, &access[i]);
    return cuda_leave(result);
}

/* CUDA_INVALID_DEVICE for any location but a device. */
CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool pool, CUmemLocation *location) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    if (!flags || !pool || !location) return cuda_leave(CUDA_INVALID_VALUE);
    CUdevice device = location->id;
    if (location->type != DRIVER_LOCATION_DEVICE || cuda_device_of(&device) != CUDA_SUCCESS)
        return cuda_leave(CUDA_INVALID_DEVICE);
    *flags = sim_driver_pool_access(pool, device) ? DRIVER_ACCESS_READ_WRITE : DRIVER_ACCESS_NONE;
    return cuda_leave(CUDA_SUCCESS);
}

/* ---- pools by location ---- */

/* The host's only pool that is asked for by its place is its default pool. */
static CUresult host_pool(CUmemoryPool *pool) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    return cuda_leave(sim_driver_host_pool(pool));
}

/* Pinned memory (type 1) of a device. */
static CUresult check_place(const void *pool, const CUmemLocation *location, int type) {
    if (!pool || !location) return CUDA_INVALID_VALUE;
    return type == DRIVER_MEMORY_PINNED && location->type == DRIVER_LOCATION_DEVICE ? CUDA_SUCCESS : CUDA_NOT_SUPPORTED;
}

/* `of_device` gets a device's pool. */
static CUresult pool_at(CUmemoryPool *pool, const CUmemLocation *location, int type,
                        CUresult (*of_device)(CUmemoryPool *, CUdevice)) {
    if (pool && location && type == DRIVER_MEMORY_PINNED && location->type == DRIVER_LOCATION_HOST)
        return host_pool(pool);
    const CUresult result = check_place(pool, location, type);
    return result == CUDA_SUCCESS ? of_device(pool, location->id) : result;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, int type) {
    return pool_at(pool, location, type, cuDeviceGetDefaultMemPool);
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, int type) {
    return pool_at(pool, location, type, cuDeviceGetMemPool);
}

CUresult cuMemSetMemPool(CUmemLocation *location, int type, CUmemoryPool pool) {
    const CUresult result = check_place(pool, location, type);
    return result == CUDA_SUCCESS ? cuDeviceSetMemPool(location->id, pool) : result;
}

/* ---- pools of other processes ---- */

/* The content of a shared pool's file. */
typedef struct shared_pool {
    char kind[24]; /* of_pool */
    uint64_t origin;
    CUdevice device;
} shared_pool;

/* The handle of one allocation. */
typedef struct shared_memory {
    char kind[24]; /* of_memory */
    uint64_t origin, place, bytes;
    int process, file;
} shared_memory;
_Static_assert(sizeof(shared_memory) <= sizeof(cuda_ipc_handle), "CUmemPoolPtrExportData has 64 bytes");

static const char of_pool[] = "haul: pool", of_memory[] = "haul: memory of a pool";

/* Pools have numbers of their own in each process and device. */
static uint64_t origin_of(CUdevice device, uint64_t number) {
    return (uint64_t)getpid() << 32 | (uint64_t)device << 24 | number;
}

/* The caller closes the descriptor. */
CUresult cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, int type, unsigned long long flags) {
    shared_pool content = {.kind = ""};
    uint64_t number;
    CUDA_ENTER_DEVICE(d);
    (void)d;
    if (!handle || !pool || flags) return cuda_leave(CUDA_INVALID_VALUE);
    const CUresult result = sim_driver_share_pool(pool, type, &number, &content.device);
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    memcpy(content.kind, of_pool, sizeof of_pool);
    content.origin = origin_of(content.device, number);
    const int file = memfd_create("haul-pool", MFD_CLOEXEC);
    if (file < 0 || write(file, &content, sizeof content) != (ssize_t)sizeof content) {
        if (file >= 0) close(file);
        return cuda_leave(CUDA_OUT_OF_MEMORY);
    }
    memcpy(handle, &file, sizeof file);
    return cuda_leave(CUDA_SUCCESS);
}

/* The descriptor itself is passed as the pointer, and stays the caller's. */
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, int type, unsigned long long flags) {
    shared_pool content;
    CUDA_ENTER_DEVICE(d);
    (void)d;
    if (!pool || flags || type != DRIVER_HANDLE_FILE) return cuda_leave(CUDA_INVALID_VALUE);
    const ssize_t got = pread((int)(intptr_t)handle, &content, sizeof content, 0);
    if (got != (ssize_t)sizeof content || memcmp(content.kind, of_pool, sizeof of_pool) != 0)
        return cuda_leave(cuda_wrong(CUDA_INVALID_VALUE, "this is not the descriptor of a pool that a process shares"));
    return cuda_leave(sim_driver_open_pool(content.device, content.origin, pool));
}

CUresult cuMemPoolExportPointer(cuda_ipc_handle *data, CUdeviceptr address) {
    shared_memory content = {.process = getpid()};
    uint64_t number;
    CUdevice device;
    CUDA_ENTER(d);
    (void)d;
    if (!data) return cuda_leave(CUDA_INVALID_VALUE);
    const CUresult result =
        sim_driver_share_pooled(address, &number, &device, &content.file, &content.place, &content.bytes);
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    memcpy(content.kind, of_memory, sizeof of_memory);
    content.origin = origin_of(device, number);
    memset(data, 0, sizeof *data);
    memcpy(data, &content, sizeof content);
    return cuda_leave(CUDA_SUCCESS);
}

/* Each import is a mapping of its own, with its own release. A program may try several pools to find out which one the
 * memory is of. */
CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool, cuda_ipc_handle *data) {
    shared_memory content;
    int file;
    CUDA_ENTER(d);
    (void)d;
    if (!address || !pool || !data) return cuda_leave(CUDA_INVALID_VALUE);
    memcpy(&content, data, sizeof content);
    if (memcmp(content.kind, of_memory, sizeof of_memory) != 0)
        return cuda_leave(cuda_wrong(CUDA_INVALID_VALUE, "this is not what cuMemPoolExportPointer() has written"));
    CUresult result = cuda_open_file_of(content.process, content.file, &file);
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    result = sim_driver_open_pooled(pool, content.origin, file, content.place, content.bytes, address);
    close(file);
    return cuda_leave(*haul_message() ? result : standin_answer(result));
}
