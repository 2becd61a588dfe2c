/* printf() and assert() in device code and in the host half, by all the headers' names. */
#include <assert.h>
#include <cassert>
#include <cstdio>
#include <stdio.h>

__constant__ char format[] = "%s %d\n";

__global__ void print(int *out, int n, float f, const char *text) {
    out[0] = printf("%d %u %lld %5.2f %-8s|%*d %c %p\n", n, 1u, 1ll << 40, f, text, 6, -3, 'x', (void *)out);
    out[1] = printf(format, text, n);
    out[2] = printf("no argument\n");
    std::printf("%e\n", 1.0);
}

__global__ void check(const int *in, int n) {
    const int i = (int)threadIdx.x;
    assert(i < n);
    assert(in && "a buffer must be there");
}

#define NDEBUG
#include <assert.h>
__global__ void do_not_check(int *out) {
    assert(false);
    out[0] = 1;
}
#undef NDEBUG
#include <assert.h>

int main() {
    assert(1 < 2);
    fprintf(stderr, "host %d\n", 1);
    std::puts("host");
    return 0;
}
