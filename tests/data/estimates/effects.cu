// nvcc -O3 -gencode arch=compute_90a,code=sm_90a -o effects effects.cu && ./effects >effects-h200.txt
// Times kernels of one effect each as haul replay does: events around a launch that follows two copies of 128 MiB (cold: L2 has dirty
// lines of others). Warm: the same launch just before.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <functional>
#include <vector>
static char *scratch;
static const size_t COPY = 128u << 20;
static cudaEvent_t e0, e1;
static double once(const std::function<void()> &f, bool warm) {
    for (int i = 0; i < 2; i++) cudaMemcpyAsync(scratch + COPY, scratch, COPY, cudaMemcpyDeviceToDevice);
    if (warm) f();
    cudaEventRecord(e0);
    f();
    cudaEventRecord(e1);
    cudaDeviceSynchronize();
    float ms;
    cudaEventElapsedTime(&ms, e0, e1);
    return ms * 1e3;
}
static double timed(const std::function<void()> &f, bool warm = false) {
    std::vector<double> t;
    for (int i = 0; i < 18; i++) {
        double u = once(f, warm);
        if (i >= 3) t.push_back(u);
    }
    std::sort(t.begin(), t.end());
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        printf("# error %s\n", cudaGetErrorString(e));
        return -1;
    }
    return t[7];
}
static void show(const char *name, long a, long b, long c, long d, const std::function<void()> &f) {
    double cold = timed(f), warm = timed(f, true);
    printf("%s %ld %ld %ld %ld cold %.2f warm %.2f\n", name, a, b, c, d, cold, warm);
    fflush(stdout);
}
// ---- straight code ----
#define F1 asm volatile("fma.rn.f32 %0,%0,%4,%4;\n\tfma.rn.f32 %1,%1,%4,%4;\n\tfma.rn.f32 %2,%2,%4,%4;\n\tfma.rn.f32 %3,%3,%4,%4;" : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(m));
#define F4 F1 F1 F1 F1
#define F16 F4 F4 F4 F4
#define F64 F16 F16 F16 F16
#define F256 F64 F64 F64 F64
template <int N> __global__ void code(float *out, float m, int times) {
    float a = m, b = m, c = m, d = m;
    for (int k = 0; k < times; k++) {
        if constexpr (N >= 1) { F16 F16 F16 F16 }          // 256 instructions
        if constexpr (N >= 2) { F64 }
        if constexpr (N >= 4) { F64 F64 }
        if constexpr (N >= 8) { F256 }
        if constexpr (N >= 16) { F256 F256 }
        if constexpr (N >= 32) { F256 F256 F256 F256 }
        if constexpr (N >= 64) { F256 F256 F256 F256 F256 F256 F256 F256 }
    }
    if (a + b + c + d == 0.12345f) *out = a;
}
// Jumps over 128 instructions (2 KiB) each time, unless `take` has the bit.
template <int N> __global__ void jumps(float *out, float m, int take) {
    float a = m, b = m, c = m, d = m;
#define J if (take & 1) { F16 F16 } asm volatile("shf.r.wrap.b32 %0,%0,%0,1;" : "+r"(take));
    J J J J J J J J
    if constexpr (N > 8) { J J J J J J J J }
    if constexpr (N > 16) { J J J J J J J J J J J J J J J J }
    if (a + b + c + d == 0.12345f) *out = a;
}
// ---- stores ----
__global__ void store_hot(unsigned *out, int lines, int spacing, int times) { // a warp's word in each lane: a whole line
    unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int k = 0; k < times; k++) {
        unsigned at = ((w + k) % lines) * spacing;
        asm volatile("st.global.u32 [%0],%1;" ::"l"(out + at + threadIdx.x % 32), "r"(w));
    }
}
__global__ void store_hot4(uint4 *out, int lines, int times) { // 512 bytes a warp
    unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int k = 0; k < times; k++) {
        unsigned at = ((w + k) % lines) * 32;
        out[at + threadIdx.x % 32] = make_uint4(w, w, w, w);
        asm volatile("" ::: "memory");
    }
}
__global__ void store_word(unsigned *out, int lines, int spacing) { // one lane's word
    unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32 == 0) out[(w % lines) * spacing] = w;
}
__global__ void store_same(unsigned *out) { out[0] = threadIdx.x; } // all lanes, one word
__global__ void load_hot(const unsigned *in, unsigned *out, int lines, int spacing, int times) { // L2 hits, past L1
    unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, s = 0;
    for (int k = 0; k < times; k++) s += __ldcg(in + ((w + k) % lines) * spacing + threadIdx.x % 32);
    if (s == 0x12345) *out = s;
}
__global__ void bulk_store(char *out, int bytes, int lines) {
    extern __shared__ __align__(128) char s[];
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) ((int *)s)[i] = i;
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned a = (unsigned)__cvta_generic_to_shared(s);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::"l"(out + (size_t)(blockIdx.x % lines) * bytes), "r"(a), "r"(bytes) : "memory");
    }
}
__global__ void ticket(unsigned *out, unsigned *count, int fence) {
    out[blockIdx.x] = threadIdx.x;
    if (fence) __threadfence();
    if (threadIdx.x == 0) if (atomicAdd(count, 1) == 0xfffffff) out[0] = 1;
}
__global__ void fences(unsigned *out, int n, int stores) {
    for (int k = 0; k < n; k++) {
        if (stores) asm volatile("st.global.u32 [%0],%1;" ::"l"(out + blockIdx.x * blockDim.x + threadIdx.x), "r"(k));
        __threadfence();
    }
}
// ---- atomics: mask 0: all lanes one address ----
template <typename T> __global__ void reds(T *out, int mask, int spread) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out + (i & mask) * spread, (T)1.0f);
}
__global__ void red_bf16(__nv_bfloat16 *out, int mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short one = 0x3f80;
    asm volatile("red.global.add.noftz.bf16 [%0],%1;" ::"l"(out + (i & mask)), "h"(one) : "memory");
}
__global__ void red_v4(float *out, int mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("red.global.v4.f32.add [%0],{%1,%1,%1,%1};" ::"l"(out + 4 * (i & mask)), "f"(1.0f) : "memory");
}
template <typename T> __global__ void atoms_min(T *out, int mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (atomicMin(out + (i & mask), (T)i) == (T)0x1234567) out[0] = 5;
}
__global__ void cas(unsigned *out, int mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (atomicCAS(out + (i & mask), i, i + 1) == 0x1234567) out[0] = 5;
}
// ---- chains ----
__global__ void chase(const unsigned *in, unsigned *out, size_t step, int hops) {
    size_t at = 0;
    for (int k = 0; k < hops; k++) at += step + in[at];
    if (at == 1) *out = 1;
}
__global__ void empty(unsigned *out) { if (!out) asm volatile("trap;"); }
__global__ void empty_shared(unsigned *out) { extern __shared__ char s[]; if (!out) out[0] = s[threadIdx.x]; }
__global__ void __launch_bounds__(1024) one_each(const unsigned *in, unsigned *out) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i] + 1; }
__global__ void copy4(const uint4 *in, uint4 *out) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i]; }
__global__ void read4(const uint4 *in, unsigned *out) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; uint4 v = in[i]; if ((v.x ^ v.y ^ v.z ^ v.w) == 0x12345) *out = 1; }
__global__ void write4(uint4 *out) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; out[i] = make_uint4(i, 1, 2, 3); }
__global__ void sum3(const float *a, const float *b, float *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }
// ---- tensor cores, ldmatrix ----
template <int C> __global__ void mmas(float *out, int n) {
    float d[C][4] = {};
    unsigned a = threadIdx.x, b = threadIdx.x;
    for (int k = 0; k < n; k++)
        for (int c = 0; c < C; c++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};" : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3]) : "r"(a), "r"(b));
    float s = 0;
    for (int c = 0; c < C; c++) s += d[c][0];
    if (s == 0.12345f) *out = s;
}
template <int C> __global__ void mmas_tf32(float *out, int n) {
    float d[C][4] = {};
    unsigned a = threadIdx.x, b = threadIdx.x;
    for (int k = 0; k < n; k++)
        for (int c = 0; c < C; c++)
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};" : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3]) : "r"(a), "r"(b));
    float s = 0;
    for (int c = 0; c < C; c++) s += d[c][0];
    if (s == 0.12345f) *out = s;
}
__global__ void ldmatrices(unsigned *out, int n, int dependent) {
    __shared__ __align__(128) char s[4096];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) ((int *)s)[i] = 0;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(s) + threadIdx.x % 32 * 16, sum = 0;
    for (int k = 0; k < n; k++) {
        unsigned r, q, t, u;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r), "=r"(q), "=r"(t), "=r"(u) : "r"(at));
        if (dependent) at += r; else sum += r ^ u;
    }
    if (at + sum == 0x12345) *out = at;
}
#define ACC64 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"
#define REGS32 "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]),"+f"(d[4]),"+f"(d[5]),"+f"(d[6]),"+f"(d[7]),"+f"(d[8]),"+f"(d[9]),"+f"(d[10]),"+f"(d[11]),"+f"(d[12]),"+f"(d[13]),"+f"(d[14]),"+f"(d[15]),"+f"(d[16]),"+f"(d[17]),"+f"(d[18]),"+f"(d[19]),"+f"(d[20]),"+f"(d[21]),"+f"(d[22]),"+f"(d[23]),"+f"(d[24]),"+f"(d[25]),"+f"(d[26]),"+f"(d[27]),"+f"(d[28]),"+f"(d[29]),"+f"(d[30]),"+f"(d[31])
__global__ void wgmmas(float *out, int n, int per_wait) { // m64n64k16, both operands in shared memory
    extern __shared__ __align__(1024) char s[];
    float d[32] = {};
    uint64_t a = ((unsigned)__cvta_generic_to_shared(s) & 0x3ffff) >> 4 | (uint64_t)8 << 16 | (uint64_t)16 << 32;
    for (int k = 0; k < n; k++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int j = 0; j < per_wait; j++)
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " ACC64 ",%32,%32,1,1,1,0,0;" : REGS32 : "l"(a));
        asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    float x = 0;
    for (int i = 0; i < 32; i++) x += d[i];
    if (x == 0.12345f) *out = x;
}
__global__ void wgmmas_registers(float *out, int n, int per_wait) { // the same with A in registers
    extern __shared__ __align__(1024) char s[];
    float d[32] = {};
    unsigned r = threadIdx.x;
    uint64_t a = ((unsigned)__cvta_generic_to_shared(s) & 0x3ffff) >> 4 | (uint64_t)8 << 16 | (uint64_t)16 << 32;
    for (int k = 0; k < n; k++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int j = 0; j < per_wait; j++)
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " ACC64 ",{%33,%33,%33,%33},%32,1,1,1,0;" : REGS32 : "l"(a), "r"(r));
        asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    float x = 0;
    for (int i = 0; i < 32; i++) x += d[i];
    if (x == 0.12345f) *out = x;
}
__global__ void barriers(unsigned *out, int n) {
    for (int k = 0; k < n; k++) __syncthreads();
    if (!out) asm volatile("trap;");
}
// ---- shared memory: one turn after the other ----
__global__ void shared_turns(unsigned *out, int n, int same) {
    __shared__ float s[1024];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < n; k++) atomicAdd(s + (same ? 0 : threadIdx.x), 1.0f);
    __syncthreads();
    if (s[threadIdx.x] == 0.12345f) *out = 1;
}
__global__ void shared_turns_u(unsigned *out, int n, int same) {
    __shared__ unsigned s[1024];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < n; k++) atomicAdd(s + (same ? 0 : threadIdx.x), threadIdx.x);
    __syncthreads();
    if (s[threadIdx.x] == 12345) *out = 1;
}
template <int N> static void codes(float *f) {
    for (int blocks : {1, 132, 1056})
        for (int threads : {32, 128}) {
            show("code", N * 256, blocks, threads, 1, [=] { code<N><<<blocks, threads>>>(f, 1.0f, 1); });
            show("code", N * 256, blocks, threads, 2, [=] { code<N><<<blocks, threads>>>(f, 1.0f, 2); });
        }
}
int main() {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("# %s, %d SMs\n", p.name, p.multiProcessorCount);
    cudaMalloc(&scratch, 2 * COPY);
    cudaEventCreate(&e0), cudaEventCreate(&e1);
    char *in, *out;
    cudaMalloc(&in, 512u << 20), cudaMalloc(&out, 512u << 20);
    cudaMemset(in, 0, 512u << 20), cudaMemset(out, 0, 512u << 20);
    float *f = (float *)out;
    unsigned *o = (unsigned *)out, *i = (unsigned *)in;
    for (int blocks : {1, 132, 1056, 4224})
        for (int threads : {32, 128, 1024}) show("empty", blocks, threads, 0, 0, [=] { empty<<<blocks, threads>>>(o); });
    cudaFuncSetAttribute(empty_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    for (int k : {1, 16, 48, 100, 200}) show("empty_shared", k, 1, 128, 0, [=] { empty_shared<<<132, 128, k << 10>>>(o); });
    codes<1>(f), codes<2>(f), codes<4>(f), codes<8>(f), codes<16>(f), codes<32>(f), codes<64>(f);
    show("jumps", 8, 1, 32, 0, [=] { jumps<8><<<1, 32>>>(f, 1.0f, 0); });
    show("jumps", 16, 1, 32, 0, [=] { jumps<16><<<1, 32>>>(f, 1.0f, 0); });
    show("jumps", 32, 1, 32, 0, [=] { jumps<32><<<1, 32>>>(f, 1.0f, 0); });
    for (int hops : {0, 1, 2, 4, 8, 16, 32})
        for (long step : {0l, 32l, 1024l, 16384l, 524288l}) // words: the same, next lines, 4 KiB, 64 KiB, 2 MiB
            if (step * hops < (128l << 20)) show("chase", hops, step * 4, 1, 32, [=] { chase<<<1, 32>>>(i, o, step, hops); });
    for (int blocks : {132, 700, 4000})
        for (int lines : {1, 2, 4, 16, 64, 256, 4096})
            for (int times : {1, 8}) {
                show("store_line", blocks, lines, 32, times, [=] { store_hot<<<blocks, 96>>>(o, lines, 32, times); });
                show("store_v4", blocks, lines, 128, times, [=] { store_hot4<<<blocks, 96>>>((uint4 *)o, lines, times); });
                show("load_line", blocks, lines, 32, times, [=] { load_hot<<<blocks, 96>>>(i, o, lines, 32, times); });
            }
    for (int lines : {1, 4, 64})
        for (int spacing : {8, 32, 128, 4096}) {
            show("store_word", 4000, lines, spacing, 1, [=] { store_word<<<4000, 96>>>(o, lines, spacing); });
            show("store_spaced", 4000, lines, spacing, 1, [=] { store_hot<<<4000, 96>>>(o, lines, spacing < 32 ? 32 : spacing, 1); });
        }
    show("store_same", 4000, 96, 0, 0, [=] { store_same<<<4000, 96>>>(o); });
    cudaFuncSetAttribute(bulk_store, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
    for (int bytes : {128, 512, 2048, 8192})
        for (int lines : {1, 4, 64, 1024}) show("bulk_store", 4000, bytes, lines, 0, [=] { bulk_store<<<4000, 96, bytes>>>(out, bytes, lines); });
    for (int blocks : {132, 700, 2600})
        for (int threads : {32, 128})
            for (int fence : {0, 1}) show("ticket", blocks, threads, fence, 0, [=] { ticket<<<blocks, threads>>>(o + 4096, o, fence); });
    for (int n : {1, 8})
        for (int stores : {0, 1})
            for (int blocks : {1, 132, 1056}) show("fences", n, stores, blocks, 128, [=] { fences<<<blocks, 128>>>(o, n, stores); });
    for (int mask : {0, 31, 1023, 65535}) {
        show("red_u32", 2000, 96, mask, 0, [=] { reds<unsigned><<<2000, 96>>>(o, mask, 1); });
        show("red_u64", 2000, 96, mask, 0, [=] { reds<unsigned long long><<<2000, 96>>>((unsigned long long *)o, mask, 1); });
        show("red_f32", 2000, 96, mask, 0, [=] { reds<float><<<2000, 96>>>(f, mask, 1); });
        show("red_f64", 2000, 96, mask, 0, [=] { reds<double><<<2000, 96>>>((double *)f, mask, 1); });
        show("red_bf16", 2000, 96, mask, 0, [=] { red_bf16<<<2000, 96>>>((__nv_bfloat16 *)f, mask); });
        show("red_v4", 2000, 96, mask, 0, [=] { red_v4<<<2000, 96>>>(f, mask); });
        show("min_u32", 2000, 96, mask, 0, [=] { atoms_min<unsigned><<<2000, 96>>>(o, mask); });
        show("min_u64", 2000, 96, mask, 0, [=] { atoms_min<unsigned long long><<<2000, 96>>>((unsigned long long *)o, mask); });
        show("cas", 2000, 96, mask, 0, [=] { cas<<<2000, 96>>>(o, mask); });
        show("red_f32_lines", 2000, 96, mask, 32, [=] { reds<float><<<2000, 96>>>(f, mask, 32); });
        show("red_u32_lines", 2000, 96, mask, 32, [=] { reds<unsigned><<<2000, 96>>>(o, mask, 32); });
    }
    for (int kib : {64, 256, 1024, 2048, 4096, 8192, 16384, 65536, 262144})
        for (int threads : {128, 512}) {
            int blocks = kib * 64 / threads;
            show("copy4", kib, threads, 0, 0, [=] { copy4<<<blocks, threads>>>((uint4 *)in, (uint4 *)out); });
            show("read4", kib, threads, 0, 0, [=] { read4<<<blocks, threads>>>((uint4 *)in, o); });
            show("write4", kib, threads, 0, 0, [=] { write4<<<blocks, threads>>>((uint4 *)out); });
            if (kib <= 16384) show("one_each", kib, threads, 0, 0, [=] { one_each<<<blocks * 4, threads>>>(i, o); });
            if (kib <= 65536) show("sum3", kib, threads, 0, 0, [=] { sum3<<<blocks * 4, threads>>>((float *)in, (float *)(in + (256u << 20)), f, kib * 256); });
        }
    for (int threads : {32, 128, 512}) {
        show("mma_chain", 1000, threads, 1, 0, [=] { mmas<1><<<132, threads>>>(f, 1000); });
        show("mma_four", 1000, threads, 4, 0, [=] { mmas<4><<<132, threads>>>(f, 1000); });
        show("mma_tf32_chain", 1000, threads, 1, 0, [=] { mmas_tf32<1><<<132, threads>>>(f, 1000); });
        show("mma_tf32_four", 1000, threads, 4, 0, [=] { mmas_tf32<4><<<132, threads>>>(f, 1000); });
        show("ldmatrix", 1000, threads, 0, 0, [=] { ldmatrices<<<132, threads>>>(o, 1000, 0); });
        show("ldmatrix", 1000, threads, 1, 0, [=] { ldmatrices<<<132, threads>>>(o, 1000, 1); });
        show("barriers", 1000, threads, 0, 0, [=] { barriers<<<132, threads>>>(o, 1000); });
        show("shared_add_f32", 100, threads, 0, 0, [=] { shared_turns<<<132, threads>>>(o, 100, 0); });
        show("shared_add_f32", 100, threads, 1, 0, [=] { shared_turns<<<132, threads>>>(o, 100, 1); });
        show("shared_add_u32", 100, threads, 0, 0, [=] { shared_turns_u<<<132, threads>>>(o, 100, 0); });
        show("shared_add_u32", 100, threads, 1, 0, [=] { shared_turns_u<<<132, threads>>>(o, 100, 1); });
    }
    for (int blocks : {132, 264})
        for (int per : {1, 4, 16}) {
            show("wgmma_shared", 500, per, blocks, 0, [=] { wgmmas<<<blocks, 128, 32 << 10>>>(f, 500, per); });
            show("wgmma_registers", 500, per, blocks, 0, [=] { wgmmas_registers<<<blocks, 128, 32 << 10>>>(f, 500, per); });
        }
    return 0;
}
