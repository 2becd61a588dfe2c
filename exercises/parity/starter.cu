/* Exercise: the hang of roles by parity.
 *
 * A block's threads have two roles. Threads with an even number are producers, each of which puts an element into its
 * slot. Threads with an odd number are consumers, each of which takes its producer's element and writes it negated. Two
 * barriers in shared memory synchronise them: `filled` waits for all producers of a round, `emptied` for all consumers.
 *
 * The kernel below hangs. Find out why (`haul exercise test parity` says where), and make it work.
 *
 * Then compare scores: a warp whose lanes have different roles executes both, one after the other. Roles by warps, such
 * as the first half of the block and the second, do the same with fewer instructions.
 *
 * Keep: the function negate(), and SLOTS. out and in are device memory of blocks * rounds * SLOTS floats. Block b
 * processes the `rounds` groups of SLOTS elements from b * rounds * SLOTS on. */
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
    const bool is_producer = threadIdx.x % 2 == 0;
    const int mine = threadIdx.x / 2;
    if (threadIdx.x == 0) {
        initialise(&filled, SLOTS);
        initialise(&emptied, SLOTS);
    }
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        const int i = (blockIdx.x * rounds + round) * SLOTS + mine;

        wait_for(&emptied, round % 2 ^ 1);
        if (is_producer) slots[mine] = in[i];
        arrive(&filled);

        wait_for(&filled, round % 2);
        if (!is_producer) out[i] = -slots[mine];
        arrive(&emptied);
    }
}

void negate(float *out, const float *in, int blocks, int rounds) {
    negate_kernel<<<blocks, BLOCK>>>(out, in, rounds);
}
