// A separable filter over an image: its weights in constant memory, rows with their halo in shared memory.
#include "sample.h"

enum { WIDTH = 130, HEIGHT = 61, RADIUS = 4, TILE = 64, COLUMN_X = 16, COLUMN_Y = 16 };

__constant__ int weights[2 * RADIUS + 1];

__global__ void filter_rows(const int *in, int *out) {
    __shared__ int tile[TILE + 2 * RADIUS];
    const int y = blockIdx.y, first = blockIdx.x * TILE - RADIUS;
    for (int i = threadIdx.x; i < TILE + 2 * RADIUS; i += TILE) {
        const int x = first + i;
        tile[i] = x >= 0 && x < WIDTH ? in[y * WIDTH + x] : 0;
    }
    __syncthreads();
    const int x = first + RADIUS + threadIdx.x;
    if (x >= WIDTH) return;
    int sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) sum += weights[k] * tile[threadIdx.x + k];
    out[y * WIDTH + x] = sum;
}

__global__ void filter_columns(const int *in, int *out) {
    __shared__ int tile[COLUMN_Y + 2 * RADIUS][COLUMN_X];
    const int x = blockIdx.x * COLUMN_X + threadIdx.x, first = blockIdx.y * COLUMN_Y - RADIUS;
    for (int j = threadIdx.y; j < COLUMN_Y + 2 * RADIUS; j += COLUMN_Y) {
        const int y = first + j;
        tile[j][threadIdx.x] = x < WIDTH && y >= 0 && y < HEIGHT ? in[y * WIDTH + x] : 0;
    }
    __syncthreads();
    const int y = first + RADIUS + threadIdx.y;
    if (x >= WIDTH || y >= HEIGHT) return;
    int sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) sum += weights[k] * tile[threadIdx.y + k][threadIdx.x];
    out[y * WIDTH + x] = sum;
}

static int image[HEIGHT][WIDTH], got[HEIGHT][WIDTH];
static const int w[2 * RADIUS + 1] = {1, -2, 4, 7, 12, 7, 4, -2, 1};

static int filtered(int x, int y) {
    int sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++)
            if (x + dx >= 0 && x + dx < WIDTH && y + dy >= 0 && y + dy < HEIGHT)
                sum += w[dx + RADIUS] * w[dy + RADIUS] * image[y + dy][x + dx];
    return sum;
}

int main() {
    int wrong = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) image[i / WIDTH][i % WIDTH] = (int)draw(256);
    int *in = on_device(WIDTH * HEIGHT, &image[0][0]), *between = on_device<int>(WIDTH * HEIGHT);
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
    filter_rows<<<dim3((WIDTH + TILE - 1) / TILE, HEIGHT), TILE>>>(in, between);
    const dim3 grid((WIDTH + COLUMN_X - 1) / COLUMN_X, (HEIGHT + COLUMN_Y - 1) / COLUMN_Y);
    filter_columns<<<grid, dim3(COLUMN_X, COLUMN_Y)>>>(between, in);
    to_host(&got[0][0], in, WIDTH * HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) wrong += got[y][x] != filtered(x, y);
    printf("corner %d, centre %d, %d wrong\n", got[0][0], got[HEIGHT / 2][WIDTH / 2], wrong);
    expect("the filtered image", wrong == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(between));
    return finish();
}
