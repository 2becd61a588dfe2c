// A barrier of the whole grid: steps of a heat equation in one cooperative launch, with the grid that the device holds.
// Calls that fail: 1
#include "sample.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
enum { COUNT = 4096, STEPS = 20, BLOCK = 128 };

__global__ void diffuse(int *a, int *b, int *steps_done) {
    const cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < STEPS; step++) {
        for (unsigned i = (unsigned)grid.thread_rank(); i < COUNT; i += (unsigned)grid.size()) {
            const int left = i > 0 ? a[i - 1] : a[i], right = i < COUNT - 1 ? a[i + 1] : a[i];
            b[i] = (left + 2 * a[i] + right) / 4;
        }
        grid.sync();
        int *other = a;
        a = b;
        b = other;
    }
    if (grid.thread_rank() == 0) *steps_done = STEPS;
}

int main() {
    static int values[COUNT], other[COUNT], got[COUNT];
    int device, cooperative = 0, processors, per_processor, done = 0, wrong = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, diffuse, BLOCK, 0));
    expect("cooperative launches", cooperative == 1);
    for (int i = 0; i < COUNT; i++) values[i] = i % 64 == 5 ? 1000000 : 0;

    int *a = on_device(COUNT, values), *b = on_device<int>(COUNT), *steps = on_device<int>(1);
    const int fits = processors * per_processor, grid = fits < COUNT / BLOCK ? fits : COUNT / BLOCK;
    void *arguments[] = {&a, &b, &steps};
    CHECK(cudaLaunchCooperativeKernel(diffuse, dim3(grid), dim3(BLOCK), arguments, 0, 0));
    to_host(got, a, COUNT);
    to_host(&done, steps, 1);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < COUNT; i++)
            other[i] = ((i ? values[i - 1] : values[i]) + 2 * values[i] + values[i < COUNT - 1 ? i + 1 : i]) / 4;
        memcpy(values, other, sizeof values);
    }
    for (int i = 0; i < COUNT; i++) wrong += got[i] != values[i];
    printf("%d steps, peak %d, %d wrong\n", done, got[5], wrong);
    expect("heat", wrong == 0 && done == STEPS);

    const cudaError_t too_large = cudaLaunchCooperativeKernel(diffuse, dim3(fits + 1), dim3(BLOCK), arguments, 0, 0);
    printf("one block more than fits: %s\n", cudaGetErrorName(too_large));
    expect("it is refused", too_large == cudaErrorCooperativeLaunchTooLarge && cudaGetLastError() == too_large);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(steps));
    return finish();
}
