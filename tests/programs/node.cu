/* Kernels on two devices that hand data over by flags, right and with one defect each: what the argument names. Prints
 * a checksum. */
#include <haul/device.h>

#include <cstdio>
#include <cstring>

enum { COUNT = 256, ROUNDS = 3 };
enum defect { RIGHT, FENCE, RELEASE, ACQUIRE, REUSE, ATOMIC, PLAIN, DEFECTS };
static const char *const names[DEFECTS] = {"right", "fence", "release", "acquire", "reuse", "atomic", "plain"};

template <defect D> __device__ void give(unsigned *flag, unsigned value) {
    if (D == FENCE) {
        __threadfence(); /* does not reach the peer */
        *(volatile unsigned *)flag = value;
    } else if (D == RELEASE) {
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
    } else if (D == ATOMIC) {
        __threadfence_system();
        atomicExch(flag, value);
    } else {
        haul_signal_set(flag, value);
    }
}

template <defect D> __device__ void await(const unsigned *flag, unsigned value) {
    if (D == ACQUIRE) {
        while (*(const volatile unsigned *)flag < value) {
        }
    } else if (D == PLAIN) {
        unsigned seen;
        do asm volatile("ld.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        while (seen < value);
    } else {
        haul_signal_await(flag, value);
    }
}

template <defect D> __global__ void push(unsigned *theirs, unsigned *flag, const unsigned *taken) {
    for (unsigned r = 1; r <= ROUNDS; r++) {
        theirs[threadIdx.x] = r * 1000 + threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) give<D>(flag, r);
        if (D != REUSE && threadIdx.x == 0) await<RIGHT>(taken, r);
        __syncthreads();
    }
}

template <defect D> __global__ void pull(const unsigned *mine, unsigned *sum, const unsigned *flag, unsigned *taken) {
    for (unsigned r = 1; r <= ROUNDS; r++) {
        if (threadIdx.x == 0) await<D>(flag, r);
        __syncthreads();
        sum[threadIdx.x] += mine[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) give<RIGHT>(taken, r);
    }
}

static unsigned *cleared(int device, unsigned count) {
    unsigned *memory = nullptr;
    cudaSetDevice(device);
    cudaMalloc(&memory, count * sizeof *memory);
    cudaMemset(memory, 0, count * sizeof *memory);
    cudaDeviceSynchronize();
    return memory;
}

template <defect D> static void run() {
    unsigned *data = cleared(1, COUNT), *sum = cleared(1, COUNT), *flag = cleared(1, 1), *taken = cleared(0, 1);
    unsigned all[COUNT], total = 0;
    cudaSetDevice(0);
    push<D><<<1, COUNT>>>(data, flag, taken);
    cudaSetDevice(1);
    pull<D><<<1, COUNT>>>(data, sum, flag, taken);
    cudaMemcpy(all, sum, sizeof all, cudaMemcpyDeviceToHost);
    for (unsigned value : all) total += value;
    std::printf("%u\n", total);
}

/* The buffer is freed while the kernel of the other device may still read it. */
__global__ void read_late(const unsigned *theirs, unsigned *sum, const volatile unsigned *go) {
    while (!*go) {
    }
    *sum = *theirs;
}

static void free_early() {
    unsigned *data = cleared(1, 1), *sum = cleared(0, 1), *go = nullptr;
    cudaMallocHost(&go, sizeof *go);
    *go = 0;
    cudaSetDevice(0);
    read_late<<<1, 1>>>(data, sum, go);
    cudaSetDevice(1);
    cudaFree(data);
    *(volatile unsigned *)go = 1;
    cudaSetDevice(0);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "right";
    for (int g = 0; g < 2; g++) cudaSetDevice(g), cudaDeviceEnablePeerAccess(1 - g, 0);
    if (!std::strcmp(what, names[RIGHT])) run<RIGHT>();
    if (!std::strcmp(what, names[FENCE])) run<FENCE>();
    if (!std::strcmp(what, names[RELEASE])) run<RELEASE>();
    if (!std::strcmp(what, names[ACQUIRE])) run<ACQUIRE>();
    if (!std::strcmp(what, names[REUSE])) run<REUSE>();
    if (!std::strcmp(what, names[ATOMIC])) run<ATOMIC>();
    if (!std::strcmp(what, names[PLAIN])) run<PLAIN>();
    if (!std::strcmp(what, "free")) free_early();
    return 0;
}
