/* Which launches are timed, and what they took. */
#include "standin/gpu/gpu.h"
#include "standin/settings.h"
#include "standin/standin.h"

#include "base/hash.h"
#include "base/memory.h"
#include "lib/name_filter.h"

#include <pthread.h>
#include <string.h>

enum { ROWS = 256 };

/* What the handle of a function means. */
typedef struct known {
    CUfunction handle;
    gpu_kernel *kernel;
    struct known *next;
} known;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gpu_kernel *kernels, **last = &kernels;
static known *functions[ROWS];
static uint64_t launches, chosen, captured; /* chosen: those that the filters let through */

void gpu_lock(void) {
    pthread_mutex_lock(&lock);
}

bool gpu_try_lock(void) {
    return pthread_mutex_trylock(&lock) == 0;
}

void gpu_unlock(void) {
    pthread_mutex_unlock(&lock);
}

/* ---- kernels ---- */

static gpu_kernel *kernel_of_symbol(const char *symbol) {
    for (gpu_kernel *k = kernels; k; k = k->next)
        if (strcmp(k->symbol, symbol) == 0) return k;
    gpu_kernel *k = memory_zeroed(1, sizeof *k);
    char *own = strdup(symbol); /* a module may be unloaded with its names */
    if (!k || !own) return NULL;
    *k = (gpu_kernel){.symbol = own, .wanted = name_filter_takes_kernel(&standin_asked.only_kernels, symbol)};
    *last = k;
    last = &k->next;
    return k;
}

/* Programs hand over a library's kernel in place of a function. */
static const char *symbol_of(CUfunction function) {
    const char *name = NULL;
    if (!function) return GPU_GRAPH;
    if (gpu_real()->cuFuncGetName(&name, function) == CUDA_SUCCESS && name) return name;
    if (gpu_real()->cuKernelGetName(&name, function) == CUDA_SUCCESS && name) return name;
    return "[kernel without a name]";
}

/* The driver loads a kernel when it is first launched; the host's time for that is not the kernel's. */
static void load(CUfunction function) {
    CUfunction of_kernel;
    if (!function || gpu_real()->cuFuncLoad(function) == CUDA_SUCCESS) return;
    if (gpu_real()->cuKernelGetFunction(&of_kernel, function) == CUDA_SUCCESS) (void)gpu_real()->cuFuncLoad(of_kernel);
}

static gpu_kernel *kernel_of(CUfunction function) {
    known **row = &functions[hash_bytes(HASH_START, &function, sizeof function) % ROWS];
    for (known *f = *row; f; f = f->next)
        if (f->handle == function) return f->kernel;
    gpu_kernel *k = kernel_of_symbol(symbol_of(function));
    load(function);
    known *added = k ? memory_alloc(sizeof *added) : NULL;
    if (!added) return k;
    *added = (known){function, k, *row};
    *row = added;
    return k;
}

void gpu_forget_functions(void) {
    for (size_t i = 0; i < ROWS; i++)
        while (functions[i]) {
            known *next = functions[i]->next;
            memory_free(functions[i]);
            functions[i] = next;
        }
}

const gpu_kernel *gpu_kernels(void) {
    return kernels;
}

/* ---- launches ---- */

static bool is_chosen(const gpu_kernel *k) {
    if (!k || !k->wanted || !standin_in_range()) return false;
    const uint64_t before = chosen++, skip = standin_asked.launch_skip, count = standin_asked.launch_count;
    return before >= skip && (!count || before - skip < count);
}

gpu_launch gpu_choose(CUfunction function, const CUlaunchConfig *config) {
    gpu_launch launch = {.number = launches++, .shared_bytes = config->shared_bytes};
    gpu_kernel *k = kernel_of(function);
    memcpy(launch.grid, config->grid, sizeof launch.grid);
    memcpy(launch.block, config->block, sizeof launch.block);
    if (is_chosen(k)) launch.kernel = k;
    launch.is_timed = launch.kernel && k->chosen++ < standin_asked.launches;
    return launch;
}

void gpu_count(const gpu_launch *launch) {
    gpu_kernel *k = launch->kernel;
    if (k->launches++ == 0) {
        memcpy(k->grid, launch->grid, sizeof k->grid);
        memcpy(k->block, launch->block, sizeof k->block);
    }
    k->has_grids |= memcmp(k->grid, launch->grid, sizeof k->grid) != 0;
    k->has_blocks |= memcmp(k->block, launch->block, sizeof k->block) != 0;
}

void gpu_add_time(const gpu_launch *launch, double us) {
    gpu_kernel *k = launch->kernel;
    if (k->timed == 0 || us < k->shortest) k->shortest = us;
    if (k->timed == 0 || us > k->longest) k->longest = us;
    k->timed++;
    k->us += us;
    gpu_put_launch(launch, us);
}

void gpu_count_captured(void) {
    captured++;
}

uint64_t gpu_captured(void) {
    return captured;
}
