/* What programs ask of the device, of which there is one, and of the runtime; errors. */
#include "standin/standin.h"

#include "lib/device.h"

#include <string.h>

enum { VERSION = 13000 };

CUresult cudaGetDeviceCount(int *count) {
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cudaGetDevice(int *number) {
    *number = 0;
    return CUDA_SUCCESS;
}

CUresult cudaSetDevice(int number) {
    return number ? standin_fail(CUDA_INVALID_DEVICE) : CUDA_SUCCESS;
}

/* How the host waits changes nothing here. */
CUresult cudaSetDeviceFlags(unsigned flags) {
    (void)flags;
    return CUDA_SUCCESS;
}

CUresult cudaInitDevice(int number, unsigned flags, unsigned valid) {
    (void)flags, (void)valid;
    return cudaSetDevice(number);
}

CUresult cudaDriverGetVersion(int *version) {
    STANDIN_CALL(version(version));
}

CUresult cudaRuntimeGetVersion(int *version) {
    *version = VERSION;
    return CUDA_SUCCESS;
}

CUresult cudaDeviceGetAttribute(int *value, int attribute, int number) {
    if (number) return standin_fail(CUDA_INVALID_DEVICE);
    const driver_table *d = standin_enter();
    return standin_leave(d->device_attribute(value, attribute, standin_device()->handle));
}

/* ---- cudaDeviceProp ---- */

/* The fields that haul fills, of CUDA 13's structure; what lies between them is 0. */
typedef struct cudaDeviceProp {
    char name[256], uuid[16], luid[8];
    unsigned node_mask;
    size_t memory_bytes, shared_per_block;
    int registers_per_block, warp_size;
    size_t pitch;
    int threads_per_block, most_block[3], most_grid[3];
    size_t constant_bytes;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    int sms, integrated, maps_host;
    int texture_limits[25], surface_limits[13];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci[3], tcc, copy_engines, unified_addressing, bus_bits, l2_bytes, persisting_l2_bytes;
    int threads_per_sm, priorities, caches_globals, caches_locals;
    size_t shared_per_sm;
    int registers_per_sm, managed, multi_gpu[2], host_atomics, pageable[3], host_pointers, cooperative;
    size_t shared_optin;
    int page_tables[2], blocks_per_sm, window_bytes;
    size_t reserved_shared;
    int host_register, sparse, read_only_register, timeline, pools, rdma;
    unsigned rdma_options;
    int rdma_order;
    unsigned pool_handles;
    int deferred, ipc_events, clusters, function_pointers;
    int others[7], reserved[56];
} cudaDeviceProp;

_Static_assert(sizeof(cudaDeviceProp) == 1008, "as CUDA 13.0 has it");

/* Attributes by their place in the structure; its other numbers are sizes. */
static const struct {
    int attribute;
    size_t at;
} numbers[] = {
#define NUMBER(attribute, field) \
    { attribute, offsetof(cudaDeviceProp, field) }
    NUMBER(DRIVER_DEVICE_MAX_THREADS_PER_BLOCK, threads_per_block),
    NUMBER(DRIVER_DEVICE_MAX_BLOCK_X, most_block[0]),
    NUMBER(DRIVER_DEVICE_MAX_BLOCK_X + 1, most_block[1]),
    NUMBER(DRIVER_DEVICE_MAX_BLOCK_X + 2, most_block[2]),
    NUMBER(DRIVER_DEVICE_MAX_GRID_X, most_grid[0]),
    NUMBER(DRIVER_DEVICE_MAX_GRID_X + 1, most_grid[1]),
    NUMBER(DRIVER_DEVICE_MAX_GRID_X + 2, most_grid[2]),
    NUMBER(DRIVER_DEVICE_WARP_SIZE, warp_size),
    NUMBER(DRIVER_DEVICE_SM_COUNT, sms),
    NUMBER(DRIVER_DEVICE_CAN_MAP_HOST, maps_host),
    NUMBER(DRIVER_DEVICE_CONCURRENT_KERNELS, concurrent_kernels),
    NUMBER(DRIVER_DEVICE_L2_BYTES, l2_bytes),
    NUMBER(DRIVER_DEVICE_THREADS_PER_SM, threads_per_sm),
    NUMBER(DRIVER_DEVICE_COPY_ENGINES, copy_engines),
    NUMBER(DRIVER_DEVICE_UNIFIED_ADDRESSES, unified_addressing),
    NUMBER(DRIVER_DEVICE_MAJOR, major),
    NUMBER(DRIVER_DEVICE_MINOR, minor),
    NUMBER(DRIVER_DEVICE_PERSISTING_L2_BYTES, persisting_l2_bytes),
    NUMBER(DRIVER_DEVICE_WINDOW_BYTES, window_bytes),
    NUMBER(DRIVER_DEVICE_MEMORY_POOLS, pools),
    NUMBER(DRIVER_DEVICE_REGISTERS_PER_BLOCK, registers_per_block),
    NUMBER(DRIVER_DEVICE_REGISTERS_PER_SM, registers_per_sm),
    NUMBER(DRIVER_DEVICE_BLOCKS_PER_SM, blocks_per_sm),
    NUMBER(DRIVER_DEVICE_COOPERATIVE, cooperative),
    NUMBER(DRIVER_DEVICE_CLUSTERS, clusters),
#undef NUMBER
};

static size_t size_of(const driver_table *d, int attribute) {
    int value = 0;
    return d->device_attribute(&value, attribute, standin_device()->handle) == CUDA_SUCCESS ? (size_t)value : 0;
}

static CUresult fill(const driver_table *d, cudaDeviceProp *p) {
    const CUdevice device = standin_device()->handle;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int value = 0;
        const CUresult result = d->device_attribute(&value, numbers[i].attribute, device);
        if (result != CUDA_SUCCESS) return result;
        memcpy((char *)p + numbers[i].at, &value, sizeof value);
    }
    p->shared_per_block = size_of(d, DRIVER_DEVICE_SHARED_PER_BLOCK);
    p->shared_per_sm = size_of(d, DRIVER_DEVICE_SHARED_PER_SM);
    p->shared_optin = size_of(d, DRIVER_DEVICE_SHARED_OPTIN);
    p->reserved_shared = size_of(d, DRIVER_DEVICE_RESERVED_SHARED);
    p->constant_bytes = size_of(d, DRIVER_DEVICE_CONSTANT_BYTES);
    p->texture_alignment = size_of(d, DRIVER_DEVICE_TEXTURE_ALIGNMENT);
    p->texture_pitch_alignment = size_of(d, DRIVER_DEVICE_TEXTURE_PITCH_ALIGNMENT);
    p->priorities = p->caches_globals = p->caches_locals = p->host_register = 1;
    p->pitch = INT32_MAX;
    const CUresult named = d->device_name(p->name, sizeof p->name, device);
    return named == CUDA_SUCCESS ? d->device_memory(&p->memory_bytes, device) : named;
}

CUresult cudaGetDeviceProperties(cudaDeviceProp *properties, int number) {
    if (number) return standin_fail(CUDA_INVALID_DEVICE);
    *properties = (cudaDeviceProp){0};
    const driver_table *d = standin_enter();
    return standin_leave(fill(d, properties));
}

/* ---- the whole device ---- */

CUresult cudaDeviceSynchronize(void) {
    STANDIN_CALL(synchronize());
}

/* What the program has allocated stays until it ends. */
CUresult cudaDeviceReset(void) {
    return cudaDeviceSynchronize();
}

CUresult cudaDeviceSetLimit(int limit, size_t value) {
    STANDIN_CALL(limit_set(limit, value));
}

CUresult cudaDeviceGetLimit(size_t *value, int limit) {
    STANDIN_CALL(limit_get(value, limit));
}

CUresult cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    STANDIN_CALL(stream_priorities(least, greatest));
}

CUresult cudaDeviceCanAccessPeer(int *can, int number, int peer) {
    *can = 0;
    return number || peer ? standin_fail(CUDA_INVALID_DEVICE) : CUDA_SUCCESS;
}

CUresult cudaCtxResetPersistingL2Cache(void) {
    STANDIN_CALL(persisting_reset());
}

CUresult cudaProfilerStart(void) {
    return CUDA_SUCCESS;
}

CUresult cudaProfilerStop(void) {
    return CUDA_SUCCESS;
}

/* ---- errors ---- */

CUresult cudaGetLastError(void) {
    return standin_last_error(true);
}

CUresult cudaPeekAtLastError(void) {
    return standin_last_error(false);
}

const char *cudaGetErrorName(CUresult result) {
    switch ((int)result) {
#define ERROR(value, name) \
    case value:            \
        return #name;
#include "standin/errors.def"
#undef ERROR
    default: return "unrecognized error code";
    }
}

const char *cudaGetErrorString(CUresult result) {
    return driver_result_text(result);
}

/* ---- the driver's functions ---- */

static const struct {
    const char *name;
    size_t at;
} entries[] = {
#define DRIVER(field, symbol, parameters) {#symbol, offsetof(driver_table, field)},
#include "driver/driver.def"
#undef DRIVER
};

/* Names are asked for without their version: cuMemAlloc for cuMemAlloc_v2. */
CUresult cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, unsigned long long flags,
                                          int *found) {
    const size_t length = strlen(name);
    (void)version, (void)flags;
    *function = NULL;
    const driver_table *d = standin_enter();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strncmp(entries[i].name, name, length) == 0 && (!entries[i].name[length] || entries[i].name[length] == '_'))
            memcpy(function, (const char *)d + entries[i].at, sizeof *function);
    if (found) *found = *function ? 0 : 1;
    return standin_leave(*function ? CUDA_SUCCESS : CUDA_NOT_FOUND);
}
