/* Queries of functions: their resources, and how many blocks of them an SM holds.
 *
 * Facts come from the parsed PTX (ptx/ir.h). Occupancy comes from the virtual GPU, which estimates registers; the
 * searches for good blocks and the most shared memory are here. kernel.c of the runtime forwards to these functions. */
#include "base/number.h"
#include "lib/device.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

/* ---- facts ---- */

const ptx_function *cuda_entry(CUfunction function) {
    const ptx_function *entry;
    CUmodule module;
    (void)sim_driver_kernel_ptx(function, &entry, &module);
    return entry;
}

void cuda_prepare_alone(CUfunction function) {
    if (!sim_driver_is_prepared(function)) standin_be_alone();
}

/* For a library's kernel, the module of the thread's device. */
CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
    const ptx_function *entry;
    CUDA_ENTER_HANDLE_BESIDE(d);
    (void)d;
    const CUresult result = module ? cuda_function_of(&function) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) (void)sim_driver_kernel_ptx(function, &entry, module);
    return cuda_leave(result);
}

CUresult cuFuncGetName(const char **name, CUfunction function) {
    CUDA_ENTER_HANDLE_BESIDE(d);
    (void)d;
    const CUresult result = name ? cuda_function_of(&function) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *name = cuda_entry(function)->name;
    return cuda_leave(result);
}

/* Parameters follow each other, each aligned to its type. */
uint64_t cuda_parameter_offset(const ptx_function *entry, size_t index) {
    uint64_t at = 0;
    for (size_t i = 0; i <= index; i++) {
        at = number_align(at, entry->params[i]->alignment);
        if (i < index) at += entry->params[i]->size;
    }
    return at;
}

/* Beyond the last parameter there is no message, because programs count parameters this way. */
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
    CUDA_ENTER_HANDLE_BESIDE(d);
    (void)d;
    const CUresult result = offset ? cuda_function_of(&function) : CUDA_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    const ptx_function *entry = cuda_entry(function);
    if (index >= entry->param_count) return cuda_leave(CUDA_INVALID_VALUE);
    *offset = cuda_parameter_offset(entry, index);
    if (bytes) *bytes = entry->params[index]->size;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuFuncGetParamCount(CUfunction function, size_t *count) {
    CUDA_ENTER_HANDLE_BESIDE(d);
    (void)d;
    const CUresult result = count ? cuda_function_of(&function) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *count = cuda_entry(function)->param_count;
    return cuda_leave(result);
}

/* All functions are loaded with their module. */
CUresult cuFuncIsLoaded(int *state, CUfunction function) {
    enum { LOADED = 1 };
    CUDA_ENTER_HANDLE_BESIDE(d);
    (void)d;
    const CUresult result = state ? cuda_function_of(&function) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *state = LOADED;
    return cuda_leave(result);
}

/* For settings without effect: only the handle is checked. */
static CUresult check_function(CUfunction function) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(cuda_function_of(&function));
}

/* Its module is loaded already. */
CUresult cuFuncLoad(CUfunction function) {
    return check_function(function);
}

CUresult cuFuncSetCacheConfig(CUfunction function, int preference) {
    (void)preference;
    return check_function(function);
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, int preference) {
    (void)preference;
    return check_function(function);
}

/* ---- occupancy ---- */

/* The flag concerns caches of old GPUs. */
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                              size_t shared_bytes, unsigned flags) {
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

/* The current device's attribute. */
static CUresult attribute_of(const driver_table *d, int attribute, int *value) {
    return d->device_attribute(value, attribute, standin_device()->handle);
}

typedef struct block_choice {
    CUfunction function;
    cuda_shared_of_block shared_of; /* NULL: always shared_bytes */
    size_t shared_bytes;
    int threads, blocks; /* the best choice; blocks for each SM */
} block_choice;

/* The largest block among those that keep most threads of an SM busy. Tries the largest block first, then multiples
 * of a warp. */
static CUresult choose_block(const driver_table *d, int most, block_choice *c) {
    enum { WARP = 32 };
    for (int threads = most; threads > 0; threads = (threads - 1) / WARP * WARP) {
        const size_t shared = c->shared_of ? c->shared_of(threads) : c->shared_bytes;
        int blocks = 0;
        const CUresult result = d->occupancy(&blocks, c->function, threads, shared);
        if (result != CUDA_SUCCESS) return result;
        if (blocks * threads > c->blocks * c->threads) c->blocks = blocks, c->threads = threads;
    }
    return CUDA_SUCCESS;
}

/* A limit of 0 means the function's own. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *threads, CUfunction function,
                                                   cuda_shared_of_block shared_of, size_t shared_bytes, int limit,
                                                   unsigned flags) {
    int most = 0, sms = 0;
    CUDA_ENTER(d);
    (void)flags;
    CUresult result = grid && threads ? cuda_function_of(&function) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = attribute_of(d, DRIVER_DEVICE_SM_COUNT, &sms);
    if (result == CUDA_SUCCESS) result = d->function_attribute(&most, DRIVER_FUNCTION_MAX_THREADS, function);
    if (limit > 0 && limit < most) most = limit;
    block_choice c = {.function = function, .shared_of = shared_of, .shared_bytes = shared_bytes};
    if (result == CUDA_SUCCESS) result = choose_block(d, most, &c);
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    *threads = c.threads;
    *grid = c.blocks * sms;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *threads, CUfunction function, cuda_shared_of_block shared_of,
                                          size_t shared_bytes, int limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, threads, function, shared_of, shared_bytes, limit, 0);
}

/* The most shared memory with which this many blocks fit, found by bisection. */
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads) {
    int most = 0, own = 0;
    CUDA_ENTER(d);
    CUresult result = bytes && blocks > 0 && threads > 0 ? cuda_function_of(&function) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = attribute_of(d, DRIVER_DEVICE_SHARED_OPTIN, &most);
    if (result == CUDA_SUCCESS) result = d->function_attribute(&own, DRIVER_FUNCTION_SHARED_BYTES, function);
    if (result == CUDA_SUCCESS) *bytes = 0;
    for (size_t low = 0, high = most > own ? (size_t)(most - own) : 0; result == CUDA_SUCCESS && low <= high;) {
        const size_t middle = low + (high - low) / 2;
        int fit = 0;
        result = d->occupancy(&fit, function, threads, middle);
        if (fit >= blocks) *bytes = middle;
        if (fit < blocks && middle == 0) break;
        if (fit >= blocks)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return cuda_leave(result);
}

/* ---- clusters ---- */

/* The launch's attribute counts more than the kernel's directive. A missing dimension counts as 1. */
static unsigned blocks_of_cluster(const ptx_function *entry, const CUlaunchConfig *config) {
    const unsigned *shape = entry->cluster;
    for (unsigned i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == DRIVER_LAUNCH_CLUSTER) shape = config->attributes[i].value.cluster;
    return (shape[0] ? shape[0] : 1) * (shape[1] ? shape[1] : 1) * (shape[2] ? shape[2] : 1);
}

/* Threads of a block. */
static int threads_of(const CUlaunchConfig *config) {
    return (int)(config->block[0] * config->block[1] * config->block[2]);
}

/* Clusters on the whole device, as if blocks of a cluster could be on any SMs. */
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config) {
    int blocks = 0, sms = 0;
    CUDA_ENTER(d);
    CUresult result = clusters && config ? cuda_function_of(&function) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = attribute_of(d, DRIVER_DEVICE_SM_COUNT, &sms);
    if (result == CUDA_SUCCESS) result = d->occupancy(&blocks, function, threads_of(config), config->shared_bytes);
    if (result == CUDA_SUCCESS)
        *clusters = (int)((unsigned)(blocks * sms) / blocks_of_cluster(cuda_entry(function), config));
    return cuda_leave(result);
}

/* Eight blocks fit on all machines with clusters; more only if the function opted in. */
CUresult cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction function, const CUlaunchConfig *config) {
    enum { PORTABLE = 8, MOST = 16 };
    int may_be_larger = 0, has_clusters = 0;
    CUDA_ENTER(d);
    CUresult result = blocks && config ? cuda_function_of(&function) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = attribute_of(d, DRIVER_DEVICE_CLUSTERS, &has_clusters);
    if (result == CUDA_SUCCESS)
        result = d->function_attribute(&may_be_larger, DRIVER_FUNCTION_LARGE_CLUSTERS, function);
    if (result == CUDA_SUCCESS && !has_clusters) result = CUDA_NOT_SUPPORTED;
    if (result == CUDA_SUCCESS) *blocks = may_be_larger ? MOST : PORTABLE;
    return cuda_leave(result);
}
