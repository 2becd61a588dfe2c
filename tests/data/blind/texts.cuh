// Texts and bits: search, checksums, distances, cellular automata.

// Where a pattern of 8 letters occurs.
KERNEL pattern__bytes(int *count, const unsigned char *text, const unsigned char *pattern, int n) {
    __shared__ unsigned char p[8];
    if (threadIdx.x < 8) p[threadIdx.x] = pattern[threadIdx.x] & 3;
    __syncthreads();
    int found = 0;
    for (int i = THREAD; i < n - 8; i += gridDim.x * blockDim.x) {
        int k = 0;
        while (k < 8 && (text[i + k] & 3) == p[k]) k++;
        found += k == 8;
    }
    found = __reduce_add_sync(~0u, found);
    if (threadIdx.x % 32 == 0 && found) atomicAdd(count, found);
}

KERNEL pattern__words(int *count, const uint4 *text, const uint2 *pattern, int n) {
    const uint2 p = {pattern->x & 0x03030303u, pattern->y & 0x03030303u};
    int found = 0;
    for (int i = THREAD; i < n / 16 - 1; i += gridDim.x * blockDim.x) {
        const uint4 a = text[i];
        const uint2 b = *(const uint2 *)(text + i + 1);
        const unsigned w[6] = {a.x, a.y, a.z, a.w, b.x, b.y};
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const unsigned lo = __funnelshift_r(w[k / 4], w[k / 4 + 1], k % 4 * 8), hi = __funnelshift_r(w[k / 4 + 1], w[k / 4 + 2 < 6 ? k / 4 + 2 : 5], k % 4 * 8);
            found += (lo & 0x03030303u) == p.x && (hi & 0x03030303u) == p.y;
        }
    }
    found = __reduce_add_sync(~0u, found);
    if (threadIdx.x % 32 == 0 && found) atomicAdd(count, found);
}

// Checks of rows of bytes by a table, which lies in shared or in constant memory.
__constant__ unsigned crc_constant[256];

KERNEL crc__shared(unsigned *out, const unsigned *data, int words, int rows) {
    __shared__ unsigned table[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        unsigned v = k;
        for (int b = 0; b < 8; b++) v = v >> 1 ^ (v & 1 ? 0xEDB88320u : 0);
        table[k] = v;
    }
    __syncthreads();
    const int row = THREAD;
    if (row >= rows) return;
    unsigned c = ~0u;
    for (int i = 0; i < words; i++) {
        unsigned w = data[i * rows + row];
        for (int b = 0; b < 4; b++, w >>= 8) c = c >> 8 ^ table[(c ^ w) & 255];
    }
    out[row] = ~c;
}

KERNEL crc__constant(unsigned *out, const unsigned *data, int words, int rows) {
    const int row = THREAD;
    if (row >= rows) return;
    unsigned c = ~0u;
    for (int i = 0; i < words; i++) {
        unsigned w = data[i * rows + row];
        for (int b = 0; b < 4; b++, w >>= 8) c = c >> 8 ^ (crc_constant[(c ^ w) & 255] + (c & 0xff) * 0x01010101u);
    }
    out[row] = ~c;
}

KERNEL crc__bits(unsigned *out, const unsigned *data, int words, int rows) {
    const int row = THREAD;
    if (row >= rows) return;
    unsigned c = ~0u;
    for (int i = 0; i < words; i++) {
        c ^= data[i * rows + row];
#pragma unroll
        for (int b = 0; b < 32; b++) c = c >> 1 ^ (0xEDB88320u & -(c & 1));
    }
    out[row] = ~c;
}

// Distances between strings of bits.
KERNEL hamming__words(int *out, const unsigned *a, const unsigned *b, int n, int words) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = 0; k < words; k++) s += __popc(a[i * words + k] ^ b[k * n + j]);
    out[i * n + j] = s;
}

KERNEL hamming__tiles(int *out, const unsigned *a, const unsigned *b, int n, int words) {
    __shared__ unsigned ta[32][17], tb[16][32];
    const int i0 = blockIdx.y * 32, j0 = blockIdx.x * 32, t = threadIdx.y * 32 + threadIdx.x;
    int s[4] = {};
    for (int at = 0; at < words; at += 16) {
        for (int q = t; q < 512; q += 256) ta[q / 16][q % 16] = a[(i0 + q / 16) * words + at + q % 16], tb[q / 32][q % 32] = b[(at + q / 32) * n + j0 + q % 32];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            for (int u = 0; u < 4; u++) s[u] += __popc(ta[threadIdx.y + 8 * u][k] ^ tb[k][threadIdx.x]);
        __syncthreads();
    }
    for (int u = 0; u < 4; u++) out[(i0 + threadIdx.y + 8 * u) * n + j0 + threadIdx.x] = s[u];
}

// Conway's game, a word of 32 cells at once; a byte a cell.
KERNEL life__bits(unsigned *next, const unsigned *now, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || i >= w - 1 || j < 1 || j >= h - 1) return;
    unsigned ones = 0, twos = 0, fours = 0;
    for (int b = -1; b <= 1; b++) {
        const unsigned l = now[(j + b) * w + i - 1], m = now[(j + b) * w + i], r = now[(j + b) * w + i + 1];
        const unsigned v[3] = {__funnelshift_l(l, m, 1), m, __funnelshift_r(m, r, 1)};
        for (int k = 0; k < 3; k++)
            if (b || k != 1) {
                const unsigned c1 = ones & v[k], c2 = twos & c1;
                ones ^= v[k], twos ^= c1, fours |= c2;
            }
    }
    next[j * w + i] = twos & ~fours & (ones | now[j * w + i]);
}

KERNEL life__bytes(unsigned char *next, const unsigned char *now, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || i >= w - 1 || j < 1 || j >= h - 1) return;
    int n = 0;
    for (int b = -1; b <= 1; b++)
        for (int a = -1; a <= 1; a++) n += a || b ? now[(j + b) * w + i + a] & 1 : 0;
    next[j * w + i] = n == 3 || (n == 2 && (now[j * w + i] & 1));
}

// Distances of edits of two strings of 256 letters; a block walks the diagonals of a pair.
KERNEL edits__shared(int *out, const unsigned char *a, const unsigned char *b) {
    __shared__ int d[3][257];
    __shared__ unsigned char sa[256], sb[256];
    const int t = threadIdx.x;
    sa[t] = a[blockIdx.x * 256 + t] & 3, sb[t] = b[blockIdx.x * 256 + t] & 3;
    if (t == 0) d[0][0] = 0, d[1][0] = 1, d[2][0] = 2;
    d[0][t + 1] = d[1][t + 1] = d[2][t + 1] = t + 1;
    __syncthreads();
    for (int k = 2; k <= 512; k++) {
        int *now = d[k % 3], *last = d[(k + 2) % 3], *before = d[(k + 1) % 3];
        const int i = t + 1, j = k - i;
        if (j >= 1 && j <= 256) now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (sa[i - 1] != sb[j - 1]));
        if (t == 0) now[0] = k;
        if (j == 0) now[i] = i;
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = d[512 % 3][256];
}
