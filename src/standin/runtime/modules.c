/* Registrations by the code that nvcc adds to a program, before main(): fat binaries, kernels, variables.
 *
 * The program registers each fat binary, then the names of its kernels and variables with the addresses of their
 * host counterparts. Nothing is loaded then: a binary's module is made, for each device, when its first kernel or
 * variable is needed there. Symbols are found by the host's address in a hash table. __cudaGetKernel() gives out the
 * address of the symbol itself, so find() accepts that, too.
 *
 * Registrations come before main(), and from libraries that are opened later; they take no lock. Loading happens in
 * calls, with the lock of session.c. */
#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OBJECTS = 1024 }; /* of one program linked with -rdc=true */

typedef struct binary {
    const void *fat;
    CUmodule modules[SIM_MOST_DEVICES]; /* by device; NULL until needed there */
} binary;

typedef struct symbol {
    const void *host;
    void **managed; /* the program's pointer to a managed variable; NULL: not managed */
    const char *name;
    binary *from;
    CUfunction kernels[SIM_MOST_DEVICES]; /* likewise */
    struct symbol *next, *next_in_row;
} symbol;

enum { ROWS = 1024 };
static symbol *symbols, *rows[ROWS]; /* rows: by hash of the host's address */

static symbol **row_of(const void *host) {
    return &rows[hash_bytes(HASH_START, &host, sizeof host) % ROWS];
}

/* Zeroed memory, never NULL: a program cannot handle a failure here. */
static void *get(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory) return memory;
    fprintf(stderr, "haul: no memory for what the program registers\n");
    _exit(2);
}

/* The handle that the program passes to the other registrations is the binary's address. */
void **__cudaRegisterFatBinary(void *fat) {
    binary *b = get(sizeof *b);
    b->fat = fat;
    return (void **)b;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

/* Nothing is unloaded before the process ends. */
void __cudaUnregisterFatBinary(void **handle) {
    (void)handle;
}

static symbol *add(void **handle, const void *host, const char *name) {
    symbol *s = get(sizeof *s);
    symbol **row = row_of(host);
    *s = (symbol){.host = host, .name = name, .from = (binary *)handle, .next = symbols, .next_in_row = *row};
    symbols = *row = s;
    return s;
}

/* The other arguments are launch bounds and addresses of variables that device emulation needed. */
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
                            void *bid, void *block, void *grid, int *warp) {
    (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    (void)add(handle, host, name);
}

/* Not needed: the virtual GPU finds variables by their names in PTX. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
    (void)handle, (void)name, (void)host, (void)bytes;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                       int constant, int global) {
    (void)device, (void)external, (void)bytes, (void)constant, (void)global;
    (void)add(handle, host, name);
}

void __cudaRegisterManagedVar(void **handle, void **managed, char *host, const char *name, int external, size_t bytes,
                              int constant, int global) {
    (void)external, (void)bytes, (void)constant, (void)global;
    add(handle, host, name)->managed = managed;
}

/* A handle is a pointer to the symbol. */
static symbol *find(const void *host) {
    for (symbol *s = *row_of(host); s; s = s->next_in_row)
        if (s->host == host) return s;
    for (symbol *s = symbols; s; s = s->next)
        if (s == host) return s;
    return NULL;
}

/* ---- loading ---- */

/* Objects of a program compiled with -rdc=true refer to each other; the driver's linker makes one module of them. */
static CUresult link_texts(const driver_table *d, char **texts, unsigned count, CUmodule *module) {
    CUlinkState linker = NULL;
    void *image;
    size_t bytes;
    char name[32];
    CUresult result = d->link_create(0, NULL, NULL, &linker);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++) {
        snprintf(name, sizeof name, "object %u", i);
        result = d->link_add(linker, DRIVER_LINK_PTX, texts[i], strlen(texts[i]) + 1, name, 0, NULL, NULL);
    }
    if (result == CUDA_SUCCESS) result = d->link_complete(linker, &image, &bytes);
    if (result == CUDA_SUCCESS) result = d->module_load(module, image, 0, NULL, NULL);
    if (linker) (void)d->link_destroy(linker);
    return result;
}

/* Hands over what the program's own machine code for the virtual GPU says of its kernels. */
static CUresult tell_machine_code(const void *fat, CUmodule module) {
    text cubin = {0};
    cubin.bytes = standin_fatbin_cubin(fat, sim_driver_module_machine(module)->sm, &cubin.length);
    const haul_status status = cubin.bytes ? sim_driver_read_machine_code(module, &cubin) : HAUL_OK;
    free(cubin.bytes);
    return status == HAUL_OK ? CUDA_SUCCESS : CUDA_OUT_OF_MEMORY;
}

CUresult standin_load_fatbin(const driver_table *d, const void *fat, CUmodule *module) {
    char *texts[MOST_OBJECTS];
    const unsigned count = standin_fatbin_texts(fat, texts, MOST_OBJECTS);
    if (count == MOST_OBJECTS) {
        for (unsigned i = 0; i < count; i++) free(texts[i]);
        haul_fail(HAUL_ERROR_LIMIT, "the program has %d or more objects with device code: link it from fewer",
                  MOST_OBJECTS);
        return CUDA_INVALID_IMAGE;
    }
    if (!count) {
        haul_fail(HAUL_ERROR_UNSUPPORTED,
                  "the program has no PTX: compile it with -arch=compute_80 or the like, or with "
                  "-gencode arch=compute_80,code=compute_80");
        return CUDA_NO_BINARY_FOR_GPU;
    }
    CUresult result =
        count == 1 ? d->module_load(module, texts[0], 0, NULL, NULL) : link_texts(d, texts, count, module);
    for (unsigned i = 0; i < count; i++) free(texts[i]);
    if (result == CUDA_SUCCESS) result = tell_machine_code(fat, *module);
    return result;
}

/* Sets the pointers by which the program finds its managed variables. With several devices, the first module's
 * variables serve all. */
static CUresult place_managed(const driver_table *d, const binary *b, CUmodule module) {
    CUresult result = CUDA_SUCCESS;
    for (symbol *s = symbols; s && result == CUDA_SUCCESS; s = s->next) {
        CUdeviceptr at = 0;
        if (s->from != b || !s->managed) continue;
        result = d->module_variable(&at, NULL, module, s->name);
        *s->managed = (void *)(uintptr_t)at;
    }
    return result;
}

/* Managed variables are those of the first device that loaded the module. */
static CUmodule twin_of(const binary *b) {
    for (unsigned i = 0; i < standin_device_count(); i++)
        if (b->modules[i]) return b->modules[i];
    return NULL;
}

/* Loads for the current device. A module that was loaded before is returned at once. */
static CUresult load(const driver_table *d, binary *b, CUmodule *module) {
    CUmodule *const own = &b->modules[standin_selected()];
    CUresult result = CUDA_SUCCESS;
    if (!*own) {
        const CUmodule twin = twin_of(b);
        sim_driver_share_managed(twin);
        result = standin_load_fatbin(d, b->fat, own);
        sim_driver_share_managed(NULL);
        if (result == CUDA_SUCCESS && !twin) result = place_managed(d, b, *own);
    }
    *module = *own;
    return result;
}

/* The program calls this before it uses a managed variable. */
char __cudaInitModule(void **handle) {
    CUmodule module;
    const driver_table *d = standin_enter();
    return standin_leave(load(d, (binary *)handle, &module)) == CUDA_SUCCESS;
}

/* A kernel of a library. */
static CUresult kernel_of_library(const void *handle, CUfunction *kernel) {
    *kernel = (CUfunction)(uintptr_t)handle;
    if (handle && cuda_function_of(kernel) == CUDA_SUCCESS) return CUDA_SUCCESS;
    *kernel = NULL;
    return CUDA_NOT_FOUND;
}

CUresult standin_kernel(const driver_table *d, const void *host, CUfunction *kernel) {
    CUmodule module;
    symbol *s = find(host);
    *kernel = NULL;
    if (!s) return kernel_of_library(host, kernel);
    CUfunction *const own = &s->kernels[standin_selected()];
    CUresult result = *own ? CUDA_SUCCESS : load(d, s->from, &module);
    if (result == CUDA_SUCCESS && !*own) result = d->module_function(own, module, s->name);
    *kernel = *own;
    return result;
}

/* A symbol has a kernel of its own for each device. */
static bool is_kernel_of(const symbol *s, CUfunction kernel) {
    for (unsigned i = 0; i < standin_device_count(); i++)
        if (s->kernels[i] == kernel) return true;
    return false;
}

const void *standin_host_of(CUfunction kernel) {
    for (const symbol *s = kernel ? symbols : NULL; s; s = s->next)
        if (is_kernel_of(s, kernel)) return s->host;
    return kernel;
}

bool standin_is_prepared(const void *host) {
    const symbol *s = find(host);
    const CUfunction own = s ? s->kernels[standin_selected()] : NULL;
    return own && sim_driver_is_prepared(own);
}

const char *standin_kernel_name(const void *host) {
    CUfunction kernel;
    const symbol *s = find(host);
    if (s) return s->name;
    return kernel_of_library(host, &kernel) == CUDA_SUCCESS ? sim_driver_function_name(kernel) : "?";
}

/* CUDA_NOT_FOUND if the program has registered no such variable. */
CUresult standin_variable(const driver_table *d, const void *host, CUdeviceptr *address, size_t *bytes) {
    CUmodule module;
    symbol *s = find(host);
    const CUresult result = s ? load(d, s->from, &module) : CUDA_NOT_FOUND;
    return result == CUDA_SUCCESS ? d->module_variable(address, bytes, module, s->name) : result;
}

CUresult cudaGetSymbolAddress(void **address, const void *host) {
    CUdeviceptr at = 0;
    const driver_table *d = standin_enter();
    const CUresult result = address ? standin_variable(d, host, &at, NULL) : CUDA_INVALID_VALUE;
    if (address) *address = (void *)(uintptr_t)at;
    return standin_leave(result);
}

CUresult cudaGetSymbolSize(size_t *bytes, const void *host) {
    CUdeviceptr at;
    const driver_table *d = standin_enter();
    return standin_leave(standin_variable(d, host, &at, bytes));
}

CUresult __cudaGetKernel(void **kernel, const void *host) {
    *kernel = find(host);
    return *kernel ? CUDA_SUCCESS : standin_fail(CUDA_NOT_FOUND);
}

CUresult cudaGetKernel(void **kernel, const void *host) {
    return kernel ? __cudaGetKernel(kernel, host) : standin_fail(CUDA_INVALID_VALUE);
}
