/* The only access to the system's allocator, so that tests can make the n-th allocation fail. */
#ifndef HAUL_BASE_MEMORY_H
#define HAUL_BASE_MEMORY_H

#include <stddef.h>

void *memory_alloc(size_t size);                /* not zeroed; NULL without memory */
void *memory_zeroed(size_t count, size_t size); /* NULL on overflow too */
void *memory_resize(void *old, size_t size);    /* NULL without memory; the old block stays valid */
void memory_free(void *p);

/* Makes room for another element of `size` bytes after the `count` of an array of *capacity. Returns the array, which
 * may have moved; *capacity doubles if it was full. Returns NULL without memory; the old array stays valid. */
void *memory_grow(void *items, size_t count, size_t *capacity, size_t size);

/* As memory_alloc(), for much memory that will be used all over: in large pages if the host has them. */
void *memory_large_pages(size_t size);

/* Suggests large pages to the host for memory that will be used all over, to avoid TLB misses. */
void memory_prefer_large_pages(void *p, size_t size);

/* The calling thread's allocation number `n` from now (1 = the next) fails, once; 0 switches it off. */
void memory_fail_after(size_t n);

#endif
