/* Queries of kernels: attributes, names, how many blocks an SM holds.
 *
 * The program names a kernel by its host function; WITH_KERNEL() finds the driver's function, and the driver API's
 * function for the same query does the rest. The lookup and the query are two calls, each with the lock of its own:
 * functions stay loaded in between, as the runtime never unloads modules. */
#include "standin/cuda/cuda.h"
#include "standin/runtime/version.h"
#include "vgpu/driver.h"

#include <string.h>

/* The driver's function for the program's handle of a kernel. */
static CUresult find(const void *host, CUfunction *kernel) {
    const driver_table *d = standin_enter_beside();
    if (!standin_is_prepared(host)) standin_be_alone();
    return standin_leave(standin_kernel(d, host, kernel));
}

/* Declares `kernel`, and leaves the function if there is none. */
#define WITH_KERNEL(host, kernel)                    \
    CUfunction kernel;                               \
    do {                                             \
        const CUresult found_ = find(host, &kernel); \
        if (found_ != CUDA_SUCCESS) return found_;   \
    } while (0)

/* ---- attributes ---- */

/* CUDA's layout; programs do not query fields after these. Sizes are in bytes; the flags are int, as in C. */
typedef struct cudaFuncAttributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int most_threads, registers, ptx_version, binary_version, caches_globals, most_dynamic_shared, carveout;
    int needs_cluster, cluster[3], cluster_policy, allows_large_clusters, reserved[16];
} cudaFuncAttributes;

/* The driver API's query, with its arguments in another order. */
static CUresult get(CUfunction kernel, int attribute, int *value) {
    return cuFuncGetAttribute(value, attribute, kernel);
}

/* For fields that are size_t in the runtime, and int in the driver. */
static CUresult get_size(CUfunction kernel, int attribute, size_t *value) {
    int bytes = 0;
    const CUresult result = get(kernel, attribute, &bytes);
    *value = (size_t)bytes;
    return result;
}

/* One query of the driver API for each field. */
static CUresult get_all(CUfunction kernel, cudaFuncAttributes *a) {
    const struct {
        int attribute, *value;
    } numbers[] = {{DRIVER_FUNCTION_MAX_THREADS, &a->most_threads},
                   {DRIVER_FUNCTION_REGISTERS, &a->registers},
                   {DRIVER_FUNCTION_PTX_VERSION, &a->ptx_version},
                   {DRIVER_FUNCTION_BINARY_VERSION, &a->binary_version},
                   {DRIVER_FUNCTION_CACHE_MODE, &a->caches_globals},
                   {DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, &a->most_dynamic_shared},
                   {DRIVER_FUNCTION_CARVEOUT, &a->carveout},
                   {DRIVER_FUNCTION_CLUSTER_MUST_BE_SET, &a->needs_cluster},
                   {DRIVER_FUNCTION_CLUSTER_X, &a->cluster[0]},
                   {DRIVER_FUNCTION_CLUSTER_X + 1, &a->cluster[1]},
                   {DRIVER_FUNCTION_CLUSTER_X + 2, &a->cluster[2]},
                   {DRIVER_FUNCTION_LARGE_CLUSTERS, &a->allows_large_clusters},
                   {DRIVER_FUNCTION_CLUSTER_POLICY, &a->cluster_policy}};
    CUresult result = get_size(kernel, DRIVER_FUNCTION_SHARED_BYTES, &a->shared_bytes);
    if (result == CUDA_SUCCESS) result = get_size(kernel, DRIVER_FUNCTION_CONSTANT_BYTES, &a->constant_bytes);
    if (result == CUDA_SUCCESS) result = get_size(kernel, DRIVER_FUNCTION_LOCAL_BYTES, &a->local_bytes);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && result == CUDA_SUCCESS; i++)
        result = get(kernel, numbers[i].attribute, numbers[i].value);
    return result;
}

/* Fields behind those of the program's version are not written. */
CUresult cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *host) {
    cudaFuncAttributes all = {0};
    WITH_KERNEL(host, kernel);
    if (!attributes) return standin_fail(CUDA_INVALID_VALUE);
    const CUresult result = get_all(kernel, &all);
    /* CUDA 11 has no clusters: its structure ends before them. */
    memcpy(attributes, &all, standin_cuda_version() > 11 ? sizeof all : offsetof(cudaFuncAttributes, needs_cluster));
    return standin_fail(result);
}

CUresult cudaFuncSetAttribute(const void *host, int attribute, int value) {
    WITH_KERNEL(host, kernel);
    STANDIN_FORWARD(cuFuncSetAttribute(kernel, attribute, value));
}

/* A preference without effect; the virtual GPU divides its memory by a kernel's needs. */
CUresult cudaFuncSetCacheConfig(const void *host, int preference) {
    (void)preference;
    WITH_KERNEL(host, kernel);
    (void)kernel;
    return CUDA_SUCCESS;
}

/* Banks have long been 4 bytes wide. */
CUresult cudaFuncSetSharedMemConfig(const void *host, int preference) {
    return cudaFuncSetCacheConfig(host, preference);
}

CUresult cudaFuncGetName(const char **name, const void *host) {
    WITH_KERNEL(host, kernel);
    STANDIN_FORWARD(cuFuncGetName(name, kernel));
}

CUresult cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes) {
    WITH_KERNEL(host, kernel);
    STANDIN_FORWARD(cuFuncGetParamInfo(kernel, index, offset, bytes));
}

CUresult cudaFuncGetParamCount(const void *host, size_t *count) {
    WITH_KERNEL(host, kernel);
    STANDIN_FORWARD(cuFuncGetParamCount(kernel, count));
}

/* The driver's function, for programs that use both APIs. */
CUresult cudaGetFuncBySymbol(CUfunction *kernel, const void *host) {
    return kernel ? find(host, kernel) : standin_fail(CUDA_INVALID_VALUE);
}

/* ---- occupancy ---- */

CUresult cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host, int threads,
                                                                size_t shared, unsigned flags) {
    WITH_KERNEL(host, kernel);
    STANDIN_FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, shared, flags));
}

CUresult cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int threads, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, shared, 0);
}

CUresult cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks, int threads) {
    WITH_KERNEL(host, kernel);
    STANDIN_FORWARD(cuOccupancyAvailableDynamicSMemPerBlock(bytes, kernel, blocks, threads));
}

/* Attributes are passed on, since the cluster's shape is among them. */
static CUlaunchConfig config_of(const cudaLaunchConfig_t *c) {
    return (CUlaunchConfig){.grid = {c->grid.x, c->grid.y, c->grid.z},
                            .block = {c->block.x, c->block.y, c->block.z},
                            .shared_bytes = (unsigned)c->shared_bytes,
                            .stream = c->stream,
                            .attributes = c->attributes,
                            .attribute_count = c->attribute_count};
}

CUresult cudaOccupancyMaxActiveClusters(int *clusters, const void *host, const cudaLaunchConfig_t *given) {
    WITH_KERNEL(host, kernel);
    if (!given) return standin_fail(CUDA_INVALID_VALUE);
    const CUlaunchConfig config = config_of(given);
    STANDIN_FORWARD(cuOccupancyMaxActiveClusters(clusters, kernel, &config));
}

CUresult cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *host, const cudaLaunchConfig_t *given) {
    WITH_KERNEL(host, kernel);
    if (!given) return standin_fail(CUDA_INVALID_VALUE);
    const CUlaunchConfig config = config_of(given);
    STANDIN_FORWARD(cuOccupancyMaxPotentialClusterSize(blocks, kernel, &config));
}
