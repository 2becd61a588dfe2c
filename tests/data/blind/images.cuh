// Images: grey, filters, layouts, sums over an axis, histograms.

// Colours to grey, three bytes a pixel.
KERNEL grey__pixel(unsigned char *y, const unsigned char *x, int n) {
    const int i = THREAD;
    if (i < n) y[i] = (77 * x[3 * i] + 150 * x[3 * i + 1] + 29 * x[3 * i + 2]) >> 8;
}

KERNEL grey__four(unsigned *y, const unsigned *x, int n) {
    const int i = THREAD;
    if (i >= n / 4) return;
    const unsigned a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    const unsigned p[12] = {a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >> 24};
    unsigned o = 0;
    for (int k = 0; k < 4; k++) o |= (77 * p[3 * k] + 150 * p[3 * k + 1] + 29 * p[3 * k + 2]) >> 8 << 8 * k;
    y[i] = o;
}

// A filter that keeps edges: 49 neighbours, weights by distance and by difference.
KERNEL bilateral__plain(float *y, const float *x, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 3 || i >= w - 3 || j < 3 || j >= h - 3) return;
    const float m = x[j * w + i];
    float s = 0, n = 0;
    for (int b = -3; b <= 3; b++)
        for (int a = -3; a <= 3; a++) {
            const float v = x[(j + b) * w + i + a], k = __expf(-0.1f * (a * a + b * b) - 2 * (v - m) * (v - m));
            s += k * v, n += k;
        }
    y[j * w + i] = s / n;
}

KERNEL bilateral__tile(float *y, const float *x, int w, int h) {
    __shared__ float t[14][38];
    const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 14 * 38; k += 256) {
        const int a = min(max((int)blockIdx.x * 32 + k % 38 - 3, 0), w - 1), b = min(max((int)blockIdx.y * 8 + k / 38 - 3, 0), h - 1);
        t[k / 38][k % 38] = x[b * w + a];
    }
    __syncthreads();
    if (i < 3 || i >= w - 3 || j < 3 || j >= h - 3) return;
    const float m = t[threadIdx.y + 3][threadIdx.x + 3];
    float s = 0, n = 0;
    for (int b = 0; b < 7; b++)
        for (int a = 0; a < 7; a++) {
            const float v = t[threadIdx.y + b][threadIdx.x + a], k = __expf(-0.1f * ((a - 3) * (a - 3) + (b - 3) * (b - 3)) - 2 * (v - m) * (v - m));
            s += k * v, n += k;
        }
    y[j * w + i] = s / n;
}

// Channels of images from planes to pixels.
KERNEL channels_last__plain(float *y, const float *x, int channels, int pixels) {
    const int i = THREAD;
    if (i < channels * pixels) y[i] = x[i % channels * pixels + i / channels];
}

KERNEL channels_last__tile(float *y, const float *x, int channels, int pixels) {
    __shared__ float t[32][33];
    const int p0 = blockIdx.x * 32, c0 = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += blockDim.y)
        if (c0 + k < channels && p0 + threadIdx.x < pixels) t[k][threadIdx.x] = x[(c0 + k) * pixels + p0 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += blockDim.y)
        if (p0 + k < pixels && c0 + threadIdx.x < channels) y[(p0 + k) * channels + c0 + threadIdx.x] = t[threadIdx.x][k];
}

// Sums of the middle one of three axes.
KERNEL middle_sum__thread(float *y, const float *x, int middle, int inner) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= inner) return;
    float s = 0;
    for (int k = 0; k < middle; k++) s += x[((size_t)blockIdx.y * middle + k) * inner + i];
    y[blockIdx.y * inner + i] = s;
}

KERNEL middle_sum__split(float *y, const float *x, int middle, int inner) {
    __shared__ float part[8][33];
    const int i = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    if (i < inner)
        for (int k = threadIdx.y; k < middle; k += 8) s += x[((size_t)blockIdx.y * middle + k) * inner + i];
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0 && i < inner) {
        for (int k = 1; k < 8; k++) s += part[k][threadIdx.x];
        y[blockIdx.y * inner + i] = s;
    }
}

KERNEL middle_sum__atomic(float *y, const float *x, int middle, int inner) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= inner) return;
    float s = 0;
    for (int k = blockIdx.z * 16; k < min(middle, (int)blockIdx.z * 16 + 16); k++) s += x[((size_t)blockIdx.y * middle + k) * inner + i];
    atomicAdd(&y[blockIdx.y * inner + i], s);
}

// Two numbers' joint distribution, with weights: atomics in global memory, or in a block's own table.
KERNEL joint__global(float *bins, const int *a, const int *b, const float *weight, int n) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[(a[i] & 31) * 32 + (b[i] & 31)], weight[i]);
}

KERNEL joint__shared(float *bins, const int *a, const int *b, const float *weight, int n) {
    __shared__ float mine[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[(a[i] & 31) * 32 + (b[i] & 31)], weight[i]);
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) atomicAdd(&bins[k], mine[k]);
}
