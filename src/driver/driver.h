/* The CUDA driver API as a table of functions. Two tables exist: the real one, loaded from libcuda at run time
 * (driver_load()), and the virtual GPU's (vgpu/driver.h). All layers above use the table, so the same program runs on
 * both.
 *
 * The few ABI types are declared here: no CUDA header is needed to build. */
#ifndef HAUL_DRIVER_DRIVER_H
#define HAUL_DRIVER_DRIVER_H

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmemPool_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef void (*CUhostFn)(void *data);

/* The addresses that L2 keeps for the kernels of a stream or for a launch. */
enum { DRIVER_ACCESS_NORMAL = 0, DRIVER_ACCESS_STREAMING = 1, DRIVER_ACCESS_PERSISTING = 2 };
typedef struct CUaccessPolicyWindow {
    void *base; /* a device address */
    size_t bytes;
    float hit_ratio;
    int hit, miss; /* DRIVER_ACCESS_... */
} CUaccessPolicyWindow;

/* Inputs of a linker; haul uses one of the types. */
enum { DRIVER_LINK_PTX = 1 };

/* How cuLaunchKernelEx launches; streams and kernels of graphs have some of these attributes, too. */
enum {
    DRIVER_LAUNCH_ACCESS_POLICY_WINDOW = 1,
    DRIVER_LAUNCH_COOPERATIVE = 2,
    DRIVER_LAUNCH_SYNCHRONIZATION = 3,
    DRIVER_LAUNCH_CLUSTER = 4,
    DRIVER_LAUNCH_CLUSTER_POLICY = 5,
    DRIVER_LAUNCH_PROGRAMMATIC = 6, /* programmatic stream serialization */
    DRIVER_LAUNCH_EVENT = 7,        /* recorded when all blocks have triggered it */
    DRIVER_LAUNCH_PRIORITY = 8,
    DRIVER_LAUNCH_DOMAIN_MAP = 9,
    DRIVER_LAUNCH_DOMAIN = 10,
    DRIVER_LAUNCH_PREFERRED_CLUSTER = 11,
    DRIVER_LAUNCH_BEGIN_EVENT = 12, /* recorded when all blocks have begun */
    DRIVER_LAUNCH_UPDATABLE = 13,   /* a graph's kernel that other kernels change */
    DRIVER_LAUNCH_CARVEOUT = 14,
    DRIVER_LAUNCH_NVLINK_SCHEDULING = 16,
};

typedef struct CUlaunchAttribute {
    int id;
    char padding[8 - sizeof(int)];
    union {
        char bytes[64];
        CUaccessPolicyWindow window;
        unsigned cluster[3]; /* blocks in x, y, z */
        int is_programmatic, is_cooperative, priority, number;
        unsigned char domain_map[2];
        CUevent event;
    } value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
    unsigned grid[3], block[3], shared_bytes;
    CUstream stream;
    CUlaunchAttribute *attributes;
    unsigned attribute_count;
} CUlaunchConfig;

/* CUDA's numbers: flags of streams, events, host memory and registrations; limits; attributes of pools. */
enum { DRIVER_STREAM_NON_BLOCKING = 1 };
#define DRIVER_STREAM_LEGACY ((CUstream)(uintptr_t)1) /* CU_STREAM_LEGACY */
enum { DRIVER_EVENT_BLOCKING_SYNC = 1, DRIVER_EVENT_DISABLE_TIMING = 2, DRIVER_EVENT_INTERPROCESS = 4 };
enum { DRIVER_ATTACH_GLOBAL = 1, DRIVER_ATTACH_HOST = 2, DRIVER_ATTACH_SINGLE = 4 };
enum { DRIVER_HOST_PORTABLE = 1, DRIVER_HOST_MAPPED = 2, DRIVER_HOST_WRITE_COMBINED = 4 };
enum {
    DRIVER_LIMIT_STACK = 0,
    DRIVER_LIMIT_PRINT = 1,
    DRIVER_LIMIT_HEAP = 2,
    DRIVER_LIMIT_SYNC_DEPTH = 3,
    DRIVER_LIMIT_PENDING_LAUNCHES = 4,
    DRIVER_LIMIT_L2_FETCH = 5,
    DRIVER_LIMIT_PERSISTING_L2 = 6,
    DRIVER_LIMIT_SHARED = 7, /* of a block of a context for graphics; read only, as the next */
    DRIVER_LIMIT_GRAPHICS = 8,
    DRIVER_LIMIT_GRAPHICS_FALLBACK = 9,
};
enum {
    DRIVER_POOL_REUSE = 1, /* and the next two: how freed memory may be used again */
    DRIVER_POOL_RELEASE_THRESHOLD = 4,
    DRIVER_POOL_RESERVED = 5,
    DRIVER_POOL_RESERVED_HIGH = 6,
    DRIVER_POOL_USED = 7,
    DRIVER_POOL_USED_HIGH = 8,
};
enum { DRIVER_CAPTURE_THREAD_LOCAL = 1 };

enum { DRIVER_STREAM_ACCESS_POLICY_WINDOW = 1 };
typedef union CUstreamAttrValue {
    char bytes[64];
    CUaccessPolicyWindow window;
    int number;
    unsigned char domain_map[2]; /* of the default domain, and of the remote one */
} CUstreamAttrValue;

/* Properties of a pool. allocation 1: pinned memory; location type 1: device number `id`. */
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

/* ---- virtual memory ---- */

typedef unsigned long long CUmemGenericAllocationHandle;
enum { DRIVER_LOCATION_DEVICE = 1, DRIVER_LOCATION_HOST = 2, DRIVER_LOCATION_HOST_NUMA_CURRENT = 4 };
enum { DRIVER_MEMORY_PINNED = 1 };
enum { DRIVER_HANDLE_FILE = 1 }; /* a POSIX file descriptor */
enum { DRIVER_ACCESS_NONE = 0, DRIVER_ACCESS_READ = 1, DRIVER_ACCESS_READ_WRITE = 3 };

typedef struct CUmemLocation {
    int type, id; /* DRIVER_LOCATION_DEVICE: the device's number */
} CUmemLocation;

/* Properties of an allocation. */
typedef struct CUmemAllocationProp {
    int type; /* DRIVER_MEMORY_PINNED */
    int handles;
    CUmemLocation location;
    void *security;
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
} CUmemAllocationProp;

typedef struct CUmemAccessDesc {
    CUmemLocation location;
    int flags; /* DRIVER_ACCESS_... */
} CUmemAccessDesc;

typedef struct CUmulticastObjectProp {
    unsigned devices;
    size_t bytes;
    unsigned long long handles, flags;
} CUmulticastObjectProp;

/* ---- arrays, textures, surfaces ---- */

/* CUDA's numbers: flags of arrays and textures, kinds of a copy's sides and of resources. formats.def has the
 * formats. */
enum { DRIVER_ARRAY_LAYERED = 1, DRIVER_ARRAY_SURFACE = 2, DRIVER_ARRAY_CUBE = 4, DRIVER_ARRAY_GATHER = 8 };
enum {
    DRIVER_TEXTURE_INTEGERS = 1,
    DRIVER_TEXTURE_NORMALIZED = 2,
    DRIVER_TEXTURE_SRGB = 16,
    DRIVER_TEXTURE_SEAMLESS = 64
};
enum { DRIVER_TEXTURE_NO_TRILINEAR_TRICKS = 32 };
enum { DRIVER_ADDRESS_WRAP, DRIVER_ADDRESS_CLAMP, DRIVER_ADDRESS_MIRROR, DRIVER_ADDRESS_BORDER };
enum { DRIVER_FILTER_POINT, DRIVER_FILTER_LINEAR };
enum { DRIVER_MEMORY_HOST = 1, DRIVER_MEMORY_DEVICE = 2, DRIVER_MEMORY_ARRAY = 3, DRIVER_MEMORY_UNIFIED = 4 };
enum { DRIVER_RESOURCE_ARRAY, DRIVER_RESOURCE_MIPMAP, DRIVER_RESOURCE_LINEAR, DRIVER_RESOURCE_PITCH2D };
typedef enum CUarray_format {
#define FORMAT(id, value, bytes, kind, name) DRIVER_FORMAT_##id = (value),
#include "driver/formats.def"
#undef FORMAT
} CUarray_format;

typedef struct CUDA_ARRAY_DESCRIPTOR {
    size_t width, height;
    CUarray_format format;
    unsigned channels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct CUDA_ARRAY3D_DESCRIPTOR {
    size_t width, height, depth; /* depth of layered arrays and cubes: layers, or faces of all cubes */
    CUarray_format format;
    unsigned channels, flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct CUDA_MEMCPY2D {
    size_t from_x, from_y;
    int from_kind; /* DRIVER_MEMORY_... */
    const void *from_host;
    CUdeviceptr from_device;
    CUarray from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    int to_kind;
    void *to_host;
    CUdeviceptr to_device;
    CUarray to_array;
    size_t to_pitch;
    size_t width, height; /* width and every x are in bytes */
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D {
    size_t from_x, from_y, from_z, from_level;
    int from_kind;
    const void *from_host;
    CUdeviceptr from_device;
    CUarray from_array;
    void *reserved_from;
    size_t from_pitch, from_height;
    size_t to_x, to_y, to_z, to_level;
    int to_kind;
    void *to_host;
    CUdeviceptr to_device;
    CUarray to_array;
    void *reserved_to;
    size_t to_pitch, to_height;
    size_t width, height, depth;
} CUDA_MEMCPY3D;

typedef struct CUDA_RESOURCE_DESC {
    int kind; /* DRIVER_RESOURCE_... */
    union {
        CUarray array;
        CUmipmappedArray mipmap;
        struct {
            CUdeviceptr address;
            CUarray_format format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            CUdeviceptr address;
            CUarray_format format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } of;
    unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct CUDA_TEXTURE_DESC {
    int address[3], filter; /* DRIVER_ADDRESS_..., DRIVER_FILTER_... */
    unsigned flags, anisotropy;
    int level_filter;
    float level_bias, level_least, level_most;
    float border[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

/* The part of an array that a texture covers. */
typedef struct CUDA_RESOURCE_VIEW_DESC {
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
    unsigned reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

/* ---- graphs ---- */

typedef enum CUgraphNodeType {
    DRIVER_NODE_KERNEL,
    DRIVER_NODE_COPY,
    DRIVER_NODE_FILL,
    DRIVER_NODE_HOST,
    DRIVER_NODE_GRAPH,
    DRIVER_NODE_EMPTY,
    DRIVER_NODE_EVENT_WAIT,
    DRIVER_NODE_EVENT_RECORD,
    DRIVER_NODE_ALLOCATE = 10,
    DRIVER_NODE_FREE = 11,
    DRIVER_NODE_VALUES = 12, /* a batch of memory operations */
    DRIVER_NODE_CONDITION = 13,
} CUgraphNodeType;

typedef struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction function;
    unsigned grid[3], block[3], shared_bytes;
    void **parameters, **extra;
    void *kernel, *context; /* alternatives to the function; ignored */
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUDA_MEMSET_NODE_PARAMS {
    CUdeviceptr to;
    size_t pitch;
    unsigned value, element; /* element: bytes of one */
    size_t width, height;    /* width: in elements */
} CUDA_MEMSET_NODE_PARAMS;

typedef struct CUDA_HOST_NODE_PARAMS {
    CUhostFn call;
    void *data;
} CUDA_HOST_NODE_PARAMS;

typedef struct CUDA_MEM_ALLOC_NODE_PARAMS {
    CUmemPoolProps pool;
    const CUmemAccessDesc *access;
    size_t access_count, bytes;
    CUdeviceptr address; /* output */
} CUDA_MEM_ALLOC_NODE_PARAMS;

/* Properties of an edge: DRIVER_PORT_... of the node in front, and DRIVER_EDGE_PROGRAMMATIC or 0. */
enum { DRIVER_PORT_PROGRAMMATIC = 1, DRIVER_PORT_LAUNCH_ORDER = 2, DRIVER_EDGE_PROGRAMMATIC = 1 };
typedef struct CUgraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

typedef struct CUgraphExecUpdateResultInfo {
    int result; /* DRIVER_UPDATE_... */
    CUgraphNode node, from;
} CUgraphExecUpdateResultInfo;
enum { DRIVER_UPDATED = 0, DRIVER_UPDATE_TOPOLOGY = 2, DRIVER_UPDATE_TYPE = 3 };

/* Opaque; 64-byte aligned. */
typedef struct CUtensorMap {
    _Alignas(64) unsigned long long opaque[16];
} CUtensorMap;

typedef enum CUresult {
#define RESULT(name, value, status, text) CUDA_##name = (value),
#include "driver/results.def"
#undef RESULT
} CUresult;

/* The attributes that haul asks for, with CUDA's numbers. */
enum {
    DRIVER_DEVICE_MAX_THREADS_PER_BLOCK = 1,
    DRIVER_DEVICE_MAX_BLOCK_X = 2, /* y and z follow */
    DRIVER_DEVICE_MAX_GRID_X = 5,  /* likewise */
    DRIVER_DEVICE_WARP_SIZE = 10,
    DRIVER_DEVICE_CLOCK_KHZ = 13,
    DRIVER_DEVICE_TEXTURE_ALIGNMENT = 14,
    DRIVER_DEVICE_SM_COUNT = 16,
    DRIVER_DEVICE_PCI_BUS = 33,
    DRIVER_DEVICE_PCI_DEVICE = 34,
    DRIVER_DEVICE_MEMORY_CLOCK_KHZ = 36,
    DRIVER_DEVICE_MEMORY_BUS_BITS = 37,
    DRIVER_DEVICE_L2_BYTES = 38,
    DRIVER_DEVICE_PCI_DOMAIN = 50,
    DRIVER_DEVICE_LINEAR_TEXTURE = 69,
    DRIVER_DEVICE_MAJOR = 75,
    DRIVER_DEVICE_MINOR = 76,
    DRIVER_DEVICE_SHARED_PER_SM = 81,
    DRIVER_DEVICE_SHARED_OPTIN = 97,
    DRIVER_DEVICE_PERSISTING_L2_BYTES = 108,
    DRIVER_DEVICE_CLUSTERS = 120,
    DRIVER_DEVICE_MULTICAST = 132,
    DRIVER_FUNCTION_MAX_THREADS = 0,
    DRIVER_FUNCTION_SHARED_BYTES = 1,
    DRIVER_FUNCTION_CONSTANT_BYTES = 2,
    DRIVER_FUNCTION_LOCAL_BYTES = 3,
    DRIVER_FUNCTION_REGISTERS = 4,
    DRIVER_FUNCTION_PTX_VERSION = 5,
    DRIVER_FUNCTION_BINARY_VERSION = 6,
    DRIVER_FUNCTION_CACHE_MODE = 7,
    DRIVER_FUNCTION_MAX_DYNAMIC_SHARED = 8,
    DRIVER_FUNCTION_CARVEOUT = 9,
    DRIVER_FUNCTION_CLUSTER_MUST_BE_SET = 10,
    DRIVER_FUNCTION_CLUSTER_X = 11, /* y and z follow */
    DRIVER_FUNCTION_LARGE_CLUSTERS = 14,
    DRIVER_FUNCTION_CLUSTER_POLICY = 15,
};

typedef struct driver_table {
#define DRIVER(name, symbol, parameters) CUresult(*name) parameters;
#include "driver/driver.def"
#undef DRIVER
} driver_table;

/* An environment variable with the path of the driver's library, if it is not the one that the loader finds. */
#define DRIVER_PATH "HAUL_GPU_DRIVER"

/* Loads libcuda.so.1, once per process; the table lives as long as the process. Errors: HAUL_ERROR_NO_DEVICE with what
 * is missing (no driver, a driver that is too old, no device) and what to do. */
haul_status driver_load(const driver_table **table);
/* Returns the loaded file; NULL if none was loaded. */
const char *driver_path(void);

/* Returns a name like "CUDA_ERROR_OUT_OF_MEMORY", or the meaning, of any code; never NULL. */
const char *driver_result_name(CUresult result);
const char *driver_result_text(CUresult result);
bool driver_result_is_known(CUresult result);
/* Returns the haul_status that corresponds to it. */
haul_status driver_result_status(CUresult result);

#endif
