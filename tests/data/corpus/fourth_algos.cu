// Algorithms of courses, contests, signal and sequence processing, small physics: kernels of a fourth blind test.
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void

namespace {

__device__ __forceinline__ int tid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ float2 times(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

}

// ---- stencils and convolution ----

KERNEL stencil7_marching(int nx, int ny, int nz, const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float plane[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int cx = min(x, nx - 1), cy = min(y, ny - 1), lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    int at = cy * nx + cx, sheet = nx * ny;
    float below = in[at], here = below;
    for (int z = 0; z < nz; z++) {
        float above = in[min(z + 1, nz - 1) * sheet + at];
        plane[ly][lx] = here;
        if (threadIdx.x == 0) {
            plane[ly][0] = in[z * sheet + cy * nx + max(cx - 1, 0)];
        }
        if (threadIdx.x == 31) {
            plane[ly][33] = in[z * sheet + cy * nx + min(cx + 1, nx - 1)];
        }
        if (threadIdx.y == 0) {
            plane[0][lx] = in[z * sheet + max(cy - 1, 0) * nx + cx];
        }
        if (threadIdx.y == 7) {
            plane[9][lx] = in[z * sheet + min(cy + 1, ny - 1) * nx + cx];
        }
        __syncthreads();
        if (x < nx && y < ny) {
            out[z * sheet + y * nx + x] = plane[ly][lx - 1] + plane[ly][lx + 1] + plane[ly - 1][lx] + plane[ly + 1][lx] + below + above - 6.f * here;
        }
        __syncthreads();
        below = here;
        here = above;
    }
}

KERNEL stencil5_odd_tile(int w, int h, const float *in, float *out) {
    __shared__ float tile[8][32];
    int x = static_cast<int>(blockIdx.x) * 30 + threadIdx.x - 1, y = static_cast<int>(blockIdx.y) * 6 + threadIdx.y - 1;
    bool inside = x >= 0 && x < w && y >= 0 && y < h;
    tile[threadIdx.y][threadIdx.x] = inside ? in[y * w + x] : 0.f;
    __syncthreads();
    if (inside && threadIdx.x > 0 && threadIdx.x < 31 && threadIdx.y > 0 && threadIdx.y < 7) {
        out[y * w + x] = 0.25f * (tile[threadIdx.y][threadIdx.x - 1] + tile[threadIdx.y][threadIdx.x + 1] + tile[threadIdx.y - 1][threadIdx.x] +
                                  tile[threadIdx.y + 1][threadIdx.x]);
    }
}

KERNEL stencil13_plain(int w, int h, const double *__restrict__ in, double *__restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 3 && x < w - 3 && y >= 3 && y < h - 3) {
        double sum = in[y * w + x];
        for (int k = 1; k <= 3; k++) {
            sum += (in[y * w + x - k] + in[y * w + x + k] + in[(y - k) * w + x] + in[(y + k) * w + x]) / (k + 1);
        }
        out[y * w + x] = sum;
    }
}

__constant__ float mask7[49] = {1, 2, 3, 4, 3, 2, 1, 2, 4, 6, 8, 6, 4, 2, 3, 6, 9, 12, 9, 6, 3};

KERNEL convolve7_tile(int w, int h, const float *in, float *out) {
    __shared__ float tile[14][22];
    int x0 = blockIdx.x * 16 - 3, y0 = blockIdx.y * 8 - 3;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 14 * 22; i += 128) {
        int x = x0 + i % 22, y = y0 + i / 22;
        tile[i / 22][i % 22] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.f;
    }
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 7; j++) {
        for (int i = 0; i < 7; i++) {
            sum += tile[threadIdx.y + j][threadIdx.x + i] * mask7[j * 7 + i];
        }
    }
    int x = x0 + 3 + threadIdx.x, y = y0 + 3 + threadIdx.y;
    if (x < w && y < h) {
        out[y * w + x] = sum;
    }
}

KERNEL upsample_bicubic_rows(int w, int h, int to, const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < to && y < h) {
        float at = x * static_cast<float>(w) / to;
        int base = static_cast<int>(at);
        float t = at - base, sum = 0;
        for (int k = -1; k <= 2; k++) {
            int c = min(max(base + k, 0), w - 1);
            float d = fabsf(t - k);
            sum += in[y * w + c] * (d < 1 ? 1 - d * d * (2 - d) : (2 - d) * (2 - d) * (d - 1) * -1.f);
        }
        out[y * to + x] = sum;
    }
}

KERNEL bilateral_bytes(int w, int h, const unsigned char *in, unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        int centre = in[y * w + x], sum = 0, weight = 0;
        for (int j = max(y - 2, 0); j <= min(y + 2, h - 1); j++) {
            for (int i = max(x - 2, 0); i <= min(x + 2, w - 1); i++) {
                int v = in[j * w + i], close = max(0, 64 - abs(v - centre));
                sum += close * v;
                weight += close;
            }
        }
        out[y * w + x] = static_cast<unsigned char>(sum / weight);
    }
}

KERNEL integral_columns(int w, int h, unsigned *data) {
    int x = tid();
    if (x < w) {
        unsigned sum = 0;
        for (int y = 0; y < h; y++) {
            sum += data[y * w + x];
            data[y * w + x] = sum;
        }
    }
}

KERNEL life_words(int words, int h, const unsigned *in, unsigned *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < words && y < h) {
        unsigned once = 0, twice = 0, four = 0, alive = in[y * words + x];
        for (int dy = -1; dy <= 1; dy++) {
            int row = (y + dy + h) % h * words;
            unsigned m = in[row + x], l = in[row + (x + words - 1) % words], r = in[row + (x + 1) % words];
            unsigned three[3] = {m << 1 | l >> 31, m >> 1 | r << 31, dy ? m : 0};
            for (int k = 0; k < 3; k++) {
                unsigned c1 = once & three[k];
                once ^= three[k];
                unsigned c2 = twice & c1;
                twice ^= c1;
                four |= c2;
            }
        }
        out[y * words + x] = twice & ~four & (once | alive);
    }
}

KERNEL mandelbrot_rows(int w, int h, int most, unsigned short *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        float cx = -2.f + 3.f * x / w, cy = -1.f + 2.f * y / h, a = 0, b = 0;
        int k = 0;
        while (k < most) {
            float t = a * a - b * b + cx;
            b = 2 * a * b + cy;
            a = t;
            if (a * a + b * b > 4.f) {
                break;
            }
            k++;
        }
        out[y * w + x] = static_cast<unsigned short>(k);
    }
}

// ---- sequences and text ----

KERNEL smith_waterman(int m, int n, const unsigned char *a, const unsigned char *b, int *best) {
    extern __shared__ int diagonal[];
    int *before = diagonal, *last = diagonal + m + 1, *now = diagonal + 2 * (m + 1);
    int t = threadIdx.x, most = 0;
    for (int k = t; k < 3 * (m + 1); k += blockDim.x) {
        diagonal[k] = 0;
    }
    __syncthreads();
    for (int d = 0; d < m + n - 1; d++) {
        int j = d - t;
        if (t < m && j >= 0 && j < n) {
            int score = before[t] + ((a[t] & 3) == (b[blockIdx.x * n + j] & 3) ? 3 : -2);
            score = max(max(score, last[t] - 1), max(last[t + 1] - 1, 0));
            now[t + 1] = score;
            most = max(most, score);
        }
        __syncthreads();
        int *swap = before;
        before = last;
        last = now;
        now = swap;
    }
    atomicMax(&best[blockIdx.x], most);
}

KERNEL lcs_by_shuffle(int n, const unsigned char *a, const unsigned char *b, int *out) {
    int lane = threadIdx.x & 31, pair = tid() / 32, mine = a[pair * 32 + lane] & 3, left = 0, diagonal = 0, here = 0;
    for (int d = 0; d < n + 31; d++) {
        int up = __shfl_up_sync(0xffffffffu, here, 1);
        if (lane == 0) {
            up = 0;
        }
        int j = d - lane;
        if (j >= 0 && j < n) {
            int other = b[pair * n + j] & 3;
            left = here;
            here = mine == other ? diagonal + 1 : max(up, left);
        }
        diagonal = up;
    }
    if (lane == 31) {
        out[pair] = here;
    }
}

KERNEL viterbi_step(int states, int steps, const float *move, const float *emit, const int *seen, int *back, float *out) {
    extern __shared__ float score[];
    int s = threadIdx.x;
    score[s] = emit[s];
    __syncthreads();
    for (int t = 0; t < steps; t++) {
        float best = -1e30f;
        int from = 0;
        for (int p = 0; p < states; p++) {
            float v = score[p] + move[p * states + s];
            if (v > best) {
                best = v;
                from = p;
            }
        }
        __syncthreads();
        score[s] = best + emit[(seen[blockIdx.x * steps + t] & 3) * states + s];
        back[(blockIdx.x * steps + t) * states + s] = from;
        __syncthreads();
    }
    out[blockIdx.x * states + s] = score[s];
}

KERNEL match_horspool(int n, int m, int each, const unsigned char *text, const unsigned char *pattern, int *counts) {
    __shared__ unsigned char skip[256], word[32];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        skip[k] = static_cast<unsigned char>(m);
    }
    if (threadIdx.x < m) {
        word[threadIdx.x] = pattern[threadIdx.x] & 3;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k + 1 < m; k++) {
            skip[word[k]] = static_cast<unsigned char>(m - 1 - k);
        }
    }
    __syncthreads();
    int begin = tid() * each, end = min(begin + each, n - m + 1), found = 0;
    for (int at = begin; at < end;) {
        int k = m - 1;
        while (k >= 0 && (text[at + k] & 3) == word[k]) {
            k--;
        }
        found += k < 0;
        at += skip[text[at + m - 1] & 3];
    }
    counts[tid()] = found;
}

KERNEL base64_encode(int groups, const unsigned char *in, uchar4 *out) {
    __shared__ unsigned char alphabet[64];
    if (threadIdx.x < 64) {
        int k = threadIdx.x;
        alphabet[k] = static_cast<unsigned char>(k < 26 ? 'A' + k : k < 52 ? 'a' + k - 26 : k < 62 ? '0' + k - 52 : k == 62 ? '+' : '/');
    }
    __syncthreads();
    int i = tid();
    if (i < groups) {
        unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
        out[i] = make_uchar4(alphabet[v >> 18], alphabet[v >> 12 & 63], alphabet[v >> 6 & 63], alphabet[v & 63]);
    }
}

KERNEL varint_lengths(int n, const unsigned char *in, int *out) {
    int i = tid();
    if (i < n && (i == 0 || !(in[i - 1] & 0x80))) {
        int length = 1;
        while (i + length < n && (in[i + length - 1] & 0x80) && length < 10) {
            length++;
        }
        out[i] = length;
    }
}

KERNEL utf8_count(int n4, const unsigned *in, int *count) {
    int sum = 0;
    for (int i = tid(); i < n4; i += gridDim.x * blockDim.x) {
        unsigned v = in[i];
        sum += 4 - __popc((v >> 7 & ~(v >> 6)) & 0x01010101u);
    }
    sum = __reduce_add_sync(0xffffffffu, sum);
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(count, sum);
    }
}

KERNEL table_cipher(int blocks, const unsigned *in, const unsigned *table, unsigned *out) {
    __shared__ unsigned box[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        box[k] = table[k];
    }
    __syncthreads();
    int i = tid();
    if (i < blocks) {
        uint4 s = reinterpret_cast<const uint4 *>(in)[i];
        for (int round = 0; round < 4; round++) {
            uint4 t;
            t.x = box[s.x >> 24] ^ box[256 + (s.y >> 16 & 255)] ^ box[512 + (s.z >> 8 & 255)] ^ box[768 + (s.w & 255)];
            t.y = box[s.y >> 24] ^ box[256 + (s.z >> 16 & 255)] ^ box[512 + (s.w >> 8 & 255)] ^ box[768 + (s.x & 255)];
            t.z = box[s.z >> 24] ^ box[256 + (s.w >> 16 & 255)] ^ box[512 + (s.x >> 8 & 255)] ^ box[768 + (s.y & 255)];
            t.w = box[s.w >> 24] ^ box[256 + (s.x >> 16 & 255)] ^ box[512 + (s.y >> 8 & 255)] ^ box[768 + (s.z & 255)];
            s = t;
        }
        reinterpret_cast<uint4 *>(out)[i] = s;
    }
}

KERNEL mix_murmur(int keys, int words, const unsigned *in, unsigned *out) {
    int i = tid();
    if (i < keys) {
        unsigned h = 42;
        for (int k = 0; k < words; k++) {
            unsigned v = in[i * words + k] * 0xcc9e2d51u;
            v = (v << 15 | v >> 17) * 0x1b873593u;
            h ^= v;
            h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
        }
        out[i] = h ^ h >> 16;
    }
}

// ---- scans, sorts, reductions ----

template <int Threads>
__device__ void reduce_any(int n, const float *in, float *out) {
    __shared__ float part[(Threads + 31) / 32];
    float sum = 0;
    for (int i = tid(); i < n; i += gridDim.x * Threads) {
        sum += in[i];
    }
#pragma unroll
    for (int k = 16; k; k >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, k);
    }
    if ((threadIdx.x & 31) == 0) {
        part[threadIdx.x >> 5] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < Threads / 32 ? part[threadIdx.x] : 0.f;
#pragma unroll
        for (int k = 16; k; k >>= 1) {
            sum += __shfl_xor_sync(0xffffffffu, sum, k);
        }
        if (threadIdx.x == 0) {
            out[blockIdx.x] = sum;
        }
    }
}

KERNEL reduce_96(int n, const float *in, float *out) {
    reduce_any<96>(n, in, out);
}

KERNEL reduce_416(int n, const float *in, float *out) {
    reduce_any<416>(n, in, out);
}

KERNEL reduce_992(int n, const float *in, float *out) {
    reduce_any<992>(n, in, out);
}

KERNEL reduce_folding(const double *in, double *out) {
    extern __shared__ double sums[];
    int t = threadIdx.x;
    sums[t] = in[tid()];
    __syncthreads();
    for (int n = blockDim.x; n > 1;) {
        int half = (n + 1) / 2;
        if (t + half < n) {
            sums[t] += sums[t + half];
        }
        n = half;
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = sums[0];
    }
}

KERNEL scan_sklansky(const int *in, int *out) {
    extern __shared__ int held[];
    int t = threadIdx.x, i = tid();
    held[t] = in[i];
    __syncthreads();
    for (int d = 1; d < static_cast<int>(blockDim.x); d <<= 1) {
        if (t & d) {
            held[t] += held[(t & ~(2 * d - 1)) + d - 1];
        }
        __syncthreads();
    }
    out[i] = held[t];
}

KERNEL scan_double_buffer(const float *in, float *out) {
    extern __shared__ float two[];
    int t = threadIdx.x, n = blockDim.x, from = 0;
    two[t] = in[tid()];
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        two[(from ^ 1) * n + t] = two[from * n + t] + (t >= d ? two[from * n + t - d] : 0.f);
        from ^= 1;
        __syncthreads();
    }
    out[tid()] = two[from * n + t];
}

KERNEL scan_segments_flagged(int n, const int *in, const int *flags, int *out) {
    __shared__ int sums[32], heads[32];
    int i = tid(), lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int v = i < n ? in[i] & 255 : 0, f = i < n ? (flags[i] & 7) == 0 : 1;
    for (int k = 1; k < 32; k *= 2) {
        int pv = __shfl_up_sync(0xffffffffu, v, k), pf = __shfl_up_sync(0xffffffffu, f, k);
        if (lane >= k) {
            if (!f) {
                v += pv;
            }
            f |= pf;
        }
    }
    if (lane == 31) {
        sums[warp] = v;
        heads[warp] = f;
    }
    __syncthreads();
    int carry = 0;
    for (int k = warp - 1; k >= 0; k--) {
        carry += sums[k];
        if (heads[k]) {
            break;
        }
    }
    if (i < n) {
        out[i] = f ? v : v + carry;
    }
}

KERNEL odd_even_merge_step(int n, int p, int k, int *data) {
    int i = tid();
    int j = k % p + i / k * 2 * k + i % k;
    if (j + k < n && j / (2 * p) == (j + k) / (2 * p)) {
        int a = data[j], b = data[j + k];
        data[j] = min(a, b);
        data[j + k] = max(a, b);
    }
}

KERNEL split_four_bits(int shift, const unsigned *in, unsigned *out) {
    __shared__ unsigned keys[128];
    __shared__ int warps[4];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    unsigned key = in[tid()];
    for (int b = shift; b < shift + 4; b++) {
        unsigned zeros = __ballot_sync(0xffffffffu, !(key >> b & 1));
        if (lane == 0) {
            warps[warp] = __popc(zeros);
        }
        __syncthreads();
        int before = 0, total = 0;
        for (int k = 0; k < 4; k++) {
            before += k < warp ? warps[k] : 0;
            total += warps[k];
        }
        int rank = before + __popc(zeros & ((1u << lane) - 1));
        int at = key >> b & 1 ? total + t - rank : rank;
        keys[at] = key;
        __syncthreads();
        key = keys[t];
        __syncthreads();
    }
    out[tid()] = key;
}

KERNEL counting_sort_block(const unsigned char *in, unsigned char *out) {
    __shared__ int bins[64], starts[64];
    int t = threadIdx.x;
    unsigned char v = in[tid()] & 63;
    if (t < 64) {
        bins[t] = 0;
    }
    __syncthreads();
    atomicAdd(&bins[v], 1);
    __syncthreads();
    if (t < 64) {
        int sum = 0;
        for (int k = 0; k < t; k++) {
            sum += bins[k];
        }
        starts[t] = sum;
    }
    __syncthreads();
    if (t < 64) {
        for (int k = 0; k < bins[t]; k++) {
            out[blockIdx.x * blockDim.x + starts[t] + k] = static_cast<unsigned char>(t);
        }
    }
}

KERNEL quickselect_lanes(int n, int k, const float *in, float *out) {
    int lane = threadIdx.x & 31, row = tid() / 32;
    float low = 0.f, high = 1.f;
    for (int step = 0; step < 24; step++) {
        float middle = 0.5f * (low + high);
        int below = 0;
        for (int i = lane; i < n; i += 32) {
            below += in[row * n + i] < middle;
        }
        below = __reduce_add_sync(0xffffffffu, below);
        if (below == k) {
            break;
        }
        (below > k ? high : low) = middle;
    }
    if (lane == 0) {
        out[row] = high;
    }
}

KERNEL histogram_by_ballot(int n, const unsigned char *in, int *counts) {
    int lane = threadIdx.x & 31, mine = 0;
    for (int i = tid(); i - lane < n; i += gridDim.x * blockDim.x) {
        unsigned v = i < n ? in[i] & 31 : 32;
        for (unsigned b = 0; b < 32; b++) {
            unsigned votes = __ballot_sync(0xffffffffu, v == b);
            mine += b == static_cast<unsigned>(lane) ? __popc(votes) : 0;
        }
    }
    atomicAdd(&counts[lane], mine);
}

KERNEL histogram_padded_copies(int n, const unsigned *in, int *counts) {
    __shared__ int bins[33 * 32];
    for (int k = threadIdx.x; k < 33 * 32; k += blockDim.x) {
        bins[k] = 0;
    }
    __syncthreads();
    for (int i = tid(); i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[(threadIdx.x & 31) * 33 + (in[i] >> 27)], 1);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        int sum = 0;
        for (int k = 0; k < 32; k++) {
            sum += bins[k * 33 + threadIdx.x];
        }
        atomicAdd(&counts[threadIdx.x], sum);
    }
}

// ---- dense linear algebra ----

template <int Rows, int Cols, typename T>
__device__ void multiply_registers(int m, int n, int k, const T *a, const T *b, T *c) {
    __shared__ T as[8][8 * Rows], bs[8][16 * Cols];
    T sum[Rows][Cols] = {};
    int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x, row0 = blockIdx.y * 8 * Rows, col0 = blockIdx.x * 16 * Cols;
    for (int at = 0; at < k; at += 8) {
        for (int i = t; i < 8 * 8 * Rows; i += 128) {
            int r = i / 8, s = i % 8;
            as[s][r] = row0 + r < m && at + s < k ? a[(row0 + r) * k + at + s] : T(0);
        }
        for (int i = t; i < 8 * 16 * Cols; i += 128) {
            int s = i / (16 * Cols), q = i % (16 * Cols);
            bs[s][q] = at + s < k && col0 + q < n ? b[(at + s) * n + col0 + q] : T(0);
        }
        __syncthreads();
#pragma unroll
        for (int s = 0; s < 8; s++) {
#pragma unroll
            for (int i = 0; i < Rows; i++) {
#pragma unroll
                for (int j = 0; j < Cols; j++) {
                    sum[i][j] += as[s][y * Rows + i] * bs[s][x + 16 * j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < Rows; i++) {
        for (int j = 0; j < Cols; j++) {
            if (row0 + y * Rows + i < m && col0 + x + 16 * j < n) {
                c[(row0 + y * Rows + i) * n + col0 + x + 16 * j] = sum[i][j];
            }
        }
    }
}

KERNEL gemm_2x4(int m, int n, int k, const float *a, const float *b, float *c) {
    multiply_registers<2, 4>(m, n, k, a, b, c);
}

KERNEL gemm_8x2(int m, int n, int k, const float *a, const float *b, float *c) {
    multiply_registers<8, 2>(m, n, k, a, b, c);
}

KERNEL dgemm_4x2(int m, int n, int k, const double *a, const double *b, double *c) {
    multiply_registers<4, 2>(m, n, k, a, b, c);
}

KERNEL gemm_a_transposed(int n, int k, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) {
        float sum = 0;
        for (int s = 0; s < k; s++) {
            sum += a[s * n + y] * b[s * n + x];
        }
        c[y * n + x] = sum;
    }
}

KERNEL gemm_tile_20(int n, const int *a, const int *b, int *c) {
    __shared__ int as[20][20], bs[20][20];
    int x = blockIdx.x * 20 + threadIdx.x, y = blockIdx.y * 20 + threadIdx.y, sum = 0;
    for (int t = 0; t < n; t += 20) {
        as[threadIdx.y][threadIdx.x] = y < n && t + static_cast<int>(threadIdx.x) < n ? a[y * n + t + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] = x < n && t + static_cast<int>(threadIdx.y) < n ? b[(t + threadIdx.y) * n + x] : 0;
        __syncthreads();
        for (int k = 0; k < 20; k++) {
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (x < n && y < n) {
        c[y * n + x] = sum;
    }
}

KERNEL xnor_gemm(int m, int n, int words, const unsigned *a, const unsigned *b, int *c) {
    __shared__ unsigned rows[8][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, sum = 0;
    for (int t = 0; t < words; t += 32) {
        rows[threadIdx.y][threadIdx.x] = t + static_cast<int>(threadIdx.x) < words && y < m ? a[y * words + t + threadIdx.x] : 0;
        __syncthreads();
        for (int k = 0; k < 32 && t + k < words; k++) {
            sum += __popc(~(rows[threadIdx.y][k] ^ b[(t + k) * n + x]));
        }
        __syncthreads();
    }
    if (y < m && x < n) {
        c[y * n + x] = sum;
    }
}

KERNEL lu_row_step(int n, int k, float *a) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + k + 1, y = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
    if (x < n && y < n) {
        a[y * n + x] -= a[y * n + k] / (a[k * n + k] + 2.f) * a[k * n + x];
    }
}

KERNEL gauss_jordan_shared(int n, const float *in, float *out) {
    extern __shared__ float a[];
    int t = threadIdx.x, pitch = n + 1;
    for (int i = t; i < n * n; i += blockDim.x) {
        a[i / n * pitch + i % n] = in[blockIdx.x * n * n + i] + (i / n == i % n ? 8.f : 0.f);
    }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        float pivot = 1.f / a[k * pitch + k];
        __syncthreads();
        if (t < n && t != k) {
            a[k * pitch + t] *= pivot;
        }
        __syncthreads();
        for (int i = t; i < n * n; i += blockDim.x) {
            int r = i / n, c = i % n;
            if (r != k && c != k) {
                a[r * pitch + c] -= a[r * pitch + k] * a[k * pitch + c];
            }
        }
        __syncthreads();
        if (t < n) {
            a[t * pitch + k] = t == k ? pivot : -a[t * pitch + k] * pivot;
        }
        __syncthreads();
    }
    for (int i = t; i < n * n; i += blockDim.x) {
        out[blockIdx.x * n * n + i] = a[i / n * pitch + i % n];
    }
}

KERNEL floyd_step(int n, int k, int *d) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n && x != k && y != k) {
        int through = (d[y * n + k] & 1023) + (d[k * n + x] & 1023);
        if (through < (d[y * n + x] & 1023)) {
            d[y * n + x] = through;
        }
    }
}

KERNEL floyd_row_tiles(int n, int k0, int *d) {
    __shared__ int pivot[16][16], tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, tx = threadIdx.x, ty = threadIdx.y;
    if (static_cast<int>(blockIdx.x) * 16 == k0) {
        return;
    }
    pivot[ty][tx] = d[(k0 + ty) * n + k0 + tx];
    tile[ty][tx] = d[(k0 + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        int through = pivot[ty][k] + tile[k][tx];
        __syncthreads();
        tile[ty][tx] = min(tile[ty][tx], through);
        __syncthreads();
    }
    d[(k0 + ty) * n + x] = tile[ty][tx];
}

KERNEL batched_3x3_inverse(int n, const float *in, float *out) {
    int i = tid();
    if (i < n) {
        float m[9];
        for (int k = 0; k < 9; k++) {
            m[k] = in[i * 9 + k];
        }
        float c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
        float s = 1.f / (m[0] * c0 + m[1] * c1 + m[2] * c2 + 4.f);
        out[i * 9] = c0 * s;
        out[i * 9 + 3] = c1 * s;
        out[i * 9 + 6] = c2 * s;
        out[i * 9 + 1] = (m[2] * m[7] - m[1] * m[8]) * s;
        out[i * 9 + 4] = (m[0] * m[8] - m[2] * m[6]) * s;
    }
}

// ---- signals ----

KERNEL fft_stockham(int n, int span, const float2 *in, float2 *out) {
    int i = tid();
    if (i < n / 2) {
        int k = i & (span - 1);
        float2 a = in[i], b = in[i + n / 2];
        float2 w = make_float2(1.f - k * 0.01f, k * 0.02f);
        b = times(w, b);
        int to = ((i - k) << 1) + k;
        out[to] = make_float2(a.x + b.x, a.y + b.y);
        out[to + span] = make_float2(a.x - b.x, a.y - b.y);
    }
}

KERNEL fft_shared_padded(const float2 *in, float2 *out) {
    __shared__ float re[288], im[288];
    int t = threadIdx.x;
    for (int k = t; k < 256; k += 128) {
        float2 v = in[blockIdx.x * 256 + k];
        int at = __brev(k) >> 24;
        re[at + at / 8] = v.x;
        im[at + at / 8] = v.y;
    }
    for (int span = 1; span < 256; span *= 2) {
        __syncthreads();
        int k = t & (span - 1), at = 2 * (t - k) + k, other = at + span;
        at += at / 8;
        other += other / 8;
        float2 w = make_float2(1.f - k * 0.01f, k * 0.02f);
        float2 a = make_float2(re[at], im[at]), b = times(w, make_float2(re[other], im[other]));
        re[at] = a.x + b.x;
        im[at] = a.y + b.y;
        re[other] = a.x - b.x;
        im[other] = a.y - b.y;
    }
    __syncthreads();
    for (int k = t; k < 256; k += 128) {
        out[blockIdx.x * 256 + k] = make_float2(re[k + k / 8], im[k + k / 8]);
    }
}

KERNEL iir_channels(int channels, int n, const float *in, float *out) {
    int c = tid();
    if (c < channels) {
        float y1 = 0, y2 = 0;
        for (int i = 0; i < n; i++) {
            float y = in[i * channels + c] + 0.5f * y1 - 0.25f * y2;
            y2 = y1;
            y1 = y;
            out[i * channels + c] = y;
        }
    }
}

KERNEL autocorrelation(int n, const short *in, int *out) {
    extern __shared__ short wave[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        wave[i] = in[i] & 63;
    }
    __syncthreads();
    int lag = tid(), sum = 0;
    for (int i = 0; i + lag < n; i++) {
        sum += wave[i] * wave[i + lag];
    }
    if (lag < n) {
        out[lag] = sum;
    }
}

KERNEL goertzel(int n, int rows, const float *in, float2 *out) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, k = threadIdx.x;
    if (row < rows) {
        float c = 2.f - 0.05f * k, s1 = 0, s2 = 0;
        for (int i = 0; i < n; i++) {
            float s = in[row * n + i] + c * s1 - s2;
            s2 = s1;
            s1 = s;
        }
        out[row * blockDim.x + k] = make_float2(s1, s2);
    }
}

// ---- physics, pictures, games ----

KERNEL d2q9_collide(int cells, const float *in, float *out) {
    int i = tid();
    if (i < cells) {
        float f[9], rho = 0;
        for (int k = 0; k < 9; k++) {
            f[k] = in[k * cells + i];
            rho += f[k];
        }
        float u = (f[1] - f[3] + f[5] - f[6]) / rho;
        for (int k = 0; k < 9; k++) {
            out[k * cells + (i + k * 3) % cells] = f[k] - 0.6f * (f[k] - rho * (1.f / 9 + u * 0.01f * k));
        }
    }
}

KERNEL ising_checkerboard(int w, int h, int colour, const unsigned *random, signed char *spins) {
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    x += (y + colour) & 1;
    if (x < w && y < h) {
        int around = (spins[y * w + (x + 1) % w] & 1) + (spins[y * w + (x + w - 1) % w] & 1) + (spins[(y + 1) % h * w + x] & 1) + (spins[(y + h - 1) % h * w + x] & 1);
        if ((random[y * (w / 2) + x / 2] & 3) > static_cast<unsigned>(around)) {
            spins[y * w + x] ^= 1;
        }
    }
}

KERNEL lennard_jones_cells(int cells, int each, const float *__restrict__ at, float *__restrict__ force) {
    __shared__ float3 near[64];
    int i = blockIdx.x * each + threadIdx.x, t = threadIdx.x;
    float3 me = make_float3(0, 0, 0), sum = make_float3(0, 0, 0);
    if (t < each) {
        me = make_float3(at[3 * i], at[3 * i + 1], at[3 * i + 2]);
    }
    for (int d = 0; d < 3; d++) {
        int cell = (blockIdx.x + cells + d - 1) % cells;
        if (t < each) {
            int j = cell * each + t;
            near[t] = make_float3(at[3 * j], at[3 * j + 1], at[3 * j + 2]);
        }
        __syncthreads();
        for (int k = 0; k < each; k++) {
            float3 o = near[k];
            float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z, r = dx * dx + dy * dy + dz * dz + 0.1f;
            float s = 1.f / (r * r);
            sum.x += s * dx;
            sum.y += s * dy;
            sum.z += s * dz;
        }
        __syncthreads();
    }
    if (t < each) {
        force[3 * i] = sum.x;
        force[3 * i + 1] = sum.y;
        force[3 * i + 2] = sum.z;
    }
}

KERNEL ray_grid_walk(int w, int h, int size, const unsigned char *grid, int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) {
        return;
    }
    float px = 0.5f, py = y * static_cast<float>(size) / h, dx = 1.f, dy = (x - w / 2) * 0.05f;
    int steps = 0;
    for (; steps < 60; steps++) {
        int cx = static_cast<int>(px), cy = static_cast<int>(py);
        if (cx < 0 || cy < 0 || cx >= size || cy >= size || grid[cy * size + cx] > 235) {
            break;
        }
        px += dx;
        py += dy;
    }
    out[y * w + x] = steps;
}

KERNEL depth_points(int n, int w, int h, const float *points, unsigned *depth) {
    int i = tid();
    if (i < n) {
        int x = static_cast<int>(points[3 * i] * w), y = static_cast<int>(points[3 * i + 1] * h);
        if (x < w && y < h) {
            atomicMin(&depth[y * w + x], static_cast<unsigned>(points[3 * i + 2] * 60000.f));
        }
    }
}

KERNEL winograd_input(int tiles, int w, const float *in, float *out) {
    int i = tid();
    if (i < tiles) {
        int x = i % (w / 2 - 1) * 2, y = i / (w / 2 - 1) * 2;
        float d[4][4], t[4][4];
        for (int r = 0; r < 4; r++) {
            for (int c = 0; c < 4; c++) {
                d[r][c] = in[(y + r) * w + x + c];
            }
        }
        for (int c = 0; c < 4; c++) {
            t[0][c] = d[0][c] - d[2][c];
            t[1][c] = d[1][c] + d[2][c];
            t[2][c] = d[2][c] - d[1][c];
            t[3][c] = d[1][c] - d[3][c];
        }
        for (int r = 0; r < 4; r++) {
            out[(4 * r) * tiles + i] = t[r][0] - t[r][2];
            out[(4 * r + 1) * tiles + i] = t[r][1] + t[r][2];
            out[(4 * r + 2) * tiles + i] = t[r][2] - t[r][1];
            out[(4 * r + 3) * tiles + i] = t[r][1] - t[r][3];
        }
    }
}

KERNEL pixel_shuffle(int c, int h, int w, const __half *in, __half *out) {
    int i = tid();
    if (i < c * h * w * 4) {
        int x = i % (2 * w), y = i / (2 * w) % (2 * h), ch = i / (4 * w * h);
        out[i] = in[((ch * 4 + (y & 1) * 2 + (x & 1)) * h + y / 2) * w + x / 2];
    }
}

KERNEL lstm_gates(int n, const float *gates, float *cell, float *hidden) {
    int i = tid();
    if (i < n) {
        float in = gates[i] * 0.5f + 0.5f, forget = gates[n + i] * 0.5f + 0.5f, g = gates[2 * n + i], o = gates[3 * n + i];
        float c = cell[i] * forget + in * g;
        cell[i] = c;
        hidden[i] = o * c / (1.f + fabsf(c));
    }
}

KERNEL dequantise_groups(int rows, int cols, const unsigned char *packed, const __half *scale, __half *out) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (2 * c < cols && r < rows) {
        unsigned char both = packed[r * (cols / 2) + c];
        __half s = scale[r * (cols / 32) + c / 16];
        __half2 pair = __halves2half2(__hmul(__int2half_rn((both & 15) - 8), s), __hmul(__int2half_rn((both >> 4) - 8), s));
        reinterpret_cast<__half2 *>(out)[r * (cols / 2) + c] = pair;
    }
}

KERNEL union_roots(int n, const int *parent, int *out) {
    int i = tid();
    if (i < n) {
        int at = i, steps = 0;
        for (;;) {
            int up = parent[at] % (at + 1);
            if (up == at || steps == 12) {
                break;
            }
            at = up;
            steps++;
        }
        out[i] = at;
    }
}

KERNEL triangle_rows(int n, const float *in, float *out) {
    int i = tid();
    if (i < n) {
        float sum = 0;
        for (int j = 0; j <= i; j++) {
            sum += in[i * (i + 1) / 2 + j];
        }
        out[i] = sum;
    }
}

KERNEL rle_lengths(int n, const unsigned char *in, int *out) {
    int i = tid();
    if (i < n) {
        int v = in[i] >> 6;
        if (i > 0 && in[i - 1] >> 6 == v) {
            out[i] = 0;
            return;
        }
        int k = i + 1;
        while (k < n && in[k] >> 6 == v) {
            k++;
        }
        out[i] = k - i;
    }
}
