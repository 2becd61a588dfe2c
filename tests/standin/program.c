/* A CUDA program as nvcc would make it, written by hand so that no CUDA compiler is needed: it registers a fat binary
 * of plain PTX, and calls the runtime by the functions that nvcc calls. Its first argument chooses the test. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

extern void **__cudaRegisterFatBinary(void *fat);
extern void __cudaRegisterFatBinaryEnd(void **handle);
extern void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                                   void *tid, void *bid, void *block, void *grid, int *warp);
extern void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                              int constant, int global);
extern int cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **parameters, size_t shared, void *stream);
extern int cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **parameters, size_t shared,
                                       void *stream);
/* An attribute of a launch; the only one used here is a cluster's size in blocks. */
typedef struct attribute {
    int id, unused;
    unsigned cluster[16];
} attribute;
typedef struct configuration {
    dim3 grid, block;
    size_t shared;
    void *stream;
    attribute *attributes;
    unsigned count;
} configuration;
extern int cudaLaunchKernelExC(const configuration *c, const void *f, void **parameters);
extern int cudaMalloc(void **address, size_t bytes);
extern int cudaFree(void *address);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaDeviceSynchronize(void);
extern int cudaGetLastError(void);
extern int cudaGetExportTable(const void **table, const void *id);
extern int cudaGraphicsMapResources(int count, void **resources, void *stream);
extern const char *cudaGetErrorString(int error);

enum { COUNT = 256, TO_DEVICE = 1, TO_HOST = 2, DEFAULT = 4 };

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .const .align 4 .u32 step = 1;\n"
    /* out[i] += step */
    ".visible .entry increase(.param .u64 out) {\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<4>;\n"
    "  ld.param.u64 %rd1, [out];\n  cvta.to.global.u64 %rd1, %rd1;\n  mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %rd2, %r1, 4;\n  add.s64 %rd1, %rd1, %rd2;\n  ld.global.u32 %r2, [%rd1];\n"
    "  ld.const.u32 %r3, [step];\n  add.u32 %r2, %r2, %r3;\n  st.global.u32 [%rd1], %r2;\n  ret;\n}\n"
    /* increases out[i] 1000 times */
    ".visible .entry increase_often(.param .u64 out) {\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<4>;\n  .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [out];\n  cvta.to.global.u64 %rd1, %rd1;\n  mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %rd2, %r1, 4;\n  add.s64 %rd1, %rd1, %rd2;\n  mov.u32 %r3, 0;\n"
    "again:\n  ld.volatile.global.u32 %r2, [%rd1];\n  add.u32 %r2, %r2, 1;\n  st.volatile.global.u32 [%rd1], %r2;\n"
    "  add.u32 %r3, %r3, 1;\n  setp.lt.u32 %p, %r3, 1000;\n  @%p bra again;\n  ret;\n}\n"
    /* out[i] = s[255 - i] without a barrier between */
    ".visible .entry race(.param .u64 out) {\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<6>;\n  .shared .align 4 .b8 s[1024];\n"
    "  ld.param.u64 %rd1, [out];\n  cvta.to.global.u64 %rd1, %rd1;\n  mov.u32 %r1, %tid.x;\n"
    "  mov.u32 %r2, s;\n  shl.b32 %r3, %r1, 2;\n  add.u32 %r4, %r2, %r3;\n  st.shared.u32 [%r4], %r1;\n"
    "  sub.u32 %r5, 1020, %r3;\n  add.u32 %r5, %r2, %r5;\n  ld.shared.u32 %r5, [%r5];\n"
    "  cvt.u64.u32 %rd2, %r3;\n  add.s64 %rd1, %rd1, %rd2;\n  st.global.u32 [%rd1], %r5;\n  ret;\n}\n"
    /* v.out[i] = *v.in + i for a structure {uint32_t *out; uint32_t more; uint32_t *in;} */
    ".visible .entry fill(.param .align 8 .b8 v[24]) {\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<4>;\n"
    "  ld.param.u64 %rd1, [v];\n  ld.param.u64 %rd2, [v+16];\n  ld.param.u32 %r3, [v+8];\n  mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %rd3, %r1, 4;\n  add.s64 %rd1, %rd1, %rd3;\n  ld.global.u32 %r2, [%rd2];\n"
    "  add.u32 %r2, %r2, %r1;\n  add.u32 %r2, %r2, %r3;\n  st.global.u32 [%rd1], %r2;\n  ret;\n}\n"
    /* **at = 7 */
    ".visible .entry follow(.param .u64 at) {\n"
    "  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [at];\n  ld.global.u64 %rd1, [%rd1];\n  mov.u32 %r1, 7;\n  st.global.u32 [%rd1], %r1;\n  "
    "ret;\n}\n";

/* ---- what nvcc adds ---- */

#include "fat_binary.h"

static char increase, increase_often, race, fill, follow, step; /* what stands for them on the host */

__attribute__((constructor)) static void register_all(void) {
    if (getenv("PROGRAM_WITHOUT_PTX")) fat.entry.kind = 2;
    memcpy(fat.text, ptx, sizeof ptx);
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &increase, NULL, "increase", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &increase_often, NULL, "increase_often", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &race, NULL, "race", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &fill, NULL, "fill", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &follow, NULL, "follow", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &step, NULL, "step", 0, 4, 1, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

/* ---- what the program does ---- */

static int launch(const void *kernel, void *out, unsigned threads) {
    void *parameters[] = {&out};
    return cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){threads, 1, 1}, parameters, 0, NULL);
}

/* Increases numbers five times, by 3 each time, and prints the last one. */
static int increase_numbers(void) {
    uint32_t numbers[COUNT], by = 3;
    void *out;
    for (uint32_t i = 0; i < COUNT; i++) numbers[i] = i;
    cudaMalloc(&out, sizeof numbers);
    cudaMemcpyToSymbol(&step, &by, sizeof by, 0, TO_DEVICE);
    cudaMemcpy(out, numbers, sizeof numbers, DEFAULT);
    for (int k = 0; k < 5; k++) launch(&increase, out, COUNT);
    cudaMemcpy(numbers, out, sizeof numbers, TO_HOST);
    cudaFree(out);
    printf("%u, %s\n", numbers[COUNT - 1], cudaGetErrorString(cudaGetLastError()));
    return 0;
}

/* A launch that takes long, of one block. */
static int increase_often_once(void) {
    void *out;
    cudaMalloc(&out, 4 * COUNT);
    cudaMemset(out, 0, 4 * COUNT);
    launch(&increase_often, out, COUNT);
    return cudaFree(out);
}

static int race_once(void) {
    void *out;
    cudaMalloc(&out, 4 * COUNT);
    launch(&race, out, COUNT);
    return cudaDeviceSynchronize();
}

static int access_nowhere(void) {
    launch(&increase, NULL, COUNT);
    const int error = cudaDeviceSynchronize();
    printf("%d then %d\n", error, cudaDeviceSynchronize());
    return 3;
}

/* Copies standard input to standard output, in capitals. */
static int use_streams(void) {
    for (int c; (c = getchar()) != EOF;) putchar(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return 0;
}

static int ask_for_graphics(void) {
    for (int k = 0; k < 2; k++) printf("%d\n", cudaGraphicsMapResources(0, NULL, NULL));
    return 0;
}

/* Asks for what is missing and private to NVIDIA's libraries. */
static int ask_for_table(void) {
    const void *table;
    const int result = cudaGetExportTable(&table, "sixteen bytes id");
    printf("%d, then %d\n", result, cudaGetLastError());
    return 0;
}

/* Launches one kernel with a race and ends before anybody waits for it, in one way or another. */
static int end_early(const char *how) {
    volatile int *volatile nowhere = NULL;
    void *out;
    cudaMalloc(&out, 4 * COUNT);
    launch(&race, out, COUNT);
    if (strcmp(how, "at-once") == 0) _exit(0);
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "crash") == 0) *nowhere = 0;
    raise(SIGTERM);
    return 0;
}

/* Overflows the stack. */
static int recur(volatile char *before, unsigned times) {
    volatile char here[4096];
    here[0] = *before;
    return times ? recur(here, times - 1) + here[0] : 0;
}

/* Launches some kernels, waits for them, and ends so that its own code has no say; the last launch is not waited for.
 */
static int be_killed(const char *how) {
    volatile char start = 0;
    void *out;
    cudaMalloc(&out, 4 * COUNT);
    for (int k = 0; k < 3; k++) launch(&increase, out, COUNT);
    cudaDeviceSynchronize();
    launch(&race, out, COUNT);
    if (strcmp(how, "overflow") == 0) return recur(&start, 1u << 30);
    return kill(getpid(), SIGKILL);
}

/* A child of this process is killed; this process then launches one kernel. */
static int lose_child(void) {
    if (fork() == 0) exit(be_killed("killed"));
    wait(NULL);
    return race_once();
}

/* Ignores a call that fails, twice at one place. */
static int ignore_failures(void) {
    char bytes[4] = {0};
    for (volatile int k = 0; k < 2; k++) cudaMemcpy((void *)64, bytes, sizeof bytes, TO_DEVICE);
    return 0;
}

/* Launches that a GPU refuses, and an allocation without a place for its address. */
static int launch_refused(void) {
    const dim3 one = {1, 1, 1}, many = {1025, 1, 1}, none = {0, 1, 1};
    void *out, *parameters[] = {&out};
    cudaMalloc(&out, 4 * COUNT);
    printf("%d ", cudaLaunchKernel(&race, one, many, parameters, 0, NULL));
    printf("%d ", cudaLaunchKernel(&race, none, one, parameters, 0, NULL));
    printf("%d ", cudaLaunchKernel(&race, one, one, parameters, 48 << 10, NULL)); /* beside 1 KiB of its own */
    printf("%d ", cudaLaunchCooperativeKernel(&race, (dim3){100000, 1, 1}, one, parameters, 0, NULL));
    printf("%d\n", cudaMalloc(NULL, 4));
    return 0;
}

/* This process and a copy of it both use the device. */
static int use_two_processes(void) {
    const pid_t child = fork();
    const int status = increase_numbers();
    if (child > 0) waitpid(child, NULL, 0);
    return status;
}

/* Launches with pointers in a structure, twice the same pointer in one, and a pointer in a buffer. */
static int pass_pointers(void) {
    struct {
        void *out;
        uint32_t more;
        void *in;
    } view = {.more = 5};
    void *table, *parameters[] = {&view};
    const dim3 one = {1, 1, 1}, all = {COUNT, 1, 1};
    cudaMalloc(&view.out, 4 * COUNT);
    cudaMalloc(&view.in, 4);
    cudaMemset(view.in, 1, 4);
    cudaLaunchKernel(&fill, one, all, parameters, 0, NULL);
    view.in = view.out;
    cudaLaunchKernel(&fill, one, one, parameters, 0, NULL);
    cudaMalloc(&table, sizeof view.out);
    cudaMemcpy(table, &view.out, sizeof view.out, TO_DEVICE);
    launch(&follow, table, 1);
    return cudaDeviceSynchronize();
}

/* Two blocks as one cluster, which the launch asks for. */
static int launch_cluster(void) {
    enum { CLUSTER_DIMENSION = 4 };
    attribute cluster = {.id = CLUSTER_DIMENSION, .cluster = {2, 1, 1}};
    const configuration c = {{2, 1, 1}, {1, 1, 1}, .attributes = &cluster, .count = 1};
    void *numbers, *parameters[] = {&numbers};
    cudaMalloc(&numbers, 4 * COUNT);
    cudaMemset(numbers, 0, 4 * COUNT);
    const int error = cudaLaunchKernelExC(&c, &increase, parameters);
    return error ? error : cudaDeviceSynchronize();
}

/* ---- NVTX, as its headers do it ---- */

typedef void function(void);
static function *push_range, *pop_range;
static function **nvtx_core[12] = {[9] = &push_range, [11] = &pop_range};

static int nvtx_table(int module, function ****table, unsigned *count) {
    *table = nvtx_core;
    *count = 12;
    return module == 1;
}

static const void *nvtx_export(uint32_t which) {
    static const struct {
        size_t bytes;
        int (*table)(int module, function ****table, unsigned *count);
    } callbacks = {sizeof callbacks, nvtx_table};
    return which == 1 ? &callbacks : NULL;
}

static void start_nvtx(void) {
    void *library = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
    int (*start)(const void *(*table)(uint32_t)) =
        (int (*)(const void *(*)(uint32_t)))(uintptr_t)dlsym(library, "InitializeInjectionNvtx2");
    start(nvtx_export);
}

/* Launches in two ranges and outside of them. */
static int use_ranges(void) {
    void *out;
    start_nvtx();
    cudaMalloc(&out, 4 * COUNT);
    cudaMemset(out, 0, 4 * COUNT);
    launch(&increase, out, COUNT);
    ((int (*)(const char *))(uintptr_t)push_range)("first half");
    launch(&increase, out, COUNT / 2);
    ((int (*)(void))(uintptr_t)pop_range)();
    ((int (*)(const char *))(uintptr_t)push_range)("second half");
    launch(&increase, out, COUNT / 4);
    ((int (*)(void))(uintptr_t)pop_range)();
    return cudaFree(out);
}

static int only_allocate(void) {
    void *out;
    return cudaMalloc(&out, 4 * COUNT) || cudaFree(out);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "increase") == 0) return increase_numbers();
    if (strcmp(what, "increase-often") == 0) return increase_often_once();
    if (strcmp(what, "race") == 0) return race_once();
    if (strcmp(what, "nowhere") == 0) return access_nowhere();
    if (strcmp(what, "streams") == 0) return use_streams();
    if (strcmp(what, "end") == 0) return end_early(argc > 2 ? argv[2] : "");
    if (strcmp(what, "killed") == 0) return be_killed(argc > 2 ? argv[2] : "");
    if (strcmp(what, "lose-child") == 0) return lose_child();
    if (strcmp(what, "failures") == 0) return ignore_failures();
    if (strcmp(what, "refused") == 0) return launch_refused();
    if (strcmp(what, "processes") == 0) return use_two_processes();
    if (strcmp(what, "ranges") == 0) return use_ranges();
    if (strcmp(what, "pointers") == 0) return pass_pointers();
    if (strcmp(what, "cluster") == 0) return launch_cluster();
    if (strcmp(what, "table") == 0) return ask_for_table();
    if (strcmp(what, "graphics") == 0) return ask_for_graphics();
    if (strcmp(what, "no-launch") == 0) return only_allocate();
    for (int i = 2; strcmp(what, "arguments") == 0 && i < argc; i++) printf("[%s]\n", argv[i]);
    return 7;
}
