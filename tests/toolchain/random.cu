/* cuRAND's generators in kernels. run_headers.sh holds what they must give. */
#include <curand_kernel.h>

/* Four numbers of thread t's own sequence, which lie far apart, from its own place in it. */
template <class State> __device__ void draw(unsigned int *out) {
    const unsigned long long thread = threadIdx.x;
    State state;
    curand_init(1234567890123ull + thread, thread * 77777777ull, thread * 5, &state);
    for (int i = 0; i < 4; i++) out[4 * thread + i] = curand(&state);
}
extern "C" __global__ void xorwow(unsigned int *out) {
    draw<curandState>(out);
}
extern "C" __global__ void philox(unsigned int *out) {
    draw<curandStatePhilox4_32_10_t>(out);
}
/* The cipher's published answer for zeros. */
extern "C" __global__ void cipher(unsigned int *out) {
    const uint4 words = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
    out[0] = words.x, out[1] = words.y, out[2] = words.z, out[3] = words.w;
}

/* Counts numbers after a jump that differ from those after as many steps. */
template <class State> __device__ unsigned int differences(unsigned int steps) {
    State jumping, walking;
    curand_init(17, 3, 0, &jumping);
    curand_init(17, 3, 0, &walking);
    for (unsigned int i = 0; i < steps; i++) curand(&walking);
    skipahead(steps, &jumping);
    unsigned int wrong = 0;
    for (int i = 0; i < 6; i++) wrong += curand(&jumping) != curand(&walking);
    return wrong;
}
extern "C" __global__ void jumps(unsigned int *out) {
    out[threadIdx.x] =
        differences<curandState>(threadIdx.x * 37) + differences<curandStatePhilox4_32_10_t>(threadIdx.x * 37);
}

/* Counts numbers outside of the interval (0, 1], and the mean and the square of 4096 normal ones as thousandths. */
extern "C" __global__ void distributions(int *out) {
    __shared__ float sum, squares;
    if (threadIdx.x == 0) sum = squares = 0;
    __syncthreads();
    curandStatePhilox4_32_10_t state;
    curandState other;
    curand_init(5, threadIdx.x, 0, &state);
    curand_init(5, threadIdx.x, 0, &other);
    int outside = 0;
    for (int i = 0; i < 16; i++) {
        const float4 u = curand_uniform4(&state);
        const double d = curand_uniform_double(&other) * curand_uniform_double(&state);
        outside += u.x <= 0 || u.x > 1 || u.w <= 0 || u.w > 1 || d <= 0 || d > 1;
        const float4 n = curand_normal4(&state);
        const float values[4] = {n.x, n.w, curand_normal(&other), (float)curand_normal_double(&other)};
        for (int k = 0; k < 4; k++) atomicAdd(&sum, values[k]), atomicAdd(&squares, values[k] * values[k]);
    }
    atomicAdd(&out[0], outside);
    __syncthreads();
    if (threadIdx.x == 0) out[1] = __float2int_rn(sum / 4.096f), out[2] = __float2int_rn(squares / 4.096f);
}
