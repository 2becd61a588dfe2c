/* Kernels whose code has a known length, to see which sectors of code reach L2: code LIST */
#include <cstdio>
#include <cstdlib>
template <int N> __device__ __forceinline__ float chain(float x, float a, float b) {
#pragma unroll
    for (int i = 0; i < N; i++) x = fmaf(x, a, b);
    return x;
}
extern "C" __global__ void empty() {}
/* N dependent FMAs, and no data at all unless the result is one that it never is */
template <int N> __global__ void straight(float *out, float a, float b) {
    float x = chain<N>(a, a, b);
    if (x == 1.2345f) *out = x;
}
/* the same code, of which nothing is executed */
template <int N> __global__ void skipped(float *out, float a, float b, int go) {
    if (go) { float x = chain<N>(a, a, b); if (x == 1.2345f) *out = x; }
}
/* the last instructions are executed alone: a jump over N */
template <int N> __global__ void over(float *out, float a, float b, int go) {
    float x = a;
    if (go) { x = chain<N>(a, a, b); __syncthreads(); }
    x = chain<16>(x, b, a);
    if (x == 1.2345f) *out = x;
}
/* a loop of N instructions, `rounds` times */
template <int N> __global__ void looped(float *out, float a, float b, int rounds) {
    float x = a;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) x = chain<N>(x, a, b);
    if (x == 1.2345f) *out = x;
}
struct big { float v[900]; };
template <int USED> __global__ void params(float *out, big p) {
    float x = 0;
#pragma unroll
    for (int i = 0; i < USED; i++) x = fmaf(x, p.v[i * (896 / (USED > 0 ? USED : 1))], 2.f);
    if (x == 1.2345f) *out = x;
}
__constant__ float table[8192];
__global__ void constants(float *out, int n) {
    float x = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) x += table[i * 16];
    if (x == 1.2345f) *out = x;
}
__global__ void data(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2;
}
static float *buffer;
static const int few[] = {1, 2, 8, 132, 0};
static const int every[] = {1, 2, 3, 4, 8, 16, 18, 33, 66, 100, 132, 264, 1056, 0};
static void say(const char *kind, int n, int grid, int block, int x) {
    static int launch;
    printf("%d %s %d %d %d %d\n", launch++, kind, n, grid, block, x);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { printf("error %s\n", cudaGetErrorString(e)); exit(1); }
}
template <int N> void straights(const int *grids) {
    for (; *grids; grids++) { straight<N><<<*grids, 32>>>(buffer, .5f, .25f); say("straight", N, *grids, 32, 0); }
}
template <int N> void others() {
    for (const int *g = few; *g; g++) {
        skipped<N><<<*g, 32>>>(buffer, .5f, .25f, 0); say("skipped", N, *g, 32, 0);
        over<N><<<*g, 32>>>(buffer, .5f, .25f, 0); say("over", N, *g, 32, 0);
    }
    looped<N><<<1, 32>>>(buffer, .5f, .25f, 1); say("looped", N, 1, 32, 1);
    looped<N><<<1, 32>>>(buffer, .5f, .25f, 50); say("looped", N, 1, 32, 50);
    looped<N><<<132, 32>>>(buffer, .5f, .25f, 50); say("looped", N, 132, 32, 50);
}
int main() {
    cudaMalloc(&buffer, 1 << 24);
    for (const int *g = every; *g; g++) { empty<<<*g, 32>>>(); say("empty", 0, *g, 32, 0); }
    straights<1>(few); straights<8>(few); straights<16>(few); straights<24>(few); straights<32>(few); straights<48>(few);
    straights<64>(every); straights<96>(few); straights<128>(few); straights<192>(few); straights<256>(every);
    straights<512>(few); straights<1024>(every); straights<2048>(few); straights<4096>(every); straights<8192>(few);
    straights<16384>(few); straights<32768>(few);
    straight<256><<<132, 512>>>(buffer, .5f, .25f); say("straight", 256, 132, 512, 0);
    straight<4096><<<132, 512>>>(buffer, .5f, .25f); say("straight", 4096, 132, 512, 0);
    others<64>(); others<256>(); others<1024>(); others<4096>(); others<16384>();
    big p = {};
    for (const int *g = few; *g; g++) {
        params<0><<<*g, 32>>>(buffer, p); say("params", 0, *g, 32, 0);
        params<1><<<*g, 32>>>(buffer, p); say("params", 1, *g, 32, 0);
        params<16><<<*g, 32>>>(buffer, p); say("params", 16, *g, 32, 0);
        constants<<<*g, 32>>>(buffer, 16); say("constants", 16, *g, 32, 0);
        constants<<<*g, 32>>>(buffer, 512); say("constants", 512, *g, 32, 0);
    }
    for (int k = 0; k < 2; k++) { data<<<1, 32>>>(buffer, buffer + 65536, 32); say("data", 0, 1, 32, k); }
    for (int k = 0; k < 2; k++) { data<<<4096, 256>>>(buffer, buffer + (1 << 21), 1 << 20); say("data", 0, 4096, 256, k); }
}
