/* Sets of arrays, launches, checks; see bench.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "primitives.cuh"

void bench_cuda(int status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "bench: %s: %s\n", what, cudaGetErrorString((cudaError_t)status));
    exit(1);
}

static unsigned long long *errors_here;

unsigned long long *bench_errors(void) {
    if (errors_here == nullptr) bench_cuda(cudaMalloc((void **)&errors_here, sizeof *errors_here), "memory");
    bench_cuda(cudaMemsetAsync(errors_here, 0, sizeof *errors_here), "reset of the error count");
    return errors_here;
}

unsigned long long bench_errors_read(void) {
    unsigned long long count = 0;
    bench_cuda(cudaMemcpy(&count, errors_here, sizeof count, cudaMemcpyDeviceToHost), "a check");
    return count;
}

int bench_multiprocessors(void) {
    static int count;
    if (count == 0) bench_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "device");
    return count;
}

void bench_start(const bench_candidate *k, size_t units, void **arguments) {
    size_t blocks = k->per_block != 0 ? (units + k->per_block - 1) / k->per_block
                                      : (size_t)k->blocks_per_sm * (size_t)bench_multiprocessors();
    blocks = (blocks + k->cluster - 1) / k->cluster * k->cluster;
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = k->cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(k->threads);
    config.dynamicSmemBytes = k->shared;
    config.attrs = &cluster;
    config.numAttrs = k->cluster > 1;
    bench_cuda(cudaLaunchKernelExC(&config, k->kernel, arguments), k->name);
}

size_t harness_copied(const bench_case *c) {
    return c->copied != 0 ? c->copied : c->n;
}

void bench_memcpy(const bench_case *c, const bench_buffers *b) {
    size_t bytes = harness_copied(c) * sizeof(float);
    bench_cuda(cudaMemcpyAsync(b->out, b->in, bytes, cudaMemcpyDeviceToDevice, nullptr), "memcpy");
}

/* Element `from` - BENCH_GUARD in front. What lies around the input wins every maximum, should anybody read it. */
static __global__ void fill(float *in, size_t in_floats, float *out, size_t out_floats) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < in_floats + 2 * BENCH_GUARD) {
        int inside = i >= BENCH_GUARD && i - BENCH_GUARD < in_floats;
        in[i] = inside ? bench_value(i - BENCH_GUARD) : 1e30f;
    }
    if (i < out_floats + 2 * BENCH_GUARD) out[i] = __uint_as_float(BENCH_POISON);
}

void bench_fill(const bench_case *c, const bench_buffers *b, size_t in_floats) {
    size_t most = (in_floats > c->n ? in_floats : c->n) + 2 * BENCH_GUARD;
    fill<<<(unsigned)((most + 255) / 256), 256>>>(b->in - BENCH_GUARD, in_floats, b->out - BENCH_GUARD, c->n);
    bench_cuda(cudaGetLastError(), "fill");
}

void harness_run(const bench_work *w, const bench_case *c, const bench_candidate *k, const bench_buffers *b) {
    if (k->form != 0) {
        w->ship(c, k, b);
    } else if (k->kernel != nullptr) {
        w->launch(c, k, b);
    } else {
        k->run(c, b);
    }
}

static float *open_floats(size_t count, const char *what) {
    float *floats = nullptr;
    if (count != 0) bench_cuda(cudaMalloc((void **)&floats, (count + 2 * BENCH_GUARD) * sizeof(float)), what);
    return floats != nullptr ? floats + BENCH_GUARD : nullptr;
}

static void close_floats(float *floats) {
    if (floats != nullptr) cudaFree(floats - BENCH_GUARD);
}

void harness_open(bench_buffers *b, const bench_case *c) {
    size_t copied = harness_copied(c), in = c->in != 0 ? c->in : c->n;
    b->in = open_floats(in > copied ? in : copied, "memory for inputs");
    b->out = open_floats(c->n > copied ? c->n : copied, "memory for results");
    b->small = open_floats(c->small, "memory for a small input");
    b->temporary = open_floats(c->temporary, "memory for f(B)");
    b->index = nullptr;
    if (c->rows != 0) bench_cuda(cudaMalloc((void **)&b->index, c->rows * sizeof(unsigned)), "memory for an index");
}

void harness_close(bench_buffers *b) {
    close_floats(b->in);
    close_floats(b->out);
    close_floats(b->small);
    close_floats(b->temporary);
    cudaFree(b->index);
}

void harness_allow_shared(const bench_work *w) {
    for (unsigned i = 0; i < w->count; i++) {
        const bench_candidate *k = &w->candidates[i];
        if (k->kernel == nullptr) continue;
        bench_cuda(cudaFuncSetAttribute(k->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)k->shared),
                   k->name);
        bench_cuda(cudaFuncSetAttribute(k->kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                        k->shared != 0 ? (int)cudaSharedmemCarveoutMaxShared
                                                       : (int)cudaSharedmemCarveoutDefault),
                   k->name);
    }
}

unsigned long long harness_check(const bench_work *w, const bench_case *c, const bench_candidate *k,
                                 const bench_buffers *b) {
    w->prepare(c, b);
    harness_run(w, c, k, b);
    unsigned long long wrong = w->wrong(c, b);
    if (wrong != 0) printf("WRONG %s %s: n = %zu: %llu floats\n", w->name, k->name, c->n, wrong);
    return wrong;
}

unsigned long long harness_check_sizes(const bench_work *w, const bench_candidate *k, const bench_buffers *b) {
    static const size_t around[] = {480, 512, 896, 1024, 1920, 2048, 4096, 8192, 65536, 1000003, 1 << 22};
    unsigned long long wrong = 0;
    bench_case c = {0, 0, 0, 0.0, 1, "", 0, 0, 0, 0};
    for (c.n = 1; c.n <= w->odd_sizes; c.n++) wrong += harness_check(w, &c, k, b);
    for (unsigned i = 0; i < BENCH_COUNT(around) && w->odd_sizes != 0; i++) {
        for (c.n = around[i] - 5; c.n <= around[i] + 20; c.n++) wrong += harness_check(w, &c, k, b);
    }
    return wrong;
}
