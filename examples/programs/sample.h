// Helpers of the sample programs: check calls, compare results with the host's, and end the program.
#pragma once
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        const cudaError_t status_ = (call);                                                            \
        if (status_ != cudaSuccess) {                                                                  \
            printf("%s, line %d: %s gave %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_)); \
            exit(1);                                                                                   \
        }                                                                                              \
    } while (0)

static int sample_failures;

// Prints an error unless `holds`.
static inline void expect(const char *what, bool holds) {
    if (!holds) printf("wrong: %s\n", what);
    sample_failures += !holds;
}

// The return value of main().
static inline int finish(void) {
    CHECK(cudaDeviceSynchronize());
    if (!sample_failures) printf("ok\n");
    return sample_failures > 0;
}

// A number below `limit`, from a sequence that is the same in every run.
static inline unsigned draw(unsigned limit) {
    static unsigned long long state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((state >> 32) * limit >> 32);
}

// Device memory for `count` elements, initialised with `values` if given.
template <class T> T *on_device(size_t count, const T *values = nullptr) {
    T *memory;
    CHECK(cudaMalloc((void **)&memory, count * sizeof(T)));
    if (values) CHECK(cudaMemcpy(memory, values, count * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <class T> void to_host(T *values, const T *memory, size_t count) {
    CHECK(cudaMemcpy(values, memory, count * sizeof(T), cudaMemcpyDeviceToHost));
}
