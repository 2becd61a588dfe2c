// Shared by the programs of this folder: checked calls, buffers, random numbers, and comparison of results with the
// host's.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#define CUDA(call)                                                                          \
    do {                                                                                    \
        const cudaError_t error = (call);                                                   \
        if (error == cudaSuccess) break;                                                    \
        std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error)); \
        std::exit(3);                                                                       \
    } while (0)

// CUB's device functions are called twice: first they say how much memory they need.
#define CUB(function, ...)                           \
    do {                                             \
        size_t bytes = 0;                            \
        void *space = nullptr;                       \
        CUDA(function(nullptr, bytes, __VA_ARGS__)); \
        CUDA(cudaMalloc(&space, bytes + 1));         \
        CUDA(function(space, bytes, __VA_ARGS__));   \
        CUDA(cudaDeviceSynchronize());               \
        CUDA(cudaFree(space));                       \
    } while (0)

static int wrong_results;

static void expect(const char *what, bool holds) {
    std::printf("%-8s%s\n", holds ? "ok" : "WRONG", what);
    wrong_results += !holds;
}

template <class T> void expect_same(const char *what, const std::vector<T> &got, const std::vector<T> &want) {
    size_t first = 0;
    while (first < std::min(got.size(), want.size()) && !std::memcmp(&got[first], &want[first], sizeof(T))) first++;
    const bool same = got.size() == want.size() && first == want.size();
    if (!same) std::printf("first difference: %zu of %zu\n", first, want.size());
    expect(what, same);
}

static int finish() {
    CUDA(cudaDeviceSynchronize());
    return wrong_results > 0;
}

// In [0, limit), the same in every run.
static uint32_t draw(uint32_t limit) {
    static uint64_t state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((state >> 32) * limit >> 32);
}

template <class T> std::vector<T> draw_many(size_t count, uint32_t limit) {
    std::vector<T> values(count);
    for (T &v : values) v = (T)draw(limit);
    return values;
}

template <class T> class buffer {
    size_t count;

  public:
    T *data = nullptr;
    explicit buffer(size_t count) : count(count) {
        CUDA(cudaMalloc((void **)&data, (count + 1) * sizeof(T)));
    }
    explicit buffer(const std::vector<T> &values) : buffer(values.size()) {
        CUDA(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    buffer(const buffer &) = delete;
    ~buffer() {
        cudaFree(data);
    }
    void clear(int byte = 0) {
        CUDA(cudaMemset(data, byte, count * sizeof(T)));
    }
    std::vector<T> get(size_t first) const {
        std::vector<T> values(std::min(first, count));
        CUDA(cudaMemcpy(values.data(), data, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
    std::vector<T> get() const {
        return get(count);
    }
};
