/* The one door to the system's allocator, so that tests can make the n-th allocation fail. */
#ifndef HAUL_BASE_MEMORY_H
#define HAUL_BASE_MEMORY_H

#include <stddef.h>

void *memory_alloc(size_t size);                /* not zeroed; NULL when there is none */
void *memory_zeroed(size_t count, size_t size); /* NULL on overflow too */
void *memory_resize(void *old, size_t size);    /* on NULL the old block stays valid */
void memory_free(void *p);

/* Room for one element more, of `size` bytes, behind the `count` of an array of *capacity: the array, which may have
 * moved, with *capacity doubled if it was full. NULL when there is no memory: the old one stays valid. */
void *memory_grow(void *items, size_t count, size_t *capacity, size_t size);

/* What lies there will be used all over: the host may take large pages for it, of which fewer have to be fetched. */
void memory_prefer_large_pages(void *p, size_t size);

/* The calling thread's allocation number `n` from now (1 = the next) fails, once; 0 switches it off. */
void memory_fail_after(size_t n);

#endif
