/* Memory with one owner and one end: an arena for a module, one for a launch, one for a report.
 *
 * Nothing is freed singly. When the system has no memory, an arena jumps to where its owner set `out_of_memory`
 * (a setjmp point), so that code that builds structures need not test each allocation; an owner without one gets
 * NULL. */
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

/* Starts empty; an all-zero arena is a valid one without a jump point. */
void arena_init(arena *a, jmp_buf *out_of_memory);
void arena_free(arena *a);
/* Empties it like arena_free(), but keeps the memory that it has got last for what comes. */
void arena_clear(arena *a);

/* Zeroed, aligned for any type. */
void *arena_alloc(arena *a, size_t size);
/* `alignment` is a power of two. */
void *arena_alloc_aligned(arena *a, size_t size, size_t alignment);
/* `count` * `size` with the overflow treated as out of memory. */
void *arena_array(arena *a, size_t count, size_t size);
/* `length` characters and a closing NUL. */
char *arena_copy(arena *a, const char *text, size_t length);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Calls `work` with an arena that ends with the call. When either has no memory left, it ends as well before the jump
 * is where `a`, which has a jump point, would have jumped. */
void arena_with_scratch(arena *a, void (*work)(void *context, arena *scratch), void *context);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, count, type) ((type *)arena_array((a), (count), sizeof(type)))

/* Appends to a growable array `items` with `count` and `capacity` fields that lives in an arena with a jump point.
 * The smaller arrays it outgrew stay in the arena: at most as much again. */
#define ARENA_PUSH(a, items, count, capacity, value)                                                          \
    do {                                                                                                      \
        if ((count) == (capacity)) (items) = arena_grow((a), (items), (count), &(capacity), sizeof *(items)); \
        (items)[(count)++] = (value);                                                                         \
    } while (0)
void *arena_grow(arena *a, const void *items, size_t count, size_t *capacity, size_t size);

#endif
