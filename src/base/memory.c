/* The host's allocator, of which tests can let any call fail (memory_fail_after()). */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static _Thread_local size_t countdown;

/* Counts down for the current thread only, so that tests are repeatable. */
static int must_fail(void) {
    return countdown && --countdown == 0;
}

void memory_fail_after(size_t n) {
    countdown = n;
}

void *memory_alloc(size_t size) {
    return must_fail() ? NULL : malloc(size ? size : 1);
}

void *memory_zeroed(size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return NULL; /* calloc() returns NULL too, but sanitizers end the program */
    return must_fail() ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *memory_resize(void *old, size_t size) {
    return must_fail() ? NULL : realloc(old, size ? size : 1);
}

/* Doubles, unless there is room already. The caller frees the old memory if this fails. */
void *memory_grow(void *items, size_t count, size_t *capacity, size_t size) {
    enum { FIRST = 16 };
    if (count < *capacity) return items;
    const size_t larger = *capacity ? *capacity * 2 : FIRST;
    if (larger < *capacity || larger > SIZE_MAX / size) return NULL;
    void *grown = memory_resize(items, larger * size);
    if (grown) *capacity = larger;
    return grown;
}

enum { PAGE = 2 << 20 };

void *memory_large_pages(size_t size) {
    const size_t whole = (size + PAGE - 1) / PAGE * PAGE;
    void *p = must_fail() ? NULL : aligned_alloc(PAGE, whole);
    if (p) memory_prefer_large_pages(p, whole);
    return p;
}

/* Only whole large pages can be asked for; the system may refuse without harm. */
void memory_prefer_large_pages(void *p, size_t size) {
    const uintptr_t start = (uintptr_t)p, first = (start + PAGE - 1) / PAGE * PAGE, last = (start + size) / PAGE * PAGE;
    if (last > first) (void)madvise((char *)p + (first - start), last - first, MADV_HUGEPAGE);
}

void memory_free(void *p) {
    free(p);
}
