/* Chooses the launches to time, and sums their times.
 *
 * Three things are kept, all under one lock: a list of kernels by symbol, with their sums; a table from functions'
 * handles to kernels; and the handles that belong to libraries' kernels. A handle may mean another kernel once a
 * module or library was unloaded, so the table is emptied then (gpu_forget_functions()), while kernels stay for the
 * report. Several modules may have a kernel of the same name: they are one kernel here. */
#include "base/hash.h"
#include "base/memory.h"
#include "lib/name_filter.h"
#include "standin/gpu/gpu.h"
#include "standin/settings.h"
#include "standin/standin.h"

#include <pthread.h>
#include <string.h>

enum { ROWS = 256 };

/* The kernel behind a function's handle. */
typedef struct known {
    CUfunction handle;
    gpu_kernel *kernel;
    struct known *next;
} known;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gpu_kernel *kernels, **last = &kernels;
static known *functions[ROWS];              /* by hash of the handle */
static uint64_t launches, chosen, captured; /* chosen: launches that pass the filters */

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

/* NULL without memory. Names of kernels are few, so they are searched one by one. */
static gpu_kernel *kernel_of_symbol(const char *symbol) {
    for (gpu_kernel *k = kernels; k; k = k->next)
        if (strcmp(k->symbol, symbol) == 0) return k;
    gpu_kernel *k = memory_zeroed(1, sizeof *k);
    char *own = strdup(symbol); /* unloading a module frees its names */
    if (!k || !own) return NULL;
    *k = (gpu_kernel){.symbol = own, .wanted = name_filter_takes_kernel(&standin_asked.only_kernels, symbol)};
    *last = k;
    last = &k->next;
    return k;
}

/* ---- kernels of libraries ---- */

/* Programs launch a library's kernel as if it were a function. */
typedef struct library_kernel {
    CUfunction handle;
    CUlibrary library;
    struct library_kernel *next;
} library_kernel;

static library_kernel *of_libraries[ROWS];

/* The link to the entry, or to the end of its row. */
static library_kernel **find_library_kernel(CUfunction handle) {
    library_kernel **link = &of_libraries[hash_bytes(HASH_START, &handle, sizeof handle) % ROWS];
    while (*link && (*link)->handle != handle) link = &(*link)->next;
    return link;
}

void gpu_add_library_kernel(CUfunction kernel, CUlibrary library) {
    library_kernel **link = find_library_kernel(kernel);
    library_kernel *added = *link ? NULL : memory_alloc(sizeof *added);
    if (!added) return;
    *added = (library_kernel){kernel, library, NULL};
    *link = added;
}

void gpu_forget_library(CUlibrary library) {
    for (size_t i = 0; i < ROWS; i++)
        for (library_kernel **link = &of_libraries[i]; *link;) {
            library_kernel *k = *link;
            if (k->library != library) {
                link = &k->next;
                continue;
            }
            *link = k->next;
            memory_free(k);
        }
}

/* ---- functions ---- */

/* NULL if the function fails, as it does for a handle of the other kind. */
static const char *name_by(CUresult (*get)(const char **name, CUfunction function), CUfunction function) {
    const char *name = NULL;
    return get(&name, function) == CUDA_SUCCESS ? name : NULL;
}

/* A kernel may also have been obtained by functions that launches.c does not wrap. */
static const char *symbol_of(CUfunction function, bool of_library) {
    const gpu_driver *d = gpu_real();
    if (!function) return GPU_GRAPH;
    const char *name = of_library ? NULL : name_by(d->cuFuncGetName, function);
    if (!name) name = name_by(d->cuKernelGetName, function);
    return name ? name : "[kernel without a name]";
}

/* The driver loads a kernel on its first launch; that host time is not the kernel's. A capture in the thread must
 * not forbid it. */
static void load(CUfunction function, bool of_library) {
    CUfunction loaded = function;
    const int mode = gpu_relax();
    if (!of_library || gpu_real()->cuKernelGetFunction(&loaded, function) == CUDA_SUCCESS)
        (void)gpu_real()->cuFuncLoad(loaded);
    gpu_restore(mode);
}

/* A function that was not seen yet is named and loaded. NULL without memory. */
static gpu_kernel *kernel_of(CUfunction function) {
    known **row = &functions[hash_bytes(HASH_START, &function, sizeof function) % ROWS];
    for (known *f = *row; f; f = f->next)
        if (f->handle == function) return f->kernel;
    const bool of_library = *find_library_kernel(function) != NULL;
    gpu_kernel *k = kernel_of_symbol(symbol_of(function, of_library));
    if (function) load(function, of_library);
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

/* `chosen` only counts launches that pass the filters before it. */
static bool is_chosen(const gpu_kernel *k) {
    return k && k->wanted && standin_in_range() && standin_takes_number(chosen++);
}

/* The first launches of each kernel are timed, as many as --launches says. */
gpu_launch gpu_choose(CUfunction function, const CUlaunchConfig *config) {
    gpu_launch launch = {.number = launches++, .shared_bytes = config->shared_bytes};
    gpu_kernel *k = kernel_of(function);
    memcpy(launch.grid, config->grid, sizeof launch.grid);
    memcpy(launch.block, config->block, sizeof launch.block);
    if (is_chosen(k)) launch.kernel = k;
    launch.is_timed = launch.kernel && k->chosen++ < standin_asked.launches;
    return launch;
}

/* Called for launches that succeeded, timed or not. */
void gpu_count(const gpu_launch *launch) {
    gpu_kernel *k = launch->kernel;
    if (k->launches++ == 0) {
        memcpy(k->grid, launch->grid, sizeof k->grid);
        memcpy(k->block, launch->block, sizeof k->block);
    }
    k->has_grids |= memcmp(k->grid, launch->grid, sizeof k->grid) != 0;
    k->has_blocks |= memcmp(k->block, launch->block, sizeof k->block) != 0;
}

/* Called in the order in which launches are found to be done. */
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
