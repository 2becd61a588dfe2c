/* The operands and results of these tests' kernels, so that the PTX of two compilers can be compared: kernel(in, out),
 * thread t reads in[3 t] ... in[3 t + 2]; each result is a row of words, one a thread. */
#ifndef RESULTS_CUH
#define RESULTS_CUH

#define KERNEL(name) extern "C" __global__ void name(const unsigned int *in, unsigned int *out)
#define OPERANDS                                                                           \
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;                     \
    const unsigned int threads = gridDim.x * blockDim.x;                                   \
    const unsigned int a = in[3 * thread], b = in[3 * thread + 1], c = in[3 * thread + 2]; \
    unsigned int row = 0;                                                                  \
    (void)a, (void)b, (void)c, (void)row, (void)threads

static __device__ __forceinline__ void put_word(unsigned int *out, unsigned int word) {
    *out = word;
}
/* Any value, word by word. */
template <class T>
static __device__ __forceinline__ void put(unsigned int *out, unsigned int threads, unsigned int *row, T value) {
    const unsigned int words = (sizeof(T) + 3) / 4;
    unsigned int buffer[words] = {};
    memcpy(buffer, &value, sizeof(T));
    for (unsigned int i = 0; i < words; i++) put_word(out + (size_t)(*row)++ * threads, buffer[i]);
}
/* The machine chooses the NaN of a result, so all NaNs are written as one. */
static __device__ __forceinline__ void put(unsigned int *out, unsigned int threads, unsigned int *row, float value) {
    put(out, threads, row, value != value ? 0x7fffffffu : __float_as_uint(value));
}
static __device__ __forceinline__ void put(unsigned int *out, unsigned int threads, unsigned int *row, double value) {
    put(out, threads, row, value != value ? 0x7fffffffffffffffll : __double_as_longlong(value));
}
#define PUT(value) put(out + thread, threads, &row, value)

#define FA __uint_as_float(a)
#define FB __uint_as_float(b)
#define FC __uint_as_float(c)
#define DA __hiloint2double((int)a, (int)b)
#define DB __hiloint2double((int)b, (int)c)
#define DC __hiloint2double((int)c, (int)a)
#define LA ((unsigned long long)a << 32 | b)
#define LB ((unsigned long long)b << 32 | c)

#endif
