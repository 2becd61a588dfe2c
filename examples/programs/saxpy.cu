// y = alpha x + y with one thread for each element. The argument is the number of elements (default 1048576).
#include "sample.h"

__global__ void saxpy(int n, float alpha, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = alpha * x[i] + y[i];
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    if (n < 1) {
        fprintf(stderr, "usage: saxpy [NUMBER OF ELEMENTS]\n");
        return 2;
    }
    float *hx = (float *)malloc(n * sizeof *hx), *hy = (float *)malloc(n * sizeof *hy);
    for (int i = 0; i < n; i++) {
        hx[i] = (float)(i % 1000);
        hy[i] = 1.0f;
    }
    float *x = on_device(n, hx), *y = on_device(n, hy);
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    to_host(hy, y, n);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += hy[i] != 2.0f * (float)(i % 1000) + 1.0f;
    printf("saxpy of %d floats: %d wrong\n", n, wrong);
    expect("the sums", wrong == 0);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    free(hx);
    free(hy);
    return finish();
}
