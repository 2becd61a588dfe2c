/* Source that leans on nvcc: no includes at all, host functions of the C library, and a union of a vector that is
 * assigned as a whole. */
union pack {
    float4 vector;
    float scalars[4];
};
struct alignas(32) line {
    float4 low, high;
};
extern __shared__ __align__(16) unsigned char storage[];

__global__ void reverse(const pack *in, pack *out, line *lines) {
    pack p, q;
    p = in[threadIdx.x];
    for (int i = 0; i < 4; i++) q.scalars[i] = p.scalars[3 - i];
    out[threadIdx.x] = q;
    line copy = lines[0];
    copy.high = copy.low;
    lines[1] = copy;
    storage[threadIdx.x] = (unsigned char)q.scalars[0];
}
__noinline__ __device__ float twice(float x) {
    return x + x;
}
template <class T> __host__ __device__ T both_sides(T x) {
    return sin(x) + pow(x, T(2)) + (T)floor(x) + (T)min(1, 2);
}
__global__ void call(float *x) {
    x[threadIdx.x] = both_sides(twice(x[threadIdx.x])) + warpSize + INFINITY * (float)M_PI;
}

int main() {
    float *numbers = (float *)malloc(16);
    memset(numbers, 0, 16);
    call<<<1, 4>>>(numbers);
    printf("%d\n", INT_MAX);
    return (int)sqrt(4.0) + (int)strlen("text");
}
