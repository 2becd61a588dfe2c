// A pool of memory that two processes share: its file descriptor is inherited, its allocation and an event come by a
// pipe. Each process writes one half of the memory.
#include "sample.h"

#include <sys/wait.h>
#include <unistd.h>

enum { HALF = 500 };

// The message of the first process to the second.
struct message {
    cudaMemPoolPtrExportData allocation;
    cudaIpcEventHandle_t ready;
};

__global__ void fill(int *x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < HALF) x[i] = i;
}

__global__ void fill_other(int *x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < HALF) x[HALF + i] = 2 * x[i];
}

__global__ void sum(const int *x, int *out) {
    int mine = 0;
    for (int i = threadIdx.x; i < 2 * HALF; i += blockDim.x) mine += x[i];
    atomicAdd(out, mine);
}

static unsigned long long used(cudaMemPool_t pool) {
    unsigned long long bytes = 0;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    return bytes;
}

// The second process: its kernel waits for that of the first.
static int child(const char *descriptor, const char *pipe) {
    message m;
    cudaMemPool_t pool;
    cudaEvent_t ready;
    cudaStream_t stream;
    int *x;
    if (read(atoi(pipe), &m, sizeof m) != sizeof m) return 3;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)atoi(descriptor),
                                               cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(cudaMemPoolImportPointer((void **)&x, pool, &m.allocation));
    CHECK(cudaIpcOpenEventHandle(&ready, m.ready));
    CHECK(cudaStreamWaitEvent(stream, ready, 0));
    fill_other<<<2, 256, 0, stream>>>(x);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeAsync(x, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaStreamDestroy(stream));
    fflush(stdout);
    return 0;
}

int main(int count, char **arguments) {
    if (count > 2) return child(arguments[1], arguments[2]);
    int descriptor, ends[2], status = -1, got = 0;
    char numbers[2][16];
    int *first, *x, *total;
    message m;
    cudaMemPool_t pool;
    cudaStream_t stream;
    cudaEvent_t ready;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaMallocFromPoolAsync((void **)&first, 100, pool, stream));
    CHECK(cudaMallocFromPoolAsync((void **)&x, 2 * HALF * sizeof *x, pool, stream));
    fill<<<2, 256, 0, stream>>>(x);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(ready, stream));
    CHECK(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(cudaMemPoolExportPointer(&m.allocation, x));
    CHECK(cudaIpcGetEventHandle(&m.ready, ready));
    if (pipe(ends) || write(ends[1], &m, sizeof m) != sizeof m) return 3;
    snprintf(numbers[0], sizeof numbers[0], "%d", dup(descriptor)); // a copy stays open in the child
    snprintf(numbers[1], sizeof numbers[1], "%d", ends[0]);
    fflush(stdout);
    const pid_t process = fork();
    if (process == 0) {
        execl("/proc/self/exe", arguments[0], numbers[0], numbers[1], (char *)NULL);
        _exit(127);
    }
    waitpid(process, &status, 0);
    CHECK(cudaMallocAsync((void **)&total, sizeof *total, stream));
    CHECK(cudaMemsetAsync(total, 0, sizeof *total, stream));
    sum<<<1, 128, 0, stream>>>(x, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(&got, total, sizeof got, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("the other process ended with %d, the sum is %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, got);
    expect("the sum of both halves", got == 3 * HALF * (HALF - 1) / 2);
    CHECK(cudaFreeAsync(first, stream));
    CHECK(cudaFreeAsync(x, stream));
    CHECK(cudaFreeAsync(total, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
