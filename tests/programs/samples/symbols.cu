// Constants and variables of the device: copied by their symbols, in parts, asynchronously, and by their addresses.
#include "sample.h"

enum { TERMS = 6 };

__constant__ int coefficients[TERMS];
__constant__ struct {
    float scale;
    short2 offset;
} setting = {0.5f, {3, -4}};
__device__ int history[4] = {1, 2, 3, 4};
__device__ unsigned long long visits;
__device__ const int *table;

__global__ void evaluate(const int *x, int *out) {
    const int i = threadIdx.x;
    int value = 0;
    for (int k = TERMS - 1; k >= 0; k--) value = value * x[i] + coefficients[k];
    out[i] = value + (int)(setting.scale * setting.offset.x) + setting.offset.y + (table ? table[i] : 0);
    atomicAdd(&visits, 1ull);
    if (i == 0)
        for (int k = 3; k > 0; k--) history[k] = history[k - 1];
}

static int evaluated(const int *c, int x) {
    int value = 0;
    for (int k = TERMS - 1; k >= 0; k--) value = value * x + c[k];
    return value - 3; // 0.5 * 3, cut, and -4
}

int main() {
    int x[10], got[10], c[TERMS] = {5, -4, 3, 2, 0, 1}, past[4], *address;
    unsigned long long count = 0;
    size_t bytes = 0;
    cudaStream_t stream;
    for (int i = 0; i < 10; i++) x[i] = i - 5;
    int *in = on_device(10, x), *out = on_device<int>(10);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    evaluate<<<1, 10>>>(in, out);
    to_host(got, out, 10);
    for (int i = 0; i < 10; i++) expect("a polynomial", got[i] == evaluated(c, x[i]));
    printf("at -5: %d, at 4: %d\n", got[0], got[9]);

    c[2] = 7;
    CHECK(cudaMemcpyToSymbolAsync(coefficients, &c[2], sizeof c[2], 2 * sizeof c[0], cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyToSymbolAsync(table, &in, sizeof in, 0, cudaMemcpyHostToDevice, stream));
    evaluate<<<1, 10, 0, stream>>>(in, out);
    CHECK(cudaMemcpyFromSymbolAsync(&count, visits, sizeof count, 0, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    to_host(got, out, 10);
    for (int i = 0; i < 10; i++) expect("a changed polynomial", got[i] == evaluated(c, x[i]) + x[i]);
    printf("at -5: %d, at 4: %d, %llu visits\n", got[0], got[9], count);
    expect("all came by", count == 20);

    CHECK(cudaMemcpyFromSymbol(past, history, 3 * sizeof(int), sizeof(int)));
    printf("history: . %d %d %d\n", past[0], past[1], past[2]);
    expect("the history", past[0] == 1 && past[1] == 1 && past[2] == 2);
    CHECK(cudaGetSymbolAddress((void **)&address, history));
    CHECK(cudaGetSymbolSize(&bytes, history));
    CHECK(cudaMemset(address, 0, bytes));
    CHECK(cudaMemcpyFromSymbol(past, history, sizeof past));
    expect("the address", bytes == 16 && !past[0] && !past[3]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return finish();
}
