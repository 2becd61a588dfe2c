/* Measures the cost of calls on the virtual GPU: nanoseconds a launch of an empty kernel, and the rate of copies beside
 * that of memcpy().
 *
 *     haul run -- bench_launches [LAUNCHES]
 *
 * The kernel is registered by hand as nvcc's code does it, so that no CUDA compiler is needed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

extern void **__cudaRegisterFatBinary(void *fat);
extern void __cudaRegisterFatBinaryEnd(void **handle);
extern void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                                   void *tid, void *bid, void *block, void *grid, int *warp);
extern int cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **parameters, size_t shared, void *stream);
extern int cudaMalloc(void **address, size_t bytes);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaStreamCreate(void **stream);
extern int cudaDeviceSynchronize(void);

enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3, USUAL_LAUNCHES = 100000 };

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry empty(.param .u64 out) {\n  ret;\n}\n";

#include "../../tests/standin/fat_binary.h"

static char empty; /* what stands for the kernel on the host */

__attribute__((constructor)) static void register_all(void) {
    memcpy(fat.text, ptx, sizeof ptx);
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &empty, NULL, "empty", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
}

static void must(int result) {
    if (!result) return;
    fprintf(stderr, "bench_launches: a call failed: %d\n", result);
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- launches ---- */

static void launch_many(const char *what, long count, unsigned blocks, unsigned threads, void *stream) {
    void *out = NULL, *parameters[] = {&out};
    const dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
    must(cudaLaunchKernel(&empty, grid, block, parameters, 0, stream));
    must(cudaDeviceSynchronize());
    const double start = now();
    for (long k = 0; k < count; k++) must(cudaLaunchKernel(&empty, grid, block, parameters, 0, stream));
    must(cudaDeviceSynchronize());
    printf("%-36s %10.0f ns a launch\n", what, (now() - start) * 1e9 / (double)count);
}

/* ---- copies ---- */

static double rate(size_t bytes, void *to, const void *from, int kind) {
    enum { TRIES = 5 };
    const size_t times = bytes < (16u << 20) ? (64u << 20) / bytes : 4;
    double best = 0;
    for (int k = 0; k < TRIES; k++) {
        const double start = now();
        for (size_t n = 0; n < times; n++) {
            if (kind)
                must(cudaMemcpy(to, from, bytes, kind));
            else
                memcpy(to, from, bytes);
            __asm__ volatile("" ::: "memory");
        }
        const double speed = (double)(bytes * times) / (now() - start) / 1e9;
        if (speed > best) best = speed;
    }
    return best;
}

static void copy(size_t bytes) {
    unsigned char *one = malloc(bytes), *other = malloc(bytes);
    void *device, *device_other;
    if (!one || !other) exit(1);
    memset(one, 1, bytes);
    memset(other, 2, bytes);
    must(cudaMalloc(&device, bytes));
    must(cudaMalloc(&device_other, bytes));
    must(cudaMemcpy(device, one, bytes, TO_DEVICE));
    must(cudaMemcpy(device_other, one, bytes, TO_DEVICE));
    printf("%9zu bytes: memcpy %6.1f GB/s, to the device %6.1f, to the host %6.1f, on the device %6.1f\n", bytes,
           rate(bytes, one, other, 0), rate(bytes, device, one, TO_DEVICE), rate(bytes, other, device, TO_HOST),
           rate(bytes, device_other, device, ON_DEVICE));
    free(one);
    free(other);
}

int main(int count, char **words) {
    const long launches = count > 1 ? atol(words[1]) : USUAL_LAUNCHES;
    void *stream;
    must(cudaStreamCreate(&stream));
    launch_many("one block of 32 threads", launches, 1, 32, NULL);
    launch_many("one block of 256 threads", launches, 1, 256, NULL);
    launch_many("one block, in a stream", launches, 1, 32, stream);
    launch_many("132 blocks of 256 threads", launches / 100 + 1, 132, 256, NULL);
    for (size_t bytes = 4096; bytes <= 64u << 20; bytes *= 128) copy(bytes);
    return 0;
}
