// A sparse matrix times a vector: rows by threads, rows by warps, and by entries with atomic operations.
#include "sample.h"

enum { ROWS = 700, COLUMNS = 500, MOST = ROWS * 40 };

__global__ void by_threads(const int *first, const int *column, const float *entry, const float *x, float *y) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= ROWS) return;
    float sum = 0;
    for (int e = first[row]; e < first[row + 1]; e++) sum += entry[e] * __ldg(&x[column[e]]);
    y[row] = sum;
}

__global__ void by_warps(const int *first, const int *column, const float *entry, const float *x, float *y) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= ROWS) return;
    float sum = 0;
    for (int e = first[row] + lane; e < first[row + 1]; e += 32) sum += entry[e] * x[column[e]];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
    if (lane == 0) y[row] = sum;
}

__global__ void by_entries(const int *row, const int *column, const float *entry, const float *x, float *y,
                           int entries) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < entries) atomicAdd(&y[row[e]], entry[e] * x[column[e]]);
}

static int first[ROWS + 1], row[MOST], column[MOST];
static float entry[MOST], x[COLUMNS], want[ROWS], got[ROWS];

static void check(const char *what, const float *y) {
    int wrong = 0;
    to_host(got, y, ROWS);
    for (int r = 0; r < ROWS; r++) wrong += got[r] != want[r];
    printf("%s: %d wrong\n", what, wrong);
    expect(what, wrong == 0);
}

int main() {
    int entries = 0;
    for (float &value : x) value = (float)draw(10);
    for (int r = 0; r < ROWS; r++) {
        const unsigned count = r % 50 ? draw(12) : 40; // few rows are long, some are empty
        for (unsigned k = 0; k < count; k++, entries++) {
            row[entries] = r;
            column[entries] = (int)draw(COLUMNS);
            entry[entries] = (float)draw(9) - 4;
            want[r] += entry[entries] * x[column[entries]];
        }
        first[r + 1] = entries;
    }
    int *on_first = on_device(ROWS + 1, first), *on_row = on_device(entries, row),
        *on_column = on_device(entries, column);
    float *on_entry = on_device(entries, entry), *on_x = on_device(COLUMNS, x), *y = on_device<float>(ROWS);
    printf("%d entries\n", entries);
    by_threads<<<(ROWS + 127) / 128, 128>>>(on_first, on_column, on_entry, on_x, y);
    check("rows by threads", y);
    CHECK(cudaMemset(y, 0xff, ROWS * sizeof *y));
    by_warps<<<(ROWS + 3) / 4, 128>>>(on_first, on_column, on_entry, on_x, y);
    check("rows by warps", y);
    CHECK(cudaMemset(y, 0, ROWS * sizeof *y));
    by_entries<<<(entries + 255) / 256, 256>>>(on_row, on_column, on_entry, on_x, y, entries);
    check("by entries", y);
    for (void *p : {(void *)on_first, (void *)on_row, (void *)on_column, (void *)on_entry, (void *)on_x, (void *)y})
        CHECK(cudaFree(p));
    return finish();
}
