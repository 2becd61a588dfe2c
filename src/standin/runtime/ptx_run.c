/* One function for programs with their own mock driver: it runs a kernel from PTX text on host memory. tinygrad calls
 * it in place of a GPU, as libgpuocelot.so.
 *
 * The caller has no CUDA: its buffers are ordinary host memory, and their addresses are the kernel's arguments. So
 * each launch registers the mappings that arguments point into, as cudaHostRegister() would, and unregisters them
 * afterwards. Kernels see host memory at its own addresses. Texts are compiled once and found again by their hash. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "ptx/ir.h"
#include "standin/standin.h"
#include "vgpu/driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ARGUMENTS = 1024, MOST_BYTES = 8 }; /* of a kernel; of one argument */

/* ---- loaded kernels ---- */

/* A text that was loaded. It stays until the program ends. */
typedef struct known {
    uint64_t hash[2];
    CUfunction kernel;
    const ptx_function *entry;
    struct known *next;
} known;

static known *all;

/* Fills in the first kernel of the text. */
static CUresult load(const driver_table *d, const char *source, known *k) {
    CUmodule module;
    CUresult result = d->module_load(&module, source, 0, NULL, NULL);
    if (result != CUDA_SUCCESS) return result;
    const ptx_module *ptx = sim_driver_module_ptx(module);
    for (size_t f = 0; f < ptx->function_count && !k->entry; f++)
        if (ptx->functions[f]->is_entry) k->entry = ptx->functions[f];
    if (k->entry) return d->module_function(&k->kernel, module, k->entry->name);
    (void)haul_fail(HAUL_ERROR_NOT_FOUND, "ptx_run: the PTX has no kernel");
    return CUDA_NOT_FOUND;
}

/* Finds the text, or loads it. One that cannot be loaded is tried again next time. */
static CUresult kernel_of(const driver_table *d, const char *source, const known **found) {
    uint64_t hash[2];
    hash_both_start(hash);
    hash_both(hash, source, strlen(source));
    for (const known *k = all; k; k = k->next) {
        if (memcmp(k->hash, hash, sizeof hash) != 0) continue;
        *found = k;
        return CUDA_SUCCESS;
    }
    known *k = memory_zeroed(1, sizeof *k);
    if (!k) return CUDA_OUT_OF_MEMORY;
    memcpy(k->hash, hash, sizeof hash);
    const CUresult result = load(d, source, k);
    if (result != CUDA_SUCCESS) {
        memory_free(k);
        return result;
    }
    k->next = all;
    *found = all = k;
    return CUDA_SUCCESS;
}

/* ---- the host's memory ---- */

/* Arguments that point into allocations of the driver's need no mapping. */
static bool points_into(void *const *arguments, int count, uint64_t from, uint64_t to) {
    for (int i = 0; i < count; i++) {
        const uint64_t address = (uintptr_t)arguments[i];
        sim_allocation a;
        if (address >= from && address < to && !sim_driver_allocation(address, &a)) return true;
    }
    return false;
}

/* Gives kernels access to writable memory that an argument points into. A number that is not an address matches no
 * mapping, or does no harm. */
static unsigned show(const driver_table *d, void *const *arguments, int count, void **shown) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], rights[5];
    uint64_t from, to;
    unsigned mappings = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &from, &to, rights) != 3 || rights[1] != 'w') continue;
        void *start = (void *)(uintptr_t)from;
        if (points_into(arguments, count, from, to) && d->host_register(start, to - from, 0) == CUDA_SUCCESS)
            shown[mappings++] = start;
    }
    if (maps) fclose(maps);
    return mappings;
}

/* ---- the function ---- */

static CUresult check_arguments(const known *k, int count) {
    bool fit = count >= 0 && (size_t)count == k->entry->param_count && count <= MOST_ARGUMENTS;
    for (size_t i = 0; fit && i < k->entry->param_count; i++) fit = k->entry->params[i]->size <= MOST_BYTES;
    if (fit) return CUDA_SUCCESS;
    (void)haul_fail(HAUL_ERROR_ARGUMENT, "ptx_run: %d arguments of at most %d bytes do not fit kernel '%s'", count,
                    MOST_BYTES, k->entry->name);
    return CUDA_INVALID_VALUE;
}

/* Waits for the launch, as the caller's memory is registered only until then. */
static CUresult run(const driver_table *d, const char *source, int count, void **arguments,
                    const CUlaunchConfig *config) {
    void *values[MOST_ARGUMENTS], *shown[MOST_ARGUMENTS];
    const known *k;
    CUresult result = kernel_of(d, source, &k);
    if (result == CUDA_SUCCESS) result = check_arguments(k, count);
    if (result != CUDA_SUCCESS) return result;
    for (int i = 0; i < count; i++) values[i] = &arguments[i];
    const unsigned mappings = show(d, arguments, count, shown);
    result = standin_launch(d, config, k->kernel, k->entry->name, values, NULL);
    if (result == CUDA_SUCCESS) result = d->synchronize();
    for (unsigned i = 0; i < mappings; i++) (void)d->host_unregister(shown[i]);
    return result;
}

/* Runs the first kernel of `source`, a NUL-terminated PTX text, and returns when it is done. Each argument is the value
 * of an 8-byte parameter, or holds that of a smaller one in its lowest bytes; addresses are the host's. Errors are
 * printed on standard error. */
extern void ptx_run(const char *source, int count, void **arguments, int block_x, int block_y, int block_z, int grid_x,
                    int grid_y, int grid_z, int shared_bytes);

void ptx_run(const char *source, int count, void **arguments, int block_x, int block_y, int block_z, int grid_x,
             int grid_y, int grid_z, int shared_bytes) {
    const CUlaunchConfig config = {.grid = {(unsigned)grid_x, (unsigned)grid_y, (unsigned)grid_z},
                                   .block = {(unsigned)block_x, (unsigned)block_y, (unsigned)block_z},
                                   .shared_bytes = (unsigned)shared_bytes};
    const driver_table *d = standin_enter();
    (void)standin_leave(run(d, source, count, arguments, &config));
}
