/* Arenas: memory with one owner and one end, for a module, a launch or a report.
 *
 * Nothing is freed singly. If the system has no memory, an arena jumps to its owner's `out_of_memory` (a setjmp point),
 * so code that builds structures need not test each allocation. Without a jump point, the caller gets NULL. */
#ifndef HAUL_BASE_ARENA_H
#define HAUL_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct arena_block arena_block;

typedef struct arena {
    arena_block *blocks;
    char *next, *end;
    size_t total; /* bytes taken from the system */
    jmp_buf *out_of_memory;
} arena;

/* Makes an empty arena. An all-zero arena is valid and has no jump point. */
void arena_init(arena *a, jmp_buf *out_of_memory);
void arena_free(arena *a);
/* Empties the arena like arena_free(), but keeps its newest block for reuse. */
void arena_clear(arena *a);

/* Allocates zeroed memory, aligned for any type. */
void *arena_alloc(arena *a, size_t size);
/* Aligns to `alignment`, a power of two. */
void *arena_alloc_aligned(arena *a, size_t size, size_t alignment);
/* Allocates `count` * `size` bytes; an overflow counts as out of memory. */
void *arena_array(arena *a, size_t count, size_t size);
/* Copies `length` characters and appends a NUL. */
char *arena_copy(arena *a, const char *text, size_t length);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Calls `work` with an arena that ends with the call. If either arena is out of memory, the scratch arena ends, and
 * then `a`, which has a jump point, jumps. */
void arena_with_scratch(arena *a, void (*work)(void *context, arena *scratch), void *context);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, count, type) ((type *)arena_array((a), (count), sizeof(type)))

/* Appends to a growable array `items` with `count` and `capacity` fields, in an arena with a jump point. The smaller
 * arrays that it outgrew stay in the arena; together they are no larger than the array. */
#define ARENA_PUSH(a, items, count, capacity, value)                                                          \
    do {                                                                                                      \
        if ((count) == (capacity)) (items) = arena_grow((a), (items), (count), &(capacity), sizeof *(items)); \
        (items)[(count)++] = (value);                                                                         \
    } while (0)
void *arena_grow(arena *a, const void *items, size_t count, size_t *capacity, size_t size);

#endif
