/* Local memory (arrays with addresses, spills), constant memory. */
#define T threadIdx.x
#define I (blockIdx.x * blockDim.x + threadIdx.x)

__constant__ float taps[256] = {0.5f, 0.25f, 0.125f, 0.0625f};
__constant__ int offsets[64] = {3, 1, 4, 1, 5, 9, 2, 6};

extern "C" {

#define PLACES(name, type, count)                                                              \
    __global__ void places_##name(const type *in, const unsigned *index, type *out, int n) {   \
        type w[count];                                                                         \
        int i = I;                                                                             \
        for (int k = 0; k < count; k++) w[k] = in[i % n + k];                                  \
        type v = (type)0;                                                                      \
        for (int k = 0; k < 4; k++) v += w[index[(i + k) % n] % count];                        \
        out[i] = v;                                                                            \
    }
PLACES(f32_8, float, 8)
PLACES(f32_40, float, 40)
PLACES(f64_12, double, 12)
PLACES(u8_64, unsigned char, 64)

__global__ void insertion(const float *in, float *out) {
    float s[12];
    int i = I;
    for (int k = 0; k < 12; k++) {
        float v = in[i * 12 + k];
        int j = k;
        for (; j > 0 && s[j - 1] > v; j--) s[j] = s[j - 1];
        s[j] = v;
    }
    for (int k = 0; k < 12; k++) out[i * 12 + k] = s[k];
}
__global__ void __launch_bounds__(1024) spills(const float *in, float *out, int rounds) {
    float v[96];
    int i = I;
#pragma unroll
    for (int k = 0; k < 96; k++) v[k] = in[i + k];
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 96; k++) v[k] = fmaf(v[k], v[(k * 7 + 1) % 96], 0.25f);
    }
    float s = 0.0f;
#pragma unroll
    for (int k = 0; k < 96; k++) s += v[k];
    out[i] = s;
}
__global__ void queue(const unsigned *in, unsigned *out, int n) {
    unsigned q[16];
    int i = I, head = 0, tail = 0;
    for (int k = 0; k < 16; k++) q[k] = 0;
    q[tail++] = (unsigned)i % (unsigned)n;
    unsigned sum = 0;
    for (int step = 0; step < 24 && head != tail; step++) {
        unsigned at = q[head++ & 15];
        sum += in[at] & 255;
        if (in[at] & 256) q[tail++ & 15] = (at * 2 + 1) % (unsigned)n;
        if (in[at] & 512 && tail - head < 15) q[tail++ & 15] = (at * 2 + 2) % (unsigned)n;
    }
    out[i] = sum;
}
__global__ void constant_uniform(const float *in, float *out, int n, int count) {
    int i = I;
    if (i >= n) return;
    float v = 0.0f;
    for (int k = 0; k < count; k++) v = fmaf(in[(i + k) % n], taps[k], v);
    out[i] = v;
}
__global__ void constant_lanes(const float *in, float *out, int stride) {
    int i = I;
    out[i] = in[i] * taps[(T * stride) & 255];
}
__global__ void constant_offsets(const float *in, float *out, int n) {
    int i = I;
    out[i] = in[(i + offsets[i & 7]) % n] + in[(i + offsets[blockIdx.x & 63]) % n];
}
} /* extern "C" */
