/* The CUDA driver API as a table of functions. Two tables exist: the real one, loaded from libcuda at run time
 * (driver_load()), and the virtual GPU's (sim/driver.h). Everything above is written against this, so the same program
 * runs on both.
 *
 * The few ABI types are declared here: no CUDA header is needed to build. */
#ifndef HAUL_DRIVER_DRIVER_H
#define HAUL_DRIVER_DRIVER_H

#include <haul/status.h>
#include <stddef.h>

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmemPool_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef void (*CUhostFn)(void *data);

/* How cuLaunchKernelEx launches. Of the attributes haul uses one. */
enum { DRIVER_LAUNCH_CLUSTER = 4 };

typedef struct CUlaunchAttribute {
    int id;
    char padding[8 - sizeof(int)];
    union {
        char bytes[64];
        unsigned cluster[3]; /* blocks in x, y, z */
    } value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
    unsigned grid[3], block[3], shared_bytes;
    CUstream stream;
    CUlaunchAttribute *attributes;
    unsigned attribute_count;
} CUlaunchConfig;

/* Flags of streams and events, host memory and registrations; limits; attributes of pools: CUDA's numbers. */
enum { DRIVER_STREAM_NON_BLOCKING = 1 };
enum { DRIVER_EVENT_BLOCKING_SYNC = 1, DRIVER_EVENT_DISABLE_TIMING = 2 };
enum { DRIVER_HOST_PORTABLE = 1, DRIVER_HOST_MAPPED = 2, DRIVER_HOST_WRITE_COMBINED = 4 };
enum {
    DRIVER_LIMIT_STACK = 0,
    DRIVER_LIMIT_HEAP = 2,
    DRIVER_LIMIT_L2_FETCH = 5,
    DRIVER_LIMIT_PERSISTING_L2 = 6,
};
enum {
    DRIVER_POOL_RELEASE_THRESHOLD = 4,
    DRIVER_POOL_RESERVED = 5,
    DRIVER_POOL_RESERVED_HIGH = 6,
    DRIVER_POOL_USED = 7,
    DRIVER_POOL_USED_HIGH = 8,
};
enum { DRIVER_CAPTURE_THREAD_LOCAL = 1 };

/* Which addresses L2 keeps for a stream's kernels. */
enum { DRIVER_STREAM_ACCESS_POLICY_WINDOW = 1 };
enum { DRIVER_ACCESS_NORMAL = 0, DRIVER_ACCESS_STREAMING = 1, DRIVER_ACCESS_PERSISTING = 2 };
typedef struct CUaccessPolicyWindow {
    void *base; /* a device address */
    size_t bytes;
    float hit_ratio;
    int hit, miss; /* DRIVER_ACCESS_... */
} CUaccessPolicyWindow;

typedef union CUstreamAttrValue {
    char bytes[64];
    CUaccessPolicyWindow window;
} CUstreamAttrValue;

/* What a pool is made of: pinned memory (1) of a device (1) by number. */
typedef struct CUmemPoolProps {
    int allocation, handles;
    struct {
        int type, id;
    } location;
    void *security;
    size_t max_bytes;
    unsigned short usage;
    unsigned char reserved[54];
} CUmemPoolProps;

/* Opaque; 64-byte aligned. */
typedef struct CUtensorMap {
    _Alignas(64) unsigned long long opaque[16];
} CUtensorMap;

typedef enum CUresult {
#define RESULT(name, value, status, text) CUDA_##name = (value),
#include "driver/results.def"
#undef RESULT
} CUresult;

/* Attributes, with CUDA's numbers. */
enum {
    DRIVER_DEVICE_MAX_THREADS_PER_BLOCK = 1,
    DRIVER_DEVICE_MAX_BLOCK_X = 2, /* y and z follow */
    DRIVER_DEVICE_MAX_GRID_X = 5,  /* likewise */
    DRIVER_DEVICE_WARP_SIZE = 10,
    DRIVER_DEVICE_CLOCK_KHZ = 13,
    DRIVER_DEVICE_SM_COUNT = 16,
    DRIVER_DEVICE_CAN_MAP_HOST = 19,
    DRIVER_DEVICE_CONCURRENT_KERNELS = 31,
    DRIVER_DEVICE_MEMORY_CLOCK_KHZ = 36,
    DRIVER_DEVICE_MEMORY_BUS_BITS = 37,
    DRIVER_DEVICE_L2_BYTES = 38,
    DRIVER_DEVICE_THREADS_PER_SM = 39,
    DRIVER_DEVICE_COPY_ENGINES = 40,
    DRIVER_DEVICE_UNIFIED_ADDRESSES = 41,
    DRIVER_DEVICE_MAJOR = 75,
    DRIVER_DEVICE_MINOR = 76,
    DRIVER_DEVICE_SHARED_PER_SM = 81,
    DRIVER_DEVICE_SHARED_OPTIN = 97,
    DRIVER_DEVICE_PERSISTING_L2_BYTES = 108,
    DRIVER_DEVICE_WINDOW_BYTES = 109,
    DRIVER_DEVICE_MEMORY_POOLS = 115,
    DRIVER_FUNCTION_MAX_THREADS = 0,
    DRIVER_FUNCTION_SHARED_BYTES = 1,
    DRIVER_FUNCTION_REGISTERS = 4,
    DRIVER_FUNCTION_MAX_DYNAMIC_SHARED = 8,
};

typedef struct driver_table {
#define DRIVER(name, symbol, parameters) CUresult(*name) parameters;
#include "driver/driver.def"
#undef DRIVER
} driver_table;

/* Loads libcuda.so.1, once per process; the table lives as long as the process. Errors: HAUL_ERROR_NO_DEVICE with what
 * is missing (no driver, a driver too old, no device) and what to do. */
haul_status driver_load(const driver_table **table);

/* "CUDA_ERROR_OUT_OF_MEMORY"-like name and what it means, for any code; never NULL. */
const char *driver_result_name(CUresult result);
const char *driver_result_text(CUresult result);
/* The status that stands for it in haul's API. */
haul_status driver_result_status(CUresult result);

#endif
