// Surfaces: kernels write images, a volume and layers in place, and one of bytes whose borders are clamped or trapped.
#include "sample.h"

enum { WIDTH = 24, HEIGHT = 10, DEPTH = 4 };

__global__ void mirror(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    const int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(surf2Dread<short2>(from, x * sizeof(short2), y), to, (WIDTH - 1 - x) * sizeof(short2), y);
}

__global__ void fill_volume(cudaSurfaceObject_t volume) {
    const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    surf3Dwrite(100.f * z + 10 * y + x, volume, x * sizeof(float), y, z);
}

__global__ void sum_slices(cudaSurfaceObject_t volume, float *out) {
    const int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int z = 0; z < DEPTH; z++) sum += surf3Dread<float>(volume, x * sizeof(float), y, z);
    out[y * 4 + x] = sum;
}

__global__ void number_layers(cudaSurfaceObject_t layers) {
    surf2DLayeredwrite((int)(10 * blockIdx.x + threadIdx.x), layers, threadIdx.x * sizeof(int), 0, blockIdx.x);
}

// Zeros and clamps are what surface accesses do outside where they are not to trap.
__global__ void look_outside(cudaSurfaceObject_t image, int *out) {
    out[0] = surf2Dread<short2>(image, -4, 0, cudaBoundaryModeZero).x;
    out[1] = surf2Dread<short2>(image, 4 * WIDTH, 2, cudaBoundaryModeClamp).x;
}

static cudaSurfaceObject_t make(cudaArray_t array) {
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static void flat(void) {
    static short2 image[HEIGHT][WIDTH], got[HEIGHT][WIDTH];
    int wrong = 0, outside[2], *out = on_device<int>(2);
    cudaArray_t from, to;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
    for (int i = 0; i < WIDTH * HEIGHT; i++) image[i / WIDTH][i % WIDTH] = make_short2((short)i, (short)-i);
    CHECK(cudaMallocArray(&from, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&to, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(from, 0, 0, image, sizeof image[0], sizeof image[0], HEIGHT, cudaMemcpyHostToDevice));
    const cudaSurfaceObject_t a = make(from), b = make(to);
    mirror<<<1, dim3(WIDTH, HEIGHT)>>>(a, b);
    look_outside<<<1, 1>>>(b, out);
    CHECK(cudaMemcpy2DFromArray(got, sizeof got[0], to, 0, 0, sizeof got[0], HEIGHT, cudaMemcpyDeviceToHost));
    to_host(outside, out, 2);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += got[y][WIDTH - 1 - x].x != image[y][x].x || got[y][WIDTH - 1 - x].y != image[y][x].y;
    printf("mirrored: %d wrong; outside: %d %d\n", wrong, outside[0], outside[1]);
    expect("the mirrored image", wrong == 0 && outside[0] == 0 && outside[1] == 2 * WIDTH);
    CHECK(cudaDestroySurfaceObject(a));
    CHECK(cudaDestroySurfaceObject(b));
    CHECK(cudaFreeArray(from));
    CHECK(cudaFreeArray(to));
    CHECK(cudaFree(out));
}

static void deep(void) {
    float got[16], *out = on_device<float>(16);
    int numbers[3][8] = {}, wrong = 0;
    cudaArray_t volume, layers;
    const cudaChannelFormatDesc of_floats = cudaCreateChannelDesc<float>(), of_ints = cudaCreateChannelDesc<int>();
    CHECK(cudaMalloc3DArray(&volume, &of_floats, make_cudaExtent(4, 4, DEPTH), cudaArraySurfaceLoadStore));
    const cudaSurfaceObject_t a = make(volume);
    fill_volume<<<DEPTH, dim3(4, 4)>>>(a);
    sum_slices<<<1, dim3(4, 4)>>>(a, out);
    to_host(got, out, 16);
    for (int i = 0; i < 16; i++) wrong += got[i] != 600 + 4 * (10 * (i / 4) + i % 4);
    printf("slices: %g to %g, %d wrong\n", got[0], got[15], wrong);
    expect("sums of slices", wrong == 0);

    CHECK(cudaMalloc3DArray(&layers, &of_ints, make_cudaExtent(8, 1, 3), cudaArrayLayered | cudaArraySurfaceLoadStore));
    const cudaSurfaceObject_t b = make(layers);
    number_layers<<<3, 8>>>(b);
    cudaMemcpy3DParms copy = {};
    copy.srcArray = layers;
    copy.dstPtr = make_cudaPitchedPtr(numbers, 8 * sizeof(int), 8, 1);
    copy.extent = make_cudaExtent(8, 1, 3);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    printf("layers: %d %d %d\n", numbers[0][7], numbers[1][0], numbers[2][3]);
    for (int i = 0; i < 24; i++) expect("layers", numbers[i / 8][i % 8] == 10 * (i / 8) + i % 8);
    CHECK(cudaDestroySurfaceObject(a));
    CHECK(cudaDestroySurfaceObject(b));
    CHECK(cudaFreeArray(volume));
    CHECK(cudaFreeArray(layers));
    CHECK(cudaFree(out));
}

int main() {
    flat();
    deep();
    return finish();
}
