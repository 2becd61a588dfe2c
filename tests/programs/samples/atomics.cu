// Every atomic operation, of several types and scopes; a maximum of floats by compare and swap, and a lock.
#include "sample.h"

enum { THREADS = 128, BLOCKS = 8, ALL = THREADS * BLOCKS };

struct results {
    int added, subtracted, least, greatest, both, either, toggled, exchanged;
    unsigned around, down;
    unsigned long long wide, wide_greatest;
    float real, greatest_real;
    double precise, swapped;
    int of_block[BLOCKS], lock, guarded, history;
};

__device__ float greatest_of(float *at, float value) {
    int old = __float_as_int(*at), assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value) break;
        old = atomicCAS((int *)at, assumed, __float_as_int(value));
    } while (old != assumed);
    return __int_as_float(old);
}

__global__ void use(results *r) {
    const int i = blockIdx.x * THREADS + threadIdx.x;
    atomicAdd(&r->added, i);
    atomicSub(&r->subtracted, 2);
    atomicMin(&r->least, i * 37 % 1009 - 500);
    atomicMax(&r->greatest, i * 37 % 1009 - 500);
    atomicAnd(&r->both, ~(1 << i % 20));
    atomicOr(&r->either, 1 << i % 24);
    atomicXor(&r->toggled, i);
    if (atomicExch(&r->exchanged, i + 1) == 0) atomicAdd(&r->history, 1); // one thread finds what was there first
    atomicInc(&r->around, 99);
    atomicDec(&r->down, 99);
    atomicAdd(&r->wide, 1ull << 33);
    atomicMax(&r->wide_greatest, (unsigned long long)i << 40);
    atomicAdd(&r->real, 0.5f);
    atomicAdd(&r->precise, 0.125);
    atomicAdd_block(&r->of_block[blockIdx.x], 1);
    atomicAdd_system(&r->of_block[blockIdx.x], 1);
    greatest_of(&r->greatest_real, (float)(i * 53 % 997) / 4);
}

// As programs add doubles that have no atomic operation: an ordinary load begins, and the swap tells whether it was
// right.
__device__ void add_by_swaps(double *at, double value) {
    unsigned long long *bits = (unsigned long long *)at, old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed,
                        (unsigned long long)__double_as_longlong(value + __longlong_as_double((long long)assumed)));
    } while (old != assumed);
}

__global__ void add_doubles(results *r) {
    __shared__ double of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    add_by_swaps(&of_block, 0.25);
    __syncthreads();
    if (threadIdx.x % 32 == 0) add_by_swaps(&r->swapped, of_block);
}

// One thread of each block at a time.
__global__ void guard(results *r) {
    if (threadIdx.x) return;
    while (atomicCAS(&r->lock, 0, 1)) continue;
    __threadfence();
    *(volatile int *)&r->guarded = *(volatile int *)&r->guarded + 1 + (int)blockIdx.x;
    __threadfence();
    atomicExch(&r->lock, 0);
}

int main() {
    results got = {};
    int toggled = 0;
    got.both = -1;
    for (int i = 0; i < ALL; i++) toggled ^= i;
    results *r = on_device(1, &got);
    use<<<BLOCKS, THREADS>>>(r);
    add_doubles<<<BLOCKS, THREADS>>>(r);
    guard<<<BLOCKS, THREADS>>>(r);
    to_host(&got, r, 1);
    printf("added %d, subtracted %d, least %d, greatest %d, and %x, or %x, xor %x\n", got.added, got.subtracted,
           got.least, got.greatest, (unsigned)got.both, (unsigned)got.either, (unsigned)got.toggled);
    printf("around %u, down %u, wide %llx %llx, real %g %g, precise %g %g, guarded %d\n", got.around, got.down,
           got.wide, got.wide_greatest, got.real, got.greatest_real, got.precise, got.swapped, got.guarded);
    expect("sums", got.added == ALL * (ALL - 1) / 2 && got.subtracted == -2 * ALL && got.real == ALL / 2 &&
                       got.precise == ALL / 8);
    expect("sums by swaps", got.swapped == 0.25 * THREADS * 4 * BLOCKS);
    expect("limits", got.least == -500 && got.greatest == 508 && got.greatest_real == 249);
    expect("bits", got.both == ~0xfffff && got.either == 0xffffff && got.toggled == toggled);
    expect("counters", got.around == ALL % 100 && got.down == (100 - ALL % 100) % 100);
    expect("exchanges", got.history == 1 && got.exchanged > 0);
    expect("wide", got.wide == (unsigned long long)ALL << 33 && got.wide_greatest == (ALL - 1ull) << 40);
    for (int count : got.of_block) expect("scopes", count == 2 * THREADS);
    expect("the lock", got.guarded == BLOCKS * (BLOCKS + 1) / 2 && got.lock == 0);
    CHECK(cudaFree(r));
    return finish();
}
