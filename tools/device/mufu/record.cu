// Records the results of the GPU's unit for approximate functions for every significand, as 32-bit words in files that
// fit.c reads:
//     nvcc -arch=sm_90 -o record record.cu && ./record FOLDER
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const uint32_t ONE = 0x3f800000, SMALL = 0x3b800000; // 2^-8

#define FUNCTION(name, instruction)                                                                 \
    __global__ void name(uint32_t *result, uint32_t from, uint32_t step) {                          \
        const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                                   \
        float value;                                                                                \
        asm volatile(instruction " %0, %1;" : "=f"(value) : "f"(__uint_as_float(from + i * step))); \
        result[i] = __float_as_uint(value);                                                         \
    }
FUNCTION(rcp, "rcp.approx.ftz.f32")
FUNCTION(rsq, "rsqrt.approx.ftz.f32")
FUNCTION(root, "sqrt.approx.ftz.f32")
FUNCTION(ex2, "ex2.approx.ftz.f32")
FUNCTION(lg2, "lg2.approx.ftz.f32")
FUNCTION(sine, "sin.approx.ftz.f32")
FUNCTION(tangent, "tanh.approx.f32")

typedef void (*kernel)(uint32_t *, uint32_t, uint32_t);

static void record(const char *folder, const char *name, kernel function, uint32_t count, uint32_t from = ONE,
                   uint32_t step = 1) {
    char path[4096];
    uint32_t *results;
    std::vector<uint32_t> words(count);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    bool good = file && cudaMalloc(&results, count * sizeof *results) == cudaSuccess;
    if (good) {
        function<<<count / 256, 256>>>(results, from, step);
        good = cudaMemcpy(words.data(), results, count * sizeof *results, cudaMemcpyDeviceToHost) == cudaSuccess;
    }
    if (!good || fwrite(words.data(), sizeof words[0], count, file) != count || fclose(file)) {
        fprintf(stderr, "record: %s: cannot be recorded\n", path);
        exit(1);
    }
    cudaFree(results);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: record FOLDER\n");
        return 2;
    }
    record(arguments[1], "rcp", rcp, 1u << 23); // 1 to 2
    record(arguments[1], "rsq", rsq, 1u << 24); // 1 to 4
    record(arguments[1], "sqrt", root, 1u << 24);
    record(arguments[1], "ex2", ex2, 1u << 23);
    record(arguments[1], "lg2", lg2, 1u << 23);
    record(arguments[1], "sin", sine, 3u << 23); // 1 to 8: more than a quarter of a turn, and its mirror image
    record(arguments[1], "tanh", tangent, 11u << 21, SMALL, 4); // 2^-8 to 8: the last two bits of a number do not count
    return 0;
}
