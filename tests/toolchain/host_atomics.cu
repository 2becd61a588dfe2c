/* Threads of the host and of the device count in one place, by objects and references of <cuda/atomic>. */
#include <cuda/atomic>

#include <cstdio>
#include <thread>

enum { BLOCKS = 4, THREADS = 64, STEPS = 1000 };

struct counts {
    cuda::atomic<int, cuda::thread_scope_system> all;
    unsigned long long most;
    double sum;
};

__host__ __device__ static void count(counts *c, unsigned long long number) {
    c->all++;
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system>(c->most).fetch_max(number);
    cuda::atomic_ref<double, cuda::thread_scope_system>(c->sum).fetch_add(0.5, cuda::memory_order_relaxed);
}

__global__ void on_device(counts *c) {
    count(c, threadIdx.x);
}

static void on_host(counts *c) {
    for (unsigned i = 0; i < STEPS; i++) count(c, 10 * i);
}

int main() {
    counts *c;
    cudaMallocManaged(&c, sizeof *c);
    c->all = 0, c->most = 0, c->sum = 0;
    std::thread first(on_host, c), second(on_host, c);
    first.join(), second.join();
    on_device<<<BLOCKS, THREADS>>>(c);
    cudaDeviceSynchronize();
    int expected = 7;
    const bool is_seven = c->all.compare_exchange_strong(expected, 8);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst);
    printf("%d counts, at most %llu, sum %g, %s\n", c->all.load(cuda::memory_order_acquire), c->most, c->sum,
           is_seven || expected != c->all ? "wrong" : "right");
    return 0;
}
