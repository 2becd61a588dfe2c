// Fourier transforms of 256 complex numbers each, a block for a transform, forwards and back.
#include "sample.h"
#include <math.h>

enum { LOG = 8, SIZE = 1 << LOG, BATCH = 6 };

__device__ float2 times(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__global__ void transform(float2 *data, float sign, float scale) {
    __shared__ float2 x[SIZE];
    float2 *mine = data + blockIdx.x * SIZE;
    for (unsigned i = threadIdx.x; i < SIZE; i += blockDim.x) x[__brev(i) >> (32 - LOG)] = mine[i];
    for (int half = 1; half < SIZE; half *= 2) {
        __syncthreads();
        const int k = threadIdx.x % half, a = 2 * threadIdx.x - k, b = a + half; // a thread, a butterfly
        float2 root;
        sincospif(sign * k / half, &root.y, &root.x);
        const float2 even = x[a], odd = times(root, x[b]);
        x[a] = make_float2(even.x + odd.x, even.y + odd.y);
        x[b] = make_float2(even.x - odd.x, even.y - odd.y);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < SIZE; i += blockDim.x) mine[i] = make_float2(x[i].x * scale, x[i].y * scale);
}

static float2 signal[BATCH][SIZE], spectrum[BATCH][SIZE], back[BATCH][SIZE];

int main() {
    const double pi = 3.14159265358979323846;
    double worst = 0, worst_back = 0;
    for (int i = 0; i < BATCH * SIZE; i++)
        signal[0][i] = make_float2((float)draw(200) / 100 - 1, (float)draw(200) / 100 - 1);
    for (int i = 0; i < SIZE; i++) signal[0][i] = make_float2((float)cos(2 * pi * 5 * i / SIZE), 0); // two peaks
    float2 *data = on_device(BATCH * SIZE, &signal[0][0]);
    transform<<<BATCH, SIZE / 2>>>(data, -1, 1);
    to_host(&spectrum[0][0], data, BATCH * SIZE);
    transform<<<BATCH, SIZE / 2>>>(data, 1, 1.f / SIZE);
    to_host(&back[0][0], data, BATCH * SIZE);
    for (int b = 0; b < BATCH; b++)
        for (int k = 0; k < SIZE; k++) {
            double re = 0, im = 0;
            for (int i = 0; i < SIZE; i++) {
                const double angle = -2 * pi * (k * i % SIZE) / SIZE;
                re += signal[b][i].x * cos(angle) - signal[b][i].y * sin(angle);
                im += signal[b][i].x * sin(angle) + signal[b][i].y * cos(angle);
            }
            worst = fmax(worst, hypot(re - spectrum[b][k].x, im - spectrum[b][k].y));
            worst_back = fmax(worst_back, hypot(back[b][k].x - signal[b][k].x, back[b][k].y - signal[b][k].y));
        }
    printf("peaks %.1f and %.1f\n", spectrum[0][5].x, spectrum[0][SIZE - 5].x);
    expect("the spectrum", worst < 1e-3);
    expect("there and back", worst_back < 1e-5);
    CHECK(cudaFree(data));
    return finish();
}
