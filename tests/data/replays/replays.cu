// Which accesses make accesses to shared memory without bank conflicts take another wavefront? One kernel for each
// mixture, each in several sizes; Nsight Compute counts. Every warp of kind K executes ROUNDS times the same mixture.
#include <cstdio>
#include <cstdint>
enum { ROUNDS = 16 };
#define LDS(r, a) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(a) : "memory")
#define STS(a, v) asm volatile("st.shared.u32 [%0], %1;" ::"r"(a), "r"(v) : "memory")
#define LDG(r, p) asm volatile("ld.global.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory")
#define STG(p, v) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define SHFL(r, v) asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(r) : "r"(v))
__constant__ uint32_t table[1024];

template <int K> __global__ void mixture(uint32_t *in, uint32_t *out) {
    __shared__ __align__(128) uint32_t s[4 * 1024];
    const uint32_t t = threadIdx.x, n = blockDim.x, lane = t & 31;
    const uint64_t all = (uint64_t)gridDim.x * n, i = (uint64_t)blockIdx.x * n + t;
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(s), a = base + 4 * t, q = base + 16 * t;
    uint32_t r = t, x = 0, y = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        const uint32_t *far = in + (i + k * all), *near = in + i;
        if (K == 0) { LDS(x, a); r += x; }
        if (K == 1) STS(a, r);
        if (K == 2) { STS(a, r); LDS(x, a); r += x; }
        if (K == 3) { STS(a, r); SHFL(x, r); r += x; }
        if (K == 4) { LDS(x, a); SHFL(y, r); r += x + y; }
        if (K == 5) { __syncthreads(); LDS(x, a); r += x; }
        if (K == 6) { LDG(x, near); STS(a, r); r += x; }
        if (K == 7) { LDG(x, far); STS(a, r); r ^= x; }
        if (K == 8) { LDG(x, far); LDS(y, a); r += y; r ^= x; }
        if (K == 9) { STG(out + (i + k * all), r); STS(a, r); }
        if (K == 10) asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(q), "r"(r) : "memory");
        if (K == 11) { uint32_t b, c, d; asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(b), "=r"(c), "=r"(d) : "r"(q) : "memory"); r += x + b + c + d; }
        if (K == 12) { if (lane < 8) STS(a, r); r += k; }
        if (K == 13) { STS(a, r); r += table[(r + lane * 0) & 1023]; }
        if (K == 14) { asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(base + 16 * (t & 255)) : "memory"); STS(a, r); r += x; }
        if (K == 15) { LDG(x, far); STS(a, x); }                        // as a tile is loaded
        if (K == 16) { LDG(x, far); STG(out + (i + k * all), r); r ^= x; }
        if (K == 17) { LDG(x, far); STG(out + (i + k * all), x); }
        if (K == 18) STG(out + (i + k * all), r);
        if (K == 19) { __syncthreads(); STS(a, r); __syncthreads(); LDS(x, a ^ 128); r += x; }
        if (K == 20) { SHFL(x, r); SHFL(y, x); r += y; LDS(x, a); r += x; STS(a, r); }
        if (K == 21) { asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(base + 8 * t), "r"(r) : "memory"); LDG(x, far); r ^= x; }
        if (K == 22) { asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(q), "r"(r) : "memory"); LDG(x, far); r ^= x; }
        if (K == 23) { asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(a) : "memory"); LDS(x, a); r += x; }
    }
    out[i] = r;
}

typedef void kernel(uint32_t *, uint32_t *);
template <int... K> struct list { static constexpr int count = sizeof...(K); static constexpr kernel *all[sizeof...(K)] = {mixture<K>...}; };
using kernels = list<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23>;

int main() {
    static const int shapes[][2] = {{1, 32}, {1, 128}, {1, 512}, {132, 128}, {528, 256}, {1056, 1024}};
    const size_t words = (size_t)1056 * 1024 * (ROUNDS + 1);
    uint32_t *in, *out;
    if (cudaMalloc(&in, 4 * words) || cudaMalloc(&out, 4 * words)) return 1;
    cudaMemset(in, 0, 4 * words);
    for (kernel *k : kernels::all)
        for (auto &s : shapes)
            for (int again = 0; again < 2; again++) k<<<s[0], s[1]>>>(in, out);
    const cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
