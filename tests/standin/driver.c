/* A program that uses the driver API, as one would be compiled with cuda.h: it is linked with libcuda.so.1, or finds
 * the functions with dlopen() or cuGetProcAddress(). Its first argument chooses the test. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;
typedef void *handle;

#define FUNCTIONS(F)                                                                                            \
    F(cuInit, (unsigned))                                                                                       \
    F(cuDriverGetVersion, (int *))                                                                              \
    F(cuDeviceGetCount, (int *))                                                                                \
    F(cuDeviceGet, (int *, int))                                                                                \
    F(cuDeviceGetName, (char *, int, int))                                                                      \
    F(cuDeviceGetAttribute, (int *, int, int))                                                                  \
    F(cuDeviceTotalMem_v2, (size_t *, int))                                                                     \
    F(cuDeviceGetUuid_v2, (void *, int))                                                                        \
    F(cuDeviceGetPCIBusId, (char *, int, int))                                                                  \
    F(cuDeviceGetByPCIBusId, (int *, const char *))                                                             \
    F(cuDevicePrimaryCtxRetain, (handle *, int))                                                                \
    F(cuDevicePrimaryCtxRelease_v2, (int))                                                                      \
    F(cuDevicePrimaryCtxGetState, (int, unsigned *, int *))                                                     \
    F(cuCtxCreate_v2, (handle *, unsigned, int))                                                                \
    F(cuCtxDestroy_v2, (handle))                                                                                \
    F(cuCtxSetCurrent, (handle))                                                                                \
    F(cuCtxGetCurrent, (handle *))                                                                              \
    F(cuCtxPushCurrent_v2, (handle))                                                                            \
    F(cuCtxPopCurrent_v2, (handle *))                                                                           \
    F(cuCtxSynchronize, (void))                                                                                 \
    F(cuModuleLoadData, (handle *, const void *))                                                               \
    F(cuModuleLoadDataEx, (handle *, const void *, unsigned, int *, void **))                                   \
    F(cuModuleLoad, (handle *, const char *))                                                                   \
    F(cuModuleUnload, (handle))                                                                                 \
    F(cuModuleGetFunction, (handle *, handle, const char *))                                                    \
    F(cuModuleGetGlobal_v2, (address *, size_t *, handle, const char *))                                        \
    F(cuModuleGetFunctionCount, (unsigned *, handle))                                                           \
    F(cuLibraryLoadData, (handle *, const void *, int *, void **, unsigned, int *, void **, unsigned))          \
    F(cuLibraryGetKernel, (handle *, handle, const char *))                                                     \
    F(cuLibraryUnload, (handle))                                                                                \
    F(cuKernelGetName, (const char **, handle))                                                                 \
    F(cuKernelGetParamInfo, (handle, size_t, size_t *, size_t *))                                               \
    F(cuFuncGetAttribute, (int *, int, handle))                                                                 \
    F(cuFuncSetBlockShape, (handle, int, int, int))                                                             \
    F(cuParamSetSize, (handle, unsigned))                                                                       \
    F(cuParamSetv, (handle, int, void *, unsigned))                                                             \
    F(cuLaunch, (handle))                                                                                       \
    F(cuLaunchKernel,                                                                                           \
      (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **)) \
    F(cuLaunchCooperativeKernel,                                                                                \
      (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **))          \
    F(cuLinkCreate_v2, (unsigned, int *, void **, handle *))                                                    \
    F(cuLinkAddData_v2, (handle, int, void *, size_t, const char *, unsigned, int *, void **))                  \
    F(cuLinkComplete, (handle, void **, size_t *))                                                              \
    F(cuLinkDestroy, (handle))                                                                                  \
    F(cuMemAlloc_v2, (address *, size_t))                                                                       \
    F(cuMemFree_v2, (address))                                                                                  \
    F(cuMemcpy, (address, address, size_t))                                                                     \
    F(cuMemcpyHtoD_v2, (address, const void *, size_t))                                                         \
    F(cuMemcpyDtoH_v2, (void *, address, size_t))                                                               \
    F(cuMemsetD2D16_v2, (address, size_t, unsigned short, size_t, size_t))                                      \
    F(cuOccupancyMaxPotentialBlockSize, (int *, int *, handle, void *, size_t, int))                            \
    F(cuOccupancyAvailableDynamicSMemPerBlock, (size_t *, handle, int, int))                                    \
    F(cuEventCreate, (handle *, unsigned))                                                                      \
    F(cuEventRecord, (handle, handle))                                                                          \
    F(cuEventSynchronize, (handle))                                                                             \
    F(cuPointerGetAttribute, (void *, int, address))                                                            \
    F(cuMemcpyHtoDAsync_v2, (address, const void *, size_t, handle))                                            \
    F(cuStreamCreate, (handle *, unsigned))                                                                     \
    F(cuStreamSynchronize, (handle))                                                                            \
    F(cuStreamAddCallback, (handle, void (*)(handle, int, void *), void *, unsigned))                           \
    F(cuGetErrorName, (int, const char **))                                                                     \
    F(cuGetErrorString, (int, const char **))                                                                   \
    F(cuGLInit, (void))                                                                                         \
    F(cuGetProcAddress_v2, (const char *, void **, int, uint64_t, int *))

#define DECLARE(name, parameters) extern int name parameters;
FUNCTIONS(DECLARE)

/* Where each call goes: to the function that the program is linked with, unless another way is asked for. */
static struct {
#define FIELD(name, parameters) int(*name) parameters;
    FUNCTIONS(FIELD)
} cu = {
#define LINKED(name, parameters) name,
    FUNCTIONS(LINKED)};

enum { COUNT = 256, THREADS = 64, OLDER = 11000, NEWEST = 13000 };

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 step = 1;\n"
    /* out[i] += by * step for i < count */
    ".visible .entry increase(.param .u64 out, .param .u32 by, .param .u32 count) {\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<9>;\n  .reg .pred %p<2>;\n"
    "  ld.param.u64 %rd1, [out];\n  cvta.to.global.u64 %rd1, %rd1;\n  ld.param.u32 %r5, [by];\n"
    "  ld.param.u32 %r6, [count];\n  mov.u32 %r1, %tid.x;\n  mov.u32 %r7, %ctaid.x;\n  mov.u32 %r8, %ntid.x;\n"
    "  mad.lo.u32 %r1, %r7, %r8, %r1;\n  setp.ge.u32 %p1, %r1, %r6;\n  @%p1 ret;\n"
    "  mul.wide.u32 %rd2, %r1, 4;\n  add.s64 %rd1, %rd1, %rd2;\n  ld.global.u32 %r2, [%rd1];\n"
    "  ld.global.u32 %r3, [step];\n  mad.lo.u32 %r2, %r5, %r3, %r2;\n  st.global.u32 [%rd1], %r2;\n  ret;\n}\n"
    ".visible .entry nothing() {\n  ret;\n}\n";

#include "../base/cubin.h"
#include "fat_binary.h"

static void must(int result, const char *what) {
    const char *name = NULL;
    if (result == 0) return;
    cu.cuGetErrorName(result, &name);
    printf("%s: %d %s\n", what, result, name ? name : "?");
    exit(4);
}
#define MUST(call) must(cu.call, #call)

static void say(const char *what, int result) {
    const char *name = "?";
    cu.cuGetErrorName(result, &name);
    printf("%s: %s\n", what, name);
}

/* ---- ways to the functions ---- */

static void find_by_dlopen(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) puts(dlerror()), exit(4);
#define FIND(name, parameters) *(void **)&cu.name = dlsym(library, #name);
    FUNCTIONS(FIND)
}

/* As programs ask: without the form's number, for the version of CUDA that they were written for. */
static void find_by_entry_point(void) {
    char name[64];
    int status;
#define ASK(symbol, parameters)                                                      \
    snprintf(name, sizeof name, "%s", #symbol);                                      \
    if (strstr(name, "_v")) *strstr(name, "_v") = '\0';                              \
    if (cuGetProcAddress_v2(name, (void **)&cu.symbol, OLDER, 0, &status) || status) \
        must(cuGetProcAddress_v2(name, (void **)&cu.symbol, NEWEST, 0, &status), name);
    FUNCTIONS(ASK)
}

/* ---- what the program does ---- */

static handle begin(void) {
    handle context;
    MUST(cuInit(0));
    MUST(cuCtxCreate_v2(&context, 0, 0));
    return context;
}

static handle load(void) {
    handle module;
    MUST(cuModuleLoadData(&module, ptx));
    return module;
}

static handle kernel_of(handle module) {
    handle kernel;
    MUST(cuModuleGetFunction(&kernel, module, "increase"));
    return kernel;
}

static address numbers(void) {
    uint32_t values[COUNT];
    address out;
    for (uint32_t i = 0; i < COUNT; i++) values[i] = i;
    MUST(cuMemAlloc_v2(&out, sizeof values));
    MUST(cuMemcpyHtoD_v2(out, values, sizeof values));
    return out;
}

static void launch(handle kernel, address out, uint32_t by) {
    uint32_t count = COUNT;
    void *parameters[] = {&out, &by, &count};
    MUST(cuLaunchKernel(kernel, COUNT / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
}

static void print_last(address out) {
    uint32_t values[COUNT];
    MUST(cuMemcpyDtoH_v2(values, out, sizeof values));
    printf("%u\n", values[COUNT - 1]);
}

static int increase(void) {
    handle context = begin(), module = load(), kernel = kernel_of(module);
    address out = numbers(), step;
    uint32_t three = 3;
    size_t bytes;
    MUST(cuModuleGetGlobal_v2(&step, &bytes, module, "step"));
    MUST(cuMemcpyHtoD_v2(step, &three, bytes));
    for (uint32_t by = 1; by <= 3; by++) launch(kernel, out, by);
    MUST(cuCtxSynchronize());
    print_last(out);
    MUST(cuMemFree_v2(out));
    MUST(cuModuleUnload(module));
    MUST(cuCtxDestroy_v2(context));
    return 0;
}

static int pack_parameters(void) {
    begin();
    handle kernel = kernel_of(load());
    struct {
        address out;
        uint32_t by, count;
    } packed = {numbers(), 5, COUNT};
    size_t bytes = sizeof packed;
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, NULL};
    MUST(cuLaunchKernel(kernel, COUNT / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, NULL, extra));
    print_last(packed.out);
    bytes = 12;
    say("too few", cu.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    say("none", cu.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    MUST(cuFuncSetBlockShape(kernel, COUNT, 1, 1));
    MUST(cuParamSetSize(kernel, sizeof packed));
    MUST(cuParamSetv(kernel, 0, &packed, sizeof packed));
    MUST(cuLaunch(kernel));
    print_last(packed.out);
    return 0;
}

static int use_library(void) {
    handle library, kernel;
    const char *name;
    size_t offset, bytes;
    address out;
    begin();
    MUST(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    MUST(cuLibraryGetKernel(&kernel, library, "increase"));
    MUST(cuKernelGetName(&name, kernel));
    MUST(cuKernelGetParamInfo(kernel, 2, &offset, &bytes));
    out = numbers();
    launch(kernel, out, 7);
    printf("%s, parameter 2 at %zu\n", name, offset);
    print_last(out);
    MUST(cuLibraryUnload(library));
    say("unloaded", cu.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    return 0;
}

/* The PTX in a wrapper, as nvcc puts it into programs. */
static int use_fatbin(void) {
    handle module;
    begin();
    memcpy(fat.text, ptx, sizeof ptx);
    for (int k = 0; k < 2; k++) {
        unsigned count;
        MUST(cuModuleLoadData(&module, k ? (const void *)&wrapper : &fat));
        MUST(cuModuleGetFunctionCount(&count, module));
        printf("%u kernels\n", count);
    }
    fat.entry.kind = 2;
    say("without PTX", cu.cuModuleLoadData(&module, &fat));
    say("a cubin", cu.cuModuleLoadData(&module, "\177ELF\002\001"));
    return 0;
}

static int launch_threads(handle kernel, unsigned threads) {
    address out = 0;
    unsigned by = 1, none = 0;
    void *parameters[] = {&out, &by, &none};
    return cu.cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL);
}

/* Registers are those of the machine code for the virtual GPU, if the binary has some: FUNCTION_REGISTERS is
 * CU_FUNC_ATTRIBUTE_NUM_REGS. */
static int ask_for_registers(void) {
    enum { FUNCTION_REGISTERS = 4, PTX_BYTES = (sizeof ptx + 7) / 8 * 8 };
    static struct {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t bytes;
        fat_entry ptx;
        char text[PTX_BYTES];
        fat_entry code;
        cubin cubin;
    } both = {.magic = 0xba55ed50,
              .version = 1,
              .header_bytes = 16,
              .bytes = sizeof both - 16,
              .ptx = {.kind = 1, .header_bytes = sizeof both.ptx, .bytes = PTX_BYTES, .architecture = 80},
              .code = {.kind = 2, .header_bytes = sizeof both.code, .bytes = sizeof both.cubin}};
    static const uint32_t architectures[] = {90, 80};
    begin();
    memcpy(both.text, ptx, sizeof ptx);
    both.cubin = cubin_of("increase", 77);
    for (int k = 0; k < 2; k++) {
        handle module, kernel;
        int registers;
        both.code.architecture = architectures[k];
        MUST(cuModuleLoadData(&module, &both));
        MUST(cuModuleGetFunction(&kernel, module, "increase"));
        MUST(cuFuncGetAttribute(&registers, FUNCTION_REGISTERS, kernel));
        printf("sm_%u: %s\n", architectures[k], registers == 77 ? "77 registers" : "an estimate");
        printf("768 threads: %d\n", launch_threads(kernel, 768));
        printf("1024 threads: %d\n", launch_threads(kernel, 1024));
    }
    return 0;
}

static int link_modules(void) {
    handle linker, module;
    void *image;
    size_t bytes;
    begin();
    MUST(cuLinkCreate_v2(0, NULL, NULL, &linker));
    MUST(cuLinkAddData_v2(linker, 1, (void *)ptx, sizeof ptx, "one", 0, NULL, NULL));
    MUST(cuLinkAddData_v2(linker, 4, (void *)"!<arch>\n", 9, "libcudadevrt.a", 0, NULL, NULL)); /* ignored */
    MUST(cuLinkComplete(linker, &image, &bytes));
    MUST(cuModuleLoadData(&module, image));
    MUST(cuLinkDestroy(linker));
    address out = numbers();
    launch(kernel_of(module), out, 2);
    print_last(out);
    return 0;
}

static int read_log(void) {
    char log[256] = "";
    int options[] = {5, 6};
    void *values[] = {log, (void *)sizeof log};
    handle module;
    begin();
    say("load", cu.cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_80\nnonsense\n", 2, options, values));
    printf("%zu characters: %s\n", (size_t)values[1], log);
    return strlen(log) == (size_t)values[1] ? 0 : 5;
}

static int use_contexts(void) {
    handle first, second, primary, now;
    unsigned flags;
    int active;
    address out;
    say("before cuInit", cu.cuMemAlloc_v2(&out, 4));
    MUST(cuInit(0));
    say("without a context", cu.cuMemAlloc_v2(&out, 4));
    MUST(cuDevicePrimaryCtxGetState(0, &flags, &active));
    printf("primary: %d\n", active);
    MUST(cuDevicePrimaryCtxRetain(&primary, 0));
    MUST(cuCtxSetCurrent(primary));
    MUST(cuMemAlloc_v2(&out, 4));
    first = begin(), second = begin();
    MUST(cuCtxPopCurrent_v2(&now));
    printf("popped the second: %d\n", now == second);
    MUST(cuCtxGetCurrent(&now));
    printf("the first is current: %d\n", now == first);
    MUST(cuCtxDestroy_v2(second));
    say("destroyed", cu.cuCtxPushCurrent_v2(second));
    say("no context at all", cu.cuCtxSetCurrent(&out));
    say("primary", cu.cuCtxDestroy_v2(primary));
    MUST(cuDevicePrimaryCtxRelease_v2(0));
    say("released too often", cu.cuDevicePrimaryCtxRelease_v2(0));
    return 0;
}

/* Without a current context: a stream tells it, but not a default one. */
static int use_handles(void) {
    handle primary, stream, event, now;
    address out;
    unsigned kind = 0;
    uint32_t value = 5;
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&primary, 0));
    MUST(cuCtxSetCurrent(primary));
    MUST(cuMemAlloc_v2(&out, 4));
    MUST(cuStreamCreate(&stream, 1));
    MUST(cuEventCreate(&event, 0));
    MUST(cuCtxPopCurrent_v2(&now));
    MUST(cuMemcpyHtoDAsync_v2(out, &value, 4, stream));
    MUST(cuEventRecord(event, stream));
    MUST(cuEventSynchronize(event));
    MUST(cuPointerGetAttribute(&kind, 2, out));
    printf("memory of kind %u\n", kind);
    say("default stream", cu.cuMemcpyHtoDAsync_v2(out, &value, 4, NULL));
    say("no stream", cu.cuMemcpyHtoD_v2(out, &value, 4));
    MUST(cuMemFree_v2(out));
    return 0;
}

static int ask_device(void) {
    char name[64], bus[32];
    int value, device, unknown = 0;
    size_t bytes;
    MUST(cuInit(0));
    MUST(cuDriverGetVersion(&value));
    printf("version %d\n", value);
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDeviceGetName(name, sizeof name, device));
    MUST(cuDeviceTotalMem_v2(&bytes, device));
    MUST(cuDeviceGetPCIBusId(bus, sizeof bus, device));
    MUST(cuDeviceGetByPCIBusId(&value, bus));
    printf("%s, %s is device %d", name, bus, value);
    MUST(cuDeviceGetByPCIBusId(&value, "0:2:0"));
    MUST(cuDeviceGetByPCIBusId(&value, "2:0.0"));
    printf(", 3:0 gives %d, and 0 gives %d\n", cu.cuDeviceGetByPCIBusId(&value, "3:0"),
           cu.cuDeviceGetByPCIBusId(&value, "0"));
    for (int i = 1; i <= 147; i++) unknown += cu.cuDeviceGetAttribute(&value, i, device) != 0;
    printf("%d attributes unknown\n", unknown);
    MUST(cuDeviceGetAttribute(&value, 37, device));
    printf("%d bits of memory bus\n", value);
    say("device 1", cu.cuDeviceGet(&device, 1));
    say("its name", cu.cuDeviceGetName(name, sizeof name, 1));
    say("no attribute", cu.cuDeviceGetAttribute(&value, 1000, 0));
    return 0;
}

static int ask_function(void) {
    int value, grid, threads;
    size_t shared;
    begin();
    handle kernel = kernel_of(load());
    for (int i = 0; i < 16; i++) MUST(cuFuncGetAttribute(&value, i, kernel));
    MUST(cuOccupancyMaxPotentialBlockSize(&grid, &threads, kernel, NULL, 0, 0));
    printf("%d blocks of %d\n", grid, threads);
    MUST(cuOccupancyAvailableDynamicSMemPerBlock(&shared, kernel, 2, 128));
    printf("%zu bytes for each of two\n", shared);
    void *none[1] = {NULL};
    say("cooperative", cu.cuLaunchCooperativeKernel(kernel, 1 << 20, 1, 1, 256, 1, 1, 0, NULL, none));
    say("no function", cu.cuFuncGetAttribute(&value, 0, &grid));
    say("no module", cu.cuModuleGetFunction(&kernel, &grid, "increase"));
    return 0;
}

static void done(handle stream, int result, void *data) {
    (void)stream, (void)result;
    ++*(int *)data;
}

static int use_memory(void) {
    uint16_t values[8] = {0};
    address from, to;
    handle stream;
    int called = 0;
    begin();
    MUST(cuMemAlloc_v2(&from, sizeof values));
    MUST(cuMemAlloc_v2(&to, sizeof values));
    MUST(cuMemcpyHtoD_v2(from, values, sizeof values));
    MUST(cuMemsetD2D16_v2(from, 8, 7, 2, 2));
    MUST(cuMemcpy(to, from, sizeof values));
    MUST(cuMemcpy((address)(uintptr_t)values, to, sizeof values));
    for (int i = 0; i < 8; i++) printf("%d%s", values[i], i < 7 ? " " : "\n");
    MUST(cuStreamCreate(&stream, 1));
    MUST(cuStreamAddCallback(stream, done, &called, 0));
    MUST(cuStreamSynchronize(stream));
    printf("called %d time\n", called);
    return 0;
}

static int ask_entry_points(void) {
    static const struct {
        const char *name;
        int version, flags;
        const char *symbol;
    } asked[] = {{"cuMemAlloc", 2000, 0, "cuMemAlloc"},
                 {"cuMemAlloc", 12000, 0, "cuMemAlloc_v2"},
                 {"cuCtxCreate", 11000, 0, "cuCtxCreate_v2"},
                 {"cuCtxCreate", 13000, 0, "cuCtxCreate_v4"},
                 {"cuMemcpyHtoDAsync", 12000, 2, "cuMemcpyHtoDAsync_v2_ptsz"},
                 {"cuLaunchKernel", 7000, 2, "cuLaunchKernel_ptsz"},
                 {"cuMemcpy", 7000, 2, "cuMemcpy_ptds"}};
    void *function, *library = dlopen("libcuda.so.1", RTLD_NOW);
    int status;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        MUST(cuGetProcAddress_v2(asked[i].name, &function, asked[i].version, (uint64_t)asked[i].flags, &status));
        printf("%s %d: %d\n", asked[i].name, asked[i].version, function == dlsym(library, asked[i].symbol));
    }
    say("none", cu.cuGetProcAddress_v2("", &function, 0, 0, &status));
    printf("status %d, %d\n", status, function == NULL);
    say("too old", cu.cuGetProcAddress_v2("cuLaunchKernelEx", &function, 11000, 0, &status));
    printf("status %d\n", status);
    return 0;
}

/* Memory of the runtime's is the driver's; the runtime's functions are where programs with the shared runtime find
 * them. */
static int share_with_runtime(void) {
    handle context;
    address out = 0;
    uint32_t values[COUNT];
    void *all = dlopen(NULL, RTLD_NOW);
    int (*allocate)(address *, size_t), (*copy)(void *, address, size_t, int);
    *(void **)&allocate = dlsym(all, "cudaMalloc");
    *(void **)&copy = dlsym(all, "cudaMemcpy");
    if (!allocate || !copy || allocate(&out, sizeof values)) return 5;
    MUST(cuCtxGetCurrent(&context));
    printf("primary: %d\n", context != NULL);
    for (uint32_t i = 0; i < COUNT; i++) values[i] = i;
    MUST(cuMemcpyHtoD_v2(out, values, sizeof values));
    launch(kernel_of(load()), out, 18);
    if (copy(values, out, sizeof values, 2)) return 5;
    printf("%u\n", values[COUNT - 1]);
    return 0;
}

static int ask_for_graphics(void) {
    MUST(cuInit(0));
    say("graphics", cu.cuGLInit());
    return 0;
}

/* Standard input has a name on each line. */
static int find_names(void) {
    char name[128];
    int count = 0, missing = 0;
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    for (; library && scanf("%127s", name) == 1; count++)
        if (!dlsym(library, name)) missing++, printf("no %s\n", name);
    printf("%d names, %d missing\n", count, missing);
    return missing != 0;
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        int (*run)(void);
    } tasks[] = {{"increase", increase},
                 {"packed", pack_parameters},
                 {"library", use_library},
                 {"fatbin", use_fatbin},
                 {"registers", ask_for_registers},
                 {"link", link_modules},
                 {"log", read_log},
                 {"contexts", use_contexts},
                 {"handles", use_handles},
                 {"device", ask_device},
                 {"function", ask_function},
                 {"memory", use_memory},
                 {"entries", ask_entry_points},
                 {"shared", share_with_runtime},
                 {"graphics", ask_for_graphics},
                 {"names", find_names}};
    if (count > 2 && strcmp(arguments[2], "dlopen") == 0) find_by_dlopen();
    if (count > 2 && strcmp(arguments[2], "entry") == 0) find_by_entry_point();
    for (size_t i = 0; count > 1 && i < sizeof tasks / sizeof *tasks; i++)
        if (strcmp(arguments[1], tasks[i].name) == 0) return tasks[i].run();
    return 7;
}
