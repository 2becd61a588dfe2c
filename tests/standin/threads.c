/* Host threads that use virtual GPUs at the same time. usage: threads beside | threads copy | threads kernel |
 * threads DEVICES LAUNCHES BLOCKS ROUNDS
 *
 * `beside` prints whether one thread makes many calls while another one runs a long kernel. With `copy` and `kernel`,
 * one thread waits for a kernel that polls a flag; the other one allocates memory and loads a module, and only then
 * sets the flag, by a copy or by a kernel. The last form has a thread for each device, which launches a kernel LAUNCHES
 * times, waiting each time; it prints the sum of all results, and the seconds on standard error. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern int cuInit(unsigned flags);
extern int cuDevicePrimaryCtxRetain(void **context, int device);
extern int cuCtxSetCurrent(void *context);
extern int cuDeviceGetAttribute(int *value, int attribute, int device);
extern int cuFuncGetAttribute(int *value, int attribute, void *function);
extern int cuEventCreate(void **event, unsigned flags);
extern int cuEventDestroy_v2(void *event);
extern int cuMemAlloc_v2(uint64_t *address, size_t bytes);
extern int cuMemFree_v2(uint64_t address);
extern int cuMemAllocHost_v2(void **host, size_t bytes);
extern int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
extern int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
extern int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes);
extern int cuMemGetInfo_v2(size_t *left, size_t *all);
extern int cuModuleLoadData(void **module, const void *image);
extern int cuModuleGetFunction(void **function, void *module, const char *name);
extern int cuStreamCreate(void **stream, unsigned flags);
extern int cuStreamSynchronize(void *stream);
extern int cuStreamQuery(void *stream);
extern int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra);

enum { MOST_DEVICES = 8, THREADS = 32, NON_BLOCKING = 1, MOST_MADE = 8 };

/* *begun = 1, if that is not 0; then out[thread] += 1, after `rounds` rounds of a loop */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry work(.param .u64 out, .param .u32 rounds, .param .u64 begun) {\n"
    "  .reg .b64 %rd<3>;\n  .reg .b32 %r<8>;\n  .reg .pred %p;\n  ld.param.u64 %rd1, [begun];\n"
    "  setp.eq.u64 %p, %rd1, 0;\n  mov.u32 %r1, 1;\n  @!%p st.volatile.global.u32 [%rd1], %r1;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  ld.param.u32 %r1, [rounds];\n  mov.u32 %r2, %tid.x;\n  mov.u32 %r3, %ctaid.x;\n  mov.u32 %r6, %ntid.x;\n"
    "  mad.lo.u32 %r2, %r3, %r6, %r2;\n  mad.wide.u32 %rd1, %r2, 4, %rd1;\n  mov.u32 %r4, 0;\n"
    "again:\n  mul.lo.u32 %r5, %r4, %r4;\n  xor.b32 %r7, %r7, %r5;\n  add.u32 %r4, %r4, 1;\n"
    "  setp.lt.u32 %p, %r4, %r1;\n  @%p bra again;\n"
    "  ld.global.u32 %r3, [%rd1];\n  add.u32 %r3, %r3, 1;\n  st.global.u32 [%rd1], %r3;\n  ret;\n}\n"
    /* *begun = 1; then until *flag is not 0 */
    ".visible .entry poll(.param .u64 flag, .param .u64 begun) {\n"
    "  .reg .b64 %rd<3>;\n  .reg .b32 %r<3>;\n  .reg .pred %p;\n  ld.param.u64 %rd1, [begun];\n"
    "  ld.param.u64 %rd2, [flag];\n  mov.u32 %r1, 1;\n  st.volatile.global.u32 [%rd1], %r1;\n"
    "again:\n  ld.volatile.global.u32 %r2, [%rd2];\n  setp.eq.u32 %p, %r2, 0;\n  @%p bra again;\n  ret;\n}\n"
    ".visible .entry set(.param .u64 flag) {\n"
    "  .reg .b64 %rd;\n  .reg .b32 %r;\n  ld.param.u64 %rd, [flag];\n  mov.u32 %r, 1;\n"
    "  st.volatile.global.u32 [%rd], %r;\n  ret;\n}\n";

static void must(int result, const char *what) {
    if (!result) return;
    printf("%s gave %d\n", what, result);
    exit(1);
}

/* A device with the kernel, and memory of its own. */
typedef struct device {
    void *context, *kernel;
    uint64_t out;
    unsigned launches, blocks, rounds;
    void *begun; /* host memory, or NULL */
} device;

static void open_device(device *d, int number) {
    void *module;
    must(cuDevicePrimaryCtxRetain(&d->context, number), "the context");
    must(cuCtxSetCurrent(d->context), "the context");
    must(cuModuleLoadData(&module, ptx), "the module");
    must(cuModuleGetFunction(&d->kernel, module, "work"), "the kernel");
    must(cuMemAlloc_v2(&d->out, 4 * THREADS * d->blocks), "memory");
    must(cuMemsetD8_v2(d->out, 0, 4 * THREADS * d->blocks), "filling");
}

static void launch(const device *d, void *stream) {
    void *parameters[] = {(void *)&d->out, (void *)&d->rounds, (void *)&d->begun};
    must(cuLaunchKernel(d->kernel, d->blocks, 1, 1, THREADS, 1, 1, 0, stream, parameters, NULL), "a launch");
}

/* ---- calls beside a kernel ---- */

static atomic_bool is_done;
static void *long_stream;

static void *wait_for_kernel(void *of) {
    const device *d = of;
    must(cuCtxSetCurrent(d->context), "the context");
    must(cuStreamSynchronize(long_stream), "the long kernel");
    is_done = true;
    return NULL;
}

/* Makes what a program may make while kernels run: memory, a module, a stream, an event. Returns the memory. */
static uint64_t make_things(const device *d) {
    void *event, *module, *stream;
    uint64_t memory;
    int value;
    must(cuMemAlloc_v2(&memory, 4), "memory");
    must(cuModuleLoadData(&module, ptx), "a module");
    must(cuStreamCreate(&stream, NON_BLOCKING), "a stream");
    must(cuEventCreate(&event, 0), "an event");
    must(cuEventDestroy_v2(event), "an event's end");
    must(cuDeviceGetAttribute(&value, 1, 0), "an attribute");
    must(cuFuncGetAttribute(&value, 0, d->kernel), "a kernel's attribute");
    return memory;
}

static int call_beside(void) {
    device d = {.blocks = 1, .rounds = 30000000};
    pthread_t thread;
    void *stream, *host;
    uint64_t to, later;
    unsigned calls = 0, beside = 0, made = 0, value = 0;
    size_t left, all;
    open_device(&d, 0);
    must(cuStreamCreate(&long_stream, NON_BLOCKING), "a stream");
    must(cuStreamCreate(&stream, NON_BLOCKING), "a stream");
    must(cuMemAllocHost_v2(&host, 4), "pinned memory");
    must(cuMemAllocHost_v2(&d.begun, 4), "pinned memory");
    memset(d.begun, 0, 4);
    must(cuMemAlloc_v2(&to, 4), "memory");
    launch(&d, long_stream);
    pthread_create(&thread, NULL, wait_for_kernel, &d);
    for (; !is_done; calls++) {
        beside += *(volatile unsigned *)d.begun;
        memcpy(host, &calls, sizeof calls);
        must(cuMemcpyHtoDAsync_v2(to, host, 4, stream), "a copy");
        must(cuStreamSynchronize(stream), "waiting for the copy");
        must(cuStreamQuery(stream), "a query");
        must(cuMemGetInfo_v2(&left, &all), "a query");
        if (calls % 16 || made == MOST_MADE) continue;
        to = make_things(&d);
        made += *(volatile unsigned *)d.begun && !is_done;
        must(cuMemcpyHtoDAsync_v2(to, host, 4, stream), "a copy to new memory");
        must(cuStreamSynchronize(stream), "waiting for the copy");
    }
    pthread_join(thread, NULL);
    must(cuMemAlloc_v2(&later, 4), "memory");
    must(cuMemcpyDtoH_v2(&value, to, 4), "copying back");
    printf("%s, %s, %s\n", beside > 5 ? "many calls" : "few calls", made > 1 ? "many things made" : "few things made",
           value == calls - 1 ? "the last copy is there" : "lost");
    return 0;
}

/* ---- a kernel that waits for another thread ---- */

typedef struct waiter {
    const device *device;
    void *kernel, *begun;
    uint64_t flag;
} waiter;

static void *run_waiting_kernel(void *of) {
    waiter *w = of;
    void *stream, *parameters[] = {&w->flag, (void *)&w->begun};
    must(cuCtxSetCurrent(w->device->context), "the context");
    must(cuStreamCreate(&stream, NON_BLOCKING), "a stream");
    must(cuLaunchKernel(w->kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL), "the waiting kernel");
    must(cuStreamSynchronize(stream), "waiting for it");
    return NULL;
}

static int end_waiting(bool by_kernel) {
    device d = {.blocks = 1};
    waiter w = {.device = &d};
    pthread_t thread;
    void *module, *set, *stream, *parameters[] = {&w.flag};
    const unsigned one = 1;
    open_device(&d, 0);
    must(cuModuleLoadData(&module, ptx), "the module");
    must(cuModuleGetFunction(&w.kernel, module, "poll"), "the kernel");
    must(cuModuleGetFunction(&set, module, "set"), "the kernel");
    must(cuStreamCreate(&stream, NON_BLOCKING), "a stream");
    must(cuMemAllocHost_v2(&w.begun, 4), "pinned memory");
    memset(w.begun, 0, 4);
    must(cuMemAlloc_v2(&w.flag, 4), "memory");
    must(cuMemsetD8_v2(w.flag, 0, 4), "filling");
    must(cuStreamSynchronize(NULL), "waiting for it");
    pthread_create(&thread, NULL, run_waiting_kernel, &w);
    while (!*(volatile unsigned *)w.begun) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    (void)make_things(&d);
    if (by_kernel)
        must(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL), "the other kernel");
    else
        must(cuMemcpyHtoDAsync_v2(w.flag, &one, 4, stream), "a copy");
    must(cuStreamSynchronize(stream), "waiting for it");
    pthread_join(thread, NULL);
    printf("ended\n");
    return 0;
}

/* ---- kernels of several devices ---- */

static void *launch_often(void *of) {
    const device *d = of;
    void *stream;
    uint64_t more;
    must(cuCtxSetCurrent(d->context), "the context");
    must(cuStreamCreate(&stream, 0), "a stream");
    for (unsigned i = 0; i < d->launches; i++) {
        launch(d, stream);
        must(cuStreamSynchronize(stream), "the kernel");
        if (i % 16) continue;
        must(cuMemAlloc_v2(&more, 4096), "memory");
        must(cuMemFree_v2(more), "releasing memory");
    }
    return NULL;
}

static unsigned long long sum_of(const device *d) {
    unsigned long long sum = 0;
    unsigned *out = malloc(4 * THREADS * d->blocks);
    must(cuCtxSetCurrent(d->context), "the context");
    must(cuMemcpyDtoH_v2(out, d->out, 4 * THREADS * d->blocks), "copying back");
    for (unsigned i = 0; i < THREADS * d->blocks; i++) sum += out[i];
    free(out);
    return sum;
}

static int use_devices(int count, const device *like) {
    device devices[MOST_DEVICES];
    pthread_t threads[MOST_DEVICES];
    unsigned long long sum = 0;
    struct timespec from, to;
    for (int i = 0; i < count; i++) {
        devices[i] = *like;
        open_device(&devices[i], i);
    }
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, launch_often, &devices[i]);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &to);
    for (int i = 0; i < count; i++) sum += sum_of(&devices[i]);
    printf("%llu\n", sum);
    fprintf(stderr, "%.3f s\n", (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    return 0;
}

int main(int count, char **values) {
    must(cuInit(0), "cuInit");
    if (count == 2 && strcmp(values[1], "beside") == 0) return call_beside();
    if (count == 2) return end_waiting(strcmp(values[1], "kernel") == 0);
    if (count != 5) return 2;
    const int devices = atoi(values[1]);
    const device like = {.launches = (unsigned)atoi(values[2]),
                         .blocks = (unsigned)atoi(values[3]),
                         .rounds = (unsigned)atoi(values[4])};
    return devices < 1 || devices > MOST_DEVICES ? 2 : use_devices(devices, &like);
}
