/* Each role does only its own part: a barrier that waits for SLOTS arrivals must not get twice as many. Roles are whole
 * warps, so that no warp executes both. */
#include <cuda_runtime.h>

enum { BLOCK = 128, SLOTS = BLOCK / 2 };

typedef unsigned long long barrier;

static __device__ unsigned address_of(barrier *b) {
    return (unsigned)__cvta_generic_to_shared(b);
}

/* A phase of the barrier ends when this many threads have arrived; then the next one begins. */
static __device__ void initialise(barrier *b, unsigned arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address_of(b)), "r"(arrivals) : "memory");
}

static __device__ void arrive(barrier *b) {
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(address_of(b)) : "memory");
}

/* Waits until the phase of that parity has ended: phases 0, 2, 4 ... are of parity 0. A phase before the first one
 * counts as ended: it is of parity 1. */
static __device__ void wait_for(barrier *b, unsigned parity) {
    unsigned ended = 0;
    while (!ended)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(ended)
                     : "r"(address_of(b)), "r"(parity)
                     : "memory");
}

__global__ void negate_kernel(float *out, const float *in, int rounds) {
    __shared__ float slots[SLOTS];
    __shared__ barrier filled, emptied;
    const bool is_producer = threadIdx.x < SLOTS; // whole warps
    const int mine = threadIdx.x % SLOTS;
    if (threadIdx.x == 0) {
        initialise(&filled, SLOTS);
        initialise(&emptied, SLOTS);
    }
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        const int i = (blockIdx.x * rounds + round) * SLOTS + mine;
        if (is_producer) {
            wait_for(&emptied, round % 2 ^ 1);
            slots[mine] = in[i];
            arrive(&filled);
        } else {
            wait_for(&filled, round % 2);
            out[i] = -slots[mine];
            arrive(&emptied);
        }
    }
}

void negate(float *out, const float *in, int blocks, int rounds) {
    negate_kernel<<<blocks, BLOCK>>>(out, in, rounds);
}
