// Calls that cannot be put in line: recursion, tables of functions, virtual functions.
#define NOINLINE __attribute__((noinline))
#ifndef __NVCC__
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *from);
#endif

// Doubly recursive: lanes differ in depth.
__device__ NOINLINE unsigned fibonacci_of(unsigned n) {
    return n < 2 ? n : fibonacci_of(n - 1) + fibonacci_of(n - 2);
}

extern "C" __global__ void fibonacci(const unsigned *n, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = fibonacci_of(n[i]);
}

// Recursion over memory.
__device__ NOINLINE void sort_range(int *a, int low, int high) {
    if (low >= high) return;
    int pivot = a[(low + high) / 2], i = low, k = high;
    while (i <= k) {
        while (a[i] < pivot) i++;
        while (a[k] > pivot) k--;
        if (i <= k) {
            int t = a[i];
            a[i++] = a[k];
            a[k--] = t;
        }
    }
    sort_range(a, low, k);
    sort_range(a, i, high);
}

extern "C" __global__ void quicksort(int *data, int each) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sort_range(data + i * each, 0, each - 1);
}

// A tree in an array: negative children are none.
struct node {
    int left, right, value;
};

__device__ NOINLINE int sum_of(const node *tree, int at, int depth) {
    if (at < 0) return 0;
    return depth * tree[at].value + sum_of(tree, tree[at].left, depth + 1) + sum_of(tree, tree[at].right, depth + 1);
}

extern "C" __global__ void tree_sum(const node *tree, const int *roots, int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sum_of(tree, roots[i], 1);
}

// Two functions that call each other; neither may be put in line in the other.
__device__ NOINLINE int steps_if_odd(unsigned n);
__device__ NOINLINE int steps_if_even(unsigned n) {
    if (n <= 1) return 0;
    return 1 + ((n / 2) % 2 ? steps_if_odd(n / 2) : steps_if_even(n / 2));
}
__device__ NOINLINE int steps_if_odd(unsigned n) {
    if (n <= 1) return 0;
    return 1 + steps_if_even(3 * n + 1);
}

extern "C" __global__ void collatz(int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i % 2 ? steps_if_odd(i) : steps_if_even(i);
}

// Frames that are alive at the same time: each call hands its own array's address on.
__device__ NOINLINE int nested_of(int *outer, int n) {
    int own[4];
    for (int k = 0; k < 4; k++) own[k] = outer[k] + n * k;
    if (n > 0) outer[n & 3] += nested_of(own, n - 1);
    int sum = 0;
    for (int k = 0; k < 4; k++) sum = 31 * sum + own[k];
    return sum;
}

extern "C" __global__ void nested(int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int top[4] = {1, 2, 3, 4};
    int sum = nested_of(top, (int)(i % 7));
    out[i] = sum + top[0] + top[1] + top[2] + top[3];
}

// A table of functions in constant memory, one chosen by each lane.
typedef float (*unary)(float, const float *);
__device__ NOINLINE float twice(float x, const float *) { return 2 * x; }
__device__ NOINLINE float square(float x, const float *) { return x * x; }
__device__ NOINLINE float load(float x, const float *from) { return from[(int)x]; }
__device__ NOINLINE float power(float x, const float *from) { return x < 2 ? 1 : x * power(x - 1, from); }
__constant__ unary table[4] = {twice, square, load, power};

extern "C" __global__ void by_table(const unsigned *which, const float *from, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[which[i]]((float)(i % 9), from);
}

// Virtual functions.
struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual float scaled(float by) const { return by * area(); }
};
struct square_shape : shape {
    float side;
    __device__ square_shape(float s) : side(s) {}
    __device__ NOINLINE float area() const override { return side * side; }
};
struct box_shape : shape {
    float wide, high;
    __device__ box_shape(float w, float h) : wide(w), high(h) {}
    __device__ NOINLINE float area() const override { return wide * high; }
    __device__ NOINLINE float scaled(float by) const override { return area() + by; }
};

extern "C" __global__ void shapes(const float *sides, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    square_shape a(sides[i]);
    box_shape b(sides[i], 3);
    const shape *s = i % 3 ? (const shape *)&a : (const shape *)&b;
    out[i] = s->scaled(0.5f);
}

// Without an end.
__device__ NOINLINE unsigned endless_of(unsigned n) { return n + endless_of(n + 1) % 7; }

extern "C" __global__ void endless(unsigned *out) { out[threadIdx.x] = endless_of(threadIdx.x); }

// A call of what is no function.
extern "C" __global__ void wild(unsigned long long address, float *out) {
    out[threadIdx.x] = ((unary)address)(1, out);
}

// The device's heap: a list a thread, built and taken down again.
struct link {
    link *next;
    int value;
};

extern "C" __global__ void lists(int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    link *first = 0;
    for (int k = 0; k < (int)(i % 5); k++) {
        link *l = (link *)malloc(sizeof(link));
        if (!l) break;
        l->next = first;
        l->value = (int)i * k;
        first = l;
    }
    int sum = 0;
    while (first) {
        link *next = first->next;
        sum += first->value;
        free(first);
        first = next;
    }
    out[i] = sum;
}

extern "C" __global__ void keep(int **kept, int each) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[i] = (int *)malloc(each * sizeof(int));
    for (int k = 0; kept[i] && k < each; k++) kept[i][k] = (int)i + k;
}

extern "C" __global__ void give_back(int **kept, int *out, int each) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; kept[i] && k < each; k++) sum += kept[i][k];
    out[i] = kept[i] ? sum : -1;
    free(kept[i]);
}

extern "C" __global__ void use_after_free(int *out) {
    int *p = (int *)malloc(64);
    *p = 1;
    free(p);
    out[threadIdx.x] = *p;
}

extern "C" __global__ void beyond_the_end(int *out) {
    volatile int *p = (int *)malloc(40);
    for (int k = 0; k < 10; k++) p[k] = k;
    out[threadIdx.x] = p[10];
}

extern "C" __global__ void free_twice(int *out) {
    int *p = (int *)malloc(64);
    *p = 1;
    free(p);
    free(p);
    out[0] = 0;
}

extern "C" __global__ void free_what_is_not_ours(int *out) { free(out); }
