/* A program that misuses the runtime in the way its first argument names, or, with `right` as the second one, does not.
 */
#include <stdio.h>
#include <string.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

extern int cudaMalloc(void **address, size_t bytes);
extern int cudaMallocHost(void **address, size_t bytes);
extern int cudaMallocAsync(void **address, size_t bytes, void *stream);
extern int cudaFree(void *address);
extern int cudaFreeHost(void *address);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaStreamCreate(void **stream);
extern int cudaStreamDestroy(void *stream);
extern int cudaEventCreate(void **event);
extern int cudaEventDestroy(void *event);
extern int cudaGraphCreate(void **graph, unsigned flags);
extern int cudaGraphDestroy(void *graph);
extern int cudaDeviceSynchronize(void);
extern int cudaGetLastError(void);
extern int cudaLibraryLoadData(void **library, const void *code, int *options, void **values, unsigned count,
                               int *library_options, void **library_values, unsigned library_count);
extern int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
extern int cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **parameters, size_t shared, void *stream);
extern unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
extern int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

#include "typed_malloc.h"

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n"
                          ".visible .entry stray() {\n  .reg .b64 %rd<1>;\n  mov.u64 %rd0, 64;\n"
                          "  st.global.u64 [%rd0], %rd0;\n  ret;\n}\n";

static const char ptx_of_b200[] = ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry foreign() {\n"
                                  "  tcgen05.wait::ld.sync.aligned;\n  ret;\n}\n";

static int right;
static void *nothing, *stray, *foreign;

/* Makes the calls that nvcc generates for nothing<<<1, threads>>>(). */
static void launch(void *kernel, unsigned threads) {
    dim3 grid = {1, 1, 1}, block = {threads, 1, 1};
    size_t shared = 0;
    void *stream = NULL;
    (void)__cudaPushCallConfiguration(grid, block, shared, stream);
    (void)__cudaPopCallConfiguration(&grid, &block, &shared, &stream);
    (void)cudaLaunchKernel(kernel, grid, block, NULL, shared, stream);
}

/* Six kinds of objects; of the first there are three, from one place. */
static void leaks(void) {
    void *blocks[3], *pinned, *pooled, *stream, *event, *graph;
    for (int i = 0; i < 3; i++) (void)cudaMalloc(&blocks[i], 1024);
    (void)cudaMallocHost(&pinned, 4096);
    (void)cudaStreamCreate(&stream);
    (void)cudaEventCreate(&event);
    (void)cudaMallocAsync(&pooled, 512, stream);
    (void)cudaGraphCreate(&graph, 0);
    if (!right) return;
    for (int i = 0; i < 3; i++) (void)cudaFree(blocks[i]);
    (void)(cudaFreeHost(pinned) || cudaDeviceSynchronize() || cudaFree(pooled) || cudaStreamDestroy(stream) ||
           cudaEventDestroy(event) || cudaGraphDestroy(graph));
}

/* Allocations by functions of headers, two of them by the same one. The last is larger than 32 bits can say. */
static void typed_leaks(void) {
    float *one, *two;
    double *three;
    (void)allocate_floats(&one, 1024);
    (void)allocate_floats(&two, 512);
    (void)allocate_doubles(&three, (size_t)5 << 30);
    if (right) (void)(cudaFree(one) || cudaFree(two) || cudaFree(three));
}

/* The program has another way without the memory, but leaves the error to the next launch. */
static void answer_left_behind(void) {
    void *much;
    if (cudaMalloc(&much, (size_t)1 << 50) && right) (void)cudaGetLastError();
    launch(nothing, 32);
    printf("%d\n", cudaGetLastError());
}

/* Right programs may ask for the error later than at once. */
static void failure_seen_late(void) {
    launch(nothing, right ? 32 : 4096);
    (void)cudaDeviceSynchronize();
    printf("%d\n", cudaGetLastError());
}

static void unseen_launch(void) {
    launch(nothing, right ? 32 : 4096);
    (void)cudaDeviceSynchronize();
}

/* The machine cannot run the kernel. The result's name, not supported, is also what queries answer. */
static void refused_launch(void) {
    launch(right ? nothing : foreign, 32);
    (void)cudaDeviceSynchronize();
}

static void fault(void) {
    launch(right ? nothing : stray, 32);
    (void)cudaDeviceSynchronize();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"leaks", leaks},
             {"typed-leaks", typed_leaks},
             {"answer-left-behind", answer_left_behind},
             {"failure-seen-late", failure_seen_late},
             {"unseen-launch", unseen_launch},
             {"refused-launch", refused_launch},
             {"fault", fault}};

int main(int argc, char **argv) {
    void *library, *other;
    if (argc < 2) return 2;
    right = argc > 2 && !strcmp(argv[2], "right");
    if (cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0) ||
        cudaLibraryGetKernel(&nothing, library, "nothing") || cudaLibraryGetKernel(&stray, library, "stray") ||
        cudaLibraryLoadData(&other, ptx_of_b200, NULL, NULL, 0, NULL, NULL, 0) ||
        cudaLibraryGetKernel(&foreign, other, "foreign"))
        return 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, argv[1])) cases[i].run();
    return 0;
}
