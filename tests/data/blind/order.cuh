// Digits, merges, sorts, scans, and places of maxima.

// The counting pass of a radix sort by 4 bits: atomics in shared memory, or a warp's votes.
KERNEL digits__atomic(int *counts, const int *key, int each, int shift) {
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < each; k++) atomicAdd(&mine[key[(blockIdx.x * each + k) * blockDim.x + threadIdx.x] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

KERNEL digits__votes(int *counts, const int *key, int each, int shift) {
    __shared__ int mine[16];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    int n = 0;
    for (int k = 0; k < each; k++) {
        const int d = key[(blockIdx.x * each + k) * blockDim.x + threadIdx.x] >> shift & 15;
        unsigned same = ~0u;
        for (int b = 0; b < 4; b++) {
            const unsigned v = __ballot_sync(~0u, d >> b & 1);
            same &= lane >> b & 1 ? v : ~v;
        }
        n += __popc(same);
    }
    if (lane < 16) atomicAdd(&mine[lane], n);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

KERNEL digits__match(int *counts, const int *key, int each, int shift) {
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < each; k++) {
        const int d = key[(blockIdx.x * each + k) * blockDim.x + threadIdx.x] >> shift & 15;
        const unsigned same = __match_any_sync(~0u, d);
        if ((same & ((1u << threadIdx.x % 32) - 1)) == 0) atomicAdd(&mine[d], __popc(same));
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// Two ordered lists into one: each thread finds its place on the merge's path, then merges EACH numbers.
template <int EACH> __device__ __forceinline__ void merge(int *out, const int *a, const int *b, int n) {
    const int diagonal = THREAD * EACH;
    if (diagonal >= 2 * n) return;
    int lo = max(0, diagonal - n), hi = min(diagonal, n);
    while (lo < hi) {
        const int m = (lo + hi) / 2;
        if (a[m] <= b[diagonal - 1 - m])
            lo = m + 1;
        else
            hi = m;
    }
    int i = lo, j = diagonal - lo;
    for (int k = 0; k < EACH; k++) out[diagonal + k] = j >= n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}
KERNEL merge__4(int *out, const int *a, const int *b, int n) { merge<4>(out, a, b, n); }
KERNEL merge__16(int *out, const int *a, const int *b, int n) { merge<16>(out, a, b, n); }

// Batcher's odd-even merge sort of 1024 keys in shared memory.
KERNEL odd_even__1024(unsigned *keys) {
    __shared__ unsigned s[1024];
    unsigned *mine = keys + blockIdx.x * 1024;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = mine[k];
    for (int p = 1; p < 1024; p *= 2)
        for (int k = p; k >= 1; k /= 2) {
            __syncthreads();
            for (int q = threadIdx.x; q < 512; q += blockDim.x) {
                const int j = k % p + q / k * 2 * k + q % k;
                if (j + k < 1024 && j / (2 * p) == (j + k) / (2 * p) && s[j] > s[j + k]) {
                    const unsigned v = s[j];
                    s[j] = s[j + k], s[j + k] = v;
                }
            }
        }
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) mine[k] = s[k];
}

// Prefix sums by Blelloch's sweeps, with and without a free word after each 32.
template <int PAD> __device__ __forceinline__ void sweeps(int *data) {
    __shared__ int s[1024 + 32];
#define AT(i) s[PAD ? (i) + (i) / 32 : (i)]
    const int t = threadIdx.x, base = blockIdx.x * 1024;
    AT(t) = data[base + t];
    AT(t + 512) = data[base + t + 512];
    for (int d = 1; d < 1024; d *= 2) {
        __syncthreads();
        if (t < 512 / d) AT((2 * t + 2) * d - 1) += AT((2 * t + 1) * d - 1);
    }
    if (t == 0) AT(1023) = 0;
    for (int d = 512; d >= 1; d /= 2) {
        __syncthreads();
        if (t < 512 / d) {
            const int a = (2 * t + 1) * d - 1, b = (2 * t + 2) * d - 1, v = AT(a);
            AT(a) = AT(b);
            AT(b) += v;
        }
    }
    __syncthreads();
    data[base + t] = AT(t);
    data[base + t + 512] = AT(t + 512);
#undef AT
}
KERNEL sweeps__plain(int *data) { sweeps<0>(data); }
KERNEL sweeps__padded(int *data) { sweeps<1>(data); }

// The largest of each row and where it is.
KERNEL largest_at__warp(int *at, const float *x, int rows, int columns) {
    const int row = THREAD / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float m = -3e38f;
    int where = 0;
    for (int i = lane; i < columns; i += 32) {
        const float v = x[(size_t)row * columns + i];
        if (v > m) m = v, where = i;
    }
    for (int k = 16; k; k /= 2) {
        const float v = __shfl_down_sync(~0u, m, k);
        const int w = __shfl_down_sync(~0u, where, k);
        if (v > m) m = v, where = w;
    }
    if (lane == 0) at[row] = where;
}

KERNEL largest_at__packed(int *at, const float *x, int rows, int columns) {
    __shared__ unsigned long long best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    unsigned long long b = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const unsigned u = __float_as_uint(x[(size_t)blockIdx.x * columns + i]), ordered = u >> 31 ? ~u : u | 0x80000000u;
        b = max(b, (unsigned long long)ordered << 32 | (unsigned)i);
    }
    atomicMax(&best, b);
    __syncthreads();
    if (threadIdx.x == 0) at[blockIdx.x] = (int)(best & 0xffffffffu);
}
