/* An image enlarged through a texture and by loads, and changed in place through a surface: the kernels of zoom.c. */
#include <cuda_runtime.h>

/* out: `width` x `height` pixels, each `step` pixels of the image wide. The texture unit interpolates between pixels
 * and repeats the image's edge outside. */
extern "C" __global__ void zoom_texture(cudaTextureObject_t image, float *out, int width, int height, float step) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[y * width + x] = tex2D<float>(image, (x + 0.5f) * step, (y + 0.5f) * step);
}

static __device__ int inside(int at, int size) {
    return at < 0 ? 0 : at < size ? at : size - 1;
}

/* The same for an image in rows: four loads, and the arithmetic that the texture unit saves. */
extern "C" __global__ void zoom_loads(const float *image, float *out, int width, int height, float step, int columns,
                                      int rows) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = (x + 0.5f) * step - 0.5f, v = (y + 0.5f) * step - 0.5f;
    const int column = (int)floorf(u), row = (int)floorf(v);
    const int left = inside(column, columns), right = inside(column + 1, columns);
    const float *upper = image + inside(row, rows) * columns, *lower = image + inside(row + 1, rows) * columns;
    const float across = u - column, down = v - row;
    const float above = upper[left] + across * (upper[right] - upper[left]);
    const float below = lower[left] + across * (lower[right] - lower[left]);
    out[y * width + x] = above + down * (below - above);
}

/* Each pixel of the array becomes 1 minus itself. A surface counts x in bytes. */
extern "C" __global__ void invert(cudaSurfaceObject_t image, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    surf2Dwrite(1 - surf2Dread<float>(image, x * 4, y), image, x * 4, y);
}
