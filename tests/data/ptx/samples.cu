/* What compilers turn into unusual PTX: calls with structures, recursion, function pointers, printf, switches, tables,
 * globals that hold addresses, inline assembly with scopes. Compiled as README.md says. */
#ifndef __NVCC__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
extern "C" __device__ int vprintf(const char *, const void *);
#define printf(format, ...) vprintf(format, 0)
#else
#include <cstdio>
#endif

extern "C" {

struct record {
    char tag;
    float *next;
    short count;
    float value;
};
struct block {
    int words[5];
    double sum;
};

__constant__ int table[4] = {1, 2, 3, 4};
__constant__ const char *names[3] = {"ab", "cde", 0};
__device__ float grid[2][3] = {{1.5f, 2.f, 3.f}, {4.f}};
__device__ struct record record = {'x', &grid[1][1], 3, 1.25f};
__device__ int (*operation)(int);
__device__ unsigned counter;

__device__ __noinline__ int factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

__device__ __noinline__ int triple(int n, int *out) {
    out[0] = n;
    return n * 3;
}

__device__ __noinline__ struct block mark(struct block b, int i) {
    b.words[i] = 7;
    b.sum += 1;
    return b;
}

__global__ void choose(int *out, int n) {
    int v = 0;
    switch (n) {
    case 0: v = out[3]; break;
    case 1: v = out[9] * 3; break;
    case 2: out[1] = 5; break;
    case 3: v = out[100] / n; break;
    case 4: out[2] = 8; v = 3; break;
    case 5: v = out[7]; out[8] = 1; break;
    case 6: out[77] = 3; break;
    case 7: v = out[5] ^ n; break;
    case 8: v = out[6] & n; out[3] = 1; break;
    case 9: v = out[n]; break;
    default: v = 8;
    }
    out[0] = v + table[n & 3];
}

__global__ void calls(int *out, struct block b, int n) {
    int local[8];
    for (int i = 0; i < 8; i++) local[i] = out[i];
    int r = triple(n, &local[n & 7]);
    struct block c = mark(b, n);
    out[0] = r + local[r & 7] + c.words[2] + (int)c.sum + triple(r, out + 3);
    out[1] = names[n % 3][0] + record.count;
}

__global__ void recursive(int *out, int n) {
    out[0] = factorial(n);
}

__global__ void indirect(int *out, int n) {
    if (n > 2) operation = factorial;
    out[0] = operation(n);
}

__global__ void print(int n) {
    if (n > 3) printf("n %d %f\n", n, 2.5);
}

__global__ void assembly(int *out) {
    __shared__ int s[32];
    unsigned a;
    s[0] = 1;
    asm volatile("{ .reg .pred p; .reg .b32 t; mov.u32 t, %%laneid; setp.ne.u32 p, t, 0;"
                 " W: @p bra D; add.u32 t, t, 1; D: mov.u32 %0, t; }"
                 : "=r"(a));
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %0, 0;\n\t@p bra D;\n\tadd.u32 %0, %0, 1;\nD:\n\t}" : "+r"(a));
    out[0] = a + s[a & 31] + (int)grid[1][2];
    counter = counter + 1;
}
}
