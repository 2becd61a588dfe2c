// Objects with virtual functions that are made on the device, functions as arguments, lambdas, and a template over
// types.
#include "sample.h"

class shape {
  public:
    virtual __device__ ~shape() {}
    virtual __device__ float area() const = 0;
    virtual __device__ int corners() const {
        return 0;
    }
};

class box : public shape {
    float width, height;

  public:
    __device__ box(float w, float h) : width(w), height(h) {}
    __device__ float area() const override {
        return width * height;
    }
    __device__ int corners() const override {
        return 4;
    }
};

class disc : public shape {
    float radius;

  public:
    __device__ explicit disc(float r) : radius(r) {}
    __device__ float area() const override {
        return 3 * radius * radius; // near enough
    }
};

__global__ void make(shape **shapes, int count) {
    const int i = threadIdx.x;
    if (i >= count) return;
    if (i % 3)
        shapes[i] = new box((float)i, 2);
    else
        shapes[i] = new disc((float)i);
}

__global__ void measure(shape *const *shapes, float *areas, int *corners, int count) {
    const int i = threadIdx.x;
    if (i >= count) return;
    areas[i] = shapes[i]->area();
    corners[i] = shapes[i]->corners();
}

__global__ void destroy(shape **shapes, int count) {
    if (threadIdx.x < count) delete shapes[threadIdx.x];
}

typedef int (*step)(int);
__device__ int twice(int x) {
    return 2 * x;
}
__device__ int square(int x) {
    return x * x;
}
__device__ step steps[] = {twice, square};

__global__ void by_table(int *x) {
    x[threadIdx.x] = steps[threadIdx.x % 2](x[threadIdx.x]);
}

template <class T, class F> __global__ void apply(T *x, F f) {
    x[threadIdx.x] = f(x[threadIdx.x]);
}

int main() {
    const int count = 50;
    float areas[count];
    int corners[count], x[count], total = 0, wrong = 0;
    shape **shapes = on_device<shape *>(count);
    float *on_areas = on_device<float>(count);
    int *on_corners = on_device<int>(count);
    make<<<1, 64>>>(shapes, count);
    measure<<<1, 64>>>(shapes, on_areas, on_corners, count);
    destroy<<<1, 64>>>(shapes, count);
    to_host(areas, on_areas, count);
    to_host(corners, on_corners, count);
    for (int i = 0; i < count; i++) {
        wrong += areas[i] != (i % 3 ? 2.f * i : 3.f * i * i);
        total += corners[i];
    }
    printf("%d corners, last area %g, %d wrong\n", total, areas[count - 1], wrong);
    expect("shapes", wrong == 0 && total == 4 * 33);

    for (int i = 0; i < count; i++) x[i] = i;
    int *on = on_device(count, x);
    const int offset = 1000;
    by_table<<<1, count>>>(on);
    apply<<<1, count>>>(on, [=] __device__(int v) { return v + offset; });
    to_host(x, on, count);
    for (int i = 0; i < count; i++) expect("functions", x[i] == offset + (i % 2 ? i * i : 2 * i));
    apply<<<1, count>>>(on_areas, [] __device__(float v) { return v / 2; });
    to_host(areas, on_areas, count);
    printf("by functions: %d %d, halved: %g\n", x[6], x[7], areas[count - 1]);
    expect("halves", areas[count - 1] == 49);
    CHECK(cudaFree(shapes));
    CHECK(cudaFree(on_areas));
    CHECK(cudaFree(on_corners));
    CHECK(cudaFree(on));
    return finish();
}
