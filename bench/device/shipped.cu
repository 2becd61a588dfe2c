/* What kernels/NAME.c calls of haul's library, on the CUDA runtime: a module is a file in a folder, and a launch is not
 * waited for. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shipped.h"

extern "C" {
#include <kernels/kernels.h>
}

#define MOST_KERNELS 128 /* of a module */
#define MOST_ARGUMENTS 24

struct haul_device {
    const shipped_build *build;
};

/* A kernel that was asked for, and the dynamic shared memory that it has been allowed. */
typedef struct {
    char name[64];
    const void *kernel;
    uint32_t allowed;
} shipped_kernel;

struct haul_module {
    cudaLibrary_t library;
    shipped_kernel kernels[MOST_KERNELS];
    unsigned count;
};

shipped_build shipped_nvcc = {{".cubin", ".cubin"}, nullptr}, shipped_ptx = {{".sm_90.ptx", ".ptx"}, nullptr};

static char folder[1024];
static haul_device devices[] = {{&shipped_nvcc}, {&shipped_ptx}};

void shipped_must(haul_status status) {
    if (status == HAUL_OK) return;
    fprintf(stderr, "bench: %s\n", haul_message());
    exit(1);
}

/* ---- modules ---- */

#define MODULE(FORM, name, module, ...) {module, 90, module, module},
#define HAUL_KERNEL_COPY MODULE
#define HAUL_KERNEL_SAXPY MODULE
#define HAUL_KERNEL_MAXPOOL15 MODULE
#define HAUL_KERNEL_STENCIL MODULE
#define HAUL_KERNEL_GATHER MODULE
#define HAUL_KERNEL_TRANSPOSE MODULE
#define HAUL_KERNEL_MATVEC MODULE
#define HAUL_KERNEL_FUSED MODULE
extern "C" {
extern const haul_kernel_module haul_kernel_modules[] = {
#include <haul/kernels.def>
};
extern const size_t haul_kernel_module_count = BENCH_COUNT(haul_kernel_modules);

const haul_kernel_module *haul_kernel_module_find(const char *name, uint32_t architecture) {
    const haul_kernel_module *m = haul_kernel_modules;
    while (strcmp(m->name, name) != 0) m++;
    return m->architecture <= architecture ? m : nullptr;
}

/* The first of the build's files of that name. */
static int find_file(const shipped_build *build, const char *name, char *path, size_t size) {
    for (unsigned i = 0; i < BENCH_COUNT(build->endings); i++) {
        snprintf(path, size, "%s/%s%s", folder, name, build->endings[i]);
        FILE *file = fopen(path, "rb");
        if (file == nullptr) continue;
        fclose(file);
        return 1;
    }
    return 0;
}

haul_status haul_module_load(haul_device *device, const char *name, const char *, size_t, haul_module **module) {
    char path[sizeof folder + 64];
    if (!find_file(device->build, name, path, sizeof path)) bench_cuda(cudaErrorFileNotFound, name);
    *module = (haul_module *)calloc(1, sizeof **module);
    bench_cuda(cudaLibraryLoadFromFile(&(*module)->library, path, nullptr, nullptr, 0, nullptr, nullptr, 0), path);
    return HAUL_OK;
}

void haul_module_unload(haul_module *) {}

static shipped_kernel *kernel_of(haul_module *m, const char *name, uint32_t shared_bytes) {
    cudaKernel_t handle;
    shipped_kernel *k = m->kernels;
    while (k->kernel != nullptr && strcmp(k->name, name) != 0) k++;
    if (k->kernel == nullptr) {
        bench_cuda(m->count++ < MOST_KERNELS - 1 ? cudaSuccess : cudaErrorInvalidValue, "too many kernels");
        bench_cuda(cudaLibraryGetKernel(&handle, m->library, name), name);
        snprintf(k->name, sizeof k->name, "%s", name);
        k->kernel = (const void *)handle;
    }
    if (shared_bytes <= k->allowed) return k;
    bench_cuda(cudaFuncSetAttribute(k->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes), name);
    k->allowed = shared_bytes;
    return k;
}

haul_status haul_module_blocks_per_sm(haul_module *m, const char *kernel, uint32_t threads, uint32_t shared_bytes,
                                      uint32_t *blocks) {
    int count = 0;
    const shipped_kernel *k = kernel_of(m, kernel, shared_bytes);
    bench_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, k->kernel, (int)threads, shared_bytes), kernel);
    *blocks = (uint32_t)count;
    return HAUL_OK;
}

/* ---- the device, buffers, launches ---- */

const char *haul_device_name(const haul_device *) {
    return "gpu:0";
}

uint32_t haul_device_architecture(const haul_device *) {
    static int major;
    if (major == 0) bench_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "device");
    return (uint32_t)major * 10;
}

uint32_t haul_device_sm_count(const haul_device *) {
    return (uint32_t)bench_multiprocessors();
}

/* The benchmark makes its arrays large enough. */
uint64_t haul_buffer_bytes(const haul_buffer *) {
    return UINT64_MAX;
}

typedef union {
    uint32_t word;
    uint64_t wide;
    float real;
    void *address;
} argument_value;

static argument_value value_of(const haul_argument *a) {
    argument_value v;
    v.wide = (uint64_t)a->integer;
    if (a->kind == HAUL_ARGUMENT_F32) v.real = (float)a->real;
    if (a->kind == HAUL_ARGUMENT_BUFFER) v.address = (char *)a->buffer->at + a->offset;
    return v;
}

haul_status haul_launch_run(haul_module *m, const haul_launch *l, haul_run *) {
    argument_value values[MOST_ARGUMENTS];
    void *pointers[MOST_ARGUMENTS];
    const shipped_kernel *k = kernel_of(m, l->kernel, l->shared_bytes);
    for (size_t i = 0; i < l->argument_count; i++) {
        values[i] = value_of(&l->arguments[i]);
        pointers[i] = &values[i];
    }
    bench_cuda(cudaLaunchKernel(k->kernel, dim3(l->grid[0], l->grid[1], l->grid[2]),
                                dim3(l->block[0], l->block[1], l->block[2]), pointers, l->shared_bytes, nullptr),
               l->kernel);
    return HAUL_OK;
}
} /* extern "C" */

/* ---- for the benchmark ---- */

void shipped_open(const char *program) {
    const char *slash = strrchr(program, '/');
    snprintf(folder, sizeof folder, "%.*skernels", slash != nullptr ? (int)(slash - program) + 1 : 0, program);
    shipped_must(haul_kernels_open(&devices[0], &shipped_nvcc.kernels));
    shipped_must(haul_kernels_open(&devices[1], &shipped_ptx.kernels));
}

int shipped_there(const shipped_build *build) {
    char path[sizeof folder + 64];
    for (size_t i = 0; i < haul_kernel_module_count; i++) {
        if (!find_file(build, haul_kernel_modules[i].name, path, sizeof path)) return 0;
    }
    return 1;
}
