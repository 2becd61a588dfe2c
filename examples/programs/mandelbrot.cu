// The Mandelbrot set in fixed point, so that every count is exact: lanes leave the loop at different times.
#include "sample.h"

enum { WIDTH = 76, HEIGHT = 32, MOST = 200, BITS = 24 };

__host__ __device__ static int multiply(int a, int b) {
    return (int)((long long)a * b >> BITS);
}

__host__ __device__ static int steps_of(int x, int y) {
    const int re = (3 * x - 2 * WIDTH) * ((1 << BITS) / WIDTH), im = (2 * y - HEIGHT) * ((5 << BITS) / 4 / HEIGHT);
    int a = 0, b = 0, n = 0;
    while (n < MOST && multiply(a, a) + multiply(b, b) < 4 << BITS) {
        const int next = multiply(a, a) - multiply(b, b) + re;
        b = 2 * multiply(a, b) + im;
        a = next;
        n++;
    }
    return n;
}

__global__ void draw_set(unsigned char *out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < WIDTH && y < HEIGHT) out[y * WIDTH + x] = (unsigned char)steps_of(x, y);
}

int main() {
    static unsigned char image[HEIGHT][WIDTH];
    int wrong = 0;
    unsigned char *out = on_device<unsigned char>(sizeof image);
    draw_set<<<dim3((WIDTH + 15) / 16, (HEIGHT + 7) / 8), dim3(16, 8)>>>(out);
    to_host(&image[0][0], out, sizeof image);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const int n = image[y][x];
            wrong += n != steps_of(x, y);
            putchar(n == MOST ? '#' : n > 20 ? '+' : n > 7 ? '.' : ' ');
        }
        putchar('\n');
    }
    expect("the image", wrong == 0);
    CHECK(cudaFree(out));
    return finish();
}
