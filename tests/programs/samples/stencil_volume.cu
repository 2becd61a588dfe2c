// A seven-point stencil over a volume in pitched memory of three dimensions, and copies of boxes in and out of it.
#include "sample.h"

enum { X = 37, Y = 19, Z = 11, STEPS = 4 };

__device__ int *row(cudaPitchedPtr volume, int y, int z) {
    return (int *)((char *)volume.ptr + ((size_t)z * volume.ysize + y) * volume.pitch);
}

__global__ void step(cudaPitchedPtr from, cudaPitchedPtr to) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= X || y >= Y) return;
    for (int z = 0; z < Z; z++) {
        int sum = row(from, y, z)[x];
        if (x > 0 && y > 0 && z > 0 && x < X - 1 && y < Y - 1 && z < Z - 1)
            sum += row(from, y, z)[x - 1] + row(from, y, z)[x + 1] + row(from, y - 1, z)[x] + row(from, y + 1, z)[x] +
                   row(from, y, z - 1)[x] + row(from, y, z + 1)[x];
        row(to, y, z)[x] = sum % 1000;
    }
}

static int volume[Z][Y][X], other[Z][Y][X], got[Z][Y][X];

static void step_on_host(void) {
    for (int z = 0; z < Z; z++)
        for (int y = 0; y < Y; y++)
            for (int x = 0; x < X; x++) {
                int sum = volume[z][y][x];
                if (x > 0 && y > 0 && z > 0 && x < X - 1 && y < Y - 1 && z < Z - 1)
                    sum += volume[z][y][x - 1] + volume[z][y][x + 1] + volume[z][y - 1][x] + volume[z][y + 1][x] +
                           volume[z - 1][y][x] + volume[z + 1][y][x];
                other[z][y][x] = sum % 1000;
            }
    memcpy(volume, other, sizeof volume);
}

int main() {
    cudaPitchedPtr a, b;
    int wrong = 0, part[2][3][4];
    const cudaExtent whole = make_cudaExtent(X * sizeof(int), Y, Z);
    for (int i = 0; i < X * Y * Z; i++) volume[0][0][i] = (int)draw(1000);
    CHECK(cudaMalloc3D(&a, whole));
    CHECK(cudaMalloc3D(&b, whole));
    expect("rows fit into the pitch", a.pitch >= X * sizeof(int) && a.ysize == Y);
    CHECK(cudaMemset3D(b, 0, whole));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(volume, X * sizeof(int), X, Y);
    copy.dstPtr = a;
    copy.extent = whole;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    for (int s = 0; s < STEPS; s++) {
        step<<<dim3((X + 15) / 16, (Y + 7) / 8), dim3(16, 8)>>>(s % 2 ? b : a, s % 2 ? a : b);
        step_on_host();
    }
    copy.srcPtr = a;
    copy.dstPtr = make_cudaPitchedPtr(got, X * sizeof(int), X, Y);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    for (int i = 0; i < X * Y * Z; i++) wrong += got[0][0][i] != volume[0][0][i];
    printf("centre %d, %d wrong\n", got[Z / 2][Y / 2][X / 2], wrong);
    expect("the stencil", wrong == 0);

    copy.srcPos = make_cudaPos(5 * sizeof(int), 6, 7); // a box of 4 x 3 x 2
    copy.dstPtr = make_cudaPitchedPtr(part, 4 * sizeof(int), 4, 3);
    copy.extent = make_cudaExtent(4 * sizeof(int), 3, 2);
    CHECK(cudaMemcpy3DAsync(&copy, 0));
    CHECK(cudaStreamSynchronize(0));
    for (int i = 0; i < 24; i++)
        expect("a box", part[i / 12][i / 4 % 3][i % 4] == volume[7 + i / 12][6 + i / 4 % 3][5 + i % 4]);
    printf("its corner %d\n", part[1][2][3]);
    CHECK(cudaFree(a.ptr));
    CHECK(cudaFree(b.ptr));
    return finish();
}
