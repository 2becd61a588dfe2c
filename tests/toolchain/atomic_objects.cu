/* Objects of <cuda/atomic>: each result is what one thread at a time would give. */
#include <cuda/atomic>
#include <cuda/std/atomic>
#include <cuda/std/cstdint>
#include <cuda/std/limits>

template <class T> __device__ void counts(T *out, T *total) {
    cuda::atomic_ref<T, cuda::thread_scope_device> sum(*total);
    sum.fetch_add((T)threadIdx.x, cuda::memory_order_relaxed);
    ++sum;
    __syncthreads();
    out[threadIdx.x] = sum.load(cuda::memory_order_acquire);
}
/* out[64] counts; the words before it are what the threads then read. */
extern "C" __global__ void sums(int *out) {
    counts(out, out + 64);
}
extern "C" __global__ void objects(cuda::std::uint32_t *out) {
    __shared__ cuda::atomic<unsigned int, cuda::thread_scope_block> most, bits, turns;
    if (threadIdx.x == 0) most = 0u, bits.store(0, cuda::std::memory_order_relaxed), turns = 0u;
    __syncthreads();
    most.fetch_max(threadIdx.x * 3);
    bits.fetch_or(1u << threadIdx.x % 20);
    turns++;
    __syncthreads();
    unsigned int expected = most, wrong = 0;
    if (threadIdx.x == 0) out[3] = most.compare_exchange_strong(wrong, 7), out[4] = wrong;
    if (threadIdx.x == 0) out[5] = most.compare_exchange_strong(expected, 7), out[6] = most;
    if (threadIdx.x == 0) out[0] = expected, out[1] = bits, out[2] = turns.exchange(5);
    if (threadIdx.x == 0) out[7] = cuda::std::numeric_limits<cuda::std::uint32_t>::max();
}
