// Sparse rows, segments, graphs and hash tables.

// Sparse matrices whose rows have the same room: elements of a row lie apart, or together.
KERNEL ell__apart(float *y, const float *value, const int *column, const float *x, int rows, int each) {
    const int i = THREAD;
    if (i >= rows) return;
    float s = 0;
    for (int k = 0; k < each; k++) s += value[k * rows + i] * x[column[k * rows + i]];
    y[i] = s;
}

KERNEL ell__together(float *y, const float *value, const int *column, const float *x, int rows, int each) {
    const int i = THREAD;
    if (i >= rows) return;
    float s = 0;
    for (int k = 0; k < each; k++) s += value[i * each + k] * x[column[i * each + k]];
    y[i] = s;
}

KERNEL coordinates__atomic(float *y, const float *value, const int *row, const int *column, const float *x, int n) {
    const int i = THREAD;
    if (i < n) atomicAdd(&y[row[i]], value[i] * x[column[i]]);
}

// Sums of segments of unlike lengths (the hash of their number below `most`).
__device__ __forceinline__ int length_of(int s, int most) { return (int)((unsigned)s * 2654435761u >> 16) % most; }

KERNEL segments__thread(float *y, const float *x, int segments, int room, int most) {
    const int s = THREAD;
    if (s >= segments) return;
    float v = 0;
    for (int i = 0, n = length_of(s, most); i < n; i++) v += x[s * room + i];
    y[s] = v;
}

KERNEL segments__warp(float *y, const float *x, int segments, int room, int most) {
    const int s = THREAD / 32;
    if (s >= segments) return;
    float v = 0;
    for (int i = threadIdx.x % 32, n = length_of(s, most); i < n; i += 32) v += x[s * room + i];
    v = sum_of_warp(v);
    if (threadIdx.x % 32 == 0) y[s] = v;
}

KERNEL segments__eight(float *y, const float *x, int segments, int room, int most) {
    const int s = THREAD / 8;
    float v = 0;
    if (s < segments)
        for (int i = threadIdx.x % 8, n = length_of(s, most); i < n; i += 8) v += x[s * room + i];
    for (int k = 4; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
    if (s < segments && threadIdx.x % 8 == 0) y[s] = v;
}

// A graph's ranks pulled along 16 edges of each node, whose degrees are looked up, too.
KERNEL ranks__pull(float *next, const float *rank, const int *edge, const int *degree, int nodes) {
    const int i = THREAD;
    if (i >= nodes) return;
    float s = 0;
    for (int k = 0; k < 16; k++) {
        const int j = edge[i * 16 + k];
        s += rank[j] / (1 + degree[j]);
    }
    next[i] = 0.15f + 0.85f * s;
}

KERNEL ranks__push(float *next, const float *rank, const int *edge, const int *degree, int nodes) {
    const int i = THREAD / 16;
    if (i < nodes) atomicAdd(&next[edge[THREAD]], 0.85f * rank[i] / (1 + degree[i]));
}

// A table of keys: filled by compare-and-swap, then asked.
KERNEL table__fill(int *table, const int *key, int n, int mask) {
    const int i = THREAD;
    if (i >= n) return;
    unsigned at = (unsigned)key[i] * 2654435761u;
    for (int tries = 0; tries < 64; tries++, at++) {
        const int was = atomicCAS(&table[at >> 8 & mask], 0, key[i] + 1);
        if (was == 0 || was == key[i] + 1) return;
    }
}

KERNEL table__ask(int *found, const int *table, const int *key, int n, int mask) {
    const int i = THREAD;
    if (i >= n) return;
    unsigned at = (unsigned)key[i] * 2654435761u;
    int r = -1;
    for (int tries = 0; tries < 8; tries++, at++)
        if (table[at >> 8 & mask] == key[i]) {
            r = tries;
            break;
        }
    found[i] = r;
}
