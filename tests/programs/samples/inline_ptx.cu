// PTX within CUDA C++: special registers, carries, permuted bytes, predicates, bit fields, and ordered accesses.
#include "sample.h"

__device__ unsigned lane_id() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

// 128-bit sums of 64-bit halves.
__device__ ulonglong2 add_wide(ulonglong2 a, ulonglong2 b) {
    ulonglong2 sum;
    asm("add.cc.u64 %0, %2, %4;\n\t"
        "addc.u64 %1, %3, %5;"
        : "=l"(sum.x), "=l"(sum.y)
        : "l"(a.x), "l"(a.y), "l"(b.x), "l"(b.y));
    return sum;
}

__device__ int clamp_to(int x, int low, int high) {
    int y;
    asm("{\n\t"
        ".reg .pred p, q;\n\t"
        "setp.lt.s32 p, %1, %2;\n\t"
        "setp.gt.s32 q, %1, %3;\n\t"
        "mov.b32 %0, %1;\n\t"
        "@p mov.b32 %0, %2;\n\t"
        "@q mov.b32 %0, %3;\n\t"
        "}"
        : "=&r"(y)
        : "r"(x), "r"(low), "r"(high));
    return y;
}

struct results {
    unsigned lanes, swapped, field, reversed, first, sad, lut;
    int clamped[3];
    ulonglong2 wide;
    float product;
};

__global__ void use(results *r, const int *x, int *flag) {
    const unsigned lane = lane_id();
    atomicAdd(&r->lanes, lane);
    if (lane) return;
    asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r->swapped) : "r"(0x11223344));
    asm("bfe.u32 %0, %1, 8, 12;" : "=r"(r->field) : "r"(0xabcdef12));
    asm("brev.b32 %0, %1;" : "=r"(r->reversed) : "r"(1));
    asm("bfind.u32 %0, %1;" : "=r"(r->first) : "r"(0x00400000));
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(r->sad) : "r"(10), "r"(35), "r"(100));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;"
        : "=r"(r->lut)
        : "r"(0xff00ff00), "r"(0xf0f0f0f0), "r"(0xcccccccc)); // a ^ b ^ c
    for (int k = 0; k < 3; k++) r->clamped[k] = clamp_to(x[k], -10, 10);
    r->wide = add_wide(make_ulonglong2(~0ull, 1), make_ulonglong2(2, 5));
    asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(r->product) : "f"(1.5f), "f"(2.5f), "f"(0.25f));
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(7) : "memory");
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(r->clamped[2]) : "l"(flag) : "memory");
}

int main() {
    const int x[] = {-100, 5, 100};
    results got = {};
    results *r = on_device(1, &got);
    int *in = on_device(3, x), *flag = on_device<int>(1);
    use<<<1, 32>>>(r, in, flag);
    to_host(&got, r, 1);
    printf("lanes %u, swapped %x, field %x, reversed %x, first %u, sad %u, lut %x\n", got.lanes, got.swapped, got.field,
           got.reversed, got.first, got.sad, got.lut);
    printf("clamped %d %d, flag %d, wide %llx %016llx, product %g\n", got.clamped[0], got.clamped[1], got.clamped[2],
           got.wide.y, got.wide.x, got.product);
    expect("registers and bits",
           got.lanes == 496 && got.swapped == 0x44332211 && got.field == 0xdef && got.first == 22);
    expect("more bits",
           got.reversed == 0x80000000 && got.sad == 125 && got.lut == (0xff00ff00 ^ 0xf0f0f0f0 ^ 0xcccccccc));
    expect("predicates and order", got.clamped[0] == -10 && got.clamped[1] == 5 && got.clamped[2] == 7);
    expect("wide sums", got.wide.y == 7 && got.wide.x == 1 && got.product == 4);
    CHECK(cudaFree(r));
    CHECK(cudaFree(in));
    CHECK(cudaFree(flag));
    return finish();
}
