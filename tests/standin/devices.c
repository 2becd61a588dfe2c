/* A program that uses several devices: what its argument names. It registers a fat binary as nvcc's programs do. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

typedef struct pointer_attributes {
    int type, device;
    void *device_address, *host_address;
    long reserved[8];
} pointer_attributes;

typedef struct location {
    int type, id;
} location;

typedef struct device_access {
    location at;
    int flags;
} device_access;

typedef struct properties {
    char name[256];
    unsigned char uuid[16];
    char rest[4096];
} properties;

typedef struct memory_of {
    int type, handles;
    location at;
    void *security;
    unsigned char reserved[32];
} memory_of;

typedef struct multicast {
    unsigned devices;
    size_t bytes;
    unsigned long long handles, flags;
} multicast;

typedef struct handle_of {
    char bytes[64];
} handle_of;

typedef struct pitched {
    void *address;
    size_t pitch, width, height;
} pitched;

typedef struct box {
    void *from_array;
    size_t from_at[3];
    pitched from;
    int from_device;
    void *to_array;
    size_t to_at[3];
    pitched to;
    int to_device;
    size_t extent[3];
} box;

extern void **__cudaRegisterFatBinary(void *fat);
extern void __cudaRegisterFatBinaryEnd(void **handle);
extern void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                                   void *tid, void *bid, void *block, void *grid, int *warp);
extern void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                              int constant, int global);
extern void __cudaRegisterManagedVar(void **handle, void **managed, char *host, const char *name, int external,
                                     size_t bytes, int constant, int global);
extern char __cudaInitModule(void **handle);
extern int cudaGetDeviceCount(int *count);
extern int cudaSetDevice(int device);
extern int cudaGetDevice(int *device);
extern int cudaGetDeviceProperties(properties *to, int device);
extern int cudaDeviceGetPCIBusId(char *id, int length, int device);
extern int cudaDeviceGetByPCIBusId(int *device, const char *id);
extern int cudaDeviceCanAccessPeer(int *can, int device, int peer);
extern int cudaDeviceEnablePeerAccess(int peer, unsigned flags);
extern int cudaDeviceDisablePeerAccess(int peer);
extern int cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer);
extern int cudaDeviceSynchronize(void);
extern int cudaGetLastError(void);
extern const char *cudaGetErrorName(int error);
extern int cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **parameters, size_t shared, void *stream);
extern int cudaMalloc(void **address, size_t bytes);
extern int cudaMallocManaged(void **address, size_t bytes, unsigned flags);
extern int cudaMallocHost(void **address, size_t bytes);
extern int cudaHostRegister(void *host, size_t bytes, unsigned flags);
extern int cudaHostUnregister(void *host);
extern int cudaFree(void *address);
extern int cudaFreeHost(void *address);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
extern int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
extern int cudaMemcpy3DPeer(const box *what);
extern int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind);
extern int cudaPointerGetAttributes(pointer_attributes *attributes, const void *address);
extern int cudaStreamCreate(void **stream);
extern int cudaStreamDestroy(void *stream);
extern int cudaStreamSynchronize(void *stream);
extern int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
extern int cudaStreamGetDevice(void *stream, int *device);
extern int cudaStreamBeginCapture(void *stream, int mode);
extern int cudaStreamEndCapture(void *stream, void **graph);
extern int cudaGraphInstantiate(void **executable, void *graph, unsigned long long flags);
extern int cudaGraphLaunch(void *executable, void *stream);
extern int cudaEventCreate(void **event);
extern int cudaEventRecord(void *event, void *stream);
extern int cudaEventElapsedTime(float *ms, void *start, void *end);
extern int cudaEventSynchronize(void *event);
extern int cudaEventCreateWithFlags(void **event, unsigned flags);
extern int cudaEventQuery(void *event);
extern int cudaIpcGetMemHandle(handle_of *handle, void *address);
extern int cudaIpcOpenMemHandle(void **address, handle_of handle, unsigned flags);
extern int cudaIpcCloseMemHandle(void *address);
extern int cudaIpcGetEventHandle(handle_of *handle, void *event);
extern int cudaIpcOpenEventHandle(void **event, handle_of handle);
extern int cudaMallocAsync(void **address, size_t bytes, void *stream);
extern int cudaFreeAsync(void *address, void *stream);
extern int cudaDeviceGetDefaultMemPool(void **pool, int device);
extern int cudaMemPoolSetAccess(void *pool, const device_access *list, size_t count);
extern int cudaMemPoolGetAccess(int *flags, void *pool, location *at);
extern int cuDevicePrimaryCtxRetain(void **context, int device);
extern int cuCtxCreate_v2(void **context, unsigned flags, int device);
extern int cuCtxDestroy_v2(void *context);
extern int cuCtxSetCurrent(void *context);
extern int cuCtxGetDevice(int *device);
extern int cuCtxEnablePeerAccess(void *context, unsigned flags);
extern int cuPointerGetAttribute(void *value, int attribute, uint64_t address);
extern int cuModuleLoadData(void **module, const void *image);
extern int cuModuleGetFunction(void **function, void *module, const char *name);
extern int cuLibraryLoadData(void **library, const void *image, int *options, void **values, unsigned count,
                             int *library_options, void **library_values, unsigned library_count);
extern int cuLibraryGetKernel(void **kernel, void *library, const char *name);
extern int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra);
extern int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t wanted,
                               unsigned long long flags);
extern int cuMemCreate(uint64_t *handle, size_t bytes, const memory_of *memory, unsigned long long flags);
extern int cuMemMap(uint64_t address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
extern int cuMemSetAccess(uint64_t address, size_t bytes, const device_access *list, size_t count);
extern int cuMulticastCreate(uint64_t *handle, const multicast *what);
extern int cuMulticastAddDevice(uint64_t handle, int device);
extern int cuMulticastBindMem(uint64_t handle, size_t offset, uint64_t memory, size_t memory_offset, size_t bytes,
                              unsigned long long flags);

enum { COUNT = 64, BYTES = 4 * COUNT, TO_DEVICE = 1, TO_HOST = 2, BY_ADDRESS = 4, PAGE = 2 << 20 };

#define IN_OUT                                                                                                  \
    "  .reg .b64 %rd<5>;\n  .reg .b32 %r<5>;\n  ld.param.u64 %rd1, [out];\n  ld.param.u64 %rd2, [in];\n"        \
    "  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %rd3, %r1, 4;\n  add.s64 %rd1, %rd1, %rd3;\n  add.s64 %rd2, %rd2, " \
    "%rd3;\n"
#define ONE_THREAD                                                                                \
    "  .reg .pred %p<2>;\n  .reg .b64 %rd<3>;\n  .reg .b32 %r<3>;\n  ld.param.u64 %rd1, [out];\n" \
    "  ld.param.u64 %rd2, [in];\n  mov.u32 %r1, %tid.x;\n  setp.ne.u32 %p1, %r1, 0;\n  @%p1 ret;\n"
#define GIVE(name, store)                                                      \
    ".visible .entry " name "(.param .u64 out, .param .u64 in) {\n" ONE_THREAD \
    "  st.global.u32 [%rd2+4], 5;\n  " store ".global.u32 [%rd2], 1;\n  ret;\n}\n"
#define TAKE(name, load)                                                                         \
    ".visible .entry " name "(.param .u64 out, .param .u64 in) {\n" ONE_THREAD "again:\n  " load \
    ".global.u32 %r1, [%rd2];\n  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra again;\n"                  \
    "  ld.global.u32 %r2, [%rd2+4];\n  st.global.u32 [%rd1], %r2;\n  ret;\n}\n"
static const char ptx[] =
    ".version 8.1\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 step = 1;\n"
    ".visible .global .attribute(.managed) .align 4 .u32 total = 7;\n"
    /* out[i] = in[i] + step; total += 1 in thread 0 */
    ".visible .entry plus(.param .u64 out, .param .u64 in) {\n  .reg .pred %p<2>;\n" IN_OUT
    "  ld.u32 %r2, [%rd2];\n  ld.global.u32 %r3, [step];\n  add.u32 %r2, %r2, %r3;\n  st.u32 [%rd1], %r2;\n"
    "  setp.ne.u32 %p1, %r1, 0;\n  @%p1 ret;\n  red.global.add.u32 [total], 1;\n  ret;\n}\n"
    /* atomic: *out += in[i] */
    ".visible .entry sum(.param .u64 out, .param .u64 in) {\n" IN_OUT
    "  ld.param.u64 %rd1, [out];\n  ld.u32 %r2, [%rd2];\n  atom.add.u32 %r3, [%rd1], %r2;\n  ret;\n}\n"
    /* at all devices of a multicast address: out[i] += in[i] */
    ".visible .entry spread(.param .u64 out, .param .u64 in) {\n" IN_OUT
    "  ld.u32 %r2, [%rd2];\n  multimem.red.relaxed.sys.global.add.u32 [%rd1], %r2;\n  ret;\n}\n"
    /* one thread: in[1] = 5; the flag in[0] says so. out[0] = in[1], after the flag says so */
    GIVE("give", "st.release.sys") GIVE("give_narrow", "st.release.gpu") GIVE("give_relaxed", "st.relaxed.sys")
        TAKE("take", "ld.acquire.sys") TAKE("take_relaxed", "ld.relaxed.sys");

#include "fat_binary.h"

static char plus, sum, spread, give, give_narrow, give_relaxed, take, take_relaxed, step,
    total_name; /* what stands for them on the host */
static uint32_t *total;
static void **handle;

__attribute__((constructor)) static void register_all(void) {
    fat.entry.architecture = 90;
    memcpy(fat.text, ptx, sizeof ptx);
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &plus, NULL, "plus", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &sum, NULL, "sum", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &spread, NULL, "spread", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &give, NULL, "give", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &give_narrow, NULL, "give_narrow", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &give_relaxed, NULL, "give_relaxed", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &take, NULL, "take", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &take_relaxed, NULL, "take_relaxed", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &step, NULL, "step", 0, 4, 0, 1);
    __cudaRegisterManagedVar(handle, (void **)&total, &total_name, "total", 0, 4, 0, 1);
    __cudaRegisterFatBinaryEnd(handle);
}

/* ---- helpers ---- */

static int launch_in(const void *kernel, void *out, const void *in, void *stream) {
    void *parameters[] = {&out, &in};
    return cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){COUNT, 1, 1}, parameters, 0, stream);
}

static int launch(const void *kernel, void *out, const void *in) {
    return launch_in(kernel, out, in, NULL);
}

static void say(const char *what, int error) {
    printf("%s: %s\n", what, cudaGetErrorName(error));
}

/* Allocates COUNT numbers on a device, all `value`. */
static uint32_t *make(int device, uint32_t value) {
    uint32_t numbers[COUNT];
    void *made = NULL;
    for (int i = 0; i < COUNT; i++) numbers[i] = value;
    if (cudaSetDevice(device) || cudaMalloc(&made, BYTES) || cudaMemcpy(made, numbers, BYTES, TO_DEVICE)) exit(3);
    return made;
}

static uint32_t last_of(const uint32_t *numbers) {
    uint32_t value = 0;
    (void)cudaMemcpy(&value, numbers + COUNT - 1, sizeof value, TO_HOST);
    return value;
}

static int current(void) {
    int device = -1;
    (void)cudaGetDevice(&device);
    return device;
}

static int device_of(const void *address) {
    pointer_attributes a = {0};
    return cudaPointerGetAttributes(&a, address) ? -9 : a.device;
}

/* ---- what the program does ---- */

static void *begin_thread(void *at) {
    *(int *)at = current();
    cudaSetDevice(1);
    return NULL;
}

static int list(void) {
    int count, found = -1, in_thread = -1;
    properties first, other;
    char id[2][32];
    pthread_t thread;
    cudaGetDeviceCount(&count);
    printf("%d devices, at first %d", count, current());
    cudaSetDevice(2);
    printf(", then %d", current());
    pthread_create(&thread, NULL, begin_thread, &in_thread);
    pthread_join(thread, NULL);
    printf(", in a new thread %d, still %d\n", in_thread, current());
    say("no such device", cudaSetDevice(count));
    for (int k = 0; k < 2; k++) cudaDeviceGetPCIBusId(id[k], sizeof id[k], k);
    cudaDeviceGetByPCIBusId(&found, id[1]);
    cudaGetDeviceProperties(&first, 0);
    cudaGetDeviceProperties(&other, 2);
    printf("names %s, UUIDs %s, PCI ids %s, of device %d\n", strcmp(first.name, other.name) ? "differ" : "are equal",
           memcmp(first.uuid, other.uuid, 16) ? "differ" : "are equal", strcmp(id[0], id[1]) ? "differ" : "are equal",
           found);
    return 0;
}

static int variables(void) {
    const uint32_t five = 5;
    uint32_t *out[2];
    __cudaInitModule(handle);
    for (int k = 0; k < 2; k++) out[k] = make(k, 10);
    cudaMemcpyToSymbol(&step, &five, sizeof five, 0, TO_DEVICE);
    for (int k = 0; k < 2; k++) {
        cudaSetDevice(k);
        launch(&plus, out[k], out[k]);
        cudaDeviceSynchronize();
    }
    printf("%u %u, managed %u\n", last_of(out[0]), last_of(out[1]), *total);
    return 0;
}

static int memory(void) {
    uint32_t *a = make(0, 1), *b = make(1, 2), *c = make(2, 3), local[COUNT];
    const box all = {
        .from = {b, BYTES, BYTES, 1}, .from_device = 1, .to = {a, BYTES, BYTES, 1}, .extent = {BYTES, 1, 1}};
    printf("devices %d %d %d\n", device_of(a), device_of(b), device_of(c));
    cudaMemcpy(local, b, BYTES, BY_ADDRESS);
    printf("by address %u", local[3]);
    cudaMemcpy(a, c, BYTES, BY_ADDRESS);
    printf(", between devices %u", last_of(a));
    cudaMemcpyPeer(c, 2, b, 1, BYTES);
    printf(", to a peer %u", last_of(c));
    cudaMemcpy3DPeer(&all);
    printf(", as a box %u\n", last_of(a));
    cudaMemset(b, 0, BYTES);
    printf("filled from elsewhere %u\n", last_of(b));
    say("no such device", cudaMemcpyPeer(c, 8, b, 1, BYTES));
    say("freed from elsewhere", cudaFree(a));
    say("twice", cudaFree(a));
    return 0;
}

static int peers(void) {
    int can[3], native = 0;
    uint32_t *near = make(0, 1), *far = make(1, 20);
    for (int k = 0; k < 3; k++) cudaDeviceCanAccessPeer(&can[k], 0, k);
    cudaDeviceGetP2PAttribute(&native, 3, 0, 1);
    printf("device 0 reaches %d %d %d, atomics %d\n", can[0], can[1], can[2], native);
    cudaSetDevice(0);
    say("itself", cudaDeviceEnablePeerAccess(0, 0));
    say("not yet", cudaDeviceDisablePeerAccess(1));
    say("once", cudaDeviceEnablePeerAccess(1, 0));
    say("twice", cudaDeviceEnablePeerAccess(1, 0));
    cudaGetLastError();
    launch(&plus, near, far);
    printf("read %u", last_of(near));
    launch(&plus, far, near);
    printf(", written %u", last_of(far));
    launch(&sum, far + COUNT - 1, near);
    printf(", atomic %u\n", last_of(far));
    say("off", cudaDeviceDisablePeerAccess(1));
    launch(&plus, near, far);
    say("then", cudaDeviceSynchronize());
    cudaSetDevice(1);
    launch(&plus, far, far);
    say("the other device", cudaDeviceSynchronize());
    return 0;
}

static int copies(void) {
    int can[3];
    uint32_t *near = make(0, 1), *far = make(1, 20);
    for (int k = 0; k < 3; k++) cudaDeviceCanAccessPeer(&can[k], 0, k);
    cudaSetDevice(0);
    printf("device 0 reaches %d %d %d: %s", can[0], can[1], can[2], cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
    cudaMemcpyPeer(near, 0, far, 1, BYTES);
    printf(", copied %u\n", last_of(near));
    return 0;
}

/* Device 0 waits for a kernel of device 1. */
static int fault(void) {
    void *stream;
    make(0, 1);
    cudaSetDevice(1);
    cudaStreamCreate(&stream);
    launch_in(&plus, NULL, NULL, stream);
    cudaSetDevice(0);
    say("waited", cudaStreamSynchronize(stream));
    say("here", cudaDeviceSynchronize());
    cudaSetDevice(1);
    say("there", cudaDeviceSynchronize());
    return 0;
}

static int host(void) {
    uint32_t *managed, *pinned, *registered = calloc(COUNT, 4);
    cudaSetDevice(1);
    cudaMallocManaged((void **)&managed, BYTES, 1);
    cudaMallocHost((void **)&pinned, BYTES);
    cudaHostRegister(registered, BYTES, 0);
    for (int i = 0; i < COUNT; i++) managed[i] = pinned[i] = registered[i] = 1;
    for (int k = 0; k < 3; k++) {
        cudaSetDevice(k);
        launch(&plus, managed, registered);
        launch(&plus, pinned, managed);
        launch(&plus, registered, pinned);
        cudaDeviceSynchronize();
    }
    printf("%u %u %u, of devices %d %d %d\n", managed[9], pinned[9], registered[9], device_of(managed),
           device_of(pinned), device_of(registered));
    cudaHostUnregister(registered);
    free(registered);
    return cudaFreeHost(pinned) + cudaFree(managed);
}

static int streams(void) {
    uint32_t *near = make(0, 1), *far = make(1, 20);
    void *stream[2], *event[2];
    float ms;
    int device;
    for (int k = 0; k < 2; k++) {
        cudaSetDevice(k);
        cudaStreamCreate(&stream[k]);
        cudaEventCreate(&event[k]);
    }
    cudaStreamGetDevice(stream[0], &device);
    printf("a stream of device %d\n", device);
    say("launch", launch_in(&plus, far, far, stream[0]));
    say("record", cudaEventRecord(event[1], stream[0]));
    launch_in(&plus, far, far, stream[1]);
    cudaEventRecord(event[1], stream[1]);
    say("wait", cudaStreamWaitEvent(stream[0], event[1], 0));
    say("copy", cudaMemcpyAsync(near, far, BYTES, BY_ADDRESS, stream[0]));
    say("synchronize", cudaStreamSynchronize(stream[0]));
    printf("%u\n", last_of(near));
    cudaEventRecord(event[0], stream[0]);
    say("event", cudaEventSynchronize(event[0]));
    say("elapsed", cudaEventElapsedTime(&ms, event[0], event[1]));
    say("destroy", cudaStreamDestroy(stream[0]));
    return 0;
}

static int graph(void) {
    uint32_t *near = make(0, 1), *far = make(1, 20);
    void *stream[2], *fork, *join, *captured, *executable;
    for (int k = 1; k >= 0; k--) {
        cudaSetDevice(k);
        cudaStreamCreate(&stream[k]);
        cudaEventCreate(k ? &join : &fork);
    }
    cudaStreamBeginCapture(stream[0], 0);
    cudaEventRecord(fork, stream[0]);
    launch_in(&plus, near, near, stream[0]);
    cudaSetDevice(1);
    cudaStreamWaitEvent(stream[1], fork, 0);
    launch_in(&plus, far, far, stream[1]);
    cudaEventRecord(join, stream[1]);
    cudaSetDevice(0);
    cudaStreamWaitEvent(stream[0], join, 0);
    say("captured", cudaStreamEndCapture(stream[0], &captured));
    say("made", cudaGraphInstantiate(&executable, captured, 0));
    for (int k = 0; k < 3; k++) cudaGraphLaunch(executable, stream[0]);
    say("done", cudaStreamSynchronize(stream[0]));
    printf("%u %u\n", last_of(near), last_of(far));
    return 0;
}

static int pool(void) {
    void *pool, *made = NULL;
    const device_access for_first = {{1, 0}, 3};
    location first = {1, 0};
    int flags = -1;
    uint32_t *near = make(0, 1);
    cudaDeviceEnablePeerAccess(1, 0);
    cudaSetDevice(1);
    cudaDeviceGetDefaultMemPool(&pool, 1);
    cudaMallocAsync(&made, BYTES, NULL);
    cudaMemset(made, 0, BYTES);
    cudaMemPoolGetAccess(&flags, pool, &first);
    printf("on device %d, access %d", device_of(made), flags);
    cudaMemPoolSetAccess(pool, &for_first, 1);
    cudaMemPoolGetAccess(&flags, pool, &first);
    cudaSetDevice(0);
    launch(&plus, made, near);
    printf(" then %d: %u\n", flags, last_of(made));
    say("freed", cudaFreeAsync(made, NULL));
    return 0;
}

static int contexts(void) {
    void *primary[2], *own, *of = NULL, *module, *function;
    int device;
    uint32_t *near = make(0, 1), *far = make(1, 20);
    for (int k = 0; k < 2; k++) cuDevicePrimaryCtxRetain(&primary[k], k);
    cuPointerGetAttribute(&of, 1, (uintptr_t)far);
    printf("primary contexts %s, memory in the second: %d\n", primary[0] == primary[1] ? "are equal" : "differ",
           of == primary[1]);
    cuCtxSetCurrent(primary[0]);
    cuCtxCreate_v2(&own, 0, 1);
    cuCtxGetDevice(&device);
    printf("own context of device %d, for the runtime %d\n", device, current());
    say("peer", cuCtxEnablePeerAccess(primary[0], 0));
    say("twice", cuCtxEnablePeerAccess(primary[0], 0));
    say("its own", cuCtxEnablePeerAccess(primary[1], 0));
    cuModuleLoadData(&module, ptx);
    cuModuleGetFunction(&function, module, "plus");
    void *parameters[] = {&near, &far};
    say("launch", cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, NULL, parameters, NULL));
    printf("%u\n", last_of(near));
    cuCtxDestroy_v2(own);
    printf("and again device %d\n", current());
    say("kernel of another", cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, NULL, parameters, NULL));
    return 0;
}

static int library(void) {
    void *library, *kernel;
    uint32_t *out[2];
    cudaDeviceSynchronize();
    cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0);
    cuLibraryGetKernel(&kernel, library, "plus");
    for (int k = 0; k < 2; k++) {
        out[k] = make(k, 10u * (unsigned)k);
        void *parameters[] = {&out[k], &out[k]};
        say("launch", cuLaunchKernel(kernel, 1, 1, 1, COUNT, 1, 1, 0, NULL, parameters, NULL));
    }
    printf("%u %u\n", last_of(out[0]), last_of(out[1]));
    return 0;
}

/* Memory of the second device, which the first may use too. */
static uint64_t map(int device, const device_access *who, size_t count, uint64_t *memory) {
    const memory_of where = {.type = 1, .at = {1, device}};
    uint64_t at = 0;
    cuMemAddressReserve(&at, PAGE, 0, 0, 0);
    say("create", cuMemCreate(memory, PAGE, &where, 0));
    cuMemMap(at, PAGE, 0, *memory, 0);
    say("access", cuMemSetAccess(at, PAGE, who, count));
    return at;
}

static int virtual(void) {
    const device_access both[] = {{{1, 0}, 3}, {{1, 1}, 3}};
    uint32_t *near = make(0, 4);
    uint64_t memory[2], object, at;
    cudaSetDevice(0);
    uint32_t *shared = (uint32_t *)(uintptr_t)map(1, both, 2, &memory[1]);
    launch(&plus, shared, near);
    printf("%u, of device %d\n", last_of(shared), device_of(shared));
    uint32_t *own = (uint32_t *)(uintptr_t)map(0, both, 1, &memory[0]);
    cudaMemset(own, 0, PAGE);
    say("object", cuMulticastCreate(&object, &(multicast){.devices = 2, .bytes = PAGE}));
    for (int k = 0; k < 2; k++) say("add", cuMulticastAddDevice(object, k));
    for (int k = 0; k < 2; k++) say("bind", cuMulticastBindMem(object, 0, memory[k], 0, PAGE, 0));
    cuMemAddressReserve(&at, PAGE, 0, 0, 0);
    say("map", cuMemMap(at, PAGE, 0, object, 0));
    cuMemSetAccess(at, PAGE, both, 2);
    launch(&spread, (void *)(uintptr_t)at, near);
    printf("%u %u\n", last_of(own), last_of(shared));
    return 0;
}

/* Reads the parent's handles from standard input, and waits for its kernel. */
static int other_process(void) {
    handle_of handles[2];
    void *memory, *again, *event, *stream;
    if (read(STDIN_FILENO, handles, sizeof handles) != sizeof handles) return 4;
    cudaSetDevice(1);
    cudaStreamCreate(&stream);
    say("memory", cudaIpcOpenMemHandle(&memory, handles[0], 1));
    say("again", cudaIpcOpenMemHandle(&again, handles[0], 1));
    say("event", cudaIpcOpenEventHandle(&event, handles[1]));
    printf("at the same address: %d\n", memory == again);
    say("wait", cudaStreamWaitEvent(stream, event, 0));
    launch_in(&plus, memory, memory, stream);
    say("synchronize", cudaStreamSynchronize(stream));
    say("query", cudaEventQuery(event));
    printf("%u\n", last_of(memory));
    say("closed", cudaIpcCloseMemHandle(again) || cudaIpcCloseMemHandle(memory));
    say("once more", cudaIpcCloseMemHandle(memory));
    return 0;
}

static int processes(void) {
    handle_of handles[2];
    void *stream, *event, *opened;
    int ends[2], status;
    make(0, 9); /* so that the next does not begin with a page */
    uint32_t *memory = make(0, 1);
    cudaStreamCreate(&stream);
    cudaEventCreateWithFlags(&event, 6);
    if (pipe(ends) || cudaIpcGetMemHandle(&handles[0], memory) || cudaIpcGetEventHandle(&handles[1], event)) return 3;
    say("its own", cudaIpcOpenMemHandle(&opened, handles[0], 1));
    launch_in(&plus, memory, memory, stream);
    cudaEventRecord(event, stream);
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        dup2(ends[0], STDIN_FILENO);
        execl("/proc/self/exe", "devices", "other-process", (char *)NULL);
    }
    if (write(ends[1], handles, sizeof handles) != sizeof handles || waitpid(child, &status, 0) != child) return 5;
    printf("%u, the child ended with %d\n", last_of(memory), WEXITSTATUS(status));
    return 0;
}

/* A kernel of the second device is looked at through pinned memory only. */
static int progress(void) {
    volatile uint32_t *seen;
    void *stream;
    uint32_t *far = make(1, 20);
    cudaMallocHost((void **)&seen, BYTES);
    cudaStreamCreate(&stream);
    launch_in(&plus, (void *)seen, far, stream);
    cudaSetDevice(0);
    while (!seen[COUNT - 1]) continue;
    printf("%u\n", seen[COUNT - 1]);
    return 0;
}

/* For reports: two launches on one device, one on the other. */
static int work(void) {
    uint32_t *near = make(0, 1), *far = make(1, 20);
    launch(&plus, far, far);
    cudaSetDevice(0);
    for (int k = 0; k < 2; k++) launch(&plus, near, near);
    return 0;
}

/* Device 1 gives device 0 a value by a flag in the memory of device 0. */
static int hand_over(const void *giver, const void *taker) {
    uint32_t *out = make(0, 0), *mailbox = make(0, 0);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    cudaSetDevice(0);
    launch(taker, out, mailbox);
    cudaSetDevice(1);
    launch(giver, out, mailbox);
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    uint32_t got = 0;
    cudaMemcpy(&got, out, sizeof got, TO_HOST);
    printf("%u\n", got);
    return 0;
}

static int flag(void) {
    return hand_over(&give, &take);
}
static int narrow_flag(void) {
    return hand_over(&give_narrow, &take);
}
static int relaxed_flag(void) {
    return hand_over(&give_relaxed, &take);
}
static int relaxed_read(void) {
    return hand_over(&give, &take_relaxed);
}

/* A kernel of the second device leaves its buffer. */
static int overrun(void) {
    uint32_t *far = make(1, 20);
    launch(&plus, far + 1, far);
    return 0;
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        int (*run)(void);
    } tasks[] = {{"list", list},
                 {"variables", variables},
                 {"memory", memory},
                 {"peers", peers},
                 {"fault", fault},
                 {"copies", copies},
                 {"processes", processes},
                 {"other-process", other_process},
                 {"progress", progress},
                 {"host", host},
                 {"streams", streams},
                 {"graph", graph},
                 {"pool", pool},
                 {"contexts", contexts},
                 {"library", library},
                 {"virtual", virtual},
                 {"work", work},
                 {"overrun", overrun},
                 {"flag", flag},
                 {"narrow-flag", narrow_flag},
                 {"relaxed-flag", relaxed_flag},
                 {"relaxed-read", relaxed_read}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (count == 2 && strcmp(arguments[1], tasks[i].name) == 0) return tasks[i].run();
    return 2;
}
