#include "shapes.h"

__device__ int made;
__constant__ int weights[4];

struct square : shape {
    int side;
    __device__ explicit square(int side) : side(side) {}
    __device__ int area() const override {
        return side * side;
    }
};

struct strip : shape {
    int length;
    __device__ explicit strip(int length) : length(length) {}
    __device__ int area() const override {
        return 2 * length;
    }
};

__device__ shape *make_shape(int size) {
    atomicAdd(&made, 1);
    if (size % 2) return new square(size);
    return new strip(size);
}
