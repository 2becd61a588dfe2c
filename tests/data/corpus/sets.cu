/* Working sets: what L1 holds and what it does not, what L2 holds, what comes from device memory; from one block to as many as there
 * is room for. */
#define T threadIdx.x
#define I (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" {

__global__ void copy_all(const float4 *in, float4 *out, int n) {
    for (int i = I; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
__global__ void sum_all(const float4 *in, float *out, int n) {
    float s = 0.0f;
    for (int i = I; i < n; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        s += v.x + v.y + v.z + v.w;
    }
    out[I] = s;
}
__global__ void fill_all(float4 *out, int n) {
    for (int i = I; i < n; i += gridDim.x * blockDim.x) out[i] = make_float4(1, 2, 3, 4);
}
__global__ void sum_twice(const float4 *in, float *out, int n) {
    float s = 0.0f;
    for (int r = 0; r < 2; r++)
        for (int i = I; i < n; i += gridDim.x * blockDim.x) {
            float4 v = in[i];
            s += v.x + v.y + v.z + v.w;
        }
    out[I] = s;
}
/* Each block walks its own part of the array `rounds` times. */
__global__ void own_part(const float *in, float *out, int words, int rounds) {
    const float *p = in + (size_t)blockIdx.x * words;
    float s = 0.0f;
    for (int r = 0; r < rounds; r++)
        for (int i = T; i < words; i += blockDim.x) s += p[i];
    out[I] = s;
}
/* All blocks walk the same array. */
__global__ void shared_part(const float *in, float *out, int words, int rounds) {
    float s = 0.0f;
    for (int r = 0; r < rounds; r++)
        for (int i = T; i < words; i += blockDim.x) s += in[i];
    out[I] = s;
}
__global__ void table_lookup(const float *table, float *out, int n, int mask) {
    int i = I;
    unsigned h = (unsigned)i * 2654435761u;
    float s = 0.0f;
    for (int k = 0; k < 8; k++) {
        h ^= h >> 15;
        h *= 2246822519u;
        s += table[h & mask];
    }
    if (i < n) out[i] = s;
}
__global__ void column_walk(const float *in, float *out, int rows, int pitch) {
    float s = 0.0f;
    for (int r = 0; r < rows; r++) s += in[(size_t)r * pitch + I];
    out[I] = s;
}
__global__ void row_by_thread(const float *in, float *out, int length) {
    const float *p = in + (size_t)I * length;
    float s = 0.0f;
    for (int k = 0; k < length; k++) s += p[k];
    out[I] = s;
}
__global__ void strided_sectors(const float *in, float *out, int stride) {
    out[I] = in[(size_t)I * stride];
}
__global__ void held_shared(const float *in, float *out, int words, int rounds) {
    extern __shared__ float d[];
    d[T] = in[T];
    __syncthreads();
    float s = d[T ^ 1];
    for (int r = 0; r < rounds; r++)
        for (int i = T; i < words; i += blockDim.x) s += in[i];
    out[I] = s;
}
__global__ void stencil_sheet(const float *in, float *out, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1) return;
    const float *p = in + (size_t)y * nx + x;
    out[(size_t)y * nx + x] = 0.2f * (p[0] + p[-1] + p[1] + p[-nx] + p[nx]);
}
__global__ void scatter_all(float *out, int n, unsigned step) {
    for (int i = I; i < n; i += gridDim.x * blockDim.x) out[(unsigned)i * step & (unsigned)(n - 1)] = (float)i;
}
__global__ void occupancy(const float *in, float *out, int n) {
    extern __shared__ float d[];
    d[T] = in[I % n];
    __syncthreads();
    out[I] = d[blockDim.x - 1 - T] + in[(I + 33) % n];
}

} /* extern "C" */
