/* Functions as the toolkit's C++ headers have them, with the place and the symbols that such functions have. */
#line 3 "/usr/include/typed_malloc.h"
extern int allocate_floats(float **address, size_t bytes) __asm__("_Z10cudaMallocIfE9cudaErrorPPT_m");
__attribute__((noinline)) int allocate_floats(float **address, size_t bytes) {
    return cudaMalloc((void **)address, bytes);
}

__attribute__((always_inline)) static inline int allocate_doubles(double **address, size_t bytes) {
    return cudaMalloc((void **)address, bytes);
}
