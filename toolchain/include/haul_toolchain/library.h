/* The parts of the C library that device code may call: printf, assert, the heap, and moving bytes. */
#ifndef HAUL_TOOLCHAIN_LIBRARY_H
#define HAUL_TOOLCHAIN_LIBRARY_H

#include "device.h"

extern "C" {
/* Supplied by whoever runs the PTX. clang turns printf(format, ...) into vprintf(format, packed arguments). */
__device__ int printf(const char *, ...);
__device__ int vprintf(const char *, const char *);
__device__ void cudaGraphSetConditional(unsigned long long, unsigned int);
__device__ void *malloc(size_t) __attribute__((malloc));
__device__ void free(void *) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned int line, const char *function,
                             size_t char_size) __attribute__((noreturn));

/* Called by assert() of <assert.h>. */
HAUL_TC_DEVICE void __assert_fail(const char *message, const char *file, unsigned int line, const char *function) {
    __assertfail(message, file, line, function, sizeof(char));
}

HAUL_TC_DEVICE void *memcpy(void *to, const void *from, size_t bytes) {
    return __builtin_memcpy(to, from, bytes);
}
HAUL_TC_DEVICE void *memset(void *to, int value, size_t bytes) {
    return __builtin_memset(to, value, bytes);
}
}

#endif
